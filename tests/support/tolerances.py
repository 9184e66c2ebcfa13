"""Find the tests that fail if a threshold is wrong: ``make tolerances``.

Each threshold of ``cpp/nsmb/<room>/tolerances.hpp`` is multiplied by large factors, and the tests
of its room run until the first one fails. This needs the build of ``.ci/tolerances.sh``, whose
thresholds are scaled by the environment variable NSMB_TOLERANCE.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.children import first_failure, function_of, preload, pytest_run

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ROOT / "cpp" / "nsmb"
RESULTS = ROOT / "build" / "tolerances" / "caught.json"

# In addition to the tests of the room itself.
MORE_TESTS = {"geometry": ["tests/multibody/test_polygon_motion.py"]}

FACTORS = (1e3, 1e-3)
TUNING_FACTORS = (10.0, 0.1)
NONE = "none yet"
TUNING = "tuning"

ENTRY = re.compile(
    r"((?:^///[^\n]*\n)+)^inline constexpr double (k\w+)(\[\])? =\s*([^;]+);", re.MULTILINE
)
COMMENT = re.compile(r"\[(?P<unit>[^\]]+)\] (?P<reason>.+) Test: (?P<tests>.+)\.", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Threshold:
    """An entry of a room's tolerances.hpp."""

    room: str
    topic: str
    name: str
    value: str
    is_list: bool
    unit: str  # empty unless the comment has the form `[unit] reason. Test: ...`
    reason: str
    tests: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.room}.{self.name}"

    @property
    def is_tuning(self) -> bool:
        return TUNING in self.tests


def header(room: str) -> Path:
    return ROOMS / room / "tolerances.hpp"


def rooms() -> list[str]:
    return sorted(path.parent.name for path in ROOMS.glob("*/tolerances.hpp"))


def thresholds(room: str) -> Iterator[Threshold]:
    """Yield all entries of a room in order."""
    text = header(room).read_text("utf-8")
    for match in ENTRY.finditer(text):
        said = " ".join(line[3:].strip() for line in match[1].splitlines())
        comment = COMMENT.fullmatch(said)
        unit, reason, tests = comment.group("unit", "reason", "tests") if comment else ("", "", "")
        topic = re.findall(r"^namespace (\w+) \{", text[: match.start()], re.MULTILINE)[-1]
        yield Threshold(
            room,
            topic,
            match[2],
            match[4].strip(),
            bool(match[3]),
            unit,
            reason,
            tuple(part.strip() for part in tests.split(",") if part.strip()),
        )


def run(arguments: list[str], change: str, timeout: float | None) -> tuple[int | None, str]:
    """Run pytest with one threshold scaled.

    Return the exit code, None after the timeout, and the output.
    """
    return pytest_run(
        arguments, {"NSMB_TOLERANCE": change}, RESULTS.with_name("output.txt"), timeout
    )


def quick_tests(room: str, longest: float) -> tuple[list[str], float]:
    """Return pytest arguments for the tests of a room up to `longest`, and their total time."""
    folders = [f"tests/{room}", *MORE_TESTS.get(room, [])]
    code, text = run(["--durations=0", "--durations-min=0.0", *folders], "", None)
    if code != 0:
        raise SystemExit(f"the tests of {room} fail as they are:\n{text[-3000:]}")
    times: dict[str, float] = {}
    for seconds, test in re.findall(r"^([\d.]+)s (?:call|setup) +(\S.*)$", text, re.MULTILINE):
        times[test] = times.get(test, 0.0) + float(seconds)
    slow = sorted({function_of(test) for test, seconds in times.items() if seconds > longest})
    kept = sum(seconds for test, seconds in times.items() if function_of(test) not in slow)
    return [*(f"--deselect={test}" for test in slow), *folders], kept


def catch(threshold: Threshold, tests: list[str], timeout: float) -> str | None:
    """Return the first test that fails with one of the factors."""
    for factor in TUNING_FACTORS if threshold.is_tuning else FACTORS:
        change = f"{threshold.key}={factor!r}"
        code, text = run(["-x", "--tb=no", *tests], change, timeout)
        if caught := first_failure(code, text):
            return function_of(caught)
    return None


def check_build(chosen: list[Threshold]) -> None:
    """Check that the core contains the names of scalable thresholds, without loading it."""
    package = importlib.util.find_spec("nsmb")
    if package is None or package.origin is None:
        raise SystemExit("nsmb is not installed")
    core = b"".join(path.read_bytes() for path in Path(package.origin).parent.glob("_core.*"))
    for threshold in chosen:
        if threshold.key.encode() + b"\0" not in core:
            raise SystemExit(f"{threshold.key} cannot be scaled: start .ci/tolerances.sh")


def record(caught: dict[str, str | None]) -> None:
    """Write the results into the headers."""
    for room in rooms():
        text = header(room).read_text("utf-8")
        for threshold in thresholds(room):
            test = caught.get(threshold.key)
            if test is None or not test.startswith("tests/"):
                continue
            if any(said.startswith("tests/") for said in threshold.tests):
                continue
            said = f"{TUNING}, {test}" if threshold.is_tuning else test
            text = re.sub(
                rf"^/// Test: [^\n]*\.\n(inline constexpr double {threshold.name}\b)",
                rf"/// Test: {said}.\n\1",
                text,
                flags=re.MULTILINE,
            )
        header(room).write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.tolerances", description=__doc__)
    parser.add_argument("--rooms", nargs="*", default=rooms(), choices=rooms())
    parser.add_argument("--names", nargs="*", help="only these, as room.kName or kName")
    parser.add_argument("--open", action="store_true", help="only those without a test")
    parser.add_argument("--longest", type=float, default=2.0, help="s: slower tests are left out")
    parser.add_argument("--record", action="store_true", help="write the tests into the headers")
    options = parser.parse_args()
    os.chdir(ROOT)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    preload()
    caught = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for room in options.rooms:
        chosen = [
            threshold
            for threshold in thresholds(room)
            if not threshold.is_list
            and (not options.names or {threshold.key, threshold.name} & set(options.names))
            and not (options.open and any(t.startswith("tests/") for t in threshold.tests))
        ]
        if not chosen:
            continue
        check_build(chosen)
        tests, seconds = quick_tests(room, options.longest)
        print(f"{room}: {len(chosen)} thresholds, tests of {seconds:.0f} s", flush=True)
        for threshold in chosen:
            caught[threshold.key] = catch(threshold, tests, 120.0 + 10.0 * seconds)
            print(f"  {threshold.key:45} {caught[threshold.key]}", flush=True)
            RESULTS.write_text(json.dumps(caught, indent=1, sort_keys=True), "utf-8")
    if options.record:
        record(caught)


if __name__ == "__main__":
    main()
