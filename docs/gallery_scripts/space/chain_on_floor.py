r"""
Chain falling on a floor
========================

Links that rotate freely relative to each other fall on a floor and on one another. Until the first
one touches, all fall alike,

.. math::

   z = z_0 - \tfrac{1}{2} g t^2 .

The joints are coordinates of a tree of bodies, not constraints, so that the links never drift
apart, however long a run is.
"""

import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

chain = nsmb.systems.chain_on_floor()
chain.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(chain)
sol.animate(t_span=(0.0, 0.8), speed=0.25, fps=12.5, dpi=50, forces=False)

# %%
# Comparison with known results
# -----------------------------

claims = Claims("mechanics")
claims.holds("steps that missed their tolerance", 0, sol.stats["missed_steps"])
falls = sol.t < 0.14
z = sol.q[falls, 2]
claims.holds("free fall", z[0] - 0.5 * 9.81 * sol.t[falls] ** 2, z, unit="m", atol=1e-12)
joints = np.array([chain.scene.joints_at(0.0, q) for q in sol.q[::50]])
lengths = np.linalg.norm(np.diff(joints, axis=1), axis=2)
claims.holds("length of a link", 0.06, lengths.ravel(), unit="m", atol=1e-12)
claims.holds("speed in the end", 0.0, np.abs(sol.u[-1]).max(), atol=1e-3)
claims.holds("all joints below a link that stands", True, bool(joints[-1, :, 2].max() < 0.07))
claims

# %%
# Reference: :func:`nsmb.systems.chain_on_floor`, :class:`nsmb.Midpoint`. Theory:
# :doc:`/learn/stepping`. Test: :source:`tests/systems/test_piles_and_walls.py`.
