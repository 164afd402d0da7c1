"""Reader of the thesis' CSV format, for its agents.

::

    table = read_thesis_csv("cfr.csv")
    table.find("Kh7h", "5c5d5h", "rccr")        (0.14, 0.48, 0.38), or None

A line is read as `_read_line` says. Nearly all lines have one form, and those are read a block at a
time, columns of bytes at once, with the same result and several times as fast.
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
from tiltless.blueprint.file import PathName
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
_LONGEST = 31  # letters of a history: two bits each, and one that marks its beginning


class ThesisRows(NamedTuple):
    """The rows of one history.

    buckets: of `Suitless`, uint32 `[rows]`, rising.  hundredths: of fold, call and raise, uint8
    `[rows, 3]`, as the file has them.
    """

    buckets: npt.NDArray[np.uint32]
    hundredths: npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class ThesisTable:
    """A CSV that was read; rows: by board cards and history, such as ``(3, "rccr")``."""

    rows: Mapping[tuple[int, str], ThesisRows] = field(repr=False)

    def __len__(self) -> int:
        """How many information sets there are."""
        return sum(len(rows.buckets) for rows in self.rows.values())

    def find(
        self, hole: Cards, board: Cards = (), history: str = ""
    ) -> tuple[float, float, float] | None:
        """Fold, call and raise, which sum to 1; None where the file has no row.

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
        """The same by text: ``table.get("K7s 555 rccr")``; `OptionError` if it is none."""
        try:
            name, history = _split(info_set)
            board_cards, bucket = _bucket(name)
            _check_history(history)
        except ValueError as error:
            raise OptionError(f"{brief(info_set)} is no information set: {error}") from None
        return self._row(board_cards, history, bucket)

    def _row(
        self, board_cards: int, history: str, bucket: int
    ) -> tuple[float, float, float] | None:
        rows = self.rows.get((board_cards, history))
        if rows is None:
            return None
        place = int(np.searchsorted(rows.buckets, bucket))
        if place == len(rows.buckets) or rows.buckets[place] != bucket:
            return None
        fold, call, more = rows.hundredths[place].tolist()
        whole = fold + call + more
        return fold / whole, call / whole, more / whole


_NAME = re.compile(r"([2-9TJQKA]{2}[so]?)(?: ([2-9TJQKA]{3,5}))?")
_NUMBERS = re.compile(r'\s*"\[ *([01]\.\d\d) *, *([01]\.\d\d) *, *([01]\.\d\d) *\]"\s*')
_CLASSES = {name: number for number, name in enumerate(CLASS_NAMES)}
_ROUNDED = 2  # hundredths by which three rounded numbers may miss 1, and to spare


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
    """How many ranks there are, and their number in `Suitless`; -1 if five are equal."""
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
    """What a line says; history: see `_code`."""

    board_cards: int
    bucket: int
    history: int
    hundredths: tuple[int, int, int]


def _read_line(text: str) -> _Line:
    """One line of the file, without its end; ValueError says what is wrong with it.

    Blanks around the numbers are understood: the appendix of the thesis has some.
    """
    info_set, _, strategy = text.partition(",")
    hundredths = _numbers(strategy)
    name, history = _split(info_set)
    _check_history(history)
    return _Line(*_bucket(name), _code(history), hundredths)


def _code(history: str) -> int:
    """A history as a number: 1, then two bits for each letter."""
    code = 1
    for letter in history:
        code = code << 2 | _LETTERS.index(letter) + 1
    return code


@lru_cache(maxsize=4096)
def _letters(code: int) -> str:
    """The history of a number."""
    letters = ""
    while code > 1:
        code, letter = code >> 2, code & 3
        letters = _LETTERS[letter - 1] + letters
    return letters


class _Columns(NamedTuple):
    """Lines as columns, `[lines]`; hundredths `[lines, 3]`. good: whether a line is in them."""

    good: npt.NDArray[np.bool_]
    board_cards: npt.NDArray[np.uint8]
    buckets: npt.NDArray[np.uint32]
    histories: npt.NDArray[np.uint64]
    hundredths: npt.NDArray[np.uint8]


def _byte_table(letters: str, other: int) -> npt.NDArray[np.uint8]:
    """The place of each letter by its byte."""
    table = np.full(256, other, np.uint8)
    table[np.frombuffer(letters.encode(), np.uint8)] = np.arange(len(letters))
    return table


def _class_table() -> npt.NDArray[np.int64]:
    """The class of two ranks and nothing, s or o, by their places; below 0 if there is none."""
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
    """The number of a board in `Suitless` by its ranks, digits in base 13 of any order."""
    ranks = np.arange(13**cards)[:, None] // 13 ** np.arange(cards) % 13
    return Suitless(cards).rank_numbers((4 * ranks).astype(np.uint8))


def _read_columns(
    block: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
) -> _Columns:
    """All lines of the usual form; the others, right or wrong, are not good."""
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
        found = classes[here] + CLASS_COUNT * number
        right = (number >= 0) & possible_buckets(cards)[np.maximum(found, 0)]
        right &= (cards == 0) | (rest[here, begin - 1] == ord(" "))
        letters = _LETTER[rest[here, begin : begin + _LONGEST]]
        code = np.ones(len(here), np.uint64)
        for letter in letters.T:
            if not letter.any():
                break
            code = np.where(letter > 0, code << np.uint64(2) | letter, code)
        right &= (letters <= 3).all(axis=1)
        right &= np.count_nonzero(letters, axis=1) == np.maximum(length[here] - begin, 0)
        buckets[here], histories[here], usual[here] = found, code, right
    return _Columns(
        good & usual, board_cards.astype(np.uint8), buckets.astype(np.uint32), histories, numbers
    )


class _Pieces:
    """Rows by board cards and history, as they come: buckets, hundredths and lines of the file."""

    def __init__(self, path: PathName) -> None:
        self.path = path
        self.found: defaultdict[tuple[int, int], list[tuple[npt.NDArray[np.generic], ...]]]
        self.found = defaultdict(list)
        self.line = 2

    def read(self, data: bytes) -> None:
        """Some whole lines."""
        block = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(block == ord("\n"))
        starts = np.concatenate([[0], ends[:-1] + 1])
        stops = ends - (block[np.maximum(ends - 1, 0)] == ord("\r"))
        columns = _read_columns(block, starts, np.maximum(stops, starts))
        for place in np.flatnonzero(~columns.good).tolist():
            line = self.line + place
            try:
                text = data[starts[place] : ends[place]].decode("ascii")
                said = _read_line(text.removesuffix("\r"))
            except UnicodeDecodeError:
                raise FileError(f"line {line} of {self.path} is not ASCII text") from None
            except ValueError as error:
                raise FileError(f"line {line} of {self.path}: {error}; export it again") from None
            columns.board_cards[place], columns.buckets[place] = said.board_cards, said.bucket
            columns.histories[place], columns.hundredths[place] = said.history, said.hundredths
        lines = np.arange(self.line, self.line + len(ends), dtype=np.uint32)
        self.keep(columns, lines)
        self.line += len(ends)

    def keep(self, columns: _Columns, lines: npt.NDArray[np.uint32]) -> None:
        """Put lines of one history together."""
        order = np.lexsort((columns.histories, columns.board_cards))
        cards, codes = columns.board_cards[order], columns.histories[order]
        cuts = np.flatnonzero((cards[1:] != cards[:-1]) | (codes[1:] != codes[:-1])) + 1
        for part in np.split(order, cuts):
            where = int(columns.board_cards[part[0]]), int(columns.histories[part[0]])
            self.found[where].append((columns.buckets[part], columns.hundredths[part], lines[part]))

    def table(self) -> ThesisTable:
        """All rows, each history's in the order of its buckets."""
        made = {}
        for (board_cards, code), pieces in self.found.items():
            buckets, hundredths, lines = (
                np.concatenate(column) for column in zip(*pieces, strict=True)
            )
            order = np.argsort(buckets, kind="stable")
            buckets = buckets[order]
            twice = np.flatnonzero(buckets[1:] == buckets[:-1])
            if len(twice):
                first, second = lines[order[twice[0] : twice[0] + 2]].tolist()
                raise FileError(
                    f"line {second} of {self.path} has the information set of line {first} again; "
                    "leave one of them out"
                )
            made[board_cards, _letters(code)] = ThesisRows(buckets, hundredths[order])
        return ThesisTable(made)


_BLOCK = 1 << 22  # bytes that are read at a time


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """A file in blocks that end with a line."""
    rest = b""
    while data := file.read(_BLOCK):
        lines, end, rest = (rest + data).rpartition(b"\n")
        if end:
            yield lines + end
    if rest:
        yield rest + b"\n"


def read_thesis_csv(path: PathName) -> ThesisTable:
    """Read the thesis' CSV, clean or not; a line that is none is refused by its number.

    Blanks around the numbers, and the line ends of Windows, are understood.
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
