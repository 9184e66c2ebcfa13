"""Sparse solvers: every method against closed forms, the laws in NumPy, and the other methods."""

from functools import partial

import numpy as np
import pytest

from nsmb.complementarity import friction
from tests.complementarity.arches import arch_problem
from tests.complementarity.rigid_contacts import Disc, Problem, violation
from tests.complementarity.sparse_piles import GRAVITY, Pile, sphere_pile, tower
from tests.oracles import friction_cones as cones

METHODS: list[friction.Method] = [
    "auto",
    "gauss_seidel",
    "projected_gradient",
    "admm",
    "newton",
    "interior_point",
]


solve = partial(friction.solve, storage="sparse")


def laws(pile: Pile) -> cones.Contacts:
    if pile.mu_R is None:
        return cones.Contacts([[(2, mu)] for mu in pile.mu])
    return cones.Contacts(
        [[(2, mu), (2, mu_R)] for mu, mu_R in zip(pile.mu, pile.mu_R, strict=True)]
    )


def assert_obeys_the_laws(pile: Pile, result: friction.FrictionResult) -> None:
    """Check y from the matrices, in extended precision; violations in units of q and x."""
    assert result.success, result
    y = pile.W() @ result.x + pile.q()
    size = np.linalg.norm(pile.q())
    assert np.abs(y - result.y).max() < 1e-11 * size
    worst = cones.violations(laws(pile), result.x, y)
    forces = max(1.0, float(np.abs(result.x).max()))
    # tol 1e-8 of a natural map of all rows bounds each statement up to the size of its other factor
    assert worst["negative"] < 1e-7 * size
    assert worst["outside"] < 1e-7 * size
    assert max(worst["together"], worst["power"]) < 1e-7 * size * max(forces, size)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("angle", "mu"), [(0.2, 0.3), (0.5, 0.3), (0.5, 0.0), (1.2, 2.0)])
def test_a_block_on_an_incline_sticks_below_the_angle_of_friction(
    method: friction.Method, angle: float, mu: float
) -> None:
    mass, step = 2.0, 0.01
    push = mass * GRAVITY * step
    axes = np.eye(3)
    f = push * np.array([-np.cos(angle), np.sin(angle), 0.0])
    problem = friction.FrictionProblem.from_bodies(mass * np.eye(3), axes, f, np.zeros(3), mu)
    result = solve(problem, method, tol=1e-13)
    slides = max(0.0, np.sin(angle) - mu * np.cos(angle)) * push / mass
    assert result.v is not None
    np.testing.assert_allclose(result.v, [0.0, slides, 0.0], atol=1e-13)
    np.testing.assert_allclose(result.x[0], np.cos(angle) * push, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_piles_of_spheres_obey_the_laws(method: friction.Method, seed: int, mu: float) -> None:
    pile = sphere_pile(seed, 25, mu)
    assert_obeys_the_laws(pile, solve(pile.bodies(), method))


# Methods for the convex problem with a fixed De Saxcé term need not converge with large friction.
@pytest.mark.parametrize("method", ["auto", "gauss_seidel", "newton", "interior_point"])
@pytest.mark.parametrize("seed", range(4))
def test_piles_with_large_friction_obey_the_laws(method: friction.Method, seed: int) -> None:
    pile = sphere_pile(seed, 25, 2.0)
    assert_obeys_the_laws(pile, solve(pile.bodies(), method))


@pytest.mark.parametrize("method", ["auto", "interior_point"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("thickness", [0.1, 0.12])
def test_arches_a_little_out_of_place_are_solved(
    method: friction.Method, seed: int, thickness: float
) -> None:
    """Forces are not unique, and slips of 1e-6 times q decide which of them are right.

    Sweeps, ADMM and Newton's method after them end at residuals of up to 3e-5.
    """
    problem, W, q = arch_problem(seed, thickness=thickness, apart=1e-6)
    result = solve(problem, method)
    assert result.success, result
    contacts = cones.Contacts([[(2, 0.7)]] * (len(q) // 3))
    worst = cones.violations(contacts, result.x, W @ result.x + q)
    size, forces = np.linalg.norm(q), float(np.abs(result.x).max())
    assert worst["negative"] < 1e-7 * size
    assert worst["outside"] < 1e-7 * size
    assert max(worst["together"], worst["power"]) < 1e-7 * size * max(forces, size)


def test_an_interior_point_is_not_asked_for_other_laws() -> None:
    result = solve(sphere_pile(0, 10, 0.4, mu_R=0.1).bodies(), "interior_point")
    assert not result.success
    assert result.factorizations == 0


@pytest.mark.parametrize("seed", range(2))
def test_mass_ratios_of_a_million_obey_the_laws(seed: int) -> None:
    pile = sphere_pile(seed, 20, 0.5, ratio=1e6)
    assert_obeys_the_laws(pile, solve(pile.bodies(), max_time=60.0))


def mixed_problem(seed: int) -> tuple[np.ndarray, np.ndarray, list[friction.ContactBlock]]:
    """A contact, an ellipse with a bound, a planar contact, friction alone, and free rows."""
    blocks = [
        friction.ContactBlock(mu=0.5),
        friction.ContactBlock(mu=0.3, bound=0.2, aspect=0.6),
        friction.ContactBlock(mu=0.7, tangents=1),
        friction.ContactBlock(normal=False, bound=0.4),
        friction.ContactBlock(normal=False, tangents=1, mu=0.2, normal_of=0),
        friction.ContactBlock(normal=False, tangents=0, free=2),
    ]
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(13, 16))
    return G @ G.T / 16.0, rng.normal(size=13), blocks


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("method", ["auto", "gauss_seidel", "newton"])
def test_mixed_parts_have_the_motion_of_the_dense_solver(
    method: friction.Method, seed: int
) -> None:
    W, q, blocks = mixed_problem(seed)
    problem = friction.FrictionProblem.local(W, q, blocks=blocks)
    result = solve(problem, method, tol=1e-11)
    assert result.success
    dense = friction.solve(problem, storage="dense")
    assert dense.success
    discs = [
        Disc((1, 2), 0, 0.5),
        Disc((4, 5), 3, 0.3, 0.2, 0.6),
        Disc((7,), 6, 0.7),
        Disc((8, 9), None, 0.0, 0.4),
        Disc((10,), 0, 0.2),
    ]
    for x in (result.x, dense.x):
        assert violation(Problem(W, q, [0, 3, 6], discs), x) < 1e-10
    # W is regular here; with mu below one the solution was unique in all problems.
    np.testing.assert_allclose(result.x, dense.x, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_planar_contacts_solve_the_enumerated_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(6, 8))
    W, q = G @ G.T, rng.normal(size=6)
    problem = friction.FrictionProblem.local(W, q, 0.4, dimension=2)
    result = solve(problem, tol=1e-12)
    assert result.success
    exact = friction.solve(problem, "polyhedral", tol=1e-12)
    assert exact.success
    np.testing.assert_allclose(result.y, exact.y, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_local_and_global_form_have_the_same_motion(seed: int) -> None:
    pile = sphere_pile(seed, 20, 0.3)
    one = solve(pile.bodies(), tol=1e-11)
    other = solve(pile.local(), tol=1e-11)
    assert one.success
    assert other.success
    np.testing.assert_allclose(one.y, other.y, atol=1e-8)


@pytest.mark.parametrize("mu_R", [0.0, 0.05])
def test_rolling_friction_obeys_the_laws(mu_R: float) -> None:
    pile = sphere_pile(5, 15, 0.4, mu_R=mu_R)
    assert_obeys_the_laws(pile, solve(pile.bodies(), max_time=20.0))


def test_a_tower_with_dependent_contacts_stands() -> None:
    pile = tower(8)
    result = solve(pile.bodies(), max_time=20.0)
    assert_obeys_the_laws(pile, result)
    assert result.v is not None
    np.testing.assert_allclose(result.v, 0.0, atol=1e-7)


@pytest.mark.parametrize("impulse_scale", [None, 1.0])
@pytest.mark.parametrize(
    ("masses", "tol"),
    [
        ((1.0, 1e6), 1e-8),
        ((1e3, 1e-3, 1e3), 1e-8),
        ((1.0, 1e2, 1e4, 1e6), 1e-8),
        ((1e-3, 1.0, 1e3, 1e6), 1e-6),
    ],
)
def test_heavy_cuboids_stand_on_light_ones(
    masses: tuple[float, ...], tol: float, impulse_scale: float | None
) -> None:
    """The forces at the four corners of a face are not unique; their sum is the weight above."""
    pile = tower(len(masses), masses=masses)
    result = solve(pile.bodies(), "newton", tol=tol, impulse_scale=impulse_scale)
    assert result.success
    assert result.factorizations <= 40
    assert result.v is not None
    np.testing.assert_allclose(result.v, 0.0, atol=0.2 * tol)
    normal = result.x[::3].reshape(-1, 4).sum(axis=1)
    above = np.cumsum(np.array(masses)[::-1])[::-1] * GRAVITY * 0.01
    np.testing.assert_allclose(normal, above, rtol=tol)


@pytest.mark.parametrize("rows", [3, 5])
def test_the_residual_is_the_natural_map_of_the_cones(rows: int) -> None:
    pile = sphere_pile(3, 12, 0.5, mu_R=0.1 if rows == 5 else None)
    rng = np.random.default_rng(0)
    for scale in (1.0, 0.1):
        x = rng.normal(size=pile.H.shape[1])
        y = pile.W() @ x + pile.q()
        expected = cones.natural_map(laws(pile), x, y, scale) / np.linalg.norm(pile.q())
        actual = friction.residual(pile.bodies(), x, impulse_scale=scale)
        assert actual == pytest.approx(expected, rel=1e-9)


def test_the_residual_without_a_scale_is_independent_of_units() -> None:
    pile = sphere_pile(3, 12, 0.5)
    x = np.random.default_rng(1).normal(size=pile.H.shape[1])
    W, q = pile.W(), pile.q()
    here = friction.FrictionProblem.local(W, q, pile.mu)
    there = friction.FrictionProblem.local(1e-6 * W, 1e3 * q, pile.mu)
    assert friction.residual(here, x) == pytest.approx(friction.residual(there, 1e9 * x), rel=1e-12)


@pytest.mark.parametrize("form", ["global", "local"])
def test_threads_change_no_bit(form: str) -> None:
    pile = sphere_pile(1, 40, 0.4)
    problem = pile.bodies() if form == "global" else pile.local()
    results = [
        solve(problem, "gauss_seidel", max_iterations=20, tol=1e-14, threads=k) for k in (1, 2, 3)
    ]
    for other in results[1:]:
        assert results[0].x.tobytes() == other.x.tobytes()


def test_the_order_of_the_rows_of_bodies_changes_no_motion() -> None:
    """The rows of a sphere, whose M is diagonal, are only grouped where they are contiguous."""
    pile = sphere_pile(3, 30, 0.4)
    order = np.random.default_rng(5).permutation(len(pile.f))
    M, H, f = pile.M[np.ix_(order, order)], pile.H[order], pile.f[order]
    shuffled = friction.FrictionProblem.from_bodies(M, H, f, pile.w, pile.mu)
    results = [solve(p, tol=1e-11) for p in (pile.bodies(), shuffled)]
    assert all(result.success for result in results)
    assert np.count_nonzero(pile.M) == len(pile.f)
    v, w = results[0].v, results[1].v
    assert v is not None
    assert w is not None
    np.testing.assert_allclose(w, v[order], atol=1e-8 * np.abs(v).max())


def test_a_start_that_solves_is_returned() -> None:
    problem = sphere_pile(2, 20).bodies()
    first = solve(problem)
    again = solve(problem, x_start=first.x)
    assert again.iterations == 0
    assert again.method == "start"
    np.testing.assert_array_equal(again.x, first.x)


def test_a_budget_ends_with_the_best_point_and_its_residual() -> None:
    problem = sphere_pile(2, 60).bodies()
    result = solve(problem, "gauss_seidel", max_iterations=20, tol=1e-15)
    assert result.status is friction.FrictionStatus.ITERATION_LIMIT
    assert result.iterations == 20
    assert result.residual == friction.residual(problem, result.x)
    assert result.residual < friction.residual(problem, np.zeros(result.x.size))
    result = solve(problem, "gauss_seidel", max_time=1e-9, tol=1e-15)
    assert result.status is friction.FrictionStatus.TIME_LIMIT
