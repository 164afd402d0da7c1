"""Type-ahead: discards keys pressed before a question is asked."""

import contextlib
import sys

__all__ = ["drop_typed"]


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
