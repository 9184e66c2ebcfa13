"""Poincaré maps agree with closed forms and between ways of iteration."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nsmb
from nsmb.analysis import AnalysisInterrupted, PoincareMap, crossing, every, on_event
from nsmb.analysis.maps import poincare
from tests.analysis.rattling import rattling
from tests.support.interrupts import ctrl_c_once, frame_of


def test_gear_rattling_follows_its_map() -> None:
    """It follows (12.15) and the free-flight map (12.16), with a measured residual of 2e-13."""
    alpha, beta, gamma, epsilon = 3.0, 0.1, 0.1, 0.9
    points = PoincareMap(rattling(alpha), on_event("impact")).iterate(2000)
    s, ds_minus, ds_plus, tau = points["s"], points.y_minus[:, 1], points["s_dot"], points.t
    np.testing.assert_allclose(ds_plus, -epsilon * ds_minus, rtol=0, atol=1e-13)
    flight = np.diff(tau)
    decay = np.exp(-beta * flight)
    c = ds_plus[:-1] - alpha * np.cos(tau[:-1]) - gamma / beta
    position = (
        -np.diff(s) + alpha * np.diff(np.sin(tau)) + c * (1 - decay) / beta + gamma / beta * flight
    )
    velocity = alpha * np.cos(tau[1:]) + c * decay + gamma / beta
    np.testing.assert_allclose(position, 0.0, atol=1e-11)
    np.testing.assert_allclose(ds_minus[1:], velocity, rtol=0, atol=1e-11)
    assert set(np.round(np.diff(s))) <= {-1.0, 0.0, 1.0}


def test_impacts_are_those_of_a_plain_run() -> None:
    toy = nsmb.systems.woodpecker()
    points = PoincareMap(toy, on_event("impact", "beak")).iterate(8)
    impacts = nsmb.simulate(toy, 1.5).events.of_kind("impact").at_contact("beak")[:8]
    np.testing.assert_allclose(points.t, impacts.t, rtol=0, atol=1e-11)
    np.testing.assert_allclose(points.y_minus[:, 3:], impacts.u_minus, rtol=0, atol=1e-9)
    np.testing.assert_allclose(points.y_plus[:, 3:], impacts.u_plus, rtol=0, atol=1e-9)
    np.testing.assert_allclose(points.Lambda_N, impacts.Lambda_N, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "section",
    [on_event("impact", "driven"), on_event(), every(), every(1.0, 0.5), crossing("s", -0.3)],
)
def test_a_transient_is_the_same_motion(section: poincare.Section) -> None:
    """The first points are skipped. A new start changes the steps, not the motion."""
    rattle = PoincareMap(rattling(1.25), section)
    all_points = rattle.iterate(30)
    late = rattle.iterate(20, skip=10)
    np.testing.assert_array_equal(late.t, all_points.t[10:])
    np.testing.assert_array_equal(late.y_plus, all_points.y_plus[10:])
    again = rattle.iterate(5, start=all_points.state(9))
    np.testing.assert_allclose(again.t, all_points.t[10:15], rtol=0, atol=1e-11)
    np.testing.assert_allclose(again.y_plus, all_points.y_plus[10:15], rtol=0, atol=1e-10)


def test_a_stroboscopic_section_lies_at_its_times() -> None:
    points = PoincareMap(rattling(1.25), every(phase=0.25)).iterate(10)
    np.testing.assert_allclose(points.t / (2 * np.pi), np.arange(10) + 0.25, rtol=0, atol=1e-14)


@pytest.mark.parametrize("direction", [+1, -1, 0])
@pytest.mark.parametrize("what", ["q1", "q1_dot", lambda t, q, u: q[0] + 0.0 * u[0]])
def test_crossings_of_an_oscillator(what: str, direction: int) -> None:
    """x = cos t passes 0.3 at t = ±arccos 0.3, and its velocity -sin t at t = π ± arcsin 0.3."""
    free = nsmb.LinearSystem(
        [[1.0]], [[1.0]], initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    )
    if what == "q1_dot":
        up, down = np.pi + np.arcsin(0.3), 2 * np.pi - np.arcsin(0.3)
    else:
        up, down = 2 * np.pi - np.arccos(0.3), np.arccos(0.3)
    turns = 2 * np.pi * np.arange(20)
    times = np.concatenate([up + turns] * (direction >= 0) + [down + turns] * (direction <= 0))
    points = PoincareMap(free, crossing(what, 0.3, direction)).iterate(20)
    np.testing.assert_allclose(points.t, np.sort(times)[:20], rtol=0, atol=1e-10)
    np.testing.assert_array_equal(points.y_minus, points.y_plus)
    if isinstance(what, str):  # zeros of a polynomial up to rounding; measured: 2e-16
        np.testing.assert_allclose(points[what], 0.3, rtol=0, atol=2e-15)


def test_a_component_is_located_where_its_function_is() -> None:
    """Polynomials in the core agree with the motion seen from outside, in a run with impacts."""
    for direction in (+1, -1, 0):
        named = PoincareMap(rattling(1.25), crossing("s_dot", 0.2, direction)).iterate(50)
        asked = PoincareMap(
            rattling(1.25), crossing(lambda t, q, u: float(u[0]), 0.2, direction)
        ).iterate(50)
        np.testing.assert_allclose(named.t, asked.t, rtol=0, atol=1e-11)
        np.testing.assert_allclose(named.y_minus, asked.y_minus, rtol=0, atol=1e-11)
        np.testing.assert_allclose(named.y_plus, asked.y_plus, rtol=0, atol=1e-11)


def test_a_jump_across_the_value_is_a_crossing() -> None:
    """The velocity of a bouncing ball reverses in the impacts."""
    ball = nsmb.systems.bouncing_ball()
    jumps = PoincareMap(ball, crossing("y_dot")).iterate(5)
    impacts = PoincareMap(ball, on_event("impact", "floor")).iterate(5)
    np.testing.assert_allclose(jumps.t, impacts.t, rtol=0, atol=1e-13)
    np.testing.assert_allclose(jumps.y_minus, impacts.y_minus, rtol=0, atol=1e-11)
    np.testing.assert_allclose(jumps.y_plus, impacts.y_plus, rtol=0, atol=1e-11)


@pytest.mark.parametrize("section", [on_event("impact", "floor"), crossing("y", -1.0, 0)])
def test_a_section_that_is_never_met_is_a_status(section: poincare.Section) -> None:
    ball = nsmb.systems.bouncing_ball()
    points = PoincareMap(ball, section, t_max=5.0).iterate(1000)
    assert points.status == "section_not_met"
    assert not points.success
    assert "pass a larger t_max" in points.message
    assert len(points) < 1000


def test_an_unsolvable_problem_is_a_status() -> None:
    """Painlevé's rod is drawn to the angle where its contact force is unbounded."""
    rod = nsmb.systems.sliding_rod(phi=0.5, omega=0.5, v=20.0)
    for section in (on_event("impact"), every(0.01), crossing("phi_dot", -1e3)):
        points = PoincareMap(rod, section, t_max=2.0).iterate(1000)
        assert points.status == "no_contact_solution"
        assert "singular" in points.message


def test_points_survive_pickle_and_become_tables() -> None:
    points = PoincareMap(nsmb.systems.woodpecker(), on_event("impact", "beak")).iterate(4)
    again = pickle.loads(pickle.dumps(points))
    np.testing.assert_array_equal(again.y_plus, points.y_plus)
    assert again.section == points.section
    pytest.importorskip("pandas")
    frame = points.to_dataframe()
    assert len(frame) == 4
    np.testing.assert_array_equal(frame["phi_S_dot"], points["phi_S_dot"])
    np.testing.assert_array_equal(frame["phi_S_dot-"], points.y_minus[:, 5])
    np.testing.assert_array_equal(frame["Lambda_N[beak]"], points.Lambda_N[:, 0])


def product(t: float, q: np.ndarray, u: np.ndarray) -> float:
    """Return a function of position, velocity and time."""
    return float(q[0] + 0.1 * u[0] + 0.05 * np.sin(t))


@pytest.mark.parametrize(
    "section",
    [on_event("impact", "driven"), on_event("impact"), every(phase=0.3), crossing("s", -0.4),
     crossing("s_dot", 0.0, 0), crossing(product, -0.4)],
)  # fmt: skip
@pytest.mark.parametrize("count", [1, 4])
def test_derivatives_are_those_of_differences(section: poincare.Section, count: int) -> None:
    """Central differences with h = 1e-6 agree to 4e-8."""
    rattle, h = rattling(1.25), 1e-6
    section_map = PoincareMap(rattle, section)
    start = nsmb.State(0.3, np.array([-0.45]), np.array([0.7]))
    found = section_map.derivative(start, count=count, sensitivity=["alpha", "e"])
    assert found.exists
    assert found.parameters == ("alpha", "e")

    def end(ds: float, dv: float, system: nsmb.System = rattle) -> np.ndarray:
        moved = nsmb.State(start.t, start.q + ds, start.u + dv)
        points = PoincareMap(system, section).iterate(count, start=moved)
        return np.append(points.y_plus[-1], points.t[-1])

    by_y = np.column_stack([(end(h, 0) - end(-h, 0)) / (2 * h), (end(0, h) - end(0, -h)) / (2 * h)])
    np.testing.assert_allclose(np.vstack([found.state, found.time]), by_y, rtol=1e-7, atol=1e-7)
    by_p = [
        (end(0, 0, rattle.with_parameters(**{name: value + h}))
         - end(0, 0, rattle.with_parameters(**{name: value - h}))) / (2 * h)
        for name, value in (("alpha", 1.25), ("e", 0.9))
    ]  # fmt: skip
    np.testing.assert_allclose(found.parameter, np.transpose(by_p)[:2], rtol=1e-7, atol=1e-7)


def test_there_is_no_derivative_without_points() -> None:
    with pytest.raises(ValueError, match=r"start: must lead to 1 points of the section"):
        PoincareMap(rattling(), crossing("s", 3.0), t_max=5.0).derivative()


def test_ctrl_c_keeps_what_was_met() -> None:
    def some_are_met() -> bool:
        frame = frame_of("_parts")
        return frame is not None and frame.f_locals.get("found", 0) > 0

    points = PoincareMap(rattling(3.0), on_event("impact"))
    with ctrl_c_once(some_are_met), pytest.raises(AnalysisInterrupted, match="met") as stopped:
        points.iterate(100_000_000)
    assert len(stopped.value.result) > 0
    assert stopped.value.result.status == "interrupted"
    assert len(pickle.loads(pickle.dumps(stopped.value)).result) == len(stopped.value.result)


def test_a_bar_counts_points(capsys: pytest.CaptureFixture[str]) -> None:
    PoincareMap(rattling(3.0), on_event("impact")).iterate(30, skip=20, progress=True)
    assert "50/50" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: PoincareMap("toy", on_event("impact")),
            r"system: expected a nsmb\.System, got str",
        ),
        (lambda: PoincareMap(rattling(), "impact"), r"section: expected on_event"),
        (
            lambda: PoincareMap(rattling(), on_event("impact", "front")),
            r"contact 'front': expected one of",
        ),
        (lambda: PoincareMap(rattling(), every(), t_max=-1.0), r"t_max: expected a finite number"),
        (
            lambda: PoincareMap(rattling(), on_event("impact")).iterate(0),
            r"count: expected a whole number >= 1, got 0",
        ),
        (
            lambda: PoincareMap(rattling(), on_event("impact")).iterate(1, skip=-1),
            r"skip: expected a whole number >= 0, got -1",
        ),
        (
            lambda: PoincareMap(
                rattling(), crossing("s"), method=nsmb.EventDriven(dense_output=False)
            ).iterate(1),
            r"expected dense_output=True",
        ),
    ],
)
def test_senseless_maps_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
