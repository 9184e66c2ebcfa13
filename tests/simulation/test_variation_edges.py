"""Derivatives of runs in edge cases: large numbers, near misses, exceptions, hooks."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.simulation.variations import Start, by_differences, followed, run, start_at

EXACT = nsmb.EventDriven(rtol=1e-12)
LAW = nsmb.ContactLaw(e_N=0.7)


def relative_error(system: nsmb.System, duration: float, step: float, t: float = 0.0) -> float:
    start = start_at(system, t, EXACT)
    sensitivity = followed(system, start, duration, EXACT)
    assert sensitivity.exists
    expected = by_differences(system, start, duration, EXACT, step)
    return float(
        np.abs(sensitivity.state @ start.directions - expected).max() / np.abs(expected).max()
    )


def test_a_table_that_moves_under_a_nonlinear_system_of_constant_directions() -> None:
    """w̃(t) makes the impact depend on time, although M and W do not."""
    sp = pytest.importorskip("sympy")
    symbolic = nsmb.symbolic
    y = symbolic.coordinates("y")
    v = symbolic.velocities(y)
    ball = symbolic.LagrangianSystem(
        [y],
        kinetic=v**2 / 2,
        potential=9.81 * y + sp.sin(y) / 5,
        contacts=[nsmb.Contact(gap=y - sp.sin(7 * symbolic.time) / 3, law=LAW)],
        initial={y: 1},
    )
    assert relative_error(ball, 0.7, 1e-6, t=0.01) < 1e-6  # measured: 3e-9


@pytest.mark.parametrize("turns", [0, 1000, 100_000])
def test_a_shaft_may_have_turned_often(turns: int) -> None:
    pendulum = nsmb.CallbackSystem(
        ["phi"],
        mass_matrix=[[1.0]],
        forces=lambda t, q, u: [-9.81 * np.sin(q[0])],
        initial_state=nsmb.State(0.0, np.array([1.0 + 2.0 * np.pi * turns]), np.array([0.5])),
    )
    start = start_at(pendulum, 0.0, EXACT)
    reference = np.array([1.0, 0.5])
    base = pendulum.initial_state.q[0] - 2.0 * np.pi * turns
    assert base == pytest.approx(reference[0], abs=1e-9)
    here = followed(pendulum, start, 1.5, EXACT).state
    home = followed(pendulum, Start(0.0, np.array([base, 0.5]), np.eye(2)), 1.5, EXACT).state
    np.testing.assert_allclose(here, home, atol=1e-6)  # measured: 1e-7 at 100,000 turns


def test_time_derivatives_of_events_keep_their_digits_at_late_times() -> None:
    """A force that vanishes after a part of its period presses a mass against a stop."""

    def time_factor(t: float) -> float:
        mass = nsmb.LinearSystem(
            [[1.0]],
            force=nsmb.Force(constant=[-0.3], harmonics=[nsmb.Harmonic([1.0], 2.0 * np.pi, -2.8)]),
            contacts=[nsmb.Contact(w_N=[1.0], law=LAW)],
            parameters={"F": 0.3},
            rebuild=lambda F: nsmb.LinearSystem(
                [[1.0]],
                force=nsmb.Force(
                    constant=[-F], harmonics=[nsmb.Harmonic([1.0], 2.0 * np.pi, -2.8)]
                ),
                contacts=[nsmb.Contact(w_N=[1.0], law=LAW)],
            ),
        )
        sol = nsmb.simulate(
            mass, t + 0.5, t_start=t, q=[0.0], u=[0.0], sensitivity="F", output_step=0.0
        )
        assert sol.events[0].kind == nsmb.EventKind.DETACH
        assert sol.sensitivity is not None
        return float(sol.sensitivity.time_parameter_factors[0, 0])

    early = time_factor(0.0)
    # F = cos(2π t - 2.8): δt = -δF/(2π sin(2π t - 2.8)), and sin² = 1 - F²
    assert abs(early) == pytest.approx(1.0 / (2.0 * np.pi * np.sqrt(1.0 - 0.09)), rel=1e-8)
    assert time_factor(1e6) == pytest.approx(early, rel=1e-6)


def falling(D: float, dh: float, together: bool) -> nsmb.LinearSystem:
    M = np.array([[1.0, 0.4], [0.4, 1.0]]) if together else np.eye(2)
    return nsmb.LinearSystem(
        M,
        D=D * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        force=-9.81 * M.sum(axis=1),
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], law=LAW), nsmb.Contact(w_N=[0.0, 1.0], law=LAW)],
        initial_state=nsmb.State(0.0, np.array([1.0, 1.0 + dh]), np.zeros(2)),
    )


@pytest.mark.parametrize(
    ("D", "dh", "together"), [(1.0, 0.0, False), (0.0, 2e-12, True), (0.0, 8e-12, True)]
)
def test_impacts_that_touch_each_other_by_damper_or_tolerance_do_not_commute(
    D: float, dh: float, together: bool
) -> None:
    sensitivity = nsmb.simulate(falling(D, dh, together), 0.6, sensitivity=True).sensitivity
    assert sensitivity is not None
    assert "simultaneous" in {note.kind for note in sensitivity.notes}


def test_bodies_that_stick_to_each_other_do_not_commute() -> None:
    """Two bodies side by side, pressed together, reach their floors at the same time."""
    grip = nsmb.ContactLaw(mu=0.9)
    link = nsmb.LinearSystem(
        np.eye(4),
        force=[-20.0, -9.81, 20.0, -9.81],
        contacts=[
            nsmb.Contact(w_N=[0.0, 1.0, 0.0, 0.0], law=LAW, name="left"),
            nsmb.Contact(w_N=[0.0, 0.0, 0.0, 1.0], law=LAW, name="right"),
            nsmb.Contact(
                w_N=[1.0, 0.0, -1.0, 0.0], w_T=[0.0, 1.0, 0.0, -1.0], law=grip, name="link"
            ),
        ],
        initial_state=nsmb.State(0.0, np.array([0.0, 1.0, 0.0, 1.0]), np.zeros(4)),
    )
    sensitivity = nsmb.simulate(link, 0.6, sensitivity=True).sensitivity
    assert sensitivity is not None
    assert not sensitivity.exists


def test_a_force_element_and_a_contact_that_meet_are_told_apart() -> None:
    system = nsmb.LinearSystem(
        np.array([[1.0, 0.4], [0.4, 1.0]]),
        force=[-9.81 * 1.4] * 2,
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], law=LAW, name="floor")],
        elements=[
            nsmb.ForceElement(w=[0.0, 1.0], law=nsmb.GapForce(50.0, 3.0, "gap_damper"), name="pad")
        ],
        initial_state=nsmb.State(0.0, np.ones(2), np.zeros(2)),
    )
    sensitivity = nsmb.simulate(system, 0.6, sensitivity=True).sensitivity
    assert sensitivity is not None
    notes = [note for note in sensitivity.notes if note.kind == "simultaneous"]
    assert len(notes) == 1
    assert notes[0].contact in ("pad", "floor")


class Once:
    """A force that throws at one of its calls."""

    def __init__(self) -> None:
        self.calls = 0
        self.at = -1

    def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        self.calls += 1
        if self.calls == self.at:
            raise RuntimeError("once")
        return [-20.0 * np.sin(20.0 * q[0])]


@pytest.mark.parametrize("contact", [False, True])
def test_a_run_that_goes_on_behind_an_exception_has_the_same_derivative(contact: bool) -> None:
    method = nsmb.EventDriven(rtol=1e-4)

    def oscillator(force: Once) -> nsmb.CallbackSystem:
        stop = nsmb.Contact(
            gap=lambda t, q: q[0] + 0.05, w_N=lambda t, q: [1.0], law=LAW, name="stop"
        )
        return nsmb.CallbackSystem(
            ["y"],
            mass_matrix=np.eye(1),
            forces=force,
            contacts=[stop] if contact else [],
            initial_state=nsmb.State(0.0, np.array([0.1]), np.array([0.0])),
        )

    def followed_to(force: Once) -> nsmb.Simulator:
        simulator = nsmb.Simulator(oscillator(force), method, output_step=0.0, sensitivity=True)
        force.calls = 0
        return simulator

    whole = Once()
    reference = followed_to(whole)
    reference.advance(0.4)
    total = whole.calls
    assert reference.sensitivity is not None
    expected = reference.sensitivity.state
    for at in range(1, total, 7):
        force = Once()
        simulator = followed_to(force)
        force.at = at
        with pytest.raises(RuntimeError, match="once"):
            simulator.advance(0.4)
        simulator.advance(0.4)
        assert simulator.sensitivity is not None
        # The steps of the integrator differ afterwards: its tolerance is 1e-4.
        np.testing.assert_allclose(simulator.sensitivity.state, expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("late", range(6))
def test_an_exception_where_a_load_jumps_leaves_later_derivatives_as_they_are(late: int) -> None:
    """The time of the impact after the jump depends on the start, that of the jump does not."""
    jump = 0.1

    class Load:
        left = -1  # calls from the jump on until it throws; negative: never

        def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
            if t > jump - 1e-9 and self.left >= 0:
                self.left -= 1
                if self.left < 0:
                    raise RuntimeError("once")
            return [-9.81 if t < jump else -15.0]

    def follow(load: Load) -> nsmb.Simulator:
        floor = nsmb.Contact(gap=lambda t, q: q[0], w_N=lambda t, q: [1.0], law=LAW)
        system = nsmb.CallbackSystem(
            ["y"],
            mass_matrix=np.eye(1),
            forces=load,
            contacts=[floor],
            discontinuities=[jump],
            initial_state=nsmb.State(0.0, np.array([0.2]), np.array([0.0])),
        )
        return nsmb.Simulator(system, output_step=0.0, sensitivity=True)

    whole = follow(Load())
    whole.advance(0.3)
    assert whole.sensitivity is not None
    load = Load()
    simulator = follow(load)
    load.left = late
    with pytest.raises(RuntimeError, match="once"):
        simulator.advance(0.3)
    simulator.advance(0.3)
    assert simulator.sensitivity is not None
    # Measured: 1e-12. If the jump also applied at the impact, the error would exceed 1.
    np.testing.assert_allclose(
        simulator.sensitivity.state, whole.sensitivity.state, rtol=1e-8, atol=1e-8
    )
    assert simulator.sensitivity.notes == whole.sensitivity.notes


def test_an_expansion_hook_sees_the_parameters_that_are_varied() -> None:
    ball = nsmb.systems.bouncing_ball(e_N=0.6)
    plain = nsmb.simulate(ball, 0.8, sensitivity="e_N").sensitivity
    hooked = nsmb.simulate(
        ball,
        0.8,
        sensitivity="e_N",
        method=nsmb.EventDriven(impact_law="poisson", expansion=lambda compression: {}),
    ).sensitivity
    assert plain is not None
    assert hooked is not None
    assert np.abs(plain.parameter).max() > 1.0
    np.testing.assert_allclose(hooked.parameter, plain.parameter, rtol=1e-9)


def test_a_mass_that_cancels_has_no_influence() -> None:
    ball = nsmb.systems.bouncing_ball(e_N=0.6)
    sensitivity = nsmb.simulate(ball, 0.8, sensitivity="m").sensitivity
    assert sensitivity is not None
    np.testing.assert_allclose(sensitivity.parameter, 0.0, atol=1e-8)  # measured: 1e-9


def test_the_core_refuses_to_follow_a_run_that_has_begun_or_other_systems() -> None:
    toy, ball = nsmb.systems.woodpecker(), nsmb.systems.bouncing_ball()
    simulator = nsmb.Simulator(toy, output_step=0.0)
    with pytest.raises(ValueError, match="systems of the same shape as the running one"):
        simulator._core.follow_derivative([(ball._core, toy._core, 1.0)])
    with pytest.raises(ValueError, match="distance: expected a number other than 0"):
        simulator._core.follow_derivative([(toy._core, toy._core, 0.0)])
    simulator.advance(0.1)
    with pytest.raises(ValueError, match="a run that has not started"):
        simulator._core.follow_derivative([])


def test_forgetting_behind_an_exception_leaves_a_sample() -> None:
    force = Once()
    system = nsmb.CallbackSystem(["y"], mass_matrix=np.eye(1), forces=force)
    simulator = nsmb.Simulator(system, output_step=0.0)
    simulator.reset(q=[0.1], u=[0.0])
    simulator.advance(0.1)
    force.calls, force.at = 0, 3
    with pytest.raises(RuntimeError, match="once"):
        simulator.advance(0.3)
    simulator._core.forget()
    simulator.advance(0.4)
    assert np.isfinite(simulator.solution.q).all()
    assert simulator.solution.t[-1] == 0.4


def test_one_sided_runs_confirm_that_there_is_no_derivative() -> None:
    """The slopes on the two sides differ, as `simultaneous` reports."""
    system = falling(0.0, 0.0, True)
    y = np.concatenate([system.initial_state.q, system.initial_state.u])
    step = 1e-6 * np.eye(4)[0]
    here = run(system, 0.0, y, 0.6, EXACT)
    right = (run(system, 0.0, y + step, 0.6, EXACT) - here) / 1e-6
    left = (here - run(system, 0.0, y - step, 0.6, EXACT)) / 1e-6
    assert np.abs(right - left).max() > 0.1
