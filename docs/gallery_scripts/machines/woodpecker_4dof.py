r"""
Woodpecker with four degrees of freedom
=======================================

Slavič and Boltežar also let the sleeve of the woodpecker toy move sideways, and keep large angles.
Both sides of the pole then matter: four corners of the sleeve and the beak are five contacts. The
toy is built of bodies, a joint with a spring, and corners against lines. With ``polygons=1``,
sleeve and pole are polygons whose contacts are detected. The gaps follow from the angles,

.. math::

   g_{LR} = x + r_M \cos\varphi_M + h_M \sin\varphi_M - r_0

for the lower right corner, and similarly for the others, without linearisation.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

toy = nsmb.systems.woodpecker_4dof()
toy.parameter_table

# %%
# Motion
# ------

method = nsmb.EventDriven(impact_law="poisson", rtol=1e-10, rest_velocity=1e-11)
sol = nsmb.simulate(toy, t_end=6.0, method=method)
sol.plot(t_span=(5.7, 6.0))

# %%
# Instants of a cycle: jammed, beak impact, swinging back.

# sphinx_gallery_thumbnail_number = 2
beaks = sol.events.of_kind("impact").at_contact("beak")
start, period = beaks.t[-2], beaks.t[-1] - beaks.t[-2]
figure, axes = plt.subplots(1, 4, figsize=(10.0, 3.6), layout="constrained")
for ax, share in zip(axes, (0.0, 0.2, 0.5, 0.8), strict=True):
    sol.draw(start + share * period, ax=ax, title=f"{share:.1f} of a cycle")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%
# Comparison with the source
# --------------------------

claims = Claims("Slavič & Boltežar, section 4")
fall = float(beaks.q[-2, 1] - beaks.q[-1, 1])
claims.holds("period of the cycle", 138.8, 1e3 * period, unit="ms", rtol=0.02, digits=5)
claims.holds("fall in a cycle", 12.0, 1e3 * fall, unit="mm", rtol=0.15, digits=4)
three = nsmb.simulate(nsmb.systems.woodpecker(), t_end=40.0, output_step=0)
beats = three.events.of_kind("impact").at_contact("beak")
claims.holds(
    "both less than with three coordinates",
    True,
    bool(period < beats.t[-1] - beats.t[-2] and fall < beats.q[-2, 0] - beats.q[-1, 0]),
)
weight = (3.0e-4 + 4.5e-3) * 9.81
inside = (sol.events.t > start) & (sol.events.t <= beaks.t[-1])
rows = np.flatnonzero((sol.events.t >= start) & (sol.events.t <= beaks.t[-1]))
taken = sol.events[inside].energy_loss.sum()
taken += (sol.events.friction_loss[rows[-1]] - sol.events.friction_loss[rows[0]]).sum()
claims.holds(
    "energy of a cycle is what it falls", 1e6 * weight * fall, 1e6 * taken, unit="µJ", rtol=1e-5,
    source="balance",
)  # fmt: skip
points = nsmb.simulate(toy, t_end=0.136, method=method).events[:20]
polygons = nsmb.simulate(toy.with_parameters(polygons=1), t_end=0.136, method=method).events[:20]
claims.holds(
    "polygons: times of the first 20 events", points.t, polygons.t, unit="s", atol=1e-9,
    source="corners against lines",
)  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.woodpecker_4dof`. Theory: :doc:`/theory/multibody`,
# :doc:`/theory/geometry`. Test: :source:`tests/systems/test_woodpecker_4dof.py`.
