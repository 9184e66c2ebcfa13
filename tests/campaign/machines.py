"""Shaken slides on springs with elements of `nsmb.symbolic.elements`.

Elements are hysteresis, backlash with oil, gas springs of two stages, and tyres. The laws are
reimplemented here as printed in the book, with reversal points set when they are reached. SciPy
integrates them from event to event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.campaign.case import Case, code
from tests.campaign.findings import Findings, Tolerances

Array = NDArray[np.float64]
Generator = np.random.Generator
Motion = tuple[float, float]
LOOKS = 40
MOST_EVENTS = 400
AWAY, PAST = 1e-9, 1e-11  # s; m or m/s


# ---- random systems -------------------------------------------------------------------------


def draw_hysteresis(rng: Generator, room: float) -> dict[str, Any]:
    c2 = float(10 ** rng.uniform(3, 4.5))
    numbers = {"c1": c2 * float(rng.uniform(0.2, 0.9)), "c2": c2, "recovers": bool(rng.integers(2))}
    if rng.random() < 0.5:
        d1, d2 = (rng.uniform(0.0, 0.3, 2) * np.sqrt(c2)).tolist()
        numbers |= {"d1": d1, "d2": d2}
    return {"law": "hysteresis", "at": -room, "numbers": numbers}


def draw_backlash(rng: Generator, room: float) -> dict[str, Any]:
    c = float(10 ** rng.uniform(2.5, 4))
    numbers = {"play": 2.0 * room, "c": c, "d": float(rng.uniform(0.05, 0.5) * np.sqrt(c))}
    if rng.random() < 0.5:
        numbers |= {"oil": float(rng.uniform(0.1, 2.0)), "oil_decay": float(rng.uniform(1, 5))}
    return {"law": "backlash", "at": room, "numbers": numbers}


def draw_gas(rng: Generator, room: float) -> dict[str, Any]:
    area, p_1 = 1e-3, float(rng.uniform(0.3e4, 1e4))
    return {
        "law": "gas_spring", "at": -2.0,
        "numbers": {
            "area": area, "volume_1": area * float(rng.uniform(3.0, 4.0)), "pressure_1": p_1,
            "volume_2": area * float(rng.uniform(0.5, 2.0)),
            "pressure_2": p_1 * float(rng.uniform(1.3, 4.0)),
            "exponent": float(rng.uniform(1.05, 1.5)), "oil_in": float(rng.uniform(0, 2)),
            "oil_out": float(rng.uniform(0, 5)), "ambient": p_1,
        },
    }  # fmt: skip


def draw_tyre(rng: Generator, room: float) -> dict[str, Any]:
    steps = np.cumsum(rng.uniform(0.005, 0.05, 2))
    stiff = 10 ** rng.uniform(2, 4, 3)
    return {
        "law": "tyre", "at": -room,
        "numbers": {"stiffness": stiff.tolist(), "steps": steps.tolist()},
    }  # fmt: skip


def draw(rng: Generator, seed: int, method: dict[str, Any]) -> Case:
    n = int(rng.integers(1, 3))
    language = str(rng.choice(["energies", "bodies"]))
    slides = []
    for _ in range(n):
        mass, spring = float(rng.uniform(0.3, 3)), float(rng.uniform(20, 300))
        own = np.sqrt(spring / mass)
        slides.append({
            "m": mass, "k": spring, "d": float(rng.uniform(0, 3)),
            "q": float(rng.uniform(-0.02, 0.02)), "u": float(rng.uniform(-2, 2)),
            "F": float(rng.uniform(0, 30)), "w": float(own * rng.uniform(0.3, 3)),
        })  # fmt: skip
    elements = []
    for _ in range(int(rng.integers(1, 3))):
        kind = [draw_hysteresis, draw_backlash, draw_gas, draw_tyre][int(rng.integers(4))]
        element = kind(rng, float(rng.uniform(0.03, 0.15)))
        first, second = 0, int(rng.integers(-1, n))
        if second == first:
            second = -1
        elements.append(element | {"first": first, "second": second})
    spec = {"kind": "machines", "slides": slides, "elements": elements}
    t_end = float(np.round(rng.uniform(0.5, 2.0), 3))
    tags = ("machines", language, *sorted({e["law"] for e in elements}))
    build = (by_energies if language == "energies" else by_bodies)(spec)
    return Case("energies", seed, build, t_end, None, None, method, spec, tags)


def element_code(number: int, element: dict[str, Any]) -> str:
    """Return the source of an element over ``way`` and ``rate``, which increase with slide 1."""
    law, ends = element["law"], [(element["first"], "")]
    if element["second"] >= 0:
        ends.append((element["second"], "-"))
    way, rate = ("".join(f" + {sign}{of}[{k}]" for k, sign in ends)[3:] for of in "qu")
    sign, closed = ("-", "+") if law == "tyre" else ("", "-")
    at = element["at"]
    given = "".join(f", {k}={code(v)}" for k, v in element["numbers"].items())
    return f"elements.{law}('e{number}', {sign}({way}) {closed} ({at!r}), {sign}({rate}){given})"


def by_energies(spec: dict[str, Any]) -> str:
    n = len(spec["slides"])
    lines = [
        "from nsmb import symbolic",
        "import sympy as sp",
        "elements = symbolic.elements",
        f"q = [symbolic.coordinates(f'b{{k}}') for k in range({n})]",
        "u = [x.velocity for x in q]",
        f"slides = {code(spec['slides'])}",
        "machine = [" + ", ".join(element_code(*e) for e in enumerate(spec["elements"])) + "]",
        "system = symbolic.LagrangianSystem(",
        "    q, sum(s['m'] * v**2 / 2 for s, v in zip(slides, u)),",
        "    sum(s['k'] * x**2 / 2 for s, x in zip(slides, q)),",
        "    [s['F'] * sp.sin(s['w'] * symbolic.time) - s['d'] * v for s, v in zip(slides, u)],",
        "    elements=machine,",
        "    initial={**{x: s['q'] for s, x in zip(slides, q)},",
        "             **{v: s['u'] for s, v in zip(slides, u)}})",
    ]
    return "\n".join(lines) + "\n"


def by_bodies(spec: dict[str, Any]) -> str:
    n = len(spec["slides"])
    lines = [
        "from nsmb import symbolic",
        "import sympy as sp",
        "elements = symbolic.elements",
        "m = nsmb.Model()",
        f"slides = {code(spec['slides'])}",
        f"names = [f'b{{k}}' for k in range({n})]",
        "for k, s in enumerate(slides):",
        "    body = m.add_body(names[k], mass=s['m'], inertia=1e-3)",
        "    m.add_joint(names[k], nsmb.joints.Prismatic(), m.ground, body, at=(3.0 * k, 0))",
        "    m.add_torsion_spring(f's{k}', names[k], c=s['k'], d=s['d'])",
        f"at = symbolic.Places(coordinates={n})",
        "q, u = at.q, at.u",
        "shake = [s['F'] * sp.sin(s['w'] * symbolic.time) for s in slides]",
    ]
    for number, element in enumerate(spec["elements"]):
        forces = ", joint_forces=shake" if number == 0 else ""
        lines += [
            f"law = symbolic.BodyForce(at, elements=[{element_code(number, element)}]{forces})",
            f"m.add_user_force('f{number}', law, coordinates=names)",
        ]
    start, speed = ({f"b{k}": s[x] for k, s in enumerate(spec["slides"])} for x in "qu")
    lines.append(f"system = m.build({code(start)}, {code(speed)})")
    return "\n".join(lines) + "\n"


# ---- reference solution ---------------------------------------------------------------------

End = tuple[Callable[[float, float, float], float], float, str]
"""(g, ġ, w) -> value, direction of its zero, mode after it."""


@dataclass
class Law:
    """One element over the gap g, positive when open. w is the position of a wall."""

    numbers: dict[str, Any]
    mode: str = ""
    wall: bool = False

    def __post_init__(self) -> None:
        for key, value in self.numbers.items():
            setattr(self, key, value)

    def start(self, g: float) -> None:
        """Set the initial mode where it differs from the default one."""

    def force(self, g: float, v: float) -> float:
        """Return the force that increases g."""
        raise NotImplementedError

    def wall_rate(self, v: float, w: float) -> float:
        return 0.0

    def ends(self) -> list[End]:
        return []

    def change(self, mode: str, g: float, w: float) -> None:
        """Change the mode at gap g, with the wall at w."""
        self.mode = mode


class Hysteresis(Law):
    """The hysteresis (14.30), which stores the largest deflection where loading ends.

    With damping the spring is left with a deflection w that relaxes, and loading resumes from w.
    """

    c1: float
    c2: float
    recovers: bool
    d1: float = 0.0
    d2: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mode, self.wall = "away", self.d2 > 0.0
        self.deepest = self.surface = self.rest = 0.0
        self.share = 1.0 - self.c1 / self.c2

    def force(self, g: float, v: float) -> float:
        if self.mode == "loads":
            return -self.c1 * (g - self.rest) - self.c2 * self.rest - self.d1 * v
        if self.mode == "unloads":
            return -self.c2 * (g - self.deepest * self.share) - self.d2 * v
        return 0.0

    def wall_rate(self, v: float, w: float) -> float:
        if self.mode == "loads":
            return v * self.c1 / self.c2
        return v if self.mode == "unloads" else -self.c2 / self.d2 * w

    def ends(self) -> list[End]:
        if self.mode == "away":
            fresh = "loads" if self.surface == 0.0 else "unloads"
            return [(lambda g, v, w: g - self.surface - w, -1.0, fresh)]
        if self.mode == "loads":
            return [(lambda g, v, w: v, 1.0, "unloads")]
        if self.mode == "unloads":
            return [
                (lambda g, v, w: -self.force(g, v), 1.0, "rises" if self.recovers else "away"),
                (lambda g, v, w: g - self.deepest, -1.0, "loads"),
            ]
        presses = self.c2 if self.wall else 0.0, self.d2 if self.wall else 1.0
        return [
            (lambda g, v, w: g - w, 1.0, "away"),
            (lambda g, v, w: presses[0] * w + presses[1] * v, -1.0, "unloads"),
        ]

    def change(self, mode: str, g: float, w: float) -> None:
        if self.mode == "away" and mode == "loads":
            self.rest = w
        if self.mode == "loads":
            self.deepest = g - self.rest
        if self.mode == "unloads":
            self.surface = 0.0 if self.recovers else self.deepest * self.share
            self.rest = 0.0
        if self.mode == "rises":
            self.deepest = (g - w) / self.share if mode == "unloads" else 0.0
        self.mode = mode


class Flank(Law):
    """The flank (3.20)-(3.23), which closes at contact and opens where it would pull."""

    c: float
    d: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mode, self.wall = "open", True

    def force(self, g: float, v: float) -> float:
        return -self.c * g - self.d * v if self.mode == "closed" else 0.0

    def wall_rate(self, v: float, w: float) -> float:
        return v if self.mode == "closed" else -self.c / self.d * w

    def ends(self) -> list[End]:
        if self.mode == "open":
            return [(lambda g, v, w: g - w, -1.0, "closed")]
        return [(lambda g, v, w: self.c * g + self.d * v, 1.0, "open")]


class Film(Law):
    """The oil film between the flanks. g is the distance to the front one."""

    play: float
    oil: float
    oil_decay: float

    def force(self, g: float, v: float) -> float:
        gaps = np.array([g, self.play - g])
        return float(
            -self.oil * np.exp(-self.oil_decay * np.maximum(gaps, 0.0) / self.play).sum() * v
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mode = "here"

    def ends(self) -> list[End]:
        return [(lambda g, v, w: g, 0.0, "here"), (lambda g, v, w: self.play - g, 0.0, "here")]


class Gas(Law):
    """The gas spring (14.78)-(14.85) by the volumes of both chambers. g is the stroke."""

    area: float
    volume_1: float
    pressure_1: float
    volume_2: float
    pressure_2: float
    exponent: float
    oil_in: float
    oil_out: float
    ambient: float

    def __post_init__(self) -> None:
        super().__post_init__()
        left = self.volume_1 * (self.pressure_1 / self.pressure_2) ** (1.0 / self.exponent)
        self.change_at = (self.volume_1 - left) / self.area
        self.both = left + self.volume_2

    def start(self, g: float) -> None:
        self.mode = "one" if g < self.change_at else "two"

    def force(self, g: float, v: float) -> float:
        if self.mode == "one":
            now, V, p = self.volume_1 - self.area * g, self.volume_1, self.pressure_1
        else:
            now, V, p = self.both - self.area * (g - self.change_at), self.both, self.pressure_2
        oil = (self.oil_in if v > 0.0 else -self.oil_out) * v**2
        return float(-self.area * (p * (V / now) ** self.exponent - self.ambient) - oil)

    def ends(self) -> list[End]:
        up = self.mode == "one"
        sign, other = (1.0, "two") if up else (-1.0, "one")
        # Where the speed changes its sign, the second derivative of the oil's force jumps.
        return [
            (lambda g, v, w: g - self.change_at, sign, other),
            (lambda g, v, w: v, 0.0, self.mode),
        ]


class Wheel(Law):
    """The tyre (14.64). g is the compression."""

    stiffness: list[float]
    steps: list[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mode = "here"

    def force(self, g: float, v: float) -> float:
        corners = np.array([0.0, *self.steps, np.inf])
        parts = np.clip(g - corners[:-1], 0.0, np.diff(corners))
        return float(-np.dot(self.stiffness, parts))

    def ends(self) -> list[End]:
        return [
            (lambda g, v, w, s=s: g - s, 0.0, "here")  # type: ignore[misc]
            for s in (0.0, *self.steps)
        ]


def laws_of(element: dict[str, Any]) -> list[tuple[Law, float, float]]:
    """Return the laws, each with sign and offset of its g over the travel of the element."""
    numbers, at = element["numbers"], element["at"]
    if element["law"] == "hysteresis":
        return [(Hysteresis(numbers), 1.0, -at)]
    if element["law"] == "gas_spring":
        return [(Gas(numbers), 1.0, -at)]
    if element["law"] == "tyre":
        return [(Wheel(numbers), -1.0, at)]
    flank = {k: numbers[k] for k in ("c", "d")}
    found: list[tuple[Law, float, float]] = [
        (Flank(flank), -1.0, at), (Flank(flank), 1.0, numbers["play"] - at)
    ]  # fmt: skip
    if "oil" in numbers:
        film = {k: numbers[k] for k in ("play", "oil", "oil_decay")}
        found.append((Film(film), -1.0, at))
    return found


class Truth:
    """The reference motion of y = (q, u, walls)."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.slides = spec["slides"]
        self.n = len(self.slides)
        self.laws: list[tuple[Law, Array, float, int]] = []
        walls = 0
        for element in spec["elements"]:
            way = np.zeros(self.n)
            way[element["first"]] += 1.0
            if element["second"] >= 0:
                way[element["second"]] -= 1.0
            for law, sign, offset in laws_of(element):
                self.laws.append((law, sign * way, offset, 2 * self.n + walls if law.wall else -1))
                walls += law.wall
        self.size = 2 * self.n + walls

    def rates(self, t: float, y: Array) -> Array:
        n, ydot = self.n, np.zeros(self.size)
        q, u = y[:n], y[n : 2 * n]
        h = np.array([
            s["F"] * np.sin(s["w"] * t) - s["k"] * q[k] - s["d"] * u[k]
            for k, s in enumerate(self.slides)
        ])  # fmt: skip
        for law, way, offset, wall in self.laws:
            g, v = float(way @ q) + offset, float(way @ u)
            h += way * law.force(g, v)
            if wall >= 0:
                ydot[wall] = law.wall_rate(v, float(y[wall]))
        ydot[:n], ydot[n : 2 * n] = u, h / [s["m"] for s in self.slides]
        return ydot

    def change(self, law: Law, way: Array, offset: float, mode: str, y: Array) -> None:
        g = float(way @ y[: self.n]) + offset
        wall = next(place for other, _, _, place in self.laws if other is law)
        law.change(mode, g, float(y[wall]) if wall >= 0 else 0.0)
        if isinstance(law, Flank):
            y[wall] = g  # (3.22)

    def watched(self) -> list[tuple[Any, Law, Array, float, str]]:
        found = []
        for law, way, offset, wall in self.laws:
            for value, direction, mode in law.ends():

                def function(
                    t: float,
                    y: Array,
                    value: Any = value,
                    way: Array = way,
                    offset: float = offset,
                    wall: int = wall,
                ) -> float:
                    g, v = float(way @ y[: self.n]) + offset, float(way @ y[self.n : 2 * self.n])
                    return float(value(g, v, y[wall] if wall >= 0 else 0.0))

                function.terminal, function.direction = True, direction  # type: ignore[attr-defined]
                found.append((function, law, way, offset, mode))
        return found

    def run(self, times: Array) -> Array:
        """Return the states at these times, unless there are too many events before them."""
        t, rows = 0.0, []
        y = np.zeros(self.size)
        y[: self.n] = [s["q"] for s in self.slides]
        y[self.n : 2 * self.n] = [s["u"] for s in self.slides]
        for law, way, offset, _ in self.laws:
            law.start(float(way @ y[: self.n]) + offset)
        for _ in range(MOST_EVENTS):
            watched = self.watched()
            part = solve_ivp(
                self.rates, (t, float(times[-1])), y, method="DOP853", rtol=1e-11, atol=1e-13,
                events=[w[0] for w in watched], dense_output=True, max_step=5e-3,
            )  # fmt: skip
            here = times[(times >= t) & ((times < part.t[-1]) | (part.status == 0))]
            rows += [part.sol(x) for x in here]
            if part.status == 0:
                break
            t, y = float(part.t[-1]), part.y[:, -1]
            fired = [k for k, when in enumerate(part.t_events) if len(when)]
            for k in fired:
                self.change(*watched[k][1:], y)
            # Leave the zero, which SciPy would find again, and pass others at the same instant.
            y, t = y + AWAY * self.rates(t, y), t + AWAY
            for function, *end in self.watched():
                if function.direction * function(t, y) > PAST:
                    self.change(*end, y)
        return np.array(rows)


def check_machines(spec: dict[str, Any], sol: Any, tol: Tolerances, found: Findings) -> None:
    """Compare the motion with the laws as printed in the book."""
    if not sol.t[-1] > sol.t[0]:
        return
    n = len(spec["slides"])
    times = np.linspace(0.0, float(sol.t[-1]), LOOKS)
    truth = Truth(spec).run(times)
    here = sol.at(times[: len(truth)], "left")
    size = 1.0 + np.abs(truth[:, : 2 * n]).max()
    # Each event passes its error on. Measured: 15 times this in 80 runs, most with oil, whose
    # second derivative jumps at each reversal. The reference leaves its own events by a step of
    # 1e-9 s.
    allowed = 300.0 * (1e-8 + tol.rtol * (1.0 + len(sol.events)))
    error = np.abs(np.hstack([here.q, here.u]) - truth[:, : 2 * n])
    found.judge("motion beside SciPy's", error, allowed * size, times[: len(truth)], "component")
