"""A solved problem on acceleration level, and random ones.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 5, 6.
"""

from typing import Any

import numpy as np

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole, solve_acceleration
from tests.contact_laws.planar import MINUS, OPEN, PLUS, STICK, Array, Contacts, random_contacts

FORCES = ("lambda_N", "lambda_T")
UNSOLVED = {LcpStatus.NO_SOLUTION, LcpStatus.RAY}

# Modes that brute force may try for a contact of each role.
MODES: dict[ContactRole, str | tuple[str, ...]] = {
    ContactRole.Absent: (OPEN,),
    ContactRole.Candidate: (OPEN, STICK, PLUS, MINUS),
    ContactRole.SlidesPositive: (OPEN, PLUS),
    ContactRole.SlidesNegative: (OPEN, MINUS),
    ContactRole.Frictionless: (OPEN, PLUS),
}


def solve(
    system: Contacts,
    h: Any,
    mu: Any,
    roles: list[ContactRole],
    w_bar: Any = None,
) -> dict[str, Any]:
    """Solve the law for M u̇ = h + W λ, γ̇ = Wᵀu̇ + w̄, w̄ (2nc)."""
    nc = system.nc
    free = system.W.T @ np.linalg.solve(system.M, np.asarray(h, float))
    if w_bar is not None:
        free = free + np.asarray(w_bar, float)
    return solve_acceleration(
        system.G, free[:nc], free[nc:], np.broadcast_to(np.asarray(mu, float), nc), roles
    )


def check_solved(result: dict[str, Any], **expected: Any) -> None:
    assert result["status"] == LcpStatus.SOLVED
    for name, value in expected.items():
        # Numbers of order 1 to 100, at most four of them summed: 1e-12 is 40 times their rounding.
        np.testing.assert_allclose(result[name], value, rtol=1e-13, atol=1e-12, err_msg=name)


ROLES = list(MODES)


class Problem:
    """Up to 3 contacts of random roles with up to 7 degrees of freedom, μ <= 0.4."""

    def __init__(self, seed: int, *, independent: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.nc = int(rng.integers(1, 4))
        nu = int(rng.integers(2 * self.nc if independent else 1, 8))
        self.system = random_contacts(rng, nu, self.nc)
        self.mu = rng.uniform(0, 0.4, self.nc)
        self.roles = [ROLES[k] for k in rng.choice(5, self.nc, p=[0.1, 0.5, 0.15, 0.15, 0.1])]
        self.mu[[role == ContactRole.Frictionless for role in self.roles]] = 0.0
        self.free = rng.uniform(0.1, 10) * rng.standard_normal(2 * self.nc)
        self.result = solve_acceleration(
            self.system.G, self.free[: self.nc], self.free[self.nc :], self.mu, self.roles
        )

    def having(self, *roles: ContactRole) -> Array:
        return np.array([role in roles for role in self.roles])
