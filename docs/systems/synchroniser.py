"""Numbers and figure of synchroniser.md: ``python synchroniser.py [folder]``."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import synchroniser

SLIPPERY = nsmb.systems.synchroniser.parameter_sets["slippery_exterior_cone"]
PLAYS = 1e-3 * np.array([4.8, 8.0, 11.0, 14.0, 17.0, 20.0, 23.0, 26.0])  # rad, of the coupler link
PINS = np.array([30.0, 45.0, 65.0, 95.0, 140.0, 200.0, 300.0, 430.0, 600.0])  # N, out of the notch
EQUAL = 1.0  # rad/s, premature unlocking leaves more than this
TAIL = 0.3  # s


def safety_report() -> None:
    """Print values of (12.48)."""
    for name, changes in (
        ("default", {}),
        ("outer cone alone", {"mu_IF": 0.0, "mu_IC": 0.0}),
        ("gamma 90 degrees", {"gamma": math.radians(90.0)}),
        ("all mu 0.08", dict.fromkeys(("mu_SA", "mu_AF", "mu_IF", "mu_IC"), 0.08)),
        ("slippery exterior cone", SLIPPERY),
        ("slippery exterior cone alone", {**SLIPPERY, "mu_IF": 0.0, "mu_IC": 0.0}),
    ):
        print(f"safety, {name}: {synchroniser.safety(synchroniser(**changes)):.3f}")


def run_report(sol: nsmb.Solution) -> None:
    """Print the impacts of each contact, and the locking positions."""
    impacts = sol.events.of_kind("impact")
    for name in ("teeth", "teeth_back", "hub_A", "hub_I", "link", "link_back", "drive"):
        t = 1e3 * impacts.at_contact(name).t
        inside = t[(t > 110.0) & (t < 200.0)]
        span = f"{inside[0]:.2f} to {inside[-1]:.2f} ms" if inside.size else "none"
        print(f"{name}: {t.size} impacts; between 110 and 200 ms {inside.size}, {span}")
    for at in synchroniser.positions(sol):
        print(f"position {at.name}: {1e3 * at.begin:.1f} to {1e3 * at.end:.1f} ms")
    unlocked = synchroniser.unlocking(sol)
    assert unlocked is not None
    print(f"unlocked at {1e3 * unlocked[0]:.1f} ms with {unlocked[1]:.2f} rad/s left")
    locked = synchroniser.positions(sol)[0]
    T_R, T_E = synchroniser.torques(sol, np.linspace(locked.begin + 2e-3, locked.end - 2e-3, 50))
    print(f"in position I: T_R {T_R.min():.1f} to {T_R.max():.1f} N m, s at least "
          f"{(T_R / T_E).min():.2f}")  # fmt: skip
    blows = impacts.at_contact("teeth")
    torque = -sol.lambda_T[:, sol.contact_names.index("AF")]
    before = torque[sol.t < blows.t[0]].max()
    during = torque[(sol.t > blows.t[0]) & (sol.t < locked.begin)].max()
    print(f"friction of the outer cone: up to {before:.1f} N m before impacts, then {during:.1f}")
    jump = np.abs(blows.u_plus[:, 5] - blows.u_minus[:, 5]).max()
    print(f"speed of the clutch jumps by {jump:.2e} rad/s at most; {sol.check()}")


def premature() -> np.ndarray:
    """Return the remaining speed when the teeth unlock, shape (pins, plays), rad/s."""
    left = np.zeros((PINS.size, PLAYS.size))
    for i, F_E in enumerate(PINS):
        for k, phi_AI in enumerate(PLAYS):
            system = synchroniser(F_E=float(F_E), phi_AI=float(phi_AI))
            unlocked = synchroniser.unlocking(nsmb.simulate(system, TAIL))
            left[i, k] = np.nan if unlocked is None else unlocked[1]
        print(f"F_E {F_E:.0f} N: speed left", np.round(left[i], 1), flush=True)
    soon = left > EQUAL
    print(f"premature: {soon.sum()} of {soon.size}, s = "
          f"{synchroniser.safety(synchroniser()):.2f} for all of them")  # fmt: skip
    return left


def draw_ways(ax: Any, sol: nsmb.Solution, t: np.ndarray) -> None:
    at = sol.at(t)
    ax.plot(1e3 * t, 1e3 * at.q[:, 0], label="$x_S$ sleeve")
    ax.plot(1e3 * t, 1e3 * at.q[:, 1], label="$x_A$ exterior ring")
    ax.plot(1e3 * t, 0.1 * at.u[:, 5], "C3", label="speed of the clutch, 10 rad/s")
    for position in synchroniser.positions(sol):
        ax.axvspan(1e3 * position.begin, 1e3 * position.end, color="0.92")
        middle = 500.0 * (position.begin + position.end)
        ax.text(middle, 12.0, f"position {position.name}", ha="center", fontsize=9)
    ax.set(xlabel="t / ms", ylabel="mm", title="A shift")
    ax.legend(fontsize=8, loc="upper left")


def draw_impacts(ax: Any, sol: nsmb.Solution, t: np.ndarray) -> None:
    at, p = sol.at(t), sol.system.parameters
    ax.plot(1e3 * t, 1e3 * at.q[:, 2], label=r"$\varphi_A$ exterior ring")
    ax.plot(1e3 * t, 1e3 * at.q[:, 4], label=r"$\varphi_I$ interior ring")
    ax.plot(1e3 * t, 1e3 * (at.q[:, 4] - p["phi_AI"]), "C1:", lw=1, label="other side of the link")
    ax.set(xlabel="t / ms", ylabel="mrad", title="Impacts: hub at 0, teeth pull down")
    ax.legend(fontsize=8, loc="lower right")


def draw_torque(ax: Any, sol: nsmb.Solution) -> None:
    inside = (sol.t > 0.1) & (sol.t < 0.16)
    for name, label in (("AF", "exterior, friction ring"), ("IF", "interior, friction ring")):
        force = sol.lambda_T[inside, sol.contact_names.index(name)]
        ax.plot(1e3 * sol.t[inside], np.abs(force), lw=0.8, label=label)
    ax.set(xlabel="t / ms", ylabel="N m", title="Friction torque of two cones", yscale="symlog")
    ax.legend(fontsize=8)


def draw_region(ax: Any, left: np.ndarray) -> None:
    mesh = ax.pcolormesh(1e3 * PLAYS, PINS, left, cmap="YlOrRd", vmin=0.0, vmax=60.0)
    ax.figure.colorbar(mesh, ax=ax, label="speed left at unlocking / rad/s")
    system = synchroniser().parameters
    ax.plot(1e3 * system["phi_AI"], system["F_E"], "ko", ms=5)
    ax.annotate("default", (1e3 * system["phi_AI"], system["F_E"]), (6, -12), fontsize=8,
                textcoords="offset points")  # fmt: skip
    ax.set(xlabel="play of the link / mrad", ylabel="pins out of the notch / N",
           title="Premature unlocking, all with s = 2.73", yscale="log")  # fmt: skip


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    safety_report()
    run = nsmb.simulate(synchroniser(), 0.25)
    run_report(run)
    print("slippery exterior cone")
    run_report(nsmb.simulate(synchroniser(**SLIPPERY), 0.25))
    fig, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    draw_ways(axes[0, 0], run, np.linspace(0.0, 0.25, 5001))
    draw_impacts(axes[0, 1], run, np.linspace(0.118, 0.150, 16001))
    draw_torque(axes[1, 0], run)
    draw_region(axes[1, 1], premature())
    fig.savefig(folder / "synchroniser.png", dpi=90)
