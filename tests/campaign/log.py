"""Consistency of the event log with the states."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.campaign.findings import OPEN, STICK, Findings, Tolerances

IMPACT, TOUCH, DETACH, STICKS, SLIPS, REVERSAL, SWITCH = range(7)


def check_log(sol: Any, tol: Tolerances, found: Findings) -> None:
    events = sol.events
    if sol.t.size == 0:
        return
    found.judge("time runs backwards", -np.diff(sol.t), 0.0, sol.t[1:])
    found.judge("log runs backwards", -np.diff(events.t), 0.0, events.t[1:])
    state = sol.contact_state[0]
    for row in range(len(events)):
        before, after = events.state_minus[row], events.state_plus[row]
        # Several kinds of change at one instant are rows with the same states before and after.
        again = (
            row > 0
            and events.t[row] == events.t[row - 1]
            and np.array_equal(before, events.state_minus[row - 1])
            and np.array_equal(after, events.state_plus[row - 1])
        )
        if not again and (row > 0 or events.t[row] > sol.t[0]):
            found.judge("log: gap between states", before != state, 0.0, events.t[row])
        state = after
        changed = before != after
        kind = int(events.kind[row])
        if kind not in (IMPACT, SWITCH):
            fits = {
                TOUCH: (before == OPEN) & (after != OPEN),
                DETACH: (before != OPEN) & (after == OPEN),
                STICKS: (before != STICK) & (after == STICK),
                SLIPS: (before == STICK) & (after > STICK),
                REVERSAL: (before > STICK) & (after > STICK),
            }[kind]
            found.judge(
                "log: kind without its change", not (changed & fits).any(), 0.0, events.t[row]
            )
            jump = np.abs(events.u_plus[row] - events.u_minus[row])
            found.judge("log: jump without impact", jump, 10 * tol.velocity, events.t[row])
        else:
            impulse = np.abs(events.Lambda_N[row]).max(initial=0.0)
            if kind == IMPACT:
                found.judge("log: impact without impulse", impulse == 0.0, 0.0, events.t[row])
    if len(events):
        found.judge("log: last states", state != sol.contact_state[-1], 0.0, sol.t[-1])
        # Contact states change at events only.
        here = np.searchsorted(events.t, sol.t[:-1], side="right")
        there = np.searchsorted(events.t, sol.t[1:], side="left")
        quiet = (here == there) & ~np.isin(sol.t[1:], events.t)
        changes = (np.diff(sol.contact_state, axis=0) != 0).any(axis=1)
        found.judge("states change without event", changes & quiet, 0.0, sol.t[1:])
        times = events.t
        found.judge(
            "log: place", np.abs(events.q - sol.at(times).q), tol.gap * 10, times, "coordinate"
        )
        first = np.flatnonzero(np.diff(times, prepend=-np.inf) > 0.0)
        last = np.flatnonzero(np.diff(times, append=np.inf) > 0.0)
        left, right = sol.at(times[first], "left").u, sol.at(times[last], "right").u
        inner = times[first] > sol.t[0]
        size = np.abs(events.u_minus[first] - left)[inner]
        found.judge(
            "log: velocity before", size, 10 * tol.velocity, times[first][inner], "velocity"
        )
        size = np.abs(events.u_plus[last] - right)
        found.judge("log: velocity after", size, 10 * tol.velocity, times[last], "velocity")


def check_energy(ref: Any, sol: Any, tol: Tolerances, found: Findings) -> None:
    """Check that an autonomous system loses energy only in impacts, friction and dampers."""
    if not ref.is_autonomous or sol.t.size == 0:
        return
    t, q, u = sol.t[[0, -1]], sol.q[[0, -1]], sol.u[[0, -1]]
    kinetic = 0.5 * np.einsum("mi,mij,mj->m", u, ref.mass(t, q), u)
    potential = ref.potential(t, q)
    sizes = np.abs(kinetic).max() + np.abs(potential - potential[0]).max()
    # The first sample follows the impacts at the start.
    behind = sol.events[sol.events.t > t[0]]
    lost = behind.energy_loss.sum() - behind.drive_work.sum() + sol.friction_loss[-1].sum()
    lost += ref.damping_loss(sol) if hasattr(ref, "damping_loss") else 0.0
    balance = abs(float(kinetic[0] + potential[0] - kinetic[1] - potential[1] - lost))
    sizes += abs(lost)
    # Errors of energies follow those of the coordinates, whose origin is arbitrary.
    allowed = (1e-7 + 3 * tol.relative) * (sizes + 1e-6) + tol.relative * np.abs(potential).max()
    # A contact that closes within gap_tolerance, 1e-11 m, is projected onto its wall. Forces do
    # work along this displacement.
    closes = (sol.events.state_minus == OPEN) & (sol.events.state_plus != OPEN)
    force = np.abs(ref.momentum_rate(t, q, u)).sum(axis=1).max()
    allowed += 1e-11 * force * (1 + np.count_nonzero(closes))
    found.judge("energy balance", balance, allowed, t[1])
    loss = np.diff(sol.friction_loss.sum(axis=1))
    found.judge("friction wins energy", -loss, 1e-9 * (sizes + 1e-6), sol.t[1:])
