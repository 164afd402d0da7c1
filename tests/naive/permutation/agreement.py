"""What an order of the ranks predicts, by evaluating relabelled cards the slow way."""

from naive.cards.evaluate import strength


def result(cards, order):
    """1, -1 or 0 for nine shown cards: first hand, second hand, board."""
    first, second, board = cards[:2], cards[2:4], cards[4:]
    order = [int(rank) for rank in order]
    a, b = (strength([*hole, *board], true_rank=order) for hole in (first, second))
    return (a > b) - (a < b)


def agrees(order, showdowns):
    """Whether an order predicts all of some showdowns, pairs of nine cards and a result."""
    return all(result(cards, order) == seen for cards, seen in showdowns)
