from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

class UnilateralContact:
    def __init__(self, mu: float, e_N: float, e_T: float, nu: float) -> None: ...
    @property
    def mu(self) -> float: ...
    @property
    def e_N(self) -> float: ...
    @property
    def e_T(self) -> float: ...
    @property
    def nu(self) -> float: ...

class ContactDescription:
    def __init__(self, name: str, law: UnilateralContact) -> None: ...

class HarmonicForce:
    def __init__(self, cosine: Array, sine: Array, omega: float) -> None: ...

class LinearForce:
    def __init__(
        self,
        constant: Array,
        ramp: Array,
        harmonics: Sequence[HarmonicForce],
        user: Callable[[float], ArrayLike] | None,
    ) -> None: ...

class LinearContact:
    def __init__(
        self,
        name: str,
        w_N: Array,
        w_T: Array,
        gap: float,
        w_tilde_N: float,
        w_tilde_T: float,
        law: UnilateralContact,
    ) -> None: ...

class System:
    @property
    def nq(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def nc(self) -> int: ...
    @property
    def is_linear(self) -> bool: ...
    def mass_matrix(self, t: float, q: Array) -> Array: ...
    def forces(self, t: float, q: Array, u: Array) -> Array: ...
    def coordinate_rates(self, t: float, q: Array, u: Array) -> Array: ...
    def contact_kinematics(self, t: float, q: Array, u: Array) -> dict[str, Array]: ...
    def potential_energy(self, t: float, q: Array) -> float: ...

class LinearSystem(System):
    def __init__(
        self,
        coordinates: Sequence[str],
        M: Array,
        K: Array,
        D: Array,
        force: LinearForce,
        contacts: Sequence[LinearContact],
    ) -> None: ...

class CallbackSystem(System):
    def __init__(
        self,
        coordinates: Sequence[str],
        nu: int,
        contact_descriptions: Sequence[ContactDescription],
        mass_matrix: Callable[[float, Array], Array],
        forces: Callable[[float, Array, Array], Array],
        contacts: Callable[[float, Array, Array], tuple[Array, ...]],
        coordinate_rates: Callable[[float, Array, Array], Array] | None = None,
        potential_energy: Callable[[float, Array], float] | None = None,
        constant_mass_matrix: bool = False,
    ) -> None: ...
