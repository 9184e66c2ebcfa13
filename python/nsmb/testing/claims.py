"""What a source claims, held against what was computed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_number
from nsmb.common.html import html_table
from nsmb.common.text import text_table

__all__ = ["Claim", "Claims"]

_HEADER = ("claim", "source", "said", "computed", "verdict")
_SHOWN = 6  # numbers of an array


@dataclass(frozen=True)
class Claim:
    """One row of :class:`Claims`, as texts but for `holds`."""

    claim: str
    """What is claimed."""
    source: str
    """Who claims it."""
    said: str
    """Value it should have."""
    computed: str
    """Value that was computed."""
    holds: bool
    """Whether both agree within the tolerance."""
    verdict: str
    """``holds`` with the largest deviation, or ``does not hold`` with the reason."""


class Claims:
    """A table of claims with verdicts, each of which is checked when it is added.

    `holds` adds a claim that is true, `fails` one that is not, with the reason. If the numbers say
    otherwise, both raise AssertionError: a script or a page with such a table is a test of itself.

    Parameters
    ----------
    source : str
        Who claims it, unless a row says otherwise.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import testing
    >>> ball = nsmb.simulate(nsmb.systems.bouncing_ball(H=1.0, g=8.0), t_end=1.0)
    >>> claims = testing.Claims("closed form")
    >>> claims.holds("first impact at √(2H/g)", said=0.5, computed=ball.events.t[0], unit="s",
    ...              atol=1e-12)
    >>> claims.rows[0].computed, claims.rows[0].holds
    ('0.5 s', True)
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._rows: list[Claim] = []

    @property
    def rows(self) -> tuple[Claim, ...]:
        """All claims in the order in which they were added."""
        return tuple(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def holds(
        self,
        claim: str,
        said: Any,
        computed: Any,
        *,
        unit: str = "",
        rtol: float = 0.0,
        atol: float = 0.0,
        digits: int = 6,
        source: str | None = None,
    ) -> None:
        """Add a claim that is true.

        Parameters
        ----------
        claim : str
            What is claimed, in words.
        said, computed : float, array, str, bool or list of str
            Numbers agree where ``|computed - said| <= atol + rtol |said|``, one number with all
            of an array; all else where both are equal.
        unit : str
            Of the numbers.
        rtol, atol : float
        digits : int
            Significant digits that the table shows.
        source : str, optional
            Who claims it; default: that of the table.

        Raises
        ------
        AssertionError
            If it is not true.
        """
        row = self._row(claim, said, computed, unit, rtol, atol, digits, source, "")
        if not row.holds:
            raise AssertionError(f"{claim}: expected {row.said}, computed {row.computed}")
        self._rows.append(row)

    def fails(
        self,
        claim: str,
        said: Any,
        computed: Any,
        *,
        because: str,
        unit: str = "",
        rtol: float = 0.0,
        atol: float = 0.0,
        digits: int = 6,
        source: str | None = None,
    ) -> None:
        """Add a claim that is not true, and why; arguments as those of `holds`.

        Parameters
        ----------
        claim, said, computed, unit, rtol, atol, digits, source
            As for `holds`.
        because : str
            The reason.

        Raises
        ------
        AssertionError
            If it is true.
        """
        row = self._row(claim, said, computed, unit, rtol, atol, digits, source, because)
        if row.holds:
            raise AssertionError(
                f"{claim}: expected to differ from {row.said}, computed {row.computed}"
            )
        self._rows.append(row)

    def to_text(self) -> str:
        """A fixed-width table."""
        rows = self._cells()
        return text_table(_HEADER, rows.__getitem__, len(rows), left=range(5), max_rows=None)

    def __repr__(self) -> str:
        kept = sum(row.holds for row in self._rows)
        head = f"Claims of {self.source}: {kept} of {len(self)} hold"
        return f"{head}\n{self.to_text()}" if self._rows else head

    def _repr_html_(self) -> str:
        kept = sum(row.holds for row in self._rows)
        title = f"{self.source}: {kept} of {len(self)} claims hold"
        return html_table(title, _HEADER, self._cells())

    def _cells(self) -> list[tuple[str, ...]]:
        return [(r.claim, r.source, r.said, r.computed, r.verdict) for r in self._rows]

    def _row(
        self,
        claim: str,
        said: Any,
        computed: Any,
        unit: str,
        rtol: float,
        atol: float,
        digits: int,
        source: str | None,
        because: str,
    ) -> Claim:
        rtol, atol = as_number("rtol", rtol), as_number("atol", atol)
        if _is_number(said) and _is_number(computed):
            a, b = np.asarray(said, dtype=np.float64), np.asarray(computed, dtype=np.float64)
            same_shape = a.shape in ((), b.shape)
            same = same_shape and bool(np.allclose(b, a, rtol=rtol, atol=atol))
            error = float(np.abs(b - a).max(initial=0.0)) if same_shape else np.nan
            verdict = f"holds, to {_rounded_up(error)} {unit}".rstrip() if error else "holds"
        else:
            same, verdict = bool(np.array_equal(said, computed)), "holds"
        if not same:
            verdict = f"does not hold, because {because}"
        shown = [_shown(value, unit, digits) for value in (said, computed)]
        return Claim(claim, source or self.source, shown[0], shown[1], same, verdict)


def _is_number(value: Any) -> bool:
    kind = np.asarray(value).dtype.kind
    return kind in "iuf"


def _rounded_up(error: float) -> str:
    """To one digit, never less than it is."""
    text = f"{error:.0e}"
    if not math.isfinite(error):
        return text
    return text if float(text) >= error else f"{float(text) + 10.0 ** int(text[2:]):.0e}"


def _shown(value: ArrayLike, unit: str, digits: int) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    entries = np.asarray(value).ravel().tolist()
    cells = [f"{v:.{digits}g}" if isinstance(v, float) else str(v) for v in entries]
    if len(cells) > _SHOWN:
        cells = [*cells[: _SHOWN - 1], "…", cells[-1]]
    return f"{', '.join(cells)} {unit}".rstrip()
