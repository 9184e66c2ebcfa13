r"""
Toppling blocks
===============

Ten blocks stand in a row. The first one rotates about its lower right corner, fast enough to
topple,

.. math::

   \tfrac{1}{2} I \omega^2 > M g \left( \tfrac{1}{2} \sqrt{H^2 + L^2} - \tfrac{1}{2} H \right) ,

hits the second, and so on. Rigid blocks lose energy in impacts. All of their collisions, hundreds
at the end of each fall, are located one by one. In the source the blocks are elastic, one bilinear
element each, and so soft that they bend by a tenth of their height.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

blocks = nsmb.systems.toppling_blocks()
blocks.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(blocks)
sol.animate(speed=0.5, fps=12.5, dpi=50, forces=False)

# %%
# Angles of the blocks. They are hit one after the other, until the last one lies flat.

figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
for k in range(10):
    ax.plot(sol.t, sol.q[:, 3 * k + 2], color=plt.cm.viridis(k / 10), label=f"{k + 1}")
ax.axhline(-np.pi / 2, color="k", linewidth=0.6, linestyle=":")
ax.legend(title="block", fontsize="x-small", ncols=2)
ax.set(xlabel="t / s", ylabel="φ / rad")

# %%
# Elastic
# -------
# The sides that collide stay straight and rotate with their two nodes. All curves cross where the
# last block falls past the others, as in the figure of the source.

soft = nsmb.simulate(blocks.with_parameters(elastic=True))
angles = [k for k, name in enumerate(soft.system.coordinates) if name.endswith(".phi")]
figure, axes = plt.subplots(2, 1, figsize=(7.0, 5.4), layout="constrained")
for k, place in enumerate(angles):
    axes[0].plot(soft.t, soft.q[:, place], color=plt.cm.viridis(k / 10), label=f"{k + 1}")
axes[0].axhline(-np.pi / 2, color="k", linewidth=0.6, linestyle=":")
axes[0].legend(title="block", fontsize="x-small", ncols=2)
axes[0].set(xlabel="t / s", ylabel="φ / rad")
soft.draw(1.4, ax=axes[1], forces=False, title="1.4 s")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("Ebrahimi (2007), section 5.6")
energy = 0.5 * 4.0 * (1.0**2 + 0.3**2) / 3.0 * 4.0**2
barrier = 4.0 * 9.81 * 0.5 * (np.hypot(1.0, 0.3) - 1.0)
claims.holds("the first topples: energy over barrier", True, bool(energy > barrier))
impacts = sol.events.of_kind("impact")
first = [impacts.at_contact(*(f"hit{k}[{i}]" for i in range(4))).t[0] for k in range(1, 10)]
claims.holds("each hits the next", True, bool(np.all(np.diff(first) > 0.0)))
claims.holds("block 10 in the end", -np.pi / 2, sol.q[-1, 29], unit="rad", atol=1e-6)
spread = np.ptp(sol.q[:, 2:26:3], axis=1)
later = sol.t > first[-1]
claims.holds(
    "once all lean by nearly the same angle (1 to 8)", 0.0, spread[later].min(), unit="rad",
    atol=0.1,
)  # fmt: skip
gain = np.diff(sol.energy.total).max() / sol.energy.total[0]
claims.holds("energy that was gained", 0.0, max(gain, 0.0), atol=1e-10, source="mechanics")
names = [f"hit{k}_2" for k in range(1, 10)]
touched = [soft.events.of_kind("impact").at_contact(name).t[0] for name in names]
claims.holds("elastic: each hits the next", True, bool(np.all(np.diff(touched) > 0.0)))
claims.holds("elastic: block 10 in the end", -np.pi / 2, soft.q[-1, angles[9]], unit="rad",
             atol=0.01)  # fmt: skip
spread = np.ptp(soft.q[soft.t > touched[-1]][:, angles], axis=1).min()
claims.holds("elastic: once all ten lean by nearly the same angle", 0.0, spread, unit="rad",
             atol=0.1)  # fmt: skip
gain = np.diff(soft.energy.total).max() / soft.energy.total[0]
claims.holds("elastic: energy that was gained", 0.0, max(gain, 0.0), atol=1e-9, source="mechanics")
rest = nsmb.simulate(blocks.with_parameters(elastic=True, n=1, omega=0.0, mu=0.0, beta=0.05), 3.0)
claims.holds("elastic: a block at rest is lower by", 4.0 * 9.81 / (2.0 * 2500.0 * 0.3),
             -rest.q[-1, 5], unit="m", atol=1e-10, source="statics")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.toppling_blocks`. Theory: :doc:`/theory/contact_laws`. Test:
# :source:`tests/systems/test_toppling_blocks.py`,
# :source:`tests/systems/test_toppling_elastic.py`.
