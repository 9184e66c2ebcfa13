"""The toy on its limit cycle: processor time and error of the period, against Siconos."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from siconos_process import SiconosProcess

import nsmb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

MOTION = 1.0  # s of motion that is timed
ERROR_RUN = 3.0  # s of motion in which the period is measured, in the second half
SETTLE = 40.0  # s until the start is on the cycle, to 1e-13 s of its period
STEP = 1e-5  # s, Siconos
THETAS = (0.5, 1.0)  # midpoint: the more accurate one, and timed; implicit: the usual one
METHODS = {
    "nsmb closed-form flow": nsmb.EventDriven(
        impact_law="poisson", integrator="linear_flow", dense_output=False
    ),
    "nsmb dp853, rtol 1e-10": nsmb.EventDriven(
        impact_law="poisson", integrator="dp853", rtol=1e-10, dense_output=False
    ),
    "nsmb arkode_fehlberg78, rtol 1e-10": nsmb.EventDriven(
        impact_law="poisson", integrator="arkode_fehlberg78", rtol=1e-10, dense_output=False
    ),
}
STEPPED = {  # at the step of Siconos, and by its scheme
    f"nsmb Moreau-Jean, h {STEP:g} s": nsmb.Midpoint(STEP, impact_law="poisson", dense_output=False)
}


@dataclass(frozen=True)
class CycleStart:
    """The state behind a beak impact of the limit cycle."""

    system: nsmb.System
    period: float
    q: NDArray[np.float64]
    u: NDArray[np.float64]
    e_beak: float
    """-γ_N⁺/γ_N⁻ of the beak: the restitution with which Newton's law has the same cycle."""


def find_cycle(mu: float) -> CycleStart:
    system = nsmb.systems.woodpecker(mu=mu)
    events = nsmb.simulate(system, SETTLE, output_step=0.0).events
    before, last = list(events.of_kind("impact").at_contact("beak"))[-2:]
    w_N = system.contact_kinematics(0.0, last.q, last.u_plus)["W_N"][:, 0]
    q = last.q.copy()
    q[0] = 0.0  # the height is cyclic
    ratio = -float(w_N @ last.u_plus) / float(w_N @ last.u_minus)
    return CycleStart(system, last.t - before.t, q, last.u_plus, ratio)


def oracle_period(start: CycleStart) -> float | None:
    """Period by the SciPy oracle from the same state; None without SciPy."""
    try:
        from tests.oracles import woodpecker_scipy as oracle
    except ImportError:
        return None
    mu, e_beak = start.system.parameters["mu"], start.system.parameters["e_beak"]
    events = oracle.simulate(
        2.5 * start.period, mu, e_beak, (start.q.tolist(), start.u.tolist()), rtol=3e-14
    )
    return float(oracle.cycle(events)[0])


def run_nsmb(
    start: CycleStart, method: nsmb.EventDriven | nsmb.Midpoint, t_end: float
) -> nsmb.Simulator:
    simulator = nsmb.Simulator(start.system, method, output_step=0.0)
    simulator.reset(0.0, start.q, start.u)
    simulator.advance(t_end)
    return simulator


def time_nsmb(
    start: CycleStart, method: nsmb.EventDriven | nsmb.Midpoint, t_end: float, runs: int
) -> float:
    """s, median over fresh simulators of the time from start to end, without setup."""
    times = []
    for _ in range(runs):
        simulator = nsmb.Simulator(start.system, method, output_step=0.0)
        simulator.reset(0.0, start.q, start.u)
        begin = time.thread_time()
        simulator.advance(t_end)
        times.append(time.thread_time() - begin)
    return float(np.median(times))


def siconos_data(start: CycleStart, theta: float, t_end: float) -> dict[str, Any]:
    system = start.system
    assert isinstance(system, nsmb.LinearSystem)
    zero = np.zeros(system.nq)
    contacts = system.contact_kinematics(0.0, zero, zero)
    restitution = [contact.law.e_N for contact in system.contacts]
    restitution[0] = start.e_beak
    return {
        "M": system.M.tolist(),
        "K": system.K.tolist(),
        "force": system.forces(0.0, zero, zero).tolist(),
        "W_N": contacts["W_N"].tolist(),
        "W_T": contacts["W_T"].tolist(),
        "gap": contacts["g_N"].tolist(),
        "mu": [contact.law.mu for contact in system.contacts],
        "e_N": restitution,
        "q0": start.q.tolist(),
        "u0": start.u.tolist(),
        "h": STEP,
        "theta": theta,
        "t_end": t_end,
        "impacts_at": None,
    }


def mean_period(impacts: NDArray[np.float64]) -> float:
    """Mean interval between the beak impacts of the second half."""
    late = impacts[len(impacts) // 2 :]
    return float(late[-1] - late[0]) / (len(late) - 1)


def nsmb_period(start: CycleStart, method: nsmb.EventDriven | nsmb.Midpoint) -> float:
    events = run_nsmb(start, method, ERROR_RUN).solution.events
    return mean_period(events.of_kind("impact").at_contact("beak").t)


def compare(mu: float, siconos: SiconosProcess | None, repetitions: int) -> dict[str, Any]:
    """Times, ratios pair by pair, and errors of the period, for one friction coefficient."""
    start = find_cycle(mu)
    oracle = oracle_period(start)
    result: dict[str, Any] = {
        "mu": mu,
        "period": start.period,
        "oracle_period": oracle,
        "e_beak_newton": start.e_beak,
        "methods": {},
    }
    methods = METHODS | STEPPED
    times: dict[str, list[float]] = {name: [] for name in methods}
    reference: list[float] = []
    for _ in range(repetitions):
        if siconos is not None:
            reference.append(siconos.run(**siconos_data(start, THETAS[0], MOTION))["seconds"])
        for name, method in methods.items():
            runs = 15 if name.endswith("flow") else 1 if name in STEPPED else 5
            times[name].append(time_nsmb(start, method, MOTION, runs))
    for name, method in methods.items():
        # What was propagated in closed form cannot be the judge of itself.
        judge = oracle if name.endswith("flow") else start.period
        error = None if judge is None else abs(nsmb_period(start, method) - judge)
        ratios = [a / b for a, b in zip(reference, times[name], strict=False)]
        result["methods"][name] = {
            "seconds": float(np.median(times[name])),
            "seconds_range": [min(times[name]), max(times[name])],
            "period_error": error,
            "faster": [float(np.median(ratios)), min(ratios), max(ratios)] if ratios else None,
        }
    if siconos is not None:
        result["methods"] |= siconos_results(start, siconos, reference)
    return result


def siconos_results(
    start: CycleStart, siconos: SiconosProcess, times: list[float]
) -> dict[str, Any]:
    results = {}
    for theta in THETAS:
        data = siconos_data(start, theta, ERROR_RUN)
        answer = siconos.run(**(data | {"impacts_at": 0}))
        timed = times if theta == THETAS[0] else [answer["seconds"] * MOTION / ERROR_RUN]
        results[f"Siconos Moreau-Jean, h {STEP:g} s, theta {theta:g}"] = {
            "seconds": float(np.median(timed)),
            "seconds_range": [min(timed), max(timed)],
            "period_error": abs(mean_period(np.array(answer["impacts"])) - start.period),
            "faster": None,
        }
    return results


def event_rate(t_end: float = 100.0) -> list[dict[str, Any]]:
    """Events per second of a long run with nothing kept but events."""
    rows = []
    start = find_cycle(0.3)
    for name, method in METHODS.items():
        seconds = time_nsmb(start, method, t_end, 3)
        events = run_nsmb(start, method, t_end).solution.stats["events"]
        rows.append({"method": name, "events": events, "events_per_second": events / seconds})
    return rows
