"""Slow, obvious twin of the situations of a betting tree: read off a readable hand."""

from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

SLOTS = {FOLD: 1, CHECK: 2, CALL: 3}


def ends_raising(state, action):
    """Whether a raise leaves nothing to raise: for the raiser, or for all who might call it."""
    after = state.apply(action).betting
    others = [
        after.bets[seat] + after.stacks[seat]
        for seat in range(state.game.players)
        if after.live >> seat & 1 and after.stacks[seat] and seat != state.actor
    ]
    return after.stacks[state.actor] == 0 or max(others) <= action.chips


def slot(state, offered, action):
    """The slot of an action among those on offer."""
    if action in SLOTS:
        return SLOTS[action]
    raises = [each for each in offered if isinstance(each, RaiseTo)]
    if action == raises[-1] and ends_raising(state, action):
        return 4
    return 5 + raises.index(action)


def slots(state, offered):
    """All slots on offer, packed."""
    taken = [slot(state, offered, action) for action in offered]
    raises = sum(each >= 4 for each in taken)
    return (1 in taken) + 2 * (3 in taken) + 4 * (4 in taken) + 8 * raises


def moves_by_street(state):
    """The actions of each street."""
    streets = [[]]
    for move in state.moves:
        if isinstance(move, tuple):
            streets += [[]] if move else []  # hole cards are hidden: no cards to see
        elif not isinstance(move, str):
            streets[-1].append(move)
    return streets
