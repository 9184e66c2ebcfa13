"""Elastic rings in a hole and the robot that inserts them (section 14.5, case 7B)."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

import nsmb
from nsmb.systems import ring_in_hole
from nsmb.systems.machines.ring_load import Hole, Ring, line_load, ring_load
from tests.systems.examples import Array, start

R, C_1, C_2, MU = 13e-3, 4e5, 1.5e8, 0.3
ROUNDING = 5e-3
DEEP = 10e-3  # below the rounding


def by_quadrature(squeeze: float, x: float, y: float, notch: float, at: float) -> Array:
    """Return ∫p ds, forces and moments of the axial part, by quadrature over the angle from x."""

    def load(angle: float) -> float:
        from_notch = abs((angle - at + math.pi) % (2 * math.pi) - math.pi)
        depth = squeeze + x * math.cos(angle) + y * math.sin(angle)
        return 0.0 if from_notch < notch or depth < 0.0 else C_1 * depth + C_2 * depth**2

    delta, theta = math.hypot(x, y), math.atan2(y, x)
    edge = math.acos(min(1.0, max(-1.0, -squeeze / delta))) if delta else math.pi
    kinks = [theta + edge, theta - edge, at - notch, at + notch]
    knots = np.unique([0.0, 2 * math.pi, *(k % (2 * math.pi) for k in kinks)])
    factors = (lambda a: 1.0, math.cos, math.sin)
    total, along, across = (
        sum(
            quad(lambda a, g=g: load(a) * g(a), low, high, epsabs=0, epsrel=1e-13)[0]
            for low, high in itertools.pairwise(knots)
        )
        for g in factors
    )
    # on the ring: inwards; r × p_z e_z with p_z = μ p_N (14.100)
    return R * np.array([total, -along, -across, MU * R * across, -MU * R * along])


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("notch", [0.0, 0.4, 2.0])
def test_closed_forms_are_the_quadrature_of_the_line_load(notch: float) -> None:
    """(14.97)-(14.100) hold with full, partial and no contact."""
    rng = np.random.default_rng(7)
    cases = set()
    for _ in range(40):
        squeeze, delta = rng.uniform(-0.6e-3, 1.0e-3), rng.uniform(0.0, 1.5e-3)
        theta, at = rng.uniform(-math.pi, math.pi, 2)
        x, y = delta * math.cos(theta), delta * math.sin(theta)
        load = ring_load(Ring(R + squeeze, C_1, C_2, MU), Hole(R, ROUNDING, notch, at), x, y, DEEP)
        found = np.array([load.normal, load.F_x, load.F_y, load.M_x, load.M_y])
        expected = by_quadrature(squeeze, x, y, notch, at)
        scale = np.array([1.0, 1.0, 1.0, R, R]) * R * (C_1 * 1e-3 + C_2 * 1e-6)
        # Measured: 6e-15.
        assert (np.abs(found - expected) <= 1e-12 * scale).all()
        assert pytest.approx(MU * load.normal, rel=1e-14) == load.F_z
        cases.add("all" if squeeze > delta else "part" if squeeze > -delta else "nowhere")
    assert cases == {"all", "part", "nowhere"}


@pytest.mark.parametrize(("squeeze", "delta"), [(0.8e-3, 0.5e-3), (0.3e-3, 0.9e-3)])
def test_forces_are_those_of_the_formulas_by_hand(squeeze: float, delta: float) -> None:
    load = ring_load(Ring(R + squeeze, C_1, C_2, MU), Hole(R, ROUNDING), delta, 0.0, DEEP)
    k_0, k_1, k_2 = line_load(squeeze, delta, C_1, C_2)
    if delta <= squeeze:
        assert -load.F_x == pytest.approx(math.pi * R * k_1, rel=1e-12)
        assert load.F_z == pytest.approx(MU * R * math.pi * (2 * k_0 + k_2), rel=1e-12)
    else:
        phi = math.acos(-squeeze / delta)
        integral = 2 * k_0 * phi + 2 * k_1 * math.sin(phi)
        integral += k_2 * (phi + math.sin(phi) * math.cos(phi))
        assert load.F_z == pytest.approx(MU * R * integral, rel=1e-12)
    assert load.F_y == pytest.approx(0.0, abs=1e-12)


def test_the_line_load_needs_the_factor_that_the_print_leaves_out() -> None:
    """In (14.99), k_2 = c_2 Δr². The printed Δr² would be negligible."""
    squeeze, delta = 0.5e-3, 0.4e-3
    angle = np.linspace(0.0, math.pi, 9)
    depth = squeeze + delta * np.cos(angle)
    k = line_load(squeeze, delta, C_1, C_2)
    load = k[0] + k[1] * np.cos(angle) + k[2] * np.cos(angle) ** 2
    np.testing.assert_allclose(load, C_1 * depth + C_2 * depth**2, rtol=1e-13)
    printed = load - (k[2] - delta**2) * np.cos(angle) ** 2
    assert np.abs(printed / load - 1.0).max() > 0.02


def test_a_ring_in_the_middle_is_held_by_friction_alone() -> None:
    """The ring of the experiment in Fig. 14.44 has 2π R μ p_N."""
    system = ring_in_hole(rings=1, r=10.2e-3, r_0=1.5e-3)
    p = system.parameters
    force = ring_in_hole.load(system, 10e-3)
    squeeze = 10.2e-3 + 2 * 1.5e-3 - 13e-3
    p_N = p["c_1"] * squeeze + p["c_2"] * squeeze**2
    assert force[2] == pytest.approx(2 * math.pi * p["R"] * p["mu"] * p_N, rel=1e-12)
    np.testing.assert_allclose(force[:2], 0.0, atol=1e-12)
    depths = np.linspace(-2e-3, 20e-3, 200)
    F_z = ring_in_hole.load(system, depths)[:, 2]
    assert (F_z[depths < 0.0] == 0.0).all()
    assert (F_z[depths >= p["depth"]] == 0.0).all()
    assert F_z.max() > 1.05 * force[2]  # on the rounding


def test_two_rings_add_ten_millimetres_apart() -> None:
    """The force grows with the lateral error (Fig. 14.45)."""
    both, one = ring_in_hole(), ring_in_hole(rings=1)
    depths = np.linspace(-5e-3, 32e-3, 400)
    for error in (0.0, 0.3e-3, 2.8e-3):
        each = [ring_in_hole.load(one, depths - shift, error) for shift in (0.0, 10e-3)]
        np.testing.assert_allclose(
            ring_in_hole.load(both, depths, error), each[0] + each[1], atol=1e-12
        )
    inside = ring_in_hole.load(both, 16.5e-3, np.linspace(0.0, 3e-3, 50))[:, 2]
    assert (np.diff(inside) > 0.0).all()


def test_the_compiled_rings_act_as_forces_at_their_places() -> None:
    """Jᵀ f of both rings with a notch (14.101) is the force controlled by the modes `inside`."""
    system = ring_in_hole(notch=0.5, notch_at=0.7, error_x=0.4e-3)
    assert isinstance(system, nsmb.MultibodySystem)
    p = dict(system.parameters)
    ring = Ring(p["r"] + 2 * p["r_0"], p["c_1"], p["c_2"], p["mu"])
    hole = Hole(p["R"], p["rounding"], p["notch"], p["notch_at"])
    rng = np.random.default_rng(2)
    state = system.initial_state
    x_in, x_out = state.x.copy(), state.x.copy()
    for k in (1, 2):
        x_out[list(system.states).index(f"ring_{k}.inside")] = 0.0
    for _ in range(5):
        q = state.q + 2e-3 * rng.uniform(-1.0, 1.0, 9)
        q[1] -= 0.02  # down
        q[7] = q[1]
        u = 0.1 * rng.uniform(-1.0, 1.0, 9)
        difference = system.forces(0.0, q, u, x_in) - system.forces(0.0, q, u, x_out)
        expected = np.zeros(9)
        r, A = system.pose("tool", 0.0, q)
        v, Omega = system.velocity("tool", 0.0, q, u)
        for k in range(2):
            arm = A[:, 0] * (p["length"] - k * p["distance"])
            mouth = np.array([p["x"] + p["error_x"], 0.15, p["z"] - p["length"] - p["above"]])
            x, y, z = r + arm - mouth
            sense = -math.tanh((v + np.cross(Omega, arm))[2] / p["v_0"])
            load = ring_load(ring, hole, x, y, -z, sense)
            force = np.array([load.F_x, load.F_y, load.F_z])
            moment = np.array([load.M_x, load.M_y, 0.0])
            for i in range(9):
                v_i, Omega_i = system.velocity("tool", 0.0, q, np.eye(9)[i])
                expected[i] += force @ (v_i + np.cross(Omega_i, arm)) + moment @ Omega_i
        assert np.abs(expected).max() > 1.0
        np.testing.assert_allclose(difference, expected, atol=1e-9)


# ---- robot --------------------------------------------------------------------------------------


@functools.cache
def run() -> nsmb.Solution:
    return nsmb.simulate(ring_in_hole(), 1.2)


def test_the_robot_starts_at_rest_under_its_weight() -> None:
    """Its 9 degrees of freedom are at rest with three gears and six controls."""
    system = ring_in_hole()
    assert system.nu == 9
    state = system.initial_state
    begun = start(system)  # with the modes that fit
    now = nsmb.instant.accelerations(system, 0.0, state.q, state.u, begun.x[0])
    assert now.udot is not None
    assert np.abs(now.udot).max() < 1e-8
    sag = ring_in_hole.deviation(begun, [0.0])[0]
    assert sag[2] == pytest.approx(-3e-3, abs=0.1e-3)


def test_the_robot_leaves_its_path_by_five_millimetres_and_ends_three_too_low() -> None:
    """The error is largest after the second ring has passed the rounding (Fig. 14.46)."""
    sol = run()
    assert sol.system is not None
    p = sol.system.parameters
    t = np.linspace(0.0, 1.2, 1201)
    error = ring_in_hole.deviation(sol, t)[:, 2]
    force = ring_in_hole.force(sol, t)[:, 2]
    worst = np.abs(error).argmax()
    assert error[worst] == pytest.approx(5e-3, abs=0.3e-3)
    assert error[-1] == pytest.approx(-3e-3, abs=0.15e-3)
    path = p["path"] * (t[worst] / p["duration"]) ** 3
    path *= 10 - 15 * t[worst] / p["duration"] + 6 * (t[worst] / p["duration"]) ** 2
    second = path - error[worst] - p["above"] - p["distance"]
    assert p["rounding"] < second < p["rounding"] + 1e-3
    assert t[force.argmax()] < t[worst] < t[force.argmax()] + 0.07
    assert (force[t > 0.46] == 0.0).all()


def test_the_last_ring_leaves_the_hole_and_the_robot_swings() -> None:
    sol = run()
    switches = sol.events.of_kind("switch")
    (first,), (second,) = (switches.at_element(f"ring_{k}.inside").t for k in (1, 2))
    assert 0.3 < first < second < 0.5
    # The force jumps at the event.
    times = np.array([second - 1e-6, second + 1e-6])
    before, after = ring_in_hole.force(sol, times)[:, 2]
    assert before > 20.0
    assert after == 0.0
    error = ring_in_hole.deviation(sol, np.linspace(0.9, 1.2, 61))[:, 2]
    assert np.ptp(error) < 0.1e-3


def test_the_books_of_energy_close() -> None:
    # Measured: 4e-7 at rtol 1e-8, as friction below 2 mm/s is stiff.
    assert run().energy.relative < 1e-5


def test_wrong_data_are_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'rings': expected 1 or 2, got 3"):
        ring_in_hole(rings=3)
    with pytest.raises(ValueError, match=r"parameter 'r_0': expected r \+ 2 r_0 between R = 0.013"):
        ring_in_hole(r_0=1e-3)
    with pytest.raises(ValueError, match=r"system: expected a ring_in_hole, got 'woodpecker'"):
        ring_in_hole.load(nsmb.systems.woodpecker(), 0.0)
