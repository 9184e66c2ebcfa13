"""Piles as an ensemble: bitwise equal from processes of Dask and of MPI, resumed from disk."""

from __future__ import annotations

import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis import AnalysisInterrupted, sweep
from tests.stepping.ensemble_functions import FRICTIONS, cut_off, floor_force, whole_run

ROOT = Path(__file__).parents[2]
HAS_MPI = shutil.which("mpiexec") is not None and importlib.util.find_spec("mpi4py") is not None


@pytest.fixture(scope="module")
def alone() -> list[bytes]:
    result = sweep(floor_force, FRICTIONS)
    assert result.success
    return [row.tobytes() for row in result.results if row is not None]


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        # Warnings of Dask: sockets and files left to the garbage collector by its processes, busy
        # ports.
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.filterwarnings("ignore", module=r"(distributed|dask|tornado)(\..*)?")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client.get_executor()


def test_friction_changes_the_pile(alone: list[bytes]) -> None:
    """Otherwise the ensemble would show no dependence on friction."""
    assert len(set(alone)) == len(FRICTIONS)


def test_workers_of_dask_give_the_bits_of_one_process(alone: list[bytes], dask: Any) -> None:
    result = sweep(floor_force, FRICTIONS, executor=dask)
    assert [row.tobytes() for row in result.results if row is not None] == alone


def test_an_ensemble_goes_on_from_disk(alone: list[bytes], dask: Any, tmp_path: Path) -> None:
    """Half of it is computed in this process until Ctrl-C, the rest by the workers."""
    path, go_on = tmp_path / "piles.sqlite", tmp_path / "go_on"
    points = [(str(go_on), mu) for mu in FRICTIONS]
    with pytest.raises(AnalysisInterrupted) as stopped:
        sweep(cut_off, points, checkpoint=path, key="v1")
    assert stopped.value.result.status[:2] == ("finished", "finished")
    go_on.touch()
    result = sweep(cut_off, points, checkpoint=path, key="v1", executor=dask)
    assert [row.tobytes() for row in result.results if row is not None] == alone


def test_a_worker_hands_back_contacts(dask: Any) -> None:
    (run,) = sweep(whole_run, [0.3], executor=dask).results
    here = whole_run(0.3)
    assert isinstance(run, nsmb.Solution)
    np.testing.assert_array_equal(run.contacts.points.force, here.contacts.points.force)
    assert run.contacts.points.shapes == here.contacts.points.shapes


SCRIPT = """
    import pickle, sys
    sys.path.insert(0, {root!r})
    from mpi4py.futures import MPIPoolExecutor
    from nsmb.analysis import (sweep)
    from tests.stepping.ensemble_functions import FRICTIONS, floor_force
    if __name__ == "__main__":
        with MPIPoolExecutor() as executor:
            result = sweep(
                floor_force, FRICTIONS, executor=executor, checkpoint={checkpoint!r}, key="v1"
            )
        with open({out!r}, "wb") as file:
            pickle.dump([row.tobytes() for row in result.results], file)
"""


@pytest.mark.skipif(not HAS_MPI, reason="no MPI here")
def test_ranks_of_mpi_give_the_bits_of_one_process(alone: list[bytes], tmp_path: Path) -> None:
    """Two runs: the second finds all points on disk."""
    script, out, checkpoint = (tmp_path / n for n in ("piles.py", "rows.pickle", "piles.sqlite"))
    text = SCRIPT.format(root=str(ROOT), out=str(out), checkpoint=str(checkpoint))
    script.write_text(textwrap.dedent(text), "utf-8")
    own = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "PYTHONPATH": str(ROOT)}  # fmt: skip
    command = ["mpiexec", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures",
               str(script)]  # fmt: skip
    for _ in range(2):
        subprocess.run(command, check=True, env=os.environ | own, timeout=300, capture_output=True)
        with out.open("rb") as file:
            assert pickle.load(file) == alone
