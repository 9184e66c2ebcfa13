"""Few shapes agree with all unknowns: constrained frequencies, statics, large meshes."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh, null_space

import nsmb
from nsmb import flexible
from nsmb.flexible import eigen
from tests.flexible.blocks import bar

Array = NDArray[np.float64]


def constrained(system: nsmb.MultibodySystem, K: Array) -> Array:
    """Return the frequencies of a model at its start, constrained by loops."""
    q = system.initial_state.q
    W = system._core.constraint_kinematics(0.0, q, np.zeros(system.nu))["W"]
    free = null_space(W.T, rcond=1e-9)
    M = free.T @ system.mass_matrix(0.0, q) @ free
    return np.sqrt(np.maximum(eigh(free.T @ K @ free, M, eigvals_only=True), 0.0))


def clamped_frequencies(elements: flexible.FiniteElements, nodes: Array, count: int) -> Array:
    held = elements.unknowns_of(nodes)
    free = np.setdiff1d(np.arange(elements.unknowns), held)
    K, M = (
        A.toarray()[np.ix_(free, free)] for A in (elements.stiffness_matrix, elements.mass_matrix)
    )
    return np.sqrt(eigh(K, M, eigvals_only=True, subset_by_index=[0, count - 1]))


@pytest.mark.parametrize(
    ("method", "modes", "other_end", "error"),
    [
        # ε times the ratio of the bar's largest and smallest eigenvalue, 1.7e7, is 3.8e-9.
        ("craig-bampton", 10, False, 1e-8),
        ("attachment", 10, False, 2.5e-3),  # 2.4e-3, for the ninth
        ("attachment", 12, False, 1e-3),  # 5.3e-4
        ("attachment", 12, True, 1e-3),  # 5.1e-4
        ("craig-bampton", 10, True, 1.5e-2),  # 1.4e-2: its modes have both ends held
    ],
)
def test_ten_modes_and_interface_shapes_give_ten_constrained_frequencies(
    method: str, modes: int, other_end: bool, error: float
) -> None:
    """A bar with interface nodes at its ends is held by joints at the left nodes.

    The reference is the held bar with all 1010 unknowns.
    """
    elements = bar(100)
    left = elements.places["left"].nodes
    ends = left.tolist() + (elements.places["right"].nodes.tolist() if other_end else [])
    body = flexible.reduce(elements, modes, method=method, interface=ends)
    m = nsmb.Model()
    elastic = m.add_elastic_body("bar", body)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, elastic)
    for node in left.tolist():
        place = body.at(node)
        at = np.asarray(place.r)
        m.add_loop(f"pin_{node}", nsmb.joints.Revolute(), m.ground, elastic, at=at, at_2=place)
    system = m.build()
    K = np.zeros((system.nu, system.nu))
    K[3:, 3:] = body.stiffness_matrix
    exact = clamped_frequencies(elements, left, 10)
    found = constrained(system, K)[:10]
    assert found == pytest.approx(exact, rel=error)
    assert (found >= exact * (1.0 - 1e-8)).all()  # Rayleigh quotients of a subspace


def test_free_modes_alone_do_not() -> None:
    """Interface shapes are needed, as thirty free modes have errors of per cents for a held end."""
    elements = bar(40)
    left = elements.places["left"].nodes
    body = flexible.reduce(elements, 30)
    free = np.vstack([body.shapes[node, :2] for node in left])
    rigid = np.vstack([[[1.0, 0.0, -y], [0.0, 1.0, x]] for x, y, _ in body.nodes[left]]).reshape(
        -1, 3
    )
    basis = null_space(np.hstack([rigid, free]))
    I = body.integrals
    M = np.diag([I.mass, I.mass, I.inertia[2, 2], *np.diag(body.mass_matrix)])
    K = np.diag([0.0, 0.0, 0.0, *np.diag(body.stiffness_matrix)])
    found = np.sqrt(eigh(basis.T @ K @ basis, basis.T @ M @ basis, eigvals_only=True)[:3])
    exact = clamped_frequencies(elements, left, 3)
    assert (found / exact - 1.0).max() > 1e-2


def test_clamped_modes_are_those_of_the_held_body() -> None:
    elements = bar(40)
    left = elements.places["left"].nodes
    frame = flexible.NodalFrame(int(left[0]), along=int(left[-1]))
    body = flexible.reduce(elements, 6, method="clamped", interface=["left"], frame=frame)
    exact = clamped_frequencies(elements, left, 6)
    assert body.frequencies == pytest.approx(exact, rel=1e-9)


def test_craig_bampton_contains_every_static_answer_to_its_interface() -> None:
    """Under balanced forces at two corners the reduced body deforms like the full one."""
    elements = bar(40)
    a, b = 0, len(elements.nodes) - 1
    body = flexible.reduce(elements, 0, method="craig-bampton", interface=[a, b])
    x = elements.nodes[b] - elements.nodes[a]
    F = np.zeros((elements.unknowns, 1))
    F[elements.unknowns_of([a])], F[elements.unknowns_of([b])] = -x[:2, None], x[:2, None]
    U = eigen.pseudo_inverse(
        elements.stiffness_matrix, elements.mass_matrix, elements.rigid_motions
    )(F)
    exact = elements.displacements(U)[:, :, 0]
    load = np.einsum("ak,a->k", body.shapes[b] - body.shapes[a], x)
    found = body.displacements(np.linalg.solve(body.stiffness_matrix, load))
    assert found == pytest.approx(exact, abs=1e-8 * np.abs(exact).max())


def test_attachment_shapes_are_kept_however_stiff_the_body_is() -> None:
    """A force of 1 N moves it by 1/E, which does not affect the choice of shapes."""
    soft, stiff = (
        flexible.reduce(bar(20, E=E), 8, method="attachment", interface=[0, 60])
        for E in (1e5, 2e11)
    )
    assert stiff.count == soft.count == 12
    assert stiff.frequencies == pytest.approx(np.sqrt(2e6) * soft.frequencies, rel=1e-6)


def test_attachment_shape_of_a_group_is_the_answer_to_a_load_spread_over_it() -> None:
    elements = bar(40)
    body = flexible.reduce(elements, 0, method="attachment", interface=["left", "right"])
    right, left = (elements.group("", name) for name in ("right", "left"))
    F = (elements.loads(right) - elements.loads(left))[:, :1]
    solve = eigen.pseudo_inverse(
        elements.stiffness_matrix, elements.mass_matrix, elements.rigid_motions
    )
    exact = elements.displacements(solve(F))[:, :, 0]
    load = body._motion(body._frame_at("at", "right").node)[1][0]
    load = load - body._motion(body._frame_at("at", "left").node)[1][0]
    found = body.displacements(np.linalg.solve(body.stiffness_matrix, load))
    assert found == pytest.approx(exact, abs=1e-8 * np.abs(exact).max())
    # The stretch is F l / EA, without end effects of Poisson's ratio here.
    stretch = found[right.nodes, 0] @ right.shares - found[left.nodes, 0] @ left.shares
    assert stretch == pytest.approx(2.0 / (1e7 * 0.2 * 0.1), rel=1e-6)


@pytest.mark.parametrize("way", ["dense", "inversion", "blocks"])
def test_ways_to_eigenmodes_agree(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Residuals and frequencies of free and held bodies agree with LAPACK for any method."""
    mesh = flexible.Mesh.box((1.0, 0.3, 0.2), (10, 3, 2))
    elements = flexible.solid(mesh, E=2e8, nu=0.3, density=1000.0)
    K, M, R = elements.stiffness_matrix, elements.mass_matrix, elements.rigid_motions
    free = np.setdiff1d(np.arange(elements.unknowns), elements.unknowns_of(mesh.places["x_min"]))
    exact = np.sqrt(eigh(K.toarray(), M.toarray(), eigvals_only=True)[6:14])
    inner = K.toarray()[np.ix_(free, free)], M.toarray()[np.ix_(free, free)]
    held = np.sqrt(eigh(*inner, eigvals_only=True)[:8])
    monkeypatch.setattr(eigen, "_DENSE", 10_000 if way == "dense" else 10)
    monkeypatch.setattr(eigen, "_MANY", 10 if way == "blocks" else 10**9)
    if way == "blocks":
        pytest.importorskip("pyamg")
    for V, frequencies in (
        (eigen.free_modes(K, M, 8, R), exact),
        (eigen.held_modes(K, M, free, 8, R), held),
    ):
        gram = V.T @ (M @ V)
        found = np.sqrt(eigh(V.T @ (K @ V), gram, eigvals_only=True))
        assert found == pytest.approx(frequencies, rel=1e-7 if way == "blocks" else 1e-10)


def test_static_answers_by_multigrid_and_by_a_factor_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyamg")
    mesh = flexible.Mesh.box((1.0, 0.3, 0.2), (10, 3, 2))
    elements = flexible.solid(mesh, E=2e8, nu=0.3, density=1000.0)
    answers = []
    for many in (10, 10**9):
        monkeypatch.setattr(eigen, "_MANY", many)
        answers.append(
            flexible.shape_basis(elements, 0, method="attachment", interface=["x_max", 0])
        )
    assert answers[0] == pytest.approx(answers[1], abs=1e-7 * np.abs(answers[1]).max())


@pytest.mark.parametrize(
    ("modes", "options", "message"),
    [
        (0, {}, "modes: expected a whole number >= 1, got 0"),
        (10**6, {}, "modes: must be at most 123, the number of modes"),
        (2, {"method": "clamped"}, "interface: must be given for method='clamped'"),
        (2, {"interface": ["left"]}, "interface: must be left out with method='free-free'"),
        (2, {"method": "guyan"}, "method: expected one of free-free, clamped"),
        (2, {"method": "craig-bampton", "interface": [0]}, "nodes that hold the body, got \\[0\\]"),
        (2, {"method": "clamped", "interface": ["lef"]}, "did you mean 'left'"),
    ],
)
def test_reductions_that_do_not_exist_are_refused(modes: int, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        flexible.reduce(bar(20), modes, **options)


def test_shapes_that_depend_on_each_other_are_refused() -> None:
    elements = bar(20)
    V = flexible.shape_basis(elements, 2)
    for more in (V[:, :1] * 2.0, elements.rigid_motions[:, :1]):
        with pytest.raises(ValueError, match="shapes: must be independent"):
            flexible.FlexibleBody.from_elements(elements, np.hstack([V, more]))


def test_torsion_of_a_straight_beam_is_measured_by_its_turn() -> None:
    """With both ends held, nodes do not move but rotate by sin(π x / L).

    The modal mass for 1 rad in the middle is ρ I_p L / 2, and ω = π/L sqrt(G I_t / (ρ I_p)). Linear
    elements of length h have errors of (π h / L)²/6 = 1.03e-3 in the mass, and a quarter of it in
    ω.
    """
    L, I_p, I_t, G, rho = 2.0, 2e-6, 1.5e-6, 8e10, 7800.0
    x = np.linspace(0.0, L, 41)
    elements = flexible.beam(
        np.column_stack([x, 0.0 * x, 0.0 * x]), E=2e11, density=rho, area=1e-3,
        I_z=1e-6, I_y=1e-6, I_t=I_t, G=G,
    )  # fmt: skip
    body = flexible.reduce(
        elements, 30, method="clamped", interface=[0, 40], frame=flexible.NodalFrame(0)
    )
    M, K = np.diag(body.mass_matrix), np.diag(body.stiffness_matrix)
    assert M.max() < 10.0 * elements.mass  # 4e24 kg, if normalised by displacement
    omega = np.pi / L * np.sqrt(G * I_t / (rho * I_p))
    k = np.argmin(np.abs(np.sqrt(K / M) - omega))
    assert np.sqrt(K[k] / M[k]) == pytest.approx(omega, rel=1e-3)
    assert M[k] == pytest.approx(0.5 * rho * I_p * L, rel=1.1e-3)


@pytest.mark.parametrize("method", ["free-free", "clamped", "craig-bampton"])
def test_the_first_of_the_nodes_that_move_furthest_has_the_sign_of_a_mode(method: str) -> None:
    """Corners of a bar move equally far, and rounding must not choose between them."""
    options = {} if method == "free-free" else {"interface": ["left"]}
    body = flexible.reduce(bar(20), 4, method=method, **options)
    for unit in np.eye(body.count):
        moves = body.displacements(unit)
        lengths = np.linalg.norm(moves, axis=1)
        first = moves[np.flatnonzero(lengths > lengths.max() * (1.0 - 1e-6))[0]]
        assert first[np.flatnonzero(np.abs(first) > np.abs(first).max() * (1.0 - 1e-6))[0]] > 0.0
