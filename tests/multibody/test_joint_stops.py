"""Limits of joints: closed forms, loops, prescribed motion."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import nsmb
from nsmb import joints

G = 9.81


def pendulum(**limits: float) -> nsmb.Model:
    """Pendulum with an end mass of 1 kg, 0.5 m below its hinge; it hangs down at q = 0."""
    m = nsmb.Model(gravity=(0.0, -G))
    bob = m.add_body("bob", mass=1.0, inertia=0.0, center=(0.0, -0.5))
    m.add_joint("hinge", joints.Revolute(), m.ground, bob)
    m.add_stop("hinge", law=nsmb.ContactLaw(e_N=0.5), **limits)
    return m


def test_pendulum_meets_its_stop_where_the_energy_says() -> None:
    system = pendulum(lower=-0.1).build(initial={"hinge": 1.0})
    assert [c.name for c in system.contacts] == ["stop of hinge.lower"]
    sol = nsmb.simulate(system, 2.0, rtol=1e-11)
    impact = sol.events.of_kind("impact")[0]
    speed = np.sqrt(2.0 * G / 0.5 * (np.cos(0.1) - np.cos(1.0)))
    assert sol.at(impact.t).q == pytest.approx([-0.1], abs=1e-11)
    assert impact.u_minus == pytest.approx([-speed], rel=1e-9)
    assert impact.u_plus == pytest.approx([0.5 * speed], rel=1e-9)
    assert impact.Lambda_N == pytest.approx([1.5 * speed * 0.25], rel=1e-9)
    assert sol.g_N.min() > -1e-12


@pytest.mark.parametrize(("lower", "upper"), [(-0.2, 0.3), (-np.inf, 0.3), (-0.2, np.inf)])
def test_free_shaft_bounces_between_its_limits(lower: float, upper: float) -> None:
    m = nsmb.Model()
    m.add_joint("shaft", joints.Revolute(), m.ground, m.add_body("rotor", inertia=2.0))
    m.add_stop("shaft", lower, upper, nsmb.ContactLaw(e_N=1.0), name="end")
    sol = nsmb.simulate(m.build(velocities={"shaft": 1.0}), 1.25)
    times, sign, t, q = [], 1.0, 0.0, 0.0
    while True:
        limit = upper if sign > 0.0 else lower
        t += abs(limit - q)
        if t > 1.25:
            break
        times.append(t)
        q, sign = limit, -sign
    assert sol.events.t == pytest.approx(times, abs=1e-12)


def test_shaft_rests_at_its_stop_and_the_stop_carries_the_moment() -> None:
    m = nsmb.Model()
    m.add_joint("shaft", joints.Revolute(), m.ground, m.add_body("rotor", inertia=2.0))
    m.add_torsion_spring("spring", "shaft", c=3.0, d=0.0)
    m.add_stop("shaft", upper=-0.25)
    sol = nsmb.simulate(m.build(initial={"shaft": -0.5}), 3.0)
    t = np.arccos(0.5) / np.sqrt(1.5)
    assert sol.events.t == pytest.approx([t], abs=1e-9)
    assert sol.q[-1] == pytest.approx([-0.25], abs=1e-12)
    assert sol.lambda_N[-1] == pytest.approx([0.75], rel=1e-9)


def test_limit_counts_what_is_prescribed_besides() -> None:
    """The joint angle is q + s(t) with s = t²: at rest it reaches its limit 0.25 at t = 0.5."""
    m = nsmb.Model()
    m.add_joint("shaft", joints.Revolute(), m.ground, m.add_body("rotor", inertia=2.0))
    m.drive("shaft", Polynomial([0.0, 0.0, 1.0]), locked=False)
    m.add_stop("shaft", -1.0, 0.25, nsmb.ContactLaw(e_N=0.0))
    # In the free case its angle is constant: q̈ = -s̈. A brake holds q, so that the shaft follows
    # s.
    m.add_joint_friction("brake", "shaft", 50.0)
    sol = nsmb.simulate(m.build(), 1.0)
    first = sol.events[0]
    assert first.t == pytest.approx(0.5, abs=1e-9)
    z = sol.q[:, 0] + sol.t**2
    assert z.max() < 0.25 + 1e-9
    assert z[-1] == pytest.approx(0.25, abs=1e-9)


@pytest.mark.parametrize("lower", [-0.3, 0.1])
def test_screw_and_cylinder_stop_by_coordinate(lower: float) -> None:
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    nut, pin = (m.add_body(name, mass=1.0, inertia=np.eye(3)) for name in ("nut", "pin"))
    m.add_joint("screw", joints.Screw(0.5, (0, 0, 1)), m.ground, nut)
    m.add_joint("pin", joints.Cylindrical((0, 0, 1)), m.ground, pin)
    m.add_stop("screw", lower=lower)
    m.add_stop("pin.shift", lower=lower)
    m.add_stop("pin.angle", -4.0, 4.0)
    system = m.build(initial={"screw": 1.0, "pin": (1.0, 0.0)}, velocities={"pin.angle": 5.0})
    sol = nsmb.simulate(system, 2.0)
    falls = sol.events.t[[("pin.shift" in str(e.contacts)) for e in sol.events]]
    turns = sol.events.t[[("stop of screw" in str(e.contacts)) for e in sol.events]]
    # Screw: (J + m p²) q̈ = -m g p.
    assert falls[0] == pytest.approx(np.sqrt(2.0 * (1.0 - lower) / G), abs=1e-9)
    assert turns[0] == pytest.approx(np.sqrt(2.0 * (1.0 - lower) * 1.25 / (0.5 * G)), abs=1e-9)
    assert sol.events.t[[("pin.angle" in str(e.contacts)) for e in sol.events]] == pytest.approx(
        [0.8], abs=1e-9
    )
    assert sol.q[-1] == pytest.approx([lower, lower, 4.0], abs=1e-10)


def slider(law: nsmb.ContactLaw, closing: str) -> nsmb.MultibodySystem:
    """Mass that slides along x, either on a joint or held by a loop."""
    m = nsmb.Model()
    mass = m.add_body("mass", mass=2.0, inertia=0.1)
    if closing == "joint":
        m.add_joint("rail", joints.Prismatic(), m.ground, mass)
    else:
        m.add_joint("free", joints.Planar(), m.ground, mass)
        m.add_loop("rail", joints.Prismatic(), m.ground, mass)
    m.add_stop("rail", -0.2, 0.4, law)
    speed = {"rail": 1.0} if closing == "joint" else {"free": (1.0, 0.0, 0.0)}
    return m.build(velocities=speed)


def test_loop_stops_like_the_joint_it_stands_for() -> None:
    law = nsmb.ContactLaw(e_N=0.6)
    sols = [nsmb.simulate(slider(law, closing), 3.5) for closing in ("joint", "loop")]
    times = [0.4, 1.4, 1.4 + 0.6 / 0.36]
    for sol in sols:
        assert sol.events.t == pytest.approx(times, abs=1e-9)
        assert sol.u[-1, 0] == pytest.approx(-(0.6**3), abs=1e-9)


def four_bar() -> nsmb.Model:
    """Parallelogram: crank and rocker have equal angles; the foot of the rocker closes the loop."""
    m = nsmb.Model(gravity=(0.0, -G))
    bars = [m.add_body(name, mass=1.0, inertia=0.02) for name in ("crank", "coupler", "rocker")]
    m.add_joint("a", joints.Revolute(), m.ground, bars[0])
    m.add_joint("b", joints.Revolute(), bars[0], bars[1], at=(0.0, 0.4))
    m.add_joint("c", joints.Revolute(), bars[1], bars[2], at=(0.5, 0.0), angle=np.pi)
    m.add_loop(
        "d", joints.Revolute(), m.ground, bars[2], at=(0.5, 0.0), angle_2=np.pi, at_2=(0, 0.4)
    )
    return m


@pytest.mark.parametrize("side", ["joint", "loop"])
def test_four_bar_is_stopped_at_either_foot(side: str) -> None:
    """The crank and the rocker of a parallelogram rotate by the same angle."""
    m = four_bar()
    m.add_stop("a" if side == "joint" else "d", -1.2, 1.2)
    system = m.build(initial={"a": 0.0}, velocities={"a": 0.5})
    sol = nsmb.simulate(system, 1.5, rtol=1e-10)
    assert sol.success
    reference = four_bar()
    free = nsmb.simulate(
        reference.build(initial={"a": 0.0}, velocities={"a": 0.5}), 1.5, rtol=1e-10
    )
    k = system.coordinates.index("a")
    event = sol.events[0]
    assert abs(sol.at(event.t).q[k]) == pytest.approx(1.2, abs=1e-8)
    assert free.at(event.t).q == pytest.approx(sol.at(event.t).q, abs=1e-7)
    assert np.abs(sol.q[:, k]).max() < 1.2 + 1e-8
    assert abs(sol.q[-1, k]) == pytest.approx(1.2, abs=1e-8)


def test_stops_and_contacts_of_contours_share_one_run() -> None:
    m = nsmb.Model(gravity=(0.0, -G))
    ball = m.add_body("ball", mass=1.0, inertia=0.01)
    m.add_joint("slide", joints.Prismatic((0, 1)), m.ground, ball)
    disc, floor = (
        ball.contour("c", nsmb.geometry.Circle(0.1)),
        m.ground.contour("floor", nsmb.geometry.Line()),
    )
    m.add_contact(floor, disc, nsmb.ContactLaw(e_N=1.0), "floor")
    m.add_stop("slide", upper=0.5, law=nsmb.ContactLaw(e_N=1.0))
    sol = nsmb.simulate(m.build(initial={"slide": 0.3}, velocities={"slide": 3.0}), 1.0)
    up = (3.0 - np.sqrt(9.0 - 2.0 * G * 0.2)) / G
    v = np.sqrt(9.0 - 2.0 * G * 0.2)
    down = up + (-v + np.sqrt(v**2 + 2.0 * G * 0.4)) / G
    assert sol.events.t[:2] == pytest.approx([up, down], abs=1e-9)
    assert [e.contacts for e in sol.events[:2]] == [("stop of slide.upper",), ("floor",)]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("elbow", 0.0, 1.0), "unknown|expected one of"),
        (("hinge", 1.0, 0.0), "lower < upper"),
        (("hinge",), "one of them finite"),
        (("hinge", 0.0, 1.0, nsmb.ContactLaw(mu=0.3)), "mu = 0"),
        (("hinge.x", 0.0, 1.0), "hinge"),
        (("ball", 0.0, 1.0), "an angle or a translation"),
        ((3, 0.0, 1.0), "name of a coordinate"),
        (("loop", 0.0), "less than one rotation"),
    ],
)
def test_misuse_names_what_was_expected(arguments: tuple[object, ...], text: str) -> None:
    m = nsmb.Model()
    bodies = [m.add_body(name, mass=1.0, inertia=np.eye(3)) for name in "abc"]
    m.add_joint("hinge", joints.Revolute(), m.ground, bodies[0])
    m.add_joint("ball", joints.Spherical(), m.ground, bodies[1])
    m.add_joint("arm", joints.Revolute(), bodies[0], bodies[2])
    m.add_loop("loop", joints.Revolute(), m.ground, bodies[2])
    with pytest.raises(ValueError, match=text):
        m.add_stop(*arguments)  # type: ignore[arg-type]


def test_start_beyond_a_limit_and_locked_coordinates_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'stop of hinge.lower'.*within the limits, got -0.2"):
        pendulum(lower=-0.1).build(initial={"hinge": -0.2})
    m = pendulum(lower=-0.1)
    m.drive("hinge", Polynomial([0.0, 1.0]), locked=True)
    with pytest.raises(ValueError, match="prescribed motion"):
        m.build()
