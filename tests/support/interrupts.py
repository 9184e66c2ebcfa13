"""Ctrl-C as a user presses it: from outside, once what it shall stop is seen to be under way."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import nsmb

# Run first in a process of its own, which may have been born deaf to Ctrl-C: shells start what
# runs in the background so.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


def is_running(simulator: nsmb.Simulator) -> bool:
    """Whether the core is on its way: others are refused then."""
    try:
        simulator.t  # noqa: B018
    except RuntimeError:
        return True
    return False


def frame_of(function: str) -> FrameType | None:
    """Where the main thread stands in the function of that name; None: it is somewhere else."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame


@contextmanager
def ctrl_c_once(sign_of_life: Callable[[], bool]) -> Iterator[None]:
    """Press Ctrl-C when there is a sign of life of what runs inside."""
    left = threading.Event()

    def press() -> None:
        while not sign_of_life():
            if left.is_set():
                return
            time.sleep(1e-3)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
