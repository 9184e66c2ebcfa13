"""Detachment and stick-slip on acceleration level: the examples of the book.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 5, 6.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole, solve_acceleration
from tests.contact_laws.accelerations import check_solved, solve
from tests.contact_laws.planar import Array, contacts, law
from tests.support.draws import numbers

# E6: detachment of two stacked masses (6.37)-(6.54) -------------------------------------------

# q = (y_1, y_2), m = 1: contact 1 lower mass on the ground, contact 2 upper on lower mass (6.38).
TOWER = contacts(np.eye(2), [[1, 0], [-1, 1]])
SMOOTH = [ContactRole.Frictionless] * 2
g = 10.0


def lift(F: Any) -> dict[str, Any]:
    return solve(TOWER, np.asarray(F) - g, 0.0, SMOOTH)


def detachment(f_1: float, f_2: float) -> tuple[Array, Array]:
    """Return λ_N and γ̇_N in the four regions (6.54); neighbours agree on their common boundary."""
    if f_1 >= g and f_2 >= f_1:  # I: both take off
        return np.zeros(2), np.array([f_1 - g, f_2 - f_1])
    if f_2 <= g and f_1 <= 2 * g - f_2:  # II: both stay
        return np.array([2 * g - f_1 - f_2, g - f_2]), np.zeros(2)
    if f_2 <= f_1 and 2 * g - f_1 <= f_2:  # III: they take off together
        return np.array([0, (f_1 - f_2) / 2]), np.array([(f_1 + f_2) / 2 - g, 0])
    assert f_1 <= g <= f_2  # IV: the upper one takes off
    return np.array([g - f_1, 0]), np.array([0, f_2 - g])


def test_tower_has_the_delassus_matrix_of_the_book() -> None:
    """The Delassus matrix is (6.41)."""
    np.testing.assert_array_equal(TOWER.G[:2, :2], [[1, -1], [-1, 2]])


def test_tower_takes_off_together_with_the_printed_numbers() -> None:
    """(6.45)-(6.48): F = (12, 11), so b = (2, -1)."""
    check_solved(lift([12, 11]), lambda_N=[0, 0.5], gammadot_N=[1.5, 0])


@pytest.mark.parametrize(
    ("F", "lambda_N", "gammadot_N"),
    [
        ((13, 18), (0, 0), (3, 5)),
        ((4, 3), (13, 7), (0, 0)),
        ((30, -6), (0, 18), (2, 0)),
        ((6, 14), (4, 0), (0, 4)),
        ((10, 10), (0, 0), (0, 0)),
    ],
    ids=["I", "II", "III", "IV", "corner"],
)
def test_tower_in_each_region(F: Any, lambda_N: Any, gammadot_N: Any) -> None:
    """Derived by hand from (6.54)."""
    check_solved(lift(F), lambda_N=lambda_N, gammadot_N=gammadot_N)


def test_tower_follows_the_four_regions_on_a_grid() -> None:
    """(6.54), boundaries and the corner F = (g, g) included."""
    for F_1 in np.arange(-20.0, 41.0, 5.0):
        for F_2 in np.arange(-20.0, 41.0, 5.0):
            lambda_N, gammadot_N = detachment(F_1, F_2)
            check_solved(lift([F_1, F_2]), lambda_N=lambda_N, gammadot_N=gammadot_N)


# E7: stick-slip of two stacked masses (6.55)-(6.64) -------------------------------------------

# q = (x_1, y_1, x_2, y_2), m = 1.
STACK = contacts(np.eye(4), [[0, 1, 0, 0], [0, -1, 0, 1]], [[1, 0, 0, 0], [-1, 0, 1, 0]])
CANDIDATES = [ContactRole.Candidate] * 2


def push(F_1: float, F_2: float, mu: float) -> dict[str, Any]:
    return solve(STACK, [F_1, -g, F_2, -g], mu, CANDIDATES)


def stack_accelerations(F_1: float, F_2: float, F: float) -> set[tuple[str, float, float]]:
    """Return (region, ẍ_1, ẍ_2) of all closed regions of the nine-region map with F = μ m g."""
    S, D = F_1 + F_2, F_1 - F_2
    regions = [
        ("stick stick", abs(F_2) <= F and abs(S) <= 2 * F, 0.0, 0.0),
        ("+ stick", S >= 2 * F and 0 <= D <= 4 * F, (S - 2 * F) / 2, (S - 2 * F) / 2),
        ("- stick", S <= -2 * F and -4 * F <= D <= 0, (S + 2 * F) / 2, (S + 2 * F) / 2),
        ("stick +", F_2 >= F and -3 * F <= F_1 <= F, 0.0, F_2 - F),
        ("stick -", F_2 <= -F and -F <= F_1 <= 3 * F, 0.0, F_2 + F),
        ("+ +", F_1 >= F and D <= 0, F_1 - F, F_2 - F),
        ("+ -", F_1 >= 3 * F and D >= 4 * F, F_1 - 3 * F, F_2 + F),
        ("- +", F_1 <= -3 * F and D <= -4 * F, F_1 + 3 * F, F_2 - F),
        ("- -", F_1 <= -F and D >= 0, F_1 + F, F_2 + F),
    ]
    return {(name, a_1, a_2) for name, inside, a_1, a_2 in regions if inside}


def check_stack(F_1: float, F_2: float, mu: float) -> set[str]:
    """Check the forces, which follow from (6.55), and the names of the regions."""
    regions = stack_accelerations(F_1, F_2, mu * g)
    assert regions, "the nine regions cover the plane"
    result = push(F_1, F_2, mu)
    for _, a_1, a_2 in regions:
        check_solved(
            result,
            lambda_N=[2 * g, g],
            lambda_T=[a_1 + a_2 - F_1 - F_2, a_2 - F_2],
            gammadot_N=[0, 0],
            gammadot_T=[a_1, a_2 - a_1],
        )
    return {name for name, _, _ in regions}


def test_stack_starts_to_slide_with_the_printed_numbers() -> None:
    """(6.60)-(6.64): μ = 1, F = (20, 10)."""
    check_solved(push(20, 10, 1.0), lambda_T=[-20, -5], gammadot_T=[5, 0], lambda_N=[20, 10])


def test_stack_follows_the_nine_regions_on_a_grid() -> None:
    """Multiples of F/2 with μ = 1, g = 10: all boundaries and corners are grid points."""
    seen = set()
    for F_1 in np.arange(-60.0, 61.0, 5.0):
        for F_2 in np.arange(-60.0, 61.0, 5.0):
            seen |= check_stack(F_1, F_2, 1.0)
    assert len(seen) == 9


@law
@given(
    F_1=numbers(-80, 80),
    F_2=numbers(-80, 80),
    mu=st.sampled_from([0.1, 0.4, 1.0, 1.5]),
)
def test_stack_follows_the_nine_regions_anywhere(F_1: float, F_2: float, mu: float) -> None:
    check_stack(F_1, F_2, mu)


def test_nothing_happens_without_contacts_or_loads() -> None:
    empty = solve_acceleration(np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros(0), [])
    assert empty["status"] == LcpStatus.SOLVED
    check_solved(push(0, 0, 0.5), lambda_T=[0, 0], gammadot_T=[0, 0])
    still = solve_acceleration(STACK.G, np.zeros(2), np.zeros(2), np.ones(2), CANDIDATES)
    check_solved(still, lambda_N=[0, 0], lambda_T=[0, 0], gammadot_N=[0, 0], gammadot_T=[0, 0])


# Block on an incline (introduction of chapter 6) ----------------------------------------------


def incline(alpha: float, mu: float, role: ContactRole) -> dict[str, Any]:
    """Block of mass m = 2; t points down the slope, so that γ_T < 0 upwards."""
    block = contacts(2.0 * np.eye(2), [[0, 1]], [[1, 0]])
    weight = 2.0 * g * np.array([np.sin(alpha), -np.cos(alpha)])
    return solve(block, weight, mu, [role])


@pytest.mark.parametrize("degrees", [0, 10, 20, 29.9, 30.1, 45, 80])
def test_block_sticks_exactly_up_to_the_friction_angle(degrees: float) -> None:
    """μ = tan 30°: it sticks iff tan α <= μ, with λ_T = -m g sin α, otherwise it slides down."""
    alpha, mu = np.radians(degrees), np.tan(np.radians(30))
    lambda_N = 2 * g * np.cos(alpha)
    result = incline(alpha, mu, ContactRole.Candidate)
    if degrees < 30:
        check_solved(result, lambda_N=[lambda_N], gammadot_T=[0])
        check_solved(result, lambda_T=[-2 * g * np.sin(alpha)])
    else:
        check_solved(result, lambda_N=[lambda_N], lambda_T=[-mu * lambda_N])
        check_solved(result, gammadot_T=[g * (np.sin(alpha) - mu * np.cos(alpha))])
        assert result["gammadot_T"][0] > 0


@pytest.mark.parametrize(
    ("role", "sign"), [(ContactRole.SlidesNegative, 1), (ContactRole.SlidesPositive, -1)]
)
def test_friction_of_a_sliding_block_opposes_its_motion(role: ContactRole, sign: int) -> None:
    """(5.7): λ_T = +μ λ_N upwards, -μ λ_N downwards, whatever the acceleration."""
    alpha, mu = 0.3, 0.5
    lambda_N = 2 * g * np.cos(alpha)
    check_solved(
        incline(alpha, mu, role),
        lambda_N=[lambda_N],
        lambda_T=[sign * mu * lambda_N],
        gammadot_T=[g * (np.sin(alpha) + sign * mu * np.cos(alpha))],
    )


# E4: sliding rod (5.26)-(5.36) ----------------------------------------------------------------


def rod(mu: float, degrees: float, spin: float) -> tuple[dict[str, Any], float, float]:
    """Rod with m = s = 1 whose end slides to the right; spin = s φ̇²/g. Result, a and b (5.31)."""
    phi = np.radians(degrees)
    sin, cos = np.sin(phi), np.cos(phi)
    system = contacts(np.diag([1, 1, 1 / 3]), [[0, 1, -cos]], [[1, 0, -sin]])
    w_bar = spin * g * np.array([sin, -cos])
    result = solve(system, [0, -g, 0], mu, [ContactRole.SlidesPositive], w_bar)
    return result, 1 + 3 * cos * (cos - mu * sin), g * (spin * sin - 1)


@pytest.mark.parametrize(
    ("mu", "degrees", "a"),
    [(5 / 3, 60, -0.4150635095), (5 / 3, 30, 1.0849364905), (5 / 3, 80, 0.2354107105)],
)
def test_rod_accelerates_with_its_reduced_mass(mu: float, degrees: float, a: float) -> None:
    """γ̇_N = a λ_N + b with a from (5.31); the numbers have ten digits."""
    result, exact, b = rod(mu, degrees, 2.0)
    assert exact == pytest.approx(a, abs=1e-10)
    assert result["gammadot_N"][0] == pytest.approx(exact * result["lambda_N"][0] + b, rel=1e-14)


@pytest.mark.parametrize("degrees", [10, 30, 44.9, 76, 85])
@pytest.mark.parametrize("spin", [0.0, 0.4, 0.9])
def test_rod_slides_on_where_a_is_positive_and_b_negative(degrees: float, spin: float) -> None:
    """(5.35): λ_N = -b/a."""
    result, a, b = rod(5 / 3, degrees, spin)
    assert a > 0 > b
    assert result["status"] == LcpStatus.SOLVED
    # At 44.9° a = 0.007 is a difference of numbers near 2.5: 1e-12 is 10 times its rounding.
    np.testing.assert_allclose(result["lambda_N"], [-b / a], rtol=1e-12)
    np.testing.assert_allclose(result["lambda_T"], [5 / 3 * b / a], rtol=1e-12)
    assert abs(result["gammadot_N"][0]) < 1e-12 * g


@pytest.mark.parametrize("degrees", [45, 60, 75.9])
def test_rod_takes_off_where_both_are_positive(degrees: float) -> None:
    """(5.35) with μ = 1 < 4/3, so a > 0 for every angle (5.36)."""
    result, a, b = rod(1.0, degrees, 2.0)
    assert a > 0
    assert b > 0
    check_solved(result, lambda_N=[0], lambda_T=[0], gammadot_N=[b])


@pytest.mark.parametrize("degrees", [45.1, 60, 70, 75.9])
@pytest.mark.parametrize("spin", [0.0, 0.5, 0.9])
def test_rod_has_no_solution_where_both_are_negative(degrees: float, spin: float) -> None:
    """(5.35), μ = 5/3: a < 0 between 45° and 75.963757°.

    With one unknown, enumeration is a proof.
    """
    result, a, b = rod(5 / 3, degrees, spin)
    assert a < 0
    assert b < 0
    assert result["status"] == LcpStatus.NO_SOLUTION


@pytest.mark.parametrize("degrees", [46, 60, 70, 75.5])
def test_rod_gets_one_of_its_two_solutions(degrees: float) -> None:
    """(5.35), a < 0 < b: take-off and sliding are the only two solutions."""
    result, a, b = rod(5 / 3, degrees, 2.0)
    assert a < 0 < b
    assert result["status"] == LcpStatus.SOLVED
    lambda_N = result["lambda_N"][0]
    assert lambda_N in (0.0, pytest.approx(-b / a, rel=1e-11))
    assert result["gammadot_N"][0] == pytest.approx(a * lambda_N + b, abs=1e-11 * g)
