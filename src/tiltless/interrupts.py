"""Deferred Ctrl-C: signals set an event that long work checks where it can stop."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

__all__ = ["INTERRUPTED", "deferred_signals"]

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, whatever it could still show."""


@contextmanager
def deferred_signals(
    signals: Sequence[int] = (signal.SIGINT,), *, patient: bool = False
) -> Iterator[threading.Event]:
    """The first of these signals sets an event; outside of the main thread nothing changes.

    patient: later ones only set it again. Otherwise the second one is a `KeyboardInterrupt`.
    """
    asked = threading.Event()

    def note(_: int, __: FrameType | None) -> None:
        if asked.is_set() and not patient:
            raise KeyboardInterrupt
        asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = [signal.signal(each, note) for each in signals]
    try:
        yield asked
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
