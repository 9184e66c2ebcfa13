"""Linear systems through the public API: evaluation, immutability, misuse, the woodpecker's data.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]

M = np.array([[2.0, 0.5], [0.5, 1.0]])
K = np.array([[3.0, -1.0], [-1.0, 4.0]])
D = np.array([[0.2, 0.1], [-0.1, 0.3]])  # gyroscopic part included
Q, U = np.array([0.3, -0.7]), np.array([1.1, 0.4])


def two_masses(**changes: Any) -> nsmb.LinearSystem:
    arguments: dict[str, Any] = {
        "M": M,
        "K": K,
        "D": D,
        "contacts": [
            nsmb.LinearContact([1, 2], [0.5, -1], 0.1, nsmb.UnilateralContact(0.3, 0.5, 0.2, 0.9)),
            nsmb.LinearContact([0, -1], name="stop", w_tilde_N=0.4, w_tilde_T=-0.6),
        ],
    }
    return nsmb.LinearSystem(**{**arguments, **changes})


def spring(k: float = 2.0, m: float = 1.0) -> nsmb.LinearSystem:
    return nsmb.LinearSystem(
        [[m]], [[k]], name="spring", parameters={"k": k, "m": m}, rebuild=spring
    )


# Evaluation -----------------------------------------------------------------------------------


def test_sizes_and_names_have_the_documented_defaults() -> None:
    system = two_masses()
    assert (system.nq, system.nu, system.nc) == (2, 2, 2)
    assert system.coordinates == ("q1", "q2")
    assert system.coordinate_units == ("", "")
    assert system.contact_names == ("contact_1", "stop")
    assert system.contacts[0].law == nsmb.UnilateralContact(0.3, 0.5, 0.2, 0.9)
    assert system.contacts[1].law == nsmb.UnilateralContact()
    assert system.name == "linear system"
    assert repr(system) == "<linear system: 2 coordinates, contacts: contact_1, stop>"
    assert repr(spring()) == "<spring: 1 coordinates, contacts: none>"
    assert dict(system.parameters) == {}
    assert system.initial_state.t == 0
    np.testing.assert_array_equal(system.initial_state.q, [0, 0])
    np.testing.assert_array_equal(system.initial_state.u, [0, 0])


def test_given_names_and_start_are_kept() -> None:
    start = nsmb.State(1.5, Q, U)
    system = two_masses(
        coordinates=["x", "phi"], coordinate_units=["m", "rad"], initial_state=start, name="two"
    )
    assert system.coordinates == ("x", "phi")
    assert system.coordinate_units == ("m", "rad")
    assert system.name == "two"
    assert system.initial_state.t == 1.5
    np.testing.assert_array_equal(system.initial_state.q, Q)
    np.testing.assert_array_equal(system.initial_state.u, U)


def test_mass_matrix_and_energies() -> None:
    system = two_masses(force=[1, -2])
    np.testing.assert_array_equal(system.mass_matrix(3.0, Q), M)
    assert system.kinetic_energy(0, Q, U) == pytest.approx(U @ M @ U / 2, rel=1e-15)
    assert system.potential_energy(0, Q) == pytest.approx(Q @ K @ Q / 2 - Q @ [1, -2], rel=1e-15)


def test_potential_energy_of_an_asymmetric_stiffness_is_nan() -> None:
    """Circulatory forces have no potential."""
    assert np.isnan(two_masses(K=[[3, 1], [-1, 4]]).potential_energy(0, Q))


@pytest.mark.parametrize("t", [0.0, 0.8, 12.5])
def test_forces_are_the_sum_of_their_parts(t: float) -> None:
    """h = f(t) - D u - K q with f = constant + ramp t + Σ a cos(ω t + φ)."""
    c, r = np.array([1.0, -2.0]), np.array([0.5, 0.25])
    a_1, a_2 = np.array([3.0, 0.0]), np.array([-1.0, 2.0])
    force = nsmb.Force(c, r, [nsmb.Harmonic(a_1, 4.0), nsmb.Harmonic(a_2, 1.5, phase=0.7)])
    expected = c + r * t + a_1 * np.cos(4.0 * t) + a_2 * np.cos(1.5 * t + 0.7) - D @ U - K @ Q
    # A dozen products of order one, ω t below 50: 1e-14 is some 50 roundings.
    np.testing.assert_allclose(two_masses(force=force).forces(t, Q, U), expected, atol=1e-14 * 5)


def test_harmonic_force_leads_by_its_phase() -> None:
    """cos(ω t - π/2) = sin ω t: zero at t = 0, full at a quarter of the period."""
    force = nsmb.Force(harmonics=[nsmb.Harmonic([5, 0], omega=2 * np.pi, phase=-np.pi / 2)])
    system = two_masses(force=force, K=None, D=None)
    np.testing.assert_allclose(system.forces(0.0, Q, U), [0, 0], atol=1e-15)
    np.testing.assert_allclose(system.forces(0.25, Q, U), [5, 0], atol=1e-14)


def test_force_may_be_a_vector_or_a_function_of_time() -> None:
    inner = D @ U + K @ Q
    pulse = two_masses(force=lambda t: [t**2, -t])
    for system, force in ((two_masses(), 0), (two_masses(force=[1, 2]), [1, 2]), (pulse, [4, -2])):
        np.testing.assert_allclose(system.forces(2, Q, U) + inner, force, atol=4e-15)


@pytest.mark.parametrize("t", [0.0, 2.5])
def test_contacts_have_affine_gaps_and_constant_directions(t: float) -> None:
    """g_N = w_N·q + gap + w̃_N t, γ = w·u + w̃ (4.38), w̄ = 0."""
    system = two_masses()
    W_N, W_T = np.array([[1, 2], [0, -1.0]]).T, np.array([[0.5, -1], [0, 0]]).T
    gap = W_N.T @ Q + [0.1, 0.4 * t]
    kinematics = system.contact_kinematics(t, Q, U)
    assert {name: np.shape(value) for name, value in kinematics.items()} == {
        "g_N": (2,),
        "W_N": (2, 2),
        "W_T": (2, 2),
        "w_tilde_N": (2,),
        "w_tilde_T": (2,),
        "w_bar_N": (2,),
        "w_bar_T": (2,),
    }
    np.testing.assert_allclose(kinematics["g_N"], gap, atol=1e-15)
    np.testing.assert_array_equal(kinematics["W_N"], W_N)
    np.testing.assert_array_equal(kinematics["W_T"], W_T)
    np.testing.assert_array_equal(kinematics["w_tilde_N"], [0, 0.4])
    np.testing.assert_array_equal(kinematics["w_tilde_T"], [0, -0.6])
    np.testing.assert_array_equal(kinematics["w_bar_N"], [0, 0])
    np.testing.assert_array_equal(kinematics["w_bar_T"], [0, 0])
    quantities = system.contact_quantities(t, Q, U)
    np.testing.assert_allclose(quantities["g_N"], gap, atol=1e-15)
    np.testing.assert_allclose(quantities["gamma_N"], W_N.T @ U + [0, 0.4], atol=1e-15)
    np.testing.assert_allclose(quantities["gamma_T"], W_T.T @ U + [0, -0.6], atol=1e-15)


def test_a_system_may_have_no_contacts() -> None:
    kinematics = spring().contact_kinematics(0, [0], [0])
    assert kinematics["g_N"].shape == (0,)
    assert kinematics["W_N"].shape == (1, 0)


# Immutability and parameters ------------------------------------------------------------------


def test_a_system_does_not_change_with_the_arrays_it_came_from() -> None:
    mass, start = M.copy(), Q.copy()
    system = two_masses(M=mass, initial_state=nsmb.State(0.0, start, U))
    mass[:] = start[:] = 99.0
    np.testing.assert_array_equal(system.mass_matrix(0, Q), M)
    np.testing.assert_array_equal(system.M, M)
    np.testing.assert_array_equal(system.initial_state.q, Q)


def test_results_are_copies() -> None:
    system = two_masses()
    system.mass_matrix(0, Q)[:] = 0
    system.contact_kinematics(0, Q, U)["W_N"][:] = 0
    np.testing.assert_array_equal(system.mass_matrix(0, Q), M)
    np.testing.assert_array_equal(system.contact_kinematics(0, Q, U)["W_N"][0], [1, 0])


def test_start_parameters_and_laws_are_read_only() -> None:
    system = spring()
    with pytest.raises(ValueError, match="read-only"):
        system.initial_state.q[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        system.initial_state.u[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        system.initial_state.t = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        system.parameters["k"] = 1.0  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        two_masses().contacts[0].law.mu = 1.0  # type: ignore[misc]


@pytest.mark.parametrize("name", ["M", "K", "D"])
def test_matrices_of_a_built_system_are_read_only(name: str) -> None:
    """A matrix that could be changed would disagree with the motion computed from the copy."""
    with pytest.raises(ValueError, match="read-only"):
        getattr(two_masses(), name)[0, 0] = 5.0


def test_with_parameters_gives_another_system() -> None:
    system = spring()
    stiff = system.with_parameters(k=50.0)
    assert dict(stiff.parameters) == {"k": 50.0, "m": 1.0}
    np.testing.assert_array_equal(stiff.forces(0, [1.0], [0.0]), [-50.0])
    assert dict(system.parameters) == {"k": 2.0, "m": 1.0}
    np.testing.assert_array_equal(system.forces(0, [1.0], [0.0]), [-2.0])
    assert dict(stiff.with_parameters(m=3.0).parameters) == {"k": 50.0, "m": 3.0}


def test_unknown_parameter_is_named_with_the_nearest_one() -> None:
    toy = nsmb.systems.woodpecker()
    with pytest.raises(ValueError, match=r"'c_fi': expected one of m_M, .*did you mean 'c_phi'\?"):
        toy.with_parameters(c_fi=1.0)
    with pytest.raises(ValueError, match=r"'zzz': expected one of k, m$"):
        spring().with_parameters(zzz=1.0)


def test_system_without_named_parameters_says_so() -> None:
    with pytest.raises(ValueError, match="'linear system' was built without named parameters"):
        two_masses().with_parameters(k=1.0)


def test_a_value_a_parameter_cannot_take_is_rejected_by_the_builder() -> None:
    with pytest.raises(ValueError, match=r"M: expected a positive definite matrix, got .*-1"):
        spring().with_parameters(m=-1.0)


# Misuse: the message names the argument, what was expected and what came ----------------------

contact, unilateral = nsmb.LinearContact, nsmb.UnilateralContact


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # the mass matrix
        ({"M": [1, 2]}, r"M: expected a square matrix, got shape \(2,\)"),
        ({"M": [[1, 2]]}, r"M: expected a square matrix, got shape \(1, 2\)"),
        ({"M": [[1, 2], [3]]}, r"M: expected numbers of shape \(2, 2\), got \[\[1, 2\], \[3\]\]"),
        ({"M": [["a", 0], [0, 1]]}, r"M: expected numbers of shape \(2, 2\), got .*'a'"),
        ({"M": [[1, 0], [0, np.nan]]}, "M: expected finite numbers, got .*nan"),
        ({"M": [[1, 0], [0, -2]]}, "M: expected a positive definite matrix, got .*-2"),
        ({"M": [[1, 0], [0, 0]]}, "M: expected a positive definite matrix, got .*0"),
        ({"M": [[1, 1], [1, 1]]}, "M: expected a positive definite matrix, got a singular"),
        ({"M": [[1, 2], [2, 1]]}, "M: expected a positive definite matrix, got a singular"),
        ({"M": [[2, 0.5], [0.4, 1]]}, "M: expected a symmetric matrix, got asymmetry 0.0?9|0.1"),
        # stiffness, damping, force
        ({"K": np.eye(3)}, r"K: expected shape \(2, 2\), got shape \(3, 3\)"),
        ({"D": [[0, np.inf], [0, 0]]}, "D: expected finite numbers, got .*inf"),
        ({"force": [1]}, r"force: expected shape \(2,\), got shape \(1,\)"),
        ({"force": "weight"}, r"force: expected numbers of shape \(2,\), got 'weight'"),
        ({"force": nsmb.Force(ramp=[1, np.nan])}, r"force\.ramp: expected finite numbers"),
        (
            {"force": nsmb.Force(harmonics=[nsmb.Harmonic([1], 2.0)])},
            r"force\.harmonics: amplitude: expected shape \(2,\), got shape \(1,\)",
        ),
        (
            {"force": nsmb.Force(harmonics=[nsmb.Harmonic([1, 0], -2.0)])},
            r"force\.harmonics: omega: expected a number > 0, got -2",
        ),
        (
            {"force": nsmb.Force(harmonics=[nsmb.Harmonic([1, 0], 2.0, np.nan)])},
            r"force\.harmonics: phase: expected .*, got nan",
        ),
        # contacts
        ({"contacts": [contact([1])]}, r"contact 'contact_1': w_N: expected shape \(2,\), got .*1"),
        (
            {"contacts": [contact([0, 0], name="floor")]},
            "contact 'floor': w_N: expected a direction that is not zero, got zeros",
        ),
        (
            {"contacts": [contact([1, 0], [1, 2, 3], name="floor")]},
            r"contact 'floor': w_T: expected shape \(2,\), got shape \(3,\)",
        ),
        (
            {"contacts": [contact([1, 0], gap=np.nan)]},
            "contact 'contact_1': gap: expected a finite number, got nan",
        ),
        (
            {"contacts": [contact([1, 0], gap="far")]},  # type: ignore[arg-type]
            "contact 'contact_1': gap: expected a .*number, got 'far'",
        ),
        (
            {"contacts": [contact([1, 0], w_tilde_T=np.inf)]},
            "contact 'contact_1': w_tilde_T: expected a finite number, got inf",
        ),
        (
            {"contacts": [contact([1, 0], law=unilateral(mu=-0.1))]},
            "contact 'contact_1': mu: expected a number >= 0, got -0.1",
        ),
        (
            {"contacts": [contact([1, 0], law=unilateral(mu=np.inf))]},
            "contact 'contact_1': mu: expected a finite number, got inf",
        ),
        (
            {"contacts": [contact([1, 0], law=unilateral(e_N=1.5))]},
            r"contact 'contact_1': e_N: expected a number in \[0, 1\], got 1.5",
        ),
        (
            {"contacts": [contact([1, 0], law=unilateral(e_T=-0.5))]},
            r"contact 'contact_1': e_T: expected a number in \[0, 1\], got -0.5",
        ),
        (
            {"contacts": [contact([1, 0], law=unilateral(nu=np.nan))]},
            r"contact 'contact_1': nu: expected a number in \[0, 1\], got nan",
        ),
        (
            {"contacts": [contact([1, 0], name="a"), contact([0, 1], name="a")]},
            "contacts: expected unique names, got 'a' twice",
        ),
        (
            {"contacts": [contact([1, 0], name="contact_2"), contact([0, 1])]},
            "contacts: expected unique names, got 'contact_2' twice",
        ),
        # names, units, start
        ({"coordinates": ["x", "x"]}, "coordinates: expected unique names, got 'x' twice"),
        ({"coordinates": ["x", ""]}, "coordinates: expected names that are not empty, got ''"),
        ({"coordinate_units": ["m"]}, "coordinate_units: expected 2 units, got 1"),
        (
            {"initial_state": nsmb.State(0.0, np.zeros(3), np.zeros(2))},
            r"initial_state\.q: expected shape \(2,\), got shape \(3,\)",
        ),
        (
            {"initial_state": nsmb.State(0.0, np.zeros(2), np.array([0, np.nan]))},
            r"initial_state\.u: expected finite numbers, got .*nan",
        ),
        (
            {"initial_state": nsmb.State(np.nan, np.zeros(2), np.zeros(2))},
            r"initial_state\.t: expected a finite number, got nan",
        ),
    ],
)
def test_misuse_is_a_value_error_that_says_what_is_wrong(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        two_masses(**changes)


def test_too_few_coordinates_are_named_as_such() -> None:
    """The names are wrong, not the mass matrix."""
    with pytest.raises(ValueError, match="coordinates: expected 2 names, got 1"):
        two_masses(coordinates=["x"])


def test_an_empty_system_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"expected .*, got"):
        nsmb.LinearSystem(np.zeros((0, 0)))


def test_arguments_of_the_evaluation_are_checked() -> None:
    system = two_masses()
    with pytest.raises(ValueError, match=r"q: expected shape \(2,\), got shape \(1,\)"):
        system.mass_matrix(0, [1])
    with pytest.raises(ValueError, match=r"u: expected shape \(2,\), got shape \(3,\)"):
        system.forces(0, Q, [1, 2, 3])
    with pytest.raises(ValueError, match=r"q: expected finite numbers, got .*nan"):
        system.contact_quantities(0, [np.nan, 0], U)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0], r"force\.user\(t\): expected a vector of length 2, got length 1"),
        ([1.0, np.nan], r"force\.user\(t\): expected finite numbers, got nan at \[1\]"),
    ],
)
def test_force_function_is_checked_when_it_is_called(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        two_masses(force=lambda t: value).forces(0, Q, U)


def test_mass_matrices_of_mixed_units_are_accepted() -> None:
    """Kilograms beside kg m²: the check is of the matrix scaled to unit diagonal."""
    tiny = nsmb.LinearSystem(np.diag([1e3, 1e-12]))
    np.testing.assert_array_equal(tiny.mass_matrix(0, [0, 0]), np.diag([1e3, 1e-12]))


# The woodpecker, section 14.1 -----------------------------------------------------------------

TOY = nsmb.systems.woodpecker()
P = TOY.parameters
STILL = TOY.contact_kinematics(0.0, np.zeros(3), np.zeros(3))


def stiffness_of(system: nsmb.System) -> Array:
    """K column by column from h(0) - h(q)."""
    origin = system.forces(0, np.zeros(system.nq), np.zeros(system.nu))
    return np.column_stack(
        [origin - system.forces(0, e, np.zeros(system.nu)) for e in np.eye(system.nq)]
    )


def reduced(free: list[Array]) -> tuple[Array, Array]:
    """M and K for motions in the span of these directions."""
    J = np.column_stack(free)
    return J.T @ TOY.mass_matrix(0, np.zeros(3)) @ J, J.T @ stiffness_of(TOY) @ J


def test_woodpecker_matrices_are_those_of_the_book() -> None:
    """(14.1), written out once more with the printed numbers."""
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
    """Gaps are linear: beak closes at φ_S = 0.12, the sleeve at φ_M = ∓0.103448."""
    angles = -STILL["g_N"] / STILL["W_N"].sum(axis=0)
    np.testing.assert_allclose(angles, [0.12, -0.103448, 0.103448], atol=5e-7)


def test_woodpecker_swings_with_9_1012_hz_while_the_sleeve_sticks() -> None:
    """Contact `lower` holds φ_M by w_N and then y by w_T: only φ_S moves."""
    assert np.linalg.matrix_rank(np.column_stack([STILL["W_N"][:, 1], STILL["W_T"][:, 1]])) == 2
    free = np.array([0.0, 0.0, 1.0])
    assert free @ STILL["W_N"][:, 1] == free @ STILL["W_T"][:, 1] == 0
    mass, stiffness = reduced([free])
    frequency = np.sqrt(stiffness[0, 0] / mass[0, 0]) / (2 * np.pi)
    assert frequency == pytest.approx(9.1012, abs=5e-5)


def test_free_woodpecker_has_four_zero_eigenvalues_and_72_908_hz() -> None:
    """First-order system of M q̈ + K q = 0: eigenvalues ±iω and 0 four times."""
    mass, stiffness = reduced(list(np.eye(3)))
    squares, modes = np.linalg.eig(np.linalg.solve(mass, stiffness))
    order = np.argsort(squares.real)
    squares, modes = squares[order].real, modes[:, order].real
    # λ = ±√-ω²: two zeros ω² are four zero eigenvalues. Rounding of ω² is 1e-16 times the
    # condition 1e4 of M after scaling; 1e-9 leaves room.
    assert np.abs(squares[:2]).max() < 1e-9 * squares[2]
    assert np.linalg.matrix_rank(stiffness, tol=1e-9) == 1
    assert np.sqrt(squares[2]) / (2 * np.pi) == pytest.approx(72.908, abs=5e-4)
    mode = -modes[:, 2] / modes[2, 2]
    assert (np.abs(mode - [-0.0862, 10.695, -1.0]) <= [5e-5, 5e-4, 0]).all()
    # ω² M v = K v
    np.testing.assert_allclose(squares[2] * mass @ mode, stiffness @ mode, atol=1e-12)


def equilibrium() -> tuple[Array, Array]:
    """Resting on `lower`: q with φ_M at its contact angle, and (λ_N, λ_T) from h + W λ = 0."""
    phi_M = -STILL["g_N"][1] / STILL["W_N"][1, 1]
    phi_S = phi_M - P["m_S"] * P["g"] * P["l_G"] / P["c_phi"]
    q = np.array([0.0, phi_M, phi_S])
    W = np.column_stack([STILL["W_N"][:, 1], STILL["W_T"][:, 1]])
    forces, rest, *_ = np.linalg.lstsq(W, -TOY.forces(0, q, np.zeros(3)), rcond=None)
    np.testing.assert_allclose(W @ forces, -TOY.forces(0, q, np.zeros(3)), atol=1e-16)
    assert rest.size == 0 or rest.max() < 1e-30
    return q, forces


def test_woodpecker_rests_jammed_from_friction_0_28519() -> None:
    """μ >= (m_S + m_M) h_M / (m_S (l_G + l_M) - (m_S + m_M) r_M); φ_S0 = -0.2217 there."""
    q, (lambda_N, lambda_T) = equilibrium()
    assert q[2] == pytest.approx(-0.2217, abs=5e-5)
    assert lambda_N > 0
    assert lambda_T == pytest.approx((P["m_S"] + P["m_M"]) * P["g"], rel=1e-13)  # the weight
    assert lambda_T / lambda_N == pytest.approx(0.28519, abs=5e-6)
    total = P["m_S"] + P["m_M"]
    closed_form = total * P["h_M"] / (P["m_S"] * (P["l_G"] + P["l_M"]) - total * P["r_M"])
    assert lambda_T / lambda_N == pytest.approx(closed_form, rel=1e-12)


def test_a_vertical_pull_at_the_bird_needs_less_friction_than_the_weight() -> None:
    """Self-locking: an extra force F at the bird's mass centre needs h_M/(l_G + l_M - r_M)."""
    pull = -np.array([1.0, P["l_M"], P["l_G"]])  # as -F on y + l_M φ_M + l_G φ_S
    # The spring carries the moment of φ_S to the sleeve.
    load = pull[:2] + np.array([0.0, pull[2]])
    W = np.column_stack([STILL["W_N"][:2, 1], STILL["W_T"][:2, 1]])
    lambda_N, lambda_T = np.linalg.solve(W, -load)
    assert lambda_T / lambda_N == pytest.approx(0.2648, abs=5e-5)
    assert lambda_T / lambda_N < 0.28519


def test_woodpecker_apparent_masses() -> None:
    """1/(w_Nᵀ M⁻¹ w_N): M⁻¹ in closed form by eliminating y and one angle from M.

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


def test_woodpecker_takes_parameters_by_name() -> None:
    assert nsmb.systems.woodpecker(mu=0.9).contacts[1].law.mu == 0.9
    assert TOY.with_parameters(e_beak=0.25).contacts[0].law.e_N == 0.25
    with pytest.raises(ValueError, match=r"parameter 'mue': .*did you mean 'mu'\?"):
        nsmb.systems.woodpecker(mue=0.9)
    with pytest.raises(ValueError, match="parameter 'mu': expected a number, got 'rough'"):
        nsmb.systems.woodpecker(mu="rough")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="contact 'beak': mu: expected a number >= 0, got -1"):
        TOY.with_parameters(mu=-1.0)
    assert set(TOY.parameter_info) == set(TOY.parameters)
    assert TOY.parameter_info["c_phi"].unit == "N m/rad"


def test_a_law_that_is_no_number_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValueError, match=r"mu: expected a number, got 'rough'"):
        nsmb.UnilateralContact(mu="rough")  # type: ignore[arg-type]
