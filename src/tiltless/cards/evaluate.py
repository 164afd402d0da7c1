"""Hand values: one number per hand, larger is better, equal numbers split the pot."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import (
    COMBO_CARDS,
    COMBO_COUNT,
    DECK_SIZE,
    RANKS,
    Cards,
    card_text,
    parse_cards,
)
from tiltless.cards.hand_order import CATEGORIES, STANDARD, HandOrder, hand_classes, hand_tables
from tiltless.cards.scalar_evaluate import showdown
from tiltless.errors import ArrayError, CardError, OptionError
from tiltless.kernels.cards.evaluate import evaluate_hands, evaluate_large_hands, rank_boards

__all__ = [
    "best_five",
    "evaluate",
    "evaluate_many",
    "hand_category",
    "hand_name",
    "hand_name_against",
    "rank_all_hands",
]

MOST_CARDS = 33  # two hole cards and the longest board of River of Blood


def evaluate(cards: Cards, order: HandOrder = STANDARD, *, eval7_flushes: bool = False) -> int:
    """Value of the best five of 5 to 33 cards: ``evaluate("AsKsQsJsTs") == 7462``.

    order: the order of hands (`STANDARD`, `SHORT_DECK`, or `permuted` ranks).
    eval7_flushes: with ten or more cards, score only the first suit, in the order s, c, d, h, that
        has five cards, as the library eval7 and engines built on it do.
    """
    hand = parse_cards(cards)
    _check(len(hand), min(hand, default=0), order)
    return showdown(order, eval7_flushes).values((), [hand])[0]


def _check(count: int, lowest: int, order: HandOrder) -> None:
    if not 5 <= count <= MOST_CARDS:
        raise CardError(f"the hand has {count} cards; give 5 to {MOST_CARDS}")
    if lowest < 4 * order.lowest:
        raise CardError(f"{card_text(lowest)} is not in a short deck; it starts at 6c")


def evaluate_many(
    cards: npt.ArrayLike, order: HandOrder = STANDARD, *, eval7_flushes: bool = False
) -> npt.NDArray[np.uint16]:
    """Values uint16 ``[n]`` of ``n`` hands given as card numbers ``[n, 5..33]``.

    Card numbers must be 0..51. Duplicate cards in a hand are not detected (checking would cost more
    than evaluating). See `evaluate` for the other arguments.
    """
    hands = _card_array(cards)
    _check(hands.shape[1], int(hands.min(initial=51)) if order.lowest else 0, order)
    out = np.empty(len(hands), dtype=np.uint16)
    if hands.shape[1] <= 7:
        evaluate_hands(hands, hand_tables(order), out)
    else:
        evaluate_large_hands(hands, eval7_flushes, hand_tables(order), out)
    return out


def _card_array(cards: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Checked card numbers as a contiguous, writeable uint8 matrix; copied only if need be."""
    try:
        array: npt.NDArray[Any] = np.asarray(cards)
    except ValueError:
        raise ArrayError("hands differ in length; give an integer array [hands, cards]") from None
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise ArrayError(
            f"cards have shape {array.shape} and dtype {array.dtype}; "
            "give card numbers 0..51 as an integer array [hands, cards]"
        )
    lowest = 0 if array.dtype.kind == "u" else int(array.min(initial=0))
    for card in (int(array.max(initial=0)), lowest):
        if not 0 <= card < DECK_SIZE:
            raise ArrayError(f"{card} is not a card number; cards are 0 (2c) to 51 (As)")
    return np.require(array, np.uint8, ["C", "W"])


def rank_all_hands(board: Cards, order: HandOrder = STANDARD) -> npt.NDArray[np.uint16]:
    """Value uint16 ``[1326]`` of every combo on a board of five cards.

    0 for combos that share a card with the board or are not in a short deck.
    """
    cards = parse_cards(board)
    if len(cards) != 5:
        raise CardError(f"the board has {len(cards)} cards; give 5 to rank all hands")
    _check(5, min(cards), order)
    out = np.empty((1, COMBO_COUNT), dtype=np.uint16)
    rank_boards(np.array([cards], dtype=np.uint8), hand_tables(order), out)
    return np.where(COMBO_CARDS[:, 0] < 4 * order.lowest, np.uint16(0), out[0])


def hand_category(value: int, order: HandOrder = STANDARD) -> str:
    """The category of a value: ``"full house"``."""
    return CATEGORIES[hand_classes(order).category[_checked(value, order)]]


_WORDS = "deuce three four five six seven eight nine ten jack queen king ace"
_SINGULAR = dict(zip(RANKS, _WORDS.split(), strict=True))


def _plural(rank: str) -> str:
    return "sixes" if rank == "6" else _SINGULAR[rank] + "s"


def hand_name(value: int, order: HandOrder = STANDARD) -> str:
    """A value in words: ``"full house, aces over kings"``."""
    classes = hand_classes(order)
    category = CATEGORIES[classes.category[_checked(value, order)]]
    shown = [order.rank_order[rank] for rank in classes.ranks[value] if rank >= 0]
    first = shown[0]
    if category == "straight flush" and first == order.rank_order[12]:
        return "royal flush"
    if category in ("straight", "straight flush", "flush"):
        return f"{category}, {_SINGULAR[first]} high"
    if category == "high card":
        return f"{_SINGULAR[first]} high"
    if category == "two pair":
        return f"two pair, {_plural(first)} and {_plural(shown[1])}"
    if category == "full house":
        return f"full house, {_plural(first)} over {_plural(shown[1])}"
    return f"{'pair' if category == 'pair' else category} of {_plural(first)}".replace(
        "of a kind of", "of a kind,"
    )


def hand_name_against(value: int, others: Iterable[int], order: HandOrder = STANDARD) -> str:
    """Like `hand_name`, with the kicker that decides against other hands of the same name.

    ``"pair of kings, nine kicker"``.
    """
    name, ranks = hand_name(value, order), hand_classes(order).ranks
    rivals = [ranks[other] for other in others if hand_name(other, order) == name]
    for index, rank in enumerate(ranks[value]):
        if any(rival[index] != rank for rival in rivals):
            return f"{name}, {_SINGULAR[order.rank_order[rank]]} kicker"
    return name


def _checked(value: int, order: HandOrder) -> int:
    most = len(hand_classes(order).category) - 1
    if not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise OptionError(f"{value!r} is not a hand value; values are 1 to {most}")
    return int(value)


def best_five(
    cards: Cards, order: HandOrder = STANDARD, *, eval7_flushes: bool = False
) -> tuple[int, ...]:
    """The five cards that make the hand, the most important first: quads, then the kicker.

    Where several cards of a rank would do, those of the higher suits are returned.
    """
    hand = sorted(parse_cards(cards), reverse=True)
    value = evaluate(hand, order, eval7_flushes=eval7_flushes)
    true_rank = order.true_ranks
    classes = hand_classes(order)
    category = CATEGORIES[classes.category[value]]
    if "flush" in category:
        tables = hand_tables(order)
        for suit in (3, 0, 1, 2):
            suited = [card for card in hand if card & 3 == suit]
            ranks = sum(1 << true_rank[card >> 2] for card in suited)
            if tables.flushes[ranks] == value:
                hand = suited
                break
    wanted = _wanted_ranks(category, [int(rank) for rank in classes.ranks[value]], order.lowest)
    chosen = []
    for rank, how_many in wanted:
        chosen += [card for card in hand if true_rank[card >> 2] == rank][:how_many]
    return tuple(chosen)


def _wanted_ranks(category: str, ranks: list[int], lowest: int) -> list[tuple[int, int]]:
    """The true ranks of a hand and how many cards of each it uses, in display order."""
    if category.startswith("straight"):
        run = list(range(ranks[0], ranks[0] - 5, -1))
        return [(12 if rank < lowest else rank, 1) for rank in run]
    counts = {"pair": [2], "two pair": [2, 2], "three of a kind": [3], "full house": [3, 2]}
    counts["four of a kind"] = [4]
    leading = counts.get(category, [])
    kept = [rank for rank in ranks if rank >= 0]
    return list(zip(kept, leading + [1] * (len(kept) - len(leading)), strict=True))
