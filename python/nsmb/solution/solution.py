"""The result of a run: samples, events, and the motion between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import as_instance
from nsmb.common.array_files import reading
from nsmb.common.html import ShownAsTable
from nsmb.pictures import animation, drawing, phase, plot
from nsmb.solution import files, joining, tables
from nsmb.solution.bodies import Bodies
from nsmb.solution.checks import SolutionCheck, check_solution
from nsmb.solution.contacts import Contacts
from nsmb.solution.elements import Elements
from nsmb.solution.energy import EnergyBalance, energy_balance
from nsmb.solution.joints import Joints
from nsmb.solution.record import Record
from nsmb.solution.sample import Sample

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from nsmb.solution.sensitivity import Sensitivity
    from nsmb.system.base import System
    from nsmb.system.method import Method

__all__ = ["Sample", "Solution", "join"]

Floats = NDArray[np.float64]


class Solution(ShownAsTable, Record):
    """Result of a simulation.

    Samples are taken at the start, before and after every event, at the requested output times and
    at the end. The samples before and after an event are two rows with the same `t`. `at` evaluates
    the motion at any other time. All arrays are read-only. A solution can be copied. It can be
    pickled if its `system` can be pickled.

    Attributes
    ----------
    t : (n,) ndarray
        Times of the samples, s.
    q, u : (n, nq) and (n, nu) ndarray
        Coordinates and velocities.
    x : (n, nx) ndarray
        Internal states.
    g_N, gamma_N, lambda_N : (n, nc) ndarray
        Gaps (m), normal relative velocities (m/s), normal forces (N).
    gamma_T, lambda_T : (n, nt) ndarray
        Tangential relative velocities (m/s) and forces (N). A contact has one column, or two if it
        has two tangential directions; `tangent_names` lists the names of the columns.
    element_gamma, element_force, element_mode : (n, ne) ndarray
        Distances (m), forces (N, positive if they push apart) and modes of the force elements with
        switching. The mode is 1 while the element acts, otherwise 0.
    lambda_B : (n, nb) ndarray
        Forces of the bilateral constraints. Of dependent constraints, only an independent set has
        forces.
    features : (n, nc, 2) ndarray of int32
        Features of the first and of the second contour that may touch in each slot, if contact
        points vary; -1 marks an unused slot. Otherwise the shape is (n, 0, 2).
    friction_loss : (n, nc) ndarray
        Energy dissipated by sliding friction since the start, J.
    contact_state : (n, nc) ndarray of int8
        Values of `nsmb.ContactState`.
    contacts : Contacts
        The contacts by name: ``sol.contacts["pawl"].force``, gap, state, slip, energy.
    bodies : Bodies
        The bodies by name: ``sol.bodies["rocker"].position``, orientation, velocity, energy.
    joints : Joints
        The joints by name: ``sol.joints["knee"].force``, moment, coordinates, rates.
    elements : Elements
        The force elements by name: ``sol.elements["spring"].force``, length, rate, work.
    inputs : (n, ni) ndarray
        Values of the inputs, named by `labels.input_names`. Samples are taken before and after
        every change of an input.
    parameter_values : mapping of str to (n,) ndarray
        Values of the parameters that were changed during the run.
    events : Events
        Impacts, changes of contact state, switches of force elements, and user-defined events.
    status : str
        ``"finished"``, ``"stopped"`` by a user-defined event, or the reason for an early end:
        ``"no_contact_solution"``, ``"no_impact_solution"``, ``"event_limit"``, ``"memory_limit"``,
        ``"integration_failure"``, ``"interrupted"``, ``"system_error"``.
    message : str
        Description of the failure, its location and a remedy; empty if the run finished.
    stats : mapping
        Counts and sums of the run: steps, impacts, energy lost.
    labels : Labels
        Names and units of all columns. The attributes `coordinates`, `coordinate_units`,
        `contact_names`, `tangent_names`, `states`, `element_names`, `constraint_names` and
        `gapless` are taken from `labels`.
    system : System
        The simulated system. After `load`, a ready-made system is built on first access. Any other
        system must be set by the user.
    sensitivity : Sensitivity or None
        Sensitivity of the run, if it was requested; not stored in files.
    method : EventDriven, Midpoint, Hybrid, PositionForces, VelocityForces or None
        Method and options of the run. None after loading a run whose options contain a function,
        because files do not store functions.
    method_reason : str
        Reason for the choice of the method, one sentence.
    record : str
        Extent of the record: ``"memory"`` for everything, ``"events"`` for the events and the
        samples at the start and end, ``"nothing"`` for only these two samples. Otherwise the path
        of the file with the full record; the solution then holds these two samples.
    system_name, parameters : str and mapping
        Name of the system, and its parameters at the end of the run. Both are available even if
        `system` is not.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.woodpecker(), 0.5)
    >>> sol.status, sol["phi_S"].shape == sol.t.shape, list(sol.contacts)
    ('finished', True, ['beak', 'lower', 'upper'])
    >>> sol.events.count()["impact"] > 0, sol.check().ok
    (True, True)
    """

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
        method: Method | None = None,
        method_reason: str = "",
        record: str = "memory",
        user_events: Sequence[str] = (),
    ) -> Solution:
        """Return the solution of `system` from the arrays of ``trajectory()`` of the core."""
        labels = system.labels
        if user_events:
            labels = dataclasses.replace(labels, user_event_names=tuple(user_events))
        return cls(
            data,
            system=system,
            system_name=system.name,
            parameters=system.parameters,
            labels=labels,
            status=status,
            message=message,
            stats=stats,
            sensitivity=sensitivity,
            method=method,
            method_reason=method_reason,
            record=record,
        )

    _energy: EnergyBalance | None = None  # None until `energy` is first read

    def __reduce__(self) -> tuple[Callable[..., Solution], tuple[Any, ...]]:
        about = {
            "system": self._system,
            "system_name": self.system_name,
            "parameters": dict(self.parameters),
            "labels": self.labels,
            "status": self.status,
            "message": self.message,
            "stats": self.stats,
            "sensitivity": self.sensitivity,
            "record": self.record,
            "method_reason": self.method_reason,
            # A function among the options may be impossible to copy.
            "method": None if self.method is None or self.method.has_function else self.method,
        }
        return _restore, (type(self), self._data, about)

    @property
    def energy(self) -> EnergyBalance:
        """The energy balance of the run at each sample, `nsmb.results.EnergyBalance`.

        The balance is computed on first access, then kept, and stored by `save`. Without dense
        output, works and residual are NaN.

        Raises
        ------
        ValueError
            If the system is not available, see `system`; for example after `load`, unless the
            balance was computed before `save`. If parameters were changed during the run. If the
            record has no events.
        """
        if self._energy is None:
            self._check_kept("energy")
            self._energy = energy_balance(self, self.system)
        self._energy._of(self)
        return self._energy

    @cached_property
    def contacts(self) -> Contacts:
        """The contacts by name, over time."""
        return Contacts(self)

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies by name, over time; raises ValueError for systems not built by a `Model`."""
        return Bodies(self, self.contacts)

    @cached_property
    def joints(self) -> Joints:
        """The joints by name, over time; raises ValueError for systems not built by a `Model`."""
        return Joints(self, self.contacts)

    @cached_property
    def elements(self) -> Elements:
        """The force elements by name, over time."""
        return Elements(self)

    def check(
        self, *, tolerance: float | None = None, energy: float | None = None, points: int = 300
    ) -> SolutionCheck:
        """Check every row: complementarity (chapter 9), friction, log, impacts, motion, energy.

        Friction coefficients, impacts, motion between samples and energy are not checked if
        `system` is not available, or if parameters were changed during the run. For systems with
        varying contact points, the check between samples is limited to overlaps of outlines. The
        laws of an impact are then checked only if its contact points are found again.

        Parameters
        ----------
        tolerance : float, optional
            Tolerance relative to the largest gap, velocity, force or impulse. Values of the size of
            1e-9 m and ten times `rest_velocity` are accepted in addition. Default 1e-6, or
            1000 `rtol` of a numerical integrator if this is larger.
        energy : float, optional
            Largest residual of the energy, relative to the energy turned over. Default 1e-5, or
            1e4 `rtol` if this is larger.
        points : int
            Number of times to check, evenly over the run, and as many between events.

        Raises ValueError for tolerances that are not positive.
        """
        return check_solution(
            self, lambda: self.energy, tolerance=tolerance, energy=energy, points=points
        )

    def __add__(self, other: Solution) -> Solution:
        """Return this run and its continuation as one run, see :func:`nsmb.join`."""
        if not isinstance(other, Solution):
            return NotImplemented
        data, about = joining.joined(self, other)
        return type(self)(data, **about)

    def to_dataframe(self, *, unique: bool = False) -> pd.DataFrame:
        """Return a DataFrame with one row per sample: ``t``, coordinates, ``g_N[beak]``, ...

        Parameters
        ----------
        unique : bool
            Return one row for each time, at events the one after the event. False: both rows.

        Raises
        ------
        ImportError
            If pandas is not installed. Install it with ``pip install nsmb[data]``.
        """
        return tables.to_dataframe(self, unique)

    def to_xarray(self, *, unique: bool = False) -> xr.Dataset:
        """Return a Dataset over time, coordinate and contact.

        It has further dimensions if the system needs them: velocity, if nu differs from nq;
        tangent, if a contact has two tangential directions; state; element; constraint. Units,
        status, message and parameters are attributes.

        Parameters
        ----------
        unique : bool
            Return one row for each time, at events the one after the event. False: both rows.

        Raises
        ------
        ImportError
            If xarray is not installed. Install it with ``pip install nsmb[data]``.
        """
        return tables.to_xarray(self, unique)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the solution to one file, from which `load` restores it bitwise identical.

        Parameters
        ----------
        path : path
            File name with the suffix ``.npz``, or ``.h5`` or ``.hdf5``, which require h5py. An
            existing file is replaced.

        Raises
        ------
        ValueError
            If the suffix is none of these.
        ImportError
            If h5py is not installed. Install it with ``pip install nsmb[data]``.
        """
        files.save(self, self._energy, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Solution:
        """Read a solution from a file written by `save` or :func:`nsmb.to_hdf5`.

        Only arrays and texts are read, and their checksum is verified before they are used. Nothing
        in the file is executed, and no other file is opened. `system` is built on first access.

        Parameters
        ----------
        path : path
            File name, as given to `save`.

        Raises
        ------
        ValueError
            If the file was not written by `save`, was changed since, or is not a regular file. If
            its suffix is unknown.
        ImportError
            If h5py is needed but not installed. Install it with ``pip install nsmb[data]``.
        """
        data, about, balance = files.load(path)
        with reading(path):
            solution = cls(data, **about)
        solution._energy = balance
        return solution

    def plot(
        self,
        *,
        coordinates: Sequence[str] | None = None,
        t_span: tuple[float, float] | None = None,
        axes: Sequence[Axes] | None = None,
        figure: Figure | SubFigure | None = None,
        title: str | None = None,
    ) -> Figure | SubFigure:
        """Plot coordinates, gaps, and states of contacts and force elements over time.

        Arguments are those of `nsmb.pictures.plot.plot`.
        """
        return plot.plot(
            self, coordinates=coordinates, t_span=t_span, axes=axes, figure=figure, title=title
        )

    def plot_phase(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        t_span: tuple[float, float] | None = None,
        events: bool = True,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Axes:
        """Plot a phase portrait: one component of the state over another, with the events.

        Dashed lines are the velocity jumps of impacts. The marker of an impact is at the end of its
        jump.

        Parameters
        ----------
        x : str, optional
            Component of the state: a coordinate ``"phi"``, a velocity ``"phi_dot"`` or an internal
            state. ``solution.labels.components`` lists the names. Default: the first coordinate
            that moves and returns.
        y : str, optional
            The other component. Default: the velocity of the coordinate `x`.
        t_span : (float, float), optional
            Part of the run to show, s. Default: the whole run.
        events : bool
            Mark events by their kind.
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        title : str, optional
            Title of the figure. Default: the status if the run failed.

        Returns
        -------
        Axes
            The axes; the figure is neither shown nor saved.

        Raises
        ------
        ValueError
            If a component is unknown, if `t_span` is empty or outside the run, or if the run has no
            dense output.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.

        Examples
        --------
        >>> import nsmb
        >>> run = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=1.0)
        >>> ax = run.plot_phase(events=False)
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('$y$ / m', '$\\\\dot{y}$ / (m/s)')
        """
        return phase.plot_phase(self, x, y, t_span=t_span, events=events, ax=ax, title=title)

    def plot_contact_states(
        self, ax: Axes | None = None, *, t_span: tuple[float, float] | None = None
    ) -> Axes:
        """Plot the states of contacts over time, one row per contact, with force elements below.

        The row of an open contact is empty. A bar for stick fills the row. A bar for slip fills its
        upper part (positive slip), its lower part (negative slip) or its middle part (slip in a
        tangent plane). Black lines are impacts. The states can be distinguished without colour.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        t_span : (float, float), optional
            Part of the run to show, s. Default: the whole run.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If `t_span` is empty or outside the run, or if the system has neither contacts nor force
            elements.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return phase.plot_contact_states(self, ax, t_span=t_span)

    def draw(
        self,
        t: float | None = None,
        *,
        side: Literal["left", "right"] = "right",
        ax: Axes | None = None,
        forces: bool = True,
        title: str | None = None,
        stresses: bool | float = False,
    ) -> Axes:
        """Draw the system at a time of the run, with forces and optionally with stresses.

        Arguments are those of `nsmb.pictures.drawing.draw`. The default of `t` is the end of the
        run, which is the last valid state if the run failed.
        """
        t = self.t_span[1] if t is None else t
        return drawing.draw_run(
            self, t, side=side, ax=ax, forces=forces, title=title, stresses=stresses
        )

    def animate(self, **options: Any) -> animation.Animation:
        """Return an animation of the run, which Jupyter shows inline.

        Options are those of `nsmb.pictures.animation.Animation`: `speed`, `fps`, `t_span`, `trail`,
        `follow`, `slow_motion`, `forces`, `dpi`, `stresses`.
        """
        return animation.Animation(self, **options)

    def __repr__(self) -> str:
        if self.t.size == 0:
            return f"Solution of {self.system_name}: {self.status} before the first sample"
        first, last = self.t_span
        if self._has_events:
            kinds = ", ".join(f"{n} {label}" for label, n in self.events.count().items())
            events = f"{len(self.events)}{f' ({kinds})' if kinds else ''}"
        else:
            events = f"{self.stats.get('events', 'some')}; {self._remedy}"
        lines = [
            f"Solution of {self.system_name}: {self.status}",
            f"  t       {first:g} s to {last:g} s, {self.t.size} samples",
            f"  q       {', '.join(self.coordinates)}",
            f"  events  {events}",
        ]
        if self.message:
            lines.append(f"  message {self.message}")
        return "\n".join(lines)


def join(*solutions: Solution) -> Solution:
    """Join runs, each of which continues the previous one, to a single solution.

    Samples, events, steps, works, derivatives and counts are those of a single run. The status is
    that of the last run. ``first + second`` has the same result.

    Parameters
    ----------
    *solutions : Solution
        Runs in the order of time. ``simulate(system, t_end, start=solution)`` continues a run.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If no run is given, if the systems differ, or if a run does not start at the end of the
        previous one.

    Examples
    --------
    >>> import nsmb
    >>> toy = nsmb.systems.woodpecker()
    >>> first = nsmb.simulate(toy, 0.5)
    >>> run = nsmb.join(first, nsmb.simulate(toy, 1.0, start=first))
    >>> run.t_span, run.events.count() == nsmb.simulate(toy, 1.0).events.count()
    ((0.0, 1.0), True)
    """
    if not solutions:
        raise ValueError("solutions: must contain at least one run, got none")
    run, *others = (as_instance("solutions", solution, Solution) for solution in solutions)
    for other in others:
        run = run + other
    return run


def _restore(
    cls: type[Solution], data: Mapping[str, NDArray[Any]], about: Mapping[str, Any]
) -> Solution:
    """Restore a solution; called by pickle and copy."""
    return cls(data, **about)
