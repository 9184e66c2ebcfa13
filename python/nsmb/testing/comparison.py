"""Comparison of two runs, and of events with a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nsmb.events.enums import EventKind
from nsmb.testing.script import of_solution
from nsmb.testing.violations import Violations

if TYPE_CHECKING:
    from nsmb.solution.solution import Solution

__all__ = ["assert_events", "assert_same_motion"]

Expected = str | EventKind | tuple[Any, ...]


def assert_same_motion(
    a: Solution,
    b: Solution,
    *,
    rtol: float = 1e-6,
    atol: float = 1e-9,
    t_tol: float = 1e-6,
    points: int = 500,
    velocities: bool = True,
) -> None:
    """Raise AssertionError unless two runs have the same motion.

    Coordinates and velocities are compared at times of both runs. The runs may have different
    samples and integrators. Events are not compared, see :func:`assert_events`.

    Parameters
    ----------
    a, b : Solution
        Runs with dense output, of systems with the same coordinates.
    rtol, atol : float
        Tolerances, ``|a - b| <= atol + rtol (1 + largest value of that coordinate or velocity)``.
    t_tol : float
        Tolerance of time, s. Nothing is compared this close to an event of either run, because
        velocities that jump at slightly different times differ in between. The runs must start and
        end at the same times within this tolerance.
    points : int
        Number of times to compare evenly over the run, in addition to the samples of both.
    velocities : bool
        Compare velocities as well.

    Raises
    ------
    AssertionError
        If the motions differ. The message has the first and the largest difference, and scripts
        that repeat both runs.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import testing
    >>> toy = nsmb.systems.woodpecker()
    >>> other = nsmb.simulate(toy, 0.2, method=nsmb.EventDriven(integrator="dp853"))
    >>> testing.assert_same_motion(nsmb.simulate(toy, 0.2), other)
    """
    found = Violations()
    if a.coordinates != b.coordinates:
        raise AssertionError(f"coordinates: {a.coordinates} against {b.coordinates}")
    spans = np.array([a.t_span, b.t_span])
    found.judge(
        "runs start and end at the same times (s)",
        spans[0],
        np.abs(np.diff(spans, axis=0))[0],
        t_tol,
    )
    first, last = spans[:, 0].max(), spans[:, 1].min()
    times = np.unique(np.concatenate([a.t, b.t, np.linspace(first, last, points)]))
    times = times[(times >= first) & (times <= last)]
    events = np.unique(np.concatenate([a.events.t, b.events.t]))
    if events.size:
        after = np.searchsorted(events, times)
        near = np.minimum(
            np.abs(times - events[np.clip(after, 0, events.size - 1)]),
            np.abs(times - events[np.clip(after - 1, 0, events.size - 1)]),
        )
        times = times[near > t_tol]
    one, other = a.at(times), b.at(times)
    for name, x, y in (("coordinates", one.q, other.q), ("velocities", one.u, other.u)):
        if name == "velocities" and not velocities:
            continue
        size = 1.0 + np.maximum(np.abs(x), np.abs(y)).max(axis=0, initial=0.0)
        labels = a.coordinates if x.shape[1] == len(a.coordinates) else ()
        found.judge(f"{name} are the same", times, np.abs(x - y), atol + rtol * size, labels)
    if found:
        lines = "\n".join(f"  {violation}" for violation in found)
        raise AssertionError(
            f"the motions differ:\n{lines}\n\nrepeat the first run with\n\n"
            f"{of_solution(a, None)}\nand the second run with\n\n{of_solution(b, None)}"
        )


def assert_events(
    solution: Solution,
    expected: Sequence[Expected],
    *,
    atol: float = 1e-9,
    only: Sequence[str | EventKind] | None = None,
) -> None:
    """Raise AssertionError unless the events of a run are as expected, row by row.

    Parameters
    ----------
    solution : Solution
        The run.
    expected : sequence
        One entry per event: a kind, ``"impact"``; kind and contacts, ``("impact", "beak")``; or
        time, kind and contacts, ``(0.0216, "stick", "lower")``. An event may have further contacts.
    atol : float
        Absolute tolerance of times, s.
    only : sequence of kinds, optional
        Compare only events of these kinds.

    Raises
    ------
    AssertionError
        If the events differ. The message has both lists side by side, and a script that repeats the
        run.
    ValueError
        If an entry has another form.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import testing
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(H=1.0, g=8.0, e_N=0.5), 1.2)
    >>> testing.assert_events(sol, [(0.5, "impact"), (1.0, "impact", "floor")])
    """
    wanted = [_entry(entry, solution) for entry in expected]
    events = solution.events if only is None else solution.events.of_kind(*only)
    rows = []
    fits = len(wanted) == len(events)
    for k in range(max(len(wanted), len(events))):
        left = right = "-"
        same = k < len(wanted) and k < len(events)
        if k < len(events):
            event = events[k]
            right = str(event)
        if k < len(wanted):
            t, kind, contacts = wanted[k]
            left = kind + ("" if t is None else f" at t = {t:.10g} s")
            left += f" ({', '.join(contacts)})" if contacts else ""
        if same:
            same = (
                event.kind.label == kind
                and (t is None or abs(event.t - t) <= atol)
                and set(contacts) <= set(event.contacts + event.elements)
            )
        fits = fits and same
        rows.append(f"  {'  ' if same else '->'} {left:44} {right}")
    if not fits:
        head = f"  {'':2} {'expected':44} found"
        raise AssertionError(
            f"events of {solution.system_name} are not as expected:\n{head}\n" + "\n".join(rows)
            + f"\n\nrepeat the run with\n\n{of_solution(solution, None)}"
        )  # fmt: skip


def _entry(entry: Expected, solution: Solution) -> tuple[float | None, str, tuple[str, ...]]:
    parts = (entry,) if isinstance(entry, str | EventKind) else tuple(entry)
    t = None
    if parts and not isinstance(parts[0], str | EventKind):
        t, parts = float(parts[0]), parts[1:]
    labels = [kind.label for kind in EventKind]
    if not parts:
        raise ValueError(f"expected: a kind is missing in {entry!r}")
    kind = parts[0].label if isinstance(parts[0], EventKind) else parts[0]
    if kind not in labels:
        raise ValueError(f"expected: kind: expected one of {', '.join(labels)}, got {kind!r}")
    names = solution.contact_names + solution.element_names
    for name in parts[1:]:
        if name not in names:
            known = ", ".join(names) or "no contacts at all"
            raise ValueError(f"expected: contact: expected one of {known}, got {name!r}")
    return t, kind, tuple(str(name) for name in parts[1:])
