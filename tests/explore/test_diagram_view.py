"""Clicks on a bifurcation diagram, without a browser."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import analysis
from nsmb.analysis.exploring.orbits_of_diagram import OrbitAtPoint


@pytest.fixture(scope="module")
def diagram() -> analysis.results.BifurcationDiagram:
    """Rattling gears: one period, two from α = 1.4953 on, chaos at the end."""
    gears = nsmb.systems.gear_rattling()
    return analysis.bifurcation_diagram(gears, "alpha", np.array([1.4, 1.45, 1.52, 1.6]))


def test_a_click_returns_the_orbit_of_the_point(
    diagram: analysis.results.BifurcationDiagram,
) -> None:
    view = diagram.explore()
    found = view.click(1)
    assert isinstance(found, OrbitAtPoint)
    assert found is view.selected
    orbit = found.orbit
    assert orbit is not None
    assert orbit.stable
    assert orbit.parameters["alpha"] == 1.45
    # The point of the diagram is on the orbit: both have converged to 1e-8.
    np.testing.assert_allclose(found.points, diagram.points[1, -1:], rtol=1e-7)
    again = analysis.periodic_orbit(nsmb.systems.gear_rattling(alpha=1.45))
    np.testing.assert_allclose(np.sort(found.multipliers), np.sort(again.multipliers), rtol=1e-6)


def test_a_click_on_two_periods_shows_both_points(
    diagram: analysis.results.BifurcationDiagram,
) -> None:
    found = diagram.explore().click(2)
    assert found.orbit is not None
    assert found.points.shape == (2, 1)
    expected = np.sort(diagram.points[2, -2:, 0])
    np.testing.assert_allclose(np.sort(found.points[:, 0]), expected, rtol=1e-6)
    assert found.solution.t_span[1] - found.solution.t_span[0] == pytest.approx(
        2.0 * diagram.origin.build(1.52).period  # type: ignore[union-attr]
    )


def test_a_click_on_chaos_shows_the_run(diagram: analysis.results.BifurcationDiagram) -> None:
    view = diagram.explore()
    found = view.click(3)
    assert found.orbit is None
    assert found.message.startswith("no periodic orbit")
    assert found.multipliers.size == 0
    assert found.solution.success
    np.testing.assert_array_equal(found.solution.q[0], diagram.state(3).q)
    assert not view.widget._header["selected"]["orbit"]
    with pytest.raises(ValueError, match="click on one first"):
        view.start_branch()


def test_a_branch_starts_at_the_orbit(diagram: analysis.results.BifurcationDiagram) -> None:
    """The branch continues as unstable after the period doubling; the diagram alone ends there."""
    view = diagram.explore()
    view.click(0)
    branch = view.start_branch()
    (doubling,) = branch.of_kind("period doubling")
    assert doubling.value == pytest.approx(1.495288, abs=1e-6)
    assert branch.stable[branch.values < doubling.value - 1e-3].all()
    assert not branch.stable[branch.values > doubling.value + 1e-3].any()
    assert view.branches == [branch]
    header = view.widget._header
    assert [point["kind"] for point in header["branches"][0]] == ["period doubling"]
    entry = header["arrays"]["branch_0"]
    lines = np.frombuffer(
        view.widget._data, "<f4", int(np.prod(entry["shape"])), entry["offset"]
    ).reshape(entry["shape"])
    lines = lines[np.isfinite(lines[:, 0])]
    np.testing.assert_allclose(lines[:, 0], branch.values, rtol=1e-6)
    np.testing.assert_array_equal(lines[:, 1] == 1.0, branch.stable)
    np.testing.assert_allclose(lines[:, 3], branch.measure("s_dot"), rtol=1e-6)
    assert view.click_branch(0, 3).orbit is branch.points[3]
    view.clear_branches()
    assert view.branches == []


def test_a_branch_of_two_periods_has_two_lines(
    diagram: analysis.results.BifurcationDiagram,
) -> None:
    """Each continues without a jump to the other."""
    view = diagram.explore()
    view.click(2)
    branch = view.start_branch((1.51, 1.53))
    drawn = view._source.branches[0]
    heights = np.array(drawn.heights)[:, :, 0]
    assert heights.shape == (len(branch.points), 2)
    apart = np.abs(heights[:, 0] - heights[:, 1]).min()
    assert np.abs(np.diff(heights, axis=0)).max() < 0.5 * apart


def test_branches_can_be_given(diagram: analysis.results.BifurcationDiagram) -> None:
    orbit = analysis.periodic_orbit(nsmb.systems.gear_rattling(alpha=1.4))
    branch = analysis.continuation(orbit, "alpha", (1.4, 1.42))
    view = diagram.explore(branches=[branch])
    assert view.branches == [branch]
    other = analysis.continuation(orbit, "beta", (0.1, 0.12))
    with pytest.raises(ValueError, match="branches over 'alpha', got 'beta'"):
        diagram.explore(branches=[other])


def test_messages_of_the_page_are_clicks(diagram: analysis.results.BifurcationDiagram) -> None:
    view = diagram.explore()
    view._on_message({"type": "click", "row": 0})
    assert view.widget._header["selected"]["value"] == 1.4
    view._on_message({"type": "branch"})
    assert len(view.widget._header["branches"]) == 1
    view._on_message({"type": "click_branch", "branch": 0, "index": 2})
    assert view.widget._header["selected"]["value"] == view.branches[0].values[2]
    view._on_message({"type": "clear"})
    assert view.widget._header["branches"] == []
    view._on_message({"type": "click", "row": 99})
    assert view.message.startswith("ValueError: row")
    assert view.widget._header["message"] == view.message


def test_units_are_those_of_the_system() -> None:
    """The friction coefficient of the toy is dimensionless, its velocities are not."""
    toy = nsmb.systems.woodpecker()
    found = analysis.bifurcation_diagram(
        toy, "mu", [0.3], section=analysis.on_event("impact", "beak"),
        observe=["phi_S", "phi_S_dot"],
        transient=5, samples=3,
    )  # fmt: skip
    view = found.explore("phi_S_dot")
    assert view.widget._spec["units"] == ["-", "rad", "rad/s"]
    assert view.widget._spec["observe"] == 1
    with pytest.raises(ValueError, match="observe"):
        found.explore("phi")


def test_files_and_copies_go_without_the_origin(
    diagram: analysis.results.BifurcationDiagram, tmp_path: Path
) -> None:
    diagram.save(tmp_path / "diagram.npz")
    loaded = analysis.results.BifurcationDiagram.load(tmp_path / "diagram.npz")
    for other in (loaded, pickle.loads(pickle.dumps(diagram))):
        with pytest.raises(ValueError, match=r"origin=other\.origin"):
            other.explore()
        assert other.explore(origin=diagram.origin).click(0).orbit is not None


def test_rows_of_one_direction_can_be_explored() -> None:
    gears = nsmb.systems.gear_rattling()
    both = analysis.bifurcation_diagram(gears, "alpha", [1.4, 1.45], follow="both")
    found = both.branch("down").explore().click(0)
    assert found.orbit is not None
    assert found.value == 1.4
