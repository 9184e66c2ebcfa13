"""First guess of a periodic orbit from a run, and the choice of its smooth points."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.maps.sections import StroboscopicSection
from nsmb.analysis.orbits.flow import Flow
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.analysis.orbits.shooting import Mesh
from nsmb.analysis.orbits.tangent import invariant_coordinates
from nsmb.events.enums import ContactState
from nsmb.simulation.simulate import simulate
from nsmb.solution.solution import Solution
from nsmb.system.base import State, System

__all__ = ["Recurrence", "mesh_of", "recurrence", "run_of"]

Vector = NDArray[np.float64]

_SAMPLES = 256
_CLOSE = 2e-2  # relative to the size of the motion; near enough for Newton's method
_CLOSED_PHASES = 0.2  # weight of a phase for each contact that is closed in it


@dataclass(frozen=True, eq=False)
class Recurrence:
    """A motion that returns to its start."""

    state: State
    duration: float
    """Duration in s."""
    count: int
    """Number of section points in the duration."""


def run_of(flow: Flow, t: float, y: Vector, duration: float) -> Solution:
    """Return the motion over `duration` with its polynomials.

    Raises
    ------
    Unreachable
        If the run fails.
    """
    q, u, x = flow.split(y)
    method = dataclasses.replace(flow.method, dense_output=True)
    try:
        solution = simulate(
            flow.system,
            t + duration,
            t_start=t,
            q=q,
            u=u,
            x=x,
            method=method,
            output_step=0.0,
            throw=False,
        )
    except ValueError as error:
        raise Unreachable("simulation_failed", str(error)) from None
    if not solution.success:
        raise Unreachable("simulation_failed", f"{solution.status}: {solution.message}")
    return solution


def recurrence(
    flow: Flow, t: Vector, y: Vector, *, count: int | None, cycle: float | None
) -> Recurrence:
    """Return the shortest recurrence among the last section points.

    Parameters
    ----------
    flow : Flow
    t, y : (m,), (m, n) ndarray
        Section points, in the order of time.
    count : int, optional
        Number of section points in a period; None: as observed.
    cycle : float, optional
        Period of the system in time, in s; the duration is a multiple of it.

    Raises
    ------
    Unreachable
        If the points do not return close to one another.
    """
    if count is None:
        distances = _distances(flow, t, y)
        nearest = float(distances.min(initial=np.inf))
        if nearest > _CLOSE:
            raise Unreachable(
                "no_recurrence",
                f"no recurrence within {distances.size} section points: the nearest return "
                f"misses by {nearest:.2g} of the size of the motion. The motion is chaotic or "
                "has not settled. Pass a longer transient, another start, or start and period of "
                "an unstable orbit.",
            )
        count = 1 + int(np.flatnonzero(distances <= max(1e-6, 3.0 * nearest))[0])
    first = len(t) - 1 - count
    duration = float(t[-1] - t[first])
    if cycle is not None:
        cycles = round(duration / cycle)
        if cycles < 1 or abs(duration - cycles * cycle) > 0.05 * cycle:
            raise Unreachable(
                "no_recurrence",
                f"{count} section points take {duration / cycle:.4g} periods of the system, no "
                "whole number; give another number of section points as period, or "
                "section=every()",
            )
        duration = cycles * cycle
    q, u, x = flow.split(y[first])
    return Recurrence(State(float(t[first]), q, u, x), duration, count)


def _distances(flow: Flow, t: Vector, y: Vector) -> Vector:
    """Return the distances of the last point from the ones 1, 2, ... points before, shape (k,).

    Distances are in units of the motion. Invariant coordinates and full turns are ignored.
    """
    last, most = len(t) - 1, len(t) // 2
    solution = run_of(flow, float(t[last - 1]), y[last - 1], float(t[last] - t[last - 1]))
    samples = _along(solution, solution.t_span[0], solution.t_span[1])
    scale = np.maximum(_sizes(flow.system, samples), np.ptp(y[last - most :], axis=0))
    pairs = [(float(t[i]), y[i]) for i in range(max(0, last - 2), last + 1)]
    counts = ~invariant_coordinates(flow.system, pairs)
    turns = _turning(flow.system, pairs)
    distances = []
    for k in range(1, most + 1):
        apart = y[last] - y[last - k]
        apart[turns] -= 2.0 * np.pi * np.round(apart[turns] / (2.0 * np.pi))
        distances.append(float(np.abs(apart / scale)[counts].max(initial=0.0)))
    return np.array(distances)


def _turning(system: System, samples: list[tuple[float, Vector]]) -> NDArray[np.bool_]:
    """Return the angles for which a full turn changes nothing, in rad, shape (n,)."""
    size = samples[0][1].size
    shifts = np.zeros(size)
    angles = np.zeros(size, dtype=np.bool_)
    angles[: system.nq] = [unit == "rad" for unit in system.coordinate_units]
    shifts[angles] = 2.0 * np.pi
    return angles & invariant_coordinates(system, samples, shifts)


def _along(solution: Solution, first: float, last: float) -> Vector:
    sample = solution.at(np.linspace(first, last, _SAMPLES))
    rows = np.concatenate([sample.q, sample.u, sample.x], axis=1)
    return np.concatenate([rows, np.concatenate([solution.q, solution.u, solution.x], axis=1)])


def _sizes(system: System, samples: Vector) -> Vector:
    """Return the travel of the components, or for those at rest a thousandth of the largest."""
    travel: Vector = np.ptp(samples, axis=0)
    sizes = travel.copy()
    groups = np.cumsum([0, system.nq, system.nu, system.nx])
    for first, last in pairwise(groups.tolist()):
        most = float(travel[first:last].max(initial=0.0))
        values = float(np.abs(samples[:, first:last]).max(initial=0.0))
        floor = 1e-3 * most if most > 1e-9 * values else max(values, 1.0)
        sizes[first:last] = np.maximum(travel[first:last], floor)
    return sizes


def mesh_of(
    flow: Flow,
    start: State,
    duration: float,
    *,
    segments: int,
    base_period: StroboscopicSection | None,
) -> Mesh:
    """Return smooth points of a nearly closed motion.

    The first point is in the middle of a long phase between two events, with few closed contacts.
    The other points are at about equal distances.

    Raises
    ------
    Unreachable
        If the run from `start` fails.
    """
    y_start = np.concatenate([start.q, start.u, start.x])
    solution = run_of(flow, start.t, y_start, duration)
    first, last = solution.t_span
    samples = _along(solution, first, last)
    scale = _sizes(flow.system, samples)
    pairs = [
        (float(t), _state(solution, t)[0]) for t in first + duration * np.array([0.13, 0.47, 0.81])
    ]
    invariant = invariant_coordinates(flow.system, pairs)
    turning = _turning(flow.system, pairs) & ~invariant
    change = _state(solution, last)[0] - y_start
    turn = np.where(turning, 2.0 * np.pi * np.round(change / (2.0 * np.pi)), 0.0)
    times = _smooth_points(solution, duration, segments)
    base = 0.0
    if base_period is not None:
        cycle = base_period.period_of(flow.system)
        base = times[0] - cycle * np.floor(times[0] / cycle)
    states, modes = [], []
    for t in times:
        wrapped = t > last
        y, mode = _state(solution, t - duration if wrapped else t)
        states.append(y + turn if wrapped else y)
        modes.append(mode)
    table = np.array(states)
    # Coordinates on which the motion does not depend start at the initial state of the system.
    initial = flow.system.initial_state
    walls = np.zeros(flow.system.nx - initial.x.size)  # not given, therefore relaxed
    origin = np.concatenate([initial.q, initial.u, initial.x, walls])
    table[:, invariant] += (origin - table[0])[invariant]
    return Mesh(
        t_0=float(base),
        phases=(times - times[0]) / duration,
        states=table,
        contact_states=np.array(modes, dtype=np.int8).reshape(len(times), flow.system.nc),
        duration=duration,
        cycles=0 if base_period is None else round(duration / base_period.period_of(flow.system)),
        scale=scale,
        invariant=invariant,
        turn=turn,
        base_period=base_period,
    )


def _state(solution: Solution, t: float) -> tuple[Vector, NDArray[np.int8]]:
    sample = solution.at(min(float(t), solution.t_span[1]))
    return np.concatenate([sample.q, sample.u, sample.x]), sample.contact_state


def _smooth_points(solution: Solution, duration: float, segments: int) -> Vector:
    """Return times, shape (segments,): the first in the run, all within a duration after it."""
    first, last = solution.t_span
    inside = solution.events.t
    inside = np.unique(inside[(inside > first) & (inside < last)])
    edges = np.concatenate([[first], inside, [last]])
    lengths, middles = np.diff(edges), 0.5 * (edges[:-1] + edges[1:])
    closed = (solution.at(middles).contact_state != ContactState.OPEN).sum(axis=1)
    best = int(np.argmax(lengths * _CLOSED_PHASES**closed))
    shares = np.linspace(0.0, 1.0, 4 * segments + 3)[1:-1]
    room = np.minimum(shares, 1.0 - shares)
    inner = (edges[:-1, None] + lengths[:, None] * shares).ravel()
    margins = (lengths[:, None] * room).ravel()
    times = [float(middles[best])]
    for j in range(1, segments):
        wanted = middles[best] + duration * j / segments
        ahead = np.where(inner > times[0], inner, inner + duration)
        # Near the wanted time, but away from events.
        cost = np.abs(ahead - wanted) - 0.5 * margins
        room_left = times[0] + duration * (1.0 - 1e-3)
        cost[(ahead <= times[-1] + 1e-3 * duration) | (ahead >= room_left)] = np.inf
        times.append(float(ahead[np.argmin(cost)]))
    return np.array(times)
