"""Game parameters as text: ``players=3 stack=100bb row=1,-1/-1,1``."""

from collections.abc import Sequence
from typing import Any

from tiltless.errors import OptionError

__all__ = ["read_parameters"]


def read_parameters(texts: Sequence[str]) -> dict[str, Any]:
    """Parameters by name; values may be numbers, true, false, none, lists, tables or text.

    A list is written with commas, ``blinds=1,2``; a table with a slash between rows,
    ``row=1,-1/-1,1``, or after its only row.
    """
    parameters: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise OptionError(
                f"{text!r} is not a parameter; write name=value, such as players=3, "
                "blinds=1,2 or row=1,-1/-1,1"
            )
        if name in parameters:
            raise OptionError(f"parameter {name} is given twice; give it once")
        parameters[name] = _read(value)
    return parameters


def _read_list(text: str) -> tuple[Any, ...]:
    return tuple(_read(part) for part in text.split(",") if part.strip())


def _read(text: str) -> Any:
    if "/" in text:
        return tuple(_read_list(row) for row in text.split("/") if row.strip())
    if "," in text:
        return _read_list(text)
    words = {"true": True, "false": False, "none": None}
    word = text.strip()
    if word.casefold() in words:
        return words[word.casefold()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
