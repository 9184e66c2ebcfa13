"""Functions of the position along a body, for the Ritz method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column, one_of, whole

__all__ = [
    "Family",
    "ShapeFunctions",
    "Support",
    "functions_for",
    "mixed",
    "sines",
    "splines",
]

Array = NDArray[np.float64]
Support = Literal[
    "fixed-free",
    "free-fixed",
    "fixed-fixed",
    "free-free",
    "pinned-pinned",
    "fixed-pinned",
    "pinned-fixed",
]
Which = Literal["value", "slope", "curvature"]
_DEGREE = 3
_MOST = 100  # functions, for which the quadrature is intended


@dataclass(frozen=True, eq=False)
class ShapeFunctions:
    """A set of n functions of ξ, which increases from 0 to 1 along the body.

    Parameters
    ----------
    value, slope : callable ξ (m,) -> (n, m)
        w(ξ) and dw/dξ.
    curvature : callable ξ (m,) -> (n, m), optional
        d²w/dξ², for bending.
    breaks : array_like
        Positions ξ at which a derivative jumps. Functions are smooth in between.
    points : int
        Number of Gauss-Legendre points between two breaks.

    Raises
    ------
    ValueError
        If functions return wrong shapes or non-finite numbers, or contradict their derivatives.
    """

    value: Callable[[Array], ArrayLike]
    slope: Callable[[Array], ArrayLike]
    curvature: Callable[[Array], ArrayLike] | None = None
    breaks: ArrayLike = ()
    points: int = 24

    def __post_init__(self) -> None:
        breaks = np.unique(as_column("breaks", self.breaks))
        if not np.all((breaks >= 0.0) & (breaks <= 1.0)):
            raise ValueError(f"breaks: expected numbers from 0 to 1, got {breaks.tolist()}")
        object.__setattr__(self, "breaks", breaks)
        whole("points", self.points, 1)
        self._check()

    @property
    def count(self) -> int:
        """Number n of functions."""
        return int(self.at("value", np.zeros(1)).shape[0])

    def at(self, which: Which, xi: ArrayLike) -> Array:
        """Return values or derivatives, shape (n, m)."""
        function = getattr(self, which)
        if function is None:
            raise ValueError(f"{which}: expected the functions' second derivatives, got none")
        places = np.atleast_1d(np.asarray(xi, dtype=float))
        values = np.asarray(function(places), dtype=float)
        if values.ndim != 2 or values.shape[1] != places.size or values.shape[0] < 1:
            raise ValueError(
                f"{which}: expected shape (n, {places.size}) for {places.size} places, got "
                f"{values.shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"{which}: expected finite numbers, got {values.tolist()}")
        return values

    def _check(self) -> None:
        """Compare derivatives with finite differences, within each piece."""
        edges = np.unique(np.concatenate([[0.0, 1.0], np.asarray(self.breaks)]))
        places: Array = np.concatenate(
            [edges[:-1] + share * np.diff(edges) for share in (0.21, 0.53, 0.77)]
        )
        step = 1e-6 * float(np.diff(edges).min())
        pairs: list[tuple[Which, Which]] = [("value", "slope")]
        pairs += [("slope", "curvature")] if self.curvature else []
        for which, rate in pairs:
            quotient = (self.at(which, places + step) - self.at(which, places - step)) / (2 * step)
            given = self.at(rate, places)
            scale = 1.0 + np.abs(given).max() + np.abs(self.at(which, places)).max() / step * 1e-10
            worst = float(np.abs(quotient - given).max())
            if given.shape != quotient.shape or worst > 1e-4 * scale:
                raise ValueError(
                    f"{rate}: expected the derivative of {which}, got one that differs by "
                    f"{worst:.3g} from differences"
                )


class Family(ABC):
    """A family of functions that depend on their use."""

    @abstractmethod
    def make(self, smoothness: int) -> ShapeFunctions:
        """Return the functions, where `smoothness` is 1 for torsion and 2 for bending."""


def functions_for(smoothness: int, functions: Family | ShapeFunctions) -> ShapeFunctions:
    """Return the functions, where `smoothness` is 1 for torsion and 2 for bending."""
    if isinstance(functions, Family):
        return functions.make(smoothness)
    if not isinstance(functions, ShapeFunctions):
        raise ValueError(
            f"functions: expected nsmb.flexible.sines, splines or ShapeFunctions, got {functions!r}"
        )
    return functions


@dataclass(frozen=True, eq=False)
class _Mixed:
    given: ShapeFunctions
    T: Array

    def value(self, xi: Array) -> Array:
        return np.asarray(self.T @ self.given.at("value", xi))

    def slope(self, xi: Array) -> Array:
        return np.asarray(self.T @ self.given.at("slope", xi))

    def curvature(self, xi: Array) -> Array:
        return np.asarray(self.T @ self.given.at("curvature", xi))


def mixed(given: ShapeFunctions, T: Array) -> ShapeFunctions:
    """Return T (m, n) times the functions."""
    own = _Mixed(given, T)
    curvature = own.curvature if given.curvature is not None else None
    return ShapeFunctions(own.value, own.slope, curvature, given.breaks, given.points)


def _count(count: int) -> int:
    n = whole("count", count, 1)
    if n > _MOST:
        raise ValueError(f"count: expected at most {_MOST}, got {n}")
    return n


@dataclass(frozen=True, eq=False)
class _Waves:
    """Functions shift + sin(rate ξ + phase)."""

    rates: Array
    shift: float
    phase: float

    def value(self, xi: Array) -> Array:
        return np.asarray(self.shift + np.sin(self.rates * xi + self.phase))

    def slope(self, xi: Array) -> Array:
        return np.asarray(self.rates * np.cos(self.rates * xi + self.phase))

    def curvature(self, xi: Array) -> Array:
        return np.asarray(-(self.rates**2) * np.sin(self.rates * xi + self.phase))


@dataclass(frozen=True)
class _Sines(Family):
    count: int
    support: str

    def make(self, smoothness: int) -> ShapeFunctions:
        support = self.support
        if (smoothness, support) in ((1, "pinned-pinned"), (2, "fixed-fixed"), (2, "free-free")):
            kind = "torsion" if smoothness == 1 else "bending"
            raise ValueError(
                f"functions: expected sines that fit {kind}, got {support!r}; use splines"
            )
        k = np.arange(1, self.count + 1)[:, None]
        rates = np.asarray(((k - 0.5) if support == "fixed-free" else k) * np.pi, dtype=float)
        shift, phase = 0.0, 0.5 * np.pi if support == "free-free" else 0.0
        if (smoothness, support) == (2, "fixed-free"):
            shift, phase = 1.0, -0.5 * np.pi
        waves = _Waves(rates, shift, phase)
        points = 24 + 3 * self.count
        return ShapeFunctions(waves.value, waves.slope, waves.curvature, points=points)


@dataclass(frozen=True, eq=False)
class _Splines:
    """B-splines, each minus a straight line."""

    spline: Any
    """A scipy.interpolate.BSpline."""
    line: Array
    """Coefficients a and b of a + b ξ, shape (2, n)."""

    def value(self, xi: Array) -> Array:
        return np.asarray((self.spline(xi) - self.line[0] - xi[:, None] * self.line[1]).T)

    def slope(self, xi: Array) -> Array:
        return np.asarray((self.spline(xi, 1) - self.line[1]).T)

    def curvature(self, xi: Array) -> Array:
        return np.asarray(self.spline(xi, 2).T)


@dataclass(frozen=True)
class _CubicSplines(Family):
    count: int
    support: str

    def make(self, smoothness: int) -> ShapeFunctions:
        from scipy import interpolate

        n = self.count
        held = {"fixed": smoothness, "pinned": 1, "free": 0}
        first, last = (held[end] for end in self.support.split("-"))
        rigid = smoothness if self.support == "free-free" else 0
        if rigid:  # as many are removed as there are motions of the whole body
            first, last = 1, rigid - 1
        total = n + first + last
        if total <= _DEGREE:
            raise ValueError(
                f"functions: expected at least {_DEGREE + 1 - first - last} splines "
                f"{self.support!r}, got {n}"
            )
        knots = np.linspace(0.0, 1.0, total - _DEGREE + 1)
        ends = np.zeros(_DEGREE)
        spline = interpolate.BSpline(
            np.concatenate([ends, knots, ends + 1.0]), np.eye(total)[:, first : first + n], _DEGREE
        )
        line = np.zeros((2, n))
        if rigid:
            # Conditions ∫ w = 0 and ∫ ξ w = 0, of polynomials between the knots.
            nodes, weights = np.polynomial.legendre.leggauss(_DEGREE)
            half = 0.5 * np.diff(knots)[:, None]
            xi = (knots[:-1, None] + half * (nodes + 1.0)).ravel()
            powers = np.array([xi**k for k in range(rigid)])
            weighted = powers * (half * weights).ravel()
            line[:rigid] = np.linalg.solve(weighted @ powers.T, weighted @ spline(xi))
        made = _Splines(spline, line)
        points = 2 * (_DEGREE + 1)  # exact, also for polynomial properties
        return ShapeFunctions(made.value, made.slope, made.curvature, knots[1:-1], points)


def sines(
    count: int, support: Literal["fixed-free", "fixed-fixed", "free-free", "pinned-pinned"]
) -> Family:
    """Return a family of sines and cosines.

    Parameters
    ----------
    count : int
        Number n of functions, from 1 to 100.
    support : str
        For torsion, the eigenfunctions of a uniform shaft: ``"fixed-free"`` sin((k - ½)πξ),
        ``"fixed-fixed"`` sin(kπξ), or ``"free-free"`` cos(kπξ), about the mean rotation. For
        bending, ``"pinned-pinned"`` sin(kπξ), about the chord, the eigenfunctions of a uniform beam
        on two supports, or ``"fixed-free"`` 1 - cos((k - ½)πξ), about the tangent at ξ = 0.

    Raises
    ------
    ValueError
        If the number or support is invalid. A body made of the functions also raises it for a
        support of the other kind.
    """
    known = ("fixed-free", "fixed-fixed", "free-free", "pinned-pinned")
    return _Sines(_count(count), one_of("support", support, known))


def splines(count: int, support: Support) -> Family:
    """Return a family of cubic B-splines with uniform knots.

    Parameters
    ----------
    count : int
        Number n of functions, from 1 to 100. Together with those removed at the ends, there must be
        at least four B-splines.
    support : str
        Conditions at the two ends, such as ``"fixed-free"``. At a fixed end, the functions are zero
        and, in bending, also their slopes. At a pinned end, they are zero. ``"free-free"`` omits
        motions of the whole body: the functions are relative to the mean displacement and, in
        bending, to the mean rotation of a uniform body.

    Raises
    ------
    ValueError
        If the number or support is invalid, here or when a body is made of the functions.
    """
    return _CubicSplines(_count(count), one_of("support", support, get_args(Support)))
