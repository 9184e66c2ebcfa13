"""Machines of the book: seconds of computing for a second of motion, two beside SciPy by hand."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import nsmb

MACHINES = (
    "blade_damper", "clutch_judder", "electric_brush", "gearbox_branched", "hammer_drill",
    "landing_gear", "peg_in_hole", "percussion_drill", "ring_in_hole", "synchroniser",
    "timing_gears", "turbo_generator", "woodpecker",
)  # fmt: skip
REPETITIONS = 3
RTOL = 1e-8  # of both, where motions are compared


def per_second(name: str) -> dict[str, Any]:
    """Median of processor times of a run with its recommended end."""
    system = nsmb.systems.build(name)
    times = []
    for _ in range(REPETITIONS):
        begin = time.process_time()
        sol = nsmb.simulate(system, throw=False)
        times.append(time.process_time() - begin)
    span = float(np.ptp(sol.t_span))
    return {
        "name": name,
        "status": sol.status,
        "span": span,
        "events": len(sol.events),
        "seconds": float(np.median(times)) / span,
    }


class ClutchByHand:
    """(13.8)-(13.20) of two masses as one would write them for `solve_ivp`: slipping with the sign
    of the slip held, sticking with the torque of the clutch watched."""

    def __init__(self, p: Any, I: np.ndarray, c: float, d: float) -> None:
        self.p, self.I_1, self.I_2, self.c, self.d = p, float(I[0]), float(I[1]), c, d
        self.k_T = p.r * p.k_s / p.ratio
        self.least = p.v_min * p.ratio / p.r
        self.T_out = p.k_out / p.ratio
        self.omega_J = math.sqrt(c * (1.0 / self.I_1 + 1.0 / self.I_2))

    def bound(self, t: float, y: np.ndarray) -> float:
        p = self.p
        phi, w = y[0], y[2]
        slip = p.r_m * (w - p.omega_0)
        part = (
            1.0
            + p.s_Mot * math.sin(p.omega_0 * t)
            + p.s_CL * math.sin(phi - p.omega_0 * t + p.phi_CL)
            + p.s_GR * math.sin(phi)
            + p.s_CA_1 * math.sin(p.omega_A * t + p.phi_CA_1)
            + p.s_CA_2 * math.sin(2.0 * p.omega_A * t + p.phi_CA_2)
        )
        falling = (p.T_ST - p.T_SL) * math.exp(-abs(slip) / p.k_r)
        return float(p.closing(t) * (p.T_SL + falling) * part)

    def other(self, y: np.ndarray) -> tuple[float, float]:
        """Torques on both masses without the clutch."""
        theta, w, rate = y[1], y[2], y[3]
        d_T = self.k_T / max(abs(w + rate), self.least)
        tyre = self.c**2 * d_T / (self.c**2 + (self.omega_J * d_T) ** 2)
        spring = self.c * theta + (self.d + tyre) * rate
        return spring, -spring - self.T_out

    def rates(self, y: np.ndarray, clutch: float) -> list[float]:
        first, second = self.other(y)
        a = (first + clutch) / self.I_1
        return [y[2], y[3], a, second / self.I_2 - a]

    def run(self, y: np.ndarray, t_end: float) -> tuple[np.ndarray, int]:
        """(end, switches)."""
        t, count = 0.0, 0
        sign = math.copysign(1.0, y[2] - self.p.omega_0)
        while t < t_end:
            slides = sign != 0.0
            y = np.array(y, dtype=float)
            if slides:
                sol = solve_ivp(
                    lambda t, y, s=sign: self.rates(y, -s * self.bound(t, y)),
                    (t, t_end), y, method="DOP853", rtol=RTOL, atol=1e-10,
                    events=_ending(lambda t, y: y[2] - self.p.omega_0, -sign),
                )  # fmt: skip
            else:
                sol = solve_ivp(
                    lambda t, y: [y[2], y[3], 0.0, self.other(y)[1] / self.I_2],
                    (t, t_end), y, method="DOP853", rtol=RTOL, atol=1e-10,
                    events=_ending(lambda t, y: self.bound(t, y) - abs(self.other(y)[0]), -1.0),
                )  # fmt: skip
            t, y = float(sol.t[-1]), sol.y[:, -1]
            if t >= t_end:
                break
            count += 1
            carried = self.other(y)[0]
            if slides and abs(carried) < self.bound(t, y):
                y[2], sign = self.p.omega_0, 0.0
            else:
                y[2] = self.p.omega_0
                sign = math.copysign(1.0, carried)
        return y, count


def _ending(function: Callable[[float, np.ndarray], float], direction: float) -> Any:
    """An event of `solve_ivp` that ends it; not at the very start."""

    def event(t: float, y: np.ndarray) -> float:
        return function(t, y)

    event.terminal, event.direction = True, direction  # type: ignore[attr-defined]
    return event


def clutch_by_hand() -> dict[str, Any]:
    """Two masses, five seconds: nsmb and SciPy, the same equations."""
    from nsmb.systems.machines.clutch_data import ClutchJudderParameters, drive_train

    system = nsmb.systems.clutch_judder(n=2)
    p = ClutchJudderParameters(**dict(system.parameters))
    chain = drive_train(p).driven
    by_hand = ClutchByHand(p, chain.I, float(chain.c[0]), float(chain.d[0]))
    start = np.concatenate([system.initial_state.q, system.initial_state.u])
    ours, theirs = [], []
    method = nsmb.EventDriven(rtol=RTOL)
    for _ in range(REPETITIONS):
        begin = time.process_time()
        sol = nsmb.simulate(system, 5.0, method=method, output_step=0.0)
        ours.append(time.process_time() - begin)
        begin = time.process_time()
        end, count = by_hand.run(start, 5.0)
        theirs.append(time.process_time() - begin)
    return {
        "name": "clutch_judder, n = 2",
        "nsmb": float(np.median(ours)),
        "scipy": float(np.median(theirs)),
        "events": (len(sol.events), count),
        "differ": float(np.abs(end[2:] - sol.u[-1]).max() / p.omega_0),
    }


def measure() -> dict[str, Any]:
    names = [name for name in MACHINES if name in nsmb.systems.names()]
    return {"machines": [per_second(name) for name in names], "by_hand": [clutch_by_hand()]}


def report(table: dict[str, Any]) -> None:
    print(f"{'':20} {'motion':>9} {'events':>7}   computing per second of motion")
    for row in table["machines"]:
        slow = f"{row['seconds']:.3g} s"
        print(
            f"{row['name']:20} {row['span']:7.3g} s {row['events']:7}   {slow:>10}  {row['status']}"
        )
    for row in table["by_hand"]:
        ratio = row["scipy"] / row["nsmb"]
        print(
            f"{row['name']}: nsmb {1e3 * row['nsmb']:.2g} ms, SciPy's DOP853 with events by hand "
            f"{1e3 * row['scipy']:.3g} ms ({ratio:.0f} times), {row['events'][0]} and "
            f"{row['events'][1]} events, speeds at the end differ by {row['differ']:.1e}"
        )


if __name__ == "__main__":
    report(measure())
