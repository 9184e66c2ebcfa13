"""Chains of inertias with springs and dampers between neighbours: drive trains, shafts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_column

__all__ = ["Chain"]

Vector = NDArray[np.float64]

_SAME_RATIO = 1e-9  # relative: dampings that are this close to β c count as proportional


@dataclass(frozen=True, eq=False)
class Chain:
    """Inertias in a row, (13.8); springs c_i and dampers d_i join each to the next.

    Free at both ends. Of rotation or of translation: units are those of the reader.

    Raises
    ------
    ValueError
        For inertias that are not positive, springs or dampers below zero or not one fewer.
    """

    I: Vector
    """(n,) inertias, kg m²."""
    c: Vector
    """(n - 1,) stiffnesses, N m/rad."""
    d: Vector
    """(n - 1,) dampings, N m s/rad."""

    def __post_init__(self) -> None:
        inertias = as_column("I", self.I)
        if not (inertias.size > 0 and np.isfinite(inertias).all() and (inertias > 0.0).all()):
            raise ValueError(f"I: expected numbers > 0, got {inertias.tolist()}")
        object.__setattr__(self, "I", inertias)
        for name in ("c", "d"):
            values = as_array(name, getattr(self, name), (inertias.size - 1,))
            if not (values >= 0.0).all():
                raise ValueError(f"{name}: expected numbers >= 0, got {values.tolist()}")
            object.__setattr__(self, name, values)

    @classmethod
    def damped(cls, I: ArrayLike, c: ArrayLike, beta: float) -> Chain:
        """With dampings proportional to the stiffnesses, d = beta c, beta in s."""
        stiffnesses = as_column("c", c)
        return cls(as_column("I", I), stiffnesses, beta * stiffnesses)

    def __len__(self) -> int:
        return self.I.size

    def matrices(self) -> tuple[Vector, Vector, Vector]:
        """M, D and K of (13.13), each (n, n)."""
        return np.diag(self.I), _coupling(self.d), _coupling(self.c)

    def modes(self) -> tuple[Vector, Vector]:
        """Squares of the angular frequencies of the undamped chain, and its modes.

        Returns
        -------
        (n,) array
            ω², increasing, rad²/s²; the first is 0 to the bit if no spring is missing.
        (n, n) array
            Modes as columns, VᵀMV = 1.
        """
        M, _, K = self.matrices()
        root = 1.0 / np.sqrt(np.diag(M))
        squares, vectors = np.linalg.eigh(K * np.outer(root, root))
        modes = root[:, None] * vectors
        if (self.c > 0.0).all():  # it turns as one body
            squares[0] = 0.0
            modes[:, 0] = 1.0 / np.sqrt(np.trace(M))
        return np.maximum(squares, 0.0), modes

    def frequencies(self) -> Vector:
        """(n,) frequencies of the undamped chain, Hz, increasing."""
        squares, _ = self.modes()
        return np.asarray(np.sqrt(squares) / (2.0 * np.pi))

    def behind(self, ratio: float) -> Chain:
        """The chain as it is felt on a shaft that turns `ratio` times as fast: all over ratio²."""
        if not ratio != 0.0 or not np.isfinite(ratio):
            raise ValueError(f"ratio: expected a finite number other than 0, got {ratio!r}")
        return Chain(*(part / ratio**2 for part in (self.I, self.c, self.d)))

    def then(self, c: float, other: Chain, d: float = 0.0) -> Chain:
        """This chain, a spring and a damper, and the other one."""
        return Chain(
            np.concatenate([self.I, other.I]),
            np.concatenate([self.c, [c], other.c]),
            np.concatenate([self.d, [d], other.d]),
        )

    def with_inertia(self, place: int, more: float) -> Chain:
        """With `more` added to the inertia at that place."""
        inertias = self.I.copy()
        inertias[place] += more
        return Chain(inertias, self.c, self.d)

    def reduced(self, masses: int) -> Chain:
        """The chain of fewer masses with the lowest frequencies of this one.

        Modal reduction that ends in a chain again: the lowest modes are kept with their part in
        the receptance of the first mass, Σ V_1k²/(ω_k² - Ω²), and the chain with this receptance,
        which is unique, is found by Lanczos' recursion from the first mass. Frequencies are kept
        exactly, the sum of the inertias and, with dampings proportional to stiffnesses, the
        damping of every mode kept as well.

        Parameters
        ----------
        masses : int
            From 1 to the present number.

        Raises
        ------
        ValueError
            For another number, a chain in pieces, or dampings that are not β c with one β.
        """
        if not 1 <= masses <= len(self):
            raise ValueError(f"masses: expected a number from 1 to {len(self)}, got {masses!r}")
        if masses == len(self):
            return self
        beta = self._proportion()
        if not (self.c > 0.0).all():
            raise ValueError(f"c: expected numbers > 0 for a reduction, got {self.c.tolist()}")
        squares, modes = self.modes()
        inertias, stiffnesses = _chain_of(squares[:masses], modes[0, :masses])
        return Chain.damped(inertias, stiffnesses, beta)

    def _proportion(self) -> float:
        """β of d = β c."""
        c, d = self.c, self.d
        beta = float(d.sum() / c.sum()) if c.sum() > 0.0 else 0.0
        if np.abs(d - beta * c).max(initial=0.0) > _SAME_RATIO * np.abs(d).max(initial=0.0):
            raise ValueError(
                f"d: expected dampings proportional to stiffnesses for a reduction, got "
                f"{d.tolist()} beside {c.tolist()}"
            )
        return beta


def _coupling(c: Vector) -> Vector:
    """(n, n) matrix of springs or dampers between neighbours."""
    ends = np.concatenate([[0.0], c, [0.0]])
    return np.diag(ends[:-1] + ends[1:]) - np.diag(c, 1) - np.diag(c, -1)


def _chain_of(squares: Vector, weights: Vector) -> tuple[Vector, Vector]:
    """Inertias and stiffnesses of the free chain with these ω² and modes at its first mass.

    The modes at the masses are rows; M^(-1/2) K M^(-1/2) is the Jacobi matrix of the inverse
    eigenvalue problem (de Boor and Golub 1978), and the mode of rest, with ω = 0, has the masses.
    """
    basis = [weights / np.linalg.norm(weights)]
    off_diagonal: list[float] = []
    for _ in squares[1:]:
        rest = squares * basis[-1]
        for _ in range(2):  # once leaves what rounding makes of the subtraction
            for known in basis:
                rest = rest - known * (known @ rest)
        off_diagonal.append(float(np.linalg.norm(rest)))
        basis.append(rest / off_diagonal[-1])
    inertias = np.array([vector[0] ** 2 for vector in basis]) / weights[0] ** 2
    return inertias, np.array(off_diagonal) * np.sqrt(inertias[:-1] * inertias[1:])
