"""Systems: `base_system`, what all of them share, and `linear_system`, those given by matrices."""

from nsmb.arguments import unknown_name as unknown_name
from nsmb.base_system import ParameterInfo as ParameterInfo
from nsmb.base_system import State as State
from nsmb.base_system import System as System
from nsmb.linear_system import Force as Force
from nsmb.linear_system import Harmonic as Harmonic
from nsmb.linear_system import LinearSystem as LinearSystem
from nsmb.linear_system import Pulse as Pulse

__all__ = ["Force", "Harmonic", "LinearSystem", "ParameterInfo", "Pulse", "State", "System"]
