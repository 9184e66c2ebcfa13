"""Runs of all ready-made systems over their usual and tenfold duration, with perturbed data.

    python -m tests.campaign.systems --seed 1
    python -m tests.campaign.systems --systems slider_crank peg_in_hole --factors 1 --draws 3

Each run has its own process with a budget of processor time, and a run that does not end is a
finding. The exit code is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection

import numpy as np

import nsmb
from tests.systems.long_runs import RTOLS, Case, Outcome, drawn, run


def cases(args: argparse.Namespace) -> Iterator[Case]:
    for number, name in enumerate(nsmb.systems.names()):
        if args.systems and name not in args.systems:
            continue
        rng = np.random.default_rng([args.seed, number])
        tables: list[dict[str, float]] = [{}, *(drawn(name, rng) for _ in range(args.draws))]
        linear = isinstance(nsmb.systems.build(name), nsmb.LinearSystem)
        usual = getattr(nsmb.systems, name).recommended.method
        rtols = args.rtols[:1] if isinstance(usual, nsmb.Midpoint) else args.rtols
        for factor in args.factors:
            for parameters in tables:
                if linear:  # the closed-form solution has no tolerance
                    yield Case(name, parameters, factor, 1e-8)
                for rtol in rtols:
                    yield Case(name, parameters, factor, rtol, "dp853" if linear else "auto")


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def _child(case: Case, pipe: Connection, cpu: int) -> None:
    signal.signal(signal.SIGXCPU, _stop)
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + cpu, used + cpu + 10))
    try:
        outcome = run(case)
        if outcome.status == "interrupted":
            outcome.status = "hang"
            outcome.message = f"stood at t = {outcome.t:.6g} s after {cpu} s of computing"
    except KeyboardInterrupt:
        outcome = Outcome("finished", "no time left for its checks")
    except BaseException:
        outcome = Outcome("error", traceback.format_exc(limit=-3))
    pipe.send((outcome, time.process_time()))
    pipe.close()


def run_apart(case: Case, cpu: int) -> tuple[Outcome, float]:
    """Run the case in its own process."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(case, there, cpu))
    process.start()
    there.close()
    try:
        outcome, used = here.recv()
    except EOFError:
        outcome, used = Outcome("crash", "the process died, or did not stop when told to"), 0.0
    process.join()
    return outcome, used


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", nargs="*", metavar="NAME")
    parser.add_argument("--draws", type=int, default=2, help="data drawn besides the default ones")
    parser.add_argument("--factors", type=float, nargs="*", default=(1.0, 10.0))
    parser.add_argument("--rtols", type=float, nargs="*", default=RTOLS)
    parser.add_argument("--cpu", type=int, default=60, help="s of processor time for a run")
    args = parser.parse_args()
    wrong = count = 0
    for case in cases(args):
        outcome, used = run_apart(case, args.cpu)
        count += 1
        data = "drawn" if case.parameters else "default"
        head = f"{case.name} {data} x{case.factor:g} {case.integrator} rtol={case.rtol:g}"
        bad = outcome.is_wrong(case.name)
        print(
            f"{'WRONG' if bad else 'ok   '} {head}: {outcome.status} at {outcome.t:.6g} s, "
            f"{outcome.events} events, {used:.1f} s of computing",
            flush=True,
        )
        if bad:
            wrong += 1
            for line in [outcome.message, *outcome.findings]:
                if line:
                    print(f"    {line}")
            print("    " + case.script().replace("\n", "\n    "), flush=True)
    print(f"{count} runs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
