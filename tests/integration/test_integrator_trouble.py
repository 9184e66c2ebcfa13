"""Errors in integrators: exceptions, numbers that are not finite, arguments out of range."""

import numpy as np
import pytest

from nsmb._core.integration import Integrator, StepStatus
from tests.integration.integrators import METHODS, Y0, Array, linear, linear_exact, make, run

# Errors ---------------------------------------------------------------------------------------


class OwnError(Exception):
    pass


@pytest.mark.parametrize("method", METHODS)
def test_exception_of_the_rhs_comes_out_unchanged(method: str) -> None:
    error = OwnError("mine")
    armed = False

    def rhs(t: float, y: Array) -> Array:
        if armed and t > 0.5:
            raise error
        return linear(t, y)

    integrator = make(method, rhs)
    run(integrator, 0.25)
    armed = True
    with pytest.raises(OwnError) as caught:
        run(integrator, 1.0)
    assert caught.value is error
    t, y = integrator.t, integrator.y
    assert 0.25 <= t <= 0.5
    np.testing.assert_allclose(y, linear_exact(t), atol=1e-6)
    armed = False  # the integrator can still be used
    run(integrator, 1.0)
    np.testing.assert_allclose(integrator.y, linear_exact(1.0), atol=1e-6)


# Explicit methods take no Jacobian, CVODE interpolates without slopes.
CALLS = [
    (method, where)
    for method in METHODS
    for where in ("project", "jacobian" if method == "cvode" else "interpolate", "redo")
]


@pytest.mark.parametrize(("method", "where"), CALLS)
def test_exceptions_of_all_other_calls_come_out_unchanged(method: str, where: str) -> None:
    error = OwnError(where)
    armed = where in ("project", "jacobian")

    def trap(*_: object) -> None:
        if armed:
            raise error

    def rhs(t: float, y: Array) -> Array:
        if where in ("redo", "interpolate"):
            trap()
        return linear(t, y)

    integrator = make(method, rhs, **({where: trap} if where in ("project", "jacobian") else {}))
    if where in ("project", "jacobian"):
        with pytest.raises(OwnError) as caught:
            integrator.step(1.0)
    else:
        integrator.step(1.0)
        middle = 0.5 * (integrator.t_old + integrator.t)
        armed = True
        with pytest.raises(OwnError) as caught:
            integrator.redo(middle) if where == "redo" else integrator.interpolate(middle)
    assert caught.value is error


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_rhs_that_is_not_finite_ends_in_a_status_close_to_the_place(
    method: str, bad: float
) -> None:
    integrator = make(method, lambda t, y: linear(t, y) if t <= 0.5 else np.full(4, bad))
    status = StepStatus.OK
    while status == StepStatus.OK and integrator.t < 1.0:
        status = integrator.step(1.0)
    assert status in (StepStatus.RHS_NOT_FINITE, StepStatus.STEP_TOO_SMALL)
    assert 0.5 - 1e-4 < integrator.t <= 0.5
    np.testing.assert_allclose(integrator.y, linear_exact(integrator.t), atol=1e-6)
    assert integrator.message


@pytest.mark.parametrize("method", METHODS)
def test_rhs_that_is_not_finite_at_the_start_is_a_status(method: str) -> None:
    integrator = make(method, lambda t, y: np.full(4, np.nan))
    assert integrator.step(1.0) == StepStatus.RHS_NOT_FINITE
    assert (integrator.t, integrator.t_old) == (0.0, 0.0)
    assert np.array_equal(integrator.y, Y0)
    assert integrator.name in integrator.message


@pytest.mark.parametrize("method", METHODS)
def test_blow_up_ends_in_a_status(method: str) -> None:
    integrator = make(method, lambda t, y: y**2, np.array([1.0]), 1e-8)  # y = 1 / (1 - t)
    status = StepStatus.OK
    for _ in range(20000):
        status = integrator.step(2.0)
        if status != StepStatus.OK:
            break
    assert status != StepStatus.OK
    assert 0.999 < integrator.t < 1.0 + 1e-6
    assert integrator.message


# Arguments ------------------------------------------------------------------------------------


def test_unknown_method_is_refused_with_the_known_ones() -> None:
    known = "method: expected one of dp853, .*arkode_fehlberg78.*cvode, got euler"
    with pytest.raises(ValueError, match=known):
        make("euler")


@pytest.mark.parametrize("method", METHODS)
def test_known_methods_say_their_name(method: str) -> None:
    assert make(method).name == method


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rtol": 0.0}, "rtol: expected"),
        ({"rtol": np.nan}, "rtol: expected"),
        ({"atol": np.ones(3)}, "atol: expected a vector of length 4, got length 3"),
        ({"atol": np.array([1.0, 1, 0, 1])}, "atol: expected"),
        ({"initial_step": -1.0}, "initial_step: expected"),
        ({"max_step": 0.0}, "max_step: expected"),
        ({"y": np.array([1.0, np.nan, 0, 0])}, "y: expected finite"),
        ({"t": np.inf}, "t: expected a finite"),
    ],
)
def test_options_out_of_range_are_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"t": 0.0, "y": Y0, "rtol": 1e-8, "atol": np.full(4, 1e-8)}
    with pytest.raises(ValueError, match=message):
        Integrator("dp853", linear, **(arguments | change))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_times_out_of_range_are_refused(method: str) -> None:
    integrator = make(method)
    with pytest.raises(ValueError, match="t_stop: expected a time after t = 0, got 0"):
        integrator.step(0.0)
    integrator.step(1.0)
    for t in (integrator.t_old, np.nextafter(integrator.t, 9.0), np.nan):
        with pytest.raises(ValueError, match="t_end: expected a time in"):
            integrator.redo(t)
    for t in (-1e-9, np.nextafter(integrator.t, 9.0), np.nan):
        with pytest.raises(ValueError, match="t: expected a number in"):
            integrator.interpolate(t)


def test_rhs_of_the_wrong_size_is_refused() -> None:
    integrator = make("dp853", lambda t, y: np.zeros(3))
    with pytest.raises(ValueError, match=r"rhs\(t, y\): expected a vector of length 4"):
        integrator.step(1.0)
