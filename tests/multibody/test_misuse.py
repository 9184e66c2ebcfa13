"""Misuse of bodies, joints and trees: the message names the culprit and the expected value."""

from typing import Any

import numpy as np
import pytest

from nsmb._core import multibody as mb


def body(name: str = "rod", parent: str = "environment", **changes: Any) -> mb.Body:
    arguments: dict[str, Any] = {
        "mass": 1.0,
        "center": np.zeros(3),
        "inertia": np.eye(3),
        "joint": mb.RevoluteJoint(),
    }
    return mb.Body(name, parent=parent, **(arguments | changes))


def motion(coordinate: int, locked: bool = False) -> mb.JointMotion:
    return mb.JointMotion(coordinate, lambda t: np.zeros(3), locked)


MIRROR = np.diag([1.0, 1, -1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass": -1.0}, "body 'rod': mass: expected a number >= 0, got -1"),
        ({"mass": np.nan}, "body 'rod': mass: expected .*, got nan"),
        ({"mass": np.inf}, "body 'rod': mass: expected .*, got inf"),
        ({"center": [0, np.nan, 0]}, r"body 'rod': center: expected finite .*nan at \[1\]"),
        ({"inertia": np.diag([1, 1, -1])}, "body 'rod': inertia: expected principal mom.* got -1"),
        (
            {"inertia": np.diag([1, 2, 4])},
            "body 'rod': inertia: expected .*larger than the sum of the others, got 1, 2, 4",
        ),
        (
            {"inertia": np.eye(3) + np.eye(3, k=1)},
            "body 'rod': inertia: expected a symmetric matrix, got asymmetry 1",
        ),
        ({"joint": None}, "body 'rod': joint: expected a joint, got none"),
        (
            {"body_frame": mb.Frame(A=MIRROR)},
            "body 'rod': body_frame.A: expected a proper rotation, .* det A = -1",
        ),
        (
            {"parent_frame": mb.Frame(A=2 * np.eye(3))},
            "body 'rod': parent_frame.A: expected a proper rotation",
        ),
        ({"parent_frame": mb.Frame([0, np.inf, 0])}, "body 'rod': parent_frame.r: expected finite"),
        ({"motions": [motion(1)]}, "joint 'rod': motion: .* got coordinate 1"),
        ({"motions": [motion(0), motion(0)]}, "joint 'rod': motion: .* two for coordinate 0"),
        (
            {"joint": mb.SphericalJoint(), "joint_name": "ball", "motions": [motion(0)]},
            "joint 'ball': motion: expected a coordinate that is a translation or an angle",
        ),
        ({"joint": mb.FreeJoint(), "motions": [motion(3)]}, "joint 'rod': motion: .*coordinate 3"),
    ],
)
def test_bad_body_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mb.Tree([body(**changes)])


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ([body("a", "b")], "body 'a': parent: expected the name of a body .*, got 'b'"),
        ([body("a", "a")], "body 'a': parent: .*, got the loop a -> a"),
        (
            [body("a"), body("b", "d"), body("c", "b"), body("d", "c")],
            "body 'b': parent: expected a path .* got the loop b -> d -> c -> b",
        ),
        (
            [body("a", "b"), body("b", "c"), body("c", "b")],
            "body 'b': parent: .*the loop b -> c -> b",
        ),
        ([body("a"), body("a")], "bodies: expected unique names, got two with the name 'a'"),
        ([body("")], "name of a body: expected a text that is not empty"),
        ([body("environment")], "name of a body: expected a name other than"),
        ([body("a", joint_name="j"), body("b", joint_name="j")], "joints: expected unique names"),
    ],
)
def test_what_is_no_tree_is_named(bodies: list[mb.Body], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mb.Tree(bodies)


@pytest.mark.parametrize(
    "inertia", [np.zeros((3, 3)), np.diag([0, 1, 1]), np.diag([1, 2, 3])], ids=str
)
def test_points_rods_and_plates_are_bodies(inertia: np.ndarray) -> None:
    assert mb.Tree([body(inertia=inertia)]).nu == 1


def test_axes_and_pitch_are_checked() -> None:
    for joint in (mb.RevoluteJoint, mb.PrismaticJoint, mb.CylindricalJoint):
        with pytest.raises(ValueError, match="axis: expected a direction that is not zero"):
            joint(np.zeros(3))
        with pytest.raises(ValueError, match="axis: expected finite numbers, got nan"):
            joint([0, np.nan, 1])
    with pytest.raises(ValueError, match="pitch: expected a finite number, got nan"):
        mb.ScrewJoint(np.nan)


def test_gravity_is_checked() -> None:
    with pytest.raises(ValueError, match="gravity: expected finite numbers"):
        mb.Tree([body()], np.array([0, 0, np.nan]))


def test_evaluation_checks_its_arguments() -> None:
    evaluation = mb.TreeEvaluation(mb.Tree([body()]))
    one, two = np.zeros(1), np.zeros(2)
    with pytest.raises(ValueError, match="q: expected a vector of length 1, got length 2"):
        evaluation.mass_matrix(0, two)
    with pytest.raises(ValueError, match="u: expected a vector of length 1, got length 2"):
        evaluation.forces(0, one, two)
    with pytest.raises(ValueError, match="tau: expected a vector of length 1, got length 2"):
        evaluation.forward_dynamics(0, one, one, two)
    with pytest.raises(ValueError, match=r"B: expected shape \(1, 1\), got shape \(2, 1\)"):
        evaluation.solve_inertia(0, one, two)
    with pytest.raises(ValueError, match=r"body: expected the name of a body .*, got 'rope'"):
        evaluation.marker(0, one, one, "rope")
