"""Comparison of the claims of a source with computed values."""

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
_SHOWN = 6  # maximum number of array entries that are shown


@dataclass(frozen=True)
class Claim:
    """One row of :class:`Claims`; all attributes except `holds` are texts."""

    claim: str
    """The claim, in words."""
    source: str
    """The source of the claim."""
    said: str
    """The value in the source."""
    computed: str
    """The computed value."""
    holds: bool
    """True if both values agree within the tolerance."""
    verdict: str
    """``holds`` with the largest deviation, or ``does not hold`` with the reason."""


class Claims:
    """A table of claims with verdicts, each of which is checked when it is added.

    `holds` adds a true claim, and `fails` adds a false claim with the reason. Both raise
    AssertionError if the numbers contradict them, so that a script or a page with such a table is
    also a test.

    Parameters
    ----------
    source : str
        Default source of the claims.

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
        """All claims, in the order in which they were added."""
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
        """Add a true claim.

        Parameters
        ----------
        claim : str
            The claim, in words.
        said, computed : float, array, str, bool or list of str
            Values in the source and in the computation. Numbers agree if
            ``|computed - said| <= atol + rtol |said|``; a single number is compared with all
            entries of an array. Other values agree if they are equal.
        unit : str
            Unit of the numbers.
        rtol, atol : float
            Relative and absolute tolerance.
        digits : int
            Number of significant digits in the table.
        source : str, optional
            Source of the claim; default: that of the table.

        Raises
        ------
        AssertionError
            If the claim is false.
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
        """Add a false claim with the reason.

        Parameters
        ----------
        claim, said, computed, unit, rtol, atol, digits, source
            As for `holds`.
        because : str
            Reason why the claim is false.

        Raises
        ------
        AssertionError
            If the claim is true.
        """
        row = self._row(claim, said, computed, unit, rtol, atol, digits, source, because)
        if row.holds:
            raise AssertionError(
                f"{claim}: expected to differ from {row.said}, computed {row.computed}"
            )
        self._rows.append(row)

    def to_text(self) -> str:
        """Return a fixed-width table."""
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
    """Return `error` rounded up to one digit."""
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
