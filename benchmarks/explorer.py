"""The page of `nsmb.explore`: processor time of the kernel for a change of a slider."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nsmb
from benchmarks.harness import benchmark, timed
from tests.explore.pages import BROWSER, chromium, explorer, served

MOVES = 20
PAGE = """\
import os, pathlib, nsmb
pathlib.Path("kernel.pid").write_text(str(os.getpid()))
nsmb.explore(nsmb.systems.woodpecker())
"""


def of_moves(move: Callable[[float], object]) -> float:
    """Measure median times over changes of the woodpecker's friction through its range, s."""
    values = np.linspace(0.3, 0.95, MOVES).tolist()
    return float(np.median([timed(lambda mu=mu: move(mu))[1] for mu in values]))


def in_process() -> float:
    """Measure the run of 2 s, the data of its figures, and the message to the page, s."""
    view = nsmb.explore(nsmb.systems.woodpecker())
    return of_moves(lambda mu: view.set(mu=mu))


def by_matplotlib() -> float:
    """Measure the same run drawn by Matplotlib, a figure over time and one of the scene, s."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    def move(mu: float) -> None:
        sol = nsmb.simulate(nsmb.systems.woodpecker(mu=mu), t_end=2.0)
        portrait = sol.plot_phase("phi_S", "phi_S_dot").figure
        for figure in (sol.plot(), sol.draw(0.0).figure, portrait):
            figure.savefig(io.BytesIO(), format="png")
        pyplot.close("all")

    return of_moves(move)


def in_browser() -> float | None:
    """Measure the kernel of Voilà with headless Chromium, s; None without one."""
    proc = Path("/proc")
    if BROWSER is None or not (proc / "self" / "stat").exists():
        return None

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder, {"toy": PAGE}) as address, chromium() as page:
            explorer(page, address, "toy")
            pid = (folder / "kernel.pid").read_text("utf-8")

            def used() -> float:
                """Return user and system time of all threads with a resolution of 10 ms, s."""
                fields = (proc / pid / "stat").read_text("utf-8").rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) / 100.0

            slider, moves = page.locator("input[data-knob=mu]"), []
            for position in np.linspace(300, 950, MOVES).astype(int).tolist():
                before = used()
                slider.fill(str(position))
                page.wait_for_function("!document.querySelector('.nsmb-busy')")
                moves.append(used() - before)
            return float(np.median(moves))


@benchmark("explorer", "A slider of nsmb.explore is moved: processor time")
def measure() -> dict[str, Any]:
    return {
        "moves": MOVES,
        "kernel_s": in_browser(),
        "process_s": in_process(),
        "matplotlib_s": by_matplotlib(),
    }
