r"""
Gearbox behind an accelerating engine
=====================================

The gearbox of :doc:`gearbox_branched` while the engine accelerates from 1000 to 6000/min. The
torque of two ignitions per revolution excites flywheel, clutch and gearbox. The vibration of the
driving shaft at each speed is the response of two masses,

.. math::

   \begin{pmatrix} c_C + i\omega d_C - \omega^2 I_F & -c_C - i\omega d_C \\
   -c_C - i\omega d_C & c_C + c_S + i\omega (d_C + d_S) - \omega^2 I_G \end{pmatrix}
   \hat{\boldsymbol\varphi} = \begin{pmatrix} T_E \\ 0 \end{pmatrix} ,

and the mean impulse of the impacts (12.9) measures the noise. A clutch spring puts the resonance
within the speed range, and a dual-mass flywheel puts it below idling (Fig. 12.13).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import gearbox_run_up
from nsmb.testing import Claims

# %%
# Data
# ----

car = gearbox_run_up()
car.parameter_table

# %%
# Motion
# ------

cars = {
    "clutch spring": car,
    "dual-mass flywheel": gearbox_run_up(I_F=0.1, I_G=0.08, c_C=120.0),
}
runs = {name: nsmb.simulate(system, t_end=2.0, output_step=0) for name, system in cars.items()}
speeds = np.linspace(104.7, 628.3, 400)
rpm = 30.0 / np.pi

# sphinx_gallery_thumbnail_number = 1
figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
noise = {}
for name, run in runs.items():
    entrance = np.abs(gearbox_run_up.entrance(cars[name], speeds)) * 2 * speeds
    axes[0].plot(rpm * speeds, entrance, label=name)
    noise[name] = gearbox_run_up.noise(run, 30)
    axes[1].plot(rpm * noise[name].Omega, 1e3 * noise[name].noise, label=name)
    axes[2].plot(rpm * noise[name].Omega, noise[name].rate, label=name)
axes[0].set(xlabel="engine / 1/min", ylabel="speed of the drive's vibration / rad/s")
axes[1].set(xlabel="engine / 1/min", ylabel="noise (12.9) / mN s")
axes[2].set(xlabel="engine / 1/min", ylabel="impacts per second")
axes[0].legend(fontsize=7)

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 12.13")
spring, dual = noise["clutch spring"], noise["dual-mass flywheel"]
loudest = rpm * spring.Omega[spring.noise.argmax()]
strongest = rpm * speeds[np.argmax(np.abs(gearbox_run_up.entrance(car, speeds)) * 2 * speeds)]
claims.holds(
    "noise is largest where the drive vibrates most", strongest, loudest, unit="1/min", rtol=0.1,
    digits=4,
)  # fmt: skip
claims.holds("two cars have entirely different noise curves: the dual-mass flywheel is silent "
             "above 3300/min", True, bool((dual.rate[rpm * dual.Omega > 3300.0] == 0.0).all())
)  # fmt: skip
claims.holds("where the clutch spring is not", True,
             bool((spring.rate[rpm * spring.Omega < 4000.0] > 0.0).all()))  # fmt: skip
p = car.parameters
entered = gearbox_run_up.entrance(car, [200.0])[0]
omega = 2 * 200.0
c, f = p["c_C"] + 1j * omega * p["d_C"], p["c_S"] + 1j * omega * p["d_S"]
D = np.array([[c - omega**2 * p["I_F"], -c], [-c, c + f - omega**2 * p["I_G"]]])
claims.holds("response of the two masses at 200 rad/s, amplitude",
             abs(np.linalg.solve(D, [p["T_E"], 0.0])[1]), abs(entered), unit="rad", rtol=1e-12,
             source="equation above")  # fmt: skip
claims

# %%
# All claims of the book: :doc:`/systems/gearbox_branched`. Reference:
# :func:`nsmb.systems.gearbox_run_up`, :func:`nsmb.systems.gearbox_run_up.noise`. Test:
# :source:`tests/systems/test_gearbox_run_up.py`.
