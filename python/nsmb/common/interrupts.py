"""Deferred handling of Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Held", "held"]


class Held:
    """A record of whether Ctrl-C was pressed."""

    pressed = False

    def press(self, number: int, frame: FrameType | None) -> None:
        """Record that Ctrl-C was pressed."""
        self.pressed = True


@contextmanager
def held() -> Iterator[Held]:
    """Record Ctrl-C without raising KeyboardInterrupt.

    Libraries may lose the exception in callbacks of the garbage collector, or be interrupted in the
    middle of a call. The caller must raise the signal again."""
    state = Held()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield state
        return
    signal.signal(signal.SIGINT, state.press)
    try:
        yield state
    finally:
        signal.signal(signal.SIGINT, before)
