"""Diagrams agree with motions integrated by SciPy's solve_ivp with terminal events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import bifurcation_diagram, every, on_event
from tests.oracles import vibro_impact_scipy as by_hand


def gear(alpha: float) -> by_hand.Oscillator:
    return by_hand.gear_rattling(alpha, e=0.6)


@pytest.mark.parametrize("integrator", ["linear_flow", "dp853"])
@pytest.mark.parametrize(
    ("system", "parameter", "values", "build", "section", "kind", "periods"),
    [
        (
            nsmb.systems.impact_oscillator(),
            "F",
            [0.46, 0.55],
            by_hand.impact_oscillator,
            every(),
            "period",
            [2, 1],
        ),
        (
            nsmb.systems.gear_rattling(e=0.6),
            "alpha",
            [1.7, 1.8],
            gear,
            on_event("impact"),
            "impact",
            [5, 5],
        ),
    ],
    ids=["impact oscillator", "gear rattling"],
)
def test_a_diagram_has_the_points_found_by_hand(
    integrator: str,
    system: nsmb.System,
    parameter: str,
    values: list[float],
    build: Callable[[float], by_hand.Oscillator],
    section: Any,
    kind: str,
    periods: list[int],
) -> None:
    """Equal starts lead to the same attractor. The measured difference is 1.3e-10."""
    diagram = bifurcation_diagram(
        system,
        parameter,
        values,
        section=section,
        observe=[*system.coordinates, f"{system.coordinates[0]}_dot"],
        transient=100,
        samples=20,
        follow=None,
        method=nsmb.EventDriven(
            integrator=integrator, rtol=None if integrator == "linear_flow" else 1e-10
        ),
    )
    assert diagram.success
    assert diagram.periods.tolist() == periods
    theirs = np.array([by_hand.section_points(build(v), kind, 100, 20)[:, 1:] for v in values])
    np.testing.assert_allclose(diagram.points, theirs, atol=3e-9)
