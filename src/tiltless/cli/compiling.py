"""Notice of compiling: says once why this run is slower than the next."""

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["announce_compiling", "besides", "on_compile"]


def besides(compiling: float) -> str:
    """Text with the seconds of compiling, to follow those of the work; empty if there was none."""
    return f", and {compiling:.1f} s of compiling, once" if compiling > 0 else ""


def on_compile(callback: Callable[[str], None]) -> None:
    """Call ``callback`` with the name of each function that Numba compiles from now on.

    Code that comes from the disk cache does not count.
    """
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            callback(event.data["dispatcher"].__name__)

        def on_end(self, event: Any) -> None:
            pass

    register: Any = event.register  # Numba's events have no types
    register("numba:compile", Listener())


def announce_compiling() -> None:
    """Print one line on standard error before the first compilation of this process."""
    announced = False

    def say(_: str) -> None:
        nonlocal announced
        if not announced:
            announced = True
            print(
                "compiling kernels, once: the next run starts at full speed "
                "(`tiltless warmup` compiles everything ahead)",
                file=sys.stderr,
                flush=True,
            )

    on_compile(say)
