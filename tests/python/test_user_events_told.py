"""User events in tables, files, energy and derivatives."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb


def kicked(**options: Any) -> nsmb.Solution:
    events = [
        nsmb.When(lambda t, q, u: u[0], "down", lambda now: {"u": now.u - 2.0 - now.q}, "kick"),
        nsmb.At(every=0.5, name="tick"),
    ]
    return nsmb.simulate(nsmb.systems.bouncing_ball(), 1.2, events=events, **options)


KINDS = ["user", "impact", "user", "user", "impact", "user"]
NAMES = ["tick", "", "tick", "kick", "", "tick"]


def test_rows_have_kind_and_name() -> None:
    sol = kicked()
    assert sol.events.kinds == KINDS
    assert [event.name for event in sol.events] == NAMES
    assert nsmb.EventKind.USER == 7
    assert sol.events.named("tick").t.tolist() == [0.0, 0.5, 1.0]
    assert len(sol.events.named("kick", "tick")) == 4
    with pytest.raises(ValueError, match="event 'tock': expected one of kick, tick; did you mean"):
        sol.events.named("tock")
    assert "kick" in str(sol.events)
    assert "kick" in str(sol.events.of_kind("user")[2])


def test_tables_show_the_name(tmp_path: Path) -> None:
    frame = kicked().events.to_dataframe()
    assert frame["event"].tolist() == NAMES
    kicked().events.to_csv(tmp_path / "events.csv")
    assert "tick" in (tmp_path / "events.csv").read_text("utf-8")
    plain = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0).events.to_dataframe()
    assert "event" not in plain.columns


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_files_know_them(tmp_path: Path, suffix: str) -> None:
    sol = kicked()
    sol.save(tmp_path / f"run{suffix}")
    again = nsmb.Solution.load(tmp_path / f"run{suffix}")
    assert [event.name for event in again.events] == NAMES
    assert again.labels.user_event_names == ("kick", "tick")
    assert [event.name for event in pickle.loads(pickle.dumps(sol.events))] == NAMES


def test_runs_with_different_events_join_and_no_tick_comes_twice() -> None:
    ball = nsmb.systems.bouncing_ball()
    ticks = nsmb.At(every=0.25, name="tick")
    first = nsmb.simulate(ball, 0.5, events=[ticks])
    second = nsmb.simulate(ball, 1.0, start=first, events=[nsmb.At([0.6], name="late"), ticks])
    both = first + second
    assert [event.name for event in both.events.of_kind("user")] == [
        "tick", "tick", "tick", "late", "tick", "tick",
    ]  # fmt: skip
    assert both.events.named("tick").t.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_the_balance_of_energy_counts_what_effects_do() -> None:
    sol = kicked()
    assert sol.check().ok
    # In closed form, the error is rounding of an energy of 10 J.
    assert np.abs(sol.energy.residual).max() < 1e-12
    m, before, after = 1.0, 0.0, -2.0 - sol.events[3].q[0]
    assert sol.events[3].energy_loss == pytest.approx(0.5 * m * (before - after**2), rel=1e-12)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_derivatives_go_through_effects(name: str) -> None:
    """Derivatives of the final height by initial height, velocity and g agree with differences."""
    method = nsmb.EventDriven(integrator=name, rtol=1e-12)
    events = [
        nsmb.When(lambda t, q, u: u[0] - 0.1, "down", lambda now: {"u": now.u - 2.0 - now.q}, "k"),
        nsmb.When(lambda t, q, u: q[0] - 0.5 + 0.1 * t, name="seen"),
        nsmb.At([0.35], lambda now: {"u": 0.9 * now.u}, "brake"),
    ]

    def end(h: float, v: float, g: float) -> np.ndarray:
        system = nsmb.systems.bouncing_ball(g=g)
        sol = nsmb.simulate(system, 1.1, q=[h], u=[v], events=events, method=method)
        return np.array([sol.q[-1, 0], sol.u[-1, 0]])

    system = nsmb.systems.bouncing_ball(g=9.81)
    sol = nsmb.simulate(
        system, 1.1, q=[1.0], u=[-0.3], events=events, method=method, sensitivity="g"
    )
    assert {"k", "seen", "brake"} <= {event.name for event in sol.events}
    assert sol.sensitivity is not None
    assert sol.sensitivity.exists
    d, at = 1e-5, np.array([1.0, -0.3, 9.81])
    differences = [(end(*(at + d * e)) - end(*(at - d * e))) / (2.0 * d) for e in np.eye(3)]
    # Central differences have errors of d² and tolerance/d. Measured: 1e-8 of values up to 10.
    found = np.column_stack([sol.sensitivity.state, sol.sensitivity.parameter])
    assert np.abs(found - np.transpose(differences)).max() < 1e-6
    plain = nsmb.simulate(system, 1.1, q=[1.0], u=[-0.3], events=events, method=method)
    assert (plain.q == sol.q).all()
    assert (plain.t == sol.t).all()


def test_effects_that_do_not_say_what_they_change_are_noted() -> None:
    ticks = nsmb.At([0.1], lambda now: None, "silent")
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.3, events=[ticks], sensitivity=True)
    assert sol.sensitivity is not None
    assert [note.kind for note in sol.sensitivity.notes] == ["unknown"]
