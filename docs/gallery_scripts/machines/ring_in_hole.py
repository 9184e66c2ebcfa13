r"""
Rubber rings in a hole
======================

A robot pushes a piston with two rubber rings through a hole with a rounded mouth. A ring is a line
load around its circumference, quadratic in the local compression,

.. math::

   p_N = c_1 \Delta a + c_2 \Delta a^2, \qquad
   \Delta a(\varphi) = R_0 - R + \Delta r \cos\varphi ,
   \tag{14.98}

integrated over the part in contact. A lateral error :math:`\Delta r` makes the load uneven. The
robot has six links and elastic gears with backlash and dry friction. The rings push it off its
path, and it oscillates after the last ring has passed.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import ring_in_hole
from nsmb.testing import Claims

# %%
# Data
# ----

robot = ring_in_hole()
robot.parameter_table

# %%
# Motion
# ------
# Mating force over the depth for lateral errors, and the errors and the force of the robot over
# time.

sol = nsmb.simulate(robot, t_end=1.2)
depths = np.linspace(-2e-3, 30e-3, 801)
t = np.linspace(0.0, 1.2, 2001)
e, F = ring_in_hole.deviation(sol, t), ring_in_hole.force(sol, t)

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
for offset in (0.0, 1e-3, 2e-3):
    load = ring_in_hole.load(robot, depths, offset)[:, 2]
    axes[0].plot(1e3 * depths, load, label=f"Δr = {1e3 * offset:g} mm")
axes[0].set(xlabel="depth of the leading ring / mm", ylabel="mating force / N")
axes[0].legend()
axes[1].plot(t, 1e3 * e, label=["x", "y", "z"])
axes[1].set(xlabel="t / s", ylabel="gripper from its path / mm")
axes[1].legend()
axes[2].plot(t, F[:, 2])
axes[2].set(xlabel="t / s", ylabel="mating force of the robot / N")

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 14.5 (7B)")
single = ring_in_hole(rings=1, r=10.2e-3, r_0=1.5e-3)
inside = ring_in_hole.load(single, [10e-3])[0]
claims.holds("without lateral error forces act along the axis only", 0.0, inside[:2], unit="N",
             atol=1e-12, source="Fig. 14.44")  # fmt: skip
p = single.parameters
squeeze = p["r"] + 2 * p["r_0"] - p["R"]
pressure = p["c_1"] * squeeze + p["c_2"] * squeeze**2
claims.holds("in the hole the force is 2πR μ p_N", 2 * np.pi * p["R"] * p["mu"] * pressure,
             inside[2], unit="N", rtol=1e-9, source="(14.100)")  # fmt: skip
peaks = [ring_in_hole.load(robot, depths, d)[:, 2].max() for d in (0.0, 1e-3, 2e-3)]
claims.holds("the mating force grows with the lateral error", True,
             bool(peaks[0] < peaks[1] < peaks[2]), source="Fig. 14.45")  # fmt: skip
worst = 1e3 * np.abs(e[:, 2]).max()
claims.holds("greatest path error 5 mm, in z", 5.0, worst, unit="mm", rtol=0.1, digits=3)
claims.fails(
    "it comes with the greatest force", True,
    bool(abs(t[np.abs(e[:, 2]).argmax()] - t[F[:, 2].argmax()]) < 0.01),
    because="the steep part of the rounding needs the most, and the robot follows later",
)  # fmt: skip
late = np.abs(e[:, 2] - e[-1, 2]) > 1e-4
claims.holds("the oscillation behind the rings has decayed after 0.9 s", True,
             bool(t[late][-1] < 0.9))  # fmt: skip
claims.holds("the end is about 3 mm too low, from the weight of the arms", 3.0,
             1e3 * abs(e[-1, 2]), unit="mm", rtol=0.05, digits=3)  # fmt: skip
claims

# %%
# All claims of the book: :doc:`/systems/ring_in_hole`. Reference:
# :func:`nsmb.systems.ring_in_hole`. Test: :source:`tests/systems/test_ring_in_hole.py`.
