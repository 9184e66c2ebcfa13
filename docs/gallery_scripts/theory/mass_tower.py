r"""
Tower of masses on a shaking table
==================================

Ten masses stand on one another on a shaking table. Each contact may stick, slip to the left or slip
to the right. One of these :math:`3^{10} = 59\,049` combinations is right at any instant (section
1.3). A complementarity formulation avoids trying them one by one: the laws of all contacts form one
linear complementarity problem, which is solved by pivoting.

Relative to the table, the masses are driven by :math:`m A \omega^2 \cos\omega t`. Springs centre
them, and friction decreases from the table to the top.
"""

import itertools

import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

tower = nsmb.systems.mass_tower()
tower.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(tower, t_end=2.0)
sol.animate(speed=0.4, fps=12.5, t_span=(0.0, 1.2), dpi=50, forces=False)

# %%
# Contact states over time, from the table to the top.

sol.plot(coordinates=["x_1", "x_4", "x_7", "x_10"])

# %%
# Comparison with the source
# --------------------------
# For a state in which every contact may stick or slip, all combinations are tried, each by solving
# its linear equations. Exactly one combination obeys the laws, and it is the one found by the
# contact law.

n = 7
weight = np.arange(n, 0, -1) * 10.0
D = np.eye(n) - np.eye(n, k=-1)
modes = np.array(list(itertools.product((0, 1, -1), repeat=n)))
rng = np.random.default_rng(1)
found, same = [], []
for _ in range(10):
    system = nsmb.systems.mass_tower(n=n, c=25.0, mu=rng.uniform(0.1, 0.6), mu_top=0.4)
    limit = weight * np.array([contact.law.mu for contact in system.contacts])
    q, t = np.concatenate([rng.uniform(-1.0, 1.0, n), np.zeros(n)]), rng.uniform()
    p = system.parameters
    drive = p["m"] * p["amplitude"] * p["omega"] ** 2 * np.cos(p["omega"] * t)
    G, b = D @ D.T / p["m"], D @ (drive - p["c"] * q[:n]) / p["m"]
    sticks = modes == 0
    A = np.where(sticks[:, :, None], G, np.eye(n))
    force = np.linalg.solve(A, np.where(sticks, -b, -modes * limit)[:, :, None])[:, :, 0]
    rate = force @ G + b
    right = np.where(sticks, np.abs(force) <= limit, modes * rate >= 0.0).all(axis=1)
    found.append(int(right.sum()))
    taken = nsmb.instant.accelerations(system, t, q, np.zeros(2 * n)).lambda_T
    same.append(np.abs(taken - force[right][0]).max())

claims = Claims("section 1.3")
claims.holds("combinations of ten masses", 59049, 3**10)
claims.holds(
    f"of {len(modes)} combinations of {n} masses one is right",
    [1] * 10,
    found,
    source="enumeration",
)
claims.holds("and is taken", 0.0, same, unit="N", atol=1e-9, source="enumeration")
claims.holds(
    "friction stays in its bounds",
    True,
    bool(
        (
            np.abs(sol.lambda_T)
            <= np.array([c.law.mu for c in tower.contacts]) * sol.lambda_N * (1 + 1e-10)
        ).all()
    ),
    source="(6.11)",
)
block = nsmb.systems.mass_tower(n=1, mu=0.3, c=0.0)
even = nsmb.systems.mass_tower(n=5, mu=0.3, mu_top=0.3, c=0.0)
t = np.linspace(0.0, 3.0, 101)
one, five = (nsmb.simulate(system, t_end=3.0).at(t).q for system in (block, even))
claims.holds(
    "equal friction, no springs: it moves like one block",
    np.tile(one[:, :1], 5),
    five[:, :5],
    unit="m",
    atol=1e-11,
    source="closed form",
)
claims

# %%
# Reference: :func:`nsmb.systems.mass_tower`. Theory:
# :doc:`/theory/complementarity`, :doc:`/theory/contact_laws`. Test:
# :source:`tests/systems/test_mass_tower.py`.
