"""Newton's law where its equations contradict each other, and for endless series of impacts.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapter 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import UnilateralContact

Array = NDArray[np.float64]


def newton(
    G_N: Array, gamma: Array, e_N: Array, to_the_end: bool, resolution: float | None = 1e-15
) -> dict[str, Any]:
    """Solve an impact of smooth contacts."""
    n = len(gamma)
    G = np.zeros((2 * n, 2 * n))
    G[:n, :n] = G_N
    laws = [UnilateralContact(0.0, e, 0.0, 0.0) for e in e_N]
    allowed = None if resolution is None else np.full(2 * n, resolution)
    r = solve_impact(
        G, gamma, np.zeros(n), laws, list(range(n)), ImpactLaw.Newton,
        resolution=allowed, to_the_end=to_the_end,
    )  # fmt: skip
    assert r["status"] == LcpStatus.SOLVED
    return dict(r)


def two_feet(c: float) -> Array:
    return np.array([[1.0, c], [c, 1.0]])


def one_by_one(c: float, gamma: Array, e: float, most: int = 100_000) -> tuple[Array, Array]:
    """Return impulses and velocities after single impacts (7.11) at two feet in turn, c < 0."""
    gamma, Lambda = gamma.copy(), np.zeros(2)
    for _ in range(most):
        i = int(np.argmin(gamma))
        if gamma[i] > -1e-15:
            return Lambda, gamma
        push = -(1.0 + e) * gamma[i]
        Lambda[i] += push
        gamma += push * two_feet(c)[i]
    raise AssertionError("goes on")


@pytest.mark.parametrize("c", [-0.3, -0.7, -0.9, -0.98])
@pytest.mark.parametrize("e", [0.0, 0.1, 0.4, 0.8, 1.0])
@pytest.mark.parametrize("separates", [0.0001, 0.02, 0.3, 2.0])
def test_impacts_to_the_end_are_the_sum_of_all_that_follow_each_other(
    c: float, e: float, separates: float
) -> None:
    gamma = np.array([-1.0, separates])
    r = newton(two_feet(c), gamma, np.array([e, e]), to_the_end=True)
    Lambda, after = one_by_one(c, gamma, e)
    # Approaches below 64 eps of the terms of their row count as zero; G⁻¹ amplifies them by (1 -
    # |c|)⁻¹.
    left = 64.0 * np.finfo(float).eps * (2.0 + separates + Lambda.sum())
    np.testing.assert_allclose(r["Lambda_N"], Lambda, rtol=0, atol=left / (1.0 + c))
    np.testing.assert_allclose(r["gamma_N"], after, atol=2.0 * left)


@pytest.mark.parametrize("e", [0.0, 0.3])
def test_impacts_that_fade_too_slowly_to_be_counted_come_to_their_limit(e: float) -> None:
    """c² (1 + e)² > 4 e: approaches follow from earlier ones by a positive factor below one.

    The impacts never end, but all velocities vanish in the limit: G Λ = -γ_A.
    """
    c = -1.0 + 1e-5
    gamma = np.array([-1.0, 0.02])
    r = newton(two_feet(c), gamma, np.array([e, e]), to_the_end=True)
    # (1 - |c|)⁻¹ = 1e5 times rounding.
    np.testing.assert_allclose(r["Lambda_N"], -np.linalg.solve(two_feet(c), gamma), rtol=1e-9)
    np.testing.assert_allclose(r["gamma_N"], 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_impacts_to_the_end_leave_no_approach_and_create_no_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, f = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    W, u = rng.standard_normal((f, n)), rng.standard_normal(f)
    if seed % 3 == 0:
        W[:, 1] = W[:, 0]
    e = rng.uniform(0, 1, n) if seed % 2 else np.full(n, rng.uniform(0, 1))
    r = newton(W.T @ W, W.T @ u, e, to_the_end=True)
    after = u + W @ r["Lambda_N"]
    assert (r["Lambda_N"] >= 0.0).all()
    assert (W.T @ after).min() >= -1e-12 * (1.0 + r["Lambda_N"].max())
    assert after @ after <= u @ u * (1.0 + 1e-12)


def test_one_impact_is_where_impacts_to_the_end_stop_if_nothing_approaches() -> None:
    G, gamma, e = two_feet(0.4), np.array([-1.0, -0.5]), np.array([0.3, 0.6])
    once, end = (newton(G, gamma, e, to_the_end=way) for way in (False, True))
    np.testing.assert_array_equal(once["Lambda_N"], end["Lambda_N"])


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
@pytest.mark.parametrize("resolution", [None, 1e-15])
def test_of_coincident_contacts_the_one_that_restitutes_most_has_the_impulse(
    order: list[int], resolution: float | None
) -> None:
    """γ_E = -ε γ_A cannot hold for both, but γ_E + ε γ_A >= 0 ⟂ Λ >= 0 can.

    Both leave with the larger ε, and the other contact has no impulse. A mean satisfies neither
    law.
    """
    W = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-0.3, 0.5, 0.8]])
    gamma, e = np.array([-2.0, -2.0, -0.7]), np.array([0.499, 0.691, 0.3])
    r = newton((W @ W.T)[np.ix_(order, order)], gamma[order], e[order], False, resolution)
    Lambda, after = np.zeros(3), np.zeros(3)
    Lambda[order], after[order] = r["Lambda_N"], r["gamma_N"]
    np.testing.assert_allclose(after, [0.691 * 2.0, 0.691 * 2.0, 0.3 * 0.7], rtol=1e-13)
    assert Lambda[0] == 0.0
    assert Lambda[1] > 0.0
    assert Lambda[2] > 0.0


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_coincident_contacts_with_one_restitution_share_the_impulse(e: float) -> None:
    r = newton(np.ones((2, 2)), np.array([-2.0, -2.0]), np.array([e, e]), False)
    np.testing.assert_allclose(r["Lambda_N"], (1.0 + e) * np.ones(2), rtol=1e-14)
    np.testing.assert_allclose(r["gamma_N"], 2.0 * e, atol=1e-14)
