"""Laws of dynamics on random trees with elastic bodies, (11.19)-(11.31)."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from nsmb._core import multibody as mb
from tests.multibody.elastic_trees import Cloud, dissipation, elastic_trees, section
from tests.multibody.random_trees import law, state

SIXTH_ORDER = ((1, 45), (2, -9), (3, 1), (-1, -45), (-2, 9), (-3, -1))
STEP = 1e-3


@law
@given(elastic_trees())
def test_recursion_solves_the_equations_with_the_dense_mass_matrix(case) -> None:
    """u' of (11.24)-(11.31) solves M u' = h + tau, with M and h from two other algorithms."""
    tree, _, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    tau = rng.normal(size=tree.nu)
    loads = [("tip", rng.normal(size=3), rng.normal(size=3), rng.normal(size=3))]
    M = evaluation.mass_matrix(t, q)
    h = evaluation.forces(t, q, u, loads)
    udot, massless = evaluation.forward_dynamics(t, q, u, tau, loads)
    assert massless == -1
    assert np.array_equal(M, M.T)
    # Backward error in units of rounding, and M⁻¹M = E to within its condition.
    scale = np.abs(M) @ np.abs(udot) + np.abs(h) + np.abs(tau)
    assert np.abs(M @ udot - h - tau).max() <= 1e-11 * scale.max()
    X, massless = evaluation.solve_inertia(t, q, np.eye(tree.nu))
    assert massless == -1
    assert np.abs(M @ X - np.eye(tree.nu)).max() <= 1e-12 * np.abs(M).max() * np.abs(X).max()


@law
@given(elastic_trees())
def test_mass_matrix_belongs_to_the_kinetic_energy(case) -> None:
    tree, _, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    M = evaluation.mass_matrix(t, q)
    T, _ = evaluation.energies(t, q, u)
    assert u @ M @ u / 2 == pytest.approx(T, rel=1e-12, abs=1e-13)


@law
@given(elastic_trees())
def test_power_is_the_rate_of_energy_and_what_damping_takes(case) -> None:
    """d(T + V)/dt = u . tau - q'ᵀ D q', as a central difference of sixth order."""
    tree, clouds, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    tau = rng.normal(size=tree.nu)
    udot, _ = evaluation.forward_dynamics(t, q, u, tau)
    qdot = tree.coordinate_rates(q, u)
    energy = [
        sum(evaluation.energies(t, q + k * STEP * qdot, u + k * STEP * udot)) * w
        for k, w in SIXTH_ORDER
    ]
    power = u @ tau - dissipation(tree, clouds, u)
    scale = 1.0 + np.abs(udot).max() ** 2
    assert sum(energy) / (60 * STEP) == pytest.approx(power, abs=1e-8 * scale)


@law
@given(elastic_trees(floating=True))
def test_momentum_does_not_change_without_forces(case) -> None:
    tree, _, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    udot, _ = evaluation.forward_dynamics(t, q, u)
    qdot = tree.coordinate_rates(q, u)
    p, L, center = np.zeros(3), np.zeros(3), np.zeros(3)
    for k, w in SIXTH_ORDER:
        there = evaluation.momentum(t, q + k * STEP * qdot, u + k * STEP * udot)
        p += w * there.p / (60 * STEP)
        L += w * there.L / (60 * STEP)
        center += w * there.center / (60 * STEP)
    scale = 1.0 + np.abs(udot).max() ** 2
    here = evaluation.momentum(t, q, u)
    assert np.abs(p).max() <= 1e-8 * scale
    assert np.abs(L).max() <= 1e-8 * scale
    assert np.abs(here.mass * center - here.p).max() <= 1e-8 * scale


@law
@given(elastic_trees())
def test_sections_move_as_their_jacobians_say(case) -> None:
    """v = J_S u, and a = J_S u' + j_bar_S, against differences along the motion.

    The same holds for rotations.
    """
    tree, _, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    udot = rng.normal(size=tree.nu)
    qdot = tree.coordinate_rates(q, u)
    place = mb.Frame(0.3 * rng.normal(size=3))
    here = evaluation.marker(t, q, u, "tip", place)
    assert np.abs(here.J_S @ u - here.v).max() <= 1e-12 * (1.0 + np.abs(here.v).max())
    assert np.abs(here.J_R @ u - here.Omega).max() <= 1e-12 * (1.0 + np.abs(here.Omega).max())
    v, A, a, alpha = np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    for k, w in SIXTH_ORDER:
        s = k * STEP
        there = evaluation.marker(t, q + s * qdot, u + s * udot, "tip", place)
        v += w * there.r / (60 * STEP)
        A += w * there.A / (60 * STEP)
        a += w * there.v / (60 * STEP)
        alpha += w * there.Omega / (60 * STEP)
    turning = A @ here.A.T
    Omega = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    scale = 1e-8 * (1.0 + np.abs([here.v, here.Omega, a, alpha]).max() ** 2)
    assert np.abs(v - here.v).max() <= scale
    assert np.abs(Omega - here.Omega).max() <= scale
    # Only first derivatives enter a and alpha, so a straight line in (q, u) is sufficient.
    assert np.abs(here.J_S @ udot + here.j_bar_S - a).max() <= scale
    assert np.abs(here.J_R @ udot + here.j_bar_R - alpha).max() <= scale


@law
@given(elastic_trees())
def test_loads_on_sections_act_by_their_jacobians(case) -> None:
    tree, _, rng = case
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    point, force, moment = rng.normal(size=(3, 3))
    k = evaluation.marker(t, q, u, "tip")
    change = evaluation.forces(t, q, u, [("tip", point, force, moment)]) - evaluation.forces(
        t, q, u
    )
    expected = k.J_S.T @ force + k.J_R.T @ (moment + np.cross(point - k.r, force))
    assert np.abs(change - expected).max() <= 1e-11 * (1.0 + np.abs(expected).max())


def test_sections_are_displaced_and_turned_about_three_axes() -> None:
    """r = x + Φ p and A = A_x A_y A_z with angles ψ p, in components of the body frame.

    They do not depend on where the joint holds the body.
    """
    rng = np.random.default_rng(9)
    cloud = Cloud.random(rng, 2)
    hold = mb.Frame([0.3, -0.2, 0.5], Rotation.from_rotvec([0.4, 1.0, -0.3]).as_matrix())
    F = mb.Frame([0.7, 0.1, -0.4], Rotation.from_rotvec([1.0, 0.2, 0.5]).as_matrix())
    phi, psi = rng.normal(size=(2, 3, 2))
    body = cloud.body("body", mb.RevoluteJoint([1, 2, 3]), "environment", hold, hold)
    tree = mb.Tree([body, section("s", "body", F, mb.ElasticNode(phi, psi))])
    p = np.array([0.4, -0.9])
    k = mb.TreeEvaluation(tree).marker(0.0, np.array([0.0, *p]), np.zeros(3), "s")
    turned = Rotation.from_euler("XYZ", psi @ p).as_matrix() @ F.A
    assert np.abs(k.r - (F.r + phi @ p)).max() <= 1e-15
    assert np.abs(k.A - turned).max() <= 1e-15


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "free", "spherical"])
@pytest.mark.parametrize("n", [1, 3])
def test_an_elastic_body_is_the_sum_of_its_points(kind: str, n: int) -> None:
    """M = Σ m J_SᵀJ_S + Σ J J_RᵀJ_R and h = -Σ m J_Sᵀ(j_bar_S - g) - ..., (14.39)-(14.46).

    The Jacobians are those of sections at all points of mass. The body neglects the terms of the
    balls that rotate with their axes, so h does not contain them here.
    """
    rng = np.random.default_rng(n)
    cloud = Cloud.random(rng, n)
    hinge = {
        "revolute": mb.RevoluteJoint([0.3, 1.0, -0.4]),
        "prismatic": mb.PrismaticJoint([0.3, 1.0, -0.4]),
        "free": mb.FreeJoint(),
        "spherical": mb.SphericalJoint(),
    }[kind]
    places = mb.Frame([0.2, 0.1, 0.0]), mb.Frame([0.3, -0.2, 0.5])
    points = [cloud.point(f"p{i}", "body", i) for i in range(len(cloud.m))]
    gravity = np.array([0.4, -9.0, 2.0])
    body = cloud.body("body", hinge, "environment", *places)
    tree = mb.Tree([body, *points], gravity)
    evaluation = mb.TreeEvaluation(tree)
    t, q, u = state(tree, rng)
    M, h = evaluation.mass_matrix(t, q), evaluation.forces(t, q, u)
    own = slice(tree.nu - n, tree.nu)
    expected, force = np.zeros_like(M), np.zeros(tree.nu)
    force[own] -= cloud.K @ q[-n:] + cloud.D @ u[own]
    for i, m in enumerate(cloud.m):
        k = evaluation.marker(t, q, u, f"p{i}")
        expected += m * k.J_S.T @ k.J_S
        force -= m * k.J_S.T @ (k.j_bar_S - gravity)
    frame = evaluation.marker(t, q, u, "body")
    for J, axis, psi in zip(cloud.J, cloud.axes, cloud.psi, strict=True):
        J_R, a = frame.J_R.copy(), frame.A @ axis
        expected += J * J_R.T @ J_R
        spin = np.outer(a, psi)
        expected[:, own] += J * J_R.T @ spin
        expected[own, :] += J * spin.T @ J_R
        expected[own, own] += J * np.outer(psi, psi)
        rate = J * (frame.j_bar_R + np.cross(frame.Omega, a * (psi @ u[own])))
        force -= J_R.T @ rate
        force[own] -= psi * (a @ (J * frame.j_bar_R))
    assert np.abs(M - expected).max() <= 1e-13 * np.abs(M).max()
    assert np.abs(h - force).max() <= 1e-12 * np.abs(h).max()


def test_rigid_limit_of_stiffness() -> None:
    """Accelerations of the joint converge to those of the rigid body as 1/K: ratio ten."""
    rng = np.random.default_rng(8)
    cloud = Cloud.random(rng, 2)
    body = cloud.body("body", mb.FreeJoint())
    rigid = mb.Body("body", body.mass, body.center, body.inertia, mb.FreeJoint())
    q = np.concatenate([mb.Tree([rigid]).reference, np.zeros(2)])
    w = rng.normal(size=6)
    tree = mb.Tree([rigid], np.array([0.0, -9.81, 0.0]))
    exact, _ = mb.TreeEvaluation(tree).forward_dynamics(0.0, q[:7], w)
    errors = []
    for factor in (1e4, 1e5, 1e6):
        stiff = Cloud(**vars(cloud) | {"K": factor * cloud.K, "D": 0.0 * cloud.D})
        tree = mb.Tree([stiff.body("body", mb.FreeJoint())], np.array([0.0, -9.81, 0.0]))
        evaluation = mb.TreeEvaluation(tree)
        # Elastic coordinates at rest relative to the moving frame: K p balances all other forces.
        p = np.zeros(2)
        for _ in range(10):
            place = np.concatenate([q[:7], p])
            udot, _ = evaluation.forward_dynamics(0.0, place, np.concatenate([w, 0.0 * p]))
            inverse, _ = evaluation.solve_inertia(0.0, place, np.eye(8))
            p = p + np.linalg.solve(stiff.K, np.linalg.solve(inverse[6:, 6:], udot[6:]))
        assert np.abs(udot[6:]).max() <= 1e-9
        errors.append(np.abs(udot[:6] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.02)
    assert errors[1] / errors[2] == pytest.approx(10.0, rel=0.02)


def test_existing_bodies_keep_their_bits_beside_elastic_ones() -> None:
    """A rigid pendulum beside an elastic body moves bitwise as it does alone."""
    rng = np.random.default_rng(3)
    inertia = np.diag([0.2, 0.3, 0.25])
    rigid = mb.Body("rod", 1.2, np.array([0.3, 0.1, 0.0]), inertia, mb.RevoluteJoint([0, 1, 1]))
    gravity = np.array([0.0, -9.81, 0.0])
    alone = mb.TreeEvaluation(mb.Tree([rigid], gravity))
    both = mb.TreeEvaluation(
        mb.Tree([rigid, Cloud.random(rng, 2).body("soft", mb.FreeJoint())], gravity)
    )
    tree = mb.Tree([rigid, Cloud.random(rng, 2).body("soft", mb.FreeJoint())], gravity)
    q = np.concatenate([[0.7], tree.reference[1:]])
    u = rng.normal(size=tree.nu)
    one, _ = alone.forward_dynamics(0.0, q[:1], u[:1])
    two, _ = both.forward_dynamics(0.0, q, u)
    assert one[0] == two[0]
    assert alone.forces(0.0, q[:1], u[:1])[0] == both.forces(0.0, q, u)[0]


def test_matrices_that_no_body_has_are_refused() -> None:
    rng = np.random.default_rng(5)
    cloud = Cloud.random(rng, 2)
    for part, matrix, message in (
        ("K", np.array([[1.0, 2.0], [2.0, 1.0]]), "stiffness: expected eigenvalues >= 0"),
        ("K", np.array([[1.0, 1e-6], [0.0, 1.0]]), "stiffness: expected a symmetric matrix"),
        ("D", -np.eye(2), "damping: expected eigenvalues >= 0"),
        ("D", np.eye(3), "damping: expected shape"),
        ("K", np.full((2, 2), np.nan), "stiffness: expected finite"),
    ):
        wrong = Cloud(**vars(cloud) | {part: matrix})
        with pytest.raises(ValueError, match=f"'b': {message}"):
            mb.Tree([wrong.body("b", mb.FreeJoint())])


def test_second_orders_that_are_not_symmetric_are_refused() -> None:
    cloud = Cloud.random(np.random.default_rng(5), 2, draws=True)
    drawn = cloud.drawn.copy()
    drawn[0, 1, 0, 1] += 1e-6
    wrong = Cloud(**vars(cloud) | {"drawn": drawn})
    with pytest.raises(ValueError, match="'b': drawn: expected the same values for k, l and l, k"):
        mb.Tree([wrong.body("b", mb.FreeJoint())])
    node = mb.ElasticNode(np.ones((3, 2)), np.zeros((3, 2)), np.arange(12.0).reshape(6, 2))
    body = cloud.body("b", mb.FreeJoint())
    with pytest.raises(ValueError, match="'s': drawn: expected the same values for k, l and l, k"):
        mb.Tree([body, section("s", "b", mb.Frame([0.0, 0.0, 0.0]), node)])
    node = mb.ElasticNode(np.ones((3, 2)), np.zeros((3, 2)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="'s': drawn: expected shape"):
        mb.Tree([body, section("s", "b", mb.Frame([0.0, 0.0, 0.0]), node)])


def test_functions_that_depend_on_each_other_are_refused() -> None:
    cloud = Cloud.random(np.random.default_rng(5), 2)
    phi, psi = cloud.phi.copy(), cloud.psi.copy()
    phi[:, :, 1], psi[:, 1] = 2.0 * phi[:, :, 0], 2.0 * psi[:, 0]
    wrong = Cloud(**vars(cloud) | {"phi": phi, "psi": psi})
    with pytest.raises(ValueError, match="independent functions that move mass"):
        mb.Tree([wrong.body("b", mb.FreeJoint())])


def test_elastic_parts_heavier_than_their_body_are_refused() -> None:
    cloud = Cloud.random(np.random.default_rng(5), 2)
    body = cloud.body("b", mb.FreeJoint())
    light = mb.Body(
        "b", 0.1 * body.mass, body.center, body.inertia, mb.FreeJoint(), elastic=cloud.elastic()
    )
    with pytest.raises(
        ValueError, match="'b': mass and inertia: expected values that include the elastic part"
    ):
        mb.Tree([light])


def test_sections_need_an_elastic_body_and_no_joint() -> None:
    cloud = Cloud.random(np.random.default_rng(5), 2)
    body = cloud.body("b", mb.FreeJoint())
    node = mb.ElasticNode(np.zeros((3, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="'s': parent: expected an elastic body"):
        mb.Tree([section("s", "environment", mb.Frame(), node)])
    wrong = mb.ElasticNode(np.zeros((3, 1)), np.ones((3, 1)))
    with pytest.raises(ValueError, match="'s': displacement: expected shape"):
        mb.Tree([body, section("s", "b", mb.Frame(), wrong)])
    nowhere = mb.ElasticNode(np.zeros((3, 2)), np.full((3, 2), np.nan))
    with pytest.raises(ValueError, match="'s': turn: expected finite"):
        mb.Tree([body, section("s", "b", mb.Frame(), nowhere)])
    jointed = mb.Body("s", 0.0, np.zeros(3), np.zeros((3, 3)), mb.FixedJoint(), "b", node=node)
    with pytest.raises(ValueError, match="'s': joint: expected none"):
        mb.Tree([body, jointed])
