"""Models that `Model` and its build reject because they would not move as intended."""

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

LAW = nsmb.ContactLaw()


def refused(message):
    return pytest.raises(ValueError, match=message)


def on_rail(motion, **build):
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0)
    m.add_joint("x", joints.Prismatic(), m.ground, body, motion=motion)
    tail = m.add_body("tail", mass=1.0, inertia=1.0)
    m.add_joint("pin", joints.Revolute(), body, tail)
    return m.build(**build)


class TestMotions:
    @pytest.mark.parametrize("a", [1e-6, 1.0, 1e3])
    @pytest.mark.parametrize("w", [1e-2, 3.0, 1e4])
    def test_wrong_derivatives_of_any_size(self, a, w) -> None:
        """Derivatives of a sin ωt that vanish at t = 0, as the correct ones do."""

        def motion(t, first=1.0, second=1.0):
            s, c = np.sin(w * t), np.cos(w * t)
            return a * s, first * a * w * c, -second * a * w**2 * s

        on_rail(motion)
        for factors in ((1.0, 0.0), (1.0, -1.0), (1.0, 1.01)):
            with refused(r"motion of 'x'\(t\): .*as the second at t = "):
                on_rail(lambda t, f=factors: motion(t, *f))
        with refused(r"motion of 'x'\(t\): .*as the first at t = .*differences give"):
            on_rail(lambda t: motion(t, 1.01))

    def test_one_time_that_fits_is_not_enough(self) -> None:
        with refused(r"got 0 as the second"):
            on_rail(lambda t: (t**3, 3 * t**2, 0.0))

    def test_kinks_are_allowed(self) -> None:
        """A ramp bent at a point where derivatives are checked, and a jump of the velocity."""
        bend = 0.4142

        def ramp(t):
            return (max(t - bend, 0.0), float(t > bend), 0.0)

        on_rail(ramp)
        on_rail(lambda t: (abs(t - bend), np.sign(t - bend), 0.0))

    def test_from_the_start_on(self) -> None:
        def late(t):
            return (max(t - 5.0, 0.0) ** 2, 2 * max(t - 5.0, 0.0), 0.0)

        on_rail(late)  # at rest near t = 0
        with refused("motion of 'x'.*at t = 6.03"):
            on_rail(late, t=6.0)

    def test_joint_refused_for_its_motion_leaves_nothing(self) -> None:
        m = nsmb.Model()
        body = m.add_body("body", mass=1.0, inertia=1.0)
        for motion in (3.0, lambda t: (t, 2.0, 0.0)):
            with refused("motion of 'x'"):
                m.add_joint("x", joints.Prismatic(), m.ground, body, motion=motion)
        m.add_joint("x", joints.Prismatic(), m.ground, body)
        assert m.build().coordinates == ("x",)


class TestPlanes:
    @pytest.mark.parametrize(
        ("joint", "message"),
        [
            (joints.Prismatic((0, 0, 1)), r"moves out of it with 1 m/s and 0 rad/s"),
            (joints.Revolute((1, 0, 0)), r"'ball.rim' and 'ground.floor', which a prescribed"),
        ],
    )
    def test_carrier_driven_out_of_the_plane(self, joint, message) -> None:
        m = nsmb.Model()
        carrier, ball = m.add_body("carrier"), m.add_body("ball", mass=1.0, inertia=1.0)
        m.add_joint("drive", joint, m.ground, carrier, motion=lambda t: (t, 1.0, 0.0))
        m.add_joint("ball", joints.Planar(), carrier, ball)
        rim = ball.contour("rim", geometry.Circle(0.1))
        m.add_contact(rim, m.ground.contour("floor", geometry.Line()), LAW, "bump")
        with refused(f"contact 'bump': .*{message}"):
            m.build({"ball.y": 1.0})

    def test_carrier_driven_in_the_plane(self) -> None:
        m = nsmb.Model()
        carrier, ball = m.add_body("carrier"), m.add_body("ball", mass=1.0, inertia=1.0)
        m.add_joint("drive", joints.Planar(), m.ground, carrier)
        for name, speed in (("x", 1.0), ("y", -0.2), ("phi", 3.0)):
            m.drive(f"drive.{name}", lambda t, v=speed: (v * t, v, 0.0), locked=True)
        m.add_joint("ball", joints.Planar(), carrier, ball)
        rim = ball.contour("rim", geometry.Circle(0.1))
        m.add_contact(rim, m.ground.contour("floor", geometry.Line()), LAW, "bump")
        assert m.build({"ball.y": 1.0}).nq == 3


class TestLoops:
    @staticmethod
    def bond(joint, axis, guess, *, hinge=joints.Spherical):
        """One body that rotates about the origin, with a redundant loop to the ground there."""
        m = nsmb.Model()
        body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
        m.add_joint("turn", hinge(), m.ground, body)
        m.add_loop("bond", joint, m.ground, body)
        s, c = np.sin(guess / 2), np.cos(guess / 2)
        n = np.array(axis) / np.linalg.norm(axis)
        return m.build(guess={"turn": [c, *(s * n)]})

    @pytest.mark.parametrize(
        ("joint", "axis", "angle", "letter"),
        [
            (joints.Revolute(), (1, 0, 0), np.pi, "z"),
            (joints.Revolute((0, 1, 0)), (1, 0, 0), np.pi, "z"),
            (joints.Cylindrical(), (1, 1, 0), np.pi, "z"),
            (joints.Prismatic(), (1, 0, 0), np.pi, "[xyz]"),
            (joints.Prismatic((0, 0, 1)), (0, 0, 1), np.pi, "x"),
            (joints.Fixed(), (0, 0, 1), np.pi, "x"),
            (joints.Fixed(), (1, 1, 1), 2 * np.pi / 3, "x"),
        ],
    )
    def test_wrong_branches(self, joint, axis, angle, letter) -> None:
        with refused(f"loop 'bond': must have frames whose e_{letter} point.*better `guess`"):
            self.bond(joint, axis, angle)
        assert self.bond(joint, axis, 0.2).initial_state.q is not None

    def test_axes_that_may_turn_are_free(self) -> None:
        half = self.bond(joints.Revolute(), (0, 0, 1), np.pi)
        assert abs(half.initial_state.q[3]) == pytest.approx(1.0)
        self.bond(joints.Universal(), (0, 0, 1), 3.0)


SQUARE = geometry.Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])
PLUS = geometry.Polygon([(-2, -0.1), (2, -0.1), (2, 0.1), (-2, 0.1)])
ELL = geometry.Polygon([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])


class TestDeepPenetration:
    """Penetrations at which no contact point is within the skin."""

    @staticmethod
    def pair(moving, fixed, place, **contact):
        m = nsmb.Model(gravity=(0, -9.81))
        body = m.add_body("body", mass=1.0, inertia=1.0)
        m.add_joint("body", joints.Planar(), m.ground, body)
        edge = body.contour("edge", moving)
        m.add_contact(edge, m.ground.contour("wall", fixed, at=(5, 2)), LAW, "touch", **contact)
        return m.build({"body": np.add(place, (5, 2, 0))})

    @pytest.mark.parametrize("y", [-0.02, -0.05, -0.5])
    def test_ball_in_a_box(self, y) -> None:
        ground = geometry.Polygon([(-2, -1), (2, -1), (2, 0), (-2, 0)])
        with refused(
            r"contact 'touch': must have separate bodies.*'body.edge' and 'ground.wall'.* m"
        ):
            self.pair(geometry.Circle(0.1), ground, (0, y, 0))
        self.pair(geometry.Circle(0.1), ground, (0, 0.1, 0))

    @pytest.mark.parametrize(
        ("moving", "fixed", "place"),
        [
            (SQUARE, SQUARE, (0, 0, 0)),
            (SQUARE, SQUARE, (0.4, 0, 0.3)),
            (PLUS, PLUS, (0, 0, np.pi / 2)),  # no corner in the other body
            (ELL, SQUARE, (-0.5, -2, 0)),
            (geometry.Point(), SQUARE, (0.1, 0.2, 0)),
            (geometry.Segment((-3, 0), (3, 0)), SQUARE, (0, 0.2, 0)),
            (geometry.Circle(0.2), geometry.Ellipse(2.0, 1.0), (0.3, 0.1, 0)),
            (geometry.Ellipse(2.0, 1.0), geometry.Line(), (0, -3, 0.2)),
            (SQUARE, geometry.Line(), (0, -0.5, 0)),
            (SQUARE, geometry.Circle(-1.2), (0.9, 0, 0)),
        ],
    )
    def test_outlines_within_each_other(self, moving, fixed, place) -> None:
        for one, two, pose in ((moving, fixed, place), (fixed, moving, _back(place))):
            if not isinstance(one, geometry.Line):
                with refused("contact 'touch': must have separate bodies at the start"):
                    self.pair(one, two, pose, skin=1e-3)

    @pytest.mark.parametrize(
        ("moving", "fixed", "place"),
        [
            (SQUARE, SQUARE, (2, 0.3, 0)),
            (SQUARE, SQUARE, (2, 2, 0)),
            (SQUARE, ELL, (2, 2, 0)),  # in the corner, with two edges on edges
            (geometry.Circle(1.0), ELL, (2, 2, 0)),
            (geometry.Circle(0.5), geometry.Circle(-0.5001), (0, 1e-4, 0)),  # pin in a hole
            (SQUARE, geometry.Circle(-(2**0.5)), (0, 0, 0.3)),
            (geometry.Circle(1.0), geometry.Circle(2.0), (3 * np.cos(1), 3 * np.sin(1), 0)),
            (SQUARE, geometry.Line(), (0, 2**0.5, np.pi / 4)),
            (SQUARE, geometry.Segment((3, 0), (-3, 0)), (0, -1.5, 0)),  # a wall without thickness
            (geometry.Point((0, -0.1)), SQUARE, (0.3, 1.1, 0)),
        ],
    )
    def test_outlines_that_touch(self, moving, fixed, place) -> None:
        self.pair(moving, fixed, place)

    @pytest.mark.parametrize(("x", "inside"), [(0.0, False), (0.9, True), (2.0, False)])
    def test_ball_inside_and_outside_of_a_ring(self, x, inside) -> None:
        m = nsmb.Model()
        ball, ring = m.add_body("ball", mass=1.0, inertia=1.0), m.ground
        m.add_joint("ball", joints.Planar(), ring, ball)
        rim = ball.contour("rim", geometry.Circle(0.05))
        for name, radius in (("outer", 1.0), ("inner", -0.8)):
            m.add_contact(rim, ring.contour(name, geometry.Circle(radius)), LAW, name, skin=1e-3)
        if inside:
            with refused("must have separate bodies at the start"):
                m.build({"ball.x": x})
        else:
            m.build({"ball.x": x})


def _back(place):
    """Return the pose of the other body instead."""
    x, y, phi = place
    c, s = np.cos(phi), np.sin(phi)
    return -c * x - s * y, s * x - c * y, -phi
