"""Frequencies, static displacements and damping of discretised bodies."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import nsmb
from nsmb import flexible
from tests.flexible.blocks import H, L, bar, block, free_block

G = 9.81


@pytest.mark.parametrize(
    ("size", "E", "density", "state", "printed"),
    [
        ((L, H), 1000.0, 2.0, "stress", (38.182, 53.709, 62.897, 82.364, 84.678)),
        ((L, H), 1000.0, 2.0, "strain", (39.492, 53.709, 65.779, 92.394, 93.026)),
        ((0.3, 1.0), 2500.0, 4 / 0.3, "stress", (47.227, 102.376, 109.945, 166.477, 168.339)),
        ((0.3, 1.0), 2500.0, 4 / 0.3, "strain", (49.287, 102.376, 112.447, 185.077, 185.794)),
    ],
)
def test_block_has_the_frequencies_of_one_element(
    size: tuple[float, float], E: float, density: float, state: str, printed: tuple[float, ...]
) -> None:
    body = block(E, state, size, density)
    assert body.free_frequencies == pytest.approx(
        printed, abs=1e-3
    )  # one unit of the last digit in the table
    system = free_block(body)
    K = np.zeros((8, 8))
    K[3:, 3:] = body.stiffness_matrix
    squares = eigh(K, system.mass_matrix(0.0, np.zeros(8)), eigvals_only=True)
    assert np.sqrt(squares[3:]) == pytest.approx(body.free_frequencies, rel=1e-12)
    assert np.abs(squares[:3]).max() <= 1e-10 * squares[-1]


@pytest.mark.parametrize(
    ("size", "E", "density", "state", "sag", "spread"),
    [
        ((L, H), 1000.0, 2.0, "stress", -0.00981, 0.00589),
        ((L, H), 1000.0, 2.0, "strain", -0.00893, 0.00765),
        ((0.3, 1.0), 2500.0, 4 / 0.3, "stress", -0.02616, 0.00235),
        ((0.3, 1.0), 2500.0, 4 / 0.3, "strain", -0.02381, 0.00306),
    ],
)
def test_block_sags_under_its_weight(
    size: tuple[float, float], E: float, density: float, state: str, sag: float, spread: float
) -> None:
    """The block is supported at both lower nodes, where its frame is, so the floor does no work."""
    body = block(E, state, size, density)
    m = nsmb.Model(gravity=(0.0, -G))
    m.add_joint("free", nsmb.joints.Planar(), m.ground, m.add_elastic_body("block", body))
    rest = np.zeros(8)
    q_e = np.linalg.solve(body.stiffness_matrix, m.build().forces(0.0, rest, rest)[3:])
    assert q_e[[2, 4]] == pytest.approx([sag, sag], abs=5e-6)
    assert q_e[:2] == pytest.approx([spread, spread], abs=5e-6)
    if state == "stress":
        assert q_e[2] == pytest.approx(-4.0 * G * size[1] / (2.0 * E * size[0]), rel=1e-12)
        assert q_e[0] == pytest.approx(0.3 * 4.0 * G / (2.0 * E), rel=1e-12)


def test_block_comes_to_rest_on_a_smooth_floor_where_statics_puts_it() -> None:
    """The block is dropped event-driven with contacts at nodes 4 and 1."""
    body = block(rayleigh=(0.0, 0.02))
    m = nsmb.Model(gravity=(0.0, -G))
    block_ = m.add_elastic_body("block", body)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, block_)
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    for node in (3, 0):
        corner = block_.contour(f"node_{node}", nsmb.geometry.Point(), at=node)
        m.add_contact(corner, floor, nsmb.ContactLaw())
    system = m.build({"free": (0.0, 1e-3, 0.0)})
    solution = nsmb.simulate(system, 3.0)
    assert solution.success
    at_rest = solution.q[-1, system.elastic_coordinates("block")]
    assert at_rest[[2, 4]] == pytest.approx([-0.00981, -0.00981], rel=1e-6)
    assert solution.check().ok


def test_beams_have_the_frequencies_of_their_closed_forms() -> None:
    """A free beam has cos λ cosh λ = 1, with fourth-order errors in the number of elements.

    In space, bending in both planes, torsion and longitudinal modes are covered.
    """
    roots = [brentq(lambda x: np.cos(x) - 1.0 / np.cosh(x), k * np.pi + 1.0, (k + 1) * np.pi)
             for k in (1, 2)]  # fmt: skip
    E, rho, A, I_z, I_y, I_t, G_ = 1e7, 1000.0, 0.01, 1e-9, 4e-9, 5e-9, 4e6
    exact = np.square(roots) * np.sqrt(E * I_z / (rho * A))
    errors = []
    for n in (8, 16):
        x = np.column_stack([np.linspace(0.0, 1.0, n + 1), np.zeros(n + 1)])
        body = flexible.reduce(flexible.beam(x, E=E, density=rho, area=A, I_z=I_z), 2)
        errors.append(body.frequencies / exact - 1.0)
    # Rotary inertia reduces both by 1e-6, which the closed form does not include.
    assert np.abs(errors[1]).max() <= 1e-4
    assert errors[0][1] / errors[1][1] == pytest.approx(16.0, rel=0.1)
    turn, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))
    x = np.column_stack([np.linspace(0.0, 1.0, 33), np.zeros((33, 2))]) @ turn.T
    spatial = flexible.beam(
        x, E=E, density=rho, area=A, I_z=I_z, I_y=I_y, I_t=I_t, G=G_, up=turn @ (0, 0, 1)
    )
    found = flexible.reduce(spatial, 90).frequencies
    torsion = np.pi * np.sqrt(G_ * I_t / (rho * (I_y + I_z)))
    along = np.pi * np.sqrt(E / rho)
    for value in (*exact, *(2.0 * exact), torsion, along):
        assert np.abs(found / value - 1.0).min() <= 1e-3  # 4e-4 of torsion


def test_short_beams_are_softened_by_shear() -> None:
    """A cantilever under an end force has P l³/3EI + P l/κGA, exact with one element."""
    E, G_, A, I_z, kappa, length = 1e7, 4e6, 0.01, 2e-5, 5.0 / 6.0, 0.5
    one = flexible.beam(
        [(0.0, 0.0), (length, 0.0)], E=E, density=1.0, area=A, I_z=I_z, G=G_, shear_factor=kappa
    )
    K = one.stiffness_matrix.toarray()[3:, 3:]
    sag = np.linalg.solve(K, [0.0, 1.0, 0.0])[1]
    assert sag == pytest.approx(length**3 / (3 * E * I_z) + length / (kappa * G_ * A), rel=1e-12)


def test_solids_bend_as_beams() -> None:
    """A 10 to 1 bar of quadratic tetrahedra is within 2 % of Euler-Bernoulli theory."""
    mesh = flexible.Mesh.box((1.0, 0.1, 0.1), (8, 1, 1), kind="tetra")
    corners = np.asarray(mesh.cells)
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]]], axis=2)
    pairs, number = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    nodes = np.vstack([mesh.nodes, np.asarray(mesh.nodes)[pairs].mean(axis=1)])
    cells = np.hstack([corners, len(np.asarray(mesh.nodes)) + number.reshape(-1, 6)])
    fine = flexible.Mesh(nodes, cells, "tetra10")
    body = flexible.reduce(flexible.solid(fine, E=2.1e11, nu=0.3, density=7850.0), 4)
    exact = 4.730040744862704**2 * np.sqrt(2.1e11 * 0.1**2 / 12.0 / 7850.0)
    assert body.frequencies[:2] == pytest.approx([exact, exact], rel=0.06)
    assert (body.frequencies[:2] < 1.01 * exact).all()
    linear = flexible.reduce(flexible.solid(mesh, E=2.1e11, nu=0.3, density=7850.0), 4)
    assert (linear.frequencies > body.frequencies).all()  # a subspace is stiffer


def test_quadratic_triangles_contain_linear_ones() -> None:
    """With the same corners, Rayleigh quotients fall to those of finer meshes."""
    coarse = flexible.Mesh.rectangle(2.0, 0.4, 8, 2, kind="triangle")
    corners = np.asarray(coarse.cells)
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]], axis=2)
    pairs, number = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    nodes = np.vstack([coarse.nodes, np.asarray(coarse.nodes)[pairs].mean(axis=1)])
    cells = np.hstack([corners, len(np.asarray(coarse.nodes)) + number.reshape(-1, 3)])
    given = {"E": 1e7, "nu": 0.3, "density": 1000.0}
    quadratic = flexible.reduce(
        flexible.plane(flexible.Mesh(nodes, cells, "triangle6"), **given), 4
    ).frequencies
    linear = flexible.reduce(flexible.plane(coarse, **given), 4).frequencies
    fine = flexible.Mesh.rectangle(2.0, 0.4, 80, 16)
    reference = flexible.reduce(flexible.plane(fine, **given), 4).frequencies
    assert (quadratic < linear).all()
    assert quadratic == pytest.approx(reference, rel=0.02)  # 1.3 % for the fourth


def test_rayleigh_damping_goes_through_two_points() -> None:
    """(2.46)-(2.47) satisfy ξ = α/2ω + βω/2 and the damping of the modes."""
    alpha, beta = flexible.rayleigh_fit((40.0, 0.01), (85.0, 0.02))
    for w, xi in ((40.0, 0.01), (85.0, 0.02)):
        assert alpha / (2 * w) + beta * w / 2 == pytest.approx(xi, rel=1e-14)
    body = flexible.reduce(bar(20), 4, rayleigh=(alpha, beta))
    w = body.frequencies
    shares = np.diag(body.damping_matrix) / (2.0 * w * np.diag(body.mass_matrix))
    assert shares == pytest.approx(alpha / (2 * w) + beta * w / 2, rel=1e-10)
    ratios = [0.01, 0.02, 0.03, 0.04]
    own = flexible.reduce(bar(20), 4, damping_ratio=ratios)
    shares = np.diag(own.damping_matrix) / (2.0 * w * np.diag(own.mass_matrix))
    assert shares == pytest.approx(ratios, rel=1e-12)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (((40.0, 0.01), (40.0, 0.02)), "must be two distinct numbers"),
        (((40.0, 0.01), (400.0, 0.0001)), "not require negative damping"),
    ],
)
def test_damping_that_feeds_is_refused(points: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        flexible.rayleigh_fit(*points)
