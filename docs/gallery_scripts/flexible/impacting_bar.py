r"""
Bar against a wall
==================

A bar hits a wall. A wave travels from the contact to the free end and back. When it returns, after

.. math::

   T = \frac{2 L}{c}, \qquad c = \sqrt{E/\rho},

the whole bar moves away as fast as it came (d'Alembert). This needs no coefficient of restitution:
the contact node has e_N = 0, and the bar rebounds as the closed form predicts. The modes that are
left out carry mass at that node, and the momentum of this mass is lost to the wall.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import impacting_bar
from nsmb.testing import Claims

# %%
# Data
# ----

bar = nsmb.systems.impacting_bar()
bar.parameter_table

# %%
# Motion
# ------
# With few modes the force is a truncated Fourier series of the exact step.

T = impacting_bar.duration()
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
for modes in (5, 40):
    sol = nsmb.simulate(bar.with_parameters(modes=modes), output_step=1e-4)
    axes[0].plot(1e3 * sol.t, sol.lambda_N[:, 0], lw=0.9, label=f"{modes} modes")
impedance = 1e-4 * np.sqrt(1e6 * 1000.0)
axes[0].plot(1e3 * np.array([5e-3, 5e-3, 5e-3 + T, 5e-3 + T]), [0, impedance, impedance, 0], "k:")
axes[0].set(xlabel="t / ms", ylabel="force on the wall / N")
axes[0].legend(fontsize="small")
for modes, color in ((5, "C0"), (40, "C1")):
    sol = nsmb.simulate(bar.with_parameters(modes=modes), output_step=1e-4)
    axes[1].plot(1e3 * sol.t, sol.g_N[:, 0] * 1e3, color=color, lw=0.9)
axes[1].set(xlabel="t / ms", ylabel="gap / mm")

# %%
# Comparison with known results
# -----------------------------


def measured(run):
    """Return the contact duration, the velocity of the mass centre afterwards, and the events."""
    kinds = [e.kind for e in run.events]
    M = run.system.mass_matrix(run.t[-1], run.q[-1])
    return run.events.t[1] - run.events.t[0], (M @ run.u[-1])[0] / M[0, 0], kinds


claims = Claims("d'Alembert")
once = [nsmb.EventKind.IMPACT, nsmb.EventKind.DETACH]
for name, data, t_end in (("rubber", {}, 0.1), ("steel", {"E": 2.1e11, "rho": 7850.0}, 6e-3)):
    exact = impacting_bar.duration(**data)
    duration, velocity, kinds = measured(nsmb.simulate(bar.with_parameters(**data), t_end))
    claims.holds(f"{name}: duration of contact", 1e3 * exact, 1e3 * duration, unit="ms", rtol=0.01)
    claims.holds(f"{name}: velocity afterwards", 1.0, velocity, unit="m/s", rtol=0.01)
    claims.holds(f"{name}: it touches once and leaves once", True, kinds == once)
few = measured(nsmb.simulate(bar.with_parameters(modes=5)))
left = 1.0 - sum(8.0 / (np.pi * (2 * k - 1)) ** 2 for k in range(1, 6))
claims.holds("5 modes, duration", 1e3 * T, 1e3 * few[0], unit="ms", rtol=1e-3)
claims.holds("5 modes, velocity", 1.0 - left, few[1], unit="m/s", rtol=1e-3,
             source="mass that is left out")  # fmt: skip
free = measured(nsmb.simulate(bar.with_parameters(modes=5, basis="free-free")))
claims.fails("5 free modes, duration", 1e3 * T, 1e3 * free[0], unit="ms", rtol=0.01,
             because="they have no shape that holds the node at rest")  # fmt: skip
claims.holds("5 free modes, velocity", 1.0 - 1.0 / 11.0, free[1], unit="m/s", rtol=1e-3,
             source="mass that is left out")  # fmt: skip
method = nsmb.PositionForces(2e-5, mixing=0.5)
stepped = nsmb.simulate(bar, method=method, output_step=2e-5)
pressed = stepped.t[stepped.lambda_N[:, 0] > 0.0]
M = bar.mass_matrix(0.0, stepped.q[-1])
claims.holds("in steps of 20 µs that find forces: duration", 1e3 * T,
             1e3 * (pressed[-1] - pressed[0]), unit="ms", rtol=0.01)  # fmt: skip
claims.holds("velocity", 1.0, (M @ stepped.u[-1])[0] / M[0, 0], unit="m/s", rtol=0.01)
claims

# %%
# Reference: :func:`nsmb.systems.impacting_bar`, :func:`nsmb.systems.impacting_bar.duration`. Test:
# :source:`tests/systems/test_impacting_bar.py`.
