"""Time-stepping methods by one name each, for tests that run all of them."""

from __future__ import annotations

from typing import Any

import nsmb

SCHEMES = ("midpoint", "hybrid")
FORCE_SCHEMES = (
    "euler-position", "rk4-position", "rk4-velocity", "radau-position", "radau-velocity",
)  # fmt: skip
Steps = nsmb.Midpoint | nsmb.Hybrid | nsmb.PositionForces | nsmb.VelocityForces


def class_of(scheme: str) -> tuple[str, dict[str, Any]]:
    """Return the name of the class of a scheme and the options that select it."""
    if scheme in SCHEMES:
        return scheme.capitalize(), {}
    integrator, _, level = scheme.partition("-")
    return f"{level.capitalize()}Forces", {"integrator": integrator}


def stepping(step: float, scheme: str = "midpoint", **options: Any) -> Steps:
    """Return the method of a scheme."""
    name, own = class_of(scheme)
    method: Steps = getattr(nsmb, name)(step, **own, **options)
    return method
