"""Misuse of linear systems: messages with the argument, the expected and the actual value."""

from typing import Any

import numpy as np
import pytest

import nsmb
from tests.system.small_systems import Q, U, two_masses

contact, unilateral = nsmb.Contact, nsmb.ContactLaw


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
        # contacts
        (
            {"contacts": [contact(w_N=[1])]},
            r"contact 'contact_1': w_N: expected shape \(2,\), got .*1",
        ),
        (
            {"contacts": [contact(w_N=[0, 0], name="floor")]},
            "contact 'floor': w_N: expected a direction that is not zero, got zeros",
        ),
        (
            {"contacts": [contact(w_N=[1, 0], w_T=[1, 2, 3], name="floor")]},
            r"contact 'floor': w_T: expected shape \(2,\), got shape \(3,\)",
        ),
        (
            {"contacts": [contact(w_N=[1, 0], gap=np.nan)]},
            "contact 'contact_1': gap: expected a finite number, got nan",
        ),
        (
            {"contacts": [contact(w_N=[1, 0], gap="far")]},  # type: ignore[arg-type]
            "contact 'contact_1': gap: expected a .*number, got 'far'",
        ),
        (
            {"contacts": [contact(w_N=[1, 0], w_tilde_T=np.inf)]},
            "contact 'contact_1': w_tilde_T: expected a finite number, got inf",
        ),
        (
            {"contacts": [contact(w_N=[1, 0], name="a"), contact(w_N=[0, 1], name="a")]},
            "contacts: expected unique names, got 'a' twice",
        ),
        (
            {"contacts": [contact(w_N=[1, 0], name="contact_2"), contact(w_N=[0, 1])]},
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
    """Kilograms beside kg m²: the check uses the matrix scaled to unit diagonal."""
    tiny = nsmb.LinearSystem(np.diag([1e3, 1e-12]))
    np.testing.assert_array_equal(tiny.mass_matrix(0, [0, 0]), np.diag([1e3, 1e-12]))


def test_a_law_that_is_no_number_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValueError, match=r"mu: expected a number, got 'rough'"):
        nsmb.ContactLaw(mu="rough")  # type: ignore[arg-type]
