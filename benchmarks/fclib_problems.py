"""Contact problems from files of FCLIB and Siconos, in nsmb, Siconos and Pinocchio.

Every problem found in the folders, or in those of NSMB_FCLIB_DATA, is solved from zero with the
same tolerance, on the same machine, one after the other. Short solves are repeated, and reading is
not timed. The error is the natural map over the norm of q, recomputed from the file's data and the
forces alone by `natural_map.py` of the oracles. A solver of Siconos, or Pinocchio's ADMM, counts as
successful if its error is below ten times the tolerance (`fclib_peers.py`). A solver that exceeds
its limit of wall time is stopped.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

import nsmb
from benchmarks import fclib_peers
from benchmarks.harness import MissingError, benchmark, peer, printed, timed
from nsmb.complementarity.stored_facts import facts
from tests.oracles import natural_map

Floats = NDArray[np.float64]
Stored = nsmb.complementarity.fclib.StoredProblem

SUFFIXES = (".hdf5", ".h5", ".dat", ".txt")


def problems(folders: Iterable[Path]) -> dict[Path, Stored]:
    """Return all readable problems below the folders, each once."""
    found: dict[Path, Stored] = {}
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


def error_of(stored: Stored, x: Floats) -> float:
    """Return the natural map over the norm of q."""
    data = stored.data
    if data.W is not None:
        q, y = data.w, data.W @ x + data.w
    else:
        inverse = splu(data.M.tocsc())
        q = data.H.T @ inverse.solve(data.f) + data.w
        y = data.H.T @ inverse.solve(data.H @ x + data.f) + data.w
    rows = data.dimension * data.contacts
    return natural_map.error(x[:rows], y[:rows], q[:rows], data.mu, data.dimension, data.mu_R)


def row_of(path: Path, stored: Stored, tol: float, budget: float) -> dict[str, Any]:
    sizes = facts(stored.data)
    problem = None if stored.data.W is None else stored.problem

    def solve() -> Any:
        # For global data this may include forming W.
        taken = problem or dataclasses.replace(stored).problem
        return nsmb.complementarity.friction.solve(
            taken, tol=tol, max_time=budget, impulse_scale=1.0
        )

    result, seconds = timed(solve, **fclib_peers.SERIES)
    name = re.sub(r"(\.hdf5)?\.(dat|hdf5|h5|txt)$", "", path.name)
    return {
        "name": name,
        "family": re.match(r"[A-Za-z]*\d?[A-Za-z]*", name)[0],  # type: ignore[index]
        "form": sizes.form,
        "dimension": sizes.dimension,
        "contacts": sizes.contacts,
        "rows": sizes.rows,
        "rank": sizes.rank,
        "status": str(result.status),
        "method": result.method,
        "error": error_of(stored, result.x),
        "seconds": seconds,
    }


def solved(runs: fclib_peers.Runs) -> dict[str, float]:
    """Return the times of the solvers that have solved a problem, the fastest first."""
    times = {name: run["time"] for name, run in runs.items() if run["solved"]}
    return dict(sorted(times.items(), key=lambda item: item[1]))


@benchmark("fclib", "Contact problems of files beside Siconos and Pinocchio", alone=True)
def measure(
    folders: tuple[str, ...] = (), only: str = "", tol: float = 1e-8, max_time: float = 60.0
) -> dict[str, Any]:
    """Solve the problems whose names contain `only`; nsmb has `max_time` s for each."""
    named = folders or tuple(filter(None, os.environ.get("NSMB_FCLIB_DATA", "").split(os.pathsep)))
    if not named:
        raise MissingError("give folders=FOLDER, or name them in NSMB_FCLIB_DATA")
    rows = []
    limit = fclib_peers.LIMIT
    with (
        tempfile.TemporaryDirectory() as folder,
        peer("siconos", "siconos_contacts", limit) as siconos,
        peer("pinocchio", "pinocchio_fclib", limit) as pinocchio,
    ):
        for path, stored in problems(map(Path, named)).items():
            if only not in path.name:
                continue
            row = row_of(path, stored, tol, max_time)
            order = (stored, tol, Path(folder), error_of)
            row["siconos"] = solved(fclib_peers.siconos_runs(siconos, *order) if siconos else {})
            if pinocchio and (runs := fclib_peers.pinocchio_runs(pinocchio, *order)):
                row["pinocchio"] = solved(runs)
                row["pinocchio error"] = min(run["error"] for run in runs.values())
            rows.append(printed(row))
    return {"tolerance": tol, "limit": limit, "rows": rows}
