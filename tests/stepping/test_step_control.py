"""Steps with lengths from error estimates, against closed forms and event-driven motion."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.support.methods import SCHEMES, Steps, stepping

STEPPED = tuple(scheme for scheme in SCHEMES if scheme != "hybrid")
ERRORS = [1e-3, 1e-4, 1e-5]
G = 9.81


def controlled(error: Any, step: float = 0.02, **options: Any) -> Steps:
    return stepping(step, error=error, **options)


def slope(values: list[float]) -> float:
    """Return the slope of errors over requested errors, both logarithmic."""
    return float(np.polyfit(np.log(ERRORS), np.log(values), 1)[0])


def cost(sol: nsmb.Solution) -> float:
    """Return the number of computed steps: three for every two steps, accepted or rejected."""
    return 1.5 * sol.stats["steps"] + 3.0 * sol.stats["rejected_steps"]


def oscillator() -> nsmb.LinearSystem:
    """Damped oscillator, with long steps at the end."""
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    return nsmb.LinearSystem([[1.0]], D=[[6.0]], K=[[409.0]], initial_state=start)


def oscillation(t: np.ndarray) -> np.ndarray:
    return np.exp(-3.0 * t) * (np.cos(20.0 * t) + 0.15 * np.sin(20.0 * t))


BALL = nsmb.systems.bouncing_ball(e_N=0.8)


@cache
def exact_ball() -> nsmb.Solution:
    return nsmb.simulate(BALL, 2.0)


@pytest.mark.parametrize("scheme", STEPPED)
def test_error_of_smooth_motion_follows_what_is_asked_for(scheme: str) -> None:
    times = np.linspace(0.0, 4.0, 101)
    found, costs = [], []
    for error in ERRORS:
        sol = nsmb.simulate(oscillator(), 4.0, method=controlled(error, scheme=scheme))
        found.append(float(np.abs(sol(times)[:, 0] - oscillation(times)).max()))
        costs.append(cost(sol))
        # 100 pairs of maximum steps each add at most `error`, of which damping removes most.
        assert found[-1] < 20.0 * error
        assert sol.stats["coarse_steps"] == 0
    assert slope(found) > 0.8
    fixed = stepping(4.0 / costs[-1], scheme)
    same = nsmb.simulate(oscillator(), 4.0, method=fixed)
    assert found[-1] < np.abs(same(times)[:, 0] - oscillation(times)).max()


@pytest.mark.parametrize("scheme", STEPPED)
def test_error_through_impacts_follows_what_is_asked_for(scheme: str) -> None:
    """The error is reached with fewer steps, including rejected ones, than with fixed steps."""
    times = np.linspace(0.0, 2.0, 201)
    exact = exact_ball()(times)[:, 0]
    found = []
    for error in ERRORS:
        sol = nsmb.simulate(BALL, 2.0, method=controlled(error, scheme=scheme))
        found.append(float(np.abs(sol(times)[:, 0] - exact).mean()))
        assert found[-1] < 5.0 * error
        assert sol.stats["coarse_steps"] == 0
    assert slope(found) > 0.8
    fixed = stepping(2.0 / cost(sol), scheme)
    same = nsmb.simulate(BALL, 2.0, method=fixed)
    assert 4.0 * found[-1] < np.abs(same(times)[:, 0] - exact).mean()


@pytest.mark.parametrize("scheme", STEPPED)
def test_no_height_of_fall_hides_an_impact_from_the_estimate(scheme: str) -> None:
    """The estimate sees an impact wherever in its step it is.

    In the last quarter none of the compared steps contains the impact. Where both contain it at the
    same time, they agree on the wrong result.
    """
    error = 1e-3
    for height in np.linspace(0.5, 0.6, 21):
        ball = nsmb.systems.bouncing_ball(H=height, e_N=0.8)
        sol = nsmb.simulate(ball, 0.5, method=controlled(error, scheme=scheme))
        time = np.sqrt(2.0 * height / G)
        left = 0.5 - time
        exact = 0.8 * G * time * left - 0.5 * G * left**2
        assert abs(sol.q[-1, 0] - exact) < 2.0 * error


@pytest.mark.parametrize("scheme", STEPPED)
def test_what_is_never_reached_changes_no_bit(scheme: str) -> None:
    times = 0.001 * np.arange(0, 591, 2)
    fixed = nsmb.simulate(
        BALL,
        0.6,
        method=stepping(1e-3, scheme),
        output_times=times,  # type: ignore[arg-type]
    )
    sol = nsmb.simulate(
        BALL, 0.6, method=controlled(1e9, step=1e-3, scheme=scheme), output_times=times
    )
    assert sol.stats["steps"] == fixed.stats["steps"] == 600
    assert sol.stats["rejected_steps"] == 0
    # The last two end with the run, each with half of the remaining time.
    np.testing.assert_array_equal(sol.q[:-1], fixed.q[:-1])
    np.testing.assert_array_equal(sol.u[:-1], fixed.u[:-1])


def test_steps_grow_again_behind_an_impact() -> None:
    """Short steps occur around impacts only."""
    sol = nsmb.simulate(BALL, 1.5, method=controlled(1e-4), output_times=[0.0, 1.5])
    assert np.median(np.diff(sol.step_t)) > 100.0 * np.diff(sol.step_t).min()


def test_friction_that_ends_is_found_to_the_error() -> None:
    """A block thrown along a plane stops at v/(μ g), where only its acceleration jumps."""
    law = nsmb.ContactLaw(mu=0.2)
    plane = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="plane")
    block = nsmb.LinearSystem(np.eye(2), force=[0.0, -G], contacts=[plane])
    start = nsmb.State(0.0, np.zeros(2), np.array([1.0, 0.0]))
    for error in ERRORS:
        sol = nsmb.simulate(block, 1.0, start=start, method=controlled(error))
        assert abs(sol.q[-1, 0] - 0.5 / (0.2 * G)) < error
        assert sol.stats["coarse_steps"] == 0
        assert sol.stats["steps"] < 200


def test_steps_that_may_not_be_shorter_are_marked() -> None:
    """Impacts need 2e-7 s."""
    method = controlled(1e-6, min_step=1e-4)
    sol = nsmb.simulate(BALL, 1.5, method=method)
    coarse = sol.step_status == nsmb.results.StepStatus.COARSE
    assert sol.status == "finished"
    assert coarse.sum() == sol.stats["coarse_steps"] > 0
    assert sol.stats["missed_steps"] == 0
    # Two in each of two impacts, and some with an impact after them.
    assert coarse.sum() <= 12


def test_a_coarse_step_may_end_the_run() -> None:
    method = controlled(1e-6, min_step=1e-4, on_failure="stop")
    sol = nsmb.simulate(BALL, 1.5, method=method, throw=False)
    assert sol.status == "integration_failure"
    assert "the shortest step, 1e-04 s, exceeds" in sol.message
    assert abs(sol.t[-1] - np.sqrt(2.0 / G)) < 1e-3


def test_runs_end_where_they_are_to_end() -> None:
    sol = nsmb.simulate(BALL, 1.234567, method=controlled(1e-4))
    assert sol.t[-1] == 1.234567
    sim = nsmb.Simulator(BALL, controlled(1e-4))
    for t in (0.1, 0.3, 0.30001, 1.0):
        sim.advance(t)
        assert sim.t == t


def test_an_unstable_motion_ends_with_its_coordinate() -> None:
    """The motion overflows, and ever shorter steps do not hang the run."""
    start = nsmb.State(0.0, np.array([0.0, 1e-3]), np.zeros(2))
    system = nsmb.LinearSystem(
        np.eye(2), K=np.diag([1.0, -1e14]), coordinates=["a", "b"], initial_state=start
    )
    method = controlled(1e-3, step=1e-3)
    sol = nsmb.simulate(system, 1.0, method=method, throw=False)
    assert sol.status == "integration_failure"
    assert "no finite value" in sol.message
    assert np.isfinite(sol.q).all()


def test_hybrid_controls_the_steps_of_what_crowds() -> None:
    ball = nsmb.systems.bouncing_ball()
    exact = nsmb.simulate(ball, 4.0)
    sol = nsmb.simulate(ball, 4.0, method=controlled(1e-5, step=1e-2, scheme="hybrid"))
    times = np.linspace(0.0, 4.0, 401)
    assert sol.success
    assert np.abs(sol(times)[:, 0] - exact(times)[:, 0]).max() < 2e-5
    assert len(sol.events.of_kind("impact")) < len(exact.events.of_kind("impact"))


def free_ball(height: float, e_N: float) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    body = m.add_solid("ball", geometry.Sphere(0.1), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=0.3, e_N=e_N))
    return m.build(initial={"free": (0, 0, height + 0.1, 1, 0, 0, 0)})


@pytest.mark.parametrize("height", [0.5, 0.53, 0.56])
def test_found_contacts_are_controlled_alike(height: float) -> None:
    time, found = np.sqrt(2.0 * height / G), []
    for error in ERRORS:
        method = controlled(error)
        sol = nsmb.simulate(free_ball(height, 0.8), 0.5, method=method)
        left = 0.5 - time
        found.append(abs(sol.q[-1, 2] - 0.1 - 0.8 * G * time * left + 0.5 * G * left**2))
        assert found[-1] < 2.0 * error
        assert sol.stats["rejected_steps"] > 0


def test_tries_that_are_given_up_leave_no_trace() -> None:
    """Two spheres strike the floor and each other.

    The work of impulses is that of the accepted steps, to rounding.
    """
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    places = {}
    for name, place in (("a", (0.0, 0.0, 0.15)), ("b", (0.05, 0.02, 0.4))):
        body = m.add_solid(name, geometry.Sphere(0.1), 1000.0)
        m.add_joint(name, joints.Free(), m.ground, body)
        places[name] = (*place, 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.4, e_N=0.3))
    system = m.build(initial=places)
    method = controlled(1e-3)
    sol = nsmb.simulate(system, 0.25, method=method, output_times=[0.0, 0.25])
    assert sol.stats["rejected_steps"] > 10
    lost = sol.energy.impact_loss[-1]
    assert lost > 0.1 * sol.energy.total[0]
    np.testing.assert_allclose(sol.energy.total[0] - sol.energy.total[-1], lost, rtol=1e-10)


def test_found_and_named_contacts_agree_to_the_error() -> None:
    """The memory of detected contacts does not depend on rejected steps."""
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3
    body = m.add_body("ball", mass=mass, inertia=0.4 * mass * 0.01 * np.eye(3))
    m.add_joint("free", joints.Free(), m.ground, body)
    floor = m.ground.shape("floor", geometry.HalfSpace())
    law = nsmb.ContactLaw(mu=0.3, e_N=0.5)
    m.add_contact(floor, body.shape("skin", geometry.Sphere(0.1)), law)
    named = m.build(initial={"free": (0, 0, 0.15, 1, 0, 0, 0)})
    one, two = (
        nsmb.simulate(
            system,
            1.0,
            method=controlled(1e-4),
            start=nsmb.State(0.0, system.initial_state.q, np.array([1.0, 0.2, 0, 0, 3.0, 0])),
            output_times=np.linspace(0.0, 1.0, 21),
        )
        for system in (named, free_ball(0.05, 0.5))
    )
    # Measured: 6e-5, for a requested 1e-4, and impacts may use the whole of it.
    np.testing.assert_allclose(two.q, one.q, atol=2e-4)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"error": 0.0}, "error"),
        ({"error": -1.0}, "error"),
        ({"error": np.nan}, "error"),
        ({"error": [1e-3, np.inf]}, "error"),
        ({"error": "small"}, "error"),
        ({"error": 1e-3, "min_step": 0.0}, "min_step"),
        ({"error": 1e-3, "min_step": 0.1}, "min_step"),
        ({"min_step": 1e-6}, "min_step"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: (expected|must)"):
        stepping(**({"step": 1e-3} | options))


def test_errors_of_the_wrong_number_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^error: expected a number or shape \(1,\)"):
        nsmb.simulate(BALL, 0.1, method=controlled([1e-3, 1e-3]))


def test_one_error_of_each_coordinate_is_kept_in_files(tmp_path: Any) -> None:
    sol = nsmb.simulate(BALL, 0.6, method=controlled([1e-4], min_step=1e-5))
    sol.save(tmp_path / "run.npz")
    read = nsmb.Solution.load(tmp_path / "run.npz")
    assert isinstance(read.method, nsmb.Midpoint)
    assert read.method.error == [1e-4]
    assert read.method.min_step == 1e-5
