"""Loads that switch in time: runs stop there, with one side before and the other side after."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsmb
from nsmb import joints, symbolic

INTEGRATORS = ["auto", "dp853", "cvode"]
Force = Callable[[float], float]


def callback(force: Force, times: list[Any], k: float = 0.0, **options: Any) -> nsmb.System:
    return nsmb.CallbackSystem(
        ["x"], [[1.0]], lambda t, q, u: [force(t) - k * q[0]], discontinuities=times, **options
    )


def model(force: Force, times: list[Any], k: float = 0.0) -> nsmb.System:
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, body)
    m.add_load("push", body, lambda t, *_: [force(t), 0.0, 0.0], discontinuities=times)
    m.add_joint_force("spring", "x", lambda t, q, u: -k * q)
    return m.build()


def lagrangian(force: Any, k: float = 0.0) -> nsmb.System:
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    return symbolic.LagrangianSystem([x], v**2 / 2, k * x**2 / 2, [force])


def pulse(start: float, end: float, height: float = 1.0) -> dict[str, Callable[[float], Any]]:
    """The same mass on a spring (or without one), pushed from `start` to `end`."""

    def closed(t: float) -> float:
        return height if start <= t <= end else 0.0

    def opened(t: float) -> float:
        return height if start < t < end else 0.0

    t, times = symbolic.time, [start, end]
    return {
        "closed": lambda k: callback(closed, times, k),
        "open": lambda k: callback(opened, times, k),
        "model": lambda k: model(closed, times, k),
        "piecewise": lambda k: lagrangian(
            sp.Piecewise((height, (t >= start) & (t < end)), (0, True)), k
        ),
        "heaviside": lambda k: lagrangian(
            height * (sp.Heaviside(t - start) - sp.Heaviside(t - end)), k
        ),
        "pulse": lambda k: nsmb.LinearSystem(
            [[1.0]], [[k]], force=nsmb.Force(pulses=[nsmb.Pulse([height], start, end)])
        ),
        "function": lambda k: nsmb.LinearSystem(
            [[1.0]], [[k]], force=lambda t: [closed(t)], discontinuities=times
        ),
    }


WAYS = list(pulse(5.0, 6.0))


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("way", WAYS)
def test_an_impulse_after_a_long_rest_is_not_stepped_over(way: str, name: str) -> None:
    """1 N for 1 s on 1 kg: u = 1, x = 1/2 + 4; measured 3e-11 (cvode), 4e-15."""
    system = pulse(5.0, 6.0)[way](0.0)
    sol = nsmb.simulate(system, 10.0, method=nsmb.EventDriven(integrator=name))
    assert sol.status == "finished"
    assert len(sol.events) == 0
    assert sol.u[-1, 0] == pytest.approx(1.0, abs=1e-13)
    assert sol.q[-1, 0] == pytest.approx(4.5, abs=1e-9)
    assert [system.next_discontinuity(t) for t in (0.0, 5.0, 6.0)] == [5.0, 6.0, math.inf]


@pytest.mark.parametrize("width", [1e-2, 3e-3, 1e-3, 1e-6])
@pytest.mark.parametrize("way", WAYS)
def test_short_pulses_on_an_oscillator(way: str, width: float) -> None:
    """Unit impulses at 1 Hz: x = F/ω² (cos ω(t-b) - cos ω(t-a)) after them.

    The error is that of the integrator over the free motion, measured 1.2e-8 of 1 m/s.
    """
    omega, end = 2.0 * np.pi, 4.3
    a, b = 2.0, 2.0 + width
    height = 1.0 / width
    system = pulse(a, b, height)[way](omega**2)
    sol = nsmb.simulate(system, end, q=[0.1])
    # cos - cos as a product, because the difference of two close numbers loses digits.
    middle = omega * (end - 0.5 * (a + b))
    gain = 2.0 * height / omega * np.sin(0.5 * omega * width)
    x = 0.1 * np.cos(omega * end) + gain / omega * np.sin(middle)
    u = -0.1 * omega * np.sin(omega * end) + gain * np.cos(middle)
    assert sol.q[-1, 0] == pytest.approx(x, abs=1e-7)
    assert sol.u[-1, 0] == pytest.approx(u, abs=1e-7)


def test_it_does_not_matter_which_value_a_function_has_at_the_time_itself() -> None:
    ways = pulse(0.3, 0.7, 2.0)
    runs = [nsmb.simulate(ways[way](1.0), 2.0, q=[0.1]) for way in ("closed", "open")]
    for name in ("t", "q", "u"):
        assert getattr(runs[0], name).tobytes() == getattr(runs[1], name).tobytes()


def test_functions_are_never_asked_on_the_other_side() -> None:
    """Evaluations before the switch have states before it, and likewise after it."""
    asked: list[tuple[float, float]] = []

    def forces(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        asked.append((t, float(u[0])))
        return [1.0 if t < 1.0 else -3.0]

    system = nsmb.CallbackSystem(["x"], [[1.0]], forces, discontinuities=[1.0])
    nsmb.simulate(system, 2.0)
    assert all(t != 1.0 for t, _ in asked)
    assert max(t for t, _ in asked if t < 1.0) == pytest.approx(1.0, abs=1e-14)
    for t, u in asked:  # trial steps use the law of their own side
        assert u == pytest.approx(t if t < 1.0 else 1.0 - 3.0 * (t - 1.0), abs=1e-12)


def block(force: Force, times: list[Any], mu: float = 0.3) -> nsmb.System:
    """1 kg pressed onto a rough floor with 10 N and pushed along it."""
    contact = nsmb.Contact(
        lambda t, q: q[1],
        w_N=lambda t, q: [0.0, 1.0],
        w_T=lambda t, q: [1.0, 0.0],
        law=nsmb.ContactLaw(mu=mu),
        name="floor",
    )
    return nsmb.CallbackSystem(
        ["x", "y"],
        np.eye(2),
        lambda t, q, u: [force(t), -10.0],
        [contact],
        discontinuities=times,
    )


def test_a_push_beyond_the_friction_limit_begins_and_ends_where_it_does() -> None:
    """5 N from 1 to 1.1 s against 3 N: slip at 1 s, no event at 1.1 s, rest 0.2/3 s later."""
    sol = nsmb.simulate(block(lambda t: 5.0 if 1.0 <= t < 1.1 else 0.0, [1.0, 1.1]), 3.0)
    assert sol.events.kinds == ["slip", "stick"]
    assert sol.events.t[0] == 1.0
    assert sol.events.t[1] == pytest.approx(1.1 + 0.2 / 3.0, abs=1e-12)
    assert sol.q[-1, 0] == pytest.approx(0.5 * 0.2 * (0.1 + 0.2 / 3.0), abs=1e-12)


def test_both_sides_are_samples() -> None:
    sol = nsmb.simulate(block(lambda t: 2.0 if t >= 1.0 else 1.0, [1.0]), 2.0)
    assert len(sol.events) == 0
    at_once = np.flatnonzero(sol.t == 1.0)
    np.testing.assert_allclose(sol.lambda_T[at_once, 0], [-1.0, -2.0], rtol=1e-12)
    np.testing.assert_allclose(sol.lambda_T[-1, 0], -2.0, rtol=1e-12)


def test_a_load_that_lifts_opens_a_contact_at_once() -> None:
    lift = nsmb.Contact(lambda t, q: q[0], w_N=lambda t, q: [1.0], name="floor")
    system = nsmb.CallbackSystem(
        ["y"], [[1.0]], lambda t, q, u: [2.0 if t >= 0.5 else -10.0], [lift], discontinuities=[0.5]
    )
    sol = nsmb.simulate(system, 1.5)
    assert sol.events.kinds == ["detach"]
    assert sol.events.t[0] == 0.5
    assert sol.q[-1, 0] == pytest.approx(1.0, abs=1e-12)


def test_a_wall_that_turns_round_strikes_what_rests_on_it() -> None:
    """A wall moves down at 1 m/s with the ball on it, and up from t = 0.2 s on.

    With e_N = 1 the ball leaves it twice as fast, at 3 m/s.
    """
    turn = 0.2
    wall = nsmb.Contact(
        lambda t, q: q[0] + t if t < turn else q[0] + 2.0 * turn - t,
        w_N=lambda t, q: [1.0],
        w_tilde_N=lambda t, q: 1.0 if t < turn else -1.0,
        w_bar_N=lambda t, q, u: 0.0,
        law=nsmb.ContactLaw(e_N=1.0),
        name="wall",
    )
    ball = nsmb.CallbackSystem(
        ["y"], [[1.0]], lambda t, q, u: [-9.81], [wall], discontinuities=[turn]
    )
    sol = nsmb.simulate(ball, 0.3, u=[-1.0])
    assert sol.events.kinds == ["impact"]
    assert sol.events.t[0] == turn
    assert sol.events.u_plus[0, 0] == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_square_waves_go_on_for_ever(name: str) -> None:
    """±1 N at 3 rad/s from rest: the velocity is a triangle wave of π/3, over 200 pieces.

    Measured: 8e-13. For q with cvode 2e-6, because it starts every piece with short steps of order
    one.
    """
    system = lagrangian(2 * sp.Heaviside(sp.sin(3 * symbolic.time)) - 1)
    end = 200 * np.pi / 3
    sol = nsmb.simulate(system, end, method=nsmb.EventDriven(integrator=name))
    assert sol.stats["restarts"] in (199, 200)  # the last one is at the end, to rounding
    assert sol.u[-1, 0] == pytest.approx(0.0, abs=1e-8)
    assert sol.u.max() == pytest.approx(np.pi / 3, abs=1e-8)
    tolerance = 1e-5 if name == "cvode" else 1e-9
    assert sol.q[-1, 0] == pytest.approx(0.5 * end * np.pi / 3, rel=tolerance)


def test_repeating_times_of_a_callback() -> None:
    """A sawtooth of period 0.5 s, 2t - 1/2, has mean 0: u returns after every period."""
    saw = callback(lambda t: t % 0.5 - 0.25, [nsmb.Repeating(0.0, 0.5)])
    sol = nsmb.simulate(saw, 20.0, output_step=0.5)
    np.testing.assert_allclose(sol.u, 0.0, atol=1e-13)
    assert sol.stats["restarts"] in (39, 40)


def test_a_table_of_forces_is_integrated_exactly() -> None:
    """On straight pieces, u and x at the points are sums of areas and moments."""
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(0.01, 0.3, 40))
    values = rng.normal(size=(40, 2))
    free = nsmb.LinearSystem(np.diag([1.0, 2.0]), force=nsmb.Force(table=(times, values)))
    u, x, t = np.zeros(2), np.zeros(2), 0.0
    mass = np.array([1.0, 2.0])
    before = values[0]
    for time, value in zip(times, values, strict=True):
        h = time - t
        x = x + h * u + h**2 * (before / 3.0 + value / 6.0) / mass
        u = u + 0.5 * h * (before + value) / mass
        before, t = value, time
    for name in ("auto", "dp853"):
        sol = nsmb.simulate(free, t, method=nsmb.EventDriven(integrator=name))
        np.testing.assert_allclose(sol.u[-1], u, rtol=0, atol=1e-13)
        np.testing.assert_allclose(sol.q[-1], x, rtol=0, atol=1e-12)


def test_pieces_of_a_force_act_on_contacts_in_closed_form_as_they_do_numerically() -> None:
    force = nsmb.Force(
        constant=[0.0, -10.0],
        pulses=[nsmb.Pulse([5.0, 0.0], 0.2, 0.5), nsmb.Pulse([0.0, 30.0], 0.4, 0.45)],
        table=([0.1, 0.3, 0.9], [[0.0, 0.0], [1.0, 0.5], [-4.0, 0.0]]),
        harmonics=[nsmb.Harmonic([0.5, 0.3], 9.0)],
    )
    contact = nsmb.Contact(
        w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=nsmb.ContactLaw(mu=0.3, e_N=0.4), name="floor"
    )
    system = nsmb.LinearSystem(np.eye(2), force=force, contacts=[contact])
    runs = [
        nsmb.simulate(system, 1.5, method=nsmb.EventDriven(integrator=name, rtol=1e-12))
        for name in ("auto", "dp853")
    ]
    kinds, times = zip(*((run.events.kinds, run.events.t) for run in runs), strict=True)
    assert {"slip", "impact", "detach"} <= set(kinds[0])
    assert kinds[0][:8] == kinds[1][:8]
    np.testing.assert_allclose(times[0][:8], times[1][:8], rtol=0, atol=1e-9)
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("end", [0.5, np.nextafter(0.5, 0.0), np.nextafter(0.5, 1.0)])
def test_a_run_that_ends_where_a_load_switches_goes_on_from_there(end: float) -> None:
    sim = nsmb.Simulator(callback(lambda t: 1.0 if t < 0.5 else -1.0, [0.5]), output_step=0.0)
    sim.advance(end)
    sim.advance(1.0)
    assert sim.u[0] == pytest.approx(0.0, abs=1e-14)
    assert sim.q[0] == pytest.approx(0.25, abs=1e-14)


def test_a_run_that_starts_where_a_load_switches_begins_behind_it() -> None:
    system = callback(lambda t: 1.0 if t <= 0.5 else -1.0, [0.5])
    sol = nsmb.simulate(system, 1.0, t_start=0.5)
    assert sol.u[-1, 0] == pytest.approx(-0.5, abs=1e-14)
    found = nsmb.instant.accelerations(system, 0.5, [0.0], [0.0])
    assert found.udot[0] == -1.0


def test_an_impact_at_the_time_of_a_switch_has_both() -> None:
    """Dropped from 1.8 m at 10 m/s², the mass lands at 0.6 s, when gravity reverses."""
    system = nsmb.CallbackSystem(
        ["y"],
        [[1.0]],
        lambda t, q, u: [-10.0 if t < 0.6 else 10.0],
        [nsmb.Contact(lambda t, q: q[0], law=nsmb.ContactLaw(e_N=0.5))],
        discontinuities=[0.6],
    )
    sol = nsmb.simulate(system, 1.0, q=[1.8])
    assert sol.events.kinds == ["impact"]
    assert sol.q[-1, 0] == pytest.approx(3.0 * 0.4 + 5.0 * 0.16, abs=1e-8)


def test_the_derivative_follows_a_switch_that_a_parameter_moves() -> None:
    """x(T) = ½ (T² - 2 (T - t_s)²) for a force that reverses at t_s: ∂x/∂t_s = 2 (T - t_s)."""
    x = symbolic.coordinates("x")
    p = symbolic.parameters(turn=0.7)
    force = sp.Piecewise((1, symbolic.time < p.turn), (-1, True))
    system = symbolic.LagrangianSystem(
        [x], symbolic.velocities(x) ** 2 / 2, 0, [force], parameters=p
    )
    sol = nsmb.simulate(system, 2.0, sensitivity="turn")
    assert sol.sensitivity is not None
    assert not sol.sensitivity.notes
    D, P = sol.sensitivity.between(0, len(sol.sensitivity.t))
    np.testing.assert_allclose(D, [[1.0, 2.0], [0.0, 1.0]], atol=1e-8)
    np.testing.assert_allclose(P[:, 0], [2.0 * 1.3, 2.0], rtol=1e-7)
    assert system.with_parameters(turn=0.9).next_discontinuity(0.0) == 0.9
    assert pickle.loads(pickle.dumps(system)).next_discontinuity(0.0) == 0.7


def test_the_derivative_follows_a_wave_whose_phase_is_a_parameter() -> None:
    """±1 N, from sin(t + φ).

    At φ = 0, a switch is near t = 0 on one side, and near a full period on the other. After half a
    period, ∂u/∂φ = -2 from the switch at t = π - φ.
    """
    x = symbolic.coordinates("x")
    p = symbolic.parameters(phi=0.0)
    wave = 2 * sp.Heaviside(sp.sin(symbolic.time + p.phi)) - 1
    system = symbolic.LagrangianSystem(
        [x], symbolic.velocities(x) ** 2 / 2, 0, [wave], parameters=p
    )
    sol = nsmb.simulate(system, 5.0, t_start=1.0, sensitivity="phi")
    assert sol.sensitivity is not None
    _, P = sol.sensitivity.between(0, len(sol.sensitivity.t))
    np.testing.assert_allclose(P[:, 0], [-2.0 * (5.0 - np.pi), -2.0], rtol=1e-6)


def test_a_step_at_rest_does_not_grow_over_a_load_that_is_not_named() -> None:
    """At complete rest, steps at most double.

    A load of one second after five seconds of rest is therefore seen.
    """
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [float(5.0 <= t < 6.0)])
    sol = nsmb.simulate(system, 10.0)
    assert sol.u[-1, 0] == pytest.approx(1.0, abs=1e-6)


def switched(before: list[float], behind: list[float], at: float, told: bool) -> nsmb.System:
    """A block of 1 kg on a rough floor under a load that switches."""
    values = np.array([before, behind])
    floor = nsmb.Contact(
        w_N=[0.0, 1.0], w_T=[1.0, 0.0], gap=0.0, law=nsmb.ContactLaw(mu=0.5, e_N=0.0)
    )
    return nsmb.LinearSystem(
        np.eye(2),
        force=lambda t: values[int(t >= at)],
        contacts=[floor],
        **({"discontinuities": [at]} if told else {}),
    )


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("at", [0.3, 1 / 3, 0.7123])
@pytest.mark.parametrize(
    ("behind", "kind", "place"),
    [
        ([0.0, 10.0], nsmb.EventKind.DETACH, (0.0, 5.0)),
        ([8.0, -10.0], nsmb.EventKind.SLIP, (1.5, 0.0)),
        ([4.0, -10.0], None, (0.0, 0.0)),
        ([0.0, -1.0], None, (0.0, 0.0)),
    ],
)
def test_a_load_that_is_not_told_to_switch_is_found_where_contacts_carry_it(
    behind: list[float], kind: Any, place: tuple[float, float], at: float, rtol: float
) -> None:
    """Undeclared switches are located between neighbouring times, like declared ones.

    They are found by bisection.
    """
    start = {"q": [0.0, 0.0], "u": [0.0, 0.0], "method": nsmb.EventDriven(rtol=rtol)}
    sol = nsmb.simulate(switched([0.0, -10.0], behind, at, False), 1.0, **start)
    assert [nsmb.EventKind(k) for k in sol.events.kind] == ([] if kind is None else [kind])
    assert all(t == pytest.approx(at, abs=2.0 * np.spacing(at)) for t in sol.events.t)
    assert sol.lambda_N.min() >= 0.0
    expected = np.array(place) * (1.0 - at) ** 2
    assert sol.q[-1] == pytest.approx(expected, abs=1e-12)
    told = nsmb.simulate(switched([0.0, -10.0], behind, at, True), 1.0, **start)
    assert sol.q[-1] == pytest.approx(told.q[-1], abs=1e-13)


def test_jumps_that_follow_each_other_closely_are_all_found() -> None:
    times = np.array([0.25, 0.25 + 1e-9, 0.2501, 0.3])
    pushes = np.array([-10.0, 5.0, -20.0, 1.0, -10.0])
    floor = nsmb.Contact(w_N=[1.0], w_T=None, gap=0.0, law=nsmb.ContactLaw(e_N=0.0))
    sols = []
    for told in ({}, {"discontinuities": times.tolist()}):
        system = nsmb.LinearSystem(
            np.eye(1),
            force=lambda t: [pushes[int(np.searchsorted(times, t, side="right"))]],
            contacts=[floor],
            **told,
        )
        sols.append(nsmb.simulate(system, 0.5, q=[0.0], u=[0.0]))
    found, told_of = sols
    # A nanosecond of lift-off is 2.5e-18 m. Rounding decides whether it counts, as with a declared
    # switch.
    assert found.events.t[-1] == pytest.approx(told_of.events.t[-1], abs=1e-9)
    assert found.q[-1] == pytest.approx(told_of.q[-1], abs=1e-9)
    assert found.lambda_N.min() >= 0.0


@pytest.mark.parametrize("name", ["dp853", "cvode"])
@pytest.mark.parametrize("speed", [1.0, math.sqrt(3.0)])
def test_a_load_that_turns_round_where_the_motion_has_come_to_lifts(
    name: str, speed: float
) -> None:
    """The switch is located to the tolerance of a step, and the contact does not pull after it."""
    floor = nsmb.Contact(
        gap=lambda t, q: q[1],
        w_N=lambda t, q: [0.0, 1.0],
        w_bar_N=lambda t, q, u: 0.0,
        law=nsmb.ContactLaw(e_N=0.0),
    )
    system = nsmb.CallbackSystem(
        ["x", "y"],
        np.eye(2),
        lambda t, q, u: [0.0, -10.0 if q[0] < 0.3 else 10.0],
        contacts=[floor],
    )
    sol = nsmb.simulate(
        system, 1.0, q=[0.0, 0.0], u=[speed, 0.0], method=nsmb.EventDriven(integrator=name)
    )
    lifted = 0.3 / speed
    assert [nsmb.EventKind(k) for k in sol.events.kind] == [nsmb.EventKind.DETACH]
    # Measured: 6.2e-9 s late at rtol 1e-8, for the step with the jump.
    assert sol.events.t[0] == pytest.approx(lifted, abs=1e-7)
    assert sol.q[-1, 1] == pytest.approx(5.0 * (1.0 - lifted) ** 2, abs=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nsmb.Repeating(0.0, 0.0), r"period: expected a number > 0, got 0"),
        (lambda: nsmb.Repeating("a", 1.0), r"first: expected a number, got 'a'"),
        (lambda: callback(lambda t: 0.0, 5.0), r"discontinuities: expected a list of times"),  # type: ignore[arg-type]
        (
            lambda: callback(lambda t: 0.0, [1.0, np.nan]),
            r"discontinuities\[1\]: expected a finite number, got nan",
        ),
        (
            lambda: nsmb.LinearSystem([[1.0]], force=nsmb.Force(pulses=[nsmb.Pulse([1.0], 2, 1)])),
            r"end: expected a number > start = 2\.0, got 1\.0",
        ),
        (
            lambda: nsmb.LinearSystem([[1.0]], force=nsmb.Force(table=([0, 0], [[1], [2]]))),
            r"force\.table: expected increasing times",
        ),
        (
            lambda: nsmb.LinearSystem([[1.0]], force=nsmb.Force(table=([0, 1], [[1, 2], [3, 4]]))),
            r"force\.table: forces: expected shape \(2, 1\)",
        ),
    ],
)
def test_misuse_is_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
