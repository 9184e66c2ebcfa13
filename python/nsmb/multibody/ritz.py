"""Elastic bodies by the Ritz method: torsion of shafts (11.13)-(11.16), bending of beams.

Equations of beams are (14.34)-(14.47).

Bodies are made by :meth:`nsmb.Model.add_elastic_body`. All positions of joints, contours, force
elements and markers refer to the undeformed body. Attached parts move with their cross-section.
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
_STILL = 1e-14  # of the largest value of the functions: zero up to rounding


class Elastic(Deformable):
    """A slender elastic body with functions along one axis of its frame.

    Attributes
    ----------
    count : int
        Number n of elastic coordinates.
    mass_matrix, stiffness_matrix, damping_matrix : (n, n) arrays
        Matrices M_el and K_el of (11.16), (14.44), (14.47), and the damping matrix.
    frequencies : (n,) array
        Eigenfrequencies of the body with fixed frame, rad/s, increasing.
    """

    axis: ClassVar[int]
    """Axis of the body frame along the body: 0, 1, 2 for e_x, e_y, e_z."""
    smoothness: ClassVar[int]
    start: float
    length: float
    _functions: ShapeFunctions

    def place(self, x: float) -> Array:
        """Return the point (3,) of the axis at the coordinate x in the body frame, m."""
        end = self.start + self.length
        if not self.start <= x <= end:
            raise ValueError(f"at: expected a place from {self.start:g} to {end:g} m, got {x:g}")
        point = np.zeros(3)
        point[self.axis] = x
        return point

    def section(self, r: Array) -> tuple[Array, _multibody.ElasticNode | None]:
        """Return origin and motion of the cross-section with a point of the undeformed body.

        The motion is None for a section at rest. Points beyond an end are fixed to that end.
        """
        x = float(np.clip(r[self.axis], self.start, self.start + self.length))
        displacement, turn = self._motion(x)
        size = 1.0 + np.abs(self._functions.at("value", np.linspace(0.0, 1.0, 21))).max()
        if max(np.abs(displacement).max(), np.abs(turn).max() * self.length) <= _STILL * size:
            return np.zeros(3), None
        turns = np.outer(np.eye(3)[2], turn)
        return self.place(x), _multibody.ElasticNode(displacement, turns)

    def moves(self, r: Array) -> Array:
        """Return displacement above rotation of a point, (6, n), for unit elastic coordinates."""
        displacement, turn = self._motion(
            float(np.clip(r[self.axis], self.start, self.start + self.length))
        )
        arm = r.copy()
        arm[self.axis] = 0.0
        turns = np.outer(np.eye(3)[2], turn)
        return np.vstack([displacement + np.cross(turns.T, arm).T, turns])

    def _frame_at(self, argument: str, at: Any) -> Any:
        """Return a position, where a number is the coordinate along the body."""
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
        """Return displacement Φ (3, n) and rotation ψ (n,) about e_z of the section at x."""

    def _prepare(self, functions: Family | ShapeFunctions, breaks: ArrayLike) -> None:
        """Check the common arguments, and make functions and quadrature."""
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
        """Return a property of the cross-section times the weights of the quadrature."""
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
        """Make eigenvectors V (n, m) the functions, each with maximum 1.

        Return their coefficients (m, n) in the given functions.
        """
        shapes = V.T @ self._functions.at("value", np.linspace(0.0, 1.0, 401))
        largest = first_of_largest(np.abs(shapes), axis=1)
        T: Array = V.T / shapes[np.arange(len(shapes)), largest][:, None]
        object.__setattr__(self, "_functions", mixed(self._functions, T))
        return T

    def _set_matrices(
        self, M: Array, K: Array, damping_ratio: float | Sequence[float], modes: int | None
    ) -> None:
        """Set M_el, K_el, and D with a fraction of critical damping in each mode at fixed frame."""
        n = len(M)
        largest = np.abs(M).max(initial=0.0)
        if not largest > 0.0 or np.linalg.eigvalsh(M)[0] <= 1e-12 * largest:
            raise ValueError(
                "functions: must be independent of one another and move mass, got a mass matrix "
                f"with eigenvalues {np.linalg.eigvalsh(M).tolist()}"
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
            M, K = np.diag(np.diag(M)), np.diag(np.diag(K))  # except for rounding
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
    """A shaft along e_z of the body frame in torsion: φ(z, t) = w(z)ᵀq, (11.4), (11.13)-(11.16).

    Cross-sections rotate about e_z by φ, of any size. With `mass_per_length`, the shaft has mass,
    and inertia about the other axes, as thin round discs.

    Parameters
    ----------
    length : float
        Length, m.
    GI_p : float or callable z (m,) -> (m,)
        Torsional stiffness, N m².
    rho_I_p : float or callable
        Moment of inertia per length, kg m.
    functions : Family or ShapeFunctions
        Functions w, such as ``nsmb.flexible.sines(2, "fixed-free")``. The coordinates q are in rad.
    damping_ratio : float or (n,) array_like
        Fraction of critical damping of each mode of the shaft with fixed frame.
    mass_per_length : float or callable
        Mass per length, kg/m.
    start : float
        z of the first end, m.
    breaks : array_like
        Positions z at which a property jumps.
    modes : int, optional
        Number of modes that replace `functions`: the lowest modes of the shaft with fixed frame,
        each with maximum 1.

    Raises
    ------
    ValueError
        If no shaft can have these numbers, or functions are linearly dependent.
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
        self._along("mass_per_length")  # rejected here, not when a model uses it
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
    """A beam along e_x of the body frame that bends in the x-y plane, (14.34)-(14.47).

    Points of its axis are displaced along e_y by w(x)ᵀq, and cross-sections rotate about e_z by
    w'(x)ᵀq.

    Deformations are small. Inertia is that of the displaced axis, of any size. Stiffening and
    buckling by axial forces are neglected, and so is shear.

    Parameters
    ----------
    length : float
        Length, m.
    EI : float or callable x (m,) -> (m,)
        Bending stiffness, N m².
    mass_per_length : float or callable
        Mass per length, kg/m.
    functions : Family or ShapeFunctions
        Functions w with second derivatives, such as ``nsmb.flexible.splines(4, "fixed-free")``. The
        coordinates q are in m.
    damping_ratio : float or (n,) array_like
        Fraction of critical damping of each mode of the beam with fixed frame.
    rho_I : float or callable
        Rotary inertia of cross-sections per length, kg m; 0 for a slender beam.
    start : float
        x of the first end, m.
    breaks : array_like
        Positions x at which a property jumps.
    modes : int, optional
        Number of modes that replace `functions`: the lowest modes of the beam with fixed frame,
        each with maximum 1.

    Raises
    ------
    ValueError
        If no beam can have these numbers, or functions are linearly dependent.
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
