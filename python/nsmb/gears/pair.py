"""Two gears in mesh: centre distance, backlash and stiffness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nsmb._core import gears as _gears
from nsmb.common.arguments import as_instance, as_number, in_range, one_of, positive
from nsmb.gears.gear import Gear
from nsmb.geometry.contours.gear_mesh import path_between
from nsmb.geometry.contours.involute_function import inverse_involute, involute

__all__ = ["GearPair"]

_SAME = 1e-9  # relative: given data have this many digits


@dataclass(frozen=True, kw_only=True)
class GearPair:
    """The contact of the teeth of two gears, (7.4)-(7.17).

    Raises
    ------
    ValueError
        If a number is out of range, modules or pressure angles differ, or helix angles are not
        opposite. Also if the axes are nearer than the base circles allow or, with backlash
        from geometry, the gears cannot be assembled at this distance.

    Examples
    --------
    >>> from nsmb import gears
    >>> pinion = gears.Gear(z=14, m_n=0.005, dedendum=1.05, width=0.02)
    >>> pair = gears.GearPair(gear_1=pinion, gear_2=pinion.mate(39), backlash=0.008)
    >>> f"{pair.contact_ratio:.3f}, {1e6 * pair.play:.1f} µm, {pair.c_max:.3g} N/m"
    '1.542, 40.0 µm, 2.8e+08 N/m'
    """

    gear_1: Gear
    gear_2: Gear
    distance: float | None = None
    """Initial distance of the axes, m; by default that without backlash from geometry.

    The force follows the current distance of the bodies."""
    backlash_from: str = "geometry"
    """``geometry`` or ``factor``.

    ``geometry`` adds the backlash of the teeth at their distance, (7.4), (7.6), to `backlash`.
    ``factor`` uses only `backlash`, at every distance."""
    backlash: float = 0.0
    """Backlash normal to the flanks, in normal modules."""
    shape: float = 1.0
    """Shape factor of the stiffness (7.7)."""
    stiffness_ratio: float = 0.8
    """Ratio c_min/c_max, where c_min applies at the ends of the path of contact."""
    damping: float = 0.0
    """Damping of a pair of teeth (7.15), N s/m."""
    transition: float = 0.0
    """Depth in m up to which damping increases to its full value, as in (6.4)."""
    mu: float = 0.0
    """Coefficient of Coulomb friction (7.16)."""
    v_eps: float = 1e-3
    """Sliding velocity above which friction is full, as in (6.6), m/s."""
    entry: float = 0.02
    """Fraction of the base pitch over which a pair of spur teeth takes up its load; 0: at once.

    Helical teeth take up their load along their lines of contact."""
    flanks: Sequence[str] = ("left", "right")
    """Flanks that may touch; the left flank of gear 1 leads in counter-clockwise rotation."""
    measure: str = "line_of_action"
    """``line_of_action`` or ``turn_angle``.

    ``line_of_action`` is the depth of exact involutes. ``turn_angle`` is that of (7.19), which
    agrees only at the pitch point."""

    def __post_init__(self) -> None:
        one, two = (as_instance(n, getattr(self, n), Gear) for n in ("gear_1", "gear_2"))
        for name in ("m_n", "alpha_n"):
            a, b = getattr(one, name), getattr(two, name)
            if not math.isclose(a, b, rel_tol=_SAME):
                raise ValueError(f"gear_2: expected {name} = {a:g} of gear_1, got {b:g}")
        if not math.isclose(one.beta, -two.beta, rel_tol=_SAME, abs_tol=_SAME):
            raise ValueError(
                f"gear_2: expected a helix angle of {-one.beta:g} rad, opposite to that of gear_1, "
                f"got {two.beta:g}"
            )
        for name in ("shape", "v_eps"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        for name in ("backlash", "damping", "transition", "mu"):
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0))
        for name in ("stiffness_ratio", "entry"):
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0, 1.0))
        one_of("backlash_from", self.backlash_from, ("geometry", "factor"))
        one_of("measure", self.measure, ("line_of_action", "turn_angle"))
        if isinstance(self.flanks, str):
            object.__setattr__(self, "flanks", (self.flanks,))
        object.__setattr__(
            self, "flanks", tuple(one_of("flanks", f, ("left", "right")) for f in self.flanks)
        )
        if self.distance is not None:
            self._check_distance(as_number("distance", self.distance))

    def _check_distance(self, a: float) -> None:
        one, two = self.gear_1, self.gear_2
        if not a > one.r_b + two.r_b or not math.isfinite(a):
            raise ValueError(
                f"distance: expected more than both base circles, {one.r_b + two.r_b:.6g} m, "
                f"got {a:.6g} m"
            )
        if self.backlash_from == "factor":
            return
        # Backlash and distances are exact only up to rounding.
        if self.play < -1e-12 * a:
            raise ValueError(
                f"distance: expected at least {self.a_v:.6g} m, where z = {one.z} and {two.z} "
                f"with x = {one.x:g} and {two.x:g} have no backlash, got {a:.6g} m: flanks "
                f"overlap by {-self.play:.3g} m. Change the shifts or the distance, or pass "
                "backlash_from='factor'."
            )
        for tip, root, names in (
            (one, two, ("gear_1", "gear_2")),
            (two, one, ("gear_2", "gear_1")),
        ):
            if tip.r_a + root.r_d > a:
                raise ValueError(
                    f"distance: expected more than {tip.r_a + root.r_d:.6g} m, the tip circle of "
                    f"{names[0]}, r_a = {tip.r_a:.6g} m, and the root circle of {names[1]}, r_d = "
                    f"{root.r_d:.6g} m, got {a:.6g} m"
                )

    @property
    def ratio(self) -> float:
        """Ratio z_2/z_1."""
        return self.gear_2.z / self.gear_1.z

    @property
    def a_0(self) -> float:
        """Sum of the radii of the pitch circles, m."""
        return self.gear_1.r_p + self.gear_2.r_p

    @property
    def alpha_v(self) -> float:
        """Pressure angle without backlash (7.4), rad, with shifts in normal modules."""
        one, two = self.gear_1, self.gear_2
        shift = 2.0 * (one.x + two.x) / (one.z + two.z) * math.tan(one.alpha_n)
        inv = involute(one.alpha_t) + shift
        if inv < 0.0:
            least = -0.5 * involute(one.alpha_t) * (one.z + two.z) / math.tan(one.alpha_n)
            raise ValueError(f"x: expected a sum above {least:.6g}, got {one.x + two.x:g}")
        return inverse_involute(inv)

    @property
    def a_v(self) -> float:
        """Distance without backlash from geometry, m."""
        return (self.gear_1.r_b + self.gear_2.r_b) / math.cos(self.alpha_v)

    @property
    def a_w(self) -> float:
        """Initial distance of the axes, m."""
        return self.a_v if self.distance is None else float(self.distance)

    @property
    def alpha_w(self) -> float:
        """Pressure angle at this distance (7.6), rad."""
        return math.acos(min(1.0, (self.gear_1.r_b + self.gear_2.r_b) / self.a_w))

    @property
    def play(self) -> float:
        """Backlash along the transverse line of action, from left to right flanks, m."""
        play = self.backlash * self.gear_1.m_n / math.cos(self.gear_1.beta_b)
        return play + (self._play_of_distance if self.backlash_from == "geometry" else 0.0)

    @property
    def _play_of_distance(self) -> float:
        inv = involute(self.alpha_w) - involute(self.alpha_v)
        return 2.0 * (self.gear_1.r_b + self.gear_2.r_b) * inv

    @property
    def phi_b(self) -> float:
        """Circumferential backlash, half of `play` as a rotation of gear 2 (7.13), rad."""
        return 0.5 * self.play / self.gear_2.r_b

    @property
    def _path(self) -> tuple[float, float]:
        """Start and end of contact from the pitch point (7.8), m, limited by the base circles."""
        one, two = self.gear_1, self.gear_2
        tangent = math.tan(self.alpha_w)
        reach_1, reach_2 = ((0.0, math.sqrt(gear.r_a**2 - gear.r_b**2)) for gear in (one, two))
        begin, end = path_between(reach_1, reach_2, (one.r_b + two.r_b) * tangent)
        return begin - one.r_b * tangent, end - one.r_b * tangent

    @property
    def g_a1(self) -> float:
        """Path of contact from the pitch point to the tip of gear 1, m."""
        return self._path[1]

    @property
    def g_a2(self) -> float:
        """Path of contact from the tip of gear 2 to the pitch point, m."""
        return -self._path[0]

    @property
    def contact_ratio(self) -> float:
        """Transverse contact ratio ε_α (7.9)."""
        return (self.g_a1 + self.g_a2) / self.gear_1.p_b

    @property
    def overlap_ratio(self) -> float:
        """Overlap ratio ε_β (7.10) of the narrower gear."""
        one = self.gear_1
        width = min(one.width, self.gear_2.width)
        return width * math.tan(abs(one.beta)) / (math.pi * one.m_t)

    @property
    def total_contact_ratio(self) -> float:
        """Total contact ratio ε_α + ε_β (7.11)."""
        return self.contact_ratio + self.overlap_ratio

    @property
    def c_max(self) -> float:
        """Stiffness of a pair of teeth in the middle of its path (7.7), N/m."""
        return self._stiffness() * min(self.gear_1.width, self.gear_2.width)

    @property
    def c_min(self) -> float:
        """Stiffness of a pair of teeth at the ends of the path, N/m."""
        return self.stiffness_ratio * self.c_max

    def _stiffness(self) -> float:
        mean = 0.5 * (self.gear_1.E + self.gear_2.E)
        return 14e9 * mean / 2.1e11 * self.shape

    def normal_force(self, torque: float) -> float:
        """Return the total normal force on the flanks, N, for a torque on gear 1, N m."""
        return as_number("torque", torque) / (self.gear_1.r_b * math.cos(self.gear_1.beta_b))

    def phases(
        self, direction: float = 0.0, xi: float = 0.0, flank: str = "left", gap: float = 0.0
    ) -> tuple[float, float]:
        """Return the phases of both gears for which they touch.

        Parameters
        ----------
        direction : float
            Angle from the x axis of the markers to gear 2, rad.
        xi : float
            Position on the path of contact from the pitch point, positive towards the tip of gear
            1, m.
        flank : {"left", "right", "middle"}
            Touching flank. For "middle", both flanks have the same distance, half of the backlash.
        gap : float
            Gap between the flanks along the line of action, m.

        Raises
        ------
        ValueError
            If `flank` is invalid, or a number is invalid.
        """
        where = one_of("flank", flank, ("left", "right", "middle"))
        angle = as_number("direction", direction)
        sign = -1.0 if where == "right" else 1.0
        middle = self.gear_1.r_b * (self.gear_1.half_tooth - involute(self.alpha_w))
        turn_1 = sign * (as_number("xi", xi) - middle)
        approach = 0.0
        if where != "middle":
            approach = sign * (0.5 * self.play - as_number("gap", gap))
            # Backlash other than that of the distance is divided equally between the gears.
            turn_1 += sign * 0.25 * (self.play - self._play_of_distance)
        turn_2 = approach - 0.5 * self.gear_1.p_b - turn_1
        return self._phases_of(angle, turn_1, turn_2)

    def phase_2(self, phase_1: float, direction: float = 0.0, approach: float = 0.0) -> float:
        """Return the phase of gear 2 that fits the phase of gear 1, rad.

        Parameters
        ----------
        phase_1 : float
            Phase of gear 1, rad.
        direction : float
            Angle from the x axis of the markers to gear 2, rad.
        approach : float
            Approach of the left flanks along the line of action from the middle of the backlash, m.

        Raises
        ------
        ValueError
            If a number is invalid.
        """
        angle = as_number("direction", direction)
        turn_1 = self.gear_1.r_b * (as_number("phase_1", phase_1) - angle)
        turn_2 = as_number("approach", approach) - 0.5 * self.gear_1.p_b - turn_1
        return self._phases_of(angle, turn_1, turn_2)[1]

    def _phases_of(self, angle: float, turn_1: float, turn_2: float) -> tuple[float, float]:
        pitch = 2.0 * math.pi / self.gear_2.z
        second = angle + math.pi + turn_2 / self.gear_2.r_b
        return angle + turn_1 / self.gear_1.r_b, math.remainder(second, pitch)

    def near(self, first: bool) -> int:
        """Return the number of teeth of one gear that may carry load or have just done so."""
        gear = self.gear_1 if first else self.gear_2
        middle = gear.r_b * (gear.half_tooth - involute(self.alpha_w))
        window = max(gear.width * math.tan(abs(gear.beta_b)), self.entry * gear.p_b)
        reach = 2.0 * (max(self.g_a1, self.g_a2) + abs(middle)) + window
        # Include the teeth of both flanks, and three that come to rest.
        return min(gear.z, math.ceil(max(reach, 0.0) / gear.p_b) + 3)

    def _core(self, name: str, first: int, second: int) -> _gears.GearMesh:
        one = self.gear_1
        return _gears.GearMesh(
            name=name,
            first=first,
            second=second,
            near_1=self.near(True),
            near_2=self.near(False),
            stiffness=self._stiffness(),
            stiffness_ratio=self.stiffness_ratio,
            damping=self.damping,
            transition=self.transition,
            mu=self.mu,
            v_eps=self.v_eps,
            play=0.5 * self.backlash * one.m_n / math.cos(one.beta_b),
            from_geometry=self.backlash_from == "geometry",
            inv_v=involute(self.alpha_v),
            entry=self.entry,
            left="left" in self.flanks,
            right="right" in self.flanks,
            turn_angle=self.measure == "turn_angle",
        )
