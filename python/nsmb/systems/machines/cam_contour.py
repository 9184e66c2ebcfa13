"""The cams of a percussion drill: contour (37) of Glocker and Pfeiffer, made periodic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["CamContour", "contour_parts", "curvature_length"]

Vector = NDArray[np.float64]

# Polynomials of degree five on [0, 1] with zero slope and curvature at 0: _DOWN falls from 1 to 0
# with zero slope and curvature at 1, the others have slope 1 or second derivative 1 at 1.
_DOWN = np.polynomial.Polynomial([1.0, 0.0, 0.0, -10.0, 15.0, -6.0])
_SLOPE = np.polynomial.Polynomial([0.0, 0.0, 0.0, -4.0, 7.0, -3.0])
_BEND = np.polynomial.Polynomial([0.0, 0.0, 0.0, 0.5, -1.0, 0.5])


def curvature_length(a: Any) -> Any:
    """Return b/(c R) at which the largest |f″| of (37) is 1/R, for the exponent a."""
    return 27 * a * (a + 1) * (a - 1) ** (a - 1) / (a + 2) ** (a + 2)


def contour_parts(s: Any, flank: Any, back: Any, a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """Return expressions of e on the flank and on the back of a tooth, for :class:`CamContour`."""
    x = s - flank
    u = flank / (flank + b)  # x/(x - b) at the foot
    height = c * flank * u**a
    slope = c * u**a * (1 + a * (1 - u)) * back
    bend = -c * a * (a + 1) * b**2 * u ** (a - 1) / (flank + b) ** 3 * back**2
    v = x / back
    down = 1 - v**3 * (10 - 15 * v + 6 * v**2)
    ahead = v**3 * (slope * (-4 + 7 * v - 3 * v**2) + bend * (1 - v) ** 2 / 2)
    return height + c * x * (x / (x - b)) ** a, height * down + ahead


@dataclass(frozen=True)
class CamContour:
    """The C² contour e(σ) of a disc with equal cams, in the direction in which the discs slip.

    The flank of a tooth rises along f(x) = c x (x/(x - b))^a (37) to a flat top at x = 0, with c =
    tan(alpha) and b such that the largest |f″| is 1/R. The rest of the tooth is its back.
    """

    length: float
    """Length l of a tooth, m."""
    alpha: float
    """Inclination of the asymptote of the flank, rad."""
    R: float
    """Least radius of the top, taken as 1/|f″|, m."""
    a: float = 2.0
    """Exponent of (37), > 1."""
    back: float = 0.15
    """Fraction of the tooth length that falls from the top to the next foot."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("length", 0.0, math.inf),
            ("alpha", 0.0, math.pi / 2.0),
            ("R", 0.0, math.inf),
            ("a", 1.0, math.inf),
            ("back", 0.0, 1.0),
        ):
            value = getattr(self, name)
            if not low < value < high:
                raise ValueError(
                    f"{name}: expected a number between {low:g} and {high:g}, got {value!r}"
                )

        if not self.b * (self.a - 1.0) / 3.0 < self.flank:
            raise ValueError(
                f"R: expected a radius for which the top fits on a flank of {self.flank:g} m, got "
                f"{self.R:g}; take a smaller R, alpha or a, or fewer cams"
            )

    @property
    def c(self) -> float:
        """Slope of the asymptote of the flank."""
        return math.tan(self.alpha)

    @property
    def b(self) -> float:
        """Length b of (37), m."""
        return float(curvature_length(self.a)) * self.c * self.R

    @property
    def flank(self) -> float:
        """Length of the flank with the top, m."""
        return self.length * (1.0 - self.back)

    @property
    def height(self) -> float:
        """Height of the top above the foot of a flank, m."""
        return -float(self._f(np.array(-self.flank), 0))

    def phase(self, sigma: ArrayLike) -> Vector:
        """Return the position on the tooth, m: 0 at the foot, :attr:`flank` at the top."""
        return np.mod(np.asarray(sigma, dtype=np.float64), self.length)

    def e(self, sigma: ArrayLike, derivative: int = 0) -> Vector:
        """Return e(σ) in m, e′(σ) or e″(σ), with the shape of `sigma`; e is zero at the foot.

        Raises
        ------
        ValueError
            If the derivative is not 0, 1 or 2.
        """
        if derivative not in (0, 1, 2):
            raise ValueError(f"derivative: expected 0, 1 or 2, got {derivative!r}")
        s = self.phase(sigma)
        rising = self._f(np.minimum(s - self.flank, 0.0), derivative)
        if derivative == 0:
            rising = rising + self.height
        back = self.length * self.back
        foot = [float(self._f(np.array(-self.flank), k)) * back**k for k in (1, 2)]
        falling = self.height * _DOWN + foot[0] * _SLOPE + foot[1] * _BEND
        v = (s - self.flank) / back
        polynomial = falling.deriv(derivative) if derivative else falling
        return np.where(v < 0.0, rising, polynomial(v) / back**derivative)

    def _f(self, x: Vector, derivative: int) -> Vector:
        """Return (37) or its derivatives for x <= 0."""
        a, b, c = self.a, self.b, self.c
        u = x / (x - b)
        if derivative == 0:
            return np.asarray(c * x * u**a)
        if derivative == 1:
            return np.asarray(c * u**a * (1.0 + a * (1.0 - u)))
        return np.asarray(c * a * (a + 1.0) * b**2 * u ** (a - 1.0) / (x - b) ** 3)
