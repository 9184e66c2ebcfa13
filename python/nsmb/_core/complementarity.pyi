from collections.abc import Callable
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
    ITERATION_LIMIT: ClassVar[LcpStatus]
    STALLED: ClassVar[LcpStatus]
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

# Friction discs.

class FrictionMethod:
    AUTO: ClassVar[FrictionMethod]
    NEWTON: ClassVar[FrictionMethod]
    AUGMENTED_LAGRANGIAN: ClassVar[FrictionMethod]
    GAUSS_SEIDEL: ClassVar[FrictionMethod]
    LCP: ClassVar[FrictionMethod]
    __members__: ClassVar[dict[str, FrictionMethod]]
    def __init__(self, value: int) -> None: ...
    def __int__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class FrictionDisc:
    def __init__(
        self, first: int, dim: int, normal: int, mu: float, bound: float, aspect: float
    ) -> None: ...

class FrictionRows:
    def __init__(self, normals: list[int], discs: list[FrictionDisc]) -> None: ...

class FrictionResult:
    @property
    def status(self) -> LcpStatus: ...
    @property
    def x(self) -> NDArray[np.float64]: ...
    @property
    def y(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def outer_iterations(self) -> int: ...
    @property
    def used(self) -> FrictionMethod: ...

class FrictionWorkspace:
    def __init__(self) -> None: ...

def solve_friction(
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    rows: FrictionRows,
    method: FrictionMethod = ...,
    x_start: NDArray[np.float64] | None = None,
    max_iterations: int = 0,
    accept_residual: float = 1e-10,
    scale: float = 0.0,
    r: float = 0.0,
    facets: int = 16,
    max_enumeration: int = 16,
    workspace: FrictionWorkspace | None = None,
) -> FrictionResult: ...
def friction_residual(
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    rows: FrictionRows,
    x: NDArray[np.float64],
    scale: float = 0.0,
) -> float: ...
def project_disc(
    disc: FrictionDisc, radius: float, x: NDArray[np.float64]
) -> NDArray[np.float64]: ...

# Contact problems of any size (bind_sparse_friction.cpp).

class SparseFrictionMethod:
    AUTO: ClassVar[SparseFrictionMethod]
    GAUSS_SEIDEL: ClassVar[SparseFrictionMethod]
    PROJECTED_GRADIENT: ClassVar[SparseFrictionMethod]
    ADMM: ClassVar[SparseFrictionMethod]
    NEWTON: ClassVar[SparseFrictionMethod]
    DENSE: ClassVar[SparseFrictionMethod]
    INTERIOR_POINT: ClassVar[SparseFrictionMethod]
    __members__: ClassVar[dict[str, SparseFrictionMethod]]
    def __init__(self, value: int) -> None: ...
    def __int__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class SparseFrictionStatus:
    SOLVED: ClassVar[SparseFrictionStatus]
    TIME_LIMIT: ClassVar[SparseFrictionStatus]
    ITERATION_LIMIT: ClassVar[SparseFrictionStatus]
    INACCURATE: ClassVar[SparseFrictionStatus]
    INTERRUPTED: ClassVar[SparseFrictionStatus]
    __members__: ClassVar[dict[str, SparseFrictionStatus]]
    def __init__(self, value: int) -> None: ...
    def __int__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

_SparseColumns = tuple[int, int, NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]

class SparseFrictionProblem:
    def __init__(
        self,
        M: _SparseColumns | None,
        H: _SparseColumns | None,
        f: NDArray[np.float64] | None,
        W: _SparseColumns | None,
        w: NDArray[np.float64],
        counts: NDArray[np.int32],
        numbers: NDArray[np.float64],
    ) -> None: ...

class SparseFrictionResult:
    @property
    def status(self) -> SparseFrictionStatus: ...
    @property
    def x(self) -> NDArray[np.float64]: ...
    @property
    def y(self) -> NDArray[np.float64]: ...
    @property
    def v(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def outer_iterations(self) -> int: ...
    @property
    def factorizations(self) -> int: ...
    @property
    def used(self) -> SparseFrictionMethod: ...
    @property
    def seconds(self) -> list[float]: ...

class SparseFrictionWorkspace:
    def __init__(self) -> None: ...

def solve_sparse_friction(
    problem: SparseFrictionProblem,
    method: SparseFrictionMethod = ...,
    tol: float = 1e-8,
    impulse_scale: float = 1.0,
    scale: float = 0.0,
    max_time: float = 0.0,
    max_iterations: int = 0,
    threads: int = 1,
    x_start: NDArray[np.float64] | None = None,
    workspace: SparseFrictionWorkspace | None = None,
) -> SparseFrictionResult: ...
def sparse_friction_residual(
    problem: SparseFrictionProblem,
    x: NDArray[np.float64],
    impulse_scale: float = 1.0,
    scale: float = 0.0,
) -> float: ...

# Mixed complementarity problems (bind_mcp.cpp).

class McpOptions:
    max_pivots: int
    max_crash_steps: int
    max_restarts: int
    max_proximal_steps: int
    fall_back: bool
    max_iterations: int
    accept_residual: float
    def __init__(self) -> None: ...

class McpResult:
    def __init__(self) -> None: ...
    @property
    def status(self) -> LcpStatus: ...
    @property
    def x(self) -> NDArray[np.float64]: ...
    @property
    def F(self) -> NDArray[np.float64]: ...
    @property
    def residual(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def pivots(self) -> int: ...
    @property
    def restarts(self) -> int: ...
    @property
    def evaluations(self) -> int: ...

class McpEnumerationResult:
    @property
    def first(self) -> McpResult: ...
    @property
    def solutions(self) -> list[NDArray[np.float64]]: ...
    @property
    def complete(self) -> bool: ...

class McpWorkspace:
    def __init__(self) -> None: ...

def solve_mcp(
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    options: McpOptions,
    workspace: McpWorkspace,
    result: McpResult,
    x_start: NDArray[np.float64] | None = None,
) -> None: ...
def solve_mcp_enumeration(
    A: NDArray[np.float64],
    b: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    max_pieces: int = 60000,
    accept_residual: float = 1e-9,
) -> McpEnumerationResult: ...
def count_mcp_pieces(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> float: ...
def mcp_residual(
    F: NDArray[np.float64],
    b: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    x: NDArray[np.float64],
) -> float: ...
def solve_mcp_nonlinear(
    F: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    jacobian: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    x_start: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    options: McpOptions,
) -> McpResult: ...
