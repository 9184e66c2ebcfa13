r"""
Sphere on an elastic beam
=========================

A rigid sphere falls on a beam with clamped ends, or rolls along it. Both are closed meshes. Where
one penetrates the elastic layer of the other, the pressure is :math:`c_l \delta`,

.. math::

   F = c_l \int \delta \, dA \approx \pi c_l R\, \delta^2, \qquad
   w = \frac{(2 m + \varrho b t L)\, g L^3}{384\, E I},

with the penetration :math:`\delta` of a sphere without facets and the deflection :math:`w` of the
beam under both weights.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

falls = nsmb.systems.sphere_on_beam()
falls.parameter_table

# %%
# A fall
# ------
# The sphere falls by 2 cm, bounces on a beam that vibrates, and comes to rest. For comparison, the
# same fall on a rigid beam.

rigid = nsmb.systems.sphere_on_beam(elastic=False)
motions = {"elastic beam": nsmb.simulate(falls, 0.25), "rigid beam": nsmb.simulate(rigid, 0.25)}
figure, ax = plt.subplots(figsize=(9.0, 3.0), layout="constrained")
t = np.linspace(0.0, 0.25, 501)
for name, sol in motions.items():
    z = sol.at(t).q[:, sol.system.coordinates.index("sphere.z")]
    ax.plot(t, 1e3 * (z - 0.035), lw=0.9, label=name)
ax.set(xlabel="t / s", ylabel="height of the sphere / mm")
ax.legend()

# %%
# Rolling
# -------
# The sphere rolls from one end to the other. The beam yields under the sphere and recovers behind
# it.

rolls = nsmb.systems.sphere_on_beam(x=-0.25, h=-1.4e-4, v=1.0, mu=0.5)
way = nsmb.simulate(rolls, 0.5)
figure, axes = plt.subplots(2, 1, figsize=(9.0, 4.0), layout="constrained", sharex=True)
t = np.linspace(0.0, 0.5, 501)
q = way.at(t).q
place = rolls.coordinates.index("sphere.x")
axes[0].plot(1e3 * q[:, place], 1e3 * (q[:, place + 2] - 0.035), lw=0.9)
axes[0].set(ylabel="sphere / mm")
beam = q[:, rolls.elastic_coordinates("beam")]
axes[1].plot(1e3 * q[:, place], 1e3 * np.abs(beam[:, 0]), lw=0.9)
axes[1].set(xlabel="position of the sphere / mm", ylabel="first mode / mm")

# %%
# Comparison with known results
# -----------------------------
# At rest: the weight carried by the layer, and the deflection of the beam under it.

claims = Claims("closed forms")
end = nsmb.simulate(falls.with_parameters(h=-1e-4, zeta=0.3), 0.4)
q, u = end.q[-1], end.u[-1]
contact = falls.areal_contact("layer", 0.0, q, u)
claims.holds("force at rest", 0.2 * 9.81, -contact.force[2], unit="N", rtol=1e-2)
I = 0.05 * 0.01**3 / 12.0
sag = 0.6**3 * 9.81 * (2.0 * 0.2 + 1200.0 * 0.05 * 0.01 * 0.6) / (384.0 * 3e9 * I)
middle = 0.035 - q[falls.coordinates.index("sphere.z")] - contact.depth
claims.holds("deflection under it", sag, middle, unit="m", rtol=0.01)
claims

# %%
# Reference: :func:`nsmb.systems.sphere_on_beam`. Test:
# :source:`tests/systems/test_areal_systems.py`.
