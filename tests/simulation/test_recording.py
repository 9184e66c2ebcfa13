"""Runs are identical if kept in memory, in files that grow with them, or not at all."""

import os
import pickle
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.common import array_streams

h5py = pytest.importorskip("h5py")


def many_balls(n: int = 6, e_N: float = 0.8) -> nsmb.System:
    """Balls that bounce independently, as parts of a divided system."""
    law = nsmb.ContactLaw(e_N=e_N)
    start = nsmb.State(0.0, 1.0 + 0.1 * np.arange(n), np.zeros(n))
    contacts = [nsmb.Contact(w_N=row, law=law) for row in np.eye(n)]
    return nsmb.LinearSystem(
        np.eye(n), force=np.full(n, -9.81), contacts=contacts, initial_state=start
    )


SYSTEMS: dict[str, tuple[Callable[[], nsmb.System], float]] = {
    "woodpecker": (nsmb.systems.woodpecker, 2.0),
    "in parts": (many_balls, 2.0),
    "contact points that come and go": (nsmb.systems.woodpecker_4dof, 0.5),
    "numerical": (nsmb.systems.impact_pendulum, 2.0),
}


def assert_same(found: nsmb.Solution, run: nsmb.Solution) -> None:
    assert found._data.keys() == run._data.keys()
    for name, array in run._data.items():
        assert found._data[name].dtype == array.dtype, name
        assert found._data[name].shape == array.shape, name
        assert found._data[name].tobytes() == array.tobytes(), name
    assert (found.status, found.message, found.stats) == (run.status, run.message, run.stats)
    assert (found.parameters, found.labels) == (run.parameters, run.labels)


def assert_begins(found: nsmb.Solution, run: nsmb.Solution) -> None:
    """Check that the rows of a run that was cut off are the first rows of the whole run.

    They differ only by rounding, because steps may end at other times.
    """
    assert 0 < found.t.size <= run.t.size
    for name in ("t", "y", "g_N", "lambda_N", "contact_state", "friction_loss"):
        expected = run._data[name][: found.t.size]
        np.testing.assert_allclose(found._data[name], expected, rtol=1e-8, atol=1e-8, err_msg=name)
    count = len(found.events)
    for name in ("event_t", "event_kind", "event_q", "event_Lambda_N", "event_energy_loss"):
        expected = run._data[name][:count]
        np.testing.assert_allclose(found._data[name], expected, rtol=1e-8, atol=1e-8, err_msg=name)
    times = np.linspace(found.t[0], found.t[-1], 50)
    np.testing.assert_allclose(found(times), run(times), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("every", [1, 100, 10**6])
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_file_has_the_run_bit_by_bit(name: str, every: int, tmp_path: Path) -> None:
    build, t_end = SYSTEMS[name]
    run = nsmb.simulate(build(), t_end)
    path = tmp_path / "run.h5"
    end = nsmb.simulate(build(), t_end, record=nsmb.to_hdf5(path, every=every))
    assert_same(nsmb.Solution.load(path), run)
    assert end.record == os.fspath(path)
    np.testing.assert_array_equal(end.t, run.t[[0, -1]])
    for column in ("q", "u", "lambda_N", "friction_loss", "contact_state"):
        np.testing.assert_array_equal(getattr(end, column), getattr(run, column)[[0, -1]])
    assert (end.status, end.stats) == (run.status, run.stats)


@pytest.mark.parametrize("record", ["events", "nothing", None])
@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_not_kept_changes_nothing(name: str, record: str | None) -> None:
    build, t_end = SYSTEMS[name]
    run = nsmb.simulate(build(), t_end)
    end = nsmb.simulate(build(), t_end, record=record)
    np.testing.assert_array_equal(end.t, run.t[[0, -1]])
    np.testing.assert_array_equal(end._data["y"], run._data["y"][[0, -1]])
    np.testing.assert_array_equal(end.friction_loss[-1], run.friction_loss[-1])
    # Except for the slopes that the polynomials of the steps need.
    uncounted = {"rhs_evaluations": 0}
    assert end.stats | uncounted == run.stats | uncounted
    assert not end.has_dense_output
    with pytest.raises(ValueError, match='no dense output; simulate with record="memory"'):
        end.at(0.1)
    if record == "events":
        assert end.events.to_text() == run.events.to_text()
        return
    with pytest.raises(
        ValueError, match=r'^events: the run recorded only its start .*record="memory"'
    ):
        end.events  # noqa: B018 - it raises
    with pytest.raises(ValueError, match=r'^energy: the run recorded only .*record="memory"'):
        end.energy  # noqa: B018 - it raises
    assert f"events  {run.stats['events']}; simulate with" in repr(end)
    assert end.record == "nothing"


def test_what_a_file_has_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    end = nsmb.simulate(nsmb.systems.woodpecker(), 0.5, record=nsmb.to_hdf5(path))
    remedy = r"read the whole run with nsmb\.Solution\.load\('.*run\.h5'\)"
    with pytest.raises(ValueError, match=rf"^events: .*{remedy}"):
        end.events  # noqa: B018 - it raises
    with pytest.raises(ValueError, match=remedy):
        end.at(0.1)
    with pytest.raises(
        ValueError, match=rf"^solutions: must be runs recorded with record='memory'; {remedy}"
    ):
        nsmb.join(end, end)
    assert pickle.loads(pickle.dumps(end)).record == end.record
    end.save(tmp_path / "end.npz")
    assert nsmb.Solution.load(tmp_path / "end.npz").record == end.record


def test_the_energy_of_a_file_is_that_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    nsmb.simulate(nsmb.systems.woodpecker(), 1.0, record=nsmb.to_hdf5(path, every=50))
    run, found = nsmb.simulate(nsmb.systems.woodpecker(), 1.0), nsmb.Solution.load(path)
    for name, column in run.energy.columns().items():
        np.testing.assert_array_equal(found.energy.columns()[name], column, name)
    assert found.check().ok


@pytest.mark.parametrize("divide", [False, True])
def test_memory_stays_bounded(divide: bool, tmp_path: Path) -> None:
    """Ten times the duration needs no more memory in the core."""
    sizes = []
    for t_end in (150.0, 1500.0):
        method = nsmb.EventDriven(divide=divide)
        record = nsmb.to_hdf5(tmp_path / "run.h5", every=500)
        system = many_balls(4, e_N=1.0)
        with nsmb.Simulator(system, method, record=record, output_step=0.0) as sim:
            sim.advance(t_end)
            sizes.append(sim._core.sizes["kept"])
            events = sim._core.event_count
    assert events > 500
    assert sizes[1] <= 2.0 * sizes[0]  # reserved memory doubles
    run = nsmb.Solution.load(tmp_path / "run.h5")
    assert len(run.events) == events == run.stats["events"]
    assert sum(array.nbytes for array in run._data.values()) > 2.0 * sizes[1]


def test_limits_count_what_is_kept(tmp_path: Path) -> None:
    system, small = nsmb.systems.woodpecker(), nsmb.EventDriven(max_memory=2e6)
    cut = nsmb.simulate(system, 60.0, method=small, throw=False)
    assert cut.status == "memory_limit"
    assert "record=nsmb.to_hdf5(path)" in cut.message
    record = nsmb.to_hdf5(tmp_path / "run.h5", every=200)
    assert nsmb.simulate(system, 60.0, method=small, record=record).status == "finished"
    assert nsmb.simulate(system, 60.0, method=small, record="nothing").status == "finished"
    few = nsmb.EventDriven(max_events=20)
    end = nsmb.simulate(system, 20.0, method=few, record=record, throw=False)
    found = nsmb.Solution.load(tmp_path / "run.h5")
    assert end.status == found.status == "event_limit"
    assert_same(found, nsmb.simulate(system, 20.0, method=few, throw=False))


def falling(fails_at: float, error: BaseException) -> nsmb.System:
    def forces(t: float, q: Any, u: Any) -> Any:
        if t > fails_at:
            raise error
        return np.array([-9.81])

    floor = nsmb.Contact(
        gap=lambda t, q: q[0], w_N=lambda t, q: [1.0], law=nsmb.ContactLaw(e_N=0.7)
    )
    return nsmb.CallbackSystem(
        coordinates=["y"],
        mass_matrix=np.eye(1),
        forces=forces,
        contacts=[floor],
        initial_state=nsmb.State(0.0, [1.0], [0.0]),
    )


@pytest.mark.parametrize("error", [ZeroDivisionError("far"), KeyboardInterrupt()])
def test_what_was_computed_before_an_error_is_in_the_file(
    error: BaseException, tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    with pytest.raises(type(error)) as caught:
        nsmb.simulate(falling(1.5, error), 9.0, record=nsmb.to_hdf5(path, every=100))
    assert getattr(caught.value, "solution").record == os.fspath(path)  # noqa: B009
    with pytest.raises(type(error)) as in_memory:
        nsmb.simulate(falling(1.5, error), 9.0)
    expected, found = getattr(in_memory.value, "solution", None), nsmb.Solution.load(path)
    assert isinstance(expected, nsmb.Solution)
    # Both report the line of the test.
    found.message, expected.message = found.message.split("\n")[0], expected.message.split("\n")[0]
    assert_same(found, expected)


RUN = """
    import nsmb, sys
    sys.path.insert(0, {tests!r})
    from tests.simulation.test_recording import SYSTEMS
    build, _ = SYSTEMS[{name!r}]
    print("go", flush=True)
    nsmb.simulate(build(), {t_end!r}, output_step=1e-3, record=nsmb.to_hdf5({path!r}, every=100))
"""


def length(path: Path) -> int:
    """Return the number of samples recorded so far."""
    if not path.exists() or path.stat().st_size == 0:
        return 0
    try:
        found = nsmb.Solution.load(path)
    except ValueError:  # the file is being created
        return 0
    assert found.status == "interrupted"
    return found.t.size


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("name", ["woodpecker", "in parts"])
def test_a_killed_process_leaves_all_chunks(name: str, tmp_path: Path) -> None:
    """The process is killed at arbitrary times, including during a write."""
    t_end, path = 5000.0, tmp_path / "run.h5"
    script = textwrap.dedent(RUN).format(
        tests=os.fspath(Path(__file__).parents[2]), name=name, t_end=t_end, path=os.fspath(path)
    )
    lengths = []
    for turn in range(4):
        path.unlink(missing_ok=True)
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == b"go\n"
                for _ in range(30_000):  # read while it is written
                    assert process.poll() is None
                    if length(path) >= 500 * (1 + turn):
                        break
                    time.sleep(1e-3)
                else:
                    pytest.fail("nothing is written")
                time.sleep(0.013 * turn)  # s, somewhere in a chunk
            finally:
                process.kill()  # SIGKILL
        found = nsmb.Solution.load(path)
        lengths.append(found.t.size)
        assert found.status == "interrupted"
        assert "the run was killed or is still running" in found.message
        assert f"t = {found.t[-1]:.17g} s" in found.message
        build, _ = SYSTEMS[name]
        last = found.t[-1]
        whole = nsmb.simulate(build(), last, output_step=1e-3)
        assert_begins(found, whole)
    assert max(lengths) > 2000


def test_a_file_that_is_being_created_is_refused(tmp_path: Path) -> None:
    """Old versions of HDF5 crash when they read such a file."""
    path, early = tmp_path / "run.h5", tmp_path / "early.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file.create_dataset("t", shape=(0,), maxshape=(None,), chunks=(8,), dtype="f8")
        file.flush()
        early.write_bytes(path.read_bytes())
    with pytest.raises(ValueError, match="it is being created, or its writer was killed"):
        nsmb.Solution.load(early)


def test_a_chunk_that_was_broken_off_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while a chunk is written is raised, and nothing is lost or duplicated."""
    path, system = tmp_path / "run.h5", nsmb.systems.woodpecker()
    write, calls = array_streams.ArrayStream._write, []

    def interrupted(self: Any, name: str, first: int, array: Any) -> None:
        write(self, name, first, array)
        calls.append(name)
        if len(calls) in (60, 130):
            raise KeyboardInterrupt

    monkeypatch.setattr(array_streams.ArrayStream, "_write", interrupted)
    with nsmb.Simulator(system, record=nsmb.to_hdf5(path, every=20), output_step=0.0) as sim:
        broken = 0
        while sim.t < 10.0:
            try:
                sim.advance(10.0)
            except nsmb.SimulationInterrupted:
                broken += 1
    assert broken == 2
    found = nsmb.Solution.load(path)
    assert (np.diff(found.t) >= 0.0).all()
    run = nsmb.simulate(system, 10.0, output_step=0.0)
    assert found.events.to_text() == run.events.to_text()
    np.testing.assert_array_equal(found.q[-1], run.q[-1])


def test_a_full_disk_comes_out_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append, calls = array_streams.ArrayStream.append, []

    def full(self: Any, *given: Any) -> None:
        calls.append(given)
        if len(calls) > 3:
            raise OSError("no space left")
        append(self, *given)

    monkeypatch.setattr(array_streams.ArrayStream, "append", full)
    path = tmp_path / "run.h5"
    with pytest.raises(OSError, match="no space left"):
        nsmb.simulate(nsmb.systems.woodpecker(), 2.0, record=nsmb.to_hdf5(path, every=100))
    monkeypatch.undo()
    found = nsmb.Solution.load(path)
    assert_begins(found, nsmb.simulate(nsmb.systems.woodpecker(), 2.0))


def test_stepping_tells_the_same_events(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    told: dict[str, list[tuple[float, str]]] = {}
    for kind in ("memory", "nothing", "file"):
        record = nsmb.to_hdf5(path, every=10) if kind == "file" else kind
        with nsmb.Simulator(
            nsmb.systems.woodpecker(),
            record=record,
            output_step=0.0,  # type: ignore[arg-type]
        ) as sim:
            told[kind] = []
            while (event := sim.step(t_max=1.0)) is not None:
                told[kind].append((event.t, event.kind.label))
                sim.drop_samples()
            assert sim.lambda_N.shape == (3,)
            if kind == "file":
                assert nsmb.Solution.load(path).status == "interrupted"  # as far as it was written
                with pytest.raises(
                    ValueError, match=r"record: file '.*run\.h5' already holds a run"
                ):
                    sim.reset()
    assert told["memory"] == told["nothing"] == told["file"]
    run = nsmb.simulate(nsmb.systems.woodpecker(), 1.0, output_step=0.0)
    assert nsmb.Solution.load(path).events.to_text() == run.events.to_text()


def test_inputs_and_parameters_set_on_the_way_are_in_the_file(tmp_path: Path) -> None:
    motor = nsmb.Input("motor", unit="N")

    def run(record: Any) -> nsmb.Solution:
        system = nsmb.systems.woodpecker()
        with nsmb.Simulator(system, record=record, output_step=1e-3) as sim:
            sim.advance(0.3)
            sim.set_parameters(mu=0.25)
            sim.advance(0.6)
            sim.set_parameters(mu=0.35)
            sim.advance(0.9)
            return sim.solution

    path = tmp_path / "run.h5"
    kept, end = run("memory"), run(nsmb.to_hdf5(path, every=100))
    found = nsmb.Solution.load(path)
    assert_same(found, kept)
    np.testing.assert_array_equal(found.parameter_values["mu"], kept.parameter_values["mu"])
    np.testing.assert_array_equal(end.parameter_values["mu"], kept.parameter_values["mu"][[0, -1]])
    cart = nsmb.LinearSystem([[2.0]], force=nsmb.Force(inputs={motor: [1.0]}))
    with nsmb.Simulator(cart, record=nsmb.to_hdf5(path, every=10), output_step=0.0) as sim:
        for k in range(100):
            sim.set(motor=float(k))
            sim.advance(0.01 * (k + 1))
    assert set(nsmb.Solution.load(path).inputs[:, 0]) == {float(k) for k in range(100)}


def test_a_run_goes_on_from_a_file(tmp_path: Path) -> None:
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    system = nsmb.systems.woodpecker_4dof()
    nsmb.simulate(system, 0.4, record=nsmb.to_hdf5(first))
    start = nsmb.Solution.load(first)
    nsmb.simulate(system, 0.5, start=start, record=nsmb.to_hdf5(second))
    joined = nsmb.join(start, nsmb.Solution.load(second))
    assert joined.events.count() == nsmb.simulate(system, 0.5).events.count()


def test_changed_bytes_are_noticed(tmp_path: Path) -> None:
    path, system = tmp_path / "run.h5", nsmb.systems.woodpecker()
    nsmb.simulate(system, 0.5, record=nsmb.to_hdf5(path, every=50))
    run, whole = nsmb.simulate(system, 0.5), path.read_bytes()
    rng, refused, right = np.random.default_rng(5), 0, 0
    for _ in range(100):
        image = bytearray(whole)
        for place in rng.integers(len(image), size=rng.integers(1, 9)):
            image[place] ^= int(rng.integers(1, 256))
        path.write_bytes(image)
        try:
            found = nsmb.Solution.load(path)
        except ValueError as error:
            refused += os.fspath(path) in str(error)
        else:
            assert_same(found, run)
            right += 1
    assert refused + right == 100
    assert refused > 20


def test_misuse_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = nsmb.systems.woodpecker()
    with pytest.raises(ValueError, match=r"record: .*'memory', 'events', 'nothing'|did you mean"):
        nsmb.simulate(toy, 0.1, record="memori")
    with pytest.raises(ValueError, match=r"record: expected a name or nsmb\.to_hdf5"):
        nsmb.simulate(toy, 0.1, record=3)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"path: must end with .h5 or .hdf5, the format that can grow"
    ):
        nsmb.simulate(toy, 0.1, record=nsmb.to_hdf5(tmp_path / "run.npz"))
    with pytest.raises(ValueError, match="every: expected"):
        nsmb.to_hdf5("run.h5", every=0)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        nsmb.simulate(toy, 0.1, record=nsmb.to_hdf5(tmp_path / "none" / "run.h5"))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"h5py is not installed: pip install 'nsmb\[data\]'"):
        nsmb.simulate(toy, 0.1, record=nsmb.to_hdf5(tmp_path / "run.h5"))
    assert not list(tmp_path.iterdir())


def test_the_end_is_no_second_sample_beside_one_of_the_grid() -> None:
    """The end may be a multiple of the output step up to rounding."""
    system = nsmb.LinearSystem([[1.0]], K=[[40.0]], initial_state=nsmb.State(0.0, [1.0], [0.0]))
    for T in np.linspace(0.7, 3.3, 200):
        for n in (40, 80):
            t = nsmb.simulate(system, n * (T / 40), output_step=T / 40).t
            assert t.size == n + 1
            assert t[-1] == n * (T / 40)
