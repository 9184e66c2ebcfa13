"""`nsmb.Solution`: samples, evaluation between them, tables."""

import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from tests.python.thrown_ball import Ball

ROUNDING = 1e-14  # for numbers of order one to ten, with sums of up to six terms


def test_columns_of_the_core_become_attributes(ball: nsmb.Solution) -> None:
    assert ball.q.shape == ball.u.shape == ball.g_N.shape == (6, 2)
    np.testing.assert_array_equal(ball.q, Ball.data()["y"][:, :2])
    np.testing.assert_array_equal(ball.u, Ball.data()["y"][:, 2:])
    np.testing.assert_array_equal(ball.g_N[:, 1], ball.q[:, 1])
    assert ball.coordinates == ("x", "y")
    assert ball.contact_names == ("wall", "floor")
    assert ball.success
    assert dict(ball.parameters) == {"e": 0.5}
    assert ball.contact_state.dtype == np.int8


def test_arrays_cannot_be_written(ball: nsmb.Solution) -> None:
    names = (
        "t", "q", "u", "g_N", "gamma_N", "gamma_T", "lambda_N", "lambda_T", "friction_loss",
        "contact_state",
    )  # fmt: skip
    for name in names:
        assert not getattr(ball, name).flags.writeable, name
    for part in (ball.events, ball.events[1:], ball.events[[0, 2]], ball.events[ball.events.t > 0]):
        for name in ("t", "kind", "contacts", "q", "u_minus", "Lambda_N", "state_plus"):
            assert not getattr(part, name).flags.writeable, name
    with pytest.raises(ValueError, match="read-only"):
        ball.q[0, 0] = 1.0


@pytest.mark.parametrize("side", ["left", "right"])
def test_at_follows_the_closed_form(ball: nsmb.Solution, side: Any) -> None:
    t = np.union1d(np.linspace(0.0, Ball.t_2, 1001), [Ball.t_1, Ball.t_mid, Ball.t_2])
    sample = ball.at(t, side=side)
    np.testing.assert_allclose(sample.q, Ball.y(t, side)[:, :2], rtol=0.0, atol=ROUNDING)
    np.testing.assert_allclose(sample.u, Ball.y(t, side)[:, 2:], rtol=0.0, atol=ROUNDING)


def test_at_takes_the_side_of_an_event(ball: nsmb.Solution) -> None:
    v = -10.0 * Ball.t_1
    assert ball.at(Ball.t_1, "left").u[1] == pytest.approx(v, abs=ROUNDING)
    assert ball.at(Ball.t_1, "right").u[1] == pytest.approx(-v / 2, abs=ROUNDING)
    assert ball.at(Ball.t_1).u[1] == ball.at(Ball.t_1, "right").u[1]


def test_at_the_end_has_both_sides_of_a_last_event(ball: nsmb.Solution) -> None:
    v = -10.0 * Ball.t_1
    assert ball.at(Ball.t_2, "left").u[1] == pytest.approx(v / 2, abs=ROUNDING)
    assert ball.at(Ball.t_2, "right").u[1] == ball.u[-1, 1] == pytest.approx(-v / 4, abs=ROUNDING)


def test_at_keeps_the_shape_of_the_times(ball: nsmb.Solution) -> None:
    one = ball.at(0.25)
    assert isinstance(one.t, float)
    assert one.q.shape == one.u.shape == one.contact_state.shape == (2,)
    many = ball.at(np.full((3, 4), 0.25))
    assert many.q.shape == many.contact_state.shape == (3, 4, 2)
    np.testing.assert_array_equal(many.q, np.broadcast_to(one.q, (3, 4, 2)))
    assert ball.at([]).q.shape == (0, 2)


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_time_gives_the_bits_of_many(toy: nsmb.Solution, side: Any) -> None:
    times = np.concatenate([np.linspace(*toy.t_span, 50), toy.events.t])
    many = toy.at(times, side)
    for i, t in enumerate(times):
        one = toy.at(float(t), side)
        for name in ("q", "u", "contact_state"):
            assert getattr(one, name).tobytes() == getattr(many, name)[i].tobytes()


@pytest.mark.parametrize("t", [-1e-9, Ball.t_2 + 1e-9, float("nan"), [0.1, 5.0]])
def test_at_refuses_times_outside_the_run(ball: nsmb.Solution, t: Any) -> None:
    with pytest.raises(ValueError, match=r"t: expected times from 0 to 0\.8944\d*, got"):
        ball.at(t)


def test_at_refuses_an_unknown_side(ball: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match="side: expected 'left' or 'right', got 'middle'"):
        ball.at(0.1, side="middle")  # type: ignore[arg-type]


def test_at_says_how_to_keep_the_steps() -> None:
    system = nsmb.systems.bouncing_ball()
    run = nsmb.simulate(system, 1.0, method=nsmb.EventDriven(dense_output=False))
    with pytest.raises(ValueError, match=r"EventDriven\(dense_output=True\)"):
        run.at(0.5)


def test_at_works_on_a_run_of_no_length() -> None:
    run = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.0)
    assert run.at(0.0).q[0] == run.at(0.0, "left").q[0] == 1.0


def test_at_reaches_beyond_the_last_sample_when_a_run_was_cut_off() -> None:
    data = Ball.data()
    rows = ("t", "y", "g_N", "gamma_N", "gamma_T", "lambda_N", "lambda_T", "friction_loss",
            "contact_state", "element_gamma", "element_force", "element_mode")  # fmt: skip
    cut = Ball.solution(**{name: data[name][:4] for name in rows})
    assert cut.t_span == (0.0, Ball.t_2)
    for side in ("left", "right"):
        sample = cut.at(Ball.t_2, side)  # type: ignore[arg-type]
        np.testing.assert_allclose(sample.u, Ball.y(Ball.t_2, "left")[2:], atol=ROUNDING)


def test_at_gives_back_the_samples_of_the_toy(toy: nsmb.Solution) -> None:
    first = np.append(True, np.diff(toy.t) > 0.0)  # first row of each time
    last = np.append(np.diff(toy.t) > 0.0, True)
    for side, rows in (("left", first), ("right", last)):
        sample = toy.at(toy.t[rows], side)  # type: ignore[arg-type]
        # measured 2e-15 and 2e-13 (velocities reach 30 rad/s)
        np.testing.assert_allclose(sample.q, toy.q[rows], rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(sample.u, toy.u[rows], rtol=0.0, atol=1e-11)
        inner = slice(1, -1)
        np.testing.assert_array_equal(sample.contact_state[inner], toy.contact_state[rows][inner])


def test_at_jumps_only_where_impacts_are(toy: nsmb.Solution) -> None:
    t = np.unique(toy.events.t)
    before, after = toy.at(t, "left"), toy.at(t, "right")
    np.testing.assert_allclose(before.q, after.q, rtol=0.0, atol=1e-12)
    jumps = np.abs(before.u - after.u).max(axis=1) > 1e-9
    np.testing.assert_array_equal(t[jumps], np.unique(toy.events.of_kind("impact").t))


def test_both_sides_of_every_event_are_samples(toy: nsmb.Solution) -> None:
    for event in toy.events:
        rows = np.flatnonzero(toy.t == event.t)
        assert rows.size == 2
        np.testing.assert_array_equal(toy.u[rows[0]], event.u_minus)
        np.testing.assert_array_equal(toy.contact_state[rows[0]], event.state_minus)
        np.testing.assert_array_equal(toy.contact_state[rows[1]], event.state_plus)


def test_tables_of_a_run_without_contacts_keep_their_rows() -> None:
    run = nsmb.simulate(nsmb.LinearSystem([[1.0]], [[4.0]]), 1.0)
    assert run.g_N.shape == run.contact_state.shape == (run.t.size, 0)
    assert len(run.events) == 0
    assert run.events.Lambda_N.shape == (0, 0)
    assert run.at([0.1, 0.2]).contact_state.shape == (2, 0)


def test_dataframe_has_a_column_for_everything(ball: nsmb.Solution) -> None:
    pytest.importorskip("pandas")
    frame = ball.to_dataframe()
    assert list(frame.columns[:6]) == ["t", "x", "y", "x_dot", "y_dot", "g_N[wall]"]
    assert "contact_state[floor]" in frame
    np.testing.assert_array_equal(frame["y_dot"], ball.u[:, 1])
    np.testing.assert_array_equal(frame["gamma_N[floor]"], ball.gamma_N[:, 1])


def test_xarray_names_axes_and_units(ball: nsmb.Solution) -> None:
    pytest.importorskip("xarray")
    data = ball.to_xarray()
    np.testing.assert_array_equal(data.q.sel(coordinate="y"), ball.q[:, 1])
    np.testing.assert_array_equal(data.g_N.sel(contact="floor"), ball.g_N[:, 1])
    assert data.lambda_N.attrs["units"] == "N"
    assert data.contact_state.attrs["flag_meanings"].split()[1] == "stick"
    assert data.attrs["status"] == "finished"
    assert data.attrs["parameter_e"] == 0.5


@pytest.mark.parametrize(
    ("module", "method"), [("pandas", "to_dataframe"), ("xarray", "to_xarray")]
)
def test_missing_extra_is_named(
    ball: nsmb.Solution, monkeypatch: pytest.MonkeyPatch, module: str, method: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    message = rf"{module} is not installed: pip install 'nsmb\[data\]'"
    with pytest.raises(ImportError, match=message):
        getattr(ball, method)()


def test_repr_says_how_the_run_ended(ball: nsmb.Solution, toy: nsmb.Solution) -> None:
    assert "Solution of thrown ball: finished" in repr(ball)
    assert "0 s to 0.894427 s, 6 samples" in repr(ball)
    assert "3 (3 impact)" in repr(ball)
    assert "68 impact" in repr(toy)


def test_run_without_samples_can_be_looked_at() -> None:
    data = Ball.data()
    empty = nsmb.Solution.from_core(
        Ball.system(),
        {name: array[:0] for name, array in data.items()},
        status="no_contact_solution",
        message="nothing fits",
        stats={},
    )
    assert not empty.success
    assert "no_contact_solution before the first sample" in repr(empty)
    with pytest.raises(ValueError, match="ended before its first sample"):
        empty.at(0.0)


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_a_copied_solution_is_the_same(toy: nsmb.Solution, copied: Any) -> None:
    twin = copied(toy)
    assert repr(twin) == repr(toy)
    assert twin.stats == toy.stats
    assert dict(twin.parameters) == dict(toy.parameters)
    assert twin.coordinate_units == toy.coordinate_units
    assert twin._data.keys() == toy._data.keys()
    for name, array in toy._data.items():
        np.testing.assert_array_equal(twin._data[name], array, err_msg=name)
        assert twin._data[name].dtype == array.dtype
        assert not twin._data[name].flags.writeable
    np.testing.assert_array_equal(twin.at(0.1234).q, toy.at(0.1234).q)
    assert twin.system is not None
    assert dict(twin.system.parameters) == dict(toy.parameters)


def test_a_copied_solution_without_system_has_none(ball: nsmb.Solution) -> None:
    ball.system = None
    again = pickle.loads(pickle.dumps(ball))
    with pytest.raises(ValueError, match=r"`solution\.system`: must be known, got .* without"):
        _ = again.system


def test_a_copied_solution_of_a_file_builds_its_system_when_asked(tmp_path: Path) -> None:
    run = nsmb.simulate(nsmb.systems.bouncing_ball(H=0.5), 0.5)
    run.save(tmp_path / "run.npz")
    again = pickle.loads(pickle.dumps(nsmb.Solution.load(tmp_path / "run.npz")))
    assert again.system.parameters == run.system.parameters


def test_copied_events_cannot_be_written(toy: nsmb.Solution) -> None:
    events = pickle.loads(pickle.dumps(toy.events[2:5]))
    assert events.to_text() == toy.events[2:5].to_text()
    assert not events.q.flags.writeable


def test_a_run_with_everything_has_columns_for_everything(ride: nsmb.Solution) -> None:
    n = ride.t.size
    shapes = {
        "q": (n, 3), "u": (n, 3), "x": (n, 1), "g_N": (n, 2), "gamma_N": (n, 2), "lambda_N": (n, 2),
        "gamma_T": (n, 3), "lambda_T": (n, 3), "contact_state": (n, 2), "friction_loss": (n, 2),
        "element_gamma": (n, 2), "element_force": (n, 2), "element_mode": (n, 2),
    }  # fmt: skip
    for name, shape in shapes.items():
        assert getattr(ride, name).shape == shape, name
    assert ride.element_names == ("buffer", "spring")
    assert ride.at([0.1, 0.2]).x.shape == (2, 1)
    np.testing.assert_allclose(ride.gamma_T[:, 0], ride.u[:, 0] + 0.5, atol=1e-12)
    np.testing.assert_allclose(ride.element_gamma[:, 1], 0.45 - ride.q[:, 0], atol=1e-12)
    np.testing.assert_array_equal(ride.element_force[ride.element_mode == 0], 0.0)
    spatial = ride.contact_state[:, 0]
    assert set(spatial.tolist()) == {
        nsmb.ContactState.OPEN, nsmb.ContactState.STICK, nsmb.ContactState.SLIP
    }  # fmt: skip
    assert set(ride.events.count()) >= {"impact", "switch", "stick", "slip", "reversal"}


def test_samples_between_events_have_the_internal_states(ride: nsmb.Solution) -> None:
    """In contact the wall follows the mass. Otherwise it relaxes with c/d = 100 1/s."""
    t = np.linspace(*ride.t_span, 400)
    sample = ride.at(t)
    rows = np.searchsorted(ride.t, t, side="right") - 1
    acts = ride.element_mode[rows, 0] == 1
    gap = sample.q[:, 0] + 0.3
    assert acts.sum() > 50
    np.testing.assert_allclose(sample.x[acts, 0], gap[acts], atol=1e-9)
    assert np.all(sample.x[~acts, 0] <= gap[~acts] + 1e-12)


def test_dataframe_of_a_run_with_everything(ride: nsmb.Solution) -> None:
    pytest.importorskip("pandas")
    frame = ride.to_dataframe()
    for column, values in (
        ("buffer.wall", ride.x[:, 0]),
        ("gamma_T[floor.2]", ride.gamma_T[:, 1]),
        ("lambda_T[guide]", ride.lambda_T[:, 2]),
        ("element_force[spring]", ride.element_force[:, 1]),
        ("element_mode[buffer]", ride.element_mode[:, 0]),
    ):
        np.testing.assert_array_equal(frame[column], values)


def test_xarray_of_a_run_with_everything(ride: nsmb.Solution) -> None:
    pytest.importorskip("xarray")
    data = ride.to_xarray()
    np.testing.assert_array_equal(data.lambda_T.sel(tangent="floor.2"), ride.lambda_T[:, 1])
    np.testing.assert_array_equal(data.x.sel(state="buffer.wall"), ride.x[:, 0])
    np.testing.assert_array_equal(
        data.element_force.sel(element="spring"), ride.element_force[:, 1]
    )
    flags = data.contact_state.attrs
    assert dict(zip(flags["flag_values"], flags["flag_meanings"].split(), strict=True)) == {
        0: "open", 1: "stick", 2: "slip_positive", 3: "slip_negative", 4: "slip"
    }  # fmt: skip
    assert data.element_mode.attrs["flag_meanings"].split() == ["inactive", "active"]
    assert flags["flag_values"].dtype == data.contact_state.dtype == np.int8
