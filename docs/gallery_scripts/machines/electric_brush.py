r"""
Electric brush
==============

A spring presses a carbon brush on the commutator of a small motor, in a guide with clearance. The
commutator is a polygon of 2400 corners with run-out, bars of different height, and roughness,

.. math::

   r(\alpha) = R + e \cos\alpha + h_{\text{bar}}(\alpha) + h_{\text{rough}}(\alpha) .

Brush and commutator touch at points that come and go. The brush sticks to the surface until a wall
of the guide holds it. It then slides and hits both with hundreds of impacts per millisecond. The
system is that of Slavič and Boltežar (Fig. 14), who give no numbers: all data are chosen.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

brush = nsmb.systems.electric_brush()
brush.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(brush, t_end=4e-3)
sol.draw(3e-3)

# %%
# Height, tilt, and the number of impacts per hundredth of a millisecond.

figure, axes = plt.subplots(1, 3, figsize=(10.0, 3.0), layout="constrained")
t = 1e3 * sol.t
axes[0].plot(t, 1e6 * (sol.q[:, 1] - sol.q[0, 1]))
axes[0].set(xlabel="t / ms", ylabel="height of the brush / µm")
axes[1].plot(t, 1e3 * sol.q[:, 2])
axes[1].set(xlabel="t / ms", ylabel="tilt / mrad")
impacts = sol.events.of_kind("impact")
for name in ("commutator", "left", "right"):
    hit = np.array([any(c.startswith(name) for c in event.contacts) for event in impacts])
    axes[2].hist(1e3 * impacts.t[hit], bins=80, histtype="step", label=name)
axes[2].set(xlabel="t / ms", ylabel="impacts per bin")
axes[2].legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 14")
hit = {name.split("[")[0] for event in impacts for name in event.contacts}
claims.holds(
    "impacts against commutator and both walls",
    ["commutator", "left", "right"], sorted(hit),
)  # fmt: skip
here = np.array([name.startswith("commutator") for name in sol.contact_names])
before = sol.t < impacts.t[0]
sticks = (sol.contact_state[:, here] == nsmb.ContactState.STICK).sum(axis=1)
claims.holds("it sticks until a wall holds it", 1, int(sticks[before].min()))
late = sol.t > 2.5e-3
claims.holds("then it slides", 0, int(sticks[late].max()))
claims.holds(
    "friction stays in its bounds", True,
    bool((np.abs(sol.lambda_T) <= 0.2 * sol.lambda_N + 1e-9).all()), source="Coulomb's law",
)  # fmt: skip
both = sol.contact_state != nsmb.ContactState.OPEN
walls = [np.array([n.startswith(w) for n in sol.contact_names]) for w in ("left", "right")]
wedged = both[:, walls[0]].any(axis=1) & both[:, walls[1]].any(axis=1)
tilts = np.linspace(0.0, 0.1, 100_001)
free = 2 * 3.25e-3 * np.cos(tilts) - 12e-3 * np.sin(tilts) - 6.3e-3
claims.holds(
    "held by both ends of the guide it is as aslant as it can be",
    -tilts[np.argmin(np.abs(free))], sol.q[wedged, 2], unit="rad", atol=2e-6,
    source="closed form",
)  # fmt: skip
air = []
for speed in (600.0, 3000.0):
    fast = nsmb.systems.electric_brush(speed=speed, ramp=1e-3)
    run = nsmb.simulate(fast, t_end=2e-3)
    state = run.at(np.linspace(1.2e-3, 2e-3, 2000)).contact_state
    columns = np.array([name.startswith("commutator") for name in run.contact_names])
    air.append(float((state[:, columns] == 0).all(axis=1).mean()))
claims.holds(
    "mostly in contact at 600/min, mostly in the air at 3000/min", [True, True],
    [air[0] < 0.2, air[1] > 0.8], source="chosen data",
)  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.electric_brush`. Theory: :doc:`/theory/geometry`.
# Test: :source:`tests/systems/test_electric_brush.py`.
