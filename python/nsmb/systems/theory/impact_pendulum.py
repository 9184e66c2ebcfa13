"""A pendulum that hits a moving surface: section 8.14 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.system import State
from nsmb.system.callback import CallbackSystem
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._recommended import POISSON
from nsmb.systems._scenes import impact_pendulum_scene

__all__ = ["ImpactPendulumParameters", "impact_pendulum"]

_BOOK = "Pfeiffer & Glocker, section 8.14"


@dataclass(frozen=True, kw_only=True)
class ImpactPendulumParameters(Parameters):
    """Data of the pendulum; the figures vary `v_0` and `phi_0`."""

    m: float = parameter(1.0, "kg", "mass", _BOOK, positive=True)
    J_0: float = parameter(1.0 / 3.0, "kg m²", "moment of inertia about the pivot", _BOOK)
    l: float = parameter(1.0, "m", "distance of the tip from the pivot", _BOOK, positive=True)
    s: float = parameter(0.5, "m", "distance of the mass centre from the pivot", _BOOK)
    g: float = parameter(10.0, "m/s²", "gravity", _BOOK)
    mu: float = parameter(1.0, "-", "friction coefficient", _BOOK)
    e_N: float = parameter(1.0, "-", "normal restitution", _BOOK)
    e_T: float = parameter(0.0, "-", "tangential restitution", _BOOK)
    nu: float = parameter(0.0, "-", "reversibility of the friction impulse", _BOOK)
    v_0: float = parameter(1.0, "m/s", "velocity of the surface, to the right", _BOOK)
    phi_0: float = parameter(np.pi / 3.0, "rad", "angle at which the tip touches", "chosen")
    reversed_sliding: int = parameter(
        0, "-", "1: slip lasts through compression, at v_0 = 0 too", _BOOK
    )
    phi: float = parameter(np.pi / 2.0, "rad", "angle at the start, at rest", _BOOK)


@parametric(ImpactPendulumParameters, recommended=POISSON)
def impact_pendulum(p: ImpactPendulumParameters) -> CallbackSystem:
    """Pendulum whose tip hits a moving surface with friction (8.14).

    ===========  =========================================================================
    coordinates  ``phi`` from the downward vertical (rad), in (0, π)
    contacts     ``surface``, horizontal and below the pivot, moving with v_0
    source       Pfeiffer & Glocker, section 8.14, (8.104)-(8.114)
    ===========  =========================================================================

    The directions w_N and w_T are dependent. If the surface pushes (v_0 < 0) and tan φ_0 < μ, the
    impact has no solution. If v_0 = 0 and tan φ_0 > μ, it has many solutions, Λ_TC = k μ Λ_NC with
    any k in [-1, 1]. The reversed sliding of the book, area II, is k = 1, with r = -γ_NE/γ_NA =
    tan(φ_0 - 45°) for μ = 1. It is selected by ``reversed_sliding=1``, which sets
    ``sliding_compression=True`` in `System.recommended`. Otherwise k = 0 and r = 1 - cot φ_0.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    if p.reversed_sliding not in (0, 1):
        raise ValueError(f"parameter 'reversed_sliding': expected 0 or 1, got {p.reversed_sliding}")
    slides = True if p.reversed_sliding else None
    method = EventDriven(impact_law="poisson", sliding_compression=slides)
    system = _build(p)
    system.scene = impact_pendulum_scene(p.l, p.phi_0, p.v_0)
    system.recommended = Recommended(method, POISSON.t_end)
    return system


def _build(p: ImpactPendulumParameters) -> CallbackSystem:
    """Build the system with the tip at (l sin φ, -l cos φ), (8.105)-(8.107)."""
    surface = Contact(
        lambda t, q: float(p.l * (np.cos(p.phi_0) - np.cos(q[0]))),
        w_N=lambda t, q: p.l * np.sin(q),
        w_T=lambda t, q: p.l * np.cos(q),
        law=ContactLaw(mu=p.mu, e_N=p.e_N, e_T=p.e_T, nu=p.nu),
        name="surface",
        w_tilde_N=lambda t, q: 0.0,
        w_tilde_T=lambda t, q: -p.v_0,
        w_bar_N=lambda t, q, u: float(p.l * u[0] ** 2 * np.cos(q[0])),
        w_bar_T=lambda t, q, u: float(-p.l * u[0] ** 2 * np.sin(q[0])),
    )
    weight = p.m * p.g * p.s
    return CallbackSystem(
        ["phi"],
        [[p.J_0]],
        lambda t, q, u: -weight * np.sin(q),
        [surface],
        potential_energy=lambda t, q: float(-weight * np.cos(q[0])),
        coordinate_units=["rad"],
        initial_state=State(0.0, np.array([p.phi]), np.zeros(1)),
    )
