"""The oracle reproduces motions in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.oracles.vibro_impact_scipy import gear_rattling, impact_oscillator, section_points


def test_a_free_oscillator_comes_back_to_its_stop_every_half_period() -> None:
    """x'' = -x from x = -1 with a stop at 0 has impacts at (k - 1/2) π with speeds e^k after them.

    Measured errors are 7e-12 and 1.4e-10.
    """
    motion = replace(impact_oscillator(0.0, zeta=0.0, sigma=0.0, e=0.5), x=-1.0)
    found = section_points(motion, "impact", transient=2, samples=4)
    k = np.arange(3, 7)
    np.testing.assert_allclose(found[:, 0], (k - 0.5) * np.pi, rtol=1e-10)
    np.testing.assert_allclose(found[:, 2], -(0.5**k), rtol=2e-9)


def test_without_impacts_the_steady_response_is_seen() -> None:
    """F / (1 - ω² + 2iζω) has amplitude 0.55, below the stop.

    The transient exp(-ζ t) is 2e-14 after 80 periods. Measured errors are 3e-10 of the
    amplitude.
    """
    found = section_points(impact_oscillator(0.2), "period", transient=80, samples=3)
    response = 0.2 / (1.0 - 0.64 + 0.08j)
    np.testing.assert_allclose(found[:, 1], response.real, rtol=5e-9)
    np.testing.assert_allclose(found[:, 2], (0.8j * response).real, rtol=5e-9)


def test_flights_between_the_flanks_obey_the_law_of_momentum() -> None:
    """s' + β s - (ė + β e) - γ τ is constant in flight, with a measured error of 8e-12."""
    alpha, beta, gamma, e = 1.4, 0.1, 0.1, 0.9
    found = section_points(gear_rattling(alpha), "impact", transient=0, samples=40)
    t, s, v = found.T
    before = -v / e

    def kept(v: np.ndarray) -> np.ndarray:
        drive = alpha * np.cos(t) + beta * alpha * np.sin(t) + gamma * t
        return np.asarray(v + beta * s - drive)

    np.testing.assert_allclose(kept(before)[1:], kept(v)[:-1], atol=2e-10)
    assert set(s) == {0.0, -1.0}


def test_a_mass_that_comes_to_rest_on_the_stop_is_refused() -> None:
    motion = replace(impact_oscillator(0.0, zeta=0.0, sigma=-0.5, e=0.3), x=-1.0)
    with pytest.raises(ValueError, match="comes to rest"):
        section_points(motion, "impact", 0, 100)
