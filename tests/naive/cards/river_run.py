"""Histograms of final equity in River of Blood the slow way: one hand, one board at a time."""

from fractions import Fraction
from itertools import combinations, permutations
from math import comb

import numpy as np

from tiltless.cards.evaluate import evaluate_many


def red(card):
    """Diamonds and hearts."""
    return card % 4 in (1, 2)


def equity(hand, board):
    """Share of the pot against a random hand on a final board."""
    others = [c for c in range(52) if c not in {*hand, *board}]
    pairs = np.array([hand, *combinations(others, 2)])
    values = evaluate_many(np.hstack([pairs, np.tile(board, (len(pairs), 1))])).astype(int)
    wins, ties = int((values[1:] < values[0]).sum()), int((values[1:] == values[0]).sum())
    assert len(pairs) - 1 == comb(50 - len(board), 2)
    return Fraction(2 * wins + ties, 2 * (len(pairs) - 1))


def run_weight(dealt_from, length):
    """How much a run of ``length`` counts for a hand that it spares, in units of 1 / 4,096."""
    left = dealt_from - length
    exact = Fraction(4096 * dealt_from * (dealt_from - 1), left * (left - 1))
    return int(exact + Fraction(1, 2))


def histogram(hand, board, bins, runs, drawn):
    """Shares of the bins; drawn: the runs, as tuples, of each set of cards up to a red card."""
    counts = [0] * bins

    def count(final, weight):
        share = equity(hand, final)
        counts[min(int(share * bins), bins - 1)] += weight

    left = [c for c in range(52) if c not in {*hand, *board}]
    for ahead in permutations(left, max(5 - len(board), 0)):
        now = (*board, *ahead)
        if not red(now[-1]):
            count(now, runs * 4096)
            continue
        for run in drawn[frozenset(now)]:
            assert [red(card) for card in run] == [True] * (len(run) - 1) + [False]
            assert len({*now, *run}) == len(now) + len(run)
            if not {*run} & {*hand}:
                count((*now, *run), run_weight(52 - len(now), len(run)))
    return [each / sum(counts) for each in counts]


def play_on(hand, board, rng):
    """One random end of a hand: the equity there."""
    deck = [c for c in range(52) if c not in {*hand, *board}]
    final = [*board]
    while len(final) < 5 or red(final[-1]):
        final.append(deck.pop(rng.randrange(len(deck))))
    return float(equity(hand, tuple(final)))
