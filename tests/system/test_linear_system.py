"""Linear systems through the public API: evaluation, immutability, parameters.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

import dataclasses

import numpy as np
import pytest

import nsmb
from tests.system.small_systems import D, K, M, Q, U, spring, two_masses

# Evaluation -----------------------------------------------------------------------------------


def test_sizes_and_names_have_the_documented_defaults() -> None:
    system = two_masses()
    assert (system.nq, system.nu, system.nc) == (2, 2, 2)
    assert system.coordinates == ("q1", "q2")
    assert system.coordinate_units == ("", "")
    assert system.contact_names == ("contact_1", "stop")
    assert system.contacts[0].law == nsmb.ContactLaw(0.3, 0.5, 0.2, 0.9)
    assert system.contacts[1].law == nsmb.ContactLaw()
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
    """cos(ω t - π/2) = sin ω t: zero at t = 0, maximum at a quarter of the period."""
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
        "bound": (2,),
    }
    np.testing.assert_allclose(kinematics["g_N"], gap, atol=1e-15)
    np.testing.assert_array_equal(kinematics["W_N"], W_N)
    np.testing.assert_array_equal(kinematics["W_T"], W_T)
    np.testing.assert_array_equal(kinematics["w_tilde_N"], [0, 0.4])
    np.testing.assert_array_equal(kinematics["w_tilde_T"], [0, -0.6])
    np.testing.assert_array_equal(kinematics["w_bar_N"], [0, 0])
    np.testing.assert_array_equal(kinematics["w_bar_T"], [0, 0])
    np.testing.assert_array_equal(kinematics["bound"], [0, 0])
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
    """A mutable matrix could differ from the copy that determines the motion."""
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
