"""Periods of sequences, and the cascade of the logistic map x -> r x (1 - x)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import root

from nsmb.analysis import feigenbaum, find_period
from tests.support.draws import numbers

ACCUMULATION = 3.569945671870944901842  # of the logistic map, OEIS A098587


def orbit(r: float, count: int, skip: int = 5000) -> np.ndarray:
    x, points = 0.3, []
    for k in range(skip + count):
        x = r * x * (1 - x)
        if k >= skip:
            points.append(x)
    return np.array(points)


def doubling(period: int, r: float) -> float:
    """Return the value near r at which the orbit of that period has the multiplier -1."""

    def residual(z: np.ndarray) -> list[float]:
        x, multiplier = z[0], 1.0
        for _ in range(period):
            multiplier *= z[1] * (1 - 2 * x)
            x = z[1] * x * (1 - x)
        return [x - z[0], multiplier + 1.0]

    found = root(residual, [orbit(r, 1)[0], r], tol=1e-14)
    assert np.abs(found.fun).max() < 1e-11
    return float(found.x[1])


@pytest.mark.parametrize(
    ("r", "period"), [(2.9, 1), (3.2, 2), (3.5, 4), (3.55, 8), (3.8319, 3), (3.9, 0)]
)
def test_periods_of_the_logistic_map(r: float, period: int) -> None:
    assert find_period(orbit(r, 100), 1e-8) == period


@given(
    period=st.integers(1, 12),
    cycles=st.integers(2, 5),
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 3),
)
def test_a_repeated_block_is_found(period: int, cycles: int, seed: int, d: int) -> None:
    block = np.random.default_rng(seed).normal(size=(period, d))
    points = np.tile(block, (cycles, 1))
    assert find_period(points) == period
    assert find_period(points, max_period=period - 1) == 0
    assert find_period(np.hstack([points, np.zeros((len(points), 1))])) == period


def test_offsets_hide_a_motion_unless_its_size_is_given() -> None:
    points = 1e6 + np.tile([0.0, 1.0], 10)
    assert find_period(points) == 1
    assert find_period(points, scale=1.0) == 2


def test_rounding_errors_of_what_a_section_keeps_constant_do_not_hide_a_period() -> None:
    """On crossing("x_dot") the velocity is zero up to rounding."""
    noise = 1e-15 * np.random.default_rng(0).normal(size=40)
    assert find_period(np.column_stack([np.tile([1.0, 2.0], 20), noise])) == 2


def test_what_is_seen_only_once_is_no_period() -> None:
    assert find_period([1.0, 2.0, 3.0, 1.0, 2.0]) == 0
    assert find_period([1.0, 2.0, 3.0, 1.0, 2.0, 3.0]) == 3
    assert find_period([1.0]) == find_period([]) == 0


def test_cascade_of_the_logistic_map() -> None:
    """Measured errors: limit 1.9e-7, with the universal δ 1.2e-7, last ratio 1.0e-3."""
    near = [2.99, 3.44, 3.543, 3.5643, 3.56875]
    values = [doubling(2**k, r) for k, r in enumerate(near)]
    assert values[0] == pytest.approx(3.0, abs=1e-9)
    assert values[1] == pytest.approx(1 + np.sqrt(6), abs=1e-9)
    cascade = feigenbaum(values)
    assert cascade.limit == pytest.approx(ACCUMULATION, abs=1e-6)
    assert cascade.limit_universal == pytest.approx(ACCUMULATION, abs=1e-6)
    assert cascade.deltas[-1] == pytest.approx(cascade.universal_delta, abs=5e-3)
    errors = np.abs(cascade.limits - ACCUMULATION)
    assert (errors[1:] < errors[:-1] / 4).all()


@given(numbers(1.5, 10.0), numbers(-5.0, 5.0), st.sampled_from([-1.0, 1.0]))
def test_geometric_sequences_have_their_exact_limit(
    delta: float, limit: float, sign: float
) -> None:
    cascade = feigenbaum([limit - sign * delta**-k for k in range(4)])
    assert cascade.limits == pytest.approx([limit] * 2, abs=1e-9)
    assert cascade.deltas == pytest.approx([delta] * 2, rel=1e-8)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], r"three doublings or more, got 2"),
        ([1.0, 2.0, 1.5], r"rising or falling"),
        ([1.0, 2.0, 4.0], r"is a doubling missing\?"),
    ],
)
def test_what_is_no_cascade_is_refused(values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        feigenbaum(values)


def test_senseless_points_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        find_period([1.0, np.nan])
    with pytest.raises(ValueError, match=r"shape \(m,\) or \(m, d\)"):
        find_period(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="tol: expected a number >= 0"):
        find_period([1.0, 1.0], -1.0)
    with pytest.raises(ValueError, match="scale: expected a number or shape"):
        find_period(np.zeros((4, 2)), scale=[1.0, 1.0, 1.0])
