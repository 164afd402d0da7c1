"""Files of hands, read one hand at a time: PHH, collections, lines of text, rooms' histories.

::

    for record in read_hands("hands.phhs"):
        print(record.names, record.payoffs, record.view(0))

A ``.phh`` file is one hand; in a collection, ``.phhs``, each hand is a numbered table: ``[1]``,
``[2]``. Lines of text are those of `tiltless.games.holdem.record` under a comment with the game's
parameters, as `tiltless play --save` writes them for games that PHH does not have. Histories of
poker rooms are those of `tiltless.games.holdem.histories.rooms`. What a file is follows from its
contents, not from its name. Only one hand at a time is in memory.

Cards that nobody showed are unknown: `HandRecord.final.hole` is then empty for that seat, and
`HandRecord.view` works for every seat whose cards are known.
"""

import os
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tiltless.errors import FileError, InputError, TiltlessError
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.histories.phh_fields import chip_unit
from tiltless.games.holdem.histories.room_forms import Room
from tiltless.games.holdem.histories.rooms import (
    RoomHand,
    find_room,
    parse_room_hand,
    split_hands,
)
from tiltless.games.holdem.phh import from_history, phh_history
from tiltless.games.holdem.record import HandRecord, parse_hand
from tiltless.games.parameter_text import read_parameters
from tiltless.games.registry import load
from tiltless.validate import shortened

__all__ = ["read_hands"]

_TABLE = re.compile(r"\[\s*\"?([0-9]+)\"?\s*\]\s*(#.*)?")
_LARGEST = 200_000  # characters of one hand


def read_hands(
    path: str | os.PathLike[str],
    *,
    unit: Any = None,
    game: Holdem | None = None,
    problems: Callable[[str], object] | None = None,
) -> Iterator[HandRecord]:
    """The hands of a file, in order.

    unit: the value of one chip, such as ``"0.01"``; by default a cent in hands with fractions of
    money, otherwise 1.  game: the game that was played; by default it is built from the file.
    problems: called with one line for each hand that cannot be read, which is then left out;
    without it, that is an `InputError`.  `FileError` if there is no such file of text.
    """
    for piece in _pieces(_lines(Path(path))):
        try:
            record = piece.read(unit, game)
        except TiltlessError as problem:
            line = f"{path}, line {piece.line}, hand {piece.name}: {problem}"
            if problems is None:
                raise InputError(line) from problem
            problems(line)
        else:
            yield record


class _Piece(NamedTuple):
    """The text of one hand; line: where it begins; game: the comment above a line of text."""

    name: str
    line: int
    text: str
    game: str = ""

    def read(self, unit: Any, game: Holdem | None) -> HandRecord:
        if len(self.text) > _LARGEST:
            raise InputError(f"more than {_LARGEST:,} characters are no hand")
        if self.text.startswith("HAND:"):
            return parse_hand(self.text, game or _commented(self.game))
        history = phh_history(self.text)
        return from_history(history, chip_unit(history) if unit is None else unit, game)


class _RoomPiece(NamedTuple):
    """A hand of a room."""

    hand: RoomHand
    room: Room

    @property
    def name(self) -> str:
        return self.hand.name

    @property
    def line(self) -> int:
        return self.hand.line

    def read(self, unit: Any, game: Holdem | None) -> HandRecord:
        return parse_room_hand(self.hand, self.room, unit)


def _pieces(lines: Iterator[str]) -> Iterator[_Piece | _RoomPiece]:
    """The hands of a file; its first line that says something tells what it is."""
    head = []
    for line in lines:
        head.append(line)
        if line.strip():
            room = find_room(line)
            break
    else:
        return
    everything = chain(head, lines)
    if room is None:
        yield from _phh_pieces(everything)
    else:
        yield from (_RoomPiece(hand, room) for hand in split_hands(everything, room))


def _phh_pieces(lines: Iterator[str]) -> Iterator[_Piece]:
    name, first, held, size, comment = "1", 1, list[str](), 0, ""
    for number, line in enumerate(lines, start=1):
        table = _TABLE.fullmatch(line.strip())
        alone = line.startswith(("HAND:", "# HAND:"))
        if (table or alone) and any(map(_says, held)):
            yield _Piece(name, first, "".join(held))
        if table or alone:
            held, size = [], 0
        if table:
            name, first = table[1], number
        elif alone:
            text = line.removeprefix("# ").strip()
            yield _Piece(shortened(text.split(":", 2)[1], 20), number, text, comment)
        else:
            if line.startswith("#"):
                comment = line[1:].strip()
            if size <= _LARGEST:  # one line more shows the excess
                held.append(line)
                size += len(line)
    if any(map(_says, held)):
        yield _Piece(name, first, "".join(held))


def _says(line: str) -> bool:
    """Whether a line is more than a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file; longer ones come in parts."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            while line := file.readline(_LARGEST + 1):
                yield line
    except OSError as problem:
        what = problem.strerror or problem
        raise FileError(f"cannot read {path}: {what}; choose a file of hands") from problem
    except UnicodeDecodeError as problem:
        raise FileError(f"cannot read {path}: it is not text; choose a file of hands") from problem


def _commented(comment: str) -> Holdem:
    """The game of a comment such as ``river-of-blood stack=200``."""
    name, *texts = comment.split() or [""]
    if not name:
        raise InputError("no comment above it names the game; pass game=")
    game = load(name, **read_parameters(texts))
    if not isinstance(game, Holdem):
        raise InputError(f"{name} is not a game of hold'em")
    return game
