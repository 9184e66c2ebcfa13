r"""
Bouncing ball
=============

A ball falls on the floor and bounces lower each time. The flight times form a geometric series, so
that the ball comes to rest after infinitely many impacts at the finite time

.. math::

   t_\infty = \sqrt{\frac{2 H}{g}}\; \frac{1 + \varepsilon_N}{1 - \varepsilon_N} .

An event-driven method must step past that instant. The accumulation ends when the velocity after an
impact is below the threshold ``rest_velocity``; the discarded energy is recorded.
"""

import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

ball = nsmb.systems.bouncing_ball()
ball.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(ball, t_end=3.0)
sol.plot()

# %%

sol.animate(speed=1.0, fps=12.5, dpi=50)

# %%
# The impacts accumulate: velocities after the impacts over the time that remains until rest.

t_rest = np.sqrt(2.0 / 9.81) * (1 + 0.7) / (1 - 0.7)
impacts = sol.events.of_kind("impact")
print(len(impacts), "impacts; from the last of them to rest", t_rest - impacts.t[-1], "s")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
k = np.arange(20)
first = np.sqrt(2.0 / 9.81)
times = first * (1 + 2 * np.cumsum(0.7**k) - 2)
claims.holds("times of the first 20 impacts", times, impacts.t[:20], unit="s", atol=1e-12)
claims.holds(
    "velocities after the impacts",
    0.7 ** (k + 1) * np.sqrt(2 * 9.81),
    impacts.u_plus[:20, 0],
    unit="m/s",
    rtol=1e-9,
)
claims.holds("it comes to rest at", t_rest, impacts.t[-1], unit="s", atol=1e-9)
claims.holds("and stays", 0.0, sol.q[-1, 0], unit="m", atol=1e-12)
claims.holds("carried by its weight", 9.81, sol.lambda_N[-1, 0], unit="N", rtol=1e-12)
lost = sol.stats["impact_loss"] + sol.stats["rest_loss"]
claims.holds("all energy is accounted for", 9.81, lost, unit="J", rtol=1e-12)
claims

# %%
# Reference: :func:`nsmb.systems.bouncing_ball`, :class:`nsmb.EventDriven`. Theory:
# :doc:`/theory/simulation`. Test:
# :source:`tests/simulation/test_accumulation.py`.
