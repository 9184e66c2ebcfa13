"""Errors in models raise a ValueError that names the culprit."""

import copy
import pickle

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints


def refused(message):
    return pytest.raises(ValueError, match=message)


def one_body(joint, **arguments):
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("j", joint, m.ground, body, **arguments)
    return m


@pytest.mark.parametrize("name", [5, None, ("a",)])
def test_names_of_bodies_are_texts(name) -> None:
    with refused("name of a body: expected a text, got "):
        nsmb.Model().add_body(name, mass=1)


def test_texts_and_nothing_are_no_numbers() -> None:
    for mass in ("1", b"1", None):
        with refused("body 'b': mass: expected a number, got "):
            nsmb.Model().add_body("b", mass=mass)
    with refused(r"body 'b': center: expected numbers of shape \(3,\), got \['0', '1', '2'\]"):
        nsmb.Model().add_body("b", center=["0", "1", "2"])
    with refused("c: expected a number, got '1'"):
        one_body(joints.Revolute()).add_torsion_spring("s", "j", c="1")


class TestForces:
    @pytest.mark.parametrize(
        ("law", "message"),
        [
            (lambda t, g, v: [1.0], r"law\(t, γ, γ̇\): expected a number, got shape \(1,\)"),
            (lambda t, g, v: None, "expected a number, got None"),
            (lambda t, g, v: "1", "expected a number, got '1'"),
            (lambda t: 1.0, r"expected a function of \(t, γ, γ̇\), got one of \(t\)"),
        ],
    )
    def test_laws(self, law, message) -> None:
        m = one_body(joints.Revolute())
        m.add_joint_force("motor", "j", law)
        with refused(f"force 'motor': .*{message}"):
            m.build().forces(0.0, [0.0], [0.0])

    def test_numbers_of_all_kinds(self) -> None:
        for value in (2, 2.0, np.float32(2), np.array(2.0)):
            m = one_body(joints.Revolute())
            m.add_joint_force("motor", "j", lambda *_, v=value: v)
            assert m.build().forces(0.0, [0.0], [0.0]) == pytest.approx([2.0])


def user(**changes):
    functions = {
        "position": lambda t, q: ([q[0] ** 2, 0, 0], np.eye(3)),
        "subspace": lambda t, q: [[2 * q[0]], [0], [0], [0], [0], [0]],
        "bias": lambda t, q, u: [2 * u[0] ** 2, 0, 0, 0, 0, 0],
    }
    return one_body(joints.User(("s",), **(functions | changes)))


class TestUserJoints:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"position": lambda t, q: [1, 2, 3]}, r"position\(t, q\): expected r and A_FG"),
            ({"position": lambda t, q: ([1, 2], np.eye(3))}, r"position\(t, q\): r: .*\(3,\)"),
            ({"position": lambda q: 0}, r"position: expected a function of \(t, q\)"),
            ({"subspace": lambda t, q: np.zeros((3, 1))}, r"subspace\(t, q\): expected shape"),
            ({"subspace": lambda t, q: [[1], [0], [0], [0], [0], [0]]}, "subspace or prescribed:"),
            ({"subspace": lambda q: 0}, r"subspace: expected a function of \(t, q\)"),
            ({"bias": lambda t, q, u: np.zeros(6)}, "bias: bias of translation: expected"),
            ({"bias": lambda t, q, u: np.zeros(3)}, r"bias\(t, q, u\): expected shape \(6,\)"),
            ({"bias": 3.0}, r"bias: expected a function of \(t, q, u\), got 3.0"),
            ({"reference": [0, 0]}, r"reference: expected shape \(1,\)"),
        ],
    )
    def test_joint_and_function_are_named(self, changes, message) -> None:
        with refused(f"joint 'j': {message}"):
            user(**changes).build()

    def test_one_column_may_be_flat(self) -> None:
        flat = user(subspace=lambda t, q: [2 * q[0], 0, 0, 0, 0, 0]).build({"j.s": 0.3})
        assert flat.mass_matrix(0.0, [0.3]) == pytest.approx(np.array([[0.36]]))


class TestStart:
    def test_zero_quaternion(self) -> None:
        for joint, size in ((joints.Free(), 7), (joints.Spherical(), 4)):
            with refused(r"initial: joint 'j': must be a quaternion .*not zero.*\(1, 0, 0, 0\)"):
                one_body(joint).build({"j": np.zeros(size)})

    def test_coordinates_whose_motion_is_prescribed(self) -> None:
        still = {"motion": lambda t: (0.1, 0.0, 0.0)}
        m = one_body(joints.Revolute(), **still)
        tail = m.add_body("tail", mass=1.0, inertia=1.0)
        m.add_joint("k", joints.Planar(), m.bodies[0], tail)
        m.drive("k.x", still["motion"], locked=True)
        for name in ("j", "k.x"):
            with refused(f"initial '{name}': .*prescribed motion. Leave it out"):
                m.build({name: 0.2})
        with refused("velocity 'j': .*prescribed motion"):
            m.build(velocities={"j": 0.2})
        assert m.build({"k": [1.0, 2.0]}).initial_state.q.tolist() == [1.0, 2.0]

    @pytest.mark.parametrize("argument", ["initial", "velocities", "guess"])
    def test_names_are_needed(self, argument) -> None:
        with refused(rf"{argument}: expected a mapping from names to numbers.*got \[1\]"):
            one_body(joints.Revolute()).build(**{argument: [1]})


class TestScenes:
    def test_nothing_to_draw(self) -> None:
        pytest.importorskip("matplotlib")
        system = nsmb.LinearSystem([[1.0]])
        system.scene = nsmb.plotting.Scene((), _nowhere)
        with refused("system.scene: expected something to draw.*Body.outline"):
            system.draw()

    def test_a_body_without_outline_is_drawn_by_its_centre(self) -> None:
        pytest.importorskip("matplotlib")
        axes = one_body(joints.Spherical()).build().draw()
        assert axes.patches or axes.collections or axes.lines

    def test_something_else_is_no_scene(self) -> None:
        system = one_body(joints.Revolute()).build()
        with refused(r"system.scene: expected a nsmb.plotting.Scene or None, got 5"):
            system.scene = 5
        assert system.scene is not None

    def test_scenes_are_copied_with_their_system(self) -> None:
        system = nsmb.LinearSystem([[1.0]])
        system.scene = nsmb.plotting.Scene((), _nowhere)
        for twin in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system)):
            assert isinstance(twin.scene, nsmb.plotting.Scene)


def _nowhere(t, q):
    return []


class TestNumberOfContactPoints:
    @staticmethod
    def points(*shapes):
        m = one_body(joints.Planar())
        pair = [b.contour("c", c) for b, c in zip((m.bodies[0], m.ground), shapes, strict=True)]
        m.add_contact(*pair, name="c")
        return m._records.contacts["c"].points

    def test_corners_of_the_smaller_polygon(self) -> None:
        ground = geometry.Polygon([(-9, -1), (9, -1), (9, 0), (-9, 0)])
        for tips, expected in ((2, 8), (12, 26), (40, 64)):
            comb = _comb(tips)
            assert self.points(comb, ground) == expected
            assert self.points(ground, comb) == expected
            assert self.points(comb, geometry.Line()) == expected
        assert self.points(ground, geometry.Circle(0.1)) == 8
        assert self.points(geometry.Circle(0.1), geometry.Line()) == 1
        # Two ends and every other corner between them.
        saw = geometry.Polyline([(0.1 * k, 0.1 * (k % 2)) for k in range(41, -1, -1)])
        assert self.points(saw, ground) == 22

    def test_a_comb_lands_on_all_its_tips(self) -> None:
        m = nsmb.Model(gravity=(0, -9.81))
        comb = m.add_body("comb", mass=1.0, inertia=0.1)
        m.add_joint("comb", joints.Planar(), m.ground, comb)
        floor = m.ground.contour("floor", geometry.Line())
        m.add_contact(comb.contour("tips", _comb(12)), floor, nsmb.ContactLaw(), "floor")
        sol = nsmb.simulate(m.build({"comb.y": 0.01}), 0.2)
        assert sol.q[-1, 1] == pytest.approx(0.0, abs=1e-9)
        assert np.isfinite(sol.g_N[-1]).sum() >= 24


def _comb(tips):
    """Return tips of width 0.1 that point down to y = 0, 0.2 apart.

    Each has two convex corners, and there are two on top.
    """
    corners = []
    for k in range(tips):
        corners += [(0.2 * k, 0.0), (0.2 * k + 0.1, 0.0)]
        if k + 1 < tips:
            corners += [(0.2 * k + 0.1, 0.3), (0.2 * k + 0.2, 0.3)]
    end = 0.2 * tips - 0.1
    return geometry.Polygon([*corners, (end, 0.5), (0.0, 0.5)])
