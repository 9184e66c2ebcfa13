from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Contacts = tuple[Array, Array, Array, Array, Array, Array, Array, Array]
Elements = tuple[Array, Array, Array]
Constraints = tuple[Array, Array, Array, Array]

class NoValue(ValueError): ...

class FrictionCurve:
    def coefficient(self, speed: float) -> float: ...

class StribeckCurve(FrictionCurve):
    def __init__(self, mu_0: float, mu_d: float, v_s: float, delta: float, k: float) -> None: ...

class CubicCurve(FrictionCurve):
    def __init__(self, speeds: Sequence[float], coefficients: Sequence[float]) -> None: ...

class UnilateralContact:
    def __init__(
        self,
        mu: float,
        e_N: float,
        e_T: float,
        nu: float,
        aspect: float = 1.0,
        curve: FrictionCurve | None = None,
        mu_R: float = 0.0,
        mu_D: float = 0.0,
    ) -> None: ...
    @property
    def mu(self) -> float: ...
    @property
    def e_N(self) -> float: ...
    @property
    def e_T(self) -> float: ...
    @property
    def nu(self) -> float: ...

class ContactKind:
    Unilateral: ClassVar[ContactKind]
    Friction: ClassVar[ContactKind]

class ContactDescription:
    def __init__(
        self,
        name: str,
        law: UnilateralContact,
        kind: ContactKind = ...,
        tangents: int = 1,
        normal: int = -1,
        bounded: bool = True,
    ) -> None: ...
    @property
    def law(self) -> UnilateralContact: ...
    @property
    def kind(self) -> ContactKind: ...
    @property
    def normal(self) -> int: ...

class ElementLaw:
    ElasticGap: ClassVar[ElementLaw]
    GapDamper: ClassVar[ElementLaw]
    Clipped: ClassVar[ElementLaw]
    RelaxingWall: ClassVar[ElementLaw]
    Watched: ClassVar[ElementLaw]

class ElementMode:
    Open: ClassVar[ElementMode]
    Closed: ClassVar[ElementMode]

class ForceElementDescription:
    def __init__(self, name: str, law: ElementLaw, c: float, d: float) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def law(self) -> ElementLaw: ...
    @property
    def c(self) -> float: ...
    @property
    def d(self) -> float: ...
    @staticmethod
    def watched(name: str, resolution: float, state: int) -> ForceElementDescription: ...

class LinearForceElement:
    def __init__(
        self, law: ForceElementDescription, w: Array, gap: float, w_tilde: float
    ) -> None: ...

class Discontinuities:
    def __init__(
        self, times: Sequence[float], repetitions: Sequence[tuple[float, float]]
    ) -> None: ...
    def next(self, t: float) -> float: ...
    def last(self, t: float) -> float: ...

class InputDescription:
    def __init__(self, name: str, value: float) -> None: ...

class SystemDescription:
    def __init__(
        self,
        coordinates: Sequence[str],
        nu: int,
        contacts: Sequence[ContactDescription],
        states: Sequence[str],
        elements: Sequence[ForceElementDescription],
        constraints: Sequence[str] = (),
        discontinuities: Discontinuities = ...,
        inputs: Sequence[InputDescription] = (),
    ) -> None: ...

class HarmonicForce:
    def __init__(self, cosine: Array, sine: Array, omega: float) -> None: ...

class LinearForce:
    def __init__(
        self,
        constant: Array,
        ramp: Array,
        harmonics: Sequence[HarmonicForce],
        user: Callable[[float], ArrayLike] | None,
        ends: Array = ...,
        constants: Array = ...,
        ramps: Array = ...,
        inputs: Array = ...,
    ) -> None: ...

class LinearContact:
    def __init__(
        self,
        name: str,
        w_N: Array,
        w_T: Array,
        gap: float,
        w_tilde_N: float,
        w_tilde_T: Array,
        law: UnilateralContact,
        kind: ContactKind = ...,
        normal: int = -1,
        bound: float = 0.0,
    ) -> None: ...

class System:
    @property
    def nq(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def nc(self) -> int: ...
    @property
    def nt(self) -> int: ...
    @property
    def nx(self) -> int: ...
    @property
    def nx_own(self) -> int: ...
    @property
    def cliques(self) -> tuple[list[int], list[list[int]]] | None: ...
    @property
    def ne(self) -> int: ...
    @property
    def states(self) -> list[str]: ...
    @property
    def constraints(self) -> list[str]: ...
    @property
    def has_state_bounds(self) -> bool: ...
    @property
    def finds_contacts(self) -> bool: ...
    @property
    def shape_names(self) -> list[str]: ...
    @property
    def has_features(self) -> bool: ...
    @property
    def inputs(self) -> list[tuple[str, float]]: ...
    @property
    def elements(self) -> list[ForceElementDescription]: ...
    @property
    def discontinuities(self) -> Discontinuities: ...
    @property
    def tangents(self) -> list[int]: ...
    @property
    def is_linear(self) -> bool: ...
    def mass_matrix(self, t: float, q: Array, inputs: Array | None = None) -> Array: ...
    def forces(
        self, t: float, q: Array, u: Array, x: Array = ..., inputs: Array | None = None
    ) -> Array: ...
    def rate_pattern(self) -> tuple[list[int], list[int]]: ...
    def state_rates(self, t: float, q: Array, u: Array, x: Array) -> Array: ...
    def element_kinematics(self, t: float, q: Array) -> dict[str, Array]: ...
    def coordinate_rates(self, t: float, q: Array, u: Array) -> Array: ...
    def contact_kinematics(
        self,
        t: float,
        q: Array,
        u: Array,
        inputs: Array | None = None,
        x: Array | None = None,
    ) -> dict[str, Array]: ...
    def constraint_kinematics(self, t: float, q: Array, u: Array) -> dict[str, Array]: ...
    def equations(self, t: Array, y: Array) -> list[Array]: ...
    @property
    def has_jacobians(self) -> bool: ...
    def jacobians(
        self,
        t: float,
        q: Array,
        u: Array,
        x: Array,
        udot: Array,
        lambda_N: Array,
        lambda_T: Array,
        zeta: Array,
        lambda_B: Array,
        features: Array = ...,
    ) -> dict[str, Array]: ...
    def potential_energy(self, t: float, q: Array) -> float: ...

class LinearStates:
    def __init__(
        self,
        names: Sequence[str],
        A: Array,
        Q: Array,
        U: Array,
        C: Array,
        drive: LinearForce,
    ) -> None: ...

class LinearSystem(System):
    def __init__(
        self,
        coordinates: Sequence[str],
        M: Array,
        K: Array,
        D: Array,
        force: LinearForce,
        contacts: Sequence[LinearContact],
        elements: Sequence[LinearForceElement] = (),
        discontinuities: Discontinuities = ...,
        states: LinearStates = ...,
        inputs: Sequence[InputDescription] = (),
    ) -> None: ...

class CallbackSystem(System):
    def __init__(
        self,
        description: SystemDescription,
        mass_matrix: Callable[[float, Array], Array],
        forces: Callable[[float, Array, Array, Array, Array], Array],
        contacts: Callable[[float, Array, Array], Contacts],
        constraints: Callable[[float, Array, Array], Constraints] | None = None,
        state_rates: Callable[[float, Array, Array, Array, Array], Array] | None = None,
        elements: Callable[[float, Array], Elements] | None = None,
        coordinate_rates: Callable[[float, Array, Array], Array] | None = None,
        potential_energy: Callable[[float, Array], float] | None = None,
        constant_mass_matrix: bool = False,
    ) -> None: ...

class CompiledSystem(System):
    def __init__(
        self,
        description: SystemDescription,
        addresses: Mapping[str, int],
        parameters: Array,
        code: object,
        constant_mass_matrix: bool,
        constant_directions: bool,
        limits: Sequence[str] = (),
        parts: Sequence[str] = (),
    ) -> None: ...
    @property
    def constant_mass_matrix(self) -> bool: ...
    @property
    def constant_directions(self) -> bool: ...
