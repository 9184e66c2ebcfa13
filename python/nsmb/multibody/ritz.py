"""Elastic bodies by Ritz's method: shafts that twist (11.13)-(11.16), beams that bend
(14.34)-(14.47).

Bodies are made by :meth:`nsmb.Model.add_elastic_body`. All places, those of joints, contours, force
elements and markers, are given on the body that is not deformed; what is there moves with the
cross-section it is in.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_column, as_number, positive, whole
from nsmb.common.frames import Frame
from nsmb.common.largest import first_of_largest
from nsmb.multibody.deformable import Deformable, RigidPart
from nsmb.multibody.shape_functions import Family, ShapeFunctions, functions_for, mixed

__all__ = ["Bending", "Elastic", "Torsion"]

Array = NDArray[np.float64]
Along = float | Callable[[Array], ArrayLike]
_STILL = 1e-14  # of the largest value of the functions: zero but for rounding


class Elastic(Deformable):
    """A slender elastic body: one axis of the body frame, functions along it.

    Attributes
    ----------
    count : int
        n, elastic coordinates.
    mass_matrix, stiffness_matrix, damping_matrix : (n, n) arrays
        M_el and K_el of (11.16), (14.44), (14.47).
    frequencies : (n,) array
        Eigenfrequencies of the body with its frame held, rad/s, increasing.
    """

    axis: ClassVar[int]
    """Of the body frame, along the body: 0, 1, 2 for e_x, e_y, e_z."""
    smoothness: ClassVar[int]
    start: float
    length: float
    _functions: ShapeFunctions

    def place(self, x: float) -> Array:
        """(3,) m in the body frame, the point of the axis at the coordinate x."""
        end = self.start + self.length
        if not self.start <= x <= end:
            raise ValueError(f"at: expected a place from {self.start:g} to {end:g} m, got {x:g}")
        point = np.zeros(3)
        point[self.axis] = x
        return point

    def section(self, r: Array) -> tuple[Array, _multibody.ElasticNode | None]:
        """Origin of the cross-section that holds a point of the undeformed body, and how it moves;
        None: not at all. What is beyond an end is fixed to that end."""
        x = float(np.clip(r[self.axis], self.start, self.start + self.length))
        displacement, turn = self._motion(x)
        size = 1.0 + np.abs(self._functions.at("value", np.linspace(0.0, 1.0, 21))).max()
        if max(np.abs(displacement).max(), np.abs(turn).max() * self.length) <= _STILL * size:
            return np.zeros(3), None
        turns = np.outer(np.eye(3)[2], turn)
        return self.place(x), _multibody.ElasticNode(displacement, turns)

    def moves(self, r: Array) -> Array:
        """(6, n): displacement above turn of a point for elastic coordinates of one."""
        displacement, turn = self._motion(
            float(np.clip(r[self.axis], self.start, self.start + self.length))
        )
        arm = r.copy()
        arm[self.axis] = 0.0
        turns = np.outer(np.eye(3)[2], turn)
        return np.vstack([displacement + np.cross(turns.T, arm).T, turns])

    def _frame_at(self, argument: str, at: Any) -> Any:
        """A number is a place along the body."""
        if at is None or isinstance(at, Frame) or np.shape(at) != ():
            return at
        return self.place(as_number(argument, at))

    def _section(self, frame: Frame) -> tuple[Hashable, Array, _multibody.ElasticNode | None]:
        origin, node = self.section(np.asarray(frame.r))
        return float(origin[self.axis]), origin, node

    def _moves(self, frame: Frame) -> Array:
        return self.moves(np.asarray(frame.r))

    @abstractmethod
    def _motion(self, x: float) -> tuple[Array, Array]:
        """Displacement Φ (3, n) and turn ψ (n,) about e_z of the section at x."""

    def _prepare(self, functions: Family | ShapeFunctions, breaks: ArrayLike) -> None:
        """Checks what is common, and makes functions and quadrature."""
        for name in ("length", "start"):
            value = getattr(self, name)
            checked = positive(name, value) if name == "length" else _finite(name, value)
            object.__setattr__(self, name, checked)
        own = functions_for(self.smoothness, functions)
        given = (as_column("breaks", breaks) - self.start) / self.length
        if not np.all((given >= 0.0) & (given <= 1.0)):
            raise ValueError(
                f"breaks: expected places from {self.start:g} to {self.start + self.length:g} m, "
                f"got {np.asarray(breaks).tolist()}"
            )
        edges = np.unique(np.concatenate([[0.0, 1.0], np.asarray(own.breaks), given]))
        nodes, weights = np.polynomial.legendre.leggauss(own.points)
        half = 0.5 * np.diff(edges)[:, None]
        object.__setattr__(self, "_functions", own)
        object.__setattr__(self, "_xi", (edges[:-1, None] + half * (nodes + 1.0)).ravel())
        object.__setattr__(self, "_weights", (half * weights).ravel() * self.length)

    _xi: Array
    _weights: Array

    @property
    def _x(self) -> Array:
        return self.start + self.length * self._xi

    def _along(self, name: str, *, least: float = 0.0) -> Array:
        """A property of the cross-section times the weights of the quadrature."""
        given: Any = getattr(self, name)
        values = given(self._x) if callable(given) else given
        try:
            values = np.broadcast_to(np.asarray(values, dtype=float), self._x.shape)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name}: expected a number, or a function of places (m,) that returns as many, "
                f"got {given!r}"
            ) from None
        if not (np.isfinite(values).all() and (values >= least).all()):
            raise ValueError(f"{name}: expected finite numbers >= {least:g}, got {values.min():g}")
        return np.asarray(values * self._weights)

    def _keep(self, V: Array) -> Array:
        """Makes eigenvectors V (n, m) the functions, each 1 where it is largest; (m, n) their
        shares in the given ones."""
        shapes = V.T @ self._functions.at("value", np.linspace(0.0, 1.0, 401))
        largest = first_of_largest(np.abs(shapes), axis=1)
        T: Array = V.T / shapes[np.arange(len(shapes)), largest][:, None]
        object.__setattr__(self, "_functions", mixed(self._functions, T))
        return T

    def _set_matrices(
        self, M: Array, K: Array, damping_ratio: float | Sequence[float], modes: int | None
    ) -> None:
        """M_el, K_el, and D with a share of critical damping in each mode of the held frame."""
        n = len(M)
        largest = np.abs(M).max(initial=0.0)
        if not largest > 0.0 or np.linalg.eigvalsh(M)[0] <= 1e-12 * largest:
            raise ValueError(
                "functions: expected some that are independent of each other and move mass, got a "
                f"mass matrix with eigenvalues {np.linalg.eigvalsh(M).tolist()}"
            )
        root = np.asarray(np.linalg.cholesky(M), dtype=float)
        squares, V = np.linalg.eigh(np.linalg.solve(root, np.linalg.solve(root, K).T))
        frequencies = np.sqrt(np.maximum(squares, 0.0))
        if modes is not None:
            n = whole("modes", modes, 1)
            if n > len(M):
                raise ValueError(f"modes: expected at most the {len(M)} functions, got {n}")
            T = self._keep(np.linalg.solve(root.T, V[:, :n]))
            M, K, frequencies = T @ M @ T.T, T @ K @ T.T, frequencies[:n]
            M, K = np.diag(np.diag(M)), np.diag(np.diag(K))  # but for rounding
            root, V = np.sqrt(M), np.eye(n)
        try:
            ratios = np.asarray(damping_ratio, dtype=float)
        except (TypeError, ValueError):
            ratios = np.full(n, np.nan)
        if ratios.shape not in ((), (n,)) or not (np.isfinite(ratios) & (ratios >= 0.0)).all():
            raise ValueError(
                f"damping_ratio: expected a number >= 0, or one for each of {n} modes, got "
                f"{damping_ratio!r}"
            )
        of_modes = root @ V  # M times eigenvectors of unit modal mass
        D = (of_modes * (2.0 * ratios * frequencies)) @ of_modes.T
        for name, value in (
            ("count", n),
            ("mass_matrix", M),
            ("stiffness_matrix", K),
            ("damping_matrix", 0.5 * (D + D.T)),
            ("frequencies", frequencies),
        ):
            object.__setattr__(self, name, value)


def _finite(name: str, value: Any) -> float:
    number = as_number(name, value)
    if not np.isfinite(number):
        raise ValueError(f"{name}: expected a finite number, got {number}")
    return number


@dataclass(frozen=True, eq=False)
class Torsion(Elastic):
    """A shaft along e_z of the body frame that twists: φ(z, t) = w(z)ᵀq, (11.4), (11.13)-(11.16).

    Cross-sections turn about e_z by φ, of any size. With `mass_per_length` it has mass, and
    inertia about the other axes, as thin round discs.

    Parameters
    ----------
    length : float
        m.
    GI_p : float or callable z (m,) -> (m,)
        Torsional stiffness, N m².
    rho_I_p : float or callable
        Moment of inertia per length, kg m.
    functions : Family or ShapeFunctions
        w, as ``nsmb.flexible.sines(2, "fixed-free")``; the coordinates q are in rad.
    damping_ratio : float or (n,) array_like
        Share of critical damping of each mode of the shaft whose frame is held.
    mass_per_length : float or callable
        kg/m.
    start : float
        z of the first end, m.
    breaks : array_like
        z at which a property jumps.
    modes : int, optional
        So many combinations of `functions` are kept: the lowest modes of the shaft whose frame is
        held, each 1 where it is largest.

    Raises
    ------
    ValueError
        For numbers that no shaft has, and functions that are not independent.
    """

    length: float
    GI_p: Along
    rho_I_p: Along
    functions: Family | ShapeFunctions
    damping_ratio: float | Sequence[float] = 0.0
    mass_per_length: Along = 0.0
    start: float = 0.0
    breaks: ArrayLike = ()
    modes: int | None = None

    unit: ClassVar[str] = "rad"
    axis: ClassVar[int] = 2
    smoothness: ClassVar[int] = 1

    def __post_init__(self) -> None:
        self._prepare(self.functions, self.breaks)
        w = self._functions.at("value", self._xi)
        slope = self._functions.at("slope", self._xi) / self.length
        M = (w * self._along("rho_I_p")) @ w.T  # (11.16)
        K = (slope * self._along("GI_p")) @ slope.T
        self._along("mass_per_length")  # refused here, not by the model that takes it
        self._set_matrices(M, K, self.damping_ratio, self.modes)

    def _motion(self, x: float) -> tuple[Array, Array]:
        w = self._functions.at("value", [(x - self.start) / self.length])[:, 0]
        return np.zeros((3, self.count)), w

    def _core(self) -> _multibody.Elastic:
        n = self.count
        turn = np.zeros((3, n))
        turn[2] = self._functions.at("value", self._xi) @ self._along("rho_I_p")  # h of (11.16)
        return _multibody.Elastic(
            np.zeros((3, n)),
            np.zeros((3 * n, 3)),
            np.zeros((3 * n, 3 * n)),
            turn,
            self.mass_matrix,
            self.stiffness_matrix,
            self.damping_matrix,
        )

    def _rigid(self) -> RigidPart:
        dm, z = self._along("mass_per_length"), self._x
        mass, J = float(dm.sum()), float(self._along("rho_I_p").sum())
        center = float(dm @ z) / mass if mass else 0.0
        across = 0.5 * J + float(dm @ (z - center) ** 2)
        return RigidPart(mass, np.array([0.0, 0.0, center]), np.diag([across, across, J]))


@dataclass(frozen=True, eq=False)
class Bending(Elastic):
    """A beam along e_x of the body frame that bends in the x-y plane: points of its axis are
    displaced along e_y by w(x)ᵀq, cross-sections turn about e_z by w'(x)ᵀq, (14.34)-(14.47).

    Deformations are small. Inertia is that of the displaced axis, of any size; what stiffens or
    buckles a beam under forces along it is left out, and so is shear.

    Parameters
    ----------
    length : float
        m.
    EI : float or callable x (m,) -> (m,)
        Bending stiffness, N m².
    mass_per_length : float or callable
        kg/m.
    functions : Family or ShapeFunctions
        w, as ``nsmb.flexible.splines(4, "fixed-free")``, with second derivatives; the coordinates q
        are in m.
    damping_ratio : float or (n,) array_like
        Share of critical damping of each mode of the beam whose frame is held.
    rho_I : float or callable
        Inertia of turning cross-sections per length, kg m; 0: a slender beam.
    start : float
        x of the first end, m.
    breaks : array_like
        x at which a property jumps.
    modes : int, optional
        So many combinations of `functions` are kept: the lowest modes of the beam whose frame is
        held, each 1 where it is largest.

    Raises
    ------
    ValueError
        For numbers that no beam has, and functions that are not independent.
    """

    length: float
    EI: Along
    mass_per_length: Along
    functions: Family | ShapeFunctions
    damping_ratio: float | Sequence[float] = 0.0
    rho_I: Along = 0.0
    start: float = 0.0
    breaks: ArrayLike = ()
    modes: int | None = None

    unit: ClassVar[str] = "m"
    axis: ClassVar[int] = 0
    smoothness: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self._prepare(self.functions, self.breaks)
        w, slope = self._shapes(self._xi)
        curvature = self._functions.at("curvature", self._xi) / self.length**2
        M = (w * self._along("mass_per_length")) @ w.T  # (14.44)
        M += (slope * self._along("rho_I")) @ slope.T
        K = (curvature * self._along("EI")) @ curvature.T  # (14.47)
        self._set_matrices(M, K, self.damping_ratio, self.modes)

    def _shapes(self, xi: ArrayLike) -> tuple[Array, Array]:
        return self._functions.at("value", xi), self._functions.at("slope", xi) / self.length

    def _motion(self, x: float) -> tuple[Array, Array]:
        w, slope = self._shapes([(x - self.start) / self.length])
        displacement = np.zeros((3, self.count))
        displacement[1] = w[:, 0]
        return displacement, slope[:, 0]

    def _core(self) -> _multibody.Elastic:
        n = self.count
        w, slope = self._shapes(self._xi)
        dm, dJ = self._along("mass_per_length"), self._along("rho_I")
        displacement, turn = np.zeros((3, n)), np.zeros((3, n))
        displacement[1] = w @ dm
        turn[2] = slope @ dJ
        first, second = np.zeros((3 * n, 3)), np.zeros((3 * n, 3 * n))
        first[1::3, 0] = w @ (dm * self._x)
        second[1::3, 1::3] = (w * dm) @ w.T
        turning = (slope * dJ) @ slope.T
        return _multibody.Elastic(
            displacement,
            first,
            second,
            turn,
            turning,
            self.stiffness_matrix,
            self.damping_matrix,
        )

    def _rigid(self) -> RigidPart:
        dm, x = self._along("mass_per_length"), self._x
        mass, J = float(dm.sum()), float(self._along("rho_I").sum())
        center = float(dm @ x) / mass if mass else 0.0
        across = float(dm @ (x - center) ** 2)
        inertia = np.diag([J, across, across + J])
        return RigidPart(mass, np.array([center, 0.0, 0.0]), inertia)
