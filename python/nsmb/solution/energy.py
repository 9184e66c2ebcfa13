"""The energy balance of a run, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.pictures.energy_areas import plot_energy
from nsmb.solution.energy_parts import EnergyParts
from nsmb.solution.event_order import sums_before
from nsmb.solution.quadrature import Stretch, integrals, rounding_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from nsmb.solution.record import Record
    from nsmb.system.base import System

__all__ = ["EnergyBalance", "energy_balance"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class EnergyBalance(ShownAsTable):
    """Energies of a run and their changes since its start, one value per sample.

    The balance is ``ΔT = work - ΔV - Δelements - element_loss + drive_work - friction_loss -
    impact_loss``. The left side follows from the state, the right side from forces integrated along
    the motion. `residual` is the left side minus the right side. It contains changes of energy that
    no force causes: projections onto constraints, errors of steps, and jumps of the state.
    """

    t: Floats
    """Times of the samples, shape (n,), in s."""
    kinetic: Floats
    """Kinetic energy T = ½ uᵀMu, shape (n,), in J."""
    potential: Floats
    """Potential energy V(q, t), shape (n,), in J. NaN if the system does not define it; all forces
    then count in `work`."""
    elements: Floats
    """Energy stored in the springs of force elements with switching, shape (n,), in J."""
    friction_loss: Floats
    """Energy lost to sliding friction, shape (n,), in J."""
    impact_loss: Floats
    """Energy dissipated in impacts, shape (n,), in J, negative if impacts created energy. For
    stepped runs, it is minus the work of all normal impulses, and `friction_loss` is minus the work
    of all tangential impulses."""
    element_loss: Floats
    """Energy lost in the dampers of force elements with switching, minus the work of their moving
    supports, shape (n,), in J. `parts` has both separately."""
    drive_work: Floats
    """Work of moving contacts and constraints, w̃ ≠ 0, including impacts, shape (n,), in J."""
    work: Floats
    """Work of all forces of the system without a `potential`, such as dampers, motors and
    time-dependent loads, shape (n,), in J."""
    residual: Floats
    """Residual of the balance, shape (n,), in J."""
    turnover: Floats
    """Energy turned over, shape (n,), in J: the energy at the start plus all energy converted
    since. It is the scale of `residual`."""

    def _of(self, record: Record) -> None:
        """Store the run, from which `parts` is computed."""
        vars(self)["_record"] = record

    @cached_property
    def parts(self) -> EnergyParts:
        """The energy by part: supplied, dissipated and stored by each contact, force and drive.

        Raises ValueError for a balance without its run, for example one created by a program."""
        record = vars(self).get("_record")
        if record is None:
            raise ValueError(
                "energy.parts: must be read from the energy of a run, got a balance without its "
                "run. Use sol.energy.parts."
            )
        return EnergyParts(record, self.columns())

    @property
    def total(self) -> Floats:
        """Total energy T + V + elements, shape (n,), in J."""
        return self.kinetic + np.nan_to_num(self.potential) + self.elements

    @property
    def relative(self) -> float:
        """Largest ratio of `residual` to `turnover`; 0 if nothing moves."""
        size = np.abs(self.residual)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(size > 0.0, size / np.maximum(self.turnover, _rounding_of(self)), 0.0)
        return float(part.max(initial=0.0))

    def __len__(self) -> int:
        return int(self.t.size)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Axes:
        """Plot the stored and the dissipated energy as areas over time.

        The areas are the kinetic energy, the potential energy above its minimum, the energy of
        force elements, losses, and energy removed by forces and drives. They add up to the black
        line, which is the energy at the start plus the work supplied since.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        title : str, optional
            Title of the figure.

        Returns
        -------
        Axes

        Raises
        ------
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.

        Examples
        --------
        >>> import nsmb
        >>> run = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=1.0)
        >>> run.energy.plot().get_ylabel()
        'energy / J'
        """
        return plot_energy(self, ax, title=title)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the attributes as columns.

        Raises
        ------
        ImportError
            If pandas is not installed. Install it with ``pip install nsmb[data]``.
        """
        pandas = import_extra("pandas", "data")
        frame: pd.DataFrame = pandas.DataFrame(self.columns())
        return frame

    def columns(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        if len(self) == 0:
            return "EnergyBalance: no samples"
        lines = [f"EnergyBalance: {len(self)} samples, t = {self.t[0]:g} s to {self.t[-1]:g} s"]
        for name in ("kinetic", "potential", "elements"):
            values = getattr(self, name)
            lines.append(
                f"  {name:14s}{values[0]:14.6g} J at the start, {values[-1]:.6g} J at the end"
            )
        for name in ("friction_loss", "impact_loss", "element_loss", "drive_work", "work"):
            lines.append(f"  {name:14s}{getattr(self, name)[-1]:14.6g} J")
        worst = float(np.abs(self.residual).max())
        lines.append(
            f"  residual      {worst:14.3g} J, {self.relative:.1e} of what was turned over"
        )
        return "\n".join(lines)


def _rounding_of(balance: EnergyBalance) -> float:
    return rounding_of(balance.kinetic, balance.potential, balance.elements)


def energy_balance(solution: Record, system: System) -> EnergyBalance:
    """Return the balance of a run of `system`, see `Solution.energy`."""
    data, t = solution._data, solution.t
    modes = solution.element_mode.astype(np.float64)
    if solution._has_parameters_set:
        raise ValueError(
            "energy: expected a run with the same parameters throughout, got one in which "
            f"{', '.join(solution.parameter_values)} were set; ask for the energy of its pieces"
        )
    at = _simulation.evaluate_energies(
        system._core, t, np.array(data["y"]), modes, np.array(solution.inputs)
    )
    (own, element), turned = integrals(solution, lambda stretch: _powers(system, stretch), 2)
    friction = solution.friction_loss.sum(axis=1)
    impact = data.get("impact_loss")
    if impact is None:
        impact = sums_before(solution, solution.events.energy_loss)
    drive = data["drive_work"] if "drive_work" in data else np.zeros(t.size)

    def since(values: Floats) -> Floats:
        return values - values[:1]

    # Stepped runs correct gaps by displacements without a velocity, whose work is separate.
    own = own + data.get("displaced_work", 0.0)
    known = np.isfinite(at["potential"]).all()
    work = own + (since(at["potential"]) if known else 0.0)
    # The first sample is after the impacts of the start.
    residual = since(at["kinetic"]) - own - element - since(drive) + friction + since(impact)
    return EnergyBalance(
        t=t,
        kinetic=at["kinetic"],
        potential=at["potential"],
        elements=at["element_energy"],
        friction_loss=friction,
        impact_loss=impact,
        element_loss=-element - since(at["element_energy"]),
        drive_work=drive,
        work=work,
        residual=residual,
        turnover=at["kinetic"][:1] + turned + np.abs(drive) + friction + np.abs(impact),
    )


def _powers(system: System, stretch: Stretch) -> Floats:
    """Return the powers of the forces and of the force elements of the system, in W.

    The shape is (2, steps, points)."""
    y, y_s, slope = stretch.y, stretch.slope_of_y, stretch.slope
    steps, points, rows = y.shape
    at = _simulation.evaluate_energies(
        system._core,
        stretch.t.ravel(),
        y.reshape(-1, rows),
        np.repeat(stretch.modes, points, axis=0).astype(np.float64),
        np.repeat(stretch.inputs, points, axis=0),
    )
    own = at["power"].reshape(steps, points)
    if y_s is not None:
        # ½ uᵀṀu = ½ (uᵀṗ - u̇ᵀp) with p = Mu avoids the derivative of M.
        u, u_s = (z[..., system.nq : system.nq + system.nu] for z in (y, y_s))
        p = at["momentum"].reshape(steps, points, -1)
        p_s = 2.0 * np.einsum("ij,kjn->kin", slope, p)
        gyroscopic = 0.5 * ((u * p_s).sum(axis=2) - (u_s * p).sum(axis=2))
        own = own + gyroscopic / stretch.length[:, None]
    return np.stack([own, at["element_power"].reshape(steps, points)])
