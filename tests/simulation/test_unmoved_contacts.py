"""Contacts that cannot be moved: friction acts in slip, and is zero in sticking.

A slider of prescribed motion rubs on its guide. The friction follows from the law, and the drive
provides the force and the lost work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import nsmb
from nsmb import geometry, joints

MU, G = 0.5, 9.81

EVENTS = nsmb.EventDriven()
STEPS = [nsmb.Midpoint(1e-3), nsmb.Hybrid(1e-3)]
METHODS = [EVENTS, *STEPS]


def name(method: Any) -> str:
    return type(method).__name__


def driven_slide(motion: Any) -> nsmb.MultibodySystem:
    """Disc dragged over a rough floor by a slide of prescribed motion, free to lift off."""
    m = nsmb.Model(gravity=(0, -G))
    slide = m.add_body("slide", mass=1.0, inertia=0.01)
    m.add_joint("x", joints.Prismatic((1, 0)), m.ground, slide, motion=motion)
    disc = m.add_body("disc", mass=1.0, inertia=0.01)
    m.add_joint("y", joints.Prismatic((0, 1)), slide, disc)
    floor = m.ground.contour("floor", geometry.Line())
    m.add_contact(floor, disc.contour("rim", geometry.Circle(0.1)), nsmb.ContactLaw(MU), "floor")
    return m.build(initial={"y": 0.1})


@pytest.mark.parametrize("method", METHODS, ids=name)
@pytest.mark.parametrize("speed", [1.0, -1.0, 1e-6])
def test_a_driven_slide_has_the_friction_of_its_law(method: Any, speed: float) -> None:
    sol = nsmb.simulate(driven_slide(Polynomial([0.0, speed])), 1.0, method=method)
    friction = MU * G
    assert sol.lambda_N[-1, 0] == pytest.approx(G, rel=1e-9)
    assert abs(sol.gamma_T[-1, 0]) == pytest.approx(abs(speed), rel=1e-9)
    assert sol.lambda_T[-1, 0] * np.sign(sol.gamma_T[-1, 0]) == pytest.approx(-friction, rel=1e-9)
    assert sol.stats["friction_loss"] == pytest.approx(friction * abs(speed), rel=1e-9)
    if method is EVENTS:
        assert sol.check().ok


def test_a_slide_that_turns_back_has_friction_against_it_both_times() -> None:
    """x = sin t, 1 s in each direction: the loss is μ N times the travel."""
    sol = nsmb.simulate(
        driven_slide(lambda t: (np.sin(t), np.cos(t), -np.sin(t))), 2.0 * np.pi, output_step=0.01
    )
    expected = -MU * G * np.sign(np.cos(sol.t))
    away = np.abs(np.cos(sol.t)) > 1e-6
    sign = np.sign(sol.gamma_T[away, 0] * np.cos(sol.t[away]))
    assert np.unique(sign).size == 1
    np.testing.assert_allclose(sign * sol.lambda_T[away, 0], expected[away], rtol=1e-9)
    assert sol.stats["friction_loss"] == pytest.approx(4.0 * MU * G, rel=1e-6)


def constrained_mass() -> Any:
    """M ẍ driven by a constraint, with friction of a guide: λ_B = M ẍ + F sign ẋ."""
    sympy = pytest.importorskip("sympy")
    from nsmb import symbolic

    x = symbolic.coordinates("x")
    return symbolic.LagrangianSystem(
        [x],
        2.0 * x.velocity**2 / 2,
        constraints=[nsmb.Constraint(gap=x - 0.05 * sympy.sin(20.0 * symbolic.time), name="drive")],
        contacts=[nsmb.Friction(slip=x.velocity, bound=7.0, name="guide")],
        initial={x: 0.0, x.velocity: 1.0},
    )


def test_the_force_of_a_drive_contains_the_friction_it_overcomes() -> None:
    sol = nsmb.simulate(constrained_mass(), 1.0)
    truth = -2.0 * 0.05 * 400.0 * np.sin(20.0 * sol.t) + 7.0 * np.sign(np.cos(20.0 * sol.t))
    away = np.abs(np.cos(20.0 * sol.t)) > 1e-6
    np.testing.assert_allclose(sol.lambda_B[away, 0], truth[away], atol=1e-6)
    way = 0.05 * (1.0 + 2.0 * 5.0 + 1.0 + np.sin(20.0))  # six turning points, the last at -1
    assert sol.stats["friction_loss"] == pytest.approx(7.0 * way, rel=1e-6)


def test_what_cannot_move_and_does_not_slip_has_no_friction() -> None:
    """Friction without slip at an immovable contact is undetermined; 0 is within every bound."""
    sol = nsmb.simulate(driven_slide(Polynomial([0.3])), 1.0)
    assert sol.lambda_T[-1, 0] == 0.0
    assert sol.lambda_N[-1, 0] == pytest.approx(G, rel=1e-9)
    assert sol.stats["friction_loss"] == 0.0
    assert sol.check().ok


def test_slip_that_begins_late_is_not_overlooked() -> None:
    """The mass is at rest for one second, then dragged along."""
    motion = [(0.0, Polynomial([0.0])), (1.0, Polynomial([0.5, -1.0, 0.5]))]
    sol = nsmb.simulate(driven_slide(motion), 3.0, output_step=0.1)
    np.testing.assert_allclose(np.abs(sol.lambda_T[sol.t > 1.05, 0]), MU * G, rtol=1e-9)
    np.testing.assert_array_equal(sol.lambda_T[sol.t < 0.8, 0], 0.0)


# The energy of motion caused by rounding is of the order of rounding.
@pytest.mark.filterwarnings("ignore:the energy balance has a residual")
@pytest.mark.parametrize("method", [EVENTS, STEPS[0]], ids=name)
def test_constraints_that_hold_a_body_hold_it_whole(method: Any) -> None:
    """A mass on two guides at an angle cannot move, and rounding causes no force."""
    pytest.importorskip("sympy")
    from nsmb import symbolic

    x, y = symbolic.coordinates("x y")
    system = symbolic.LagrangianSystem(
        [x, y],
        (x.velocity**2 + 3.0 * y.velocity**2) / 2,
        3.0 * G * y - 2.0 * x,
        constraints=[
            nsmb.Constraint(gap=np.cos(0.3) * x + np.sin(0.3) * y, name="first"),
            nsmb.Constraint(gap=np.cos(1.4) * x + np.sin(1.4) * y, name="second"),
        ],
        contacts=[
            nsmb.Contact(
                gap=0.1 * x + 0.97 * y,
                slip=0.97 * x.velocity - 0.1 * y.velocity,
                law=nsmb.ContactLaw(MU),
                name="floor",
            )
        ],
    )
    sol = nsmb.simulate(system, 1.0, method=method)
    np.testing.assert_allclose(sol.q, 0.0, atol=1e-12)
    np.testing.assert_allclose(sol.lambda_N, 0.0, atol=1e-9)
    np.testing.assert_allclose(sol.lambda_T, 0.0, atol=1e-9)


@pytest.mark.parametrize("impact_law", ["poisson", "newton", "moreau"])
@pytest.mark.parametrize("motion", [[0.0, 1.0], [0.2, 0.0, 0.5]])
def test_what_is_driven_into_a_wall_ends_the_run_by_name(
    motion: list[float], impact_law: str
) -> None:
    """A prescribed motion into a wall at 1 m/s, and from rest at the wall: no force can stop it."""
    m = nsmb.Model()
    slide = m.add_body("slide", mass=1.0, inertia=0.01)
    m.add_joint("x", joints.Prismatic((1, 0)), m.ground, slide, motion=Polynomial(motion))
    m.add_joint("beside", joints.Planar(), m.ground, m.add_body("other", mass=1.0, inertia=0.01))
    wall = m.ground.contour("wall", geometry.Line(), at=(0.3, 0.0), angle=np.pi / 2)
    m.add_contact(wall, slide.contour("rim", geometry.Circle(0.1)), nsmb.ContactLaw(MU), "crash")
    method = nsmb.EventDriven(impact_law=impact_law)  # type: ignore[arg-type]
    sol = nsmb.simulate(m.build(), 0.5, method=method, throw=False)
    strikes = motion[0] == 0.0
    assert sol.status == ("no_impact_solution" if strikes else "no_contact_solution")
    assert "crash" in sol.message
    assert sol.t[-1] == pytest.approx(0.2 if strikes else 0.0, abs=1e-9)
