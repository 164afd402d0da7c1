"""Notice of compiling: why this run is slower than the next, and a sign that it goes on."""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tiltless.cli import ui

__all__ = ["announce_compiling", "besides", "on_compile"]

SECOND = 1.0
"""Between two signs on a terminal; elsewhere it is `ui.EVERY`."""


def besides(compiling: float) -> str:
    """Text with the seconds of compiling, to follow those of the work; empty if there was none."""
    return f", and {compiling:.1f} s of compiling, once" if compiling > 0 else ""


def on_compile(start: Callable[[str], None], end: Callable[[], None] = lambda: None) -> None:
    """Call ``start`` with the name of each function that Numba compiles from now on.

    Code that comes from the disk cache does not count.  end: called after each of them.
    """
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            start(event.data["dispatcher"].__name__)

        def on_end(self, event: Any) -> None:
            end()

    register: Any = event.register  # Numba's events have no types
    register("numba:compile", Listener())


def announce_compiling() -> None:
    """Print a line on standard error before the first compilation, and signs while they last.

    On a terminal the sign is a line that changes every second and vanishes; where a spinner or a
    bar is shown already, that is the sign. In a pipe it is a line now and then.
    """
    signs = _Signs()
    on_compile(signs.start, signs.end)


class _Signs:
    """Signs of compilations, which may contain others, by a thread that sleeps between them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = self._depth = self._width = 0
        self._seconds = self._since = self._last = 0.0

    def start(self, _: str) -> None:
        with self._changed:
            if not self._count:
                _write(
                    "compiling kernels, once: the next run starts at full speed "
                    "(`tiltless warmup` compiles everything ahead)\n"
                )
                self._last = time.monotonic()
                threading.Thread(target=self._run, name="compiling", daemon=True).start()
            self._count += 1
            self._depth += 1
            if self._depth == 1:
                self._since = time.monotonic()
                self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._depth = max(self._depth - 1, 0)  # Ctrl-C may come in the middle of a start
            if not self._depth:
                self._seconds += time.monotonic() - self._since
                self._rewrite("")

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._depth > 0)
                self._sign()
            time.sleep(min(SECOND, ui.EVERY))

    def _sign(self) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if now - self._last < (SECOND if terminal else ui.EVERY) or ui.is_live():
            return
        self._last = now
        seconds = self._seconds + now - self._since
        line = f"compiling function {self._count}, {seconds:.0f} s so far"
        if terminal:
            self._rewrite(line)
        else:
            _write(f"{line}\n")

    def _rewrite(self, line: str) -> None:
        """Replace the line on the terminal; nothing happens if both are empty."""
        if (line or self._width) and not ui.is_live():
            _write("\r" + " " * self._width + "\r" + line)
        self._width = len(line)


def _write(text: str) -> None:
    """Write all at once, so that lines of other threads stay whole."""
    with suppress(OSError, ValueError):  # standard error was closed
        sys.stderr.write(text)
        sys.stderr.flush()
