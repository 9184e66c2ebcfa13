from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb._core.system import ContactDescription, UnilateralContact

Array = NDArray[np.float64]

class ImpactLaw:
    Poisson: ClassVar[ImpactLaw]
    Newton: ClassVar[ImpactLaw]
    Moreau: ClassVar[ImpactLaw]

class ContactRole:
    Absent: ClassVar[ContactRole]
    Candidate: ClassVar[ContactRole]
    SlidesPositive: ClassVar[ContactRole]
    SlidesNegative: ClassVar[ContactRole]
    Frictionless: ClassVar[ContactRole]

def solve_impact(
    G: Array,
    gamma_N: Array,
    gamma_T: Array,
    laws: Sequence[UnilateralContact],
    participants: Sequence[int],
    law: ImpactLaw = ...,
    contacts: Sequence[ContactDescription] = (),
    without_collision: bool = False,
    resolution: Array | None = None,
    to_the_end: bool = False,
) -> dict[str, Any]: ...
def solve_acceleration(
    G: Array,
    free_N: Array,
    free_T: Array,
    mu: Array,
    roles: Sequence[ContactRole],
    contacts: Sequence[ContactDescription] = (),
    bound: Array | None = None,
    friction: Array | None = None,
) -> dict[str, Any]: ...
