"""Measurements of other programs, with made-up programs in their place."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from benchmarks import fclib_peers, harness, pile_scenes, piles
from nsmb.complementarity.fclib import StoredProblem
from tests.complementarity.stored_problems import global_problem

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
TOLERANCE = 1e-8
FACTOR = 50.0  # error of the made-up solver over its tolerance


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes a module with an answer to every order."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return lambda body: write(tmp_path / "program.py", body)


def write(path: Path, body: str) -> None:
    lines = ["import json, sys, time", "import numpy as np", "for line in sys.stdin:"]
    lines += [f"    {part}" for part in ("order = json.loads(line)", *body.splitlines())]
    lines += ["    print(json.dumps(answer), flush=True)", ""]
    path.write_text("\n".join(lines))


def error_as_told(_: StoredProblem, x: np.ndarray) -> float:
    return FACTOR * float(x[0])


def stored() -> StoredProblem:
    return StoredProblem(global_problem(np.random.default_rng(3), 3, 4), "fclib")


def pinocchio(folder: Path, limit: float = 30.0) -> dict[str, dict[str, Any]]:
    with harness.Peer(sys.executable, "program", limit) as peer:
        return fclib_peers.pinocchio_runs(peer, stored(), TOLERANCE, folder, error_as_told)


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
    tmp_path: Path, program: Callable[[str], None]
) -> None:
    # Fifty times the tolerance is too much, five times is not; each run reports its own tolerance.
    body = (
        "np.save(order['answer'], [order['tolerance']])\n"
        "answer = {'time': 1e-3 / order['tolerance'], 'solved': True}"
    )
    program(body)
    found = pinocchio(tmp_path)
    assert found.keys() == fclib_peers.RULES.keys()
    for run in found.values():
        assert run["solved"]
        assert run["error"] == pytest.approx(5.0 * TOLERANCE)
        # the time to form W is added
        assert 1e-3 / (0.1 * TOLERANCE) <= run["time"] < 1e-3 / (0.1 * TOLERANCE) + 5.0


def test_a_solver_that_says_it_has_failed_is_asked_once_and_its_error_is_kept(
    tmp_path: Path, program: Callable[[str], None]
) -> None:
    program(
        "np.save(order['answer'], [order['tolerance']])\nanswer = {'time': 1.0, 'solved': False}"
    )
    for run in pinocchio(tmp_path).values():
        assert not run["solved"]
        assert run["error"] == pytest.approx(FACTOR * TOLERANCE)


def test_a_solver_beyond_its_limit_is_stopped_and_the_next_one_has_a_new_process(
    tmp_path: Path, program: Callable[[str], None]
) -> None:
    program(
        "time.sleep(60.0 if order['rule'] == 'OSQP' else 0.0)\n"
        "np.save(order['answer'], [1e-3 * order['tolerance']])\n"
        "answer = {'time': 1e-4, 'solved': True}"
    )
    found = pinocchio(tmp_path, limit=3.0)
    solved = {name: run["solved"] for name, run in found.items()}
    assert solved == {name: rule != "OSQP" for name, (rule, _) in fclib_peers.RULES.items()}


def test_a_program_that_ends_has_solved_nothing(
    tmp_path: Path, program: Callable[[str], None]
) -> None:
    program("sys.exit(3)\nanswer = {}")
    found = pinocchio(tmp_path)
    assert not any(run["solved"] for run in found.values())


def test_programs_race_with_the_bodies_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(_: str, name: str, scene: dict[str, Any]) -> dict[str, Any]:
        asked.append(name.lower())
        places = [*scene["spheres"]["r"], *scene["boxes"]["r"]]
        seconds = [2.0, 4.0] if name == "nsmb" else [1.0]
        poses = [[*place, 1.0, 0.0, 0.0, 0.0] for place in places]
        return {"seconds": seconds, "q": poses, "memory": 1, "memory of steps": 1}

    monkeypatch.setattr(piles, "run", run)
    peers = dict.fromkeys(piles.PEERS, "python")
    spheres, boxes = (
        piles.compare({**scene, "tol": 1e-6, "limit": 1.0}, peers)
        for scene in (pile_scenes.spheres_in_a_box(2, 2), pile_scenes.pyramid(2, 2))
    )
    assert spheres["peers"].keys() == {"MuJoCo", "Drake", "Siconos"}
    assert boxes["peers"].keys() == {"MuJoCo", "Siconos", "Box2D"}
    assert len(asked) == 2 + 6
    assert all((BENCHMARKS / f"piles_{name}.py").is_file() for name in asked)
    assert {name for name in asked if name != "nsmb"} <= harness.PROGRAMS.keys()
    # of the one step that both have done
    assert spheres["peers"]["Drake"]["over nsmb"] == pytest.approx(0.5)
