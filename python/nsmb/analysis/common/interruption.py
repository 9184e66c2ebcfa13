"""Ctrl-C during an analysis."""

from __future__ import annotations

from typing import Any

__all__ = ["AnalysisInterrupted"]


class AnalysisInterrupted(KeyboardInterrupt):
    """An analysis stopped by Ctrl-C; `result` is what was computed before: of the type it would
    have had, or the `Points` of the iteration that was interrupted, where one prepares something
    else, as the transient of an orbit. Newton iterations raise a bare `KeyboardInterrupt`."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.result)
