"""Rollouts the slow way: the same random words, cards in lists, hands by their strength."""

from naive.cards.evaluate import strength
from tiltless.cards.card import COMBO_CARDS
from tiltless.seeding import SeededRandom


class Words:
    """Random words, and what kernels make of them."""

    def __init__(self, state):
        self.luck = SeededRandom(int(state))

    def word(self):
        return self.luck.getrandbits(64)

    def below(self, n):
        return (self.word() >> 32) * n >> 32


def take(words, deck, place):
    """The next card of a Fisher-Yates shuffle."""
    k = place + words.below(len(deck) - place)
    deck[place], deck[k] = deck[k], deck[place]
    return deck[place]


def compare(hole, final, others, **rules):
    """1 if the hand beats all others, 0 if it ties with the best of them, else -1."""
    mine = strength((*final, *hole), **rules)
    best = max(strength((*final, *hand), **rules) for hand in others)
    return (mine > best) - (mine < best)


def roll_out(rollouts, state, hole, board, missing, deck, opponents, run_suits="", **rules):
    """Wins, ties, and the state afterwards; ``run_suits`` as in the rules."""
    words, deck, results = Words(state), list(map(int, deck)), []
    for _ in range(rollouts):
        final, drawn = list(map(int, board)), 0
        while drawn < missing or (final and "cdhs"[final[-1] & 3] in run_suits):
            final.append(take(words, deck, drawn))
            drawn += 1
        others = []
        for _ in range(opponents):
            others.append([take(words, deck, drawn + j) for j in range(len(hole))])
            drawn += len(hole)
        results.append(compare(list(map(int, hole)), final, others, **rules))
    return results.count(1), results.count(0), words.luck.word


def alias_table(weights):
    """(limit, alias) of every place; small places are filled up from large ones, last in first."""
    left = [float(w) * (len(weights) / sum(map(float, weights))) for w in weights]
    table = [(2**32, i) for i in range(len(weights))]
    small = [i for i, part in enumerate(left) if part < 1]
    large = [i for i, part in enumerate(left) if part >= 1]
    while small and large:
        poor, rich = small.pop(), large[-1]
        table[poor] = int(left[poor] * 2**32), rich
        left[rich] -= 1 - left[poor]
        if left[rich] < 1:
            small.append(large.pop())
    for i in small:
        if weights[i] == 0:
            table[i] = 0, int(max(range(len(weights)), key=lambda i: weights[i]))
    return table


def roll_out_ranges(rollouts, state, hole, board, missing, deck, ranges, most_draws, **rules):
    """Wins, ties, how many rollouts, and the state afterwards."""
    words, results = Words(state), []
    tables = [alias_table(weights) for weights in ranges]
    for _ in range(rollouts):
        for _ in range(most_draws):
            others = []
            for table in tables:
                word = words.word()
                place = (word >> 32) * len(table) >> 32
                limit, other = table[place]
                others.append(
                    tuple(map(int, COMBO_CARDS[place if word % 2**32 < limit else other]))
                )
            held = {card for hand in others for card in hand}
            if len(held) == 2 * len(others):
                break
        else:
            continue
        final = list(map(int, board))
        while len(final) < len(board) + missing:
            card = int(deck[words.below(len(deck))])
            if card not in held and card not in final:
                final.append(card)
        results.append(compare(list(map(int, hole)), final, others, **rules))
    return results.count(1), results.count(0), len(results), words.luck.word
