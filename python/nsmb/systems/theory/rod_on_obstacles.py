"""A rod on two obstacles: sections 7.5 and 8.11 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.system import State
from nsmb.system.callback import CallbackSystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import POISSON
from nsmb.systems._scenes import rod_scene

__all__ = ["RodOnObstaclesParameters", "RodParameters", "free_rod", "obstacle", "rod_on_obstacles"]

Vector = NDArray[np.float64]
_BOOK = "Pfeiffer & Glocker, section 8.11"


@dataclass(frozen=True, kw_only=True)
class RodParameters(Parameters):
    """Data of a rod."""

    m: float = parameter(1.0, "kg", "mass", _BOOK)
    l: float = parameter(1.0, "m", "half the length", _BOOK, positive=True)
    g: float = parameter(10.0, "m/s²", "gravity", _BOOK)


@dataclass(frozen=True, kw_only=True)
class RodOnObstaclesParameters(RodParameters):
    """Data of Fig. 8.7, where only `a` varies."""

    g: float = parameter(0.0, "m/s²", "gravity", "chosen")
    a: float = parameter(-0.5, "m", "position of obstacle 1", "chosen")
    b: float = parameter(1.0, "m", "position of obstacle 2", _BOOK)
    mu: float = parameter(0.0, "-", "friction coefficient of both obstacles", _BOOK)
    e_1: float = parameter(0.0, "-", "normal restitution of obstacle 1", _BOOK)
    e_2: float = parameter(0.0, "-", "normal restitution of obstacle 2", _BOOK)
    v: float = parameter(1.0, "m/s", "speed of the fall at the start", _BOOK)
    H: float = parameter(0.1, "m", "height at the start", "chosen")


@parametric(RodOnObstaclesParameters, recommended=POISSON)
def rod_on_obstacles(p: RodOnObstaclesParameters) -> CallbackSystem:
    """Horizontal rod that falls on two obstacles simultaneously (7.5, 8.11).

    ===========  =========================================================================
    coordinates  ``x``, ``y`` mass centre (m), ``phi`` counterclockwise (rad)
    contacts     ``obstacle_1`` at (a, 0), ``obstacle_2`` at (b, 0)
    source       Pfeiffer & Glocker, sections 7.5, 8.11, (7.26)-(7.38), Fig. 8.7
    ===========  =========================================================================

    The gaps (7.27) are those of an infinite line and ignore the ends of the rod at ±l. They are
    valid only while |a - x| and |b - x| are below l.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    start = State(0.0, np.array([0.0, p.H, 0.0]), np.array([0.0, -p.v, 0.0]))
    contacts = [obstacle(1, p.a, p.mu, p.e_1), obstacle(2, p.b, p.mu, p.e_2)]
    system = free_rod(p, contacts, start)
    system.scene = rod_scene(p.l, [p.a, p.b])
    return system


def obstacle(number: int, place: float, mu: float, e_N: float) -> Contact:
    """Return the contact of a point (place, 0) below the line of the rod, (7.27), (7.29)."""

    def seen(q: Vector) -> tuple[float, float, float, float]:
        """Return cos φ, sin φ, the position of the point along the rod and its distance g_N."""
        cos, sin = float(np.cos(q[2])), float(np.sin(q[2]))
        right, up = place - float(q[0]), float(q[1])
        return cos, sin, right * cos - up * sin, up * cos + right * sin

    def w_N(t: float, q: Vector) -> list[float]:
        cos, sin, along, _ = seen(q)
        return [-sin, cos, along]

    def w_T(t: float, q: Vector) -> list[float]:
        cos, sin, _, gap = seen(q)
        return [cos, sin, gap]

    def w_bar_N(t: float, q: Vector, u: Vector) -> float:
        cos, sin, _, gap = seen(q)
        return float(-2.0 * u[2] * (cos * u[0] + sin * u[1]) - u[2] ** 2 * gap)

    def w_bar_T(t: float, q: Vector, u: Vector) -> float:
        cos, sin, along, _ = seen(q)
        return float(2.0 * u[2] * (cos * u[1] - sin * u[0]) + u[2] ** 2 * along)

    return Contact(
        lambda t, q: seen(q)[3],
        w_N=w_N,
        w_T=w_T,
        law=ContactLaw(mu=mu, e_N=e_N),
        name=f"obstacle_{number}",
        w_tilde_N=lambda t, q: 0.0,
        w_bar_N=w_bar_N,
        w_bar_T=w_bar_T,
    )


def free_rod(
    p: RodParameters,
    contacts: list[Contact],
    start: State,
) -> CallbackSystem:
    """Return the free rod (7.26)."""
    weight = np.array([0.0, -p.m * p.g, 0.0])
    return CallbackSystem(
        ["x", "y", "phi"],
        p.m * np.diag([1.0, 1.0, p.l**2 / 3.0]),
        lambda t, q, u: weight,
        contacts,
        potential_energy=lambda t, q: float(p.m * p.g * q[1]),
        coordinate_units=["m", "m", "rad"],
        initial_state=start,
    )
