"""Spectra, spectrograms and envelopes of signals whose transforms are known."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb.analysis import Signal, sample_signal

PI = np.pi


def test_a_sine_has_one_line_and_the_mean_another() -> None:
    t = np.arange(1000) * 1e-3
    signal = Signal(t, 0.5 + 3.0 * np.sin(2 * PI * 40 * t) + 0.2 * np.cos(2 * PI * 125 * t), "x")
    found = signal.spectrum()
    assert found.resolution == pytest.approx(1.0)
    np.testing.assert_allclose(found.largest(2), [(40.0, 3.0), (125.0, 0.2)], rtol=1e-12)
    assert found.largest(1, above=50.0)[0][0] == pytest.approx(125.0)
    assert found.amplitude[0] == pytest.approx(0.5)
    assert found.phase[40] == pytest.approx(-PI / 2)
    # Parseval: the mean square is the sum of A²/2, of the last line A²
    assert 0.5 * (found.amplitude[1:] ** 2).sum() == pytest.approx(signal.rms**2, rel=1e-12)
    assert signal.spectrum("hann").amplitude[40] == pytest.approx(3.0, rel=1e-12)


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
    signal = sample_signal(
        solution, "x_dot", step=turn / N, t_start=turn / 4, t_end=turn / 4 + 3 * turn
    )
    assert signal.t.size == 3 * N
    assert signal.unit == solution.labels.unit("x_dot")
    assert signal.values[::32] == pytest.approx(0.0, abs=1e-9)  # on the impacts
    lines = signal.spectrum().amplitude[::3][1:]  # of the period
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
    force = sample_signal(solution, "spring", step=2e-3, t_start=0.5)
    assert force.name == "element_force[spring]"
    assert force.unit == "N"
    # x = -0.1 + 0.05 cos 10 t: it never leaves the spring
    np.testing.assert_allclose(force.values, 10.0 - 5.0 * np.cos(10 * force.t), atol=1e-6)
    twice = sample_signal(solution, lambda s: 2.0 * s.q[:, 0], step=2e-3, t_start=0.5, name="2 x")
    np.testing.assert_allclose(twice.values, -0.02 * force.values, atol=1e-8)
    assert twice.name == "2 x"


def test_a_rising_tone_is_followed() -> None:
    """cos of 2π (50 t + 25 t²): 50 Hz + 50 Hz/s t, with an envelope of its own."""
    t = np.arange(20_000) * 1e-4
    envelope = 1.0 + 0.5 * np.cos(2 * PI * 1.5 * t)
    signal = Signal(t, envelope * np.cos(2 * PI * (50 * t + 25 * t**2)), "x", "m")
    middle = (t > 0.2) & (t < 1.8)
    found = signal.analytic()
    # measured 3e-3 and 0.08 Hz: what leaks from the ends, where the signal does not close
    np.testing.assert_allclose(found.envelope[middle], envelope[middle], atol=1e-2)
    np.testing.assert_allclose(found.frequency[middle], 50 + 50 * t[middle], atol=0.3)
    over_time = signal.spectrogram(0.2)
    line = over_time.frequency[1]
    np.testing.assert_allclose(over_time.ridge, 50 + 50 * over_time.t, atol=1.01 * line)
    with_tone = Signal(t, signal.values + 2.0 * np.sin(2 * PI * 400 * t))
    band = with_tone.analytic(f_min=300.0, f_max=500.0)
    np.testing.assert_allclose(band.envelope[middle], 2.0, atol=0.02)


def test_the_area_between_the_envelopes_is_that_of_the_closed_form() -> None:
    """Beats a exp(-(t - t_0)²/2s²): 2 a s √(2π). Decay a exp(-t/τ): 2 a τ (1 - exp(-T/τ))."""
    t = np.arange(6000) * 1e-3
    swelling = 1.5 * np.exp(-0.5 * ((t - 3.0) / 0.4) ** 2) * np.cos(2 * PI * 10 * t + 0.3)
    found = Signal(t, swelling, "x", "m").analytic()
    assert found.area() == pytest.approx(2 * 1.5 * 0.4 * np.sqrt(2 * PI), rel=1e-9)
    half = found.area(t_end=3.0), found.area(3.0)
    assert half[0] == pytest.approx(half[1], rel=1e-9)
    assert sum(half) == pytest.approx(found.area(), rel=1e-12)
    for tau, f in ((0.5, 10.0), (1.0, 5.0)):
        decay = Signal(t, 2.0 * np.exp(-t / tau) * np.cos(2 * PI * f * t), "x", "m").analytic()
        area = 2 * 2.0 * tau * (np.exp(-0.3 / tau) - np.exp(-5.5 / tau))
        # measured 2e-3: what leaks from the start, where the signal does not close
        assert decay.area(0.3, 5.5) == pytest.approx(area, rel=5e-3)


def test_a_stationary_sine_has_its_amplitude_in_every_stretch() -> None:
    t = np.arange(4000) * 1e-3
    found = Signal(t, 1.5 * np.sin(2 * PI * 50 * t)).spectrogram(0.4, overlap=0.5)
    np.testing.assert_allclose(found.amplitude.max(axis=0), 1.5, rtol=1e-6)
    np.testing.assert_allclose(found.ridge, 50.0)


def test_the_highest_line_of_a_stretch_is_that_of_the_spectrum() -> None:
    t = np.arange(64) * 1e-2
    signal = Signal(t, np.cos(PI * np.arange(64)), "x")
    stretch = signal.spectrogram(0.16, window="boxcar")
    np.testing.assert_allclose(stretch.amplitude[-1], signal.spectrum().amplitude[-1], rtol=1e-12)


def test_signals_are_drawn_and_said_in_a_few_lines() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    t = np.arange(500) * 1e-3
    signal = Signal(t, np.sin(2 * PI * 20 * t), "phi_5", "rad")
    parts = (signal, signal.spectrum(), signal.spectrogram(0.1), signal.analytic(5.0))
    for part, words in zip(parts, ("500 samples", "20 Hz", "stretches", "envelope"), strict=True):
        assert words in repr(part)
        assert len(repr(part).splitlines()) <= 4
        assert part.plot().get_xlabel()
    pyplot.close("all")


def test_bad_input_is_named() -> None:
    solution = nsmb.simulate(nsmb.systems.woodpecker(), 0.1)
    t = np.arange(50) * 0.01
    signal = Signal(t, np.sin(t))
    for call, words in (
        (lambda: sample_signal(solution, "phi_Q", step=0.01), "what 'phi_Q': expected one of y, "),
        (lambda: sample_signal(solution, 3, step=0.01), "what: expected a name or a function"),  # type: ignore[arg-type]
        (lambda: sample_signal(solution, "y", step=-1.0), "step: expected"),
        (lambda: sample_signal(solution, "y", step=0.01, t_end=2.0), "t_start, t_end: expected 0"),
        (lambda: sample_signal(solution, lambda s: s.q, step=0.01), r"what: expected .* \(10,\)"),
        (lambda: Signal([0.0, 1.0, 3.0, 4.0], [0.0] * 4), "t: expected equal steps"),
        (lambda: Signal(t, t[:-1]), "values: expected four or more, one for each time"),
        (lambda: signal.spectrogram(99.0), "length: expected a time from"),
        (lambda: signal.spectrogram(0.1, overlap=1.0), r"overlap: expected a number in \[0, 1\)"),
        (lambda: signal.analytic(49.0, 49.1), "f_min, f_max: expected a band"),
        (lambda: signal.spectrum("zz"), "window: expected one of .*get_window, got 'zz'"),
        (lambda: signal.spectrum(("boxcar", 1, 2)), "window: expected one of"),  # type: ignore[arg-type]
        (lambda: signal.spectrogram(0.1, window="zz"), "window: expected one of .*, got 'zz'"),
        (lambda: signal.analytic().area(0.1, 0.105), r"t_start, t_end: expected .* \[0, 0.49\] s"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
