"""Orders of convergence of the schemes of time stepping, with and without impacts.

By hand: ``python benchmarks/orders.py``. Errors are those of the coordinates against the
event-driven motion, in the mean over the run: where velocities jump that is, to a factor, the
distance of the graphs of u.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import nsmb
from nsmb.system.stepping_options import SCHEMES

STEPS = (4e-3, 2e-3, 1e-3, 5e-4)


@dataclass(frozen=True)
class Problem:
    build: Callable[[], nsmb.System]
    t_end: float
    steps: tuple[float, ...] = STEPS


def oscillator() -> nsmb.System:
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    return nsmb.LinearSystem([[1.0]], D=[[0.2]], K=[[40.0]], initial_state=start)


def pendulum() -> nsmb.System:
    """A mass on a rigid rod, as a bilateral constraint."""
    rod = nsmb.CallbackConstraint(
        g=lambda t, q: q[0] ** 2 + q[1] ** 2 - 1.0,
        W=lambda t, q: [2.0 * q[0], 2.0 * q[1]],
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
    """On a spring, with friction that falls with the slip speed; it slides throughout."""
    law = nsmb.ContactLaw(mu=0.3, curve=nsmb.Stribeck(mu_d=0.2, v_s=0.5))
    plane = nsmb.LinearContact([0.0, 1.0], w_T=[1.0, 0.0], law=law, name="plane")
    return nsmb.LinearSystem(
        np.eye(2),
        K=np.diag([4.0, 0.0]),
        force=[0.0, -9.81],
        contacts=[plane],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([3.0, 0.0])),
    )


def ball() -> nsmb.System:
    return nsmb.systems.bouncing_ball(e_N=0.8)


PROBLEMS = {
    "oscillator": Problem(oscillator, 2.0),
    "pendulum, constraint": Problem(pendulum, 1.0),
    "sliding, friction curve": Problem(sliding, 0.4),
    "ball, 2 impacts": Problem(ball, 1.5),
    "ball, accumulation": Problem(lambda: nsmb.systems.bouncing_ball(e_N=0.5), 2.0),
    "woodpecker, 0.3 s": Problem(nsmb.systems.woodpecker, 0.3, (4e-4, 2e-4, 1e-4, 5e-5)),
}


def errors(problem: Problem, scheme: str) -> list[float]:
    """Mean error of the coordinates for each step, as a part of what they range over."""
    times = np.linspace(0.0, problem.t_end, 201)
    fine = nsmb.EventDriven(rtol=1e-12, impact_law="moreau")
    exact = nsmb.simulate(problem.build(), problem.t_end, method=fine)(times)
    found = []
    for step in problem.steps:
        method = nsmb.TimeStepping(step=step, scheme=scheme)  # type: ignore[arg-type]
        sol = nsmb.simulate(problem.build(), problem.t_end, method=method, output_step=0.0)
        nq = sol.q.shape[1]
        size = np.ptp(exact[:, :nq], axis=0) + 1e-12
        found.append(float((np.abs(sol(times)[:, :nq] - exact[:, :nq]) / size).mean()))
    return found


def order(found: list[float], steps: tuple[float, ...]) -> float:
    """Slope through the errors; what is exact has none."""
    if max(found) < 1e-9:
        return float("inf")
    return float(np.polyfit(np.log(steps), np.log(np.maximum(found, 1e-16)), 1)[0])


def main() -> None:
    print(f"{'':26s}" + "".join(f"{scheme:>22s}" for scheme in SCHEMES))
    for name, problem in PROBLEMS.items():
        cells = []
        for scheme in SCHEMES:
            found = errors(problem, scheme)
            rate = order(found, problem.steps)
            cells.append(f"{'exact' if np.isinf(rate) else f'{rate:.2f}'} ({found[-1]:.0e})")
        print(f"{name:26s}" + "".join(f"{cell:>22s}" for cell in cells), flush=True)
    print("order, and in brackets the mean error at the smallest step")


if __name__ == "__main__":
    main()
