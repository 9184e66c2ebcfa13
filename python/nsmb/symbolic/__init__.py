"""Systems from energies, gaps and slip velocities, written with SymPy and run as machine code.

See :class:`LagrangianSystem`.
"""

from nsmb.common.extras import import_extra as _import_extra

_import_extra("sympy", "symbolic")

from nsmb.symbolic import elements as elements  # noqa: E402
from nsmb.symbolic.body_force import BodyForce as BodyForce  # noqa: E402
from nsmb.symbolic.body_force import Places as Places  # noqa: E402
from nsmb.symbolic.compiler import CacheWarning as CacheWarning  # noqa: E402
from nsmb.symbolic.compiler import cache_folder as cache_folder  # noqa: E402
from nsmb.symbolic.element import Element as Element  # noqa: E402
from nsmb.symbolic.equations import from_equations as from_equations  # noqa: E402
from nsmb.symbolic.lagrangian import LagrangianSystem as LagrangianSystem  # noqa: E402
from nsmb.symbolic.mechanics import from_mechanics as from_mechanics  # noqa: E402
from nsmb.symbolic.parts import Constraint as Constraint  # noqa: E402
from nsmb.symbolic.parts import Contact as Contact  # noqa: E402
from nsmb.symbolic.parts import ContactLaw as ContactLaw  # noqa: E402
from nsmb.symbolic.parts import ForceElement as ForceElement  # noqa: E402
from nsmb.symbolic.parts import Friction as Friction  # noqa: E402
from nsmb.symbolic.symbols import Parameters as Parameters  # noqa: E402
from nsmb.symbolic.symbols import coordinates as coordinates  # noqa: E402
from nsmb.symbolic.symbols import modes as modes  # noqa: E402
from nsmb.symbolic.symbols import parameters as parameters  # noqa: E402
from nsmb.symbolic.symbols import rate as rate  # noqa: E402
from nsmb.symbolic.symbols import states as states  # noqa: E402
from nsmb.symbolic.symbols import time as time  # noqa: E402
from nsmb.symbolic.symbols import velocities as velocities  # noqa: E402
from nsmb.symbolic.system import SymbolicSystem as SymbolicSystem  # noqa: E402
from nsmb.symbolic.tables import table as table  # noqa: E402

__all__ = [
    "BodyForce",
    "CacheWarning",
    "Constraint",
    "Contact",
    "ContactLaw",
    "Element",
    "ForceElement",
    "Friction",
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
    "rate",
    "states",
    "table",
    "time",
    "velocities",
]
