r"""
Two stacked masses, lifted
==========================

Two masses lie on each other, and two forces lift them. The question is which of the two contacts
open. Each gap obeys :math:`\ddot g_N \ge 0,\ \lambda_N \ge 0,\ \ddot g_N \lambda_N = 0`. Together
the laws form the linear complementarity problem (6.45)

.. math::

   \begin{pmatrix} \ddot g_{N1} \\ \ddot g_{N2} \end{pmatrix} = \frac1m
   \begin{pmatrix} 1 & -1 \\ -1 & 2 \end{pmatrix}
   \begin{pmatrix} \lambda_{N1} \\ \lambda_{N2} \end{pmatrix} +
   \frac1m \begin{pmatrix} F_1 - m g \\ F_2 - F_1 \end{pmatrix} .

Its solution divides the plane of the forces into four regions (6.54). Treating each contact
separately would be wrong. In the example the upper contact stays closed, although the lower mass is
pulled away from the ground more strongly than the upper one.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

stack = nsmb.systems.stacked_masses_vertical()
stack.parameter_table

# %%
# Motion
# ------
# With the printed forces both masses leave the ground together.

sol = nsmb.simulate(stack, t_end=0.6)
figure, axes = plt.subplots(1, 3, figsize=(9.0, 2.6), layout="constrained")
for ax, t in zip(axes, (0.0, 0.3, 0.6), strict=True):
    sol.draw(t, ax=ax, title=f"t = {t:g} s")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%
# The regions. Each point of the plane is one solution of the contact law.

forces = np.linspace(-10.0, 30.0, 41)
state = np.empty((forces.size, forces.size), dtype=int)
for i, F_2 in enumerate(forces):
    for j, F_1 in enumerate(forces):
        system = nsmb.systems.stacked_masses_vertical(F_1=F_1, F_2=F_2)
        start = system.initial_state
        closed = nsmb.instant.accelerations(system, start.t, start.q, start.u).lambda_N > 0.0
        state[i, j] = closed[0] + 2 * closed[1]

# sphinx_gallery_thumbnail_number = 2
figure, ax = plt.subplots(figsize=(5.2, 4.0), layout="constrained")
colors = ListedColormap(["#F3C9BC", "#BCD7EC", "#CBE4C6", "#F6DDB5"])
mesh = ax.pcolormesh(forces, forces, state, cmap=colors, norm=BoundaryNorm(np.arange(-0.5, 4), 4))
bar = figure.colorbar(mesh, ax=ax, ticks=range(4))
bar.ax.set_yticklabels(["both open", "ground closed", "masses closed", "both closed"])
ax.plot(12.0, 11.0, "ko")
ax.annotate("printed", (12.0, 11.0), (14.0, 5.0))
ax.set(xlabel="F_1 / N", ylabel="F_2 / N")

# %%
# Comparison with the source
# --------------------------

claims = Claims("(6.54)")
decided = nsmb.instant.accelerations(stack, 0.0, [0.0, 0.0], [0.0, 0.0])
claims.holds(
    "gap accelerations with F = (12, 11) N",
    [1.5, 0.0],
    decided.gammadot_N,
    unit="m/s²",
    atol=1e-14,
    source="(6.48)",
)
claims.holds("contact forces", [0.0, 0.5], decided.lambda_N, unit="N", atol=1e-14, source="(6.48)")
for F, y_ddot, lambda_N in (
    ((13.0, 18.0), (3.0, 8.0), (0.0, 0.0)),
    ((4.0, 3.0), (0.0, 0.0), (13.0, 7.0)),
    ((30.0, -6.0), (2.0, 2.0), (0.0, 18.0)),
    ((6.0, 14.0), (0.0, 4.0), (4.0, 0.0)),
):
    run = nsmb.simulate(nsmb.systems.stacked_masses_vertical(F_1=F[0], F_2=F[1]), t_end=2.0)
    claims.holds(
        f"positions after 2 s with F = {F} N",
        2.0 * np.array(y_ddot),
        run.q[-1],
        unit="m",
        atol=1e-12,
    )
    claims.holds(f"forces with F = {F} N", lambda_N, run.lambda_N[-1], unit="N", atol=1e-12)
claims

# %%
# Reference: :func:`nsmb.systems.stacked_masses_vertical`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_stacked_masses.py`.
