"""PyPokerEngine as a dialect: the arguments of its players' methods, and what they return."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.games.holdem.rules import MOST_CHIPS
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import Ask, Dialect, MatchStart, Step, Tell
from tiltless.protocols.pypokerengine.view import dealt_in, engine_game, view_of_round
from tiltless.validate import whole_number

__all__ = ["EngineAnswer", "EngineDialect", "EngineMessage"]

EngineAnswer = tuple[str, int]
"""The engine's word for an action, and the player's total for the street."""


class EngineMessage(NamedTuple):
    """A call of a player's method.

    uuid: of the player.  what: "declare_action", or the name of ``receive_..._message``.
    """

    uuid: str
    what: str
    arguments: tuple[Any, ...]


class EngineDialect(Dialect[EngineMessage, EngineAnswer]):
    """One player's messages; each contains the whole position, so little must be remembered."""

    name = "pypokerengine"

    def __init__(self) -> None:
        self._cards: Sequence[str] = ()
        self._starting: tuple[int, ...] | None = None
        self._price = 0

    def read(self, message: EngineMessage) -> Sequence[Step]:
        """The steps of a message."""
        uuid, what, arguments = message
        if what == "declare_action":
            actions, cards, state = arguments
            view = view_of_round(state, uuid, cards, actions)
            price = next(each["amount"] for each in actions if each["action"] == "call")
            number = whole_number("round_count", state["round_count"], 0, 10**9)
            self._price = whole_number("the price of a call", price, 0, MOST_CHIPS)
            return [Ask(view, number)]
        if what == "game_start":
            return [MatchStart(_announced(*arguments))]
        if what == "round_start":
            _, self._cards, _ = arguments
            self._starting = None
        elif what == "street_start":
            street, state = arguments
            if street == "preflop" and uuid in dealt_in(state):
                view = view_of_round(state, uuid, self._cards)
                self._starting = view.starting_stacks
                return [Tell("hand_start", view)]
        elif what == "round_result" and self._starting is not None:
            state = arguments[-1]  # it never contains the others' cards
            return [Tell("hand_end", view_of_round(state, uuid, self._cards, None, self._starting))]
        return []

    def write(self, action: Action, view: View) -> EngineAnswer:
        """A check is a call of the amount already paid."""
        if isinstance(action, RaiseTo):
            return "raise", action.chips
        return ("fold", 0) if action == FOLD else ("call", self._price)

    def blind_answer(self, message: EngineMessage) -> EngineAnswer | None:
        """A fold, which is always legal in the engine."""
        return ("fold", 0) if message.what == "declare_action" else None


def _announced(game_info: Any) -> Any:
    """The game that the engine announces."""
    rule = game_info["rule"]
    seats, stack = game_info["player_num"], rule["initial_stack"]
    return engine_game(rule["small_blind_amount"], seats, stack, rule.get("ante", 0))
