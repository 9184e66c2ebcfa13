"""Runs that start late agree with runs from t = 0 within the resolution of t."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints


def table(t_0: float, a: float, w: float) -> Callable[[float], tuple[float, float, float]]:
    def motion(t: float) -> tuple[float, float, float]:
        phase = w * (t - t_0)
        return a * np.sin(phase), a * w * np.cos(phase), -a * w * w * np.sin(phase)

    return motion


def by_bodies(t_0: float, a: float, w: float) -> nsmb.System:
    model = nsmb.Model(gravity=(0.0, -9.81))
    support = model.add_body("table", mass=1.0, inertia=1.0)
    up = joints.Prismatic(axis=(0.0, 1.0, 0.0))
    model.add_joint("table", up, model.ground, support, motion=table(t_0, a, w))
    ball = model.add_body("ball", mass=1.0, inertia=0.005)
    model.add_joint("ball", joints.Planar(), model.ground, ball)
    top, rim = support.contour("top", geometry.Line()), ball.contour("rim", geometry.Circle(0.1))
    model.add_contact(top, rim, nsmb.ContactLaw(e_N=0.3), name="contact")
    return model.build({"ball": (0.0, 0.1, 0.0)}, t=t_0)


def by_functions(t_0: float, a: float, w: float) -> nsmb.System:
    motion = table(t_0, a, w)
    contact = nsmb.Contact(
        gap=lambda t, q: q[0] - motion(t)[0],
        w_N=lambda t, q: [1.0],
        w_tilde_N=lambda t, q: -motion(t)[1],
        w_bar_N=lambda t, q, u: -motion(t)[2],
        law=nsmb.ContactLaw(e_N=0.3),
        name="contact",
    )
    return nsmb.CallbackSystem(
        ["y"],
        [[1.0]],
        lambda t, q, u: [-9.81],
        contacts=[contact],
        initial_state=nsmb.State(t_0, np.zeros(1), np.zeros(1)),
    )


def clear_impacts(sol: nsmb.Solution) -> np.ndarray:
    """Return the times of the larger impacts.

    The later an accumulation occurs, the fewer impacts it has, so its last ones are omitted.
    """
    impacts = sol.events.of_kind("impact")
    return impacts.t[np.abs(impacts.u_plus - impacts.u_minus).max(axis=1) > 1e-2]


@pytest.mark.parametrize("build", [by_bodies, by_functions])
@pytest.mark.parametrize("t_0", [1e3, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("k", range(6))
def test_a_ball_on_a_moving_support_is_the_same_later(
    k: int, t_0: float, build: Callable[[float, float, float], nsmb.System]
) -> None:
    """A ball is thrown, bounces to rest and is thrown again.

    At 1e4 s, 4 of 12 such runs once ended early, because the last flights are as short as the
    resolution of t.
    """
    rng = np.random.default_rng(k)
    a, w = rng.uniform(0.005, 0.05), rng.uniform(10.0, 60.0)
    early = nsmb.simulate(build(0.0, a, w), 0.5)
    late = nsmb.simulate(build(t_0, a, w), t_0 + 0.5)
    assert late.status == "finished"
    np.testing.assert_allclose(
        clear_impacts(late) - t_0, clear_impacts(early), rtol=0.0, atol=1e-8 + 1e-12 * t_0
    )


@pytest.mark.parametrize(
    ("build", "k", "until"),
    [(by_bodies, 4, 6.0), (by_bodies, 0, 1.0), (by_functions, 4, 1.0), (by_functions, 5, 0.5)],
)
@pytest.mark.parametrize("t_end", [1e3, 1e4])
def test_a_ball_does_not_fall_through_on_long_steps(
    k: int, until: float, t_end: float, build: Callable[[float, float, float], nsmb.System]
) -> None:
    """The motion does not depend on the time at which the run is to end.

    Steps that long once did not resolve the motion of the support: in the first of these runs, the
    ball fell through it after 5.75 s.
    """
    rng = np.random.default_rng(k)
    a, w = rng.uniform(0.005, 0.02), rng.uniform(30.0, 80.0)
    short = nsmb.simulate(build(0.0, a, w), until)
    method = nsmb.EventDriven(max_events=len(short.events))
    long = nsmb.simulate(build(0.0, a, w), t_end, method=method, throw=False)
    assert long.status == "event_limit"
    # The ball stays above the support. Errors grow a hundredfold per second.
    height = long.events.q[:, -2 if build is by_bodies else 0] - a * np.sin(w * long.events.t)
    np.testing.assert_allclose(height, 0.1 if build is by_bodies else 0.0, rtol=0.0, atol=1e-9)
    first, again = (t[t < min(until, 2.0)] for t in (clear_impacts(short), clear_impacts(long)))
    np.testing.assert_allclose(again, first, rtol=0.0, atol=1e-6)
