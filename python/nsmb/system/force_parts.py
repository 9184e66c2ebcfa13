"""Power and stored energy of the forces of a system, part by part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb._core import system as _system

__all__ = ["ForceParts"]

Array = NDArray[np.float64]


class ForceParts:
    """The force parts of a system: potential, damping, each input, and all other forces together.

    Systems with a finer division override this class.

    Parameters
    ----------
    core : System of the core
    is_conservative : bool
        True if forces have a potential.
    D : (n, n) array
        Damping matrix, N s/m.
    inputs : mapping of str to (n,) array
        Force per unit of each input, in the order of the inputs of the system.
    has_others : bool
        True if other forces act.
    """

    parts: list[tuple[str, str, str]]
    """Name, kind and role of each part.

    The role describes the energy beyond the change of the stored energy. This energy is dissipated
    (`takes`), supplied (`gives`) or zero (`holds`). In the role `damps`, it is dissipated, and the
    power does not include the stored energy. The last part may have the role `rest`, which is the
    work of all forces that no other part accounts for."""

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
        self._first = int(is_conservative) + int(D.any())  # index of the first input
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
        """Return the stored energies in J, or NaN if not available."""
        found, modes = np.zeros((len(self.parts), t.size)), np.zeros((t.size, self._core.ne))
        if self.parts[:1] == [("potential", "potential", "holds")]:
            found[0] = _simulation.evaluate_energies(self._core, t, y, modes, inputs)["potential"]
        return found
