"""Ready-made systems, each with the data of its source.

Each system has a builder with keyword parameters: ``woodpecker(mu=0.9)``. Parameters that are not
given have the values of the source. A builder has these attributes:

- ``dominoes.speed(n=20)``, ``synchroniser.positions(sol)``: functions that evaluate the system or
  its runs, listed by ``help(dominoes)``,
- ``dominoes.parameters``, ``dominoes.parameter_sets``: the data,
- ``dominoes.recommended``: default method and end time of a run.

To add a system, add a file with a function decorated with `nsmb.parametric` to one of the folders.
A system is imported on first access.
"""

import typing as _typing
from typing import Any

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.system import System, registry, unknown_name

if _typing.TYPE_CHECKING:
    from nsmb.systems.benchmarks.ball_on_table import ball_on_table as ball_on_table
    from nsmb.systems.benchmarks.belt_oscillator import belt_oscillator as belt_oscillator
    from nsmb.systems.benchmarks.bouncing_ball import bouncing_ball as bouncing_ball
    from nsmb.systems.benchmarks.impact_oscillator import impact_oscillator as impact_oscillator
    from nsmb.systems.flexible.block_leaving_foundation import (
        block_leaving_foundation as block_leaving_foundation,
    )
    from nsmb.systems.flexible.constrained_block import constrained_block as constrained_block
    from nsmb.systems.flexible.elastic_block_on_arc import (
        elastic_block_on_arc as elastic_block_on_arc,
    )
    from nsmb.systems.flexible.elastic_discs import elastic_discs as elastic_discs
    from nsmb.systems.flexible.flexible_slider_crank import (
        flexible_slider_crank as flexible_slider_crank,
    )
    from nsmb.systems.flexible.helical_spring import helical_spring as helical_spring
    from nsmb.systems.flexible.impacting_bar import impacting_bar as impacting_bar
    from nsmb.systems.flexible.impacting_beam import impacting_beam as impacting_beam
    from nsmb.systems.flexible.sphere_on_beam import sphere_on_beam as sphere_on_beam
    from nsmb.systems.flexible.spin_up_beam import spin_up_beam as spin_up_beam
    from nsmb.systems.flexible.two_beams_and_sphere import (
        two_beams_and_sphere as two_beams_and_sphere,
    )
    from nsmb.systems.gears.car_gearbox import car_gearbox as car_gearbox
    from nsmb.systems.gears.gear_rattling import gear_rattling as gear_rattling
    from nsmb.systems.gears.gearbox import gearbox_branched as gearbox_branched
    from nsmb.systems.gears.gearbox import gearbox_two_stage as gearbox_two_stage
    from nsmb.systems.gears.gearbox_run_up import gearbox_run_up as gearbox_run_up
    from nsmb.systems.gears.involute_pair import involute_pair as involute_pair
    from nsmb.systems.gears.involute_rattle import involute_rattle as involute_rattle
    from nsmb.systems.gears.rattling_rig import rattling_rig as rattling_rig
    from nsmb.systems.gears.ship_turning_gear import ship_turning_gear as ship_turning_gear
    from nsmb.systems.gears.spur_gears import spur_gears as spur_gears
    from nsmb.systems.gears.spur_gears_with_backlash import (
        spur_gears_with_backlash as spur_gears_with_backlash,
    )
    from nsmb.systems.gears.synchroniser import synchroniser as synchroniser
    from nsmb.systems.gears.timing_gears import timing_gears as timing_gears
    from nsmb.systems.machines.blade_damper import blade_damper as blade_damper
    from nsmb.systems.machines.blade_damper_blocked import (
        blade_damper_blocked as blade_damper_blocked,
    )
    from nsmb.systems.machines.clutch_judder import clutch_judder as clutch_judder
    from nsmb.systems.machines.electric_brush import electric_brush as electric_brush
    from nsmb.systems.machines.hammer_drill import hammer_drill as hammer_drill
    from nsmb.systems.machines.landing_gear import landing_gear as landing_gear
    from nsmb.systems.machines.oblique_oscillator import oblique_oscillator as oblique_oscillator
    from nsmb.systems.machines.peg_in_hole import peg_in_hole as peg_in_hole
    from nsmb.systems.machines.peg_in_hole_robot import peg_in_hole_robot as peg_in_hole_robot
    from nsmb.systems.machines.percussion_drill import percussion_drill as percussion_drill
    from nsmb.systems.machines.ring_in_hole import ring_in_hole as ring_in_hole
    from nsmb.systems.machines.slider_crank import slider_crank as slider_crank
    from nsmb.systems.machines.turbo_generator import turbo_generator as turbo_generator
    from nsmb.systems.machines.woodpecker import woodpecker as woodpecker
    from nsmb.systems.machines.woodpecker_4dof import woodpecker_4dof as woodpecker_4dof
    from nsmb.systems.space.box_pyramid import box_pyramid as box_pyramid
    from nsmb.systems.space.chain_on_floor import chain_on_floor as chain_on_floor
    from nsmb.systems.space.dominoes import dominoes as dominoes
    from nsmb.systems.space.euler_disk import euler_disk as euler_disk
    from nsmb.systems.space.masonry_arch import masonry_arch as masonry_arch
    from nsmb.systems.space.newtons_cradle import newtons_cradle as newtons_cradle
    from nsmb.systems.space.rocking_block import rocking_block as rocking_block
    from nsmb.systems.space.rolling_ball import rolling_ball as rolling_ball
    from nsmb.systems.space.sphere_pile import sphere_pile as sphere_pile
    from nsmb.systems.space.tippe_top import tippe_top as tippe_top
    from nsmb.systems.space.wall import wall as wall
    from nsmb.systems.theory.impact_pendulum import impact_pendulum as impact_pendulum
    from nsmb.systems.theory.incline_block import incline_block as incline_block
    from nsmb.systems.theory.mass_tower import mass_tower as mass_tower
    from nsmb.systems.theory.pantograph import pantograph as pantograph
    from nsmb.systems.theory.parabola_on_line import parabola_on_line as parabola_on_line
    from nsmb.systems.theory.parabola_on_line import (
        parabola_on_line_bodies as parabola_on_line_bodies,
    )
    from nsmb.systems.theory.rocking_rod import rocking_rod as rocking_rod
    from nsmb.systems.theory.rod_on_obstacles import rod_on_obstacles as rod_on_obstacles
    from nsmb.systems.theory.sliding_rod import sliding_rod as sliding_rod
    from nsmb.systems.theory.spring_damper_wall import spring_damper_wall as spring_damper_wall
    from nsmb.systems.theory.stacked_masses import (
        stacked_masses_horizontal as stacked_masses_horizontal,
    )
    from nsmb.systems.theory.stacked_masses import (
        stacked_masses_vertical as stacked_masses_vertical,
    )
    from nsmb.systems.theory.stick_slip_oscillator import (
        stick_slip_oscillator as stick_slip_oscillator,
    )
    from nsmb.systems.theory.superball import superball as superball
    from nsmb.systems.theory.toppling_blocks import toppling_blocks as toppling_blocks
    from nsmb.systems.theory.two_masses import two_balls as two_balls
    from nsmb.systems.theory.two_masses import two_point_masses as two_point_masses

_catalogue = registry.catalogue(__name__)


def names() -> tuple[str, ...]:
    """Return the names of all ready-made systems."""
    return registry.names(__name__ + ".")


def build(name: str, **parameters: float | str) -> System:
    """Build a ready-made system by name.

    Raises
    ------
    ValueError
        If the name or a parameter is unknown.
    """
    if name not in names():
        raise unknown_name("system", name, names())
    system: System = registry.build(name, **parameters)
    return system


def topics() -> dict[str, dict[str, str]]:
    """Return one line about each ready-made system, by topic and name.

    Examples
    --------
    >>> import nsmb
    >>> list(nsmb.systems.topics())[-1]
    'Benchmarks: oscillators with orbits and stability borders in closed form.'
    """
    return {
        title: {entry.name: entry.summary for entry in entries}
        for title, entries in _catalogue.topics().items()
    }


def _list_topics() -> str:
    """Return the list of builders by topic, for ``help(nsmb.systems)``."""
    lines = []
    for title, summaries in topics().items():
        lines += ["", title, ""]
        lines += [f"- {name}: {summary}" for name, summary in summaries.items()]
    return "\n".join(lines) + "\n"


__doc__ += _list_topics()
__all__ = ["build", "names", "topics"]
__all__ += names()

if not _typing.TYPE_CHECKING:  # type checkers report names that do not exist

    def __getattr__(name: str) -> Any:
        if _catalogue.home(name) is None:
            raise _unknown_attribute(__name__, name, __all__)
        value = registry.builder(name)
        globals()[name] = value  # cache the builder
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
