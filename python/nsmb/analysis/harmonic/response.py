"""A forced response as a Fourier series."""

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
"""Number of coordinates that are listed."""


@records.made_when_asked("system")
@dataclass(frozen=True, eq=False, repr=False)
class HarmonicResponse(ShownAsTable):
    """A periodic motion of a forced system, the result of :func:`harmonic_balance`."""

    system: System
    period: float
    """Period of the series in s, which is `periods` times that of the system."""
    periods: int
    harmonics: int
    samples: int
    """Number of samples over the period at which the laws were evaluated."""
    t: float
    """Time at which τ = 0, in s."""
    coefficients: Vector
    """Coefficients of the coordinates, shape (2H + 1, nq). The functions are 1, cos τ, sin τ, ...,
    cos Hτ, sin Hτ with τ = 2π (t - t_0)/period."""
    state_coefficients: Vector
    """Coefficients of the internal states, shape (2H + 1, nx_own)."""
    lambda_N: Vector
    """Coefficients of the normal forces, shape (2H + 1, nc), in N."""
    lambda_T: Vector
    """Coefficients of the friction forces, shape (2H + 1, nt), in N."""
    lambda_B: Vector
    """Coefficients of the forces of bilateral constraints, shape (2H + 1, nb), in N."""
    start: State
    """Start of a run that follows this motion, including the walls of force elements."""
    residual: float
    """Largest residual of the equations, with forces relative to the largest one of the motion."""
    residuals: tuple[float, ...]
    """Residuals of all iterations."""
    status: str
    """``converged``, ``no_convergence`` or ``impacts``. The last one means that a contact closes
    with a velocity, for which a truncated series has no impulse."""
    message: str

    @property
    def success(self) -> bool:
        """True if the response is a solution."""
        return self.status == "converged"

    def _basis(self) -> Basis:
        return Basis(self.harmonics, self.samples)

    def _tau(self, t: ArrayLike) -> Vector:
        times = as_array("t", t, ()).reshape(1) if np.ndim(t) == 0 else as_column("t", t)
        return 2.0 * np.pi * (times - self.t) / self.period

    def q(self, t: ArrayLike) -> Vector:
        """Return the coordinates at times t (k,) in s, shape (k, nq); at one time, shape (nq,)."""
        values = self._basis().at(self._tau(t)) @ self.coefficients
        return values if np.ndim(t) else values[0]

    def u(self, t: ArrayLike) -> Vector:
        """Return the velocities at times t (k,) in s, shape (k, nu); at one time, shape (nu,)."""
        b = self._basis()
        values = b.at(self._tau(t)) @ (b.rate @ self.coefficients) * (2.0 * np.pi / self.period)
        return values if np.ndim(t) else values[0]

    def amplitude(self, coordinate: str, harmonic: int = 1) -> float:
        """Return the amplitude of one harmonic of a coordinate, in its unit; harmonic 0: its mean.

        Raises
        ------
        ValueError
            If the coordinate is unknown or the harmonic is larger than `harmonics`.
        """
        a, b = self._pair(coordinate, harmonic)
        return a if harmonic == 0 else float(np.hypot(a, b))

    def phase(self, coordinate: str, harmonic: int = 1) -> float:
        """Return the phase ψ of ``A cos(kτ - ψ)``, in rad.

        Raises
        ------
        ValueError
            As for `amplitude`.
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
        """Plot a coordinate over one period; the default is the first coordinate.

        Raises
        ------
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
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
