"""A local server that speaks Slumbot's API, with any agent in the place of Slumbot.

For tests without the site, and for the clients of others. Cards come from a seed, the seats
alternate, both hands are shown at the end, and ``baseline_winnings`` is what the agent itself wins
in the client's seat with the same cards, once.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tiltless.agents.agent import Agent
from tiltless.arena.dealer import Hand, PlayedHand, Seated, play_hand, shuffled_decks
from tiltless.cards.card import card_text
from tiltless.errors import InputError
from tiltless.games.holdem.view import View
from tiltless.protocols.http_json import serve_json
from tiltless.protocols.slumbot.wire import action_string, button_of, parse_increment
from tiltless.protocols.web_table import CLIENT, GAME
from tiltless.validate import brief, shortened

__all__ = ["SlumbotHost", "serve_slumbot"]

_MOST_SESSIONS = 1000
_IDLE = 86_400.0  # seconds after which a hand is forfeited


@dataclass(slots=True)
class _Visit:
    """A session: its hand, and its totals."""

    number: int
    hand: Hand | None = None
    position: int = 0
    told: str = ""
    deck: list[int] = field(default_factory=list)
    touched: float = 0.0
    hands: int = 0
    total: int = 0
    baseline_total: int = 0


_LOGIN = "username and password do not match"


class SlumbotHost:
    """The API without a network: `answer` returns the status and the reply to a request.

    make: creates the agent; twice, as a baseline needs another one.  seed: of the cards and the
    tokens.  now: for tests.
    """

    def __init__(
        self, make: Callable[[], Agent], seed: int = 0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._bot, self._twins = make(), (make(), make())
        self._seed, self._now, self._rng = seed, now, Random(seed)
        self._sessions: OrderedDict[str, _Visit] = OrderedDict()
        self._deal = 0
        self._lock = threading.Lock()

    def answer(self, endpoint: str, body: Any) -> tuple[int, dict[str, Any]]:
        """The HTTP status and the JSON of a reply."""
        if not isinstance(body, dict):
            return 400, {"error_msg": "the body is not a JSON object"}
        with self._lock:
            token = body.get("token")
            if token is not None and (not isinstance(token, str) or token not in self._sessions):
                return 401, {"error_msg": "unknown token"}
            if endpoint == "login":
                known = all(isinstance(body.get(key), str) for key in ("username", "password"))
                return (200, {"token": self._begun()}) if known else (401, {"error_msg": _LOGIN})
            if endpoint == "new_hand":
                return 200, self._new_hand(self._begun() if token is None else token)
            if endpoint != "act":
                return 404, {"error_msg": f"no endpoint {shortened(endpoint)}"}
            if token is None:
                return 400, {"error_msg": "act needs a token"}
            try:
                return 200, self._act(self._sessions[token], body.get("incr"))
            except InputError as problem:
                return 200, {"error_msg": str(problem)}

    def _begun(self) -> str:
        """The token of a new session."""
        token = f"{self._rng.getrandbits(128):032x}"
        self._sessions[token] = _Visit(len(self._sessions))
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return token

    def _new_hand(self, token: str) -> dict[str, Any]:
        self._sessions.move_to_end(token)
        session = self._sessions[token]
        if session.hand is not None:
            self._forfeit(session)
        session.position = 1 - session.position
        session.deck = shuffled_decks(GAME, self._seed, self._deal, 1)[0].tolist()
        session.hand = Hand(
            GAME,
            [None, Seated(self._bot)],
            session.deck,
            seed=self._seed,
            deal=self._deal,
            button=button_of(session.position),
        )
        session.told = ""
        self._deal += 1
        return {**self._reply(session, ""), "token": token}

    def _act(self, session: _Visit, text: Any) -> dict[str, Any]:
        hand = session.hand
        if hand is None:
            raise InputError("the hand is over; ask for a new one")
        if self._now() - session.touched > _IDLE:
            self._forfeit(session)
            raise InputError("the hand was left alone for a day and is forfeited")
        action, view = parse_increment(text), hand.view(CLIENT)
        if action not in view.actions:
            raise InputError(f"{brief(text)} is not legal; legal: {view.actions}")
        before = action_string(view)
        hand.act(action)
        return self._reply(session, before)

    def _forfeit(self, session: _Visit) -> None:
        """A hand that was not played to its end costs the chips put in."""
        if session.hand is not None:
            session.total -= session.hand.view(CLIENT).paid[CLIENT]
            session.hands += 1
            session.hand = None

    def _reply(self, session: _Visit, before: str) -> dict[str, Any]:
        hand = session.hand
        assert hand is not None
        view = hand.advance()
        session.touched = self._now()
        end = None if view is not None else hand.result
        seen = view if view is not None else hand.view(CLIENT)
        reply = _hand_reply(seen, session.position, before)
        if end is not None:
            reply |= self._result(session, end)
            session.hand = None
        return reply

    def _result(self, session: _Visit, end: PlayedHand) -> dict[str, Any]:
        won, pot = end.payoffs[CLIENT], end.final.pot
        twins = [Seated(twin) for twin in self._twins]
        baseline = play_hand(
            GAME,
            twins,
            session.deck,
            seed=self._seed,
            deal=self._deal - 1,
            button=button_of(session.position),
        ).payoffs[CLIENT]
        session.hands += 1
        session.total += won
        session.baseline_total += baseline
        return {
            "bot_hole_cards": list(map(card_text, end.final.hole[1 - CLIENT])),
            "winnings": won,
            "won_pot": pot if won > 0 else -pot if won < 0 else 0,
            "session_num_hands": session.hands,
            "session_total": session.total,
            "baseline_winnings": baseline,
            "session_baseline_total": session.baseline_total,
        }


def _hand_reply(view: View, position: int, before: str) -> dict[str, Any]:
    return {
        "old_action": before,
        "action": action_string(view),
        "client_pos": position,
        "hole_cards": list(map(card_text, view.cards)),
        "board": list(map(card_text, view.board)),
    }


def serve_slumbot(host: SlumbotHost, address: str = "127.0.0.1", port: int = 0) -> Any:
    """An HTTP server, not yet running: call ``serve_forever``, and ``server_close`` at the end."""

    def answer(
        method: str, path: str, headers: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, Any]]:
        if method != "POST":
            return 405, {"error_msg": "every request is a POST"}
        return host.answer(path.removeprefix("/api/"), body)

    return serve_json(answer, "error_msg", address, port)
