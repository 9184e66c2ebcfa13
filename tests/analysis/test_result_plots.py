"""Results draw themselves."""

from __future__ import annotations

import numpy as np
import pytest

from nsmb import systems
from nsmb.analysis import (
    PoincareMap,
    basins,
    bifurcation_diagram,
    on_event,
    periodic_orbit,
)
from tests.analysis.rattling import rattling

pyplot = pytest.importorskip("matplotlib.pyplot")


def drawn(axes: object) -> int:
    """Return the number of points in all lines of the axes."""
    return sum(len(line.get_xdata()) for line in axes.lines)  # type: ignore[attr-defined]


def test_points_diagrams_and_basins_draw_what_they_hold() -> None:
    points = PoincareMap(rattling(3.0), on_event("impact")).iterate(200)
    assert drawn(points.plot("s", "s_dot")) >= 200
    diagram = bifurcation_diagram(
        rattling(), "alpha", [0.5, 1.0, 1.5], section=on_event("impact"), samples=20, follow="both"
    )
    assert drawn(diagram.plot()) >= 120
    assert drawn(diagram.plot("s_dot")) >= 120
    found = basins(
        rattling(1.481),
        {"s": [-0.7, -0.3], "s_dot": np.linspace(-1, 1, 3)},
        section=on_event("impact"),
    )
    axes = found.plot()
    assert axes.collections[0].get_array().size == 6
    pyplot.close("all")


def test_one_period_of_an_orbit_is_drawn_and_counted_as_a_motion() -> None:
    orbit = periodic_orbit(systems.impact_oscillator(F=0.6), section=on_event("impact", "stop"))
    assert drawn(orbit.plot(*orbit.names[:2])) > 100
    orbit.solution.plot_contact_states()
    assert orbit.solution.events.count()["impact"] >= 1
    pyplot.close("all")
