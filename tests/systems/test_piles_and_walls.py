"""Piles, pyramids, walls and chains of bodies obey balances of forces and momentum."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import box_pyramid, chain_on_floor, sphere_pile, wall

Array = NDArray[np.float64]
G = 9.81


class Run:
    """A run with samples at every n-th step and their contacts."""

    def __init__(
        self, system: nsmb.System, t_end: float, every: int = 1, tol: float | None = None
    ) -> None:
        method = system.recommended.method
        assert isinstance(method, nsmb.Midpoint)
        assert method.step is not None
        method = method if tol is None else dataclasses.replace(method, tol=tol)
        self.system, self.step = system, float(method.step or 0.0)
        sol = nsmb.simulate(system, t_end, method=method, output_step=every * self.step)
        assert sol.stats["missed_steps"] == 0
        self.t, self.q, self.u, self.energy = sol.t, sol.q, sol.u, sol.energy.total
        self.displaced: Array = sol._data["displaced_work"]
        self.found = sol.contacts.points

    @property
    def deepest(self) -> float:
        return float(-self.found.g_N.min(initial=0.0))

    def identities(self, sample: int) -> set[int]:
        rows = self.found.at(sample)
        found = set(rows.identity.tolist())
        assert len(found) == len(rows)
        return found

    def forces_of_ground(self) -> Array:
        """Return the forces of the ground on all bodies in N, shape (samples, 3)."""
        assert isinstance(self.system, nsmb.MultibodySystem)
        return self.found.force_on(self.system.bodies)


def masses(system: nsmb.System) -> Array:
    """Return the masses of bodies on free joints, with 6 x 6 blocks of M and central velocities."""
    start = system.initial_state
    return np.diag(system.mass_matrix(start.t, start.q))[::6]


# Stacks at rest --------------------------------------------------------------------------------


STACKS = [box_pyramid(rows=6), wall(rows=6, columns=4)]
each_stack = pytest.mark.parametrize("system", STACKS, ids=lambda s: s.name)


@pytest.fixture(scope="module")
def stacks() -> dict[str, Run]:
    """Return runs of 2,000 steps each, to 1e-8 of 0.05 m/s, the velocity of a fall for one step."""
    runs = {}
    for system in STACKS:
        method = system.recommended.method
        assert isinstance(method, nsmb.Midpoint)
        assert method.step is not None
        runs[system.name] = Run(system, 2000 * method.step, every=20, tol=1e-8)
    return runs


@each_stack
def test_a_stack_rests_where_it_is(stacks: dict[str, Run], system: nsmb.System) -> None:
    """Measured: 2e-9 m of displacement and 1e-10 m of depth after 2,000 steps."""
    run = stacks[system.name]
    assert run.t.size == 101
    assert np.abs(run.q - run.q[0]).max() < 1e-7
    assert run.deepest < 1e-8
    assert np.abs(run.u).max() < 1e-8


@each_stack
def test_the_floor_carries_the_weight_of_a_stack(
    stacks: dict[str, Run], system: nsmb.System
) -> None:
    run = stacks[system.name]
    weight = masses(system).sum() * G
    forces = run.forces_of_ground()[1:]
    np.testing.assert_allclose(forces[:, 2], weight, rtol=1e-7)
    assert np.abs(forces[:, :2]).max() < 1e-7 * weight


@each_stack
def test_contacts_of_a_stack_keep_their_identities(
    stacks: dict[str, Run], system: nsmb.System
) -> None:
    """Brick ends are coplanar, so that rounding decides if a corner or two edges touch there.

    Measured: two of 176 identities are replaced by others.
    """
    run = stacks[system.name]
    known = run.identities(1)
    assert len(known) > 50
    changing = 0 if system.name == "box_pyramid" else 4
    for k in range(2, run.t.size):
        assert len(run.identities(k)) == len(known)
        assert len(known - run.identities(k)) <= changing


@each_stack
def test_nothing_falls_where_solvers_leave_much(system: nsmb.System) -> None:
    """With a tolerance of 1e-5, contacts creep by up to 3e-8 m a step, beyond the closed gap.

    A contact lost for this reason would fall by g h² in a step, 4e-5 and 2.5e-4 m, in total 2e-4
    and 5e-4 m. Held contacts move by 4e-8 and 1.3e-7 m in 2 s.
    """
    method = system.recommended.method
    assert isinstance(method, nsmb.Midpoint)
    assert method.step is not None
    run = Run(system, 2.0, every=20, tol=1e-5)
    assert np.abs(run.q - run.q[0]).max() < 1e-6 < 0.03 * G * method.step**2
    assert run.deepest < 2e-7
    assert np.abs(run.u).max() < 1e-3 * G * method.step


def test_a_pyramid_and_a_wall_are_built_as_they_should() -> None:
    """All rows have the same length, and each joint has a brick above it."""
    assert box_pyramid(rows=4).nu == 6 * 10
    system = wall(rows=3, columns=4)
    x = system.initial_state.q.reshape(-1, 7)[:, 0]
    m = masses(system)
    lengths = m / (1800.0 * 0.115 * 0.071)
    rows = np.split(np.arange(13), [4, 9])
    assert [len(row) for row in rows] == [4, 5, 4]
    for row in rows:
        ends = np.array([x[row] - 0.5 * lengths[row], x[row] + 0.5 * lengths[row]])
        np.testing.assert_allclose(ends[0, 1:] - ends[1, :-1], 2e-3, atol=1e-12)
        np.testing.assert_allclose([ends.min(), ends.max()], [-0.483, 0.483], atol=1e-12)


# In motion -------------------------------------------------------------------------------------


def test_a_ball_that_hits_a_wall_gives_what_the_floor_does_not_take() -> None:
    """The friction impulse of the floor is at most μ times its normal impulse.

    The latter is weight times time plus the change of upward momentum.
    """
    system = wall(rows=5, columns=3, v=6.0)
    run = Run(system, 0.3)
    m = masses(system)
    momentum = np.einsum("b,tbi->ti", m, run.u.reshape(run.t.size, -1, 6)[:, :, :3])
    upwards = m.sum() * G * run.t + momentum[:, 2] - momentum[0, 2]
    taken = np.hypot(momentum[:, 0], momentum[:, 1] - momentum[0, 1])
    assert momentum[0, 1] == pytest.approx(6.0 * 7800.0 * 4.0 / 3.0 * np.pi * 0.08**3)
    assert (taken <= 0.6 * upwards + 1e-6 * momentum[0, 1]).all()
    assert taken[-1] > 0.01 * momentum[0, 1]
    # The forces in the table equal the change of momentum.
    change = np.diff(momentum, axis=0) / run.step
    change[:, 2] += m.sum() * G
    np.testing.assert_allclose(change, run.forces_of_ground()[1:], atol=1e-5 * m.sum() * G)
    # Rotating bricks are projected onto their gaps, which lifts them: 0.17 J in one step.
    assert np.diff(run.energy).max() < 5e-4 * run.energy[0]
    # Nothing but the projection adds energy.
    assert np.diff(run.energy + run.displaced).max() < 1e-9 * run.energy[0]


@pytest.fixture(scope="module")
def pile() -> Run:
    return Run(sphere_pile(), 2.0, every=10)


def test_a_pile_comes_to_rest_in_its_box(pile: Run) -> None:
    """Penetration is at most the displacement of half a step at the highest speed."""
    assert np.abs(pile.u[-1]).max() < 1e-6
    place = pile.q[-1].reshape(-1, 7)[:, :3]
    assert np.abs(place[:, :2]).max() < 0.2
    assert place[:, 2].min() > 0.0
    fastest = np.abs(pile.u.reshape(len(pile.u), -1, 6)[:, :, :3]).max()
    assert 1.0 < fastest < np.sqrt(2.0 * G * 1.0)
    assert pile.deepest < pile.step * fastest


def test_floor_and_walls_carry_the_pile(pile: Run) -> None:
    weight = masses(pile.system).sum() * G
    forces = pile.forces_of_ground()[-10:]
    np.testing.assert_allclose(forces, np.tile([0.0, 0.0, weight], (10, 1)), atol=1e-5 * weight)


def test_a_pile_loses_energy_and_gains_none(pile: Run) -> None:
    total = pile.energy
    assert total[-1] < 0.8 * total[0]
    assert np.diff(total).max() < 1e-6 * total[0]


def test_forces_of_a_pile_do_not_alternate() -> None:
    """Spheres that roll on one another for 0.04 s have smooth forces, except at loose contacts.

    Reversed small rates would change them by a tenth.
    """
    pile = sphere_pile()
    found = nsmb.simulate(
        pile, 0.62, output_step=1e-3, method=nsmb.Midpoint(1e-3, tol=1e-6)
    ).contacts.points
    changes = []
    for sample in range(580, 620):
        before, behind = found.at(sample), found.at(sample + 1)
        _, here, there = np.intersect1d(before.identity, behind.identity, return_indices=True)
        change = behind.lambda_N[there] - before.lambda_N[here]
        changes.append(np.linalg.norm(change) / np.linalg.norm(behind.lambda_N))
    assert np.median(changes) < 0.01


def test_the_seed_and_the_spread_of_a_pile_are_what_they_say() -> None:
    one, again, other = (sphere_pile(seed=seed).initial_state.q for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    same = masses(sphere_pile(n=7, spread=0.0, r=0.04, rho=1000.0))
    np.testing.assert_allclose(same, 1000.0 * 4.0 / 3.0 * np.pi * 0.04**3)
    radii = np.cbrt(masses(sphere_pile(n=200)) / (2500.0 * 4.0 / 3.0 * np.pi))
    assert 0.04 < radii.min() < 0.042
    assert 0.058 < radii.max() < 0.06
    assert (
        sphere_pile(n=500, spread=0.9)
        .find_contacts(0.0, sphere_pile(n=500, spread=0.9).initial_state.q)
        .g_N.size
        == 0
    )


def test_rolling_friction_keeps_a_heap_together() -> None:
    """On a floor without walls, from the same start, spheres without it roll indefinitely."""
    speed = []
    for mu_R in (0.0, 5e-3):
        system = sphere_pile(n=20, walls="floor", mu_R=mu_R, width=0.3)
        u = nsmb.simulate(system, 2.0).u[-1].reshape(-1, 6)
        speed.append(np.abs(u[:, :3]).max())
    assert speed[0] > 0.5
    assert speed[1] < 0.1


@pytest.fixture(scope="module")
def chain() -> Run:
    return Run(chain_on_floor(), 1.5, every=10)


def joints_of(run: Run, sample: int) -> Array:
    scene = run.system.scene
    assert scene is not None
    return scene.joints_at(float(run.t[sample]), run.q[sample])


def test_links_of_a_chain_keep_their_length(chain: Run) -> None:
    for k in range(0, chain.t.size, 10):
        places = joints_of(chain, k)
        assert len(places) == 11
        np.testing.assert_allclose(
            np.linalg.norm(np.diff(places, axis=0), axis=1), 0.06, atol=1e-12
        )


def test_a_chain_falls_freely_and_lies_on_the_floor_in_the_end(chain: Run) -> None:
    """It touches after √(2 H/g) = 0.143 s, and is at rest 1.5 s after the start."""
    falls = chain.t < 0.14
    z = chain.q[falls, 2]
    np.testing.assert_allclose(z, z[0] - 0.5 * G * chain.t[falls] ** 2, atol=1e-12)
    assert np.abs(chain.u[-1]).max() < 1e-5
    assert all(0.008 < place[2] < 0.07 for place in joints_of(chain, -1))  # one may stand upright
    link = np.pi * 0.01**2 * 0.06 + 4.0 / 3.0 * np.pi * 0.01**3
    weight = 12 * 7800.0 * link * G
    np.testing.assert_allclose(chain.forces_of_ground()[-1], [0.0, 0.0, weight], atol=1e-6)


@pytest.mark.parametrize(
    ("build", "values", "message"),
    [
        (sphere_pile, {"width": 0.05}, "parameter 'width': expected at least 0.122 m, got 0.05 m"),
        (sphere_pile, {"spread": 1.0}, "parameter 'spread': expected a number in"),
        (sphere_pile, {"walls": "tube"}, "parameter 'walls': expected one of 'floor'"),
        (box_pyramid, {"gap": 0.3}, "parameter 'gap': expected less than a = 0.2 m, got 0.3 m"),
        (box_pyramid, {"rows": 0}, "parameter 'rows': expected a number > 0, got 0"),
        (chain_on_floor, {"H": -0.1}, "parameter 'H': expected a number >= 0, got -0.1"),
        (wall, {"rho": 0.0}, "parameter 'rho': expected a number > 0"),
    ],
)
def test_data_out_of_range_are_refused(
    build: object, values: dict[str, float], message: str
) -> None:
    assert callable(build)
    with pytest.raises(ValueError, match=message):
        build(**values)
