"""jacobians() suffices for the Jacobian of the motion between two events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.differentiate import jacobian as numerical_jacobian

from nsmb import symbolic
from tests.symbolic.test_derivation import crane

Array = NDArray[np.float64]
C, D, MU = 3.0, 0.2, 0.4


def forces(system: symbolic.SymbolicSystem, t: float, y: Array) -> tuple[Array, ...]:
    """Return matrix and right-hand side for (u̇, λ_N, λ_b).

    There are a sliding contact, a bilateral constraint, and a closed force element ζ = -c γ - d
    γ̇.
    """
    q, u, x = y[:3], y[3:6], np.concatenate([y[6:], np.zeros(1)])
    k, b = system.contact_kinematics(t, q, u), system.constraint_kinematics(t, q, u)
    e = system.element_kinematics(t, q)
    zeta = -C * e["gamma"] - D * (e["W"].T @ u + e["w_tilde"])
    W = np.column_stack([k["W_N"][:, 0], b["W"][:, 0]])
    acting = W - np.column_stack([MU * k["W_T"][:, 0], np.zeros(3)])
    A = np.block([[system.mass_matrix(t, q), -acting], [W.T, np.zeros((2, 2))]])
    bars = [k["w_bar_N"][0], b["w_bar"][0]]
    right = np.concatenate([system.forces(t, q, u, x) + e["W"] @ zeta, np.negative(bars)])
    return A, right, e["W"], zeta


def slopes(system: symbolic.SymbolicSystem, t: float, y: Array) -> Array:
    A, right, *_ = forces(system, t, y)
    x = np.concatenate([y[6:], np.zeros(1)])
    udot = np.linalg.solve(A, right)[:3]
    return np.concatenate([y[3:6], udot, system.state_rates(t, y[:3], y[3:6], x)])


def test_the_jacobian_of_the_frozen_motion() -> None:
    """Implicit derivatives of M u̇ = h + w ζ + W λ, Wᵀu̇ + w̄ = 0 agree with differences."""
    system = crane()
    t, rng = 0.3, np.random.default_rng(2)
    y = np.concatenate([rng.uniform(-0.5, 0.5, 3), rng.uniform(-1, 1, 3), [0.4]])
    A, right, w, zeta = forces(system, t, y)
    udot, (pressure, bond) = np.split(np.linalg.solve(A, right), [3])
    J = system.jacobians(
        t,
        y[:3],
        y[3:6],
        y[6:],
        udot=udot,
        lambda_N=[pressure, 0, 0],
        lambda_T=[-MU * pressure, 0, 0, 0],
        zeta=zeta,
        lambda_B=[bond],
    )
    element = -C * J["element"][0] - D * J["element"][1]
    change = np.vstack([J["residual"] - w @ element[None, :], J["gammadot"][[0, -1]]])
    found = np.vstack([J["qdot"], np.linalg.solve(A, -change)[:3], J["xdot"]])

    def columns(points: Array) -> Array:
        flat = points.reshape(7, -1)
        rates = np.stack([slopes(system, t, point) for point in flat.T], axis=-1)
        return rates.reshape(-1, *points.shape[1:])

    expected = numerical_jacobian(columns, y, initial_step=0.02).df
    # Richardson differences. Measured: 2e-10 of entries up to 100.
    np.testing.assert_allclose(found, expected, 1e-7, 1e-6)
