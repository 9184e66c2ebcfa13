"""Findings of checks, and the tolerances that decide which errors are small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
OPEN, STICK, POSITIVE, NEGATIVE, SLIP = range(5)


@dataclass(frozen=True)
class Finding:
    """One violated condition with its error."""

    what: str
    size: float
    allowed: float
    t: float
    detail: str = ""

    def __str__(self) -> str:
        return (
            f"{self.what}: {self.size:.3g} > {self.allowed:.3g} at t = {self.t!r}"
            f"{' (' + self.detail + ')' if self.detail else ''}"
        )


class Findings(list[Finding]):
    """A list of the worst finding of each kind."""

    def judge(self, what: str, size: Any, allowed: Any, t: Any, names: str = "contact") -> None:
        """Record where `size` exceeds `allowed`; arrays have the times first."""
        size = np.asarray(size, float)
        if size.size == 0:
            return
        allowed = np.broadcast_to(allowed, size.shape)
        excess = np.where(np.isnan(size), np.inf, size / np.maximum(allowed, 1e-300))
        if not (excess > 1.0).any():
            return
        worst = np.unravel_index(int(np.argmax(excess)), size.shape)
        # The first violation says more about the cause than the largest one.
        first = np.unravel_index(int(np.argmax(excess.ravel() > 1.0)), size.shape)
        given = np.asarray(t, float)
        if given.ndim:
            given = given.reshape(-1, *[1] * (size.ndim - 1))
        times = np.broadcast_to(given, size.shape)
        detail = f"first {float(size[first]):.3g} at {float(times[first])!r}"
        if size.ndim > np.ndim(t):
            detail += f", {names} {int(first[np.ndim(t)])}"
        self.append(
            Finding(what, float(size[worst]), float(allowed[worst]), float(times[worst]), detail)
        )


@dataclass(frozen=True)
class Tolerances:
    """The magnitudes of a run and its allowed errors.

    Closed forms hold to rounding: 1e-9 of the size, the penetration allowed at a start. With a
    numerical integrator the local error of a step enters the dense output: `numeric` times rtol.
    """

    length: float
    speed: float
    rtol: float
    """Relative tolerance, 0 for the closed form."""

    numeric = 1000.0

    @property
    def relative(self) -> float:
        return 1e-9 + self.numeric * self.rtol

    @property
    def gap(self) -> float:
        return self.relative * (1.0 + self.length) if self.rtol else 1e-9 * (1.0 + self.length)

    @property
    def velocity(self) -> float:
        return self.relative * (1.0 + self.speed)


def tolerances(sol: Any, method: dict[str, Any], closed_form: bool) -> Tolerances:
    rtol = 0.0 if closed_form else float(method.get("rtol", 1e-8))
    return Tolerances(float(np.abs(sol.q).max()), float(np.abs(sol.u).max(initial=0.0)), rtol)
