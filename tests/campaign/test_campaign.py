"""A share of the standing campaign, at most a twentieth of each family, with its first seeds.

A chunk of seeds runs in a process of its own with a budget of processor time, so a run that stands
still is a failure and not the end of the tests.
"""

from __future__ import annotations

import pytest

from tests.campaign.runner import Outcome, make, run_all

# Runs that belong to the tests, in chunks of a process each; the campaign runs all families.
SHARE = {"linear": 500, "energies": 150, "bodies": 250, "spatial": 100}
CHUNK = 50


def report(outcomes: list[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        lines += [f"{outcome.family} {outcome.seed}: {outcome.status} {outcome.message}"]
        lines += [f"  {finding}" for finding in outcome.findings]
    first = outcomes[0]
    lines += ["", "the first one is repeated by", "", make(first.family, first.seed).script()]
    return "\n".join(lines)


def is_settled(outcome: Outcome) -> bool:
    """Whether a run reached its end, or was proven to have none."""
    reasons = {
        "no solution: proven by enumeration",
        "endless: restitution 1",
        "more events: finished",
    }
    return outcome.status == "finished" or bool(reasons & set(outcome.notes))


@pytest.mark.parametrize(
    ("family", "first"),
    [(family, first) for family, share in SHARE.items() for first in range(0, share, CHUNK)],
)
def test_no_run_is_wrong_and_none_ends_early_without_a_proof(family: str, first: int) -> None:
    jobs = [(family, seed) for seed in range(first, min(first + CHUNK, SHARE[family]))]
    outcomes = list(run_all(jobs, workers=1))
    bad = [o for o in outcomes if o.is_wrong or not is_settled(o)]
    assert not bad, report(bad)
