"""A solved impact with all results of its impulses, and random ones.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapter 8.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import UnilateralContact
from tests.contact_laws.planar import Array, Contacts, random_contacts

IMPULSES = ("Lambda_NC", "Lambda_TC", "Lambda_N", "Lambda_T")

LAWS_OF_IMPACT = pytest.mark.parametrize("law_of_impact", list(ImpactLaw.__members__.values()))


class Impact:
    """A solved impact and all results of its impulses, computed here.

    Laws are (nc) arrays or numbers; stacked vectors (2nc) have the normal rows first, as (8.43).
    """

    def __init__(
        self,
        system: Contacts,
        u: Any,
        mu: Any = 0.0,
        e_N: Any = 0.0,
        e_T: Any = 0.0,
        nu: Any = 0.0,
        w_tilde: Any = 0.0,
        law: ImpactLaw = ImpactLaw.Poisson,
        participants: Sequence[int] | None = None,
    ) -> None:
        nc = system.nc
        self.system, self.u_A = system, np.array(u, dtype=float)
        self.mu, self.e_N, self.e_T, self.nu = (
            np.broadcast_to(np.asarray(p, float), nc) for p in (mu, e_N, e_T, nu)
        )
        self.G = system.G
        self.gamma_A = system.W.T @ self.u_A + w_tilde
        self.laws = [
            UnilateralContact(*row)
            for row in zip(self.mu, self.e_N, self.e_T, self.nu, strict=True)
        ]
        self.law = law
        self.participants = list(range(nc)) if participants is None else list(participants)
        self.result = self.solve()

        r = self.result
        self.solved = r["status"] == LcpStatus.SOLVED
        self.Lambda_C = np.concatenate([r["Lambda_NC"], r["Lambda_TC"]])
        self.Lambda = np.concatenate([r["Lambda_N"], r["Lambda_T"]])
        self.Lambda_E = self.Lambda - self.Lambda_C
        self.Lambda_P = self.Lambda_E - np.tile(self.e_N, 2) * self.Lambda_C  # (8.29), (8.35)
        self.gamma_C = self.gamma_A + self.G @ self.Lambda_C
        self.gamma_E = self.gamma_A + self.G @ self.Lambda
        self.u_C = self.u_A + system.jump(*np.split(self.Lambda_C, 2))
        self.u_E = self.u_A + system.jump(*np.split(self.Lambda, 2))
        # Scales for rounding errors: of a momentum, and of an energy.
        self.scale = max(np.abs(self.gamma_A).max(), np.abs(self.Lambda).max())
        self.energy_scale = system.kinetic_energy(self.u_A) + self.Lambda @ self.G @ self.Lambda

    def solve(self, velocities: float = 1.0, masses: float = 1.0) -> dict[str, Any]:
        """Solve the same impact with all velocities and masses multiplied."""
        gamma_N, gamma_T = np.split(self.gamma_A * velocities, 2)
        G = self.G / masses
        return solve_impact(G, gamma_N, gamma_T, self.laws, self.participants, self.law)

    @property
    def energy_change(self) -> float:
        """T_E - T_A from the velocities of the bodies."""
        T = self.system.kinetic_energy
        return T(self.u_E) - T(self.u_A)


def split(stacked: Array) -> tuple[Array, Array]:
    normal, tangential = np.split(stacked, 2)
    return normal, tangential


def random_impact(seed: int, *, max_mu: float = 2.0, independent: bool = False) -> Impact:
    """Return up to 4 contacts with up to 8 degrees of freedom, w̃ = 0, all parameters random."""
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 3 if independent else 5))
    nu = int(rng.integers(2 * nc if independent else 1, 9))
    system = random_contacts(rng, nu, nc)
    u = rng.standard_normal(nu)
    e_N, e_T, reversible = rng.uniform(0, 1, (3, nc))
    return Impact(system, u, max_mu * rng.uniform(0, 1, nc), e_N, e_T, reversible)
