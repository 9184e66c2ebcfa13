"""Modal analysis of chains, belt friction and the woodpecker agrees with closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import symbolic, systems
from nsmb.analysis import AnalysisError, equilibrium, modes, onset, static_start
from tests.analysis.orbit_systems import block, oscillator, rings

_OPEN = {"beak": "open", "lower": "open", "upper": "open"}


def chain(n: int, k: float = 5.0, m: float = 2.0, d: float = 0.0) -> nsmb.LinearSystem:
    """Return a free chain of masses with dampers proportional to the springs."""
    K = k * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    K[0, 0] = K[-1, -1] = k
    return nsmb.LinearSystem(m * np.eye(n), K, d * K)


@pytest.mark.parametrize("undamped", [False, True])
@pytest.mark.parametrize("n", [2, 7])
def test_a_free_chain_has_its_textbook_frequencies_and_an_exact_zero(
    n: int, undamped: bool
) -> None:
    """ω_j = 2 √(k/m) sin(jπ/2n), with shapes cos(jπ(i - ½)/n)."""
    found = modes(chain(n), np.zeros(n), undamped=undamped)
    j, i = np.arange(n), np.arange(1, n + 1)
    exact = 2.0 * np.sqrt(2.5) * np.sin(j * np.pi / (2 * n)) / (2.0 * np.pi)
    assert len(found) == n
    assert found.eigenvalues[0] == 0.0
    assert found.frequencies == pytest.approx(exact, rel=1e-9)  # measured: 1e-11
    for k in range(n):
        shape = np.cos(k * np.pi * (i - 0.5) / n)
        error = np.outer(found.shapes[:, k], shape) - np.outer(shape, found.shapes[:, k])
        assert np.abs(error).max() < 1e-8


def test_damping_in_proportion_to_the_springs_grows_with_the_frequency() -> None:
    """ζ_j = d ω_j/2, with two real eigenvalues above 1."""
    found = modes(chain(4, d=0.72), np.zeros(4))
    omega = 2.0 * np.sqrt(2.5) * np.sin(np.arange(4) * np.pi / 8.0)
    below = omega * 0.36 < 1.0
    assert list(below) == [True, True, True, False]
    swings = found.damping_ratios < 1.0
    assert found.damping_ratios[swings] == pytest.approx(0.36 * omega[:3], abs=1e-9)
    assert found.natural_frequencies[swings] == pytest.approx(omega[:3] / (2.0 * np.pi), rel=1e-9)
    creeping = np.sort(np.roots([1.0, 0.72 * omega[3] ** 2, omega[3] ** 2]))[::-1]
    assert found.eigenvalues[~swings] == pytest.approx(creeping, rel=1e-8)
    undamped = modes(chain(4, d=0.72), np.zeros(4), undamped=True)
    assert undamped.frequencies == pytest.approx(omega / (2.0 * np.pi), rel=1e-9)


def test_equal_oscillators_beside_a_stiff_one_keep_their_own_shapes() -> None:
    """Two oscillators have equal eigenvalues, and stiffnesses differ by 10⁵."""
    system = nsmb.LinearSystem(np.eye(3), np.diag([4.0, 4.0, 4e10]))
    found = modes(system, np.zeros(3))
    assert found.frequencies * 2.0 * np.pi == pytest.approx([2.0, 2.0, 2e5], rel=1e-6)
    assert np.linalg.matrix_rank(found.shapes) == 3


def test_the_bird_swings_at_9_10_hz_while_its_sleeve_sticks() -> None:
    """The frequency is √(c/(J_S + m_S l_G²)) (14.1), without the zero of the sticking sleeve."""
    found = modes(systems.woodpecker(), None, _OPEN | {"lower": "stick"})
    omega = np.sqrt(5.6e-3 / (7e-7 + 4.5e-3 * 1.5e-2**2))
    assert found.frequencies == pytest.approx([omega / (2.0 * np.pi)], rel=1e-9)
    assert found.frequencies[0] == pytest.approx(9.10, abs=0.005)  # printed
    assert found.shapes[:, 0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


def test_the_free_woodpecker_has_the_printed_frequency_and_eigenvector() -> None:
    toy = systems.woodpecker()
    found = modes(toy, toy.initial_state, _OPEN, frozen=True)
    assert found.eigenvalues[:2] == pytest.approx([0.0, 0.0], abs=0.0)
    assert found.frequencies[2] == pytest.approx(72.91, abs=0.005)
    shape = found.shapes[:, 2] / -found.shapes[2, 2]
    assert shape.real == pytest.approx([-0.086, 10.7, -1.0], rel=0.005)
    assert np.abs(shape.imag).max() < 1e-9
    with pytest.raises(ValueError, match=r"must be in balance.*frozen=True"):
        modes(toy, toy.initial_state, _OPEN)


def test_sliding_on_a_belt_has_the_eigenvalues_of_falling_friction() -> None:
    belt = systems.belt_oscillator(d=0.5)
    exact = systems.belt_oscillator.sliding(d=0.5)
    found = modes(belt)
    assert found.eigenvalues[-1] == pytest.approx(
        exact.eigenvalues[exact.eigenvalues.imag > 0.0][0], rel=1e-8
    )
    assert found.growth > 0.0
    assert found.damping_ratios[-1] < 0.0
    p = belt.parameters
    undamped = modes(belt, undamped=True)
    assert undamped.frequencies == pytest.approx([np.sqrt(p["c"] / p["m"]) / (2.0 * np.pi)])
    # in sticking only the belt moves it
    at_rest = systems.belt_oscillator(d=0.5, v_B=0.0)
    assert len(modes(at_rest, np.zeros(2), {"belt": "stick"})) == 0


def test_self_excitation_begins_at_the_belt_speed_of_the_closed_form() -> None:
    """With Stribeck friction, d = (μ_s - μ_d) m g/v_s exp(-v_B/v_s)."""
    belt = systems.belt_oscillator(d=0.5, v_B=0.4)
    (end,) = onset(belt, "v_B", (0.02, 0.5))
    assert end.value == pytest.approx(
        systems.belt_oscillator.sliding(d=0.5, v_B=0.4).v_stable, abs=1e-8
    )
    assert not end.starts  # it grows on slower belts
    p = belt.parameters
    assert end.frequency == pytest.approx(np.sqrt(p["c"] / p["m"]) / (2.0 * np.pi), rel=1e-6)
    assert abs(end.eigenvalue.real) < 1e-8


def discs(**changes: float) -> symbolic.LagrangianSystem:
    """Return two discs on soft shafts, one driven, with friction that falls with the slip."""
    q = a, b = symbolic.coordinates("a b")
    u = symbolic.velocities(a, b)
    p: Any = symbolic.parameters(
        **({"J": 2.0, "I": 3.0, "k": 40.0, "d": 0.3, "T": 5.0, "f": 0.06, "w": 4.0} | changes)
    )
    slip = u[0] - u[1]
    torque = p.T - p.f * slip  # of the clutch, slipping
    return symbolic.LagrangianSystem(
        q,
        (p.J * u[0] ** 2 + p.I * u[1] ** 2) / 2,
        p.k * b**2 / 2,
        {a: p.T - p.f * p.w - torque, b: torque - p.d * u[1]},
        parameters=p,
        initial={u[0]: p.w, b: (p.T - p.f * p.w) / p.k},
        linear=False,
        name="discs",
    )


def test_steady_sliding_at_speed_is_linearised_where_it_is() -> None:
    """The driven disc rotates steadily at w, and ∂(torque)/∂(slip) = -f reduces damping."""
    system = discs()
    start = system.initial_state
    found = modes(system, start)
    M, D, K = np.diag([2.0, 3.0]), np.array([[-0.06, 0.06], [0.06, 0.24]]), np.diag([0.0, 40.0])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    values = np.linalg.eigvals(A)
    expected = np.sort_complex(values[values.imag >= 0.0])
    assert np.sort_complex(found.eigenvalues) == pytest.approx(expected, abs=1e-8)
    assert found.eigenvalues[0] == 0.0
    # without falling friction the driven disc does not drift
    assert modes(system.with_parameters(f=0.0), start, frozen=True).growth < 0.0
    (begins,) = onset(system, "f", (-0.11, 0.3), state=lambda s: s.initial_state)
    assert begins.starts
    assert begins.value == pytest.approx(0.0, abs=1e-6)
    assert begins.eigenvalue == pytest.approx(0.0, abs=1e-6)
    assert begins.frequency == 0.0


def test_gyroscopic_forces_stay_where_damping_is_left_out() -> None:
    """ẍ - g ẏ + d ẋ + x = 0, ÿ + g ẋ + d ẏ + y = 0 has ω = √(1 + g²/4) ± g/2."""
    g, d = 0.7, 0.2
    D = np.array([[d, -g], [g, d]])
    system = nsmb.LinearSystem(np.eye(2), np.eye(2), D)
    found = modes(system, np.zeros(2), undamped=True)
    omega = np.sqrt(1.0 + g**2 / 4.0) + np.array([-0.5, 0.5]) * g
    assert found.frequencies * 2.0 * np.pi == pytest.approx(omega, rel=1e-9)
    assert np.abs(found.damping_ratios).max() < 1e-9


def test_internal_states_are_part_of_the_vectors() -> None:
    start = nsmb.State(0.0, np.zeros(1), np.zeros(1), np.zeros(2))
    found = modes(rings(mu=-0.1), start)
    turning = int(np.argmin(np.abs(found.eigenvalues - (-0.1 + 2.0j))))
    assert found.eigenvalues[turning] == pytest.approx(-0.1 + 2.0j, abs=1e-8)
    a, b = found.vectors[2:, turning]
    assert b / a == pytest.approx(-1.0j, abs=1e-8)
    assert np.abs(found.shapes[:, turning]).max() < 1e-8
    assert modes(rings(mu=-0.1), start, undamped=True).frequencies * 2.0 * np.pi == pytest.approx(
        [1.0], rel=1e-8
    )


def test_closed_force_elements_count() -> None:
    """A mass on a spring has an elastic stop that is open or closed."""
    spring = nsmb.GapForce(150.0, law="elastic_gap")
    stop = nsmb.ForceElement(w=[1.0], law=spring, name="stop")
    system = nsmb.LinearSystem([[2.0]], [[50.0]], elements=[stop])
    pressed, free = ([0.0], {"stop": "closed"}), ([0.0], {"stop": "open"})
    assert modes(system, *pressed, frozen=True).frequencies * 2.0 * np.pi == pytest.approx([10.0])
    assert modes(system, *free).frequencies * 2.0 * np.pi == pytest.approx([5.0])


def test_an_equilibrium_brings_its_contacts_along() -> None:
    here = equilibrium(block())
    assert len(modes(here.system, here)) == 0
    without = static_start(block())
    found = modes(without.system, without)
    assert found.frequencies * 2.0 * np.pi == pytest.approx([10.0])


def test_modes_say_what_moves() -> None:
    text = repr(modes(chain(2), np.zeros(2)))
    assert text.splitlines() == [
        "2 modes of linear system",
        "  0 Hz  damping 0: q1 1, q2 1",
        "  0.355881 Hz  damping 0: q1 1, q2 -1",
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: modes(block(), None, {"wall": "open"}), "contact 'wall'"),
        (lambda: modes(block(), [0.0, 0.0], {"floor": "glued"}), "floor 'glued'"),
        (lambda: modes(block(), [0.0]), r"q: expected shape \(2,\)"),
        (lambda: modes(block(), [0.0, 1.0], {"floor": "stick"}), "error of 1. Find an equi"),
        (lambda: modes(block(), equilibrium(block())), "of this system"),
        (lambda: modes(oscillator(), [1.0]), "must be in balance"),
        (lambda: onset(block(), "mass", (0.0, 1.0)), "parameter 'mass'"),
        (lambda: onset(block(), ["mu"], (0.0, 1.0)), r"parameter \['mu'\]: expected one of"),
        (lambda: onset(block(), "mu", (1.0, 0.0)), "span: must be two numbers, low < high"),
        (lambda: onset(block(), "mu", (0.0, 1.0), points=1), "points: expected a whole number"),
        (lambda: modes(block(), None, "stick"), "contact_state: expected a mapping .*'stick'"),
        (lambda: modes(block(), None, {"floor": ["stick"]}), r"floor \['stick'\]: expected one"),
        (lambda: modes(block(), [0.0, 0.0], t=np.nan), "t: expected a finite number, got nan"),
        (lambda: onset(block(), "mu", 5), r"span: expected shape \(2,\), got shape \(\)"),
        (lambda: onset(block(), "mu", (0.0, 1.0), state=5), r"state: expected a function of \(sys"),
        (
            lambda: onset(block(), "mu", (0.0, 1.0), state=lambda: None),
            r"state: expected a function of \(system\), got one of \(\)",
        ),
        (lambda: onset(block(), "mu", (0.0, 1.0), tol=0.0), "tol: expected a number between"),
        (lambda: onset(block(), "mu", (0.0, 1.0), tol=np.nan), "tol: expected a number between"),
        (
            lambda: onset(block(), "mu", (0.0, 1.0), contact_state="stick"),
            "contact_state: expected a mapping",
        ),
        (lambda: equilibrium(block(), contact_state=5), "contact_state: expected a mapping .*5"),
    ],
)
def test_misuse_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_onset_without_a_state_of_rest_names_the_value() -> None:
    ball = systems.bouncing_ball()
    with pytest.raises(AnalysisError, match=r"at g = 5: no equilibrium"):
        onset(ball, "g", (5.0, 9.0), contact_state={"floor": "open"}, points=2)
