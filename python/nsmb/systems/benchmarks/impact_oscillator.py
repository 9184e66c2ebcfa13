"""A driven oscillator with a rigid stop, and the closed form of its orbits with one impact."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.scene import ContactFrame
from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import UP, Part, block, parts_scene

__all__ = [
    "ImpactOscillatorBorders",
    "ImpactOscillatorOrbit",
    "ImpactOscillatorParameters",
    "impact_oscillator",
]

Vector = NDArray[np.float64]

_TEXTBOOK = "chosen: textbook benchmark"
_INSTANTS = 720  # evaluations of the gap per period of the force


@dataclass(frozen=True, kw_only=True)
class ImpactOscillatorParameters(Parameters):
    """Data in normalised form: mass, stiffness and natural frequency are 1."""

    zeta: float = parameter(0.05, "-", "damping ratio", _TEXTBOOK, least=0.0)
    omega: float = parameter(0.8, "-", "frequency of the force", _TEXTBOOK, positive=True)
    F: float = parameter(0.6, "-", "amplitude of the force", _TEXTBOOK)
    sigma: float = parameter(1.0, "-", "position of the stop", _TEXTBOOK)
    e: float = parameter(0.8, "-", "restitution", _TEXTBOOK)


@parametric(ImpactOscillatorParameters, recommended=Recommended(t_end=60.0))
def impact_oscillator(p: ImpactOscillatorParameters) -> LinearSystem:
    """Driven linear oscillator with a rigid stop on one side.

    ===========  =========================================================================
    coordinates  ``x``, with ``ẍ + 2 ζ ẋ + x = F cos ωt``
    contacts     ``stop`` at x = σ: gap σ - x
    source       chosen: textbook benchmark, normalised; start at rest at x = min(0, σ)
    ===========  =========================================================================

    :func:`impact_oscillator.orbits` returns the orbits with one impact in closed form, and
    :func:`impact_oscillator.borders` the forces at which they appear and lose their stability.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    stop = Contact(w_N=[-1.0], gap=p.sigma, law=ContactLaw(e_N=p.e), name="stop")
    system = LinearSystem(
        [[1.0]],
        [[1.0]],
        [[2.0 * p.zeta]],
        force=Force(harmonics=[Harmonic([p.F], p.omega)]),
        contacts=[stop],
        coordinates=["x"],
        coordinate_units=["-"],
        initial_state=State(0.0, np.array([min(0.0, p.sigma)]), np.zeros(1)),
    )
    wall = p.sigma - 3.5
    system.scene = parts_scene(
        [
            Part("ground", np.array([(wall, 0.0), (wall, 0.6)])),
            Part("ground", block(0.2, 0.6), lambda t, q: (p.sigma + 0.1, 0.0)),
            Part("mass", block(0.6, 0.5), lambda t, q: (q[0] - 0.3, 0.05)),
        ],
        contacts=lambda t, q: [ContactFrame((q[0], 0.3), (-1.0, 0.0), UP)],
        markers=lambda t, q: [(wall, 0.3), (q[0] - 0.6, 0.3)],
        springs=[(0, 1)],
    )
    return system


@dataclass(frozen=True, eq=False)
class ImpactOscillatorOrbit:
    """A periodic motion with one impact per period."""

    t: float
    """Time of the impact, in [0, 2 π/ω)."""
    velocity: float
    """Velocity ẋ > 0 before the impact; after it the state is (σ, -e `velocity`)."""
    period: float
    """Period 2 π n/ω."""
    multipliers: NDArray[np.complex128]
    """Multipliers of the motion over one period, the larger first, shape (2,)."""
    admissible: bool
    """True if the motion stays clear of the stop between impacts (720 samples per period).

    Otherwise it is not a motion of the system.
    """

    @property
    def stable(self) -> bool:
        """True if both multipliers are inside the unit circle."""
        return bool(abs(self.multipliers[0]) < 1.0)


@dataclass(frozen=True)
class ImpactOscillatorBorders:
    """Force amplitudes F at which orbits with one impact appear and lose their stability.

    The orbits at `fold` and `flip` may be inadmissible. To check this, call
    :func:`impact_oscillator.orbits` with this F.
    """

    grazing: float
    """F at which the motion without impact touches the stop; NaN for σ <= 0."""
    fold: float
    """F at which a stable and an unstable orbit meet (multiplier 1); NaN if there is none."""
    flip: float
    """F of the period doubling (multiplier -1); NaN if there is none."""


@impact_oscillator.evaluation
def orbits(n: int = 1, **parameters: float) -> tuple[ImpactOscillatorOrbit, ...]:
    """Return the orbits with one impact in `n` periods of the force, in closed form.

    Between impacts the motion is the steady response plus a free oscillation with ``exp(A t)``. The
    state before an impact must repeat one period after the impact. This condition gives the steady
    response at the impact, ``x_p = σ - p V`` and ``ẋ_p = -q V``, as linear functions of the impact
    velocity V. Its known amplitude then leaves a quadratic equation for V.

    Parameters
    ----------
    n : int
        Periods of the force per impact, >= 1.
    **parameters : float
        As for :func:`impact_oscillator`.

    Returns
    -------
    tuple of ImpactOscillatorOrbit
        Up to two orbits, the one with the larger impact velocity first. They need not be stable or
        admissible.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range; without damping if `n`/ω is an
        integer, because the free oscillation is then periodic, too.
    """
    p = from_keywords(ImpactOscillatorParameters, parameters)
    E, p_V, q_V = _return(p, n)
    a = p.F / _stiffness(p)
    square = p_V**2 + (q_V / p.omega) ** 2
    discriminant = (p.sigma * p_V) ** 2 - square * (p.sigma**2 - a**2)
    if discriminant < 0.0:
        return ()
    root = math.sqrt(discriminant)
    speeds = {(p.sigma * p_V + root) / square, (p.sigma * p_V - root) / square}
    return tuple(_orbit(p, n, E, p_V, q_V, V) for V in sorted(speeds, reverse=True) if V > 0.0)


@impact_oscillator.evaluation
def borders(n: int = 1, **parameters: float) -> ImpactOscillatorBorders:
    """Return the force amplitudes F that bound the orbits with one impact in `n` periods.

    The monodromy matrix has the trace ``-e tr E + (1 + e) E_12 (F cos ωt_0 - σ)/V`` and the
    determinant ``e² exp(-2 ζ T)``. Multipliers of ±1 require ``trace = ±(1 + determinant)``. Since
    F cos ωt_0 is linear in V, this is a linear equation for V.

    Parameters
    ----------
    n, **parameters
        See :func:`impact_oscillator.orbits`; F has no influence.

    Raises
    ------
    ValueError
        As for :func:`impact_oscillator.orbits`.
    """
    p = from_keywords(ImpactOscillatorParameters, parameters)
    E, p_V, q_V = _return(p, n)
    det = p.e**2 * float(np.linalg.det(E))

    def border(trace: float) -> float:
        slope = (trace + p.e * np.trace(E)) / ((1.0 + p.e) * E[0, 1])  # (F cos ωt_0 - σ)/V
        # F cos ωt = ẍ_p + 2 ζ ẋ_p + x_p = (1 - ω²) x_p + 2 ζ ẋ_p
        factor = slope + (1.0 - p.omega**2) * p_V + 2.0 * p.zeta * q_V
        V = -(p.omega**2) * p.sigma / factor if factor != 0.0 else math.nan
        if not V > 0.0:
            return math.nan
        return _stiffness(p) * math.hypot(p.sigma - p_V * V, q_V * V / p.omega)

    grazing = p.sigma * _stiffness(p) if p.sigma > 0.0 else math.nan
    return ImpactOscillatorBorders(grazing, border(1.0 + det), border(-1.0 - det))


def _stiffness(p: ImpactOscillatorParameters) -> float:
    """Return the force per amplitude of the steady response."""
    return math.hypot(1.0 - p.omega**2, 2.0 * p.zeta * p.omega)


def _free(zeta: float, t: ArrayLike) -> tuple[Vector, Vector, Vector, Vector]:
    """Return exp(A t) of the free oscillation, row by row."""
    t = np.asarray(t, dtype=np.float64)
    w = cmath.sqrt(1.0 - zeta**2)
    decay = np.exp(-zeta * t)
    # With overcritical damping the frequency is imaginary, but the functions are real.
    cosine = np.cos(w * t).real * decay
    sine = (np.sin(w * t) / w).real * decay if w != 0.0 else t * decay
    return cosine + zeta * sine, sine, -sine, cosine - zeta * sine


def _return(p: ImpactOscillatorParameters, n: int) -> tuple[Vector, float, float]:
    """Return exp(A T), and p and q of x_p = σ - p V, ẋ_p = -q V at the impact."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n: expected a whole number >= 1, got {n!r}")
    if p.zeta < 0.0:
        raise ValueError(f"zeta: expected a number >= 0, got {p.zeta:g}")
    if not 0.0 <= p.e <= 1.0:
        raise ValueError(f"e: expected a number in [0, 1], got {p.e:g}")
    E = np.array(_free(p.zeta, 2.0 * math.pi * n / p.omega)).reshape(2, 2)
    gap = E - np.eye(2)
    if abs(np.linalg.det(gap)) < 1e-14:
        raise ValueError(
            f"zeta: expected a number > 0 where n/omega = {n / p.omega:g} is a whole number, "
            f"got {p.zeta:g}"
        )
    # E (x - x_p, -e V - ẋ_p) = (x - x_p, V - ẋ_p)
    p_V, q_V = np.linalg.solve(gap, p.e * E[:, 1] + np.array([0.0, 1.0]))
    return E, float(p_V), float(q_V)


def _orbit(
    p: ImpactOscillatorParameters, n: int, E: Vector, p_V: float, q_V: float, V: float
) -> ImpactOscillatorOrbit:
    x_p, v_p = p.sigma - p_V * V, -q_V * V
    lag = math.atan2(2.0 * p.zeta * p.omega, 1.0 - p.omega**2)
    angle = math.atan2(-v_p / p.omega, x_p) + (0.0 if p.F >= 0.0 else math.pi)
    one = 2.0 * math.pi / p.omega
    t_0 = ((angle + lag) / p.omega) % one
    # Saltation matrix, with ẍ⁺ + e ẍ⁻ = (1 + e)(F cos ωt_0 - σ).
    push = (1.0 - p.omega**2) * x_p + 2.0 * p.zeta * v_p - p.sigma
    S = np.array([[-p.e, 0.0], [(1.0 + p.e) * push / V, -p.e]])
    values = np.linalg.eigvals(S @ E).astype(np.complex128)
    values = values[np.argsort(-np.abs(values))]
    tau = np.linspace(0.0, n * one, n * _INSTANTS + 1)[1:-1]
    rise, swing, _, _ = _free(p.zeta, tau)
    steady = x_p * np.cos(p.omega * tau) + v_p / p.omega * np.sin(p.omega * tau)
    x = steady + rise * (p.sigma - x_p) + swing * (-p.e * V - v_p)
    return ImpactOscillatorOrbit(t_0, V, n * one, values, bool((x < p.sigma).all()))
