"""Two machines of the book in hand-written programs for SciPy's `solve_ivp`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import nsmb
from benchmarks.harness import alternate

Vector = NDArray[np.float64]

REPETITIONS = 3
RTOL = 1e-8  # of both programs, when motions are compared
LONGEST = 1e-3  # s; with longer steps solve_ivp misses flanks that are reached and left in one step


class ClutchByHand:
    """(13.8)-(13.20) of two masses, hand-written for `solve_ivp`.

    Slip phases hold the sign of the slip; stick phases monitor the torque of the clutch."""

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
        """Return the torques on both masses without the clutch."""
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
        """Return the final state and the switches."""
        t, count = 0.0, 0
        sign = math.copysign(1.0, y[2] - self.p.omega_0)
        while t < t_end:
            slides = sign != 0.0
            y = np.array(y, dtype=float)
            if slides:
                sol = solve_ivp(
                    lambda t, y, s=sign: self.rates(y, -s * self.bound(t, y)),
                    (t, t_end), y, method="DOP853", rtol=RTOL, atol=1e-10,
                    events=ending(lambda t, y: y[2] - self.p.omega_0, -sign),
                )  # fmt: skip
            else:
                sol = solve_ivp(
                    lambda t, y: [y[2], y[3], 0.0, self.other(y)[1] / self.I_2],
                    (t, t_end), y, method="DOP853", rtol=RTOL, atol=1e-10,
                    events=ending(lambda t, y: self.bound(t, y) - abs(self.other(y)[0]), -1.0),
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


class GearboxByHand:
    """(12.1), (12.2) and (12.8) of loose wheels, hand-written for `solve_ivp`.

    Each flank is a terminal event, with the impact between two calls. Wheels do not stay on flanks.
    """

    def __init__(self, train: Any) -> None:
        self.train = train
        self.backlash = np.array([wheel.v for wheel in train.wheels])
        self.Minv_W = train.W / train.I[:, None]
        self.mass = 1.0 / np.einsum("ij,ij->j", train.W, self.Minv_W)
        self.B, self.c = train.D / train.I, train.T_r / train.I
        self.size, self.omega = train.drive.r * train.drive.A, train.drive.omega

    def rates(self, t: float, y: Vector) -> Vector:
        f = y.size // 2
        return np.concatenate([y[f:], -self.B * y[f:] - self.c])

    def play(self, j: int) -> Callable[[float, Vector], float]:
        w, v = self.train.W[:, j], float(self.train.v[j])
        f = w.size
        return lambda t, y: float(w @ y[:f]) + v * self.size * math.sin(self.omega * t)

    def run(self, y: Vector, t_end: float) -> tuple[Vector, int]:
        """Return the final state and the impacts."""
        f = y.size // 2
        flanks = []
        for j in range(f):
            play, room = self.play(j), float(self.backlash[j])
            flanks.append(ending(play, +1.0))
            flanks.append(ending(lambda t, y, s=play, v=room: s(t, y) + v, -1.0))
        t, count = 0.0, 0
        while t < t_end:
            sol = solve_ivp(
                self.rates, (t, t_end), y, method="DOP853", rtol=RTOL, atol=1e-12,
                max_step=LONGEST, events=flanks,
            )  # fmt: skip
            t, y = float(sol.t[-1]), sol.y[:, -1].copy()
            for k, times in enumerate(sol.t_events):
                if times.size:
                    j = k // 2
                    e_dot = self.size * self.omega * math.cos(self.omega * t)
                    s_dot = float(self.train.W[:, j] @ y[f:]) + self.train.v[j] * e_dot
                    impulse = -(1.0 + self.train.e[j]) * self.mass[j] * s_dot
                    y[f:] += self.Minv_W[:, j] * impulse  # (12.8)
                    count += 1
        return y, count


def ending(function: Callable[[float, Vector], float], direction: float) -> Any:
    """Return a terminal event of `solve_ivp` at a zero crossing of `function` in this direction."""

    def event(t: float, y: Vector) -> float:
        return function(t, y)

    event.terminal, event.direction = True, direction  # type: ignore[attr-defined]
    return event


def clutch() -> dict[str, Any]:
    """Compare two masses over five seconds."""
    from nsmb.systems.machines.clutch_data import ClutchJudderParameters, drive_train

    system = nsmb.systems.clutch_judder(n=2)
    p = ClutchJudderParameters(**dict(system.parameters))
    chain = drive_train(p).driven
    by_hand = ClutchByHand(p, chain.I, float(chain.c[0]), float(chain.d[0]))
    start = np.concatenate([system.initial_state.q, system.initial_state.u])
    method = nsmb.EventDriven(rtol=RTOL)
    found = _alternate(
        {"dp853": lambda: nsmb.simulate(system, 5.0, method=method, output_step=0.0)},
        lambda: by_hand.run(start, 5.0),
    )
    end, sol = found.pop("end"), found.pop("solution")
    return found | {
        "name": "clutch_judder, n = 2, 5 s",
        "differ": float(np.abs(end[2:] - sol.u[-1]).max() / p.omega_0),
        "of": "speeds at the end, of the engine's",
    }


def gearbox() -> dict[str, Any]:
    """Compare all seven loose wheels in fourth gear over 0.1 s; later, chaos leaves no digits."""
    from nsmb.systems.gears.gearbox import GearboxBranchedParameters

    p = GearboxBranchedParameters(loose="all")
    train, system = p.train(p.A, p.omega, p.omega), nsmb.systems.gearbox_branched(loose="all")
    begin, t_end = system.initial_state, 0.1
    by_hand = GearboxByHand(train)
    start = np.concatenate(train.rotations(0.0, begin.q, begin.u))
    newton = {"impact_law": "newton", "rtol": RTOL}
    methods = {
        "closed form": nsmb.EventDriven(**newton),
        "dp853": nsmb.EventDriven(**newton, integrator="dp853"),
    }
    runs: dict[str, Callable[[], nsmb.Solution]] = {
        name: lambda method=method: nsmb.simulate(system, t_end, method=method, output_step=0.0)
        for name, method in methods.items()
    }
    found = _alternate(runs, lambda: by_hand.run(start, t_end))
    end, sol = found.pop("end"), found.pop("solution")
    plays, _ = train.plays(t_end, end[:7], end[7:])
    return found | {
        "name": "gearbox_branched, all wheels, 0.1 s",
        "differ": float(np.abs(plays - sol.q[-1]).max() / p.v),
        "of": "plays at the end, of the backlash",
    }


def _alternate(
    ours: dict[str, Callable[[], nsmb.Solution]], theirs: Callable[[], tuple[Vector, int]]
) -> dict[str, Any]:
    """Return processor times of alternating runs, and the last solution and final state."""
    last: dict[str, Any] = {}

    def kept(key: str, run: Callable[[], Any]) -> Callable[[], None]:
        return lambda: last.update({key: run()})

    works = {name: kept("solution", run) for name, run in ours.items()}
    times = alternate(works | {"scipy": kept("end", theirs)}, REPETITIONS)
    seconds = {name: min(row) for name, row in times.items()}
    end, count = last["end"]
    return {
        "scipy": seconds.pop("scipy"),
        "nsmb": seconds,
        "events": (len(last["solution"].events), count),
        "end": end,
        "solution": last["solution"],
    }
