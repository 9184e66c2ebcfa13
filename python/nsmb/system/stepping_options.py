"""Options of time-stepping methods."""

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
    """Options of all time-stepping methods.

    Forces in a `Solution` are means over steps. The force at a sample is the impulse of its step
    divided by the step length, and includes impact impulses.
    """

    step: float = field(kw_only=False)
    """Step length, s; with `error`, the maximum step length.

    Steps end at discontinuities in time and at the end of the run."""
    tol: float = 1e-8
    """Tolerance on the residual of the contact laws, relative to the largest relative velocity.

    Steps that exceed it are marked in ``Solution.step_status`` and counted in
    ``stats["missed_steps"]``."""
    on_failure: Literal["continue", "stop"] = "continue"
    """Behaviour at a step that exceeds `tol`.

    With ``continue``, the best impulses found are applied if they create no energy and no bodies
    separate faster than they approached. Otherwise the contacts come to rest. Such steps are
    counted in ``stats["locked_steps"]`` unless rest is a solution. `PositionForces` and
    `VelocityForces` always apply the best impulses.

    With ``stop``, the run ends with the status ``no_contact_solution``, or with
    ``integration_failure`` at a coarse step. A step is coarse if it is too long, has more than a
    thousand touches of fast shapes, or leaves contacts with deep penetration."""
    gap_tolerance: float = 1e-9
    """Gap tolerance, m.

    A contact takes part in a step if its gap in the middle of the step is below this value. A
    closed contact also takes part if forces would close it again within the step. The gaps of
    persistent contacts at the end of a step are at most this value. The default is larger than in
    :class:`nsmb.EventDriven` because gaps are corrected by iteration. Steps that leave gap errors
    of more than 1000 times this value are coarse."""

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("step", self.step)
        positive("tol", self.tol)
        one_of("on_failure", self.on_failure, ("continue", "stop"))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _ImpactSteps(Stepping, ImpactOptions):
    """Options of the time-stepping methods with impacts."""

    error: ArrayLike | None = None
    """Bound on the estimated error of each coordinate over two steps of maximum length, m or rad.

    Pass a number or one value per coordinate, shape (nq,). None: all steps have the same length.
    To estimate the error, each pair of steps is compared with one step of twice the length, and the
    step length is adapted. In smooth motion, a pair of steps may use its share of the bound. An
    impact or a switch may use the whole bound, because its time is resolved only to one step. No
    step becomes shorter than this requires. ``Solution.stats`` counts ``rejected_steps``."""
    min_step: float | None = None
    """Minimum step length with `error`, s; None: 1e-5 of `step`.

    If the bound would require a shorter step, the step is taken with the minimum length. It is
    marked in ``Solution.step_status`` and counted in ``stats["coarse_steps"]``."""
    solver: Literal[
        "auto", "newton", "gauss_seidel", "projected_gradient", "admm", "dense", "interior_point"
    ] = "auto"
    """Solver of the contact problems with sparse matrices, see
    `nsmb.complementarity.friction.solve`. ``dense`` uses dense matrices. ``auto`` solves problems
    with few contacts exactly."""
    max_time: float = math.inf
    """Wall-clock time limit for the contact problem of one step, s.

    When it is reached, the best impulses so far are applied. The step is marked if they exceed
    `tol`. Results then depend on the machine."""
    max_iterations: int | None = None
    """Maximum number of iterations of the solver; None: solver default.

    Iterations are sweeps or steps, depending on the solver."""
    threads: int = 1
    """Number of threads of ``gauss_seidel`` and ``auto``.

    Results are bitwise identical for any number of threads."""

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
    """Time stepping that solves all contacts together, once per step.

    Events are not located, so the cost of a step does not depend on the number of events in it. The
    method suits piles, walls and chains, and other systems with too many impacts to resolve
    individually. Positions and velocities are first-order accurate in the step length. They are
    second-order accurate between impacts and without contacts.

    A step consists of half a step of free motion, an impulse from loads and contacts, and another
    half step of free motion. Free motion is the motion of bodies, trees and closed loops without
    loads. It conserves energy at any angular velocity. Loads are linearised, so stiff springs and
    dampers do not limit the step length. An impact acts as if at one instant. A persistent contact
    keeps its gap and does no work.

    Impacts are the only events. All contacts that close in a step faster than forces could cause
    within one step share one row at the end of the step. The impulses of the row are those of the
    whole step. For the impact laws ``poisson``, which has two phases, and ``newton``, which does
    not cover finite forces, the impact comes first in its step. Forces then act after it.

    Raises
    ------
    TypeError
        If an option belongs to another method; the message names that method.
    ValueError
        If an option is out of range; the message names the option.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0, method=nsmb.Midpoint(1e-3))
    >>> sol.status, sol.stats["steps"], sol.stats["missed_steps"]
    ('finished', 3000, 0)
    """

    sleeping: bool = False
    """Put groups of touching bodies to sleep when they come to rest.

    A sleeping group keeps its position and contact forces at almost no computational cost. It wakes
    when an awake body touches it or the forces on it change. A group also falls asleep if, for
    twenty steps, its velocities stay below a thousandth of the change that one step without
    contacts would cause. ``stats["asleep"]`` counts the sleeping bodies and trees."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sleeping and self.error is not None:
            raise ValueError("sleeping: must be False if error is given.")


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hybrid(_ImpactSteps):
    """Event-driven simulation while events are isolated, and time stepping while they accumulate.

    The method changes to steps of :class:`nsmb.Midpoint` if four impacts occur within the length of
    one step, or if an instant has no solution. It changes back after three consecutive steps
    without impacts.

    Raises
    ------
    TypeError
        If an option belongs to another method; the message names that method.
    ValueError
        If an option is out of range; the message names the option.

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
    """Options of the methods that compute contact forces without impacts."""

    main_integrator: Literal["euler", "rk4", "radau"] | None = None
    """Integrator that advances the motion under the contact forces; None: `integrator`.

    The choices are explicit Euler with the mean of both velocities for the coordinates, the
    classical Runge-Kutta method, and three-stage Radau IIA. They have order 1, 4 and 5 while no
    contact force changes. The contact forces depend only on this integrator. `integrator` only
    affects the number of iterations required to find the forces."""
    solver: Literal["auto", "newton", "gauss_seidel", "augmented_lagrangian", "polyhedral"] = "auto"
    """Solver of contact problems with two tangential directions, see
    `nsmb.complementarity.friction.solve`."""
    max_iterations: int = 50
    """Maximum number of contact problems per step, each linearised about the previous result."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.main_integrator is not None:
            one_of("main_integrator", self.main_integrator, _MAIN_INTEGRATORS)
        one_of("solver", self.solver, _FORCE_SOLVERS)
        whole("max_iterations", self.max_iterations, 1)


@method_class
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PositionForces(_ForceSteps):
    """Time stepping with contact forces that leave no negative gap at the end of a step.

    Forces are constant over a step. There are neither impacts nor restitution
    (``e_N = e_T = 0``), and no events are recorded. Collisions take a finite time, in bodies that
    deform. The step should be at most a tenth of the shortest period of the bodies in contact.
    Source: Ebrahimi (2007), (5.10)-(5.34).

    Raises
    ------
    TypeError
        If an option belongs to another method; the message names that method.
    ValueError
        If an option is out of range; the message names the option.

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
    """Integrator that predicts the effect of contact forces at the end of a step.

    It also advances the motion unless `main_integrator` is given. Use ``radau`` for stiff
    systems."""
    mixing: float = 0.0
    """Weight of the velocity in the contact law, 0 <= mixing < 1.

    The law applies to (1 - mixing) 2 g/h + mixing g' at the end of the step. A contact at rest
    keeps 2 mixing - 1 of its velocity from step to step. With 0, the law of the source, the
    velocity changes sign in every step and the forces alternate. With 1/2, the contact comes to
    rest at once, and the gap of a moving contact is off by half a step of its motion."""

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
    """Time stepping with contact forces that stop the approach of closed contacts in each step.

    Forces are constant over a step. There are neither impacts nor restitution
    (``e_N = e_T = 0``), and no events are recorded. Collisions take a finite time, in bodies that
    deform. The step should be at most a tenth of the shortest period of the bodies in contact. A
    contact may penetrate by the distance that it approaches in one step. Source: Ebrahimi (2007),
    (5.35)-(5.37).

    Raises
    ------
    TypeError
        If an option belongs to another method; the message names that method.
    ValueError
        If an option is out of range; the message names the option.

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
    """Integrator that predicts the effect of contact forces at the end of a step.

    It also advances the motion unless `main_integrator` is given. Use ``radau`` for stiff
    systems."""

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
