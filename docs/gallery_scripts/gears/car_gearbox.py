r"""
Car gearbox
===========

Twelve helical gears on four shafts, all seven pairs in mesh: the third gear example of Ebrahimi's
thesis (Stuttgart 2007, section 7.3). In second gear G1-G2-G7-G8 carry the load,

.. math::

   T_{out} = T_{inp} \frac{43}{30} \frac{40}{23}, \qquad
   F_n = \frac{T}{r_b \cos\beta_b},

and G3, G5, G10, G11 and G12, at rest at the start, are dragged until they turn by their ratios.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import car_gearbox, car_gearbox_ratio, car_gearbox_speeds
from nsmb.testing import Claims

# %%
# Data
# ----

system = car_gearbox()
system.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(system, 0.02)
figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.2), layout="constrained")
axes[0].plot(1e3 * sol.t, sol.u, label=system.velocity_names)
axes[0].set(xlabel="t / ms", ylabel="angular velocities / (rad/s)")
axes[0].legend(ncols=2, fontsize="small")
for train in ("D", "2"):
    rows = zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    force = [np.linalg.norm(system.gear_contacts(train, *row).total) for row in rows]
    axes[1].plot(1e3 * sol.t, 1e-3 * np.array(force), label=f"pair {train}")
axes[1].set(xlabel="t / ms", ylabel="force / kN")
axes[1].legend()

# %%
sol.draw(0.0)

# %%
# What the source says
# --------------------
# Without the spin-up of the free gears the loaded pairs come to rest on their load. What is left of
# the vibration of the shafts is averaged over the second half of a run.

claims = Claims("section 7.3, third example")
claims.holds("degrees of freedom, rigid", 8, system.nu, source="section 7.3")
elastic = car_gearbox(teeth="elastic")
velocities = sum("_omega" in name for name in elastic.states)
claims.holds("degrees of freedom, elastic", 411, elastic.nu + velocities, source="section 7.3")
claims.holds("torque ratio", 2.49275, car_gearbox_ratio(), rtol=1e-4, source="table 7.3")
late = sol.t > 0.01
for train, steady in (("D", 7670.0), ("2", 12693.0)):
    rows = zip(sol.t[late], sol.q[late], sol.u[late], sol.x[late], strict=True)
    force = [np.linalg.norm(system.gear_contacts(train, *row).total) for row in rows]
    claims.holds(f"mean force of pair {train}", steady, np.mean(force), unit="N", rtol=0.02,
                 source="(7.17), derived from table 7.3")  # fmt: skip
turned = dict(zip(system.velocity_names, sol.q[-1] - sol.q[np.argmax(late)], strict=True))
rolling = car_gearbox_speeds()
for name in ("G3", "G5", "G10", "G12", "idler"):
    gear = "G11" if name == "idler" else name
    claims.holds(f"speed of {gear} over that of the output shaft", rolling[gear] / 10.0,
                 turned[name] / turned["output"], rtol=0.02, source="table 7.3")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.car_gearbox`, :func:`nsmb.systems.car_gearbox_speeds`,
# :class:`nsmb.gears.GearTrain`. Test: :source:`tests/systems/test_involute_gears.py`.
