"""A simulator that is reset starts afresh: its next run is bitwise that of a new simulator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.simulation.systems import block
from tests.support.methods import stepping

METHODS = ("events", "midpoint", "hybrid", "controlled", "sleeping")


def method_of(name: str) -> nsmb.EventDriven | nsmb.Midpoint | nsmb.Hybrid:
    if name == "events":
        return nsmb.EventDriven(divide=False)
    if name == "controlled":
        return nsmb.Midpoint(1e-2, error=1e-4)
    if name == "sleeping":
        return nsmb.Midpoint(1e-3, sleeping=True)
    return stepping(1e-3, name)  # type: ignore[return-value]


def pushed() -> nsmb.System:
    """Block that slides to rest."""
    return block(nsmb.Force([1.0, -10.0]), velocity=1.0)


def on_a_belt() -> nsmb.System:
    """Block moved by the belt below it, whose drive does work."""
    model = nsmb.Model(gravity=(0.0, -10.0, 0.0))
    body = model.add_body("body", mass=1.0, inertia=0.01)
    model.add_joint("body", joints.Planar(), model.ground, body)
    belt = model.add_body("belt", mass=1.0, inertia=0.01)
    guide = joints.Prismatic((1.0, 0.0, 0.0))
    model.add_joint("belt", guide, model.ground, belt, motion=lambda t: (t, 1.0, 0.0))
    corners = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    floor = belt.contour("top", geometry.Line())
    law = nsmb.ContactLaw(mu=0.4, e_N=0.2)
    model.add_contact(floor, body.contour("rim", geometry.Polygon(corners)), law, name="foot")
    return model.build(initial={"body.y": 0.12, "body.phi": 0.05})


def run(simulator: nsmb.Simulator) -> nsmb.Solution:
    simulator.advance(0.15)
    simulator.advance(0.3)
    return simulator.solution


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("make", [pushed, on_a_belt, nsmb.systems.woodpecker])
def test_the_second_run_is_that_of_a_new_simulator(
    make: Callable[[], nsmb.System], name: str
) -> None:
    events = [nsmb.At(0.1, lambda now: {"u": 0.9 * now.u}, "brake")]
    simulator = nsmb.Simulator(make(), method_of(name), events=events)
    run(simulator)
    simulator.reset()
    again, fresh = run(simulator), run(nsmb.Simulator(make(), method_of(name), events=events))
    assert set(again._data) == set(fresh._data)
    for column, values in fresh._data.items():
        same = np.array_equal(again._data[column], values, equal_nan=values.dtype.kind == "f")
        assert same, column
    assert dict(again.stats) == dict(fresh.stats)
