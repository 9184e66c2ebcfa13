"""A mass on a moving belt, held by a spring: stick-slip, with closed forms of the motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame
from nsmb.system import LinearSystem, State
from nsmb.system.contact_laws import ContactLaw, Stribeck
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._blocks import SIDEWAYS, UP, Part, block, parts_scene
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["BeltCycle", "BeltOscillatorParameters", "BeltSliding", "belt_oscillator"]

_TEXTBOOK = "chosen: textbook benchmark"


@dataclass(frozen=True, kw_only=True)
class BeltOscillatorParameters(Parameters):
    """Data of the oscillator; with mu_s = mu_d the motion has a closed form."""

    m: float = parameter(1.0, "kg", "mass", _TEXTBOOK, positive=True)
    c: float = parameter(100.0, "N/m", "stiffness of the spring", _TEXTBOOK, positive=True)
    d: float = parameter(0.0, "N s/m", "damping beside the spring", _TEXTBOOK, least=0.0)
    g: float = parameter(10.0, "m/s²", "gravity", _TEXTBOOK, positive=True)
    v_B: float = parameter(0.2, "m/s", "velocity of the belt, to the right", _TEXTBOOK)
    mu_s: float = parameter(0.4, "-", "friction coefficient at rest", _TEXTBOOK)
    mu_d: float = parameter(0.25, "-", "friction coefficient in fast slip", _TEXTBOOK)
    v_s: float = parameter(
        0.05, "m/s", "slip speed over which the coefficient falls", _TEXTBOOK, positive=True
    )


@parametric(BeltOscillatorParameters, recommended=TWO_SECONDS)
def belt_oscillator(p: BeltOscillatorParameters) -> LinearSystem:
    """Mass on a moving belt, held by a spring, with self-excited stick-slip vibration.

    ===========  =========================================================================
    coordinates  ``x`` of the mass, 0 where the spring is relaxed, ``y`` above the belt (m)
    contacts     ``belt``; γ_T = ẋ - v_B
    source       chosen: textbook benchmark; start at rest at x = 0
    ===========  =========================================================================

    Friction decreases with the slip speed, ``μ = mu_d + (mu_s - mu_d) exp(-|γ_T|/v_s)``. With mu_s
    = mu_d it is constant, and the motion has a closed form. :func:`belt_oscillator.cycle` returns
    the stick-slip cycle for v_s -> 0, and :func:`belt_oscillator.sliding` the stability of steady
    sliding.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    curve = None if p.mu_d == p.mu_s else Stribeck(p.mu_d, p.v_s)
    law = ContactLaw(mu=p.mu_s, curve=curve)
    belt = Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="belt", w_tilde_T=-p.v_B)
    system = LinearSystem(
        p.m * np.eye(2),
        np.diag([p.c, 0.0]),
        np.diag([p.d, 0.0]),
        force=[0.0, -p.m * p.g],
        contacts=[belt],
        coordinates=["x", "y"],
        coordinate_units=["m", "m"],
        initial_state=State(0.0, np.zeros(2), np.zeros(2)),
    )
    size = p.mu_s * p.m * p.g / p.c or 0.1  # m, end of sticking
    pitch = 0.25 * size
    teeth = np.arange(-16, 17)
    saw = np.column_stack([pitch * teeth, -0.3 * pitch * (2 + teeth % 2)])
    system.scene = parts_scene(
        [
            Part("belt", np.array([(4.0 * size, 0.0), (-4.0 * size, 0.0)])),
            Part("belt", saw, lambda t, q: (p.v_B * t % (2.0 * pitch), 0.0)),
            Part("ground", size * np.array([(-3.0, 0.1), (-3.0, 1.0)])),
            Part("mass", block(size, 0.7 * size), lambda t, q: q),
        ],
        contacts=lambda t, q: [ContactFrame((q[0], 0.0), UP, SIDEWAYS)],
        markers=lambda t, q: [(-3.0 * size, 0.35 * size), (q[0] - 0.5 * size, q[1] + 0.35 * size)],
        springs=[(0, 1)],
    )
    return system


@dataclass(frozen=True)
class BeltCycle:
    """The undamped stick-slip cycle with a coefficient that jumps from mu_s to mu_d."""

    x_slip: float
    """Position at which sticking ends, c x = mu_s m g, m."""
    x_stick: float
    """Position at which sticking starts, `x_slip` mirrored at `centre`, m."""
    x_max: float
    """Largest x, `centre` plus the radius of the arc, m."""
    x_min: float
    """Smallest x, m."""
    centre: float
    """Centre mu_d m g/c of the arc of slip in the plane of x and ẋ/√(c/m), m."""
    slip_time: float
    """Duration of slip, s."""
    stick_time: float
    """Duration of sticking, s; 0 for mu_s = mu_d."""

    @property
    def period(self) -> float:
        """Period of the cycle, s."""
        return self.slip_time + self.stick_time


@belt_oscillator.evaluation
def cycle(**parameters: float) -> BeltCycle:
    """Return the stick-slip cycle in the limit v_s -> 0 in closed form, for d = 0 and v_B > 0.

    While it sticks, the mass moves with the belt to ``c x = mu_s m g``. While it slips, a constant
    friction force acts, and the mass moves on a circle about mu_d m g/c in the plane of x and ẋ/ω
    with ω² = c/m. Slip ends when the mass has the velocity of the belt again, at the mirrored
    position. With mu_s = mu_d this is the full circle that touches the sticking line at one point.

    Parameters
    ----------
    **parameters : float
        As for :func:`belt_oscillator`; v_s has no influence.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range; if there is damping, the belt does not
        move to the right, or mu_s < mu_d, because there is no such cycle then.
    """
    p = from_keywords(BeltOscillatorParameters, parameters)
    if p.d != 0.0:
        raise ValueError(f"d: expected 0, with which slip is an arc of a circle, got {p.d:g}")
    if p.v_B <= 0.0:
        raise ValueError(f"v_B: expected a number > 0, got {p.v_B:g}")
    if not p.mu_s >= p.mu_d >= 0.0:
        raise ValueError(f"mu_d: expected a number in [0, mu_s = {p.mu_s:g}], got {p.mu_d:g}")
    omega = math.sqrt(p.c / p.m)
    x_slip, centre = p.mu_s * p.m * p.g / p.c, p.mu_d * p.m * p.g / p.c
    ahead = x_slip - centre
    radius = math.hypot(ahead, p.v_B / omega)
    return BeltCycle(
        x_slip,
        centre - ahead,
        centre + radius,
        centre - radius,
        centre,
        # clockwise from (ahead, v_B/ω) to (-ahead, v_B/ω) along the longer arc
        (math.pi + 2.0 * math.atan2(p.v_B / omega, ahead)) / omega,
        2.0 * ahead / p.v_B,
    )


@dataclass(frozen=True, eq=False)
class BeltSliding:
    """Steady sliding: the mass is at rest and the belt slides below it."""

    x: float
    """Position μ(v_B) m g/c of the mass, m."""
    eigenvalues: NDArray[np.complex128]
    """Roots of ``m s² + (d + μ'(v_B) m g) s + c``, shape (2,), 1/s."""
    v_stable: float
    """Belt velocity above which steady sliding is stable, m/s.

    It is ``v_s ln((mu_s - mu_d) m g/(d v_s))``, 0 if sliding is always stable, and infinite if it
    never is.
    """

    @property
    def stable(self) -> bool:
        """True if small oscillations decay."""
        return bool((self.eigenvalues.real < 0.0).all())


@belt_oscillator.evaluation
def sliding(**parameters: float) -> BeltSliding:
    """Return the steady sliding on a belt that moves to the right, and its stability border.

    Parameters
    ----------
    **parameters : float
        As for :func:`belt_oscillator`.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or v_B <= 0.
    """
    p = from_keywords(BeltOscillatorParameters, parameters)
    if p.v_B <= 0.0:
        raise ValueError(f"v_B: expected a number > 0, got {p.v_B:g}")
    fall = (p.mu_s - p.mu_d) * math.exp(-p.v_B / p.v_s)
    damping = p.d - fall / p.v_s * p.m * p.g
    ratio = (p.mu_s - p.mu_d) * p.m * p.g / p.v_s  # damping that balances the slope at zero slip
    border = 0.0 if ratio <= p.d else math.inf
    if 0.0 < p.d < ratio:
        border = p.v_s * math.log(ratio / p.d)
    return BeltSliding(
        (p.mu_d + fall) * p.m * p.g / p.c,
        np.roots([p.m, damping, p.c]).astype(np.complex128),
        border,
    )
