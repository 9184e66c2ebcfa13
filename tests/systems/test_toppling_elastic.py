"""Elastic blocks that topple one another: rigid limit, closed-form statics, another method.

By the source, Ebrahimi (2007), section 5.6, each hits the next, at one instant all have nearly the
same angle, and the last one ends at about -π/2.
"""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb.systems import toppling_blocks
from tests.systems.test_toppling_blocks import rate

G, M, H, L, E = 9.81, 4.0, 1.0, 0.3, 2500.0
GAP = 0.4


def angles(sol: nsmb.Solution) -> np.ndarray:
    """Return the angles of the lower edges, shape (t, n)."""
    assert sol.system is not None
    names = sol.system.coordinates
    return sol.q[:, [k for k, name in enumerate(names) if name.endswith(".phi")]]


def first_hits(sol: nsmb.Solution) -> list[float]:
    """Return the times at which the upper corner of each first touches the next one."""
    impacts = sol.events.of_kind("impact")
    names = [name for name in sol.contact_names if name.startswith("hit") and name.endswith("_2")]
    return [impacts.at_contact(name).t[0] for name in names]


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    """Return a run with more damping, in which corners stop bouncing sooner: half the events."""
    return nsmb.simulate(toppling_blocks(elastic=True, beta=0.02))


def test_a_block_at_rest_sags_under_its_weight() -> None:
    """Without friction its mean vertical stress is half of that at its foot, M g/L."""
    sol = nsmb.simulate(toppling_blocks(n=1, elastic=True, omega=0.0, mu=0.0, beta=0.05), 3.0)
    sag, spread = -M * G * H / (2.0 * E * L), 0.3 * M * G / (2.0 * E)
    q = sol.q[-1]
    assert q[3:] == pytest.approx([spread, spread, sag, 0.0, sag], abs=1e-12)
    assert q[:3] == pytest.approx([-0.5 * spread, 0.0, 0.0], abs=1e-12)


def test_stiff_blocks_hit_as_rigid_ones() -> None:
    """With n = 2 on a rough floor, differences to rotation about the corner scale as 1/E."""
    from scipy.integrate import quad

    angle = np.arcsin(GAP / H)
    expected, _ = quad(lambda a: 1.0 / rate(a), 0.0, angle)
    late, ahead = [], []
    for modulus, beta in ((2.5e5, 5e-4), (2.5e6, 1e-4), (2.5e7, 3e-5)):
        system = toppling_blocks(n=2, mu=5.0, elastic=True, E=modulus, beta=beta)
        sol = nsmb.simulate(system, 0.2)
        hit = first_hits(sol)[0]
        late.append(abs(hit - expected))
        ahead.append(abs(sol.at(hit, side="left").q[2] + angle))
    # Measured: 6.3e-6, 7.1e-7, 7.1e-8 s and 1.4e-4, 1.4e-5, 1.4e-6 rad.
    assert late[1] == pytest.approx(7.1e-7, rel=0.05)
    assert late[2] == pytest.approx(0.1 * late[1], rel=0.05)
    assert ahead[1:] == pytest.approx([0.1 * ahead[0], 0.01 * ahead[0]], rel=0.1)


def test_blocks_topple_one_after_the_other_and_the_last_lies_flat(run: nsmb.Solution) -> None:
    hits = np.array(first_hits(run))
    assert (np.diff(hits) > 0.2).all()
    end = angles(run)[-1]
    assert end[9] == pytest.approx(-np.pi / 2, abs=5e-3)  # it still creeps; measured: 2.8e-3
    assert ((end[:9] < -1.0) & (end[:9] > -1.3)).all()
    late = run.t > hits[-1]
    assert np.ptp(angles(run)[late, :8], axis=1).min() < 0.05  # measured: 0.029 rad


def test_energy_is_lost_and_never_gained_and_nodes_stay_outside(run: nsmb.Solution) -> None:
    total = run.energy.total
    assert np.diff(total).max() < 1e-9 * total[0]
    assert run.energy.relative < 1e-6
    assert np.nanmin(run.g_N) > -1e-6


def test_in_flight_momentum_of_all_blocks_falls_by_their_weight_alone() -> None:
    """Two blocks above the floor hit each other, and their contact transfers momentum."""
    system = toppling_blocks(n=2, elastic=True, omega=0.0)
    q, u = system.initial_state.q.copy(), system.initial_state.u.copy()
    q[[1, 9]] = 10.0
    u[:3] = [2.0, 0.0, -0.5]
    sol = nsmb.simulate(system, 0.6, q=q, u=u)
    assert first_hits(sol)[0] < 0.4
    momenta = [system.momentum(t, q, u)[0] for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)]
    change = np.array(momenta)[:, :2] - momenta[0][:2]
    assert np.abs(change[:, 0]).max() < 1e-9 * abs(momenta[0][0])
    # Measured: 3e-9 N s, by the integration.
    assert change[:, 1] == pytest.approx(-2.0 * M * G * sol.t, abs=1e-7)


def test_a_scheme_that_finds_forces_topples_them_alike() -> None:
    """Three blocks run on position level with a Runge-Kutta map to their first touches.

    Gaps of points beyond the end of a side do not count.
    """
    system = toppling_blocks(n=3, elastic=True)
    events = nsmb.simulate(system, 1.0)
    h = 5e-4
    method = nsmb.PositionForces(h, mixing=0.5)
    sol = nsmb.simulate(system, 1.0, method=method, output_step=h)
    assert sol.stats["missed_steps"] == 0
    places = [sol.contact_names.index(f"hit{k}_2") for k in (1, 2)]
    pressed = [sol.t[sol.lambda_N[:, k] > 0.0][0] for k in places]
    assert pressed == pytest.approx(first_hits(events), abs=4.0 * h)
    assert angles(sol)[-1] == pytest.approx(angles(events)[-1], abs=0.02)
    on_floor = [k for k, name in enumerate(sol.contact_names) if name.startswith("floor")]
    assert sol.g_N[:, [*on_floor, *places]].min() > -1e-3


def test_what_elastic_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'elastic': expected 0 or 1, got 2"):
        toppling_blocks(elastic=2)
