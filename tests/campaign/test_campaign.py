"""The first seeds of the standing campaign, at most a twentieth of each family.

A chunk of seeds runs in its own process with a budget of processor time. A run that hangs is
therefore a failure that does not block the tests.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.campaign.bodies import FIRST_ACTUATED
from tests.campaign.energies import FIRST_MACHINE
from tests.campaign.linear import FIRST_WITH_STATES
from tests.campaign.runner import Outcome, make, run_all, run_longer

# Number of runs in the tests, in chunks of one process each. The campaign runs all families.
SHARE = {"linear": 500, "energies": 150, "bodies": 250, "spatial": 100}
# Seeds of the time-stepping families. Slow ones are left to the campaign.
IN_STEPS = {
    "stepped": range(34), "surfaces": range(20), "schemes": range(26), "flexible": range(20),
    "gears": range(4), "areal": range(6), "solids": range(12),
}  # fmt: skip
SLOW = {("stepped", 14)}
FIRST_IN_STEPS = 2
CHUNK = 25
FIRST = [(family, first) for family, share in SHARE.items() for first in range(0, share, CHUNK)]
FIRST += [("linear", FIRST_WITH_STATES + k * CHUNK) for k in range(4)]
FIRST += [("bodies", FIRST_ACTUATED + k * CHUNK) for k in range(2)]
FIRST += [("energies", FIRST_MACHINE + k * CHUNK) for k in range(2)]


def report(outcomes: list[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        lines += [f"{outcome.family} {outcome.seed}: {outcome.status} {outcome.message}"]
        lines += [f"  {finding}" for finding in outcome.findings]
    first = outcomes[0]
    lines += ["", "the first one is repeated by", "", make(first.family, first.seed).script()]
    return "\n".join(lines)


@pytest.mark.parametrize(("family", "first"), FIRST)
def test_no_run_is_wrong_and_none_ends_early_without_a_proof(family: str, first: int) -> None:
    jobs = [(family, seed) for seed in range(first, first + CHUNK)]
    outcomes = list(run_all(jobs, workers=1))
    endless = [o for o in outcomes if o.status == "event_limit" and not o.is_settled]
    for longer in run_all(((o.family, o.seed) for o in endless), workers=1, run=run_longer):
        outcomes[[o.seed for o in outcomes].index(longer.seed)].notes.append(
            f"more events: {longer.status}"
        )
    bad = [o for o in outcomes if o.is_wrong or not o.is_settled]
    assert not bad, report(bad)


def check_steps(family: str, seeds: Iterable[int]) -> None:
    jobs = [(family, seed) for seed in seeds if (family, seed) not in SLOW]
    outcomes = list(run_all(jobs, workers=1))
    bad = [o for o in outcomes if o.is_wrong or not o.is_settled]
    assert not bad, report(bad)


@pytest.mark.parametrize("family", IN_STEPS)
def test_first_runs_in_steps_are_right(family: str) -> None:
    check_steps(family, IN_STEPS[family][:FIRST_IN_STEPS])


@pytest.mark.parametrize("family", IN_STEPS)
def test_other_runs_in_steps_are_right(family: str) -> None:
    check_steps(family, IN_STEPS[family][FIRST_IN_STEPS:])
