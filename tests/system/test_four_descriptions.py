"""One contact, friction, constraint or force element: by rows, functions, expressions, bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import symbolic

sympy = pytest.importorskip("sympy")

LAW = nsmb.ContactLaw(mu=0.3, e_N=0.5)
R, M, J, G = 0.1, 2.0, 0.01, 9.81


def same_events(
    systems: Sequence[nsmb.System], t_end: float, q: Sequence[float], u: Sequence[float]
) -> nsmb.Solution:
    """Run all systems from one start: kinds are equal, times and ends agree to 1e-9."""
    method = nsmb.EventDriven(rtol=1e-12, atol=1e-14)
    first, *others = [nsmb.simulate(system, t_end, q=q, u=u, method=method) for system in systems]
    for other in others:
        assert other.events.count() == first.events.count()
        assert list(other.events.kinds) == list(first.events.kinds)
        np.testing.assert_allclose(other.events.t, first.events.t, rtol=0, atol=1e-9)
        np.testing.assert_allclose(other.q[-1], first.q[-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(other.u[-1], first.u[-1], rtol=0, atol=1e-8)
    return first


def test_a_disc_bounces_until_it_rolls() -> None:
    """Contact with friction and restitution; three impacts in a row have a closed form."""
    matrix, weight = np.diag([M, M, J]), [0.0, -M * G, 0.0]
    rows = nsmb.Contact(-R, w_N=[0, 1, 0], w_T=[1, 0, R], law=LAW, name="floor")
    functions = nsmb.Contact(lambda t, q: q[1] - R, lambda t, q, u: u[0] + R * u[2], LAW, "floor")
    directions = nsmb.Contact(
        lambda t, q: q[1] - R, law=LAW, name="floor", w_T=lambda t, q: [1.0, 0.0, R]
    )
    q = _, y, _ = symbolic.coordinates("x y phi")
    v_x, v_y, omega = symbolic.velocities(*q)
    p = symbolic.parameters(mu=0.3, e=0.5)
    expressions = nsmb.Contact(y - R, v_x + R * omega, nsmb.ContactLaw(p.mu, p.e), "floor")
    model = nsmb.Model(gravity=(0, -G))
    disc = model.add_body("disc", mass=M, inertia=J)
    model.add_joint("free", nsmb.joints.Planar(), model.ground, disc)
    top = model.ground.contour("top", nsmb.geometry.Line())
    model.add_contact(top, disc.contour("rim", nsmb.geometry.Circle(R)), law=LAW, name="floor")

    def by_functions(contact: nsmb.Contact) -> nsmb.CallbackSystem:
        return nsmb.CallbackSystem(["x", "y", "phi"], matrix, lambda t, q, u: weight, [contact])

    systems = [
        nsmb.LinearSystem(matrix, force=weight, contacts=[rows]),
        by_functions(functions),
        by_functions(directions),
        symbolic.LagrangianSystem(
            q,
            (M * v_x**2 + M * v_y**2 + J * omega**2) / 2,
            M * G * y,
            contacts=[expressions],
            parameters=p,
        ),
        model.build(initial={"free.y": 0.5}),
    ]
    assert {system.contact_names for system in systems} == {("floor",)}
    sol = same_events(systems, 1.5, [0.0, 0.5, 0.0], [1.0, 0.0, 2.0])
    fall = np.sqrt(2 * 0.4 / G)
    np.testing.assert_allclose(sol.events.t[:3], fall * np.array([1.0, 2.0, 2.5]), atol=1e-9)
    assert abs(sol.u[-1, 0] + R * sol.u[-1, 2]) < 1e-9  # it rolls


def test_a_mass_in_a_guide_that_pinches_it() -> None:
    """With a friction element, the amplitude of 1 m falls by 2 F/c in each half period."""
    c, F = 50.0, 4.0
    rows = nsmb.Friction(w_T=[1.0], bound=F, name="guide")
    functions = nsmb.Friction(lambda t, q, u: u[0], F, name="guide")
    x = symbolic.coordinates("x")
    expressions = nsmb.Friction(symbolic.velocities(x), F, name="guide")
    model = nsmb.Model(gravity=(0, 0))
    body = model.add_body("body", mass=M, inertia=J)
    model.add_joint("slide", nsmb.joints.Prismatic(), model.ground, body)
    model.add_torsion_spring("spring", "slide", c=c)
    model.add_joint_friction("guide", "slide", bound=F)
    systems = [
        nsmb.LinearSystem([[M]], [[c]], contacts=[rows]),
        nsmb.CallbackSystem(["x"], [[M]], lambda t, q, u: [-c * q[0]], [functions]),
        symbolic.LagrangianSystem(
            [x], M * symbolic.velocities(x) ** 2 / 2, c * x**2 / 2, contacts=[expressions]
        ),
        model.build(),
    ]
    sol = same_events(systems, 5.0, [1.0], [0.0])
    half = np.pi * np.sqrt(M / c)
    np.testing.assert_allclose(sol.events.t, half * np.arange(1, len(sol.events) + 1), atol=1e-8)
    assert abs(sol.q[-1, 0]) < F / c


@pytest.mark.parametrize("field", ["gap", "velocity"])
def test_two_masses_that_are_tied_hit_a_wall_as_one(field: str) -> None:
    """A constraint, with the sum of the masses as reference."""
    m = np.diag([1.0, 2.0])
    wall = nsmb.Contact(lambda t, q: 0.5 - q[0], law=LAW, name="wall")
    functions: dict[str, Callable[..., float]] = {
        "gap": lambda t, q: q[0] - q[1],
        "velocity": lambda t, q, u: u[0] - u[1],
    }
    by_functions = nsmb.CallbackSystem(
        ["x", "y"], m, lambda t, q, u: [3.0, 0.0], [wall],
        constraints=[nsmb.Constraint(**{field: functions[field]}, name="rope")],
    )  # fmt: skip
    x, y = symbolic.coordinates("x y")
    v, w = symbolic.velocities(x, y)
    expressions = {"gap": x - y, "velocity": v - w}
    by_energies = symbolic.LagrangianSystem(
        [x, y],
        v**2 / 2 + w**2,
        forces=[3, 0],
        contacts=[nsmb.Contact(sympy.Rational(1, 2) - x, law=LAW, name="wall")],
        constraints=[nsmb.Constraint(**{field: expressions[field]}, name="rope")],
    )
    one = nsmb.LinearSystem(
        [[3.0]], force=[3.0], contacts=[nsmb.Contact(0.5, w_N=[-1.0], law=LAW, name="wall")]
    )
    sol = same_events([by_functions, by_energies], 3.5, [0.0, 0.0], [0.0, 0.0])
    reference = nsmb.simulate(one, 3.5)
    assert sol.events.count() == reference.events.count()
    np.testing.assert_allclose(sol.events.t, reference.events.t, rtol=0, atol=1e-8)
    np.testing.assert_allclose(sol.q[:, 0], sol.q[:, 1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("law", ["relaxing_wall", "elastic_gap", "gap_damper", "clipped"])
def test_a_mass_between_two_pads(law: Any) -> None:
    """Force elements, one of them on a moving wall."""
    c, d, m = 2e3, 5.0, 1.0
    pad = nsmb.GapForce(c, 0.0 if law == "elastic_gap" else d, law)
    rows = [
        nsmb.ForceElement(0.1, pad, "left", w=[1.0]),
        nsmb.ForceElement(0.1, pad, "right", w=[-1.0]),
    ]
    functions = [
        nsmb.ForceElement(lambda t, q: 0.1 + q[0], pad, "left"),
        nsmb.ForceElement(lambda t, q: 0.1 - q[0], pad, "right"),
    ]
    x = symbolic.coordinates("x")
    p = symbolic.parameters(c=pad.c, d=pad.d)
    soft = nsmb.GapForce(p.c, p.d, law)
    expressions = [
        nsmb.ForceElement(0.1 + x, soft, "left"),
        nsmb.ForceElement(0.1 - x, soft, "right"),
    ]
    model = nsmb.Model(gravity=(0, 0))
    body = model.add_body("body", mass=m, inertia=J)
    model.add_joint("slide", nsmb.joints.Prismatic(), model.ground, body)
    for name, rest, direction in (("left", -0.1, 1), ("right", 0.1, -1)):
        model.add_gap_force(name, pad, coordinate="slide", rest=rest, direction=direction)
    systems = [
        nsmb.LinearSystem([[m]], elements=rows),
        nsmb.CallbackSystem(["x"], [[m]], lambda t, q, u: [0.0], elements=functions),
        symbolic.LagrangianSystem(
            [x], symbolic.velocities(x) ** 2 / 2, elements=expressions, parameters=p
        ),
        model.build(),
    ]
    sol = same_events(systems, 0.5, [0.0], [1.0])
    assert len(sol.events) >= 2


def test_a_mass_between_two_stops() -> None:
    law = nsmb.ContactLaw(e_N=0.8)
    x = symbolic.coordinates("x")
    p = symbolic.parameters(s=0.1)
    model = nsmb.Model(gravity=(0, 0))
    body = model.add_body("body", mass=1.0, inertia=J)
    model.add_joint("slide", nsmb.joints.Prismatic(), model.ground, body)
    model.add_stop("slide", -0.1, 0.1, law=law, name="stop")
    stop = nsmb.two_sided_stop
    systems = [
        nsmb.LinearSystem([[1.0]], contacts=stop([1.0], -0.1, 0.1, law)),
        nsmb.CallbackSystem(
            ["x"], [[1.0]], lambda t, q, u: [0.0], stop(lambda t, q: q[0], -0.1, 0.1, law)
        ),
        symbolic.LagrangianSystem(
            [x],
            symbolic.velocities(x) ** 2 / 2,
            contacts=stop(x, -p.s, p.s, law),
            parameters=p,
        ),
        model.build(),
    ]
    assert {system.contact_names for system in systems} == {("stop.lower", "stop.upper")}
    sol = same_events(systems, 1.0, [0.0], [1.0])
    np.testing.assert_allclose(sol.events.t[:3], [0.1, 0.35, 0.6625], atol=1e-12)
