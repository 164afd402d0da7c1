"""Parameters of games on the command line: ``players=3 stack=100bb blinds=1,2``."""

from collections.abc import Sequence
from typing import Any

from tiltless.errors import OptionError

__all__ = ["read_parameters"]


def read_parameters(texts: Sequence[str]) -> dict[str, Any]:
    """Names and values; numbers, true, false, none and comma-separated lists are understood."""
    parameters: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise OptionError(f"{text!r} is not a parameter; write name=value, such as players=3")
        if name in parameters:
            raise OptionError(f"parameter {name} is given twice; give it once")
        parameters[name] = _read(value)
    return parameters


def _read(text: str) -> Any:
    if "," in text:
        return tuple(_read(part) for part in text.split(",") if part.strip())
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
