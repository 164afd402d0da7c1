"""All ways in which a hand of hold'em can go on, with the chance of each: for exact means."""

import numpy as np

from tiltless.agents.agent import Agent, Policies, check_or_call
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import FOLD, RaiseTo

__all__ = ["Shover", "every_ending", "mixed"]


def mixed(view, actions, columns):
    """A strategy in 64ths, which are exact; none for hands that share a card with the board."""
    chances = np.stack(columns, axis=1).astype(np.float32) / 64
    chances[np.isin(COMBO_CARDS, view.board).any(axis=1)] = 0
    return Policies(tuple(actions), chances)


class Shover(Agent):
    """Checks and calls until the turn; from there folds, stays in or shoves."""

    def __init__(self, salt):
        self.salt = salt

    def policies(self, view):
        stay = check_or_call(view.actions)
        mix = (COMBO_CARDS[:, 0] * 7 + COMBO_CARDS[:, 1] * self.salt + 11 * len(view.board)) % 23
        if len(view.board) < 4:
            return mixed(view, (stay,), [64 + 0 * mix])
        if view.actions.check:
            return mixed(view, (stay, RaiseTo(view.max_raise)), [60 - 2 * mix, 4 + 2 * mix])
        return mixed(view, (FOLD, stay), [50 - 2 * mix, 14 + 2 * mix])

    def act(self, view, clock, rng):
        raise NotImplementedError


def every_ending(game, holes, before, bots, mover, combos):
    """All ends after the moves ``before``: a state, and the chance of it with each combo.

    holes: the true hands by seat.  bots: by seat.  mover: the seat that may hold any of
    ``combos``, all with the same chance; a state has one that is possible.
    """
    others = {card for seat, hole in enumerate(holes) if seat != mover for card in hole}

    def built(moves):
        new = {card for move in moves if isinstance(move, tuple) for card in move}
        own = next(c for c in COMBO_CARDS[combos].tolist() if not new & set(c))
        hands = [tuple(own) if seat == mover else hole for seat, hole in enumerate(holes)]
        state = game.start()
        for move in (*hands, *before, *moves):
            state = state.apply(move)
        return state

    def traverse(state, moves, weights):
        if state.actor == TERMINAL:
            yield state, weights
        elif state.actor == CHANCE:
            left = [card for card in range(52) if card not in others and card not in state.board]
            for card in left:
                odds = weights * ~HOLDING[card][combos] / (len(left) - 2)
                if odds.any():
                    more = (*moves, (card,))
                    again = card in state.hole[mover]
                    yield from traverse(built(more) if again else state.apply((card,)), more, odds)
        else:
            actions, chances = bots[state.actor].policies(state.view(state.actor))
            hands = combos if state.actor == mover else COMBO_OF[holes[state.actor]]
            for number, action in enumerate(actions):
                odds = weights * chances[hands, number].astype(np.float64)
                if odds.any():
                    yield from traverse(state.apply(action), (*moves, action), odds)

    yield from traverse(built(()), (), np.full(len(combos), 1 / len(combos)))
