"""Pressure over areas of elastic bodies: shares, power, and rigid bodies as a special case."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsmb
from nsmb.geometry import box_mesh, sphere_mesh
from nsmb.multibody.areal import ElasticSurface, FoundationForce

LAW = {
    "stiffness": 1e8,
    "damping": 3e4,
    "transition_depth": 2e-3,
    "mu": 0.4,
    "switch_velocity": 0.05,
}


def surface(mesh, n, seed, size=1e-3):
    """Smooth shapes of some coordinates, and the rotations that belong to them."""
    rng = np.random.default_rng(seed)
    x = np.asarray(mesh.vertices)
    wave, phase = rng.normal(size=(n, 3, 3)), rng.uniform(0.0, 6.0, (n, 3))
    angle = np.einsum("vi,nai->van", x, wave) + phase.T
    shapes = size * np.sin(angle)
    slopes = size * np.cos(angle)[:, :, None, :] * wave.transpose(1, 2, 0)  # d shape_a / d x_i
    turns = 0.5 * np.stack(
        [slopes[:, (i + 2) % 3, (i + 1) % 3] - slopes[:, (i + 1) % 3, (i + 2) % 3]
         for i in range(3)], axis=1
    )  # fmt: skip
    return ElasticSurface(mesh, shapes, turns)


BLOCK, BALL = box_mesh((1.0, 1.0, 0.4), (5, 5, 2)), sphere_mesh(0.2, 3)


def motion(seed, counts):
    rng = np.random.default_rng(seed)
    A = Rotation.from_rotvec(0.2 * rng.normal(size=3)).as_matrix()
    r = [rng.normal(size=3), None]
    r[1] = r[0] + A @ np.array([0.05, 0.02, 0.39])
    return {
        "r": r,
        "A": [A, A @ Rotation.random(random_state=seed).as_matrix()],
        "v": list(0.1 * rng.normal(size=(2, 3))),
        "Omega": list(0.5 * rng.normal(size=(2, 3))),
        "q": [rng.normal(size=n) for n in counts],
        "u": [50.0 * rng.normal(size=n) for n in counts],
    }


def probe(first, second, elements="clipped", velocity="barycentric"):
    element = FoundationForce((first, second), 0.0, LAW, (elements, "both", velocity))
    from nsmb._core import areal

    return areal.FoundationProbe(element.core)


@pytest.mark.parametrize("elements", ["clipped", "barycentre"])
def test_what_the_bodies_lose_is_the_power_of_the_contact(elements: str) -> None:
    at = motion(1, (4, 3))
    found = probe(surface(BLOCK, 4, 1), surface(BALL, 3, 2), elements).contact(**at)
    assert found["active"] > 10
    wrenches = ((found["force"], found["moment"]), (-found["force"], found["moment_2"]))
    power = 0.0
    for (force, moment), v, Omega in zip(wrenches, at["v"], at["Omega"], strict=True):
        power += force @ v + moment @ Omega
    power += found["modal_1"] @ at["u"][0] + found["modal_2"] @ at["u"][1]
    assert power == pytest.approx(found["power"], rel=1e-11)
    # Third law, moments about the inertial origin.
    total = sum(m + np.cross(r, f) for (f, m), r in zip(wrenches, at["r"], strict=True))
    assert np.abs(total).max() < 1e-11 * np.linalg.norm(found["force"])


def test_averaged_velocities_do_not_have_this_power() -> None:
    """(6.12) is conjugate only to the forces at barycentres, and is close to it here."""
    at = motion(1, (4, 3))
    surfaces = surface(BLOCK, 4, 1), surface(BALL, 3, 2)
    one, other = (probe(*surfaces, velocity=v).contact(**at) for v in ("barycentric", "average"))
    assert other["power"] != pytest.approx(one["power"], rel=1e-6)
    assert other["force"] == pytest.approx(one["force"], rel=0.2)


@pytest.mark.parametrize("elements", ["clipped", "barycentre"])
def test_a_body_that_does_not_deform_is_a_rigid_one(elements: str) -> None:
    at = motion(3, (2, 2))
    still = at | {"q": [np.zeros(2)] * 2, "u": [np.zeros(2)] * 2}
    none = at | {"q": [np.zeros(0)] * 2, "u": [np.zeros(0)] * 2}
    flexible = probe(surface(BLOCK, 2, 1), surface(BALL, 2, 2), elements).contact(**still)
    rigid = probe(BLOCK, BALL, elements).contact(**none)
    assert rigid["active"] > 10
    scale = np.linalg.norm(rigid["force"])
    assert flexible["force"] == pytest.approx(rigid["force"], abs=1e-13 * scale)
    assert flexible["moment"] == pytest.approx(rigid["moment"], abs=1e-13 * scale)


def test_shapes_that_are_rigid_motions_move_as_such() -> None:
    """With translation and rotation as shapes, the wrench is that of the moved body.

    Differences are of second order.
    """
    x = np.asarray(BALL.vertices)
    shapes = np.stack([np.tile((0.0, 0.0, 1.0), (len(x), 1)), np.cross((1, 0, 0), x)], axis=-1)
    shifted = motion(4, (0, 2))
    shifted |= {"q": [np.zeros(0), np.array([-0.004, 0.0])], "u": [np.zeros(0), np.array([0.3, 0])]}
    found = probe(BLOCK, ElasticSurface(BALL, shapes)).contact(**shifted)
    axis = shifted["A"][1][:, 2]
    moved = motion(4, (0, 0))
    moved["r"][1] = moved["r"][1] - 0.004 * axis
    moved["v"][1] = moved["v"][1] + 0.3 * axis - np.cross(moved["Omega"][1], -0.004 * axis)
    expected = probe(BLOCK, BALL).contact(**moved)
    scale = np.linalg.norm(expected["force"])
    # The frame of the shapes does not move: Ω × shift is in v above, and here in the lever arm.
    assert found["force"] == pytest.approx(expected["force"], abs=2e-2 * scale)
    # Generalised forces are the force and the moment about the shifted frame, in its components.
    # Friction acts at C, which differs from its foot by the depth.
    force, moment = (shifted["A"][1].T @ x for x in (-found["force"], found["moment_2"]))
    assert found["modal_2"][0] == pytest.approx(force[2], rel=1e-10)
    beside = LAW["mu"] * scale * found["depth"]
    assert found["modal_2"][1] == pytest.approx(moment[0] - 0.004 * force[1], abs=beside)
    assert beside < 0.1 * abs(found["modal_2"][1])


def test_points_outside_of_their_triangle_keep_the_moment() -> None:
    from nsmb._core.areal import area_coordinates

    rng = np.random.default_rng(2)
    for _ in range(20):
        corners = rng.normal(size=(3, 3))
        w = rng.normal(size=3)
        w /= w.sum()
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        found = area_coordinates(corners, w @ corners + 0.3 * normal)
        assert found == pytest.approx(w, abs=1e-9)
        assert found.sum() == pytest.approx(1.0, abs=1e-14)
        arms = corners - w @ corners
        assert np.abs(found @ arms).max() < 1e-9
    for k in range(3):
        assert area_coordinates(corners, corners[k]) == pytest.approx(np.eye(3)[k], abs=1e-12)


def beam_model(elastic: bool, law: dict[str, float]):
    nodes = np.zeros((13, 3))
    nodes[:, 0] = np.linspace(-0.15, 0.15, 13)
    bar = nsmb.flexible.beam(
        nodes, E=1e9, density=1000.0, area=2e-4, I_z=6.7e-9, I_y=1.67e-9, I_t=5e-9, G=4e8
    )
    m = nsmb.Model()
    mesh = box_mesh((0.3, 0.02, 0.01), (12, 2, 1))
    if elastic:
        flexible = nsmb.flexible.reduce(bar, 4)
        body, surface_1 = m.add_elastic_body("bar", flexible), nsmb.flexible.skin(flexible, mesh)
    else:
        inertia = 0.06 * np.array([0.02**2 + 0.01**2, 0.3**2 + 0.01**2, 0.3**2 + 0.02**2]) / 12.0
        body, surface_1 = m.add_body("bar", mass=0.06, inertia=inertia), mesh
    m.add_joint("free_bar", nsmb.joints.Free(), m.ground, body)
    ball = m.add_body("ball", mass=0.05, inertia=(8e-6, 8e-6, 8e-6))
    m.add_joint("free_ball", nsmb.joints.Free(), m.ground, ball)
    m.add_elastic_foundation(
        "layer", body, surface_1, ball, sphere_mesh(0.02, 2), stiffness=3e8, base="second", **law
    )
    return m.build(
        initial={"free_ball": (0.1, 0.002, 0.026, 1, 0, 0, 0)},
        velocities={"free_ball": (0.0, 0.0, -0.5, 0, 0, 0)},
    )


def test_a_ball_that_hits_a_free_bar_makes_it_swing_and_keeps_momentum() -> None:
    system = beam_model(True, {})
    sol = nsmb.simulate(system, 0.01, rtol=1e-9)
    before, after = (system.momentum(sol.t[k], sol.q[k], sol.u[k]) for k in (0, -1))
    for a, b in zip(before, after, strict=True):
        assert b == pytest.approx(a, abs=1e-9)
    total = sol.energy.total
    assert system.areal_contact("layer", 0.0, sol.q[-1], sol.u[-1]).active == 0
    # The energy of the layer neglects the displacement by bending below the surface: measured 2e-6.
    assert total[-1] == pytest.approx(total[0], rel=1e-5)
    energy = sol.bodies["bar"].energy
    assert energy.elastic.max() > 1e-3 * total[0]
