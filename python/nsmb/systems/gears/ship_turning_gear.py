"""The oscillator with backlash of a ship-turning gear: section 12.2 of Pfeiffer & Glocker."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.forces import ForceElement, GapForce
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import CEILING, FLOOR, Part, block, parts_scene

__all__ = ["ShipTurningGearParameters", "ship_turning_gear"]

_BOOK = "Pfeiffer & Glocker, section 12.2"
_CHOSEN = "chosen: the book's diagrams run over all of them"

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ShipTurningGearParameters(Parameters):
    """Dimensionless data of the oscillator: lengths in F_0/c, times in sqrt(m/c)."""

    D_L: float = parameter(0.05, "-", "damping ratio d/(2 sqrt(c m))", _BOOK)
    r: float = parameter(0.8, "-", "frequency ratio ω/sqrt(c/m)", _CHOSEN, positive=True)
    p: float = parameter(4.0, "-", "clearance v/(F_0/c)", _CHOSEN)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("D_L", self.D_L), ("p", self.p)):
            if value < 0.0:
                raise ValueError(f"parameter {name!r}: expected a number >= 0, got {value:g}")


@parametric(ShipTurningGearParameters, recommended=Recommended(t_end=60.0))
def ship_turning_gear(p: ShipTurningGearParameters) -> LinearSystem:
    """Forced oscillator with backlash in its spring: bent resonance curves and hysteresis.

    ===========  =========================================================================
    coordinates  ``x``, displacement from the middle of the backlash, in F_0/c
    contacts     none; force elements ``upper`` and ``lower``, the two sides of the backlash,
                 which start and end at events ``switch``
    period       2π/r, with the time in sqrt(m/c)
    source       Pfeiffer & Glocker, section 12.2, (12.32)-(12.33); start at rest in the middle
                 of the backlash chosen
    ===========  =========================================================================

    In these units (12.32) is x″ + 2 D_L x′ + s(x) = cos(r t), with s = x ∓ p/2 beyond ±p/2 and 0 in
    between. :func:`ship_turning_gear.amplitudes` returns approximate amplitudes.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # (12.33) as two springs without damping, one for each side.
    side = GapForce(1.0, law="elastic_gap")
    system = LinearSystem(
        [[1.0]],
        D=[[2.0 * p.D_L]],
        force=Force(harmonics=[Harmonic([1.0], p.r)]),
        elements=[
            ForceElement(w=[-1.0], law=side, gap=p.p / 2.0, name="upper"),
            ForceElement(w=[1.0], law=side, gap=p.p / 2.0, name="lower"),
        ],
        coordinates=["x"],
        coordinate_units=["F_0/c"],
        initial_state=State(0.0, np.zeros(1), np.zeros(1)),
    )
    half, size = 0.5 * p.p, max(p.p, 1.0)
    end = half + 1.5 * size  # fixed ends of the springs

    def plates(q: Vector) -> tuple[float, float]:
        return max(half, q[0]) + 0.25 * size, min(-half, q[0]) - 0.25 * size

    plate = size * np.array([(-0.4, 0.0), (0.4, 0.0)])
    system.scene = parts_scene(
        [
            Part("ground", CEILING, lambda t, q: (0.0, end)),
            Part("ground", FLOOR, lambda t, q: (0.0, -end)),
            Part("plates", plate, lambda t, q: (0.0, plates(q)[0])),
            Part("plates", plate, lambda t, q: (0.0, plates(q)[1])),
            Part("mass", block(size, 0.5 * size), lambda t, q: (0.0, q[0] - 0.25 * size)),
        ],
        markers=lambda t, q: [(0.0, end), (0.0, plates(q)[0]), (0.0, plates(q)[1]), (0.0, -end)],
        springs=[(0, 1), (2, 3)],
    )
    return system


@ship_turning_gear.evaluation
def stiffness(amplitude: ArrayLike) -> Vector:
    """Return η_0/η, the ratio of the equivalent linear stiffness to that of the spring.

    Parameters
    ----------
    amplitude : array_like
        x_0/v, ratio of the amplitude to the total backlash; infinite without backlash.

    Returns
    -------
    ndarray of the same shape
        Ratio (12.35): 0 for amplitudes up to half the backlash, increasing to 1.

    Raises
    ------
    ValueError
        If an amplitude is negative.
    """
    xi_0 = np.asarray(amplitude, dtype=np.float64)
    if not (xi_0 >= 0.0).all():
        raise ValueError(f"amplitude: expected numbers >= 0, got {amplitude!r}")
    return np.asarray(_stiffness(np.arccos(0.5 / np.maximum(xi_0, 0.5))))


def _stiffness(theta: Any) -> Any:
    """Return (12.35) for cos θ = v/(2 x_0)."""
    return (2.0 * theta - np.sin(2.0 * theta)) / np.pi


def _amplitude(theta: Any, r: float, D_L: float) -> Any:
    """Return x_0/(F_0/c) by (12.36)."""
    return 1.0 / np.sqrt((r**2 - _stiffness(theta)) ** 2 + (2.0 * D_L * r) ** 2)


def _play(theta: Any, r: float, D_L: float) -> Any:
    """Return the corresponding backlash v/(F_0/c)."""
    # sin instead of cos is exactly zero at π/2
    return 2.0 * np.sin(np.pi / 2.0 - theta) * _amplitude(theta, r, D_L)


@ship_turning_gear.evaluation
def amplitudes(r: float, p: float, D_L: float = 0.05) -> Vector:
    """Return the amplitudes x_0/(F_0/c) by the describing function.

    Along each branch, (12.35) and (12.36) give amplitude and backlash as functions of one number, θ
    = arccos(v/(2 x_0)). The remaining task is to find θ for the given backlash.

    Parameters
    ----------
    r : float
        Frequency ratio ω/sqrt(c/m), > 0.
    p : float
        Backlash v/(F_0/c), >= 0.
    D_L : float
        Damping ratio d/(2 sqrt(c m)), > 0.

    Returns
    -------
    ndarray, (1,) or (3,)
        Amplitudes in increasing order; of three, the middle one is unstable.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    _check(r, D_L)
    if not 0.0 <= p < math.inf:
        raise ValueError(f"p: expected a finite number >= 0, got {p!r}")
    free = float(_amplitude(0.0, r, D_L))
    found = [free] if 2.0 * free <= p else []  # the whole motion is within the backlash

    ends = [0.0, *_turning_points(r, D_L), np.pi / 2.0]
    for left, right in itertools.pairwise(ends):  # the backlash is monotonic in between
        if (_play(left, r, D_L) - p) * (_play(right, r, D_L) - p) <= 0.0:
            theta = _root(lambda at: _play(at, r, D_L) - p, left, right)
            found.append(float(_amplitude(theta, r, D_L)))
    return np.unique(found)


@ship_turning_gear.evaluation
def folds(r: float, D_L: float = 0.05) -> Vector:
    """Return the backlashes v/(F_0/c) at which two amplitudes meet and vanish.

    Between these backlashes there are three amplitudes, elsewhere one. The condition is dp/dθ = 0,
    that is, (2/π) sin 2θ (r² - k) = (r² - k)² + (2 D_L r)² with the describing function k.

    Parameters
    ----------
    r : float
        Frequency ratio ω/sqrt(c/m), > 0.
    D_L : float
        Damping ratio d/(2 sqrt(c m)), > 0.

    Returns
    -------
    ndarray, (0,) or (2,)
        Backlashes in increasing order: where a second, lower amplitude appears, and where the upper
        one ends.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    _check(r, D_L)
    return np.sort(_play(np.array(_turning_points(r, D_L)), r, D_L))


def _check(r: float, D_L: float) -> None:
    for name, value in (("r", r), ("D_L", D_L)):
        if not 0.0 < value < math.inf:
            raise ValueError(f"{name}: expected a finite number > 0, got {value!r}")


def _root(function: Callable[[float], float], left: float, right: float) -> float:
    """Return the zero of a function between two points with values of different sign."""
    from scipy import optimize

    return float(optimize.brentq(function, left, right, xtol=1e-15, rtol=1e-15))


def _turning_points(r: float, D_L: float) -> list[float]:
    """Return all θ in (0, π/2) with dp/dθ = 0."""

    def slope(theta: Any) -> Any:  # dp/dθ without positive factors
        detuning = r**2 - _stiffness(theta)
        return 2.0 / np.pi * np.sin(2.0 * theta) * detuning - detuning**2 - (2.0 * D_L * r) ** 2

    grid = np.linspace(0.0, np.pi / 2.0, 2001)
    signs = slope(grid) > 0.0
    return [_root(slope, grid[i], grid[i + 1]) for i in np.flatnonzero(signs[1:] != signs[:-1])]
