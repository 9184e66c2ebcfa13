r"""
Rattling gearbox
================

A gearbox with five gears and reverse, in which all unloaded wheels rattle. In fourth gear, the
direct drive, the countershaft is unloaded. The forward gears behind it rattle in two stages and
reverse in three. In any other gear the countershaft is loaded, and the wheels rattle in one and two
stages. Between impacts, a wheel :math:`j` on its parent obeys

.. math::

   I_j \ddot\varphi_j + d_j \dot\varphi_j + T_{r,j} = 0, \qquad
   s_j = R_j \varphi_{\text{parent}} - r_j \varphi_j \in [-v_j, 0] ,
   \tag{12.1}

with the base radii :math:`R_j` and :math:`r_j` and the backlash :math:`v_j`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import gear_rattling, gearbox_branched
from nsmb.testing import Claims

# %%
# Data
# ----

gearbox = gearbox_branched()
gearbox.parameter_table

# %%
# Motion
# ------
# Direct gear: relative displacements of all loose wheels within their backlash.

sol = nsmb.simulate(gearbox, t_end=0.3)
sol.plot(t_span=(0.2, 0.3))

# %%
# The meshes drawn as backlashes.

sol.draw(0.25)

# %%
# Noise of each wheel: mean impulse of its impacts, in fourth gear and in third gear.

# sphinx_gallery_thumbnail_number = 3
figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
for k, gear in enumerate(("fourth", "third")):
    run = nsmb.simulate(gearbox_branched(gear=gear, loose="all"), t_end=2.0, output_step=0)
    impacts = run.events.of_kind("impact")
    names = [name.removeprefix("s_") for name in run.coordinates]
    size = np.abs(impacts.Lambda_N).reshape(len(impacts), -1, 2).sum(axis=2)
    mean = [1e3 * column[column > 0].mean() if (column > 0).any() else 0.0 for column in size.T]
    ax.bar(np.arange(len(names)) + 0.4 * k, mean, 0.38, label=f"{gear} gear")
    if k == 0:
        ax.set_xticks(np.arange(len(names)) + 0.2, names)
ax.set_ylabel("mean impulse / mN s")
ax.legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 12.1")
claims.holds(
    "fourth gear: the countershaft is loose", True, "s_counter" in gearbox.coordinates,
    source="Fig. 12.1",
)  # fmt: skip
loaded = gearbox_branched(gear="reverse", loose="all")
claims.holds("any other gear: it is loaded", False, "s_counter" in loaded.coordinates,
             source="Fig. 12.1")  # fmt: skip
p = loaded.parameters
run = nsmb.simulate(loaded, t_end=0.2, output_step=0)
impacts = run.events.of_kind("impact")
for j, name in enumerate(("first", "second", "third", "fifth")):
    hits = impacts[impacts.contacts[:, 2 * j : 2 * j + 2].any(axis=1)]
    alpha = p[f"R_{name}"] / p["r_counter"] * p["r_e"] * p["A"] / p["v"]
    gamma = p["T"] * p[f"r_{name}"] / (p[f"I_{name}"] * p["omega"] ** 2 * p["v"])
    exact = gear_rattling.impact_map(alpha, p["beta"], gamma, p["e"]).iterate(
        0.0, -0.5, 0.0, len(hits)
    )
    claims.holds(
        f"{name} gear behind the loaded shaft is a single stage: phases of {len(hits)} impacts",
        exact.tau, p["omega"] * hits.t, unit="rad", atol=1e-6, source="(12.14)-(12.16)",
    )  # fmt: skip
free = (sol.q >= -p["v"] - 1e-12) & (sol.q <= 1e-12)
claims.holds("every wheel stays in its backlash", True, bool(free.all()), source="(12.2)")
claims

# %%
# All claims of the book, mean values and noise: :doc:`/systems/gearbox_branched`. Reference:
# :func:`nsmb.systems.gearbox_branched`. Test: :source:`tests/systems/test_gearbox_gears.py`.
