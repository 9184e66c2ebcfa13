"""Test functions of the smooth special points of a branch, and causes of the other ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.orbits.orbit import PeriodicOrbit
from nsmb.events.enums import ContactState, EventKind
from nsmb.events.event_table import Event

__all__ = [
    "approach",
    "cause",
    "confirms_pair",
    "same_cycle",
    "tests_of_multipliers",
    "vanishing_impact",
]

Vector = NDArray[np.float64]
Complexes = NDArray[np.complex128]
States = NDArray[np.int8]

_SMALL = 1e-3  # relative size below which a quantity is about to vanish
_WEAK = 5e-2  # relative approach velocity below which an impact is about to graze
_SAMPLES = 100  # per phase


def tests_of_multipliers(values: Complexes) -> dict[str, float]:
    """Return functions that change sign where multipliers leave the unit circle.

    `values` are the nontrivial multipliers. A single multiplier that leaves at +1 is not detected.
    """
    tests = {"period doubling": float(np.prod(1.0 + values).real)}
    if values.size >= 2:
        first, second = np.triu_indices(values.size, 1)
        tests["Neimark-Sacker"] = float(np.prod(values[first] * values[second] - 1.0).real)
    return tests


def confirms_pair(values: Complexes) -> bool:
    """Return True if a complex pair lies on the unit circle (not two reals of product 1)."""
    pair = np.abs(values.imag) > 1e-6
    return bool((pair & (np.abs(np.abs(values) - 1.0) < 1e-3)).any())


def same_cycle(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return True if two sequences are equal up to a cyclic shift."""
    if len(one) != len(other):
        return False
    if not one or tuple(one) == tuple(other):
        return True
    twice = list(one) + list(one)
    return any(twice[i : i + len(one)] == list(other) for i in range(len(one)))


def cause(before: PeriodicOrbit, after: PeriodicOrbit | None) -> tuple[str, str]:
    """Return kind and message of a change of the event sequence, or of the end of a branch."""
    found = {name: rule(before) for name, rule in _MEASURES.items()}
    if after is not None:
        found = {name: min(found[name], rule(after)) for name, rule in _MEASURES.items()}
    if after is None:
        name = min(found, key=lambda key: found[key][0])
        size, where = found[name]
        if size > _SMALL:
            return "end", "no impact, gap or phase that vanishes"
        return _KINDS[name], _sentence(name, size, where)
    lost = Counter(before.event_sequence) - Counter(after.event_sequence)
    won = Counter(after.event_sequence) - Counter(before.event_sequence)
    change = "beyond " + ", ".join(
        [f"without {label}" for label in lost.elements()]
        + [f"with {label}" for label in won.elements()]
    )
    kinds = {label.split(" ", 1)[0] for label in (lost + won)}
    likely: tuple[str, ...]
    if not kinds:
        likely = ("pair", "phase")
        change = "beyond it with another order or with other contact states afterwards"
        if len(before.signature) == len(after.signature) and _impulses_change(before, after):
            return "sliding", "an impact changes between sticking, sliding and reversed sliding"
    elif kinds == {"switch"}:
        likely = ("spell", "pair")
    elif kinds & {"impact", "touch", "detach"}:
        likely = ("impact", "gap", "pair", "phase")
    else:
        likely = ("phase", "pair")
    name = min(likely, key=lambda key: found[key][0])
    size, where = found[name]
    if size <= _SMALL:
        return _KINDS[name], f"{_sentence(name, size, where)}; {change}"
    return "event sequence", change


def _impulses_change(before: PeriodicOrbit, after: PeriodicOrbit) -> bool:
    """Return True if two orbits differ only in the sticking or sliding of their impacts."""
    plain = [
        [label.split(";")[0].rstrip(")") for label in orbit.signature] for orbit in (before, after)
    ]
    return same_cycle(*plain)


def vanishing_impact(orbit: PeriodicOrbit) -> bool:
    """Return True if an impact is about to graze; the gap right after it is then small as well."""
    impact = _weakest_impact(orbit)[0]
    return impact <= _WEAK or impact <= min(rule(orbit)[0] for rule in _MEASURES.values())


def approach(orbit: PeriodicOrbit) -> float:
    """Return the smallest approach velocity of an impact, relative to its contact's largest."""
    return _weakest_impact(orbit)[0]


def _sentence(name: str, size: float, where: str) -> str:
    return {
        "impact": (
            f"the approach velocity of the impact of {where} vanishes ({size:.1g} of the largest)"
        ),
        "gap": f"the gap of {where} comes near zero without an impact ({size:.1g} in velocities)",
        "phase": f"the phase before {where} vanishes ({size:.1g} of the period)",
        "spell": (
            f"the interval between two switches of {where} vanishes ({size:.1g} of the period)"
        ),
        "pair": f"{where} coincide ({size:.1g} of the period apart)",
    }[name]


def _weakest_impact(orbit: PeriodicOrbit) -> tuple[float, str]:
    """Return the smallest approach velocity, relative to the largest velocity of its contact."""
    solution = orbit.solution
    best = (np.inf, "")
    largest = np.zeros(orbit.system.nc)
    for _, _, gamma_N in _sampled(orbit):
        largest = np.maximum(largest, np.abs(gamma_N).max(axis=0))
    for event in solution.events:
        if event.kind != EventKind.IMPACT:
            continue
        gamma_N = orbit.system.contact_quantities(event.t, event.q, event.u_minus)["gamma_N"]
        for name in event.contacts:
            i = solution.contact_names.index(name)
            closed = event.state_minus[i] != ContactState.OPEN  # takes part without collision
            if largest[i] > 0.0 and not closed:
                best = min(best, (abs(float(gamma_N[i]) / float(largest[i])), name))
    return best


def _sampled(orbit: PeriodicOrbit) -> list[tuple[States, Vector, Vector]]:
    """Return the contact states of each phase, and gaps and normal velocities along it."""
    solution, system = orbit.solution, orbit.system
    edges = np.unique(np.concatenate([solution.t_span, solution.events.t]))
    phases = []
    closed = edges.size == 2
    for first, last in pairwise(edges.tolist()):
        times = np.linspace(first, last, _SAMPLES)[0 if closed else 1 : -1]
        sample = solution.at(times)
        seen = [
            system.contact_quantities(t, q, u)
            for t, q, u in zip(times.tolist(), sample.q, sample.u, strict=True)
        ]
        g_N, gamma_N = (np.array([row[name] for row in seen]) for name in ("g_N", "gamma_N"))
        if closed:  # without events, a minimum may lie at the start of the orbit
            g_N, gamma_N = np.vstack([g_N, g_N]), np.vstack([gamma_N, gamma_N])
        phases.append((sample.contact_state[0], g_N, gamma_N))
    return phases


def _nearest_gap(orbit: PeriodicOrbit) -> tuple[float, str]:
    """Return the smallest minimum of a gap inside a phase, on a scale of velocities.

    The scale is the square root of the gap relative to the largest gap of the contact.
    """
    system = orbit.system
    best = (np.inf, "")
    if system.nc == 0:
        return best
    largest = np.zeros(system.nc)
    minima: list[tuple[float, int]] = []
    for state, g_N, _ in _sampled(orbit):
        largest = np.maximum(largest, g_N.max(axis=0))
        for i, contact in enumerate(system.contacts):
            if not contact.is_unilateral or state[i] != ContactState.OPEN:
                continue
            k = 1 + int(np.argmin(g_N[1:-1, i]))
            if g_N[k, i] <= g_N[:, i].min():
                # Vertex of the parabola through the three lowest samples.
                a, b, c = g_N[k - 1 : k + 2, i]
                bend = a - 2.0 * b + c
                vertex = b - (a - c) ** 2 / (8.0 * bend) if bend > 0.0 else b
                minima.append((max(float(vertex), 0.0), i))
    for value, i in minima:
        if largest[i] > 0.0:
            best = min(best, (float(np.sqrt(value / largest[i])), system.contact_names[i]))
    return best


def _shortest_phase(orbit: PeriodicOrbit) -> tuple[float, str]:
    """Return the shortest time from or to a friction event of one contact, over the period."""
    events = orbit.solution.events
    friction = {EventKind.STICK, EventKind.SLIP, EventKind.REVERSAL}
    best = (np.inf, "")
    for i in range(len(events.contact_names)):
        rows = np.flatnonzero(events.contacts[:, i])
        for before, row in zip(np.roll(rows, 1), rows, strict=True):
            if before != row and {events[before].kind, events[row].kind} & friction:
                best = min(best, (_wait(orbit, int(before), int(row)), _label(events[row])))
    return best


def _shortest_spell(orbit: PeriodicOrbit) -> tuple[float, str]:
    """Return the shortest time between two switches of one force element, over the period."""
    events = orbit.solution.events
    best = (np.inf, "")
    for i, name in enumerate(events.element_names):
        rows = np.flatnonzero(events.elements[:, i])
        for before, row in zip(np.roll(rows, 1), rows, strict=True):
            if before != row:
                best = min(best, (_wait(orbit, int(before), int(row)), name))
    return best


def _nearest_pair(orbit: PeriodicOrbit) -> tuple[float, str]:
    """Return the shortest time between events of disjoint contacts or elements, over the period."""
    events = orbit.solution.events
    best = (np.inf, "")
    for row in range(len(events)):
        one, other = events[row - 1], events[row]
        shared = {*one.contacts, *one.elements} & {*other.contacts, *other.elements}
        if len(events) > 1 and not shared:
            names = f"{_label(one)} and {_label(other)}"
            best = min(best, (_wait(orbit, row - 1, row), names))
    return best


def _wait(orbit: PeriodicOrbit, before: int, row: int) -> float:
    t = orbit.solution.events.t
    return float((t[row] - t[before]) % orbit.period / orbit.period)


def _label(event: Event) -> str:
    return " ".join([event.kind.label, *event.contacts, *event.elements])


_MEASURES: dict[str, Callable[[PeriodicOrbit], tuple[float, str]]] = {
    "impact": _weakest_impact,
    "gap": _nearest_gap,
    "phase": _shortest_phase,
    "spell": _shortest_spell,
    "pair": _nearest_pair,
}
_KINDS = {
    "impact": "grazing",
    "gap": "grazing",
    "phase": "sliding",
    "spell": "grazing",
    "pair": "event sequence",
}
