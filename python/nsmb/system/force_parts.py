"""Power and stored energy of what acts in a system, part by part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb._core import system as _system

__all__ = ["ForceParts"]

Array = NDArray[np.float64]


class ForceParts:
    """The potential, the damping, each input, and all other forces of a system together.

    Systems that tell more forces apart override it.

    Parameters
    ----------
    core : System of the core
    is_conservative : bool
        The forces have a potential.
    D : (n, n) array
        Damping matrix, N s/m.
    inputs : mapping of str to (n,) array
        Force per unit of each input, in the order of the inputs of the system.
    has_others : bool
        Other forces act.
    """

    parts: list[tuple[str, str, str]]
    """Name, kind and role of each part.

    What a part gives or takes beyond the change of its stored energy is dissipated (`takes`) or
    supplied (`gives`), or it is zero (`holds`). The power of a part in the role `damps` does not
    contain its stored energy. One part at the end may have the role `rest`: the work of all forces
    that no other part accounts for."""

    def __init__(
        self,
        core: _system.System,
        is_conservative: bool,
        D: Array,
        inputs: Mapping[str, Array],
        has_others: bool,
    ) -> None:
        self._core, self._D = core, D
        self._directions = np.array([*inputs.values()]).reshape(len(inputs), D.shape[0])
        self._first = int(is_conservative) + int(D.any())  # of the inputs
        self.parts = [("potential", "potential", "holds")] if is_conservative else []
        self.parts += [("damping", "damping", "damps")] if D.any() else []
        self.parts += [(name, "input", "gives") for name in inputs]
        self.parts += [("forces", "force", "rest")] if has_others else []

    def powers(self, t: Array, y: Array, inputs: Array) -> Array:
        """Return the power on the motion in W at states (k, ny) with inputs (k, ni)."""
        u = y[:, self._core.nq : self._core.nq + self._core.nu]
        found, first = np.zeros((len(self.parts), t.size)), self._first
        if self._D.any():
            found[first - 1] = -np.einsum("ki,ij,kj->k", u, self._D, u)
        if len(self._directions):
            found[first : first + len(self._directions)] = (u @ self._directions.T * inputs).T
        return found

    def stored(self, t: Array, y: Array, inputs: Array) -> Array:
        """Return the stored energies in J, NaN where none is known."""
        found, modes = np.zeros((len(self.parts), t.size)), np.zeros((t.size, self._core.ne))
        if self.parts[:1] == [("potential", "potential", "holds")]:
            found[0] = _simulation.evaluate_energies(self._core, t, y, modes, inputs)["potential"]
        return found
