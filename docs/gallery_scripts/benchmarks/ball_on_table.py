r"""
Ball on a vibrating table
=========================

A ball bounces on a table that moves vertically as :math:`A \sin\omega t`. Jumps of equal height,
one in :math:`n` periods, have a closed form: the table must restore the velocity lost in the
impact, :math:`A \omega \cos\varphi = \tfrac{g T}{2} \tfrac{1 - e}{1 + e}`. They are stable while
:math:`\Gamma = A\omega^2/g` is between

.. math::

   \Gamma_n = \pi n \frac{1 - e}{1 + e} \quad\text{and}\quad
   \sqrt{\Gamma_n^2 + \left(\frac{2 (1 + e^2)}{(1 + e)^2}\right)^2} ,

where a stable and an unstable orbit appear (lower bound) and where the period doubles (upper
bound). A cascade to chaos follows. Rest on the table is a second attractor while :math:`\Gamma <
1`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import ball_on_table
from nsmb.testing import Claims

# %%
# Data
# ----

ball = nsmb.systems.ball_on_table()
ball.parameter_table

# %%
# Motion
# ------
# Dropped from twice the jump height, the ball settles into jumps of one period.

sol = nsmb.simulate(ball, t_end=2.0)
sol.plot(t_span=(0.0, 1.0))

# %%

sol.animate(speed=0.06, fps=12.5, t_span=(0.0, 0.24), dpi=50)

# %%
# Velocities after the impacts over :math:`\Gamma`: the period-doubling cascade. Dashed lines are
# the stability boundaries of the closed form.

# sphinx_gallery_thumbnail_number = 3
borders = ball_on_table.borders()
gammas = np.linspace(borders.fold * 1.02, 1.32, 100)
figure, ax = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
for gamma in gammas:
    system = ball.with_parameters(A=gamma * 9.81 / 80.0**2)
    orbit = ball_on_table.orbits(A=gamma * 9.81 / 80.0**2)[0]
    run = nsmb.simulate(
        system, t_end=orbit.t + 16.0, t_start=orbit.t, q=[0.0], u=[1.01 * orbit.velocity],
        output_step=0,
    )  # fmt: skip
    late = run.events.of_kind("impact").u_plus[-60:, 0]
    ax.plot(np.full(late.size, gamma), late, "k.", markersize=1)
for border in (borders.fold, borders.flip):
    ax.axvline(border, linestyle="--", linewidth=0.8)
ax.set(xlabel="Γ", ylabel="ṡ after the impact / m/s")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
orbit = ball_on_table.orbits()[0]
last = nsmb.simulate(ball, t_end=30.0, output_step=0).events[-1]
claims.holds(
    "velocity after an impact of the orbit", orbit.velocity, last.u_plus[0], unit="m/s", rtol=1e-8
)
phase = (last.t - orbit.t + 0.5 * orbit.period) % orbit.period - 0.5 * orbit.period
claims.holds("its phase", 0.0, phase, unit="s", atol=1e-9)
section = analysis.on_event("impact", "table")
found = analysis.periodic_orbit(ball, section=section)
claims.holds(
    "multipliers of the orbit, by shooting: their product is e²",
    0.64,
    abs(found.multipliers[np.abs(found.multipliers) < 0.99].prod()),
    rtol=1e-6,
)
for factor, period in ((0.99, 1), (1.01, 2)):
    A = factor * borders.flip * 9.81 / 80.0**2
    start = ball_on_table.orbits(A=A)[0]
    run = nsmb.simulate(
        ball.with_parameters(A=A), t_end=120.0, t_start=start.t, q=[0.0],
        u=[1.005 * start.velocity], output_step=0,
    )  # fmt: skip
    late = run.events.of_kind("impact").u_plus[-8:, 0]
    repeats = 1 if np.ptp(late) < 1e-6 else 2 if np.ptp(late[::2]) < 1e-6 else 0
    claims.holds(f"period at {factor} of the doubling", period, repeats)
claims

# %%
# Reference: :func:`nsmb.systems.ball_on_table`, :func:`nsmb.systems.ball_on_table.orbits`. Theory:
# :doc:`/theory/analysis`. Test: :source:`tests/systems/test_ball_on_table.py`.
