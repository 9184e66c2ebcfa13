"""`Solution.check` passes runs and detects tampered ones by the rule they break."""

import pickle

import numpy as np
import pytest

import nsmb


@pytest.fixture(scope="module")
def toy():
    return nsmb.simulate(nsmb.systems.woodpecker(), 0.6)


def tampered(sol, **changes):
    """Return the solution with other arrays. Functions modify a copy."""
    rebuild, (cls, data, about) = sol.__reduce__()
    copies = dict(data)
    for name, change in changes.items():
        copies[name] = data[name].copy()
        change(copies[name])
    return rebuild(cls, copies, about)


def rules(result):
    return {violation.rule for violation in result.violations}


@pytest.mark.parametrize(
    "name", ["woodpecker", "bouncing_ball", "belt_oscillator", "stick_slip_oscillator",
             "rocking_rod", "superball", "two_point_masses", "oblique_oscillator", "mass_tower",
             "ball_on_table", "gear_rattling", "impact_oscillator", "incline_block"]
)  # fmt: skip
def test_ready_made_systems_pass(name):
    sol = nsmb.simulate(nsmb.systems.build(name), 0.5, throw=False)
    result = sol.check()
    assert result.ok, repr(result)
    assert bool(result)
    assert "ok" in repr(result)


def test_run_with_newtons_law_passes():
    method = nsmb.EventDriven(impact_law="newton")
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, method=method)
    assert sol.check().ok


def test_numerical_integration_passes():
    method = nsmb.EventDriven(integrator="dp853", rtol=1e-9)
    assert nsmb.simulate(nsmb.systems.woodpecker(), 0.3, method=method).check().ok


def test_speeds_of_a_run_from_rest_to_rest_are_those_between_its_samples():
    # A bead slides down a rough parabola y = x^2 until it sticks, and its only samples are at rest.
    # Gap and friction are integrated, so that closed means 1e-8 of the speeds.
    q = nsmb.symbolic.coordinates("x y")
    v = nsmb.symbolic.velocities(*q)
    contact = nsmb.Contact(
        gap=q[1] - q[0] ** 2,
        slip=(v[0] + 2 * q[0] * v[1]) / (1 + 4 * q[0] ** 2) ** 0.5,
        law=nsmb.ContactLaw(0.9, 0.0),
    )
    energy = (v[0] ** 2 + v[1] ** 2) / 2
    system = nsmb.symbolic.LagrangianSystem(q, energy, 9.81 * q[1], contacts=[contact])
    method = nsmb.EventDriven(rtol=1e-6)
    sol = nsmb.simulate(system, 3.0, q=[-0.6, 0.36], u=[0.0, 0.0], method=method, output_step=0.0)
    assert list(sol.events.kinds) == ["stick"]
    assert np.abs(sol.u).max() < 1e-12
    result = sol.check()
    assert result.ok, repr(result)


def closed_row(sol):
    rows, contacts = np.nonzero(sol.contact_state > 0)
    middle = rows.size // 2
    return rows[middle], contacts[middle]


def open_row(sol):
    rows, contacts = np.nonzero(sol.contact_state == 0)
    middle = rows.size // 2
    return rows[middle], contacts[middle]


def test_penetration_is_caught(toy):
    row, contact = open_row(toy)

    def change(g_N):
        g_N[row, contact] = -0.01

    result = tampered(toy, g_N=change).check()
    assert "g_N >= 0" in rules(result)
    violation = next(v for v in result.violations if v.rule == "g_N >= 0")
    assert (violation.row, violation.contact) == (row, toy.contact_names[contact])
    assert violation.t == toy.t[row]
    assert "g_N >= 0" in repr(result)
    assert not result


def test_pulling_forces_are_caught(toy):
    row, contact = closed_row(toy)

    def change(lambda_N):
        lambda_N[row, contact] = -1.0

    assert {"lambda_N >= 0", "friction cone"} <= rules(tampered(toy, lambda_N=change).check())


def test_forces_of_open_contacts_are_caught(toy):
    row, contact = open_row(toy)

    def change(lambda_N):
        lambda_N[row, contact] = 1.0

    assert "open: lambda = 0" in rules(tampered(toy, lambda_N=change).check())


def test_friction_beyond_the_cone_is_caught(toy):
    row, contact = closed_row(toy)

    def change(lambda_T):
        lambda_T[row, contact] = 10.0 * toy.lambda_N[row, contact]

    assert "friction cone" in rules(tampered(toy, lambda_T=change).check())


def test_friction_along_the_slip_is_caught():
    sol = nsmb.simulate(nsmb.systems.incline_block(), 0.5, u=None)
    slides = np.flatnonzero((sol.contact_state[:, 0] > 1) & (np.abs(sol.gamma_T[:, 0]) > 1e-3))
    assert slides.size > 0

    def change(lambda_T):
        lambda_T[slides[-1], 0] *= -1.0

    assert "slip against friction" in rules(tampered(sol, lambda_T=change).check())


def test_states_that_change_without_event_are_caught(toy):
    times = toy.t
    lonely = np.flatnonzero((np.diff(times, prepend=-1) > 0) & (np.diff(times, append=9) > 0))
    row = lonely[len(lonely) // 2]

    def change(state):
        state[row, 0] = 0 if state[row, 0] else 1

    assert "states change at events only" in rules(tampered(toy, contact_state=change).check())


@pytest.mark.parametrize("name", ["event_u_plus", "event_Lambda_N", "event_Lambda_NC"])
def test_impacts_that_break_their_law_are_caught(toy, name):
    row = int(np.flatnonzero(toy.events.kind == nsmb.EventKind.IMPACT)[0])

    def change(table):
        table[row] *= 1.5

    found = rules(tampered(toy, **{name: change}).check())
    assert any(rule.startswith("impact") for rule in found)


def test_energy_loss_of_an_impact_is_checked(toy):
    row = int(np.flatnonzero(toy.events.kind == nsmb.EventKind.IMPACT)[0])

    def change(loss):
        loss[row] *= 2.0

    assert "impact: energy" in rules(tampered(toy, event_energy_loss=change).check())


def test_energy_that_vanishes_between_samples_is_caught(toy):
    last = toy.t.size - 1

    def change(y):
        y[last, toy.q.shape[1] :] *= 0.5

    assert "energy balance" in rules(tampered(toy, y=change).check())


def test_time_that_goes_back_is_caught(toy):
    def change(t):
        t[50] = t[40]

    assert "t grows" in rules(tampered(toy, t=change).check())


def test_check_without_a_system_takes_what_it_has(toy, tmp_path):
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5))
    ball = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[floor])
    nsmb.simulate(ball, 1.0, q=[1.0], u=[0.0]).save(tmp_path / "ball.npz")
    result = nsmb.Solution.load(tmp_path / "ball.npz").check()
    assert result.ok
    assert "friction cone" not in result.rules
    assert "g_N >= 0" in result.rules


def test_tolerances_must_be_positive(toy):
    with pytest.raises(ValueError, match="tolerance: expected a number > 0"):
        toy.check(tolerance=0.0)
    with pytest.raises(ValueError, match="energy: expected a number > 0"):
        toy.check(energy=-1.0)


def boxes():
    """Return two boxes that fall, tumble and collide on a rough floor."""
    m = nsmb.Model(gravity=(0.0, -9.81))
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    law = nsmb.ContactLaw(e_N=0.3, mu=0.4)
    outline = nsmb.geometry.Polygon([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])
    sides = []
    for k in range(2):
        body = m.add_body(f"box{k}", mass=1.0, inertia=0.01)
        m.add_joint(f"j{k}", nsmb.joints.Planar(), m.ground, body)
        sides.append(body.contour("sides", outline))
        m.add_contact(floor, sides[-1], law)
    m.add_contact(*sides, law)
    return m.build({"j0": [0.0, 0.3, 0.3], "j1": [0.1, 0.62, -0.2]})


@pytest.fixture(scope="module")
def pile():
    return nsmb.simulate(boxes(), 1.0)


def test_contact_points_that_come_and_go_pass(pile):
    assert pile.features.shape[1] > 0
    assert len(pile.events.of_kind("impact")) > 10
    result = pile.check()
    assert result.ok, repr(result)
    assert result.rules["impact: momentum"] > 10
    assert result.rules["impact: compression"] > 10


def test_impulses_of_points_that_come_and_go_are_caught(pile):
    row = int(np.flatnonzero(pile.events.kind == nsmb.EventKind.IMPACT)[3])

    def change(table):
        table[row] *= 1.5

    found = rules(tampered(pile, event_Lambda_N=change).check())
    assert "impact: momentum" in found


@pytest.mark.parametrize("e_N", [0.3, 0.9])
def test_last_impacts_of_an_accumulation_pass(e_N):
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(e_N=e_N), 12.0)
    assert np.abs(sol.events.u_minus).min() < 1e-9
    assert sol.check().ok


def test_masses_that_stay_at_rest_pass():
    system = nsmb.systems.build(
        "stacked_masses_vertical", m=1.0250846490339287, g=10.85633220062558,
        F_1=11.592978266639076, F_2=10.371238448159449,
    )  # fmt: skip
    assert nsmb.simulate(system, 2.0).check().ok


def test_tolerance_of_the_run_enters():
    sol = nsmb.simulate(nsmb.systems.sliding_rod(), rtol=1e-6, throw=False)
    assert sol.method.rtol == 1e-6
    assert sol.check().ok
    assert not sol.check(tolerance=1e-12).ok


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_options_of_a_run_are_kept_in_files(toy, tmp_path, suffix):
    method = nsmb.EventDriven(rtol=1e-9, atol=np.full(6, 1e-12), rest_velocity=1e-9)
    sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.05, method=method)
    sol.save(tmp_path / f"toy{suffix}")
    kept = nsmb.Solution.load(tmp_path / f"toy{suffix}").method
    assert (kept.rtol, kept.rest_velocity, kept.max_step) == (1e-9, 1e-9, np.inf)
    assert np.array_equal(kept.atol, method.atol)


def test_one_absolute_tolerance_for_all_is_kept_in_files(tmp_path):
    sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.05, method=nsmb.EventDriven(atol=1e-10))
    sol.save(tmp_path / "toy.npz")
    assert nsmb.Solution.load(tmp_path / "toy.npz").method.atol == 1e-10


def test_options_with_a_function_are_not_kept(tmp_path):
    method = nsmb.EventDriven(impact_law="poisson", expansion=lambda compression: {})
    sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.05, method=method)
    sol.save(tmp_path / "toy.npz")
    assert nsmb.Solution.load(tmp_path / "toy.npz").method is None
    assert pickle.loads(pickle.dumps(sol)).method is None
