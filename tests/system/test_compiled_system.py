"""Machine code behind the interface of a system: here functions that write constants."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nsmb._core import system as core

Pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
Function = ctypes.CFUNCTYPE(None, Pointers, Pointers)
T, Q, U, X, P = range(5)


def description(**changes: Any) -> core.SystemDescription:
    law = core.UnilateralContact(0.1, 0.2, 0.0, 0.0)
    arguments: dict[str, Any] = {
        "coordinates": ["a", "b"],
        "nu": 2,
        "contacts": [core.ContactDescription("c", law)],
        "states": ["z"],
        "elements": [],
        "constraints": ["d"],
    }
    return core.SystemDescription(**arguments | changes)


def fill(*sizes: int) -> Callable[[Any, Any], None]:
    """Set entry i of output k to 100 k + i + t + the first parameter."""

    def function(given: Any, out: Any) -> None:
        for k, size in enumerate(sizes):
            for i in range(size):
                out[k][i] = 100 * k + i + given[T][0] + given[P][0]

    return function


def entries(output: int, size: int) -> list[float]:
    """Return the values that `fill` writes at t = 0."""
    return [100 * output + i + 0.25 for i in range(size)]


def states(given: Any, out: Any) -> None:
    out[0][0] = given[Q][1] * given[U][0] + given[X][0]


FUNCTIONS: dict[str, Callable[[Any, Any], None]] = {
    "mass_matrix": fill(4),
    "forces": fill(2),
    "contacts": fill(1, 2, 2, 1, 1, 1, 1, 1),
    "constraints": fill(1, 2, 1, 1),
    "state_rates": states,
    "potential_energy": fill(1),
    "jacobians": fill(10, 15, 0, 10, 5),
}


def make(names: list[str], **changes: Any) -> core.CompiledSystem:
    functions = {name: Function(FUNCTIONS[name]) for name in names}
    addresses = {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in functions.items()}
    arguments: dict[str, Any] = {
        "description": description(),
        "addresses": addresses,
        "parameters": np.array([0.25]),
        "code": functions,
        "constant_mass_matrix": False,
        "constant_directions": False,
    }
    return core.CompiledSystem(**arguments | changes)


SYSTEM = make(list(FUNCTIONS))
q, u, x = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([0.5])


def test_functions_write_into_the_arrays_of_the_core() -> None:
    """Arrays are by columns, in the order of the members; the code lives as long as the system."""
    np.testing.assert_array_equal(SYSTEM.mass_matrix(1.0, q), [[1.25, 3.25], [2.25, 4.25]])
    np.testing.assert_array_equal(SYSTEM.forces(0.0, q, u, x), [0.25, 1.25])
    np.testing.assert_array_equal(SYSTEM.state_rates(0.0, q, u, x), [6.5])
    assert SYSTEM.potential_energy(0.5, q) == 0.75
    np.testing.assert_array_equal(SYSTEM.coordinate_rates(0.0, q, u), u)
    contacts = SYSTEM.contact_kinematics(0.0, q, u)
    names = ["g_N", "W_N", "W_T", "w_tilde_N", "w_tilde_T", "w_bar_N", "w_bar_T", "bound"]
    for k, name in enumerate(names):
        assert contacts[name].ravel("F").tolist() == entries(k, contacts[name].size), name
    constraints = SYSTEM.constraint_kinematics(0.0, q, u)
    for k, name in enumerate(["g", "W", "w_tilde", "w_bar"]):
        assert constraints[name].ravel("F").tolist() == entries(k, constraints[name].size), name


def test_jacobians_have_their_shapes() -> None:
    zero = np.zeros(1)
    found = SYSTEM.jacobians(0.0, q, u, x, u, zero, zero, np.zeros(0), zero)
    shapes = {"residual": (2, 5), "gammadot": (3, 5), "element": (0, 5), "qdot": (2, 5)}
    assert {k: v.shape for k, v in found.items()} == shapes | {"xdot": (1, 5)}
    assert found["residual"][1, 0] == 1.25
    assert found["xdot"][0, 4] == 404.25


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ("mass_matrix", "every system has masses"),
        ("forces", "every system has h"),
        ("contacts", "there are contacts"),
        ("constraints", "there are constraints"),
        ("state_rates", "there are states"),
    ],
)
def test_a_part_without_function_is_refused(missing: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"{missing}: expected a function, because {why}"):
        make([name for name in FUNCTIONS if name != missing])


def test_functions_that_must_be_there_by_size_are_asked_for() -> None:
    with pytest.raises(ValueError, match="coordinate_rates: expected a function, because nq != nu"):
        make(list(FUNCTIONS), description=description(nu=1))


def test_unknown_functions_and_parameters_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="names of functions, got 'speed'"):
        make(list(FUNCTIONS), addresses={"speed": 1})
    with pytest.raises(ValueError, match="parameters: expected finite"):
        make(list(FUNCTIONS), parameters=np.array([np.nan]))


def test_what_is_not_there_is_said() -> None:
    system = make([name for name in FUNCTIONS if name not in ("jacobians", "potential_energy")])
    assert np.isnan(system.potential_energy(0.0, q))
    zero = np.zeros(1)
    with pytest.raises(ValueError, match="jacobians: expected a system with Jacobians"):
        system.jacobians(0.0, q, u, x, u, zero, zero, np.zeros(0), zero)
