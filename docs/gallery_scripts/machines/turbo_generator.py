r"""
Turbo-generator set
===================

A steam turbine drives a synchronous generator through helical gears with backlash and a clutch.
When the grid fails, the air-gap torque oscillates between several times its nominal value in both
directions. The simulation shows how much of this torque reaches the clutch and the teeth, and when
the flanks hammer. The electrical machine follows Park's equations,

.. math::

   \boldsymbol L\, \dot{\boldsymbol i} + \boldsymbol Z\, \boldsymbol i = \boldsymbol u ,
   \tag{11.57}

with five currents as states. Each flank is a spring and dashpot with a relaxing wall (11.54), and
six masses rotate on shafts (11.53).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import turbo_generator
from nsmb.testing import Claims

# %%
# Data
# ----

turbine = turbo_generator(fault="two-phase")
turbine.parameter_table

# %%
# Motion
# ------
# A two-phase short circuit at 20 ms, with the nominal clutch and with a clutch ten times as stiff.

runs = {
    f"{k} times the clutch's stiffness": nsmb.simulate(
        turbo_generator(fault="two-phase", c_6=k * 4.75e5), t_end=0.12
    )
    for k in (1, 10)
}
figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.0), layout="constrained")
for name, run in runs.items():
    loads = turbo_generator.loads(run)
    for ax, value in zip(
        axes, (loads.generator_torque, loads.clutch_torque, loads.tooth_force), strict=True
    ):
        ax.plot(1e3 * loads.t, 1e-3 * value, linewidth=0.8, label=name)
for ax, title in zip(axes, ("generator / kN m", "clutch / kN m", "teeth / kN"), strict=True):
    ax.set(xlabel="t / ms", title=title)
axes[1].legend(fontsize=7)

# %%
# Overload over the phase error when the generator is connected to the grid.

# sphinx_gallery_thumbnail_number = 2
errors = np.arange(10, 181, 10)
over = []
for degrees in errors:
    system = turbo_generator(fault="mal-synchronisation", dphi=np.radians(degrees))
    over.append(turbo_generator.loads(nsmb.simulate(system, t_end=0.12)).overload())
figure, ax = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
for what in ("generator", "clutch", "tooth"):
    ax.plot(errors, [load[what] for load in over], ".-", label=what)
ax.set(xlabel="phase error / °", ylabel="largest load over nominal load")
ax.legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 11.2")
powers = turbo_generator.powers(runs["1 times the clutch's stiffness"])
scale = np.abs(powers.air_gap).max()
claims.holds("nothing is missing in the power budget, by the largest power", 0.0,
             powers.missing / scale, atol=1e-11, source="(11.60)")  # fmt: skip
few = turbo_generator.loads(
    nsmb.simulate(turbo_generator(fault="two-phase", model="two-mass"), t_end=0.12)
).overload()
claims.holds("two masses: the clutch has less torque than the generator", True,
             few["clutch"] < few["generator"])  # fmt: skip
apart = {name: len(run.events.of_kind("switch")) for name, run in runs.items()}
claims.holds("flanks hammer with a stiff clutch only", [False, True],
             [count > 0 for count in apart.values()])  # fmt: skip
generator = np.array([load["generator"] for load in over])
claims.fails("opposition is the worst case of mal-synchronisation", 180,
             int(errors[generator.argmax()]), unit="°",
             because="the torque of the machine has its maximum near 120°")  # fmt: skip
claims.holds("loads grow with the phase error up to 120°", True,
             bool((np.diff(generator[errors <= 120]) > 0.0).all()))  # fmt: skip
claims.holds("nominal clutch: the teeth are safe at any phase error", True,
             max(load["tooth"] for load in over) < 3.0)  # fmt: skip
claims

# %%
# All claims of the book with spectra and modes: :doc:`/systems/turbo_generator`. Reference:
# :func:`nsmb.systems.turbo_generator`. Test: :source:`tests/systems/test_turbo_generator.py`.
