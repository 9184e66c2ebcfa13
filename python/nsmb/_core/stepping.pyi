from typing import ClassVar

from nsmb._core.complementarity import FrictionMethod
from nsmb._core.contact_laws import ImpactLaw
from nsmb._core.simulation import Simulation
from nsmb._core.system import System

class SteppingScheme:
    MoreauJean: ClassVar[SteppingScheme]
    HalfExplicit: ClassVar[SteppingScheme]
    Projected: ClassVar[SteppingScheme]
    Rattle: ClassVar[SteppingScheme]
    Hybrid: ClassVar[SteppingScheme]

class OnStepFailure:
    Continue: ClassVar[OnStepFailure]
    Stop: ClassVar[OnStepFailure]

class TimeStepping(Simulation):
    def __init__(
        self,
        system: System,
        *,
        step: float,
        scheme: SteppingScheme = ...,
        theta: float = ...,
        impact_law: ImpactLaw = ...,
        tol: float = ...,
        rtol: float = ...,
        on_failure: OnStepFailure = ...,
        friction_solver: FrictionMethod = ...,
        gap_tolerance: float = ...,
        start_tolerance: float = ...,
        sleeping: bool = ...,
        dense_output: bool = ...,
        max_memory: float = ...,
    ) -> None: ...
