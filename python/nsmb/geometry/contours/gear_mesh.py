"""Meshing of the involute flanks of two gears at a given centre distance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.common.arguments import as_number
from nsmb.geometry.contours.involute_function import inverse_involute, involute
from nsmb.geometry.contours.involutes import GearTeeth

__all__ = ["GearMesh", "path_between", "play_at"]


def play_at(first: GearTeeth, second: GearTeeth, distance: float) -> float:
    """Return the backlash along the line of action at a centre distance, m; negative if jammed.

    Raises ValueError if the base circles touch or overlap at this distance.
    """
    sense = -1.0 if second.internal else 1.0
    r_1, r_2 = first.base_radius, second.base_radius
    least = abs(r_1 + sense * r_2)
    if not distance > least:
        raise ValueError(
            f"distance: expected more than {least:g} m, where base circles touch, "
            f"got {distance:g} m"
        )
    alpha = math.acos(least / distance)
    flank = involute(alpha)
    space = math.pi / first.teeth - (first.base_half_angle - flank)
    return 2.0 * (r_1 * space - r_2 * (second.base_half_angle - sense * flank))


def path_between(
    first: tuple[float, float], second: tuple[float, float], length: float, internal: bool = False
) -> tuple[float, float]:
    """Return start and end of contact on the line of action (7.8), m, from base circle 1.

    Positions are measured from the end of the line of action on base circle 1. `first` and `second`
    are the ranges covered by the flanks of the gears, each from its own base circle. `length` is
    the distance of these ends.
    """
    if internal:  # on the same line: ρ_1 + s ρ_2 = ± L
        begin, end = (rho - length for rho in second)
    else:
        begin, end = (length - rho for rho in reversed(second))
    return max(first[0], begin), min(first[1], end)


@dataclass(frozen=True)
class GearMesh:
    """Two gears with given centre `distance`: line of action, backlash, contact ratio, angles.

    A ring must be the second gear. Angles are measured from the line from axis 1 to axis 2.

        cos α_w = (r_b1 + r_b2)/a,   L = a sin α_w,   g_N = L - r_b1 u_1 - r_b2 u_2,

    For a ring, cos α_w = |r_b1 - r_b2|/a and g_N = r_b2 u_2 - r_b1 u_1 - L. The gap along the line
    of action is linear in both angles, and the ratio of speeds is constant.

    Raises
    ------
    ValueError
        If an argument is not :class:`GearTeeth`, base pitches differ, or a ring is not second. Also
        if the axes are so near that flanks or tips and roots jam, or so far apart that a pair of
        teeth separates before the next pair meets.
    """

    first: GearTeeth
    second: GearTeeth
    distance: float
    """Distance of the axes, m."""

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            if not isinstance(getattr(self, name), GearTeeth):
                raise ValueError(f"{name}: expected GearTeeth, got {getattr(self, name)!r}")
        if self.first.internal:
            raise ValueError(
                "first: must be a gear with external teeth, got a ring. Pass the ring as second."
            )
        pitches = self.first.base_pitch, self.second.base_pitch
        if abs(pitches[0] - pitches[1]) > 1e-9 * pitches[0]:
            raise ValueError(
                "second: expected the base pitch of the first gear, "
                f"{pitches[0]:.9g} m, got {pitches[1]:.9g} m"
            )
        a = as_number("distance", self.distance)
        play = self.play
        self._check_room()
        if not play > 0.0:
            raise ValueError(
                f"distance: must leave room for the teeth, got {a:g} m, where flanks overlap by "
                f"{-play:g} m along the line of action"
            )
        if not self.contact_ratio >= 1.0:
            raise ValueError(
                "distance: expected a contact ratio of at least 1, got "
                f"{self.contact_ratio:.3f} at {a:g} m"
            )

    def _check_room(self) -> None:
        a, one, two = self.distance, self.first, self.second
        if two.internal:
            rooms = (
                (two.root_radius - (a + one.tip_radius), "tip of gear 1", "root of the ring"),
                (two.tip_radius - (a + one.root_radius), "root of gear 1", "tip of the ring"),
            )
        else:
            rooms = (
                (a - one.tip_radius - two.root_radius, "tip of gear 1", "root of gear 2"),
                (a - two.tip_radius - one.root_radius, "tip of gear 2", "root of gear 1"),
            )
        for room, tip, root in rooms:
            if not room > 0.0:
                raise ValueError(
                    f"distance: must leave a clearance between the {tip} and the {root}, got "
                    f"{a:g} m, where it is {room:g} m"
                )

    @property
    def _sense(self) -> float:
        return -1.0 if self.second.internal else 1.0

    @property
    def _base_sum(self) -> float:
        return self.first.base_radius + self._sense * self.second.base_radius

    @property
    def ratio(self) -> float:
        """ω_2/ω_1 while flanks touch: -z_1/z_2, or z_1/z_2 for a ring."""
        return -self._sense * self.first.teeth / self.second.teeth

    @property
    def pressure_angle(self) -> float:
        """Pressure angle α_w of (7.6), rad."""
        return math.acos(abs(self._base_sum) / self.distance)

    @property
    def line_length(self) -> float:
        """Length L of the common tangent between the base circles, m."""
        return math.sqrt(self.distance**2 - self._base_sum**2)

    @property
    def path(self) -> tuple[float, float]:
        """Start and end of contact on the line of action, m, from its end on base circle 1.

        The path lies between the tip circles, but is limited to the flanks, which end at base
        circles.
        """
        reach = []
        for gear in (self.first, self.second):
            begin, end = gear.rolls
            reach.append((gear.base_radius * begin, gear.base_radius * end))
        return path_between(reach[0], reach[1], self.line_length, self.second.internal)

    @property
    def contact_ratio(self) -> float:
        """Length of the path over the base pitch, ε of (7.9), for the limited path."""
        begin, end = self.path
        return (end - begin) / self.first.base_pitch

    @property
    def play(self) -> float:
        """Backlash along the line of action for both flanks, m: r_b2 times the backlash angle."""
        return play_at(self.first, self.second, self.distance)

    @staticmethod
    def distance_for(first: GearTeeth, second: GearTeeth, play: float = 0.0) -> float:
        """Return the centre distance, m, for a given backlash `play` along the line of action, m.

        inv α_w = (play/2 - r_b1 (π/z_1 - ψ_1) + r_b2 ψ_2)/(r_b1 + r_b2), where ψ is half a tooth at
        the base circle. Without backlash and thinning, this is (7.4).

        Raises
        ------
        ValueError
            If no distance gives this backlash.
        """
        sense = -1.0 if second.internal else 1.0
        r_1, r_2 = first.base_radius, second.base_radius
        gap = first.base_half_angle - math.pi / first.teeth
        base = r_1 + sense * r_2
        flank = (0.5 * as_number("play", play) + r_1 * gap + r_2 * second.base_half_angle) / base
        if not flank > 0.0:
            raise ValueError(f"`play`: no centre distance gives a backlash of {play:g} m.")
        return abs(base) / math.cos(inverse_involute(flank))

    def angle(self, angle_1: float = 0.0, side: float = 0.0) -> float:
        """Return the angle of gear 2 that fits an angle of gear 1, rad.

        Parameters
        ----------
        angle_1 : float
            Angle of gear 1 in rad, 0 where tooth 0 of gear 1 points to axis 2.
        side : float
            0 for the middle of the backlash, 1 for the flank on which gear 1 drives
            counter-clockwise, -1 for the other flank.
        """
        # Teeth mesh between the axes or, in a ring, on the far side of axis 1.
        opposite = math.pi if self.second.internal else 0.0
        turned = math.pi * (1.0 - 1.0 / self.second.teeth)
        turned += self.ratio * (as_number("angle_1", angle_1) - opposite)
        # Gear 2 lags: the angle is against the direction in which gear 2 is driven.
        behind = 0.5 * self.play / self.second.base_radius
        return turned - math.copysign(behind, self.ratio) * as_number("side", side)
