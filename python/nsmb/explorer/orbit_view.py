"""A page with a diagram: a click on a point shows its orbit, a button starts a branch there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nsmb.explorer.page import Page, Worker
from nsmb.explorer.payload import Arrays, pack, run_payload
from nsmb.solution.solution import Solution
from nsmb.system.base import System

__all__ = ["DiagramExplorer"]

Floats = NDArray[np.float64]


class Orbit(Protocol):
    """See `nsmb.analysis.results.PeriodicOrbit`."""

    @property
    def multiplier_kinds(self) -> Sequence[str]: ...
    @property
    def stability(self) -> str: ...
    @property
    def period(self) -> float: ...
    def to_text(self) -> str: ...


class Selected(Protocol):
    """The motion that belongs to a point of a diagram."""

    @property
    def value(self) -> float: ...
    @property
    def system(self) -> System: ...
    @property
    def solution(self) -> Solution: ...
    @property
    def orbit(self) -> Orbit | None: ...
    @property
    def points(self) -> Floats: ...
    @property
    def message(self) -> str: ...
    @property
    def multipliers(self) -> NDArray[np.complex128]: ...


class Special(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def index(self) -> int: ...


class BranchOfOrbits(Protocol):
    @property
    def values(self) -> Floats: ...
    @property
    def stable(self) -> NDArray[np.bool_]: ...
    @property
    def special_points(self) -> Sequence[Any]: ...


class Drawn(Protocol):
    @property
    def branch(self) -> BranchOfOrbits: ...
    @property
    def heights(self) -> tuple[Floats, ...]: ...


class Diagram(Protocol):
    @property
    def parameter(self) -> str: ...
    @property
    def values(self) -> Floats: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def points(self) -> Floats: ...


class Source(Protocol):
    """The content of the page; see `nsmb.analysis.exploring`."""

    @property
    def diagram(self) -> Diagram: ...
    @property
    def selected(self) -> Selected | None: ...
    @property
    def branches(self) -> list[Any]: ...
    def click(self, row: int) -> Any: ...
    def click_branch(self, branch: int, index: int) -> Any: ...
    def start_branch(
        self, span: tuple[float, float] | None = None, *, max_points: int = ...
    ) -> Any: ...


class DiagramExplorer:
    """The page that ``diagram.explore()`` returns, with the same clicks from Python.

    Parameters
    ----------
    source : OrbitsOfDiagram
        Diagram, orbits and branches.
    system : System or None
        System with any value of the parameter, for name and units.
    observe : int
        Column of the diagram that is drawn first.
    """

    def __init__(self, source: Source, system: System | None, observe: int = 0) -> None:
        self._source = source
        self._sent = 0
        self._message = ""
        diagram = source.diagram
        spec = {
            "title": "" if system is None else system.name,
            "parameter": diagram.parameter,
            "names": list(diagram.names),
            "units": _units(system, (diagram.parameter, *diagram.names)),
            "observe": observe,
        }
        self._page = Page("orbits.js", spec, self._on_message)
        self._worker = Worker(self._work, self._show)
        self._show(self._payload())

    @property
    def selected(self) -> Any:
        """The orbit of the last click as `OrbitAtPoint`, or None."""
        return self._source.selected

    @property
    def branches(self) -> list[Any]:
        """The drawn branches."""
        return [drawn.branch for drawn in self._source.branches]

    @property
    def message(self) -> str:
        """Error or note of the last click or branch, otherwise empty."""
        return self._message

    @property
    def widget(self) -> Any:
        """The widget, for use in layouts with other widgets."""
        return self._page.widget

    def click(self, row: int) -> Any:
        """Return and show the orbit at a row of the diagram, like a click on one of its points.

        Parameters
        ----------
        row : int
            Row of ``diagram.values``.

        Returns
        -------
        OrbitAtPoint
            Contains `orbit`, `multipliers` and `solution`, which is one period. If no orbit was
            found, `solution` is the run from the point and `message` gives the reason.

        Raises
        ------
        ValueError
            If the row does not exist or has no point.
        """
        return self._done(lambda: self._source.click(row))

    def click_branch(self, branch: int, index: int) -> Any:
        """Return and show orbit `index` of a drawn branch.

        Raises
        ------
        ValueError
            If the branch or the orbit does not exist.
        """
        return self._done(lambda: self._source.click_branch(branch, index))

    def start_branch(self, span: tuple[float, float] | None = None, *, max_points: int = 80) -> Any:
        """Continue the orbit that was clicked last, and draw its branch.

        Parameters
        ----------
        span : (float, float), optional
            Range of the parameter; default: that of the diagram.
        max_points : int
            Maximum number of points in each direction.

        Returns
        -------
        OrbitBranch

        Raises
        ------
        ValueError
            If no orbit was clicked.
        """
        return self._done(lambda: self._source.start_branch(span, max_points=max_points))

    def clear_branches(self) -> None:
        """Remove all branches."""
        self._done(self._source.branches.clear)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self._page.bundle(repr(self), options)

    def __repr__(self) -> str:
        diagram = self._source.diagram
        return (
            f"<DiagramExplorer over {diagram.parameter}: {diagram.values.size} values, "
            f"{len(self._source.branches)} branches>"
        )

    # ---- details -----------------------------------------------------------------------------

    def _done(self, action: Callable[[], Any]) -> Any:
        result = action()
        self._message = ""
        self._show(self._payload())
        return result

    def _on_message(self, content: dict[str, Any]) -> None:
        self._worker.want(content)

    def _work(self, wish: dict[str, Any], _: Callable[[], bool]) -> tuple[dict[str, Any], bytes]:
        source, kind = self._source, wish.get("type")
        self._message = ""
        try:
            if kind == "click":
                source.click(int(wish["row"]))
            elif kind == "click_branch":
                source.click_branch(int(wish["branch"]), int(wish["index"]))
            elif kind == "branch":
                branch = source.start_branch()
                self._message = branch.message
            elif kind == "clear":
                source.branches.clear()
        except Exception as error:  # also errors of user functions are shown on the page
            self._message = f"{type(error).__name__}: {error}"
        return self._payload()

    def _payload(self) -> tuple[dict[str, Any], bytes]:
        source = self._source
        diagram = source.diagram
        self._sent += 1
        arrays: Arrays = {"values": diagram.values, "points": diagram.points}
        header: dict[str, Any] = {"id": self._sent, "message": self._message, "branches": []}
        for k, drawn in enumerate(source.branches):
            arrays[f"branch_{k}"] = _lines(drawn)
            header["branches"].append([_special(drawn, point) for point in
                                       drawn.branch.special_points])  # fmt: skip
        selected = source.selected
        if selected is not None:
            told, own = run_payload(selected.solution, with_scene=False)
            arrays |= own
            arrays["selected"] = selected.points
            arrays["multipliers"] = np.column_stack(
                [selected.multipliers.real, selected.multipliers.imag]
            )
            header["run"] = told
            header["selected"] = _texts(selected)
        table, data = pack(arrays)
        header["arrays"] = table
        return header, data

    def _show(self, found: tuple[dict[str, Any], bytes]) -> None:
        self._page.show(*found)


def _units(system: System | None, names: Sequence[str]) -> list[str]:
    """Return the units of names, empty if unknown."""
    if system is None:
        return [""] * len(names)
    labels = system.labels
    known = dict(zip(labels.components, labels.component_units, strict=True))
    known |= dict(zip(labels.parameter_names, labels.parameter_units, strict=True))
    return [known.get(name, "") for name in names]


def _lines(drawn: Drawn) -> Floats:
    """Return value, stability, orbit index and heights, shape (n, 3 + d); NaN separates lines.

    There is one line for each section point of the orbits. Lines end where the number of section
    points changes.
    """
    values, stable, heights = drawn.branch.values, drawn.branch.stable, drawn.heights
    d = heights[0].shape[1]
    rows: list[list[float]] = []
    first = 0
    for last in range(1, len(heights) + 1):
        if last < len(heights) and len(heights[last]) == len(heights[first]):
            continue
        for column in range(len(heights[first])):
            rows += [
                [values[i], float(stable[i]), float(i), *heights[i][column].tolist()]
                for i in range(first, last)
            ]
            rows.append([math.nan] * (3 + d))
        first = last
    return np.array(rows, dtype=np.float64).reshape(-1, 3 + d)


def _special(drawn: Drawn, point: Special) -> dict[str, Any]:
    """Return kind, value, and the interpolated heights of all section points."""
    heights, values = drawn.heights, drawn.branch.values
    i = min(max(point.index, 0), len(heights) - 1)
    j = min(i + 1, len(heights) - 1)
    a, b = heights[i], heights[j]
    step = float(values[j] - values[i])
    part = (point.value - float(values[i])) / step if step else 0.0
    between = a + part * (b - a) if a.shape == b.shape and 0.0 <= part <= 1.0 else a
    return {"kind": point.kind, "value": float(point.value), "heights": between.tolist()}


def _texts(selected: Selected) -> dict[str, Any]:
    """Return the texts about the orbit."""
    orbit = selected.orbit
    if orbit is None:
        return {"value": selected.value, "stability": "no orbit", "kinds": [], "multipliers": [],
                "lines": [["orbit", selected.message]], "orbit": False}  # fmt: skip
    kinds = list(orbit.multiplier_kinds)
    texts = []
    for value, kind in zip(selected.multipliers.tolist(), kinds, strict=True):
        number = f"{value.real:.5g}" + (f" {value.imag:+.5g}i" if abs(value.imag) > 1e-9 else "")
        texts.append([number, f"|Λ| = {abs(value):.5g}", kind])
    lines = [["orbit", f"{orbit.stability}, period {orbit.period:.7g} s"]]
    if selected.message:
        lines.append(["note", selected.message])
    return {"value": selected.value, "stability": orbit.stability, "kinds": kinds,
            "multipliers": texts, "lines": lines, "orbit": True}  # fmt: skip
