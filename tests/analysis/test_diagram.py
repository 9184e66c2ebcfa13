"""Bifurcation diagrams: known cascades, following, failures, files."""

from __future__ import annotations

import dataclasses
import multiprocessing
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import (
    AnalysisInterrupted,
    basins,
    bifurcation_diagram,
    every,
    feigenbaum,
    on_event,
)
from nsmb.analysis.results import BifurcationDiagram, SectionPoints
from nsmb.analysis.sweeps.starts import carried_over
from tests.analysis.rattling import rattling

ALPHA = [1.48, 1.49, 1.50, 1.54, 1.548, 1.553, 1.57]
OPTIONS: dict[str, Any] = {"section": on_event("impact"), "transient": 3000, "samples": 128}


def assert_same(a: BifurcationDiagram, b: BifurcationDiagram) -> None:
    for field in dataclasses.fields(a):
        one, other = getattr(a, field.name), getattr(b, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype, field.name
            assert one.tobytes() == other.tobytes(), field.name
        else:
            assert one == other, field.name


@pytest.fixture(scope="module")
def cascade() -> BifurcationDiagram:
    return bifurcation_diagram(rattling(), "alpha", ALPHA, follow="both", **OPTIONS)


def test_gear_rattling_doubles_its_period(cascade: BifurcationDiagram) -> None:
    """Impacts double 4 -> 8 -> 16 at α = 1.4952 and 1.5458, with chaos after 1.5556 (spec 4.5)."""
    assert cascade.success
    for direction in ("up", "down"):
        branch = cascade.branch(direction)
        assert branch.values.tolist() == ALPHA
        assert branch.periods.tolist() == [4, 4, 8, 8, 16, 16, 0]


def test_four_doublings_and_where_they_accumulate() -> None:
    """They are 1.4952, 1.5458, 1.5535, 1.5552 on a grid of 1e-4, with limit 1.5556 (spec 4.5)."""
    brackets = [[1.4950, 1.4956], [1.5457, 1.5461], [1.5534, 1.5538], [1.5551, 1.5553]]
    values = [1.3, *np.ravel(brackets), 1.558]
    diagram = bifurcation_diagram(
        rattling(), "alpha", values, section=on_event("impact"), transient=8000, samples=256
    )
    assert diagram.periods.tolist() == [4, 4, 8, 8, 16, 16, 32, 32, 64, 0]
    cascade = feigenbaum(np.mean(brackets, axis=1))
    assert cascade.limit == pytest.approx(1.5556, abs=2e-4)
    assert cascade.limit_universal == pytest.approx(1.5556, abs=1e-4)


def test_points_obey_the_impact_law(cascade: BifurcationDiagram) -> None:
    diagram = bifurcation_diagram(rattling(), "alpha", ALPHA[:2], observe=restitution, **OPTIONS)
    assert diagram.names == ("restitution",)
    np.testing.assert_allclose(diagram.points, 0.9, rtol=1e-9)
    assert cascade.names == ("s_dot",)
    assert cascade.points.shape == (14, 128, 1)


def restitution(points: SectionPoints) -> np.ndarray:
    """Return the observed e_N."""
    return np.asarray(-points["s_dot"] / points.y_minus[:, 1])


def duffing_like(omega: float) -> nsmb.System:
    """Return a damped linear oscillator with x → cos(ωt) / (1 - ω²)."""
    return nsmb.LinearSystem(
        [[1.0]],
        [[1.0]],
        [[0.2]],
        force=nsmb.Force(harmonics=[nsmb.Harmonic([1.0], omega)]),
        coordinates=["x"],
        initial_state=nsmb.State(0.0, np.array([3.0]), np.array([0.0])),
        parameters={"omega": omega},
        rebuild=duffing_like,
    )


@pytest.mark.parametrize("follow", ["up", "down", None])
def test_a_resonance_curve_is_that_of_the_textbook(follow: Any) -> None:
    """At phase 0 the stroboscope shows the real part of 1/(1 - ω² + 0.2iω).

    exp(-0.1 t) decays to e^-23 after 60 periods of 2π/1.6.
    """
    omega = np.linspace(0.4, 1.6, 7)
    diagram = bifurcation_diagram(
        duffing_like(1.0), "omega", omega, follow=follow, observe="x", transient=80, samples=4
    )
    assert diagram.direction == ((follow or ""),) * 7
    steady = (1 / (1 - omega**2 + 0.2j * omega)).real
    np.testing.assert_allclose(diagram.points[:, :, 0], np.tile(steady[:, None], 4), atol=1e-9)
    assert diagram.periods.tolist() == [1] * 7


def test_following_keeps_the_phase_of_the_forcing() -> None:
    """A steady state carried over to the next frequency has only a small transient."""
    omega = 1.3 + 1e-6 * np.arange(2)
    diagram = bifurcation_diagram(
        duffing_like, "omega", omega, observe=["x", "x_dot"], transient=80, samples=1
    )
    old, new = (duffing_like(value) for value in omega[:2])
    late = bifurcation_diagram(
        duffing_like,
        "omega",
        omega[1:],
        observe=["x", "x_dot"],
        transient=0,
        samples=1,
        start=carried_over(diagram.state(0), old.period, new, new.period),
    )
    assert np.abs(late.points[0, 0] - diagram.points[1, 0]).max() < 1e-5


def test_coexisting_attractors_are_found_from_different_starts() -> None:
    """Periods 12 and 4 coexist at α = 1.481 (spec 4.5)."""
    found = set()
    for start in np.linspace(-2.0, 2.0, 9):
        state = nsmb.State(0.0, np.array([-0.5]), np.array([start]))
        diagram = bifurcation_diagram(
            rattling(), "alpha", [1.481], start=state, section=on_event("impact"), samples=96,
            transient=2000,
        )  # fmt: skip
        found |= set(diagram.periods.tolist())
    assert {4, 12} <= found


def test_executors_and_chunks_do_not_change_a_bit() -> None:
    run: Any = {"system": rattling(), "parameter": "alpha", "values": np.linspace(0.5, 1.5, 9)}
    run |= {
        "section": on_event("impact"),
        "transient": 50,
        "samples": 10,
        "follow": "both",
        "restarts": 3,
    }
    alone = bifurcation_diagram(**run)
    with ThreadPoolExecutor(2) as threads:
        assert_same(alone, bifurcation_diagram(**run, executor=threads))
        assert_same(alone, bifurcation_diagram(**run, executor=threads, chunk=2))


def test_processes_do_not_change_a_bit() -> None:
    run: Any = {"system": rattling(), "parameter": "alpha", "values": [0.5, 0.7, 0.9, 1.1]}
    run |= {"section": on_event("impact"), "transient": 50, "samples": 10, "restarts": 2}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as processes:
        assert_same(bifurcation_diagram(**run), bifurcation_diagram(**run, executor=processes))
        axes = {"s_dot": np.linspace(-1.0, 1.0, 4)}
        one = basins(rattling(1.48), axes, section=on_event("impact"))
        two = basins(rattling(1.48), axes, section=on_event("impact"), executor=processes, chunk=2)
    assert one.labels.tolist() == two.labels.tolist()
    assert one.attractors[0].points.tobytes() == two.attractors[0].points.tobytes()


def test_a_diagram_goes_on_from_disk_where_it_was_interrupted(tmp_path: Path) -> None:
    values = np.linspace(0.5, 1.5, 6)
    run: Any = {
        "parameter": "alpha",
        "values": values,
        "section": on_event("impact"),
        "samples": 10,
    }
    whole = bifurcation_diagram(rattling, **run)
    builder = Interrupts(tmp_path / "go_on", 1.1)
    with pytest.raises(AnalysisInterrupted) as stopped:
        bifurcation_diagram(builder, **run, checkpoint=tmp_path / "diagram.db", key="v1")
    partial = stopped.value.result
    assert partial.status == ("finished",) * 3 + ("pending",) * 3
    np.testing.assert_array_equal(partial.points[:3], whole.points[:3])
    assert np.isnan(partial.points[3:]).all()
    assert len(pickle.loads(pickle.dumps(stopped.value)).result.values) == 6
    builder.path.touch()
    again = bifurcation_diagram(builder, **run, checkpoint=tmp_path / "diagram.db", key="v1")
    assert_same(whole, again)
    with pytest.raises(ValueError, match="belongs to another sweep"):
        bifurcation_diagram(rattling, **run, checkpoint=tmp_path / "diagram.db", key="v1")


@dataclasses.dataclass(frozen=True)
class Interrupts:
    """A builder that is interrupted at a value until a file exists."""

    path: Path
    at: float

    def __call__(self, value: float) -> nsmb.System:
        if value == self.at and not self.path.exists():
            raise KeyboardInterrupt
        return rattling(value)


def broken(alpha: float) -> nsmb.System:
    if 0.9 < alpha < 1.1:
        raise ArithmeticError("no such gear")
    return rattling(alpha)


def test_a_failed_value_is_a_status_and_the_last_good_state_goes_on() -> None:
    values = [0.5, 1.0, 1.5]
    run: Any = {"section": on_event("impact"), "transient": 0, "samples": 10}
    diagram = bifurcation_diagram(broken, "alpha", values, **run)
    assert diagram.status == ("finished", "failed", "finished")
    assert diagram.messages[1] == "ArithmeticError: no such gear"
    assert np.isnan(diagram.points[1]).all()
    assert diagram.periods[1] == 0
    around = bifurcation_diagram(rattling, "alpha", [0.5, 1.5], **run)
    np.testing.assert_array_equal(diagram.points[2], around.points[1])
    with pytest.raises(ValueError, match=r"row: expected one with a state, got 1"):
        diagram.state(1)


def test_a_section_that_is_left_is_a_status() -> None:
    """There is no rattling from rest on the flank for α √(1 + β²) <= γ (spec 4.5)."""
    rest = nsmb.State(0.0, np.array([0.0]), np.array([0.0]))
    diagram = bifurcation_diagram(
        rattling(), "alpha", [0.09, 0.5], section=on_event("impact"), start=rest, follow="down",
        transient=20, samples=5,
    )  # fmt: skip
    assert diagram.status[1] == "finished"
    still = bifurcation_diagram(
        rattling(), "alpha", [0.09], section=on_event("impact"), start=rest, t_max=100.0
    )
    assert still.status == ("section_not_met",)
    assert "not met for a long time before t = 100 s" in still.messages[0]


def wall(gap: float) -> nsmb.System:
    """Return a mass between two walls, pressed to the one at -gap by a spring."""
    return nsmb.LinearSystem(
        [[2.0]],
        [[1.0]],
        force=[-5.0],
        contacts=[
            nsmb.Contact(w_N=[1.0], gap=gap, name="left"),
            nsmb.Contact(w_N=[-1.0], gap=1.0, name="right"),
        ],
        parameters={"gap": gap},
        rebuild=wall,
        initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
    )


def test_contacts_pushed_into_each_other_move_apart() -> None:
    at_wall = nsmb.State(0.0, np.array([-0.5]), np.array([0.0]))
    moved = carried_over(at_wall, None, wall(0.2), None)
    assert moved is not None
    assert moved.q[0] == pytest.approx(-0.2, abs=1e-12)
    nsmb.simulate(wall(0.2), 0.1, q=moved.q, u=moved.u)
    away = carried_over(at_wall, None, wall(0.9), None)
    assert away is not None
    assert away.q[0] == -0.5
    assert carried_over(at_wall, None, wall(-2.0), None) is None  # no space between the walls


def test_behind_values_without_room_the_last_good_state_goes_on() -> None:
    """At gap = -2 there is no space between the walls."""
    diagram = bifurcation_diagram(
        wall, "gap", [-2.0, 0.2, 0.5], section=every(1.0), transient=20, samples=2, observe="q1"
    )
    assert diagram.status == ("failed", "finished", "finished")
    assert "g_N" in diagram.messages[0]
    np.testing.assert_allclose(diagram.points[1:, -1, 0], [-0.2, -0.5], rtol=0, atol=1e-9)
    back = bifurcation_diagram(
        wall, "gap", [-2.0, 0.2], section=every(1.0), transient=20, samples=2, follow="down"
    )
    assert back.status == ("failed", "finished")


def test_a_diagram_comes_back_from_a_file(cascade: BifurcationDiagram, tmp_path: Path) -> None:
    for suffix in (".npz", ".h5"):
        if suffix == ".h5":
            pytest.importorskip("h5py")
        cascade.save(tmp_path / f"diagram{suffix}")
        assert_same(cascade, BifurcationDiagram.load(tmp_path / f"diagram{suffix}"))
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0)
    sol.save(tmp_path / "run.npz")
    with pytest.raises(ValueError, match="is not a bifurcation diagram of nsmb"):
        BifurcationDiagram.load(tmp_path / "run.npz")
    with pytest.raises(ValueError, match="path: expected a suffix"):
        cascade.save(tmp_path / "diagram.txt")


def test_a_diagram_becomes_tables(cascade: BifurcationDiagram) -> None:
    pytest.importorskip("pandas")
    frame = cascade.to_dataframe()
    assert len(frame) == 14 * 128
    row = frame[(frame["alpha"] == 1.49) & (frame["direction"] == "down") & (frame["sample"] == 3)]
    assert row["s_dot"].item() == cascade.branch("down").points[1, 3, 0]
    assert row["period"].item() == 4
    pytest.importorskip("xarray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        data = cascade.to_xarray()
    assert data.sizes == {"row": 14, "sample": 128}
    np.testing.assert_array_equal(data["s_dot"], cascade.points[:, :, 0])
    np.testing.assert_array_equal(data["period"], cascade.periods)
    assert data["direction"].values[-1] == "down"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameter": "alfa"}, r"parameter 'alfa'.*did you mean 'alpha'"),
        ({"values": []}, r"values: expected one finite number or more, got \[\]"),
        ({"values": [np.nan]}, r"values: expected one finite number"),
        ({"follow": "left"}, r"follow: expected 'up', 'down', 'both' or None, got 'left'"),
        ({"observe": "v"}, r"component 'v': expected one of s, s_dot"),
        ({"observe": []}, r"observe: expected one name or more, got none"),
        ({"section": on_event("impact", "front")}, r"contact 'front'"),
        ({"samples": 0}, r"samples: expected a whole number >= 1, got 0"),
        ({"restarts": 0}, r"restarts: expected a whole number >= 1, got 0"),
        ({"system": 3}, r"system: expected a nsmb\.System or a function, got 3"),
        ({"system": float}, r"value returned by `system`: expected a nsmb\.System, got float"),
        ({"period_tol": -1.0}, r"period_tol: expected a number >= 0"),
        ({"section": every(1.0), "values": ["a"]}, r"values: expected numbers"),
    ],
)
def test_senseless_diagrams_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"system": rattling(), "parameter": "alpha", "values": [1.0]}
    arguments |= changes
    with pytest.raises(ValueError, match=message):
        bifurcation_diagram(**arguments)


def test_an_unknown_direction_is_refused(cascade: BifurcationDiagram) -> None:
    with pytest.raises(ValueError, match=r"direction 'left': expected one of down, up"):
        cascade.branch("left")
