"""The enumeration agrees with closed forms of the book."""

import numpy as np
import pytest

from tests.oracles.contact_modes import distinct, poisson, solve


def block(force, mu, sliding=0.0):
    W_N, W_T = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])
    zero = np.zeros(1)
    return solve(
        np.eye(2), W_N, W_T, np.array(force), zero, zero, np.array([mu]), np.array([sliding])
    )


@pytest.mark.parametrize(("pull", "rate"), [(1.0, 0.0), (2.9, 0.0), (5.0, 2.0), (-5.0, -2.0)])
def test_a_block_sticks_below_the_limit_and_slides_beyond(pull, rate):
    (outcome,) = distinct(block([pull, -10.0], 0.3))
    assert outcome.value == pytest.approx([rate, 0.0], abs=1e-12)
    assert outcome.lambda_N == pytest.approx([10.0])


def test_a_block_that_is_lifted_leaves():
    (outcome,) = distinct(block([1.0, 3.0], 0.3))
    assert outcome.value == pytest.approx([1.0, 3.0])


def test_painleves_rod_has_no_solution_beyond_its_critical_friction():
    """The rod of half length 1 with J = m/3 slides right at 60 degrees (5.29)."""
    angle = np.radians(60.0)
    W_N = np.array([[0.0], [1.0], [-np.cos(angle)]])
    W_T = np.array([[1.0], [0.0], [-np.sin(angle)]])
    Minv, zero = np.diag([1.0, 1.0, 3.0]), np.zeros(1)
    critical = (1.0 + 3.0 * np.cos(angle) ** 2) / (3.0 * np.sin(angle) * np.cos(angle))
    free, spin = np.array([0.0, -10.0, 0.0]), np.zeros(1)
    for mu, count in ((0.95 * critical, 1), (1.05 * critical, 0)):
        found = solve(Minv, W_N, W_T, free, spin, zero, np.array([mu]), np.array([1.0]))
        assert len(distinct(found)) == count


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_a_ball_bounces_with_its_restitution(e):
    one, zero = np.ones((1, 1)), np.zeros(1)
    (u,) = poisson(one, one, 0.0 * one, np.array([-2.0]), zero, zero, zero, np.array([e]))
    assert u == pytest.approx([2.0 * e])


def test_a_mass_that_strikes_obliquely_loses_what_friction_takes():
    """The loss is μ Λ_N = μ (1 + e) m v_N while the mass keeps sliding."""
    W_N, W_T, zero = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]), np.zeros(1)
    (u,) = poisson(
        np.eye(2), W_N, W_T, np.array([3.0, -1.0]), zero, zero, np.array([0.2]), np.array([0.5])
    )
    assert u == pytest.approx([3.0 - 0.2 * 1.5, 0.5])


def test_a_rocking_plate_restores_each_corner_by_its_own_compression():
    """The far corner lifts off, because the plate is light at its rim."""
    W_N = np.array([[1.0, 1.0], [-1.0, 1.0]])
    zero, Minv = np.zeros(2), np.diag([1.0, 1.0])  # G_12 = 0, the corners are uncoupled
    (u,) = poisson(
        Minv, W_N, 0.0 * W_N, np.array([-1.0, 0.5]), zero, zero, zero, np.array([0.5, 0.5])
    )
    assert W_N.T @ u == pytest.approx([0.75, 0.25])
