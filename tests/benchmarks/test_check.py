"""Comparison of counts with a baseline, for made-up counts."""

import copy
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import records, run
from benchmarks.counted import compare
from tests.support.draws import numbers

NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
COUNTS = st.dictionaries(NAMES, st.one_of(st.just(0.0), numbers(1e-3, 1e12)))


@given(before=COUNTS, now=COUNTS)
def test_alarm_if_and_only_if_a_count_exceeds_its_baseline_by_3_percent(
    before: dict[str, float], now: dict[str, float]
) -> None:
    expected = {
        name
        for name in before.keys() & now.keys()
        if now[name] > 0.0 and (before[name] == 0.0 or now[name] / before[name] > 1.03)
    }
    rows = compare.compare(before, now)
    assert {row.entry for row in rows if row.verdict == "worse"} == expected


@given(before=COUNTS, now=COUNTS)
def test_entries_of_one_side_are_told_and_raise_no_alarm(
    before: dict[str, float], now: dict[str, float]
) -> None:
    verdicts = {row.entry: row.verdict for row in compare.compare(before, now)}
    assert verdicts.keys() == before.keys() | now.keys()
    assert {name for name, v in verdicts.items() if v == "new"} == now.keys() - before.keys()
    assert {name for name, v in verdicts.items() if v == "missing"} == before.keys() - now.keys()


@given(before=COUNTS, now=COUNTS)
def test_the_table_shows_what_is_not_the_same(
    before: dict[str, float], now: dict[str, float]
) -> None:
    rows = compare.compare(before, now)
    lines = compare.report(rows).splitlines()
    shown = {line.split()[0]: line.split()[-1] for line in lines[1:-1]}
    assert shown == {row.entry: row.verdict for row in rows if row.verdict != "same"}


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        (100.0, 103.0, "same"),
        (100.0, 103.1, "worse"),
        (103.0, 100.0, "same"),
        (103.1, 100.0, "better"),
        (0.0, 0.0, "same"),
        (0.0, 1.0, "worse"),
        (1.0, 0.0, "better"),
    ],
)
def test_verdict_at_the_limit(before: float, now: float, verdict: str) -> None:
    assert compare.Row("entry", before, now).verdict == verdict


def test_ratio_of_an_entry_of_one_side_is_no_number() -> None:
    assert math.isnan(compare.Row("entry", None, 1.0).ratio)
    assert math.isnan(compare.Row("entry", 1.0, None).ratio)


def made_up(**environment: Any) -> dict[str, Any]:
    return {
        "version": "0.1.0",
        "commit": "0" * 40,
        "date": "2020-01-01",
        "environment": {"compiler of the core": ["GCC 12"], "numpy": "2.0"} | environment,
        "counts": {
            "entries": {
                "toy | instructions per event": {"value": 70000.0, "units": 100},
                "toy | allocations per event": {"value": 0.0, "units": 100},
            }
        },
    }


def run_check(folder: Path, baseline: dict[str, Any], counts: dict[str, Any]) -> int:
    for name, content in (("baseline", baseline), ("counts", counts)):
        records.write(folder / f"{name}.json", content)
    paths = ["--baseline", str(folder / "baseline.json"), "--stored", str(folder / "counts.json")]
    return run.main(paths)


def test_command_ends_with_0_where_nothing_is_worse(tmp_path: Path) -> None:
    assert run_check(tmp_path, made_up(), made_up()) == 0


@pytest.mark.parametrize("entry", sorted(made_up()["counts"]["entries"]))
def test_command_raises_the_alarm_for_one_doctored_entry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], entry: str
) -> None:
    counts = copy.deepcopy(made_up())
    value = counts["counts"]["entries"][entry]["value"]
    counts["counts"]["entries"][entry]["value"] = 1.04 * value + 1.0
    assert run_check(tmp_path, made_up(), counts) == compare.ALARM
    told = capsys.readouterr().out
    assert "ALARM: 1 above 1.03 times" in told
    assert entry in told


def test_counts_of_another_compiler_are_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = made_up(**{"compiler of the core": ["GCC 13"]})
    counts["counts"]["entries"]["toy | instructions per event"]["value"] *= 2.0
    assert run_check(tmp_path, made_up(), counts) == compare.NOT_COMPARABLE
    told = capsys.readouterr().out
    assert "compiler of the core: GCC 12 in the baseline, GCC 13 here" in told
    assert "ALARM" not in told


def test_what_only_one_environment_knows_is_a_difference() -> None:
    assert compare.differences({"numpy": "2.0"}, {"h5py": "3.0"}) == [
        "h5py: nothing in the baseline, 3.0 here",
        "numpy: 2.0 in the baseline, nothing here",
    ]


def test_last_baseline_is_that_of_the_highest_version(tmp_path: Path) -> None:
    assert records.last_baseline(tmp_path) is None
    for version in ("0.2.0", "0.10.0", "0.9.3"):
        records.write(tmp_path / f"{version}.json", made_up())
    assert records.last_baseline(tmp_path) == tmp_path / "0.10.0.json"


def test_the_stored_baseline_raises_the_alarm_where_one_of_its_counts_was_smaller(
    tmp_path: Path,
) -> None:
    path = records.last_baseline()
    assert path is not None
    counts = records.read(path)
    assert run_check(tmp_path, counts, counts) == 0
    entries = counts["counts"]["entries"]
    entry = max(entries, key=lambda name: entries[name]["value"])
    doctored = copy.deepcopy(counts)
    doctored["counts"]["entries"][entry]["value"] /= 1.031
    assert run_check(tmp_path, doctored, counts) == compare.ALARM
    # the reverse is no alarm
    assert run_check(tmp_path, counts, doctored) == 0


def test_record_without_counts_is_not_comparable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_check(tmp_path, made_up(), made_up() | {"counts": None}) == compare.NOT_COMPARABLE
    assert "nothing is counted" in capsys.readouterr().out


def test_of_chosen_cases_only_these_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline, counts = made_up(), made_up()
    baseline["counts"]["entries"]["tower | instructions per event"] = {"value": 1.0, "units": 1}
    assert run_check(tmp_path, baseline, counts) == 0
    assert "1 missing" in capsys.readouterr().out
    counts["counts"]["names"] = ["toy"]
    assert run_check(tmp_path, baseline, counts) == 0
    assert "0 missing" in capsys.readouterr().out


@pytest.mark.parametrize(("factor", "status"), [(1.0, 0), (0.9, compare.ALARM)])
def test_counts_of_another_environment_are_compared_with_the_baseline_counted_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, status: int
) -> None:
    records.write(tmp_path / "baseline.json", made_up())
    counts = made_up(numpy="3.0")
    built = copy.deepcopy(counts["counts"]["entries"])
    built["toy | instructions per event"]["value"] *= factor
    asked = []

    def build(commit: str, names: list[str]) -> dict[str, Any]:
        asked.append((commit, names))
        return built

    path = tmp_path / "baseline.json"
    monkeypatch.setattr(records, "git", lambda *_: None)
    assert compare.check(counts, path, build=build) == compare.NOT_COMPARABLE
    assert not asked  # git has no such commit
    monkeypatch.setattr(records, "git", lambda *_: "")
    assert compare.check(counts, path, build=build) == status
    assert asked == [("0" * 40, None)]
