"""Force elements with switching: one-sided springs and dampers (section 3.2.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import as_number, one_of
from nsmb.system.contacts import check_functions

__all__ = ["CallbackForceElement", "GapForce", "LinearForceElement"]

Vector = NDArray[np.float64]
LawName = Literal["relaxing_wall", "elastic_gap", "gap_damper", "clipped"]
_LAWS = {
    "elastic_gap": _system.ElementLaw.ElasticGap,
    "gap_damper": _system.ElementLaw.GapDamper,
    "clipped": _system.ElementLaw.Clipped,
    "relaxing_wall": _system.ElementLaw.RelaxingWall,
}


@dataclass(frozen=True)
class GapForce:
    """Force ζ over the distance γ of two points, ζ > 0 pushing them apart.

    With `gap_damper` ζ jumps at the first touch and pulls before it ends, `clipped` acts before the
    points touch; `relaxing_wall` does neither: it ends at ζ = 0, and the wall, an internal state of
    the system, then relaxes. Source: Pfeiffer & Glocker, section 3.2.3.
    """

    c: float
    """Stiffness, N/m."""
    d: float = 0.0
    """Damping, N s/m."""
    law: LawName = "relaxing_wall"
    """``elastic_gap`` (3.16), ``gap_damper`` (3.17), ``clipped`` (3.18) or ``relaxing_wall``
    (3.20)-(3.23), which needs d > 0."""

    def __post_init__(self) -> None:
        for name in ("c", "d"):
            object.__setattr__(self, name, as_number(name, getattr(self, name)))
        one_of("law", self.law, _LAWS)


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

    def __post_init__(self) -> None:
        check_functions("force element", self, {"gap": "t, q", "w": "t, q", "w_tilde": "t, q"})


def element_description(law: GapForce, name: str) -> _system.ForceElementDescription:
    """What the core knows about a force element."""
    if not isinstance(law, GapForce):
        raise ValueError(f"force element {name!r}: law: expected a GapForce, got {law!r}")
    return _system.ForceElementDescription(name, _LAWS[law.law], law.c, law.d)
