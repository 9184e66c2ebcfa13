"""A mass between the floor and a far heavier or far lighter one.

The two rows of G differ by the ratio of the masses alone.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import nsmb

LAWS: list[Literal["poisson", "newton", "moreau"]] = ["poisson", "newton", "moreau"]


def stacked(ratio: float, e_N: float) -> nsmb.LinearSystem:
    law = nsmb.ContactLaw(e_N=e_N)
    return nsmb.LinearSystem(
        np.diag([1.0, ratio]),
        force=nsmb.Force(constant=[-10.0, -10.0 * ratio]),
        contacts=[
            nsmb.Contact(w_N=[1.0, 0.0], law=law, name="floor"),
            nsmb.Contact(w_N=[-1.0, 1.0], law=law, name="masses"),
        ],
        initial_state=nsmb.State(0.0, np.array([0.5, 1.0]), np.zeros(2)),
    )


# Moreau's restitution between dependent contacts is known to create energy.
@pytest.mark.filterwarnings("ignore:impacts that created energy")
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e_N", [0.0, 0.5])
@pytest.mark.parametrize("ratio", [1e-16, 1e-12, 1e-8, 1e4, 1e7, 1e8])
def test_both_come_to_rest_and_carry_their_weight(
    ratio: float, e_N: float, law: Literal["poisson", "newton", "moreau"]
) -> None:
    sol = nsmb.simulate(stacked(ratio, e_N), 3.0, method=nsmb.EventDriven(impact_law=law))
    assert sol.status == "finished"
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-12)
    np.testing.assert_allclose(sol.q[-1], 0.0, atol=1e-11)
    # Rounding of G times its condition number.
    weight = 10.0 * np.array([1.0 + ratio, ratio])
    rtol = 1e-14 * max(1.0, ratio) + 1e-12
    np.testing.assert_allclose(sol.lambda_N[-1], weight, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("ratio", [1e12, 1e13, 1e16, 1e20])
def test_a_ratio_that_rounding_hides_ends_in_a_status_with_finite_numbers(
    ratio: float, law: Literal["poisson", "newton", "moreau"]
) -> None:
    method = nsmb.EventDriven(impact_law=law)
    sol = nsmb.simulate(stacked(ratio, 0.0), 3.0, method=method, throw=False)
    assert sol.status in ("no_impact_solution", "no_contact_solution")
    for values in (sol.q, sol.u, sol.lambda_N):
        assert np.isfinite(values).all()
    # 1 + 1e-13 differs from 1: nothing may be proven for masses that G can still distinguish.
    assert ("proven" in sol.message) <= (ratio >= 1e16)
