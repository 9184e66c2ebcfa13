"""Schemes of time stepping against closed forms: their orders, and what they preserve exactly."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.support.methods import SCHEMES, Steps, stepping

STEPPED = tuple(scheme for scheme in SCHEMES if scheme != "hybrid")
SECOND_ORDER = 1.9
FIRST_ORDER = 0.85


def stepped(step: float, scheme: str = "midpoint", **options: object) -> Steps:
    return stepping(step, scheme, **options)


def order(errors: list[float], steps: list[float]) -> float:
    """Return the slope of the errors over the steps, both logarithmic."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def oscillator(d: float = 0.0) -> nsmb.LinearSystem:
    """ẍ + d ẋ + 4 x = 0."""
    return nsmb.LinearSystem(
        [[1.0]], D=[[d]], K=[[4.0]], initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    )


@pytest.mark.parametrize("scheme", STEPPED)
def test_free_flight_is_exact(scheme: str) -> None:
    """Forces are constant: u is a straight line, q a parabola."""
    ball = nsmb.systems.bouncing_ball(H=10.0)
    sol = nsmb.simulate(ball, 1.0, method=stepped(0.05, scheme))
    assert sol.stats["steps"] == 20
    np.testing.assert_allclose(sol.q[:, 0], 10.0 - 0.5 * 9.81 * sol.t**2, atol=1e-12)
    np.testing.assert_allclose(sol.u[:, 0], -9.81 * sol.t, atol=1e-12)


@pytest.mark.parametrize("scheme", STEPPED)
def test_of_second_order_without_contacts(scheme: str) -> None:
    steps = [0.02, 0.01, 0.005]
    errors = []
    for step in steps:
        sol = nsmb.simulate(oscillator(), 2.0, method=stepped(step, scheme), output_step=0.0)
        errors.append(abs(sol.q[-1, 0] - np.cos(4.0)) + abs(sol.u[-1, 0] + 2.0 * np.sin(4.0)))
    assert order(errors, steps) > SECOND_ORDER


def test_stiff_springs_and_dampers_bear_any_step() -> None:
    """Stiff springs and dampers at 1000 times the stability limit of an explicit method."""
    stiff = nsmb.LinearSystem(
        [[1.0]], D=[[2e4]], K=[[1e8]], initial_state=nsmb.State(0.0, np.array([1e-3]), np.zeros(1))
    )
    sol = nsmb.simulate(stiff, 10.0, method=stepped(0.1), output_step=0.1)
    assert np.abs(sol.q).max() <= 1e-3


@pytest.mark.parametrize("scheme", STEPPED)
def test_bouncing_ball_approaches_the_exact_motion(scheme: str) -> None:
    """The heights of flights, to first order in the step, including an accumulation."""
    exact = nsmb.simulate(nsmb.systems.bouncing_ball(), 2.0)
    times = np.linspace(0.0, 2.0, 401)
    steps = [4e-3, 2e-3, 1e-3, 5e-4]
    errors = [
        float(
            np.abs(
                nsmb.simulate(
                    nsmb.systems.bouncing_ball(), 2.0, method=stepped(h, scheme), output_times=times
                ).q[:, 0]
                - exact(times)[:, 0]
            ).mean()
        )
        for h in steps
    ]
    assert order(errors, steps) > FIRST_ORDER


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_ball_comes_to_rest(scheme: str) -> None:
    """At √(2H/g) (1 + e)/(1 - e) = 2.559 s the ball is at rest, carried by the floor."""
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 4.0, method=stepped(1e-3, scheme))
    rest = sol.t > 2.65
    assert np.abs(sol.u[rest]).max() < 1e-12
    assert np.abs(sol.q[rest]).max() < 2e-3
    np.testing.assert_allclose(sol.lambda_N[rest, 0], 9.81, rtol=1e-12)
    assert (sol.contact_state[rest] == nsmb.ContactState.STICK).all()


def test_nothing_penetrates() -> None:
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 3.0, method=stepped(1e-3), output_step=1e-3)
    assert sol.g_N.min() > -1e-9


def block(angle: float, mu: float) -> nsmb.LinearSystem:
    """A block on an incline: x along it, y normal to it."""
    law = nsmb.ContactLaw(mu=mu)
    return nsmb.LinearSystem(
        np.diag([2.0, 2.0]),
        force=[2.0 * 9.81 * np.sin(angle), -2.0 * 9.81 * np.cos(angle)],
        contacts=[nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="plane")],
        coordinates=["x", "y"],
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_block_on_an_incline_sticks_where_friction_holds(scheme: str) -> None:
    sol = nsmb.simulate(block(0.4, 0.5), 2.0, method=stepped(0.01, scheme))
    assert np.abs(sol.u).max() < 1e-14
    np.testing.assert_allclose(sol.lambda_T[1:, 0], -2.0 * 9.81 * np.sin(0.4), rtol=1e-12)
    assert (sol.contact_state[1:] == nsmb.ContactState.STICK).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_block_on_an_incline_slides_as_it_must(scheme: str) -> None:
    """a = g (sin α - μ cos α), exactly, and friction dissipates μ m g cos α x."""
    a = 9.81 * (np.sin(0.6) - 0.3 * np.cos(0.6))
    sol = nsmb.simulate(block(0.6, 0.3), 2.0, method=stepped(0.01, scheme), output_step=0.01)
    np.testing.assert_allclose(sol.u[:, 0], a * sol.t, atol=1e-12)
    np.testing.assert_allclose(sol.q[:, 0], 0.5 * a * sol.t**2, atol=1e-12)
    assert (sol.contact_state[1:] == nsmb.ContactState.SLIP_POSITIVE).all()
    loss = 0.3 * 2.0 * 9.81 * np.cos(0.6) * sol.q[:, 0]
    np.testing.assert_allclose(sol.friction_loss[:, 0], loss, atol=1e-10)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_slip_ends_within_a_step_of_its_time(scheme: str) -> None:
    """A block thrown along the plane stops at v/(μ g)."""
    start = nsmb.State(0.0, np.zeros(2), np.array([1.0, 0.0]))
    sol = nsmb.simulate(block(0.0, 0.2), 1.0, start=start, method=stepped(1e-3, scheme))
    stop = 1.0 / (0.2 * 9.81)
    slips = sol.t[sol.contact_state[:, 0] == nsmb.ContactState.SLIP_POSITIVE]
    assert abs(slips.max() - stop) < 2e-3
    np.testing.assert_allclose(sol.q[-1, 0], 0.5 * stop, atol=2e-3)


@pytest.mark.parametrize("law", ["moreau", "poisson", "newton"])
@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_one_impact_restitutes_by_every_law(law: str, e_N: float) -> None:
    ball = nsmb.systems.bouncing_ball(e_N=e_N)
    sol = nsmb.simulate(ball, 0.6, method=stepped(1e-4, impact_law=law))
    (impact,) = sol.events.of_kind("impact")
    assert abs(impact.t - np.sqrt(2.0 / 9.81)) < 2e-4
    assert abs(impact.u_plus[0] + e_N * impact.u_minus[0]) < 3e-3
    np.testing.assert_allclose(
        sol.stats["impact_loss"], 9.81 * (1.0 - e_N**2), rtol=1e-3, atol=1e-3
    )


def test_hybrid_is_exact_through_isolated_impacts() -> None:
    """The step has no influence until impacts accumulate within it."""
    ball = nsmb.systems.bouncing_ball()
    exact = nsmb.simulate(ball, 2.0)
    for step in (1e-2, 1e-3):
        sol = nsmb.simulate(ball, 2.0, method=stepped(step, "hybrid"))
        np.testing.assert_allclose(sol(1.9), exact(1.9), rtol=1e-12)


def test_hybrid_passes_accumulations_in_steps() -> None:
    """Flights shorter than a step take a few steps, then the ball rests."""
    ball = nsmb.systems.bouncing_ball()
    sol = nsmb.simulate(ball, 4.0, method=stepped(1e-3, "hybrid"))
    exact = nsmb.simulate(ball, 4.0)
    assert len(sol.events.of_kind("impact")) < 30 < len(exact.events.of_kind("impact"))
    assert sol.stats["steps"] < 200
    rest = np.sqrt(2.0 / 9.81) * 1.7 / 0.3
    moves = sol.t[np.abs(sol.u[:, 0]) > 0.0]
    assert abs(moves.max() - rest) < 5e-3
    np.testing.assert_allclose(sol.lambda_N[-1, 0], 9.81, rtol=1e-12)
    assert sol.energy.relative < 1e-5


def thrown_ball(law: nsmb.ContactLaw, found: bool) -> nsmb.System:
    """A ball with so much inertia that it slides, by named contacts or by shapes."""
    model = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    floor = model.ground.shape("floor", nsmb.geometry.HalfSpace())
    ball = model.add_body("ball", mass=1.0, inertia=(1e3, 1e3, 1e3))
    model.add_joint("free", nsmb.joints.Free(), model.ground, ball)
    shape = ball.shape("ball", nsmb.geometry.Sphere(0.1))
    if found:
        model.collide(law)
    else:
        model.add_contact(floor, shape, law)
    start = (0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0)
    return model.build({"free": start}, {"free": (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)})


@pytest.mark.parametrize("impact_law", ["moreau", "poisson"])
@pytest.mark.parametrize(
    ("scheme", "found"),
    [
        ("events", False),
        ("events", True),
        ("midpoint", False),
        ("midpoint", True),
        ("hybrid", False),
    ],
)
def test_impacts_have_the_friction_coefficient_at_rest(
    scheme: str, found: bool, impact_law: str
) -> None:
    """Slip decreases by μ_0 times the approach in an impact, whatever the curve at such speeds."""
    steps = stepped(1e-5, "midpoint" if scheme == "events" else scheme, impact_law=impact_law)
    events = nsmb.EventDriven(impact_law=steps.impact_law)
    law = nsmb.ContactLaw(mu=0.5, curve=nsmb.Stribeck(mu_d=0.1, v_s=0.1))
    approach = np.sqrt(2.0 * 9.81 * 0.1)
    method = events if scheme == "events" else steps
    sol = nsmb.simulate(thrown_ball(law, found), approach / 9.81 + 1e-3, method=method)
    later = 1e-3 * 9.81 * 0.1  # sliding with μ_d then
    assert sol.u[-1, 0] == pytest.approx(3.0 - 0.5 * approach - later, abs=2e-4)
