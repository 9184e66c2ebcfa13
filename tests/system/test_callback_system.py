"""Systems of Python functions against linear systems, and the accuracy of differences.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nsmb
from tests.system.small_systems import LENGTH, Array, D, K, M, entries, law, w_N, w_T

# The same system twice -------------------------------------------------------------------------

W_N = np.array([[1.0, 2.0], [0.0, -1.0]])  # one row per contact
W_T = np.array([[0.5, -1.0], [3.0, 0.0]])
GAP, W_TILDE_N, W_TILDE_T = [0.1, 0.7], [0.0, 0.4], [0.0, -0.6]
LAWS = [nsmb.ContactLaw(0.3, 0.5, 0.2, 0.9), nsmb.ContactLaw()]
NAMES = ["floor", "belt"]


def by_matrices() -> nsmb.LinearSystem:
    rows = zip(W_N, W_T, GAP, LAWS, NAMES, W_TILDE_N, W_TILDE_T, strict=True)
    force = nsmb.Force([1, -2], harmonics=[nsmb.Harmonic([3, 0], 2.0, 0.5)])
    contacts = [
        nsmb.Contact(
            gap, law=law, name=name, w_N=w_N, w_T=w_T, w_tilde_N=w_tilde_N, w_tilde_T=w_tilde_T
        )
        for w_N, w_T, gap, law, name, w_tilde_N, w_tilde_T in rows
    ]
    return nsmb.LinearSystem(M, K, D, force=force, contacts=contacts)


def by_functions(*, constant_mass: bool = False) -> nsmb.CallbackSystem:
    def forces(t: float, q: Array, u: Array) -> Any:
        return np.array([1 + 3 * np.cos(2 * t + 0.5), -2]) - K @ q - D @ u

    def one(i: int) -> nsmb.Contact:
        return nsmb.Contact(
            gap=lambda t, q: float(W_N[i] @ q + GAP[i] + W_TILDE_N[i] * t),
            w_N=lambda t, q: W_N[i],
            w_T=lambda t, q: W_T[i],
            law=LAWS[i],
            name=NAMES[i],
            w_tilde_N=lambda t, q: W_TILDE_N[i],
            w_tilde_T=lambda t, q: W_TILDE_T[i],
            w_bar_N=lambda t, q, u: 0.0,
            w_bar_T=lambda t, q, u: 0.0,
        )

    return nsmb.CallbackSystem(
        ["q1", "q2"],
        M if constant_mass else lambda t, q: M,
        forces,
        [one(0), one(1)],
        potential_energy=lambda t, q: float(q @ K @ q / 2 - q @ [1, -2]),
    )


pairs = st.tuples(entries, entries).map(np.array)


@pytest.mark.parametrize("constant_mass", [False, True])
def test_functions_describe_the_same_system_as_matrices(constant_mass: bool) -> None:
    a, b = by_matrices(), by_functions(constant_mass=constant_mass)
    assert (a.nq, a.nu, a.nc) == (b.nq, b.nu, b.nc) == (2, 2, 2)
    assert a.coordinates == b.coordinates
    assert a.contacts == b.contacts
    assert b.name == "callback system"


@law
@given(t=entries, q=pairs, u=pairs)
def test_functions_evaluate_to_the_same_as_matrices(t: float, q: Array, u: Array) -> None:
    """Numbers below 100, sums of at most seven: 1e-13 is 100 times their rounding."""
    a, b = by_matrices(), by_functions()
    np.testing.assert_array_equal(a.mass_matrix(t, q), b.mass_matrix(t, q))
    np.testing.assert_allclose(a.forces(t, q, u), b.forces(t, q, u), atol=1e-13)
    assert a.kinetic_energy(t, q, u) == b.kinetic_energy(t, q, u)
    energy = pytest.approx(b.potential_energy(t, q), rel=1e-13, abs=1e-12)
    assert a.potential_energy(t, q) == energy
    kinematics = b.contact_kinematics(t, q, u)
    for name, value in a.contact_kinematics(t, q, u).items():
        np.testing.assert_allclose(value, kinematics[name], atol=1e-13, err_msg=name)
    quantities = b.contact_quantities(t, q, u)
    for name, value in a.contact_quantities(t, q, u).items():
        np.testing.assert_allclose(value, quantities[name], atol=1e-13, err_msg=name)


# Differences for functions that are not given -------------------------------------------------

ANGLES = [-1.2, 0.0, 0.3, 1.5, 3.0]

# Central differences with step s = 6e-6: truncation s²/6 = 6e-12, rounding ε/s = 4e-11 of the
# values. 1e-9, the accuracy CallbackContact promises, is 20 times their sum.
DIFFERENCE = 1e-9


def pendulum(**functions: Any) -> nsmb.CallbackSystem:
    check = functions.pop("check", True)
    contact = nsmb.Contact(gap=lambda t, q: LENGTH * np.sin(q[0]), **functions)
    return nsmb.CallbackSystem(
        ["phi"], [[1.0]], lambda t, q, u: [-9.81 * np.sin(q[0])], contacts=[contact], check=check
    )


@pytest.mark.parametrize("phi", ANGLES)
def test_normal_direction_is_the_gradient_of_the_gap(phi: float) -> None:
    W = pendulum().contact_kinematics(0, [phi], [0])["W_N"]
    np.testing.assert_allclose(W, [[LENGTH * np.cos(phi)]], atol=DIFFERENCE)


@pytest.mark.parametrize("rate", [-30.0, -0.4, 0.0, 1.0, 200.0])
@pytest.mark.parametrize("phi", ANGLES)
def test_acceleration_terms_are_derivatives_along_the_motion(phi: float, rate: float) -> None:
    """(4.45) with given directions; errors grow with φ̇² like the terms, but at least with φ̇."""
    kinematics = pendulum(w_N=w_N, w_T=w_T).contact_kinematics(0, [phi], [rate])
    tol = DIFFERENCE * LENGTH * max(abs(rate), rate**2)
    expected = LENGTH * rate**2 * np.array([-np.sin(phi), np.cos(phi)])
    np.testing.assert_allclose(kinematics["w_bar_N"], expected[:1], rtol=0, atol=tol)
    np.testing.assert_allclose(kinematics["w_bar_T"], expected[1:], rtol=0, atol=tol)


def test_gap_alone_gives_the_acceleration_term_to_the_promised_accuracy() -> None:
    """Second derivative of the gap, by a second difference: "1e-7"."""
    rates = [0.4, 1.0, 20.0]
    error = [
        [
            # For slow motion the differences span a shorter path: errors are relative to rates of
            # one.
            (
                pendulum().contact_kinematics(0, [phi], [rate])["w_bar_N"][0]
                / (LENGTH * max(rate, 1.0) ** 2)
                + np.sin(phi) * min(rate, 1.0) ** 2
            )
            for rate in rates
        ]
        for phi in ANGLES
    ]
    np.testing.assert_allclose(error, 0, atol=1e-7)


def test_given_functions_are_used_instead_of_differences() -> None:
    system = pendulum(
        w_N=lambda t, q: [5.0],
        w_bar_N=lambda t, q, u: 7.0,
        w_T=w_T,
        w_bar_T=lambda t, q, u: 9.0,
        check=False,
    )
    kinematics = system.contact_kinematics(0, [0.3], [2.0])
    assert (kinematics["W_N"][0, 0], kinematics["w_bar_N"][0], kinematics["w_bar_T"][0]) == (
        5,
        7,
        9,
    )


def test_contact_without_tangential_direction_has_zero_rows() -> None:
    kinematics = pendulum().contact_kinematics(0, [0.3], [2.0])
    assert kinematics["W_T"][0, 0] == kinematics["w_tilde_T"][0] == kinematics["w_bar_T"][0] == 0
    assert kinematics["w_tilde_N"][0] == 0


def test_moving_wall_enters_the_acceleration_term() -> None:
    """Wall at a sin(ω t): w̃_N = -a ω cos ω t, and its rate a ω² sin ω t is part of w̄_N."""
    a, omega, t, phi, rate = 0.1, 3.0, 0.7, 0.4, 1.3
    contact = nsmb.Contact(
        gap=lambda t, q: LENGTH * np.sin(q[0]) - a * np.sin(omega * t),
        w_N=w_N,
        w_tilde_N=lambda t, q: -a * omega * np.cos(omega * t),
    )
    system = nsmb.CallbackSystem(["phi"], [[1.0]], lambda t, q, u: [0.0], [contact])
    kinematics = system.contact_kinematics(t, [phi], [rate])
    gamma = LENGTH * np.cos(phi) * rate - a * omega * np.cos(omega * t)
    assert system.contact_quantities(t, [phi], [rate])["gamma_N"][0] == pytest.approx(gamma)
    expected = -LENGTH * rate**2 * np.sin(phi) + a * omega**2 * np.sin(omega * t)
    assert kinematics["w_bar_N"][0] == pytest.approx(expected, abs=DIFFERENCE * (1 + rate**2))


# A lifting floor: g = y - LIFT(t), and one that tilts: y cos θ(t).
MOVING = {
    "lift": (
        lambda t, q: q[0] - 0.1 * np.sin(3 * t),
        lambda t, q: [1.0],
        lambda t, q: -0.3 * np.cos(3 * t),
        lambda t, q, u: 0.9 * np.sin(3 * t),
    ),
    "tilt": (
        lambda t, q: q[0] * np.cos(2 * t),
        lambda t, q: [np.cos(2 * t)],
        lambda t, q: -2 * q[0] * np.sin(2 * t),
        lambda t, q, u: -4 * u[0] * np.sin(2 * t) - 4 * q[0] * np.cos(2 * t),
    ),
}


@pytest.mark.parametrize("given_w_N", [False, True])
@pytest.mark.parametrize("floor", MOVING)
def test_rate_of_a_gap_that_depends_on_time_need_not_be_given(floor: str, given_w_N: bool) -> None:
    """Errors of CallbackContact: (6e-6 ω)²/6 + 1e-9 for w̃_N, 1e-7 + (1e-4 ω)²/6 for w̄_N, ω² = 9."""
    gap, direction, rate, bend = MOVING[floor]
    contact = nsmb.Contact(gap, w_N=direction if given_w_N else None)
    system = nsmb.CallbackSystem(["y"], [[1.0]], lambda t, q, u: [0.0], [contact])
    for t, y, v in [(0.0, 0.5, 0.0), (0.7, -0.4, 1.3), (2.0, 0.9, -0.2)]:
        kinematics = system.contact_kinematics(t, [y], [v])
        assert kinematics["w_tilde_N"][0] == pytest.approx(rate(t, [y]), abs=2e-9)
        assert kinematics["w_bar_N"][0] == pytest.approx(bend(t, [y], [v]), abs=4e-7)


def test_lifting_floor_given_by_gap_and_direction_carries_the_ball() -> None:
    """A floor that rises at 0.5 m/s carries a ball initially at rest (e_N = 0)."""
    contact = nsmb.Contact(gap=lambda t, q: q[0] - 0.5 * t, w_N=lambda t, q: [1.0])
    ball = nsmb.CallbackSystem(["y"], [[1.0]], lambda t, q, u: [-9.81], [contact])
    solution = nsmb.simulate(ball, 1.0)
    assert solution.q[-1, 0] == pytest.approx(0.5, abs=1e-6)
    np.testing.assert_allclose(solution.at([0.1, 0.5, 1.0]).u[:, 0], 0.5, rtol=0, atol=1e-6)


@law
@given(t=entries, q=pairs, u=pairs)
def test_gap_without_time_has_exactly_no_rate(t: float, q: Array, u: Array) -> None:
    """The rounding of differences in t does not enter w̄_N = d(w_N·u)/dt = 0."""
    contact = nsmb.Contact(lambda t, q: q[0] - 0.3 * q[1], w_N=lambda t, q: [1.0, -0.3])
    system = nsmb.CallbackSystem(["x", "y"], np.eye(2), lambda t, q, u: [0.0, 0.0], [contact])
    kinematics = system.contact_kinematics(t, q, u)
    assert kinematics["w_tilde_N"][0] == kinematics["w_bar_N"][0] == 0.0


# Ball of radius R inside the plane, g = |x| - R: w_N = x/|x|, w̄_N = (u² - (w_N·u)²)/|x|.


def around_a_pin(R: float, scale: Any, **functions: Any) -> nsmb.CallbackSystem:
    contact = nsmb.Contact(lambda t, q: float(np.hypot(q[0], q[1]) - R), **functions)
    return nsmb.CallbackSystem(
        ["x", "y"], np.eye(2), lambda t, q, u: [0.0, 0.0], [contact], scale=scale
    )


@pytest.mark.parametrize("speed", [1.0, 1e-3, 1e4])
@pytest.mark.parametrize("R", [1e-6, 1e-3, 1.0, 1e3])
def test_differences_are_as_good_at_any_size_when_the_scale_is_given(
    R: float, speed: float
) -> None:
    """1e-9 for directions and w̄ with given directions, 1e-7 without, of R/τ² or speed/τ."""
    radial = {"w_N": lambda t, q: q / np.hypot(*q)}
    for angle, heading in [(0.3, 1.0), (2.0, -0.5), (4.4, 3.0)]:
        e = np.array([np.cos(angle), np.sin(angle)])
        q, u = 1.2 * R * e, speed * np.array([np.cos(heading), np.sin(heading)])
        w_bar = (u @ u - (e @ u) ** 2) / (1.2 * R)
        tau = min(1.0, R / np.abs(u).max())
        bare = around_a_pin(R, [R, R]).contact_kinematics(0, q, u)
        np.testing.assert_allclose(bare["W_N"][:, 0], e, rtol=0, atol=1e-9)
        assert bare["w_bar_N"][0] == pytest.approx(w_bar, abs=1e-7 * R / tau**2)
        helped = around_a_pin(R, [R, R], **radial).contact_kinematics(0, q, u)
        assert helped["w_bar_N"][0] == pytest.approx(w_bar, abs=1e-9 * max(R / tau, speed) / tau)


def test_fast_motion_is_seen_over_the_scale() -> None:
    """u = 1e4, q = 0.4: 1e-9 and 1e-7 of u², as for any other speed."""
    expected = -LENGTH * 1e8 * np.sin(0.4)
    given = pendulum(w_N=w_N).contact_kinematics(0, [0.4], [1e4])["w_bar_N"][0]
    bare = pendulum().contact_kinematics(0, [0.4], [1e4])["w_bar_N"][0]
    assert given == pytest.approx(expected, abs=1e-9 * 1e8)
    assert bare == pytest.approx(expected, abs=1e-7 * 1e8)


def test_coordinate_far_beyond_its_scale_keeps_half_the_digits() -> None:
    """An angle after 1e5 revolutions: g is rounded to ε q = 1e-10."""
    phi = 0.3 + 2 * np.pi * 1e5
    kinematics = pendulum().contact_kinematics(0, [phi], [2.0])
    assert kinematics["W_N"][0, 0] == pytest.approx(LENGTH * np.cos(phi), abs=1e-6)
    assert kinematics["w_bar_N"][0] == pytest.approx(-LENGTH * 4 * np.sin(phi), abs=1e-4)


def test_directions_in_several_coordinates() -> None:
    """g = x² y + cos φ: the gradient has three different entries."""
    contact = nsmb.Contact(gap=lambda t, q: q[0] ** 2 * q[1] + np.cos(q[2]))
    system = nsmb.CallbackSystem(
        ["x", "y", "phi"], np.eye(3), lambda t, q, u: np.zeros(3), [contact]
    )
    x, y, phi = q = np.array([1.5, -20.0, 0.3])
    W = system.contact_kinematics(0, q, np.zeros(3))["W_N"]
    # The step grows with |q|, the rounding with |g| = 45: 1e-8 is 20 times 45 ε/s.
    np.testing.assert_allclose(W[:, 0], [2 * x * y, x**2, -np.sin(phi)], atol=1e-8)


def test_mass_matrix_may_depend_on_time_and_position() -> None:
    system = nsmb.CallbackSystem(
        ["x"], lambda t, q: [[1 + t + q[0] ** 2]], lambda t, q, u: [u[0] * t]
    )
    np.testing.assert_array_equal(system.mass_matrix(2, [3]), [[12]])
    np.testing.assert_array_equal(system.forces(2, [3], [5]), [10])
    assert np.isnan(system.potential_energy(0, [1]))


# Lifetime of a system --------------------------------------------------------------------------


def test_a_system_nobody_holds_is_freed() -> None:
    class Height:
        def __call__(self, t: float, q: Array) -> float:
            return float(q[0])

    gap = Height()
    system = nsmb.CallbackSystem(
        ["y"],
        lambda t, q: [[1.0]],
        lambda t, q, u: [-9.81],
        [nsmb.Contact(gap)],
        initial_state=nsmb.State(0.0, np.ones(1), np.zeros(1)),
    )
    nsmb.simulate(system, 0.5)
    alive, data = weakref.ref(system), weakref.ref(gap)
    del system, gap
    gc.collect()
    assert alive() is None
    assert data() is None
