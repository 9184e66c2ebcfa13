"""Functions of a system that return invalid values or contradict each other are named."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import nsmb
from tests.system.small_systems import LENGTH, Array, M, entries, law, w_N, w_T

# Misuse ---------------------------------------------------------------------------------------


def system_of(**changes: Any) -> nsmb.CallbackSystem:
    """Return a system of two coordinates with one contact.

    `changes` replace functions of the system or of the contact.
    """
    functions: dict[str, Any] = {
        "mass_matrix": lambda t, q: M,
        "forces": lambda t, q, u: [0.0, 0.0],
        "gap": lambda t, q: q[0],
        "w_N": lambda t, q: [1.0, 0.0],
        "w_T": lambda t, q: [0.0, 1.0],
        "w_tilde_N": None,
        "w_tilde_T": None,
        "w_bar_N": None,
        "w_bar_T": None,
    } | changes
    mass_matrix, forces = functions.pop("mass_matrix"), functions.pop("forces")
    contact = nsmb.Contact(**functions)
    return nsmb.CallbackSystem(["x", "y"], mass_matrix, forces, [contact])


def evaluate(system: nsmb.CallbackSystem) -> None:
    q = np.zeros(2)
    system.mass_matrix(0, q)
    system.forces(0, q, q)
    system.contact_kinematics(0, q, q)


def test_the_system_of_the_next_test_is_sound() -> None:
    evaluate(system_of())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"mass_matrix": lambda t, q: np.eye(3)},
            r"mass_matrix\(t, q\): expected shape \(2, 2\), got shape \(3, 3\)",
        ),
        (
            {"mass_matrix": lambda t, q: [[1, 0], [0, np.nan]]},
            r"mass_matrix\(t, q\): expected finite numbers, got .*nan",
        ),
        (
            {"mass_matrix": lambda t, q: [[1, 0], [0, -1]]},
            r"mass_matrix\(t, q\): expected a positive definite matrix, got .*-1",
        ),
        (
            {"mass_matrix": lambda t, q: [[1, 1], [1, 1]]},
            r"mass_matrix\(t, q\): expected a positive definite matrix, got a singular",
        ),
        (
            {"mass_matrix": lambda t, q: [[1, 0.5], [0, 1]]},
            r"mass_matrix\(t, q\): expected a symmetric matrix, got asymmetry 0.5",
        ),
        (
            {"forces": lambda t, q, u: [1.0]},
            r"forces\(t, q, u\): expected shape \(2,\), got shape \(1,\)",
        ),
        (
            {"forces": lambda t, q, u: [1.0, np.inf]},
            r"forces\(t, q, u\): expected finite numbers, got .*inf",
        ),
        (
            {"forces": lambda t, q, u: None},
            r"forces\(t, q, u\): expected (numbers of )?shape \(2,\), got",
        ),
        (
            {"forces": lambda t, q, u: ["a", "b"]},
            r"forces\(t, q, u\): expected numbers of shape \(2,\), got \['a', 'b'\]",
        ),
        ({"gap": lambda t, q: q}, r"gap\(t, q\): expected a number, got shape \(2,\)"),
        ({"gap": lambda t, q: np.nan}, r"gap\(t, q\): expected a finite number, got nan"),
        (
            {"w_N": lambda t, q: [1.0]},
            r"w_N\(t, q\): expected shape \(2,\), got shape \(1,\)",
        ),
        (
            {"w_T": lambda t, q: [1.0, np.nan]},
            r"w_T\(t, q\): expected finite numbers, got .*nan",
        ),
        ({"w_tilde_N": lambda t, q: [1, 2]}, r"w_tilde_N.*: expected a number, got shape \(2,\)"),
        ({"w_tilde_T": lambda t, q: np.inf}, "w_tilde_T.*: expected a finite number, got inf"),
        ({"w_bar_N": lambda t, q, u: u}, r"w_bar_N.*: expected a number, got shape \(2,\)"),
        ({"w_bar_T": lambda t, q, u: np.nan}, "w_bar_T.*: expected a finite number, got nan"),
    ],
)
def test_a_function_that_returns_nonsense_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(system_of(**changes))


def test_of_two_contacts_the_wrong_one_is_named() -> None:
    good = nsmb.Contact(gap=lambda t, q: q[0], name="floor")
    bad = nsmb.Contact(gap=lambda t, q: np.nan, name="ceiling")
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], [good, bad])
    with pytest.raises(ValueError, match=r"contact 'ceiling': gap\(t, q\): expected a finite"):
        system.contact_kinematics(0, [0.0], [0.0])


def test_what_a_function_raises_comes_out_unchanged() -> None:
    def broken(t: float, q: Array) -> float:
        raise KeyError("my own trouble")

    with pytest.raises(KeyError, match="my own trouble"):
        evaluate(system_of(gap=broken))


SOUND: dict[str, Any] = {
    "mass_matrix": lambda t, q: M,
    "forces": lambda t, q, u: [0.0, 0.0],
    "gap": lambda t, q: q[0],
    "w_N": lambda t, q: [1.0, 0.0],
    "w_T": lambda t, q: [0.0, 1.0],
    "w_tilde_N": lambda t, q: 0.0,
    "w_tilde_T": lambda t, q: 0.0,
    "w_bar_N": lambda t, q, u: 0.0,
    "w_bar_T": lambda t, q, u: 0.0,
}


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyError, ValueError, TypeError, Exception])
@pytest.mark.parametrize("name", list(SOUND))
def test_what_a_function_raises_at_its_first_call_is_not_lost(
    name: str, error: type[Exception]
) -> None:
    """The function raises only once, so the first caller must let the exception propagate."""
    calls = 0
    mine = error("mine")

    def once(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise mine
        return SOUND[name](*arguments)

    with pytest.raises(error) as caught:
        evaluate(system_of(**(SOUND | {name: once})))
    assert caught.value is mine
    assert calls == 1


def test_functions_cannot_change_the_state_of_the_caller() -> None:
    def careless(t: float, q: Array, u: Array) -> Any:
        q[:] = 99.0
        return [0.0, 0.0]

    q = np.zeros(2)
    with pytest.raises(ValueError, match=r"forces\(t, q, u\): must not modify its arguments"):
        system_of(forces=careless).forces(0, q, q)
    np.testing.assert_array_equal(q, [0, 0])


@pytest.mark.parametrize(
    "name", ["mass_matrix", "forces", "gap", "w_N", "w_T", "w_tilde_N", "w_tilde_T", "w_bar_N"]
)
def test_a_function_that_writes_into_its_arguments_is_named(name: str) -> None:
    def careless(t: float, q: Array, *rest: Array) -> Any:
        q += 1.0
        return 0.0

    prefix = "" if name in ("mass_matrix", "forces") else "contact 'contact_1': "
    message = rf"^{prefix}{name}\(t, q.*\): must not modify its arguments"
    with pytest.raises(ValueError, match=message):
        evaluate(system_of(**{name: careless}))


def test_a_run_does_not_go_on_behind_a_function_that_writes() -> None:
    def gap(t: float, q: Array) -> float:
        if t > 0.1:
            q[1] = 0.0
        return float(q[0])

    system = system_of(gap=gap)
    with pytest.raises(
        ValueError, match=r"contact 'contact_1': gap\(t, q\): must not modify its arguments"
    ):
        nsmb.simulate(system, 1.0, q=[1.0, 1.0])


def test_read_only_arrays_of_the_user_are_no_fault_of_the_callback() -> None:
    own = np.zeros(2)
    own.flags.writeable = False

    def forces(t: float, q: Array, u: Array) -> Array:
        return own

    system_of(forces=forces).forces(0.0, np.zeros(2), np.zeros(2))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"w_T": lambda t, q: [0.0, 1e308]},
            r"'contact_1': w_T\(t, q\): expected numbers below 1e\+150, got 1e\+308 for 'y'",
        ),
        (
            {"w_N": lambda t, q: [np.inf, 0.0]},
            r"contact 'contact_1': w_N\(t, q\): expected finite numbers, got inf for 'x'",
        ),
        (
            {"gap": lambda t, q: -1e200},
            r"contact 'contact_1': gap\(t, q\): expected a number below 1e\+150, got -1e\+200",
        ),
        (
            {"forces": lambda t, q, u: [0.0, 1j]},
            r"forces\(t, q, u\): expected numbers of shape \(2,\), got \[0\.0, 1j\]",
        ),
        (
            {"gap": lambda t, q: 1.0 + 0.0j},
            r"contact 'contact_1': gap\(t, q\): expected a number, got \(1\+0j\)",
        ),
        (
            {"w_tilde_T": lambda t, q: 1j},
            r"contact 'contact_1': w_tilde_T\(t, q\): expected real numbers, got 1j",
        ),
        (
            {"forces": lambda t, q, u: [1e160, 0.0]},
            r"forces\(t, q, u\): expected numbers below 1e\+150, got 1e\+160 for 'x'",
        ),
    ],
)
def test_values_that_would_get_lost_or_overflow_are_named(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(system_of(**changes))


def test_complex_forces_of_linear_systems_and_models_are_named() -> None:
    linear = nsmb.LinearSystem([[1.0]], force=lambda t: [1j])
    with pytest.raises(ValueError, match=r"force\.user\(t\): expected real numbers, got \[1j\]"):
        nsmb.simulate(linear, 1.0)
    for load, message in (
        (lambda *_: [1j, 0, 0], r"load 'push': expected real numbers, got"),
        (lambda *_: [np.nan, 0, 0], r"load 'push': expected finite numbers, got \[nan"),
    ):
        m = nsmb.Model()
        body = m.add_body("body", mass=1.0, inertia=1.0)
        m.add_joint("slide", nsmb.joints.Prismatic(), m.ground, body)
        m.add_load("push", body, load)
        with pytest.raises(ValueError, match=message):
            nsmb.simulate(m.build(), 1.0)


def test_directions_of_linear_systems_that_overflow_are_named() -> None:
    contact = nsmb.Contact(w_N=[1.0], w_T=[1e308], name="wall")
    with pytest.raises(ValueError, match=r"contact 'wall': w_T: expected numbers below 1e\+150"):
        nsmb.LinearSystem([[1.0]], contacts=[contact])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"coordinates": [], "mass_matrix": np.zeros((0, 0))},
            "coordinates: expected at least one coordinate, got none",
        ),
        ({"coordinates": ["x", "x"]}, "coordinates: expected unique names, got 'x' twice"),
        ({"mass_matrix": [[1.0]]}, r"mass_matrix: expected shape \(2, 2\), got shape \(1, 1\)"),
        ({"mass_matrix": -np.eye(2)}, "mass_matrix.*: expected a positive definite matrix, got"),
        ({"coordinate_units": ["m"]}, "coordinate_units: expected 2 units, got 1"),
        (
            {"contacts": [nsmb.Contact(lambda t, q: 1.0, name="a")] * 2},
            "contacts: expected unique names, got 'a' twice",
        ),
        (
            {"initial_state": nsmb.State(0.0, np.zeros(1), np.zeros(2))},
            r"initial_state\.q: expected shape \(2,\), got shape \(1,\)",
        ),
        ({"scale": [1.0]}, r"scale: expected shape \(2,\), got shape \(1,\)"),
        ({"scale": [1.0, 0.0]}, r"scale: expected numbers > 0, got \[1.0, 0.0\]"),
    ],
)
def test_misuse_is_found_when_the_system_is_built(arguments: dict[str, Any], message: str) -> None:
    valid: dict[str, Any] = {
        "coordinates": ["x", "y"],
        "mass_matrix": np.eye(2),
        "forces": lambda t, q, u: [0.0, 0.0],
    }
    with pytest.raises(ValueError, match=message):
        nsmb.CallbackSystem(**{**valid, **arguments})


# Functions that contradict the gap ------------------------------------------------------------


def moving_pendulum(phi: float = 0.4, rate: float = 1.3, **changes: Any) -> nsmb.CallbackSystem:
    """Wall at 0.1 sin 3t, at t = 0.7; all functions are correct unless changed."""
    functions: dict[str, Any] = {
        "gap": lambda t, q: LENGTH * np.sin(q[0]) - 0.1 * np.sin(3 * t),
        "w_N": w_N,
        "w_T": w_T,
        "w_tilde_N": lambda t, q: -0.3 * np.cos(3 * t),
        "w_bar_N": lambda t, q, u: -LENGTH * u[0] ** 2 * np.sin(q[0]) + 0.9 * np.sin(3 * t),
        "w_bar_T": lambda t, q, u: LENGTH * u[0] ** 2 * np.cos(q[0]),
    }
    check = changes.pop("check", True)
    return nsmb.CallbackSystem(
        ["phi"],
        [[1.0]],
        lambda t, q, u: [0.0],
        [nsmb.Contact(**functions | changes, name="wall")],
        initial_state=nsmb.State(0.7, np.array([phi]), np.array([rate])),
        check=check,
    )


@law
@given(phi=entries, rate=entries)
def test_right_functions_pass_the_check_everywhere(phi: float, rate: float) -> None:
    moving_pendulum(phi, rate)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"w_N": lambda t, q: [-LENGTH * np.cos(q[0])]},
            r"contact 'wall': w_N\(t, q\): expected \[0\.7368.*from differences of gap.*"
            r"got \[-0\.7368",
        ),
        ({"w_N": lambda t, q: [1.001 * LENGTH * np.cos(q[0])]}, r"w_N\(t, q\): expected"),
        (
            {"w_tilde_N": lambda t, q: 0.3 * np.cos(3 * t)},
            r"contact 'wall': w_tilde_N\(t, q\): expected 0\.151.*got -0\.151",
        ),
        ({"w_tilde_N": lambda t, q: 0.0}, r"w_tilde_N\(t, q\): expected 0\.151.*got 0\.0"),
        (
            {"w_bar_N": lambda t, q, u: 0.0},
            r"contact 'wall': w_bar_N\(t, q, u\): expected 0\.250.*got 0\.0",
        ),
        (
            {"w_bar_T": lambda t, q, u: -LENGTH * u[0] ** 2 * np.cos(q[0])},
            r"contact 'wall': w_bar_T\(t, q, u\): expected 1\.245.*differences of γ_T.*got -1\.245",
        ),
    ],
)
def test_function_that_contradicts_the_gap_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        moving_pendulum(**changes)
    moving_pendulum(**changes, check=False)


def test_floor_that_pulls_is_refused() -> None:
    contact = nsmb.Contact(gap=lambda t, q: q[0], w_N=lambda t, q: [-1.0])
    with pytest.raises(ValueError, match=r"w_N\(t, q\): expected \[1\.0\].*got \[-1\.0\]"):
        nsmb.CallbackSystem(["y"], [[1.0]], lambda t, q, u: [-9.81], [contact])


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_either_side_of_a_kink_passes_the_check(side: float) -> None:
    """g = |x| at x = 0, and g = x |x| whose second derivative jumps."""
    contacts = [
        nsmb.Contact(lambda t, q: abs(q[0]), w_N=lambda t, q: [side]),
        nsmb.Contact(
            lambda t, q: q[0] * abs(q[0]),
            w_N=lambda t, q: [2 * abs(q[0])],
            w_bar_N=lambda t, q, u: 2 * side * u[0] ** 2,
        ),
    ]
    start = nsmb.State(0.0, np.zeros(1), np.ones(1))
    nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], contacts, initial_state=start)


@pytest.mark.parametrize("x", [0.0, 0.3e-6, 2e-6])
def test_gap_finer_than_the_step_passes_the_check(x: float) -> None:
    """A surface with waves of 1 µm, without a scale: differences have no meaning."""
    contact = nsmb.Contact(
        lambda t, q: 1e-6 * np.sin(q[0] / 1e-7), w_N=lambda t, q: [10 * np.cos(q[0] / 1e-7)]
    )
    start = nsmb.State(0.0, np.array([x]), np.zeros(1))
    nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], [contact], initial_state=start)


def test_gap_that_cannot_be_evaluated_beside_the_start_passes_the_check() -> None:
    contact = nsmb.Contact(lambda t, q: np.sqrt(q[0]), w_N=lambda t, q: [1.0])
    nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], [contact])
