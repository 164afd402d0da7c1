"""Features and buckets of one hand, by dealing everything out and comparing hand with hand."""

from itertools import combinations

from naive.cards.evaluate import strength
from tiltless.cards.card import COMBO_OF
from tiltless.cards.evaluate import evaluate_many


def finals(hand, board):
    """All final boards that a hand can see."""
    rest = [card for card in range(52) if card not in hand and card not in board]
    for more in combinations(rest, 5 - len(board)):
        yield (*board, *more)


def duels(hand, final):
    """The combo of each hand that an opponent can hold, and 2 for a win, 1 for a tie."""
    mine = strength((*hand, *final))
    rest = [card for card in range(52) if card not in hand and card not in final]
    for other in combinations(rest, 2):
        theirs = strength((*other, *final))
        yield int(COMBO_OF[other]), 2 * (mine > theirs) + (mine == theirs)


def quick_duels(hand, final):
    """Like `duels`, with the compiled evaluator."""
    rest = [card for card in range(52) if card not in hand and card not in final]
    others = list(combinations(rest, 2))
    mine, *theirs = evaluate_many([(*each, *final) for each in (hand, *others)]).tolist()
    for other, value in zip(others, theirs, strict=True):
        yield int(COMBO_OF[other]), 2 * (mine > value) + (mine == value)


def features(hand, board, clusters, bins, compare=quick_duels):
    """E[HS], E[HS^2], the histogram of HS, and the equity against each cluster of combos."""
    count = max(clusters) + 1
    total, squares, histogram = 0.0, 0.0, [0] * bins
    won, met = [0] * count, [0] * count
    boards = 0
    for final in finals(hand, board):
        points = 0
        for combo, score in compare(hand, final):
            points += score
            won[clusters[combo]] += score
            met[clusters[combo]] += 2
        boards += 1
        total += points / 1980
        squares += (points / 1980) ** 2
        histogram[min(points * bins // 1980, bins - 1)] += 1
    return (
        total / boards,
        squares / boards,
        [each / boards for each in histogram],
        [w / m if m else 0.0 for w, m in zip(won, met, strict=True)],
    )


def nearest(point, centroids, power):
    """The nearest centroid, the lowest of equals."""
    distances = [
        sum(abs(int(a) - int(b)) ** power for a, b in zip(point, centroid, strict=True))
        for centroid in centroids
    ]
    return distances.index(min(distances))
