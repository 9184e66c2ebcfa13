r"""
Rocking rod
===========

A rod lies on two obstacles, is lifted on one side and falls back. It rocks from obstacle to
obstacle, more slowly after every collision, and comes to rest after infinitely many collisions in a
finite time. All impacts are completely inelastic, but the rod does not stop at the first one: the
impulse at one obstacle rotates it about the other. With :math:`\beta = b/l`,

.. math::

   \frac{\dot\varphi_E}{\dot\varphi_A} = \frac{1 - 3\beta^2}{1 + 3\beta^2}
   \quad\text{for } \beta < \tfrac{1}{\sqrt 3} ;

on obstacles farther apart the first collision stops the rod (section 8.11, Figs. 8.8, 8.9).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

rod = nsmb.systems.rocking_rod()
rod.parameter_table

# %%
# Motion
# ------

method = nsmb.EventDriven(rtol=1e-11, max_events_per_instant=200)
sol = nsmb.simulate(rod, t_end=3.0, method=method)
sol.plot(coordinates=["phi"], t_span=(0.0, 2.2))

# %%
# Nearly seven times slower than real time.

# sphinx_gallery_thumbnail_number = 2
sol.animate(speed=0.15, fps=12.5, t_span=(0.0, 0.6), dpi=50)

# %%
# The distance of the obstacles determines the remaining speed.

ratios = []
distances = np.linspace(0.1, 1.0, 19)
for b in distances:
    first = nsmb.Simulator(nsmb.systems.rocking_rod(b=b), method, output_step=0.0).step(t_max=1.0)
    ratios.append(first.u_plus[2] / first.u_minus[2])

figure, ax = plt.subplots(figsize=(6.0, 3.0), layout="constrained")
ax.plot(distances, (1 - 3 * distances**2) / (1 + 3 * distances**2), label="closed form")
ax.plot(distances, ratios, "ko", label="computed")
ax.axvline(1 / np.sqrt(3), color="0.6", linestyle=":")
ax.set(xlabel="b/l", ylabel="speed after / before", ylim=(-0.6, 1.0))
ax.legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 8.11")
narrow = distances < 1 / np.sqrt(3)
said = (1 - 3 * distances**2) / (1 + 3 * distances**2)
claims.holds(
    "narrow obstacles: speed after over speed before the impact",
    said[narrow],
    np.array(ratios)[narrow],
    atol=1e-9,
)
claims.holds("wide ones: it rests at once", 0.0, np.array(ratios)[~narrow], atol=1e-9)
omega = np.sqrt(20 * 0.2 * np.sin(0.1) / (1 / 3 + 0.04))
claims.holds(
    "speed of the first collision, from its energy",
    omega,
    sol.events[0].u_minus[2],
    unit="rad/s",
    rtol=1e-9,
    source="closed form",
)
wide = nsmb.simulate(nsmb.systems.rocking_rod(b=0.8), t_end=1.0, rtol=1e-12).events
claims.holds(
    "both impulses for b = 0.8 l, by m l and the speed before",
    [0.608333, 0.191667],
    wide[0].Lambda_N / wide[0].u_minus[2],
    atol=5e-7,
)
claims.holds("the first collision is the only one", ["impact"], wide.kinds)
rests = bool((sol.contact_state[-1] == nsmb.ContactState.STICK).all())
claims.holds("narrow: it comes to rest in a finite time", True, rests)
claims

# %%
# Time of rest in s, and number of collisions until then:

print(sol.events.t[-1], sol.events.count()["impact"])

# %%
# Reference: :func:`nsmb.systems.rocking_rod`. Theory: :doc:`/theory/contact_laws`,
# accumulation of impacts: :doc:`/theory/simulation`. Test:
# :source:`tests/systems/test_rods.py`.
