"""Deferred Ctrl-C: signals set a flag that long work checks where it can stop."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["marked_signals"]


@contextmanager
def marked_signals(
    signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM), *, once: bool = False
) -> Iterator[threading.Event]:
    """Signals, Ctrl-C and SIGTERM, set an event; outside of the main thread nothing changes.

    once: the second one raises `KeyboardInterrupt`, for who does not want to wait.
    """
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return

    def note(_: int, __: "FrameType | None") -> None:
        if once and stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    before = [signal.signal(each, note) for each in signals]
    try:
        yield stopped
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
