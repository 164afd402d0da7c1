"""Tables as JSON: what the browser is told of a hand, made from a `View` and from nothing else.

A view contains no hidden card, so neither does what is sent. Functions of this module never take a
state, a record or an agent's decision, which contain all cards.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tiltless.arena.table.narration import Line, hand_words, narration, position
from tiltless.arena.table.spoken_actions import nearest_raise
from tiltless.cards.card import card_text
from tiltless.errors import OptionError
from tiltless.games.holdem.notation import RelativeBet, all_in_total
from tiltless.games.holdem.view import View

__all__ = ["line_json", "table_json"]

_FIRST_IN = tuple(RelativeBet("bb", size) for size in (2.0, 2.5, 3.0, 4.0))
_RERAISE = tuple(RelativeBet("x", size) for size in (2.5, 3.0, 4.0))
_POSTFLOP = tuple(RelativeBet("%", size) for size in (33.0, 50.0, 75.0, 100.0, 150.0))


def table_json(view: View, names: Sequence[str]) -> dict[str, Any]:
    """A hand as the player of the view sees it.  names: by seat."""
    rules, shown = view.rules, dict(view.shown)
    if view.cards:
        shown[view.seat] = view.cards
    seats = [
        {
            "name": name,
            "stack": view.stacks[seat],
            "bet": 0 if view.is_over else view.bets[seat],
            "live": seat in view.live,
            "cards": [card_text(card) for card in shown[seat]] if seat in shown else None,
            "payoff": view.payoffs[seat] if view.payoffs is not None else None,
        }
        for seat, name in enumerate(names)
    ]
    return {
        "game": view.game,
        "big_blind": rules.big_blind,
        "blinds": [blind for blind in rules.blinds if blind],
        "hole_cards": rules.hole_cards,
        "seat": view.seat,
        "button": view.button,
        "actor": view.actor if 0 <= view.actor < len(names) else None,
        "street": view.street_name,
        "board": [card_text(card) for card in view.board],
        "pot": view.pot,
        "over": view.is_over,
        "seats": seats,
        "actions": _actions(view),
        "made": hand_words(view, view.cards),
        "position": position(view),
        "log": [line_json(line) for line in narration(view, names)],
    }


def _actions(view: View) -> dict[str, Any] | None:
    """What the player may do, with the sizes of the buttons; None if it is not his turn."""
    actions = view.actions
    if view.is_over or view.actor != view.seat:
        return None
    return {
        "fold": actions.fold,
        "check": actions.check,
        "call": actions.call,
        "min": actions.min_raise,
        "max": actions.max_raise,
        "all_in": bool(actions.max_raise) and actions.max_raise >= all_in_total(view.betting),
        "verb": "raise" if view.betting.high else "bet",
        "bet": view.bets[view.seat],
        "odds": actions.call / (view.pot + actions.call) if actions.call else None,
        "sizes": list(_sizes(view)),
    }


def _sizes(view: View) -> Iterator[dict[str, Any]]:
    """Usual sizes that are legal here, each number of chips once, all-in not among them."""
    actions = view.actions
    if not actions.max_raise:
        return
    if view.street:
        wanted = _POSTFLOP
    else:
        wanted = _FIRST_IN if view.betting.high <= view.rules.big_blind else _RERAISE
    seen = set()
    for size in wanted:
        try:
            chips = nearest_raise(view, size).chips
        except OptionError:  # nothing to multiply
            continue
        if chips not in seen and chips < actions.max_raise:
            seen.add(chips)
            yield {"label": f"{size.amount:g}{size.unit}", "to": chips}


def line_json(line: Line) -> dict[str, Any]:
    """A line of the log: texts as they are, cards as lists."""
    parts = [
        part if isinstance(part, str) else [card_text(card) for card in part] for part in line.parts
    ]
    return {"kind": line.kind, "seat": line.seat, "parts": parts}
