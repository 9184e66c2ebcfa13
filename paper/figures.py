"""Figures of the paper, and the numbers that its text quotes: ``python paper/figures.py [folder]``.

Requires `nsmb[analysis]` and runs for half a minute. By default the folder is ``build/paper``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import nsmb
from nsmb import analysis

mpl.use("Agg")

import matplotlib.pyplot as plt

TOLERANCES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
COLORS = {"open": "0.88", "stick": "C3", "slip +": "C0", "slip -": "C1"}
SECTION = analysis.on_event("impact", "beak")


def cycle() -> analysis.results.PeriodicOrbit:
    return analysis.periodic_orbit(nsmb.systems.woodpecker(), section=SECTION)


def period_errors(period: float) -> list[float]:
    """Return the error of the period with Dormand-Prince 8(5,3), against the closed form."""
    return [
        abs(
            analysis.periodic_orbit(
                nsmb.systems.woodpecker(),
                section=SECTION,
                method=nsmb.EventDriven(
                    impact_law="poisson", integrator="dp853", rtol=rtol, atol=1e-2 * rtol
                ),
            ).period
            - period
        )
        for rtol in TOLERANCES
    ]


def draw_cycle(orbit: analysis.results.PeriodicOrbit, errors: list[float], path: Path) -> None:
    run = nsmb.simulate(orbit.system, t_end=orbit.period, q=orbit.q, u=orbit.u)
    figure, (phase, strip, error) = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
    for a, b in zip(run.t[:-1], run.t[1:], strict=True):
        if b == a:  # both sides of an event
            continue
        now = run.at(np.linspace(a, b, 60))
        phase.plot(now.q[:, 2], now.u[:, 2], color="C0", lw=1)
        for row, state in enumerate(run.at((a + b) / 2).contact_state):
            color = COLORS[nsmb.ContactState(state).label]
            strip.broken_barh([(a, b - a)], (row - 0.15, 0.3), color=color, lw=0)
    for row, name in enumerate(run.contact_names):
        times = run.events.of_kind("impact").at_contact(name).t
        strip.plot(times, np.full(len(times), row), "k|", ms=14)
        strip.annotate(name, (0.0, row + 0.25))
    phase.set(xlabel=r"$\varphi_S$ [rad]", ylabel=r"$\dot\varphi_S$ [rad/s]", title="limit cycle")
    strip.plot([], [], "k|", label="impact")
    for label, color in COLORS.items():
        strip.plot([], [], color=color, lw=5, label=label)
    strip.set(xlabel="t [s]", yticks=[], ylim=(-0.5, len(run.contact_names)), title="contacts")
    strip.legend(ncols=5, fontsize=7, loc="upper center", handlelength=0.8, columnspacing=0.8)
    error.loglog(TOLERANCES, errors, "o-", ms=4)
    error.set(xlabel="relative tolerance", ylabel="error of the period [s]", title="Dormand-Prince")
    figure.savefig(path, dpi=200)
    plt.close(figure)


def draw_bifurcations(
    branch: analysis.results.OrbitBranch, cloud: analysis.results.BifurcationDiagram, path: Path
) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
    left.plot(branch.values, branch.multipliers.real.min(axis=1), "o-", ms=3)
    left.axhline(-1.0, color="0.6", lw=0.8)
    for point in branch.special_points:
        left.axvline(point.value, color="C3", lw=0.8, label=point.kind)
    left.set(xlabel=r"$\mu$", ylabel="smallest multiplier", title="cycle of the woodpecker")
    left.legend()
    values = np.repeat(cloud.values, cloud.points.shape[1])
    right.plot(values, cloud.points[:, :, 0].ravel(), ",", color="k")
    right.set(xlabel=r"$\alpha$", ylabel=r"$\dot s$", title="rattling gears")
    figure.savefig(path, dpi=200)
    plt.close(figure)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    orbit = cycle()
    errors = period_errors(orbit.period)
    draw_cycle(orbit, errors, folder / "cycle.png")
    branch = analysis.continuation(orbit, "mu", (0.3, 0.4))
    (doubling,) = branch.special_points
    gears = nsmb.systems.gear_rattling()
    values = np.linspace(1.4, 1.6, 401)
    cloud = analysis.bifurcation_diagram(gears, "alpha", values, follow="up")
    draw_bifurcations(branch, cloud, folder / "bifurcations.png")
    firsts = [values[np.argmax(cloud.periods == n)] for n in (2, 4)]
    print(f"period {orbit.period:.12f} s")
    print(f"fall {-1e3 * orbit.drift[0]:.6f} mm")
    print(f"{doubling.kind} at {doubling.value:.8f}")
    print(f"error {errors[TOLERANCES.index(1e-6)]:.0e} s, {errors[TOLERANCES.index(1e-10)]:.0e} s")
    print("period 2 from {:.4f}, period 4 from {:.4f}".format(*firsts))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/paper"))
