"""A new watched quantity takes a single class.

The examples are the mean over time, which needs a state of its own between events, and a kinetic
energy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nsmb


class EnergyFallsBelow:
    """The energy ½ m u² of a point mass, less `level`."""

    def __init__(self, mass: float, level: float) -> None:
        self.mass, self.level = mass, level

    def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> float:
        return 0.5 * self.mass * float(u @ u) - self.level


def changes_of(schedule: Callable[[float], bool]) -> nsmb.When:
    """Return an event at the undeclared discontinuities of a function of time."""
    return nsmb.When(lambda t, q, u: 1.0 if schedule(t) else -1.0, name="changes")


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
def test_an_energy_is_watched_like_a_gap(integrator: str) -> None:
    """A mass slides to rest under friction of 4 N: its energy, 8 J, is halved after 1 m."""
    floor = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=nsmb.ContactLaw(mu=0.4))
    system = nsmb.LinearSystem(
        np.eye(2),
        force=[0.0, -10.0],
        contacts=[floor],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([4.0, 0.0])),
    )
    half = nsmb.When(EnergyFallsBelow(1.0, 4.0), "down", name="half")
    sol = nsmb.simulate(
        system, 2.0, events=[half], method=nsmb.EventDriven(integrator=integrator, rtol=1e-11)
    )
    assert sol.events.kinds == ["user", "stick"]
    assert sol.events[0].q[0] == pytest.approx(1.0, abs=1e-9)
    assert sol.events[0].t == pytest.approx((4.0 - np.sqrt(8.0)) / 4.0, abs=1e-9)


def test_discontinuities_nobody_told_of_are_events() -> None:
    """Bisection locates jumps between neighbouring times; no step may be longer than a pulse."""
    sol = nsmb.simulate(
        nsmb.LinearSystem([[1.0]]),
        10.0,
        events=[changes_of(lambda t: int(t / 0.7) % 2 == 1)],
        method=nsmb.EventDriven(max_step=0.5),
    )
    expected = 0.7 * np.arange(1, 15)
    assert np.abs(sol.events.t - expected).max() < 1e-14
