r"""
Percussion drill
================

A household percussion drill has two discs with twelve cams that slide over each other. At every cam
the machine falls back on the disc of the drill, and the blow travels to the bottom of the hole. The
operator's arm is a chain of masses. The two contacts, tip and cams, are inelastic. Between the
blows the cams separate or slide with friction,

.. math::

   g_{\text{cams}} = x_1 - x_0 - e(\sigma), \qquad \sigma = r (\Omega t + \varphi_0),

with the periodic contour :math:`e`. With increasing speed the motion changes from a blow at every
cam, through period doublings, to irregular motion and to a blow at every second cam (Glocker and
Pfeiffer 1992; section 14.2, (14.2)-(14.26)).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import percussion_drill
from nsmb.testing import Claims

# %%
# Data
# ----
# Neither source prints data of the machine.

drill = nsmb.systems.percussion_drill()
drill.parameter_table

# %%
# Motion
# ------
# Three cams of the settled motion: flight, blow, sliding.

before = nsmb.simulate(drill, t_end=200 * drill.period, record="nothing")
sol = nsmb.simulate(drill, t_end=203 * drill.period, start=before, output_step=drill.period / 400)
sol.plot(coordinates=["x_0", "x_1", "phi_0"])

# %%
# Position of the blows on the cams, from 0 at the foot to 1 at the top, over the speed of the drill
# (Fig. 8).

# sphinx_gallery_thumbnail_number = 2
speeds = np.linspace(60.0, 105.0, 46)
figure, ax = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
periods = {}
for Omega in speeds:
    system = drill.with_parameters(Omega=Omega)
    run = nsmb.simulate(system, t_end=240 * system.period, output_step=0)
    contour = percussion_drill.cams(system)
    sigma = percussion_drill.hits(run)[-40:]
    places = contour.phase(sigma) / contour.flank
    cams = np.diff(sigma // contour.length)
    periods[Omega] = places, cams
    ax.plot(np.full(places.size, Omega), places, "k.", markersize=1)
ax.set(xlabel="speed / rad/s", ylabel="position of the blow on the cam")

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 8, section 14.2")


def spread(Omega, every):
    near = min(periods, key=lambda speed: abs(speed - Omega))
    places, cams = periods[near]
    return float(np.ptp(places[::every])), float(cams.mean())


claims.holds("70 rad/s: every cam is hit at the same position", True, spread(70.0, 1)[0] < 1e-3)
two = spread(92.5, 1)[0] > 0.01 and spread(92.5, 2)[0] < 1e-2
claims.holds("92.5 rad/s: at two positions in turn", True, two)
claims.holds("102 rad/s: every second cam", 2.0, spread(102.0, 1)[1])
events = nsmb.simulate(drill, t_end=40 * drill.period, output_step=0).events
blows = events.of_kind("impact")
p = drill.parameters
e_1 = percussion_drill.cams(drill).e(p["r"] * (p["Omega"] * blows.t + blows.q[:, 6]), 1)
approach = blows.u_minus[:, 1] - e_1 * p["r"] * (p["Omega"] + blows.u_minus[:, 6])
admittance = 1 / p["m_1"] + (e_1 * p["r"]) ** 2 * (1 / p["J_0"] + 1 / p["J_1"])
claims.holds(
    "impulse at the tip of a drill at rest", -approach / admittance, blows.Lambda_N[:, 0],
    unit="N s", rtol=1e-8, source="closed form, (44)-(48) of 1992",
)  # fmt: skip
late = nsmb.simulate(drill, t_end=260 * drill.period, output_step=0)
rate = late.events.of_kind("impact")
rate = rate[rate.t > 200 * drill.period]
claims.holds("one blow per cam at 40 rad/s", 60, len(rate))
claims

# %%
# Reference: :func:`nsmb.systems.percussion_drill`,
# :func:`nsmb.systems.percussion_drill.removal`. Theory: :doc:`/theory/symbolic`.
# Test: :source:`tests/systems/test_percussion_drill.py`.
