"""Load sharing by influence coefficients: parallel springs, energy, Castigliano's theorem."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.oracles.involute_gears import Gear, Mesh
from tests.oracles.mesh_load import LoadedMesh, share


def test_two_springs_share_by_their_stiffness_and_gaps() -> None:
    e, F = share(np.diag([0.5, 0.25]), np.array([0.0, 1.0]), 1.0)
    assert (e, *F) == pytest.approx((0.5, 1.0, 0.0))
    e, F = share(np.diag([0.5, 0.25]), np.array([0.0, 1.0]), 5.0)
    assert (e, *F) == pytest.approx((1.5, 3.0, 2.0))


@pytest.mark.parametrize("seed", range(5))
def test_coupled_pairs_have_the_least_energy(seed: int) -> None:
    """½ FᵀCF + gᵀF is minimal over compressive forces with sum P, with derivative e by P."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((4, 4))
    C, g = B @ B.T + 0.3 * np.eye(4), rng.uniform(0.0, 1.0, 4)

    def energy(F: np.ndarray) -> float:  # type: ignore[type-arg]
        return float(0.5 * F @ C @ F + g @ F)

    e, F = share(C, g, 1.0)
    best = minimize(
        energy, np.full(4, 0.25), bounds=[(0.0, None)] * 4, method="SLSQP",
        constraints={"type": "eq", "fun": lambda F: F.sum() - 1.0}, options={"ftol": 1e-14},
    )  # fmt: skip
    np.testing.assert_allclose(F, best.x, atol=1e-6)
    slope = (energy(share(C, g, 1.0 + 1e-6)[1]) - energy(share(C, g, 1.0 - 1e-6)[1])) / 2e-6
    assert e == pytest.approx(slope, rel=1e-6)


def test_pairs_are_a_pitch_apart_and_as_many_as_the_contact_ratio_says() -> None:
    mesh = Mesh(Gear(20, 0.003), Gear(43, 0.003), 0.0945)
    load = LoadedMesh(mesh, 2e8, 0.8)
    found = [load.pairs(phi) for phi in 2.0 * np.pi / 20 * (np.arange(500) + 0.5) / 500]
    assert np.mean([len(s) for s in found]) == pytest.approx(mesh.contact_ratio, abs=1 / 500)
    np.testing.assert_allclose([np.diff(s) for s in found if len(s) == 2], mesh.pitch, rtol=1e-12)
