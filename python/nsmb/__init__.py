"""nsmb: non-smooth multibody dynamics.

Exact event-driven simulation of mechanical systems with unilateral contacts, impacts and dry
friction. Start with ``nsmb.simulate(nsmb.systems.woodpecker(), t_end=2.0)``.
"""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

try:
    from nsmb import _core as _core
except ImportError as error:  # pragma: no cover - only without a build
    raise ImportError(
        "nsmb's compiled core cannot be loaded; install the package with `pip install .` "
        f"instead of importing it from the source tree ({error})"
    ) from error

from nsmb import contours as contours
from nsmb import friction as friction
from nsmb import lcp as lcp
from nsmb import mcp as mcp
from nsmb import systems as systems
from nsmb.accelerations import Accelerations as Accelerations
from nsmb.accelerations import accelerations as accelerations
from nsmb.callback_system import CallbackSystem as CallbackSystem
from nsmb.checks import SolutionCheck as SolutionCheck
from nsmb.checks import Violation as Violation
from nsmb.consistent import consistent_state as consistent_state
from nsmb.contact_equations import ContactEquations as ContactEquations
from nsmb.contact_problem import ContactForces as ContactForces
from nsmb.contact_problem import ContactProblem as ContactProblem
from nsmb.contact_problem import FrictionBounds as FrictionBounds
from nsmb.contact_problem import contact_problem as contact_problem
from nsmb.contacts import CallbackConstraint as CallbackConstraint
from nsmb.contacts import CallbackContact as CallbackContact
from nsmb.contacts import CallbackFriction as CallbackFriction
from nsmb.contacts import FrictionTable as FrictionTable
from nsmb.contacts import LinearContact as LinearContact
from nsmb.contacts import LinearFriction as LinearFriction
from nsmb.contacts import Stribeck as Stribeck
from nsmb.contacts import UnilateralContact as UnilateralContact
from nsmb.contacts import callback_stop as callback_stop
from nsmb.contacts import two_sided_stop as two_sided_stop
from nsmb.discontinuities import Repeating as Repeating
from nsmb.energy import EnergyBalance as EnergyBalance
from nsmb.enums import ContactState as ContactState
from nsmb.enums import EventKind as EventKind
from nsmb.events import EnergyTable as EnergyTable
from nsmb.events import Event as Event
from nsmb.events import Events as Events
from nsmb.forces import CallbackForceElement as CallbackForceElement
from nsmb.forces import GapForce as GapForce
from nsmb.forces import LinearForceElement as LinearForceElement
from nsmb.impact import Impact as Impact
from nsmb.impact import impact as impact
from nsmb.least_constraint import LeastConstraint as LeastConstraint
from nsmb.least_constraint import ReducedEquations as ReducedEquations
from nsmb.least_constraint import least_constraint as least_constraint
from nsmb.least_constraint import reduced_equations as reduced_equations
from nsmb.multibody import ForceTable as ForceTable
from nsmb.multibody import Frame as Frame
from nsmb.multibody import Model as Model
from nsmb.multibody import ModelWarning as ModelWarning
from nsmb.multibody import MultibodySystem as MultibodySystem
from nsmb.multibody import joints as joints
from nsmb.options import Compression as Compression
from nsmb.options import EventDriven as EventDriven
from nsmb.options import Recommended as Recommended
from nsmb.scene import ContactFrame as ContactFrame
from nsmb.scene import Scene as Scene
from nsmb.scene import SceneItem as SceneItem
from nsmb.sensitivity import Sensitivity as Sensitivity
from nsmb.sensitivity import SensitivityNote as SensitivityNote
from nsmb.simulate import EnergyBalanceWarning as EnergyBalanceWarning
from nsmb.simulate import EnergyGainWarning as EnergyGainWarning
from nsmb.simulate import SimulationError as SimulationError
from nsmb.simulate import SimulationInterrupted as SimulationInterrupted
from nsmb.simulate import Simulator as Simulator
from nsmb.simulate import simulate as simulate
from nsmb.solution import Solution as Solution
from nsmb.system import Force as Force
from nsmb.system import Harmonic as Harmonic
from nsmb.system import LinearSystem as LinearSystem
from nsmb.system import Pulse as Pulse
from nsmb.system import State as State
from nsmb.system import System as System
from nsmb.viewer import view as view

if _TYPE_CHECKING:
    from nsmb import symbolic as symbolic

__version__ = _version("nsmb")


def __getattr__(name: str) -> _Any:
    """`nsmb.symbolic` is imported when it is first used: it needs SymPy."""
    if name != "symbolic":
        raise AttributeError(f"module 'nsmb' has no attribute {name!r}")
    from importlib import import_module

    return import_module("nsmb.symbolic")


__all__ = [
    "Accelerations",
    "CallbackConstraint",
    "CallbackContact",
    "CallbackForceElement",
    "CallbackFriction",
    "CallbackSystem",
    "Compression",
    "ContactEquations",
    "ContactForces",
    "ContactFrame",
    "ContactProblem",
    "ContactState",
    "EnergyBalance",
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "EnergyTable",
    "Event",
    "EventDriven",
    "EventKind",
    "Events",
    "Force",
    "ForceTable",
    "Frame",
    "FrictionBounds",
    "FrictionTable",
    "GapForce",
    "Harmonic",
    "Impact",
    "LeastConstraint",
    "LinearContact",
    "LinearForceElement",
    "LinearFriction",
    "LinearSystem",
    "Model",
    "ModelWarning",
    "MultibodySystem",
    "Pulse",
    "Recommended",
    "ReducedEquations",
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
    "Stribeck",
    "System",
    "UnilateralContact",
    "Violation",
    "accelerations",
    "callback_stop",
    "consistent_state",
    "contact_problem",
    "contours",
    "friction",
    "impact",
    "joints",
    "lcp",
    "least_constraint",
    "mcp",
    "reduced_equations",
    "simulate",
    "systems",
    "two_sided_stop",
    "view",
]
