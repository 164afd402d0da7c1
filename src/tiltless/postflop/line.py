"""Lines of a post-flop spot as text: ``x b32 c Ah x b50%``.

Words are moves in order, cards as they are dealt:

=======================  ======================================================================
``f``, ``x``, ``c``      fold, check, call
``b32``, ``r96``         bet or raise to so many chips in all on this street
``b50%``, ``r100%``      call first, then add so much of the pot as it is then
``a``, ``ba``, ``ra``    all-in
``Ah``                   the card that is dealt where a street is over
``*``                    any card, in texts of several lines: `follow_lines`
=======================  ======================================================================

``b`` and ``r`` are the same. A size must be in the tree, for a solver knows nothing of others; the
error names those that are. `line_text` is the way back, in chips. `read_lock` reads what a person
wants to be played somewhere: ``x b64: f 80%, c 20%``.
"""

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tiltless.abstraction.bets.size import spot_of
from tiltless.cards.card import card_text, parse_card
from tiltless.errors import CardError, OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.validate import brief

if TYPE_CHECKING:
    from tiltless.postflop.node import Node

__all__ = [
    "ANY_CARD",
    "action_label",
    "action_words",
    "follow_line",
    "follow_lines",
    "line_text",
    "read_lock",
]

ANY_CARD = "*"
"""The word for all cards that may be dealt."""

_PLAIN: dict[str, Action] = {"f": FOLD, "x": CHECK, "c": CALL}
_WORDS = {action: word for word, action in _PLAIN.items()}
_RAISE = re.compile(r"[br](?P<chips>[0-9]{1,18})|[br](?P<share>[0-9]+(?:\.[0-9]+)?)%|[br]?a")
_CARD = re.compile(r"(?:10|[2-9tjqka])[cdhs]")
_REMEDY = "write f, x, c, b32 (chips in all), b50%, a, or a card such as Ah"
_CLOSE = 0.005  # a third is 33.3%
_LOCK = "write a line and what is played there, such as 'x b64: f 80%, c 20%'"


def follow_line(place: "Node", line: str) -> "Node":
    """Where a line leads from a place; `OptionError` names the word that does not fit."""
    if not isinstance(line, str):
        raise OptionError(f"{brief(line)} is not a line; {_REMEDY}")
    for word in line.split():
        place = _step(place, word, line)
    return place


def follow_lines(place: "Node", lines: str) -> dict[str, list["Node"]]:
    """Where several lines lead, with commas between; ``*`` is any card: ``x x * b50%, b50% c *``.

    Places by line, one for each card that a ``*`` may be. A card that is named after a ``*`` leaves
    out the places where it was dealt before.
    """
    if not isinstance(lines, str):
        raise OptionError(f"{brief(lines)} is not a text of lines; {_REMEDY}")
    parts = [part.strip() for part in lines.split(",")]
    if len(parts) > 1 and "" in parts:
        raise OptionError(f"{brief(lines)} has nothing before or after a comma; leave it out")
    return {line: _follow(place, line) for line in parts}


def _follow(place: "Node", line: str) -> list["Node"]:
    places = [place]
    for word in line.split():
        if word == ANY_CARD:
            places = [each.after(card) for each in places for card in _cards(each, line)]
        elif len(places) > 1 and _is_card(word):
            dealt = parse_card(word)
            places = [_step(each, word, line) for each in places if dealt not in each.board]
        else:
            places = [_step(each, word, line) for each in places]
    return places


def _cards(place: "Node", line: str) -> list[int]:
    cards = place.cards_to_come()
    if not cards:
        raise _misfit(place, ANY_CARD, line, f"no card is dealt here; there is {_there(place)}")
    return cards


def _step(place: "Node", word: str, line: str) -> "Node":
    try:
        return place.after(_move(place, word))
    except (OptionError, CardError) as problem:
        raise _misfit(place, word, line, str(problem)) from None


def _misfit(place: "Node", word: str, line: str, problem: str) -> OptionError:
    so_far = line_text(place.moves)
    after = f"after {so_far!r}" if so_far else "at the start"
    return OptionError(f"{brief(word)} {after} in the line {brief(line)}: {problem}")


def _is_card(word: str) -> bool:
    return _CARD.fullmatch(word.casefold()) is not None


def _there(place: "Node") -> str:
    """What may come next, as words of a line."""
    if words := action_words(place):
        return ", ".join(words)
    return "a card" if place.cards_to_come() else "nothing, for the hand is over"


def _move(place: "Node", word: str) -> Action | int:
    plain = word.casefold()
    if _is_card(word):
        if not place.cards_to_come():
            raise OptionError(f"no card is dealt here; there is {_there(place)}")
        return parse_card(word)
    if plain in _PLAIN:
        if _PLAIN[plain] not in place.actions:
            raise OptionError(f"this is not possible here; there is {_there(place)}")
        return _PLAIN[plain]
    form = _RAISE.fullmatch(plain)
    if form is None:
        raise OptionError(f"this is no move; {_REMEDY}")
    raises = {offer.chips: offer for offer in place.actions if isinstance(offer, RaiseTo)}
    if not raises:
        raise OptionError(f"nobody can bet or raise; there is {_there(place)}")
    if form["chips"]:
        if int(form["chips"]) not in raises:
            raise OptionError(f"the tree does not have this size; there is {_there(place)}")
        return raises[int(form["chips"])]
    spot = spot_of(place.betting, place.pot)
    if not form["share"]:
        wanted = spot.top
    else:
        wanted = spot.legal(int(spot.bet + float(form["share"]) * spot.pot / 100 + 0.5))
    if wanted not in raises:
        raise OptionError(
            f"this is {wanted} chips, which the tree does not have; there is {_there(place)}"
        )
    return raises[wanted]


def read_lock(place: "Node", text: str) -> list[tuple["Node", dict[Action, float]]]:
    """Decisions and what is to be played there, for `PostflopSolver.lock`: ``x b64: f 80%, c 20%``.

    The lines are those of `follow_lines` from a place on, the shares sum to 100 %. Nothing before
    the colon is the place itself; ``x x *: x 100%`` is the same on all cards.
    """
    lines, colon, given = text.partition(":")
    if not colon or not given.strip():
        raise OptionError(f"{brief(text)} is no lock; {_LOCK}")
    groups = follow_lines(place, lines).values()
    return [(each, _shares(each, given, text)) for places in groups for each in places]


def _shares(place: "Node", given: str, text: str) -> dict[Action, float]:
    if place.actor < 0:
        raise OptionError(f"nobody acts after {place.line!r} in the lock {brief(text)}; {_LOCK}")
    shares: dict[Action, float] = {}
    for part in given.split(","):
        word, _, percent = part.strip().partition(" ")
        try:
            share = float(percent.strip().removesuffix("%")) / 100
        except ValueError:
            share = math.nan
        if not 0 <= share <= 1:
            raise OptionError(
                f"{brief(part.strip())} in the lock {brief(text)} is no share; {_LOCK}"
            )
        action = _move_there(place, word, text)
        if action in shares:
            raise OptionError(f"{word} is twice in the lock {brief(text)}; name it once")
        shares[action] = share
    if abs(sum(shares.values()) - 1) > _CLOSE:
        total = 100 * sum(shares.values())
        raise OptionError(
            f"the lock {brief(text)} sums to {total:g} %; write shares that make 100 %"
        )
    return shares


def _move_there(place: "Node", word: str, text: str) -> Action:
    try:
        move = _move(place, word)
    except (OptionError, CardError) as problem:
        raise OptionError(f"{brief(word)} in the lock {brief(text)}: {problem}") from None
    assert isinstance(move, Action)  # cards are refused where somebody acts
    return move


def line_text(moves: Iterable[Action | int]) -> str:
    """Moves as a line, in chips, such that `follow_line` leads there again: ``x b32 c Ah``."""
    words, raised = [], False
    for move in moves:
        words.append(_word(move, raised))
        raised = isinstance(move, RaiseTo) or (raised and isinstance(move, Action))
    return " ".join(words)


def _word(move: Action | int, raised: bool) -> str:
    if isinstance(move, RaiseTo):
        return f"{'r' if raised else 'b'}{move.chips}"
    return _WORDS[move] if isinstance(move, Action) else card_text(move)


def action_words(place: "Node") -> tuple[str, ...]:
    """What the actor may do, as words of a line: ``("x", "b32", "b320")``."""
    return tuple(_word(action, place.betting.high > 0) for action in place.actions)


def action_label(place: "Node", action: Action) -> str:
    """An action as players read it: ``Check``, ``Bet 32 (50%)``, ``All-in 320``.

    The percentage is of the pot, after calling where there is a bet.
    """
    if not isinstance(action, RaiseTo):
        price = f" {place.betting.to_call}" if action == CALL else ""
        return f"{str(action).capitalize()}{price}"
    spot = spot_of(place.betting, place.pot)
    if action.chips >= spot.most:
        return f"All-in {action.chips}"
    verb = "Raise to" if place.betting.high else "Bet"
    return f"{verb} {action.chips} ({100 * spot.share(action.chips):.0f}%)"
