"""Numbers and figure of hammer_drill.md: ``python hammer_drill.py [folder]``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import trapezoid

import nsmb
from nsmb.systems import hammer_drill

SETTLED, SHOWN = 40, 20  # revolutions of the crank
HARD_STOPS = nsmb.systems.hammer_drill.parameter_sets["hard_stops"]


def settled(**changes: float) -> nsmb.Solution:
    """Return the last revolutions of a longer run."""
    system = hammer_drill(**changes)
    T = system.period
    before = nsmb.simulate(system, SETTLED * T, record="nothing")
    return nsmb.simulate(system, (SETTLED + SHOWN) * T, start=before)


def blow_times(sol: nsmb.Solution) -> np.ndarray:
    """Return the instants of the hardest impact a in every revolution except the last."""
    impacts, T = sol.events.of_kind("impact"), sol.system.period
    found = []
    for k in range(SETTLED, SETTLED + SHOWN - 1):
        rows = np.flatnonzero((impacts.t >= k * T) & (impacts.t < (k + 1) * T))
        found.append(impacts.t[rows[impacts.Lambda_N[rows, 0].argmax()]])
    return np.array(found)


def turn_report(sol: nsmb.Solution) -> None:
    """Print periodicity, strength and order of the impacts."""
    system, T = sol.system, sol.system.period
    p = system.parameters
    q = sol.at((SETTLED + np.arange(SHOWN)) * T).q
    print(f"blows: {1 / T:.2f} Hz, {60 / T:.0f} /min; largest change of q in a "
          f"revolution {np.abs(np.diff(q, axis=0)).max():.1e} m over the last {SHOWN}")  # fmt: skip
    blow = blow_times(sol)[-2]
    rows = sol.events[(sol.events.t >= blow) & (sol.events.t < blow + 0.35 * T)].of_kind("impact")
    before = rows.u_minus[0, 1]
    print(f"primary piston {-before:.2f} m/s, {0.5 * p['m_2'] * before**2:.2f} J")
    for k in np.flatnonzero(rows.Lambda_N.max(axis=1) > 0.1):
        contact = "ab"[int(rows.Lambda_N[k, :2].argmax())]
        v, w = rows.u_minus[k, 1:5], rows.u_plus[k, 1:5]
        print(f"  {1e3 * (rows.t[k] - blow):6.2f} ms {contact} {rows.Lambda_N[k].max():.3f} N s  "
              f"v_2..4 {np.round(v[:3], 2)} -> {np.round(w[:3], 2)} m/s")  # fmt: skip
    few = sol.events[(sol.events.t >= blow) & (sol.events.t < blow + T)].of_kind("impact")
    print(f"impacts in a revolution: a {len(few.at_contact('a'))}, b {len(few.at_contact('b'))}, "
          f"harder than 0.1 N s: {(few.Lambda_N.max(axis=1) > 0.1).sum()}")  # fmt: skip


def material_report(sol: nsmb.Solution) -> None:
    """Print the work done on the material and returned by it."""
    system, T = sol.system, sol.system.period
    blow = blow_times(sol)[-2]
    t = np.linspace(blow, blow + 0.02 * T, 20001)
    at = sol.at(t)
    power = hammer_drill.material(sol, t) * at.u[:, 3]
    out = np.flatnonzero((at.q[1:, 3] >= 0.0) & (at.q[:-1, 3] < 0.0))
    end = out[0] if out.size else t.size - 1
    done = -trapezoid(np.minimum(power[:end], 0.0), t[:end])
    returned = trapezoid(np.maximum(power[:end], 0.0), t[:end])
    m = system.parameters["m_4"]
    u = at.u[:end, 3]
    print(f"material: {done:.4f} J in, {returned:.4f} J back, share {returned / done:.4f}; tool "
          f"{0.5 * m * u.min()**2:.3f} J down, {0.5 * m * u[-1]**2:.3f} J up; "
          f"depth {-1e3 * at.q[:end, 3].min():.3f} mm")  # fmt: skip


def handle_report(name: str, sol: nsmb.Solution) -> None:
    """Print the peaks of ẍ_1 and its content above 250 Hz."""
    T = sol.system.period
    t = SETTLED * T + np.arange(SHOWN * 4000) * T / 4000
    a = hammer_drill.acceleration(sol, t)
    S = np.abs(np.fft.rfft(a)) / t.size
    f = np.fft.rfftfreq(t.size, T / 4000)
    high = np.sqrt(2 * (S[(f > 250) & (f < 5000)] ** 2).sum())
    rms = np.sqrt((a**2).mean())
    print(f"handle, {name}: {a.min():.0f} to {a.max():.0f} m/s², "
          f"above 250 Hz {high:.0f} m/s² rms, at all {rms:.0f} m/s² rms")  # fmt: skip


def guide_report(sol: nsmb.Solution) -> None:
    p = sol.system.parameters
    moves = np.abs(np.cos(p["Omega"] * sol.t)) > 1e-9
    stick = sol.contact_state[:, 5:7] == int(nsmb.ContactState.STICK)
    span = np.diff(sol.t, append=sol.t[-1])
    shares = [100 * span[stick[:, k]].sum() / span.sum() for k in (0, 1)]
    both = stick.all(axis=1) & moves
    print(f"guides 4, 5 stick {shares[0]:.2f} %, {shares[1]:.2f} % of the time, both while the "
          f"piston moves at {both.sum()} of {moves.sum()} samples")  # fmt: skip


def books_report(sol: nsmb.Solution) -> None:
    e = sol.energy
    T = sol.system.period
    t = np.unique(sol.t)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    half = 0.5 * np.diff(t)
    at = ((t[:-1] + half)[:, None] + half[:, None] * nodes).ravel()
    u, p = sol.at(at).u, sol.system.parameters
    rate = u[:, 0] + p["r"] * p["Omega"] * np.cos(p["Omega"] * at) - u[:, 1]
    power = (hammer_drill.air(sol, at) * rate).reshape(-1, 6) * weights * half[:, None]
    print(f"cushion: net work of {SHOWN} revolutions {power.sum():.1e} J "
          f"of {np.abs(power).sum():.0f} J")  # fmt: skip
    per = 1.0 / SHOWN
    print(f"per revolution: motor and dampers {e.work[-1] * per:.2f} J, drive at guide 4 "
          f"{e.drive_work[-1] * per:.2f} J, impacts {e.impact_loss[-1] * per:.2f} J, friction "
          f"{e.friction_loss[-1] * per:.2f} J, stops {e.element_loss[-1] * per:.2f} J; "
          f"residual {e.relative:.1e} of the turnover; {T * SHOWN:.3f} s of motion")  # fmt: skip


def figure(sol: nsmb.Solution, rigid: nsmb.Solution, folder: Path) -> None:
    T = sol.system.period
    first = blow_times(sol)[8]
    fig, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    colours = ("C0", "C1", "C3", "C2", "0.5")
    parts = (
        (1, "primary piston"),
        (2, "secondary piston"),
        (3, "tool"),
        (4, "cylinder"),
        (0, "casing"),
    )
    for ax, t, title in (
        (axes[0, 0], np.linspace(first - 0.5 * T, first + 1.5 * T, 8001), "Two revolutions"),
        (axes[0, 1], np.linspace(first - 0.02 * T, first + 0.22 * T, 8001), "A blow"),
    ):
        q = sol.at(t).q
        for (i, name), colour in zip(parts, colours, strict=True):
            ax.plot(1e3 * (t - first), 1e3 * q[:, i], color=colour, lw=1.3, label=name)
        ax.set(xlabel="t / ms from the blow", ylabel="x / mm", title=title)
    axes[0, 1].set_ylim(-0.8, 2.2)
    axes[0, 0].legend(fontsize=8, loc="upper right")
    ax = axes[1, 0]
    for run, label, style in (
        (sol, "backlash 0.3 mm", {"color": "C0", "lw": 0.9}),
        (rigid, "rigid coupling", {"color": "C1", "lw": 1.4}),
    ):
        start = blow_times(run)[8] - 0.5 * T
        t = np.linspace(start, start + 5 * T, 20001)
        ax.plot((t - start) / T, hammer_drill.acceleration(run, t), label=label, **style)
    ax.set(xlabel="revolutions of the crank", ylabel="acceleration of the handle / m/s²",
           title="Handle; positive: towards the hand", ylim=(-300, 560))  # fmt: skip
    ax.legend(fontsize=8, ncols=2, loc="upper center")
    ax = axes[1, 1]
    t = np.linspace(first, first + T, 40001)
    depth = -1e3 * sol.at(t).q[:, 3]
    ax.plot(depth, 1e-3 * hammer_drill.material(sol, t), color="C3", lw=1)
    ax.set(xlabel="depth of the tool / mm", ylabel="force of the material / kN",
           title="Hysteresis, one revolution", xlim=(-0.3, None))  # fmt: skip
    fig.savefig(folder / "hammer_drill.png", dpi=90)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    run, without = settled(), settled(epsilon=0.0)
    turn_report(run)
    material_report(run)
    handle_report("backlash 0.3 mm", run)
    handle_report("rigid", without)
    handle_report("hard_stops", settled(**HARD_STOPS))
    handle_report("hard_stops, rigid", settled(**{**HARD_STOPS, "epsilon": 0.0}))
    guide_report(run)
    books_report(run)
    figure(run, without, target)
