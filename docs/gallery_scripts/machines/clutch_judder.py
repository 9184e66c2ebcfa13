r"""
Clutch judder
=============

A car starts, and while its friction clutch closes the drive train begins to swing: judder. The
torque of the clutch falls with the slip, so that the sliding drive train is unstable. Two to nine
torsional masses; stick and slip are one friction contact, whose bound depends on time, slip and
angles,

.. math::

   |T| \le b(t)\, \bigl(1 + s_1 \sin\varphi_1 + \dots\bigr)
           \left[T_{SL} + (T_{ST} - T_{SL})\, e^{-|v_r|/k_r}\right]
   \tag{13.16}

with the closing force :math:`b(t)` and the modulations of (13.17).

The vibration starts near 10 Hz, with the clutch sliding, and goes over to about 5 Hz when it
sticks.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import clutch_judder_acceleration, clutch_judder_reversals, clutch_judder_train
from nsmb.testing import Claims

# %%
# Data
# ----
# The book prints no number of the model.

car = nsmb.systems.clutch_judder()
car.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(car, t_end=5.0)
train = clutch_judder_train(car)
t = np.arange(0.0, 5.0, 2.5e-3)
acceleration = analysis.Signal(t, clutch_judder_acceleration(sol, t), "acceleration", "m/s²")
z = acceleration.analytic(2.5, 25.0)

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.0), layout="constrained")
axes[0].plot(t, sol.at(t).u[:, train.disc])
axes[0].set(xlabel="t / s", ylabel="slip of the clutch / rad/s", ylim=(-40, 15))
axes[1].plot(t, acceleration.values)
axes[1].set(xlabel="t / s", ylabel="acceleration of the car / m/s²")
seen = z.envelope > 0.05 * z.envelope.max()
axes[2].plot(z.t[seen], z.frequency[seen], ".", markersize=2)
axes[2].set(xlabel="t / s", ylabel="frequency of its vibration / Hz", ylim=(2, 14))

# %%
# What the source says
# --------------------

claims = Claims("Fig. 13.12")
claims.holds("the slip reverses three times", 3, len(clutch_judder_reversals(sol)))
first, last = float(sol.events.t[0]), float(sol.events.t[-1])
sliding = (z.t > 0.2) & (z.t < first - 0.05)
sticking = (z.t > last + 0.1) & (z.t < 2.5)
f = [np.polyfit(z.t[part], z.phase[part], 1)[0] / (2 * np.pi) for part in (sliding, sticking)]
claims.holds("the vibration starts near 10 Hz", 10.0, f[0], unit="Hz", rtol=0.05, digits=4)
claims.holds("and passes over to about 5 Hz", 5.0, f[1], unit="Hz", rtol=0.1, digits=4)
left = float(z.envelope[np.argmin(np.abs(z.t - 3.5))] / z.envelope.max())
claims.holds("after 3 to 4 s it has ended: below a tenth", True, left < 0.1)
lowest = [
    clutch_judder_train(nsmb.systems.clutch_judder(n=n)).driven.frequencies()[1] for n in (4, 5, 9)
]
claims.holds(
    "four and five masses have the frequency of nine", lowest[2], lowest[:2], unit="Hz", rtol=1e-6,
    source="section 13.2",
)  # fmt: skip
claims

# %%
# Growth rates, sensitivities and all claims: :doc:`/systems/clutch_judder`. Reference:
# :func:`nsmb.systems.clutch_judder`. Test: :source:`tests/systems/test_clutch_judder.py`.
