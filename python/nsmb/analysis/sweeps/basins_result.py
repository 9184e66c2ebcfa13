"""Basins of attraction as tables, files and figures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.summary import counted, spread
from nsmb.analysis.figures import plots
from nsmb.common import array_files
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.system.base import System

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

__all__ = ["Attractor", "BasinMap"]

Vector = NDArray[np.float64]

_FORMAT, _VERSION = "nsmb-basins", 1


@dataclass(frozen=True, eq=False)
class Attractor:
    """A long-term motion, observed at a section.

    Parameters
    ----------
    points : (p, d) array
        Observed points of one period.
    period : int
        Period in section points. 0: no period, `points` are a sample.

    Examples
    --------
    A known irregular motion as one of the ``attractors`` of :func:`basins`:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> gear = nsmb.systems.gear_rattling(alpha=3.0)
    >>> map = analysis.PoincareMap(gear, analysis.every())
    >>> chaos = analysis.Attractor(map.iterate(64, skip=200)["s_dot"][:, None], 0)
    """

    points: Vector
    """Observed points of one period, shape (p, d); a sample if there is no period."""
    period: int
    """Period in section points; 0 if none was found."""


@dataclass(frozen=True, eq=False)
class BasinMap(ShownAsTable):
    """The attractors to which the starts of a grid lead; see :func:`basins`."""

    axes: Mapping[str, Vector]
    """The varied components and their values."""
    labels: NDArray[np.int64]
    """Indices into `attractors`, one dimension per axis; -1: the run failed or left the section."""
    attractors: tuple[Attractor, ...]
    names: tuple[str, ...]
    """Names of the d observed quantities."""
    status: tuple[str, ...]
    """Status of each start, ordered as ``labels.ravel()``; see :class:`BifurcationDiagram`."""
    messages: tuple[str, ...]
    """Explanation for each start whose status is not ``"finished"``."""

    @property
    def success(self) -> bool:
        """True if every start led to an attractor."""
        return all(status == "finished" for status in self.status)

    @property
    def fractions(self) -> Vector:
        """Shares of the starts that lead to each attractor; the rest failed."""
        counts = np.bincount(self.labels[self.labels >= 0], minlength=len(self.attractors))
        return np.asarray(counts / self.labels.size)

    def to_xarray(self) -> xr.Dataset:
        """Return a Dataset over the axes with ``label`` and ``status``.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` installs it.
        """
        xarray = import_extra("xarray", "data")
        status = np.array(self.status, dtype=np.str_).reshape(self.labels.shape)
        variables = {"label": (list(self.axes), self.labels), "status": (list(self.axes), status)}
        dataset: xr.Dataset = xarray.Dataset(variables, dict(self.axes))
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
            "format": _FORMAT, "version": _VERSION, "axes": list(self.axes), "names": self.names,
            "status": self.status, "messages": self.messages,
            "periods": [attractor.period for attractor in self.attractors],
        }  # fmt: skip
        data: dict[str, NDArray[Any]] = {"labels": self.labels}
        data |= {f"axis_{i}": values for i, values in enumerate(self.axes.values())}
        data |= {f"attractor_{i}": found.points for i, found in enumerate(self.attractors)}
        array_files.write(path, header, data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> BasinMap:
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
        header, data = array_files.read(path, _FORMAT, _VERSION, "set of basins")
        with array_files.reading(path):
            return cls(
                {name: data[f"axis_{i}"] for i, name in enumerate(header["axes"])},
                data["labels"],
                tuple(
                    Attractor(data[f"attractor_{i}"], period)
                    for i, period in enumerate(header["periods"])
                ),
                tuple(header["names"]),
                tuple(header["status"]),
                tuple(header["messages"]),
            )

    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        at: Mapping[str, float] | None = None,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        system: System | None = None,
    ) -> Axes:
        """Plot the starts over two axes of the grid, coloured by the attractor to which they lead.

        Starts that lead to no attractor are white. Colours also differ in lightness.

        Parameters
        ----------
        x, y : str, optional
            Two of `axes`. Default: the first two.
        at : mapping of str to float, optional
            Position of the cut along the other axes, at the nearest value of the grid. Default: the
            middle value.
        names : sequence of str, optional
            Names of the attractors, for the legend. Default: ``attractor 0``, ..., numbered as in
            `labels`.
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
            If axes are unknown, or if there are fewer than two axes or too few names.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return plots.plot_basins(self, x, y, at=at, names=names, ax=ax, system=system)

    def __repr__(self) -> str:
        lines = [f"BasinMap: {counted(self.status)}"]
        lines += [
            f"  {name} from {spread(values)}, {len(values)} values"
            for name, values in self.axes.items()
        ]
        for k, (attractor, part) in enumerate(zip(self.attractors, self.fractions, strict=True)):
            kind = f"period {attractor.period}" if attractor.period else "no period"
            lines.append(f"  attractor {k}: {kind}, {100.0 * part:.3g} % of the starts")
        return "\n".join(lines)
