"""Least gaps of random pairs of shapes against proofs.

The shapes are needles and plates, tiny and huge, in touch, flat on each other, and far from the
origin. For a million pairs: `python -m tests.campaign.distances`.
"""

import numpy as np
import pytest

from nsmb._core import geometry
from tests.campaign.distances import Tally, check_chunk
from tests.geometry.solid_zoo import Solid, box, capsule, least_gap, pose

FIRST, CHUNKS, POSES = 0, 60, 60


def test_random_pairs_have_the_distance_that_is_proven() -> None:
    """3,600 pairs: to 1e-12 of the larger body for pairs in closed form, 1e-10 for polyhedra."""
    tallies: list[Tally] = [check_chunk(seed, POSES)[1] for seed in range(FIRST, FIRST + CHUNKS)]
    findings = [text for tally in tallies for text in tally.findings]
    assert not findings, "\n".join(findings)
    proven = sum(tally.proven for tally in tallies)
    assert proven > 0.95 * POSES * len(tallies)  # the others are overlapping cylinders
    assert max(tally.worst for tally in tallies) < 1e-10


@pytest.mark.parametrize("seed", [5, 90, 132, 144, 189, 226, 263, 283, 322, 356])
def test_no_direction_between_rims_is_missed(seed: int) -> None:
    """400 pairs of two cylinders each.

    A search from many starts misses some minima and, where a cap is nearly flat, the point on its
    rim.
    """
    name, tally = check_chunk(seed)
    assert name == "cylinder-cylinder"
    assert not tally.findings, "\n".join(tally.findings)


@pytest.mark.parametrize("seed", [5008, 5019])
def test_edges_that_cross_behind_a_thin_plate_are_not_in_it(seed: int) -> None:
    """Hulls at distances of 1e-9 and 1e-3 of their size, separated by two other edges."""
    name, tally = check_chunk(seed)
    assert name == "hull-hull"
    assert not tally.findings, "\n".join(tally.findings)


@pytest.mark.parametrize("seed", [200044, 200224])
def test_a_normal_is_not_that_of_places_with_hardly_anything_between_them(seed: int) -> None:
    """Boxes 1e-10 of their size apart, at edges that are parallel up to 1e-7.

    Half the digits of the direction between the nearest points are rounding. The gap along this
    direction was once wrong by 1e-5.
    """
    name, tally = check_chunk(seed)
    assert name == "box-box"
    assert not tally.findings, "\n".join(tally.findings)


@pytest.mark.parametrize("seed", [200162, 200192, 200202, 200208, 200225, 200253, 200258])
def test_places_of_a_rim_beside_an_edge_are_as_far_apart_as_the_gap(seed: int) -> None:
    """Nearly along the cap, directions that differ in half their digits have the same gap."""
    name, tally = check_chunk(seed)
    assert name in ("capsule-cylinder", "cylinder-box")
    assert not tally.findings, "\n".join(tally.findings)


@pytest.mark.parametrize("sine", [1e-2, 1e-5, 1e-8, 1e-10, 1e-12, 1e-15])
@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-3])
def test_nearly_parallel_edges_are_apart_by_their_gap(sine: float, gap: float) -> None:
    """Two cubes on their edges, one on the other, crossed at any angle at the same height."""
    half = np.sqrt(0.5)
    on_edge = np.array([[1.0, 0.0, 0.0], [0.0, half, -half], [0.0, half, half]])
    turn = np.array([[np.sqrt(1.0 - sine**2), -sine, 0.0], [sine, np.sqrt(1.0 - sine**2), 0.0],
                     [0.0, 0.0, 1.0]])  # fmt: skip
    cube = box(1.0, 1.0, 1.0)
    found = geometry.shape_contacts(
        cube.shape, pose((0, 0, 0), on_edge)[None],
        cube.shape, pose((0.1, 0.0, 2.0 * half + gap), turn @ on_edge)[None], 0.1,
    )  # fmt: skip
    # A face that also separates them to 1e-12 of the size has priority.
    assert abs(least_gap(found, 1)[0] - gap) < 2e-12


@pytest.mark.parametrize("sine", [1e-2, 1e-4, 1e-6, 1e-9, 0.0])
def test_crossed_edges_hold_where_they_cross(sine: float) -> None:
    """Two long bars on their edges, one over the middle of the other.

    No contact point is more than 1e-5 of a body outside the edges, unlike the ends of bars at 1e-6.
    """
    half = np.sqrt(0.5)
    on_edge = np.array([[1.0, 0.0, 0.0], [0.0, half, -half], [0.0, half, half]])
    turn = np.array([[np.sqrt(1.0 - sine**2), -sine, 0.0], [sine, np.sqrt(1.0 - sine**2), 0.0],
                     [0.0, 0.0, 1.0]])  # fmt: skip
    bar = box(2.0, 0.2, 0.2)
    found = geometry.shape_contacts(
        bar.shape, pose((0, 0, 0), on_edge)[None],
        bar.shape, pose((0.1, 0.0, 0.4 * half), turn @ on_edge)[None], 0.1,
    )  # fmt: skip
    size = 2.0 * np.sqrt(1.0 + 2 * 0.01)
    assert len(found["g_N"]) == (1 if sine > 1e-5 else 2)
    own = found["r_1"] @ on_edge
    other = (found["r_2"] - [0.1, 0.0, 0.4 * half]) @ (turn @ on_edge)
    for places in (own, other):
        outside = np.maximum(np.abs(places) - [1.0, 0.1, 0.1], 0.0)
        assert np.linalg.norm(outside, axis=1).max() < 1e-5 * size


@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_nearly_flat_a_cylinder_is_over_a_plane_by_the_height_of_its_rim(tilt: float) -> None:
    """Height - L/2 cos - R sin: the direction down its cap must keep its digits."""
    c, s = np.cos(tilt), np.sin(tilt)
    axes = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    found = geometry.shape_contacts(
        geometry.half_space(), pose()[None], geometry.cylinder(3.0, 0.5),
        pose((0.0, 0.0, 1.0), axes)[None], 1.0,
    )  # fmt: skip
    assert abs(found["g_N"].min() - (1.0 - 0.25 * c - 3.0 * s)) < 1e-15


def test_a_long_edge_along_a_side_touches_where_both_are() -> None:
    """A capsule ten times as long as the parallel cylinder: the contact point is on both."""
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    long = capsule(0.2, 10.0)
    found = geometry.shape_contacts(
        long.shape, pose((3.0, 0.0, 0.7), lying)[None], geometry.cylinder(0.5, 1.0),
        pose((0, 0, 0), lying)[None], 0.1,
    )  # fmt: skip
    assert np.abs(found["g_N"]).max() < 1e-15
    assert np.abs(found["r_2"][:, 0]).max() < 0.5 + 1e-12


def test_an_edge_beside_the_cap_of_a_cylinder_is_nearer_than_its_plane() -> None:
    """The search starts along the axis, where the gap as a function of direction has a kink."""
    disc = geometry.cylinder(0.1, 0.05)
    found = geometry.shape_contacts(
        geometry.box([2.0, 2.0, 1.0]), pose()[None], disc, pose((1.4, 0.0, 2.5))[None], 10.0
    )
    assert abs(found["g_N"].min() - np.hypot(0.3, 1.975)) < 1e-14


def test_the_normal_of_touching_corners_parts_the_bodies() -> None:
    """The distance of the nearest points is below rounding and does not define a direction."""
    cube: Solid = box(1.0, 1.0, 1.0)
    found = geometry.shape_contacts(
        cube.shape, pose()[None], cube.shape, pose((1.0, 1.0, 1.0 + 1e-14))[None], 0.1
    )
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    for n, g in zip(found["normal"], found["g_N"], strict=True):
        apart = ((corners + 1.0) @ n).min() - (corners @ n).max()
        assert abs(apart - g) < 1e-13
