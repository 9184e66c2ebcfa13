"""Numbers and figure of ring_in_hole.md: ``python ring_in_hole.py [folder]``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import ring_in_hole

OFFSETS = (0.0, 0.5e-3, 1e-3, 2e-3)  # m
END = 1.2  # s


def single() -> nsmb.System:
    """Build the system with the ring of the experiment."""
    return ring_in_hole(rings=1, r=10.2e-3, r_0=1.5e-3)


def loads() -> None:
    p = single().parameters
    inside = ring_in_hole.load(single(), 10e-3)[2]
    peak = ring_in_hole.load(single(), np.linspace(0.0, 10e-3, 5001))[:, 2].max()
    print(f"ring of the experiment: squeezed by {1e3 * (p['r'] + 2 * p['r_0'] - p['R']):.2f} mm, "
          f"{inside:.3f} N in the hole, {peak:.3f} N on the rounding")  # fmt: skip
    depths = np.linspace(0.0, 16.9e-3, 5001)
    for offset in OFFSETS:
        F = ring_in_hole.load(ring_in_hole(), depths, offset)
        print(f"two rings, Δr {1e3 * offset:.1f} mm: peak {F[:, 2].max():.1f} N at "
              f"{1e3 * depths[F[:, 2].argmax()]:.2f} mm, both in the hole {F[-1, 2]:.1f} N, "
              f"across {-F[-1, 0]:.1f} N")  # fmt: skip


def robot_report(sol: nsmb.Solution, seconds: float) -> None:
    p = sol.system.parameters
    t = np.linspace(0.0, END, 12001)
    e, F = ring_in_hole.deviation(sol, t), ring_in_hole.force(sol, t)[:, 2]
    worst, peak = np.abs(e[:, 2]).argmax(), F.argmax()

    def second(k: int) -> float:
        """Return the depth of the second ring, mm."""
        share = min(t[k] / p["duration"], 1.0)
        path = p["path"] * share**3 * (10 - 15 * share + 6 * share**2)
        return 1e3 * (path - e[k, 2] - p["above"] - p["distance"])

    print(f"error in z: {1e3 * e[worst, 2]:+.2f} mm at {t[worst]:.3f} s, second ring "
          f"{second(worst):.2f} mm deep, force {F[worst]:.1f} N")  # fmt: skip
    print(f"force: {F[peak]:.1f} N at {t[peak]:.3f} s, second ring {second(peak):.2f} mm deep")
    switches = sol.events.of_kind("switch")
    for k in (1, 2):
        out = float(switches.at_element(f"ring_{k}.inside").t[-1])
        jump = ring_in_hole.force(sol, [out - 1e-7])[0, 2]
        print(f"ring {k} leaves the hole at {out:.3f} s, {jump:.1f} N before")
    late = t[np.flatnonzero(np.abs(e[:, 2] - e[-1, 2]) > 1e-4)[-1]]
    print(f"after the rings: least {1e3 * e[:, 2].min():+.2f} mm at {t[e[:, 2].argmin()]:.3f} s, "
          f"within 0.1 mm of the end from {late:.3f} s; end {1e3 * e[-1, 2]:+.2f} mm")  # fmt: skip
    print(f"across: {1e3 * np.hypot(e[:, 0], e[:, 1]).max():.2f} mm at most")
    print(f"energy: residual {sol.energy.relative:.1e}; {seconds:.2f} s of computing, "
          f"{len(sol.events)} events")  # fmt: skip


def figure(sol: nsmb.Solution, folder: Path) -> None:
    fig, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    depths = np.linspace(-2e-3, 30e-3, 1601)
    for ax, title in ((axes[0, 0], "The ring of the experiment"), (axes[0, 1], "Two rings")):
        ax.set(xlabel="depth of the leading ring / mm", ylabel="mating force / N", title=title)
    axes[0, 0].plot(1e3 * depths, ring_in_hole.load(single(), depths)[:, 2])
    for offset in OFFSETS:
        F = ring_in_hole.load(ring_in_hole(), depths, offset)[:, 2]
        axes[0, 1].plot(1e3 * depths, F, label=f"Δr = {1e3 * offset:g} mm")
    axes[0, 1].legend(fontsize=8)
    t = np.linspace(0.0, END, 4001)
    e, F = ring_in_hole.deviation(sol, t), ring_in_hole.force(sol, t)
    for k, name in ((2, "z"), (0, "x"), (1, "y")):
        axes[1, 0].plot(t, 1e3 * e[:, k], label=name)
    axes[1, 0].set(xlabel="t / s", ylabel="gripper from its path / mm", title="Robot")
    axes[1, 0].legend(fontsize=8)
    p = sol.system.parameters
    share = np.clip(t / p["duration"], 0.0, 1.0)
    path = p["path"] * share**3 * (10 - 15 * share + 6 * share**2) - p["above"]
    axes[1, 1].plot(t, F[:, 2], label="robot")
    ideal = ring_in_hole.load(sol.system, path)[:, 2]
    axes[1, 1].plot(t, np.where(t < p["duration"], ideal, np.nan), "--", label="on the path")
    axes[1, 1].set(xlabel="t / s", ylabel="mating force / N", title="Robot")
    axes[1, 1].legend(fontsize=8)
    fig.savefig(folder / "ring_in_hole.png", dpi=90)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    loads()
    begun = time.process_time()
    run = nsmb.simulate(ring_in_hole(), END)
    robot_report(run, time.process_time() - begun)
    print("notch of 60 degrees beside an error of 1 mm:")
    for at, side in ((0.0, "towards the error"), (np.pi, "away from it")):
        notched = ring_in_hole(notch=np.pi / 6, notch_at=at)
        print(f"  {side}: {ring_in_hole.load(notched, 16.9e-3, 1e-3)}")
    figure(run, target)
