"""Chains of inertias, and reduced chains with the same lowest frequencies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nsmb.systems._chains import Chain
from tests.support.draws import numbers

Array = NDArray[np.float64]
sizes = st.lists(numbers(0.1, 10.0), min_size=3, max_size=9)


def chain_of(values: list[float]) -> Chain:
    """Return a chain with inertias and stiffnesses from the same numbers in different orders."""
    return Chain.damped(values, values[::-1][:-1], 0.01)


def receptance(M: Array, D: Array, K: Array, s: complex) -> complex:
    """Return the receptance of the first mass."""
    response = np.linalg.solve(M * s**2 + D * s + K, np.eye(len(M))[0])
    return complex(response[0])


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_a_uniform_chain_has_the_frequencies_of_the_closed_form(n: int) -> None:
    """With free ends, ω_k = 2 sqrt(c/I) sin(kπ/2n)."""
    chain = Chain.damped(np.full(n, 2.0), np.full(n - 1, 8.0), 0.0)
    omega = 4.0 * np.sin(np.arange(n) * np.pi / (2 * n))
    np.testing.assert_allclose(2.0 * np.pi * chain.frequencies(), omega, atol=1e-13)


@given(sizes, numbers(0.3, 5.0))
@settings(max_examples=30, derandomize=True, deadline=None)
def test_behind_a_gear_a_chain_keeps_its_frequencies_and_energies(
    values: list[float], ratio: float
) -> None:
    chain = chain_of(values)
    felt = chain.behind(ratio)
    np.testing.assert_allclose(felt.frequencies(), chain.frequencies(), atol=1e-12)
    own = np.linspace(1.0, 2.0, len(chain))
    for before, after in zip(chain.matrices(), felt.matrices(), strict=True):
        assert (ratio * own) @ after @ (ratio * own) == pytest.approx(own @ before @ own, rel=1e-12)


@given(sizes, st.data())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_a_reduced_chain_keeps_the_lowest_modes(values: list[float], data: st.DataObject) -> None:
    """The modes keep ω², damping, and their contribution to the receptance of the first mass."""
    chain = chain_of(values)
    masses = data.draw(st.integers(2, len(chain)))
    fewer = chain.reduced(masses)
    assert len(fewer) == masses
    assert fewer.I.sum() == pytest.approx(chain.I.sum(), rel=1e-9)
    # Measured: 1e-10, with the largest errors for nearly decoupled ends.
    np.testing.assert_allclose(fewer.frequencies(), chain.frequencies()[:masses], rtol=1e-6)
    squares, modes = chain.modes()
    s = 0.3 + 0.4j
    kept = (modes[0] ** 2 / (s**2 + 0.01 * s * squares + squares))[:masses].sum()
    assert receptance(*fewer.matrices(), s) == pytest.approx(kept, rel=1e-6)


def test_joined_chains_are_one_chain() -> None:
    first, second = chain_of([1.0, 2.0, 3.0]), chain_of([4.0, 5.0, 6.0])
    both = first.then(7.0, second, 0.5)
    M, D, K = both.matrices()
    np.testing.assert_allclose(np.diag(M), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    np.testing.assert_allclose(K @ np.ones(6), 0.0)
    assert K[2, 3] == -7.0
    assert D[2, 3] == -0.5


def test_wrong_chains_are_refused() -> None:
    with pytest.raises(ValueError, match=r"I: expected numbers > 0, got \[1.0, 0.0\]"):
        Chain.damped([1.0, 0.0], [1.0], 0.0)
    with pytest.raises(ValueError, match="c: expected"):
        Chain.damped([1.0, 1.0], [1.0, 1.0], 0.0)
    with pytest.raises(ValueError, match=r"d: expected numbers >= 0, got \[-1.0\]"):
        Chain(np.ones(2), np.ones(1), -np.ones(1))
    with pytest.raises(ValueError, match="masses: expected a number from 1 to 2, got 3"):
        Chain.damped([1.0, 1.0], [1.0], 0.0).reduced(3)
    with pytest.raises(ValueError, match="d: expected dampings proportional to stiffnesses"):
        Chain(np.ones(3), np.ones(2), np.array([0.0, 1.0])).reduced(2)
    with pytest.raises(ValueError, match=r"c: expected numbers > 0 for a reduction"):
        Chain.damped([1.0, 1.0, 1.0], [1.0, 0.0], 0.0).reduced(2)
    with pytest.raises(ValueError, match="ratio: expected a finite number other than 0"):
        Chain.damped([1.0], [], 0.0).behind(0.0)
