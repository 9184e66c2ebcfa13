"""Violated limits and undefined forces end runs and are named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import sympy as sp
import sympy.physics.mechanics

import nsmb
from nsmb import symbolic
from nsmb.symbolic.elements import gas_spring

y = symbolic.coordinates("y")
v = y.velocity
left = symbolic.states("left")
at = symbolic.Places(coordinates=1)


def strut(way: Any, speed: Any, **changes: Any) -> Any:
    given = {"area": 1e-3, "volume_1": 1e-4, "pressure_1": 1e5} | changes
    return gas_spring("strut", way, speed, **given)


def slide(element: Any, mass: float = 1.0, speed: float = 0.0, place: float = 0.0) -> Any:
    m = nsmb.Model()
    body = m.add_body("ram", mass=mass, inertia=1e-3)
    m.add_joint("slide", nsmb.joints.Prismatic((1, 0)), m.ground, body)
    m.add_user_force("oleo", element, coordinates="slide")
    return m.build({"slide": place}, {"slide": speed})


def energies(mass: float = 1.0, **parts: Any) -> Any:
    return symbolic.LagrangianSystem([y], mass * v**2 / 2, **parts)


DRAIN: dict[str, Any] = {"limits": {"pressure of the tank": left}, "initial": {left: 1.0}}
ROOT = sp.sqrt(1 - symbolic.time)
CASES: dict[str, tuple[Any, float, str]] = {
    "pressure": (
        lambda: energies(forces=[left], states={left: sp.S(-1)}, **DRAIN),
        1.0,
        "pressure of the tank is .*, but must be positive",
    ),
    "pressure between bodies": (
        lambda: slide(symbolic.BodyForce(at, joint_forces=[left], rates={left: sp.S(-1)}, **DRAIN)),
        1.0,
        "force element 'oleo': pressure of the tank is .*, but must be positive",
    ),
    "force": (lambda: energies(forces=[ROOT]), 1.0, "the force on 'y' is not finite"),
    "force of an element": (
        lambda: energies(elements=[symbolic.Element("pump", [(v, 1), (v, ROOT)])]),
        1.0,
        "element 'pump': its force is not finite",
    ),
    "rate": (lambda: energies(states={left: ROOT}), 1.0, "rate of the state 'left' is not finite"),
    "force between bodies": (
        lambda: slide(symbolic.BodyForce(at, joint_forces=[ROOT])),
        1.0,
        "force element 'oleo': its force is not finite",
    ),
    "rate between bodies": (
        lambda: slide(symbolic.BodyForce(at, rates={left: ROOT})),
        1.0,
        "force element 'oleo': the rate of a state is not finite",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_ends_where_a_limit_is_reached_and_names_it(case: str) -> None:
    make, time, message = CASES[case]
    sol = nsmb.simulate(make(), 3.0, throw=False)
    assert sol.status == "integration_failure"
    np.testing.assert_allclose(sol.t[-1], time, atol=1e-6)
    assert re.search(message, sol.message), sol.message


def test_a_run_cannot_start_beyond_a_limit() -> None:
    beyond = 0.2  # of a stroke of 0.1
    for system, name in (
        (energies(elements=[strut(y, v)], initial={y: beyond}), "element 'strut': gas volume"),
        (
            slide(symbolic.BodyForce(at, elements=[strut(at.q[0], at.u[0])]), place=beyond),
            "force element 'oleo': element 'strut': gas volume",
        ),
    ):
        sol = nsmb.simulate(system, 1.0, throw=False)
        assert sol.status == "integration_failure"
        assert f"{name} is -1e-04, but must be positive" in sol.message
        assert "rtol" not in sol.message  # no tolerance helps


def test_trial_steps_beyond_a_limit_turn_back() -> None:
    # With this tolerance steps are long enough to exceed the end of the stroke.
    sol = nsmb.simulate(energies(elements=[strut(y, v)], initial={v: 12.0}), 0.2, rtol=1e-4)
    assert sol.success, sol.message
    assert sol.q.max() < 0.1


def test_numbers_that_cannot_be_are_refused_before_a_run() -> None:
    for make in (
        lambda p, q, u: energies(elements=[strut(y, v, volume_1=p.V)], parameters=p),
        lambda p, q, u: slide(
            symbolic.BodyForce(at, elements=[strut(q, u, volume_1=p.V)], parameters=p)
        ),
    ):
        with pytest.raises(ValueError, match=r"element 'strut': volume_1: .* positive .*, got -1"):
            make(symbolic.parameters(V=-1.0), at.q[0], at.u[0])
    good = energies(
        elements=[strut(y, v, volume_1=symbolic.parameters(V=1.0).V)],
        parameters=symbolic.parameters(V=1.0),
    )
    with pytest.raises(ValueError, match=r"volume_1: expected a positive number, got 0"):
        good.with_parameters(V=0.0)


BAD: dict[str, tuple[Any, str]] = {
    "no pair": (
        lambda: symbolic.Element("e", [v]),
        r"element 'e': actions: expected pairs of a velocity and a force, got y_dot",
    ),
    "no name": (lambda: symbolic.Element("", []), "element: name: expected a text, got ''"),
    "no mapping": (
        lambda: symbolic.Element("e", [], states=[left]),
        r"element 'e': states: expected a mapping, got \[left\]",
    ),
    "square of a velocity": (
        lambda: energies(elements=[symbolic.Element("e", [(v**2, 1)])]),
        r"element 'e': velocity: expected an expression affine in the velocities, got y_dot\*\*2",
    ),
    "square between bodies": (
        lambda: symbolic.BodyForce(at, elements=[symbolic.Element("e", [(at.u[0] ** 2, 1)])]),
        r"element 'e': velocity: expected an expression affine in velocities, got u0\*\*2",
    ),
    "other places": (
        lambda: symbolic.BodyForce(at, elements=[strut(y, v)]),
        r"element 'strut': velocity: expected velocities of these places, got y_dot",
    ),
    "distance between bodies without rate": (
        lambda: strut(at.q[0], None),
        r"element 'strut': velocity: must be given for a distance between bodies",
    ),
    "gap with a velocity": (
        lambda: strut(y + v, None),
        r"element 'strut': velocity: must be given as the rate of the gap, because rate: expected",
    ),
    "two of one name": (
        lambda: energies(elements=[strut(y, v), strut(y, v)]),
        r"element 'strut': name: must be unique, got it twice",
    ),
    "limits": (lambda: energies(limits=[left]), r"limits: expected a mapping"),
    "ground": (
        lambda: symbolic.BodyForce(at, elements=[1]),
        r"elements\[0\]: expected an Element, got 1",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_misuse_of_elements_names_the_culprit(case: str) -> None:
    make, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        make()


def test_elements_of_sympys_mechanics_find_their_rates() -> None:
    q = sp.physics.mechanics.dynamicsymbols("q")
    spring = gas_spring("strut", q, area=1e-3, volume_1=1e-4, pressure_1=1e5)
    system = symbolic.LagrangianSystem([q], q.diff() ** 2 / 2, elements=[spring])
    by_symbol = energies(elements=[strut(y, v)])
    for state in ([0.02], [0.05]):
        np.testing.assert_array_equal(
            system.forces(0.0, state, [1.0]), by_symbol.forces(0.0, state, [1.0])
        )
    assert system.forces(0.0, [0.02], [0.0])[0] < -100.0


def test_places_of_bodies_take_the_wrench_of_an_element() -> None:
    """One force is along the distance of two markers, one along a velocity of contact points."""
    pair = symbolic.Places(markers=2)
    along = symbolic.BodyForce(pair, tension=40 * (pair.distance() - 1))
    by_element = symbolic.BodyForce(
        pair,
        elements=[symbolic.Element("e", [(pair.rate(), -40 * (pair.distance() - 1))])],
    )
    ends = []
    for element in (along, by_element):
        m = nsmb.Model(gravity=(0, -9.81))
        disc = m.add_body("disc", mass=1.0, inertia=0.1)
        m.add_joint("free", nsmb.joints.Planar(), m.ground, disc)
        m.add_user_force("e", element, [m.ground, disc], at=[(0, 1), (0.1, 0.05)])
        ends.append(nsmb.simulate(m.build(), 1.0, rtol=1e-12))
    np.testing.assert_allclose(ends[0].q[-1], ends[1].q[-1], rtol=0.0, atol=1e-10)
    wheel = symbolic.Places(markers=1)
    slip = wheel.v[0][0] + 0.2 * wheel.Omega[0][2]
    wrench, joints = wheel.wrench("slip", slip, 5)
    assert wrench == [5, 0, 0, 0, 0, 1.0]
    assert joints == []
