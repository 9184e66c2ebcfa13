"""Pictures of explore.md: ``python docs/howto/explore.py [folder]``.

Needs Chromium, Playwright and Voilà.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.explore.pages import chromium, explorer, served  # noqa: E402
from tests.explore.test_pages import click_at  # noqa: E402

SYSTEM = """\
import nsmb
nsmb.explore(
    nsmb.systems.woodpecker(), parameters=("mu", "c_phi", "e_beak"), portrait=("phi_S", "phi_S_dot")
)
"""
DIAGRAM = """\
import numpy as np
import nsmb
from nsmb import analysis
gears = nsmb.systems.gear_rattling()
analysis.bifurcation_diagram(gears, "alpha", np.linspace(1.4, 1.6, 201)).explore()
"""


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        cells = {"system": SYSTEM, "diagram": DIAGRAM}
        with served(Path(name), cells) as address, chromium(1240, 800) as page:
            root = explorer(page, address, "system")
            page.locator("input[data-knob=mu]").fill("900")
            page.wait_for_function("!document.querySelector('.nsmb-busy')")
            page.locator(".nsmb-clock").fill("640")
            root.screenshot(path=folder / "explore_system.png")
            root = explorer(page, address, "diagram")
            click_at(page, 0.63)
            page.get_by_text("start a branch here").click()
            page.wait_for_function("!document.querySelector('.nsmb-busy')")
            root.screenshot(path=folder / "explore_diagram.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
