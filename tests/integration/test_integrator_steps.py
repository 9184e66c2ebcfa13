"""Restarts, stop times, repeated steps and projections of the integrators."""

import numpy as np
import pytest
from scipy.linalg import expm

from nsmb._core.integration import StepStatus
from tests.integration.integrators import (
    EXPLICIT,
    METHODS,
    A,
    Array,
    circle,
    linear_exact,
    make,
    pendulum,
    run,
)

# Restart, stop, redo --------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXPLICIT)
def test_restarts_keep_the_step_size(method: str) -> None:
    """A jump costs the step that is cut, but no new search for the step size."""
    smooth = make(method, circle, np.array([1.0, 0.0]), 1e-9)
    run(smooth, 60.0)
    jumping = make(method, circle, np.array([1.0, 0.0]), 1e-9)
    jumps = 20
    for k in range(jumps):
        run(jumping, 3.0 * (k + 1))
        jumping.restart(jumping.t, -jumping.y)
    assert jumping.statistics["restarts"] == jumps
    extra = jumping.statistics["steps"] - smooth.statistics["steps"]
    # One cut step per jump; the controller of ARKODE also forgets its two last errors.
    assert extra <= 2 * jumps
    assert jumping.statistics["rejected"] <= smooth.statistics["rejected"] + jumps


@pytest.mark.parametrize("method", EXPLICIT)
def test_the_step_size_survives_a_stop_time_just_ahead(method: str) -> None:
    integrator = make(method, circle, np.array([1.0, 0.0]), 1e-8)
    run(integrator, 20.0)
    integrator.step(1e3)
    usual = integrator.t - integrator.t_old
    integrator.step(integrator.t + 1e-6 * usual)
    integrator.step(1e3)
    assert integrator.t - integrator.t_old > 0.5 * usual


@pytest.mark.parametrize("method", METHODS)
def test_stop_times_are_hit_to_the_bit(method: str) -> None:
    rng = np.random.default_rng(1)
    integrator = make(method)
    for gap in 10.0 ** rng.uniform(-14, 0, 60):
        t_stop = integrator.t + gap
        while integrator.t < t_stop:
            assert integrator.step(t_stop) == StepStatus.OK, integrator.message
        assert integrator.t == t_stop
    t_stop = np.nextafter(integrator.t, np.inf)
    assert integrator.step(t_stop) == StepStatus.OK
    assert integrator.t == t_stop
    # Measured up to 5e-7 (cvode): the global error of tolerance 1e-8.
    np.testing.assert_allclose(integrator.y, linear_exact(integrator.t), atol=1e-5)


@pytest.mark.parametrize("method", ["cvode", "arkode_fehlberg78", "arkode_dormand_prince45"])
def test_a_step_as_short_as_a_rounding_that_was_crossed_begins_there(method: str) -> None:
    """The step to a stop some ulp ahead is not a step of the solver, and is not repeated."""
    t, y = 1e-3, np.array([1.0, 0.0])
    integrator = make(method, lambda t, y: 1e13 * circle(t, y), y, t=t, initial_step=1e-17)
    assert integrator.step(1.0) == StepStatus.OK
    ahead = integrator.t + 150.0 * np.finfo(float).eps * t
    assert integrator.step(ahead) == StepStatus.OK
    assert integrator.t == ahead
    assert integrator.step(1.0) == StepStatus.OK, integrator.message
    assert integrator.t > ahead
    angle = 1e13 * (integrator.t - t)
    # An ulp of t is 2e-6 rad.
    expected = np.array([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(integrator.y, expected, rtol=0.0, atol=5e-6)


@pytest.mark.parametrize("fraction", [0.003, 0.37, 0.999999])
@pytest.mark.parametrize("method", METHODS)
def test_redo_ends_exactly_where_asked_and_on_the_solution(method: str, fraction: float) -> None:
    rtol = 1e-8
    integrator = make(method, rtol=rtol)
    for _ in range(12):
        integrator.step(1e3)
    t_old, y_old = integrator.t_old, integrator.interpolate(integrator.t_old)
    usual = integrator.t - t_old
    t_end = t_old + fraction * usual
    before = integrator.interpolate(t_end)
    assert integrator.redo(t_end) == StepStatus.OK, integrator.message
    assert (integrator.t_old, integrator.t) == (t_old, t_end)
    assert np.array_equal(integrator.interpolate(t_old), y_old)
    assert np.array_equal(integrator.interpolate(t_end), integrator.y)

    # From y_old, not from the start: the error of this step alone. Measured up to 5e-8 (cvode).
    def exact(t: float) -> Array:
        return np.asarray(expm(A * (t - t_old)) @ y_old)

    np.testing.assert_allclose(integrator.y, exact(t_end), rtol=0, atol=20 * rtol)
    for t in np.linspace(t_old, t_end, 9):
        np.testing.assert_allclose(integrator.interpolate(t), exact(t), rtol=0, atol=20 * rtol)
    dense = 1e-4 if method == "arkode_fehlberg78" else 100 * rtol  # its dense output: order 5
    np.testing.assert_allclose(before, exact(t_end), rtol=0, atol=dense)

    integrator.step(1e3)
    assert integrator.t_old == t_end
    if method != "cvode":  # BDF restarts at order 1
        assert integrator.t - integrator.t_old > 0.5 * usual


@pytest.mark.parametrize("method", METHODS)
def test_redo_passes_its_own_error_test_in_several_steps_if_need_be(method: str) -> None:
    frequency = 1.0

    def rhs(t: float, y: Array) -> Array:
        return frequency * circle(t, y)

    integrator = make(method, rhs, np.array([1.0, 0.0]), 1e-6)
    for _ in range(12):
        integrator.step(1e3)
    t_old, y_old = integrator.t_old, integrator.interpolate(integrator.t_old)
    t_end = t_old + 0.8 * (integrator.t - t_old)
    integrator.interpolate(t_end)  # as a search for an event would: with the old right-hand side
    steps = integrator.statistics["steps"]
    frequency = 20.0 / (integrator.t - t_old)
    assert integrator.redo(t_end) == StepStatus.OK
    assert integrator.statistics["steps"] > steps + 1
    assert (integrator.t_old, integrator.t) == (t_old, t_end)
    cos, sin = np.cos(frequency * (t_end - t_old)), np.sin(frequency * (t_end - t_old))
    expected = np.array([[cos, -sin], [sin, cos]]) @ y_old
    # Over 16 rad; measured 4e-7 ... 7e-5 (cvode).
    np.testing.assert_allclose(integrator.y, expected, rtol=0, atol=3e-4)
    assert np.array_equal(integrator.interpolate(t_old), y_old)
    assert np.array_equal(integrator.interpolate(t_end), integrator.y)
    near = integrator.interpolate(t_end - 1e-12 * (t_end - t_old))
    np.testing.assert_allclose(near, integrator.y, rtol=0, atol=1e-11)  # moved by about 1 per step
    t_sooner = 0.5 * (t_old + t_end)
    assert integrator.redo(t_sooner) == StepStatus.OK
    assert (integrator.t_old, integrator.t) == (t_old, t_sooner)


@pytest.mark.parametrize("method", METHODS)
def test_absolute_tolerances_change_with_the_next_step(method: str) -> None:
    integrator = make(method, circle, np.array([1.0, 0.0]), 1e-12, 1e-3)
    run(integrator, 5.0)
    loose = integrator.statistics["steps"]
    integrator.set_atol(np.full(2, 1e-10))
    run(integrator, 10.0)
    assert integrator.statistics["steps"] - loose > 1.5 * loose


@pytest.mark.parametrize("method", METHODS)
def test_results_repeat_to_the_bit(method: str) -> None:
    def trace() -> bytes:
        integrator = make(method, pendulum, np.array([2.5, 0.0]), 1e-8)
        rows = []
        for k in range(40):
            integrator.step(100.0)
            middle = integrator.t_old + 0.3 * (integrator.t - integrator.t_old)
            rows.append(integrator.interpolate(middle))
            if k % 4 == 3:
                integrator.redo(middle)
            if k % 8 == 7:
                integrator.restart(integrator.t, -integrator.y)
            rows.append(np.append(integrator.y, integrator.t))
        return b"".join(row.tobytes() for row in rows)

    assert trace() == trace()


# Projection -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_projection_keeps_the_invariant(method: str) -> None:
    integrator = make(
        method, circle, np.array([1.0, 0.0]), 1e-4, project=lambda t, y: y / np.hypot(*y)
    )
    for k in range(30):
        integrator.step(100.0)
        assert abs(np.hypot(*integrator.y) - 1.0) < 1e-13
        if k % 3 == 2:
            integrator.redo(0.6 * integrator.t_old + 0.4 * integrator.t)
            assert abs(np.hypot(*integrator.y) - 1.0) < 1e-13
        if k % 10 == 9:
            integrator.restart(integrator.t, -integrator.y)
    without = make(method, circle, np.array([1.0, 0.0]), 1e-4)
    run(without, 10.0)
    assert abs(np.hypot(*without.y) - 1.0) > 1e-9


@pytest.mark.parametrize("method", EXPLICIT)
def test_the_step_after_a_projection_starts_with_the_slope_there(method: str) -> None:
    seen: set[tuple[float, float, float]] = set()

    def rhs(t: float, y: Array) -> Array:
        seen.add((t, *y))
        return circle(t, y)

    integrator = make(
        method, rhs, np.array([1.0, 0.0]), 1e-4, project=lambda t, y: y / np.hypot(*y)
    )
    for _ in range(5):
        integrator.step(100.0)
        start = (integrator.t, *integrator.y)
        integrator.step(100.0)
        assert start in seen
