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

_INEXACT = 1e-5  # error of the multiplier along the motion
_NEUTRAL = 1e-6  # distance of a modulus from 1, more than its rounding error
_LIMIT = 1e-8  # rounding error of an impulse at the limit of friction


@records.made_when_asked("system")
@dataclass(frozen=True, eq=False, repr=False)
class PeriodicOrbit(ShownAsTable, records.Saved):
    """A periodic motion, with n = nq + nu + nx and y = (q, u, x).

    The point (t, q, u, x) of the orbit is away from all events. Coordinates on which the motion
    does not depend need not return. Their change in a period is `drift`.
    """

    _format: ClassVar[str] = "nsmb-orbit"
    _called: ClassVar[str] = "periodic orbit"

    system: System
    section: Section | None
    method: EventDriven
    t: float
    """Time of the point, in s."""
    q: Vector
    """Coordinates, shape (nq,)."""
    u: Vector
    """Velocities, shape (nu,)."""
    x: Vector
    """Internal states, shape (nx,)."""
    period: float
    """Period in s."""
    drift: Vector
    """Change in a period, shape (n,), of coordinates on which the motion does not depend, and full
    turns of angles; zero elsewhere."""
    residual: float
    """Largest gap of the closed motion, with each component in units of its travel."""
    residuals: tuple[float, ...]
    """Residuals of the Newton iterations."""
    monodromy: Vector
    """Monodromy matrix ∂y(t + period)/∂y(t), shape (n, n)."""
    multipliers: NDArray[np.complex128]
    """Floquet multipliers by decreasing modulus, shape (n,)."""
    multiplier_kinds: tuple[str, ...]
    """Kind of each multiplier. Those of kind ``""`` determine stability. Trivial kinds are
    ``"time"`` (along the motion of an autonomous system), ``"shift: y"`` (along a coordinate on
    which the motion does not depend) and ``"constraint"`` (against contacts that are closed at the
    point)."""
    event_sequence: tuple[str, ...]
    """Kinds and contacts of the events of a period, starting at the point: ``"impact lower"``."""
    event_times: Vector
    """Times of these events in s, shape (k,)."""
    section_state: Vector
    """State y after the first section point, shape (n,); empty without a section."""
    section_points: int
    """Number of section points in a period; 0 without a section."""
    notes: tuple[SensitivityNote, ...]
    """Instants at which the derivative does not exist or loses rank, with the reasons."""
    status: str
    """``converged``, ``no_convergence``, ``no_recurrence``, ``section_not_met``,
    ``simulation_failed`` or ``inadmissible``."""
    message: str
    mesh: Mesh | None = None
    """Points of the shooting method."""
    signature: tuple[str, ...] = ()
    """Events with the contact states after them, for the comparison of orbits."""
    floquet: Multipliers | None = field(default=None)

    @property
    def success(self) -> bool:
        """True if the status is ``converged``."""
        return self.status == "converged"

    @property
    def iterations(self) -> int:
        """Number of Newton iterations."""
        return max(0, len(self.residuals) - 1)

    @property
    def parameters(self) -> Mapping[str, float]:
        """Parameters of the system."""
        return self.system.parameters

    @property
    def y(self) -> Vector:
        """State at the point, shape (n,)."""
        return np.concatenate([self.q, self.u, self.x])

    @property
    def nontrivial(self) -> NDArray[np.complex128]:
        """Multipliers that determine stability, by decreasing modulus."""
        return self.multipliers[[kind == "" for kind in self.multiplier_kinds]]

    @property
    def stability(self) -> str:
        """``stable``, ``unstable`` or ``neutral``; empty if there is no orbit.

        An orbit is stable if all nontrivial multipliers are inside the unit circle, and unstable if
        one is outside. It is neutral if the largest one is on the unit circle, within 1e-6.
        """
        if not self.success:
            return ""
        largest = float(np.abs(self.nontrivial).max(initial=0.0))
        if abs(largest - 1.0) <= _NEUTRAL:
            return "neutral"
        return "stable" if largest < 1.0 else "unstable"

    @property
    def stable(self) -> bool:
        """True if `stability` is ``stable``: all multipliers are clearly inside the unit circle."""
        return self.stability == "stable"

    @property
    def differentiable(self) -> bool:
        """True if the derivative exists along the whole orbit.

        It does not exist if a contact is grazed or if events coincide, see `notes`. The multipliers
        are then those of one side.
        """
        return all(note.kind == "rank" for note in self.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the components of y."""
        return self.system.labels.components

    @cached_property
    def solution(self) -> Solution:
        """The motion over one period, starting at the point.

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
        """Plot the phase portrait of one period; see :meth:`nsmb.Solution.plot_phase`.

        Parameters
        ----------
        x, y : str, optional
            Components of the state. By default, `x` is the first coordinate that moves and returns,
            and `y` is the velocity of `x`.
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
            If a component is unknown, or if there is no orbit.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return self.solution.plot_phase(x, y, events=events, ax=ax, title=title)

    def plot_multipliers(self, ax: Axes | None = None) -> Axes:
        """Plot the Floquet multipliers beside the unit circle.

        Trivial multipliers are hollow: those of time, of shifts on which the motion does not
        depend, and of constraints. Multipliers with a modulus above 3 are not drawn. A line of text
        gives their number and the largest modulus.

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
        """Return period, drift, multipliers and events, one per line."""
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
    """Return codes for friction at its limit in compression and in expansion, by contact.

    If these codes change, so does the derivative of the impact.
    """
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
    """Return monodromy matrix and multipliers of a solution of the shooting equations."""
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
    """Return the events of a period with the contact states after them."""
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
    """Return the orbit that a solution of the shooting equations represents."""
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
    """Return the state after the first section point, and the number of points in a period."""
    if section is None:
        return np.zeros(0), 0
    # Slightly more than a period, because the section may be at the start of the orbit.
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
    """Return a placeholder for an orbit that was not found."""
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
