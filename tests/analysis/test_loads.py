"""Blows and load distributions against closed forms and drawn samples."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from scipy import stats

import nsmb
from nsmb.analysis import blows, load_distribution
from nsmb.analysis.results import BlowTable

M, C, V, GAP = 2.0, 8.0e4, 0.3, 1.0e-3
OMEGA = np.sqrt(C / M)


def between_springs(d: float = 0.0) -> nsmb.System:
    """A mass that flies between two springs GAP apart, from one of them with V."""
    law = nsmb.GapForce(C, d, law="relaxing_wall" if d else "elastic_gap")
    return nsmb.LinearSystem(
        [[M]],
        elements=[
            nsmb.ForceElement(w=[1.0], law=law, gap=0.0, name="left"),
            nsmb.ForceElement(w=[-1.0], law=law, gap=GAP, name="right"),
        ],
        initial_state=nsmb.State(0.0, [1e-9], [V]),
    )


@pytest.fixture(scope="module")
def flight() -> nsmb.Solution:
    turn = 2.0 * (np.pi / OMEGA + GAP / V)
    return nsmb.simulate(between_springs(), 10.3 * turn, output_step=turn / 23.0)


def test_blows_of_a_spring_are_half_sines(flight: nsmb.Solution) -> None:
    """Duration π/ω, peak v √(m c) in the middle, from few samples."""
    found = blows(flight, ["left", "right"])
    assert found.names == ("element_force[left]", "element_force[right]")
    assert len(found) == 20
    np.testing.assert_array_equal(found.flank, np.tile([1, 0], 10))
    # springs meet within gap_tolerance, 3e-11 s at this speed
    np.testing.assert_allclose(found.duration, np.pi / OMEGA, rtol=0, atol=1e-10)
    # and lose up to 1e-8 of their energy by it; measured 4e-8
    np.testing.assert_allclose(found.peak, V * np.sqrt(M * C), rtol=2e-7)
    middle = 0.5 * (found.begin + found.end)
    # a peak is known to the root of its height
    np.testing.assert_allclose(found.t_peak, middle, rtol=0, atol=1e-4 / OMEGA)
    one = found.of("left")
    np.testing.assert_allclose(one.intervals, 2 * (np.pi / OMEGA + GAP / V), rtol=1e-8)
    np.testing.assert_allclose(one.pauses, one.intervals - np.pi / OMEGA, rtol=1e-8)
    assert one.rate == pytest.approx(10 / flight.t_span[1])


def test_samples_alone_are_right_to_second_order(flight: nsmb.Solution) -> None:
    """cos(ω h/2) of the peak at least, h the step; further points mend it."""
    exact = V * np.sqrt(M * C)
    step = flight.t[1] - flight.t[0]
    coarse = blows(flight, refine=False)
    assert (coarse.peak <= exact * (1 + 1e-12)).all()
    assert (coarse.peak >= exact * np.cos(OMEGA * step / 2) - 2e-7 * exact).all()
    assert coarse.peak.max() < 0.998 * exact
    finer = blows(flight, refine=False, points=40)
    assert (finer.peak >= exact * np.cos(0.5 * np.pi / 41) - 2e-7 * exact).all()


def test_blows_within_a_stretch_of_time_are_whole(flight: nsmb.Solution) -> None:
    every = blows(flight, "left")
    late = blows(flight, "left", t_start=every.begin[3] + 1e-9, t_end=every.end[6])
    np.testing.assert_array_equal(late.begin, every.begin[4:7])


def test_a_nominal_load_is_passed_in_between_samples() -> None:
    """A pressed mass: λ_N = m g + F sin ωt is above m g in every other half period."""
    omega, weight, F = 20.0, 9.81 * M, 5.0
    table = nsmb.LinearSystem(
        [[M]],
        force=nsmb.Force([-weight], harmonics=[nsmb.Harmonic([-F], omega, -np.pi / 2)]),
        contacts=[nsmb.Contact(w_N=[1.0], name="table")],
    )
    solution = nsmb.simulate(table, 8.7 * 2 * np.pi / omega, output_step=0.031)
    found = blows(solution, "table", nominal=weight)
    start = 2 * np.pi / omega * np.arange(9)
    np.testing.assert_allclose(found.begin, start, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.duration, np.pi / omega, rtol=1e-7)
    np.testing.assert_allclose(found.peak, weight + F, rtol=1e-9)
    assert len(blows(solution, "table")) == 0  # it never opens
    # what counts as a blow above zero does above the nominal load
    assert load_distribution(found.peak - [*np.linspace(0, 2, 9)], nominal=weight).nominal == weight


def test_a_load_is_passed_as_often_as_peaks_exceed_it() -> None:
    """Damped blows have one peak each, which falls from blow to blow."""
    solution = nsmb.simulate(between_springs(d=20.0), 0.585, output_step=1e-4)
    found = blows(solution)
    assert len(found) > 15
    levels = np.linspace(0.2, 0.95, 9) * found.peak.max()
    crossed = load_distribution(solution, ["left", "right"], levels=levels)
    np.testing.assert_array_equal(crossed.H, [(found.peak > x).sum() for x in levels])
    assert len(found) == crossed.H_0


@pytest.mark.parametrize("fit", ["counts", "logarithms"])
@pytest.mark.parametrize(("n", "x_0"), [(0.8, 3.0e3), (2.0, 1.2e4), (5.0, 4.0e4)])
def test_a_drawn_load_distribution_is_found(
    n: float, x_0: float, fit: Literal["counts", "logarithms"]
) -> None:
    """(11.35) is Weibull's: its quantiles give α and n back, and x_99 = (ln 100/α)^(1/n)."""
    peaks = stats.weibull_min.ppf((np.arange(400) + 0.5) / 400, n, scale=x_0)
    found = load_distribution(peaks, fit=fit)
    assert found.H_0 == 400
    assert found.n == pytest.approx(n, rel=1e-6)
    assert found.alpha == pytest.approx(x_0**-n, rel=1e-5)
    assert found.r_squared == pytest.approx(1.0, abs=1e-12)
    exact = (np.log(100.0) / x_0**-n) ** (1 / n)
    assert found.quantile() == pytest.approx(exact, rel=1e-6)
    assert found(exact) == pytest.approx(4.0, rel=1e-4)
    assert float(found(0.0)) == 400


def test_a_random_sample_gives_its_quantile_within_its_scatter() -> None:
    """The quantile of 2000 Weibull numbers scatters by about 2 per cent; fit and count agree."""
    peaks = stats.weibull_min.rvs(1.6, scale=1e4, size=2000, random_state=3)
    found = load_distribution(peaks)
    assert found.quantile() == pytest.approx(1e4 * np.log(100) ** (1 / 1.6), rel=0.04)
    assert found.quantile() == pytest.approx(np.quantile(peaks, 0.99), rel=0.06)


def test_options_of_the_other_kind_of_source_are_refused(flight: nsmb.Solution) -> None:
    peaks = [1.0, 2.0, 3.0]
    for given in ({"forces": "left"}, {"levels": 9}, {"t_start": 0.1}):
        (name,) = given
        with pytest.raises(TypeError, match=f"{name}: must be left out.*Give it"):
            load_distribution(peaks, **given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="forces: must be given for a Solution"):
        load_distribution(flight)


def test_results_are_drawn_and_said_in_a_few_lines(flight: nsmb.Solution) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = blows(flight)
    assert isinstance(found, BlowTable)
    rng = np.random.default_rng(1)
    load = load_distribution(rng.weibull(2.0, 50))
    assert len(found.plot(unit="kN").collections) == 2
    assert len(load.plot().lines) == 3
    for words, result in {"BlowTable: 20": found, "50 passages": load}.items():
        assert words in repr(result)
        assert len(repr(result).splitlines()) <= 6
    pyplot.close("all")


def test_bad_input_is_named(flight: nsmb.Solution) -> None:
    for call, words in (
        (lambda: blows(flight, "lef"), "force 'lef'.*did you mean 'left'"),
        (lambda: blows(flight, t_start=9.0), "t_start, t_end: expected 0 <= t_start < t_end"),
        (lambda: blows(flight).of("top"), "force: expected one of element_force"),
        (lambda: blows(flight).plot(unit="lb"), "unit: expected 'N' or 'kN', got 'lb'"),
        (
            lambda: blows(nsmb.simulate(nsmb.LinearSystem([[1.0]]), 1.0)),
            "forces: expected a system",
        ),
        (lambda: load_distribution([1.0, 1.0]), "source: expected three or more different loads"),
        (lambda: load_distribution([1.0, 2.0, 3.0]).quantile(1.0), "p: expected a number between"),
        (
            lambda: load_distribution([1.0, 2.0, 3.0], fit="H"),
            "fit: expected one of counts, logarithms, got 'H'",
        ),  # type: ignore[arg-type]
        (lambda: blows(flight, nominal=np.nan), "nominal: expected a finite number"),
        (lambda: blows(flight, 5), "forces: expected one name or several"),  # type: ignore[arg-type]
        (lambda: blows(flight, ["left", "left"]), "forces: expected each one once"),
        (lambda: load_distribution(flight, []), "forces: expected one name or several"),
        (lambda: blows(flight, [["left"]]), "forces: expected one name or several"),  # type: ignore[list-item]
        (lambda: load_distribution(flight, "left", t_start=np.nan), "t_start, t_end: expected"),
        (lambda: load_distribution(flight, "left", levels=[1.0]), "levels: expected three or"),
        # blows of one height pass all levels as often
        (lambda: load_distribution(flight, "left", levels=4), "levels: expected two or more"),
        (lambda: load_distribution([1.0, np.nan, 2.0, 3.0]), "source, nominal: must be finite"),
        (lambda: load_distribution([1.0, np.inf, 2.0, 3.0]), "source, nominal: must be finite"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
