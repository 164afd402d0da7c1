"""Slumbot's API as a dialect: replies to steps of a hand, actions to increments.

The agent sits in seat 0 and the button moves. Every reply contains the whole hand, so each is read
on its own. A hand that cannot be followed is checked or folded to its end, because one that is left
alone is forfeited.
"""

from collections.abc import Sequence

from tiltless.agents.agent import Clock
from tiltless.errors import InputError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import Ask, Dialect, Step
from tiltless.protocols.slumbot.wire import SlumbotReply, button_of, followed
from tiltless.protocols.web_table import CLIENT, end_steps, opening_steps, token

__all__ = ["SlumbotDialect"]


class SlumbotDialect(Dialect[SlumbotReply, str]):
    """One session; `new_hand` must be called before the first reply of each hand.

    seconds: time limit of a decision, None for no limit.
    """

    name = "slumbot"

    def __init__(self, seconds: float | None = None) -> None:
        self.hands_begun = 0
        self._seconds = seconds
        self._is_new = self._is_told = False

    def new_hand(self) -> None:
        """Note that the next reply begins a hand."""
        self._is_new = True

    def read(self, message: SlumbotReply) -> Sequence[Step]:
        """The steps of a reply: a hand that begins or ends, and our decision."""
        state = followed(message)
        won = message.winnings
        if state.actor != (CLIENT if won is None else TERMINAL):
            raise InputError(f"{message.action!r} is not our turn, nor the end of the hand")
        if won is not None and message.bot_hole and won != state.payoffs[CLIENT]:
            raise InputError(f"winnings of {won} are not {state.payoffs[CLIENT]}")
        steps: list[Step] = []
        if self._is_new:
            button = button_of(message.position)
            steps += opening_steps(message.hole, button, is_first=not self.hands_begun)
            self.hands_begun += 1
            self._is_new = False
        if won is None:
            clock = Clock(self._seconds)
            return [*steps, Ask(state.view(CLIENT), self.hands_begun, clock)]
        return [*steps, *end_steps(state, won, bool(message.bot_hole))]

    def write(self, action: Action, view: View) -> str:
        """The increment."""
        return token(action)

    def blind_answer(self, message: SlumbotReply) -> str | None:
        """A fold to a bet, otherwise a check; None when the hand is over."""
        if message.winnings is not None:
            return None
        behind = not message.action and message.position == 1
        return "f" if message.action.rstrip("0123456789").endswith("b") or behind else "k"
