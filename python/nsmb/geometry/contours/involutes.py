"""Involutes: single flanks and the teeth of gears."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nsmb._core import geometry as _geometry
from nsmb.common.arguments import as_array, as_number
from nsmb.geometry.contours.base import Array, Contour

__all__ = ["GearTeeth", "Involute"]

_Pair = tuple[float, float]
_UNDERCUT = 0.3  # slope of the drawn root relative to the radius
_LEAST_ROLL = 1e-3  # rad, start of a flank that extends to its base circle


def _roll(radius: float, base_radius: float) -> float:
    """Return the roll angle at a radius, u = tan α: r = r_b √(1 + u²)."""
    return math.sqrt((radius - base_radius) * (radius + base_radius)) / base_radius


def _involute(roll: float) -> float:
    """Return the polar angle from the start on the base circle, inv α = tan α - α (7.1)."""
    return roll - math.atan(roll)


@dataclass(frozen=True)
class Involute(Contour):
    """A tooth flank, the involute of a circle: r = c + r_b (e(θ) ∓ u e_z x e(θ)), θ = angle ± u.

    The roll angle u = tan α increases outwards from the base circle. The involute has a cusp there,
    so that the flank must start at u > 0. Its radius of curvature is r_b u. σ is u on a right flank
    and -u on a left one. Two involutes touch on the common tangent of their base circles, in closed
    form. Both ends can be touched.

    Raises
    ------
    ValueError
        If a number is not finite, ``base_radius <= 0``, roll angles are not in the order
        0 < `begin` < `end`, or the side is invalid.
    """

    base_radius: float
    """Radius of the base circle, m, > 0."""
    begin: float
    """Inner roll angle, rad."""
    end: float
    """Outer roll angle, rad."""
    angle: float = 0.0
    """Angle at which the involute leaves the base circle, rad."""
    side: Literal["right", "left"] = "right"
    """Flank of the tooth, seen from the centre: the body is counter-clockwise of a right flank."""
    concave: bool = False
    """True for a ring with internal teeth."""
    center: _Pair = (0.0, 0.0)
    """Centre of the base circle, m."""

    @classmethod
    def between(
        cls,
        base_radius: float,
        inner: float,
        outer: float,
        angle: float = 0.0,
        side: Literal["right", "left"] = "right",
        concave: bool = False,
        center: _Pair = (0.0, 0.0),
    ) -> Involute:
        """Return the flank between two radii, `inner` and `outer`, m.

        Raises
        ------
        ValueError
            If radii are not in the order ``base_radius`` < `inner` < `outer`, and as for the class.
        """
        radii = [
            as_number(name, value)
            for name, value in (("base_radius", base_radius), ("inner", inner), ("outer", outer))
        ]
        if not 0.0 < radii[0] < radii[1] < radii[2]:
            raise ValueError(
                "inner, outer: expected 0 < base_radius < inner < outer, got base_radius = "
                f"{radii[0]:g}, inner = {radii[1]:g}, outer = {radii[2]:g}"
            )
        begin, end = (_roll(r, radii[0]) for r in radii[1:])
        return cls(radii[0], begin, end, angle, side, concave, center)

    def _build(self) -> _geometry.Contour:
        if self.side not in ("right", "left"):
            raise ValueError(f"side: expected 'right' or 'left', got {self.side!r}")
        return _geometry.involute(
            as_array("center", self.center, (2,)),
            as_number("base_radius", self.base_radius),
            as_number("begin", self.begin),
            as_number("end", self.end),
            as_number("angle", self.angle),
            self.side == "right",
            bool(self.concave),
        )


@dataclass(frozen=True, kw_only=True)
class GearTeeth(Contour):
    """Flanks of all teeth of a spur gear about the origin, exact involutes, with tooth 0 at e_x.

    The contour has two pieces per tooth, alternating between right and left flanks. A single
    contact of two gears therefore finds the teeth in mesh by itself. Only flanks can be touched;
    tips, fillets and roots are only drawn. With regular meshing, which :class:`GearMesh` checks,
    flanks touch first.

    The reference circle is m z/2 and the base circle r_b = m z cos(α)/2. Tip and root are
    (h_a + x) m above and (h_f - x) m below the reference circle. The thickness there is
    m (π/2 + 2 x tan α) - `thinning`. For a ring (`internal`), this is the space between two
    teeth, and `thinning` widens it. Its tips are (h_a - x) m below and its root (h_f + x) m above
    the reference circle.

    Raises
    ------
    ValueError
        If a number is not finite or out of range. Also if teeth are pointed below their tip, have
        no width, or have no flank above the base circle.
    """

    teeth: int
    """Number of teeth z, >= 2."""
    module: float
    """Module m, in m."""
    pressure_angle: float = math.radians(20.0)
    """Pressure angle α, rad."""
    shift: float = 0.0
    """Profile shift x, in modules."""
    addendum: float = 1.0
    """Addendum h_a, in modules."""
    dedendum: float = 1.25
    """Dedendum h_f, in modules."""
    thinning: float = 0.0
    """Reduction of the tooth thickness at the reference circle for backlash, m."""
    internal: bool = False
    """True for a ring with internal teeth."""
    flank_begin: float | None = None
    """Innermost radius of the involute, m, such as for undercut teeth.

    The default is the root (for a ring the tip) or the base circle, whichever is larger."""

    @property
    def reference_radius(self) -> float:
        """Radius m z/2 of the reference circle, m."""
        return 0.5 * self.module * self.teeth

    @property
    def base_radius(self) -> float:
        """Radius r_b of the base circle, m."""
        return self.reference_radius * math.cos(self.pressure_angle)

    @property
    def base_pitch(self) -> float:
        """Distance of flanks along the line of action, 2π r_b/z, m."""
        return 2.0 * math.pi * self.base_radius / self.teeth

    @property
    def tip_radius(self) -> float:
        """Tip radius, m; for a ring the inner radius."""
        height = self.addendum - self.shift if self.internal else self.addendum + self.shift
        return self.reference_radius + (-height if self.internal else height) * self.module

    @property
    def root_radius(self) -> float:
        """Root radius, m; for a ring the outer radius."""
        depth = self.dedendum + self.shift if self.internal else self.dedendum - self.shift
        return self.reference_radius + (depth if self.internal else -depth) * self.module

    @property
    def base_half_angle(self) -> float:
        """Half of the tooth angle, rad, with flanks extended to the base circle.

        Teeth of a ring are narrower there, and the value may be negative."""
        flank = _involute(math.tan(self.pressure_angle))
        width = 0.5 * math.pi + 2.0 * self.shift * math.tan(self.pressure_angle)
        half = (width * self.module - self.thinning) / (2.0 * self.reference_radius)
        return math.pi / self.teeth - half - flank if self.internal else half + flank

    @property
    def rolls(self) -> tuple[float, float]:
        """Roll angles between which flanks are involutes, rad."""
        r_b = self.base_radius
        inner, outer = sorted((self.tip_radius, self.root_radius))
        if not self.internal:
            inner = max(inner, r_b)
        if self.flank_begin is not None:
            inner = max(inner, self.flank_begin)
        return max(_roll(max(inner, r_b), r_b), _LEAST_ROLL), _roll(max(outer, r_b), r_b)

    def half_angle(self, radius: float) -> float:
        """Return half of the tooth angle at a radius, at least that of the base circle, rad."""
        flank = _involute(_roll(max(radius, self.base_radius), self.base_radius))
        return self.base_half_angle + (flank if self.internal else -flank)

    def _build(self) -> _geometry.Contour:
        self._check()
        half = self.base_half_angle
        begin, end = self.rolls
        return _geometry.teeth(
            self.base_radius, begin, end, -half, half, int(self.teeth), bool(self.internal)
        )

    def _check(self) -> None:
        try:
            count = operator.index(self.teeth)
        except TypeError:
            count = 0
        if count < 2:
            raise ValueError(f"teeth: expected a whole number >= 2, got {self.teeth!r}")
        for name in ("module", "pressure_angle", "shift", "addendum", "dedendum", "thinning"):
            as_number(name, getattr(self, name))
        if not self.module > 0.0:
            raise ValueError(f"module: expected a number > 0, got {self.module:g}")
        if not 0.0 < self.pressure_angle < 0.5 * math.pi:
            raise ValueError(
                f"pressure_angle: expected an angle in (0, π/2), got {self.pressure_angle:g} rad"
            )
        if self.flank_begin is not None:
            as_number("flank_begin", self.flank_begin)
        tip, root, base = self.tip_radius, self.root_radius, self.base_radius
        if not (tip - root) * (-1.0 if self.internal else 1.0) > 0.0 or not root > 0.0:
            raise ValueError(
                "addendum, dedendum: expected tips beyond the root, got radii "
                f"{tip:g} m and {root:g} m"
            )
        if self.internal and not tip > base:
            raise ValueError(
                f"addendum: expected tips outside the base circle, {base:g} m, got radius {tip:g} m"
            )
        begin, end = self.rolls
        if not end > begin:
            outer = max(tip, root)
            low = max(base, self.flank_begin or 0.0)
            raise ValueError(
                "addendum, flank_begin: expected flanks that reach beyond the radius "
                f"{low:g} m, got {outer:g} m"
            )
        if not 0.0 < self.half_angle(tip) < math.pi / self.teeth:
            raise ValueError(
                "shift, addendum, thinning: expected teeth with a width at their tips, got "
                f"{2.0 * tip * self.half_angle(tip):g} m at radius {tip:g} m"
            )
        widest = max(root, base * math.hypot(1.0, begin))
        if not self.half_angle(widest) < math.pi / self.teeth:
            raise ValueError(
                "shift, thinning: expected spaces with a width, got teeth of "
                f"{2.0 * widest * self.half_angle(widest):g} m on a pitch of "
                f"{2.0 * math.pi * widest / self.teeth:g} m at radius {widest:g} m"
            )

    def points(self, n: int = 200, reach: float = 1.0) -> Array:
        """Return the closed outline of the gear, m, with at least `n` points; clockwise for a ring.

        Raises
        ------
        ValueError
            If n < 2.
        """
        if n < 2:
            raise ValueError(f"n: expected at least 2 points, got {n}")
        roll = self._drawn_rolls(n)
        flank = self.base_radius * np.hypot(1.0, roll)
        turned = (1.0 if self.internal else -1.0) * (roll - np.arctan(roll))
        half = self.base_half_angle + turned
        if self.internal:
            flank, half = flank[::-1], half[::-1]
        at_root = min(half[0], math.pi / self.teeth)
        if not self.internal and self.root_radius < self.base_radius:
            # The tips of the other gear pass where there is no involute, so the root is undercut.
            at_root -= _UNDERCUT * (flank[0] / self.root_radius - 1.0)
        radius = np.concatenate([[self.root_radius], flank, [self.tip_radius]])
        half = np.concatenate([[at_root], half, half[-1:]])
        tooth_r = np.concatenate([radius, radius[::-1]])
        tooth_a = np.concatenate([-half, half[::-1]])
        turns = 2.0 * math.pi * np.arange(self.teeth) / self.teeth
        angle = (turns[:, None] + tooth_a).ravel()
        ring = np.tile(tooth_r, self.teeth)[:, None] * np.column_stack(
            [np.cos(angle), np.sin(angle)]
        )
        closed = np.vstack([ring, ring[:1]])
        return closed[::-1] if self.internal else closed

    def sagitta(self, n: int = 200) -> float:
        """Return the maximum distance of flanks from the outline of :meth:`points`, m."""
        roll = self._drawn_rolls(n)
        # Chord r_b u Δu, curvature 1/(r_b u).
        return float(0.125 * self.base_radius * roll[-1] * (roll[1] - roll[0]) ** 2)

    def _drawn_rolls(self, n: int) -> Array:
        steps = max(8, math.ceil((n / self.teeth - 4) / 2))
        return np.linspace(*self.rolls, steps)
