"""A ball on a vibrating table, and the closed form of its periodic jumps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame
from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._blocks import SIDEWAYS, UP, Part, block, disc, parts_scene
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["BallOnTableBorders", "BallOnTableOrbit", "BallOnTableParameters", "ball_on_table"]

_TEXTBOOK = "chosen: textbook benchmark"
_INSTANTS = 720  # evaluations of the gap per period of the table


@dataclass(frozen=True, kw_only=True)
class BallOnTableParameters(Parameters):
    """Data of the ball; with Γ = A ω²/g = 0.652, jumps of one period are stable."""

    m: float = parameter(1.0, "kg", "mass", _TEXTBOOK)
    g: float = parameter(9.81, "m/s²", "gravity", _TEXTBOOK, positive=True)
    A: float = parameter(1e-3, "m", "amplitude of the table", _TEXTBOOK)
    omega: float = parameter(80.0, "rad/s", "frequency of the table", _TEXTBOOK, positive=True)
    e: float = parameter(0.8, "-", "restitution", _TEXTBOOK)


@parametric(BallOnTableParameters, recommended=TWO_SECONDS)
def ball_on_table(p: BallOnTableParameters) -> LinearSystem:
    """Ball that jumps on a vibrating table.

    ===========  =========================================================================
    coordinates  ``s``, height of the ball above the table (m); the table is at A sin ωt
    contacts     ``table`` at s = 0
    source       chosen: textbook benchmark; start: dropped from g (π/ω)²,
                 twice the height of a jump of one period
    ===========  =========================================================================

    :func:`ball_on_table.orbits` returns the periodic jumps in closed form, and
    :func:`ball_on_table.borders` the values of Γ = A ω²/g between which they are stable. For Γ < 1
    rest on the table is a second attractor.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # s = y - A sin ωt, so s̈ = -g + A ω² sin ωt.
    inertia = Harmonic([p.m * p.A * p.omega**2], p.omega, -0.5 * np.pi)
    height = p.g * (np.pi / p.omega) ** 2
    system = LinearSystem(
        [[p.m]],
        force=Force(constant=[-p.m * p.g], harmonics=[inertia]),
        contacts=[Contact(w_N=[1.0], law=ContactLaw(e_N=p.e), name="table")],
        coordinates=["s"],
        coordinate_units=["m"],
        initial_state=State(0.0, np.array([height]), np.zeros(1)),
    )
    r = 0.12 * height

    def table(t: float) -> float:
        return float(p.A * np.sin(p.omega * t))

    system.scene = parts_scene(
        [
            Part("table", block(6.0 * r, r), lambda t, q: (0.0, table(t) - r)),
            Part("ball", disc(r), lambda t, q: (0.0, table(t) + q[0] + r)),
        ],
        contacts=lambda t, q: [ContactFrame((0.0, table(t)), UP, SIDEWAYS)],
    )
    return system


@dataclass(frozen=True, eq=False)
class BallOnTableOrbit:
    """Jumps of equal height, one per `n` periods of the table."""

    t: float
    """Time of an impact, in [0, 2 π/ω), s."""
    velocity: float
    """Velocity ṡ after the impact, m/s; before it, -`velocity`/e."""
    period: float
    """Period 2 π n/ω, s."""
    multipliers: NDArray[np.complex128]
    """Multipliers of the motion over one period, the larger first, shape (2,)."""
    admissible: bool
    """True if the ball stays clear of the table between impacts (720 samples per period)."""

    @property
    def stable(self) -> bool:
        """True if both multipliers are inside the unit circle."""
        return bool(abs(self.multipliers[0]) < 1.0)


@dataclass(frozen=True)
class BallOnTableBorders:
    """The values of Γ = A ω²/g between which jumps of `n` periods are stable."""

    fold: float
    """Γ_n = π n (1 - e)/(1 + e), at which a stable and an unstable orbit appear."""
    flip: float
    """√(Γ_n² + (2 (1 + e²)/(1 + e)²)²), at which the period of the stable orbit doubles."""


@ball_on_table.evaluation
def borders(n: int = 1, e: float = 0.8) -> BallOnTableBorders:
    """Return the Γ at which jumps of `n` periods appear and at which they become unstable.

    Derivation: the ball returns to the same table height after the flight time T = 2 π n/ω and
    falls with the speed g T/2 with which it rose. The Newton impact law then requires the table
    velocity ``A ω cos φ = g T/2 (1 - e)/(1 + e)``. The monodromy matrix has the trace ``(1 + e)² (1
    - Γ sin φ) - 2 e`` and the determinant e². Multipliers of 1 and -1 require sin φ = 0 and ``Γ sin
    φ = 2 (1 + e²)/(1 + e)²``, respectively.

    Parameters
    ----------
    n : int
        Periods of the table per jump, >= 1.
    e : float
        Restitution in [0, 1].

    Raises
    ------
    ValueError
        If a value is out of range.
    """
    p = from_keywords(BallOnTableParameters, {"e": e})
    _check(p, n)
    fold = math.pi * n * (1.0 - p.e) / (1.0 + p.e)
    return BallOnTableBorders(fold, math.hypot(fold, 2.0 * (1.0 + p.e**2) / (1.0 + p.e) ** 2))


@ball_on_table.evaluation
def orbits(n: int = 1, **parameters: float) -> tuple[BallOnTableOrbit, ...]:
    """Return the jumps of equal height, one per `n` periods of the table, in closed form.

    Parameters
    ----------
    n : int
        Periods of the table per jump, >= 1.
    **parameters : float
        As for :func:`ball_on_table`.

    Returns
    -------
    tuple of BallOnTableOrbit
        Empty or two orbits; the first one can be stable.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    p = from_keywords(BallOnTableParameters, parameters)
    _check(p, n)
    period = 2.0 * math.pi * n / p.omega
    gamma = abs(p.A) * p.omega**2 / p.g
    cosine = borders(n, p.e).fold / gamma if gamma > 0.0 else math.inf
    if cosine > 1.0:
        return ()
    velocity = p.e * p.g * period / (1.0 + p.e)
    orbits = []
    for side in (1.0, -1.0):
        sine = side * math.sqrt(1.0 - cosine**2)
        phase = math.atan2(sine, cosine)
        turned = phase if p.A > 0.0 else phase + math.pi
        half = 0.5 * ((1.0 + p.e) ** 2 * (1.0 - gamma * sine) - 2.0 * p.e)
        root = np.emath.sqrt(half**2 - p.e**2)
        values = np.array([half + root, half - root], dtype=np.complex128)
        values = values[np.argsort(-np.abs(values))]
        tau = np.linspace(0.0, period, n * _INSTANTS + 1)[1:-1]
        # Relative to the impact: a jump of height g T²/8 over a table that continues to oscillate.
        table = abs(p.A) * (np.sin(p.omega * tau + phase) - sine)
        clear = bool((0.5 * p.g * tau * (period - tau) > table).all())
        t = (turned / p.omega) % (2.0 * math.pi / p.omega)
        orbits.append(BallOnTableOrbit(t, velocity, period, values, clear))
    return tuple(orbits)


def _check(p: BallOnTableParameters, n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n: expected a whole number >= 1, got {n!r}")
    if not 0.0 <= p.e <= 1.0:
        raise ValueError(f"e: expected a number in [0, 1], got {p.e:g}")
