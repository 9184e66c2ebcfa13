"""Ends of slip: coupled contacts end together, and each end is at a zero of the velocity."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb

REVERSAL = 5
OMEGA = np.sqrt(40.0)


def slider(lever: float) -> nsmb.LinearSystem:
    """A body on two feet, held by a spring; the slip of the second foot is geared by `lever`."""
    law = nsmb.ContactLaw(mu=0.1, e_N=0.0)
    contacts = [
        nsmb.Contact(w_N=[0, 1, -0.3], w_T=[1, 0, 0.1], gap=0.0, law=law, name="left"),
        nsmb.Contact(w_N=[0, 1, 0.3], w_T=[lever, 0, 0.1], gap=0.0, law=law, name="right"),
    ]
    return nsmb.LinearSystem(
        np.diag([1.0, 1.0, 0.1]), np.diag([OMEGA**2, 0, 0]), force=[0, -9.81, 0], contacts=contacts
    )


# The polynomials of the two slips miss their common zero by different rounding errors and by the
# same error of the dense output, 1e-9 of a step.
@pytest.mark.parametrize("rtol", [1e-4, 1e-6])
@pytest.mark.parametrize("q0", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("lever", [0.3, 0.7, 0.977, 1.3])
def test_geared_slips_end_at_one_instant(lever: float, q0: float, rtol: float) -> None:
    method = nsmb.EventDriven(rtol=rtol, integrator="dp853")
    sol = nsmb.simulate(slider(lever), 1.0, q=[q0, 0, 0], u=[0, 0, 0], method=method)
    events = sol.events
    assert len(events) == 2
    assert (events.state_plus != events.state_minus).all()
    # Half a period each, whatever the friction; measured: 0.03 rtol, then 0.2 rtol.
    np.testing.assert_allclose(events.t * OMEGA / np.pi, [1.0, 2.0], rtol=rtol)
    speeds = [np.abs(sol.u[sol.t == t]).max() for t in events.t]
    assert max(speeds) < 1e-12  # measured: 1e-14


def test_slip_without_friction_ends_where_its_velocity_is_zero() -> None:
    # x'' = a sin t + b sin 3t from rest: x' = (1 - c)(a + b (1 + 2c)^2/3), c = cos t. Slip starts
    # as t^2 and ends at c = 0.9, early enough for one step of the flow.
    b = 1.0
    a = -b * 2.8**2 / 3.0
    sines = [nsmb.Harmonic([size, 0], n, -np.pi / 2) for size, n in ((a, 1.0), (b, 3.0))]
    force = nsmb.Force([0, -1.0], harmonics=sines)
    contact = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], gap=0.0, law=nsmb.ContactLaw())
    system = nsmb.LinearSystem(np.eye(2), force=force, contacts=[contact])
    events = nsmb.simulate(system, 0.5, q=[0, 0], u=[0, 0]).events
    ends = events.t[events.kind == REVERSAL]
    # Measured: 4e-16; 6e-12 if the end of slip were located at the resting velocity.
    np.testing.assert_allclose(ends, [np.arccos(0.9)], rtol=0.0, atol=1e-13)
