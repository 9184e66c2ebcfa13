"""Bodies in the colours of their stresses: closed forms, positions, bodies without stresses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import nsmb
from nsmb import flexible
from nsmb.pictures.drawing import draw
from tests.flexible.blocks import bar

pyplot = pytest.importorskip("matplotlib.pyplot")
E = 1e6


def corners(mesh: flexible.Mesh) -> tuple[Any, Any]:
    """Return the triangle corners (m, 3, d) of a meshed body, and its volume."""
    make = flexible.plane if np.shape(mesh.nodes)[1] == 2 else flexible.solid
    elements = make(mesh, E=E, nu=0.3, density=1.0)
    assert elements.triangles is not None
    return elements.nodes[elements.triangles], elements.mass


def quadratic(mesh: flexible.Mesh) -> flexible.Mesh:
    """Return the mesh with midside nodes on the edges of triangles or tetrahedra."""
    nodes, cells = np.asarray(mesh.nodes), np.asarray(mesh.cells)
    pairs = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)][: 3 if cells.shape[1] == 3 else 6]
    edges = np.sort(np.stack([cells[:, list(pair)] for pair in pairs], axis=1), axis=2)
    unique, number = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    middles = len(nodes) + number.reshape(len(cells), len(pairs))
    kind = {3: "triangle6", 4: "tetra10"}[cells.shape[1]]
    return flexible.Mesh(
        np.vstack([nodes, nodes[unique].mean(axis=1)]), np.hstack([cells, middles]), kind
    )


@pytest.mark.parametrize(
    "mesh",
    [
        flexible.Mesh.rectangle(2.0, 0.2, 5, 2),
        flexible.Mesh.rectangle(2.0, 0.2, 5, 2, kind="triangle"),
        quadratic(flexible.Mesh.rectangle(2.0, 0.2, 5, 2, kind="triangle")),
    ],
)
def test_triangles_fill_a_plane_body(mesh: flexible.Mesh) -> None:
    x, volume = corners(mesh)
    areas = 0.5 * np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])[:, 2]
    assert areas.min() > 0.0
    assert areas.sum() == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize(
    "mesh",
    [
        flexible.Mesh.box((1.0, 0.5, 0.3), (3, 2, 1)),
        flexible.Mesh.box((1.0, 0.5, 0.3), (3, 2, 1), kind="tetra"),
        quadratic(flexible.Mesh.box((1.0, 0.5, 0.3), (3, 2, 1), kind="tetra")),
    ],
)
def test_triangles_cover_a_solid(mesh: flexible.Mesh) -> None:
    """With consistent orientation ∫ x·n dA / 3 is the volume, and ∫ n dA vanishes."""
    x, volume = corners(mesh)
    n = 0.5 * np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    assert (x.mean(axis=1) * n).sum() / 3.0 == pytest.approx(volume, rel=1e-12)
    assert n.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-14)


def moving(body: nsmb.flexible.FlexibleBody, **start: object) -> nsmb.Solution:
    """Return a very short run of a free body."""
    m = nsmb.Model()
    elastic = m.add_elastic_body("body", body)
    joint = nsmb.joints.Planar() if body.is_planar else nsmb.joints.Free()
    m.add_joint("free", joint, m.ground, elastic)
    return nsmb.simulate(m.build(start), 1e-6)


def colored(solution: nsmb.Solution, **options: Any) -> tuple[Any, Any]:
    """Return the coloured triangles of a figure at the start, and its axes."""
    from matplotlib.collections import TriMesh

    ax = solution.draw(0.0, stresses=options.pop("stresses", True), **options)
    (mesh,) = [artist for artist in ax.collections if isinstance(artist, TriMesh)]
    pyplot.close("all")
    return mesh, ax


def pulled() -> nsmb.flexible.FlexibleBody:
    """Return a body with the tension shape u = (x, -ν y), exact in bilinear elements."""
    elements = bar(10, E=E)
    x = elements.nodes
    return flexible.FlexibleBody.from_elements(
        elements, np.column_stack([x[:, 0], -0.3 * x[:, 1]]).reshape(-1, 1)
    )


def test_bar_in_tension_has_one_colour_where_it_is() -> None:
    """σ = E ε everywhere, with positions R + A (u_0 + S q_e), rotated by 0.5 rad."""
    body, strain = pulled(), 0.05
    assert body.von_mises([strain]) == pytest.approx(E * strain, rel=1e-12)
    found = body.von_mises([[0.0], [strain]])
    assert found.shape == (2, len(body.nodes))
    mesh, ax = colored(moving(body, **{"free": (1.0, 2.0, 0.5), "body.q1": strain}))
    assert np.asarray(mesh.get_array()) == pytest.approx(1e-3 * E * strain, rel=1e-12)
    assert mesh.colorbar.ax.get_xlabel() == "von Mises stress / kPa"
    c, s = np.cos(0.5), np.sin(0.5)
    place = body.nodes[:, :2] * (1.0 + strain, 1.0 - 0.3 * strain)
    place = place @ np.array([[c, s], [-s, c]]) + (1.0, 2.0)
    triangulation = mesh._triangulation
    assert np.column_stack([triangulation.x, triangulation.y]) == pytest.approx(place, abs=1e-12)
    assert sorted(map(sorted, triangulation.triangles)) == sorted(map(sorted, body.triangles))
    low, high = ax.get_xlim()
    assert low < place[:, 0].min() < place[:, 0].max() < high


def test_cantilever_has_the_stress_of_its_moment() -> None:
    """|σ| = M y/I along the upper edge, by an independent static solution with F at the end."""
    L, h, b, F = 2.0, 0.2, 0.1, 10.0
    elements = flexible.plane(
        flexible.Mesh.rectangle(L, h, 80, 8), E=E, nu=0.0, density=1.0, thickness=b
    )
    x = elements.nodes
    f = np.zeros((len(x), 2))
    right = elements.places["right"]
    f[right.nodes, 1] = -F * right.shares
    free = np.repeat(x[:, 0] > 0.0, 2)
    u = np.zeros(elements.unknowns)
    u[free] = spsolve(elements.stiffness_matrix[free][:, free].tocsc(), f.ravel()[free])
    body = flexible.FlexibleBody.from_elements(elements, u[:, None])
    top = (x[:, 1] > h - 1e-9) & (x[:, 0] < 0.9 * L)
    exact = F * (L - x[top, 0]) * 0.5 * h / (b * h**3 / 12.0)
    found = body.von_mises([1.0])[top]
    assert x[top, 0].min() == 0.0
    assert found == pytest.approx(exact, rel=0.02)  # 1.2e-2, at the sharp corner of the clamp
    mesh, _ = colored(moving(body, **{"body.q1": 1.0}))
    assert np.asarray(mesh.get_array())[top] == pytest.approx(1e-3 * found, rel=1e-12)
    assert mesh.norm.vmax == pytest.approx(1e-3 * body.von_mises([1.0]).max())


def test_of_a_solid_what_looks_at_the_eye_is_coloured() -> None:
    """Rotated by 90 degrees about x, the side y = 0 is visible."""
    elements = flexible.solid(
        flexible.Mesh.box((1.0, 0.2, 0.4), (5, 1, 2)), E=E, nu=0.3, density=1.0
    )
    body = flexible.reduce(elements, 2)
    half = np.sqrt(0.5)
    mesh, _ = colored(
        moving(body, **{"free": (0.0, 0.0, 0.0, half, -half, 0.0, 0.0), "body.q1": 1e-3})
    )
    triangulation = mesh._triangulation
    x = np.column_stack([triangulation.x, triangulation.y])[triangulation.triangles]
    a, c = x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]
    areas = 0.5 * (a[:, 0] * c[:, 1] - a[:, 1] * c[:, 0])
    assert areas.min() > 0.0
    assert len(areas) < len(body.triangles)
    used = np.unique(body.triangles)
    stresses = body.von_mises([1e-3, 0.0])[used]
    size = 1e3 if stresses.max() >= 1e3 else 1.0
    assert np.asarray(mesh.get_array()) == pytest.approx(stresses / size, rel=1e-12)
    assert areas.sum() == pytest.approx(0.4, rel=0.01)  # 1 m by 0.4 m, slightly bent


@pytest.mark.parametrize("height", [-1.0, 1.0])
def test_what_is_in_front_is_drawn_last(height: float) -> None:
    elements = flexible.solid(flexible.Mesh.box((1, 1, 0.1), (1, 1, 1)), E=E, nu=0.3, density=1.0)
    body = flexible.reduce(elements, 1)
    m = nsmb.Model()
    for name in ("first", "second"):
        m.add_joint(f"{name}_frame", nsmb.joints.Free(), m.ground, m.add_elastic_body(name, body))
    run = nsmb.simulate(m.build({"second_frame": (0.1, 0.1, height, 1, 0, 0, 0)}), 1e-6)
    mesh, _ = colored(run)
    owner = mesh._triangulation.triangles.min(axis=1) // len(np.unique(body.triangles))
    assert list(owner) == ([0, 0, 1, 1] if height > 0.0 else [1, 1, 0, 0])


def test_scale_ends_where_it_is_told_to() -> None:
    run = moving(pulled(), **{"body.q1": 0.05})
    mesh, _ = colored(run, stresses=2e4)
    assert mesh.norm.vmax == 20.0
    assert mesh.colorbar.extend == "max"
    with pytest.raises(ValueError, match="stresses: expected a number > 0, got -1"):
        run.draw(0.0, stresses=-1.0)
    rest, _ = colored(moving(pulled()))
    assert not rest.get_array().any()
    pyplot.close("all")


def test_bodies_without_stresses_say_what_helps(tmp_path: Path) -> None:
    """These are beams, and solids with shape contacts."""
    beam = flexible.beam([(0, 0), (1, 0)], E=E, density=1e3, area=1e-2, I_z=1e-5)
    with pytest.raises(ValueError, match=r"a mesh from nsmb\.flexible\.plane or solid"):
        moving(flexible.reduce(beam, 1)).draw(0.0, stresses=True)
    path = tmp_path / "bar.npz"
    pulled().save(path)
    again = nsmb.flexible.FlexibleBody.load(path)
    assert np.array_equal(again.triangles, pulled().triangles)
    colored(moving(again))
    made = bar(4)
    given = {"triangles": made.triangles, "stresses": made.stresses}
    other = flexible.FiniteElements(
        made.nodes[:, :2], made.mass_matrix, made.stiffness_matrix, **given
    )
    colored(moving(flexible.reduce(other, 1), **{"body.q1": 0.1}))
    pile = nsmb.systems.box_pyramid(rows=1)
    with pytest.raises(ValueError, match="got solids in space"):
        draw(pile, stresses=True)


@pytest.mark.parametrize(
    ("triangles", "message"),
    [
        ([(0, 1)], r"triangles: must be node indices of shape \(m, 3\), got shape \(1, 2\)"),
        ([(0, 1, 9)], r"triangles: expected nodes 0 \.\.\. 1, got 9"),
    ],
)
def test_triangles_of_other_nodes_are_refused(triangles: Any, message: str) -> None:
    K = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([200.0, 0.0]))
    with pytest.raises(ValueError, match=message):
        flexible.FiniteElements([(0, 0), (1, 0)], np.eye(4), K, triangles=triangles)
