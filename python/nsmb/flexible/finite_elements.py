"""A discretised body before its reduction: nodes, mass matrix and stiffness matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array
from nsmb.flexible.mass_points import Integrals, MassPoints
from nsmb.flexible.places import Group, as_groups, motion_of_group, node_number

__all__ = ["DIRECTIONS", "FiniteElements", "Paths"]

Array = NDArray[np.float64]
Paths = Sequence[tuple[Sequence[int], bool]]

DIRECTIONS = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
"""Possible unknowns of a node."""

_ALIKE = 1e-9  # relative to the largest entry, for masses of the directions of a node
_HELD = 1e-6  # relative to the entries of K, for forces of a rigid motion; allows for text files


class FiniteElements:
    """Nodes of a body, with its mass and stiffness matrices in terms of their displacements.

    Created by :func:`plane`, :func:`solid` and :func:`beam`, or from matrices of another program.

    Parameters
    ----------
    nodes : (n, 2) or (n, 3) array_like
        Positions on the undeformed body, in m.
    mass_matrix, stiffness_matrix : (N, N) scipy.sparse array or array_like
        Matrices in kg and N/m of the free body, not reduced. N is n times the number of directions.
        The unknowns of a node are adjacent.
    directions : sequence of str, optional
        Unknowns of each node in their order, from ``"x"``, ``"y"``, ``"z"``, ``"turn_x"``,
        ``"turn_y"``, ``"turn_z"``. Default: x and y, and with nodes (n, 3) also z.
    places : mapping of str to int, sequence of int, or (sequence of int, weights)
        Names of nodes and of groups of nodes.
    paths : sequence of (sequence of int, bool), optional
        Nodes that figures join by lines, and whether the last is joined to the first.
    triangles : (m, 3) array_like of int, optional
        Nodes of triangles that fill a planar body or cover a body in space, counter-clockwise as
        seen from outside. Figures colour them by `stresses`.
    turns : callable (N, k) -> (n, 3, k), optional
        Function that returns rotations of the nodes by shapes, in rad, if they are not unknowns.
    stresses : callable (N, k) -> (n, 6, k), optional
        Function that returns σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz at the nodes, in Pa.
    second_order : callable (N, k), (N, k) -> (N, k), optional
        Function that returns the forces ∫ Bᵀ E sym(∇uᵀ ∇v) dV in N of the second-order strain of
        displacements u and v, column by column. Required for `stiffening`.
    points : MassPoints, optional
        Distribution of the mass, for elements whose interpolation differs between directions.
        Without it, the mass matrix must weight x, y and z equally. This holds for lumped matrices,
        and for elements that interpolate all directions by the same functions.

    Attributes
    ----------
    is_planar : bool
        True if all nodes are in the x-y plane and only move in it.

    Raises
    ------
    ValueError
        If sizes do not match, a matrix is not symmetric, the body is held, or the masses of a node
        differ between directions. The message names the problem.
    """

    def __init__(
        self,
        nodes: ArrayLike,
        mass_matrix: Any,
        stiffness_matrix: Any,
        *,
        directions: Sequence[str] | None = None,
        places: Mapping[str, Any] | None = None,
        paths: Paths = (),
        triangles: ArrayLike | None = None,
        turns: Callable[[Array], Array] | None = None,
        stresses: Callable[[Array], Array] | None = None,
        second_order: Callable[[Array, Array], Array] | None = None,
        points: MassPoints | None = None,
    ) -> None:
        self.nodes = _nodes(nodes)
        flat = np.ndim(nodes) == 2 and np.shape(nodes)[1] == 2
        self.directions = _directions(directions, flat)
        self.mass_matrix = self._matrix("mass_matrix", mass_matrix)
        self.stiffness_matrix = self._matrix("stiffness_matrix", stiffness_matrix)
        self.is_planar = bool(
            set(self.directions) <= {"x", "y", "turn_z"} and not self.nodes[:, 2].any()
        )
        self.places = as_groups(places or {}, len(self.nodes))
        self.paths = tuple((tuple(int(k) for k in line), bool(closed)) for line, closed in paths)
        self.triangles = None if triangles is None else _triangles(triangles, len(self.nodes))
        self._stresses = stresses
        self._turns = turns
        self._second_order = second_order
        self._points = points if points is not None else self._nodal_mass()
        self._check_free()

    def __repr__(self) -> str:
        return f"<{len(self.nodes)} nodes, {self.unknowns} unknowns>"

    @property
    def unknowns(self) -> int:
        """Number N of unknowns."""
        return len(self.nodes) * len(self.directions)

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return float(self._points.mass.sum())

    def node(self, argument: str, given: int | str) -> int:
        """Return the node number for a node number or name."""
        number = node_number(argument, given, self.places, len(self.nodes))
        if number >= len(self.nodes):
            raise ValueError(f"{argument}: expected one node, got the group {given!r}")
        return number

    def group(self, argument: str, given: int | str) -> Group:
        """Return the nodes of a place for a node number or name."""
        if isinstance(given, str) and given in self.places:
            return self.places[given]
        return Group(np.array([self.node(argument, given)]), np.ones(1))

    def unknowns_of(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Return the numbers of all unknowns of nodes."""
        d = len(self.directions)
        return (np.asarray(nodes, dtype=np.int64)[:, None] * d + np.arange(d)).ravel()

    def displacements(self, shapes: Array) -> Array:
        """Return the displacements (n, 3, k) of the nodes, in m, for shapes (N, k)."""
        return np.asarray(self._select(DIRECTIONS[:3]) @ shapes).reshape(len(self.nodes), 3, -1)

    def turns(self, shapes: Array) -> Array | None:
        """Return the rotations (n, 3, k) of the nodes, in rad; None if they are unknown."""
        if self._turns is not None:
            return self._turns(shapes)
        chosen = self._select(DIRECTIONS[3:])
        return (
            None if chosen is None else np.asarray(chosen @ shapes).reshape(len(self.nodes), 3, -1)
        )

    def stresses(self, shapes: Array) -> Array | None:
        """Return the stresses (n, 6, k) at the nodes, in Pa; None if they are unknown."""
        return None if self._stresses is None else self._stresses(shapes)

    def second_order_forces(self, u: Array, v: Array) -> Array:
        """Return the forces ∫ Bᵀ E sym(∇uᵀ ∇v) dV (N, k), in N, by column of u and v (N, k).

        Raises
        ------
        ValueError
            If the elements do not provide them.
        """
        if self._second_order is None:
            raise ValueError(
                "stiffening: must belong to a body of elements from nsmb.flexible.plane, solid "
                "or beam, got a body with only matrices. Pass `second_order` to FiniteElements."
            )
        return self._second_order(u, v)

    def integrals(self, shapes: Array, origin: Array, axes: Array) -> Integrals:
        """Return the integrals of shapes (N, k), in the frame at `origin` with `axes`."""
        return self._points.integrals(shapes, origin, axes)

    def first_moments(self, shapes: Array, origin: Array, axes: Array) -> tuple[Array, Array]:
        """Return ∫ Φ dm (3, k) and ∫ Φ_k xᵀ dm (k, 3, 3) of shapes (N, k), in that frame."""
        return self._points.first_moments(shapes, origin, axes)

    @cached_property
    def rigid_motions(self) -> Array:
        """Translations and rotations about the middle of the nodes, shape (N, 3) or (N, 6)."""
        d = self.nodes - self.nodes.mean(axis=0)
        zero, one = np.zeros(len(d)), np.ones(len(d))
        x, y, z = d.T
        shift = [(one, zero, zero), (zero, one, zero), (zero, zero, one)]
        turn = [(zero, -z, y), (z, zero, -x), (-y, x, zero)]
        still = (zero, zero, zero)
        moves = [(*s, *still) for s in shift]
        moves += [(*t, *(one * (i == k) for i in range(3))) for k, t in enumerate(turn)]
        kept = (0, 1, 5) if self.is_planar else range(6)
        chosen = [DIRECTIONS.index(name) for name in self.directions]
        return np.stack([np.stack([moves[k][i] for i in chosen], 1).ravel() for k in kept], 1)

    def loads(self, group: Group) -> Array:
        """Return unit forces, and moments if nodes rotate, distributed over a group, (N, d)."""
        d = len(self.directions)
        F = np.zeros((self.unknowns, d))
        for node, share in zip(group.nodes.tolist(), group.shares.tolist(), strict=True):
            F[node * d : (node + 1) * d] += share * np.eye(d)
        return F

    def group_motion(self, group: Group, shapes: Array) -> tuple[Array, Array, Array]:
        """Return position, displacement (3, k) and rotation (3, k) of a group for shapes (N, k)."""
        return motion_of_group(group, self.nodes, self.displacements(shapes), self.turns(shapes))

    def _matrix(self, name: str, given: Any) -> Any:
        from scipy import sparse

        A = sparse.csr_array(given, dtype=float)
        N = self.unknowns
        if A.shape != (N, N):
            raise ValueError(
                f"{name}: expected shape ({N}, {N}) for {len(self.nodes)} nodes with directions "
                f"{', '.join(self.directions)}, got {A.shape}"
            )
        if not np.isfinite(A.data).all():
            raise ValueError(f"{name}: expected finite numbers")
        # Factorisations and multigrid need 32-bit indices. An array keeps those of its source.
        A.indices, A.indptr = sparse.safely_cast_index_arrays(A, np.int32, name)
        skew = abs(A - A.T).max() if A.nnz else 0.0
        if skew > _ALIKE * abs(A).max():
            raise ValueError(f"{name}: expected a symmetric matrix, got asymmetry {skew:.3g}")
        return (0.5 * (A + A.T)).tocsr()

    def _select(self, directions: Sequence[str]) -> Any:
        """Return the matrix (3 n, N) from unknowns to components of the nodes, or None."""
        from scipy import sparse

        d, n = len(self.directions), len(self.nodes)
        found = [(i, self.directions.index(s)) for i, s in enumerate(directions)
                 if s in self.directions]  # fmt: skip
        if not found and directions[0] != "x":
            return None
        rows = np.concatenate([3 * np.arange(n) + i for i, _ in found])
        columns = np.concatenate([d * np.arange(n) + k for _, k in found])
        return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(3 * n, self.unknowns))

    def _nodal_mass(self) -> MassPoints:
        """Return ∫ N_i N_j dm from the mass matrix, which contains it once for each direction."""
        d = len(self.directions)
        shifts = [k for k, s in enumerate(self.directions) if s in DIRECTIONS[:3]]
        turns = [k for k, s in enumerate(self.directions) if s in DIRECTIONS[3:]]
        blocks = [self.mass_matrix[k::d, k::d] for k in shifts]
        mass = sum(blocks[1:], start=blocks[0]) / len(blocks)
        largest = abs(self.mass_matrix).max()
        for k, block in zip(shifts, blocks, strict=True):
            others = [j for j in range(d) if j != k]
            coupled = max(abs(self.mass_matrix[k::d, j::d]).max() for j in others)
            if max(abs(block - mass).max(), coupled) > _ALIKE * largest:
                raise ValueError(
                    "mass_matrix: must have equal masses in x, y and z of each node, without "
                    "coupling to each other or to rotations, got a difference of "
                    f"{max(abs(block - mass).max(), coupled):.3g} kg in {self.directions[k]}. "
                    "Lump it, or pass `points`."
                )
        if not mass.sum() > 0.0:
            raise ValueError(f"mass_matrix: expected a mass > 0, got {mass.sum():.6g} kg")
        turn, inertia = None, None
        if turns:
            turn, inertia = self._select(DIRECTIONS[3:]), self._nodal_inertia(turns)
        return MassPoints(self.nodes, self._select(DIRECTIONS[:3]), mass.tocsr(), turn, inertia)

    def _nodal_inertia(self, turns: Sequence[int]) -> Array:
        d, n = len(self.directions), len(self.nodes)
        inertia = np.zeros((n, 3, 3))
        for k in turns:
            for j in turns:
                block = self.mass_matrix[k::d, j::d].tocoo()
                if (block.row != block.col)[np.abs(block.data) > 0.0].any():
                    raise ValueError(
                        "mass_matrix: must have rotational inertia without coupling between "
                        "nodes, got coupled nodes. Lump it, or pass `points`."
                    )
                i = DIRECTIONS.index(self.directions[k]) - 3
                l = DIRECTIONS.index(self.directions[j]) - 3
                inertia[:, i, l] = block.tocsr().diagonal()
        return inertia

    def _check_free(self) -> None:
        R = self.rigid_motions
        force, size = np.abs(self.stiffness_matrix @ R), abs(self.stiffness_matrix) @ np.abs(R)
        worst = float(force.max() / max(float(np.max(size)), np.finfo(float).tiny))
        if worst > _HELD:
            raise ValueError(
                "stiffness_matrix: must belong to a free body, for which rigid motions need no "
                f"force, got {worst:.3g} of the forces of its parts. Leave out supports, because "
                "joints hold the body, and check the order of unknowns."
            )


def _triangles(given: ArrayLike, count: int) -> NDArray[np.int64]:
    rows = np.asarray(given)
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"triangles: must be node indices of shape (m, 3), got shape {rows.shape} of "
            f"{rows.dtype}"
        )
    wrong = rows[(rows < 0) | (rows >= count)]
    if wrong.size:
        raise ValueError(f"triangles: expected nodes 0 ... {count - 1}, got {int(wrong[0])}")
    return rows.astype(np.int64)


def _nodes(given: ArrayLike) -> Array:
    shape = np.shape(given)
    if len(shape) != 2 or shape[1] not in (2, 3) or shape[0] < 2:
        raise ValueError(f"nodes: expected shape (n, 2) or (n, 3), n >= 2, got {shape}")
    nodes = np.zeros((shape[0], 3))
    nodes[:, : shape[1]] = as_array("nodes", given, (shape[0], shape[1]))
    return nodes


def _directions(given: Sequence[str] | None, flat: bool) -> tuple[str, ...]:
    if given is None:
        return ("x", "y") if flat else ("x", "y", "z")
    names = tuple(given)
    if not set(names) <= set(DIRECTIONS) or len(set(names)) != len(names):
        raise ValueError(
            f"directions: expected some of {', '.join(DIRECTIONS)}, each once, got {given!r}"
        )
    if not {"x", "y"} <= set(names):
        raise ValueError(f"directions: expected at least x and y, got {given!r}")
    return names
