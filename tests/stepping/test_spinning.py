"""Free bodies that spin by radians per step, with shapes that touch anywhere.

Gyroscopic forces do no work. The equation of a step is solved, or the step is marked.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from tests.support.methods import stepping

Array = NDArray[np.float64]

STEP = 1e-3
BOX = geometry.Box((0.4, 0.2, 0.1))
DISC = geometry.Cylinder(0.2, 0.02)
J_BOX = 8.0 / 12.0 * np.diag([0.05, 0.17, 0.2])  # kg m²


def scene(shape: geometry.Shape, count: int = 1, g: float = 0.0) -> nsmb.MultibodySystem:
    m = nsmb.Model(gravity=(0.0, 0.0, -g))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(count):
        body = m.add_solid(f"b{k}", shape, 1000.0)
        m.add_joint(f"b{k}", joints.Free(), m.ground, body)
        initial[f"b{k}"] = (2.0 * k, 0, 20.0, 1, 0, 0, 0)
    m.collide()
    return m.build(initial=initial)


def spun(
    system: nsmb.MultibodySystem,
    spins: Array,
    steps: int,
    *,
    step: float = STEP,
    scheme: str = "midpoint",
    on_failure: str = "continue",
) -> nsmb.Solution:
    """Bodies with angular velocities (bodies, 3), rad/s, in body axes."""
    u = np.concatenate([np.zeros_like(spins), spins], axis=1).ravel()
    method = stepping(step, scheme, on_failure=on_failure)
    return nsmb.simulate(
        system,
        steps * step,
        method=method,
        start=nsmb.State(0.0, system.initial_state.q, u),
        output_step=step,
        throw=False,
    )


def angular_momentum(q: Array, u: Array, J: Array) -> Array:
    """Return R J ω, with R of the quaternion (w, x, y, z)."""
    w, v, L = q[3], q[4:7], J @ u[3:6]
    return L + 2.0 * w * np.cross(v, L) + 2.0 * np.cross(v, np.cross(v, L))


@pytest.mark.parametrize("turn", [0.01, 0.3, 0.6, 1.2, 3.0])
@pytest.mark.parametrize(
    ("shape", "axis"), [(BOX, (0.1, 10.0, 0.2)), (DISC, (3.0, 1.0, 5.0))], ids=["box", "disc"]
)
def test_free_spin_keeps_its_energy(
    shape: geometry.Shape, axis: tuple[float, ...], turn: float
) -> None:
    """A box tumbles about its middle axis, and a disc nutates, by `turn` in a step.

    7e-12 measured: in each step the residual of the equation at its middle, at most 1e-13, as a
    part of the work.
    """
    omega = np.array(axis) / np.linalg.norm(axis) * turn / STEP
    sol = spun(scene(shape), omega[None], 1000)
    assert sol.stats["missed_steps"] == 0
    kinetic = sol.energy.kinetic
    assert np.abs(kinetic / kinetic[0] - 1.0).max() < 1e-10
    assert np.ptp(sol.u[:, 3:], axis=0).max() > 0.1 * turn / STEP


def rotated(quaternions: Array, vectors: Array) -> Array:
    """Return R b for each row of (n, 4)."""
    w, v = quaternions[:, :1], quaternions[:, 1:]
    return vectors + 2.0 * w * np.cross(v, vectors) + 2.0 * np.cross(v, np.cross(v, vectors))


@pytest.mark.parametrize("turn", [0.01, 0.3, 1.2, 20.0])
def test_a_centre_of_mass_elsewhere_falls_as_one_at_the_origin(turn: float) -> None:
    """The centre of mass is off the frames of body and joint.

    ω and the energies are unchanged, and S moves on its parabola. The motion is at twenty radians
    in a step about a principal axis, where the velocities in the middle are known.
    """
    arm, origin = np.array([0.3, -0.2, 0.5]), np.array([0.05, 0.02, -0.1])
    omega = np.array((0.1, 0.2, 10.0) if turn < 10.0 else (0.0, 0.0, 10.0))
    omega *= turn / STEP / np.linalg.norm(omega)
    runs = []
    for center, at in ((arm, origin), (np.zeros(3), np.zeros(3))):
        m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
        m.ground.shape("floor", geometry.HalfSpace())
        body = m.add_body("b", mass=8.0, inertia=J_BOX, center=center)
        m.add_joint("b", joints.Free(), m.ground, body, at_2=at)
        body.shape("skin", BOX, center)
        m.collide()
        system = m.build(initial={"b": (0, 0, 200.0, 1, 0, 0, 0)})
        runs.append(spun(system, omega[None], 1000))
        assert runs[-1].stats["missed_steps"] == 0
    there, here = runs
    c, size = arm - origin, float(np.linalg.norm(omega))
    S = there.q[:, :3] + rotated(there.q[:, 3:], c)
    v_S = there.u[:, :3] + rotated(there.q[:, 3:], np.cross(there.u[:, 3:], c))
    t, g = there.t[:, None], np.array([0.0, 0.0, -9.81])
    # 1e-11 measured: the residual of the equation in the middle of a thousand steps.
    np.testing.assert_allclose(there.u[:, 3:], here.u[:, 3:], atol=1e-10 * size)
    np.testing.assert_allclose(v_S, v_S[0] + t * g, atol=1e-10 * size)
    np.testing.assert_allclose(S, S[0] + t * v_S[0] + 0.5 * t**2 * g, atol=1e-10 * size)
    for run in runs:
        total = run.energy.kinetic + run.energy.potential
        assert np.abs(total / total[0] - 1.0).max() < 1e-10


@pytest.mark.parametrize("turn", [0.01, 0.3, 1.2])
def test_a_body_with_a_named_contact_keeps_its_energy(turn: float) -> None:
    """With the velocities in the middle of the step, the energy error is at most 1e-13 per step.

    With those at the start, the energy would grow without bound.
    """
    m = nsmb.Model(gravity=(0.0, 0.0, 0.0))
    body = m.add_body("b0", mass=8.0, inertia=J_BOX)
    m.add_joint("b0", joints.Free(), m.ground, body)
    floor = m.ground.shape("floor", geometry.HalfSpace())
    m.add_contact(floor, body.shape("skin", BOX))
    system = m.build(initial={"b0": (0, 0, 20.0, 1, 0, 0, 0)})
    omega = np.array([0.1, 10.0, 0.2]) / np.linalg.norm([0.1, 10.0, 0.2]) * turn / STEP
    sol = spun(system, omega[None], 1000)
    assert sol.stats["missed_steps"] == 0
    kinetic = sol.energy.kinetic
    assert np.abs(kinetic / kinetic[0] - 1.0).max() < 1e-10


def test_momentum_is_kept() -> None:
    """Angular momentum is conserved in direction as well as in size."""
    for step in (4e-3, 1e-3):
        sol = spun(scene(BOX), np.array([[0.1, 10.0, 0.2]]), round(1.0 / step), step=step)
        L = np.array([angular_momentum(q, u, J_BOX) for q, u in zip(sol.q, sol.u, strict=True)])
        assert np.linalg.norm(L - L[0], axis=1).max() < 1e-12 * np.linalg.norm(L[0])


def test_slow_bodies_beside_fast_ones() -> None:
    """Twenty bodies, from a radian in a hundred steps to three in one, about any axis."""
    rng = np.random.default_rng(1)
    spins = rng.normal(size=(20, 3))
    spins *= (np.geomspace(0.01, 3.0, 20) / STEP / np.linalg.norm(spins, axis=1))[:, None]
    sol = spun(scene(BOX, 20), spins, 200)
    assert sol.stats["missed_steps"] == 0
    omega = sol.u.reshape(len(sol.t), 20, 6)[:, :, 3:]
    energy = np.einsum("tbi,ij,tbj->tb", omega, J_BOX, omega)
    assert np.abs(energy[:, -5:] / energy[0, -5:] - 1.0).max() < 1e-10
    assert np.abs(energy.sum(1) / energy[0].sum() - 1.0).max() < 1e-11


def test_ten_radians_in_a_step_keep_the_energy() -> None:
    """Rotation about axes of all kinds."""
    rng = np.random.default_rng(1)
    spins = rng.normal(size=(20, 3))
    spins *= (10.0 / STEP) / np.linalg.norm(spins, axis=1)[:, None]
    sol = spun(scene(BOX, 20), spins, 50)
    assert not sol.step_status.any()
    omega = sol.u.reshape(len(sol.t), 20, 6)[:, :, 3:]
    energy = np.einsum("tbi,ij,tbj->tb", omega, J_BOX, omega)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11


def test_dampers_of_a_step_are_implicit() -> None:
    """Between two bodies, m u' = -2 d u with 2 h d/m = 6: u_{k+1} = (1 - 3)/(1 + 3) u_k.

    With forces at the start of the step, the motion would grow.
    """
    m = nsmb.Model(gravity=(0.0, 0.0, 0.0))
    m.ground.shape("floor", geometry.HalfSpace())
    bodies = []
    for k in range(2):
        body = m.add_solid(f"b{k}", geometry.Sphere(0.1), 1000.0)
        m.add_joint(f"slide{k}", joints.Prismatic(), m.ground, body, at=(0.5 * k, 0, 5.0))
        bodies.append(body)
    m.collide()
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3
    m.add_spring_damper("damper", bodies[0], bodies[1], c=0.0, d=3.0 * mass / STEP, free_length=0.5)
    system = m.build(velocities={"slide0": 0.1, "slide1": -0.1})
    method = nsmb.Midpoint(STEP)
    sol = nsmb.simulate(system, 10 * STEP, method=method, output_step=STEP)
    assert sol.stats["missed_steps"] == 0
    np.testing.assert_allclose(sol.u[:, 0], 0.1 * (-0.5) ** np.arange(len(sol.t)), atol=1e-12)
