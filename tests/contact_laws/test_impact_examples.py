"""Impacts by Poisson and Newton: the examples of the book.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 7, 8.
"""

from typing import Any

import numpy as np
import pytest

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw
from tests.contact_laws.impacts import LAWS_OF_IMPACT, Impact, split
from tests.contact_laws.planar import Contacts, contacts

# E8: two point masses (7.20)-(7.25) -----------------------------------------------------------


@pytest.mark.parametrize("law_of_impact", [ImpactLaw.Newton, ImpactLaw.Poisson])
@pytest.mark.parametrize("e_N", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("m_1", "m_2"), [(1, 1), (2, 5), (1e3, 1e-3)])
def test_two_masses_collide_in_closed_form(
    m_1: float, m_2: float, e_N: float, law_of_impact: ImpactLaw
) -> None:
    """(7.22), (7.23); with one contact both laws agree (8.78)."""
    x_1, x_2 = 3.0, -1.0
    i = Impact(contacts(np.diag([m_1, m_2]), [[-1, 1]]), [x_1, x_2], e_N=e_N, law=law_of_impact)
    m = m_1 + m_2
    approach = x_2 - x_1
    expected = [
        x_1 + m_2 / m * (1 + e_N) * approach,
        x_2 - m_1 / m * (1 + e_N) * approach,
    ]
    assert i.solved
    np.testing.assert_allclose(i.Lambda, [-(1 + e_N) * m_1 * m_2 / m * approach, 0], rtol=1e-14)
    np.testing.assert_allclose(i.u_E, expected, atol=1e-14 * 8)
    np.testing.assert_allclose(i.result["gamma_N"], [-e_N * approach], atol=1e-14 * 8)
    loss = 0.5 * (1 - e_N**2) * m_1 * m_2 / m * approach**2
    assert -i.energy_change == pytest.approx(loss, abs=1e-14 * i.energy_scale)


def test_equal_elastic_masses_exchange_their_velocities() -> None:
    """(7.24), (7.25)."""
    pair = contacts(np.eye(2), [[-1, 1]])
    np.testing.assert_array_equal(Impact(pair, [3, -1], e_N=1.0).u_E, [-1, 3])
    np.testing.assert_array_equal(Impact(pair, [3, -1], e_N=0.0).u_E, [1, 1])


def test_separating_masses_are_left_alone() -> None:
    for law_of_impact in (ImpactLaw.Newton, ImpactLaw.Poisson):
        pair = contacts(np.eye(2), [[-1, 1]], [[0.5, 1]])
        i = Impact(pair, [-1, 3], mu=0.5, e_N=1.0, law=law_of_impact)
        assert i.solved
        np.testing.assert_array_equal(i.Lambda, 0.0)


# E9: double impact on a rod (7.26)-(7.38), (8.99), (8.100) ------------------------------------

# m = l = 1, obstacles at a and b; q = (x, y, φ).
ROD_MASS = np.diag([1, 1, 1 / 3])


def rod(a: float, b: float) -> Contacts:
    return contacts(ROD_MASS, [[0, 1, a], [0, 1, b]], [[1, 0, 0], [1, 0, 0]])


@LAWS_OF_IMPACT
@pytest.mark.parametrize(
    ("a", "Lambda_N1", "Lambda_N2", "gamma_NE2"),
    [
        (-1, 0.5, 0.5, 0),
        (-0.5, 0.666667, 0.333333, 0),
        (-0.25, 0.8, 0.2, 0),
        (0, 1, 0, 0),
        (0.25, 0.842105, 0, 0.473684),
        (0.5, 0.571429, 0, 0.428571),
        (0.75, 0.372093, 0, 0.209302),
    ],
)
def test_rod_falls_on_two_obstacles_as_tabulated(
    a: float, Lambda_N1: float, Lambda_N2: float, gamma_NE2: float, law_of_impact: ImpactLaw
) -> None:
    """b = 1, ẏ_A = -1, ε_N = 0.

    a <= 0 is Newton's Case I. a > 0 is Case II, where contact 2 would have to pull and is removed:
    both laws then agree. Six digits in the table.
    """
    i = Impact(rod(a, 1), [0, -1, 0], law=law_of_impact)
    assert i.solved
    np.testing.assert_allclose(i.Lambda, [Lambda_N1, Lambda_N2, 0, 0], atol=5e-7)
    np.testing.assert_allclose(split(i.gamma_E)[0], [0, gamma_NE2], atol=5e-7)
    if a < 0:  # (7.38)
        np.testing.assert_allclose(i.Lambda[:2], [1 / (1 - a), 1 / (1 - 1 / a)], rtol=1e-14)
    else:
        np.testing.assert_allclose(i.Lambda[:2], [1 / (1 + 3 * a**2), 0], rtol=1e-14, atol=1e-15)
        assert i.u_E[2] == pytest.approx(3 * a / (1 + 3 * a**2), rel=1e-14)


@pytest.mark.parametrize(("a", "b", "e_N"), [(-0.5, 1, (0.2, 0.7)), (-1, 0.25, (0.9, 0.1))])
def test_newton_gives_every_contact_its_own_restitution(a: float, b: float, e_N: Any) -> None:
    """(7.11) where no contact has to pull: Λ_N = -G_N⁻¹ (E + ε̄_N) γ_NA."""
    i = Impact(rod(a, b), [0, -1, 0], e_N=e_N, law=ImpactLaw.Newton)
    expected = np.linalg.solve(i.G[:2, :2], 1 + np.array(e_N))
    assert expected.min() > 0
    np.testing.assert_allclose(i.Lambda[:2], expected, rtol=1e-14)
    np.testing.assert_allclose(i.result["gamma_N"], e_N, rtol=1e-14)


@LAWS_OF_IMPACT
def test_coinciding_obstacles_share_one_impulse(law_of_impact: ImpactLaw) -> None:
    """a = b = 1: G_N is singular and only Λ_N1 + Λ_N2 = 1/4 is determined."""
    i = Impact(rod(1, 1), [0, -1, 0], law=law_of_impact)
    assert i.solved
    assert i.Lambda.min() >= 0
    assert i.Lambda.sum() == pytest.approx(0.25, rel=1e-14)
    np.testing.assert_allclose(split(i.gamma_E)[0], 0, atol=1e-15)


@pytest.mark.parametrize("mu", [0.0, 100.0])
@pytest.mark.parametrize(
    ("beta", "ratio"), [(0.2, 0.7857142857), (0.4, 0.3513513514), (0.57, 0.0128120727)]
)
def test_rod_rocks_on_narrow_obstacles(beta: float, ratio: float, mu: float) -> None:
    """β = b/l < 1/√3: the other contact detaches at once, and φ̇ keeps its sign.

    Ten digits are given.
    """
    omega = 1.5
    i = Impact(rod(-beta, beta), [0, -beta * omega, omega], mu=mu)
    assert i.solved
    np.testing.assert_allclose(split(i.gamma_A)[0], [-2 * beta * omega, 0], atol=1e-15)
    expected = [2 * beta * omega / (1 + 3 * beta**2), 0, 0, 0]
    np.testing.assert_allclose(i.Lambda, expected, rtol=1e-14, atol=1e-15)
    assert i.u_E[2] / omega == pytest.approx(ratio, abs=1e-10)
    assert i.result["gamma_N"][1] == pytest.approx(2 * beta * omega * ratio, abs=1e-10)


@pytest.mark.parametrize("mu", [0.0, 100.0])
@pytest.mark.parametrize("beta", [1 / np.sqrt(3), 0.6, 0.8, 1.0])
def test_rod_rests_on_wide_obstacles(beta: float, mu: float) -> None:
    """β >= 1/√3: one collision, both impulses compressive; β = 0.8 gives (0.608333, 0.191667)."""
    i = Impact(rod(-beta, beta), [0, -beta, 1], mu=mu)
    assert i.solved
    np.testing.assert_allclose(i.u_E, 0, atol=1e-15)
    # Momentum and angular momentum: Λ_1 + Λ_2 = m b ω, Λ_1 - Λ_2 = m l² ω / (3 b).
    half, lever = beta / 2, 1 / (6 * beta)
    np.testing.assert_allclose(i.Lambda, [half + lever, half - lever, 0, 0], atol=1e-15)
    if beta == 0.8:
        np.testing.assert_allclose(i.Lambda[:2], [0.608333, 0.191667], atol=5e-7)


# E10: two balls on the ground (8.101) ---------------------------------------------------------


def balls(e_N2: float, law_of_impact: ImpactLaw) -> Impact:
    """Ball 1 rests on the floor, ball 2 falls on it with velocity 1; ε_N1 = 1."""
    system = contacts(np.eye(2), [[1, 0], [-1, 1]])
    return Impact(system, [0, -1], e_N=[1, e_N2], law=law_of_impact)


@pytest.mark.parametrize("e", [0.0, 0.2, 0.5, 0.6, 1.0])
def test_poisson_lifts_the_ball_that_was_hit(e: float) -> None:
    """ε_N2 <= 1/2: they leave together, Poisson's impulse of contact 2 is enlarged to 1/2."""
    i = balls(e, ImpactLaw.Poisson)
    assert i.solved
    exact = {"rtol": 1e-14, "atol": 1e-15}
    np.testing.assert_allclose(i.Lambda_C, [1, 1, 0, 0], **exact)
    if e <= 0.5:
        np.testing.assert_allclose(i.Lambda_E, [1, 0.5, 0, 0], **exact)
        np.testing.assert_allclose(i.result["gamma_N"], [0.5, 0], **exact)
        energy = 0.25
    else:
        np.testing.assert_allclose(i.Lambda_E, [1, e, 0, 0], **exact)
        np.testing.assert_allclose(i.result["gamma_N"], [1 - e, 2 * e - 1], **exact)
        energy = ((1 - e) ** 2 + e**2) / 2
    assert 0.5 + i.energy_change == pytest.approx(energy, rel=1e-14)


@pytest.mark.parametrize("e", [0.0, 0.2, 0.5, 0.6, 1.0])
def test_newton_leaves_the_ball_that_was_hit_on_the_floor(e: float) -> None:
    i = balls(e, ImpactLaw.Newton)
    assert i.solved
    np.testing.assert_allclose(i.Lambda, [1 + e, 1 + e, 0, 0], rtol=1e-14)
    np.testing.assert_allclose(i.result["gamma_N"], [0, e], atol=1e-15)


# E11: ball under a table (8.102), (8.103) -----------------------------------------------------

# q = (x, y, φ); contact 0 floor, contact 1 table.
SUPERBALL = contacts(np.diag([1, 1, 0.004]), [[0, 1, 0], [0, -1, 0]], [[1, 0, 0.1], [-1, 0, 0.1]])


def bounces(number: int, **law_parameters: float) -> list[Impact]:
    """g = 0: the ball alternates between floor and table, with constant velocities in between."""
    u: Any = [1, -1, 0]
    done = []
    for k in range(number):
        contact = k % 2
        system = Contacts(
            SUPERBALL.M,
            SUPERBALL.W_N[:, [contact]],
            SUPERBALL.W_T[:, [contact]],
        )
        impact = Impact(system, u, mu=1.0, e_N=1.0, **law_parameters)
        assert impact.solved
        done.append(impact)
        u = impact.u_E
    return done


def test_superball_comes_back_from_under_the_table() -> None:
    """ν = ε_T = 1: flights of 0.8 s, energy 1 kept, Λ_TE = Λ_TC. Nine digits in the table."""
    x = [0.8, 1.142857143, 0.636734694, -0.139941691, -0.299541858]
    xdot = [0.428571429, -0.632653061, -0.970845481, -0.199500208, 0.799845303]
    spin = [-14.285714286, 12.244897959, 3.790087464, -15.493544357, 9.490093413]
    Lambda_TC = [-0.285714286, 0.530612245, -0.169096210, -0.385672636, 0.499672755]
    place, velocity = 0.0, 1.0
    for k, i in enumerate(bounces(5, nu=1.0, e_T=1.0)):
        place += 0.8 * velocity
        velocity = i.u_E[0]
        assert place == pytest.approx(x[k], abs=2e-9)
        np.testing.assert_allclose(i.u_E[[0, 2]], [xdot[k], spin[k]], atol=2e-9)
        assert abs(i.u_E[1]) == pytest.approx(1, rel=1e-14)
        np.testing.assert_allclose(i.Lambda_C, [1, Lambda_TC[k]], atol=2e-9)
        np.testing.assert_allclose(i.Lambda_E, i.Lambda_C, atol=1e-14)
        assert i.system.kinetic_energy(i.u_E) == pytest.approx(1, rel=1e-13)


def test_plain_ball_stays_under_the_table() -> None:
    """ν = ε_T = 0: it sticks in compression, Λ_TE = 0, ẋ = 5/7 (3/7)^(k-1), and x tends to 1.8."""
    done = bounces(28, nu=0.0, e_T=0.0)
    place, velocity = 0.0, 1.0
    for k, i in enumerate(done):
        place += 0.8 * velocity
        velocity = i.u_E[0]
        assert velocity == pytest.approx(5 / 7 * (3 / 7) ** k, rel=1e-12)
        np.testing.assert_allclose(i.Lambda_E, [1, 0], atol=1e-14)
    # The rest of the geometric series: 0.8 (5/7) (3/7)^27 / (4/7).
    assert 1.8 - place == pytest.approx((3 / 7) ** 27, rel=1e-3)
    spin = [-7.142857143, 3.061224490, -1.311953353, 0.562265723]
    Lambda_TC = [-0.285714286, 0.408163265, -0.174927114]
    energy = [0.857142857, 0.565597668, 0.512048551]
    np.testing.assert_allclose([i.u_E[2] for i in done[:4]], spin, atol=1e-9)
    np.testing.assert_allclose([i.Lambda_C[1] for i in done[:3]], Lambda_TC, atol=1e-9)
    energies = [i.system.kinetic_energy(i.u_E) for i in done[:3]]
    np.testing.assert_allclose(energies, energy, atol=1e-9)


def test_tangential_impulse_is_partly_given_back() -> None:
    """ε_N = 0.8, ν = 0.9, ε_T = 0.6, μ = 1: 2Λ_TS = -0.857142857 (8.37) bounds Λ_TE from below."""
    i = Impact(
        Contacts(SUPERBALL.M, SUPERBALL.W_N[:, [0]], SUPERBALL.W_T[:, [0]]),
        [1, -1, 0],
        mu=1.0,
        e_N=0.8,
        e_T=0.6,
        nu=0.9,
    )
    np.testing.assert_allclose(i.Lambda_C, [1, -2 / 7], rtol=1e-14)
    np.testing.assert_allclose(i.Lambda_E, [0.8, -0.0571428571], atol=1e-10)
    np.testing.assert_allclose(i.gamma_E, [0.8, -0.2], rtol=1e-13)


# E12: impact pendulum (8.104)-(8.114) ---------------------------------------------------------


def pendulum(degrees: float, v_0: float) -> Impact:
    """J_0 = 1/3, l = 1, μ = 1, ε_N = 1, ε_T = ν = 0; falls from 90° to φ_0, m g s = 5."""
    phi = np.radians(degrees)
    system = contacts([[1 / 3]], [[np.sin(phi)]], [[np.cos(phi)]])
    rate = -np.sqrt(30 * np.cos(phi))
    return Impact(system, [rate], mu=1.0, e_N=1.0, w_tilde=np.array([0.0, -v_0]))


@pytest.mark.parametrize(
    ("degrees", "v_0", "Lambda", "ratio"),
    [
        (30, 1, (1.243787, 1.243787, 1.243787, -0.273656), 0.226539),
        (60, 1, (0.945074, 0.945074, 0.945074, -0.303582), 0.516398),
        (70, 1, (0.833057, 0.833057, 0.833057, 0.560740), 0.912771),
        (75, 1, (0.758389, 0.758389, 0.758389, 0.758389), 1),
        (50, -1, (11.875779, -11.875779, 11.875779, -11.875779), 1),
        (60, -1, (3.527062, -3.527062, 3.527062, -3.527062), 1),
        (75, -1, (1.313568, -1.313568, 1.313568, -1.313568), 1),
    ],
)
def test_pendulum_hits_the_moving_surface_as_tabulated(
    degrees: float, v_0: float, Lambda: Any, ratio: float
) -> None:
    """Λ_NC, Λ_TC, Λ_NE, Λ_TE and r = -γ_NE/γ_NA, six digits each."""
    i = pendulum(degrees, v_0)
    assert i.solved
    np.testing.assert_allclose([*i.Lambda_C, *i.Lambda_E], Lambda, atol=6e-7)
    assert -i.gamma_E[0] / i.gamma_A[0] == pytest.approx(ratio, abs=6e-7)
    cos = np.cos(np.radians(degrees))
    if v_0 > 0:  # drawn: it leaves with the surface, or with its own velocity
        expected = min(1, v_0 / (cos * abs(i.u_A[0])))
        assert -i.gamma_E[0] / i.gamma_A[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("degrees", [30, 40, 44])
def test_pushed_pendulum_jams(degrees: float) -> None:
    """(8.114), v_0 < 0: solvable iff tan φ_0 > μ; five unknowns, so enumeration proves it."""
    i = pendulum(degrees, -1)
    assert i.result["status"] == LcpStatus.NO_SOLUTION
    assert not i.result["in_expansion"]


@pytest.mark.parametrize("degrees", [46, 60, 80])
def test_pendulum_on_a_resting_surface_takes_one_of_the_possible_splits(degrees: float) -> None:
    """v_0 = 0: any Λ_TC = k Λ_NC, |k| <= 1, stops the pendulum; the rest follows from k."""
    i = pendulum(degrees, 0)
    assert i.solved
    phi = np.radians(degrees)
    sin, cos = np.sin(phi), np.cos(phi)
    k = i.Lambda_C[1] / i.Lambda_C[0]
    assert -1 <= k <= 1
    np.testing.assert_allclose(i.u_C, 0, atol=1e-14)
    assert i.Lambda_C[0] == pytest.approx(abs(i.u_A[0]) / 3 / (sin + k * cos), rel=1e-13)
    r = -i.gamma_E[0] / i.gamma_A[0]
    assert r == pytest.approx((sin - cos) / (sin + k * cos), rel=1e-13)


def test_flat_pendulum_stays_on_a_resting_surface() -> None:
    """v_0 = 0, φ_0 < 45°: r = 0 for every split."""
    i = pendulum(30, 0)
    assert i.solved
    assert abs(i.gamma_E[0]) < 1e-14
