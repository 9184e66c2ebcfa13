"""Tests of the checks of thrown flexible bodies."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.campaign import flexible
from tests.campaign.case import Case
from tests.campaign.findings import Findings

MOST = 60  # seeds to search for a case


@functools.cache
def touching(by_events: bool) -> tuple[Case, Any, Any]:
    """Return the first case with a touching body, its system and its run."""
    for seed in range(MOST):
        case = flexible.make(seed)
        if case.spec["pair"] or case.spec["bodies"][0]["beta"] != 0.0:
            continue
        if case.spec["by_events"] == by_events:
            system = case.system()
            sol = flexible.sampled(case, system)
            if (sol.lambda_N > 0.0).any() or len(sol.events) > 3:
                return case, system, sol
    raise AssertionError("no body touches")


def test_matrices_written_once_more_are_those_of_the_body() -> None:
    for seed in range(8):
        for body in flexible.make(seed).spec["bodies"]:
            truth, made = flexible.Truth(body), flexible.built(body)
            own = np.einsum("kan,kl,lam->nm", truth.S, truth.M, truth.S)
            assert own == pytest.approx(made.mass_matrix, abs=1e-9 * np.abs(own).max())
            scale = np.abs(truth.K).max()
            assert pytest.approx(made.stiffness_matrix, abs=1e-9 * scale) == truth.K


@pytest.mark.parametrize("by_events", [True, False])
@pytest.mark.parametrize(
    ("what", "row", "column", "factor"),
    [
        ("momentum in flight", "u", 0, 1.1),
        ("angular momentum in flight", "u", 2, 1.1),
        ("energy", "q", 3, 1.5),
        ("a corner is in the floor", "q", 1, 0.5),
    ],
)
def test_what_was_tampered_with_is_found(
    by_events: bool, what: str, row: str, column: int, factor: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    case, system, sol = touching(by_events)
    found = Findings()
    values = {"q": sol.q.copy(), "u": sol.u.copy()}
    at = 1 if row == "u" else len(sol.t) // 2  # it starts in flight
    values[row][at:, column] *= factor
    changed = SimpleNamespace(t=sol.t, **values)
    monkeypatch.setattr(flexible, "sampled", lambda *_: sol)
    flexible.look(case, system, found, [])
    assert not found
    monkeypatch.setattr(flexible, "sampled", lambda *_: changed)
    flexible.look(case, system, found, [])
    assert any(what in finding.what for finding in found)


def test_of_two_that_touch_each_other_momentum_of_both_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = next(
        case
        for case in map(flexible.make, range(MOST))
        if case.spec["pair"] and case.spec["by_events"]
    )
    system = case.system()
    sol = flexible.sampled(case, system)
    first = 3 + flexible.built(case.spec["bodies"][0]).count
    changed = {"q": sol.q, "u": sol.u.copy()}
    changed["u"][1:, first] += 0.1  # only the second body
    for values, is_found in ((sol, False), (SimpleNamespace(t=sol.t, **changed), True)):
        found = Findings()
        monkeypatch.setattr(flexible, "sampled", lambda *_, values=values: values)
        flexible.look(case, system, found, [])
        assert any("momentum in flight" in finding.what for finding in found) == is_found
