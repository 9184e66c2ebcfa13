"""Energy in steps, mainly for bodies whose shapes touch anywhere.

Where it is proven, steps create no energy; elsewhere energy gains are counted and raise a warning.
With γ_f the velocities due to forces alone, impulses change the kinetic energy by Λᵀ(γ_f + γ⁺)/2 =
Λᵀγ⁺ - ΛᵀGΛ/2. For ε = 0 that is not a gain, as Λ_N γ_N⁺ = 0 and Λ_T·γ_T⁺ <= 0. With ξ = γ⁺ + εγ⁻,
one ε at all contacts and no forces it is (Λᵀξ - (1 - ε) ΛᵀGΛ/2)/(1 + ε), and Λᵀξ <= 0 without
friction, or with ε_T = ε_N.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from nsmb.geometry import Frame
from tests.support.draws import numbers
from tests.support.methods import stepping

Array = NDArray[np.float64]

STEP = 2e-3
SIDES = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
PLACES = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]


def room(
    rng: np.random.Generator, law: nsmb.ContactLaw, count: int, cubes: float, gravity: float = 0.0
) -> nsmb.MultibodySystem:
    """Spheres and cubes, which keep their energy in free rotation, within six walls."""
    m = nsmb.Model(gravity=(0.0, 0.0, -gravity))
    for k, side in enumerate(SIDES):
        z = np.array(side, dtype=np.float64)
        x = np.roll(z, 1)
        frame = Frame(-z, np.column_stack([x, np.cross(z, x), z]))
        m.ground.shape(f"wall {k}", geometry.HalfSpace(), at=frame)
    initial, velocities = {}, {}
    places = rng.permutation(PLACES)
    for i in range(count):
        r = rng.uniform(0.15, 0.27)
        shape = geometry.Box(r * np.ones(3)) if rng.random() < cubes else geometry.Sphere(r)
        body = m.add_solid(f"b{i}", shape, float(10.0 ** rng.uniform(2.0, 4.0)))
        m.add_joint(f"b{i}", joints.Free(), m.ground, body)
        turn = rng.normal(size=4)
        initial[f"b{i}"] = np.concatenate([places[i], turn / np.linalg.norm(turn)])
        velocities[f"b{i}"] = rng.normal(size=6) * (3, 3, 3, 5, 5, 5)
    m.collide(law)
    return m.build(initial=initial, velocities=velocities)


def run(system: nsmb.MultibodySystem, t_end: float = 0.5, **options: float) -> nsmb.Solution:
    method = stepping(STEP, **options)
    ends = nsmb.simulate(system, t_end, method=method).step_t
    # At the ends of all steps, including those shortened by the touch of a fast body.
    return nsmb.simulate(system, t_end, method=method, output_times=ends)


def largest_gain(sol: nsmb.Solution) -> float:
    """Return the largest gain in one step, relative to the initial energy."""
    total = sol.energy.total
    return float(np.diff(total).max() / total[0])


seeds = st.integers(0, 2**31)


@settings(deadline=None, max_examples=25)
@given(seed=seeds, mu=numbers(0.0, 2.0), count=st.integers(1, 8))
def test_inelastic_bodies_gain_nothing_however_rough_they_are(
    seed: int, mu: float, count: int
) -> None:
    """ε = 0, no forces, no prescribed motion.

    The gain is rounding, 1e-15 measured, and what `tol` leaves of the largest velocity.
    """
    rng = np.random.default_rng(seed)
    sol = run(room(rng, nsmb.ContactLaw(mu=mu), count, cubes=0.5), tol=1e-10)
    assert largest_gain(sol) < 1e-10
    assert sol.stats["energy_gains"] == 0


@settings(deadline=None, max_examples=20)
@given(seed=seeds, e=numbers(0.0, 1.0), count=st.integers(1, 8))
def test_smooth_bodies_with_one_restitution_gain_nothing(seed: int, e: float, count: int) -> None:
    """1e-9 measured for e = 1, where all energy is kept and `tol` sets the error."""
    rng = np.random.default_rng(seed)
    sol = run(room(rng, nsmb.ContactLaw(mu=0.0, e_N=e), count, cubes=0.5), tol=1e-10)
    assert largest_gain(sol) < 1e-8


@settings(deadline=None, max_examples=20)
@given(seed=seeds, e=numbers(0.0, 1.0), mu=numbers(0.0, 1.0))
def test_rough_bodies_with_one_restitution_in_both_directions_gain_nothing(
    seed: int, e: float, mu: float
) -> None:
    rng = np.random.default_rng(seed)
    law = nsmb.ContactLaw(mu=mu, e_N=e, e_T=e)
    sol = run(room(rng, law, 6, cubes=0.5), tol=1e-10)
    assert largest_gain(sol) < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_elastic_bodies_keep_their_energy(seed: int) -> None:
    """Energy is kept even at contacts that the last impact opened and that still penetrate.

    With seed 1, such a corner without restitution once created 4 % of the energy. The error due to
    `tol`, at most 1e-8, does not count as a gain.
    """
    rng = np.random.default_rng(seed)
    sol = run(room(rng, nsmb.ContactLaw(mu=0.0, e_N=1.0), 8, cubes=0.5), 2.0)
    total = sol.energy.total
    assert np.abs(total / total[0] - 1.0).max() < 1e-7
    assert sol.stats["energy_gains"] == 0


@pytest.mark.parametrize("seed", range(4))
def test_under_forces_the_theorem_holds_for_the_impulses(seed: int) -> None:
    """Resting contacts rotate with their bodies within a step, which is an error of second order.

    It is not a gain of an impact, and none is counted.
    """
    rng = np.random.default_rng(seed)
    sol = run(room(rng, nsmb.ContactLaw(mu=0.5), 8, cubes=0.5, gravity=9.81), 1.0)
    assert sol.stats["energy_gains"] == 0
    assert sol.stats["impact_loss"] > 0.0


@settings(deadline=None, max_examples=20)
@given(seed=seeds)
def test_no_scheme_creates_energy_in_a_row_of_elastic_masses(seed: int) -> None:
    """Masses with ratios up to a hundred between two walls.

    Contacts that an impact opened and the next one reaches restitute like those that strike.
    Otherwise the energy would grow a thousandfold. Those that are sent back by this strike in the
    next step. If they counted as closed, up to four fifths of the energy would be lost.
    """
    rng = np.random.default_rng(seed)
    n = 4
    rows = np.vstack([np.eye(n)[:1], np.diff(np.eye(n), axis=0), -np.eye(n)[-1:]])
    law = nsmb.ContactLaw(e_N=1.0)
    contacts = [nsmb.Contact(w_N=w, gap=0.02, law=law, name=f"{i}") for i, w in enumerate(rows)]
    masses = 10.0 ** rng.uniform(-1.0, 1.0, n)
    start = nsmb.State(0.0, np.zeros(n), 2.0 * rng.normal(size=n))
    system = nsmb.LinearSystem(np.diag(masses), contacts=contacts, initial_state=start)
    method = nsmb.Midpoint(STEP)
    sol = nsmb.simulate(system, 0.5, method=method, output_step=STEP)
    kinetic = 0.5 * sol.u**2 @ masses
    assert np.abs(kinetic - kinetic[0]).max() < 1e-9 * kinetic[0]
    assert sol.stats["energy_gains"] == 0


# A rod that strikes with its end, at 45 degrees, and sticks.
ANGLE, E_N, V_X, V_Z = np.pi / 4, 0.9, 0.5, -1.0


def rod(
    e_N: float = E_N, floor_velocity: tuple[float, float, float] = (0, 0, 0)
) -> nsmb.MultibodySystem:
    """With a moving floor, the motion relative to the floor is the same."""
    m = nsmb.Model()
    body = m.add_solid("rod", geometry.Capsule(0.05, 1.0), 1000.0)
    m.add_joint("rod", joints.Free(), m.ground, body)
    floor, speed = m.ground, float(np.linalg.norm(floor_velocity))
    if speed > 0.0:
        floor = m.add_body("floor", mass=1.0, inertia=(1.0, 1.0, 1.0))
        motion = np.polynomial.Polynomial([0.0, speed])
        m.add_joint("drive", joints.Prismatic(floor_velocity), m.ground, floor, motion=motion)
    floor.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=1.0, e_N=e_N))
    z = 0.5 * np.cos(ANGLE) + 0.06
    turn = (np.cos(0.5 * ANGLE), 0.0, np.sin(0.5 * ANGLE), 0.0)
    v = np.array([V_X, 0.0, V_Z]) + floor_velocity
    return m.build(initial={"rod": (0, 0, z, *turn)}, velocities={"rod": (*v, 0, 0, 0)})


def test_a_gain_is_what_newton_s_restitution_gives_a_rod_that_sticks() -> None:
    """γ_N⁺ = -ε γ_N⁻, γ_T⁺ = 0 with M, in a plane: Λ = G⁻¹(γ⁺ - γ⁻), ΔT = Λᵀ(γ⁺ + γ⁻)/2 > 0."""
    system = rod()
    M = np.diag(system.mass_matrix(0.0, system.initial_state.q))
    m, J = M[0], M[4]
    # The lower end relative to the centre; the contact point is r further down.
    x, z = -0.5 * np.sin(ANGLE), -0.5 * np.cos(ANGLE) - 0.05
    w = np.array([[1.0, 0.0, z], [0.0, 1.0, -x]])  # of v_x, v_z, ω_y
    G = w @ np.diag([1.0 / m, 1.0 / m, 1.0 / J]) @ w.T
    before, behind = np.array([V_X, V_Z]), np.array([0.0, -E_N * V_Z])
    impulse = np.linalg.solve(G, behind - before)
    assert abs(impulse[0]) < impulse[1]  # sticks with μ = 1
    gain = 0.5 * impulse @ (before + behind)
    assert gain > 0.03 * 0.5 * m * (V_X**2 + V_Z**2)
    with pytest.warns(
        nsmb.EnergyGainWarning, match=r"created energy: 1, .* e_N = 0, or .* friction"
    ):
        sol = run(system, 0.03)
    assert sol.stats["energy_gains"] == 1
    assert sol.stats["largest_energy_gain"] == pytest.approx(gain, rel=1e-7)
    assert sol.energy.kinetic[-1] - sol.energy.kinetic[0] == pytest.approx(gain, rel=1e-7)
    assert sol.stats["impact_loss"] == pytest.approx(-gain, rel=1e-7)


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.4), (0.7, 0.0, 0.0), (-0.3, 0.5, -0.2)])
def test_a_gain_is_told_the_same_on_a_floor_that_moves(
    velocity: tuple[float, float, float],
) -> None:
    """Contacts depend on relative velocities only; energy from the drive is its work."""
    gains, losses = [], []
    for floor_velocity in ((0.0, 0.0, 0.0), velocity):
        with pytest.warns(nsmb.EnergyGainWarning, match="created energy: 1"):
            sol = run(rod(floor_velocity=floor_velocity), 0.03)
        gains.append(sol.stats["largest_energy_gain"])
        losses.append(sol.stats["impact_loss"])
    assert gains[1] == pytest.approx(gains[0], rel=1e-7)
    assert losses[1] == pytest.approx(losses[0], rel=1e-7)
    change = sol.energy.kinetic[-1] - sol.energy.kinetic[0]
    assert change == pytest.approx(gains[1] + sol.stats["drive_work"], rel=1e-7)


def test_without_restitution_the_same_rod_loses_energy() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sol = run(rod(e_N=0.0), 0.03)
    assert sol.stats["energy_gains"] == 0
    assert sol.energy.kinetic[-1] < sol.energy.kinetic[0]


def test_a_floor_that_moves_gives_energy_that_is_no_gain_of_an_impact() -> None:
    """A plate throws up a ball: the drive does the work."""
    m = nsmb.Model()
    plate = m.add_body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    rising = np.polynomial.Polynomial([0.0, 2.0])
    m.add_joint("lift", joints.Prismatic((0, 0, 1)), m.ground, plate, motion=rising)
    plate.shape("top", geometry.HalfSpace())
    ball = m.add_solid("ball", geometry.Sphere(0.1), 1000.0)
    m.add_joint("ball", joints.Free(), m.ground, ball)
    m.collide(nsmb.ContactLaw(e_N=1.0), None)
    sol = run(m.build(initial={"ball": (0, 0, 0.15, 1, 0, 0, 0)}), 0.1)
    assert sol.u[-1, 2] == pytest.approx(4.0, rel=1e-7)
    assert sol.stats["energy_gains"] == 0
    assert sol.stats["drive_work"] == pytest.approx(sol.energy.kinetic[-1] - sol.energy.kinetic[0])


def test_samples_within_a_step_that_strikes_are_of_one_of_its_sides() -> None:
    """A straight line from one velocity to the other would pass zero, without its energy."""
    h = 0.013
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5), name="floor")
    start = nsmb.State(0.0, np.array([1.0]), np.array([0.0]))
    system = nsmb.LinearSystem([[1.0]], force=[-10.0], contacts=[floor], initial_state=start)
    sol = nsmb.simulate(system, 0.6, method=nsmb.Midpoint(h), output_step=1e-3)
    impact = np.sqrt(0.2)
    near = np.abs(sol.t - impact) < h
    assert near.sum() > 20
    assert (np.abs(sol.u[near, 0]) > 0.45 * 10.0 * impact).all()
    # The dense output is one parabola, which differs from the two lines by an eighth of h times the
    # jump: the work of the weight on it is the same.
    jump = 1.5 * 10.0 * impact
    assert np.abs(sol.energy.residual).max() < 10.0 * h * jump / 8.0
    assert np.abs(sol.energy.residual)[~near].max() < 1e-12
