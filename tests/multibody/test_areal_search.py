"""The search for contact elements finds those of an exhaustive search, without memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from benchmarks import harness
from nsmb._core import areal
from nsmb.geometry import TriangleMesh
from tests.geometry.mesh_zoo import box_mesh, icosphere, potato, torus
from tests.multibody.foundations import foundation, mesh

EYE = np.eye(3)


def found_by(probe, r, A=EYE):
    zero, none = [np.zeros(3)] * 2, [np.zeros(0)] * 2
    pose = [np.zeros(3), np.asarray(r, float)], [EYE, np.asarray(A)]
    return probe.contact(*pose, zero, zero, none, none), probe.energy(*pose, none)


def elements(found, least=0.0):
    keys = zip(found["base_is_first"], found["base"], found["target"], strict=True)
    return {k for k, area in zip(keys, found["element_area"], strict=True) if area > least}


def check_same(element, poses):
    """Check the search against an exhaustive one, and return the number of elements."""
    near, all_of_it = (areal.FoundationProbe(element.core, exhaustive=e) for e in (False, True))
    count = 0
    for r, A in poses:
        (ours, energy), (theirs, whole) = found_by(near, r, A), found_by(all_of_it, r, A)
        assert elements(ours) == elements(theirs)
        size = np.abs(theirs["element_force"]).sum()
        assert ours["force"] == pytest.approx(theirs["force"], abs=1e-13 * size)
        assert ours["moment"] == pytest.approx(theirs["moment"], abs=1e-13 * size)
        assert energy == pytest.approx(whole, rel=1e-12, abs=1e-13 * size)
        count += len(theirs["base"])
    return count


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        (potato(2, 1, 0.2), icosphere(3), 1.8),
        (torus(0.8, 0.3, 12), potato(2, 3, 0.15), 1.2),
        (box_mesh((1.0, 1.0, 1.0), 4), box_mesh((1.0, 1.0, 1.0), 1), 1.15),
        (icosphere(1), potato(3, 5, 0.08), 1.8),
    ],
    ids=["potato on sphere", "torus on potato", "boxes", "coarse on fine"],
)
def test_random_poses(first, second, apart: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    poses = []
    for _ in range(6):
        along = rng.normal(size=3)
        poses.append(
            (
                rng.uniform(0.8, 1.0) * apart * along / np.linalg.norm(along),
                Rotation.random(random_state=rng).as_matrix(),
            )
        )
    assert check_same(foundation(mesh(first), mesh(second), depth=0.12), poses) > 20


def aligned_poses():
    """Return poses with edges on edges, corners on planes and faces on faces, and next to them."""
    turns = [
        EYE,
        Rotation.from_euler("z", 90, degrees=True).as_matrix(),
        Rotation.from_euler("z", 45, degrees=True).as_matrix(),
    ]
    steps = [(0, 0), (0.25, 0), (0.125, 0.125), (0.5, 0.25), (0.75, 0.75), (1 / 3, 0)]
    return [
        (np.array([x, y, 0.95]) + noise, turn)
        for turn in turns
        for x, y in steps
        for noise in (np.zeros(3), np.array([1e-17, -3e-17, 2e-16]), np.array([1e-13, 1e-15, 0.0]))
    ]


@pytest.mark.parametrize("cells", [1, 4])
def test_boxes_with_edges_on_edges(cells: int) -> None:
    box = mesh(box_mesh((1.0, 1.0, 1.0), 4))
    assert check_same(
        foundation(box, mesh(box_mesh((1.0, 1.0, 1.0), cells)), depth=0.1), aligned_poses()
    )


def test_spheres_mirrored_in_each_other() -> None:
    """Corner on corner, edge on edge, each plane through an edge of the other sphere."""
    sphere = mesh(icosphere(3))
    flip = np.diag([1.0, -1.0, -1.0])
    axes = [np.asarray(sphere.vertices)[k] for k in (0, 5, 17)] + [np.array([0.0, 0.0, 1.0])]
    poses = [(1.93 * a, A) for a in axes for A in (EYE, flip)]
    assert check_same(foundation(sphere, sphere), poses) > 500


def test_corners_on_planes_of_cells() -> None:
    """The tip of an octahedron is on the corners, edges and diagonals of a grid."""
    top = np.array([(0, 0, -1), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1)], float)
    faces = [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 1, 4), (5, 1, 2), (5, 2, 3), (5, 3, 4), (5, 4, 1)]
    tip = TriangleMesh(0.3 * top, faces)
    block = mesh(box_mesh((1.0, 1.0, 1.0), 4))
    places = [(0, 0), (0.25, 0), (0.125, 0.125), (0.1, 0.1), (0.25, 0.1), (0.5, 0.5), (0.5, 0.1)]
    turned = Rotation.from_euler("z", 45, degrees=True).as_matrix()
    poses = [((x, y, 0.8 - d), A) for x, y in places for d in (0.05, 0.1) for A in (EYE, turned)]
    assert check_same(foundation(block, tip, depth=0.1), poses) > 100


def test_what_comes_back_from_behind_the_layer() -> None:
    """Bodies 12 cm deep in layers of 2 cm, with dents in which nothing is crossed."""
    block, rough = mesh(box_mesh((1.0, 1.0, 1.0), 4)), mesh(potato(2, 4, 0.2), 0.4)
    rng = np.random.default_rng(1)
    poses = [
        ((*rng.uniform(-0.3, 0.3, 2), 0.75), Rotation.random(random_state=rng).as_matrix())
        for _ in range(6)
    ]
    assert check_same(foundation(block, rough, depth=0.02), poses) > 100


def test_what_is_all_inside() -> None:
    """Bodies inside are found within a third of the size of the triangles below the surface."""
    block, small = mesh(box_mesh((1.0, 1.0, 1.0), 2)), mesh(icosphere(1), 0.02)
    core = foundation(block, small, base="second", depth=0.2).core
    for z, is_seen in ((0.45, True), (0.38, True), (0.32, False)):
        A = Rotation.random(random_state=3).as_matrix()
        (ours, _), (theirs, _) = (
            found_by(areal.FoundationProbe(core, exhaustive=e), (0.1, 0.05, z), A)
            for e in (False, True)
        )
        assert elements(theirs)
        assert elements(ours) == (elements(theirs) if is_seen else set())


def test_the_order_does_not_depend_on_what_was_before() -> None:
    core = foundation(mesh(potato(2, 1, 0.2)), mesh(icosphere(3)), depth=0.12).core
    pose = (0.4, 0.2, 1.7), Rotation.random(random_state=2).as_matrix()
    first, used = areal.FoundationProbe(core), areal.FoundationProbe(core)
    for k in range(5):
        found_by(used, (0.1 * k, -0.2, 1.7))
    a, b = found_by(first, *pose)[0], found_by(used, *pose)[0]
    assert len(a["base"]) > 20
    for name in ("base", "target", "element_force", "force", "moment"):
        assert np.array_equal(a[name], b[name])


PROGRAM = """
import ctypes, json
import numpy as np
from nsmb._core import areal
from tests.multibody.test_areal_search import foundation, icosphere, mesh, potato
c, numbers = ctypes.CDLL(None), (ctypes.c_long * 4)()
def count():
    c.malloc_counts(numbers)
    return numbers[0] + numbers[2]
element = foundation(mesh(potato(2, 1, 0.2)), mesh(icosphere(3)), depth=0.12)
probe = areal.FoundationProbe(element.core)
poses = np.tile([0.4, 0.2, 1.7, 1, 0, 0, 0, 1, 0, 0, 0, 1], (400, 1))
poses[:, 0] += np.linspace(0.0, 0.05, 400)
probe.sweep(poses)
found = []
for n in (2, 400, 2, 400):
    part = np.ascontiguousarray(poses[:: 400 // n][:n])
    start = count()
    forces = probe.sweep(part)
    found.append(count() - start)
print(json.dumps([found, float(np.abs(forces).min(axis=0).max())]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux with glibc")
def test_nothing_is_allocated_where_it_has_been(tmp_path: Path) -> None:
    library = harness.compile_library("count_malloc.c", tmp_path)
    assert library is not None
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"LD_PRELOAD": str(library)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    (few, many, few_again, many_again), force = json.loads(child.stdout)
    assert force > 0.0
    # The cost of the call itself does not grow with the number of poses.
    assert many == few
    assert many_again == few_again
