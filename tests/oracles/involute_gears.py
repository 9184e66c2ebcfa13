"""Spur gears by lengths of threads: positions and gaps of flanks on the line of action.

A flank whose thread leaves the base circle at the polar angle θ has the thread length r_b (θ -
angle). All flanks of a gear are points on one straight line, a base pitch apart. No involute is
ever computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Gear(NamedTuple):
    """A spur gear, or a ring with internal teeth, with tooth 0 at polar angle 0."""

    z: int
    m: float
    alpha: float = math.radians(20.0)
    x: float = 0.0
    h_a: float = 1.0
    h_f: float = 1.25
    thinning: float = 0.0
    ring: bool = False

    @property
    def r_b(self) -> float:
        return 0.5 * self.m * self.z * math.cos(self.alpha)

    @property
    def half(self) -> float:
        """The half angle of a tooth whose flanks are continued to the base circle."""
        width = self.m * (0.5 * math.pi + 2.0 * self.x * math.tan(self.alpha)) - self.thinning
        inv = math.tan(self.alpha) - self.alpha
        if self.ring:
            return math.pi / self.z - width / (self.m * self.z) - inv
        return width / (self.m * self.z) + inv

    def radii(self) -> tuple[float, float]:
        """The radii of the inner and outer ends of the flanks."""
        r = 0.5 * self.m * self.z
        if self.ring:
            return r - (self.h_a - self.x) * self.m, r + (self.h_f + self.x) * self.m
        return max(r - (self.h_f - self.x) * self.m, self.r_b), r + (self.h_a + self.x) * self.m


class Mesh(NamedTuple):
    """A mesh with axes `a` apart and gear 2 (or the ring) on the +x side."""

    first: Gear
    second: Gear
    a: float

    @property
    def sense(self) -> float:
        return -1.0 if self.second.ring else 1.0

    @property
    def alpha_w(self) -> float:
        """The working pressure angle (7.6)."""
        return math.acos(abs(self.first.r_b + self.sense * self.second.r_b) / self.a)

    @property
    def length(self) -> float:
        return self.a * math.sin(self.alpha_w)

    @property
    def pitch(self) -> float:
        return 2.0 * math.pi * self.first.r_b / self.first.z

    @property
    def play(self) -> float:
        """The backlash from the widths of tooth and space on the working pitch circles."""
        inv = math.tan(self.alpha_w) - self.alpha_w
        r_w = self.first.r_b / math.cos(self.alpha_w)
        R_w = self.second.r_b / math.cos(self.alpha_w)
        widths = 2.0 * r_w * (self.first.half - inv)
        widths += 2.0 * R_w * (self.second.half - self.sense * inv)
        return (2.0 * math.pi * r_w / self.first.z - widths) * math.cos(self.alpha_w)

    @property
    def path(self) -> tuple[float, float]:
        """The ends of the path of contact, measured from base circle 1, (7.8) with its limit."""
        low, high = (math.sqrt(r * r - self.first.r_b**2) for r in self.first.radii())
        others = [math.sqrt(r * r - self.second.r_b**2) for r in self.second.radii()]
        ends = sorted(self.sense * (self.length - rho) for rho in others)
        return max(low, ends[0]), min(high, ends[1])

    @property
    def contact_ratio(self) -> float:
        begin, end = self.path
        return (end - begin) / self.pitch

    def gap(self, phi_1: float, phi_2: float, side: int) -> float:
        """Return the least gap of all pairs along the line of action.

        Side 0 stands for the right flanks of gear 1.

        Their threads leave at α_w as seen from axis 1, and opposite as seen from axis 2. For a
        ring, they leave behind axis 1 at the same angle from both axes. Left flanks are the mirror
        image. All gaps of a side differ by whole pitches.
        """
        mirror = 1.0 if side == 0 else -1.0
        one, two = self.first, self.second
        theta = mirror * (self.alpha_w - math.pi if two.ring else self.alpha_w)
        rho_1 = one.r_b * (mirror * (theta - phi_1) + one.half)
        if two.ring:
            gap = two.r_b * (mirror * (theta - phi_2) - two.half) - rho_1 - self.length
        else:
            rho_2 = two.r_b * (mirror * (theta + math.pi - phi_2) + two.half)
            gap = self.length - rho_1 - rho_2
        return math.remainder(gap, self.pitch)
