"""Hand history files: hands appended one by one, as PHH or as lines of text.

A file of several hands in PHH is TOML with one numbered table for each: ``[1]``, ``[2]``, and so
on; pokerkit's ``HandHistory.load_all`` reads it. Games that PHH does not know get a line each (see
`tiltless.games.holdem.record`), under a comment with the game's parameters. Every hand is written
when it
is over, and the file is replaced as a whole: a crash leaves the hands before. Several programs may
add to one file: each reads it again before it writes, while a file beside it is locked.
"""

import os
import re
import tomllib
from pathlib import Path

from tiltless.errors import FileError, ForeignFileError, OptionError
from tiltless.files.atomic import write_text
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.phh import to_phh
from tiltless.games.holdem.record import HandRecord, hand_line
from tiltless.lock import locked, waiting_for

__all__ = ["HandFile", "game_comment"]

_TABLE = re.compile(r"^\[([0-9]+)\]\s*$", re.MULTILINE)


class HandFile:
    """A file that hands are added to; one that is there is continued.

    `ForeignFileError` at once where it holds something else.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._read()

    def _read(self) -> None:
        """What the file holds now."""
        try:
            self._text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            self._text = ""
        except (OSError, UnicodeDecodeError) as problem:
            raise FileError(f"cannot read {self.path}: {problem}; choose another file") from problem
        lines = [line for line in self._text.splitlines() if line and not line.startswith("#")]
        self._lines = bool(lines) and all(line.startswith("HAND:") for line in lines)
        if lines and not self._lines:
            self._check_phh()
        self.number = max(map(int, _TABLE.findall(self._text)), default=0)

    def _check_phh(self) -> None:
        """Raise `ForeignFileError` unless the file is TOML with numbered tables only."""
        try:
            found = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as problem:
            raise ForeignFileError(
                f"{self.path} holds no hands ({problem}); choose another file"
            ) from problem
        if not all(name.isdecimal() and isinstance(hand, dict) for name, hand in found.items()):
            raise ForeignFileError(
                f"{self.path} does not hold numbered hands ([1], [2], …); choose another file"
            )

    def add(self, record: HandRecord) -> None:
        """Write one more hand; `WriteError` where that fails, and the file is as it was."""
        lock = self.path.with_name(f".{self.path.name}.lock")
        with locked(lock, waiting_for(f"{self.path} longer")):
            self._read()
            text, number = self._with(record)
            write_text(self.path, text)
            self._text, self.number = text, number

    def _with(self, record: HandRecord) -> tuple[str, int]:
        """The text with one more hand, and the number of the last one in PHH."""
        text, number = self._text, self.number
        try:
            hand = None if self._lines else to_phh(record)
        except OptionError:
            hand = None
        if hand is not None:
            return f"{text}{chr(10) * bool(text)}[{number + 1}]\n{hand}", number + 1
        comment = f"# {game_comment(record.game)}\n"
        line = hand_line(record) + "\n"
        if self._lines or not text:  # a file of lines
            return text + (line if comment in text else comment + line), number
        # one hand among others that PHH has no words for
        return f"{text}\n{comment}# {line}", number


def game_comment(game: Holdem) -> str:
    """``"nlhe seats=2 stack=100bb blinds=1,2"``: what makes the game again."""
    words = [game.name]
    for name, value in game.parameters.items():
        if isinstance(value, tuple):
            value = ",".join(map(str, value))
        words.append(f"{name}={value}")
    return " ".join(words)
