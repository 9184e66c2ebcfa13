"""Impacts on surfaces that move: the energy book (8.52) with w̃ against velocities themselves."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb


def drop(seed: int) -> tuple[nsmb.LinearSystem, np.ndarray]:
    """Up to three contacts with belts, none with a moving obstacle, at the instant they are hit."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    root = rng.standard_normal((n, n))
    contacts = [
        nsmb.LinearContact(
            rng.standard_normal(n),
            rng.standard_normal(n),
            w_tilde_T=float(rng.uniform(-3, 3)),
            law=nsmb.ContactLaw(*rng.uniform(0, [0.5, 0.9, 0.9, 0.9])),
        )
        for _ in range(k)
    ]
    system = nsmb.LinearSystem(np.eye(n) + root @ root.T, contacts=contacts)
    return system, rng.standard_normal(n)


@pytest.mark.parametrize("law", ["poisson", "moreau"])
@pytest.mark.parametrize("seed", range(20))
def test_losses_are_those_of_the_velocities(seed: int, law: str) -> None:
    """T⁻ - T⁺ = energy_loss = -Σ work, and the work of a belt's friction is the impulse times the
    mean velocity of the body there, not of the slip."""
    system, u = drop(seed)
    method = nsmb.EventDriven(impact_law=law)
    sol = nsmb.simulate(system, 1e-6, u=u, method=method)
    M = system.mass_matrix(0.0, np.zeros(len(u)))
    for event in sol.events.of_kind("impact"):
        before, after = event.u_minus, event.u_plus
        loss = 0.5 * (before @ M @ before - after @ M @ after)
        size = 0.5 * (before @ M @ before + after @ M @ after)
        assert event.energy_loss == pytest.approx(loss, abs=1e-12 * size)
        assert -event.work_N.sum() - event.work_T.sum() == pytest.approx(loss, abs=1e-12 * size)
        k = system.contact_kinematics(event.t, event.q, before)
        if law == "moreau":
            mean = 0.5 * (before + after)
            np.testing.assert_allclose(
                event.work_T, event.Lambda_T * (k["W_T"].T @ mean), atol=1e-12 * size
            )


def test_some_of_these_belts_do_work() -> None:
    """Otherwise nothing would be shown."""
    gains = 0
    for seed in range(20):
        system, u = drop(seed)
        sol = nsmb.simulate(system, 1e-6, u=u)
        gains += bool((sol.events.of_kind("impact").work_T > 0.0).any())
    assert gains >= 5
