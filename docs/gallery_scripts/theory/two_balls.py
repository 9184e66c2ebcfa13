r"""
A ball falls on a ball
======================

One ball lies on the ground, and another falls on it. The question is how the lower ball moves. With
Newton's law each contact has a prescribed post-impact velocity, and the lower ball stays at rest.
With Poisson's law each contact gives back a part of its compression impulse,

.. math::

   \Lambda_{NE,i} \ge \varepsilon_{N,i}\, \Lambda_{NC,i},

and the lower ball, squeezed from above, takes off: the wave passes through it to the ground and
comes back (section 8.12, (8.101)).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

balls = nsmb.systems.two_balls()
balls.parameter_table

# %%
# Motion
# ------
# The same fall with both impact laws. The law is an option of the method.

newton = nsmb.EventDriven(impact_law="newton")
runs = {
    "Poisson": nsmb.simulate(balls, t_end=0.5),
    "Newton": nsmb.simulate(balls, t_end=0.5, method=newton),
}
figure, axes = plt.subplots(1, 4, figsize=(10.0, 3.0), layout="constrained")
for (name, sol), pair in zip(runs.items(), (axes[:2], axes[2:]), strict=True):
    for ax, t in zip(pair, (0.05, 0.4), strict=True):
        sol.draw(t, ax=ax, title=f"{name}, {t:g} s")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%
# Post-impact velocities of both gaps over the restitution between the balls. With Poisson's law the
# lower ball always leaves the ground. Up to :math:`\varepsilon_{N2} = 1/2` both balls rise
# together.

restitution = np.linspace(0.0, 1.0, 21)
behind = {"Poisson": [], "Newton": []}
for e_2 in restitution:
    for name, method in (("Poisson", nsmb.EventDriven(impact_law="poisson")), ("Newton", newton)):
        system = nsmb.systems.two_balls(e_2=e_2)
        impact = nsmb.simulate(system, t_end=0.11, method=method).events[0]
        after = system.contact_quantities(impact.t, impact.q, impact.u_plus)
        behind[name].append(after["gamma_N"])

figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.0), sharey=True, layout="constrained")
for ax, (name, speeds) in zip(axes, behind.items(), strict=True):
    ax.plot(restitution, speeds, label=["ground", "balls"])
    ax.set(xlabel="ε_N2", title=name)
    ax.legend()
axes[0].set_ylabel("gap velocity after the impact / m/s")

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 8.12")
poisson = np.array(behind["Poisson"])
together = restitution <= 0.5
claims.holds("both leave together up to ε_N2 = 1/2", [0.5, 0.0], poisson[4], unit="m/s", atol=1e-14)
claims.holds(
    "above, the lower one leaves with 1 - ε_N2",
    1.0 - restitution[~together],
    poisson[~together, 0],
    unit="m/s",
    atol=1e-14,
)
claims.holds(
    "and the upper one with 2 ε_N2 - 1 relative to it",
    2.0 * restitution[~together] - 1.0,
    poisson[~together, 1],
    unit="m/s",
    atol=1e-14,
)
claims.holds(
    "with Newton's law the lower one stays",
    0.0,
    np.array(behind["Newton"])[:, 0],
    unit="m/s",
    atol=1e-14,
)
claims.holds(
    "and the upper one leaves with ε_N2",
    restitution,
    np.array(behind["Newton"])[:, 1],
    unit="m/s",
    atol=1e-14,
)
claims

# %%
# Reference: :func:`nsmb.systems.two_balls`. Theory: :doc:`/theory/contact_laws`.
# Test: :source:`tests/systems/test_balls.py`.
