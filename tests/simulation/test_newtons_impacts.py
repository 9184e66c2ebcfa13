"""Newton impacts of bodies on several feet, alternating between the feet at one instant."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.campaign.runner import run_case


def rocking_plate(e_N: float, turn: float, J: float = 0.05) -> nsmb.LinearSystem:
    """Plate with feet at half a metre: G = [[1, c], [c, 1]] (1 + 0.25 / J), c = -2/3 for J = 0.05.

    One foot strikes the floor while the other leaves it.
    """
    law = nsmb.ContactLaw(e_N=e_N)
    feet = [nsmb.Contact(w_N=[1.0, a], law=law, name=name) for a, name in ((0.5, "a"), (-0.5, "b"))]
    return nsmb.LinearSystem(
        np.diag([1.0, J]),
        force=nsmb.Force(constant=[-10.0, 0.0]),
        contacts=feet,
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([-0.49, turn])),
    )


@pytest.mark.parametrize("J", [0.05, 0.013, 1e-4])
def test_impacts_that_fade_bring_the_plate_to_rest_within_the_instant(J: float) -> None:
    """With ε_N = 0.05 and |c| >= 2/3, approaches decrease by constant factors, endlessly."""
    system = rocking_plate(0.05, -1.0, J)
    sol = nsmb.simulate(system, 0.2, method=nsmb.EventDriven(impact_law="newton"))
    assert sol.status == "finished"
    assert (sol.events.t == 0.0).all()
    # 40 single impacts, and the rest as one.
    assert len(sol.events) <= 41
    np.testing.assert_allclose(sol.events.u_plus[-1], 0.0, atol=1e-11)
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-11)
    assert (sol.events.energy_loss >= -1e-15).all()
    np.testing.assert_allclose(sol.events.energy_loss.sum(), 0.5 * 0.49**2 + 0.5 * J, rtol=1e-12)


def test_elastic_impacts_to_and_fro_keep_the_energy_and_end() -> None:
    system = rocking_plate(1.0, -1.0, 1e-3)
    sol = nsmb.simulate(system, 0.05, method=nsmb.EventDriven(impact_law="newton"))
    assert sol.status == "finished"
    np.testing.assert_allclose(sol.events.energy_loss, 0.0, atol=1e-13)


@pytest.mark.parametrize(
    ("family", "seed"),
    [("linear", 11), ("linear", 135), ("energies", 187), ("linear", 162), ("linear", 1275)],
)
def test_plates_of_the_campaign_end_their_impacts(family: str, seed: int) -> None:
    outcome = run_case(family, seed)
    assert outcome.status == "finished"
    assert not outcome.findings
