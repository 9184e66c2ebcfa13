"""Judgement of runs that ended early.

Reasons are: no combination of contact states is a solution, walls close in, impacts never end. Only
the numbers of the case are used.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from tests.campaign.body_check import masses, places, weight
from tests.campaign.case import Case
from tests.campaign.findings import OPEN, Findings
from tests.campaign.lagrange import Lagrangian
from tests.campaign.reference import Linear
from tests.campaign.shapes import STEP
from tests.oracles import contact_modes

Array = NDArray[np.float64]

# Largest number of mode combinations in an enumeration, some 50 microseconds each.
MOST_MODES = 60_000
# `rest_velocity` of the runs. Slower is rest, and up to a few times this value may be.
REST = 1e-11
ROUNDING = 1e-14
# A candidate within FOUND is a solution. If none is within NONE, no solution exists.
FOUND, NONE = 1e-9, 1e-7
# No lasting motion has forces this many times those of the free motion.
MOST_FORCE = 1e6
BLOCK = 2000


@dataclass(frozen=True)
class Instant:
    """The touching contacts at one state."""

    Minv: Array
    free: Array
    """Accelerations without contacts, shape (n,)."""
    u: Array
    W_N: Array
    W_T: Array
    v_N: Array
    v_T: Array
    rate_N: Array
    """Rate of the normal velocity at constant velocities, by rotation of directions, shape (c,)."""
    rate_T: Array
    mu: Array
    e_N: Array
    corner: Array
    """Corner of each contact, shape (c,). Of its contacts the fastest opening one counts."""

    def take(self, which: Any) -> Instant:
        names = ("W_N", "W_T", "v_N", "v_T", "rate_N", "rate_T", "mu", "e_N", "corner")
        rows = {name: getattr(self, name)[..., which] for name in names}
        return Instant(self.Minv, self.free, self.u, **rows)

    @property
    def speed(self) -> Array:
        return np.asarray(self.W_N.T @ self.u + self.v_N)

    @property
    def slip(self) -> Array:
        return np.asarray(self.W_T.T @ self.u + self.v_T)

    def rest(self, W: Array) -> Array:
        """Return the speeds below which contacts are at rest, shape (c,)."""
        return np.asarray(REST + ROUNDING * (np.abs(W).T @ np.abs(self.u)))


def judge_end(case: Case, sol: Any, found: Findings, notes: list[str]) -> None:
    """Judge a run with samples that ended early."""
    if sol.status == "event_limit":
        judge_limit(case, sol, notes)
    if sol.status not in ("no_contact_solution", "no_impact_solution"):
        return
    at = instant(case, sol)
    if at is None:
        notes.append("no solution: not judged")
    elif closes_in(at):
        notes.append("no solution: walls close in")
    elif case.family == "spatial":
        notes.append("no solution: not judged")
    elif sol.status == "no_contact_solution":
        judge_accelerations(at, sol, found, notes)
    else:
        judge_impact(at, case, sol, found, notes)


def last_velocities(sol: Any) -> Array:
    """Return the velocities after the impacts of the last instant, which no sample follows."""
    events = sol.events
    behind = len(events) > 0 and events.t[-1] >= sol.t[-1]
    return np.asarray(events.u_plus[-1] if behind else sol.u[-1])


def instant(case: Case, sol: Any) -> Instant | None:
    """Return the contacts at the last state, or None if they are not available."""
    q, u = sol.q[-1], last_velocities(sol)
    if case.family == "bodies":
        return of_bodies(case.spec, q, u) if case.spec["kind"] == "free" else None
    if case.spec.get("kind") == "machines":
        return None
    return of_rows(case, sol.t[-1:], q, u)


def of_rows(case: Case, t: Array, q: Array, u: Array) -> Instant:
    ref: Any = Lagrangian(case.spec) if case.family == "energies" else Linear(case.spec)
    way = TURN * u
    there = [ref.rows(t, (q + s * way)[None]) for s in (-1.0, 1.0)]
    mass = [ref.mass(t, (q + s * way)[None])[0] for s in (-1.0, 1.0)]
    rows = ref.rows(t, q[None])
    Minv = np.linalg.inv(ref.mass(t, q[None])[0])
    momentum = ref.momentum_rate(t, q[None], u[None])[0] - (mass[1] - mass[0]) @ u / (2 * TURN)
    rates = [
        np.asarray((w[1] - w[0]).T @ u / (2.0 * TURN))
        for w in ([r.W_N[0] for r in there], [r.W_T[0, :, :, 0] for r in there])
    ]
    laws = ref.laws
    touching = rows.g[0] < 1e-9
    return Instant(
        Minv, Minv @ momentum, u, rows.W_N[0], rows.W_T[0, :, :, 0], rows.v_N[0], rows.v_T[0, :, 0],
        rates[0], rates[1], laws.mu, laws.e_N, np.arange(len(laws.mu)),
    ).take(touching)  # fmt: skip


TURN = 1e-6  # s


def of_bodies(spec: dict[str, Any], q: Array, u: Array) -> Instant | None:
    here = places(spec, q, u, 1e-9)
    at = fastest(
        Instant(
            np.diag(1.0 / masses(spec)), weight(spec) / masses(spec), u, here.W_N, here.W_T,
            np.zeros(len(here.mu)), here.slip - here.W_T.T @ u, np.zeros(len(here.mu)),
            np.zeros(len(here.mu)), here.mu, here.e_N, here.corner,
        )
    )  # fmt: skip
    # Rates are needed only for contacts that may stay closed.
    at = at.take(at.speed < 8.0 * at.rest(at.W_N))
    if len(at.mu) == 0:
        return at
    # Forward differences, because a corner may have reached its side just now.
    speeds = [[at.W_N.T @ u, at.W_T.T @ u]]
    one = np.concatenate([at.W_N, at.W_T])[:, :, None]
    for time in (TURN, 2.0 * TURN):
        there = places(spec, q + time * u, u, 1e-9)
        apart = np.abs(one - np.concatenate([there.W_N, there.W_T])[:, None]).max(axis=0)
        apart[at.corner[:, None] // STEP != there.corner[None] // STEP] = np.inf
        if apart.min(axis=1, initial=np.inf).max() > 1e-3:
            return None
        same = apart.argmin(axis=1)
        speeds.append([there.W_N[:, same].T @ u, there.W_T[:, same].T @ u])
    first, second, third = np.array(speeds)
    rates = (4.0 * second - 3.0 * first - third) / (2.0 * TURN)
    return Instant(**{**vars(at), "rate_N": rates[0], "rate_T": rates[1]})


def fastest(at: Instant) -> Instant:
    """Keep, for each convex corner, the sides it leaves fastest, whose gap is the distance."""
    keep = []
    slack = at.rest(at.W_N)
    for i, corner in enumerate(at.corner):
        most = at.speed[at.corner == corner].max()
        keep.append(bool(at.speed[i] >= most - 8.0 * slack[i]))
    return at.take(np.array(keep, bool))


def closes_in(at: Instant) -> bool:
    """Return True if no velocity keeps all contacts from approaching, whatever the impulses.

    Then y >= 0 with W_N y = 0 and v_N·y < 0 exists (Farkas), which is verified here.
    """
    if len(at.mu) == 0 or len(set(at.corner)) < len(at.corner):
        return False
    n, c = at.W_N.shape
    dual = linprog(
        at.v_N, A_eq=np.vstack([at.W_N, np.ones(c)]), b_eq=np.append(np.zeros(n), 1.0),
        bounds=(0.0, None),
    )  # fmt: skip
    if dual.status != 0:
        return False
    y = np.maximum(dual.x, 0.0)
    # Any u that keeps contacts open would exceed the velocities here by a factor of 1e6.
    left = np.abs(at.W_N @ y).sum() * 1e6 * (np.abs(at.u).max() + np.abs(at.v_N).max())
    return bool(-(at.v_N @ y) > left + 1e-9 * np.abs(at.v_N).max())


def choices(at: Instant) -> list[tuple[Instant, Array]] | None:
    """Return closed contacts with all signs of slip that rounding leaves open.

    Each choice has one side per corner. Return None if there are too many choices.
    """
    options: list[list[tuple[bool, float]]] = []
    rest_N, rest_T = at.rest(at.W_N), at.rest(at.W_T)
    for i in range(len(at.mu)):
        speed, slip = at.speed[i] / rest_N[i], abs(at.slip[i]) / rest_T[i]
        sign = float(np.sign(at.slip[i]))
        signs = [0.0] if slip <= 1.0 or at.mu[i] == 0.0 else [sign, 0.0] if slip < 8.0 else [sign]
        one_of_many = (at.corner == at.corner[i]).sum() > 1
        options.append([(True, sign) for sign in signs if speed < 8.0])
        options[i] += [(False, 0.0)] * int(speed > 1.0 or one_of_many)
    number = np.prod([float(len(ways)) for ways in options])
    found: list[tuple[Instant, Array]] = []
    total = 0.0
    for way in itertools.product(*options) if number <= MOST_MODES else ():
        closed = np.array([w[0] for w in way], bool)
        taken = at.corner[closed]
        sides = [corner for corner in at.corner if (at.corner == corner).sum() > 1]
        if len(set(taken)) < len(taken) or not set(sides) <= set(taken):
            continue
        one, signs = at.take(closed), np.array([w[1] for w in way])[closed]
        kept = distinct(one)
        found.append((one.take(kept), signs[kept]))
        total += np.prod(np.where(one.mu == 0.0, 2.0, np.where(signs == 0.0, 4.0, 2.0))[kept])
    return found if found and total <= MOST_MODES else None


def judge_accelerations(at: Instant, sol: Any, found: Findings, notes: list[str]) -> None:
    """Enumerate the accelerations where the run found no solution."""
    if (at.speed < -8.0 * at.rest(at.W_N)).any():  # after an impact with unreported outcome
        notes.append("no solution: not judged")
        return
    ways = choices(at)
    if ways is None:
        notes.append("no solution: not judged")
        return
    most, t = MOST_FORCE * (1.0 + np.abs(at.free).max()), float(sol.t[-1])

    def forces(tol: float) -> list[Array]:
        """Return the largest normal force of every solution, for each choice."""
        return [
            np.array([a.lambda_N.max(initial=0.0) for a in contact_modes.solve(
                one.Minv, one.W_N, one.W_T, one.free, one.rate_N, one.rate_T, one.mu, signs, tol=tol
            )]) for one, signs in ways
        ]  # fmt: skip

    perhaps = forces(NONE)
    if "singular" in sol.message:
        # The state lasted until its forces had grown to this size. Others may start there.
        grown = all((sizes >= most).any() for sizes in perhaps)
        found.judge("forces without bound, yet they are not", not grown, 0.0, t)
        notes.append("no solution: forces without bound" if grown else "no solution: false")
    elif not any((sizes < most).any() for sizes in perhaps):
        notes.append("no solution: proven by enumeration")
    else:
        least = min((sizes < most).sum() for sizes in forces(FOUND))
        found.judge("no_contact_solution, yet there is one", least, 0.0, t)
        notes.append("no solution: false" if least else "no solution: not judged")


def judge_impact(at: Instant, case: Case, sol: Any, found: Findings, notes: list[str]) -> None:
    """Enumerate planar impacts by the laws of Poisson and Moreau."""
    at = at.take(distinct(at))
    law = case.method.get("impact_law", "poisson")
    modes = np.prod(np.where(at.mu > 0.0, 4.0, 2.0))
    alternatives = len(set(at.corner)) < len(at.corner)
    plain = not any(c["law"].get(k) for c in case.spec.get("contacts", ()) for k in ("e_T", "nu"))
    if law == "newton" or alternatives or not plain or modes > MOST_MODES:
        notes.append("no solution: not judged")
        return
    if law == "poisson":
        ends = contact_modes.poisson(at.Minv, at.W_N, at.W_T, at.u, at.v_N, at.v_T, at.mu, at.e_N)
    else:
        ends = [end for e_N in (at.e_N, np.zeros_like(at.e_N)) for end in moreau(at, e_N)]
    found.judge("no_impact_solution, yet there is one", len(ends), 0.0, float(sol.t[-1]))
    notes.append(f"no solution: {'false' if ends else 'proven by enumeration'}")


def moreau(at: Instant, e_N: Array) -> list[Array]:
    """Return velocities after 0 <= Λ_N ⟂ γ_NE + ε_N min(γ_NA, 0) >= 0, e_T = 0.

    Where restitutions contradict one another, the law without them applies.
    """
    back = at.v_N + e_N * np.minimum(at.speed, 0.0)
    rest = np.zeros(len(at.mu))
    ends = contact_modes.solve(at.Minv, at.W_N, at.W_T, at.u, back, at.v_T, at.mu, rest)
    return [end.value for end in ends]


def distinct(at: Instant) -> Array:
    """Return the contacts without duplicates: two ends of flush edges are one point."""
    rows = np.concatenate([at.W_N, at.W_T, [at.mu, at.e_N, at.v_N, at.v_T]])
    kept: list[int] = []
    for i in range(len(at.mu)):
        if not any(np.allclose(rows[:, i], rows[:, k], rtol=0.0, atol=1e-9) for k in kept):
            kept.append(i)
    return np.array(kept, int)


def restitutions(case: Case, sol: Any) -> Array:
    """Return e_N of the contacts of a solution, shape (nc,)."""
    if case.family != "bodies":
        ref: Any = Lagrangian(case.spec) if case.family == "energies" else Linear(case.spec)
        return np.asarray(ref.laws.e_N)
    pairs = {
        "-".join(f"{kind}{k}" for kind, k in (pair["first"], pair["second"])): pair["law"]["e_N"]
        for pair in case.spec.get("pairs", ())
    }
    return np.array([pairs.get(name.rsplit("[", 1)[0], np.nan) for name in sol.contact_names])


def judge_limit(case: Case, sol: Any, notes: list[str]) -> None:
    """Note if a run with too many events bounces indefinitely.

    Then its impacts do not get smaller, and all but those of closed contacts have e_N = 1.
    """
    impacts = sol.events[sol.events.kind == 0][-2 * BLOCK :]
    if len(impacts) == 2 * BLOCK:
        size = np.abs(impacts.u_plus - impacts.u_minus).max(axis=1)
        keeps = np.median(size[BLOCK:]) > 0.5 * np.median(size[:BLOCK]) > 0.0
        struck = (impacts.Lambda_N > 0.0) & (impacts.state_minus == OPEN)
        if keeps and (restitutions(case, sol)[struck.any(axis=0)] == 1.0).all():
            notes.append("endless: restitution 1")
            return
