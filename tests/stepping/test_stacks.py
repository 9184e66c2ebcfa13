"""Boxes that fall onto one another remain a stack, for every step length."""

import warnings
from functools import cache

import numpy as np
import pytest

import nsmb

HALF = 0.1
END = 1.0


def stack(n: int) -> nsmb.System:
    """Boxes slightly rotated and offset, 5 cm apart, with mu = 0.4 and e_N = 0.2."""
    law = nsmb.ContactLaw(mu=0.4, e_N=0.2)
    model = nsmb.Model(gravity=(0.0, -9.81, 0.0))
    under = [model.ground.contour("floor", nsmb.geometry.Line((0.0, 0.0), (-1.0, 0.0)))]
    corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)]
    start = {}
    for k in range(n):
        box = model.add_body(f"b{k}", mass=1.0, inertia=2.0 / 3.0 * HALF**2)
        model.add_joint(f"j{k}", nsmb.joints.Planar(), model.ground, box)
        outline = box.contour("c", nsmb.geometry.Polygon(corners))
        for other in under:
            model.add_contact(outline, other, law)
        under.append(outline)
        askew = 0.02 * ((k * 3) % 3 - 1)
        start[f"j{k}"] = (0.01 * ((k * 7) % 5 - 2), 0.15 + 0.25 * k, askew)
    return model.build(start)


@cache
def run(n: int, step: float) -> tuple[nsmb.System, nsmb.Solution]:
    system = stack(n)
    method = nsmb.Midpoint(step)
    # Restitution in normal directions only, with friction, may create energy: at most 8e-8 J here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nsmb.EnergyGainWarning)
        return system, nsmb.simulate(system, END, method=method, output_step=step)


CASES: list[tuple[int, float]] = [
    (2, 1e-3),
    (4, 1e-3),
]


@pytest.mark.parametrize(("n", "step"), CASES)
def test_boxes_end_on_each_other(n: int, step: float) -> None:
    _, solution = run(n, step)
    # A box that would fall through its contact within a step is held above it, by at most its fall
    # in one step.
    hovering = n * 0.5 * 9.81 * step**2
    heights = HALF * (1.0 + 2.0 * np.arange(n))
    assert np.allclose(solution.q[-1].reshape(n, 3)[:, 1], heights, rtol=0.0, atol=hovering)
    assert np.abs(solution.u[-1]).max() < 1e-6


@pytest.mark.parametrize(("n", "step"), CASES)
def test_boxes_are_never_within_each_other(n: int, step: float) -> None:
    system, solution = run(n, step)
    depths = [
        max(system.overlaps(t, q).values(), default=0.0)
        for t, q in zip(solution.t, solution.q, strict=True)
    ]
    assert max(depths) < 1e-6


@pytest.mark.parametrize(("n", "step"), CASES)
def test_energy_is_never_above_that_of_the_start(n: int, step: float) -> None:
    system, solution = run(n, step)
    energy = [
        system.kinetic_energy(t, q, u) + system.potential_energy(t, q)
        for t, q, u in zip(solution.t, solution.q, solution.u, strict=True)
    ]
    assert max(energy) <= energy[0] * (1.0 + 1e-9)
