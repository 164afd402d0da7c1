"""Reader of the thesis' CSV format, for its agents.

::

    table = read_thesis_csv("cfr.csv")
    table.find("Kh7h", "5c5d5h", "rccr")        (0.14, 0.48, 0.38), or None

`_read_line` defines the format of a line. Nearly all lines have one form, and those are read in
blocks, by columns of bytes, with the same result and several times faster.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from tiltless.abstraction.cards.abstraction import BOARD_CARDS
from tiltless.abstraction.cards.bucketing import Suitless
from tiltless.blueprint.files.file import PathName
from tiltless.cards.card import (
    CLASS_COUNT,
    CLASS_NAMES,
    CLASS_OF_COMBO,
    RANKS,
    Cards,
    check_disjoint,
    combo_index,
    parse_cards,
)
from tiltless.errors import CardError, FileError, OptionError
from tiltless.experiments.thesis.csv_export import HEADER, possible_buckets
from tiltless.validate import brief

__all__ = ["ThesisRows", "ThesisTable", "read_thesis_csv"]

_LETTERS = "fcr"
_LONGEST = 31  # letters of a history: two bits each, and one bit that marks the beginning


class ThesisRows(NamedTuple):
    """The rows of one history.

    buckets: of `Suitless`, uint32 `[rows]`, ascending.  hundredths: probabilities of fold, call and
    raise in hundredths, uint8 `[rows, 3]`, as in the file.
    """

    buckets: npt.NDArray[np.uint32]
    hundredths: npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class ThesisTable:
    """The contents of a CSV; rows: by board cards and history, such as ``(3, "rccr")``."""

    rows: Mapping[tuple[int, str], ThesisRows] = field(repr=False)

    def __len__(self) -> int:
        """The number of information sets."""
        return sum(len(rows.buckets) for rows in self.rows.values())

    def find(
        self, hole: Cards, board: Cards = (), history: str = ""
    ) -> tuple[float, float, float] | None:
        """Probabilities of fold, call and raise; None if the file has no row.

        ``table.find("Kh7h", "5c5d5h", "rccr")``
        """
        hand, shown = parse_cards(hole), parse_cards(board)
        check_disjoint(hand=hand, board=shown)
        if len(shown) not in BOARD_CARDS:
            raise CardError(f"a board has 0, 3, 4 or 5 cards, not {len(shown)}; deal a street")
        ranks = Suitless(len(shown)).rank_numbers(np.array([shown], np.uint8))
        bucket = int(CLASS_OF_COMBO[combo_index(hand)]) + CLASS_COUNT * int(ranks[0])
        return self._row(len(shown), history, bucket)

    def get(self, info_set: str) -> tuple[float, float, float] | None:
        """The same by text: ``table.get("K7s 555 rccr")``; `OptionError` if it cannot be read."""
        try:
            name, history = _split(info_set)
            board_cards, bucket = _bucket(name)
            _check_history(history)
        except ValueError as error:
            raise OptionError(f"{brief(info_set)} is not an information set: {error}") from None
        return self._row(board_cards, history, bucket)

    def _row(
        self, board_cards: int, history: str, bucket: int
    ) -> tuple[float, float, float] | None:
        rows = self.rows.get((board_cards, history))
        if rows is None:
            return None
        row = int(np.searchsorted(rows.buckets, bucket))
        if row == len(rows.buckets) or rows.buckets[row] != bucket:
            return None
        fold, call, more = rows.hundredths[row].tolist()
        whole = fold + call + more
        return fold / whole, call / whole, more / whole


_NAME = re.compile(r"([2-9TJQKA]{2}[so]?)(?: ([2-9TJQKA]{3,5}))?")
_NUMBERS = re.compile(r'\s*"\[ *([01]\.\d\d) *, *([01]\.\d\d) *, *([01]\.\d\d) *\]"\s*')
_CLASSES = {name: number for number, name in enumerate(CLASS_NAMES)}
_ROUNDED = 2  # hundredths by which the sum of three rounded numbers may differ from 1, with margin


def _split(info_set: str) -> tuple[str, str]:
    """Hand and board, and the history: ``("K7s 555", "rccr")``."""
    name, blank, history = info_set.rpartition(" ")
    return (name, history) if blank else (info_set, "")


def _bucket(name: str) -> tuple[int, int]:
    """Board cards and bucket of ``K7s 555``."""
    form = _NAME.fullmatch(name)
    if form is None or form[1] not in _CLASSES:
        raise ValueError(
            f"{brief(name)} is not a hand and a board; write K7s 555, the high card first"
        )
    board_cards, number = _board_number(form[2] or "")
    bucket = _CLASSES[form[1]] + CLASS_COUNT * number
    if number < 0 or not possible_buckets(board_cards)[bucket]:
        raise ValueError(f"{brief(name)} has five cards of one rank")
    return board_cards, bucket


@lru_cache(maxsize=8192)
def _board_number(ranks: str) -> tuple[int, int]:
    """The number of ranks, and their index in `Suitless`; -1 if five are equal."""
    cards = np.array([[4 * RANKS.index(rank) for rank in ranks]], np.uint8)
    return len(ranks), int(Suitless(len(ranks)).rank_numbers(cards)[0])


def _check_history(history: str) -> None:
    if history.strip(_LETTERS):
        raise ValueError(f"{brief(history)} is not a history; write c, r and f")
    if len(history) > _LONGEST:
        raise ValueError(f"{brief(history)} is longer than {_LONGEST} letters")


def _numbers(text: str) -> tuple[int, int, int]:
    """The hundredths of ``"[0.02,0.13,0.85]"``."""
    form = _NUMBERS.fullmatch(text)
    if form is None:
        raise ValueError(
            f'{brief(text.strip())} is not three numbers; write "[0.02,0.13,0.85]" with quotes'
        )
    fold, call, more = (int(number.replace(".", "")) for number in form.groups())
    if abs(fold + call + more - 100) > _ROUNDED:
        raise ValueError(f"{text.strip()} does not sum to 1")
    return fold, call, more


class _Line(NamedTuple):
    """The contents of a line; history: see `_code`."""

    board_cards: int
    bucket: int
    history: int
    hundredths: tuple[int, int, int]


def _read_line(text: str) -> _Line:
    """Read a line without its line end; ValueError says what is wrong with it.

    Blanks around the numbers are allowed, as in the appendix of the thesis.
    """
    info_set, _, strategy = text.partition(",")
    hundredths = _numbers(strategy)
    name, history = _split(info_set)
    _check_history(history)
    return _Line(*_bucket(name), _code(history), hundredths)


def _code(history: str) -> int:
    """A history as an integer: a leading 1, then two bits for each letter."""
    code = 1
    for letter in history:
        code = code << 2 | _LETTERS.index(letter) + 1
    return code


@lru_cache(maxsize=4096)
def _letters(code: int) -> str:
    """The inverse of `_code`."""
    letters = ""
    while code > 1:
        code, letter = code >> 2, code & 3
        letters = _LETTERS[letter - 1] + letters
    return letters


class _Columns(NamedTuple):
    """Lines as columns, `[lines]`; hundredths `[lines, 3]`. good: whether a line could be read."""

    good: npt.NDArray[np.bool_]
    board_cards: npt.NDArray[np.uint8]
    buckets: npt.NDArray[np.uint32]
    histories: npt.NDArray[np.uint64]
    hundredths: npt.NDArray[np.uint8]


def _byte_table(letters: str, other: int) -> npt.NDArray[np.uint8]:
    """The index of each letter, by its byte."""
    table = np.full(256, other, np.uint8)
    table[np.frombuffer(letters.encode(), np.uint8)] = np.arange(len(letters))
    return table


def _class_table() -> npt.NDArray[np.int64]:
    """The class by two ranks and a suffix (none, s or o), all as indices; -1 if invalid."""
    classes = np.full((14, 14, 3), -1, np.int64)
    for number, name in enumerate(CLASS_NAMES):
        kind = " so".index(name[2:] or " ")
        classes[RANKS.index(name[0]), RANKS.index(name[1]), kind] = number
    return classes


_TAIL = np.frombuffer(b',"[0.00,0.00,0.00]"', np.uint8)
_DIGITS = np.array([3, 5, 6, 8, 10, 11, 13, 15, 16])
_FIXED = np.setdiff1d(np.arange(len(_TAIL)), _DIGITS)
_SHORTEST = 3 + 1 + 5 + 1  # hand and board of the river
_HEAD = 3 + 1 + 5 + 1 + _LONGEST
_RANK = _byte_table(RANKS, 13)
_LETTER = _byte_table("\0fcr", 4)
_CLASS = _class_table()
_PADDING = np.zeros(64, np.uint8)


@lru_cache(maxsize=4)
def _board_numbers(cards: int) -> npt.NDArray[np.int64]:
    """The index of a board in `Suitless`, by its ranks as digits in base 13, in any order."""
    ranks = np.arange(13**cards)[:, None] // 13 ** np.arange(cards) % 13
    return Suitless(cards).rank_numbers((4 * ranks).astype(np.uint8))


def _read_columns(
    block: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
) -> _Columns:
    """Read all lines of the usual form; other lines, valid or not, are marked as not good."""
    padded = np.concatenate([_PADDING, block, _PADDING])
    starts, stops = starts + len(_PADDING), stops + len(_PADDING)
    tail = sliding_window_view(padded, len(_TAIL))[stops - len(_TAIL)]
    digits = tail[:, _DIGITS] - np.uint8(ord("0"))
    good = (tail[:, _FIXED] == _TAIL[_FIXED]).all(axis=1) & (digits <= 9).all(axis=1)
    good &= (digits[:, ::3] <= 1).all(axis=1)
    numbers = 100 * digits[:, ::3] + 10 * digits[:, 1::3] + digits[:, 2::3]  # 199 at most
    total = numbers[:, 0].astype(np.int16) + numbers[:, 1] + numbers[:, 2]
    good &= np.abs(total - 100) <= _ROUNDED
    length = stops - len(_TAIL) - starts
    good &= (length >= 2) & (length <= _HEAD)
    width = max(int(length[good].max(initial=0)), _SHORTEST)
    head = sliding_window_view(padded, width)[starts]
    head *= np.arange(width) < length[:, None]
    kind = (head[:, 2] == ord("s")) + 2 * (head[:, 2] == ord("o"))
    classes = _CLASS[_RANK[head[:, 0]], _RANK[head[:, 1]], kind]
    rest = np.where(kind[:, None] > 0, head[:, 3:], head[:, 2:-1])
    length -= 2 + (kind > 0)
    good &= (classes >= 0) & ((rest[:, 0] == ord(" ")) | (length == 0))
    ranks = _RANK[rest[:, 1:6]]
    board_cards = np.cumprod(ranks < 13, axis=1).sum(axis=1)
    buckets = np.zeros(len(starts), np.int64)
    histories = np.ones(len(starts), np.uint64)
    usual = np.zeros(len(starts), np.bool_)
    for cards in BOARD_CARDS:
        here = np.flatnonzero(good & (board_cards == cards))
        if not len(here):
            continue
        begin = 1 + cards + (cards > 0)
        number = _board_numbers(cards)[ranks[here, :cards] @ 13 ** np.arange(cards)]
        bucket = classes[here] + CLASS_COUNT * number
        right = (number >= 0) & possible_buckets(cards)[np.maximum(bucket, 0)]
        right &= (cards == 0) | (rest[here, begin - 1] == ord(" "))
        letters = _LETTER[rest[here, begin : begin + _LONGEST]]
        code = np.ones(len(here), np.uint64)
        for letter in letters.T:
            if not letter.any():
                break
            code = np.where(letter > 0, code << np.uint64(2) | letter, code)
        right &= (letters <= 3).all(axis=1)
        right &= np.count_nonzero(letters, axis=1) == np.maximum(length[here] - begin, 0)
        buckets[here], histories[here], usual[here] = bucket, code, right
    return _Columns(
        good & usual, board_cards.astype(np.uint8), buckets.astype(np.uint32), histories, numbers
    )


class _Pieces:
    """Rows in file order, by board cards and history: buckets, hundredths and line numbers."""

    def __init__(self, path: PathName) -> None:
        self.path = path
        self.parts: defaultdict[tuple[int, int], list[tuple[npt.NDArray[np.generic], ...]]]
        self.parts = defaultdict(list)
        self.line = 2

    def read(self, data: bytes) -> None:
        """Read some complete lines."""
        block = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(block == ord("\n"))
        starts = np.concatenate([[0], ends[:-1] + 1])
        stops = ends - (block[np.maximum(ends - 1, 0)] == ord("\r"))
        columns = _read_columns(block, starts, np.maximum(stops, starts))
        for index in np.flatnonzero(~columns.good).tolist():
            line = self.line + index
            try:
                text = data[starts[index] : ends[index]].decode("ascii")
                row = _read_line(text.removesuffix("\r"))
            except UnicodeDecodeError:
                raise FileError(f"line {line} of {self.path} is not ASCII text") from None
            except ValueError as error:
                raise FileError(f"line {line} of {self.path}: {error}; export it again") from None
            columns.board_cards[index], columns.buckets[index] = row.board_cards, row.bucket
            columns.histories[index], columns.hundredths[index] = row.history, row.hundredths
        lines = np.arange(self.line, self.line + len(ends), dtype=np.uint32)
        self.keep(columns, lines)
        self.line += len(ends)

    def keep(self, columns: _Columns, lines: npt.NDArray[np.uint32]) -> None:
        """Group lines by board cards and history."""
        order = np.lexsort((columns.histories, columns.board_cards))
        cards, codes = columns.board_cards[order], columns.histories[order]
        cuts = np.flatnonzero((cards[1:] != cards[:-1]) | (codes[1:] != codes[:-1])) + 1
        for part in np.split(order, cuts):
            where = int(columns.board_cards[part[0]]), int(columns.histories[part[0]])
            self.parts[where].append((columns.buckets[part], columns.hundredths[part], lines[part]))

    def table(self) -> ThesisTable:
        """All rows, those of each history sorted by bucket."""
        tables = {}
        for (board_cards, code), pieces in self.parts.items():
            buckets, hundredths, lines = (
                np.concatenate(column) for column in zip(*pieces, strict=True)
            )
            order = np.argsort(buckets, kind="stable")
            buckets = buckets[order]
            twice = np.flatnonzero(buckets[1:] == buckets[:-1])
            if len(twice):
                first, second = lines[order[twice[0] : twice[0] + 2]].tolist()
                raise FileError(
                    f"line {second} of {self.path} repeats the information set of line {first}; "
                    "remove one of them"
                )
            tables[board_cards, _letters(code)] = ThesisRows(buckets, hundredths[order])
        return ThesisTable(tables)


_BLOCK = 1 << 22  # bytes read at a time


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """A file in blocks of complete lines."""
    rest = b""
    while data := file.read(_BLOCK):
        lines, end, rest = (rest + data).rpartition(b"\n")
        if end:
            yield lines + end
    if rest:
        yield rest + b"\n"


def read_thesis_csv(path: PathName) -> ThesisTable:
    """Read the thesis' CSV, cleaned or not; `FileError` names the first bad line.

    Blanks around the numbers and Windows line ends are allowed.
    """
    pieces = _Pieces(path)
    try:
        with open(path, "rb") as file:
            first = file.readline(1000).rstrip().decode("ascii", "replace")
            if first != HEADER:
                raise FileError(f"line 1 of {path} is {brief(first)}, not {HEADER!r}")
            for lines in _whole_lines(file):
                pieces.read(lines)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    return pieces.table()
