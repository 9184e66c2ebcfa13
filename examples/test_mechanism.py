"""Tests of a user-defined mechanism, a hammer on a spring: `pytest test_mechanism.py`."""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import testing

M, C, PULL, RESTITUTION = 0.5, 200.0, 0.05, 0.6


def hammer(e_N: float = RESTITUTION) -> nsmb.LinearSystem:
    """Build a hammer that starts at PULL and hits the anvil where its spring is relaxed."""
    anvil = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=e_N), name="anvil")
    return nsmb.LinearSystem(
        [[M]],
        K=[[C]],
        contacts=[anvil],
        coordinates=["x"],
        coordinate_units=["m"],
        initial_state=nsmb.State(0.0, np.array([PULL]), np.zeros(1)),
        name="hammer",
    )


def main() -> nsmb.Solution:
    """Simulate six blows."""
    return nsmb.simulate(hammer(), t_end=6 * np.pi * np.sqrt(M / C))


def test_laws_hold_at_every_sample() -> None:
    """Check gaps, forces, impacts, the event log, and that energy is conserved between events."""
    testing.assert_valid(main(), energy="conserved")


def test_blows_come_when_they_should() -> None:
    """The first blow is after a quarter of a period, then one follows every half period."""
    half = np.pi * np.sqrt(M / C)
    sol = nsmb.simulate(hammer(), t_end=3 * half)
    testing.assert_events(sol, [((k + 0.5) * half, "impact", "anvil") for k in range(3)])


def test_method_does_not_matter() -> None:
    other = nsmb.simulate(
        hammer(), t_end=6 * np.pi * np.sqrt(M / C), method=nsmb.EventDriven(integrator="dp853")
    )
    testing.assert_same_motion(main(), other)


def picture(sol: nsmb.Solution) -> plt.Figure:
    """Plot the phase portrait: half circles of decreasing size."""
    return sol.plot_phase("x").figure


if __name__ == "__main__":
    picture(main()).savefig("test_mechanism.png", dpi=100)
