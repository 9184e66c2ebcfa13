"""Basins of attraction with a closed-form separatrix, and of coexisting rattling motions."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import AnalysisInterrupted, Attractor, PoincareMap, basins, every, on_event
from nsmb.analysis.results import BasinMap
from tests.analysis.rattling import rattling

D = 0.3  # N s/m


def hill() -> nsmb.System:
    """Return ẍ + Dẋ - x = 0 between inelastic walls at ±1, with two states of rest."""
    dead = nsmb.ContactLaw(e_N=0.0)
    return nsmb.LinearSystem(
        [[1.0]],
        [[-1.0]],
        [[D]],
        contacts=[
            nsmb.Contact(w_N=[1.0], gap=1.0, law=dead, name="left"),
            nsmb.Contact(w_N=[-1.0], gap=1.0, law=dead, name="right"),
        ],
        coordinates=["x"],
    )


AXES = {"x": np.linspace(-0.9, 0.9, 10), "x_dot": np.linspace(-1.4, 1.5, 12)}
HILL: dict[str, Any] = {"section": every(1.0), "observe": "x", "transient": 40, "samples": 4}


@pytest.fixture(scope="module")
def found() -> BasinMap:
    return basins(hill(), AXES, **HILL)


def test_the_border_is_the_stable_direction_of_the_hill(found: BasinMap) -> None:
    """Starts with u = λx, λ² + Dλ - 1 = 0, λ < 0 reach the top. Those above move to the right."""
    x, u = np.meshgrid(AXES["x"], AXES["x_dot"], indexing="ij")
    right = u > (-D / 2 - np.sqrt(D**2 / 4 + 1)) * x
    assert found.success
    assert [attractor.period for attractor in found.attractors] == [1, 1]
    ends = np.array([attractor.points[0, 0] for attractor in found.attractors])
    np.testing.assert_allclose(np.sort(ends), [-1.0, 1.0], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(ends[found.labels] > 0.0, right)
    np.testing.assert_allclose(
        found.fractions, [right.mean() if end > 0 else 1 - right.mean() for end in ends]
    )


def test_known_attractors_come_first(found: BasinMap) -> None:
    turned = basins(hill(), AXES, attractors=[[[1.0]], [[-1.0]]], **HILL)
    assert [attractor.points[0, 0] for attractor in turned.attractors] == [1.0, -1.0]
    np.testing.assert_array_equal(turned.labels, 1 - found.labels)
    again = basins(hill(), AXES, attractors=found.attractors[::-1], **HILL)
    np.testing.assert_array_equal(again.labels, 1 - found.labels)


def test_executors_do_not_change_labels(found: BasinMap) -> None:
    with ThreadPoolExecutor(2) as threads:
        for chunk in (None, 7):
            other = basins(hill(), AXES, executor=threads, chunk=chunk, **HILL)
            assert other.labels.tobytes() == found.labels.tobytes()
            assert other.attractors[0].points.tobytes() == found.attractors[0].points.tobytes()


def test_starts_inside_a_wall_fail_alone() -> None:
    found = basins(hill(), {"x": [-2.0, 0.5]}, **HILL)
    assert found.labels.tolist() == [-1, 0]
    assert found.status == ("failed", "finished")
    assert "g_N >= -1e-09" in found.messages[0]


def test_a_section_that_is_left_is_no_attractor() -> None:
    found = basins(hill(), {"x": [-0.5, 0.5]}, section=on_event("impact"), t_max=20.0)
    assert found.labels.tolist() == [-1, -1]
    assert set(found.status) == {"section_not_met"}
    assert found.attractors == ()


def test_coexisting_motions_of_gear_rattling() -> None:
    """At α = 1.481 periods 12 and 4 coexist (spec 4.5). Labels are those of single runs."""
    axes = {"s_dot": np.linspace(-2.0, 2.0, 9)}
    rattle = rattling(1.481)
    found = basins(rattle, axes, section=on_event("impact"), transient=1500, samples=48)
    assert sorted(attractor.period for attractor in found.attractors) == [4, 12]
    for u, label in zip(axes["s_dot"], found.labels, strict=True):
        start = nsmb.State(0.0, rattle.initial_state.q, np.array([u]))
        points = PoincareMap(rattle, on_event("impact")).iterate(1, start=start, skip=3000)
        nearest = np.abs(found.attractors[label].points[:, 0] - points["s_dot"][0]).min()
        assert nearest < 1e-5


def test_pieces_of_one_chaotic_motion_are_one_attractor() -> None:
    found = basins(
        rattling(3.0), {"s_dot": np.linspace(-2, 2, 6), "t": [0.0, 1.0]},
        section=on_event("impact"),
        observe=["s", "s_dot"], samples=200,
    )  # fmt: skip
    assert len(found.attractors) == 1
    assert found.attractors[0].period == 0
    assert (found.labels == 0).all()


class Stops:
    """A component whose third value raises KeyboardInterrupt until disabled."""

    def __init__(self) -> None:
        self.calls = 0
        self.armed = True

    def __call__(self, points: Any) -> Any:
        self.calls += 1
        if self.armed and self.calls == 3:
            raise KeyboardInterrupt
        return points["x"]


def test_ctrl_c_keeps_what_was_found() -> None:
    options = {**HILL, "observe": Stops()}
    with pytest.raises(AnalysisInterrupted, match="2 of 4 points") as stopped:
        basins(hill(), {"x": [-0.6, -0.4, 0.4, 0.6]}, **options)
    partial = pickle.loads(pickle.dumps(stopped.value)).result
    assert partial.labels.tolist() == [0, 0, -1, -1]
    assert partial.status == ("finished", "finished", "pending", "pending")


def test_basins_go_on_from_disk(found: BasinMap, tmp_path: Path) -> None:
    path = tmp_path / "basins.db"
    first = basins(hill(), AXES, checkpoint=path, **HILL)
    again = basins(hill(), AXES, checkpoint=path, **HILL)
    np.testing.assert_array_equal(first.labels, found.labels)
    np.testing.assert_array_equal(again.labels, found.labels)


def test_basins_come_back_from_a_file(found: BasinMap, tmp_path: Path) -> None:
    for suffix in (".npz", ".h5"):
        if suffix == ".h5":
            pytest.importorskip("h5py")
        found.save(tmp_path / f"basins{suffix}")
        again = BasinMap.load(tmp_path / f"basins{suffix}")
        assert again.labels.tobytes() == found.labels.tobytes()
        assert list(again.axes) == list(found.axes)
        for name, values in found.axes.items():
            np.testing.assert_array_equal(again.axes[name], values)
        for a, b in zip(again.attractors, found.attractors, strict=True):
            assert (a.period, a.points.tobytes()) == (b.period, b.points.tobytes())
        assert (again.names, again.status) == (found.names, found.status)
    pytest.importorskip("xarray")
    data = found.to_xarray()
    assert int(data["label"].sel(x=0.9, method="nearest").values[-1]) == found.labels[-1, -1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"axes": {}}, r"axes: expected names with values, got \{\}"),
        ({"axes": {"v": [1.0]}}, r"component 'v': expected one of x, x_dot"),
        ({"axes": {"x": []}}, r"axes\['x'\]: expected one finite number or more"),
        ({"tol": 0.0}, r"tol: expected a number > 0, got 0"),
        ({"observe": "y"}, r"component 'y'"),
        ({"section": every()}, r"expected a system that is periodic in time"),
        ({"attractors": [[1.0]]}, r"attractors\[0\]: expected finite points of shape \(p, d\)"),
        ({"attractors": [[[1.0, 2.0]]]}, r"attractors\[0\]: expected points of shape \(p, 1\)"),
        ({"chunk": 0}, r"chunk: expected a whole number >= 1"),
    ],
)
def test_senseless_basins_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"system": hill(), "axes": {"x": [0.5]}, **HILL} | changes
    with pytest.raises(ValueError, match=message):
        basins(**arguments)


def test_an_attractor_is_one_period_of_its_points() -> None:
    known = [[[1.0], [2.0], [1.0], [2.0]], Attractor(np.ones((1, 1)), 1)]
    found = basins(hill(), {"x": [0.5]}, attractors=known, **HILL)
    assert found.attractors[0].period == 2
    assert found.attractors[0].points.ravel().tolist() == [1.0, 2.0]
    assert found.labels.tolist() == [1]
