"""Two ranges on a board the slow way: every card, every pair of hands, recursion, 64-bit numbers.

No suits are exchanged, nothing is sorted, and averages are plain sums; the chips are those of the
readable game.
"""

import numpy as np

from tiltless.abstraction.bets.menu import TableMenu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.cards.card import COMBO_CARDS
from tiltless.cards.evaluate import evaluate
from tiltless.cfr.presets import find_preset
from tiltless.cfr.regret import Predictive
from tiltless.games.holdem.actions import RaiseTo
from tiltless.games.holdem.betting import open_round
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit


class NaiveRanges:
    """Tables are dictionaries by the moves from the root: ``float64 [hands, actions]``.

    hands: combos of both players. Player 0 is the button.
    """

    def __init__(self, spot, rules="dcfr", played=()):
        self.spot, self.played = spot, tuple(played)
        preset = find_preset(rules)
        self.averaging = preset.averaging
        self.predictive = isinstance(preset.regret, Predictive)
        self.rule = preset.regret.rule if self.predictive else preset.regret
        self.weights = [weights[weights > 0] for weights in spot.weights]
        self.hands = [np.flatnonzero(weights > 0) for weights in spot.weights]
        cards = [[set(COMBO_CARDS[h].tolist()) for h in hands] for hands in self.hands]
        self.cards = cards
        self.apart = np.array([[not one & two for two in cards[1]] for one in cards[0]], float)
        self.regret, self.strategy, self.average, self.locks = {}, {}, {}, {}
        self.forecast = {}  # what strategies are in proportion to
        self.offered, self.t = {}, 0
        blind = spot.big_blind
        self.game = Rules((spot.pot + spot.stack,) * 2, (blind, blind), no_limit((blind,) * 4))
        self.menu = TableMenu(find_menu(spot.bets), self.game)
        self.values = {}

    # The game.

    def start(self):
        spot = self.spot
        rules = self.game.round(spot.street)
        return open_round(rules, (spot.stack,) * 2, (0, 0), 0b11, 0)

    def offers(self, betting, street, lead, moves):
        pot = self.spot.pot + sum(self.spot.stack - behind for behind in betting.stacks)
        found = list(self.menu.actions(betting, street, pot, lead))
        step = len(moves)
        if step < len(self.played) and moves == self.played[:step]:
            if self.played[step] not in found:
                found.append(self.played[step])
                found.sort(
                    key=lambda action: getattr(action, "chips", 0)
                )  # others keep their order
        return found

    def payoff(self, player, betting, board):
        """What a player wins, for all pairs of hands: ``[own hands, other hands]``."""
        paid = [self.spot.stack - behind for behind in betting.stacks]
        pot = self.spot.pot + 2 * min(paid)
        rake = min(self.spot.rake * pot, self.spot.rake_cap)
        if betting.live in (1, 2):
            share = np.full(self.apart.shape, float(betting.live == 1))
        else:
            share = self.showdown(board)
        won = share if player == 0 else 1 - share
        net = won * (pot - rake) - min(paid) - self.spot.pot / 2
        net = net * self.apart
        return net if player == 0 else net.T

    def showdown(self, board):
        """The share of the pot that player 0 wins."""
        if board not in self.values:
            ranks = [
                np.array(
                    [evaluate([*hand, *board]) if not hand & {*board} else 0 for hand in hands]
                )
                for hands in self.cards
            ]
            one, two = ranks[0][:, None], ranks[1][None]
            self.values[board] = np.where(one > two, 1.0, np.where(one == two, 0.5, 0.0))
        return self.values[board]

    # The algorithm.

    def sigma(self, key, hands, actions):
        return self.strategy.setdefault(key, np.full((hands, actions), 1 / actions))

    def mean(self, key, hands, actions):
        """The average strategy."""
        if key in self.locks:
            return self.locks[key]
        total = self.average.get(key, np.zeros((hands, actions)))
        rows = total.sum(axis=1, keepdims=True)
        return np.where(rows > 0, total / np.where(rows > 0, rows, 1), 1 / actions)

    def walk(self, player, mode, betting, street, lead, board, moves, reach):
        """The worth of each hand of a player; reach: of the opponent's hands."""
        if betting.actor < 0 and betting.live in (1, 2):
            return self.payoff(player, betting, board) @ reach
        if betting.actor < 0 and street == 3:
            return self.payoff(player, betting, board) @ reach
        if betting.actor < 0:
            return self.deal(player, mode, betting, street, lead, board, moves, reach)
        actor = betting.actor
        offers = self.offers(betting, street, lead, moves)
        self.offered[moves] = (actor, tuple(offers), board)
        hands = len(self.hands[actor])
        if mode == "learn":
            sigma = self.locks.get(moves, self.sigma(moves, hands, len(offers)))
        else:
            sigma = self.mean(moves, hands, len(offers))
        cfv = []
        for a, offer in enumerate(offers):
            come = reach if actor == player else reach * sigma[:, a]
            next_lead = actor if isinstance(offer, RaiseTo) else lead
            there = betting.after(offer)
            cfv.append(
                self.walk(player, mode, there, street, next_lead, board, (*moves, offer), come)
            )
        cfv = np.array(cfv)
        if actor != player:
            if mode == "learn":
                weight = self.averaging.weight(self.t)
                self.average[moves] = self.average.get(moves, 0.0) + weight * reach[:, None] * sigma
            return cfv.sum(axis=0)
        if mode == "best" and moves not in self.locks:
            return cfv.max(axis=0)
        value = (sigma.T * cfv).sum(axis=0)
        if mode == "learn" and moves not in self.locks:
            self.learn(moves, cfv.T - value[:, None])
        return value

    def deal(self, player, mode, betting, street, lead, board, moves, reach):
        total = np.zeros(len(self.hands[player]))
        cards = [card for card in range(52) if card not in board]
        opened = betting.next_round(self.game.round(street + 1), 0)
        lead = self.menu.lead(opened, street + 1, lead) if betting.raises else -1
        for card in cards:
            mine, theirs = (
                np.array([card not in hand for hand in self.cards[who]], float)
                for who in (player, 1 - player)
            )
            below = self.walk(
                player,
                mode,
                opened,
                street + 1,
                lead,
                (*board, card),
                (*moves, card),
                reach * theirs,
            )
            total += mine * below / (len(cards) - 4)
        return total

    def learn(self, key, more):
        up, down = self.rule.discounts(self.t)
        old = self.regret.get(key, np.zeros(more.shape))
        new = old * np.where(old > 0, up, down) + more
        if self.rule.floored:
            new = np.maximum(new, 0)
        self.regret[key] = new
        base = np.maximum(new, 0)
        if self.predictive:
            base = np.maximum(new * self.rule.discounts(self.t + 1)[0] + more, 0)
        self.forecast[key] = base
        rows = base.sum(axis=1, keepdims=True)
        even = 1 / more.shape[1]
        self.strategy[key] = np.where(rows > 0, base / np.where(rows > 0, rows, 1), even)

    def run(self, iterations):
        for _ in range(iterations):
            self.t += 1
            for player in (1, 0):
                self.root(player, "learn")

    def root(self, player, mode):
        betting, board = self.start(), tuple(self.spot.board)
        street = self.spot.street
        lead = self.menu.lead(betting, street, self.spot.leads_into)
        reach = np.array(self.weights[1 - player])
        return self.walk(player, mode, betting, street, lead, board, (), reach)

    def value(self, player, mode):
        """``"average"`` or ``"best"``: chips, net of half the pot."""
        mine, theirs = self.weights[0], self.weights[1]
        return float(self.root(player, mode) @ self.weights[player] / (mine @ self.apart @ theirs))

    def lock(self, moves, rows):
        """Fix a strategy, ``[1326, actions]``."""
        actor = self.offered[moves][0]
        self.locks[moves] = np.array(rows)[self.hands[actor]]
