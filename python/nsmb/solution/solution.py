"""What a run leaves behind: samples, events, and the motion between them."""

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
        Feature of the first and of the second contour that may touch in each slot, if contact
        points come and go; -1 marks an unused slot. Otherwise the shape is (n, 0, 2).
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
        samples at the start and end, ``"nothing"`` for these two samples alone. Otherwise the path
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
        """The solution of `system` in the arrays that ``trajectory()`` of the core hands over."""
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

    _energy: EnergyBalance | None = None  # once it was asked for

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
            # A function in it may be of a kind that cannot be copied.
            "method": None if self.method is None or self.method.has_function else self.method,
        }
        return _restore, (type(self), self._data, about)

    @property
    def energy(self) -> EnergyBalance:
        """Energies and what changed them, sample by sample: `nsmb.results.EnergyBalance`.

        Computed when it is first asked for, then kept, also by `save`. Without dense output works
        and residual are NaN.

        Raises
        ------
        ValueError
            If the system is not known, see `system`, as after `load` of a run whose energy was not
            asked for; if parameters were set on the way; of a run that was told not to keep its
            events.
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
        """The bodies by name, over time; a ValueError for systems that no model has built."""
        return Bodies(self, self.contacts)

    @cached_property
    def joints(self) -> Joints:
        """The joints by name, over time; a ValueError for systems that no model has built."""
        return Joints(self, self.contacts)

    @cached_property
    def elements(self) -> Elements:
        """The force elements by name, over time."""
        return Elements(self)

    def check(
        self, *, tolerance: float | None = None, energy: float | None = None, points: int = 300
    ) -> SolutionCheck:
        """Check every row: complementarity (chapter 9), friction, log, impacts, motion, energy.

        Without a known `system`, and where parameters were set on the way, friction coefficients,
        impacts, motion between samples and energy are left out. Where contact points come and go,
        motion between samples is judged by outlines alone, and the laws of an impact only where its
        contact points are found again at its place.

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
        return check_solution(
            self, lambda: self.energy, tolerance=tolerance, energy=energy, points=points
        )

    def __add__(self, other: Solution) -> Solution:
        """This run and one that goes on where it ended, as one: see :func:`nsmb.join`."""
        if not isinstance(other, Solution):
            return NotImplemented
        data, about = joining.joined(self, other)
        return type(self)(data, **about)

    def to_dataframe(self, *, unique: bool = False) -> pd.DataFrame:
        """One row per sample: ``t``, the components of `labels`, ``g_N[beak]``, ...

        Parameters
        ----------
        unique : bool
            One row for each time: of both sides of an event the one behind it.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
        """
        return tables.to_dataframe(self, unique)

    def to_xarray(self, *, unique: bool = False) -> xr.Dataset:
        """A Dataset over time, coordinate and contact.

        Further axes where they are needed: velocity, if nu differs from nq; tangent, if a contact
        has two tangential directions; state; element.

        Units, status, message and parameters are attributes.

        Parameters
        ----------
        unique : bool
            One row for each time: of both sides of an event the one behind it. False: both.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` brings it.
        """
        return tables.to_xarray(self, unique)

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
        files.save(self, self._energy, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Solution:
        """Read what `save` has written.

        Only arrays and texts are read, and their checksum is compared before they are used:
        nothing in the file is executed or looked up elsewhere. `system` is built when it is asked
        for.

        Parameters
        ----------
        path : path
            As given to `save`.

        Raises
        ------
        ValueError
            If the file was not written by `save`, was changed since, or is no regular file; if its
            suffix is not known.
        ImportError
            If h5py is needed and not installed; ``pip install nsmb[data]`` brings it.
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
        """Coordinates, gaps, states of contacts and force elements over time.

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

        Dashed lines are the jumps of impacts; the mark of an impact is at the end of its jump.

        Parameters
        ----------
        x : str, optional
            Component of the state: a coordinate ``"phi"``, a velocity ``"phi_dot"`` or an internal
            state. ``solution.labels.components`` lists the names. Default: the first coordinate
            that moves and comes back.
        y : str, optional
            The other component. Default: the velocity of the coordinate `x`.
        t_span : (float, float), optional
            s, the part of the run to show. Default: the whole run.
        events : bool
            Mark events by their kind.
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        title : str, optional
            Default: the status of a run that failed.

        Returns
        -------
        Axes
            Nothing is shown or saved.

        Raises
        ------
        ValueError
            For an unknown component, an empty or outlying `t_span`, or a run without dense output.
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
        """Plot the states of the contacts over time, a row per contact; force elements below.

        Open contacts are empty. Bars of sticking fill the row, those of slip only its upper
        (positive), lower (negative) or middle part (in a plane); black lines are impacts. The
        states can be told without color.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        t_span : (float, float), optional
            s, the part of the run to show. Default: the whole run.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            For an empty or outlying `t_span`, or a system without contacts and force elements.
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
        """Picture of the system at a time of the run, with forces, on demand with stresses.

        Arguments are those of `nsmb.pictures.drawing.draw`. Default of `t`: the end of the run,
        which shows where a run that failed came to.
        """
        t = self.t_span[1] if t is None else t
        return drawing.draw_run(
            self, t, side=side, ax=ax, forces=forces, title=title, stresses=stresses
        )

    def animate(self, **options: Any) -> animation.Animation:
        """Moving picture, shown inline in Jupyter.

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
    """Runs, each of which goes on where the one before ended, as one.

    Samples, events, steps, works, derivatives and counts are those of one run; the status is that
    of the last. ``first + second`` is the same.

    Parameters
    ----------
    *solutions : Solution
        In the order of time; ``simulate(system, t_end, start=solution)`` makes the next one.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        For none at all, runs of different systems, or a run that begins elsewhere than the one
        before has ended.

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
        raise ValueError("solutions: expected one or more, got none")
    run, *others = (as_instance("solutions", solution, Solution) for solution in solutions)
    for other in others:
        run = run + other
    return run


def _restore(
    cls: type[Solution], data: Mapping[str, NDArray[Any]], about: Mapping[str, Any]
) -> Solution:
    """What pickle and copy call."""
    return cls(data, **about)
