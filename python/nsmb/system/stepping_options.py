"""Options of motion in steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_column, in_range, one_of, positive, whole
from nsmb.system.method_options import ImpactOptions, MethodOptions, method_class

__all__ = ["Hybrid", "Midpoint", "PositionForces", "Stepping", "VelocityForces"]

_THREADED = ("auto", "gauss_seidel")
_IMPACT_SOLVERS = (
    "auto", "newton", "gauss_seidel", "projected_gradient", "admm", "dense", "interior_point",
)  # fmt: skip
_FORCE_SOLVERS = ("auto", "newton", "gauss_seidel", "augmented_lagrangian", "polyhedral")
_MAIN_INTEGRATORS = ("euler", "rk4", "radau")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Stepping(MethodOptions):
    """Options of all methods that move in steps.

    Forces of a `Solution` are means: those of a sample are the impulses of the step it lies in over
    its length, those of an impact included.
    """

    step: float = field(kw_only=False)
    """s, length of a step, with `error` the longest. Steps end at discontinuities in time, and at
    the end of the run."""
    tol: float = 1e-8
    """What a solver may leave of the laws of contact, as a part of the largest relative velocity;
    steps that miss it are marked in ``Solution.step_status``, ``stats["missed_steps"]`` counts."""
    on_failure: Literal["continue", "stop"] = "continue"
    """What happens at a step that misses `tol`. With ``continue``, the best impulses found are
    applied if they create no energy and let nothing part faster than it came. Otherwise the
    contacts come to rest, which ``stats["locked_steps"]`` counts where it is no solution. Methods
    that find forces always apply the best impulses. With ``stop``, the run ends with the status
    ``no_contact_solution``, or with ``integration_failure`` at a step that is coarse: too long,
    with more than a thousand touches of fast shapes, or with contacts left deep in each other."""
    gap_tolerance: float = 1e-9
    """m: contacts whose gap in the middle of a step is smaller take part in it, and closed ones
    that forces would close again within the step. What the end of a step leaves of gaps of those
    that last. It is larger than in :class:`nsmb.EventDriven`, because bodies are put onto their
    gaps by iteration: steps that leave more than 1000 times it are coarse."""

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("step", self.step)
        positive("tol", self.tol)
        one_of("on_failure", self.on_failure, ("continue", "stop"))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _ImpactSteps(Stepping, ImpactOptions):
    """Options of the methods that move in steps with impacts."""

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
    solver: Literal[
        "auto", "newton", "gauss_seidel", "projected_gradient", "admm", "dense", "interior_point"
    ] = "auto"
    """How contact problems are solved, as by `nsmb.complementarity.friction.solve_sparse`; ``auto``
    solves those of few contacts exactly."""
    max_time: float = math.inf
    """s of the clock, budget of the contact problem of a step; the best impulses by then are
    taken, and the step is marked if they miss `tol`. Results then depend on the machine."""
    max_iterations: int | None = None
    """Budget in sweeps, steps or factorised steps of the solver; None: that of each solver."""
    threads: int = 1
    """Threads of ``gauss_seidel`` and ``auto``; the result is the same for any number, bit for
    bit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_control(self.step, self.error, self.min_step)
        one_of("solver", self.solver, _IMPACT_SOLVERS)
        positive("max_time", self.max_time, unbounded=True)
        if self.max_iterations is not None:
            whole("max_iterations", self.max_iterations, 1)
        if whole("threads", self.threads, 1) > 1 and self.solver not in _THREADED:
            raise ValueError(
                f"`threads`: must be 1 for solver={self.solver!r}, which uses one thread, got "
                f"{self.threads}. Leave it out, or choose solver='gauss_seidel'."
            )


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Midpoint(_ImpactSteps):
    """Motion in steps of one length: all contacts are decided once for each step.

    Events are not located, so that a step costs the same whatever happens in it: for piles, walls,
    chains, and wherever impacts follow each other faster than anyone wants to know. Positions and
    velocities are then known to the order of the step; between impacts, and without contacts, to
    its square.

    A step is half a step of free motion, a kick by loads and contacts, and half a step of free
    motion. Free motion is that of bodies, trees, and closed loops without loads; it keeps energy
    at any rate of turning. Loads are linearised, so that stiff springs and dampers bear any step.
    A contact that strikes does so as at an instant; one that lasts keeps its gap and does no work.

    Events are the impacts alone: one row, at the end of the step, for all contacts that close in
    it faster than forces make them in one step; its impulses are those of the whole step. Where
    the law says that two phases follow each other (``poisson``), or is silent about finite forces
    (``newton``), an impact comes first in its step, and forces act after it.

    Raises
    ------
    TypeError
        For an option of another method; the message names that method.
    ValueError
        For an option out of range; the message names it.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0, method=nsmb.Midpoint(1e-3))
    >>> sol.status, sol.stats["steps"], sol.stats["missed_steps"]
    ('finished', 3000, 0)
    """

    sleeping: bool = False
    """Groups of bodies that have come to rest on each other cost next to nothing, until something
    awake touches them or forces on them change. They keep their place and the forces of their
    contacts; what creeps slower than a thousandth of what a step would make of it without
    contacts, for twenty steps, is held. ``stats["asleep"]`` says how many sleep."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sleeping and self.error is not None:
            raise ValueError("sleeping: expected False where an error decides how long steps are")


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hybrid(_ImpactSteps):
    """Event-driven motion as long as events are isolated, steps where they crowd.

    Where four impacts crowd within the length of one step, and where an instant has no solution,
    steps of :class:`nsmb.Midpoint` are taken until three of them are without impact.

    Raises
    ------
    TypeError
        For an option of another method; the message names that method.
    ValueError
        For an option out of range; the message names it.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0, method=nsmb.Hybrid(1e-3))
    >>> 0 < sol.stats["steps"] < 3000
    True
    """

    rtol: float = 1e-8
    """Relative tolerance of the integrators between events."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_step_log()
        in_range("rtol", positive("rtol", self.rtol), 1e-15, 1.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _ForceSteps(Stepping):
    """Options of the methods that find forces."""

    main_integrator: Literal["euler", "rk4", "radau"] | None = None
    """The method that advances the motion under the forces: explicit Euler with the mean of both
    velocities for coordinates, the classical method of Runge and Kutta, or Radau IIA with three
    stages, of order 1, 4 and 5 while no force of a contact changes; None: `integrator`. Forces
    depend on it alone, not on `integrator`, which decides how many iterations it takes to find
    them."""
    solver: Literal["auto", "newton", "gauss_seidel", "augmented_lagrangian", "polyhedral"] = "auto"
    """How contact problems with friction in a plane are solved, as by
    `nsmb.complementarity.friction.solve`."""
    max_iterations: int = 50
    """Most problems of contacts in a step, each linearised where the last one has led."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.main_integrator is not None:
            one_of("main_integrator", self.main_integrator, _MAIN_INTEGRATORS)
        one_of("solver", self.solver, _FORCE_SOLVERS)
        whole("max_iterations", self.max_iterations, 1)


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PositionForces(_ForceSteps):
    """Steps with the contact forces that leave no gap negative at their end.

    Forces are constant over a step. There are neither impacts nor restitution
    (``e_N = e_T = 0``): impacts take time, in bodies that deform, and no events are recorded.
    Steps should be at most a tenth of the shortest period of the bodies that touch. Source:
    Ebrahimi (2007), (5.10)-(5.34).

    Raises
    ------
    TypeError
        For an option of another method; the message names that method.
    ValueError
        For an option out of range; the message names it.

    Examples
    --------
    A mass lies on a floor:

    >>> import nsmb
    >>> mass = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[nsmb.Contact(w_N=[1.0])])
    >>> sol = nsmb.simulate(mass, 0.1, method=nsmb.PositionForces(1e-2, mixing=0.5))
    >>> sol.lambda_N[-1].round(2)
    array([9.81])
    """

    integrator: Literal["euler", "rk4", "radau"] = "rk4"
    """The method that says how forces move the end of a step; it advances the motion, too, unless
    there is a `main_integrator`. ``radau`` is for what is stiff."""
    mixing: float = 0.0
    """0 to 1, without 1: which part of the law is that of velocities, (1 - mixing) 2 g/h + mixing
    g' at the end of the step. A contact at rest keeps 2 mixing - 1 of its velocity from step to
    step: with 0, the law of the source, it turns round, and forces alternate; with 1/2 it is at
    rest at once, and the gap of a contact in motion is off by half a step of that motion."""

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("integrator", self.integrator, _MAIN_INTEGRATORS)
        if in_range("mixing", self.mixing, 0.0, 1.0) == 1.0:
            raise ValueError(
                "`mixing`: must be less than 1, got 1. Choose nsmb.VelocityForces, whose law is "
                "that of velocities alone."
            )


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VelocityForces(_ForceSteps):
    """Steps with the contact forces under which closed contacts do not approach at their end.

    Forces are constant over a step. There are neither impacts nor restitution
    (``e_N = e_T = 0``): impacts take time, in bodies that deform, and no events are recorded.
    Steps should be at most a tenth of the shortest period of the bodies that touch. A contact may
    penetrate by the distance that it approaches in one step. Source: Ebrahimi (2007),
    (5.35)-(5.37).

    Raises
    ------
    TypeError
        For an option of another method; the message names that method.
    ValueError
        For an option out of range; the message names it.

    Examples
    --------
    A mass lies on a floor:

    >>> import nsmb
    >>> mass = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[nsmb.Contact(w_N=[1.0])])
    >>> sol = nsmb.simulate(mass, 0.1, method=nsmb.VelocityForces(1e-2))
    >>> sol.lambda_N[-1].round(2)
    array([9.81])
    """

    integrator: Literal["rk4", "radau"] = "rk4"
    """The method that says how forces move the end of a step; it advances the motion, too, unless
    there is a `main_integrator`. ``radau`` is for what is stiff."""

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("integrator", self.integrator, ("rk4", "radau"))


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
    if min_step is None:
        return
    if positive("min_step", min_step) > step:
        raise ValueError(f"min_step: expected at most step = {step:g}, got {min_step:g}")
