"""Shapes of bodies for contact in space.

Each has a frame of its own; where that is on a body is said when it is put there.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.shapes.base import MassProperties as MassProperties
from nsmb.shapes.base import Shape as Shape
from nsmb.shapes.crossing import MeshCrossing as MeshCrossing
from nsmb.shapes.crossing import mesh_crossing as mesh_crossing
from nsmb.shapes.hull import ConvexHull as ConvexHull
from nsmb.shapes.mesh_makers import box_mesh as box_mesh
from nsmb.shapes.mesh_makers import sphere_mesh as sphere_mesh
from nsmb.shapes.mesh_makers import tube_mesh as tube_mesh
from nsmb.shapes.simple import Box as Box
from nsmb.shapes.simple import Capsule as Capsule
from nsmb.shapes.simple import Cylinder as Cylinder
from nsmb.shapes.simple import HalfSpace as HalfSpace
from nsmb.shapes.simple import Sphere as Sphere
from nsmb.shapes.triangles import HeightField as HeightField
from nsmb.shapes.triangles import TriangleMesh as TriangleMesh

__all__ = [
    "Box",
    "Capsule",
    "ConvexHull",
    "Cylinder",
    "HalfSpace",
    "HeightField",
    "MassProperties",
    "MeshCrossing",
    "Shape",
    "Sphere",
    "TriangleMesh",
    "box_mesh",
    "mesh_crossing",
    "sphere_mesh",
    "tube_mesh",
]

if not _TYPE_CHECKING:  # checkers are to know what there is not

    def __getattr__(name: str) -> _Any:
        raise _unknown_attribute(__name__, name, __all__)
