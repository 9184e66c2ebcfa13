"""Numbers and figure of clutch_judder.md: ``python clutch_judder.py [folder]``."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from scipy import fft, integrate

import nsmb
from nsmb import analysis
from nsmb.systems import clutch_judder

LONG_SLIP = nsmb.systems.clutch_judder.parameter_sets["long_slip"]
END = 5.0  # s
T = np.arange(0.0, END, 2.5e-3)
"""Times at which the acceleration is taken, s."""
BAND = (2.5, 25.0)  # Hz
CHANGE = 0.1
"""Relative change of every datum, up and down."""
PHASES = 2.0 * math.pi * np.arange(6) / 6.0
"""Phases of the axial vibration, because the phase in which the clutch sticks is random."""
CHARACTERISTIC = ("T_ST - T_SL", "k_r")
SECOND = ("s_Mot", "s_CL", "s_CA_1", "s_CA_2", "T_ST")
OTHERS = (
    "i_D", "i_G", "m_car", "r", "k_s", "k_out", "v_min", "I_crank", "I_flywheel", "I_disc",
    "I_input", "I_output", "I_pinion", "I_axle", "I_wheels", "c_crank", "c_disc", "c_gear",
    "c_shaft", "c_pinion", "c_half", "beta", "s_GR", "s_in_3", "s_in_6", "k_in", "omega_A",
)  # fmt: skip
OPERATION = ("b_0", "t_C", "omega_0", "v_0")


def acceleration(sol: nsmb.Solution) -> np.ndarray:
    """Return the acceleration of the car at the times T."""
    return clutch_judder.acceleration(sol, T)


def judder(values: np.ndarray) -> np.ndarray:
    """Return the analytic signal within the band; its modulus is the envelope."""
    f = fft.fftfreq(T.size, T[1])
    return fft.ifft(np.where((f >= BAND[0]) & (f <= BAND[1]), 2.0 * fft.fft(values), 0.0))


def area(envelope: np.ndarray, end: float = END) -> float:
    """Return the area between both envelopes until `end`, m/s."""
    inside = end >= T
    return 2.0 * integrate.trapezoid(envelope[inside], T[inside])


def areas(**changes: float) -> np.ndarray:
    """Return areas between the envelopes until the clutch first sticks, and in total.

    The areas, shape (2,), in m/s, are means over phases."""
    found = []
    for phase in PHASES:
        sol = nsmb.simulate(clutch_judder(phi_CA_1=float(phase), **changes), END)
        envelope = np.abs(judder(acceleration(sol)))
        took = sol.events.of_kind("stick").t
        found.append((area(envelope, float(took[0]) if took.size else END), area(envelope)))
    return np.mean(found, axis=0)


def start_report(sol: nsmb.Solution) -> None:
    """Print reversals, frequencies and decay of a start of the car."""
    print(sol.events.to_text())
    turns = clutch_judder.reversals(sol)
    print("reversals at", np.round(turns, 3), "s")
    z = judder(acceleration(sol))
    envelope, phase = np.abs(z), np.unwrap(np.angle(z))
    first = float(sol.events.t[0])
    for name, inside in (
        ("sliding", (T > 0.2) & (first - 0.05 > T)),
        ("sticking", (sol.events.t[-1] + 0.1 < T) & (T < 2.5)),
    ):
        f = np.polyfit(T[inside], phase[inside], 1)[0] / (2.0 * math.pi)
        print(f"{name}: mean frequency {f:.2f} Hz")
    peak = envelope.max()
    left = {
        t: round(float(envelope[np.argmin(np.abs(T - t))] / peak), 3) for t in (2.0, 3.0, 3.5, 4.0)
    }
    print(f"envelope: up to {peak:.2f} m/s²; of that {left}")
    print(f"area: {area(envelope):.3f} m/s")
    energy = sol.energy
    print(f"friction took {energy.friction_loss[-1]:.0f} J, residual {energy.relative:.1e}")


def growth(slip: float, speed: float, closing: float) -> tuple[float, float]:
    """Return the real part of the judder eigenvalue, and the growth rate of a run, 1/s."""
    frozen = clutch_judder.frozen(clutch_judder(), slip, speed, closing)
    found, start = analysis.modes(frozen, frozen.initial_state), frozen.initial_state
    place = np.flatnonzero(found.eigenvalues.imag > 1.0)[0]
    value, vector = complex(found.eigenvalues[place]), found.vectors[:, place].real
    size, n = 0.02 / np.abs(found.vectors[frozen.nq :, place]).max(), frozen.nq
    period = 2.0 * math.pi / value.imag
    sol = nsmb.simulate(
        frozen, 5.0 * period, q=start.q + size * vector[:n], u=start.u + size * vector[n:],
        method=nsmb.EventDriven(rtol=1e-12),
    )  # fmt: skip
    t = np.linspace(0.0, period, 200)
    disc = clutch_judder.train(frozen).disc
    turns = [sol.at(t + 4.0 * k * period).u[:, disc + 1 : disc + 4].sum(axis=1) for k in (0, 1)]
    first, last = (turn - turn.mean() for turn in turns)
    grown = math.sqrt(float((last @ last) / (first @ first)))
    return value.real, math.log(grown) / (4.0 * period)


def growth_report(ax: Any) -> None:
    """Compare eigenvalues over the slip velocity with runs."""
    slips = np.linspace(4.0, 110.0, 60)
    worst = 0.0
    for i, speed in enumerate((1.0, 2.0, 4.0)):
        rates = []
        for slip in slips:
            frozen = clutch_judder.frozen(clutch_judder(), float(slip), speed, 0.4)
            values = analysis.modes(frozen, frozen.initial_state).eigenvalues
            rates.append(float(values[values.imag > 1.0][0].real))
        ax.plot(slips, rates, f"C{i}", label=f"{speed:.0f} m/s")
        for slip in (8.0, 25.0, 45.0, 100.0):
            exact, measured = growth(slip, speed, 0.4)
            print(
                f"growth at {slip:.0f} rad/s, {speed:.0f} m/s: {exact:.4f}, run {measured:.4f} 1/s"
            )
            worst = max(worst, abs(measured / exact - 1.0))
            ax.plot(slip, measured, f"C{i}o", ms=4)
    print(f"growth, simulated over eigenvalue: off by {worst:.1e} at most")
    ax.axhline(0.0, color="0.6", lw=0.8)
    ax.set(xlabel="slip / rad/s", ylabel="growth / 1/s",
           title="Frozen, closing force 0.4\nlines: eigenvalues, dots: runs")  # fmt: skip
    ax.legend(fontsize=8)


def sensitivities(names: tuple[str, ...], **base: float) -> dict[str, np.ndarray]:
    """Return elasticities of both areas for each datum, the largest first."""
    p = dict(clutch_judder(**base).parameters)
    found = {}
    for name in names:
        sides = []
        for s in (-CHANGE, CHANGE):
            if name == "T_ST - T_SL":
                changes = {"T_SL": p["T_ST"] - (1.0 + s) * (p["T_ST"] - p["T_SL"])}
            elif name == "T_ST":
                changes = {key: p[key] + s * p["T_ST"] for key in ("T_ST", "T_SL")}
            else:
                changes = {name: p[name] * (1.0 + s)}
            sides.append(np.log(areas(**{**base, **changes})))
        found[name] = (sides[1] - sides[0]) / (2.0 * CHANGE)
    ranked = dict(sorted(found.items(), key=lambda item: -abs(item[1][0])))
    print("elasticity of the area until the clutch sticks, and of the whole")
    for name, value in ranked.items():
        print(f"  {name:12} {value[0]:+.2f}  {value[1]:+.2f}")
    return ranked


def chains_report() -> None:
    """Compare all numbers of masses."""
    for n in range(2, 10):
        system = clutch_judder(n=n)
        train = clutch_judder.train(system)
        sol = nsmb.simulate(system, END)
        stuck = f"{train.stuck.frequencies()[1]:.3f}" if n > 2 else "-"
        print(f"n = {n}: sliding {train.driven.frequencies()[1]:.6f} Hz, sticking {stuck} Hz, area "
              f"{area(np.abs(judder(acceleration(sol)))):.3f} m/s, reversals "
              f"{np.round(clutch_judder.reversals(sol), 3)}")  # fmt: skip


def draw_start(axes: Any, sol: nsmb.Solution) -> None:
    """Reproduce Fig. 13.12."""
    p, t = sol.system.parameters, np.arange(0.0, END, 2e-3)
    at, disc = sol.at(t), clutch_judder.train(sol.system).disc
    axes[0].plot(t, at.u[:, disc], lw=1)
    axes[0].set(xlabel="t / s", ylabel="rad/s", title=r"Slip $\omega_r$", ylim=(-40.0, 15.0))
    inset = axes[0].inset_axes((0.45, 0.12, 0.52, 0.5))
    turns = clutch_judder.reversals(sol)
    near = (t > turns[0] - 0.05) & (t < turns[-1] + 0.1)
    fine = np.linspace(t[near][0], t[near][-1], 4001)
    inset.plot(fine, sol.at(fine).u[:, disc], lw=1)
    inset.axhline(0.0, color="0.6", lw=0.6)
    inset.set(ylim=(-8.0, 8.0))
    axes[1].plot(t, at.lambda_T[:, 0] * p["r_m"], lw=0.8)
    axes[1].set(xlabel="t / s", ylabel="N m", title="Torque of the clutch")
    values = acceleration(sol)
    z = judder(values)
    envelope, slow = np.abs(z), values - z.real
    axes[2].fill_between(T, slow - envelope, slow + envelope, color="#A6CEE8", lw=0)
    axes[2].plot(T, values, lw=0.8)
    axes[2].set(xlabel="t / s", ylabel="m/s²", title="Acceleration of the car, and the area")
    frequency = np.gradient(np.unwrap(np.angle(z)), T) / (2.0 * math.pi)
    seen = envelope > 0.03 * envelope.max()
    axes[3].plot(T[seen], frequency[seen], ".", ms=2)
    train = clutch_judder.train(sol.system)
    for chain, name in ((train.driven, "sliding"), (train.stuck, "sticking")):
        f = chain.frequencies()[1]
        axes[3].axhline(f, color="0.6", lw=0.8)
        axes[3].text(4.9, f + 0.15, name, ha="right", fontsize=8)
    axes[3].set(xlabel="t / s", ylabel="Hz", ylim=(2.0, 14.0), xlim=(0.0, END),
                title="Frequency of the acceleration")  # fmt: skip


def draw_sensitivities(ax: Any, ranked: dict[str, np.ndarray], count: int = 18) -> None:
    names = list(ranked)[:count][::-1]
    colours = ["C3" if k in (*CHARACTERISTIC, "i_D") else "C1" if k in SECOND else
               "0.75" if k in OPERATION else "C0" for k in names]  # fmt: skip
    ax.barh(names, [ranked[k][0] for k in names], color=colours)
    ax.plot([ranked[k][1] for k in names], names, "kx", ms=4)
    ax.tick_params(axis="y", labelsize=7)
    ax.set_title("Elasticity of the area until it sticks, x: of the whole\n"
                 "red: the book's first, orange: its second", fontsize=9)  # fmt: skip


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    run = nsmb.simulate(clutch_judder(), END)
    start_report(run)
    chains_report()
    fig, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
    draw_start(axes.ravel()[:4], run)
    growth_report(axes[1, 1])
    names = (*CHARACTERISTIC, *SECOND, *OTHERS, *OPERATION)
    draw_sensitivities(axes[1, 2], sensitivities(names))
    print("long_slip:", dict(LONG_SLIP), "areas", np.round(areas(**LONG_SLIP), 2))
    sensitivities((*CHARACTERISTIC, "i_D"), **LONG_SLIP)
    fig.savefig(folder / "clutch_judder.png", dpi=90)
