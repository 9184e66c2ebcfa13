"""Laws of dynamics on random trees with all kinds of joints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from nsmb._core import multibody as mb
from tests.multibody.random_trees import excited, law, state, trees


@law
@given(trees(rheonomic=True))
def test_articulated_bodies_invert_the_mass_matrix(case) -> None:
    """u' of the O(n) algorithm solves M u' = h + tau, with M and h from two other algorithms."""
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    tau = rng.normal(size=tree.nu)
    loads = [("tip", rng.normal(size=3), rng.normal(size=3), rng.normal(size=3))]
    M = evaluation.mass_matrix(t, q)
    h = evaluation.forces(t, q, u, loads)
    udot, massless = evaluation.forward_dynamics(t, q, u, tau, loads)
    assert massless == -1
    if tree.nu:
        scale = np.abs(M) @ np.abs(udot) + np.abs(h) + np.abs(tau)
        assert np.abs(M @ udot - h - tau).max() <= 1e-11 * scale.max()
        X, massless = evaluation.solve_inertia(t, q, np.eye(tree.nu))
        assert massless == -1
        assert np.abs(M @ X - np.eye(tree.nu)).max() <= 1e-12 * np.abs(M).max() * np.abs(X).max()


def test_joints_that_turn_about_two_axes_obey_the_equation_of_motion_in_a_chain() -> None:
    """M u' = h + tau, with M and h from two other algorithms. Each link rotates the next one."""
    inertia = np.diag([0.1, 0.2, 0.25])
    links = [
        mb.Body(
            f"{k}",
            1.0 + k,
            np.array([0.1, 0.2, 0.5]),
            inertia,
            mb.UniversalJoint(),
            f"{k - 1}" if k else "environment",
            mb.Frame(np.array([0.3, 0.0, 0.4])),
        )
        for k in range(3)
    ]
    evaluation = mb.TreeEvaluation(mb.Tree(links, np.array([0, 0, -9.81])))
    rng = np.random.default_rng(4)
    for _ in range(10):
        q, u, tau = rng.normal(size=(3, 6))
        udot, massless = evaluation.forward_dynamics(0.0, q, u, tau)
        assert massless == -1
        load = evaluation.forces(0.0, q, u) + tau
        miss = np.abs(evaluation.mass_matrix(0.0, q) @ udot - load).max()
        assert miss <= 1e-12 * np.abs(load).max()


@law
@given(trees())
def test_mass_matrix_belongs_to_the_kinetic_energy(case) -> None:
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    M = evaluation.mass_matrix(t, q)
    T, _ = evaluation.energies(t, q, u)
    assert u @ M @ u / 2 == pytest.approx(T, rel=1e-12, abs=1e-13)


@law
@given(trees(), st.integers(0, 100))
def test_power_is_the_rate_of_energy(case, seed: int) -> None:
    """d(T + V)/dt = u . tau, as a central difference of sixth order along the motion."""
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    tau = np.random.default_rng(seed).normal(size=tree.nu)
    udot, _ = evaluation.forward_dynamics(t, q, u, tau)
    qdot = tree.coordinate_rates(q, u)
    # Only first derivatives enter, so a straight line in (q, u) is sufficient.
    step = 1e-3
    energy = [
        sum(evaluation.energies(t, q + k * step * qdot, u + k * step * udot)) * w
        for k, w in ((1, 45), (2, -9), (3, 1), (-1, -45), (-2, 9), (-3, -1))
    ]
    scale = 1.0 + np.abs(udot).max(initial=0.0) ** 2
    assert sum(energy) / (60 * step) == pytest.approx(u @ tau, abs=1e-8 * scale)


@law
@given(trees(floating=True))
def test_momentum_does_not_change_without_forces(case) -> None:
    """p' = 0 and L' = 0 of a floating tree, whatever its joints do; sixth-order differences."""
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    udot, _ = evaluation.forward_dynamics(t, q, u)
    qdot = tree.coordinate_rates(q, u)
    step = 1e-3
    p, L = np.zeros(3), np.zeros(3)
    for k, w in ((1, 45), (2, -9), (3, 1), (-1, -45), (-2, 9), (-3, -1)):
        there = evaluation.momentum(t, q + k * step * qdot, u + k * step * udot)
        p += w * there.p / (60 * step)
        L += w * there.L / (60 * step)
    scale = 1.0 + np.abs(udot).max() ** 2
    assert np.abs(p).max() <= 1e-8 * scale
    assert np.abs(L).max() <= 1e-8 * scale


def test_momentum_is_kept_in_free_flight() -> None:
    """A body with two arms tumbles for two seconds."""
    arms = [
        mb.Body(
            name,
            0.7,
            np.array([0, 0.3, 0]),
            0.02 * np.eye(3),
            joint,
            "trunk",
            mb.Frame(place),
        )
        for name, joint, place in (
            ("left", mb.RevoluteJoint([1, 0, 0]), np.array([0.3, 0, 0])),
            ("right", mb.SphericalJoint(), np.array([-0.3, 0, 0.1])),
        )
    ]
    trunk = mb.Body("trunk", 2.0, np.array([0, 0, 0.1]), np.diag([0.3, 0.4, 0.2]), mb.FreeJoint())
    tree = mb.Tree([trunk, *arms])
    evaluation = mb.TreeEvaluation(tree)
    rng = np.random.default_rng(2)
    q, u = tree.reference, rng.normal(size=tree.nu)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        u = y[tree.nq :]
        udot, _ = evaluation.forward_dynamics(t, y[: tree.nq], u)
        return np.concatenate([tree.coordinate_rates(y[: tree.nq], u), udot])

    motion = solve_ivp(rate, (0, 2), np.concatenate([q, u]), "DOP853", rtol=1e-13, atol=1e-13)
    begin = evaluation.momentum(0.0, q, u)
    end = evaluation.momentum(2.0, motion.y[: tree.nq, -1], motion.y[tree.nq :, -1])
    assert np.abs(end.p - begin.p).max() <= 1e-12
    assert np.abs(end.L - begin.L).max() <= 1e-12
    assert end.center == pytest.approx(begin.center + 2.0 * begin.p / begin.mass, abs=1e-12)


def test_place_in_space_does_not_matter() -> None:
    """Far from the origin only the position itself loses digits: M, h and u' are unchanged."""
    far = np.array([1e8, -2e8, 3e8])

    def tree(origin: np.ndarray) -> mb.TreeEvaluation:
        bodies = [
            mb.Body(
                f"{k}",
                1.0,
                np.array([0.1, 0.2, 0]),
                0.1 * np.eye(3),
                mb.RevoluteJoint(np.eye(3)[k % 3]),
                f"{k - 1}" if k else "environment",
                mb.Frame(np.array([0.5, 0, 0]) if k else origin),
            )
            for k in range(6)
        ]
        return mb.TreeEvaluation(mb.Tree(bodies, np.array([0, 0, -9.81])))

    rng = np.random.default_rng(1)
    q, u = rng.normal(size=(2, 6))
    near_tree, far_tree = tree(np.zeros(3)), tree(far)
    assert far_tree.forces(0, q, u) == pytest.approx(near_tree.forces(0, q, u), rel=1e-12)
    udot = near_tree.forward_dynamics(0, q, u)[0]
    assert far_tree.forward_dynamics(0, q, u)[0] == pytest.approx(udot, rel=1e-12)
    assert far_tree.mass_matrix(0, q) == pytest.approx(near_tree.mass_matrix(0, q), rel=1e-12)
    tip = [x.marker(0, q, u, "5", mb.Frame([1, 0, 0])) for x in (near_tree, far_tree)]
    assert np.abs(tip[1].J_S - tip[0].J_S).max() <= 1e-13


def test_a_massless_end_is_reported() -> None:
    """M is singular: the message names the velocity, and nothing is divided by zero."""
    rod = mb.Body("rod", 1.0, np.array([0.5, 0, 0]), 0.1 * np.eye(3), mb.RevoluteJoint())
    point = mb.Body("tip", 0.0, np.zeros(3), np.zeros((3, 3)), mb.RevoluteJoint(), "rod")
    evaluation = mb.TreeEvaluation(mb.Tree([rod, point]))
    assert evaluation.forward_dynamics(0, np.zeros(2), np.ones(2))[1] == 1
    assert evaluation.solve_inertia(0, np.zeros(2), np.eye(2))[1] == 1


def test_massless_parts_between_bodies_are_allowed() -> None:
    """Two massless revolute joints and a rod are a universal joint."""
    inertia = np.diag([0.1, 0.2, 0.25])
    none = np.zeros((3, 3))
    center = np.array([0.1, 0.2, 0.5])
    cross = mb.Body("cross", 0.0, np.zeros(3), none, mb.RevoluteJoint([1, 0, 0]))
    parts = mb.Tree(
        [cross, mb.Body("rod", 1.0, center, inertia, mb.RevoluteJoint([0, 1, 0]), "cross")]
    )
    whole = mb.Tree([mb.Body("rod", 1.0, center, inertia, mb.UniversalJoint())])
    rng = np.random.default_rng(3)
    for _ in range(10):
        q, u, tau = rng.normal(size=(3, 2))
        udot = [mb.TreeEvaluation(x).forward_dynamics(0, q, u, tau)[0] for x in (parts, whole)]
        assert udot[0] == pytest.approx(udot[1], rel=1e-12)


def test_fully_prescribed_motion_has_no_coordinates() -> None:
    motion = excited(np.random.default_rng(0), 0, True)
    body = mb.Body("cam", 1.0, np.zeros(3), np.eye(3), mb.RevoluteJoint(), motions=[motion])
    tree = mb.Tree([body])
    assert (tree.nq, tree.nu, tree.rheonomic) == (0, 0, True)
    evaluation = mb.TreeEvaluation(tree)
    nothing = np.zeros(0)
    assert evaluation.forward_dynamics(0.3, nothing, nothing)[0].shape == (0,)
    assert evaluation.marker(0.3, nothing, nothing, "cam").Omega[2] != 0.0
