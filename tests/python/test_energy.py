"""Energy of impacts: the table of contacts, and the warning about gains."""

import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nsmb
from tests.python.thrown_ball import Ball

GAIN = nsmb.EnergyGainWarning
POISSON = nsmb.EventDriven(impact_law="poisson")


def test_table_of_the_ball_is_the_closed_form(ball: nsmb.Solution) -> None:
    """For m = 1 compression takes v²/2 and expansion returns ε² v²/2."""
    table = ball.events.energy_table()
    np.testing.assert_array_equal(table.event, [0, 2])  # the second impact has no effect, no row
    assert table.contact == ("floor",) * 2
    np.testing.assert_array_equal(table.t, ball.events.t[[0, 2]])
    v = np.array([-10.0 * Ball.t_1, -10.0 * Ball.t_1 / 2])
    np.testing.assert_allclose(table.Lambda_N, -1.5 * v)
    np.testing.assert_allclose(table.compression_loss, v**2 / 2)
    np.testing.assert_allclose(table.expansion_loss, -(v**2) / 8)
    np.testing.assert_allclose(table.work_N, -3 * v**2 / 8)
    np.testing.assert_array_equal(table.work_T, 0.0)


def test_works_add_to_the_loss_and_phases_too(toy: nsmb.Solution, ride: nsmb.Solution) -> None:
    for run in (toy, ride):
        table = run.events.energy_table()
        hits = run.events.of_kind("impact")
        assert np.unique(table.event).size == len(hits)
        work = np.bincount(table.event, table.work_N + table.work_T, len(run.events))
        largest = hits.energy_loss.max()
        np.testing.assert_allclose(work, -run.events.energy_loss, rtol=0, atol=1e-14 * largest)
        np.testing.assert_allclose(
            table.compression_loss + table.expansion_loss, table.energy_loss, rtol=1e-13, atol=0
        )


def test_table_agrees_with_the_kinetic_energies(ride: nsmb.Solution) -> None:
    """For M = 1, W = 1, T_A and T_E follow from the velocities, and T_C from u_C = u_A + W Λ_C.

    The floor is a belt, whose work -Λᵀw̃ is no loss.
    """
    table = ride.events.energy_table()
    hits = ride.events[table.event]
    assert table.Lambda_T.shape == (len(table), 2)
    T_A, T_E = (np.sum(u**2, axis=1) / 2 for u in (hits.u_minus, hits.u_plus))
    u_C = hits.u_minus + np.column_stack([hits.Lambda_TC[:, :2], hits.Lambda_NC[:, 0]])
    T_C = np.sum(u_C**2, axis=1) / 2
    w_tilde_T = ride.system.contact_kinematics(0.0, ride.q[0], ride.u[0])["w_tilde_T"][:2]
    drive, drive_C = (-Lambda[:, :2] @ w_tilde_T for Lambda in (hits.Lambda_T, hits.Lambda_TC))
    np.testing.assert_allclose(hits.drive_work, drive, rtol=0, atol=1e-13)
    np.testing.assert_allclose(table.energy_loss, T_A - T_E + drive, rtol=0, atol=1e-13)
    np.testing.assert_allclose(table.compression_loss, T_A - T_C + drive_C, rtol=0, atol=1e-13)
    assert (table.energy_loss > 0.0).all()
    np.testing.assert_allclose(table.Lambda_T, (hits.u_plus - hits.u_minus)[:, :2], atol=1e-13)


def test_laws_of_one_phase_have_no_phases() -> None:
    method = nsmb.EventDriven(impact_law="moreau")
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.8, method=method)
    table = sol.events.energy_table()
    assert len(table) == 1
    assert table.energy_loss[0] > 0.0
    assert np.isnan(table.compression_loss[0])
    assert np.isnan(table.expansion_loss[0])
    assert "nan" not in table.to_text()


def test_all_contacts_of_a_double_impact_have_a_row() -> None:
    """A beam that lands on both feet has two rows, with the losses in the first."""
    law = nsmb.ContactLaw(e_N=0.5)
    feet = [nsmb.Contact(w_N=[1.0, x], law=law, name=n) for x, n in ((-1, "left"), (1, "right"))]
    beam = nsmb.LinearSystem(np.diag([1.0, 0.5]), contacts=feet)
    table = nsmb.simulate(beam, 0.0, u=[-2.0, 0.0], method=POISSON).events.energy_table()
    assert table.contact == ("left", "right")
    np.testing.assert_allclose(table.Lambda_N, [1.5, 1.5])
    np.testing.assert_allclose(table.work_N, [-0.75, -0.75])
    np.testing.assert_allclose(table.energy_loss, [1.5, 1.5])
    np.testing.assert_allclose(table.compression_loss, [2.0, 2.0])
    lines = table.to_text().splitlines()
    assert len(lines[2].split()) == 9
    assert lines[3].split() == ["right", "1.5000e+00", "0.0000e+00", "-7.5000e-01", "0.0000e+00"]
    assert repr(table).startswith("EnergyTable: 1 impacts\n")


@settings(max_examples=40, derandomize=True, deadline=None)
@given(
    feet=st.lists(st.integers(-8, 8), min_size=1, max_size=4, unique=True),
    velocity=st.lists(st.integers(-4, 4), min_size=3, max_size=3),
    mu=st.sampled_from([0.0, 0.3, 1.0]),
    e_N=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_books_close_for_any_impact_and_equal_restitution_gains_nothing(
    feet: list[int], velocity: list[int], mu: float, e_N: float
) -> None:
    """(8.52), (8.57) hold for a board on feet with friction, all closed."""
    law = nsmb.ContactLaw(mu=mu, e_N=e_N)
    contacts = [nsmb.Contact(w_N=[0, 1, x / 4], w_T=[1, 0, 0.5], law=law) for x in feet]
    M = np.diag([1.0, 1.0, 0.5])
    board = nsmb.LinearSystem(M, contacts=contacts)
    events = nsmb.simulate(board, 0.0, u=velocity, method=POISSON).events
    table = events.energy_table()
    work = np.bincount(table.event, table.work_N + table.work_T, len(events))
    T_A, T_E = (np.einsum("ki,ij,kj->k", u, M, u) / 2 for u in (events.u_minus, events.u_plus))
    np.testing.assert_allclose(events.energy_loss, T_A - T_E, rtol=0, atol=1e-11)
    np.testing.assert_allclose(work, -events.energy_loss, rtol=0, atol=1e-11)
    phases = table.compression_loss + table.expansion_loss
    np.testing.assert_allclose(phases, table.energy_loss, rtol=0, atol=1e-11)
    assert np.all(events.energy_loss >= -1e-11)
    assert np.all(table.compression_loss >= -1e-11)


def test_a_run_without_impacts_has_an_empty_table(ball: nsmb.Solution) -> None:
    table = ball.events[:0].energy_table()
    assert len(table) == 0
    assert repr(table) == "EnergyTable: 0 impacts"
    assert len(table.to_text().splitlines()) == 2


def test_long_tables_lose_their_middle(ride: nsmb.Solution) -> None:
    table = ride.events.energy_table()
    assert len(table) > 20
    assert f"… {len(table) - 20} more …" in repr(table)
    assert len(table.to_text().splitlines()) == len(table) + 2


def test_table_becomes_a_dataframe(ride: nsmb.Solution, ball: nsmb.Solution) -> None:
    pytest.importorskip("pandas")
    table = ride.events.energy_table()
    frame = table.to_dataframe()
    assert list(frame.columns) == [
        "event", "t", "contact", "Lambda_N", "Lambda_T.1", "Lambda_T.2", "work_N", "work_T",
        "energy_loss", "compression_loss", "expansion_loss",
    ]  # fmt: skip
    np.testing.assert_array_equal(frame["Lambda_T.2"], table.Lambda_T[:, 1])
    np.testing.assert_array_equal(frame["expansion_loss"], table.expansion_loss)
    assert "Lambda_T" in ball.events.energy_table().to_dataframe()


def test_missing_pandas_is_named(ball: nsmb.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'nsmb\[data\]'"):
        ball.events.energy_table().to_dataframe()


# Gains ----------------------------------------------------------------------------------------


def rod(g: float = 0.0) -> nsmb.System:
    """Return a rod at 50° that hits the floor with its lower end."""
    cos, sin = np.cos(np.radians(50.0)), np.sin(np.radians(50.0))
    law = nsmb.ContactLaw(mu=1.0, e_N=0.9)
    tip = nsmb.Contact(w_N=[0, 1, -cos], w_T=[1, 0, -sin], law=law, name="tip")
    return nsmb.LinearSystem(np.diag([1, 1, 1 / 3]), force=[0, -g, 0], contacts=[tip])


def beam() -> nsmb.System:
    """Return a beam on two feet with ε = 1 and 0 and friction, for which (8.57) fails."""
    contacts = [
        nsmb.Contact(w_N=[0, 1, x], w_T=[1, 0, 1.055], law=nsmb.ContactLaw(1.0, e), name=n)
        for x, e, n in ((-1.978, 1.0, "left"), (0.724, 0.0, "right"))
    ]
    return nsmb.LinearSystem(np.diag([1, 1, 0.1]), contacts=contacts)


def gained(sol: nsmb.Solution) -> float:
    """Return the energy gain in the first impact in J."""
    assert sol.system is not None
    hit = sol.events[0]
    before, after = (sol.system.kinetic_energy(0.0, hit.q, u) for u in (hit.u_minus, hit.u_plus))
    return after - before


def test_energy_gained_with_moreaus_law_is_told_once_with_its_remedy() -> None:
    method = nsmb.EventDriven(impact_law="moreau")
    with pytest.warns(GAIN) as caught:
        sol = nsmb.simulate(rod(), 0.0, u=[1.0, -1.0, 3.0], method=method)
    gain = gained(sol)
    assert gain > 0.1
    assert sol.stats["largest_energy_gain"] == pytest.approx(gain, rel=1e-12)
    assert [str(w.message) for w in caught] == [
        f"impacts that created energy: 1, the largest gain {gain:.3g} J, with "
        'impact_law="moreau"; remedy: use impact_law="poisson" with the same e_N for all contacts'
    ]
    assert caught[0].filename == __file__


def test_the_remedy_helps() -> None:
    start = [1.0, -1.0, 3.0]
    sol = nsmb.simulate(rod(), 0.0, u=start, method=POISSON)  # warnings are errors
    assert gained(sol) <= 0.0
    assert sol.stats["energy_gains"] == 0


def test_energy_gained_with_unequal_restitution_is_told() -> None:
    with pytest.warns(GAIN, match=r'"poisson"; remedy: give all contacts the same e_N'):
        sol = nsmb.simulate(beam(), 0.0, u=[-1.0, -1.0, 1.0], method=POISSON)
    gain = gained(sol)
    assert gain > 1e-3
    assert sol.stats["largest_energy_gain"] == pytest.approx(gain, rel=1e-9)


def test_a_simulator_counts_gains_without_words() -> None:
    sim = nsmb.Simulator(rod(), nsmb.EventDriven(impact_law="moreau"))
    sim.reset(u=[1.0, -1.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.advance(0.0)
    assert sim.solution.stats["energy_gains"] == 1


def test_a_failed_run_warns_too() -> None:
    method = nsmb.EventDriven(impact_law="moreau", max_events=1)
    with pytest.warns(GAIN), pytest.raises(nsmb.SimulationError):
        nsmb.simulate(rod(10.0), 50.0, u=[1.0, -1.0, 3.0], method=method)
