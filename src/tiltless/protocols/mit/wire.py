"""Lines of MIT Pokerbots: the clauses that its engine sends, and the answers of players.

A line from the engine consists of clauses with one space between them; the first character of a
clause says what it is::

    T29.998 R4 C BKh,7c,9d K

It contains everything that has happened since the last line to this player, including the player's
own last action as the engine understood it. Every line but ``Q`` wants one answer: an action, or
after a ``D`` the acknowledgement ``K``. `parse_line` and `line_text` are inverses of each other on
the lines of real engines; `ruled_answer` reads an answer as the engines do.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from tiltless.agents.agent import check_or_fold
from tiltless.cards.card import RANKS, SUITS, card_text
from tiltless.errors import InputError
from tiltless.games.holdem.actions import (
    CALL,
    CHECK,
    FOLD,
    Action,
    Call,
    Check,
    Fold,
    LegalActions,
    RaiseTo,
)
from tiltless.validate import brief

__all__ = [
    "ACKNOWLEDGED",
    "CLAUSES",
    "ONLY_CHECK",
    "ChipDelta",
    "Clause",
    "ClauseForm",
    "MatchOver",
    "OpponentCards",
    "OwnCards",
    "Position",
    "RuledAnswer",
    "TimeLeft",
    "WholeBoard",
    "answer_text",
    "line_text",
    "parse_clause",
    "parse_line",
    "ruled_answer",
]

ACKNOWLEDGED = "K"
"""The answer to a line with the result of a hand."""
ONLY_CHECK = LegalActions(False, True, 0, 0, 0)
"""What an engine allows at the end of a hand, and to players on each street after an all-in."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The player's game clock when the line was sent, in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Position:
    """The player's index in this hand: 0 is the small blind and the button, 1 the big blind."""

    index: int


@dataclass(frozen=True, slots=True)
class OwnCards:
    """The player's hole cards, as dealt; a hand begins."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WholeBoard:
    """All board cards so far; a street begins."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpponentCards:
    """The opponent's hole cards, at a showdown."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChipDelta:
    """The chips that the player has won or lost; the hand is over."""

    chips: int


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The match is over; there is no answer."""


Clause: TypeAlias = (
    TimeLeft | Position | OwnCards | WholeBoard | OpponentCards | ChipDelta | MatchOver | Action
)


@dataclass(frozen=True, slots=True)
class ClauseForm:
    """How a clause is written.

    kind: its class.  pattern: what may follow the letter.  read: the clause from that text; `text`:
    that text from the clause.  meaning: for people.
    """

    letter: str
    kind: type
    pattern: re.Pattern[str]
    read: Callable[[str], Any]
    text: Callable[[Any], str]
    meaning: str


_CARD = f"[{RANKS}][{SUITS}]"
_CARDS = re.compile(f"{_CARD}(?:,{_CARD}){{0,51}}", re.ASCII)
_NOTHING = re.compile("")
_CHIPS = re.compile(r"0|[1-9]\d{0,11}", re.ASCII)
_SIGNED = re.compile(r"0|-?[1-9]\d{0,11}", re.ASCII)
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{0,9})?", re.ASCII)
_INDEX = re.compile("[01]")
_NUMBERS = {card_text(card): card for card in range(52)}


def _cards(text: str) -> tuple[int, ...]:
    cards = tuple([_NUMBERS[each] for each in text.split(",")])
    if len(set(cards)) != len(cards):
        raise InputError(f"{brief(text)} has a card twice; each card exists once")
    return cards


def _cards_form(letter: str, kind: type, meaning: str) -> ClauseForm:
    return ClauseForm(
        letter,
        kind,
        _CARDS,
        lambda text: kind(_cards(text)),
        lambda clause: ",".join(map(card_text, clause.cards)),
        meaning,
    )


def _action_form(letter: str, action: Action, meaning: str) -> ClauseForm:
    return ClauseForm(letter, type(action), _NOTHING, lambda _: action, lambda _: "", meaning)


def _table(*forms: ClauseForm) -> Mapping[str, ClauseForm]:
    return {form.letter: form for form in forms}


CLAUSES: Mapping[str, ClauseForm] = _table(
    ClauseForm(
        "T",
        TimeLeft,
        _SECONDS,
        lambda text: TimeLeft(float(text)),
        lambda clause: f"{clause.seconds:.3f}",
        "your game clock in seconds; first in every line but Q",
    ),
    ClauseForm(
        "P",
        Position,
        _INDEX,
        lambda text: Position(int(text)),
        lambda clause: str(clause.index),
        "your index in this hand: 0 small blind, 1 big blind",
    ),
    _cards_form("H", OwnCards, "your hole cards; a hand begins"),
    _action_form("F", FOLD, "a fold, yours or the opponent's"),
    _action_form("C", CALL, "a call"),
    _action_form("K", CHECK, "a check"),
    ClauseForm(
        "R",
        RaiseTo,
        _CHIPS,
        lambda text: RaiseTo(int(text)),
        lambda clause: str(clause.chips),
        "a bet or raise to that player's total for the street",
    ),
    _cards_form("B", WholeBoard, "the whole board; a street begins"),
    _cards_form("O", OpponentCards, "the opponent's hole cards, at a showdown"),
    ClauseForm(
        "D",
        ChipDelta,
        _SIGNED,
        lambda text: ChipDelta(int(text)),
        lambda clause: str(clause.chips),
        "chips that you have won or lost; the hand is over",
    ),
    ClauseForm(
        "Q", MatchOver, _NOTHING, lambda _: MatchOver(), lambda _: "", "the match is over; alone"
    ),
)
"""The clauses of 2020 and 2023, by their letters. (Other years reuse letters with other meanings,
so a `tiltless.protocols.mit.years.Year` has a table of its own.)"""


def parse_clause(text: str, forms: Mapping[str, ClauseForm] = CLAUSES) -> Clause:
    """A clause from its text; `InputError` if it is none of the table."""
    form = forms.get(text[:1])
    if form is None:
        raise InputError(f"{brief(text)} is not a clause; they begin with {''.join(forms)}")
    if not form.pattern.fullmatch(text, 1):
        raise InputError(f"{brief(text)} cannot be read; {form.letter} means {form.meaning}")
    clause: Clause = form.read(text[1:])
    return clause


def parse_line(line: str, forms: Mapping[str, ClauseForm] = CLAUSES) -> tuple[Clause, ...]:
    """The clauses of a line without its end; `InputError` at the first that cannot be read."""
    return tuple([parse_clause(text, forms) for text in line.split(" ")])


def line_text(clauses: Iterable[Clause], forms: Mapping[str, ClauseForm] = CLAUSES) -> str:
    """The line of some clauses, without its end: the inverse of `parse_line`."""
    by_kind = {form.kind: form for form in forms.values()}
    return " ".join([_clause_text(clause, by_kind) for clause in clauses])


def _clause_text(clause: Clause, by_kind: Mapping[type, ClauseForm]) -> str:
    form = by_kind[type(clause)]
    return form.letter + form.text(clause)


_LETTERS: Mapping[type, str] = {Fold: "F", Call: "C", Check: "K", RaiseTo: "R"}
_NAMES = {"F": "FoldAction", "C": "CallAction", "K": "CheckAction", "R": "RaiseAction"}
_PLAIN: Mapping[str, Action] = {"F": FOLD, "C": CALL, "K": CHECK}


def answer_text(action: Action) -> str:
    """A player's answer, without the end of the line: ``F``, ``C``, ``K`` or ``R12``."""
    letter = _LETTERS[type(action)]
    return f"{letter}{action.chips}" if isinstance(action, RaiseTo) else letter


class RuledAnswer(NamedTuple):
    """An answer as an engine understands it.

    action: the one that counts.  complaint: what the engine's log says about an answer that does
    not count, after the name of the player; otherwise "".
    """

    action: Action
    complaint: str = ""


def ruled_answer(answer: str, actions: LegalActions, echo: bool = True) -> RuledAnswer:
    """Read an answer as the engines do, and rule on it: check if that is free, else fold.

    Only the first character counts, and for a raise what follows it, as Python's ``int`` reads it;
    so ``Kx`` is a check. actions: the legal ones; at the end of a hand only a check is.
    echo: whether the log repeats an answer that cannot be read, as that of 2023 does.
    """
    words = answer.strip()
    letter = words[:1]
    if letter not in _NAMES:
        return _misread(words, actions, echo)
    if letter != "R":
        action: Action = _PLAIN[letter]
    elif not actions.max_raise:
        return RuledAnswer(check_or_fold(actions), "attempted illegal RaiseAction")
    else:
        try:
            action = RaiseTo(int(words[1:]))
        except ValueError:
            return _misread(words, actions, echo)
    if action in actions:
        return RuledAnswer(action)
    return RuledAnswer(check_or_fold(actions), f"attempted illegal {_NAMES[letter]}")


def _misread(words: str, actions: LegalActions, echo: bool) -> RuledAnswer:
    complaint = f"response misformatted: {words}" if echo else "response misformatted"
    return RuledAnswer(check_or_fold(actions), complaint)
