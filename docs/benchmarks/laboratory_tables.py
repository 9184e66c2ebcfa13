"""Tables of machines, single components and nonlinear analysis."""

from __future__ import annotations

from IPython.display import Markdown
from stored import latest, micro, number, seconds, table


def event_rate() -> Markdown:
    rows = latest("event_rate")[0]
    return table(
        ("100 s of the toy, μ = 0.3", "events per second"),
        [(row["method"].removeprefix("nsmb "), number(row["events_per_second"])) for row in rows],
    )


def machines() -> Markdown:
    return table(
        ("system", "motion", "events", "events per second", "computing for 1 s"),
        [
            (
                f"`{row['name']}`",
                f"{row['span']:.3g} s",
                row["events"],
                number(row["events"] / row["span"], 3),
                seconds(row["seconds"]),
            )
            for row in latest("machines", "machines")[0]
        ],
    )


def slower_than_real_time() -> str:
    rows = latest("machines", "machines")[0]
    names = [f"`{row['name']}`" for row in rows if row["seconds"] > 1.0]
    return " and ".join(names) if names else "none"


def orbits() -> Markdown:
    return table(
        (
            "orbits per second",
            "events per period",
            "from rest",
            "from a neighbour",
            "along a branch",
        ),
        [
            (
                row["system"],
                row["events"],
                *(number(row[key], 3) for key in ("from_rest", "from_neighbour", "along_branch")),
            )
            for row in latest("analysis", "orbits")[0]
        ],
    )


def monodromy() -> Markdown:
    integrators = {"linear_flow": "closed-form flow"}
    return table(
        ("run with monodromy matrix over run alone", "degrees of freedom", "(0)", "(1)", "(3)"),
        [
            (
                f"{row['system']}, {integrators.get(row['integrator'], row['integrator'])}",
                row["nu"],
                *(number(row["ratio"].get(key), 2) for key in ("0", "1", "3")),
            )
            for row in latest("analysis", "monodromy")[0]
        ],
    )


def diagrams() -> Markdown:
    return table(
        ("points per second", "1 core", "2 threads", "2 processes", "parallel efficiency"),
        [
            (
                row["system"],
                *(
                    f"{number(row['per_second'][key])} ({number(row['wall_per_second'][key])})"
                    for key in ("1 core", "2 threads", "2 processes")
                ),
                " and ".join(
                    f"{100 * row['efficiency'][key]:.0f} %" for key in ("2 threads", "2 processes")
                ),
            )
            for row in latest("analysis", "diagrams")[0]
        ],
    )


def explorer() -> Markdown:
    row = latest("explorer")[0]
    return table(
        ("a move of a slider of the woodpecker", "processor time"),
        [
            (title, seconds(row[key]))
            for title, key in (
                ("kernel behind a browser", "kernel_s"),
                ("run and message alone", "process_s"),
                ("the same drawn by Matplotlib", "matplotlib_s"),
            )
            if row[key] is not None
        ],
    )


def integrators() -> Markdown:
    rows = latest("smooth_motion")[0]
    first = rows[0]["time_at_target"]
    return table(
        ("1 s of free motion at a relative error of 1e-9", "time", "steps", "over dp853"),
        [
            (
                row["integrator"],
                seconds(row["time_at_target"]),
                number(row["steps_at_target"]),
                number(row["time_at_target"] / first, 2),
            )
            for row in rows
        ],
    )


def problems() -> Markdown:
    rows = latest("lcp")[0]
    return table(
        ("(6.35), called from Python, unknowns", *(str(row["n"]) for row in rows)),
        [
            ("cold, µs", *(micro(row["cold"]) for row in rows)),
            ("started from the solution, µs", *(micro(row["warm"]) for row in rows)),
        ],
    )


def warm_starts() -> Markdown:
    rows = latest("lcp_warm")[0]
    return table(
        ("contacts with friction that change slowly", *(str(row["n"]) for row in rows)),
        [
            (title, *(show(row[key]) for row in rows))
            for title, key, show in (
                ("cold, µs", "cold", micro),
                ("cold, pivots", "cold_pivots", lambda x: number(x, 2)),
                ("warm, µs", "warm", micro),
                ("warm, pivots", "warm_pivots", lambda x: number(x, 2)),
            )
        ],
    )


def aims() -> Markdown:
    """Return the table of aims with measured values and verdicts."""
    lemke = {row["n"]: row["faster"] for row in latest("lcp_siconos")[0]
             if row["family"] == "with friction" and row.get("faster")}  # fmt: skip
    discs = {row["n"]: row["faster"] for row in latest("friction")[0] if row.get("faster")}
    towers = latest("mass_tower", "sizes")[0]
    pivots = {row["n"]: row["kept_warm_pivots"] for row in towers}
    bytes_ = [row["bytes_per_event"] for row in latest("allocations")[0].values()]
    machines = [row["seconds"] for row in latest("machines", "machines")[0]]
    monodromy = [row["ratio"]["0"] for row in latest("analysis", "monodromy")[0] if row["nu"] == 3]
    threads = [
        row["efficiency"][key]
        for row in latest("analysis", "diagrams")[0]
        for key in ("2 threads", "2 processes")
    ]

    def row(aim: str, values: list[float], met: list[bool], unit: str = "") -> tuple[str, ...]:
        if not values:  # the peer was missing
            return ()
        low, high = number(min(values), 2), number(max(values), 2)
        span = f"{low}{unit}" if low == high else f"{low} to {high}{unit}"
        share = "met" if all(met) else "missed" if not any(met) else f"{sum(met)} of {len(met)} met"
        return aim, span, share

    small, large = [v for n, v in lemke.items() if n <= 50], [v for n, v in lemke.items() if n > 50]
    few, many = [v for n, v in discs.items() if n <= 50], [v for n, v in discs.items() if n > 50]
    rows = [
        row("Lemke five times faster than Siconos, up to 50 unknowns", small,
            [v >= 5.0 for v in small]),
        row("Lemke twice as fast as Siconos, above", large, [v >= 2.0 for v in large]),
        row("friction discs five times faster, up to 50 unknowns", few,
            [v >= 5.0 for v in few]),
        row("friction discs twice as fast, above", many, [v >= 2.0 for v in many]),
        row("two pivots at most from a warm start, towers of 10 to 1000", list(pivots.values()),
            [v <= 2.0 for v in pivots.values()]),
        row("no allocation at events behind the warm-up", bytes_, [v == 0.0 for v in bytes_],
            " bytes"),
        row("monodromy matrix below three times the run, three degrees of freedom", monodromy,
            [v < 3.0 for v in monodromy]),
        row("95 % of two cores used by diagrams", [100.0 * v for v in threads],
            [v >= 0.95 for v in threads], " %"),
        row("machines of the book in real time", machines, [v <= 1.0 for v in machines],
            " s for 1 s"),
    ]  # fmt: skip
    return table(("aim", "measured", "verdict"), filter(None, rows))
