"""Contact as a pressure over an area: layers, surfaces that deform, and what acts at an instant."""

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
SurfaceMesh = TriangleMesh  # what surfaces of bodies that deform are made of


@dataclass(frozen=True)
class ElasticLayer:
    """The elastic layer of a body for :meth:`Model.add_elastic_foundation` (6.3).

    Examples
    --------
    Steel of 5 mm:

    >>> import nsmb
    >>> f"{nsmb.flexible.ElasticLayer(E=210e9, nu=0.3, thickness=5e-3).stiffness:.4g} N/m³"
    '5.654e+13 N/m³'

    Raises
    ------
    ValueError
        For numbers that are not positive, and ν outside [0, 0.5).
    """

    E: float
    """Young's modulus, Pa."""
    nu: float
    """Poisson's ratio."""
    thickness: float
    """b, m. It is a number of the law alone, how deep bodies may go is `depth` of the surface."""

    def __post_init__(self) -> None:
        positive("E", self.E)
        positive("thickness", self.thickness)
        if not 0.0 <= in_range("nu", self.nu, 0.0, 0.5) < 0.5:
            raise ValueError(f"nu: expected a number below 0.5, got {self.nu!r}")

    @property
    def stiffness(self) -> float:
        """c_l of this body, N/m³: constrained modulus over thickness (6.3)."""
        constrained = self.E * (1.0 - self.nu) / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu))
        return constrained / self.thickness


def series_stiffness(layers: Sequence[ElasticLayer | None]) -> float:
    """c_l of both bodies, N/m³ (6.2); None is rigid."""
    elastic = [layer for layer in layers if layer is not None]
    if len(layers) != 2 or not all(isinstance(layer, ElasticLayer) for layer in elastic):
        raise ValueError(
            f"layers: expected two of nsmb.flexible.ElasticLayer or None for rigid, got {layers!r}"
        )
    if not elastic:
        raise ValueError("layers: expected one that is elastic at least, got two rigid ones")
    return 1.0 / math.fsum(1.0 / layer.stiffness for layer in elastic)


@dataclass(frozen=True, eq=False)
class ElasticSurface:
    """The surface of a body that deforms, for :meth:`Model.add_elastic_foundation`.

    Made by :func:`nsmb.flexible.surface` and :func:`nsmb.flexible.skin`.
    """

    mesh: TriangleMesh
    """Not deformed, in the body's frame."""
    shapes: ArrayLike
    """(k, 3, n) displacements of the vertices for elastic coordinates of one."""
    turns: ArrayLike | None = None
    """(k, 3, n) how the vertices turn, rad; for averaged velocities alone."""

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
        """n, elastic coordinates."""
        return int(np.shape(self.shapes)[2])


@dataclass(frozen=True, eq=False)
class ArealContact:
    """What acts between two surfaces at an instant; n elements. Inertial components."""

    force: Array
    """(3,) N on the first body (6.8)."""
    moment: Array
    """(3,) N m on it, about the origin of the frame of its surface."""
    active: int
    """Elements with a force."""
    area: float
    """m², patch."""
    pressure: float
    """Pa, the largest of the layer, c_l δ."""
    depth: float
    """m, the largest penetration."""
    power: float
    """W, of the contact forces on both bodies; what is not stored in the layer is lost."""
    energy: float
    """J, in the layer; NaN for elements by barycentres, which have none."""
    box_tests: int
    triangle_tests: int
    place: Array = field(repr=False)
    """(n, 3) m, where the resultants act."""
    element_force: Array = field(repr=False)
    """(n, 3) N on the first body."""
    element_area: Array = field(repr=False)
    """(n,) m²."""
    element_depth: Array = field(repr=False)
    """(n,) m, δ_k, mean over the element."""
    element_pressure: Array = field(repr=False)
    """(n,) Pa, the largest in the element."""
    triangles: NDArray[np.int64] = field(repr=False)
    """(n, 2) of the first and the second surface."""


@dataclass(frozen=True, eq=False)
class Side:
    """A surface for the core."""

    mesh: _geometry.ArealMesh
    shapes: Array
    turns: Array

    @classmethod
    def of(cls, argument: str, surface: TriangleMesh | ElasticSurface, depth: float) -> Side:
        """Of a mesh or of a surface that deforms."""
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
    """An elastic foundation as :class:`nsmb.Model` keeps it."""

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
        """The element; its places are checked before."""
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
        """At frames and elastic coordinates of both bodies."""
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
