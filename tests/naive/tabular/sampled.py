"""Sampled CFR the slow way: recursion over flat and public trees, one draw at a time.

Random choices come from an *oracle*. `Dice` draws them just as the kernels do, so that tables must
agree to the last bit; `Everything` goes through all of them, so that means are exact.
"""

from math import inf
from typing import Any, NamedTuple

import numpy as np

from tiltless.cfr.averaging import Uniform
from tiltless.cfr.pruning import NoPruning, RegretBased
from tiltless.cfr.regret import Discounted, Plain
from tiltless.cfr.sampling import ChanceSampling, External, Outcome
from tiltless.games import CHANCE, TERMINAL

MASK = 2**64 - 1


class Recipe(NamedTuple):
    """What engines take, in their order."""

    sampling: Any
    regret: Any = Plain()
    averaging: Any = Uniform()
    pruning: Any = NoPruning()


class Dice:
    """splitmix64, and choices made from its numbers."""

    def __init__(self, word):
        self.word = int(word)

    def bits(self):
        self.word = word = (self.word + 0x9E3779B97F4A7C15) & MASK
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
        return word ^ (word >> 31)

    def luck(self):
        return (self.bits() >> 11) / 2**53

    def even(self, n):
        return (self.bits() >> 32) * n >> 32

    def choose(self, chance_probs):
        luck, below = self.luck(), 0.0
        for number, part in enumerate(chance_probs):
            below += part
            if luck < below:
                return number
        return len(chance_probs) - 1


class Everything:
    """Use: ``for chance in oracle.all(): ...`` runs the body once for each sequence of choices."""

    def all(self):
        self.script = []  # (choice, number of choices) of the sequence that is under way
        while True:
            self.place, self.probability = 0, 1.0
            yield self
            while self.script and self.script[-1][0] + 1 == self.script[-1][1]:
                self.script.pop()
            if not self.script:
                return
            self.script[-1] = (self.script[-1][0] + 1, self.script[-1][1])

    def choose(self, chance_probs):
        if self.place == len(self.script):
            self.script.append((0, len(chance_probs)))
        choice = self.script[self.place][0]
        self.place += 1
        self.probability *= chance_probs[choice]
        return choice

    def even(self, n):
        return self.choose([1 / n] * n)


def matched(regrets):
    positive = [max(regret, 0.0) for regret in regrets]
    total = 0.0
    for part in positive:
        total += part
    return [part / total if total > 0 else 1 / len(regrets) for part in positive]


class NaiveSampled:
    """Walks over a flat tree; generators that stop where the kernel changes lanes."""

    def __init__(self, flat, recipe, oracle, lanes=1):
        self.tree, self.recipe, self.oracle = flat.tree, recipe, oracle
        self.players = flat.game.players
        self.regret, self.average = [0.0] * flat.entries, [0.0] * flat.entries
        self.lanes, self.turn = [None] * lanes, 0
        self.skipped = 0

    # --- what iterations are ---------------------------------------------------------------------

    def run(self, first, count):
        """Walks take turns; it ends when a lane without a walk finds none to start."""
        waiting = [(t, player) for t in range(first, first + count) for player in self.seats()]
        while True:
            if self.lanes[self.turn] is None:
                if not waiting:
                    return
                self.lanes[self.turn] = self.walk(*waiting.pop(0))
            if next(self.lanes[self.turn], "over") == "over":
                self.lanes[self.turn] = None
            self.turn = (self.turn + 1) % len(self.lanes)

    def seats(self):
        return range(self.players)

    def walk(self, t, player):
        self.t, self.player = t, player
        sampling = self.recipe.sampling
        if isinstance(sampling, Outcome):
            self.outcome(0, t, player, 1.0)
            return
        limit = -inf
        pruning = self.recipe.pruning
        if isinstance(pruning, RegretBased) and t > pruning.warmup_iterations:
            if self.oracle.luck() >= pruning.share_unpruned:
                limit = pruning.threshold * self.weight(t)
        if isinstance(sampling, External):
            yield from self.external(0, t, player, limit)
        else:
            assert isinstance(sampling, ChanceSampling)
            self.strategies = {}
            self.all_actions(0, t, player, 1.0, 1.0, limit)

    def weight(self, t):
        return float(t) if isinstance(self.recipe.regret, Discounted) else 1.0

    # --- the tree --------------------------------------------------------------------------------

    def look(self, node):
        tree = self.tree
        children = range(int(tree.first[node]), int(tree.first[node + 1]))
        return int(tree.actor[node]), int(tree.row[node]), children

    def drawn(self, row, children):
        chance_probs = self.tree.chance_probs[row : row + len(children)].tolist()
        if min(chance_probs) == max(chance_probs):
            return children[self.oracle.even(len(chance_probs))]
        return children[self.oracle.choose(chance_probs)]

    def entries(self, row):
        return range(int(self.tree.start[row]), int(self.tree.start[row + 1]))

    def strategy(self, row):
        return matched([self.regret[entry] for entry in self.entries(row)])

    def add_regret(self, entry, t, new):
        pruning = self.recipe.pruning
        floor = 0.0 if getattr(self.recipe.regret, "floored", False) else -inf
        if isinstance(pruning, RegretBased):
            floor = pruning.floor
        self.regret[entry] = max(self.regret[entry] + new, floor * self.weight(t))

    def tried(self, row, children, strategy, limit):
        """Which actions are not pruned."""
        skipped = [
            a
            for a, entry in enumerate(self.entries(row))
            if strategy[a] == 0
            and self.regret[entry] < limit
            and self.tree.actor[children[a]] != TERMINAL
        ]
        self.skipped += len(skipped)
        return [a for a in range(len(children)) if a not in skipped]

    # --- the three schemes -----------------------------------------------------------------------

    def external(self, node, t, player, limit):
        actor, row, children = self.look(node)
        if actor == TERMINAL:
            return float(self.tree.payoffs[row, player])
        if actor == CHANCE:
            node = self.drawn(row, children)
            if len(self.lanes) > 1:
                yield "arrived"
                yield "ready"
            return (yield from self.external(node, t, player, limit))
        strategy, entries = self.strategy(row), self.entries(row)
        if actor != player:
            if actor == (player + 1) % self.players:
                for entry, part in zip(entries, strategy, strict=True):
                    self.average[entry] += self.recipe.averaging.weight(t) * part
            choice = self.oracle.choose(strategy)
            return (yield from self.external(children[choice], t, player, limit))
        values = {}
        for a in self.tried(row, children, strategy, limit):
            values[a] = yield from self.external(children[a], t, player, limit)
        value = 0.0
        for a, cfv in values.items():
            value += strategy[a] * cfv
        for a, cfv in values.items():
            self.add_regret(entries[a], t, self.weight(t) * (cfv - value))
        return value

    def all_actions(self, node, t, player, own, others, limit):
        actor, row, children = self.look(node)
        if actor == TERMINAL:
            return float(self.tree.payoffs[row, player])
        if actor == CHANCE:
            return self.all_actions(self.drawn(row, children), t, player, own, others, limit)
        if own == 0 and others == 0:
            return 0.0
        strategy = self.strategies.setdefault(row, self.strategy(row))
        entries = self.entries(row)
        if actor != player:
            value = 0.0
            for a, child in enumerate(children):
                cfv = self.all_actions(child, t, player, own, others * strategy[a], limit)
                value += strategy[a] * cfv
            return value
        values = {}
        for a in self.tried(row, children, strategy, limit):
            reach = own * strategy[a]
            values[a] = self.all_actions(children[a], t, player, reach, others, limit)
        value = 0.0
        for a, cfv in values.items():
            value += strategy[a] * cfv
        for a, cfv in values.items():
            self.add_regret(entries[a], t, self.weight(t) * others * (cfv - value))
            self.average[entries[a]] += self.recipe.averaging.weight(t) * own * strategy[a]
        return value

    def outcome(self, node, t, player, inverse):
        """``inverse``: of the probability with which the player's own actions were drawn."""
        actor, row, children = self.look(node)
        if actor == TERMINAL:
            return float(self.tree.payoffs[row, player])
        if actor == CHANCE:
            return self.outcome(self.drawn(row, children), t, player, inverse)
        strategy, entries = self.strategy(row), self.entries(row)
        if actor != player:
            if actor == (player + 1) % self.players:
                for entry, part in zip(entries, strategy, strict=True):
                    self.average[entry] += self.recipe.averaging.weight(t) * inverse * part
            return self.outcome(children[self.oracle.choose(strategy)], t, player, inverse)
        epsilon, even = self.recipe.sampling.epsilon, 1 / len(strategy)
        chance_probs = [epsilon * even + (1.0 - epsilon) * part for part in strategy]
        a = self.oracle.choose(chance_probs)
        estimate = self.outcome(children[a], t, player, inverse / chance_probs[a]) / chance_probs[a]
        value = strategy[a] * estimate
        for b, entry in enumerate(entries):
            new = self.weight(t) * inverse * ((estimate if a == b else 0.0) - value)
            self.add_regret(entry, t, new)
        return value


class NaivePublicChance:
    """Walks over a public tree of two players; tables are float64 `[rows, width]`."""

    def __init__(self, form, recipe, oracle):
        self.form, self.tree, self.recipe, self.oracle = form, form.tree, recipe, oracle
        self.regret, self.average = np.zeros((2, form.rows, form.width))

    def run(self, first, count):
        for t in range(first, first + count):
            for player in range(2):
                self.strategies = {}
                ones = np.ones(self.form.width)
                self.walk(0, t, player, ones, ones, 1.0)

    def walk(self, node, t, player, own, others, times):
        tree = self.tree
        actor, row = tree.actor[node], int(tree.row[node])
        children = range(int(tree.first[node]), int(tree.first[node + 1]))
        if actor == TERMINAL:
            payee = min(player, tree.matrix.shape[1] - 1)
            sign = -1.0 if payee != player else 1.0
            matrix = tree.matrices[tree.matrix[row, payee]]
            paid = np.zeros(self.form.width)
            for hand, reach in enumerate(others):
                paid = paid + reach * (matrix[:, hand] if player == 0 else matrix[hand])
            return times * (tree.scale[row, payee] * sign) * paid
        if actor == CHANCE:
            child = children[self.oracle.even(len(children))]
            return self.walk(child, t, player, own, others, times * len(children))
        rows = slice(row, row + len(children))
        if row not in self.strategies:
            columns = self.regret[rows].T.tolist()
            self.strategies[row] = np.array([matched(column) for column in columns]).T
        strategy = self.strategies[row]
        if actor != player:
            value = np.zeros(self.form.width)
            for a, child in enumerate(children):
                value = value + self.walk(child, t, player, own, others * strategy[a], times)
            return value
        weight = float(t) if isinstance(self.recipe.regret, Discounted) else 1.0
        counted = self.recipe.averaging.weight(t) * times
        self.average[rows] += counted * (own * strategy)
        values = [
            self.walk(child, t, player, own * strategy[a], others, times)
            for a, child in enumerate(children)
        ]
        value = np.zeros(self.form.width)
        for a in range(len(children)):
            value = value + values[a] * strategy[a]
        floor = 0.0 if getattr(self.recipe.regret, "floored", False) else -inf
        for a in range(len(children)):
            new = self.regret[row + a] + weight * (values[a] - value)
            self.regret[row + a] = np.maximum(new, floor)
        return value
