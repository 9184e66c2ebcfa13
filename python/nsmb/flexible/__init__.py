"""Deformable bodies, and elastic layers on bodies.

- `Torsion`, `Bending`: shafts and beams with Ritz functions (`sines`, `splines`).
- `FlexibleBody`: a few shapes about a floating frame, from a mesh (`solid`, `plane`, `beam`) or
  from matrices of another program (`read_mesh`, `read_matrix`), reduced by `reduce`.
- `ElasticLayer`, `ElasticSurface`: for :meth:`nsmb.Model.add_elastic_foundation`.

scikit-fem assembles matrices, meshio reads files, and SciPy provides linear algebra. Ritz
functions, layers and a finished `FlexibleBody` need none of them. The extra is ``flexible``.
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
from nsmb.multibody.areal import ElasticLayer as ElasticLayer
from nsmb.multibody.areal import ElasticSurface as ElasticSurface
from nsmb.multibody.elastic import Bending as Bending
from nsmb.multibody.elastic import Family as Family
from nsmb.multibody.elastic import ShapeFunctions as ShapeFunctions
from nsmb.multibody.elastic import Torsion as Torsion
from nsmb.multibody.elastic import sines as sines
from nsmb.multibody.elastic import splines as splines

__all__ = [
    "Bending",
    "BodyFrame",
    "ElasticLayer",
    "ElasticSurface",
    "Family",
    "FiniteElements",
    "FlexibleBody",
    "Group",
    "Integrals",
    "MassPoints",
    "MeanAxes",
    "Mesh",
    "NodalFrame",
    "PrincipalAxes",
    "ShapeFunctions",
    "Stiffening",
    "ThreePoints",
    "Torsion",
    "beam",
    "plane",
    "rayleigh_fit",
    "read_matrix",
    "read_mesh",
    "reduce",
    "shape_basis",
    "sines",
    "skin",
    "solid",
    "splines",
    "surface",
    "unreduced",
]
