"""Systems defined by energies: pendulums with stops and walls, rods, discs, points over curves.

Each template is a text of SymPy expressions, which nsmb differentiates and compiles. The check
reads the same text and differentiates independently (`lagrange.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.campaign import machines
from tests.campaign.case import (
    FAMILIES,
    Case,
    draw_friction,
    draw_method,
    draw_restitution,
    generator,
)

Generator = np.random.Generator
Draw = Callable[[Generator], tuple[dict[str, float], list[float], list[float]]]


@dataclass(frozen=True)
class Template:
    """A template whose `text` sets T, V and `contacts`, pairs of gap and slip or None."""

    name: str
    coordinates: str
    parameters: dict[str, float]
    text: str
    start: list[float]
    draw: Draw

    def preamble(self) -> str:
        """Return the source that defines `template`."""
        values = ", ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"""import sympy as sp
from nsmb import symbolic
q = symbolic.coordinates({self.coordinates!r})
q = q if isinstance(q, tuple) else (q,)
v = symbolic.velocities(*q) if len(q) > 1 else (symbolic.velocities(*q),)
p = symbolic.parameters(mu=0.3, e=0.5, {values})
{self.text}
law = nsmb.ContactLaw(p.mu, p.e)
template = symbolic.LagrangianSystem(
    q, T, V,
    contacts=[nsmb.Contact(gap=gap, slip=slip, law=law) for gap, slip in contacts],
    parameters=p,
    initial=dict(zip(q, {self.start!r})),
)
"""


def pendulum(n: int) -> Template:
    """Return n rods with absolute angles, stops at joints, a wall, and a floor for the tip."""
    names = " ".join(f"a{k}" for k in range(n))
    text = """
x, y, T, V, vx, vy = 0, 0, 0, 0, 0, 0
for k, (a, w) in enumerate(zip(q, v)):
    dx, dy = p.l * sp.sin(a), -p.l * sp.cos(a)
    dvx, dvy = p.l * sp.cos(a) * w, p.l * sp.sin(a) * w
    T += p.m / 2 * ((vx + dvx / 2)**2 + (vy + dvy / 2)**2) + p.m * p.l**2 / 24 * w**2
    V += p.m * p.g * (y + dy / 2)
    x, y, vx, vy = x + dx, y + dy, vx + dvx, vy + dvy
contacts = [(p.wall - x, vy), (y + p.floor, vx)]
for a, b in zip(q[:-1], q[1:]):
    contacts += [(p.stop - (b - a), None), (p.stop + (b - a), None)]
"""
    parameters = {"m": 1.0, "l": 0.5, "g": 9.81, "wall": 10.0, "floor": 10.0, "stop": 2.0}

    def draw(rng: Generator) -> tuple[dict[str, float], list[float], list[float]]:
        values = {
            "l": float(rng.uniform(0.2, 1.0)), "m": float(10 ** rng.uniform(-1, 1)),
            "stop": float(rng.uniform(0.3, 2.0)),
        }  # fmt: skip
        first = rng.uniform(-1.5, 1.5)
        steps = rng.uniform(-0.9, 0.9, n - 1) * values["stop"] * (rng.random() < 0.7)
        q = np.concatenate([[first], first + np.cumsum(steps)])
        if rng.random() < 0.2:  # one deflected, the others vertical: zeros at rest
            q[1:] = 0.0
            q[0] = rng.uniform(-0.9, 0.9) * values["stop"]
        tip = values["l"] * np.array([np.sin(q).sum(), np.cos(q).sum()])
        reach = n * values["l"]
        values["wall"] = float(max(tip[0] + 0.01, rng.uniform(0.0, 1.2) * reach))
        values["floor"] = float(max(tip[1] + 0.01, rng.uniform(0.7, 1.2) * reach))
        u = np.zeros(n) if rng.random() < 0.5 else rng.uniform(-3, 3, n)
        return values, q.tolist(), u.tolist()

    return Template(f"pendulum of {n}", names, parameters, text, [0.1] * n, draw)


def _draw_rod(rng: Generator) -> tuple[dict[str, float], list[float], list[float]]:
    a = float(rng.uniform(0.1, 1.0))
    values = {"a": a, "m": float(10 ** rng.uniform(-1, 1)), "wall": float(a + rng.uniform(0.05, 1))}
    phi = float(rng.choice([0.0, rng.uniform(-3, 3)], p=[0.2, 0.8]))
    lift = float(rng.choice([0.0, rng.uniform(0, 0.5)], p=[0.3, 0.7]))
    q = [0.0, a * abs(np.sin(phi)) + lift, phi]
    u = np.zeros(3) if rng.random() < 0.4 else rng.uniform(-1, 1, 3) * [2.0, 1.0, 5.0]
    return values, [float(x) for x in q], u.tolist()


ROD = Template(
    "rod", "x y phi", {"m": 1.0, "a": 0.5, "g": 9.81, "wall": 2.0},
    """
T = p.m / 2 * (v[0]**2 + v[1]**2) + p.m * p.a**2 / 6 * v[2]**2
V = p.m * p.g * q[1]
contacts = []
for s in (-1, 1):
    x, y = q[0] + s * p.a * sp.cos(q[2]), q[1] + s * p.a * sp.sin(q[2])
    vx, vy = v[0] - s * p.a * sp.sin(q[2]) * v[2], v[1] + s * p.a * sp.cos(q[2]) * v[2]
    contacts += [(y, vx), (p.wall - x, vy)]
""",
    [0.0, 1.0, 0.4], _draw_rod,
)  # fmt: skip


def _draw_disc(rng: Generator) -> tuple[dict[str, float], list[float], list[float]]:
    R = float(rng.uniform(0.1, 0.5))
    values = {"R": R, "c": float(rng.uniform(0, 0.6)) * R, "wall": float(R + rng.uniform(0.1, 2))}
    lift = float(rng.choice([0.0, rng.uniform(0, 0.5)]))
    u = np.zeros(3) if rng.random() < 0.3 else rng.uniform(-1, 1, 3) * [3.0, 0.5, 10.0]
    if lift == 0.0:
        u[1] = min(u[1], 0.0) * (rng.random() < 0.5)
    return values, [0.0, R + lift, float(rng.uniform(-3, 3))], u.tolist()


DISC = Template(
    "disc out of balance", "x y phi", {"m": 1.0, "R": 0.3, "c": 0.05, "g": 9.81, "wall": 2.0},
    """
cx, cy = v[0] - p.c * sp.sin(q[2]) * v[2], v[1] + p.c * sp.cos(q[2]) * v[2]
T = p.m / 2 * (cx**2 + cy**2) + p.m * p.R**2 / 4 * v[2]**2
V = p.m * p.g * (q[1] + p.c * sp.sin(q[2]))
contacts = [(q[1] - p.R, v[0] + p.R * v[2]), (p.wall - q[0] - p.R, v[1] + p.R * v[2])]
""",
    [0.0, 1.0, 0.0], _draw_disc,
)  # fmt: skip


def _draw_curve(rng: Generator) -> tuple[dict[str, float], list[float], list[float]]:
    values = {"A": float(rng.uniform(0.02, 0.3)), "k": float(rng.uniform(0.5, 4.0))}
    x = float(rng.uniform(-1, 1))
    lift = float(rng.choice([0.0, rng.uniform(0, 0.5)]))
    values["wall"] = float(abs(x) + rng.uniform(0.2, 2))
    u = np.zeros(2) if rng.random() < 0.4 else rng.uniform(-2, 2, 2)
    return values, [x, values["A"] * float(np.sin(values["k"] * x)) + lift], u.tolist()


CURVE = Template(
    "point over a wave", "x y", {"m": 1.0, "A": 0.1, "k": 2.0, "g": 9.81, "wall": 3.0},
    """
T = p.m / 2 * (v[0]**2 + v[1]**2)
V = p.m * p.g * q[1]
f = p.A * p.k * sp.cos(p.k * q[0])
wave = (q[1] - p.A * sp.sin(p.k * q[0]), (v[0] + f * v[1]) / sp.sqrt(1 + f**2))
contacts = [wave, (p.wall - q[0], v[1]), (p.wall + q[0], v[1])]
""",
    [0.0, 1.0], _draw_curve,
)  # fmt: skip


def _draw_cart(rng: Generator) -> tuple[dict[str, float], list[float], list[float]]:
    values = {
        "M": float(10 ** rng.uniform(-1, 1)), "l": float(rng.uniform(0.2, 1)),
        "c": float(rng.choice([0.0, rng.uniform(1, 100)])),
    }  # fmt: skip
    x, phi = float(rng.uniform(-0.3, 0.3)), float(rng.uniform(-1.4, 1.4))
    values["stop"] = float(abs(x) + rng.uniform(0, 0.4))
    values["post"] = float(abs(phi) + rng.uniform(0, 0.5))
    u = np.zeros(2) if rng.random() < 0.5 else rng.uniform(-2, 2, 2)
    return values, [x, phi], u.tolist()


CART = Template(
    "cart with pendulum", "x phi",
    {"M": 1.0, "m": 1.0, "l": 0.5, "c": 10.0, "g": 9.81, "stop": 1.0, "post": 1.5},
    """
bob = v[0]**2 + 2 * p.l * sp.cos(q[1]) * v[0] * v[1] + p.l**2 * v[1]**2
T = p.M / 2 * v[0]**2 + p.m / 2 * bob
V = p.c / 2 * q[0]**2 - p.m * p.g * p.l * sp.cos(q[1])
contacts = [(p.stop - q[0], None), (p.stop + q[0], None)]
contacts += [(p.post - q[1], None), (p.post + q[1], None)]
""",
    [0.0, 0.1], _draw_cart,
)  # fmt: skip

TEMPLATES = [pendulum(1), pendulum(2), pendulum(3), pendulum(5), ROD, DISC, CURVE, CART]


FIRST_MACHINE = 5_000
"""Half of the seeds from here on are systems with machine elements."""


def make(seed: int) -> Case:
    if seed >= FIRST_MACHINE:
        other = np.random.default_rng([len(FAMILIES) + 1, seed])
        if other.random() < 0.5:
            return machines.draw(other, seed, draw_method(other))
    rng = generator("energies", seed)
    number = int(rng.choice(len(TEMPLATES), p=[0.08, 0.14, 0.12, 0.1, 0.2, 0.14, 0.12, 0.1]))
    template = TEMPLATES[number]
    values, q, u = template.draw(rng)
    values |= {"mu": draw_friction(rng), "e": draw_restitution(rng)}
    given = ", ".join(f"{k}={v!r}" for k, v in values.items())
    build = f"system = template.with_parameters({given})\n"
    spec = {"template": number, "parameters": {**template.parameters, **values}}
    t_end = float(np.round(rng.uniform(0.3, 2.5), 3))
    method = draw_method(rng)
    return Case(
        "energies", seed, build, t_end, q, u, method, spec, (template.name,), template.preamble()
    )


__all__ = ["TEMPLATES", "make"]
