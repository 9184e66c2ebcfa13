"""Gearboxes of loose wheels (12.1)-(12.11): rotations and backlashes, builder, two stages."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import nsmb
from nsmb.gears import DriveWheel, LooseWheel, RattlingTrain
from nsmb.systems import gearbox_two_stage
from tests.support.draws import numbers

Array = NDArray[np.float64]
NEWTON = nsmb.EventDriven(impact_law="newton")


@st.composite
def trains(draw: st.DrawFn) -> RattlingTrain:
    """Draw trees of up to five wheels with dimensions near one."""
    size = numbers(0.3, 3.0)
    f = draw(st.integers(1, 5))
    wheels = []
    for j in range(f):
        parent = draw(st.integers(-1, j - 1))
        wheels.append(
            LooseWheel(
                f"w{j}",
                I=draw(size),
                r=draw(size),
                v=draw(size),
                e=draw(numbers(0.0, 1.0)),
                d=draw(st.one_of(st.just(0.0), size)),
                T=draw(numbers(-1.0, 1.0)),
                parent=None if parent < 0 else f"w{parent}",
                R=draw(st.one_of(st.none(), size)),
            )
        )
    return RattlingTrain(DriveWheel(draw(size), draw(size), draw(size)), wheels)


@settings(max_examples=40, deadline=None)
@given(trains(), numbers(-3.0, 3.0), st.integers(0, 10**6))
def test_plays_have_the_equations_of_the_rotations(
    train: RattlingTrain, t: float, seed: int
) -> None:
    """(12.11) follows from (12.1), (12.2), with s̈ = Wᵀ φ̈ + v ë."""
    rng = np.random.default_rng(seed)
    f = len(train.wheels)
    phi, phi_dot = rng.uniform(-1.0, 1.0, (2, f))
    s, s_dot = train.plays(t, phi, phi_dot)
    back = train.rotations(t, s, s_dot)
    np.testing.assert_allclose(back, [phi, phi_dot], rtol=0, atol=1e-9)
    system = train.system()
    s_ddot = np.linalg.solve(system.mass_matrix(t, s), system.forces(t, s, s_dot))
    phi_ddot = -(train.D * phi_dot + train.T_r) / train.I  # (12.1)
    expected = train.W.T @ phi_ddot + train.v * train.excitation(t)[2]
    np.testing.assert_allclose(s_ddot, expected, rtol=0, atol=1e-9 * (1 + np.abs(expected).max()))
    energy = 0.5 * phi_dot @ (train.I * phi_dot)
    moved = s_dot - train.v * train.excitation(t)[1]
    assert system.kinetic_energy(t, s, moved) == pytest.approx(energy, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(trains())
def test_flights_and_impacts_are_those_of_the_book(train: RattlingTrain) -> None:
    """(12.3), (12.4) hold up to the first impact, and (12.8) at it."""
    system = train.system()
    sim = nsmb.Simulator(system, NEWTON, output_step=0.0)
    start = system.initial_state
    event = sim.step(t_max=20.0)
    assume(event is not None and event.kind == nsmb.EventKind.IMPACT)
    assert event is not None
    phi, phi_dot = train.rotations(start.t, start.q, start.u)
    end = train.flight(phi, phi_dot, event.t - start.t)
    found = train.rotations(event.t, event.q, event.u_minus)
    np.testing.assert_allclose(found, end, rtol=0, atol=1e-9 * (1 + np.abs(end).max()))
    meshes = [name.rpartition(".")[0] for name in event.contacts]
    U, zeta = train.transition(*meshes)
    behind = U @ found[1] + zeta * train.excitation(event.t)[1]
    after = train.rotations(event.t, event.q, event.u_plus)[1]
    np.testing.assert_allclose(after, behind, rtol=0, atol=1e-9 * (1 + np.abs(behind).max()))


def test_two_stages_have_the_transitions_of_the_book() -> None:
    """U_1, U_2, ζ of section 12.1 hold for speeds at the teeth, and (12.9) for the impulses."""
    r_e, r_1, r_2, I_1, I_2, e = 0.03, 0.045, 0.036, 1e-3, 7e-4, 0.8
    system = nsmb.systems.gearbox_two_stage(r_1=r_1, r_2=r_2, I_1=I_1, I_2=I_2, e=e)
    train = RattlingTrain(
        DriveWheel(5e-3, 300.0, r_e),
        [
            LooseWheel("1", I_1, r_1, 1e-4, e, 0.03, 0.0225),
            LooseWheel("2", I_2, r_2, 1e-4, e, 0.03, 0.0225, parent="1"),
        ],
    )
    i_1, i_2 = r_1 / r_e, r_2 / r_1
    x = I_2 / I_1 / i_2**2
    U_1 = np.diag([-e, 1.0])
    U_2 = np.eye(2) - (1.0 + e) / (1.0 + x) * np.array([[x, -x], [-1.0, 1.0]])
    zeta = np.array([1.0 + e, 0.0])  # times A ω cos ωt
    speeds = np.array([i_1, i_1 * i_2])
    sol = nsmb.simulate(system, 0.4, output_step=0)
    seen = {"1": 0, "2": 0}
    for event in sol.events.of_kind("impact"):
        if len(event.contacts) > 1:
            continue
        before = speeds * train.rotations(event.t, event.q, event.u_minus)[1]
        behind = speeds * train.rotations(event.t, event.q, event.u_plus)[1]
        mesh = event.contacts[0][0]
        drive = 5e-3 * 300.0 * np.cos(300.0 * event.t)
        expected = U_1 @ before + zeta * drive if mesh == "1" else U_2 @ before
        np.testing.assert_allclose(behind, expected, rtol=0, atol=1e-12 * 3.0)
        # I Δφ̇ = W Λ, where the flanks push in opposite directions.
        row = 2 * (mesh == "2")
        impulse = event.Lambda_N[row + 1] - event.Lambda_N[row]
        change = np.array([I_1, I_2]) * (behind - before) / speeds
        np.testing.assert_allclose(change, train.W[:, row // 2] * impulse, rtol=0, atol=1e-15)
        seen[mesh] += 1
    assert min(seen.values()) > 100
    theory = gearbox_two_stage.means(
        0.5, e, inertia=(I_1, I_2), i_1=i_1, i_2=i_2, speed=5e-3 * 300.0
    )
    for mesh, U in (("1", theory.U_1), ("2", theory.U_2)):
        np.testing.assert_allclose(train.transition(mesh)[0], U, rtol=0, atol=1e-14)
    # ζ ė of (12.8) is ζ cos ωt of the mean values, which includes A ω.
    book = train.transition("1")[1] * r_e * 5e-3 * 300.0
    np.testing.assert_allclose(book, theory.zeta, rtol=0, atol=1e-14)


def test_a_single_stage_is_the_normalised_system() -> None:
    """(12.14) holds with α = r_e A/v, β = d/(I ω), γ = T_r r/(I ω² v)."""
    A, omega, r_e, I, r, v, d, T = 4e-3, 250.0, 0.03, 1.2e-3, 0.05, 9e-5, 0.025, 0.02
    train = RattlingTrain(DriveWheel(A, omega, r_e), [LooseWheel("1", I, r, v, 0.9, d, T)])
    one = nsmb.systems.gear_rattling(
        alpha=r_e * A / v, beta=d / (I * omega), gamma=T * r / (I * omega**2 * v), e=0.9
    )
    turns = 2.0 * np.pi * 5
    real = nsmb.simulate(train.system(), turns / omega, output_step=0)
    normal = nsmb.simulate(one, turns, output_step=0)
    assert len(real.events) == len(normal.events) > 10
    # Measured: 1e-11, by growth of rounding in a chaotic transient.
    np.testing.assert_allclose(omega * real.events.t, normal.events.t, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        real.events.u_minus / (omega * v), normal.events.u_minus, rtol=0, atol=1e-8
    )


def test_every_wheel_of_the_branched_gearbox_rattles_in_its_backlash() -> None:
    system = nsmb.systems.gearbox_branched()
    sol = nsmb.simulate(system, 0.3)
    assert sol.q.max() < 1e-11
    assert sol.q.min() > -1e-4 - 1e-11
    impacts = sol.events.of_kind("impact").contacts.sum(axis=0)
    assert (impacts[::2] + impacts[1::2] > 20).all()
    assert system.period == pytest.approx(2.0 * np.pi / 300.0, rel=1e-14)


def test_impulses_grow_with_the_drive_and_the_inertia() -> None:
    """(12.9) grows with A ω and with I: all velocities scale with ω, all forces with I."""
    base = nsmb.systems.gearbox_two_stage(d_1=0.0, d_2=0.0, T_1=0.0, T_2=0.0, e=0.7)
    fast = base.with_parameters(omega=600.0)
    heavy = base.with_parameters(I_1=2e-3, I_2=2e-3)
    runs = [
        nsmb.simulate(system, t_end, output_step=0).events.of_kind("impact").Lambda_N.sum(axis=1)
        for system, t_end in ((base, 0.06), (fast, 0.03), (heavy, 0.06))
    ]
    assert runs[0].size > 20
    for run in runs[1:]:
        np.testing.assert_allclose(run, 2.0 * runs[0], rtol=1e-7)


def test_a_built_train_changes_by_name_and_is_pickled() -> None:
    system = RattlingTrain(
        DriveWheel(5e-3, 300.0, 0.03),
        [
            LooseWheel("a", 1e-3, 0.04, 1e-4, 0.9),
            LooseWheel("b", 1e-3, 0.04, 1e-4, 0.9, parent="a", R=0.02),
        ],
    ).system()
    assert system.parameters["R_b"] == 0.02
    assert "R_a" not in system.parameters
    changed = system.with_parameters(R_b=0.03, omega=200.0)
    assert changed.parameters["R_b"] == 0.03
    assert changed.period == pytest.approx(2.0 * np.pi / 200.0)
    twin = pickle.loads(pickle.dumps(changed))
    assert dict(twin.with_parameters(e_a=0.5).parameters) == {**changed.parameters, "e_a": 0.5}
    with pytest.raises(ValueError, match="parameter 'R_c'"):
        system.with_parameters(R_c=1.0)


def test_misuse_is_named() -> None:
    drive = DriveWheel(5e-3, 300.0, 0.03)
    wheel = LooseWheel("a", 1e-3, 0.04, 1e-4, 0.9)
    with pytest.raises(ValueError, match="wheels: expected at least one LooseWheel"):
        RattlingTrain(drive, [])
    with pytest.raises(ValueError, match="expected different names, got 'a' twice"):
        RattlingTrain(drive, [wheel, wheel])
    with pytest.raises(ValueError, match="b: parent 'c'"):
        RattlingTrain(drive, [wheel, LooseWheel("b", 1e-3, 0.04, 1e-4, 0.9, parent="c")])
    with pytest.raises(ValueError, match="a: I: expected a number > 0, got -1"):
        LooseWheel("a", -1.0, 0.04, 1e-4, 0.9)
    with pytest.raises(ValueError, match=r"a: e: expected a number in \[0, 1\], got 2"):
        LooseWheel("a", 1.0, 0.04, 1e-4, 2.0)
    with pytest.raises(ValueError, match="a: d: expected a number >= 0, got -1"):
        LooseWheel("a", 1.0, 0.04, 1e-4, 0.9, d=-1.0)
    with pytest.raises(ValueError, match="drive: omega: expected a number > 0, got 0"):
        DriveWheel(1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="meshes: expected names from a, got none"):
        RattlingTrain(drive, [wheel]).transition()
    with pytest.raises(ValueError, match="mesh 'b'"):
        RattlingTrain(drive, [wheel]).transition("b")
