"""Contours as Python objects: shape, orientation, copies, files."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
import shapely
import sympy
from scipy.spatial import ConvexHull

import nsmb.common.extras
import nsmb.geometry as c
from tests.geometry.zoo import kinds

L_SHAPE = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]


@pytest.mark.parametrize("name", [n for n, k in kinds().items() if k.contour._core.pieces == 1])
def test_curve_has_the_trihedral_of_its_formulas(name: str) -> None:
    """Points, tangent and curvature against formulas and differences that the core does not use."""
    kind = kinds()[name]
    places = kind.draw(np.random.default_rng(1), 200)
    inner = places.feature == 1
    at = kind.contour.at(places.sigma[inner])
    np.testing.assert_allclose(at.r, places.r[inner], rtol=0, atol=1e-13)
    t = np.column_stack([np.cos(places.angle[inner]), np.sin(places.angle[inner])])
    np.testing.assert_allclose(at.t, t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(at.n, np.column_stack([-t[:, 1], t[:, 0]]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(at.kappa, places.kappa[inner], rtol=1e-11, atol=1e-11)
    h = 1e-6
    step = kind.contour.at(places.sigma[inner] + h).r - kind.contour.at(places.sigma[inner] - h).r
    np.testing.assert_allclose(np.linalg.norm(step, axis=1) / (2 * h), at.speed, rtol=1e-7)


@pytest.mark.parametrize("name", list(kinds()))
def test_copies_and_pickles_have_the_same_contacts(name: str) -> None:
    contour = kinds()[name].contour
    copies = [copy.deepcopy(contour)]
    if name not in ("user curve",):  # local functions cannot be pickled
        copies.append(pickle.loads(pickle.dumps(contour)))
    partner = c.Circle(0.5)
    pose = (1.2, 0.4, 0.3)
    expected = c.find_contacts(contour, partner, 3.0, pose_2=pose)
    for twin in copies:
        found = c.find_contacts(twin, partner, 3.0, pose_2=pose)
        assert [p.g_N for p in found] == [p.g_N for p in expected]


def test_points_for_drawing_lie_on_the_contour() -> None:
    np.testing.assert_allclose(np.linalg.norm(c.Circle(2.0).points(50), axis=1), 2.0, rtol=1e-15)
    parabola = c.Parabola(0.5, 1.0).points(11, reach=2.0)
    np.testing.assert_allclose(parabola[:, 1], -0.5 * parabola[:, 0] ** 2 + 1.0, atol=1e-15)
    assert parabola[0, 0] == 2.0
    assert c.Line((0, 1), (2, 0)).points(2, reach=3.0).tolist() == [[-3, 1], [3, 1]]
    assert c.Polygon(L_SHAPE).points().tolist() == [[*p] for p in (*L_SHAPE, L_SHAPE[0])]
    assert c.Segment((0, 0), (1, 2)).points().tolist() == [[0, 0], [1, 2]]
    assert c.Point((3, 4)).points().tolist() == [[3, 4]]


def test_circles_and_arcs_turn_with_the_side_of_the_body() -> None:
    assert c.Circle(2.0).at(0.3).kappa[0] == pytest.approx(0.5)
    assert c.Circle(-2.0).at(0.3).kappa[0] == pytest.approx(-0.5)
    arc = c.Arc(2.0, 0.0, -1.0)
    assert arc.at(0.0).kappa[0] == pytest.approx(-0.5)
    np.testing.assert_allclose(arc.at(1.0).r, [[2 * np.cos(1.0), -2 * np.sin(1.0)]], atol=1e-15)


def test_spline_through_points_of_a_circle_has_nearly_its_curvature() -> None:
    angle = 2 * np.pi * np.arange(60) / 60
    spline = c.Spline(2.0 * np.column_stack([np.cos(angle), np.sin(angle)]))
    end = spline._core.range(0)[1]
    # Cubics interpolate the second derivative to (h²/8) f'''', with h = 0.1 here.
    np.testing.assert_allclose(spline.at(np.linspace(0, end, 400)).kappa, 0.5, rtol=3e-3)


def test_curve_from_expressions_has_exact_derivatives() -> None:
    u = sympy.Symbol("u")
    curve = c.UserCurve((3 * sympy.cos(u), 2 * sympy.sin(u)), 0.0, 2 * np.pi, closed=True)
    u_values = np.linspace(0.1, 6.0, 40)
    expected = c.Ellipse(3.0, 2.0).at(u_values)
    found = curve.at(u_values)
    for name in ("r", "t", "n", "kappa", "speed"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-14)
    contact = c.find_contacts(curve, c.Line(), 0.5, pose_1=(0.0, 2.3, 0.0))
    assert [p.g_N for p in contact] == [pytest.approx(0.3, abs=1e-14)]


def test_clockwise_points_are_reversed_and_noted() -> None:
    polygon = c.Polygon(L_SHAPE[::-1])
    assert polygon.reversed
    assert "clockwise" in polygon.note
    assert np.array(polygon.corners)[0].tolist() == [*L_SHAPE[-1]]
    assert shapely.Polygon(polygon.corners).exterior.is_ccw
    right = c.Polygon(L_SHAPE)
    assert not right.reversed
    assert right.note == ""
    with pytest.warns(c.OrientationWarning, match="clockwise"):
        c.Polygon(L_SHAPE[::-1], on_reversal="warn")
    assert not shapely.LinearRing(c.Polygon(L_SHAPE, hole=True).corners).is_ccw


def same_ring(found: Any, expected: Any) -> bool:
    return bool(shapely.Polygon(found.corners).equals(shapely.Polygon(expected)))


def test_polygon_from_a_table(tmp_path: Path) -> None:
    rows = "\n".join(f"{i};{x};{y}" for i, (x, y) in enumerate([*L_SHAPE, L_SHAPE[0]]))
    path = tmp_path / "shape.csv"
    path.write_text(f"nr;x;y\n# a comment\n{rows}\n", "utf-8")
    polygon = c.Polygon.from_csv(path, columns=(1, 2), delimiter=";", scale=0.5)
    assert same_ring(polygon, 0.5 * np.array(L_SHAPE))
    path.write_text("0,0\n1,0\n1,one\n", "utf-8")
    with pytest.raises(
        ValueError, match=r"line 3: expected numbers in columns \(0, 1\), got '1,one'"
    ):
        c.Polygon.from_csv(path)


def test_polygon_from_svg(tmp_path: Path) -> None:
    path = tmp_path / "shape.svg"
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'
        '<path id="ell" d="M 0 0 h 3 v -1 h -2 v -1 h -1 z"/>'
        '<circle id="disc" cx="0" cy="0" r="2"/>'
        '<path id="two" d="M 0 0 h 1 v 1 z M 5 5 h 1 v 1 z"/></svg>',
        "utf-8",
    )
    assert same_ring(c.Polygon.from_svg(path, element="ell"), L_SHAPE)
    assert same_ring(c.Polygon.from_svg(path, element=0, scale=2.0), 2 * np.array(L_SHAPE))
    disc = np.array(c.Polygon.from_svg(path, element="disc", chord=0.05).corners)
    np.testing.assert_allclose(np.linalg.norm(disc, axis=1), 2.0, rtol=1e-6)
    assert len(disc) > 200
    with pytest.raises(ValueError, match="element: expected a shape of one part"):
        c.Polygon.from_svg(path, element="two")
    with pytest.raises(ValueError, match="element: expected a shape of the file, got 0 that match"):
        c.Polygon.from_svg(path, element="none")


def test_polygon_from_dxf(tmp_path: Path) -> None:
    drawing = ezdxf.new()
    space = drawing.modelspace()
    space.add_lwpolyline(L_SHAPE, close=True, dxfattribs={"layer": "body"})
    space.add_circle((1.0, 0.0), 2.0, dxfattribs={"layer": "disc"})
    space.add_lwpolyline([(0, 0), (1, 1)])
    path = tmp_path / "shape.dxf"
    drawing.saveas(path)
    assert same_ring(c.Polygon.from_dxf(path, scale=1e-3), 1e-3 * np.array(L_SHAPE))
    disc = np.array(c.Polygon.from_dxf(path, layer="disc", sagitta=1e-3).corners)
    np.testing.assert_allclose(np.hypot(disc[:, 0] - 1.0, disc[:, 1]), 2.0, rtol=1e-9)
    with pytest.raises(ValueError, match="index: expected a closed entity, got 2 of 2"):
        c.Polygon.from_dxf(path, index=2)


def test_polygon_from_shapely_and_hull() -> None:
    inner = [(0.2, 0.2), (0.8, 0.2), (0.8, 0.8)]
    shape = shapely.Polygon(L_SHAPE, [inner])
    assert same_ring(c.Polygon.from_shapely(shape), L_SHAPE)
    hole = c.Polygon.from_shapely(shape, ring=0)
    assert hole.hole
    assert not shapely.LinearRing(hole.corners).is_ccw
    assert same_ring(c.Polygon.from_shapely(shapely.LinearRing(L_SHAPE)), L_SHAPE)
    hull = c.Polygon.from_hull(ConvexHull(L_SHAPE))
    assert same_ring(hull, [p for p in L_SHAPE if p != (1.0, 1.0)])
    with pytest.raises(ValueError, match="polygon: expected a Shapely polygon, got Point"):
        c.Polygon.from_shapely(shapely.Point(0, 0))
    with pytest.raises(ValueError, match="ring: expected one of 1 rings, got 1"):
        c.Polygon.from_shapely(shape, ring=1)
    with pytest.raises(ValueError, match="hull: expected a ConvexHull, got list"):
        c.Polygon.from_hull([])


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> Any:
        raise ImportError(module)

    monkeypatch.setattr(nsmb.common.extras, "import_module", missing)
    for call in (
        lambda: c.Polygon.from_svg("shape.svg"),
        lambda: c.Polygon.from_dxf("shape.dxf"),
    ):
        with pytest.raises(ImportError, match=r"pip install 'nsmb\[io\]'"):
            call()
