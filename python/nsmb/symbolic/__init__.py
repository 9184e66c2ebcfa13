"""Systems from energies, gaps and slip velocities, written in SymPy and run as machine code.

See :class:`LagrangianSystem`. The module can be imported and inspected without SymPy. Using its
names then raises an ImportError that mentions the extra ``nsmb[symbolic]``.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from nsmb.common.extras import can_import as _can_import
from nsmb.common.extras import stand_ins as _stand_ins
from nsmb.symbolic import elements as elements

if _TYPE_CHECKING or _can_import("sympy"):
    from nsmb.symbolic.body_force import BodyForce as BodyForce
    from nsmb.symbolic.body_force import Places as Places
    from nsmb.symbolic.compiler import CacheWarning as CacheWarning
    from nsmb.symbolic.compiler import cache_folder as cache_folder
    from nsmb.symbolic.element import Element as Element
    from nsmb.symbolic.equations import from_equations as from_equations
    from nsmb.symbolic.lagrangian import LagrangianSystem as LagrangianSystem
    from nsmb.symbolic.mechanics import from_mechanics as from_mechanics
    from nsmb.symbolic.parts import point_contact as point_contact
    from nsmb.symbolic.symbols import Parameters as Parameters
    from nsmb.symbolic.symbols import coordinates as coordinates
    from nsmb.symbolic.symbols import modes as modes
    from nsmb.symbolic.symbols import parameters as parameters
    from nsmb.symbolic.symbols import rate as rate
    from nsmb.symbolic.symbols import states as states
    from nsmb.symbolic.symbols import time as time
    from nsmb.symbolic.symbols import velocities as velocities
    from nsmb.symbolic.system import SymbolicSystem as SymbolicSystem
    from nsmb.symbolic.tables import table as table

__all__ = [
    "BodyForce",
    "CacheWarning",
    "Element",
    "LagrangianSystem",
    "Parameters",
    "Places",
    "SymbolicSystem",
    "cache_folder",
    "coordinates",
    "elements",
    "from_equations",
    "from_mechanics",
    "modes",
    "parameters",
    "point_contact",
    "rate",
    "states",
    "table",
    "time",
    "velocities",
]

if not _TYPE_CHECKING and not _can_import("sympy"):  # its names can still be inspected
    _names = [name for name in __all__ if name != "elements"]
    globals().update(_stand_ins(__name__, _names, "sympy", "symbolic"))
