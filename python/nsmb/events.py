"""Events of a run (`event_table`), its cycles (`cycle`) and the energy of its impacts."""

from nsmb.cycle import Cycle as Cycle
from nsmb.cycle import last_cycle as last_cycle
from nsmb.energy_table import EnergyTable as EnergyTable
from nsmb.event_table import Event as Event
from nsmb.event_table import Events as Events

__all__ = ["Cycle", "EnergyTable", "Event", "Events", "last_cycle"]
