"""A mass on a helical spring whose coils come into contact."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nsmb.flexible import FiniteElements, FlexibleBody, NodalFrame, beam, skin
from nsmb.geometry import TriangleMesh, tube_mesh
from nsmb.multibody import ElasticLayer, Model, MultibodySystem, joints
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["HelicalSpringParameters", "helical_spring"]

Array = NDArray[np.float64]
_SOURCE = "printed: S. Ebrahimi (2007), table 6.1"
_TEXT = "printed: S. Ebrahimi (2007), section 6.3"
_CHOSEN = "chosen"
_APART = 0.02  # gap between pieces, relative to a segment


@dataclass(frozen=True, kw_only=True)
class HelicalSpringParameters(Parameters):
    """Data of spring, mass and layers."""

    mass: float = parameter(6.5, "kg", "on the axis, at the upper end", _TEXT, positive=True)
    D: float = parameter(15e-3, "m", "mean diameter of the coils", _SOURCE, positive=True)
    d: float = parameter(2e-3, "m", "diameter of the wire", _SOURCE, positive=True)
    h: float = parameter(14e-3, "m", "free length", _SOURCE, positive=True)
    s: float = parameter(8e-3, "m", "solid length", _SOURCE, positive=True)
    n: float = parameter(3.5, "1", "active coils", _SOURCE, positive=True)
    E: float = parameter(210e9, "Pa", "Young's modulus", _SOURCE, positive=True)
    G: float = parameter(79.3e9, "Pa", "shear modulus", _SOURCE, positive=True)
    nu: float = parameter(0.3, "1", "Poisson's ratio of the layers", _SOURCE)
    rho: float = parameter(7850.0, "kg/m³", "density", "chosen: steel", positive=True)
    segments: int = parameter(
        40, "1", "elements of a coil", "chosen; 20 of the source are chords that are 2 % stiffer",
        positive=True,
    )  # fmt: skip
    pieces: int = parameter(20, "1", "of the surface of a coil, a divisor of `segments`", _TEXT,
                            positive=True)  # fmt: skip
    sectors: int = parameter(20, "1", "vertices around the wire", _TEXT, positive=True)
    modes: int = parameter(6, "1", "with both ends held", _CHOSEN)
    zeta: float = parameter(0.02, "-", "damping ratio of every mode", _CHOSEN)
    layer: float = parameter(5e-3, "m", "b, thickness of both layers", _TEXT, positive=True)
    d_l: float = parameter(3000.0, "N s/m³", "damping of the layers", _TEXT, least=0.0)
    mu: float = parameter(0.2, "-", "friction", _TEXT)
    v_eps: float = parameter(1e-3, "m/s", "switch velocity", _TEXT, positive=True)
    contacts: bool = parameter(
        False, "-", "coils meet, minutes for 0.05 s with modes; else they pass", _CHOSEN
    )


def _line(p: HelicalSpringParameters) -> Array:
    """Return the mean line, whose pitch is such that coils touch after the travel h - s."""
    count = round(p.n * p.segments)
    angle = 2.0 * np.pi * np.arange(count + 1) / p.segments
    pitch = p.d + (p.h - p.s) / p.n
    ring = 0.5 * p.D * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.column_stack([ring, pitch * angle / (2.0 * np.pi)])


def _elements(p: HelicalSpringParameters) -> FiniteElements:
    I = np.pi * p.d**4 / 64.0
    return beam(
        _line(p), E=p.E, density=p.rho, area=np.pi * p.d**2 / 4.0, I_z=I, I_y=I, I_t=2.0 * I,
        G=p.G, shear_factor=0.9,
    )  # fmt: skip


def _spring(p: HelicalSpringParameters) -> FlexibleBody:
    """Return the spring with a fixed lower end and an upper end that only moves along the axis."""
    from scipy.linalg import eigh

    elements = _elements(p)
    N = elements.unknowns
    ends = np.concatenate([np.arange(6), np.arange(N - 6, N)])
    lifted = N - 4
    free = np.setdiff1d(np.arange(N), ends)
    K, M = (np.asarray(a.toarray()) for a in (elements.stiffness_matrix, elements.mass_matrix))
    shapes = np.zeros((N, 1 + p.modes))
    shapes[lifted, 0] = 1.0
    shapes[free, 0] = np.linalg.solve(K[np.ix_(free, free)], -K[free, lifted])
    if p.modes > 0:
        some = [0, p.modes - 1]
        shapes[free, 1:] = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], subset_by_index=some)[
            1
        ]
        shapes[:, 1:] /= np.abs(shapes[:, 1:]).max(axis=0)
    return FlexibleBody.from_elements(elements, shapes, frame=NodalFrame(0), damping_ratio=p.zeta)


@parametric(
    HelicalSpringParameters,
    recommended=Recommended(t_end=0.4),
    sets={
        "damped_wire": {"s": 5.6e-3, "zeta": 0.5, "d_l": 3e10, "modes": 0, "contacts": True},
    },
)
def helical_spring(p: HelicalSpringParameters) -> MultibodySystem:
    """Mass that compresses a helical spring until its coils come into contact.

    ===========  =========================================================================
    coordinates  ``spring.q1`` (m): the static shape of the upper end; ``spring.q2``, ...:
                 modes with both ends held
    forces       ``coils_1_2``, ``coils_2_3``, ``coils_3_4``: elastic foundations between
                 coils; the fourth coil is a half one
    sets         ``damped_wire``: the coils touch in the first two compressions of the spring, but
                 not in the third one
    source       third example of section 6.3 of S. Ebrahimi, *A Contribution to
                 Computational Contact Procedures in Flexible Multibody Systems*
                 (Stuttgart, 2007)
    ===========  =========================================================================

    The mass starts at rest at the undeformed length of the spring and moves along the axis.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    if p.segments % p.pieces:
        raise ValueError(
            f"parameter 'pieces': expected a divisor of segments = {p.segments}, got {p.pieces}"
        )
    m = Model(gravity=(0.0, 0.0, -9.81), name="helical_spring")
    flexible = _spring(p)
    line = _line(p)
    spring = m.add_elastic_body("spring", flexible)
    m.add_joint("clamp", joints.Fixed(), m.ground, spring, at=line[0])
    weight = m.add_body("mass", mass=p.mass, inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("end", joints.Fixed(), spring, weight, at=len(line) - 1)
    if p.contacts:
        layer = ElasticLayer(p.E, p.nu, p.layer)
        whole = np.asarray(tube_mesh(line, 0.5 * p.d, p.sectors).vertices)
        rings = whole[:-2].reshape(len(line), p.sectors, 3)
        coils, step = [], p.segments // p.pieces
        for first in range(0, len(line) - 1, p.segments):
            piece = np.arange(first, min(first + p.segments, len(line) - 1) + 1, step)
            carriers = np.concatenate([np.repeat(piece, p.sectors), piece[[0, -1]]])
            own = np.concatenate([rings[piece], line[piece][:, None]], axis=1)
            # Shorten pieces slightly so that the ends of successive pieces do not touch.
            own[[0, -1]] += _APART * (own[[1, -2]] - own[[0, -1]])
            vertices = np.vstack([own[:, :-1].reshape(-1, 3), own[[0, -1], -1]])
            triangles = tube_mesh(line[piece], 0.5 * p.d, p.sectors).triangles
            coils.append(skin(flexible, TriangleMesh(vertices, triangles), carriers))
        for k, (lower, upper) in enumerate(pairwise(coils)):
            m.add_elastic_foundation(
                f"coils_{k + 1}_{k + 2}", spring, lower, spring, upper, layers=(layer, layer),
                damping=p.d_l, mu=p.mu, switch_velocity=p.v_eps,
            )  # fmt: skip
    return m.build()


@helical_spring.evaluation
def stiffness(**parameters: float) -> float:
    """Return the stiffness G d⁴/(8 D³ n) of the spring, N/m (6.18).

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    p = from_keywords(HelicalSpringParameters, parameters)
    return p.G * p.d**4 / (8.0 * p.D**3 * p.n)
