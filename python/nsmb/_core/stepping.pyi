from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb._core.complementarity import FrictionMethod, SparseFrictionMethod
from nsmb._core.contact_laws import ImpactLaw
from nsmb._core.simulation import Simulation
from nsmb._core.system import System

class SteppingScheme:
    Midpoint: ClassVar[SteppingScheme]
    Hybrid: ClassVar[SteppingScheme]
    EulerPosition: ClassVar[SteppingScheme]
    Rk4Position: ClassVar[SteppingScheme]
    Rk4Velocity: ClassVar[SteppingScheme]
    RadauPosition: ClassVar[SteppingScheme]
    RadauVelocity: ClassVar[SteppingScheme]

class RungeKuttaMethod:
    Euler: ClassVar[RungeKuttaMethod]
    Rk4: ClassVar[RungeKuttaMethod]
    Radau: ClassVar[RungeKuttaMethod]

class RungeKuttaTableau:
    def __init__(self, method: RungeKuttaMethod) -> None: ...
    @property
    def A(self) -> NDArray[np.float64]: ...
    @property
    def b(self) -> NDArray[np.float64]: ...
    @property
    def b_q(self) -> NDArray[np.float64]: ...
    @property
    def c(self) -> NDArray[np.float64]: ...
    @property
    def position_weights(self) -> NDArray[np.float64]: ...

class PlasticLock:
    @property
    def change(self) -> NDArray[np.float64]: ...
    @property
    def Lambda(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> float: ...
    @property
    def holds(self) -> bool: ...
    @property
    def certified(self) -> bool: ...

class CoupledContacts:
    def __init__(
        self,
        M: NDArray[np.float64],
        W: NDArray[np.float64],
        gamma_free: NDArray[np.float64],
        given: NDArray[np.float64],
        tangents: Sequence[int],
        mu: NDArray[np.float64],
    ) -> None: ...
    def are_acceptable(self, Lambda: NDArray[np.float64], gamma: NDArray[np.float64]) -> bool: ...
    def lock(self, Lambda: NDArray[np.float64]) -> PlasticLock: ...

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
        main_integrator: RungeKuttaMethod | None = ...,
        mixing: float = ...,
        max_outer: int = ...,
        step_log: bool = ...,
    ) -> None: ...
