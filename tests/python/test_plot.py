"""Figures show the computed data."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")
from nsmb.pictures import plot, rows  # noqa: E402
from tests.python.sledge import drop  # noqa: E402
from tests.python.thrown_ball import Ball  # noqa: E402


def curve(ax: Any, label: str) -> Any:
    return next(line for line in ax.lines if line.get_label() == label)


def test_panels_by_unit_then_gaps_then_states(toy: nsmb.Solution) -> None:
    axes = toy.plot().axes
    labels = ["y / mm", "phi_M, phi_S / rad", "gap g_N / mm", ""]
    assert [ax.get_ylabel() for ax in axes] == labels
    assert [text.get_text() for text in axes[-1].get_yticklabels()] == ["beak", "lower", "upper"]
    assert axes[-1].get_xlabel() == "t / s"
    assert all(ax.get_xlim() == (0.0, 2.0) for ax in axes)


def test_curves_are_the_motion_between_samples_too(ball: nsmb.Solution) -> None:
    axes = ball.plot().axes
    t, height = curve(axes[0], "y").get_data()
    assert t.size > 1000 > ball.t.size
    np.testing.assert_allclose(height, Ball.y(t)[:, 1], rtol=0.0, atol=1e-14)
    t, gap = curve(axes[1], "floor").get_data()
    np.testing.assert_allclose(gap, Ball.y(t)[:, 1], rtol=0.0, atol=1e-14)


def test_curves_pass_through_every_event(toy: nsmb.Solution) -> None:
    t, gap = curve(toy.plot().axes[2], "beak").get_data()
    hits = np.isin(t, toy.events.of_kind("impact").at_contact("beak").t)
    assert hits.sum() == 14
    np.testing.assert_allclose(gap[hits], 0.0, atol=1e-9)  # mm


def test_bars_last_as_long_as_the_contact_states(toy: nsmb.Solution) -> None:
    bars = toy.plot().axes[-1].collections
    total = {color: 0.0 for color, _, _ in rows.STATES.values()}
    for bar in bars:
        color = (
            matplotlib.colors.to_hex(bar.get_facecolor()[0]).upper()
            if len(bar.get_facecolor())
            else ""
        )
        if color in total:
            total[color] += sum(np.ptp(path.vertices[:, 0]) for path in bar.get_paths())
    span = np.append(np.diff(toy.t), 0.0)[:, None]
    for state, (color, _, _) in rows.STATES.items():
        expected = float((span * (toy.contact_state == state)).sum())
        assert (expected > 0.0) == (state != nsmb.ContactState.SLIP)  # the toy is planar
        assert total[color] == pytest.approx(expected, rel=1e-12)


def test_impacts_are_marked_at_their_contact(ball: nsmb.Solution) -> None:
    marks = next(c for c in ball.plot().axes[-1].collections if c.get_label() == "impact")
    segments = np.array(marks.get_segments())
    np.testing.assert_array_equal(segments[:, 0, 0], ball.events.t)
    assert np.all((segments[:, :, 1] > 0.0) & (segments[:, :, 1] < 1.0))  # lowest row: floor


def test_part_of_a_run(toy: nsmb.Solution) -> None:
    axes = toy.plot(t_span=(0.5, 0.75)).axes
    t = curve(axes[1], "phi_S").get_xdata()
    assert (t[0], t[-1]) == axes[0].get_xlim() == (0.5, 0.75)


def test_chosen_coordinates_in_given_axes(toy: nsmb.Solution) -> None:
    figure, axes = pyplot.subplots(3)
    assert toy.plot(coordinates=["phi_S"], axes=axes, title="bird") is figure
    assert axes[0].get_ylabel() == "phi_S / rad"
    assert axes[0].get_title(loc="left") == "bird"


def test_figure_can_be_part_of_another(ball: nsmb.Solution) -> None:
    left, right = pyplot.figure().subfigures(1, 2)
    assert ball.plot(figure=left) is left
    assert len(left.axes) == 3
    assert not right.axes


def test_run_without_dense_output_or_system_is_drawn_from_samples(tmp_path: Path) -> None:
    method = nsmb.EventDriven(dense_output=False)
    run = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, method=method, output_step=0.1)
    t, height = curve(run.plot().axes[0], "y").get_data()
    np.testing.assert_array_equal(t, run.t)
    np.testing.assert_array_equal(height, run.q[:, 0])

    Ball.solution().save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(
        curve(loaded.plot().axes[1], "floor").get_ydata(), loaded.g_N[:, 1]
    )


def test_bad_arguments_of_plots_are_refused(ball: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match="coordinate: expected one of x, y, got 'z'"):
        ball.plot(coordinates=["z"])
    with pytest.raises(ValueError, match="component 'z': expected one of x, y, x_dot, y_dot"):
        ball.plot_phase("z")
    with pytest.raises(ValueError, match="y: must be given where 'y_dot' is not a coordinate"):
        ball.plot_phase("y_dot")
    for span in [(0.5, 0.5), (-0.1, 0.5), (0.5, 1.0)]:
        with pytest.raises(ValueError, match=r"t_span: expected 0 <= start < end <= 0\.8944"):
            ball.plot(t_span=span)
    with pytest.raises(ValueError, match="axes: expected 3 axes, got 2"):
        ball.plot(axes=pyplot.subplots(2)[1])


def test_missing_matplotlib_is_named(ball: nsmb.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    message = r"matplotlib is not installed: pip install 'nsmb\[plot\]'"
    with pytest.raises(ImportError, match=message):
        ball.plot()


def test_phase_portrait_jumps_at_impacts_only(ball: nsmb.Solution) -> None:
    ax = ball.plot_phase("y")
    smooth, jump, _ = ax.lines
    y, rate = smooth.get_data()
    drawn = ~np.isnan(y)
    energy = 10.0 * y + rate**2 / 2  # constant on each of the two arcs, 10 J/kg and 2.5 J/kg
    np.testing.assert_allclose(np.unique(energy[drawn].round(9)), [2.5, 10.0])
    v = -10.0 * Ball.t_1
    sides = np.reshape(jump.get_ydata(), (-1, 3))[:, :2]  # NaN between the jumps
    np.testing.assert_allclose(sides, [[v, -v / 2], [v / 2, -v / 4]], rtol=1e-12)
    assert jump.get_linestyle() != "-"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$y$ / m", r"$\dot{y}$ / (m/s)")


def test_overview_shows_the_last_cycle(toy: nsmb.Solution) -> None:
    left, right = plot.overview(toy, title="toy").subfigs
    assert left.axes[0].get_title(loc="left") == "toy"
    assert right.axes[0].get_title(loc="left") == "last cycle, beak to beak: 145.96 ms"


def test_overview_of_a_run_without_cycle_is_the_run(ball: nsmb.Solution) -> None:
    assert len(plot.overview(ball).axes) == 3
    at_rest = nsmb.simulate(nsmb.systems.bouncing_ball(), 3.0)
    assert len(plot.overview(at_rest).axes) == 3


def test_run_that_failed_says_so_in_its_title() -> None:
    run = nsmb.simulate(
        nsmb.systems.bouncing_ball(), 3.0, method=nsmb.EventDriven(max_events=5), throw=False
    )
    assert run.plot().axes[0].get_title(loc="left") == "bouncing_ball (event_limit)"


def texts(ax: Any) -> list[Any]:
    """Return all texts in and around the axes, without tick labels beyond the limits."""
    found = [child for child in ax.get_children() if isinstance(child, matplotlib.text.Text)]
    found += [ax.xaxis.label, ax.yaxis.label]
    if ax.get_legend() is not None:
        found += ax.get_legend().get_texts()
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)  # hidden: none
        found += [label for place, label in ticks if low <= place <= high]
    return [text for text in found if text.get_text() and text.get_visible()]


@pytest.mark.parametrize("run", ["toy", "ride"])
@pytest.mark.parametrize("make", ["plot", "overview"])
def test_no_text_overlaps_or_is_cut_off(
    make: str, run: str, request: pytest.FixtureRequest
) -> None:
    figure = getattr(plot, make)(request.getfixturevalue(run))
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for ax in figure.axes for text in texts(ax)]
    assert len(boxes) >= 30
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])
        assert box.x0 >= 0.0
        assert box.y0 >= 0.0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1


def test_plotting_needs_no_matplotlib_before_a_figure_is_made() -> None:
    import subprocess

    code = "import sys, nsmb, nsmb.pictures.plot, nsmb.cli; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def rows_of_states(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def bar_length(ax: Any, color: str) -> float:
    bars = [c for c in ax.collections if len(c.get_facecolor()) and len(c.get_paths())]
    return float(
        sum(
            np.ptp(path.vertices[:, 0])
            for bar in bars
            if matplotlib.colors.to_hex(bar.get_facecolor()[0]).upper() == color
            for path in bar.get_paths()
        )
    )


def test_slip_in_a_plane_and_force_elements_have_bars(ride: nsmb.Solution) -> None:
    ax = ride.plot().axes[-1]
    assert rows_of_states(ax) == ["floor", "guide", "buffer", "spring"]
    assert legend(ax) == ["impact", "stick", "slip +", "slip -", "slip", "acts", "switch"]
    span = np.append(np.diff(ride.t), 0.0)[:, None]
    slip = float((span * (ride.contact_state == nsmb.ContactState.SLIP)).sum())
    acts = float((span * ride.element_mode).sum())
    assert min(slip, acts) > 0.1
    assert bar_length(ax, rows.STATES[nsmb.ContactState.SLIP][0]) == pytest.approx(slip, rel=1e-12)
    assert bar_length(ax, rows._ACTS[0]) == pytest.approx(acts, rel=1e-12)


def test_switches_are_marked_in_the_row_of_their_force_element(ride: nsmb.Solution) -> None:
    t, y = curve(ride.plot().axes[-1], "switch").get_data()
    switches = ride.events.of_kind("switch")
    np.testing.assert_array_equal(t, switches.t)
    np.testing.assert_array_equal(y, np.where(switches.elements[:, 0], 1.5, 0.5))


def test_friction_alone_has_no_gap_to_draw(ride: nsmb.Solution) -> None:
    gaps = ride.plot().axes[1]
    assert [line.get_label() for line in gaps.lines] == ["floor"]
    guide = nsmb.Friction(w_T=[1.0], bound=1.0, name="guide")
    run = nsmb.simulate(nsmb.LinearSystem([[1.0]], [[9.0]], contacts=[guide]), 3.0, q=[2.0])
    axes = run.plot().axes
    assert [ax.get_ylabel() for ax in axes] == ["q1", ""]
    assert rows_of_states(axes[1]) == ["guide"]
    assert legend(axes[1]) == ["stick", "slip +", "slip -"]


def test_systems_without_contacts_are_drawn() -> None:
    axes = nsmb.simulate(drop(), 1.0).plot().axes
    assert [ax.get_ylabel() for ax in axes] == ["y / mm", ""]
    assert rows_of_states(axes[1]) == ["ground"]
    assert legend(axes[1]) == ["acts", "switch"]
    (alone,) = nsmb.simulate(nsmb.LinearSystem([[1.0]], [[4.0]]), 1.0, q=[1.0]).plot().axes
    assert alone.get_ylabel() == "q1"
    assert len(plot.overview(nsmb.simulate(drop(), 1.0)).axes) == 2


def test_gaps_of_contact_points_that_come_and_go_are_those_of_the_run() -> None:
    """A search without memory also has no gap as deep as the peg in the opposite wall."""
    sol = nsmb.simulate(nsmb.systems.peg_in_hole(), 1.0)
    assert sol.system is not None
    last = sol.t > 0.9
    found = [
        sol.system.contact_quantities(*row)["g_N"].min()
        for row in zip(sol.t[last].tolist(), sol.q[last], sol.u[last], strict=True)
    ]
    assert min(found) > -1e-12
    (ax,) = [ax for ax in sol.plot().axes if ax.get_ylabel().startswith("gap")]
    factor = 1e3 if ax.get_ylabel().endswith("mm") else 1.0
    curves = [line.get_ydata() / factor for line in ax.lines if line.get_xdata().size > 2]
    assert len(curves) == len(rows.with_gap(sol))
    for curve_of_slot, column in zip(curves, rows.with_gap(sol), strict=True):
        drawn = curve_of_slot[np.isfinite(curve_of_slot)]
        kept = sol.g_N[:, column]
        np.testing.assert_allclose(np.unique(drawn), np.unique(kept[np.isfinite(kept)]), rtol=1e-14)
        assert drawn.min(initial=0.0) > -1e-12


def test_axes_and_a_figure_are_not_both_given(ball: nsmb.Solution) -> None:
    figure, axes = pyplot.subplots(3)
    with pytest.raises(ValueError, match="figure: must be left out where axes are given"):
        ball.plot(axes=axes, figure=figure)
    assert ball.plot(axes=axes) is figure
