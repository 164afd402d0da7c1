"""An ACPC dealer: plays a match between the players at its seats as the original does.

::

    seed -> cards -> AcpcMatchState -> line -> DealerSeat -> answer -> ruled_move -> AcpcHand -> log

Rules, cards, lines, log and rulings are those of ``project_acpc_server``:

* After every move, and at the end of a hand, each player is sent the hand as it sees it; the player
  to act answers with the same text and its action.
* A raise of a wrong size becomes the nearest legal one; any other action that is illegal or cannot
  be read becomes a call. Comments, and answers to another state than the current one, are ignored.
* A player who takes too long for an answer, for a hand or, on average, for the hands of the match,
  or whose connection is lost, ends the match: the log keeps the hands so far and has no score.
* Positions rotate: seat s has position (s - h) mod n in hand h, unless seats are fixed.

One thing is stricter here: an answer must come within its time even if a player sends other lines
before it; the original begins to wait anew after each.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.protocols.acpc.deal import DealtCards, dealt_hands
from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.protocols.acpc.hand import AcpcHand, Move, new_hand
from tiltless.protocols.acpc.log import LoggedHand, MatchHeader, MatchLog, rotated
from tiltless.protocols.acpc.seats import DealerSeat, SeatError
from tiltless.protocols.acpc.wire import (
    AcpcMatchState,
    is_comment,
    match_state_text,
    read_reply,
    ruled_move,
)
from tiltless.validate import whole_number

__all__ = ["DealtMatch", "deal_match"]

_MOST_WARNINGS = 1000  # of a seat that are said


class DealtMatch(NamedTuple):
    """A match that is over.

    error: what ended it early, with the number of the seat, from 1; otherwise "".  warnings: by
    seat, how often an answer was changed or ignored.  seconds: by seat, the time used.
    """

    log: MatchLog
    error: str
    warnings: tuple[Counter[str], ...]
    seconds: tuple[float, ...]


def deal_match(
    game: GameDef,
    seats: Sequence[DealerSeat],
    names: Sequence[str],
    header: MatchHeader,
    *,
    fixed: bool = False,
    deals: Iterable[DealtCards] | None = None,
    say: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda hands: None,
    now: Callable[[], float] = time.time,
) -> DealtMatch:
    """Play a match and return it, also if a player or an interrupt ends it early.

    names: of the seats.  header: hands, seed and limits.  fixed: positions do not rotate.  deals:
    cards instead of those of the seed.  say: told every message, warning and error, as the
    original writes them to its standard error.  progress: called with the hands played.
    """
    whole_number("hands", header.hands, 1, 2**32 - 1)
    if len(seats) != game.players or len(names) != game.players:
        raise OptionError(
            f"{len(seats)} seats and {len(names)} names for {game.players} players; give one each"
        )
    if len(set(names)) != len(names):
        raise OptionError(f"names {', '.join(names)} are not different; give each its own")
    match = _Match(game, seats, MatchLog(header, tuple(names)), fixed, say, now)
    cards = dealt_hands(game, header.seed) if deals is None else iter(deals)
    error = ""
    try:
        for number, (hole, board) in enumerate(islice(cards, header.hands)):
            match.play_hand(number, hole, board)
            progress(number + 1)
        match.log.is_complete = True
    except (SeatError, KeyboardInterrupt) as problem:
        error = str(problem) or "stopped"
        say(f"ERROR: {error}")
    return DealtMatch(match.log, error, match.warnings, tuple(match.used))


class _Match:
    """A match in progress; seats are by number, positions by hand."""

    def __init__(
        self,
        game: GameDef,
        seats: Sequence[DealerSeat],
        log: MatchLog,
        fixed: bool,
        say: Callable[[str], None],
        now: Callable[[], float],
    ) -> None:
        self.game, self.seats, self.log, self.fixed = game, seats, log, fixed
        self.say, self.now = say, now
        self.warnings = tuple(Counter[str]() for _ in seats)
        self.used = [0.0] * len(seats)
        self.used_in_hand = [0.0] * len(seats)
        header = log.header
        assert header is not None
        self.limits = header.response / 1000, header.hand / 1000
        self.budget = header.per_hand / 1000 * header.hands

    def play_hand(
        self, number: int, hole: tuple[tuple[int, ...], ...], board: tuple[int, ...]
    ) -> None:
        """Play one hand, log it and tell the players how it ended."""
        self.used_in_hand = [0.0] * len(self.seats)
        shift = 0 if self.fixed else number
        hand = new_hand(self.game)
        while not hand.is_over:
            sent = self._tell(number, shift, hand, hole, board)
            seat = (hand.actor + shift) % self.game.players
            state = _seen(hand.actor, number, hand, hole, board)
            hand = hand.apply(self._answer(seat, state, sent))
        seen = board[: hand.board_size]
        chips, names = hand.payoffs(hole, seen), rotated(self.log.seats, number, self.fixed)
        self.log.hands.append(LoggedHand(number, hand, hole, seen, chips, names))
        self._tell(number, shift, hand, hole, board)

    def _tell(
        self,
        number: int,
        shift: int,
        hand: AcpcHand,
        hole: tuple[tuple[int, ...], ...],
        board: tuple[int, ...],
    ) -> float:
        """Send each player what it sees; returns when the player to act was sent it."""
        sent = self.now()
        for seat, player in enumerate(self.seats):
            position = (seat - shift) % self.game.players
            line = match_state_text(_seen(position, number, hand, hole, board))
            try:
                player.send(line)
            except SeatError as problem:
                raise SeatError(f"seat {seat + 1}: {problem}") from None
            at = self.now()
            if position == hand.actor:
                sent = at
            self.say(f"TO {seat + 1} at {at:.6f} {line}")
        return sent

    def _answer(self, seat: int, state: AcpcMatchState, sent: float) -> Move:
        """The move of a player, as it counts; its time runs from when the state was sent."""
        response, in_hand = self.limits
        left = min(response, in_hand - self.used_in_hand[seat], self.budget - self.used[seat])
        while True:
            try:
                line = self.seats[seat].receive(max(left - (self.now() - sent), 0.0))
            except SeatError as problem:
                raise SeatError(f"seat {seat + 1}: {problem}") from None
            at = self.now()
            self.say(f"FROM {seat + 1} at {at:.6f} {line}")
            took = max(at - sent, 0.0)
            if took > left:
                raise SeatError(f"seat {seat + 1}: ran out of time")
            if is_comment(line):
                continue
            action = read_reply(line, state)
            if action is None:
                self._warn(seat, "ignoring un-requested response")
                continue
            self.used[seat] += took
            self.used_in_hand[seat] += took
            move, warning = ruled_move(action, state.hand)
            if warning:
                self._warn(seat, warning)
            return move

    def _warn(self, seat: int, warning: str) -> None:
        kind = "raise resized" if warning.startswith("raise of") else warning
        self.warnings[seat][kind] += 1
        if self.warnings[seat].total() <= _MOST_WARNINGS:
            self.say(f"WARNING: {warning}")


def _seen(
    position: int,
    number: int,
    hand: AcpcHand,
    hole: tuple[tuple[int, ...], ...],
    board: tuple[int, ...],
) -> AcpcMatchState:
    """A hand as a position sees it: hands are shown at a showdown only."""
    shown = hand.live if hand.is_over and len(hand.live) > 1 else ()
    visible = tuple(
        cards if each == position or each in shown else () for each, cards in enumerate(hole)
    )
    return AcpcMatchState(position, number, hand, visible, board[: hand.board_size])
