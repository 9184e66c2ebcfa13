"""A linear system with planar frictional contacts in Siconos, time-stepping (Moreau-Jean).

Run by an interpreter that has Siconos; nsmb is not imported. Every line on stdin is a run, a JSON
object; every line on stdout is its result:

    M, K (n, n), force (n,), q0, u0 (n,)      M q̈ + K q = force + contact forces
    W_N, W_T (n, nc), gap, mu, e_N (nc,)      gaps W_Nᵀ q + gap
    h, t_end, theta                           step, end of the run, MoreauJeanOSI's theta
    impacts_at                                null: time only; else the contact whose impacts
                                              are wanted, which costs a look at every step
    ->  wall_time, steps, t, q, u at the end; impacts: times, or null
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

# Threads only get in each other's way in problems of this size.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import numpy as np
import siconos
import siconos.kernel as sk
import siconos.numerics as sn

# Of the order of the impulse of a step; Siconos' default (1e-4) is relative to it as well.
SOLVER_TOLERANCE = 1e-12


def build(run: dict[str, Any]) -> tuple[Any, Any]:
    """(time-stepping simulation, dynamical system)."""
    M, K = np.array(run["M"]), np.array(run["K"])
    W_N, W_T = np.array(run["W_N"]).T, np.array(run["W_T"]).T
    system = sk.LagrangianLinearTIDS(
        np.array(run["q0"]), np.array(run["u0"]), M, K, np.zeros_like(M)
    )
    force = np.array(run["force"])
    system.setFExtPtr(force)
    model = sk.NonSmoothDynamicalSystem(0.0, run["t_end"])
    model.insertDynamicalSystem(system)
    for w_N, w_T, gap, mu, e_N in zip(W_N, W_T, run["gap"], run["mu"], run["e_N"], strict=True):
        law = sk.NewtonImpactFrictionNSL(e_N, 0.0, mu, 2)
        relation = sk.LagrangianLinearTIR(np.array([w_N, w_T]), np.array([gap, 0.0]))
        model.link(sk.Interaction(law, relation), system)
    problem = sk.FrictionContact(2, sn.SICONOS_FRICTION_2D_NSGS)
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = SOLVER_TOLERANCE
    simulation = sk.TimeStepping(
        model,
        sk.TimeDiscretisation(0.0, run["h"]),
        sk.MoreauJeanOSI(run["theta"]),
        problem,
    )
    return simulation, (model, system, force)  # the force is not copied: it must stay alive


def impact_times(run: dict[str, Any]) -> list[float]:
    """Ends of the steps in which the contact's approach turns into separation.

    γ_N is read behind every step: a step with an impact begins with approach faster than a step of
    acceleration could have made it, and ends with -e_N times that.
    """
    simulation, (_, system, _) = build(run)
    w_N = np.array(run["W_N"])[:, run["impacts_at"]]
    times = []
    before = float(w_N @ np.array(run["u0"]))
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        gamma = float(w_N @ system.velocity())
        if before < -THRESHOLD and gamma >= 0.0:
            times.append(simulation.nextTime())
        before = gamma
        simulation.nextStep()
    return times


THRESHOLD = 0.05  # m/s


def measure(run: dict[str, Any]) -> dict[str, Any]:
    """Time the bare loop; then, if wanted, run again and look for impacts."""
    simulation, (_, system, _) = build(run)
    steps = 0
    start = time.perf_counter()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        simulation.nextStep()
        steps += 1
    wall_time = time.perf_counter() - start
    return {
        "wall_time": wall_time,
        "steps": steps,
        "t": simulation.startingTime(),
        "q": system.q().tolist(),
        "u": system.velocity().tolist(),
        "impacts": None if run["impacts_at"] is None else impact_times(run),
    }


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(measure(json.loads(line))), flush=True)
