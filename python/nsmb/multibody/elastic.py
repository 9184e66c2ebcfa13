"""Elastic bodies of :class:`nsmb.Model` and their shape functions."""

from nsmb.multibody.ritz import Bending as Bending
from nsmb.multibody.ritz import Torsion as Torsion
from nsmb.multibody.shape_functions import Family as Family
from nsmb.multibody.shape_functions import ShapeFunctions as ShapeFunctions
from nsmb.multibody.shape_functions import sines as sines
from nsmb.multibody.shape_functions import splines as splines

__all__ = ["Bending", "Family", "ShapeFunctions", "Torsion", "sines", "splines"]
