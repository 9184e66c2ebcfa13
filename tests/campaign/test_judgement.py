"""Justified early ends of runs are confirmed, and unjustified ones are found."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.campaign.findings import Findings
from tests.campaign.judgement import Instant, closes_in, instant, judge_accelerations, judge_end
from tests.campaign.runner import MORE_EVENTS, make, run_case, run_longer


def between_walls(v_left: float, v_right: float) -> Instant:
    """Return a mass between two touching walls, with the speeds of the walls towards it."""
    zero = np.zeros(2)
    return Instant(
        np.eye(1), np.array([-1.0]), np.array([0.3]), np.array([[1.0, -1.0]]), np.zeros((1, 2)),
        -np.array([v_left, v_right]), zero, zero, zero, zero, zero, np.arange(2),
    )  # fmt: skip


def test_walls_close_in_when_their_distance_gets_smaller_and_not_otherwise() -> None:
    assert closes_in(between_walls(0.2, -0.1))
    assert closes_in(between_walls(0.2, 0.0))
    assert not closes_in(between_walls(0.0, 0.0))
    assert not closes_in(between_walls(0.2, -0.2))
    assert not closes_in(between_walls(0.1, -0.2))


SETTLED = [
    ("energies", 4440, "proven by enumeration", "directions that turn with the motion"),
    ("bodies", 707, "proven by enumeration", "corners that meet corners"),
    ("bodies", 3807, "proven by enumeration", "corners that come to their sides just now"),
    ("bodies", 2398, "proven by enumeration", "a contact at the end of its bounces"),
    ("bodies", 2356, "forces without bound", "sticking that comes to a pole of its forces"),
    ("linear", 3630, "walls close in", "three walls, one of which moves"),
    ("linear", 5744, "proven by enumeration", "an impact after Moreau on a belt"),
    ("spatial", 158, "endless: restitution 1", "a foot that bounces beside two that slide"),
]


@pytest.mark.parametrize(
    ("family", "seed", "how"), [case[:3] for case in SETTLED], ids=[case[3] for case in SETTLED]
)
def test_a_run_that_ends_early_for_a_reason_is_settled(family: str, seed: int, how: str) -> None:
    outcome = run_case(family, seed)
    assert not outcome.findings
    assert outcome.is_settled
    assert any(how in note for note in outcome.notes), outcome.notes


def ended(sol: Any, status: str, message: str) -> Any:
    """Return the run with another final status."""
    return SimpleNamespace(
        status=status, message=message, t=sol.t, q=sol.q, u=sol.u, events=sol.events[:0]
    )


@pytest.mark.parametrize(("family", "seed"), [("linear", 43), ("energies", 0), ("bodies", 14)])
@pytest.mark.parametrize("message", ["has no solution", "becomes singular"])
def test_a_jam_that_is_none_is_found(family: str, seed: int, message: str) -> None:
    case = make(family, seed)
    sol = ended(case.run(), "no_contact_solution", message)
    found, notes = Findings(), []
    judge_end(case, sol, found, notes)
    assert found
    assert notes == ["no solution: false"]


@pytest.mark.parametrize("law", ["poisson", "moreau"])
def test_an_impact_without_solution_that_has_one_is_found(law: str) -> None:
    case = dataclasses.replace(make("linear", 0), method={"impact_law": law})
    sol = case.run()
    impact = sol.events[sol.events.kind == 0][0]
    before = SimpleNamespace(
        status="no_impact_solution", message="", events=sol.events[:0],
        t=np.array([impact.t]), q=impact.q[None], u=impact.u_minus[None],
    )  # fmt: skip
    found, notes = Findings(), []
    judge_end(case, before, found, notes)
    assert found
    assert notes == ["no solution: false"]


def test_a_run_with_too_many_events_is_given_more(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make("linear", 0)
    count = len(case.run().events)
    assert count > 1
    fewer = case.method | {"max_events": -(-count // MORE_EVENTS)}
    short = dataclasses.replace(case, method=fewer)
    assert short.run().status == "event_limit"
    monkeypatch.setattr("tests.campaign.runner.make", lambda family, seed: short)
    assert run_longer("linear", 0).status == "finished"


def test_a_side_a_corner_slides_off_is_no_contact() -> None:
    """Only two of four corners touch when a box slides on another one of equal width."""
    case = make("bodies", 707)
    at = instant(case, case.run())
    assert at is not None
    upper = at.take(at.mu == 0.0)
    assert len(upper.mu) == 2
    np.testing.assert_allclose(upper.speed, 0.0, atol=1e-15)


def test_sliding_up_a_plane_it_cannot_leave_has_no_solution_beyond_its_friction() -> None:
    """Painlevé's rod at 60 degrees with mu = 3 has A = 1/m (1 + 3 c (c - mu s)) < 0 and b < 0."""
    c, s = np.cos(np.pi / 3), np.sin(np.pi / 3)
    one, zero = np.ones(1), np.zeros(1)

    def rod(mu: float) -> Instant:
        # x, y and angle of a homogeneous rod of half length 1 and mass 1, with its tip below and
        # ahead.
        return Instant(
            np.diag([1.0, 1.0, 3.0]), np.array([0.0, -9.81, 0.0]), np.array([1.0, 0.0, 0.0]),
            np.array([[0.0, 1.0, -c]]).T, np.array([[1.0, 0.0, -s]]).T, zero, zero, zero, zero,
            mu * one, zero, np.zeros(1, int),
        )  # fmt: skip

    sol = SimpleNamespace(t=np.zeros(1), message="")
    for mu, way in ((0.3, "false"), (3.0, "proven by enumeration")):
        notes: list[str] = []
        judge_accelerations(rod(mu), sol, Findings(), notes)
        assert notes == [f"no solution: {way}"]
