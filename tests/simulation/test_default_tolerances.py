"""Default absolute tolerances: small against the motion, but not below its rounding."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb


def train(stiffness: float, load: float) -> nsmb.LinearSystem:
    """Three wheels at rest on a twisted shaft, with couples of `load` (N m) in balance."""
    K = stiffness * np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    couples = load * np.array([1.0, -0.3, -0.7])
    return nsmb.LinearSystem(
        np.diag([30.0, 7.0, 11.0]),
        K,
        1e-4 * K,
        force=couples,
        elements=[nsmb.ForceElement(w=[1.0, 0.0, 0.0], law=nsmb.GapForce(1e6, 1e2), gap=1.0)],
        initial_state=nsmb.State(0.0, q=np.linalg.pinv(K) @ couples, u=np.zeros(3)),
    )


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("load", [1e3, 1e6])
def test_large_loads_in_balance_stay_at_rest_in_few_steps(load: float, rtol: float) -> None:
    """The sum of the couples is zero to rounding, which causes no larger motion.

    The highest frequency, 4e3 rad/s, is resolved by some 1e4 steps per second.
    """
    system = train(1e8, load)
    run = nsmb.simulate(system, 1.0, method=nsmb.EventDriven(integrator="dp853", rtol=rtol))
    assert run.success
    assert run.stats["steps"] < 2e4
    twist = run.q - run.q.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(twist - twist[0], 0.0, atol=1e-10 * np.abs(twist[0]).max())


def wheels(speed: float) -> nsmb.LinearSystem:
    """Two wheels at the same `speed` (rad/s), less a small difference that closes the mesh."""
    tooth = nsmb.ForceElement(w=[1.0, -1.0], law=nsmb.GapForce(c=4e4, d=8.0), gap=1e-4)
    return nsmb.LinearSystem(
        np.diag([1.0, 2.0]),
        elements=[tooth],
        initial_state=nsmb.State(0.0, q=np.zeros(2), u=np.array([speed - 0.05, speed + 0.05])),
    )


@pytest.mark.parametrize("speed", [0.0, 300.0])
@pytest.mark.parametrize("rtol", [1e-4, 1e-6])
def test_a_wall_relaxes_by_its_own_measure_however_fast_its_wheels_run(
    speed: float, rtol: float
) -> None:
    """(3.20): w = w_0 exp(-c t/d) after the impact, to some hundred tolerances of its depth.

    An explicit method at its stability limit leaves an error of this size.
    """
    method = nsmb.EventDriven(integrator="dp853", rtol=rtol)
    run = nsmb.simulate(wheels(speed), 0.02, method=method)
    closes, opens = run.events[0].t, run.events[1].t
    assert len(run.events) == 2
    assert 0.0 < closes < opens
    free = run.t >= opens
    w_0 = run.at(opens).x[0]
    expected = w_0 * np.exp(-4e4 / 8.0 * (run.t[free] - opens))
    np.testing.assert_allclose(run.x[free, 0], expected, rtol=0, atol=300 * rtol * abs(w_0))
