"""Impacts by Poisson and Newton: the examples of the book, its theorems, brute force.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 7, 8.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import UnilateralContact
from tests.contact_laws.planar import (
    MINUS,
    OPEN,
    PLUS,
    STICK,
    Array,
    Contacts,
    contacts,
    distance,
    enumerate_modes,
    friction_defect,
    normal_defect,
    random_contacts,
)

law = settings(max_examples=150, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32 - 1)

IMPULSES = ("Lambda_NC", "Lambda_TC", "Lambda_N", "Lambda_T")


class Impact:
    """A solved impact and everything that follows from its impulses, computed here.

    Laws are (nc) arrays or numbers; stacked vectors (2nc) have the normal rows first, as (8.43).
    """

    def __init__(
        self,
        system: Contacts,
        u: Any,
        mu: Any = 0.0,
        e_N: Any = 0.0,
        e_T: Any = 0.0,
        nu: Any = 0.0,
        w_tilde: Any = 0.0,
        law: ImpactLaw = ImpactLaw.Poisson,
        participants: Sequence[int] | None = None,
    ) -> None:
        nc = system.nc
        self.system, self.u_A = system, np.array(u, dtype=float)
        self.mu, self.e_N, self.e_T, self.nu = (
            np.broadcast_to(np.asarray(p, float), nc) for p in (mu, e_N, e_T, nu)
        )
        self.G = system.G
        self.gamma_A = system.W.T @ self.u_A + w_tilde
        self.laws = [
            UnilateralContact(*row)
            for row in zip(self.mu, self.e_N, self.e_T, self.nu, strict=True)
        ]
        self.law = law
        self.participants = list(range(nc)) if participants is None else list(participants)
        self.result = self.solve()

        r = self.result
        self.solved = r["status"] == LcpStatus.SOLVED
        self.Lambda_C = np.concatenate([r["Lambda_NC"], r["Lambda_TC"]])
        self.Lambda = np.concatenate([r["Lambda_N"], r["Lambda_T"]])
        self.Lambda_E = self.Lambda - self.Lambda_C
        self.Lambda_P = self.Lambda_E - np.tile(self.e_N, 2) * self.Lambda_C  # (8.29), (8.35)
        self.gamma_C = self.gamma_A + self.G @ self.Lambda_C
        self.gamma_E = self.gamma_A + self.G @ self.Lambda
        self.u_C = self.u_A + system.jump(*np.split(self.Lambda_C, 2))
        self.u_E = self.u_A + system.jump(*np.split(self.Lambda, 2))
        # What rounding is measured by: of a momentum, and of an energy.
        self.scale = max(np.abs(self.gamma_A).max(), np.abs(self.Lambda).max())
        self.energy_scale = system.kinetic_energy(self.u_A) + self.Lambda @ self.G @ self.Lambda

    def solve(self, velocities: float = 1.0, masses: float = 1.0) -> dict[str, Any]:
        """The same impact with all velocities and masses multiplied."""
        gamma_N, gamma_T = np.split(self.gamma_A * velocities, 2)
        G = self.G / masses
        return solve_impact(G, gamma_N, gamma_T, self.laws, self.participants, self.law)

    @property
    def energy_change(self) -> float:
        """T_E - T_A from the velocities of the bodies."""
        T = self.system.kinetic_energy
        return T(self.u_E) - T(self.u_A)


def split(stacked: Array) -> tuple[Array, Array]:
    normal, tangential = np.split(stacked, 2)
    return normal, tangential


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


LAWS_OF_IMPACT = pytest.mark.parametrize("law_of_impact", list(ImpactLaw.__members__.values()))


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
    """b = 1, ẏ_A = -1, ε_N = 0. a <= 0 is Newton's Case I; a > 0 is Case II, where contact 2
    would have to pull and is removed: both laws then agree. Six digits in the table."""
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
    """β = b/l < 1/√3: the other contact detaches at once, φ̇ keeps its sign. Ten digits given."""
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
    """g = 0: floor and table in turn, velocities constant between."""
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
    # What is left of the geometric series: 0.8 (5/7) (3/7)^27 / (4/7).
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


# Random impacts -------------------------------------------------------------------------------


def random_impact(seed: int, *, max_mu: float = 2.0, independent: bool = False) -> Impact:
    """Up to 4 contacts with up to 8 degrees of freedom, w̃ = 0, all parameters random."""
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 3 if independent else 5))
    nu = int(rng.integers(2 * nc if independent else 1, 9))
    system = random_contacts(rng, nu, nc)
    u = rng.standard_normal(nu)
    e_N, e_T, reversible = rng.uniform(0, 1, (3, nc))
    return Impact(system, u, max_mu * rng.uniform(0, 1, nc), e_N, e_T, reversible)


@law
@given(seed=seeds)
def test_compression_obeys_its_law_contact_by_contact(seed: int) -> None:
    """P21, P30: (8.13), (8.23), (8.24), T_C <= T_A.

    Dependent contacts included. Measured over 6000 impacts: defects below 5e-14 of the scale.
    """
    i = random_impact(seed)
    assert i.solved
    tol = 1e-11 * i.scale
    (Lambda_N, Lambda_T), (gamma_N, gamma_T) = split(i.Lambda_C), split(i.gamma_C)
    limit = i.mu * Lambda_N
    assert Lambda_N.min() >= 0
    assert gamma_N.min() >= -tol
    assert normal_defect(Lambda_N, gamma_N) <= tol
    assert (np.abs(Lambda_T) <= limit + tol).all()
    assert friction_defect(Lambda_T, gamma_T, -limit, limit) <= tol
    assert (Lambda_T * gamma_T <= tol * i.scale).all()
    T = i.system.kinetic_energy
    assert T(i.u_C) - T(i.u_A) <= 1e-12 * i.energy_scale
    expected = i.Lambda_C @ (i.gamma_C + i.gamma_A) / 2  # (8.52)
    assert T(i.u_C) - T(i.u_A) == pytest.approx(expected, abs=1e-11 * i.energy_scale)


@law
@given(seed=seeds)
def test_expansion_obeys_its_law_contact_by_contact(seed: int) -> None:
    """P22: (8.26)-(8.30), (8.31) with (8.37), (8.36).

    Measured over 6000 impacts: defects below 4e-15 of the scale.
    """
    i = random_impact(seed)
    assert i.solved
    assert i.result["residual"] <= 1e-11
    tol = 1e-12 * i.scale
    (Lambda_NE, Lambda_TE), (gamma_N, gamma_T) = split(i.Lambda_E), split(i.gamma_E)
    np.testing.assert_allclose(i.result["gamma_N"], gamma_N, atol=tol)
    np.testing.assert_allclose(i.result["gamma_T"], gamma_T, atol=tol)

    assert gamma_N.min() >= -tol  # no approach after the impact
    Lambda_NP, Lambda_TP = split(i.Lambda_P)
    assert Lambda_NP.min() >= -tol
    assert normal_defect(Lambda_NP, gamma_N) <= tol

    Lambda_TC = i.result["Lambda_TC"]
    stored = i.mu * i.nu * Lambda_NE * np.sign(Lambda_TC) + i.e_N * i.e_T * Lambda_TC  # (8.37)
    half = i.mu * Lambda_NE - np.abs(stored) / 2
    assert half.min() >= -tol  # (8.32)
    assert (np.abs(stored) <= i.mu * Lambda_NE + i.e_N * np.abs(Lambda_TC) + tol).all()  # (8.33)
    assert (np.abs(Lambda_TE - stored / 2) <= half + tol).all()  # (8.31)
    lower, upper = stored / 2 - half, stored / 2 + half
    assert friction_defect(Lambda_TE, gamma_T, lower, upper) <= tol
    assert (Lambda_TP * gamma_T <= tol * i.scale).all()  # (8.36)
    returned = i.e_N * Lambda_TC  # Λ_TP = 0 is admissible
    assert (lower - tol <= returned).all()
    assert (returned <= upper + tol).all()


@law
@given(seed=seeds)
def test_energy_of_an_impact_is_accounted_for(seed: int) -> None:
    """P23: (8.56) and (8.52), whatever the parameters.

    Measured over 6000 impacts: below 6e-14 of the energies involved.
    """
    i = random_impact(seed)
    tol = 1e-11 * i.energy_scale
    given_back = np.tile(i.e_N, 2) * i.Lambda_C
    identity = (
        -i.Lambda_C @ i.G @ i.Lambda_C / 2
        - i.Lambda_P @ i.G @ i.Lambda_P / 2
        + given_back @ i.G @ given_back / 2
        + i.Lambda_C @ i.gamma_C
        + i.Lambda_P @ i.gamma_E
        + given_back @ i.gamma_C
    )
    assert i.energy_change == pytest.approx(identity, abs=tol)
    assert i.energy_change == pytest.approx(i.Lambda @ (i.gamma_A + i.gamma_E) / 2, abs=tol)


@law
@given(seed=seeds, e=st.sampled_from([0.0, 1.0]) | st.floats(1e-3, 1))
def test_equal_restitution_never_gains_energy(seed: int, e: float) -> None:
    """P23: (8.57) with arbitrary μ, ε_T, ν, dependent contacts included."""
    i = random_impact(seed)
    equal = Impact(i.system, i.u_A, i.mu, e, i.e_T, i.nu)
    assert equal.solved
    assert equal.energy_change <= 1e-12 * equal.energy_scale


def test_unequal_restitution_with_friction_may_gain_energy() -> None:
    """(8.57) is proven for equal ε_N only; here T grows from 5 to 5 + 7/12, and is reported so.

    Four unit masses, u = (-2, -1, -2, -1), μ = 1/2, ε_N = (1, 0), ε_T = ν = 0. The contacts are
    independent and brute force finds no other compression: Λ_C = (17/9, 1/3, -1/6, -1/6),
    Λ_E = (17/9, 0, 0, 0).
    """
    system = contacts(np.eye(4), [[1, 0, 1, 1], [0, 2, 0, 0]], [[-1, -1, 1, 0], [2, -1, 0, 2]])
    i = Impact(system, [-2, -1, -2, -1], mu=0.5, e_N=[1, 0])
    assert i.solved
    assert len(enumerate_modes(i.G, i.gamma_A, i.mu, [(OPEN, STICK, PLUS, MINUS)] * 2)) == 1
    np.testing.assert_allclose(i.Lambda_C, [17 / 9, 1 / 3, -1 / 6, -1 / 6], rtol=1e-13)
    np.testing.assert_allclose(i.Lambda_E, [17 / 9, 0, 0, 0], rtol=1e-13, atol=1e-14)
    assert i.energy_change == pytest.approx(7 / 12, rel=1e-13)
    assert i.energy_change == pytest.approx(i.Lambda @ (i.gamma_A + i.gamma_E) / 2, rel=1e-13)


@pytest.mark.parametrize("e", [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15])
def test_little_restitution_is_close_to_none(e: float) -> None:
    """P27 for ε_N -> 0: equal ε_N = e, moderate friction, dependent contacts included.

    Measured over 2000 impacts, those solved: |γ_E - γ_C| <= e of the scale, as γ_NE = -e γ_NA.
    """
    unsolved = []
    for seed in range(300):
        i = random_impact(seed, max_mu=0.4)
        little = Impact(i.system, i.u_A, i.mu, e, i.e_T, i.nu)
        if not little.solved:
            unsolved.append((seed, little.result["status"].name))
            continue
        moved = np.abs(little.gamma_E - little.gamma_C).max()
        assert moved <= (2 * e + 1e-12) * little.scale
    assert not unsolved


@pytest.mark.parametrize("e", [0.5, 1e-3, 1e-6, 1e-9])
def test_pinched_mass_bounces_however_little(e: float) -> None:
    """A mass between two walls whose normals are opposite, hitting a third contact as well.

    Compression stops it: Λ_NC = (3, 2/3, 0) without friction impulses. Between the walls it cannot
    bounce, so only γ_NE1 = 3 e is left, minus what friction at the walls takes.
    """
    system = contacts(np.eye(2), [[1, 0], [0, 3], [0, -1]], [[1, 0], [-1, -2], [1, 0]])
    i = Impact(system, [-3, -2], mu=0.1, e_N=e)
    np.testing.assert_allclose(i.u_C, 0, atol=1e-15)
    assert i.result["status"] == LcpStatus.SOLVED
    gamma_NE = split(i.gamma_E)[0]
    np.testing.assert_allclose(gamma_NE[1:], 0, atol=1e-14)
    assert 0 < gamma_NE[0] <= 3 * e * (1 + 1e-9)


@law
@given(seed=seeds)
def test_brute_force_finds_the_same_compression(seed: int) -> None:
    """Open, stick or slip in two independent contacts, μ <= 0.4: the only combination that fits."""
    i = random_impact(seed, max_mu=0.4, independent=True)
    found = enumerate_modes(i.G, i.gamma_A, i.mu, [(OPEN, STICK, PLUS, MINUS)] * i.system.nc)
    assert len(found) == 1
    names = ("Lambda_NC", "Lambda_TC")
    assert distance(i.result, names, found[0]) <= 1e-11 * i.scale


@law
@given(seed=seeds)
def test_without_restitution_expansion_adds_nothing(seed: int) -> None:
    """P27, whatever ε_T and ν."""
    i = random_impact(seed)
    plastic = Impact(i.system, i.u_A, i.mu, 0.0, i.e_T, i.nu)
    assert plastic.solved
    np.testing.assert_array_equal(plastic.Lambda_E, 0.0)
    np.testing.assert_array_equal(plastic.Lambda_C, i.Lambda_C)  # compression knows only μ


@law
@given(seed=seeds)
def test_expansion_without_tangential_restitution_is_coulomb_friction(seed: int) -> None:
    """P28: ν = ε_T = 0, |Λ_TE| <= μ Λ_NE with the plain three branches."""
    i = random_impact(seed)
    plain = Impact(i.system, i.u_A, i.mu, i.e_N, 0.0, 0.0)
    assert plain.solved
    (Lambda_NE, Lambda_TE), (_, gamma_T) = split(plain.Lambda_E), split(plain.gamma_E)
    limit = plain.mu * Lambda_NE
    assert (np.abs(Lambda_TE) <= limit + 1e-12 * plain.scale).all()
    assert friction_defect(Lambda_TE, gamma_T, -limit, limit) <= 1e-12 * plain.scale


@law
@given(seed=seeds)
def test_central_impacts_have_normal_impulses_without_friction(seed: int) -> None:
    """P26: W_Nᵀ M⁻¹ W_T = 0; normal results do not depend on μ, ν, ε_T."""
    rng = np.random.default_rng(seed)
    nc, nu = int(rng.integers(1, 4)), 7
    raw = random_contacts(rng, nu, nc)
    V = np.linalg.solve(raw.M, raw.W_N)
    W_T = raw.W_T - raw.W_N @ np.linalg.solve(raw.W_N.T @ V, V.T @ raw.W_T)
    system = Contacts(raw.M, raw.W_N, W_T)
    assert np.abs(system.G[:nc, nc:]).max() < 1e-14
    u = rng.standard_normal(nu)
    mu, e_N, e_T, reversible = rng.uniform(0, 1, (4, nc))
    rough = Impact(system, u, mu, e_N, e_T, reversible)
    smooth = Impact(system, u, 0.0, e_N)
    assert rough.solved
    assert smooth.solved
    tol = 1e-11 * rough.scale
    for name in ("Lambda_NC", "Lambda_N", "gamma_N"):
        np.testing.assert_allclose(rough.result[name], smooth.result[name], atol=tol)


# Where no energy is lost (8.58)-(8.69) --------------------------------------------------------


@law
@given(seed=seeds)
def test_smooth_elastic_impacts_keep_their_energy(seed: int) -> None:
    """8.5, case 2: ε_N = 1, μ = 0, all approaching: γ_E - γ_C = γ_C - γ_A (8.64)."""
    i = random_impact(seed)
    # Against the sum of all pushes, so that most contacts approach.
    i = Impact(i.system, -i.system.jump(np.ones(i.system.nc), np.zeros(i.system.nc)), e_N=1.0)
    assume((split(i.gamma_A)[0] <= 0).all())
    assert i.solved
    assert abs(i.energy_change) <= 1e-11 * i.energy_scale
    tol = 1e-11 * i.scale
    np.testing.assert_allclose(i.u_E - i.u_C, i.u_C - i.u_A, atol=tol)
    np.testing.assert_allclose(i.Lambda_C @ i.gamma_C, 0, atol=tol * i.scale)


@law
@given(seed=seeds)
def test_fully_reversible_impacts_keep_their_energy(seed: int) -> None:
    """P24, 8.5 case 3: ε_N = ε_T = ν = 1 and no slip in compression: γ_E = -γ_A.

    Built backwards: Λ_C inside the cone of μ = 0.4, γ_A = -G Λ_C, so that γ_C = 0.
    """
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 3))
    system = random_contacts(rng, 2 * nc + 1, nc)
    Lambda_NC = rng.uniform(0.1, 1, nc)
    Lambda_TC = 0.4 * Lambda_NC * rng.uniform(-0.95, 0.95, nc)
    u = -system.jump(Lambda_NC, Lambda_TC)
    i = Impact(system, u, mu=0.4, e_N=1.0, e_T=1.0, nu=1.0)
    # Otherwise Λ_P = 0 does not solve the expansion: γ_NE < 0, or γ_TE has the wrong sign at the
    # shifted bound on which Λ_TE = Λ_TC lies.
    gamma_NA, gamma_TA = split(i.gamma_A)
    assume((gamma_NA < 0).all() and (Lambda_TC * gamma_TA <= 0).all())
    assert i.solved
    np.testing.assert_allclose(i.Lambda_C, [*Lambda_NC, *Lambda_TC], atol=1e-11 * i.scale)
    np.testing.assert_allclose(i.gamma_E, -i.gamma_A, atol=1e-11 * i.scale)
    assert abs(i.energy_change) <= 1e-11 * i.energy_scale


# Without friction: uniqueness, Newton's law ---------------------------------------------------


def smooth_impact(
    seed: int, *, equal: bool, law_of_impact: ImpactLaw = ImpactLaw.Poisson
) -> Impact:
    """Frictionless contacts, often dependent, most of them approaching."""
    rng = np.random.default_rng(seed)
    nu, nc = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    W_N = rng.standard_normal((nu, nc))
    u = rng.standard_normal(nu)
    W_N *= np.where(rng.random(nc) < 0.9, -np.sign(W_N.T @ u), 1.0)
    system = Contacts(random_contacts(rng, nu, 1).M, W_N, np.zeros((nu, nc)))
    e_N = rng.uniform(0, 1, nc)
    return Impact(system, u, e_N=e_N[0] if equal else e_N, law=law_of_impact)


@law
@given(seed=seeds)
def test_smooth_impacts_do_not_depend_on_order_or_copies(seed: int) -> None:
    """P32, P33: equal ε_N; permuted and duplicated contacts change Λ_N but neither u_C nor u_E."""
    i = smooth_impact(seed, equal=True)
    assert i.solved
    order = np.random.default_rng(seed).permutation(i.system.nc)
    for contact_list in (order, [*order, order[0], *order]):
        W_N, W_T = i.system.W_N[:, contact_list], i.system.W_T[:, contact_list]
        other = Impact(Contacts(i.system.M, W_N, W_T), i.u_A, e_N=i.e_N[0])
        assert other.solved
        # Velocities of order 1; the active directions are conditioned up to about 1e4.
        np.testing.assert_allclose(other.u_C, i.u_C, atol=1e-10)
        np.testing.assert_allclose(other.u_E, i.u_E, atol=1e-10)


@law
@given(seed=seeds)
def test_newton_neither_pulls_nor_penetrates_nor_gains_energy(seed: int) -> None:
    """P19, P20 with the check of 7.2: Λ_N >= 0, γ_NE >= 0 in I_S*, T_E <= T_A, (7.13)."""
    i = smooth_impact(seed, equal=False, law_of_impact=ImpactLaw.Newton)
    assert i.solved
    approaching = split(i.gamma_A)[0] <= 0
    (Lambda_N, Lambda_T), (gamma_N, _) = split(i.Lambda), split(i.gamma_E)
    tol = 1e-10 * i.scale
    np.testing.assert_array_equal(Lambda_T, 0.0)
    np.testing.assert_array_equal(Lambda_N[~approaching], 0.0)
    assert Lambda_N.min() >= 0
    assert gamma_N[approaching].min(initial=0.0) >= -tol
    pushing = Lambda_N > tol
    np.testing.assert_allclose(i.result["gamma_N"], gamma_N, atol=tol)
    assert i.energy_change <= 1e-11 * i.energy_scale
    identity = i.Lambda @ (i.gamma_A + i.gamma_E) / 2
    assert i.energy_change == pytest.approx(identity, abs=1e-10 * i.energy_scale)
    # Independent contacts, each of which pushes, get exactly their restitution (7.9).
    if np.linalg.matrix_rank(i.system.W_N[:, pushing], tol=1e-3) == pushing.sum():
        np.testing.assert_allclose(
            gamma_N[pushing], -i.e_N[pushing] * split(i.gamma_A)[0][pushing], atol=tol
        )


@law
@given(seed=seeds)
def test_newton_and_poisson_agree_for_equal_restitution(seed: int) -> None:
    """P25, (8.78): all contacts push in compression and γ_E = -e γ_A >= 0, so Λ_NP = 0."""
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 4))
    system = random_contacts(rng, nc + 2, nc)
    system = Contacts(system.M, system.W_N, np.zeros_like(system.W_T))
    u = -system.jump(rng.uniform(0.1, 1, nc), np.zeros(nc))
    e_N = rng.uniform(0, 1)
    poisson, newton = (
        Impact(system, u, e_N=e_N, law=kind) for kind in (ImpactLaw.Poisson, ImpactLaw.Newton)
    )
    assume((split(poisson.gamma_A)[0] < 0).all())
    np.testing.assert_allclose(poisson.Lambda, newton.Lambda, atol=1e-11 * newton.scale)
    np.testing.assert_allclose(poisson.u_E, newton.u_E, atol=1e-11 * newton.scale)


# Scales ---------------------------------------------------------------------------------------


@law
@given(seed=seeds, velocities=st.integers(-37, 20), masses=st.integers(-40, 40))
def test_impulses_scale_with_velocities_and_masses(seed: int, velocities: int, masses: int) -> None:
    """No absolute threshold: with powers of two, 7e-12 to 1e6 times as fast, the bits agree."""
    i = random_impact(seed)
    factor = 2.0**velocities * 2.0**masses
    scaled = i.solve(2.0**velocities, 2.0**masses)
    for name in IMPULSES:
        np.testing.assert_array_equal(scaled[name], factor * i.result[name])


@pytest.mark.parametrize("velocities", [1e-11, 1e-3, 10, 1e6])
@pytest.mark.parametrize("masses", [1e-6, 1, 1e3])
def test_impulses_scale_with_any_unit(velocities: float, masses: float) -> None:
    """Independent contacts, so that rounding of the data moves the impulses by as little."""
    for seed in range(40):
        i = random_impact(seed, max_mu=0.4, independent=True)
        scaled = i.solve(velocities, masses)
        tol = 1e-11 * i.scale
        for name in IMPULSES:
            np.testing.assert_allclose(
                scaled[name] / (velocities * masses), i.result[name], atol=tol
            )


@pytest.mark.parametrize("small", [1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("what", ["velocity", "mass"])
def test_a_small_impact_beside_a_large_one_is_as_exact(what: str, small: float) -> None:
    """Two impacts of separate bodies in one problem: Λ = m v (1 + ε_N, ...) each."""
    mass = small if what == "mass" else 1.0
    speed = small if what == "velocity" else 1.0
    system = contacts(
        np.diag([1, 1, mass, mass]),
        [[0, 1, 0, 0], [0, 0, 0, 1]],
        [[1, 0, 0, 0], [0, 0, 1, 0]],
    )
    i = Impact(system, [0.3, -1, 0.3 * speed, -speed], mu=0.5, e_N=0.5, e_T=0.2, nu=0.9)
    assert i.solved
    # Stick: Λ_TC = -0.3, 2Λ_TS = -(0.5 · 0.9 · 0.5 + 0.5 · 0.2 · 0.3) = -0.255 shifts the upper
    # bound to 0.25 - 0.255, which is Λ_TE.
    normal, tangential = np.array([1.5, -0.305])[:, None] * [1, mass * speed]
    np.testing.assert_allclose(i.result["Lambda_N"], normal, rtol=1e-12)
    np.testing.assert_allclose(i.result["Lambda_T"], tangential, rtol=1e-6)


# Who takes part -------------------------------------------------------------------------------


@LAWS_OF_IMPACT
def test_contacts_that_do_not_take_part_get_velocities_but_no_impulse(
    law_of_impact: ImpactLaw,
) -> None:
    """Three balls in a row of which only the first pair touches (8.1)."""
    row = contacts(np.eye(3), [[-1, 1, 0], [0, -1, 1]])
    i = Impact(row, [1, 0, 0], e_N=1.0, law=law_of_impact, participants=[0])
    assert i.solved
    np.testing.assert_array_equal(i.Lambda, [1, 0, 0, 0])
    np.testing.assert_array_equal(i.result["gamma_N"], [1, -1])
    nobody = Impact(row, [1, 0, 0], e_N=1.0, law=law_of_impact, participants=[])
    assert nobody.solved
    np.testing.assert_array_equal(nobody.result["gamma_N"], nobody.gamma_A[:2])


@law
@given(seed=seeds)
def test_order_of_participants_does_not_matter(seed: int) -> None:
    """Independent contacts with moderate friction, where the solution is the only one."""
    i = random_impact(seed, max_mu=0.4, independent=True)
    back = Impact(i.system, i.u_A, i.mu, i.e_N, i.e_T, i.nu, participants=range(i.system.nc)[::-1])
    for name in IMPULSES:
        np.testing.assert_allclose(back.result[name], i.result[name], atol=1e-11 * i.scale)
