"""Spheres that fall into a box or onto a floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.geometry import Frame
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.systems._recommended import in_steps

__all__ = ["SpherePileParameters", "sphere_pile"]

_GLASS = "chosen: glass"
_CHOSEN = "chosen"
_CLEARANCE = 1.02  # ratio of the initial cell size to the largest diameter


@dataclass(frozen=True, kw_only=True)
class SpherePileParameters(Parameters):
    """Data of spheres, floor and walls."""

    n: int = parameter(30, "1", "number of spheres", _CHOSEN, positive=True)
    seed: int = parameter(1, "1", "seed of positions and sizes at the start", _CHOSEN)
    r: float = parameter(0.05, "m", "mean radius", _CHOSEN, positive=True)
    spread: float = parameter(0.2, "-", "radii are r (1 ± spread), evenly", _CHOSEN)
    rho: float = parameter(2500.0, "kg/m³", "density", _GLASS, positive=True)
    mu: float = parameter(0.4, "-", "friction coefficient", _GLASS)
    e_N: float = parameter(0.0, "-", "normal restitution", _CHOSEN)
    mu_R: float = parameter(2e-3, "m", "rolling friction, arm of the normal force", _CHOSEN)
    mu_D: float = parameter(1e-3, "m", "drilling friction, likewise", _CHOSEN)
    g: float = parameter(9.81, "m/s²", "gravity", _CHOSEN, positive=True)
    width: float = parameter(0.4, "m", "of the box, and of the heap at the start", _CHOSEN)
    walls: int | str = parameter(
        "box", "1", "whether there are walls", _CHOSEN, choices=("floor", "box")
    )


@parametric(SpherePileParameters, recommended=in_steps(1e-3, 2.0, tol=1e-6))
def sphere_pile(p: SpherePileParameters) -> MultibodySystem:
    """Spheres that fall into a box or onto a floor and come to rest.

    ===========  =========================================================================
    coordinates  ``s0.x``, ``s0.y``, ``s0.z`` (m) and its quaternion, ``s1.x``, ...
    velocities   of centres, m/s, and ω along axes fixed in each sphere, rad/s
    contacts     where spheres, floor and walls touch: `MultibodySystem.find_contacts`
    source       chosen: common test of granular media
    ===========  =========================================================================

    They start at rest in layers of cells, each at a random position in its own cell, so that no
    spheres touch. The same `seed` gives the same initial state. Without walls and rolling friction,
    a heap spreads.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the box is too narrow.
    """
    rng = np.random.default_rng(p.seed)
    if not 0.0 <= p.spread < 1.0:
        raise ValueError(f"parameter 'spread': expected a number in [0, 1), got {p.spread:g}")
    radii = p.r * rng.uniform(1.0 - p.spread, 1.0 + p.spread, p.n)
    m = Model(gravity=(0, 0, -p.g), name="sphere_pile")
    m.ground.shape("floor", geometry.HalfSpace())
    if p.choice("walls") == "box":
        for name, axis in (("left", 0), ("front", 1)):
            for side, label in ((-1.0, name), (1.0, {"left": "right", "front": "back"}[name])):
                m.ground.shape(label, geometry.HalfSpace(), at=_wall(axis, side, 0.5 * p.width))
    initial = {}
    for k, (radius, place) in enumerate(zip(radii, _places(p, radii, rng), strict=True)):
        sphere = m.add_solid(f"s{k}", geometry.Sphere(radius), p.rho)
        m.add_joint(f"s{k}", joints.Free(), m.ground, sphere)
        initial[f"s{k}"] = (*place, 1.0, 0.0, 0.0, 0.0)
    m.collide(ContactLaw(mu=p.mu, e_N=p.e_N, mu_R=p.mu_R, mu_D=p.mu_D))
    return m.build(initial=initial)


def _wall(axis: int, side: float, distance: float) -> Frame:
    """Return the frame of a wall, with e_z pointing into the box."""
    inwards = np.zeros(3)
    inwards[axis] = -side
    e_x = np.array([0.0, 0.0, 1.0])
    A = np.column_stack([e_x, np.cross(inwards, e_x), inwards])
    return Frame(-distance * inwards, A)


def _places(
    p: SpherePileParameters, radii: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return random centres (n, 3), each in its own cell, with cells in random order."""
    cell = 2.0 * _CLEARANCE * p.r * (1.0 + p.spread)
    side = int(np.floor(p.width / cell))
    if side < 1:
        raise ValueError(f"parameter 'width': expected at least {cell:.3g} m, got {p.width:g} m")
    k = np.arange(p.n)
    layer, within = k // side**2, k % side**2
    for one in range(int(layer[-1]) + 1):
        chosen = rng.permutation(side**2)
        within[layer == one] = chosen[: int((layer == one).sum())]
    corner = np.column_stack([within % side, within // side, layer]) * (
        p.width / side,
        p.width / side,
        cell,
    )
    free = np.array([p.width / side, p.width / side, cell]) - 2.0 * radii[:, None]
    place = corner + radii[:, None] + rng.uniform(0.0, 1.0, (p.n, 3)) * free
    return np.asarray(place - (0.5 * p.width, 0.5 * p.width, 0.0))
