"""The linear programme reproduces the known thrust of an arch of two stones."""

import numpy as np

from tests.oracles.arch_limit import thrust


def test_three_hinges_of_an_arch_of_two_stones() -> None:
    """Each half has weight W/2 at x from its springing, so that H = W x/2 over the rise.

    H is least with contact outside at the crown and inside at the springings.
    """
    t = 0.3
    inner, outer = 1.0 - t / 2, 1.0 + t / 2
    # Two quadrangles with a right angle at the centre: their centroid is on the bisector.
    center = (outer**3 - inner**3) / (outer**2 - inner**2) / 3.0
    found = thrust(2, t, 10.0)
    assert found is not None
    low, high = found
    np.testing.assert_allclose(low, 0.5 * (inner - center) / outer, rtol=1e-9)
    np.testing.assert_allclose(high, 0.5 * (outer - center) / inner, rtol=1e-9)


def test_without_friction_nothing_stands() -> None:
    assert thrust(8, 0.3, 0.0) is None
