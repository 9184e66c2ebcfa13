"""The tower of masses on a shaking table (E1) agrees with an enumeration of all modes.

In T1.1, ten masses that stick or slip to either side have 3^10 = 59049 combinations.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import nsmb
from tests.systems.examples import Array, accelerations, work

STICK, PLUS, MINUS = 0, 1, -1


def friction_limits(system: nsmb.System) -> Array:
    """Return μ λ_N of all contacts, where λ_N is the weight above."""
    n = system.nc
    weight = system.parameters["m"] * system.parameters["g"]
    mu = np.array([contact.law.mu for contact in system.contacts])
    return mu * weight * np.arange(n, 0, -1)


def enumerate_tower(
    system: nsmb.System, t: float, q: Array, gamma_T: Array
) -> tuple[Array, Array, int]:
    """Return all λ_T, shape (found, n), by (6.10), (6.11), their modes, and the number of trials.

    γ̇_T = G λ_T + b with the known normal forces. A contact with γ_T ≠ 0 has a given friction
    force.
    """
    p, n = system.parameters, system.nc
    D = np.eye(n) - np.eye(n, k=-1)
    force = p["m"] * p["amplitude"] * p["omega"] ** 2 * np.cos(p["omega"] * t) - p["c"] * q[:n]
    G, b, limit = D @ D.T / p["m"], D @ force / p["m"], friction_limits(system)
    choices = [
        (STICK, PLUS, MINUS) if g == 0.0 else ((PLUS,) if g > 0 else (MINUS,)) for g in gamma_T
    ]
    modes = np.array(list(itertools.product(*choices)))
    sticks = modes == STICK
    A = np.where(sticks[:, :, None], G, np.eye(n))
    right = np.where(sticks, -b, -modes * limit)
    lambda_T = np.linalg.solve(A, right[:, :, None])[:, :, 0]
    rate = lambda_T @ G + b
    tolerance = 1e-9 * np.abs(limit).max()
    free = gamma_T == 0.0
    good = np.where(sticks, np.abs(lambda_T) <= limit + tolerance, True)
    good &= np.where(~sticks & free, modes * rate >= -tolerance, True)
    found = good.all(axis=1)
    return lambda_T[found], modes[found], len(modes)


def random_state(n: int, seed: int, sliding: float) -> tuple[nsmb.System, float, Array, Array]:
    """Return a tower with random spring forces, in which some contacts already slide."""
    rng = np.random.default_rng(seed)
    system = nsmb.systems.mass_tower(n=n, c=25.0, mu=rng.uniform(0.1, 0.6), mu_top=0.4)
    q = np.concatenate([rng.uniform(-1.0, 1.0, n), np.zeros(n)])
    gamma_T = np.where(rng.uniform(0, 1, n) < sliding, rng.uniform(-1, 1, n), 0.0)
    return system, float(rng.uniform(0, 1)), q, gamma_T


def check_decision(n: int, seed: int, sliding: float) -> tuple[Array, int]:
    """Compare with the enumeration. Return the modes and the number of combinations."""
    system, t, q, gamma_T = random_state(n, seed, sliding)
    u = np.concatenate([np.cumsum(gamma_T), np.zeros(n)])
    sol = nsmb.simulate(system, t, t_start=t, q=q, u=u)
    lambda_T, modes, tried = enumerate_tower(system, t, q, gamma_T)
    assert len(lambda_T) == 1, "one combination is right"
    scale = friction_limits(system).max()
    np.testing.assert_allclose(sol.lambda_T[-1], lambda_T[0], rtol=0, atol=1e-12 * scale)
    states = {STICK: 1, PLUS: 2, MINUS: 3}
    assert sol.contact_state[-1].tolist() == [states[m] for m in modes[0].tolist()]
    return modes[0], tried


@pytest.mark.parametrize("sliding", [0.0, 0.4])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_decision_is_the_one_combination_that_enumeration_finds(n: int, sliding: float) -> None:
    seen = {tuple(check_decision(n, seed, sliding)[0]) for seed in range(6)}
    assert len(seen) > 1


def test_ten_masses_have_59049_combinations_and_one_is_right() -> None:
    """This is example T1.1."""
    modes, tried = check_decision(10, 1, 0.0)
    assert tried == 3**10 == 59049
    assert set(modes.tolist()) == {STICK, PLUS, MINUS}


def test_ten_masses_on_the_shaking_table_obey_the_laws_all_the_time() -> None:
    """Weights and friction cones hold, and the enumeration after every fourth event."""
    system = nsmb.systems.mass_tower(n=10)
    sol = nsmb.simulate(system, 4.0)
    assert len(sol.events) > 30
    assert set(sol.events.kinds) == {"stick", "slip", "reversal"}
    limit = friction_limits(system)
    weight = 10.0 * np.arange(10, 0, -1)
    np.testing.assert_allclose(sol.lambda_N, np.tile(weight, (len(sol.t), 1)), rtol=1e-12)
    assert (np.abs(sol.lambda_T) <= limit * (1 + 1e-10)).all()
    slips = np.where(sol.contact_state == 2, 1, 0) - np.where(sol.contact_state == 3, 1, 0)
    moving = slips != 0
    friction = np.broadcast_to(-limit, slips.shape) * slips
    np.testing.assert_allclose(sol.lambda_T[moving], friction[moving], rtol=1e-12)
    assert (sol.gamma_T[moving] * slips[moving] >= -1e-12).all()
    assert np.abs(sol.gamma_T[~moving]).max() < 1e-12
    for event in sol.events[::4]:
        row = int(np.flatnonzero(sol.t == event.t)[-1])
        gamma_T = np.where(np.abs(sol.gamma_T[row]) < 1e-11, 0.0, sol.gamma_T[row])
        lambda_T, _, _ = enumerate_tower(system, event.t, sol.q[row], gamma_T)
        assert len(lambda_T) >= 1  # at the limit sticking and slipping have equal forces
        # The event time has an error of 1e-12 s, and forces change by some 10 N/s.
        np.testing.assert_allclose(
            lambda_T, np.tile(sol.lambda_T[row], (len(lambda_T), 1)), rtol=0, atol=1e-7
        )


def test_energy_goes_into_friction_and_comes_from_the_table() -> None:
    system = nsmb.systems.mass_tower(n=6)
    sol = nsmb.simulate(system, 5.0, output_step=0.02)
    p = system.parameters

    def inertia(t: Array) -> Array:
        force = p["m"] * p["amplitude"] * p["omega"] ** 2 * np.cos(p["omega"] * t)
        return np.hstack([np.tile(force[:, None], 6), np.zeros((t.size, 6))])

    stored = 0.5 * p["m"] * (sol.u**2).sum(axis=1) + 0.5 * p["c"] * (sol.q[:, :6] ** 2).sum(axis=1)
    gained = work(sol, inertia) - sol.friction_loss[-1].sum()
    assert sol.friction_loss[-1].sum() > 1.0
    assert stored[-1] - stored[0] == pytest.approx(gained, abs=1e-11)


def test_equal_friction_moves_the_tower_like_one_block() -> None:
    """All contacts reach their limit together, so that accelerations are those of n = 1."""
    block = nsmb.simulate(nsmb.systems.mass_tower(n=1, mu=0.3, c=0.0), 3.0)
    tower = nsmb.simulate(nsmb.systems.mass_tower(n=5, mu=0.3, mu_top=0.3, c=0.0), 3.0)
    assert len(block.events) > 4
    times = np.linspace(0.0, 3.0, 101)
    np.testing.assert_allclose(
        tower.at(times).q[:, :5], np.tile(block.at(times).q[:, :1], 5), rtol=0, atol=1e-11
    )


def test_single_block_slips_as_long_as_the_closed_form_says() -> None:
    """From rest with A ω² > μ g, γ_T = A ω sin ω t - μ g t until it returns to zero."""
    system = nsmb.systems.mass_tower(n=1, mu=0.3, c=0.0)
    event = nsmb.simulate(system, 1.0).events[0]
    omega, t = 2 * np.pi, event.t
    assert 0.1 * omega * np.sin(omega * t) - 3.0 * t == pytest.approx(0.0, abs=1e-13)
    x = 0.1 * (1 - np.cos(omega * t)) - 1.5 * t**2
    assert event.q[0] == pytest.approx(x, abs=1e-13)


def test_tower_may_have_a_thousand_masses() -> None:
    system = nsmb.systems.mass_tower(n=1000)
    assert (system.nq, system.nc) == (2000, 1000)
    state = system.initial_state
    k = system.contact_kinematics(0.0, state.q, state.u)
    np.testing.assert_array_equal(k["W_N"][1000:].sum(axis=0), [1.0] + [0.0] * 999)
    np.testing.assert_array_equal(k["W_T"][:1000], k["W_N"][1000:])


def test_fifty_masses_decide_within_the_friction_cones() -> None:
    """Too many for enumeration, they are checked by the table (6.11) contact by contact."""
    rng = np.random.default_rng(2)
    system = nsmb.systems.mass_tower(n=50, c=25.0, mu=0.02, mu_top=0.02)
    q = np.concatenate([rng.uniform(-1, 1, 50), np.zeros(50)])
    sol = nsmb.simulate(system, 0.0, q=q)
    rate = accelerations(sol)[2]
    force, limit = sol.lambda_T[-1], friction_limits(system)
    nearest = np.clip(force - rate, -limit, limit)
    np.testing.assert_allclose(force, nearest, rtol=0, atol=1e-10 * limit.max())
    assert len(set(sol.contact_state[-1].tolist())) == 3
