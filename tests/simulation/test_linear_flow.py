"""The closed-form flow against other methods for the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

import nsmb


def random_system(
    seed: int, n: int, stiffness: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(n, n))
    M = B @ B.T + n * np.eye(n)
    C = rng.normal(size=(n, n))
    K = stiffness * (C @ C.T + 0.1 * np.eye(n))
    D = 0.02 * K / max(stiffness, 1.0) + 0.1 * rng.normal(size=(n, n))
    return M, K, D, rng


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    seed=st.integers(0, 10**6), n=st.integers(1, 5), stiffness=st.sampled_from([0.0, 1.0, 1e3, 1e6])
)
def test_free_motion_is_the_matrix_exponential(seed: int, n: int, stiffness: float) -> None:
    M, K, D, rng = random_system(seed, n, stiffness)
    f, q, u = rng.normal(size=(3, n))
    t = 0.7
    sol = nsmb.simulate(nsmb.LinearSystem(M, K, D, force=f), t, q=q, u=u)
    Z = np.zeros((n, n))
    A = np.block(
        [
            [Z, np.eye(n), np.zeros((n, 1))],
            [-np.linalg.solve(M, K), -np.linalg.solve(M, D), np.linalg.solve(M, f)[:, None]],
            [np.zeros((1, 2 * n + 1))],
        ]
    )
    exact = expm(A * t) @ np.r_[q, u, 1.0]
    size = np.abs(np.vstack([sol.q.T, sol.u.T])).max(axis=1)
    found = np.r_[sol.q[-1], sol.u[-1]]
    # Rounding grows with the number of steps, ‖A‖ t / 3.5; measured below a tenth of this.
    tolerance = 1e-13 * (1.0 + np.linalg.norm(A, 2) * t)
    assert (np.abs(found - exact[: 2 * n]) <= tolerance * (size + size.max() * 1e-3)).all()


def test_forced_oscillation_with_ramp_and_phase_has_its_closed_form() -> None:
    """x'' + ω0² x = a + b t + c cos(ωt + φ)."""
    w0, w, a, b, c, phase = 3.0, 7.0, 0.4, -0.2, 1.5, 0.6
    force = nsmb.Force(constant=[a], ramp=[b], harmonics=[nsmb.Harmonic([c], w, phase)])
    system = nsmb.LinearSystem([[1.0]], [[w0**2]], force=force)
    sol = nsmb.simulate(system, 20.0, t_start=2.0, q=[0.3], u=[-0.1])
    gain = c / (w0**2 - w**2)

    def particular(t: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        x = (a + b * np.asarray(t)) / w0**2 + gain * np.cos(w * np.asarray(t) + phase)
        v = b / w0**2 - gain * w * np.sin(w * np.asarray(t) + phase)
        return x, v

    x0, v0 = particular(2.0)
    s = w0 * (sol.t - 2.0)
    exact = particular(sol.t)[0] + (0.3 - x0) * np.cos(s) + (-0.1 - v0) / w0 * np.sin(s)
    np.testing.assert_allclose(sol.q[:, 0], exact, rtol=0, atol=1e-13)


def test_a_moving_belt_drags_the_block_until_the_spring_takes_over() -> None:
    """With w̃_T = -v, sticking means u = v; slip starts at k x = μ m g."""
    k, mu, v = 4.0, 0.3, 0.5
    belt = nsmb.Contact(
        w_N=[0.0, 1.0], w_T=[1.0, 0.0], gap=0.0, law=nsmb.ContactLaw(mu=mu), w_tilde_T=-v
    )
    system = nsmb.LinearSystem(np.eye(2), np.diag([k, 0.0]), force=[0.0, -10.0], contacts=[belt])
    sol = nsmb.simulate(system, 12.0, u=[v, 0.0])
    slip = mu * 10.0 / (k * v)
    assert sol.events.kinds[0] == "slip"
    assert abs(sol.events.t[0] - slip) < 1e-13
    stick = sol.contact_state[:, 0] == nsmb.ContactState.STICK
    np.testing.assert_allclose(sol.u[stick, 0], v, rtol=1e-14)
    np.testing.assert_allclose(sol.gamma_T[stick, 0], 0.0, atol=1e-15)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_a_rising_floor_meets_the_mass_where_it_is(name: str) -> None:
    """With the prescribed normal velocity w̃_N, g_N = y - 0.2 t."""
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5), w_tilde_N=-0.2, name="floor")
    system = nsmb.LinearSystem([[1.0]], force=[-10.0], contacts=[floor])
    method = nsmb.EventDriven(integrator=name, rtol=1e-11)
    sol = nsmb.simulate(system, 5.0, q=[1.0], method=method)
    hit = (-0.2 + np.sqrt(0.04 + 20.0)) / 10.0
    assert abs(sol.events.t[0] - hit) < 1e-12
    approach = -10.0 * hit - 0.2
    np.testing.assert_allclose(sol.events.u_plus[0, 0] - 0.2, -0.5 * approach, rtol=1e-10)
    np.testing.assert_allclose(sol.u[-1, 0], 0.2, rtol=1e-12)  # moves with the floor
    np.testing.assert_allclose(sol.q[-1, 0], 1.0, rtol=1e-10)


def test_a_python_force_gives_the_same_motion_as_the_native_one() -> None:
    native = nsmb.Force(constant=[0.0, -10.0], harmonics=[nsmb.Harmonic([8.0, 0.0], 6.0)])
    floor = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], gap=0.0, law=nsmb.ContactLaw(mu=0.5))
    exact = nsmb.simulate(nsmb.LinearSystem(np.eye(2), force=native, contacts=[floor]), 3.0)
    called = nsmb.LinearSystem(
        np.eye(2), force=lambda t: [8.0 * np.cos(6.0 * t), -10.0], contacts=[floor]
    )
    found = nsmb.simulate(called, 3.0, rtol=1e-11)
    assert found.events.kinds == exact.events.kinds
    np.testing.assert_allclose(found.events.t, exact.events.t, rtol=0, atol=1e-10)
