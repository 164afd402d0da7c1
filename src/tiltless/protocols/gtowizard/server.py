"""A local server that speaks the interface of GTO Wizard's benchmark, with any agent of ours.

For tests without the site, and for the clients of others. Cards come from a seed, the seats
alternate, and the opponent's cards are told at a showdown only. ``busy`` is the share of requests
that are answered with 503, half of them after they have been applied, which is what a client must
be prepared for. ``aivat_score`` is computed with the chance cards alone.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tiltless.agents.agent import Agent
from tiltless.arena.dealer import Hand, Seated, shuffled_decks
from tiltless.arena.estimators.aivat import aivat_hand
from tiltless.cards.card import cards_text
from tiltless.errors import InputError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.protocols.gtowizard.wire import GAME_NAME, OPPONENT_NAME, history
from tiltless.protocols.http_json import serve_json
from tiltless.protocols.web_table import BIG_BLIND, CLIENT, GAME, SMALL_BLIND, STACK
from tiltless.validate import brief

__all__ = ["GtoWizardHost", "serve_gtowizard"]

_MOST_HANDS = 20  # at once, as at the site
_STREETS = ("preflop", "flop", "turn", "river")
_ACT = re.compile(r"/hands/(\d{1,12})/act")
_GAME = {
    "game_id": 1,
    "game_name": GAME_NAME,
    "game_format": "heads-up",
    "starting_stack": STACK,
    "blinds": [BIG_BLIND, SMALL_BLIND],  # in the site's order
    "stack_reset_per_hand": True,
}


class GtoWizardHost:
    """The interface without a network: `answer` returns the status and the reply to a request.

    make: creates the opponent, once for each hand.  key: what requests must have; "" for any.
    busy: share of requests that are answered with 503.  aivat: whether to compute it.
    """

    def __init__(
        self,
        make: Callable[[], Agent],
        seed: int = 0,
        key: str = "",
        busy: float = 0.0,
        aivat: bool = True,
    ) -> None:
        self._make, self._seed, self._key, self._busy, self._aivat = make, seed, key, busy, aivat
        self._hands: OrderedDict[int, Hand] = OrderedDict()
        self._rng = Random(seed)
        self._deal = 0
        self._lock = threading.Lock()

    def answer(
        self, method: str, path: str, headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any]:
        """The HTTP status and the JSON of a reply; headers: by their names in lower case."""
        if self._key and headers.get("x-api-key") != self._key:
            return 401, {"detail": "Invalid or missing API key."}
        with self._lock:
            busy = self._rng.random() < self._busy
            if busy and self._rng.random() < 0.5:
                return 503, {"detail": "The engine is busy."}
            try:
                status, reply = self._applied(method, path.partition("?")[0], body)
            except InputError as problem:
                return 422, {"detail": str(problem)}
            return (503, {"detail": "The engine is busy."}) if busy else (status, reply)

    def _applied(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if method == "GET" and path == "/hands/in-progress":
            return 200, [self._reply(number, hand) for number, hand in self._hands.items()]
        if method != "POST" or not isinstance(body, dict):
            return 405, {"detail": "Send a POST with a JSON object."}
        if path == "/hands":
            return self._new_hand(body)
        found = _ACT.fullmatch(path)
        if found is None:
            return 404, {"detail": "Not found."}
        number = int(found[1])
        if number not in self._hands:
            return 409, {"detail": f"Hand {number} is not in progress."}
        hand = self._hands[number]
        action = _parse_action(body)
        if action not in hand.view(CLIENT).actions:
            raise InputError(f"{brief(body)} is not legal; legal: {hand.view(CLIENT).actions}")
        hand.act(action)
        return 200, self._moved(number, hand)

    def _new_hand(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body.get("game_name") != GAME_NAME:
            raise InputError(f"game_name={brief(body.get('game_name'))}; only {GAME_NAME}")
        if len(self._hands) >= _MOST_HANDS:
            return 409, {
                "detail": "Cannot start a new hand. The maximum number of concurrent hands "
                f"allowed is {_MOST_HANDS}."
            }
        deck = shuffled_decks(GAME, self._seed, self._deal, 1)[0].tolist()
        players = [None, Seated(self._make())]
        button = self._deal % 2
        hand = Hand(GAME, players, deck, seed=self._seed, deal=self._deal, button=button)
        self._deal += 1
        self._hands[self._deal] = hand
        return 200, self._moved(self._deal, hand)

    def _moved(self, number: int, hand: Hand) -> dict[str, Any]:
        """The reply after the opponent has acted; a hand that is over leaves the table."""
        if hand.advance() is None:
            del self._hands[number]
        return self._reply(number, hand)

    def _reply(self, number: int, hand: Hand) -> dict[str, Any]:
        view = hand.view(CLIENT)
        over = view.is_over
        shown = dict(view.shown)
        legal = [("f", view.actions.fold), ("k", view.actions.check), ("c", view.actions.call)]
        names = ["SB" if seat == view.button else "BB" for seat in (CLIENT, 1 - CLIENT)]
        cards = (view.cards, shown.get(1 - CLIENT, ()))
        winnings = view.payoffs[CLIENT] if view.payoffs is not None else None
        score = None
        if over and self._aivat:
            score = aivat_hand(hand.result.final, CLIENT, {}, None)
        return {
            "hand_id": number,
            "game": _GAME,
            "game_state": {
                "street": _STREETS[view.street],
                "common_pot": view.pot - sum(view.bets),
                "total_pot": view.pot,
                "board_cards": cards_text(view.board),
                "is_hand_over": over,
                "players": [
                    {
                        "name": ("player", OPPONENT_NAME)[seat],
                        "stack": view.stacks[seat],
                        "position": names[seat],
                        "hole_cards": cards_text(cards[seat]) or None,
                    }
                    for seat in (CLIENT, 1 - CLIENT)
                ],
                "legal_actions": [letter for letter, can in legal if can]
                + ["b"] * bool(view.max_raise),
                "raise_range": {"min": view.min_raise, "max": view.max_raise}
                if view.max_raise
                else None,
                "action_history": history(view),
                "has_gto_wizard_folded": over and 1 - CLIENT not in view.live,
                "winnings": winnings,
                "aivat_score": score,
            },
        }


def _parse_action(body: dict[str, Any]) -> Action:
    words: dict[Any, Action] = {"f": FOLD, "k": CHECK, "c": CALL}
    letter, amount = body.get("action"), body.get("amount")
    if isinstance(letter, str) and letter in words:
        return words[letter]
    if letter != "b" or amount.__class__ is not int or not 0 < amount <= STACK:
        raise InputError(f"{brief(body)} is not an action; send f, k, c, or b with an amount")
    return RaiseTo(amount)


def serve_gtowizard(host: GtoWizardHost, address: str = "127.0.0.1", port: int = 0) -> Any:
    """An HTTP server, not yet running: call ``serve_forever``, and ``server_close`` at the end."""
    return serve_json(host.answer, "detail", address, port)
