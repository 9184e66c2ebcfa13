"""Orders of convergence of the time-stepping schemes, with and without impacts.

The reference is the event-driven motion. The errors are the mean error of the coordinates over the
run, and the distance of the graphs of the velocities, which are vertical where velocities jump. The
period of the woodpecker over the step size is compared with that of Siconos.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks import woodpecker
from benchmarks.harness import benchmark, exponent, peer
from tests.oracles.graph_distance import distance
from tests.support.methods import FORCE_SCHEMES, SCHEMES, Steps, stepping

STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
EXACT = 3e-9  # smaller relative errors are those of the event-driven motion
SAMPLES = 8000  # of graphs, in addition to both sides of events and ends of steps
PERIOD_STEPS = (1e-4, 5e-5, 2e-5, 1e-5)
PERIOD_MU = 0.3  # here Poisson's law, used for the exact period, and Moreau's law agree


@dataclass(frozen=True)
class Problem:
    build: Callable[[], nsmb.System]
    t_end: float
    steps: tuple[float, ...] = STEPS
    restitutes: bool = False  # schemes that compute forces do not support restitution


def oscillator() -> nsmb.System:
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    return nsmb.LinearSystem([[1.0]], D=[[0.2]], K=[[40.0]], initial_state=start)


def pendulum() -> nsmb.System:
    """Build a mass on a rigid rod, with a bilateral constraint."""
    rod = nsmb.Constraint(
        gap=lambda t, q: q[0] ** 2 + q[1] ** 2 - 1.0,
        w=lambda t, q: [2.0 * q[0], 2.0 * q[1]],
        w_bar=lambda t, q, u: 2.0 * (u[0] ** 2 + u[1] ** 2),
        name="rod",
    )
    return nsmb.CallbackSystem(
        mass_matrix=lambda t, q: np.eye(2),
        forces=lambda t, q, u: [0.0, -9.81],
        constraints=[rod],
        coordinates=["x", "y"],
        initial_state=nsmb.State(0.0, np.array([1.0, 0.0]), np.zeros(2)),
    )


def sliding() -> nsmb.System:
    """Build a mass on a spring with friction that decreases with speed; it always slides."""
    law = nsmb.ContactLaw(mu=0.3, curve=nsmb.Stribeck(mu_d=0.2, v_s=0.5))
    plane = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="plane")
    return nsmb.LinearSystem(
        np.eye(2),
        K=np.diag([4.0, 0.0]),
        force=[0.0, -9.81],
        contacts=[plane],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([3.0, 0.0])),
    )


def falling() -> nsmb.System:
    """Build two masses, a spring and a damper that fall on a floor and stay there, e_N = 0."""
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    floor = nsmb.Contact(w_N=[1.0, 0.0], name="floor")
    start = nsmb.State(0.0, np.array([0.1, 0.1]), np.zeros(2))
    return nsmb.LinearSystem(
        np.diag([0.2, 1.0]), K=400.0 * pair, D=4.0 * pair, force=[-0.2 * 9.81, -9.81],
        contacts=[floor], initial_state=start,
    )  # fmt: skip


def ball() -> nsmb.System:
    return nsmb.systems.bouncing_ball(e_N=0.8)


def hitting_pendulum() -> nsmb.System:
    """Build a damped oscillator against a stop: isolated impacts with non-polynomial motion
    between them."""
    stop = nsmb.Contact(w_N=[1.0], gap=0.3, law=nsmb.ContactLaw(e_N=0.7), name="stop")
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    return nsmb.LinearSystem([[1.0]], D=[[0.2]], K=[[40.0]], contacts=[stop], initial_state=start)


def thrown() -> nsmb.System:
    """Build a ball on a floor: impacts with friction accumulate, then it slides to rest."""
    law = nsmb.ContactLaw(e_N=0.5, mu=0.2)
    floor = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="floor")
    start = nsmb.State(0.0, np.array([0.0, 0.5]), np.array([3.0, 0.0]))
    return nsmb.LinearSystem(np.eye(2), force=[0.0, -9.81], contacts=[floor], initial_state=start)


PROBLEMS = {
    "oscillator": Problem(oscillator, 2.0),
    "pendulum, constraint": Problem(pendulum, 1.0),
    "sliding, friction curve": Problem(sliding, 0.4),
    "two masses, e_N = 0": Problem(falling, 1.0),
    "ball, 2 impacts": Problem(ball, 1.5, restitutes=True),
    "oscillator on a stop": Problem(hitting_pendulum, 2.0, restitutes=True),
    "ball, accumulation": Problem(
        lambda: nsmb.systems.bouncing_ball(e_N=0.5), 2.0, restitutes=True
    ),
    "ball thrown, slides out": Problem(thrown, 2.0, restitutes=True),
    "woodpecker, 0.3 s": Problem(
        nsmb.systems.woodpecker, 0.3, (4e-4, 2e-4, 1e-4, 5e-5), restitutes=True
    ),
}


class Reference:
    """The event-driven motion, and the errors of other motions."""

    def __init__(self, problem: Problem) -> None:
        fine = nsmb.EventDriven(rtol=1e-12, impact_law="moreau")
        self.problem = problem
        self.times = np.linspace(0.0, problem.t_end, 2001)
        self.grid = np.linspace(0.0, problem.t_end, SAMPLES)
        sol = nsmb.simulate(problem.build(), problem.t_end, method=fine, output_times=self.grid)
        dense = nsmb.simulate(problem.build(), problem.t_end, method=fine, output_step=0.0)
        self.nq = sol.q.shape[1]
        self.q = dense(self.times)[:, : self.nq]
        self.size = np.ptp(self.q, axis=0) + 1e-12
        self.fastest = np.ptp(sol.u, axis=0) + 1e-12
        self.graph = self._graph(sol)

    def _graph(self, sol: nsmb.Solution) -> NDArray[np.float64]:
        return np.column_stack([sol.t / self.problem.t_end, sol.u / self.fastest])

    def errors(self, step: float, scheme: str) -> tuple[float, float]:
        """Return the mean error of the coordinates, relative to their ranges, and the distance of
        the graphs of the velocities, with time and velocities relative to their ranges."""
        # Forces from gaps alone alternate at rest.
        mild = {"mixing": 0.5} if scheme.endswith("-position") else {}
        method = stepping(step, scheme, **mild)
        t_end = self.problem.t_end
        ends = step * np.arange(1, int(t_end / step))
        times = np.union1d(self.grid, ends)
        sol = nsmb.simulate(self.problem.build(), t_end, method=method, output_times=times)
        q = sol(self.times)[:, : self.nq]
        error = float((np.abs(q - self.q) / self.size).mean())
        return error, distance(self._graph(sol), self.graph)


def order(found: list[float], steps: tuple[float, ...]) -> float | None:
    """Return the slope through the errors, None if the scheme is exact."""
    pairs = [(step, error) for step, error in zip(steps, found, strict=True) if error > EXACT]
    if len(pairs) < 2:
        return None
    return exponent(*zip(*pairs, strict=True))


def measure_orders(problems: tuple[str, ...]) -> list[dict[str, Any]]:
    rows = []
    for name in problems:
        problem = PROBLEMS[name]
        reference = Reference(problem)
        schemes = {}
        for scheme in SCHEMES if problem.restitutes else SCHEMES + FORCE_SCHEMES:
            pairs = [reference.errors(step, scheme) for step in problem.steps]
            q, graph = ([pair[k] for pair in pairs] for k in (0, 1))
            schemes[scheme] = {
                "q": q,
                "q_order": order(q, problem.steps),
                "graph": graph,
                "graph_order": order(graph, problem.steps),
            }
        rows.append({"problem": name, "steps": list(problem.steps), "schemes": schemes})
    return rows


def stepped_period(start: woodpecker.CycleStart, method: Steps) -> float:
    """Return the period from beak impacts that are as fast as those counted in Siconos."""
    simulator = nsmb.Simulator(start.system, method, output_step=0.0)
    simulator.reset(0.0, start.q, start.u)
    simulator.advance(woodpecker.ERROR_RUN)
    w_N = start.system.contact_kinematics(0.0, start.q, start.u)["W_N"][:, 0]
    times = [
        event.t
        for event in simulator.solution.events.of_kind("impact").at_contact("beak")
        if w_N @ event.u_minus < -0.05
    ]
    return woodpecker.mean_period(np.array(times))


def measure_periods() -> dict[str, Any]:
    """Return the error of the period for each step size."""
    start = woodpecker.find_cycle(PERIOD_MU)
    errors: dict[str, list[float]] = {}
    for scheme in SCHEMES:
        errors[f"nsmb {scheme}"] = [
            stepped_period(start, stepping(step, scheme, dense_output=False)) - start.period
            for step in PERIOD_STEPS
        ]
    with peer("siconos", "siconos_woodpecker") as siconos:
        for theta in woodpecker.THETAS if siconos else ():
            data = woodpecker.siconos_data(start, theta, woodpecker.ERROR_RUN) | {"impacts_at": 0}
            answers = [siconos.run(**(data | {"h": step})) for step in PERIOD_STEPS]
            errors[f"Siconos Moreau-Jean, theta {theta:g}"] = [
                woodpecker.mean_period(np.array(answer["impacts"])) - start.period
                for answer in answers
            ]
    return {"period": start.period, "steps": list(PERIOD_STEPS), "errors": errors}


@benchmark("orders", "Orders of the schemes of time stepping; the toy's period over the step")
def measure(problems: tuple[str, ...] = tuple(PROBLEMS)) -> dict[str, Any]:
    return {"schemes": measure_orders(problems), "periods": measure_periods()}
