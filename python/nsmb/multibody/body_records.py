"""Records of bodies, rigid and elastic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_array
from nsmb.common.frames import as_vector
from nsmb.multibody.deformable import Deformable, RigidPart
from nsmb.multibody.parts import BodyRecord

__all__ = ["body_record", "elastic_record"]


def body_record(
    what: str, name: str, mass: float, inertia: ArrayLike, center: ArrayLike
) -> BodyRecord:
    """Return the record of a rigid body after checks."""
    m = float(as_array(f"{what}: mass", mass, ()))
    if m < 0.0:
        raise ValueError(f"{what}: mass: expected a number >= 0, got {m}")
    shape = np.shape(inertia)
    if shape == ():
        J = float(as_array(f"{what}: inertia", inertia, ()))
        tensor = np.diag([0.5 * J, 0.5 * J, J])
    elif shape == (3,):
        tensor = np.diag(as_array(f"{what}: inertia", inertia, (3,)))
    else:
        tensor = as_array(f"{what}: inertia", inertia, (3, 3))
    moments = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
    largest = np.abs(tensor).max()
    if np.abs(tensor - tensor.T).max() > 1e-12 * largest or moments[0] < -1e-12 * largest:
        raise ValueError(
            f"{what}: inertia: expected a symmetric matrix with moments >= 0, got {tensor.tolist()}"
        )
    if moments[0] + moments[1] < moments[2] - 1e-12 * largest:
        raise ValueError(
            f"{what}: inertia: expected moments none of which is larger than the sum of the "
            f"others, got {moments.tolist()}"
        )
    return BodyRecord(name, m, tensor, as_vector(f"{what}: center", center))


def elastic_record(what: str, elastic: Deformable, rigid: BodyRecord) -> BodyRecord:
    """Return the record of an elastic body, including rigid mass fixed to it."""
    if not isinstance(elastic, Deformable):
        raise ValueError(
            f"{what}: expected nsmb.flexible.Torsion, nsmb.flexible.Bending or "
            f"nsmb.flexible.FlexibleBody, got {elastic!r}"
        )
    whole = RigidPart(rigid.mass, rigid.center, rigid.inertia) + elastic._rigid()
    return BodyRecord(rigid.name, whole.mass, whole.inertia, whole.center)
