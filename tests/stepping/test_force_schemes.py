"""Schemes that solve for forces: rest, impacts, friction, and rejected systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from tests.support.methods import FORCE_SCHEMES, Steps, stepping

G = 9.81
POSITION = [scheme for scheme in FORCE_SCHEMES if scheme.endswith("position")]
VELOCITY = [scheme for scheme in FORCE_SCHEMES if scheme.endswith("velocity")]
MILD = {scheme: {"mixing": 0.5} if scheme in POSITION else {} for scheme in FORCE_SCHEMES}


def stepped(step: float, scheme: str, **options: Any) -> Steps:
    return stepping(step, scheme, **options)


def point_mass(gap: float = 0.0, speed: float = 0.0, m: float = 1.0) -> nsmb.LinearSystem:
    start = nsmb.State(0.0, np.array([gap]), np.array([speed]))
    floor = nsmb.Contact(w_N=[1.0], name="floor")
    return nsmb.LinearSystem([[m]], force=[-m * G], contacts=[floor], initial_state=start)


# Rest


@pytest.mark.parametrize("scheme", POSITION)
def test_forces_on_position_level_alternate_at_rest(scheme: str) -> None:
    """A known weakness: with g = 0 at both ends of a step its velocities are opposite.

    A speed then causes forces of 2 m speed/h about the weight, indefinitely: 11.81 N and 7.81 N in
    the source.
    """
    h = 0.0078125  # without rounding of times
    sol = nsmb.simulate(point_mass(0.0, -0.01), 1.0, method=stepped(h, scheme), output_step=h)
    np.testing.assert_allclose(sol.lambda_N[1::2, 0], G + 0.02 / h, rtol=1e-9)
    np.testing.assert_allclose(sol.lambda_N[2::2, 0], G - 0.02 / h, rtol=1e-9)
    np.testing.assert_allclose(np.abs(sol.u[:, 0]), 0.01, rtol=1e-9)
    assert np.abs(sol.g_N).max() < 1e-14


@pytest.mark.parametrize("mixing", [0.1, 0.25, 0.4, 0.5, 0.6, 0.9])
@pytest.mark.parametrize("scheme", POSITION)
def test_mixing_damps_what_alternates(scheme: str, mixing: float) -> None:
    """Velocities are 2σ - 1 times those of the previous step; with σ = 1/2 they vanish."""
    h, first = 0.01, -0.01
    # On the law from the start: g + σ/(2 - 2σ) h γ = 0.
    gap = -0.5 * h * mixing / (1.0 - mixing) * first
    method = stepped(h, scheme, mixing=mixing)
    sol = nsmb.simulate(point_mass(gap, first), 0.2, method=method, output_step=h)
    expected = first * (2.0 * mixing - 1.0) ** np.arange(sol.t.size)
    np.testing.assert_allclose(sol.u[:, 0], expected, atol=1e-13)
    if mixing == 0.5:
        np.testing.assert_allclose(sol.lambda_N[2:, 0], G, rtol=1e-11)


@pytest.mark.parametrize("scheme", VELOCITY)
def test_velocity_level_is_at_rest_at_once(scheme: str) -> None:
    sol = nsmb.simulate(point_mass(0.0, -0.01), 0.2, method=stepped(0.01, scheme), output_step=0.01)
    np.testing.assert_allclose(sol.lambda_N[2:, 0], G, rtol=1e-12)
    assert np.abs(sol.u[1:]).max() < 1e-15
    assert (sol.contact_state[1:] == nsmb.ContactState.STICK).all()


@pytest.mark.parametrize("step", [0.01, 0.007, 0.0031])
def test_a_rigid_mass_gets_any_restitution_on_position_level_and_none_mixed(step: float) -> None:
    """Dropped from 1 m, the restitution depends on where in its step the touch is.

    These schemes are for elastic bodies. With σ = 1/2 the mass does not rebound.
    """
    falls = np.sqrt(2.0 * G)
    bare = nsmb.simulate(
        point_mass(1.0), 0.6, method=stepped(step, "rk4-position"), output_step=step
    )
    back = bare.u[:, 0].max() / falls
    expected = {0.01: 3.07, 0.007: -0.05, 0.0031: -1.36}[step]
    assert np.abs(bare.u[:, 0] - expected).min() < 0.01
    assert 0.0 < back <= 1.0
    mixed = nsmb.simulate(
        point_mass(1.0), 0.6, method=stepped(step, "rk4-position", mixing=0.5), output_step=step
    )
    assert mixed.u[:, 0].max() < 1e-12
    np.testing.assert_allclose(mixed.lambda_N[-1, 0], G, rtol=1e-9)


# One run through contact and flight


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_contact_lasts_opens_and_closes_in_one_run(scheme: str) -> None:
    """Two masses on a spring, pulled up and released: at rest, in flight, an impact, at rest."""
    pull = nsmb.Pulse([0.0, 3.0 * 1.5 * G], start=0.1, end=0.2)
    weight = nsmb.Force(constant=[-0.5 * G, -1.0 * G], pulses=[pull])
    # The spring carries the upper mass.
    start = nsmb.State(0.0, np.array([0.0, -G / 2e3]), np.zeros(2))
    system = nsmb.LinearSystem(
        np.diag([0.5, 1.0]),
        K=2e3 * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        D=20.0 * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        force=weight,
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], name="floor")],
        initial_state=start,
    )
    step = 2e-4
    method = stepped(step, scheme, **MILD[scheme])
    sol = nsmb.simulate(system, 2.5, method=method, output_step=step)
    exact = nsmb.simulate(system, 2.5, method=nsmb.EventDriven(), output_step=step)
    assert sol.stats["missed_steps"] == 0
    assert len(sol.events) == 0
    rest = sol.t < 0.1
    np.testing.assert_allclose(sol.lambda_N[rest, 0][1:], 1.5 * G, rtol=1e-9)
    assert np.abs(sol(exact.t)[:, :2] - exact(exact.t)[:, :2]).max() < 0.02 * exact.q.max()
    np.testing.assert_allclose(sol.lambda_N[-1, 0], 1.5 * G, rtol=1e-2)
    closed = sol.lambda_N[:, 0] > 0.0
    assert (closed == (sol.contact_state[:, 0] != nsmb.ContactState.OPEN)).all()


# Friction


def elastic_block(angle: float, mu: float, start: nsmb.State | None = None) -> nsmb.LinearSystem:
    """Foot on an incline, (x, y) along it and normal to it, that carries a body on springs."""
    m, k, d = np.array([0.4, 0.4, 1.6, 1.6]), 4e3, 30.0
    pair = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(2))
    pull = np.array([np.sin(angle), -np.cos(angle)])
    if start is None:
        sag = 1.6 * G / k * pull  # springs carry the body
        start = nsmb.State(0.0, np.concatenate([np.zeros(2), sag]), np.zeros(4))
    plane = nsmb.Contact(
        w_N=[0.0, 1.0, 0.0, 0.0], w_T=[1.0, 0.0, 0.0, 0.0], law=nsmb.ContactLaw(mu=mu), name="plane"
    )
    return nsmb.LinearSystem(
        np.diag(m), K=k * pair, D=d * pair, force=m * G * np.tile(pull, 2), contacts=[plane],
        initial_state=start,
    )  # fmt: skip


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_an_elastic_block_sticks_where_friction_holds(scheme: str) -> None:
    sol = nsmb.simulate(elastic_block(0.4, 0.5), 1.0, method=stepped(1e-3, scheme, **MILD[scheme]))
    assert np.abs(sol.u).max() < 1e-9  # tol of 2e-2 m/s due to the weight in a step
    np.testing.assert_allclose(sol.lambda_N[1:, 0], 2.0 * G * np.cos(0.4), rtol=1e-7)
    np.testing.assert_allclose(sol.lambda_T[1:, 0], -2.0 * G * np.sin(0.4), rtol=1e-7)
    assert (sol.contact_state[1:] == nsmb.ContactState.STICK).all()


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_an_elastic_block_slides_as_it_must(scheme: str) -> None:
    """The centre of the block accelerates by g (sin α - μ cos α), once its springs are at rest.

    Friction dissipates μ m g cos α times the travel of the foot.
    """
    angle, mu = 0.6, 0.3
    method = stepped(1e-3, scheme, **MILD[scheme])
    sol = nsmb.simulate(elastic_block(angle, mu), 1.0, method=method, output_step=1e-3)
    a = G * (np.sin(angle) - mu * np.cos(angle))
    np.testing.assert_allclose(sol.lambda_T[1:, 0], -mu * sol.lambda_N[1:, 0], rtol=1e-9)
    centre = 0.2 * sol.u[:, 0] + 0.8 * sol.u[:, 2]
    np.testing.assert_allclose(centre, a * sol.t, atol=1e-9)
    loss = mu * 2.0 * G * np.cos(angle) * sol.q[:, 0]
    np.testing.assert_allclose(sol.friction_loss[:, 0], loss, rtol=1e-6, atol=1e-6)
    assert (sol.contact_state[1:] == nsmb.ContactState.SLIP_POSITIVE).all()


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_slip_of_an_elastic_block_ends(scheme: str) -> None:
    """A block thrown along a plane stops with all its springs at rest, compared with events."""
    start = nsmb.State(0.0, np.array([0.0, 0.0, 0.0, -1.6 * G / 4e3]), np.array([1.0, 0.0] * 2))
    system = elastic_block(0.0, 0.2, start)
    step = 5e-4
    sol = nsmb.simulate(system, 1.2, method=stepped(step, scheme, **MILD[scheme]), output_step=step)
    exact = nsmb.simulate(system, 1.2, output_step=step)
    np.testing.assert_allclose(sol.q[-1], exact.q[-1], atol=2e-4)
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    assert np.abs(sol.u[-1]).max() < 1e-3


def test_friction_in_a_plane() -> None:
    """A ball thrown over a table slides and then rolls: 5/7 of its velocity remains.

    The same holds for a sidespin; two tangents, quaternions.
    """
    model = nsmb.Model(gravity=(0.0, 0.0, -G))
    body = model.add_body("ball", mass=2.0, inertia=0.4 * 2.0 * 0.01 * np.ones(3))
    model.add_joint("free", nsmb.joints.Free(), model.ground, body)
    table = model.ground.shape("table", nsmb.geometry.HalfSpace())
    round_ = body.shape("round", nsmb.geometry.Sphere(0.1))
    model.add_contact(table, round_, nsmb.ContactLaw(mu=0.2), "touch")
    system = model.build(
        {"free": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)}, {"free": (0.0, 0.0, 0.0, 1.0, 0.5, 0.0)}
    )
    exact = nsmb.simulate(system, 0.5)
    for scheme in FORCE_SCHEMES:
        sol = nsmb.simulate(system, 0.5, method=stepped(1e-3, scheme, **MILD[scheme]))
        assert sol.stats["missed_steps"] == 0
        np.testing.assert_allclose(sol.u[-1], exact.u[-1], atol=5e-3)
        assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK


# Ends of contacts


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_no_force_acts_behind_the_end_of_an_edge(scheme: str) -> None:
    """A body that slides off a table falls from there on.

    The step in which it passes the edge is excepted.
    """
    h, edge, end = 1e-3, 0.1005, 0.3
    model = nsmb.Model(gravity=(0.0, -G))
    body = model.add_body("mass", mass=1.0, inertia=1.0)
    model.add_joint("free", nsmb.joints.Planar(), model.ground, body)
    table = model.ground.contour("table", nsmb.geometry.Segment((edge, 0.0), (-1.0, 0.0)))
    model.add_contact(table, body.contour("point", nsmb.geometry.Point()), name="touch")
    system = model.build({"free": (0.0, 0.0, 0.0)}, {"free": (1.0, 0.0, 0.0)})
    method = stepped(h, scheme, **MILD[scheme])
    sol = nsmb.simulate(system, end, method=method, output_step=h)
    fall = end - edge
    assert sol.stats["missed_steps"] == 0
    assert sol.u[-1, 1] == pytest.approx(-G * fall, abs=2.0 * G * h)
    assert sol.q[-1, 1] == pytest.approx(-0.5 * G * fall**2, abs=2.0 * G * h * fall)
    assert sol.stats["impact_loss"] == pytest.approx(0.0, abs=1e-6)


# Rejected systems, and the status of steps that miss the tolerance


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
@pytest.mark.parametrize("law", [{"e_N": 0.5}, {"e_T": 0.2, "mu": 0.1}])
def test_restitution_is_refused(scheme: str, law: dict[str, float]) -> None:
    floor = nsmb.Contact(w_N=[1.0], w_T=None, law=nsmb.ContactLaw(**law), name="floor")
    ball = nsmb.LinearSystem([[1.0]], contacts=[floor])
    with pytest.raises(ValueError, match=r"^contact 'floor': `e_[NT]`: must be 0 .*nsmb\.Midpoint"):
        nsmb.simulate(ball, 0.1, method=stepped(1e-3, scheme))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"mixing": -0.1}, "^mixing: expected"),
        ({"mixing": 1.0}, "^`mixing`: must be less than 1.*nsmb.VelocityForces"),
        ({"mixing": "much"}, "^mixing: expected"),
        ({"main_integrator": "dp853"}, "^main_integrator: expected"),
        ({"integrator": "dp853"}, "^integrator: expected one of euler, rk4, radau"),
        ({"solver": "admm"}, "^solver: expected one of auto, newton"),
        ({"max_iterations": -1}, "^max_iterations: expected"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        nsmb.PositionForces(1e-3, **options)


def test_velocity_level_has_no_map_of_euler() -> None:
    with pytest.raises(ValueError, match=r"^integrator: expected one of rk4, radau"):
        nsmb.VelocityForces(1e-3, integrator="euler")  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["rk4-position", "radau-velocity", "hybrid"])
def test_shapes_that_touch_anywhere_are_refused(scheme: str) -> None:
    model = nsmb.Model()
    ball = model.add_solid("ball", nsmb.geometry.Sphere(0.1), 500.0)
    model.add_joint("free", nsmb.joints.Free(), model.ground, ball)
    model.ground.shape("floor", nsmb.geometry.HalfSpace())
    model.collide(nsmb.ContactLaw())
    system = model.build({"free": (0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0)})
    with pytest.raises(ValueError, match=r"^`method`: must be nsmb\.Midpoint .*add_contact"):
        nsmb.simulate(system, 0.1, method=stepped(1e-3, scheme))


def stiff_feet() -> nsmb.LinearSystem:
    """Two masses on a stiff spring over two floors; explicit maps do not include this stiffness."""
    k = 1e4
    contacts = [
        nsmb.Contact(w_N=row, name=name)
        for row, name in (([1.0, 0.0], "left"), ([0.0, 1.0], "right"))
    ]
    return nsmb.LinearSystem(
        np.eye(2), K=k * np.array([[1.0, -1.0], [-1.0, 1.0]]), force=[-G, -3.0 * G],
        contacts=contacts, initial_state=nsmb.State(0.0, np.array([0.01, 0.02]), np.zeros(2)),
    )  # fmt: skip


def test_a_step_without_enough_iterations_says_so() -> None:
    """With explicit maps each iteration leaves (ω h)²/12 of the error."""
    options = {"mixing": 0.5, "max_iterations": 1}
    sol = nsmb.simulate(stiff_feet(), 0.2, method=stepped(5e-3, "rk4-position", **options))
    missed = sol.step_status == nsmb.results.StepStatus.MISSED
    assert missed.sum() == sol.stats["missed_steps"] > 0
    assert (sol.step_residual[missed] > 1e-8).all()
    assert (sol.step_iterations <= 1).all()
    stop = stepped(5e-3, "rk4-position", on_failure="stop", **options)
    ended = nsmb.simulate(stiff_feet(), 0.2, method=stop, throw=False)
    assert ended.status == "no_contact_solution"
    assert "'left'" in ended.message or "'right'" in ended.message
    whole = nsmb.simulate(stiff_feet(), 0.2, method=stepped(5e-3, "rk4-position", mixing=0.5))
    assert whole.stats["missed_steps"] == 0
    assert whole.step_residual.max() <= 1e-8


def test_stiffness_is_in_the_map_of_radau() -> None:
    """Springs 100 times too stiff for the step of an explicit method: two problems per step."""
    k, h = 1e8, 0.02
    system = nsmb.LinearSystem(
        np.eye(2), K=k * np.array([[1.0, -1.0], [-1.0, 1.0]]), force=[-G, -G],
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], name="floor")],
        initial_state=nsmb.State(0.0, np.array([0.1, 0.1]), np.zeros(2)),
    )  # fmt: skip
    method = stepped(h, "radau-position", mixing=0.5)
    sol = nsmb.simulate(system, 1.0, method=method, output_step=h)
    assert sol.stats["missed_steps"] == 0
    assert sol.step_iterations.max() <= 2
    np.testing.assert_allclose(sol.lambda_N[-1, 0], 2.0 * G, rtol=1e-6)
    assert np.abs(sol.q[-1]).max() < 1e-6
