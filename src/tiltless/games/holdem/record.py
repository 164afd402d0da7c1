"""Hand records: one line of text for each hand, from which it can be replayed.

The line follows the state string of the Annual Computer Poker Competition, with our conventions::

    HAND:7:nlhe:0:200|200:cr6c/kk/r8f:AsKd|7h7d/Kh7c9d/2c:-6|6:Alice|Bob
         number, game, button, stacks by seat, actions, cards, payoffs, names

Actions are ``f`` fold, ``k`` check, ``c`` call, ``r6`` raise to 6 on this street; ``/`` separates
streets, and ``x``, the check of `tiltless.games.holdem.notation`, is also read. Cards are the hole
cards by seat, then the board by street; ``????`` are cards that are not known. Payoffs are empty
until the hand is over; names may be empty. If chance drew a hidden order of ranks, it is the last
field, unless it is not known.

The line names the game but not its rules: blinds, antes and switches come from the game that is
passed to `parse_hand`, and must be stored separately.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    Returned,
    Won,
    closing_events,
    public_events,
)
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.notation import LETTERS
from tiltless.games.holdem.seen_hand import UNKNOWN_RANKS, cards_decide, deal_known, end_view
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = [
    "HandRecord",
    "hand_line",
    "parse_hand",
    "plain_name",
    "record_hand",
    "record_view",
    "state_line",
]


@dataclass(frozen=True)
class HandRecord:
    """Everything that happened in a hand, with all cards that are known.

    button, stacks: at the start.  names: the players' names by seat; may be empty.
    A dealer knows all cards. In a history of what a player saw, the event of hole cards that were
    never shown is empty, and if such a hand was at the showdown, who won is recorded and not
    computed.
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
        """The last state, from replaying the recorded moves; unknown cards are empty.

        `InputError` if a move is illegal, or if the rules give other events than the record.
        """
        state = self.game.start(self.button, self.stacks)
        for number, event in enumerate(self.events):
            try:
                if isinstance(event, HoleCards):
                    state = deal_known(state, [event.cards])
                elif isinstance(event, RanksDrawn):
                    state = deal_known(state, [], event.ranks)
                elif isinstance(event, BoardCards):
                    state = state.apply(event.cards)
                elif isinstance(event, Acted):
                    state = state.apply(event.action)
            except IllegalActionError as problem:
                raise InputError(f"event {number} of hand {self.number}: {problem}") from problem
        given = None if cards_decide(state) else self._recorded_payoffs(state)
        again = record_hand(state, payoffs=given).events
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

    def _recorded_payoffs(self, state: HoldemState) -> tuple[int, ...]:
        won = [-each for each in state.paid]
        for event in self.events:
            if isinstance(event, Won | Returned):
                won[event.seat] += event.chips
        return tuple(won)

    @property
    def payoffs(self) -> tuple[int, ...]:
        """Net chips by seat, from replaying the hand; as recorded if the cards do not decide."""
        final = self.final
        return final.payoffs if cards_decide(final) else self._recorded_payoffs(final)

    def view(self, seat: int) -> View:
        """The hand as the player in ``seat`` saw it: the public rules, no hidden card."""
        final = self.final
        if cards_decide(final):
            return final.view(seat)
        return end_view(final, seat, self.payoffs, _shown(final))

    def as_seen_by(self, seat: int) -> "HandRecord":
        """The record of what the player in ``seat`` saw: other cards only if they were shown."""
        seen = {seat, *(each for each, _ in self.final.shown)}
        events: list[Event] = []
        for event in self.events:
            if isinstance(event, HoleCards) and event.seat not in seen:
                event = HoleCards(event.seat, HIDDEN)
            elif isinstance(event, RanksDrawn):
                event = RanksDrawn(UNKNOWN_RANKS)
            events.append(event)
        return replace(self, events=tuple(events))


def record_hand(
    state: HoldemState,
    names: tuple[str, ...] = (),
    number: int = 0,
    payoffs: Sequence[int] | None = None,
) -> HandRecord:
    """The record of a hand; an unfinished one is recorded as far as it went.

    payoffs: net chips by seat, needed only if a hand at the showdown is not known; otherwise they
    must be those of the rules.
    """
    table = state.table
    events = list(public_events(state, table.posts, dict(enumerate(state.hole)), state.ranks))
    if state.actor == TERMINAL:
        winnings = _winnings(state, payoffs)
        events += closing_events(
            state.pots, state.paid, table.dead, state.live, winnings, _shown(state)
        )
    return HandRecord(table.game, table.button, table.stacks, tuple(events), names, number)


def _shown(state: HoldemState) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple((seat, cards) for seat, cards in state.shown if cards)


def _winnings(state: HoldemState, payoffs: Sequence[int] | None) -> tuple[int, ...]:
    """The chips that each seat receives; `InputError` if ``payoffs`` cannot be."""
    decided = cards_decide(state)
    if payoffs is None and not decided:
        raise InputError("a hand at the showdown is not known; say who won what (payoffs)")
    if payoffs is None:
        return state.winnings
    won = tuple(gain + paid for gain, paid in zip(payoffs, state.paid, strict=True))
    fair = sum(won) == state.pot and all(
        chips >= 0 and (not chips or seat in state.live) for seat, chips in enumerate(won)
    )
    if not fair or (decided and won != state.winnings):
        ours = f"the rules say {list(state.payoffs)}" if decided else f"the pot is {state.pot}"
        raise InputError(f"payoffs {list(payoffs)} cannot be: {ours}")
    return won


def record_view(
    view: View,
    game: Holdem,
    names: tuple[str, ...] = (),
    number: int = 0,
    cards: Mapping[int, tuple[int, ...]] | None = None,
) -> HandRecord:
    """The record of a hand from what one player saw of it.

    game: with the rules of the view.  cards: further hole cards that are known, by seat.
    """
    if view.rules != game.rules:
        raise OptionError(f"the view is of other rules than this game of {game.name}")
    known = {**dict(view.shown), **(cards or {}), view.seat: view.cards}
    hole = [known.get(seat, HIDDEN) for seat in range(game.players)]
    state = deal_known(game.start(view.button, view.starting_stacks), hole)
    for move in view.moves:
        if move not in (HIDDEN, HIDDEN_RANKS):
            state = state.apply(move)
    return record_hand(state, names, number, view.payoffs)


_RESERVED = str.maketrans({":": " ", "|": " ", "'": "", "\\": "/", "\n": " ", "\r": " "})


def plain_name(text: str) -> str:
    """A player's name without the characters that hand lines and PHH reserve."""
    return text.translate(_RESERVED)


_LETTERS: dict[Action, str] = {FOLD: "f", CHECK: "k", CALL: "c"}
_CARDS = tuple(card_text(card) for card in range(52))
_FIELDS = "HAND, number, game, button, stacks, actions, cards, payoffs, names"


def hand_line(record: HandRecord) -> str:
    """The record as one line of text, in the format of this module; checked by replaying it."""
    for name in record.names:
        if set(name) & set(":|\n\r"):
            raise OptionError(f"{name!r} cannot be written; names have no ':', '|' or line break")
    final = record.final
    payoffs = record.payoffs if final.actor == TERMINAL else ()
    return state_line(final, payoffs, record.number, record.names)


def state_line(
    state: HoldemState, payoffs: Sequence[int], number: int = 0, names: Sequence[str] = ()
) -> str:
    """The line of a hand that a dealer has just played, without replaying it.

    payoffs: empty until it is over.
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
    unknown = "??" * table.game.rules.hole_cards
    hole = [_text(cards) or unknown for cards in state.hole]
    hole += [""] * (len(table.stacks) - len(hole))
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
    """The inverse of `hand_line`; the payoffs are checked by replaying the hand.

    game: must have the rules under which the hand was played.
    """
    fields = line.strip().replace("\n", " ").split(":")  # so that messages are one line
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
        if ranks and game.hidden is None:
            raise InputError(f"{game.name} has no hidden order of ranks; leave out the last field")
        state = game.start(int(button), [int(stack) for stack in stacks.split("|")])
        hole = [
            parse_cards(text) if set(text) != {"?"} else HIDDEN for text in holes.split("|") if text
        ]
        if hole or ranks:
            state = deal_known(state, hole, *ranks)
        for street, letters in enumerate(played):
            if street:
                state = state.apply(parse_cards(board[street - 1]))
            for action in _parse_actions(letters):
                state = state.apply(action)
        players = tuple(names.split("|")) if names else ()
        won = tuple(map(int, payoffs.split("|"))) if payoffs else None
        given = None if cards_decide(state) else won
        record = record_hand(state, players, int(number), given)
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
    actions: list[Action] = []
    for word in re.findall("(?s)[a-z][0-9]*|.", letters):
        if word not in LETTERS and not re.fullmatch("r[0-9]{1,18}", word):
            raise ValueError(f"{word!r} is not an action; use f, k, c and r6")
        actions.append(LETTERS.get(word) or RaiseTo(int(word[1:])))
    return actions
