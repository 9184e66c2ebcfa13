"""A notebook shows every figure once, whether a cell returns it or not."""

from __future__ import annotations

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

SET_UP = """
%matplotlib inline
import nsmb
from nsmb import plotting
from nsmb.pictures import plot
sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.6)
"""
SHOWS = [
    "sol.plot()",
    "figure = sol.plot()",
    "plot.overview(sol)",
    "sol.draw(0.1)",
    "sol.plot_phase('y')",
    "sol.plot_contact_states()",
    "plotting.histogram(sol.q[:, 0])",
]


def test_a_cell_shows_its_figure_once() -> None:
    cells = [nbformat.v4.new_code_cell(text) for text in (SET_UP, *SHOWS, "figure")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    pictures = {
        cell.source: sum("image/png" in output.get("data", {}) for output in cell.outputs)
        for cell in notebook.cells[1:]
    }
    assert pictures == dict.fromkeys((*SHOWS, "figure"), 1)
