r"""
Mass on a moving belt
=====================

A mass on a spring is carried along by a belt, breaks away, slips back and sticks again. The
oscillation persists because slip friction is lower than static friction,

.. math::

   \mu(\dot g_T) = \mu_d + (\mu_s - \mu_d)\, e^{-|\dot g_T|/v_s} .

For :math:`v_s \to 0` the limit cycle has a closed form. In the plane of :math:`x` and :math:`\dot
x/\omega` it is a straight line during stick and an arc of a circle about :math:`\mu_d m g/c` during
slip. Steady sliding is stable for belts faster than :math:`v_s \ln\frac{(\mu_s - \mu_d) m g}{d\,
v_s}`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import belt_oscillator
from nsmb.testing import Claims

# %%
# Data
# ----

mass = nsmb.systems.belt_oscillator()
mass.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(mass, t_end=4.0)
sol.plot(coordinates=["x"])

# %%

sol.animate(speed=0.5, fps=12.5, t_span=(0.0, 1.6), dpi=50)

# %%
# Phase portraits for decreasing :math:`v_s`, and the closed form of the limit.

# sphinx_gallery_thumbnail_number = 3
cycle = belt_oscillator.cycle()
figure, ax = plt.subplots(figsize=(5.4, 4.0), layout="constrained")
for v_s in (5e-2, 1e-2, 4e-4):
    run = nsmb.simulate(nsmb.systems.belt_oscillator(v_s=v_s), t_end=4.0, rtol=1e-10)
    late = run.t > 2.5
    ax.plot(run.q[late, 0], run.u[late, 0], label=f"v_s = {v_s:g} m/s")
radius = cycle.x_max - cycle.centre
half = np.arctan2(0.02, cycle.x_slip - cycle.centre)
arc = np.linspace(half, -np.pi - half, 200)
ax.plot(cycle.centre + radius * np.cos(arc), 10.0 * radius * np.sin(arc), "k:", label="closed form")
ax.set(xlabel="x / m", ylabel="ẋ / m/s")
ax.legend()

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
run = nsmb.simulate(nsmb.systems.belt_oscillator(v_s=4e-6), t_end=4.0, rtol=1e-10)
slips, sticks = run.events.of_kind("slip"), run.events.of_kind("stick")
stick = sticks[sticks.t < slips.t[-1]][-1]
slip = slips[slips.t < stick.t][-1]
claims.holds("slip starts at μ_s m g/c", cycle.x_slip, slip.q[0], unit="m", rtol=1e-8)
claims.holds("sticking starts again at", cycle.x_stick, stick.q[0], unit="m", rtol=2e-3)
claims.holds("slip lasts", cycle.slip_time, stick.t - slip.t, unit="s", rtol=2e-3)
claims.holds("sticking lasts", cycle.stick_time, slips.t[-1] - stick.t, unit="s", rtol=2e-3)
inside = (run.t > slip.t) & (run.t < stick.t)
claims.holds("largest deflection", cycle.x_max, run.q[inside, 0].max(), unit="m", rtol=2e-3)
border = belt_oscillator.sliding(d=0.5).v_stable
for factor, grows in ((0.9, True), (1.1, False)):
    data = {"d": 0.5, "v_B": factor * border}
    sliding = belt_oscillator.sliding(**data)
    T = 2 * np.pi / abs(sliding.eigenvalues[0].imag)
    swing = nsmb.simulate(
        nsmb.systems.belt_oscillator(**data), t_end=10 * T, q=[sliding.x + 1e-5, 0.0],
        u=[0.0, 0.0], rtol=1e-11,
    )  # fmt: skip
    claims.holds(
        f"small swings about steady sliding grow at {factor} of the border ({border:.3f} m/s)",
        grows,
        bool(swing.q[-1, 0] - sliding.x > 1e-5),
    )
claims

# %%
# Reference: :func:`nsmb.systems.belt_oscillator`, :class:`nsmb.Stribeck`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_belt_oscillator.py`.
