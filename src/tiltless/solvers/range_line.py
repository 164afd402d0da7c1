"""The way to a place in one readable text: ``x b32 c Ah x b50%``.

Words are moves in order, cards as they are dealt:

=======================  ======================================================================
``f``, ``x``, ``c``      fold, check, call
``b32``, ``r96``         bet or raise to so many chips in all on this street
``b50%``, ``r100%``      call first, then add so much of the pot as it is then
``a``, ``ba``, ``ra``    all-in
``Ah``                   the card that is dealt where a street is over
=======================  ======================================================================

``b`` and ``r`` are the same. A size must be in the tree, for a solver knows nothing of others; the
error names those that are. `line_text` is the way back, in chips.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tiltless.abstraction.sizes import spot_of
from tiltless.cards.card import card_text, parse_card
from tiltless.errors import CardError, OptionError
from tiltless.games.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.common import brief

if TYPE_CHECKING:
    from tiltless.solvers.range_places import Place

__all__ = ["action_label", "action_words", "follow_line", "line_text"]

_PLAIN: dict[str, Action] = {"f": FOLD, "x": CHECK, "c": CALL}
_WORDS = {action: word for word, action in _PLAIN.items()}
_RAISE = re.compile(r"[br](?P<chips>[0-9]{1,18})|[br](?P<share>[0-9]+(?:\.[0-9]+)?)%|[br]?a")
_CARD = re.compile(r"(?:10|[2-9tjqka])[cdhs]")
_REMEDY = "write f, x, c, b32 (chips in all), b50%, a, or a card such as Ah"


def follow_line(place: "Place", line: str) -> "Place":
    """Where a line leads from a place; `OptionError` names the word that does not fit."""
    if not isinstance(line, str):
        raise OptionError(f"{brief(line)} is not a line; {_REMEDY}")
    for word in line.split():
        try:
            place = place.after(_move(place, word))
        except (OptionError, CardError) as problem:
            so_far = line_text(place.moves)
            after = f"after {so_far!r}" if so_far else "at the start"
            raise OptionError(
                f"{brief(word)} {after} in the line {brief(line)}: {problem}"
            ) from None
    return place


def _move(place: "Place", word: str) -> Action | int:
    plain = word.casefold()
    if plain in _PLAIN:
        return _PLAIN[plain]
    if _CARD.fullmatch(plain):
        return parse_card(word)
    form = _RAISE.fullmatch(plain)
    if form is None:
        raise OptionError(f"this is no move; {_REMEDY}")
    raises = {offer.chips: offer for offer in place.actions if isinstance(offer, RaiseTo)}
    if form["chips"]:
        return raises.get(int(form["chips"])) or RaiseTo(int(form["chips"]))
    if not raises:
        there = ", ".join(action_words(place)) or ("a card" if place.cards_to_come() else "nothing")
        raise OptionError(f"nobody can bet or raise; there is {there}")
    spot = spot_of(place.betting, place.pot)
    if not form["share"]:
        wanted = spot.top
    else:
        wanted = spot.legal(int(spot.bet + float(form["share"]) * spot.pot / 100 + 0.5))
    if wanted not in raises:
        there = ", ".join(map(str, raises))
        raise OptionError(f"this is {wanted} chips, which the tree does not have; it has {there}")
    return raises[wanted]


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


def action_words(place: "Place") -> tuple[str, ...]:
    """What the actor may do, as words of a line: ``("x", "b32", "b320")``."""
    return tuple(_word(action, place.betting.high > 0) for action in place.actions)


def action_label(place: "Place", action: Action) -> str:
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
