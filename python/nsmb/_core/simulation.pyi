from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb._core.complementarity import FrictionMethod
from nsmb._core.contact_laws import ImpactLaw
from nsmb._core.system import ElementMode, System

Array = NDArray[np.float64]
Expansion = Callable[
    [Array, Array, Array, Array, Array, Array, Array, Array], tuple[Array, Array, Array, Array]
]

class OnInconsistent:
    Stop: ClassVar[OnInconsistent]
    Impact: ClassVar[OnInconsistent]

class Simulation:
    def reset(self, t: float, q: Array, u: Array, x: Array = ...) -> None: ...
    def resume(
        self,
        t: float,
        q: Array,
        u: Array,
        x: Array,
        states: Sequence[int],
        modes: Sequence[int],
        slots: Sequence[Sequence[float]],
    ) -> None: ...
    def set_output_step(self, step: float) -> None: ...
    def set_output_times(self, times: Sequence[float]) -> None: ...
    def watch(self, events: list[tuple[Any, ...]]) -> None: ...
    def advance(
        self,
        t_end: float,
        one_event: bool = False,
        monitor: Callable[[float], object] | None = None,
    ) -> str: ...
    def iterate(
        self,
        *,
        count: int,
        t_max: float,
        period: float = 0.0,
        t_0: float = 0.0,
        kind: int = -1,
        contact: int = -1,
        keep: bool = False,
        monitor: Callable[[float], object] | None = None,
    ) -> dict[str, Any]: ...
    def crossings(
        self, *, component: int, value: float, direction: int, t_last: float
    ) -> dict[str, NDArray[np.float64]]: ...
    inputs: Array
    def take_over(self, before: Simulation) -> None: ...
    def begin_as(self, other: Simulation) -> None: ...
    @property
    def event_count(self) -> int: ...
    @property
    def sample_count(self) -> int: ...
    def forget(self) -> None: ...
    def record(
        self, every: int, keeps_events: bool, sink: Callable[..., object] | None = None
    ) -> None: ...
    def pass_on(self) -> None: ...
    def follow_derivative(self, shifts: Sequence[tuple[System, System, float]]) -> None: ...
    @property
    def variation(self) -> dict[str, NDArray[Any]] | None: ...
    @property
    def t(self) -> float: ...
    @property
    def y(self) -> Array: ...
    @property
    def contact_state(self) -> NDArray[np.int8]: ...
    @property
    def element_mode(self) -> NDArray[np.int8]: ...
    @property
    def part_count(self) -> int: ...
    @property
    def kept_states(self) -> tuple[int, int]: ...
    @property
    def status(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def statistics(self) -> dict[str, Any]: ...
    def events_from(self, first: int) -> dict[str, NDArray[Any]]: ...
    def last_sample(self, name: str) -> NDArray[Any]: ...
    @property
    def is_paused(self) -> bool: ...
    @property
    def is_undecided(self) -> bool: ...
    def trajectory(self) -> dict[str, NDArray[Any]]: ...
    @property
    def sizes(self) -> dict[str, Any]: ...

class EventDriven(Simulation):
    def __init__(
        self,
        system: System,
        *,
        integrator: str = "auto",
        rtol: float = ...,
        atol: Array | None = None,
        max_step: float = ...,
        impact_law: ImpactLaw = ...,
        gap_tolerance: float = ...,
        rest_velocity: float = ...,
        start_tolerance: float = ...,
        max_events: int = ...,
        max_events_per_instant: int = ...,
        dense_output: bool = ...,
        max_memory: float = ...,
        on_inconsistent: OnInconsistent = ...,
        check_uniqueness: bool = ...,
        expansion: Expansion | None = None,
        solver: FrictionMethod = ...,
        facets: int = ...,
        sliding_compression: bool = ...,
        divide: bool | None = ...,
        step_log: bool = ...,
    ) -> None: ...

def trajectory_columns() -> list[tuple[str, str, str]]: ...
def satisfy_constraints(system: System, t: float, y: Array) -> tuple[bool, Array]: ...
def evaluate_energies(
    system: System, t: Array, y: Array, modes: Array, inputs: Array | None = None
) -> dict[str, Array]: ...
def delassus(system: System, t: float, y: Array) -> dict[str, Any]: ...
def solve_instant(
    system: System,
    t: float,
    y: Array,
    modes: Sequence[ElementMode],
    gap_tolerance: float,
    rest_velocity: float,
    max_size: int,
    inputs: Array | None = None,
) -> dict[str, Any]: ...
