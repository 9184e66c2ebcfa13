"""Lossless impacts: a run always ends, either at t_end or with a status."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb


@pytest.mark.parametrize("degrees", [50.0, 60.0, 75.0])
def test_reversed_sliding_takes_the_same_part_of_every_impact(degrees: float) -> None:
    """(8.104)-(8.114) with v_0 = 0, mu = e_N = 1: γ_NE = -tan(φ_0 - 45°) γ_NA, down to rest.

    Slip lasts throughout compression, however slow it is. When slip of 1e-11 rad/s counted as zero,
    friction returned all of the energy and the impacts never ended.
    """
    pendulum = nsmb.systems.impact_pendulum(v_0=0.0, phi_0=np.radians(degrees), reversed_sliding=1)
    sol = nsmb.simulate(pendulum, 4.0)
    assert sol.status == "finished"
    impacts = sol.events.of_kind("impact")
    ratios = -impacts.u_plus[:, 0] / impacts.u_minus[:, 0]
    # The last impact ends at rest.
    np.testing.assert_allclose(ratios[:-1], np.tan(np.radians(degrees - 45.0)), rtol=1e-4)
    assert abs(impacts.u_minus[-1, 0]) < 1e-9
    assert sol.u[-1, 0] == pytest.approx(0.0, abs=1e-12)
    assert sol.q[-1, 0] == pytest.approx(np.radians(degrees), abs=1e-9)


def between_walls(gap: float, *, speed: float = 1.0, e_N: float = 1.0) -> nsmb.System:
    law = nsmb.ContactLaw(e_N=e_N)
    walls = [
        nsmb.Contact(w_N=[1.0], gap=0.0, law=law, name="left"),
        nsmb.Contact(w_N=[-1.0], gap=gap, law=law, name="right"),
    ]
    start = nsmb.State(0.0, np.array([0.5 * gap]), np.array([speed]))
    return nsmb.LinearSystem([[1.0]], contacts=walls, coordinates=["x"], initial_state=start)


def pushed_together(gap: float) -> nsmb.System:
    """Two masses that bounce between each other and two walls."""
    law = nsmb.ContactLaw(e_N=1.0)
    contacts = [
        nsmb.Contact(w_N=[1.0, 0.0], gap=gap, law=law, name="left"),
        nsmb.Contact(w_N=[-1.0, 1.0], gap=gap, law=law, name="middle"),
        nsmb.Contact(w_N=[0.0, -1.0], gap=gap, law=law, name="right"),
    ]
    start = nsmb.State(0.0, np.zeros(2), np.array([1.0, -1.0]))
    return nsmb.LinearSystem(np.eye(2), contacts=contacts, initial_state=start)


def held_down(height: float) -> nsmb.System:
    """A ball that bounces without loss, hardly above its floor."""
    floor = nsmb.Contact(w_N=[1.0], gap=0.0, law=nsmb.ContactLaw(e_N=1.0), name="floor")
    start = nsmb.State(0.0, np.array([height]), np.zeros(1))
    return nsmb.LinearSystem([[1.0]], force=[-10.0], contacts=[floor], initial_state=start)


def sprung(height: float) -> nsmb.System:
    """The same system by functions, on an arc: it is not linear."""
    floor = nsmb.Contact(
        lambda t, q: float(np.sin(q[0])),
        w_N=lambda t, q: np.cos(q),
        law=nsmb.ContactLaw(e_N=1.0),
        name="floor",
        w_tilde_N=lambda t, q: 0.0,
        w_bar_N=lambda t, q, u: float(-np.sin(q[0]) * u[0] ** 2),
    )
    start = nsmb.State(0.0, np.array([height]), np.zeros(1))
    return nsmb.CallbackSystem(
        ["x"], [[1.0]], lambda t, q, u: [-10.0], [floor], initial_state=start
    )


@pytest.mark.parametrize("law", ["poisson", "newton", "moreau"])
@pytest.mark.parametrize(
    ("system", "names"),
    [
        (between_walls(1e-9), ("left", "right")),
        (pushed_together(1e-9), ("left", "middle", "right")),
    ],
    ids=["ball", "two masses"],
)
def test_a_cycle_that_cannot_reach_the_end_ends_with_a_status(
    system: nsmb.System, names: tuple[str, ...], law: str
) -> None:
    sol = nsmb.simulate(system, 10.0, method=nsmb.EventDriven(impact_law=law), throw=False)
    assert sol.status == "event_limit"
    assert len(sol.events) < 20_000
    assert "without loss of energy" in sol.message
    assert "max_events" in sol.message
    assert any(f"'{name}'" in sol.message for name in names)
    speed = np.abs(sol.u).max()
    assert np.abs(sol.u[-1]).max() <= speed * (1.0 + 1e-9)


@pytest.mark.parametrize(
    "system",
    [between_walls(1e-11, speed=1e-2), held_down(1e-16), sprung(2e-15)],
    ids=["slow ball", "floor", "functions"],
)
def test_cycles_below_the_resolution_of_gaps_end(system: nsmb.System) -> None:
    """Contacts within the tolerance of gaps count as closed: their impacts release no energy."""
    method = nsmb.EventDriven(max_events=20_000)
    sol = nsmb.simulate(system, 10.0, method=method, throw=False)
    assert sol.status in ("finished", "event_limit")
    assert np.abs(sol.u[-1]).max() <= np.abs(sol.u[0]).max() + 1e-6


def test_contacts_that_meet_at_one_instant_without_loss_end() -> None:
    """All gaps are zero: both walls touch at the same instant, again and again."""
    sol = nsmb.simulate(between_walls(0.0), 1.0, throw=False)
    assert sol.status in ("finished", "event_limit", "no_impact_solution")
    assert np.abs(sol.u[-1, 0]) <= 1.0 + 1e-12


def test_a_lossless_motion_that_reaches_its_end_is_followed() -> None:
    """10,000 impacts at a constant rate: 1 m/s, 1e-4 m, 1 s."""
    sol = nsmb.simulate(between_walls(1e-4), 1.0)
    assert sol.status == "finished"
    assert len(sol.events) == pytest.approx(10_000, abs=1)


def test_slow_accumulation_is_no_cycle() -> None:
    """With e_N = 1 - 1e-6, 2000 impacts reduce speed and flight time by 0.2 %.

    A ball thrown at 1 m/s with g = 2e9 m/s² flies for 1e-9 s, and a million impacts do not bring it
    to rest.
    """
    floor = nsmb.Contact(w_N=[1.0], gap=0.0, law=nsmb.ContactLaw(e_N=1.0 - 1e-6), name="floor")
    start = nsmb.State(0.0, np.zeros(1), np.ones(1))
    ball = nsmb.LinearSystem([[1.0]], force=[-2e9], contacts=[floor], initial_state=start)
    method = nsmb.EventDriven(max_events=10_000, dense_output=False)
    sol = nsmb.simulate(ball, 1.0, method=method, output_step=0.0, throw=False)
    assert len(sol.events) == 10_001
    assert "Increase max_events to continue." in sol.message
