r"""
Two beams and a sphere
======================

Two cantilevers, one above the other, start straight and swing under their weight. A rigid sphere
falls on the upper beam and presses it against the lower one. All contacts are pressures over areas
between deformable meshes. Before the sphere arrives the tips follow

.. math::

   w = \frac{q L^4}{8 E I}, \qquad \omega_1 = 3.516 \sqrt{\frac{E I}{q L^4 / g}} .
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

beams = nsmb.systems.two_beams_and_sphere()
beams.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(beams, 0.3)
t = np.linspace(0.0, 0.3, 301)
at = sol.at(t)
figure, axes = plt.subplots(2, 1, figsize=(9.0, 4.6), layout="constrained", sharex=True)
tips = {
    name: np.array([beams.position(f"{name}.tip", 0.0, q)[2] for q in at.q])
    for name in ("upper", "lower")
}
for name, z in tips.items():
    axes[0].plot(t, 1e3 * z, lw=0.9, label=f"tip of the {name} beam")
axes[0].plot(t, 1e3 * (at.q[:, beams.coordinates.index("sphere.z")] - 0.025), lw=0.9,
             label="lowest point of the sphere")  # fmt: skip
axes[0].set(ylabel="z / mm", ylim=(-60.0, 60.0))
axes[0].legend()
forces = {
    name: np.array(
        [np.linalg.norm(beams.areal_contact(name, 0.0, q, u).force)
         for q, u in zip(at.q, at.u, strict=True)]
    )
    for name in ("sphere_upper", "upper_lower")
}  # fmt: skip
for name, force in forces.items():
    axes[1].plot(t, force, lw=0.9, label=name)
axes[1].set(xlabel="t / s", ylabel="contact force / N")
axes[1].legend()

# %%
# Comparison with known results
# -----------------------------
# Until the sphere arrives both beams move alike: they oscillate about q l⁴/8EI with the frequency
# 3.516 sqrt(EI/ml⁴).

claims = Claims("Euler and Bernoulli")
EI = 3e9 * 0.04 * 6e-3**3 / 12.0
line = 1200.0 * 0.04 * 6e-3
free = t < t[np.flatnonzero(forces["sphere_upper"])[0]]
fall = np.sqrt(2.0 * (0.2 - 0.003) / 9.81)
claims.holds("the sphere meets the upper beam after a free fall and more", True,
             bool(t[~free][0] > 0.9 * fall))  # fmt: skip
claims.holds("both beams move alike before", 0.0,
             np.abs(tips["upper"] - tips["lower"] - 0.026)[free].max(),
             unit="m", atol=1e-9)  # fmt: skip
sag = line * 9.81 * 0.5**4 / (8.0 * EI)
omega = 3.5160 * np.sqrt(EI / (line * 0.5**4))
swing = -sag * (
    1.0 - np.cos(omega * np.sqrt(1.0 - 1e-4) * t[free]) * np.exp(-0.01 * omega * t[free])
)
claims.holds("tip before the sphere comes, from its static position", 0.0,
             np.abs(tips["upper"][free] - swing).max() / sag, atol=0.05)  # fmt: skip
claims.holds("the beams touch after the sphere has come", True,
             bool(forces["upper_lower"].max() > 0.0
                  and t[np.flatnonzero(forces["upper_lower"])[0]] > t[~free][0]))  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.two_beams_and_sphere`. Test:
# :source:`tests/systems/test_areal_systems.py`.
