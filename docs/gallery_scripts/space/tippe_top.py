r"""
Tippe top
=========

A ball with a low centre of mass turns over when it is spun, and continues to spin on its stem. Its
centre of mass rises at the expense of its spin. It slides on the floor all the time. Sliding
dissipates energy but conserves Jellett's constant, the angular momentum along the line to the
contact point,

.. math::

   J = L \cdot (R_1 e_z - a_1 e) .

With :math:`\varepsilon = a_1/R_1`, it turns over completely if it is fast enough and :math:`1 -
\varepsilon < I_1/I_3 < 1 + \varepsilon`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import tippe_top
from nsmb.testing import Claims

# %%
# Data
# ----

top = nsmb.systems.tippe_top()
top.parameter_table

# %%
# Motion
# ------
# The inclination of the axis: the top turns over, the stem meets the floor, and the top rises on
# it.

sol = nsmb.simulate(top)


def up(q):
    """Return the component of e_z along the axis."""
    return q[:, 3] ** 2 - q[:, 4] ** 2 - q[:, 5] ** 2 + q[:, 6] ** 2


figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
ax.plot(sol.t, np.degrees(np.arccos(np.clip(up(sol.q), -1.0, 1.0))))
ax.set(xlabel="t / s", ylabel="slope of the axis / °")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("theory")
claims.holds("in the window of inertias", True, tippe_top.turns_over())
claims.holds("axis at the end, -1 is turned over", -1.0, up(sol.q)[-1], atol=0.1)
alone = int(np.searchsorted(sol.t, sol.events.of_kind("impact")[0].t))  # first impact of the stem
jellett = [tippe_top.jellett(q, u) for q, u in zip(sol.q[:alone], sol.u[:alone], strict=True)]
claims.holds(
    "change of Jellett's constant on the ball", 0.0, np.ptp(jellett) / jellett[0], atol=1e-5
)
outside = nsmb.simulate(top.with_parameters(I_1=4.9e-7))
claims.holds("outside of it it stays on the ball", True, bool(up(outside.q).min() > 0.9))
claims

# %%
# Reference: :func:`nsmb.systems.tippe_top`, :func:`nsmb.systems.tippe_top.jellett`. Test:
# :source:`tests/systems/test_rolling.py`.
