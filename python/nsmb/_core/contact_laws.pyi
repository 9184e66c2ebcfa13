from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core.system import UnilateralContact

Array = NDArray[np.float64]

class ImpactLaw:
    Poisson: ImpactLaw
    Newton: ImpactLaw

class ContactRole:
    Absent: ContactRole
    Candidate: ContactRole
    SlidesPositive: ContactRole
    SlidesNegative: ContactRole
    Frictionless: ContactRole

def solve_impact(
    G: Array,
    gamma_N: Array,
    gamma_T: Array,
    laws: Sequence[UnilateralContact],
    participants: Sequence[int],
    law: ImpactLaw = ...,
) -> dict[str, Any]: ...
def solve_acceleration(
    G: Array, free_N: Array, free_T: Array, mu: Array, roles: Sequence[ContactRole]
) -> dict[str, Any]: ...
