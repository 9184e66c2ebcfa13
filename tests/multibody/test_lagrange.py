"""M, h and energies of the recursions agree with the Lagrangian equations from SymPy."""

from collections.abc import Callable

import numpy as np
import pytest

from nsmb._core import multibody as mb
from tests.multibody.lagrange import Array, lagrange_of_energies
from tests.multibody.mechanisms import BUILDERS, mechanism

# Largest differences over 1300 states: M 2e-15, h 5e-15, energies 2e-14 of the scales below.
TOLERANCE = 1e-12


def derivative_along(function: Callable[[Array], Array], x: Array, v: Array) -> Array:
    """Return a derivative by a complex step, exact to rounding."""
    return np.imag(function(x + 1e-30j * v)) / 1e-30


@pytest.mark.parametrize("name", BUILDERS)
def test_recursion_equals_lagrange(name: str) -> None:
    case = mechanism(name)
    evaluation = mb.TreeEvaluation(case.tree)
    rng = np.random.default_rng(len(name))
    for _ in range(20):
        time = rng.uniform(0.0, 5.0)
        x = rng.uniform(-1.4, 1.4, case.f)
        v = rng.normal(size=case.f)
        B = np.eye(case.f) if case.u_tree is None else case.u_tree(x)
        q = x if case.q_tree is None else case.q_tree(x)
        u = B @ v
        M_true = np.array(case.equations.M(time, x, v), float)
        h_true = np.array(case.equations.h(time, x, v), float).ravel()
        energies = np.array(case.equations.energies(time, x, v), float).ravel()

        M = evaluation.mass_matrix(time, q)
        h = evaluation.forces(time, q, u)
        # M u' = h with u' = B x'' + B' x', written for x''
        bias = np.zeros(case.f)
        if case.u_tree is not None:
            bias = derivative_along(case.u_tree, x, v) @ v
        assert np.abs(B.T @ M @ B - M_true).max() <= TOLERANCE * np.abs(M_true).max()
        scale = np.abs(h_true).max() + np.abs(M_true).max() * np.abs(v).max() ** 2
        assert np.abs(B.T @ (h - M @ bias) - h_true).max() <= TOLERANCE * scale
        assert evaluation.energies(time, q, u) == pytest.approx(energies, rel=TOLERANCE, abs=1e-12)
        assert np.array_equal(M, M.T)


@pytest.mark.parametrize("name", ["pendulum on cart", "double pendulum", "shaken pendulum"])
def test_both_ways_to_lagrange_agree(name: str) -> None:
    """Positions and rotation matrices against energies with angular velocities."""
    case = mechanism(name)
    plain = lagrange_of_energies(*case.motion)
    x, v = np.random.default_rng(0).normal(size=(2, case.f))
    for part in ("M", "h", "energies"):
        a, b = (np.ravel(getattr(e, part)(0.7, x, v)) for e in (case.equations, plain))
        assert a == pytest.approx(b, abs=1e-13 * np.abs(b).max())


def test_there_are_ten_mechanisms() -> None:
    assert len(BUILDERS) >= 10


def test_coordinates_keep_the_order_of_the_bodies() -> None:
    """The four-bar lists the coupler before the crank that carries it."""
    assert mechanism("four-bar").tree.coordinates == ["coupler", "rocker", "crank"]


def test_free_body_obeys_euler() -> None:
    """I ω' + ω x I ω = 0 about the centre of mass, in body components, and v' = g."""
    inertia = np.diag([1.0, 2.0, 2.5])
    stone = mb.Body("stone", 3.0, np.zeros(3), inertia, mb.FreeJoint())
    evaluation = mb.TreeEvaluation(mb.Tree([stone], np.array([0, 0, -9.81])))
    rng = np.random.default_rng(0)
    for _ in range(20):
        q = rng.normal(size=7)
        v, omega = rng.normal(size=(2, 3))
        q[3:] /= np.linalg.norm(q[3:])
        udot, massless = evaluation.forward_dynamics(0.0, q, np.concatenate([v, omega]))
        euler = -np.linalg.solve(inertia, np.cross(omega, inertia @ omega))
        assert massless == -1
        assert udot[:3] == pytest.approx([0, 0, -9.81], abs=1e-13)
        assert udot[3:] == pytest.approx(euler, abs=1e-13)
