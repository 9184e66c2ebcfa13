"""The woodpecker between its impacts, section 14.1: matrices, frequencies, rest, parameters.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]

TOY = nsmb.systems.woodpecker()
P = TOY.parameters
STILL = TOY.contact_kinematics(0.0, np.zeros(3), np.zeros(3))


def stiffness_of(system: nsmb.System) -> Array:
    """Return K column by column from h(0) - h(q)."""
    origin = system.forces(0, np.zeros(system.nq), np.zeros(system.nu))
    return np.column_stack(
        [origin - system.forces(0, e, np.zeros(system.nu)) for e in np.eye(system.nq)]
    )


def reduced(free: list[Array]) -> tuple[Array, Array]:
    """Return M and K for motions in the span of these directions."""
    J = np.column_stack(free)
    return J.T @ TOY.mass_matrix(0, np.zeros(3)) @ J, J.T @ stiffness_of(TOY) @ J


def test_woodpecker_matrices_are_those_of_the_book() -> None:
    """(14.1) is written out here with the printed numbers."""
    m_M, J_M, m_S, J_S = 3.0e-4, 5.0e-9, 4.5e-3, 7.0e-7
    l_M, l_G, h_M, h_S, l_S, r_M, r_0 = 0.010, 0.015, 0.0058, 0.02, 0.0201, 0.0031, 0.0025
    mass = [
        [m_S + m_M, m_S * l_M, m_S * l_G],
        [m_S * l_M, J_M + m_S * l_M**2, m_S * l_M * l_G],
        [m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G**2],
    ]
    np.testing.assert_allclose(TOY.mass_matrix(0, np.zeros(3)), mass, rtol=1e-15)
    weight = -9.81 * np.array([m_S + m_M, m_S * l_M, m_S * l_G])
    np.testing.assert_allclose(TOY.forces(0, np.zeros(3), np.ones(3)), weight, rtol=1e-15)
    c = 0.0056
    spring_matrix = [[0, 0, 0], [0, c, -c], [0, -c, c]]
    np.testing.assert_allclose(stiffness_of(TOY), spring_matrix, atol=1e-17)
    assert TOY.contact_names == ("beak", "lower", "upper")
    np.testing.assert_array_equal(STILL["W_N"].T, [[0, 0, -h_S], [0, h_M, 0], [0, -h_M, 0]])
    np.testing.assert_allclose(
        STILL["W_T"].T, [[1, l_M, l_G - l_S], [1, r_M, 0], [1, r_M, 0]], rtol=1e-15
    )
    np.testing.assert_allclose(STILL["g_N"], [l_M + l_G - l_S - r_0, r_M - r_0, r_M - r_0])
    laws = [contact.law for contact in TOY.contacts]
    assert [law.e_N for law in laws] == [0.5, 0, 0]
    assert [law.mu for law in laws] == [0.3] * 3
    assert [(law.e_T, law.nu) for law in laws] == [(0, 0)] * 3


def test_woodpecker_contact_angles() -> None:
    """Gaps are linear. The beak closes at φ_S = 0.12, the sleeve at φ_M = ∓0.103448."""
    angles = -STILL["g_N"] / STILL["W_N"].sum(axis=0)
    np.testing.assert_allclose(angles, [0.12, -0.103448, 0.103448], atol=5e-7)


def test_woodpecker_swings_with_9_1012_hz_while_the_sleeve_sticks() -> None:
    """Contact `lower` holds φ_M by w_N and y by w_T, so that only φ_S moves."""
    assert np.linalg.matrix_rank(np.column_stack([STILL["W_N"][:, 1], STILL["W_T"][:, 1]])) == 2
    free = np.array([0.0, 0.0, 1.0])
    assert free @ STILL["W_N"][:, 1] == free @ STILL["W_T"][:, 1] == 0
    mass, stiffness = reduced([free])
    frequency = np.sqrt(stiffness[0, 0] / mass[0, 0]) / (2 * np.pi)
    assert frequency == pytest.approx(9.1012, abs=5e-5)


def test_free_woodpecker_has_four_zero_eigenvalues_and_72_908_hz() -> None:
    """The first-order system of M q̈ + K q = 0 has eigenvalues ±iω and 0 four times."""
    mass, stiffness = reduced(list(np.eye(3)))
    squares, modes = np.linalg.eig(np.linalg.solve(mass, stiffness))
    order = np.argsort(squares.real)
    squares, modes = squares[order].real, modes[:, order].real
    # λ = ±√-ω²: two zeros ω² are four zero eigenvalues. Rounding of ω² is 1e-16 times the condition
    # 1e4 of M after scaling; 1e-9 leaves a margin.
    assert np.abs(squares[:2]).max() < 1e-9 * squares[2]
    assert np.linalg.matrix_rank(stiffness, tol=1e-9) == 1
    assert np.sqrt(squares[2]) / (2 * np.pi) == pytest.approx(72.908, abs=5e-4)
    mode = -modes[:, 2] / modes[2, 2]
    assert (np.abs(mode - [-0.0862, 10.695, -1.0]) <= [5e-5, 5e-4, 0]).all()
    # ω² M v = K v
    np.testing.assert_allclose(squares[2] * mass @ mode, stiffness @ mode, atol=1e-12)


def equilibrium() -> tuple[Array, Array]:
    """Return the rest on `lower`: q at its contact angle, and (λ_N, λ_T) from h + W λ = 0."""
    phi_M = -STILL["g_N"][1] / STILL["W_N"][1, 1]
    phi_S = phi_M - P["m_S"] * P["g"] * P["l_G"] / P["c_phi"]
    q = np.array([0.0, phi_M, phi_S])
    W = np.column_stack([STILL["W_N"][:, 1], STILL["W_T"][:, 1]])
    forces, rest, *_ = np.linalg.lstsq(W, -TOY.forces(0, q, np.zeros(3)), rcond=None)
    np.testing.assert_allclose(W @ forces, -TOY.forces(0, q, np.zeros(3)), atol=1e-16)
    assert rest.size == 0 or rest.max() < 1e-30
    return q, forces


def test_woodpecker_rests_jammed_from_friction_0_28519() -> None:
    """μ >= (m_S + m_M) h_M / (m_S (l_G + l_M) - (m_S + m_M) r_M), where φ_S0 = -0.2217."""
    q, (lambda_N, lambda_T) = equilibrium()
    assert q[2] == pytest.approx(-0.2217, abs=5e-5)
    assert lambda_N > 0
    assert lambda_T == pytest.approx((P["m_S"] + P["m_M"]) * P["g"], rel=1e-13)  # the weight
    assert lambda_T / lambda_N == pytest.approx(0.28519, abs=5e-6)
    total = P["m_S"] + P["m_M"]
    closed_form = total * P["h_M"] / (P["m_S"] * (P["l_G"] + P["l_M"]) - total * P["r_M"])
    assert lambda_T / lambda_N == pytest.approx(closed_form, rel=1e-12)


def test_a_vertical_pull_at_the_bird_needs_less_friction_than_the_weight() -> None:
    """An extra force F at the bird's centre of mass needs only h_M/(l_G + l_M - r_M)."""
    pull = -np.array([1.0, P["l_M"], P["l_G"]])  # equal to -F on y + l_M φ_M + l_G φ_S
    # The spring transmits the moment of φ_S to the sleeve.
    load = pull[:2] + np.array([0.0, pull[2]])
    W = np.column_stack([STILL["W_N"][:2, 1], STILL["W_T"][:2, 1]])
    lambda_N, lambda_T = np.linalg.solve(W, -load)
    assert lambda_T / lambda_N == pytest.approx(0.2648, abs=5e-5)
    assert lambda_T / lambda_N < 0.28519


def test_woodpecker_apparent_masses() -> None:
    """1/(w_Nᵀ M⁻¹ w_N) agrees with a closed form of M⁻¹, eliminating y and one angle from M.

    Eliminating y leaves m = m_S m_M/(m_S + m_M) on the levers l_M, l_G: a 2 by 2 matrix.
    """
    m = P["m_S"] * P["m_M"] / (P["m_S"] + P["m_M"])
    a = P["J_M"] + m * P["l_M"] ** 2
    b = m * P["l_M"] * P["l_G"]
    c = P["J_S"] + m * P["l_G"] ** 2
    sleeve = (a - b**2 / c) / P["h_M"] ** 2
    beak = (c - b**2 / a) / P["h_S"] ** 2
    inverse = np.linalg.inv(TOY.mass_matrix(0, np.zeros(3)))
    apparent = 1 / np.einsum("ji,jk,ki->i", STILL["W_N"], inverse, STILL["W_N"])
    np.testing.assert_allclose(apparent, [beak, sleeve, sleeve], rtol=1e-10)


PLACES = ("lower", "upper", "beak")


def test_woodpecker_takes_parameters_by_name() -> None:
    assert nsmb.systems.woodpecker(mu=0.9).contacts[1].law.mu == 0.9
    assert TOY.with_parameters(e_beak=0.25).contacts[0].law.e_N == 0.25
    with pytest.raises(ValueError, match=r"parameter 'mue': .*did you mean 'mu'\?"):
        nsmb.systems.woodpecker(mue=0.9)
    with pytest.raises(ValueError, match="parameter 'mu': expected a number, got 'rough'"):
        nsmb.systems.woodpecker(mu="rough")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'mu': must be at least 0, got -1"):
        TOY.with_parameters(mu=-1.0)
    # A coefficient of one contact is omitted unless it differs from that of the others.
    left_out = {f"{name}_{where}" for name in ("mu", "nu", "e_T") for where in PLACES}
    assert set(TOY.parameter_info) == {*TOY.parameters, *left_out}
    assert TOY.parameter_info["c_phi"].unit == "N m/rad"
