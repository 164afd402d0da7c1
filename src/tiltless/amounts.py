"""Amounts as people read them: times, sizes of files and memory, counts."""

__all__ = ["count_text", "size_text", "time_text"]


def time_text(seconds: float) -> str:
    """``0:07``, ``2:03:04``, ``5 days 3 h``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24:,} days {hours % 24} h"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size_text(size: float) -> str:
    """``1.5 GB``, ``23 kB``: bytes with a unit in which they are not zero."""
    for unit, length in (("GB", 1e9), ("MB", 1e6)):
        if size >= 0.1 * length:
            return f"{size / length:,.1f} {unit}"
    return f"{size / 1e3:,.0f} kB"


def count_text(number: float) -> str:
    """A count, or an estimate that may have thirty digits."""
    return f"{number:,.0f}" if number < 1e9 else f"{number:.1e}"
