"""The oracle of friction cones agrees with numbers worked out by hand."""

import numpy as np

from tests.oracles import friction_cones as cones


def test_a_block_that_slides_down_satisfies_every_statement() -> None:
    x = np.array([10.0, -1.0, 0.0])
    y = np.array([0.0, 0.3, 0.0])
    worst = cones.violations(cones.coulomb(1, 0.1), x, y)
    assert max(worst.values()) < 1e-15


def test_friction_across_the_slip_is_noticed() -> None:
    x = np.array([10.0, 0.0, -1.0])
    y = np.array([0.0, 0.3, 0.0])
    assert cones.violations(cones.coulomb(1, 0.1), x, y)["power"] > 0.1


def test_natural_map_of_an_open_contact_that_pulls() -> None:
    """For x = 0 and y_N = -2, (2, 0, 0) is its own nearest point of the cone."""
    missing = cones.natural_map(cones.coulomb(1, 0.5), np.zeros(3), np.array([-2.0, 0.0, 0.0]))
    assert abs(missing - 2.0) < 1e-12


def test_nearest_point_of_a_cone_of_45_degrees() -> None:
    """(0, 2, 0) is as far from (1, 1, 0) as from the axis of the polar cone."""
    missing = cones.natural_map(cones.coulomb(1, 1.0), np.array([0.0, 2.0, 0.0]), np.zeros(3))
    assert abs(missing - np.sqrt(2.0)) < 1e-12
