"""The woodpecker toy of Pfeiffer & Glocker, section 14.1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsmb.common.arguments import as_array
from nsmb.system import LinearSystem, State, System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._recommended import POISSON
from nsmb.systems._scenes import woodpecker_scene

__all__ = ["WoodpeckerParameters", "woodpecker"]

_BOOK = "Pfeiffer & Glocker, section 14.1"
_OWN = "chosen: that of all contacts"
_CONTACTS = ("beak", "lower", "upper")


def _own(description: str, most: float = 1.0) -> Any:
    """Return the field of a coefficient of one contact; by default it is that of all contacts."""
    return parameter(None, "-", description, _OWN, least=0.0, most=most)


@dataclass(frozen=True, kw_only=True)
class WoodpeckerParameters(Parameters):
    """Data of the toy; index M is the sleeve, S the bird."""

    m_M: float = parameter(3.0e-4, "kg", "mass of the sleeve", _BOOK)
    J_M: float = parameter(5.0e-9, "kg m²", "moment of inertia of the sleeve", _BOOK)
    m_S: float = parameter(4.5e-3, "kg", "mass of the bird", _BOOK)
    J_S: float = parameter(7.0e-7, "kg m²", "moment of inertia of the bird", _BOOK)
    c_phi: float = parameter(5.6e-3, "N m/rad", "stiffness of the spring", _BOOK, least=0.0)
    g: float = parameter(9.81, "m/s²", "gravity", _BOOK)
    r_0: float = parameter(2.5e-3, "m", "radius of the pole", _BOOK)
    r_M: float = parameter(3.1e-3, "m", "inner radius of the sleeve", _BOOK)
    h_M: float = parameter(5.8e-3, "m", "half the height of the sleeve", _BOOK)
    l_M: float = parameter(1.0e-2, "m", "distance from the spring to the sleeve", _BOOK)
    l_G: float = parameter(1.5e-2, "m", "distance from the spring to the bird's mass centre", _BOOK)
    h_S: float = parameter(2.0e-2, "m", "height of the beak above the spring", _BOOK)
    l_S: float = parameter(2.01e-2, "m", "distance from the beak to the mass centre", _BOOK)
    mu: float = parameter(0.3, "-", "friction coefficient of all three contacts", _BOOK, least=0.0)
    mu_beak: float | None = _own("that of the beak", math.inf)
    mu_lower: float | None = _own("that of the lower sleeve edge", math.inf)
    mu_upper: float | None = _own("that of the upper sleeve edge", math.inf)
    e_beak: float = parameter(0.5, "-", "normal restitution of the beak", _BOOK)
    e_sleeve: float = parameter(0.0, "-", "normal restitution of both sleeve edges", _BOOK)
    e_T: float = parameter(0.0, "-", "tangential restitution of all contacts", _BOOK)
    e_T_beak: float | None = _own("that of the beak")
    e_T_lower: float | None = _own("that of the lower sleeve edge")
    e_T_upper: float | None = _own("that of the upper sleeve edge")
    nu: float = parameter(0.0, "-", "reversible part of friction in impacts", _BOOK)
    nu_beak: float | None = _own("that of the beak")
    nu_lower: float | None = _own("that of the lower sleeve edge")
    nu_upper: float | None = _own("that of the upper sleeve edge")


def _apart(parameters: Mapping[str, float | Sequence[float] | None]) -> dict[str, Any]:
    """Split three numbers for all contacts into one for each."""
    apart: dict[str, Any] = dict(parameters)
    for name in ("mu", "e_T", "nu"):
        value = apart.get(name)
        if value is None or np.ndim(value) == 0:
            continue
        del apart[name]
        for own in (f"{name}_{contact}" for contact in _CONTACTS):
            if apart.get(own) is not None:
                raise ValueError(
                    f"parameter {own!r}: must be left out where {name!r} has a number for each "
                    f"contact, got {apart[own]!r}"
                )
        values = as_array(f"parameter {name!r}", value, (3,))
        apart |= {f"{name}_{contact}": own for contact, own in zip(_CONTACTS, values, strict=True)}
    return apart


@parametric(WoodpeckerParameters, spread=_apart, recommended=POISSON)
def woodpecker(p: WoodpeckerParameters) -> LinearSystem:
    """Woodpecker toy on its pole (Pfeiffer & Glocker 14.1).

    Coordinates are ``y`` (sleeve, m), ``phi_M`` (sleeve, rad), ``phi_S`` (bird, rad); contacts are
    ``beak``, ``lower`` and ``upper`` sleeve edge. With the printed friction coefficient 0.3 the toy
    falls 19.4 mm in a cycle of 0.146 s. The sequence of events in the book requires mu ≈ 0.9.

    ``mu``, ``e_T`` and ``nu`` apply to all contacts. To set them separately, pass three numbers in
    the order of the contacts, or ``mu_beak``, ``mu_lower``, ``mu_upper``, ``e_T_beak``, ...
    ``woodpecker(mu=(0.578, 0.968, 0.968))`` is closest to the printed cycle: 8.97 Hz and 5.56 mm
    instead of 8.98 Hz and 5.7 mm.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    system = _build(p)
    system.scene = woodpecker_scene(p.r_0, p.r_M, p.h_M, p.l_M, p.l_G, p.h_S, p.l_S)
    return system


def _law(p: WoodpeckerParameters, contact: str) -> ContactLaw:
    own = {name: getattr(p, f"{name}_{contact}") for name in ("mu", "e_T", "nu")}
    values = {name: getattr(p, name) if value is None else value for name, value in own.items()}
    return ContactLaw(e_N=p.e_beak if contact == "beak" else p.e_sleeve, **values)


def _build(p: WoodpeckerParameters) -> LinearSystem:
    """Build the system with the matrices of (14.1); gaps follow from the contact angles."""
    M = np.array(
        [
            [p.m_S + p.m_M, p.m_S * p.l_M, p.m_S * p.l_G],
            [p.m_S * p.l_M, p.J_M + p.m_S * p.l_M**2, p.m_S * p.l_M * p.l_G],
            [p.m_S * p.l_G, p.m_S * p.l_M * p.l_G, p.J_S + p.m_S * p.l_G**2],
        ]
    )
    K = p.c_phi * np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
    weight = -p.g * np.array([p.m_S + p.m_M, p.m_S * p.l_M, p.m_S * p.l_G])
    beak, lower, upper = (_law(p, contact) for contact in _CONTACTS)
    edge = [1.0, p.r_M, 0.0]
    contacts = [
        Contact(
            w_N=[0.0, 0.0, -p.h_S],
            w_T=[1.0, p.l_M, p.l_G - p.l_S],
            gap=p.l_M + p.l_G - p.l_S - p.r_0,
            law=beak,
            name="beak",
        ),
        Contact(w_N=[0.0, p.h_M, 0.0], w_T=edge, gap=p.r_M - p.r_0, law=lower, name="lower"),
        Contact(w_N=[0.0, -p.h_M, 0.0], w_T=edge, gap=p.r_M - p.r_0, law=upper, name="upper"),
    ]
    # chosen: the book gives no initial state. This one, with the lower edge sliding down, leads to
    # the period-1 motion; other initial states with the same data do not.
    start = State(
        0.0,
        np.array([0.0, -(p.r_M - p.r_0) / p.h_M, -0.2788]),
        np.array([-0.3411, 0.0, -7.4583]),
    )
    return LinearSystem(
        M,
        K,
        force=weight,
        contacts=contacts,
        coordinates=["y", "phi_M", "phi_S"],
        coordinate_units=["m", "rad", "rad"],
        initial_state=start,
    )


@woodpecker.evaluation
def symbolic(*, linear: bool | None = None, **parameters: float | Sequence[float]) -> System:
    """Build the same system from its energies, gaps and slips.

    The motion is that of :func:`woodpecker`.

    This needs ``nsmb[symbolic]``. With ``linear=False`` the system is integrated numerically, with
    compiled equations. Coefficients of individual contacts must be given when the system is built.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    from nsmb import symbolic

    data = from_keywords(WoodpeckerParameters, _apart(parameters))
    given = data.values()
    p: Any = symbolic.parameters(**given)
    y, phi_M, phi_S = symbolic.coordinates("y phi_M phi_S")
    v, omega_M, omega_S = symbolic.velocities(y, phi_M, phi_S)
    bird = y + p.l_M * phi_M + p.l_G * phi_S  # height of the mass centre
    kinetic = (
        p.m_M * v**2 + p.J_M * omega_M**2 + p.m_S * symbolic.rate(bird) ** 2 + p.J_S * omega_S**2
    ) / 2
    potential = p.c_phi * (phi_M - phi_S) ** 2 / 2 + p.g * (p.m_M * y + p.m_S * bird)

    def law(contact: str, e_N: Any) -> ContactLaw:
        names = ("mu", "e_T", "nu")
        values = {
            name: getattr(p, f"{name}_{contact}" if f"{name}_{contact}" in given else name)
            for name in names
        }
        return ContactLaw(e_N=e_N, **values)

    edge = v + p.r_M * omega_M
    beak = Contact(
        gap=p.l_M + p.l_G - p.l_S - p.r_0 - p.h_S * phi_S,
        slip=v + p.l_M * omega_M + (p.l_G - p.l_S) * omega_S,
        law=law("beak", p.e_beak),
        name="beak",
    )
    play = p.r_M - p.r_0
    system = symbolic.LagrangianSystem(
        [y, phi_M, phi_S],
        kinetic,
        potential,
        contacts=[
            beak,
            Contact(play + p.h_M * phi_M, edge, law("lower", p.e_sleeve), "lower"),
            Contact(play - p.h_M * phi_M, edge, law("upper", p.e_sleeve), "upper"),
        ],
        parameters=p,
        initial={phi_M: -play / p.h_M, phi_S: -0.2788, v: -0.3411, omega_S: -7.4583},
        linear=linear,
        name="woodpecker_symbolic",
        coordinate_units=["m", "rad", "rad"],
        parameter_info={name: info for name, info in data.info().items() if name in given},
    )
    system.recommended = Recommended(POISSON.method)
    return system
