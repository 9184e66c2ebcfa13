"""What a run leaves behind: samples, events, and the motion between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.core_tables import core_tables
from nsmb.dense_output import DenseOutput
from nsmb.events import Events
from nsmb.sample import Sample

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from nsmb.animation import Animation
    from nsmb.checks import SolutionCheck
    from nsmb.energy import EnergyBalance
    from nsmb.options import EventDriven
    from nsmb.sensitivity import Sensitivity
    from nsmb.system import System

__all__ = ["Sample", "Solution"]

Floats = NDArray[np.float64]


class Solution:
    """Result of a simulation.

    Samples are taken at the start, on both sides of every event, at the output points asked for,
    and at the end; both sides of an event are two rows with the same `t`. `at` evaluates the motion
    at any other time. All arrays are read-only. A solution can be copied, and pickled if its
    `system` can.

    Attributes
    ----------
    t : (n,) ndarray
        s, times of the samples.
    q, u : (n, nq) and (n, nu) ndarray
        Coordinates and velocities.
    x : (n, nx) ndarray
        Internal states.
    g_N, gamma_N, lambda_N : (n, nc) ndarray
        Gaps (m), normal relative velocities (m/s), normal forces (N).
    gamma_T, lambda_T : (n, nt) ndarray
        Tangential relative velocities (m/s) and forces (N): a column per contact, two for one with
        two tangential directions; `tangent_names` names them.
    element_gamma, element_force, element_mode : (n, ne) ndarray
        Distances (m) and forces (N, positive pushing apart) of the force elements with switching,
        and whether they act (1) or not (0).
    lambda_B : (n, nb) ndarray
        Forces of the bilateral constraints; of dependent ones those of an independent set.
    features : (n, nc, 2) ndarray of int32
        Where contact points come and go: which feature of the first contour may touch which of the
        second, in every slot; -1: the slot is not used. Else (n, 0, 2).
    friction_loss : (n, nc) ndarray
        J, work lost to sliding friction since the start.
    contact_state : (n, nc) ndarray of int8
        Values of `nsmb.ContactState`.
    events : Events
        Impacts, changes of contact states, and switches of force elements.
    status : str
        ``"finished"``, or why the run ended before: ``"no_contact_solution"``,
        ``"no_impact_solution"``, ``"event_limit"``, ``"memory_limit"``, ``"integration_failure"``,
        ``"interrupted"``, ``"system_error"``.
    message : str
        What happened, where, and what to try; empty when finished.
    stats : mapping
        Counts and sums of the run: steps, impacts, energy lost.
    coordinates, coordinate_units, contact_names, tangent_names, states, element_names
        Tuples of str: names of the columns of `q`, their units, of those of shape (n, nc), (n, nt),
        (n, nx) and (n, ne).
    constraint_names : tuple of str
        Names of the columns of `lambda_B`.
    gapless : frozenset of str
        Those of `contact_names` that are friction alone; their gap is zero throughout.
    system : System or None
        What was simulated; None after `load` if it is no ready-made system.
    sensitivity : Sensitivity or None
        Derivative of the run, if it was followed; not kept in files.
    method : EventDriven or None
        Options of the run; None for files that do not know them. Functions among them are not kept
        in files.
    system_name, parameters : str and mapping
        Name and parameters of the system, known even when `system` is None.
    """

    def __init__(
        self,
        data: Mapping[str, NDArray[Any]],
        *,
        system: System | None,
        system_name: str,
        parameters: Mapping[str, float],
        coordinates: Sequence[str],
        coordinate_units: Sequence[str],
        contact_names: Sequence[str],
        status: str,
        message: str,
        stats: Mapping[str, float | int],
        tangent_names: Sequence[str] | None = None,
        states: Sequence[str] = (),
        element_names: Sequence[str] = (),
        gapless: Collection[str] = (),
        constraint_names: Sequence[str] = (),
        sensitivity: Sensitivity | None = None,
        method: EventDriven | None = None,
    ) -> None:
        self.system = system
        self.method = method
        self.sensitivity = sensitivity
        self._dense_output: DenseOutput | None = None
        self.system_name = system_name
        self.parameters = MappingProxyType(dict(parameters))
        self.coordinates = tuple(coordinates)
        self.coordinate_units = tuple(coordinate_units)
        self.contact_names = tuple(contact_names)
        self.tangent_names = self.contact_names if tangent_names is None else tuple(tangent_names)
        self.states = tuple(states)
        self.element_names = tuple(element_names)
        self.gapless = frozenset(gapless)
        self.constraint_names = tuple(constraint_names)
        self.status = status
        self.message = message
        self.stats = dict(stats)
        widths = {
            "contact": len(self.contact_names), "tangent": len(self.tangent_names),
            "element": len(self.element_names), "state": len(self.states),
            "constraint": len(self.constraint_names),
        }  # fmt: skip
        self._energy: EnergyBalance | None = None
        self._data = core_tables(data, widths)
        nq = len(self.coordinates)
        self.t: Floats = self._data["t"]
        self.q: Floats = self._data["y"][:, :nq]
        nx = len(self.states)
        self._nu = self._data["y"].shape[1] - nq - nx
        self.u: Floats = self._data["y"][:, nq : nq + self._nu]
        self.x: Floats = self._data["y"][:, nq + self._nu :]
        self.g_N: Floats = self._data["g_N"]
        self.gamma_N: Floats = self._data["gamma_N"]
        self.gamma_T: Floats = self._data["gamma_T"]
        self.lambda_N: Floats = self._data["lambda_N"]
        self.lambda_T: Floats = self._data["lambda_T"]
        self.friction_loss: Floats = self._data["friction_loss"]
        self.contact_state: NDArray[np.int8] = self._data["contact_state"]
        self.lambda_B: Floats = self._data["lambda_B"]
        features = self._data["features"]
        self.features: NDArray[np.int32] = features.reshape(self.t.size, features.shape[1] // 2, 2)
        self.element_gamma: Floats = self._data["element_gamma"]
        self.element_force: Floats = self._data["element_force"]
        self.element_mode: NDArray[np.int8] = self._data["element_mode"]
        self.events = Events.from_core(
            self.coordinates,
            self.contact_names,
            self._data,
            self.tangent_names,
            self.element_names,
            self.states,
        )

    @classmethod
    def from_core(
        cls,
        system: System,
        data: Mapping[str, NDArray[Any]],
        *,
        status: str,
        message: str,
        stats: Mapping[str, float | int],
        sensitivity: Sensitivity | None = None,
        method: EventDriven | None = None,
    ) -> Solution:
        """The solution of `system` in the arrays that ``trajectory()`` of the core hands over."""
        return cls(
            data,
            system=system,
            system_name=system.name,
            parameters=system.parameters,
            coordinates=system.coordinates,
            coordinate_units=system.coordinate_units,
            contact_names=system.contact_names,
            tangent_names=system.tangent_names,
            states=system.states,
            element_names=system.elements,
            gapless=[contact.name for contact in system.contacts if not contact.is_unilateral],
            constraint_names=system.constraints,
            status=status,
            message=message,
            stats=stats,
            sensitivity=sensitivity,
            method=method,
        )

    def __reduce__(self) -> tuple[Callable[..., Solution], tuple[Any, ...]]:
        about = {
            "system": self.system,
            "system_name": self.system_name,
            "parameters": dict(self.parameters),
            "coordinates": self.coordinates,
            "coordinate_units": self.coordinate_units,
            "contact_names": self.contact_names,
            "tangent_names": self.tangent_names,
            "states": self.states,
            "element_names": self.element_names,
            "gapless": self.gapless,
            "constraint_names": self.constraint_names,
            "status": self.status,
            "message": self.message,
            "stats": self.stats,
            "sensitivity": self.sensitivity,
            # A function in it may be of a kind that cannot be copied.
            "method": self.method if self.method and self.method.expansion is None else None,
        }
        return _restore, (type(self), self._data, about)

    @property
    def success(self) -> bool:
        """Whether the run reached its end."""
        return self.status == "finished"

    @property
    def energy(self) -> EnergyBalance:
        """Energies and what changed them, sample by sample: `nsmb.EnergyBalance`.

        Computed when it is first asked for, then kept, also by `save`. Without dense output works
        and residual are NaN.

        Raises
        ------
        ValueError
            If the system is not known, as after `load` of a run whose energy was not asked for.
        """
        if self._energy is None:
            from nsmb.energy import energy_balance

            if self.system is None:
                raise ValueError(
                    "energy: expected a solution that knows its system, got one without; ask for "
                    "solution.energy before saving"
                )
            self._energy = energy_balance(self, self.system)
        return self._energy

    def check(
        self, *, tolerance: float | None = None, energy: float | None = None, points: int = 300
    ) -> SolutionCheck:
        """Check every row: complementarity (chapter 9), friction, log, impacts, motion, energy.

        Without `system`, friction coefficients, impacts, motion between samples and energy are left
        out. Where contact points come and go, motion between samples is judged by outlines alone,
        and the laws of an impact only where its contact points are found again at its place.

        Parameters
        ----------
        tolerance : float, optional
            Part of the largest gap, velocity, force or impulse that counts as none; beside it
            1e-9 m and ten times `rest_velocity` do. None: 1e-6, or 1000 `rtol` of a numerical
            integrator, if that is more.
        energy : float, optional
            Part of the energy turned over that may be missing. None: 1e-5, or 1e4 `rtol`.
        points : int
            Times besides the samples, and as many between events.

        Raises ValueError for tolerances that are not positive.
        """
        from nsmb.checks import check_solution

        return check_solution(self, tolerance=tolerance, energy=energy, points=points)

    @property
    def has_dense_output(self) -> bool:
        """Whether `at` can evaluate the motion between the samples."""
        return self._data["step_start"].size > 0 or (self.t.size > 0 and self.t[0] == self.t[-1])

    @property
    def t_span(self) -> tuple[float, float]:
        """s, first and last time of the run; a ValueError if it ended before its first sample."""
        if self.t.size == 0:
            raise ValueError(f"t: the run ended before its first sample ({self.message})")
        ends = self._data["step_end"]
        return float(self.t[0]), float(max(self.t[-1], ends[-1] if ends.size else -np.inf))

    def at(self, t: ArrayLike, side: Literal["left", "right"] = "right") -> Sample:
        """The motion at any time, from the polynomials of the integration steps.

        Parameters
        ----------
        t : float or array_like
            s, anywhere between the first and the last sample.
        side : {"right", "left"}
            At an event: the state after it, or before it. Where events of one instant follow each
            other: after the last, or before the first. What happens at the very end of the run,
            and at its start, is decided in the same way.

        Returns
        -------
        Sample
            With ``q`` of shape (nq,) for a number, and ``t.shape + (nq,)`` for an array.

        Raises
        ------
        ValueError
            If a time is outside the run, or if the run was made with ``dense_output=False``.
        """
        if side not in ("left", "right"):
            raise ValueError(f"side: expected 'left' or 'right', got {side!r}")
        times = np.asarray(t, dtype=np.float64)
        first, last = self.t_span
        outside = times[~((times >= first) & (times <= last))]
        if outside.size:
            raise ValueError(
                f"t: expected times from {first:.17g} to {last:.17g}, got {outside.flat[0]:.17g}"
            )
        if not self.has_dense_output:
            raise ValueError(
                "t: the run kept no steps to evaluate between the samples; simulate with "
                "method=nsmb.EventDriven(dense_output=True)"
            )
        y, state = self._evaluate(times.ravel(), side)
        y = y.reshape(*times.shape, y.shape[-1])
        nq = len(self.coordinates)
        return Sample(
            t=float(times) if times.ndim == 0 else times,
            q=y[..., :nq],
            u=y[..., nq : nq + self._nu],
            x=y[..., nq + self._nu :],
            contact_state=state.reshape(*times.shape, state.shape[-1]),
        )

    def to_dataframe(self) -> pd.DataFrame:
        """One row per sample: ``t``, coordinates, velocities (``y_dot``), ``g_N[beak]``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
        """
        from nsmb import tables

        return tables.to_dataframe(self)

    def to_xarray(self) -> xr.Dataset:
        """A Dataset over time, coordinate and contact.

        Further axes where they are needed: velocity, if nu differs from nq; tangent, if a contact
        has two tangential directions; state; element.

        Times are not unique: both sides of an event are there. Units, status, message and
        parameters are attributes.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` brings it.
        """
        from nsmb import tables

        return tables.to_xarray(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one file; `load` gives it back bit by bit.

        Parameters
        ----------
        path : path
            ``.npz``, or ``.h5`` or ``.hdf5``, which needs h5py. An existing file is replaced.

        Raises
        ------
        ValueError
            If the suffix is none of these.
        ImportError
            If h5py is not installed; ``pip install nsmb[data]`` brings it.
        """
        from nsmb import storage

        storage.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Solution:
        """Read what `save` has written.

        `system` is built anew if it is a ready-made system, and None otherwise.

        Raises
        ------
        ValueError
            If the file was not written by `save`, or its suffix is not known.
        ImportError
            If h5py is needed and not installed; ``pip install nsmb[data]`` brings it.
        """
        from nsmb import storage

        return storage.load(path)

    def plot(
        self,
        *,
        coordinates: Sequence[str] | None = None,
        t_span: tuple[float, float] | None = None,
        axes: Sequence[Axes] | None = None,
        figure: Figure | SubFigure | None = None,
        title: str | None = None,
    ) -> Figure | SubFigure:
        """Coordinates, gaps, states of contacts and force elements over time: `nsmb.plot.plot`."""
        from nsmb import plot

        return plot.plot(
            self, coordinates=coordinates, t_span=t_span, axes=axes, figure=figure, title=title
        )

    def draw(
        self,
        t: float,
        *,
        side: Literal["left", "right"] = "right",
        ax: Axes | None = None,
        forces: bool = True,
        title: str | None = None,
    ) -> Axes:
        """Picture of the system at a time of the run, with forces: `nsmb.drawing.draw_run`."""
        from nsmb import drawing

        return drawing.draw_run(self, t, side=side, ax=ax, forces=forces, title=title)

    def animate(self, **options: Any) -> Animation:
        """Moving picture, shown inline in Jupyter; options are those of `nsmb.animation.Animation`:
        `speed`, `fps`, `t_span`, `trail`, `follow`, `slow_motion`, `forces`, `dpi`."""
        from nsmb import animation

        return animation.Animation(self, **options)

    def __repr__(self) -> str:
        if self.t.size == 0:
            return f"Solution of {self.system_name}: {self.status} before the first sample"
        first, last = self.t_span
        kinds = ", ".join(f"{n} {label}" for label, n in self.events.count().items())
        lines = [
            f"Solution of {self.system_name}: {self.status}",
            f"  t       {first:g} s to {last:g} s, {self.t.size} samples",
            f"  q       {', '.join(self.coordinates)}",
            f"  events  {len(self.events)}{f' ({kinds})' if kinds else ''}",
        ]
        if self.message:
            lines.append(f"  message {self.message}")
        return "\n".join(lines)

    # ---- details -----------------------------------------------------------------------------

    def _evaluate(self, times: Floats, side: str) -> tuple[Floats, NDArray[np.int8]]:
        """y and contact states at times (m,) inside the run."""
        if self._dense_output is None:
            self._dense_output = DenseOutput(self._data)
        return self._dense_output.at(times, side)


def _restore(
    cls: type[Solution], data: Mapping[str, NDArray[Any]], about: Mapping[str, Any]
) -> Solution:
    """What pickle and copy call."""
    return cls(data, **about)
