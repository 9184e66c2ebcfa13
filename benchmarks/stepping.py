"""A controller at 1 kHz: cost of one iteration of the loop in Python, without the motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

import nsmb
from benchmarks.harness import benchmark, timed
from nsmb import symbolic

STEP = 1e-3  # s
TURNS = 1000
LONG = 50_000
MOTOR = nsmb.Input("motor", 0.0, unit="N")


def cart() -> nsmb.System:
    """Build a cart with a spring and a wall it never reaches, with closed-form motion."""
    return nsmb.LinearSystem(
        [[2.0]], [[30.0]], [[0.5]],
        force=nsmb.Force(inputs={MOTOR: [1.0]}),
        contacts=[nsmb.Contact(w_N=[1.0], gap=10.0)],
    )  # fmt: skip


def pendulum() -> nsmb.System:
    """Build a system compiled from its energies, integrated by dp853."""
    phi = symbolic.coordinates("phi")
    omega = symbolic.velocities(phi)
    return symbolic.LagrangianSystem(
        [phi], omega**2 / 2, -9.81 * sympy.cos(phi), forces=[MOTOR], inputs=[MOTOR]
    )


def arm() -> nsmb.System:
    """Build two links with a motor in the first joint."""
    model = nsmb.Model(gravity=(0.0, -9.81, 0.0))
    last, at = model.ground, None
    for name in ("shoulder", "elbow"):
        body = model.add_body(f"{name} link", mass=1.0, inertia=0.02, center=(0.25, 0.0))
        model.add_joint(name, nsmb.joints.Revolute(), last, body, at=at)
        last, at = body, (0.5, 0.0)
    model.add_joint_force("motor", "shoulder", MOTOR)
    return model.build()


SYSTEMS = {"cart, closed form": cart, "pendulum, SymPy": pendulum, "arm, bodies": arm}


def per_turn(turn: Callable[[int], Any], repeats: int) -> float:
    """Return the time in s; each call is the next iteration."""
    count = iter(range(repeats * TURNS))
    return timed(lambda: turn(next(count)), repeats, loops=TURNS)[1]


def loop_times(repeats: int) -> list[dict[str, Any]]:
    """Measure the loop of a controller, its calls of the core alone, and runs without inputs."""
    rows = []
    for name, make in SYSTEMS.items():
        system = make()
        force = np.sin(np.arange(TURNS * (repeats + 1))).tolist()
        sim, run, free = (nsmb.Simulator(system, output_step=0.0) for _ in range(3))
        stepped = nsmb.Simulator(system, output_step=STEP)
        core, values = run._core, np.zeros(1)

        def controlled(k: int, sim: Any = sim, force: Any = force) -> None:
            sim.set(motor=force[k] - sim.q[0] - sim.u[0])
            sim.advance((k + 1) * STEP)

        def alone(k: int, core: Any = core, values: Any = values, force: Any = force) -> None:
            values[0] = force[k]
            core.inputs = values
            core.advance((k + 1) * STEP)

        def without(k: int, free: Any = free) -> None:
            free.advance((k + 1) * STEP)

        def step(_: int, stepped: Any = stepped) -> None:
            stepped.step()

        turns = {"loop": controlled, "core": alone, "advance": without, "step": step}
        rows.append({"system": name} | {key: per_turn(f, repeats) for key, f in turns.items()})
    return rows


def growth() -> dict[str, Any]:
    """Measure the first and last iterations of a long loop, and its memory without samples."""
    system = cart()
    kept, dropped = (nsmb.Simulator(system, output_step=1e-2) for _ in range(2))
    times = []

    def turn(sim: nsmb.Simulator, k: int) -> None:
        sim.set(motor=np.sin(k).item())
        sim.advance((k + 1) * STEP)

    for k in range(LONG):
        times.append(timed(lambda k=k: turn(kept, k))[1])
    samples = []
    for k in range(LONG // 10):
        turn(dropped, k)
        dropped.drop_samples()
        samples.append(dropped._core.sample_count)
    return {
        "first": float(np.median(times[:TURNS])),
        "last": float(np.median(times[-TURNS:])),
        "samples_kept": kept._core.sample_count,
        "samples_dropped": max(samples),
    }


@benchmark("stepping", "A controller at 1 kHz: processor time of one turn")
def measure(repeats: int = 11) -> dict[str, Any]:
    return {"turns": loop_times(repeats), "long": growth()}
