"""Deferred Ctrl-C: signals set a flag that long work checks where it can stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["marked_signals"]


@contextmanager
def marked_signals() -> Iterator[threading.Event]:
    """Ctrl-C and SIGTERM set an event; outside of the main thread nothing changes."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: stopped.set()) for each in signals]
    try:
        yield stopped
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
