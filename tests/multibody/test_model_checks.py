"""What `Model` and its build refuse because it would move otherwise than meant."""

import numpy as np
import pytest

import nsmb
from nsmb import contours, joints

LAW = nsmb.UnilateralContact()


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
        """Those of a sin ωt that vanish at t = 0, where the right ones do, too."""

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
        """A ramp with its bend where derivatives are looked at, and a jump of the velocity."""
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
        rim = ball.contour("rim", contours.Circle(0.1))
        m.add_contact(rim, m.ground.contour("floor", contours.Line()), LAW, "bump")
        with refused(f"contact 'bump': .*{message}"):
            m.build({"ball.y": 1.0})

    def test_carrier_driven_in_the_plane(self) -> None:
        m = nsmb.Model()
        carrier, ball = m.add_body("carrier"), m.add_body("ball", mass=1.0, inertia=1.0)
        m.add_joint("drive", joints.Planar(), m.ground, carrier)
        for name, speed in (("x", 1.0), ("y", -0.2), ("phi", 3.0)):
            m.drive(f"drive.{name}", lambda t, v=speed: (v * t, v, 0.0), locked=True)
        m.add_joint("ball", joints.Planar(), carrier, ball)
        rim = ball.contour("rim", contours.Circle(0.1))
        m.add_contact(rim, m.ground.contour("floor", contours.Line()), LAW, "bump")
        assert m.build({"ball.y": 1.0}).nq == 3
