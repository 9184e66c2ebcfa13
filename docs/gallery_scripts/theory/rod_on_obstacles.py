r"""
Rod falling on two obstacles
============================

A level rod falls on two obstacles at once, obstacle 2 at its end and obstacle 1 anywhere. Each
obstacle alone would impose :math:`\dot g_{NE} = -\varepsilon_N \dot g_{NA}`. The rod couples both
obstacles. With obstacle 1 on the same side of the mass centre as obstacle 2, the latter would have
to pull. The complementarity

.. math::

   \Lambda_N \ge 0, \qquad \dot g_{NE} + \varepsilon_N \dot g_{NA} \ge 0, \qquad
   \Lambda_{N,i} \left(\dot g_{NE} + \varepsilon_N \dot g_{NA}\right)_i = 0

releases obstacle 2 instead, and the rod rotates about obstacle 1 (sections 7.5 and 8.11, Fig. 8.7).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

rod = nsmb.systems.rod_on_obstacles()
rod.parameter_table

# %%
# Motion
# ------
# With obstacle 1 to the left of the mass centre the rod stops. With obstacle 1 to the right it
# rotates.

figure, axes = plt.subplots(2, 3, figsize=(10.0, 4.2), layout="constrained")
for row, a in zip(axes, (-0.5, 0.5), strict=True):
    sol = nsmb.simulate(rod.with_parameters(a=a), t_end=0.6)
    for ax, t in zip(row, (0.0, 0.1, 0.6), strict=True):
        sol.draw(t, ax=ax, title=f"a = {a:g} m, t = {t:g} s")
for ax in axes.flat:
    ax.get_legend().remove()

# %%
# Impulses and post-impact velocities over the position of obstacle 1 (Fig. 8.7).

places = np.linspace(-1.0, 0.95, 40)
Lambda, after = [], []
for a in places:
    system = nsmb.systems.rod_on_obstacles(a=a)
    impact = nsmb.simulate(system, t_end=0.11).events[0]
    Lambda.append(impact.Lambda_N)
    after.append(system.contact_quantities(impact.t, impact.q, impact.u_plus)["gamma_N"])

# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.0), layout="constrained")
axes[0].plot(places, Lambda, label=["obstacle 1", "obstacle 2"])
axes[0].set(xlabel="a / m", ylabel="impulse / N s")
axes[1].plot(places, after)
axes[1].set(xlabel="a / m", ylabel="gap velocity after the impact / m/s")
axes[0].legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("(7.38), (8.99), (8.100)")
Lambda, after = np.array(Lambda), np.array(after)
left, right = places < -1e-9, places > 1e-9
a = places[left]
claims.holds(
    "a < 0: both impulses",
    np.column_stack([1 / (1 - a), 1 / (1 - 1 / a)]),
    Lambda[left],
    unit="N s",
    atol=1e-12,
)
claims.holds("and the rod stops", 0.0, after[left], unit="m/s", atol=1e-12)
a = places[right]
claims.holds(
    "a > 0: obstacle 1 takes it alone",
    np.column_stack([1 / (1 + 3 * a**2), 0 * a]),
    Lambda[right],
    unit="N s",
    atol=1e-12,
)
claims.holds(
    "and the end leaves obstacle 2",
    3 * a * (1 - a) / (1 + 3 * a**2),
    after[right, 1],
    unit="m/s",
    atol=1e-12,
)
both = nsmb.simulate(nsmb.systems.rod_on_obstacles(a=1.0), t_end=0.15).events[0].Lambda_N
claims.holds("a = b: only the sum is determined", 0.25, both.sum(), unit="N s", rtol=1e-12)
claims

# %%
# Reference: :func:`nsmb.systems.rod_on_obstacles`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_rods.py`.
