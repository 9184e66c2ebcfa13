"""Random systems on acceleration level against brute force and the principle of least constraint.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 5, 6.
"""

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole, solve_acceleration
from tests.contact_laws.accelerations import FORCES, MODES, UNSOLVED, Problem, solve
from tests.contact_laws.planar import (
    Array,
    Contacts,
    distance,
    enumerate_modes,
    friction_defect,
    law,
    normal_defect,
    random_contacts,
    seeds,
)
from tests.oracles.least_squares import nonnegative


@law
@given(seed=seeds)
def test_solutions_obey_the_law_contact_by_contact(seed: int) -> None:
    """P16: (6.5), (6.11), (5.7), with γ̇ computed from the forces here (5.14).

    Measured over 4000 problems: defects below 1e-15 of the scale.
    """
    p = Problem(seed)
    r = p.result
    if r["status"] in UNSOLVED:
        return
    assert r["status"] == LcpStatus.SOLVED
    force = np.concatenate([r["lambda_N"], r["lambda_T"]])
    rate = p.system.G @ force + p.free
    tol = 1e-12 * max(np.abs(p.free).max(), np.abs(force).max())
    np.testing.assert_allclose(np.concatenate([r["gammadot_N"], r["gammadot_T"]]), rate, atol=tol)
    assert r["residual"] <= 1e-12
    lambda_N, lambda_T, gammadot_N, gammadot_T = (*np.split(force, 2), *np.split(rate, 2))

    absent = p.having(ContactRole.Absent)
    np.testing.assert_array_equal(lambda_N[absent], 0.0)
    np.testing.assert_array_equal(lambda_T[absent], 0.0)

    assert lambda_N.min() >= 0.0  # no pulling, not even by rounding
    assert gammadot_N[~absent].min(initial=0.0) >= -tol
    assert normal_defect(lambda_N[~absent], gammadot_N[~absent]) <= tol

    sticks = p.having(ContactRole.Candidate)
    limit = p.mu * lambda_N
    assert (np.abs(lambda_T[sticks]) <= limit[sticks] + tol).all()
    inside = sticks & (np.abs(lambda_T) < limit - tol)
    assert (np.abs(gammadot_T[inside]) <= tol).all()
    boundary = sticks & (limit > tol) & ~inside
    assert (np.sign(lambda_T[boundary]) * gammadot_T[boundary] <= tol).all()
    assert friction_defect(lambda_T[sticks], gammadot_T[sticks], -limit[sticks], limit[sticks]) <= (
        tol
    )

    for role, sign in ((ContactRole.SlidesPositive, -1), (ContactRole.SlidesNegative, 1)):
        slides = p.having(role)
        np.testing.assert_array_equal(lambda_T[slides], sign * limit[slides])


@law
@given(seed=seeds)
def test_brute_force_finds_the_same_solution_or_none(seed: int) -> None:
    """All combinations of open, stick, slip of independent contacts (2nc <= nu).

    Measured: distance below 1e-13; brute force never found two solutions with μ <= 0.4.
    """
    p = Problem(seed, independent=True)
    found = enumerate_modes(p.system.G, p.free, p.mu, [MODES[role] for role in p.roles])
    if not found:
        assert p.result["status"] in UNSOLVED
        return
    assert p.result["status"] == LcpStatus.SOLVED
    scale = max(1.0, np.abs(p.result["lambda_N"]).max())
    assert min(distance(p.result, FORCES, solution) for solution in found) <= 1e-11 * scale


@law
@given(seed=seeds, exponent=st.integers(-40, 40))
def test_forces_scale_with_accelerations_and_masses(seed: int, exponent: int) -> None:
    """The law is positively homogeneous; with powers of two the results are bitwise identical."""
    p = Problem(seed)
    assume(p.result["status"] == LcpStatus.SOLVED)
    s = 2.0**exponent
    free_N, free_T = np.split(p.free, 2)
    faster = solve_acceleration(p.system.G, s * free_N, s * free_T, p.mu, p.roles)
    lighter = solve_acceleration(s * p.system.G, free_N, free_T, p.mu, p.roles)
    for name in FORCES:
        np.testing.assert_array_equal(faster[name], s * p.result[name])
        np.testing.assert_array_equal(lighter[name], p.result[name] / s)


# Without friction: least constraint -----------------------------------------------------------


class SmoothProblem:
    """Frictionless contacts, often dependent (nc > nu); feasible because w̄ = W_Nᵀ a."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        nu, nc = int(rng.integers(1, 5)), int(rng.integers(1, 8))
        self.system = Contacts(
            random_contacts(rng, nu, 1).M, rng.standard_normal((nu, nc)), np.zeros((nu, nc))
        )
        self.h, self.a = rng.standard_normal((2, nu))
        self.rng = rng

    def udot(self, order: Any = None) -> Array:
        """Return the accelerations with contacts in that order, some possibly more than once."""
        order = range(self.system.nc) if order is None else list(order)
        system = Contacts(self.system.M, self.system.W_N[:, order], self.system.W_T[:, order])
        w_bar = system.W.T @ self.a
        result = solve(system, self.h, 0.0, [ContactRole.Frictionless] * len(order), w_bar)
        assert result["status"] == LcpStatus.SOLVED
        free = np.linalg.solve(system.M, self.h)
        return free + system.jump(result["lambda_N"], result["lambda_T"])


@law
@given(seed=seeds)
def test_smooth_contacts_are_the_principle_of_least_constraint(seed: int) -> None:
    """P12, (6.9): min ½ (u̇ - M⁻¹h)ᵀ M (u̇ - M⁻¹h) with W_Nᵀu̇ + w̄ >= 0, also when dependent.

    Dual: min |L⁻¹W λ + c|² over λ >= 0 with M = L Lᵀ, c = Lᵀ(M⁻¹h + a): nonnegative least squares.
    """
    p = SmoothProblem(seed)
    L = np.linalg.cholesky(p.system.M)
    free = np.linalg.solve(p.system.M, p.h)
    V = np.linalg.solve(L, p.system.W_N)
    lambda_N, _ = nonnegative(V, -L.T @ (free + p.a))
    expected = free + np.linalg.solve(L.T, V @ lambda_N)
    udot = p.udot()
    # Both solve for the active set only: 1e-10 covers its condition, up to 1e5.
    np.testing.assert_allclose(udot, expected, atol=1e-10 * (1 + np.abs(expected).max()))
    rounding = 1e-12 * lambda_N.max(initial=0.0)
    assert (p.system.W_N.T @ (udot + p.a)).min() >= -1e-10 - rounding


@law
@given(seed=seeds)
def test_smooth_accelerations_do_not_depend_on_order_or_copies(seed: int) -> None:
    """P32: permuted, duplicated and never closing contacts change λ_N but not u̇."""
    p = SmoothProblem(seed)
    udot = p.udot()
    order = p.rng.permutation(p.system.nc)
    tol = 1e-10 * (1 + np.abs(udot).max())
    np.testing.assert_allclose(p.udot(order), udot, atol=tol)
    np.testing.assert_allclose(p.udot([*order, order[0], *order]), udot, atol=tol)

    rate = p.system.W_N.T @ (udot + p.a)
    separating = [i for i in range(p.system.nc) if rate[i] > 1e-6]
    closed = [i for i in range(p.system.nc) if i not in separating]
    np.testing.assert_allclose(p.udot(closed), udot, atol=tol)


@law
@given(seed=seeds)
def test_candidates_without_friction_are_smooth(seed: int) -> None:
    """μ = 0 as a candidate for sticking gives the accelerations of a smooth contact."""
    p = Problem(seed, independent=True)
    normal, tangential = np.split(p.free, 2)
    none = np.zeros(p.nc)
    candidate, smooth = (
        solve_acceleration(p.system.G, normal, tangential, none, [role] * p.nc)
        for role in (ContactRole.Candidate, ContactRole.Frictionless)
    )
    assert candidate["status"] == smooth["status"] == LcpStatus.SOLVED
    scale = np.abs(p.free).max()
    np.testing.assert_allclose(candidate["lambda_T"], 0.0, atol=1e-12 * scale)
    np.testing.assert_allclose(candidate["gammadot_N"], smooth["gammadot_N"], atol=1e-12 * scale)
    np.testing.assert_allclose(candidate["gammadot_T"], smooth["gammadot_T"], atol=1e-12 * scale)
