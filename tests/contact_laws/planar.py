"""Random contact problems, and the laws of chapters 6 and 8 in NumPy to check their solutions.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

law = settings(max_examples=150, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Contacts:
    """M (nu, nu) and the directions W_N, W_T (nu, nc) of contacts at one instant."""

    M: Array
    W_N: Array
    W_T: Array

    @property
    def nc(self) -> int:
        return self.W_N.shape[1]

    @property
    def W(self) -> Array:
        return np.hstack([self.W_N, self.W_T])

    @property
    def G(self) -> Array:
        """Wᵀ M⁻¹ W (2nc, 2nc), normal rows first; symmetric to the last bit."""
        V = np.linalg.solve(np.linalg.cholesky(self.M), self.W)
        G = V.T @ V
        return (G + G.T) / 2

    def jump(self, Lambda_N: ArrayLike, Lambda_T: ArrayLike) -> Array:
        """Return M⁻¹ W Λ, the change of u (8.5)."""
        return np.linalg.solve(self.M, self.W @ np.concatenate([Lambda_N, Lambda_T]))

    def kinetic_energy(self, u: Array) -> float:
        return float(u @ self.M @ u / 2)


def contacts(M: ArrayLike, w_N: ArrayLike, w_T: ArrayLike | None = None) -> Contacts:
    """Contacts with directions given row by row, one row per contact; w_T = None: no tangents."""
    mass, rows_N = np.array(M, dtype=float), np.array(w_N, dtype=float)
    rows_T = np.zeros_like(rows_N) if w_T is None else np.array(w_T, dtype=float)
    return Contacts(mass, rows_N.T, rows_T.T)


def random_contacts(rng: np.random.Generator, nu: int, nc: int) -> Contacts:
    """Mass matrix with eigenvalues in [1, 1 + some], directions of unit length."""
    root = rng.standard_normal((nu, nu))
    W_N, W_T = rng.standard_normal((2, nu, nc))
    return Contacts(
        np.eye(nu) + root @ root.T,
        W_N / np.linalg.norm(W_N, axis=0),
        W_T / np.linalg.norm(W_T, axis=0),
    )


def normal_defect(force: Array, rate: Array) -> float:
    """Return the violation of 0 <= force ⟂ rate >= 0 (6.5), (8.13)."""
    return float(np.abs(np.minimum(force, rate)).max(initial=0.0))


def friction_defect(force: Array, rate: Array, lower: Array, upper: Array) -> float:
    """Return the violation of the three branches (6.11), (8.23), (8.31).

    lower <= force <= upper, rate = 0 between, rate <= 0 at the upper and rate >= 0 at the lower
    bound.
    """
    nearest = np.minimum(np.maximum(force - rate, lower), upper)
    return float(np.abs(force - nearest).max(initial=0.0))


# Possible modes of a contact: open, stick, slip to either side (λ_T = -sign μ λ_N).
OPEN, STICK, PLUS, MINUS = "open", "stick", "+", "-"


def enumerate_modes(
    G: Array, b: Array, mu: Array, allowed: list[str | tuple[str, ...]], tol: float = 1e-9
) -> list[tuple[Array, Array]]:
    """Return all (λ_N, λ_T) of the law γ = G λ + b with an `allowed` mode in every contact.

    This is brute force over all combinations, without those that have a singular matrix. A contact
    without a choice is not checked: (OPEN,) may penetrate, (OPEN, PLUS) already slides, whatever
    its γ_T.
    """
    nc = len(mu)
    found = []
    for modes in itertools.product(*allowed):
        # λ = P x: one unknown per closed contact and one more per sticking contact.
        P, rows = np.zeros((2 * nc, 0)), []
        for i, mode in enumerate(modes):
            if mode == OPEN:
                continue
            column = np.zeros(2 * nc)
            column[i] = 1.0
            if mode in (PLUS, MINUS):
                column[nc + i] = -mu[i] if mode == PLUS else mu[i]
            P = np.column_stack([P, column])
            rows.append(i)
            if mode == STICK:
                P = np.column_stack([P, np.eye(2 * nc)[nc + i]])
                rows.append(nc + i)
        A = G[rows] @ P
        if rows and np.linalg.cond(A) > 1e10:
            continue
        force = P @ np.linalg.solve(A, -b[rows]) if rows else np.zeros(2 * nc)
        rate = G @ force + b
        good = True
        for i, mode in enumerate(modes):
            normal, tangential = force[i], force[nc + i]
            good &= normal >= -tol and (rate[i] >= -tol or len(allowed[i]) == 1)
            good &= mode != STICK or abs(tangential) <= mu[i] * normal + tol
            if {PLUS, MINUS} <= set(allowed[i]):
                good &= mode != PLUS or rate[nc + i] >= -tol
                good &= mode != MINUS or rate[nc + i] <= tol
        if good:
            found.append((force[:nc], force[nc:]))
    return found


def distance(
    result: dict[str, Any], names: tuple[str, str], solution: tuple[Array, Array]
) -> float:
    """Return the largest difference between the named pair of a result and a solution."""
    return max(
        float(np.abs(result[name] - value).max(initial=0.0))
        for name, value in zip(names, solution, strict=True)
    )
