"""Checks of some of the runs: another end, a tighter tolerance, an independent scheme, user events.

Runs that found no solution are judged, too.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import IN_STEPS, Case
from tests.campaign.findings import Findings
from tests.campaign.first_touch import check_first_touch
from tests.campaign.judgement import judge_end
from tests.campaign.reference import Linear
from tests.campaign.watched import look_watched, time_tolerance
from tests.oracles import linear_events

Array = NDArray[np.float64]
EVENTS = 30
SWITCH, USER = 6, 7
# Rounding grows with the number of impacts. After `EVENTS` of them times still agree to this.
SAME_TIME = 1e-7


def second_look(
    case: Case, system: Any, sol: Any, found: Findings, notes: list[str], *, every: int = 1
) -> None:
    """Do the additional checks of a run. `every` skips all but each n-th of them."""
    if case.family in IN_STEPS:
        return look_at_steps(case, system, found, notes)
    if sol.t.size == 0:
        return
    turn = case.seed // every if case.seed % every == 0 else -1
    if turn >= 0 and turn % 5 == 0 and sol.success:
        notes.append("other end")
        shorter = case.run(system, t_end=0.7 * case.t_end)
        # With a numerical integrator rounding decides the last impacts of an accumulation.
        end = 0.7 * case.t_end if case.family == "linear" else accumulation(sol, 0.7 * case.t_end)
        compare_events(sol, shorter, end, "depends on t_end", found)
    if turn >= 0 and turn % 5 == 3 and sol.success:
        notes.append("watched")
        end = case.t_end if case.family == "linear" else accumulation(sol, case.t_end)
        seen = look_watched(case, system, sol, end, found)
        # With spatial friction the end of slip depends on the ends of steps.
        if seen is not None and case.family != "spatial":
            same = time_tolerance(case)
            compare_events(sol, seen, end, "depends on what is watched", found, same)
    if turn >= 0 and turn % 7 == 1 and sol.success and case.family != "linear":
        notes.append("tighter tolerance")
        rtol = case.method.get("rtol", 1e-8)
        finer = case.run(system, rtol=max(1e-12, 1e-2 * rtol))
        if finer.success:
            compare_motion(sol, finer, rtol, found)
    if turn >= 0 and turn % 4 == 3:
        check_first_touch(case, sol, found, notes)
    if turn >= 0 and turn % 6 == 2 and case.family == "linear":
        compare_oracle(case, sol, found, notes)
    judge_end(case, sol, found, notes)


def look_at_steps(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    """Run the checks of a family that is simulated by time-stepping."""
    module = importlib.import_module(f"tests.campaign.{case.family}")
    module.look(case, system, found, notes)


def before(sol: Any, t: float) -> Any:
    """Return the events before t, with coincident switches merged, which rounding separates."""
    events = sol.events[(sol.events.t < t) & (sol.events.kind != USER)]
    again = (events.kind == SWITCH) & (np.diff(events.t, prepend=-np.inf) < 1e-9)
    return events[~again]


def accumulation(sol: Any, t_end: float) -> float:
    """Return the first time with two events within 1e-4 s, at most t_end."""
    t = sol.events.t
    close = np.flatnonzero((np.diff(t) > 0.0) & (np.diff(t) < 1e-4))
    return min(t_end, float(t[close[0]])) if len(close) else t_end


def compare_events(
    one: Any, other: Any, t: float, what: str, found: Findings, same: float = SAME_TIME
) -> None:
    """Compare events up to t, as far as rounding leaves them comparable."""
    if not other.success:
        found.judge(f"{what}: status", 1.0, 0.0, other.t[-1] if other.t.size else 0.0)
        return
    a, b = before(one, t - 1e-6)[:EVENTS], before(other, t - 1e-6)[:EVENTS]
    n = min(len(a), len(b))
    found.judge(f"{what}: number of events", abs(len(a) - len(b)), 0.0, t)
    found.judge(f"{what}: times", np.abs(a.t[:n] - b.t[:n]), same, a.t[:n])
    found.judge(f"{what}: kinds", a.kind[:n] != b.kind[:n], 0.0, a.t[:n])
    states = [by_pair(one, e.state_plus[:n]) for e in (a, b)]
    found.judge(f"{what}: states", states[0] != states[1], 0.0, a.t[:n])


def by_pair(sol: Any, states: Array) -> Array:
    """Return states, shape (n, nc), sorted among the points of each pair of contours.

    The slot of a point depends on the ends of the steps at which candidates were found.
    """
    pairs = np.array([name.rsplit("[", 1)[0] for name in sol.contact_names])
    result = np.array(states)
    for pair in np.unique(pairs):
        result[:, pairs == pair] = np.sort(result[:, pairs == pair], axis=1)
    return result


def compare_motion(one: Any, other: Any, rtol: float, found: Findings) -> None:
    """Compare the motion up to the third impact.

    After it, impacts that nearly coincide amplify small differences.
    """
    impacts = np.unique(np.concatenate([s.events.t[s.events.kind == 0][:3] for s in (one, other)]))
    impacts = impacts[impacts > one.t[0]]
    end = min(one.t[-1], impacts[1] if len(impacts) > 1 else np.inf, one.t[0] + 0.5)
    times = np.linspace(one.t[0], end, 50)
    # A slightly later impact in one run does not count as a difference.
    times = times[np.abs(times[:, None] - impacts).min(axis=1, initial=np.inf) > 1e-4]
    q = [s.at(times).q for s in (one, other)]
    size = 1.0 + max(np.abs(one.q).max(), np.abs(one.u).max())
    allowed = 1e-6 + 3e4 * rtol
    found.judge("depends on rtol", np.abs(q[0] - q[1]), allowed * size, times, "coordinate")


def compare_oracle(case: Case, sol: Any, found: Findings, notes: list[str]) -> None:
    ref = Linear(case.spec)
    plain = not (ref.laws.e_T.any() or ref.laws.nu.any() or ref.switch_times)
    if case.method.get("impact_law", "poisson") != "poisson" or not plain or case.q is None:
        return
    s = linear_events.System(
        ref.M, ref.K, ref.D, lambda t: ref.load(np.array([t]))[0], ref.W_N, ref.W_T[:, :, 0],
        ref.gap, ref.v_N, ref.v_T[:, 0], ref.laws.mu, ref.laws.e_N,
    )  # fmt: skip
    motion = linear_events.run(s, np.array(case.q), np.array(case.u), case.t_end)
    notes.append(f"oracle: {motion.end}")
    notes += ["oracle: instants compared"] * len(motion.changes)
    end = min(motion.t, sol.t[-1])
    times = np.linspace(0.0, end, 60)[1:-1]
    if end > 0.0 and motion.pieces:
        there = np.array([motion.at(t) for t in times])
        here = sol.at(times).q
        size = 1.0 + np.abs(sol.q).max() + np.abs(sol.u).max()
        difference = np.abs(here - there[:, : here.shape[1]])
        found.judge("differs from the oracle", difference, 1e-6 * size, times, "coordinate")
    ours = np.unique(sol.events.t[sol.events.kind == 0])
    ours = ours[ours < end - 1e-5]
    theirs = np.array([t for t in motion.impacts if t < end - 1e-5])
    found.judge("oracle: number of impacts", abs(len(ours) - len(theirs)), 0.0, end)
    if len(ours) == len(theirs):
        found.judge("oracle: times of impacts", np.abs(ours - theirs), 1e-6, ours)
