"""Branches of orbits and their special points agree with closed forms and the spec."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import systems
from nsmb.analysis import AnalysisInterrupted, continuation, crossing, on_event, periodic_orbit
from nsmb.analysis.branches.causes import same_cycle
from nsmb.analysis.branches.orbits import OrbitFamily
from nsmb.analysis.results import OrbitBranch, PeriodicOrbit
from tests.analysis.orbit_systems import oscillator, response, rings


def _jumps() -> PeriodicOrbit:
    exact = systems.ball_on_table.orbits()[0]
    return periodic_orbit(
        systems.ball_on_table(),
        section=on_event("impact", "table"),
        start=nsmb.State(exact.t, np.zeros(1), np.array([exact.velocity])),
        section_points=1,
    )


def test_a_branch_of_steady_responses_follows_the_period_of_the_force() -> None:
    orbit = periodic_orbit(oscillator(), transient=20)
    branch = continuation(orbit, "omega", (0.5, 2.5))
    assert branch.status == "finished"
    assert branch.values[[0, -1]] == pytest.approx([0.5, 2.5], abs=1e-13)
    assert (np.diff(branch.values) > 0.0).all()
    assert branch.periods == pytest.approx(2.0 * np.pi / branch.values, rel=1e-13)
    for point in branch.points:
        assert point.y == pytest.approx(response(point.parameters, point.t), abs=1e-8)
    assert branch.special_points == []
    # Steps are as long as allowed between the ends, not the shortest ones throughout.
    assert 20 <= len(branch.points) <= 80


def test_pair_of_multipliers_leaves_the_circle_where_damping_vanishes() -> None:
    branch = continuation(periodic_orbit(oscillator(), transient=20), "d", (-0.3, 0.5))
    (point,) = branch.special_points
    assert point.kind == "Neimark-Sacker"
    assert point.value == pytest.approx(0.0, abs=1e-9)
    assert point.bracket[0] <= point.value <= point.bracket[1]
    assert point.accuracy < 1e-8
    assert np.array_equal(branch.stable, branch.values > 0.0)


def test_fold_of_limit_cycles_where_two_of_them_meet() -> None:
    orbit = periodic_orbit(rings(mu=0.0), section=crossing("b"), transient=5)
    branch = continuation(orbit, "mu", (-0.4, 0.1))
    (fold,) = branch.of_kind("fold")
    assert fold.value == pytest.approx(-0.25, abs=1e-10)  # measured 1e-15
    r2 = np.array([np.sum(point.x**2) for point in branch.points])
    sizeable = r2 > 1e-3  # a residual of 1e-10 matters more for smaller cycles
    assert branch.values[sizeable] == pytest.approx((r2**2 - r2)[sizeable], abs=1e-8)
    assert np.array_equal(branch.stable, r2 > 0.5)
    # After the fold the inner cycle shrinks to the equilibrium at mu = 0.
    (end,) = branch.of_kind("Hopf")
    assert branch.status == "branch_end"
    assert end.value == pytest.approx(0.0, abs=1e-5)


def test_borders_of_a_jumping_ball() -> None:
    """Fold and flip agree with closed forms, and neither is the closed-form grazing."""
    exact = systems.ball_on_table.borders()
    branch = continuation(_jumps(), "A", (1e-4, 2e-3))
    fold, flip = branch.of_kind("fold"), branch.of_kind("period doubling")
    assert len(branch.special_points) == 2
    scale = 80.0**2 / 9.81
    assert fold[0].value * scale == pytest.approx(exact.fold, abs=1e-10)  # measured 1e-10
    assert flip[0].value * scale == pytest.approx(exact.flip, abs=1e-10)
    assert flip[0].accuracy < 1e-8
    gamma = branch.values * scale
    below = np.array([np.sin(80.0 * orbit.event_times[0]) > 0.0 for orbit in branch.points])
    inside = (gamma < exact.flip) & below
    assert np.array_equal(branch.stable, inside)
    # Both ends are at the upper limit, as the branch turns at the fold.
    assert branch.values[[0, -1]] == pytest.approx([2e-3, 2e-3], abs=1e-16)


def test_motion_without_impact_ends_where_it_touches_the_stop() -> None:
    exact = systems.impact_oscillator.borders()
    orbit = periodic_orbit(systems.impact_oscillator(F=0.3))
    branch = continuation(orbit, "F", (0.2, 0.6), direction=1)
    grazing = branch.of_kind("grazing")[0]
    assert grazing.value == pytest.approx(exact.grazing, abs=1e-8)  # measured 1e-10
    assert grazing.accuracy < 1e-8
    assert "stop" in grazing.message
    assert branch.points[grazing.index].event_sequence == ()


def test_flip_of_orbits_with_one_impact() -> None:
    exact = systems.impact_oscillator.borders()
    orbit = periodic_orbit(systems.impact_oscillator(F=0.6), section=on_event("impact", "stop"))
    branch = continuation(orbit, "F", (0.45, 0.7))
    (flip,) = branch.special_points
    assert flip.kind == "period doubling"
    assert flip.value == pytest.approx(exact.flip, abs=1e-9)
    assert branch.values[flip.index] <= flip.value <= branch.values[flip.index + 1]


def test_resonance_curve_of_a_spring_with_play_folds_twice() -> None:
    """The spec has jumps at backlashes of 7.0 to 7.5 upwards and 3.0 to 2.5 downwards.

    Amplitudes are 9.08 and 1.55 at p = 4. For large backlash the mass oscillates freely in it.
    """
    orbit = periodic_orbit(systems.ship_turning_gear(p=1.0), transient=100)
    branch = continuation(orbit, "p", (0.9, 8.0), direction=1)
    upper, lower = branch.of_kind("fold")
    assert 7.0 < upper.value < 7.5
    assert 2.5 < lower.value < 3.0
    amplitude = branch.measure("amplitude:x")
    turn = int(np.argmax(branch.values[: upper.index + 2]))
    assert np.interp(4.0, branch.values[:turn], amplitude[:turn]) == pytest.approx(9.08, abs=0.02)
    touch = branch.of_kind("grazing")[0]
    free = 1.0 / np.sqrt(0.8**4 + 4.0 * 0.05**2 * 0.8**2)
    # Without the springs, any position within the backlash is possible. The multiplier tends to 1
    # there, and a residual of 1e-10 is comparable with the force of a touch. Measured: 3e-5.
    assert touch.value == pytest.approx(2.0 * free, abs=1e-4)
    assert amplitude[-1] == pytest.approx(free, rel=1e-4)


def test_cascade_of_gear_rattling() -> None:
    """The first four doublings are 1.4952, 1.5458, 1.5535 and 1.5552.

    They were found by brute force on a grid of 1e-4, following `alpha` upwards.
    """
    orbit = periodic_orbit(systems.gear_rattling(alpha=1.48))
    found = []
    for step, low in ((0.01, 1.4), (2e-3, 1.49), (4e-4, 1.54), (1e-4, 1.55)):
        high = 1.557
        branch = continuation(
            orbit, "alpha", (low, high), direction=1, step=step, max_step=5.0 * step, max_points=60
        )
        doubling = branch.of_kind("period doubling")[0]
        found.append(doubling.value)
        before = doubling.point.period
        orbit = doubling.switch_branch()
        assert orbit.period == pytest.approx(2.0 * before, rel=1e-12)
        assert orbit.parameters["alpha"] > doubling.value
        assert orbit.stable
    assert found == pytest.approx([1.4952, 1.5458, 1.5535, 1.5552], abs=1.5e-4)
    assert len(orbit.event_sequence) == 64


def test_woodpecker_cycle_ends_where_beak_and_sleeve_hit_together() -> None:
    """The cycle of the printed data exists above μ = 0.28858.

    There the impacts of beak and upper edge, 0.57 ms apart at μ = 0.3, coincide, so that this order
    ends.
    """
    orbit = periodic_orbit(systems.woodpecker(), section=on_event("impact", "beak"))
    branch = continuation(orbit, "mu", (0.2, 0.33))
    assert branch.status == "branch_end"
    end, first, second = branch.special_points
    assert end.value == pytest.approx(0.28857743, abs=1e-7)
    assert end.kind == "event sequence"
    assert "impact beak and impact upper fall together" in end.message
    assert "the branch ends here" in end.message
    times = dict(zip(branch.points[0].event_sequence, branch.points[0].event_times, strict=True))
    assert 0.0 <= times["impact upper"] - times["impact beak"] < 1e-8
    assert (first.kind, second.kind) == ("period doubling", "period doubling")
    assert first.value < 0.3 < second.value
    between = (branch.values > first.value) & (branch.values < second.value)
    assert np.array_equal(branch.stable, between)
    # Runs agree: stable between the doublings, and another orbit or none beyond the end.
    inside = periodic_orbit(
        systems.woodpecker(mu=0.295), section=on_event("impact", "beak"), transient=400
    )
    expected = np.interp(0.295, branch.values, branch.periods)
    assert inside.period == pytest.approx(expected, abs=1e-4)


def test_a_parameter_out_of_range_ends_the_branch_with_a_status() -> None:
    orbit = periodic_orbit(systems.impact_oscillator(F=0.6), section=on_event("impact", "stop"))
    branch = continuation(orbit, "e", (0.5, 1.5), direction=1)
    assert branch.status == "inadmissible"
    assert "e_N: expected a number in [0, 1]" in branch.message
    assert branch.values[-1] == pytest.approx(1.0, abs=1e-8)
    assert branch.special_points[-1].kind == "end"
    assert len(branch.points) > 5


def test_a_branch_that_is_cut_says_so() -> None:
    branch = continuation(_jumps(), "A", (1e-4, 2e-3), direction=1, max_points=4)
    assert branch.status == "max_points"
    assert len(branch.points) == 4


def test_ctrl_c_keeps_the_branch_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    orbit = periodic_orbit(oscillator(), transient=20)
    plain = OrbitFamily.point
    calls = []

    def point(self: OrbitFamily, *arguments: Any) -> PeriodicOrbit:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return plain(self, *arguments)

    monkeypatch.setattr(OrbitFamily, "point", point)
    with pytest.raises(AnalysisInterrupted, match="after 4 points") as caught:
        continuation(orbit, "F", (0.5, 1.5))
    branch = caught.value.result
    assert isinstance(branch, OrbitBranch)
    assert (branch.status, len(branch.points)) == ("interrupted", 4)


def test_measures_and_tables_of_a_branch() -> None:
    orbit = periodic_orbit(oscillator(), transient=20)
    branch = continuation(orbit, "F", (0.5, 1.5), max_step=0.5, step=0.5)
    assert isinstance(branch, OrbitBranch)
    gain = np.hypot(*response({**orbit.parameters, "F": 1.0}, 0.0) / np.array([1.0, 1.3]))
    # 400 samples of a cosine miss its maximum by (π/400)²/2.
    assert branch.measure("amplitude:x") == pytest.approx(gain * branch.values, rel=4e-5)
    assert branch.measure("max:x") == pytest.approx(-branch.measure("min:x"), rel=1e-4)
    assert branch.measure(lambda found: found.period) == pytest.approx(branch.measure("period"))
    assert branch.measure("x_dot").shape == branch.values.shape
    table = branch.to_dataframe()
    assert list(table.columns)[:4] == ["F", "period", "stable", "largest_multiplier"]
    assert len(table) == len(branch.values)
    with pytest.raises(ValueError, match="component 'y'"):
        branch.measure("y")


def test_same_cycle_sees_through_rotations() -> None:
    assert same_cycle("abca", "caab")
    assert not same_cycle("abca", "cbaa")
    assert not same_cycle("ab", "abab")
    assert same_cycle((), ())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mass", (0.0, 1.0)), "parameter 'mass': expected one of"),
        (("A", (0.1, 0.2)), "span: must be low < high around A = 0.001"),
        (("A", (2e-3, 1e-4)), "span: must be low < high"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, tuple[float, float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        continuation(_jumps(), *arguments)


def test_more_bad_input_is_named() -> None:
    orbit = _jumps()
    with pytest.raises(ValueError, match="direction: must be"):
        continuation(orbit, "A", (1e-4, 2e-3), direction=2)
    with pytest.raises(ValueError, match=r"must have room in direction \+1 of 0\.001"):
        continuation(orbit, "A", (1e-4, 1e-3), direction=1)
    with pytest.raises(ValueError, match="step: must be a number > 0"):
        continuation(orbit, "A", (1e-4, 2e-3), step=-1.0)
    lost = periodic_orbit(
        systems.impact_oscillator(F=0.1), section=on_event("impact", "stop"), throw=False
    )
    with pytest.raises(ValueError, match="problem: must be an orbit that has converged"):
        continuation(lost, "F", (0.0, 1.0))
    fold = continuation(orbit, "A", (1e-4, 1e-3), direction=-1).of_kind("fold")[0]
    with pytest.raises(ValueError, match="must start from a 'period doubling', got 'fold'"):
        fold.switch_branch()
    with pytest.raises(TypeError, match=r"problem: must be a PeriodicOrbit, .*got LinearSystem"):
        continuation(orbit.system, "A", (1e-4, 2e-3))  # type: ignore[call-overload]


def test_pictures_of_branches_and_orbits() -> None:
    import matplotlib.pyplot as plt

    branch = continuation(periodic_orbit(oscillator(), transient=20), "d", (-0.3, 0.5), step=0.1)
    axes = [branch.plot("max:x"), branch.plot_multipliers(), branch.points[0].plot("x", "x_dot")]
    assert all(ax.lines for ax in axes)
    plt.close("all")


def test_a_gap_that_closes_is_not_extrapolated_by_impacts() -> None:
    orbit = periodic_orbit(systems.gear_rattling(alpha=1.4))
    branch = continuation(orbit, "e", (0.0, 1.2), direction=-1)
    (grazing,) = branch.of_kind("grazing")
    assert "gap" in grazing.message
    assert grazing.value == branch.values[0]
    assert grazing.accuracy < 1e-8  # measured 2.5e-11


def test_a_branch_to_the_limits_of_a_law_is_finished() -> None:
    orbit = periodic_orbit(systems.impact_oscillator())
    branch = continuation(orbit, "e", (0.0, 1.0))
    assert branch.status == "finished"
    assert "just inside" in branch.message
    assert branch.values[0] == pytest.approx(1e-6, rel=1e-9)
    assert branch.values[-1] == 1.0
    assert branch.special_points == []


def test_a_family_of_orbits_is_neutral_and_has_no_branch_points() -> None:
    free = nsmb.LinearSystem([[1.0]], [[1.0]], coordinates=["x"])
    start = nsmb.State(0.0, np.ones(1), np.zeros(1))
    orbit = periodic_orbit(free, start=start, period=2.0 * np.pi)
    assert orbit.stability == "neutral"
    assert not orbit.stable
    assert str(orbit).startswith("Neutral periodic orbit")


def test_misuse_of_continuation_is_named() -> None:
    orbit = periodic_orbit(oscillator(), transient=20)
    for points in (2.7, 0):
        with pytest.raises(ValueError, match="max_points: expected a whole number >= 2"):
            continuation(orbit, "d", (0.1, 0.5), max_points=points)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tol: expected a number between 0 and 1, got nan"):
        continuation(orbit, "d", (0.1, 0.5), tol=float("nan"))
