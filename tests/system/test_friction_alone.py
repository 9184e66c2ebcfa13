"""Friction in a plane and friction without a gap: closed-form motions, in both kinds of systems."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]
G, MU = 10.0, 0.5


def across(t: float, q: Array) -> list[list[float]]:
    """Return the directions of friction in the plane z = 0."""
    return [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]


def height(t: float, q: Array) -> float:
    return float(q[2])


def belt(t: float, q: Array) -> list[float]:
    return [-0.6, -0.8]


def weight(t: float, q: Array, u: Array) -> list[float]:
    return [0.0, 0.0, -G]


def puck(kind: str, moving: bool = False, aspect: float = 1.0) -> nsmb.System:
    """Unit mass on a plane, which may move at 0.6 and 0.8 m/s."""
    law = nsmb.ContactLaw(mu=MU, aspect=aspect)
    if kind == "linear":
        floor = nsmb.Contact(
            w_N=[0, 0, 1],
            w_T=across(0.0, np.zeros(3)),
            law=law,
            w_tilde_T=[-0.6, -0.8] if moving else 0.0,
        )
        return nsmb.LinearSystem(np.eye(3), force=[0, 0, -G], contacts=[floor])
    contact = nsmb.Contact(
        height, w_T=across, law=law, w_tilde_T=belt if moving else None, tangents=2
    )
    return nsmb.CallbackSystem(["x", "y", "z"], np.eye(3), weight, [contact])


both = pytest.mark.parametrize("kind", ["linear", "callback"])


@both
def test_a_puck_slides_straight_and_stops(kind: str) -> None:
    """v = 5 m/s along (3, 4): deceleration μ g, 1 s and 2.5 m to rest."""
    sol = nsmb.simulate(puck(kind), 2.0, u=[3.0, 4.0, 0.0], rtol=1e-10)
    assert sol.lambda_T.shape == sol.gamma_T.shape == (sol.t.size, 2)
    assert sol.tangent_names == ("contact_1.1", "contact_1.2")
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(sol.q[-1], [1.5, 2.0, 0.0], atol=1e-9)
    slides = sol.contact_state[:, 0] == nsmb.ContactState.SLIP
    assert slides.any()
    np.testing.assert_allclose(
        sol.lambda_T[slides], np.broadcast_to([-3.0, -4.0], (slides.sum(), 2)), atol=1e-6
    )


@both
def test_a_puck_put_on_a_belt_gets_its_velocity(kind: str) -> None:
    """Prescribed velocities per direction: 1 m/s is reached after 1/(μ g)."""
    sol = nsmb.simulate(puck(kind, moving=True), 0.5, rtol=1e-10)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(0.2, abs=1e-8)  # measured 1.2e-9
    np.testing.assert_allclose(sol.u[-1], [0.6, 0.8, 0.0], atol=1e-9)


@both
def test_aspect_scales_friction_along_the_second_direction(kind: str) -> None:
    system = puck(kind, aspect=0.5)
    for u, force in (([1.0, 0, 0], -5.0), ([0, 1.0, 0], -2.5)):
        sol = nsmb.simulate(system, 0.01, u=u)
        assert sol.lambda_T[0, np.argmax(u)] == pytest.approx(force, rel=1e-9)


def test_an_oscillator_with_given_friction_loses_twice_bound_over_stiffness_per_half_period() -> (
    None
):
    """q̈ + 9 q = ∓ 1: turning points at 2, -(2 - 2/9), 2 - 4/9, ... every π/3.

    The mass sticks within ±1/9.
    """
    guide = nsmb.Friction(w_T=[1.0], bound=1.0, name="guide")
    sol = nsmb.simulate(nsmb.LinearSystem([[1.0]], [[9.0]], contacts=[guide]), 20.0, q=[2.0])
    turns = sol.events.of_kind("reversal")
    n = len(turns)
    k = np.arange(1, n + 1)
    np.testing.assert_allclose(turns.t, k * np.pi / 3, rtol=1e-12)
    np.testing.assert_allclose(turns.q[:, 0], (-1.0) ** k * (2 - 2 * k / 9), atol=1e-12)
    assert sol.events.kinds[-1] == "stick"
    assert abs(sol.q[-1, 0]) <= 1 / 9
    assert np.abs(sol.lambda_T[-1, 0]) <= 1.0
    np.testing.assert_array_equal(sol.g_N, 0.0)


def twist(t: float, q: Array) -> list[float]:
    return [0.0, 1.0]


def up(t: float, q: Array) -> float:
    return float(q[0])


def down(t: float, q: Array, u: Array) -> list[float]:
    return [-G, 0.0]


def given(t: float, q: Array, u: Array) -> float:
    return 0.25


@pytest.mark.parametrize("kind", ["linear", "callback", "callback with a function"])
def test_several_share_one_normal_force(kind: str) -> None:
    """A disc on the floor rotates against 0.25 + (0.1 + 0.05) λ_N with λ_N = m g = 10."""
    start = nsmb.State(0.0, np.zeros(2), np.array([0.0, 3.5]))
    if kind == "linear":
        system: nsmb.System = nsmb.LinearSystem(
            np.eye(2),
            force=[-G, 0.0],
            contacts=[
                nsmb.Friction(w_T=[0, 1], mu=0.1, normal="floor", name="rim"),
                nsmb.Contact(w_N=[1, 0], name="floor"),
                nsmb.Friction(w_T=[0, 1], mu=0.05, bound=0.25, normal="floor", name="hub"),
            ],
            initial_state=start,
        )
    else:
        bound: Any = given if kind == "callback with a function" else 0.25
        system = nsmb.CallbackSystem(
            ["z", "phi"],
            np.eye(2),
            down,
            [
                nsmb.Friction(w_T=twist, mu=0.1, normal="floor", name="rim"),
                nsmb.Contact(up, name="floor"),
                nsmb.Friction(w_T=twist, mu=0.05, bound=bound, normal="floor", name="hub"),
            ],
            initial_state=start,
        )
    assert system.contacts[0].normal == "floor"
    assert [contact.is_unilateral for contact in system.contacts] == [False, True, False]
    sol = nsmb.simulate(system, 3.0)
    assert sol.gapless == {"rim", "hub"}
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(2.0, rel=1e-9)
    np.testing.assert_allclose(sol.lambda_T[0], [-1.0, 0.0, -0.75], rtol=1e-9, atol=1e-12)
    assert sol.q[-1, 1] == pytest.approx(3.5, rel=1e-9)  # v²/(2 a)


def test_friction_without_normal_force_has_none() -> None:
    """In the air the floor does not brake the disc."""
    system = nsmb.LinearSystem(
        np.eye(2),
        contacts=[
            nsmb.Contact(w_N=[1, 0], name="floor"),
            nsmb.Friction(w_T=[0, 1], mu=0.5, normal="floor"),
        ],
    )
    sol = nsmb.simulate(system, 1.0, q=[1.0, 0.0], u=[0.0, 2.0])
    np.testing.assert_allclose(sol.q[-1], [1.0, 2.0], rtol=1e-14)


# Stops ----------------------------------------------------------------------------------------


def place(t: float, q: Array) -> float:
    return float(q[0])


def free(t: float, q: Array, u: Array) -> list[float]:
    return [0.0]


@both
def test_a_mass_bounces_between_two_stops(kind: str) -> None:
    """±1 m, 2 m/s, e = 1/2: hits after 0.5 s, then 2 m at 1 m/s, 0.5 m/s, ..."""
    law = nsmb.ContactLaw(e_N=0.5)
    if kind == "linear":
        system: nsmb.System = nsmb.LinearSystem(
            [[1.0]], contacts=nsmb.two_sided_stop([1.0], -1.0, 1.0, law)
        )
    else:
        stops = nsmb.two_sided_stop(place, -1.0, 1.0, law, "stop", w_N=lambda t, q: [1.0])
        system = nsmb.CallbackSystem(["x"], [[1.0]], free, stops)
    assert system.contact_names == ("stop.lower", "stop.upper")
    sol = nsmb.simulate(system, 10.0, u=[2.0])
    np.testing.assert_allclose(sol.events.t, [0.5, 2.5, 6.5], rtol=1e-12)
    assert [event.contacts for event in sol.events] == [
        ("stop.upper",), ("stop.lower",), ("stop.upper",)
    ]  # fmt: skip
    assert sol.q[-1, 0] == pytest.approx(1.0 - 3.5 * 0.25, rel=1e-12)


# Coefficients that depend on the speed --------------------------------------------------------


def sliding(curve: Any, mu: float = 0.4) -> nsmb.Solution:
    law = nsmb.ContactLaw(mu=mu, curve=curve)
    floor = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=law)
    block = nsmb.LinearSystem(np.eye(2), force=[0, -G], contacts=[floor])
    return nsmb.simulate(block, 3.0, u=[3.0, 0.0], rtol=1e-10)


def test_stribeck_friction_is_the_formula() -> None:
    sol = sliding(nsmb.Stribeck(mu_d=0.2, v_s=0.5, delta=2.0, k=0.01))
    slides = sol.contact_state[:, 0] == nsmb.ContactState.SLIP_POSITIVE
    v = sol.u[slides, 0]
    assert v.max() == 3.0
    mu = 0.2 + 0.2 * np.exp(-((v / 0.5) ** 2)) + 0.01 * v
    np.testing.assert_allclose(-sol.lambda_T[slides, 0] / G, mu, rtol=1e-12)
    assert sol.events.kinds == ["stick"]
    # v̇ = -μ(v) g: the time to stop is ∫ dv/(μ g)
    from scipy.integrate import quad

    time, _ = quad(lambda w: 1 / (G * (0.2 + 0.2 * np.exp(-((w / 0.5) ** 2)) + 0.01 * w)), 0, 3)
    assert sol.events.t[0] == pytest.approx(time, rel=1e-8)


def test_table_of_friction_passes_through_its_points_and_stays_beyond() -> None:
    from scipy.interpolate import PchipInterpolator

    speeds, values = [0.0, 0.1, 0.5, 2.0], [0.4, 0.3, 0.2, 0.25]
    sol = sliding(nsmb.FrictionTable(speeds, values))
    slides = sol.contact_state[:, 0] == nsmb.ContactState.SLIP_POSITIVE
    v = sol.u[slides, 0]
    expected = PchipInterpolator(speeds, values)(np.minimum(v, 2.0))
    np.testing.assert_allclose(-sol.lambda_T[slides, 0] / G, expected, rtol=1e-12)


def test_a_curve_must_begin_at_mu() -> None:
    with pytest.raises(
        ValueError, match=r"contact 'contact_1': mu: expected the .* 0\.4, got 0\.3"
    ):
        sliding(nsmb.FrictionTable([0, 1], [0.4, 0.2]), mu=0.3)
