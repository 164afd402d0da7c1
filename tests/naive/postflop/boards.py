"""Boards of a spot the slow way: board by board, with NumPy; see `tiltless.postflop.boards`."""

import numpy as np

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, DECK_SIZE, parse_cards
from tiltless.cards.evaluate import rank_all_hands
from tiltless.cards.matchups import HOLDING
from tiltless.cards.run_boards import rank_run_boards
from tiltless.cards.suits import suit_classes, swap_combos
from tiltless.kernels.postflop.terminals import TERMINALS_AT_ONCE, StreetBoards
from tiltless.postflop.boards import BoardSet
from tiltless.postflop.spot import IP, OOP

_LANES = 16
_HELD = 4  # cards of both players
_RIVER_CARDS = 5


def board_sets(spot):
    """The boards of each street, from the street of a spot to the one where hands are shown."""
    board = parse_cards(spot.board)
    one, two = (np.flatnonzero(weights > 0) for weights in spot.weights)
    sets = [_board_set(spot, [board], [0], [board[-1:]], [(one, two)], None)]
    while len(sets[-1].boards[0]) < spot.shown_at:
        sets.append(_next_set(spot, len(board), sets[-1]))
    return sets


def _next_set(spot, start, above):
    """The boards with one more card.  start: the cards of the first street, which have no order."""
    boards, parent, images, combos = [], [], [], []
    for index, before in enumerate(above.boards):
        later = [(card,) for card in before[start:]]
        suits = suit_classes(spot.weights, [before[:start], *later])
        for cards in _next_cards(before, tuple(zip(suits, spot.suit_groups, strict=True))):
            gone = HOLDING[cards[0]]
            one, two = above.combos[index]
            boards.append((*before, cards[0]))
            parent.append(index)
            images.append(cards)
            combos.append((one[~gone[one]], two[~gone[two]]))
    return _board_set(spot, boards, parent, images, combos, above)


def _next_cards(before, suits):
    """The possible next cards, grouped by interchangeable suits."""
    alike = {}
    for card in range(DECK_SIZE):
        if card not in before:
            alike.setdefault((card >> 2, suits[card & 3]), []).append(card)
    return [tuple(cards) for cards in alike.values()]


def _sorted(board, combos):
    """Hands from the weakest to the strongest, and `StreetBoards.group_end`."""
    value = rank_all_hands(board) if len(board) == _RIVER_CARDS else _long_values(board)
    one, two = (each[np.argsort(value[each], kind="stable")] for each in combos)
    every = np.unique(value[np.concatenate([one, two])])
    ends = [np.searchsorted(value[each], every, side="right") for each in (one, two)]
    return (one, two), np.stack(ends, axis=1).astype(np.uint16)


def _long_values(board):
    """Values of all combos on a board that has grown past the river, as eval7 scores them."""
    return np.asarray(rank_run_boards(np.array([board], np.uint8), eval7_flushes=True)[0])


def _board_set(spot, boards, parent, images, combos, above):
    ends = [np.zeros((0, 2), np.uint16)]
    if len(boards[0]) == spot.shown_at:
        pairs = [_sorted(board, hands) for board, hands in zip(boards, combos, strict=True)]
        combos, ends = [hands for hands, _ in pairs], [end for _, end in pairs]
    count = np.array([[len(hands) for hands in both] for both in combos], np.uint32)
    width = (-(-count.astype(np.int64) // _LANES) * _LANES).astype(np.uint32)
    every = np.concatenate([hands for both in combos for hands in both])
    cards = TERMINALS_AT_ONCE * COMBO_CARDS[every].astype(np.uint16)
    same = [_same(combos[b], width[b], player) for b in range(len(boards)) for player in (IP, OOP)]
    ways = [[], []]
    if above is not None:
        above.arrays.below[:] = np.searchsorted(parent, np.arange(len(above) + 1))
        indices = [_indices(both) for both in above.combos]
        for b, player in np.ndindex(len(boards), 2):
            before = indices[parent[b]][player]
            way = _parent_indices(combos[b][player], int(width[b, player]), before, images[b])
            ways[player].append(way)
    sizes = np.array([[len(way) for way in each] for each in ways], np.uint64).T.reshape(-1, 2)
    flat_ways = [way for b in range(len(sizes)) for way in (ways[IP][b], ways[OOP][b])]
    group = np.cumsum([0, *map(len, ends)]) if len(ends) == len(boards) else [0] * (len(boards) + 1)
    left = DECK_SIZE - _HELD - len(boards[0]) + 1
    arrays = StreetBoards(
        count=count,
        width=width,
        row=np.zeros((len(boards), 2), np.uint64),
        hand=_begins(count),
        first=np.ascontiguousarray(cards[:, 0]),
        second=np.ascontiguousarray(cards[:, 1]),
        same=np.concatenate(same),
        group=np.array(group, np.uint64),
        group_end=np.concatenate(ends),
        below=np.zeros(len(boards) + 1, np.uint64),
        images=np.array([len(each) for each in images], np.uint8),
        image=_begins(sizes),
        parent_hand=np.concatenate(flat_ways) if flat_ways else np.zeros(0, np.uint16),
        share=np.float32(1 / left),
        unit=np.zeros(len(boards), np.uint64),
        locked=np.zeros((0, 0), np.bool_),
    )
    return BoardSet(boards, parent, images, combos, arrays)


def _indices(both):
    """The index of each combo among each player's hands."""
    indices = []
    for hands in both:
        index = np.zeros(COMBO_COUNT, np.uint16)
        index[hands] = np.arange(len(hands))
        indices.append(index)
    return indices


def _same(both, width, player):
    """`StreetBoards.same` of a player's hands."""
    theirs = both[1 - player]
    index = np.full(COMBO_COUNT, width[1 - player], np.uint16)
    index[theirs] = np.arange(len(theirs))
    return index[both[player]]


def _parent_indices(hands, width, before, images):
    """The index of each hand on the parent board, for each image of the board."""
    ways = np.zeros((len(images), width), np.uint16)
    for image, card in enumerate(images):
        moved = swap_combos(card & 3, images[0] & 3)[hands] if image else hands
        ways[image, : len(hands)] = before[moved]
    return ways.ravel()


def _begins(sizes):
    """The offset of each part when all are stored one after the other."""
    flat = sizes.astype(np.uint64).ravel()
    return (np.cumsum(flat) - flat).reshape(sizes.shape)
