"""Floquet multipliers: eigenvalues of the monodromy matrix, the trivial ones set apart."""

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
    """Eigenvalues of a monodromy matrix."""

    values: Complexes
    """(n,) by falling modulus."""
    kinds: tuple[str, ...]
    """``""``, ``"time"``, ``"shift: y"`` or ``"constraint"``."""
    block: Vector
    """(r, r) what is left of the matrix without the trivial directions."""
    basis: Vector
    """(n, r) its directions, in units of the scale."""

    @property
    def nontrivial(self) -> Complexes:
        """The multipliers that decide on stability."""
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
    """Multipliers of a closed motion.

    Along coordinates the motion does not depend on, and for autonomous systems along the motion
    itself, a disturbance stays as it is: these directions are divided out, so that the others are
    exact even where one of them is 1, too.

    Parameters
    ----------
    M : (n, n) ndarray
        Monodromy matrix.
    basis : (n, r) ndarray
        Orthonormal directions of y / scale that the constraints leave, without the `invariant`.
    scale : (n,) ndarray
    rate : (n,) ndarray, optional
        ẏ at the start, for autonomous systems.
    invariant : sequence of int
        Coordinates the motion does not depend on.
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
    # Conjugates next to each other, and the trivial ones behind others of the same modulus.
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
