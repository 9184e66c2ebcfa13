"""Two cantilevers, one above the other, and a sphere that falls on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.flexible import NodalFrame, beam, reduce, skin
from nsmb.geometry import box_mesh, sphere_mesh
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["TwoBeamsAndSphereParameters", "two_beams_and_sphere"]

_CHOSEN = "chosen: the source gives no data"


@dataclass(frozen=True, kw_only=True)
class TwoBeamsAndSphereParameters(Parameters):
    """Data of beams, sphere and layers."""

    L: float = parameter(0.5, "m", "length of the beams", _CHOSEN, positive=True)
    b: float = parameter(0.04, "m", "their width", _CHOSEN, positive=True)
    t: float = parameter(6e-3, "m", "their thickness", _CHOSEN, positive=True)
    E: float = parameter(3e9, "Pa", "Young's modulus", _CHOSEN, positive=True)
    rho: float = parameter(1200.0, "kg/m³", "density of the beams", _CHOSEN, positive=True)
    n: int = parameter(10, "1", "elements, and pieces of each surface along it", _CHOSEN,
                       positive=True)  # fmt: skip
    modes: int = parameter(3, "1", "of each clamped beam", _CHOSEN, positive=True)
    zeta: float = parameter(0.01, "-", "damping ratio of every mode", _CHOSEN)
    gap: float = parameter(0.02, "m", "between the beams, not deformed", _CHOSEN, positive=True)
    R: float = parameter(0.025, "m", "radius of the sphere", _CHOSEN, positive=True)
    m: float = parameter(0.15, "kg", "its mass", _CHOSEN, positive=True)
    level: int = parameter(2, "1", "its surface has 20 · 4ˡᵉᵛᵉˡ triangles", _CHOSEN)
    c_l: float = parameter(1e8, "N/m³", "stiffness of the layers", _CHOSEN, positive=True)
    d_l: float = parameter(5e3, "N s/m³", "damping of the layers", _CHOSEN)
    delta_d: float = parameter(1e-4, "m", "transition depth", _CHOSEN)
    mu: float = parameter(0.2, "-", "friction", _CHOSEN)
    x: float = parameter(0.4, "m", "where the sphere falls, from the clamps", _CHOSEN)
    h: float = parameter(0.2, "m", "over the straight beam at the start", _CHOSEN, positive=True)


@parametric(TwoBeamsAndSphereParameters, recommended=Recommended(t_end=0.5))
def two_beams_and_sphere(p: TwoBeamsAndSphereParameters) -> MultibodySystem:
    """Two parallel cantilevers, and a rigid sphere that falls on the upper one.

    ===========  =========================================================================
    coordinates  ``upper.q1``, ..., ``lower.q1``, ... (m); ``sphere.x``, ...
    forces       ``sphere_upper``, ``upper_lower``: elastic foundations
    source       second example of section 6.3 of S. Ebrahimi, *A Contribution to
                 Computational Contact Procedures in Flexible Multibody Systems*
                 (Stuttgart, 2007), which gives two times but no data; all data are chosen
    ===========  =========================================================================

    Both beams start straight and oscillate under their weight.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0.0, 0.0, -9.81), name="two_beams_and_sphere")
    nodes = np.zeros((p.n + 1, 3))
    nodes[:, 0] = np.linspace(0.0, p.L, p.n + 1)
    elements = beam(
        nodes, E=p.E, density=p.rho, area=p.b * p.t, I_z=p.t * p.b**3 / 12.0,
        I_y=p.b * p.t**3 / 12.0, I_t=p.b * p.t**3 / 3.0, G=p.E / 2.6,
        places={"tip": p.n},
    )  # fmt: skip
    flexible = reduce(
        elements, p.modes, method="clamped", interface=[0], frame=NodalFrame(0),
        damping_ratio=p.zeta,
    )  # fmt: skip
    box = box_mesh((p.L, p.b, p.t), (p.n, 2, 1))
    mesh = type(box)(np.asarray(box.vertices) + np.array((0.5 * p.L, 0.0, 0.0)), box.triangles)
    surface = skin(flexible, mesh)
    bodies = []
    for name, z in (("upper", 0.0), ("lower", -p.gap - p.t)):
        body = m.add_elastic_body(name, flexible)
        m.add_joint(f"clamp_{name}", joints.Fixed(), m.ground, body, at=(0.0, 0.0, z))
        body.marker("tip", at="tip", is_output=True)
        bodies.append(body)
    inertia = 0.4 * p.m * p.R**2
    sphere = m.add_body("sphere", mass=p.m, inertia=(inertia, inertia, inertia))
    m.add_joint("sphere", joints.Free(), m.ground, sphere)
    pairs = (
        ("sphere_upper", surface, sphere, sphere_mesh(p.R, p.level)),
        ("upper_lower", surface, bodies[1], surface),
    )
    for name, first, body, second in pairs:
        m.add_elastic_foundation(
            name, bodies[0], first, body, second, stiffness=p.c_l, damping=p.d_l,
            transition_depth=p.delta_d, mu=p.mu,
            base="second" if body is sphere else "both",
        )  # fmt: skip
    return m.build({"sphere": (p.x, 0.0, 0.5 * p.t + p.R + p.h, 1.0, 0.0, 0.0, 0.0)})
