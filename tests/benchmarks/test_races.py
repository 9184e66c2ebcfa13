"""What is measured of other programs, with programs made up here in their places."""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from benchmarks import fclib_peers
from nsmb.complementarity.fclib import StoredProblem
from tests.complementarity.stored_problems import global_problem

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
TOLERANCE = 1e-8
FACTOR = 50.0  # what the made-up solver's error is over the tolerance it is given


def program(folder: Path, body: str) -> str:
    """Script that makes an answer of every order."""
    path = folder / "program.py"
    lines = ["import json, sys, time", "import numpy as np", "for line in sys.stdin:"]
    lines += [f"    {part}" for part in ("order = json.loads(line)", *body.splitlines())]
    lines += ["    print(json.dumps(answer), flush=True)", ""]
    path.write_text("\n".join(lines))
    return str(path)


def error_as_told(_: StoredProblem, x: np.ndarray) -> float:
    return FACTOR * float(x[0])


def stored() -> StoredProblem:
    return StoredProblem(global_problem(np.random.default_rng(3), 3, 4), "fclib")


def pinocchio(folder: Path, body: str, limit: float = 30.0) -> dict[str, dict[str, Any]]:
    peer = fclib_peers.Pinocchio(
        sys.executable, program(folder, body), folder, limit, error_as_told
    )
    try:
        return peer.runs(stored(), TOLERANCE)
    finally:
        peer.close()


@pytest.mark.parametrize("diagonal", [False, True])
def test_w_of_a_global_problem_is_that_of_dense_algebra(diagonal: bool) -> None:
    data = stored().data
    if diagonal:
        data = replace(data, M=scipy.sparse.diags_array(data.M.diagonal()).tocsc())
    W, q = fclib_peers.local_form(StoredProblem(data, "fclib"))
    M, H = data.M.toarray(), data.H.toarray()
    inverse = np.linalg.inv(M)
    # M is between 1 and some 10, so that products of some 50 terms round to 1e-13
    np.testing.assert_allclose(W.toarray(), H.T @ inverse @ H, atol=1e-11)
    np.testing.assert_allclose(q, H.T @ inverse @ data.f + data.w, atol=1e-11)


def test_of_tighter_and_tighter_runs_the_first_counts_whose_error_is_small_enough(
    tmp_path: Path,
) -> None:
    # Fifty times the tolerance is too much, five times is not; each run says its own tolerance.
    body = (
        "np.save(order['answer'], [order['tolerance']])\n"
        "answer = {'time': 1e-3 / order['tolerance'], 'solved': True}"
    )
    found = pinocchio(tmp_path, body)
    assert found.keys() == fclib_peers.RULES.keys()
    for run in found.values():
        assert run["solved"]
        assert run["error"] == pytest.approx(5.0 * TOLERANCE)
        # what it takes to form W is added
        assert 1e-3 / (0.1 * TOLERANCE) <= run["time"] < 1e-3 / (0.1 * TOLERANCE) + 5.0


def test_a_solver_that_says_it_has_failed_is_asked_once_and_its_error_is_kept(
    tmp_path: Path,
) -> None:
    body = "np.save(order['answer'], [order['tolerance']])\nanswer = {'time': 1.0, 'solved': False}"
    for run in pinocchio(tmp_path, body).values():
        assert not run["solved"]
        assert run["error"] == pytest.approx(FACTOR * TOLERANCE)


def test_a_solver_beyond_its_limit_is_stopped_and_the_next_one_has_a_new_process(
    tmp_path: Path,
) -> None:
    body = (
        "time.sleep(60.0 if order['rule'] == 'OSQP' else 0.0)\n"
        "np.save(order['answer'], [1e-3 * order['tolerance']])\n"
        "answer = {'time': 1e-4, 'solved': True}"
    )
    found = pinocchio(tmp_path, body, limit=3.0)
    solved = {name: run["solved"] for name, run in found.items()}
    assert solved == {name: rule != "OSQP" for name, (rule, _) in fclib_peers.RULES.items()}


def test_a_program_that_ends_has_solved_nothing(tmp_path: Path) -> None:
    found = pinocchio(tmp_path, "sys.exit(3)\nanswer = {}")
    assert not any(run["solved"] for run in found.values())


@pytest.fixture
def piles() -> Iterator[ModuleType]:
    names = ("piles", "pile_scenes", "pile_peer", "piles_nsmb")  # as scripts import each other
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            patch.setenv(name, "1")  # as the modules do, and taken back here
        yield importlib.import_module("piles")
        for name in names:
            sys.modules.pop(name, None)


def test_programs_race_with_the_bodies_they_have(
    piles: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run(_: str, script: str, scene: dict[str, Any]) -> dict[str, Any]:
        asked.append(script)
        places = [*scene["spheres"]["r"], *scene["boxes"]["r"]]
        seconds = [2.0, 4.0] if script == "piles_nsmb.py" else [1.0]
        poses = [[*place, 1.0, 0.0, 0.0, 0.0] for place in places]
        used = {"memory": 1, "memory of steps": 1, "version": "1.0"}
        return {"seconds": seconds, "q": poses, **used}

    monkeypatch.setattr(piles, "run", run)
    peers = dict.fromkeys(piles.PEERS, "python")
    scenes = piles.pile_scenes
    spheres, boxes = (
        piles.compare({**scene, "tol": 1e-6, "limit": 1.0}, peers)
        for scene in (scenes.spheres_in_a_box(2, 2), scenes.pyramid(2, 2))
    )
    assert spheres["peers"].keys() == {"MuJoCo", "Drake", "Siconos"}
    assert boxes["peers"].keys() == {"MuJoCo", "Siconos", "Box2D"}
    assert len(asked) == 2 + 6
    assert all((BENCHMARKS / script).is_file() for script in asked)
    # of the one step that both have done
    assert spheres["peers"]["Drake"]["over nsmb"] == pytest.approx(0.5)
    assert piles.versions([spheres, boxes]) == dict.fromkeys(map(str.lower, piles.PEERS), "1.0")
