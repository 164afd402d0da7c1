"""A table like an MIT engine's in a few lines, whose opponent plays at random, for `FakePeer`."""

import random

from tiltless.agents.agent import check_or_call
from tiltless.games import TERMINAL
from tiltless.games.holdem.actions import CHECK, FOLD, RaiseTo
from tiltless.protocols.mit.wire import (
    ONLY_CHECK,
    ChipDelta,
    OpponentCards,
    OwnCards,
    Position,
    TimeLeft,
    WholeBoard,
    line_text,
    ruled_answer,
)


def random_choice(actions, rng):
    """Mostly a check or a call, so that hands become long; sometimes any raise, or all-in."""
    draw = rng.random()
    if actions.max_raise and draw < 0.25:
        return RaiseTo(actions.max_raise if draw < 0.03 else rng.randint(*_bounds(actions)))
    return FOLD if actions.fold and draw > 0.9 else check_or_call(actions)


def _bounds(actions):
    return actions.min_raise, min(actions.max_raise, 2 * actions.min_raise)


class RandomTable:
    """Deals hands of a year, with our player in seat 0.

    script: for `FakePeer`.  states: all decisions of the player.  complaints: about its answers.
    ends: the final state of each hand.
    """

    def __init__(self, year, hands, seed):
        self.year, self.hands, self.rng = year, hands, random.Random(seed)
        self.game = year.game("".join(self.rng.sample("23456789TJQKA", 13)))
        self.states, self.complaints, self.ends = [], [], []

    def script(self):
        for number in range(self.hands):
            yield from self._hand(number % 2)
        yield "Q"

    def _hand(self, button):
        deck = self.rng.sample(range(52), 52)
        state = self.game.start(button).apply((deck.pop(), deck.pop()))
        state = state.apply((deck.pop(), deck.pop()))
        said = [Position(button), OwnCards(state.hole[0])]

        def told():
            line = line_text([TimeLeft(30.0), *said])
            said.clear()
            return line

        board = []
        while state.actor != TERMINAL:
            if state.actor >= 0:
                if state.actor == 0:
                    self.states.append(state)
                    answer = ruled_answer((yield told()), state.actions)
                    self.complaints.append(answer.complaint)
                    action = answer.action
                else:
                    action = random_choice(state.actions, self.rng)
                state = state.apply(action)
                said.append(action)
                continue
            cards = [deck.pop() for _ in range(self.game.deal_size(state.street, state.board))]
            board += cards
            state = state.apply(tuple(cards))
            said.append(WholeBoard(tuple(board)))
            if 0 in state.betting.stacks:  # both are asked to check
                for actor in (1 - button, button):
                    if actor == 0:
                        self.complaints.append(ruled_answer((yield told()), ONLY_CHECK).complaint)
                    said.append(CHECK)
        if state.shown:
            said.append(OpponentCards(state.hole[1]))
        said.append(ChipDelta(state.payoffs[0]))
        self.ends.append(state)
        self.complaints.append(ruled_answer((yield told()), ONLY_CHECK).complaint)
