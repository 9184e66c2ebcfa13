"""Options of event-driven simulation."""

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
"""Options of `EventDriven` that apply only to certain integrators, impact laws or solvers."""


@dataclass(frozen=True, eq=False)
class Compression:
    """Results of the compression phase of an impact, for ``EventDriven(expansion=...)``."""

    contact_names: tuple[str, ...]
    Lambda_NC: Vector
    """Normal impulses in N s, shape (nc,)."""
    Lambda_TC: Vector
    """Tangential impulses in N s, shape (nt,)."""
    gamma_NC: Vector
    """Normal velocities at the end of compression in m/s, shape (nc,)."""
    gamma_TC: Vector
    """Tangential velocities at the end of compression in m/s, shape (nt,)."""
    e_N: Vector
    """Normal restitution coefficients of the contacts, shape (nc,)."""
    mu: Vector
    """Friction coefficients of the contacts, shape (nc,)."""
    e_T: Vector
    """Tangential restitution coefficients of the contacts, shape (nc,)."""
    nu: Vector
    """Reversibility of the friction impulses of the contacts, shape (nc,)."""


_NOTES = (
    "Some options apply only to certain integrators, impact laws or solvers. They are None unless\n"
    "given. An option that is given but not used raises a ValueError:\n\n"
    + "\n\n".join(table.text() for table in OPTIONS)
    + "\n\n"
)


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EventDriven(ImpactOptions):
    """Event-driven simulation: smooth motion between events that are located exactly.

    Raises
    ------
    ValueError
        If an option is out of range; the message names the option.

    Examples
    --------
    >>> import nsmb
    >>> method = nsmb.EventDriven(impact_law="newton", rtol=1e-10)
    >>> nsmb.simulate(nsmb.systems.two_balls(), 0.5, method=method).method.impact_law
    'newton'
    """

    rtol: float | None = None
    """Relative tolerance of the numerical integrators, by default 1e-8. The closed-form flow, which
    ``auto`` selects for linear systems, is exact to rounding."""
    integrator: str = "auto"
    """Integrator between events. ``auto`` selects the closed-form ``linear_flow`` if the system
    has one, otherwise ``dp853``. Further choices are ``cvode`` for stiff systems,
    ``arkode_fehlberg78``, ``arkode_verner56``, ``arkode_dormand_prince45`` and
    ``arkode_bogacki_shampine23``."""
    atol: ArrayLike | None = None
    """Absolute tolerances, shape (nq + nu + nx,).

    None: `rtol` times the largest value of each component so far."""
    max_step: float = math.inf
    """Maximum step length, s."""
    impact_law: Literal["moreau", "poisson", "newton"] = "poisson"
    expansion: Callable[[Compression], Mapping[str, ArrayLike]] | None = None
    """Function that returns parameters of the expansion phase (8.10), for the Poisson impact law.

    The returned values replace ``e_N``, ``mu``, ``e_T`` or ``nu`` of all contacts."""
    sliding_compression: bool | None = None
    """Choice of a sliding solution of the compression phase, for the Poisson impact law.

    The compression phase of dependent contacts can have several solutions. True selects a solution
    in which slip lasts until the end of compression, if one exists: Λ_TC = -sgn(γ_TA) μ Λ_NC at all
    contacts (8.14). By default, the solution is the one found by Lemke's method. Planar contacts
    only."""
    on_inconsistent: Literal["stop", "impact"] = "stop"
    """Behaviour if sliding contacts jam and no acceleration satisfies the contact laws (Painlevé
    paradox). ``stop`` ends the run with status ``no_contact_solution``. ``impact`` applies the
    impact law without a collision."""
    check_uniqueness: bool = False
    """Enumerate all solutions at every instant, for small problems with planar contacts.

    ``Solution.stats["nonunique_problems"]`` counts the problems with several solutions."""
    solver: Literal["auto", "newton", "augmented_lagrangian", "gauss_seidel", "polyhedral"] = "auto"
    """Solver of contact problems with two tangential directions, see
    :mod:`nsmb.complementarity.friction`. ``polyhedral`` replaces the friction discs by polygons,
    for comparison."""
    facets: int | None = None
    """Number of corners of the friction polygons of ``polyhedral``, even, by default 64."""
    gap_tolerance: float = 1e-11
    """Gap tolerance, m. A contact with |g_N| below this value is closed.

    The value is smaller than in stepped runs because events are located to rounding."""
    rest_velocity: float = 1e-11
    """Velocity tolerance, m/s. Relative velocities below this value count as zero, which ends
    accumulations of impacts."""
    max_events: int = 10_000_000
    """Maximum total number of events; beyond it the run ends with status ``event_limit``."""
    max_events_per_instant: int = 10_000
    """Maximum number of events at one instant; beyond it the run ends with ``event_limit``."""
    divide: bool | None = None
    """Separate integration of unconnected parts of a system, each with its own steps.

    An event then restarts only its own part. Its row and its samples still describe the whole
    system. None: divide systems of four or more parts. The motion is the same up to rounding and
    the tolerances of numerical integrators. Parts are identified in linear systems and models.
    Systems with two tangential directions at a contact, `expansion`, user functions or sensitivity
    are not divided."""

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
        """All options that the method uses, with their values, including defaults."""
        values = dict(vars(self))
        for table in OPTIONS:
            for name in table.options:
                del values[name]
            values |= table.in_force(getattr(self, table.chooser), vars(self))
        return values


EventDriven.__doc__ = with_notes(EventDriven.__doc__, _NOTES)


def _check_atol(atol: ArrayLike) -> None:
    values = as_column("atol", np.atleast_1d(np.asarray(atol)))
    if not (values > 0.0).all():  # also False for NaN
        raise ValueError(f"atol: expected numbers > 0, got {values.tolist()}")
