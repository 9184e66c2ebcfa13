"""Numbers and figure of landing_gear.md: ``python landing_gear.py [folder]``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import landing_gear
from nsmb.systems.machines.landing_gear_evaluation import LandingGearForces

Y, Q_11 = 1, 7
NAMES = ("rigid", "elastic")


def landed(**changes: float) -> nsmb.Solution:
    system = landing_gear(**changes)
    return nsmb.simulate(system, system.recommended.t_end)


def landing_report(name: str, sol: nsmb.Solution) -> None:
    """Print the displacement of the mass centre, peaks, and the modes of guides and stops."""
    turn = int(np.argmax(sol.u[:, Y] < 0.0))
    y = 1e3 * (sol.q[:, Y] - sol.q[0, Y])
    print(f"{name}: falls {y[turn]:.0f} mm until {sol.t[turn]:.3f} s, {y.max():.0f} mm until the "
          f"nose is down, {y[-1]:.0f} mm at the end; speed {sol.u[:, Y].max():.2f} m/s at most, at "
          f"{sol.t[np.argmax(sol.u[:, Y])]:.3f} s")  # fmt: skip
    legs = landing_gear.forces(sol)
    for part, leg in legs.items():
        k = int(np.argmax(leg.strut))
        print(f"  {part}: F_1 {1e-3 * leg.strut[k]:.1f} kN at {leg.t[k]:.3f} s, stroke "
              f"{1e3 * leg.stroke.max():.0f} mm, tyre from {leg.t[np.argmax(leg.tyre > 0)]:.3f} s, "
              f"friction up to {1e-3 * np.abs(leg.friction).max():.1f} kN")  # fmt: skip
    span = np.diff(sol.t, append=sol.t[-1])
    blocked = [leg.blocked for leg in legs.values()]
    shares = [1e3 * span[(blocked[0] == m) & (blocked[1] == n)].sum()
              for m in (False, True) for n in (False, True)]  # fmt: skip
    print("  free {:.0f} ms, nose blocked {:.0f} ms, main blocked {:.0f} ms, both {:.0f} ms"
          .format(*shares))  # fmt: skip
    impacts = sol.events.of_kind("impact")
    hard = impacts.Lambda_N[:, :4] > 1.0
    slides = [sol.events.of_kind(kind).at_contact(f"{part}_guide") for part in ("main", "nose")
              for kind in ("stick", "slip", "reversal")]  # fmt: skip
    print(f"  impacts harder than 1 N s at {list(sol.contact_names[:4])}: "
          f"{hard.sum(axis=0).tolist()}; stick, slip, reversal of main and nose guide: "
          f"{[len(found) for found in slides]}")  # fmt: skip
    e = sol.energy
    print(f"  energy: residual {e.relative:.1e}; friction {1e-3 * e.friction_loss[-1]:.2f} kJ, "
          f"stops {1e-3 * e.impact_loss[-1]:.3f} kJ, of {1e-3 * e.kinetic[0]:.0f} kJ")  # fmt: skip


def stage_report(sol: nsmb.Solution) -> None:
    """Print force and slope where the main struts change their stage."""
    for t in sol.events.at_element("main_strut.second").t:
        leg = landing_gear.forces(sol, t + 1e-5 * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))["main"]
        slope = np.diff(leg.gas) / np.diff(leg.stroke)
        before, behind = 1e-6 * slope[0], 1e-6 * slope[-1]
        print(f"stage at {t:.4f} s, stroke {1e3 * leg.stroke[2]:.1f} mm: gas "
              f"{1e-3 * leg.gas[2]:.3f} kN, slope {before:.3f} and {behind:.3f} MN/m")  # fmt: skip


def spin_report(sol: nsmb.Solution) -> None:
    for part, leg in landing_gear.forces(sol).items():
        loaded = leg.tyre > 1e3
        first, rolls = np.argmax(loaded), np.argmax(loaded & (np.abs(leg.slip) < 0.02))
        print(f"{part}: slip {leg.slip[first]:.2f} at {leg.t[first]:.3f} s, rolls at "
              f"{leg.t[rolls]:.3f} s; F_Sp {1e-3 * leg.wheel.max():.1f} kN at most, "
              f"{1e-3 * leg.wheel.min():.1f} kN at least")  # fmt: skip


def mode_report(rigid: nsmb.Solution, elastic: nsmb.Solution) -> None:
    """Print modes with locked struts, and the dominant frequencies of the run."""
    system = elastic.system
    start = system.initial_state
    found = analysis.modes(system, start, u=start.u, undamped=True, frozen=True)
    bends = (np.abs(found.shapes[Q_11:]).max(axis=0) > 0.1) & (found.frequencies > 1.0)
    print("modes with struts shut:", " ".join(f"{f:.2f}" for f in found.frequencies[bends]), "Hz")
    late, early = np.linspace(0.6, 1.0, 2001)[:-1], np.linspace(0.0, 0.5, 2001)[:-1]
    for name in ("strut", "rate"):
        legs = [getattr(landing_gear.forces(sol, late)["main"], name) for sol in (rigid, elastic)]
        first = [getattr(landing_gear.forces(sol, early)["main"], name) for sol in (rigid, elastic)]
        print(f"  main leg, {name}: strongest at {strongest(late, legs[0]):.1f} Hz rigid, "
              f"{strongest(late, legs[1]):.1f} Hz elastic behind the nose's impact; elastic less "
              f"rigid up to 0.5 s {strongest(early, first[1] - first[0]):.1f} Hz")  # fmt: skip


def strongest(t: np.ndarray, signal: np.ndarray) -> float:
    """Return the frequency of the largest spectral line without a cubic trend, Hz."""
    rest = signal - np.polyval(np.polyfit(t, signal, 3), t)
    n = 1 << 16
    size = np.abs(np.fft.rfft(rest * np.hanning(t.size), n))
    return float(np.fft.rfftfreq(n, t[1] - t[0])[np.argmax(size)])


def limit_report() -> None:
    p = dict(landing_gear().parameters)
    t = np.linspace(0.0, 0.04, 61)
    rigid = nsmb.simulate(landing_gear(), t[-1], rtol=1e-10).at(t).q[:, :5]
    for factor in (1e2, 1e3, 1e4):
        stiffness = {f"EI_{i}": factor * p[f"EI_{i}"] for i in (1, 2, 3)}
        sol = nsmb.simulate(landing_gear(elastic=1, zeta=0.2, **stiffness), t[-1], rtol=1e-9)
        print(f"EI x {factor:g}: {np.abs(sol.at(t).q[:, :5] - rigid).max():.2e} m from rigid")


def integrator_report() -> None:
    """Compare impact times with another tolerance and another integrator."""
    for elastic in (0, 1):
        runs = [
            nsmb.simulate(landing_gear(elastic=elastic), 0.5, method=method)
            for method in (
                nsmb.EventDriven(impact_law="newton"),
                nsmb.EventDriven(impact_law="newton", rtol=1e-11),
                nsmb.EventDriven(impact_law="newton", rtol=1e-9, integrator="cvode"),
            )
        ]
        t = np.linspace(0.0, 0.5, 101)
        apart = [np.abs(run.at(t).q[:, :5] - runs[1].at(t).q[:, :5]).max() for run in runs]
        print(f"{NAMES[elastic]}: {[len(run.events) for run in runs]} events; "
              f"{apart[0]:.1e} and {apart[2]:.1e} m from rtol 1e-11")  # fmt: skip


def strut_diagram(ax: plt.Axes, leg: LandingGearForces) -> None:
    """Draw Fig. 14.33: gas, with oil, with friction, until the strut first extends."""
    end = int(np.argmax((leg.t > 0.05) & (leg.rate < 0.0)))
    way = 1e3 * leg.stroke[:end]
    for force, label, colour in (
        (leg.gas, "gas", "C0"),
        (leg.gas + leg.oil, "gas and oil", "C2"),
        (leg.strut, "with friction and stops", "C3"),
    ):
        ax.plot(way, 1e-3 * force[:end], color=colour, lw=1.3, label=label)
    ax.set(xlabel="stroke / mm", ylabel="force of a main strut / kN",
           title="Main strut, first compression")  # fmt: skip
    ax.legend(fontsize=8)


def figure(runs: list[nsmb.Solution], folder: Path) -> None:
    fig, axes = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    for sol, name, style in zip(runs, NAMES, ("-", "--"), strict=True):
        legs = landing_gear.forces(sol)
        axes[0, 0].plot(sol.t, 1e3 * (sol.q[:, Y] - sol.q[0, Y]), "C0" + style, label=name)
        for part, colour in (("main", "C0"), ("nose", "C1")):
            leg = legs[part]
            about = {"lw": 1.0, "label": f"{part}, {name}"}
            axes[0, 1].plot(leg.t, 1e-3 * leg.strut, colour + style, **about)
            axes[1, 0].plot(leg.t, leg.rate, colour + style, **about)
    pitch = axes[0, 0].twinx()
    pitch.plot(runs[0].t, np.degrees(runs[0].q[:, 2]), color="0.6", lw=1)
    pitch.set_ylabel("pitch, rigid / degrees", color="0.4")
    axes[0, 0].set(xlabel="t / s", ylabel="mass centre, downwards / mm", title="Fall")
    axes[0, 1].set(xlabel="t / s", ylabel="F_1 / kN", title="Struts: a main leg, the nose leg")
    axes[1, 0].set(xlabel="t / s", ylabel="stroke velocity / m/s", title="Stops and stick-slip")
    for ax in (axes[0, 0], axes[0, 1], axes[1, 0]):
        ax.legend(fontsize=8)
    strut_diagram(axes[1, 1], landing_gear.forces(runs[0])["main"])
    fig.savefig(folder / "landing_gear.png", dpi=90)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    both = [landed(elastic=elastic) for elastic in (0, 1)]
    for label, run in zip(NAMES, both, strict=True):
        landing_report(label, run)
    stage_report(both[0])
    spin_report(both[0])
    mode_report(*both)
    limit_report()
    integrator_report()
    mass = landing_gear.airframe(both[0].system).M[0, 0]
    print(f"airplane {mass:.0f} kg; {both[0].stats['steps']} and {both[1].stats['steps']} steps")
    figure(both, target)
