r"""
Spin-up of a beam
=================

A beam on a hub whose speed increases for fifteen seconds,

.. math::

   \dot\theta = \frac{\Omega}{T}\left(t - \frac{T}{2\pi}\sin\frac{2\pi t}{T}\right),

lags behind, comes back and is finally stretched by :math:`\rho A\,\Omega^2 L^3/(3EA)`. Small
strains about a rotating frame omit the stiffening effect of the centrifugal force. Once the hub
rotates faster than the lowest frequency of the beam, 3.8 rad/s, the tip of such a model diverges.
With displacements of second order,

.. math::

   \mathbf u = \mathbf S\mathbf q_e + \tfrac12\sum_{kl}\boldsymbol\Gamma_{kl}\,q_k q_l ,

bending shortens the projection of the beam, so that its points move towards the hub, and the
centrifugal force does work on this displacement.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import spin_up_beam
from nsmb.testing import Claims

# %%
# Data
# ----

beam = nsmb.systems.spin_up_beam()
beam.parameter_table

# %%
# Motion
# ------
# Deviation of the tip from its position on a rigid beam, with and without second-order terms.


def behind(sol):
    """Return the tip displacement along and across a rigid beam, in m."""
    T, omega = 15.0, 6.0
    c = 2.0 * np.pi / T
    run_up = omega / T * (0.5 * sol.t**2 + (np.cos(c * sol.t) - 1.0) / c**2)
    theta = np.where(sol.t < T, run_up, omega * (sol.t - 0.5 * T))
    r = np.array([sol.system.position("beam.tip", t, q) for t, q in zip(sol.t, sol.q, strict=True)])
    cos, sin = np.cos(theta), np.sin(theta)
    return cos * r[:, 0] + sin * r[:, 1] - 10.0, cos * r[:, 1] - sin * r[:, 0]


method = nsmb.EventDriven(rtol=1e-8, atol=1e-10)
sol = nsmb.simulate(beam, method=method, output_step=0.01)
plain = nsmb.simulate(beam.with_parameters(stiffening="off"), 10.0, output_step=0.01)
along, across = behind(sol)
without = behind(plain)[1]
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
axes[0].plot(sol.t, across, label="with second order")
axes[0].plot(plain.t, without, "--", label="without")
axes[0].set(xlabel="t / s", ylabel="across / m", ylim=(-2.0, 0.3))
axes[0].legend(fontsize="small")
axes[1].plot(sol.t, 1e3 * along)
axes[1].axhline(1e3 * spin_up_beam.stretch(), color="k", ls=":")
axes[1].set(xlabel="t / s", ylabel="along / mm")

# %%
# Comparison with known results
# -----------------------------
# The source gives the stretch. The reference for the lag of the tip is a model of 16 ANCF elements
# in another program, which a benchmark runs alongside this model.

claims = Claims("Simo & Vu-Quoc (1986)")
steady = sol.t > 15.0
claims.holds("longer at last", 1e3 * 5.14e-4, 1e3 * along[steady].mean(), unit="mm", rtol=5e-3)
claims.holds("farthest behind", -0.5738, across.min(), unit="m", rtol=1e-3,
             source="benchmarks/exudyn_beams.py")  # fmt: skip
claims.holds("straight at last, within 4 mm", True, np.abs(across[steady]).max() < 4e-3)
claims.holds("without second order it goes away", True, np.abs(without[-1]) > 10.0)
claims

# %%
# Reference: :func:`nsmb.systems.spin_up_beam`, :func:`nsmb.systems.spin_up_beam.stretch`. Test:
# :source:`tests/systems/test_spin_up_beam.py`.
