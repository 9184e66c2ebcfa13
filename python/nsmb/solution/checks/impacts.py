"""Checks of impacts: momentum, energy and impact laws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations, product

import numpy as np
from numpy.typing import NDArray

from nsmb.common.labels import contact_of
from nsmb.events.enums import ContactState, EventKind
from nsmb.solution.checks.book import Book, size
from nsmb.system.base import System

__all__ = ["check_impacts"]

Floats = NDArray[np.float64]
_RULES = (
    "impact: momentum", "impact: energy", "impact: work", "impact: Lambda_N >= 0",
    "impact: no approach", "impact: cone", "impact: compression", "impact: expansion",
)  # fmt: skip
_MOST_POINTS = 3  # with the same features whose order is tried
_MOST_ORDERS = 64  # of all points


def check_impacts(book: Book, system: System) -> None:
    """Check momentum, impulses and laws of every impact, (8.52), (8.87), (8.97)."""
    e = book.solution.events
    book.rules |= dict.fromkeys(_RULES, 0)
    rows = np.flatnonzero(e.kind == EventKind.IMPACT)
    inputs = book.solution._inputs_at(e.t[rows], "right")
    reach = _Reach(book)
    for row, values in zip(rows.tolist(), inputs, strict=True):
        impact = _impact(book, system, reach, row, values)
        _balances(book, impact)
        if impact.found.all():
            _momentum(book, impact)
            _laws(book, system, impact)


@dataclass(frozen=True, eq=False)
class _Impact:
    """One impact of the log, and the matrices of the system at its position."""

    row: int
    t: float
    M: Floats
    Minv: Floats
    """Inverse of M with constraints taken into account."""
    W_N: Floats
    W_T: Floats
    w_tilde_N: Floats
    w_tilde_T: Floats
    before: Floats
    after: Floats
    found: NDArray[np.bool_]
    """Contacts without impulse, and contacts whose point was found again, shape (nc,)."""
    lost: Floats
    """Velocities that contacts at rest may have lost, shape (nu,)."""
    least: Floats
    """Impulses that change the velocity of a contact by the velocity of rest, (nc,), in N s."""


def _impact(book: Book, system: System, reach: _Reach, row: int, inputs: Floats) -> _Impact:
    e = book.solution.events
    t, q, u = float(e.t[row]), e.q[row], e.u_minus[row]
    k = system.contact_kinematics(t, q, u, inputs=inputs)
    W_N, W_T, w_tilde_N, w_tilde_T = (k[key] for key in ("W_N", "W_T", "w_tilde_N", "w_tilde_T"))
    found = np.ones(system.nc, dtype=np.bool_)
    M = system.mass_matrix(t, q, inputs=inputs)
    if e.features.shape[1]:
        change = M @ (e.u_plus[row] - u)
        smallest = np.inf
        # Two points of smooth curves have the same features. Their impulses say which is which.
        for order in _orders(book, system, row, k["features"]):
            known = np.where(order >= 0, order, np.arange(system.nc))
            own = np.concatenate([np.zeros(0, dtype=np.intp), *(book.tangents[i] for i in known)])
            along = np.zeros_like(W_T)
            along[:, book.columns] = k["W_T"][:, own]
            across = k["W_N"][:, order]
            missing = change - across @ e.Lambda_N[row] - along @ e.Lambda_T[row]
            if size(missing) < smallest:
                smallest, found = size(missing), order >= 0
                W_N, w_tilde_N, W_T = across, k["w_tilde_N"][order], along
                w_tilde_T = np.zeros_like(w_tilde_T)
                w_tilde_T[book.columns] = k["w_tilde_T"][own]
    W_B = system.constraint_kinematics(t, q, u)["W"] if system.nb > 0 else np.zeros((system.nu, 0))
    Minv, lost, least = reach.of(M, W_B, W_N, W_T, e.state_plus[row])
    return _Impact(
        row, t, M, Minv, W_N, W_T, w_tilde_N, w_tilde_T, u, e.u_plus[row],
        found | (e.Lambda_N[row] == 0.0), lost, least,
    )  # fmt: skip


class _Reach:
    """Effect of impulses at one position, and the velocities that contacts at rest may have lost.

    The last result is cached, because consecutive impacts often have the same matrices.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._key: tuple[bytes, ...] = ()
        self._last: tuple[Floats, Floats, Floats] = (np.zeros((0, 0)), np.zeros(0), np.zeros(0))

    def of(
        self, M: Floats, W_B: Floats, W_N: Floats, W_T: Floats, state: NDArray[np.int8]
    ) -> tuple[Floats, Floats, Floats]:
        """Return M⁻¹ with constraints taken into account, velocities lost, and least impulses."""
        key = tuple(part.tobytes() for part in (M, W_B, W_N, W_T, state))
        if key != self._key:
            Minv: Floats = np.asarray(np.linalg.inv(M), dtype=np.float64)
            if W_B.shape[1]:
                G = W_B.T @ Minv @ W_B
                Minv = Minv - Minv @ W_B @ np.linalg.pinv(G, rcond=1e-9) @ W_B.T @ Minv
            least, least_T = (_least(self._book, Minv, W) for W in (W_N, W_T))
            lost = np.abs(Minv @ W_N) @ least + np.abs(Minv @ W_T) @ least_T
            lost = lost + _brought_to_rest(self._book, state, Minv, W_N, W_T)
            self._key, self._last = key, (Minv, lost, least)
        return self._last


def _brought_to_rest(
    book: Book, state: NDArray[np.int8], Minv: Floats, W_N: Floats, W_T: Floats
) -> Floats:
    """Return the velocities lost if all persistent contacts lose the velocity of rest at once.

    A single contact requires the impulse `_least`. Nearly dependent contacts require more together.
    """
    normals = [int(i) for i in np.flatnonzero(state != ContactState.OPEN) if book.unilateral[i]]
    sticking = np.flatnonzero(state == ContactState.STICK)
    tangents = [int(k) for i in sticking for k in book.tangents[i]]
    W = np.concatenate([W_N[:, normals], W_T[:, tangents]], axis=1)
    P: Floats = Minv @ W @ np.linalg.pinv(W.T @ Minv @ W, rcond=1e-10, hermitian=True)
    lost: Floats = np.abs(P).sum(axis=1) * book.rest
    return lost


def _least(book: Book, Minv: Floats, W: Floats) -> Floats:
    """Return the impulses along each column of W that change its velocity by that of rest."""
    G: Floats = (W * (Minv @ W)).sum(axis=0)
    return np.where(G > 0.0, book.rest / np.maximum(G, 1e-300), 0.0)


def _orders(book: Book, system: System, row: int, there: Floats) -> Iterator[NDArray[np.intp]]:
    """Yield possible indices of the contact points of a row among those found again, or -1, (nc,).

    Slots of one pair of contours have the same name before the bracket. A point may be in any of
    them, and one of several with the same features and an impulse in each of their places.
    Friction below the normal force of a point goes with it.
    """
    events = book.solution.events
    wanted, struck = events.features[row], events.Lambda_N[row] != 0.0
    groups: dict[tuple[object, ...], tuple[list[int], list[int]]] = {}
    for i, contact in enumerate(system.contacts):
        if contact.normal is not None:
            continue
        for features, k in ((wanted[i], 0), (there[i], 1)):
            key = (contact_of(contact.name), *features.tolist())
            groups.setdefault(key, ([], []))[k].append(i)
    choices = []
    for slots, places in groups.values():
        many = 1 < len(places) <= _MOST_POINTS and len(slots) <= len(places)
        many = many and bool(struck[slots].any())
        ways = permutations(places, len(slots)) if many else [places[: len(slots)]]
        choices.append([(slots, list(way)) for way in ways])
    names = system.contact_names
    below = {
        (contact.normal, contact_of(contact.name)): i
        for i, contact in enumerate(system.contacts)
        if contact.normal is not None
    }
    for chosen in islice(product(*choices), _MOST_ORDERS):
        order = np.full(len(names), -1, dtype=np.intp)
        for slots, places in chosen:
            for slot, place in zip(slots, places, strict=False):
                order[slot] = place
        for (normal, kind), i in below.items():
            place = order[names.index(normal)]
            order[i] = below.get((names[place], kind), -1) if place >= 0 else -1
        yield order


def _balances(book: Book, i: _Impact) -> None:
    """Check that the energies of the row (8.52) agree with its velocities."""
    e = book.solution.events
    T_A, T_E = (0.5 * float(u @ i.M @ u) for u in (i.before, i.after))
    loss, momentum = (
        float(e.energy_loss[i.row]),
        np.abs(i.M) @ np.maximum(np.abs(i.before), np.abs(i.after)),
    )
    allowed = book.tolerance * max(T_A, T_E) + float(momentum @ i.lost)
    drive = float(e.drive_work[i.row])
    book.one("impact: energy", i.row, i.t, "", abs(T_A - T_E - loss + drive), allowed)
    work = float(e.work_N[i.row].sum() + e.work_T[i.row].sum())
    book.one("impact: work", i.row, i.t, "", abs(work + loss), allowed)
    for rule in _RULES[1:3]:
        book.rules[rule] += 1


def _momentum(book: Book, i: _Impact) -> None:
    """Check M (u⁺ - u⁻) = W Λ, (8.1)."""
    e = book.solution.events
    change = i.Minv @ (i.W_N @ e.Lambda_N[i.row] + i.W_T @ e.Lambda_T[i.row])
    largest = size(np.concatenate([i.before, i.after, change]))
    missing = np.abs(i.after - i.before - change)
    book.one("impact: momentum", i.row, i.t, "", missing, book.tolerance * largest + i.lost)
    book.rules["impact: momentum"] += 1


def _laws(book: Book, system: System, i: _Impact) -> None:
    s, e = book.solution, book.solution.events
    N, T = e.Lambda_N[i.row], e.Lambda_T[i.row]
    NC, TC = e.Lambda_NC[i.row], e.Lambda_TC[i.row]
    u_C = i.before + i.Minv @ (i.W_N @ NC + i.W_T @ TC)
    gamma_NC, gamma_NE = (i.W_N.T @ u + i.w_tilde_N for u in (u_C, i.after))
    gamma_TC = i.W_T.T @ u_C + i.w_tilde_T
    reach = size(np.concatenate([i.before, i.after, u_C, gamma_NC, gamma_TC]))
    speed = book.tolerance * reach + book.rest
    impulses = book.tolerance * size(np.concatenate([N, T])) + i.least
    is_last = i.row + 1 == len(e) or e.t[i.row + 1] > i.t
    has_phases = bool(NC.any() or TC.any())
    own_expansion = s.method is not None and s.method.has_function

    def corner(rule: str, contact: int, velocity: float, force: float) -> None:
        """Check that neither is negative and one is zero, each within its own tolerance."""
        x, y = velocity / speed, force / impulses[contact]
        name = system.contact_names[contact]
        book.one(rule, i.row, i.t, name, max(-x, -y, min(x, y)) * book.tolerance, book.tolerance)
        book.rules[rule] += 1

    for k, contact in enumerate(system.contacts):
        law, rows = contact.law, book.tangents[k]
        takes_part = bool(e.contacts[i.row, k]) or N[k] > impulses[k]
        if not contact.is_unilateral or not takes_part:
            continue
        stretch = np.array([1.0, law.aspect])[: rows.size]
        total = float(np.linalg.norm(T[rows] / stretch))
        name, limit = contact.name, float(impulses[k])
        book.one("impact: Lambda_N >= 0", i.row, i.t, name, -N[k], limit)
        book.one("impact: cone", i.row, i.t, name, total - law.mu * N[k], (1.0 + law.mu) * limit)
        if is_last:
            book.one("impact: no approach", i.row, i.t, name, -gamma_NE[k], speed)
        for rule in ("impact: Lambda_N >= 0", "impact: cone", "impact: no approach"):
            book.rules[rule] += 1
        if not has_phases:
            continue  # impact law with one phase
        corner("impact: compression", k, float(gamma_NC[k]), float(NC[k]))
        if law.mu > 0.0:
            reserve = law.mu * NC[k] - float(np.linalg.norm(TC[rows] / stretch))
            corner("impact: compression", k, float(np.linalg.norm(gamma_TC[rows])), reserve)
        if not own_expansion:
            given_back = (1.0 + law.e_N) * NC[k]
            corner("impact: expansion", k, float(gamma_NE[k]), float(N[k] - given_back))
