"""Independent parts of a system move separately, and the result is that of the whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.analysis import crossing
from nsmb.analysis.maps.crossings import Crossings

UNDIVIDED = nsmb.EventDriven(divide=False)
DIVIDED = nsmb.EventDriven(divide=True)
Floats = NDArray[np.float64]


def random_blocks(seed: int) -> tuple[nsmb.LinearSystem, Floats, Floats]:
    """Return interleaved groups of one to three masses with stops and friction.

    Each group is pressed on its floor or in flight, is driven at its own frequency, and has no
    connection to the others.
    """
    r = np.random.default_rng(seed)
    sizes = [int(k) for k in r.integers(1, 4, int(r.integers(2, 6)))]
    n = sum(sizes)
    order = r.permutation(n)
    M, K, D = np.zeros((3, n, n))
    contacts, pulls, constant = [], [], np.zeros(n)
    q, u = np.zeros(n), np.zeros(n)
    first = 0
    for k, size in enumerate(sizes):
        own = order[first : first + size]
        first += size
        L = np.eye(size) + 0.2 * r.standard_normal((size, size))
        S = 0.5 * r.standard_normal((size, size))
        grid = np.ix_(own, own)
        M[grid], K[grid], D[grid] = L @ L.T, 20.0 * S @ S.T, 0.3 * np.eye(size)
        w_N, w_T = np.zeros((2, n))
        w_N[own] = 0.3 + np.abs(r.standard_normal(size))
        if size > 1:
            w_T[own] = r.standard_normal(size)
        law = nsmb.ContactLaw(mu=0.2 * float(size > 1), e_N=float(r.uniform(0.2, 0.7)))
        contacts.append(nsmb.Contact(w_N=w_N, w_T=w_T, law=law, name=f"stop {k}"))
        if r.uniform() < 0.5:
            row = np.zeros(n)
            row[own] = r.standard_normal(size)
            contacts.append(nsmb.Friction(w_T=row, bound=0.4, name=f"brake {k}"))
        constant[own] = -9.81 * w_N[own]
        pull = np.zeros(n)
        pull[own] = 3.0 * r.standard_normal(size)
        pulls.append(nsmb.Harmonic(pull, float(r.uniform(3.0, 9.0))))
        q[own] = float(r.uniform(0.05, 0.4)) * w_N[own]
        u[own] = 0.5 * r.standard_normal(size)
    force = nsmb.Force(constant=constant, harmonics=pulls)
    return nsmb.LinearSystem(M, K, D, force=force, contacts=contacts), q, u


def involved(event: nsmb.results.Event, names: tuple[str, ...]) -> set[str]:
    """Return the contacts that take part in an event, without impulses due to rounding."""
    if event.kind.label != "impact":
        return set(event.contacts)
    return {names[i] for i in np.flatnonzero(event.Lambda_N > 1e-9)}


def lonely_instants(sol: nsmb.Solution) -> list[tuple[str, float]]:
    """Return the events without another event at the same contact within 1e-4 s.

    The end of an accumulation of impacts depends on rounding, and so does a limit that is reached
    and left.
    """
    found = []
    for name in sol.contact_names:
        t = instants(sol, name)
        gaps = np.diff(np.r_[-1.0, t, np.inf])
        found += [(name, float(x)) for x in t[np.minimum(gaps[:-1], gaps[1:]) > 1e-4]]
    return found


def instants(sol: nsmb.Solution, name: str) -> Floats:
    return np.array([e.t for e in sol.events if name in involved(e, sol.contact_names)])


def all_met(expected: list[tuple[str, float]], sol: nsmb.Solution) -> None:
    for name, t in expected:
        assert np.min(np.abs(instants(sol, name) - t)) < 1e-7, (name, t)


@pytest.mark.parametrize("seed", range(12))
def test_the_divided_run_is_the_undivided_one(seed: int) -> None:
    system, q, u = random_blocks(seed)
    divided = nsmb.Simulator(system, DIVIDED, output_step=0.05)
    whole = nsmb.Simulator(system, UNDIVIDED, output_step=0.05)
    assert divided._core.part_count > 1
    assert whole._core.part_count == 0
    for simulator in (divided, whole):
        simulator.reset(q=q, u=u)
        simulator.advance(1.5)
    a, b = divided.solution, whole.solution
    # Rounding: measured 3e-15 m, the margin is 300.
    grid = np.linspace(0.0, 1.5, 301)
    np.testing.assert_allclose(a.at(grid).q, b.at(grid).q, atol=1e-12)
    first, second = lonely_instants(a), lonely_instants(b)
    assert len(first) > 5
    all_met(first, b)
    all_met(second, a)
    np.testing.assert_array_equal(divided.contact_state, whole.contact_state)
    np.testing.assert_allclose(
        a.stats["impact_loss"], b.stats["impact_loss"], rtol=1e-7, atol=1e-12
    )
    np.testing.assert_allclose(
        a.stats["friction_loss"], b.stats["friction_loss"], rtol=1e-6, atol=1e-9
    )
    for t in grid[1:-1:7]:
        rows_a, rows_b = np.isclose(a.t, t, atol=1e-12), np.isclose(b.t, t, atol=1e-12)
        if rows_a.sum() != 1 or rows_b.sum() != 1:
            continue
        np.testing.assert_allclose(a.g_N[rows_a], b.g_N[rows_b], atol=1e-8)
        np.testing.assert_allclose(a.lambda_N[rows_a], b.lambda_N[rows_b], atol=1e-5)


def test_both_sides_of_every_event_are_samples_of_the_whole_system() -> None:
    system, q, u = random_blocks(3)
    sol = nsmb.simulate(system, 1.0, q=q, u=u, method=DIVIDED)
    assert np.all(np.diff(sol.t) >= 0.0)
    assert np.all(np.diff(sol.events.t) >= 0.0)
    for event in sol.events:
        rows = np.flatnonzero(sol.t == event.t)
        assert rows.size >= 2
        np.testing.assert_allclose(
            sol.q[rows], np.broadcast_to(event.q, (rows.size, system.nq)), atol=1e-10
        )
        assert np.any(np.all(sol.u[rows] == event.u_minus, axis=1)) or rows.size > 2
    # Every row satisfies the kinematics g_N = w_Nᵀ q + gap.
    W = system.contact_kinematics(0.0, np.zeros(system.nq), np.zeros(system.nq))["W_N"]
    unilateral = [i for i, c in enumerate(system.contacts) if c.is_unilateral]
    np.testing.assert_allclose(
        sol.g_N[:, unilateral], (sol.q @ W)[:, unilateral], atol=1e-12, rtol=1e-12
    )


def balls(heights: Floats, e_N: float = 0.5) -> nsmb.LinearSystem:
    n = heights.size
    law = nsmb.ContactLaw(e_N=e_N)
    return nsmb.LinearSystem(
        np.eye(n),
        force=np.full(n, -9.81),
        contacts=[nsmb.Contact(w_N=row, law=law) for row in np.eye(n)],
        initial_state=nsmb.State(0.0, heights, np.zeros(n)),
    )


def test_impacts_at_one_instant_are_one_event() -> None:
    """Two of three balls fall from the same height, and arrive at sqrt(2 h/g)."""
    sol = nsmb.simulate(balls(np.array([0.2, 0.3, 0.2])), 0.3, method=DIVIDED)
    event, other = sol.events[0], sol.events[1]
    assert sol.stats["impacts"] == len(sol.events) == 2
    assert event.contacts == ("contact_1", "contact_3")
    assert other.contacts == ("contact_2",)
    np.testing.assert_allclose(event.t, np.sqrt(0.4 / 9.81), rtol=1e-14)
    v = np.sqrt(2.0 * 9.81 * 0.2)
    np.testing.assert_allclose(event.u_minus[[0, 2]], -v, rtol=1e-13)
    np.testing.assert_allclose(event.u_plus[[0, 2]], 0.5 * v, rtol=1e-13)
    np.testing.assert_allclose(event.u_plus[1], -9.81 * event.t, rtol=1e-13)
    np.testing.assert_allclose(event.Lambda_N, [1.5 * v, 0.0, 1.5 * v], rtol=1e-13)
    np.testing.assert_allclose(event.energy_loss, 2 * 0.375 * v**2, rtol=1e-13)


def test_an_impact_restarts_its_own_part_alone() -> None:
    """Steps in free fall have maximum length: one for each flight, and one at the end."""
    n = 20
    sol = nsmb.simulate(balls(np.linspace(0.1, 0.4, n), 0.8), 0.5, method=DIVIDED, output_step=0.0)
    assert sol.stats["steps"] == sol.stats["impacts"] + n


def test_stepping_stops_at_every_event_and_between_them() -> None:
    system, q, u = random_blocks(5)
    reference = nsmb.simulate(system, 1.0, q=q, u=u, method=DIVIDED, output_step=0.0)
    simulator = nsmb.Simulator(system, DIVIDED, output_step=0.0)
    simulator.reset(q=q, u=u)
    met: list[float] = []
    for stop in np.linspace(0.1, 1.0, 10):
        while simulator.t < stop:
            event = simulator.step(t_max=float(stop))
            if event is not None:
                met.append(event.t)
            # The results available here cover the run up to now, and nothing later.
            sol = simulator.solution
            assert sol.t_span == (0.0, simulator.t)
            at = sol.at(simulator.t)
            np.testing.assert_array_equal(at.q, simulator.q)
            np.testing.assert_allclose(
                sol.at(0.5 * simulator.t).q, reference.at(0.5 * simulator.t).q, atol=1e-9
            )
    np.testing.assert_allclose(np.unique(met), np.unique(reference.events.t), rtol=1e-9)
    simulator.reset(q=q, u=u)
    simulator.advance(1.0)
    np.testing.assert_array_equal(simulator.q, reference.q[-1])  # bitwise identical


def test_numerical_integration_takes_the_steps_each_part_needs() -> None:
    """A stiff oscillator beside a slow one with the closed form cos t."""
    K = np.diag([1.0, 1e6])
    system = nsmb.LinearSystem(np.eye(2), K=K)
    method = nsmb.EventDriven(integrator="dp853", rtol=1e-10, divide=True)
    sol = nsmb.simulate(system, 3.0, q=[1.0, 1e-3], method=method, output_step=0.0)
    part = sol._data["step_part"]
    assert np.sum(part == 0) < 40 < 1000 < np.sum(part == 1)
    t = np.linspace(0.0, 3.0, 50)
    np.testing.assert_allclose(sol.at(t).q[:, 0], np.cos(t), atol=1e-8)


def test_what_joins_coordinates_keeps_them_together() -> None:
    def parts(**how: object) -> int:
        system = nsmb.LinearSystem(np.eye(3), **how)  # type: ignore[arg-type]
        return nsmb.Simulator(system, DIVIDED)._core.part_count

    joined = np.eye(3) + 0.1 * (np.eye(3, k=1) + np.eye(3, k=-1))
    pair = nsmb.Contact(w_N=[1.0, -1.0, 0.0])
    assert parts() == 3
    assert parts(K=joined) == parts(D=joined) == 0
    assert parts(contacts=[pair]) == 2
    assert parts(contacts=[pair, nsmb.Contact(w_N=[0.0, 1.0, 1.0])]) == 0
    assert parts(contacts=[nsmb.Friction(w_T=[0.0, 1.0, 1.0], bound=1.0)]) == 2
    below = nsmb.Contact(w_N=[1.0, 0.0, 0.0], name="below")
    rub = nsmb.Friction(w_T=[0.0, 0.0, 1.0], mu=0.2, normal="below")
    assert parts(contacts=[below, rub]) == 2
    assert parts(elements=[nsmb.ForceElement(w=[1.0, 0.0, 1.0], law=nsmb.GapForce(1.0, 1.0))]) == 2
    assert parts(force=lambda t: np.zeros(3)) == 0


def test_the_derivative_is_that_of_the_undivided_run() -> None:
    system, q, u = random_blocks(1)
    sol = nsmb.simulate(system, 0.3, q=q, u=u, method=DIVIDED, sensitivity=True)
    plain = nsmb.simulate(system, 0.3, q=q, u=u, method=DIVIDED)
    assert sol.sensitivity is not None
    np.testing.assert_allclose(sol.q[-1], plain.q[-1], atol=1e-10)


def test_a_start_that_is_refused_leaves_the_run_as_it_was() -> None:
    simulator = nsmb.Simulator(balls(np.array([0.2, 0.3])), DIVIDED, output_step=0.0)
    simulator.advance(0.1)
    with pytest.raises(ValueError, match="contact_2"):
        simulator.reset(q=[0.2, -0.3])
    simulator.advance(0.15)
    np.testing.assert_allclose(simulator.q, np.array([0.2, 0.3]) - 0.5 * 9.81 * 0.15**2, rtol=1e-13)


def test_files_keep_the_parts(tmp_path: object) -> None:
    system, q, u = random_blocks(2)
    sol = nsmb.simulate(system, 0.5, q=q, u=u, method=DIVIDED)
    path = f"{tmp_path}/run.npz"
    sol.save(path)
    again = nsmb.Solution.load(path)
    t = np.linspace(0.0, 0.5, 20)
    np.testing.assert_array_equal(again.at(t).q, sol.at(t).q)
    for a, b in pairwise(sol.at(t, side).contact_state for side in ("left", "right")):
        assert a.shape == b.shape


def test_max_events_counts_those_of_all_parts() -> None:
    system = balls(np.linspace(0.1, 0.2, 5), 0.9)
    method = nsmb.EventDriven(max_events=20, divide=True)
    sol = nsmb.simulate(system, 5.0, method=method, throw=False)
    assert sol.status == "event_limit"
    assert len(sol.events) == 21


def test_many_parts_are_divided_unless_told_otherwise() -> None:
    def parts(n: int, **options: bool) -> int:
        return nsmb.Simulator(balls(np.full(n, 0.2)), nsmb.EventDriven(**options))._core.part_count

    assert [parts(n) for n in (1, 2, 3, 4, 5)] == [0, 0, 0, 4, 5]
    assert parts(3, divide=True) == 3
    assert parts(1, divide=True) == 0
    assert parts(5, divide=False) == 0
    with pytest.raises(ValueError, match="divide: expected True or False, got 'yes'"):
        parts(5, divide="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
def test_forces_that_jump_in_time_stop_every_part(integrator: str) -> None:
    """Three masses, pushed by pulses: s = F/m (t_e - t_b)(t - (t_b + t_e)/2) after them."""
    pulses = [
        nsmb.Pulse([2.0, 0.0, 0.0], 0.1, 0.3),
        nsmb.Pulse([0.0, 1.0, 1.0], 0.2, 0.35),
        nsmb.Pulse([0.0, 0.0, 3.0], 0.3, 0.5),
    ]
    system = nsmb.LinearSystem(np.eye(3), force=nsmb.Force(pulses=pulses))
    method = nsmb.EventDriven(integrator=integrator, divide=True)
    simulator = nsmb.Simulator(system, method)
    assert simulator._core.part_count == 3
    for t in (0.15, 0.3, 0.3 + 1e-9, 1.0):
        simulator.advance(t)
    q = [0.4 * 0.8, 0.15 * 0.725, 0.15 * 0.725 + 0.6 * 0.6]
    np.testing.assert_allclose(simulator.q, q, rtol=1e-12)
    # Both sides of the start and the end of each pulse are samples.
    t = simulator.solution.t
    assert all(np.sum(t == border) >= 2 for border in (0.1, 0.2, 0.3, 0.35, 0.5))


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
def test_the_balance_of_energy_is_that_of_the_undivided_run(integrator: str) -> None:
    system, q, u = random_blocks(4)
    divided, whole = (
        nsmb.simulate(
            system, 1.0, q=q, u=u, method=nsmb.EventDriven(integrator=integrator, divide=divide)
        )
        for divide in (True, False)
    )
    # Of 130 J. Measured 6e-14 in closed form and 7e-8 by dp853 at rtol 1e-8; the margin is 30.
    tolerance = 2e-12 if integrator == "auto" else 2e-6
    for name in ("kinetic", "potential", "work", "friction_loss", "impact_loss"):
        a, b = (getattr(sol.energy, name) for sol in (divided, whole))
        np.testing.assert_allclose(a[-1], b[-1], atol=tolerance)
    assert np.abs(divided.energy.residual).max() < tolerance


def test_sections_of_a_divided_motion_are_met_where_they_are() -> None:
    """Four oscillators cos(k t): the third passes 0 upwards at 3 t = 3/2 π + 2 π k."""
    system = nsmb.LinearSystem(np.eye(4), K=np.diag([1.0, 4.0, 9.0, 16.0]))
    simulator = nsmb.Simulator(system)
    assert simulator._core.part_count == 4
    simulator.reset(q=np.ones(4))
    found = Crossings(simulator, crossing(system.coordinates[2], direction=1)).iterate(4, 20.0)
    expected = (1.5 + 2.0 * np.arange(4)) * np.pi / 3.0
    np.testing.assert_allclose(found["t"], expected, rtol=1e-12)


def test_samples_that_are_dropped_leave_the_motion_as_it_is() -> None:
    system, q, u = random_blocks(6)
    simulator = nsmb.Simulator(system, DIVIDED, output_step=0.0)
    simulator.reset(q=q, u=u)
    simulator.step(t_max=1.0)
    kept = nsmb.simulate(system, 1.0, q=q, u=u, method=DIVIDED, output_step=0.0)
    for t in (0.4, 0.7, 1.0):
        simulator._core.forget()
        first = simulator.t
        simulator.advance(t)
        grid = np.linspace(first, t, 20)
        np.testing.assert_allclose(simulator.solution.at(grid).q, kept.at(grid).q, atol=1e-12)


def flying_boxes() -> nsmb.System:
    """Boxes side by side that fall on a floor, so that contact points appear and disappear."""
    model = nsmb.Model(gravity=(0.0, -9.81))
    floor = model.ground.contour("floor", nsmb.geometry.Line())
    law = nsmb.ContactLaw(mu=0.4, e_N=0.3)
    corners = [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
    initial = {}
    for k in range(4):
        body = model.add_body(f"b{k}", mass=1.0, inertia=1.0 / 60.0)
        model.add_joint(f"j{k}", nsmb.joints.Planar(), model.ground, body)
        model.add_contact(floor, body.contour("box", nsmb.geometry.Polygon(corners)), law)
        initial[f"j{k}"] = (1.0 * k, 0.15 + 0.03 * k, 0.1 * k)
    return model.build(initial=initial)


@pytest.mark.parametrize("dense_output", [True, False])
@pytest.mark.parametrize("output_step", [0.0, 0.03])
@pytest.mark.parametrize("scene", ["closed form", "dp853", "boxes"])
def test_who_asks_for_the_samples_on_the_way_gets_the_same_ones(
    scene: str, output_step: float, dense_output: bool
) -> None:
    system, q, u = (flying_boxes(), None, None) if scene == "boxes" else random_blocks(2)
    method = replace(DIVIDED, dense_output=dense_output)
    if scene == "dp853":
        method = replace(method, integrator="dp853")
    solutions = []
    for asks in (False, True):
        simulator = nsmb.Simulator(system, method, output_step=output_step)
        simulator.reset(q=q, u=u)
        for t in np.linspace(0.1, 0.5, 5):
            while simulator.t < t:
                simulator.step(t_max=float(t))
                if asks:
                    assert simulator.solution.t[-1] == simulator.t
        solutions.append(simulator.solution)
    assert len(solutions[0].events) > 4
    for name, table in solutions[0]._data.items():
        np.testing.assert_array_equal(table, solutions[1]._data[name], err_msg=name)


def test_samples_at_events_of_others_lie_on_the_dense_output() -> None:
    """Within a step the motion is one polynomial, for samples and for later evaluations."""
    system, q, u = random_blocks(2)
    method = replace(DIVIDED, integrator="dp853")
    sol = nsmb.simulate(system, 1.0, q=q, u=u, method=method, output_step=0.0)
    data, q_parts = sol._data, sol._data["part_of_y"][: sol.q.shape[1]]
    met = 0
    for t, row in zip(sol.t, sol.q, strict=True):
        ends = (data["step_start"] == t) | (data["step_end"] == t)
        inside = ~np.isin(q_parts, data["step_part"][ends])
        met += int(inside.sum())
        np.testing.assert_allclose(sol.at(t).q[inside], row[inside], rtol=0.0, atol=1e-15)
    assert met > 100


def test_max_memory_counts_samples_that_nobody_has_asked_for_yet() -> None:
    """Samples count towards the limit as soon as they are requested."""
    most = 2e7
    method = nsmb.EventDriven(max_memory=most)
    q = np.linspace(0.01, 0.4, 60)
    sol = nsmb.simulate(balls(q, 1.0), 200.0, method=method, output_step=0.0, throw=False)
    assert sol.status == "memory_limit"
    kept = sum(table.nbytes for table in sol._data.values())
    # Capacities are up to twice the used size; 256 steps between two checks are some 3 MB.
    assert 0.4 * most < kept < 1.2 * most
