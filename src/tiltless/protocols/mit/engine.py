"""The engine of MIT Pokerbots: plays a match between two bots as the published engines do.

::

    deck -> HoldemState -> line -> Player.ask -> TimedAnswer -> ruled_answer -> HoldemState

Lines, game log, clocks and rulings are those of the engines of 2020 and 2023 (`wire`, `game_log`):

* The clock counts from writing a line to reading the answer, acknowledgements included. One reply
  may also take no more than 10 seconds. When either limit is passed, or the connection breaks, the
  clock is set to 0 and the player is not asked any more: it checks, or folds.
* An answer that is illegal or cannot be read becomes a check if that is free, otherwise a fold.
* When both players are all-in, both are still asked on every street, and may only check.
* Seats swap after each hand, and stacks are as at the beginning.

The rules of the game are those of `tiltless.games.holdem`; the deck comes from a seed instead of
Python's global generator. A player is anything that answers lines: a bot's folder
(`tiltless.protocols.mit.bot_folder`), an agent of ours in this process (`AgentPlayer`), or a
recording in a test.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np

from tiltless.arena.dealer import shuffled_decks
from tiltless.cards.hand_order import CATEGORIES, hand_classes, permuted
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import Action, LegalActions
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.games.holdem.state import HoldemState
from tiltless.protocols.mit.game_log import GameLog
from tiltless.protocols.mit.wire import (
    ONLY_CHECK,
    ChipDelta,
    Clause,
    OpponentCards,
    OwnCards,
    Position,
    TimeLeft,
    WholeBoard,
    line_text,
    ruled_answer,
)
from tiltless.protocols.mit.years import Year, find_year
from tiltless.seeding import SeededRandom, mixed
from tiltless.validate import positive, whole_number

__all__ = ["LATE", "LOST", "EngineMatch", "Player", "Seat", "TimedAnswer", "play_match"]

LATE, LOST = "ran out of time", "disconnected"
_STRAIGHT = CATEGORIES.index("straight")
_DECKS = 64  # shuffled at once


class TimedAnswer(NamedTuple):
    """A player's reply to a line.

    answer: the text without the end of its line.  seconds: from sending the line to reading it.
    problem: `LATE` or `LOST` where there is none, otherwise "".
    """

    answer: str
    seconds: float
    problem: str = ""


class Player(Protocol):
    """Somebody who answers the engine's lines."""

    @property
    def name(self) -> str:
        """The name in logs."""
        ...

    @property
    def is_connected(self) -> bool:
        """Whether it can be asked at all; if not, it checks or folds, and no log says why."""
        ...

    def ask(self, line: str, limit: float) -> TimedAnswer:
        """The reply to a line, which comes without its end; limit: seconds to wait for it."""
        ...


@dataclass(slots=True)
class Seat:
    """What is known of a player in a match: clock, bankroll and records, but not the player itself.

    name: in logs.  faults: how often the engine ruled: "illegal", "misformatted", "late", "lost";
    "absent" if the player never connected.  seconds: of each decision, without acknowledgements.
    straights: shown by this player.
    """

    name: str
    clock: float
    bankroll: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    straights: int = 0
    clauses: list[Clause] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EngineMatch:
    """A match that is over: its players in the order given, the log, and the order of ranks."""

    year: Year
    seats: tuple[Seat, Seat]
    log: str
    ranks: str | None = None

    @property
    def bankrolls(self) -> tuple[int, int]:
        """Chips won by each player."""
        return self.seats[0].bankroll, self.seats[1].bankroll


def play_match(
    year: int | Year,
    players: Sequence[Player],
    *,
    hands: int = 0,
    clock: float = 0.0,
    stack: int = 0,
    seed: int = 0,
    ranks: str = "",
    decks: Iterable[Sequence[int]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EngineMatch:
    """Play a match between two players, the first of whom is the small blind of the first hand.

    hands, clock, stack: 0 for those of the year.  ranks: the order of ranks in 2020; empty to draw
    it from the seed.  decks: cards of each hand in the order dealt, instead of shuffled ones.
    progress: called after each hand with its number and the first player's bankroll.
    """
    known = find_year(year) if isinstance(year, int) else year
    rules = replace(
        known,
        hands=whole_number("hands", hands or known.hands, 1, 1_000_000),
        clock=positive("clock", clock or known.clock, 1e9),
        stack=whole_number("stack", stack or known.stack, 2 * known.blinds[1], 1_000_000),
    )
    if ranks and not rules.hidden_ranks:
        raise OptionError(f"{rules.variant} has no order of ranks to choose; leave it out")
    order = (
        ranks or draw_ranks(SeededRandom(mixed(seed, rules.number))) if rules.hidden_ranks else None
    )
    game = rules.game(order) if order else rules.game()
    engine = _Engine(rules, game, players, order)
    cards = _shuffled(game, seed, rules.hands) if decks is None else iter(decks)
    for number in range(1, rules.hands + 1):
        engine.play_hand(number, next(cards))
        if progress:
            progress(number, engine.seats[0].bankroll)
    engine.finish()
    return EngineMatch(rules, engine.seats, engine.log.text, order)


def _shuffled(game: Holdem, seed: int, hands: int) -> Iterator[list[int]]:
    for first in range(0, hands, _DECKS):
        decks = shuffled_decks(game, seed, first, min(_DECKS, hands - first))
        yield from decks.tolist()


class _Engine:
    """One match in progress. ``seats`` keeps the order given; ``here`` that of the hand."""

    def __init__(
        self,
        year: Year,
        game: Holdem,
        players: Sequence[Player],
        ranks: str | None,
    ) -> None:
        self.year, self.game = year, game
        first, second = self.players = tuple(players)
        self.seats = Seat(first.name, year.clock), Seat(second.name, year.clock)
        for seat, player in zip(self.seats, self.players, strict=True):
            if not player.is_connected:
                seat.clock, seat.faults["absent"] = 0.0, 1
        self.here = list(self.seats)
        names = [seat.name for seat in self.seats]
        self.log = GameLog(names, None if ranks is None else permuted(ranks).true_ranks)

    @property
    def names(self) -> list[str]:
        """The names, small blind first."""
        return [seat.name for seat in self.here]

    def play_hand(self, number: int, deck: Sequence[int]) -> None:
        """Play a hand; then the players swap seats."""
        self.log.add_round(number, self.names, [seat.bankroll for seat in self.here])
        state, dealt = self._dealt(deck)
        board: list[int] = []
        before_run = 0
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                size = self.game.deal_size(state.street, state.board)
                if len(board) == 5 and state.betting.stacks[0]:
                    before_run = state.paid[0]
                board += deck[dealt : dealt + size]
                dealt += size
                state = state.apply(tuple(board[-size:]))
                self._open_street(board, state)
                if state.actor < 0:  # both are all-in, and asked all the same
                    for index in (1, 0):
                        self._act(index, ONLY_CHECK, is_bet=True)
                continue
            is_bet = not any(state.betting.bets)
            state = state.apply(self._act(state.actor, state.actions, is_bet))
        self._end(state, deck, before_run)
        self.here.reverse()

    def finish(self) -> None:
        """Write the end of the log."""
        straights = [seat.straights for seat in self.seats] if self.year.hidden_ranks else None
        self.log.add_final(self.names, [seat.bankroll for seat in self.here], straights)

    def _dealt(self, deck: Sequence[int]) -> tuple[HoldemState, int]:
        """The state after the deal, with the small blind in seat 0, and the cards used."""
        hands = deck[:2], deck[2:4]
        state = self.game.start(0)
        for cards in hands:
            state = state.apply(tuple(cards))
        self.log.add_deal(self.names, state.table.posts, hands)
        for index, (seat, cards) in enumerate(zip(self.here, hands, strict=True)):
            seat.clauses = [Position(index), OwnCards(tuple(cards))]
        return state, 4

    def _open_street(self, board: Sequence[int], state: HoldemState) -> None:
        self.log.add_street(board, self.names, state.paid)
        self._tell(WholeBoard(tuple(board)))

    def _act(self, index: int, actions: LegalActions, is_bet: bool) -> Action:
        seat = self.here[index]
        action = self._ask(seat, actions, seat.seconds)
        self.log.add_action(seat.name, action, is_bet)
        self._tell(action)
        return action

    def _end(self, state: HoldemState, deck: Sequence[int], before_run: int) -> None:
        deltas, names = state.payoffs, self.names
        if state.shown:
            hands = deck[:2], deck[2:4]
            self.log.add_showdown(names, hands)
            for seat, cards in zip(self.here, reversed(hands), strict=True):
                seat.clauses.append(OpponentCards(tuple(cards)))
            if self.year.hidden_ranks:
                categories = hand_classes().category[np.array(state.values)]
                for seat, category in zip(self.here, categories, strict=True):
                    seat.straights += int(category == _STRAIGHT)
        self.log.add_awards(names, deltas)
        if before_run:
            self.log.add_run(names, deltas, before_run)
        for seat, delta in zip(self.here, deltas, strict=True):
            seat.clauses.append(ChipDelta(delta))
        for seat, delta in zip(self.here, deltas, strict=True):
            self._ask(seat, ONLY_CHECK, [])  # the acknowledgement
            seat.bankroll += delta

    def _tell(self, clause: Clause) -> None:
        for seat in self.here:
            seat.clauses.append(clause)

    def _ask(self, seat: Seat, actions: LegalActions, seconds: list[float]) -> Action:
        """Ask a player unless its clock is gone, and rule on the answer.

        seconds: a list to which the time of the reply is added.
        """
        if seat.clock <= 0:
            return ruled_answer("", actions).action
        line = line_text([TimeLeft(seat.clock), *seat.clauses], self.year.clauses)
        seat.clauses.clear()  # what has happened is told once
        player = self.players[seat is self.seats[1]]
        reply = player.ask(line, min(self.year.reply, seat.clock))
        seat.clock -= reply.seconds
        seconds.append(reply.seconds)
        problem = reply.problem
        if seat.clock <= 0 and not problem:
            problem = LATE
        if problem:
            seat.clock = 0.0
            seat.faults["lost" if problem == LOST else "late"] += 1
            self.log.add(f"{seat.name} {problem}")
            return ruled_answer("", actions).action
        action, complaint = ruled_answer(reply.answer, actions, self.year.repeats_misread)
        if complaint:
            seat.faults["illegal" if "illegal" in complaint else "misformatted"] += 1
            self.log.add(f"{seat.name} {complaint}")
        return action
