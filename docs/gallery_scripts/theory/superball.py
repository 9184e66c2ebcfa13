r"""
Superball under a table
=======================

A ball is thrown under a table. A plain ball loses its slip in the first impact and stays under the
table, where it rolls back and forth. A superball stores the tangential deformation and gives it
back. Every impact reverses its spin. After one impact at the floor and one at the table it returns
to where it was thrown from.

All impacts follow Poisson's impact law with friction. In compression, friction limits the
tangential impulse. In expansion a part :math:`\nu \varepsilon_T` of it is given back,

.. math::

   |\Lambda_{TC}| \le \mu \Lambda_{NC}, \qquad
   \Lambda_{NE} = \varepsilon_N \Lambda_{NC}, \qquad
   \Lambda_{T E} = \nu\, \varepsilon_T\, \Lambda_{TC}
   \tag{8.37}

as long as no friction limit is reached, with :math:`\nu = \varepsilon_T = 1` for the superball
(8.102), (8.103).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

ball = nsmb.systems.superball()
ball.parameter_table

# %%
# Motion
# ------
# Path of the centre, and angular velocity of the ball. The plain ball has the same initial state
# and :math:`\nu = \varepsilon_T = 0`.

sol = nsmb.simulate(ball, t_end=4.4)
plain = nsmb.simulate(nsmb.systems.superball(e_T=0.0, nu=0.0), t_end=4.4)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
for run, label in ((sol, "superball"), (plain, "plain ball")):
    left.plot(run.q[:, 0], run.q[:, 1], label=label)
    right.plot(run.t, run.u[:, 2], label=label)
left.set(xlabel="x / m", ylabel="y / m", title="path of the centre")
left.legend()
right.set(xlabel="t / s", ylabel="spin / rad/s", title="angular velocity")

# %%
# The line on the ball shows its rotation.

# sphinx_gallery_thumbnail_number = 2
sol.animate(speed=1.0, fps=12.5, dpi=50, forces=False)

# %%
# Comparison with the source
# --------------------------
# Times and velocities of the five impacts, from conservation of energy and of the angular momentum
# about the contact point.

claims = Claims("section 8.13")
events = sol.events
claims.holds("impacts every 0.8 s", 0.8 * np.arange(1, 6), events.t, unit="s", atol=1e-12)
claims.holds(
    "velocity after each impact",
    [0.428571429, -0.632653061, -0.970845481, -0.199500208, 0.799845303],
    events.u_plus[:, 0],
    unit="m/s",
    atol=6e-10,
    source="(8.103), by hand",
)
claims.holds("it comes back", True, bool(sol.q[:, 0].max() > 1.0 and events.q[3, 0] < 0.0))
claims.holds(
    "no energy is lost", 0.0, events.energy_loss, unit="J", atol=1e-14, source="closed form"
)
k = np.arange(1, 6)
claims.holds(
    "a plain ball has 5/7 (3/7)ᵏ⁻¹ m/s after impact k",
    5 / 7 * (3 / 7) ** (k - 1),
    np.abs(plain.events.u_plus[:5, 0]),
    unit="m/s",
    rtol=1e-9,
    source="closed form",
)
claims.holds("and stays under the table", True, bool((plain.u[:, 0] > 0.0).all()))
claims

# %%
# Reference: :func:`nsmb.systems.superball`. Theory: :doc:`/theory/contact_laws`.
# Test: :source:`tests/systems/test_balls.py`.
