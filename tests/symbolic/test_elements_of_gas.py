"""Gas springs and air cushions: stages, volumes, energies, and their ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import nsmb
from nsmb import symbolic
from nsmb.symbolic.elements import air_cushion, gas_spring
from tests.symbolic.slides import MASSES, by_energies, move_alike

M = MASSES[0]
STRUT: dict[str, Any] = {
    "area": 2e-4, "volume_1": 4e-5, "pressure_1": 1e5, "volume_2": 3e-5, "pressure_2": 4e5,
    "exponent": 1.25,
}  # fmt: skip
A, V1, P1, V2, P2, N = STRUT.values()
S_A = V1 / A * (1.0 - (P1 / P2) ** (1.0 / N))  # (14.79)
V_A = V1 * (P1 / P2) ** (1.0 / N) + V2


def strut(**changes: Any) -> Any:
    return lambda q, u: gas_spring("strut", q[0], u[0], **(STRUT | changes))


def value(expression: Any, symbol: Any, at: float, mode: float) -> float:
    """Return the value of the expression with all its modes set to `mode`."""
    modes = {s: mode for s in expression.free_symbols if isinstance(s, symbolic.symbols.Mode)}
    return float(expression.subs({symbol: at} | modes))


s = symbolic.coordinates("s")
FORCE = -gas_spring("strut", s, **STRUT).force.subs(s.velocity, 0)


def test_the_force_is_continuous_and_its_slope_not_at_the_change_of_stage() -> None:
    one, two = (value(FORCE, s, S_A, mode) for mode in (0.0, 1.0))
    np.testing.assert_allclose([one, two], A * P2, rtol=1e-12)
    slopes = [value(FORCE.diff(s), s, S_A, mode) for mode in (0.0, 1.0)]
    np.testing.assert_allclose(slopes, [N * A**2 * P2 / V for V in (V_A - V2, V_A)], rtol=1e-12)
    assert slopes[0] / slopes[1] > 2.0


def test_both_chambers_share_the_stroke_by_their_volumes() -> None:
    # (14.80)-(14.83): K Δs = A_1 Δy_1 + A_2 Δy_2 with equal pressures.
    stroke = S_A + 0.05
    p = value(FORCE, s, stroke, 1.0) / A
    V1_A = V1 * (P1 / P2) ** (1.0 / N)
    one, two = (V * (1.0 - (P2 / p) ** (1.0 / N)) for V in (V1_A, V2))
    np.testing.assert_allclose(one + two, A * (stroke - S_A), rtol=1e-12)
    np.testing.assert_allclose(two / one, V2 / V1_A, rtol=1e-12)  # (14.82), times the areas
    # and p V^n of each is constant
    np.testing.assert_allclose(p * (V1_A - one) ** N, P1 * V1**N, rtol=1e-12)
    np.testing.assert_allclose(p * (V2 - two) ** N, P2 * V2**N, rtol=1e-12)


def test_a_body_that_falls_on_it_turns_where_the_work_says() -> None:
    v = 6.0
    sol = nsmb.simulate(by_energies(strut(), a_dot=v), 0.05, rtol=1e-12)
    change = sol.events.at_element("strut.second")
    np.testing.assert_allclose(change.q[0, 0], S_A, rtol=1e-10)

    def work(stroke: float) -> float:
        stage_1 = P1 * V1 / (N - 1) * ((P2 / P1) ** ((N - 1) / N) - 1)
        return stage_1 + P2 * V_A / (N - 1) * ((1 - A * (stroke - S_A) / V_A) ** (1 - N) - 1)

    turns = brentq(lambda x: work(x) - M * v**2 / 2, S_A, S_A + 0.999 * V_A / A)
    sol = nsmb.simulate(by_energies(strut(), a_dot=v), 1.0, rtol=1e-12)
    assert float(sol.q.max()) <= turns + 1e-9
    top = nsmb.simulate(
        by_energies(strut(), a_dot=v),
        0.2,
        rtol=1e-12,
        events=[nsmb.When(lambda t, q, u: u[0], name="turn")],
    )
    np.testing.assert_allclose(top.events.named("turn").q[0, 0], turns, rtol=1e-9)
    np.testing.assert_allclose(sol.energy.total, M * v**2 / 2, rtol=1e-9)


def test_oil_takes_the_square_of_the_speed_by_direction() -> None:
    system = by_energies(strut(oil_in=30.0, oil_out=70.0))
    plain = by_energies(strut())
    x = plain.initial_state.x
    for speed, lost in ((2.0, 30.0 * 4.0), (-3.0, -70.0 * 9.0), (0.0, 0.0)):
        forces = [each.forces(0.0, [0.02], [speed], x)[0] for each in (plain, system)]
        np.testing.assert_allclose(forces[0] - forces[1], lost, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("oil", [0.0, 3.0])
def test_a_strut_between_bodies_is_the_same(oil: float) -> None:
    sol = move_alike(
        strut(oil_in=oil, oil_out=2 * oil, ambient=1e5), 0.1, weight=[-9.81], a_dot=8.0
    )
    assert len(sol.events) >= 1


def test_one_chamber_needs_no_mode() -> None:
    one = gas_spring("strut", s, area=A, volume_1=V1, pressure_1=P1)
    assert not one.watch
    with pytest.raises(ValueError, match=r"element 'strut': expected both of volume_2 and"):
        gas_spring("strut", s, area=A, volume_1=V1, pressure_1=P1, volume_2=V2)


# ---- air cushion ----------------------------------------------------------------------------


def cushion(q: Any, u: Any) -> Any:
    return air_cushion("air", q[0] - q[1], u[0] - u[1], area=1e-3, length_0=0.05)


def test_a_cushion_swings_with_its_adiabatic_stiffness() -> None:
    reduced = M * MASSES[1] / (M + MASSES[1])
    omega = np.sqrt(1.4 * 101325.0 * 1e-3 / 0.05 / reduced)
    small = 1e-6
    sol = nsmb.simulate(
        by_energies(cushion, 2, a=0.05, a_dot=small), 2.25 * np.pi / omega, rtol=1e-12
    )
    np.testing.assert_allclose((sol.u[-1] @ [1.0, -1.0]) / small, np.cos(2.25 * np.pi), atol=1e-5)


def test_a_loop_of_a_cushion_does_no_work() -> None:
    sol = nsmb.simulate(by_energies(cushion, 2, a=0.05, a_dot=-3.0), 0.3, rtol=1e-12)
    total = sol.energy.total
    assert sol.q.min() < 0.03
    np.testing.assert_allclose(total, total[0], rtol=1e-9)
    L = sp.Symbol("L", positive=True)
    element = air_cushion("air", L, 1, area=1e-3, length_0=0.05)
    difference = sp.lambdify(L, element.energy.diff(L) + element.force)
    for length in (0.01, 0.05, 0.2):
        assert abs(difference(length)) < 1e-9


def test_cushions_between_bodies_are_the_same() -> None:
    move_alike(cushion, 0.2, 2, a=0.05, a_dot=-3.0, weight=[0.0, 3.0])
