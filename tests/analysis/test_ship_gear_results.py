"""Amplitudes, hysteresis and folds of the ship-turning gear.

References are the describing function and motions matched piece by piece.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import nsmb
from nsmb.analysis import bifurcation_diagram, continuation, periodic_orbit
from nsmb.analysis.branches.branch import measure_orbit
from nsmb.analysis.results import OrbitBranch, PeriodicOrbit
from nsmb.systems import ship_turning_gear
from tests.oracles.ship_turning_gear import Symmetric, folds

Array = NDArray[np.float64]

RATIOS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
PLAYS = (0.0, 1.0, 2.0, 4.0, 8.0)


def near(r: float, p: float, y: float) -> PeriodicOrbit:
    """Return the orbit found by Newton's method from the harmonic motion (12.36), (12.37)."""
    k = float(ship_turning_gear.stiffness(y / p)) if p > 0.0 else 1.0
    z = y / complex(k - r**2, 0.1 * r) * abs(complex(k - r**2, 0.1 * r))
    start = nsmb.State(0.0, np.array([z.real]), np.array([-r * z.imag]))
    return periodic_orbit(ship_turning_gear(r=r, p=p), start=start, section_points=1)


def amplitude(orbit: PeriodicOrbit) -> float:
    return measure_orbit(orbit, "amplitude:x")


def upper(r: float, p: float) -> PeriodicOrbit:
    return near(r, p, float(ship_turning_gear.amplitudes(r, p)[-1]))


@pytest.fixture(scope="module")
def branch() -> OrbitBranch:
    """Return the branch at r = 0.8, from small backlash through both folds to free motion."""
    return continuation(upper(0.8, 4.0), "p", (1.0, 9.0))


def away(r: float, p: float) -> bool:
    """Return True at more than a tenth of the backlash from the folds."""
    return bool((np.abs(p / ship_turning_gear.folds(r) - 1.0) > 0.1).all())


def test_amplitudes_are_those_of_the_describing_function_within_four_percent() -> None:
    """The table of the spec has the outer amplitudes where there are three."""
    errors = []
    for r, p in itertools.product(RATIOS, PLAYS):
        expected = ship_turning_gear.amplitudes(r, p)
        for y in expected[::2]:
            orbit = near(r, p, y)
            error = amplitude(orbit) / y - 1.0
            if away(r, p):
                errors.append(abs(error))
            if p == 0.0 or 2.0 * y <= p:
                assert abs(error) < 1e-4  # sampled; exact without backlash or contact
            # Neutral where the motion does not touch, otherwise stable.
            assert orbit.stable or orbit.multipliers[0] == pytest.approx(1.0, abs=1e-9)
            assert orbit.stable == (2.0 * y > p)
    assert len(errors) == 30
    assert max(errors) < 0.04  # measured 0.0396 at r = 0.6, p = 4: 1.5 % from r = 0.8 on


@pytest.mark.parametrize(("r", "p"), [(0.7, 8.0), (0.8, 4.0)])
def test_of_three_amplitudes_the_one_in_the_middle_is_unstable(r: float, p: float) -> None:
    y = ship_turning_gear.amplitudes(r, p)[1]
    orbit = near(r, p, y)
    assert amplitude(orbit) == pytest.approx(y, rel=0.04)
    (first, _), (second, _) = folds(r)
    exact = Symmetric(brentq(lambda at: Symmetric(at, r).play - p, first, second, xtol=1e-14), r)
    assert np.abs(orbit.multipliers) == pytest.approx(np.abs(exact.multipliers), abs=1e-9)
    assert orbit.multipliers[0].real > 2.0


def test_folds_are_those_of_the_matched_motions(branch: OrbitBranch) -> None:
    """The describing function agrees within 1 %, continuation up to rounding."""
    found = sorted(point.value for point in branch.of_kind("fold"))
    exact = [play for _, play in folds(0.8)]
    assert found == pytest.approx(exact, abs=1e-10)  # measured: 2e-14, flat extrema
    assert found == pytest.approx(ship_turning_gear.folds(0.8), rel=0.01)
    assert all(point.accuracy < 1e-8 for point in branch.of_kind("fold"))


@pytest.mark.parametrize(("r", "start", "end"), [(0.6, 16.0, 18.5), (0.9, 3.0, 4.2)])
def test_the_upper_amplitude_ends_in_the_fold_of_the_matched_motions(
    r: float, start: float, end: float
) -> None:
    """There the noise of the gear ends, at 17.7 and 3.69 by the describing function."""
    found = continuation(upper(r, start), "p", (start - 0.5, end), direction=1, max_points=30)
    fold = found.of_kind("fold")[0]
    exact = folds(r)[1][1]
    assert fold.value == pytest.approx(exact, abs=1e-10)  # measured 1e-13
    assert fold.value == pytest.approx(ship_turning_gear.folds(r)[1], rel=0.01)


def stay(orbit: PeriodicOrbit) -> float:
    """Return the time beyond one side of the backlash, 0 if it is not left."""
    labels, times = orbit.event_sequence, orbit.event_times
    for k, (one, other) in enumerate(itertools.pairwise(labels)):
        if one == other:
            return float(times[k + 1] - times[k])
    return 0.0


def test_every_orbit_of_the_branch_is_a_matched_motion(branch: OrbitBranch) -> None:
    """Amplitude and multipliers agree for stable and unstable orbits through both folds."""
    stays = np.array([stay(orbit) for orbit in branch.points])
    touching = np.flatnonzero(stays > 0.05)
    assert touching.size > 40
    assert (np.diff(stays[touching]) < 0.0).all()
    for k in touching[::4]:
        orbit, exact = branch.points[k], Symmetric(stays[k], 0.8)
        assert exact.play == pytest.approx(branch.values[k], abs=1e-9)
        assert amplitude(orbit) == pytest.approx(exact.amplitude, rel=1e-4)  # sampled
        assert np.abs(orbit.multipliers) == pytest.approx(np.abs(exact.multipliers), abs=1e-6)
    first, second = (at for at, _ in folds(0.8))
    between = (stays > first) & (stays < second)
    assert np.array_equal(branch.stable[touching], ~between[touching])


def swept(r: float, plays: Array) -> dict[str, Array]:
    """Return amplitudes by direction. Each motion starts at the end of its neighbour."""
    diagram = bifurcation_diagram(
        ship_turning_gear(r=r), "p", plays, observe="x", follow="both", transient=80, samples=1
    )
    assert set(diagram.status) == {"finished"}
    found: dict[str, list[float]] = {"up": [], "down": []}
    for k, p in enumerate(diagram.values):
        system, state = ship_turning_gear(r=r, p=float(p)), diagram.state(k)
        assert system.period is not None
        run = nsmb.simulate(
            system, state.t + system.period, t_start=state.t, q=state.q, u=state.u, output_step=0
        )
        x = run.at(np.linspace(*run.t_span, 400)).q
        found[diagram.direction[k]].append(float(np.ptp(x) / 2.0))
    return {way: np.array(values) for way, values in found.items()}


@pytest.mark.parametrize("r", [0.8, 0.9])
def test_hysteresis_jumps_within_the_step_of_the_sweep(r: float) -> None:
    """Upwards it follows the upper amplitudes to their fold, downwards the lower ones."""
    step = 0.25
    plays = np.arange(1.5, 8.01, step)
    found = swept(r, plays)
    low, high = (play for _, play in folds(r))
    for way, fold in (("up", high), ("down", low)):
        expected = [ship_turning_gear.amplitudes(r, p) for p in plays]
        outer = np.array(
            [y[-1] if p < fold else y[0] for p, y in zip(plays, expected, strict=True)]
        )
        here = np.array([away(r, p) for p in plays])
        assert found[way][here] == pytest.approx(outer[here], rel=0.04)  # measured 0.015
        # Just beyond the fold the amplitude stays large for a while.
        jump = int(np.argmax(np.abs(np.diff(np.log(found[way])))))
        assert plays[jump] <= fold <= plays[jump + 1]
    between = (plays > low) & (plays < high)
    assert (found["up"][between] > 2.0 * found["down"][between]).all()
    same = here & ~between
    assert found["up"][same] == pytest.approx(found["down"][same], rel=1e-4)  # measured 3e-6


def test_a_fine_sweep_drops_within_a_tenth_of_a_percent_of_the_fold(branch: OrbitBranch) -> None:
    """Brute force passes a fold late, never early, because the motion lingers at lost orbits."""
    fold = max(point.value for point in branch.of_kind("fold"))
    plays = fold + 2e-3 * np.arange(-3.5, 3.0)
    begin = upper(0.8, float(plays[0]))
    diagram = bifurcation_diagram(
        ship_turning_gear(r=0.8), "p", plays, observe="x_dot", transient=300, samples=1,
        start=nsmb.State(begin.t, begin.q, begin.u),
    )  # fmt: skip
    # Its final position in the backlash is arbitrary, its velocity at the section is not.
    free = -0.8 * (1.0 / complex(-(0.8**2), 0.08)).imag
    dropped = np.abs(diagram.points[:, 0, 0] - free) < 1e-2
    (drop,) = np.flatnonzero(np.diff(dropped))
    assert plays[drop] > fold - 2e-3
    assert fold < plays[drop + 1] < 1.001 * fold  # measured 1.0004


def test_motions_within_the_play_are_a_family() -> None:
    """Free motions may be shifted in x: one multiplier is 1, the other exp(-d T)."""
    r, p = 0.8, 4.0
    room = p / 2.0 - 1.0 / np.hypot(r**2, 0.1 * r)
    z = 1.0 / complex(-(r**2), 0.1 * r)
    for shift in room * np.array([-0.95, 0.0, 0.6]):
        start = nsmb.State(0.0, np.array([z.real + shift]), np.array([-r * z.imag]))
        orbit = periodic_orbit(ship_turning_gear(r=r, p=p), start=start, section_points=1)
        assert orbit.event_sequence == ()
        sample = orbit.solution.at(np.linspace(*orbit.solution.t_span, 400)[:-1])
        assert sample.q.mean() == pytest.approx(shift, abs=1e-9)
        expected = [1.0, np.exp(-0.1 * orbit.period / r * r)]
        assert orbit.multipliers == pytest.approx(expected, abs=1e-9)


def test_a_motion_within_the_play_keeps_its_place_until_there_is_no_room() -> None:
    """Continuation takes the nearest motion of the family.

    An off-centre motion stays there, then follows the side that it touches. It joins the symmetric
    motions where the family shrinks to one, at p = 2/√(r⁴ + 4 D_L² r²).
    """
    r, p, shift = 0.8, 4.0, 0.2
    z = 1.0 / complex(-(r**2), 0.1 * r)
    start = nsmb.State(0.0, np.array([z.real + shift]), np.array([-r * z.imag]))
    orbit = periodic_orbit(ship_turning_gear(r=r, p=p), start=start, section_points=1)
    found = continuation(orbit, "p", (2.0, 5.0), direction=-1)
    assert found.status == "finished"  # after the fold it returns to large backlash
    fold, joins, leaves = found.special_points
    assert (fold.kind, joins.kind, leaves.kind) == ("fold", "grazing", "grazing")
    assert fold.value == pytest.approx(folds(r)[0][1], abs=1e-10)  # measured 1e-14
    assert joins.value == pytest.approx(2.0 * abs(z), abs=1e-6)  # measured: 1e-7, by kinks
    assert leaves.value == pytest.approx(2.0 * (abs(z) + shift), abs=1e-8)  # measured 2e-10
    free = np.array([orbit.event_sequence == () for orbit in found.points])
    one_sided = np.array([len(orbit.event_sequence) == 2 for orbit in found.points])
    places = np.array(
        [o.solution.at(np.linspace(*o.solution.t_span, 401)[:-1]).q.mean() for o in found.points]
    )
    assert places[free] == pytest.approx(np.full(free.sum(), shift), abs=1e-8)
    room = found.values / 2.0 - abs(z)
    assert places[one_sided] == pytest.approx(room[one_sided], abs=1e-6)  # measured 6e-8
    assert np.abs(places[~free & ~one_sided]).max() < 1e-6
    assert (free.sum(), one_sided.sum()) >= (4, 3)
