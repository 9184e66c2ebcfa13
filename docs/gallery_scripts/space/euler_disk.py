r"""
Euler's disk
============

A heavy disk rolls on its rim while its centre is at rest. In the inertial frame the lowest point
revolves at the rate :math:`\Omega`, which increases as the disk becomes flatter. For a thin disk

.. math::

   \Omega^2 \sin\alpha = \frac{4 g}{R} .

Rolling does not dissipate energy, so that this motion persists. In reality, air, rolling resistance
and imperfections of the edge end it within a minute, with :math:`\Omega \to \infty` in finite time.
"""

import numpy as np

import nsmb
from nsmb.systems import euler_disk
from nsmb.testing import Claims

# %%
# Data
# ----

disk = nsmb.systems.euler_disk()
disk.parameter_table

# %%
# Motion
# ------

rate = euler_disk.precession()
sol = nsmb.simulate(disk, t_end=2.0 * np.pi / rate, rtol=1e-10)
sol.animate(speed=0.1, fps=12.5, dpi=50)

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
w, x, y, z = sol.q[:, 3:7].T
lean = 2.0 * (x * z + w * y) + 2.0j * (y * z - w * x)
claims.holds(
    "revolutions of the lowest point in one period",
    1.0,
    np.ptp(np.unwrap(np.angle(lean))) / (2.0 * np.pi),
    atol=1e-6,
)
up = w**2 - x**2 - y**2 + z**2
claims.holds("largest change of the slope", 0.0, np.ptp(np.arccos(up)), unit="rad", atol=1e-7)
claims.holds("displacement of the centre", 0.0, np.abs(sol.q[:, :2]).max(), unit="m", atol=1e-8)
claims.holds("normal force", 0.4 * 9.81, sol.lambda_N[-1, 0], unit="N", rtol=1e-6)
thin = euler_disk.precession(h=1e-9)
claims.holds("thin disk: Ω² sin α", 4.0 * 9.81 / 0.0375, thin**2 * np.sin(0.5), rtol=1e-6)
claims

# %%
# Reference: :func:`nsmb.systems.euler_disk`, :func:`nsmb.systems.euler_disk.precession`. Test:
# :source:`tests/systems/test_rolling.py`.
