"""Bodies that roll and spin on a plane agree with closed forms and conserved quantities."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import euler_disk, rolling_ball, tippe_top

Array = NDArray[np.float64]


def axis(q: Array) -> Array:
    """Return e_z of the body in space, shape (n, 3)."""
    w, x, y, z = np.moveaxis(q[:, 3:7], 1, 0)
    return np.column_stack([2 * (x * z + w * y), 2 * (y * z - w * x), w**2 - x**2 - y**2 + z**2])


@pytest.mark.parametrize(
    "changes", [{}, {"k": 2.0 / 3.0, "Omega": -3.0}, {"v_0": -0.4, "x_0": 0.1, "r": 0.05}]
)
def test_a_ball_on_a_turning_table_rolls_on_its_circle(changes: dict[str, float]) -> None:
    """Earnshaw's closed form holds to 1e-8 m, the run's tolerance of 1e-9 over 2 s with margin."""
    sol = nsmb.simulate(rolling_ball(**changes), t_end=2.0, rtol=1e-10)
    center, radius, rate = rolling_ball.circle(**changes)
    p = rolling_ball(**changes).parameters
    x = center + (p["x_0"] - center) * np.exp(1j * rate * sol.t)
    assert radius == pytest.approx(abs(p["x_0"] - center))
    assert np.abs(sol.q[:, 0] + 1j * sol.q[:, 1] - x).max() < 1e-8
    assert np.abs(sol.q[:, 2] - p["r"]).max() < 1e-10
    assert (sol.contact_state == nsmb.ContactState.STICK).all()
    np.testing.assert_allclose(sol.lambda_N[:, 0], p["m"] * p["g"], rtol=1e-9)


@pytest.mark.parametrize("changes", [{}, {"h": 1e-6}, {"alpha": 0.2}, {"alpha": 1.0, "h": 0.01}])
def test_a_disk_with_its_centre_at_rest_precesses_steadily(changes: dict[str, float]) -> None:
    system = euler_disk(**changes)
    p = system.parameters
    rate = euler_disk.precession(**changes)
    if "h" in changes and changes["h"] < 1e-5:
        assert rate**2 * np.sin(p["alpha"]) == pytest.approx(4 * p["g"] / p["R"], rel=1e-4)
    turns = 3.0 * 2.0 * np.pi / rate
    sol = nsmb.simulate(system, t_end=turns, rtol=1e-10)
    e = axis(sol.q)
    np.testing.assert_allclose(e[:, 2], np.cos(p["alpha"]), atol=1e-7)
    lean = np.sin(p["alpha"]) * np.exp(1j * rate * sol.t)
    assert np.abs(e[:, 0] + 1j * e[:, 1] - lean).max() < 1e-6
    assert np.abs(sol.q[:, :2]).max() < 1e-8
    np.testing.assert_allclose(sol.lambda_N[:, 0], p["m"] * p["g"], rtol=1e-6)
    assert np.abs(sol.lambda_T[:, :2]).max() < 1e-5 * p["m"] * p["g"]


def test_a_slope_without_steady_precession_is_refused() -> None:
    with pytest.raises(ValueError, match="alpha: expected a slope with a steady precession"):
        euler_disk(alpha=1.5)


def test_a_thin_disk_keeps_its_energy_and_angular_momenta_while_it_rolls() -> None:
    """A nutating disk that rolls without slip conserves energy."""
    system = euler_disk(h=1e-3, mu=5.0)
    u = np.array(system.initial_state.u) * 1.15
    sol = nsmb.simulate(system, t_end=1.0, u=u, rtol=1e-10)
    energy = sol.energy.total
    assert np.ptp(energy) < 1e-8 * np.abs(energy).max()


def test_a_tippe_top_turns_over_and_keeps_jellett_s_constant() -> None:
    top = tippe_top()
    sol = nsmb.simulate(top)
    e = axis(sol.q)
    assert e[0, 2] > 0.99
    assert e[-1, 2] < -0.98
    stem = sol.events.of_kind("impact")[0]
    assert "stem" in stem.contacts
    first = int(np.searchsorted(sol.t, stem.t))
    assert sol.t[first - 1] > 3.0
    jellett = [tippe_top.jellett(q, u) for q, u in zip(sol.q[:first], sol.u[:first], strict=True)]
    # Measured: 2e-7 with the recommended 1e-8 per step.
    assert np.ptp(jellett) < 2e-6 * jellett[0]
    assert tippe_top.turns_over()


def test_a_top_outside_the_window_does_not_turn_over() -> None:
    """For it, I_1/I_3 = 0.7 < 1 - ε."""
    changes = {"I_1": 4.9e-7}
    assert not tippe_top.turns_over(**changes)
    sol = nsmb.simulate(tippe_top(**changes))
    assert axis(sol.q)[:, 2].min() > 0.9
