"""Impacts on moving surfaces: the energy balance (8.52) with w̃ against the velocities."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb


def drop(seed: int) -> tuple[nsmb.LinearSystem, np.ndarray]:
    """Return a system of up to three closing contacts with belts, and its velocities."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    root = rng.standard_normal((n, n))
    contacts = [
        nsmb.Contact(
            w_N=rng.standard_normal(n),
            w_T=rng.standard_normal(n),
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
    """T⁻ - T⁺ = energy_loss - drive_work.

    Contacts lose -½ Λᵀ(γ⁻ + γ⁺) of the relative velocities, belts do the work -Λᵀw̃.
    """
    system, u = drop(seed)
    method = nsmb.EventDriven(impact_law=law)
    sol = nsmb.simulate(system, 1e-6, u=u, method=method)
    M = system.mass_matrix(0.0, np.zeros(len(u)))
    for event in sol.events.of_kind("impact"):
        before, after = event.u_minus, event.u_plus
        T_minus, T_plus = (0.5 * v @ M @ v for v in (before, after))
        size = T_minus + T_plus
        assert event.energy_loss - event.drive_work == pytest.approx(
            T_minus - T_plus, abs=1e-12 * size
        )
        k = system.contact_kinematics(event.t, event.q, before)
        assert event.drive_work == pytest.approx(
            -event.Lambda_T @ k["w_tilde_T"] - event.Lambda_N @ k["w_tilde_N"], abs=1e-12 * size
        )
        assert -event.work_N.sum() - event.work_T.sum() == pytest.approx(
            event.energy_loss, abs=1e-12 * size
        )
        if law == "moreau":  # one phase: the mean of both velocities applies
            mean = 0.5 * (before + after)
            slip = k["W_T"].T @ mean + k["w_tilde_T"]
            np.testing.assert_allclose(event.work_T, event.Lambda_T * slip, atol=1e-12 * size)


@pytest.mark.parametrize("seed", range(20))
def test_poissons_law_dissipates_whatever_belts_do(seed: int) -> None:
    system, u = drop(seed)
    sol = nsmb.simulate(system, 1e-6, u=u)
    assert sol.stats["energy_gains"] == 0
    hits = sol.events.of_kind("impact")
    assert (hits.energy_loss > 0.0).all()
    balance = sol.energy
    assert balance.impact_loss[-1] == pytest.approx(hits.energy_loss.sum(), rel=1e-12)
    assert balance.drive_work[-1] == pytest.approx(hits.drive_work.sum(), rel=1e-6, abs=1e-9)
    assert balance.relative < 1e-9


def test_some_of_these_belts_do_work() -> None:
    """Belts do work in some of these impacts; otherwise the test above would prove nothing."""
    works = []
    for seed in range(20):
        system, u = drop(seed)
        works.append(nsmb.simulate(system, 1e-6, u=u).events.drive_work.sum())
    assert sum(work > 0.0 for work in works) >= 5
    assert sum(work < 0.0 for work in works) >= 2
