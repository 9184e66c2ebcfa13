"""Geometry of one gear from its number of teeth, module, angles and profile shift."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import in_range, positive, whole
from nsmb.geometry import GearTeeth
from nsmb.geometry.contours.involute_function import involute

__all__ = ["Gear"]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Gear:
    """An external involute gear cut by a rack.

    Raises
    ------
    ValueError
        If a number is out of range, or the tip circle lies within the base circle. Also if teeth
        are pointed below their tip circle or have no gap between them.

    Examples
    --------
    >>> from nsmb import gears
    >>> pinion = gears.Gear(z=14, m_n=0.005, width=0.02)
    >>> pinion.is_undercut, f"{pinion.least_shift:.3f}", f"{1e3 * pinion.r_b:.2f} mm"
    (True, '0.181', '32.89 mm')
    """

    z: int
    """Number of teeth."""
    m_n: float
    """Normal module, m."""
    alpha_n: float = math.radians(20.0)
    """Normal pressure angle, rad."""
    beta: float = 0.0
    """Helix angle, rad, positive for right-handed."""
    x: float = 0.0
    """Profile shift, in normal modules."""
    addendum: float = 1.0
    """Addendum, in normal modules."""
    dedendum: float = 1.25
    """Dedendum, in normal modules."""
    width: float
    """Face width, m."""
    E: float = 2.1e11
    """Young's modulus, N/m²."""
    density: float = 7800.0
    """Density, kg/m³."""
    tip_relief: float = 0.0
    """Depth of the tip relief in m, linear along the path of contact.

    It is an extension of the source, which mentions tip relief without a formula."""
    relief_length: float | None = None
    """Length of the relief on the path of contact, m; by default a third of the base pitch."""
    crowning: float = 0.0
    """Depth of the parabolic crowning at both ends of the face, m; also an extension."""

    def __post_init__(self) -> None:
        whole("z", self.z, 1)
        for name in ("m_n", "addendum", "dedendum", "width", "E", "density"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        for name in ("tip_relief", "crowning"):
            object.__setattr__(self, name, in_range(name, getattr(self, name), 0.0))
        quarter = 0.5 * math.pi
        object.__setattr__(self, "alpha_n", in_range("alpha_n", self.alpha_n, 1e-3, quarter - 1e-3))
        object.__setattr__(self, "beta", in_range("beta", self.beta, -1.4, 1.4))
        object.__setattr__(self, "x", in_range("x", self.x, -10.0, 10.0))
        if self.relief_length is not None:
            positive("relief_length", self.relief_length)
        if not self.r_a > self.r_b:
            raise ValueError(
                f"x: expected a tip circle outside the base circle, r_b = {self.r_b:.6g} m, got "
                f"r_a = {self.r_a:.6g} m with x = {self.x:g}"
            )
        if not self.r_d > 0.0:
            raise ValueError(
                f"dedendum: expected a root circle r_d > 0, got {self.r_d:.6g} m with "
                f"dedendum = {self.dedendum:g} and x = {self.x:g}"
            )
        if not self.thickness(self.r_a) > 0.0:
            raise ValueError(
                f"addendum: expected teeth with a width at the tip, got "
                f"{self.thickness(self.r_a):.6g} m at r_a = {self.r_a:.6g} m with z = {self.z}, "
                f"x = {self.x:g}, addendum = {self.addendum:g}: flanks meet at "
                f"r = {self._point_radius():.6g} m"
            )
        r = max(self.r_b, self.r_d)
        gap = 2.0 * math.pi * r / self.z - self.thickness(r)
        if not gap > 0.0:
            raise ValueError(
                f"x: expected gaps between the teeth, got a width of {gap:.6g} m at r = {r:.6g} m "
                f"with z = {self.z} and x = {self.x:g}"
            )

    def _point_radius(self) -> float:
        low, high = self.r_b, self.r_a
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.thickness(middle) > 0.0 else (low, middle)
        return low

    @property
    def m_t(self) -> float:
        """Transverse module, m."""
        return self.m_n / math.cos(self.beta)

    @property
    def alpha_t(self) -> float:
        """Transverse pressure angle, rad."""
        return math.atan(math.tan(self.alpha_n) / math.cos(self.beta))

    @property
    def beta_b(self) -> float:
        """Helix angle on the base circle, rad."""
        return math.asin(math.sin(self.beta) * math.cos(self.alpha_n))

    @property
    def r_p(self) -> float:
        """Radius of the pitch circle, m."""
        return 0.5 * self.m_t * self.z

    @property
    def r_b(self) -> float:
        """Radius of the base circle, m."""
        return self.r_p * math.cos(self.alpha_t)

    @property
    def r_a(self) -> float:
        """Radius of the tip circle, m."""
        return self.r_p + (self.addendum + self.x) * self.m_n

    @property
    def r_d(self) -> float:
        """Radius of the root circle, m."""
        return self.r_p - (self.dedendum - self.x) * self.m_n

    @property
    def p_b(self) -> float:
        """Transverse base pitch, m."""
        return math.pi * self.m_t * math.cos(self.alpha_t)

    @property
    def half_tooth(self) -> float:
        """Half of the tooth angle on the base circle, where flanks start, rad."""
        thickness = 0.5 * math.pi + 2.0 * self.x * math.tan(self.alpha_n)
        return thickness / self.z + involute(self.alpha_t)

    @property
    def least_shift(self) -> float:
        """Profile shift below which the rack undercuts the involute."""
        height = min(self.addendum, self.dedendum)
        return height - 0.5 * self.z * math.sin(self.alpha_t) ** 2 / math.cos(self.beta)

    @property
    def is_undercut(self) -> bool:
        """True if the rack has undercut the involute."""
        return self.x < self.least_shift

    @property
    def tooth_mass(self) -> float:
        """Mass of one tooth outside the root circle, kg."""
        r = np.linspace(self.r_d, self.r_a, 65)
        thick = np.array([self.thickness(max(one, self.r_b)) for one in r])
        area = 0.5 * np.sum((thick[1:] + thick[:-1]) * np.diff(r))
        return float(self.density * self.width * area)

    @property
    def disc_inertia(self) -> float:
        """Moment of inertia of a solid disc with the pitch circle, kg m²."""
        return 0.5 * math.pi * self.density * self.width * self.r_p**4

    def thickness(self, r: float) -> float:
        """Return the transverse arc thickness of a tooth at radius `r`, m, or < 0 beyond its point.

        Raises
        ------
        ValueError
            If the radius is less than that of the base circle.
        """
        radius = in_range("r", r, self.r_b * (1.0 - 1e-12))
        alpha = math.acos(min(1.0, self.r_b / radius))
        return 2.0 * radius * (self.half_tooth - involute(alpha))

    def flank(self, points: int = 12) -> Array:
        """Return the transverse section of the left flank of a tooth at the x axis, (points, 2) m.

        It starts at the base circle, or at the root circle if that is larger, and ends at the tip.

        Raises
        ------
        ValueError
            If there are fewer than 2 points.
        """
        whole("points", points, 2)
        r = np.linspace(max(self.r_b, self.r_d), self.r_a, points)
        alpha = np.arccos(np.minimum(1.0, self.r_b / r))
        angle = self.half_tooth - (np.tan(alpha) - alpha)
        return np.column_stack([r * np.cos(angle), r * np.sin(angle)])

    def outline(self, points: int = 5, phase: float = 0.0) -> Array:
        """Return the corners of the transverse section for drawing, counter-clockwise, (n, 2) m.

        Parameters
        ----------
        points : int
            Number of points per flank.
        phase : float
            Angle from the x axis to the middle of tooth 0, rad.

        Raises
        ------
        ValueError
            If there are fewer than 2 points.
        """
        left = self.flank(points)
        tooth = left
        if self.r_d < self.r_b:  # straight from the involute to the root circle
            tooth = np.vstack([self.r_d / self.r_b * left[:1], left])
        tooth = np.vstack([tooth * (1.0, -1.0), tooth[::-1]])
        angles = phase + 2.0 * math.pi * np.arange(self.z) / self.z
        c, s = np.cos(angles), np.sin(angles)
        turns = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)
        return np.asarray(np.einsum("kij,nj->kni", turns, tooth).reshape(-1, 2))

    def contour(self, thinning: float = 0.0) -> GearTeeth:
        """Return the flanks as a contour for set-valued contact of rigid teeth; tooth 0 is at e_x.

        Parameters
        ----------
        thinning : float
            Reduction of the tooth thickness at the reference circle, m.

        Raises
        ------
        ValueError
            If the gear is helical and has no planar contour.
        """
        if self.beta != 0.0:
            raise ValueError(f"beta: expected 0, a spur gear, got {self.beta:g} rad")
        return GearTeeth(
            teeth=self.z,
            module=self.m_n,
            pressure_angle=self.alpha_n,
            shift=self.x,
            addendum=self.addendum,
            dedendum=self.dedendum,
            thinning=thinning,
        )

    def mate(self, z: int, **changes: object) -> Gear:
        """Return a gear of the same rack that meshes with this one, with opposite helix angle.

        Parameters
        ----------
        z : int
        **changes
            Other fields of the gear.

        Raises
        ------
        ValueError
            As for :class:`Gear`.
        """
        given: dict[str, object] = {"z": z, "beta": -self.beta, **changes}
        return dataclasses.replace(self, **given)  # type: ignore[arg-type]
