"""The sliding rod of Painlevé (5.26)-(5.36), example E4."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.systems.examples import accelerations

MU, G = 5 / 3, 10.0


def coefficient(mu: float, degrees: float) -> float:
    """Return m a of (5.31) from the system, w_Nᵀ M⁻¹ (w_N - μ w_T)."""
    rod = nsmb.systems.sliding_rod(mu=mu, phi=np.radians(degrees))
    at = rod.initial_state
    k = rod.contact_kinematics(at.t, at.q, at.u)
    w_N, w_T = k["W_N"][:, 0], k["W_T"][:, 0]
    return float(w_N @ np.linalg.solve(rod.mass_matrix(at.t, at.q), w_N - mu * w_T))


@pytest.mark.parametrize(
    ("mu", "degrees", "a"),
    [
        (MU, 60, -0.4150635095),
        (MU, 30, 1.0849364905),
        (MU, 80, 0.2354107105),
        (1.0, 63, 0.4047966300),
    ],
)
def test_reduced_mass_has_the_values_of_the_example(mu: float, degrees: float, a: float) -> None:
    """(5.31) with m = 1 agrees to ten digits."""
    assert coefficient(mu, degrees) == pytest.approx(a, abs=5.1e-11)


def test_reduced_mass_vanishes_at_the_two_boundary_angles() -> None:
    """By (5.36), tan φ = 1 and 4 for μ = 5/3, and both are 2 for μ = 4/3."""
    for mu, tangent in ((MU, 1.0), (MU, 4.0), (4 / 3, 2.0)):
        assert abs(coefficient(mu, np.degrees(np.arctan(tangent)))) < 1e-15 * 8
    assert np.degrees(np.arctan([4.0, 2.0])) == pytest.approx([75.963757, 63.434949], abs=5e-7)
    assert min(coefficient(1.333, degrees) for degrees in np.linspace(0, 90, 181)) > 0


@pytest.mark.parametrize("omega", [1.0, 6.0])
@pytest.mark.parametrize("degrees", [10.0, 60.0])
def test_kinematics_of_the_tip(degrees: float, omega: float) -> None:
    """(5.27)-(5.29) hold, and the initial slip velocity is v."""
    phi = np.radians(degrees)
    rod = nsmb.systems.sliding_rod(phi=phi, omega=omega, v=3.0, s=0.5)
    at = rod.initial_state
    k = rod.contact_kinematics(at.t, at.q, at.u) | rod.contact_quantities(at.t, at.q, at.u)
    sin, cos = np.sin(phi), np.cos(phi)
    expected = {
        "g_N": [0.0],
        "gamma_N": [0.0],
        "gamma_T": [3.0],
        "W_N": np.c_[[0.0, 1.0, -0.5 * cos]],
        "W_T": np.c_[[1.0, 0.0, -0.5 * sin]],
        "w_bar_N": [0.5 * omega**2 * sin],
        "w_bar_T": [-0.5 * omega**2 * cos],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(k[name], value, rtol=1e-15, atol=1e-15, err_msg=name)


def decide(degrees: float, spin: float) -> tuple[nsmb.Solution, float, float]:
    """Return a rod with initial s φ̇²/g = spin, and a and b of (5.31)."""
    phi = np.radians(degrees)
    rod = nsmb.systems.sliding_rod(phi=phi, omega=np.sqrt(spin * G))
    sol = nsmb.simulate(rod, 0.0, throw=False)
    a = 1 + 3 * np.cos(phi) * (np.cos(phi) - MU * np.sin(phi))
    return sol, a, G * (spin * np.sin(phi) - 1)


@pytest.mark.parametrize("degrees", [20.0, 44.0, 77.0])
def test_rod_slides_on_where_a_is_positive_and_b_negative(degrees: float) -> None:
    """By (5.35), (5.32), λ_N = -b/a."""
    sol, a, b = decide(degrees, 0.3)
    assert a > 0 > b
    assert sol.contact_state[-1] == nsmb.ContactState.SLIP_POSITIVE
    assert sol.lambda_N[-1, 0] == pytest.approx(-b / a, rel=1e-12)
    assert sol.lambda_T[-1, 0] == pytest.approx(MU * b / a, rel=1e-12)
    phi = np.radians(degrees)
    sin, cos = np.sin(phi), np.cos(phi)
    expected = (-MU + 3 * sin * (cos - MU * sin)) * -b / a - 0.3 * G * cos
    _, gammadot_N, gammadot_T = accelerations(sol)
    assert gammadot_T[0] == pytest.approx(expected, rel=1e-12)
    assert abs(gammadot_N[0]) < 1e-12 * abs(b / a)


@pytest.mark.parametrize("degrees", [40.0, 80.0])
def test_rod_takes_off_where_both_are_positive(degrees: float) -> None:
    """By (5.35), γ̇_N = b."""
    sol, a, b = decide(degrees, 3.0)
    assert a > 0
    assert b > 0
    assert sol.contact_state[-1] == nsmb.ContactState.OPEN
    assert sol.lambda_N[-1, 0] == 0.0
    assert accelerations(sol)[1][0] == pytest.approx(b, rel=1e-13)


@pytest.mark.parametrize("degrees", [46.0, 60.0, 75.0])
def test_rod_has_no_solution_where_both_are_negative(degrees: float) -> None:
    """By (5.35) the run ends with a status that names the contact."""
    sol, a, b = decide(degrees, 0.3)
    assert a < 0
    assert b < 0
    assert sol.status == "no_contact_solution"
    assert "tip" in sol.message


@pytest.mark.parametrize("degrees", [46.0, 60.0, 75.0])
def test_rod_takes_one_of_two_solutions_where_a_is_negative_and_b_positive(degrees: float) -> None:
    """By (5.35) it takes off, or slides with λ_N = -b/a."""
    sol, a, b = decide(degrees, 2.0)
    assert a < 0 < b
    if sol.contact_state[-1] == nsmb.ContactState.OPEN:
        assert accelerations(sol)[1][0] == pytest.approx(b, rel=1e-13)
    else:
        assert sol.lambda_N[-1, 0] == pytest.approx(-b / a, rel=1e-11)


def test_contact_force_grows_without_bound_at_the_singular_angle() -> None:
    """Sliding right from 28.6° with b < 0, the rod is drawn to a = 0 at 45° (5.3).

    λ_N is unbounded there, so that the run ends with a status just before the singular point.
    """
    rod = nsmb.systems.sliding_rod(phi=0.5, omega=0.5, v=20.0)
    sol = nsmb.simulate(rod, 2.0, throw=False)
    assert sol.status == "no_contact_solution"
    assert "singular" in sol.message
    assert len(sol.events) == 0
    assert np.degrees(sol.q[-1, 2]) == pytest.approx(45.0, abs=1e-8)  # where det is 1e-10
    assert sol.gamma_T[-1, 0] > 8.0
    assert np.abs(sol.lambda_N).max() > 3e4
    assert np.all(np.diff(sol.q[:, 2]) >= 0)
    # Until then a > 0 > b and λ_N = -b/a (5.31).
    inside = sol.t < sol.t[-1] - 1e-4
    phi, omega = sol.q[inside, 2], sol.u[inside, 2]
    a = 1 + 3 * np.cos(phi) * (np.cos(phi) - MU * np.sin(phi))
    b = omega**2 * np.sin(phi) - G
    assert a.min() > 0
    assert b.max() < 0
    np.testing.assert_allclose(sol.lambda_N[inside, 0], -b / a, rtol=1e-9)
