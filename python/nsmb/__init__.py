"""nsmb: non-smooth multibody dynamics.

Simulate mechanical systems with unilateral contacts, impacts and dry friction accurately and fast::

    import nsmb

    sol = nsmb.simulate(nsmb.systems.woodpecker(), t_end=2.0)
    sol.plot()
    sol.contacts["beak"].lambda_N

Describe a system
    `Model`: bodies, joints (`nsmb.joints`), contours and shapes (`nsmb.geometry`), gears
    (`nsmb.gears`), flexible bodies (`nsmb.flexible`), forces (`UserForce`, `ForceTable`).
    `LinearSystem`: a system defined by its matrices. `CallbackSystem`: by Python functions.
    `nsmb.symbolic.LagrangianSystem`: by its energies.
    `Contact`, `Friction`, `Constraint`, `ForceElement`, with `ContactLaw`, `Stribeck`, `GapForce`,
    `two_sided_stop`: contacts, constraints and forces of these three kinds of system.
    `nsmb.systems`: ready-made systems. `parametric`: your own system with named parameters.

Simulate the system
    `simulate(system, t_end)`: a run from start to end. `Simulator`: an interactive run in slices,
    with values for each `Input`.
    `EventDriven`, `Midpoint`, `Hybrid`, `PositionForces`, `VelocityForces`: simulation methods.
    `When`, `At`: user-defined events. `to_hdf5`, `join`: recording and joining of long runs.

Read the result
    `Solution`: ``sol["lift"]``, ``sol.contacts[name]``, ``sol.bodies[name]``, ``sol.joints[name]``,
    ``sol.elements[name]``, ``sol.events``, ``sol.energy``, ``sol.check()``, ``sol.plot()``,
    ``sol.animate()``. `ContactState`, `EventKind`: meaning of the codes.
    `nsmb.results`: the classes of results, for annotations.
    `view`, `explore`: interactive views in the browser and in notebooks. `nsmb.plotting`: further
    figures.

Go further
    `nsmb.analysis`: periodic orbits, stability, bifurcations, basins of attraction.
    `nsmb.instant`: evaluation of a system at one instant. `nsmb.complementarity`: complementarity
    problems and their solvers. `nsmb.testing`: assertions for tests.

Each name has its own help, for example ``help(nsmb.simulate)``.
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
from nsmb.events import At as At
from nsmb.events import When as When
from nsmb.events.enums import ContactState as ContactState
from nsmb.events.enums import EventKind as EventKind
from nsmb.simulation.recording import to_hdf5 as to_hdf5
from nsmb.simulation.run_results import SimulationError as SimulationError
from nsmb.simulation.run_results import SimulationInterrupted as SimulationInterrupted
from nsmb.simulation.simulate import EnergyBalanceWarning as EnergyBalanceWarning
from nsmb.simulation.simulate import EnergyGainWarning as EnergyGainWarning
from nsmb.simulation.simulate import simulate as simulate
from nsmb.simulation.simulator import Simulator as Simulator
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
from nsmb.system.options import EventDriven as EventDriven
from nsmb.system.parametric import Parameters as Parameters
from nsmb.system.parametric import parameter as parameter
from nsmb.system.parametric import parametric as parametric
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
    from nsmb import results as results
    from nsmb import symbolic as symbolic
    from nsmb import systems as systems
    from nsmb import testing as testing
    from nsmb.explorer.system_view import explore as explore
    from nsmb.multibody import ForceInput as ForceInput
    from nsmb.multibody import ForceTable as ForceTable
    from nsmb.multibody import Model as Model
    from nsmb.multibody import ModelWarning as ModelWarning
    from nsmb.multibody import MultibodySystem as MultibodySystem
    from nsmb.multibody import UserForce as UserForce
    from nsmb.multibody import joints as joints
    from nsmb.viewer import view as view

    __version__: str

_WHEN_ASKED_FOR = {  # imported on first use: slow to import, or dependent on SymPy
    "nsmb": (
        "analysis",
        "complementarity",
        "flexible",
        "gears",
        "instant",
        "geometry",
        "plotting",
        "results",
        "symbolic",
        "systems",
        "testing",
    ),
    "nsmb.explorer.system_view": ("explore",),
    "nsmb.multibody": (
        "ForceInput",
        "ForceTable",
        "Model",
        "ModelWarning",
        "MultibodySystem",
        "UserForce",
        "joints",
    ),
    "nsmb.viewer": ("view",),
}
_HOMES = {name: home for home, names in _WHEN_ASKED_FOR.items() for name in names}
_NAMESPACES = (
    "joints", "instant", "geometry", "complementarity", "gears", "flexible", "plotting", "results",
    "systems", "analysis",
)  # fmt: skip


# Ready-made systems can be looked up by name before they are imported.
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
    globals()[name] = value  # __getattr__ is not called again for this name
    return value


def _find_home(name: str) -> str:
    """Return the full name of `name` in a namespace of the package, or "" if none has it."""
    for home in () if name.startswith("_") else _NAMESPACES:
        try:
            module = __getattr__(home)
        except ImportError:  # an optional dependency is missing
            continue
        if name in module.__all__:
            return f"nsmb.{home}.{name}"
    return ""


def __dir__() -> list[str]:
    return sorted({*__all__, *_HOMES, "__version__"})


__all__ = [
    "At",
    "CallbackSystem",
    "Constraint",
    "Contact",
    "ContactLaw",
    "ContactState",
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "EventDriven",
    "EventKind",
    "Force",
    "ForceElement",
    "ForceTable",
    "Friction",
    "FrictionTable",
    "GapForce",
    "Harmonic",
    "Hybrid",
    "Input",
    "LinearStates",
    "LinearSystem",
    "Midpoint",
    "Model",
    "ModelWarning",
    "MultibodySystem",
    "Parameters",
    "PositionForces",
    "Pulse",
    "Repeating",
    "SimulationError",
    "SimulationInterrupted",
    "Simulator",
    "Solution",
    "State",
    "Stribeck",
    "System",
    "VelocityForces",
    "When",
    "complementarity",
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
