"""Unconnected bodies move independently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

DIVIDED = nsmb.EventDriven(divide=True)


def part_count(system: nsmb.System) -> int:
    return nsmb.Simulator(system, DIVIDED)._core.part_count


Places = dict[str, tuple[float, float, float]]


def discs(n: int) -> tuple[nsmb.Model, Places, list[Any]]:
    """Discs above one floor, too far apart to meet; no pair of them is a contact."""
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line())
    law = nsmb.ContactLaw(mu=0.3, e_N=0.6)
    initial: Places = {}
    bodies = []
    for k in range(n):
        body = model.add_body(f"b{k}", mass=1.0 + k, inertia=0.005)
        model.add_joint(f"j{k}", joints.Planar(), model.ground, body)
        model.add_contact(floor, body.contour("rim", geometry.Circle(0.1)), law, name=f"c{k}")
        initial[f"j{k}"] = (0.5 * k, 0.15 + 0.07 * k, 0.0)
        bodies.append(body)
    return model, initial, bodies


def test_discs_on_one_floor_move_as_they_do_together() -> None:
    model, initial, _ = discs(3)
    system = model.build(initial=initial)
    u = np.array([0.4, 0.1, 3.0, -0.2, 0.0, -5.0, 1.0, 0.3, 0.0])
    a, b = (
        nsmb.simulate(system, 1.2, u=u, method=nsmb.EventDriven(rtol=1e-11, divide=divide))
        for divide in (True, False)
    )
    assert part_count(system) == 3
    t = np.linspace(0.0, 1.2, 200)
    # rtol 1e-11 over a dozen impacts: measured 1e-11 m, the margin is 100.
    np.testing.assert_allclose(a.at(t).q, b.at(t).q, atol=1e-9)
    np.testing.assert_array_equal(a.contact_state[-1], b.contact_state[-1])
    np.testing.assert_array_equal(a.features[-1], b.features[-1])
    assert sorted(a.events.count()) == sorted(b.events.count())


def test_what_joins_bodies_keeps_them_together() -> None:
    law = nsmb.ContactLaw()

    model, initial, _ = discs(3)
    assert part_count(model.build(initial=initial)) == 3

    model, initial, b = discs(3)
    rims = [body.contour("other", geometry.Circle(0.1)) for body in (b[0], b[2])]
    model.add_contact(*rims, law, name="pair")
    assert part_count(model.build(initial=initial)) == 2

    model, initial, b = discs(3)
    model.add_spring_damper("spring", b[0], b[1], c=1.0, free_length=0.5)
    model.add_joint_friction("brake", "j2.phi", 0.1)
    assert part_count(model.build(initial=initial)) == 2

    model, initial, b = discs(3)
    top = model.add_body("top", mass=0.1, inertia=0.001)
    model.add_joint("hinge", joints.Revolute(), b[1], top)
    shelf = model.add_body("shelf", mass=1.0)
    model.add_joint("fixed", joints.Fixed(), model.ground, shelf, at=(0.0, -1.0))
    line = shelf.contour("line", geometry.Line())
    for k, body in enumerate((b[0], b[2])):
        rim = body.contour("low", geometry.Circle(0.05))
        model.add_contact(line, rim, law, name=f"shelf{k}")
    system = model.build(initial=initial)
    assert part_count(system) == 3
    # Each part includes the shelf, and falls as in the whole.
    a, whole = (
        nsmb.simulate(system, 0.3, method=nsmb.EventDriven(divide=divide, rtol=1e-11))
        for divide in (True, False)
    )
    np.testing.assert_allclose(a.q[-1], whole.q[-1], atol=1e-9)


def test_an_impact_is_no_matter_of_a_body_at_rest_elsewhere() -> None:
    """A triangle rests on rough ground on dependent feet, and another one is dropped beside it.

    The latter falls as it does alone.
    """
    shape = [(-0.1, -0.06), (0.11, -0.06), (0.02, 0.12)]
    law = nsmb.ContactLaw(mu=0.9, e_N=0.3)

    def scene(places: list[tuple[float, float, float]]) -> nsmb.System:
        model = nsmb.Model(gravity=(0, -9.81))
        floor = model.ground.contour("floor", geometry.Line())
        for k in range(len(places)):
            body = model.add_body(f"b{k}", mass=1.0, inertia=0.01)
            model.add_joint(f"j{k}", joints.Planar(), model.ground, body)
            triangle = body.contour("c", geometry.Polygon(shape))
            model.add_contact(floor, triangle, law, name=f"floor-{k}")
        return model.build(initial={f"j{k}": place for k, place in enumerate(places)})

    both = nsmb.simulate(scene([(-1.0, 0.06, 0.0), (1.0, 0.3, 0.3)]), 1.5, method=DIVIDED)
    alone = nsmb.simulate(scene([(1.0, 0.3, 0.3)]), 1.5, method=DIVIDED)
    assert both.success
    np.testing.assert_array_equal(both.q[-1, 3:], alone.q[-1])
    np.testing.assert_allclose(both.q[-1, :3], [-1.0, 0.06, 0.0], atol=1e-9)


def test_functions_of_the_user_are_not_looked_ahead() -> None:
    """Inputs may change between calls; a model with user functions is one part."""
    model, initial, b = discs(2)
    model.add_load("wind", b[0], lambda t, r, A, v, Omega: (0.0, 0.0, 0.0))
    assert part_count(model.build(initial=initial)) == 0


@pytest.mark.parametrize("divide", [True, False])
def test_a_start_in_the_floor_is_refused_by_name(divide: bool) -> None:
    model, initial, _ = discs(2)
    system = model.build(initial=initial)
    simulator = nsmb.Simulator(system, nsmb.EventDriven(divide=divide))
    with pytest.raises(ValueError, match="c1"):
        simulator.reset(q=[0.0, 0.2, 0.0, 1.0, -0.2, 0.0])


def test_limits_of_joints_belong_to_their_bodies() -> None:
    """Pendulums on the ground that swing into their stops."""
    model = nsmb.Model(gravity=(0, -9.81))
    law = nsmb.ContactLaw(e_N=0.6)
    for k in range(3):
        rod = model.add_body(f"rod{k}", mass=1.0, inertia=0.02, center=(0.3 + 0.1 * k, 0.0))
        model.add_joint(f"j{k}", joints.Revolute(), model.ground, rod)
        model.add_stop(f"j{k}", -1.2 - 0.1 * k, 0.4, law)
    system = model.build()
    assert part_count(system) == 3
    divided, whole = (
        nsmb.simulate(system, 1.0, method=nsmb.EventDriven(divide=divide, rtol=1e-11))
        for divide in (True, False)
    )
    assert divided.stats["impacts"] == whole.stats["impacts"] > 3
    # Errors of 1e-11 and their growth in four impacts.
    np.testing.assert_allclose(divided.q[-1], whole.q[-1], atol=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_bodies_on_one_floor_move_divided_as_they_do_together(seed: int) -> None:
    """Discs, boxes and triangles are dropped side by side with rotation."""
    r = np.random.default_rng(seed)
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line())
    initial, u = {}, []
    for k in range(int(r.integers(2, 6))):
        body = model.add_body(f"b{k}", mass=r.uniform(0.5, 2.0), inertia=r.uniform(0.005, 0.03))
        model.add_joint(f"j{k}", joints.Planar(), model.ground, body)
        w, h = r.uniform(0.05, 0.2, 2)
        shape: geometry.Circle | geometry.Polygon = geometry.Circle(w)
        if k % 3:
            top = [(w, h), (-w, h)] if k % 3 == 1 else [(0.1 * w, h)]
            shape = geometry.Polygon([(-w, -h), (w, -0.9 * h), *top])
        law = nsmb.ContactLaw(
            mu=float(r.choice([0.0, 0.3, 0.6])), e_N=float(r.choice([0.0, 0.3, 0.6]))
        )
        model.add_contact(floor, body.contour("c", shape), law, name=f"c{k}")
        initial[f"j{k}"] = (0.8 * k, 0.35 + r.uniform(0.0, 0.2), r.uniform(-1.0, 1.0))
        u += [*r.uniform(-1.0, 1.0, 2), r.uniform(-4.0, 4.0)]
    system = model.build(initial=initial)
    divided, whole = (
        nsmb.simulate(system, 1.2, u=u, method=nsmb.EventDriven(divide=divide, rtol=1e-10))
        for divide in (True, False)
    )
    times = np.linspace(0.0, 1.2, 100)
    # Errors of 1e-10 grow from impact to impact: measured 1e-9, the margin is 100.
    np.testing.assert_allclose(divided.at(times).q, whole.at(times).q, atol=1e-7)
