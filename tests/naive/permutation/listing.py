"""Orders by enumeration, and what part of an order says about a showdown."""

from itertools import permutations

from naive.permutation.agreement import agrees, result


def orders_between(top, bottom):
    """Every order whose highest and lowest true ranks belong to given shown ranks.

    top: shown ranks from the highest true rank down.  bottom: from the lowest up.
    """
    rest = [shown for shown in range(13) if shown not in top and shown not in bottom]
    for middle in permutations(rest):
        shown_at = [*bottom, *middle, *reversed(top)]
        yield tuple(shown_at.index(shown) for shown in range(13))


def list_agreeing(showdowns, top, bottom):
    """All orders between that agree with showdowns, as a set."""
    return {order for order in orders_between(top, bottom) if agrees(order, showdowns)}


def possible_results(cards, placed):
    """Every result that nine cards may have once the highest true ranks are placed."""
    return {result(cards, order) for order in orders_between(placed, [])}
