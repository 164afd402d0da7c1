"""CFR the slow way: recursion over the readable game, dictionaries, one formula at a time."""

from collections import defaultdict

from tiltless.cfr.regret import Predictive
from tiltless.games.game import CHANCE, TERMINAL


class NaiveCfr:
    """The same values as the compiled engines take; tables by infoset key."""

    def __init__(self, game, regret, averaging, alternating=True, average_after=()):
        self.game, self.averaging, self.alternating = game, averaging, alternating
        self.predictive = isinstance(regret, Predictive)
        self.rule = regret.rule if self.predictive else regret
        self.average_after = average_after  # players whose average takes the updated strategy
        self.regret = {}
        self.strategy = {}
        self.average = {}
        self.t = 0

    def sigma(self, infoset):
        actions = len(infoset.actions)
        self.regret.setdefault(infoset.key, [0.0] * actions)
        self.average.setdefault(infoset.key, [0.0] * actions)
        return self.strategy.setdefault(infoset.key, [1 / actions] * actions)

    def walk(self, state, player, own, others, new, weight):
        if state.actor == TERMINAL:
            return state.payoffs[player]
        if state.actor == CHANCE:
            return sum(
                chance_probs
                * self.walk(state.apply(move), player, own, others * chance_probs, new, weight)
                for move, chance_probs in state.chance.outcomes()
            )
        infoset = state.infoset(state.actor)
        sigma = list(self.sigma(infoset))
        mine = state.actor == player
        values = [
            self.walk(
                state.apply(action),
                player,
                own * chance_probs if mine else own,
                others if mine else others * chance_probs,
                new,
                weight,
            )
            for action, chance_probs in zip(state.actions, sigma, strict=True)
        ]
        value = sum(chance_probs * v for chance_probs, v in zip(sigma, values, strict=True))
        if mine:
            for a, v in enumerate(values):
                new[infoset.key][a] += others * (v - value)
                self.average[infoset.key][a] += weight * own * sigma[a]
        return value

    def match(self, new):
        for key, instant in new.items():
            shares = []
            for a, r in enumerate(instant):
                self.regret[key][a] = self.update(self.regret[key][a], r, self.t)
                guess = self.regret[key][a]
                if self.predictive:
                    guess = self.update(guess, r, self.t + 1)
                shares.append(max(guess, 0.0))
            total = sum(shares)
            self.strategy[key] = [s / total if total > 0 else 1 / len(shares) for s in shares]

    def update(self, regret, new, t):
        positive, negative = self.rule.discounts(t)
        total = regret * (positive if regret > 0 else negative) + new
        return max(total, 0.0) if self.rule.floored else total

    def run(self, iterations):
        for _ in range(iterations):
            self.t += 1
            everybody = {}
            for player in range(self.game.players):
                new = defaultdict(lambda: [0.0] * 9)
                weight = self.averaging.weight(self.t)
                self.walk(self.game.start(), player, 1.0, 1.0, new, weight)
                new = {key: values[: len(self.regret[key])] for key, values in new.items()}
                everybody |= new
                if self.alternating:
                    self.match(new)
            if not self.alternating:
                self.match(everybody)

    def average_strategy(self):
        return {
            key: [s / sum(sums) if sum(sums) > 0 else 1 / len(sums) for s in sums]
            for key, sums in self.average.items()
        }
