"""Ctrl-C in commands that print partial results."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["INTERRUPTED", "interrupts"]

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, whatever it could still show."""


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """Set by the first Ctrl-C; the second one ends the program as usual."""
    asked = threading.Event()

    def note(_: int, __: "FrameType | None") -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
