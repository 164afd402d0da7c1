"""Lists of the CUDA kernels the slow way: board by board, with NumPy."""

import numpy as np

from tiltless.cards.card import DECK_SIZE
from tiltless.kernels.cuda.structs import NO_HAND
from tiltless.kernels.postflop.terminals import TERMINALS_AT_ONCE
from tiltless.postflop.spot import IP, OOP

_KEY = 4096  # more than the hands of a player


def pairs(arrays, above):
    at, child, ways = [0], [], []
    for b in range(len(above.width)):
        for c in range(int(above.below[b]), int(above.below[b + 1])):
            for image in range(int(arrays.images[c])):
                child.append(c)
                ways.append([_inverse(arrays, above, b, c, image, player) for player in (IP, OOP)])
        at.append(len(child))
    sizes = np.array([[len(way) for way in both] for both in ways], np.int64).reshape(-1, 2)
    return (
        np.array(at, np.int32),
        np.array(child, np.int32),
        _begins(sizes),
        np.concatenate([way for both in ways for way in both]),
    )


def _inverse(arrays, above, b, c, image, player):
    """For each hand on a board above, its index on the board of a card."""
    count, width = int(arrays.count[c, player]), int(arrays.width[c, player])
    begin = int(arrays.image[c, player]) + image * width
    found = np.full(int(above.width[b, player]), NO_HAND, np.uint16)
    found[arrays.parent_hand[begin : begin + count]] = np.arange(count)
    return found


def hands(arrays, last):
    """`DeviceStreet.card_at`, ``card_hand`` and ``info``."""
    boards = len(arrays.count)
    card_at = np.zeros((boards, 2, DECK_SIZE + 1), np.int32)
    lists, rows, done = [], [], 0
    for b in range(boards):
        cards = [_cards(arrays, b, player) for player in (IP, OOP)]
        keys = [_keys(*each) for each in cards]
        for player in (IP, OOP):
            edges = np.searchsorted(keys[player], _KEY * np.arange(DECK_SIZE + 1))
            card_at[b, player] = done + edges
            lists.append((keys[player] % _KEY).astype(np.uint16))
            done += len(keys[player])
            rows.append(_info(arrays, b, player, cards[player], keys[1 - player], last))
    return card_at, np.concatenate(lists), np.concatenate(rows)


def _cards(arrays, b, player):
    begin, count = int(arrays.hand[b, player]), int(arrays.count[b, player])
    one, two = arrays.first[begin : begin + count], arrays.second[begin : begin + count]
    return one.astype(np.int64) // TERMINALS_AT_ONCE, two.astype(np.int64) // TERMINALS_AT_ONCE


def _keys(one, two):
    """A number for each card of each hand, sorted by card and then by hand."""
    hand = np.arange(len(one))
    return np.sort(np.concatenate([_KEY * one + hand, _KEY * two + hand]))


def _info(arrays, b, player, cards, theirs, last):
    """`DeviceStreet.info` of a player's hands.  theirs: `_keys` of the opponent's."""
    one, two = cards
    begin, count = int(arrays.hand[b, player]), len(one)
    info = np.zeros((count, 8), np.uint16)
    if last:
        groups = arrays.group_end[int(arrays.group[b]) : int(arrays.group[b + 1])].astype(np.int64)
        group = np.searchsorted(groups[:, player], np.arange(count), side="right")
        ends = np.concatenate([[0], groups[:, 1 - player]])
        below, upto = ends[group], ends[group + 1]
        info[:, 0], info[:, 1] = below, upto
        for column, card, edge in (
            (2, one, below),
            (3, two, below),
            (4, one, upto),
            (5, two, upto),
        ):
            info[:, column] = np.searchsorted(theirs, _KEY * card + edge) + card
    same = arrays.same[begin : begin + count]
    info[:, 6] = one + 256 * two
    info[:, 7] = np.where(same == arrays.width[b, 1 - player], NO_HAND, same)
    return info


def _begins(sizes):
    """The offset of each part of an array ``[boards, 2]``, all parts one after the other."""
    flat = sizes.astype(np.int64).ravel()
    return (np.cumsum(flat) - flat).reshape(sizes.shape)
