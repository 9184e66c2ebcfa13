"""Results of the percussion drill: Figs. 5, 6, 8, 9 of the paper of 1992, book 14.2."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import simpson

import nsmb
from nsmb import analysis
from nsmb.systems import percussion_drill

Array = NDArray[np.float64]

INELASTIC = nsmb.EventDriven(impact_law="newton")  # no friction in impacts, as in the sources
EXACT = nsmb.EventDriven(impact_law="newton", rtol=1e-10)
TIP, CAMS = 0, 1


def place(points: analysis.results.SectionPoints) -> Array:
    """Return the positions where disc 1 hits the cams, from 0 (foot) to 1 (top)."""
    p, contour = points.system.parameters, percussion_drill.cams(points.system)
    sigma = p["r"] * (p["Omega"] * points.t + points["phi_0"])  # (14.10)
    return contour.phase(sigma) / contour.flank


def places(orbit: analysis.results.PeriodicOrbit) -> Array:
    contour = percussion_drill.cams(orbit.system)
    return contour.phase(percussion_drill.hits(orbit.solution)) / contour.flank


def settled(Omega: float, cams: int = 600) -> nsmb.State:
    """Return the attractor after some passages of a cam."""
    every_cam = analysis.PoincareMap(percussion_drill(Omega=Omega), analysis.every(), method=EXACT)
    return every_cam.iterate(1, skip=cams).state()


def orbit_at(Omega: float, **parameters: float) -> analysis.results.PeriodicOrbit:
    system = percussion_drill(Omega=Omega, **parameters)
    return analysis.periodic_orbit(system, section_points=1, transient=100, method=EXACT)


def sliding_forces(orbit: analysis.results.PeriodicOrbit) -> Array:
    """Return λ_N of the cams for sliding after each impact, by the closed form (59)."""
    system = orbit.system
    p, contour = system.parameters, percussion_drill.cams(system)
    r, mu = p["r"], p["mu"]
    forces = []
    for event in orbit.solution.events.of_kind("impact"):
        t, q, u = event.t, event.q, event.u_plus
        e_1, e_2 = (float(contour.e(r * (p["Omega"] * t + q[6]), k)) for k in (1, 2))
        free = np.linalg.solve(system.mass_matrix(t, q), system.forces(t, q, u))
        turning = 1 / p["J_0"] + 1 / p["J_1"]
        S = (1 - mu * e_1) / p["m_1"] + e_1 * r**2 * (e_1 + mu) * turning
        bend = e_2 * (r * (p["Omega"] + u[6])) ** 2
        forces.append(-(free[1] - e_1 * r * free[6] - bend) / S)
    return np.array(forces)


def doubling_by_brute_force(values: Array, hits: int, transient: int) -> float:
    """Return the value at which the squared distance of the separating hits is zero."""
    diagram = analysis.bifurcation_diagram(
        percussion_drill(), "Omega", values, section=analysis.on_event("impact", "cams"),
        observe=place,
        transient=transient, samples=4 * hits, method=INELASTIC,
    )  # fmt: skip
    assert (diagram.periods == 2 * hits).all()
    x = diagram.points[:, :, 0]
    split = ((x[:, hits:] - x[:, :-hits]) ** 2).mean(axis=1)
    return float(np.polyfit(split, values, 3)[-1])


@pytest.fixture(scope="module")
def every_cam() -> analysis.results.OrbitBranch:
    orbit = orbit_at(85.0)
    return analysis.continuation(orbit, "Omega", (85.0, 95.0), step=5.0, max_step=50.0)


@pytest.fixture(scope="module")
def two_places(every_cam: analysis.results.OrbitBranch) -> analysis.results.OrbitBranch:
    (doubling,) = every_cam.of_kind("period doubling")
    orbit = doubling.switch_branch(amplitude=0.3)
    return analysis.continuation(
        orbit, "Omega", (90.9, 97.6), step=4.0, max_step=20.0, direction=+1
    )


# ---- Fig. 5: states ------------------------------------------------------------------------------


@pytest.mark.parametrize("Omega", [30.0, 55.0, 85.0])
def test_the_sign_of_the_sliding_force_decides_what_follows_an_impact(Omega: float) -> None:
    """The sequence is Z1 → Z2 → Z3 → Z1 if it is positive, otherwise Z1 → Z2 → Z1."""
    orbit = orbit_at(Omega)
    assert orbit.stable
    (force,) = sliding_forces(orbit)
    slides = "detach cams" in orbit.event_sequence
    assert slides == (force > 0.0)
    assert slides == (Omega < 80.0)
    (impact,) = orbit.solution.events.of_kind("impact")
    after = nsmb.ContactState.SLIP_NEGATIVE if slides else nsmb.ContactState.OPEN
    assert impact.state_minus[CAMS] == nsmb.ContactState.OPEN
    assert impact.state_plus[CAMS] == after
    # As the tip stays closed, its coordinate and velocity are not free.
    assert sorted(orbit.multiplier_kinds)[-2:] == ["constraint", "constraint"]


def test_where_sliding_begins_the_force_behind_the_impact_is_zero(
    two_places: analysis.results.OrbitBranch,
) -> None:
    """The event sequence changes and is named. The tip, closed before, does not graze."""
    (change,) = two_places.of_kind("event sequence")
    assert two_places.of_kind("grazing") == []
    assert "with detach cams" in change.message
    forces = np.sort(np.abs(sliding_forces(change.point)))
    assert forces[0] < 1e-4  # N; measured: 4e-8, and -373 for the other
    assert forces[1] > 10.0


# ---- Fig. 8: the route ---------------------------------------------------------------------------


def test_faster_cams_are_hit_higher_in_smaller_cycles_of_equal_height() -> None:
    """This is Fig. 8 (a), (b)."""
    table = []
    for Omega in (30.0, 50.0, 70.0, 90.0):
        orbit = orbit_at(Omega)
        solution = orbit.solution
        x = solution.at(np.linspace(*solution.t_span, 2000)).q[:, 1]
        table.append((places(orbit)[0], np.ptp(x), x.max()))
    place, size, highest = np.array(table).T
    assert (np.diff(place) > 0).all()
    assert (np.diff(size) < 0).all()
    assert size[0] / size[-1] > 3.5  # measured: 3.8
    assert highest.max() / highest.min() < 1.12  # measured: 1.106


def test_the_first_doubling_is_where_both_ways_find_it(
    every_cam: analysis.results.OrbitBranch,
) -> None:
    """Continuation uses multipliers, brute force the distance of the two positions."""
    (doubling,) = every_cam.of_kind("period doubling")
    assert doubling.accuracy < 1e-6
    assert np.abs(doubling.point.nontrivial + 1.0).min() < 1e-6
    assert (every_cam.stable == (every_cam.values < doubling.value)).all()
    brute = doubling_by_brute_force(np.array([91.1, 91.2, 91.3, 91.4]), 1, 600)
    assert doubling.value == pytest.approx(brute, rel=1e-6)  # measured: 1.4e-8


def test_the_second_doubling_is_where_both_ways_find_it(
    two_places: analysis.results.OrbitBranch,
) -> None:
    doubling, back = two_places.of_kind("period doubling")
    assert doubling.accuracy < 1e-6
    between = (two_places.values > doubling.value) & (two_places.values < back.value)
    assert (two_places.stable == ~between).all()
    brute = doubling_by_brute_force(np.array([94.05, 94.07, 94.09, 94.11]), 2, 1200)
    assert doubling.value == pytest.approx(brute, rel=1e-6)  # measured: 3e-8
    for orbit in two_places.points:
        assert orbit.period == pytest.approx(2 * float(orbit.system.period or 0.0), rel=1e-12)


def test_disturbances_of_a_run_die_out_as_the_multipliers_say() -> None:
    """Before the doubling, positions alternate about their limit, closer by |Λ| per cam."""
    system = percussion_drill(Omega=90.7)
    largest = orbit_at(90.7).nontrivial[0]
    points = analysis.PoincareMap(system, analysis.on_event("impact", "cams"), method=EXACT)
    steps = np.diff(place(points.iterate(100, skip=600)))
    assert (steps[1:] * steps[:-1] < 0).all()
    rate = (steps[80] / steps[0]) ** (1 / 80)
    assert largest == pytest.approx(-rate, abs=1e-5)  # measured: 1.4e-7


def test_the_unstable_orbit_bears_the_pressing_force_too(
    every_cam: analysis.results.OrbitBranch,
) -> None:
    """The momentum balance over a period of an unstable orbit gives the mean force at the tip."""
    orbit = every_cam.points[-1]
    assert not orbit.stable
    sol = nsmb.simulate(
        orbit.system, orbit.t + orbit.period, t_start=orbit.t, q=orbit.q, u=orbit.u,
        method=EXACT, output_step=orbit.period / 800,
    )  # fmt: skip
    pieces = np.split(np.arange(sol.t.size), np.flatnonzero(np.diff(sol.t) == 0.0) + 1)
    force = sol.lambda_N[:, TIP]
    smooth = sum(simpson(force[rows], x=sol.t[rows]) for rows in pieces if rows.size > 1)
    mean = (smooth + sol.events.Lambda_N[:, TIP].sum()) / orbit.period
    assert mean == pytest.approx(150.0, rel=1e-9)  # measured: 6e-12


def test_lyapunov_exponents_of_four_places_are_their_multipliers() -> None:
    """The largest two of Fig. 8 (d) agree by QR over a run and by the monodromy matrix."""
    system, start = percussion_drill(Omega=95.0), settled(95.0)
    orbit = analysis.periodic_orbit(
        system, start=start, transient=0, section_points=4, method=EXACT
    )
    assert orbit.stable
    assert len(places(orbit)) == 4
    assert np.abs(np.diff(np.sort(places(orbit)))).min() > 0.02
    spectrum = analysis.lyapunov_spectrum(
        system, section=analysis.every(), count=160, transient=40, start=start, method=INELASTIC,
        exponents=2,
    )  # fmt: skip
    pair = np.log(np.abs(orbit.nontrivial[:2])) / 4  # per cam, as a complex pair
    assert pair[0] == pytest.approx(pair[1], rel=1e-9)
    assert spectrum.per_point.mean() == pytest.approx(pair[0], rel=2e-2)  # measured: 8e-3


def test_every_second_cam_lives_down_to_where_it_touches_the_skipped_one() -> None:
    """In Fig. 8 (f) and back, the followed gap over the skipped cam is zero where runs leave."""
    start, table = settled(98.6, 400), []
    for Omega in (97.0, 96.7, 96.5, 96.42):
        system = percussion_drill(Omega=Omega)
        begin = nsmb.State(start.t * 98.6 / Omega, start.q, start.u, start.x)
        orbit = analysis.periodic_orbit(
            system, start=begin, section_points=2, transient=100, method=EXACT
        )
        assert orbit.stable
        assert len(orbit.solution.events.of_kind("impact")) == 1
        assert orbit.period == pytest.approx(2 * float(system.period or 0.0), rel=1e-12)
        solution, contour = orbit.solution, percussion_drill.cams(system)
        t = np.linspace(*solution.t_span, 8001)
        q, p = solution.at(t).q, system.parameters
        sigma = p["r"] * (p["Omega"] * t + q[:, 6])
        hit = percussion_drill.hits(solution)[0] // contour.length
        skipped = (sigma // contour.length - hit) % 2 == 1
        gap = q[:, 1] - q[:, 0] - contour.e(sigma)
        table.append((Omega, gap[skipped].min()))
        start, last = orbit, Omega
    values, gaps = np.array(table).T
    border = float(np.polyfit(gaps, values, 2)[-1])
    assert border == pytest.approx(96.3808, abs=1e-3)
    for Omega, stays in ((border + 0.01, True), (border - 0.05, False)):
        system = percussion_drill(Omega=Omega)
        begin = nsmb.State(start.t * last / Omega, start.q, start.u, start.x)
        run = analysis.PoincareMap(system, analysis.on_event("impact", "cams"), method=EXACT)
        points = run.iterate(60, start=begin, skip=200)
        assert (np.ptp(place(points)) < 1e-6) == stays


def test_the_route_repeats_on_every_second_cam() -> None:
    """The motion that hits every second cam doubles its period."""
    system = percussion_drill(Omega=126.0)
    orbit = analysis.periodic_orbit(system, section_points=2, transient=200, method=EXACT)
    branch = analysis.continuation(
        orbit, "Omega", (126.0, 129.0), step=2.0, max_step=40.0, direction=+1
    )
    (doubling,) = branch.of_kind("period doubling")
    brute = doubling_by_brute_force(np.array([127.75, 127.85, 127.95, 128.05]), 1, 700)
    assert doubling.value == pytest.approx(brute, rel=2e-5)  # measured: 3e-6


# ---- Figs. 6 and 9: what the drill does ----------------------------------------------------------


def performance(point: dict[str, float]) -> tuple[float, float]:
    """Removal rate in mm³/s and handle vibration in m/s² where every cam is hit."""
    system = percussion_drill(d_phi=0.25, **point)
    T = float(system.period or 0.0)
    cams = int(np.ceil(1.2 / T))  # the arm settles within 1 s
    sol = nsmb.simulate(system, cams * T, method=INELASTIC, output_step=0)
    start = (cams - 10) * T
    contour, sigma = percussion_drill.cams(system), percussion_drill.hits(sol, start)
    main = contour.phase(sigma) < 0.95 * contour.flank  # without second hits on the top
    assert (np.diff(sigma[main] // contour.length) == 1.0).all()
    return percussion_drill.removal(sol, start) * 1e9, percussion_drill.vibration(sol, 4, 50)


def over(points: list[dict[str, float]]) -> Array:
    with ThreadPoolExecutor(2) as threads:
        result = analysis.sweep(performance, points, executor=threads)
    assert result.success, result.messages
    return np.array(result.results)


def grows(values: Any, axis: int) -> bool:
    return bool((np.diff(values, axis=axis) > 0).all())


def test_removal_rises_with_speed_for_every_pressing_force() -> None:
    """This is Fig. 6."""
    speeds, forces = (30.0, 45.0, 60.0), (100.0, 150.0, 200.0)
    points = [{"Omega": Omega, "F": F} for F in forces for Omega in speeds]
    removal = over(points)[:, 0].reshape(3, 3)
    assert grows(removal, 0)
    assert grows(removal, 1)


def test_more_and_steeper_cams_remove_more_but_shake_differently() -> None:
    """On a grid as in Fig. 9, more cams remove more and shake less, steeper ones increase both."""
    cams, slopes = (7.0, 9.0, 11.0), (0.35, 0.45, 0.55)
    table = over([{"Omega": 40.0, "n": n, "alpha": alpha} for n in cams for alpha in slopes])
    removal, vibration = table.T.reshape(2, 3, 3)
    assert grows(removal, 0)
    assert grows(-vibration, 0)
    assert grows(removal, 1)
    assert grows(vibration, 1)


def test_removal_of_orbits_is_that_of_runs() -> None:
    """It rises with the pressing force, as in Fig. 6."""
    rates = []
    for F in (100.0, 150.0, 200.0):
        orbit = orbit_at(40.0, F=F, d_phi=0.25)
        rates.append(1e9 * percussion_drill.removal(orbit.solution))
        run = performance({"Omega": 40.0, "F": F})[0]
        assert rates[-1] == pytest.approx(run, rel=1e-6)  # measured: 8e-8
    assert grows(rates, 0)
