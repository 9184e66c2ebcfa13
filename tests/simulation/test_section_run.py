"""Runs recorded at sections, against whole runs."""

import numpy as np
import pytest

import nsmb

METHOD = nsmb.EventDriven(impact_law="poisson", dense_output=False)


def core(system: nsmb.System) -> nsmb.Simulator:
    return nsmb.Simulator(system, METHOD, output_step=0.0)


def test_points_at_impacts_are_the_events_of_a_whole_run() -> None:
    toy = nsmb.systems.woodpecker()
    whole = nsmb.simulate(toy, 1.0)
    events = whole.events
    beak = events.contacts[:, toy.contact_names.index("beak")]
    hits = (events.kind == nsmb.EventKind.IMPACT) & beak
    found = core(toy)._core.iterate(count=10_000, t_max=1.0, kind=0, contact=0)
    assert found["status"] == "ready"  # t_max came first
    np.testing.assert_array_equal(found["t"], events.t[hits])
    np.testing.assert_array_equal(found["y_minus"][:, :3], events.q[hits])
    np.testing.assert_array_equal(found["y_minus"][:, 3:], events.u_minus[hits])
    np.testing.assert_array_equal(found["Lambda_N"], events.Lambda_N[hits])
    np.testing.assert_array_equal(found["y_plus"][:, 3:], events.u_plus[hits])


def test_points_at_times_are_the_motion_there() -> None:
    oscillator = nsmb.systems.stick_slip_oscillator()
    period = oscillator.period
    assert period == pytest.approx(1.0)
    found = core(oscillator)._core.iterate(count=5, t_max=100.0, period=period, t_0=0.25)
    assert found["status"] == "finished"
    np.testing.assert_allclose(found["t"], 0.25 + np.arange(5), rtol=1e-15)
    whole = nsmb.simulate(oscillator, 6.0)
    for t, y in zip(found["t"], found["y_plus"], strict=True):
        np.testing.assert_allclose(y[:4], whole.at(t).q, atol=1e-12)
    np.testing.assert_array_equal(found["y_plus"], found["y_minus"])


def test_memory_stays_bounded_and_the_motion_the_same() -> None:
    gears = nsmb.systems.gear_rattling(alpha=3.0)
    once, kept = core(gears), core(gears)
    short = once._core.iterate(count=20_000, t_max=1e9, kind=0)
    long = kept._core.iterate(count=20_000, t_max=1e9, kind=0, keep=True)
    for name, table in short.items():
        np.testing.assert_array_equal(table, long[name])
    assert kept.solution.events.t.size >= 20_000
    assert once.solution.t.size < 10_000
    before = once.t
    once._core.forget()
    assert once.solution.t.tolist() == [before]
    once.advance(before + 1.0)
    assert once.solution.t[-1] == before + 1.0


def test_a_second_call_goes_on_where_the_first_ended() -> None:
    gears = nsmb.systems.gear_rattling(alpha=1.4)
    pieces, whole = core(gears), core(gears)
    first = pieces._core.iterate(count=7, t_max=1e9, kind=0)
    second = pieces._core.iterate(count=5, t_max=1e9, kind=0)
    both = whole._core.iterate(count=12, t_max=1e9, kind=0)
    np.testing.assert_array_equal(np.append(first["t"], second["t"]), both["t"])
    assert pieces.t == both["t"][-1]


def test_misuse_and_interruption() -> None:
    simulator = core(nsmb.systems.bouncing_ball())
    for arguments, text in (
        ({"count": 0, "t_max": 1.0}, "count: expected a number >= 1, got 0"),
        ({"count": 1, "t_max": np.nan}, "t_max"),
        ({"count": 1, "t_max": 1.0, "period": -1.0}, "period: expected a number >= 0"),
        ({"count": 1, "t_max": 1.0, "contact": 4}, "contact: expected an index below 1 or -1"),
    ):
        with pytest.raises(ValueError, match=text):
            simulator._core.iterate(**arguments)

    def stop(t: float) -> None:
        raise InterruptedError("enough")

    gears = core(nsmb.systems.gear_rattling(alpha=3.0))
    with pytest.raises(InterruptedError, match="enough"):
        gears._core.iterate(count=10_000_000, t_max=1e12, kind=0, monitor=stop)
    assert gears._core.status == "interrupted"
    gears.advance(gears.t + 1.0)  # the run can be continued
