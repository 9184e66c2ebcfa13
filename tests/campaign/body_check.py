"""Checks of free planar bodies against Newton's and Coulomb's laws and their own shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign import shapes
from tests.campaign.actuated import check_actuated
from tests.campaign.elastic import check_elastic
from tests.campaign.findings import Findings, Tolerances
from tests.campaign.smooth import pieces, some
from tests.oracles.least_squares import nonnegative

Array = NDArray[np.float64]
LONGEST = 1e-3
MOST = 60
FRAMES = 2500


def shape_of(spec: dict[str, Any], end: tuple[str, int]) -> Any:
    kind, k = end
    return spec["grounds"][k] if kind == "g" else spec["bodies"][k]["outline"]


def place_of(q: Array, end: tuple[str, int]) -> Array | None:
    """Return the position of a body, shape (..., 3), or None for the fixed ground."""
    return None if end[0] == "g" else q[..., 3 * end[1] : 3 * end[1] + 3]


def frames(sol: Any) -> Array:
    """Return times that are evenly spaced, and times close to every event."""
    first, last = sol.t_span
    near = [np.linspace(first, last, 600), sol.t]
    events = np.unique(sol.events.t)
    between = 0.5 * (events[:-1] + events[1:])
    near.append(between[: FRAMES // 2])
    times = np.unique(np.concatenate(near))
    return (
        times if len(times) <= FRAMES else times[np.linspace(0, len(times) - 1, FRAMES).astype(int)]
    )


def check_shapes(spec: dict[str, Any], sol: Any, tol: Tolerances, found: Findings) -> None:
    times = frames(sol)
    q = sol.at(times).q
    for pair in spec["pairs"]:
        first, second = pair["first"], pair["second"]
        name = f"{first[0]}{first[1]}-{second[0]}{second[1]}"
        one, two = shape_of(spec, first), shape_of(spec, second)
        depth = shapes.penetration(one, place_of(q, first), two, place_of(q, second))
        found.judge(f"penetration of {name.translate(DIGITS)}", depth, 2.0 * tol.gap, times)
        if first[0] == "b" and not isinstance(one, float) and not isinstance(two, float):
            for k in np.linspace(0, len(times) - 1, 40).astype(int):
                q1, q2 = place_of(q[k], first), place_of(q[k], second)
                area = shapes.crossing(one, q1, two, q2)
                # A strip as long as the bodies and as deep as allowed.
                found.judge("area in common", area, 2.0 * tol.gap, times[k])


DIGITS = str.maketrans("", "", "0123456789")


@dataclass
class Places:
    """The touching points of bodies, one column each."""

    W_N: Array
    W_T: Array
    mu: Array
    e_N: Array
    slip: Array
    corner: Array
    """Index of the point of a pair, shape (c,). A corner may lie on two sides."""


def places(spec: dict[str, Any], q: Array, u: Array, reach: float, inside: float = -1e-6) -> Places:
    """Return the points nearer than `reach` at one state."""
    n = len(q)
    normals, tangents, mu, e_N, slip, corners = [], [], [], [], [], []
    for number, pair in enumerate(spec["pairs"]):
        first, second = pair["first"], pair["second"]
        near = shapes.touching(
            shape_of(spec, first), place_of(q, first), shape_of(spec, second), place_of(q, second),
            reach, inside,
        )  # fmt: skip
        for p, normal, corner in zip(near.point, near.normal, near.corner, strict=True):
            tangent = np.array([normal[1], -normal[0]])
            rows = []
            for direction in (normal, tangent):
                w = np.zeros(n)
                for end, sign in ((second, 1.0), (first, -1.0)):
                    if end[0] == "b":
                        at = slice(3 * end[1], 3 * end[1] + 3)
                        arm = p - q[at][:2]
                        turn = arm[0] * direction[1] - arm[1] * direction[0]
                        w[at] += sign * np.array([*direction, turn])
                rows.append(w)
            belt = spec["grounds"][first[1]]["speed"] * tangent[0] if first[0] == "g" else 0.0
            normals.append(rows[0])
            tangents.append(rows[1])
            mu.append(pair["law"]["mu"])
            e_N.append(pair["law"]["e_N"])
            slip.append(float(rows[1] @ u) - belt)
            corners.append(2 * shapes.FIRST * number + int(corner))
    W_N, W_T = np.reshape(normals, (-1, n)).T, np.reshape(tangents, (-1, n)).T
    return Places(
        W_N, W_T, np.array(mu), np.array(e_N), np.array(slip), np.array(corners, dtype=int)
    )


def directions(
    spec: dict[str, Any], q: Array, u: Array, reach: float, inside: float = -1e-6
) -> tuple[Array, Array, Array, Array]:
    """Return W_N and W_T, shape (n, c), and μ and slip, shape (c,), of `places`."""
    found = places(spec, q, u, reach, inside)
    return found.W_N, found.W_T, found.mu, found.slip


def cone(spec: dict[str, Any], q: Array, u: Array, reach: float, slow: float) -> Array:
    """Return the edges of the cone of admissible forces, shape (n, c).

    Slip below `slow` may have either sign.
    """
    W_N, W_T, mu, slip = directions(spec, q, u, reach)
    both = mu > 0.0
    forward, back = both & (slip > -slow), both & (slip < slow)
    return np.hstack(
        [
            W_N[:, ~both],
            (W_N - mu * W_T)[:, forward],
            (W_N + mu * W_T)[:, back],
        ]
    )


def masses(spec: dict[str, Any]) -> Array:
    return np.concatenate([[b["mass"], b["mass"], b["inertia"]] for b in spec["bodies"]])


def weight(spec: dict[str, Any]) -> Array:
    return np.concatenate(
        [[b["mass"] * g for g in spec["gravity"]] + [0.0] for b in spec["bodies"]]
    )


def check_newton(spec: dict[str, Any], sol: Any, tol: Tolerances, found: Findings) -> None:
    """Check that the momentum gained, without that of weight, lies in the cone of touching points.

    This holds over short intervals without events.
    """
    root, force = np.sqrt(masses(spec)), weight(spec)
    for a, b in some(pieces(sol, [], LONGEST), MOST):
        begin, middle, end = sol.at(a, "right"), sol.at(0.5 * (a + b)), sol.at(b, "left")
        impulse = root**2 * (end.u - begin.u) - (b - a) * force
        turn = (b - a) * (1.0 + np.abs(middle.u).max())  # rotation of the directions meanwhile
        slow = turn * 30.0 + 10 * tol.velocity
        E = cone(spec, middle.q, middle.u, 10 * tol.gap + 1e-7, slow)
        right = impulse / root
        left = nonnegative(E / root[:, None], right)[1] if E.size else np.linalg.norm(right)
        scale = np.linalg.norm(root * np.abs(begin.u))
        allowed = 3.0 * tol.relative * (1e-2 + scale) + turn * np.linalg.norm(right)
        found.judge("force outside the cone of what touches", left, allowed, 0.5 * (a + b))


def check_jumps(spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings) -> None:
    events = sol.events
    m, root = masses(spec), np.sqrt(masses(spec))
    for t in np.unique(events.t[events.kind == 0])[:150]:
        rows = np.flatnonzero(events.t == t)
        before, after, q = events.u_minus[rows[0]], events.u_plus[rows[-1]], events.q[rows[0]]
        E = cone(spec, q, before, 10 * tol.gap + 1e-8, np.inf)
        right = root * (after - before)
        left = nonnegative(E / root[:, None], right)[1] if E.size else np.linalg.norm(right)
        scale = np.linalg.norm(root * before) + np.linalg.norm(right)
        found.judge("impact outside the cone of what touches", left, 1e-6 * scale + 1e-8, t)
        W_N = directions(spec, q, after, 1e-12, 1e-6)[0]
        size = 1e-7 * (np.abs(before).max() + np.abs(after).max()) + 1e-9
        if t < sol.t[-1] or sol.success:
            found.judge("impact ends in approach of what touches", -(W_N.T @ after), size, t)
        loss = 0.5 * (before**2 @ m) - 0.5 * (after**2 @ m)
        if law == "poisson" and not spec["belt"]:
            found.judge("impact wins energy", -loss, 1e-8 * (before**2 @ m) + 1e-12, t)


def check_book(spec: dict[str, Any], sol: Any, tol: Tolerances, found: Findings) -> None:
    """Check kinetic and potential energy against the losses in the log."""
    if spec["belt"]:
        return
    m = masses(spec)
    kinetic = 0.5 * (sol.u**2) @ m
    potential = -sol.q @ weight(spec)
    energy_book(kinetic, potential, sol, tol, found)


def energy_book(
    kinetic: Array, potential: Array, sol: Any, tol: Tolerances, found: Findings
) -> None:
    losses = np.zeros(len(sol.t))
    for t, loss in zip(sol.events.t, sol.events.energy_loss, strict=True):
        if t > sol.t[0]:
            losses[np.searchsorted(sol.t, t, side="right") - 1 :] += loss
    total = kinetic + potential + sol.friction_loss.sum(axis=1) + losses
    swing = np.abs(kinetic).max() + np.ptp(potential)
    allowed = (1e-6 + 30.0 * tol.relative) * (swing + 1e-6)
    allowed += tol.relative * np.abs(potential).max()  # its zero is arbitrary
    # Rows and samples interleave within an instant, so that only its end is judged.
    last = np.append(np.diff(sol.t) > 0.0, True)
    found.judge("energy balance", np.abs(total - total[0])[last], allowed, sol.t[last])


def check_free(spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings) -> None:
    check_shapes(spec, sol, tol, found)
    check_newton(spec, sol, tol, found)
    check_jumps(spec, sol, tol, law, found)
    check_book(spec, sol, tol, found)


def chain_places(spec: dict[str, Any], q: Array, u: Array) -> tuple[Array, Array, Array, Array]:
    """Return centres, tips and centre velocities, shape (m, n, 2), and rates, shape (m, n)."""
    first = 2 if spec["free"] else 0
    angle, rate = np.cumsum(q[:, first:], axis=1), np.cumsum(u[:, first:], axis=1)
    arm = spec["length"] * np.stack([np.cos(angle), np.sin(angle)], -1)
    swing = spec["length"] * rate[..., None] * np.stack([-np.sin(angle), np.cos(angle)], -1)
    origin, speed = (q[:, None, :2], u[:, None, :2]) if spec["free"] else (0.0, 0.0)
    ends, velocities = origin + np.cumsum(arm, axis=1), speed + np.cumsum(swing, axis=1)
    return ends - 0.5 * arm, ends, velocities - 0.5 * swing, rate


def check_chain(spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings) -> None:
    times = frames(sol)
    here = sol.at(times)
    _, ends, _, _ = chain_places(spec, here.q, here.u)
    found.judge("penetration of floor", spec["r"] - spec["depth"] - ends[..., 1], tol.gap, times)
    if spec["wall"] is not None:
        found.judge("penetration of wall", spec["r"] + ends[..., 0] - spec["wall"], tol.gap, times)
    middle, _, v, rate = chain_places(spec, sol.q, sol.u)
    m, J = spec["mass"], spec["inertia"]
    kinetic = 0.5 * m * (v**2).sum((1, 2)) + 0.5 * J * (rate**2).sum(1)
    energy_book(kinetic, 9.81 * m * middle[..., 1].sum(1), sol, tol, found)


def check_play(spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings) -> None:
    """Check a crank whose pin moves in the hole of a bob."""
    times = frames(sol)
    q = sol.at(times).q
    pin = 0.3 * np.stack([np.cos(q[:, 0]), np.sin(q[:, 0])], -1)
    apart = np.linalg.norm(pin - q[:, 1:3], axis=1)
    found.judge("penetration of the hole", apart - spec["clearance"], tol.gap, times)
    q, u = sol.q, sol.u
    kinetic = 0.5 * (0.0075 + 0.15**2) * u[:, 0] ** 2 + 0.5 * 0.002 * u[:, 3] ** 2
    arm = 0.1 * np.stack([-np.sin(q[:, 3]), np.cos(q[:, 3])], -1) * u[:, 3:4]
    kinetic = kinetic + 0.25 * ((u[:, 1:3] + arm) ** 2).sum(1)
    potential = 9.81 * (0.15 * np.sin(q[:, 0]) + 0.5 * (q[:, 2] + 0.1 * np.sin(q[:, 3])))
    energy_book(kinetic, potential, sol, tol, found)


def check_windows(
    spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings
) -> None:
    """Check that parallelograms stay closed and conserve their energy."""
    n = spec["n"]
    names = list(sol.coordinates)
    crank = [names.index(f"c{k}") for k in range(n + 1)]
    rod = [names.index(f"r{k}") for k in range(n)]
    angle, turn = sol.q[:, crank], sol.q[:, crank[:-1]] + sol.q[:, rod]
    rate, spin = sol.u[:, crank], sol.u[:, crank[:-1]] + sol.u[:, rod]
    tip = np.stack([np.cos(angle), np.sin(angle)], -1) + np.stack(
        [np.arange(n + 1.0), np.zeros(n + 1)], -1
    )
    along = np.stack([np.cos(turn), np.sin(turn)], -1)
    apart = np.linalg.norm(tip[:, :-1] + along - tip[:, 1:], axis=2)
    found.judge("loop open", apart, 10 * tol.gap, sol.t)
    v_tip = rate[..., None] * np.stack([-np.sin(angle), np.cos(angle)], -1)
    v_rod = v_tip[:, :-1] + 0.5 * spin[..., None] * np.stack([-np.sin(turn), np.cos(turn)], -1)
    kinetic = (rate**2).sum(1) / 6 + 0.5 * (v_rod**2).sum((1, 2)) + (spin**2).sum(1) / 24
    height = 0.5 * np.sin(angle).sum(1) + np.sin(angle[:, :-1]).sum(1) + 0.5 * np.sin(turn).sum(1)
    energy_book(kinetic, 9.81 * height, sol, tol, found)


CHECKS = {
    "free": check_free,
    "chain": check_chain,
    "play": check_play,
    "windows": check_windows,
    "actuated": check_actuated,
    "elastic": check_elastic,
}
