"""Figures of nsmb.analysis show the results."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

import nsmb

pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.text import Text  # noqa: E402

from nsmb import analysis, plotting  # noqa: E402
from nsmb.analysis.figures import plots  # noqa: E402
from nsmb.pictures.plot_style import symbol, unit_of  # noqa: E402
from tests.analysis.results import (  # noqa: E402
    SECOND,
    Basins,
    Diagram,
    Orbit,
    Points,
    Special,
    branch_of,
    fixed_points,
    logistic_diagram,
    period_two,
)


@pytest.fixture(scope="module")
def toy() -> nsmb.Solution:
    """Return the woodpecker on its periodic motion, with 72 impacts in 2 s."""
    return nsmb.simulate(nsmb.systems.woodpecker(mu=0.9), 2.0)


@pytest.fixture(scope="module")
def oscillator() -> nsmb.Solution:
    """Return a run that sticks, slips and reverses without impacts."""
    return nsmb.simulate(nsmb.systems.stick_slip_oscillator(), 3.0)


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    yield
    pyplot.close("all")


def line(ax: Any, label: str) -> Any:
    return next(one for one in ax.lines if one.get_label() == label)


def lines(ax: Any, label: str) -> list[Any]:
    return [one for one in ax.lines if one.get_label() == label]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---- one motion ------------------------------------------------------------------------------


def test_phase_portrait_marks_every_event_behind_its_jump(toy: nsmb.Solution) -> None:
    ax = toy.plot_phase("phi_S", "phi_S_dot")
    assert legend(ax)[0] == "jump"
    assert set(legend(ax)[1:]) == set(toy.events.count())
    for kind in toy.events.count():
        events = toy.events.of_kind(kind)
        x, y = line(ax, kind).get_data()
        np.testing.assert_array_equal(x, events.q[:, 2])
        np.testing.assert_array_equal(y, events.u_plus[:, 2])
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        r"$\varphi_{S}$ / rad",
        r"$\dot{\varphi}_{S}$ / (rad/s)",
    )


def test_jumps_of_a_phase_portrait_span_both_sides_of_impacts(toy: nsmb.Solution) -> None:
    ax = toy.plot_phase("phi_S", "phi_S_dot")
    x, y = np.array(line(ax, "jump").get_data()).reshape(2, -1, 3)
    impacts = toy.events.of_kind("impact")
    assert len(x) == np.unique(impacts.t).size > 50
    np.testing.assert_allclose(x[:, 0], x[:, 1], rtol=0.0, atol=1e-12)  # coordinates do not jump
    assert np.all(np.diff(impacts.t) > 0.0)  # one by one
    # rad/s of 19; dense output ends at the event up to rounding, measured: 4e-15
    np.testing.assert_allclose(y[:, 0], impacts.u_minus[:, 2], rtol=0.0, atol=1e-13)
    np.testing.assert_array_equal(y[:, 1], impacts.u_plus[:, 2])
    assert line(ax, "jump").get_linestyle() != "-"


def test_curve_of_a_phase_portrait_is_the_motion(oscillator: nsmb.Solution) -> None:
    ax = oscillator.plot_phase("x_1", "x_1_dot", events=False)
    assert ax.get_legend() is None  # neither jumps nor marks
    (curve,) = ax.lines
    x, v = curve.get_data()
    x = x[~np.isnan(x)] / 1e3  # drawn in mm
    v = v[~np.isnan(v)]
    assert x.size > 4000
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x_{1}$ / mm", r"$\dot{x}_{1}$ / (m/s)")
    t = np.linspace(0.0, 3.0, 30_001)
    dense = oscillator.at(t)
    area = trapezoid(dense.u[:, 0], dense.q[:, 0])
    assert trapezoid(v, x) == pytest.approx(area, rel=2e-5)  # chords, measured 6e-6


def test_phase_portrait_leaves_out_what_lies_before(toy: nsmb.Solution) -> None:
    ax = toy.plot_phase("y", "y_dot", t_span=(1.5, 2.0))
    late = toy.events[toy.events.t >= 1.5].of_kind("impact")
    assert line(ax, "impact").get_xdata().size == len(late) > 0
    start = ax.lines[0].get_xdata()[0]
    assert start == pytest.approx(1e3 * toy.at(1.5).q[0], rel=1e-14)  # mm


def test_contact_states_fill_rows_as_long_as_they_last(toy: nsmb.Solution) -> None:
    ax = toy.plot_contact_states(t_span=(1.0, 2.0))
    assert ax.get_xlim() == (1.0, 2.0)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["beak", "lower", "upper"]
    assert legend(ax) == ["impact", "stick", "slip +", "slip -"]
    heights = {}
    for bars in ax.collections:
        color = bars.get_facecolor()
        for path in bars.get_paths():
            if len(color):
                heights[tuple(color[0][:3])] = np.ptp(path.vertices[:, 1])
    assert heights[to_rgb("#0072B2")] == pytest.approx(2.0 * heights[to_rgb("#D55E00")])


def test_contact_states_need_contacts() -> None:
    free = nsmb.simulate(nsmb.LinearSystem([[1.0]], coordinates=["x"]), 0.1, u=[1.0])
    with pytest.raises(ValueError, match="solution: must be of a system with contacts or force"):
        free.plot_contact_states()


def test_poincare_section_shows_the_asked_side() -> None:
    plus, minus = np.random.default_rng(1).normal(size=(2, 40, 2))
    points = Points(plus, minus)
    toy = nsmb.systems.woodpecker()
    ax = plots.plot_poincare(points, "phi_dot", "phi")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), plus[:, ::-1])
    ax = plots.plot_poincare(points, "phi", "phi_dot", side="minus", system=toy)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), minus)
    assert ax.lines[0].get_linestyle() == "None"
    assert ax.get_title(loc="left") == ""
    short = replace(points, status="section_not_met")
    assert plots.plot_poincare(short, "phi", "phi_dot").get_title(loc="left") == "section not met"


def test_histogram_of_phases_is_a_density_over_one_period() -> None:
    phases = np.random.default_rng(2).normal(0.0, 0.5, 4000)
    ax = plotting.histogram(phases, period=2.0 * np.pi, bins=40, label="phase / rad")
    density, edges, _ = ax.patches[0].get_data()
    assert density.size == 40
    assert (edges[0], edges[-1]) == ax.get_xlim() == (0.0, 2.0 * np.pi)
    assert np.sum(density * np.diff(edges)) == pytest.approx(1.0, rel=1e-12)
    # symmetric about 0, equal to 2π: for 4000, 5 standard deviations are 158 of each half
    assert np.sum(density[:20] * np.diff(edges)[:20]) == pytest.approx(0.5, abs=0.04)
    assert line(ax, "uniform").get_ydata()[0] == pytest.approx(1.0 / (2.0 * np.pi))
    assert ax.get_xlabel() == "phase / rad"


# ---- over parameters -------------------------------------------------------------------------


def test_diagram_draws_every_finite_point() -> None:
    found = logistic_diagram(np.linspace(2.8, 3.9, 50), 30)
    found.points[7, 10:] = np.nan
    ax = plots.plot_diagram(found)
    (dots,) = ax.lines
    x, y = dots.get_data()
    assert x.size == 50 * 30 - 20
    np.testing.assert_array_equal(np.unique(x), found.values)
    np.testing.assert_array_equal(y[x == found.values[7]], found.points[7, :10, 0])
    assert not dots.get_rasterized()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$r$", "$z$")
    assert ax.get_legend() is None


def test_many_dots_become_pixels_in_small_files(tmp_path: Path) -> None:
    ax = plots.plot_diagram(logistic_diagram(np.linspace(2.8, 4.0, 400), 100))
    assert ax.lines[0].get_rasterized()
    for name in ("diagram.pdf", "diagram.svg"):
        ax.figure.savefig(tmp_path / name)
        assert 5_000 < (tmp_path / name).stat().st_size < 150_000  # 40 000 dots; measured < 60 000


def test_directions_have_colours_and_failures_are_marked() -> None:
    up = logistic_diagram(np.linspace(2.8, 3.2, 11), 8)
    status = ["finished"] * 22
    status[3] = "no_impact_solution"
    both = Diagram(
        np.concatenate([up.values, up.values[::-1]]),
        np.concatenate([up.points, up.points[::-1]]),
        ["up"] * 11 + ["down"] * 11,
        status,
    )
    ax = plots.plot_diagram(both)
    assert legend(ax) == ["up", "down", "failed (1)"]
    larger, smaller = ax.lines[:2]
    assert to_rgb(larger.get_color()) != to_rgb(smaller.get_color())
    assert larger.get_markersize() > 1.5 * smaller.get_markersize()  # both visible where they meet
    np.testing.assert_array_equal(line(ax, "failed (1)").get_xdata(), [both.values[3]])


def test_exponents_lie_under_their_diagram() -> None:
    found = logistic_diagram(np.linspace(2.8, 3.9, 30), 10)
    rates = np.column_stack([found.values - 3.5, -np.ones(30)])
    ax = plotting.lyapunov_exponents(found.values, rates, diagram=found, per="impact")
    above, below = ax.figure.axes
    assert below is ax
    assert above.get_xlim() == ax.get_xlim()
    assert (above.get_ylabel(), ax.get_ylabel()) == ("$z$", r"$\lambda$ per impact")
    np.testing.assert_array_equal(line(ax, r"$\lambda_{1}$").get_ydata(), rates[:, 0])
    assert legend(ax) == [r"$\lambda_{1}$", r"$\lambda_{2}$"]
    first, second = (line(ax, text) for text in legend(ax))
    assert first.get_linestyle() != second.get_linestyle()


def test_basins_are_coloured_by_attractor() -> None:
    x, y = np.linspace(-1.0, 1.0, 7), np.linspace(0.0, 2.0, 5)
    labels = np.where(np.add.outer(x, y) > 1.0, 1, 0)
    labels[0, 0] = -1
    found = Basins({"phi_S": x, "phi_S_dot": y}, labels)
    toy = nsmb.systems.woodpecker()
    ax = plots.plot_basins(found, names=["pecks", "rests"], system=toy)
    assert legend(ax) == ["pecks", "rests", "none"]
    assert ax.get_xlabel() == r"$\varphi_{S}$ / rad"
    (mesh,) = ax.collections
    drawn = mesh.get_array().reshape(5, 7)
    np.testing.assert_array_equal(drawn, labels.T)
    colors = {label: tuple(mesh.to_rgba(np.array([label]))[0]) for label in (-1, 0, 1)}
    assert len(set(colors.values())) == 3
    for i, text in enumerate(ax.get_legend().get_patches()):
        assert text.get_facecolor() == pytest.approx(colors[[0, 1, -1][i]])
    swapped = plots.plot_basins(found, "phi_S_dot", "phi_S")
    np.testing.assert_array_equal(swapped.collections[0].get_array().reshape(7, 5), labels)


def test_attractors_have_the_same_number_everywhere() -> None:
    """It agrees in `labels`, `attractors`, the text of the result and the legend."""
    points = np.array([[0.0]]), np.array([[1.0]])
    found = analysis.results.BasinMap(
        {"a": np.zeros(2), "b": np.arange(2.0)},
        np.array([[0, 1], [1, 1]]),
        tuple(analysis.Attractor(p, 1) for p in points),
        ("a",),
        ("finished",) * 4,
        ("",) * 4,
    )
    assert "attractor 1: period 1, 75 % of the starts" in repr(found)
    ax = plots.plot_basins(found)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["attractor 0", "attractor 1"]
    drawn = ax.collections[0]
    share = np.mean(np.asarray(drawn.get_array()) == 1)
    assert share == 0.75
    face = ax.get_legend().get_patches()[1].get_facecolor()
    np.testing.assert_allclose(drawn.to_rgba(np.array([1.0]))[0], face)


def test_basins_of_three_axes_are_cut() -> None:
    axes = {"a": np.arange(4.0), "b": np.arange(3.0), "c": np.arange(5.0)}
    labels = np.random.default_rng(3).integers(0, 3, (4, 3, 5))
    found = Basins(axes, labels)
    drawn = plots.plot_basins(found, "a", "c", at={"b": 1.9}).collections[0].get_array()
    np.testing.assert_array_equal(drawn.reshape(5, 4), labels[:, 2, :].T)
    drawn = plots.plot_basins(found).collections[0].get_array()  # in the middle of c
    np.testing.assert_array_equal(drawn.reshape(3, 4), labels[:, :, 2].T)


# ---- branches --------------------------------------------------------------------------------


def test_branch_is_solid_where_stable_and_meets_dashed_at_the_doubling() -> None:
    ax = plots.plot_branch(fixed_points(), "z")
    solid, dashed = line(ax, "stable"), line(ax, "unstable")
    assert solid.get_linestyle() == "-" != dashed.get_linestyle()
    assert solid.get_xdata()[-1] == dashed.get_xdata()[0] == 3.0
    assert solid.get_ydata()[-1] == dashed.get_ydata()[0]
    # linear between points 1/19 apart: a chord of 1 - 1/r has an error of at most h²/4r³
    assert solid.get_ydata()[-1] == pytest.approx(2.0 / 3.0, abs=(1.0 / 19.0) ** 2 / 4.0 / 27.0)
    assert np.all(solid.get_xdata() <= 3.0)
    assert np.all(dashed.get_xdata() >= 3.0)
    assert legend(ax) == ["stable", "unstable", "period doubling", "end"]
    assert [text.get_text() for text in ax.texts] == ["PD 3.0000"]
    assert line(ax, "period doubling").get_xdata() == [3.0]


def test_branch_without_special_points_changes_halfway() -> None:
    ax = plots.plot_branch(replace(fixed_points(), special_points=[]), lambda orbit: -orbit.z)
    joint = line(ax, "stable").get_xdata()[-1]
    assert joint == line(ax, "unstable").get_xdata()[0]
    assert abs(joint - 3.0) < 1.0 / 19.0
    assert not ax.texts
    assert line(ax, "stable").get_ydata()[0] == -1.0 + 1.0 / 2.6


def test_branches_share_axes_and_legend() -> None:
    ax = plots.plot_branch(fixed_points(), "z")
    assert plots.plot_branch(period_two(), "z", ax, color="#0072B2") is ax
    assert legend(ax) == ["stable", "unstable", "period doubling", "branch point", "end"]
    assert len(lines(ax, "stable")) == 2
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["PD 3.0000", "BP 3.0000", f"PD {SECOND:.4f}"]


def test_fold_lies_at_the_tip_of_its_branch() -> None:
    way = np.linspace(-1.0, 1.0, 10)  # r = w², z = w, with the fold at 0 between points 4 and 5
    fold = Special("fold", 0.0, 4)
    ax = plots.plot_branch(branch_of(way**2, way, 1.0 + way, [fold]), "z")
    assert line(ax, "fold").get_xydata().tolist() == [[0.0, pytest.approx(0.0, abs=1e-15)]]
    assert line(ax, "stable").get_xydata()[-1].tolist() == [0.0, 0.0]


def test_labels_of_crowded_points_overlap_neither_each_other_nor_the_curve() -> None:
    r = np.linspace(1.0, 1.6, 60)
    crowd = [1.5, 1.512, 1.5145, 1.515, 1.5152, 1.2, 1.21, 1.22]
    special = [Special("grazing", value, int((value - 1.0) / 0.6 * 59)) for value in crowd]
    ax = plots.plot_branch(branch_of(r, np.sqrt(r - 0.9), 0.5 * r, special), "z")
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert len(boxes) == 8
    curve = ax.transData.transform(line(ax, "stable").get_xydata())
    frame = ax.get_window_extent()
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])
        assert box.count_contains(curve) == 0
        assert frame.contains(*box.min)
        assert frame.contains(*box.max)


def test_labels_can_be_left_out() -> None:
    assert not plots.plot_branch(fixed_points(), "z", labels=False).texts


def test_trivial_multipliers_are_hollow() -> None:
    values = np.array([1.0, 1.0, 0.6, 0.3 + 0.4j, 0.3 - 0.4j, 0.0])
    orbit = Orbit(values, ("time", "shift: y", "", "", "", "constraint"))
    ax = plots.plot_multipliers(orbit)
    assert set(legend(ax)) == {"nontrivial", "time", "shift: y", "constraint"}
    x, y = line(ax, "nontrivial").get_data()
    np.testing.assert_array_equal(x + 1j * y, values[2:5])
    assert line(ax, "nontrivial").get_markerfacecolor() != "none"
    sizes = set()
    for kind, value in (("time", 1.0), ("shift: y", 1.0), ("constraint", 0.0)):
        marks = line(ax, kind)
        assert marks.get_markerfacecolor() == "none"
        assert marks.get_xdata().tolist() == [value]
        sizes.add(marks.get_markersize())
    assert len(sizes) == 3  # all coincident ones are visible
    circle = np.hypot(*ax.lines[0].get_data())
    np.testing.assert_allclose(circle, 1.0, rtol=1e-15)
    assert ax.get_aspect() == 1.0


def test_multipliers_along_a_branch_are_coloured_by_the_parameter() -> None:
    branch = period_two()
    ax = plots.plot_multipliers(branch)
    (dots,) = ax.collections
    np.testing.assert_array_equal(dots.get_array(), branch.values)
    np.testing.assert_array_equal(dots.get_offsets()[:, 0], branch.multipliers[:, 0].real)
    assert line(ax, "time").get_xdata().size == branch.values.size
    assert ax.figure.axes[1].get_ylabel() == "$r$"


def test_multipliers_far_outside_are_told_in_words() -> None:
    ax = plots.plot_multipliers(Orbit(np.array([250.0, 1.0, 0.1]), ("", "time", "")))
    assert [text.get_text() for text in ax.texts] == ["1 of 3 outside, up to |Λ| = 250"]
    assert ax.get_xlim()[1] < 4.0


# ---- all of them -----------------------------------------------------------------------------


def test_symbols_and_units_are_those_of_formulas() -> None:
    cases = {
        "phi_S": r"$\varphi_{S}$",
        "y_dot": r"$\dot{y}$",
        "e_beak": r"$e_{\mathrm{beak}}$",
        "c_phi": r"$c_{\varphi}$",
        "mu": r"$\mu$",
        "x_1": r"$x_{1}$",
        "gap": "gap",
        "gap_dot": "gap_dot",
    }
    assert {name: symbol(name) for name in cases} == cases
    toy = nsmb.systems.woodpecker()
    names = ("y", "y_dot", "phi_S", "mu", "c_phi", "unheard of")
    assert [unit_of(name, toy) for name in names] == ["m", "m/s", "rad", "", "N m/rad", ""]


def test_given_axes_are_used_and_nothing_is_shown(
    toy: nsmb.Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyplot, "show", lambda *_: pytest.fail("shown"))
    ax = pyplot.figure().subplots()
    count = len(pyplot.get_fignums())
    points = Points(np.zeros((2, 2)), np.zeros((2, 2)))
    assert toy.plot_phase("y", "phi_S", ax=ax, t_span=(1.9, 2.0)) is ax
    assert toy.plot_contact_states(ax) is ax
    assert plots.plot_poincare(points, "phi", "phi_dot", ax=ax) is ax
    assert plotting.histogram([1.0, 2.0], ax=ax) is ax
    assert plots.plot_diagram(logistic_diagram(np.array([3.2]), 4), ax=ax) is ax
    assert plotting.lyapunov_exponents([1.0, 2.0], [0.0, 1.0], ax=ax) is ax
    assert plots.plot_branch(fixed_points(), "z", ax) is ax
    assert plots.plot_multipliers(fixed_points().points[0], ax) is ax
    grid = {"a": np.arange(2.0), "b": np.arange(2.0)}
    assert plots.plot_basins(Basins(grid, np.zeros((2, 2), dtype=int)), ax=ax) is ax
    assert len(pyplot.get_fignums()) == count


def test_legend_of_a_narrow_figure_takes_more_rows(toy: nsmb.Solution) -> None:
    ax = pyplot.figure(figsize=(2.4, 2.4), layout="constrained").subplots()
    toy.plot_phase("y", "phi_S", ax=ax)
    width = ax.get_legend().get_window_extent().width
    assert ax.get_legend()._ncols < len(legend(ax))
    assert width <= ax.figure.bbox.width


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda toy: toy.plot_phase("z", "y"), "component 'z': expected one of y, phi_M, p"),
        (
            lambda toy: toy.plot_phase("y", "y", t_span=(2.0, 2.0)),
            "t_span: expected 0 <= start",
        ),
        (
            lambda toy: plots.plot_poincare(Points(np.zeros((1, 2)), np.zeros((1, 2))), "a", "phi"),
            "component 'a': expected one of phi, phi_dot",
        ),
        (
            lambda toy: plots.plot_poincare(
                Points(np.zeros((1, 2)), np.zeros((1, 2))), "phi", "phi", side="left"
            ),
            "side: expected 'minus' or 'plus', got 'left'",
        ),
        (lambda toy: plotting.histogram([]), "values: expected finite numbers, at least one"),
        (lambda toy: plotting.histogram([1.0], period=0.0), "period: expected a number > 0"),
        (lambda toy: plotting.histogram([1.0], bins=0), "bins: expected a number of at least 1"),
        (
            lambda toy: plots.plot_diagram(logistic_diagram(np.array([3.0]), 2), "q"),
            "observe 'q': expected one of z",
        ),
        (
            lambda toy: plotting.lyapunov_exponents([1.0, 2.0], [[0.0]]),
            "exponents: expected a row for each of the values, shape (2, n), got shape (1, 1)",
        ),
        (
            lambda toy: plotting.lyapunov_exponents([1.0], [0.0], per="hour"),
            "per: expected 'time' or 'impact', got 'hour'",
        ),
        (
            lambda toy: plots.plot_basins(Basins({"a": np.zeros(1)}, np.zeros(1, dtype=int))),
            "basins: expected at least two axes, got a",
        ),
        (
            lambda toy: plots.plot_multipliers(Orbit(np.zeros(0), ())),
            "result: expected Floquet multipliers, got none",
        ),
    ],
)
def test_misuse_is_named(toy: nsmb.Solution, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call(toy)
    assert not pyplot.get_fignums()  # checked before anything is drawn


def test_missing_matplotlib_is_named(toy: nsmb.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    message = r"matplotlib is not installed: pip install 'nsmb\[plot\]'"
    with pytest.raises(ImportError, match=message):
        toy.plot_phase("y", "y_dot")
