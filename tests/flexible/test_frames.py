"""Floating frames satisfy their defining conditions and do not affect the motion."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar, free_block

Array = NDArray[np.float64]
TIGHT = 1e-12  # relative to the largest entry, rounding of sums over nodes


def solid() -> flexible.FiniteElements:
    mesh = flexible.Mesh.box((1.0, 0.4, 0.3), (4, 2, 2))
    places = {"a": 0, "b": 36, "c": 7, **mesh.places}
    named = flexible.Mesh(mesh.nodes, mesh.cells, mesh.kind, places, mesh.facets)
    return flexible.solid(named, E=2e5, nu=0.3, density=900.0)


def three_masses() -> flexible.FiniteElements:
    """Return three masses in space with springs between all pairs."""
    x = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.3, 0.8, 0.1)])
    K = np.zeros((9, 9))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        row = np.zeros(9)
        row[3 * a : 3 * a + 3], row[3 * b : 3 * b + 3] = x[a] - x[b], x[b] - x[a]
        K += 100.0 * np.outer(row, row)
    return flexible.FiniteElements(x, np.eye(9), K)


def small(value: Array, scale: Array | float) -> bool:
    return bool(np.abs(value).max() <= TIGHT * np.abs(scale).max())


@pytest.mark.parametrize("elements", [bar(20), solid()], ids=["plane", "space"])
def test_mean_axes_carry_no_momentum_of_deformation(elements: flexible.FiniteElements) -> None:
    """∫ Φ dm = 0 and ∫ x × Φ dm = 0 by the consistent mass matrix and rigid fields."""
    shapes = np.random.default_rng(1).normal(size=(elements.unknowns, 3))
    body = flexible.FlexibleBody.from_elements(elements, shapes, frame=flexible.MeanAxes())
    d = 2 if body.is_planar else 3
    m = elements.mass_matrix[::d, ::d].toarray()
    weights = m.sum(axis=1)
    momentum = np.einsum("i,iak->ak", weights, body.shapes)
    angular = np.cross(body.nodes[:, None], np.einsum("ij,jak->ika", m, body.shapes)).sum(axis=0)
    scale = np.einsum("i,iak->ak", weights, np.abs(body.shapes))
    assert small(momentum, scale)
    assert small(angular, scale)
    assert weights @ body.nodes == pytest.approx(np.zeros(3), abs=1e-12 * weights.sum())


def test_free_modes_fulfil_the_conditions_of_mean_axes() -> None:
    """They do so without any correction."""
    elements = solid()
    V = flexible.shape_basis(elements, 5)
    body = flexible.FlexibleBody.from_elements(elements, V)
    assert body.shapes == pytest.approx(elements.displacements(V), abs=1e-9 * np.abs(V).max())


@pytest.mark.parametrize("elements", [bar(20), solid()], ids=["plane", "space"])
def test_products_of_inertia_stay_zero_about_principal_axes(
    elements: flexible.FiniteElements,
) -> None:
    """For the deformed body, differences are of second order: halving reduces them by four."""
    shapes = np.random.default_rng(2).normal(size=(elements.unknowns, 2))
    frame = flexible.PrincipalAxes()
    body = flexible.FlexibleBody.from_elements(elements, shapes, frame=frame)
    d = 2 if body.is_planar else 3
    m = elements.mass_matrix[::d, ::d].toarray()
    assert small(np.einsum("ij,jak->ak", m, body.shapes), np.abs(body.shapes).max() * m.sum())

    def products(size: float) -> Array:
        x = body.nodes + body.shapes @ (size * np.ones(2))
        second = x.T @ m @ x
        return second[np.triu_indices(3, 1)]

    assert products(0.0) == pytest.approx(np.zeros(3), abs=1e-12 * m.sum())
    large, half = products(1e-3), products(5e-4)
    assert large == pytest.approx(4.0 * half, rel=1e-6, abs=1e-13 * m.sum())
    assert np.abs(large).max() > 1e-9 * m.sum()
    least = np.diag(body.nodes.T @ m @ body.nodes)
    assert (np.diff(least[:d]) < 0.0).all()  # second moments along axes, where e_x is the longest


def test_nodal_frame_in_the_plane() -> None:
    """With a chord, the other node stays on e_x. With a tangent, the node does not rotate."""
    elements = bar(20)
    nodes = np.asarray(elements.nodes)
    first, last = 0, len(nodes) - 3  # lower corners are 0 and the third from the end
    chord = flexible.reduce(elements, 4, frame=flexible.NodalFrame(first, along=last))
    largest = np.abs(chord.shapes).max()
    assert small(chord.shapes[first], largest)
    assert small(chord.shapes[last, 1], largest)
    e = (nodes[last] - nodes[first]) / np.linalg.norm(nodes[last] - nodes[first])
    assert chord.axes[:, 0] == pytest.approx(e, abs=1e-15)
    assert chord.nodes[first] == pytest.approx(np.zeros(3), abs=1e-15)
    tangent = flexible.reduce(elements, 4, frame=flexible.NodalFrame(first))
    assert tangent.turns is not None
    assert small(tangent.shapes[first], largest)
    assert small(tangent.turns[first], np.abs(tangent.turns).max())


def test_frames_on_nodes_in_space() -> None:
    elements = solid()
    three = flexible.reduce(elements, 5, frame=flexible.ThreePoints("a", "b", "c"))
    largest = np.abs(three.shapes).max()
    a, b, c = 0, 36, 7
    assert small(three.shapes[a], largest)
    assert small(three.shapes[b, 1:], largest)
    assert small(three.shapes[c, 2], largest)
    assert three.nodes[a] == pytest.approx(np.zeros(3), abs=1e-15)
    assert three.nodes[b, 1:] == pytest.approx(np.zeros(2), abs=1e-15)
    assert three.nodes[c, 2] == pytest.approx(0.0, abs=1e-15)
    tangent = flexible.reduce(elements, 5, frame=flexible.NodalFrame("a"))
    assert tangent.turns is not None
    assert small(tangent.shapes[a], largest)
    assert small(tangent.turns[a], np.abs(tangent.turns).max())
    along = flexible.reduce(elements, 5, frame=flexible.NodalFrame("a", along="b"))
    assert along.turns is not None
    assert small(along.shapes[a], largest)
    assert small(along.shapes[b, 1:], largest)
    assert small(along.turns[a, 0], np.abs(along.turns).max())


@pytest.mark.parametrize(
    "frame",
    [
        flexible.PrincipalAxes(),
        flexible.NodalFrame(0),
        flexible.NodalFrame(0, along=60),
    ],
    ids=str,
)
def test_motion_does_not_depend_on_the_frame(frame: flexible.BodyFrame) -> None:
    """With the same shapes, frequencies of the free body and of its model agree."""
    mean = flexible.reduce(bar(20), 5)
    other = flexible.reduce(bar(20), 5, frame=frame)
    assert other.free_frequencies == pytest.approx(mean.free_frequencies, rel=1e-9)
    assert mean.frequencies == pytest.approx(mean.free_frequencies, rel=1e-12)
    system = free_block(other)
    K = np.zeros((8, 8))
    K[3:, 3:] = other.stiffness_matrix
    squares = eigh(K, system.mass_matrix(0.0, np.zeros(8)), eigvals_only=True)
    assert np.sqrt(squares[3:]) == pytest.approx(mean.frequencies, rel=1e-9)


@pytest.mark.parametrize(
    ("elements", "frame", "message"),
    [
        (bar(20), flexible.ThreePoints(0, 1, 2), "must belong to a body in space"),
        (bar(20), flexible.NodalFrame(0, along=0), "three separate nodes"),
        (bar(20), flexible.NodalFrame("corner"), "place 'corner': expected one of left"),
        (bar(20), flexible.NodalFrame("left"), "expected one node, got the group 'left'"),
        (bar(20), flexible.NodalFrame(999), "expected a node 0 ... 62, got 999"),
        (solid(), flexible.ThreePoints(0, 9, 18), "not on one line"),
        (
            flexible.plane(flexible.Mesh.disc(1.0, 3), E=1e5, nu=0.3, density=1.0),
            flexible.PrincipalAxes(),
            "distinct principal moments of inertia",
        ),
        (
            three_masses(),
            flexible.NodalFrame(0),
            "must belong to a body with nodal rotations",
        ),
    ],
)  # fmt: skip
def test_frames_that_nothing_determines_are_refused(
    elements: flexible.FiniteElements, frame: flexible.BodyFrame, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        flexible.reduce(elements, 1, frame=frame)


def test_a_joint_may_hold_the_frame_of_a_body() -> None:
    """A pendulum may hang on its nodal frame.

    With mean axes no node is fixed, and a hinge there raises an error.
    """
    m = nsmb.Model(gravity=(0.0, -9.81))
    nodal = m.add_elastic_body("nodal", flexible.reduce(bar(20), 3, frame=flexible.NodalFrame(0)))
    m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, nodal)
    assert m.build().coordinates == ("hinge", "nodal.q1", "nodal.q2", "nodal.q3")
    mean = m.add_elastic_body("mean", flexible.reduce(bar(20), 3))
    m.add_joint("other", nsmb.joints.Revolute(), m.ground, mean, at_2=0)
    with pytest.raises(ValueError, match="joint 'other': expected functions"):
        m.build()
