"""Surfaces of flexible bodies for distributed contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_array, as_instance
from nsmb.flexible.flexible_body import FlexibleBody
from nsmb.multibody.areal import ElasticSurface, SurfaceMesh

__all__ = ["skin", "surface"]


def surface(body: FlexibleBody) -> ElasticSurface:
    """Return the whole surface of a body made of solid elements.

    Raises
    ------
    ValueError
        If the triangles of the body are unknown, or if it is planar.
    """
    own = as_instance("body", body, FlexibleBody)
    if own.triangles is None or own.is_planar:
        raise ValueError(
            "body: must be made of solid elements, got a body without triangles in space. Use "
            "nsmb.flexible.skin with a mesh attached to its nodes."
        )
    used, numbers = np.unique(own.triangles, return_inverse=True)
    return ElasticSurface(
        SurfaceMesh(own.nodes[used], numbers.reshape(-1, 3)),
        own.shapes[used],
        None if own.turns is None else own.turns[used],
    )


def skin(body: FlexibleBody, mesh: SurfaceMesh, nodes: ArrayLike | None = None) -> ElasticSurface:
    """Return a mesh with vertices rigidly attached to nodes, such as the surface of a beam.

    Parameters
    ----------
    body : FlexibleBody
    mesh : nsmb.geometry.TriangleMesh
        Undeformed surface, in the coordinates in which the body was created.
    nodes : (k,) array_like of int, optional
        Node of each vertex. Default: the nearest node.

    Raises
    ------
    ValueError
        If the nodes of the body do not rotate, or if a node does not exist.
    """
    own = as_instance("body", body, FlexibleBody)
    given = np.asarray(as_instance("mesh", mesh, SurfaceMesh).vertices)
    if own.turns is None:
        raise ValueError("body: must have nodal rotations, got a body without them")
    places = (given - own.origin) @ own.axes
    if nodes is None:
        distances = np.linalg.norm(places[:, None] - own.nodes, axis=-1)
        carriers = distances.argmin(axis=1)
    else:
        carriers = as_array("nodes", nodes, (len(places),)).astype(int)
        if not ((carriers >= 0) & (carriers < len(own.nodes))).all():
            raise ValueError(
                f"nodes: expected numbers 0 ... {len(own.nodes) - 1}, got {np.asarray(nodes)!r}"
            )
    arms = places - own.nodes[carriers]
    turns = own.turns[carriers]
    shapes = own.shapes[carriers] + np.cross(turns, arms[:, :, None], axis=1)
    return ElasticSurface(SurfaceMesh(places, mesh.triangles), shapes, turns)
