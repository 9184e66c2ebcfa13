r"""
Pile of spheres
===============

Spheres of different sizes fall into a box and come to rest on one another. Impacts are not located
one by one: contacts are detected and resolved once for each step of length :math:`h`. The
penetration of two spheres is bounded by their approach within that step,

.. math::

   \delta \le h \max |\dot g_N| .

Rolling friction, a moment of at most :math:`\mu_R \lambda_N`, allows a heap of round bodies to
stand. Without it the spheres roll until walls stop them.
"""

import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

pile = nsmb.systems.sphere_pile()
pile.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(pile)
sol.animate(t_span=(0.0, 1.1), speed=0.4, fps=12.5, dpi=50, forces=False)

# %%
# The pile at rest. A line through each contact shows the direction and the magnitude of its force.

sol.draw(sol.t[-1])

# %%
# Comparison with known results
# -----------------------------

claims = Claims("mechanics")
claims.holds("steps that missed their tolerance", 0, sol.stats["missed_steps"])
speeds = sol.u.reshape(len(sol.u), -1, 6)
claims.holds("speed at the end", 0.0, np.abs(speeds[-1, :, :3]).max(), unit="m/s", atol=1e-6)
place = sol.q[-1].reshape(-1, 7)[:, :3]
claims.holds("all in the box", True, bool(np.abs(place[:, :2]).max() < 0.2))
found = sol.contacts.points
weight = 9.81 * np.diag(pile.mass_matrix(0.0, sol.q[-1]))[::6].sum()
carried = found.force_on(pile.bodies)[-1] / weight
claims.holds("floor and walls carry the weight", [0.0, 0.0, 1.0], carried, atol=1e-5)
deepest = -found.g_N.min()
fastest = np.abs(speeds[:, :, :3]).max()
claims.holds("deepest penetration below a step", True, bool(deepest < 1e-3 * fastest))
gain = np.diff(sol.energy.total).max() / sol.energy.total[0]
claims.holds("energy that was gained", 0.0, max(gain, 0.0), atol=1e-6)
claims

# %%
# Reference: :func:`nsmb.systems.sphere_pile`, :class:`nsmb.Midpoint`. Theory:
# :doc:`/learn/stepping`. Test: :source:`tests/systems/test_piles_and_walls.py`.
