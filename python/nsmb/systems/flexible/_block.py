"""The block of Ebrahimi's examples, one bilinear element or rigid, and its foundation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.flexible import Mesh, NodalFrame, plane, unreduced
from nsmb.multibody import Body, ContourOnBody, Model, joints
from nsmb.system.parametric import Parameters, parameter

__all__ = [
    "CHOSEN",
    "THESIS",
    "BlockParameters",
    "InclineParameters",
    "add_block",
    "inclines_and_arc",
    "start_on_incline",
]

Array = NDArray[np.float64]

THESIS = "printed: Ebrahimi (2007), section 4.4"
CHOSEN = "chosen: the source does not say"
_SPACING = 0.15  # m, between points of the foundation
_ROUNDING = 4.0 * np.finfo(float).eps


@dataclass(frozen=True, kw_only=True)
class BlockParameters(Parameters):
    """Data of a block and of the arc on which it slides."""

    L: float = parameter(2.0, "m", "length of the block", THESIS, positive=True)
    H: float = parameter(1.0, "m", "its height", THESIS, positive=True)
    rho: float = parameter(2.0, "kg/m²", "mass per area", THESIS, positive=True)
    E: float = parameter(1000.0, "N/m", "Young's modulus times thickness", THESIS, positive=True)
    nu: float = parameter(0.3, "-", "Poisson's ratio, plane stress", THESIS)
    beta: float = parameter(0.005, "s", "damping by stiffness, d_ee = β k_ee", CHOSEN)
    material: int | str = parameter(
        "elastic", "1", "one bilinear element, or rigid", THESIS, choices=("elastic", "rigid")
    )
    r: float = parameter(10.0, "m", "radius of the arc", THESIS, positive=True)
    g: float = parameter(9.81, "m/s²", "gravity", "derived: 8 m of incline in 2 s", positive=True)


@dataclass(frozen=True, kw_only=True)
class InclineParameters(BlockParameters):
    """Data of a block, an arc, and an incline that ends in the arc."""

    alpha: float = parameter(np.pi / 6.0, "rad", "slope of the incline", THESIS, positive=True)
    run: float = parameter(10.0, "m", "length of the incline", THESIS, positive=True)


def add_block(m: Model, p: BlockParameters) -> tuple[Body, tuple[ContourOnBody, ...]]:
    """Add the block, and return it with points at its lower corners, nodes 4 and 1.

    Its free frame is fixed to node 4, with the x-axis through node 1. The coordinates are q_1x,
    q_2x, q_2y, q_3x, q_3y of (4.21).
    """
    block, at = _rigid(m, p) if p.choice("material") == "rigid" else _elastic(m, p)
    m.add_joint("frame", joints.Planar(), m.ground, block)
    corners = zip(("node_4", "node_1"), at, strict=True)
    return block, tuple(block.contour(name, geometry.Point(), at=place) for name, place in corners)


def _rigid(m: Model, p: BlockParameters) -> tuple[Body, tuple[Any, Any]]:
    mass = p.rho * p.L * p.H
    inertia = mass / 12.0 * (p.L**2 + p.H**2)
    block = m.add_body("block", mass=mass, inertia=inertia, center=(0.5 * p.L, 0.5 * p.H))
    block.outline("sides", geometry.Polygon([(0.0, 0.0), (p.L, 0.0), (p.L, p.H), (0.0, p.H)]))
    return block, ((0.0, 0.0), (p.L, 0.0))


def _elastic(m: Model, p: BlockParameters) -> tuple[Body, tuple[Any, Any]]:
    corners = [(p.L, 0.0), (p.L, p.H), (0.0, p.H), (0.0, 0.0)]
    mesh = Mesh(corners, [(3, 0, 1, 2)], "quad", {"middle": [0, 1, 2, 3]})
    elements = plane(mesh, E=p.E, nu=p.nu, density=p.rho)
    elastic = unreduced(elements, NodalFrame(3, along=0), rayleigh=(0.0, p.beta))
    return m.add_elastic_body("block", elastic), (3, 0)


def start_on_incline(p: InclineParameters) -> Array:
    """Return the pose (m, m, rad) of the frame with node 4 at the upper end of the incline.

    It is above the incline by the size of rounding errors.
    """
    sine, cosine = np.sin(p.alpha), np.cos(p.alpha)
    end = -p.r * np.array([sine, cosine]) + p.run * np.array([-cosine, sine])
    end[1] += _ROUNDING * (p.r + p.run)
    return np.array([*end, -p.alpha])


def inclines_and_arc(p: InclineParameters) -> geometry.Spline:
    """Return an incline, an arc about the origin, and another incline, from right to left.

    They form a single curve, so that contacts do not end where the pieces meet. The curve is a
    spline with continuous curvature. It deviates from the pieces by less than 1e-4 m, within two
    point distances of the joints. Inclines extend beyond their ends, because a block may overhang
    by half.
    """
    outwards = np.array([-np.cos(p.alpha), np.sin(p.alpha)])
    turns = np.linspace(p.alpha, -p.alpha, _count(2.0 * p.alpha * p.r))
    arc = p.r * np.column_stack([np.sin(turns), -np.cos(turns)])
    way = np.linspace(0.0, p.run + p.L, _count(p.run + p.L))[1:, None]
    behind = arc[-1] + way * outwards
    return geometry.Spline(np.vstack([behind[::-1] * (-1.0, 1.0), arc, behind]), closed=False)


def _count(length: float) -> int:
    return int(np.ceil(length / _SPACING)) + 1
