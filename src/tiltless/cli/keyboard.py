"""Questions in a terminal: Ctrl-C is heard at once, keys pressed before are discarded."""

import contextlib
import select
import sys

__all__ = ["drop_typed", "typed_line"]

_LISTEN = 0.2
"""Seconds of a wait for keys, after which a Ctrl-C is noticed that came just before it."""


def typed_line(prompt: str) -> str:
    """`input`, except that a Ctrl-C between the prompt and the reading does not wait for a key.

    Python only notes a signal that comes there, and looks at its notes when the reading is over.
    """
    print(prompt, end="", flush=True)
    with contextlib.suppress(ValueError, OSError):  # Windows has no `select` for the keyboard
        while not select.select([sys.stdin], [], [], _LISTEN)[0]:
            pass
    return input()


def drop_typed() -> None:
    """Discard input that has not been read yet, if the system allows that."""
    try:
        import termios
    except ModuleNotFoundError:  # Windows
        with contextlib.suppress(ImportError):
            import msvcrt

            while msvcrt.kbhit():  # type: ignore[attr-defined]
                msvcrt.getwch()  # type: ignore[attr-defined]
        return
    with contextlib.suppress(termios.error, ValueError, OSError):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
