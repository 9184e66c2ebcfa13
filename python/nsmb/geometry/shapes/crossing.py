"""Intersection of two closed meshes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_array, as_instance
from nsmb.geometry.shapes.base import Array
from nsmb.geometry.shapes.triangles import TriangleMesh

__all__ = ["MeshCrossing", "areal_mesh", "mesh_crossing"]


@dataclass(frozen=True, eq=False)
class MeshCrossing:
    """The intersection of two triangulated surfaces, in the frame of the first one."""

    polygons: tuple[Array, ...]
    """Corners of each polygon in order, shape (k, 3), in m."""
    closed: tuple[bool, ...]
    """True if the last corner of a polygon is connected to the first."""
    crossing: NDArray[np.int64]
    """Pairs of intersecting triangles of both surfaces, shape (m, 2)."""
    active_1: NDArray[np.int64]
    """Triangles of the first surface that lie in the second body, entirely or in part."""
    active_2: NDArray[np.int64]
    """Triangles of the second surface that lie in the first body, entirely or in part."""
    box_tests: int
    triangle_tests: int


def areal_mesh(argument: str, surface: TriangleMesh, depth: float = 0.0) -> _geometry.ArealMesh:
    """Return the checked mesh of the core; `argument` is for messages."""
    mesh = as_instance(argument, surface, TriangleMesh)
    try:
        return _geometry.ArealMesh(mesh._core, depth)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from None


def mesh_crossing(
    mesh_1: TriangleMesh,
    mesh_2: TriangleMesh,
    r: ArrayLike = (0.0, 0.0, 0.0),
    A: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
) -> MeshCrossing:
    """Return the intersection polygons of two closed meshes, and the enclosed triangles.

    Parameters
    ----------
    mesh_1, mesh_2 : TriangleMesh
    r : (3,) array_like
        Origin of the second mesh's frame, m.
    A : (3, 3) array_like
        Axes of the second mesh's frame, as columns.

    Raises
    ------
    ValueError
        If a mesh is open or intersects itself, or a number is not finite.

    Examples
    --------
    The tip of a tetrahedron in the face of another tetrahedron:

    >>> import nsmb.geometry
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> mesh = nsmb.geometry.TriangleMesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> found = nsmb.geometry.mesh_crossing(mesh, mesh, (0.2, 0.2, -0.9))
    >>> found.closed, len(found.polygons[0]), found.active_1, found.active_2
    ((True,), 3, array([0]), array([1, 2, 3]))
    """
    first, second = (
        _geometry.ArealInstance(areal_mesh(name, mesh))
        for name, mesh in (("mesh_1", mesh_1), ("mesh_2", mesh_2))
    )
    found = first.intersection(second, as_array("r", r, (3,)), as_array("A", A, (3, 3)))
    return MeshCrossing(
        tuple(found["polygons"]),
        tuple(found["closed"]),
        found["crossing"],
        np.sort(found["active_1"]),
        np.sort(found["active_2"]),
        found["box_tests"],
        found["triangle_tests"],
    )
