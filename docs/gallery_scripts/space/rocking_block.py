r"""
Rocking block
=============

A block that is let go on one edge rocks to the other one and back, each time a little less. Housner
asked what a change of the edge costs: before it the block turns about one edge, behind it about the
other, the only one that pushes. Angular momentum about that edge is what remains, and of the energy

.. math::

   r = \left(1 - \tfrac32 \sin^2 \alpha\right)^2, \qquad \tan\alpha = \frac{B}{H} .

Plain inelastic impacts say the same, without being told which edge lets go: both edges touch, and
the old one parts by itself.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import rocking_block
from nsmb.testing import Claims

# %%
# Data
# ----

block = nsmb.systems.rocking_block()
block.parameter_table

# %%
# Motion
# ------
# Its slope, and the kinetic energy, with its jumps.

sol = nsmb.simulate(block)
slope = 2.0 * np.arctan2(sol.q[:, 5], sol.q[:, 3])
figure, axes = plt.subplots(1, 3, figsize=(10.0, 2.9), width_ratios=(1, 2, 2), layout="constrained")
sol.draw(0.0, ax=axes[0], title="0 s")
axes[1].plot(sol.t, slope)
axes[1].set(xlabel="t / s", ylabel="slope / rad")
axes[2].plot(sol.t, sol.energy.kinetic)
axes[2].set(xlabel="t / s", ylabel="kinetic energy / J")

# %%
# What is known
# -------------
# Each impact is found in the steps; the part that is kept is known to the order of the step, and
# better from two steps.


def kept(step, system):
    """Of the energy, in the first change of the edge."""
    method = nsmb.Midpoint(step)
    energy = nsmb.simulate(system, t_end=0.6, method=method, output_step=step).energy.kinetic
    row = np.argmin(np.diff(energy))
    return energy[row + 1] / energy[row]


claims = Claims("Housner (1963)")
for B in (0.12, 0.2, 0.35):
    system = block.with_parameters(B=B, theta=0.1)
    expected = rocking_block.energy_ratio(B=B)
    coarse, fine = kept(5e-4, system), kept(2.5e-4, system)
    claims.holds(f"B = {B:g} m: energy kept, steps of 0.25 ms", expected, fine, atol=5e-3)
    claims.holds(f"B = {B:g} m: from two steps", expected, 2.0 * fine - coarse, atol=5e-4)
claims.holds("friction it needs", 9.0 / 37.0, rocking_block.friction(), rtol=1e-12)
smooth = kept(2.5e-4, block.with_parameters(mu=0.15))
claims.fails(
    "with less it keeps the same",
    rocking_block.energy_ratio(),
    smooth,
    because="the edge slides",
    atol=5e-3,
)
flat = nsmb.simulate(block.with_parameters(B=0.6, H=0.3, theta=0.05), t_end=0.5)
claims.holds("a flat one rests at once", 0.0, np.abs(flat.u[-1]).max(), unit="m/s", atol=1e-6)
claims

# %%
# Reference: :func:`nsmb.systems.rocking_block`, :func:`nsmb.systems.rocking_block.energy_ratio`,
# :func:`nsmb.systems.rocking_block.friction`. Test:
# :source:`tests/systems/test_blocks_in_space.py`.
