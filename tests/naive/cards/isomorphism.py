"""Canonical hands the slow way: try every permutation of suits that is allowed."""

from collections import Counter
from functools import cache
from itertools import permutations, product
from math import prod

SUITS = "cdhs"
RANKS = 13

Hand = tuple[tuple[int, ...], ...]  # groups of cards, each ascending


def split(cards, groups) -> Hand:
    """A row of cards as sorted groups."""
    cards = [int(card) for card in cards]
    hand, start = [], 0
    for size in groups:
        hand.append(tuple(sorted(cards[start : start + size])))
        start += size
    return tuple(hand)


def rename(hand: Hand, permutation) -> Hand:
    """The hand with suit s renamed to ``permutation[s]``."""
    return tuple(
        tuple(sorted(card // 4 * 4 + permutation[card % 4] for card in group)) for group in hand
    )


@cache
def allowed(classes) -> list[tuple[int, ...]]:
    """Permutations of suits that keep each suit in its class, such as ``("cs", "dh")``."""
    class_of = {suit: held for held in classes for suit in held}
    return [
        permutation
        for permutation in permutations(range(4))
        if all(class_of[SUITS[s]] == class_of[SUITS[permutation[s]]] for s in range(4))
    ]


def orbit(hand: Hand, classes) -> set[Hand]:
    """All hands that are the same but for the names of suits."""
    return {rename(hand, permutation) for permutation in allowed(classes)}


def canonical(hand: Hand, classes) -> Hand:
    return min(orbit(hand, classes))


def count(groups, classes) -> int:
    """How many canonical hands there are, by Burnside: the mean number of hands left fixed."""
    fixed = Counter(tuple(cycle_lengths(permutation)) for permutation in allowed(classes))
    return sum(n * fixed_hands(groups, lengths) for lengths, n in fixed.items()) // fixed.total()


def fixed_hands(groups, lengths) -> int:
    """Hands that a permutation leaves alone whose cycles of suits have these lengths.

    Each cycle of suits gives 13 cycles of cards, and each of these goes to one group as a whole, or
    to none.
    """
    ways = Counter({tuple(groups): 1})  # cards that the groups still need -> ways so far
    for length in lengths * RANKS:
        taken = Counter(ways)
        for need, n in ways.items():
            for group, missing in enumerate(need):
                if missing >= length:
                    taken[(*need[:group], missing - length, *need[group + 1 :])] += n
        ways = taken
    return ways[(0,) * len(groups)]


def cycle_lengths(permutation) -> list[int]:
    """Ascending lengths of the cycles of a permutation of suits."""
    seen: set[int] = set()
    lengths = []
    for start in range(4):
        length, suit = 0, start
        while suit not in seen:
            seen.add(suit)
            suit = permutation[suit]
            length += 1
        if length:
            lengths.append(length)
    return sorted(lengths)


def layouts(max_cards: int = 7, max_groups: int = 4) -> list[tuple[int, ...]]:
    """Every tuple of group sizes within the limits."""
    return [
        groups
        for parts in range(1, max_groups + 1)
        for groups in product(range(1, max_cards + 1), repeat=parts)
        if sum(groups) <= max_cards
    ]


def deals(groups) -> int:
    """How many hands there are, suits told apart."""
    left, ways = 52, []
    for size in groups:
        ways.append(prod(range(left - size + 1, left + 1)) // prod(range(1, size + 1)))
        left -= size
    return prod(ways)
