"""What a page of knobs does, without a browser."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.explorer.bounded_run import Superseded, bounded_method, bounded_run
from nsmb.explorer.page import Worker
from nsmb.explorer.payload import pack, run_payload
from nsmb.explorer.system_view import SystemExplorer
from nsmb.pictures.rows import state_bars


@pytest.fixture
def view() -> SystemExplorer:
    return nsmb.explore(nsmb.systems.woodpecker(), parameters=("mu", "c_phi"), t_end=0.5)


def test_a_knob_gives_the_run_that_simulate_gives(view: SystemExplorer) -> None:
    assert view.set(mu=0.9)
    expected = nsmb.simulate(nsmb.systems.woodpecker(mu=0.9), t_end=0.5)
    assert view.solution is not None
    np.testing.assert_array_equal(view.solution.q, expected.q)
    np.testing.assert_array_equal(view.solution.events.t, expected.events.t)
    assert view.system.parameters["mu"] == 0.9


def test_a_value_that_fails_keeps_the_last_picture(view: SystemExplorer) -> None:
    view.set(mu=0.5)
    before, header = view.solution, view.widget._header
    assert not view.set(mu=-1.0)
    assert view.solution is before
    assert "mu" in view.message
    assert "-1" in view.message
    after = view.widget._header
    assert not after["current"]
    assert after["message"] == view.message
    assert after["run"] == header["run"]
    assert view.set(mu=0.6)
    assert view.message == ""


def test_a_contact_problem_without_solution_is_told() -> None:
    view = nsmb.explore(nsmb.systems.sliding_rod(phi=1.0, mu=0.3), t_end=0.05)
    before = view.solution
    assert before is not None
    assert not view.set(mu=1.7)  # Painlevé: it jams
    assert "no_contact_solution" in view.message
    assert view.solution is before


def test_a_run_of_endless_events_ends() -> None:
    view = nsmb.explore(nsmb.systems.woodpecker(), t_end=1e6, event_limit=50)
    assert view.solution is None
    assert view.message.startswith("event_limit")
    assert view.widget._header["message"] == view.message
    assert view.set(t_end=0.1)


def test_a_run_that_nobody_waits_for_ends() -> None:
    """An hour of motion, of which a moment is computed."""
    toy = nsmb.systems.woodpecker()
    asked = []

    def is_wanted() -> bool:
        asked.append(1)
        return len(asked) < 2

    method = bounded_method(toy.recommended.method, 10**7)
    with pytest.raises(Superseded):
        bounded_run(toy, toy.initial_state, 3600.0, method, is_wanted)
    assert len(asked) == 2


def test_reset_turns_all_knobs_back(view: SystemExplorer) -> None:
    start = view.values
    view.set(mu=0.9, t_end=0.2)
    assert view.values != start
    assert view.reset()
    assert view.values == start


def test_start_of_a_system_without_parameters() -> None:
    ball = nsmb.LinearSystem(
        [[1.0]],
        force=[-9.81],
        contacts=[nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5), name="floor")],
        initial_state=nsmb.State(0.0, [1.0], [0.0]),
        coordinates=["z"],
    )
    view = nsmb.explore(ball)
    assert list(view.values) == ["z", "z_dot", "t_end"]
    assert view.set(z=0.5, z_dot=1.0)
    assert view.solution is not None
    assert (view.solution.q[0, 0], view.solution.u[0, 0]) == (0.5, 1.0)
    assert not view.set(z=-0.5)  # below the floor
    assert "q" in view.message


@pytest.mark.parametrize(
    ("system", "values"),
    [
        (nsmb.systems.woodpecker(), {"mu": 0.9, "t_end": 0.3}),
        (nsmb.systems.bouncing_ball(), {"e_N": 0.75, "y": 0.4}),
        (nsmb.systems.percussion_drill(), {"t_end": 0.2}),
        (
            nsmb.LinearSystem([[2.0]], [[8.0]], initial_state=nsmb.State(0.0, [0.1], [0.0])),
            {"q1": 0.3},
        ),
    ],
    ids=["parameters", "start", "recommended method", "without parameters"],
)
def test_the_program_repeats_the_run(system: nsmb.System, values: dict[str, float]) -> None:
    view = nsmb.explore(system, start=True, t_end=0.1)
    assert view.set(**values), view.message
    found: dict[str, Any] = {}
    program = view.script().replace("sol.plot()\n", "")
    exec(program, found)  # of our own making
    assert view.solution is not None
    np.testing.assert_array_equal(found["sol"].q[-1], view.solution.q[-1])
    assert len(found["sol"].events) == len(view.solution.events)


def test_words_of_choices_are_taken() -> None:
    names = nsmb.system.registry.names("nsmb.systems.")
    systems = (nsmb.system.registry.build(name) for name in names)
    system = next(s for s in systems if any(i.choices for i in s.parameter_info.values()))
    name = next(k for k, info in system.parameter_info.items() if info.choices)
    word = system.parameter_info[name].choices[-1]
    view = nsmb.explore(system, parameters=[name], t_end=system.initial_state.t + 1e-3)
    assert view.set(**{name: word}), view.message
    assert view.system.parameters[name] == len(system.parameter_info[name].choices) - 1


def test_messages_of_the_page_turn_knobs(view: SystemExplorer) -> None:
    """What a browser sends, without a kernel's event loop: answered at once."""
    view._on_message({"type": "set", "id": 7, "values": {"mu": 0.8}})
    header = view.widget._header
    assert (header["id"], header["values"]["mu"], header["current"]) == (7, 0.8, True)
    view._on_message({"type": "set", "id": 8, "values": {"nonsense": 1.0}})
    assert "nonsense" in view.widget._header["message"]


def test_a_newer_wish_supersedes_the_one_under_way() -> None:
    done, given_up = [], []

    def work(wish: int, is_wanted: Any) -> int:
        while wish == 1 and is_wanted():
            pass
        if wish == 1:
            given_up.append(wish)
        return wish

    async def play() -> None:
        worker = Worker(work, done.append)
        worker.want(1)
        await asyncio.sleep(0)  # it begins
        worker.want(2)
        worker.want(3)
        while 3 not in done:
            await asyncio.sleep(0.001)

    asyncio.run(play())
    assert 2 not in done
    assert given_up == [1] or 1 not in done


def test_numbers_reach_the_page_as_they_are(view: SystemExplorer) -> None:
    """32 bits of every sample, jumps where velocities jump, states as `Solution.plot` has them."""
    assert view.solution is not None
    header, data = view.widget._header, view.widget._data
    told, arrays = run_payload(view.solution)
    table, block = pack(arrays)
    assert data == block
    assert header["arrays"] == table
    entry = table["t"]
    t = np.frombuffer(block, "<f4", int(np.prod(entry["shape"])), entry["offset"])
    np.testing.assert_allclose(t, arrays["t"], rtol=6e-8)
    assert (np.diff(arrays["t"]) >= 0.0).all()
    hits = view.solution.events.of_kind("impact")
    step = np.abs(hits.u_plus - hits.u_minus).max(axis=1)
    moved = hits[step > 1e-6 * np.abs(view.solution.u).max()]
    assert len(moved) > 5
    assert np.isin(arrays["t"][arrays["jumps"].astype(int)], hits.t).all()
    assert set(np.unique(moved.t)) <= set(arrays["t"][arrays["jumps"].astype(int)])
    lasting = sum(b - a for bar in state_bars(view.solution, (0.0, 0.5)) for a, b in bar.spans)
    bars = arrays["bars"]
    assert (bars[:, 2] - bars[:, 1]).sum() == pytest.approx(lasting, rel=1e-12)
    assert told["energy"][2][0] == "lost by impacts"


def test_film_stands_where_the_scene_does(view: SystemExplorer) -> None:
    solution = view.solution
    assert solution is not None
    assert solution.system is not None
    assert solution.system.scene is not None
    _, arrays = run_payload(solution)
    for k in (0, 77, 199):
        t = float(arrays["film_t"][k])
        outlines = solution.system.scene.outlines(t, solution.at(t).q)
        expected = np.vstack([outline.points[:, :2] for outline in outlines])
        np.testing.assert_allclose(arrays["points"][k], expected, atol=1e-15)


@pytest.mark.parametrize(
    ("system", "shown"),
    [
        (nsmb.systems.woodpecker(), ["phi_M", "phi_M_dot"]),  # the first one only falls
        (nsmb.systems.percussion_drill(), ["x_1", "x_1_dot"]),  # the first one stands still
        (nsmb.systems.bouncing_ball(), ["y", "y_dot"]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_portrait_is_of_a_coordinate_that_moves_to_and_fro(
    system: nsmb.System, shown: list[str]
) -> None:
    told, _ = run_payload(nsmb.simulate(system, 0.5), with_scene=False)
    assert [told["names"][k] for k in told["portrait"]] == shown


def test_systems_without_scene_have_no_film() -> None:
    system = nsmb.LinearSystem([[1.0]], [[1.0]], initial_state=nsmb.State(0.0, [1.0], [0.0]))
    told, _ = run_payload(nsmb.simulate(system, 1.0))
    assert "film" not in told


def test_without_anywidget_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'nsmb\[view\]'"):
        nsmb.explore(nsmb.systems.bouncing_ball())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": 0.0}, "t_end: expected a time > 0 s"),
        ({"event_limit": 0}, "event_limit"),
        ({"portrait": ("y", "nothing")}, "nothing"),
    ],
)
def test_misuse_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nsmb.explore(nsmb.systems.bouncing_ball(), **options)
