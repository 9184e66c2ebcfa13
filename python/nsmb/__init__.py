"""nsmb: non-smooth multibody dynamics.

Exact event-driven simulation of mechanical systems with unilateral contacts, impacts and dry
friction. Start with ``nsmb.simulate(nsmb.systems.woodpecker(), t_end=2.0)``.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

try:
    from nsmb import _core as _core
except ImportError as error:  # pragma: no cover - only without a build
    raise ImportError(
        "nsmb's compiled core cannot be loaded; install the package with `pip install .` "
        f"instead of importing it from the source tree ({error})"
    ) from error

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.common.labels import Labels as Labels
from nsmb.events import At as At
from nsmb.events import EnergyTable as EnergyTable
from nsmb.events import Event as Event
from nsmb.events import EventInstant as EventInstant
from nsmb.events import Events as Events
from nsmb.events import When as When
from nsmb.events.enums import ContactState as ContactState
from nsmb.events.enums import EventKind as EventKind
from nsmb.events.enums import StepStatus as StepStatus
from nsmb.pictures.scene import ContactFrame as ContactFrame
from nsmb.pictures.scene import Scene as Scene
from nsmb.pictures.scene import SceneItem as SceneItem
from nsmb.pictures.vtk import write_vtk as write_vtk
from nsmb.simulation.recording import to_hdf5 as to_hdf5
from nsmb.simulation.run_results import SimulationError as SimulationError
from nsmb.simulation.run_results import SimulationInterrupted as SimulationInterrupted
from nsmb.simulation.simulate import EnergyBalanceWarning as EnergyBalanceWarning
from nsmb.simulation.simulate import EnergyGainWarning as EnergyGainWarning
from nsmb.simulation.simulate import simulate as simulate
from nsmb.simulation.simulator import Simulator as Simulator
from nsmb.solution.body_energy import BodyEnergy as BodyEnergy
from nsmb.solution.checks import SolutionCheck as SolutionCheck
from nsmb.solution.checks import Violation as Violation
from nsmb.solution.energy import EnergyBalance as EnergyBalance
from nsmb.solution.sensitivity import Sensitivity as Sensitivity
from nsmb.solution.sensitivity import SensitivityNote as SensitivityNote
from nsmb.solution.solution import Solution as Solution
from nsmb.solution.solution import join as join
from nsmb.system import Force as Force
from nsmb.system import Harmonic as Harmonic
from nsmb.system import LinearStates as LinearStates
from nsmb.system import LinearSystem as LinearSystem
from nsmb.system import Pulse as Pulse
from nsmb.system import State as State
from nsmb.system import System as System
from nsmb.system import registry as _registry
from nsmb.system.callback import CallbackSystem as CallbackSystem
from nsmb.system.catalogue import Catalogue as _Catalogue
from nsmb.system.contact_laws import ContactLaw as ContactLaw
from nsmb.system.contact_laws import FrictionTable as FrictionTable
from nsmb.system.contact_laws import Stribeck as Stribeck
from nsmb.system.contacts import Constraint as Constraint
from nsmb.system.contacts import Contact as Contact
from nsmb.system.contacts import Friction as Friction
from nsmb.system.contacts import two_sided_stop as two_sided_stop
from nsmb.system.discontinuities import Repeating as Repeating
from nsmb.system.forces import ForceElement as ForceElement
from nsmb.system.forces import GapForce as GapForce
from nsmb.system.inputs import Input as Input
from nsmb.system.options import Compression as Compression
from nsmb.system.options import EventDriven as EventDriven
from nsmb.system.parameter_table import ParameterTable as ParameterTable
from nsmb.system.parametric import Parameters as Parameters
from nsmb.system.parametric import parameter as parameter
from nsmb.system.parametric import parametric as parametric
from nsmb.system.recommended import Recommended as Recommended
from nsmb.system.stepping_options import Hybrid as Hybrid
from nsmb.system.stepping_options import Midpoint as Midpoint
from nsmb.system.stepping_options import PositionForces as PositionForces
from nsmb.system.stepping_options import VelocityForces as VelocityForces

if _TYPE_CHECKING:
    from nsmb import analysis as analysis
    from nsmb import complementarity as complementarity
    from nsmb import flexible as flexible
    from nsmb import gears as gears
    from nsmb import geometry as geometry
    from nsmb import instant as instant
    from nsmb import plotting as plotting
    from nsmb import symbolic as symbolic
    from nsmb import systems as systems
    from nsmb import testing as testing
    from nsmb.explorer.system_view import SystemExplorer as SystemExplorer
    from nsmb.explorer.system_view import explore as explore
    from nsmb.flexible.flexible_body import FlexibleBody as FlexibleBody
    from nsmb.multibody import ArealContact as ArealContact
    from nsmb.multibody import ElasticLayer as ElasticLayer
    from nsmb.multibody import ElasticSurface as ElasticSurface
    from nsmb.multibody import ForceInput as ForceInput
    from nsmb.multibody import ForceTable as ForceTable
    from nsmb.multibody import Frame as Frame
    from nsmb.multibody import Model as Model
    from nsmb.multibody import ModelWarning as ModelWarning
    from nsmb.multibody import MultibodySystem as MultibodySystem
    from nsmb.multibody import UserForce as UserForce
    from nsmb.multibody import elastic as elastic
    from nsmb.multibody import joints as joints
    from nsmb.viewer import view as view

    __version__: str

_WHEN_ASKED_FOR = {  # what takes time to import, or needs SymPy
    "nsmb": (
        "analysis",
        "complementarity",
        "flexible",
        "gears",
        "instant",
        "geometry",
        "plotting",
        "symbolic",
        "systems",
        "testing",
    ),
    "nsmb.explorer.system_view": ("SystemExplorer", "explore"),
    "nsmb.flexible.flexible_body": ("FlexibleBody",),
    "nsmb.multibody": (
        "ArealContact",
        "ElasticLayer",
        "ElasticSurface",
        "ForceInput",
        "ForceTable",
        "Frame",
        "Model",
        "ModelWarning",
        "MultibodySystem",
        "UserForce",
        "elastic",
        "joints",
    ),
    "nsmb.viewer": ("view",),
}
_HOMES = {name: home for home, names in _WHEN_ASKED_FOR.items() for name in names}
_NAMESPACES = ("instant", "geometry", "complementarity", "gears", "systems", "analysis")


# Ready-made systems are known by name before they are imported.
_registry.add_catalogue(_Catalogue("nsmb.systems", [f"{place}/systems" for place in __path__]))


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("nsmb")
    if name not in _HOMES:
        raise _unknown_attribute("nsmb", name, __dir__(), _find_home(name))
    home = _HOMES[name]
    value = (
        _import_module(f"nsmb.{name}") if home == "nsmb" else getattr(_import_module(home), name)
    )
    globals()[name] = value  # not asked again
    return value


def _find_home(name: str) -> str:
    """Full name of what a namespace of the package has under that name; empty if none has it."""
    for home in () if name.startswith("_") else _NAMESPACES:
        try:
            module = _import_module(f"nsmb.{home}")
        except ImportError:  # without an extra
            continue
        if name in module.__all__:
            return f"nsmb.{home}.{name}"
    return ""


def __dir__() -> list[str]:
    return sorted({*__all__, *_HOMES, "__version__"})


__all__ = [
    "ArealContact",
    "At",
    "BodyEnergy",
    "CallbackSystem",
    "Compression",
    "Constraint",
    "Contact",
    "ContactFrame",
    "ContactLaw",
    "ContactState",
    "ElasticLayer",
    "ElasticSurface",
    "EnergyBalance",
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "EnergyTable",
    "Event",
    "EventDriven",
    "EventInstant",
    "EventKind",
    "Events",
    "FlexibleBody",
    "Force",
    "ForceElement",
    "ForceTable",
    "Frame",
    "Friction",
    "FrictionTable",
    "GapForce",
    "Harmonic",
    "Hybrid",
    "Input",
    "Labels",
    "LinearStates",
    "LinearSystem",
    "Midpoint",
    "Model",
    "ModelWarning",
    "MultibodySystem",
    "ParameterTable",
    "Parameters",
    "PositionForces",
    "Pulse",
    "Recommended",
    "Repeating",
    "Scene",
    "SceneItem",
    "Sensitivity",
    "SensitivityNote",
    "SimulationError",
    "SimulationInterrupted",
    "Simulator",
    "Solution",
    "SolutionCheck",
    "State",
    "StepStatus",
    "Stribeck",
    "System",
    "SystemExplorer",
    "VelocityForces",
    "Violation",
    "When",
    "complementarity",
    "elastic",
    "explore",
    "flexible",
    "gears",
    "geometry",
    "instant",
    "join",
    "joints",
    "parameter",
    "parametric",
    "simulate",
    "systems",
    "to_hdf5",
    "two_sided_stop",
    "view",
]
