"""Impacts with velocities of very different magnitude, and contacts of unconnected bodies.

Each impulse is compared with the velocities at its own contact: a slow approach is stopped beside a
fast slip, and bodies at rest elsewhere take no part. Equation numbers: Pfeiffer & Glocker, chapter
8.
"""

from typing import Any

import numpy as np
import pytest

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole as Role
from nsmb._core.contact_laws import ImpactLaw, solve_acceleration, solve_impact
from nsmb._core.system import UnilateralContact
from tests.contact_laws.planar import Array, contacts

POISSON_AND_MOREAU = pytest.mark.parametrize("kind", [ImpactLaw.Poisson, ImpactLaw.Moreau])


def solve(
    G: Array, gamma_N: Any, gamma_T: Any, law: UnilateralContact, kind: ImpactLaw, **more: Any
) -> dict[str, Any]:
    n = len(gamma_N)
    return solve_impact(
        np.asarray(G), np.asarray(gamma_N), np.asarray(gamma_T), [law] * n, list(range(n)), kind,
        **more,
    )  # fmt: skip


def thin_plate() -> Array:
    """Return G of the two corners of a plate that lands while it slides: G_12 / G_11 = -0.98."""
    m, a, h, J = 0.076, 0.05, 0.025, 2.7e-6
    return contacts(np.diag([m, m, J]), [[0, 1, -a], [0, 1, a]], [[1, 0, h], [1, 0, h]]).G


@POISSON_AND_MOREAU
@pytest.mark.parametrize("slip", [1e-12, 1e-3, 0.1, 1.0, 7.1, 100.0, 1e4, 1e8])
def test_a_slow_approach_is_ended_beside_a_fast_slip(kind: ImpactLaw, slip: float) -> None:
    """The slip is too fast to be stopped: Λ_T = -μ Λ_N.

    The normal impulses follow from 0 <= Λ_N ⟂ (G_NN - μ G_NT) Λ_N + (1 + ε) γ_NA >= 0 with the
    whole restitution at one corner.
    """
    mu, e, approach = 0.01, 0.4, 1.67e-10
    G = thin_plate()
    r = solve(G, [-approach, 0.0], [slip, slip], UnilateralContact(mu, e, 0.0, 0.0), kind)
    assert r["status"] == LcpStatus.SOLVED
    Lambda_N, Lambda_T = r["Lambda_N"], r["Lambda_T"]
    gamma_N = np.array([-approach, 0.0]) + (G @ np.concatenate([Lambda_N, Lambda_T]))[:2]
    # Measured at most 2e-16 of the approach where the slip is faster than this.
    assert gamma_N.min() >= -1e-12 * approach
    assert Lambda_N.max() > 0.1 * approach / G[0, 0]
    if slip >= 0.1:
        np.testing.assert_allclose(Lambda_T, -mu * Lambda_N, rtol=1e-12)


@POISSON_AND_MOREAU
@pytest.mark.parametrize("slip", [0.1, 7.1, 1e3])
def test_an_impulse_does_not_depend_on_how_fast_the_slip_is(kind: ImpactLaw, slip: float) -> None:
    """In sliding that does not end, the impulses do not depend on the slip speed."""
    law = UnilateralContact(0.2, 0.3, 0.0, 0.0)
    G = contacts(np.diag([1.0, 1.0, 0.01]), [[0, 1, 0.3], [0, 1, -0.2]], [[1, 0, 0.1]] * 2).G
    slow = solve(G, [-1e-9, -2e-9], [1e-6, 1e-6], law, kind)
    fast = solve(G, [-1e-9, -2e-9], [slip, slip], law, kind)
    for name in ("Lambda_N", "Lambda_T"):
        np.testing.assert_allclose(fast[name], slow[name], rtol=1e-13)


@pytest.mark.parametrize("kind", list(ImpactLaw.__members__.values()))
def test_a_resolution_says_which_velocities_are_zero(kind: ImpactLaw) -> None:
    """An approach below it has no impulse, and one above it is stopped."""
    G = np.diag([2.0, 3.0, 1.0, 1.0])
    law = UnilateralContact(0.0 if kind == ImpactLaw.Newton else 0.3, 0.5, 0.0, 0.0)
    resolution = np.full(4, 1e-11)
    r = solve(G, [-0.9e-11, -1.1e-11], [0, 5.0], law, kind, resolution=resolution)
    assert r["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose(r["Lambda_N"], [0.0, 1.5 * 1.1e-11 / 3.0], rtol=1e-12)


def test_two_layers_of_discs_collide_whatever_rounding_has_left() -> None:
    """Three contacts, of which one approaches at 8e-8 m/s.

    The others, which it does not affect, approach at 1e-17 to 1e-22 m/s. Λ_N1 = (1 + ε) v, and all
    other impulses are negligible.
    """
    G = np.zeros((6, 6))
    G[np.diag_indices(6)] = [1, 1, 2, 3, 3, 6]
    for i, j, value in [
        (1, 2, -0.999999833), (1, 5, -5.7750892e-4), (2, 4, 5.7750892e-4),
        (2, 5, 5e-20), (4, 5, 1.00000017),
    ]:  # fmt: skip
        G[i, j] = G[j, i] = value
    gamma_N = [-7.94158782e-08, -2.74314065e-22, 1.45469968e-17]
    gamma_T = [0.0, -2.30392962e-19, -2.89799807e-19]
    r = solve(G, gamma_N, gamma_T, UnilateralContact(0.3, 0.2, 0.0, 0.0), ImpactLaw.Poisson)
    assert r["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose(r["Lambda_N"][0], 1.2 * 7.94158782e-08, rtol=1e-14)
    assert np.abs(r["Lambda_N"][1:]).max() < 1e-21


@POISSON_AND_MOREAU
def test_what_rests_elsewhere_takes_no_part(kind: ImpactLaw) -> None:
    """A body on two dependent rough feet, μ = 0.9, at rest up to rounding, beside a falling body.

    The impulses of the second are bitwise those that it has alone, and the first has none.
    """
    feet = contacts(
        np.diag([1.0, 1.0, 0.01]), [[0, 1, -0.1], [0, 1, 0.11]], [[1, 0, 0.06], [1, 0, 0.06]]
    ).G
    law = UnilateralContact(0.9, 0.3, 0.0, 0.0)
    alone = solve(feet, [-1.0, -0.5], [0.3, 0.3], law, kind)
    G = np.zeros((8, 8))
    for rows in ([0, 1, 4, 5], [2, 3, 6, 7]):
        G[np.ix_(rows, rows)] = feet
    noise = 1e-20 * np.array([-1.0, 2.0, 3.0, -4.0])
    gamma_N, gamma_T = [*noise[:2], -1.0, -0.5], [*noise[2:], 0.3, 0.3]
    both = solve(G, gamma_N, gamma_T, law, kind, resolution=np.full(8, 1e-11))
    assert both["status"] == LcpStatus.SOLVED
    for name in ("Lambda_N", "Lambda_T"):
        np.testing.assert_array_equal(both[name][:2], 0.0)
        np.testing.assert_array_equal(both[name][2:], alone[name])


def test_accelerations_of_bodies_that_nothing_joins_are_those_they_have_alone() -> None:
    """Loads that differ by ten powers of ten do not disturb each other."""
    feet = contacts(np.diag([1.0, 1.0, 0.01]), [[0, 1, -0.1], [0, 1, 0.2]], [[1, 0, 0.06]] * 2).G
    mu, roles = np.array([0.4, 0.4]), [Role.Candidate, Role.Candidate]
    light = solve_acceleration(feet, np.array([-1e-9, -2e-9]), np.array([1e-9, 1e-9]), mu, roles)
    G = np.zeros((8, 8))
    for rows in ([0, 1, 4, 5], [2, 3, 6, 7]):
        G[np.ix_(rows, rows)] = feet
    free_N, free_T = np.array([-1e-9, -2e-9, -9.0, -9.0]), np.array([1e-9, 1e-9, 30.0, 30.0])
    both = solve_acceleration(G, free_N, free_T, np.tile(mu, 2), roles * 2)
    assert both["status"] == LcpStatus.SOLVED
    for name in ("lambda_N", "lambda_T"):
        np.testing.assert_array_equal(both[name][:2], light[name])
