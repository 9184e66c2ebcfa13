"""Closed contacts stay closed however long the run, and the motion follows its equations."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.simulation.systems import table


def worst_drift(sol: nsmb.Solution) -> tuple[float, float]:
    closed = sol.contact_state > 0
    return float(np.abs(sol.g_N[closed]).max()), float(np.abs(sol.gamma_N[closed]).max())


@pytest.mark.parametrize("mu", [0.3, 0.9])
def test_closed_contacts_do_not_drift_over_100_s_of_the_toy(mu: float) -> None:
    sol = nsmb.simulate(nsmb.systems.woodpecker(mu=mu), 100.0, output_step=0.003)
    gap, velocity = worst_drift(sol)
    # Required: 1e-10 m, 1e-9 m/s. Measured: 5e-17 m, 3e-15 m/s.
    assert gap < 1e-14
    assert velocity < 1e-12


@pytest.mark.parametrize("name", ["dp853", "arkode_fehlberg78", "cvode"])
def test_nor_with_a_numerical_integrator(name: str) -> None:
    method = nsmb.EventDriven(integrator=name, rtol=1e-6)
    sol = nsmb.simulate(nsmb.systems.woodpecker(), 10.0, method=method, output_step=0.003)
    gap, velocity = worst_drift(sol)
    # Samples are on the dense output between projected steps. Its tolerance is 1e-6 of 0.1 rad
    # times 6 mm and of 10 rad/s times 6 mm.
    assert gap < 1e-9
    assert velocity < 1e-7
    at_events = np.isin(sol.t, sol.events.t)
    closed = sol.contact_state > 0
    assert np.abs(sol.g_N[closed & at_events[:, None]]).max() < 1e-12


def test_no_gap_is_ever_negative() -> None:
    for seed in range(3):
        sol = nsmb.simulate(table(4, seed), 6.0, output_step=1e-3)
        assert sol.g_N.min() > -1e-13


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_dependent_contacts_break_no_run_and_both_ways_of_computing_agree(seed: int) -> None:
    """Four feet of unequal friction on three coordinates, shaken until they jump."""
    exact = nsmb.simulate(table(4, seed), 6.0)
    numeric = nsmb.simulate(
        table(4, seed), 6.0, method=nsmb.EventDriven(integrator="dp853", rtol=1e-11)
    )
    assert numeric.events.kinds == exact.events.kinds
    assert len(exact.events) > 50
    np.testing.assert_allclose(numeric.events.t, exact.events.t, rtol=0, atol=1e-10)
    assert (exact.lambda_N >= -1e-9).all()
    mu = np.array([contact.law.mu for contact in table(4, seed).contacts])
    assert (np.abs(exact.lambda_T) <= mu * exact.lambda_N + 1e-9).all()


def test_accelerations_of_the_samples_fulfil_the_equations_of_motion() -> None:
    """M u̇ = h + W λ (3.11), (5.4), with u̇ from differences of the dense output."""
    toy = nsmb.systems.woodpecker()
    sol = nsmb.simulate(toy, 0.5, output_step=1e-3)
    contacts = toy.contact_kinematics(0.0, sol.q[0], sol.u[0])
    M = toy.mass_matrix(0.0, sol.q[0])
    step = 1e-6
    for k in range(1, len(sol.t) - 1):
        t = sol.t[k]
        if np.abs(sol.events.t - t).min() < 2 * step:
            continue
        acceleration = (sol.at(t + step).u - sol.at(t - step).u) / (2 * step)
        right = (
            toy.forces(t, sol.q[k], sol.u[k])
            + contacts["W_N"] @ sol.lambda_N[k]
            + contacts["W_T"] @ sol.lambda_T[k]
        )
        # Central differences have rounding of 1e-15/1e-6 of 10 rad/s, times M.
        np.testing.assert_allclose(M @ acceleration, right, rtol=0, atol=1e-9)
