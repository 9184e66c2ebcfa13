"""Contours with straight edges, from arrays and from files."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_number
from nsmb.common.extras import import_extra
from nsmb.common.plain_files import MAX_BYTES, check_file, read_file
from nsmb.geometry.contours.base import Array, Contour, as_points

__all__ = ["OrientationWarning", "Polygon", "Polyline"]


class OrientationWarning(UserWarning):
    """Warning that the points of a polygon had the wrong orientation and were reversed.

    It is issued for ``Polygon(points, on_reversal="warn")``. Otherwise only `Polygon.note` reports
    it.
    """


@dataclass(frozen=True, eq=False)
class Polyline(Contour):
    """An open chain of straight edges, with the body on its left; both ends can be touched.

    Raises
    ------
    ValueError
        If there are fewer than two points, a number is not finite, a point is repeated, or edges
        meet. The message names points or edges.
    """

    corners: ArrayLike
    """Corners, shape (n, 2), in m."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", _frozen(as_points("points", self.corners)))
        super().__post_init__()

    def _build(self) -> _geometry.Contour:
        return _geometry.Chain(self.corners, closed=False)

    def points(self, n: int = 200, reach: float = 1.0) -> Array:
        """Return all corners, (n, 2) m."""
        return np.array(self.corners)


@dataclass(frozen=True, eq=False)
class Polygon(Contour):
    """A closed chain of straight edges, convex or not, with any number of corners.

    The corners run counter-clockwise around a body and clockwise around a hole. Otherwise they are
    reversed, starting with the same corner; `reversed` and `note` report this.

    Examples
    --------
    >>> import nsmb.geometry.contours.curves
    >>> square = nsmb.geometry.Polygon([(0, 0), (0, 1), (1, 1), (1, 0)])
    >>> square.note
    'points ran clockwise and were reversed'
    >>> square.corners[1].tolist()
    [1.0, 0.0]

    Raises
    ------
    ValueError
        If there are fewer than three points, a number is not finite, a point is repeated, or the
        boundary meets itself. The message names points or edges.
    """

    corners: ArrayLike
    """Corners, shape (n, 2), in m, without repeating the first one."""
    hole: bool = False
    """True if the body is outside."""
    on_reversal: Literal["note", "warn"] = "note"
    """If "warn", a reversal also issues an :class:`OrientationWarning`."""

    def __post_init__(self) -> None:
        if self.on_reversal not in ("note", "warn"):
            raise ValueError(f"on_reversal: expected 'note' or 'warn', got {self.on_reversal!r}")
        chain = _geometry.Chain(as_points("points", self.corners), closed=True, hole=self.hole)
        object.__setattr__(self, "corners", _frozen(chain.points))
        note = ""
        if chain.reversed:
            way = "counter-clockwise around a hole" if self.hole else "clockwise"
            note = f"points ran {way} and were reversed"
        object.__setattr__(self, "_note", note)
        object.__setattr__(self, "_core", chain)
        if note and self.on_reversal == "warn":
            warnings.warn(note, OrientationWarning, stacklevel=3)

    def _build(self) -> _geometry.Contour:
        return _geometry.Chain(self.corners, closed=True, hole=self.hole)

    @property
    def note(self) -> str:
        """Description of a reversal, empty if there was none."""
        return str(self.__dict__["_note"])

    @property
    def reversed(self) -> bool:
        """True if the points had the wrong orientation."""
        return bool(self.note)

    def points(self, n: int = 200, reach: float = 1.0) -> Array:
        """Return all corners and the first one again, (n + 1, 2) m."""
        corners = np.asarray(self.corners)
        return np.vstack([corners, corners[:1]])

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        *,
        columns: tuple[int, int] = (0, 1),
        delimiter: str = ",",
        scale: float = 1.0,
        hole: bool = False,
    ) -> Polygon:
        """Return the polygon with corners from two columns of a text file.

        Lines that start with ``#`` and a first line without numbers are skipped.

        Parameters
        ----------
        path : path
        columns : (int, int)
            Columns of x and y.
        delimiter : str
        scale : float
            Length of one unit of the file, m.
        hole : bool

        Raises
        ------
        ValueError
            If text is not a number (the message gives the line), and as for :class:`Polygon`.
        """
        rows: list[tuple[float, float]] = []
        for number, line in enumerate(read_file(path).decode("utf-8-sig").splitlines(), 1):
            cells = line.split(delimiter)
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            try:
                rows.append((float(cells[columns[0]]), float(cells[columns[1]])))
            except (ValueError, IndexError):
                if not rows and number == 1:
                    continue  # column names
                raise ValueError(
                    f"{os.fspath(path)}, line {number}: expected numbers in columns {columns}, "
                    f"got {line.strip()!r}"
                ) from None
        return cls(_open(np.array(rows).reshape(-1, 2)) * _scale(scale), hole=hole)

    @classmethod
    def from_svg(
        cls,
        path: str | os.PathLike[str],
        *,
        element: str | int = 0,
        scale: float = 1.0,
        chord: float = 0.01,
        hole: bool = False,
    ) -> Polygon:
        """Return the polygon of a path, polygon or other closed shape of an SVG file; y points up.

        Requires svgelements: ``pip install nsmb[io]``.

        Parameters
        ----------
        path : path
        element : str or int
            Id of the shape, or its index among the shapes.
        scale : float
            Length of one user unit in m (1/96 inch if the file has no viewBox).
        chord : float
            Distance of points on curved parts, in user units.
        hole : bool

        Raises
        ------
        ValueError
            If the shape does not exist or has several parts, and as for :class:`Polygon`.
        """
        svg = import_extra("svgelements", "io")
        check_file(path, MAX_BYTES, "")
        shapes = [e for e in svg.SVG.parse(os.fspath(path)).elements() if isinstance(e, svg.Shape)]
        if isinstance(element, str):
            shapes = [e for e in shapes if e.id == element]
            element = 0
        if not 0 <= element < len(shapes):
            raise ValueError(f"element: expected a shape of the file, got {len(shapes)} that match")
        outline = svg.Path(shapes[element])
        outline.reify()
        if sum(isinstance(segment, svg.Move) for segment in outline) != 1:
            raise ValueError("element: expected a shape of one part, got several")
        if not chord > 0.0:
            raise ValueError(f"chord: expected a number > 0, got {chord}")
        corners: list[tuple[float, float]] = []
        for segment in outline:
            if isinstance(segment, (svg.Move, svg.Line, svg.Close)):
                ends = [segment.end]
            else:
                pieces = max(2, int(np.ceil(segment.length(error=1e-6) / chord)))
                ends = [segment.point(k / pieces) for k in range(1, pieces + 1)]
            corners += [(float(p.x), -float(p.y)) for p in ends if p is not None]
        return cls(_distinct(_open(np.array(corners))) * _scale(scale), hole=hole)

    @classmethod
    def from_dxf(
        cls,
        path: str | os.PathLike[str],
        *,
        layer: str | None = None,
        index: int = 0,
        scale: float = 1.0,
        sagitta: float = 0.01,
        hole: bool = False,
    ) -> Polygon:
        """Return the polygon of a closed polyline, circle, ellipse or spline of a DXF file.

        Requires ezdxf: ``pip install nsmb[io]``. Arcs of polylines and ellipses are approximated by
        cubics, to 3e-4 of their radius.

        Parameters
        ----------
        path : path
        layer : str, optional
            Layer of the entities considered, by default all layers.
        index : int
            Index among the closed entities.
        scale : float
            Length of one unit of the drawing, m.
        sagitta : float
            Maximum distance of an edge from an arc, in drawing units.
        hole : bool

        Raises
        ------
        ValueError
            If the entity does not exist, and as for :class:`Polygon`.
        """
        ezdxf = import_extra("ezdxf", "io")
        make_path = import_extra("ezdxf.path", "io").make_path
        check_file(path, MAX_BYTES, "")
        outlines = []
        for entity in ezdxf.readfile(os.fspath(path)).modelspace():
            if layer is not None and entity.dxf.layer != layer:
                continue
            if entity.dxftype() == "CIRCLE":
                outlines.append(entity)
            elif entity.dxftype() in ("LWPOLYLINE", "POLYLINE", "ELLIPSE", "SPLINE"):
                outline = make_path(entity)
                if outline.is_closed:
                    outlines.append(outline)
        if not 0 <= index < len(outlines):
            raise ValueError(f"index: expected a closed entity, got {index} of {len(outlines)}")
        points = np.array([(p.x, p.y) for p in outlines[index].flattening(sagitta)])
        return cls(_distinct(_open(points)) * _scale(scale), hole=hole)

    @classmethod
    def from_shapely(cls, polygon: Any, *, ring: int | None = None) -> Polygon:
        """Return the outer boundary of a Shapely polygon, or an interior ring as a hole.

        Parameters
        ----------
        polygon : shapely.Polygon or shapely.LinearRing
        ring : int, optional
            Index of an interior ring.

        Raises
        ------
        ValueError
            If the geometry is of another kind or the ring does not exist, and as for
            :class:`Polygon`.
        """
        kind = getattr(polygon, "geom_type", type(polygon).__name__)
        if kind == "LinearRing" and ring is None:
            return cls(_open(np.asarray(polygon.coords)[:, :2]))
        if kind != "Polygon":
            raise ValueError(f"polygon: expected a Shapely polygon, got {kind}")
        if ring is None:
            return cls(_open(np.asarray(polygon.exterior.coords)[:, :2]))
        if not 0 <= ring < len(polygon.interiors):
            raise ValueError(f"ring: expected one of {len(polygon.interiors)} rings, got {ring}")
        return cls(_open(np.asarray(polygon.interiors[ring].coords)[:, :2]), hole=True)

    @classmethod
    def from_hull(cls, hull: Any) -> Polygon:
        """Return the polygon of a SciPy ``ConvexHull`` of points in the plane.

        Raises
        ------
        ValueError
            If the argument is not a ConvexHull, or is a hull in space.
        """
        try:
            corners = np.asarray(hull.points)[np.asarray(hull.vertices)]
        except (AttributeError, TypeError, IndexError):
            raise ValueError(f"hull: expected a ConvexHull, got {type(hull).__name__}") from None
        return cls(corners)


def _frozen(points: Array) -> Array:
    points.setflags(write=False)
    return points


def _open(points: Array) -> Array:
    """Return the points without the repeated first point that closes a boundary in files."""
    return points[:-1] if len(points) > 1 and np.array_equal(points[0], points[-1]) else points


def _distinct(points: Array) -> Array:
    """Return the points without neighbours that differ only by rounding, as drawings have."""
    gaps = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    kept: Array = points[gaps > 1e-12 * np.ptp(points, axis=0).max(initial=0.0)]
    return kept


def _scale(value: float) -> float:
    scale = as_number("scale", value)
    if not (scale > 0.0 and np.isfinite(scale)):
        raise ValueError(f"scale: expected a number > 0, got {scale}")
    return scale
