r"""
Hammering timing gears
======================

A diesel engine with twelve cylinders drives a camshaft with six injection pumps through gears with
backlash. The torques of the pumps separate the teeth, which hammer when they meet again. Both
flanks of a mesh are relaxing walls: they close when they meet and open when the force between them
is zero,

.. math::

   \zeta = -c\gamma - d\dot\gamma \ge 0, \qquad
   \text{closed at } \gamma = 0, \quad \text{open at } \zeta = 0 ,
   \tag{11.32}

and the remaining deflection then relaxes by itself. The camshaft is elastic, with the shape
functions :math:`\sin\frac{(2k-1)\pi z}{2l}`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.analysis import blows
from nsmb.systems import timing_gears
from nsmb.testing import Claims

# %%
# Data
# ----

gears = timing_gears()
gears.parameter_table

# %%
# Motion
# ------
# Forces of both flanks over half a revolution of the camshaft.

turn = gears.period
method = nsmb.EventDriven(rtol=1e-6, dense_output=False)
sol = nsmb.simulate(gears, t_end=8 * turn, method=method, output_step=3e-5)
inside = sol.t > 7.5 * turn
meshes = ("12", "23", "45")

figure, axes = plt.subplots(3, 1, figsize=(9.0, 4.6), sharex=True, layout="constrained")
for ax, mesh in zip(axes, meshes, strict=True):
    for side, sign in (("front", 1.0), ("rear", -1.0)):
        force = sol.element_force[inside, sol.element_names.index(f"{mesh}_{side}")]
        ax.plot(1e3 * (sol.t[inside] - 7.5 * turn), 1e-3 * sign * force, linewidth=0.8, label=side)
    ax.set_ylabel(f"mesh {mesh[0]}/{mesh[1]} / kN")
axes[0].legend(ncols=2)
axes[-1].set_xlabel("t / ms")

# %%
# Comparison with the source
# --------------------------

claims = Claims("table 11.2")
p = gears.parameters
for name, torque, said in (
    ("static", p["T_mean"], [1.96, 1.96, 3.17]),
    ("quasi-static", p["T_max"], [11.4, 11.4, 18.5]),
):
    found = [1e-3 * load for load in timing_gears.loads(gears, torque).values()]
    claims.holds(f"{name} loads of the meshes", said, found, unit="kN", rtol=5e-3, digits=4)


def loads(run, flank="front"):
    """Return the 99 % quantile of the blows in kN."""
    peaks = [blows(run, f"{m}_{flank}", t_start=4 * turn, refine=False).peak for m in meshes]
    return np.array([1e-3 * np.quantile(peak, 0.99) for peak in peaks])


nominal = loads(nsmb.simulate(gears, t_end=24 * turn, method=method, output_step=3e-5))
claims.holds("dynamic loads with nominal backlash", [42.4, 34.8, 38.8], nominal, unit="kN",
             rtol=0.12, digits=3)  # fmt: skip
rear = loads(sol, "rear")
claims.holds("blows of the rear flanks are weaker", True, bool((rear < nominal).all()),
             source="section 11.1")  # fmt: skip
damped = timing_gears(d_M=2 * p["d_M"])
calm = loads(nsmb.simulate(damped, t_end=24 * turn, method=method, output_step=3e-5))
claims.holds("more damping of the teeth lowers the forces", True,
             bool(calm.mean() < nominal.mean()), source="section 11.1")  # fmt: skip
claims

# %%
# All claims of the book, with twenty revolutions and thirteen coordinates:
# :doc:`/systems/timing_gears`. Reference: :func:`nsmb.systems.timing_gears`,
# :func:`nsmb.analysis.blows`. Test: :source:`tests/systems/test_timing_gears.py`.
