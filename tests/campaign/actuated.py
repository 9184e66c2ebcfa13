"""Slides on a line with limits and with force elements that have two states and a mode.

The motion is piecewise linear, so that matrix exponentials give the exact solution.

An element acts between slides i and j, or the ground, with distance γ, states x and a mode:

    T = d·x,   ẋ = A x + b γ̇ + c,   in a mode that lasts while row·(x, 1) >= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import brentq

from tests.campaign.case import Case, code
from tests.campaign.findings import Findings, Tolerances

Array = NDArray[np.float64]
Generator = np.random.Generator
LIMIT_SPEED = 1e-3  # m/s, slower bounces may end at rest and are not compared
SCAN = 2e-4  # s
ROOM = 10.0  # m between the slides, so that distances do not change sign


def draw_actuator(rng: Generator) -> dict[str, Any]:
    """Draw a damper, spring and actuator in series. The actuator locks at the end of its stroke."""
    c, d = float(rng.uniform(50, 200)), float(rng.uniform(30, 200))
    b, T0, most = float(rng.uniform(0.003, 0.02)), float(rng.uniform(-8, 2)), 0.03
    return {
        "d": [c, 0.0],
        "open": {
            "A": [[-c / d - b * c, 0.0], [b * c, 0.0]], "b": [1.0, 0.0], "c": [b * T0, -b * T0],
            "row": [0.0, -1.0, most],
        },
        "closed": {
            "A": [[-c / d, 0.0], [0.0, 0.0]], "b": [1.0, 0.0], "c": [0.0, 0.0],
            "row": [c, 0.0, -T0],
        },
    }  # fmt: skip


def draw_cylinder(rng: Generator) -> dict[str, Any]:
    """Draw a leaking oil volume at pressure p with a relief valve that opens late and shuts early.

    The second state counts the volume released.
    """
    area, stiff = float(rng.uniform(0.5, 2.0)), float(rng.uniform(50, 300))
    leak, relief = float(rng.uniform(0.2, 2.0)), float(rng.uniform(3.0, 20.0))
    crack = float(rng.uniform(2.0, 15.0))
    reseat = crack * float(rng.uniform(0.2, 0.8))
    flow = [[-leak, 0.0], [0.0, 0.0]]
    let_go = [[-leak - relief, 0.0], [relief / stiff, 0.0]]
    push = [stiff * area, 0.0]
    return {
        "d": [area, 0.0],
        "open": {"A": flow, "b": push, "c": [0.0, 0.0], "row": [-1.0, 0.0, crack]},
        "closed": {"A": let_go, "b": push, "c": [0.0, 0.0], "row": [1.0, 0.0, -reseat]},
    }


def element_code(element: dict[str, Any], language: str) -> list[str]:
    """Return the source of `law`."""
    modes = [element["open"], element["closed"]]
    if language == "python":
        return [
            f"d, modes = np.array({code(element['d'])}), {code(modes)}",
            "A, B, C, R = (np.array([m[key] for m in modes]) for key in ('A', 'b', 'c', 'row'))",
            "class Law(nsmb.UserForce):",
            "    states, watched = {'x': 0.0, 'y': 0.0}, {'mode': False}",
            "    def __init__(self, d, A, B, C, R): self.of = d, A, B, C, R",
            "    def force(self, now): return now.pull(self.of[0] @ now.x)",
            "    def rates(self, now):",
            "        _, A, B, C, _ = (a[int(now.closed[0])] for a in self.of)",
            "        return A @ now.x + B * now.rate() + C",
            "    def watch(self, now):",
            "        row = self.of[4][int(now.closed[0])]",
            "        return row[:2] @ now.x + row[2]",
            "law = Law(d, A, B, C, R)",
        ]
    return [
        f"d, modes = {code(element['d'])}, {code(modes)}",
        "at, x, mode = symbolic.Places(2), symbolic.states('x y'), symbolic.modes('mode')",
        "rates = [[m['A'][i][0] * x[0] + m['A'][i][1] * x[1] + m['b'][i] * at.rate() + m['c'][i]",
        "          for i in range(2)] for m in modes]",
        "left = [m['row'][0] * x[0] + m['row'][1] * x[1] + m['row'][2] for m in modes]",
        "law = symbolic.BodyForce(",
        "    at, tension=d[0] * x[0] + d[1] * x[1],",
        "    rates={x[i]: mode.select(rates[0][i], rates[1][i]) for i in range(2)},",
        "    watch={mode: (left[0], left[1])})",
    ]


def draw(rng: Generator, seed: int, method: dict[str, Any]) -> Case:
    n = int(rng.integers(1, 4))
    language = str(rng.choice(["python", "sympy"]))
    spec: dict[str, Any] = {"kind": "actuated", "slides": [], "elements": []}
    lines = ["from nsmb import symbolic", "m = nsmb.Model()", "slides = []"]
    for k in range(n):
        mass, spring = float(rng.uniform(0.3, 3)), float(rng.uniform(50, 500))
        damper = float(rng.choice([0.0, rng.uniform(0, 2)]))
        q, u = float(rng.uniform(-0.3, 0.3)), float(rng.uniform(-1, 1))
        e_N = float(rng.uniform(0.3, 0.9)) if rng.random() < 0.4 else None
        limit = q - float(rng.uniform(0.02, 0.3))
        slide = {"m": mass, "k": spring, "d": damper, "q": q, "u": u, "e_N": e_N, "limit": limit}
        spec["slides"].append(slide)
        lines += [
            f"slides.append(m.add_body('b{k}', mass={mass!r}, inertia=1e-3))",
            f"m.add_joint('j{k}', nsmb.joints.Prismatic(), m.ground, slides[-1], "
            f"at=({ROOM * (k + 1)!r}, 0))",
            f"m.add_torsion_spring('s{k}', 'j{k}', c={spring!r}, d={damper!r})",
        ]
        if e_N is not None:
            law = f"nsmb.ContactLaw(e_N={e_N!r})"
            lines.append(f"m.add_stop('j{k}', {limit!r}, law={law})")
    for number in range(int(rng.integers(1, 3))):
        element = [draw_actuator, draw_cylinder][int(rng.integers(2))](rng)
        first, second = sorted(rng.choice(n + 1, 2, replace=False).tolist())
        element |= {"first": first - 1, "second": second - 1}
        spec["elements"].append(element)
        ends = ["m.ground" if k < 0 else f"slides[{k}]" for k in (first - 1, second - 1)]
        lines += element_code(element, language)
        lines.append(f"m.add_user_force('e{number}', law, [{', '.join(ends)}])")
    start = {f"j{k}": s["q"] for k, s in enumerate(spec["slides"])}
    speed = {f"j{k}": s["u"] for k, s in enumerate(spec["slides"])}
    lines.append(f"system = m.build({code(start)}, {code(speed)})")
    t_end = float(np.round(rng.uniform(0.5, 2.0), 3))
    build = "\n".join(lines) + "\n"
    tags = ("actuated", language)
    return Case("bodies", seed, build, t_end, None, None, method, spec, tags)


class Truth:
    """The exact motion of y = (q, u, x of all elements, 1)."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.slides, self.elements = spec["slides"], spec["elements"]
        self.n, self.size = len(self.slides), 2 * len(self.slides) + 2 * len(self.elements) + 1
        self._flows: dict[tuple[bool, ...], tuple[Array, Array]] = {}

    def flow(self, modes: tuple[bool, ...]) -> tuple[Array, Array]:
        """Return A and exp(A SCAN)."""
        if modes not in self._flows:
            n, A = self.n, np.zeros((self.size, self.size))
            A[:n, n : 2 * n] = np.eye(n)
            for k, s in enumerate(self.slides):
                A[n + k, [k, n + k]] = -s["k"] / s["m"], -s["d"] / s["m"]
            for k, (e, closed) in enumerate(zip(self.elements, modes, strict=True)):
                own = slice(2 * n + 2 * k, 2 * n + 2 * k + 2)
                mode = e["closed" if closed else "open"]
                A[own, own], A[own, -1] = mode["A"], mode["c"]
                for end, sign in ((e["first"], -1.0), (e["second"], 1.0)):
                    if end >= 0:
                        A[own, n + end] += sign * np.array(mode["b"])
                        A[n + end, own] -= sign * np.array(e["d"]) / self.slides[end]["m"]
            self._flows[modes] = A, expm(A * SCAN)
        return self._flows[modes]

    def rows(self, modes: tuple[bool, ...]) -> Array:
        """Return the rows that stay >= 0: modes, then limits."""
        rows = []
        for k, (e, closed) in enumerate(zip(self.elements, modes, strict=True)):
            row = np.zeros(self.size)
            own = e["closed" if closed else "open"]["row"]
            row[2 * self.n + 2 * k : 2 * self.n + 2 * k + 2], row[-1] = own[:2], own[2]
            rows.append(row)
        for k, s in enumerate(self.slides):
            row = np.zeros(self.size)
            if s["e_N"] is not None:
                row[k], row[-1] = 1.0, -s["limit"]
            rows.append(row)
        return np.array(rows)

    def run(self, t_end: float) -> tuple[float, Array, list[float]]:
        """Return the final time, the final state and the times of events.

        The motion ends early where a slide comes to rest at a limit, or where events are too
        frequent.
        """
        y = np.zeros(self.size)
        y[: self.n] = [s["q"] for s in self.slides]
        y[self.n : 2 * self.n] = [s["u"] for s in self.slides]
        y[-1] = 1.0
        modes, t, events, arrived = (False,) * len(self.elements), 0.0, [], y
        while True:
            A, few = self.flow(modes)
            rows, start, dt, left = self.rows(modes), y, 0.0, None
            while t + dt < t_end:
                z = few @ y
                gone = np.flatnonzero(rows @ z < 0.0)
                # A row that has just switched or bounced starts at zero.
                gone = gone[(rows[gone] @ y > 0.0) | (dt > 0.0)]
                if gone.size:
                    if (rows[gone] @ expm(A * dt) @ start <= 0.0).any():
                        return t, arrived, events[:-1]  # returns faster than the sampling resolves
                    times = [zero(row, A, start, dt) for row in rows[gone]]
                    first = int(np.argmin(times))
                    left = times[first], int(gone[first])
                    break
                dt, y = dt + SCAN, z
            if left is None or t + left[0] >= t_end:
                return t_end, expm(A * (t_end - t)) @ start, events
            arrived, t = expm(A * left[0]) @ start, t + left[0]
            y = arrived.copy()
            events.append(t)
            k = left[1]
            if k < len(modes):
                modes = (*modes[:k], not modes[k], *modes[k + 1 :])
                continue
            k -= len(modes)
            if y[self.n + k] > -LIMIT_SPEED:
                return t, arrived, events[:-1]
            y[self.n + k] *= -self.slides[k]["e_N"]


def zero(row: Array, A: Array, start: Array, dt: float) -> float:
    """Return the zero of row·exp(A s) start between dt and the next sample."""

    def left(s: float) -> float:
        return float(row @ expm(A * s) @ start)

    return float(brentq(left, dt, dt + SCAN, xtol=1e-15))


def check_actuated(
    spec: dict[str, Any], sol: Any, tol: Tolerances, law: str, found: Findings
) -> None:
    """Check the times of events and the final state of a piecewise linear motion."""

    def without_modes(at: Any) -> Array:
        return np.concatenate([at.q, at.u, np.delete(at.x, np.arange(2, at.x.size, 3))])

    hold_against(*Truth(spec).run(float(sol.t[-1])), sol, tol, found, without_modes)


def hold_against(
    t: float,
    y: Array,
    events: list[float],
    sol: Any,
    tol: Tolerances,
    found: Findings,
    state: Callable[[Any], Array],
    growth: float = 1.0,
) -> None:
    """Compare a run with the state (y, 1) at t and the events before.

    t is the end of the run or of the reference. `growth` is the amplification of small errors.
    """
    t_end = float(sol.t[-1])
    # Each event passes its error on to the next ones.
    allowed = tol.relative * (1.0 + len(events)) * max(1.0, growth)
    last = t_end if t == t_end else t - 100.0 * allowed
    mine, theirs = (np.unique(times[times < last]) for times in (sol.events.t, np.array(events)))
    if len(mine) != len(theirs):
        common = min(len(mine), len(theirs))
        apart = np.flatnonzero(np.abs(mine[:common] - theirs[:common]) > 1e-6)
        where = float([*mine, *theirs, t][apart[0] if apart.size else 0])
        found.judge(
            "events of the piecewise linear motion", abs(len(mine) - len(theirs)), 0.5, where
        )
        return
    found.judge("times of events", np.abs(mine - theirs), allowed, theirs, "event")
    if t < t_end:
        return
    error = state(sol.at(t, "left")) - y[:-1]
    size = 1.0 + np.abs(y[:-1]).max()
    found.judge("state at the end", np.abs(error), 10.0 * allowed * size, t, "component")
