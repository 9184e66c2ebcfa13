r"""
Block that leaves its foundation
================================

The elastic block of :func:`nsmb.systems.elastic_block_on_arc` without friction and without the
second incline. It leaves the arc corner by corner, flies, and lands on a floor. No restitution is
specified there:

.. math::

   0 \le g_N \perp \lambda_N \ge 0 .

The corner that touches stops. The rest of the block compresses against it and throws it up again.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

block = nsmb.systems.block_leaving_foundation()
block.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(block)
figure, ax = plt.subplots(figsize=(8.0, 3.6), layout="constrained")
sol.draw(3.3, ax=ax, forces=False, title="3.3 s")

# %%
# Heights of the corners above the floor, and contact forces there from the scheme of the source:
# position level with a Runge-Kutta map, without events. Half of its contact law is on velocity
# level; without that half, the forces of resting corners alternate.

at = sol.at(2.9)
start = nsmb.State(2.9, at.q, at.u)
method = nsmb.PositionForces(2e-4, mixing=0.5)
stepped = nsmb.simulate(block, 4.7, start=start, method=method, output_step=2e-4)
figure, axes = plt.subplots(2, 1, figsize=(8.0, 5.0), sharex=True, layout="constrained")
names = {"node 4": 2, "node 1": 5}
for name, k in names.items():
    axes[0].plot(sol.t, sol.g_N[:, k], label=f"{name}, events")
    axes[1].plot(stepped.t, stepped.lambda_N[:, k], lw=0.8, label=name)
axes[0].set(ylabel="height / m", xlim=(2.7, 4.7), ylim=(-0.1, 1.5))
axes[0].legend(fontsize="small")
axes[1].set(xlabel="t / s", ylabel="force / N")
axes[1].legend(fontsize="small")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("Ebrahimi (2007), section 5.6")
leaves = [sol.events.of_kind("detach").at_contact(f"arc_{n}").t[0] for n in (1, 4)]
touches = [sol.events.of_kind("impact").at_contact(f"floor_{n}").t[0] for n in (1, 4)]
lifts = sol.events.of_kind("detach").at_contact("floor_1").t[0]
claims.holds("leaves at about 3 s", 3.0, leaves[1], unit="s", atol=0.05)
claims.holds("node 1 touches at 3.6 s", 3.6, touches[0], unit="s", atol=0.05)
claims.holds("node 1 lifts off again, node 4 touches a little later", True,
             bool(touches[0] < lifts < touches[1] < touches[0] + 0.3))  # fmt: skip
claims.holds("at last it slides on the floor", True, bool((sol.lambda_N[-1, [2, 5]] > 0.0).all()))
claims.holds("rigid: nodes 1 and 4 leave, node 1 touches", [2.792, 3.005, 3.55],
             [*leaves, touches[0]], unit="s", atol=0.01, source="earlier rigid runs")  # fmt: skip
found = [stepped.t[stepped.lambda_N[:, k] > 0.0][0] for k in (5, 2)]
claims.holds("the same in steps of 0.2 ms", touches, found, unit="s", atol=4e-4, digits=5,
             source="events with e_N = 0")  # fmt: skip
last = np.abs(stepped.q[-1, :3] - sol.at(4.7).q[:3]).max()
claims.holds("and where it is after ten touches", 0.0, last, unit="m", atol=0.02,
             source="events with e_N = 0")  # fmt: skip
claims

# %%
# The source does not give the geometry behind the arc. A floor at the height of the end of the arc
# fits the times. Reference: :func:`nsmb.systems.block_leaving_foundation`. Test:
# :source:`tests/systems/test_elastic_block.py`.
