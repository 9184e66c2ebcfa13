"""Numbers and figure of blade_damper.md: ``python docs/systems/blade_damper.py [figure.png]``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb import analysis
from nsmb.systems import blade_damper, blade_damper_blocked

Vector = NDArray[np.float64]

QUICK = nsmb.EventDriven(dense_output=False)
BOTH = ["left", "right"]
GYRATION = 1.2e-6 / 0.05  # m², J_S/m_5
CENTRIFUGAL = 2000.0  # m/s², F_z/m_5
FREQUENCIES = np.array([60.9, 61.1, 61.3, 61.5, 61.7, 61.9, 62.05])  # Hz
ANGLES = (30.0, 40.0, 50.0, 60.0, 70.0)  # degrees
MASSES = (0.0125, 0.025, 0.05, 0.1, 0.2, 0.4)  # kg


def critical(gamma: float, p_2: float) -> float:
    """Return p_1 at the pitchfork, (1 + 3a²/2 + a⁴)/(2 p_2)."""
    a = 1.0 / math.tan(gamma)
    return (1.0 + 1.5 * a**2 + a**4) / (2.0 * p_2)


def rest(system: nsmb.System, q_5: float = 0.0) -> analysis.results.Equilibrium:
    """Return the static equilibrium near an angle of the damper."""
    q = system.initial_state.q.copy()
    q[4] = q_5
    return analysis.static_start(system, BOTH, start=nsmb.State(0.0, q, np.zeros(7)))


def damper(m_5: float, **changes: float) -> nsmb.System:
    """Return the system with another damper mass and the same shape."""
    return blade_damper(m_5=m_5, J_S=GYRATION * m_5, **changes)


def amplitudes(system: nsmb.System, cycles: int = 150) -> Vector:
    """Return amplitudes in the last cycles, shape (7,).

    The run starts from 0.3 of the motion with the damper blocked."""
    assert system.period is not None
    T = system.period
    start = blade_damper_blocked.response(system).state(0.3 * system.parameters["A"])
    run = nsmb.simulate(system, cycles * T, start=start, method=QUICK, output_step=0)
    last = nsmb.State(run.t[-1], run.q[-1], run.u[-1])
    run = nsmb.simulate(system, last.t + 4.0 * T, start=last, output_step=T / 64)
    return 0.5 * np.ptp(run.q, axis=0)


def resonance(m_5: float, gamma: float) -> float:
    """Return the largest blade amplitude over the frequency of opposed gas forces, m."""
    found = []
    for f in FREQUENCIES:
        system = damper(
            m_5, gamma=gamma, F_z=CENTRIFUGAL * m_5, phi_4=math.pi, omega=2.0 * math.pi * f
        )
        found.append(amplitudes(system)[1])
    return float(np.max(found))


def pitchfork(axis: Any) -> None:
    """Reproduce Fig. 13.2."""
    p_2 = blade_damper().parameters["p_2"]
    for i, degrees in enumerate((40.0, 50.0, 60.0)):
        gamma = math.radians(degrees)
        p_c = critical(gamma, p_2)
        span = (0.5 * p_c, 1.6 * p_c)
        symmetric = rest(blade_damper(gamma=gamma, A=0.0, p_1=0.8 * p_c))
        step = 0.15 * p_c
        branch = analysis.continuation(symmetric, "p_1", span, step=step, max_step=step)
        (point,) = branch.of_kind("branch point")
        bent = rest(blade_damper(gamma=gamma, A=0.0, p_1=1.2 * p_c), 0.3)
        print(
            f"pitchfork, gamma = {degrees:.0f}°: p_1 p_2 = {point.value * p_2:.8f}, "
            f"off by {point.value / p_c - 1.0:.1e}; q_5 at 1.2 p_crit = {bent.q[4]:.4f} rad; "
            f"lambda_N/closed form - 1 = "
            f"{2.0 * symmetric.lambda_N[0] * math.sin(gamma) / 100.0 - 1.0:.1e}"
        )
        # without friction the damper is undamped: ignore real parts due to rounding
        falls = branch.measure(lambda e: float(e.eigenvalues.real.max())) > 1.0
        upright = (
            np.where(falls, branch.values, point.value),
            np.where(falls, point.value, branch.values),
        )
        q_5, here = [0.0], 0.05
        ratios = 1.0 + 0.6 * np.linspace(0.0, 1.0, 25)[1:] ** 2
        for ratio in ratios:
            here = rest(blade_damper(gamma=gamma, A=0.0, p_1=ratio * p_c), here + 0.03).q[4]
            q_5.append(here)
        places = np.array([1.0, *ratios]) * p_c * p_2
        for sign in (1.0, -1.0):
            axis.plot(places, sign * np.array(q_5), color=f"C{i}")
        axis.plot(upright[0] * p_2, 0.0 * upright[0], ":", color=f"C{i}")
        axis.plot(upright[1] * p_2, 0.0 * upright[1], color=f"C{i}")
        axis.plot(point.value * p_2, 0.0, "o", color=f"C{i}", ms=5, label=f"γ = {degrees:.0f}°")
    axis.set(
        xlabel="$p_1 p_2$", ylabel="$q_5$ / rad", title="Equilibria without friction (Fig. 13.2)"
    )
    axis.legend(loc="lower right")


def phase_curves(axis: Any) -> None:
    """Reproduce Fig. 13.3."""
    p_c = critical(math.radians(50.0), 0.01)
    for p_1, q_5, label in ((100.0, 0.0, "symmetric"), (1.3 * p_c, 0.33, "nonsymmetric")):
        quiet = rest(blade_damper(p_1=p_1, A=0.0, phi_4=math.pi), q_5)
        system = quiet.system.with_parameters(A=2.5)
        T = system.period
        assert T is not None
        run = nsmb.simulate(system, 80.0 * T, start=quiet.state, method=QUICK, output_step=0)
        last = nsmb.State(run.t[-1], run.q[-1], run.u[-1])
        run = nsmb.simulate(system, last.t + 2.0 * T, start=last, output_step=T / 1500)
        vertical = acceleration_of(system, run)
        sticking = float((run.contact_state == nsmb.ContactState.STICK).all(axis=1).mean())
        axis.plot(1e3 * run.u[:, 6], vertical, lw=0.9, label=label)
        names = {name for event in run.events for name in event.contacts}
        print(
            f"{label} equilibrium: q_5 = {quiet.q[4]:.3f} rad, sliding in {sorted(names)}, "
            f"both stick {100.0 * sticking:.0f} % of the time"
        )
    axis.set(
        xlabel=r"$\dot q_7$ / mm/s", ylabel=r"$\ddot q_7$ / m/s²",
        title="Damper: acceleration over velocity (Fig. 13.3)",
    )  # fmt: skip
    axis.legend(loc="lower left", fontsize="small")


def acceleration_of(system: nsmb.System, run: nsmb.Solution) -> Vector:
    """Return q̈_7 from contact forces, m_5 q̈_7 = F_z + ... of (13.4), (13.5), shape (n,)."""
    found = []
    for t, q, u, normal, friction in zip(
        run.t, run.q, run.u, run.lambda_N, run.lambda_T, strict=True
    ):
        k = system.contact_kinematics(t, q, u)
        push = k["W_N"][6] @ normal + k["W_T"][6] @ friction
        found.append((system.parameters["F_z"] + push) / system.parameters["m_5"])
    return np.array(found)


def first_slip(system: nsmb.System, low: float, high: float) -> float:
    """Return the amplitude above which a run from the blocked motion has an event, N."""
    assert system.period is not None
    response = blade_damper_blocked.response(system)
    for _ in range(14):
        middle = 0.5 * (low + high)
        run = nsmb.simulate(
            system.with_parameters(A=middle), 2.0 * system.period, start=response.state(middle),
            method=QUICK, output_step=0,
        )  # fmt: skip
        low, high = (middle, high) if len(run.events) == 0 else (low, middle)
    return 0.5 * (low + high)


def thresholds(axis: Any) -> None:
    """Reproduce Fig. 13.8."""
    line = np.linspace(50.0, 72.0, 441)
    worst = 0.0
    for i, F_z in enumerate((50.0, 100.0, 150.0)):
        system = blade_damper(F_z=F_z)
        omega = 2.0 * math.pi * line
        forces = [blade_damper_blocked.response(system, float(w)).threshold for w in omega]
        axis.semilogy(line, forces, color=f"C{i}", label=f"$F_z$ = {F_z:.0f} N")
        for f in (51.0, 54.0, 57.0, 60.0, 61.0, 61.5, 62.0, 63.0, 66.0, 70.0):
            one = system.with_parameters(omega=2.0 * math.pi * f)
            exact = blade_damper_blocked.response(one).threshold
            found = first_slip(one, 0.5 * exact, 2.0 * exact)
            worst = max(worst, abs(found / exact - 1.0))
            axis.plot(f, found, ".", color=f"C{i}")
        least = line[int(np.argmin(forces))]
        print(f"threshold, F_z = {F_z:.0f} N: least {min(forces):.3f} N at {least:.2f} Hz")
    print(f"threshold, simulated over that of the blocked model: off by {worst:.1e} at most")
    axis.set(
        xlabel="$f$ / Hz", ylabel="$A$ / N",
        title="Gas force that ends stiction (Fig. 13.8)\nlines: blocked model, dots: simulated",
    )  # fmt: skip
    axis.legend()


def soft_platforms(axis: Any) -> None:
    """Reproduce Fig. 13.5: amplitudes over the damper mass at one frequency, soft platforms."""
    c_2 = blade_damper().parameters["c_2"]
    soft = {"c_1": 3.0 * c_2, "c_3": 3.0 * c_2, "A": 12.0, "F_z": 60.0, "phi_4": 0.5}
    quiet = blade_damper_blocked(**(soft | {"A": 0.0}))
    f = analysis.modes(quiet, np.zeros(3), undamped=True).frequencies[0]
    soft["omega"] = 2.0 * math.pi * f
    masses = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
    dots, lines = [], []
    for m_5 in masses:
        system = damper(m_5, **soft)
        dots.append(amplitudes(system)[[0, 1]])
        lines.append(12.0 * np.abs(blade_damper_blocked.response(system).q[[0, 1]]))
    for k, (name, color) in enumerate((("platform", "C0"), ("blade", "C1"))):
        axis.plot(masses, 1e3 * np.array(lines)[:, k], color=color, label=f"{name}, blocked")
        axis.plot(masses, 1e3 * np.array(dots)[:, k], "o", color=color, ms=4, label=name)
    print(
        f"soft platforms, {f:.2f} Hz, m_5 = {masses[0]} to {masses[-1]} kg: blade "
        f"{1e3 * dots[0][1]:.2f} to {1e3 * dots[-1][1]:.2f} mm, damper blocked "
        f"{1e3 * lines[0][1]:.2f} to {1e3 * lines[-1][1]:.2f} mm"
    )
    axis.set(
        xlabel="$m_5$ / kg", ylabel="amplitude / mm", ylim=(0.0, None),
        title="Soft platforms: mass, not friction (Fig. 13.5)",
    )  # fmt: skip
    axis.legend(loc="lower left", fontsize="small", ncols=2)


def optimum(axis: Any, angles: Sequence[float], masses: Sequence[float]) -> None:
    """Reproduce Fig. 13.6."""
    table = 1e3 * np.array([[resonance(m, math.radians(g)) for m in masses] for g in angles])
    stuck = blade_damper_blocked.response(blade_damper(phi_4=math.pi))
    blocked = 2.5e3 * abs(stuck.q[1])
    i, k = np.unravel_index(int(np.argmin(table)), table.shape)
    print(f"resonance amplitude of a blade, damper blocked: {blocked:.2f} mm; with damper / mm:")
    print("  gamma \\ m_5 " + "".join(f"{m:8g}" for m in masses))
    for g, row in zip(angles, table, strict=True):
        print(f"  {g:8.0f}°   " + "".join(f"{value:8.2f}" for value in row))
    print(f"optimum: {table[i, k]:.2f} mm at gamma = {angles[i]:.0f}°, m_5 = {masses[k]} kg")
    for g, row in zip(angles, table, strict=True):
        axis.plot(masses, row, "o-", ms=3.5, label=f"γ = {g:.0f}°")
    axis.axhline(blocked, color="0.5", ls="--", lw=1.0)
    axis.text(masses[0], 0.96 * blocked, "blocked", va="top", color="0.4")
    axis.set_xscale("log", subs=[])
    axis.set_xticks(masses, [f"{m:g}" for m in masses])
    axis.set(
        xlabel="$m_5$ / kg, with $F_z$ = 2000 m/s² $m_5$", ylabel="amplitude / mm",
        ylim=(0.0, None), title="Blade at resonance (Fig. 13.6)",
    )  # fmt: skip
    axis.legend(fontsize="small")


def starts() -> None:
    """Measure the time saved by the static start."""
    system = blade_damper()
    loose, below = np.zeros(7), system.initial_state.q.copy()
    below[6] -= 1e-3
    loose[6] = below[6]
    places = {"static": system.initial_state.q, "1 mm below": below, "springs loose": loose}
    for name, q in places.items():
        start = nsmb.State(0.0, q, np.zeros(7))
        took = []
        for _ in range(5):
            before = time.process_time()
            run = nsmb.simulate(system, 0.2, start=start, output_step=0)
            took.append(time.process_time() - before)
        hits = run.events.t[run.events.kind == nsmb.EventKind.IMPACT]
        print(
            f"start, {name}: {1e3 * min(took):.0f} ms for 0.2 s, {hits.size} impacts, "
            f"the last at {1e3 * hits.max(initial=0.0):.1f} ms"
        )


def main(path: str) -> None:
    """Print all numbers and draw the figure."""
    starts()
    quiet = blade_damper_blocked(A=0.0)
    print(analysis.modes(quiet, np.zeros(3)))
    figure, axes = plt.subplots(2, 3, figsize=(13.0, 7.6), layout="constrained")
    pitchfork(axes[0, 0])
    phase_curves(axes[0, 1])
    thresholds(axes[0, 2])
    soft_platforms(axes[1, 0])
    optimum(axes[1, 1], ANGLES, MASSES)
    blade_damper().draw(ax=axes[1, 2], title="At rest")
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "blade_damper.png")
