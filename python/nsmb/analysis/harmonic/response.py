"""One forced response as a Fourier series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.common import records
from nsmb.analysis.harmonic.basis import Basis
from nsmb.common.arguments import as_array, as_column, unknown_name
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.system.base import State, System

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HarmonicResponse"]

Vector = NDArray[np.float64]

MOST = 6
"""Coordinates that are listed."""


@records.made_when_asked("system")
@dataclass(frozen=True, eq=False, repr=False)
class HarmonicResponse(ShownAsTable):
    """A periodic motion of a forced system by harmonic balance: :func:`harmonic_balance`."""

    system: System
    period: float
    """Of the series, s: `periods` times that of the system."""
    periods: int
    harmonics: int
    samples: int
    """At which the laws were evaluated, over the period."""
    t: float
    """Where τ = 0, s."""
    coefficients: Vector
    """(2H + 1, nq): of 1, cos τ, sin τ, ..., cos Hτ, sin Hτ with τ = 2π (t - t_0)/period."""
    state_coefficients: Vector
    """(2H + 1, nx_own) of the internal states."""
    lambda_N: Vector
    """(2H + 1, nc) of the normal forces, N."""
    lambda_T: Vector
    """(2H + 1, nt) of the friction forces, N."""
    lambda_B: Vector
    """(2H + 1, nb) of the bilateral constraints' forces, N."""
    start: State
    """Where a run that follows this motion begins, walls of force elements included."""
    residual: float
    """Largest equation left, forces in parts of the largest one of the motion."""
    residuals: tuple[float, ...]
    """Of all iterations."""
    status: str
    """``converged``, ``no_convergence`` or ``impacts``: a contact is met with speed, for which a
    truncated series has no impulse."""
    message: str

    @property
    def success(self) -> bool:
        """Whether it is a solution."""
        return self.status == "converged"

    def _basis(self) -> Basis:
        return Basis(self.harmonics, self.samples)

    def _tau(self, t: ArrayLike) -> Vector:
        times = as_array("t", t, ()).reshape(1) if np.ndim(t) == 0 else as_column("t", t)
        return 2.0 * np.pi * (times - self.t) / self.period

    def q(self, t: ArrayLike) -> Vector:
        """(k, nq) coordinates at times t (k,), s; (nq,) at one time."""
        values = self._basis().at(self._tau(t)) @ self.coefficients
        return values if np.ndim(t) else values[0]

    def u(self, t: ArrayLike) -> Vector:
        """(k, nu) velocities, likewise."""
        b = self._basis()
        values = b.at(self._tau(t)) @ (b.rate @ self.coefficients) * (2.0 * np.pi / self.period)
        return values if np.ndim(t) else values[0]

    def amplitude(self, coordinate: str, harmonic: int = 1) -> float:
        """Of one harmonic of a coordinate, in its unit; harmonic 0: its mean.

        Raises
        ------
        ValueError
            For an unknown coordinate or a harmonic beyond `harmonics`.
        """
        a, b = self._pair(coordinate, harmonic)
        return a if harmonic == 0 else float(np.hypot(a, b))

    def phase(self, coordinate: str, harmonic: int = 1) -> float:
        """ψ of ``A cos(kτ - ψ)``, rad.

        Raises
        ------
        ValueError
            As `amplitude` does.
        """
        a, b = self._pair(coordinate, harmonic)
        return float(np.arctan2(b, a))

    def _pair(self, coordinate: str, harmonic: int) -> tuple[float, float]:
        names = self.system.coordinates
        if coordinate not in names:
            raise unknown_name("coordinate", coordinate, list(names))
        if not isinstance(harmonic, int | np.integer) or not 0 <= harmonic <= self.harmonics:
            raise ValueError(
                f"harmonic: expected a whole number from 0 to {self.harmonics}, got {harmonic!r}"
            )
        column = self.coefficients[:, names.index(coordinate)]
        if harmonic == 0:
            return float(column[0]), 0.0
        return float(column[2 * harmonic - 1]), float(column[2 * harmonic])

    def plot(self, coordinate: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
        """A coordinate over one period, s; default: the first.

        Raises
        ------
        ImportError
            Without Matplotlib (``pip install nsmb[plot]``).
        """
        names = self.system.coordinates
        name = names[0] if coordinate is None else coordinate
        self._pair(name, 0)
        pyplot = import_extra("matplotlib.pyplot", "plot")
        axes: Axes = pyplot.subplots()[1] if ax is None else ax
        t = self.t + np.linspace(0.0, self.period, 400)
        axes.plot(t, self.q(t)[:, names.index(name)], **{"label": name, **options})
        axes.set_xlabel("t / s")
        axes.set_ylabel(f"{name} / {self.system.coordinate_units[names.index(name)]}")
        return axes

    def __repr__(self) -> str:
        lines = [
            f"HarmonicResponse of {self.system.name}: {self.status}, {self.harmonics} harmonics of "
            f"{1.0 / self.period:.6g} Hz"
        ]
        for name in self.system.coordinates[:MOST]:
            mean, first = self.amplitude(name, 0), self.amplitude(name)
            lines.append(f"  {name} {mean:.6g} + {first:.6g} cos(τ - {self.phase(name):.4g})")
        return "\n".join([*lines, f"  residual {self.residual:.2g}"])
