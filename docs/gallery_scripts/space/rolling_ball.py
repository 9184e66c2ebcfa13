r"""
Ball on a turning table
=======================

A ball that rolls without slip on a rotating table does not fly off but moves on a circle in the
inertial frame. The friction force :math:`F` accelerates the ball and changes its spin, and with
:math:`k = I/(m r^2)`

.. math::

   \left(1 + \frac{1}{k}\right) \dot v = \Omega\, e_z \times v ,

so that its velocity rotates with :math:`\Omega k/(1 + k)`, two sevenths of the table's speed for a
solid ball, for any position and speed.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import rolling_ball
from nsmb.testing import Claims

# %%
# Data
# ----

ball = nsmb.systems.rolling_ball()
ball.parameter_table

# %%
# Motion
# ------
# One revolution on the circle, during which the table makes three and a half revolutions.

center, radius, rate = rolling_ball.circle()
sol = nsmb.simulate(ball, t_end=2.0 * np.pi / rate, rtol=1e-10)

figure, ax = plt.subplots(figsize=(4.4, 4.4), layout="constrained")
angle = np.linspace(0.0, 2.0 * np.pi, 200)
ax.plot(center + radius * np.cos(angle), radius * np.sin(angle), "k--", linewidth=0.8)
ax.plot(sol.q[:, 0], sol.q[:, 1])
ax.plot(0.0, 0.0, "k+")
ax.set(xlabel="x / m", ylabel="y / m", aspect="equal")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
end = sol.q[-1]
claims.holds("position after one revolution, x", 0.3, end[0], unit="m", atol=1e-8)
claims.holds("position after one revolution, y", 0.0, end[1], unit="m", atol=1e-8)
off = np.abs(np.hypot(sol.q[:, 0] - center, sol.q[:, 1]) - radius).max()
claims.holds("largest distance from the circle", 0.0, off, unit="m", atol=1e-8)
claims.holds("turning speed over that of the table", 2.0 / 7.0, rate / 5.0, rtol=1e-14)
claims

# %%
# Reference: :func:`nsmb.systems.rolling_ball`, :func:`nsmb.systems.rolling_ball.circle`. Test:
# :source:`tests/systems/test_rolling.py`.
