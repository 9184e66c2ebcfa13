"""The standing campaign: ``python -m tests.campaign --minutes 60``."""

from __future__ import annotations

import argparse
import itertools
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from tests.campaign.case import ALL
from tests.campaign.runner import LIMITS, SANITIZED, Outcome, make, run_all, run_longer

NUMBERS = {"linear": 10_000, "energies": 5_000, "bodies": 6_000, "spatial": 2_000}
NUMBERS |= {
    "stepped": 1_000,
    "surfaces": 500,
    "schemes": 300,
    "flexible": 1_000,
    "gears": 1_000,
    "areal": 1_000,
    "solids": 1_000,
}


def jobs(families: list[str], first: int, share: float) -> Iterator[tuple[str, int]]:
    """Yield jobs of all families in proportion to their numbers, so that stopping early is fair."""
    totals = {family: max(1, round(NUMBERS[family] * share)) for family in families}
    most = max(totals.values())
    for step in range(most):
        for family, total in totals.items():
            if step * total // most != (step + 1) * total // most:
                yield family, first + step * total // most


def kind(outcome: Outcome) -> str:
    """Return the message without its numbers, which groups outcomes in the summary."""
    text = outcome.findings[0].rpartition(" > ")[0] if outcome.findings else outcome.message
    text = text.strip().splitlines()[-1] if text else outcome.status
    text = re.sub(r"contact '[^']*'|contact_\d+", "contact", text)
    text = re.sub(r"\([^()]*=[^()]*\)|[-+]?\d+(\.\d+)?(e[-+]?\d+)?|\[[^\]]*\]", "", text)
    text = re.sub(r"(contact\s*,\s*)+", "", text)
    return re.sub(r"\s+", " ", text)[:110]


def write(folder: Path, outcome: Outcome) -> None:
    """Write the script and the findings of a failed case."""
    folder.mkdir(parents=True, exist_ok=True)
    head = [f"{outcome.family} {outcome.seed}: {outcome.status}", *outcome.tags, *outcome.notes]
    head += [*outcome.message.splitlines(), *outcome.findings]
    text = "".join(f"# {line}\n" for line in head)
    path = folder / f"{outcome.family}-{outcome.seed}.py"
    path.write_text(text + make(outcome.family, outcome.seed).script(), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0, help="first seed of every family")
    parser.add_argument("--family", action="append", choices=ALL, help="default: all")
    parser.add_argument("--count", type=int, help="cases per family; default: all of them")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("build/campaign"))
    parser.add_argument(
        "--sanitized", action="store_true", help="larger limits; what needs more events is left"
    )
    options = parser.parse_args()
    limits = SANITIZED if options.sanitized else LIMITS
    families = options.family or list(ALL)
    if options.count:
        NUMBERS.update(dict.fromkeys(families, options.count))
    end = time.monotonic() + 60.0 * options.minutes
    todo = jobs(families, options.seed, 1.0)
    timed = itertools.takewhile(lambda job: time.monotonic() < end, todo)
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    bad: list[Outcome] = []
    total = sum(NUMBERS[family] for family in families)
    with tqdm(total=total, mininterval=5.0) as bar:
        for outcome in run_all(timed, options.workers, limits=limits):
            bar.update()
            count = statuses[outcome.family]
            count["runs"] += 1
            count["events"] += outcome.events
            count["ms"] += round(1e3 * outcome.cpu)
            count[outcome.status] += 1
            count.update(outcome.notes)
            if outcome.is_wrong:
                count["wrong"] += 1
            if outcome.is_wrong or outcome.status != "finished":
                bad.append(outcome)
                write(options.folder, outcome)
                bar.set_postfix(wrong=sum(c["wrong"] for c in statuses.values()), open=len(bad))
    runs = sum(count["runs"] for count in statuses.values())
    if not options.sanitized:
        settle(bad, options.folder, options.workers)
    print(summary(statuses, bad))
    left = sum(not outcome.is_settled and not outcome.is_wrong for outcome in bad)
    print(f"{runs} runs, neither finished nor settled: {left}")
    return int(any(outcome.is_wrong for outcome in bad))


def settle(bad: list[Outcome], folder: Path, workers: int) -> None:
    """Repeat runs that had too many events with a larger limit."""
    todo = {
        (o.family, o.seed): o
        for o in bad
        if o.status == "event_limit" and not o.is_settled and not o.is_wrong
    }
    for longer in run_all(iter(todo), workers, run=run_longer):
        outcome = todo[longer.family, longer.seed]
        outcome.notes.append(f"more events: {longer.status}")
        write(folder, outcome)


def summary(statuses: dict[str, Counter[str]], bad: list[Outcome]) -> str:
    lines = []
    for family, count in statuses.items():
        runs = count.pop("runs")
        rest = ", ".join(f"{n} {name}" for name, n in count.most_common())
        lines.append(f"{family:9} {runs} runs: {rest}")
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for outcome in bad:
        how = " (settled)" if outcome.is_settled and not outcome.is_wrong else ""
        groups[outcome.family, outcome.status + how, kind(outcome)].append(outcome.seed)
    for (family, status, what), seeds in sorted(groups.items(), key=lambda x: -len(x[1])):
        lines.append(f"{len(seeds):5} {family:9} {status:30} {what}: {sorted(seeds)[:12]}")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
