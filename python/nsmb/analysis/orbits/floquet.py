"""Floquet multipliers: eigenvalues of the monodromy matrix, with the trivial ones separated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Multipliers", "multipliers"]

Vector = NDArray[np.float64]
Complexes = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Multipliers:
    """The eigenvalues of a monodromy matrix."""

    values: Complexes
    """Eigenvalues by decreasing modulus, shape (n,)."""
    kinds: tuple[str, ...]
    """Kinds of the eigenvalues: ``""``, ``"time"``, ``"shift: y"`` or ``"constraint"``."""
    block: Vector
    """Matrix without the trivial directions, shape (r, r)."""
    basis: Vector
    """Directions of the block, shape (n, r), in units of the scale."""

    @property
    def nontrivial(self) -> Complexes:
        """The multipliers that determine stability."""
        return self.values[[kind == "" for kind in self.kinds]]


def multipliers(
    M: Vector,
    basis: Vector,
    scale: Vector,
    *,
    rate: Vector | None,
    invariant: Sequence[int],
    names: Sequence[str],
) -> Multipliers:
    """Return the multipliers of a closed motion.

    A disturbance persists along coordinates on which the motion does not depend, and for autonomous
    systems along the motion itself. These directions are divided out. The other multipliers are
    then exact even if one of them is 1 too.

    Parameters
    ----------
    M : (n, n) ndarray
        Monodromy matrix.
    basis : (n, r) ndarray
        Orthonormal directions of y / scale that satisfy the constraints, without `invariant`.
    scale : (n,) ndarray
    rate : (n,) ndarray, optional
        ẏ at the start, for autonomous systems.
    invariant : sequence of int
        Coordinates on which the motion does not depend.
    names : sequence of str
        Names of the components of y.
    """
    reduced = basis.T @ (M * scale / scale[:, None]) @ basis
    values: list[complex] = [complex(M[i, i]) for i in invariant]
    kinds = [f"shift: {names[i]}" for i in invariant]
    rest = np.eye(basis.shape[1])
    if rate is not None:
        along = basis.T @ (rate / scale)
        size = np.linalg.norm(along)
        if not size > 0.0:
            raise ValueError("rate: expected a motion, got a state of rest; use equilibrium()")
        along /= size
        values.append(complex(along @ reduced @ along))
        kinds.append("time")
        rest = np.linalg.qr(np.column_stack([along, rest]))[0][:, 1:]
    block = rest.T @ reduced @ rest
    values += np.linalg.eigvals(block).astype(complex).tolist()
    kinds += [""] * len(block)
    missing = scale.size - len(values)
    values += [0j] * missing
    kinds += ["constraint"] * missing
    # Conjugates are adjacent, and trivial multipliers follow others of the same modulus.
    order = sorted(
        range(len(values)),
        key=lambda i: (-round(abs(values[i]), 12), bool(kinds[i]), -values[i].imag),
    )
    return Multipliers(
        np.array([values[i] for i in order], dtype=np.complex128),
        tuple(kinds[i] for i in order),
        block,
        basis @ rest,
    )
