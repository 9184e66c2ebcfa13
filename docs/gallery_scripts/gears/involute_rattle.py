r"""
Rattling between involute flanks
================================

A loose gear rattles in its backlash as in :doc:`gear_rattling`, here with its teeth. The flanks are
exact involutes of the base circles and touch on the common tangent of these circles, while pairs of
teeth enter and leave the mesh. The gap along the line of action is linear in both angles,

.. math::

   g_N = L - r_{b1} u_1 - r_{b2} u_2, \qquad L = a \sin\alpha_w, \qquad
   \cos\alpha_w = \frac{r_{b1} + r_{b2}}{a} ,
   \tag{7.6}

for any pair of teeth in mesh. The motion between the flanks is therefore that of (12.14), and the
map from impact to impact (12.15), (12.16) is exact.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import gear_rattling
from nsmb.testing import Claims

# %%
# Data
# ----

gears = nsmb.systems.involute_rattle()
gears.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(gears, output_step=0, rtol=1e-11)
sol.draw(0.0)

# %%
# Relative displacement over the backlash, with the impacts on the working (0) and the rear flank
# (-1).

p = gears.parameters
r_1, r_2 = (0.5 * p["m"] * p[z] * np.cos(p["alpha"]) for z in ("z_1", "z_2"))


def play(t, phi_2):
    turned = phi_2 - gears.initial_state.q[0]
    return (r_1 * p["A"] * np.sin(p["omega"] * t) + r_2 * turned) / p["v"] - 0.5


# sphinx_gallery_thumbnail_number = 2
impacts = sol.events.of_kind("impact")
figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
ax.plot(sol.t, play(sol.t, sol.q[:, 0]))
ax.plot(impacts.t, play(impacts.t, impacts.q[:, 0]), "k.")
ax.set(xlabel="t / s", ylabel="relative displacement over backlash")

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 12.1")
run = nsmb.simulate(gears, 1.0, output_step=0, rtol=1e-11).events.of_kind("impact")
tau, s = p["omega"] * run.t, play(run.t, run.q[:, 0])
drive = r_1 * p["A"] * np.cos(tau)
minus, plus = ((drive + r_2 * u[:, 0] / p["omega"]) / p["v"] for u in (run.u_minus, run.u_plus))
claims.holds(
    "impacts are where flanks touch, s = 0 or -1", np.round(s), s, atol=1e-10, source="(12.14)"
)
exact = gear_rattling.impact_map(1.4)
steps = np.flatnonzero(np.abs(plus[:-1]) > 1e-2)
ends = np.array([exact.next_impact(tau[k], np.round(s[k]), plus[k])[0] for k in steps])
claims.holds(
    "each flight ends as the exact map says", ends, tau[steps + 1], atol=1e-9,
    source="(12.15), (12.16)",
)  # fmt: skip
claims.holds(
    "restitution of the relative velocity", -0.9 * minus, plus, atol=1e-12, source="(12.15)"
)
claims

# %%
# Reference: :func:`nsmb.systems.involute_rattle`, :class:`nsmb.geometry.GearTeeth`,
# :class:`nsmb.geometry.GearMesh`. Test: :source:`tests/systems/test_involute_rattle.py`. See also
# the driven pair, :doc:`involute_pair`.
