"""Ten rigid blocks that topple one another agree with closed-form motion about a corner.

The source, Ebrahimi (2007), section 5.6, has elastic blocks. By its figures each hits the next, at
one instant all have nearly the same angle, and the last one ends at about -π/2.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import nsmb
from nsmb.systems import toppling_blocks

G, M, H, L, OMEGA = 9.81, 4.0, 1.0, 0.3, 4.0
INERTIA = M * (H**2 + L**2) / 3.0  # about the corner


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    return nsmb.simulate(toppling_blocks())


def hits(sol: nsmb.Solution, k: int) -> nsmb.results.Events:
    points = [f"hit{k}[{i}]" for i in range(4)]
    return sol.events.of_kind("impact").at_contact(*points)


def rate(angle: float) -> float:
    """Return ω at a rotation angle of the block about its corner, by its energy."""
    height = 0.5 * (H * np.cos(angle) + L * np.sin(angle))
    return float(np.sqrt(OMEGA**2 - 2.0 * M * G * (height - 0.5 * H) / INERTIA))


def test_data_are_those_of_the_source() -> None:
    """Tipping angle, barrier and energy are computed from them."""
    assert np.arctan2(L, H) == pytest.approx(0.2915, abs=1e-4)
    barrier = M * G * 0.5 * (np.hypot(H, L) - H)
    assert barrier == pytest.approx(0.864, abs=2e-3)
    system = toppling_blocks()
    start = system.initial_state
    kinetic = system.kinetic_energy(0.0, start.q, start.u)
    assert kinetic == pytest.approx(0.5 * INERTIA * OMEGA**2, rel=1e-12)
    assert kinetic == pytest.approx(11.63, abs=5e-3)


@pytest.mark.parametrize("gap", [0.3, 0.4, 0.6])
def test_the_first_hit_is_where_a_block_on_its_corner_reaches_the_next(gap: float) -> None:
    """On a rough floor the hit is at H sin φ = gap, after ∫ dφ/ω."""
    sol = nsmb.simulate(toppling_blocks(n=2, mu=5.0, gap=gap), 0.4)
    angle = np.arcsin(gap / H)
    expected, _ = quad(lambda a: 1.0 / rate(a), 0.0, angle)
    first = hits(sol, 1)[0]
    assert first.t == pytest.approx(expected, abs=1e-8)
    before = sol.at(first.t, side="left")
    assert before.q[2] == pytest.approx(-angle, abs=1e-8)
    assert before.u[2] == pytest.approx(-rate(angle), abs=1e-7)


def test_blocks_topple_one_after_the_other_and_the_last_lies_flat(run: nsmb.Solution) -> None:
    first = [hits(run, k).t[0] for k in range(1, 10)]
    assert (np.diff(first) > 0.0).all()
    angles = run.q[-1, 2::3]
    assert angles[9] == pytest.approx(-np.pi / 2, abs=1e-7)
    assert ((angles[:9] < -1.0) & (angles[:9] > -1.3)).all()
    assert np.abs(run.u[-1]).max() < 1e-3


def test_at_one_instant_all_but_the_last_two_lean_alike(run: nsmb.Solution) -> None:
    late = run.t > hits(run, 9).t[0]
    assert np.ptp(run.q[late, 2:24:3], axis=1).min() < 0.05


def test_energy_is_lost_and_never_gained(run: nsmb.Solution) -> None:
    total = run.energy.total
    assert np.diff(total).max() < 1e-8
    assert run.energy.relative < 1e-8
    assert np.nanmin(run.g_N) > -1e-6


def test_a_block_that_is_too_slow_rocks() -> None:
    """½ I ω² is below the barrier.

    Each fall on the other corner multiplies its rate by 1 - 3/2 sin² α (Housner 1963), with sin² α
    = L²/(H² + L²).
    """
    slow = 0.95 * np.sqrt(2.0 * M * G * 0.5 * (np.hypot(H, L) - H) / INERTIA)
    sol = nsmb.simulate(toppling_blocks(n=2, omega=slow, mu=5.0), 3.0)
    assert len(hits(sol, 1)) == 0
    rocks = sol.events.of_kind("impact")
    assert len(rocks) >= 3
    for event in rocks:
        before, after = (abs(sol.at(event.t, side=side).u[2]) for side in ("left", "right"))
        assert after / before == pytest.approx(1.0 - 1.5 * L**2 / (H**2 + L**2), rel=1e-7)
    assert np.abs(sol.q[:, 2]).max() < np.arctan2(L, H)
