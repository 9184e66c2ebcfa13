"""The same computation at many points: in threads, processes, or on a cluster."""

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

# Handing over a task costs some tenths of a millisecond, an interruption at most this time.
_TASK = 0.05  # s
_MOST = 256  # points of a chain in a task


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

    def __repr__(self) -> str:
        lines = [f"SweepResult of {len(self.points)} points: {counted(self.status)}"]
        lines += [f"  {message}" for message in dict.fromkeys(self.messages) if message][:3]
        return "\n".join(lines)

    @property
    def success(self) -> bool:
        """Whether every point is finished."""
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
        interruption. It takes results made of numbers, texts, arrays, and lists, tuples and dicts
        of them; a point with another result is lost. Failed points are kept, lost ones are tried
        again.
    key : str, optional
        Stands for the code of `function` in the checkpoint, as ``"v1"``: required there. Change it
        whenever the function, or anything that it uses, changes. Otherwise results of the old code
        are taken from the file.
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
    AnalysisInterrupted
        Ctrl-C; its ``result`` holds what was computed before.
    AnalysisError
        The checkpoint cannot be written, as on a full disk; likewise.
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
    """``step(point, before)`` along chains of points; `before` is the last result of the chain.

    Chains are independent of each other, and their points come in order. A worker that has done
    `chunk` points goes on along its chain while it is quick. `key` is the fingerprint of everything
    the results depend on. Behind a lost point its chain is lost. `classes` are dataclasses that
    results are made of, for the checkpoint.
    """
    if executor is not None and not (hasattr(executor, "submit") and hasattr(executor, "shutdown")):
        raise ValueError(
            f"executor: expected a concurrent.futures.Executor, got {type(executor).__name__}; of "
            "Dask give client.get_executor()"
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
        hint = "; processes need a function at the top of a module" if "ickle" in reason else ""
        raise RuntimeError(f"executor: no point came back; {reason}{hint}")
    return state.result()


class _State(Generic[P, R]):
    """A sweep on its way."""

    def __init__(self, points: tuple[P, ...], chains: list[list[int]], chunk: int) -> None:
        self.points = points
        self.chains = chains
        self.chunk = chunk
        self.outcomes: dict[int, Outcome] = {}
        self.lost: dict[int, str] = {}
        self.checkpoint: Checkpoint | None = None
        self.bar: Any = None
        self._cursors = [0] * len(chains)  # places in the chains behind what is done, ...
        self._before: list[R | None] = [None] * len(chains)  # ... and the last result there

    def next_task(self, chain: int, size: int) -> tuple[list[int], list[P], R | None] | None:
        """Indices of the next points of a chain, at most `size`, the points, and the result before
        them."""
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
        self.outcomes.update(pairs)  # first: a checkpoint that fails loses nothing
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
        """Take what the checkpoint has, and close it behind."""
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
        """The rest of a chain."""
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
    """What a worker does: the first `least` points, and more of them while it is quick."""
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
    """Return why an executor lost a point. Not every version of Python says "pickle" itself."""
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
        except BrokenExecutor as error:  # by an earlier point
            state.lose(chain, error)
            return
        running[future] = chain, indices
        future.add_done_callback(done.put)

    try:
        for chain in range(len(state.chains)):
            submit(chain)
        while running:
            future = done.get()
            chain, indices = running.pop(future)  # lets go of the result, too
            error = future.exception()
            if error is not None and not isinstance(error, Exception):
                raise error  # Ctrl-C or an exit, in a worker
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
    """A bar of tqdm over points, or something that takes ``update`` and ``close``."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return _NoBar()
    from tqdm import tqdm

    # A short sweep should not flash a bar.
    return tqdm(total=total, initial=done, unit="point", delay=0.0 if wanted else 1.0)
