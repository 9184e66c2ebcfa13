"""Other programs on the contact problems of files: Siconos and Pinocchio, each in its process.

A solver counts as having solved where the natural map of its forces, from the file's data, is below
`LENIENCE` times the tolerance; one that takes longer than its limit of wall time is stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

import nsmb

Floats = NDArray[np.float64]
Stored = nsmb.complementarity.fclib.StoredProblem
Runs = dict[str, dict[str, Any]]
ErrorOf = Callable[[Stored, Floats], float]

HERE = Path(__file__).resolve().parent
SHORT, MOST = 0.05, 11  # s, and how often what takes less is repeated
LENIENCE = 10.0
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
RULES = {  # of Pinocchio's ADMM: rule of the penalty, whether the data are given scaled
    "ADMM OSQP": ("OSQP", False),
    "ADMM spectral": ("SPECTRAL", False),
    "ADMM OSQP, scaled": ("OSQP", True),
    "ADMM spectral, scaled": ("SPECTRAL", True),
}
TIGHTER = (1.0, 0.1, 0.01)  # parts of the tolerance: its residuals are others than the natural map
PINOCCHIO_ADVICE = (
    "Pinocchio left out: no interpreter has its ADMM (pip install pin scipy, and "
    "NSMB_PINOCCHIO_PYTHON names its Python)"
)


def find_pinocchio() -> str | None:
    """The first interpreter whose Pinocchio has the solver."""
    for candidate in (os.environ.get("NSMB_PINOCCHIO_PYTHON"), sys.executable):
        path = shutil.which(candidate) if candidate else None
        if path is None:
            continue
        test = [path, "-c", "import scipy, pinocchio; pinocchio.ADMMConstraintSolver; print('yes')"]
        answer = subprocess.run(test, capture_output=True, text=True, check=False)
        if answer.stdout.strip().endswith("yes"):
            return path
    return None


class Peer:
    """A program's process, started anew where a solver has ended it or does not end."""

    def __init__(
        self, interpreter: str, script: str, folder: Path, limit: float, error_of: ErrorOf
    ) -> None:
        self._command = [interpreter, str(HERE / script)]
        self.folder, self.limit, self.error_of = folder, limit, error_of
        self._process: subprocess.Popen[str] | None = None

    def run(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """What it answers; None where it ends or does not answer within the limit."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
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
        ready, _, _ = select.select([process.stdout], [], [], self.limit)
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
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                with contextlib.suppress(BrokenPipeError):  # what it has not read
                    pipe.close()
        self._process = None


class Siconos(Peer):
    """All solvers that it has for the form of a problem."""

    def runs(self, stored: Stored, tol: float) -> Runs:
        data = stored.data
        form = "local" if data.W is not None else "global"
        solvers = SOLVERS.get((form, data.dimension), {})
        if not data.contacts or data.free:
            return {}
        file = self.folder / "problem.dat"
        nsmb.complementarity.fclib.write(
            data, file, storage="blocks" if form == "local" else "sparse"
        )
        order = {
            "file": str(file),
            "form": form,
            "dimension": data.dimension,
            "velocities": 0 if data.M is None else data.M.shape[0],
            "answer": str(self.folder / "answer.npy"),
            "tolerance": tol,
            "short": SHORT,
            "most": MOST,
        }
        found = {}
        for solver, most in solvers.items():
            answer = self.run({**order, "solver": solver, "max_iterations": most})
            if answer is None:
                found[solver] = {"time": self.limit, "solved": False, "error": np.inf}
                continue
            error = self.error_of(stored, np.load(order["answer"]))
            solved = bool(error <= LENIENCE * tol)
            found[solver] = {"time": answer["time"], "solved": solved, "error": error}
        return found


class Pinocchio(Peer):
    """Its ADMM on spatial problems, by each rule; to form W from global data counts.

    It ends by residuals of its own, so it is asked for less and less until the natural map is
    small enough; the first run that reaches this counts, with its time alone.
    """

    def runs(self, stored: Stored, tol: float) -> Runs:
        data = stored.data
        if not data.contacts or data.free or data.dimension != 3:
            return {}
        file = self.folder / "problem.npz"
        seconds = []
        for _ in range(2):
            begin = time.process_time()
            W, q = local_form(stored)
            seconds.append(time.process_time() - begin)
        forming = 0.0 if data.W is not None else min(seconds)
        np.savez(file, data=W.data, indices=W.indices, indptr=W.indptr, q=q, mu=data.mu)
        order = {
            "file": str(file),
            "answer": str(self.folder / "answer.npy"),
            "limit": 0.2 * self.limit,
            "short": SHORT,
            "most": MOST,
        }
        found: Runs = {}
        for name, (rule, scaled) in RULES.items():
            best = {"time": self.limit, "solved": False, "error": np.inf}
            for part in TIGHTER:
                answer = self.run(
                    {**order, "rule": rule, "scaled": scaled, "tolerance": part * tol}
                )
                if answer is None:
                    break
                error = self.error_of(stored, np.load(order["answer"]))
                if error < best["error"]:
                    solved = bool(error <= LENIENCE * tol)
                    taken = answer["time"] + forming
                    best = {"time": taken, "solved": solved, "error": error}
                if best["solved"] or not answer["solved"]:
                    break
            found[name] = best
        return found


def local_form(stored: Stored) -> tuple[scipy.sparse.csc_array, Floats]:
    """W by columns and q."""
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
