"""Ready-made systems, each with the data of its source.

Every function takes parameters by name, ``woodpecker(mu=0.9)``; what is not given has the value
of the source. ``system.parameters`` shows them, ``system.parameter_info`` their units, and
``system.recommended`` the impact law of the source and how long a run tells something.

A file with a function under `nsmb.parametric` in one of the folders is all it takes to add one.
A system is imported when it is asked for, not before.
"""

from collections.abc import Mapping
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.system import System, registry, unknown_name
from nsmb.system.recommended import Recommended

if _TYPE_CHECKING:
    from nsmb.systems import rattling_theory
    from nsmb.systems.flexible.block_leaving_foundation import block_leaving_foundation
    from nsmb.systems.flexible.constrained_block import constrained_block
    from nsmb.systems.flexible.elastic_block_on_arc import elastic_block_on_arc
    from nsmb.systems.flexible.elastic_discs import elastic_discs
    from nsmb.systems.flexible.flexible_slider_crank import flexible_slider_crank
    from nsmb.systems.flexible.helical_spring import helical_spring, helical_spring_stiffness
    from nsmb.systems.flexible.impacting_bar import impacting_bar, impacting_bar_duration
    from nsmb.systems.flexible.impacting_beam import impacting_beam
    from nsmb.systems.flexible.sphere_on_beam import sphere_on_beam
    from nsmb.systems.flexible.spin_up_beam import spin_up_beam, spin_up_beam_stretch
    from nsmb.systems.flexible.two_beams_and_sphere import two_beams_and_sphere
    from nsmb.systems.gears.car_gearbox import (
        car_gearbox,
        car_gearbox_ratio,
        car_gearbox_speeds,
    )
    from nsmb.systems.gears.gear_rattling import gear_rattling
    from nsmb.systems.gears.gear_rattling_map import GearRattlingMap
    from nsmb.systems.gears.gear_train import DriveWheel, GearTrain, LooseWheel, gearbox
    from nsmb.systems.gears.gearbox import gearbox_branched, gearbox_two_stage
    from nsmb.systems.gears.gearbox_noise import RunUpNoise, gearbox_run_up_noise
    from nsmb.systems.gears.gearbox_run_up import gearbox_entrance, gearbox_run_up
    from nsmb.systems.gears.involute_pair import involute_pair
    from nsmb.systems.gears.involute_rattle import involute_rattle
    from nsmb.systems.gears.rattling_rig import RigMotions, rattling_rig, rattling_rig_motions
    from nsmb.systems.gears.ship_turning_gear import (
        ship_turning_gear,
        ship_turning_gear_amplitudes,
        ship_turning_gear_folds,
        ship_turning_gear_stiffness,
    )
    from nsmb.systems.gears.spur_gears import spur_gears
    from nsmb.systems.gears.spur_gears_with_backlash import spur_gears_with_backlash
    from nsmb.systems.gears.synchroniser import synchroniser
    from nsmb.systems.gears.synchroniser_results import (
        LockingPosition,
        synchroniser_positions,
        synchroniser_safety,
        synchroniser_torques,
        synchroniser_unlocking,
    )
    from nsmb.systems.gears.timing_gears import (
        timing_gears,
        timing_gears_loads,
        timing_gears_torque,
    )
    from nsmb.systems.machines.blade_damper import blade_damper
    from nsmb.systems.machines.blade_damper_blocked import (
        BlockedResponse,
        blade_damper_blocked,
        blade_damper_response,
    )
    from nsmb.systems.machines.cam_contour import CamContour
    from nsmb.systems.machines.clutch_judder import clutch_judder
    from nsmb.systems.machines.clutch_results import (
        clutch_judder_acceleration,
        clutch_judder_frozen,
        clutch_judder_reversals,
        clutch_judder_train,
    )
    from nsmb.systems.machines.electric_brush import electric_brush
    from nsmb.systems.machines.hammer_drill import (
        hammer_drill,
        hammer_drill_acceleration,
        hammer_drill_air,
        hammer_drill_material,
    )
    from nsmb.systems.machines.landing_gear import landing_gear
    from nsmb.systems.machines.landing_gear_evaluation import (
        LandingGearForces,
        landing_gear_airframe,
        landing_gear_forces,
    )
    from nsmb.systems.machines.oblique_oscillator import oblique_oscillator
    from nsmb.systems.machines.peg_in_hole import peg_in_hole
    from nsmb.systems.machines.peg_in_hole_robot import (
        peg_in_hole_robot,
        peg_in_hole_robot_force,
        peg_in_hole_robot_inside,
        peg_in_hole_robot_peak,
        peg_in_hole_robot_pose,
        peg_in_hole_robot_statics,
        peg_in_hole_robot_torque,
    )
    from nsmb.systems.machines.percussion_drill import (
        percussion_drill,
        percussion_drill_cams,
        percussion_drill_hits,
        percussion_drill_removal,
        percussion_drill_vibration,
    )
    from nsmb.systems.machines.ring_in_hole import (
        ring_in_hole,
        ring_in_hole_deviation,
        ring_in_hole_force,
        ring_in_hole_load,
    )
    from nsmb.systems.machines.slider_crank import slider_crank
    from nsmb.systems.machines.turbo_generator import turbo_generator
    from nsmb.systems.machines.turbo_generator_evaluation import (
        TurboGeneratorLoads,
        TurboGeneratorPowers,
        turbo_generator_currents,
        turbo_generator_loads,
        turbo_generator_powers,
    )
    from nsmb.systems.machines.woodpecker import woodpecker, woodpecker_symbolic
    from nsmb.systems.machines.woodpecker_4dof import woodpecker_4dof
    from nsmb.systems.space.box_pyramid import box_pyramid
    from nsmb.systems.space.chain_on_floor import chain_on_floor
    from nsmb.systems.space.dominoes import dominoes, dominoes_speed, dominoes_times
    from nsmb.systems.space.euler_disk import euler_disk, euler_disk_precession
    from nsmb.systems.space.masonry_arch import masonry_arch, masonry_arch_thickness
    from nsmb.systems.space.newtons_cradle import newtons_cradle, newtons_cradle_velocities
    from nsmb.systems.space.rocking_block import (
        rocking_block,
        rocking_block_energy_ratio,
        rocking_block_friction,
    )
    from nsmb.systems.space.rolling_ball import rolling_ball, rolling_ball_circle
    from nsmb.systems.space.sphere_pile import sphere_pile
    from nsmb.systems.space.tippe_top import tippe_top, tippe_top_jellett, tippe_top_turns_over
    from nsmb.systems.space.wall import wall
    from nsmb.systems.theory.impact_pendulum import impact_pendulum
    from nsmb.systems.theory.incline_block import incline_block
    from nsmb.systems.theory.mass_tower import mass_tower
    from nsmb.systems.theory.pantograph import pantograph
    from nsmb.systems.theory.parabola_on_line import parabola_on_line, parabola_on_line_bodies
    from nsmb.systems.theory.rocking_rod import rocking_rod
    from nsmb.systems.theory.rod_on_obstacles import rod_on_obstacles
    from nsmb.systems.theory.sliding_rod import sliding_rod
    from nsmb.systems.theory.spring_damper_wall import spring_damper_wall
    from nsmb.systems.theory.stacked_masses import (
        stacked_masses_horizontal,
        stacked_masses_vertical,
    )
    from nsmb.systems.theory.stick_slip_oscillator import stick_slip_oscillator
    from nsmb.systems.theory.superball import superball
    from nsmb.systems.theory.toppling_blocks import toppling_blocks
    from nsmb.systems.theory.two_masses import two_balls, two_point_masses
    from nsmb.systems.yardsticks.ball_on_table import (
        BallOnTableBorders,
        BallOnTableOrbit,
        ball_on_table,
        ball_on_table_borders,
        ball_on_table_orbits,
    )
    from nsmb.systems.yardsticks.belt_oscillator import (
        BeltCycle,
        BeltSliding,
        belt_oscillator,
        belt_oscillator_cycle,
        belt_oscillator_sliding,
    )
    from nsmb.systems.yardsticks.bouncing_ball import bouncing_ball
    from nsmb.systems.yardsticks.impact_oscillator import (
        ImpactOscillatorBorders,
        ImpactOscillatorOrbit,
        impact_oscillator,
        impact_oscillator_borders,
        impact_oscillator_orbits,
    )

_WHEN_ASKED_FOR = {  # names that are not found as systems, by module
    ".rattling_theory": ("rattling_theory",),
    ".flexible.helical_spring": ("helical_spring_stiffness",),
    ".flexible.impacting_bar": ("impacting_bar_duration",),
    ".flexible.spin_up_beam": ("spin_up_beam_stretch",),
    ".gears.car_gearbox": ("car_gearbox_ratio", "car_gearbox_speeds"),
    ".gears.gear_rattling_map": ("GearRattlingMap",),
    ".gears.gear_train": ("DriveWheel", "GearTrain", "LooseWheel", "gearbox"),
    ".gears.gearbox_noise": ("RunUpNoise", "gearbox_run_up_noise"),
    ".gears.gearbox_run_up": ("gearbox_entrance",),
    ".gears.rattling_rig": ("RigMotions", "rattling_rig_motions"),
    ".gears.ship_turning_gear": (
        "ship_turning_gear_amplitudes", "ship_turning_gear_folds", "ship_turning_gear_stiffness"
    ),
    ".gears.synchroniser_results": (
        "LockingPosition", "synchroniser_positions", "synchroniser_safety",
        "synchroniser_torques", "synchroniser_unlocking"
    ),
    ".gears.timing_gears": ("timing_gears_loads", "timing_gears_torque"),
    ".machines.blade_damper_blocked": ("BlockedResponse", "blade_damper_response"),
    ".machines.cam_contour": ("CamContour",),
    ".machines.clutch_results": (
        "clutch_judder_acceleration", "clutch_judder_frozen", "clutch_judder_reversals",
        "clutch_judder_train"
    ),
    ".machines.hammer_drill": (
        "hammer_drill_acceleration", "hammer_drill_air", "hammer_drill_material"
    ),
    ".machines.landing_gear_evaluation": (
        "LandingGearForces", "landing_gear_airframe", "landing_gear_forces"
    ),
    ".machines.peg_in_hole_robot": (
        "peg_in_hole_robot_force", "peg_in_hole_robot_inside", "peg_in_hole_robot_peak",
        "peg_in_hole_robot_pose", "peg_in_hole_robot_statics", "peg_in_hole_robot_torque"
    ),
    ".machines.percussion_drill": (
        "percussion_drill_cams", "percussion_drill_hits", "percussion_drill_removal",
        "percussion_drill_vibration"
    ),
    ".machines.ring_in_hole": ("ring_in_hole_deviation", "ring_in_hole_force", "ring_in_hole_load"),
    ".machines.turbo_generator_evaluation": (
        "TurboGeneratorLoads", "TurboGeneratorPowers", "turbo_generator_currents",
        "turbo_generator_loads", "turbo_generator_powers"
    ),
    ".machines.woodpecker": ("woodpecker_symbolic",),
    ".space.dominoes": ("dominoes_speed", "dominoes_times"),
    ".space.euler_disk": ("euler_disk_precession",),
    ".space.masonry_arch": ("masonry_arch_thickness",),
    ".space.newtons_cradle": ("newtons_cradle_velocities",),
    ".space.rocking_block": ("rocking_block_energy_ratio", "rocking_block_friction"),
    ".space.rolling_ball": ("rolling_ball_circle",),
    ".space.tippe_top": ("tippe_top_jellett", "tippe_top_turns_over"),
    ".yardsticks.ball_on_table": (
        "BallOnTableBorders", "BallOnTableOrbit", "ball_on_table_borders", "ball_on_table_orbits"
    ),
    ".yardsticks.belt_oscillator": (
        "BeltCycle", "BeltSliding", "belt_oscillator_cycle", "belt_oscillator_sliding"
    ),
    ".yardsticks.impact_oscillator": (
        "ImpactOscillatorBorders", "ImpactOscillatorOrbit", "impact_oscillator_borders",
        "impact_oscillator_orbits"
    ),
}  # fmt: skip
_HOMES = {name: home for home, names in _WHEN_ASKED_FOR.items() for name in names}

_catalogue = registry.catalogue(__name__)

__all__ = [
    "BallOnTableBorders",
    "BallOnTableOrbit",
    "BeltCycle",
    "BeltSliding",
    "BlockedResponse",
    "CamContour",
    "DriveWheel",
    "GearRattlingMap",
    "GearTrain",
    "ImpactOscillatorBorders",
    "ImpactOscillatorOrbit",
    "LandingGearForces",
    "LockingPosition",
    "LooseWheel",
    "RigMotions",
    "RunUpNoise",
    "TurboGeneratorLoads",
    "TurboGeneratorPowers",
    "ball_on_table",
    "ball_on_table_borders",
    "ball_on_table_orbits",
    "belt_oscillator",
    "belt_oscillator_cycle",
    "belt_oscillator_sliding",
    "blade_damper",
    "blade_damper_blocked",
    "blade_damper_response",
    "block_leaving_foundation",
    "bouncing_ball",
    "box_pyramid",
    "build",
    "car_gearbox",
    "car_gearbox_ratio",
    "car_gearbox_speeds",
    "chain_on_floor",
    "clutch_judder",
    "clutch_judder_acceleration",
    "clutch_judder_frozen",
    "clutch_judder_reversals",
    "clutch_judder_train",
    "constrained_block",
    "describe",
    "dominoes",
    "dominoes_speed",
    "dominoes_times",
    "elastic_block_on_arc",
    "elastic_discs",
    "electric_brush",
    "euler_disk",
    "euler_disk_precession",
    "flexible_slider_crank",
    "gear_rattling",
    "gearbox",
    "gearbox_branched",
    "gearbox_entrance",
    "gearbox_run_up",
    "gearbox_run_up_noise",
    "gearbox_two_stage",
    "hammer_drill",
    "hammer_drill_acceleration",
    "hammer_drill_air",
    "hammer_drill_material",
    "helical_spring",
    "helical_spring_stiffness",
    "impact_oscillator",
    "impact_oscillator_borders",
    "impact_oscillator_orbits",
    "impact_pendulum",
    "impacting_bar",
    "impacting_bar_duration",
    "impacting_beam",
    "incline_block",
    "involute_pair",
    "involute_rattle",
    "landing_gear",
    "landing_gear_airframe",
    "landing_gear_forces",
    "masonry_arch",
    "masonry_arch_thickness",
    "mass_tower",
    "names",
    "newtons_cradle",
    "newtons_cradle_velocities",
    "oblique_oscillator",
    "pantograph",
    "parabola_on_line",
    "parabola_on_line_bodies",
    "parameter_sets",
    "peg_in_hole",
    "peg_in_hole_robot",
    "peg_in_hole_robot_force",
    "peg_in_hole_robot_inside",
    "peg_in_hole_robot_peak",
    "peg_in_hole_robot_pose",
    "peg_in_hole_robot_statics",
    "peg_in_hole_robot_torque",
    "percussion_drill",
    "percussion_drill_cams",
    "percussion_drill_hits",
    "percussion_drill_removal",
    "percussion_drill_vibration",
    "rattling_rig",
    "rattling_rig_motions",
    "rattling_theory",
    "recommended",
    "ring_in_hole",
    "ring_in_hole_deviation",
    "ring_in_hole_force",
    "ring_in_hole_load",
    "rocking_block",
    "rocking_block_energy_ratio",
    "rocking_block_friction",
    "rocking_rod",
    "rod_on_obstacles",
    "rolling_ball",
    "rolling_ball_circle",
    "ship_turning_gear",
    "ship_turning_gear_amplitudes",
    "ship_turning_gear_folds",
    "ship_turning_gear_stiffness",
    "slider_crank",
    "sliding_rod",
    "sphere_on_beam",
    "sphere_pile",
    "spin_up_beam",
    "spin_up_beam_stretch",
    "spring_damper_wall",
    "spur_gears",
    "spur_gears_with_backlash",
    "stacked_masses_horizontal",
    "stacked_masses_vertical",
    "stick_slip_oscillator",
    "superball",
    "synchroniser",
    "synchroniser_positions",
    "synchroniser_safety",
    "synchroniser_torques",
    "synchroniser_unlocking",
    "timing_gears",
    "timing_gears_loads",
    "timing_gears_torque",
    "tippe_top",
    "tippe_top_jellett",
    "tippe_top_turns_over",
    "topics",
    "toppling_blocks",
    "turbo_generator",
    "turbo_generator_currents",
    "turbo_generator_loads",
    "turbo_generator_powers",
    "two_balls",
    "two_beams_and_sphere",
    "two_point_masses",
    "wall",
    "woodpecker",
    "woodpecker_4dof",
    "woodpecker_symbolic",
]


def names() -> tuple[str, ...]:
    """Names of all ready-made systems."""
    return registry.names(__name__ + ".")


def build(name: str, **parameters: float | str) -> System:
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
    return _catalogue.entry(_known(name)).summary


def topics() -> dict[str, tuple[str, ...]]:
    """Names of the ready-made systems by topic."""
    return {
        title: tuple(entry.name for entry in entries)
        for title, entries in _catalogue.topics().items()
    }


def recommended(name: str) -> Recommended:
    """How the ready-made system of that name is run unless told otherwise, with its own data."""
    usual: Recommended = _builder(name).recommended
    return usual


def parameter_sets(name: str) -> Mapping[str, Mapping[str, float | str]]:
    """Named parameter sets of the ready-made system of that name.

    A set holds the values that differ from the defaults. The gallery page of the system shows the
    statements of its source that hold with each set.

    Raises
    ------
    ValueError
        For an unknown name.

    Examples
    --------
    >>> import nsmb
    >>> second = nsmb.systems.parameter_sets("elastic_block_on_arc")["second_run"]
    >>> dict(second)
    {'mu': 0.2}
    >>> nsmb.systems.elastic_block_on_arc(**second).parameters["mu"]
    0.2
    """
    sets: Mapping[str, Mapping[str, float | str]] = _builder(name).parameter_sets
    return sets


def _builder(name: str) -> Any:
    return registry.builder(_known(name))


def _known(name: str) -> str:
    if name not in names():
        raise unknown_name("system", name, names())
    return name


__all__ += [name for name in names() if name not in __all__]

if not _TYPE_CHECKING:  # checkers are to know what there is not

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            home = _import_module(f"{__name__}{_HOMES[name]}")
            value = home if home.__name__ == f"{__name__}.{name}" else getattr(home, name)
        elif _catalogue.home(name) is not None:
            value = registry.builder(name)
        else:
            raise _unknown_attribute(__name__, name, __all__)
        globals()[name] = value  # not asked again
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
