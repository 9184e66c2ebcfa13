r"""
Two point masses
================

Two masses on one line collide: the simplest possible impact. Kinetic equations, kinematics and the
restitution law give the impulse and the post-impact velocities,

.. math::

   \Lambda_N = -(1 + \varepsilon_N) \frac{m_1 m_2}{m_1 + m_2}\, \dot g_{NA}, \qquad
   \dot g_{NE} = -\varepsilon_N\, \dot g_{NA}
   \tag{7.22}

with the gap :math:`g_N = x_2 - x_1`. Poisson's and Newton's laws agree here.
"""

import matplotlib.pyplot as plt

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

masses = nsmb.systems.two_point_masses()
masses.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(masses, t_end=1.0)
figure = plt.figure(figsize=(9.0, 3.4), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.3))
sol.draw(0.2, ax=left.subplots())
sol.plot(figure=right)

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 7.4")
p, impact = masses.parameters, sol.events[0]
m, approach = p["m_1"] + p["m_2"], p["v_2"] - p["v_1"]
reduced = p["m_1"] * p["m_2"] / m
claims.holds("they meet after d/|ġ|", -p["d"] / approach, impact.t, unit="s", rtol=1e-14)
claims.holds(
    "impulse",
    -(1 + p["e_N"]) * reduced * approach,
    impact.Lambda_N[0],
    unit="N s",
    rtol=1e-14,
    source="(7.22)",
)
behind = [
    p["v_1"] + p["m_2"] / m * (1 + p["e_N"]) * approach,
    p["v_2"] - p["m_1"] / m * (1 + p["e_N"]) * approach,
]
claims.holds(
    "velocities after the impact",
    behind,
    impact.u_plus,
    unit="m/s",
    atol=1e-14,
    source="(7.23)",
)
loss = 0.5 * (1 - p["e_N"] ** 2) * reduced * approach**2
claims.holds("energy lost", loss, impact.energy_loss, unit="J", rtol=1e-13, source="closed form")
for e_N, said, number in ((1.0, [-1.0, 3.0], "(7.24)"), (0.0, [1.0, 1.0], "(7.25)")):
    equal = nsmb.systems.two_point_masses(m_2=1.0, e_N=e_N)
    u = nsmb.simulate(equal, t_end=1.0).u[-1]
    claims.holds(f"equal masses, ε_N = {e_N:g}", said, u, unit="m/s", atol=1e-14, source=number)
claims

# %%
# Reference: :func:`nsmb.systems.two_point_masses`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_balls.py`.
