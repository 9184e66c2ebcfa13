"""Blows of one-sided forces agree with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb.analysis import blows

M, C, V, GAP = 2.0, 8.0e4, 0.3, 1.0e-3
OMEGA = np.sqrt(C / M)


def between_springs() -> nsmb.System:
    """Return a mass that flies between two springs GAP apart, starting at one with speed V."""
    law = nsmb.GapForce(C, law="elastic_gap")
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
    """With few samples, the duration is π/ω and the peak v √(m c) in the middle."""
    for name, first in (("right", GAP / V), ("left", np.pi / OMEGA + 2 * GAP / V)):
        found = blows(flight, name)
        assert len(found) == 10
        # contact with springs is located to gap_tolerance, 3e-11 s at this speed
        np.testing.assert_allclose(found.duration, np.pi / OMEGA, rtol=0, atol=1e-10)
        # and changes up to 1e-8 of their energy; measured: 4e-8
        np.testing.assert_allclose(found.peak, V * np.sqrt(M * C), rtol=2e-7)
        middle = 0.5 * (found.begin + found.end)
        # the time of a peak has the square root of the error of its height
        np.testing.assert_allclose(found.t_peak, middle, rtol=0, atol=1e-4 / OMEGA)
        turn = 2 * (np.pi / OMEGA + GAP / V)
        np.testing.assert_allclose(found.begin, first + turn * np.arange(10), rtol=0, atol=1e-8)


def test_samples_alone_are_right_to_second_order(flight: nsmb.Solution) -> None:
    """The sampled peak is at least cos(ω h/2) of the exact one, with step h."""
    exact = V * np.sqrt(M * C)
    step = flight.t[1] - flight.t[0]
    coarse = blows(flight, "right", refine=False)
    assert (coarse.peak <= exact * (1 + 1e-12)).all()
    assert (coarse.peak >= exact * np.cos(OMEGA * step / 2) - 2e-7 * exact).all()
    assert coarse.peak.max() < 0.998 * exact


def test_events_near_a_peak_do_not_hide_it() -> None:
    """The largest sample may be an unrelated event, which has two rows."""
    near = GAP / V + 0.45 * np.pi / OMEGA
    run = nsmb.simulate(between_springs(), 2 * near, output_step=0.02, events=[nsmb.At(near)])
    found = blows(run, "right")
    assert np.count_nonzero(run.t == near) == 2
    assert found.t_peak[0] == pytest.approx(GAP / V + 0.5 * np.pi / OMEGA, abs=1e-6)
    assert found.peak[0] == pytest.approx(V * np.sqrt(M * C), rel=2e-7)


def test_blows_behind_a_transient_are_whole(flight: nsmb.Solution) -> None:
    every = blows(flight, "left")
    late = blows(flight, "left", t_start=every.begin[3] + 1e-9)
    np.testing.assert_array_equal(late.begin, every.begin[4:])


def test_a_nominal_load_is_passed_in_between_samples() -> None:
    """A pressed mass with λ_N = m g + F sin ωt exceeds m g in every other half period."""
    omega, weight, F = 20.0, 9.81 * M, 5.0
    table = nsmb.LinearSystem(
        [[M]],
        force=nsmb.Force([-weight], harmonics=[nsmb.Harmonic([-F], omega, -np.pi / 2)]),
        contacts=[nsmb.Contact(w_N=[1.0], name="table")],
    )
    solution = nsmb.simulate(table, 8.7 * 2 * np.pi / omega, output_step=0.031)
    start = 2 * np.pi / omega * np.arange(9)
    found = blows(solution, "table", nominal=weight)
    np.testing.assert_allclose(found.begin, start, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.duration, np.pi / omega, rtol=1e-7)
    np.testing.assert_allclose(found.peak, weight + F, rtol=1e-9)
    # linear between samples, with an error of at most (ω h)²/8 to the sine
    coarse = blows(solution, "table", nominal=weight, refine=False)
    np.testing.assert_allclose(coarse.begin, start, rtol=0, atol=(0.031 * omega) ** 2 / 8 / omega)
    assert len(blows(solution, "table")) == 0  # it never opens


def test_a_load_that_a_force_jumps_over_is_passed_at_its_event(flight: nsmb.Solution) -> None:
    """A spring with a damper immediately pushes with d v, more than the nominal load."""
    d, load = 400.0, 60.0
    wall = nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(C, d, law="relaxing_wall"), name="wall")
    ball = nsmb.LinearSystem([[M]], elements=[wall], initial_state=nsmb.State(0.0, [GAP], [-V]))
    solution = nsmb.simulate(ball, 0.1)
    whole, above = blows(solution, "wall"), blows(solution, "wall", nominal=load)
    assert d * V > load
    assert len(whole) == len(above) == 1
    assert above.begin[0] == whole.begin[0] == pytest.approx(GAP / V, abs=1e-9)
    assert above.end[0] < whole.end[0]
    assert solution.at(above.end[0]).element_force[0] == pytest.approx(load, rel=1e-6)
    assert above.peak[0] == whole.peak[0] >= d * V


def test_points_of_a_contact_are_one_blow() -> None:
    """The corners of a box carry m g (1 + 2 sin ωt) until lift-off at ωt = 7π/6."""
    m, g, omega = 3.0, 9.81, 5.0
    model = nsmb.Model(gravity=(0.0, -g))
    box = model.add_body("box", mass=m, inertia=1.0)
    model.add_joint("height", nsmb.joints.Prismatic((0.0, 1.0, 0.0)), model.ground, box)
    model.add_joint_force("push", "height", lambda t, q, u: -2 * m * g * np.sin(omega * t))
    square = nsmb.geometry.Polygon([(-0.1, 0.0), (0.1, 0.0), (0.1, 0.1), (-0.1, 0.1)])
    floor = model.ground.contour("floor", nsmb.geometry.Line())
    model.add_contact(box.contour("sides", square), floor, nsmb.ContactLaw(), "foot")
    solution = nsmb.simulate(model.build({"height": 1e-3}), 0.8, output_step=0.05)
    found = blows(solution, "foot")
    assert len(found) == 1
    assert found.end[0] == pytest.approx(7 * np.pi / 6 / omega, abs=1e-9)
    assert found.t_peak[0] == pytest.approx(np.pi / 2 / omega, abs=1e-5)
    assert found.peak[0] == pytest.approx(3 * m * g, rel=1e-9)


def test_results_are_said_in_a_few_lines(flight: nsmb.Solution) -> None:
    found = blows(flight, "right")
    title, *lines = repr(found).splitlines()
    assert title.startswith("BlowTable of right: 10 blows, t from 0.00333")
    assert [line.split()[0] for line in lines] == ["peak", "duration"]


def test_bad_input_is_named(flight: nsmb.Solution) -> None:
    for call, words in (
        (lambda: blows(flight, "lef"), "name 'lef'.*did you mean 'left'"),
        (lambda: blows(flight, 5), "name 5: expected one of left, right"),  # type: ignore[arg-type]
        (lambda: blows(flight, "left", t_start=9.0), r"t_start: expected a number in \[0, "),
        (lambda: blows(flight, "left", t_start=np.nan), "t_start: expected a number in"),
        (lambda: blows(flight, "left", nominal=np.nan), "nominal: expected a finite number"),
        (lambda: blows(nsmb.simulate(nsmb.LinearSystem([[1.0]]), 1.0), "u"), "there are none"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
