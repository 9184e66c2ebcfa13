"""Events of a run (`event_table`), its cycles (`cycle`) and the energy of its impacts."""

from nsmb.events.cycle import Cycle as Cycle
from nsmb.events.cycle import last_cycle as last_cycle
from nsmb.events.energy_table import EnergyTable as EnergyTable
from nsmb.events.event_table import Event as Event
from nsmb.events.event_table import Events as Events
from nsmb.events.user_events import At as At
from nsmb.events.user_events import EventInstant as EventInstant
from nsmb.events.user_events import When as When

__all__ = [
    "At",
    "Cycle",
    "EnergyTable",
    "Event",
    "EventInstant",
    "Events",
    "When",
    "last_cycle",
]
