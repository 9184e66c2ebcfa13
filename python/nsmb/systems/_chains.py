"""Chains of inertias with springs and dampers between neighbours: drive trains, shafts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_column

__all__ = ["Chain"]

Vector = NDArray[np.float64]

_SAME_RATIO = 1e-9  # relative deviation from β c below which damping counts as proportional


@dataclass(frozen=True, eq=False)
class Chain:
    """A chain of inertias, (13.8), in which springs c_i and dampers d_i connect neighbours.

    Both ends are free. The motion is rotation or translation, in any consistent units.

    Raises
    ------
    ValueError
        If inertias are not positive, or if springs or dampers are negative or of the wrong number.
    """

    I: Vector
    """Inertias, shape (n,), kg m²."""
    c: Vector
    """Stiffnesses, shape (n - 1,), N m/rad."""
    d: Vector
    """Damping coefficients, shape (n - 1,), N m s/rad."""

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
        """Return a chain with damping proportional to stiffness, d = beta c, beta in s."""
        stiffnesses = as_column("c", c)
        return cls(as_column("I", I), stiffnesses, beta * stiffnesses)

    def __len__(self) -> int:
        return self.I.size

    def matrices(self) -> tuple[Vector, Vector, Vector]:
        """Return M, D and K of (13.13), each of shape (n, n)."""
        return np.diag(self.I), _coupling(self.d), _coupling(self.c)

    def modes(self) -> tuple[Vector, Vector]:
        """Return the squared angular frequencies of the undamped chain, and its modes.

        Returns
        -------
        (n,) array
            ω², increasing, rad²/s²; the first is exactly 0 if no spring is missing.
        (n, n) array
            Modes as columns, VᵀMV = 1.
        """
        M, _, K = self.matrices()
        root = 1.0 / np.sqrt(np.diag(M))
        squares, vectors = np.linalg.eigh(K * np.outer(root, root))
        modes = root[:, None] * vectors
        if (self.c > 0.0).all():  # rigid-body mode
            squares[0] = 0.0
            modes[:, 0] = 1.0 / np.sqrt(np.trace(M))
        return np.maximum(squares, 0.0), modes

    def frequencies(self) -> Vector:
        """Return the frequencies of the undamped chain, increasing, shape (n,), Hz."""
        squares, _ = self.modes()
        return np.asarray(np.sqrt(squares) / (2.0 * np.pi))

    def behind(self, ratio: float) -> Chain:
        """Return the chain referred to a shaft that rotates `ratio` times as fast.

        All parameters are divided by ratio².
        """
        if not ratio != 0.0 or not np.isfinite(ratio):
            raise ValueError(f"ratio: expected a finite number other than 0, got {ratio!r}")
        return Chain(*(part / ratio**2 for part in (self.I, self.c, self.d)))

    def then(self, c: float, other: Chain, d: float = 0.0) -> Chain:
        """Return this chain connected to another one by a spring and a damper."""
        return Chain(
            np.concatenate([self.I, other.I]),
            np.concatenate([self.c, [c], other.c]),
            np.concatenate([self.d, [d], other.d]),
        )

    def with_inertia(self, place: int, more: float) -> Chain:
        """Return the chain with `more` added to the inertia at index `place`."""
        inertias = self.I.copy()
        inertias[place] += more
        return Chain(inertias, self.c, self.d)

    def reduced(self, masses: int) -> Chain:
        """Return a chain of fewer masses with the lowest frequencies of this one.

        This is a modal reduction whose result is again a chain. It keeps the lowest modes and their
        contribution to the receptance of the first mass, Σ V_1k²/(ω_k² - Ω²). The chain with this
        receptance is unique. It follows from the Lanczos recursion that starts at the first mass.
        The reduction preserves the frequencies exactly, the sum of the inertias, and, for damping
        proportional to stiffness, the damping of every mode that it keeps.

        Parameters
        ----------
        masses : int
            From 1 to the current number.

        Raises
        ------
        ValueError
            If the number is out of range, a spring is missing, or damping is not proportional.
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
        """Return β of d = β c."""
        c, d = self.c, self.d
        beta = float(d.sum() / c.sum()) if c.sum() > 0.0 else 0.0
        if np.abs(d - beta * c).max(initial=0.0) > _SAME_RATIO * np.abs(d).max(initial=0.0):
            raise ValueError(
                f"d: expected dampings proportional to stiffnesses for a reduction, got "
                f"{d.tolist()} beside {c.tolist()}"
            )
        return beta


def _coupling(c: Vector) -> Vector:
    """Return the matrix of springs or dampers between neighbours, shape (n, n)."""
    ends = np.concatenate([[0.0], c, [0.0]])
    return np.diag(ends[:-1] + ends[1:]) - np.diag(c, 1) - np.diag(c, -1)


def _chain_of(squares: Vector, weights: Vector) -> tuple[Vector, Vector]:
    """Return inertias and stiffnesses of the free chain with given ω² and modes at the first mass.

    M^(-1/2) K M^(-1/2) is the Jacobi matrix of the inverse eigenvalue problem (de Boor and Golub
    1978), and the rigid-body mode, with ω = 0, determines the masses.
    """
    basis = [weights / np.linalg.norm(weights)]
    off_diagonal: list[float] = []
    for _ in squares[1:]:
        rest = squares * basis[-1]
        for _ in range(2):  # the second pass removes the rounding errors of the first
            for known in basis:
                rest = rest - known * (known @ rest)
        off_diagonal.append(float(np.linalg.norm(rest)))
        basis.append(rest / off_diagonal[-1])
    inertias = np.array([vector[0] ** 2 for vector in basis]) / weights[0] ** 2
    return inertias, np.array(off_diagonal) * np.sqrt(inertias[:-1] * inertias[1:])
