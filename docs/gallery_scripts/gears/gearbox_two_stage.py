r"""
Rattling gears, two stages
==========================

Two loose wheels in a chain behind a drive. An impact of the second mesh throws the first wheel
back. The motion of two stages is therefore irregular where that of one stage would be regular.
Impacts of several meshes may coincide; Newton's law for all closed meshes gives the transition

.. math::

   \dot{\boldsymbol\varphi}^{+} = \boldsymbol U_i\, \dot{\boldsymbol\varphi}^{-}
                                + \boldsymbol\zeta_i\, \dot e(t)
   \tag{12.8}

with one matrix for each set of closed meshes.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----
# The book gives no data for two stages.

gearbox = nsmb.systems.gearbox_two_stage()
gearbox.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(gearbox, t_end=0.4)
sol.plot(t_span=(0.3, 0.4))

# %%
# Impacts of the two meshes: velocities before the impacts over the phase of the drive.

# sphinx_gallery_thumbnail_number = 2
long = nsmb.simulate(gearbox, t_end=20.0, output_step=0).events.of_kind("impact")
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.2), sharey=True, layout="constrained")
for i, ax in enumerate(axes):
    hit = long.contacts[:, 2 * i] | long.contacts[:, 2 * i + 1]
    ax.plot((300.0 * long.t[hit]) % (2 * np.pi), long.u_minus[hit, i], "k.", markersize=0.8)
    ax.set(xlabel="phase of the drive / rad", title=f"mesh {i + 1}")
axes[0].set_ylabel("clearance rate before the impact / m/s")

# %%
# Comparison with the source
# --------------------------

claims = Claims("(12.8)")
p = gearbox.parameters
ratio = p["I_2"] / p["I_1"] * (p["r_1"] / p["r_2"]) ** 2
i_1 = p["r_1"] / p["r_e"]
events = sol.events.of_kind("impact")
single = np.flatnonzero(events.contacts.sum(axis=1) == 1)
errors = {"1": [], "2": []}
for k in single:
    drive = p["A"] * p["omega"] * p["r_e"] * np.cos(p["omega"] * events.t[k])
    # speeds of both wheels at their teeth, m/s
    before, behind = (drive - np.cumsum(u) for u in (events.u_minus[k], events.u_plus[k]))
    mesh = events[int(k)].contacts[0][0]
    if mesh == "1":
        said = np.array([-p["e"] * before[0] + (1 + p["e"]) * drive, before[1]])
    else:
        U = np.eye(2) - (1 + p["e"]) / (1 + ratio) * np.array([[ratio, -ratio], [-1.0, 1.0]])
        said = U @ before
    errors[mesh].append(np.abs(behind - said).max())
for mesh, found in errors.items():
    claims.holds(
        f"transition of mesh {mesh} in {len(found)} impacts", 0.0, found, unit="m/s", atol=1e-11
    )
weight = nsmb.systems.gear_rattling(alpha=1.5)
one = nsmb.simulate(weight, t_end=120.0, output_step=0)
train = nsmb.gears.RattlingTrain(
    nsmb.gears.DriveWheel(p["A"], p["omega"], p["r_e"]),
    [nsmb.gears.LooseWheel("1", p["I_1"], p["r_1"], p["v_1"], p["e"], p["d_1"], p["T_1"])],
).system()
real = nsmb.simulate(train, t_end=10.0 / 300.0, output_step=0)
claims.holds(
    "stage 1 alone is the normalised stage with α = 1.5: times of impacts",
    one.events.t[: len(real.events)], 300.0 * real.events.t, atol=1e-9, source="(12.14)",
)  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.gearbox_two_stage`, :class:`nsmb.gears.RattlingTrain`, mean values
# :func:`nsmb.systems.gearbox_two_stage.means`. Test: :source:`tests/systems/test_gearbox.py`.
