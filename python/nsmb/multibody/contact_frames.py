"""Points and directions of the contacts of a model, in inertial axes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.labels import Labels
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.parts import GROUND

__all__ = ["ContactFrames", "ContactSide", "sides_of"]

Array = NDArray[np.float64]
_SLOT = re.compile(r"\[\d+\]$")


@dataclass(frozen=True)
class ContactSide:
    """The two shapes of a contact."""

    first: str
    """Label of the first shape or contour, ``"body.shape"``."""
    second: str
    """Label of the second shape or contour."""
    sign: float
    """+1 if the directions of the core are those of the force on the second body, otherwise -1."""


def sides_of(model: Blueprint, listed: list[tuple[int, int]]) -> dict[str, ContactSide]:
    """Return the shapes of each contact by name; `listed` are the pairs of shapes with columns.

    For a contact of contours, the core gives the directions of the force on the first body, unless
    that body is the ground (5.2). For shapes, the directions are those of the force on the second
    body.
    """
    sides = {
        name: ContactSide(
            c.first.label, c.second.label, 1.0 if c.first.place.body == GROUND else -1.0
        )
        for name, c in model.contacts.items()
    }
    for name, c in model.surface_contacts.items():
        side = ContactSide(c.shapes[0].label, c.shapes[1].label, 1.0)
        sides[name] = sides[_SLOT.sub("", name)] = side  # corners of a box are one contact
    labels = [shape.label for shape in model.shapes.values()]
    for i, k in listed:
        sides[f"{labels[i]}-{labels[k]}"] = ContactSide(labels[i], labels[k], 1.0)
    return sides


class ContactFrames:
    """Points and directions of all contacts with columns.

    Parameters
    ----------
    core : ModelSystem
    labels : Labels
        Names of the contacts.
    sides : mapping of str to ContactSide
        Shapes of each contact that acts at a point, by name.
    """

    def __init__(
        self, core: _multibody.ModelSystem, labels: Labels, sides: Mapping[str, ContactSide]
    ) -> None:
        self.sides = sides
        self._core = core
        self._sign = np.full(core.nc, np.nan)
        self._group = np.zeros(core.nc, dtype=np.intp)
        for group, (name, columns) in enumerate(labels.contact_columns.items()):
            self._group[list(columns)] = group
            if name in sides:
                self._sign[list(columns)] = sides[name].sign

    def at(self, t: Array, q: Array, features: NDArray[np.int32]) -> tuple[Array, Array, Array]:
        """Return points, normals and first tangents at n instants, each of shape (n, nc, 3).

        Parameters
        ----------
        t : (n,) ndarray
            Times, s.
        q : (n, nq) ndarray
        features : (n, nc, 2) or (n, 0, 2) ndarray
            Features in contact in each column. Contact points that come and go are located again,
            and their order within the columns of a contact may then differ.

        Returns
        -------
        tuple
            The force λ_N n + λ_T1 t_1 + λ_T2 (n × t_1) acts on the second body. Entries without a
            contact point are NaN.
        """
        held = features.reshape(len(t), 2 * features.shape[1])
        found = self._core.contact_points(t, q, held, self._group.tolist())
        r, n, tangent = (found[key].reshape(len(t), self._core.nc, 3) for key in ("r", "n", "t"))
        sign = self._sign[:, None]
        return r + 0.0 * sign, sign * n, sign * tangent
