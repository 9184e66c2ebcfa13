"""Integrals, mass matrix and velocity terms agree with printed numbers and quadrature."""

import numpy as np
import pytest
from scipy import sparse

import nsmb
from nsmb import flexible
from tests.flexible.blocks import block, brick, free_block, quadrature


def test_integrals_of_the_block_are_those_of_its_bilinear_functions() -> None:
    """For 4 kg, 2 m by 1 m, m_ee has 4/9 on the diagonal, 2/9 for neighbours, 1/9 across."""
    body = block()
    I = body.integrals
    tight = {"rel": 1e-14, "abs": 1e-14}
    assert I.mass == pytest.approx(4.0, rel=1e-15)
    assert I.first_moment == pytest.approx([4.0, 2.0, 0.0], **tight)
    assert I.inertia[2, 2] == pytest.approx(20.0 / 3.0, **tight)
    S_bar = [[1.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0, 1.0], [0.0] * 5]
    assert I.displacement == pytest.approx(np.array(S_bar), **tight)
    h_0 = np.array([4.0, 4.0, 2.0, 2.0, 2.0]) / 3.0
    assert np.einsum("kii->k", I.first) == pytest.approx(h_0, **tight)
    g_0 = np.array([-1.0, -2.0, 4.0, -2.0, 2.0]) / 3.0
    assert I.moment[2] == pytest.approx(g_0, **tight)
    near, far, own = 2.0 / 9.0, 1.0 / 9.0, 4.0 / 9.0
    m_ee = [
        [own, near, 0.0, far, 0.0],
        [near, own, 0.0, near, 0.0],
        [0.0, 0.0, own, 0.0, near],
        [far, near, 0.0, own, 0.0],
        [0.0, 0.0, near, 0.0, own],
    ]
    assert body.mass_matrix == pytest.approx(np.array(m_ee), **tight)


def test_planar_mass_and_velocity_terms_are_those_of_quadrature() -> None:
    """(2.30) and (2.62)-(2.64) are evaluated by L of (4.24) at Gauss points."""
    body = block()
    system = free_block(body)
    rng = np.random.default_rng(1)
    q, u = rng.normal(size=8), rng.normal(size=8)
    q[3:] *= 0.3
    c, s = np.cos(q[2]), np.sin(q[2])
    A, J = np.array([[c, -s], [s, c]]), np.array([[0.0, -1.0], [1.0, 0.0]])
    M, Q = np.zeros((8, 8)), np.zeros(8)
    for dm, x, S in quadrature():
        place = x + S @ q[3:]
        jacobian = np.column_stack([np.eye(2), A @ J @ place, A @ S])
        bias = A @ (-(u[2] ** 2) * place + 2.0 * u[2] * J @ S @ u[3:])
        M += dm * jacobian.T @ jacobian
        Q -= dm * jacobian.T @ bias
    Q[3:] -= body.stiffness_matrix @ q[3:] + body.damping_matrix @ u[3:]
    assert system.mass_matrix(0.0, q) == pytest.approx(M, rel=1e-13, abs=1e-13)
    assert system.forces(0.0, q, u) == pytest.approx(Q, rel=1e-12, abs=1e-11)  # K q is 1e3


def test_spatial_mass_and_velocity_terms_are_sums_over_nodes() -> None:
    """One hexahedron has consistent masses as sums m_ij, and Ω in body axes."""
    mesh = flexible.Mesh.box((1.0, 0.4, 0.3), (1, 1, 1))
    elements = flexible.solid(mesh, E=2e5, nu=0.3, density=900.0)
    body = brick()
    n = body.count
    system = free_block(body)
    rng = np.random.default_rng(2)
    q, u = rng.normal(size=7 + n), rng.normal(size=6 + n)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] *= 0.1
    w, v = q[3], q[4:7]
    tilde = np.cross(np.eye(3), v)
    A = np.eye(3) + 2.0 * w * tilde + 2.0 * tilde @ tilde
    m = elements.mass_matrix[::3, ::3].toarray()
    Omega = u[3:6]
    jacobians, biases = [], []
    for x, S in zip(body.nodes, body.shapes, strict=True):
        place, rate = x + S @ q[7:], S @ u[6:]
        jacobians.append(np.hstack([np.eye(3), -A @ np.cross(np.eye(3), place), A @ S]))
        turning = np.cross(Omega, np.cross(Omega, place)) + 2.0 * np.cross(Omega, rate)
        biases.append(A @ turning)
    L, a = np.array(jacobians), np.array(biases)
    M = np.einsum("ij,iak,jal->kl", m, L, L)
    Q = -np.einsum("ij,iak,ja->k", m, L, a)
    Q[6:] -= body.stiffness_matrix @ q[7:]
    assert system.mass_matrix(0.0, q) == pytest.approx(M, rel=1e-12, abs=1e-12 * M.max())
    largest = np.abs(Q).max()
    assert system.forces(0.0, q, u) == pytest.approx(Q, rel=1e-11, abs=1e-12 * largest)


def test_nodes_mass_and_stiffness_alone_make_the_same_body() -> None:
    """Without element integrals, as for external assemblies given by matrices."""
    elements = flexible.plane(flexible.Mesh.rectangle(2.0, 1.0, 4, 2), E=1e3, nu=0.3, density=2.0)
    shapes = flexible.shape_basis(elements, 5)
    made = flexible.FlexibleBody.from_elements(elements, shapes)
    given = nsmb.flexible.FlexibleBody(
        np.asarray(elements.nodes)[:, :2],
        elements.mass_matrix.toarray(),
        sparse.coo_array(elements.stiffness_matrix),
        shapes,
    )
    assert given.is_planar
    for name in ("mass_matrix", "stiffness_matrix", "nodes", "shapes", "frequencies"):
        assert getattr(given, name) == pytest.approx(getattr(made, name), rel=1e-12, abs=1e-12)
    assert given.integrals.second == pytest.approx(made.integrals.second, rel=1e-12, abs=1e-14)


def test_lumped_masses_keep_mass_and_centre_and_converge_to_consistent_ones() -> None:
    distance = []
    for n in (4, 8):
        pair = [
            flexible.plane(
                flexible.Mesh.rectangle(2.0, 1.0, 2 * n, n),
                E=1e3,
                nu=0.3,
                density=2.0,
                lumped=lumped,
            )
            for lumped in (False, True)
        ]
        assert pair[1].mass == pytest.approx(pair[0].mass, rel=1e-13)
        a, b = (flexible.reduce(elements, 3).frequencies for elements in pair)
        distance.append(np.abs(b / a - 1.0).max())
    # Of second order in the width of elements.
    assert distance[0] / distance[1] == pytest.approx(4.0, rel=0.25)


def test_inertia_of_sections_of_a_beam_turns_with_them() -> None:
    """Rigid motions of a beam have m, and J about the middle including ρI."""
    nodes = np.column_stack([np.linspace(0.0, 2.0, 5), np.zeros((5, 2))])
    beam = flexible.beam(
        nodes, E=1e7, density=1000.0, area=0.01, I_z=2e-5, I_y=1e-5, I_t=2e-5, G=4e6
    )
    I = flexible.reduce(beam, 2).integrals
    m, J = 20.0, 20.0 * 4.0 / 12.0
    exact = np.diag([2000.0 * 3e-5, J + 2000.0 * 1e-5, J + 2000.0 * 2e-5])
    assert I.mass == pytest.approx(m, rel=1e-14)
    assert I.inertia == pytest.approx(exact, rel=1e-13, abs=1e-13)
    M_r = beam.rigid_motions.T @ beam.mass_matrix @ beam.rigid_motions
    assert np.diag(M_r)[3:] == pytest.approx(np.diag(exact), rel=1e-13)
