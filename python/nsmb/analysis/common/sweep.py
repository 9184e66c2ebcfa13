"""One computation at many points: in threads, in processes, or on a cluster."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pickle import PicklingError
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from nsmb.analysis.common.checkpoint import Checkpoint, Outcome, fingerprint
from nsmb.analysis.common.errors import AnalysisInterrupted, CheckpointError
from nsmb.analysis.common.summary import counted
from nsmb.common.arguments import whole

__all__ = ["SweepResult", "sweep"]

P = TypeVar("P")
R = TypeVar("R")

# Submitting a task takes some tenths of a millisecond. An interruption takes at most this time.
_TASK = 0.05  # s
_MOST = 256  # points of a chain per task


@dataclass(frozen=True, eq=False)
class SweepResult(Generic[P, R]):
    """The results of :func:`sweep`, in the order of the points."""

    points: tuple[P, ...]
    results: tuple[R | None, ...]
    """Return values of the function; None for points that are not finished."""
    status: tuple[str, ...]
    """``"finished"``; ``"failed"`` if the function raised; ``"lost"`` if the worker died or the
    result could not be sent; ``"pending"`` if the point was not reached before an interruption."""
    messages: tuple[str, ...]
    """Type and message of the exception; empty for finished points."""

    def __repr__(self) -> str:
        lines = [f"SweepResult of {len(self.points)} points: {counted(self.status)}"]
        lines += [f"  {message}" for message in dict.fromkeys(self.messages) if message][:3]
        return "\n".join(lines)

    @property
    def success(self) -> bool:
        """True if every point is finished."""
        return all(status == "finished" for status in self.status)


def sweep(
    function: Callable[[P], R],
    points: Iterable[P],
    *,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    key: str | None = None,
    progress: bool | None = None,
    chunk: int = 1,
) -> SweepResult[P, R]:
    """Evaluate a function at many points.

    Points are computed independently, so that the results are bitwise identical for all executors.
    A point that fails is recorded in the status of the result.

    Parameters
    ----------
    function : callable
        Function of one point. Executors with processes need a function that can be pickled, defined
        in a module.
    points : iterable
    executor : concurrent.futures.Executor, optional
        ``ThreadPoolExecutor`` (simulations run without the GIL), ``ProcessPoolExecutor``, Dask's
        ``client.get_executor()``, ``mpi4py.futures.MPIPoolExecutor``, ...; it is not shut down.
        Default: evaluate the points one after the other in this thread.
    checkpoint : path, optional
        An SQLite file that stores finished points. After an interruption, the same call resumes
        from it. Results must consist of numbers, strings, arrays, and lists, tuples and dicts of
        them; a point with another result is lost. Failed points are stored, lost points are tried
        again.
    key : str, optional
        Version of the code of `function`, such as ``"v1"``; required with a checkpoint. Change it
        whenever the function, or anything that it uses, changes. Otherwise results of the old code
        are taken from the file.
    progress : bool, optional
        Show a progress bar; by default only on a terminal.
    chunk : int
        Points per task, for functions that take less than some milliseconds.

    Returns
    -------
    SweepResult

    Raises
    ------
    ValueError
        If an argument is invalid, or if the checkpoint belongs to another sweep.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` holds what was computed before.
    AnalysisError
        If the checkpoint cannot be written (full disk); its ``result`` is the same.
    RuntimeError
        If the executor lost every point, for example because the function cannot be pickled.

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
    if not isinstance(points, Iterable):
        raise ValueError(f"points: expected a list or another iterable, got {points!r}")
    given = tuple(points)
    size = whole("chunk", chunk, 1)
    chains = [range(k, min(k + size, len(given))) for k in range(0, len(given), size)]
    return run_chains(
        functools.partial(_alone, function),
        given,
        chains,
        executor=executor,
        checkpoint=checkpoint,
        key=fingerprint(checkpoint, key, function, given),
        progress=progress,
        chunk=size,
    )


def _alone(function: Callable[[P], R], point: P, before: R | None) -> R:
    return function(point)


def run_chains(
    step: Callable[[P, R | None], R],
    points: tuple[P, ...],
    chains: Sequence[Sequence[int]],
    *,
    executor: Executor | None,
    checkpoint: str | os.PathLike[str] | None,
    key: str | None,
    progress: bool | None,
    chunk: int,
    classes: Sequence[type] = (),
) -> SweepResult[P, R]:
    """Evaluate ``step(point, before)`` along chains of points; `before` is the last result.

    Chains are independent of one another, and the points of each chain are evaluated in order. A
    worker that has evaluated `chunk` points continues along its chain for a short time. `key` is
    the fingerprint of everything on which the results depend. If a point is lost, the rest of its
    chain is lost. `classes` are the dataclasses that results contain, for the checkpoint.
    """
    if executor is not None and not (hasattr(executor, "submit") and hasattr(executor, "shutdown")):
        raise ValueError(
            f"executor: expected a concurrent.futures.Executor, got {type(executor).__name__}; "
            "for Dask, pass client.get_executor()"
        )
    state: _State[P, R] = _State(points, [list(chain) for chain in chains], chunk)
    with ExitStack() as stack:
        if checkpoint is not None:
            state.checkpoint = Checkpoint(checkpoint, str(key), classes)
        try:
            with state.kept():
                done = len(state.outcomes)
                state.bar = stack.enter_context(closing(progress_bar(progress, len(points), done)))
                if executor is None:
                    for chain in range(len(chains)):
                        while task := state.next_task(chain, 1):
                            state.add(task[0], _run(step, task[1], task[2], 1))
                else:
                    _distribute(step, state, executor)
        except KeyboardInterrupt:
            message = f"interrupted after {len(state.outcomes)} of {len(points)} points"
            raise AnalysisInterrupted(message, state.result()) from None
        except CheckpointError as error:
            raise CheckpointError(error.args[0], state.result()) from None
    if state.lost and len(state.lost) == len(points) - done:
        reason = next(iter(state.lost.values()))
        hint = "; processes need a function defined at module level" if "ickle" in reason else ""
        raise RuntimeError(f"executor: no point came back; {reason}{hint}")
    return state.result()


class _State(Generic[P, R]):
    """A sweep in progress."""

    def __init__(self, points: tuple[P, ...], chains: list[list[int]], chunk: int) -> None:
        self.points = points
        self.chains = chains
        self.chunk = chunk
        self.outcomes: dict[int, Outcome] = {}
        self.lost: dict[int, str] = {}
        self.checkpoint: Checkpoint | None = None
        self.bar: Any = None
        self._cursors = [0] * len(chains)  # position of the first pending point in each chain
        self._before: list[R | None] = [None] * len(chains)  # last result before that position

    def next_task(self, chain: int, size: int) -> tuple[list[int], list[P], R | None] | None:
        """Return the next points of a chain as indices and points, and the result before them.

        At most `size` points are returned; None if there are none left.
        """
        row, place = self.chains[chain], self._cursors[chain]
        while place < len(row) and row[place] in self.outcomes:
            status, _, result = self.outcomes[row[place]]
            if status == "finished":
                self._before[chain] = result
            place += 1
        self._cursors[chain] = place
        if place == len(row) or row[place] in self.lost:
            return None
        indices = row[place : place + size]
        return indices, [self.points[i] for i in indices], self._before[chain]

    def add(self, indices: Sequence[int], outcomes: Sequence[Outcome]) -> None:
        pairs = list(zip(indices, outcomes, strict=True))
        self.outcomes.update(pairs)  # first, so that nothing is lost if the checkpoint fails
        self.bar.update(len(pairs))
        if self.checkpoint is None:
            return
        try:
            refused = self.checkpoint.keep(pairs)
        except CheckpointError:
            self.checkpoint.close()
            self.checkpoint = None
            raise
        for k, message in refused.items():
            self.outcomes[k] = ("lost", f"checkpoint: cannot be kept ({message})", None)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Load the outcomes of the checkpoint, and close it at the end."""
        if self.checkpoint is None:
            yield
            return
        try:
            self.outcomes = self.checkpoint.load()
            yield
        finally:
            if self.checkpoint is not None:
                self.checkpoint.close()

    def lose(self, chain: int, error: BaseException) -> None:
        """Record the rest of a chain as lost."""
        for k in self.chains[chain]:
            if k not in self.outcomes:
                self.lost[k] = _lost(error)
                self.bar.update(1)

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


def _run(
    step: Callable[[P, R | None], R], points: Sequence[P], before: R | None, least: int
) -> list[Outcome]:
    """Evaluate the first `least` points, and further ones for a short time, in a worker."""
    outcomes: list[Outcome] = []
    late = time.monotonic() + _TASK
    for point in points:
        if len(outcomes) >= least and time.monotonic() > late:
            break
        try:
            before = step(point, before)
            outcomes.append(("finished", "", before))
        except Exception as error:
            outcomes.append(("failed", _text(error), None))
    return outcomes


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _lost(error: BaseException) -> str:
    """Return why an executor lost a point. Not every version of Python mentions pickling."""
    is_refused = isinstance(error, PicklingError | AttributeError | TypeError)
    return f"cannot be pickled ({_text(error)})" if is_refused else _text(error)


def _distribute(step: Callable[[P, R | None], R], state: _State[P, R], executor: Executor) -> None:
    done: SimpleQueue[Future[list[Outcome]]] = SimpleQueue()
    running: dict[Future[list[Outcome]], tuple[int, list[int]]] = {}

    def submit(chain: int) -> None:
        task = state.next_task(chain, max(state.chunk, _MOST))
        if task is None:
            return
        indices, points, before = task
        try:
            future = executor.submit(_run, step, points, before, state.chunk)
        except BrokenExecutor as error:  # because of an earlier point
            state.lose(chain, error)
            return
        running[future] = chain, indices
        future.add_done_callback(done.put)

    try:
        for chain in range(len(state.chains)):
            submit(chain)
        while running:
            future = done.get()
            chain, indices = running.pop(future)  # also releases the result
            error = future.exception()
            if error is not None and not isinstance(error, Exception):
                raise error  # Ctrl-C or an exit in a worker
            if error is None:
                outcomes = future.result()
                state.add(indices[: len(outcomes)], outcomes)
                submit(chain)
            else:
                state.lose(chain, error)
    except BaseException:
        for future in running:
            future.cancel()
        for future, (_, indices) in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                outcomes = future.result()
                state.add(indices[: len(outcomes)], outcomes)
        raise


class _NoBar:
    def update(self, count: int) -> None:
        pass

    def close(self) -> None:
        pass


def progress_bar(wanted: bool | None, total: int, done: int = 0) -> Any:
    """Return a progress bar of tqdm, or an object that ignores ``update`` and ``close``."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return _NoBar()
    from tqdm import tqdm

    # Show no bar for a short sweep.
    return tqdm(total=total, initial=done, unit="point", delay=0.0 if wanted else 1.0)
