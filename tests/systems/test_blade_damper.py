"""The turbine blade damper of section 13.1: contact kinematics, static start, stiction, damping."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import brentq

import nsmb
from nsmb import analysis, geometry
from nsmb.multibody import Model, joints
from nsmb.systems import blade_damper, blade_damper_blocked
from tests.support.draws import numbers
from tests.systems.examples import Array

BOTH = ["left", "right"]
STICK = nsmb.ContactState.STICK
P_2 = 0.01
QUICK = nsmb.EventDriven(dense_output=False)


def critical(degrees: float) -> float:
    """Return p_1 p_2 of the pitchfork."""
    a = 1.0 / math.tan(math.radians(degrees))
    return (1.0 + 1.5 * a**2 + a**4) / 2.0


def quiet(degrees: float, ratio: float, q_5: float = 0.0) -> analysis.results.Equilibrium:
    """Return the static start at p_1 = ratio p_crit near an angle of the damper."""
    system = blade_damper(gamma=math.radians(degrees), A=0.0, p_1=ratio * critical(degrees) / P_2)
    q = system.initial_state.q.copy()
    q[4] = q_5
    return analysis.static_start(system, BOTH, start=nsmb.State(0.0, q, np.zeros(7)))


def falls(here: analysis.results.Equilibrium) -> bool:
    """Return True if the equilibrium of the damper is unstable.

    Without friction there is no damping. Real parts of stable modes are rounding, below 1e-4
    1/s.
    """
    return bool(here.eigenvalues.real.max() > 1.0)


# Kinematics and equations ------------------------------------------------------------------------


@settings(max_examples=30, derandomize=True, deadline=None)
@given(numbers(0.6, 1.2), numbers(-0.4, 0.4), numbers(-2.0, 2.0), numbers(50.0, 200.0))
def test_contacts_are_those_of_the_book(gamma: float, q_5: float, u_5: float, p_1: float) -> None:
    """Contacts are those of (13.4), with the tangential w̄ in the sign of chapter 13."""
    system = blade_damper(gamma=gamma, p_1=p_1)
    q, u = np.array([1e-4, 0.0, 2e-4, 0.0, q_5, 3e-4, 0.018]), np.zeros(7)
    u[4] = u_5
    k = system.contact_kinematics(0.0, q, u)
    a, c, s = 1.0 / math.tan(gamma), math.cos(q_5), math.sin(q_5)
    root = math.hypot(1.0, a)
    for i, (b, platform) in enumerate(((a, 0), (-a, 2))):
        sigma = -(b * c - s) / (2.0 * p_1 * (b * s + c))
        depth = p_1 * sigma**2
        w_N, w_T = np.zeros(7), np.zeros(7)
        w_N[platform], w_T[platform] = -b, -1.0
        w_N[4:] = [(s - b * c) * (P_2 - 0.5 / p_1 - depth), b, -1.0]
        w_T[4:] = [-(c + b * s) * (P_2 + depth), 1.0, b]
        bend_N = P_2 - 0.5 / p_1 - 3.0 * depth - 8.0 * p_1 * depth**2
        bend_T = (2.0 * p_1 * P_2 - 1.0) * sigma - 2.0 * p_1**2 * sigma**3
        size = 1e-12 * (1.0 + u_5**2)
        np.testing.assert_allclose(k["W_N"][:, i], w_N / root, atol=1e-12)
        np.testing.assert_allclose(k["W_T"][:, i], w_T / root, atol=1e-12)
        factor = u_5**2 / root * (c + b * s)
        assert k["w_bar_N"][i] == pytest.approx(factor * bend_N, abs=size)
        assert k["w_bar_T"][i] == pytest.approx(factor * bend_T, abs=size)


def bodies() -> nsmb.System:
    """Return the same machine from bodies and contours, without gas forces."""
    p = blade_damper().parameters
    a = 1.0 / math.tan(p["gamma"])
    law = nsmb.ContactLaw(mu=p["mu"])
    m = Model()
    damper = m.add_body("damper", mass=p["m_5"], inertia=p["J_S"])
    m.add_joint("damper", joints.Planar(), m.ground, damper)
    m.add_torsion_spring("lift", "damper.y", c=0.0, preload=p["F_z"])
    parabola = damper.contour("parabola", geometry.Parabola(p["p_1"], p["p_2"]))
    for side, slope, i in (("left", a, 1), ("right", -a, 3)):
        platform = m.add_body(f"platform {side}", mass=p[f"m_{i}"])
        blade = m.add_body(f"blade {side}", mass=p[f"m_{i + 1}"])
        m.add_joint(f"z {side}", joints.Prismatic((1.0, 0.0)), m.ground, platform)
        m.add_joint(f"y {side}", joints.Prismatic((1.0, 0.0)), platform, blade)
        m.add_torsion_spring(f"root {side}", f"z {side}", c=p[f"c_{i}"], d=p[f"d_{i}"])
        m.add_torsion_spring(f"stem {side}", f"y {side}", c=p[f"c_{i + 1}"], d=p[f"d_{i + 1}"])
        face = platform.contour("face", geometry.Line((0.0, p["b"]), (1.0, slope)))
        m.add_contact(face, parabola, law, side)
    start = blade_damper().initial_state.q
    return m.build(
        initial={"z left": start[0], "z right": start[2], "damper": [start[5], start[6], 0.0]},
        velocities={"y left": 0.4, "y right": -0.3},
    )


def test_the_machine_moves_as_one_from_bodies_and_contours() -> None:
    """Moving blades cause sliding and sticking in both contacts and rotation of the damper."""
    other = bodies()
    method = nsmb.EventDriven(rtol=1e-11)
    two = nsmb.simulate(other, 0.03, method=method)
    u = np.array([0.0, 0.4, 0.0, -0.3, 0.0, 0.0, 0.0])
    start = blade_damper(A=0.0).initial_state
    one = nsmb.simulate(blade_damper(A=0.0), 0.03, start=nsmb.State(0.0, start.q, u), method=method)
    assert len(one.events) == len(two.events) > 4
    assert np.abs(one.q[:, 4]).max() > 1e-4
    times = np.linspace(0.0, 0.03, 40)
    a, b = one.at(times).q, two.at(times).q
    names = list(other.coordinates)

    def column(name: str) -> Array:
        return np.asarray(b[:, names.index(name)])

    paired = np.column_stack(
        [
            column("z left"),
            column("z left") + column("y left"),
            column("z right"),
            column("z right") + column("y right"),
            column("damper.phi"),
            column("damper.x"),
            column("damper.y"),
        ]
    )
    # measured: 1e-12 for displacements of 1e-5 to 1e-3, with the usual rtol 3e-9
    np.testing.assert_allclose(a, paired, rtol=0.0, atol=1e-10)


# Static start ------------------------------------------------------------------------------------


def test_it_starts_where_it_rests_without_friction() -> None:
    system = blade_damper(A=0.0, c_3=5e6)
    here = analysis.static_start(system)
    a = 1.0 / math.tan(math.radians(50.0))
    # (13.7) in closed form, with other springs on the right
    far = a * 100.0 / 2.0 / np.array([system.parameters["c_1"], 5e6])
    assert here.q[:4] == pytest.approx([-far[0], -far[0], far[1], far[1]], rel=1e-10)
    assert here.q == pytest.approx(system.initial_state.q, abs=1e-15)
    assert here.lambda_N == pytest.approx(np.full(2, 50.0 * math.hypot(1.0, a)), rel=1e-10)
    assert not falls(here)
    # it is also found from a nearby position with open gaps
    beside = nsmb.State(0.0, system.initial_state.q + 1e-4, np.zeros(7))
    again = analysis.static_start(system, BOTH, start=beside)
    assert again.q == pytest.approx(here.q, abs=1e-12)


@pytest.mark.parametrize(
    ("degrees", "place", "angle"),
    [(40.0, 2.5738, 0.2129), (50.0, 1.2759, 0.2793), (60.0, 0.8056, 0.3583)],
)
def test_the_upright_damper_loses_its_stability_in_a_pitchfork(
    degrees: float, place: float, angle: float
) -> None:
    exact = critical(degrees)
    assert exact == pytest.approx(place, abs=5e-5)
    before, step = quiet(degrees, 0.97), 0.02 * exact / P_2
    span = (0.9 * exact / P_2, 1.03 * exact / P_2)
    branch = analysis.continuation(before, "p_1", span, step=step, max_step=step, direction=1)
    (point,) = branch.special_points
    assert point.kind == "branch point"
    assert point.value * P_2 == pytest.approx(exact, rel=1e-8)  # measured: 2e-10
    assert [falls(each) for each in branch.points] == list(branch.values > point.value)
    for sign in (1.0, -1.0):
        beyond = quiet(degrees, 1.2, sign * 0.3)
        assert not falls(beyond)
        assert beyond.q[4] == pytest.approx(sign * angle, abs=1e-4)
        assert beyond.q[4] == pytest.approx(sign * bent(degrees, 1.2), abs=1e-10)
    assert falls(quiet(degrees, 1.2))


def bent(degrees: float, ratio: float) -> float:
    """Return the zero of the slope of H_1 + H_2, which times F_z/2 is the damper's energy."""
    theta = 0.5 * math.pi - math.radians(degrees)
    p_1 = ratio * critical(degrees) / P_2

    def slope(q: float) -> float:
        right = sum(
            sign * math.tan(theta + sign * q) / math.cos(theta + sign * q) for sign in (1.0, -1.0)
        )
        return -math.sin(q) * (2.0 * P_2 - 0.5 / p_1) + right / (4.0 * p_1 * math.cos(theta))

    return float(brentq(slope, 0.05, 0.6))


# Stiction ----------------------------------------------------------------------------------------


def test_the_blocked_model_has_the_printed_frequencies() -> None:
    found = analysis.modes(blade_damper_blocked(A=0.0), np.zeros(3), undamped=True)
    assert found.frequencies[:2] == pytest.approx([61.0, 62.0], rel=1e-8)
    assert found.shapes[:, 1] == pytest.approx([0.0, 1.0, -1.0], abs=1e-7)
    # with both contacts the damper is practically blocked
    system = blade_damper(A=0.0)
    stuck = analysis.modes(
        system, system.initial_state, dict.fromkeys(BOTH, "stick"), undamped=True
    )
    assert stuck.frequencies == pytest.approx(found.frequencies, rel=1e-6)
    free = analysis.static_start(system)
    assert analysis.modes(system, free, undamped=True).frequencies.min() < 61.0


def test_the_blocked_model_is_the_steady_motion_of_blade_damper_response() -> None:
    system = blade_damper_blocked(A=2.0, omega=2.0 * math.pi * 58.0)
    response = blade_damper_blocked.response(blade_damper(), 2.0 * math.pi * 58.0)
    q, u = 2.0 * response.q.real, (2j * response.omega * response.q).real
    start = nsmb.State(0.0, q[[0, 1, 3]], u[[0, 1, 3]])
    run = nsmb.simulate(system, 0.1, start=start)
    turned = np.exp(1j * response.omega * run.t)[:, None] * response.q[[0, 1, 3]]
    np.testing.assert_allclose(run.q, 2.0 * turned.real, atol=1e-12)


@pytest.mark.parametrize("f", [52.0, 60.0, 61.0, 62.0, 66.0])
def test_contacts_leave_stiction_at_the_force_of_the_blocked_model(f: float) -> None:
    """Starts from the steady motion with blocked damper agree to 1e-6 of the force."""
    system = blade_damper(omega=2.0 * math.pi * f)
    response = blade_damper_blocked.response(system)
    first = BOTH[int(np.argmin(response.thresholds))]
    for part, slips in ((1.0 - 1e-6, False), (1.0 + 1e-5, True)):
        A = part * response.threshold
        run = nsmb.simulate(
            system.with_parameters(A=A), 1.5 / f, start=response.state(A), output_step=0.05 / f
        )
        assert (len(run.events) > 0) == slips
        if slips:
            assert run.events.kinds[0] == "slip"
            assert run.events[0].contacts == (first,)
        else:
            turned = np.exp(1j * response.omega * run.t)[:, None]
            friction = (A * turned * response.lambda_T).real
            normal = response.lambda_N0 + (A * turned * response.lambda_N).real
            # measured: 5e-5 N, due to the integrator
            np.testing.assert_allclose(run.lambda_T, friction, atol=5e-4)
            np.testing.assert_allclose(run.lambda_N, normal, atol=5e-4)


def test_stiction_ends_at_the_least_force_in_resonance_and_later_under_more_load() -> None:
    frequencies = np.linspace(50.0, 72.0, 221)

    def forces(F_z: float) -> Array:
        system = blade_damper(F_z=F_z)
        omega = 2.0 * math.pi * frequencies
        return np.array([blade_damper_blocked.response(system, float(w)).threshold for w in omega])

    low, high = forces(50.0), forces(150.0)
    np.testing.assert_allclose(high, 3.0 * low, rtol=1e-9)  # linear up to this force
    assert 61.0 <= frequencies[int(np.argmin(low))] <= 62.0
    assert low.min() < 0.04 * np.median(low)


def test_a_nonsymmetric_damper_sticks_by_the_same_equations() -> None:
    here = quiet(50.0, 1.3, 0.33)
    response = blade_damper_blocked.response(here.system, start=here.state)
    assert response.lambda_N0 == pytest.approx(here.lambda_N, rel=1e-9)
    below, above = 0.999 * response.threshold, 1.001 * response.threshold
    for A, events in ((below, 0), (above, 1)):
        system = here.system.with_parameters(A=A)
        run = nsmb.simulate(system, 0.02, start=response.state(A))
        assert min(len(run.events), 1) == events


# Sliding -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["symmetric", "nonsymmetric"])
def working(request: pytest.FixtureRequest) -> tuple[str, nsmb.Solution]:
    """Return some cycles of a working damper."""
    here = quiet(50.0, 0.8) if request.param == "symmetric" else quiet(50.0, 1.3, 0.33)
    system = here.system.with_parameters(A=2.0, phi_4=math.pi)
    assert system.period is not None
    run = nsmb.simulate(system, 20.0 * system.period, start=here.state)
    return request.param, run


def test_the_damper_works_about_both_equilibria_each_in_its_way(
    working: tuple[str, nsmb.Solution],
) -> None:
    """In Fig. 13.3 the upright damper slides in both contacts, and the tilted one in one."""
    kind, run = working
    sliding = {name for event in run.events for name in event.contacts}
    assert sliding == ({"left", "right"} if kind == "symmetric" else {"right"})
    assert run.friction_loss[-1].sum() > 0.0


def test_accelerations_jump_where_sticking_begins_and_only_there(
    working: tuple[str, nsmb.Solution],
) -> None:
    """Friction drops from μ λ_N at the end of slip. At its onset |λ_T| is already μ λ_N."""
    _, run = working
    assert run.system is not None
    jumps: dict[str, list[float]] = {"stick": [], "slip": []}
    delta = 1e-9
    for event in list(run.events)[10:40]:
        sides = []
        for t in (event.t - delta, event.t + delta):
            here = run.at([t])
            found = nsmb.instant.accelerations(
                run.system, t, here.q[0], here.u[0], rest_velocity=1e-10
            )
            assert found.udot is not None
            sides.append(found.udot)
        jumps[event.kind.label].append(float(np.abs(sides[1] - sides[0])[6]))
    assert min(jumps["stick"]) > 100.0 * max(jumps["slip"])


def test_energy_is_lost_in_sliding_phases_only(working: tuple[str, nsmb.Solution]) -> None:
    _, run = working
    steps = np.diff(run.friction_loss, axis=0)
    sticks = (run.contact_state[:-1] == STICK) & (run.contact_state[1:] == STICK)
    within = np.diff(run.t) > 0.0
    rests = sticks & within[:, None]
    # steps between two sticking samples without an event
    events = run.events.t
    inside = np.array([((events > a) & (events < b)).any() for a, b in pairwise(run.t)])
    assert rests[~inside].any()
    assert np.abs(steps[~inside][rests[~inside]]).max() < 1e-12
    assert run.friction_loss[-1].sum() > 1e-4
    energy = run.energy
    assert energy.relative < 1e-5
    assert energy.friction_loss[-1] == pytest.approx(run.friction_loss[-1].sum(), rel=1e-9)


def test_a_contact_that_opens_is_in_the_events_and_closes_again() -> None:
    """With a light load and strong gas forces, platforms detach from the damper."""
    system = blade_damper(F_z=2.0, A=60.0, phi_4=math.pi)
    run = nsmb.simulate(system, 0.3)
    kinds = set(run.events.kinds)
    assert "detach" in kinds
    assert kinds & {"impact", "touch"}
    assert run.status == "finished"
    usual = nsmb.simulate(blade_damper(), 0.3)
    assert not set(usual.events.kinds) & {"detach", "impact", "touch"}


def blade(m_5: float, degrees: float) -> float:
    """Return the amplitude of the left blade between the resonances with and without damper.

    Gas forces are opposed, and F_z is proportional to the mass.
    """
    largest = 0.0
    for f in (61.0, 61.4, 61.9):
        system = blade_damper(
            m_5=m_5, J_S=2.4e-5 * m_5, F_z=2000.0 * m_5, gamma=math.radians(degrees),
            phi_4=math.pi, omega=2.0 * math.pi * f,
        )  # fmt: skip
        start = blade_damper_blocked.response(system).state(0.75)
        run = nsmb.simulate(system, 60.0 / f, start=start, method=QUICK, output_step=1.0 / f / 32)
        largest = max(largest, 0.5 * float(np.ptp(run.q[-96:, 1])))
    return largest


def test_there_is_a_best_mass_and_a_best_angle_of_the_damper() -> None:
    """In Fig. 13.6 a light damper hardly dissipates, and a heavy one sticks."""
    light, best, heavy = (blade(m_5, 50.0) for m_5 in (0.0125, 0.1, 0.4))
    assert best < 0.7 * min(light, heavy)
    steep, flat = blade(0.1, 30.0), blade(0.1, 75.0)
    assert best < 0.95 * min(steep, flat)
    blocked = 2.5 * np.abs(blade_damper_blocked.response(blade_damper(phi_4=math.pi)).q[1])
    assert best < 0.5 * blocked


# Misuse ------------------------------------------------------------------------------------------


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="parameter 'gamma': expected an angle between 0 and π/2"):
        blade_damper(gamma=2.0)
    with pytest.raises(ValueError, match="parameter 'p_1': expected a number > 0, got 0"):
        blade_damper(p_1=0.0)
    with pytest.raises(ValueError, match="system: expected a blade_damper, got 'woodpecker'"):
        blade_damper_blocked.response(nsmb.systems.woodpecker())
    with pytest.raises(ValueError, match="omega: expected a number > 0, got -1"):
        blade_damper_blocked.response(blade_damper(), -1.0)
    beside = nsmb.State(0.0, blade_damper().initial_state.q + 1e-3, np.zeros(7))
    with pytest.raises(ValueError, match="`start`: must be an equilibrium, got gaps of"):
        blade_damper_blocked.response(blade_damper(), start=beside)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6])
def test_friction_stays_in_its_cone_where_contacts_begin_to_slip_within_a_microsecond(
    rtol: float,
) -> None:
    """The polynomials of a step have these events in reverse order.

    Forces of 90 N are accurate to 1e-9.
    """
    system = nsmb.systems.blade_damper(phi_4=2.4, A=2.0)
    run = nsmb.simulate(system, 1.0, rtol=rtol)
    beyond = np.abs(run.lambda_T) - system.parameters["mu"] * run.lambda_N
    assert np.max(beyond) < 1e-7
