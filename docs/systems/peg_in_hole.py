"""Numbers and figure of peg_in_hole.md: ``python peg_in_hole.py [folder]``."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.analysis import sweep
from nsmb.systems import peg_in_hole_robot

LIMIT = 5.0  # N
SLOW = 4e-3  # m/s
DEPTH, PATH = 12e-3, 32e-3  # m
ERRORS = np.linspace(-0.9e-3, 0.9e-3, 21)
TILTS = np.linspace(-18e-3, 18e-3, 21)
JAMS = nsmb.EventDriven(impact_law="poisson", on_inconsistent="impact")


def phases(sol: nsmb.Solution) -> list[tuple[float, float, int, bool]]:
    """Return start, end, number of closed contacts, and True if all stick, for each phase."""
    found: list[list[float]] = []
    for t, state in zip(sol.t, sol.contact_state, strict=True):
        closed = state[state != nsmb.ContactState.OPEN]
        sticks = bool(closed.size) and bool((closed == nsmb.ContactState.STICK).all())
        kind = [closed.size, sticks]
        if found and found[-1][2:] == kind:
            found[-1][1] = t
        else:
            found.append([t, t, *kind])
    return [(float(a), float(b), int(n), bool(s)) for a, b, n, s in found]


def jams(sol: nsmb.Solution) -> list[tuple[float, float]]:
    return [(a, b) for a, b, n, sticks in phases(sol) if n == 2 and sticks and b - a > 1e-3]


def insertion_report(sol: nsmb.Solution, seconds: float) -> None:
    force, torque, pose = loads(sol)
    closed = (sol.contact_state != 0).sum(axis=1)
    chamfer = sol.events.of_kind("impact").t[0]
    print(f"chamfer at {chamfer:.4f} s, two points at {sol.t[closed == 2][0]:.4f} s")
    statics = peg_in_hole_robot.statics(sol.system)
    for a, b in jams(sol):
        i, j = np.flatnonzero(sol.t == a)[-1], np.flatnonzero(sol.t == b)[0]
        y, phi = pose[i, 1:]
        print(f"  jam {a:.4f} to {b:.4f} s at y = {1e3 * y:.3f} mm, tilt {1e3 * phi:.3f} mrad: "
              f"insertion {force[i, 0]:.2f} to {force[j, 0]:.2f} N, lateral {force[i, 1]:.2f} to "
              f"{force[j, 1]:.2f} N, torques {np.round(torque[i], 3)} to {np.round(torque[j], 3)} "
              f"N m, cones miss by {statics.reserve(phi):.3f} rad")  # fmt: skip
    print("phases:", [(round(a, 4), round(1e3 * (b - a), 2), n, "stick" if s else "")
                      for a, b, n, s in phases(sol)])  # fmt: skip
    print(f"energy: residual {sol.energy.relative:.1e}; {seconds:.2f} s of computing, "
          f"{len(sol.events)} events")  # fmt: skip


def loads(sol: nsmb.Solution) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return peg_in_hole_robot.force(sol), peg_in_hole_robot.torque(sol), peg_in_hole_robot.pose(sol)


def slow(error: float, tilt: float) -> nsmb.System:
    """Build the system of the tolerance map, with constant friction and a long path."""
    mu = peg_in_hole_robot().parameters["mu"]
    return peg_in_hole_robot(error=error, tilt=tilt, v=SLOW, mu_d=mu, path=PATH)


def peak(point: tuple[float, float]) -> float:
    """Return the force of a run from below the chamfer, N; nan if it cannot start there."""
    system = slow(*point)
    try:
        start = peg_in_hole_robot.inside(system)
    except ValueError:
        return np.nan
    end = start.t + PATH / SLOW
    sol = nsmb.simulate(system, end, start=start, method=JAMS, output_step=0.02, throw=False)
    return peg_in_hole_robot.peak(sol, DEPTH)


def by_statics(point: tuple[float, float]) -> tuple[float, str]:
    """Return the largest static force over the depth (N) and its contacts; inf if it jams."""
    system = slow(*point)
    first = -system.parameters["c"] - 0.5 * system.parameters["d"] * abs(point[1]) - 0.3e-3
    rest = peg_in_hole_robot.statics(system).insertion(np.linspace(first, -DEPTH, 40), *point)
    if "" in rest.contacts:
        return np.inf, "none at rest"
    k = int(rest.force.argmax())
    return float(rest.force[k]), rest.contacts[k]


def boundary(sign: float) -> np.ndarray:
    """Return angular errors (rad) beyond which statics needs more than 5 N, by lateral error."""
    found = []
    for error in ERRORS:
        low, high = 1e-3, 20e-3
        for _ in range(12):
            middle = 0.5 * (low + high)
            force, _ = by_statics((float(error), sign * middle))
            low, high = (middle, high) if force <= LIMIT else (low, middle)
        found.append(sign * low)
    return np.array(found)


def tolerance_map() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return forces of runs, static forces and their contacts, each of shape (tilts, errors)."""
    points = [(e, tilt) for tilt in TILTS for e in ERRORS]
    shape = (TILTS.size, ERRORS.size)
    with ThreadPoolExecutor(2) as threads:
        runs = sweep(peak, points, executor=threads)
    rests = sweep(by_statics, points)
    assert runs.success, runs
    assert rests.success, rests
    force, names = zip(*rests.results, strict=True)
    return (
        np.reshape(np.array(runs.results, dtype=float), shape),
        np.reshape(force, shape),
        np.reshape(names, shape),
    )


def map_report(runs: np.ndarray, rests: np.ndarray, names: np.ndarray) -> None:
    fits, held = runs <= LIMIT, rests <= LIMIT
    apart = fits != held
    print(f"{fits.size} pairs of errors: {fits.sum()} runs and {held.sum()} rests up to {LIMIT} N, "
          f"{apart.sum()} decide differently")  # fmt: skip
    for name in np.unique(names):
        print(f"  {name}: {(names == name).sum()}, permitted {(fits & (names == name)).sum()}")
    for i, k in np.argwhere(apart):
        print(f"  {1e3 * ERRORS[k]:+.3f} mm {1e3 * TILTS[i]:+.2f} mrad: run {runs[i, k]:.2f} N, "
              f"rest {rests[i, k]:.2f} N, {names[i, k]}")  # fmt: skip


def figure(sol: nsmb.Solution, runs: np.ndarray, folder: Path) -> None:
    fig, axes = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    force, torque, pose = loads(sol)
    for ax in (axes[0, 0], axes[0, 1], axes[1, 0]):
        for a, b in jams(sol):
            ax.axvspan(a, b, color="0.85")
        ax.set(xlabel="t / s", xlim=(0.85, sol.t[-1]))
    axes[0, 0].plot(sol.t, force[:, 0], label="insertion")
    axes[0, 0].plot(sol.t, force[:, 1], label="lateral")
    axes[0, 0].set(ylim=(-5, 8), ylabel="force of the hole / N")
    axes[0, 0].set(title="Forces (grey: two points stick)")
    axes[0, 1].plot(sol.t, torque, label=["shoulder", "elbow", "wrist"])
    axes[0, 1].set(ylabel="torque of the control / N m", title="Joints")
    axes[1, 0].plot(sol.t, -1e3 * pose[:, 1], label="depth of the tip / mm")
    axes[1, 0].plot(sol.t, (sol.contact_state != 0).sum(axis=1), label="contacts", lw=0.8)
    axes[1, 0].set(ylim=(-1, None), title="Insertion")
    for ax in (axes[0, 0], axes[0, 1], axes[1, 0]):
        ax.legend(fontsize=8)
    ax = axes[1, 1]
    shown = np.minimum(np.nan_to_num(runs, nan=np.inf), 3.0 * LIMIT)
    image = ax.pcolormesh(1e3 * ERRORS, 1e3 * TILTS, shown, cmap="viridis_r", shading="nearest")
    fig.colorbar(image, ax=ax, label="largest insertion force / N")
    for sign in (1.0, -1.0):
        edge = boundary(sign)
        name = "two points" if sign < 0.0 else "nothing rests in two points"
        print(f"boundary, {name}: {1e3 * edge[0]:.2f} to {1e3 * edge[-1]:.2f} mrad, least "
              f"{1e3 * np.abs(edge).min():.2f} mrad")  # fmt: skip
        ax.plot(1e3 * ERRORS, 1e3 * edge, "r" if sign < 0.0 else "r--", label=name)
    ax.legend(fontsize=8, loc="center left")
    ax.set(xlabel="lateral error / mm", ylabel="angular error / mrad",
           title="Permissible up to 5 N (lines: statics)")  # fmt: skip
    fig.savefig(folder / "peg_in_hole.png", dpi=90)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    begun = time.process_time()
    run = nsmb.simulate(peg_in_hole_robot(), output_step=1e-3)
    insertion_report(run, time.process_time() - begun)
    forces = tolerance_map()
    map_report(*forces)
    figure(run, forces[0], target)
