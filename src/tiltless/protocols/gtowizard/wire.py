"""Messages of GTO Wizard's benchmark: JSON replies to states of a hand, actions to requests.

A reply has ``hand_id``, ``game`` and ``game_state``. The history is a list without seats: ``k``
check, ``c`` call, ``f`` fold, ``b300`` a bet or raise to the player's total of this street, and
``_`` at the end of a street; the small blind, which has the button, begins. Cards are one text,
``"AhKd"``. Fields that we do not use are ignored; of missing ones, the error lists those that were
there. Source: the models of the site's public client, and reports of others; not tried by us.
"""

import json
import math
import re
from typing import Any, NamedTuple

from tiltless.cards.card import parse_cards
from tiltless.errors import InputError
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.history import HiddenDeal, PastDecision, steps
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.protocols.web_table import (
    BIG_BLIND,
    BOT,
    CLIENT,
    SMALL_BLIND,
    STACK,
    WORDS,
    replayed,
    token,
)
from tiltless.validate import brief, shortened

__all__ = [
    "GAME_NAME",
    "OPPONENT_NAME",
    "GtoReply",
    "action_request",
    "followed",
    "history",
    "parse_hand_reply",
    "parse_hands",
]

GAME_NAME, OPPONENT_NAME = "HUNL 200BB", "GTO Wizard"
_BET = re.compile(r"b(\d{1,6})(?:\.0+)?", re.A)
_BUTTONS = {"SB": CLIENT, "BTN": CLIENT, "D": CLIENT, "BB": BOT}  # by our position
_LONGEST = 400  # tokens of a history


class GtoReply(NamedTuple):
    """A reply that describes a hand.

    button: the seat.  bot_hole: empty unless it is shown.  legal: letters of the actions that may
    be sent.  low, high: limits of a bet; 0 if there are none.  winnings: our net chips when the
    hand is over, otherwise None; aivat: the same by the site's AIVAT.
    """

    hand_id: str
    button: int
    hole: tuple[int, ...]
    bot_hole: tuple[int, ...]
    board: tuple[int, ...]
    history: tuple[str, ...]
    legal: tuple[str, ...]
    low: int
    high: int
    is_over: bool
    winnings: int | None
    aivat: float | None


def parse_hand_reply(body: bytes) -> GtoReply:
    """A reply from its JSON; `InputError` in one line if it is not a hand."""
    return _hand(_json(body))


def parse_hands(body: bytes) -> list[GtoReply]:
    """The hands in progress; those that cannot be read are left out."""
    found = _json(body)
    if isinstance(found, dict):
        found = found.get("hands")
    if not isinstance(found, list):
        raise InputError(f"{brief(found)} is not a list of hands")
    hands = []
    for each in found[:1000]:
        try:
            hands.append(_hand(each))
        except InputError:
            continue
    return hands


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise InputError(f"{brief(body[:60])} is not JSON") from None


def _field(found: Any, key: str, kinds: type | tuple[type, ...]) -> Any:
    """A field of an object; the error says what was there instead."""
    if not isinstance(found, dict):
        raise InputError(f"{brief(found)} is not a JSON object")
    if key not in found:
        there = shortened(", ".join(sorted(map(str, found))), 200)
        raise InputError(f"the field {key} is missing; there are: {there or 'none'}")
    value = found[key]
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
        raise InputError(f"{key}={brief(value)} is not possible")
    return value


def _hand(found: Any) -> GtoReply:
    hand_id = _field(found, "hand_id", (int, str))
    if not re.fullmatch(r"[\w-]{1,80}", str(hand_id)):
        raise InputError(f"hand_id={brief(hand_id)} is not possible")
    if isinstance(found.get("game"), dict):
        _check_game(found["game"])
    state = _field(found, "game_state", dict)
    over = _field(state, "is_hand_over", bool)
    own, other = _players(_field(state, "players", list))
    position = str(_field(own, "position", str)).upper()
    if position not in _BUTTONS:
        raise InputError(f"position={brief(position)} is not possible; it is SB or BB")
    tokens = _field(state, "action_history", list)
    legal = _field(state, "legal_actions", list)
    if not all(isinstance(each, str) for each in (*tokens, *legal)) or len(tokens) > _LONGEST:
        raise InputError(f"action_history={brief(tokens)} is not a list of actions")
    limits = state.get("raise_range")
    won = state.get("winnings")
    return GtoReply(
        str(hand_id),
        _BUTTONS[position],
        _cards(_field(own, "hole_cards", str), (2,)),
        _cards(other.get("hole_cards") or "", (0, 2)),
        _cards(_field(state, "board_cards", str), (0, 3, 4, 5)),
        tuple(tokens),
        tuple(legal),
        _chips(_field(limits, "min", (int, float))) if limits is not None else 0,
        _chips(_field(limits, "max", (int, float))) if limits is not None else 0,
        over,
        _chips(won, -STACK) if over and won is not None else None,
        _score(state.get("aivat_score")),
    )


def _check_game(game: dict[str, Any]) -> None:
    """`InputError` unless it is ours: 50 and 100 of 20,000 chips."""
    stack, blinds = game.get("starting_stack"), game.get("blinds")
    known = isinstance(blinds, list) and all(isinstance(each, int | float) for each in blinds)
    if stack != STACK or not known or sorted(blinds or []) != [SMALL_BLIND, BIG_BLIND]:
        raise InputError(
            f"the game has stacks of {brief(stack)} and blinds {brief(blinds)}; "
            f"only {GAME_NAME} with {STACK} and {SMALL_BLIND}, {BIG_BLIND} is played"
        )


def _players(found: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Us and the opponent, who has the site's name."""
    names = [_field(each, "name", str) for each in found]
    theirs = [name.startswith(OPPONENT_NAME) for name in names]
    if sorted(theirs) != [False, True]:
        raise InputError(f"players={brief(names)} are not {OPPONENT_NAME!r} and one other")
    return found[theirs.index(False)], found[theirs.index(True)]


def _cards(text: Any, sizes: tuple[int, ...]) -> tuple[int, ...]:
    if not isinstance(text, str) or len(text) > 20:
        raise InputError(f"{brief(text)} are not cards")
    cards = tuple(parse_cards(text)) if text else ()
    if len(cards) not in sizes:
        raise InputError(f"{brief(text)} are {len(cards)} cards, not {sizes[-1]}")
    return cards


def _chips(value: Any, least: int = 0) -> int:
    whole = isinstance(value, int | float) and not isinstance(value, bool)
    if not whole or not least <= value <= STACK or value != int(value):  # a NaN too
        raise InputError(f"{brief(value)} is not a number of chips from {least} to {STACK}")
    return int(value)


def _score(value: Any) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if known and math.isfinite(value) else None


def followed(reply: GtoReply) -> HoldemState:
    """The hand of a reply as we see it; `InputError` unless the rules allow every action.

    The opponent's cards are known if the reply shows them.
    """
    actions = (None if each == "_" else _action(each) for each in reply.history)
    return replayed(reply.hole, reply.button, reply.board, reply.bot_hole, actions)


def _action(text: str) -> Action:
    bet = _BET.fullmatch(text)
    if bet is None and text not in WORDS:
        raise InputError(f"{brief(text)} is not an action; it is f, k, c, b300 or _")
    return RaiseTo(int(bet[1])) if bet else WORDS[text]


def action_request(action: Action, reply: GtoReply) -> dict[str, Any]:
    """The JSON of an action, within the limits of the reply that asks for it."""
    if isinstance(action, RaiseTo):
        high = reply.high or STACK
        return {"action": "b", "amount": min(max(action.chips, reply.low), high)}
    return {"action": token(action)}


def history(view: View) -> list[str]:
    """The history of a hand, as the site writes it."""
    seen = [step for step in steps(view) if not isinstance(step, HiddenDeal)]
    return [token(step.action) if isinstance(step, PastDecision) else "_" for step in seen]
