"""Public complementarity problems agree with enumeration, solutions by hand, and the laws."""

import itertools

import numpy as np
import pytest

import nsmb


def random_system(seed, *, nu=4, nc=3, nb=0, w_tilde=False, mu=0.4):
    rng = np.random.default_rng(seed)
    L = np.eye(nu) + 0.3 * rng.standard_normal((nu, nu))
    M = L @ L.T
    laws = [
        nsmb.ContactLaw(mu=mu * rng.random(), e_N=rng.random(), e_T=rng.random(), nu=rng.random())
        for _ in range(nc)
    ]
    contacts = [
        nsmb.Contact(
            w_N=rng.standard_normal(nu),
            w_T=rng.standard_normal(nu),
            law=law,
            w_tilde_T=float(w_tilde) * rng.standard_normal(),
        )
        for law in laws
    ]
    force = rng.standard_normal(nu)
    if nb == 0:
        return nsmb.LinearSystem(M, force=force, contacts=contacts), rng
    B = rng.standard_normal((nb, nu))
    constraints = [
        nsmb.Constraint(lambda t, q, b=b: b @ q, w=lambda t, q, b=b: b, w_bar=lambda t, q, u: 0.0)
        for b in B
    ]
    callbacks = [
        nsmb.Contact(
            lambda t, q, w=c.w_N: w @ q,
            w_N=lambda t, q, w=c.w_N: w,
            w_T=lambda t, q, w=c.w_T: w,
            law=c.law,
        )
        for c in contacts
    ]
    system = nsmb.CallbackSystem(
        [f"q{k}" for k in range(nu)],
        mass_matrix=M,
        forces=lambda t, q, u: force,
        contacts=callbacks,
        constraints=constraints,
    )
    return system, rng


def consistent(u, W):
    """Return the part of u orthogonal to the columns of W."""
    return u - np.linalg.pinv(W.T) @ (W.T @ u)


def cones(A, b):
    """Yield all solutions of the problem by enumerating complementary cones."""
    n = b.size
    for basic in itertools.product((False, True), repeat=n):
        B = np.array(basic)
        x = np.zeros(n)
        if B.any():
            block = A[np.ix_(B, B)]
            if np.linalg.cond(block) > 1e12:
                continue
            x[B] = np.linalg.solve(block, -b[B])
        y = A @ x + b
        y[B] = 0.0
        if x.min() >= -1e-11 and y.min() >= -1e-11:
            yield x


def assert_coulomb(lambda_N, lambda_T, gamma_N, gamma_T, mu, tol=1e-9):
    """Require (6.5) and (6.11) contact by contact."""
    assert lambda_N.min() >= -tol
    assert gamma_N.min() >= -tol
    assert np.abs(lambda_N * gamma_N).max() <= tol
    reserve = mu * lambda_N - np.abs(lambda_T)
    assert reserve.min() >= -tol
    assert np.abs(reserve * gamma_T).max() <= tol
    assert (lambda_T * gamma_T).max() <= tol


@pytest.mark.parametrize("seed", range(20))
def test_forces_of_635_obey_the_laws_and_are_those_of_a_simulation(seed):
    system, _ = random_system(seed)
    zero = np.zeros(4)
    problem = nsmb.instant.contact_problem(system, 0.0, zero, zero)
    assert problem.b.size == 3 + 4 * 3
    found = problem.solve()
    assert found.result.success
    mu = np.array([contact.law.mu for contact in system.contacts])
    assert_coulomb(found.lambda_N, found.lambda_T, found.gamma_N, found.gamma_T, mu)
    e = problem.equations
    right = e.h + e.W_N @ found.lambda_N + e.W_T @ found.lambda_T
    assert e.M @ found.motion == pytest.approx(right, abs=1e-9)
    same = nsmb.instant.accelerations(system, 0.0, zero, zero)
    assert found.motion == pytest.approx(same.udot, abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_enumeration_of_all_cones_finds_the_same_accelerations(seed):
    system, _ = random_system(seed, nc=2)
    zero = np.zeros(4)
    problem = nsmb.instant.contact_problem(system, 0.0, zero, zero)
    found = problem.solve().motion
    others = [
        problem.forces(
            nsmb.complementarity.lcp.LcpResult(x, x, "solved", 0.0, 0, "enumeration", None, (), "")
        ).motion
        for x in cones(problem.A, problem.b)
    ]
    assert others
    assert min(np.abs(motion - found).max() for motion in others) < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_sliding_contacts_have_no_unknown_friction(seed):
    system, rng = random_system(seed, nc=2)
    k = system.contact_kinematics(0.0, np.zeros(4), np.zeros(4))
    u = consistent(rng.standard_normal(4), np.column_stack([k["W_N"], k["W_T"][:, 1]]))
    problem = nsmb.instant.contact_problem(system, 0.0, np.zeros(4), u)
    assert problem.equations.I_N.tolist() == [0, 1]
    assert problem.equations.I_H.tolist() == [1]
    assert problem.unknowns == (
        "lambda_N[contact_1]", "lambda_N[contact_2]", "lambda_T+[contact_2]",
        "lambda_T-[contact_2]", "z-[contact_2]", "z+[contact_2]",
    )  # fmt: skip
    found = problem.solve()
    assert found.result.success
    slip = k["W_T"][:, 0] @ u
    mu = system.contacts[0].law.mu
    assert found.lambda_T[0] == pytest.approx(-mu * np.sign(slip) * found.lambda_N[0])
    same = nsmb.instant.accelerations(system, 0.0, np.zeros(4), u)
    assert found.motion == pytest.approx(same.udot, abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_bilateral_constraints_are_part_of_the_equations(seed):
    system, _ = random_system(seed, nc=2, nb=1)
    zero = np.zeros(4)
    found = nsmb.instant.contact_problem(system, 0.0, zero, zero).solve()
    W_B = system.constraint_kinematics(0.0, zero, zero)["W"]
    assert W_B.T @ found.motion == pytest.approx(0.0, abs=1e-11)
    assert found.motion == pytest.approx(
        nsmb.instant.accelerations(system, 0.0, zero, zero).udot, abs=1e-8
    )


@pytest.mark.parametrize("seed", range(30))
def test_both_phases_of_an_impact_are_those_of_the_law(seed):
    # With eight coordinates, six rows are independent and impulses of compression are unique.
    system, rng = random_system(seed, nu=8, w_tilde=seed % 3 == 0)
    u = rng.standard_normal(8)
    strike = nsmb.instant.impact(system, 0.0, np.zeros(8), u, law="poisson")
    compression = nsmb.instant.contact_problem(
        system, 0.0, np.zeros(8), u, level="compression"
    ).solve()
    assert strike.success
    assert compression.result.success
    mu = np.array([contact.law.mu for contact in system.contacts])
    assert_coulomb(
        compression.lambda_N, compression.lambda_T, compression.gamma_N, compression.gamma_T, mu
    )
    assert compression.motion == pytest.approx(strike.u_C, abs=1e-9)
    expansion = nsmb.instant.contact_problem(
        system, 0.0, np.zeros(8), u, level="expansion",
        Lambda_NC=strike.Lambda_NC, Lambda_TC=strike.Lambda_TC,
    ).solve()  # fmt: skip
    assert expansion.motion == pytest.approx(strike.u_E, abs=1e-8)
    own = nsmb.instant.contact_problem(system, 0.0, np.zeros(8), u, level="expansion").solve()
    assert own.motion == pytest.approx(strike.u_E, abs=1e-8)


@pytest.mark.parametrize("law", ["poisson", "newton", "moreau"])
@pytest.mark.parametrize("seed", range(10))
def test_energies_of_an_impact_are_those_of_its_velocities(law, seed):
    mu = 0.0 if law == "newton" else 0.4
    system, rng = random_system(seed, w_tilde=seed % 2 == 0, mu=mu)
    strike = nsmb.instant.impact(system, 0.0, np.zeros(4), rng.standard_normal(4), law=law)
    assert strike.success
    assert strike.compression_change == pytest.approx(strike.T_C - strike.T_A, abs=1e-10)
    assert strike.expansion_change == pytest.approx(strike.T_E - strike.T_C, abs=1e-10)
    moving = strike.equations.w_tilde_T.any()
    if law == "poisson" and not moving:
        assert strike.poisson_change == pytest.approx(strike.T_E - strike.T_A, abs=1e-10)
    else:
        assert np.isnan(strike.poisson_change)


@pytest.mark.parametrize("a", [-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75])
def test_rod_on_two_obstacles_is_that_of_the_book(a):
    # E9, (8.99), (8.100): m = l = b = 1, completely inelastic.
    rod = nsmb.LinearSystem(
        np.diag([1.0, 1.0, 1.0 / 3.0]),
        contacts=[nsmb.Contact(w_N=[0, 1, a]), nsmb.Contact(w_N=[0, 1, 1.0])],
    )
    found = nsmb.instant.contact_problem(
        rod, 0.0, np.zeros(3), [0, -1.0, 0], level="compression"
    ).solve()
    first = 1 / (1 - a) if a <= 0 else 1 / (1 + 3 * a**2)
    second = -a / (1 - a) if a <= 0 else 0.0
    assert found.lambda_N == pytest.approx([first, second], abs=1e-12)
    expected = 0.0 if a <= 0 else 3 * a * (1 - a) / (1 + 3 * a**2)
    assert found.gamma_N == pytest.approx([0.0, expected], abs=1e-12)


@pytest.mark.parametrize("e_N2", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_two_balls_on_the_ground_are_those_of_the_book(e_N2):
    # E10: Poisson and Newton differ.
    balls = nsmb.LinearSystem(
        np.eye(2),
        contacts=[
            nsmb.Contact(w_N=[1, 0], law=nsmb.ContactLaw(e_N=1.0)),
            nsmb.Contact(w_N=[-1, 1], law=nsmb.ContactLaw(e_N=e_N2)),
        ],
    )
    strike = nsmb.instant.impact(balls, 0.0, [0, 0], [0, -1.0], law="poisson")
    assert strike.Lambda_NC == pytest.approx([1, 1])
    assert strike.Lambda_NE == pytest.approx([1, max(0.5, e_N2)])
    e = max(0.5, e_N2)  # restitution is at least the compression impulse of the other
    assert pytest.approx(0.5 * ((1 - e) ** 2 + e**2)) == strike.T_E
    newton = nsmb.instant.impact(balls, 0.0, [0, 0], [0, -1.0], law="newton")
    assert newton.Lambda_N == pytest.approx((1 + e_N2) * np.ones(2))
    assert newton.velocities(newton.u_E)[0] == pytest.approx([0, e_N2])


@pytest.mark.parametrize(
    ("force", "expected"), [(-1.0, 1.0), (-3.0, 1.5), (0.5, -0.5), (5.0, -2.0)]
)
def test_asymmetric_friction_holds_to_either_side_as_far_as_its_bounds(force, expected):
    # (8.79): -(0.1 · 10 + 1) <= lambda_T <= 0.05 · 10 + 1 on a block of weight 10.
    floor = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], name="floor")
    block = nsmb.LinearSystem(np.eye(2), force=[force, -10.0], contacts=[floor])
    bounds = {"floor": nsmb.instant.FrictionBounds(0.05, 0.1, 1.0, 1.0)}
    found = nsmb.instant.contact_problem(block, 0.0, [0, 0], [0, 0], friction=bounds).solve()
    assert found.lambda_T == pytest.approx([expected])
    assert found.motion[0] == pytest.approx(force + expected)


def test_index_sets_follow_distances_and_velocities():
    law = nsmb.ContactLaw(mu=0.3)
    unit = np.eye(4)
    system = nsmb.LinearSystem(
        np.eye(4),
        contacts=[
            nsmb.Contact(w_N=unit[0], w_T=unit[3], gap=1.0, law=law),
            nsmb.Contact(w_N=unit[1], w_T=unit[3], law=law),
            nsmb.Contact(w_N=unit[2], w_T=unit[3], law=law),
        ],
    )
    e = nsmb.instant.contact_problem(system, 0.0, np.zeros(4), [0, -1.0, 0, 0]).equations
    assert (e.I_S.tolist(), e.I_N.tolist(), e.I_H.tolist()) == ([1, 2], [2], [2])
    e = nsmb.instant.contact_problem(system, 0.0, np.zeros(4), [0, 0, 0, 1.0]).equations
    assert (e.I_S.tolist(), e.I_N.tolist(), e.I_H.tolist()) == ([1, 2], [1, 2], [])


def test_misuse_names_the_argument():
    system, _ = random_system(0)
    zero = np.zeros(4)
    with pytest.raises(ValueError, match="level: expected one of acceleration"):
        nsmb.instant.contact_problem(system, 0.0, zero, zero, level="position")
    with pytest.raises(ValueError, match="friction: contact"):
        nsmb.instant.contact_problem(
            system, 0.0, zero, zero, friction={"wall": nsmb.instant.FrictionBounds(0, 0)}
        )
    with pytest.raises(ValueError, match="q: expected"):
        nsmb.instant.contact_problem(system, 0.0, zero[:2], zero)
    with pytest.raises(ValueError, match="mu_plus: expected a number >= 0"):
        nsmb.instant.FrictionBounds(-0.1, 0.1)
    with pytest.raises(ValueError, match="must be given together"):
        nsmb.instant.contact_problem(
            system, 0.0, zero, zero, level="expansion", Lambda_NC=np.zeros(3)
        )
    with pytest.raises(ValueError, match="law: expected one of poisson"):
        nsmb.instant.impact(system, 0.0, zero, zero, law="hertz")


def test_friction_in_a_plane_is_refused_by_name():
    floor = nsmb.Contact(
        w_N=[0, 0, 1], w_T=np.eye(3)[:, :2], law=nsmb.ContactLaw(mu=0.3), name="floor"
    )
    ball = nsmb.LinearSystem(np.eye(3), contacts=[floor])
    with pytest.raises(ValueError, match=r"'floor'.*nsmb\.instant\.impact"):
        nsmb.instant.contact_problem(ball, 0.0, np.zeros(3), np.zeros(3))
    strike = nsmb.instant.impact(ball, 0.0, np.zeros(3), [3.0, 4.0, -1.0])
    assert strike.u_E == pytest.approx([3 - 0.6 * 0.3, 4 - 0.8 * 0.3, 0.0])
