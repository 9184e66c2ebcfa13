r"""
Landing airplane
================

A propeller airplane touches down at 4.3 m/s on its main wheels with its nose up, rotates, and falls
on its nose wheel. A strut is a two-stage gas spring with oil damping proportional to the square of
the speed, dry friction in its guide and a stop at either end,

.. math::

   F_1 = p(\Delta y) A + d\, \Delta\dot y\, |\Delta\dot y| + F_C + F_{\text{stop}}, \qquad
   |F_C| \le k\,(F_R, F_{Sp}) ,
   \tag{14.85}

where the friction bound follows the forces of the tyre at the same instant (14.87). The wheels are
initially at rest and are spun up by slip. With ``elastic=1`` fuselage and legs bend.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import landing_gear
from nsmb.testing import Claims

# %%
# Data
# ----

airplane = nsmb.systems.landing_gear()
airplane.parameter_table

# %%
# Motion
# ------

rigid = nsmb.simulate(airplane)
elastic = nsmb.simulate(nsmb.systems.landing_gear(elastic=1))

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
for run, style, name in ((rigid, "-", "rigid"), (elastic, ":", "elastic")):
    axes[0].plot(run.t, 1e3 * (run.q[:, 1] - run.q[0, 1]), style, color="k", label=name)
    for part, leg in landing_gear.forces(run).items():
        color = {"main": "C0", "nose": "C1"}[part]
        axes[1].plot(leg.t, 1e-3 * leg.strut, style, color=color, label=f"{part}, {name}")
main = landing_gear.forces(rigid)["main"]
axes[2].plot(1e3 * main.stroke, 1e-3 * main.strut, linewidth=0.8, label="all")
axes[2].plot(1e3 * main.stroke, 1e-3 * main.gas, label="gas")
axes[0].set(xlabel="t / s", ylabel="mass centre, downwards / mm")
axes[1].set(xlabel="t / s", ylabel="force of a strut / kN")
axes[2].set(xlabel="stroke of a main strut / mm", ylabel="force / kN")
for ax in axes:
    ax.legend(fontsize=7)

# %%
# Touchdown, rotation, and contact of the nose wheel.

# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(1, 3, figsize=(10.5, 2.6), layout="constrained")
for ax, t in zip(axes, (0.0, 0.3, 0.6), strict=True):
    rigid.draw(t, ax=ax, title=f"t = {t:g} s")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%
# Comparison with the source
# --------------------------

claims = Claims("Figs. 14.29, 14.30")
y = 1e3 * (rigid.q[:, 1] - rigid.q[0, 1])
turn = int(np.argmax(rigid.u[:, 1] < 0.0))
claims.holds("the mass centre sinks by 300 mm at first", 300.0, y[turn], unit="mm", rtol=0.05,
             digits=3)  # fmt: skip
claims.holds("its speed is largest at the beginning", 4.3, rigid.u[:, 1].max(), unit="m/s",
             rtol=1e-3)  # fmt: skip
legs = landing_gear.forces(rigid)
claims.holds("main struts: 170 kN", 170.0, 1e-3 * legs["main"].strut.max(), unit="kN", rtol=0.02,
             digits=4)  # fmt: skip
claims.holds("nose strut: 450 kN", 450.0, 1e-3 * legs["nose"].strut.max(), unit="kN", rtol=0.02,
             digits=4)  # fmt: skip
soft = landing_gear.forces(elastic)
claims.holds("elasticity lowers the load of the nose significantly", True,
             bool(soft["nose"].strut.max() < 0.9 * legs["nose"].strut.max()))  # fmt: skip
nose = legs["nose"]
claims.holds("the nose strut hits its upper stop", True, bool(nose.stop.max() > 1e3))
begin = np.argmax(main.tyre > 1e3)
claims.holds("wheels stand at touchdown: slip 1", 1.0, main.slip[begin], atol=0.02, digits=3)
(change,) = np.unique(np.round(rigid.events.at_element("main_strut.second").t[:1], 9))
sides = landing_gear.forces(rigid, change + 1e-6 * np.array([-1.0, 1.0]))["main"].gas
claims.holds("the gas force is continuous where the second stage opens", sides[0], sides[1],
             unit="N", rtol=1e-3)  # fmt: skip
stops = [name for name in airplane.contact_names if name.endswith(("upper", "lower"))]
behind = rigid.events.of_kind("impact")
columns = [airplane.contact_names.index(name) for name in stops]
hit = behind.Lambda_N[:, columns] > 1.0
claims.holds("stops are inelastic and take energy", True, bool(behind.energy_loss.min() > -1e-9))
claims.holds("energy balance: residual of what is turned over", 0.0, rigid.energy.relative,
             atol=1e-6, source="balance")  # fmt: skip
claims

# %%
# All claims of the book, corrections of its equations, modes and limits:
# :doc:`/systems/landing_gear`. Reference: :func:`nsmb.systems.landing_gear`. Tests:
# :source:`tests/systems/test_landing_gear.py`,
# :source:`tests/systems/test_landing_gear_equations.py`.
