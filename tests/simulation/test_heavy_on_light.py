"""Heavy bodies on light ones: forces that nearly cancel move nothing, to a mass ratio of 1e-8.

At rest, the normal forces of each gap add up to the weight above it. Bodies that slide together
have the acceleration of a point mass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

G, SIDE = 9.81, 0.1
T_END = 0.3


def stack(
    masses: Sequence[float],
    *,
    mu: float = 0.5,
    below: float | None = None,
    slope: float = 0.0,
    gap: float = 0.0,
) -> nsmb.System:
    """Boxes on one another, with friction ``below`` and ``gap`` under the uppermost box.

    ``below`` is the friction of the floor.
    """
    m = nsmb.Model(gravity=(G * np.sin(slope), -G * np.cos(slope)))
    half, start = SIDE / 2, {}
    support = m.ground.contour("floor", geometry.Line())
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    for k, mass in enumerate(masses):
        body = m.add_body(f"b{k}", mass=mass, inertia=mass * SIDE**2 / 6)
        m.add_joint(f"j{k}", joints.Planar(), m.ground, body)
        lift = gap if k == len(masses) - 1 else 0.0
        start[f"j{k}"] = (0.0, (k + 0.5) * SIDE + lift, 0.0)
        outline = body.contour("box", geometry.Polygon(corners))
        law = nsmb.ContactLaw(mu=below if k == 0 and below is not None else mu, e_N=0.0)
        m.add_contact(support, outline, law, f"c{k}")
        support = outline
    return m.build(initial=start)


def row(masses: Sequence[float], force: float) -> nsmb.System:
    """Discs in a row against a wall, without gravity; the last one is pressed."""
    m = nsmb.Model(gravity=(0.0, 0.0))
    start = {}
    support = m.ground.contour("wall", geometry.Line())
    for k, mass in enumerate(masses):
        body = m.add_body(f"b{k}", mass=mass, inertia=mass * SIDE**2 / 8)
        m.add_joint(f"j{k}", joints.Planar(), m.ground, body)
        start[f"j{k}"] = (0.0, (k + 0.5) * SIDE, 0.0)
        outline = body.contour("disc", geometry.Circle(SIDE / 2))
        m.add_contact(support, outline, nsmb.ContactLaw(mu=0.5), f"c{k}")
        support = outline
    m.add_load("press", body, lambda t, r, A, v, Omega: (0.0, -force, 0.0))
    return m.build(initial=start)


def cubes(masses: Sequence[float]) -> nsmb.System:
    """Shapes with contact at any point of their surface."""
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    start = {}
    m.ground.shape("floor", geometry.HalfSpace())
    for k, mass in enumerate(masses):
        body = m.add_solid(f"b{k}", geometry.Box((SIDE, SIDE, SIDE)), mass / SIDE**3)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        start[f"j{k}"] = (0.0, 0.0, (k + 0.5) * SIDE, 1.0, 0.0, 0.0, 0.0)
    m.collide(nsmb.ContactLaw(mu=0.5))
    return m.build(initial=start)


def load(system: nsmb.System, sol: nsmb.Solution, name: str) -> float:
    """Return the final sum of the normal forces of a contact with several points."""
    names = [contact.name.split("[")[0] for contact in system.contacts]
    return float(sum(sol.lambda_N[-1, k] for k, other in enumerate(names) if other == name))


def drawn(seed: int, most: int = 6) -> list[float]:
    rng = np.random.default_rng(seed)
    return list(10.0 ** rng.uniform(-4.0, 4.0, rng.integers(2, most + 1)))


# Masses for which the Lemke path ends on a ray, or at an inaccurate point.
HARD = [
    [2.0e-4, 70.7, 3.07e-3],
    [1.2e-2, 1.7e-4, 1.3e-4, 291.0, 2210.0, 7.3],
    [2.7e-4, 5.3e-2, 2.2e-3, 0.42, 187.0],
    [6480.0, 1.2e-4, 835.0, 7120.0, 5030.0, 1.9e-3],
    [1.0e-4, 1.0e4],
    [1.0e4, 1.0e-4, 1.0e4],
    [4.0, 1.1e-4, 213.0, 7.4e3],
]


@pytest.mark.parametrize("masses", HARD + [drawn(seed) for seed in range(25)], ids=str)
def test_a_stack_at_rest_stays_at_rest(masses: list[float]) -> None:
    system = stack(masses)
    sol = nsmb.simulate(system, T_END)
    assert len(sol.events) == 0
    assert np.abs(sol.q - system.initial_state.q).max() < 1e-9 * SIDE
    for k in range(len(masses)):
        assert load(system, sol, f"c{k}") == pytest.approx(G * sum(masses[k:]), rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_what_slides_as_one_moves_as_a_point(seed: int) -> None:
    slope, below = 0.2, 0.1
    masses = drawn(seed, most=3)  # higher ones may tip
    system = stack(masses, mu=0.5, below=below, slope=slope)
    sol = nsmb.simulate(system, T_END)
    way = 0.5 * G * (np.sin(slope) - below * np.cos(slope)) * T_END**2
    assert np.abs(sol.q[-1, 0::3] - way).max() < 1e-7 * way
    assert np.abs(sol.q[-1, 2::3]).max() < 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_a_row_pressed_to_a_wall_stays(seed: int) -> None:
    force = 10.0 ** np.random.default_rng(seed).uniform(-2.0, 3.0)
    masses = drawn(seed)
    system = row(masses, force)
    sol = nsmb.simulate(system, T_END)
    assert np.abs(sol.q - system.initial_state.q).max() < 1e-9 * SIDE
    for k in range(len(masses)):
        assert load(system, sol, f"c{k}") == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_what_falls_on_a_stack_without_restitution_stays(seed: int) -> None:
    gap, masses = 0.01, drawn(seed)
    system = stack(masses, gap=gap)
    sol = nsmb.simulate(system, T_END)
    assert sol.events.t[0] == pytest.approx(np.sqrt(2 * gap / G), rel=1e-12)
    rest = (np.arange(len(masses)) + 0.5) * SIDE
    assert np.abs(sol.q[-1, 1::3] - rest).max() < 1e-7 * SIDE
    assert load(system, sol, "c0") == pytest.approx(G * sum(masses), rel=1e-6)


@pytest.mark.parametrize(
    "masses", [[1e-2, 10.0], [1e-3, 1e2], [10.0, 1e-2, 100.0], [1e2, 1e-3]], ids=str
)
def test_cubes_at_rest_stay_at_rest(masses: list[float]) -> None:
    system = cubes(masses)
    sol = nsmb.simulate(system, 0.1)
    assert np.abs(sol.q - system.initial_state.q).max() < 1e-9 * SIDE
