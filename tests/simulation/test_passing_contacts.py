"""Contacts of bodies that fly past each other within one numerical step.

Free flight is integrated exactly for any step length, so steps are long, and a gap decreases and
grows again between any two points at which it is evaluated.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import nsmb
from tests.systems.examples import Array

GRAVITY = 9.81
END = 1.0


def first_touch(start: Array, u: Array, place: Array, reach: float) -> float:
    """Return the first time at which |p(t) - place| = `reach`, from a quartic; END if never."""
    fall = np.zeros(len(start))
    fall[-1] = -GRAVITY / 2
    square = sum(
        Polynomial([p, v, a]) ** 2 for p, v, a in zip(start - place, u, fall, strict=True)
    ) - Polynomial([reach**2])
    roots = square.roots()
    real = np.sort(roots[np.abs(roots.imag) < 1e-9].real)
    ahead = real[real > 0.0]
    return float(ahead[0]) if len(ahead) else END


def flight(rng: np.random.Generator, reach: float, dim: int) -> tuple[Array, Array]:
    """Return a velocity at the origin and a point near the flight.

    The flight passes it within 1.2 times `reach` in the first 0.8 s, far from the origin.
    """
    while True:
        u = rng.uniform(1.0, 4.0, dim)
        t = rng.uniform(0.1, 0.8)
        v = u - GRAVITY * t * np.eye(dim)[-1]
        aside = rng.normal(size=dim)
        aside -= aside @ v / (v @ v) * v
        aside *= rng.uniform(0.0, 1.2) * reach / np.linalg.norm(aside)
        place = u * t - 0.5 * GRAVITY * t**2 * np.eye(dim)[-1] + aside
        # Not close to grazing, where the last digits decide about a touch.
        if np.linalg.norm(place) > 2 * reach and abs(np.linalg.norm(aside) / reach - 1.0) > 1e-6:
            return u, place


def thrown(place: Array, ball: float, obstacle: float) -> nsmb.System:
    """A thrown ball, in the plane by bodies, in space by functions."""
    law = nsmb.ContactLaw(e_N=0.8)
    if len(place) == 3:
        touch = nsmb.Contact(
            gap=lambda t, q: np.linalg.norm(q - place) - ball - obstacle, law=law, name="touch"
        )
        return nsmb.CallbackSystem(
            ["x", "y", "z"],
            mass_matrix=np.eye(3),
            forces=lambda t, q, u: [0.0, 0.0, -GRAVITY],
            contacts=[touch],
        )
    model = nsmb.Model(gravity=(0, -GRAVITY))
    body = model.add_body("ball", mass=0.003, inertia=1e-7)
    model.add_joint("free", nsmb.joints.Planar(), model.ground, body)
    edge = nsmb.geometry.Circle(obstacle) if obstacle else nsmb.geometry.Point()
    model.add_contact(
        model.ground.contour("edge", edge, at=tuple(place)),
        body.contour("skin", nsmb.geometry.Circle(ball)),
        law,
        name="touch",
    )
    return model.build()


@pytest.mark.parametrize(
    ("dim", "ball", "obstacle"),
    [(2, 0.02, 0.0), (2, 1e-3, 0.0), (2, 0.05, 0.05), (3, 0.02, 0.01)],
    ids=["point", "small ball", "disc", "in space"],
)
def test_what_flies_past_an_edge_meets_it(dim: int, ball: float, obstacle: float) -> None:
    """The search for contacts within steps uses tangents of the gap.

    Before, half of the balls of 2 cm that meet a point passed through it. Times agree to 1e-7 s:
    gaps are resolved to 1e-8 m at speeds of some m/s, and grazing touches at 1e-6 of the reach are
    slower by 1e-3.
    """
    rng = np.random.default_rng(14)
    touches = 0
    for _ in range(40):
        u, place = flight(rng, ball + obstacle, dim)
        system = thrown(place, ball, obstacle)
        velocity = np.zeros(3)
        velocity[:dim] = u
        sol = nsmb.simulate(system, END, q=np.zeros(3), u=velocity)
        expected = first_touch(np.zeros(dim), u, place, ball + obstacle)
        times = sol.events.of_kind("impact").t
        if expected < END:
            touches += 1
            assert len(times) > 0, (u, place)
            assert times[0] == pytest.approx(expected, abs=1e-7), (u, place)
        else:
            assert len(times) == 0, (u, place)
    assert touches > 20
