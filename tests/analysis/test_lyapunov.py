"""Lyapunov spectra agree with eigenvalues, the sum identity (12.18), and multipliers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import (
    AnalysisInterrupted,
    PoincareMap,
    crossing,
    every,
    lyapunov_spectrum,
    on_event,
)
from tests.analysis.rattling import rattling
from tests.support.interrupts import ctrl_c_once, frame_of


def test_a_linear_system_has_the_real_parts_of_its_eigenvalues() -> None:
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(2, 2, 2))
    M, K, D = np.diag([1.0, 2.0]), A @ A.T + np.eye(2), 0.1 * B @ B.T + 0.1 * np.eye(2)
    system = nsmb.LinearSystem(M, K, D)
    inverse = np.linalg.inv(M)
    flow = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ K, -inverse @ D]])
    rates = np.sort(np.linalg.eigvals(flow).real)[::-1]
    found = lyapunov_spectrum(system, section=every(0.5), count=4000, transient=400)
    # Within a pair the frame rotates, so that the mean over T s has an error of 1/T = 5e-4 1/s.
    np.testing.assert_allclose(found.exponents, rates, rtol=0, atol=3e-3)
    assert found.per_time.sum() == pytest.approx(-np.trace(inverse @ D), rel=1e-9)
    assert found.mean_interval == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("alpha", "epsilon", "beta"), [(1.48, 0.9, 0.1), (3.0, 0.9, 0.1), (3.0, 0.7, 0.2)]
)
def test_sum_of_the_exponents_of_gear_rattling(alpha: float, epsilon: float, beta: float) -> None:
    """σ_1 + σ_2 = 2 ln ε - β <Δτ> over the same impacts (12.18), measured 3e-12."""
    system = rattling(alpha, beta=beta, epsilon=epsilon)
    found = lyapunov_spectrum(system, per="impact", count=1000, transient=300)
    assert found.success
    assert found.notes == {}
    identity = 2 * np.log(epsilon) - beta * found.mean_interval
    assert found.exponents.sum() == pytest.approx(identity, abs=1e-6)
    assert found.per_time * found.mean_interval == pytest.approx(found.per_point)


def test_chaotic_gear_rattling_has_the_exponent_of_the_spec() -> None:
    """At α = 3 it is 0.35 per impact, sum -0.329, ± 0.007 with 5000 impacts (spec 4.5)."""
    found = lyapunov_spectrum(rattling(3.0), per="impact", count=5000, transient=300)
    assert found.exponents[0] == pytest.approx(0.35, abs=0.03)
    assert found.exponents.sum() == pytest.approx(-0.329, abs=0.005)
    assert 0.001 < found.standard_error[0] < 0.02
    np.testing.assert_allclose(found.running[-1], found.exponents)
    periodic = lyapunov_spectrum(rattling(1.48), count=200, transient=1500)
    assert periodic.exponents[0] < -0.01
    assert periodic.standard_error[0] < 1e-6


def test_time_and_shift_of_the_woodpecker_are_zeros() -> None:
    """They are two of the three directions that survive sticking.

    The third is the multiplier of the cycle, here by finite differences of the return map over
    three cycles.
    """
    toy = nsmb.systems.woodpecker()
    section = PoincareMap(toy, on_event("impact", "beak"))
    found = lyapunov_spectrum(toy, section=on_event("impact", "beak"), count=60, transient=1000)
    assert np.abs(found.per_point[:2]).max() < 1e-4
    assert np.isneginf(found.per_point[3:]).all()
    base = found.state
    h, cycles = 1e-5, 3
    ends = []
    for sign in (-1, +1):
        q = base.q.copy()
        q[1] += sign * h  # phi_M, which is free on the section
        start = nsmb.State(base.t, q, base.u, base.x)
        ends.append(section.iterate(cycles + 1, start=start).y_plus[[cycles - 1, cycles]])
    change = (ends[1] - ends[0]) / (2 * h)
    multiplier = np.linalg.norm(change[1, 1:]) / np.linalg.norm(change[0, 1:])
    assert np.exp(found.per_point[2]) == pytest.approx(multiplier, rel=1e-3)


def test_stick_slip_ends_directions() -> None:
    """Multipliers of one forcing period agree. Directions lost by sticking have no exponent."""
    oscillator = nsmb.systems.stick_slip_oscillator()
    found = lyapunov_spectrum(oscillator, section=every(), count=30, transient=100)
    start = found.state
    run = nsmb.simulate(
        oscillator, start.t + 1.0, t_start=start.t, q=start.q, u=start.u, sensitivity=True
    )
    assert run.sensitivity is not None
    # With closed contacts only x_1, x_2 and velocities along the ground matter.
    free = [0, 2, 4, 6]
    multipliers = np.sort(np.abs(np.linalg.eigvals(run.sensitivity.state[np.ix_(free, free)])))
    expected = np.log(multipliers[::-1][:2])
    np.testing.assert_allclose(found.exponents[:2], expected, rtol=0, atol=1e-7)
    assert np.isneginf(found.exponents[3:]).all()


def test_largest_exponents_alone_are_those_of_all() -> None:
    options: dict[str, Any] = {"per": "impact", "count": 200, "transient": 400}
    both = lyapunov_spectrum(rattling(1.2), **options)
    one = lyapunov_spectrum(rattling(1.2), exponents=1, **options)
    assert one.exponents.shape == (1,)
    assert one.exponents[0] == pytest.approx(both.exponents[0], abs=1e-9)


def test_a_section_that_is_never_met_is_a_status() -> None:
    ball = nsmb.systems.bouncing_ball()
    for transient in (0, 200):
        found = lyapunov_spectrum(ball, count=1000, transient=transient, t_max=5.0)
        assert found.status == "section_not_met"
        assert "larger t_max" in found.message
    assert np.isnan(found.exponents).all()


def test_ctrl_c_keeps_the_spectrum_so_far() -> None:
    def has_batches() -> bool:
        frame = frame_of("_run")
        return frame is not None and frame.f_locals.get("batch", 0) > 1

    with ctrl_c_once(has_batches), pytest.raises(AnalysisInterrupted, match="at t = ") as stopped:
        lyapunov_spectrum(rattling(3.0), count=10_000_000, transient=100, batches=5000)
    assert pickle.loads(pickle.dumps(stopped.value)).result.status == "interrupted"
    assert stopped.value.result.exponents[0] > 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"per": "turn"}, r"per: expected 'time' or 'impact', got 'turn'"),
        ({"per": "impact", "section": every()}, r"section: expected events for per='impact'"),
        ({"section": crossing("s")}, r"section: expected on_event\(\.\.\.\) or every"),
        ({"exponents": 3}, r"exponents: expected at most 2, got 3"),
        ({"count": 0}, r"count: expected a whole number >= 1"),
        ({"batches": 0}, r"batches: expected a whole number >= 1"),
    ],
)
def test_senseless_spectra_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lyapunov_spectrum(rattling(), **changes)
