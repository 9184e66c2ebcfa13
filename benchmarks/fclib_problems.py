"""Contact problems of FCLIB's and Siconos' files: nsmb's default beside Siconos and Pinocchio.

    python benchmarks/fclib_problems.py FOLDER...        or the folders in NSMB_FCLIB_DATA

Every problem found is solved from zero with the same tolerance, on the same machine, one after the
other, short ones several times; times are medians of processor times, reading not counted. The
error is the natural map over the norm of q, recomputed from the file's data and the forces alone
by `natural_map.py` of the oracles. A solver of Siconos, or Pinocchio's ADMM, counts as having
solved where its error is below ten times the tolerance (`fclib_peers.py`); one that takes longer
than its limit of wall time is stopped.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import fclib_peers
import numpy as np
import siconos_process
from fclib_peers import MOST, SHORT
from numpy.typing import NDArray

import nsmb
from nsmb.complementarity.stored_facts import facts
from tests.oracles import natural_map

Floats = NDArray[np.float64]

SUFFIXES = (".hdf5", ".h5", ".dat", ".txt")


@dataclass
class Row:
    """One problem of the table."""

    name: str
    family: str
    form: str
    dimension: int
    contacts: int
    rows: int
    rank: int
    status: str
    method: str
    error: float
    seconds: float
    siconos: dict[str, dict[str, Any]] = field(default_factory=dict)
    pinocchio: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def fastest(self) -> tuple[str, float]:
        return fastest(self.siconos)


def fastest(runs: fclib_peers.Runs) -> tuple[str, float]:
    """Of the solvers that have solved it: name and time."""
    times = {name: run["time"] for name, run in runs.items() if run["solved"]}
    return min(times.items(), key=lambda item: item[1]) if times else ("none", np.inf)


def problems(folders: list[Path]) -> dict[Path, nsmb.complementarity.fclib.StoredProblem]:
    """What can be read below the folders, each problem once."""
    found: dict[Path, nsmb.complementarity.fclib.StoredProblem] = {}
    seen = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if not path.is_file() or path.suffix.lower() not in SUFFIXES:
                continue
            try:
                stored = nsmb.complementarity.fclib.read(path)
            except ValueError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            key = (path.stem, stored.data.w.tobytes())
            if key not in seen:
                seen.add(key)
                found[path] = stored
    return found


def error_of(stored: nsmb.complementarity.fclib.StoredProblem, x: Floats) -> float:
    """Natural map over the norm of q."""
    data = stored.data
    if data.W is not None:
        q, y = data.w, data.W @ x + data.w
    else:
        from scipy.sparse.linalg import splu

        inverse = splu(data.M.tocsc())
        q = data.H.T @ inverse.solve(data.f) + data.w
        y = data.H.T @ inverse.solve(data.H @ x + data.f) + data.w
    rows = data.dimension * data.contacts
    return natural_map.error(x[:rows], y[:rows], q[:rows], data.mu, data.dimension, data.mu_R)


def row_of(
    path: Path, stored: nsmb.complementarity.fclib.StoredProblem, tol: float, budget: float
) -> Row:
    sizes = facts(stored.data)
    times: list[float] = []
    problem = None if stored.data.W is None else stored.problem
    while sum(times) < SHORT and len(times) < MOST:
        begin = time.process_time()
        # From global data W may have to be formed, which counts.
        taken = problem or dataclasses.replace(stored).problem
        result = nsmb.complementarity.friction.solve(
            taken, tol=tol, max_time=budget, impulse_scale=1.0
        )
        times.append(time.process_time() - begin)
    name = re.sub(r"(\.hdf5)?\.(dat|hdf5|h5|txt)$", "", path.name)
    return Row(
        name=name,
        family=re.match(r"[A-Za-z]*\d?[A-Za-z]*", name)[0],  # type: ignore[index]
        form=sizes.form,
        dimension=sizes.dimension,
        contacts=sizes.contacts,
        rows=sizes.rows,
        rank=sizes.rank,
        status=str(result.status),
        method=result.method,
        error=error_of(stored, result.x),
        seconds=float(np.median(times)),
    )


def line_of(row: Row) -> str:
    best, best_time = row.fastest
    others = [name for name, run in row.siconos.items() if run["solved"] and name != best]
    short = [re.sub(r"(GLOBAL_|ROLLING_|FRICTION_[23]D_)", "", name) for name in (best, *others)]
    ratio = f"{best_time / row.seconds:8.2f}" if np.isfinite(best_time) else "       -"
    sizes = f"{row.form[0]}{row.dimension} {row.contacts:5d} {row.rank:5d}/{row.rows:<5d}"
    return (
        f"{row.name[:38]:38s} {sizes} "
        f"{row.status[:10]:10s} {row.error:8.1e} {row.seconds:9.2e} {row.method:18s} "
        f"{short[0]:8s} {best_time:9.2e} {ratio} {pinocchio_of(row)} {' '.join(short[1:])}"
    )


def pinocchio_of(row: Row) -> str:
    """Its fastest time and that over nsmb's; its best error where it has not solved it."""
    _, best = fastest(row.pinocchio)
    if np.isfinite(best):
        return f"{best:9.2e} {best / row.seconds:8.2f}"
    errors = [run["error"] for run in row.pinocchio.values()]
    return f"{min(errors):9.1e}!" + 8 * " " if errors else 18 * " "


HEAD = (
    f"{'problem':38s} f  {'nc':>5s} {'rank':>5s}/{'rows':<5s} {'status':10s} {'error':8s} "
    f"{'time, s':9s} {'method':18s} {'Siconos':8s} {'time, s':9s} {'ratio':>8s} "
    f"{'Pinocchio':9s} {'ratio':>8s} others that solve"
)


def summary(rows: list[Row], tol: float) -> str:
    """By family: solved, and the medians of the best times of the others over nsmb's."""
    families = defaultdict(list)
    for row in rows:
        families[row.family].append(row)
    lines = [
        f"{'set':28s} {'solved':>8s} {'worst error':>12s} {'median ratio':>13s} {'Pinocchio':>10s}"
    ]
    for family, members in families.items():
        ratios = [r.fastest[1] / r.seconds for r in members if np.isfinite(r.fastest[1])]
        admm = [fastest(r.pinocchio)[1] / r.seconds for r in members]
        admm = [ratio for ratio in admm if np.isfinite(ratio)]
        lines.append(
            f"{family:28s} {sum(r.error <= tol for r in members):4d}/{len(members):<3d} "
            f"{max(r.error for r in members):12.1e} "
            f"{np.median(ratios) if ratios else np.nan:13.2f} "
            f"{np.median(admm) if admm else np.nan:10.2f}"
        )
    solved = sum(row.error <= tol for row in rows)
    return "\n".join([*lines, f"{solved} of {len(rows)} within {tol:g}"])


def kept(rows: list[Row], tol: float, limit: float) -> dict[str, Any]:
    """What files of `results/` hold: times of solvers that have solved it, the fastest first."""
    entries = []
    for row in rows:
        entry = asdict(row)
        for name in ("siconos", "pinocchio"):
            runs = entry.pop(name)
            times = {key: run["time"] for key, run in runs.items() if run["solved"]}
            if name == "siconos" or runs:
                entry[name] = dict(sorted(times.items(), key=lambda item: item[1]))
        if row.pinocchio:
            entry["pinocchio error"] = min(run["error"] for run in row.pinocchio.values())
        entries.append(entry)
    return {"tolerance": tol, "limit": limit, "rows": entries}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])  # type: ignore[union-attr]
    given = os.environ.get("NSMB_FCLIB_DATA", "")
    default = [Path(part) for part in given.split(os.pathsep) if part]
    parser.add_argument("folders", nargs="*", type=Path, default=default)
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--max-time", type=float, default=60.0, help="budget of nsmb, s")
    parser.add_argument("--peer-time", type=float, default=40.0, help="limit of other solvers, s")
    parser.add_argument("--only", default="", help="part of the names of the problems to run")
    parser.add_argument("--no-siconos", action="store_true")
    parser.add_argument("--no-pinocchio", action="store_true")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    parser.add_argument("--keep", type=Path, help="file for what pages of the site show")
    arguments = parser.parse_args()
    if not arguments.folders:
        parser.error("no folder given, and NSMB_FCLIB_DATA names none")
    interpreter = None if arguments.no_siconos else siconos_process.find_interpreter()
    if interpreter is None and not arguments.no_siconos:
        print(siconos_process.ADVICE)
    admm = None if arguments.no_pinocchio else fclib_peers.find_pinocchio()
    if admm is None and not arguments.no_pinocchio:
        print(fclib_peers.PINOCCHIO_ADVICE)
    rows = []
    print(
        f"tol {arguments.tol:g}, {arguments.max_time:g} s for nsmb, "
        f"{arguments.peer_time:g} s of wall time for a solver of Siconos "
        f"{siconos_process.version() if interpreter else ''}\n{HEAD}",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        common = (Path(folder), arguments.peer_time, error_of)
        siconos = interpreter and fclib_peers.Siconos(interpreter, "siconos_fclib.py", *common)
        pinocchio = admm and fclib_peers.Pinocchio(admm, "pinocchio_fclib.py", *common)
        try:
            for path, stored in problems(arguments.folders).items():
                if arguments.only not in path.name:
                    continue
                row = row_of(path, stored, arguments.tol, arguments.max_time)
                if siconos:
                    row.siconos = siconos.runs(stored, arguments.tol)
                if pinocchio:
                    row.pinocchio = pinocchio.runs(stored, arguments.tol)
                rows.append(row)
                print(line_of(row), flush=True)
        finally:
            for peer in (siconos, pinocchio):
                if peer:
                    peer.close()
    if rows:
        print(summary(rows, arguments.tol))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    if arguments.keep:
        section = kept(rows, arguments.tol, arguments.peer_time)
        arguments.keep.write_text(json.dumps(section, indent=1))


if __name__ == "__main__":
    main()
