"""Tables for the pages in this folder, each from the last run that contains its numbers."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from IPython.display import Markdown
from stored import BASELINES, RUNS, exponent, follow, latest, micro, number, seconds, table, words

METHODS = {
    "nsmb closed-form flow": "closed-form flow",
    "nsmb dp853, rtol 1e-10": "dp853, rtol 1e-10",
    "nsmb arkode_fehlberg78, rtol 1e-10": "ARKODE Fehlberg 7(8), rtol 1e-10",
}
FAMILIES = {
    "contacts": "contacts without friction",
    "with friction": "contacts with friction",
    "dependent, friction": "dependent contacts with friction",
    "definite": "positive definite",
    "semidefinite": "semidefinite",
}


# Beside peers.


def toy() -> Markdown:
    rows = []
    for case in latest("woodpecker")[0]:
        for name, row in case["methods"].items():
            faster = row["faster"]
            rows.append(
                (
                    METHODS.get(name, name),
                    case["mu"],
                    seconds(row["seconds"]),
                    f"{row['period_error']:.0e} s" if row["period_error"] is not None else "",
                    f"{faster[0]:.0f} ({faster[1]:.0f} to {faster[2]:.0f})" if faster else "",
                )
            )
    return table(
        ("toy on its cycle", "μ", "1 s of motion", "error of the period", "times faster"), rows
    )


def lemke_ratios() -> dict[str, tuple[list[float], list[float]]]:
    rows = [row for row in latest("lcp_siconos")[0] if row.get("faster")]
    return {
        title: (
            [row["n"] for row in rows if row["family"] == family],
            [row["faster"] for row in rows if row["family"] == family],
        )
        for family, title in FAMILIES.items()
    }


def lemke() -> Markdown:
    rows = latest("lcp_siconos")[0]
    sizes = sorted({row["n"] for row in rows})
    of = {(row["family"], row["n"]): row for row in rows}

    def line(title: str, family: str, key: str, show: Any) -> tuple[str, ...]:
        found = [of.get((family, n), {}).get(key) for n in sizes]
        return (title, *("" if value is None else show(value) for value in found))

    return table(
        ("unknowns", *map(str, sizes)),
        [
            line("contacts without friction, µs", "contacts", "seconds", micro),
            line("Siconos, µs", "contacts", "siconos_seconds", micro),
            *(
                line(f"times faster, {title}", family, "faster", lambda x: number(x, 2))
                for family, title in FAMILIES.items()
            ),
        ],
    )


def friction() -> Markdown:
    rows = latest("friction")[0]
    solvers = list(rows[0]["siconos"] or {})
    return table(
        ("contacts with friction discs", *(str(row["contacts"]) for row in rows)),
        [
            ("unknowns", *(row["n"] for row in rows)),
            ("from zero, µs", *(micro(row["cold"]) for row in rows)),
            ("from the solution, µs", *(micro(row["warm"]) for row in rows)),
            ("solved", *(f"{row['solved']} of {row['problems']}" for row in rows)),
            *(
                (
                    f"Siconos {name}, µs (solved)",
                    *(
                        f"{micro(row['siconos'][name]['time'])} ({row['siconos'][name]['solved']})"
                        for row in rows
                    ),
                )
                for name in solvers
            ),
            (
                "times faster than the fastest that solved",
                *(number(row.get("faster"), 2) for row in rows),
            ),
        ],
    )


def bounds() -> Markdown:
    rows = latest("mcp", "towers")[0]
    siconos = [follow(row, ("siconos", "lemke")) for row in rows]
    return table(
        ("blocks with friction, given normal forces", *(str(row["n"]) for row in rows)),
        [
            ("cold, µs", *(micro(row["cold"]) for row in rows)),
            ("cold, pivots", *(number(row["cold_pivots"], 2) for row in rows)),
            ("warm, µs", *(micro(row["warm"]) for row in rows)),
            ("warm, pivots", *(number(row["warm_pivots"], 2) for row in rows)),
            ("our Lemke on the problem of 2n, µs", *(micro(row["lemke"]) for row in rows)),
            ("Siconos' Lemke on it, µs", *(map(micro, siconos))),
            (
                "times faster than Siconos, bounds",
                *(number(b and b / row["cold"], 2) for row, b in zip(rows, siconos, strict=True)),
            ),
            (
                "times faster than Siconos, Lemke",
                *(number(b and b / row["lemke"], 2) for row, b in zip(rows, siconos, strict=True)),
            ),
            ("unsolved", *(row["unsolved"] for row in rows)),
        ],
    )


def chains() -> dict[str, list[float]]:
    """Return sizes and times in µs by name, for Pinocchio with its faster convention."""
    rows = latest("forward_dynamics", "rows")[0]
    aba = "Pinocchio aba, best convention"
    both = ("Pinocchio aba, local", "Pinocchio aba, world")
    curves: dict[str, list[float]] = {"n": [row["n"] for row in rows]}
    for name in ("udot, loop in C++", "udot", "M, loop in C++", "M", "beams, loop in C++"):
        curves[name] = [row[name] for row in rows]
    if aba in rows[0]:
        curves["Pinocchio aba"] = [row[aba] for row in rows]
    elif both[0] in rows[0]:
        curves["Pinocchio aba"] = [min(row[name] for name in both) for row in rows]
    if "Pinocchio crba" in rows[0]:
        curves["Pinocchio crba"] = [row["Pinocchio crba"] for row in rows]
    return curves


CHAIN_TITLES = {
    "udot, loop in C++": "u̇, loop in C++",
    "udot": "u̇, called from Python",
    "Pinocchio aba": "Pinocchio `aba`, called from Python",
    "M, loop in C++": "M, loop in C++",
    "M": "M, called from Python",
    "Pinocchio crba": "Pinocchio `crba`, called from Python",
    "beams, loop in C++": "u̇ of beams, loop in C++",
}


def pinocchio() -> Markdown:
    curves = chains()
    rows = [
        (title, *(number(x) for x in curves[name]), f"{exponent(curves['n'], curves[name]):.2f}")
        for name, title in CHAIN_TITLES.items()
        if name in curves
    ]
    for ours, theirs, title in (
        ("udot", "Pinocchio aba", "times faster, u̇, both from Python"),
        ("M", "Pinocchio crba", "times faster, M, both from Python"),
    ):
        if theirs in curves:
            quotients = zip(curves[theirs], curves[ours], strict=True)
            rows.append((title, *(number(b / a, 2) for b, a in quotients), ""))
    return table(("µs, bodies", *(str(n) for n in curves["n"]), "exponent"), rows)


def machines_by_hand() -> Markdown:
    names = {"dp853": "dp853", "linear_flow": "closed form"}
    return table(
        ("by hand", "SciPy", "nsmb", "times faster", "events", "apart at the end"),
        [
            (
                f"`{row['name']}`",
                seconds(row["scipy"]),
                f"{names.get(name, name)} {seconds(taken)}",
                number(row["scipy"] / taken, 2),
                f"{row['events'][0]} and {row['events'][1]}",
                f"{row['differ']:.0e} ({row['of']})",
            )
            for row in latest("machines", "by_hand")[0]
            for name, taken in row["nsmb"].items()
        ],
    )


def diagrams_by_hand() -> Markdown:
    return table(
        ("diagram", "SciPy, points per second", "closed form", "dp853", "points apart"),
        [
            (
                row["system"],
                number(row["scipy_per_second"]),
                *(
                    f"{number(row['faster'][name], 2)} times faster"
                    for name in ("closed-form flow", "dp853, same rtol")
                ),
                f"{row['apart']['dp853, same rtol']:.0e}",
            )
            for row in latest("analysis", "scipy")[0]
        ],
    )


# Growth.


def events_per_size() -> dict[str, tuple[list[float], list[float]]]:
    return {
        name: ([row["n"] for row in case["rows"]], [row["us_per_event"] for row in case["rows"]])
        for name, case in latest("scaling", "growth")[0].items()
    }


def growth() -> Markdown:
    """Return the table of times per event of the last run, and of the first at its largest size."""
    last, first = latest("scaling", "growth")[0], RUNS[0]["scaling"]["growth"]
    sizes = sorted({row["n"] for case in last.values() for row in case["rows"]})
    sizes = [n for n in sizes if n not in (2, 5)]
    rows = []
    for name, case in last.items():
        if name == "stack of boxes":
            continue
        of = {row["n"]: row["us_per_event"] for row in case["rows"]}
        before = [row["us_per_event"] for row in follow(first, (name, "rows")) or ()]
        rows.append(
            (
                name,
                *(number(of.get(n)) for n in sizes),
                f"{exponent(list(of), list(of.values())):.1f}",
                number(before[-1]) if before else "",
            )
        )
    return table(
        ("µs per event, n", *map(str, sizes), "exponent", f"{RUNS[0]['date']}, last n"), rows
    )


def boxes() -> Markdown:
    path = ("scaling", "growth", "stack of boxes", "rows")
    runs = [run for run in RUNS if follow(run, path)]
    sizes = [row["n"] for row in latest(*path)[0]]
    rows = []
    for run in runs:
        of = {row["n"]: row["us_per_event"] for row in follow(run, path)}
        rows.append((run["date"], *(number(of.get(n)) for n in sizes)))
    return table(("µs per event, boxes", *map(str, sizes)), rows)


def tower() -> Markdown:
    sizes = latest("mass_tower", "sizes")[0]

    def line(title: str, key: str, show: Any = micro) -> tuple[str, ...]:
        values = [row.get(key) for row in sizes]
        known = [(row["n"], v) for row, v in zip(sizes, values, strict=True) if v and row["n"] > 20]
        power = f"{exponent(*zip(*known, strict=True)):.1f}" if show is micro and known else ""
        return (title, *("" if value is None else show(value) for value in values), power)

    return table(
        ("one decision of 3ⁿ, n", *(str(row["n"]) for row in sizes), "exponent from 50"),
        [
            line("law, µs", "law"),
            line("storage kept, cold, µs", "kept_cold"),
            line("storage kept, warm, µs", "kept_warm"),
            line("pivots, cold", "kept_cold_pivots", number),
            line("pivots, warm", "kept_warm_pivots", number),
            line("contacts that change their state in 1 ms", "kept_changes", number),
            line("all at once, cold, µs", "whole_cold"),
            line("all at once, warm, µs", "whole_warm"),
            line("all at once, unsolved of 8", "whole_unsolved", lambda x: f"{x:.0f}"),
            line("Lemke on (6.35), µs", "lemke_seconds"),
            line("laws violated, share of the weight", "violation", lambda x: f"{x:.0e}"),
        ],
    )


# Counts.


KINDS = ("instructions", "allocations", "peak bytes", "bytes kept", "Python peak bytes")


def natural(name: str) -> list[Any]:
    """Return a sort key that orders the numbers in a name by value."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def baseline() -> Markdown:
    """Return the table of the newest baseline, with a row per case and a column per count."""
    cases: dict[str, dict[str, float]] = {}
    units: dict[str, str] = {}
    for name, entry in BASELINES[-1]["counts"]["entries"].items():
        case, _, count = name.partition(" | ")
        kind, _, unit = count.partition(" per ")
        cases.setdefault(case, {})[kind] = entry["value"]
        units[case] = unit or units.get(case, "")
    return table(
        ("case", "per", *KINDS),
        [
            (case, units[case], *(number(cases[case].get(kind), 4) for kind in KINDS))
            for case in sorted(cases, key=natural)
        ],
    )


def releases() -> Markdown:
    """Return the table of counts that differ by more than 3 % between consecutive baselines."""
    rows = []
    for before, now in pairwise(BASELINES):
        a, b = (
            {name: entry["value"] for name, entry in x["counts"]["entries"].items()}
            for x in (before, now)
        )
        rows += [
            (now["version"], name, number(a[name], 4), number(b[name], 4))
            for name in sorted(a.keys() & b.keys(), key=natural)
            if not a[name] / 1.03 <= b[name] <= 1.03 * a[name]
        ]
    if len(BASELINES) == 1:
        return Markdown(f"So far {BASELINES[0]['version']} is the only release with a baseline.")
    if not rows:
        return Markdown("No count differs by more than 3 % from one baseline to the next.")
    return table(("release", "count", "before", "now"), rows)


def repeats() -> Markdown:
    largest = BASELINES[-1]["counts"]["apart when counted again, per mille"]
    return table(
        ("the same build counted twice", "largest difference, per mille"),
        [(kind, number(largest[kind])) for kind in KINDS],
    )


def environment() -> Markdown:
    keys = list(BASELINES[-1]["environment"])
    return table(
        ("counted with", *(b["version"] for b in BASELINES)),
        [(key, *(words(b["environment"].get(key)) for b in BASELINES)) for key in keys],
    )


def instructions() -> Markdown:
    """Return the table of instruction counts of all stored runs, by date."""
    runs = [run for run in RUNS if follow(run, ("scaling", "instructions"))]
    names = latest("scaling", "instructions")[0]
    keys = {"per_event": "per event", "per_rhs": "per right-hand side or series"}
    return table(
        ("instructions", *(run["date"] for run in runs)),
        [
            (
                f"{name}, {title}",
                *(number(follow(run, ("scaling", "instructions", name, key))) for run in runs),
            )
            for name in names
            for key, title in keys.items()
        ],
    )


def memory() -> Markdown:
    runs = [run for run in RUNS if follow(run, ("scaling", "memory"))]
    rows = []
    for i, row in enumerate(latest("scaling", "memory")[0]):
        for key, title in (
            ("dense", "per event, dense"),
            ("sparse", "per event, not dense"),
            ("left_per_state", "kept for each contact state"),
        ):
            values = [follow(run, ("scaling", "memory", i, key)) for run in runs]
            if any(value is not None for value in values):
                rows.append((f"{row['case']}, n = {row['n']}, {title}", *map(number, values)))
    return table(("bytes", *(run["date"] for run in runs)), rows)


def allocations() -> Markdown:
    return table(
        ("heap allocations behind the warm-up", "events", "per event", "bytes per event"),
        [
            (name, row["events"], number(row["calls_per_event"]), number(row["bytes_per_event"]))
            for name, row in latest("allocations")[0].items()
        ],
    )
