r"""
Guided block
============

A block of one bilinear element rests on two of its corners in a half circle. Its centre

.. math::

   \mathbf c = \tfrac14 (\mathbf r_1 + \mathbf r_2 + \mathbf r_3 + \mathbf r_4)

follows a curve: a circle about the same centre, or an ellipse that comes nearer to the foundation
at the bottom and squeezes the block there. Three supports hold the block where two would suffice.
Its elasticity alone determines how they share the load; for a rigid block the forces are
indeterminate.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----
# The source gives neither the initial position nor the guide. By default the guide is 2 mm nearer
# to the foundation than the centre of the unstressed block. The initial position is chosen so that
# the block sticks at the time given by the source.

block = nsmb.systems.constrained_block()
block.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(block)
sol.animate(speed=1.0, fps=10, dpi=50, forces=False)

# %%
# The block squeezed by an ellipse, and not squeezed: the force on node 1 when it first reaches the
# lowest point, for soft and for stiff material.


def bottom(sol):
    """Return the force on node 1 at x = 0 in N, or None if it does not get there."""
    x = sol.q[:, 0] + (2.0 + sol.q[:, 3]) * np.cos(sol.q[:, 2])
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    return sol.lambda_N[k[0] + 1, 1] if k.size else np.nan


moduli = np.array([100.0, 300.0, 1e3, 3e3, 1e4, 1e5])
kinds = {
    "ellipse, 1 mm": {"guide": "ellipse", "squeeze": 1e-3},
    "circle without stress": {"squeeze": 0.0, "theta_0": -1.4},
}
forces = {
    name: np.array([bottom(nsmb.simulate(block.with_parameters(E=E, **kind), 3.0)) for E in moduli])
    for name, kind in kinds.items()
}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.5), layout="constrained")
left.plot(sol.t, sol.q[:, 2], label="φ / rad")
left.plot(sol.t, sol.lambda_N[:, 1] / 10.0, lw=0.8, label="force on node 1 / 10 N")
left.set(xlabel="t / s")
left.legend()
for name, values in forces.items():
    right.loglog(moduli, values, "o-", label=name)
right.set(xlabel="E / (N/m)", ylabel="force at the bottom / N")
right.legend()

# %%
# Comparison with known results
# -----------------------------

thesis = "Ebrahimi (2007), section 4.4"
claims = Claims(thesis)
claims.holds(
    "sticks at", 8.2, sol.events.of_kind("stick").t[-1], unit="s", atol=0.05, digits=3,
    source=thesis + ", start chosen for it",
)  # fmt: skip
squeezed, free = forces.values()
claims.holds(
    "squeezed: slope of the force over E, double logarithmic, 300 to 3000 N/m", 1.0,
    np.polyfit(np.log(moduli[1:4]), np.log(squeezed[1:4]), 1)[0], atol=0.05, digits=3,
    source="statics",
)  # fmt: skip
claims.fails(
    "squeezed: the force tends to a constant", squeezed[3], squeezed[4], unit="N", rtol=0.1,
    because="friction grows with it, and a stiffer block sticks before the bottom",
    source=thesis,
)  # fmt: skip
claims.holds("not squeezed: the force at 1e4 and 1e5 N/m", free[4], free[5], unit="N", rtol=0.01,
             digits=3, source=thesis + ", the trend")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.constrained_block`. Guides: :class:`nsmb.joints.OnCurve`. Test:
# :source:`tests/systems/test_elastic_block.py`.
