"""A rod that slides on its end: Painlevé's example, section 5.3 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import ContactFrame
from nsmb.system import State
from nsmb.system.callback import CallbackSystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._blocks import FLOOR, SIDEWAYS, UP, Part, parts_scene
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["SlidingRodParameters", "sliding_rod"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SlidingRodParameters(Parameters):
    """Data of the rod and its initial state."""

    m: float = parameter(1.0, "kg", "mass", "chosen")
    s: float = parameter(1.0, "m", "half the length", "chosen", positive=True)
    g: float = parameter(10.0, "m/s²", "gravity", "chosen")
    mu: float = parameter(5.0 / 3.0, "-", "friction coefficient", "Pfeiffer & Glocker, section 5.3")
    phi: float = parameter(0.5, "rad", "angle at the start", "chosen")
    omega: float = parameter(0.0, "rad/s", "angular velocity at the start", "chosen")
    v: float = parameter(5.0, "m/s", "speed of the end at the start, to the right", "chosen")


@parametric(SlidingRodParameters, recommended=TWO_SECONDS)
def sliding_rod(p: SlidingRodParameters) -> CallbackSystem:
    """Rod that slides on its lower end, with none, one or two solutions (Painlevé, 5.3).

    ===========  =========================================================================
    coordinates  ``x``, ``y`` mass centre (m), ``phi`` inclination, clockwise (rad)
    contacts     ``tip``, the lower right end on the floor; the other end has no contact
    source       Pfeiffer & Glocker, section 5.3, (5.26)-(5.36)
    ===========  =========================================================================

    While it slides to the right, γ̇_N = a λ_N + b with m a = 1 + 3 cos φ (cos φ - μ sin φ) and b =
    s φ̇² sin φ - g. For μ = 5/3, a is negative between 45° and 75.96°. There the law has no
    solution if b < 0, and two solutions if b > 0. For μ < 4/3, a is always positive.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    # Kinematics of the end C at (x + s cos φ, y - s sin φ), (5.27)-(5.29).

    def w_N(t: float, q: Vector) -> Vector:
        return np.array([0.0, 1.0, -p.s * np.cos(q[2])])

    def w_T(t: float, q: Vector) -> Vector:
        return np.array([1.0, 0.0, -p.s * np.sin(q[2])])

    tip = Contact(
        lambda t, q: float(q[1] - p.s * np.sin(q[2])),
        w_N=w_N,
        w_T=w_T,
        law=ContactLaw(mu=p.mu),
        name="tip",
        w_tilde_N=lambda t, q: 0.0,
        w_bar_N=lambda t, q, u: float(p.s * u[2] ** 2 * np.sin(q[2])),
        w_bar_T=lambda t, q, u: float(-p.s * u[2] ** 2 * np.cos(q[2])),
    )
    weight = np.array([0.0, -p.m * p.g, 0.0])
    sin, cos = np.sin(p.phi), np.cos(p.phi)
    system = CallbackSystem(
        ["x", "y", "phi"],
        p.m * np.diag([1.0, 1.0, p.s**2 / 3.0]),  # (5.26)
        lambda t, q, u: weight,
        [tip],
        potential_energy=lambda t, q: float(p.m * p.g * q[1]),
        coordinate_units=["m", "m", "rad"],
        initial_state=State(
            0.0,
            np.array([0.0, p.s * sin, p.phi]),
            np.array([p.v + p.s * p.omega * sin, p.s * p.omega * cos, p.omega]),
        ),
    )
    rod = p.s * np.array([(-1.0, 0.0), (1.0, 0.0), (0.97, 0.03), (-1.0, 0.03), (-1.0, 0.0)])

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        end = (q[0] + p.s * np.cos(q[2]), q[1] - p.s * np.sin(q[2]))
        return [ContactFrame(end, UP, SIDEWAYS)]

    system.scene = parts_scene(
        [Part("ground", FLOOR), Part("rod", rod, lambda t, q: (q[0], q[1], -q[2]))],
        contacts=contacts,
    )
    return system
