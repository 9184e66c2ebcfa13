"""The turbo-generator set of section 11.2: closed forms of the machine, and effects of faults."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import signal

import nsmb
from nsmb import analysis, systems
from nsmb.systems.machines.synchronous_machine import SynchronousMachine, park_voltages
from nsmb.systems.machines.turbo_generator_evaluation import TurboGeneratorLoads

pytest.importorskip("llvmlite")

Vector = NDArray[np.float64]

T_N, T_R, C_N = 6729.0, 67.0, 4.75e5
CRITICAL = 3.46e7
FAULTS = nsmb.systems.turbo_generator().parameter_info["fault"].choices
SHORT = ("one-phase", "two-phase", "three-phase")
# No resistance, equal subtransient reactances, and a rotor of constant speed.
X_D, X_E = 0.06, 0.15
IDEAL = {
    "model": "two-mass", "load": 0.0, "T_R": 0.0, "R_S": 0.0, "R_D": 0.0, "R_Q": 0.0, "R_E": 0.0,
    "x_mq": 1.9, "x_D": X_D, "x_E": X_E, "x_Q": X_D * X_E / (X_D + X_E), "J_6": 1e9, "J_5": 1e9,
}  # fmt: skip
X = 0.2 + 1.0 / (1.0 / 1.9 + 1.0 / X_D + 1.0 / X_E)


@functools.cache
def run(t_end: float = 0.12, **changes: Any) -> nsmb.Solution:
    return nsmb.simulate(systems.turbo_generator(**changes), t_end)


def loads(t_end: float = 0.12, **changes: Any) -> TurboGeneratorLoads:
    return systems.turbo_generator.loads(run(t_end, **changes))


def overload(t_end: float = 0.12, **changes: Any) -> dict[str, float]:
    return loads(t_end, **changes).overload()


def apart(solution: nsmb.Solution) -> bool:
    """Return True if the flanks separate."""
    return len(solution.events.of_kind("switch")) > 0


# The machine -----------------------------------------------------------------------------------


def book_matrices(m: SynchronousMachine, n: float, N_D: int = 4) -> tuple[Vector, Vector]:
    """Return L and Z of (11.58) with its factors and reciprocal mutual inductances.

    Weights of the ohmic losses in (11.60) are 3/2 (stator), N_D/2 (cage) and 1 (excitation).
    Currents and voltages of windings are those in machine units over their square roots.
    """
    w = np.sqrt([1.5, 1.5, N_D / 2.0, N_D / 2.0, 1.0])
    turns = np.outer(1.0 / w, w)
    return turns * np.array(m.reactances()) / m.omega, turns * np.array(m.impedances(n))


def test_currents_follow_the_equations_of_the_book() -> None:
    """(11.57), (11.58) are solved as a matrix equation."""
    machine = SynchronousMachine(
        0.2, 1.9, 1.8, 0.06, 0.07, 0.15, 0.012, 0.03, 0.04, 0.0012, 100.0 * math.pi
    )
    rng = np.random.default_rng(8)
    i, u = rng.normal(size=(2, 5))
    u[2:4] = 0.0
    n = 1.03
    L, Z = book_matrices(machine, n)
    weights = np.array([1.5, 1.5, 2.0, 2.0, 1.0])
    np.testing.assert_allclose(weights[:, None] * L, (weights[:, None] * L).T, rtol=1e-14)
    assert np.linalg.eigvalsh(weights[:, None] * L).min() > 0.0
    assert L[2, 0] / L[0, 2] == pytest.approx(1.5 / 2.0)  # 3/2 M over 2 M
    root = np.sqrt(weights)
    expected = root * np.linalg.solve(L, u / root - Z @ (i / root))
    closed = machine.stator_rates(i, u, n)
    found = [*closed, *machine.rotor_rates(i, u, n, closed)]
    np.testing.assert_allclose(np.array(found)[[0, 1, 2, 3, 4]], expected, rtol=1e-11)
    # second form of (11.59)
    d, q, D, Q, E = i
    torque = d * q * (0.1) + 1.9 * D * q - 1.8 * Q * d + 1.9 * E * q
    assert machine.torque(i) == pytest.approx(torque, rel=1e-12)


def test_a_whole_grid_stands_still_in_the_frame_of_the_rotor() -> None:
    """The transform is two thirds of the sum over the phases.

    The zero sequence of a fault has no effect.
    """
    for lag in (0.3, 1.9):
        assert park_voltages(lag, 0.4, (0, 0, 0), math.cos, math.sin) == pytest.approx(
            (math.sin(0.4), math.cos(0.4))
        )
        assert park_voltages(lag, 0.4, (1, 1, 1), math.cos, math.sin) == pytest.approx((0.0, 0.0))
        theta = lag + 0.4 - math.pi / 2
        angles = theta - 2.0 * np.pi / 3.0 * np.arange(3)
        phases = np.cos(lag - 2.0 * np.pi / 3.0 * np.arange(3)) * [1.0, 0.0, 0.0]
        u_d, u_q = 2.0 / 3.0 * (phases @ np.cos(angles)), -2.0 / 3.0 * (phases @ np.sin(angles))
        found = park_voltages(lag, 0.4, (0, 1, 1), math.cos, math.sin)
        assert found == pytest.approx((u_d, u_q), abs=1e-15)


@pytest.mark.parametrize("fault", FAULTS)
def test_powers_balance_at_every_instant(fault: str) -> None:
    """(11.60) holds with the rate of the magnetic energy, measured 2e-14."""
    powers = systems.turbo_generator.powers(run(fault=fault))
    size = np.abs([powers.air_gap, powers.magnetic, powers.grid]).max()
    assert np.abs(powers.missing).max() < 1e-9 * size


def test_under_load_the_generator_turns_steadily() -> None:
    """In steady state (11.60) is P_δ = P_W - P_V, without current in the cage."""
    system = systems.turbo_generator(fault="none")
    here = analysis.steady_start(system)
    # once from the equations, once from phasors
    np.testing.assert_allclose(here.q, system.initial_state.q, atol=1e-13)
    np.testing.assert_allclose(here.x[:5], system.initial_state.x[:5], atol=1e-13)
    assert np.abs(here.u).max() < 1e-13
    assert here.acting == ("front",)
    solution = run(fault="none")
    found = systems.turbo_generator.loads(solution)
    np.testing.assert_allclose(found.generator_torque, -T_N, rtol=1e-12)
    np.testing.assert_allclose(found.clutch_torque, T_N + T_R, rtol=1e-9)
    loaded = 12025.0 * (T_N + T_R) / T_N
    np.testing.assert_allclose(found.tooth_force, loaded, rtol=5e-5)  # the lever arm has 4 digits
    powers = systems.turbo_generator.powers(solution)
    budget = powers.grid + powers.excitation - powers.ohmic
    np.testing.assert_allclose(powers.air_gap, budget, rtol=1e-12)
    friction = T_R * 50.0 * math.pi
    np.testing.assert_allclose(powers.mechanical, powers.air_gap - friction, rtol=1e-12)
    assert powers.air_gap[0] == pytest.approx(-T_N * 50.0 * math.pi, rel=1e-12)
    assert np.abs(solution.x[:, 2:4]).max() < 1e-12


def test_the_steady_load_is_found_from_a_state_beside_it() -> None:
    system = systems.turbo_generator(fault="none", load=0.5)
    first = system.initial_state
    far = nsmb.State(0.0, first.q + 0.05, first.u + 1.0, np.zeros(5))
    here = analysis.steady_start(system, start=far)
    np.testing.assert_allclose(here.q, first.q, atol=1e-12)


def test_a_three_phase_fault_of_an_ideal_machine_has_the_torque_of_its_reactance() -> None:
    found = loads(fault="three-phase", **IDEAL)
    unit = T_N / 0.8
    after = found.t > 0.0201
    # T = sin(ω t)/x, all of it at 50 Hz
    t = found.t[after] - 0.02
    expected = -np.sin(100.0 * np.pi * t) / X
    np.testing.assert_allclose(found.generator_torque[after] / unit, expected, atol=1e-6)
    assert np.abs(found.generator_torque).max() / unit == pytest.approx(1.0 / X, rel=1e-3)


@pytest.mark.parametrize("degrees", [30.0, 90.0, 180.0])
def test_mal_synchronisation_of_an_ideal_machine_has_the_torque_of_its_phase_error(
    degrees: float,
) -> None:
    """The torque is (sin d + 2 sin(d/2))/x."""
    found = peak_of_ideal(degrees)
    d = math.radians(degrees)
    assert found == pytest.approx((math.sin(d) + 2.0 * math.sin(d / 2.0)) / X, rel=1e-6)


def test_mal_synchronisation_is_worst_at_120_degrees() -> None:
    peaks = [peak_of_ideal(degrees) for degrees in (119.0, 120.0, 121.0)]
    assert peaks[1] > max(peaks[0], peaks[2])
    assert peaks[1] == pytest.approx(1.5 * math.sqrt(3.0) / X, rel=1e-6)


def peak_of_ideal(degrees: float) -> float:
    """Return the largest torque in a grid period, in machine units."""
    changes = IDEAL | {"fault": "mal-synchronisation", "dphi": math.radians(degrees)}
    found = loads(0.044, **changes)
    k = int(np.abs(found.generator_torque).argmax())
    fine = np.linspace(found.t[k - 1], found.t[k + 1], 201)
    near = systems.turbo_generator.loads(run(0.044, **changes), fine)
    return float(np.abs(near.generator_torque).max() * 0.8 / T_N)


# The drive -------------------------------------------------------------------------------------


def test_the_two_mass_model_has_20_hz() -> None:
    p = systems.turbo_generator().parameters
    drive = sum(p[f"J_{k}"] for k in (1, 2, 3, 4))
    generator = p["J_5"] + p["J_6"]
    frequency = math.sqrt(C_N * (1.0 / drive + 1.0 / generator)) / (2.0 * math.pi)
    assert frequency == pytest.approx(20.0, abs=0.05)
    assert p["c_6"] == C_N


def test_teeth_and_hammering_modes_have_the_frequencies_of_the_book() -> None:
    """They are 2776 Hz and 255 Hz. In the latter the gears oscillate against the clutch."""
    for stiffness in (1.0, 4.0, 10.0):
        system = systems.turbo_generator(fault="none", c_6=stiffness * C_N)
        found = analysis.modes(system, undamped=True)
        f = found.natural_frequencies
        assert np.abs(f - 2776.0).min() < 15.0
        k = int(np.abs(f - 255.0).argmin())
        assert f[k] == pytest.approx(255.0, abs=3.0)
        _, pinion, wheel, clutch, _, generator = found.vectors[:6, k].real
        assert clutch * wheel < 0.0
        assert pinion * wheel > 0.0
        assert abs(generator) < 0.05 * abs(wheel)


# Faults ----------------------------------------------------------------------------------------


def test_load_shedding_takes_the_torque_in_milliseconds_and_spares_the_drive() -> None:
    found = loads(0.04, fault="load-shedding")
    late = found.t > 0.02 + 5e-3
    assert np.abs(found.generator_torque[late]).max() < 0.01 * T_N
    assert found.overload()["clutch"] < 1.02
    assert found.overload()["tooth"] < 1.02
    solution = run(0.04, fault="load-shedding")
    step = np.diff(solution.t)
    slope = np.diff(systems.turbo_generator.currents(solution), axis=0)[step > 0]
    steepest = np.abs(slope / step[step > 0, None]).max()
    # 1/tau for a phase at its peak, compared with ω under load
    assert steepest > 2.0 * 100.0 * math.pi


def lines(fault: str) -> Vector:
    """Return the amplitudes of the generator torque at 50 and 100 Hz after the fault."""
    t = np.linspace(0.02, 0.12, 2001)[:-1]
    torque = systems.turbo_generator.loads(run(fault=fault), t).generator_torque
    power = signal.periodogram(torque / T_N, 1.0 / (t[1] - t[0]), scaling="spectrum")[1]
    return np.asarray(np.sqrt(2.0 * power[[5, 10]]))


def test_100_hz_come_from_faults_of_one_and_two_phases_only() -> None:
    one, two, three = (lines(fault) for fault in SHORT)
    assert min(one[1], two[1]) > 1.5
    assert three[1] < 0.15 * min(one[1], two[1])
    assert min(two[0], three[0]) > 1.0


def test_torques_grow_with_the_phases_at_fault_and_the_clutch_has_less() -> None:
    """The two-mass clutch with 20 Hz does not follow 50 and 100 Hz."""
    found = [overload(fault=fault, model="two-mass") for fault in SHORT]
    generator = [f["generator"] for f in found]
    clutch = [f["clutch"] for f in found]
    assert generator == sorted(generator)
    assert clutch == sorted(clutch)
    assert generator[2] < 1.3 * generator[0]  # small differences
    assert all(c < 0.6 * g for c, g in zip(clutch, generator, strict=True))


def mal(degrees: float, **changes: Any) -> dict[str, float]:
    return overload(fault="mal-synchronisation", dphi=math.radians(degrees), **changes)


def test_opposition_loads_the_clutch_three_times_as_much_as_a_short_circuit() -> None:
    opposed = mal(180.0, model="two-mass")
    short = overload(fault="two-phase", model="two-mass")
    assert 2.2 < opposed["clutch"] / short["clutch"] < 4.0
    assert 2.0 < opposed["generator"] / short["generator"] < 4.0


def test_a_phase_error_of_30_degrees_is_no_worse_than_a_short_circuit() -> None:
    small = mal(30.0)
    assert small["tooth"] < overload(fault="two-phase")["tooth"]
    assert small["generator"] < 0.8 * overload(fault="two-phase")["generator"]


def test_nominal_data_without_backlash_keep_the_flanks_together() -> None:
    found = loads(s=0.0)
    assert found.tooth_force.min() > 0.3 * found.nominal_force
    assert found.overload()["tooth"] < 2.0


def test_hammering_begins_between_3_and_4_nominal_clutch_stiffnesses() -> None:
    assert not apart(run(c_6=3.0 * C_N))
    assert apart(run(c_6=3.5 * C_N))


def test_hammering_has_255_hz_and_not_the_frequency_of_the_teeth() -> None:
    t = np.linspace(0.02, 0.12, 8001)[:-1]
    found = systems.turbo_generator.loads(run(c_6=10.0 * C_N), t)
    force = found.tooth_force / found.nominal_force
    f, power = signal.periodogram(force, 1.0 / (t[1] - t[0]), "hann", scaling="spectrum")
    amplitude = np.sqrt(2.0 * power)
    above = f > 115.0  # lines of the fault and the clutch lie below
    strongest = f[above][int(amplitude[above].argmax())]
    assert strongest == pytest.approx(255.0, abs=25.0)  # lines are 10 Hz apart and wide
    near = np.abs(f - 255.0) < 30.0
    teeth = np.abs(f - 2776.0) < 700.0
    assert amplitude[near].max() > 1.5 * amplitude[teeth].max()


def test_hammering_does_not_reach_the_generator() -> None:
    t = np.linspace(0.02, 0.12, 2001)
    hammers, held = (
        systems.turbo_generator.loads(run(c_6=10.0 * C_N, flanks=flanks), t)
        for flanks in ("relaxing wall", "never apart")
    )
    force = np.abs(hammers.tooth_force - held.tooth_force).max() / held.nominal_force
    torque = np.abs(hammers.generator_torque - held.generator_torque).max() / T_N
    assert force > 1.0
    assert torque < 0.005


def test_the_critical_clutch_bears_twelve_times_the_load_beyond_100_degrees() -> None:
    peaks = [mal(degrees, c_6=CRITICAL)["tooth"] for degrees in (60.0, 100.0, 140.0, 180.0)]
    assert 10.0 < peaks[2] < 14.0
    assert peaks[0] < peaks[1] < peaks[2] > peaks[3]
    assert mal(140.0)["tooth"] < 0.25 * peaks[2]  # the nominal clutch is safe


def test_more_backlash_more_load_and_a_heavier_gearwheel_less() -> None:
    play = [overload(c_6=CRITICAL, s=s)["tooth"] for s in (0.075e-3, 0.15e-3, 0.3e-3)]
    assert play == sorted(play)
    assert 5.0 < play[1] < 7.0
    J_3 = systems.turbo_generator().parameters["J_3"]
    wheel = [overload(c_6=CRITICAL, J_3=f * J_3)["tooth"] for f in (2.0, 4.0)]
    assert play[1] > wheel[0] > wheel[1]


def test_stiffer_or_softer_teeth_change_little() -> None:
    c_T = systems.turbo_generator().parameters["c_T"]
    usual = overload(c_6=CRITICAL)["tooth"]
    for factor in (0.5, 2.0):
        assert overload(c_6=CRITICAL, c_T=factor * c_T)["tooth"] == pytest.approx(usual, rel=0.3)


# Variants and misuse ---------------------------------------------------------------------------


def test_voltages_that_return_end_the_fault() -> None:
    found = loads(0.2, fault="three-phase", t_clear=0.1, model="two-mass")
    powers = systems.turbo_generator.powers(run(0.2, fault="three-phase", t_clear=0.1,
                                                model="two-mass"))  # fmt: skip
    during = (powers.t > 0.02) & (powers.t < 0.1)
    assert np.abs(powers.grid[during]).max() < 1e-9 * np.abs(powers.air_gap).max()
    assert np.abs(powers.grid[powers.t > 0.1]).max() > 0.1 * np.abs(powers.air_gap).max()
    assert np.isnan(found.tooth_force).all()


def test_flanks_that_cannot_part_are_those_of_a_closed_mesh() -> None:
    """Below the onset, the three laws of the mesh agree."""
    held, wall = (loads(0.05, flanks=flanks) for flanks in ("never apart", "relaxing wall"))
    again = systems.turbo_generator.loads(run(0.05, flanks="relaxing wall"), held.t)
    np.testing.assert_allclose(again.tooth_force, held.tooth_force, atol=1e-3 * 12025.0)
    assert wall.overload()["tooth"] == pytest.approx(held.overload()["tooth"], rel=1e-3)
    assert held.direction @ held.direction == pytest.approx(1.0, rel=1e-14)  # (11.55)
    soft = loads(0.05, flanks="elastic").overload()["tooth"]
    assert soft == pytest.approx(held.overload()["tooth"], rel=0.05)  # without its dashpot


def test_bad_data_and_other_runs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'two-phase' \(3\).*did you mean 'three-phase'"):
        systems.turbo_generator(fault="threephase")
    with pytest.raises(ValueError, match=r"'t_clear': expected a time from t_fault = 0\.02 on"):
        systems.turbo_generator(t_clear=0.01)
    for name in ("R_S", "s", "T_R", "load", "t_fault"):
        with pytest.raises(ValueError, match=f"parameter '{name}': expected a number >= 0, got -1"):
            systems.turbo_generator(**{name: -1.0})
    with pytest.raises(ValueError, match=r"'cos_phi': expected a number <= 1, got 1\.2"):
        systems.turbo_generator(cos_phi=1.2)
    with pytest.raises(ValueError, match="'alpha': expected an angle below a right one"):
        systems.turbo_generator(alpha=2.0)
    other = nsmb.simulate(systems.bouncing_ball(), 0.1)
    with pytest.raises(ValueError, match=r"solution\.system: expected a turbo_generator, got 'b"):
        systems.turbo_generator.loads(other)
