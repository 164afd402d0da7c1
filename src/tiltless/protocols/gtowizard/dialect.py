"""GTO Wizard's benchmark as a dialect: replies to steps of a hand, actions to requests.

The agent sits in seat 0 and the button moves. Every reply contains the whole hand, so each is read
on its own. A hand that cannot be followed is checked or folded to its end.
"""

from collections.abc import Sequence
from typing import Any

from tiltless.agents.agent import Clock
from tiltless.errors import InputError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.seen_hand import cards_decide
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import Ask, Dialect, Step
from tiltless.protocols.gtowizard.wire import GtoReply, action_request, followed
from tiltless.protocols.web_table import CLIENT, end_steps, opening_steps

__all__ = ["GtoWizardDialect"]


class GtoWizardDialect(Dialect[GtoReply, dict[str, Any]]):
    """One hand after another; seconds: time limit of a decision, None for no limit."""

    name = "gtowizard"

    def __init__(self, seconds: float | None = None) -> None:
        self.hands_begun = 0
        self._seconds = seconds
        self._hand = ""
        self._reply: GtoReply | None = None

    def read(self, message: GtoReply) -> Sequence[Step]:
        """The steps of a reply: a hand that begins or ends, and our decision."""
        state = followed(message)
        if state.actor != (TERMINAL if message.is_over else CLIENT):
            raise InputError(f"{message.history} is not our turn, nor the end of the hand")
        if message.is_over and message.winnings is None:
            raise InputError("the hand is over, but its winnings are missing")
        won = message.winnings or 0
        if message.is_over and cards_decide(state) and won != state.payoffs[CLIENT]:
            raise InputError(f"winnings of {won} are not {state.payoffs[CLIENT]}")
        steps: list[Step] = []
        if message.hand_id != self._hand:
            steps += opening_steps(message.hole, message.button, is_first=not self.hands_begun)
            self.hands_begun += 1
            self._hand = message.hand_id
        self._reply = message
        if not message.is_over:
            return [*steps, Ask(state.view(CLIENT), self.hands_begun, Clock(self._seconds))]
        return [*steps, *end_steps(state, won, bool(message.bot_hole))]

    def write(self, action: Action, view: View) -> dict[str, Any]:
        """The JSON of an action; what the site does not offer becomes a check or a fold."""
        if self._reply is None:
            raise InputError("nothing was asked")
        request = action_request(action, self._reply)
        return request if request["action"] in self._reply.legal else self._safe(self._reply)

    def blind_answer(self, message: GtoReply) -> dict[str, Any] | None:
        """A check if the site offers it, else a fold; None when the hand is over."""
        return None if message.is_over else self._safe(message)

    @staticmethod
    def _safe(message: GtoReply) -> dict[str, Any]:
        return {"action": next((each for each in "kfc" if each in message.legal), "f")}
