"""Random contact problems, and judges of their solutions that share no code with the solvers.

Every judge checks one row of one contact at a time, with the original data. The residual of a law
is compared with the rounding error of the terms summed in that row. Equation numbers: Pfeiffer &
Glocker, Multibody Dynamics with Unilateral Contacts, chapters 6, 8.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core.contact_laws import ContactRole as Role
from nsmb._core.contact_laws import ImpactLaw, solve_acceleration, solve_impact
from nsmb._core.system import ContactDescription, ContactKind, UnilateralContact

Array = NDArray[np.float64]

# Allowed residual as a share of the terms of a row. Solvers reach a quarter of it, but the judge
# sums in another order.
ROUNDING = 256.0 * np.finfo(float).eps


@dataclass(frozen=True)
class Law:
    """The parameters of one contact."""

    mu: float = 0.0
    e_N: float = 0.0
    e_T: float = 0.0
    nu: float = 0.0
    aspect: float = 1.0

    @property
    def core(self) -> UnilateralContact:
        return UnilateralContact(self.mu, self.e_N, self.e_T, self.nu, self.aspect)


@dataclass
class Contacts:
    """Contacts with directions W, shape (nu, rows), normal rows first, one or two tangents each."""

    M: Array
    W: Array
    dims: list[int]
    laws: list[Law]
    G: Array = field(init=False)

    def __post_init__(self) -> None:
        V = np.linalg.solve(np.linalg.cholesky(self.M), self.W)
        G = V.T @ V
        self.G = (G + G.T) / 2

    @property
    def nc(self) -> int:
        return len(self.laws)

    @property
    def tangents(self) -> list[list[int]]:
        """Return the rows of G with the friction of each contact."""
        ends = np.cumsum([self.nc, *self.dims])
        return [list(range(a, b)) for a, b in itertools.pairwise(ends)]

    @property
    def descriptions(self) -> list[ContactDescription]:
        unilateral = ContactKind.Unilateral
        return [
            ContactDescription(str(i), law.core, unilateral, dim)
            for i, (law, dim) in enumerate(zip(self.laws, self.dims, strict=True))
        ]


def random_contacts(rng: np.random.Generator, spatial: bool, smooth: bool = False) -> Contacts:
    """Draw up to four contacts of one or two bodies: independent, dependent or coincident."""
    nc = int(rng.integers(1, 5))
    dims = [int(rng.integers(1, 3)) if spatial else 1 for _ in range(nc)]
    rows = nc + sum(dims)
    nu = int(rng.integers(1, rows + 3))
    root = rng.standard_normal((nu, nu))
    spread = 10.0 ** rng.uniform(-1, 1, nu) if rng.random() < 0.5 else np.ones(nu)
    M = np.diag(spread) @ (np.eye(nu) + root @ root.T) @ np.diag(spread)
    W = rng.standard_normal((nu, rows))
    W /= np.linalg.norm(W, axis=0)
    tangents = Contacts(M, W, dims, [Law()] * nc).tangents
    if nc > 1 and rng.random() < 0.2:  # a duplicated contact
        i, j = rng.choice(nc, 2, replace=False)
        W[:, j] = W[:, i]
        for a, b in zip(tangents[i], tangents[j], strict=False):
            W[:, b] = W[:, a]
    if nu > 1 and rng.random() < 0.25:  # two bodies, each contact on one of them
        cut = int(rng.integers(1, nu))
        M[:cut, cut:] = 0.0
        M[cut:, :cut] = 0.0
        for i in range(nc):
            of = slice(cut, None) if rng.random() < 0.5 else slice(None, cut)
            W[of, [i, *tangents[i]]] = 0.0
    equal, plain = rng.random() < 0.3, rng.random() < 0.2
    common = rng.uniform(0, 1)
    laws = []
    for _ in range(nc):
        mu = 0.0 if smooth or rng.random() < 0.1 else rng.uniform(0, 1.5)
        e_N = common if equal else 0.0 if rng.random() < 0.2 else rng.uniform(0, 1)
        e_T, nu_T = (0.0, 0.0) if plain else rng.uniform(0, 1, 2)
        aspect = float(rng.choice([1.0, 1.0, 0.5, 2.0])) if spatial else 1.0
        laws.append(Law(mu, e_N, e_T, nu_T, aspect))
    return Contacts(M, W, dims, laws)


# Residuals of the laws, row by row --------------------------------------------------------------


def normal_defect(s: float, force: float, rate: float) -> float:
    """Return the residual of 0 <= force ⟂ rate >= 0 (6.5), (8.13), in units of the rate."""
    return abs(min(s * force, rate))


def friction_defect(s: float, force: Array, rate: Array, radius: float, aspect: float) -> float:
    """Return the residual of -rate ∈ N_C(force) (6.11), (8.23).

    C is the disc, ellipse or interval of that radius.
    """
    stretch = np.array([1.0, aspect])[: len(force)]
    x = force / stretch
    tau = s * x - stretch * rate
    size, rim = float(np.linalg.norm(tau)), s * max(radius, 0.0)
    nearest = tau * (rim / size) if size > rim else tau
    return float(np.linalg.norm(s * x - nearest))


def disc_norm(force: Array, aspect: float) -> float:
    return float(np.linalg.norm(force / np.array([1.0, aspect])[: len(force)]))


def effect(c: Contacts, rows: list[int], aspect: float) -> float:
    """Return the effect of a unit force on its own row."""
    largest = max(c.G[r, r] * (aspect**2 if k else 1.0) for k, r in enumerate(rows))
    return largest if largest > 0.0 else 1.0


@dataclass
class Impact:
    """Velocities before an impact, and the resolution below which they count as zero."""

    contacts: Contacts
    gamma: Array
    resolution: Array
    kind: ImpactLaw

    def solve(self) -> dict[str, Any]:
        c = self.contacts
        gamma_N, gamma_T = self.gamma[: c.nc], self.gamma[c.nc :]
        laws, all_of_them = [law.core for law in c.laws], list(range(c.nc))
        return solve_impact(
            c.G, gamma_N, gamma_T, laws, all_of_them, self.kind, c.descriptions, False,
            self.resolution,
        )  # fmt: skip

    @property
    def resolved(self) -> Array:
        return np.where(np.abs(self.gamma) <= self.resolution, 0.0, self.gamma)

    def tolerance(self, *impulses: Array) -> Array:
        """Return the resolution and the rounding of the impulses' contribution, shape (rows,)."""
        terms = np.abs(self.gamma) + sum(np.abs(self.contacts.G) @ np.abs(L) for L in impulses)
        rounding: Array = np.maximum(self.resolution, ROUNDING * terms)
        return 2.0 * rounding

    def judge(self, r: dict[str, Any]) -> list[str]:
        """Return all violations of the law by a solution."""
        Lambda = np.concatenate([r["Lambda_N"], r["Lambda_T"]])
        if not np.isfinite(Lambda).all():
            return ["impulses are not finite"]
        if self.kind == ImpactLaw.Poisson:
            return self.judge_poisson(Lambda, np.concatenate([r["Lambda_NC"], r["Lambda_TC"]]))
        if self.kind == ImpactLaw.Moreau:
            return self.judge_moreau(Lambda)
        return self.judge_newton(Lambda)

    def judge_poisson(self, Lambda: Array, Lambda_C: Array) -> list[str]:
        """Check (8.13), (8.23) and (8.26)-(8.31) with (8.37)."""
        c = self.contacts
        gamma_C = self.resolved + c.G @ Lambda_C
        gamma_E = self.resolved + c.G @ Lambda
        Lambda_E = Lambda - Lambda_C
        tol_C, tol_E = self.tolerance(Lambda_C), self.tolerance(Lambda, Lambda_C)
        wrong = []
        for i, (law, rows) in enumerate(zip(c.laws, c.tangents, strict=True)):
            s = max(c.G[i, i], 1e-300)
            stored = law.e_N * Lambda_C[i]
            if normal_defect(s, Lambda_C[i], gamma_C[i]) > tol_C[i]:
                wrong.append(f"compression, normal row {i}")
            if normal_defect(s, Lambda_E[i] - stored, gamma_E[i]) > tol_E[i]:
                wrong.append(f"expansion, normal row {i}")
            s, a = effect(c, rows, law.aspect), law.aspect
            tol_TC = max(1.0, a) * tol_C[rows].max() + ROUNDING * s * law.mu * Lambda_C[i]
            tol_TE = max(1.0, a) * tol_E[rows].max() + ROUNDING * s * law.mu * Lambda[i]
            C = Lambda_C[rows]
            if friction_defect(s, C, gamma_C[rows], law.mu * Lambda_C[i], a) > tol_TC:
                wrong.append(f"compression, friction of {i}")
            size = disc_norm(C, a)
            direction = C / size if size > 0.0 else np.zeros(len(rows))
            Lambda_S = 0.5 * (law.mu * law.nu * Lambda_E[i] * direction + law.e_N * law.e_T * C)
            radius = law.mu * Lambda_E[i] - disc_norm(Lambda_S, a)
            if friction_defect(s, Lambda_E[rows] - Lambda_S, gamma_E[rows], radius, a) > tol_TE:
                wrong.append(f"expansion, friction of {i}")
        return wrong

    def judge_moreau(self, Lambda: Array) -> list[str]:
        """Check the law for γ_N⁺ + ε_N min(γ_N⁻, 0) and γ_T⁺ + ε_T γ_T⁻.

        Groups of contacts may be without restitution.
        """
        c = self.contacts
        plain = self.resolved + c.G @ Lambda
        tol = 2.0 * self.tolerance(Lambda)
        wrong = []
        for i, (law, rows) in enumerate(zip(c.laws, c.tangents, strict=True)):
            s_N, s_T, a = max(c.G[i, i], 1e-300), effect(c, rows, law.aspect), law.aspect
            allowed = max(1.0, a) * tol[rows].max() + ROUNDING * s_T * law.mu * Lambda[i]
            found = []
            for share in (1.0, 0.0):
                rate = plain[i] + share * law.e_N * min(self.resolved[i], 0.0)
                slip = plain[rows] + share * law.e_T * self.resolved[rows]
                if normal_defect(s_N, Lambda[i], rate) > tol[i]:
                    found.append(f"normal row {i}")
                elif friction_defect(s_T, Lambda[rows], slip, law.mu * Lambda[i], a) > allowed:
                    found.append(f"friction of {i}")
            if len(found) == 2:
                wrong.append(found[0])
        return wrong

    def judge_newton(self, Lambda: Array) -> list[str]:
        """Check (7.9) where there is an impulse, and the conditions of section 7.2.

        No contact pulls, and no approaching contact continues to approach.
        """
        c = self.contacts
        gamma_E, tol = self.resolved + c.G @ Lambda, self.tolerance(Lambda)
        before = self.resolved[: c.nc]
        wrong = [f"pull at {i}" for i in range(c.nc) if Lambda[i] < 0.0]
        wrong += [f"push at {i}" for i in range(c.nc) if before[i] > 0.0 and Lambda[i] > 0.0]
        for i in np.flatnonzero(Lambda[: c.nc] > 0.0):
            if abs(gamma_E[i] + c.laws[i].e_N * before[i]) > tol[i]:
                wrong.append(f"restitution of {i}")
        wrong += [
            f"approach at {i}" for i in range(c.nc) if before[i] <= 0.0 and gamma_E[i] < -tol[i]
        ]
        return wrong

    def left_approaching(self, r: dict[str, Any]) -> bool:
        """Return True if a contact still approaches, as Newton's and Moreau's laws permit."""
        c = self.contacts
        Lambda = np.concatenate([r["Lambda_N"], r["Lambda_T"]])
        after = (self.resolved + c.G @ Lambda)[: c.nc]
        return bool((after < -self.tolerance(Lambda)[: c.nc]).any())

    def has_compression(self) -> bool:
        """Return True if enumerating all states of planar contacts solves (8.87)."""
        c = self.contacts
        mu = np.array([law.mu for law in c.laws])
        return bool(enumerate_planar(c.G, self.resolved, mu, self.tolerance()))


def random_impact(rng: np.random.Generator, kind: ImpactLaw, spatial: bool) -> Impact:
    """Draw velocities of one magnitude or spread over 15 decades (slow approach, fast slip)."""
    c = random_contacts(rng, spatial, smooth=kind == ImpactLaw.Newton)
    u = rng.standard_normal(c.M.shape[0])
    if rng.random() < 0.6:
        wanted = rng.standard_normal(c.W.shape[1])
        spread = 10.0 ** rng.uniform(-15, 1, c.W.shape[1])
        if rng.random() < 0.5:  # all approach slowly and slide fast
            wanted[: c.nc] = -np.abs(wanted[: c.nc])
            spread = np.concatenate([np.full(c.nc, 10.0 ** rng.uniform(-15, -3)), spread[c.nc :]])
        u = np.linalg.lstsq(c.W.T, wanted * spread, rcond=1e-8)[0]
    gamma = c.W.T @ u
    terms = np.abs(c.W).T @ (np.abs(np.linalg.inv(c.M)) @ (np.abs(c.M) @ np.abs(u)))
    resolution = 64.0 * np.finfo(float).eps * terms
    if rng.random() < 0.5:
        resolution = np.maximum(resolution, 1e-11)
    return Impact(c, gamma, resolution, kind)


# Accelerations ----------------------------------------------------------------------------------

ROLES = (Role.Absent, Role.Candidate, Role.SlidesPositive, Role.SlidesNegative)


@dataclass
class Accelerations:
    """The free accelerations of planar contacts in given roles, (6.35)."""

    contacts: Contacts
    free: Array
    roles: list[Role]

    def solve(self) -> dict[str, Any]:
        c = self.contacts
        mu = np.array([law.mu for law in c.laws])
        return solve_acceleration(
            c.G, self.free[: c.nc], self.free[c.nc :], mu, self.roles, c.descriptions
        )

    @property
    def modes(self) -> list[tuple[str, ...]]:
        """Return the possible modes of each contact, for the enumeration."""
        allowed = {
            Role.Absent: ("off",),
            Role.Candidate: ("open", "stick", "+", "-"),
            Role.SlidesPositive: ("open", "slides+"),
            Role.SlidesNegative: ("open", "slides-"),
        }
        return [allowed[role] for role in self.roles]

    def tolerance(self, forces: Array) -> Array:
        """Return the tolerance: 1e-9 of the largest free acceleration (README of contact_laws)."""
        terms = np.abs(self.free) + np.abs(self.contacts.G) @ np.abs(forces)
        tolerance: Array = np.maximum(ROUNDING * terms, 4e-9 * np.abs(self.free).max())
        return tolerance

    def judge(self, r: dict[str, Any]) -> list[str]:
        c = self.contacts
        forces = np.concatenate([r["lambda_N"], r["lambda_T"]])
        if not np.isfinite(forces).all():
            return ["forces are not finite"]
        rates, tol = self.free + c.G @ forces, self.tolerance(forces)
        wrong = []
        for i, (law, rows) in enumerate(zip(c.laws, c.tangents, strict=True)):
            role, normal, friction = self.roles[i], forces[i], forces[rows]
            if role == Role.Absent:
                if normal != 0.0 or friction.any():
                    wrong.append(f"force at absent {i}")
                continue
            if normal_defect(max(c.G[i, i], 1e-300), normal, rates[i]) > tol[i]:
                wrong.append(f"normal row {i}")
            if role == Role.Candidate:
                s = effect(c, rows, 1.0)
                allowed = tol[rows].max() + ROUNDING * s * law.mu * normal
                if friction_defect(s, friction, rates[rows], law.mu * normal, 1.0) > allowed:
                    wrong.append(f"friction of {i}")
            else:
                sign = 1.0 if role == Role.SlidesPositive else -1.0
                if abs(friction[0] + sign * law.mu * normal) > ROUNDING * law.mu * normal:
                    wrong.append(f"sliding friction of {i}")
        return wrong

    def has_solution(self) -> bool:
        c = self.contacts
        mu = np.array([law.mu for law in c.laws])
        return bool(enumerate_planar(c.G, self.free, mu, self.tolerance(self.free * 0), self.modes))


def random_accelerations(rng: np.random.Generator) -> Accelerations:
    c = random_contacts(rng, spatial=False)
    roles = [ROLES[int(k)] for k in rng.choice(4, c.nc, p=[0.1, 0.5, 0.2, 0.2])]
    load = c.W.T @ np.linalg.solve(c.M, rng.standard_normal(c.M.shape[0]))
    spread = 10.0 ** rng.uniform(-4, 0) if rng.random() < 0.3 else 0.0
    return Accelerations(c, load + spread * rng.standard_normal(len(load)), roles)


def enumerate_planar(
    G: Array, b: Array, mu: Array, tol: Array, allowed: list[tuple[str, ...]] | None = None
) -> list[Array]:
    """Return all solutions (λ_N, λ_T) by brute force over the states of all planar contacts.

    States with a singular matrix are omitted.
    """
    nc = len(mu)
    modes = allowed or [("open", "stick", "+", "-")] * nc
    found = []
    for chosen in itertools.product(*modes):
        columns, rows = [], []
        for i, mode in enumerate(chosen):
            if mode in ("open", "off"):
                continue
            column = np.zeros(2 * nc)
            column[i] = 1.0
            if mode != "stick":
                column[nc + i] = mu[i] if mode.endswith("-") else -mu[i]
            columns.append(column)
            rows.append(i)
            if mode == "stick":
                columns.append(np.eye(2 * nc)[nc + i])
                rows.append(nc + i)
        force = np.zeros(2 * nc)
        if rows:
            P = np.array(columns).T
            A = G[rows] @ P
            if np.linalg.cond(A) > 1e8:
                continue
            force = P @ np.linalg.solve(A, -b[rows])
        rate = G @ force + b
        slack = tol + ROUNDING * (np.abs(G) @ np.abs(force))
        good = True
        for i, mode in enumerate(chosen):
            T, unit = nc + i, G[i, i] if G[i, i] > 0.0 else 1.0
            good &= force[i] >= -slack[i] / unit
            good &= mode == "off" or bool(rate[i] >= -slack[i])
            good &= mode != "stick" or bool(
                abs(force[T]) <= mu[i] * force[i] + slack[T] / max(G[T, T], 1e-12)
            )
            good &= mode != "+" or bool(rate[T] >= -slack[T])
            good &= mode != "-" or bool(rate[T] <= slack[T])
        if good:
            found.append(force)
    return found
