r"""
Robot inserting a peg into a hole
=================================

A planar robot with three hinges under PD control inserts a peg into a hole with a lateral error and
a tilt. The peg slides on one point, touches at two, and jams: both points stick within their
friction cones. Meanwhile the control force grows until the load leaves the cones. The peg then
slides on and jams again. The control torques and the friction bound are

.. math::

   \boldsymbol\tau = -\boldsymbol K (\boldsymbol q - \boldsymbol q_d)
                     - \boldsymbol D (\dot{\boldsymbol q} - \dot{\boldsymbol q}_d), \qquad
   |\lambda_T| \le \mu(\dot g_T)\, \lambda_N .

This is stick and slip with two dependent contacts. No sequence is prescribed: the contact laws
determine it.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import peg_in_hole_robot
from nsmb.testing import Claims

# %%
# Data
# ----

robot = nsmb.systems.peg_in_hole_robot()
robot.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(robot)
force, torque = peg_in_hole_robot.force(sol), peg_in_hole_robot.torque(sol)
pose = peg_in_hole_robot.pose(sol)

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
axes[0].plot(sol.t, -1e3 * pose[:, 1])
axes[0].set(xlabel="t / s", ylabel="depth of the tip / mm")
axes[1].plot(sol.t, force[:, 0])
axes[1].set(xlabel="t / s", ylabel="insertion force / N", ylim=(-1, 6))
axes[2].plot(sol.t, torque, label=["shoulder", "elbow", "wrist"])
axes[2].set(xlabel="t / s", ylabel="torque of the control / N m")
axes[2].legend()

# %%

sol.draw(1.25)

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 14.5 (7A)")
impacts = sol.events.of_kind("impact")
claims.holds("the chamfer is hit at 0.9 s", 0.9, impacts.t[0], unit="s", atol=1e-3)
state = sol.contact_state
closed = (state != nsmb.ContactState.OPEN).sum(axis=1)
sticks = ((state == nsmb.ContactState.STICK).sum(axis=1) == 2) & (closed == 2)
claims.holds("two points touch at 1.2 s", 1.2, sol.t[closed == 2][0], unit="s", atol=5e-3,
             digits=5)  # fmt: skip
edges = np.flatnonzero(np.diff(sticks.astype(int)))
spans = [
    (sol.t[a + 1], sol.t[b])
    for a, b in zip(edges[::2], edges[1::2], strict=False)
    if sol.t[b] - sol.t[a + 1] > 1e-3
]
claims.holds("the cycle of jams and releases repeats", True, len(spans) >= 3)
print("jams, s:", [f"{a:.3f} to {b:.3f}" for a, b in spans])
first = (sol.t >= spans[0][0]) & (sol.t <= spans[0][1])
still = np.ptp(pose[first], axis=0)
claims.holds("a jammed peg stands still", 0.0, still, unit="m, rad", atol=1e-8)
rising = np.abs(torque[first])
claims.holds("the torques of the control grow meanwhile", True,
             bool((rising[-1] > rising[0]).all()))  # fmt: skip
claims.holds("energy balance: residual of what is turned over", 0.0, sol.energy.relative,
             atol=1e-5, source="balance")  # fmt: skip
claims

# %%
# All claims of the book and the map of permissible errors: :doc:`/systems/peg_in_hole`. Reference:
# :func:`nsmb.systems.peg_in_hole_robot`. Test: :source:`tests/systems/test_peg_in_hole_robot.py`.
