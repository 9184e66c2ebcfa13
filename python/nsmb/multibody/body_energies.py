"""Energies of a single body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import unknown_name
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.parts import GROUND

__all__ = ["BodyMeter"]

Array = NDArray[np.float64]


class BodyMeter:
    """Energies of a body, computed by a tree that contains only this body, unconstrained.

    Raises
    ------
    ValueError
        If the body does not exist.
    """

    def __init__(self, assembly: Assembly, model: Blueprint, body: str) -> None:
        if body not in model.bodies:
            names = [name for name in assembly.bodies if name != GROUND]
            raise unknown_name("body", body, names)
        record, elastic = model.bodies[body], model.elastic.get(body)
        self._whole = _multibody.TreeEvaluation(assembly.tree)
        self._name = assembly.sections.name(assembly.bodies[body])
        alone = _multibody.Body(
            "alone",
            record.mass,
            record.center,
            record.inertia,
            _multibody.FreeJoint(),
            elastic=None if elastic is None else elastic._core(),
        )
        tree = _multibody.Tree([alone])
        self._alone, self._still = _multibody.TreeEvaluation(tree), tree.reference
        self._count = 0 if elastic is None else elastic.count
        self._D = np.zeros((0, 0)) if elastic is None else np.asarray(elastic.damping_matrix)
        first = f"{body}.q1"
        q, u = (
            places.of[first] if self._count else 0
            for places in (assembly.coordinate_places, assembly.velocity_places)
        )
        self._q, self._u = slice(q, q + self._count), slice(u, u + self._count)

    def energies(self, t: Array, q: Array, u: Array) -> tuple[Array, Array]:
        """Return kinetic and elastic energy (n,), J, at times (n,) with q (n, nq) and u (n, nu)."""
        found = np.empty((2, len(t)))
        place, velocity = self._still.copy(), np.empty(6 + self._count)
        for k in range(len(t)):
            frame = self._whole.marker(t[k], q[k], u[k], self._name)
            velocity[:3], velocity[3:6] = frame.A.T @ frame.v, frame.A.T @ frame.Omega
            place[7:], velocity[6:] = q[k, self._q], u[k, self._u]
            found[:, k] = self._alone.energies(0.0, place, velocity)
        return found[0], found[1]

    def damping_power(self, u: Array) -> Array:
        """Return the power lost to damping, u_eᵀ d_ee u_e (...,), W, for velocities (..., nu)."""
        rates = u[..., self._u]
        return np.asarray(np.einsum("...k,kl,...l->...", rates, self._D, rates))
