"""Hand history files: hands appended one by one, as PHH or as lines of text.

A PHH file of several hands is TOML with one numbered table for each: ``[1]``, ``[2]``, and so on;
pokerkit's ``HandHistory.load_all`` reads it. In games that PHH does not support, a hand is one line
of text (see `tiltless.games.holdem.record`), under a comment with the game's parameters. Every hand
is written when it is over, and the file is replaced atomically, so that a crash leaves the earlier
hands intact. Several programs may append to one file: each takes a lock and reads the file again
before it writes.
"""

import os
import re
import tomllib
from collections.abc import Iterable
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
    """A file that hands are appended to, created if it does not exist.

    `ForeignFileError` if it contains something else.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._read()

    def _read(self) -> None:
        """Read the current contents."""
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
            hands = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as problem:
            raise ForeignFileError(
                f"{self.path} is not a file of hands ({problem}); choose another file"
            ) from problem
        if not all(name.isdecimal() and isinstance(hand, dict) for name, hand in hands.items()):
            raise ForeignFileError(
                f"{self.path} does not contain numbered hands ([1], [2], …); choose another file"
            )

    def add(self, record: HandRecord) -> None:
        """Append a hand; `WriteError` if that fails, and the file is unchanged."""
        self.extend([record])

    def extend(self, records: Iterable[HandRecord]) -> None:
        """Append several hands at once, all or none."""
        lock = self.path.with_name(f".{self.path.name}.lock")
        with locked(lock, waiting_for(f"{self.path} longer")):
            self._read()
            before = self._text, self.number, self._lines
            try:
                for record in records:
                    first = not self._text
                    self._text, self.number = self._with(record)
                    self._lines = self._lines or (first and not self._text.startswith("["))
                write_text(self.path, self._text)
            except BaseException:
                self._text, self.number, self._lines = before
                raise

    def _with(self, record: HandRecord) -> tuple[str, int]:
        """The text with one more hand, and the number of the last hand in PHH."""
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
            last = f"\n{text}".rfind("\n#")  # the comment that counts
            told = last >= 0 and text.startswith(comment, last)
            return text + (line if told else comment + line), number
        # a hand that PHH cannot express, in a file of PHH hands: a comment
        return f"{text}\n{comment}# {line}", number


def game_comment(game: Holdem) -> str:
    """``"nlhe seats=2 stack=100bb blinds=1,2"``: the game and its parameters."""
    words = [game.name]
    for name, value in game.parameters.items():
        if isinstance(value, tuple):
            value = ",".join(map(str, value))
        words.append(f"{name}={value}")
    return " ".join(words)
