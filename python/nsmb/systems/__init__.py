"""Ready-made systems, each with the data of its source.

Every function takes parameters by name, ``woodpecker(mu=0.9)``; what is not given has the value
of the source. ``system.parameters`` shows them, ``system.parameter_info`` their units, and
``system.recommended`` the impact law of the source and how long a run tells something.
"""

from typing import Any

from nsmb.system import System, registry, unknown_name
from nsmb.system.options import Recommended
from nsmb.systems import rattling_theory
from nsmb.systems._ball_on_table import (
    BallOnTableBorders,
    BallOnTableOrbit,
    ball_on_table,
    ball_on_table_borders,
    ball_on_table_orbits,
)
from nsmb.systems._belt_oscillator import (
    BeltCycle,
    BeltSliding,
    belt_oscillator,
    belt_oscillator_cycle,
    belt_oscillator_sliding,
)
from nsmb.systems._bouncing_ball import bouncing_ball
from nsmb.systems._cam_contour import CamContour
from nsmb.systems._electric_brush import electric_brush
from nsmb.systems._gear_rattling import gear_rattling
from nsmb.systems._gear_rattling_map import GearRattlingMap
from nsmb.systems._gear_train import DriveWheel, GearTrain, LooseWheel, gearbox
from nsmb.systems._gearbox import gearbox_branched, gearbox_two_stage
from nsmb.systems._impact_oscillator import (
    ImpactOscillatorBorders,
    ImpactOscillatorOrbit,
    impact_oscillator,
    impact_oscillator_borders,
    impact_oscillator_orbits,
)
from nsmb.systems._impact_pendulum import impact_pendulum
from nsmb.systems._incline_block import incline_block
from nsmb.systems._mass_tower import mass_tower
from nsmb.systems._oblique_oscillator import oblique_oscillator
from nsmb.systems._pantograph import pantograph
from nsmb.systems._parabola_on_line import parabola_on_line, parabola_on_line_bodies
from nsmb.systems._peg_in_hole import peg_in_hole
from nsmb.systems._percussion_drill import (
    percussion_drill,
    percussion_drill_cams,
    percussion_drill_hits,
    percussion_drill_removal,
    percussion_drill_vibration,
)
from nsmb.systems._rocking_rod import rocking_rod
from nsmb.systems._rod_on_obstacles import rod_on_obstacles
from nsmb.systems._ship_turning_gear import (
    ship_turning_gear,
    ship_turning_gear_amplitudes,
    ship_turning_gear_folds,
    ship_turning_gear_stiffness,
)
from nsmb.systems._slider_crank import slider_crank
from nsmb.systems._sliding_rod import sliding_rod
from nsmb.systems._spring_damper_wall import spring_damper_wall
from nsmb.systems._stacked_masses import stacked_masses_horizontal, stacked_masses_vertical
from nsmb.systems._stick_slip_oscillator import stick_slip_oscillator
from nsmb.systems._superball import superball
from nsmb.systems._two_masses import two_balls, two_point_masses
from nsmb.systems._woodpecker import woodpecker, woodpecker_symbolic
from nsmb.systems._woodpecker_4dof import woodpecker_4dof

__all__ = [
    "BallOnTableBorders",
    "BallOnTableOrbit",
    "BeltCycle",
    "BeltSliding",
    "CamContour",
    "DriveWheel",
    "GearRattlingMap",
    "GearTrain",
    "ImpactOscillatorBorders",
    "ImpactOscillatorOrbit",
    "LooseWheel",
    "ball_on_table",
    "ball_on_table_borders",
    "ball_on_table_orbits",
    "belt_oscillator",
    "belt_oscillator_cycle",
    "belt_oscillator_sliding",
    "bouncing_ball",
    "build",
    "describe",
    "electric_brush",
    "gear_rattling",
    "gearbox",
    "gearbox_branched",
    "gearbox_two_stage",
    "impact_oscillator",
    "impact_oscillator_borders",
    "impact_oscillator_orbits",
    "impact_pendulum",
    "incline_block",
    "mass_tower",
    "names",
    "oblique_oscillator",
    "pantograph",
    "parabola_on_line",
    "parabola_on_line_bodies",
    "peg_in_hole",
    "percussion_drill",
    "percussion_drill_cams",
    "percussion_drill_hits",
    "percussion_drill_removal",
    "percussion_drill_vibration",
    "rattling_theory",
    "recommended",
    "rocking_rod",
    "rod_on_obstacles",
    "ship_turning_gear",
    "ship_turning_gear_amplitudes",
    "ship_turning_gear_folds",
    "ship_turning_gear_stiffness",
    "slider_crank",
    "sliding_rod",
    "spring_damper_wall",
    "stacked_masses_horizontal",
    "stacked_masses_vertical",
    "stick_slip_oscillator",
    "superball",
    "two_balls",
    "two_point_masses",
    "woodpecker",
    "woodpecker_4dof",
    "woodpecker_symbolic",
]


def names() -> tuple[str, ...]:
    """Names of all ready-made systems."""
    return registry.names(__name__ + ".")


def build(name: str, **parameters: float) -> System:
    """The ready-made system of that name.

    Raises
    ------
    ValueError
        For an unknown name or parameter.
    """
    system: System = _builder(name)(**parameters)
    return system


def describe(name: str) -> str:
    """One line about the ready-made system of that name."""
    return (_builder(name).__doc__ or "").splitlines()[0]


def recommended(name: str) -> Recommended:
    """How the ready-made system of that name is run unless told otherwise, with its own data."""
    usual: Recommended = _builder(name).recommended
    return usual


def _builder(name: str) -> Any:
    if name not in names():
        raise unknown_name("system", name, names())
    return registry.builder(name)
