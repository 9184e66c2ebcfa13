"""The cases that are counted. Only ``child.py`` imports this file, because it imports nsmb."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import nsmb
from benchmarks import (
    forward_dynamics,
    friction_siconos,
    lcp_siconos,
    mass_tower,
    scaling,
    stepping,
)
from benchmarks.counted.names import ALLOCATIONS, INSTRUCTIONS, KEPT, PEAK, PYTHON, TOOLS
from nsmb import analysis, symbolic, systems
from nsmb._core import complementarity

Run = Callable[[], float]
"""Function that does the work and returns the number of units of work."""
SLICES = 100


@dataclass(frozen=True)
class Case:
    """A case, whose `build` prepares and warms up everything and returns the counted function."""

    build: Callable[[], Run]
    unit: str
    counts: Sequence[str] = (INSTRUCTIONS, ALLOCATIONS, PEAK)

    def counted_by(self, tool: str) -> list[str]:
        return [kind for kind in self.counts if kind in TOOLS[tool]]


def motion(scene: scaling.Scene, events: int, dense: bool = False, **options: Any) -> Run:
    """Count `Simulator.advance` over about this many events, after a warm-up."""
    sim = scaling.start(scene, replace(scene.method, dense_output=dense, **options))
    core = sim._core
    if core.advance(core.t + 0.1 * events / scene.rate) != "finished":
        raise RuntimeError(core.message)

    def run() -> float:
        first, slice_ = core.statistics["events"], 0.1 * events / scene.rate
        for _ in range(SLICES):
            if core.advance(core.t + slice_) != "finished":
                raise RuntimeError(core.message)
            if core.statistics["events"] >= first + events:
                break
        else:
            raise RuntimeError(f"no {events} events in {SLICES} stretches of {slice_:g} s")
        return float(core.statistics["events"] - first)

    return run


def system(name: str, rate: float, **parameters: Any) -> scaling.Scene:
    return scaling.Scene(systems.build(name).with_parameters(**parameters), rate=rate)


def warmed(run: Run) -> Run:
    run()
    return run


def lemke(n: int) -> Run:
    """Count cold starts on contacts with friction (6.35)."""
    rng = np.random.default_rng(n)
    A, b = lcp_siconos.side_by_side([lcp_siconos.friction(rng, n) for _ in range(200 // n)])

    def run() -> float:
        result = complementarity.solve_lemke_sequence(A, b, False)
        if lcp_siconos.solved(result) < b.shape[1]:
            raise RuntimeError("not all problems are solved")
        return float(b.shape[1])

    return warmed(run)


def discs(bodies: int, feet: int) -> Run:
    """Count impacts of a falling tower of bodies with friction discs, from zero."""
    rng = np.random.default_rng([bodies, feet])
    problems = [friction_siconos.tower(rng, bodies, feet) for _ in range(8)]
    workspace = complementarity.FrictionWorkspace()

    def run() -> float:
        for A, b, mu in problems:
            rows = friction_siconos.rows_of(mu)
            complementarity.solve_friction(A, b, rows, workspace=workspace)
        return float(len(problems))

    return warmed(run)


def decision(n: int) -> Run:
    """Count the selection of one of 3^n combinations: the tower on a shaking table, cold."""
    tower = mass_tower.Tower(n)
    instants = [tower.decision(t) for t in mass_tower.INSTANTS]
    stages = mass_tower.TwoStages(instants[0])

    def run() -> float:
        for p in instants:
            stages.solve(p, None)
        return float(len(instants))

    return warmed(run)


def chain_of_bodies(n: int) -> Run:
    """Count accelerations, in a C++ loop."""
    q, u, tau = np.random.default_rng(n).normal(size=(3, n))
    tree, many = forward_dynamics.our_chain(n), max(10, 2000 // n)

    def run() -> float:
        tree.forward_dynamics(0.0, q, u, tau, repeat=many)
        return float(many)

    return warmed(run)


def contact_states(n: int) -> Run:
    """Count blocks: the memory that `reset` retains for each contact state that occurred."""
    scene = scaling.blocks(n)
    method = replace(scene.method, dense_output=False)
    looked, sim = (scaling.start(scene, method) for _ in range(2))
    motion = 400.0 / scene.rate
    looked.advance(motion)
    states = len(np.unique(looked.solution.contact_state, axis=0))

    def run() -> float:
        sim.advance(motion)
        sim.reset(q=scene.q, u=scene.u)
        return float(states)

    return run


def symbolic_rod() -> Run:
    """Count a rod that tumbles on a floor, compiled from its energies, by dp853."""
    x, y, phi = symbolic.coordinates("x y phi")
    p = symbolic.parameters(m=1.0, half=0.5, J=0.08, g=9.81)
    law = nsmb.ContactLaw(mu=0.3, e_N=0.95)
    contacts = [
        symbolic.point_contact(
            point=(x + side * sympy.cos(phi), y + side * sympy.sin(phi)),
            tangent=(1, 0),
            law=law,
            name=name,
        )
        for name, side in (("left", -p.half), ("right", p.half))
    ]
    kinetic = p.m / 2 * (x.velocity**2 + y.velocity**2) + p.J / 2 * phi.velocity**2
    rod = symbolic.LagrangianSystem(
        [x, y, phi], kinetic, p.m * p.g * y, contacts=contacts, parameters=p, linear=False
    )
    return motion(scaling.Scene(rod, q=[0.0, 0.8, 0.4], u=[1.0, 0.0, 3.0], rate=5.0), 20)


def derivative(parameters: tuple[str, ...]) -> Run:
    """Count the woodpecker with its monodromy matrix, and with parameter derivatives."""
    method = nsmb.EventDriven(impact_law="poisson", dense_output=False)
    sim = nsmb.Simulator(
        systems.woodpecker(), method, output_step=0.0, sensitivity=parameters or True
    )
    core = sim._core
    core.advance(0.5)

    def run() -> float:
        first = core.statistics["events"]
        core.advance(core.t + 3.0)
        return float(core.statistics["events"] - first)

    return run


def orbit() -> Run:
    """Count shooting from a neighbouring orbit, with the multipliers."""
    section = analysis.on_event("impact", "beak")
    toy = systems.woodpecker()
    known = analysis.periodic_orbit(toy, section=section)
    near = nsmb.State(known.t, known.q, known.u, known.x)
    neighbour = toy.with_parameters(mu=0.302)

    def run() -> float:
        found = analysis.periodic_orbit(neighbour, section=section, start=near, section_points=1)
        if len(found.multipliers) != 2 * toy.nq:
            raise RuntimeError("no multipliers")
        return 1.0

    return warmed(run)


def diagram() -> Run:
    oscillator = systems.impact_oscillator()

    def run() -> float:
        cloud = analysis.bifurcation_diagram(oscillator, "F", np.linspace(0.45, 0.8, 5))
        return float(cloud.points.shape[0] * cloud.points.shape[1])

    return warmed(run)


def short_runs() -> Run:
    """Count the overhead of a call of `simulate`, with hardly any motion."""
    ball = systems.bouncing_ball()

    def run() -> float:
        for _ in range(20):
            nsmb.simulate(ball, t_end=1e-3)
        return 20.0

    return warmed(run)


def whole_run() -> Run:
    """Count the woodpecker with dense output, and all its tables."""
    toy = systems.woodpecker()

    def run() -> float:
        sol = nsmb.simulate(toy, t_end=2.0)
        return float(len(sol.events.to_text().splitlines()) and len(sol.events))

    return warmed(run)


def recording() -> Run:
    """Count the woodpecker written to an HDF5 file, chunk by chunk."""
    toy = systems.woodpecker()
    folder = Path(tempfile.mkdtemp())

    def run() -> float:
        path = folder / "run.h5"
        end = nsmb.simulate(toy, t_end=20.0, record=nsmb.to_hdf5(path))
        path.unlink()
        return float(end.stats["events"])

    return warmed(run)


def controller() -> Run:
    sim = nsmb.Simulator(stepping.cart(), output_step=0.0)
    done = [0]

    def run() -> float:
        for _ in range(500):
            done[0] += 1
            sim.set(motor=-sim.q[0] - sim.u[0])
            sim.advance(done[0] * stepping.STEP)
        return 500.0

    return warmed(run)


def table() -> dict[str, Case]:
    """Return the cases by name; names of sized cases end with the size, to show growth."""
    memory = (INSTRUCTIONS, ALLOCATIONS, PEAK, KEPT)
    python = (INSTRUCTIONS, ALLOCATIONS, PEAK, PYTHON)
    numerical = {"integrator": "dp853", "rtol": 1e-10}
    cases: dict[str, Case] = {
        "toy, closed form": Case(lambda: motion(system("woodpecker", 60.0), 240), "event"),
        "toy, dp853": Case(lambda: motion(system("woodpecker", 60.0), 60, **numerical), "event"),
        "toy of bodies": Case(lambda: motion(system("woodpecker_4dof", 350.0), 60), "event"),
        "toy, dense output": Case(
            lambda: motion(system("woodpecker", 60.0), 240, dense=True), "event", memory
        ),
        "gear rattling": Case(lambda: motion(system("gear_rattling", 0.6), 100), "event"),
        "symbolic rod": Case(symbolic_rod, "event"),
        "toy, monodromy matrix": Case(lambda: derivative(()), "event"),
        "toy, by three parameters": Case(lambda: derivative(("mu", "e_beak", "c_phi")), "event"),
        "orbit of the toy": Case(orbit, "orbit", python),
        "bifurcation diagram": Case(diagram, "point", python),
        "call of simulate": Case(short_runs, "call"),
        "run of 2 s with tables": Case(whole_run, "event", python),
        "recording to HDF5": Case(recording, "event", python),
        "turn of a controller": Case(controller, "turn"),
    }
    for name, build, sizes in (
        ("balls, closed form", scaling.balls, (1, 10, 100, 300)),
        ("balls, dp853", scaling.numerical(scaling.balls), (1, 10, 100)),
        ("blocks with friction", scaling.blocks, (1, 10, 100)),
        ("discs on a floor", scaling.discs, (1, 10, 100)),
        ("discs beside each other", scaling.neighbours, (10, 30)),
        ("chain on a floor", scaling.chain, (3, 10)),
        ("mass tower", scaling.tower, (3, 10, 30)),
    ):
        for n in sizes:
            cases[f"{name}, {n}"] = Case(lambda build=build, n=n: motion(build(n), 40), "event")
    for n in (3, 10, 30):
        cases[f"blocks, dense output, {n}"] = Case(
            lambda n=n: motion(scaling.blocks(n), 100, dense=True), "event", (PEAK, KEPT)
        )
        cases[f"contact states of blocks, {n}"] = Case(
            lambda n=n: contact_states(n), "contact state", (PEAK, KEPT)
        )
    for n in (10, 20, 50, 100, 200):
        cases[f"Lemke, {n}"] = Case(lambda n=n: lemke(n), "problem")
    for bodies, feet in ((1, 1), (1, 3), (2, 5), (10, 3)):
        cases[f"friction discs, {bodies * feet}"] = Case(
            lambda bodies=bodies, feet=feet: discs(bodies, feet), "problem"
        )
    for n in (10, 50, 100):
        cases[f"decision of a tower, {n}"] = Case(lambda n=n: decision(n), "decision")
    for n in (5, 20, 100, 200):
        cases[f"accelerations of a chain, {n}"] = Case(lambda n=n: chain_of_bodies(n), "evaluation")
    return cases
