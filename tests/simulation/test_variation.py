"""The derivative of a run, against differences of whole runs, closed forms and invariants."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import nsmb
from tests.simulation.variations import Start, by_differences, followed, run, start_at

EXACT = nsmb.EventDriven(rtol=1e-12)
NEWTON = nsmb.EventDriven(rtol=1e-12, impact_law="newton")

# System, parameters, start of the differences, their duration, and their step. The error of the
# differences grows with the square of the step, and rounding with its inverse.
SYSTEMS: list[tuple[str, dict[str, float], float, float, float]] = [
    ("woodpecker", {}, 0.02, 0.15, 1e-7),
    ("woodpecker", {"mu": 0.9}, 0.3, 0.12, 1e-7),
    ("stick_slip_oscillator", {}, 0.1, 1.5, 1e-6),
    ("impact_oscillator", {}, 0.5, 20.0, 1e-6),
    ("gear_rattling", {"alpha": 1.4}, 1.0, 12.0, 1e-7),
    ("gearbox_two_stage", {}, 0.001, 0.02, 1e-9),
    ("ball_on_table", {}, 0.003, 0.2, 1e-8),
    ("belt_oscillator", {}, 0.5, 12.0, 1e-6),
    ("ship_turning_gear", {}, 0.3, 10.0, 1e-6),
    ("spring_damper_wall", {}, 0.1, 2.0, 1e-6),
    ("sliding_rod", {}, 0.05, 0.1, 1e-6),
    ("rocking_rod", {}, 0.05, 0.6, 1e-6),
    ("parabola_on_line", {}, 0.05, 0.4, 1e-6),
    ("pantograph", {}, 0.1, 0.3, 1e-6),
    ("incline_block", {}, 0.1, 1.0, 1e-6),
    ("superball", {}, 0.1, 1.0, 1e-6),
    ("woodpecker_4dof", {}, 0.064, 0.05, 1e-7),
    ("percussion_drill", {}, 0.01, 0.01, 1e-8),
    ("mass_tower", {}, 0.05, 0.3, 1e-7),
    ("slider_crank", {}, 0.0005, 0.002, 1e-7),
]


def test_an_impact_of_a_closed_loop_keeps_its_constraints_beside_the_motion() -> None:
    """A crank pushes a slider to its stop and back; the derivative is towards a faster start."""
    m = nsmb.Model(gravity=(0.0, -9.81))
    crank, rod, slider = (
        m.add_body(name, mass=1.0, inertia=0.01) for name in ("crank", "rod", "slider")
    )
    m.add_joint("crank", nsmb.joints.Revolute(), m.ground, crank)
    m.add_joint("rod", nsmb.joints.Revolute(), crank, rod, at=(0.2, 0.0))
    m.add_joint("slider", nsmb.joints.Prismatic((1, 0)), m.ground, slider)
    m.add_loop("pin", nsmb.joints.Revolute(), slider, rod, at_2=(0.5, 0.0))
    m.add_stop("crank", lower=-2.0, upper=1.0, law=nsmb.ContactLaw(e_N=0.6))
    system = m.build({"crank": 0.4}, {"crank": 8.0}, guess={"rod": -0.55, "slider": 0.6})
    start = system.initial_state
    sol = nsmb.simulate(system, 0.15, method=EXACT, sensitivity=True)
    assert len(sol.events.of_kind("impact")) == 1
    faster = np.concatenate([np.zeros(3), start.u])
    ends = []
    for share in (1.0 + 1e-6, 1.0 - 1e-6):
        end = nsmb.simulate(system, 0.15, method=EXACT, q=start.q, u=share * start.u)
        ends.append(np.concatenate([end.q[-1], end.u[-1]]))
    expected = (ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(sol.sensitivity.state @ faster, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore:impacts that created energy")
@pytest.mark.parametrize(
    ("name", "parameters", "t", "duration", "step"),
    SYSTEMS,
    ids=[f"{name}{'-' + next(iter(p)) if p else ''}" for name, p, *_ in SYSTEMS],
)
def test_derivative_by_the_start_equals_differences(
    name: str, parameters: dict[str, float], t: float, duration: float, step: float
) -> None:
    if name in ("woodpecker_4dof", "percussion_drill"):
        pytest.importorskip("sympy")
    system = nsmb.systems.build(name, **parameters)
    method = NEWTON if name == "percussion_drill" else EXACT
    start = start_at(system, t, method)
    sensitivity = followed(system, start, duration, method)
    expected = by_differences(system, start, duration, method, step)
    error = np.abs(sensitivity.state @ start.directions - expected).max()
    assert sensitivity.exists
    assert error < 1e-6 * np.abs(expected).max()  # measured: below 3e-8


PARAMETERS: list[tuple[str, dict[str, float], float, float, tuple[str, ...]]] = [
    ("woodpecker", {}, 0.07, 0.15, ("mu", "e_beak", "c_phi", "h_M", "l_S", "g")),
    ("stick_slip_oscillator", {}, 0.1, 1.5, ("mu_1", "F_1", "c_1", "omega_1", "phase_2")),
    ("gear_rattling", {"alpha": 1.4}, 1.0, 5.0, ("alpha", "beta", "gamma", "e")),
    ("ship_turning_gear", {}, 0.3, 10.0, ("p", "r", "D_L")),
    ("belt_oscillator", {}, 0.5, 12.0, ("v_B", "mu_s", "v_s")),
    ("spring_damper_wall", {}, 0.1, 2.0, ("c", "m")),
    ("woodpecker_4dof", {}, 0.064, 0.05, ("mu", "e_beak", "c_phi")),
]


@pytest.mark.parametrize(
    ("name", "values", "t", "duration", "names"), PARAMETERS, ids=[case[0] for case in PARAMETERS]
)
def test_derivative_by_parameters_equals_differences(
    name: str, values: dict[str, float], t: float, duration: float, names: tuple[str, ...]
) -> None:
    system = nsmb.systems.build(name, **values)
    start = start_at(system, t, EXACT)
    names = tuple(key for key in names if key in system.parameters)
    assert names
    sensitivity = followed(system, start, duration, EXACT, names)
    assert sensitivity.parameters == names
    for k, key in enumerate(names):
        value = system.parameters[key]
        step = 1e-6 * (abs(value) or 1.0)
        moved = [
            by_start(system.with_parameters(**{key: value + side * step}), start, duration)
            for side in (1.0, -1.0)
        ]
        expected = (moved[0] - moved[1]) / (2.0 * step)
        error = np.abs(sensitivity.parameter[:, k] - expected).max()
        # Relative to the effect of changing the parameter by its own size. Measured: below 1e-7.
        size = max(np.abs(expected).max(), np.abs(start.y).max() / (abs(value) or 1.0))
        assert error < 2e-6 * size


def by_start(system: nsmb.System, start: Start, duration: float) -> Any:
    return run(system, start.t, start.y, duration, EXACT)


def test_the_run_is_the_same_bits_with_and_without_derivative() -> None:
    for name in ("woodpecker", "belt_oscillator", "woodpecker_4dof"):
        system = nsmb.systems.build(name)
        plain = nsmb.simulate(system, 0.3)
        followed_run = nsmb.simulate(
            system, 0.3, sensitivity=("mu",) if name == "woodpecker" else True
        )
        for column in ("t", "q", "u", "lambda_N", "contact_state"):
            np.testing.assert_array_equal(getattr(plain, column), getattr(followed_run, column))
        assert plain.sensitivity is None
        assert dict(plain.stats) == dict(followed_run.stats)


def test_one_bounce_has_the_saltation_matrix_in_closed_form() -> None:
    """A ball falls from h: u⁺ = -e u⁻ at the impact, which δt = δh/|γ⁻| shifts."""
    e, g, h = 0.7, 9.81, 1.3
    ball = nsmb.LinearSystem(
        [[1.0]],
        force=[-g],
        contacts=[nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=e))],
        initial_state=nsmb.State(0.0, np.array([h]), np.array([0.0])),
    )
    t_1, t_2 = np.sqrt(2.0 * h / g), 0.8
    sensitivity = nsmb.simulate(ball, t_2, sensitivity=True).sensitivity
    assert sensitivity is not None
    gamma = -g * t_1
    flight = np.array([[1.0, t_1], [0.0, 1.0]])
    salt = np.array([[-e, 0.0], [-(1.0 + e) * g / gamma, -e]])
    after = np.array([[1.0, t_2 - t_1], [0.0, 1.0]])
    np.testing.assert_allclose(sensitivity.factors[0], salt @ flight, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(sensitivity.saltation_matrices, [salt, np.eye(2)], atol=1e-12)
    np.testing.assert_allclose(
        sensitivity.state_transition_matrices, [flight, after], rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(sensitivity.state, after @ salt @ flight, rtol=1e-12, atol=1e-12)
    # δt = (δh + t_1 δv)/|γ|
    np.testing.assert_allclose(
        sensitivity.time_factors[0], np.array([1.0, t_1]) / -gamma, rtol=1e-12
    )
    np.testing.assert_allclose(sensitivity.rate[1], [-e * gamma, -g], rtol=1e-12)
    # At its impact, the ball is always on the floor.
    state, _ = sensitivity.event_state(0)
    np.testing.assert_allclose(state[0], 0.0, atol=1e-13)
    np.testing.assert_allclose(
        state[1], -e * (flight[1] - g * sensitivity.time_factors[0]), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("alpha", [0.3, 1.4, 3.0])
def test_impacts_and_damping_shrink_volumes_as_liouville_says(alpha: float) -> None:
    """det of the flow: e^{-β T} times ε² per impact (before 12.17 of Pfeiffer & Glocker)."""
    beta, e, T = 0.1, 0.9, 60.0
    system = nsmb.systems.gear_rattling(alpha=alpha, beta=beta, e=e)
    sol = nsmb.simulate(system, T, sensitivity=True)
    assert sol.sensitivity is not None
    impacts = len(sol.events.of_kind("impact"))
    assert impacts > 10
    _, logarithm = np.linalg.slogdet(sol.sensitivity.factors)
    assert logarithm.sum() == pytest.approx(2 * impacts * np.log(e) - beta * T, rel=1e-9)


def test_a_ball_that_has_come_to_rest_forgets_its_start() -> None:
    """An accumulation of impacts erases the derivative, but not that of a sliding body."""
    law = nsmb.ContactLaw(e_N=0.5, mu=0.1)
    block = nsmb.LinearSystem(
        np.eye(2),
        np.diag([4.0, 0.0]),
        force=[0.0, -10.0],
        contacts=[nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law)],
        initial_state=nsmb.State(0.0, np.array([0.3, 0.5]), np.array([1.0, 0.0])),
    )
    start = start_at(block, 0.0, EXACT)
    sensitivity = followed(block, start, 1.3, EXACT)
    assert sensitivity.is_event.sum() > 30
    assert sensitivity.exists
    np.testing.assert_allclose(sensitivity.state[[1, 3]], 0.0, atol=1e-9)
    # The accumulation is cut off at velocities of 1e-11 m/s, some 1e-12 s early or late.
    # Differences over smaller steps would see this.
    expected = by_differences(block, start, 1.3, EXACT, 1e-5)
    np.testing.assert_allclose(sensitivity.state, expected, atol=1e-6)


def block_in_plane(force: float = 0.0, mu: float = 0.3) -> nsmb.LinearSystem:
    directions = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    return nsmb.LinearSystem(
        np.eye(3),
        np.diag([40.0, 25.0, 0.0]),
        np.diag([0.1, 0.2, 0.0]),
        force=nsmb.Force(
            constant=[0.0, 0.0, -10.0],
            harmonics=[nsmb.Harmonic([force, 0.6 * force, 0.0], 3.0)],
        ),
        contacts=[nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=directions, law=nsmb.ContactLaw(mu=mu))],
        initial_state=nsmb.State(0.0, np.array([0.3, -0.2, 0.0]), np.array([1.0, 2.0, 0.0])),
    )


@pytest.mark.parametrize(
    ("force", "mu", "duration"), [(0.0, 0.3, 1.0), (12.0, 0.3, 4.0), (0.0, 0.9, 2.0)]
)
def test_slip_in_a_plane_and_its_end(force: float, mu: float, duration: float) -> None:
    system = block_in_plane(force, mu)
    start = start_at(system, 0.0, EXACT)
    sensitivity = followed(system, start, duration, EXACT)
    expected = by_differences(system, start, duration, EXACT, 1e-6)
    assert (mu == 0.9) == any(note.t < duration for note in sensitivity.notes)  # it stops
    # Slip ends below 8 times the resolution of the integrator. Measured: 6e-9.
    np.testing.assert_allclose(sensitivity.state @ start.directions, expected, atol=1e-6)


def test_bilateral_constraints_and_an_impact() -> None:
    """A pendulum in Cartesian coordinates that hits a wall."""
    law = nsmb.ContactLaw(e_N=0.6, mu=0.2)
    pendulum = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.eye(2),
        forces=lambda t, q, u: [0.0, -9.81],
        contacts=[
            nsmb.Contact(
                gap=lambda t, q: q[0] + 0.1,
                w_N=lambda t, q: [1.0, 0.0],
                w_T=lambda t, q: [0.0, 1.0],
                law=law,
                name="wall",
            )
        ],
        constraints=[
            nsmb.Constraint(
                gap=lambda t, q: 0.5 * (q @ q - 1.0),
                w=lambda t, q: q,
                w_bar=lambda t, q, u: u @ u,
            )
        ],
        initial_state=nsmb.State(0.0, np.array([np.sin(0.7), -np.cos(0.7)]), np.zeros(2)),
    )
    start = start_at(pendulum, 0.1, EXACT)
    x, y = start.y[:2]
    u = start.y[2:]
    # Angle and angular velocity are the free directions.
    along = np.array([-y, x])
    directions = np.array([[*along, *(-u[::-1] * [1, -1])], [0.0, 0.0, *along]]).T
    omega = u @ along
    directions[2:, 0] = omega * np.array([-x, -y])
    states = {}

    def state(angle: float, rate: float) -> np.ndarray:
        phi = np.arctan2(x, -y) + angle
        w = omega + rate
        return np.array([np.sin(phi), -np.cos(phi), w * np.cos(phi), w * np.sin(phi)])

    for key, (angle, rate) in {"a": (1.0, 0.0), "b": (0.0, 1.0)}.items():
        h = 1e-6
        sides = [
            by_start(pendulum, Start(start.t, state(s * h * angle, s * h * rate), np.eye(4)), 0.9)
            for s in (1, -1)
        ]
        states[key] = (sides[0] - sides[1]) / (2 * h)
    sensitivity = followed(pendulum, start, 0.9, EXACT)
    assert sensitivity.is_event[:-1].any()
    expected = np.array([states["a"], states["b"]]).T
    np.testing.assert_allclose(sensitivity.state @ directions, expected, rtol=0, atol=1e-6)


def test_a_touch_without_approach_is_grazing() -> None:
    """x = sin t against a stop that it just reaches."""
    for gap, grazes in ((1.0, True), (0.9, False)):
        oscillator = nsmb.LinearSystem(
            [[1.0]],
            [[1.0]],
            contacts=[nsmb.Contact(w_N=[-1.0], gap=gap, law=nsmb.ContactLaw(e_N=0.5))],
            initial_state=nsmb.State(0.0, np.array([0.0]), np.array([1.0 + 1e-15])),
        )
        sensitivity = nsmb.simulate(oscillator, 2.0, sensitivity=True).sensitivity
        assert sensitivity is not None
        if sensitivity.is_event[0]:
            assert sensitivity.exists != grazes
        if grazes and not sensitivity.exists:
            assert sensitivity.notes[0].kind == "grazing"
            assert sensitivity.notes[0].contact == "contact_1"


def two_falling(spring: float, together: bool) -> nsmb.LinearSystem:
    """Two masses that reach the floor together, possibly coupled by the inertia of a bar."""
    M = np.array([[1.0, 0.4], [0.4, 1.0]]) if together else np.eye(2)
    law = nsmb.ContactLaw(e_N=0.7)
    return nsmb.LinearSystem(
        M,
        spring * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        force=-9.81 * M.sum(axis=1),
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], law=law), nsmb.Contact(w_N=[0.0, 1.0], law=law)],
        initial_state=nsmb.State(0.0, np.array([1.0, 1.0]), np.zeros(2)),
    )


@pytest.mark.parametrize("spring", [0.0, 3.0])
def test_simultaneous_impacts_of_separate_bodies_commute(spring: float) -> None:
    system = two_falling(spring, together=False)
    start = start_at(system, 0.0, EXACT)
    sensitivity = followed(system, start, 0.6, EXACT)
    assert sensitivity.exists
    expected = by_differences(system, start, 0.6, EXACT, 1e-7)
    # Between two impacts 1e-7 apart, the spring acts: 3e-8. Without it, 3e-9.
    np.testing.assert_allclose(sensitivity.state, expected, atol=1e-6)


def test_simultaneous_impacts_of_one_body_do_not_commute() -> None:
    sensitivity = nsmb.simulate(two_falling(0.0, together=True), 0.6, sensitivity=True).sensitivity
    assert sensitivity is not None
    assert not sensitivity.exists
    assert [note.kind for note in sensitivity.notes] == ["simultaneous"]
    assert "one comes first" in sensitivity.notes[0].message


def test_impact_on_the_edge_of_sticking_is_said() -> None:
    """In the periodic motion of the impact pendulum (book), each impact ends at zero slip."""
    sensitivity = nsmb.simulate(nsmb.systems.impact_pendulum(), 1.0, sensitivity=True).sensitivity
    assert sensitivity is not None
    assert {note.kind for note in sensitivity.notes if note.kind != "rank"} == {"edge"}


def test_where_slip_ends_a_direction_is_lost() -> None:
    sol = nsmb.simulate(nsmb.systems.stick_slip_oscillator(), 1.0, sensitivity=True)
    assert sol.sensitivity is not None
    assert {note.kind for note in sol.sensitivity.notes} == {"rank"}
    ends = sol.events.of_kind("stick").t
    assert [note.t for note in sol.sensitivity.notes] == ends.tolist()


def test_parts_multiply_to_the_whole_and_survive_a_file_of_python() -> None:
    toy = nsmb.systems.woodpecker()
    sol = nsmb.simulate(toy, 0.4, sensitivity=("mu", "e_beak"))
    whole = sol.sensitivity
    assert whole is not None
    k = len(whole.t)
    first, second = whole.between(0, 7), whole.between(7, k)
    np.testing.assert_allclose(second[0] @ first[0], whole.state, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        second[0] @ first[1] + second[1], whole.parameter, rtol=1e-12, atol=1e-12
    )
    assert whole.t[-1] == 0.4
    assert whole.is_event.sum() == len(set(sol.events.t.tolist()))
    copy = pickle.loads(pickle.dumps(sol)).sensitivity
    np.testing.assert_array_equal(copy.state, whole.state)
    assert copy.notes == whole.notes
    assert "by mu, e_beak" in repr(whole)
    with pytest.raises(
        ValueError, match=r"first, last: expected 0 <= first <= last <= \d+, got 3, 2"
    ):
        whole.between(3, 2)


def test_a_simulator_ends_a_part_at_every_stop() -> None:
    toy = nsmb.systems.woodpecker()
    simulator = nsmb.Simulator(toy, output_step=0.0, sensitivity=True)
    assert nsmb.Simulator(toy).sensitivity is None
    for t in (0.01, 0.02, 0.3):
        simulator.advance(t)
    stops = simulator.sensitivity
    whole = nsmb.simulate(toy, 0.3, sensitivity=True).sensitivity
    assert stops is not None
    assert whole is not None
    assert stops.t[~stops.is_event].tolist() == [0.01, 0.02, 0.3]
    np.testing.assert_allclose(stops.state, whole.state, rtol=1e-10, atol=1e-10)
    simulator.reset()
    assert simulator.sensitivity is not None
    assert simulator.sensitivity.t.size == 0


def test_misuse() -> None:
    toy = nsmb.systems.woodpecker()
    with pytest.raises(ValueError, match=r"sensitivity: parameter 'mue'.*did you mean 'mu'"):
        nsmb.simulate(toy, 0.1, sensitivity="mue")
    with pytest.raises(ValueError, match="parameter 'n' = 10 cannot be shifted"):
        nsmb.simulate(nsmb.systems.mass_tower(), 0.1, sensitivity="n")
    with pytest.raises(ValueError, match=r"'e_sleeve' = 0: at nearby values"):
        nsmb.simulate(toy, 0.1, sensitivity="e_sleeve")


def test_a_parameter_at_the_end_of_its_range_is_moved_to_one_side() -> None:
    """A ball without loss at the bound e_N <= 1."""
    ball = nsmb.systems.bouncing_ball(e_N=1.0)
    sensitivity = nsmb.simulate(ball, 0.6, sensitivity="e_N").sensitivity
    assert sensitivity is not None
    plain, moved = (nsmb.simulate(b, 0.6) for b in (ball, ball.with_parameters(e_N=1.0 - 1e-7)))
    expected = (plain.q[-1, 0] - moved.q[-1, 0]) / 1e-7
    assert sensitivity.parameter[0, 0] == pytest.approx(expected, rel=1e-6)


def on_a_wall(gap: float = 0.1, c: float = 500.0) -> nsmb.LinearSystem:
    """Mass above a relaxing wall, (3.20)-(3.23), which lags behind when the mass leaves."""
    element = nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(c, 9.0), gap=gap, name="wall")
    return nsmb.LinearSystem(
        [[1.0]],
        force=[-9.81],
        elements=[element],
        parameters={"gap": gap, "c": c},
        rebuild=on_a_wall,
    )


# In free fall, on the wall, above the relaxing wall, and on the wall again.
@pytest.mark.parametrize("duration", [0.1, 0.17, 0.3, 0.42])
def test_the_wall_moves_with_the_parameter_that_moves_it(duration: float) -> None:
    """The derivative includes the position of the wall, which also depends on the gap."""
    system = on_a_wall()
    sol = nsmb.simulate(system, duration, sensitivity=("gap", "c"), method=EXACT)
    assert sol.sensitivity is not None
    _, found = sol.sensitivity.between(0, len(sol.sensitivity.t))
    y = np.zeros(3)
    for k, (name, step) in enumerate((("gap", 1e-6), ("c", 1e-3))):
        value = system.parameters[name]
        sides = [
            run(system.with_parameters(**{name: value + side * step}), 0.0, y, duration, EXACT)
            for side in (1.0, -1.0)
        ]
        expected = (sides[0] - sides[1]) / (2.0 * step)
        # Measured: below 1e-8 of the largest entry.
        np.testing.assert_allclose(found[:, k], expected, atol=1e-7 * np.abs(expected).max() + 1e-9)
