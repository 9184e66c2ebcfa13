"""Random systems with two-dimensional friction: point masses, plates on feet, balls over planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import Case, code, draw_friction, draw_method, draw_restitution, generator
from tests.campaign.linear import build_code, common_e, contact

Array = NDArray[np.float64]
Generator = np.random.Generator
G = 9.81


def make(seed: int) -> Case:
    rng = generator("spatial", seed)
    recipe = [points, plate, ball][int(rng.choice(3, p=[0.4, 0.35, 0.25]))]
    spec, tags = recipe(rng)
    n = len(spec["M"])
    spec |= {"K": np.zeros((n, n)), "D": np.zeros((n, n))}
    if rng.random() < 0.3:
        tags.append("springs")
        spec["K"] = np.diag(rng.uniform(0, 100, n) * (rng.random(n) < 0.5))
    force: dict[str, Any] = {"ramp": None, "harmonics": [], "switches": []}
    force["constant"] = spec.pop("weight")
    if rng.random() < 0.3:
        tags.append("harmonics")
        amplitude = rng.standard_normal(n) * rng.uniform(1, 10) * np.diag(spec["M"])
        force["harmonics"] = [(amplitude, float(rng.uniform(2, 20)), float(rng.uniform(0, 6)))]
    spec["force"] = force
    if rng.random() < 0.2:
        tags.append("belt")
        speed = rng.uniform(-1, 1, 2)
        for c in spec["contacts"]:
            c["v_T"] = speed
    method = draw_method(rng)
    if method.get("impact_law") == "newton" and rng.random() < 0.5:
        method["impact_law"] = "moreau"
    build = build_code(spec)
    start = f"nsmb.State(0.0, np.array({code(spec['q'])}), np.array({code(spec['u'])}))"
    build = build.replace("contacts=contacts)", f"contacts=contacts, initial_state={start})")
    t_end = float(np.round(rng.uniform(0.2, 1.5), 3))
    q, u = spec.pop("q").tolist(), spec.pop("u").tolist()
    return Case("spatial", seed, build, t_end, q, u, method, spec, tuple(tags))


def draw_law(rng: Generator, e_N: float | None) -> dict[str, float]:
    law = {"e_N": draw_restitution(rng) if e_N is None else e_N, "mu": draw_friction(rng)}
    if rng.random() < 0.15:
        law["aspect"] = float(rng.uniform(0.3, 2))
    return law


def slope(rng: Generator) -> Array:
    """Draw the weight per unit mass over a plane that may be inclined."""
    delta = float(rng.choice([0.0, rng.uniform(0, 0.8)]))
    way = rng.uniform(0, 2 * np.pi)
    return G * np.array([np.sin(delta) * np.cos(way), np.sin(delta) * np.sin(way), -np.cos(delta)])


def points(rng: Generator) -> tuple[dict[str, Any], list[str]]:
    """Draw one or two points, each over one to three planes that may cross."""
    e, bodies = common_e(rng), int(rng.integers(1, 3))
    n = 3 * bodies
    q, u = np.zeros(n), np.zeros(n)
    masses, weight, contacts = [], [], []
    for b in range(bodies):
        m = float(10 ** rng.uniform(-1, 1))
        masses += [m] * 3
        weight.append(m * slope(rng))
        own = slice(3 * b, 3 * b + 3)
        q[own] = rng.uniform(-0.1, 0.1, 3)
        if rng.random() < 0.7:
            u[own] = rng.standard_normal(3)
        for i in range(int(rng.integers(1, 4))):
            normal = np.array([0.0, 0.0, 1.0])
            if i:
                normal = normal + rng.standard_normal(3)
            normal /= np.linalg.norm(normal)
            first = np.cross(normal, rng.standard_normal(3))
            first /= np.linalg.norm(first)
            w_N, w_T = np.zeros(n), np.zeros((n, 2))
            w_N[own], w_T[own] = normal, np.column_stack([first, np.cross(normal, first)])
            start = float(rng.choice([0.0, rng.uniform(0, 0.3)], p=[0.4, 0.6]))
            contacts.append(contact(w_N, w_T, start - float(w_N @ q), draw_law(rng, e)))
    M, f = np.diag(masses), np.concatenate(weight)
    return {"M": M, "q": q, "u": u, "contacts": contacts, "weight": f}, ["points"]


def plate(rng: Generator) -> tuple[dict[str, Any], list[str]]:
    """Draw a rigid block on three or four feet, with small rotations."""
    e, feet = common_e(rng), int(rng.integers(3, 5))
    m, h = float(rng.uniform(0.5, 3)), float(rng.uniform(0.05, 0.4))
    places = np.array([(-0.3, -0.2), (0.3, -0.25), (0.25, 0.3), (-0.2, 0.35)])[:feet]
    places = places * rng.uniform(0.5, 1.5, (feet, 2)) if rng.random() < 0.5 else places
    law = draw_law(rng, e)
    contacts = []
    for x, y in places:
        w_N = np.array([0.0, 0.0, 1.0, y, -x, 0.0])
        w_T = np.array([[1.0, 0.0, 0.0, 0.0, -h, -y], [0.0, 1.0, 0.0, h, 0.0, x]]).T
        own = law if rng.random() < 0.6 else draw_law(rng, e)
        contacts.append(contact(w_N, w_T, 0.0, own))
    M = np.diag([m, m, m, *(m * rng.uniform(0.02, 0.1, 3))])
    q, u = np.zeros(6), np.zeros(6)
    if rng.random() < 0.4:
        q[2:5] = [0.1, *rng.uniform(-0.05, 0.05, 2)]
    if rng.random() < 0.7:
        u = rng.standard_normal(6) * [1.0, 1.0, 0.2 * (q[2] > 0), 0.0, 0.0, 2.0]
    f = np.concatenate([m * slope(rng), np.zeros(3)])
    return {"M": M, "q": q, "u": u, "contacts": contacts, "weight": f}, ["plate"]


def ball(rng: Generator) -> tuple[dict[str, Any], list[str]]:
    """Draw a ball over a floor, possibly beside a wall, with rotations as quasi-coordinates."""
    e, m, r = common_e(rng), float(rng.uniform(0.2, 2)), float(rng.uniform(0.05, 0.5))
    w_T = np.array([[1.0, 0.0, 0.0, 0.0, -r, 0.0], [0.0, 1.0, 0.0, r, 0.0, 0.0]]).T
    height = float(rng.choice([0.0, rng.uniform(0, 0.4)]))
    contacts = [contact(np.eye(6)[2], w_T, 0.0, draw_law(rng, e))]
    if rng.random() < 0.5:
        # n = e_x, the point of contact at -r n: v + ω x (-r n).
        w_T = np.array([[0.0, 1.0, 0.0, 0.0, 0.0, -r], [0.0, 0.0, 1.0, 0.0, r, 0.0]]).T
        contacts.append(contact(np.eye(6)[0], w_T, float(rng.uniform(0, 0.5)), draw_law(rng, e)))
    M = np.diag([m] * 3 + [0.4 * m * r * r] * 3)
    q, u = np.zeros(6), rng.standard_normal(6) * [1, 1, 0.3, 5, 5, 5] * (rng.random() < 0.8)
    q[2] = height
    f = np.concatenate([m * slope(rng), np.zeros(3)])
    return {"M": M, "q": q, "u": u, "contacts": contacts, "weight": f}, ["ball"]
