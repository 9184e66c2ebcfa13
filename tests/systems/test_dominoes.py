"""Dominoes agree with van Leeuwen's train: times of hits, wave speed and energy loss."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import dominoes

Array = NDArray[np.float64]

TURNS = 0.05  # rad/s, exceeded only by dominoes that have been hit


def hits(system: nsmb.MultibodySystem, step: float, t_end: float) -> tuple[Array, nsmb.Solution]:
    """Return the times in s at which the dominoes after the first start to rotate, and the run."""
    method = nsmb.Midpoint(step)
    sol = nsmb.simulate(system, t_end, method=method, output_step=step)
    assert sol.step_residual.max() < 1e-7
    rate = sol.u.reshape(sol.t.size, -1, 6)[:, 1:, 4]
    assert (rate.max(axis=0) > 1.0).all()
    return np.asarray(sol.t[np.argmax(rate > TURNS, axis=0)]), sol


@pytest.mark.parametrize("changes", [{}, {"s": 0.01, "omega": 8.0}, {"d": 0.012, "s": 0.03}])
def test_each_is_hit_when_the_train_says(changes: dict[str, float]) -> None:
    """Times agree to the order of the step, with less than 2 steps measured over six dominoes."""
    expected = dominoes.times(n=6, **changes)
    system = dominoes(n=6, **changes)
    errors = []
    for step in (4e-4, 2e-4):
        found, _ = hits(system, step, expected[-1] + 0.01)
        errors.append(np.abs(found - expected).max())
        assert errors[-1] < 5.0 * step
    assert errors[1] < errors[0]


def test_the_wave_of_a_long_row_has_the_speed_of_an_endless_one() -> None:
    """After twelve dominoes the train is within 4 % of its limit speed.

    The run is within 1 % of the train, three steps of 350 between the hits.
    """
    n = 12
    expected = dominoes.times(n=n)
    found, _ = hits(dominoes(n=n), 2e-4, expected[-1] + 0.005)
    pitch = 0.0275
    speed = 3.0 * pitch / (found[-1] - found[-4])
    train = 3.0 * pitch / (expected[-1] - expected[-4])
    assert speed == pytest.approx(train, rel=0.01)
    assert speed == pytest.approx(dominoes.speed(), rel=0.05)
    # The limit speed does not depend on the push.
    assert dominoes.speed(omega=9.0) == pytest.approx(dominoes.speed(), rel=1e-9)


def test_a_hit_leaves_one_half_of_the_energy_of_the_first() -> None:
    """The share is S/(S + 1) with S = 1 before the second one falls, averaged over two steps."""
    system = dominoes(n=2)
    found, sol = hits(system, 1e-4, 0.1)
    row = int(np.searchsorted(sol.t, found[0]))
    kinetic = sol.energy.kinetic
    assert kinetic[row + 1] / kinetic[row - 2] == pytest.approx(0.5, abs=0.01)
    # No energy is lost before, while the first one rotates about its edge.
    before = sol.energy.total[: row - 2]
    assert np.ptp(before) < 1e-4 * sol.energy.kinetic[0]


def test_the_push_has_to_lift_the_first_one_over_its_edge() -> None:
    """The limit is ½ (h² + d²)/3 ω² = g (√(h² + d²) - h)/2."""
    h, d, g = 0.048, 0.0075, 9.81
    least = np.sqrt(3.0 * g * (np.hypot(h, d) - h) / (h**2 + d**2))
    with pytest.raises(ValueError, match="must be large enough for all dominoes to fall, got"):
        dominoes.times(n=2, omega=0.99 * least)
    assert dominoes.times(n=2, omega=1.01 * least)[0] > 0.1
    method = nsmb.Midpoint(2e-4)
    for push, falls in ((0.98, False), (1.02, True)):
        sol = nsmb.simulate(dominoes(n=2, omega=push * least), 0.35, method=method)
        assert (sol.q[-1, 12] > 0.05) == falls  # the second one has rotated


def test_the_speed_grows_with_the_root_of_the_size() -> None:
    """The speed of one shape scales with √(g h)."""
    larger = {"h": 0.192, "d": 0.03, "s": 0.08, "omega": 3.0}
    assert dominoes.speed(**larger) == pytest.approx(2.0 * dominoes.speed(), rel=1e-9)
    assert dominoes.speed(g=4 * 9.81, omega=12.0) == pytest.approx(2 * dominoes.speed(), rel=1e-9)


def test_feet_hold_with_the_friction_that_the_train_assumes_and_slide_without() -> None:
    """The front lower edge of the second domino follows from its centre and its rotation."""
    d, h = 0.0075, 0.048
    ways = []
    for mu in (3.0, 0.2):
        _, sol = hits(dominoes(n=2, mu_floor=mu), 2e-4, 0.1)
        q = sol.q[:, 7:]
        angle = 2.0 * np.arctan2(q[:, 5], q[:, 3])
        foot = q[:, 0] + 0.5 * d * np.cos(angle) - 0.5 * h * np.sin(angle)
        ways.append(np.ptp(foot))
    assert ways[0] < 2e-5
    assert ways[1] > 1e-4


def test_rows_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'n': expected two dominoes at least, got 1"):
        dominoes(n=1)
    with pytest.raises(
        ValueError, match=r"parameter 's': expected less than h = 0\.048, got 0\.05"
    ):
        dominoes(s=0.05)


def test_a_row_that_has_fallen_comes_to_rest() -> None:
    """Every step is solved.

    An edge that rolls at one end and slides at the other gets no contradictory velocities, which
    took ten times the work.
    """
    system = dominoes()
    sol = nsmb.simulate(system, 0.5, method=nsmb.Midpoint(5e-4), output_step=0.5)
    assert sol.stats["missed_steps"] == sol.stats["locked_steps"] == 0
    assert sol.stats["solver_iterations"] < 50 * sol.stats["steps"]
