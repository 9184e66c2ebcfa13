"""Machine elements with memory and states, for systems from energies and for bodies.

Each is a :class:`nsmb.symbolic.Element`. Pass it in ``elements=`` of :class:`LagrangianSystem`,
:func:`from_equations` or :class:`BodyForce`.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from nsmb.common.extras import can_import as _can_import
from nsmb.common.extras import stand_ins as _stand_ins

if _TYPE_CHECKING or _can_import("sympy"):
    from nsmb.symbolic.elements.gas import air_cushion as air_cushion
    from nsmb.symbolic.elements.gas import gas_spring as gas_spring
    from nsmb.symbolic.elements.hysteresis import hysteresis as hysteresis
    from nsmb.symbolic.elements.mesh import backlash as backlash
    from nsmb.symbolic.elements.mesh import helical_mesh as helical_mesh
    from nsmb.symbolic.elements.mesh import line_of_action as line_of_action
    from nsmb.symbolic.elements.penalty import penalty_contact as penalty_contact
    from nsmb.symbolic.elements.penalty import penalty_stiffness as penalty_stiffness
    from nsmb.symbolic.elements.penalty import regularised_friction as regularised_friction
    from nsmb.symbolic.elements.supports import bearing as bearing
    from nsmb.symbolic.elements.tyre import slip_curve as slip_curve
    from nsmb.symbolic.elements.tyre import tyre as tyre

__all__ = [
    "air_cushion",
    "backlash",
    "bearing",
    "gas_spring",
    "helical_mesh",
    "hysteresis",
    "line_of_action",
    "penalty_contact",
    "penalty_stiffness",
    "regularised_friction",
    "slip_curve",
    "tyre",
]

if not _TYPE_CHECKING and not _can_import("sympy"):
    globals().update(_stand_ins(__name__, __all__, "sympy", "symbolic"))
