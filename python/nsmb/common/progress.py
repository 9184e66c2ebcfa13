"""A progress bar in simulated time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

__all__ = ["Progress"]


class Progress:
    """A progress bar in simulated time, if it is wanted or a terminal is used."""

    def __init__(self, wanted: bool | None, t_start: float, t_end: float) -> None:
        self._bar: Any = None
        self._t = t_start
        if wanted is False or (wanted is None and not sys.stderr.isatty()):
            return
        from tqdm import tqdm

        # Show no bar for short runs.
        self._bar = tqdm(
            total=t_end - t_start,
            unit="s",
            delay=0.0 if wanted else 1.0,
            bar_format="{l_bar}{bar}| {n:.3f}/{total:.3f} s [{elapsed}<{remaining}]",
        )

    def __enter__(self) -> Callable[[float], object] | None:
        return None if self._bar is None else self._update

    def _update(self, t: float) -> None:
        self._bar.update(t - self._t)
        self._t = t

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            if kind is None:
                self._update(self._bar.total + (self._t - self._bar.n))
            self._bar.close()
