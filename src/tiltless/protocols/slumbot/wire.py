"""Messages of Slumbot's API: JSON replies to states of a hand, actions to increments.

An action string has the streets of a hand with ``/`` between them: ``k`` check, ``c`` call, ``f``
fold, ``b300`` a bet or raise to the player's total of this street. Whether a slash follows a street
that is over, or the streets after an all-in, differs between replies: both are read.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tiltless.cards.card import RANKS, SUITS
from tiltless.errors import InputError
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.history import streets
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.protocols.web_table import BOT, CLIENT, STACK, WORDS, replayed, token
from tiltless.validate import brief, shortened

__all__ = [
    "SlumbotReply",
    "action_string",
    "button_of",
    "followed",
    "parse_increment",
    "parse_reply",
    "parse_token",
]

_CARDS = {rank + suit: 4 * r + s for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
_TOKENS = re.compile(r"k|c|f|b\d{1,5}|/", re.A)
_LONGEST = 1000  # characters of an action string


class SlumbotReply(NamedTuple):
    """A reply that describes a hand.

    token: of the session, if the reply has one.  position: 0 for the big blind, 1 for the small
    blind, which has the button.  winnings: our net chips when the hand is over; otherwise None.
    """

    token: str | None
    action: str
    position: int
    hole: tuple[int, ...]
    board: tuple[int, ...]
    bot_hole: tuple[int, ...] = ()
    winnings: int | None = None
    baseline: int | None = None


def button_of(position: int) -> int:
    """The seat of the button for a ``client_pos``."""
    return CLIENT if position == 1 else BOT


def parse_reply(body: bytes) -> SlumbotReply:
    """A reply from its JSON; `InputError` in one line if it is an error or not a hand."""
    found = _object(body)
    position, action = found.get("client_pos"), found.get("action")
    if position.__class__ is not int or position not in (0, 1):
        raise InputError(f"client_pos={brief(position)} is not possible; it is 0 or 1")
    if not isinstance(action, str) or len(action) > _LONGEST:
        raise InputError(f"action={brief(action)} is not an action string")
    return SlumbotReply(
        _token(found),
        action,
        position,
        _cards(found, "hole_cards", (2,)),
        _cards(found, "board", (0, 3, 4, 5)),
        _cards(found, "bot_hole_cards", (0, 2)),
        _chips(found, "winnings"),
        _chips(found, "baseline_winnings"),
    )


def parse_token(body: bytes) -> str:
    """The token that a login brings; `InputError` if it is refused."""
    session = _token(_object(body))
    if session is None:
        raise InputError("the login brings no token")
    return session


def _object(body: bytes) -> dict[str, Any]:
    """The JSON object of a reply that is no error."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError(f"{brief(body[:60])} is not JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{brief(found)} is not a JSON object")
    if found.get("error_msg"):
        raise InputError(f"the server says: {shortened(str(found['error_msg']), 200)}")
    return found


def _token(found: dict[str, Any]) -> str | None:
    session = found.get("token")
    return session if isinstance(session, str) and 0 < len(session) <= 200 else None


def _cards(found: dict[str, Any], key: str, sizes: Sequence[int]) -> tuple[int, ...]:
    texts = found.get(key) or []
    known = isinstance(texts, list) and all(isinstance(each, str) for each in texts)
    if not known or len(texts) not in sizes or not {*texts} <= {*_CARDS}:
        raise InputError(f"{key}={brief(texts)} are not cards")
    return tuple(_CARDS[each] for each in texts)


def _chips(found: dict[str, Any], key: str) -> int | None:
    chips = found.get(key)
    if chips is None:
        return None
    if chips.__class__ is not int or abs(chips) > STACK:
        raise InputError(f"{key}={brief(chips)} is not possible; it is a number up to {STACK}")
    return int(chips)


def followed(reply: SlumbotReply) -> HoldemState:
    """The hand of a reply as we see it; `InputError` unless the rules allow every action.

    The bot's cards are known if the reply shows them.
    """
    tokens = _TOKENS.findall(reply.action)
    if "".join(tokens) != reply.action:
        raise InputError(f"{brief(reply.action)} is not an action string")
    actions = (None if each == "/" else _action(each) for each in tokens)
    button = button_of(reply.position)
    return replayed(reply.hole, button, reply.board, reply.bot_hole, actions)


def _action(text: str) -> Action:
    return WORDS.get(text) or RaiseTo(int(text[1:]))


def parse_increment(text: Any) -> Action:
    """The inverse of `token`; `InputError` unless it is exactly one token."""
    if not isinstance(text, str) or text == "/" or not _TOKENS.fullmatch(text):
        raise InputError(f"{brief(text)} is not one action; send k, c, f or b300")
    return _action(text)


def action_string(view: View) -> str:
    """The action string of a hand."""
    return "/".join(["".join(map(token, street.line)) for street in streets(view)])
