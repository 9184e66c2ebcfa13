"""Bifurcation diagrams as tables, files and pictures."""

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
    """Points of a section over a parameter, see :func:`bifurcation_diagram`.

    Rows are in the order of the values; of two directions first all rows upward, then downward.
    """

    parameter: str
    values: Vector
    """(k,) of the parameter."""
    names: tuple[str, ...]
    """(d,) of what was observed."""
    points: Vector
    """(k, m, d) behind the transient, NaN where a run ended before."""
    periods: NDArray[np.int64]
    """(k,) period in section points; 0: none found."""
    direction: tuple[str, ...]
    """(k,) ``"up"`` or ``"down"``; empty: not followed."""
    status: tuple[str, ...]
    """(k,) ``"finished"``; ``"failed"``: an exception; ``"section_not_met"``; ``"pending"`` and
    ``"lost"`` as in :class:`SweepResult`; or why the simulation ended, see `nsmb.Solution`."""
    messages: tuple[str, ...]
    """(k,) what happened; also where a followed attractor could not be taken over."""
    states: Vector
    """(k, 1 + ny) t and y = (q, u, x) at the last point, NaN where there is none."""
    nq: int
    """Number of coordinates in `states`."""
    nu: int
    """Number of velocities in `states`."""

    _origin: ClassVar[Origin | None] = None  # of an instance where it is known

    @property
    def origin(self) -> Origin | None:
        """What it was made of, for `explore`; None for files and copies, which do not keep it."""
        return self._origin

    def made_of(self, origin: Origin | None) -> BifurcationDiagram:
        """The same diagram, which knows now what it was made of."""
        object.__setattr__(self, "_origin", origin)
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Functions in the origin may be of no kind that can be pickled.
        return {name: value for name, value in self.__dict__.items() if name != "_origin"}

    @property
    def success(self) -> bool:
        """Whether all values are finished."""
        return all(status == "finished" for status in self.status)

    def branch(self, direction: str) -> BifurcationDiagram:
        """The rows of one direction.

        Parameters
        ----------
        direction : {"up", "down"}
            In which the parameter was followed.

        Raises
        ------
        ValueError
            If there are none.
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
        """The state at the last point of a row: where another run may start.

        Parameters
        ----------
        row : int
            Row of `values`.

        Raises
        ------
        ValueError
            If the row has none.
        """
        y = self.states[row, 1:]
        if not np.isfinite(y).all():
            raise ValueError(
                f"row: expected one with a state, got {row}, which is {self.status[row]!r}"
            )
        ends = [self.nq, self.nq + self.nu]
        return State(float(self.states[row, 0]), *(part.copy() for part in np.split(y, ends)))

    def to_dataframe(self) -> pd.DataFrame:
        """One row per point: the parameter, the names observed, ``period`` and ``direction``.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
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
        """A Dataset over row and sample; parameter, direction and status are coordinates of rows.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` brings it.
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
        """Write everything to one file, ``.npz``, or ``.h5`` or ``.hdf5``, which needs h5py.

        Parameters
        ----------
        path : path
            ``.npz``, ``.h5`` or ``.hdf5``. An existing file is replaced.

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
        """Read what `save` has written.

        Parameters
        ----------
        path : path
            As given to `save`.

        Raises
        ------
        ValueError
            If the file was not written by `save`, or its suffix is not known.
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
        """Plot an observed quantity over the parameter, dot by dot.

        Where the parameter was followed in both directions there are two colors: small dots on
        large ones. Crosses at the lower edge are values at which the run failed. Many dots are
        drawn as pixels in vector files: ``figure.savefig("diagram.pdf", dpi=300)``.

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
            For a name that was not observed.
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
        """A page for a notebook or Voilà, in which a click on a point shows its orbit.

        Beside the diagram stand the phase portrait of the orbit, its events and contact states,
        and its Floquet multipliers; where Newton's method finds no orbit, the run from the point
        on. A button follows the orbit over the parameter, and draws its branch.

        Parameters
        ----------
        observe : str, optional
            One of `names`; others can be chosen on the page. Default: the first.
        origin : Origin, optional
            What the diagram was made of, where it was loaded from a file: that of another diagram
            of the same system, section and method.
        branches : sequence of OrbitBranch
            To draw as well, see :func:`nsmb.analysis.continuation`.

        Returns
        -------
        DiagramExplorer
            Notebooks show it by itself. ``view.click(row)`` and ``view.start_branch()`` do the
            same from Python.

        Raises
        ------
        ValueError
            For a name that was not observed, branches over another parameter, and of a diagram
            that does not know what it was made of.
        ImportError
            If anywidget is not installed; ``pip install nsmb[view]`` brings it.
        """
        from nsmb.analysis.exploring.orbits_of_diagram import OrbitsOfDiagram
        from nsmb.explorer.orbit_view import DiagramExplorer

        known = self.origin if origin is None else origin
        if known is None:
            raise ValueError(
                "origin: expected what the diagram was made of, got None: files and copies do not "
                "keep it; give origin=other.origin of a diagram made by bifurcation_diagram"
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
