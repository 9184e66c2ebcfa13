r"""
Wall of bricks
==============

Dry bricks in running bond stand without moving until a steel ball hits them. The floor takes part
of the ball's momentum by friction. This part is at most :math:`\mu` times the impulse of the normal
forces, which is the weight times the time plus the upward momentum gained by all bodies :math:`b`:

.. math::

   \left| \sum_b m_b\, \Delta v_{b,y} \right| \le
   \mu \left( \sum_b m_b\, g\, t + \sum_b m_b\, \Delta v_{b,z} \right) .
"""

import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

wall = nsmb.systems.wall(v=5.0, rows=5, columns=4)
wall.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(wall, t_end=0.3)
sol.animate(speed=0.1, fps=12.5, dpi=50, forces=False)

# %%
# Comparison with known results
# -----------------------------

claims = Claims("mechanics")
claims.holds("steps that missed their tolerance", 0, sol.stats["missed_steps"])
m = np.diag(wall.mass_matrix(0.0, sol.q[0]))[::6]
momentum = np.einsum("b,tbi->ti", m, sol.u.reshape(len(sol.t), -1, 6)[:, :, :3])
change = momentum - momentum[0]
bound = 0.6 * (m.sum() * 9.81 * sol.t + change[:, 2])
taken = np.hypot(change[:, 0], change[:, 1])
claims.holds("the floor takes no more than its friction", True, bool((taken <= bound + 1e-6).all()))
# A step that removes penetration of bodies lifts them by micrometres.
gain = np.diff(sol.energy.total).max() / sol.energy.total[0]
claims.holds("energy gained in one step, over the total", 0.0, max(gain, 0.0), atol=5e-5)
claims.holds("energy is lost", True, bool(sol.energy.total[-1] < sol.energy.total[0]))
rest = nsmb.simulate(nsmb.systems.wall(rows=5, columns=4), t_end=0.5)
way = np.abs(rest.q - rest.q[0]).max()
claims.holds("without the ball: largest displacement", 0.0, way, unit="m", atol=1e-7)
claims

# %%
# Reference: :func:`nsmb.systems.wall`, :class:`nsmb.Midpoint`. Theory: :doc:`/learn/stepping`.
# Test: :source:`tests/systems/test_piles_and_walls.py`.
