"""Errors of an analysis that cannot give the requested result."""

from __future__ import annotations

from typing import Any

__all__ = ["AnalysisError", "AnalysisInterrupted", "CheckpointError"]


class AnalysisError(RuntimeError):
    """Exception for an analysis that finds no result or cannot write its checkpoint.

    Parameters
    ----------
    message : str
        The reason, and a remedy.
    result : object, optional
        Value of the attribute.

    Attributes
    ----------
    result : object
        Partial result: the orbit or the response that has not converged, or the points of a sweep
        computed so far. None if there is nothing to return.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> loose = nsmb.LinearSystem([[1.0]], force=[-9.81], coordinates=["y"])
    >>> try:
    ...     analysis.equilibrium(loose)
    ... except analysis.AnalysisError as error:
    ...     print(str(error).partition(":")[0], error.result)
    no equilibrium near the start None
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.result)


class CheckpointError(AnalysisError):
    """Exception for a checkpoint that cannot be written, for example on a full disk.

    `result` is what was computed before, of the type that the analysis would have returned.
    """


class AnalysisInterrupted(KeyboardInterrupt):
    """Exception for an analysis stopped by Ctrl-C.

    Newton iterations raise a bare `KeyboardInterrupt`.

    Parameters
    ----------
    message : str
        Progress of the analysis.
    result : object
        Value of the attribute.

    Attributes
    ----------
    result : object
        What was computed before the interruption, of the type that the analysis would have
        returned. During preparations, such as the transient of an orbit, it contains the points of
        the section.

    Examples
    --------
    >>> from nsmb import analysis
    >>> def square(value):
    ...     if value == 2:
    ...         raise KeyboardInterrupt
    ...     return value**2
    >>> try:
    ...     analysis.sweep(square, [0, 1, 2, 3])
    ... except analysis.AnalysisInterrupted as stopped:
    ...     print(stopped.result.results)
    (0, 1, None, None)
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.result)
