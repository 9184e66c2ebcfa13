"""Results of the woodpecker toy over friction and the beak's restitution (spec 3.6)."""

from __future__ import annotations

import functools
import math
from itertools import pairwise

import numpy as np
import pytest

import nsmb
from nsmb.analysis import (
    basins,
    bifurcation_diagram,
    continuation,
    lyapunov_spectrum,
    periodic_orbit,
)
from nsmb.analysis.results import OrbitBranch, PeriodicOrbit
from tests.analysis.woodpecker_map import LOCK, SPEED, CycleMap

optimize = pytest.importorskip("scipy.optimize")

# Table 14.1: (6), (7), (1), (2), (3), (4), (5)
BOOK = (
    "impact lower", "stick lower", "slip lower", "detach lower",
    "impact upper", "impact beak", "impact upper",
)  # fmt: skip


@functools.cache
def cycle(mu: float = 0.3, e_beak: float = 0.5) -> PeriodicOrbit:
    return periodic_orbit(nsmb.systems.woodpecker(mu=mu, e_beak=e_beak), section=LOCK)


def speed(orbit: PeriodicOrbit) -> float:
    """Return the speed of the bird when the lower edge slips."""
    return float(orbit.section_state[5])


def fixed_point(cycle_map: CycleMap, low: float, high: float, cycles: int = 1) -> float:
    root: float = optimize.brentq(
        lambda u: cycle_map(u, cycles) - u, low, high, xtol=1e-13, rtol=1e-14
    )
    return root


def unstable(mu: float, low: float, high: float) -> PeriodicOrbit:
    """Return the cycle with a speed between low and high."""
    cycle_map = CycleMap(mu=mu)
    start = cycle_map.start(fixed_point(cycle_map, low, high))
    return periodic_orbit(cycle_map.system, section=LOCK, start=start, section_points=1)


def from_impact(orbit: PeriodicOrbit) -> tuple[str, ...]:
    """Return the sequence of events, starting at the first impact of the lower edge."""
    events = orbit.event_sequence
    k = events.index("impact lower")
    return events[k:] + events[:k]


@pytest.fixture(scope="module")
def over_mu() -> OrbitBranch:
    return continuation(cycle(), "mu", (0.28, 1.0))


def test_printed_data_give_the_period_and_multipliers_of_the_specification() -> None:
    orbit = cycle()
    assert abs(orbit.period - 0.14597606514375) < 1e-12  # measured: 1e-15
    assert orbit.drift[0] == pytest.approx(-19.445379e-3, abs=1e-9)
    assert sorted(orbit.multiplier_kinds) == ["", "", "", "", "shift: y", "time"]
    trivial = orbit.multipliers[[kind != "" for kind in orbit.multiplier_kinds]]
    np.testing.assert_allclose(trivial, 1.0, atol=1e-9)  # measured: 2e-14
    assert abs(orbit.nontrivial[0] + 0.83916) < 1e-5
    assert np.abs(orbit.nontrivial[1:]).max() < 1e-10  # lost by sticking; measured: 5e-14


def test_multiplier_is_the_slope_of_the_map_of_the_cycle() -> None:
    """The slope uses differences of runs from the closed-form slip angle, no variations."""
    cycle_map = CycleMap()
    assert speed(cycle()) == pytest.approx(fixed_point(cycle_map, 17.2, 18.2), abs=1e-9)
    np.testing.assert_allclose(cycle().section_state[2], cycle_map.angle, atol=1e-12)
    # error of the difference h² P'''/6; measured: 8e-10
    assert cycle_map.slope(speed(cycle())) == pytest.approx(cycle().nontrivial[0].real, abs=1e-7)


def test_monodromy_matrix_agrees_with_central_differences() -> None:
    """Derivatives by state, friction and restitution are taken from a point of free flight."""
    orbit = cycle()
    flight = next(
        0.5 * (a.t + b.t) for a, b in pairwise(orbit.solution.events) if "detach" in a.kind.label
    )
    begin = orbit.solution.at(flight)
    start = np.concatenate([begin.q, begin.u])

    def end(y: np.ndarray, mu: float = 0.3, e_beak: float = 0.5) -> np.ndarray:
        toy = nsmb.systems.woodpecker(mu=mu, e_beak=e_beak)
        last = nsmb.simulate(toy, orbit.period, q=y[:3], u=y[3:], rtol=1e-12)
        return np.concatenate([last.q[-1], last.u[-1]])

    run = nsmb.simulate(
        orbit.system, orbit.period, q=start[:3], u=start[3:], rtol=1e-12,
        sensitivity=["mu", "e_beak"],
    )  # fmt: skip
    h = 1e-6 * np.array([1e-2, 0.1, 0.1, 1.0, 10.0, 10.0])
    columns = [(end(start + d) - end(start - d)) / (2.0 * d.max()) for d in np.diag(h)]
    columns += [
        (end(start, **{name: value + 1e-7}) - end(start, **{name: value - 1e-7})) / 2e-7
        for name, value in (("mu", 0.3), ("e_beak", 0.5))
    ]
    # Entries are scaled by the range of each component and by the parameters.
    size = np.array([0.02, 0.2, 0.4, 0.7, 60.0, 20.0])
    scale = np.concatenate([size, [0.3, 0.5]]) / size[:, None]
    exact = np.hstack([run.sensitivity.state, run.sensitivity.parameter])
    error = (np.column_stack(columns) - exact) * scale
    assert np.abs(error).max() < 1e-7 * np.abs(exact * scale).max()  # measured: 3e-9
    values = np.sort(np.abs(np.linalg.eigvals(run.sensitivity.state)))
    np.testing.assert_allclose(values[3:], [0.8391556538, 1.0, 1.0], atol=1e-7)


def test_one_branch_joins_the_cycle_of_the_printed_data_and_that_of_the_book(
    over_mu: OrbitBranch,
) -> None:
    """Frequency and fall agree with spec 3.6, and events with Table 14.1 at mu = 0.9."""
    table = {0.8: (8.860, 8.207), 0.9: (8.890, 7.652), 0.95: (8.898, 7.426), 1.0: (8.899, 7.351)}
    falls = -1e3 * over_mu.measure("drift:y")
    for mu, (frequency, fall) in table.items():
        orbit = cycle(mu)
        assert 1.0 / orbit.period == pytest.approx(frequency, abs=5.1e-4)
        assert -1e3 * orbit.drift[0] == pytest.approx(fall, abs=5.1e-4)
        # Linear between points of the branch; measured: 3e-5 and 3e-4
        assert np.interp(mu, over_mu.values, over_mu.periods) == pytest.approx(
            orbit.period, rel=3e-4
        )
        assert np.interp(mu, over_mu.values, falls) == pytest.approx(fall, rel=3e-3)
    assert from_impact(cycle(0.9)) == BOOK
    nearest = int(np.abs(over_mu.values - 0.9).argmin())
    assert from_impact(over_mu.points[nearest]) == BOOK
    assert from_impact(cycle()) == ("impact lower", *BOOK, "detach upper")
    assert (np.diff(over_mu.values) > 0.0).all()  # without a fold
    assert over_mu.values[-1] == 1.0


def test_doublings_bound_where_the_cycle_is_stable(over_mu: OrbitBranch) -> None:
    """The cycle map has the slope -1 there, by differences."""
    doublings = [point.value for point in over_mu.of_kind("period doubling")]
    np.testing.assert_allclose(doublings, [0.29012853, 0.31860806, 0.48868695], atol=1e-8)
    stable = np.digitize(over_mu.values, doublings) % 2 == 1
    assert (over_mu.stable == stable).all()
    for mu, near in zip(doublings, (16.7, 18.4, 20.3), strict=True):
        cycle_map = CycleMap(mu=mu)
        u = fixed_point(cycle_map, near - 0.04, near + 0.06)
        assert cycle_map.slope(u, h=1e-4) == pytest.approx(-1.0, abs=5e-7)  # measured: 4e-8


def test_second_impact_of_the_lower_edge_ends_smoothly(over_mu: OrbitBranch) -> None:
    """Its flight shrinks in time, so that there is no square root and stability is unaffected."""
    grazing = over_mu.of_kind("grazing")[0]
    assert grazing.value == pytest.approx(0.40956096, abs=1e-8)
    before, after = (unstable(mu, 19.5, 19.8) for mu in (0.409, 0.410))
    assert from_impact(before).count("impact lower") == 2
    assert from_impact(after).count("impact lower") == 1
    assert abs(before.nontrivial[0] - after.nontrivial[0]) < 3e-3
    slopes = [CycleMap(mu=orbit.parameters["mu"]).slope(speed(orbit)) for orbit in (before, after)]
    np.testing.assert_allclose(
        slopes, [before.nontrivial[0].real, after.nontrivial[0].real], atol=1e-6
    )


def test_branch_ends_where_beak_and_upper_edge_hit_together(over_mu: OrbitBranch) -> None:
    """There the cycle map jumps, and no cycle crosses the diagonal in the gap."""
    assert over_mu.status == "branch_end"
    end = over_mu.special_points[0]
    assert end.value == pytest.approx(0.2885774321, abs=1e-9)
    assert "beak and impact upper fall together" in end.message
    times = dict(zip(end.point.event_sequence, end.point.event_times, strict=True))
    assert abs(times["impact beak"] - times["impact upper"]) < 1e-9
    cycle_map = CycleMap(mu=end.value)
    u = speed(end.point)
    assert abs(cycle_map(u + 1e-7) - u) < 1e-6  # the last cycle
    assert cycle_map(u - 1e-7) == pytest.approx(16.07, abs=0.01)  # 0.48 rad/s below
    # Between the ends of both branches no speed recurs, not even across the two jumps.
    grid = np.linspace(16.2, 17.0, 161)
    gap = CycleMap(mu=0.2884)
    change = np.array([gap(u) - u for u in grid])
    assert np.abs(change).min() > 0.02
    assert change[0] > 0.0 > change[-1]


def test_another_branch_lives_at_lower_friction_and_ends_in_a_fold() -> None:
    """The beak hits before the upper edge.

    The fold, where the map touches the diagonal, is below the friction 0.28519 that holds the toy
    at rest.
    """
    upper_end = continuation(cycle(0.2875), "mu", (0.287, 0.2885), direction=1).special_points[-1]
    assert upper_end.value == pytest.approx(0.2881523664, abs=1e-9)
    order = [event for event in from_impact(upper_end.point) if event in BOOK[4:]]
    assert order == ["impact beak", "impact upper"]
    lower = continuation(cycle(0.2841), "mu", (0.28, 0.28411), direction=-1, max_points=20)
    (fold,) = lower.of_kind("fold")
    assert fold.value == pytest.approx(0.2840247382, abs=1e-9)
    assert np.abs(fold.point.nontrivial - 1.0).min() < 1e-3
    assert 0 < lower.stable.sum() < len(lower.points)
    for mu, sign in ((fold.value - 1e-7, -1.0), (fold.value + 1e-7, 1.0)):
        cycle_map = CycleMap(mu=mu)
        highest = max(cycle_map(u) - u for u in speed(fold.point) + np.linspace(-0.02, 0.02, 41))
        assert sign * highest > 0.0  # 2.6e-4 per 1e-7


def test_what_is_born_at_the_doublings(over_mu: OrbitBranch) -> None:
    """Two doublings create unstable orbits near the stable cycle, one a stable orbit."""
    for point, side, stable in zip(
        over_mu.of_kind("period doubling"), (1, -1, -1), (False, False, True), strict=True
    ):
        double = point.switch_branch()
        assert np.sign(double.parameters["mu"] - point.value) == side
        assert double.stable is stable
        assert double.section_points == 2
        assert double.period == pytest.approx(2.0 * point.point.period, rel=1e-3)
    diagram = bifurcation_diagram(
        nsmb.systems.woodpecker(), "mu", [0.47, 0.484, 0.4935], section=LOCK, observe=SPEED,
        follow="down", start=CycleMap(mu=0.4935).start(20.0), transient=1000, samples=16,
        progress=False,
    )  # fmt: skip
    assert diagram.periods.tolist() == [2, 2, 1]
    born = over_mu.of_kind("period doubling")[2].switch_branch()
    attractor = continuation(born, "mu", (0.47, born.parameters["mu"]), direction=-1).points[0]
    assert attractor.parameters["mu"] == pytest.approx(0.47)
    seen = diagram.points[diagram.values == 0.47][0, :, 0]
    assert np.abs(seen - speed(attractor)).min() < 1e-7


def test_periods_are_added_between_the_branches() -> None:
    """A map with a jump, decreasing on both sides, has period 2, then odd periods down to 3."""
    diagram = bifurcation_diagram(
        nsmb.systems.woodpecker(), "mu", 0.2883 + 2e-4 * np.arange(25), section=LOCK,
        observe=SPEED, follow="up", start=CycleMap(mu=0.2883).start(16.5), transient=300,
        samples=64, progress=False,
    )  # fmt: skip
    assert diagram.success
    assert (diagram.periods[2:14] == 2).all()
    odd = diagram.periods[16:]
    assert (np.diff(odd) <= 0).all()
    assert {9, 7, 5, 3} <= set(odd.tolist())
    # a stable cycle coexists
    assert cycle(0.2925).stable


def test_brute_force_finds_the_stable_part_of_the_branch(over_mu: OrbitBranch) -> None:
    values = [0.2925, 0.30, 0.31, 0.50, 0.55, 0.60, 0.70, 0.90]
    stable = over_mu.values[over_mu.stable]
    assert stable.min() < 0.2925
    diagram = bifurcation_diagram(
        nsmb.systems.woodpecker(), "mu", values, section=LOCK, observe=SPEED, follow="up",
        transient=800, samples=8, progress=False,
    )  # fmt: skip
    assert diagram.success
    assert (diagram.periods == 1).all()
    found = [speed(cycle(mu)) for mu in values]
    np.testing.assert_allclose(diagram.points[:, -1, 0], found, rtol=1e-8)


def test_basin_is_a_ring_of_swings_bounded_by_where_the_map_of_the_cycle_jumps() -> None:
    """While the edge sticks, only the energy of the swing matters.

    Hence starts in the plane of φ_S and φ̇_S lead to the cycle from a ring about the rest of the
    bird. Its borders are a jump of the map, where beak and upper edge hit together, and the speed
    mapped there.
    """
    cycle_map = CycleMap()
    jump = optimize.bisect(lambda u: cycle_map(u) - 18.0, 16.6, 16.63, xtol=1e-7)
    outer = optimize.brentq(lambda u: cycle_map(u) - jump, 18.75, 18.85)
    np.testing.assert_allclose([jump, outer], [16.61404, 18.80962], atol=1e-5)
    inside = [jump + 1e-4, 16.65, 17.0, 18.0, outer - 1e-4]
    outside = [12.0, 15.5, jump - 1e-4, outer + 1e-4, 20.0, 25.0]
    far = cycle_map.angle - cycle_map.rest
    for phase in (0.0, -2.5):  # the same swings, upwards and downwards
        for u in inside + outside:
            omega = math.sqrt(cycle_map.omega_2)
            amplitude = math.hypot(u / omega, far)
            start = {
                "phi_S": [cycle_map.rest + amplitude * math.sin(phase)],
                SPEED: [amplitude * omega * math.cos(phase)],
            }
            found = basins(
                cycle_map.system, start, section=LOCK, observe=SPEED, progress=False,
                attractors=[[[speed(cycle())]]], start=cycle_map.start(u),
                transient=200, samples=16,
            )  # fmt: skip
            assert found.success
            assert (found.labels.item() == 0) == (u in inside), (u, phase)


def test_unstable_orbit_of_twice_the_period_lives_inside_the_ring() -> None:
    """Born at mu = 0.3186, it is close to the jump, where it ends at 0.29952."""
    cycle_map = CycleMap()
    u = fixed_point(cycle_map, 16.6685, 16.67, cycles=2)
    orbit = periodic_orbit(
        cycle_map.system, section=LOCK, start=cycle_map.start(u), section_points=2
    )
    assert not orbit.stable
    assert orbit.section_points == 2
    assert orbit.nontrivial[0].real == pytest.approx(cycle_map.slope(u, 2, 1e-5), rel=1e-6)
    end = continuation(orbit, "mu", (0.25, 0.35), direction=-1).special_points[0]
    assert end.value == pytest.approx(0.29952036, abs=1e-8)
    assert "beak and impact upper fall together" in end.message


def test_other_starts_go_on_irregularly_on_a_chaotic_attractor() -> None:
    """The mean period is ≈ 0.171 s and the mean fall ≈ 46 mm (spec 3.6).

    The exponent per cycle is the mean of ln |slope|.
    """
    cycle_map = CycleMap()
    points = cycle_map.map.iterate(8_000, start=cycle_map.start(12.0), skip=100)
    u = points[SPEED]
    # Means over 8,000 cycles of eight irregular orbits: 0.17161 to 0.17187 s, 46.67 to 47.01 mm.
    assert np.diff(points.t).mean() == pytest.approx(0.17173, rel=2e-3)
    assert np.diff(points["y"]).mean() == pytest.approx(-46.8e-3, rel=1e-2)
    # two alternating bands, with the ring of the cycle in the gap
    high = u > 17.0
    assert (high[1:] != high[:-1]).all()
    assert u[~high].max() < 15.3
    assert u[high].min() > 20.8
    spectrum = lyapunov_spectrum(
        cycle_map.system, section=LOCK, start=points.state(), count=600, progress=False
    )
    assert spectrum.per_point[0] > 0.2
    logs = np.log([abs(cycle_map.slope(v, h=1e-6)) for v in u[::15]])  # odd: both bands
    error = math.hypot(
        spectrum.standard_error[0] * spectrum.mean_interval, logs.std() / math.sqrt(logs.size)
    )
    assert abs(logs.mean() - spectrum.per_point[0]) < 4.0 * error
    assert error < 0.07
    # time and height, all else is lost by sticking
    np.testing.assert_allclose(spectrum.per_point[1:3], 0.0, atol=0.01)
    assert np.isneginf(spectrum.per_point[3:]).all()


def test_branch_over_the_restitution_of_the_beak_ends_in_double_impacts() -> None:
    """Both ends are double impacts. Stability is lost at 0.64855 by a second lower impact."""
    above = continuation(cycle(), "e_beak", (0.49, 0.85), max_step=0.012, direction=1)
    below = continuation(cycle(e_beak=0.188), "e_beak", (0.18, 0.189), direction=-1)
    for branch, value in ((above, 0.7911248988), (below, 0.1851270027)):
        (end,) = [point for point in branch.special_points if "branch ends" in point.message]
        assert end.value == pytest.approx(value, abs=1e-8)
        assert "beak and impact upper fall together" in end.message
    assert below.stable.all()
    (doubling,) = above.of_kind("period doubling")
    assert doubling.value == pytest.approx(0.6485492, abs=1e-7)
    grazing = above.of_kind("grazing")[-1]
    assert 0.0 < doubling.value - grazing.value < 1e-6
    for e_beak, slope in ((0.6484, -0.957), (doubling.value, -1.0), (0.6487, -1.146)):
        cycle_map = CycleMap(e_beak=e_beak)
        u = fixed_point(cycle_map, 16.9, 17.0)
        assert cycle_map.slope(u, h=1e-7) == pytest.approx(slope, abs=2e-3)
