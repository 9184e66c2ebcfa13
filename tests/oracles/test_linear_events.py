"""The event-driven oracle agrees with closed forms."""

import numpy as np
import pytest

from tests.oracles.linear_events import System, run


def system(n, force, W_N, W_T, mu, e_N, gap=0.0, K=0.0):
    k = W_N.shape[1]
    zero = np.zeros(k)
    return System(
        np.eye(n), K * np.eye(n), np.zeros((n, n)), force, W_N, W_T, np.full(k, gap), zero, zero,
        np.full(k, mu), np.full(k, e_N),
    )  # fmt: skip


def test_a_ball_falls_and_bounces():
    ball = system(1, lambda t: np.array([-9.81]), np.ones((1, 1)), np.zeros((1, 1)), 0.0, 0.5)
    motion = run(ball, [1.0], [0.0], 1.5)
    first = np.sqrt(2.0 / 9.81)
    assert motion.impacts[:3] == pytest.approx([first, 2.0 * first, 2.5 * first])


def test_a_block_on_a_spring_comes_to_rest_where_friction_holds_it():
    """Half swings about ∓ μ g/k = ∓ 0.025 reach 0.18, -0.13, 0.08, -0.03, and rest at -0.02."""
    W_N, W_T = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])
    block = system(2, lambda t: np.array([0.0, -10.0]), W_N, W_T, 0.25, 0.0)
    block.K = np.diag([100.0, 0.0])
    motion = run(block, [0.18, 0.0], [0.0, 0.0], 1.5)
    half = np.pi / 10.0
    assert motion.changes == pytest.approx(half * np.arange(1, 5), abs=1e-8)
    assert motion.end == "end"
    assert motion.at(1.4)[0] == pytest.approx(-0.02, abs=1e-9)


def test_what_has_several_answers_ends_the_motion():
    rod = system(1, lambda t: np.array([-1.0]), np.ones((1, 2)), np.zeros((1, 2)), 0.0, 0.0)
    assert run(rod, [0.0], [0.0], 1.0).end in ("dependent contacts", "no force")
