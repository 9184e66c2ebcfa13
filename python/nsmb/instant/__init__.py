"""One instant of a system: accelerations, impact, contact problem, constraints.

Most functions take a system and a state. `reduced_equations` and `least_constraint` take matrices.
"""

import typing as _typing

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.instant.accelerations import Accelerations as Accelerations
from nsmb.instant.accelerations import AccelerationSolution as AccelerationSolution
from nsmb.instant.accelerations import accelerations as accelerations
from nsmb.instant.admissible import random_start as random_start
from nsmb.instant.consistent import consistent_state as consistent_state
from nsmb.instant.contact_equations import ContactEquations as ContactEquations
from nsmb.instant.contact_problem import ContactForces as ContactForces
from nsmb.instant.contact_problem import ContactProblem as ContactProblem
from nsmb.instant.contact_problem import FrictionBounds as FrictionBounds
from nsmb.instant.contact_problem import contact_problem as contact_problem
from nsmb.instant.impact import Impact as Impact
from nsmb.instant.impact import impact as impact
from nsmb.instant.least_constraint import LeastConstraint as LeastConstraint
from nsmb.instant.least_constraint import ReducedEquations as ReducedEquations
from nsmb.instant.least_constraint import least_constraint as least_constraint
from nsmb.instant.least_constraint import reduced_equations as reduced_equations

__all__ = [
    "AccelerationSolution",
    "Accelerations",
    "ContactEquations",
    "ContactForces",
    "ContactProblem",
    "FrictionBounds",
    "Impact",
    "LeastConstraint",
    "ReducedEquations",
    "accelerations",
    "consistent_state",
    "contact_problem",
    "impact",
    "least_constraint",
    "random_start",
    "reduced_equations",
]

if not _typing.TYPE_CHECKING:  # type checkers report names that do not exist

    def __getattr__(name: str) -> _typing.Any:
        raise _unknown_attribute(__name__, name, __all__)
