"""Export in the thesis' CSV format: an information set as text, with its probabilities.

::

    info_set,strategies
    AA c,"[0.02,0.13,0.85]"
    K7s 555 rccr,"[0.33,0.33,0.33]"

CFRv1 and CFRv2 play from this file (sections 3.2, 3.3 and 3.5, appendix C). An information set is
the class of the hand, the ranks of the board without suits, and all actions of the hand as letters,
with streets run together: ``c`` check or call, ``r`` raise, ``f`` fold (only with three players or
more). The first player to act has no letters, so the line is ``AA``. The appendix shows only boards
of one rank; here the highest rank comes first, as in its hands. Then come the probabilities of
fold, call and raise with two digits, each rounded separately, so that they sum to 1 within 0.01.
Actions that the rules or the menu do not allow have 0.00; a row without an average strategy is
written as the thesis' uniform row, ``[0.33,0.33,0.33]``, whatever is allowed.

**Cleaning.** The thesis' table grows as training meets information sets, and its cleaning then
removes those that "still have the uniform strategy", which the first visit leaves behind. Our table
has all information sets from the start. So there are three counts (`ThesisCounts`) and three files:
all that can occur, those that training has visited (the thesis' five million), and those that are
no longer uniform (its two and a half million). **Visited** means that there is an average strategy:
the player to act reached the infoset with positive probability. If traversals only came through
actions that the player's strategy never plays, regrets have changed but there is no average yet.
**Uniform** means that the bytes of all allowed actions differ by at most 1 of 255, whether a first
visit left them so or training made them so. Hands and boards that cannot be dealt together, such as
AA on AAA, are not information sets, and are neither counted nor written.
`tiltless.experiments.thesis.csv_table` reads the file.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS
from tiltless.abstraction.cards.bucketing import Suitless
from tiltless.blueprint.files.export import decision_nodes
from tiltless.blueprint.files.file import PathName, Table
from tiltless.blueprint.line_text import node_line
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import CLASS_COUNT, CLASS_NAMES, RANKS
from tiltless.errors import OptionError
from tiltless.files.atomic import atomic_write
from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.kernels.blueprint.quantise import WHOLE

__all__ = [
    "HEADER",
    "ThesisCounts",
    "possible_buckets",
    "write_thesis_csv",
]

HEADER = "info_set,strategies"

Progress = Callable[[int, int], None]
_REMEDY = "export it as rows"


class ThesisCounts(NamedTuple):
    """Numbers of information sets.

    infosets: all that can occur.  visited: those with an average strategy.  cleaned: those of them
    that are not uniform. The module defines the words; `text` explains them to users.
    """

    infosets: int
    visited: int
    cleaned: int

    def text(self) -> str:
        """All counts and their meaning, in one line; the thesis gives the second and the third."""
        return (
            f"{self.infosets:,} information sets, {self.visited:,} visited (with an average "
            f"strategy), {self.cleaned:,} after cleaning (not uniform: some allowed action is "
            "played more often than another)"
        )


@lru_cache(maxsize=4)
def _rank_sets(board_cards: int) -> npt.NDArray[np.int8]:
    """The number of cards of each rank, by the board's index in `Suitless`, `[sets, 13]`."""
    every = combinations_with_replacement(range(len(RANKS)), board_cards)
    sets = [ranks for ranks in every if all(ranks.count(rank) <= 4 for rank in ranks)]
    cards = [[4 * rank + ranks[:i].count(rank) for i, rank in enumerate(ranks)] for ranks in sets]
    boards = np.array(cards, np.uint8).reshape(len(sets), board_cards)
    counts = np.zeros((len(sets), len(RANKS)), np.int8)
    counts[Suitless(board_cards).rank_numbers(boards)] = [
        [ranks.count(rank) for rank in range(len(RANKS))] for ranks in sets
    ]
    return counts


def _class_ranks() -> npt.NDArray[np.int8]:
    """The number of cards of each rank in a class, `[169, 13]`."""
    return np.array([[name.count(rank) for rank in RANKS] for name in CLASS_NAMES], np.int8)


@lru_cache(maxsize=4)
def possible_buckets(board_cards: int, deck: int = (1 << 52) - 1) -> npt.NDArray[np.bool_]:
    """Whether a bucket of `Suitless` can be dealt, `[buckets]`; deck: bit mask of card numbers.

    No rank may occur more often than in the deck; suits are never an obstacle.
    """
    stock = np.array([(deck >> 4 * rank & 15).bit_count() for rank in range(len(RANKS))])
    used = _rank_sets(board_cards)[:, None] + _class_ranks()
    possible: npt.NDArray[np.bool_] = (used <= stock).all(axis=2).reshape(-1)
    possible.flags.writeable = False
    return possible


@lru_cache(maxsize=4)
def _names(board_cards: int) -> npt.NDArray[np.uint8]:
    """Hand and board as bytes, `[buckets, width]`, padded with zeros."""
    boards = [
        "".join(rank * int(count) for rank, count in zip(RANKS[::-1], counts, strict=True))
        for counts in _rank_sets(board_cards)[:, ::-1]
    ]
    hands = _packed(list(CLASS_NAMES))
    if not board_cards:
        return hands
    names = np.full((len(boards), CLASS_COUNT, 3 + 1 + board_cards), ord(" "), np.uint8)
    names[:, :, :3] = hands
    names[:, :, 4:] = _packed(boards)[:, None]
    return names.reshape(len(boards) * CLASS_COUNT, -1)


def _packed(texts: list[str]) -> npt.NDArray[np.uint8]:
    """Texts as rows of bytes, padded with zeros."""
    return np.array([text.encode() for text in texts]).view(np.uint8).reshape(len(texts), -1)


def _letters(tree: BettingTree, node: int) -> str:
    """The history of a node: ``rccr``."""
    return "".join("fcr"[_column(action)] for action in tree.history(node))


def _column(action: Action | None) -> int:
    """The column of an action: 0 fold, 1 call, 2 raise."""
    return 2 if isinstance(action, RaiseTo) else int(action != FOLD)


class _Decisions(NamedTuple):
    """The information sets of a decision.

    table: uint8 `[buckets, actions]`.  columns: see `_column`, by action.
    possible, visited, uniform: bool `[buckets]`; unvisited ones are uniform too.
    """

    board_cards: int
    history: str
    table: Table
    columns: list[int]
    possible: npt.NDArray[np.bool_]
    visited: npt.NDArray[np.bool_]
    uniform: npt.NDArray[np.bool_]


def _checked(blueprint: Blueprint) -> BettingTree:
    """The tree of a blueprint, if the thesis' format can express it; else `OptionError`."""
    tree, cards = blueprint.tree, blueprint.abstraction
    streets = cards.streets[: tree.streets]
    sizes = [sum(blueprint.game.sizes[:street]) for street in range(tree.streets)]
    if tree.repeat_from < tree.streets or tuple(sizes) != BOARD_CARDS[: tree.streets]:
        raise OptionError(
            f"the thesis' CSV is for boards of 0, 3, 4 and 5 cards, unlike those of "
            f"{blueprint.about.game}; {_REMEDY}"
        )
    if blueprint.information is not None:
        raise OptionError(
            f"the thesis' CSV has all bets, and this blueprint has {blueprint.information}; "
            f"{_REMEDY}"
        )
    if not all(isinstance(street, Suitless) for street in streets):
        raise OptionError(
            f"the thesis' CSV is for the card abstraction 'thesis', and this blueprint has "
            f"{cards.name!r}; {_REMEDY}"
        )
    for street in range(tree.streets):
        for node in decision_nodes(tree, street):
            actions = [tree.action(child) for child in tree.children(node)]
            raises = sum(isinstance(action, RaiseTo) for action in actions)
            if raises > 1:
                where = f"after {node_line(tree, node)!r}" if tree.history(node) else "at the start"
                raise OptionError(
                    f"the thesis' CSV has one raise per decision, and {where} the blueprint has "
                    f"{raises}; {_REMEDY}"
                )
    return tree


def _decisions(blueprint: Blueprint, progress: Progress | None) -> Iterator[_Decisions]:
    tree = _checked(blueprint)
    done, total = 0, sum(tree.size.decisions)
    for street in range(tree.streets):
        board_cards = BOARD_CARDS[street]
        possible = possible_buckets(board_cards, blueprint.game.deck)
        for node in decision_nodes(tree, street):
            actions = [tree.action(child) for child in tree.children(node)]
            columns = [_column(action) for action in actions]
            table = blueprint.table(node)
            low, high = (_along(table, np.minimum), _along(table, np.maximum))
            yield _Decisions(
                board_cards,
                _letters(tree, node),
                table,
                columns,
                possible,
                visited=possible & (high > 0),
                uniform=high - low <= 1,  # 127 and 128 of two actions, 85 of three, or zeros
            )
            done += 1
            if progress:
                progress(done, total)


def _along(table: Table, pick: np.ufunc) -> Table:
    """The least or greatest byte of each row; faster than a reduction over such a short axis."""
    out = table[:, 0]
    for action in range(1, table.shape[1]):
        out = pick(out, table[:, action])
    return out


def _count(group: _Decisions, counts: list[int]) -> None:
    counts[0] += int(np.count_nonzero(group.possible))
    counts[1] += int(np.count_nonzero(group.visited))
    counts[2] += int(np.count_nonzero(group.visited & ~group.uniform))


_DIGITS = _packed([f"{byte / WHOLE:.2f}" for byte in range(WHOLE + 1)])
_BEGIN, _COMMA, _END = (np.frombuffer(text, np.uint8) for text in (b',"[', b",", b']"\n'))
_NONE = np.frombuffer(b"0.00", np.uint8)
_UNIFORM = np.frombuffer(b"0.33", np.uint8)


def write_thesis_csv(
    path: PathName,
    blueprint: Blueprint,
    *,
    visited: bool = False,
    clean: bool = False,
    progress: Progress | None = None,
) -> ThesisCounts:
    """Write the thesis' CSV atomically; returns the counts of the whole table.

    visited: write only rows with an average strategy, like the thesis before cleaning.
    clean: of those, only rows that are not uniform, see the module.
    progress: called with the number of decisions so far and in total.
    The card abstraction must be ``thesis``, and no decision may have two raise sizes.
    """
    counts = [0, 0, 0]
    with atomic_write(path) as file:
        file.write(f"{HEADER}\n".encode())
        for group in _decisions(blueprint, progress):
            _count(group, counts)
            kept = group.visited if visited or clean else group.possible
            if clean:
                kept = kept & ~group.uniform
            file.write(_lines(group, np.flatnonzero(kept)))
    return ThesisCounts(*counts)


def _lines(group: _Decisions, buckets: npt.NDArray[np.int64]) -> bytes:
    """The lines of some buckets: built as rows of equal width, then stripped of zeros."""
    names = _names(group.board_cards)
    history = f" {group.history}".encode() if group.history else b""
    numbers: list[npt.NDArray[np.uint8]] = [np.broadcast_to(_NONE, (len(buckets), 4))] * 3
    untouched = ~group.visited[buckets, None]
    for action, column in enumerate(group.columns):
        numbers[column] = _DIGITS[group.table[buckets, action]]
    fold, call, more = (np.where(untouched, _UNIFORM, each) for each in numbers)
    head = (names[buckets], np.frombuffer(history, np.uint8), _BEGIN)
    pieces = (*head, fold, _COMMA, call, _COMMA, more, _END)
    rows = np.empty((len(buckets), sum(piece.shape[-1] for piece in pieces)), np.uint8)
    begin = 0
    for piece in pieces:
        rows[:, begin : begin + piece.shape[-1]] = piece
        begin += piece.shape[-1]
    lines: bytes = rows[rows != 0].tobytes()
    return lines
