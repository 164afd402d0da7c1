"""The value of a hand the slow way: try all fives, compare tuples."""

from collections import Counter
from itertools import combinations


def five_strength(
    cards, true_rank=range(13), lowest=0, flush_beats_full_house=False, straights=True
):
    """A tuple that sorts like the strength of five cards."""
    ranks = sorted((true_rank[card // 4] for card in cards), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    counts = Counter(ranks)
    order = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = sorted(counts.values(), reverse=True)
    straight = None
    if straights and len(counts) == 5:
        if ranks[0] - ranks[4] == 4:
            straight = ranks[0]
        elif ranks == [12, lowest + 3, lowest + 2, lowest + 1, lowest]:
            straight = lowest + 3
    full_house, flush_place = (5, 6) if flush_beats_full_house else (6, 5)
    if straight is not None and flush:
        return (8, straight)
    if shape == [4, 1]:
        return (7, *order)
    if shape == [3, 2]:
        return (full_house, *order)
    if flush:
        return (flush_place, *ranks)
    if straight is not None:
        return (4, straight)
    return ({(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0), *order)


def strength(cards, **rules):
    """A tuple that sorts like the strength of the best five of any number of cards."""
    return max(five_strength(five, **rules) for five in combinations(cards, 5))
