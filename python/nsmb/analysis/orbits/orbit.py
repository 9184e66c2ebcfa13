"""Periodic orbits of systems with impacts and friction, and their stability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common import records
from nsmb.analysis.figures import plots
from nsmb.analysis.maps.poincare import PoincareMap
from nsmb.analysis.maps.sections import EventSection, Section, StroboscopicSection, SurfaceSection
from nsmb.analysis.orbits.floquet import Multipliers, multipliers
from nsmb.analysis.orbits.flow import Flow, event_labels
from nsmb.analysis.orbits.guess import run_of
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.analysis.orbits.shooting import Evaluation, Mesh
from nsmb.common.html import ShownAsTable
from nsmb.events.enums import ContactState, EventKind
from nsmb.events.event_table import Event, Events
from nsmb.solution.sensitivity import SensitivityNote
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System
from nsmb.system.options import EventDriven

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "RECORDS",
    "PeriodicOrbit",
    "failed_orbit",
    "floquet_of",
    "orbit_of",
    "signature_of",
]

Vector = NDArray[np.float64]

_INEXACT = 1e-5  # of the multiplier along the motion
_NEUTRAL = 1e-6  # of the modulus of a multiplier, more than its rounding
_LIMIT = 1e-8  # rounding of an impulse on the limit of friction


@records.made_when_asked("system")
@dataclass(frozen=True, eq=False, repr=False)
class PeriodicOrbit(ShownAsTable, records.Saved):
    """A periodic motion, with n = nq + nu + nx and y = (q, u, x).

    Its point (t, q, u, x) is off all events. Coordinates the motion does not depend on need not
    come back: `drift` is what they gain in a period.
    """

    _format: ClassVar[str] = "nsmb-orbit"
    _called: ClassVar[str] = "periodic orbit"

    system: System
    section: Section | None
    method: EventDriven
    t: float
    """s"""
    q: Vector
    """(nq,)"""
    u: Vector
    """(nu,)"""
    x: Vector
    """(nx,)"""
    period: float
    """s"""
    drift: Vector
    """(n,) change in a period of coordinates the motion does not depend on, and full turns of
    angles; zero elsewhere."""
    residual: float
    """Largest gap left in the closed motion, each component in units of its travel."""
    residuals: tuple[float, ...]
    """The same, Newton iteration by Newton iteration."""
    monodromy: Vector
    """(n, n) ∂y(t + period)/∂y(t)."""
    multipliers: NDArray[np.complex128]
    """(n,) Floquet multipliers by falling modulus."""
    multiplier_kinds: tuple[str, ...]
    """What each of them is: ``""`` decides on stability; trivial are ``"time"`` (along the motion
    of an autonomous system), ``"shift: y"`` (along a coordinate the motion does not depend on) and
    ``"constraint"`` (against contacts that are closed at the point)."""
    event_sequence: tuple[str, ...]
    """Kinds and contacts of the events of a period, from the point on: ``"impact lower"``."""
    event_times: Vector
    """(k,) s, times of these events."""
    section_state: Vector
    """(n,) y behind the first meeting with the section; empty without one."""
    section_points: int
    """Meetings with the section in a period; 0 without one."""
    notes: tuple[SensitivityNote, ...]
    """Where the derivative does not exist, and why, or loses rank."""
    status: str
    """``converged``, ``no_convergence``, ``no_recurrence``, ``section_not_met``,
    ``simulation_failed`` or ``inadmissible``."""
    message: str
    mesh: Mesh | None = None
    """Points the shooting went through."""
    signature: tuple[str, ...] = ()
    """The events with the contact states behind them, to compare orbits by."""
    floquet: Multipliers | None = field(default=None)

    @property
    def success(self) -> bool:
        """Whether the status is ``converged``."""
        return self.status == "converged"

    @property
    def iterations(self) -> int:
        """Newton iterations."""
        return max(0, len(self.residuals) - 1)

    @property
    def parameters(self) -> Mapping[str, float]:
        """Parameters of the system."""
        return self.system.parameters

    @property
    def y(self) -> Vector:
        """(n,) the point."""
        return np.concatenate([self.q, self.u, self.x])

    @property
    def nontrivial(self) -> NDArray[np.complex128]:
        """Multipliers that decide on stability, by falling modulus."""
        return self.multipliers[[kind == "" for kind in self.multiplier_kinds]]

    @property
    def stability(self) -> str:
        """``stable``: all nontrivial multipliers lie inside the unit circle; ``unstable``: one lies
        outside; ``neutral``: the largest lies on it, within 1e-6. ``""``: there is no orbit."""
        if not self.success:
            return ""
        largest = float(np.abs(self.nontrivial).max(initial=0.0))
        if abs(largest - 1.0) <= _NEUTRAL:
            return "neutral"
        return "stable" if largest < 1.0 else "unstable"

    @property
    def stable(self) -> bool:
        """Whether `stability` is ``stable``: all multipliers clearly inside the unit circle."""
        return self.stability == "stable"

    @property
    def differentiable(self) -> bool:
        """Whether the derivative exists all along: not so where a contact is grazed or events fall
        together, see `notes`; multipliers are then those of one side."""
        return all(note.kind == "rank" for note in self.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the components of y."""
        return self.system.labels.components

    @cached_property
    def solution(self) -> Solution:
        """The motion over one period from the point on.

        Raises
        ------
        ValueError
            If there is no orbit.
        """
        if not self.success:
            raise ValueError(f"solution: expected a converged orbit, got status {self.status!r}")
        return run_of(Flow(self.system, self.method), self.t, self.y, self.period)

    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        events: bool = True,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Axes:
        """Plot the phase portrait of one period, see :meth:`nsmb.Solution.plot_phase`.

        Parameters
        ----------
        x, y : str, optional
            Components of the state. Default of `x`: the first coordinate that moves and comes back;
            of `y`: the velocity of `x`.
        events : bool
            Mark events by their kind.
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        title : str, optional

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            For an unknown component, or if there is no orbit.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return self.solution.plot_phase(x, y, events=events, ax=ax, title=title)

    def plot_multipliers(self, ax: Axes | None = None) -> Axes:
        """Plot the Floquet multipliers beside the unit circle.

        Trivial multipliers are hollow: that of time, of shifts that the motion does not depend on,
        of constraints. Those of a modulus above 3 are not drawn; a line of text gives their number
        and the largest modulus.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If there is no orbit.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return plots.plot_multipliers(self, ax)

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return RECORDS

    def to_text(self) -> str:
        """Period, drift, multipliers and events, a line each."""
        if not self.success:
            return f"No periodic orbit of {self.system.name}: {self.status}\n  {self.message}"
        lines = [f"{self.stability.capitalize()} periodic orbit of {self.system.name}"]
        lines.append(f"  period       {self.period:.12g} s, residual {self.residual:.2g}")
        moved = [
            f"{name} {value:+.10g}"
            for name, value in zip(self.names, self.drift, strict=True)
            if value != 0.0
        ]
        if moved:
            lines.append(f"  drift        {', '.join(moved)}")
        values = [
            f"{_complex(value)}{f' ({kind})' if kind else ''}"
            for value, kind in zip(self.multipliers, self.multiplier_kinds, strict=True)
        ]
        lines.append(f"  multipliers  {', '.join(values)}")
        lines.append(f"  events       {', '.join(self.event_sequence) or 'none'}")
        lines += [f"  note         {note.message}" for note in self.notes if note.kind != "rank"]
        if self.message:
            lines.append(f"  note         {self.message}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.to_text()


RECORDS: tuple[type, ...] = (
    StroboscopicSection,
    EventSection,
    SurfaceSection,
    SensitivityNote,
    Multipliers,
    Mesh,
)


def _complex(value: complex) -> str:
    if abs(value.imag) < 1e-12 * max(1.0, abs(value)):
        return f"{value.real:.6g}"
    return f"{value.real:.6g}{value.imag:+.6g}i"


def _signature(system: System, events: Events) -> tuple[str, ...]:
    states = [state.label for state in ContactState]
    labels = []
    for label, event, row in zip(event_labels(events), events, events.contacts, strict=True):
        behind = ", ".join(states[i] for i in event.state_plus[row])
        way = _impulse_directions(system, event) if event.kind == EventKind.IMPACT else ""
        labels.append(f"{label} ({behind}{way})")
    return tuple(labels)


def _impulse_directions(system: System, event: Event) -> str:
    """Whether friction was at its limit in compression and in expansion, contact by contact: where
    this changes, the derivative of the impact does."""
    codes = []
    first = 0
    for i, contact in enumerate(system.contacts):
        column, first = first, first + contact.tangents
        if contact.tangents != 1 or not contact.is_unilateral or contact.law.mu == 0.0:
            continue
        N_C, T_C = float(event.Lambda_NC[i]), float(event.Lambda_TC[column])
        N_E, T_E = float(event.Lambda_N[i]) - N_C, float(event.Lambda_T[column]) - T_C
        for N, T in ((N_C, T_C), (N_E, T_E)):
            limit = (1.0 - _LIMIT) * contact.law.mu * N
            codes.append("." if N == 0.0 else "0" if abs(T) < limit else "+" if T > 0.0 else "-")
    return "; " + "".join(codes) if codes else ""


def floquet_of(flow: Flow, evaluation: Evaluation) -> tuple[Vector, Multipliers]:
    """Monodromy matrix and multipliers of a solution of the shooting equations."""
    mesh, runs = evaluation.mesh, evaluation.runs
    names = flow.system.labels.components
    M = reduce(lambda product, run: run.D @ product, runs, np.eye(len(names)))
    found = multipliers(
        M,
        mesh.bases(flow)[0],
        mesh.scale,
        rate=runs[0].rate_start if mesh.cycles == 0 else None,
        invariant=np.flatnonzero(mesh.invariant).tolist(),
        names=names,
    )
    return M, found


def signature_of(evaluation: Evaluation) -> tuple[str, ...]:
    """The events of a period with the contact states behind them."""
    return tuple(
        label for run in evaluation.runs for label in _signature(evaluation.system, run.events)
    )


def orbit_of(
    flow: Flow,
    section: Section | None,
    evaluation: Evaluation,
    residuals: tuple[float, ...],
    *,
    message: str = "",
) -> PeriodicOrbit:
    """The orbit a solution of the shooting equations stands for."""
    mesh, runs, system = evaluation.mesh, evaluation.runs, evaluation.system
    here = evaluation.flow
    M, found = floquet_of(here, evaluation)
    gained = np.sum([run.y - y for run, y in zip(runs, mesh.states, strict=True)], axis=0)
    drift = np.where(mesh.invariant, gained, mesh.turn)
    q, u, x = here.split(mesh.states[0])
    along = [value for value, kind in zip(found.values, found.kinds, strict=True) if kind == "time"]
    if along and abs(along[0] - 1.0) > _INEXACT:
        message = (
            f"the multiplier along the motion is {abs(along[0]):.6g} instead of 1: the derivative "
            "is not exact, and neither are the other multipliers"
        )
    state, count = _at_section(here, section, State(mesh.t_0, q, u, x), mesh.duration)
    return PeriodicOrbit(
        system=system,
        section=section,
        method=flow.method,
        t=mesh.t_0,
        q=q,
        u=u,
        x=x,
        period=mesh.duration,
        drift=drift,
        residual=residuals[-1],
        residuals=residuals,
        monodromy=M,
        multipliers=found.values,
        multiplier_kinds=found.kinds,
        event_sequence=tuple(label for run in runs for label in event_labels(run.events)),
        event_times=np.concatenate([run.events.t for run in runs]),
        section_state=state,
        section_points=count,
        notes=tuple(note for run in runs for note in run.notes),
        status="converged",
        message=message,
        mesh=mesh,
        signature=signature_of(evaluation),
        floquet=found,
    )


def _at_section(
    flow: Flow, section: Section | None, start: State, duration: float
) -> tuple[Vector, int]:
    """The state behind the first meeting with the section, and how many there are in a period."""
    if section is None:
        return np.zeros(0), 0
    # A hair more than a period: the section may lie where the orbit begins.
    end = start.t + duration * (1.0 + 1e-9)
    seen = PoincareMap(flow.system, section, method=flow.method, t_max=2.0 * duration)
    points, wanted = seen.iterate(4, start=start), 4
    while points.success and points.t[-1] < end:
        wanted *= 4
        points = seen.iterate(wanted, start=start)
    if points.t.size == 0:
        return np.zeros(0), 0
    return points.y_plus[0], int((points.t <= end).sum())


def failed_orbit(
    flow: Flow, section: Section | None, state: State, error: Unreachable
) -> PeriodicOrbit:
    """An orbit that was not found."""
    size = flow.size
    return PeriodicOrbit(
        system=flow.system,
        section=section,
        method=flow.method,
        t=state.t,
        q=state.q,
        u=state.u,
        x=state.x,
        period=math.nan,
        drift=np.zeros(size),
        residual=math.inf,
        residuals=(),
        monodromy=np.full((size, size), np.nan),
        multipliers=np.zeros(0, dtype=np.complex128),
        multiplier_kinds=(),
        event_sequence=(),
        event_times=np.zeros(0),
        section_state=np.zeros(0),
        section_points=0,
        notes=(),
        status=error.status,
        message=str(error),
    )
