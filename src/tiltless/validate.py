"""Validation of parameters, and short echoes of values for error messages."""

from operator import index
from typing import Any

from tiltless.errors import OptionError

__all__ = ["brief", "plain_int", "true_or_false", "whole_number"]


def brief(value: object) -> str:
    """A value as it is echoed in an error: one line, and not a long one."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else shown[:57] + "..."


def plain_int(value: Any) -> int:
    """A whole number of any kind, such as NumPy's, as an int; `TypeError` for 1.0 and True."""
    if isinstance(value, bool):
        raise TypeError(f"{value} is not a number")
    return index(value)


def true_or_false(name: str, value: Any) -> bool:
    """``value`` if it is True or False; otherwise `OptionError`."""
    if not isinstance(value, bool):
        raise OptionError(f"{name}={brief(value)} is not possible; say True or False")
    return value


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """``value`` as an int from ``low`` to ``high``; otherwise `OptionError` names all three."""
    try:
        number = plain_int(value)
    except TypeError:
        number = low - 1
    if low <= number <= high:
        return number
    raise OptionError(
        f"{name}={brief(value)} is not possible; choose a whole number {low} to {high}"
    )
