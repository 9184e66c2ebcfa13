"""Involute gears by points of their flanks, where the core has closed forms.

A flank is the curve traced by the end of a string unwound from the base circle. Teeth are
positioned by their thickness on the pitch circle. Everything else is geometry of curves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize_scalar

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Wheel:
    """A spur gear with tooth thickness (π/2 + 2 x tan α) m on the pitch circle."""

    z: int
    m: float
    alpha: float
    x: float = 0.0
    addendum: float = 1.0
    dedendum: float = 1.25

    @property
    def r_p(self) -> float:
        return 0.5 * self.m * self.z

    @property
    def r_b(self) -> float:
        return self.r_p * math.cos(self.alpha)

    @property
    def r_a(self) -> float:
        return self.r_p + (self.addendum + self.x) * self.m

    @property
    def r_d(self) -> float:
        return self.r_p - (self.dedendum - self.x) * self.m

    def start(self) -> float:
        """The angle from the middle of a tooth to the start of its flank on the base circle in rad.

        It follows from the polar angle at which the curve crosses the pitch circle.
        """
        thickness = (0.5 * math.pi + 2.0 * self.x * math.tan(self.alpha)) * self.m
        t = brentq(lambda s: np.linalg.norm(unwound(self.r_b, s)) - self.r_p, 0.0, 10.0, xtol=1e-15)
        x, y = unwound(self.r_b, t)
        return 0.5 * thickness / self.r_p + math.atan2(y, x)

    def flank(self, turn: float, roll: float, left: bool = True) -> Array:
        """Return a point of a flank of the tooth with its middle at the angle `turn`."""
        x, y = unwound(self.r_b, roll)
        side = 1.0 if left else -1.0
        # Unwound clockwise from a start ahead of the tooth's middle, and mirrored for right flanks.
        angle = turn + side * self.start()
        c, s = math.cos(angle), math.sin(angle)
        y = -side * y
        return np.array([c * x - s * y, s * x + c * y])

    def roll_at(self, r: float) -> float:
        return math.sqrt(max((r / self.r_b) ** 2 - 1.0, 0.0))


def unwound(r_b: float, t: float) -> Array:
    """Return the end of a string of length r_b t, unwound anticlockwise."""
    return r_b * np.array([math.cos(t) + t * math.sin(t), math.sin(t) - t * math.cos(t)])


def overlap(
    one: Wheel, two: Wheel, a: float, turn_1: float, turn_2: float, left: bool = True
) -> float:
    """Return the overlap of two flanks in m along the base circle of gear 2.

    Gear 2, centred at (0, a), must rotate back by it for its flank to touch that of gear 1. Both
    teeth are given by the angles of their middles.

    A point of flank 1 can meet the point of flank 2 with the same radius about the centre of gear
    2. Their polar angles give the distance, and the nearest pair of points decides.
    """
    centre = np.array([0.0, a])
    start = two.start()
    side = 1.0 if left else -1.0

    def way(roll: float) -> float:
        p = one.flank(turn_1, roll, left) - centre
        r = float(np.linalg.norm(p))
        if r <= two.r_b:
            return math.inf
        x, y = unwound(two.r_b, two.roll_at(r))
        own = turn_2 + side * (start - math.atan2(y, x))  # polar angle of flank 2 there
        return -side * math.remainder(own - math.atan2(p[1], p[0]), 2.0 * math.pi) * two.r_b

    lowest, highest = 1e-6, one.roll_at(one.r_a) + 0.3
    rolls = np.linspace(lowest, highest, 400)
    ways = np.array([way(roll) for roll in rolls])
    k = int(np.argmin(ways))
    found = minimize_scalar(
        way,
        bounds=(rolls[max(k - 1, 0)], rolls[min(k + 1, len(rolls) - 1)]),
        method="bounded",
        options={"xatol": 1e-13},
    )
    return -float(found.fun)


def play_by_thickness(one: Wheel, two: Wheel, a: float) -> float:
    """Return the backlash on the working pitch circles in m, from measured thicknesses."""
    total = one.z + two.z
    circles = (a * one.z / total, a * two.z / total)
    pitch = 2.0 * math.pi * circles[0] / one.z
    for wheel, r in zip((one, two), circles, strict=True):
        x, y = unwound(wheel.r_b, wheel.roll_at(r))
        pitch -= 2.0 * r * (wheel.start() - math.atan2(y, x))
    return pitch


def path_of_contact(one: Wheel, two: Wheel, a: float) -> tuple[float, float]:
    """Return the lengths of the path of contact to both tips in m, by marching.

    They are measured from the pitch point along the common tangent of the base circles, at most up
    to the tangent points.
    """
    cos_w = (one.r_b + two.r_b) / a
    along = np.array([-cos_w, math.sqrt(1.0 - cos_w**2)])
    pitch_point = np.array([0.0, a * one.z / (one.z + two.z)])
    centre = np.array([0.0, a])
    touch_1 = -float(pitch_point @ along)
    touch_2 = float((centre - pitch_point) @ along)

    def radius_1(s: float) -> float:
        return float(np.linalg.norm(pitch_point + s * along)) - one.r_a

    def radius_2(s: float) -> float:
        return float(np.linalg.norm(pitch_point + s * along - centre)) - two.r_a

    recess = touch_2 if radius_1(touch_2) < 0.0 else brentq(radius_1, 0.0, touch_2, xtol=1e-15)
    approach = touch_1 if radius_2(touch_1) < 0.0 else brentq(radius_2, touch_1, 0.0, xtol=1e-15)
    return recess, -approach


def impact(
    masses: tuple[float, float],
    v: tuple[float, float],
    stiffness: float,
    tooth: tuple[float, float, float, float] | None = None,
) -> tuple[float, float, float, float]:
    """Return peak force, duration and both final velocities of two masses colliding on a line.

    The second mass is in front. `tooth` holds mass, spring and damper between each body and the
    point of contact, and the scale of positions. The equations are integrated by Radau.
    """
    m1, m2 = masses
    if tooth is None:

        def rates(_t: float, y: Array) -> Array:
            force = stiffness * max(y[0] - y[2], 0.0)
            return np.array([y[1], -force / m1, y[3], force / m2])

        start, gap = np.array([0.0, v[0], 0.0, v[1]]), (0, 2)
    else:
        m, K, D, _ = tooth

        def rates(_t: float, y: Array) -> Array:
            force = stiffness * max(y[4] - y[6], 0.0)
            spring_1 = K * (y[0] - y[4]) + D * (y[1] - y[5])
            spring_2 = K * (y[2] - y[6]) + D * (y[3] - y[7])
            return np.array(
                [y[1], -spring_1 / m1, y[3], -spring_2 / m2,
                 y[5], (spring_1 - force) / m, y[7], (spring_2 + force) / m]
            )  # fmt: skip

        start, gap = np.array([0.0, v[0], 0.0, v[1], 0.0, v[0], 0.0, v[1]]), (4, 6)
    end = 20.0 * math.pi * math.sqrt(m1 * m2 / (m1 + m2) / stiffness)

    def apart(t: float, y: Array) -> float:
        return float(y[gap[0]] - y[gap[1]]) if t > 1e-7 else 1.0

    apart.terminal, apart.direction = True, -1  # type: ignore[attr-defined]
    run = solve_ivp(
        rates, (0.0, end), start, method="Radau", rtol=1e-9, atol=1e-13, events=apart, max_step=2e-6
    )
    force = stiffness * np.maximum(run.y[gap[0]] - run.y[gap[1]], 0.0)
    return float(force.max()), float(run.t[-1]), float(run.y[1, -1]), float(run.y[3, -1])
