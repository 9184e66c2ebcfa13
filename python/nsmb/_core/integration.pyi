"""Integration of smooth initial value problems, for the motion between two events."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

class StepStatus:
    OK: ClassVar[StepStatus]
    STEP_TOO_SMALL: ClassVar[StepStatus]
    RHS_NOT_FINITE: ClassVar[StepStatus]
    SOLVER_FAILURE: ClassVar[StepStatus]

class Integrator:
    """An integrator of y' = rhs(t, y), one step at a time."""

    def __init__(
        self,
        method: str,
        rhs: Callable[[float, NDArray[np.float64]], ArrayLike],
        t: float,
        y: ArrayLike,
        rtol: float,
        atol: ArrayLike,
        jacobian: Callable[[float, NDArray[np.float64]], ArrayLike] | None = None,
        project: Callable[[float, NDArray[np.float64]], ArrayLike | None] | None = None,
        initial_step: float = 0.0,
        max_step: float = ...,
        pattern: tuple[Sequence[int], Sequence[int]] | None = None,
        linear_solver: str = "auto",
    ) -> None: ...
    def restart(self, t: float, y: ArrayLike) -> None: ...
    def set_atol(self, atol: ArrayLike) -> None: ...
    def step(self, t_stop: float) -> StepStatus: ...
    def redo(self, t_end: float) -> StepStatus: ...
    def interpolate(self, t: float) -> NDArray[np.float64]: ...
    @property
    def t_old(self) -> float: ...
    @property
    def t(self) -> float: ...
    @property
    def y(self) -> NDArray[np.float64]: ...
    @property
    def name(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def statistics(self) -> dict[str, int]: ...

def colour_columns(begin: Sequence[int], rows: Sequence[int]) -> list[int]:
    """Return the colours of the columns of a sparsity pattern with its diagonal."""

def sparse_solve(
    begin: Sequence[int], rows: Sequence[int], values: ArrayLike, b: ArrayLike
) -> tuple[bool, NDArray[np.float64], int]:
    """Return True if A is regular, x = A^-1 b, and the number of entries of the factors."""

def first_crossing(c: ArrayLike) -> float:
    """Return the first s in (0, 1] at which sum c_i s^i becomes negative, or > 1 if none."""
