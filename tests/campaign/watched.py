"""Random user events without effect.

The motion does not change, every change of sign of the event function has its event, and no event
depends on the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import ALL, Case
from tests.campaign.findings import Findings

Array = NDArray[np.float64]
POINTS = 400
EVENTS = 30
USER = 7
# s, distance from events at which signs are ignored; s, tolerance between different steps.
BESIDE, SAME_TIME = 1e-6, 1e-7


def time_tolerance(case: Case) -> float:
    """Return the allowed time difference of events in runs with different steps, in s.

    In closed form it is rounding, otherwise it follows from the tolerance.
    """
    closed = case.family == "linear" and case.method.get("integrator", "auto") == "auto"
    if closed and not case.spec["force"]["switches"]:
        return SAME_TIME
    return 1e-6 + 3e4 * float(case.method.get("rtol", 1e-8))


def watch(case: Case, sol: Any) -> tuple[Callable[..., float], float]:
    """Return a function of (t, q, u) that sometimes crosses zero, and its magnitude."""
    rng = np.random.default_rng([ALL.index(case.family), case.seed, 11])
    size_q = np.abs(sol.q).max(axis=0) + 1e-3
    size_u = np.abs(sol.u).max(axis=0) + 1e-3
    a = rng.normal(size=size_q.shape) * (rng.random(size_q.shape) < 0.5) / size_q
    b = rng.normal(size=size_u.shape) * (rng.random(size_u.shape) < 0.3) / size_u
    middle = sol.at(0.5 * (sol.t[0] + sol.t[-1]))
    c, d = float(a @ middle.q + b @ middle.u), rng.normal() / (sol.t[-1] - sol.t[0])
    t_0 = float(0.5 * (sol.t[0] + sol.t[-1]))

    def function(t: float, q: Array, u: Array) -> float:
        return float(a @ q + b @ u - c + d * (t - t_0))

    return function, float(np.abs(a).sum() + np.abs(b).sum() + abs(d) * (sol.t[-1] - sol.t[0]))


def run(case: Case, system: Any, function: Any, t_end: float) -> Any:
    import nsmb

    whole = {"divide": False} if case.method_type == "EventDriven" else {}
    return nsmb.simulate(
        system,
        t_end,
        q=case.q,
        u=case.u,
        method=getattr(nsmb, case.method_type)(**{**case.method, **whole}),
        events=[nsmb.When(function, name="watch"), nsmb.At(every=case.t_end / 7.0, name="tick")],
        output_step=0.0,
        progress=False,
        throw=False,
    )


def look_watched(case: Case, system: Any, sol: Any, end: float, found: Findings) -> Any:
    """Return the run with user events, or None if the original run has no duration."""
    if not sol.t[-1] > sol.t[0]:
        return None
    function, size = watch(case, sol)
    seen = run(case, system, function, case.t_end)
    if not seen.success:
        found.judge("watched: status", 1.0, 0.0, seen.t[-1] if seen.t.size else 0.0)
        return None
    check_signs(seen, function, size, end, found)
    shorter = run(case, system, function, 0.7 * case.t_end)
    t, other = (s.events.named("watch").t for s in (seen, shorter))
    # Rounding grows with the number of impacts, and tolerances count from the start.
    contacts = seen.events[seen.events.kind != USER].t
    limit = min(end, 0.7 * case.t_end, *contacts[EVENTS : EVENTS + 1]) - 1e-6
    same = time_tolerance(case)
    t, other = t[t < limit], other[other < limit]
    found.judge("watched: number depends on t_end", abs(len(t) - len(other)), 0.0, limit)
    if len(t) == len(other):
        found.judge("watched: times depend on t_end", np.abs(t - other), same, t)
    check_ticks(case, seen, found)
    return seen


def look_watched_in_steps(case: Case, system: Any, found: Findings) -> None:
    """Check user events with time-stepping.

    Steps end at events, where the function has reached zero. The next step may reverse it. Between
    the ends of steps the effect of an impact on the function is unknown.
    """
    sol = case.run(system)
    if not sol.success or not sol.t[-1] > sol.t[0]:
        return
    function, size = watch(case, sol)
    seen = run(case, system, function, case.t_end)
    found.judge("watched: status", 0.0 if seen.success else 1.0, 0.0, seen.t[-1])
    if seen.success:
        ends = np.concatenate([seen.t[:1], seen.step_t])
        events = seen.events.named("watch")
        t, values = clear_values(seen, function, size, ends)
        crossed = np.diff(np.sign(values)) != 0.0
        silent = np.diff(np.searchsorted(events.t, t, "right")) == 0
        found.judge("watched: change of sign without event", crossed & silent, 0.0, t[1:])
        before = ends[np.searchsorted(ends, events.t) - 1]
        known = np.isin(before, t)  # a function that starts at zero may take either sign
        sides = np.sign(values[np.searchsorted(t, before[known])])
        there = [function(e.t, e.q, e.u_minus) for e in events[known]]
        found.judge("watched: event before zero", there * sides, 1e-6 * size, events.t[known])
        check_ticks(case, seen, found)


def check_ticks(case: Case, seen: Any, found: Findings) -> None:
    ticks = seen.events.named("tick").t
    expected = case.t_end / 7.0 * np.arange(8)
    found.judge("watched: number of ticks", abs(len(ticks) - 8), 0.0, case.t_end)
    if len(ticks) == 8:
        found.judge("watched: times of ticks", np.abs(ticks - expected), 1e-15 * ticks, ticks)


def check_signs(seen: Any, function: Any, size: float, end: float, found: Findings) -> None:
    """Check that signs at consecutive samples differ if and only if the number of events is odd."""
    t = np.linspace(seen.t[0], end, POINTS)
    t = t[np.abs(t[:, None] - seen.events.t).min(axis=1, initial=np.inf) > BESIDE]
    if len(t) < 2:
        return
    t, values = clear_values(seen, function, size, t)
    changes = np.diff(np.sign(values)) != 0.0
    times = seen.events.named("watch").t
    counts = np.diff(np.searchsorted(times, t))
    found.judge("watched: change of sign without event", changes & (counts % 2 == 0), 0.0, t[1:])
    # A contact that leaves at the same instant may turn the function back at zero.
    contacts = seen.events.t[seen.events.kind != USER]
    apart = np.abs(times[:, None] - contacts).min(axis=1, initial=np.inf)
    alone = np.diff(np.searchsorted(times[apart < BESIDE], t)) == 0
    silent = ~changes & (counts % 2 == 1) & alone
    found.judge("watched: event without change of sign", silent, 0.0, t[1:])


def clear_values(seen: Any, function: Any, size: float, t: Array) -> tuple[Array, Array]:
    """Return the values of the function where they are not small, and their times."""
    there = seen.at(t)
    values = np.array([function(*row) for row in zip(t, there.q, there.u, strict=True)])
    clear = np.abs(values) > 1e-6 * size
    return t[clear], values[clear]
