from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

class LcpStatus:
    NOT_RUN: ClassVar[LcpStatus]
    SOLVED: ClassVar[LcpStatus]
    RAY: ClassVar[LcpStatus]
    PIVOT_LIMIT: ClassVar[LcpStatus]
    NO_SOLUTION: ClassVar[LcpStatus]
    INACCURATE: ClassVar[LcpStatus]
    TOO_LARGE: ClassVar[LcpStatus]
    __members__: ClassVar[dict[str, LcpStatus]]
    def __init__(self, value: int) -> None: ...
    def __int__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class LcpResult:
    @property
    def status(self) -> LcpStatus: ...
    @property
    def x(self) -> NDArray[np.float64]: ...
    @property
    def y(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> float: ...
    @property
    def pivots(self) -> int: ...
    @property
    def covering_vectors(self) -> int: ...
    @property
    def certificate(self) -> NDArray[np.float64]: ...

class EnumerationResult:
    @property
    def first(self) -> LcpResult: ...
    @property
    def solutions(self) -> list[NDArray[np.float64]]: ...
    @property
    def unique(self) -> bool: ...

def solve_lemke(
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    x_start: NDArray[np.float64] | None = None,
    max_pivots: int = 0,
    max_covering_vectors: int = 8,
    accept_residual: float = 1e-9,
    prove_infeasibility: bool = True,
) -> LcpResult: ...
def solve_enumeration(
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    max_size: int = 16,
    accept_residual: float = 1e-9,
) -> EnumerationResult: ...

class LemkeSequence:
    @property
    def x(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> NDArray[np.float64]: ...
    @property
    def pivots(self) -> list[int]: ...
    @property
    def status(self) -> list[LcpStatus]: ...

def solve_lemke_sequence(
    A: NDArray[np.float64], b: NDArray[np.float64], warm_start: bool = False
) -> LemkeSequence: ...
def excluded_size(
    A: NDArray[np.float64], b: NDArray[np.float64], z: NDArray[np.float64]
) -> float: ...
def is_positive_semidefinite(A: NDArray[np.float64]) -> bool: ...
def natural_residual(
    A: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]
) -> float: ...
