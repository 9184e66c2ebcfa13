"""Representations of results describe them in a few lines."""

from __future__ import annotations

from nsmb.analysis import (
    PoincareMap,
    basins,
    bifurcation_diagram,
    lyapunov_spectrum,
    on_event,
    sweep,
)
from tests.analysis.rattling import rattling


def test_results_are_a_few_lines_with_names_ranges_and_statuses() -> None:
    system = rattling(1.481)
    points = PoincareMap(system, on_event("impact")).iterate(40)
    results = {
        "40 points": points,
        "s_dot from": bifurcation_diagram(
            rattling(), "alpha", [0.5, 1.0], section=on_event("impact"), samples=20
        ),
        "attractor 0": basins(
            system, {"s": [-0.7], "s_dot": [0.0, 1.0]}, section=on_event("impact"), samples=8
        ),
        "±": lyapunov_spectrum(system, per="impact", count=50),
        "1 finished, 1 failed": sweep(lambda x: 1 / x, [1, 0]),
    }
    for words, result in results.items():
        text = repr(result)
        assert words in text
        assert text.startswith(type(result).__name__)
        assert len(text.splitlines()) <= 8
        assert len(text) < 500
        assert "array" not in text
