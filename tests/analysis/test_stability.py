"""Stability verdicts: undamped modes are not judged by the sign of rounding errors."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import nsmb
from nsmb import symbolic
from nsmb.analysis import continuation, equilibrium, modes
from nsmb.analysis.equilibria.small_motions import neutral_values

SCALES = [(1e-6, 1e-4), (1e-3, 1.0), (1.0, 1.0), (5.0, 1e4)]


def pendulum(m: float, length: float, ratio: float = 0.0) -> symbolic.LagrangianSystem:
    """Return a pendulum with a ratio of critical damping."""
    phi = symbolic.coordinates("phi")
    omega = symbolic.velocities(phi)
    p = symbolic.parameters(m=m, l=length, g=9.81, zeta=ratio)
    damping = 2 * p.zeta * sp.sqrt(p.g / p.l) * p.m * p.l**2
    return symbolic.LagrangianSystem(
        [phi],
        p.m * p.l**2 * omega**2 / 2,
        -p.m * p.g * p.l * sp.cos(phi),
        [-damping * omega],
        parameters=p,
    )


@pytest.mark.parametrize(("m", "length"), SCALES)
def test_a_pendulum_is_judged_alike_at_every_scale(m: float, length: float) -> None:
    hangs = equilibrium(pendulum(m, length))
    assert (hangs.stable, hangs.marginal) == (False, True)
    assert "marginally stable" in repr(hangs)
    for ratio, stable in ((1e-7, True), (-1e-7, False)):
        here = equilibrium(pendulum(m, length, ratio))
        assert (here.stable, here.marginal) == (stable, False)
    stands = equilibrium(pendulum(m, length), start=nsmb.State(0.0, [3.0], [0.0]))
    assert (stands.stable, stands.marginal) == (False, False)
    assert "unstable" in repr(stands)


def pair(k_2: float, d_1: float, coupling: float = 0.0) -> nsmb.LinearSystem:
    """Return two oscillators with ω = 2 and √k_2, the first with a damper."""
    K = np.diag([4.0, k_2]) + coupling * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return nsmb.LinearSystem(np.eye(2), K, np.diag([d_1, 0.0]))


@pytest.mark.parametrize("k_2", [4.0, 9.0, 4e8])
def test_what_happens_beside_an_undamped_pair_is_told_from_it(k_2: float) -> None:
    """This includes equal frequencies, for which eigenvectors are not unique."""
    assert equilibrium(pair(k_2, 0.0)).marginal
    beside = equilibrium(pair(k_2, 1e-6))
    assert beside.marginal
    assert beside.neutral is not None
    assert beside.neutral.sum() == 2
    driven = equilibrium(pair(k_2, -1e-6))
    assert not driven.stable
    assert not driven.marginal


def test_little_damping_through_a_coupling_counts() -> None:
    """Equal oscillators share the damping."""
    here = equilibrium(pair(4.0, 1e-6, coupling=0.5))
    assert here.stable
    assert here.eigenvalues.real == pytest.approx(np.full(4, -0.25e-6), rel=1e-3)


def test_equal_eigenvectors_are_no_doubt() -> None:
    """Critical damping has a double eigenvalue with one eigenvector of infinite condition."""
    assert equilibrium(nsmb.LinearSystem([[1.0]], [[4.0]], [[4.0]])).stable


def test_what_nothing_holds_is_marginal() -> None:
    """A free chain drifts. Rounding splits its double zero eigenvalue by a square root."""
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    free = equilibrium(nsmb.LinearSystem(np.eye(2), 5.0 * K, 0.1 * K))
    assert free.marginal


def test_a_loop_of_bodies_without_damping_is_marginal() -> None:
    """For a hanging four-bar linkage, constraints are solved at every evaluated position."""
    model = nsmb.Model(gravity=(0.0, -9.81))
    hinge = nsmb.joints.Revolute()
    arms = [model.add_body(name, mass=0.2, inertia=1e-3) for name in ("left", "right")]
    for name, x, arm in zip(("a", "b"), (0.0, 0.3), arms, strict=True):
        model.add_joint(name, hinge, model.ground, arm, at=(x, 0.0), at_2=(0.0, 0.1))
    bar = model.add_body("bar", mass=0.1, inertia=1e-3)
    model.add_joint("c", hinge, arms[0], bar, at=(0.0, -0.1), at_2=(-0.15, 0.0))
    model.add_loop("d", hinge, arms[1], bar, at=(0.0, -0.1), at_2=(0.15, 0.0))
    here = equilibrium(model.build())
    assert here.marginal


def test_a_branch_tells_marginal_points() -> None:
    """The branch starts without damping and continues with it."""
    branch = continuation(equilibrium(pendulum(1.0, 1.0)), "zeta", (0.0, 0.5))
    assert branch.marginal[0]
    assert not branch.marginal[1:].any()
    assert np.array_equal(branch.stable, branch.values > 0.0)


@pytest.mark.parametrize(("m", "length"), SCALES)
def test_modes_without_damping_have_the_ratio_zero(m: float, length: float) -> None:
    found = modes(pendulum(m, length), [0.0])
    assert found.neutral.all()
    assert found.growth == 0.0
    assert found.damping_ratios == pytest.approx([0.0], abs=0.0)
    damped = modes(pendulum(m, length, 1e-7), [0.0])
    assert not damped.neutral.any()
    assert damped.damping_ratios == pytest.approx([1e-7], rel=1e-2)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_errors_within_their_bound_are_covered_and_no_more(seed: int) -> None:
    """For conservative systems in any units, errors within the bound keep eigenvalues neutral.

    With damping of a thousand times the bound, none is neutral.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    G = rng.normal(size=(n, n))
    K = G @ G.T + 0.1 * np.eye(n)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, np.zeros((n, n))]])
    units = 10.0 ** rng.uniform(-4.0, 4.0, 2 * n)
    error = 1e-9 * np.abs(A)
    wrong = A + rng.uniform(-1.0, 1.0, A.shape) * error
    wrong[n:, n:] += 1e-9 * rng.uniform(-1.0, 1.0, (n, n))
    error[n:, n:] += 1e-9
    damped = wrong.copy()
    damped[n:, n:] -= 1e-6 * np.eye(n) * max(1.0, float(np.abs(K).max())) * n
    for matrix, expected in ((wrong, True), (damped, False)):
        scaled, bound = (part * units / units[:, None] for part in (matrix, error))
        neutral = neutral_values(scaled, bound, np.linalg.eigvals(scaled))
        assert neutral.all() == expected
        assert neutral.any() == expected
