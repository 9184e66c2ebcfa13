"""A body with few shapes for many nodes, about a floating frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_array
from nsmb.common.frames import Frame, NodeFrame, as_frame, as_vector
from nsmb.flexible.body_files import read_body, write_body
from nsmb.flexible.body_frames import BodyFrame, MeanAxes, in_frame
from nsmb.flexible.boundaries import boundary_nodes
from nsmb.flexible.damping import damping_matrix, modes_of
from nsmb.flexible.finite_elements import FiniteElements, Paths
from nsmb.flexible.places import Group, as_groups, motion_of_group, nearest_node, node_number
from nsmb.flexible.stiffening import Stiffening, full, second_order_shapes
from nsmb.multibody.deformable import Deformable, Drawing, RigidPart, StressLook, von_mises

__all__ = ["FlexibleBody"]

Array = NDArray[np.float64]
_STILL = 1e-14  # relative to the largest displacement; smaller ones are rounding
_DEFORMS = 1e-8  # least share of a shape that remains without its rigid motion
_INDEPENDENT = 1e-10  # least eigenvalue of the mass matrix of shapes of mass 1


class FlexibleBody(Deformable):
    """A body that deforms by u = S q_e about a floating frame of reference, (2.17)-(2.19).

    The body is added by :meth:`nsmb.Model.add_elastic_body`. Joints, forces and contacts are
    attached to nodes, or to groups of nodes. Wherever a model has an argument `at`, it is a
    node number, the name of a place, or the position of a node on the undeformed body. Without
    `at`, it is the floating frame. Deformations are small. With `stiffening`, forces along a body
    stiffen it, or let it buckle.

    Parameters
    ----------
    nodes : (k, 2) or (k, 3) array_like
        Positions on the undeformed body, in m.
    mass_matrix, stiffness_matrix : (N, N) scipy.sparse array or array_like
        Matrices in kg and N/m of the free body, lumped or consistent. No integrals of another
        program are needed. The unknowns of a node are adjacent.
    shapes : (N, n) array_like
        Shapes as columns, with the elastic coordinates q_e as their amplitudes. Rigid motion is
        subtracted as `frame` requires.
    directions : sequence of str, optional
        Unknowns of a node, see :class:`nsmb.flexible.FiniteElements`.
    frame : BodyFrame
        :class:`nsmb.flexible.MeanAxes`, ``PrincipalAxes``, ``NodalFrame`` or ``ThreePoints``.
    damping_ratio : float or (n,) array_like
        Damping ratio of each mode of the body with its frame held.
    rayleigh : (float, float)
        Coefficients α in 1/s and β in s of d_ee = α m_ee + β k_ee, (2.45); see
        :func:`nsmb.flexible.rayleigh_fit`.
    places : mapping of str to int, sequence of int, or (sequence of int, weights)
        Names of nodes and of groups. A group has the mean displacement of its nodes, and the
        rotation that fits them best. A force on it is distributed by the weights, like a surface
        load.
    paths : sequence of (sequence of int, bool), optional
        Nodes that figures join by lines, and whether the last is joined to the first.
    second_order : callable, optional
        See :class:`nsmb.flexible.FiniteElements`. Required for `stiffening` if the matrices are
        from another program.
    stiffening : bool
        Add displacements of second order, u = S q_e + ½ Σ Γ_kl q_k q_l, the shortening of the body
        as it bends. All forces do work on them: inertia forces of the frame, weight, and forces at
        nodes. They stiffen the body as geometric stiffness matrices would, and conserve energy and
        momentum. The cost is n (n + 1)/2 static solutions for n shapes.

    Attributes
    ----------
    nodes : (k, 3) array
        Positions in the body frame, in m.
    shapes : (k, 3, n) array
        Shapes S at the nodes, in the body frame.
    turns : (k, 3, n) array or None
        Rotation shapes Ψ at the nodes, (2.57).
    integrals : nsmb.flexible.Integrals
        Integrals over the mass, in the body frame.
    triangles : (m, 3) array of int or None
        Nodes of triangles that fill the body in the plane, or cover it in space; from a mesh only.
    stiffening : nsmb.flexible.Stiffening or None
        Second-order shapes Γ at the nodes, and their integrals.
    origin, axes : (3,) and (3, 3) arrays
        The body frame on the undeformed body, in coordinates of the mesh.

    Raises
    ------
    ValueError
        If matrices do not match, shapes are linearly dependent, conditions do not determine the
        frame, or stiffening lacks `second_order`. The message names the problem.

    Examples
    --------
    Two masses of 1 kg on a spring:

    >>> import numpy as np, nsmb
    >>> K = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([200.0, 0.0]))
    >>> bar = nsmb.flexible.FlexibleBody([(0, 0), (1, 0)], np.eye(4), K, [[-1.0], [0], [1], [0]])
    >>> bar.frequencies, bar.nodes[:, 0]
    (array([20.]), array([-0.5,  0.5]))
    """

    unit: ClassVar[str] = "m"

    def __init__(
        self,
        nodes: ArrayLike,
        mass_matrix: Any,
        stiffness_matrix: Any,
        shapes: ArrayLike,
        *,
        directions: Sequence[str] | None = None,
        frame: BodyFrame = MeanAxes(),  # noqa: B008 - immutable
        damping_ratio: float | Sequence[float] = 0.0,
        rayleigh: tuple[float, float] = (0.0, 0.0),
        places: Mapping[str, Any] | None = None,
        paths: Paths = (),
        second_order: Callable[[Array, Array], Array] | None = None,
        stiffening: bool = False,
    ) -> None:
        elements = FiniteElements(
            nodes,
            mass_matrix,
            stiffness_matrix,
            directions=directions,
            places=places,
            paths=paths,
            second_order=second_order,
        )
        self._project(elements, shapes, frame, stiffening)
        self._damp(damping_ratio, rayleigh)

    @classmethod
    def from_elements(
        cls,
        elements: FiniteElements,
        shapes: ArrayLike,
        *,
        frame: BodyFrame = MeanAxes(),  # noqa: B008 - immutable
        damping_ratio: float | Sequence[float] = 0.0,
        rayleigh: tuple[float, float] = (0.0, 0.0),
        stiffening: bool = False,
    ) -> FlexibleBody:
        """Create a body from a discretised body; other arguments are those of the class."""
        body = cls.__new__(cls)
        body._project(elements, shapes, frame, stiffening)
        body._damp(damping_ratio, rayleigh)
        return body

    def _project(
        self, elements: FiniteElements, shapes: ArrayLike, frame: BodyFrame, stiffening: bool
    ) -> None:
        if not isinstance(frame, BodyFrame):
            raise ValueError(f"frame: expected one of nsmb.flexible, got {frame!r}")
        given = np.asarray(shapes, dtype=float)
        if given.ndim != 2 or len(given) != elements.unknowns or not given.shape[1]:
            raise ValueError(
                f"shapes: expected shape ({elements.unknowns}, n), n >= 1, got {given.shape}"
            )
        given = as_array("shapes", given, given.shape)
        self.origin, self.axes = frame._place(elements)
        Phi = in_frame(elements, frame, given)
        self.nodes = (elements.nodes - self.origin) @ self.axes
        self.shapes = np.einsum("ba,kbn->kan", self.axes, elements.displacements(Phi))
        turns = elements.turns(Phi)
        self.turns = None if turns is None else np.einsum("ba,kbn->kan", self.axes, turns)
        self._stresses = _turned_stresses(elements.stresses(Phi), self.axes)
        self.integrals = elements.integrals(Phi, self.origin, self.axes)
        self.is_planar = elements.is_planar
        self.places: dict[str, Group] = dict(elements.places)
        self.paths, self.triangles = tuple(elements.paths), elements.triangles
        self.mass_matrix = self.integrals.mass_matrix
        self.stiffness_matrix = np.asarray(Phi.T @ (elements.stiffness_matrix @ Phi))
        self.stiffness_matrix = 0.5 * (self.stiffness_matrix + self.stiffness_matrix.T)
        self.count = Phi.shape[1]
        own = np.sqrt(np.diag(self.mass_matrix))
        whole = np.sqrt(np.einsum("ik,ik->k", given, np.asarray(elements.mass_matrix @ given)))
        least = (own / np.maximum(whole, np.finfo(float).tiny)).min()
        if least > _DEFORMS:
            least = np.linalg.eigvalsh(self.mass_matrix / np.outer(own, own))[0]
        if not least > _INDEPENDENT:
            raise ValueError(
                "shapes: must be independent of one another and of rigid motions, got a mass "
                f"matrix with the eigenvalue {least:.3g} for shapes of mass 1. Use "
                "nsmb.flexible.reduce, which leaves out dependent shapes."
            )
        self.stiffening: Stiffening | None = None
        if stiffening:
            self.stiffening = self._stiffen(elements, frame, Phi)

    def _stiffen(self, elements: FiniteElements, frame: BodyFrame, Phi: Array) -> Stiffening:
        n = self.count
        pairs = in_frame(elements, frame, second_order_shapes(elements, Phi))
        at_nodes = np.einsum("ba,kbn->kan", self.axes, elements.displacements(pairs))
        mean, first = elements.first_moments(pairs, self.origin, self.axes)
        return Stiffening(
            full(at_nodes, n),
            full(mean, n).transpose(1, 2, 0),
            full(first.transpose(1, 2, 0), n).transpose(2, 3, 0, 1),
        )

    def _damp(self, ratio: float | Sequence[float], rayleigh: tuple[float, float]) -> None:
        M, K = self.mass_matrix, self.stiffness_matrix
        self.frequencies = modes_of(M, K)[0]
        self.damping_matrix = damping_matrix(M, K, ratio, rayleigh)

    def __repr__(self) -> str:
        return f"<{self.count} shapes of {len(self.nodes)} nodes, {self.integrals.mass:.6g} kg>"

    @cached_property
    def free_frequencies(self) -> Array:
        """Frequencies (n,) of the free body in rad/s, increasing; the frame moves with the body."""
        I = self.integrals
        H = np.vstack([I.displacement, I.moment])
        tilde = np.cross(np.eye(3), I.first_moment)
        M_r = np.block([[I.mass * np.eye(3), -tilde], [-tilde.T, I.inertia]])
        flat = [0, 1, 5] if self.is_planar else list(range(6))
        H, M_r = H[flat], M_r[np.ix_(flat, flat)]
        return modes_of(self.mass_matrix - H.T @ np.linalg.solve(M_r, H), self.stiffness_matrix)[0]

    def at(
        self,
        place: int | str,
        *,
        offset: ArrayLike = (0.0, 0.0, 0.0),
        angle: float = 0.0,
    ) -> Frame:
        """Return a frame that moves with a place, for an argument `at` of a model.

        Parameters
        ----------
        place : int or str
            Node number, or name of a place.
        offset : array_like (2,) or (3,)
            Offset in the body frame in m; it rotates with the place.
        angle : float
            Rotation about e_z in rad.

        Raises
        ------
        ValueError
            If the place does not exist.
        """
        frame = self._frame_at("place", place)
        r = np.asarray(frame.r) + as_vector("offset", offset)
        return as_frame("at", NodeFrame(r, frame.A, frame.node), angle)

    def with_places(self, places: Mapping[str, Any]) -> FlexibleBody:
        """Return a copy with more places; arguments as for the class."""
        twin = self.__class__.__new__(self.__class__)
        twin.__dict__.update(self.__dict__)
        twin.places = {**self.places, **as_groups(places, len(self.nodes))}
        return twin

    def displacements(self, q_e: ArrayLike) -> Array:
        """Return node displacements in m in the body frame: (k, 3), or (t, k, 3) for q_e (t, n)."""
        found = self._mix(self.shapes, q_e)
        if self.stiffening is None:
            return found
        q = np.asarray(q_e, dtype=float)
        drawn = np.einsum("kamn,...m,...n->...ka", self.stiffening.shapes, q, q)
        return np.asarray(found + 0.5 * drawn)

    def geometric_stiffness(
        self,
        *,
        acceleration: ArrayLike = (0.0, 0.0, 0.0),
        omega: ArrayLike = (0.0, 0.0, 0.0),
        alpha: ArrayLike = (0.0, 0.0, 0.0),
        forces: Mapping[int | str, ArrayLike] | None = None,
    ) -> Array:
        """Return the stiffness matrix due to a motion of the frame and to forces at places.

        Parameters
        ----------
        acceleration : (2,) or (3,) array_like
            Acceleration of the origin minus gravity, in m/s²: a column at rest has -g.
        omega, alpha : (3,) array_like
            Angular velocity in rad/s and angular acceleration in rad/s².
        forces : mapping of int or str to (2,) or (3,) array_like
            Forces in N, at nodes and groups. All components refer to the body frame.

        Returns
        -------
        (n, n) array
            Geometric stiffness matrix in N/m.

        Raises
        ------
        ValueError
            If the body has no `stiffening`, or if a place does not exist.

        Examples
        --------
        The buckling load of a column, π² EI/(4 L²):

        >>> import numpy as np, nsmb
        >>> nodes = [(0.05 * k, 0.0) for k in range(21)]
        >>> bar = nsmb.flexible.beam(nodes, E=1.0, density=1.0, area=1e3, I_z=1.0)
        >>> held = nsmb.flexible.NodalFrame(0)
        >>> column = nsmb.flexible.reduce(
        ...     bar, 4, method="clamped", interface=[0], frame=held, stiffening=True
        ... )
        >>> K_g = column.geometric_stiffness(forces={20: (-1.0, 0.0)})
        >>> loads = np.linalg.eigvals(np.linalg.solve(column.stiffness_matrix, -K_g)).real
        >>> round(float(1.0 / loads.max()), 2)
        2.47
        """
        if self.stiffening is None:
            raise ValueError(
                "geometric_stiffness: must be called on a body with stiffening, got a body "
                "without it. Create the body with stiffening=True."
            )
        a, w, w_dot = (
            as_vector(name, value)
            for name, value in (("acceleration", acceleration), ("omega", omega), ("alpha", alpha))
        )
        K = self.stiffening.inertial_stiffness(a, w, w_dot)
        for place, force in (forces or {}).items():
            node = node_number("forces", place, self.places, len(self.nodes))
            K = K - np.einsum("akl,a->kl", self._drawn(node), as_vector("forces", force))
        return np.asarray(0.5 * (K + K.T))

    def stresses(self, q_e: ArrayLike) -> Array:
        """Return the stresses at the nodes, superposed from those of the shapes.

        Parameters
        ----------
        q_e : (n,) or (t, n) array_like
            Elastic coordinates in m.

        Returns
        -------
        (k, 6) or (t, k, 6) array
            σ_xx, σ_yy, σ_zz, σ_xy, σ_xz, σ_yz in Pa, in the body frame, averaged over the elements
            at a node.

        Raises
        ------
        ValueError
            If only matrices of the body are known.
        """
        if self._stresses is None:
            raise ValueError(
                "stresses: must be called on a body of elements from nsmb.flexible.plane or "
                "solid, got a body with only matrices"
            )
        return self._mix(self._stresses, q_e)

    def von_mises(self, q_e: ArrayLike) -> Array:
        """Return the von Mises stresses (k,) or (t, k) at the nodes, in Pa.

        They are √(3/2 s:s) of the deviator s of :meth:`stresses`. Arguments and errors are the
        same.
        """
        return von_mises(self.stresses(q_e))

    def _mix(self, shapes: Array, q_e: ArrayLike) -> Array:
        q = np.asarray(q_e, dtype=float)
        if q.ndim not in (1, 2) or q.shape[-1] != self.count:
            raise ValueError(
                f"q_e: expected shape ({self.count},) or (t, {self.count}), got {q.shape}"
            )
        return np.asarray(np.einsum("kan,...n->...ka", shapes, q))

    # Interface to a model.

    def _frame_at(self, argument: str, at: Any) -> Any:
        if at is None or isinstance(at, NodeFrame):
            return at
        A: ArrayLike = np.eye(3)
        if isinstance(at, Frame):
            node, A = nearest_node(argument, at.r, self.nodes), at.A
        elif np.shape(at) == ():
            node = node_number(argument, at, self.places, len(self.nodes))
        else:
            node = nearest_node(argument, at, self.nodes)
        return NodeFrame(self._motion(node)[0], A, node)

    def _motion(self, node: int) -> tuple[Array, Array, Array]:
        """Return position, displacement and rotation of a place by its number."""
        if node >= len(self.nodes):
            group = list(self.places.values())[node - len(self.nodes)]
            return motion_of_group(group, self.nodes, self.shapes, self.turns)
        turn = np.zeros((3, self.count)) if self.turns is None else self.turns[node]
        return self.nodes[node], self.shapes[node], turn

    def _drawn(self, node: int) -> Array:
        """Return Γ (3, n, n) of a place by its number."""
        assert self.stiffening is not None
        if node < len(self.nodes):
            return np.asarray(self.stiffening.shapes[node])
        group = list(self.places.values())[node - len(self.nodes)]
        return np.asarray(np.tensordot(group.shares, self.stiffening.shapes[group.nodes], 1))

    def _section(self, frame: Frame) -> tuple[Hashable, Array, _multibody.ElasticNode | None]:
        if not isinstance(frame, NodeFrame):
            return None, np.zeros(3), None
        r, Phi, psi = self._motion(frame.node)
        if max(np.abs(Phi).max(), np.abs(psi).max()) <= _STILL * np.abs(self.shapes).max():
            return None, np.zeros(3), None
        if self.stiffening is None:
            return frame.node, r, _multibody.ElasticNode(Phi, psi)
        drawn = self._drawn(frame.node).transpose(1, 0, 2).reshape(3 * self.count, self.count)
        return frame.node, r, _multibody.ElasticNode(Phi, psi, drawn)

    def _moves(self, frame: Frame) -> Array:
        if not isinstance(frame, NodeFrame):
            return np.zeros((6, self.count))
        r, Phi, psi = self._motion(frame.node)
        return np.vstack([Phi + np.cross(psi.T, np.asarray(frame.r) - r).T, psi])

    def _boundary(self, argument: str, at: Any) -> tuple[list[int], bool]:
        return boundary_nodes(argument, at, self.paths, self.places, len(self.nodes))

    def _drawing(self) -> Drawing | None:
        if not self.paths:
            return None
        used = np.unique(np.concatenate([np.asarray(line) for line, _ in self.paths]))
        number = {int(node): k for k, node in enumerate(used)}
        paths = tuple((tuple(number[k] for k in line), closed) for line, closed in self.paths)
        return Drawing(self.nodes[used], self.shapes[used], paths, self.is_planar)

    def _stress_look(self) -> StressLook | None:
        if self.triangles is None or self._stresses is None:
            return None
        used, numbers = np.unique(self.triangles, return_inverse=True)
        return StressLook(
            self.nodes[used], self.shapes[used], numbers.reshape(-1, 3), self._stresses[used],
            self.is_planar,
        )  # fmt: skip

    def _core(self) -> _multibody.Elastic:
        I, n = self.integrals, self.count
        drawn = {}
        if self.stiffening is not None:
            drawn = {
                "drawn": self.stiffening.mean.transpose(0, 2, 1).reshape(3 * n, n),
                "drawn_first": self.stiffening.first.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n),
            }
        return _multibody.Elastic(
            I.displacement,
            I.first.reshape(3 * n, 3),
            I.second.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n),
            I.turn,
            I.turning,
            self.stiffness_matrix,
            self.damping_matrix,
            **drawn,
        )

    def _rigid(self) -> RigidPart:
        I, c = self.integrals, self.integrals.center
        shift = I.mass * (c @ c * np.eye(3) - np.outer(c, c))
        return RigidPart(I.mass, c, I.inertia - shift)

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that a model needs to one file, ``.npz``, or ``.h5`` with the extra ``data``.

        It is read by :meth:`load`, which does not need the mesh.

        Raises
        ------
        ValueError
            If the file has another suffix.
        OSError
            If the file cannot be written.
        """
        write_body(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FlexibleBody:
        """Read a body from a file written by :meth:`save`.

        Raises
        ------
        ValueError
            If the file is of another kind or damaged.
        """
        body = cls.__new__(cls)
        body.__dict__.update(read_body(path))
        return body


def _turned_stresses(stresses: Array | None, axes: Array) -> Array | None:
    if stresses is None:
        return None
    full = stresses[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(len(stresses), 3, 3, -1)
    turned = np.einsum("ba,kbcn,cd->kadn", axes, full, axes).reshape(len(stresses), 9, -1)
    return np.asarray(turned[:, [0, 4, 8, 1, 2, 5]])
