"""A part of the campaign of the laws, `tests.campaign.laws`: none wrong, no false proof."""

import pytest

from tests.campaign.laws import FAILURES, FAMILIES, run


@pytest.mark.parametrize("seed", [1, 2])
def test_random_problems_are_solved_right_or_said_to_be_unsolved(seed: int) -> None:
    ends = run(seed, 0, 1600)
    assert not [end for end in ends if end[1] in FAILURES]
    # Impacts of contacts in a plane, most of their velocities far apart, are solved without
    # exception; so are those of the other laws.
    for law in ("poisson", "moreau", "newton"):
        assert ends[law, "solved", ""] == 1600 // len(FAMILIES)
