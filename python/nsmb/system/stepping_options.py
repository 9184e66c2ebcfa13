"""Options of motion in steps."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_column, as_number, in_range, one_of, positive, whole
from nsmb.common.options import Option, OptionTable, with_notes
from nsmb.system.options import IMPACT_LAWS, EventDriven

__all__ = ["Method", "TimeStepping"]

SCHEMES = ("midpoint", "hybrid")
FORCE_SCHEMES = (
    "euler-position", "rk4-position", "rk4-velocity", "radau-position", "radau-velocity",
)  # fmt: skip
MAIN_INTEGRATORS = ("euler", "rk4", "radau")
_POSITION = tuple(scheme for scheme in FORCE_SCHEMES if scheme.endswith("-position"))
OPTIONS = OptionTable("scheme", SCHEMES + FORCE_SCHEMES, {
    "error": Option(None, SCHEMES, "Forces that are constant over a step need a step of at most a "
                    "tenth of the shortest period of what touches."),
    "min_step": Option(None, SCHEMES),
    "main_integrator": Option(None, FORCE_SCHEMES),
    "mixing": Option(0.0, _POSITION),
    "impact_law": Option("moreau", SCHEMES),
    "rtol": Option(1e-8, ("hybrid",)),
    "max_time": Option(math.inf, SCHEMES),
    "max_iterations": Option(None, SCHEMES + FORCE_SCHEMES),
    "threads": Option(1, SCHEMES),
    "sleeping": Option(False, ("midpoint",)),
})  # fmt: skip
"""Options of `TimeStepping` that not every scheme uses."""
SOLVERS = (
    "auto", "newton", "gauss_seidel", "augmented_lagrangian", "polyhedral", "projected_gradient",
    "admm", "dense", "interior_point",
)  # fmt: skip


_NOTES = f"""Some options belong to some schemes. They are None where they are not given. An option
that the scheme does not use is refused:

{OPTIONS.text()}

"""


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
    """s, length of a step, with `error` the longest. Steps end at discontinuities in time, and at
    the end of the run."""
    error: ArrayLike | None = None
    """m or rad, a number or one of each coordinate (nq,): what coordinates may err by within the
    time of two longest steps, by estimate; None: all steps have one length. Each two steps are
    then compared with one over both, and are as long as it allows: by their part of it where
    motion is smooth. An impact or a switch may err by the whole of it, and no step becomes shorter
    than that asks, as its time is known to its step alone. ``Solution.stats`` counts
    ``rejected_steps``, tries that were given up."""
    min_step: float | None = None
    """s, no step becomes shorter by `error`; None: 1e-5 of `step`. Those that would have to are
    taken as they are, marked in ``Solution.step_status`` and counted in
    ``stats["coarse_steps"]``."""
    scheme: Literal[
        "midpoint", "hybrid", "euler-position", "rk4-position", "rk4-velocity", "radau-position",
        "radau-velocity",
    ] = "midpoint"  # fmt: skip
    """``midpoint``: half a step of free motion, a kick by loads and contacts, half a step of free
    motion. Free motion is that of bodies, trees, and closed loops without loads; it keeps energy
    at any rate of turning. Loads are linearised, so that stiff springs and dampers bear any step.
    A contact that strikes does so as at an instant; one that lasts keeps its gap and does no work.
    ``hybrid``: event-driven, with `rtol`, as long as events are isolated; where four impacts crowd
    within the length of one step, and where an instant has no solution, ``midpoint`` steps are
    taken until three of them are without impact.

    The others find forces, constant over a step, and know neither impacts nor restitution
    (``e_N = e_T = 0``): impacts take time, in bodies that deform. ``rk4-position``,
    ``radau-position`` and ``euler-position`` find those that leave no gap negative at the end of
    the step, ``rk4-velocity`` and ``radau-velocity`` those with which closed contacts do not
    approach there; Ebrahimi (2007), (5.10)-(5.37). The first part of the name is the method that
    says how forces move the end of a step, and advances the motion, too, unless there is a
    `main_integrator`; ``radau`` is for what is stiff. No events are recorded."""
    main_integrator: Literal["euler", "rk4", "radau"] | None = None
    """Of schemes that find forces, what advances the motion under them: explicit Euler with the
    mean of both velocities for coordinates, the classical method of Runge and Kutta, or Radau IIA
    with three stages, of order 1, 4 and 5 while no force of a contact changes; None: that of the
    scheme. Forces depend on it alone, not on the method the scheme is named after, which decides
    how many iterations it takes to find them."""
    mixing: float | None = None
    """0 to 1, by default 0: which part of the law is that of velocities, (1 - mixing) 2 g/h +
    mixing g' at the end of the step. A contact at rest keeps 2 mixing - 1 of its velocity from step
    to step: with 0, the law of the source, it turns round, and forces alternate; with 1/2 it is at
    rest at once, and the gap of a contact in motion is off by half a step of that motion."""
    impact_law: Literal["moreau", "poisson", "newton"] | None = None
    """As of :class:`nsmb.EventDriven`, by default ``moreau``."""
    tol: float = 1e-8
    """What a solver may leave of the laws of contact, as a part of the largest relative velocity;
    steps that miss it are marked in ``Solution.step_status``, ``stats["missed_steps"]`` counts."""
    rtol: float | None = None
    """Relative tolerance of the integrators between events, by default 1e-8."""
    on_failure: Literal["continue", "stop"] = "continue"
    """What happens then. With ``continue``, the best impulses found are applied if they create no
    energy and let nothing part faster than it came. Otherwise the contacts come to rest, which
    ``stats["locked_steps"]`` counts where it is no solution. Schemes that find forces always apply
    the best impulses. With ``stop``, the run ends with the status
    ``no_contact_solution``, or with ``integration_failure`` at a step that is coarse: too long,
    with more than a thousand touches of fast shapes, or with contacts left deep in each other."""
    solver: Literal[
        "auto", "newton", "gauss_seidel", "augmented_lagrangian", "polyhedral",
        "projected_gradient", "admm", "dense", "interior_point",
    ] = "auto"  # fmt: skip
    """How contact problems are solved, see :mod:`nsmb.friction`. In ``midpoint`` and ``hybrid``
    steps as by `nsmb.friction.solve_sparse`: ``auto``, which solves those of few contacts
    exactly, ``newton``, ``gauss_seidel``, ``projected_gradient``, ``admm``, ``dense``,
    ``interior_point``. In others those with friction in a plane, as by `nsmb.friction.solve`:
    ``auto``, ``newton``, ``gauss_seidel``, ``augmented_lagrangian``, ``polyhedral``."""
    max_time: float | None = None
    """s of the clock, budget of the contact problem of such a step, by default unlimited; the best
    impulses by then are taken, and the step is marked if they miss `tol`. Results then depend on
    the machine."""
    max_iterations: int | None = None
    """Budget in sweeps, steps and factorised steps of the solver; of schemes that find forces, the
    problems of contacts in a step, each linearised where the last one has led, by default 50."""
    threads: int | None = None
    """Threads of ``gauss_seidel``, by default 1; the result is the same for any number, bit for
    bit. Solvers `auto` and `gauss_seidel`."""
    gap_tolerance: float = 1e-9
    """m: contacts whose gap in the middle of a step is smaller take part in it, and closed ones
    that forces would close again within the step. What the end of a step leaves of gaps of those
    that last."""
    start_tolerance: float = 1e-9
    """m: a start that penetrates deeper is refused."""
    sleeping: bool | None = None
    """Groups of bodies that have come to rest on each other cost next to nothing, until something
    awake touches them or forces on them change. They keep their place and the forces of their
    contacts; what creeps slower than a thousandth of what a step would make of it without
    contacts, for twenty steps, is held. ``stats["asleep"]`` says how many sleep."""
    dense_output: bool = True
    """Keep every step as a polynomial, for :meth:`Solution.at`."""
    step_log: bool = False
    """Keep what each step took: `Solution.step_seconds` and `real_time_factor`."""
    max_memory: float = 2e9
    """Bytes that samples and steps may take, before the run ends with ``memory_limit``."""

    expansion: ClassVar[None] = None  # there is none, as of most runs

    def __post_init__(self) -> None:
        if self.step is None:
            raise ValueError("step: expected a number > 0, got None")
        one_of("scheme", self.scheme, SCHEMES + FORCE_SCHEMES)
        OPTIONS.check(self.scheme, vars(self))
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if str(field.type).startswith("float") and value is not None:
                value = as_number(field.name, value)
                object.__setattr__(self, field.name, value)
                if field.name == "mixing":
                    continue
                positive(field.name, value, unbounded=field.name == "max_time")
        assert self.step is not None
        _check_control(self.step, self.error, self.min_step)
        self._check_given()
        one_of("on_failure", self.on_failure, ("continue", "stop"))
        one_of("solver", self.solver, SOLVERS)
        for name in ("dense_output", "sleeping", "step_log"):
            value = getattr(self, name)
            if not isinstance(value, bool | np.bool_ | None):
                raise ValueError(f"{name}: expected True or False, got {value!r}")
        if self.sleeping and self.error is not None:
            raise ValueError("sleeping: expected False where an error decides how long steps are")
        if self.threads is not None and self.solver not in ("auto", "gauss_seidel"):
            raise ValueError(
                f"threads: must be left out for solver={self.solver!r}, which does not use it, got "
                f"{self.threads!r}. Leave it out, or choose solver='gauss_seidel'."
            )

    @property
    def in_force(self) -> dict[str, Any]:
        """All options that the scheme uses with their values, also of those that are not given."""
        given = vars(self)
        used = OPTIONS.in_force(self.scheme, given)
        return {name: value for name, value in given.items() if name not in OPTIONS.options} | used

    def _check_given(self) -> None:
        """Options that may be left out, where they are given."""
        if self.main_integrator is not None:
            one_of("main_integrator", self.main_integrator, MAIN_INTEGRATORS)
        if self.rtol is not None:
            in_range("rtol", self.rtol, 1e-15, 1.0)
        if self.max_iterations is not None:
            whole("max_iterations", self.max_iterations, 1)
        if self.threads is not None:
            whole("threads", self.threads, 1)
        if self.impact_law is not None:
            one_of("impact_law", self.impact_law, IMPACT_LAWS)
        if self.mixing is not None and in_range("mixing", self.mixing, 0.0, 1.0) == 1.0:
            raise ValueError(
                "mixing: expected less than 1, got 1; all of velocities is the law of "
                "'rk4-velocity' and 'radau-velocity'"
            )


TimeStepping.__doc__ = with_notes(TimeStepping.__doc__, _NOTES)


def _check_control(step: float, error: ArrayLike | None, min_step: float | None) -> None:
    if error is None:
        if min_step is not None:
            raise ValueError(
                f"min_step: must be left out for steps of one length, got {min_step:g}. Leave it "
                "out, or give error."
            )
        return
    errors = as_column("error", np.atleast_1d(np.asarray(error)))
    if not ((errors > 0.0) & np.isfinite(errors)).all():
        raise ValueError(f"error: expected numbers > 0, got {errors.tolist()}")
    if min_step is not None and min_step > step:
        raise ValueError(f"min_step: expected at most step = {step:g}, got {min_step:g}")


Method = EventDriven | TimeStepping
