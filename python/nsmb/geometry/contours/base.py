"""Base class of all contours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_array

__all__ = ["Contour", "ContourPoint", "OrientedContour", "as_points", "runs_wrong"]

Array = NDArray[np.float64]


def as_points(name: str, value: ArrayLike) -> Array:
    """Return `value` as points, shape (n, 2)."""
    try:
        points = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers of shape (n, 2), got {value!r}") from None
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"{name}: expected shape (n, 2), got shape {points.shape}")
    return points


@dataclass(frozen=True)
class ContourPoint:
    """Points on a contour, in its frame, n in number.

    t = r'/\\|r'\\|, n = b x t into the body, κ n = dt/ds (4.1), with b = e_z.
    """

    r: Array
    """Positions, shape (n, 2), in m."""
    t: Array
    """Tangents, shape (n, 2)."""
    n: Array
    """Normals into the body, shape (n, 2)."""
    kappa: Array
    """Curvatures in 1/m, shape (n,), negative where the contour is concave."""
    speed: Array
    """Values of ds/dσ = \\|r'\\|, shape (n,)."""


class Contour(ABC):
    """A planar curve in its own frame, with the body on its left.

    Outer boundaries run counter-clockwise, holes clockwise. Contours are immutable, and two bodies
    may share them.
    """

    _core: _geometry.Contour

    @abstractmethod
    def _build(self) -> _geometry.Contour:
        """Return the contour of the core."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", self._build())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        object.__setattr__(self, "_core", self._build())

    @property
    def features(self) -> int:
        """Number of features, alternating between vertices (2 i) and pieces (2 i + 1)."""
        return self._core.pieces + self._core.vertices

    def at(self, sigma: ArrayLike, piece: int = 0) -> ContourPoint:
        """Return points at parameters `sigma`, a number or (n,), of one smooth piece.

        Raises
        ------
        ValueError
            If the contour does not have the piece, or a parameter is not a number.
        """
        if not 0 <= piece < self._core.pieces:
            raise ValueError(f"piece: expected 0 ... {self._core.pieces - 1}, got {piece}")
        values = np.atleast_1d(np.asarray(sigma, dtype=np.float64))
        values = as_array("sigma", values, (values.size,))
        return ContourPoint(**self._core.at(piece, values))

    def points(self, n: int = 200, reach: float = 1.0) -> Array:
        """Return points for drawing, (n, 2) m; a closed contour ends where it starts.

        An infinite contour is drawn for \\|σ\\| <= `reach`. Straight pieces contribute only
        their corners, for any `n`.

        Raises
        ------
        ValueError
            If n < 2.
        """
        if n < 2:
            raise ValueError(f"n: expected at least 2 points, got {n}")
        if self._core.pieces == 0:
            return np.array([self._core.vertex(0)["r"]])
        begin, end, _ = self._core.range(0)
        sigma = np.linspace(max(begin, -reach), min(end, reach) if np.isinf(end) else end, n)
        return self._core.at(0, sigma)["r"]


def runs_wrong(core: _geometry.Contour, marks: Array, hole: bool) -> bool:
    """Return True if a closed curve is clockwise around a body, or counter-clockwise around a hole.

    The sign is that of the area ½ ∫ (r x r')·b dσ. Three Gauss points between marks are exact for
    cubics.
    """
    nodes, weights = np.polynomial.legendre.leggauss(3)
    half = 0.5 * np.diff(marks)
    sigma = (marks[:-1] + half)[:, None] + half[:, None] * nodes
    place = core.at(0, sigma.ravel())
    (x, y), (t_x, t_y) = place["r"].T, place["t"].T
    area = 0.5 * np.sum((half[:, None] * weights).ravel() * place["speed"] * (x * t_y - y * t_x))
    return bool(area > 0.0 if hole else area < 0.0)


class OrientedContour(Contour):
    """A contour that is reversed automatically if it is closed and has the wrong orientation."""

    closed: bool
    hole: bool

    @abstractmethod
    def _orient(self) -> bool:
        """Reverse the contour if its orientation is wrong. Return True if it was reversed."""

    def __post_init__(self) -> None:
        if self.hole and not self.closed:
            raise ValueError("`hole`: must be False for an open curve, got True. Pass closed=True.")
        super().__post_init__()
        note = ""
        if self.closed and self._orient():
            way = "counter-clockwise around a hole" if self.hole else "clockwise"
            note = f"curve ran {way} and was reversed"
        object.__setattr__(self, "_note", note)
        if note:
            object.__setattr__(self, "_core", self._build())

    @property
    def note(self) -> str:
        """Description of a reversal, empty if there was none."""
        return str(self.__dict__["_note"])

    @property
    def reversed(self) -> bool:
        """True if the curve had the wrong orientation."""
        return bool(self.note)
