"""What is done on a part of the runs: another end, a tighter tolerance, an independent scheme; and
a judgement of runs that found no solution."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.body_check import directions, masses, weight
from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.campaign.first_touch import check_first_touch
from tests.campaign.reference import Linear
from tests.oracles import contact_modes, linear_events

Array = NDArray[np.float64]
EVENTS = 30
# Of an enumeration: contacts, and those of which it is not clear whether they slide.
MOST_CONTACTS, MOST_DOUBTFUL = 7, 3
# Rounding grows by the number of impacts; after so many the times still agree to this.
SAME_TIME = 1e-7


def second_look(
    case: Case, system: Any, sol: Any, found: Findings, notes: list[str], *, every: int = 1
) -> None:
    """`every`: take only every so many of the looks that are due."""
    if sol.t.size == 0:
        return
    turn = case.seed // every if case.seed % every == 0 else -1
    if turn >= 0 and turn % 5 == 0 and sol.success:
        notes.append("other end")
        shorter = case.run(system, t_end=0.7 * case.t_end)
        # With a numerical integrator the last of an accumulation is a matter of rounding.
        end = 0.7 * case.t_end if case.family == "linear" else accumulation(sol, 0.7 * case.t_end)
        compare_events(sol, shorter, end, "depends on t_end", found)
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
    if sol.status == "no_contact_solution" and case.family == "linear":
        judge_no_solution(case, sol, found, notes)
    if sol.status == "no_contact_solution" and case.spec.get("kind") == "free":
        judge_bodies(case, sol, found, notes)
    if sol.status == "event_limit" and case.family in ("linear", "energies"):
        judge_limit(case, system, sol, notes)


BLOCK = 2000


def judge_limit(case: Case, system: Any, sol: Any, notes: list[str]) -> None:
    """Whether a run with too many events goes on with more of them, or bounces without an end:
    impacts of contacts with e_N = 1 that do not get slower, by the case's own directions."""
    impacts = sol.events[sol.events.kind == 0][-2 * BLOCK :]
    if case.family == "linear" and len(impacts) == 2 * BLOCK:
        ref = Linear(case.spec)
        speed = -ref.rows(impacts.t, impacts.q).normal(impacts.u_minus).min(axis=1)
        struck = impacts.Lambda_N[-1] > 0.0
        keeps = speed[BLOCK:].min() > 0.5 * speed[:BLOCK].min() > 0.0
        if keeps and (ref.laws.e_N[struck] == 1.0).all():
            notes.append("endless: restitution 1")
            return
    if "max_events" in sol.message:
        notes.append(f"more events: {case.run(system, max_events=300_000).status}")


def before(sol: Any, t: float) -> Any:
    events = sol.events
    return events[events.t < t]


def accumulation(sol: Any, t_end: float) -> float:
    """When events first follow each other within 1e-4 s, if before t_end."""
    t = sol.events.t
    close = np.flatnonzero((np.diff(t) > 0.0) & (np.diff(t) < 1e-4))
    return min(t_end, float(t[close[0]])) if len(close) else t_end


def compare_events(one: Any, other: Any, t: float, what: str, found: Findings) -> None:
    """The same events up to t, as far as rounding leaves them comparable."""
    if not other.success:
        found.judge(f"{what}: status", 1.0, 0.0, other.t[-1] if other.t.size else 0.0)
        return
    a, b = before(one, t - 1e-6)[:EVENTS], before(other, t - 1e-6)[:EVENTS]
    n = min(len(a), len(b))
    found.judge(f"{what}: number of events", abs(len(a) - len(b)), 0.0, t)
    found.judge(f"{what}: times", np.abs(a.t[:n] - b.t[:n]), SAME_TIME, a.t[:n])
    found.judge(f"{what}: kinds", a.kind[:n] != b.kind[:n], 0.0, a.t[:n])
    states = [by_pair(one, e.state_plus[:n]) for e in (a, b)]
    found.judge(f"{what}: states", states[0] != states[1], 0.0, a.t[:n])


def by_pair(sol: Any, states: Array) -> Array:
    """States (n, nc) with those of the points of one pair of contours in order: which slot a point
    has depends on where the steps have ended at which candidates were found."""
    pairs = np.array([name.rsplit("[", 1)[0] for name in sol.contact_names])
    result = np.array(states)
    for pair in np.unique(pairs):
        result[:, pairs == pair] = np.sort(result[:, pairs == pair], axis=1)
    return result


def compare_motion(one: Any, other: Any, rtol: float, found: Findings) -> None:
    """The same motion up to the third impact: behind, small differences are made large by impacts
    that nearly coincide."""
    impacts = np.unique(np.concatenate([s.events.t[s.events.kind == 0][:3] for s in (one, other)]))
    impacts = impacts[impacts > one.t[0]]
    end = min(one.t[-1], impacts[1] if len(impacts) > 1 else np.inf, one.t[0] + 0.5)
    times = np.linspace(one.t[0], end, 50)
    # An impact that one run has a little later is no difference of the motion.
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


def judge_no_solution(case: Case, sol: Any, found: Findings, notes: list[str]) -> None:
    """Enumerates the accelerations where the run found none."""
    ref = Linear(case.spec)
    t, q, u = sol.t[-1:], sol.q[-1:], last_velocities(sol)[None]
    rows = ref.rows(t, q)
    speed, slip = rows.normal(u)[0], rows.tangential(u)[0, :, 0]
    touching = rows.g[0] < 1e-10
    closed = np.flatnonzero(touching & (np.abs(speed) < 1e-9))
    if (touching & (speed < -1e-9)).any():  # behind an impact whose outcome is not in the samples
        notes.append("no solution: not judged")
        return
    Minv = np.linalg.inv(ref.M)
    free = Minv @ ref.forces(t, q, u)[0]
    W_N, W_T = ref.W_N[:, closed], ref.W_T[:, closed, 0]
    judge(Minv, W_N, W_T, free, ref.laws.mu[closed], slip[closed], float(t[0]), found, notes)


def last_velocities(sol: Any) -> Array:
    """Those behind the impacts of the last instant, which has no sample behind it."""
    events = sol.events
    behind = len(events) > 0 and events.t[-1] >= sol.t[-1]
    return np.asarray(events.u_plus[-1] if behind else sol.u[-1])


def judge_bodies(case: Case, sol: Any, found: Findings, notes: list[str]) -> None:
    """The same of bodies, whose directions may turn."""
    spec, q, u = case.spec, sol.q[-1], last_velocities(sol)
    W_N, W_T, mu, slip = directions(spec, q, u, 1e-9)
    rates = turning(spec, q, u, W_N, W_T)
    if rates is None or (W_N.T @ u < -1e-9).any():
        notes.append("no solution: not judged")
        return
    resting = np.abs(W_N.T @ u) < 1e-9
    m = masses(spec)
    judge(
        np.diag(1.0 / m), W_N[:, resting], W_T[:, resting], weight(spec) / m, mu[resting],
        slip[resting], float(sol.t[-1]), found, notes, rates[:, resting],
    )  # fmt: skip


TURN = 1e-6  # s


def turning(spec: dict[str, Any], q: Array, u: Array, W_N: Array, W_T: Array) -> Array | None:
    """Rates (2, c) of normal and tangential velocities while the bodies go on as they do, by
    differences; None: a contact is not found again a little before or behind."""
    here = np.concatenate([W_N, W_T])
    speeds = []
    for time in (-TURN, TURN):
        there = np.concatenate(directions(spec, q + time * u, u, 1e-9)[:2])
        if there.shape[1] < here.shape[1]:
            return None
        apart = np.abs(here[:, :, None] - there[:, None, :]).max(axis=0)
        same = there[:, apart.argmin(axis=1)]
        if apart.min(axis=1).max(initial=0.0) > 1e-3:
            return None
        speeds.append([same[: len(q)].T @ u, same[len(q) :].T @ u])
    return np.asarray((np.array(speeds[1]) - np.array(speeds[0])) / (2.0 * TURN))


def judge(
    Minv: Array, W_N: Array, W_T: Array, free: Array, mu: Array, slip: Array, t: float,
    found: Findings, notes: list[str], rates: Array | None = None,
) -> None:  # fmt: skip
    kept = distinct(W_N, W_T, mu)
    W_N, W_T, mu, slip = W_N[:, kept], W_T[:, kept], mu[kept], slip[kept]
    v_N, v_T = np.zeros((2, len(mu))) if rates is None else rates[:, kept]
    # What is neither clearly rest nor clearly slip may be either.
    doubtful = np.flatnonzero((np.abs(slip) > 1e-12) & (np.abs(slip) < 1e-6) & (mu > 0.0))
    if len(mu) > MOST_CONTACTS or len(doubtful) > MOST_DOUBTFUL:
        notes.append("no solution: not judged")
        return
    counts = []
    for rests in itertools.product([True, False], repeat=len(doubtful)):
        sliding = np.where(np.abs(slip) < 1e-9, 0.0, np.sign(slip))
        sliding[doubtful] = np.where(rests, 0.0, np.sign(slip[doubtful]))
        answers = contact_modes.solve(Minv, W_N, W_T, free, v_N, v_T, mu, sliding)
        # At the border of Painlevé's domain forces grow without bound: nothing to go on with.
        most = 1e6 * (1.0 + np.abs(free).max())
        counts.append(sum(a.lambda_N.max(initial=0.0) < most for a in answers))
    if any(counts) and not all(counts):
        notes.append("no solution: not judged")
        return
    found.judge("no_contact_solution, yet there is one", min(counts), 0.0, t)
    proven = not any(counts)
    notes.append("no solution: proven by enumeration" if proven else "no solution: false")


def distinct(W_N: Array, W_T: Array, mu: Array) -> list[int]:
    """Contacts that are not others once more: two ends of flush edges are one place."""
    rows = np.concatenate([W_N, W_T, mu[None]])
    kept: list[int] = []
    for i in range(len(mu)):
        if not any(np.allclose(rows[:, i], rows[:, k], rtol=0.0, atol=1e-9) for k in kept):
            kept.append(i)
    return kept
