"""PyPokerEngine messages from our views, and actions from its players' answers."""

from collections.abc import Sequence
from typing import Any

from tiltless.agents.agent import check_or_call
from tiltless.cards.card import card_text
from tiltless.errors import InputError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards, Event, Post
from tiltless.games.holdem.streets import STREETS
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import RULINGS
from tiltless.validate import brief

__all__ = [
    "ReportedHand",
    "game_info",
    "read_answer",
    "round_state",
    "seat_uuid",
    "their_card",
    "update_message",
    "valid_actions",
]


def their_card(card: int) -> str:
    """A card in the engine's form: ``"CA"``."""
    text = card_text(card)
    return text[1].upper() + text[0]


def valid_actions(view: View) -> list[dict[str, Any]]:
    """The legal actions in the engine's form.

    As in the engine, a raise is -1 if the smallest is too expensive, and a raise that nobody can
    call is listed.
    """
    actions, least = view.actions, view.betting.least
    low, high = actions.min_raise, actions.max_raise
    if _is_vain(view):
        low, high = least, view.stack + view.bets[view.seat]
    if not high or least > high:
        low = high = -1
    return [
        {"action": "fold", "amount": 0},
        {"action": "call", "amount": view.betting.high},
        {"action": "raise", "amount": {"min": low, "max": high}},
    ]


def _is_vain(view: View) -> bool:
    """Whether nobody has chips left to call a raise with."""
    high, able = view.betting.high, view.betting.able
    return not any(
        able >> seat & 1 and view.bets[seat] + view.stacks[seat] > high
        for seat in range(len(view.stacks))
        if seat != view.seat
    )


def round_state(view: View, count: int = 1, names: Sequence[str] = ()) -> dict[str, Any]:
    """A position in the engine's form.  count: number of the hand.  names: by seat."""
    hand = ReportedHand(view, count, names)
    for event in view.events:
        hand.happen(event)
    return hand.state(view.actor)


class ReportedHand:
    """A hand as the engine's messages report it, event by event."""

    def __init__(self, view: View, count: int, names: Sequence[str]) -> None:
        seats = view.rules.seats
        self.view, self.count = view, count
        self.names = names or tuple(f"seat {seat}" for seat in range(seats))
        self.stacks = list(view.starting_stacks)
        self.bets, self.paid = [0] * seats, [0] * seats
        self.folded: set[int] = set()
        self.board: list[int] = []
        self.street = "preflop"
        self.histories: dict[str, list[dict[str, Any]]] = {"preflop": []}
        self.agreed = 0

    def happen(self, event: Event) -> None:
        """Add an event."""
        if isinstance(event, Post):
            self._pay(event.seat, event.chips)
            if event.kind.endswith("ante"):
                self._write(event.seat, action="ANTE", amount=event.chips)
                return
            self.bets[event.seat] += event.chips
            small = self.view.rules.blinds[0]
            word = "SMALLBLIND" if event.kind == "small blind" else "BIGBLIND"
            self._write(event.seat, action=word, amount=event.chips, add_amount=small)
            self.agreed = max(self.agreed, event.chips)
        elif isinstance(event, BoardCards):
            self.board += event.cards
            self.street = event.street if event.street in STREETS else "river"
            self.histories.setdefault(self.street, [])
            self.bets, self.agreed = [0] * len(self.bets), 0
        elif isinstance(event, Acted):
            self._act(event)

    def _act(self, event: Acted) -> None:
        seat = event.seat
        if event.action == FOLD:
            self.folded.add(seat)
            self._write(seat, action="FOLD")
            return
        self._pay(seat, event.chips)
        self.bets[seat] += event.chips
        total = self.bets[seat]
        if isinstance(event.action, RaiseTo):
            more = total - self.agreed
            self._write(seat, action="RAISE", amount=total, paid=event.chips, add_amount=more)
            self.agreed = total
        else:
            self._write(seat, action="CALL", amount=total, paid=event.chips)

    def _pay(self, seat: int, chips: int) -> None:
        self.stacks[seat] -= chips
        self.paid[seat] += chips

    def _write(self, seat: int, **line: Any) -> None:
        self.histories[self.street].append({**line, "uuid": seat_uuid(seat)})

    def seats(self, stacks: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """All seats; stacks: those after the hand, if it is over."""
        return [
            {
                "name": self.names[seat],
                "uuid": seat_uuid(seat),
                "stack": stack,
                "state": self._state(seat),
            }
            for seat, stack in enumerate(stacks or self.stacks)
        ]

    def _state(self, seat: int) -> str:
        if seat in self.folded:
            return "folded"
        return "participating" if self.stacks[seat] else "allin"

    def _pots(self) -> dict[str, Any]:
        """One pot for each all-in, smallest first, and the rest."""
        seats = range(len(self.paid))
        pots: list[dict[str, Any]] = []
        shared = 0
        for level in sorted(self.paid[seat] for seat in seats if self._state(seat) == "allin"):
            chips = sum(min(each, level) for each in self.paid) - shared
            eligible = [s for s in seats if self.paid[s] >= level and s not in self.folded]
            pots.append({"amount": chips, "eligibles": list(map(seat_uuid, eligible))})
            shared += chips
        eligible = [seat for seat in seats if self.paid[seat] == max(self.paid)]
        last = {"amount": sum(self.paid) - shared, "eligibles": list(map(seat_uuid, eligible))}
        main, *side = [*pots, last]
        return {"main": {"amount": main["amount"]}, "side": side}

    def state(self, actor: int, stacks: Sequence[int] | None = None) -> dict[str, Any]:
        """The current ``round_state``; stacks: those after the hand, if it is over."""
        view = self.view
        posted = {post.kind: post.seat for post in view.posts}
        big = posted.get("big blind", view.button)
        return {
            "street": "showdown" if stacks else self.street,
            "pot": self._pots(),
            "community_card": list(map(their_card, self.board)),
            "dealer_btn": view.button,
            "next_player": max(actor, 0),
            "small_blind_pos": posted.get("small blind", big),
            "big_blind_pos": big,
            "round_count": self.count,
            "small_blind_amount": view.rules.blinds[0],
            "seats": self.seats(stacks),
            "action_histories": {street: list(each) for street, each in self.histories.items()},
        }


def seat_uuid(seat: int) -> str:
    """The uuid of a seat in messages."""
    return f"seat-{seat}"


def game_info(view: View, hand: ReportedHand) -> dict[str, Any]:
    """The message before the first hand; the number of hands is not known."""
    return {
        "player_num": view.rules.seats,
        "rule": {
            "initial_stack": view.rules.stacks[view.seat],
            "max_round": 0,
            "small_blind_amount": view.rules.blinds[0],
            "ante": view.rules.ante,
            "blind_structure": {},
        },
        "seats": hand.seats(),
    }


def update_message(event: Acted, hand: ReportedHand) -> dict[str, Any]:
    """The message about a player's action."""
    word, amount = "call", hand.bets[event.seat]
    if event.action == FOLD:
        word, amount = "fold", 0
    elif isinstance(event.action, RaiseTo):
        word = "raise"
    return {"player_uuid": seat_uuid(event.seat), "action": word, "amount": amount}


def read_answer(answer: Any, view: View) -> Action:
    """The action that the engine reads from an answer; `InputError` if it would end its game."""
    try:
        word, amount = answer
        chips = int(amount)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{brief(answer)} is not an answer; return (action, amount)") from None
    actions, high = view.actions, view.betting.high
    total = view.stack + view.bets[view.seat]
    illegal = RULINGS["pypokerengine"].illegal.action(actions)
    if word == "fold":
        return FOLD if actions.fold else CHECK
    if word == "call":
        if chips >= total > high and RaiseTo(total) in actions:
            return RaiseTo(total)
        if chips == high or chips >= total:
            return check_or_call(actions)
        return illegal
    if word == "raise":
        if RaiseTo(chips) in actions:
            return RaiseTo(chips)
        if chips == total and actions.call == view.stack:  # all-in for no more than a call
            return CALL
        if _is_vain(view) and view.betting.least <= chips <= total:
            return check_or_call(actions)  # chips that nobody can call are returned
        return illegal
    raise InputError(f"{brief(word)} is not an action of PyPokerEngine; use fold, call or raise")
