"""Exact motions over a spring-damper wall agree with closed forms and numerical integration."""

from itertools import pairwise
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from tests.oracles.spring_damper_wall import LAWS, Motion, collision, simulate
from tests.support.draws import numbers

M, C, G = 1.3, 400.0, 9.81
CRITICAL = 2.0 * sqrt(M * C)


def test_collision_of_the_sample() -> None:
    """All printed digits for m = 1.3, c = 400, d = 9, v = 2 are met."""
    one = collision("consistent", M, C, 9.0, 2.0)
    assert one.e == pytest.approx(0.575555480, abs=5e-10)
    assert one.t_e == pytest.approx(0.159587900, abs=5e-10)
    assert one.gamma_e == pytest.approx(-0.025899997, abs=5e-10)
    assert one.F_begin == 18.0


@pytest.mark.parametrize("ratio", [0.0, 1e-3, 0.2, 0.9, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.5, 8.0])
@pytest.mark.parametrize("law", LAWS)
def test_simulated_collision_obeys_the_closed_forms(law: str, ratio: float) -> None:
    """The closed forms hold without gravity for all damping ratios, also near the critical one."""
    d, v = ratio * CRITICAL, 2.0
    if law == "consistent" and d == 0.0:
        return
    one = collision(law, M, C, d, v)
    motion = simulate(law, M, C, d, 0.0, 2.0, -v, 50.0)
    begin, *rest = motion.events
    assert abs(begin.F - one.F_begin) < 1e-11
    if ratio < 1.0 or law != "clipped":  # otherwise the mass creeps towards the wall
        times = begin.t + np.linspace(0.0, min(one.t_e, 1.0), 2001)
        lowest = min(motion(t)[0] for t in times)
        # the sampled minimum is at most gammaddot_max (step/2)^2/2 above the true one
        bound = (v * sqrt(C / M) + one.F_begin / M) * (times[1] - times[0]) ** 2 / 8.0
        assert one.gamma_min - 1e-14 <= lowest <= one.gamma_min + bound
    if one.e < 1e-14:  # no separation, or far beyond t_end
        assert not rest
        return
    (end,) = rest
    assert end.t - begin.t == pytest.approx(one.t_e, rel=1e-12)
    assert end.v / v == pytest.approx(one.e, rel=1e-11)
    assert end.gamma == pytest.approx(one.gamma_e, rel=1e-11, abs=1e-15)


def test_restitution_of_the_critically_damped_wall() -> None:
    assert collision("consistent", 1.0, 1.0, 2.0, 1.0).e == pytest.approx(exp(-2.0), rel=1e-15)


@pytest.mark.parametrize("d", [9.0, CRITICAL, 90.0])
def test_contact_is_the_matrix_exponential(d: float) -> None:
    motion = simulate("consistent", M, C, d, G, 0.3, 0.1, 0.3)
    begin = motion.events[0]
    system = np.array([[0.0, 1.0, 0.0], [-C / M, -d / M, -G], [0.0, 0.0, 0.0]])
    for s in np.linspace(0.0, 0.3 - begin.t, 5)[:-1]:
        if len(motion.events) > 1 and begin.t + s >= motion.events[1].t:
            break
        exact = expm(system * s) @ [begin.gamma, begin.v, 1.0]
        assert motion(begin.t + s)[:2] == pytest.approx(exact[:2], rel=1e-12, abs=1e-13)


def integrate(law: str, d: float, gamma: float, v: float, t_end: float) -> list[tuple[str, float]]:
    """Return event times by a general-purpose integrator with event location."""
    state, contact, t, found = np.array([gamma, v, 0.0]), False, 0.0, []
    d = 0.0 if law == "elastic" else d
    relaxes = law == "consistent"

    def pressing(_: float, z: np.ndarray) -> float:
        return -C * z[0] - d * z[1]

    while True:

        def rhs(_: float, z: np.ndarray, contact: bool = contact) -> list[float]:
            force = pressing(0.0, z) if contact else 0.0
            free = -C / d * z[2] if relaxes else 0.0
            return [z[1], force / M - G, z[1] if contact else free]

        def event(_: float, z: np.ndarray, contact: bool = contact) -> float:
            if law in ("elastic", "damped"):
                return z[0]
            if contact or law == "clipped":
                return pressing(0.0, z)
            return z[0] - z[2]

        event.terminal = True  # type: ignore[attr-defined]
        up = {"clipped": not contact, "consistent": False}.get(law, contact)
        event.direction = 1.0 if up else -1.0  # type: ignore[attr-defined]
        span, tol = (t, t_end), {"rtol": 1e-12, "atol": 1e-14}
        run = solve_ivp(rhs, span, state, "DOP853", events=event, max_step=0.01, **tol)
        if run.status == 0:
            return found
        t, state, contact = float(run.t[-1]), run.y[:, -1].copy(), not contact
        state[2] = state[0]
        found.append(("begin" if contact else "end", t))


@pytest.mark.parametrize("d", [4.0, 9.0, 30.0])
@pytest.mark.parametrize("law", LAWS)
def test_events_under_gravity_agree_with_an_integrator(law: str, d: float) -> None:
    """Several bounces agree, with a measured error of 7e-13 s."""
    exact = simulate(law, M, C, d, G, 0.5, -1.0, 3.0).events
    found = integrate(law, d, 0.5, -1.0, 3.0)
    assert [e.kind for e in exact] == [kind for kind, _ in found]
    assert [e.t for e in exact] == pytest.approx([t for _, t in found], abs=1e-11)


def test_next_contact_begins_before_a_slow_wall_has_relaxed() -> None:
    _, end, again = simulate("consistent", M, C, 15.0, G, 0.3, 0.0, 20.0).events
    assert again.gamma == again.gamma_w < 0.25 * end.gamma_w < 0.0
    assert again.gamma_w == pytest.approx(end.gamma_w * exp(-C / 15.0 * (again.t - end.t)))
    assert again.F > 0.0


def test_damped_law_pulls_at_the_end_and_jumps_at_touch() -> None:
    begin, end, *_ = simulate("damped", M, C, 9.0, G, 0.3, 0.0, 2.0).events
    assert begin.F > 0.0 > end.F


def test_clipped_law_never_pulls_but_acts_above_the_wall() -> None:
    motion = simulate("clipped", M, C, 9.0, G, 0.3, 0.0, 2.0)
    assert motion.events[0].gamma > 0.0
    assert all(motion(t)[3] >= -1e-11 for t in np.linspace(0.0, 2.0, 2001))


def test_elastic_law_conserves_energy_over_many_bounces() -> None:
    motion = simulate("elastic", M, C, 0.0, G, 0.3, 0.0, 30.0)
    assert len(motion.events) > 80
    for t in np.linspace(0.0, 30.0, 301):
        gamma, v, *_ = motion(t)
        energy = 0.5 * M * v * v + M * G * gamma + 0.5 * C * min(gamma, 0.0) ** 2
        assert energy == pytest.approx(M * G * 0.3, rel=1e-13)  # measured 5e-15


@pytest.mark.parametrize("law", LAWS[1:])
def test_damped_motion_ends_on_the_wall(law: str) -> None:
    motion = simulate(law, M, C, 9.0, G, 0.3, 0.0, 20.0)
    assert motion.events[-1].kind == "begin"
    assert motion(20.0) == pytest.approx((-M * G / C, 0.0, -M * G / C, M * G), abs=1e-12)


def test_mass_put_on_the_relaxed_wall_stays_in_contact() -> None:
    motion = simulate("consistent", M, C, 9.0, G, 0.0, 0.0, 5.0)
    assert motion.events == ()
    assert motion(0.01)[0] == motion(0.01)[2] < 0.0


def law_holds(motion: Motion, t_end: float) -> None:
    times = [0.0, *(e.t for e in motion.events), t_end]
    for (lo, hi), phase in zip(pairwise(times), motion.phases, strict=True):
        contact = phase.wall(0.0) == phase.gamma(0.0) and phase.force(0.5 * (hi - lo)) != 0.0
        for s in np.linspace(0.0, hi - lo, 60):
            if contact:
                assert phase.force(s) >= -1e-9
            else:
                assert phase.gamma(s) - phase.wall(s) >= -1e-12


@given(
    d=numbers(0.5, 200.0),
    c=numbers(5.0, 2000.0),
    gamma=numbers(0.0, 1.0),
    v=numbers(-3.0, 3.0),
    wall=numbers(-0.5, 0.0),
)
def test_no_event_is_missed(d: float, c: float, gamma: float, v: float, wall: float) -> None:
    """With the consistent law, no gap is negative in flight and no force pulls in contact."""
    law_holds(simulate("consistent", M, c, d, G, gamma, v, 3.0, wall_0=wall), 3.0)
