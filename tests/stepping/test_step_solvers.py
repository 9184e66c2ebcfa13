"""The solver of a step, its budget, and the status of a step that misses the tolerance."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb.simulation.core_simulator import _SOLVERS, _SPARSE_SOLVERS

R, G = 0.1, 9.81
BALL = nsmb.systems.bouncing_ball()


def stepped(**options: Any) -> nsmb.Midpoint:
    return nsmb.Midpoint(2e-3, **options)


@cache
def heap() -> nsmb.MultibodySystem:
    """Two layers of four spheres, slightly offset."""
    rng = np.random.default_rng(3)
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(8):
        body = m.add_solid(f"b{k}", geometry.Sphere(R), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        x, y = 0.205 * np.array([k % 2, (k // 2) % 2]) + rng.uniform(-0.002, 0.002, 2)
        initial[f"j{k}"] = (x, y, 0.101 + 0.205 * (k // 4), 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.5))
    return m.build(initial=initial)


@cache
def fallen(solver: str, **options: Any) -> nsmb.Solution:
    return nsmb.simulate(heap(), 0.3, method=stepped(solver=solver, **options))


@pytest.mark.parametrize("kind", [nsmb.Midpoint, nsmb.Hybrid])
def test_solvers_of_many_contacts_are_those_of_the_core(kind: type) -> None:
    assert set(get_args(get_type_hints(kind)["solver"])) == set(_SPARSE_SOLVERS)


@pytest.mark.parametrize("kind", [nsmb.EventDriven, nsmb.PositionForces, nsmb.VelocityForces])
def test_solvers_of_few_contacts_are_those_of_the_core(kind: type) -> None:
    assert set(get_args(get_type_hints(kind)["solver"])) == set(_SOLVERS)


@pytest.mark.parametrize("solver", [name for name in _SPARSE_SOLVERS if name != "auto"])
def test_all_solvers_lead_to_one_motion(solver: str) -> None:
    """Impulses of dependent contacts may differ, velocities only by `tol` per step.

    There are 150 steps.
    """
    sol = fallen(solver)
    assert sol.stats["missed_steps"] == 0
    assert sol.step_residual.max() <= 1e-8
    np.testing.assert_allclose(sol.q[-1], fallen("auto").q[-1], atol=1e-6)


def test_threads_change_no_bit() -> None:
    """A thread that reaches the end of a sweep late must not see the next problem.

    The runs are repeated.
    """
    one = fallen("gauss_seidel")
    for threads in (2, 3, 3, 3, 3, 3):
        method = stepped(solver="gauss_seidel", threads=threads)
        sol = nsmb.simulate(heap(), 0.3, method=method)
        np.testing.assert_array_equal(sol.q, one.q)
        np.testing.assert_array_equal(sol.u, one.u)
        np.testing.assert_array_equal(sol.step_residual, one.step_residual)


@pytest.mark.parametrize("budget", [{"max_iterations": 1}, {"max_time": 1e-9}])
def test_a_step_over_its_budget_says_so_and_the_run_goes_on(budget: dict[str, float]) -> None:
    sol = fallen("gauss_seidel", **budget)
    status = nsmb.results.StepStatus
    missed = np.isin(sol.step_status, [status.MISSED, status.LOCKED])
    assert sol.status == "finished"
    assert missed.sum() == sol.stats["missed_steps"] > 10
    assert (sol.step_residual[missed] > 1e-8).all()
    assert (sol.step_residual[~missed] <= 1e-8).all()
    assert np.isfinite(sol.q).all()
    # One sweep per step, from the impulses of the last step, is enough to support a heap.
    if "max_iterations" in budget:
        assert sol.q.reshape(-1, 8, 7)[-1, :, 2].min() > 0.9 * R


def test_a_step_over_its_budget_may_end_the_run_and_names_its_shapes() -> None:
    method = stepped(solver="gauss_seidel", max_iterations=1, on_failure="stop")
    sol = nsmb.simulate(heap(), 0.3, method=method, throw=False)
    assert sol.status == "no_contact_solution"
    assert "above tol = 1e-08, at contacts 'ground.floor' on 'b" in sol.message
    assert sol.t[-1] < 0.3


def test_many_contacts_that_miss_are_counted_in_the_message() -> None:
    method = stepped(tol=1e-300, on_failure="stop")
    sol = nsmb.simulate(heap(), 0.3, method=method, throw=False)
    assert sol.status == "no_contact_solution"
    assert "'ground.floor'" in sol.message
    assert sol.message.count(" on ") <= 6


@pytest.mark.parametrize("solver", ["augmented_lagrangian", "polyhedral"])
def test_solvers_of_named_contacts_are_refused_for_found_ones(solver: str) -> None:
    with pytest.raises(
        ValueError, match=r"^solver: expected one of auto, newton, gauss_seidel, pr"
    ):
        nsmb.simulate(heap(), 0.1, method=stepped(solver=solver))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"solver": "lcp"}, "solver"),
        ({"max_time": 0.0}, "max_time"),
        ({"max_time": np.nan}, "max_time"),
        ({"max_iterations": -1}, "max_iterations"),
        ({"max_iterations": 1.5}, "max_iterations"),
        ({"threads": 0}, "threads"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected"):
        stepped(**options)
    with pytest.raises(ValueError, match=r"^solver: expected"):
        nsmb.EventDriven(solver="admm")  # type: ignore[arg-type]
