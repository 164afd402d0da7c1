"""Local best response in Leduc, exactly, on the readable game for two, as the paper has it.

A strategy is a dictionary from the key of an infoset to the probabilities of its actions. Worlds
are the states that a player cannot tell apart, each with its probability: chance's times the
bot's, so that their shares are the bot's range by Bayes.
"""

from collections import defaultdict
from functools import cache

from tiltless.games import CHANCE, TERMINAL


def local_best_response(game, strategy, seat):
    """What the response wins on average in ``seat``, and U of its actions at each infoset it meets.

    It plays the action of the largest U, the first of these where several are equal.
    """
    choices = {}

    def won(worlds):
        now = worlds[0][0]
        if now.actor == TERMINAL:
            return sum(odds * state.payoffs[seat] for state, odds in worlds)
        if now.actor == seat:
            worth = local_worths(worlds, strategy)
            choices[now.infoset(seat).key] = worth
            action = max(worth, key=worth.get)
            return won([(state.apply(action), odds) for state, odds in worlds])
        alike = defaultdict(list)
        for state, odds in worlds:
            for move, share in branches(state, strategy):
                after = state.apply(move)
                if share > 0:
                    alike[after.infoset(seat).key].append((after, odds * share))
        return sum(map(won, alike.values()))

    return won([(game.start(), 1.0)]), choices


def branches(state, strategy):
    """What chance or the actor may do, with probabilities."""
    if state.actor == CHANCE:
        return state.chance.outcomes()
    return zip(state.actions, strategy[state.infoset(state.actor).key], strict=True)


def local_worths(worlds, strategy):
    """U of each action, in the order of the game; ``worlds`` are alike to the one who acts.

    What is won beyond a fold now, if both check and call from there on, world by world.
    """
    state = worlds[0][0]
    seat, paid = state.actor, state.line.paid
    pot, asked = sum(paid), max(paid) - paid[seat]
    worth = {}
    for action in state.actions:
        worth[action] = 0.0
        for world, odds in worlds:
            win, fold, risk = wins(world, seat), 0.0, asked
            if action == "raise":
                fold, risk = fold_chance(world, strategy), asked + beyond(world)
            if action != "fold":
                stay = win * (pot + risk - asked) - (1 - win) * risk
                worth[action] += odds * (fold * pot + (1 - fold) * stay) / total(worlds)
    return worth


def beyond(state):
    """What a raise adds to a call."""
    return state.game.raise_sizes[state.line.street]


def fold_chance(state, strategy):
    """How often the other folds to a raise, with the card that it has in this state."""
    return dict(branches(state.apply("raise"), strategy))["fold"]


def total(worlds):
    """The probability of all worlds together."""
    return sum(odds for _, odds in worlds)


@cache
def wins(state, seat):
    """The probability to win if both check and call to the end; ties count half."""
    if state.actor == TERMINAL:
        won = state.payoffs[seat]
        return 1.0 if won > 0 else 0.5 if won == 0 else 0.0
    if state.actor == CHANCE:
        return sum(odds * wins(state.apply(card), seat) for card, odds in state.chance.outcomes())
    return wins(checked_or_called(state), seat)


def checked_or_called(state):
    """The state after the action that stays in the hand and adds the least."""
    return state.apply("check" if "check" in state.actions else "call")
