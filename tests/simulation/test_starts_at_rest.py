"""A start at rest is integrated as exactly as any motion, however fast the system is."""

import numpy as np
import pytest

import nsmb


@pytest.mark.parametrize("omega", [1.0, 1e2, 1e4, 1e6, 1e8])
def test_accuracy_does_not_depend_on_the_unit_of_time(omega: float) -> None:
    """q = cos ωt.  At rest the energy, and with it the tolerances, is what the spring makes in the
    time of this motion; in a millisecond it would make (1e-3 ω)² times that.  Three periods at
    rtol 1e-9 leave 1.05e-9 for every ω."""
    spring = nsmb.LinearSystem(M=[[1.0]], K=[[omega**2]])
    method = nsmb.EventDriven(integrator="dp853", rtol=1e-9)
    run = nsmb.simulate(spring, 20.0 / omega, q=[1.0], u=[0.0], method=method)
    assert abs(run.q[-1, 0] - np.cos(omega * run.t[-1])) < 5e-9
