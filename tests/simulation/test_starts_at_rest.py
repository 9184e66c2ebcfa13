"""A start at rest is integrated as accurately as any motion, however fast the system is."""

import numpy as np
import pytest

import nsmb


@pytest.mark.parametrize("omega", [1.0, 1e2, 1e4, 1e6, 1e8])
def test_accuracy_does_not_depend_on_the_unit_of_time(omega: float) -> None:
    """For q = cos ωt, the tolerances at rest follow from the energy of the spring over the motion.

    In a millisecond that energy would be (1e-3 ω)² as large. Three periods at rtol 1e-9 leave
    1.05e-9 for every ω.
    """
    spring = nsmb.LinearSystem(M=[[1.0]], K=[[omega**2]])
    method = nsmb.EventDriven(integrator="dp853", rtol=1e-9)
    run = nsmb.simulate(spring, 20.0 / omega, q=[1.0], u=[0.0], method=method)
    assert abs(run.q[-1, 0] - np.cos(omega * run.t[-1])) < 5e-9


def test_velocity_of_denormal_size_counts_as_zero():
    """Tolerances relative to such a velocity would be zero."""
    block = nsmb.CallbackSystem(
        ["x", "y"], np.eye(2), lambda t, q, u: [0.0, -1.0], potential_energy=lambda t, q: q[1]
    )
    sol = nsmb.simulate(block, t_end=1.0, q=[0.0, 0.0], u=[2.3e-313, 0.0])
    assert sol.success
    assert sol.q[-1, 1] == pytest.approx(-0.5, rel=1e-12)


@pytest.mark.parametrize("u", [0.0, 4e-15, -2.2e-15, -1e-18])
def test_a_start_with_a_velocity_of_rounding_size_runs(u: float) -> None:
    gear = nsmb.systems.ship_turning_gear(r=0.8, p=4.0)
    sol = nsmb.simulate(gear, 252.0, t_start=251.17080387576067, q=[-1.46307689], u=[u])
    still = nsmb.simulate(gear, 252.0, t_start=251.17080387576067, q=[-1.46307689], u=[0.0])
    np.testing.assert_allclose(sol.q[-1], still.q[-1], atol=1e-12)
