"""Inputs held during a run: closed forms, restarts, and which simulator holds the values."""

from __future__ import annotations

import copy
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import nsmb
from nsmb import symbolic

from .held_systems import FORCE, FRICTION, GRAVITY, KINDS, MASS

MOTOR = nsmb.Input("motor", 0.0, unit="N")
STEP = 1e-3
# Numerical runs: rtol 1e-8 of dp853, whose error in these smooth motions is far smaller.
NEAR = 1e-9


def cart(mass: float = 2.0) -> nsmb.LinearSystem:
    return nsmb.LinearSystem([[mass]], force=nsmb.Force(inputs={MOTOR: [1.0]}), coordinates=["x"])


def oscillator() -> nsmb.LinearSystem:
    return nsmb.LinearSystem(
        [[2.0, 0.3], [0.3, 1.0]],
        [[300.0, -100.0], [-100.0, 200.0]],
        [[0.4, -0.1], [-0.1, 0.3]],
        force=nsmb.Force(inputs={MOTOR: [1.0, 0.0], nsmb.Input("valve"): [0.5, -2.0]}),
    )


def held_step(A: np.ndarray, B: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Φ and Γ of z⁺ = Φ z + Γ v for ż = A z + B v, v held over h."""
    n, m = B.shape
    block = scipy.linalg.expm(np.block([[A, B], [np.zeros((m, n + m))]]) * h)
    return block[:n, :n], block[:n, n:]


def test_a_sampled_force_on_a_mass_is_its_closed_form() -> None:
    sim = nsmb.Simulator(cart(), output_step=0.0)
    x = v = 0.0
    for k, force in enumerate(np.random.default_rng(1).normal(size=500)):
        sim.set(motor=force)
        sim.advance((k + 1) * STEP)
        h = (k + 1) * STEP - k * STEP
        x, v = x + v * h + 0.5 * force / 2.0 * h * h, v + force / 2.0 * h
    # Rounding of 500 sums of numbers below 0.02.
    assert abs(sim.q[0] - x) < 1e-15
    assert abs(sim.u[0] - v) < 1e-15


def test_an_oscillator_with_held_inputs_is_the_matrix_exponential() -> None:
    system = oscillator()
    M = system.M
    A = np.block([[np.zeros((2, 2)), np.eye(2)],
                  [-np.linalg.solve(M, system.K), -np.linalg.solve(M, system.D)]])  # fmt: skip
    B = np.vstack([np.zeros((2, 2)), np.linalg.solve(M, [[1.0, 0.5], [0.0, -2.0]])])
    Phi, Gamma = held_step(A, B, STEP)
    sim = nsmb.Simulator(system, output_step=0.0)
    z = np.zeros(4)
    values = np.random.default_rng(2).normal(size=(1000, 2))
    for k, (motor, valve) in enumerate(values):
        sim.set(motor=motor, valve=valve)
        sim.advance((k + 1) * STEP)
        z = Phi @ z + Gamma @ [motor, valve]
    assert sim.solution.events.kinds == []
    # Rounding of 1000 products for velocities of 0.03; measured 2e-16.
    assert np.abs(np.concatenate([sim.q, sim.u]) - z).max() < 1e-14


def test_a_sampled_pd_controller_is_the_power_of_a_matrix() -> None:
    kp, kd = 200.0, 30.0
    Phi, Gamma = held_step(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [0.5]]), STEP)
    closed = Phi - Gamma @ np.array([[kp, kd]])
    sim = nsmb.Simulator(cart(), output_step=0.0)
    sim.reset(q=[1.0], u=[0.0])
    for k in range(1000):
        sim.set(motor=-kp * sim.q[0] - kd * sim.u[0])
        sim.advance((k + 1) * STEP)
    expected = np.linalg.matrix_power(closed, 1000) @ [1.0, 0.0]
    # Times are sums of 1 ms, with the rounding of 1 s: 1000 steps of 1e-16 s at 2 m/s.
    assert np.abs(np.array([sim.q[0], sim.u[0]]) - expected).max() < 1e-13


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_lifts_a_body_and_drops_it(kind: str) -> None:
    sim = nsmb.Simulator(KINDS[kind](True), output_step=0.0)
    weight = MASS * GRAVITY
    sim.advance(0.1)
    assert sim.lambda_N[0] == pytest.approx(weight, rel=1e-12)
    sim.set(force=10.0)
    assert sim.lambda_N[0] == pytest.approx(weight - 10.0, rel=1e-12)
    sim.advance(0.2)
    sim.set(force=30.0)
    sim.advance(0.4)
    a = (30.0 - weight) / MASS
    height, speed = 0.5 * a * 0.04, a * 0.2
    assert sim.q[1] == pytest.approx(height, abs=NEAR)
    sim.set(force=0.0)
    sim.advance(1.0)
    events = sim.solution.events
    assert events.kinds == ["detach", "impact"]
    fall = (speed + np.sqrt(speed**2 + 2.0 * GRAVITY * height)) / GRAVITY
    assert events.t.tolist() == pytest.approx([0.2, 0.4 + fall], abs=NEAR)
    assert sim.lambda_N[0] == pytest.approx(weight, rel=1e-9)
    assert sim.solution.check().ok
    assert sim.solution.energy.relative < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_starts_slip_and_ends_it(kind: str) -> None:
    sim = nsmb.Simulator(KINDS[kind](False), output_step=0.0)
    limit = FRICTION * MASS * GRAVITY
    sim.set(force=0.9 * limit)
    sim.advance(0.1)
    assert sim.u[0] == 0.0
    assert sim.lambda_T[0] == pytest.approx(-0.9 * limit, rel=1e-12)
    sim.set(force=1.5 * limit)
    sim.advance(0.3)
    speed = 0.5 * limit / MASS * 0.2
    assert sim.u[0] == pytest.approx(speed, abs=NEAR)
    sim.set(force=0.5 * limit)
    sim.advance(1.0)
    events = sim.solution.events
    assert events.kinds == ["slip", "stick"]
    assert events.t.tolist() == pytest.approx([0.1, 0.5], abs=NEAR)
    assert sim.q[0] == pytest.approx(speed * 0.2, abs=NEAR)
    assert sim.solution.check().ok


@pytest.mark.parametrize("kind", KINDS)
def test_setting_what_holds_changes_no_bit(kind: str) -> None:
    runs = []
    for sets in (False, True):
        sim = nsmb.Simulator(KINDS[kind](True), output_step=0.0)
        sim.set(force=25.0)
        for k in range(20):
            sim.advance(0.01 * (k + 1))
            if sets:
                sim.set(force=24.0)
                sim.set(force=25.0)
        runs.append(sim.solution)
    for name in ("t", "q", "u", "lambda_N", "inputs"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name))
    # Compared with one run to the end, only the steps of the integrator differ.
    whole = nsmb.simulate(KINDS[kind](True), 0.2, inputs={"force": 25.0}, output_step=0.01)
    # From rest under a constant force, every method is exact to rounding.
    assert np.abs(whole.q[-1] - runs[0].q[-1]).max() < 1e-14
    assert (whole.inputs == 25.0).all()


def test_an_input_set_at_an_impact_is_a_run_in_two_pieces() -> None:
    ball = nsmb.LinearSystem(
        [[1.0]],
        force=nsmb.Force([-10.0], inputs={MOTOR: [1.0]}),
        contacts=[nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5))],
        initial_state=nsmb.State(0.0, [0.2], [0.0]),
    )
    sim = nsmb.Simulator(ball, output_step=0.0)
    event = sim.step(t_max=1.0)
    assert event is not None
    assert event.kind.label == "impact"
    assert event.t == pytest.approx(0.2, abs=1e-15)
    sim.set(motor=4.0)
    sim.advance(0.5)
    second = nsmb.Simulator(ball, output_step=0.0)
    second.reset(event.t, event.q, event.u_plus)
    second.set(motor=4.0)
    second.advance(0.5)
    assert np.array_equal(sim.q, second.q)
    assert np.array_equal(sim.u, second.u)
    # y = t - 3 t² after the impact at 1 m/s.
    h = 0.5 - event.t
    assert sim.q[0] == pytest.approx(h - 3.0 * h * h, abs=1e-15)
    lasting = sim.solution
    assert lasting.inputs[lasting.t < 0.2].max() == 0.0
    assert lasting.inputs[-1, 0] == 4.0


def test_the_speed_of_a_belt_may_be_an_input() -> None:
    x = symbolic.coordinates("x")
    u = symbolic.velocities(x)
    belt = nsmb.Input("belt", 0.0, unit="m/s")
    system = symbolic.from_equations(
        [x], [[1]], [0], contacts=[nsmb.Friction(slip=u - belt, bound=2.0)], inputs=[belt]
    )
    sim = nsmb.Simulator(system, output_step=0.0)
    sim.advance(0.1)
    assert sim.contact_state[0] == nsmb.ContactState.STICK
    sim.set(belt=1.0)
    assert sim.gamma_T[0] == -1.0
    assert sim.lambda_T[0] == 2.0
    sim.advance(1.0)
    assert sim.solution.events.t.tolist() == pytest.approx([0.1, 0.6], abs=NEAR)
    assert sim.u[0] == pytest.approx(1.0, abs=NEAR)
    assert sim.q[0] == pytest.approx(0.25 + 0.4, abs=NEAR)
    assert sim.solution.check().ok


def test_values_belong_to_the_run() -> None:
    system = cart()
    first, second = (nsmb.Simulator(system, output_step=0.0) for _ in range(2))

    def run(sim: nsmb.Simulator, force: float) -> None:
        for k in range(300):
            sim.set(motor=force)
            sim.advance((k + 1) * STEP)

    threads = [threading.Thread(target=run, args=pair) for pair in ((first, 1.0), (second, -3.0))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.u[0] == pytest.approx(0.5 * 0.3, abs=1e-14)
    assert second.u[0] == pytest.approx(-1.5 * 0.3, abs=1e-14)
    assert dict(first.inputs) == {"motor": 1.0}
    assert system.inputs == (MOTOR,)
    first.reset()
    assert dict(first.inputs) == {"motor": 0.0}
    first.advance(1.0)
    assert first.u[0] == 0.0


@pytest.mark.parametrize("kind", ["linear", "sympy_energies", "sympy_integrated", "bodies"])
def test_descriptions_with_inputs_are_copied_and_pickled(kind: str) -> None:
    system = KINDS[kind](True)
    for other in (copy.copy(system), pickle.loads(pickle.dumps(system))):
        assert other.inputs == (FORCE,)
        sim = nsmb.Simulator(other, output_step=0.0)
        sim.set(force=MASS * GRAVITY + MASS)
        sim.advance(1.0)
        assert sim.q[1] == pytest.approx(0.5, abs=NEAR)


def test_an_input_has_a_value_of_its_own() -> None:
    system = nsmb.LinearSystem([[1.0]], force=nsmb.Force(inputs={nsmb.Input("motor", 3.0): [1.0]}))
    assert system.forces(0.0, [0.0], [0.0]).tolist() == [3.0]
    assert system.forces(0.0, [0.0], [0.0], inputs=[2.0]).tolist() == [2.0]
    assert nsmb.simulate(system, 1.0).u[-1, 0] == 3.0


def test_columns_and_files_keep_inputs(tmp_path: Path) -> None:
    sim = nsmb.Simulator(cart(), output_step=0.05)
    sim.advance(0.1)
    sim.set(motor=2.0)
    sim.advance(0.2)
    solution = sim.solution
    assert solution.inputs[solution.t == 0.1].ravel().tolist() == [0.0, 2.0]
    for suffix in ("npz", "h5"):
        path = tmp_path / f"run.{suffix}"
        solution.save(path)
        loaded = nsmb.Solution.load(path)
        assert np.array_equal(loaded.inputs, solution.inputs)
        assert loaded.labels.input_names == ("motor",)
        assert loaded.labels.unit("motor") == "N"
    frame = solution.to_dataframe()
    assert frame["input[motor]"].tolist() == solution.inputs[:, 0].tolist()
    dataset = solution.to_xarray()
    assert dataset["input_motor"].attrs["units"] == "N"
    assert np.array_equal(pickle.loads(pickle.dumps(solution)).inputs, solution.inputs)


def test_samples_can_be_dropped() -> None:
    kept, dropped = (nsmb.Simulator(KINDS["linear"](True), output_step=0.002) for _ in range(2))
    events = []
    for k in range(400):
        for sim in (kept, dropped):
            sim.set(force=60.0 if k % 200 < 50 else 0.0)
        kept.advance((k + 1) * STEP)
        while dropped.t < (k + 1) * STEP:
            event = dropped.step(t_max=(k + 1) * STEP)
            events += [] if event is None else [event.kind.label]
        dropped.drop_samples()
        assert len(dropped.solution.t) == 1
    assert np.array_equal(kept.q, dropped.q)
    assert np.array_equal(kept.lambda_N, dropped.lambda_N)
    assert kept.solution.events.kinds == events
    assert kept.solution.stats["events"] == dropped.solution.stats["events"]


def test_the_energy_of_the_present() -> None:
    spring = nsmb.LinearSystem([[2.0]], [[50.0]], force=nsmb.Force(inputs={MOTOR: [1.0]}))
    sim = nsmb.Simulator(spring, output_step=0.0)
    sim.set(motor=5.0)
    sim.advance(0.3)
    x, v = 0.1 * (1.0 - np.cos(1.5)), 0.5 * np.sin(1.5)
    assert sim.energy.kinetic == pytest.approx(v**2, rel=1e-13)
    assert sim.energy.potential == pytest.approx(25.0 * x**2, rel=1e-13)
    assert sim.energy.elements == 0.0
    assert sim.energy.total == pytest.approx(5.0 * x, rel=1e-13)  # work of the force
    assert sim.solution.energy.work[-1] == pytest.approx(5.0 * x, rel=1e-13)


@pytest.mark.parametrize("linear", [None, False])
def test_derivatives_follow_inputs_that_are_set(linear: bool | None) -> None:
    """Derivatives with respect to the start and a parameter; inputs are set at fixed times."""
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    p = symbolic.parameters(k=40.0)
    system = symbolic.LagrangianSystem(
        [x], v**2 / 2, p.k * x**2 / 2, forces=[MOTOR - v / 5],
        contacts=[nsmb.Contact(gap=x + 0.05, law=nsmb.ContactLaw(e_N=0.5), name="wall")],
        parameters=p, inputs=[MOTOR], linear=linear,
    )  # fmt: skip

    def run(start: float, k: float, **options: Any) -> nsmb.Simulator:
        sim = nsmb.Simulator(system.with_parameters(k=k), output_step=0.0, **options)
        sim.reset(q=[0.3 + start], u=[0.0])
        for number, force in enumerate((0.0, 3.0, -6.0, 2.0)):
            sim.set(motor=force)
            sim.advance(0.3 * (number + 1))
        return sim

    plain, followed = run(0.0, 40.0), run(0.0, 40.0, sensitivity="k")
    assert np.array_equal(plain.q, followed.q)
    assert plain.solution.events.count() == {"impact": 2}
    step = 1e-6
    by_start = (run(step, 40.0).q - run(-step, 40.0).q) / (2.0 * step)
    by_k = (run(0.0, 40.0 + step).q - run(0.0, 40.0 - step).q) / (2.0 * step)
    found = followed.sensitivity
    assert found is not None
    # Central differences: rounding of rtol = 1e-8 over 1e-6, measured 2e-9 (linear) and 2e-7.
    assert found.state[0, 0] == pytest.approx(by_start[0], abs=1e-6)
    assert found.parameter[0, 0] == pytest.approx(by_k[0], abs=1e-6)
    assert not found.notes


def test_wrong_names_and_values_are_refused() -> None:
    sim = nsmb.Simulator(oscillator(), output_step=0.0)
    with pytest.raises(ValueError, match="input 'moter': expected one of motor, valve; did you"):
        sim.set(moter=1.0)
    for wrong in (np.nan, np.inf, "1", None, [1.0], 1j):
        with pytest.raises(ValueError, match="input 'motor': expected a"):
            sim.set(motor=wrong)  # type: ignore[arg-type]
    assert dict(sim.inputs) == {"motor": 0.0, "valve": 0.0}
    with pytest.raises(ValueError, match="input 'motor': expected no name"):
        nsmb.Simulator(nsmb.systems.bouncing_ball()).set(motor=1.0)
    with pytest.raises(ValueError, match="input 'x y': must be a valid Python identifier"):
        nsmb.Input("x y")
    with pytest.raises(ValueError, match="input 'f': expected a finite number"):
        nsmb.Input("f", np.nan)
    with pytest.raises(ValueError, match="must have distinct names"):
        nsmb.LinearSystem(
            [[1.0]], force=nsmb.Force(inputs={MOTOR: [1.0], nsmb.Input("motor", 1.0): [1.0]})
        )
    with pytest.raises(ValueError, match="must have a name that is not a parameter"):
        nsmb.LinearSystem(
            [[1.0]],
            force=nsmb.Force(inputs={MOTOR: [1.0]}),
            parameters={"motor": 1.0},
            rebuild=cart,
        )


def test_inputs_stay_out_of_gaps_laws_and_starts() -> None:
    z = symbolic.coordinates("z")
    v = symbolic.velocities(z)
    height = nsmb.Input("height")

    def build(**options: object) -> None:
        symbolic.LagrangianSystem([z], v**2 / 2, inputs=[height], **options)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="gap: expected an expression without inputs"):
        build(contacts=[nsmb.Contact(gap=z - height)])
    with pytest.raises(ValueError, match="e_N: expected an expression without inputs"):
        build(contacts=[nsmb.Contact(gap=z, law=nsmb.ContactLaw(e_N=height))])
    with pytest.raises(ValueError, match="expected an expression without inputs"):
        build(initial={z: height})


def test_expressions_are_written_with_inputs_as_with_symbols() -> None:
    x = symbolic.coordinates("x")
    u = symbolic.velocities(x)
    gain, stiff = nsmb.Input("gain", 2.0), nsmb.Input("stiff", 3.0)
    system = symbolic.LagrangianSystem(
        [x],
        u**2 / 2,
        stiff * x**2 / 2,
        forces=[-2 * gain * u + 1 - stiff / 3],
        inputs=[gain, stiff],
    )
    assert not system.is_linear  # the stiffness is set
    assert system.forces(0.0, [1.0], [1.0]).tolist() == [-3.0 - 4.0 + 0.0]
    assert system.forces(0.0, [1.0], [1.0], inputs=[0.0, 6.0]).tolist() == [-6.0 - 1.0]
    assert system.potential_energy(0.0, [2.0]) == 6.0


def test_a_run_that_goes_on_takes_its_inputs_along() -> None:
    first = nsmb.simulate(cart(), 0.3, inputs={"motor": 2.0}, output_step=0.1)
    second = nsmb.simulate(cart(), 0.6, start=first, output_step=0.1)
    assert (second.inputs == 2.0).all()
    other = nsmb.simulate(cart(), 0.6, start=first, inputs={"motor": 4.0}, output_step=0.1)
    whole = nsmb.join(first, other)
    assert whole.inputs[whole.t == 0.3].ravel().tolist() == [2.0, 4.0]
    assert whole.u[-1, 0] == pytest.approx(0.3 + 0.6, abs=1e-14)
    assert whole.energy.relative < 1e-12


def test_a_voltage_drives_states_in_closed_form() -> None:
    """L i' = v - R i: for held voltages, the current is a sum of exponentials."""
    R, L = 2.0, 0.1
    voltage = nsmb.Input("voltage", 0.0, unit="V")
    drive = nsmb.Force(inputs={voltage: [1.0 / L]})
    winding = nsmb.LinearStates([[-R / L]], C=[[0.5]], drive=drive, names=["i"])
    motor = nsmb.LinearSystem([[0.01]], states=winding)
    assert motor._core.is_linear
    sim = nsmb.Simulator(motor, output_step=0.0)
    current = 0.0
    for k, v in enumerate((12.0, -5.0, 0.0, 7.0)):
        sim.set(voltage=v)
        sim.advance(0.03 * (k + 1))
        current = v / R + (current - v / R) * np.exp(-0.03 * R / L)
    assert sim.x[0] == pytest.approx(current, abs=1e-14)
    assert sim.solution.energy.relative < 1e-12
