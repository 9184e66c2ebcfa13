"""The energy of one body of a run, and the energy dissipated by its damping."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.solution.quadrature import Stretch, integrals

if TYPE_CHECKING:
    import pandas as pd

    from nsmb.solution.record import Record

__all__ = ["BodyEnergy", "body_energy"]

Floats = NDArray[np.float64]


class Meter(Protocol):
    """The energies of a body as functions of the state of its system."""

    def energies(self, t: Floats, q: Floats, u: Floats) -> tuple[Floats, Floats]: ...
    def damping_power(self, u: Floats) -> Floats: ...


@runtime_checkable
class HasMeter(Protocol):
    """A system that can evaluate the energy of each body."""

    def _meter(self, body: str) -> Meter: ...


@dataclass(frozen=True, eq=False, repr=False)
class BodyEnergy(ShownAsTable):
    """Energies of one body of a run, one value per sample.

    The sum of `kinetic` over all bodies equals that of :class:`nsmb.results.EnergyBalance`, except
    with prescribed motions of joints. In that case the balance has ½ uᵀMu of the free motion alone,
    and `kinetic` here is the energy of the whole motion. In the balance, `elastic` is part of
    `potential`, and `dissipated` counts negative in `work`.
    """

    t: Floats
    """Times of the samples, shape (n,), in s."""
    kinetic: Floats
    """Kinetic energy ½ ∫ ṙᵀṙ dm of rigid motion and deformation, (2.28), shape (n,), in J."""
    elastic: Floats
    """Elastic energy ½ q_eᵀ k_ee q_e, (2.43), shape (n,), in J; zero for a rigid body."""
    dissipated: Floats
    """Energy dissipated by the damping of the elastic coordinates since the start,
    ∫ u_eᵀ d_ee u_e dt, shape (n,), in J; NaN without dense output."""

    @property
    def total(self) -> Floats:
        """Sum of kinetic and elastic energy, shape (n,), in J."""
        return self.kinetic + self.elastic

    def __len__(self) -> int:
        return int(self.t.size)

    def columns(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the attributes as columns.

        Raises
        ------
        ImportError
            If pandas is not installed. Install it with ``pip install nsmb[data]``.
        """
        frame: pd.DataFrame = import_extra("pandas", "data").DataFrame(self.columns())
        return frame

    def __repr__(self) -> str:
        if len(self) == 0:
            return "BodyEnergy: no samples"
        lines = [f"BodyEnergy: {len(self)} samples, t = {self.t[0]:g} s to {self.t[-1]:g} s"]
        for name in ("kinetic", "elastic"):
            values = getattr(self, name)
            lines.append(
                f"  {name:12s}{values[0]:14.6g} J at the start, {values[-1]:.6g} J at the end"
            )
        lines.append(f"  dissipated  {self.dissipated[-1]:14.6g} J")
        return "\n".join(lines)


def body_energy(solution: Record, system: object, body: str) -> BodyEnergy:
    """Return the energies of a body in a run of `system`, see `BodyHistory.energy`."""
    if not isinstance(system, HasMeter):
        raise ValueError(
            "energy: must be read from a body of a system that nsmb.Model has built, got another "
            "one. Use solution.energy, which is that of all bodies."
        )
    meter = system._meter(body)
    if solution._has_parameters_set:
        raise ValueError(
            "energy: must be read from a run with the same parameters throughout, got one in which "
            f"{', '.join(solution.parameter_values)} were set. Ask for the energy of its pieces."
        )
    nq, nu = len(solution.coordinates), solution._nu

    def power(stretch: Stretch) -> Floats:
        return meter.damping_power(stretch.y[..., nq : nq + nu])[None]

    kinetic, elastic = meter.energies(solution.t, solution.q, solution.u)
    (dissipated,), _ = integrals(solution, power, 1)
    return BodyEnergy(solution.t, kinetic, elastic, dissipated)
