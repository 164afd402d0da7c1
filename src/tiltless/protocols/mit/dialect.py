"""MIT Pokerbots as a dialect: lines of the engine to steps of a hand, actions to answers.

The player sits in seat 0 and the opponent in seat 1 of a hand of the year's game; the button moves.
Every hand is announced to the agent and ended with its result, also those that end before the agent
could act. An engine goes on asking players who are all-in; the dialect checks for them.

Lines are not trusted. A clause that cannot be read, or that contradicts what has happened, is
recorded, and the hand is *lost*: until it is over the dialect checks or folds by what the last
clause of a line says, which is legal as long as that clause is right. Results count even then, so
that an agent that keeps score stays right. Showdowns of lost hands are not shown to the agent.
"""

from collections.abc import Sequence

from tiltless.agents.agent import Clock, check_or_fold
from tiltless.errors import InputError
from tiltless.games.holdem.actions import CHECK, Action, RaiseTo
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import Ask, Dialect, MatchStart, Problem, Reply, Step, Tell
from tiltless.protocols.mit.followed_hand import OPPONENT, OWN, FollowedHand, in_order
from tiltless.protocols.mit.game_clock import GameClock
from tiltless.protocols.mit.wire import (
    ACKNOWLEDGED,
    ChipDelta,
    Clause,
    MatchOver,
    OpponentCards,
    OwnCards,
    Position,
    TimeLeft,
    WholeBoard,
    answer_text,
    parse_clause,
)
from tiltless.protocols.mit.years import Year
from tiltless.validate import shortened

__all__ = ["MitDialect"]

_MOST_CLAUSES = 200  # in a line; real ones have ten
_LONGEST_DETAIL = 200


class MitDialect(Dialect[str, str]):
    """One match at the engine of a year.

    hands: of the match, if not as many as the year's.  clock: the engine's.
    hands_begun, bankroll: of the match so far.  is_over: whether the engine has said so.
    """

    name = "mit"

    def __init__(
        self, year: Year, hands: int | None = None, clock: GameClock | None = None
    ) -> None:
        self.year, self.game = year, year.game()
        self.clock = clock or GameClock(year.clock, hands or year.hands, year.reply)
        self.hands_begun = self.bankroll = 0
        self.is_over = False
        self._hand: FollowedHand | None = None
        self._is_lost = self._has_ended = self._is_short_of_time = False
        self._position: int | None = None  # told, for a hand that has not begun
        self._last_position = 1
        self._sent: Action | None = None  # our answer, until the engine repeats it

    def read(self, message: str) -> Sequence[Step]:
        """The steps of a line; the last one answers it, unless the match is over."""
        steps: list[Step] = []
        words = message.split()
        if len(words) > _MOST_CLAUSES:
            self._lose(f"a line of {len(words)} clauses is too long", steps)
            words = []
        self._has_ended = was_timed = False
        for word in words:
            try:
                clause = parse_clause(word, self.year.clauses)
                was_timed |= isinstance(clause, TimeLeft)
                self._take(clause, steps)
            except InputError as problem:
                if self._kind(word) in (TimeLeft, Position):  # known without them
                    steps.append(self._problem(str(problem)))
                else:
                    self._lose(str(problem), steps)
        if not was_timed:
            self.clock.line(None)
        if not self.is_over:
            steps.append(self._answer(message, steps))
        return steps

    def write(self, action: Action, view: View) -> str:
        """The answer for an action."""
        self._sent = action
        return answer_text(action)

    def blind_answer(self, message: str) -> str:
        """Check or fold by the last clause: fold to a bet, the blind included, otherwise check.

        The same check acknowledges a result.
        """
        last = message.split()[-1:] or [""]
        return "F" if self._kind(last[0]) in (RaiseTo, OwnCards) else ACKNOWLEDGED

    def _kind(self, word: str) -> type | None:
        """The kind of clause that a word begins like."""
        form = self.year.clauses.get(word[:1])
        return None if form is None else form.kind

    def _take(self, clause: Clause, steps: list[Step]) -> None:
        if isinstance(clause, TimeLeft):
            self.clock.line(clause.seconds)
        elif isinstance(clause, Position):
            self._position = clause.index
        elif isinstance(clause, OwnCards):
            self._begin(clause.cards, steps)
        elif isinstance(clause, ChipDelta):
            self._end(clause.chips, steps)
        elif isinstance(clause, MatchOver):
            self.is_over = True
        else:
            self._follow(clause, steps)

    def _begin(self, cards: tuple[int, ...], steps: list[Step]) -> None:
        """A hand begins; cards: ours, or none if they were not told."""
        if self._hand is not None:
            if in_order(cards) == self._hand.cards and not self._hand.has_moved:
                steps.append(self._problem("its first line is repeated"))
                return
            steps.append(self._problem("it has no result"))
            possible = self._hand.possible_deltas
            self._close(possible[0] if len(possible) == 1 else 0, steps)
        self.hands_begun += 1
        self.clock.next_hand()
        position = 1 - self._last_position if self._position is None else self._position
        refused = "" if cards else "our cards were not told"
        try:
            self._hand = FollowedHand(self.game, position, cards)
        except InputError as problem:
            self._hand, refused = FollowedHand(self.game, position), str(problem)
        self._last_position, self._position = position, None
        self._is_lost, self._sent = False, None
        if self.hands_begun == 1:
            steps.append(MatchStart(self.year.game(None)))
        steps.append(Tell("hand_start", self._hand.state.view(OWN)))
        if refused:
            self._lose(refused, steps)

    def _follow(self, clause: Action | WholeBoard | OpponentCards, steps: list[Step]) -> None:
        """Something happens in a hand."""
        if self._hand is None:
            if self._position is None:
                raise InputError(f"a {type(clause).__name__} comes without a hand")
            self._begin((), steps)
        hand = self._hand
        if hand is None or self._is_lost:
            return
        if isinstance(clause, WholeBoard):
            if {*clause.cards} == {*hand.state.board}:
                steps.append(self._problem("its board is repeated"))
            else:
                hand.deal(clause.cards)
        elif isinstance(clause, OpponentCards):
            if in_order(clause.cards) == hand.shown:
                steps.append(self._problem("the cards shown are repeated"))
            else:
                hand.show(clause.cards)
        else:
            sent, self._sent = self._sent, None
            if sent is not None and sent != clause:
                detail = f"{answer_text(sent)} counted as {answer_text(clause)}"
                steps.append(self._problem(detail, "overruled"))
            hand.act(clause)

    def _end(self, delta: int, steps: list[Step]) -> None:
        """A hand is over with a result."""
        self._has_ended = True
        if self._hand is None:
            if self._position is None:
                raise InputError(f"the result {delta} comes without a hand")
            self._begin((), steps)
        hand = self._hand
        if hand is not None and not self._is_lost:
            possible = hand.possible_deltas
            if delta not in possible:
                listed = ", ".join(map(str, possible)) or "none yet"
                self._lose(f"the result {delta} is not possible; possible: {listed}", steps)
            elif len(possible) > 1 and not hand.shown:
                self._lose("it ends in a showdown without the opponent's cards", steps)
        self._close(delta, steps)
        self._position = None

    def _close(self, delta: int, steps: list[Step]) -> None:
        if self._hand is not None:
            view = self._hand.end_view(delta)
            if view.shown and not self._is_lost:
                steps.append(Tell("showdown", view))
            steps.append(Tell("hand_end", view))
            self.bankroll += delta
        self._hand = None

    def _answer(self, message: str, steps: list[Step]) -> Step:
        """What answers a line."""
        if self._has_ended:
            return Reply(ACKNOWLEDGED)
        if self._hand is None:
            self._begin((), steps)
        hand = self._hand
        if hand is None or self._is_lost:
            return Reply(self.blind_answer(message))
        if self._sent is not None:
            self._lose("our last answer is not repeated", steps)
        elif hand.is_all_in:
            self._sent = CHECK
            return Reply(answer_text(CHECK))
        elif hand.state.actor != OWN:
            who = "the opponent" if hand.state.actor == OPPONENT else "nobody"
            self._lose(f"we are asked when {who} is to act", steps)
        elif self.clock.is_kept:
            if not self._is_short_of_time:
                detail = f"{self.clock.left:.3f} s are left, too few to ask the agent"
                steps.append(self._problem(detail, "late"))
            self._is_short_of_time = True
            self._sent = check_or_fold(hand.state.actions)
            return Reply(answer_text(self._sent))
        else:
            clock = Clock(self.clock.offer())
            return Ask(hand.state.view(OWN), self.hands_begun, clock)
        return Reply(self.blind_answer(message))

    def _lose(self, detail: str, steps: list[Step]) -> None:
        """Stop following the hand."""
        steps.append(self._problem(detail))
        self._is_lost, self._sent = True, None

    def _problem(self, detail: str, kind: str = "garbled") -> Problem:
        return Problem(kind, shortened(f"hand {self.hands_begun}: {detail}", _LONGEST_DETAIL))
