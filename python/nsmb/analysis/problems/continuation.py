"""One function for the continuation of orbits, equilibria, forced responses and loci."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from nsmb.analysis.branches.branch import Branch, OrbitBranch
from nsmb.analysis.branches.follow import Options
from nsmb.analysis.branches.follow_orbits import follow_orbits
from nsmb.analysis.branches.loci import Locus, follow_locus
from nsmb.analysis.branches.special_points import SpecialPoint
from nsmb.analysis.equilibria.branch import EquilibriumBranch, follow_equilibria
from nsmb.analysis.equilibria.equilibria import Equilibrium
from nsmb.analysis.harmonic.branch import ResponseBranch, follow_responses
from nsmb.analysis.harmonic.response import HarmonicResponse
from nsmb.analysis.orbits.orbit import PeriodicOrbit

__all__ = ["continuation"]


@overload
def continuation(
    problem: PeriodicOrbit,
    parameter: str,
    span: Sequence[float],
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int | None = None,
    direction: int = 0,
    tol: float | None = None,
    progress: bool | None = False,
) -> OrbitBranch: ...
@overload
def continuation(
    problem: Equilibrium,
    parameter: str,
    span: Sequence[float],
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int | None = None,
    direction: int = 0,
    tol: float | None = None,
    progress: bool | None = False,
) -> EquilibriumBranch: ...
@overload
def continuation(
    problem: HarmonicResponse,
    parameter: str,
    span: Sequence[float],
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int | None = None,
    direction: int = 0,
    tol: float | None = None,
    progress: bool | None = False,
) -> ResponseBranch: ...
@overload
def continuation(
    problem: SpecialPoint,
    parameter: str,
    span: Sequence[float],
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int | None = None,
    direction: int = 0,
    progress: bool | None = False,
) -> Locus: ...
def continuation(
    problem: PeriodicOrbit | Equilibrium | HarmonicResponse | SpecialPoint,
    parameter: str,
    span: Sequence[float],
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int | None = None,
    direction: int = 0,
    tol: float | None = None,
    progress: bool | None = False,
) -> Branch[Any]:
    """Follow a solution over a parameter by pseudo-arclength continuation.

    The branch continues around folds, through stable and unstable solutions. Folds and branch
    points are located. For orbits, period doublings, Neimark-Sacker points, and changes of the
    sequence of events with their causes are located too. For equilibria, Hopf points are located
    too. The contact states of an equilibrium are kept, and its branch ends where a contact would
    open, close or slip. A branch also ends at a special point beyond which no solution is found.

    Parameters
    ----------
    problem : PeriodicOrbit, Equilibrium, HarmonicResponse or SpecialPoint
        The solution to start from: the result of :func:`periodic_orbit`, :func:`equilibrium` or
        :func:`harmonic_balance`. A special point of kind ``fold`` or ``period doubling`` of a
        branch of orbits is followed over a second parameter.
    parameter : str
        Name of a parameter of the system.
    span : (low, high)
        Interval of the parameter in which the branch is followed. It must include the value of the
        problem.
    step, max_step : float, optional
        First and longest step in the parameter, away from folds. Default: 1/50 and 1/20 of the
        span.
    max_points : int, optional
        Largest number of points in each direction. Default: 500 for orbits and equilibria, 400 for
        responses, 200 for loci.
    direction : {+1, -1, 0}
        Sign of the change of the parameter at the start of the branch. 0: both directions.
    tol : float, optional
        Largest residual allowed: 1e-10 for orbits (as for :func:`periodic_orbit`), 1e-11 for
        equilibria (in units of the forces of the system), 1e-8 for responses (in units of the
        largest inertia force). It cannot be set for a locus.
    progress : bool, optional
        Show a progress bar. None: only on a terminal.

    Returns
    -------
    OrbitBranch, EquilibriumBranch, ResponseBranch or Locus
        The class depends on the problem. All are a `Branch`.

    Raises
    ------
    TypeError
        If the problem has another type.
    ValueError
        If the problem has not converged or cannot be followed, the system has no such parameter,
        the span excludes the value of the problem, or an option does not apply to a locus.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` is the branch computed so far.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> orbit = analysis.periodic_orbit(nsmb.systems.gear_rattling(alpha=1.4))
    >>> branch = analysis.continuation(orbit, "alpha", (1.2, 1.5))
    >>> for point in branch.special_points:
    ...     print(point.kind, round(point.value, 6))
    fold 1.204564
    period doubling 1.495288

    The equilibrium of a mass on a belt becomes stable if the belt is fast enough:

    >>> here = analysis.equilibrium(nsmb.systems.belt_oscillator(d=0.5))
    >>> branch = analysis.continuation(here, "v_B", (0.02, 0.5))
    >>> [point.kind for point in branch.special_points], branch.stable[[0, -1]].tolist()
    (['Hopf'], [False, True])
    """
    options = Options(step, max_step, max_points, direction, tol, progress)
    if isinstance(problem, PeriodicOrbit):
        return follow_orbits(problem, parameter, span, options)
    if isinstance(problem, Equilibrium):
        return follow_equilibria(problem, parameter, span, options)
    if isinstance(problem, HarmonicResponse):
        return follow_responses(problem, parameter, span, options)
    if isinstance(problem, SpecialPoint):
        return follow_locus(problem, parameter, span, options)
    raise TypeError(
        "problem: must be a PeriodicOrbit, an Equilibrium, a HarmonicResponse or a SpecialPoint, "
        f"got {type(problem).__name__}. Find a solution with periodic_orbit, equilibrium or "
        "harmonic_balance."
    )
