"""Reduction of many unknowns to few shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import one_of, whole
from nsmb.common.largest import first_of_largest
from nsmb.flexible.body_frames import BodyFrame, MeanAxes, in_frame
from nsmb.flexible.eigen import StaticSolver, free_modes, held_modes, pseudo_inverse
from nsmb.flexible.finite_elements import FiniteElements
from nsmb.flexible.flexible_body import FlexibleBody

__all__ = ["reduce", "shape_basis", "unreduced"]

Array = NDArray[np.float64]
Places = Sequence[int | str]
METHODS = ("free-free", "clamped", "craig-bampton", "attachment")
_INDEPENDENT = 1e-9  # for shapes of mass 1, the least remainder of one without the others
_STILL = 1e-6  # relative to the mean displacement; a smaller one is rounding of a pure rotation
_HOLDS = 1e-8  # relative to the largest singular value of rigid motions at held nodes


def reduce(
    elements: FiniteElements,
    modes: int = 10,
    *,
    method: str = "free-free",
    interface: Places = (),
    frame: BodyFrame = MeanAxes(),  # noqa: B008 - immutable
    damping_ratio: float | Sequence[float] = 0.0,
    rayleigh: tuple[float, float] = (0.0, 0.0),
    stiffening: bool = False,
) -> FlexibleBody:
    """Return a body that deforms by few shapes.

    The coordinates are those of the modes of the reduced body with its frame held, so that all its
    matrices are diagonal. Each is 1 m where its displacement is largest. A mode that only rotates
    the nodes, such as torsion of a straight beam, is 1 rad where the rotation is largest.

    Parameters
    ----------
    elements : FiniteElements
    modes : int
        Number of eigenmodes in addition to the shapes of `interface`; may be 0 with an interface.
    method : str
        ``"free-free"``: modes of the free body. ``"clamped"``: modes of the body held at
        `interface`, where it will be joined. ``"craig-bampton"``: the clamped modes, and the static
        shape of each unknown of the nodes of `interface`, which keep all their degrees of freedom.
        ``"attachment"``: free modes, and the remainder of the static response to unit forces at
        each place of `interface`, where a group is one place.
    interface : sequence of int or str
        Nodes and groups at which joints, forces and contacts will be.
    frame : BodyFrame
        A frame of this module. It does not change the motions that are possible, only the part of
        them that counts as deformation.
    damping_ratio, rayleigh, stiffening
        As for :class:`nsmb.flexible.FlexibleBody`.

    Raises
    ------
    ValueError
        If there are more modes than unknowns, the interface is missing or does not hold the body,
        or conditions do not determine the frame.

    Examples
    --------
    >>> import nsmb
    >>> mesh = nsmb.flexible.Mesh.rectangle(1.0, 0.1, 20, 2)
    >>> bar = nsmb.flexible.plane(mesh, E=1e6, nu=0.3, density=1000.0)
    >>> nsmb.flexible.reduce(bar, 4, method="craig-bampton", interface=["left", "right"])
    <13 shapes of 63 nodes, 100 kg>
    """
    Phi = shape_basis(elements, modes, method=method, interface=interface)
    Phi = in_frame(elements, frame, Phi)
    Phi = _independent_modes(elements, Phi)
    return FlexibleBody.from_elements(
        elements,
        Phi,
        frame=frame,
        damping_ratio=damping_ratio,
        rayleigh=rayleigh,
        stiffening=stiffening,
    )


def unreduced(
    elements: FiniteElements,
    frame: BodyFrame,
    *,
    damping_ratio: float | Sequence[float] = 0.0,
    rayleigh: tuple[float, float] = (0.0, 0.0),
    stiffening: bool = False,
) -> FlexibleBody:
    """Return a body whose elastic coordinates are displacements of nodes.

    They are all unknowns in their order, except as many as the frame has conditions.

    Parameters
    ----------
    elements : FiniteElements
    frame : BodyFrame
        With :class:`NodalFrame` and :class:`ThreePoints`, the remaining unknowns are those of the
        nodes themselves. Other frames subtract rigid motion from them.
    damping_ratio, rayleigh, stiffening
        As for :class:`nsmb.flexible.FlexibleBody`.

    Raises
    ------
    ValueError
        As for :func:`reduce`.
    """
    unit = np.eye(elements.unknowns)
    conditions = frame._conditions(elements, unit, *frame._place(elements))
    left = np.setdiff1d(np.arange(elements.unknowns), _pivots(conditions))
    return FlexibleBody.from_elements(
        elements,
        unit[:, left],
        frame=frame,
        damping_ratio=damping_ratio,
        rayleigh=rayleigh,
        stiffening=stiffening,
    )


def shape_basis(
    elements: FiniteElements, modes: int, *, method: str = "free-free", interface: Places = ()
) -> Array:
    """Return the shapes (N, n) of a method of :func:`reduce` without further processing.

    With Craig-Bampton, they include rigid motion.
    """
    one_of("method", method, METHODS)
    interface = [interface] if isinstance(interface, int | str) else list(interface)
    count = whole("modes", modes, 0 if interface else 1)
    if not interface and method != "free-free":
        raise ValueError(f"interface: must be given for method={method!r}, got none")
    if interface and method == "free-free":
        raise ValueError(
            f"interface: must be left out with method='free-free', got {interface!r}. Use "
            "method='attachment' or method='craig-bampton'."
        )
    most = elements.unknowns - elements.rigid_motions.shape[1]
    if count > most:
        raise ValueError(f"modes: must be at most {most}, the number of modes, got {count}")
    groups = [elements.group("interface", place) for place in interface]
    K, M, R = elements.stiffness_matrix, elements.mass_matrix, elements.rigid_motions
    if method in ("free-free", "attachment"):
        V = free_modes(K, M, count, R)
        if method == "free-free":
            return V
        answers = pseudo_inverse(K, M, R)(np.hstack([elements.loads(group) for group in groups]))
        MV = np.asarray(M @ V)
        left = answers - V @ np.linalg.solve(V.T @ MV, MV.T @ answers)
        return np.hstack([V, left / _sizes(left, answers, M)])
    nodes = np.unique(np.concatenate([group.nodes for group in groups]))
    held = elements.unknowns_of(nodes)
    _check_held(R, held, interface)
    free = np.setdiff1d(np.arange(elements.unknowns), held)
    if count > len(free):
        raise ValueError(f"modes: expected at most the {len(free)} free unknowns, got {count}")
    V = held_modes(K, M, free, count, R)
    if method == "clamped":
        return V
    static = np.zeros((elements.unknowns, len(held)))
    static[held] = np.eye(len(held))
    static -= StaticSolver(K, free, R)(np.asarray(K[:, held].toarray()))
    return np.hstack([static, V])


def _sizes(left: Array, answers: Array, M: Any) -> Array:
    """Return the root masses by which remainders of static responses are normalised.

    Remainders can be very small for forces of 1 N. If only rounding remains, the root masses of the
    responses are used.
    """
    size, whole = (np.sqrt(np.einsum("ik,ik->k", X, np.asarray(M @ X))) for X in (left, answers))
    whole = np.maximum(whole, np.finfo(float).tiny)
    return np.asarray(np.where(size > _INDEPENDENT * whole, size, whole))


def _check_held(R: Array, held: NDArray[np.int64], interface: Places) -> None:
    size = np.linalg.svd(R / np.abs(R).max(axis=0), compute_uv=False)
    left = np.linalg.svd((R / np.abs(R).max(axis=0))[held], compute_uv=False)
    if len(left) < len(size) or left[-1] <= _HOLDS * left[0]:
        raise ValueError(
            f"interface: must be nodes that hold the body, got {list(interface)!r}, which leave "
            "rigid motions. Add nodes, or use method='attachment'."
        )


def _pivots(conditions: Array) -> NDArray[np.int64]:
    """Return one unknown for each condition, by pivoting."""
    rest, chosen = conditions.copy(), []
    for _ in range(len(conditions)):
        row, column = np.unravel_index(np.argmax(np.abs(rest)), rest.shape)
        chosen.append(int(column))
        pivot = rest[row].copy()
        rest = rest - np.outer(rest[:, column], pivot) / pivot[column]
        rest[row] = 0.0
    return np.array(chosen, dtype=np.int64)


def _independent_modes(elements: FiniteElements, Phi: Array) -> Array:
    """Return the modes spanned by the independent shapes, scaled to a largest value of 1."""
    M = Phi.T @ (elements.mass_matrix @ Phi)
    scale = np.sqrt(np.diag(M))
    kept = scale > _INDEPENDENT * scale.max()
    Phi = Phi[:, kept] / scale[kept]
    squares, V = np.linalg.eigh(Phi.T @ (elements.mass_matrix @ Phi))
    good = squares > _INDEPENDENT * squares[-1]
    Phi = Phi @ (V[:, good] / np.sqrt(squares[good]))
    _, V = np.linalg.eigh(Phi.T @ (elements.stiffness_matrix @ Phi))
    Phi = Phi @ V
    sizes = _largest(elements.displacements(Phi))
    # For shapes of mass 1, the mean displacement is 1 / sqrt(m).
    still = np.abs(sizes) * np.sqrt(elements.mass) <= _STILL
    turns = elements.turns(Phi) if still.any() else None
    if turns is not None:
        sizes = np.where(still, _largest(turns), sizes)
    return np.asarray(Phi / sizes)


def _largest(moves: Array) -> Array:
    """Return the longest of moves (n, 3, k), with the sign of its largest component, (k,).

    If several nodes move equally far, as the corners of a symmetric body, the first one gives the
    sign.
    """
    lengths = np.linalg.norm(moves, axis=1)
    first, columns = first_of_largest(lengths), np.arange(moves.shape[2])
    there = moves[first, :, columns].T
    signs = np.sign(there[first_of_largest(np.abs(there)), columns])
    return np.asarray(signs * lengths.max(axis=0))
