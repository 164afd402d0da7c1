"""PyPokerEngine: our agents play in it, and its players play in our arena.

::

    config.register_player("ours", Visitor("blueprint"))                      # at their table
    make_agent("pypokerengine:class=examples.players.fish_player:FishPlayer")  # at ours

Both ways only messages are translated; each engine keeps its own rules. Theirs differ: of two
players the button posts the big blind and acts last on every street; the smallest raise before the
flop is to one and a half big blinds; folding is allowed where checking is free; hands are compared
by a faulty evaluator. A table of ours with the first three is `engine_game`. Amounts are totals of
the street, as ours are. Their cards are written suit first: ``CA``.

Version 1.0.1 (2017), the extra ``interop``.
"""

import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from tiltless.agents.agent import Agent, Clock, Decision, check_or_fold, code_fingerprint
from tiltless.agents.registry import import_named, make_agent
from tiltless.arena.dealer import Fault, said
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import FOLD, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards, Post, Won
from tiltless.games.holdem.view import View
from tiltless.protocols.pypokerengine.messages import (
    ReportedHand,
    game_info,
    read_answer,
    seat_uuid,
    their_card,
    update_message,
    valid_actions,
)
from tiltless.protocols.pypokerengine.view import dealt_in, engine_game, view_of_round
from tiltless.seeding import SeededRandom, mixed
from tiltless.validate import brief

try:
    from pypokerengine.engine.card import Card
    from pypokerengine.engine.hand_evaluator import HandEvaluator
    from pypokerengine.players import BasePokerPlayer
except ModuleNotFoundError:
    raise OptionError("PyPokerEngine is not installed; pip install 'tiltless[interop]'") from None

__all__ = ["Guest", "Visitor", "engine_game", "visitor_class"]


_TOLD = tuple(f"receive_{what}_message" for what in ("game_start", "round_start", "street_start"))
_TOLD += tuple(f"receive_{what}_message" for what in ("game_update", "round_result"))


class _Visiting:
    """What a visitor does, whichever copy of the engine's base class it extends."""

    uuid: str

    def __init__(self, agent: Agent | str, seed: int = 0) -> None:
        super().__init__()
        self.agent = make_agent(agent) if isinstance(agent, str) else agent
        self.seed = seed
        self.faults: list[Fault] = []
        self._cards: list[str] = []
        self._starting: tuple[int, ...] | None = None
        self._decisions = 0

    def declare_action(
        self,
        valid_actions: Sequence[Mapping[str, Any]],
        hole_card: Sequence[str],
        round_state: Mapping[str, Any],
    ) -> tuple[str, int]:
        """The agent's action in their words."""
        view = view_of_round(round_state, self.uuid, hole_card, valid_actions)
        rng = SeededRandom(
            mixed(self.seed, round_state["round_count"], 3 + view.seat, self._decisions)
        )
        self._decisions += 1
        fault = None
        try:
            action = self.agent.act(view, Clock(), rng).action
            if action not in view.actions:
                told = f"{brief(action)} is not legal; legal: {view.actions}"
                fault = Fault(view.seat, "illegal", told)
        except Exception as problem:
            fault = Fault(view.seat, "crashed", said(problem))
        if fault is not None:
            self.faults.append(fault)
            action = check_or_fold(view.actions)
        if isinstance(action, RaiseTo):
            return "raise", action.chips
        if action == FOLD:
            return "fold", 0
        return "call", next(each["amount"] for each in valid_actions if each["action"] == "call")

    def receive_game_start_message(self, game_info: Mapping[str, Any]) -> None:
        """A match begins; `OptionError` where the agent cannot play at this table."""
        rule = game_info["rule"]
        game = engine_game(
            rule["small_blind_amount"],
            game_info["player_num"],
            rule["initial_stack"],
            rule.get("ante", 0),
        )
        note = self.agent.check_table(game.name, game.rules)
        if note:
            warnings.warn(f"{type(self.agent).__name__}: {note}", stacklevel=2)
        self.agent.match_start()

    def receive_round_start_message(
        self, round_count: int, hole_card: list[str], seats: Sequence[Mapping[str, Any]]
    ) -> None:
        """Keep the cards for the hooks."""
        self._cards, self._starting, self._decisions = hole_card, None, 0

    def receive_street_start_message(self, street: str, round_state: Mapping[str, Any]) -> None:
        """The first street begins the hand."""
        if street == "preflop" and self.uuid in dealt_in(round_state):
            view = view_of_round(round_state, self.uuid, self._cards)
            self._starting = view.starting_stacks
            self._tell("hand_start", view)

    def receive_game_update_message(
        self, action: Mapping[str, Any], round_state: Mapping[str, Any]
    ) -> None:
        """Nothing: views tell what has happened."""

    def receive_round_result_message(
        self,
        winners: Sequence[Mapping[str, Any]],
        hand_info: Sequence[Mapping[str, Any]],
        round_state: Mapping[str, Any],
    ) -> None:
        """The hand is over; the engine never shows the cards of others."""
        if self._starting is not None:
            end = view_of_round(round_state, self.uuid, self._cards, None, self._starting)
            self._tell("hand_end", end)

    def _tell(self, hook: str, view: View) -> None:
        try:
            getattr(self.agent, hook)(view)
        except Exception as problem:
            self.faults.append(Fault(view.seat, "hook", f"{hook}: {problem}"))


class Visitor(_Visiting, BasePokerPlayer):  # type: ignore[misc]
    """An agent of ours as a player of PyPokerEngine.

    agent: or its text, of the registry.  seed: of the agent's luck.  faults: where the agent
    crashed or was illegal; it then has checked where that was free, and folded where not.
    """


def visitor_class(base: type) -> type:
    """`Visitor` for a fork of the engine that has its own copy of the class BasePokerPlayer.

    ``visitor_class(their.BasePokerPlayer)("blueprint")`` is a player that this fork accepts.
    """
    return type("Visitor", (_Visiting, base), {"__doc__": Visitor.__doc__})


class Guest(Agent):
    """A player of PyPokerEngine in our arena.

    class_: ``module:Class``, or the class itself.

    It is told what the engine would tell it, and its answers are read as the engine reads them: an
    amount that is not possible is a fold (a check, where our rules forbid to fold for free), a call
    with all its chips is all-in. A word that the engine does not know, which ends its game, is a
    fault here. Its luck, the module ``random``, is set from ours for each call and put back: in a
    decision from the decision's, before it from what the player sees when the hand begins, and when
    it is made, always alike. So hands can be played again. (A player that learns from hand to hand
    is another matter: what it has learned is not in the hand.)
    """

    def __init__(self, class_: str | type) -> None:
        self._maker = _find_class(class_) if isinstance(class_, str) else class_
        self._new_player()

    def _new_player(self) -> None:
        self._luck = SeededRandom(0)
        self.player: Any = self._lucky(self._maker)
        self._met = False
        self._count = self._told = 0
        self._hand: ReportedHand | None = None

    def fingerprint(self) -> str:
        """Of our code and the player's."""
        return f"{super().fingerprint()} {code_fingerprint(self._maker)}"

    def match_start(self) -> None:
        """A new player, who knows nothing."""
        self._new_player()

    def hand_start(self, view: View) -> None:
        """The cards, and before the first hand the rules."""
        self._count += 1
        self._told = 0
        hand = self._hand = ReportedHand(view, self._count, ())
        for event in view.events:  # the forced bets, and whatever came before we were asked
            if isinstance(event, Post):
                hand.happen(event)
        if not self._met:
            self._met = True
            self.player.uuid = seat_uuid(view.seat)
            if hasattr(self.player, "set_uuid"):
                self.player.set_uuid(seat_uuid(view.seat))
            self._call("receive_game_start_message", game_info(view, hand))
        seen = (*view.starting_stacks, *view.rules.blinds, view.button, view.seat, *view.cards)
        self._luck = SeededRandom(mixed(*seen))
        cards = list(map(their_card, view.cards))
        self._call("receive_round_start_message", self._count, cards, hand.seats())
        self._call("receive_street_start_message", "preflop", hand.state(view.opening.actor))

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Ask the player."""
        hand = self._catch_up(view)
        self._luck = SeededRandom(rng.getrandbits(64))
        cards = list(map(their_card, view.cards))
        answer = self._call("declare_action", valid_actions(view), cards, hand.state(view.seat))
        return Decision(read_answer(answer, view), source=self._maker.__name__)

    def hand_end(self, view: View) -> None:
        """Who has won what, with their names for the hands."""
        hand = self._catch_up(view)
        assert view.payoffs is not None
        stacks = [sum(pair) for pair in zip(view.starting_stacks, view.payoffs, strict=True)]
        seats = hand.seats(stacks)
        winners = [seats[event.seat] for event in view.events if isinstance(event, Won)]
        board = _engine_cards(view.board)
        info = [
            {
                "uuid": seat_uuid(seat),
                "hand": HandEvaluator.gen_hand_rank_info(_engine_cards(cards), board),
            }
            for seat, cards in view.shown
        ]
        self._call("receive_round_result_message", winners, info, hand.state(view.actor, stacks))
        self._hand = None

    def _catch_up(self, view: View) -> ReportedHand:
        """Tell everything that has happened since the player was last spoken to."""
        if self._hand is None:
            self.hand_start(view)
        hand = self._hand
        assert hand is not None
        events = [event for event in view.events if isinstance(event, Acted | BoardCards)]
        for number, event in enumerate(events[self._told :], self._told + 1):
            hand.happen(event)
            if isinstance(event, Acted):
                update = update_message(event, hand)
                self._call("receive_game_update_message", update, hand.state(event.seat))
            else:
                later = events[number] if number < len(events) else None
                actor = later.seat if isinstance(later, Acted) else view.actor
                self._call("receive_street_start_message", hand.street, hand.state(actor))
        self._told = len(events)
        return hand

    def _call(self, method: str, *arguments: Any) -> Any:
        return self._lucky(getattr(self.player, method), *arguments)

    def _lucky(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call, with the module ``random`` in a state that follows from our luck."""
        before = random.getstate()
        random.seed(self._luck.getrandbits(64))
        try:
            return function(*arguments)
        finally:
            random.setstate(before)


def _find_class(text: str) -> type:
    """A class with the methods of a player; its base may be another copy of BasePokerPlayer."""
    found = import_named(text)
    missing = [name for name in ("declare_action", *_TOLD) if not hasattr(found, name)]
    if not isinstance(found, type) or missing:
        raise OptionError(
            f"{text} is no player: it has no {' or '.join(missing[:1]) or 'class'}; "
            "name a class that extends BasePokerPlayer"
        )
    return found


def _engine_cards(cards: Sequence[int]) -> list[Any]:
    return [Card.from_str(their_card(card)) for card in cards]
