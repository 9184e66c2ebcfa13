"""What all contours have in common."""

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
    """`value` as points, shape (n, 2)."""
    try:
        points = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers of shape (n, 2), got {value!r}") from None
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"{name}: expected shape (n, 2), got shape {points.shape}")
    return points


@dataclass(frozen=True)
class ContourPoint:
    """Places on a contour, in its frame; n of them.

    t = r'/\\|r'\\|, n = b x t into the body, κ n = dt/ds (4.1), with b = e_z.
    """

    r: Array
    """(n, 2) m."""
    t: Array
    """(n, 2) tangent."""
    n: Array
    """(n, 2) normal, into the body."""
    kappa: Array
    """(n,) curvature, 1/m, negative where the contour is concave."""
    speed: Array
    """(n,) ds/dσ = \\|r'\\|."""


class Contour(ABC):
    """A planar curve in its own frame, with the body on its left.

    Outer boundaries run counter-clockwise, holes clockwise. Contours are immutable; two bodies may
    share one.
    """

    _core: _geometry.Contour

    @abstractmethod
    def _build(self) -> _geometry.Contour:
        """The contour of the core."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", self._build())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        object.__setattr__(self, "_core", self._build())

    @property
    def features(self) -> int:
        """Number of features: vertices and pieces, in turn (2 i and 2 i + 1)."""
        return self._core.pieces + self._core.vertices

    def at(self, sigma: ArrayLike, piece: int = 0) -> ContourPoint:
        """Places at parameters `sigma`, a number or (n,), of one smooth piece.

        Raises
        ------
        ValueError
            For a piece that the contour does not have, or parameters that are no numbers.
        """
        if not 0 <= piece < self._core.pieces:
            raise ValueError(f"piece: expected 0 ... {self._core.pieces - 1}, got {piece}")
        values = np.atleast_1d(np.asarray(sigma, dtype=np.float64))
        values = as_array("sigma", values, (values.size,))
        return ContourPoint(**self._core.at(piece, values))

    def points(self, n: int = 200, reach: float = 1.0) -> Array:
        """Points for drawing, (n, 2) m; a closed contour ends where it begins.

        A contour without end is drawn for \\|σ\\| <= `reach`. Straight pieces contribute their
        corners alone, whatever `n`.

        Raises
        ------
        ValueError
            For n < 2.
        """
        if n < 2:
            raise ValueError(f"n: expected at least 2 points, got {n}")
        if self._core.pieces == 0:
            return np.array([self._core.vertex(0)["r"]])
        begin, end, _ = self._core.range(0)
        sigma = np.linspace(max(begin, -reach), min(end, reach) if np.isinf(end) else end, n)
        return self._core.at(0, sigma)["r"]


def runs_wrong(core: _geometry.Contour, marks: Array, hole: bool) -> bool:
    """Whether a closed curve is clockwise around a body, or the other way around a hole.

    From the area ½ ∫ (r x r')·b dσ; three points of Gauss between marks are exact for cubics.
    """
    nodes, weights = np.polynomial.legendre.leggauss(3)
    half = 0.5 * np.diff(marks)
    sigma = (marks[:-1] + half)[:, None] + half[:, None] * nodes
    place = core.at(0, sigma.ravel())
    (x, y), (t_x, t_y) = place["r"].T, place["t"].T
    area = 0.5 * np.sum((half[:, None] * weights).ravel() * place["speed"] * (x * t_y - y * t_x))
    return bool(area > 0.0 if hole else area < 0.0)


class OrientedContour(Contour):
    """A contour that turns itself round when it is closed and runs the wrong way."""

    closed: bool
    hole: bool

    @abstractmethod
    def _orient(self) -> bool:
        """Turn it round where it runs the wrong way; whether it did."""

    def __post_init__(self) -> None:
        if self.hole and not self.closed:
            raise ValueError("hole: expected False for an open curve, got True; closed=True is one")
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
        """What was changed; empty when nothing was."""
        return str(self.__dict__["_note"])

    @property
    def reversed(self) -> bool:
        """The curve came the wrong way round."""
        return bool(self.note)
