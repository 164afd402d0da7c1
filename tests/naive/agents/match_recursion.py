"""Matches by full recursion: what can be forced hand by hand, and the chance to win."""

from fractions import Fraction
from functools import cache

from tiltless.cards.card import parse_cards
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CHECK, FOLD

BOARD = "2c3d4h8sTd"


def folding_results(game, button, hole):
    """What seat 0 may win who checks and folds, whatever the opponent does, and from where.

    Returns the results of whole hands, and for every decision of seat 0 (chips paid, results from
    there on). hole: both hands; the board is fixed.
    """
    spots = []

    def after(state):
        if state.actor == TERMINAL:
            return {state.payoffs[0]}
        if state.actor == CHANCE:
            size = state.chance.size
            dealt = len(state.board)
            hands = parse_cards(hole)
            if len(state.hole) < 2:
                cards = hands[2 * len(state.hole) : 2 * len(state.hole) + 2]
            else:
                cards = parse_cards(BOARD)[dealt : dealt + size]
            return after(state.apply(tuple(cards)))
        if state.actor == 0:
            legal = state.view(0).actions
            results = after(state.apply(CHECK if legal.check else FOLD))
            spots.append((state.view(0).paid[0], frozenset(results)))
            return results
        return set().union(*(after(state.apply(each)) for each in state.view(1).actions))

    return frozenset(after(game.start(button))), spots


def always_wins(results):
    """A function (bankroll, left, button): whether every sequence of results ends above 0.

    results: by button (False, True), what each hand may bring.
    """

    @cache
    def wins(bankroll, left, button):
        if not left:
            return bankroll > 0
        return all(wins(bankroll + won, left - 1, not button) for won in results[button])

    return wins


def exact_values(distributions, posts, locks=(True, True)):
    """A function (bankroll, left, button): the chance to win, as a fraction.

    distributions: {result: fraction} as button, and as the other seat.
    """

    def cost(left, button):
        return sum(posts[(hand + (not button)) % 2] for hand in range(left))

    @cache
    def value(bankroll, left, button):
        if not left:
            return Fraction((bankroll > 0) - (bankroll < 0) + 1, 2)
        if locks[0] and bankroll > cost(left, button):
            return Fraction(1)
        if locks[1] and -bankroll > cost(left, not button):
            return Fraction(0)
        results = distributions[0 if button else 1]
        return sum(
            chance * value(bankroll + won, left - 1, not button) for won, chance in results.items()
        )

    return value
