"""Contact problems of FCLIB's and Siconos' files: nsmb's default beside the solvers of Siconos.

    python benchmarks/fclib_problems.py FOLDER...        or the folders in NSMB_FCLIB_DATA

Every problem found is solved from zero with the same tolerance, on the same machine, one after the
other, short ones several times; times are medians of processor times, reading not counted. The
error is the natural map over the norm of q, recomputed from the file's data and the forces alone
by `natural_map.py` of the oracles. A solver of Siconos counts as having solved where its error is
below ten times the tolerance; one that takes longer than its limit of wall time is stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import siconos_process
from numpy.typing import NDArray

import nsmb
from nsmb.complementarity.stored_facts import facts
from tests.oracles import natural_map

Floats = NDArray[np.float64]

SCRIPT = Path(__file__).with_name("siconos_fclib.py")
SHORT, MOST = 0.05, 11  # s, and how often what takes less is repeated
LENIENCE = 10.0
SUFFIXES = (".hdf5", ".h5", ".dat", ".txt")
SOLVERS = {  # limits of iterations: more than the wall time allows, but for Newtons
    ("local", 2): {
        "FRICTION_2D_NSGS": 200000,
        "FRICTION_2D_CPG": 20000,
        "FRICTION_2D_LEMKE": 200000,
    },
    ("local", 3): {
        "FRICTION_3D_NSGS": 200000,
        "FRICTION_3D_NSN_AC": 500,
        "FRICTION_3D_NSN_FB": 500,
        "FRICTION_3D_PROX": 20000,
        "FRICTION_3D_ADMM": 20000,
        "FRICTION_3D_TFP": 2000,
    },
    ("local", 5): {"ROLLING_FRICTION_3D_NSGS": 200000, "ROLLING_FRICTION_3D_ADMM": 20000},
    ("global", 3): {
        "GLOBAL_FRICTION_3D_NSGS_WR": 200000,
        "GLOBAL_FRICTION_3D_ADMM": 20000,
        "GLOBAL_FRICTION_3D_NSN_AC_WR": 500,
        "GLOBAL_FRICTION_3D_PROX_WR": 20000,
        "GLOBAL_FRICTION_3D_IPM": 500,
    },
    ("global", 5): {"GLOBAL_ROLLING_FRICTION_3D_NSGS_WR": 200000},
}


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

    @property
    def fastest(self) -> tuple[str, float]:
        times = {name: run["time"] for name, run in self.siconos.items() if run["solved"]}
        return min(times.items(), key=lambda item: item[1]) if times else ("none", np.inf)


def problems(folders: list[Path]) -> dict[Path, nsmb.fclib.StoredProblem]:
    """What can be read below the folders, each problem once."""
    found: dict[Path, nsmb.fclib.StoredProblem] = {}
    seen = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if not path.is_file() or path.suffix.lower() not in SUFFIXES:
                continue
            try:
                stored = nsmb.fclib.read(path)
            except ValueError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            key = (path.stem, stored.data.w.tobytes())
            if key not in seen:
                seen.add(key)
                found[path] = stored
    return found


def error_of(stored: nsmb.fclib.StoredProblem, x: Floats) -> float:
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


def row_of(path: Path, stored: nsmb.fclib.StoredProblem, tol: float, budget: float) -> Row:
    sizes = facts(stored.data)
    times: list[float] = []
    problem = None if stored.data.W is None else stored.problem
    while sum(times) < SHORT and len(times) < MOST:
        begin = time.process_time()
        # From global data W may have to be formed, which counts.
        taken = problem or dataclasses.replace(stored).problem
        result = nsmb.friction.solve_sparse(taken, tol=tol, max_time=budget)
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


class Siconos:
    """The process that has Siconos, started anew where a solver has ended it or does not end."""

    def __init__(self, interpreter: str, folder: Path, limit: float) -> None:
        self._interpreter, self._folder, self._limit = interpreter, folder, limit
        self._process: subprocess.Popen[str] | None = None

    def runs(self, stored: nsmb.fclib.StoredProblem, tol: float) -> dict[str, dict[str, Any]]:
        data = stored.data
        form = "local" if data.W is not None else "global"
        solvers = SOLVERS.get((form, data.dimension), {})
        if not data.contacts or data.free:
            return {}
        file = self._folder / "problem.dat"
        nsmb.fclib.write(data, file, storage="blocks" if form == "local" else "sparse")
        order = {
            "file": str(file),
            "form": form,
            "dimension": data.dimension,
            "velocities": 0 if data.M is None else data.M.shape[0],
            "answer": str(self._folder / "answer.npy"),
            "tolerance": tol,
            "short": SHORT,
            "most": MOST,
        }
        found = {}
        for solver, most in solvers.items():
            answer = self._run({**order, "solver": solver, "max_iterations": most})
            if answer is None:
                found[solver] = {"time": self._limit, "solved": False, "error": np.inf}
                continue
            error = error_of(stored, np.load(order["answer"]))
            solved = bool(error <= LENIENCE * tol)
            found[solver] = {"time": answer["time"], "solved": solved, "error": error}
        return found

    def _run(self, order: dict[str, Any]) -> dict[str, Any] | None:
        if self._process is None:
            self._process = subprocess.Popen(
                [self._interpreter, str(SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], self._limit)
        line = process.stdout.readline() if ready else ""
        if not line:
            self.close()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None


def line_of(row: Row) -> str:
    best, best_time = row.fastest
    others = [name for name, run in row.siconos.items() if run["solved"] and name != best]
    short = [re.sub(r"(GLOBAL_|ROLLING_|FRICTION_[23]D_)", "", name) for name in (best, *others)]
    ratio = f"{best_time / row.seconds:8.2f}" if np.isfinite(best_time) else "       -"
    sizes = f"{row.form[0]}{row.dimension} {row.contacts:5d} {row.rank:5d}/{row.rows:<5d}"
    return (
        f"{row.name[:38]:38s} {sizes} "
        f"{row.status[:10]:10s} {row.error:8.1e} {row.seconds:9.2e} {row.method:18s} "
        f"{short[0]:8s} {best_time:9.2e} {ratio} {' '.join(short[1:])}"
    )


HEAD = (
    f"{'problem':38s} f  {'nc':>5s} {'rank':>5s}/{'rows':<5s} {'status':10s} {'error':8s} "
    f"{'time, s':9s} {'method':18s} {'Siconos':8s} {'time, s':9s} {'ratio':>8s} others that solve"
)


def summary(rows: list[Row], tol: float) -> str:
    """By family: solved, and the median of Siconos' best time over nsmb's."""
    families = defaultdict(list)
    for row in rows:
        families[row.family].append(row)
    lines = [f"{'set':28s} {'solved':>8s} {'worst error':>12s} {'median ratio':>13s}"]
    for family, members in families.items():
        ratios = [r.fastest[1] / r.seconds for r in members if np.isfinite(r.fastest[1])]
        lines.append(
            f"{family:28s} {sum(r.error <= tol for r in members):4d}/{len(members):<3d} "
            f"{max(r.error for r in members):12.1e} "
            f"{np.median(ratios) if ratios else np.nan:13.2f}"
        )
    solved = sum(row.error <= tol for row in rows)
    return "\n".join([*lines, f"{solved} of {len(rows)} within {tol:g}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])  # type: ignore[union-attr]
    given = os.environ.get("NSMB_FCLIB_DATA", "")
    default = [Path(part) for part in given.split(os.pathsep) if part]
    parser.add_argument("folders", nargs="*", type=Path, default=default)
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--max-time", type=float, default=60.0, help="budget of nsmb, s")
    parser.add_argument("--siconos-time", type=float, default=40.0, help="limit for a solver, s")
    parser.add_argument("--only", default="", help="part of the names of the problems to run")
    parser.add_argument("--no-siconos", action="store_true")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    arguments = parser.parse_args()
    if not arguments.folders:
        parser.error("no folder given, and NSMB_FCLIB_DATA names none")
    interpreter = None if arguments.no_siconos else siconos_process.find_interpreter()
    if interpreter is None and not arguments.no_siconos:
        print(siconos_process.ADVICE)
    rows = []
    print(
        f"tol {arguments.tol:g}, {arguments.max_time:g} s for nsmb, "
        f"{arguments.siconos_time:g} s of wall time for a solver of Siconos "
        f"{siconos_process.version() if interpreter else ''}\n{HEAD}",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        siconos = interpreter and Siconos(interpreter, Path(folder), arguments.siconos_time)
        try:
            for path, stored in problems(arguments.folders).items():
                if arguments.only not in path.name:
                    continue
                row = row_of(path, stored, arguments.tol, arguments.max_time)
                if siconos:
                    row.siconos = siconos.runs(stored, arguments.tol)
                rows.append(row)
                print(line_of(row), flush=True)
        finally:
            if siconos:
                siconos.close()
    if rows:
        print(summary(rows, arguments.tol))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
