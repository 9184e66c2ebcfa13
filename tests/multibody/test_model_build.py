"""Errors of `Model` with the name of the culprit, and the data of a built system."""

import copy
import pickle

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

LAW = nsmb.ContactLaw()


def pendulum(**arguments):
    m = nsmb.Model(gravity=(0, -9.81), name="pendulum")
    rod = m.add_body("rod", mass=0.4, inertia=3e-3, center=(0.15, 0))
    m.add_joint("hinge", joints.Revolute(), m.ground, rod, at=(0, 0.2), **arguments)
    return m, rod


def bumper():
    m, rod = pendulum()
    tip = rod.contour("tip", geometry.Circle(0.01), at=(0.3, 0))
    floor = m.ground.contour("floor", geometry.Line())
    m.add_contact(tip, floor, LAW, "bump")
    return m


def refused(message):
    return pytest.raises(ValueError, match=message)


class TestBodies:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"mass": -1.0}, r"body 'b': mass: expected a number >= 0, got -1"),
            ({"mass": np.nan}, r"body 'b': mass: expected a finite number"),
            ({"inertia": np.inf}, r"body 'b': inertia: expected a finite number"),
            ({"inertia": (1, 1, 3)}, r"body 'b': inertia: .*larger than the sum"),
            ({"inertia": -1.0}, r"body 'b': inertia: expected a symmetric matrix with moments >="),
            ({"inertia": (1, 2)}, r"body 'b': inertia: expected shape \(3, 3\)"),
            ({"center": (0, np.nan)}, r"body 'b': center: expected finite numbers"),
        ],
    )
    def test_data_no_body_has(self, arguments, message) -> None:
        with refused(message):
            nsmb.Model().add_body("b", **arguments)

    def test_names(self) -> None:
        m, _ = pendulum()
        for name in ("rod", "ground", "environment", ""):
            with refused(f"body '{name}': must have a unique name"):
                m.add_body(name)

    def test_unconnected(self) -> None:
        m, rod = pendulum()
        other = m.add_body("other", mass=1.0)
        with refused(r"body 'other': .*unconnected"):
            m.build()
        tail = m.add_body("tail", mass=1.0, inertia=1.0)
        m.add_joint("tail", joints.Revolute(), other, tail)
        with refused(r"body 'other': .*unconnected"):
            m.build()
        m.add_joint("other", joints.Prismatic(), rod, other)
        assert m.build().bodies == ("rod", "tail", "other")
        with refused("at least one body"):
            nsmb.Model().build()

    def test_body_of_another_model(self) -> None:
        m, _ = pendulum()
        _, stranger = pendulum()
        with refused("body 'rod': must be a body of this model"):
            m.add_joint("j", joints.Fixed(), m.ground, stranger)
        with refused("body: expected a body or marker"):
            m.add_joint("j", joints.Fixed(), m.ground, "rod")

    def test_no_inertia_in_a_free_direction(self) -> None:
        m = nsmb.Model()
        slider = m.add_body("slider")
        bob = m.add_body("bob", mass=1.0)
        m.add_joint("slide", joints.Prismatic(), m.ground, slider)
        m.add_joint("spin", joints.Revolute(), slider, bob)
        with refused("body 'bob': .* joint 'spin', got none along 'spin'"):
            m.build()

    def test_a_number_is_the_inertia_of_a_flat_body(self) -> None:
        m = nsmb.Model()
        plate = m.add_body("plate", mass=1.0, inertia=0.3)
        m.add_joint("spin", joints.Spherical(), m.ground, plate)
        assert m.build().mass_matrix(0.0, [1, 0, 0, 0]) == pytest.approx(np.diag([0.15, 0.15, 0.3]))


class TestJoints:
    def test_loop_is_named_with_the_remedy(self) -> None:
        m, rod = pendulum()
        other = m.add_body("other", mass=1.0, inertia=1.0)
        m.add_joint("elbow", joints.Revolute(), rod, other)
        with refused(
            r"joint 'close': .*loop 'other' - \(elbow\) - 'rod' - \(hinge\) - 'ground'.*add_loop"
        ):
            m.add_joint("close", joints.Revolute(), other, m.ground)
        with refused("loop"):
            m.add_joint("close", joints.Revolute(), rod, rod)

    def test_body_that_hangs_already(self) -> None:
        m, rod = pendulum()
        other = m.add_body("other", mass=1.0, inertia=1.0)
        with refused("a body attached to 'hinge'. Exchange the two bodies"):
            m.add_joint("j", joints.Revolute(), other, rod)
        with refused("got the ground"):
            m.add_joint("j", joints.Revolute(), other, m.ground)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"at": (1, 2, 3, 4)}, r"at: expected shape \(3,\)"),
            ({"at_2": (np.nan, 0)}, "at_2: expected finite numbers"),
            ({"angle": "x"}, "angle: expected a number"),
            ({"motion": 3.0}, r"motion of 'j': expected a function"),
            ({"motion": lambda t: (t, 2.0, 0.0)}, r"motion of 'j'\(t\): .*derivative, got 2"),
        ],
    )
    def test_places_and_motions(self, arguments, message) -> None:
        m, rod = pendulum()
        other = m.add_body("other", mass=1.0, inertia=1.0)
        with refused(message):
            m.add_joint("j", joints.Revolute(), rod, other, **arguments)

    def test_other_misuse(self) -> None:
        m, rod = pendulum()
        other = m.add_body("other", mass=1.0, inertia=1.0)
        with refused("joint 'hinge': must have a unique name"):
            m.add_joint("hinge", joints.Fixed(), rod, other)
        with refused("name without a dot"):
            m.add_joint("a.b", joints.Fixed(), rod, other)
        with refused("joint 'j': expected a joint with coordinates"):
            m.add_joint("j", joints.Rod(0.1), rod, other)
        with refused("motion: must be given to a joint with one coordinate"):
            m.add_joint("j", joints.Planar(), rod, other, motion=lambda t: (0, 0, 0))
        with refused(r"loop 'l': expected a joint that can close a loop"):
            m.add_loop("l", joints.Free(), rod, other)
        with refused("axis: expected a vector that is not zero"):
            joints.Revolute((0, 0, 0))
        with refused("length: expected a number > 0"):
            joints.Rod(-1.0)
        with refused("A: expected a rotation matrix"):
            nsmb.geometry.Frame(A=np.diag([1, 1, -1]))
        with refused(r"coordinate 'hing': .*did you mean 'hinge'"):
            m.add_torsion_spring("s", "hing", c=1.0)
        m.drive("hinge", lambda t: (0.1, 0.0, 0.0), locked=True)
        with refused("coordinate 'hinge': must not have a prescribed motion"):
            m.drive("hinge", lambda t: (0.1, 0.0, 0.0), locked=True)

    def test_user_joint_is_the_joint_it_describes(self) -> None:
        """A circular guide of radius 0.5 in the plane, as a pendulum."""

        def position(t, q):
            s, c = np.sin(q[0]), np.cos(q[0])
            return 0.5 * np.array([s, -c, 0]), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

        def subspace(t, q):
            return [[0.5 * np.cos(q[0])], [0.5 * np.sin(q[0])], [0], [0], [0], [1.0]]

        def bias(t, q, u):
            a = 0.5 * u[0] ** 2
            return [-a * np.sin(q[0]), a * np.cos(q[0]), 0, 0, 0, 0]

        guide = joints.User(("s",), position, subspace, bias, coordinate_units=("rad",))
        runs = []
        for joint, at_2 in ((guide, (0, 0)), (joints.Revolute(), (0, 0.5))):
            m = nsmb.Model(gravity=(0, -9.81))
            body = m.add_body("body", mass=1.0, inertia=0.02)
            m.add_joint("j", joint, m.ground, body, at_2=at_2)
            name = "j.s" if joint is guide else "j"
            runs.append(nsmb.simulate(m.build({name: 1.0}), 2.0, rtol=1e-11).q[-1])
        assert runs[0] == pytest.approx(runs[1], abs=1e-9)
        with refused("bias|b_T"):
            m = nsmb.Model()
            body = m.add_body("body", mass=1.0, inertia=0.02)
            m.add_joint("j", joints.User(("s",), position, subspace), m.ground, body)
            m.build()


class TestElements:
    def test_names_and_numbers(self) -> None:
        m, rod = pendulum()
        m.add_torsion_spring("s", "hinge", c=1.0)
        with refused("force 's': must have a unique name"):
            m.add_spring_damper("s", m.ground, rod, c=1.0, free_length=0.1)
        with refused("free_length: expected a finite number"):
            m.add_spring_damper("t", m.ground, rod, c=1.0, free_length=np.nan)
        with refused("sign: expected one of tension, pressure, got 'push'"):
            m.add_force("t", m.ground, rod, lambda t, g, v: 0.0, sign="push")
        with refused("force 't': law: expected a function"):
            m.add_force("t", m.ground, rod, 3.0)
        with refused("friction 'b': bound: expected a number >= 0"):
            m.add_joint_friction("b", "hinge", -1.0)
        with refused("friction 'b': velocity 'hinge.x'"):
            m.add_joint_friction("b", "hinge.x", 1.0)
        with refused("force 'g': expected two bodies or a coordinate, got neither"):
            m.add_gap_force("g", nsmb.GapForce(c=1.0), rod)
        with refused("forces: expected as many as lengths"):
            nsmb.ForceTable((0, 1), (0,))
        with refused("lengths: expected increasing numbers"):
            nsmb.ForceTable((1, 0), (0, 1))

    def test_spring_on_a_prescribed_coordinate(self) -> None:
        m, rod = pendulum(motion=lambda t: (0.0, 0.0, 0.0))
        other = m.add_body("other", mass=1.0, inertia=1.0)
        m.add_joint("elbow", joints.Revolute(), rod, other)
        m.add_torsion_spring("s", "hinge", c=1.0)
        with refused("coordinate 'hinge': must move freely"):
            m.build()


class TestContacts:
    def test_penetration_at_the_start(self) -> None:
        with refused(r"contact 'bump': .*penetration of 0\.109248 m"):
            bumper().build({"hinge": -1.5})

    def test_penetration_of_polygons(self) -> None:
        m = nsmb.Model()
        box = geometry.Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
        one = m.add_body("one", mass=1.0, inertia=1.0)
        m.add_joint("one", joints.Planar(), m.ground, one)
        m.add_contact(one.contour("box", box), m.ground.contour("box", box), LAW, "boxes")
        with refused(r"contact 'boxes': .*penetration of 0\.1 m"):
            m.build({"one": [0.9, 0.2, 0.0]})
        m.build({"one": [1.0, 0.2, 0.0]})

    def test_planes_that_do_not_coincide(self) -> None:
        m, rod = pendulum()
        tip = rod.contour("tip", geometry.Circle(0.01), at=(0.3, 0, 0.02))
        m.add_contact(tip, m.ground.contour("floor", geometry.Line()), LAW, "bump")
        with refused(r"contact 'bump': .*'rod.tip' and 'ground.floor' with -0\.02 m between"):
            m.build({"hinge": 0.3})

    def test_planes_that_part_later(self) -> None:
        m = nsmb.Model()
        ball = m.add_body("ball", mass=1.0, inertia=(1, 1, 1))
        m.add_joint("free", joints.Free(), m.ground, ball)
        rim = ball.contour("rim", geometry.Circle(0.1))
        m.add_contact(rim, m.ground.contour("floor", geometry.Line()), LAW, "bump")
        with refused("contact 'bump': expected contours that stay in one plane"):
            m.build({"free.y": 1.0})

    def test_contours_that_cannot_touch(self) -> None:
        m, rod = pendulum()
        line, floor = (b.contour("line", geometry.Line()) for b in (rod, m.ground))
        with refused(
            "contact 'c': expected a contour with curvature.*'rod.line' and 'ground.line'"
        ):
            m.add_contact(line, floor, LAW, "c")
        a, b = (b.contour("p", geometry.Point()) for b in (rod, m.ground))
        with refused("contact 'c': .*both points"):
            m.add_contact(a, b, LAW, "c")

    def test_other_misuse(self) -> None:
        m = bumper()
        rod = m.bodies[0]
        with refused("contour 'tip' of body 'rod': must have a unique name"):
            rod.contour("tip", geometry.Circle(0.1))
        with refused("contour 'x' of body 'rod': expected one of nsmb.geometry"):
            rod.contour("x", 3.0)
        one, two = rod.contour("one", geometry.Circle(0.1)), rod.contour("two", geometry.Point())
        with refused("contact 'c': expected two bodies, got 'rod' twice"):
            m.add_contact(one, two, LAW, "c")
        look = rod.outline("look", geometry.Circle(0.1))
        with refused(r"contour_1: must be a contour from Body\.contour, got the outline"):
            m.add_contact(look, one, LAW, "c")
        floor = m.ground.contour("wall", geometry.Line())
        for arguments, message in (
            ({"points": 0}, "points: expected a whole number"),
            ({"skin": -1.0}, "skin: expected a number > 0"),
            ({"search_distance": np.inf}, "search_distance: expected a number > 0"),
        ):
            with refused(f"contact 'c': {message}"):
                m.add_contact(one, floor, LAW, "c", **arguments)

    def test_defaults_fit_the_contours(self) -> None:
        m = bumper()
        contact = m._records.contacts["bump"]
        assert contact.points == 1
        assert contact.search_distance == pytest.approx(0.1 * 0.02 * 2**0.5, rel=1e-3)
        assert contact.skin == pytest.approx(0.01, rel=1e-3)  # half the thickness
        box = geometry.Polygon([(0, 0), (1, 0), (1, 0.2), (0, 0.2)])
        rod = m.bodies[0]
        m.add_contact(rod.contour("box", box), m.ground.contour("b", box), LAW, "boxes")
        assert m._records.contacts["boxes"].points == 8
        assert m._records.contacts["boxes"].skin == pytest.approx(0.1)


def test_parts_that_nothing_uses_are_noted() -> None:
    m, rod = pendulum()
    rod.contour("edge", geometry.Circle(0.1))
    with pytest.warns(nsmb.ModelWarning, match=r"contour 'rod.edge' is not used in any contact"):
        m.build()
    m, rod = pendulum()
    rod.marker("tip", at=(0.3, 0))
    with pytest.warns(nsmb.ModelWarning, match="marker 'tip' of body 'rod' is not used"):
        m.build()
    m, rod = pendulum()
    rod.marker("out", at=(0.3, 0), is_output=True)
    tip = rod.marker("tip", at=(0.3, 0))
    m.add_spring_damper("s", m.ground, tip, c=1.0, free_length=0.1)
    rod.outline("look", geometry.Circle(0.1))
    m.build()  # a warning would be an error


class TestSystem:
    def test_names_units_and_start(self) -> None:
        m = nsmb.Model()
        one, two = m.add_body("one", mass=1.0, inertia=1.0), m.add_body("two", mass=1, inertia=1)
        m.add_joint("a", joints.Planar(), m.ground, one)
        m.drive("a.y", lambda t: (0.5, 0.0, 0.0), locked=True)
        m.add_joint("b", joints.Free(), one, two)
        s = m.build(
            {"a.phi": 0.2, "b": [1, 2, 3, 2, 0, 0, 0]}, {"a": [1, 2], "b.omega_z": 3}, t=2.0
        )
        assert s.coordinates[:3] == ("a.x", "a.phi", "b.x")
        assert s.coordinate_units == ("m", "rad", "m", "m", "m", "-", "-", "-", "-")
        assert s.velocity_names[2:] == ("b.x", "b.y", "b.z", "b.omega_x", "b.omega_y", "b.omega_z")
        assert s.initial_state.t == 2.0
        assert s.initial_state.q == pytest.approx(
            [0, 0.2, 1, 2, 3, 1, 0, 0, 0]
        )  # a unit quaternion
        assert s.initial_state.u == pytest.approx([1, 2, 0, 0, 0, 0, 0, 3])
        with refused("initial 'c': expected one of"):
            m.build({"c": 1.0})
        with refused(r"velocity 'a': expected shape \(2,\)"):
            m.build(velocities={"a": [1, 2, 3]})

    def test_places_and_velocities(self) -> None:
        m, rod = pendulum()
        tip = rod.marker("tip", at=(0.3, 0), angle=0.5, is_output=True)
        s = m.build()
        c, sn = np.cos(0.4), np.sin(0.4)
        for name in (tip, "rod.tip"):
            assert s.position(name, 0.0, [0.4]) == pytest.approx([0.3 * c, 0.2 + 0.3 * sn, 0])
        _, A = s.pose(tip, 0.0, [0.4])
        assert A[:, 0] == pytest.approx([np.cos(0.9), np.sin(0.9), 0])
        v, Omega = s.velocity("rod.tip", 0.0, [0.4], [2.0])
        assert v == pytest.approx([-0.6 * sn, 0.6 * c, 0])
        assert Omega == pytest.approx([0, 0, 2.0])
        assert s.position("ground", 0.0, [0.4]) == pytest.approx([0, 0, 0])
        with refused("body 'rod.tap': .*did you mean 'rod.tip'"):
            s.position("rod.tap", 0.0, [0.4])

    def test_copies_move_alike(self) -> None:
        s = bumper().build({"hinge": 0.3}, {"hinge": 0.1})
        expected = nsmb.simulate(s, 0.6)
        for twin in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s)):
            assert twin.coordinates == s.coordinates
            sol = nsmb.simulate(twin, 0.6)
            assert sol.q.tolist() == expected.q.tolist()
            assert sol.events.t.tolist() == expected.events.t.tolist()

    def test_a_system_does_not_change_with_its_model(self) -> None:
        m = bumper()
        s = m.build({"hinge": 0.3})
        m.add_torsion_spring("s", "hinge", c=100.0)
        assert pickle.loads(pickle.dumps(s)).forces(0.0, [0.3], [0.0]) == pytest.approx(
            s.forces(0.0, [0.3], [0.0])
        )
        assert m.build({"hinge": 0.3}).forces(0.0, [0.3], [0.0]) != s.forces(0.0, [0.3], [0.0])

    def test_scene_shows_contours_where_they_are(self) -> None:
        s = bumper().build({"hinge": 0.3})
        tip, floor, *lines = s.scene.outlines(0.0, np.array([0.4]))
        assert not any(line.closed for line in lines)  # of the bumper, which has no outline
        assert (tip.body, floor.body) == ("rod", "ground")
        center = np.array([0.3 * np.cos(0.4), 0.2 + 0.3 * np.sin(0.4), 0])
        assert np.linalg.norm(tip.points - center, axis=1) == pytest.approx(0.01)
        assert tip.closed
        assert not floor.closed
