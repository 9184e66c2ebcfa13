"""Ctrl-C as pressed by a user: from outside, once the work to be interrupted has started."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import nsmb

# To be run first in a child process, which may ignore Ctrl-C from its start, as background
# processes of shells do.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


def is_running(simulator: nsmb.Simulator) -> bool:
    """Return True if the core is running, when other calls are rejected."""
    try:
        simulator.t  # noqa: B018
    except RuntimeError:
        return True
    return False


def frame_of(function: str) -> FrameType | None:
    """Return the frame of the main thread in the named function, or None if it is not in it."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame


@contextmanager
def ctrl_c_once(sign_of_life: Callable[[], bool]) -> Iterator[None]:
    """Press Ctrl-C once `sign_of_life` of the enclosed code is True."""
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
