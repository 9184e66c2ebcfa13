r"""
Rocking block
=============

A block released on one edge rocks to the other edge and back with decreasing amplitude. Housner
derived the energy lost in a change of the edge. Before it the block rotates about one edge. After
it the block rotates about the other edge, the only one with a contact force. The angular momentum
about that edge is conserved, and the kinetic energy is reduced by the factor

.. math::

   r = \left(1 - \tfrac32 \sin^2 \alpha\right)^2, \qquad \tan\alpha = \frac{B}{H} .

Plain inelastic impacts give the same result without specifying which edge detaches: both edges
touch, and the old one detaches by itself.
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
# Tilt of the block, and its kinetic energy with the jumps.

sol = nsmb.simulate(block)
slope = 2.0 * np.arctan2(sol.q[:, 5], sol.q[:, 3])
figure, axes = plt.subplots(1, 3, figsize=(10.0, 2.9), width_ratios=(1, 2, 2), layout="constrained")
sol.draw(0.0, ax=axes[0], title="0 s")
axes[1].plot(sol.t, slope)
axes[1].set(xlabel="t / s", ylabel="slope / rad")
axes[2].plot(sol.t, sol.energy.kinetic)
axes[2].set(xlabel="t / s", ylabel="kinetic energy / J")

# %%
# Comparison with known results
# -----------------------------
# The steps capture each impact. The ratio of energies has the order of the step size, and two step
# sizes give an improved value.


def kept(step, system):
    """Return the ratio of energies in the first change of the edge."""
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
