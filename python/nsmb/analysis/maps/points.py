"""Points of a section, the results of a Poincaré map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.summary import spread
from nsmb.analysis.figures import plots
from nsmb.analysis.maps.sections import EventSection, Section, StroboscopicSection
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.system.base import State, System

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["SectionPoints", "as_state", "core_options"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SectionPoints(ShownAsTable):
    """Points of a section in the order of time; see :meth:`PoincareMap.iterate`."""

    system: System
    section: Section
    t: Vector
    """Times of the points in s, shape (m,)."""
    y_minus: Vector
    """States y = (q, u, x) before the event, shape (m, ny); without an event equal to `y_plus`."""
    y_plus: Vector
    """States after all events of the instant, shape (m, ny)."""
    Lambda_N: Vector
    """Normal impulses at the points, shape (m, nc), in N s."""
    Lambda_T: Vector
    """Tangential impulses at the points, shape (m, nt), in N s."""
    status: str
    """``"finished"``; ``"section_not_met"``; or why the simulation ended, see `nsmb.Solution`."""
    message: str
    """Description of a problem, with a remedy; empty if finished."""

    def __len__(self) -> int:
        return int(self.t.size)

    @property
    def success(self) -> bool:
        """True if all requested points were met."""
        return self.status == "finished"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `y_minus` and `y_plus`, as in ``system.labels``."""
        return self.system.labels.components

    def __getitem__(self, name: str) -> Vector:
        """Return a component of `y_plus` by its name, shape (m,)."""
        column: Vector = self.y_plus[:, self.system.labels.component(name)]
        return column

    def state(self, index: int = -1) -> State:
        """Return the state after a point (default: the last), at which another run may start."""
        return as_state(self.system, float(self.t[index]), self.y_plus[index])

    def __repr__(self) -> str:
        lines = [
            f"SectionPoints of {self.system.name}, {self.section.describe()}: {self.status}",
            f"  {len(self)} points, t from {spread(self.t)} s",
        ]
        lines += [f"  {name} from {spread(self[name])}" for name in self.names]
        return "\n".join(lines + ([f"  note {self.message}"] if self.message else []))

    def plot(
        self,
        x: str,
        y: str,
        *,
        side: Literal["minus", "plus"] = "plus",
        ax: Axes | None = None,
        system: System | None = None,
    ) -> Axes:
        """Plot one component of the state at the section over another.

        In vector files, many points are drawn as pixels. Set their resolution with
        ``figure.savefig("map.pdf", dpi=300)``.

        Parameters
        ----------
        x, y : str
            Two of `names`.
        side : {"plus", "minus"}
            The state after the event of the section, or before it.
        ax : Axes, optional
            Axes to draw in. Default: those of a new figure.
        system : System, optional
            The system that gives the units of the axes. Default: that of the points.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If a component or the side is unknown.
        ImportError
            If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.
        """
        return plots.plot_poincare(self, x, y, side=side, ax=ax, system=system)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row per point.

        The columns are ``t``, the components of `y_plus`, the components before the event with a
        minus after the name, and ``Lambda_N[beak]``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        """
        pandas = import_extra("pandas", "data")
        columns: dict[str, Any] = {"t": self.t}
        columns |= dict(zip(self.names, self.y_plus.T, strict=True))
        columns |= {f"{k}-": v for k, v in zip(self.names, self.y_minus.T, strict=True)}
        for name, names in (
            ("Lambda_N", self.system.contact_names),
            ("Lambda_T", self.system.tangent_names),
        ):
            table = getattr(self, name)
            columns |= {f"{name}[{label}]": table[:, i] for i, label in enumerate(names)}
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame


def core_options(system: System, section: Section) -> dict[str, Any]:
    """Return the section as arguments of ``iterate`` of the core."""
    if isinstance(section, StroboscopicSection):
        period = section.period_of(system)
        return {"period": period, "t_0": section.phase * period}
    if isinstance(section, EventSection):
        names = system.contact_names
        contact = -1 if section.contact is None else names.index(section.contact)
        return {"kind": -1 if section.kind is None else int(section.kind), "contact": contact}
    raise ValueError(f"section: expected on_event(...) or every(...), got {section.describe()!r}")


def as_state(system: System, t: float, y: Vector) -> State:
    """Return (t, y) as a State."""
    nq, nu = system.nq, system.nu
    return State(t, y[:nq].copy(), y[nq : nq + nu].copy(), y[nq + nu :].copy())
