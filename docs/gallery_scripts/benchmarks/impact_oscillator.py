r"""
Impact oscillator
=================

A linear oscillator with a rigid stop, driven harmonically,

.. math::

   \ddot x + 2 \zeta \dot x + x = F \cos\omega t, \qquad g_N = \sigma - x \ge 0,

is the simplest system with grazing: where the motion just touches the stop, its derivative with
respect to the initial state is singular. Orbits with one impact in :math:`n` periods have a closed
form. So do the force amplitudes at which they appear (fold) and lose their stability (flip).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import impact_oscillator
from nsmb.testing import Claims

# %%
# Data
# ----

oscillator = nsmb.systems.impact_oscillator()
oscillator.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(oscillator, t_end=60.0)
sol.plot()

# %%
# The same motion in the phase plane. The jumps are the impacts.

sol.plot_phase("x", t_span=(30.0, 60.0), events=False)

# %%
# Impact velocities over the force amplitude, starting at the grazing of the motion without impact.

# sphinx_gallery_thumbnail_number = 3
borders = impact_oscillator.borders()
forces = np.linspace(0.38, 0.62, 81)
figure, ax = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
for F in forces:
    run = nsmb.simulate(oscillator.with_parameters(F=F), t_end=900.0, output_step=0)
    impacts = run.events.of_kind("impact")
    late = impacts.u_minus[impacts.t > 600.0, 0]
    ax.plot(np.full(late.size, F), late, "k.", markersize=1)
orbits = [impact_oscillator.orbits(F=F)[0].velocity for F in forces[forces > borders.flip]]
ax.plot(forces[forces > borders.flip], orbits, label="closed form")
ax.axvline(borders.flip, linestyle="--", linewidth=0.8, label="its flip")
ax.set(xlabel="F", ylabel="ẋ before an impact")
ax.legend()

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
for n, data in (
    (1, {"omega": 0.8, "F": 0.6}),
    (1, {"omega": 1.5, "F": 0.7}),
    (2, {"omega": 2.8, "F": 1.4}),
    (1, {"omega": 2.5, "F": 2.0, "zeta": 1.0, "sigma": 0.2, "e": 0.3}),
):
    system = nsmb.systems.impact_oscillator(**data)
    p = system.parameters
    orbit = next(o for o in impact_oscillator.orbits(n, **data) if o.admissible)
    run = nsmb.simulate(
        system, t_end=orbit.t + 1.5 * orbit.period, t_start=orbit.t, q=[p["sigma"]],
        u=[-p["e"] * orbit.velocity], output_step=0,
    )  # fmt: skip
    claims.holds(
        f"started on an orbit of {n} period{'s' * (n > 1)}, {data}, it comes back after",
        orbit.period,
        run.events[0].t - orbit.t,
        atol=1e-9,
    )
grazing = np.hypot(1 - 0.64, 0.08)
claims.holds("amplitude of the force at grazing", grazing, borders.grazing, rtol=1e-14)
for factor, repeats in ((1.01, True), (0.99, False)):
    F = factor * borders.flip
    orbit = impact_oscillator.orbits(F=F)[0]
    run = nsmb.simulate(
        oscillator.with_parameters(F=F), t_end=4000.0, t_start=orbit.t, q=[1.0],
        u=[-0.8 * 1.01 * orbit.velocity], output_step=0,
    )  # fmt: skip
    late = run.events.of_kind("impact").u_minus[-8:, 0]
    claims.holds(
        f"orbit of one impact attracts at {factor} of the flip", repeats, bool(np.ptp(late) < 1e-5)
    )
claims

# %%
# Reference: :func:`nsmb.systems.impact_oscillator`,
# :func:`nsmb.systems.impact_oscillator.borders`. Theory:
# :doc:`/theory/analysis`. Test: :source:`tests/systems/test_impact_oscillator.py`.
