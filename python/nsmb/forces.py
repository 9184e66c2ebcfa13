"""Force elements with switching: one-sided springs and dampers (section 3.2.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system

__all__ = ["CallbackForceElement", "GapForce", "LinearForceElement"]

Vector = NDArray[np.float64]
LawName = Literal["relaxing_wall", "elastic_gap", "gap_damper", "clipped"]


@dataclass(frozen=True)
class GapForce:
    """Force ζ over the distance γ of two points, ζ > 0 pushing them apart.

    Source: Pfeiffer & Glocker, section 3.2.3. With `gap_damper` ζ jumps at the first touch and pulls
    before it ends, `clipped` acts before the points touch; `relaxing_wall` does neither: it ends at
    ζ = 0, and the wall, an internal state of the system, then relaxes.
    """

    c: float
    """Stiffness, N/m."""
    d: float = 0.0
    """Damping, N s/m."""
    law: LawName = "relaxing_wall"
    """``elastic_gap`` (3.16), ``gap_damper`` (3.17), ``clipped`` (3.18) or ``relaxing_wall``
    (3.20)-(3.23), which needs d > 0."""

    def _core(self, name: str) -> _system.ForceElementDescription:
        laws = {
            "elastic_gap": _system.ElementLaw.ElasticGap,
            "gap_damper": _system.ElementLaw.GapDamper,
            "clipped": _system.ElementLaw.Clipped,
            "relaxing_wall": _system.ElementLaw.RelaxingWall,
        }
        if self.law not in laws:
            raise ValueError(
                f"force element '{name}': law: expected one of {', '.join(laws)}, got {self.law!r}"
            )
        return _system.ForceElementDescription(name, laws[self.law], float(self.c), float(self.d))


@dataclass(frozen=True, eq=False)
class LinearForceElement:
    """Force element with distance ``γ = w·q + gap + w_tilde t``, for :class:`LinearSystem`."""

    w: ArrayLike
    """(n,) direction."""
    law: GapForce
    gap: float = 0.0
    """γ at q = 0, t = 0, in m."""
    w_tilde: float = 0.0
    """Prescribed velocity, m/s."""
    name: str = ""
    """Empty: ``element_1``, ``element_2``, ... in order."""


@dataclass(frozen=True, eq=False)
class CallbackForceElement:
    """Force element given by functions of ``(t, q)``, for :class:`CallbackSystem`."""

    gap: Callable[[float, Vector], float]
    """γ(t, q) in m."""
    law: GapForce
    w: Callable[[float, Vector], ArrayLike] | None = None
    """(t, q) -> (nu,) ∂γ/∂q·B; None: differences of `gap`."""
    w_tilde: Callable[[float, Vector], float] | None = None
    """(t, q) -> ∂γ/∂t; None: differences of `gap`."""
    name: str = ""
    """Empty: ``element_1``, ``element_2``, ... in order."""
