"""Contacts with two tangential directions and friction elements: random ones, impacts, laws.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapter 8.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import ContactDescription, ContactKind, UnilateralContact
from tests.contact_laws.planar import Array


@dataclass(frozen=True)
class Contact:
    """Parameters of one contact.

    `normal` denotes friction alone, with the normal force of that contact in its bound; -1: none.
    """

    mu: float = 0.0
    e_N: float = 0.0
    e_T: float = 0.0
    nu: float = 0.0
    aspect: float = 1.0
    tangents: int = 2
    normal: int | None = None

    @property
    def law(self) -> UnilateralContact:
        return UnilateralContact(self.mu, self.e_N, self.e_T, self.nu, self.aspect)

    def describe(self, name: str) -> ContactDescription:
        if self.normal is None:
            return ContactDescription(name, self.law, ContactKind.Unilateral, self.tangents)
        return ContactDescription(name, self.law, ContactKind.Friction, self.tangents, self.normal)


@dataclass(frozen=True)
class Bodies:
    """M (nu, nu) and the directions W_N (nu, nc), W_T (nu, nt) of contacts at one instant."""

    M: Array
    W_N: Array
    W_T: Array
    contacts: tuple[Contact, ...]

    @property
    def nc(self) -> int:
        return len(self.contacts)

    @property
    def W(self) -> Array:
        return np.hstack([self.W_N, self.W_T])

    @property
    def G(self) -> Array:
        V = np.linalg.solve(np.linalg.cholesky(self.M), self.W)
        G = V.T @ V
        return (G + G.T) / 2

    @property
    def tangents(self) -> list[slice]:
        """Tangential rows of each contact."""
        ends = np.cumsum([0, *(c.tangents for c in self.contacts)])
        return list(itertools.starmap(slice, itertools.pairwise(ends)))

    @property
    def normals(self) -> list[int]:
        """The contact whose normal force bounds each friction force, -1: none."""
        return [i if c.normal is None else c.normal for i, c in enumerate(self.contacts)]

    @property
    def unilateral(self) -> list[int]:
        return [i for i, c in enumerate(self.contacts) if c.normal is None]

    @property
    def descriptions(self) -> list[ContactDescription]:
        return [c.describe(str(i)) for i, c in enumerate(self.contacts)]

    def all(self, name: str) -> Array:
        return np.array([getattr(c, name) for c in self.contacts], dtype=float)

    def having(self, **parameters: float) -> "Bodies":
        """Return the same with these parameters in all contacts."""
        return replace(self, contacts=tuple(replace(c, **parameters) for c in self.contacts))

    def pick(self, order: Iterable[int]) -> "Bodies":
        """Return the listed contacts in that order, some possibly more than once."""
        chosen = list(order)
        rows = np.concatenate([np.arange(self.W_T.shape[1])[self.tangents[i]] for i in chosen])
        contacts = tuple(self.contacts[i] for i in chosen)
        return Bodies(self.M, self.W_N[:, chosen], self.W_T[:, rows], contacts)

    def jump(self, Lambda: ArrayLike) -> Array:
        """Return M⁻¹ W Λ, the change of u (8.5)."""
        return np.linalg.solve(self.M, self.W @ np.asarray(Lambda))

    def kinetic_energy(self, u: Array) -> float:
        return float(u @ self.M @ u / 2)


def bodies(M: ArrayLike, w_N: ArrayLike, w_T: ArrayLike, *contacts: Contact) -> Bodies:
    """Bodies with directions given row by row.

    There is one normal row per contact, which is zero for friction alone.
    """
    rows_N, rows_T = np.array(w_N, dtype=float), np.array(w_T, dtype=float)
    return Bodies(np.array(M, dtype=float), rows_N.T, rows_T.T, contacts)


def random_bodies(rng: np.random.Generator, nu: int, contacts: Sequence[Contact]) -> Bodies:
    """Mass matrix with eigenvalues in [1, 1 + some], directions of unit length."""
    root = rng.standard_normal((nu, nu))
    W_N = rng.standard_normal((nu, len(contacts)))
    W_T = rng.standard_normal((nu, sum(c.tangents for c in contacts)))
    W_N /= np.linalg.norm(W_N, axis=0)
    W_N[:, [c.normal is not None for c in contacts]] = 0.0
    W_T /= np.linalg.norm(W_T, axis=0)
    return Bodies(np.eye(nu) + root @ root.T, W_N, W_T, tuple(contacts))


# The friction law of an ellipse with the half axes r, aspect r --------------------------------


def ellipse_norm(x: Array, aspect: float) -> float:
    """Return the r of the ellipse with x on its boundary; with one direction |x|."""
    return float(np.hypot(x[0], x[1] / aspect)) if len(x) > 1 else float(abs(x[0]))


def support(rate: Array, aspect: float) -> float:
    """Return the maximum of -force · rate over the ellipse with r = 1."""
    return float(np.hypot(rate[0], aspect * rate[1])) if len(rate) > 1 else float(abs(rate[0]))


def dissipation_gap(force: Array, rate: Array, radius: float, aspect: float) -> float:
    """Return how much more power another force of the ellipse would dissipate.

    It is zero iff the friction law holds, -rate ∈ N_C(force) (27), and then the power is not
    positive (26).
    """
    return float(force @ rate + radius * support(rate, aspect))


# Impacts --------------------------------------------------------------------------------------


class SpatialImpact:
    """A solved impact and all results of its impulses, computed here.

    Stacked vectors (nc + nt) have the normal rows first.
    """

    def __init__(
        self,
        system: Bodies,
        u: ArrayLike,
        law: ImpactLaw = ImpactLaw.Poisson,
        *,
        w_tilde: ArrayLike = 0.0,
        without_collision: bool = False,
    ) -> None:
        self.system, self.u_A = system, np.array(u, dtype=float)
        self.law, self.without_collision = law, without_collision
        self.G = system.G
        self.gamma_A = system.W.T @ self.u_A + w_tilde
        self.result = self.solve()
        r = self.result
        self.solved = r["status"] == LcpStatus.SOLVED
        self.Lambda_C = np.concatenate([r["Lambda_NC"], r["Lambda_TC"]])
        self.Lambda = np.concatenate([r["Lambda_N"], r["Lambda_T"]])
        self.Lambda_E = self.Lambda - self.Lambda_C
        self.gamma_C = self.gamma_A + self.G @ self.Lambda_C
        self.gamma_E = self.gamma_A + self.G @ self.Lambda
        self.u_C = self.u_A + system.jump(self.Lambda_C)
        self.u_E = self.u_A + system.jump(self.Lambda)
        self.scale = max(np.abs(self.gamma_A).max(), np.abs(self.Lambda).max())
        self.energy_scale = system.kinetic_energy(self.u_A) + self.Lambda @ self.G @ self.Lambda

    def solve(self, velocities: float = 1.0, masses: float = 1.0) -> dict[str, Any]:
        """Solve the same impact with all velocities and masses multiplied."""
        gamma_N, gamma_T = np.split(self.gamma_A * velocities, [self.system.nc])
        return solve_impact(
            self.G / masses,
            gamma_N,
            gamma_T,
            [c.law for c in self.system.contacts],
            self.system.unilateral,
            self.law,
            self.system.descriptions,
            self.without_collision,
        )

    @property
    def given_back(self) -> Array:
        """ε̄_N of all rows: friction has the value of its normal force."""
        s = self.system
        e_N = s.all("e_N")[s.normals]
        return np.concatenate([e_N, np.repeat(e_N, [c.tangents for c in s.contacts])])

    @property
    def Lambda_P(self) -> Array:
        """The impulses Λ_P of (8.29), (8.35)."""
        return self.Lambda_E - self.given_back * self.Lambda_C

    @property
    def energy_change(self) -> float:
        """T_E - T_A from the velocities of the bodies."""
        T = self.system.kinetic_energy
        return T(self.u_E) - T(self.u_A)

    def tangential(self, stacked: Array) -> list[Array]:
        """Return the tangential rows, contact by contact."""
        return [stacked[self.system.nc :][rows] for rows in self.system.tangents]


def random_contact(rng: np.random.Generator, max_mu: float, tangents: int = 2) -> Contact:
    mu, e_N, e_T, nu = rng.uniform(0, 1, 4)
    aspect = float(rng.choice([1.0, 1.0, 0.3, 2.5]))
    return Contact(max_mu * mu, e_N, e_T, nu, aspect, tangents)


def random_spatial_system(
    seed: int, *, max_mu: float = 2.0, independent: bool = False, isotropic: bool = False
) -> tuple[Bodies, Array]:
    """Return up to 3 contacts, including planar ones and friction elements, and velocities."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    contacts = [random_contact(rng, max_mu, int(rng.choice([2, 2, 1]))) for _ in range(n)]
    if rng.random() < 0.3:
        element = random_contact(rng, max_mu, int(rng.integers(1, 3)))
        contacts.append(replace(element, normal=int(rng.integers(0, n))))
    if isotropic:
        contacts = [replace(c, aspect=1.0) for c in contacts]
    rows = n + sum(c.tangents for c in contacts)
    nu = int(rng.integers(rows, rows + 3) if independent else rng.integers(2, rows + 2))
    return random_bodies(rng, nu, contacts), rng.standard_normal(nu)


# One contact by brute force -------------------------------------------------------------------


def all_solutions_of_one_contact(
    G: Array, b: Array, mu: float, bound: float = 0.0, aspect: float = 1.0
) -> list[Array]:
    """Return all (λ_N, λ_T1, λ_T2) of one contact, γ = G λ + b.

    The contact is open, sticks, or slips in any direction. For slip, the direction e(θ) of γ_T
    gives the forces; θ is a root of γ_T × e where γ_T · e > 0. A contact with a given bound is
    closed here.
    """
    found = []
    if b[0] >= 0 and bound == 0.0:
        found.append(np.zeros(3))
    stick = np.linalg.solve(G, -b)
    if stick[0] >= 0 and ellipse_norm(stick[1:], aspect) <= bound + mu * stick[0]:
        found.append(stick)

    def slip(theta: Any) -> tuple[Array, Array, Any]:
        """Return e, and λ, γ times the denominator of λ_N, which has zeros."""
        e = np.array([np.cos(theta), np.sin(theta)])
        d = -np.array([e[0], aspect**2 * e[1]]) / np.hypot(e[0], aspect * e[1])
        coupling = G[0, 1:] @ d
        denominator = G[0, 0] + mu * coupling
        lambda_N = -(b[0] + bound * coupling)
        force = np.array([lambda_N, *((bound * denominator + mu * lambda_N) * d)])
        return e, force, denominator

    def cross(theta: Any) -> Any:
        e, force, denominator = slip(theta)
        rate = G @ force + np.multiply.outer(b, denominator)
        return rate[1] * e[1] - rate[2] * e[0]

    grid = np.linspace(0, 2 * np.pi, 1441) + 1e-3
    values = cross(grid)
    for k in np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:])):
        e, force, denominator = slip(brentq(cross, grid[k], grid[k + 1], xtol=1e-15, rtol=1e-14))
        force = force / denominator
        if force[0] >= 0 and (G @ force + b)[1:] @ e > 0:
            found.append(force)
    return found
