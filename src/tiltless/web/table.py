"""Web tables: one person's game against agents, kept for a restart in the middle of a hand.

A request carries ``seq``, the number of requests that were applied before it. A request with the
present number is applied; the previous one, sent again because its answer was lost, gets the same
answer and changes nothing; any other is a `ConflictError`.

Cards are shuffled by the system's randomness for every hand: a seed could be found by trying.
"""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

from tiltless.agents.agent import Agent
from tiltless.arena.dealer import Hand
from tiltless.arena.table.session import PERSON, TableSession
from tiltless.errors import OptionError, TiltlessError
from tiltless.games import load
from tiltless.games.holdem.actions import Action, action_text, parse_action
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.record import HandRecord, parse_hand
from tiltless.games.holdem.view import View
from tiltless.web.answers.table import table_json

__all__ = ["ConflictError", "TableChoice", "Unfinished", "WebTable"]

NEXT = "next"
"""The request that deals the next hand."""
_SHUFFLE = SystemRandom()
_PAYOFFS = 7  # field of a hand's line


class ConflictError(TiltlessError):
    """A request for another moment of the game."""


@dataclass(frozen=True, slots=True)
class TableChoice:
    """What a person plays: a game with its parameters, opponents, and a position or None."""

    game: str
    parameters: dict[str, Any]
    opponents: tuple[str, ...]
    position: int | None = None


@dataclass(slots=True)
class Unfinished:
    """A hand in progress: its cards, and everything that was done in it so far."""

    deck: list[int]
    done: list[tuple[int, Action]]


class WebTable:
    """A person at a table.

    owner: the session that it belongs to.  seq: the number of the next request.  finished: the
    record of the hand that has just ended, with all cards; None while one is played.
    """

    def __init__(
        self,
        number: str,
        owner: str,
        choice: TableChoice,
        seed: int,
        make: Callable[[str], Agent] | None = None,
    ) -> None:
        game = load(choice.game, **choice.parameters)
        if not isinstance(game, Holdem):
            raise OptionError(f"{choice.game} is not played at a table; choose nlhe")
        self.number, self.owner, self.choice = number, owner, choice
        self.session = TableSession(game, choice.opponents, seed, choice.position, make=make)
        self.seq = 0
        self.finished: HandRecord | None = None
        self._hand: Hand | None = None
        self._deck: list[int] = []
        self._view: View | None = None
        self._last: str = ""
        self._result = self.session.result
        self._json: dict[str, Any] = {}

    @classmethod
    def open(
        cls, owner: str, choice: TableChoice, number: str, make: Callable[[str], Agent] | None
    ) -> "WebTable":
        """A new table.  make: see `TableSession`."""
        return cls(number, owner, choice, secrets.randbits(63), make)

    @property
    def view(self) -> View:
        """What the person sees."""
        assert self._view is not None
        return self._view

    def apply(self, seq: int, request: str) -> bool:
        """Apply a request: ``"next"``, or an action as text; False if it was applied before.

        Agents think inside, so this may take seconds. `ConflictError` if the number is not the
        present one, `OptionError` if the request is not legal now.
        """
        if seq == self.seq - 1 and request == self._last:
            return False
        if seq != self.seq:
            raise ConflictError(
                f"request {seq} does not fit, the next one is {self.seq}; read the table"
            )
        if request == NEXT:
            if self._hand is not None:
                raise OptionError("the hand is not over; act, or fold")
            self._deal(Unfinished(_shuffled(self.session.game), []))
        else:
            hand = self._hand
            if hand is None:
                raise OptionError("the hand is over; ask for the next one")
            action = parse_action(request)
            if action not in self.view.actions:
                raise OptionError(f"{request} is not legal; legal: {self.view.actions}")
            hand.act(action)
            self._go_on(hand)
        self._keep(seq + 1, request)
        return True

    def _keep(self, seq: int, last: str) -> None:
        """End a request; readers in other threads see all of it, or nothing."""
        self.seq, self._last = seq, last
        self._json = self._as_json()

    def _deal(self, unfinished: Unfinished) -> None:
        """Begin a hand, or continue one after a restart."""
        self._deck, self.finished = unfinished.deck, None
        own = [action for seat, action in unfinished.done if seat == PERSON]
        hand = self._hand = self.session.begin(unfinished.deck, unfinished.done)
        for action in own:
            hand.advance()
            hand.act(action)
        self._go_on(hand)

    def _go_on(self, hand: Hand) -> None:
        """Let the agents act until the person must, or the hand is over."""
        view = hand.advance()
        self._view = hand.view(PERSON) if view is None else view
        if view is None:
            self.finished = self.session.finish(hand)
            self._hand, self._result = None, self.session.result

    def as_json(self) -> dict[str, Any]:
        """The table for its owner, as the last request left it; others may be thinking."""
        return self._json

    def _as_json(self) -> dict[str, Any]:
        session, result = self.session, self._result
        shown = None if self._view is None else table_json(self._view, session.names)
        return {
            "id": self.number,
            "seq": self.seq,
            "hand": session.hands + (self._hand is not None),
            "opponents": list(session.texts),
            "names": list(session.names),
            "notes": list(session.notes),
            "result": {
                "hands": result.hands,
                "won": result.won,
                "rate": result.rate,
                "margin": result.margin,
                "text": str(result),
            },
            "table": shown,
        }

    def saved(self) -> str:
        """Everything that a restart needs, as JSON: the deck is in it, so it is never sent."""
        done = []
        if self._hand is not None:
            past = decisions(self.view)
            done = [[one.seat, action_text(one.action)] for one in past]
        return json.dumps(
            {
                "seed": self.session.seed,
                "seq": self.seq,
                "last": self._last,
                "deck": self._deck if self._hand is not None else None,
                "done": done,
            }
        )

    @classmethod
    def restored(
        cls,
        number: str,
        owner: str,
        choice: TableChoice,
        saved: str,
        lines: Sequence[str],
        make: Callable[[str], Agent] | None = None,
    ) -> "WebTable":
        """The table that `saved` describes.  lines: of its finished hands, see `hand_line`."""
        data, last = json.loads(saved), lines[-1] if lines else None
        table = cls(number, owner, choice, data["seed"], make)
        table.session.resume([_won(line) for line in lines])
        table._result = table.session.result
        if data["deck"] is not None:
            done = [(seat, parse_action(text)) for seat, text in data["done"]]
            table._deal(Unfinished(data["deck"], done))
        elif last is not None:
            table.finished = parse_hand(last, table.session.game)
            table._view = table.finished.view(PERSON)
        table._keep(data["seq"], data["last"])
        return table


def _won(line: str) -> int:
    """The person's chips in a finished hand, read from its line."""
    return int(line.split(":")[_PAYOFFS].split("|")[PERSON])


def _shuffled(game: Holdem) -> list[int]:
    deck = [card for card in range(52) if game.deck >> card & 1]
    _SHUFFLE.shuffle(deck)
    return deck
