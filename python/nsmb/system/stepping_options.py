"""Options of motion in steps."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nsmb.common.arguments import as_number, in_range, one_of, positive
from nsmb.system.options import FRICTION_SOLVERS, IMPACT_LAWS, EventDriven

__all__ = ["Method", "TimeStepping"]

SCHEMES = ("moreau-jean", "half-explicit", "projected", "rattle", "hybrid")


@dataclass(frozen=True, eq=False)
class TimeStepping:
    """Motion in steps of one length: what touches is decided once for each of them.

    Events are not located, so that a step costs the same whatever happens in it: for piles, walls,
    chains, and wherever impacts follow each other faster than anyone wants to know. Positions and
    velocities are then known to the order of the step; between impacts, and without contacts, to
    its square.

    Forces of a `Solution` are means: those of a sample are the impulses of the step it lies in over
    its length, those of an impact included. Events are the impacts alone: one row, at the end of
    the step, for all contacts that close in it faster than forces make them in one step; its
    impulses are those of the whole step. Where the law says that two phases follow each other
    (``poisson``), or is silent about finite forces (``newton``), an impact comes first in its step,
    and forces act behind it.

    Raises
    ------
    ValueError
        For an option out of range; the message names it.

    Examples
    --------
    >>> import nsmb
    >>> method = nsmb.TimeStepping(step=1e-3)
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0, method=method)
    >>> sol.status, sol.stats["steps"], sol.stats["missed_steps"]
    ('finished', 3000, 0)
    """

    step: float | None = None
    """s, length of a step. Steps end at discontinuities in time, and at the end of the run."""
    scheme: Literal["moreau-jean", "half-explicit", "projected", "rattle", "hybrid"] = "moreau-jean"
    """``moreau-jean``: contacts by their velocities, forces linearised, so that stiff springs and
    dampers bear any step. ``half-explicit``: forces as they are in the middle of the step, without
    derivatives: cheaper, for what is not stiff, and for shapes that touch anywhere.
    ``projected``: as ``moreau-jean``, for shapes that touch anywhere as ``half-explicit``; what
    closes within a step takes part in it, and what penetrates at its end is put out of it.
    ``rattle``: two halves, the first to a place without penetration, the second to velocities
    that the laws allow there; of second order between impacts, explicit in forces that depend on
    coordinates alone. ``hybrid``: event-driven, with `rtol`, as long as events are isolated;
    where four impacts crowd within the length of one step, and where an instant has no solution,
    ``projected`` steps are taken until three of them are without impact."""
    theta: float = 0.5
    """From 1/2, of second order, to 1, which damps: where in the step forces and contacts are
    looked at."""
    impact_law: Literal["moreau", "poisson", "newton"] = "moreau"
    """As of :class:`nsmb.EventDriven`; ``rattle`` knows the first alone."""
    tol: float = 1e-8
    """What a solver may leave of the laws of contact, as a part of the largest relative velocity;
    steps that miss it are marked in ``Solution.step_status``, ``stats["missed_steps"]`` counts."""
    rtol: float = 1e-8
    """``hybrid``: relative tolerance of the integrators between events."""
    on_failure: Literal["continue", "stop"] = "continue"
    """What then: ``continue`` with the best impulses found, or ``stop`` with the status
    ``no_contact_solution``."""
    friction_solver: Literal[
        "auto", "newton", "augmented_lagrangian", "gauss_seidel", "polyhedral"
    ] = "auto"
    """How contact problems with friction in a plane are solved, see :mod:`nsmb.friction`."""
    gap_tolerance: float = 1e-9
    """m: contacts whose gap in the middle of a step is smaller take part in it; what ``projected``
    leaves of penetration."""
    start_tolerance: float = 1e-9
    """m: a start that penetrates deeper is refused."""
    sleeping: bool = False
    """Shapes that touch anywhere: groups of bodies that have come to rest on each other cost next
    to nothing, until something awake touches them or forces on them change. They keep their place
    and the forces of their contacts; what creeps slower than a thousandth of what a step would
    make of it without contacts, for twenty steps, is held. ``stats["asleep"]`` says how many
    sleep."""
    dense_output: bool = True
    """Keep every step as a polynomial, for :meth:`Solution.at`."""
    max_memory: float = 2e9
    """Bytes that samples and steps may take, before the run ends with ``memory_limit``."""

    expansion: ClassVar[None] = None  # there is none, as of most runs

    def __post_init__(self) -> None:
        if self.step is None:
            raise ValueError("step: expected a number > 0, got None")
        for field in dataclasses.fields(self):
            if str(field.type).startswith("float"):
                value = as_number(field.name, getattr(self, field.name))
                object.__setattr__(self, field.name, value)
                positive(field.name, value)
        in_range("rtol", self.rtol, 1e-15, 1.0)
        in_range("theta", self.theta, 0.5, 1.0)
        one_of("scheme", self.scheme, SCHEMES)
        if self.scheme == "rattle" and self.impact_law != "moreau":
            raise ValueError(
                f"impact_law: expected 'moreau' for scheme 'rattle', got {self.impact_law!r}"
            )
        one_of("impact_law", self.impact_law, IMPACT_LAWS)
        one_of("on_failure", self.on_failure, ("continue", "stop"))
        one_of("friction_solver", self.friction_solver, FRICTION_SOLVERS)
        for name in ("dense_output", "sleeping"):
            value = getattr(self, name)
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name}: expected True or False, got {value!r}")


Method = EventDriven | TimeStepping
