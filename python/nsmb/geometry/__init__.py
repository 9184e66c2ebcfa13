"""Geometry of bodies for contact: contours in the plane, shapes in space.

A body is on the left of each of its contours. Each shape has its own frame, whose position on a
body is given when it is attached. Equation numbers: Pfeiffer & Glocker, section 4.3.
"""

import typing as _typing

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.common.frames import Frame as Frame
from nsmb.geometry.contours.base import Contour as Contour
from nsmb.geometry.contours.base import ContourPoint as ContourPoint
from nsmb.geometry.contours.curves import Arc as Arc
from nsmb.geometry.contours.curves import Circle as Circle
from nsmb.geometry.contours.curves import ContactPoint as ContactPoint
from nsmb.geometry.contours.curves import Ellipse as Ellipse
from nsmb.geometry.contours.curves import Line as Line
from nsmb.geometry.contours.curves import Parabola as Parabola
from nsmb.geometry.contours.curves import Point as Point
from nsmb.geometry.contours.curves import Segment as Segment
from nsmb.geometry.contours.curves import Spline as Spline
from nsmb.geometry.contours.curves import UserCurve as UserCurve
from nsmb.geometry.contours.curves import find_contacts as find_contacts
from nsmb.geometry.contours.gear_mesh import GearMesh as GearMesh
from nsmb.geometry.contours.involutes import GearTeeth as GearTeeth
from nsmb.geometry.contours.involutes import Involute as Involute
from nsmb.geometry.contours.polygons import OrientationWarning as OrientationWarning
from nsmb.geometry.contours.polygons import Polygon as Polygon
from nsmb.geometry.contours.polygons import Polyline as Polyline
from nsmb.geometry.shapes.base import MassProperties as MassProperties
from nsmb.geometry.shapes.base import Shape as Shape
from nsmb.geometry.shapes.crossing import MeshCrossing as MeshCrossing
from nsmb.geometry.shapes.crossing import mesh_crossing as mesh_crossing
from nsmb.geometry.shapes.hull import ConvexHull as ConvexHull
from nsmb.geometry.shapes.mesh_makers import box_mesh as box_mesh
from nsmb.geometry.shapes.mesh_makers import sphere_mesh as sphere_mesh
from nsmb.geometry.shapes.mesh_makers import tube_mesh as tube_mesh
from nsmb.geometry.shapes.simple import Box as Box
from nsmb.geometry.shapes.simple import Capsule as Capsule
from nsmb.geometry.shapes.simple import Cylinder as Cylinder
from nsmb.geometry.shapes.simple import HalfSpace as HalfSpace
from nsmb.geometry.shapes.simple import Sphere as Sphere
from nsmb.geometry.shapes.triangles import HeightField as HeightField
from nsmb.geometry.shapes.triangles import TriangleMesh as TriangleMesh

__all__ = [
    "Arc",
    "Box",
    "Capsule",
    "Circle",
    "ContactPoint",
    "Contour",
    "ContourPoint",
    "ConvexHull",
    "Cylinder",
    "Ellipse",
    "Frame",
    "GearMesh",
    "GearTeeth",
    "HalfSpace",
    "HeightField",
    "Involute",
    "Line",
    "MassProperties",
    "MeshCrossing",
    "OrientationWarning",
    "Parabola",
    "Point",
    "Polygon",
    "Polyline",
    "Segment",
    "Shape",
    "Sphere",
    "Spline",
    "TriangleMesh",
    "UserCurve",
    "box_mesh",
    "find_contacts",
    "mesh_crossing",
    "sphere_mesh",
    "tube_mesh",
]

if not _typing.TYPE_CHECKING:  # type checkers report names that do not exist

    def __getattr__(name: str) -> _typing.Any:
        raise _unknown_attribute(__name__, name, __all__)
