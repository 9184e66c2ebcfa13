"""The timer and the replies to requests, in the processes of other programs.

Imports only the standard library, so that each program can run it with its own interpreter.
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

    The time is the minimum over `repeats` series of `loops` calls each, because other load only
    increases it. Series are made four times as long until one takes `shortest` s, and no more are
    run once they have taken `enough` s in total. The return value of `prepare` before each series
    is passed to `work`.
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
    """Answer requests until standard input ends.

    A request is a JSON object of keyword arguments per line of standard input, an answer a JSON
    object per line of standard output. Other output of the program is discarded.
    """
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(answer(**json.loads(line))), file=results, flush=True)
