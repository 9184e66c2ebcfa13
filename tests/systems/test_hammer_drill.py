"""The hammer drill of Pfeiffer & Glocker, section 14.3."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid

import nsmb
from nsmb.systems import hammer_drill
from tests.systems.examples import Array, start

M1, M2, M3, M4, M5 = range(5)
A, B, G1, G2, G3, G4, G5 = range(7)
OPEN, STICK = int(nsmb.ContactState.OPEN), int(nsmb.ContactState.STICK)
TURNS = 30


@functools.cache
def settled(turns: int = TURNS, kept: int = 10, **changes: float) -> nsmb.Solution:
    """Return the last of several revolutions of the crank."""
    system = hammer_drill(**changes)
    assert system.period is not None
    before = nsmb.simulate(system, (turns - kept) * system.period, record="nothing")
    return nsmb.simulate(system, turns * system.period, start=before)


def rigid() -> nsmb.Solution:
    """Return a short run without backlash, as constraints are slow."""
    return settled(turns=10, kept=3, epsilon=0.0)


def crank(system: nsmb.System, t: Array | float) -> tuple[Array, Array, Array]:
    """Return x_A and two derivatives."""
    p = system.parameters
    r, Omega = p["r"], p["Omega"]
    wave = Omega * np.asarray(t)
    return r * np.sin(wave), r * Omega * np.cos(wave), -r * Omega**2 * np.sin(wave)


# ---- equations ----------------------------------------------------------------------------------


def test_mass_matrix_and_smooth_forces_are_the_printed_ones() -> None:
    """(14.28), (14.29) hold with the adiabatic law of the cushion and the tool in air."""
    system = hammer_drill()
    p = dict(system.parameters)
    rng = np.random.default_rng(3)
    for t in rng.uniform(0.0, 0.1, 5).tolist():
        x, v = np.concatenate([[0, 0, 0, 1e-3, 0], np.zeros(3)]), rng.uniform(-2.0, 2.0, 8)
        x += 1e-3 * rng.uniform(0.0, 1.0, 8)
        x_A, v_A, a_A = crank(system, t)
        M = np.diag([p[f"m_{i}"] for i in range(1, 9)])
        np.testing.assert_array_equal(system.mass_matrix(t, x), M)
        F_A = p["A"] * p["p_0"] * ((p["L_0"] / (p["L_0"] + x[0] + x_A - x[1])) ** p["kappa"] - 1.0)
        arm = [
            p[f"c_{k}"] * (x[j] - x[i]) + p[f"d_{k}"] * (v[j] - v[i])
            for k, i, j in ((1, 0, 5), (2, 5, 6), (3, 6, 7))
        ]
        oil_1, oil_2 = p["d_5"] * (v[0] + v_A - v[4]), p["d_5"] * (v[1] - v[4])
        h_1 = [
            arm[0] - oil_1 - p["m_A"] * a_A + F_A, -oil_2 - F_A, 0.0, 0.0, oil_1 + oil_2,
            arm[1] - arm[0], arm[2] - arm[1], -p["F"] - arm[2],
        ]  # fmt: skip
        # Rounding error of thousands of newtons.
        np.testing.assert_allclose(system.forces(t, x, v), h_1, atol=1e-9)


def test_contacts_and_guides_have_the_printed_directions() -> None:
    """(14.31), (14.32) hold. Guides 4 and 5 differ by the crank only."""
    system = hammer_drill()
    t, rng = 0.0123, np.random.default_rng(5)
    x, v = rng.uniform(-1e-3, 1e-3, 8), rng.uniform(-1.0, 1.0, 8)
    k = system.contact_kinematics(t, x, v)
    _, v_A, a_A = crank(system, t)
    rows = [(M4, M5), (M3, M5), (M2, M5), (M1, M5), (M1, M5)]
    expected = np.array([np.eye(8)[i] - np.eye(8)[j] for i, j in rows]).T
    unilateral = np.array([np.eye(8)[M2] - np.eye(8)[M3], np.eye(8)[M3] - np.eye(8)[M4]]).T
    np.testing.assert_array_equal(k["W_N"][:, :2], unilateral)
    np.testing.assert_allclose(k["g_N"][:2], [x[1] - x[2], x[2] - x[3]], rtol=0, atol=1e-18)
    np.testing.assert_array_equal(k["W_T"][:, 2:], expected)
    np.testing.assert_allclose(k["w_tilde_T"][2:], [0, 0, 0, v_A, 0], rtol=1e-14)
    np.testing.assert_allclose(k["w_bar_T"][2:], [0, 0, 0, a_A, 0], rtol=1e-14)


def test_a_drill_whose_crank_stands_still_rests_under_the_pressing_force() -> None:
    """F is transmitted through arm, coupling, backstop and pistons into the material."""
    system = hammer_drill(r=0.0)
    sol = nsmb.simulate(system, 0.05)
    forces = dict(zip(sol.element_names, sol.element_force[-1], strict=True))
    for name in ("c", "d"):
        assert forces[name] == pytest.approx(system.parameters["F"], rel=1e-6)
    assert forces["e"] == 0.0
    assert sol.lambda_N[-1, A] == 0.0
    assert sol.lambda_N[-1, B] == pytest.approx(system.parameters["F"], rel=1e-6)
    assert np.abs(sol.q - sol.q[0]).max() < 1e-9
    assert len(sol.events) == 0


# ---- cushion of air -----------------------------------------------------------------------------


def test_the_cushion_does_the_work_of_an_adiabatic_change() -> None:
    """∫F_A dL between any two lengths agrees by quadrature and in closed form."""
    system = hammer_drill()
    p = dict(system.parameters)
    state = system.initial_state

    def lengths(x_2: float) -> tuple[float, float]:
        q = state.q.copy()
        q[M2] = x_2
        return p["L_0"] + q[M1] - q[M2], float(system.potential_energy(0.0, q))

    (L_a, V_a), (L_b, V_b) = lengths(-0.02), lengths(0.025)
    work, _ = quad(lambda L: (p["L_0"] / L) ** p["kappa"] - 1.0, L_b, L_a, epsabs=0, epsrel=1e-13)
    assert V_b - V_a == pytest.approx(p["A"] * p["p_0"] * work, rel=1e-11)
    assert V_b - V_a > 1.0


def test_the_work_loop_of_the_cushion_is_closed() -> None:
    """F_A does no work between two instants with the same length of the cushion."""
    sol = settled()
    system = sol.system
    assert system is not None
    assert system.period is not None
    L_0 = system.parameters["L_0"]

    def length(t: Array) -> Array:
        q = sol.at(t).q
        return np.asarray(L_0 + q[:, M1] + crank(system, t)[0] - q[:, M2])

    # Two passages of the rest length, several revolutions apart.
    grid = np.linspace(sol.t[0], sol.t[-1], 4001)
    up = np.flatnonzero(np.diff(np.sign(length(grid) - L_0)) > 0)
    pair = []
    for k in (up[0], up[-1]):
        low, high = grid[k], grid[k + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            inside = length(np.array([middle]))[0] < L_0
            low, high = (middle, high) if inside else (low, middle)
        pair.append(low)
    assert pair[1] - pair[0] > 3.0 * system.period
    # Gauss quadrature between all samples, which include the events.
    knots = np.unique(np.concatenate([pair, sol.t[(sol.t > pair[0]) & (sol.t < pair[1])]]))
    nodes, weights = np.polynomial.legendre.leggauss(6)
    half = 0.5 * np.diff(knots)
    t = ((knots[:-1] + half)[:, None] + half[:, None] * nodes).ravel()
    u = sol.at(t).u
    power = hammer_drill.air(sol, t) * (u[:, M1] + crank(system, t)[1] - u[:, M2])
    area = (power.reshape(-1, 6) * weights * half[:, None]).sum()
    turned = (np.abs(power).reshape(-1, 6) * weights * half[:, None]).sum()
    assert turned > 10.0
    # Measured: 6e-11, due to the dense output.
    assert abs(area) < 1e-8 * turned


# ---- impacts ------------------------------------------------------------------------------------


def test_impacts_keep_the_momentum_of_the_chain_and_follow_newton() -> None:
    """For one contact at a time, e_N holds and half m_red (1 - e²) γ² is lost (7.11), (7.12)."""
    sol = settled()
    system = sol.system
    assert system is not None
    m = np.diag(system.mass_matrix(0.0, sol.q[0]))
    e = system.parameters["e_a"]
    impacts = sol.events.of_kind("impact")
    impacts = impacts[impacts.Lambda_N.max(axis=1) > 1e-6]  # smaller ones bring pistons to rest
    du = impacts.u_plus - impacts.u_minus
    assert len(impacts) > 100
    # N s, of momenta up to 1 N s
    assert np.abs(du[:, 1:4] @ m[1:4]).max() < 1e-14
    assert np.abs(du[:, [M1, M5, 5, 6, 7]]).max() < 1e-9
    for contact, (i, j) in ((A, (M2, M3)), (B, (M3, M4))):
        alone = (impacts.Lambda_N[:, contact] > 0) & (impacts.Lambda_N[:, 1 - contact] == 0)
        before = (impacts.u_minus[:, i] - impacts.u_minus[:, j])[alone]
        after = (impacts.u_plus[:, i] - impacts.u_plus[:, j])[alone]
        hard = np.abs(before) > 0.01  # softer ones may count as accumulated and inelastic
        assert hard.sum() > 10
        np.testing.assert_allclose(after[hard], -e * before[hard], rtol=1e-9)
        loss = 0.5 * m[i] * m[j] / (m[i] + m[j]) * (1 - e**2) * before**2
        np.testing.assert_allclose(impacts.energy_loss[alone][hard], loss[hard], rtol=1e-9)


def blows(sol: nsmb.Solution) -> list[nsmb.results.Events]:
    """Return the impacts of every revolution from the hardest one of contact a on."""
    system = sol.system
    assert system is not None
    period = system.period
    assert period is not None
    impacts = sol.events.of_kind("impact")
    found = []
    for turn in range(TURNS - 10, TURNS - 1):
        rows = (impacts.t >= turn * period) & (impacts.t < (turn + 1) * period)
        blow = impacts[rows].t[impacts[rows].Lambda_N[:, A].argmax()]
        found.append(impacts[(impacts.t >= blow) & (impacts.t < blow + 0.2 * period)])
    return found


def test_impacts_come_in_the_order_of_figure_14_18() -> None:
    """Primary hits secondary, which hits tool and primary. Tool hits secondary, then backstop."""
    sol = settled()
    system = sol.system
    assert system is not None
    period = system.period
    assert period is not None
    c = sol.element_names.index("c")
    for impacts in blows(sol):
        hard = impacts[impacts.Lambda_N.max(axis=1) > 0.1]
        order = ["ab"[int(k)] for k in hard.Lambda_N[:, :2].argmax(axis=1)]
        assert order[:4] == ["a", "b", "a", "b"]
        before, after = hard.u_minus, hard.u_plus
        assert before[0, M2] < -8.0  # m/s: 5 J and more
        assert before[1, M3] < 0.0 < after[1, M3]  # the secondary piston bounces back
        assert before[2, M2] < 0.0 < after[2, M2]  # and pushes the primary one upwards
        assert after[1, M4] < 0.0 < before[3, M4]  # the tool comes back from the material
        assert after[3, M3] > 0.0 > before[3, M3]  # and throws the secondary piston
        soon = (sol.t > hard.t[3]) & (sol.t < hard.t[3] + 0.05 * period)  # at the backstop
        assert sol.element_force[soon, c].max() > 2.0 * system.parameters["F"]
        # Then tool and secondary piston collide in quick succession.
        assert len(impacts.at_contact("b")) > 5


def test_the_tool_comes_back_with_half_of_its_energy() -> None:
    """F_f returns c_f1/c_f2 exactly, and guide 1 dissipates some of it."""
    sol = settled()
    system = sol.system
    assert system is not None
    for impacts in blows(sol):
        hard = impacts[impacts.Lambda_N.max(axis=1) > 0.1]
        t = np.linspace(hard.t[1], hard.t[3], 20001)[:-1]
        at = sol.at(t)
        inside = at.q[:, M4] < 0.0
        entry, end = t[inside][0], t[inside][-1]
        assert hard.t[2] < end < hard.t[3]
        down, up = (sol.at(s).u[M4] for s in (entry, end))
        assert 0.48 < (up / down) ** 2 < 0.5
        power = hammer_drill.material(sol, t) * at.u[:, M4]
        shares = [trapezoid(np.maximum(sign * power, 0.0), t) for sign in (1.0, -1.0)]
        # Error of the trapezoidal rule.
        assert shares[0] / shares[1] == pytest.approx(0.5, rel=1e-4)


def test_with_these_data_all_blows_are_the_same() -> None:
    sol = settled()
    system = sol.system
    assert system is not None
    assert system.period is not None
    q = sol.at((TURNS - 10 + np.arange(10)) * system.period).q
    # m, of 17 mm. Measured: 2.5e-5, decreasing with each revolution.
    change = np.abs(np.diff(q, axis=0)).max(axis=1)
    assert change.max() < 1e-4
    assert change[-1] < 0.5 * change[0]


# ---- guides -------------------------------------------------------------------------------------


def test_of_guides_four_and_five_one_sticks_at_most_while_the_piston_moves() -> None:
    sol = settled()
    system = sol.system
    assert system is not None
    moves = np.abs(crank(system, sol.t)[1]) > 1e-9
    sticks = sol.contact_state[:, [G4, G5]] == STICK
    assert not sticks[moves].all(axis=1).any()
    assert sticks[:, 1].any()
    assert (~sticks).all(axis=1).any()
    difference = sol.gamma_T[:, G4] - sol.gamma_T[:, G5]
    np.testing.assert_allclose(difference, crank(system, sol.t)[1], atol=1e-12)


@pytest.mark.parametrize("shift", [-5e-7, 0.0, 1e-6])
def test_where_both_may_stick_the_sum_of_their_forces_is_unique(shift: float) -> None:
    """With the crank at rest, the sum keeps casing and cylinder together.

    Each force is free within its bound. The library picks one split and reports that it is not
    unique.
    """
    system = hammer_drill(r=0.0)
    p = dict(system.parameters)
    q, u = system.initial_state.q.copy(), np.zeros(8)
    q[M1] += shift
    u[M2:M5] = 3e-3, 2e-3, -1e-3  # pistons and tool separate and slide, all else is at rest
    found = nsmb.instant.accelerations(system, 0.0, q, u)
    assert found.roles[G4] == found.roles[G5] == "may stick"
    assert found.enumerated
    assert found.unique_forces is False
    assert found.unique_accelerations is True
    assert found.udot is not None
    assert found.lambda_T is not None
    x = q - system.initial_state.q
    air = p["A"] * p["p_0"] * ((p["L_0"] / (p["L_0"] + q[M1] - q[M2])) ** p["kappa"] - 1.0)
    on_1 = -(p["c_1"] + p["c_d"]) * x[M1] + air
    on_5 = p["c_d"] * x[M1] + p["d_c"] * u[M3] + p["d_5"] * u[M2]
    on_5 += p["F_R3"] + p["F_R2"] - p["F_R1"]
    m_1, m_5 = p["m_1"], p["m_5"]
    total = (m_1 * on_5 - m_5 * on_1) / (m_1 + m_5)  # on body 1: equal accelerations
    assert len(found.solutions) > 2
    for solution in found.solutions:
        pair = solution.lambda_T[[G4, G5]]
        assert pair.sum() == pytest.approx(total, abs=1e-9)
        assert (np.abs(pair) <= np.array([p["F_R4"], p["F_R5"]]) + 1e-9).all()
    assert np.ptp([solution.lambda_T[G4] for solution in found.solutions]) > 1.0
    assert found.lambda_T[[G4, G5]].sum() == pytest.approx(total, abs=1e-9)
    np.testing.assert_allclose(found.udot[[M1, M5]], (on_1 + on_5) / (m_1 + m_5), atol=1e-9)


# ---- coupling -----------------------------------------------------------------------------------


def test_the_acceleration_of_the_handle_is_the_slope_of_its_velocity() -> None:
    for sol in (settled(), rigid()):
        t = np.linspace(sol.t[0], sol.t[-1], 500)[1:-1]
        away = np.abs(t[:, None] - np.unique(sol.events.t)).min(axis=1) > 2e-6
        t = t[away]
        assert t.size > 100
        h = 1e-6
        slope = (sol.at(t + h).u[:, M1] - sol.at(t - h).u[:, M1]) / (2 * h)
        # Error of h² for stops at 4000 rad/s, 1e-5 of 500 m/s².
        np.testing.assert_allclose(hammer_drill.acceleration(sol, t), slope, atol=0.05)


def test_backlash_in_the_coupling_gives_peaks_of_both_signs() -> None:
    """Peaks are those of Fig. 14.19. A rigid joint never pulls harder than smooth forces."""
    peaks = []
    for sol in (settled(), rigid()):
        a = hammer_drill.acceleration(sol, np.linspace(sol.t[0], sol.t[-1], 8001))
        peaks.append((a.min(), a.max()))
    with_backlash, without = peaks
    p = hammer_drill().parameters
    # Pull without stops, from the arm and from air below ambient pressure.
    smooth = -(1.2 * p["F"] + 0.6 * p["A"] * p["p_0"]) / p["m_1"]
    assert without[0] > smooth
    assert with_backlash[0] < 2.0 * smooth
    assert with_backlash[1] > 1.2 * without[1] > 200.0


def test_hard_stops_give_the_handle_peaks_that_a_rigid_coupling_does_not_give() -> None:
    """Without backlash, pushes fall by more than half and pulls by three quarters (Fig. 14.19)."""
    hard = nsmb.systems.hammer_drill.parameter_sets["hard_stops"]
    peaks = []
    for epsilon in (hard["epsilon"], 0.0):
        sol = settled(turns=8, kept=3, **{**hard, "epsilon": epsilon})
        a = hammer_drill.acceleration(sol, np.linspace(sol.t[0], sol.t[-1], 8001))
        peaks.append((a.max(), -a.min()))
    pushes, pulls = zip(*peaks, strict=True)
    assert pushes[1] < 0.5 * pushes[0]  # 0.31
    assert pulls[1] < 0.25 * pulls[0]  # 0.10


# ---- energy and misuse --------------------------------------------------------------------------


def test_the_books_of_energy_close() -> None:
    for sol in (settled(), rigid()):
        energy = sol.energy
        # Measured: 2e-8 at rtol 1e-8.
        assert energy.relative < 1e-6
        assert energy.impact_loss[-1] > 0.3 * energy.work[-1]


def test_wrong_data_are_refused() -> None:
    for c_f2 in (1e7, 3e7):
        with pytest.raises(
            ValueError, match=r"parameter 'c_f2': expected a number > c_f1 = 3e\+07"
        ):
            hammer_drill(c_f2=c_f2)
    with pytest.raises(ValueError, match=r"parameter 'epsilon': expected a number >= 0, got -0\.1"):
        hammer_drill(epsilon=-0.1)
    with pytest.raises(ValueError, match=r"solution\.system: expected a hammer_drill, got 'wood"):
        hammer_drill.air(start(nsmb.systems.woodpecker()), [0.0])
