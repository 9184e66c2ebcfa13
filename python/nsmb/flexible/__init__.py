"""Bodies that deform: from a mesh, or matrices of another program, to few shapes about a floating
frame.

Assembly is scikit-fem's, files are meshio's, linear algebra is SciPy's; what comes out,
:class:`nsmb.FlexibleBody`, needs none of them. Extra ``flexible``.
"""

from nsmb.flexible.assembly import plane as plane
from nsmb.flexible.assembly import solid as solid
from nsmb.flexible.beams import beam as beam
from nsmb.flexible.body_frames import BodyFrame as BodyFrame
from nsmb.flexible.body_frames import MeanAxes as MeanAxes
from nsmb.flexible.body_frames import NodalFrame as NodalFrame
from nsmb.flexible.body_frames import PrincipalAxes as PrincipalAxes
from nsmb.flexible.body_frames import ThreePoints as ThreePoints
from nsmb.flexible.damping import rayleigh_fit as rayleigh_fit
from nsmb.flexible.files import read_matrix as read_matrix
from nsmb.flexible.files import read_mesh as read_mesh
from nsmb.flexible.finite_elements import FiniteElements as FiniteElements
from nsmb.flexible.flexible_body import FlexibleBody as FlexibleBody
from nsmb.flexible.mass_points import Integrals as Integrals
from nsmb.flexible.mass_points import MassPoints as MassPoints
from nsmb.flexible.mesh import Mesh as Mesh
from nsmb.flexible.places import Group as Group
from nsmb.flexible.reduction import reduce as reduce
from nsmb.flexible.reduction import shape_basis as shape_basis
from nsmb.flexible.reduction import unreduced as unreduced
from nsmb.flexible.stiffening import Stiffening as Stiffening
from nsmb.flexible.surfaces import skin as skin
from nsmb.flexible.surfaces import surface as surface

__all__ = [
    "BodyFrame",
    "FiniteElements",
    "FlexibleBody",
    "Group",
    "Integrals",
    "MassPoints",
    "MeanAxes",
    "Mesh",
    "NodalFrame",
    "PrincipalAxes",
    "Stiffening",
    "ThreePoints",
    "beam",
    "plane",
    "rayleigh_fit",
    "read_matrix",
    "read_mesh",
    "reduce",
    "shape_basis",
    "skin",
    "solid",
    "surface",
    "unreduced",
]
