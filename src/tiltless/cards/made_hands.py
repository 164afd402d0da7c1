"""Made hands and draws by name: top pair, a set, a flush draw.

Every combo has one *made hand* and one *draw*, so reports can group by either. The name describes
what the hole cards add: on QQ7 a pair of sevens is second pair, not two pair, and on KKK an ace is
ace high, because everybody has the kings.

==================  ===========================================================================
plays the board     the board has a straight or better, and the hole cards add nothing
set, trips          three of a kind with a pocket pair, or with one card and a pair on the board
two pair            both hole cards pair the board
overpair            a pocket pair above every card of the board
underpair           a pocket pair below the highest card of the board
top, second pair    one card pairs the highest, or the second highest, rank of the board
low pair            one card pairs a lower rank
==================  ===========================================================================

Draws are hands that one more card can complete. There are none on the river, and no flush or
straight draws for hands that already are one or better:

===================  ==========================================================================
combo draw           a flush draw that is also a straight draw
flush draw           four cards of a suit, including a hole card
open-ended           two or more ranks make a straight that the board alone would not have
gutshot              one rank does
backdoor flush draw  on the flop, suited hole cards and one board card of their suit
overcards            no pair, and both hole cards above the board
===================  ==========================================================================
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, Cards, parse_cards
from tiltless.cards.evaluate import evaluate, evaluate_many
from tiltless.cards.hand_order import CATEGORIES, STANDARD, hand_classes
from tiltless.errors import CardError

__all__ = ["BLOCKED", "DRAWS", "MADE_HANDS", "Kinds", "draws", "made_hands"]

MADE_HANDS = (
    "straight flush",
    "quads",
    "full house",
    "flush",
    "straight",
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "second pair",
    "underpair",
    "low pair",
    "plays the board",
    "ace high",
    "king high",
    "nothing",
)
"""Names of made hands, strongest first."""
DRAWS = (
    "combo draw",
    "flush draw",
    "open-ended",
    "gutshot",
    "backdoor flush draw",
    "overcards",
    "no draw",
)
"""Names of draws, strongest first."""
BLOCKED = -1
"""Marks combos that share a card with the board."""

Kinds = npt.NDArray[np.int8]
Many = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

_RANKS, _SUITS = 13, 4
_KING, _ACE = 11, 12
_FLOP, _RIVER = 3, 5
_LOW, _HIGH = (COMBO_CARDS.astype(np.int64) >> 2).T  # ranks of the hole cards
_LOW_SUIT, _HIGH_SUIT = (COMBO_CARDS.astype(np.int64) & 3).T
_POCKET = _LOW == _HIGH
_PLAIN = ("straight flush", "full house", "flush", "straight")  # named like their category


def made_hands(board: Cards) -> Kinds:
    """The made hand of every combo on a board of 3 to 5 cards: index in `MADE_HANDS`, ``[1326]``.

    `BLOCKED` for combos that share a card with the board.
    """
    cards = _checked(board)
    free, category = _free(cards), _categories(cards)
    on_board = np.bincount(np.array(cards) >> 2, minlength=_RANKS)
    kinds = np.full(COMBO_COUNT, BLOCKED, np.int8)

    def name(which: Many, kind: str) -> None:
        kinds[which & free & (kinds == BLOCKED)] = MADE_HANDS.index(kind)

    name(_plays_board(cards), "plays the board")
    for kind in _PLAIN:
        name(category == CATEGORIES.index(kind), kind)
    name(category == CATEGORIES.index("four of a kind"), "quads")
    name(_POCKET & (on_board[_LOW] == 1), "set")
    name(~_POCKET & ((on_board[_LOW] == 2) | (on_board[_HIGH] == 2)), "trips")
    _name_pairs(on_board, name)
    name(_HIGH == _ACE, "ace high")
    name(_HIGH == _KING, "king high")
    name(free, "nothing")
    return kinds


def _name_pairs(on_board: Numbers, name: Callable[[Many, str], None]) -> None:
    """Name the pairs that the hole cards make, unless the board has two better pairs."""
    ranks = np.flatnonzero(on_board)[::-1]
    above = np.array([np.count_nonzero(on_board[rank + 1 :] >= 2) for rank in range(_RANKS)])
    high = ~_POCKET & (on_board[_HIGH] > 0) & (above[_HIGH] < 2)
    low = ~_POCKET & (on_board[_LOW] > 0) & (above[_LOW] + high < 2)
    pocket = _POCKET & (above[_LOW] < 2)
    name(high & low, "two pair")
    name(pocket & (ranks[0] < _LOW), "overpair")
    name(pocket, "underpair")
    for rank, kind in zip(ranks, ("top pair", "second pair"), strict=False):
        name(high & (rank == _HIGH) | low & (rank == _LOW), kind)
    name(high | low, "low pair")


def draws(board: Cards) -> Kinds:
    """The draw of every combo on a board of 3 to 5 cards: index in `DRAWS`, ``[1326]``.

    `BLOCKED` for combos that share a card with the board.
    """
    cards = _checked(board)
    free, category = _free(cards), _categories(cards)
    kinds = np.full(COMBO_COUNT, BLOCKED, np.int8)

    def name(which: Many, kind: str) -> None:
        kinds[which & free & (kinds == BLOCKED)] = DRAWS.index(kind)

    if len(cards) < _RIVER:
        suits = np.bincount(np.array(cards) & 3, minlength=_SUITS)
        both = _LOW_SUIT == _HIGH_SUIT
        four = (suits[_LOW_SUIT] + both == 3) | (suits[_HIGH_SUIT] + both == 3)
        flush = four & (category < CATEGORIES.index("flush"))
        outs = np.where(category < CATEGORIES.index("straight"), _straight_outs(cards), 0)
        name(flush & (outs > 0), "combo draw")
        name(flush, "flush draw")
        name(outs > 1, "open-ended")
        name(outs > 0, "gutshot")
        backdoor = both & (suits[_LOW_SUIT] == 1) & (len(cards) == _FLOP)
        name(backdoor & (category < CATEGORIES.index("straight")), "backdoor flush draw")
        top = max(cards) >> 2
        name((top < _LOW) & ~_POCKET, "overcards")
    name(free, "no draw")
    return kinds


def _straight_outs(cards: tuple[int, ...]) -> Numbers:
    """How many ranks give each combo a straight that the board would not have, ``[1326]``."""
    on_board = sum(1 << rank for rank in {card >> 2 for card in cards})
    mine = on_board | 1 << _LOW | 1 << _HIGH
    outs = np.zeros(COMBO_COUNT, np.int64)
    for rank in range(_RANKS):
        new = 1 << rank
        outs += (mine & new == 0) & (_straight(mine | new) > _straight(np.array(on_board | new)))
    return outs


def _straight(ranks: Numbers) -> Numbers:
    """The highest straight in sets of ranks, bits 0 (deuce) to 12: 1 is five high, 0 none."""
    row = ranks << 1 | ranks >> _ACE & 1  # the ace also counts below the deuce
    runs = row & row >> 1 & row >> 2 & row >> 3 & row >> 4
    highest: Numbers = np.zeros_like(ranks)
    for start in range(10):
        highest = np.where(runs >> start & 1, start + 1, highest)
    return highest


def _checked(board: Cards) -> tuple[int, ...]:
    cards = parse_cards(board)
    if not _FLOP <= len(cards) <= _RIVER:
        raise CardError(f"the board has {len(cards)} cards; give 3 to 5")
    return cards


def _free(cards: tuple[int, ...]) -> Many:
    held = np.isin(COMBO_CARDS, cards)
    return ~(held[:, 0] | held[:, 1])


def _values(cards: tuple[int, ...]) -> npt.NDArray[np.uint16]:
    """The value of every combo; 0 for blocked ones."""
    free = _free(cards)
    hands = np.empty((COMBO_COUNT, 2 + len(cards)), np.uint8)
    hands[:, :2], hands[:, 2:] = COMBO_CARDS, cards
    values = np.zeros(COMBO_COUNT, np.uint16)
    values[free] = evaluate_many(hands[free])
    return values


def _categories(cards: tuple[int, ...]) -> Numbers:
    return hand_classes(STANDARD).category[_values(cards)].astype(np.int64)


def _plays_board(cards: tuple[int, ...]) -> Many:
    """Combos that do not improve a straight or better on the board."""
    if len(cards) < _RIVER:
        return np.zeros(COMBO_COUNT, np.bool_)
    board_value = evaluate(cards)
    strong = hand_classes(STANDARD).category[board_value] >= CATEGORIES.index("straight")
    plays: Many = (_values(cards) == board_value) & np.bool_(strong)
    return plays
