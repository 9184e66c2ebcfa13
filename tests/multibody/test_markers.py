"""Kinematics of markers against differences of positions and of velocities along a motion."""

import numpy as np
import pytest
from hypothesis import given

from nsmb._core import multibody as mb
from tests.multibody.random_trees import frame, law, state, trees

STENCIL = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60), (-1, -45 / 60), (-2, 9 / 60), (-3, -1 / 60))
STEP = 1e-3  # error of the sixth-order stencil 1e-18 f(7), rounding 1e-13


def spin(A_dot, A):
    W = A_dot @ A.T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


@law
@given(trees(rheonomic=True))
def test_velocities_and_accelerations_are_derivatives(case) -> None:
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    udot = rng.normal(size=tree.nu)
    place = frame(rng)
    here = evaluation.marker(t, q, u, "tip", place)
    assert here.v == pytest.approx(here.J_S @ u + here.j_tilde_S, abs=1e-12)
    assert here.Omega == pytest.approx(here.J_R @ u + here.j_tilde_R, abs=1e-12)

    # Only first derivatives enter, so a straight line in (q, u) is sufficient.
    qdot = tree.coordinate_rates(q, u)
    r_dot, A_dot, v_dot, Omega_dot = np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    for k, w in STENCIL:
        s = k * STEP
        there = evaluation.marker(t + s, q + s * qdot, u + s * udot, "tip", place)
        r_dot += w / STEP * there.r
        A_dot += w / STEP * there.A
        v_dot += w / STEP * there.v
        Omega_dot += w / STEP * there.Omega
    scale = 1.0 + np.abs(v_dot).max() + np.abs(Omega_dot).max()
    assert here.v == pytest.approx(r_dot, abs=1e-9 * scale)
    assert here.Omega == pytest.approx(spin(A_dot, here.A), abs=1e-9 * scale)
    assert here.J_S @ udot + here.j_bar_S == pytest.approx(v_dot, abs=1e-8 * scale)
    assert here.J_R @ udot + here.j_bar_R == pytest.approx(Omega_dot, abs=1e-8 * scale)


@law
@given(trees())
def test_forces_act_through_the_jacobians(case) -> None:
    """h changes by J_S'F + J_R'M, (3.11)."""
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    place = frame(rng)
    here = evaluation.marker(t, q, u, "tip", place)
    F, M = rng.normal(size=(2, 3))
    change = evaluation.forces(t, q, u, [("tip", here.r, F, M)]) - evaluation.forces(t, q, u)
    scale = 1.0 + np.abs(evaluation.forces(t, q, u)).max(initial=0.0)
    assert change == pytest.approx(here.J_S.T @ F + here.J_R.T @ M, abs=1e-13 * scale)


@law
@given(trees(rheonomic=True))
def test_rotations_stay_proper(case) -> None:
    tree, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    here = evaluation.marker(t, q, u, "tip")
    assert np.abs(here.A.T @ here.A - np.eye(3)).max() <= 1e-13
    assert np.linalg.det(here.A) == pytest.approx(1.0, abs=1e-13)
    assert tree.normalise(q) == pytest.approx(q, abs=1e-15)


def test_the_environment_does_not_move() -> None:
    rod = mb.Body("rod", 1.0, np.zeros(3), np.eye(3), mb.RevoluteJoint())
    evaluation = mb.TreeEvaluation(mb.Tree([rod]))
    wall = evaluation.marker(0, np.ones(1), np.ones(1), "environment", mb.Frame([1, 2, 3]))
    assert wall.r == pytest.approx([1, 2, 3], abs=0)
    for zero in (wall.v, wall.Omega, wall.J_S, wall.J_R, wall.j_bar_S, wall.j_tilde_S):
        assert not np.any(zero)


@law
@given(trees())
def test_quaternion_rates_keep_the_length(case) -> None:
    tree, rng = case
    _, q, u = state(tree, rng)
    step = 1e-4
    moved = q + step * tree.coordinate_rates(q, u)
    # |p + s p'|² = 1 + s² |p'|²: normalising changes second-order terms only
    assert np.abs(tree.normalise(moved) - moved).max(initial=0.0) <= step**2 * (1 + u @ u)
