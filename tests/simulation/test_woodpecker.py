"""Events of the toy against the problems of one instant in the public interface."""

import numpy as np
import pytest

import nsmb


def test_impacts_of_a_run_are_those_of_their_instant() -> None:
    toy = nsmb.systems.woodpecker()
    sol = nsmb.simulate(toy, 1.0)
    impacts = sol.events.of_kind("impact")
    assert len(impacts) > 10
    for event in impacts:
        found = nsmb.instant.impact(toy, event.t, event.q, event.u_minus)
        assert found.success
        assert found.Lambda_N == pytest.approx(event.Lambda_N, abs=1e-12)
        assert found.Lambda_T == pytest.approx(event.Lambda_T, abs=1e-12)
        assert pytest.approx(event.energy_loss, abs=1e-12) == found.T_A - found.T_E
        assert np.abs(found.u_E - event.u_plus).max() < 1e-9
