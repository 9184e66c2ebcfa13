"""The same computation at many points: in threads, processes, or on a cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from nsmb.analysis.checkpoint import Checkpoint, Outcome, fingerprint

__all__ = ["SweepInterrupted", "SweepResult", "sweep"]

P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class SweepResult(Generic[P, R]):
    """What :func:`sweep` found, in the order of the points."""

    points: tuple[P, ...]
    results: tuple[R | None, ...]
    """What the function returned; None where it did not."""
    status: tuple[str, ...]
    """``"finished"``; ``"failed"``: the function raised; ``"lost"``: the worker died or the result
    could not be sent; ``"pending"``: not reached before an interruption."""
    messages: tuple[str, ...]
    """Type and text of the exception; empty when finished."""

    @property
    def success(self) -> bool:
        """Whether every point is finished."""
        return all(status == "finished" for status in self.status)


class SweepInterrupted(KeyboardInterrupt):
    """A sweep stopped by Ctrl-C; `result` is what was computed before."""

    def __init__(self, message: str, result: SweepResult[Any, Any]) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.result)


def sweep(
    function: Callable[[P], R],
    points: Iterable[P],
    *,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    chunk: int = 1,
) -> SweepResult[P, R]:
    """`function` at every one of `points`.

    Every point is computed by itself, so that the results do not depend on the executor, to the
    bit. A point that fails is a status in the result.

    Parameters
    ----------
    function : callable
        Of one point. Executors with processes need one that can be pickled, defined in a module.
    points : iterable
    executor : concurrent.futures.Executor, optional
        ``ThreadPoolExecutor`` (simulations run without the GIL), ``ProcessPoolExecutor``, Dask's
        ``client.get_executor()``, ``mpi4py.futures.MPIPoolExecutor``, ...; it stays open. Default:
        one after the other in this thread.
    checkpoint : path, optional
        A file (SQLite) that keeps points as they are done: the same call goes on after an
        interruption. Results in it are pickled, open only files you trust. Failed points are kept,
        lost ones are tried again.
    progress : bool, optional
        Show a progress bar; default: on a terminal.
    chunk : int
        Points handed to a worker at a time, for functions that take less than some milliseconds.

    Returns
    -------
    SweepResult

    Raises
    ------
    ValueError
        For bad arguments, and for a checkpoint of another sweep.
    SweepInterrupted
        Ctrl-C; its ``result`` holds what was computed before.
    RuntimeError
        If the executor lost every point, as when the function cannot be pickled.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from nsmb.analysis import sweep
    >>> with ThreadPoolExecutor(2) as threads:
    ...     result = sweep(lambda x: 1 / x, [1, 2, 0], executor=threads)
    >>> result.results, result.status
    ((1.0, 0.5, None), ('finished', 'finished', 'failed'))
    """
    if not callable(function):
        raise ValueError(f"function: expected a function of one point, got {function!r}")
    if executor is not None and not (hasattr(executor, "submit") and hasattr(executor, "shutdown")):
        raise ValueError(
            f"executor: expected a concurrent.futures.Executor, got {type(executor).__name__}; of "
            "Dask give client.get_executor()"
        )
    if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1:
        raise ValueError(f"chunk: expected a whole number >= 1, got {chunk!r}")
    state: _State[P, R] = _State(tuple(points))
    with ExitStack() as stack:
        if checkpoint is not None:
            kept = Checkpoint(checkpoint, fingerprint(function, state.points))
            state.outcomes = kept.load()
            state.checkpoint = stack.enter_context(closing(kept))
        state.bar = stack.enter_context(
            closing(progress_bar(progress, len(state.points), len(state.outcomes)))
        )
        open_points = [k for k in range(len(state.points)) if k not in state.outcomes]
        chunks = [open_points[k : k + chunk] for k in range(0, len(open_points), chunk)]
        try:
            if executor is None:
                for k in open_points:
                    state.add([k], _run(function, [state.points[k]]))
            else:
                _distribute(function, state, executor, chunks)
        except KeyboardInterrupt:
            done = len(state.outcomes)
            message = f"interrupted after {done} of {len(state.points)} points"
            raise SweepInterrupted(message, state.result()) from None
    if state.lost and len(state.lost) == len(open_points):
        raise RuntimeError(f"executor: no point came back, the first: {state.lost[open_points[0]]}")
    return state.result()


class _State(Generic[P, R]):
    """A sweep on its way."""

    def __init__(self, points: tuple[P, ...]) -> None:
        self.points = points
        self.outcomes: dict[int, Outcome] = {}
        self.lost: dict[int, str] = {}
        self.checkpoint: Checkpoint | None = None
        self.bar: Any = None

    def add(self, indices: Sequence[int], outcomes: Sequence[Outcome]) -> None:
        pairs = list(zip(indices, outcomes, strict=True))
        if self.checkpoint is not None:
            self.checkpoint.keep(pairs)
        self.outcomes.update(pairs)
        self.bar.update(len(pairs))

    def result(self) -> SweepResult[P, R]:
        rows = []
        for k in range(len(self.points)):
            missing = ("lost", self.lost[k], None) if k in self.lost else ("pending", "", None)
            rows.append(self.outcomes.get(k, missing))
        return SweepResult(
            self.points,
            tuple(result for _, _, result in rows),
            tuple(status for status, _, _ in rows),
            tuple(message for _, message, _ in rows),
        )


def _run(function: Callable[[P], R], points: Sequence[P]) -> list[Outcome]:
    """What a worker does."""
    outcomes: list[Outcome] = []
    for point in points:
        try:
            outcomes.append(("finished", "", function(point)))
        except Exception as error:
            outcomes.append(("failed", _text(error), None))
    return outcomes


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _distribute(
    function: Callable[[P], R],
    state: _State[P, R],
    executor: Executor,
    chunks: Sequence[Sequence[int]],
) -> None:
    futures: dict[Future[list[Outcome]], Sequence[int]] = {}
    try:
        for indices in chunks:
            points = [state.points[k] for k in indices]
            try:
                futures[executor.submit(_run, function, points)] = indices
            except BrokenExecutor as broken:  # by an earlier point
                state.lost |= dict.fromkeys(indices, _text(broken))
        for future in as_completed(list(futures)):
            indices = futures.pop(future)  # lets go of the result, too
            error = future.exception()
            if isinstance(error, KeyboardInterrupt):
                raise error
            if error is None:
                state.add(indices, future.result())
            else:
                state.lost |= dict.fromkeys(indices, _text(error))
                state.bar.update(len(indices))
    except BaseException:
        for future in futures:
            future.cancel()
        for future, indices in _finished(futures):
            state.add(indices, future.result())
        raise


def _finished(
    futures: dict[Future[list[Outcome]], Sequence[int]],
) -> Iterator[tuple[Future[list[Outcome]], Sequence[int]]]:
    for future, indices in futures.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            yield future, indices


class _NoBar:
    def update(self, count: int) -> None:
        pass

    def close(self) -> None:
        pass


def progress_bar(wanted: bool | None, total: int, done: int = 0) -> Any:
    """A bar of tqdm over points, or something that takes ``update`` and ``close``."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return _NoBar()
    try:
        from tqdm import tqdm
    except ImportError:
        if wanted:
            raise ImportError("progress=True needs tqdm: pip install 'nsmb[progress]'") from None
        return _NoBar()
    # A short sweep should not flash a bar.
    return tqdm(total=total, initial=done, unit="point", delay=0.0 if wanted else 1.0)
