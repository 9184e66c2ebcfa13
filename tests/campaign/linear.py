"""Random planar linear systems.

Contact rows are dependent, coincident or opposed. There are plates on feet, stops, moving bases,
and loads that oscillate, rise or switch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import (
    Case,
    code,
    draw_friction,
    draw_method,
    draw_restitution,
    generator,
    law_code,
)

Array = NDArray[np.float64]
Generator = np.random.Generator


# From this seed on, internal states carry part of the springs.
FIRST_WITH_STATES = 20_000


def unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def spd(rng: Generator, n: int, spread: float) -> Array:
    """Draw a positive definite matrix with eigenvalues above 0.3, so that systems are not stiff."""
    L = np.eye(n) + spread * rng.standard_normal((n, n))
    return np.asarray(0.3 * np.eye(n) + 0.7 * L @ L.T)


def make(seed: int) -> Case:
    rng = generator("linear", seed)
    kind = rng.choice(["rows", "plates", "chain"], p=[0.5, 0.3, 0.2])
    spec, tags = {"rows": rows, "plates": plates, "chain": chain}[str(kind)](rng)
    tags = [str(kind), *tags]
    spec["force"], more = load(rng, spec)
    spec["told"] = seed % 2 == 0  # whether jumps of the load are declared
    tags += more
    t_end = float(np.round(10.0 ** rng.uniform(-0.7, 0.6), 3))
    method = draw_method(rng, linear=True)
    build = build_code(spec)
    if seed >= FIRST_WITH_STATES and spec["K"].any():
        build = carry_by_states(build, spec, np.random.default_rng([seed, 1]))
        tags.append("states")
    if rng.random() < 0.8:  # otherwise the default start q = 0, possibly inside a wall
        start = f"nsmb.State(0.0, np.array({code(spec['q'])}), np.array({code(spec['u'])}))"
        build = build.replace("contacts=contacts)", f"contacts=contacts, initial_state={start})")
    if seed % 2:  # separable systems run in parts
        method["divide"] = True
    return Case(
        "linear", seed, build, t_end, spec.pop("q").tolist(), spec.pop("u").tolist(), method, spec,
        tuple(tags),
    )  # fmt: skip


def carry_by_states(build: str, spec: dict[str, Any], rng: Generator) -> str:
    """Return the source with part of the springs as states, ẋ = u with forces -K x."""
    n, share = len(spec["K"]), float(rng.uniform(0.1, 0.9))
    states = (
        f"nsmb.LinearStates(np.zeros(({n}, {n})), U=np.eye({n}), "
        f"C=-{share!r} * np.array({code(spec['K'])}))"
    )
    start = (
        f"nsmb.State(0.0, np.array({code(spec['q'])}), np.array({code(spec['u'])}), "
        f"np.array({code(spec['q'])}))"
    )
    matrix = code(spec["K"])
    build = build.replace(matrix, f"{1.0 - share!r} * np.array({matrix})", 1)
    return build.replace(
        "contacts=contacts)", f"contacts=contacts, states={states}, initial_state={start})"
    )


def contact(w_N: Array, w_T: Array | None, gap: float, law: dict[str, float]) -> dict[str, Any]:
    return {"w_N": w_N, "w_T": w_T, "gap": gap, "law": law, "v_N": 0.0, "v_T": 0.0}


def draw_law(rng: Generator, e_N: float | None, has_tangent: bool = True) -> dict[str, float]:
    law = {"e_N": draw_restitution(rng) if e_N is None else e_N}
    if has_tangent:
        law["mu"] = draw_friction(rng)
        if rng.random() < 0.1:
            law |= {"e_T": float(rng.uniform(0, 1)), "nu": float(rng.uniform(0, 1))}
    return law


def common_e(rng: Generator) -> float | None:
    """Draw a restitution, mostly common to all contacts to avoid energy gains (8.57)."""
    return draw_restitution(rng) if rng.random() < 0.7 else None


def rows(rng: Generator) -> tuple[dict[str, Any], list[str]]:
    """Draw contacts with random directions."""
    n, k = int(rng.integers(2, 9)), int(rng.integers(1, 7))
    e, tags = common_e(rng), []
    M = spd(rng, n, 0.3) if rng.random() < 0.7 else np.diag(10.0 ** rng.uniform(-1, 1, n))
    K = np.zeros((n, n)) if rng.random() < 0.4 else rng.uniform(1, 300) * spd(rng, n, 0.3)
    D = np.zeros((n, n)) if rng.random() < 0.5 else rng.uniform(0.1, 3) * spd(rng, n, 0.2)
    q = np.zeros(n) if rng.random() < 0.3 else rng.uniform(-0.3, 0.3, n)
    u = np.zeros(n) if rng.random() < 0.35 else rng.standard_normal(n) * rng.choice([0.1, 1.0, 3.0])
    contacts: list[dict[str, Any]] = []
    while len(contacts) < k:
        w_N = unit(rng.standard_normal(n))
        w_T = None if rng.random() < 0.15 else unit(rng.standard_normal(n))
        what = rng.choice(["new", "dependent", "coincident", "opposed"], p=[0.6, 0.15, 0.13, 0.12])
        # The initial gap, from which the gap at q = 0 follows.
        start = float(rng.choice([0.0, rng.uniform(0, 0.3)], p=[0.4, 0.6]))
        if what != "new" and contacts:
            other = contacts[int(rng.integers(len(contacts)))]
            there = other["gap"] + other["w_N"] @ q
            if what == "dependent" and len(contacts) > 1:
                w_N = unit(sum(c["w_N"] * rng.uniform(-0.3, 1) for c in contacts))
            elif what == "coincident":
                w_N, start = other["w_N"], float(there)
                w_T = other["w_T"] if rng.random() < 0.5 else w_T
            elif what == "opposed":
                # The clearance between the two walls, which may be zero.
                room = float(rng.choice([0.0, 1e-12, 1e-6, 0.05, 0.5]))
                w_N, start = -other["w_N"], max(room - there, 0.0)
                if start == 0.0 and there > 0.0:
                    start = room
                w_T = other["w_T"]
            tags.append(str(what))
        law = draw_law(rng, e, w_T is not None)
        contacts.append(contact(w_N, w_T, start - float(w_N @ q), law))
    if rng.random() < 0.15 and not {"opposed", "dependent"} & set(tags):
        # A slowly moving base. Walls that close in on a body eventually have no solution.
        c = contacts[int(rng.integers(k))]
        c["v_N"] = float(rng.uniform(-0.2, 0.2))
        tags.append("moving base")
    for c in contacts:
        if c["w_T"] is not None and rng.random() < 0.1:
            c["v_T"] = float(rng.uniform(-1, 1))
            tags.append("belt")
    return {"M": M, "K": K, "D": D, "q": q, "u": u, "contacts": contacts}, tags


def plates(rng: Generator) -> tuple[dict[str, Any], list[str]]:
    """Draw one or two thin plates side by side on a floor, with two or three feet each."""
    e, tags = common_e(rng), []
    bodies = 1 if rng.random() < 0.6 else 2
    n = 3 * bodies
    M, q, u = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    contacts = []
    for b in range(bodies):
        m, half, height = rng.uniform(0.05, 3), rng.uniform(0.03, 0.5), rng.uniform(0.01, 0.3)
        J = m * half**2 * 10.0 ** rng.uniform(-3, 0)
        M[3 * b : 3 * b + 3, 3 * b : 3 * b + 3] = np.diag([m, m, J])
        feet = np.linspace(-half, half, int(rng.integers(2, 4)))
        law = draw_law(rng, e)
        for a in feet:
            w_N, w_T = np.zeros(n), np.zeros(n)
            w_N[3 * b : 3 * b + 3], w_T[3 * b : 3 * b + 3] = [0, 1, a], [1, 0, height]
            own = law if rng.random() < 0.7 else draw_law(rng, e)
            contacts.append(contact(w_N, w_T, 0.0, own))
        tilt = float(rng.choice([0.0, rng.uniform(-0.2, 0.2)]))
        lift = 0.0 if rng.random() < 0.4 else rng.uniform(0.001, 0.2)
        q[3 * b : 3 * b + 3] = [0.0, lift + abs(tilt) * half, tilt]
        if rng.random() < 0.7:
            u[3 * b : 3 * b + 3] = rng.standard_normal(3) * [2.0, 0.3, 0.5]
    if rng.random() < 0.3:
        tags.append("belt")
        speed = float(rng.uniform(-1, 1))
        for c in contacts:
            c["v_T"] = speed
    zero = np.zeros((n, n))
    return {"M": M, "K": zero, "D": zero, "q": q, "u": u, "contacts": contacts}, tags


def chain(rng: Generator) -> tuple[dict[str, Any], list[str]]:
    """Draw a row of masses on springs, between stops or in mutual contact, some on belts."""
    n, e, tags = int(rng.integers(2, 7)), common_e(rng), []
    m = np.round(10.0 ** rng.uniform(-0.5, 0.5, n), 2)
    stiff = rng.uniform(0, 200, n + 1) * (rng.random(n + 1) < 0.6)
    K = np.diag(stiff[:-1] + stiff[1:]) - np.diag(stiff[1:-1], 1) - np.diag(stiff[1:-1], -1)
    D = rng.choice([0.0, 0.01]) * K
    q, u = rng.uniform(-0.1, 0.1, n), rng.standard_normal(n)
    if rng.random() < 0.4:
        q, u = np.zeros(n), np.zeros(n)
    contacts: list[dict[str, Any]] = []
    for i in range(n):
        axis = np.eye(n)[i]
        what = rng.choice(["stops", "pair", "nothing"], p=[0.35, 0.35, 0.3])
        if what == "stops" and len(contacts) < 5:
            low, high = rng.uniform(0, 0.3, 2) * (rng.random(2) < 0.8)
            law = draw_law(rng, e, False)
            contacts.append(contact(axis, None, float(low - q[i]), law))
            contacts.append(contact(-axis, None, float(high + q[i]), law))
            tags.append("stops")
        elif what == "pair" and i > 0 and len(contacts) < 6:
            w = axis - np.eye(n)[i - 1]
            start = float(rng.choice([0.0, rng.uniform(0, 0.3)]))
            contacts.append(contact(w, None, start - float(w @ q), draw_law(rng, e, False)))
            tags.append("pair")
    if not contacts:
        contacts.append(contact(np.eye(n)[0], None, float(0.1 - q[0]), draw_law(rng, e, False)))
    return {"M": np.diag(m), "K": K, "D": D, "q": q, "u": u, "contacts": contacts}, tags


def load(rng: Generator, spec: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Draw a weight towards the contacts and time-dependent loads."""
    n, tags = len(spec["M"]), []
    towards = np.sum([c["w_N"] for c in spec["contacts"]], axis=0)
    if np.linalg.norm(towards) < 1e-9:
        towards = unit(rng.standard_normal(n))
    constant = -9.81 * spec["M"] @ towards * rng.choice([1.0, 0.1])
    constant = constant + rng.standard_normal(n) * rng.choice([0.0, 2.0])
    force: dict[str, Any] = {"constant": constant, "ramp": None, "harmonics": [], "switches": []}
    what = rng.random()
    if what < 0.35:
        tags.append("harmonics")
        for _ in range(int(rng.integers(1, 3))):
            amplitude = np.abs(constant).max() * rng.uniform(0.2, 2) * unit(rng.standard_normal(n))
            force["harmonics"].append(
                (amplitude, float(rng.uniform(1, 40)), float(rng.uniform(0, 6)))
            )
    elif what < 0.42:
        tags.append("ramp")
        force["ramp"] = rng.standard_normal(n) * 5
    elif what < 0.5:
        tags.append("switched")
        times = np.sort(rng.uniform(0.05, 1.5, int(rng.integers(1, 4))))
        steps = rng.standard_normal((len(times), n)) * np.abs(constant).max()
        force["switches"] = list(zip(times.tolist(), steps, strict=True))
    return force, tags


def build_code(spec: dict[str, Any]) -> str:
    lines = []
    force = spec["force"]
    given = f"constant={code(force['constant'])}"
    if force["ramp"] is not None:
        given += f", ramp={code(force['ramp'])}"
    if force["harmonics"]:
        parts = ", ".join(
            f"nsmb.Harmonic({code(a)}, {omega!r}, {phase!r})"
            for a, omega, phase in force["harmonics"]
        )
        given += f", harmonics=[{parts}]"
    text = f"nsmb.Force({given})"
    if force["switches"]:
        times = [t for t, _ in force["switches"]]
        values = np.cumsum([force["constant"], *(s for _, s in force["switches"])], axis=0)
        lines.append(f"times, values = {code(times)}, np.array({code(values)})")
        text = "lambda t: values[int(np.searchsorted(times, t, side='right'))]"
    lines.append("contacts = [")
    for c in spec["contacts"]:
        tangent = "None" if c["w_T"] is None else code(c["w_T"])
        moving = "".join(
            f", {key}={code(c[short])}"
            for key, short in (("w_tilde_N", "v_N"), ("w_tilde_T", "v_T"))
            if np.any(c[short])
        )
        lines.append(
            f"    nsmb.Contact({code(c['gap'])}, w_N={code(c['w_N'])}, w_T={tangent}, "
            f"law={law_code(c['law'])}{moving}),"
        )
    lines.append("]")
    matrices = ", ".join(code(spec[name]) for name in "MKD")
    if force["switches"] and spec["told"]:
        text += ", discontinuities=times"
    lines.append(f"system = nsmb.LinearSystem({matrices}, force={text}, contacts=contacts)")
    return "\n".join(lines) + "\n"
