"""Tables of a run: every declared column arrives, with the declared number of bytes."""

from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb._core import simulation as core
from nsmb.simulation.core_simulator import core_simulator

SYSTEMS = {
    "woodpecker": nsmb.systems.woodpecker,
    "ball": nsmb.systems.bouncing_ball,
    "contact points that come and go": nsmb.systems.woodpecker_4dof,
}
ONE_DIMENSIONAL = {"row", "series"}


def finished(system: nsmb.System, method: nsmb.EventDriven | None = None) -> core.EventDriven:
    run = core_simulator(system, method or nsmb.EventDriven())
    start = system.initial_state
    run.reset(start.t, start.q, start.u, start.x)
    run.set_output_step(0.01)
    assert run.advance(0.6) == "finished"
    return run


def declared() -> dict[str, tuple[str, str]]:
    return {name: (table, per) for table, name, per in core.trajectory_columns()}


# Columns recorded on demand, and columns of runs in steps only.
LOGGED = {"step_order", "step_seconds"}
STEPPED = {
    "impact_loss",
    "displaced_work",
    "step_residual",
    "step_status",
    "step_iterations",
} | LOGGED
FOUND = {name for name in declared() if name.startswith("found_")}


def test_columns_are_declared_once() -> None:
    columns = core.trajectory_columns()
    assert len(columns) == len(declared()) == 65
    header = Path(__file__).parents[2] / "cpp/nsmb/simulation/trajectory.hpp"
    lines = [line for line in header.read_text("utf-8").splitlines() if "{*this" in line]
    assert len(lines) == len(columns)
    assert all(f'"{name}"' in line for (_, name, _), line in zip(columns, lines, strict=True))


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_column_arrives(name: str) -> None:
    """No other columns arrive, except for the results stored outside the tables."""
    run = finished(SYSTEMS[name]())
    data = run.trajectory()
    # Runs in parts, runs in which contact points appear and disappear, and stepped runs.
    others = {"step_part", "end_slots"} | STEPPED | FOUND
    assert (STEPPED | FOUND).isdisjoint(data)
    assert set(data) - others == set(declared()) - others
    assert "step_part" not in data
    for column, (_, per) in declared().items():
        if column in data:
            assert data[column].ndim == (1 if per in ONE_DIMENSIONAL else 2), column
    assert list(run.events_from(0)) == [n for n, (t, _) in declared().items() if t == "event"]


def test_runs_in_parts_have_their_column_too() -> None:
    contacts = [
        nsmb.Contact(w_N=np.eye(6)[k], law=nsmb.ContactLaw(e_N=0.5), name=f"floor {k}")
        for k in range(6)
    ]
    start = nsmb.State(0.0, 1.0 + 0.1 * np.arange(6), np.zeros(6))
    system = nsmb.LinearSystem(
        np.eye(6), force=np.full(6, -9.81), contacts=contacts, initial_state=start
    )
    run = finished(system, nsmb.EventDriven(divide=True))
    assert run.part_count == 6
    data = run.trajectory()
    assert set(data) == {*declared(), "part_of_y", "part_of_contact"} - STEPPED - FOUND
    assert set(data["step_part"].tolist()) == set(range(6))


@pytest.mark.parametrize("name", SYSTEMS)
def test_sizes_are_exact(name: str) -> None:
    run = finished(SYSTEMS[name]())
    data, sizes = run.trajectory(), run.sizes
    rows = {"sample": data["t"].size, "event": data["event_t"].size, "step": data["step_end"].size}
    assert min(rows.values()) > 0
    taken = dict.fromkeys(rows, 0)
    for column, (table, per) in declared().items():
        if column in data and per != "series":
            taken[table] += data[column].nbytes
    assert taken == {table: count * sizes[table] for table, count in rows.items()}
    # Reserved memory grows like a vector, to twice the used size at most.
    total = sum(taken.values()) + data["coefficients"].nbytes
    assert total <= sizes["kept"] <= 2.0 * total + 1024


def test_last_sample_tells_any_column() -> None:
    run = finished(nsmb.systems.woodpecker())
    data = run.trajectory()
    for column, (table, _) in declared().items():
        if table == "sample" and column not in STEPPED | FOUND:
            np.testing.assert_array_equal(run.last_sample(column), np.atleast_1d(data[column][-1]))
    for name in ("event_t", "impact_loss", "found_count"):
        with pytest.raises(ValueError, match=f"name: expected a column of samples, got '{name}'"):
            run.last_sample(name)


def test_stepped_runs_have_their_columns_too() -> None:
    run = finished(nsmb.systems.woodpecker(), nsmb.Midpoint(1e-3))
    data = run.trajectory()
    others = {"step_part", "end_slots"} | LOGGED | FOUND
    assert set(data) - others == set(declared()) - others
    assert FOUND.isdisjoint(data)
    assert data["step_status"].size == data["step_end"].size == 600
    np.testing.assert_array_equal(run.last_sample("impact_loss"), data["impact_loss"][-1:])
