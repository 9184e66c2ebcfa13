"""The page of `nsmb.explore`: processor time of the kernel for a move of a slider."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nsmb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.explore.pages import BROWSER, chromium, explorer, served

MOVES = 20
PAGE = """\
import os, pathlib, nsmb
pathlib.Path("kernel.pid").write_text(str(os.getpid()))
nsmb.explore(nsmb.systems.woodpecker())
"""


def median(values: list[float]) -> float:
    return float(np.median(values))


def seconds_of(move: Callable[[float], object]) -> list[float]:
    """Processor time of moves of the woodpecker's friction through its range."""
    used = []
    for mu in np.linspace(0.3, 0.95, MOVES).tolist():
        before = time.process_time()
        move(mu)
        used.append(time.process_time() - before)
    return used


def in_process() -> float:
    """s: the run of 2 s, its pictures as numbers, and the message to the page."""
    view = nsmb.explore(nsmb.systems.woodpecker())
    return median(seconds_of(lambda mu: view.set(mu=mu)))


def by_matplotlib() -> float:
    """s: the same run drawn by Matplotlib, one figure over time and one of the scene."""
    import io

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    def move(mu: float) -> None:
        sol = nsmb.simulate(nsmb.systems.woodpecker(mu=mu), t_end=2.0)
        portrait = sol.plot_phase("phi_S", "phi_S_dot").figure
        for figure in (sol.plot(), sol.draw(0.0).figure, portrait):
            figure.savefig(io.BytesIO(), format="png")
        pyplot.close("all")

    return median(seconds_of(move))


def in_browser() -> float | None:
    """s: of the kernel of Voilà, slider by slider in headless Chromium; None without one."""
    proc = Path("/proc")
    if BROWSER is None or not (proc / "self" / "stat").exists():
        return None

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder, {"toy": PAGE}) as address, chromium() as page:
            explorer(page, address, "toy")
            pid = (folder / "kernel.pid").read_text("utf-8")

            def used() -> float:
                """s, user and system, of all threads: resolved to 10 ms."""
                fields = (proc / pid / "stat").read_text("utf-8").rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) / 100.0

            slider, moves = page.locator("input[data-knob=mu]"), []
            for position in np.linspace(300, 950, MOVES).astype(int).tolist():
                before = used()
                slider.fill(str(position))
                page.wait_for_function("!document.querySelector('.nsmb-busy')")
                moves.append(used() - before)
            return median(moves)


def measure() -> dict[str, Any]:
    return {
        "moves": MOVES,
        "kernel_s": in_browser(),
        "process_s": in_process(),
        "matplotlib_s": by_matplotlib(),
    }


def report(found: dict[str, Any]) -> None:
    kernel = found["kernel_s"]
    print(f"median of {found['moves']} moves of a slider of the woodpecker, processor time:")
    shown = "no browser" if kernel is None else f"{1e3 * kernel:.0f} ms"
    print(f"  kernel behind a browser    {shown}")
    print(f"  run and message alone      {1e3 * found['process_s']:.0f} ms")
    print(f"  the same by Matplotlib     {1e3 * found['matplotlib_s']:.0f} ms")


if __name__ == "__main__":
    report(measure())
