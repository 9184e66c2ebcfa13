"""A sphere that falls onto a beam or rolls along it, with contact over an area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb.flexible import NodalFrame, beam, reduce, skin
from nsmb.geometry import TriangleMesh, box_mesh, sphere_mesh
from nsmb.multibody import ElasticSurface, Model, MultibodySystem, joints
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["SphereOnBeamParameters", "sphere_on_beam"]

_CHOSEN = "chosen: the source gives no data"


@dataclass(frozen=True, kw_only=True)
class SphereOnBeamParameters(Parameters):
    """Data of beam, sphere and layer."""

    L: float = parameter(0.6, "m", "length of the beam", _CHOSEN, positive=True)
    b: float = parameter(0.05, "m", "its width", _CHOSEN, positive=True)
    t: float = parameter(0.01, "m", "its thickness", _CHOSEN, positive=True)
    E: float = parameter(3e9, "Pa", "Young's modulus", _CHOSEN, positive=True)
    rho: float = parameter(1200.0, "kg/m³", "density of the beam", _CHOSEN, positive=True)
    n: int = parameter(24, "1", "beam elements, and pieces of its surface along it", _CHOSEN,
                       positive=True)  # fmt: skip
    modes: int = parameter(4, "1", "of the beam with both ends clamped", _CHOSEN, positive=True)
    zeta: float = parameter(0.01, "-", "damping ratio of every mode", _CHOSEN)
    elastic: bool = parameter(True, "-", "or a beam that is rigid", _CHOSEN)
    R: float = parameter(0.03, "m", "radius of the sphere", _CHOSEN, positive=True)
    m: float = parameter(0.2, "kg", "its mass", _CHOSEN, positive=True)
    level: int = parameter(3, "1", "its surface has 20 · 4ˡᵉᵛᵉˡ triangles", _CHOSEN)
    c_l: float = parameter(1e9, "N/m³", "stiffness of the layer", _CHOSEN, positive=True)
    d_l: float = parameter(1e6, "N s/m³", "damping of the layer", _CHOSEN)
    delta_d: float = parameter(1e-4, "m", "transition depth", _CHOSEN)
    mu: float = parameter(0.3, "-", "friction", _CHOSEN)
    x: float = parameter(0.0, "m", "where the sphere starts, from the middle of the beam", _CHOSEN)
    h: float = parameter(0.02, "m", "height of its lowest place over the beam at the start",
                         _CHOSEN)  # fmt: skip
    v: float = parameter(0.0, "m/s", "velocity along the beam; the sphere turns as if it rolled",
                         _CHOSEN)  # fmt: skip


@parametric(SphereOnBeamParameters, recommended=Recommended(t_end=0.5))
def sphere_on_beam(p: SphereOnBeamParameters) -> MultibodySystem:
    """Rigid sphere on a beam with clamped ends, with an elastic layer between their meshes.

    ===========  =========================================================================
    coordinates  ``beam.q1``, ... (m): amplitudes of the clamped modes; ``sphere.x``, ...:
                 position and quaternion
    force        ``layer``: :meth:`nsmb.Model.add_elastic_foundation`
    source       first example of section 6.3 of S. Ebrahimi, *A Contribution to
                 Computational Contact Procedures in Flexible Multibody Systems*
                 (Stuttgart, 2007), which gives no numbers; all data are chosen
    ===========  =========================================================================

    The parameters `x`, `h` and `v` determine whether the sphere falls or rolls.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0.0, 0.0, -9.81), name="sphere_on_beam")
    mesh = box_mesh((p.L, p.b, p.t), (p.n, 3, 1))
    surface: TriangleMesh | ElasticSurface = mesh
    if p.elastic:
        nodes = np.zeros((p.n + 1, 3))
        nodes[:, 0] = np.linspace(-0.5 * p.L, 0.5 * p.L, p.n + 1)
        elements = beam(
            nodes, E=p.E, density=p.rho, area=p.b * p.t, I_z=p.t * p.b**3 / 12.0,
            I_y=p.b * p.t**3 / 12.0, I_t=p.b * p.t**3 / 3.0, G=p.E / 2.6,
        )  # fmt: skip
        flexible = reduce(
            elements, p.modes, method="clamped", interface=[0, p.n], frame=NodalFrame(0),
            damping_ratio=p.zeta,
        )  # fmt: skip
        body = m.add_elastic_body("beam", flexible)
        m.add_joint("clamp", joints.Fixed(), m.ground, body, at=(-0.5 * p.L, 0.0, 0.0))
        surface = skin(flexible, mesh)
    else:
        body = m.ground
    inertia = 0.4 * p.m * p.R**2
    sphere = m.add_body("sphere", mass=p.m, inertia=(inertia, inertia, inertia))
    m.add_joint("sphere", joints.Free(), m.ground, sphere)
    m.add_elastic_foundation(
        "layer", body, surface, sphere, sphere_mesh(p.R, p.level), stiffness=p.c_l,
        damping=p.d_l, transition_depth=p.delta_d, mu=p.mu, base="second",
    )  # fmt: skip
    return m.build(
        {"sphere": (p.x, 0.0, 0.5 * p.t + p.R + p.h, 1.0, 0.0, 0.0, 0.0)},
        velocities={"sphere": (p.v, 0.0, 0.0, 0.0, p.v / p.R, 0.0)},
    )
