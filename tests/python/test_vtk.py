"""Exported runs for ParaView, read back."""

from pathlib import Path
from xml.etree import ElementTree

import meshio
import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.pictures.in_space import Mesh
from nsmb.pictures.solids import Box, Cylinder, Extrusion, Sphere
from nsmb.pictures.surfaces import surface

Floats = NDArray[np.float64]


def volume(mesh: Mesh) -> float:
    """Return the volume by the divergence theorem, positive for outward triangles."""
    a, b, c = (mesh[0][mesh[1][:, k]] for k in range(3))
    return float((np.cross(a, b) * c).sum() / 6.0)


def edges_meet(faces: NDArray[np.int64]) -> bool:
    """Return True if each edge occurs once in each direction, as in a closed surface."""
    edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forth, back = {tuple(e) for e in edges.tolist()}, {(b, a) for a, b in edges.tolist()}
    return forth == back and len(forth) == len(edges)


def prism_share(n: int) -> float:
    """Return the area of a regular polygon over that of its circle."""
    return float(np.sin(2.0 * np.pi / n) / (2.0 * np.pi / n))


def test_surfaces_are_closed_and_hold_the_volume_of_the_solid() -> None:
    box = surface(Box((1.0, 2.0, 3.0)))
    assert edges_meet(box[1])
    assert volume(box) == pytest.approx(6.0, rel=1e-14)
    cylinder = surface(Cylinder(0.5, 2.0))
    assert edges_meet(cylinder[1])
    assert volume(cylinder) == pytest.approx(0.5 * np.pi * prism_share(32), rel=1e-13)
    triangle = surface(Extrusion([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], 0.4))
    assert edges_meet(triangle[1])
    assert volume(triangle) == pytest.approx(0.2, rel=1e-14)


@pytest.mark.parametrize(("corners", "least"), [(32, 0.98), (10, 0.83)])
def test_a_sphere_has_its_corners_on_the_sphere(corners: int, least: float) -> None:
    ball = surface(Sphere(0.3), corners=corners)
    assert edges_meet(ball[1])
    np.testing.assert_allclose(np.linalg.norm(ball[0], axis=1), 0.3, rtol=1e-14)
    share = volume(ball) / (4.0 / 3.0 * np.pi * 0.3**3)
    assert least < share < 1.0


def frames(index: Path) -> list[tuple[float, meshio.Mesh]]:
    sets = ElementTree.parse(index).getroot().findall("./Collection/DataSet")
    return [
        (float(s.attrib["timestep"]), meshio.read(index.parent / s.attrib["file"])) for s in sets
    ]


def sliding_block() -> nsmb.System:
    model = nsmb.Model(gravity=(0.0, -9.81, 0.0))
    block = model.add_body("block", mass=2.0, inertia=0.01)
    model.add_joint("plane", nsmb.joints.Planar(), model.ground, block)
    corners = [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
    sole = block.contour("sole", nsmb.geometry.Polygon(corners))
    floor = model.ground.contour("floor", nsmb.geometry.Line((0.0, 0.0), (-1.0, 0.0)))
    model.add_contact(sole, floor, nsmb.ContactLaw(mu=0.3))
    return model.build({"plane": (0.0, 0.1, 0.0)}, {"plane": (1.0, 0.0, 0.0)})


def test_bodies_are_where_the_run_has_them_and_forces_carry_the_weight(tmp_path: Path) -> None:
    run = nsmb.simulate(sliding_block(), 0.2)
    bodies, contacts = nsmb.plotting.write_vtk(
        run, tmp_path / "run", times=[0.0, 0.1, 0.2], thickness=0.3
    )
    shown = frames(bodies)
    assert [t for t, _ in shown] == pytest.approx([0.0, 0.1, 0.2], abs=1e-3)
    for (t, body), (_, dots) in zip(shown, frames(contacts), strict=True):
        row = int(np.flatnonzero(run.t == t)[-1])
        block = body.cells_dict["triangle"][body.cell_data["body"][0] == 0]
        points = body.points[np.unique(block)]
        x, y = run.q[row, :2]
        assert points.min(axis=0) == pytest.approx([x - 0.2, y - 0.1, -0.15], abs=1e-12)
        assert points.max(axis=0) == pytest.approx([x + 0.2, y + 0.1, 0.15], abs=1e-12)
        force = dots.point_data["lambda_N"] + dots.point_data["lambda_T"]
        # slides to the right on horizontal ground: weight upwards, μ times as much to the left
        assert force.sum(axis=0) == pytest.approx([-0.3 * 2.0 * 9.81, 2.0 * 9.81, 0.0], rel=1e-9)
        assert set(dots.point_data["state"]) <= {int(s) for s in nsmb.ContactState}


def test_meshes_and_terrain_are_written_as_they_are(tmp_path: Path) -> None:
    corners = 0.1 * np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    model = nsmb.Model()
    body = model.add_solid("chip", nsmb.geometry.TriangleMesh(corners, faces), 1000.0)
    model.add_joint("free", nsmb.joints.Free(), model.ground, body)
    heights = 0.1 * np.random.default_rng(1).uniform(size=(4, 5))
    terrain = nsmb.geometry.HeightField(heights, 0.5, origin=(-1.0, -1.0, 0.0))
    model.ground.shape("terrain", terrain)
    model.collide()
    system = model.build(initial={"free": (0.1, 0.2, 1.0, 1, 0, 0, 0)})
    run = nsmb.simulate(system, 0.05, method=nsmb.Midpoint(0.01))
    bodies, _ = nsmb.plotting.write_vtk(run, tmp_path, times=[0.0])
    ((_, shown),) = frames(bodies)
    for places in (corners + np.array([0.1, 0.2, 1.0]), terrain.mesh()[0]):
        away = np.linalg.norm(shown.points[:, None] - places, axis=2).min(axis=0)
        assert away.max() < 1e-12
    assert len(shown.cells_dict["triangle"]) >= 4 + 2 * 3 * 4


def test_by_default_every_sample_is_a_frame_and_of_an_event_what_is_behind_it(
    tmp_path: Path,
) -> None:
    run = nsmb.simulate(nsmb.systems.woodpecker(), 0.15, output_step=0.005)
    index, _ = nsmb.plotting.write_vtk(run, tmp_path)
    assert [t for t, _ in frames(index)] == np.unique(run.t).tolist()


def test_long_runs_are_thinned_evenly(tmp_path: Path) -> None:
    run = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0)
    index, _ = nsmb.plotting.write_vtk(run, tmp_path)
    times = np.array([t for t, _ in frames(index)])
    assert run.t.size > 500 >= times.size > 400
    assert np.diff(times).max() < 2.5 * (1.0 / 499)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    run = nsmb.simulate(sliding_block(), 0.1)
    with pytest.raises(ValueError, match=r"times: expected times within 0\.0 s to 0\.1 s"):
        nsmb.plotting.write_vtk(run, tmp_path, times=[0.2])
    with pytest.raises(ValueError, match="thickness: expected a number > 0"):
        nsmb.plotting.write_vtk(run, tmp_path, thickness=-1.0)
    bare = nsmb.simulate(nsmb.LinearSystem([[1.0]]), 0.1)
    with pytest.raises(ValueError, match=r"system\.scene: expected a nsmb\.plotting\.Scene"):
        nsmb.plotting.write_vtk(bare, tmp_path)


def test_ground_without_ends_reaches_no_further_than_the_motion(tmp_path: Path) -> None:
    run = nsmb.simulate(nsmb.systems.woodpecker(), 0.3)
    index, _ = nsmb.plotting.write_vtk(run, tmp_path, times=[0.0, 0.3])
    toy, pole = 0.12, 0.05  # m: height of toy and sleeve; it falls less than half of that
    for _, mesh in frames(index):
        assert np.ptp(mesh.points[:, 1]) < 2.0 * toy + pole


def test_contacts_that_are_found_carry_the_weight_of_a_pile(tmp_path: Path) -> None:
    """A box, a sphere and a hull on the floor have forces on the second shape of each contact."""
    from nsmb import geometry, joints

    m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    m.ground.shape("floor", geometry.HalfSpace())
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    forms = [geometry.Box((0.2, 0.2, 0.2)), geometry.Sphere(0.1), geometry.ConvexHull(corners)]
    initial, mass = {}, 0.0
    for k, form in enumerate(forms):
        body = m.add_solid(f"b{k}", form, 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        initial[f"j{k}"] = (0.5 * k, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)
        mass += 1000.0 * form.volume
    m.collide(nsmb.ContactLaw(mu=0.5))
    method = nsmb.Midpoint(1e-3)
    run = nsmb.simulate(m.build(initial=initial), 0.1, method=method, output_step=0.02)
    run.save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    loaded.system = run.system  # a file does not build a model
    bodies, contacts = nsmb.plotting.write_vtk(loaded, tmp_path / "pile")
    listed = ElementTree.parse(contacts).getroot().findall("./Collection/DataSet")
    assert [float(entry.attrib["timestep"]) for entry in listed] == run.t.tolist()
    dots = meshio.read(contacts.parent / "contacts_000005.vtu")
    assert len(dots.points) == len(run.contacts.points.at(-1)) == 9
    force = dots.point_data["lambda_N"] + dots.point_data["lambda_T"]
    assert set(dots.point_data["shape_1"].tolist()) == {0}
    np.testing.assert_allclose(force.sum(axis=0), [0.0, 0.0, mass * 9.81], atol=1e-6 * mass)
    np.testing.assert_allclose(dots.points[:, 2], 0.0, atol=1e-9)
    _, shown = frames(bodies)[-1]
    numbers = shown.cell_data["body"][0]
    triangles = shown.cells_dict["triangle"]
    # The floor is a plate that ends at z = 0, and each body has its volume once.
    floor = shown.points[np.unique(triangles[numbers == 0])]
    assert floor[:, 2].max() == pytest.approx(0.0, abs=1e-12)
    assert np.ptp(floor[:, 0]) > 1.2
    for number, form in enumerate(forms, start=1):
        inside = volume((shown.points, triangles[numbers == number]))
        assert inside == pytest.approx(form.volume, rel=0.03 if number == 2 else 1e-6)
