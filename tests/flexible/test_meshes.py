"""Input rejected by meshes and elements, stresses, and figures."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar

SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]


@pytest.mark.parametrize(
    ("nodes", "cells", "kind", "message"),
    [
        (SQUARE, [(0, 3, 2, 1)], "quad", "got element 0 inside out or folded, with nodes"),
        (SQUARE, [(0, 1, 2), (0, 3, 2)], "triangle", "got element 1 inside out"),
        (SQUARE, [(0, 1, 3, 2)], "quad", "got element 0 inside out or folded"),
        ([*SQUARE, (0.5, 0.0)], [(0, 4, 1), (1, 2, 3)], "triangle", "element 0 without volume"),
        ([*SQUARE, (1.0, 0.0)], [(0, 1, 2), (0, 4, 3)], "triangle", "nodes 1 and 4 both at"),
        ([*SQUARE, (5.0, 5.0)], [(0, 1, 2, 3)], "quad", "got node 4 at \\[5.0, 5.0\\] without"),
        (
            [*SQUARE, (2.0, 0.0), (2.0, 0.5), (2.0, 1.0), (1.0, 0.5)],
            [(0, 1, 2, 3), (1, 4, 5, 7), (7, 5, 6, 2)],
            "quad",
            "got node 7 at \\[1.0, 0.5\\] hanging on the edge of nodes 1 and 2",
        ),
        (SQUARE, [(0, 1, 9)], "triangle", "cells: expected nodes 0 ... 3, got 9"),
        (SQUARE, [(0, 1)], "triangle", "cells: expected shape \\(m, 3\\)"),
        (SQUARE, [(0, 1, 2)], "triangel", "did you mean 'triangle'"),
        (
            [(0, 0), (1, 0), (0, 1), (0.5, 0.0), (0.6, 0.6), (0, 0.5)], [(0, 1, 2, 3, 4, 5)],
            "triangle6", "node 4 of element 0 off the middle",
        ),
    ],
)  # fmt: skip
def test_defects_are_named_with_their_place(
    nodes: Any, cells: Any, kind: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        flexible.Mesh(nodes, cells, kind)


@pytest.mark.parametrize("kind", ["hexahedron", "tetra"])
def test_solids_turned_inside_out_are_refused(kind: str) -> None:
    mesh = flexible.Mesh.box((1.0, 1.0, 1.0), (2, 1, 1), kind=kind)
    cells = np.array(mesh.cells)
    order = [4, 5, 6, 7, 0, 1, 2, 3] if kind == "hexahedron" else [1, 0, 2, 3]
    cells[1] = cells[1][order]
    with pytest.raises(ValueError, match="got element 1 inside out"):
        flexible.Mesh(mesh.nodes, cells, kind)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"density": 0.0}, "density: expected numbers above 0, got 0.0 of element 0"),
        ({"nu": 0.5}, "nu: expected numbers above -1 and below 0.5, got 0.5"),
        ({"E": [1.0, 2.0]}, "E: expected a number, or one for each of 10 elements, got \\(2,\\)"),
        ({"state": "pressure"}, "state: expected one of stress, strain"),
    ],
)
def test_materials_that_do_not_exist_are_refused(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bar(10, **given)


def test_matrices_of_held_bodies_and_of_other_masses_are_refused() -> None:
    elements = bar(10)
    nodes = np.asarray(elements.nodes)[:, :2]
    M, K = elements.mass_matrix.toarray(), elements.stiffness_matrix.toarray()
    with pytest.raises(ValueError, match="must belong to a free body"):
        flexible.FiniteElements(nodes, M, K + 1e3 * np.eye(len(K)))
    uneven = M.copy()
    uneven[0, 0] *= 1.1
    with pytest.raises(ValueError, match="equal masses in x, y and z of each node"):
        flexible.FiniteElements(nodes, uneven, K)
    skew = K.copy()
    skew[0, 1] += 1e3
    with pytest.raises(ValueError, match="stiffness_matrix: expected a symmetric matrix"):
        flexible.FiniteElements(nodes, M, skew)
    with pytest.raises(ValueError, match="mass_matrix: expected shape \\(44, 44\\)"):
        flexible.FiniteElements(nodes, M[:4, :4], K)


@pytest.mark.parametrize("state", ["stress", "strain"])
def test_stress_of_a_stretched_bar_is_force_over_area(state: str) -> None:
    """Its attachment shapes contain the uniform stretch. In plane strain σ_zz is ν σ_xx."""
    elements = bar(20, state=state)
    body = flexible.reduce(elements, 0, method="attachment", interface=["left", "right"])
    places = list(body.places)
    ends = [body._motion(len(body.nodes) + places.index(name))[1] for name in ("left", "right")]
    F = 50.0
    q_e = np.linalg.solve(body.stiffness_matrix, F * (ends[1] - ends[0])[0])
    stress = body.stresses(q_e)
    uniform = F / (0.2 * 0.1)
    expected = [uniform, 0.0, 0.3 * uniform if state == "strain" else 0.0, 0.0, 0.0, 0.0]
    assert stress == pytest.approx(np.tile(expected, (len(stress), 1)), abs=1e-6 * uniform)


def test_stress_of_a_bent_solid_is_that_of_a_beam() -> None:
    """For the first mode of a free bar, σ_xx = -E z w'' in its middle, to 2 % of the largest."""
    mesh = flexible.Mesh.box((2.0, 0.12, 0.08), (30, 2, 2))
    body = flexible.reduce(flexible.solid(mesh, E=1e7, nu=0.0, density=1000.0), 1)
    stress, moved = body.stresses([0.01]), body.displacements([0.01])
    middle = np.abs(body.nodes[:, 0]) < 1e-9
    line = np.abs(body.nodes[:, 1:]).max(axis=1) < 1e-9
    x, w = body.nodes[line, 0], moved[line, 2]
    curvature = np.polyval(np.polyder(np.polyfit(x, w, 8), 2), 0.0)
    exact = -1e7 * body.nodes[middle, 2] * curvature
    assert stress[middle, 0] == pytest.approx(exact, abs=0.02 * np.abs(exact).max())


def test_stresses_turn_with_the_frame() -> None:
    """Principal values do not depend on the frame."""
    elements = bar(10)
    V = flexible.shape_basis(elements, 1)
    found = []
    for frame in (flexible.MeanAxes(), flexible.NodalFrame(0, along=21)):  # far corner
        body = flexible.FlexibleBody.from_elements(elements, V, frame=frame)
        s = body.stresses([1.0])
        found.append(np.linalg.eigvalsh(s[:, [0, 3, 3, 1]].reshape(-1, 2, 2)))
    assert found[0] == pytest.approx(found[1], abs=1e-9 * np.abs(found[0]).max())


def test_pictures_show_the_deformed_outline() -> None:
    """They show the filled boundary of a disc at positions by (2.18), and the edges of a solid."""
    disc = flexible.plane(flexible.Mesh.disc(0.5, 4), E=1e5, nu=0.3, density=10.0)
    body = flexible.reduce(disc, 3)
    m = nsmb.Model()
    m.add_joint("free", nsmb.joints.Planar(), m.ground, m.add_elastic_body("disc", body))
    system = m.build({"free": (1.0, 2.0, 0.5), "disc.q1": 0.05})
    (outline,) = system.scene.outlines(0.0, system.initial_state.q)
    assert outline.closed
    assert outline.body == "disc"
    rim = disc.places["rim"].nodes
    c, s = np.cos(0.5), np.sin(0.5)
    place = (body.nodes + body.displacements([0.05, 0.0, 0.0]))[rim] @ np.array(
        [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]
    ) + (1.0, 2.0, 0.0)
    first = int(np.argmin(np.linalg.norm(place - outline.points[0], axis=1)))
    assert outline.points == pytest.approx(np.roll(place, -first, axis=0), abs=1e-14)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert len(system.draw().patches) >= 1
    pyplot.close("all")
    box = flexible.solid(flexible.Mesh.box((1, 1, 1), (2, 2, 2)), E=1e5, nu=0.3, density=10.0)
    rings = [(*line, line[0]) if closed else line for line, closed in box.paths]
    edges = {tuple(sorted(pair)) for ring in rings for pair in pairwise(ring)}
    assert len(edges) == 24  # two pieces of twelve
