"""Checks of ready-made systems over their usual and tenfold duration.

The checks use the dense output and the equations of the system instead of stored results. They
cover gaps between samples, complementarity, the friction cone, the energy where it is known, and
the consistency of the log with the states.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb.system.method import Method
from tests.systems import stepped_runs

Array = NDArray[np.float64]

RTOLS = (1e-6, 1e-8, 1e-11)
SPREAD = 0.1
OPEN, STICK = 0, 1
MOST_TIMES = 3000

ENDS_EARLY = {
    # Painlevé: beyond 45 degrees the sliding rod has no acceleration, as its source states.
    "sliding_rod": {"no_contact_solution"},
    # (8.114): if pushed with tan(phi_0) < mu, the impact has no solution.
    "impact_pendulum": {"no_impact_solution"},
}
"""Statuses by system that are valid results of the model."""

RESOLVED = {"clutch_judder": 0.01, "car_gearbox": 0.0}
"""Largest sample distance in s that resolves the power between samples.

It is limited by engine orders, and by teeth whose forces have kinks at contact.
"""


@dataclass(frozen=True)
class Case:
    """A run of a ready-made system."""

    name: str
    parameters: Mapping[str, float]
    factor: float
    """Duration of the run relative to the usual one."""
    rtol: float
    integrator: str = "auto"

    def system(self) -> nsmb.System:
        return nsmb.systems.build(self.name, **self.parameters)

    def method(self) -> Method:
        """Return the recommended method with unchanged steps."""
        usual = self.system().recommended.method or nsmb.EventDriven()
        if isinstance(usual, nsmb.Midpoint):
            return usual
        return dataclasses.replace(usual, rtol=self.rtol, integrator=self.integrator)

    def script(self) -> str:
        changes = "".join(f", {k}={v!r}" for k, v in self.parameters.items())
        if isinstance(self.method(), nsmb.Midpoint):
            return (
                f"import nsmb\ns = nsmb.systems.build({self.name!r}{changes})\n"
                f"nsmb.simulate(s, {self.factor!r} * s.recommended.t_end)"
            )
        method = f"rtol={self.rtol!r}, integrator={self.integrator!r}"
        return (
            f"import dataclasses, nsmb\n"
            f"s = nsmb.systems.build({self.name!r}{changes})\n"
            f"m = s.recommended.method or nsmb.EventDriven()\n"
            f"m = dataclasses.replace(m, {method})\n"
            f"nsmb.simulate(s, {self.factor!r} * s.recommended.t_end, method=m)"
        )


@dataclass
class Outcome:
    """The outcome of a case."""

    status: str
    message: str = ""
    t: float = 0.0
    events: int = 0
    findings: list[str] = field(default_factory=list)

    def is_wrong(self, name: str) -> bool:
        named = self.status in ENDS_EARLY.get(name, set())
        return bool(self.findings) or not (self.status == "finished" or named)


def is_accepted(name: str, parameters: Mapping[str, float]) -> bool:
    """Return False if a value is out of range or the start penetrates."""
    try:
        system = nsmb.systems.build(name, **parameters)
        nsmb.simulate(system, system.initial_state.t, throw=False)
    except ValueError:
        return False
    return True


def drawn(name: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw parameters within ten per cent of the defaults, which replace rejected values."""
    default = dict(nsmb.systems.build(name).parameters)
    factors = {key: float(rng.uniform(1.0 - SPREAD, 1.0 + SPREAD)) for key in default}
    every = {
        key: factors[key] * value
        for key, value in default.items()
        if not isinstance(value, int) and value != 0.0
    }
    if is_accepted(name, every):
        return every
    chosen: dict[str, float] = {}
    for key, value in every.items():
        if is_accepted(name, {**chosen, key: value}):
            chosen[key] = value
    return chosen


def run(case: Case) -> Outcome:
    """Run the case and check it up to the time it reached."""
    system = case.system()
    usual, method = system.recommended, case.method()
    assert usual.t_end is not None
    in_steps = isinstance(method, nsmb.Midpoint)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            sol = nsmb.simulate(
                system, case.factor * usual.t_end, method=method, output_step=None, throw=False
            )
        except ValueError as error:
            return Outcome("refused", str(error))
    end = float(sol.t[-1]) if sol.t.size else 0.0
    findings: list[str] = []
    if sol.t.size and in_steps:
        findings = stepped_runs.findings(system, sol)
    elif sol.t.size:
        findings = Check(system, sol, method).all()
    findings += [str(w.message) for w in said if w.category is nsmb.EnergyBalanceWarning]
    return Outcome(sol.status, sol.message, end, len(sol.events), findings)


class Check:
    """The findings of a run, one line each."""

    def __init__(self, system: nsmb.System, sol: nsmb.Solution, method: nsmb.EventDriven) -> None:
        self.system, self.sol, self.method = system, sol, method
        self.findings: list[str] = []
        self.unilateral = np.array([c.is_unilateral for c in system.contacts], dtype=bool)
        self.comes_and_goes = sol.features.shape[1] > 0
        # A closed-form flow has rounding errors only. Numerical integration has an error of rtol in
        # every coordinate, multiplied by some hundred over a run, and gaps with it.
        size = np.abs(sol.q).max(axis=0, initial=0.0)
        at = float(sol.t[0]), sol.q[0], sol.u[0]
        W = np.abs(system.contact_kinematics(*at)["W_N"])
        self.length = float((size @ W if W.shape[0] == size.size else size).max(initial=1e-3))
        closed_form = isinstance(system, nsmb.LinearSystem) and method.integrator == "auto"
        self.relative = 1e-12 if closed_form else 100.0 * method.in_force["rtol"]
        self.gap = 1e-9 + self.relative * max(self.length, 1e-3)

    def all(self) -> list[str]:
        if self.system.nc:
            self.gaps()
            self.forces()
        self.log()
        self.energy()
        return self.findings

    def judge(self, what: str, errors: Any, allowed: float, times: Any, names: Any = None) -> None:
        """Add a line for the largest error beyond the allowed one."""
        table = np.asarray(errors, dtype=np.float64)
        if table.size == 0:
            return
        table = table.reshape(len(table), -1)
        worst = np.unravel_index(
            np.nanargmax(np.where(np.isnan(table), -np.inf, table)), table.shape
        )
        if table[worst] > allowed:
            where = f" at {names[worst[1]]}" if names is not None else ""
            t = np.asarray(times)[worst[0]]
            self.findings.append(
                f"{what}{where}: {table[worst]:.3g} > {allowed:.3g}, t = {float(t)!r}, "
                f"{int((table > allowed).any(axis=1).sum())} times"
            )

    def times(self) -> Array:
        """Return times between all or some samples, always including those before events."""
        t = self.sol.t
        left, right = t[:-1], t[1:]
        keep = right > left
        left, right = left[keep], right[keep]
        if left.size > MOST_TIMES:
            rows = np.linspace(0, left.size - 1, MOST_TIMES).astype(int)
            left, right = left[rows], right[rows]
        places = np.array([0.003, 0.5, 0.997])
        return np.unique(left[:, None] + (right - left)[:, None] * places)

    def gaps(self) -> None:
        """Check for penetration, and for gaps of closed contacts, between samples."""
        if self.comes_and_goes:
            self.stored_gaps()
            return
        times = self.times()
        at = self.sol.at(times)
        rows = zip(times.tolist(), at.q, at.u, strict=True)
        g = np.array([self.system.contact_kinematics(*row)["g_N"] for row in rows])
        g, state = g[:, self.unilateral], at.contact_state[:, self.unilateral]
        names = [c.name for c in self.system.contacts if c.is_unilateral]
        self.judge("penetration", -g, self.gap, times, names)
        self.judge(
            "closed at a distance", np.where(state != OPEN, np.abs(g), 0.0), self.gap, times, names
        )

    def stored_gaps(self) -> None:
        """Check gaps at samples, as temporary contact points have slots during a phase only."""
        g, sol = self.sol.g_N, self.sol
        used = (sol.features >= 0).all(axis=2)
        self.judge("penetration", np.where(used, -g, 0.0), self.gap, sol.t, sol.contact_names)

    def forces(self) -> None:
        """Check 0 <= lambda_N, zero force of open contacts, and the friction cone."""
        sol = self.sol
        N, T = sol.lambda_N, sol.lambda_T
        scale = float(np.abs(N).max(initial=0.0)) + 1e-12
        small = 1e-7 * scale
        state = sol.contact_state
        names = sol.contact_names
        self.judge("pulling contact", np.where(self.unilateral, -N, 0.0), small, sol.t, names)
        self.judge(
            "force of an open contact", np.where(state == OPEN, np.abs(N), 0.0), small, sol.t, names
        )
        first = 0
        for i, contact in enumerate(self.system.contacts):
            columns = slice(first, first + contact.tangents)
            first += contact.tangents
            if not contact.is_unilateral or contact.law.aspect != 1.0:
                continue
            size = (
                np.hypot.reduce(T[:, columns], axis=1)
                if contact.tangents > 1
                else np.abs(T[:, columns][:, 0])
            )
            mu = contact.law.mu
            self.judge("friction cone", size - mu * np.maximum(N[:, i], 0.0), small, sol.t)

    def log(self) -> None:
        """Check that states change at events only, and that consecutive events match."""
        events, sol = self.sol.events, self.sol
        self.judge("log runs backwards", -np.diff(events.t), 0.0, events.t[1:])
        if self.comes_and_goes or not len(events):
            return  # slots are reassigned
        state = sol.contact_state[0]
        for row in range(len(events)):
            before, after = events.state_minus[row], events.state_plus[row]
            again = (
                row > 0
                and events.t[row] == events.t[row - 1]
                and np.array_equal(before, events.state_minus[row - 1])
                and np.array_equal(after, events.state_plus[row - 1])
            )
            if not again and events.t[row] > sol.t[0] and not np.array_equal(before, state):
                self.findings.append(f"log: gap between states, t = {float(events.t[row])!r}")
                break
            state = after
        if sol.success and not np.array_equal(state, sol.contact_state[-1]):
            self.findings.append("log: last states")
        impact = events.kind == nsmb.EventKind.IMPACT
        pushed = (np.abs(events.Lambda_N) > 0).any(axis=1) | (np.abs(events.Lambda_T) > 0).any(
            axis=1
        )
        self.judge("impact without impulse", (impact & ~pushed).astype(float), 0.0, events.t)

    def energy(self) -> None:
        """Check the balance of T with forces h, impacts and friction, for contacts at rest.

        The nonconservative power, uᵀh + ½ uᵀṀu + V̇, is integrated by Gauss quadrature between
        samples.
        """
        system, sol = self.system, self.sol
        if system.ne or system.nb or system.nx or sol.t.size < 3 or self.comes_and_goes:
            return
        if np.diff(sol.t).max() > RESOLVED.get(system.name, np.inf):
            return
        if np.isnan(system.potential_energy(float(sol.t[0]), sol.q[0])):
            potential = lambda t, q: 0.0  # noqa: E731
        else:
            potential = system.potential_energy
        rows = range(0, sol.t.size, max(1, sol.t.size // 50))
        for i in rows:
            k = system.contact_kinematics(float(sol.t[i]), sol.q[i], sol.u[i])
            if np.abs(k["w_tilde_N"]).max(initial=0.0) or np.abs(k["w_tilde_T"]).max(initial=0.0):
                return  # moving contacts do work
        left, right = sol.t[:-1], sol.t[1:]
        if left.size > 4 * MOST_TIMES:
            return
        nodes, weights = np.polynomial.legendre.leggauss(4)
        half = 0.5 * (right - left)
        times = (left + half)[:, None] + half[:, None] * nodes
        inner = np.repeat(right > left, nodes.size)
        flat = times.ravel()
        at = sol.at(flat)
        power = np.zeros(flat.size)
        step = 1e-6 * max(float(np.median(half)), 1e-6)
        for i in np.flatnonzero(inner):
            t, q, u = float(flat[i]), at.q[i], at.u[i]
            if q.size != u.size:
                return
            here = u @ system.forces(t, q, u)
            ahead = q + step * u, q - step * u
            M = [system.mass_matrix(t + s * step, p) for s, p in zip((1, -1), ahead, strict=True)]
            V = [potential(t + s * step, p) for s, p in zip((1, -1), ahead, strict=True)]
            here += 0.5 * u @ ((M[0] - M[1]) / (2 * step)) @ u + (V[0] - V[1]) / (2 * step)
            power[i] = here
        done = (power.reshape(times.shape) * weights * half[:, None]).sum(axis=1)
        kinetic = np.array(
            [
                system.kinetic_energy(t, q, u)
                for t, q, u in zip(sol.t.tolist(), sol.q, sol.u, strict=True)
            ]
        )
        V = np.array([potential(t, q) for t, q in zip(sol.t.tolist(), sol.q, strict=True)])
        lost = sol.friction_loss.sum(axis=1) if sol.friction_loss.size else np.zeros(sol.t.size)
        impacts = np.concatenate([[0.0], np.cumsum(sol.events.energy_loss)])
        # Both sides of an event are samples. The last one at its time follows the event.
        at_samples = np.searchsorted(sol.events.t, sol.t, side="left")
        behind = np.searchsorted(sol.events.t, sol.t, side="right")
        last = np.append(sol.t[1:] > sol.t[:-1], True)
        lost_impacts = impacts[np.where(last, behind, at_samples)]
        lost_impacts -= lost_impacts[0]
        middle = np.zeros(sol.t.size, dtype=bool)  # between several impacts at one time
        middle[1:-1] = (sol.t[1:-1] == sol.t[:-2]) & (sol.t[1:-1] == sol.t[2:])
        total = kinetic + V + lost + lost_impacts - np.concatenate([[0.0], np.cumsum(done)])
        size = float(kinetic.max() + np.ptp(V) + np.abs(done).sum()) + 1e-9
        error = np.where(middle, 0.0, np.abs(total - total[0]))
        self.judge("energy balance", error, (1e-6 + 10 * self.relative) * size, sol.t)
