from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb._core.complementarity import FrictionMethod, SparseFrictionMethod
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
        error: NDArray[np.float64] | None = ...,
        min_step: float = ...,
        solver: FrictionMethod = ...,
        sparse_solver: SparseFrictionMethod = ...,
        max_time: float = ...,
        max_iterations: int = ...,
        threads: int = ...,
        gap_tolerance: float = ...,
        start_tolerance: float = ...,
        sleeping: bool = ...,
        dense_output: bool = ...,
        max_memory: float = ...,
    ) -> None: ...
