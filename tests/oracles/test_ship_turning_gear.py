"""Matched motions of the oscillator with backlash agree with integration, and have folds."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.oracles.ship_turning_gear import Symmetric, folds


@pytest.mark.parametrize(("stay", "r"), [(0.4, 0.8), (2.0, 0.8), (3.3, 0.8), (3.0, 0.6)])
def test_a_matched_motion_comes_back(stay: float, r: float) -> None:
    motion = Symmetric(stay, r)
    v, h, c, s = motion.entry
    phase = np.arctan2(s, c)

    def rhs(t: float, y: np.ndarray) -> list[float]:
        force = y[0] - np.clip(y[0], -h, h)
        return [y[1], np.cos(r * t + phase) - 0.1 * y[1] - force]

    run = solve_ivp(
        rhs, (0.0, 2.0 * motion.half), [h, v], "DOP853", rtol=1e-11, atol=1e-12, max_step=0.05
    )
    assert run.y[:, -1] == pytest.approx([h, v], abs=1e-8)  # measured 4e-10: kinks inside steps
    assert np.abs(run.y[0]).max() == pytest.approx(motion.amplitude, rel=1e-3)
    assert motion.state(motion.half)[:2] == pytest.approx([-h, -v], abs=1e-12)


def test_multipliers_have_the_product_of_the_damping_and_are_one_at_a_fold() -> None:
    """det = exp(-2 D_L T), and a multiplier is 1 at an extremum of the backlash."""
    for stay, _ in folds(0.8):
        multipliers = Symmetric(stay, 0.8).multipliers
        assert np.prod(multipliers) == pytest.approx(np.exp(-0.1 * 2.0 * np.pi / 0.8), rel=1e-12)
        assert multipliers[0] == pytest.approx(1.0, abs=5e-6)  # measured 9e-7: error of the stay


def test_short_stays_begin_at_the_play_of_the_free_mass() -> None:
    for r in (0.6, 0.8, 0.9):
        free = 2.0 / np.hypot(r**2, 0.1 * r)
        assert Symmetric(1e-4, r).play == pytest.approx(free, abs=1e-8)
