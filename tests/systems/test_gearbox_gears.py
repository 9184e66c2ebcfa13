"""The gearbox of fig. 12.1 in all gears, with one, two and three stages."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.analysis import PoincareMap, on_event
from nsmb.systems import gear_rattling, gearbox_branched

Array = NDArray[np.float64]
FORWARD = ("first", "second", "third", "fifth")
P = dict(gearbox_branched().parameters)


@pytest.mark.parametrize("gear", [*FORWARD, "fourth", "reverse"])
def test_wheels_of_each_gear_are_those_of_the_book(gear: str) -> None:
    """The countershaft rattles in fourth gear (12.1.2).

    In other gears it is loaded, and the wheel of the engaged gear is not loose.
    """
    loose = [name for name in FORWARD if name != gear]
    shaft = ["counter"] if gear == "fourth" else []
    back = [] if gear == "reverse" else ["idler", "reverse"]
    system = gearbox_branched(gear=gear, loose="all")
    assert list(system.coordinates) == [f"s_{name}" for name in (*shaft, *loose, *back)]
    few = [name for name in loose if name in ("first", "third")]
    system = gearbox_branched(gear=gear)
    assert list(system.coordinates) == [f"s_{name}" for name in (*shaft, *few, *back)]


def hand_written() -> tuple[Array, Array, Array]:
    """Return I, W (12.2) and v of all loose wheels in fourth gear, by fig. 12.1."""
    names = ("counter", *FORWARD, "idler", "reverse")
    W = -np.diag([P[f"r_{name}"] for name in names])
    for j in range(1, 6):
        W[0, j] = P[f"R_{names[j]}"]
    W[5, 6] = P["r_idler"]
    return np.array([P[f"I_{name}"] for name in names]), W, np.eye(7)[0]


def test_every_flight_and_every_impact_is_that_of_the_book() -> None:
    """(12.3), (12.4) hold between impacts, and I Δφ̇ = W Λ, ṡ⁺ = -ε ṡ⁻ in each of them."""
    system = gearbox_branched(loose="all")
    sol = nsmb.simulate(system, 0.5, output_step=0.0)
    assert set(sol.events.kinds) == {"impact"}
    I, W, v = hand_written()
    B, c, size, omega = P["beta"] * P["omega"], P["T"] / I, P["r_e"] * P["A"], P["omega"]

    def rotations(t: float, s: Array, s_dot: Array) -> tuple[Array, Array]:
        e = size * np.array([np.sin(omega * t), omega * np.cos(omega * t)])
        return np.linalg.solve(W.T, s - v * e[0]), np.linalg.solve(W.T, s_dot - v * e[1])

    start = system.initial_state
    t, (phi, phi_dot) = start.t, rotations(start.t, start.q, start.u)
    worst, alone = np.zeros(4), 0
    for event in sol.events:
        decay = np.exp(-B * (event.t - t))
        phi_end = phi + (1.0 - decay) / B * (phi_dot + c / B) - c / B * (event.t - t)  # (12.3)
        before = decay * (phi_dot + c / B) - c / B  # (12.4)
        found, found_dot = rotations(event.t, event.q, event.u_minus)
        _, after = rotations(event.t, event.q, event.u_plus)
        worst[0] = max(worst[0], np.abs(found - phi_end).max())
        worst[1] = max(worst[1], np.abs(found_dot - before).max())
        impulses = event.Lambda_N[1::2] - event.Lambda_N[::2]
        worst[2] = max(worst[2], np.abs(I * (after - found_dot) - W @ impulses).max())
        if len(event.contacts) == 1:
            alone += 1
            j = system.contact_names.index(event.contacts[0]) // 2
            worst[3] = max(worst[3], abs(event.u_plus[j] + P["e"] * event.u_minus[j]))
        t, phi, phi_dot = event.t, found, after
    assert alone > 800
    # Magnitudes are 0.03 rad, 3 rad/s, 1e-2 N m s and 0.05 m/s. Measured: 1.5e-14, relative.
    assert (worst < 1e-12 * np.array([0.03, 3.0, 1e-2, 0.05])).all(), worst


@pytest.mark.parametrize("name", FORWARD)
def test_behind_a_loaded_countershaft_each_wheel_is_the_single_stage(name: str) -> None:
    """(12.14) holds with α = R/r_counter r_e A/v, by the exact map (12.15), (12.16)."""
    system = gearbox_branched(gear="reverse", loose="all")
    sol = nsmb.simulate(system, 0.15, output_step=0.0)
    j = system.coordinates.index(f"s_{name}")
    hits = sol.events.of_kind("impact")
    hits = hits[hits.contacts[:, 2 * j : 2 * j + 2].any(axis=1)]
    alpha = P[f"R_{name}"] / P["r_counter"] * P["r_e"] * P["A"] / P["v"]
    gamma = P["T"] * P[f"r_{name}"] / (P[f"I_{name}"] * P["omega"] ** 2 * P["v"])
    exact = gear_rattling.impact_map(alpha, P["beta"], gamma, P["e"]).iterate(
        0.0, -0.5, 0.0, len(hits)
    )
    assert len(hits) > 15
    # Rounding grows in chaos. Measured: at most 1.4e-9.
    np.testing.assert_allclose(P["omega"] * hits.t, exact.tau, rtol=0, atol=1e-8)
    speeds = hits.u_plus[:, j] / (P["omega"] * P["v"])
    np.testing.assert_allclose(speeds, exact.s_dot_plus, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["second", "fifth"])
def test_a_wheel_is_let_go_by_the_amplitude_of_the_closed_form(name: str) -> None:
    """Drag holds it on its flank as long as r_e A ω² √(1 + β²) R/r_counter <= T r/I."""
    ratio = P[f"R_{name}"] / P["r_counter"]
    least = P["T"] * P[f"r_{name}"] / P[f"I_{name}"]
    least /= ratio * P["r_e"] * P["omega"] ** 2 * np.sqrt(1.0 + P["beta"] ** 2)
    for factor, leaves in ((1.0 - 1e-6, False), (1.0 + 1e-4, True)):
        system = gearbox_branched(gear="reverse", loose="all", A=factor * least)
        begin = nsmb.State(0.0, np.zeros(4), np.zeros(4))
        events = nsmb.simulate(system, 0.1, start=begin, output_step=0.0).events
        assert (len(events.at_contact(f"{name}.driving")) > 0) == leaves


@pytest.mark.parametrize("name", ["second", "fifth"])
def test_a_loose_wheel_has_the_second_moment_of_the_mean_value_theory(name: str) -> None:
    """(12.24) holds undamped for ε = 0.5, α = 1, J_2 of the run and (r/r_e)² of both meshes."""
    ratio = P[f"R_{name}"] / P["r_counter"] / P[f"r_{name}"] * P["r_e"]  # φ̇ of the wheel to φ̇_e
    A = P["v"] * P["r_counter"] / (P[f"R_{name}"] * P["r_e"])
    system = gearbox_branched(gear="reverse", loose="all", A=A, e=0.5, beta=0.0, T=0.0)
    j = system.coordinates.index(f"s_{name}")
    found = None
    for side in ("driving", "driven"):
        section = on_event("impact", f"{name}.{side}")
        points = PoincareMap(system, section).iterate(1500, skip=200)
        speed = ratio * A * P["omega"]
        relative = points.y_plus[:, 4 + j] / P[f"r_{name}"]
        cosine = np.cos(P["omega"] * points.t)
        squares = (speed * cosine - relative) ** 2  # r φ̇ = ė R/r_c - ṡ
        mean = np.array([squares.mean(), (cosine**2).mean()])
        found = mean if found is None else 0.5 * (found + mean)
    assert found is not None
    theory = gear_rattling.second_moment(found[1], 0.5, alpha=ratio * A * P["omega"])
    # Measured: 8 % and 9 % too large, like ε = 0.5 in test_rattling_theory.py.
    assert theory == pytest.approx(found[0], rel=0.12)


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="parameter 'gear': expected one of 'first' \\(0\\)"):
        gearbox_branched(gear="sixth")
    with pytest.raises(ValueError, match="parameter 'loose': expected one of 'first and third'"):
        gearbox_branched(loose="none")
    with pytest.raises(ValueError, match="parameter 'r_counter': expected a number > 0, got 0"):
        gearbox_branched(gear="third", r_counter=0.0)
