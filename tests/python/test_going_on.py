"""Continued runs equal a single run, and running simulations report their state."""

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import geometry


def box_on_ground() -> nsmb.System:
    """Return a box thrown onto the ground, with temporary contact points."""
    model = nsmb.Model(gravity=(0.0, -9.81))
    box = model.add_body("box", mass=1.0, inertia=0.02)
    model.add_joint("free", nsmb.joints.Planar(), model.ground, box)
    outline = geometry.Polygon([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])
    ground = model.ground.contour("ground", geometry.Line())
    model.add_contact(box.contour("outline", outline), ground, nsmb.ContactLaw(mu=0.4, e_N=0.3))
    return model.build({"free": [0.0, 0.5, 0.3]}, {"free": [0.3, 0.0, 1.0]})


def pendulum() -> nsmb.System:
    return nsmb.CallbackSystem(
        ["phi"],
        mass_matrix=[[1.0]],
        forces=lambda t, q, u: [-9.81 * np.sin(q[0])],
        contacts=[
            nsmb.Contact(
                gap=lambda t, q: np.sin(q[0]),
                w_N=lambda t, q: [np.cos(q[0])],
                law=nsmb.ContactLaw(e_N=0.5),
            )
        ],
        initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
    )


CASES: dict[str, tuple[Callable[[], nsmb.System], float, float]] = {
    "woodpecker, its sleeve wedged": (nsmb.systems.woodpecker, 0.32, 1.0),
    "belt oscillator, sticking": (nsmb.systems.belt_oscillator, 2.0, 12.0),
    "force elements that act": (nsmb.systems.ship_turning_gear, 20.0, 60.0),
    "a damper that lags behind": (nsmb.systems.spring_damper_wall, 1.0, 2.0),
    "ball at rest": (lambda: nsmb.systems.bouncing_ball(), 5.0, 6.0),
    "pendulum leaning on the wall": (pendulum, 3.0, 4.0),
    "tower of masses in parts": (nsmb.systems.mass_tower, 0.05, 0.1),
}


@pytest.mark.parametrize("name", CASES)
def test_a_continued_run_is_one_run(name: str) -> None:
    build, half, end = CASES[name]
    system = build()
    whole = nsmb.simulate(system, end)
    first = nsmb.simulate(system, half)
    second = nsmb.simulate(system, end, start=first)
    assert second.t[0] == half
    np.testing.assert_array_equal(second.contact_state[0], first.contact_state[-1])
    np.testing.assert_array_equal(second.element_mode[0], first.element_mode[-1])
    run = nsmb.join(first, second)
    assert run.events.kinds == whole.events.kinds
    scale = np.abs(whole.q).max(axis=0) + 1e-9
    # Integration errors of rtol = 1e-8 per step, amplified by impacts. Measured: 2e-8, margin 50.
    np.testing.assert_allclose(run.events.t, whole.events.t, rtol=0.0, atol=1e-6)
    times = np.linspace(0.0, end, 57)
    assert (np.abs(run.at(times).q - whole.at(times).q) <= 1e-6 * scale).all()
    loss = np.abs(whole.friction_loss[-1]) + 1e-9
    assert (np.abs(run.friction_loss[-1] - whole.friction_loss[-1]) <= 1e-6 * loss + 1e-9).all()
    assert run.stats["impacts"] == whole.stats["impacts"]
    run.check()


def test_contact_points_that_come_and_go_stand_where_they_stood(tmp_path: Path) -> None:
    system = box_on_ground()
    whole = nsmb.simulate(system, 2.0)
    half = float(np.round(whole.events.t[len(whole.events) // 2], 3)) + 5e-4
    first = nsmb.simulate(system, half)
    first.save(tmp_path / "first.npz")
    loaded = nsmb.Solution.load(tmp_path / "first.npz")
    for start in (first, loaded):
        second = nsmb.simulate(system, 2.0, start=start)
        np.testing.assert_array_equal(second.contact_state[0], first.contact_state[-1])
        np.testing.assert_array_equal(second.features[0], first.features[-1])
    run = first + second
    assert run.events.kinds == whole.events.kinds
    np.testing.assert_allclose(run.q[-1], whole.q[-1], atol=1e-6)


def test_what_is_closed_stays_closed_where_its_gap_has_drifted() -> None:
    """With a gap of a thousand times gap_tolerance, a new start would find the contact open."""
    ball = nsmb.systems.bouncing_ball()
    rest = nsmb.simulate(ball, 6.0)
    assert rest.contact_state[-1, 0] != nsmb.ContactState.OPEN
    data = {name: array.copy() for name, array in rest._data.items()}
    data["y"][-1, 0] += 1e-8
    drifted = nsmb.Solution(
        data, system=ball, system_name="", parameters=ball.parameters, labels=ball.labels,
        status="finished", message="", stats={},
    )  # fmt: skip
    on = nsmb.simulate(ball, 7.0, start=drifted)
    assert len(on.events) == 0
    again = nsmb.simulate(ball, 7.0, t_start=6.0, q=drifted.q[-1], u=drifted.u[-1])
    assert len(again.events) > 0


def test_a_closed_contact_that_no_longer_touches_is_refused() -> None:
    ball = nsmb.systems.ball_on_table()
    first = nsmb.simulate(ball, 1.0)
    with pytest.raises(ValueError, match="without t_start, q, u and x"):
        nsmb.simulate(ball, 2.0, start=first, t_start=0.0)
    with pytest.raises(ValueError, match="start: must be a run with components"):
        nsmb.simulate(nsmb.systems.woodpecker(), 2.0, start=first)
    lying = nsmb.LinearSystem(
        [[1.0]], force=[-1.0], contacts=[nsmb.Contact(w_N=[1.0])], coordinates=["y"]
    )
    lifted = nsmb.LinearSystem(
        [[1.0]], force=[-1.0], contacts=[nsmb.Contact(w_N=[1.0], gap=0.1)], coordinates=["y"]
    )
    with pytest.raises(
        ValueError, match=r"start: q: expected g_N = 0 at closed contact 'contact_1'"
    ):
        nsmb.simulate(lifted, 2.0, start=nsmb.simulate(lying, 1.0))


def test_a_derivative_goes_on_too() -> None:
    toy = nsmb.systems.woodpecker()
    whole = nsmb.simulate(toy, 0.4, sensitivity=True).sensitivity
    first = nsmb.simulate(toy, 0.2, sensitivity=True)
    run = first + nsmb.simulate(toy, 0.4, start=first, sensitivity=True)
    assert run.sensitivity is not None
    assert whole is not None
    np.testing.assert_allclose(run.sensitivity.state, whole.state, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        run.sensitivity.event_time(-1)[0], whole.event_time(-1)[0], rtol=1e-6, atol=1e-8
    )


def test_joining_asks_for_runs_that_meet() -> None:
    toy = nsmb.systems.woodpecker()
    first, second = nsmb.simulate(toy, 0.1), nsmb.simulate(toy, 0.2)
    with pytest.raises(ValueError, match=r"must contain a run that starts at t = 0.1 s"):
        nsmb.join(first, second)
    other = nsmb.simulate(toy.with_parameters(mu=0.2), 0.2, start=first)
    with pytest.raises(ValueError, match="same parameters"):
        first + other
    with pytest.raises(ValueError, match="at least one run"):
        nsmb.join()
    beside = nsmb.simulate(toy, 0.2, t_start=0.1, q=first.q[-1] + 0.001)
    with pytest.raises(ValueError, match="start=solution"):
        nsmb.join(first, beside)


def test_a_state_is_a_start() -> None:
    toy = nsmb.systems.woodpecker()
    given = toy.initial_state
    run = nsmb.simulate(toy, 0.1, start=given)
    np.testing.assert_array_equal(run.q, nsmb.simulate(toy, 0.1).q)


def test_samples_are_at_the_times_asked_for() -> None:
    times = np.array([0.0, 0.013, 0.1, 0.25, 0.3])
    for system in (nsmb.systems.woodpecker(), nsmb.systems.mass_tower()):
        run = nsmb.simulate(system, 0.3, output_times=times)
        assert set(times) <= set(run.t)
        assert set(run.t) - set(times) <= set(run.events.t)
        usual = nsmb.simulate(system, 0.3)
        np.testing.assert_array_equal(run.events.t, usual.events.t)
        np.testing.assert_array_equal(run.q[-1], usual.q[-1])
    with pytest.raises(ValueError, match=r"output_times: expected times from 0\.0 to 0\.3"):
        nsmb.simulate(nsmb.systems.woodpecker(), 0.3, output_times=[0.4])
    with pytest.raises(ValueError, match="output_times: expected increasing"):
        nsmb.simulate(nsmb.systems.woodpecker(), 0.3, output_times=[0.2, 0.1])


def test_a_solution_is_a_function_of_time() -> None:
    ball = nsmb.systems.bouncing_ball()
    run = nsmb.simulate(ball, 0.4)
    h, g = ball.initial_state.q[0], ball.parameters["g"]
    t = np.linspace(0.0, 0.4, 9)
    expected = np.stack([h - 0.5 * g * t**2, -g * t], axis=-1)
    np.testing.assert_allclose(run(t), expected, atol=1e-14)
    assert run(0.1).shape == (2,)
    hit = nsmb.simulate(ball, 0.6).events.t[0]
    both = nsmb.simulate(ball, 0.6)
    assert both(hit, "left")[1] < 0.0 < both(hit)[1]


def test_tables_have_one_row_for_each_time() -> None:
    run = nsmb.simulate(nsmb.systems.woodpecker(), 0.5)
    frame, data = run.to_dataframe(unique=True), run.to_xarray(unique=True)
    np.testing.assert_array_equal(frame["t"], np.unique(run.t))
    np.testing.assert_array_equal(data["time"], np.unique(run.t))
    behind = np.searchsorted(run.t, run.events.t, side="right") - 1
    rows = np.searchsorted(frame["t"], run.events.t)
    np.testing.assert_array_equal(frame["y_dot"].to_numpy()[rows], run.u[behind, 0])


def test_forces_on_the_way_are_those_of_the_laws() -> None:
    """A sticking block on an incline and a ball at rest have closed-form forces."""
    block = nsmb.simulate(nsmb.systems.incline_block(), 0.5, output_step=0.0)
    now = block.at(np.array([0.05, 0.1, 0.2]))
    np.testing.assert_allclose(
        now.lambda_N, np.broadcast_to(block.lambda_N[0], now.lambda_N.shape), rtol=1e-12
    )
    np.testing.assert_allclose(
        now.lambda_T, np.broadcast_to(block.lambda_T[0], now.lambda_T.shape), rtol=1e-12
    )
    toy = nsmb.simulate(nsmb.systems.woodpecker(), 0.5)
    fine = nsmb.simulate(nsmb.systems.woodpecker(), 0.5, output_times=[0.2003, 0.31, 0.4321])
    for t in (0.2003, 0.31, 0.4321):
        row = int(np.flatnonzero(fine.t == t)[0])
        np.testing.assert_allclose(toy.at(t).lambda_N, fine.lambda_N[row], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(toy.at(t).lambda_T, fine.lambda_T[row], rtol=1e-6, atol=1e-9)
    assert pickle.loads(pickle.dumps(toy.at(0.2))).t == 0.2


def test_the_time_of_an_event_has_a_derivative() -> None:
    """The third impact of an oscillator, which depends on all before, agrees with differences."""
    system = nsmb.systems.impact_oscillator()
    run = nsmb.simulate(system, 40.0, sensitivity=["omega"])
    assert run.sensitivity is not None
    assert run.sensitivity.is_event.sum() >= 3
    start = system.initial_state

    def third(dq: float = 0.0, du: float = 0.0, domega: float = 0.0) -> float:
        other = system.with_parameters(omega=system.parameters["omega"] + domega)
        return float(nsmb.simulate(other, 40.0, q=start.q + dq, u=start.u + du).events.t[2])

    d = 1e-6  # rounding 1e-9, curvature 1e-12 times the second derivative; measured: 1e-7
    slopes = [(third(*h) - third(*(-h))) / (2.0 * d) for h in d * np.eye(3)]
    state, parameter = run.sensitivity.event_time(2)
    np.testing.assert_allclose([*state, *parameter], slopes, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="k: expected one of"):
        run.sensitivity.event_time(len(run.events))


def test_forces_between_samples_obey_inputs_that_were_set():
    press = nsmb.Input("press", 0.0)
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(), name="floor")
    force = nsmb.Force(constant=[-10.0], inputs={press: [-1.0]})
    system = nsmb.LinearSystem([[1.0]], force=force, contacts=[floor])
    change = nsmb.At([0.5], lambda now: {"inputs": {"press": 5.0}})
    sol = nsmb.simulate(system, 1.0, events=[change], output_step=0.25)
    assert sol.at([0.3, 0.77]).lambda_N[:, 0] == pytest.approx([10.0, 15.0])
