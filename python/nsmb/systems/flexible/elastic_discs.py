"""Frictionless impact of two elastic discs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.flexible import FlexibleBody, Mesh, plane, reduce
from nsmb.multibody import Body, Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["ElasticDiscsParameters", "elastic_discs"]

_THESIS = "printed: Ebrahimi (2007), section 5.6"
_MISSING = "chosen: the source does not say"


@dataclass(frozen=True, kw_only=True)
class ElasticDiscsParameters(Parameters):
    """Data of the discs."""

    R: float = parameter(0.5, "m", "radius; times of contact grow with it", _MISSING, positive=True)
    rho: float = parameter(10.0, "kg/m²", "mass per area", _THESIS, positive=True)
    E: float = parameter(
        2e6, "N/m", "Young's modulus times thickness; 2e8 in the second run", _THESIS, positive=True
    )
    nu: float = parameter(0.3, "-", "Poisson's ratio, plane stress", _THESIS)
    v: float = parameter(0.5, "m/s", "velocity of the left one", _THESIS)
    gap: float = parameter(1e-3, "m", "between them at the start", _MISSING)
    zeta: float = parameter(0.0, "-", "share of critical damping of each mode", _MISSING)
    rings: int = parameter(
        16,
        "1",
        "of triangles in a disc",
        "derived: 1634 unknowns, 1580 in the source",
        positive=True,
    )
    modes: int = parameter(
        55, "1", "free modes of a disc; 55, 100, 200 in the source", _THESIS, positive=True
    )
    basis: int | str = parameter(
        "free-free", "1", "free modes, or these and static shapes of nodes that touch", _MISSING,
        choices=("free-free", "attachment"),
    )  # fmt: skip
    pairs: int = parameter(5, "1", "nodes of a disc that may touch", "chosen: odd", positive=True)
    contact: int | str = parameter(
        "tangents", "1",
        "nodes on tangents at the opposite ones, or rims as edges that deform, a node of the left "
        "one opposite an edge of the right one",
        _MISSING, choices=("tangents", "edges"),
    )  # fmt: skip
    e_N: float = parameter(0.0, "-", "normal restitution of a node", _THESIS)


@parametric(ElasticDiscsParameters, recommended=Recommended(t_end=0.02))
def elastic_discs(p: ElasticDiscsParameters) -> MultibodySystem:
    """Elastic disc that hits another one.

    ===========  =========================================================================
    coordinates  ``left_frame.x``, ``left_frame.y`` (m), ``left_frame.phi`` (rad) of the mean
                 axes, ``right_frame.x``, ...; ``left.q1``, ... (m): amplitudes of free modes,
                 normalised to a largest displacement of 1
    contacts     ``pair_0``, ``pair_1``, ``pair_-1``, ...: a node of the left rim on the
                 tangent at the opposite one of the right rim; or ``rims[0]``, ``rims[1]``, ...:
                 a node of one rim on an edge of the other
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 5.6, first example
    ===========  =========================================================================

    No restitution is assumed for the bodies: the energy lost in the impact remains as vibration of
    the discs. Radius, gap, mesh, plane stress and damping are not given in the source. At these
    velocities only one node touches. Contact times are therefore proportional to 1/√E, and
    velocities are independent of E. Free modes alone are too stiff in the contact region. Static
    shapes of the touching nodes, ``attachment``, correct this.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the number of pairs is even or
        exceeds half of the rim.
    """
    rim = 6 * p.rings
    if p.pairs % 2 == 0 or p.pairs > rim // 2:
        raise ValueError(
            f"parameter 'pairs': expected an odd number up to {rim // 2}, half of the rim, got "
            f"{p.pairs}"
        )
    disc = _disc(p)
    m = Model(name="elastic_discs")
    left, right = (m.add_elastic_body(name, disc) for name in ("left", "right"))
    for body in (left, right):
        m.add_joint(f"{body.name}_frame", joints.Planar(), m.ground, body)
    first = len(disc.nodes) - rim
    if p.choice("contact") == "edges":
        return _with_edges(m, p, left, right, first)
    for k in _pairs(p):
        node = left.contour(f"node_{k}", geometry.Point(), at=first + k % rim)
        # The material of the right disc is on the left of a downward line.
        opposite = first + (rim // 2 - k) % rim
        tangent = right.contour(f"tangent_{k}", geometry.Line((0.0, 0.0), (0.0, -1.0)), at=opposite)
        m.add_contact(tangent, node, ContactLaw(e_N=p.e_N), f"pair_{k}")
    place = p.R + 0.5 * p.gap
    return m.build(
        initial={"left_frame": (-place, 0.0, 0.0), "right_frame": (place, 0.0, 0.0)},
        velocities={"left_frame": (p.v, 0.0, 0.0)},
    )


def _with_edges(
    m: Model, p: ElasticDiscsParameters, left: Body, right: Body, first: int
) -> MultibodySystem:
    """Build the system with the right disc rotated so that a node meets the middle of an edge."""
    rim, half = 6 * p.rings, p.pairs // 2
    near = range(-half - 1, half + 2)
    at = [first + k % rim for k in near]
    opposite = [first + (rim // 2 + k) % rim for k in near]
    rims = left.boundary("rim", at), right.boundary("rim", opposite)
    m.add_contact(*rims, ContactLaw(e_N=p.e_N), "rims", search_distance=0.1 * p.R)
    turn = np.pi / rim
    flat = p.R * (1.0 - np.cos(turn))  # distance of an edge from the circle
    place = p.R + 0.5 * p.gap
    return m.build(
        initial={"left_frame": (-place, 0.0, 0.0), "right_frame": (place - flat, 0.0, turn)},
        velocities={"left_frame": (p.v, 0.0, 0.0)},
    )


def _pairs(p: ElasticDiscsParameters) -> list[int]:
    """Return 0, 1, -1, 2, ..."""
    half = p.pairs // 2
    return sorted(range(-half, half + 1), key=lambda k: (abs(k), -k))


def _disc(p: ElasticDiscsParameters) -> FlexibleBody:
    mesh = Mesh.disc(p.R, p.rings)
    elements = plane(mesh, E=p.E, nu=p.nu, density=p.rho)
    if p.choice("basis") == "free-free":
        return reduce(elements, p.modes, damping_ratio=p.zeta)
    rim = 6 * p.rings
    first = len(np.asarray(mesh.nodes)) - rim
    touching = [first + (k + side) % rim for k in _pairs(p) for side in (0, rim // 2)]
    return reduce(elements, p.modes, method="attachment", interface=touching, damping_ratio=p.zeta)
