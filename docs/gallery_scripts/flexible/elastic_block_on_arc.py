r"""
Elastic block on an arc
=======================

A free block of one bilinear element slides on two of its corners down an incline, through an arc
and up another incline. Its floating frame is fixed to node 4 and rotates with the edge from node 4
to node 1, so that five of the eight nodal displacements remain:

.. math::

   \mathbf q = (x, y, \varphi, q_{1x}, q_{2x}, q_{2y}, q_{3x}, q_{3y})^T .

The contacts stay closed, stick and slip like those of rigid bodies. Only the directions
:math:`\mathbf W_N` and :math:`\mathbf W_T` depend on the deformation.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

block = nsmb.systems.elastic_block_on_arc()
block.parameter_table

# %%
# Motion
# ------
# The source shows two runs. With the larger friction of the second run the block comes to rest on
# the arc. Colours show the von Mises stress.

second = nsmb.systems.elastic_block_on_arc.parameter_sets["second_run"]
nsmb.results.ParameterTable("second_run", second, block.parameter_info)

# %%

runs = {0.1: nsmb.simulate(block), 0.2: nsmb.simulate(block.with_parameters(**second))}
runs[0.1].animate(speed=1.0, fps=10, dpi=50, forces=False, stresses=True)

# %%
# Angle of the edge between the corners, and displacements of the upper corners. Dotted lines mark
# the times that the source prints for each run; the dashed line marks 3.8 s, which it prints for
# the first run.

printed = {0.1: (2.0, 2.7, 4.2, 5.6), 0.2: (2.3, 3.0, 4.0, 7.6)}
figure, axes = plt.subplots(2, 2, figsize=(9.0, 5.0), sharex=True, layout="constrained")
for column, (mu, sol) in enumerate(runs.items()):
    axes[0, column].plot(sol.t, sol.q[:, 2])
    for instant in printed[mu]:
        axes[0, column].axvline(instant, color="k", lw=0.6, ls=":")
    axes[0, column].axvline(3.8, color="C3", lw=0.8, ls="--")
    axes[0, column].set(title=f"μ = {mu}", ylabel="φ / rad")
    for k, name in enumerate(("1x", "2x", "2y", "3x", "3y")):
        axes[1, column].plot(sol.t, 1e3 * sol.q[:, 3 + k], lw=0.8, label=f"$q_{{{name}}}$")
    axes[1, column].set(xlabel="t / s", ylabel="mm")
axes[1, 1].legend(fontsize="x-small", ncols=5)

# %%
# Comparison with known results
# -----------------------------
# The source prints its times to 0.1 s or to 1 s. The reference program is independent and uses the
# same data: its rigid block has Coulomb friction, and its elastic block has friction regularised
# below 1 mm/s.


def node_1(q):
    """Return the x coordinate of the lower right corner."""
    return q[:, 0] + (2.0 + q[:, 3]) * np.cos(q[:, 2])


def zeros(sol, values):
    """Return the times at which a function of the coordinates is zero."""
    t = np.arange(0.0, sol.t[-1], 1e-3)
    y = values(sol.at(t).q)
    k = np.flatnonzero(np.diff(np.sign(y)))
    return t[k] + 1e-3 * y[k] / (y[k] - y[k + 1])


def stops(sol):
    """Return the time at which a corner first comes to rest."""
    kinds = (nsmb.EventKind.STICK, nsmb.EventKind.REVERSAL)
    return next(e.t for e in sol.events if e.kind in kinds and e.t > 1.0)


claims = Claims("reference program, elastic, β = 0.005 s")
slow, fast = runs[0.2], runs[0.1]
left, right = zeros(fast, lambda q: node_1(q) + 5.0), zeros(fast, lambda q: node_1(q) - 5.0)
behind = zeros(fast, lambda q: q[:, 0] - 5.0)
lowest = zeros(fast, lambda q: q[:, 2])
times = [left[0], lowest[0], right[0], behind[0], stops(fast), behind[1], right[1]]
claims.holds(
    "μ = 0.1: node 1 on the arc, φ = 0, nodes 1 and 4 on the right incline, back, nodes 4 and 1 on "
    "the arc again", [1.986, 2.665, 3.164, 3.487, 4.377, 5.439, 5.828], times, unit="s", atol=0.02,
    digits=5,
)  # fmt: skip
closed = [np.sqrt(16.0 / (9.81 * (0.5 - mu * np.sqrt(0.75)))) for mu in (0.1, 0.2)]
first = [zeros(sol, lambda q: node_1(q) + 5.0)[0] for sol in (fast, slow)]
claims.holds(
    "8 m of incline, a mass point", closed, first, unit="s", atol=2e-3, digits=5,
    source="closed form",
)  # fmt: skip
claims.holds("does not reach the left incline again, least φ", -0.499,
             fast.q[fast.t > 6.0, 2].min(), unit="rad", atol=1e-3)  # fmt: skip
thesis = "Ebrahimi (2007), section 4.4"
claims.holds("μ = 0.1: leaves the incline, lowest point, back on the arc", [2.0, 2.7, 5.6],
             [left[0], lowest[0], np.mean([behind[1], right[1]])], unit="s", atol=0.1,
             digits=3, source=thesis)  # fmt: skip
claims.fails(
    "reverses at 4.2 s",
    4.2,
    stops(fast),
    unit="s",
    atol=0.1,
    because="damping is not printed; without damping the block reverses at 4.33 s",
    source=thesis,
)
lowest, rests = zeros(slow, lambda q: q[:, 2])[0], slow.events.of_kind("stick").t[-1]
claims.holds("μ = 0.2: reaches the arc, lowest point, rests", [2.3, 3.0, 7.6],
             [first[1], lowest, rests], unit="s", atol=0.1, digits=4, source=thesis)  # fmt: skip
claims.holds("μ = 0.2: reverses, printed to 1 s", 4.0, stops(slow), unit="s", atol=0.5, digits=4,
             source=thesis)  # fmt: skip
claims.holds(
    "on the right incline at 3.8 s, printed for μ = 0.1: holds with second_run (node 1)", 3.8,
    zeros(slow, lambda q: node_1(q) - 5.0)[0], unit="s", atol=0.05, digits=4, source=thesis,
)  # fmt: skip
claims.holds("μ = 0.2: lowest, reverses", [3.028, 4.318], [lowest, stops(slow)], unit="s",
             atol=0.02)  # fmt: skip
claims.holds("μ = 0.2: where it rests, φ", -0.0674, slow.q[-1, 2], unit="rad", atol=1e-4)
stiff = [
    nsmb.simulate(block.with_parameters(mu=0.2, E=E)).events.of_kind("stick").t[-1]
    for E in (1e4, 1e5)
]
rigid = nsmb.simulate(block.with_parameters(mu=0.2, material="rigid"))
claims.holds("rigid: it rests at", 7.454, rigid.events.of_kind("stick").t[-1], unit="s",
             atol=1e-3, digits=5, source="reference program, rigid")  # fmt: skip
claims.holds("E = 10 and 100 kN/m: it rests as the rigid one",
             rigid.events.of_kind("stick").t[-1], stiff, unit="s", atol=5e-3, digits=5,
             source="limit")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.elastic_block_on_arc`. Bodies: :doc:`/reference/flexible`. Test:
# :source:`tests/systems/test_elastic_block.py`.
