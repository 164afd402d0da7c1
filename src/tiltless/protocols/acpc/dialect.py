"""The ACPC protocol as a dialect: match states to steps of a hand, actions to answers.

Every line contains the whole hand, so each is read on its own, and one that cannot be read does not
affect the next. Lines are not trusted: what no dealer of this game could have sent is refused. If
such a line still looks like a match state it is answered, because it might be our turn: with a fold
if somebody has bet, and otherwise a check; a dealer ignores answers that it did not ask for.
"""

import re
from collections.abc import Sequence

from tiltless.agents.agent import Clock
from tiltless.errors import InputError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.view import View
from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.protocols.acpc.pace import Pace
from tiltless.protocols.acpc.small_games import SmallTable, small_game
from tiltless.protocols.acpc.tables import AgentTable, HoldemTable
from tiltless.protocols.acpc.wire import AcpcMatchState, betting_text, is_comment, parse_match_state
from tiltless.protocols.adapter import Ask, Dialect, MatchStart, Problem, Step, Tell

__all__ = ["AcpcDialect"]

_LIKE_A_STATE = re.compile(r"MATCHSTATE:(\d{1,3}):\d{1,10}:([^:\s]{0,1000}):[^:\s]{0,200}", re.A)


class AcpcDialect(Dialect[str, str]):
    """One match at a dealer; `OptionError` if no agent can play its game.

    pace: our time; None for no limits.  hands_begun, chips: of the match so far.  is_between_hands:
    whether the last hand has ended, so that the match may be over.
    """

    name = "acpc"

    def __init__(self, game: GameDef, pace: Pace | None = None) -> None:
        self.game, self.pace = game, pace
        self.table: AgentTable
        self.table = SmallTable(game) if small_game(game) is not None else HoldemTable(game)
        self.hands_begun, self.chips = 0, 0.0
        self.is_between_hands = False
        self._number = -1
        self._state: AcpcMatchState | None = None
        self._line = ""
        self._sent = ""  # the betting after our last answer

    def read(self, message: str) -> Sequence[Step]:
        """The steps of a line: hands that begin and end, and our decision if it is our turn."""
        if is_comment(message):
            return []
        line = message.rstrip()
        state = parse_match_state(line, self.game)
        hand, ours = state.hand, state.hand.actor == state.position
        view = self.table.ending(state) if hand.is_over else self.table.view(state)
        steps = self._opened(state)  # everything has been checked: now remember
        self._state, self._line = state, line
        if self._sent and not betting_text(hand).startswith(self._sent):
            detail = f"hand {state.number}: {self._sent} became {betting_text(hand)}"
            steps.append(Problem("overruled", detail))
        self._sent = ""
        if hand.is_over and not self.is_between_hands:
            self.is_between_hands = True
            self.chips += hand.payoffs(state.hole, state.board)[state.position]
            if view.shown:
                steps.append(Tell("showdown", view))
            steps.append(Tell("hand_end", view))
        elif ours:
            clock = None if self.pace is None else Clock(self.pace.asked())
            steps.append(Ask(view, state.number, clock))
        return steps

    def _opened(self, state: AcpcMatchState) -> list[Step]:
        """The steps of a new hand, if this is one."""
        if state.number == self._number:
            return []
        steps: list[Step] = []
        if self.hands_begun and not self.is_between_hands:
            steps.append(Problem("garbled", f"hand {self._number} has no end"))
        if not self.hands_begun and self.table.holdem is not None:
            steps.append(MatchStart(self.table.holdem))
        self.hands_begun += 1
        self._number, self.is_between_hands, self._sent = state.number, False, ""
        if self.pace is not None:
            self.pace.next_hand()
        return [*steps, Tell("hand_start", self.table.opening(state))]

    def write(self, action: Action, view: View) -> str:
        """The line that was asked, with the action."""
        if self._state is None:
            raise InputError("nothing was asked")
        move = self.table.move(action, view)
        self._sent = betting_text(self._state.hand) + str(move)
        if self.pace is not None:
            self.pace.answered()
        return f"{self._line}:{move}"

    def blind_answer(self, message: str) -> str | None:
        """A fold to a bet, otherwise a check; None for a line that is not like a match state."""
        line = message.rstrip()
        found = _LIKE_A_STATE.fullmatch(line)
        if found is None or int(found[1]) >= self.game.players:
            return None
        *before, now = found[2].split("/")
        behind = not before and self.game.blinds[int(found[1])] < max(self.game.blinds)
        return f"{line}:{'f' if 'r' in now or behind else 'c'}"
