"""Rules files: the game of a year that is not known yet, as TOML.

::

    [game]                      # a game of `tiltless games` and its parameters
    name = "nlhe"
    stack = 60
    ante = 1

    [match]                     # each of them may be left out
    hands = 1000
    clock = 30.0                # seconds of each bot for a match
    reply = 10.0                # seconds for one answer

The lines are those of 2023. The table ``[game]`` can be copied into the file of a training run
(docs/training.md), which has one of the same form.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from tiltless.errors import FileError, OptionError, TiltlessError
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load
from tiltless.protocols.mit.years import YEARS, Year, find_year
from tiltless.validate import brief, positive, shortened, whole_number

__all__ = ["load_year", "read_year"]

_LONGEST = 100_000  # bytes
_MATCH = ("hands", "clock", "reply")


def load_year(text: str | int) -> Year:
    """The year of a number such as 2023, the game of a year such as river-of-blood, or a file."""
    words = str(text)
    for year in YEARS.values():
        if words == year.variant:
            return year
    if re.fullmatch(r"[0-9]{1,9}", words):
        return find_year(int(words))
    if not words.endswith(".toml"):
        known = ", ".join(f"{number} ({year.variant})" for number, year in YEARS.items())
        raise OptionError(f"year {brief(words)} is not known; use {known}, or a rules file (.toml)")
    return read_year(words)


def read_year(path: str | Path) -> Year:
    """The year that a rules file describes; `FileError` or `OptionError` says what is wrong."""
    try:
        with Path(path).open("rb") as file:
            table = tomllib.loads(file.read(_LONGEST).decode())
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}; check the path") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not TOML: {shortened(str(error))}; correct it") from None
    try:
        return _year(table)
    except TiltlessError as error:
        raise OptionError(f"{path}: {error}") from None


def _year(table: dict[str, Any]) -> Year:
    game, match = table.get("game"), table.get("match", {})
    if set(table) - {"game", "match"} or not isinstance(game, dict) or not isinstance(match, dict):
        raise OptionError("a rules file has a table [game] and perhaps one [match], nothing else")
    if unknown := set(match) - set(_MATCH):
        raise OptionError(f"[match] has no {sorted(unknown)[0]}; it has {', '.join(_MATCH)}")
    options = dict(game)
    rules = load(str(options.pop("name", "")), **options)
    if not isinstance(rules, Holdem) or rules.players != 2:
        raise OptionError(f"{rules.name} is not hold'em for two players; choose such a game")
    stacks, blinds = rules.rules.stacks, rules.rules.blinds
    if len(set(stacks)) > 1 or len(blinds) != 2:
        raise OptionError("both players need the same stack, and two blinds")
    for name in ("stack", "blinds"):
        options.pop(name, None)
    for name, value in match.items():
        if name == "hands":
            whole_number(name, value, 1, 1_000_000)
        elif not isinstance(value, int | float) or isinstance(value, bool):
            raise OptionError(f"{name} = {brief(value)} is not a number of seconds")
        else:
            positive(name, value, 1e9)
    return Year(
        0,
        rules.name,
        stacks[0],
        (blinds[0], blinds[1]),
        hidden_ranks=rules.hidden is not None,
        options=options,
        **match,
    )
