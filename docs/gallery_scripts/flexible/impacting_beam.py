r"""
Beam against a stop
===================

A strip of spring steel on a shaken support that carries a stop below the tip of the strip, as in
the experiment of Moon and Shaw. The modal coordinates :math:`q_k` of its clamped modes, scaled to
unit tip deflection and with participation factors :math:`\Gamma_k` for the motion of the support,
obey

.. math::

   \ddot q_k + 2 \zeta \omega_k \dot q_k + \omega_k^2 q_k = \Gamma_k a \omega^2 \cos \omega t,
   \qquad g_N = \sum_k q_k + g_0, \qquad \dot g_N^+ = -e_N \dot g_N^-.

With one mode this is the impact oscillator. With three modes, every impact excites the higher ones.
One period of the support then has several impacts, or a chatter that ends at rest on the stop.
Orbits, their stability and branches come from :mod:`nsmb.analysis`, as for all systems.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import nsmb
from nsmb import analysis
from nsmb.testing import Claims

# %%
# Data
# ----

beam = nsmb.systems.impacting_beam()
beam.parameter_table

# %%
# Motion
# ------
# From rest at 70 rad/s: each impact is followed by ever smaller ones.

sol = nsmb.simulate(beam, 0.5)
figure, ax = plt.subplots(figsize=(9.0, 3.0), layout="constrained")
t = np.linspace(*sol.t_span, 4001)
ax.plot(t, 1e3 * sol.at(t).g_N[:, 0], lw=0.9)
ax.set(xlabel="t / s", ylabel="gap of the tip / mm")

# %%
# Orbits of three modes
# ---------------------
# At 95 rad/s the tip hits three times a period. At 70 rad/s it chatters and comes to rest at the
# stop.

figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained", sharey=True)
orbits = {}
for omega, ax in zip((95.0, 70.0), axes, strict=True):
    orbit = orbits[omega] = analysis.periodic_orbit(beam.with_parameters(omega=omega), transient=40)
    t = np.linspace(*orbit.solution.t_span, 2001)
    ax.plot((t - t[0]) * 1e3, 1e3 * orbit.solution.at(t).g_N[:, 0], lw=0.9)
    strokes = orbit.solution.events.of_kind("impact").t
    ax.plot((strokes - t[0]) * 1e3, 0 * strokes, "|", color="#D55E00", ms=9)
    ax.set(title=f"ω = {omega:g} rad/s", xlabel="t / ms")
axes[0].set_ylabel("gap of the tip / mm")

# %%
# Comparison with known results
# -----------------------------
# Frequencies of the Euler-Bernoulli cantilever. With one mode and one impact a period, the motion
# between impacts and the orbit have a closed form. For each phase, three linear equations give the
# impact velocity; one scalar equation remains for the phase.


def one_stroke(omega, gap=2e-3, a=1e-3, e_N=0.6, zeta=0.02):
    """Return the impact speed (m/s) of the orbit with one mode and one impact a period."""
    x = 1.875104068711961
    own = x**2 * np.sqrt(2.1e11 * 1e-6 / 12.0 / 7850.0) / 0.3**2
    # Participation factor: momentum of the shape for a unit rigid shift over its modal mass.
    sigma = (np.cosh(x) + np.cos(x)) / (np.sinh(x) + np.sin(x))
    share = 4.0 * sigma / x
    P, damped, decay = 2.0 * np.pi / omega, own * np.sqrt(1.0 - zeta**2), zeta * own
    G = share * a * omega**2 / (own**2 - omega**2 + 2j * zeta * own * omega)
    c, s, d = np.cos(damped * P), np.sin(damped * P), np.exp(-decay * P)

    def strikes(phase):
        """Return the velocity before the impact and the residual of Newton's law, for the motion
        that is at the stop at this phase and a period later."""
        forced = (G * np.exp(1j * phase)).real
        forced_dot = (1j * omega * G * np.exp(1j * phase)).real
        x_0 = -gap - forced  # free part, at both ends
        # x(P) = d (c x_0 + s (v_0 + decay x_0)/damped) = x_0 gives v_0, the free part's velocity.
        v_0 = damped * (x_0 / d - c * x_0) / s - decay * x_0
        v_P = d * (c * v_0 - s * (damped**2 * x_0 + decay * (v_0 + decay * x_0)) / damped)
        before, behind = v_P + forced_dot, v_0 + forced_dot
        return before, behind + e_N * before

    phases = np.linspace(0.0, 2.0 * np.pi, 721)
    left = np.array([strikes(phase)[1] for phase in phases])
    for k in np.flatnonzero(left[1:] * left[:-1] < 0.0):
        phase = brentq(lambda y: strikes(y)[1], phases[k], phases[k + 1], xtol=1e-14)
        if strikes(phase)[0] < 0.0:
            return -strikes(phase)[0]
    raise AssertionError("no orbit with one stroke")


claims = Claims("Euler and Bernoulli")
K = -np.array([beam.forces(0.0, e, np.zeros(3)) - beam.forces(0.0, 0 * e, np.zeros(3))
               for e in 1e-3 * np.eye(3)]).T / 1e-3  # fmt: skip
found = np.sqrt(np.linalg.eigvals(np.linalg.solve(beam.mass_matrix(0.0, np.zeros(3)), K)).real)
base = np.sqrt(2.1e11 * 1e-6 / 12.0 / 7850.0) / 0.3**2
for k, root in enumerate((1.875104069, 4.694091133, 7.854757438)):
    claims.holds(f"mode {k + 1}", root**2 * base, np.sort(found)[k], unit="rad/s", rtol=1e-4)
single = analysis.periodic_orbit(beam.with_parameters(modes=1), transient=100)
speed = -single.solution.events.of_kind("impact").u_minus[0, 0]
claims.holds("one mode: speed of the stroke", one_stroke(70.0), speed, unit="m/s", rtol=1e-4)
claims.holds("three modes at 95 rad/s: strokes a period", 3,
             len(orbits[95.0].solution.events.of_kind("impact")))  # fmt: skip
claims.holds("stable", ["stable"] * 3, [o.stability for o in (single, *orbits.values())])
claims

# %%
# Reference: :func:`nsmb.systems.impacting_beam`. Test:
# :source:`tests/systems/test_impacting_beam.py`.
