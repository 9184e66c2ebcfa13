"""Branches of periodic orbits."""

from __future__ import annotations

from collections.abc import Sequence

from nsmb.analysis.branches.branch import OrbitBranch
from nsmb.analysis.branches.follow import Options, follow_branch
from nsmb.analysis.branches.orbits import OrbitFamily
from nsmb.analysis.orbits.orbit import PeriodicOrbit

__all__ = ["follow_orbits"]


def follow_orbits(
    orbit: PeriodicOrbit, parameter: str, span: Sequence[float], options: Options
) -> OrbitBranch:
    """Follow a periodic orbit over a parameter."""
    if not orbit.success:
        raise ValueError(
            f"problem: must be an orbit that has converged, got status {orbit.status!r}: "
            f"{orbit.message}. Find one with periodic_orbit first."
        )
    tol = 1e-10 if options.tol is None else options.tol
    return follow_branch(
        orbit,
        orbit.system,
        parameter,
        span,
        options,
        called="orbit",
        family=lambda width: OrbitFamily(orbit.section, parameter, width, tol),
        branch=lambda found: OrbitBranch(parameter, *found),
        max_points=500,
        tol=1e-10,
    )
