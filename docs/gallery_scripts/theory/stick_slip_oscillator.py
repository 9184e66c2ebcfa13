r"""
Stick-slip of two stacked masses
================================

The two stacked masses of section 6.6 with a spring at the lower one and a harmonic force on each,

.. math::

   F_1 = \hat F_1 \cos(\Omega_1 t + \psi_1) - c_1 x_1 - c_2 (x_1 - x_2), \qquad
   F_2 = \hat F_2 \cos(\Omega_2 t + \psi_2) - c_2 (x_2 - x_1) .
   \tag{6.65}

The contacts stick, slip and reverse. Where slip ends or reverses, friction and thus the
accelerations jump. If this happens at the upper contact, both accelerations jump at once. Where
sticking ends, the accelerations only have a kink.
"""

import numpy as np
from scipy.optimize import brentq

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

oscillator = nsmb.systems.stick_slip_oscillator()
oscillator.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(oscillator, t_end=3.0)
sol.plot(coordinates=["x_1", "x_2"])

# %%

sol.animate(speed=0.5, fps=12.5, t_span=(0.0, 1.5), dpi=50)

# %%
# Comparison with the source
# --------------------------
# The first slip has a closed form: from rest both contacts slip, and the lower mass is a linear
# oscillator until it reverses.

claims = Claims("section 6.6")
slow, fast = 2.0 * np.pi, np.sqrt(150.0)
swing = 60.0 / (fast**2 - slow**2)


def velocity(t):
    return -swing * slow * np.sin(slow * t) + (swing - 0.2) * fast * np.sin(fast * t)


claims.holds(
    "first reversal of the lower mass",
    brentq(velocity, 0.1, 0.25, xtol=1e-15),
    sol.events.t[0],
    unit="s",
    atol=1e-12,
    source="closed form of (6.65)",
)
late = nsmb.simulate(oscillator, t_end=40.0)
events = late.events
claims.holds("velocities stay continuous", events.u_minus, events.u_plus, unit="m/s", atol=1e-12)


def force_jump(event):
    rows = np.flatnonzero(late.t == event.t)
    return np.abs(late.lambda_T[rows[-1]] - late.lambda_T[rows[0]])


reversals = [e for e in events.of_kind("reversal") if e.contacts == ("masses",)]
claims.holds(
    "reversal of the upper contact: friction jumps by 2 μ m g",
    20.0,
    np.array([force_jump(event)[1] for event in reversals]),
    unit="N",
    rtol=1e-9,
)
slips = [e for e in events.of_kind("slip") if (late.events.t == e.t).sum() == 1]
claims.holds(
    "sticking ends without a jump of friction",
    0.0,
    np.array([force_jump(event).max() for event in slips]),
    unit="N",
    atol=1e-7,
)
a, b = late.at(38.3), late.at(39.3)
claims.holds(
    "the motion becomes periodic with the forces", a.u, b.u, unit="m/s", atol=1e-9, source="T = 1 s"
)
claims

# %%
# Reference: :func:`nsmb.systems.stick_slip_oscillator`. Theory:
# :doc:`/theory/contact_laws`, :doc:`/theory/simulation`. Test:
# :source:`tests/systems/test_stick_slip_oscillator.py`.
