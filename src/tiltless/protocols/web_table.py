"""What Slumbot's API and GTO Wizard's benchmark have in common: the game, its letters, and reports.

Both play heads-up no-limit hold'em with 200 big blinds that are reset for each hand, and every
reply tells the whole hand, so each is read on its own. We sit in seat 0 and the button moves.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tiltless.arena.rulings import Fault
from tiltless.errors import InputError
from tiltless.games.game import CHANCE
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.seen_hand import end_view, hand_as_seen
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import nlhe
from tiltless.intervals import Interval, tally
from tiltless.protocols.adapter import MatchStart, Step, Tell
from tiltless.protocols.line_session import problem_lines

__all__ = [
    "BIG_BLIND",
    "BOT",
    "CLIENT",
    "GAME",
    "SMALL_BLIND",
    "STACK",
    "WORDS",
    "WebReport",
    "end_steps",
    "opening_steps",
    "replayed",
    "token",
]

STACK, SMALL_BLIND, BIG_BLIND = 20_000, 50, 100
GAME = nlhe(stack=STACK, blinds=(SMALL_BLIND, BIG_BLIND))
"""The game: 200 big blinds, and stacks that are reset for each hand."""
CLIENT, BOT = 0, 1
"""Seats."""
WORDS: dict[str, Action] = {"k": CHECK, "c": CALL, "f": FOLD}
"""Actions other than bets, as both write them."""
_LETTERS = {action: letter for letter, action in WORDS.items()}


def token(action: Action) -> str:
    """``k``, ``c``, ``f``, or ``b300``: a bet or raise to the player's total of this street."""
    return f"b{action.chips}" if isinstance(action, RaiseTo) else _LETTERS[action]


def replayed(
    hole: Sequence[int],
    button: int,
    board: tuple[int, ...],
    bot_hole: Sequence[int],
    actions: Iterable[Action | None],
) -> HoldemState:
    """A hand as we see it; `InputError` unless the rules allow every action.

    bot_hole: empty if it is not shown.  actions: with None where a street ends, which may also be
    left out, and which is not allowed while somebody must act.
    """
    state = hand_as_seen(GAME, CLIENT, hole, button=button)
    for action in actions:
        if action is not None:
            state = _dealt(state, board).apply(action)
        elif state.actor >= 0:
            raise InputError("a street ends in which somebody must act")
    while state.actor == CHANCE and len(state.board) < len(board):
        state = _dealt(state, board)
    if len(state.board) != len(board) or state.actor == CHANCE:
        raise InputError(f"{len(board)} board cards do not fit the actions")
    if bot_hole:
        if {*bot_hole} & {*hole, *board}:
            raise InputError("the opponent's cards are dealt already")
        state = state._replace(hole=(state.hole[CLIENT], tuple(sorted(bot_hole, reverse=True))))
    return state


def _dealt(state: HoldemState, board: tuple[int, ...]) -> HoldemState:
    """The state after the next street is dealt, if one is to be."""
    if state.actor != CHANCE:
        return state
    have = len(state.board)
    return state.apply(board[have : have + GAME.deal_size(state.street, state.board)])


def opening_steps(hole: Sequence[int], button: int, is_first: bool) -> list[Step]:
    """What an agent is told at the beginning of a hand; is_first: of the session."""
    view = hand_as_seen(GAME, CLIENT, hole, button=button).view(CLIENT)
    return [*([MatchStart(GAME)] if is_first else []), Tell("hand_start", view)]


def end_steps(state: HoldemState, won: int, is_shown: bool) -> list[Step]:
    """What an agent is told at the end of a hand; is_shown: whether the reply has the bot's cards.

    After a fold they belong to the record, but not to what a player at a table would see.
    """
    live = state.live if is_shown and len(state.live) > 1 else ()
    view = end_view(state, CLIENT, (won, -won), tuple((seat, state.hole[seat]) for seat in live))
    steps: list[Step] = [Tell("showdown", view)] if view.shown else []
    return [*steps, Tell("hand_end", view, ((BOT, state.hole[BOT]),) if is_shown else ())]


class WebReport(NamedTuple):
    """What happened in a session.

    winnings: of each hand with a result, in chips.  aivat: the same after the corrections of AIVAT,
    of the hands for which it is known.  lost: hands that were dropped because a reply was lost or
    refused.  broken: why the session ended early; otherwise "".
    """

    winnings: tuple[int, ...]
    aivat: tuple[float, ...]
    lost: int
    seed: int
    faults: tuple[Fault, ...]
    broken: str

    @property
    def hands(self) -> int:
        """The number of hands with a result."""
        return len(self.winnings)

    @property
    def mbb(self) -> Interval:
        """Winnings in thousandths of a big blind per hand, with their 95 % interval."""
        return tally(self.winnings).interval.scaled(1000 / BIG_BLIND)

    @property
    def aivat_mbb(self) -> Interval:
        """The same by AIVAT."""
        return tally(self.aivat).interval.scaled(1000 / BIG_BLIND)

    def lines(self) -> list[str]:
        """For people."""
        words = f"{self.hands:,} hand{'s' * (self.hands != 1)}, {sum(self.winnings):+,} chips"
        words += f", {self.mbb} mbb/h" if self.hands > 1 else ""
        words += f", by AIVAT {self.aivat_mbb}" if len(self.aivat) > 1 else ""
        said = [f"{words}, seed {self.seed}"]
        if self.lost:
            dropped = f"{self.lost:,} hand{'s' * (self.lost != 1)}"
            said.append(f"{dropped} dropped after a lost reply")
        return [*said, *problem_lines(self.faults, self.broken)]
