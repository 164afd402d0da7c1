"""Table sessions: a person plays hand after hand against agents.

The person is an outside player: `TableSession.begin` returns a `tiltless.arena.dealer.Hand` that
stops whenever the person must act, and `TableSession.finish` records it. The person has seat 0; the
button moves, unless a fixed position is asked for.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from tiltless.agents.agent import Agent, Clock, Decision
from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Hand, PlayedHand, Seated, shuffled_decks
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.record import HandRecord, record_hand
from tiltless.games.holdem.view import View
from tiltless.intervals import tally
from tiltless.seeding import SeededRandom, deal_key, derived_word
from tiltless.validate import whole_number

__all__ = ["PERSON", "SessionResult", "StoodUp", "TableSession", "Thought", "seat_names"]

PERSON = 0
"""The person's seat."""
_ENOUGH = 30
"""Hands below which an interval is meaningless."""


class Thought(NamedTuple):
    """A decision of an agent and its view, which contains its hole cards: do not leak it."""

    view: View
    decision: Decision


class SessionResult(NamedTuple):
    """The person's result, in big blinds.

    won: in total.  rate: bb/100.  margin: half-width of its 95 % interval; None with too few hands.
    """

    hands: int
    won: float
    rate: float
    margin: float | None

    def __str__(self) -> str:
        """``"+12.5 bb in 40 hands, +31.3 bb/100 ± 80.0"``."""
        hands = f"{self.hands} hand" + "s" * (self.hands != 1)
        if not self.hands:
            return "no hand was finished"
        rate = f", {self.rate:+,.1f} bb/100" if self.hands > 1 else ""
        margin = f" ± {self.margin:,.1f}" if self.margin is not None else ""
        return f"{self.won:+,.1f} bb in {hands}{rate}{margin}"


class Watched(Agent):
    """Wraps an agent and records its decisions.

    replay: actions that it has taken already, before an interruption; they are repeated without
    asking the agent, who might decide differently.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.thoughts: list[Thought] = []
        self.replay: list[Action] = []

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The agent's decision, recorded."""
        if self.replay:
            decision = Decision(self.replay.pop(0))
        else:
            decision = self.agent.act(view, clock, rng)
        self.thoughts.append(Thought(view, decision))
        return decision

    def match_start(self) -> None:
        self.agent.match_start()

    def hand_start(self, view: View) -> None:
        self.thoughts = []
        self.agent.hand_start(view)

    def showdown(self, view: View) -> None:
        self.agent.showdown(view)

    def hand_end(self, view: View) -> None:
        self.agent.hand_end(view)


class TableSession:
    """A person and agents at one table.

    opponents: texts of agents, for the seats after the person's; the last one fills the remaining
    seats.  trusted: whether these may name code to import, see `make_agent`.  make: makes an agent
    from its text, by default `make_agent`.
    position: the person's fixed position, in seats left of the button (0 is the button); None: the
    button moves after every hand.
    last: the previous hand.  thoughts: the agents' decisions in it, in order.  notes: lines about
    agents that were made for a different table.
    """

    def __init__(
        self,
        game: Holdem,
        opponents: Sequence[str],
        seed: int = 0,
        position: int | None = None,
        *,
        trusted: bool = False,
        make: Callable[[str], Agent] | None = None,
    ) -> None:
        others = game.players - 1
        if not 1 <= len(opponents) <= others:
            raise OptionError(
                f"{len(opponents)} opponents do not fit {others} seats; give 1 to {others}, "
                "or another number of seats"
            )
        if position is not None:
            whole_number("seat", position, 0, others)
        self.game, self.seed, self.position = game, seed, position
        self.texts = [*opponents, *[opponents[-1]] * (others - len(opponents))]
        self.names = seat_names(self.texts)
        self._make = make or partial(make_agent, trusted=trusted)
        self._watched = [Watched(self._make(text)) for text in self.texts]
        checks = [each.agent.check_table(game.name, game.rules) for each in self._watched]
        notes = dict(zip(self.texts, checks, strict=True))
        self.notes = tuple(f"{text}: {note}" for text, note in notes.items() if note)
        self._coach: Agent | None = None
        self._hints = 0
        self._won: list[int] = []
        self.last: PlayedHand | None = None
        self.thoughts: tuple[Thought, ...] = ()
        for watched in self._watched:
            watched.match_start()

    @property
    def hands(self) -> int:
        """The number of finished hands."""
        return len(self._won)

    @property
    def button(self) -> int:
        """The seat of the button in the current hand, or in the next one."""
        away = self.hands if self.position is None else -self.position
        return away % self.game.players

    def begin(
        self, deck: Sequence[int] | None = None, replay: Sequence[tuple[int, Action]] = ()
    ) -> Hand:
        """Deal the next hand; it counts only after `finish`.

        deck: cards in the order in which they are dealt; None: shuffled by the seed.
        replay: (seat, action) of what was done in this hand before an interruption, in order.
        """
        if deck is None:
            deck = shuffled_decks(self.game, self.seed, self.hands, 1)[0].tolist()
        for seat, watched in enumerate(self._watched, start=PERSON + 1):
            watched.replay = [action for actor, action in replay if actor == seat]
        seats = [None, *map(Seated, self._watched)]
        return Hand(self.game, seats, deck, seed=self.seed, deal=self.hands, button=self.button)

    @property
    def won(self) -> tuple[int, ...]:
        """The person's chips in each finished hand."""
        return tuple(self._won)

    def resume(self, won: Sequence[int]) -> None:
        """Continue an earlier session.  won: the person's chips in each of its hands."""
        self._won = list(won)

    def play(self, decide: Callable[[View], Action]) -> HandRecord:
        """Play a hand, asking ``decide`` for the person; if that raises, the hand is void."""
        hand = self.begin()
        while (view := hand.advance()) is not None:
            hand.act(decide(view))
        return self.finish(hand)

    def finish(self, played: Hand) -> HandRecord:
        """Record a hand that is over."""
        hand = self.last = played.result
        thoughts = [thought for watched in self._watched for thought in watched.thoughts]
        self.thoughts = tuple(sorted(thoughts, key=lambda thought: len(thought.view.moves)))
        self._won.append(hand.payoffs[PERSON])
        return record_hand(hand.final, self.names, self.hands)

    def hint(self, view: View) -> Decision:
        """What the first opponent would do with the person's view; `OptionError` if it fails."""
        self._hints += 1
        rng = SeededRandom(derived_word(deal_key(self.seed, self.hands), -1, self._hints))
        try:
            if self._coach is None:
                self._coach = self._make(self.texts[0])
                self._coach.match_start()
            self._coach.hand_start(view)
            return self._coach.act(view, Clock(), rng)
        except Exception as problem:  # an agent may raise anything
            self._coach = None
            raise OptionError(f"no hint: {self.names[1]} has no answer ({problem})") from problem

    @property
    def result(self) -> SessionResult:
        """The person's result so far."""
        hands, unit = self.hands, self.game.rules.big_blind
        if not hands:
            return SessionResult(0, 0.0, 0.0, None)
        won = tally(chips / unit for chips in self._won)
        margin = 100 * won.interval.half_width if hands >= _ENOUGH else None
        return SessionResult(hands, won.total, 100 * won.mean, margin)


def seat_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Names by seat: ``you``, then the agents' names, numbered if they are not unique."""
    short = [text.partition(":")[0] for text in texts]
    names = ["you"]
    for index, name in enumerate(short):
        number = short[:index].count(name) + 1
        names.append(f"{name} {number}" if short.count(name) > 1 else name)
    return tuple(names)


class StoodUp(KeyboardInterrupt):
    """The person leaves the table, perhaps in the middle of a hand."""
