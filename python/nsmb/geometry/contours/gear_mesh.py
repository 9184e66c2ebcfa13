"""How the involute flanks of two gears mesh at a distance of their axes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.common.arguments import as_number
from nsmb.geometry.contours.involute_function import inverse_involute, involute
from nsmb.geometry.contours.involutes import GearTeeth

__all__ = ["GearMesh", "path_between", "play_at"]


def play_at(first: GearTeeth, second: GearTeeth, distance: float) -> float:
    """Play along the line of action of axes at a distance, m; negative where flanks overlap.

    Raises ValueError for a distance at which the base circles touch or overlap.
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
    """Where contact begins and ends on the line of action, m from its end on base circle 1 (7.8).

    From where to where the flanks of both gears reach on it, each from its own base circle;
    `length` between them.
    """
    if internal:  # on the same line: ρ_1 + s ρ_2 = ± L
        begin, end = (rho - length for rho in second)
    else:
        begin, end = (length - rho for rho in reversed(second))
    return max(first[0], begin), min(first[1], end)


@dataclass(frozen=True)
class GearMesh:
    """Two gears with their axes `distance` apart: line of action, play, contact ratio, angles.

    A ring is second; angles are measured from the line from axis 1 to axis 2.

        cos α_w = (r_b1 + r_b2)/a,   L = a sin α_w,   g_N = L - r_b1 u_1 - r_b2 u_2,

    of a ring |r_b1 - r_b2|/a and r_b2 u_2 - r_b1 u_1 - L: the gap along the line of action is
    linear in both angles, the ratio of the speeds constant.

    Raises
    ------
    ValueError
        For something else than :class:`GearTeeth`, gears of different base pitch, a ring that is
        not second, axes so near that flanks or tips and roots are jammed, or so far apart that
        a pair of teeth parts before the next one meets.
    """

    first: GearTeeth
    second: GearTeeth
    distance: float
    """Of the axes, m."""

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            if not isinstance(getattr(self, name), GearTeeth):
                raise ValueError(f"{name}: expected GearTeeth, got {getattr(self, name)!r}")
        if self.first.internal:
            raise ValueError(
                "first: expected a gear with teeth outside, got a ring; give it second"
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
                "distance: expected room for the teeth, got flanks that overlap by "
                f"{-play:g} m along the line of action at {a:g} m: jammed"
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
                    f"distance: expected room between the {tip} and the {root}, got "
                    f"{room:g} m at {a:g} m: jammed"
                )

    @property
    def _sense(self) -> float:
        return -1.0 if self.second.internal else 1.0

    @property
    def _base_sum(self) -> float:
        return self.first.base_radius + self._sense * self.second.base_radius

    @property
    def ratio(self) -> float:
        """ω_2/ω_1 while flanks touch: -z_1/z_2, of a ring z_1/z_2."""
        return -self._sense * self.first.teeth / self.second.teeth

    @property
    def pressure_angle(self) -> float:
        """α_w of (7.6), rad."""
        return math.acos(abs(self._base_sum) / self.distance)

    @property
    def line_length(self) -> float:
        """L, of the common tangent between the base circles, m."""
        return math.sqrt(self.distance**2 - self._base_sum**2)

    @property
    def path(self) -> tuple[float, float]:
        """Where contact begins and ends on the line of action, m from its end on base circle 1.

        Between the tip circles, but no further than the flanks reach, which ends at base circles.
        """
        reach = []
        for gear in (self.first, self.second):
            begin, end = gear.rolls
            reach.append((gear.base_radius * begin, gear.base_radius * end))
        return path_between(reach[0], reach[1], self.line_length, self.second.internal)

    @property
    def contact_ratio(self) -> float:
        """Length of the path over the base pitch, ε of (7.9), with that cap."""
        begin, end = self.path
        return (end - begin) / self.first.base_pitch

    @property
    def play(self) -> float:
        """Backlash along the line of action, both flanks together, m: r_b2 times that in angle."""
        return play_at(self.first, self.second, self.distance)

    @staticmethod
    def distance_for(first: GearTeeth, second: GearTeeth, play: float = 0.0) -> float:
        """Distance of axes, m, at which there is so much play along the line of action, m.

        inv α_w = (play/2 - r_b1 (π/z_1 - ψ_1) + r_b2 ψ_2)/(r_b1 + r_b2), ψ half of a tooth at the
        base circle; without play and thinned teeth (7.4).

        Raises
        ------
        ValueError
            Where no distance gives it.
        """
        sense = -1.0 if second.internal else 1.0
        r_1, r_2 = first.base_radius, second.base_radius
        gap = first.base_half_angle - math.pi / first.teeth
        base = r_1 + sense * r_2
        flank = (0.5 * as_number("play", play) + r_1 * gap + r_2 * second.base_half_angle) / base
        if not flank > 0.0:
            raise ValueError(
                f"play: expected a distance of the axes that gives it, got {play:g} m, for which "
                f"inv α_w would be {flank:g}"
            )
        return abs(base) / math.cos(inverse_involute(flank))

    def angle(self, angle_1: float = 0.0, side: float = 0.0) -> float:
        """Angle of gear 2 that fits one of gear 1, rad.

        Parameters
        ----------
        angle_1 : float
            rad; 0 where tooth 0 of gear 1 points to axis 2.
        side : float
            0: in the middle of the play; 1: where gear 1, turning counter-clockwise, drives;
            -1: on the other flank.
        """
        # Teeth mesh between the axes; in a ring behind axis 1.
        opposite = math.pi if self.second.internal else 0.0
        turned = math.pi * (1.0 - 1.0 / self.second.teeth)
        turned += self.ratio * (as_number("angle_1", angle_1) - opposite)
        # Behind its driver: against the sense in which gear 2 is driven.
        behind = 0.5 * self.play / self.second.base_radius
        return turned - math.copysign(behind, self.ratio) * as_number("side", side)
