"""User-defined joints, prescribed motion, and names of coordinates."""

import numpy as np
import pytest

from nsmb._core import multibody as mb

Array = np.ndarray


def rotation(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    A = np.eye(3)
    A[i, i], A[k, k], A[i, k], A[k, i] = c, c, -s, s
    return A


def universal(**changes: object) -> mb.FunctionJoint:
    """A second universal joint, from functions."""

    def subspace(t: float, q: Array) -> Array:
        S = np.zeros((6, 2))
        S[3:, 0] = [1, 0, 0]
        S[3:, 1] = rotation(0, q[0])[:, 1]
        return S

    functions = {
        "position": lambda t, q: (np.zeros(3), rotation(0, q[0]) @ rotation(1, q[1])),
        "subspace": subspace,
        "bias": lambda t, q, u: np.r_[np.zeros(3), u[0] * u[1] * rotation(0, q[0])[:, 2]],
    }
    return mb.FunctionJoint(["alpha", "beta"], 2, **(functions | changes))


def on_a_rod(joint: mb.Joint, motions: list[mb.JointMotion] | None = None) -> mb.TreeEvaluation:
    inertia = np.diag([0.1, 0.2, 0.25])
    center = np.array([0.1, 0.2, 0.5])
    rod = mb.Body("rod", 1.0, center, inertia, mb.RevoluteJoint([0, 1, 1]))
    end = mb.Body(
        "end",
        1.0,
        center,
        inertia,
        joint,
        "rod",
        mb.Frame([0.3, 0, 0]),
        mb.Frame([0, 0.1, 0]),
        motions=motions or [],
    )
    return mb.TreeEvaluation(mb.Tree([rod, end], np.array([0, 0, -9.81])))


def test_a_joint_from_functions_equals_the_ready_made_one() -> None:
    rng = np.random.default_rng(0)
    user, ready = on_a_rod(universal()), on_a_rod(mb.UniversalJoint())
    for _ in range(10):
        q, u, tau = rng.normal(size=(3, 3))
        assert user.mass_matrix(0, q) == pytest.approx(ready.mass_matrix(0, q), abs=1e-14)
        assert user.forces(0, q, u) == pytest.approx(ready.forces(0, q, u), abs=1e-13)
        udot = ready.forward_dynamics(0, q, u, tau)[0]
        assert user.forward_dynamics(0, q, u, tau)[0] == pytest.approx(udot, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bias": None}, "bias of rotation: expected the derivative"),
        ({"subspace": lambda t, q: np.eye(6, 2)}, "velocity of translation: expected the derivat"),
        ({"subspace": lambda t, q: np.eye(5, 2)}, r"subspace: expected shape \(6, 2\), got .*5, 2"),
        ({"prescribed": lambda t, q: np.ones(6)}, "velocity of translation: expected the derivat"),
        (
            {"position": lambda t, q: (np.zeros(3), 2 * np.eye(3))},
            "position.A: expected a proper rotation",
        ),
        ({"reference": np.zeros(3)}, "reference: expected a vector of length 2, got length 3"),
    ],
)
def test_a_wrong_derivative_is_found(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        universal(**changes)


def test_more_coordinates_than_velocities_need_rates() -> None:
    with pytest.raises(ValueError, match="coordinate_rates: expected a function, because"):
        mb.FunctionJoint(
            ["a", "b"], 1, lambda t, q: (np.zeros(3), np.eye(3)), lambda t, q: np.zeros((6, 1))
        )


def test_a_screw_driven_in_time_from_functions() -> None:
    """A rheonomic user joint equals a driven one: z = q + sin t along e_x."""

    def s(t: float) -> Array:
        return np.array([np.sin(t), np.cos(t), -np.sin(t)])

    e_x = np.array([1.0, 0, 0, 0, 0, 0])
    user = mb.FunctionJoint(
        [""],
        1,
        lambda t, q: ((q[0] + np.sin(t)) * e_x[:3], np.eye(3)),
        lambda t, q: e_x[:, None],
        lambda t, q, u: -np.sin(t) * e_x,
        lambda t, q: np.cos(t) * e_x,
    )
    a = on_a_rod(user)
    b = on_a_rod(mb.PrismaticJoint([1, 0, 0]), [mb.JointMotion(0, s)])
    rng = np.random.default_rng(1)
    for t in range(5):
        q, u = rng.normal(size=(2, 2))
        assert a.forces(t, q, u) == pytest.approx(b.forces(t, q, u), abs=1e-13)
        markers = a.marker(t, q, u, "end"), b.marker(t, q, u, "end")
        for part in ("r", "v", "j_tilde_S", "j_bar_S"):
            assert getattr(markers[0], part) == pytest.approx(getattr(markers[1], part), abs=1e-13)


@pytest.mark.parametrize(
    ("driven", "rest"),
    [
        ((mb.CylindricalJoint([1, 2, 2]), 0), mb.RevoluteJoint([1, 2, 2])),
        ((mb.CylindricalJoint([1, 2, 2]), 1), mb.PrismaticJoint([1, 2, 2])),
    ],
)
def test_a_locked_coordinate_leaves_the_other(driven: tuple[mb.Joint, int], rest: mb.Joint) -> None:
    joint, coordinate = driven
    at_rest = [mb.JointMotion(coordinate, lambda t: np.zeros(3), True)]
    a, b = on_a_rod(joint, at_rest), on_a_rod(rest)
    q, u = np.random.default_rng(2).normal(size=(2, 2))
    assert a.mass_matrix(0, q) == pytest.approx(b.mass_matrix(0, q), abs=1e-14)
    assert a.forces(0, q, u) == pytest.approx(b.forces(0, q, u), abs=1e-13)


def test_a_free_body_on_a_shaken_frame_feels_nothing() -> None:
    """The absolute motion of a free body does not depend on the reference frame of its joint."""

    def s(t: float) -> Array:
        return np.array([np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)])

    body = mb.Body(
        "stone",
        1.0,
        np.zeros(3),
        np.eye(3),
        mb.FreeJoint(),
        motions=[mb.JointMotion(1, s)],
    )
    evaluation = mb.TreeEvaluation(mb.Tree([body], np.array([0, 0, -9.81])))
    udot, _ = evaluation.forward_dynamics(0.4, np.r_[np.zeros(3), 1, np.zeros(3)], np.zeros(6))
    assert udot == pytest.approx([0, 9 * np.sin(1.2), -9.81, 0, 0, 0], abs=1e-13)


def test_coordinates_are_named_by_their_joints() -> None:
    def body(name: str, joint: mb.Joint, parent: str, **more: object) -> mb.Body:
        return mb.Body(name, 1.0, np.zeros(3), np.eye(3), joint, parent, **more)

    tree = mb.Tree(
        [
            body("cart", mb.PrismaticJoint(), "environment", joint_name="rail"),
            body("ball", mb.SphericalJoint(), "cart"),
            body(
                "ring",
                mb.CylindricalJoint(),
                "ball",
                motions=[mb.JointMotion(0, lambda t: np.zeros(3), True)],
            ),
        ]
    )
    assert tree.coordinates == ["rail", "ball.qw", "ball.qx", "ball.qy", "ball.qz", "ring.angle"]
    assert (tree.nq, tree.nu) == (6, 5)
    assert list(tree.reference) == [0, 1, 0, 0, 0, 0]
