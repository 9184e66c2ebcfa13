"""`nsmb.results.Events`: selection, tables, cycles."""

import csv
import dataclasses
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb.events import last_cycle
from tests.python.thrown_ball import Ball


def test_one_event_has_names_and_both_sides(ball: nsmb.Solution) -> None:
    event = ball.events[0]
    assert isinstance(event, nsmb.results.Event)
    assert event.kind is nsmb.EventKind.IMPACT
    assert event.contacts == ("floor",)
    assert event.t == Ball.t_1
    assert event.u_plus[1] == -0.5 * event.u_minus[1]
    assert isinstance(event.energy_loss, float)
    assert str(event).startswith("impact at t = 0.447213595")


def test_events_are_a_sequence(ball: nsmb.Solution) -> None:
    events = ball.events
    assert len(events) == len(list(events)) == 3
    assert events[-1].t == Ball.t_2
    assert events[np.int64(1)].t == Ball.t_1
    assert [e.t for e in events[1:]] == [Ball.t_1, Ball.t_2]
    assert [e.t for e in events[[2, 0]]] == [Ball.t_2, Ball.t_1]
    assert len(events[events.energy_loss > 0.0]) == 2
    assert len(events[[]]) == 0
    with pytest.raises(IndexError, match="expected a row of 3 events, got 3"):
        events[3]


def test_events_are_selected_by_kind(toy: nsmb.Solution) -> None:
    counts = toy.events.count()
    assert sum(counts.values()) == len(toy.events)
    for kind, number in counts.items():
        assert set(toy.events.of_kind(kind).kinds) == {kind}
        assert len(toy.events.of_kind(kind)) == number
    both = toy.events.of_kind("stick", nsmb.EventKind.SLIP)
    assert len(both) == counts["stick"] + counts["slip"]
    assert np.all(np.diff(both.t) > 0.0)


def test_events_are_selected_by_contact(toy: nsmb.Solution) -> None:
    beak = toy.events.at_contact("beak")
    assert len(beak) > 10
    assert all("beak" in event.contacts for event in beak)
    assert len(toy.events.at_contact("beak", "lower", "upper")) == len(toy.events)


def test_unknown_kind_and_contact_are_refused(toy: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match=r"kind: expected one of impact, .*, got 'bang'"):
        toy.events.of_kind("bang")
    with pytest.raises(ValueError, match=r"contact: expected one of beak, .*, got 'tail'"):
        toy.events.at_contact("tail")


def test_table_shows_what_happened(ball: nsmb.Solution) -> None:
    lines = ball.events.to_text().splitlines()
    assert " ".join(lines[0].split()) == "t / s kind contacts state Λ_N / N s loss / J"
    assert lines[2].split() == ["0.447213595", "impact", "floor", "6.7082e+00", "7.5000e+00"]
    assert len(lines) == 4  # the second impact has no effect
    shifted = ball.events.to_text(t_start=Ball.t_1).splitlines()
    assert shifted[2].startswith("0.000000000")


def test_table_shows_changes_of_contact_states(toy: nsmb.Solution) -> None:
    first = toy.events.of_kind("stick")[:1].to_text()
    assert "lower: slip - → stick" in first
    impact = toy.events[(toy.events.state_plus != toy.events.state_minus).any(axis=1)]
    assert "lower: open → slip -" in impact.of_kind("impact").to_text()


def test_long_table_loses_its_middle(toy: nsmb.Solution) -> None:
    lines = toy.events.to_text(max_rows=6).splitlines()
    assert len(lines) == 2 + 6 + 1
    assert f"… {len(toy.events) - 6} more …" in lines[5]
    assert f"{toy.events.t[0]:.9f}" in lines[2]
    assert f"{toy.events.t[-1]:.9f}" in lines[-1]
    assert len(repr(toy.events).splitlines()) < 30


def test_no_events_have_a_table_too(ball: nsmb.Solution) -> None:
    nothing = ball.events[:0]
    assert repr(nothing) == "Events: none"
    assert len(nothing.to_text().splitlines()) == 2
    assert nothing.count() == {}


def test_csv_keeps_every_digit(toy: nsmb.Solution, tmp_path: Path) -> None:
    toy.events.to_csv(tmp_path / "events.csv")
    with open(tmp_path / "events.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(toy.events)
    np.testing.assert_array_equal([float(row["t"]) for row in rows], toy.events.t)
    np.testing.assert_array_equal(
        [float(row["phi_S_dot_plus"]) for row in rows], toy.events.u_plus[:, 2]
    )
    np.testing.assert_array_equal(
        [float(row["Lambda_N[beak]"]) for row in rows], toy.events.Lambda_N[:, 0]
    )
    assert {row["state_plus[lower]"] for row in rows} == {"open", "stick", "slip -"}
    assert rows[0]["contacts"] == "lower"


def test_dataframe_has_the_columns_of_the_csv(toy: nsmb.Solution, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    toy.events.to_csv(tmp_path / "events.csv")
    frame = toy.events.to_dataframe()
    with open(tmp_path / "events.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert list(frame.columns) == header
    assert [[str(value) for value in row] for row in frame.to_numpy().tolist()] == rows


def test_missing_pandas_is_named(ball: nsmb.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'nsmb\[data\]'"):
        ball.events.to_dataframe()


def test_cycle_counts_impacts_of_one_instant_once(ball: nsmb.Solution) -> None:
    cycle = last_cycle(ball.events)
    assert (cycle.contact, cycle.start, cycle.end) == ("floor", 1, 2)
    assert cycle.period == Ball.t_2 - Ball.t_1
    assert np.isnan(cycle.period_change)
    assert cycle.displacement["x"] == pytest.approx(3.0 * cycle.period, rel=1e-14)
    assert cycle.impact_loss == ball.events.energy_loss[2]


def test_cycle_of_the_toy_runs_from_beak_to_beak(toy: nsmb.Solution) -> None:
    cycle = last_cycle(toy.events)
    assert cycle.contact == "beak"
    # an independent simulation gives 0.14598 s and 19.445 mm; after 2 s the start still shows
    assert cycle.period == pytest.approx(0.14598, abs=1e-4)
    assert cycle.displacement["y"] == pytest.approx(-19.445e-3, abs=5e-5)
    assert abs(cycle.period_change) < 1e-4
    assert cycle.events.kinds == [
        "impact", "impact", "detach", "impact", "impact", "stick", "slip", "detach", "impact",
        "impact",
    ]  # fmt: skip


def test_cycle_with_high_friction_is_the_one_of_the_book(long_toy: nsmb.Solution) -> None:
    cycle = last_cycle(long_toy.events)
    # an independent simulation at mu = 0.9 gives 8.890 Hz and 7.652 mm
    assert 1.0 / cycle.period == pytest.approx(8.890, abs=6e-4)
    assert cycle.displacement["y"] == pytest.approx(-7.652e-3, abs=6e-7)
    happened = [(event.kind.label, event.contacts[0]) for event in cycle.events]
    assert happened == [
        ("impact", "beak"),
        ("impact", "upper"),
        ("impact", "lower"),
        ("stick", "lower"),
        ("slip", "lower"),
        ("detach", "lower"),
        ("impact", "upper"),
        ("impact", "beak"),
    ]


def test_cycle_accounts_for_the_energy_of_the_fall(long_toy: nsmb.Solution) -> None:
    cycle = last_cycle(long_toy.events)
    start, end = cycle.events[0], cycle.events[-1]
    system = long_toy.system
    assert system is not None

    def energy(event: nsmb.results.Event) -> float:
        kinetic = system.kinetic_energy(event.t, event.q, event.u_plus)
        return kinetic + system.potential_energy(event.t, event.q)

    lost = cycle.impact_loss + cycle.friction_loss
    assert energy(start) - energy(end) == pytest.approx(lost, rel=1e-8)


def test_cycle_of_a_named_contact(toy: nsmb.Solution) -> None:
    cycle = last_cycle(toy.events, "upper")
    assert cycle.contact == "upper"
    assert toy.events[cycle.start].contacts == toy.events[cycle.end].contacts == ("upper",)
    assert cycle.period < last_cycle(toy.events).period  # it hits twice per cycle


def test_cycle_needs_two_impacts_of_a_contact(ball: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match="expected two impacts of one contact, got 1 impacts"):
        last_cycle(ball.events[:1])
    with pytest.raises(ValueError, match="expected two impacts of one contact, got 2 impacts"):
        last_cycle(ball.events[:2])  # both at one instant
    with pytest.raises(ValueError, match="contact: expected two impacts of 'wall', got 0"):
        last_cycle(ball.events, "wall")
    with pytest.raises(ValueError, match="contact: expected one of wall, floor, got 'roof'"):
        last_cycle(ball.events, "roof")


def test_cycle_text_gives_period_and_displacement(long_toy: nsmb.Solution) -> None:
    text = last_cycle(long_toy.events).to_text()
    assert "from beak impact to beak impact" in text
    assert "period 0.1124895" in text
    assert "y -0.0076517" in text
    assert "phi_M +0.000000000" in text  # no digits of a rounding error


def test_table_names_the_force_elements_that_switch(ride: nsmb.Solution) -> None:
    lines = ride.events.of_kind("switch").to_text().splitlines()
    assert lines[0].split()[3:7] == ["kind", "contacts,", "elements", "state"]
    assert {line.split()[2] for line in lines[2:]} == {"buffer", "spring"}
    first = ride.events.of_kind("switch")[0]
    assert first.contacts == ()
    assert len(first.elements) == 1


def test_events_are_selected_by_force_element(ride: nsmb.Solution) -> None:
    both = ride.events.at_element("buffer", "spring")
    assert len(both) == ride.events.count()["switch"]
    each = [len(ride.events.at_element(name)) for name in ("buffer", "spring")]
    assert min(each) > 0
    assert sum(each) == len(both)
    with pytest.raises(ValueError, match="expected one of buffer, spring, got 'bufer'"):
        ride.events.at_element("bufer")


def test_force_elements_of_a_system_without_are_refused(ball: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match="expected one of no force elements at all, got 'buffer'"):
        ball.events.at_element("buffer")


def test_csv_of_a_run_with_everything_has_every_column(ride: nsmb.Solution, tmp_path: Path) -> None:
    ride.events.to_csv(tmp_path / "events.csv")
    with open(tmp_path / "events.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    events = ride.events
    for name, values in (
        ("buffer.wall", events.x[:, 0]),
        ("Lambda_NC[floor]", events.Lambda_NC[:, 0]),
        ("Lambda_T[floor.2]", events.Lambda_T[:, 1]),
        ("Lambda_TC[floor.1]", events.Lambda_TC[:, 0]),
        ("compression_loss", events.compression_loss),
        ("work_N[floor]", events.work_N[:, 0]),
        ("work_T[floor]", events.work_T[:, 0]),
    ):
        np.testing.assert_array_equal([float(row[name]) for row in rows], values, err_msg=name)
    assert {row["elements"] for row in rows} == {"", "buffer", "spring"}
    assert {row["state_plus[floor]"] for row in rows} == {"open", "stick", "slip"}


def test_events_keep_their_names_in_copies_and_selections(ride: nsmb.Solution) -> None:
    for events in (ride.events[3:9], pickle.loads(pickle.dumps(ride.events[3:9]))):
        assert events.tangent_names == ("floor.1", "floor.2", "guide")
        assert events.element_names == ("buffer", "spring")
        assert events.states == ("buffer.wall",)
        assert not events.x.flags.writeable


def test_tables_have_no_rows_of_impacts_that_changed_nothing(
    ball: nsmb.Solution, tmp_path: Path
) -> None:
    """The second impact of the ball is omitted.

    A change of contact state without impulse is kept.
    """
    events = ball.events
    assert len(events) == 3
    assert not events.Lambda_N[1].any()
    assert len(events.to_text().splitlines()) == 2 + 2
    events.to_csv(tmp_path / "events.csv")
    with open(tmp_path / "events.csv", encoding="utf-8", newline="") as file:
        assert [float(row["t"]) for row in csv.DictReader(file)] == [Ball.t_1, Ball.t_2]
    state = np.array(events.state_plus)
    state[1, 1] = nsmb.ContactState.STICK
    rests = dataclasses.replace(events, state_plus=state)
    assert len(rests.to_text().splitlines()) == 2 + 3
    assert "0 impacts" in repr(events[1:2].energy_table())
