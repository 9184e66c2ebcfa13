"""Siconos and Pinocchio on contact problems from files, each in a separate process.

A solver counts as successful if the natural map of its forces, from the file's data, is below
`LENIENCE` times the tolerance. A solver that exceeds its limit of wall time is stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

import nsmb
from benchmarks.harness import Peer, PeerEndedError, timed

Floats = NDArray[np.float64]
Stored = nsmb.complementarity.fclib.StoredProblem
Runs = dict[str, dict[str, Any]]
ErrorOf = Callable[[Stored, Floats], float]

SERIES = {"repeats": 11, "enough": 0.05}  # solves are repeated until `enough` s
LIMIT = 40.0  # wall time for a solver, s
LENIENCE = 10.0
SOLVERS = {  # iteration limits: not reached within the wall time, except by Newton methods
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
RULES = {  # of Pinocchio's ADMM: penalty rule, and whether the data are scaled
    "ADMM OSQP": ("OSQP", False),
    "ADMM spectral": ("SPECTRAL", False),
    "ADMM OSQP, scaled": ("OSQP", True),
    "ADMM spectral, scaled": ("SPECTRAL", True),
}
TIGHTER = (1.0, 0.1, 0.01)  # fractions of the tolerance: its residuals differ from the natural map


def siconos_runs(peer: Peer, stored: Stored, tol: float, folder: Path, error_of: ErrorOf) -> Runs:
    """Run all solvers that Siconos has for the form of a problem."""
    data = stored.data
    form = "local" if data.W is not None else "global"
    if not data.contacts or data.free:
        return {}
    file, answer = folder / "problem.dat", folder / "answer.npy"
    nsmb.complementarity.fclib.write(data, file, storage="blocks" if form == "local" else "sparse")
    order = {
        "file": str(file),
        "form": form,
        "dimension": data.dimension,
        "velocities": 0 if data.M is None else data.M.shape[0],
        "answer": str(answer),
        "tolerance": tol,
        **SERIES,
    }
    found = {}
    for solver, most in SOLVERS.get((form, data.dimension), {}).items():
        try:
            said = peer.run(**order, solver=solver, max_iterations=most)
        except PeerEndedError:
            found[solver] = {"time": np.inf, "solved": False, "error": np.inf}
            continue
        error = error_of(stored, np.load(answer))
        solved = bool(error <= LENIENCE * tol)
        found[solver] = {"time": said["time"], "solved": solved, "error": error}
    return found


def pinocchio_runs(peer: Peer, stored: Stored, tol: float, folder: Path, error_of: ErrorOf) -> Runs:
    """Run Pinocchio's ADMM on spatial problems, by each rule.

    It ends by residuals of its own, so it is asked for less and less until the natural map is
    small enough; the first run that reaches this counts, with its time alone.
    """
    data = stored.data
    if not data.contacts or data.free or data.dimension != 3:
        return {}
    file, answer = folder / "problem.npz", folder / "answer.npy"
    (W, q), forming = timed(lambda: local_form(stored), repeats=2)
    if data.W is not None:
        forming = 0.0
    np.savez(file, data=W.data, indices=W.indices, indptr=W.indptr, q=q, mu=data.mu)
    order = {"file": str(file), "answer": str(answer), "limit": 0.2 * LIMIT, **SERIES}
    found: Runs = {}
    for name, (rule, scaled) in RULES.items():
        best = {"time": np.inf, "solved": False, "error": np.inf}
        for part in TIGHTER:
            try:
                said = peer.run(**order, rule=rule, scaled=scaled, tolerance=part * tol)
            except PeerEndedError:
                break
            error = error_of(stored, np.load(answer))
            if error < best["error"]:
                solved = bool(error <= LENIENCE * tol)
                best = {"time": said["time"] + forming, "solved": solved, "error": error}
            if best["solved"] or not said["solved"]:
                break
        found[name] = best
    return found


def local_form(stored: Stored) -> tuple[scipy.sparse.csc_array, Floats]:
    """Return W by columns, and q."""
    data = stored.data
    if data.W is not None:
        return scipy.sparse.csc_array(data.W), data.w
    M, H = scipy.sparse.csc_array(data.M), scipy.sparse.csc_array(data.H)
    diagonal = M.diagonal()
    if M.nnz == np.count_nonzero(diagonal):
        light = scipy.sparse.diags_array(1.0 / diagonal) @ H
        return scipy.sparse.csc_array(H.T @ light), light.T @ data.f + data.w
    inverse = splu(M)
    W = scipy.sparse.csc_array(H.T @ inverse.solve(H.toarray()))
    return W, H.T @ inverse.solve(data.f) + data.w
