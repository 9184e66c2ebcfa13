"""Lyapunov spectra from the derivative of the motion, including jumps."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.errors import AnalysisInterrupted
from nsmb.analysis.common.sweep import progress_bar
from nsmb.analysis.maps.poincare import PoincareMap
from nsmb.analysis.maps.points import core_options
from nsmb.analysis.maps.sections import EventSection, Section, StroboscopicSection, every, on_event
from nsmb.common.arguments import as_instance, whole
from nsmb.common.html import ShownAsTable
from nsmb.events.enums import ContactState
from nsmb.simulation.simulator import Simulator, run
from nsmb.system.base import State, System, SystemLike, as_system
from nsmb.system.options import EventDriven

__all__ = ["LyapunovSpectrum", "lyapunov_spectrum"]

Vector = NDArray[np.float64]

_TURN = 100  # points for the frame to find its directions
_BLOCK = 100  # points between two evaluations of the derivative
# A direction ends if it shrinks in one part by this factor, relative to the others, ...
_LOST = 1e-13
_EDGE = 1e-8  # ... or by this one where directions are known to end (derivatives by differences)


@dataclass(frozen=True, eq=False)
class LyapunovSpectrum(ShownAsTable):
    """Mean growth rates of small disturbances; see :func:`lyapunov_spectrum`."""

    per: Literal["time", "impact"]
    growth: Vector
    """Logarithmic growth of each direction, shape (b, n), in batches of equally many points."""
    durations: Vector
    """Durations of the batches in s, shape (b,)."""
    counts: NDArray[np.int64]
    """Numbers of section points of the batches, shape (b,)."""
    notes: Mapping[str, int]
    """Number of times that the derivative did not exist, by kind, see `nsmb.results.Sensitivity`.
    The growth is then that of one side."""
    state: State
    """State at the last point, at which another run may start."""
    status: str
    """``"finished"``, or as in :class:`SectionPoints`."""
    message: str

    @property
    def success(self) -> bool:
        """True if all requested points were met."""
        return self.status == "finished"

    @property
    def exponents(self) -> Vector:
        """Exponents in 1/s or per impact, largest first, shape (n,); -inf if a direction ends."""
        return self.per_time if self.per == "time" else self.per_point

    @property
    def per_time(self) -> Vector:
        """Exponents in 1/s, largest first, shape (n,); NaN if no batch was finished."""
        return self._mean(self.durations)

    @property
    def per_point(self) -> Vector:
        """Exponents per point of the section, largest first, shape (n,)."""
        return self._mean(self.counts)

    @property
    def mean_interval(self) -> float:
        """Mean time between section points, in s."""
        return float(self.durations.sum() / self.counts.sum())

    @property
    def standard_error(self) -> Vector:
        """Standard errors of `exponents` from the scatter of the batches, shape (n,).

        They are NaN with fewer than two batches, and if an exponent is -inf.
        """
        weight = self.durations if self.per == "time" else self.counts.astype(np.float64)
        b = weight.size
        if b < 2:
            return np.full(self.growth.shape[1], np.nan)
        finite = np.isfinite(self.growth).all(axis=0)
        growth = np.where(finite, self.growth, np.nan)
        mean = growth.sum(axis=0) / weight.sum()
        scatter = growth - mean * weight[:, None]
        error = np.sqrt((scatter**2).sum(axis=0) * b / (b - 1)) / weight.sum()
        order = self._order()
        return np.asarray(error[order])

    @property
    def running(self) -> Vector:
        """Values of `exponents` at the end of each batch, shape (b, n), to judge convergence."""
        weight = self.durations if self.per == "time" else self.counts.astype(np.float64)
        means = np.cumsum(self.growth, axis=0) / np.cumsum(weight)[:, None]
        return np.asarray(means[:, self._order()])

    def __repr__(self) -> str:
        unit = "1/s" if self.per == "time" else "per impact"
        lines = [
            f"LyapunovSpectrum: {self.status}",
            f"  {self.counts.sum()} points in {self.durations.sum():.6g} s, "
            f"{self.counts.size} batches",
        ]
        for value, error in zip(self.exponents, self.standard_error, strict=True):
            lines.append(f"  {value:+.6g} ± {error:.2g} {unit}")
        lines += [f"  note {count} times {kind}" for kind, count in self.notes.items()]
        return "\n".join(lines + ([f"  note {self.message}"] if self.message else []))

    def _order(self) -> NDArray[np.intp]:
        return np.argsort(-self.growth.sum(axis=0), kind="stable")

    def _mean(self, weight: NDArray[Any]) -> Vector:
        if weight.size == 0:
            return np.full(self.growth.shape[1], np.nan)
        mean = self.growth.sum(axis=0) / weight.sum()
        return np.asarray(mean[self._order()])


def lyapunov_spectrum(
    system: SystemLike,
    *,
    section: Section | None = None,
    count: int = 1000,
    transient: int = 200,
    start: State | None = None,
    per: Literal["time", "impact"] = "time",
    exponents: int | None = None,
    batches: int = 20,
    method: EventDriven | None = None,
    t_max: float | None = None,
    progress: bool | None = None,
) -> LyapunovSpectrum:
    """Compute the Lyapunov exponents of a motion.

    Variational equations and the jumps at events transport a frame of disturbances. A QR
    decomposition makes it orthonormal again after every event. An autonomous motion has one
    exponent 0 for time, and one for every coordinate on which it does not depend. For a forced
    motion, time is not a direction. The exponent 0 that Pfeiffer & Glocker count by construction in
    (12.18) is therefore omitted.

    Parameters
    ----------
    system : System or Model
    section : Section, optional
        Events or times that are counted. Default: ``on_event("impact")`` for ``per="impact"``.
        Otherwise ``every()`` for systems with a period, and ``on_event("impact")`` without one.
    count, transient : int
        Points of the section: those that are averaged, and those discarded before.
    start : State, optional
        Default: ``system.initial_state``.
    per : {"time", "impact"}
        Unit of ``exponents``: per second or per impact. The result contains both.
    exponents : int, optional
        Number of exponents, starting with the largest. Default: all nq + nu + nx.
    batches : int
        Number of parts of the motion, whose scatter gives ``standard_error``.
    method, t_max, progress
        See :class:`PoincareMap`; progress None: only on a terminal.

    Returns
    -------
    LyapunovSpectrum

    Raises
    ------
    ValueError
        If an argument is invalid, or if the section is a crossing.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` is the spectrum so far, or in the transient its points.

    Examples
    --------
    Chaotic rattling of a loose gear wheel. The sum of the exponents is the growth rate of volumes:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> gear = nsmb.systems.gear_rattling(alpha=3.0)
    >>> found = analysis.lyapunov_spectrum(gear, count=400)
    >>> bool(found.exponents[0] > 0.2), bool(found.exponents.sum() < 0.0)
    (True, True)
    """
    system = as_system("system", system)
    if start is not None:
        as_instance("start", start, State, "make one with State(t, q, u)")
    if per not in ("time", "impact"):
        raise ValueError(f"per: expected 'time' or 'impact', got {per!r}")
    if section is None:
        section = every() if per == "time" and system.period is not None else on_event("impact")
    n = len(system.labels.components)
    number = n if exponents is None else whole("exponents", exponents, 1)
    if number > n:
        raise ValueError(f"exponents: expected at most {n}, got {number}")
    if per == "impact" and not isinstance(section, EventSection):
        raise ValueError(f"section: expected events for per='impact', got {section.describe()!r}")
    count, transient = whole("count", count, 1), whole("transient", transient, 0)
    sizes = np.diff(np.linspace(0, count, min(whole("batches", batches, 1), count) + 1).astype(int))
    section_map = PoincareMap(system, section, method=method, t_max=t_max)
    options = core_options(system, section)
    bar = progress_bar(progress, transient + count)
    try:
        return _run(section_map, options, sizes, transient, start, number, per, bar)
    finally:
        bar.close()


def _run(
    section_map: PoincareMap,
    options: dict[str, Any],
    sizes: NDArray[np.int64],
    transient: int,
    start: State | None,
    number: int,
    per: Literal["time", "impact"],
    bar: Any,
) -> LyapunovSpectrum:
    system, section = section_map.system, section_map.section
    turn = min(transient, max(int(sizes[0]), _TURN))  # for the frame to find its directions
    if transient > turn:
        before = section_map.iterate(1, start=start, skip=transient - turn - 1)
        bar.update(transient - turn)
        if not before.success:
            reached = start or system.initial_state  # if no point was met
            last = before.state() if len(before) else reached
            return _Frame(system, number).result(per, last, before.status, before.message)
        start = before.state()
    simulator = Simulator(system, section_map.method, output_step=0.0, sensitivity=True)
    if start is not None:
        simulator.reset(start.t, start.q, start.u, start.x)
    frame = _Frame(system, number)
    wait = max(section_map.t_max, 2.0 * options.get("period", 0.0))
    status, message = "finished", ""
    try:
        run(simulator, simulator.t, one_event=False, monitor=None)  # determines contact states
        frame.make_admissible(simulator)
        for batch, size in enumerate([turn, *sizes.tolist()]):
            if batch > 0:
                frame.begin_batch(simulator.t)
            while size > 0 and status == "finished":
                block = 1 if frame.is_bound else min(size, _BLOCK)
                part = simulator._core.iterate(
                    count=block, t_max=simulator.t + wait, keep=True, **options
                )
                found = part["t"].size
                frame.follow(simulator, found)
                size -= found
                bar.update(found)
                status = part["status"]
                if status == "ready":
                    status = "finished" if found else "section_not_met"
            if status != "finished":
                break
    except KeyboardInterrupt:
        message = f"interrupted at t = {simulator.t:.6g} s"
        done = frame.result(per, _present(simulator), "interrupted", message)
        raise AnalysisInterrupted(message, done) from None
    if status == "section_not_met":
        kind = "time" if isinstance(section, StroboscopicSection) else "event"
        message = (
            f"section {section.describe()!r}: no {kind} for a long time before t = "
            f"{simulator.t:.6g} s. Check that the motion reaches the section, or pass a larger "
            "t_max."
        )
    elif status != "finished":
        message = simulator._core.message
    return frame.result(per, _present(simulator), status, message)


def _present(simulator: Simulator) -> State:
    return State(simulator.t, simulator.q.copy(), simulator.u.copy(), simulator.x.copy())


class _Frame:
    """Orthonormal disturbances that are carried along a run."""

    def __init__(self, system: System, number: int) -> None:
        n = len(system.labels.components)
        # Use random directions, because a disturbance along an axis may never grow.
        self._Q = np.linalg.qr(np.random.default_rng(0).normal(size=(n, number)))[0]
        self._number = number
        self._alive = np.arange(number)  # indices of the columns of Q among all disturbances
        self._growth: list[Vector] = []
        self._starts: list[float] = []
        self._counts: list[int] = []
        self._notes: Counter[str] = Counter()
        self._t = 0.0
        self.is_bound = False
        """True if contacts or loops are currently closed. Disturbances must keep them closed, or
        rounding would lead the frame away."""

    def make_admissible(self, simulator: Simulator) -> None:
        """Project the frame onto disturbances that keep closed contacts and loops closed."""
        rows = _bound(simulator)
        self.is_bound = rows.size > 0
        if self.is_bound:
            _, size, axes = np.linalg.svd(rows)
            rank = int((size > _EDGE * size.max(initial=0.0)).sum())
            free = axes[rank:]
            self._carry(free.T @ free, _EDGE)

    def begin_batch(self, t: float) -> None:
        growth = np.full(self._number, -np.inf)
        growth[self._alive] = 0.0
        self._growth.append(growth)
        self._starts.append(t)
        self._counts.append(0)
        self._t = t

    def follow(self, simulator: Simulator, found: int) -> None:
        """Follow the parts since the last call, which the simulator then discards."""
        sensitivity = simulator.sensitivity
        assert sensitivity is not None
        ends = {note.t for note in sensitivity.notes if note.kind == "rank"}
        for t, factor in zip(sensitivity.t.tolist(), sensitivity.factors, strict=True):
            self._carry(factor, _EDGE if t in ends else _LOST)
        simulator._core.forget()
        self._t = simulator.t
        self.make_admissible(simulator)
        if self._counts:
            self._counts[-1] += found
            self._notes.update(note.kind for note in sensitivity.notes if note.kind != "rank")

    def _carry(self, factor: Vector, smallest: float) -> None:
        self._Q, R = np.linalg.qr(factor @ self._Q)
        size = np.abs(R.diagonal())
        lost = size <= smallest * size.max(initial=0.0)
        if lost.any():
            for growth in self._growth:
                growth[self._alive[lost]] = -np.inf
            self._alive, self._Q, size = self._alive[~lost], self._Q[:, ~lost], size[~lost]
        if self._growth:
            self._growth[-1][self._alive] += np.log(size)

    def result(
        self, per: Literal["time", "impact"], state: State, status: str, message: str
    ) -> LyapunovSpectrum:
        rows = [k for k, count in enumerate(self._counts) if count > 0]
        ends = np.array([*self._starts[1:], self._t])
        return LyapunovSpectrum(
            per,
            np.array([self._growth[k] for k in rows]).reshape(len(rows), self._number),
            (ends - np.array(self._starts))[rows] if rows else np.zeros(0),
            np.array([self._counts[k] for k in rows], dtype=np.int64),
            dict(self._notes),
            state,
            status,
            message,
        )


def _bound(simulator: Simulator) -> Vector:
    """Return the derivatives (k, ny) by y of the constraints of closed contacts and loops."""
    system = simulator.system
    t, y = simulator.t, np.concatenate([simulator.q, simulator.u, simulator.x])
    state = simulator.contact_state
    closed = np.flatnonzero(state != ContactState.OPEN)
    sticks = [
        column for i, column in enumerate(_tangents(system)) if state[i] == ContactState.STICK
    ]
    rows = [k for columns in sticks for k in columns]
    if closed.size == 0 and system.nb == 0:
        return np.zeros((0, y.size))
    nq, nu = system.nq, system.nu

    def kept(z: Vector) -> Vector:
        q, u = z[:nq], z[nq : nq + nu]
        parts = []
        if closed.size:
            contact = system.contact_quantities(t, q, u)
            parts += [contact["g_N"][closed], contact["gamma_N"][closed], contact["gamma_T"][rows]]
        if system.nb:
            loop = system.constraint_kinematics(t, q, u)
            parts += [loop["g"], loop["W"].T @ u + loop["w_tilde"]]
        return np.concatenate(parts)

    columns = []
    for i in range(nq + nu):
        h = np.zeros(y.size)
        h[i] = 1e-6 * max(1.0, abs(y[i]))
        columns.append((kept(y + h) - kept(y - h)) / (2.0 * h[i]))
    table = np.array(columns).T
    return np.hstack([table, np.zeros((len(table), y.size - nq - nu))])


def _tangents(system: System) -> list[range]:
    """Return the tangential directions of each contact, as indices."""
    ends = np.cumsum([contact.tangents for contact in system.contacts], dtype=int).tolist()
    return [range(a, b) for a, b in itertools.pairwise([0, *ends])]
