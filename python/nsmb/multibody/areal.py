"""Contact as pressure over an area: layers, deformable surfaces, and contact at one instant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import areal as _areal
from nsmb._core import geometry as _geometry
from nsmb._core import multibody as _multibody
from nsmb.common.arguments import in_range, positive
from nsmb.geometry.shapes.crossing import areal_mesh
from nsmb.geometry.shapes.triangles import TriangleMesh
from nsmb.system.discontinuities import Discontinuity

__all__ = [
    "ArealContact",
    "ElasticLayer",
    "ElasticSurface",
    "FoundationForce",
    "SurfaceMesh",
    "series_stiffness",
]

Array = NDArray[np.float64]
SurfaceMesh = TriangleMesh  # mesh type of the surfaces of deformable bodies


@dataclass(frozen=True)
class ElasticLayer:
    """The elastic layer of a body for :meth:`Model.add_elastic_foundation` (6.3).

    Examples
    --------
    A steel layer of 5 mm:

    >>> import nsmb
    >>> f"{nsmb.flexible.ElasticLayer(E=210e9, nu=0.3, thickness=5e-3).stiffness:.4g} N/m³"
    '5.654e+13 N/m³'

    Raises
    ------
    ValueError
        If a number is not positive, or ν is outside [0, 0.5).
    """

    E: float
    """Young's modulus, Pa."""
    nu: float
    """Poisson's ratio."""
    thickness: float
    """Thickness b in m, for the law alone. The `depth` of the surface limits the penetration."""

    def __post_init__(self) -> None:
        positive("E", self.E)
        positive("thickness", self.thickness)
        if not 0.0 <= in_range("nu", self.nu, 0.0, 0.5) < 0.5:
            raise ValueError(f"nu: expected a number below 0.5, got {self.nu!r}")

    @property
    def stiffness(self) -> float:
        """c_l of this body in N/m³: constrained modulus over thickness (6.3)."""
        constrained = self.E * (1.0 - self.nu) / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu))
        return constrained / self.thickness


def series_stiffness(layers: Sequence[ElasticLayer | None]) -> float:
    """Return c_l of both bodies in N/m³ (6.2), where None is a rigid body."""
    elastic = [layer for layer in layers if layer is not None]
    if len(layers) != 2 or not all(isinstance(layer, ElasticLayer) for layer in elastic):
        raise ValueError(
            f"layers: expected two of nsmb.flexible.ElasticLayer or None for rigid, got {layers!r}"
        )
    if not elastic:
        raise ValueError("`layers`: at least one must be elastic, got two rigid ones.")
    return 1.0 / math.fsum(1.0 / layer.stiffness for layer in elastic)


@dataclass(frozen=True, eq=False)
class ElasticSurface:
    """The surface of a deformable body, for :meth:`Model.add_elastic_foundation`.

    Use :func:`nsmb.flexible.surface` or :func:`nsmb.flexible.skin` to make one.
    """

    mesh: TriangleMesh
    """Undeformed mesh, in the body's frame."""
    shapes: ArrayLike
    """Displacements of the vertices for each elastic coordinate at 1, shape (k, 3, n)."""
    turns: ArrayLike | None = None
    """Rotations of the vertices in rad, shape (k, 3, n); only needed for averaged velocities."""

    def __post_init__(self) -> None:
        k = len(np.asarray(self.mesh.vertices))
        for name in ("shapes", "turns"):
            value = getattr(self, name)
            if value is None:
                continue
            array = np.array(value, dtype=np.float64)
            if array.ndim != 3 or array.shape[:2] != (k, 3) or not np.isfinite(array).all():
                raise ValueError(
                    f"{name}: expected finite numbers of shape ({k}, 3, n), got {array.shape}"
                )
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.turns is not None and np.shape(self.turns) != np.shape(self.shapes):
            raise ValueError(
                f"turns: expected shape {np.shape(self.shapes)}, got {np.shape(self.turns)}"
            )

    @property
    def count(self) -> int:
        """Number n of elastic coordinates."""
        return int(np.shape(self.shapes)[2])


@dataclass(frozen=True, eq=False)
class ArealContact:
    """The contact of two surfaces at one instant, with n elements, in inertial components."""

    force: Array
    """Force on the first body, shape (3,), in N (6.8)."""
    moment: Array
    """Moment on the first body about the origin of its surface's frame, shape (3,), in N m."""
    active: int
    """Number of elements with a force."""
    area: float
    """Contact area, m²."""
    pressure: float
    """Maximum pressure of the layer, c_l δ, Pa."""
    depth: float
    """Maximum penetration, m."""
    power: float
    """Power of the contact forces on both bodies, W; the layer stores part of it."""
    energy: float
    """Energy of the layer, J; NaN for elements by barycentres, which have no energy."""
    box_tests: int
    triangle_tests: int
    place: Array = field(repr=False)
    """Points of action of the resultants, shape (n, 3), in m."""
    element_force: Array = field(repr=False)
    """Forces on the first body, shape (n, 3), in N."""
    element_area: Array = field(repr=False)
    """Areas, shape (n,), in m²."""
    element_depth: Array = field(repr=False)
    """Mean depths δ_k of the elements, shape (n,), in m."""
    element_pressure: Array = field(repr=False)
    """Maximum pressures in the elements, shape (n,), in Pa."""
    triangles: NDArray[np.int64] = field(repr=False)
    """Triangles of the first and the second surface, shape (n, 2)."""


@dataclass(frozen=True, eq=False)
class Side:
    """A surface for the core."""

    mesh: _geometry.ArealMesh
    shapes: Array
    turns: Array

    @classmethod
    def of(cls, argument: str, surface: TriangleMesh | ElasticSurface, depth: float) -> Side:
        """Return the side for a mesh or for a deformable surface."""
        none = np.zeros((0, 0))
        if isinstance(surface, ElasticSurface):
            mesh = areal_mesh(argument, surface.mesh, depth)
            n = surface.count
            turns = none if surface.turns is None else np.asarray(surface.turns).reshape(-1, n)
            return cls(mesh, np.asarray(surface.shapes).reshape(-1, n), turns)
        if not isinstance(surface, TriangleMesh):
            raise ValueError(
                f"{argument}: expected a nsmb.geometry.TriangleMesh or a "
                f"nsmb.flexible.ElasticSurface, got {surface!r}"
            )
        return cls(areal_mesh(argument, surface, depth), none, none)

    @property
    def count(self) -> int:
        return int(self.shapes.shape[1])


class FoundationForce:
    """An elastic foundation, as stored by :class:`nsmb.Model`."""

    discontinuities: ClassVar[Sequence[Discontinuity]] = ()

    def __init__(
        self,
        surfaces: tuple[TriangleMesh | ElasticSurface, TriangleMesh | ElasticSurface],
        depth: float,
        numbers: dict[str, float],
        choices: tuple[str, str, str],
        same_body: bool = False,
    ) -> None:
        self._given = surfaces, depth, numbers, choices, same_body
        self.sides = tuple(Side.of(f"surface_{k + 1}", s, depth) for k, s in enumerate(surfaces))
        both_deform = all(side.count for side in self.sides)
        elements, base, velocity = choices
        first, second = (_areal.FoundationSide(s.mesh, s.shapes, s.turns) for s in self.sides)
        self.core = _areal.ElasticFoundation(
            first,
            second,
            numbers["stiffness"],
            numbers["damping"],
            numbers["transition_depth"],
            numbers["mu"],
            numbers["switch_velocity"],
            getattr(_areal.FoundationElements, elements.capitalize()),
            getattr(_areal.FoundationBase, base.capitalize()),
            getattr(_areal.FoundationVelocity, velocity.capitalize()),
            same_body=same_body and both_deform,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def core_force(self, name: str, markers: int, coordinates: int) -> _multibody.ForceElement:
        """Return the element, whose markers have been checked before."""
        return self.core

    def contact(
        self,
        r: Sequence[Array],
        A: Sequence[Array],
        v: Sequence[Array],
        Omega: Sequence[Array],
        q: Sequence[Array],
        u: Sequence[Array],
    ) -> ArealContact:
        """Return the contact for given frames and elastic coordinates of both bodies."""
        probe = _areal.FoundationProbe(self.core)
        found = probe.contact(r, A, v, Omega, q, u)
        first = found["base_is_first"]
        base, target = found["base"], found["target"]
        triangles = np.stack(
            [np.where(first, base, target), np.where(first, target, base)], axis=-1
        )
        names = (
            "force", "moment", "active", "area", "pressure", "depth", "power", "box_tests",
            "triangle_tests", "place", "element_force", "element_area", "element_depth",
            "element_pressure",
        )  # fmt: skip
        return ArealContact(
            energy=probe.energy(r, A, q),
            triangles=triangles,
            **{name: found[name] for name in names},
        )
