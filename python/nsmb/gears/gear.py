"""One gear: what its numbers of teeth, module, angles and shift make of it."""

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
    """External involute gear, cut by a rack.

    Raises
    ------
    ValueError
        For numbers out of range, teeth that end in a point before their tip circle, teeth without a
        gap between them, a tip circle within the base circle.

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
    """m, normal module."""
    alpha_n: float = math.radians(20.0)
    """rad, normal pressure angle."""
    beta: float = 0.0
    """rad, helix angle; positive: right-handed."""
    x: float = 0.0
    """Profile shift, of the normal module."""
    addendum: float = 1.0
    """Of the normal module."""
    dedendum: float = 1.25
    """Of the normal module."""
    width: float
    """m, of the face."""
    E: float = 2.1e11
    """N/m², Young's modulus."""
    density: float = 7800.0
    """kg/m³"""
    tip_relief: float = 0.0
    """m, taken off the flank at the tip, linear along the path of contact; an extension of the
    source, which names it without a formula."""
    relief_length: float | None = None
    """m, of the path of contact with relief; None: a third of the base pitch."""
    crowning: float = 0.0
    """m, taken off at both ends of the face, a parabola across it; an extension, too."""

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
        """m, transverse module."""
        return self.m_n / math.cos(self.beta)

    @property
    def alpha_t(self) -> float:
        """rad, transverse pressure angle."""
        return math.atan(math.tan(self.alpha_n) / math.cos(self.beta))

    @property
    def beta_b(self) -> float:
        """rad, helix angle on the base circle."""
        return math.asin(math.sin(self.beta) * math.cos(self.alpha_n))

    @property
    def r_p(self) -> float:
        """m, pitch circle."""
        return 0.5 * self.m_t * self.z

    @property
    def r_b(self) -> float:
        """m, base circle."""
        return self.r_p * math.cos(self.alpha_t)

    @property
    def r_a(self) -> float:
        """m, tip circle."""
        return self.r_p + (self.addendum + self.x) * self.m_n

    @property
    def r_d(self) -> float:
        """m, root circle."""
        return self.r_p - (self.dedendum - self.x) * self.m_n

    @property
    def p_b(self) -> float:
        """m, transverse base pitch."""
        return math.pi * self.m_t * math.cos(self.alpha_t)

    @property
    def half_tooth(self) -> float:
        """rad, half the angle of a tooth where its flanks begin, on the base circle."""
        thickness = 0.5 * math.pi + 2.0 * self.x * math.tan(self.alpha_n)
        return thickness / self.z + involute(self.alpha_t)

    @property
    def least_shift(self) -> float:
        """Shift below which the rack cuts into the involute."""
        height = min(self.addendum, self.dedendum)
        return height - 0.5 * self.z * math.sin(self.alpha_t) ** 2 / math.cos(self.beta)

    @property
    def is_undercut(self) -> bool:
        """Whether the rack has cut into the involute."""
        return self.x < self.least_shift

    @property
    def tooth_mass(self) -> float:
        """kg, of one tooth beyond the root circle."""
        r = np.linspace(self.r_d, self.r_a, 65)
        thick = np.array([self.thickness(max(one, self.r_b)) for one in r])
        area = 0.5 * np.sum((thick[1:] + thick[:-1]) * np.diff(r))
        return float(self.density * self.width * area)

    @property
    def disc_inertia(self) -> float:
        """kg m², of a solid disc with the pitch circle."""
        return 0.5 * math.pi * self.density * self.width * self.r_p**4

    def thickness(self, r: float) -> float:
        """m, transverse, of a tooth at the radius `r`, along the arc; negative beyond its point.

        Raises
        ------
        ValueError
            For a radius within the base circle.
        """
        radius = in_range("r", r, self.r_b * (1.0 - 1e-12))
        alpha = math.acos(min(1.0, self.r_b / radius))
        return 2.0 * radius * (self.half_tooth - involute(alpha))

    def flank(self, points: int = 12) -> Array:
        """(points, 2) m, transverse section of the left flank of a tooth about the x axis.

        From the base circle, or the root circle where it is outside, to the tip.

        Raises
        ------
        ValueError
            For fewer than 2 points.
        """
        whole("points", points, 2)
        r = np.linspace(max(self.r_b, self.r_d), self.r_a, points)
        alpha = np.arccos(np.minimum(1.0, self.r_b / r))
        angle = self.half_tooth - (np.tan(alpha) - alpha)
        return np.column_stack([r * np.cos(angle), r * np.sin(angle)])

    def outline(self, points: int = 5, phase: float = 0.0) -> Array:
        """(n, 2) m, corners of the transverse section, anticlockwise, for pictures.

        Parameters
        ----------
        points : int
            Of a flank.
        phase : float
            rad, middle of tooth 0 from the x axis.

        Raises
        ------
        ValueError
            For fewer than 2 points.
        """
        left = self.flank(points)
        tooth = left
        if self.r_d < self.r_b:  # below the involute straight to the root circle
            tooth = np.vstack([self.r_d / self.r_b * left[:1], left])
        tooth = np.vstack([tooth * (1.0, -1.0), tooth[::-1]])
        angles = phase + 2.0 * math.pi * np.arange(self.z) / self.z
        c, s = np.cos(angles), np.sin(angles)
        turns = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)
        return np.asarray(np.einsum("kij,nj->kni", turns, tooth).reshape(-1, 2))

    def contour(self, thinning: float = 0.0) -> GearTeeth:
        """Its flanks as a contour for set-valued contact of rigid teeth, tooth 0 at e_x.

        Parameters
        ----------
        thinning : float
            m; what a tooth is thinner at the reference circle.

        Raises
        ------
        ValueError
            For a helical gear, which has no planar contour.
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
        """A gear of the same rack that meshes with this one, its helix the other way round.

        Parameters
        ----------
        z : int
        **changes
            Other fields.

        Raises
        ------
        ValueError
            As for :class:`Gear`.
        """
        given: dict[str, object] = {"z": z, "beta": -self.beta, **changes}
        return dataclasses.replace(self, **given)  # type: ignore[arg-type]
