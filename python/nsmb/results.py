"""Classes of the results of systems and runs, for annotations and `isinstance`.

Users create none of these objects except `Recommended`, which sets the default method and end time
for runs of a system.
"""

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.events import Event as Event
from nsmb.events import EventInstant as EventInstant
from nsmb.events import Events as Events
from nsmb.events.energy_table import EnergyTable as EnergyTable
from nsmb.events.enums import StepStatus as StepStatus
from nsmb.solution.bodies import Bodies as Bodies
from nsmb.solution.bodies import BodyHistory as BodyHistory
from nsmb.solution.body_energy import BodyEnergy as BodyEnergy
from nsmb.solution.checks import SolutionCheck as SolutionCheck
from nsmb.solution.checks import Violation as Violation
from nsmb.solution.contact_points import ContactPoints as ContactPoints
from nsmb.solution.contacts import ContactHistory as ContactHistory
from nsmb.solution.contacts import Contacts as Contacts
from nsmb.solution.elements import ElementHistory as ElementHistory
from nsmb.solution.elements import Elements as Elements
from nsmb.solution.energy import EnergyBalance as EnergyBalance
from nsmb.solution.energy_parts import EnergyPart as EnergyPart
from nsmb.solution.energy_parts import EnergyParts as EnergyParts
from nsmb.solution.joints import JointHistory as JointHistory
from nsmb.solution.joints import Joints as Joints
from nsmb.solution.sample import Sample as Sample
from nsmb.solution.sensitivity import Sensitivity as Sensitivity
from nsmb.solution.sensitivity import SensitivityNote as SensitivityNote
from nsmb.system.options import Compression as Compression
from nsmb.system.parameter_table import ParameterTable as ParameterTable
from nsmb.system.recommended import Recommended as Recommended

__all__ = [
    "Bodies",
    "BodyEnergy",
    "BodyHistory",
    "Compression",
    "ContactHistory",
    "ContactPoints",
    "Contacts",
    "ElementHistory",
    "Elements",
    "EnergyBalance",
    "EnergyPart",
    "EnergyParts",
    "EnergyTable",
    "Event",
    "EventInstant",
    "Events",
    "JointHistory",
    "Joints",
    "ParameterTable",
    "Recommended",
    "Sample",
    "Sensitivity",
    "SensitivityNote",
    "SolutionCheck",
    "StepStatus",
    "Violation",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    raise _unknown_attribute(__name__, name, __all__)
