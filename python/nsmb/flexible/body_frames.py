"""Floating frames: the frame of a deforming body, and the conditions on its shapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nsmb.common.largest import first_of_largest
from nsmb.flexible.mass_points import Integrals

__all__ = [
    "BodyFrame",
    "Discretised",
    "MeanAxes",
    "NodalFrame",
    "PrincipalAxes",
    "ThreePoints",
    "in_frame",
]

Array = NDArray[np.float64]
_EQUAL = 1e-6  # relative to the largest moment of inertia; axes of equal moments are not unique
_SHORT = 1e-9  # relative to the size of the body; shorter vectors have no direction


class Discretised(Protocol):
    """The properties of a discretised body that frames use."""

    @property
    def is_planar(self) -> bool: ...
    @property
    def unknowns(self) -> int: ...
    @property
    def nodes(self) -> Array: ...
    @property
    def rigid_motions(self) -> Array: ...
    def node(self, argument: str, given: int | str) -> int: ...
    def displacements(self, shapes: Array) -> Array: ...
    def turns(self, shapes: Array) -> Array | None: ...
    def integrals(self, shapes: Array, origin: Array, axes: Array) -> Integrals: ...


class BodyFrame(ABC):
    """The definition of a floating frame.

    A frame has as many conditions as a rigid body has degrees of freedom, three or six. The
    conditions are linear in the elastic coordinates. Rigid motion is subtracted from shapes so that
    they satisfy the conditions.
    """

    @abstractmethod
    def _place(self, body: Discretised) -> tuple[Array, Array]:
        """Return origin (3,) and axes (3, 3) on the undeformed body."""

    @abstractmethod
    def _conditions(self, body: Discretised, shapes: Array, origin: Array, axes: Array) -> Array:
        """Return the residuals of the conditions for each of the shapes (N, n), shape (m, n)."""


@dataclass(frozen=True)
class MeanAxes(BodyFrame):
    """The Buckens frame, or linearised mean axes: ∫ Φ dm = 0 and ∫ x × Φ dm = 0.

    The origin is the centre of mass, also of the deformed body. The axes are those of the mesh.
    Displacements are minimal in the mean. Modes of the free body satisfy the conditions.
    """

    def _place(self, body: Discretised) -> tuple[Array, Array]:
        return _center(body), np.eye(3)

    def _conditions(self, body: Discretised, shapes: Array, origin: Array, axes: Array) -> Array:
        integrals = body.integrals(shapes, origin, axes)
        if body.is_planar:
            return np.vstack([integrals.displacement[:2], integrals.moment[2:]])
        return np.vstack([integrals.displacement, integrals.moment])


@dataclass(frozen=True)
class PrincipalAxes(BodyFrame):
    """The centre of mass and the principal axes of inertia.

    The conditions are ∫ Φ dm = 0 and ∫ (x_i Φ_j + x_j Φ_i) dm = 0. Products of inertia remain zero
    to first order in the displacements. e_x belongs to the smallest moment and e_z to the largest.
    In the plane, e_z does not change.
    """

    def _place(self, body: Discretised) -> tuple[Array, Array]:
        center = _center(body)
        J = body.integrals(np.zeros((body.unknowns, 0)), center, np.eye(3)).inertia
        flat = 2 if body.is_planar else 3
        moments, axes = np.linalg.eigh(J[:flat, :flat])
        if (np.diff(moments) <= _EQUAL * moments[-1]).any():
            raise ValueError(
                f"frame: must have distinct principal moments of inertia, got {moments.tolist()} "
                "kg m². Principal axes are not unique for equal moments of inertia. Use MeanAxes."
            )
        A = np.eye(3)
        A[:flat, :flat] = axes * np.sign(axes[first_of_largest(np.abs(axes)), range(flat)])
        if np.linalg.det(A) < 0.0:
            A[:, flat - 1] *= -1.0
        return center, A

    def _conditions(self, body: Discretised, shapes: Array, origin: Array, axes: Array) -> Array:
        integrals = body.integrals(shapes, origin, axes)
        N = integrals.first
        if body.is_planar:
            return np.vstack([integrals.displacement[:2], N[:, 0, 1] + N[:, 1, 0]])
        pairs = [(1, 2), (2, 0), (0, 1)]
        return np.vstack([integrals.displacement, *(N[:, i, j] + N[:, j, i] for i, j in pairs)])


@dataclass(frozen=True)
class NodalFrame(BodyFrame):
    """A frame fixed to a node, at which the displacement is zero.

    Parameters
    ----------
    node : int or str
        Node at the origin.
    along : int or str, optional
        Node through which e_x passes, also in the deformed body. Without it, the frame rotates with
        the node, and its axes are those of the mesh. In space, the rotation about e_x is that of
        the node.
    """

    node: int | str
    along: int | str | None = None

    def _place(self, body: Discretised) -> tuple[Array, Array]:
        origin = body.nodes[body.node("frame: node", self.node)]
        if self.along is None:
            return origin, np.eye(3)
        e = body.nodes[body.node("frame: along", self.along)] - origin
        return origin, _axes(body, e, np.eye(3)[2] if body.is_planar else None)

    def _conditions(self, body: Discretised, shapes: Array, origin: Array, axes: Array) -> Array:
        k = body.node("frame: node", self.node)
        moves = np.einsum("ba,ibk->iak", axes, body.displacements(shapes))
        flat = 2 if body.is_planar else 3
        rows = [moves[k, :flat]]
        if self.along is not None:
            rows.append(moves[body.node("frame: along", self.along), 1:flat])
        if self.along is None or not body.is_planar:
            turns = body.turns(shapes)
            if turns is None:
                raise ValueError(
                    "frame: must belong to a body with nodal rotations, got a body without them. "
                    "Pass `along`, or use ThreePoints in space."
                )
            turn = axes.T @ turns[k]
            rows.append(turn[2:] if body.is_planar else turn if self.along is None else turn[:1])
        return np.vstack(rows)


@dataclass(frozen=True)
class ThreePoints(BodyFrame):
    """A frame fixed to three nodes of a body in space.

    The origin is at the first node, e_x passes through the second one, and e_z is normal to the
    plane of all three. The conditions are Φ(1) = 0, Φ_y(2) = Φ_z(2) = 0 and Φ_z(3) = 0.
    """

    first: int | str
    second: int | str
    third: int | str

    def _nodes(self, body: Discretised) -> tuple[int, int, int]:
        if body.is_planar:
            raise ValueError(
                "frame: must belong to a body in space, got a planar body. Use NodalFrame with "
                "`along`."
            )
        a, b, c = (body.node("frame", k) for k in (self.first, self.second, self.third))
        return a, b, c

    def _place(self, body: Discretised) -> tuple[Array, Array]:
        a, b, c = (body.nodes[k] for k in self._nodes(body))
        return a, _axes(body, b - a, np.cross(b - a, c - a))

    def _conditions(self, body: Discretised, shapes: Array, origin: Array, axes: Array) -> Array:
        a, b, c = self._nodes(body)
        moves = np.einsum("ba,ibk->iak", axes, body.displacements(shapes))
        return np.vstack([moves[a], moves[b, 1:], moves[c, 2:]])


def in_frame(elements: Discretised, frame: BodyFrame, shapes: Array) -> Array:
    """Return shapes (N, n) without the rigid motion that violates the conditions of a frame."""
    origin, axes = frame._place(elements)
    R = elements.rigid_motions
    C = frame._conditions(elements, R, origin, axes)
    scaled = C / np.maximum(np.linalg.norm(C, axis=1, keepdims=True), np.finfo(float).tiny)
    if C.shape[0] != C.shape[1] or not np.linalg.cond(scaled) < 1e12:
        raise ValueError(
            f"frame: must have conditions that hold each of {R.shape[1]} rigid motions, got "
            f"{frame!r} with rank {np.linalg.matrix_rank(scaled, 1e-12)}"
        )
    return np.asarray(
        shapes - R @ np.linalg.solve(C, frame._conditions(elements, shapes, origin, axes))
    )


def _center(body: Discretised) -> Array:
    return body.integrals(np.zeros((body.unknowns, 0)), np.zeros(3), np.eye(3)).center


def _axes(body: Discretised, x: Array, z: Array | None) -> Array:
    """Return axes with e_x along x, and e_z as close to z as possible."""
    size = np.linalg.norm(np.ptp(body.nodes, axis=0))
    if z is None:
        z = np.eye(3)[2] if abs(x[2]) <= 0.9 * np.linalg.norm(x) else np.eye(3)[0]
    across = np.cross(z, x)
    if not np.linalg.norm(x) > _SHORT * size or not np.linalg.norm(across) > _SHORT * (
        np.linalg.norm(x) * np.linalg.norm(z)
    ):
        raise ValueError("frame: must have three separate nodes that are not on one line")
    e_x, e_y = x / np.linalg.norm(x), across / np.linalg.norm(across)
    return np.column_stack([e_x, e_y, np.cross(e_x, e_y)])
