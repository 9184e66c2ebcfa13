"""Motion on flat meshes and height fields agrees with motion on the half-space."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from tests.geometry.mesh_zoo import box_mesh, icosphere, plate

G = 9.81


def run(
    ground: geometry.Shape,
    body: geometry.Shape,
    start: tuple[float, ...],
    velocity: tuple[float, ...],
    time: float,
    mu: float = 0.3,
    step: float = 2e-3,
) -> nsmb.Solution:
    m = nsmb.Model(gravity=(0.3, 0.2, -G))
    solid = m.add_solid("body", body, 1000.0)
    m.add_joint("free", joints.Free(), m.ground, solid)
    m.ground.shape("ground", ground)
    m.collide(nsmb.ContactLaw(mu=mu))
    system = m.build(initial={"free": start}, penetration=1e-6)
    method = nsmb.Midpoint(step, tol=1e-12)
    begin = nsmb.State(0.0, system.initial_state.q, np.array(velocity))
    sol = nsmb.simulate(system, time, method=method, start=begin)
    # No body is so fast that a touch would have to be located within the step.
    assert sol.stats["steps"] == round(time / step)
    assert sol.stats["coarse_steps"] == 0
    return sol


GROUNDS = {
    "mesh": geometry.TriangleMesh(*plate(400, seed=3, half=1.5)),
    "height field": geometry.HeightField(
        np.zeros((61, 53)), (3 / 60, 3 / 52), origin=(-1.5, -1.5, 0)
    ),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_ball_rolls_over_triangles_as_over_the_plane(name: str) -> None:
    """The ball slides, then rolls, and crosses dozens of edges without disturbance."""
    args = geometry.Sphere(0.1), (-1.0, -0.9, 0.1, 1, 0, 0, 0), (2.0, 1.5, 0, 0, 3.0, 1.0), 0.8
    there, here = run(geometry.HalfSpace(), *args), run(GROUNDS[name], *args)
    assert here.success
    np.testing.assert_allclose(here.q, there.q, atol=1e-9)
    np.testing.assert_allclose(here.u, there.u, atol=1e-9)
    assert here.q[-1, 0] > 0.2  # far from its start


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("body", [geometry.Box((0.3, 0.2, 0.1)), geometry.Cylinder(0.1, 0.1)])
def test_flat_bodies_slide_over_triangles_as_over_the_plane(
    name: str, body: geometry.Shape
) -> None:
    """Along a line, the impulses of four contacts are not unique, but their sum is."""
    args = body, (-1.0, -0.3, 0.05, 1, 0, 0, 0), (2.0, 0.7, 0, 0, 0, 0), 0.6
    there, here = run(geometry.HalfSpace(), *args), run(GROUNDS[name], *args)
    assert here.success
    np.testing.assert_allclose(here.q[:, 2], there.q[:, 2], atol=1e-9)
    np.testing.assert_allclose(here.u[:, 2], 0.0, atol=1e-9)
    np.testing.assert_allclose(here.q, there.q, atol=2e-6)
    assert here.q[-1, 0] > -0.3


def test_box_of_triangles_slides_over_triangles_as_the_box_does() -> None:
    size = (0.3, 0.2, 0.1)
    args = (-1.0, -0.3, 0.05, 1, 0, 0, 0), (2.0, 0.7, 0, 0, 0, 0), 0.4
    mesh = geometry.TriangleMesh(*box_mesh(size, 3))
    there = run(geometry.HalfSpace(), geometry.Box(size), *args)
    for ground in (GROUNDS["mesh"], geometry.HalfSpace()):
        here = run(ground, mesh, *args)
        assert here.success
        np.testing.assert_allclose(here.q, there.q, atol=2e-6)


def test_ball_comes_to_rest_at_the_bottom_of_a_bowl() -> None:
    """The centre is a radius above the deepest vertex, in the corner of the facets there."""
    x = np.linspace(-1.0, 1.0, 41)
    bowl = geometry.HeightField(x[:, None] ** 2 + x**2, 0.05, origin=(-1, -1, 0))
    m = nsmb.Model(gravity=(0, 0, -G))
    ball = m.add_solid("ball", geometry.Sphere(0.3), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, ball)
    m.ground.shape("bowl", bowl)
    m.collide(nsmb.ContactLaw(mu=0.4, mu_R=0.1, mu_D=0.1))
    system = m.build(initial={"free": (0.3, 0.2, 0.6, 1, 0, 0, 0)})
    method = nsmb.Midpoint(2e-3)
    sol = nsmb.simulate(system, 3.0, method=method)
    assert sol.success
    assert np.abs(sol.u[-1]).max() < 1e-3
    energy = sol.energy.total
    assert energy[-1] < energy[0]
    at_rest = system.find_contacts(3.0, sol.q[-1], margin=1e-3)
    assert len(at_rest.g_N) >= 1
    assert np.abs(at_rest.g_N).max() < 1e-3
    assert np.hypot(*sol.q[-1, :2]) < 0.05


def test_fast_ball_does_not_fall_through_a_surface_without_thickness() -> None:
    """At 60 m/s, half a step does not exceed the radius.

    The middle of the step may be behind the surface by this distance.
    """
    m = nsmb.Model(gravity=(0, 0, -G))
    ball = m.add_solid("ball", geometry.Sphere(0.04), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, ball)
    m.ground.shape("ground", GROUNDS["mesh"])
    m.collide(nsmb.ContactLaw(mu=0.1))
    system = m.build(initial={"free": (0.03, 0.02, 2.0, 1, 0, 0, 0)})
    begin = nsmb.State(0.0, system.initial_state.q, np.array([0, 0, -60.0, 0, 0, 0]))
    method = nsmb.Midpoint(1e-3)
    sol = nsmb.simulate(system, 0.05, method=method, start=begin)
    assert sol.success
    assert sol.q[:, 2].min() > -0.03  # the start of the step that hit the ground, and half a step
    assert np.abs(sol.u[-1]).max() < 1e-9
    assert sol.stats["steps"] < 60  # two or three more at the touch


def test_a_mesh_falls_on_a_mesh_and_stays() -> None:
    vertices, faces = icosphere(1)
    sol = run(
        GROUNDS["mesh"],
        geometry.TriangleMesh(0.1 * vertices, faces),
        (0.1, 0.05, 0.15, 1, 0, 0, 0),
        (0.2, 0, 0, 0, 0, 0),
        1.0,
        mu=0.8,
    )
    assert sol.success
    assert 0.08 < sol.q[-1, 2] < 0.1
    assert sol.q[:, 2].min() > 0.075
