"""The side of programs that run beside nsmb: the timer, and answers to orders.

Imports the standard library alone, so that each program can run it with its own interpreter.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any


def timed(
    work: Callable[..., Any],
    repeats: int = 1,
    loops: int = 1,
    shortest: float = 0.0,
    enough: float = float("inf"),
    prepare: Callable[[], Any] | None = None,
) -> tuple[Any, float]:
    """Call `work` in series and return its last result and the processor time of one call, s.

    The time is the least of `repeats` series of `loops` calls each: other work of the machine only
    adds to it. Series are made four times as long until one takes `shortest` s, and no more are
    made after they have taken `enough` s. What `prepare` returns before each is given to `work`.
    """
    best, total = float("inf"), 0.0
    for _ in range(repeats):
        while True:
            given = () if prepare is None else (prepare(),)
            begin = time.process_time()
            for _ in range(loops):
                result = work(*given)
            spent = time.process_time() - begin
            if spent >= shortest:
                break
            loops *= 4
        best, total = min(best, spent / loops), total + spent
        if total >= enough:
            break
    return result, best


def serve(answer: Callable[..., dict[str, Any]]) -> None:
    """Answer orders: a JSON object of keyword arguments per line of standard input, a JSON object
    per line of standard output. Other output of the program is discarded."""
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(answer(**json.loads(line))), file=results, flush=True)
