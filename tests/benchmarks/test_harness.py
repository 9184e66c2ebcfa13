"""Common parts of all benchmarks: declarations, the timer, processes, records, tables."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness, peer, records, run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Processor time that the work of the test advances."""
    now = [0.0]
    monkeypatch.setattr(peer.time, "process_time", lambda: now[0])
    return now


def work_of(clock: list[float], costs: list[float]) -> Callable[[], int]:
    """Return a function whose calls cost these times in turn and return the number of calls."""
    calls: Iterator[tuple[int, float]] = iter(enumerate(costs, 1))

    def work() -> int:
        count, cost = next(calls)
        clock[0] += cost
        return count

    return work


def test_time_is_the_least_of_the_series_and_of_one_call(clock: list[float]) -> None:
    assert peer.timed(work_of(clock, [3.0, 1.0, 2.0, 2.0]), repeats=2, loops=2) == (4, 2.0)
    assert peer.timed(work_of(clock, [3.0, 1.0, 2.0]), repeats=3) == (3, 1.0)


def test_no_more_series_are_made_after_enough_time(clock: list[float]) -> None:
    assert peer.timed(work_of(clock, [1.0] * 9), repeats=9, enough=3.0) == (3, 1.0)


def test_series_become_long_enough(clock: list[float]) -> None:
    # 1 and 4 calls are too short, 16 are not
    assert peer.timed(work_of(clock, [0.5] * 21), shortest=3.0) == (21, 0.5)


def test_preparations_are_made_for_each_series_and_are_not_timed(clock: list[float]) -> None:
    made: list[int] = []

    def prepare() -> list[int]:
        clock[0] += 10.0
        made.append(0)
        return made

    def work(given: list[int]) -> int:
        clock[0] += 1.0
        return len(given)

    assert peer.timed(work, repeats=3, prepare=prepare) == (3, 1.0)


def test_works_take_turns(clock: list[float]) -> None:
    order: list[str] = []
    works = {name: lambda name=name: order.append(name) for name in "ab"}
    assert harness.alternate(works, 2) == {"a": [0.0, 0.0], "b": [0.0, 0.0]}
    assert order == ["a", "b", "a", "b"]


def test_process_answers_and_starts_anew_where_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "halves.py").write_text(
        "import os\n"
        "from benchmarks import peer\n"
        "def answer(x):\n"
        "    print('not an answer')\n"
        "    return {'half': x / 2, 'pid': os.getpid()} if x else os._exit(3)\n"
        "peer.serve(answer)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with harness.Peer(sys.executable, "halves") as process:
        first, second = process.run(x=3), process.run(x=5)
        assert (first["half"], second["half"]) == (1.5, 2.5)
        assert first["pid"] == second["pid"]
        with pytest.raises(harness.PeerEndedError, match="halves ended early"):
            process.run(x=0)
        assert process.run(x=1)["pid"] != first["pid"]


def test_program_that_no_interpreter_has_is_told_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = harness.Program("no_such_module", "pip install it", "it")
    monkeypatch.setitem(harness.PROGRAMS, "coal", program)
    monkeypatch.setattr(harness.shutil, "which", lambda _: None)
    harness.interpreter.cache_clear()
    with harness.peer("coal", "coal_distances") as process:
        assert process is None
    harness.interpreter.cache_clear()
    told = capsys.readouterr().out
    assert "coal left out" in told
    assert "pip install it; NSMB_COAL_PYTHON names one" in told


def test_every_module_that_declares_a_benchmark_is_run() -> None:
    declaring = {
        ".".join(path.relative_to(records.HERE).with_suffix("").parts)
        for path in records.HERE.rglob("*.py")
        if re.search(r"^@(?:harness\.)?benchmark\(", path.read_text("utf-8"), re.MULTILINE)
    }
    assert declaring == set(run.MODULES)
    assert len(run.MODULES) == len(set(run.MODULES))


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "BENCHMARKS", {})

    @harness.benchmark("short", "short one")
    def short(sizes: tuple[int, ...] = (1, 2), name: tuple[str, ...] = ()) -> None: ...

    @harness.benchmark("long", "long one", alone=True)
    def long(limit: float = 1.0, folder: str = "") -> None: ...


@pytest.mark.usefixtures("declared")
def test_words_name_benchmarks_and_their_sizes() -> None:
    assert run.asked([]) == {"short": {}}
    assert run.asked(["long", "limit=2e-3", "folder=/a/b", "short", "sizes=7"]) == {
        "long": {"limit": 2e-3, "folder": "/a/b"},
        "short": {"sizes": (7,)},
    }
    assert run.asked(["short", "sizes=3,4", "name=Lemke, 50"]) == {
        "short": {"sizes": (3, 4), "name": ("Lemke, 50",)}
    }


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shorter"], "there is no benchmark shorter"),
        (["short", "limit=1"], "short has no size limit"),
        (["sizes=1"], "no benchmark before it has no size sizes"),
    ],
)
def test_words_that_name_nothing_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        run.asked(words)


def test_record_that_is_kept_leaves_other_sections_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "results" / "0.1.0-2020-01-01.json"
    records.keep(path, {"machine": {"cores": 2, "coal": "3"}, "a": 1, "b": 2})
    records.keep(path, {"machine": {"cores": 4}, "b": 3})
    assert records.read(path) == {"machine": {"cores": 4, "coal": "3"}, "a": 1, "b": 3}


def test_new_record_says_when_where_and_of_which_commit() -> None:
    record = records.new("a note")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"])
    assert record["machine"]["cores"] >= 1
    assert record["environment"]["python"] == sys.version.split()[0]
    assert record["note"] == "a note"


def test_tables_show_every_number(capsys: pytest.CaptureFixture[str]) -> None:
    section: dict[str, Any] = {
        "tolerance": 1e-8,
        "rows": [
            {"n": 1, "cold": 0.000123456, "peer": {"time": 2.0}},
            {"n": 10, "cold": None, "runs": [{"step": 1e-3, "error": 0.5}]},
        ],
    }
    harness.show(section, "Title")
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines == [
        ["Title"],
        ["tolerance:", "1e-08"],
        ["rows"],
        ["n", "cold", "peer", "time"],
        ["1", "0.0001235", "2"],
        ["10"],
        ["runs"],
        ["step", "error"],
        ["0.001", "0.5"],
    ]
