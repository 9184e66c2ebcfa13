r"""
Dominoes
========

A domino falls, hits the next one and leans on it while both continue to fall. The more dominoes
lean, the harder they push. For domino :math:`i`, which the edge of the previous domino touches,

.. math::

   h \sin(\theta_i - \theta_{i+1}) = (s + d) \cos\theta_{i+1} - d ,

so that without friction, and on feet that do not slip, the whole train has one degree of freedom.
It conserves energy between impacts. An inelastic impact leaves :math:`S/(S + 1)` of the speed of
the head, :math:`S = \sum \dot\theta_i^2/\dot\theta_1^2`. After ten dominoes the wave no longer
depends on its start. The simulation uses none of these relations. Its boxes in space touch one
another and the floor with Coulomb friction and :math:`\varepsilon_N = 0`, and a time-stepping
method resolves hundreds of contacts.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import dominoes
from nsmb.testing import Claims

# %%
# Data
# ----

row = nsmb.systems.dominoes()
row.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(row)
figure, axes = plt.subplots(3, 1, figsize=(8.0, 5.0), layout="constrained")
for ax, t in zip(axes, (0.1, 0.25, 0.4), strict=True):
    sol.draw(t, ax=ax, title=f"{t:g} s", forces=False)

# %%
# The instants at which each domino starts to rotate, and at which van Leeuwen's train hits it. They
# differ by a few steps.

turns = sol.u.reshape(len(sol.t), -1, 6)[:, 1:, 4]
hits = sol.t[np.argmax(turns > 0.05, axis=0)]
train = dominoes.times()
pitch = 0.0275  # m

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.0), layout="constrained")
number = np.arange(2, hits.size + 2)
axes[0].plot(number, hits, "o", label="boxes in space")
axes[0].plot(number, train, "k-", linewidth=0.8, label="train")
axes[0].set(xlabel="domino", ylabel="hit at t / s")
axes[0].legend()
axes[1].plot(number[1:], pitch / np.diff(hits), "o")
axes[1].plot(number[1:], pitch / np.diff(train), "k-", linewidth=0.8)
axes[1].axhline(dominoes.speed(), color="k", linestyle=":", linewidth=0.8)
axes[1].set(xlabel="domino", ylabel="speed of the wave / m/s")

# %%
# Comparison with known results
# -----------------------------

claims = Claims("van Leeuwen's train")
step = row.recommended.method.step
claims.holds("when the sixth is hit", train[4], hits[4], unit="s", atol=5 * step)
claims.holds("when the last is hit", train[-1], hits[-1], unit="s", atol=10 * step)
speed = 4.0 * pitch / (hits[-1] - hits[-5])
claims.holds(
    "speed of the wave at the end",
    4.0 * pitch / (train[-1] - train[-5]),
    speed,
    unit="m/s",
    rtol=0.02,
)
claims.holds("its speed in an endless row", dominoes.speed(), speed, unit="m/s", rtol=0.04)
larger = dominoes.speed(h=0.192, d=0.03, s=0.08, omega=3.0)
claims.holds("four times as large: over √(g h)", 2.0, larger / dominoes.speed(), rtol=1e-9)
# A step that removes penetration of dominoes lifts them by micrometres.
gain = np.diff(sol.energy.total).max() / sol.energy.total[0]
claims.holds("energy gained in one step, over the total", 0.0, max(gain, 0.0), atol=5e-5)
claims

# %%
# Reference: :func:`nsmb.systems.dominoes`, :func:`nsmb.systems.dominoes.times`,
# :func:`nsmb.systems.dominoes.speed`. Steps: :doc:`/learn/stepping`. Test:
# :source:`tests/systems/test_dominoes.py`.
