"""A linear system with planar frictional contacts in Siconos, time-stepping (Moreau-Jean).

Run by an interpreter that has Siconos. A request and its answer:

    M, K (n, n), force, q0, u0 (n)      M q̈ + K q = force + contact forces
    W_N, W_T (n, nc), gap, mu, e_N (nc) gaps W_Nᵀ q + gap
    h, theta, t_end                     step, θ of the scheme, end of the run; it starts at t = 0
    impacts_at                          contact whose impacts are reported, or null: time only
    -> seconds of processor time; q, u at the end; impacts: their times (s), or null
"""

from __future__ import annotations

from typing import Any

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn

from benchmarks.peer import serve, timed

SOLVER_TOLERANCE = 1e-12  # the default, 1e-4, gives the same motion and is no faster
IMPACT = 0.05  # approach velocity, m/s; resting contacts are far slower
NEAR = 1e-3  # m, gap below which a reversal of the velocity is an impact


def build(run: dict[str, Any]) -> tuple[Any, ...]:
    """Return the simulation, the dynamical system, and objects that must be kept alive."""
    M = np.array(run["M"])
    system = sk.LagrangianLinearTIDS(
        np.array(run["q0"]), np.array(run["u0"]), M, np.array(run["K"]), np.zeros_like(M)
    )
    force = np.array(run["force"])
    system.setFExtPtr(force)
    model = sk.NonSmoothDynamicalSystem(0.0, run["t_end"])
    model.insertDynamicalSystem(system)
    rows = np.stack([np.array(run["W_N"]).T, np.array(run["W_T"]).T], axis=1)
    for row, gap, mu, e_N in zip(rows, run["gap"], run["mu"], run["e_N"], strict=True):
        law = sk.NewtonImpactFrictionNSL(e_N, 0.0, mu, 2)
        relation = sk.LagrangianLinearTIR(np.array(row), np.array([gap, 0.0]))
        model.link(sk.Interaction(law, relation), system)
    problem = sk.FrictionContact(2, sn.SICONOS_FRICTION_2D_NSGS)
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = SOLVER_TOLERANCE
    simulation = sk.TimeStepping(
        model, sk.TimeDiscretisation(0.0, run["h"]), sk.MoreauJeanOSI(run["theta"]), problem
    )
    return simulation, system, model, force


def impact_times(run: dict[str, Any]) -> list[float]:
    """Return the ends of steps that reverse an approach: late by h/2 on average."""
    simulation, system, *_alive = build(run)
    w_N = np.array(run["W_N"])[:, run["impacts_at"]]
    touching = NEAR - run["gap"][run["impacts_at"]]
    times = []
    before = float(w_N @ np.array(run["u0"]))
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        after = float(w_N @ system.velocity())
        if before < -IMPACT and after >= 0.0 and float(w_N @ system.q()) < touching:
            times.append(simulation.nextTime())
        before = after
        simulation.nextStep()
    return times


def measure(**run: Any) -> dict[str, Any]:
    """Time the bare loop; then run again and detect impacts if requested."""
    simulation, system, *_alive = build(run)
    _, seconds = timed(simulation.run)  # the loop in C++: no Python between the steps
    return {
        "seconds": seconds,
        "q": system.q().tolist(),
        "u": system.velocity().tolist(),
        "impacts": None if run["impacts_at"] is None else impact_times(run),
    }


if __name__ == "__main__":
    serve(measure)
