r"""
Clutch judder
=============

When a car starts and its friction clutch closes, the drive train can begin to oscillate: judder.
The torque of the clutch decreases with the slip velocity, so that the sliding drive train is
unstable. The model has two to nine torsional masses. Stick and slip are one friction contact, whose
bound depends on time, slip velocity and angles,

.. math::

   |T| \le b(t)\, \bigl(1 + s_1 \sin\varphi_1 + \dots\bigr)
           \left[T_{SL} + (T_{ST} - T_{SL})\, e^{-|v_r|/k_r}\right]
   \tag{13.16}

with the closing force :math:`b(t)` and the modulations of (13.17).

The vibration starts near 10 Hz while the clutch slides, and changes to about 5 Hz when it sticks.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import fft, integrate

import nsmb
from nsmb.systems import clutch_judder
from nsmb.testing import Claims

# %%
# Data
# ----
# The book prints no data of the model.

car = nsmb.systems.clutch_judder()
car.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(car, t_end=5.0)
train = clutch_judder.train(car)
t = np.arange(0.0, 5.0, 2.5e-3)
acceleration = clutch_judder.acceleration(sol, t)


def judder(values):
    """Return the analytic signal between 2.5 and 25 Hz, whose modulus is the envelope."""
    f = fft.fftfreq(t.size, t[1])
    return fft.ifft(np.where((f >= 2.5) & (f <= 25.0), 2.0 * fft.fft(values), 0.0))


z = judder(acceleration)
envelope, frequency = np.abs(z), np.gradient(np.unwrap(np.angle(z)), t) / (2.0 * np.pi)

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.0), layout="constrained")
axes[0].plot(t, sol.at(t).u[:, train.disc])
axes[0].set(xlabel="t / s", ylabel="slip of the clutch / rad/s", ylim=(-40, 15))
axes[1].plot(t, acceleration)
axes[1].set(xlabel="t / s", ylabel="acceleration of the car / m/s²")
seen = envelope > 0.05 * envelope.max()
axes[2].plot(t[seen], frequency[seen], ".", markersize=2)
axes[2].set(xlabel="t / s", ylabel="frequency of its vibration / Hz", ylim=(2, 14))

# %%
# Sensitivities
# -------------
# The book measures judder by the area between the envelopes of the car's acceleration, over the
# whole start. With the default data, the jerk at which the clutch sticks outweighs the judder
# before it. In the following set the engine does not drag, and the clutch closes from a smaller
# force. The clutch slips twice as long, and the judder before it sticks contributes half of the
# area.

long_slip = nsmb.systems.clutch_judder.parameter_sets["long_slip"]
nsmb.results.ParameterTable("long_slip", long_slip, car.parameter_info)

# %%
# Means over six phases of the axial vibration, because the phase in which the clutch sticks is
# random.


def area(**changes):
    """Return the area between the envelopes over the whole start, m/s."""
    areas = []
    for phase in 2.0 * np.pi * np.arange(6) / 6.0:
        data = {**long_slip, "phi_CA_1": phase, **changes}
        values = clutch_judder.acceleration(nsmb.simulate(car.with_parameters(**data), 5.0), t)
        areas.append(2.0 * integrate.trapezoid(np.abs(judder(values)), t))
    return np.mean(areas)


p = car.parameters
steps = {
    "T_ST - T_SL": lambda s: {"T_SL": p["T_ST"] - s * (p["T_ST"] - p["T_SL"])},
    "k_r": lambda s: {"k_r": s * p["k_r"]},
    "i_D": lambda s: {"i_D": s * p["i_D"]},
}
elasticity = {
    name: np.log(area(**step(1.1)) / area(**step(0.9))) / 0.2 for name, step in steps.items()
}
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.0), layout="constrained")
slow = nsmb.simulate(car.with_parameters(**long_slip), t_end=5.0)
for run, label in ((sol, "default"), (slow, "long_slip")):
    axes[0].plot(t, run.at(t).u[:, train.disc], lw=0.8, label=label)
axes[0].set(xlabel="t / s", ylabel="slip of the clutch / rad/s", ylim=(-60, 15), xlim=(0, 3))
axes[0].legend()
axes[1].barh(list(elasticity), list(elasticity.values()))
axes[1].axvline(0.0, color="k", lw=0.6)
axes[1].set(xlabel="elasticity of the area over the whole start")

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 13.12")
claims.holds("the slip reverses three times", 3, len(clutch_judder.reversals(sol)))
first, last = float(sol.events.t[0]), float(sol.events.t[-1])
sliding = (t > 0.2) & (t < first - 0.05)
sticking = (t > last + 0.1) & (t < 2.5)
phase = np.unwrap(np.angle(z))
f = [np.polyfit(t[part], phase[part], 1)[0] / (2 * np.pi) for part in (sliding, sticking)]
claims.holds("the vibration starts near 10 Hz", 10.0, f[0], unit="Hz", rtol=0.05, digits=4)
claims.holds("and passes over to about 5 Hz", 5.0, f[1], unit="Hz", rtol=0.1, digits=4)
left = float(envelope[np.argmin(np.abs(t - 3.5))] / envelope.max())
claims.holds("after 3 to 4 s it has ended: below a tenth", True, left < 0.1)
lowest = [
    clutch_judder.train(nsmb.systems.clutch_judder(n=n)).driven.frequencies()[1] for n in (4, 5, 9)
]
claims.holds(
    "four and five masses have the frequency of nine", lowest[2], lowest[:2], unit="Hz", rtol=1e-6,
    source="section 13.2",
)  # fmt: skip
claims.holds("small T_ST - T_SL is good: elasticity of the area, holds with long_slip", True,
             bool(elasticity["T_ST - T_SL"] > 0.3), source="section 13.2.3")  # fmt: skip
claims.holds("large k_r is good: elasticity of the area, holds with long_slip", True,
             bool(elasticity["k_r"] < -0.05), source="section 13.2.3")  # fmt: skip
claims.holds("i_D is the other dominant datum: elasticity, holds with long_slip", True,
             bool(elasticity["i_D"] > 0.3), source="section 13.2.3")  # fmt: skip
claims

# %%
# Growth rates, sensitivities and all claims: :doc:`/systems/clutch_judder`. Reference:
# :func:`nsmb.systems.clutch_judder`. Test: :source:`tests/systems/test_clutch_judder.py`.
