"""Options of event-driven motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_callable, as_column, in_range, one_of, positive, whole
from nsmb.common.options import Option, OptionTable, with_notes
from nsmb.system.method_options import IMPACT_LAWS, ImpactOptions, method_class

__all__ = ["Compression", "EventDriven"]

Vector = NDArray[np.float64]

INTEGRATORS = (
    "auto", "linear_flow", "dp853", "cvode", "arkode_bogacki_shampine23",
    "arkode_dormand_prince45", "arkode_verner56", "arkode_fehlberg78",
)  # fmt: skip
_NUMERICAL = tuple(name for name in INTEGRATORS if name != "linear_flow")
SOLVERS = ("auto", "newton", "augmented_lagrangian", "gauss_seidel", "polyhedral")
OPTIONS = (
    OptionTable("integrator", INTEGRATORS, {
        "rtol": Option(1e-8, _NUMERICAL), "atol": Option(None, _NUMERICAL),
    }),
    OptionTable("impact_law", IMPACT_LAWS, {
        "expansion": Option(None, ("poisson",)), "sliding_compression": Option(False, ("poisson",)),
    }),
    OptionTable("solver", SOLVERS, {"facets": Option(64, ("auto", "polyhedral"))}),
)  # fmt: skip
"""Options of `EventDriven` that not every method uses."""


@dataclass(frozen=True, eq=False)
class Compression:
    """Results of the compression phase of an impact, for ``EventDriven(expansion=...)``."""

    contact_names: tuple[str, ...]
    Lambda_NC: Vector
    """(nc,) normal impulses, N s."""
    Lambda_TC: Vector
    """(nt,) tangential impulses, N s."""
    gamma_NC: Vector
    """(nc,) normal velocities at the end of compression, m/s."""
    gamma_TC: Vector
    """(nt,) tangential velocities at the end of compression, m/s."""
    e_N: Vector
    """(nc,) restitution as the contacts have it, and likewise:"""
    mu: Vector
    e_T: Vector
    nu: Vector


_NOTES = (
    "Some options belong to some methods. They are None where they are not given. An option that\n"
    "the method does not use is refused:\n\n"
    + "\n\n".join(table.text() for table in OPTIONS)
    + "\n\n"
)


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EventDriven(ImpactOptions):
    """Smooth motion between events that are located exactly.

    Raises
    ------
    ValueError
        For an option out of range; the message names it.

    Examples
    --------
    >>> import nsmb
    >>> method = nsmb.EventDriven(impact_law="newton", rtol=1e-10)
    >>> nsmb.simulate(nsmb.systems.two_balls(), 0.5, method=method).method.impact_law
    'newton'
    """

    rtol: float | None = None
    """Relative tolerance of the numerical integrators, by default 1e-8; the closed-form flow, which
    ``auto`` takes for linear systems, is as accurate as rounding allows."""
    integrator: str = "auto"
    """``auto``: the closed-form ``linear_flow`` where the system has one, else ``dp853``. Others:
    ``cvode`` for stiff systems, ``arkode_fehlberg78``, ``arkode_verner56``,
    ``arkode_dormand_prince45``, ``arkode_bogacki_shampine23``."""
    atol: ArrayLike | None = None
    """(nq + nu + nx,) absolute tolerances; None: `rtol` times the largest value of each so far."""
    max_step: float = math.inf
    """Longest step, s."""
    impact_law: Literal["moreau", "poisson", "newton"] = "poisson"
    expansion: Callable[[Compression], Mapping[str, ArrayLike]] | None = None
    """Poisson: parameters of the expansion phase from the results of compression (8.10). What the
    function returns replaces ``e_N``, ``mu``, ``e_T`` or ``nu`` of all contacts."""
    sliding_compression: bool | None = None
    """Poisson: where dependent contacts leave several compressions, take that in which slip lasts
    until the approach has ended, if there is one: Λ_TC = -sgn(γ_TA) μ Λ_NC at all contacts (8.14).
    By default the one that Lemke's method reaches. Planar contacts only."""
    on_inconsistent: Literal["stop", "impact"] = "stop"
    """Where sliding contacts jam and no acceleration solves the laws (Painlevé): ``stop`` ends the
    run with status ``no_contact_solution``, ``impact`` applies the impact law without collision."""
    check_uniqueness: bool = False
    """Enumerate all solutions at every instant (small problems, planar contacts) and count in
    ``Solution.stats["nonunique_problems"]`` where there are several."""
    solver: Literal["auto", "newton", "augmented_lagrangian", "gauss_seidel", "polyhedral"] = "auto"
    """How contact problems with friction in a plane are solved, see
    :mod:`nsmb.complementarity.friction`; ``polyhedral`` replaces the friction discs by polygons,
    for comparison."""
    facets: int | None = None
    """Corners of these polygons, even, by default 64."""
    gap_tolerance: float = 1e-11
    """m: |g_N| below it counts as touching. It is smaller than in steps, because events are located
    to rounding."""
    rest_velocity: float = 1e-11
    """m/s: relative velocities below it count as zero; ends accumulations of impacts."""
    max_events: int = 10_000_000
    """Events altogether, before the run ends with status ``event_limit``."""
    max_events_per_instant: int = 10_000
    """Events without progress of time, before the run ends with status ``event_limit``."""
    divide: bool | None = None
    """Whether parts of a system that nothing joins move by themselves, each with its own steps: an
    event then restarts its own part alone; its row and its samples are still those of the whole.
    None: from four parts on. The motion is the same but for rounding, and what the tolerances of
    numerical integrators leave open. Such parts are known of linear systems and of models; with
    friction in a plane, with `expansion`, with functions of the user, and where a derivative is
    followed, the system is one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_step_log()
        positive("rest_velocity", self.rest_velocity)
        for name in ("max_events", "max_events_per_instant"):
            whole(name, getattr(self, name), 1)
        positive("max_step", self.max_step, unbounded=True)
        one_of("integrator", self.integrator, INTEGRATORS)
        one_of("on_inconsistent", self.on_inconsistent, ("stop", "impact"))
        one_of("solver", self.solver, SOLVERS)
        for table in OPTIONS:
            table.check(getattr(self, table.chooser), vars(self))
        if self.rtol is not None:
            positive("rtol", self.rtol)
            in_range("rtol", self.rtol, 1e-15, 1.0)
        if self.facets is not None and (self.facets < 4 or self.facets % 2):
            raise ValueError(f"facets: expected an even number >= 4, got {self.facets}")
        if self.atol is not None:
            _check_atol(self.atol)
        if self.expansion is not None:
            as_callable("expansion", self.expansion, "compression")

    @property
    def has_function(self) -> bool:
        return self.expansion is not None

    @property
    def in_force(self) -> dict[str, Any]:
        """All options that the method uses with their values, also of those that are not given."""
        values = dict(vars(self))
        for table in OPTIONS:
            for name in table.options:
                del values[name]
            values |= table.in_force(getattr(self, table.chooser), vars(self))
        return values


EventDriven.__doc__ = with_notes(EventDriven.__doc__, _NOTES)


def _check_atol(atol: ArrayLike) -> None:
    values = as_column("atol", np.atleast_1d(np.asarray(atol)))
    if not (values > 0.0).all():  # false for NaN, too
        raise ValueError(f"atol: expected numbers > 0, got {values.tolist()}")
