"""Force elements beside rigid stops, which impacts switch on and off."""

from __future__ import annotations

from itertools import pairwise, product
from math import sqrt

import numpy as np
import pytest

import nsmb

G = 9.81
LAWS = ("relaxing_wall", "clipped", "elastic_gap", "gap_damper")
LIMITED = nsmb.EventDriven(max_events=2000, max_events_per_instant=50)


def ball(
    law: str, c: float, d: float, e_N: float, gap: float, q: float, u: float = 0.0
) -> nsmb.System:
    """Unit mass above a rigid stop at x = 0 and a soft one at x = -gap."""
    damping = 0.0 if law == "elastic_gap" else d
    soft = nsmb.GapForce(c, damping, law)  # type: ignore[arg-type]
    return nsmb.LinearSystem(
        [[1.0]],
        force=[-G],
        contacts=[nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=e_N), name="stop")],
        elements=[nsmb.ForceElement(w=[1.0], law=soft, gap=gap, name="soft")],
        initial_state=nsmb.State(0.0, np.array([q]), np.array([u])),
    )


def check_few_switches(sol: nsmb.Solution) -> None:
    """Between two impacts a force starts and ends at most once; an impact may also switch it."""
    switches = len(sol.events.of_kind("switch"))
    assert switches <= 3 * sol.stats["impacts"] + 2
    assert switches > 0


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("c", "d"), [(10.0, 10.0), (10.0, 1.0), (10.0, 0.1), (100.0, 1.0)])
def test_ball_bounces_on_a_stop_beside_a_force_element(law: str, c: float, d: float) -> None:
    """The soft layer, 0.1 m thick, is reached at v² = 9 + 2 g 0.9."""
    sol = nsmb.simulate(ball(law, c, d, 0.9, -0.1, 1.0, -3.0), 2.0, throw=False, method=LIMITED)
    assert sol.status == "finished"
    check_few_switches(sol)
    assert len(sol.events.of_kind("switch")) <= 20
    assert sol.g_N.min() > -1e-10
    if law != "clipped":
        first = sol.events.of_kind("switch")[0]
        speed = sqrt(9.0 + 1.8 * G)
        assert first.t == pytest.approx((speed - 3.0) / G, abs=1e-9)
        assert first.u_minus[0] == pytest.approx(-speed, abs=1e-8)
    if law != "gap_damper":
        assert sol.element_force.min() >= -1e-9
    impacts = sol.events.of_kind("impact")
    assert len(impacts) > 0
    np.testing.assert_allclose(impacts.u_plus, -0.9 * impacts.u_minus, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize(("c", "d", "opens"), [(10.0, 10.0, True), (100.0, 1.0, False)])
def test_impact_opens_a_relaxing_wall_iff_its_force_would_pull(
    c: float, d: float, opens: bool
) -> None:
    """ζ = -c γ - d γ': c 0.1 - d u⁺ after the impact."""
    sol = nsmb.simulate(
        ball("relaxing_wall", c, d, 0.9, -0.1, 1.0, -3.0), 0.5, throw=False, method=LIMITED
    )
    impact = sol.events.of_kind("impact")[0]
    assert (0.1 * c - d * impact.u_plus[0] < 0.0) == opens
    switches = sol.events.of_kind("switch").t
    at_once = np.isclose(switches, impact.t, rtol=0.0, atol=1e-14)
    assert at_once.sum() == opens
    behind = sol.at(impact.t + 1e-6)
    force = sol.element_force[np.searchsorted(sol.t, impact.t + 1e-3), 0]
    assert behind.u[0] > 0.0
    assert (force == 0.0) == opens


@pytest.mark.parametrize(
    ("law", "gap", "q"),
    [
        *product(LAWS, [0.0], [0.0]),
        *product(["elastic_gap", "gap_damper"], [0.0], [1.0]),
        *product(LAWS, [-1e-3], [0.0, 1.0]),
    ],
)
def test_ball_settles_beside_an_element_of_about_the_height_of_the_stop(
    law: str, gap: float, q: float
) -> None:
    """c 1 mm exceeds the weight: with gap = -1 mm the ball rests on the element alone."""
    c = 1.2e4
    sol = nsmb.simulate(ball(law, c, 10.0, 0.5, gap, q), 4.0, throw=False, method=LIMITED)
    assert sol.status == "finished"
    assert sol.g_N.min() > -1e-9
    if law == "clipped":
        assert sol.element_force.min() >= -1e-9
    if gap == 0.0:
        assert sol.contact_state[-1, 0] != nsmb.ContactState.OPEN
        assert abs(sol.u[-1, 0]) < 1e-10
    if law != "elastic_gap" and gap < 0.0:
        assert sol.q[-1, 0] == pytest.approx(-gap - G / c, abs=1e-5)


@pytest.mark.parametrize("law", ["clipped", "elastic_gap", "gap_damper"])
def test_oblique_bounces_to_rest_beside_a_flush_element(law: str) -> None:
    """Friction 0.1 is below the slope of the load: the mass slides on after the bounces."""
    n, along = np.array([0.6, 0.8]), np.array([0.8, -0.6])
    soft = nsmb.GapForce(1e4, 0.0 if law == "elastic_gap" else 10.0, law)  # type: ignore[arg-type]
    contact = nsmb.Contact(w_N=n, w_T=along, law=nsmb.ContactLaw(mu=0.1, e_N=0.5))
    load = np.array([0.3 * -G, -G])
    system = nsmb.LinearSystem(
        np.eye(2),
        force=load,
        contacts=[contact],
        elements=[nsmb.ForceElement(w=n, law=soft)],
        initial_state=nsmb.State(0.0, n, np.array([0.1, 0.0])),
    )
    sol = nsmb.simulate(system, 3.0, throw=False, method=LIMITED)
    assert sol.status == "finished"
    check_few_switches(sol)
    impacts = sol.events.of_kind("impact").t
    assert impacts[-1] < 2.0
    gaps = [b - a for a, b in pairwise(impacts)]
    assert gaps[-1] < 1e-6
    a = load @ along + 0.1 * load @ n
    late = [sol.at(t).u for t in (2.2, 3.0)]
    np.testing.assert_allclose((late[1] - late[0]) @ along, 0.8 * a * np.sign(a), rtol=1e-9)
    np.testing.assert_allclose(late @ n, 0.0, atol=1e-10)


@pytest.mark.parametrize("e_N", [0.0, 0.5, 0.9])
def test_ball_settles_on_a_stop_flush_with_a_relaxing_wall(e_N: float) -> None:
    """The wall closes at every impact and opens at once, because its force would pull."""
    ball = nsmb.LinearSystem(
        [[1.0]],
        force=[-9.81],
        contacts=[nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=e_N))],
        elements=[nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(1.2e4, 10.0))],
    )
    sol = nsmb.simulate(ball, 2.0, q=[1.0], method=nsmb.EventDriven(max_events=500))
    assert sol.element_force.min() >= 0.0
    assert sol.g_N.min() > -1e-14


def test_mode_of_a_force_element_is_known_right_after_reset() -> None:
    """Unit mass with a spring that touches it for x < 0."""
    for law in ("elastic_gap", "gap_damper", "clipped", "relaxing_wall"):
        soft = nsmb.GapForce(100.0, 0.0 if law == "elastic_gap" else 1.0, law)  # type: ignore[arg-type]
        system = nsmb.LinearSystem([[1.0]], elements=[nsmb.ForceElement(w=[1.0], law=soft)])
        sim = nsmb.Simulator(system)
        for x, acts in ((-0.1, 1), (0.1, 0), (-0.2, 1)):
            sim.reset(q=[x], u=[0.0])
            assert sim.element_mode.tolist() == [acts]
