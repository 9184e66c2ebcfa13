r"""
Pyramid of boxes
================

Each box stands on two boxes of the row below. Where two faces touch, four contact points carry the
load. Their forces are indeterminate, and only the sums are determined row by row:

.. math::

   \sum \lambda_N = g \sum_{\text{rows above}} m .

Such a stack is at rest. A solver error in one step is carried over to the next, so that thousands
of steps show whether the stack stands.
"""

import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

pyramid = nsmb.systems.box_pyramid()
pyramid.parameter_table

# %%
# Motion
# ------
# The boxes stay at rest for a thousand steps:

sol = nsmb.simulate(pyramid, t_end=5.0, output_step=0.05)
sol.draw(5.0, forces=False)

# %%
# A sudden slope of the floor, modelled by gravity rotated by 35°. Since tan 35° exceeds μ = 0.5,
# the boxes slide, and floor friction opposes the motion.

slope = np.radians(35.0)
sliding = nsmb.Model(gravity=(9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
sliding.ground.shape("floor", nsmb.geometry.HalfSpace())
box = sliding.add_solid("box", nsmb.geometry.Box((0.2, 0.2, 0.2)), 600.0)
sliding.add_joint("box", nsmb.joints.Free(), sliding.ground, box)
sliding.collide(nsmb.ContactLaw(mu=0.5))
one = nsmb.simulate(
    sliding.build(initial={"box": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)}),
    t_end=0.5,
    method=pyramid.recommended.method,
)

# %%
# Comparison with known results
# -----------------------------

claims = Claims("mechanics")
claims.holds("steps that missed their tolerance", 0, sol.stats["missed_steps"])
way = np.abs(sol.q - sol.q[0]).max()
claims.holds("largest displacement in 1,000 steps", 0.0, way, unit="m", atol=1e-6)
found = sol.contacts.points
first, last = (set(found.at(k).identity.tolist()) for k in (1, -1))
claims.holds("contacts are the same in the end", True, first == last)
claims.holds("deepest penetration", 0.0, -found.g_N.min(), unit="m", atol=1e-8)
weight = 15 * 600.0 * 0.2**3 * 9.81
carried = found.force_on(pyramid.bodies)[-1]
claims.holds("force of the floor", [0.0, 0.0, weight], carried, unit="N", atol=1e-5)
a = 9.81 * (np.sin(slope) - 0.5 * np.cos(slope))
claims.holds("on the slope: g (sin α - μ cos α) t", 0.5 * a, one.u[-1, 0], unit="m/s", rtol=1e-6)
claims

# %%
# Reference: :func:`nsmb.systems.box_pyramid`, :class:`nsmb.Midpoint`. Theory:
# :doc:`/learn/stepping`. Test: :source:`tests/systems/test_piles_and_walls.py`.
