"""Bifurcation diagrams as tables, files and figures."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.summary import counted, spread
from nsmb.analysis.exploring.origin import Origin
from nsmb.analysis.figures import plots
from nsmb.common import array_files
from nsmb.common.arguments import unknown_name
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.system.base import State, System

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

    from nsmb.analysis.branches.branch import OrbitBranch
    from nsmb.explorer.orbit_view import DiagramExplorer

__all__ = ["BifurcationDiagram"]

Vector = NDArray[np.float64]

_FORMAT, _VERSION = "nsmb-diagram", 1


@dataclass(frozen=True, eq=False)
class BifurcationDiagram(ShownAsTable):
    """Points of a section over a parameter; see :func:`bifurcation_diagram`.

    Rows are in the order of the values. With two directions, all upward rows come first.
    """

    parameter: str
    values: Vector
    """Values of the parameter, shape (k,)."""
    names: tuple[str, ...]
    """Names of the d observed quantities."""
    points: Vector
    """Observed points after the transient, shape (k, m, d); NaN if a run ended early."""
    periods: NDArray[np.int64]
    """Periods in section points, shape (k,); 0 if none was found."""
    direction: tuple[str, ...]
    """Direction of each row, ``"up"`` or ``"down"``; empty if it was not followed."""
    status: tuple[str, ...]
    """Status of each row: ``"finished"``; ``"failed"`` after an exception; ``"section_not_met"``;
    ``"pending"`` and ``"lost"`` as in :class:`SweepResult`; or why the simulation ended, see
    `nsmb.Solution`."""
    messages: tuple[str, ...]
    """Explanation for each row, also if a followed attractor could not be carried over."""
    states: Vector
    """Time t and y = (q, u, x) at the last point, shape (k, 1 + ny); NaN if there is none."""
    nq: int
    """Number of coordinates in `states`."""
    nu: int
    """Number of velocities in `states`."""

    _origin: ClassVar[Origin | None] = None  # set on instances for which it is known

    @property
    def origin(self) -> Origin | None:
        """The origin of the diagram, for `explore`; None after loading or copying the diagram."""
        return self._origin

    def made_of(self, origin: Origin | None) -> BifurcationDiagram:
        """Set the origin of this diagram and return the diagram."""
        object.__setattr__(self, "_origin", origin)
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Functions in the origin may not be picklable.
        return {name: value for name, value in self.__dict__.items() if name != "_origin"}

    @property
    def success(self) -> bool:
        """True if all values are finished."""
        return all(status == "finished" for status in self.status)

    def branch(self, direction: str) -> BifurcationDiagram:
        """Return the rows of one direction.

        Parameters
        ----------
        direction : {"up", "down"}
            Direction in which the parameter was followed.

        Raises
        ------
        ValueError
            If there are no such rows.
        """
        rows = [k for k, label in enumerate(self.direction) if label == direction]
        if not rows:
            raise unknown_name("direction", direction, sorted(set(self.direction)))
        return BifurcationDiagram(
            self.parameter,
            self.values[rows],
            self.names,
            self.points[rows],
            self.periods[rows],
            tuple(self.direction[k] for k in rows),
            tuple(self.status[k] for k in rows),
            tuple(self.messages[k] for k in rows),
            self.states[rows],
            self.nq,
            self.nu,
        ).made_of(self.origin)

    def state(self, row: int) -> State:
        """Return the state at the last point of a row, at which another run may start.

        Parameters
        ----------
        row : int
            Row of `values`.

        Raises
        ------
        ValueError
            If the row has no state.
        """
        y = self.states[row, 1:]
        if not np.isfinite(y).all():
            raise ValueError(
                f"row: expected one with a state, got {row}, which is {self.status[row]!r}"
            )
        ends = [self.nq, self.nq + self.nu]
        return State(float(self.states[row, 0]), *(part.copy() for part in np.split(y, ends)))

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per point: the parameter, the observed names, ``period``, ``direction``.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        """
        pandas = import_extra("pandas", "data")
        there = np.isfinite(self.points).all(axis=2)
        row, sample = np.nonzero(there)
        columns: dict[str, Any] = {self.parameter: self.values[row]}
        columns |= dict(zip(self.names, self.points[row, sample].T, strict=True))
        columns |= {
            "sample": sample,
            "period": self.periods[row],
            "direction": np.array(self.direction, dtype=object)[row],
        }
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def to_xarray(self) -> xr.Dataset:
        """Return a Dataset over row and sample.

        Parameter, direction and status are coordinates of the rows.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` installs it.
        """
        xarray = import_extra("xarray", "data")
        variables: dict[str, Any] = {
            name: (("row", "sample"), self.points[:, :, i]) for i, name in enumerate(self.names)
        }
        variables["period"] = ("row", self.periods)
        coords = {
            self.parameter: ("row", self.values),
            "direction": ("row", np.array(self.direction, dtype=np.str_)),
            "status": ("row", np.array(self.status, dtype=np.str_)),
        }
        dataset: xr.Dataset = xarray.Dataset(variables, coords, {"parameter": self.parameter})
        return dataset

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, ``.npz``, or ``.h5`` or ``.hdf5`` with h5py.

        Parameters
        ----------
        path : path
            Path with suffix ``.npz``, ``.h5`` or ``.hdf5``. An existing file is replaced.

        Raises
        ------
        ValueError
            If the suffix is none of these.
        """
        header = {
            "format": _FORMAT, "version": _VERSION, "parameter": self.parameter,
            "names": self.names, "direction": self.direction, "status": self.status,
            "messages": self.messages, "nq": self.nq, "nu": self.nu,
        }  # fmt: skip
        tables = ("values", "points", "periods", "states")
        array_files.write(path, header, {name: getattr(self, name) for name in tables})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> BifurcationDiagram:
        """Read a file written by `save`.

        Parameters
        ----------
        path : path
            Path of the file.

        Raises
        ------
        ValueError
            If the file was not written by `save`, or if its suffix is unknown.
        """
        header, data = array_files.read(path, _FORMAT, _VERSION, "bifurcation diagram")
        entries = {**header, **data}
        with array_files.reading(path):
            values: dict[str, Any] = {
                field.name: entries[field.name] for field in dataclasses.fields(cls)
            }
            for name, value in values.items():
                values[name] = tuple(value) if isinstance(value, list) else value
            return cls(**values)

    def plot(
        self, observe: str | None = None, ax: Axes | None = None, *, system: System | None = None
    ) -> Axes:
        """Plot an observed quantity over the parameter, point by point.

        If the parameter was followed in both directions, small dots of one colour lie on large dots
        of the other. Crosses at the lower edge mark values at which the run failed. In vector
        files, many dots are drawn as pixels. Set their resolution with
        ``figure.savefig("diagram.pdf", dpi=300)``.

        Parameters
        ----------
        observe : str, optional
            One of `names`. Default: the first.
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        system : System, optional
            The system that gives the units of the axes. Default: no units.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If the name was not observed.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return plots.plot_diagram(self, observe, ax=ax, system=system)

    def explore(
        self,
        observe: str | None = None,
        *,
        origin: Origin | None = None,
        branches: Sequence[OrbitBranch] = (),
    ) -> DiagramExplorer:
        """Return a page for a notebook or Voilà, in which a click on a point shows its orbit.

        The page shows the phase portrait of the orbit beside the diagram, its events and contact
        states, and its Floquet multipliers. If Newton's method finds no orbit, it shows the run
        from the point. A button follows the orbit over the parameter and draws its branch.

        Parameters
        ----------
        observe : str, optional
            One of `names`; others can be selected on the page. Default: the first.
        origin : Origin, optional
            Origin of the diagram, if it was loaded from a file: that of another diagram of the same
            system, section and method.
        branches : sequence of OrbitBranch
            Branches to draw in addition, see :func:`nsmb.analysis.continuation`.

        Returns
        -------
        DiagramExplorer
            Notebooks display it automatically. ``view.click(row)`` and ``view.start_branch()`` have
            the same effects from Python.

        Raises
        ------
        ValueError
            If the name was not observed, a branch is over another parameter, or the origin of the
            diagram is unknown.
        ImportError
            If anywidget is not installed; ``pip install nsmb[view]`` installs it.
        """
        from nsmb.analysis.exploring.orbits_of_diagram import OrbitsOfDiagram
        from nsmb.explorer.orbit_view import DiagramExplorer

        known = self.origin if origin is None else origin
        if known is None:
            raise ValueError(
                "origin: must be the origin of a diagram, got None. Pass origin=other.origin of "
                "a diagram from bifurcation_diagram, since files and copies do not store it."
            )
        name = self.names[0] if observe is None else observe
        if name not in self.names:
            raise unknown_name("observe", name, list(self.names))
        source = OrbitsOfDiagram(self, known, branches)
        return DiagramExplorer(source, known.system(self.values), self.names.index(name))

    def __repr__(self) -> str:
        ways = ", ".join(sorted({way for way in self.direction if way})) or "not followed"
        lines = [
            f"BifurcationDiagram over {self.parameter}: {counted(self.status)}",
            f"  {self.values.size} values from {spread(self.values)}, {ways}",
            f"  {counted(f'of period {p}' if p else 'without period' for p in self.periods)}",
        ]
        lines += [
            f"  {name} from {spread(self.points[:, :, i])}" for i, name in enumerate(self.names)
        ]
        return "\n".join(lines)
