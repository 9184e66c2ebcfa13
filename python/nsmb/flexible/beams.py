"""Beams in the plane and in space, with elements that are exact for forces at their ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, left_out, positive
from nsmb.flexible.finite_elements import DIRECTIONS, FiniteElements
from nsmb.flexible.mass_points import MassPoints

__all__ = ["beam"]

Array = NDArray[np.float64]
_POINTS = 4  # Gauss points, exact to degree 7; squares of cubics have degree 6


@dataclass(frozen=True, eq=False)
class _Section:
    EA: float
    GI_t: float
    EI: tuple[float, float]
    """Bending stiffness about e_y and e_z, in N m²."""
    shear: tuple[float, float]
    """Shear stiffness κGA along e_z and e_y, in N; infinite without shear deformation."""
    mass: float
    """Mass per length, in kg/m."""
    inertia: Array
    """Rotary inertia per length about the axes of the element, shape (3,), in kg m."""


def beam(
    nodes: ArrayLike,
    *,
    E: float,
    density: float,
    area: float,
    I_z: float,
    I_y: float | None = None,
    I_t: float | None = None,
    G: float | None = None,
    shear_factor: float | None = None,
    up: ArrayLike | None = None,
    elements: ArrayLike | None = None,
    places: Mapping[str, Any] | None = None,
) -> FiniteElements:
    """Return straight beams between nodes, with one cross-section.

    Parameters
    ----------
    nodes : (n, 2) or (n, 3) array_like
        Positions in m; (n, 2): in the plane, where nodes translate and rotate about e_z.
    E, density : float
        Young's modulus in Pa, and density in kg/m³.
    area : float
        Cross-sectional area in m².
    I_z, I_y : float
        Second moments of area in m⁴: I_z for bending in the plane of e_x and e_y of the element,
        I_y for bending in that of e_x and e_z. In space, both are required.
    I_t : float, optional
        Torsion constant in m⁴; only in space.
    G : float, optional
        Shear modulus in Pa; in space, and with `shear_factor`.
    shear_factor : float, optional
        Shear coefficient κ of a Timoshenko beam, such as 5/6 for a rectangle. Without it, the beam
        is an Euler-Bernoulli beam.
    up : array_like (3,), optional
        In space, a direction to which e_z of a cross-section is as close as the beam allows.
        Default: e_z.
    elements : (m, 2) array_like of int, optional
        Ends of the elements; default: from each node to the next.
    places : mapping, optional
        As for :class:`FiniteElements`.

    Raises
    ------
    ValueError
        If a number is out of range, the ends of an element coincide, or `up` is parallel to a beam.
    """
    from scipy import sparse

    is_planar = np.ndim(nodes) == 2 and np.shape(nodes)[1] == 2
    shape = np.shape(nodes)
    if len(shape) != 2 or shape[1] not in (2, 3) or shape[0] < 2:
        raise ValueError(f"nodes: expected shape (n, 2) or (n, 3), n >= 2, got {shape}")
    x = np.zeros((shape[0], 3))
    x[:, : shape[1]] = as_array("nodes", nodes, (shape[0], shape[1]))
    ends = _ends(elements, len(x))
    section = _section(is_planar, E, density, area, I_z, I_y, I_t, G, shear_factor)
    if is_planar:
        left_out("up", up, "for a beam in the plane", "Give nodes of shape (n, 3).")
    axis = as_array("up", (0, 0, 1) if up is None else up, (3,))
    N, m = 6 * len(x), len(ends)
    g = m * _POINTS
    K = sparse.lil_array((N, N))
    P, Q = sparse.lil_array((3 * g, N)), sparse.lil_array((3 * g, N))
    slopes, stretch, tension = sparse.lil_array((2 * g, N)), sparse.lil_array((g, N)), np.zeros(g)
    places_of_mass, dm, dJ = np.zeros((g, 3)), np.zeros(g), np.zeros((g, 3, 3))
    xi, weights = np.polynomial.legendre.leggauss(_POINTS)
    xi, weights = 0.5 * (xi + 1.0), 0.5 * weights
    for k, (a, b) in enumerate(ends.tolist()):
        A, L = _element_axes(k, x[a], x[b], axis)
        turn = np.kron(np.eye(4), A.T)
        unknowns = np.concatenate([6 * a + np.arange(6), 6 * b + np.arange(6)])
        K[np.ix_(unknowns, unknowns)] += turn.T @ _stiffness(section, L) @ turn
        for j, (s, w) in enumerate(zip(xi, weights, strict=True)):
            row = k * _POINTS + j
            moves, turns = _interpolation(section, L, s)
            rows = np.arange(3 * row, 3 * row + 3)
            P[np.ix_(rows, unknowns)] = A @ moves @ turn
            Q[np.ix_(rows, unknowns)] = A @ turns @ turn
            slopes[np.ix_(2 * row + np.arange(2), unknowns)] = _slopes(section, L, s) @ turn
            stretch[row, unknowns] = np.eye(12)[6] @ turn / L - np.eye(12)[0] @ turn / L
            tension[row] = w * L * section.EA
            places_of_mass[row] = (1.0 - s) * x[a] + s * x[b]
            dm[row] = w * L * section.mass
            dJ[row] = w * L * (A * section.inertia) @ A.T
    kept = np.array([0, 1, 5]) if is_planar else np.arange(6)
    columns = (6 * np.arange(len(x))[:, None] + kept).ravel()
    P, Q, K, slopes, stretch = (
        matrix.tocsc()[:, columns].tocsr() for matrix in (P, Q, K, slopes, stretch)
    )
    K = K[columns]
    J = sparse.bsr_array((dJ, np.arange(g), np.arange(g + 1)))
    M = P.T @ sparse.diags_array(np.repeat(dm, 3)) @ P + Q.T @ J @ Q
    points = MassPoints(places_of_mass, P, sparse.diags_array(dm, format="csr"), Q, dJ)
    return FiniteElements(
        x[:, :2] if is_planar else x,
        M,
        K,
        directions=[DIRECTIONS[k] for k in kept],
        places=places,
        paths=[(pair, False) for pair in ends.tolist()],
        second_order=_Shortening(slopes, stretch, tension),
        points=points,
    )


@dataclass(frozen=True, eq=False)
class _Shortening:
    """The forces of the strain v'² + w'² that bending adds along a beam."""

    slopes: Any
    """Sparse matrix of v' and w' at Gauss points, shape (2 g, N)."""
    stretch: Any
    """Sparse matrix of u' at Gauss points, shape (g, N)."""
    tension: Array
    """Product of EA and the length at each point, shape (g,), in N m."""

    def __call__(self, u: Array, v: Array) -> Array:
        strain = np.asarray(self.slopes @ u) * np.asarray(self.slopes @ v)
        strain = strain[0::2] + strain[1::2]
        return np.asarray(self.stretch.T @ (self.tension[:, None] * strain))


def _ends(elements: ArrayLike | None, count: int) -> NDArray[np.int64]:
    if elements is None:
        return np.column_stack([np.arange(count - 1), np.arange(1, count)])
    rows = np.asarray(elements)
    if rows.dtype.kind not in "iu" or rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise ValueError(f"elements: expected pairs of nodes (m, 2), got shape {rows.shape}")
    if rows.min() < 0 or rows.max() >= count:
        raise ValueError(f"elements: expected nodes 0 ... {count - 1}, got {rows.max()}")
    missing = np.setdiff1d(np.arange(count), rows)
    if missing.size:
        raise ValueError(
            f"nodes: must belong to elements, got node {missing[0]} without an element"
        )
    return rows.astype(np.int64)


def _section(
    is_planar: bool,
    E: float,
    density: float,
    area: float,
    I_z: float,
    I_y: float | None,
    I_t: float | None,
    G: float | None,
    shear_factor: float | None,
) -> _Section:
    E, rho, A = positive("E", E), positive("density", density), positive("area", area)
    I_z = positive("I_z", I_z)
    if shear_factor is None and is_planar:
        left_out("G", G, "without shear_factor", "Give shear_factor, such as 5/6, too.")
    if is_planar:
        for name, value in (("I_y", I_y), ("I_t", I_t)):
            left_out(name, value, "for a beam in the plane", "Give nodes of shape (n, 3).")
        I_y, GI_t = 0.0, 0.0
    else:
        for name, value in (("I_y", I_y), ("I_t", I_t), ("G", G)):
            if value is None:
                raise ValueError(f"{name}: expected a number for a beam in space, got none")
        I_y, GI_t = positive("I_y", I_y), positive("G", G) * positive("I_t", I_t)
    stiff = np.inf
    if shear_factor is not None:
        if G is None:
            raise ValueError("G: expected a number with shear_factor, got none")
        stiff = positive("shear_factor", shear_factor) * positive("G", G) * A
    inertia = rho * np.array([I_y + I_z, I_y, I_z])
    return _Section(E * A, GI_t, (E * I_y, E * I_z), (stiff, stiff), rho * A, inertia)


def _element_axes(k: int, a: Array, b: Array, up: Array) -> tuple[Array, float]:
    L = float(np.linalg.norm(b - a))
    if not L > 0.0:
        raise ValueError(
            f"nodes: must give elements with separate ends, got both ends of element {k} at "
            f"{a.tolist()}"
        )
    e_x = (b - a) / L
    e_y = np.cross(up, e_x)
    if not np.linalg.norm(e_y) > 1e-6 * np.linalg.norm(up):
        raise ValueError(f"up: must not be parallel to element {k}, got {up.tolist()}")
    e_y /= np.linalg.norm(e_y)
    return np.column_stack([e_x, e_y, np.cross(e_x, e_y)]), L


def _bending(EI: float, shear: float, L: float) -> tuple[float, Array]:
    """Return the shear parameter φ, and the stiffness for (w_1, w_1', w_2, w_2')."""
    phi = 12.0 * EI / (shear * L**2)
    K = np.array(
        [
            [12.0, 6.0 * L, -12.0, 6.0 * L],
            [6.0 * L, (4.0 + phi) * L**2, -6.0 * L, (2.0 - phi) * L**2],
            [-12.0, -6.0 * L, 12.0, -6.0 * L],
            [6.0 * L, (2.0 - phi) * L**2, -6.0 * L, (4.0 + phi) * L**2],
        ]
    )
    return phi, K * EI / (L**3 * (1.0 + phi))


_IN_XY = (np.array([1, 5, 7, 11]), np.array([1.0, 1.0, 1.0, 1.0]))
_IN_XZ = (np.array([2, 4, 8, 10]), np.array([1.0, -1.0, 1.0, -1.0]))  # w' = -rotation about e_y


def _stiffness(section: _Section, L: float) -> Array:
    K = np.zeros((12, 12))
    for at, stiff in ((0, section.EA), (3, section.GI_t)):
        K[np.ix_([at, at + 6], [at, at + 6])] += stiff / L * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for (places, signs), EI, shear in (
        (_IN_XY, section.EI[1], section.shear[1]),
        (_IN_XZ, section.EI[0], section.shear[0]),
    ):
        K[np.ix_(places, places)] += np.outer(signs, signs) * _bending(EI, shear, L)[1]
    return K


def _interpolation(section: _Section, L: float, s: float) -> tuple[Array, Array]:
    """Return displacement and rotation (3, 12) at the relative position s along the length."""
    moves, turns = np.zeros((3, 12)), np.zeros((3, 12))
    moves[0, [0, 6]] = turns[0, [3, 9]] = 1.0 - s, s
    for (places, signs), EI, shear, across, about in (
        (_IN_XY, section.EI[1], section.shear[1], 1, 2),
        (_IN_XZ, section.EI[0], section.shear[0], 2, 1),
    ):
        phi = 12.0 * EI / (shear * L**2)
        w = [
            1.0 - 3.0 * s**2 + 2.0 * s**3 + phi * (1.0 - s),
            L * (s - 2.0 * s**2 + s**3 + 0.5 * phi * (s - s**2)),
            3.0 * s**2 - 2.0 * s**3 + phi * s,
            L * (-(s**2) + s**3 - 0.5 * phi * (s - s**2)),
        ]
        slope = [
            6.0 * (s**2 - s) / L,
            1.0 - 4.0 * s + 3.0 * s**2 + phi * (1.0 - s),
            6.0 * (s - s**2) / L,
            3.0 * s**2 - 2.0 * s + phi * s,
        ]
        moves[across, places] = signs * np.array(w) / (1.0 + phi)
        turns[about, places] = signs[1] * signs * np.array(slope) / (1.0 + phi)
    return moves, turns


def _slopes(section: _Section, L: float, s: float) -> Array:
    """Return v' and w' (2, 12) at the relative position s, from rotation and shear."""
    slopes = np.zeros((2, 12))
    for row, ((places, signs), EI, shear) in enumerate(
        (
            (_IN_XY, section.EI[1], section.shear[1]),
            (_IN_XZ, section.EI[0], section.shear[0]),
        )
    ):
        phi = 12.0 * EI / (shear * L**2)
        slope = [
            (6.0 * (s**2 - s) - phi) / L,
            1.0 - 4.0 * s + 3.0 * s**2 + phi * (0.5 - s),
            (6.0 * (s - s**2) + phi) / L,
            3.0 * s**2 - 2.0 * s - phi * (0.5 - s),
        ]
        slopes[row, places] = signs * np.array(slope) / (1.0 + phi)
    return slopes
