"""Hand records: what happened, replayable, as one line of text.

The line follows the state string of the Annual Computer Poker Competition, with our conventions::

    HAND:7:nlhe:0:200|200:cr6c/kk/r8f:AsKd|7h7d/Kh7c9d/2c:-6|6:Alice|Bob
         number, game, button, stacks by seat, actions, cards, payoffs, names

Actions are ``f`` fold, ``k`` check, ``c`` call, ``r6`` raise to 6 on this street, streets parted by
``/``; ``x``, the check of `tiltless.games.holdem.notation`, is read as well. Cards are the hole
cards by seat, then the board by street. Payoffs are empty while a hand is not over; names may be.
Hidden ranks that chance has drawn follow as a last field.

Of the rules, the line carries the game's name and nothing else: blinds, antes and switches come
with the game that is passed to `parse_hand`, and must be kept beside the lines.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tiltless.cards.card import card_text, parse_cards
from tiltless.errors import InputError, OptionError
from tiltless.games.game import TERMINAL, IllegalActionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.events import (
    Acted,
    BoardCards,
    Event,
    HoleCards,
    RanksDrawn,
    closing_events,
    public_events,
)
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.notation import LETTERS
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["HandRecord", "hand_line", "parse_hand", "record_hand", "state_line"]


@dataclass(frozen=True)
class HandRecord:
    """Everything that happened in a hand, for the dealer: all cards are in it.

    button, stacks: at the start.  names: of the players, by seat; may be empty.
    """

    game: Holdem
    button: int
    stacks: tuple[int, ...]
    events: tuple[Event, ...]
    names: tuple[str, ...] = ()
    number: int = 0

    def __post_init__(self) -> None:
        if self.names and len(self.names) != self.game.players:
            raise OptionError(
                f"{len(self.names)} names for {self.game.players} seats; give one for each, or none"
            )

    @cached_property
    def final(self) -> HoldemState:
        """The last state, made by playing the recorded moves again.

        `InputError` where the rules do not allow a move, or do not give the recorded chips.
        """
        state = self.game.start(self.button, self.stacks)
        for number, event in enumerate(self.events):
            if isinstance(event, HoleCards | BoardCards):
                move: object = event.cards
            elif isinstance(event, Acted):
                move = event.action
            elif isinstance(event, RanksDrawn):
                move = event.ranks
            else:
                continue
            try:
                state = state.apply(move)
            except IllegalActionError as problem:
                raise InputError(f"event {number} of hand {self.number}: {problem}") from problem
        again = record_hand(state).events
        for number, (recorded, event) in enumerate(zip(self.events, again, strict=False)):
            if recorded != event:
                raise InputError(
                    f"event {number} of hand {self.number} is {recorded}; the rules say {event}"
                )
        if len(again) != len(self.events):
            raise InputError(
                f"hand {self.number} has {len(self.events)} events; the rules say {len(again)}"
            )
        return state

    @property
    def payoffs(self) -> tuple[int, ...]:
        """Net chips by seat, from playing the hand again."""
        return self.final.payoffs

    def view(self, seat: int) -> View:
        """The hand as the player in ``seat`` saw it: the public rules, no hidden card."""
        return self.final.view(seat)


def record_hand(state: HoldemState, names: tuple[str, ...] = (), number: int = 0) -> HandRecord:
    """The record of a hand; one that is not over is recorded as far as it went."""
    table = state.table
    events = list(public_events(state, table.posts, dict(enumerate(state.hole)), state.ranks))
    if state.actor == TERMINAL:
        events += closing_events(
            state.pots, state.paid, table.dead, state.live, state.winnings, state.shown
        )
    return HandRecord(table.game, table.button, table.stacks, tuple(events), names, number)


_LETTERS: dict[Action, str] = {FOLD: "f", CHECK: "k", CALL: "c"}
_CARDS = tuple(card_text(card) for card in range(52))
_FIELDS = "HAND, number, game, button, stacks, actions, cards, payoffs, names"


def hand_line(record: HandRecord) -> str:
    """The record as one line of text; see the top of this module. It is checked by playing it."""
    for name in record.names:
        if set(name) & set(":|\n\r"):
            raise OptionError(f"{name!r} cannot be written; names have no ':', '|' or line break")
    final = record.final
    payoffs = final.payoffs if final.actor == TERMINAL else ()
    return state_line(final, payoffs, record.number, record.names)


def state_line(
    state: HoldemState, payoffs: Sequence[int], number: int = 0, names: Sequence[str] = ()
) -> str:
    """The line of a hand that a dealer has just played, without playing it again.

    payoffs: empty while it is not over.
    """
    table = state.table
    streets, board = [""], [""]
    for move in state.moves:
        kind = move.__class__
        if kind is tuple:
            if move:
                streets.append("")
                board.append(_text(move))
        elif kind is not str:
            streets[-1] += _LETTERS.get(move) or f"r{move.chips}"
    hole = *map(_text, state.hole), *[""] * (len(table.stacks) - len(state.hole))
    fields = [
        f"HAND:{number}:{table.game.name}:{table.button}",
        "|".join(map(str, table.stacks)),
        "/".join(streets),
        "|".join(hole) + "/".join(board),
        "|".join(map(str, payoffs)),
        "|".join(names),
    ]
    return ":".join(fields) + (f":{state.ranks}" if state.ranks else "")


def _text(cards: Sequence[int]) -> str:
    return "".join([_CARDS[card] for card in cards])


def parse_hand(line: str, game: Holdem) -> HandRecord:
    """The inverse of `hand_line`; the chips are checked by playing the hand.

    game: must have the rules that the hand was played by; see the top of this module.
    """
    fields = line.strip().split(":")
    if len(fields) not in (9, 10) or fields[0] != "HAND":
        raise InputError(f"{brief(line)} is not a hand; its fields are {_FIELDS}")
    _, number, name, button, stacks, streets, cards, payoffs, names, *ranks = fields
    if name != game.name:
        raise InputError(f"hand {number} is of the game {name}, not of {game.name}")
    holes, *board = cards.split("/")
    played = streets.split("/")
    try:
        if len(board) != len(played) - 1:
            raise InputError(f"{len(board)} deals of the board for {len(played)} streets")
        dealt: list[object] = list(ranks)
        dealt += [parse_cards(hole) for hole in holes.split("|") if hole]
        state = game.start(int(button), [int(stack) for stack in stacks.split("|")])
        for move in dealt:
            state = state.apply(move)
        for place, letters in enumerate(played):
            if place:
                state = state.apply(parse_cards(board[place - 1]))
            for action in _parse_actions(letters):
                state = state.apply(action)
        players = tuple(names.split("|")) if names else ()
        record = record_hand(state, players, int(number))
        if payoffs and state.actor != TERMINAL:
            raise InputError(f"it pays {payoffs} but is not over; leave that field empty")
    except (IllegalActionError, InputError) as problem:
        raise InputError(f"hand {number} cannot be played: {problem}") from problem
    except ValueError as problem:
        raise InputError(f"hand {number} cannot be read: {problem}") from problem
    ours = "|".join(map(str, record.payoffs)) if payoffs else ""
    if payoffs != ours:
        raise InputError(f"hand {number} pays {payoffs}; by the rules it pays {ours}")
    return record


def _parse_actions(letters: str) -> list[Action]:
    """``"cr6c"`` as actions."""
    found: list[Action] = []
    for word in re.findall("(?s)[a-z][0-9]*|.", letters):
        if word not in LETTERS and not re.fullmatch("r[0-9]{1,18}", word):
            raise ValueError(f"{word!r} is not an action; use f, k, c and r6")
        found.append(LETTERS.get(word) or RaiseTo(int(word[1:])))
    return found
