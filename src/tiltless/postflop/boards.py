"""Boards of a post-flop spot, with both ranges on each, as arrays.

Suits that neither the ranges nor the board distinguish are interchangeable: cards of such suits
lead to the same play, so one board represents all of them (its *images*). On the river hands are
sorted by strength, so that a showdown is one sweep; see `tiltless.kernels.postflop.terminals`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, DECK_SIZE, parse_cards
from tiltless.cards.hand_order import hand_tables
from tiltless.cards.run_boards import rank_run_boards
from tiltless.cards.suits import suit_classes, swap_combos
from tiltless.kernels.cards.evaluate import rank_boards
from tiltless.kernels.postflop.hands import HandLists, Images, keep_hands, link_hands, sort_hands
from tiltless.kernels.postflop.terminals import StreetBoards
from tiltless.postflop.spot import Spot

__all__ = ["BoardSet", "board_sets", "suits_of"]

Combos = npt.NDArray[np.int64]
Hands = tuple[Combos, Combos]

_LANES = 16
_HELD = 4  # cards of both players
_RIVER_CARDS = 5
_SWAPS = np.array(
    [
        [np.arange(COMBO_COUNT) if one == two else swap_combos(one, two) for two in range(4)]
        for one in range(4)
    ],
    np.uint16,
)
_NO_ROWS = np.zeros((0, 2), np.uint64)
_NO_LISTS = HandLists(np.zeros((0, 2), np.uint32), _NO_ROWS, np.zeros(0, np.int64))


@dataclass(frozen=True)
class BoardSet:
    """The boards of a street.

    boards: the cards of each, the newest last.  parent: the index of each one's board on the
    previous street.  images: the newest cards that each represents, its own first.
    combos: for each board and player, the combos of the hands in order, int64 ``[count]``.
    arrays: for the kernels; `tiltless.postflop.solver` fills in the offsets of their rows.
    """

    boards: list[tuple[int, ...]]
    parent: list[int]
    images: list[tuple[int, ...]]
    combos: list[Hands]
    arrays: StreetBoards

    def __len__(self) -> int:
        return len(self.boards)


def board_sets(spot: Spot) -> list[BoardSet]:
    """The boards of each street, from the street of a spot to the one where hands are shown."""
    board = parse_cards(spot.board)
    live = [np.flatnonzero(weights > 0) for weights in spot.weights]
    count = np.array([[len(hands) for hands in live]], np.uint32)
    hands = HandLists(count, _begins(count), np.concatenate(live))
    sets = [_board_set(spot, [board], [0], [board[-1:]], hands, None)]
    while len(sets[-1].boards[0]) < spot.shown_at:
        sets.append(_next_set(spot, len(board), sets[-1]))
    return sets


def _next_set(spot: Spot, start: int, above: BoardSet) -> BoardSet:
    """The boards with one more card.  start: the cards of the first street, which have no order."""
    boards, parent, images = [], [], []
    for index, before in enumerate(above.boards):
        for cards in _next_cards(before, suits_of(spot, before, start)):
            boards.append((*before, cards[0]))
            parent.append(index)
            images.append(cards)
    before_lists, shape = _lists(above), (len(boards), 2)
    newest = np.array([cards[0] for cards in images], np.uint8)
    most = int(before_lists.count[parent].sum())
    hands = HandLists(np.zeros(shape, np.uint32), np.zeros(shape, np.uint64), np.empty(most, "i8"))
    total = keep_hands(before_lists, np.array(parent), newest, COMBO_CARDS, hands)
    hands = hands._replace(combo=hands.combo[:total])
    return _board_set(spot, boards, parent, images, hands, above)


def suits_of(spot: Spot, board: tuple[int, ...], start: int) -> tuple[tuple[int, int], ...]:
    """The class of each suit on a board; suits of one class are interchangeable.

    start: the cards of the first street, which have no order.
    """
    later = [(card,) for card in board[start:]]
    classes = suit_classes(spot.weights, [board[:start], *later])
    return tuple(zip(classes, spot.suit_groups, strict=True))


def _lists(boards: BoardSet) -> HandLists:
    """The hands of a set of boards as one list, which its ``combos`` are parts of."""
    combo = np.concatenate([hands for both in boards.combos for hands in both])
    return HandLists(boards.arrays.count, boards.arrays.hand, combo)


def _next_cards(
    before: tuple[int, ...], suits: tuple[tuple[int, int], ...]
) -> list[tuple[int, ...]]:
    """The possible next cards, grouped by interchangeable suits."""
    alike: dict[tuple[int, tuple[int, int]], list[int]] = {}
    for card in range(DECK_SIZE):
        if card not in before:
            alike.setdefault((card >> 2, suits[card & 3]), []).append(card)
    return [tuple(cards) for cards in alike.values()]


def _values(boards: Sequence[tuple[int, ...]]) -> npt.NDArray[np.uint16]:
    """The value of every combo on each board, uint16 ``[boards, 1326]``.

    Boards that have grown past the river as eval7 scores them.
    """
    cards = np.array(boards, np.uint8)
    if cards.shape[1] != _RIVER_CARDS:
        return rank_run_boards(cards, eval7_flushes=True)
    values = np.empty((len(cards), COMBO_COUNT), np.uint16)
    rank_boards(cards, hand_tables(), values)
    return values


def _board_set(
    spot: Spot,
    boards: list[tuple[int, ...]],
    parent: list[int],
    images: list[tuple[int, ...]],
    hands: HandLists,
    above: BoardSet | None,
) -> BoardSet:
    count, total = hands.count, len(hands.combo)
    width = (-(-count.astype(np.int64) // _LANES) * _LANES).astype(np.uint32)
    group, group_end = np.zeros(len(boards) + 1, np.uint64), np.zeros((0, 2), np.uint16)
    if len(boards[0]) == spot.shown_at:
        group_end = np.empty((total, 2), np.uint16)  # not all of it is used
        sort_hands(_values(boards), hands, group, group_end)
        group_end = group_end[: int(group[-1])].copy()
    each = np.array([len(cards) for cards in images], np.uint8)
    if above is None:
        links = Images(
            np.zeros(1, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.int64), _NO_ROWS
        )
        before, linked = _NO_LISTS, 0
    else:
        above.arrays.below[:] = np.searchsorted(parent, np.arange(len(above) + 1))
        sizes = each[:, None].astype(np.uint64) * width
        at = np.concatenate([[0], np.cumsum(each, dtype=np.int64)])
        every = np.array([card for cards in images for card in cards], np.uint8)
        links = Images(at, every, np.array(parent), _begins(sizes))
        before, linked = _lists(above), int(sizes.sum())
    first, second, same = (np.empty(total, np.uint16) for _ in range(3))
    parent_hand = np.zeros(linked, np.uint16)
    link_hands(hands, width, COMBO_CARDS, before, links, _SWAPS, first, second, same, parent_hand)
    left = DECK_SIZE - _HELD - len(boards[0]) + 1
    arrays = StreetBoards(
        count=count,
        width=width,
        row=np.zeros((len(boards), 2), np.uint64),
        hand=hands.begin,
        first=first,
        second=second,
        same=same,
        group=group,
        group_end=group_end,
        below=np.zeros(len(boards) + 1, np.uint64),
        images=each,
        image=links.begin,
        parent_hand=parent_hand,
        share=np.float32(1 / left),
        unit=np.zeros(len(boards), np.uint64),
        locked=np.zeros((0, 0), np.bool_),
    )
    edges = [*hands.begin.ravel().tolist(), total]
    parts = [hands.combo[begin:end] for begin, end in pairwise(edges)]
    combos = list(zip(parts[::2], parts[1::2], strict=True))
    return BoardSet(boards, parent, images, combos, arrays)


def _begins(sizes: npt.NDArray[np.integer]) -> npt.NDArray[np.uint64]:
    """The offset of each part when all are stored one after the other."""
    flat = sizes.astype(np.uint64).ravel()
    begins: npt.NDArray[np.uint64] = (np.cumsum(flat) - flat).reshape(sizes.shape)
    return begins
