"""Ctrl-C at a time when it must wait."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Held", "held"]


class Held:
    """Whether Ctrl-C was pressed."""

    pressed = False

    def press(self, number: int, frame: FrameType | None) -> None:
        """What is called then."""
        self.pressed = True


@contextmanager
def held() -> Iterator[Held]:
    """Ctrl-C is noted and does nothing else: libraries lose it in what they do for the garbage
    collector, or are left with half a call. Who calls presses again."""
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
