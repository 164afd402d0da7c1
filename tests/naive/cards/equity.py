"""Equity the slow way: every board, every pair of hands."""

from itertools import combinations, product

from naive.cards.evaluate import strength
from tiltless.cards.card import COMBO_CARDS


def equity(ranges, board=(), dead=(), **rules):
    """Shares, wins and ties of the players, and all weight; ranges are weights [1326]."""
    hands = [
        [(tuple(map(int, COMBO_CARDS[c])), float(w)) for c, w in enumerate(r) if w > 0]
        for r in ranges
    ]
    known = {*board, *dead}
    shares, wins, ties, mass = *([0.0] * len(ranges) for _ in range(3)), 0.0
    for extra in combinations([c for c in range(52) if c not in known], 5 - len(board)):
        final = (*board, *extra)
        cache, seen = {}, {*final, *dead}
        for deal in product(*([each for each in some if not seen & {*each[0]}] for some in hands)):
            held = [card for hand, _ in deal for card in hand]
            if len({*held}) != len(held):
                continue
            weight = 1.0
            for _, w in deal:
                weight *= w
            values = []
            for hand, _ in deal:
                if hand not in cache:
                    cache[hand] = strength((*final, *hand), **rules)
                values.append(cache[hand])
            best = max(values)
            winners = [i for i, value in enumerate(values) if value == best]
            for i in winners:
                shares[i] += weight / len(winners)
                (wins if len(winners) == 1 else ties)[i] += weight
            mass += weight
    return *([each / mass for each in column] for column in (shares, wins, ties)), mass
