"""Validation of parameters, and short echoes of values for error messages."""

from collections.abc import Iterable
from difflib import get_close_matches
from math import isfinite
from numbers import Real
from operator import index
from sys import float_info
from typing import Any, TypeVar

from tiltless.errors import OptionError

__all__ = [
    "an_instance",
    "between",
    "brief",
    "is_number",
    "one_of",
    "plain_int",
    "positive",
    "shortened",
    "true_or_false",
    "unknown_name",
    "whole_number",
]

T = TypeVar("T")

_ENOUGH = 1000  # characters of a text that may be echoed


def shortened(text: str, most: int = 60) -> str:
    """Text on one line, cut to ``most`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def brief(value: object) -> str:
    """A value as it is echoed in an error: one line, and not a long one, whatever was given."""
    if isinstance(value, str | bytes):
        value = value[:_ENOUGH]
    try:
        return shortened(repr(value))
    except ValueError:  # of a whole number with thousands of digits
        return f"(a {type(value).__name__} that is too long to show)"


def plain_int(value: Any) -> int:
    """A whole number of any kind, such as NumPy's, as an int; `TypeError` for 1.0 and True."""
    if isinstance(value, bool):
        raise TypeError(f"{value} is not a number")
    return index(value)


def is_number(value: Any) -> bool:
    """Whether this is a finite real number; True and False are none."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def true_or_false(name: str, value: Any) -> bool:
    """``value`` if it is True or False; otherwise `OptionError`."""
    if not isinstance(value, bool):
        raise OptionError(f"{name}={brief(value)} is not possible; say True or False")
    return value


def whole_number(name: str, value: Any, low: int, high: int | None = None) -> int:
    """``value`` as an int from ``low`` to ``high``; otherwise `OptionError` names all three."""
    try:
        number = plain_int(value)
    except TypeError:
        number = low - 1
    if low <= number and (high is None or number <= high):
        return number
    limits = f"{low} or more" if high is None else f"{low} to {high}"
    raise OptionError(f"{name}={brief(value)} is not possible; choose a whole number {limits}")


def an_instance(name: str, value: Any, kind: type[T], remedy: str) -> T:
    """``value`` if it is an instance of ``kind``; otherwise `OptionError` says what to do."""
    if not isinstance(value, kind):
        raise OptionError(f"{name}={brief(value)} is not a {kind.__name__}; {remedy}")
    return value


def between(name: str, value: Any, low: float, high: float) -> Any:
    """``value`` if it is a number from ``low`` to ``high``; otherwise `OptionError`."""
    if not (is_number(value) and low <= value <= high):
        raise OptionError(f"{name}={brief(value)} is not possible; choose {low:g} to {high:g}")
    return value


def positive(name: str, value: float, most: float = float_info.max) -> float:
    """``value`` if it is above 0 and at most ``most``; otherwise `OptionError`."""
    if not 0 < value <= most:
        limit = f", at most {most:g}" if most < float_info.max else ""
        shown = f"{value:g}" if abs(value) <= float_info.max else brief(value)
        raise OptionError(f"{name} {shown} is not possible; choose a finite number above 0{limit}")
    return value


def one_of(name: str, value: Any, choices: Iterable[str]) -> Any:
    """``value`` if it is one of the words of an option; otherwise `OptionError` lists them."""
    known = tuple(choices)
    if value not in known:
        raise OptionError(f"{name}={brief(value)} is not known; choose {', '.join(known)}")
    return value


def unknown_name(kind: str, name: object, known: Iterable[str], instead: str = "") -> OptionError:
    """``no game is called 'ledoc'; did you mean 'leduc'? known: …``, to be raised.

    instead: what may be given in place of a name, such as ``a .toml file``.
    """
    names = list(known)
    close = get_close_matches(str(name).casefold(), names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(names) or "none"
    end = f"; or give {instead}" if instead else ""
    return OptionError(f"no {kind} is called {brief(name)}; {hint}known: {listed}{end}")
