r"""
Toppling blocks
===============

Ten blocks stand in a row. The first turns about its right lower corner, fast enough to topple,

.. math::

   \tfrac{1}{2} I \omega^2 > M g \left( \tfrac{1}{2} \sqrt{H^2 + L^2} - \tfrac{1}{2} H \right) ,

hits the second, and so on. In the source the blocks are elastic; rigid ones lose what impacts take,
and all of their collisions, hundreds of them at the end of each fall, are located one by one.
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
# Their angles: one after the other they are hit, until the last one lies flat.

figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
for k in range(10):
    ax.plot(sol.t, sol.q[:, 3 * k + 2], color=plt.cm.viridis(k / 10), label=f"{k + 1}")
ax.axhline(-np.pi / 2, color="k", linewidth=0.6, linestyle=":")
ax.legend(title="block", fontsize="x-small", ncols=2)
ax.set(xlabel="t / s", ylabel="φ / rad")

# %%
# What is known
# -------------

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
claims

# %%
# Reference: :func:`nsmb.systems.toppling_blocks`. Theory: :doc:`/theory/contact_laws`. Test:
# :source:`tests/systems/test_toppling_blocks.py`.
