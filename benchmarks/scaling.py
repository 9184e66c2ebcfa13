"""Growth of event-driven motion with the number of bodies: time, instructions and memory per event.

Times are those of ``Simulator.advance`` without setup. Instructions are counted by valgrind
(callgrind), and omitted if it is missing.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import nsmb
from benchmarks.counted.measure import callgrind_counts, under_callgrind
from benchmarks.harness import MissingError, benchmark, exponent, timed
from benchmarks.peer import serve
from nsmb import geometry, joints

EVENTS = 400
"""Number of timed events after the warm-up, if they occur in time."""
LONGEST = 4.0
"""Approximate processor time for one entry, s."""


POISSON = nsmb.EventDriven(impact_law="poisson")


@dataclass(frozen=True)
class Scene:
    system: nsmb.System
    q: Any = None
    u: Any = None
    method: nsmb.EventDriven = POISSON
    rate: float = 1.0
    """Approximate number of events per second of motion."""


def balls(n: int) -> Scene:
    """Build masses that bounce independently, each on its own floor."""
    r = np.random.default_rng(1)
    law = nsmb.ContactLaw(e_N=0.99)
    contacts = [nsmb.Contact(w_N=row, law=law) for row in np.eye(n)]
    system = nsmb.LinearSystem(np.eye(n), force=np.full(n, -9.81), contacts=contacts)
    return Scene(system, r.uniform(0.05, 0.5, n), r.uniform(-1.0, 1.0, n), rate=2.0 * n)


def blocks(n: int) -> Scene:
    """Build independent blocks on rough floors, each on a spring with an oscillating load."""
    r = np.random.default_rng(2)
    mu, x = 0.3, np.arange(n)
    unit = np.eye(2 * n)
    law = nsmb.ContactLaw(mu=mu)
    contacts = [nsmb.Contact(w_N=unit[n + k], w_T=unit[k], law=law) for k in x]
    K = np.diag(np.r_[r.uniform(50.0, 150.0, n), np.zeros(n)])
    omega = r.uniform(6.0, 9.0, n)
    pulls = [nsmb.Harmonic(4.0 * unit[k], omega[k]) for k in x]
    force = nsmb.Force(constant=np.r_[np.zeros(n), np.full(n, -9.81)], harmonics=pulls)
    system = nsmb.LinearSystem(np.eye(2 * n), K=K, force=force, contacts=contacts)
    q = np.r_[r.uniform(-0.2, 0.2, n), np.zeros(n)]
    return Scene(system, q, rate=3.0 * n)


def numerical(build: Callable[[int], Scene]) -> Callable[[int], Scene]:
    return lambda n: replace(
        build(n), method=nsmb.EventDriven(impact_law="poisson", integrator="dp853")
    )


def discs(n: int, listed: bool = False) -> Scene:
    """Build discs that hop and roll on one floor, too distant from each other to form pairs.

    With `listed` each disc forms a pair with the next one nevertheless, so that the model does not
    split into independent runs.
    """
    r = np.random.default_rng(3)
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line())
    law = nsmb.ContactLaw(mu=0.3, e_N=0.3 if listed else 0.99)
    initial, before = {}, None
    for k in range(n):
        body = model.add_body(f"b{k}", mass=1.0, inertia=0.005)
        model.add_joint(f"j{k}", joints.Planar(), model.ground, body)
        rim = body.contour("c", geometry.Circle(0.1))
        model.add_contact(floor, rim, law, name=f"c{k}")
        if listed and before is not None:
            model.add_contact(before, rim, law, name=f"p{k}")
        before = rim
        initial[f"j{k}"] = (0.5 * k, 0.1 + r.uniform(0.05, 0.4), 0.0)
    along = 0.2 if listed else 1.0
    u = np.ravel([(r.uniform(-along, along), r.uniform(-1, 1), r.uniform(-5, 5)) for _ in range(n)])
    return Scene(model.build(initial=initial), u=u, rate=3.0 * n)


def neighbours(n: int) -> Scene:
    return discs(n, listed=True)


def masses(n: int) -> Scene:
    """Build masses thrown over a rough plane, with two tangential directions each."""
    r = np.random.default_rng(4)
    unit = np.eye(3 * n)
    law = nsmb.ContactLaw(mu=0.3, e_N=0.3)
    contacts = [
        nsmb.Contact(w_N=unit[3 * k + 2], w_T=unit[3 * k : 3 * k + 2].T, law=law) for k in range(n)
    ]
    M = np.diag(np.repeat(r.uniform(0.5, 2.0, n), 3))
    force = np.tile([0.5, 0.2, -9.81], n)
    system = nsmb.LinearSystem(M, force=force, contacts=contacts)
    q, u = np.zeros(3 * n), r.uniform(-1.0, 1.0, 3 * n)
    q[2::3], u[2::3] = r.uniform(0.01, 0.3, n), 0.0
    return Scene(system, q, u, rate=3.0 * n)


def chain(n: int) -> Scene:
    """Build a chain of links on revolute joints that falls onto a floor."""
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line(point=(0, -0.6)))
    length = 2.0 / n
    before = model.ground
    law = nsmb.ContactLaw(mu=0.2, e_N=0.5)
    for k in range(n):
        link = model.add_body(
            f"l{k}", mass=length, inertia=length**3 / 12, center=(length / 2, 0.0)
        )
        at = (length, 0.0) if k else (0.0, 0.0)
        model.add_joint(f"j{k}", joints.Revolute(), before, link, at=at)
        tip = link.contour("tip", geometry.Point((length, 0.0)))
        model.add_contact(floor, tip, law, name=f"c{k}")
        before = link
    return Scene(model.build(), u=np.linspace(0.1, 0.3, n), rate=30.0 * n)


def tower(n: int) -> Scene:
    """Build stacked masses with oscillating spring loads (Pfeiffer & Glocker, 1.3)."""
    return Scene(nsmb.systems.mass_tower(n=n), rate=10.0)


def stack(n: int) -> Scene:
    """Build boxes that fall onto one another from 1 cm."""
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line())
    law = nsmb.ContactLaw(mu=0.4, e_N=0.1)
    below, initial = floor, {}
    for k in range(n):
        body = model.add_body(f"b{k}", mass=1.0, inertia=1.0 / 60.0)
        model.add_joint(f"j{k}", joints.Planar(), model.ground, body)
        box = body.contour(
            "box", geometry.Polygon([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])
        )
        model.add_contact(below, box, law, name=f"c{k}")
        below = box
        initial[f"j{k}"] = (0.003 * k, 0.1 + 0.2 * k + 0.01 * (k + 1), 0.002)
    return Scene(model.build(initial=initial), rate=10.0)


CASES: dict[str, tuple[Callable[[int], Scene], tuple[int, ...]]] = {
    "independent balls, closed form": (balls, (1, 3, 10, 30, 100, 300)),
    "independent balls, dp853": (numerical(balls), (1, 3, 10, 30, 100, 300)),
    "frictional blocks, closed form": (blocks, (1, 3, 10, 30, 100, 300)),
    "frictional blocks, dp853": (numerical(blocks), (1, 3, 10, 30, 100, 300)),
    "discs on a floor": (discs, (1, 3, 10, 30, 100, 300)),
    "discs beside each other": (neighbours, (1, 3, 10, 30, 100)),
    "masses on a plane, two tangents": (masses, (1, 3, 10, 30, 100, 300)),
    "chain on a floor": (chain, (1, 3, 10, 30)),
    "mass tower, closed form": (tower, (3, 10, 30, 100)),
    "mass tower, dp853": (numerical(tower), (3, 10, 30)),
    "stack of boxes": (stack, (1, 2, 3, 5)),
}


def start(scene: Scene, method: nsmb.EventDriven | None = None) -> nsmb.Simulator:
    simulator = nsmb.Simulator(scene.system, method or scene.method, output_step=0.0)
    simulator.reset(q=scene.q, u=scene.u)
    return simulator


def time_per_event(scene: Scene) -> dict[str, Any]:
    """Simulate slices of motion until there are enough events or the time limit is reached."""
    simulator = start(scene)
    core = simulator._core
    seconds, slices, slice_ = 0.0, 0, 20.0 / scene.rate
    while True:
        status, taken = timed(lambda: core.advance(core.t + slice_))
        seconds += taken
        events = core.statistics["events"]
        slices += 1
        if status != "finished" or events >= EVENTS or seconds > LONGEST or slices == 40:
            break
    return {
        "us_per_event": 1e6 * seconds / max(events, 1),
        "us_per_step": 1e6 * seconds / max(core.statistics["steps"], 1),
        "events": events,
        "motion": core.t,
        "status": status,
    }


def growth(cases: tuple[str, ...]) -> dict[str, Any]:
    table = {}
    for name in cases:
        build, sizes = CASES[name]
        rows: list[dict[str, Any]] = []
        for n in sizes:
            rows.append({"n": n} | time_per_event(build(n)))
            if rows[-1]["us_per_event"] > 1e6 * LONGEST / 20:
                break
        found = [(row["n"], row["us_per_event"]) for row in rows]
        exponents = [exponent(*zip(*pair, strict=True)) for pair in pairwise(found)]
        table[name] = {"rows": rows, "exponents": exponents}
    return table


# Instructions, counted in a child process under valgrind.

COUNTED: dict[str, tuple[Callable[[], Scene], float]] = {
    "toy, closed form": (lambda: Scene(nsmb.systems.woodpecker()), 10.0),
    "toy, dp853, rtol 1e-10": (
        lambda: Scene(
            nsmb.systems.woodpecker(),
            method=nsmb.EventDriven(impact_law="poisson", integrator="dp853", rtol=1e-10),
        ),
        1.0,
    ),
    "gear rattling, closed form": (lambda: Scene(nsmb.systems.gear_rattling()), 30.0),
    "toy of bodies, 4 degrees of freedom": (lambda: Scene(nsmb.systems.woodpecker_4dof()), 0.3),
}


def count(folder: str) -> dict[str, Any]:
    """Write one dump per case in the child process, after a warm-up of a tenth of the motion."""
    window = ctypes.CDLL(f"{folder}/callgrind_window.so")
    rows = []
    for name, (build, motion) in COUNTED.items():
        scene = build()
        core = start(scene, replace(scene.method, dense_output=False))._core
        core.advance(0.1 * motion)
        before = core.statistics
        window.open_window()
        core.advance(1.1 * motion)
        window.close_window(name.encode())
        after = core.statistics
        change = {key: after[key] - before[key] for key in ("events", "steps", "rhs_evaluations")}
        rows.append({"name": name} | change)
    return {"rows": rows}


def instructions() -> dict[str, Any] | None:
    """Count instructions for each case; None without valgrind or a C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with under_callgrind("benchmarks.scaling", Path(folder)) as counting:
                rows = counting.run(folder=folder)["rows"]
        except MissingError as error:
            print(f"instructions left out: {error}")
            return None
        counts = callgrind_counts(Path(folder))
    table = {}
    for row in rows:
        found = counts[row["name"]]
        table[row["name"]] = row | {
            "instructions": found,
            "per_event": found / max(row["events"], 1),
            "per_rhs": found / max(row["rhs_evaluations"], 1),
        }
    return table


# Memory.


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd",
            "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


def heap() -> int:
    """Return the bytes in use on the heap, glibc 2.33 and later."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Mallinfo
    info = libc.mallinfo2()
    return int(info.uordblks + info.hblkhd)


def memory() -> list[dict[str, Any]] | None:
    """Measure bytes per event of dense runs, and bytes that runs without dense output retain."""
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        return None
    rows = []
    for name, build, n in (
        ("frictional blocks", blocks, 3),
        ("frictional blocks", blocks, 10),
        ("frictional blocks", blocks, 30),
        ("mass tower", tower, 10),
        ("independent balls", balls, 100),
    ):
        scene = build(n)
        row: dict[str, Any] = {"case": name, "n": n}
        for dense in (True, False):
            simulator = start(scene, replace(scene.method, dense_output=dense))
            core = simulator._core
            core.advance(core.t + 2.0 / scene.rate)
            before, first = heap(), core.statistics["events"]
            while core.statistics["events"] < first + EVENTS:
                core.advance(core.t + 20.0 / scene.rate)
            events = core.statistics["events"] - first
            row["dense" if dense else "sparse"] = (heap() - before) / events
            if not dense:
                states = np.unique(simulator.solution.contact_state, axis=0)
                simulator.reset(q=scene.q, u=scene.u)
                row["states"] = len(states)
                row["left_per_state"] = (heap() - before) / len(states)
        rows.append(row)
    return rows


@benchmark("scaling", "Event-driven motion of n bodies: time, instructions and memory per event")
def measure(cases: tuple[str, ...] = tuple(CASES), counted: bool = True) -> dict[str, Any]:
    found = instructions() if counted else None
    return {"growth": growth(cases), "instructions": found, "memory": memory()}


if __name__ == "__main__":
    serve(count)
