r"""
Parabola against a line
=======================

A damper under the platform of a turbine blade has a parabolic contour, and centrifugal force
presses it on a straight line. The contact point is where both contours have parallel tangents
(4.48). The gap, the contact directions and their rates follow from it (4.49)-(4.55). Here the gap
is

.. math::

   g_N = \frac{b - y + a (x - z) - (p_1\sigma^2 + p_2)(a \sin\varphi + \cos\varphi)}
              {\sqrt{1 + a^2}}, \qquad
   \sigma = -\frac{1}{2 p_1}\,
            \frac{a \cos\varphi - \sin\varphi}{a \sin\varphi + \cos\varphi} .
   \tag{4.49}

:doc:`parabola_on_line_bodies` builds the same system from two bodies and their contours, without
formulas.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize_scalar

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

damper = nsmb.systems.parabola_on_line()
damper.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(damper, t_end=0.4, rtol=1e-11)
figure, axes = plt.subplots(1, 3, figsize=(10.0, 3.0), layout="constrained")
for ax, t in zip(axes, (0.0, float(sol.events.t[0]), 0.4), strict=True):
    sol.draw(t, ax=ax, title=f"t = {t:.3f} s")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%

sol.plot()

# %%
# Comparison with the source
# --------------------------
# The printed (4.55) has one sign that contradicts (4.46). The latter is right.

claims = Claims("(4.48)-(4.55)")
state = damper.initial_state
k = damper.contact_kinematics(state.t, state.q, state.u)


def distance(sigma):
    z, phi, x, y = state.q
    height = 0.8 - 1.3 * sigma**2
    X = x + sigma * np.cos(phi) - height * np.sin(phi)
    Y = y + sigma * np.sin(phi) + height * np.cos(phi)
    return (0.7 * (X - z) + 0.5 - Y) / np.hypot(1.0, 0.7)


nearest = minimize_scalar(distance, bracket=(-0.3, 0.0), tol=1e-10).fun
claims.holds(
    "the gap is the least distance", nearest, k["g_N"][0], unit="m", atol=1e-13, source="search"
)
h = 1e-5
for name, key in (("normal", "N"), ("tangential", "T")):
    ends = []
    for s in (h, -h):
        moved = damper.contact_kinematics(0.0, state.q + s * state.u, state.u)
        ends.append(moved[f"W_{key}"].T @ state.u)
    claims.holds(
        f"rate of the {name} velocity at constant u",
        (ends[0] - ends[1]) / (2 * h),
        k[f"w_bar_{key}"],
        unit="m/s²",
        atol=1e-8,
        source="differences",
    )
claims.holds("w̄_T", [-0.1225451069], k["w_bar_T"], unit="m/s²", atol=6e-11, source="(4.55), plus")
lost = sol.events.energy_loss.sum() + sol.friction_loss[-1].sum()
energy = [
    damper.kinetic_energy(t, q, u) + damper.potential_energy(t, q)
    for t, q, u in ((sol.t[i], sol.q[i], sol.u[i]) for i in (0, -1))
]
claims.holds(
    "energy goes into impacts and friction",
    energy[0] - energy[1],
    lost,
    unit="J",
    atol=1e-8,
    source="balance",
)
claims

# %%
# Reference: :func:`nsmb.systems.parabola_on_line`. Theory: :doc:`/theory/geometry`. Test:
# :source:`tests/systems/test_parabola_on_line.py`. A machine with such dampers:
# :doc:`/systems/blade_damper`.
