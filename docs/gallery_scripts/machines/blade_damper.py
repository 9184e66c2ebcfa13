r"""
Turbine blade damper
====================

A bent piece of sheet metal lies under the platforms of two neighbouring turbine blades. Centrifugal
force presses it on two oblique faces. When the blades vibrate it slides, and friction dissipates
energy. The model has seven coordinates (13.1), and on each side a parabola against a line
(:doc:`/gallery/theory/parabola_on_line`). Without friction the damper rests upright while

.. math::

   p_1 p_2 < \tfrac12 \left(1 + \tfrac32 a^2 + a^4\right), \qquad a = \cot\gamma ,

and leans to one side beyond this limit, after a pitchfork bifurcation (Fig. 13.2).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import blade_damper_blocked
from nsmb.testing import Claims

# %%
# Data
# ----

damper = nsmb.systems.blade_damper()
damper.parameter_table

# %%
# Motion
# ------
# Blades and damper, started from the static equilibrium. Both contacts alternately stick and slide.

sol = nsmb.simulate(damper, t_end=0.3)
figure = plt.figure(figsize=(10.0, 5.0), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.4))
sol.draw(0.2, ax=left.subplots())
sol.plot(coordinates=["q_2", "q_4", "q_7"], t_span=(0.2, 0.3), figure=right)

# %%
# The two equilibria over the curvature of the parabola, found by switching friction off.

a = 1.0 / np.tan(damper.parameters["gamma"])
p_2 = damper.parameters["p_2"]
critical = (1 + 1.5 * a**2 + a**4) / (2 * p_2)
ratios = np.linspace(0.7, 1.5, 17)
angles = []
for ratio in ratios:
    quiet = damper.with_parameters(A=0.0, p_1=ratio * critical)
    q = quiet.initial_state.q.copy()
    q[4] = 0.0 if ratio < 1.0 else 0.3
    start = nsmb.State(0.0, q, np.zeros(7))
    angles.append(abs(analysis.static_start(quiet, ["left", "right"], start=start).q[4]))

# sphinx_gallery_thumbnail_number = 2
figure, ax = plt.subplots(figsize=(6.0, 3.0), layout="constrained")
ax.plot(ratios, angles, "k.-")
ax.plot(ratios, -np.array(angles), "k.-")
ax.axvline(1.0, linestyle="--", linewidth=0.8)
ax.set(xlabel="p_1 over its critical value", ylabel="inclination at rest / rad")

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 13.1")
quiet = damper.with_parameters(A=0.0)
rest = analysis.static_start(quiet, ["left", "right"])
load = quiet.parameters["F_z"] * np.sqrt(1 + a**2) / 2
claims.holds(
    "contact forces of the static start", load, rest.lambda_N, unit="N", rtol=1e-10,
    source="(13.7)",
)  # fmt: skip
angles = np.array(angles)
claims.holds("upright below the critical curvature", 0.0, angles[ratios < 0.99], atol=1e-6)
claims.holds("leaning beyond", True, bool((angles[ratios > 1.01] > 0.05).all()))
threshold = blade_damper_blocked.response(quiet).threshold
for factor, slips in ((0.99, False), (1.01, True)):
    driven = damper.with_parameters(A=factor * threshold)
    begin = blade_damper_blocked.response(driven).state(factor * threshold)
    run = nsmb.simulate(driven, t_end=4 * driven.period, start=begin, output_step=0)
    claims.holds(
        f"stiction ends at the gas force of the blocked model, {threshold:.4f} N: slip at {factor}",
        slips, bool(len(run.events.of_kind("slip"))), source="section 13.1.2",
    )  # fmt: skip
energy = sol.energy
claims.holds(
    "energy balance of the run: residual of what is turned over", 0.0, energy.relative, atol=1e-5,
    source="balance",
)  # fmt: skip
claims

# %%
# All claims of the book, with amplitudes and optima: :doc:`/systems/blade_damper`. Reference:
# :func:`nsmb.systems.blade_damper`. Test: :source:`tests/systems/test_blade_damper.py`.
