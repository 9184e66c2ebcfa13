"""Samples of a run at equal steps, across events."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import fft

import nsmb
from nsmb.analysis import sample_signal

PI = np.pi


def test_a_velocity_that_jumps_has_the_spectrum_of_a_square_wave() -> None:
    """Of a mass between elastic stops, where samples fall on impacts: with the mean of both sides
    the lines are (4 v/N) cot(π k/N), k odd, and none for even k."""
    v, gap, N = 2.0, 0.5, 64
    stops = [
        nsmb.Contact(w_N=[s], gap=g, law=nsmb.ContactLaw(e_N=1.0), name=name)
        for s, g, name in ((1.0, 0.0, "left"), (-1.0, gap, "right"))
    ]
    system = nsmb.LinearSystem(
        [[1.0]], contacts=stops, initial_state=nsmb.State(0.0, [0.25], [v]), coordinates=["x"]
    )
    turn = 2 * gap / v
    solution = nsmb.simulate(system, 4 * turn)
    t, values = sample_signal(
        solution, "x_dot", step=turn / N, t_start=turn / 4, t_end=turn / 4 + 3 * turn
    )
    assert t.size == 3 * N
    np.testing.assert_allclose(t, turn / 4 + turn / N * np.arange(3 * N), rtol=1e-14)
    assert values[::32] == pytest.approx(0.0, abs=1e-9)  # on the impacts
    lines = 2.0 * np.abs(fft.rfft(values))[::3][1:] / values.size  # of the period
    lines[-1] /= 2.0  # the highest line stands alone
    k = np.arange(1, lines.size + 1)
    expected = np.where(k % 2 == 1, 4 * v / N / np.tan(PI * k / N), 0.0)
    np.testing.assert_allclose(lines, expected, rtol=0, atol=1e-9)


def test_forces_and_functions_are_sampled_like_components() -> None:
    spring = nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(100.0, law="elastic_gap"), name="spring")
    system = nsmb.LinearSystem(
        [[1.0]], force=[-10.0], elements=[spring], coordinates=["x"],
        initial_state=nsmb.State(0.0, [-0.1 + 0.05], [0.0]),
    )  # fmt: skip
    solution = nsmb.simulate(system, 2.0)
    t, force = sample_signal(solution, "spring", step=2e-3, t_start=0.5)
    # x = -0.1 + 0.05 cos 10 t: it never leaves the spring
    np.testing.assert_allclose(force, 10.0 - 5.0 * np.cos(10 * t), atol=1e-6)
    _, twice = sample_signal(solution, lambda s: 2.0 * s.q[:, 0], step=2e-3, t_start=0.5)
    np.testing.assert_allclose(twice, -0.02 * force, atol=1e-8)
    by_table = sample_signal(solution, "element_force[spring]", step=2e-3, t_start=0.5)
    np.testing.assert_array_equal(by_table[1], force)


def test_bad_input_is_named() -> None:
    solution = nsmb.simulate(nsmb.systems.woodpecker(), 0.1)
    for call, words in (
        (lambda: sample_signal(solution, "phi_Q", step=0.01), "what 'phi_Q': expected one of y, "),
        (lambda: sample_signal(solution, 3, step=0.01), "what: expected a name or a function"),  # type: ignore[arg-type]
        (lambda: sample_signal(solution, "y", step=-1.0), "step: expected"),
        (lambda: sample_signal(solution, "y", step=0.01, t_end=2.0), "t_start, t_end: expected 0"),
        (lambda: sample_signal(solution, lambda s: s.q, step=0.01), r"what: expected .* \(10,\)"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
