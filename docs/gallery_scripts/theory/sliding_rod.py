r"""
Painlevé's rod
==============

A rod slides on its lower end, pushed ahead like a piece of chalk. Contact force and gap
acceleration are related by :math:`\ddot g_N = a \lambda_N + b` with

.. math::

   m a = 1 + 3 \cos\varphi\,(\cos\varphi - \mu \sin\varphi), \qquad
   b = s \dot\varphi^2 \sin\varphi - g .
   \tag{5.31}

For :math:`\mu > 4/3` there are inclinations with :math:`a < 0`. There the law has no solution if
:math:`b < 0` and two if :math:`b > 0` (5.35). With :math:`\mu = 5/3` these inclinations lie between
45° and 75.96°.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

rod = nsmb.systems.sliding_rod()
rod.parameter_table

# %%
# Number of solutions
# -------------------
# `nsmb.instant.accelerations` reports the case that applies at a given state.

angles, spins = np.radians(np.linspace(5.0, 88.0, 43)), np.linspace(0.0, 2.5, 26)
names = ("contact", "detachment", "non-unique", "inconsistent")
case = np.empty((spins.size, angles.size))
for i, spin in enumerate(spins):
    for j, phi in enumerate(angles):
        system = nsmb.systems.sliding_rod(phi=phi, omega=np.sqrt(spin * 10.0))
        at = system.initial_state
        case[i, j] = names.index(nsmb.instant.accelerations(system, at.t, at.q, at.u).case)

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
colors = plt.matplotlib.colors.ListedColormap(["#CBE4C6", "#BCD7EC", "#F6DDB5", "#F3C9BC"])
mesh = ax.pcolormesh(np.degrees(angles), spins, case, cmap=colors, vmin=-0.5, vmax=3.5)
bar = figure.colorbar(mesh, ax=ax, ticks=range(4))
bar.ax.set_yticklabels(names)
ax.set(xlabel="φ / °", ylabel="s φ̇²/g", title="solutions of the contact law, μ = 5/3")

# %%
# Motion
# ------
# When the rod slides with :math:`b < 0` it is drawn into :math:`a = 0` at 45°. The force grows
# without bound, and the run ends there with a status. If the run is continued by an impact without
# collision (``on_inconsistent="impact"``), the rod jams: the impulse stops its lower end at once.

fast = nsmb.systems.sliding_rod(phi=0.5, omega=0.5, v=20.0)
sol = nsmb.simulate(fast, t_end=2.0, throw=False)
print(sol.status, "at", np.degrees(sol.q[-1, 2]), "degrees")

figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.0), layout="constrained")
sol.draw(0.0, ax=axes[0])
axes[1].semilogy(sol.t, sol.lambda_N[:, 0])
axes[1].set(xlabel="t / s", ylabel="contact force / N")

# %%

jammed = nsmb.systems.sliding_rod(phi=1.0, mu=1.7)
method = nsmb.EventDriven(on_inconsistent="impact")
onward = nsmb.simulate(jammed, t_end=0.3, method=method)
print(onward.events.to_text())

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 5.3")


def coefficient(phi, mu):
    system = nsmb.systems.sliding_rod(mu=mu, phi=phi)
    at = system.initial_state
    k = system.contact_kinematics(at.t, at.q, at.u)
    w_N, w_T = k["W_N"][:, 0], k["W_T"][:, 0]
    return float(w_N @ np.linalg.solve(system.mass_matrix(at.t, at.q), w_N - mu * w_T))


claims.holds(
    "a = 0 at tan φ = 1 and 4 for μ = 5/3",
    [0.0, 0.0],
    [coefficient(np.arctan(tangent), 5 / 3) for tangent in (1.0, 4.0)],
    atol=1e-14,
    source="(5.36)",
)
claims.holds(
    "a > 0 for all angles if μ < 4/3",
    True,
    min(coefficient(phi, 1.333) for phi in angles) > 0.0,
    source="(5.36)",
)
a = 1 + 3 * np.cos(angles) * (np.cos(angles) - 5 / 3 * np.sin(angles))
b = spins[:, None] * np.sin(angles) - 1.0
said = np.where(a > 0, np.where(b > 0, 1, 0), np.where(b > 0, 2, 3))
clear = (np.abs(a) > 1e-6) & (np.abs(b) > 1e-6)
claims.holds(
    "none, one or two solutions by the signs of a and b",
    True,
    bool((said == case)[clear].all()),
    source="(5.35)",
)
claims.holds("sliding from 28.6° ends at 45°", 45.0, np.degrees(sol.q[-1, 2]), unit="°", atol=1e-7)
inside = sol.t < sol.t[-1] - 1e-4
phi, omega = sol.q[inside, 2], sol.u[inside, 2]
ratio = (10.0 - omega**2 * np.sin(phi)) / (
    1 + 3 * np.cos(phi) * (np.cos(phi) - 5 / 3 * np.sin(phi))
)
claims.holds(
    "force on the way", ratio, sol.lambda_N[inside, 0], unit="N", rtol=1e-8, source="(5.31)"
)
claims

# %%
# Reference: :func:`nsmb.systems.sliding_rod`, :func:`nsmb.instant.accelerations`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_sliding_rod.py`.
