"""Runs each case in its own process with a budget of processor time.

A run that does not end is killed by the system (RLIMIT_CPU) and counts as a hang. A process that
dies otherwise is a crash. No judgement depends on wall-clock time.
"""

from __future__ import annotations

import importlib
import math
import multiprocessing
import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.campaign.case import Case

# Factor on events and processor time for repeating a run that had too many events.
MORE_EVENTS = 15
SETTLED = {
    "no solution: proven by enumeration",
    "no solution: forces without bound",
    "no solution: walls close in",
    "endless: restitution 1",
    "more events: finished",
}


@dataclass(frozen=True)
class Limits:
    """Resource limits of a run."""

    cpu: int = 30
    """Processor time in s."""
    memory: int = 3 << 30
    """Address space in bytes, 0 for no limit."""


LIMITS = Limits()
SANITIZED = Limits(cpu=300, memory=0)
"""Limits with the address sanitizer, which maps 16 TB."""


@dataclass
class Outcome:
    """The outcome of a case."""

    family: str
    seed: int
    status: str
    """Status of the run, or "hang", "crash", "refused" (ValueError), "error"."""
    message: str = ""
    findings: list[str] = field(default_factory=list)
    """Findings, each starting with its kind."""
    notes: list[str] = field(default_factory=list)
    """Additional comparisons made."""
    tags: tuple[str, ...] = ()
    events: int = 0
    cpu: float = 0.0

    @property
    def is_wrong(self) -> bool:
        return bool(self.findings) or self.status in ("hang", "crash", "error")

    @property
    def is_settled(self) -> bool:
        """True if the run reached its end or provably cannot."""
        return self.status == "finished" or bool(SETTLED & set(self.notes))


def make(family: str, seed: int) -> Case:
    module = importlib.import_module(f"tests.campaign.{family}")
    case: Case = module.make(seed)
    return case


def run_case(family: str, seed: int, every: int = 1) -> Outcome:
    """Run one case in this process."""
    from tests.campaign.check import check
    from tests.campaign.second_look import second_look

    outcome = Outcome(family, seed, "error")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    try:
        case = make(family, seed)
        outcome.tags = case.tags
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                system = case.system()
                sol = case.run(system)
            except ValueError as error:  # the initial state was rejected
                outcome.status, outcome.message = "refused", str(error)
                return outcome
            outcome.status, outcome.message = sol.status, sol.message
            outcome.events = len(sol.events)
            findings = check(case, sol)
            second_look(case, system, sol, findings, outcome.notes, every=every)
            outcome.findings = [str(f) for f in findings]
    except Exception:
        outcome.status, outcome.message = "error", traceback.format_exc(limit=-3)
    finally:
        outcome.cpu = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
    return outcome


def run_longer(family: str, seed: int) -> Outcome:
    """Run the case with more events, and report only how it ends."""
    outcome = Outcome(family, seed, "error")
    try:
        case = make(family, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Dense output would fill the memory.
            sol = case.run(max_events=MORE_EVENTS * case.method["max_events"], dense_output=False)
        outcome.status, outcome.message, outcome.events = sol.status, sol.message, len(sol.events)
    except Exception:
        outcome.message = traceback.format_exc(limit=-3)
    return outcome


Run = Callable[[str, int], Outcome]


def _work(pipe: Connection, run: Run, cpu: int, limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory:
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while (job := pipe.recv()) is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        limit = math.ceil(usage.ru_utime + usage.ru_stime) + cpu
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        pipe.send(run(*job))


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    job: tuple[str, int] | None = None


def _start(run: Run, cpu: int, limits: Limits) -> _Worker:
    ours, theirs = multiprocessing.Pipe()
    # Workers are forked from a process without threads that has imported everything.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=_work, args=(theirs, run, cpu, limits), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def run_all(
    jobs: Iterable[tuple[str, int]],
    workers: int = 2,
    *,
    run: Run = run_case,
    limits: Limits = LIMITS,
) -> Iterator[Outcome]:
    """Yield outcomes in order of completion, until the caller stops iterating.

    With ``run=run_longer`` cases get more events and no checks.
    """
    pending = iter(jobs)
    cpu = MORE_EVENTS * limits.cpu if run is run_longer else limits.cpu
    crew = [_start(run, cpu, limits) for _ in range(workers)]
    try:
        while crew:
            for worker in [w for w in crew if w.job is None]:
                job = next(pending, None)
                if job is None:
                    worker.pipe.send(None)
                    crew.remove(worker)
                else:
                    worker.job = job
                    worker.pipe.send(job)
            ready = wait([w.pipe for w in crew]) if crew else []
            for worker in [w for w in crew if w.pipe in ready]:
                assert worker.job is not None
                try:
                    yield worker.pipe.recv()
                except EOFError:
                    worker.process.join()
                    code = -(worker.process.exitcode or 0)
                    status = "hang" if code == signal.SIGXCPU else "crash"
                    family, seed = worker.job
                    message = (
                        "killed after its processor time" if status == "hang" else f"exit {code}"
                    )
                    yield Outcome(family, seed, status, message)
                    crew[crew.index(worker)] = _start(run, cpu, limits)
                    continue
                worker.job = None
    finally:
        for worker in crew:
            worker.process.kill()
