"""Slow, obvious twin of betting trees: the readable game, card by card.

Which cards are dealt does not matter for the betting, so any will do; only where the newest card
decides whether one more street follows, one card of each sort is dealt.
"""

from math import floor

from tiltless.games import CHANCE, TERMINAL
from tiltless.games.actions import CALL, CHECK, FOLD, RaiseTo


def offered(state, menu):
    """The actions that a menu offers, from its words and from the state alone."""
    legal, street = state.actions, state.street
    actions = [action for action in (FOLD, CHECK, CALL) if action in legal]
    raises = 0
    for move in reversed(state.moves):
        if isinstance(move, tuple | str):
            break  # cards
        raises += isinstance(move, RaiseTo)
    if menu.caps is not None and raises >= menu.caps[min(street, len(menu.caps) - 1)]:
        return actions
    every = [action for action in legal if isinstance(action, RaiseTo)]
    if not every or menu.sizes is None or state.game.rules.street(street).fixed:
        return actions + every
    pot_after_calling = state.pot + legal.call
    called = state.betting.bets[state.actor] + legal.call
    wanted = [
        called + floor(size * pot_after_calling + 0.5)
        for size in menu.sizes[min(street, len(menu.sizes) - 1)]
    ]
    if menu.all_in:
        wanted.append(every[-1].chips)
    nearest = {min(max(chips, every[0].chips), every[-1].chips) for chips in wanted}
    return actions + [action for action in every if action.chips in nearest]


def calls_for_more(state):
    """Whether the newest board card is of a sort that lets one more street follow the last."""
    return bool(state.board) and "cdhs"[state.board[-1] & 3] in state.game.rules.run_suits


def next_deals(state):
    """Some card for each way in which the board may decide."""
    if state.game.hidden is not None and state.ranks is None:
        return ["23456789TJQKA"]
    left = [card for card in range(52) if state.chance.left >> card & 1]
    size, rules = state.chance.size, state.game.rules
    last_street = state.street + 1 >= len(rules.streets) - 1
    if len(state.hole) < state.game.players or not last_street or not rules.run_suits:
        return [left[:size]]
    assert size == 1
    sorts = {"cdhs"[card & 3] in rules.run_suits: [card] for card in left}
    return list(sorts.values())


def dealt(state):
    """The states in which somebody acts or the hand is over, after the cards that are due."""
    if state.actor != CHANCE:
        return [state]
    return [after for cards in next_deals(state) for after in dealt(state.apply(cards))]


def perft(game, menu, depth):
    """How many different sequences of ``depth`` actions there are."""
    return _perft(dealt(game.start()), menu, depth)


def _perft(states, menu, depth):
    """``states``: all that one sequence of actions leads to, with one card of each sort."""
    if depth == 0:
        return 1
    acting = [state for state in states if state.actor != TERMINAL]
    if not acting:
        return 0
    menus = {tuple(offered(state, menu)) for state in acting}
    assert len(menus) == 1
    return sum(
        _perft([after for s in acting for after in dealt(s.apply(action))], menu, depth - 1)
        for action in menus.pop()
    )
