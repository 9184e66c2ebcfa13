"""Deformable blocks and bars thrown on a floor, some on each other.

They run from event to event and by the schemes that compute forces, with contacts at corners or
along deformable edges. The checks use the nodes and an independent implementation of mass and
stiffness of bilinear rectangles. They cover momentum and angular momentum in flight, impulses
within the friction cone, no gain of energy, and nodes above the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import Case, code, generator
from tests.campaign.findings import Findings
from tests.support.methods import class_of

Array = NDArray[np.float64]
G = 9.81
SCHEMES = ("rk4-position", "radau-position", "rk4-velocity", "radau-velocity")
STEPS_OF_WAVE = 80
"""Steps per period of the fastest mode, with time-stepping."""
MOST_STEPS = 2000
OFTEN = 400  # number of samples of event-driven runs
FLIGHT = 1e-3
"""Height in m of all nodes at both ends of an interval above which it has no contact."""


def make(seed: int) -> Case:
    rng = generator("flexible", seed)
    mu = float(rng.choice([0.0, 0.1, 0.3, 0.5]))
    by_events = bool(rng.random() < 0.5)
    e_N = float(rng.choice([0.0, rng.uniform(0.0, 0.8)])) if by_events else 0.0
    bodies = [draw(rng) for _ in range(int(rng.integers(1, 4)))]
    lines = ["m = nsmb.Model(gravity=(0, -9.81))", "floor = m.ground.contour('floor', "]
    lines[-1] += "nsmb.geometry.Line())"
    initial, velocities = {}, {}
    for k, body in enumerate(bodies):
        lines += [f"body = {source(body)}", f"b = m.add_elastic_body('b{k}', body)"]
        lines += [f"m.add_joint('f{k}', nsmb.joints.Planar(), m.ground, b)"]
        lines += [
            f"for node in {corners(body)}:",
            f"    c = b.contour(f'c{k}_{{node}}', nsmb.geometry.Point(), at=node)",
            f"    m.add_contact(floor, c, nsmb.ContactLaw(mu={mu!r}, e_N={e_N!r}), c.name)",
        ]
        initial[f"f{k}"], velocities[f"f{k}"] = body["start"], body["speed"]
        velocities[f"b{k}"] = body["rates"]
    # Some touch the floor with their outlines, and so touch a body that is thrown above another.
    edges = bool(rng.random() < 0.4)
    pair = edges and len(bodies) == 2
    if edges:
        lines[2:] = [line for k, body in enumerate(bodies) for line in with_edges(k, body, mu, e_N)]
    if pair:
        law = f"nsmb.ContactLaw(mu={mu!r}, e_N={e_N!r})"
        lines.append(f"m.add_contact(edge_1, edge_0, {law}, 'between')")
        initial["f1"] = above(bodies, float(rng.uniform(0.02, 0.1)))
    lines.append(f"system = m.build(initial={code(initial)}, velocities={code(velocities)})")
    method: dict[str, Any] = {"rtol": float(rng.choice([1e-7, 1e-8, 1e-9])), "max_events": 20_000}
    t_end = float(np.round(rng.uniform(0.3, 0.7), 3))
    name, method_type = "events", "EventDriven"
    if not by_events:
        name = SCHEMES[int(rng.integers(len(SCHEMES)))]
        step = 2.0 * np.pi / STEPS_OF_WAVE / max(body["fastest"] for body in bodies)
        t_end = min(t_end, MOST_STEPS * step)
        method_type, own = class_of(name)
        method = {"step": step, **own}
        if name.endswith("position"):
            method["mixing"] = 0.5
    kinds = tuple(body["method"] for body in bodies)
    return Case(
        "flexible", seed, "\n".join(lines) + "\n", t_end, None, None, method,
        {"bodies": bodies, "mu": mu, "by_events": by_events, "pair": pair},
        (name, *kinds, *(["edges"] if edges else [])),
        method_type=method_type,
    )  # fmt: skip


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a rectangle, its reduction and its initial motion."""
    method = str(rng.choice(["unreduced", "free-free", "attachment"]))
    nx, ny = (1, 1) if method == "unreduced" else (int(rng.integers(2, 8)), int(rng.integers(1, 3)))
    length, height = float(rng.uniform(0.5, 2.0)), float(rng.uniform(0.2, 1.0))
    density = float(rng.uniform(1.0, 20.0))
    # A wave travels to its end and back in 20 to 100 ms.
    E = density * (2.0 * length / float(rng.uniform(0.02, 0.1))) ** 2
    body: dict[str, Any] = {
        "method": method, "nx": nx, "ny": ny, "length": length, "height": height, "E": E,
        "nu": float(rng.uniform(0.0, 0.4)), "density": density,
        "modes": int(rng.integers(1, 5)), "beta": float(rng.choice([0.0, 1e-3])),
    }  # fmt: skip
    made = built(body)
    angle = float(rng.uniform(-np.pi, np.pi))
    heights = made.nodes[:, :2] @ (np.sin(angle), np.cos(angle))
    body["start"] = [0.0, float(rng.uniform(0.01, 0.1) - heights.min()), angle]
    body["speed"] = [
        float(rng.uniform(-2, 2)),
        float(rng.uniform(-2, 0)),
        float(rng.uniform(-4, 4)),
    ]
    body["rates"] = (0.3 * rng.uniform(-1.0, 1.0, made.count)).tolist()
    body["fastest"] = float(made.frequencies.max())
    return body


def with_edges(k: int, body: dict[str, Any], mu: float, e_N: float) -> list[str]:
    return [
        f"body = {source(body)}",
        f"b = m.add_elastic_body('b{k}', body)",
        f"m.add_joint('f{k}', nsmb.joints.Planar(), m.ground, b)",
        f"edge_{k} = b.boundary('edge')",
        f"m.add_contact(floor, edge_{k}, nsmb.ContactLaw(mu={mu!r}, e_N={e_N!r}), 'floor{k}')",
    ]


def above(bodies: list[dict[str, Any]], gap: float) -> list[float]:
    """Return the start of the second body, with its lowest node above the highest of the first."""
    heights = [
        built(body).nodes[:, :2] @ (np.sin(body["start"][2]), np.cos(body["start"][2]))
        for body in bodies
    ]
    top = bodies[0]["start"][1] + heights[0].max()
    return [0.0, float(top + gap - heights[1].min()), bodies[1]["start"][2]]


def corners(body: dict[str, Any]) -> list[int]:
    ny, last = body["ny"], (body["nx"] + 1) * (body["ny"] + 1) - 1
    return [0, ny, last - ny, last]


def source(body: dict[str, Any]) -> str:
    """Return the source of a `nsmb.flexible.FlexibleBody`."""
    b = body
    mesh = f"nsmb.flexible.Mesh.rectangle({b['length']!r}, {b['height']!r}, {b['nx']}, {b['ny']})"
    elements = (
        f"nsmb.flexible.plane({mesh}, E={b['E']!r}, nu={b['nu']!r}, density={b['density']!r})"
    )
    damping = f"rayleigh=(0.0, {b['beta']!r})"
    if b["method"] == "unreduced":
        frame = f"nsmb.flexible.NodalFrame(0, along={corners(b)[2]})"
        return f"nsmb.flexible.unreduced({elements}, {frame}, {damping})"
    interface = f", interface={corners(b)}" if b["method"] == "attachment" else ""
    return (
        f"nsmb.flexible.reduce({elements}, {b['modes']}, method={b['method']!r}{interface}, "
        f"{damping})"
    )


def built(body: dict[str, Any]) -> Any:
    import nsmb

    return eval(source(body), {"nsmb": nsmb})


class Truth:
    """A rectangle of bilinear elements on a floating frame, node by node."""

    def __init__(self, body: dict[str, Any]) -> None:
        made = built(body)
        self.X, self.S = made.nodes[:, :2], made.shapes[:, :2]
        nx, ny = body["nx"], body["ny"]
        a, b = body["length"] / nx, body["height"] / ny
        number = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
        k = number.size
        self.M, K = np.zeros((k, k)), np.zeros((2 * k, 2 * k))
        own = body["density"] * a * b / 36.0 * np.array(
            [[4, 2, 1, 2], [2, 4, 2, 1], [1, 2, 4, 2], [2, 1, 2, 4]]
        )  # fmt: skip
        stiff = stiffness(a, b, body["E"], body["nu"])
        for i in range(nx):
            for j in range(ny):
                cell = number[[i, i + 1, i + 1, i], [j, j, j + 1, j + 1]]
                both = (2 * cell[:, None] + np.arange(2)).ravel()
                self.M[np.ix_(cell, cell)] += own
                K[np.ix_(both, both)] += stiff
        axes = made.axes[:2, :2]  # axes of the frame in the mesh
        moves = np.einsum("ab,kbn->kan", axes, self.S).reshape(2 * k, -1)
        self.K = moves.T @ K @ moves
        self.mass = float(self.M.sum())

    def motion(self, q: Array, u: Array) -> dict[str, Array]:
        """Return heights, momentum, L about the centre and energy of coordinates (t, 3 + n)."""
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        A = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], 1)
        local = self.X + np.einsum("kan,tn->tka", self.S, q[:, 3:])
        x = np.einsum("tab,tkb->tka", A, local)
        rate = np.einsum("tab,kbn,tn->tka", A, self.S, u[:, 3:])
        v = u[:, None, :2] + rate + u[:, None, 2:3] * np.stack([-x[..., 1], x[..., 0]], -1)
        x = x + q[:, None, :2]
        p = np.einsum("ij,tja->ta", self.M, v)
        center = np.einsum("ij,tja->ta", self.M, x) / self.mass
        Mv = np.einsum("ij,tja->tia", self.M, v)
        turn = (x[..., 0] * Mv[..., 1] - x[..., 1] * Mv[..., 0]).sum(axis=1)
        turn = turn - (center[:, 0] * p[:, 1] - center[:, 1] * p[:, 0])
        kinetic = 0.5 * np.einsum("tia,tia->t", v, Mv)
        elastic = 0.5 * np.einsum("tn,nm,tm->t", q[:, 3:], self.K, q[:, 3:])
        energy = kinetic + elastic + self.mass * G * center[:, 1]
        return {
            "height": x[..., 1], "p": p, "L": turn, "energy": energy, "kinetic": kinetic,
            "center": center,
        }  # fmt: skip


def stiffness(a: float, b: float, E: float, nu: float) -> Array:
    """Return the stiffness of a rectangle in plane stress by Gauss quadrature, shape (8, 8).

    Corners are counter-clockwise.
    """
    D = E / (1.0 - nu**2) * np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - nu)]])
    K, g = np.zeros((8, 8)), 0.5 / np.sqrt(3.0)
    for x in (0.5 - g, 0.5 + g):
        for y in (0.5 - g, 0.5 + g):
            d_x = np.array([-(1.0 - y), 1.0 - y, y, -y]) / a
            d_y = np.array([-(1.0 - x), -x, x, 1.0 - x]) / b
            B = np.zeros((3, 8))
            B[0, ::2], B[1, 1::2], B[2, ::2], B[2, 1::2] = d_x, d_y, d_y, d_x
            K += 0.25 * a * b * B.T @ D @ B
    return K


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    sol = sampled(case, system)
    relative = 1e-9 + 1000.0 * case.method.get("rtol", 0.0)
    slack = 0.0
    if not case.spec["by_events"]:
        relative, slack = 1e-4, 4.0 * case.method["step"]
    first, wholes = 0, []
    for body in case.spec["bodies"]:
        truth = Truth(body)
        own = slice(first, first + 3 + truth.S.shape[2])
        first = own.stop
        at = truth.motion(sol.q[:, own], sol.u[:, own])
        size, is_lossless = body["length"] + body["height"], body["beta"] == 0.0
        lowest = at["height"][:, corners(body)].min(axis=1)
        wholes.append(Whole(truth.mass, size, is_lossless, at | {"lowest": lowest}))
    if case.spec["pair"]:
        wholes = [together(*wholes)]
    for whole in wholes:
        judge(whole, sol.t, case.spec["mu"], relative, slack, found)
        flies = bool((whole.at["height"].min(axis=1) > FLIGHT).all())
        notes.append("flight" if flies else "touched")


@dataclass(frozen=True)
class Whole:
    """A body, or two bodies that touch each other."""

    mass: float
    size: float
    """Size of the body in m."""
    is_lossless: bool
    at: dict[str, Array]


def together(one: Whole, other: Whole) -> Whole:
    """Return both bodies as one.

    Their interaction conserves the total momentum and angular momentum, and dissipates energy.
    """
    a, b, mass = one.at, other.at, one.mass + other.mass
    d = b["center"] - a["center"]
    v = b["p"] / other.mass - a["p"] / one.mass
    orbit = one.mass * other.mass / mass * (d[:, 0] * v[:, 1] - d[:, 1] * v[:, 0])
    sums = {key: a[key] + b[key] for key in ("p", "energy", "kinetic")}
    sums["L"] = a["L"] + b["L"] + orbit
    sums["height"] = np.hstack([a["height"], b["height"]])
    sums["lowest"] = np.minimum(a["lowest"], b["lowest"])
    size = one.size + other.size + float(np.abs(d).max())
    return Whole(mass, size, False, sums)


def sampled(case: Case, system: Any) -> Any:
    """Run with a sample at each step, or frequent samples between events."""
    import nsmb

    method = getattr(nsmb, case.method_type)(**case.method)
    step = case.method.get("step", case.t_end / OFTEN)
    return nsmb.simulate(system, case.t_end, method=method, output_step=step, throw=False)


def judge(
    whole: Whole, t: Array, mu: float, relative: float, slack: float, found: Findings
) -> None:
    at = whole.at
    speed = float(np.sqrt(2.0 * at["kinetic"].max() / whole.mass))
    size = 1.0 + speed
    found.judge("a corner is in the floor", -at["lowest"], relative * size + slack * speed, t)
    push = np.diff(at["p"], axis=0) + whole.mass * G * np.diff(t)[:, None] * (0.0, 1.0)
    allowed = relative * whole.mass * size
    found.judge("the floor pulls", -push[:, 1], allowed, t[1:])
    drag = np.abs(push[:, 0]) - mu * np.maximum(push[:, 1], 0.0)
    found.judge("friction beyond its cone", drag, (1.0 + mu) * allowed, t[1:])
    above = at["height"].min(axis=1) > FLIGHT + slack * speed
    flight = above[1:] & above[:-1]
    total = np.abs(at["energy"]).max()
    free = np.hypot(push[:, 0], push[:, 1])[flight]
    found.judge("momentum in flight", free, allowed, t[1:][flight])
    turned = np.abs(np.diff(at["L"]))[flight]
    found.judge("angular momentum in flight", turned, allowed * whole.size, t[1:][flight])
    gained = np.diff(at["energy"])
    found.judge("energy is gained", gained, relative * total, t[1:])
    if whole.is_lossless:
        lost = -gained[flight]
        found.judge("energy is lost in flight", lost, relative * total, t[1:][flight])
