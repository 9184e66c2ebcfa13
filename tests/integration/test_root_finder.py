"""First sign change of a polynomial on (0, 1]: none is missed, none is spurious."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from nsmb._core.integration import first_crossing
from tests.support.draws import numbers


def from_roots(roots: list[float], sign: float) -> np.ndarray:
    return sign * Polynomial.fromroots(roots).coef


def test_a_polynomial_without_sign_change_has_no_crossing() -> None:
    for c in ([1.0], [1.0, 2.0, 3.0], [0.5, -1.0, 0.6], [1.0, 0.0, 0.0], [0.0, 0.0]):
        assert first_crossing(np.array(c)) > 1.0


def test_negative_at_once_is_zero() -> None:
    assert first_crossing(np.array([-1e-300, 1.0])) == 0.0
    assert first_crossing(np.array([0.0, -1.0, 5.0])) == 0.0
    assert first_crossing(np.array([0.0, 0.0, 0.0, -1e-20])) == 0.0


def test_a_known_zero_at_the_start_does_not_count() -> None:
    """c_0 = 0 exactly: s (r - s) leaves zero upwards and returns at r, however small r is."""
    for r in (0.5, 1e-3, 1e-8, 1e-12, 1e-15):
        np.testing.assert_allclose(first_crossing(np.array([0.0, r, -1.0])), r, rtol=1e-14)
    np.testing.assert_allclose(first_crossing(np.array([0.0, 0.0, 0.25, -1.0])), 0.25, rtol=1e-14)


def test_a_root_at_the_right_end_belongs_to_the_step() -> None:
    assert first_crossing(np.array([1.0, -1.0, -1e-12])) <= 1.0
    assert first_crossing(np.array([1.0, -1.0])) > 1.0  # touches zero, but is not negative


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_two_roots_close_together_are_both_seen(gap: float) -> None:
    c = from_roots([0.6, 0.6 + gap], 1.0)
    # Conditioning of a root at distance gap from another one: eps / gap.
    np.testing.assert_allclose(first_crossing(c), 0.6, atol=10 * 2.2e-16 / gap)
    assert first_crossing(c + 0.26 * gap**2) > 1.0


def test_a_root_where_the_step_is_split_does_not_hide_the_one_before_it() -> None:
    roots = np.sort([0.5, 0.6485222588865818, 0.41826438298622515, -1.0475414942673016])
    real, imaginary = -0.474609375, 0.05
    p = Polynomial.fromroots(roots) * Polynomial([real**2 + imaginary**2, -2.0 * real, 1.0])
    c = p.coef / np.abs(p.coef).max()
    assert abs(first_crossing(c * np.sign(c[0])) - roots[1]) < 1e-12
    assert abs(first_crossing(from_roots([0.25, 0.5, 2.0], -1.0)) - 0.25) < 1e-14


def test_a_double_root_touches_and_does_not_cross() -> None:
    for place in (0.25, 0.5, 0.75):  # exact in binary
        assert first_crossing(from_roots([place, place], 1.0)) > 1.0
    assert first_crossing(from_roots([0.5, 0.5, 0.75], -1.0)) == pytest.approx(0.75, abs=1e-12)


@settings(deadline=None, derandomize=True, max_examples=1000)
@given(
    roots=st.lists(numbers(-1.5, 2.5), min_size=1, max_size=8, unique=True),
    pairs=st.lists(st.tuples(numbers(-1.0, 2.0), numbers(0.05, 2.0)), max_size=3),
)
def test_first_of_random_roots_is_found(
    roots: list[float], pairs: list[tuple[float, float]]
) -> None:
    ordered = np.sort(roots)
    assume(np.abs(ordered).min() > 0.02)
    assume(np.abs(ordered - 1.0).min() > 0.02)
    assume(len(ordered) == 1 or np.diff(ordered).min() > 0.02)
    p = Polynomial.fromroots(ordered)
    for real, imaginary in pairs:  # complex roots bend it without a sign change
        p = p * Polynomial([real**2 + imaginary**2, -2.0 * real, 1.0])
    c = p.coef / np.abs(p.coef).max()
    c = c * np.sign(c[0])
    inside = ordered[(ordered > 0.0) & (ordered < 1.0)]
    found = first_crossing(c)
    if inside.size == 0:
        assert found > 1.0
        return
    slope = abs(Polynomial(c).deriv()(inside[0]))
    # Coefficients are rounded: eps Σ|c_i| over the slope at the root, times the degree.
    tolerance = 40 * 2.2e-16 * np.abs(c).sum() / slope
    assert abs(found - inside[0]) <= tolerance + 1e-15


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    amplitude=numbers(0.1, 2.0),
    phase=numbers(0.0, 6.28),
    omega=numbers(0.1, 3.4),
    offset=numbers(-1.0, 3.0),
)
def test_series_of_a_vibration_agrees_with_a_fine_grid(
    amplitude: float, phase: float, omega: float, offset: float
) -> None:
    """offset + amplitude cos(ω s + φ) as power series of order 30, as in the closed-form flow."""
    k = np.arange(31)
    factorial = np.cumprod(np.r_[1.0, k[1:]])
    c = amplitude * omega**k * np.cos(phase + k * np.pi / 2.0) / factorial
    c[0] += offset
    s = np.linspace(0.0, 1.0, 20001)
    value = offset + amplitude * np.cos(omega * s + phase)
    assume(np.abs(value).min() > 1e-7 or np.ptp(np.sign(value)) > 0)
    found = first_crossing(c)
    negative = np.flatnonzero(value < -1e-13)
    if value[0] < 0:
        assert found == 0.0
    elif negative.size == 0:
        assert found > 1.0 or abs(np.interp(found, s, value)) < 1e-8
    else:
        assert s[negative[0]] - 1e-4 <= found <= s[negative[0]] + 1e-12


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    start=numbers(1e-6, 1.0),
    slope=numbers(-1.0, 3.0),
    bends=st.lists(numbers(0.0, 2.0), min_size=1, max_size=12),
)
def test_a_polynomial_that_bends_down_throughout_crosses_once_or_not_at_all(
    start: float, slope: float, bends: list[float]
) -> None:
    """p'' < 0: one crossing where p(1) < 0, none where p(1) > 0, and it is the root of p."""
    c = np.array([start, slope, -1e-3 - bends[0], *(-b for b in bends[1:])])
    end = c.sum()
    assume(abs(end) > 1e-12)
    s = first_crossing(c)
    if end > 0.0:
        assert s > 1.0
        return
    p = Polynomial(c)
    # Rounding of p at its zero, divided by its slope there, which is at least start / 1.
    assert 0.0 < s <= 1.0
    assert abs(p(s)) <= 1e-14 * np.abs(c).sum()
    assert p.deriv()(s) < 0.0
