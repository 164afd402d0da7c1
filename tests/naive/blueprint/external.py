"""External sampling over a betting tree and buckets, by plain recursion."""

import numpy as np

from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CHANCE,
    FIRST,
    ROW,
    SHOWDOWN,
    STREET,
)

MASK = 2**64 - 1


class Words:
    """splitmix64 with Python integers."""

    def __init__(self, state):
        self.state = int(state)

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        word = self.state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        return word ^ (word >> 31)

    def double(self):
        return (self.word() >> 11) / 2**53


def add_by_chance(total, more, word):
    """Rounded up if the low 29 bits of the word reach what is missing to the next float32."""
    exact = float(total) + float(more)
    below = np.float32(exact)
    if float(below) > exact:
        below = np.nextafter(below, np.float32(0))
    above = np.nextafter(below, np.float32(np.inf))
    steps = int((exact - float(below)) / (float(above) - float(below)) * 2**29)
    return above if steps + (word & (2**29 - 1)) >= 2**29 else below


def walk(tree, rows, tables, hand, player, words, rules, run=0):
    """One walk; ``hand`` is (bucket [2, columns], result). Returns the value for ``player``.

    run: how many streets the board of the hand has beyond those that every board has.
    """
    node, (regret, average, payoff) = tree.nodes.node, tables
    bucket, result = hand
    pruned = words.double() >= rules.share_unpruned
    last = len(rows.buckets) - 1

    def visit(at, gone=0):
        """Gone: run streets so far."""
        actor, street, count = (int(node[at, c]) for c in (ACTOR, STREET, ACTIONS))
        if actor == CHANCE:
            first = int(node[at, FIRST])
            return visit(first + 1, gone + 1) if gone < run else visit(first, gone)
        if actor < 0:
            outcome = result + 1 if actor == SHOWDOWN else 1
            value = payoff[node[at, ROW], outcome]
            return np.float32(-value if player else value)
        row = rows.start[street] + int(node[at, ROW]) * rows.buckets[street]
        column = min(
            len(tree.game.rules.streets) - 1 + gone if gone else street, bucket.shape[1] - 1
        )
        row += int(bucket[actor, column]) * count
        mine = slice(int(row), int(row) + count)
        positive = np.maximum(regret[mine], np.float32(0))
        total = np.float32(0)
        for x in positive:
            total += x
        share = positive / total if total > 0 else np.full(count, np.float32(1) / np.float32(count))
        first = int(node[at, FIRST])
        if actor != player:
            word = words.word()
            luck = np.float32(word >> 40) / np.float32(2**24)
            for a in range(count if rules.average_weight > 0 else 0):
                place, more = mine.start + a, np.float32(rules.average_weight) * share[a]
                average[place] = add_by_chance(average[place], more, word)
                word = (3 * word) & MASK
            pick, below = 0, share[0]
            while pick < count - 1 and luck >= below:
                pick += 1
                below += share[pick]
            return visit(first + pick, gone)
        tried = [
            not (
                pruned
                and total > 0
                and street < last
                and regret[mine][a] < rules.prune_below
                and node[first + a, ACTOR] >= CHANCE
            )
            for a in range(count)
        ]
        values = {a: visit(first + a, gone) for a in range(count) if tried[a]}
        mean = np.float32(0)
        for a, value in values.items():
            mean += share[a] * value
        for a, value in values.items():
            regret[mine.start + a] = max(
                regret[mine.start + a] + (value - mean), np.float32(rules.floor)
            )
        return mean

    return visit(0)
