"""Descriptions of systems: the base class (`base`) and systems defined by matrices (`linear`)."""

from nsmb.common.arguments import unknown_name as unknown_name
from nsmb.system.base import ParameterInfo as ParameterInfo
from nsmb.system.base import State as State
from nsmb.system.base import System as System
from nsmb.system.builder import Builder as Builder
from nsmb.system.linear import Force as Force
from nsmb.system.linear import Harmonic as Harmonic
from nsmb.system.linear import LinearStates as LinearStates
from nsmb.system.linear import LinearSystem as LinearSystem
from nsmb.system.linear import Pulse as Pulse

__all__ = [
    "Builder",
    "Force",
    "Harmonic",
    "LinearStates",
    "LinearSystem",
    "ParameterInfo",
    "Pulse",
    "State",
    "System",
]
