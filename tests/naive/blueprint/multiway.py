"""Vector sampling for several players, hand by hand and one function call for each node."""

import numpy as np

from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    FOLDS,
    LINK,
    SHOWDOWN,
    STREET,
)

MASK = (1 << 64) - 1
STREAM = 0x632BE59BD9B4E019


class Words:
    """splitmix64."""

    def __init__(self, state):
        self.state = state & MASK

    def double(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        word = self.state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
        return (word ^ word >> 31) / 2**64


def current(row):
    """Regret matching."""
    positive = np.maximum(row, 0)
    return positive / positive.sum() if positive.sum() > 0 else np.full(len(row), 1 / len(row))


def traverse(graph, start, regret, deals, rules, root=0, seats=None):
    """Traverse for all players of all deals; changes ``regret``, float64, and returns nodes."""
    seats = list(range(graph.players)) if seats is None else seats
    visited = 0
    for deal, word in enumerate(deals.words):
        for player in seats:
            words = Words(int(word) + player * STREAM)
            words.double()
            one = _Traversal(graph, start, regret, deals, deal, player, words, rules)
            street = int(graph.nodes.node[root, STREET])
            unit = rules.pot if graph.nodes.scaled[street] else 1.0
            one.values(root, rules.pot, rules.stack, unit, seats)
            visited += one.visited
    return visited


class _Traversal:
    def __init__(self, graph, start, regret, deals, deal, player, words, rules):
        self.graph, self.start, self.regret, self.words = graph, start, regret, words
        self.deals, self.deal, self.player, self.rules = deals, deal, player, rules
        self.visited = 0
        held = deals.held[deal]
        dead = int(deals.board[deal])
        for seat, hand in enumerate(held):
            if seat != player:
                dead |= int(deals.cards[hand])
        self.hands = [h for h, cards in enumerate(deals.cards) if not int(cards) & dead]

    def weight(self, hand):
        return self.deals.weight[self.player, hand] if len(self.deals.weight) else 1.0

    def row(self, node, hand):
        record = self.graph.nodes.node[node]
        bucket = int(self.deals.bucket[self.deal, hand, record[STREET]])
        begin = int(self.start[node]) + bucket * int(record[ACTIONS])
        return slice(begin, begin + int(record[ACTIONS]))

    def values(self, at, pot, behind, unit, seats):
        """The value of each hand of the traverser."""
        self.visited += 1
        arrays, deals = self.graph.nodes, self.deals
        record = arrays.node[at]
        if record[ACTOR] < 0:
            return self.end(at, record, pot, behind, unit, seats)
        seat, first = seats[record[ACTOR]], int(record[FIRST])
        children = range(first, first + int(record[ACTIONS]))
        if seat != self.player:
            if deals.callers[self.deal] >> seat & 1:
                return self.values(children[record[FOLDS]], pot, behind, unit, seats)
            least = self.rules.explore
            sigma = current(self.regret[self.row(at, deals.held[self.deal, seat])])
            if self.regret[self.row(at, deals.held[self.deal, seat])].max() > 0:
                sigma = least + (1 - len(sigma) * least) * sigma
            chosen = int(np.searchsorted(np.cumsum(sigma)[:-1], self.words.double(), "right"))
            return self.values(children[chosen], pot, behind, unit, seats)
        sigma = [current(self.regret[self.row(at, hand)]) for hand in self.hands]
        tried = []
        for number, child in enumerate(children):
            if number == 0 and record[FOLDS]:
                paid = self.rules.paid + self.rules.stack - behind + arrays.paid[at] * unit
                tried.append([-paid] * len(self.hands))
            else:
                tried.append(self.values(child, pot, behind, unit, seats))
        mean = [
            sum(p * values[i] for p, values in zip(sigma[i], tried, strict=True))
            for i in range(len(self.hands))
        ]
        gains = {}
        for i, hand in enumerate(self.hands):
            gain = np.array([values[i] - mean[i] for values in tried]) * self.weight(hand)
            row = self.row(at, hand)
            gains[row.start] = gains.get(row.start, 0) + gain
        weight = self.rules.weight * (self.rules.caller_weight if deals.callers[self.deal] else 1)
        for begin, gain in gains.items():
            row = slice(begin, begin + len(children))
            added = self.regret[row] + weight * gain
            self.regret[row] = np.maximum(added, self.rules.floor)
        return mean

    def end(self, at, record, pot, behind, unit, seats):
        arrays, deals = self.graph.nodes, self.deals
        end, street = int(record[END]), int(record[STREET])
        bets = []
        for position in range(len(seats)):
            chips = float(arrays.contribution[end, position]) * unit
            full = int(arrays.all_in[end]) >> position & 1
            bets.append(behind if full else min(chips, behind))
        live = [p for p in range(len(seats)) if int(arrays.live[end]) >> p & 1]
        pot += sum(bets)
        if record[ACTOR] == LINK:
            left = behind - max(bets[p] for p in live)
            order = [seats[p] for p in live]
            if street == 0:  # clockwise from the small blind
                order = sorted(order, key=lambda seat: (seat - 1) % len(seats))
            scaled = arrays.scaled[street + 1]
            return self.values(arrays.target[end], pot, left, pot if scaled else 1.0, order)
        paid = self.rules.paid + self.rules.stack - behind + bets[seats.index(self.player)]
        if record[ACTOR] != SHOWDOWN:
            return [pot - paid] * len(self.hands)
        others = [
            deals.strength[self.deal, deals.held[self.deal, seats[p]]]
            for p in live
            if seats[p] != self.player
        ]
        values = []
        for hand in self.hands:
            shown = [deals.strength[self.deal, hand], *others]
            wins = shown[0] == max(shown)
            values.append((pot / shown.count(max(shown)) if wins else 0) - paid)
        return values
