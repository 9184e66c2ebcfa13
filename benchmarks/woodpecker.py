"""The woodpecker on its limit cycle: processor time and error of the period, with Siconos."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks.harness import Peer, benchmark, peer, timed
from tests.oracles import woodpecker_scipy as oracle

MOTION = 1.0  # s of motion that is timed
ERROR_RUN = 3.0  # s of motion in which the period is measured, in the second half
SETTLE = 40.0  # s until the motion is on the limit cycle, to 1e-13 s of its period
STEP = 1e-5  # s, of Siconos
THETAS = (0.5, 1.0)  # midpoint, more accurate and timed; implicit, the usual choice
METHODS = {
    name: nsmb.EventDriven(impact_law="poisson", dense_output=False, **options)
    for name, options in {
        "nsmb closed-form flow": {"integrator": "linear_flow"},
        "nsmb dp853, rtol 1e-10": {"integrator": "dp853", "rtol": 1e-10},
        "nsmb arkode_fehlberg78, rtol 1e-10": {"integrator": "arkode_fehlberg78", "rtol": 1e-10},
    }.items()
}
STEPPED = {  # with the step size and the scheme of Siconos
    f"nsmb Moreau-Jean, h {STEP:g} s": nsmb.Midpoint(STEP, impact_law="poisson", dense_output=False)
}


@dataclass(frozen=True)
class CycleStart:
    """Return the state after a beak impact of the limit cycle."""

    system: nsmb.System
    period: float
    q: NDArray[np.float64]
    u: NDArray[np.float64]
    e_beak: float
    """Return -γ_N⁺/γ_N⁻ of the beak, the restitution for the same cycle with Newton's law."""


def find_cycle(mu: float) -> CycleStart:
    system = nsmb.systems.woodpecker(mu=mu)
    events = nsmb.simulate(system, SETTLE, output_step=0.0).events
    before, last = list(events.of_kind("impact").at_contact("beak"))[-2:]
    w_N = system.contact_kinematics(0.0, last.q, last.u_plus)["W_N"][:, 0]
    q = last.q.copy()
    q[0] = 0.0  # the height is cyclic
    ratio = -float(w_N @ last.u_plus) / float(w_N @ last.u_minus)
    return CycleStart(system, last.t - before.t, q, last.u_plus, ratio)


def oracle_period(start: CycleStart) -> float:
    """Return the period by the SciPy oracle from the same state."""
    mu, e_beak = start.system.parameters["mu"], start.system.parameters["e_beak"]
    events = oracle.simulate(
        2.5 * start.period, mu, e_beak, (start.q.tolist(), start.u.tolist()), rtol=3e-14
    )
    return float(oracle.cycle(events)[0])


def run_nsmb(
    start: CycleStart, method: nsmb.EventDriven | nsmb.Midpoint, t_end: float, runs: int = 1
) -> tuple[nsmb.Simulator, float]:
    """Return a simulator after a run, and the time of the run without setup, s."""

    def fresh() -> nsmb.Simulator:
        simulator = nsmb.Simulator(start.system, method, output_step=0.0)
        simulator.reset(0.0, start.q, start.u)
        return simulator

    def advance(simulator: nsmb.Simulator) -> nsmb.Simulator:
        simulator.advance(t_end)
        return simulator

    return timed(advance, runs, prepare=fresh)


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
    """Return the mean interval between the beak impacts of the second half."""
    late = impacts[len(impacts) // 2 :]
    return float(late[-1] - late[0]) / (len(late) - 1)


def compare(mu: float, siconos: Peer | None, repeats: int) -> dict[str, Any]:
    """Measure times, ratios pair by pair, and period errors for one friction coefficient."""
    start = find_cycle(mu)
    second = oracle_period(start)
    result: dict[str, Any] = {
        "mu": mu,
        "period": start.period,
        "oracle_period": second,
        "e_beak_newton": start.e_beak,
        "methods": {},
    }
    methods = METHODS | STEPPED
    times: dict[str, list[float]] = {name: [] for name in methods}
    reference: list[float] = []
    for _ in range(repeats):
        if siconos is not None:
            reference.append(siconos.run(**siconos_data(start, THETAS[0], MOTION))["seconds"])
        for name, method in methods.items():
            runs = 15 if name.endswith("flow") else 1 if name in STEPPED else 5
            times[name].append(run_nsmb(start, method, MOTION, runs)[1])
    for name, method in methods.items():
        # The closed-form motion needs an independent reference.
        judge = second if name.endswith("flow") else start.period
        events = run_nsmb(start, method, ERROR_RUN)[0].solution.events
        period = mean_period(events.of_kind("impact").at_contact("beak").t)
        ratios = [a / b for a, b in zip(reference, times[name], strict=False)]
        result["methods"][name] = {
            "seconds": min(times[name]),
            "seconds_range": [min(times[name]), max(times[name])],
            "period_error": abs(period - judge),
            "faster": [float(np.median(ratios)), min(ratios), max(ratios)] if ratios else None,
        }
    for theta in THETAS if siconos is not None else ():
        answer = siconos.run(**(siconos_data(start, theta, ERROR_RUN) | {"impacts_at": 0}))
        taken = reference if theta == THETAS[0] else [answer["seconds"] * MOTION / ERROR_RUN]
        result["methods"][f"Siconos Moreau-Jean, h {STEP:g} s, theta {theta:g}"] = {
            "seconds": min(taken),
            "seconds_range": [min(taken), max(taken)],
            "period_error": abs(mean_period(np.array(answer["impacts"])) - start.period),
            "faster": None,
        }
    return result


@benchmark("woodpecker", "The woodpecker toy on its limit cycle")
def measure(mu: tuple[float, ...] = (0.3, 0.9), repeats: int = 11) -> list[dict[str, Any]]:
    with peer("siconos", "siconos_woodpecker") as siconos:
        return [compare(value, siconos, repeats) for value in mu]


@benchmark("event_rate", "Events per second: a long run of the toy, mu = 0.3, no output")
def event_rate(t_end: float = 100.0) -> list[dict[str, Any]]:
    rows = []
    start = find_cycle(0.3)
    for name, method in METHODS.items():
        simulator, seconds = run_nsmb(start, method, t_end, 3)
        events = simulator.solution.stats["events"]
        rows.append({"method": name, "events": events, "events_per_second": events / seconds})
    return rows
