"""Starts of maps, sweeps and diagrams, and rejected arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import (
    PoincareMap,
    basins,
    bifurcation_diagram,
    every,
    lyapunov_spectrum,
    on_event,
    sweep,
)
from nsmb.analysis.sweeps.starts import carried_over
from nsmb.system.base import State
from nsmb.systems import gear_rattling, gearbox_two_stage
from tests.analysis.rattling import rattling


def test_a_followed_value_starts_at_the_phase_of_the_section() -> None:
    """7.25 periods of 2 s become 0.25 periods of 3 s, for any period of the system."""
    system = rattling()
    state = system.initial_state
    start = carried_over(State(14.5, state.q, state.u, state.x), 2.0, system, 3.0)
    assert start is not None
    assert start.t == pytest.approx(0.75)


def test_sections_with_a_period_by_the_parameter_keep_their_phase() -> None:
    """A start at t = 0 has the first of 7 points after 0.25 periods and ends at 6.25.

    The next value starts at 0.25 of its own periods and ends at 7.25. With phases of the system,
    which has another period, it would start at 1.46 and end at 8.25.
    """

    def period(parameters: object) -> float:
        return 2.0 * math.pi * parameters["alpha"]  # type: ignore[index]

    found = bifurcation_diagram(
        rattling(), "alpha", [0.3, 0.55], section=every(period, 0.25), transient=3, samples=4,
        follow="down",
    )  # fmt: skip
    assert found.success
    np.testing.assert_allclose(
        found.states[:, 0] / (2.0 * math.pi * found.values), [7.25, 6.25], rtol=1e-9
    )


def test_one_sample_tells_no_attractors_apart() -> None:
    with pytest.raises(ValueError, match=r"samples: expected a whole number >= 2, got 1"):
        basins(rattling(), {"s": [-0.5]}, section=on_event("impact"), samples=1)


def test_checkpoints_without_following_do_not_depend_on_the_chunk(tmp_path: Path) -> None:
    def run(chunk: int) -> np.ndarray:
        return bifurcation_diagram(
            rattling(), "alpha", [1.0, 1.2], section=on_event("impact"), follow=None, transient=2,
            samples=3, checkpoint=tmp_path / "diagram.db", chunk=chunk,
        ).points  # fmt: skip

    np.testing.assert_array_equal(run(1), run(2))


def test_a_spectrum_without_points_keeps_its_start() -> None:
    system = rattling()
    start = State(0.5, system.initial_state.q + 0.1, system.initial_state.u, system.initial_state.x)
    found = lyapunov_spectrum(
        system, section=on_event("impact"), transient=500, count=10, start=start, t_max=1e-6
    )
    assert not found.success
    np.testing.assert_array_equal(found.state.q, start.q)


def test_values_that_cannot_be_built_are_failed_rows() -> None:
    def build(value: float) -> nsmb.System:
        if value < 1.0:
            raise ArithmeticError("no system below 1")
        return rattling(value)

    found = bifurcation_diagram(build, "alpha", [0.5, 1.5], section=on_event("impact"), samples=3)
    assert found.status == ("failed", "finished")
    with pytest.raises(ArithmeticError):
        bifurcation_diagram(build, "alpha", [0.5, 0.7], section=on_event("impact"), samples=3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lyapunov_spectrum(None), r"system: expected a nsmb\.System, got NoneType"),
        (lambda: basins(None, {"s": [0.0]}), r"system: expected a nsmb\.System"),
        (
            lambda: PoincareMap(rattling(), on_event("impact")).iterate(1, start=3),
            r"start: expected",
        ),
        (lambda: lyapunov_spectrum(rattling(), start=np.zeros(2)), r"start: expected a nsmb"),
        (lambda: diagram(rattling, None), r"parameter: expected the name"),
        (lambda: diagram(rattling(), observe=3), r"observe: expected names"),
        (lambda: diagram(rattling(), checkpoint=3), r"checkpoint: expected a path, got 3"),
        (lambda: diagram(rattling(), start="x"), r"start: expected a nsmb\.State, got str"),
        (lambda: diagram(rattling(), method="x"), r"method: expected a nsmb\.EventDriven"),
        (lambda: sweep(abs, None), r"points: expected a list"),
        (
            lambda: gear_rattling.second_moment(0.5, 0.5, steps=2.5),
            r"steps: expected a whole number",
        ),
        (lambda: gearbox_two_stage.means(0.5, 0.5, i_1=None), r"i_1: expected a number"),  # type: ignore[arg-type]
    ],
)
def test_senseless_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def diagram(system: Any, parameter: Any = "alpha", **options: Any) -> object:
    return bifurcation_diagram(
        system, parameter, [1.0], section=on_event("impact"), samples=2, **options
    )
