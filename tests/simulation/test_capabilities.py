"""Every cell of the table of capabilities in docs/learn/stepping.md, tested."""

import dataclasses
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

PAGE = Path(__file__).resolve().parents[2] / "docs" / "learn" / "stepping.md"
G = 9.81
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LAW = nsmb.ContactLaw(mu=0.3)
METHODS: dict[str, Any] = {
    "events": nsmb.EventDriven(),
    "`Midpoint`": nsmb.Midpoint(1e-3),
    "`Hybrid`": nsmb.Hybrid(1e-3),
    "forces": nsmb.VelocityForces(1e-3),
}
Run = Callable[[Any], nsmb.Solution]


def in_space() -> nsmb.Model:
    return nsmb.Model(gravity=(0.0, 0.0, -G))


def disc(law: nsmb.ContactLaw = LAW) -> nsmb.System:
    """Disc that falls by 10 mm along a line."""
    model = nsmb.Model(gravity=(0.0, -G, 0.0))
    body = model.add_body("body", mass=1.0, inertia=np.diag([0.1, 0.1, 0.1]))
    model.add_joint("free", joints.Planar(), model.ground, body)
    floor = model.ground.contour("floor", nsmb.geometry.Line((0.0, 0.0), (-1.0, 0.0)))
    model.add_contact(floor, body.contour("rim", nsmb.geometry.Circle(0.1)), law)
    return model.build(initial={"free": (0.0, 0.11, 0.0)}, velocities={"free": (0.3, 0.0, 0.0)})


def ball(law: nsmb.ContactLaw = LAW) -> nsmb.System:
    """The same fall in space, with named contacts."""
    model = in_space()
    floor = model.ground.shape("floor", geometry.HalfSpace())
    body = model.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.add_joint("free", joints.Free(), model.ground, body)
    model.add_contact(floor, body.shape("ball", geometry.Sphere(0.1)), law)
    start, velocity = (0.0, 0.0, 0.11, *UPRIGHT), (0.3, 0.0, 0.0, 0.0, 0.0, 0.0)
    return model.build(initial={"free": start}, velocities={"free": velocity})


def found(
    shape: geometry.Shape = geometry.Box((0.2, 0.2, 0.2)),  # noqa: B008 - immutable
    floor: geometry.Shape = geometry.HalfSpace(),  # noqa: B008
    limited: bool = False,
) -> nsmb.System:
    """The same with contact detection; if `limited`, beside a joint with a limit and friction."""
    model = in_space()
    model.ground.shape("floor", floor)
    body = model.add_solid("body", shape, 1000.0)
    model.add_joint("free", joints.Free(), model.ground, body)
    velocities: dict[str, Any] = {"free": (0.3, 0.0, 0.0, 0.0, 0.0, 0.0)}
    if limited:
        slide = model.add_body("slide", mass=1.0, inertia=(0.1, 0.1, 0.1))
        model.add_joint("slide", joints.Prismatic((1.0, 0.0, 0.0)), model.ground, slide)
        model.add_stop("slide", upper=0.01)
        model.add_joint_friction("guide", "slide", 1.0)
        velocities["slide"] = 1.0
    model.collide(LAW)
    return model.build(initial={"free": (0.0, 0.0, 0.11, *UPRIGHT)}, velocities=velocities)


def slide(lower: float = -np.inf, bound: float = 0.0) -> nsmb.System:
    """Fall along a joint."""
    model = in_space()
    body = model.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.add_joint("slide", joints.Prismatic((0.0, 0.0, 1.0)), model.ground, body)
    if np.isfinite(lower):
        model.add_stop("slide", lower=lower)
    if bound:
        model.add_joint_friction("guide", "slide", bound)
    return model.build()


def falls(build: Callable[[], nsmb.System], height: int, expected: float = 0.1) -> Run:
    """Check that coordinate `height` reaches `expected`."""

    def run(method: Any) -> nsmb.Solution:
        sol = nsmb.simulate(build(), 0.1, method=method)
        assert sol.q[-1, height] == pytest.approx(expected, abs=2e-3)
        return sol

    return run


def with_option(build: Callable[[], nsmb.System], height: int, **options: Any) -> Run:
    return lambda method: falls(build, height)(dataclasses.replace(method, **options))


def bounces(method: Any) -> nsmb.Solution:
    sol = nsmb.simulate(ball(nsmb.ContactLaw(e_N=0.5)), 0.06, method=method)
    assert sol.u[-1, 2] > 0.0
    return sol


def is_pushed(method: Any) -> nsmb.Solution:
    motor = nsmb.Input("motor", unit="N")
    cart = nsmb.LinearSystem([[2.0]], force=nsmb.Force(inputs={motor: [1.0]}))
    with nsmb.Simulator(cart, method) as simulator:
        simulator.set(motor=4.0)
        simulator.advance(0.1)
        assert simulator.q[0] == pytest.approx(0.01, rel=1e-6)
        return simulator.solution


def tells(method: Any) -> nsmb.Solution:
    low = nsmb.When(lambda t, q, u: q[1] - 0.105)
    sol = nsmb.simulate(disc(), 0.1, method=method, events=[low])
    assert len(sol.events.of_kind("user")) == 1
    return sol


def is_changed(method: Any) -> nsmb.Solution:
    def build(g: float = G) -> nsmb.System:
        return nsmb.LinearSystem([[1.0]], force=[-g], parameters={"g": g}, rebuild=build)

    with nsmb.Simulator(build(), method) as simulator:
        simulator.advance(0.1)
        simulator.set_parameters(g=0.0)
        simulator.advance(0.2)
        assert simulator.q[0] == pytest.approx(-1.5 * G * 0.1**2, rel=0.02)
        return simulator.solution


def is_derived(method: Any) -> nsmb.Solution:
    sol = nsmb.simulate(disc(), 0.1, method=method, sensitivity=True)
    assert sol.sensitivity is not None
    return sol


def is_known_between(method: Any) -> nsmb.Solution:
    sol = nsmb.simulate(disc(), 0.02, method=method)
    assert sol.at(0.01234).q[1] == pytest.approx(0.11 - 0.5 * G * 0.01234**2, abs=2e-4)
    return sol


def lists_impacts(method: Any) -> nsmb.Solution:
    sol = nsmb.simulate(ball(), 0.1, method=method)
    if not len(sol.events):
        raise ValueError("no events")
    return sol


CURVE = nsmb.ContactLaw(mu=0.3, curve=nsmb.Stribeck(mu_d=0.1, v_s=0.5))
RESISTS = nsmb.ContactLaw(mu=0.3, mu_R=0.01, mu_D=0.01)
POST, PLATE = geometry.Cylinder(0.1, 0.2), geometry.Box((2.0, 2.0, 2e-4))
CHECKS: dict[str, Run] = {
    "contacts of contours": falls(disc, 1),
    "smooth surfaces in space, by name": falls(ball, 2),
    "shapes that touch anywhere": falls(found, 2),
    "these beside joint limits and friction in joints": falls(
        partial(found, limited=True), 7, 0.01
    ),
    "cylinders on boxes": falls(partial(found, POST, PLATE), 2),
    "joint limits": falls(partial(slide, lower=-0.02), 0, -0.02),
    "friction in joints": falls(partial(slide, bound=G), 0, 0.0),
    "restitution": bounces,
    "Poisson's law": with_option(ball, 2, impact_law="poisson"),
    "friction curves": falls(partial(ball, CURVE), 2),
    "resistance to rolling and drilling": falls(partial(ball, RESISTS), 2),
    "inputs": is_pushed,
    "events of the user": tells,
    "parameters set on the way": is_changed,
    "derivatives": is_derived,
    "states between the samples": is_known_between,
    "impacts as rows of `sol.events`, of contacts with names": lists_impacts,
    "steps as long as an error allows": with_option(disc, 1, error=1e-4),
    "sleeping": with_option(found, 2, sleeping=True),
}


def cells() -> list[tuple[str, str, str]]:
    """Return (capability, method, cell) for each cell of the table on the page."""
    text = PAGE.read_text("utf-8").split("## What each way of moving can do")[1]
    rows = [line.strip("|").split("|") for line in re.findall(r"^\|.*\|$", text, re.M)]
    names = [name.strip() for name in rows[0]]
    found = []
    for row in rows[2 : 2 + len(CHECKS)]:
        is_refused = "no" in [cell.strip() for cell in row]
        assert row[-1].strip() or not is_refused, f"{row[0].strip()}: a reason is missing"
        found += [
            (row[0].strip(), name, cell.strip())
            for name, cell in zip(names[1:-1], row[1:-1], strict=True)
        ]
    return found


@pytest.mark.parametrize(("capability", "method", "cell"), cells())
def test_each_cell_of_the_table_is_true(capability: str, method: str, cell: str) -> None:
    run = CHECKS[capability]
    if cell == "yes":
        assert run(METHODS[method]).status == "finished"
    else:
        assert cell == "no"
        with pytest.raises((ValueError, TypeError)):
            run(METHODS[method])


def test_the_table_has_a_row_for_each_capability() -> None:
    assert [name for name, method, _ in cells() if method == "events"] == list(CHECKS)
