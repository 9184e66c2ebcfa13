"""Sweeps are bitwise identical for all executors, resume from disk, and record failures."""

from __future__ import annotations

import doctest
import functools
import multiprocessing
import pickle
import re
import sqlite3
import types
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import (
    AnalysisError,
    AnalysisInterrupted,
    basins,
    bifurcation_diagram,
    every,
    on_event,
    sweep,
)
from nsmb.analysis.common import sweep as sweeps
from nsmb.analysis.common.checkpoint import fingerprint
from tests.analysis import sweep_functions
from tests.analysis.rattling import rattling

VELOCITIES = [0.0, -0.1, -0.2, -0.3, -0.4]


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    # Forking a process with threads can hang.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def alone() -> list[bytes]:
    result = sweep(sweep_functions.last_impact, VELOCITIES)
    assert result.success
    return [row.tobytes() for row in result.results if row is not None]


def test_threads_give_the_bits_of_one_thread(alone: list[bytes]) -> None:
    with ThreadPoolExecutor(2) as executor:
        result = sweep(sweep_functions.last_impact, VELOCITIES, executor=executor, chunk=2)
    assert [row.tobytes() for row in result.results if row is not None] == alone


def test_processes_give_the_bits_of_one_thread(alone: list[bytes], processes: Executor) -> None:
    result = sweep(sweep_functions.last_impact, VELOCITIES, executor=processes, chunk=2)
    assert [row.tobytes() for row in result.results if row is not None] == alone


def test_a_dask_cluster_gives_the_bits_of_one_thread(alone: list[bytes]) -> None:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        # Warnings of Dask itself: sockets and files left to the garbage collector, busy ports.
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.filterwarnings("ignore", module=r"(distributed|dask|tornado)(\..*)?")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            executor = client.get_executor()
            result = sweep(sweep_functions.last_impact, VELOCITIES, executor=executor)
            failed = sweep(sweep_functions.inverse, [0.0, 2.0], executor=executor)
    assert [row.tobytes() for row in result.results if row is not None] == alone
    assert failed.status == ("failed", "finished")


def test_a_failed_point_is_a_status() -> None:
    result = sweep(sweep_functions.inverse, [1.0, 0.0, 4.0])
    assert result.results == (1.0, None, 0.25)
    assert result.status == ("finished", "failed", "finished")
    assert result.messages[1] == "ZeroDivisionError: float division by zero"
    assert not result.success


@pytest.mark.parametrize("threads", [0, 2])
def test_an_interrupted_sweep_goes_on_from_disk(tmp_path: Path, threads: int) -> None:
    trace = tmp_path / "calls"
    points = [(str(trace), float(k)) for k in range(6)]
    run = functools.partial(
        sweep,
        sweep_functions.interrupted_at_three,
        points,
        checkpoint=tmp_path / "sweep.db",
        key="v1",
    )
    executor = ThreadPoolExecutor(threads) if threads else None
    with pytest.raises(AnalysisInterrupted, match=r"interrupted after \d of 6 points") as stopped:
        run(executor=executor)
    if executor:
        executor.shutdown()
    partial = stopped.value.result
    assert partial.status[3] == "pending"
    done = [k for k, status in enumerate(partial.status) if status == "finished"]
    assert [partial.results[k] for k in done] == [2.0 * k for k in done]
    before = lines(trace)
    Path(f"{trace}.go_on").touch()
    result = run()
    assert result.results == tuple(2.0 * k for k in range(6))
    again = lines(trace)[len(before) :]
    assert not {float(line) for line in again} & set(map(float, done))
    assert run().results == result.results
    assert len(lines(trace)) == len(before) + len(again)


def test_failed_points_are_kept_and_not_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "sweep.db"
    first = sweep(sweep_functions.inverse, [0.0, 2.0], checkpoint=path, key="v1")
    again = sweep(sweep_functions.inverse, [0.0, 2.0], checkpoint=path, key="v1")
    assert first.status == again.status == ("failed", "finished")
    assert first.messages == again.messages


def test_a_checkpoint_of_another_sweep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sweep.db"
    sweep(sweep_functions.inverse, [1.0, 2.0], checkpoint=path, key="v1")
    for function, points in (
        (sweep_functions.inverse, [1.0, 3.0]),
        (sweep_functions.dies_at_two, [1.0, 2.0]),
    ):
        with pytest.raises(ValueError, match=r"checkpoint: .* belongs to another sweep"):
            sweep(function, points, checkpoint=path, key="v1")
    other = tmp_path / "text"
    other.write_text("no data base at all, whatever it is called\n" * 30)
    with pytest.raises(ValueError, match=r"is not a checkpoint of a sweep"):
        sweep(sweep_functions.inverse, [1.0], checkpoint=other, key="v1")
    with pytest.raises(ValueError, match=r"expected a file in an existing folder"):
        sweep(sweep_functions.inverse, [1.0], checkpoint=tmp_path / "none" / "sweep.db", key="v1")
    with pytest.raises(ValueError, match=r"expected a file, got the folder"):
        sweep(sweep_functions.inverse, [1.0], checkpoint=tmp_path, key="v1")


def test_workers_that_die_do_not_take_the_sweep_with_them() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        result = sweep(sweep_functions.dies_at_two, [1.0, 2.0, 3.0], executor=executor)
    assert result.status[0] == "finished"
    assert result.status[1] == "lost"
    assert "BrokenProcessPool" in result.messages[1]


def test_results_that_cannot_be_sent_are_lost_alone(processes: Executor) -> None:
    result = sweep(sweep_functions.unpicklable, [0.0, 1.0, 2.0], executor=processes)
    assert result.status == ("finished", "lost", "finished")
    assert result.messages[1].startswith("cannot be pickled (")


def test_a_function_that_cannot_be_sent_raises(processes: Executor) -> None:
    message = r"executor: no point came back; cannot be pickled \(.*defined at module level"
    with pytest.raises(RuntimeError, match=message):
        sweep(lambda x: x, [0.0, 1.0], executor=processes)


def test_interruptions_survive_pickle() -> None:
    import pickle

    result = sweep(sweep_functions.inverse, [1.0])
    again = pickle.loads(pickle.dumps(AnalysisInterrupted("stopped", result)))
    assert again.args == ("stopped",)
    assert again.result.results == (1.0,)


def known(*values: object, key: str | None = None) -> str | None:
    return fingerprint("file", key, *values)


def test_fingerprints_tell_what_differs_and_only_that() -> None:
    toy = nsmb.systems.woodpecker()
    array = np.arange(3.0)
    assert known(toy, array) == known(nsmb.systems.woodpecker(), np.arange(3.0))
    assert known(["a" * 30, "a" * 30]) == known(["".join(["a"] * 30) for _ in range(2)])
    different: list[object] = [
        toy, toy.with_parameters(mu=0.2), array, -array, array[:2], [0.0, 1.0], (0.0, 1.0),
        1, 1.0, True, "1", b"1", None, {"a": 1}, {"b": 1}, {"a", "b"}, {"a"},
        functools.partial(pow, 2), functools.partial(pow, 3), pow, np.float64(1.0),
        nsmb.EventDriven(), nsmb.EventDriven(rtol=1e-6), nsmb.analysis.on_event("impact", "beak"),
        nsmb.LinearSystem([[1.0]]), nsmb.LinearSystem([[2.0]]), nsmb.systems.woodpecker,
    ]  # fmt: skip
    keys = [known(value) for value in different]
    assert len(set(keys)) == len(keys)
    assert keys == [known(value) for value in different]
    assert known(1.0, key="a") != known(1.0, key="b") != known(1.0)


@nsmb.parametric(nsmb.Parameters)
def a_mass_of_a_test(p: nsmb.Parameters) -> nsmb.LinearSystem:
    return nsmb.LinearSystem([[2.0]])


class Wheel(nsmb.geometry.Circle):
    """A user-defined class."""


def test_code_of_the_user_needs_a_key() -> None:
    """A file cannot show whether user code has changed."""
    force = nsmb.LinearSystem([[1.0]], force=lambda t: [np.sin(t)])
    partial = functools.partial(sweep_functions.inverse, 1.0)
    functions = [lambda x: x, sweep_functions.inverse, partial, a_mass_of_a_test]
    for value in [*functions, a_mass_of_a_test(), force, Wheel(1.0), Wheel]:
        with pytest.raises(ValueError, match=r"^key: must be given with the checkpoint of '"):
            known([value])
        assert known([value], key="v1") == known([value], key="v1")
    assert known(Wheel(1.0), key="v1") != known(Wheel(2.0), key="v1")
    for call in (
        lambda: sweep(sweep_functions.inverse, [1.0], checkpoint="none"),
        lambda: bifurcation_diagram(rattling, "alpha", [1.0], checkpoint="none"),
        lambda: basins(a_mass_of_a_test(), {"q1": [0.0]}, section=every(1.0), checkpoint="none"),
    ):
        with pytest.raises(ValueError, match=r"^key: must be given with the checkpoint of '"):
            call()
    with pytest.raises(ValueError, match=r"^key: must be left out without a checkpoint, got 'v1'"):
        sweep(sweep_functions.inverse, [1.0], key="v1")


def test_what_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w") as file, pytest.raises(ValueError, match="Sweep without"):
        sweep(sweep_functions.inverse, [file], checkpoint=tmp_path / "db", key="v1")  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sweep(3, [1.0]), r"function: expected a function of one point, got 3"),
        (lambda: sweep(abs, [1.0], chunk=0), r"chunk: expected a whole number >= 1, got 0"),
        (lambda: sweep(abs, [1.0], executor=2), r"executor: expected a concurrent\.futures"),
    ],
)
def test_senseless_sweeps_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_bar_shows_what_was_done_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sweep.db"
    sweep(sweep_functions.inverse, [1.0, 2.0], checkpoint=path, key="v1", progress=True)
    assert "2/2" in capsys.readouterr().err


def test_nothing_to_do_is_a_finished_sweep() -> None:
    assert sweep(sweep_functions.inverse, []).success


def test_examples_of_the_docstring() -> None:
    failed, attempted = doctest.testmod(sweeps)
    assert attempted > 0
    assert failed == 0


class Counting(ThreadPoolExecutor):
    """A thread pool that counts its tasks."""

    tasks = 0

    def submit(self, *call: Any, **options: Any) -> Any:
        self.tasks += 1
        return super().submit(*call, **options)


def test_a_worker_goes_on_along_its_chain_while_it_is_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two chains of 100 quick points take fewer than 200 tasks. Points of 60 ms are single."""
    passed: list[float] = []
    clock = types.SimpleNamespace(monotonic=lambda: sum(passed))
    monkeypatch.setattr(sweeps, "time", clock)

    def run(step: Callable[[int, int | None], int], chains: list[range], chunk: int) -> int:
        points = tuple(range(max(chain.stop for chain in chains)))
        with Counting(2) as executor:
            result = sweeps.run_chains(
                step,
                points,
                chains,
                executor=executor,
                checkpoint=None,
                key=None,
                progress=False,
                chunk=chunk,
            )
        assert result.success
        for chain in chains:
            assert [result.results[k] for k in chain] == np.cumsum(chain).tolist()
        return executor.tasks

    def slow(point: int, before: int | None) -> int:
        passed.append(0.06)
        return point + (before or 0)

    def quick(point: int, before: int | None) -> int:
        return point + (before or 0)

    assert run(quick, [range(100), range(100, 200)], 1) == 2
    assert run(slow, [range(3), range(3, 6)], 1) == 6
    assert run(slow, [range(4)], 2) == 2


def test_results_that_cannot_be_kept_are_lost_alone(tmp_path: Path) -> None:
    result = sweep(
        sweep_functions.unpicklable, [0.0, 1.0, 2.0], checkpoint=tmp_path / "db", key="v1"
    )
    assert result.status == ("finished", "lost", "finished")
    assert "result: must be made of numbers, texts" in result.messages[1]
    assert sweep(
        sweep_functions.unpicklable, [0.0, 1.0, 2.0], checkpoint=tmp_path / "db", key="v1"
    ).status


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit checkpoints to 16 pages of 4 kB."""
    connect = sqlite3.connect

    def limited(name: str) -> sqlite3.Connection:
        base = connect(name)
        base.execute("PRAGMA max_page_count = 16")
        return base

    monkeypatch.setattr(sqlite3, "connect", limited)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_loses_nothing_that_was_computed(tmp_path: Path, workers: int) -> None:
    path = tmp_path / "sweep.db"
    with ThreadPoolExecutor(2) as threads, pytest.raises(AnalysisError) as stopped:
        sweep(
            sweep_functions.eight_kilobytes,
            range(40),
            checkpoint=path,
            key="v1",
            executor=threads if workers else None,
        )
    message = (
        r"^checkpoint: '.*sweep\.db' cannot be written \(.*full.*\)\. .* result of this error "
    )
    assert re.search(message, str(stopped.value))
    result = stopped.value.result
    assert len(result.points) == 40
    done = [k for k, status in enumerate(result.status) if status == "finished"]
    assert len(done) >= 4
    for k in done:
        assert result.results[k] == sweep_functions.eight_kilobytes(k)
    assert set(result.status) <= {"finished", "pending"}
    assert pickle.loads(pickle.dumps(stopped.value)).result.results == result.results


@pytest.mark.usefixtures("small_disk")
def test_a_disk_that_is_full_at_the_end_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remaining results are written when the checkpoint is closed."""
    monkeypatch.setattr(
        sweeps.Checkpoint, "keep", lambda self, pairs: setattr(self, "_base", Full(self)) or {}
    )
    with pytest.raises(AnalysisError, match="cannot be written") as stopped:
        sweep(sweep_functions.inverse, [1.0, 2.0], checkpoint=tmp_path / "sweep.db", key="v1")
    assert stopped.value.result.results == (1.0, 0.5)


class Full:
    """A database that can no longer be written."""

    def __init__(self, checkpoint: Any) -> None:
        checkpoint._base.close()

    def commit(self) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def close(self) -> None:
        pass


def test_a_checkpoint_that_may_only_be_read_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sweep.db"
    sweep(sweep_functions.inverse, [1.0, 2.0, 0.0], checkpoint=path, key="v1")
    base = sqlite3.connect(path)
    base.execute("DELETE FROM outcomes WHERE point = 1")
    base.commit()
    base.close()
    connect = sqlite3.connect
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda name: connect(f"file:{name}?mode=ro", uri=True))
        with pytest.raises(AnalysisError, match=r"sweep\.db' cannot be written \(.*readonly"):
            sweep(sweep_functions.inverse, [1.0, 2.0, 0.0], checkpoint=path, key="v1")
    whole = sweep(sweep_functions.inverse, [1.0, 2.0, 0.0], checkpoint=path, key="v1")
    assert whole.results == (1.0, 0.5, None)


@pytest.mark.parametrize("damage", [b"", b"\x80\x04K", b"nonsense", None, "text"])
def test_a_damaged_row_is_named(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "sweep.db"
    sweep(sweep_functions.inverse, [1.0, 2.0], checkpoint=path, key="v1")
    base = sqlite3.connect(path)
    base.execute("UPDATE outcomes SET result = ? WHERE point = 1", (damage,))
    base.commit()
    base.close()
    message = (
        r"^checkpoint: '.*sweep\.db': the result of point 1 is damaged \(.*\)\. Delete the file"
    )
    with pytest.raises(ValueError, match=message):
        sweep(sweep_functions.inverse, [1.0, 2.0], checkpoint=path, key="v1")
    path.unlink()
    assert sweep(sweep_functions.inverse, [1.0, 2.0], checkpoint=path, key="v1").success


def test_a_full_disk_keeps_what_a_diagram_has(tmp_path: Path, small_disk: None) -> None:
    with pytest.raises(AnalysisError) as stopped:
        bifurcation_diagram(
            rattling(), "alpha", np.linspace(1.4, 1.5, 12), section=on_event("impact"), transient=0,
            samples=1000, checkpoint=tmp_path / "sweep.db",
        )  # fmt: skip
    diagram = stopped.value.result
    done = [k for k, status in enumerate(diagram.status) if status == "finished"]
    assert 2 <= len(done) < 12
    assert np.isfinite(diagram.points[done]).all()


def test_a_key_stands_for_the_code_of_a_function(tmp_path: Path) -> None:
    """Results under a key are not recomputed, even if the function has changed."""
    path = tmp_path / "sweep.sqlite"
    calls: list[int] = []

    def times(factor: int) -> Callable[[int], int]:
        def function(x: int) -> int:
            calls.append(x)
            return factor * x

        return function

    first = sweep(times(2), [1, 2], checkpoint=path, key="v1")
    again = sweep(times(3), [1, 2], checkpoint=path, key="v1")
    assert again.results == first.results == (2, 4)
    assert calls == [1, 2]
    for call in (
        lambda: sweep(times(2), [1, 2], checkpoint=path, key="v2"),
        lambda: sweep(times(2), [1, 2, 3], checkpoint=path, key="v1"),
        lambda: sweep(str, [1, 2], checkpoint=path, key="v1"),
    ):
        with pytest.raises(ValueError, match="belongs to another sweep"):
            call()
    for key in (3, ""):
        with pytest.raises(ValueError, match="key: must be a text, got"):
            sweep(times(2), [1, 2], checkpoint=path, key=key)  # type: ignore[arg-type]
