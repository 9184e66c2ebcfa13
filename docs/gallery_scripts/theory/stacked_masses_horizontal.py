r"""
Two stacked masses, pushed
==========================

Two masses lie on each other on a rough floor, and two forces push them sideways. Each contact may
stick, slip to the left or slip to the right. Coulomb's law selects one of these nine cases for
every pair of forces. At the start of the motion both contacts are at rest. The law is then
formulated with accelerations,

.. math::

   |\lambda_{Ti}| \le \mu \lambda_{Ni}, \qquad
   \lambda_{Ti} = -\mu \lambda_{Ni} \operatorname{sign} \ddot g_{Ti}
   \;\text{ for } \ddot g_{Ti} \ne 0 ,
   \tag{6.59}

and is solved as a linear complementarity problem for both contacts together.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

stack = nsmb.systems.stacked_masses_horizontal()
stack.parameter_table

# %%
# Motion
# ------
# With the printed forces the lower mass slips and carries the upper one.

sol = nsmb.simulate(stack, t_end=0.4)
figure, axes = plt.subplots(1, 3, figsize=(9.0, 2.6), layout="constrained")
for ax, t in zip(axes, (0.0, 0.2, 0.4), strict=True):
    sol.draw(t, ax=ax, title=f"t = {t:g} s")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%
# Map of the forces (Fig. 6.9): slip accelerations of both contacts.

forces = np.linspace(-40.0, 40.0, 41)
slip = np.empty((forces.size, forces.size, 2))
for i, F_2 in enumerate(forces):
    for j, F_1 in enumerate(forces):
        system = nsmb.systems.stacked_masses_horizontal(F_1=F_1, F_2=F_2)
        start = system.initial_state
        slip[i, j] = nsmb.instant.accelerations(system, start.t, start.q, start.u).gammadot_T

# sphinx_gallery_thumbnail_number = 2
regions = np.sign(np.where(np.abs(slip) < 1e-9, 0.0, slip)) @ [1, 3]
figure, ax = plt.subplots(figsize=(5.4, 4.2), layout="constrained")
mesh = ax.pcolormesh(forces, forces, regions, cmap="Pastel1")
ax.contour(forces, forces, regions, levels=np.arange(-4.5, 5.0), colors="0.4", linewidths=0.6)
for (F_1, F_2), words in (
    ((0, 0), "both\nstick"),
    ((30, 15), "ground slips,\nmasses stick"),
    ((-30, -15), "ground slips,\nmasses stick"),
    ((-10, 27), "masses slip"),
    ((10, -27), "masses slip"),
):
    ax.annotate(words, (F_1, F_2), ha="center", va="center", fontsize=8)
ax.set(xlabel="F_1 / N", ylabel="F_2 / N", title="same colour: same contact states")

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 6.9")
start = stack.initial_state
decided = nsmb.instant.accelerations(stack, start.t, start.q, start.u)
claims.holds(
    "friction forces with F = (20, 10) N",
    [-20.0, -5.0],
    decided.lambda_T,
    unit="N",
    rtol=1e-13,
    source="(6.64)",
)
claims.holds(
    "slip accelerations", [5.0, 0.0], decided.gammadot_T, unit="m/s²", atol=1e-13, source="(6.64)"
)
for F, x_ddot in (
    ((5, 5), (0, 0)),
    ((-20, -10), (-5, -5)),
    ((-5, 17), (0, 7)),
    ((5, -17), (0, -7)),
    ((12, 18), (2, 8)),
    ((35, -14), (5, -4)),
    ((-35, 14), (-5, 4)),
    ((-12, -18), (-2, -8)),
):
    run = nsmb.simulate(nsmb.systems.stacked_masses_horizontal(F_1=F[0], F_2=F[1]), t_end=2.0)
    claims.holds(
        f"accelerations with F = {F} N",
        [float(a) for a in x_ddot],
        run.q[-1, [0, 2]] / 2.0,
        unit="m/s²",
        atol=1e-12,
    )
claims.holds("there are nine regions", 9, len(np.unique(regions)))
claims

# %%
# Reference: :func:`nsmb.systems.stacked_masses_horizontal`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_stacked_masses.py`.
