r"""
Spur gears
==========

Two equal gears, one of which rotates, meet with the left flanks of one pair of teeth: the first
gear example of Ebrahimi's thesis (Stuttgart 2007, section 7.3). Along the line of action

.. math::

   \delta = r_{b1} \varphi_1 + r_{b2} \varphi_2 - \tfrac12 j, \qquad
   F_n = K \delta + D \dot\delta \ge 0,

and a tooth that yields in circumferential direction (7.18) by

.. math::

   m_{th} r_d^2 \ddot S = K_e r_d^2 (\varphi - S) + D_e r_d^2 (\omega - \dot S) + T

makes the force smaller and the contact longer.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import gears
from nsmb.systems import spur_gears
from nsmb.testing import Claims

# %%
# Data
# ----

system = spur_gears()
system.parameter_table


# %%
# Motion
# ------
# Three models: rigid teeth; teeth with mass and damper near the mesh; teeth as two springs alone.


def force(sol):
    rows = zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    return np.array([sol.system.gear_contacts("mesh", *row).F_n.sum() for row in rows])


stiff = nsmb.EventDriven(integrator="cvode")
runs = {
    "rigid": nsmb.simulate(system),
    "near": nsmb.simulate(spur_gears(teeth="near"), method=stiff),
    "static": nsmb.simulate(spur_gears(teeth="static")),
}
figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.2), layout="constrained")
for word, sol in runs.items():
    axes[0].plot(1e3 * sol.t, 1e-3 * force(sol), label=word)
    axes[1].plot(1e3 * sol.t, sol.u)
axes[0].set(xlabel="t / ms", ylabel="normal force / kN")
axes[0].legend()
axes[1].set(xlabel="t / ms", ylabel="angular velocities / (rad/s)")

# %%
runs["rigid"].draw(0.0)

# %%
# Comparison with the source
# --------------------------
# Peaks and durations of undamped contact follow from the data. :math:`c_{min}` throughout is
# equivalent to :math:`c_{max}` with a smaller shape factor.

claims = Claims("section 7.3, first example")
pair_data = {"k": 1.0}
expected = [
    ("rigid", 1.0, 51.5e3, 0.569e-3),
    ("rigid", 0.8, 46.0e3, 0.637e-3),
    ("static", 1.0, 41.3e3, 0.708e-3),
    ("static", 0.8, 38.4e3, 0.763e-3),
]
for word, share, peak, duration in expected:
    run = nsmb.simulate(spur_gears(teeth=word, s=0.85 * share, **pair_data))
    where = f"{word} teeth, {'c_max' if share == 1.0 else 'c_min'}"
    claims.holds(f"{where}: largest force", peak, force(run).max(), unit="N", rtol=0.01,
                 source="derived from table 7.1")  # fmt: skip
    claims.holds(f"{where}: duration", duration, run.events.t[-1], unit="s", rtol=0.01,
                 source="derived from table 7.1")  # fmt: skip
    claims.holds(f"{where}: velocities after the impact", [-0.5013, -1.2437], run.u[-1],
                 unit="rad/s", rtol=0.01, source="elastic impact")  # fmt: skip
peaks = {word: force(sol).max() for word, sol in runs.items()}
claims.holds("teeth that give way make the force smaller", True,
             bool(peaks["near"] < peaks["rigid"]), source="Fig. 7.4")  # fmt: skip
ends = {word: sol.events.t[-1] for word, sol in runs.items()}
claims.holds("and the contact longer", True, bool(ends["near"] > ends["rigid"]),
             source="Fig. 7.4")  # fmt: skip
one = gears.Gear(z=97, m_n=0.006, width=0.05, dedendum=1.0315, alpha_n=math.radians(20.0))
pair = gears.GearPair(gear_1=one, gear_2=one.mate(97), shape=0.85)
claims.holds("contact ratio", 1.849, pair.contact_ratio, rtol=1e-3, source="(7.9), table 7.1")
claims

# %%
# Reference: :func:`nsmb.systems.spur_gears`, :class:`nsmb.gears.GearPair`. Tests:
# :source:`tests/systems/test_involute_gears.py`, :source:`tests/multibody/test_gear_force.py`.
