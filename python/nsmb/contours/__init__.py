"""Contours of bodies for planar contact: curves, polygons, points.

The body is on the left of each contour. Equations: Pfeiffer & Glocker, section 4.3.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.contours.base import Contour as Contour
from nsmb.contours.base import ContourPoint as ContourPoint
from nsmb.contours.curves import Arc as Arc
from nsmb.contours.curves import Circle as Circle
from nsmb.contours.curves import ContactPoint as ContactPoint
from nsmb.contours.curves import Ellipse as Ellipse
from nsmb.contours.curves import Line as Line
from nsmb.contours.curves import Parabola as Parabola
from nsmb.contours.curves import Point as Point
from nsmb.contours.curves import Segment as Segment
from nsmb.contours.curves import Spline as Spline
from nsmb.contours.curves import UserCurve as UserCurve
from nsmb.contours.curves import find_contacts as find_contacts
from nsmb.contours.gear_mesh import GearMesh as GearMesh
from nsmb.contours.involutes import GearTeeth as GearTeeth
from nsmb.contours.involutes import Involute as Involute
from nsmb.contours.polygons import OrientationWarning as OrientationWarning
from nsmb.contours.polygons import Polygon as Polygon
from nsmb.contours.polygons import Polyline as Polyline

__all__ = [
    "Arc",
    "Circle",
    "ContactPoint",
    "Contour",
    "ContourPoint",
    "Ellipse",
    "GearMesh",
    "GearTeeth",
    "Involute",
    "Line",
    "OrientationWarning",
    "Parabola",
    "Point",
    "Polygon",
    "Polyline",
    "Segment",
    "Spline",
    "UserCurve",
    "find_contacts",
]

if not _TYPE_CHECKING:  # checkers are to know what there is not

    def __getattr__(name: str) -> _Any:
        raise _unknown_attribute(__name__, name, __all__)
