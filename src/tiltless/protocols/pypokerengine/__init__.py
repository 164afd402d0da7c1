"""PyPokerEngine: our agents play in it, and its players play in our arena.

::

    config.register_player("ours", Visitor("blueprint"))                      # at their table
    make_agent("pypokerengine:class=examples.players.fish_player:FishPlayer")  # at ours

In both directions only messages are translated; each engine keeps its own rules. Theirs differ:
heads-up the button posts the big blind and acts last on every street; the smallest raise before the
flop is to one and a half big blinds; folding is allowed when checking is free; the hand evaluator
has errors. `engine_game` is our game with the first three. Amounts are totals for the street, like
ours. Their cards are written suit first: ``CA``.

For version 1.0.1 (2017), installed with the extra ``interop``.
"""

import random
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tiltless.agents.agent import Agent, Clock, Decision, code_fingerprint
from tiltless.agents.registry import import_named
from tiltless.arena.rulings import Fault
from tiltless.errors import OptionError
from tiltless.games.holdem.events import Acted, BoardCards, Post, Won
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import Adapter
from tiltless.protocols.pypokerengine.dialect import EngineAnswer, EngineDialect, EngineMessage
from tiltless.protocols.pypokerengine.messages import (
    ReportedHand,
    game_info,
    read_answer,
    seat_uuid,
    their_card,
    update_message,
    valid_actions,
)
from tiltless.protocols.pypokerengine.view import engine_game
from tiltless.seeding import SeededRandom, mixed

try:
    from pypokerengine.engine.card import Card
    from pypokerengine.engine.hand_evaluator import HandEvaluator
    from pypokerengine.players import BasePokerPlayer
except ModuleNotFoundError:
    raise OptionError("PyPokerEngine is not installed; pip install 'tiltless[interop]'") from None

__all__ = ["Guest", "Visitor", "engine_game", "visitor_class"]


_HOOKS = tuple(f"receive_{what}_message" for what in ("game_start", "round_start", "street_start"))
_HOOKS += tuple(f"receive_{what}_message" for what in ("game_update", "round_result"))


class _Visiting:
    """The methods of a visitor, whichever copy of the engine's base class it extends."""

    uuid: str

    def __init__(self, agent: Agent | str, seed: int = 0) -> None:
        super().__init__()
        self.adapter = Adapter(EngineDialect(), agent, seed=seed)

    @property
    def faults(self) -> list[Fault]:
        """See `Adapter`."""
        return self.adapter.faults

    def declare_action(self, valid_actions: Any, hole_card: Any, round_state: Any) -> Any:
        """The agent's action in the engine's form."""
        return self._receive("declare_action", valid_actions, hole_card, round_state)

    def receive_game_start_message(self, game_info: Any) -> None:
        """A match begins; `OptionError` if the agent cannot play at this table."""
        self._receive("game_start", game_info)

    def receive_round_start_message(self, round_count: Any, hole_card: Any, seats: Any) -> None:
        """Cards are dealt."""
        self._receive("round_start", round_count, hole_card, seats)

    def receive_street_start_message(self, street: Any, round_state: Any) -> None:
        """A street begins; the first street begins the hand."""
        self._receive("street_start", street, round_state)

    def receive_game_update_message(self, action: Any, round_state: Any) -> None:
        """A player has acted."""
        self._receive("game_update", action, round_state)

    def receive_round_result_message(self, winners: Any, hand_info: Any, round_state: Any) -> None:
        """The hand is over."""
        self._receive("round_result", winners, hand_info, round_state)

    def _receive(self, what: str, *arguments: Any) -> EngineAnswer | None:
        return self.adapter.receive(EngineMessage(self.uuid, what, arguments))


class Visitor(_Visiting, BasePokerPlayer):  # type: ignore[misc]
    """One of our agents as a player in PyPokerEngine.

    agent: an agent, or its text in the registry.  seed: seed of the agent's random numbers.
    faults: decisions where the agent crashed or acted illegally, in which case it checks if that is
    free and folds otherwise; and messages that could not be read.
    """


def visitor_class(base: type) -> type:
    """`Visitor` for a fork of the engine that has its own copy of BasePokerPlayer.

    ``visitor_class(their.BasePokerPlayer)("blueprint")`` is a player that this fork accepts.
    """
    return type("Visitor", (_Visiting, base), {"__doc__": Visitor.__doc__})


class Guest(Agent):
    """A player of PyPokerEngine in our arena.

    class_: ``module:Class``, or the class itself.

    It receives the engine's messages, and its answers are read and ruled on as in the engine
    (`tiltless.protocols.adapter.RULINGS`): an illegal amount is a fold (a check, if our rules
    forbid folding when checking is free), a call with all its chips is all-in. A word that the
    engine does not know, which ends its game, is a fault here, and our dealer rules on it.

    The module ``random``, which such players use, is seeded before each call and restored
    afterwards: in a decision from the decision's generator, at the start of a hand from what the
    player sees, and for the constructor always in the same way. So hands can be replayed, unless
    the player learns from hand to hand.
    """

    def __init__(self, class_: str | type) -> None:
        self._maker = _find_class(class_) if isinstance(class_, str) else class_
        self._new_player()

    def _new_player(self) -> None:
        self._rng = SeededRandom(0)
        self.player: Any = self._seeded(self._maker)
        self._met = False
        self._count = self._told = 0
        self._hand: ReportedHand | None = None

    def fingerprint(self) -> str:
        """Fingerprint of our code and the player's."""
        return f"{super().fingerprint()} {code_fingerprint(self._maker)}"

    def match_start(self) -> None:
        """Make a new player, which has learned nothing."""
        self._new_player()

    def hand_start(self, view: View) -> None:
        """Tell the player its cards, and before the first hand the rules."""
        self._count += 1
        self._told = 0
        hand = self._hand = ReportedHand(view, self._count, ())
        for event in view.events:  # the forced bets
            if isinstance(event, Post):
                hand.happen(event)
        if not self._met:
            self._met = True
            self.player.uuid = seat_uuid(view.seat)
            if hasattr(self.player, "set_uuid"):
                self.player.set_uuid(seat_uuid(view.seat))
            self._call("receive_game_start_message", game_info(view, hand))
        seen = (*view.starting_stacks, *view.rules.blinds, view.button, view.seat, *view.cards)
        self._rng = SeededRandom(mixed(*seen))
        cards = list(map(their_card, view.cards))
        self._call("receive_round_start_message", self._count, cards, hand.seats())
        self._call("receive_street_start_message", "preflop", hand.state(view.opening.actor))

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Ask the player."""
        hand = self._catch_up(view)
        self._rng = SeededRandom(rng.getrandbits(64))
        cards = list(map(their_card, view.cards))
        answer = self._call("declare_action", valid_actions(view), cards, hand.state(view.seat))
        return Decision(read_answer(answer, view), source=self._maker.__name__)

    def hand_end(self, view: View) -> None:
        """Tell the player the result, with the engine's names of the hands."""
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
        """Tell the player everything that has happened since the last message."""
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
        return self._seeded(getattr(self.player, method), *arguments)

    def _seeded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function with the module ``random`` seeded from our generator."""
        before = random.getstate()
        random.seed(self._rng.getrandbits(64))
        try:
            return function(*arguments)
        finally:
            random.setstate(before)


def _find_class(text: str) -> type:
    """A class with the methods of a player; its base may be another copy of BasePokerPlayer."""
    player = import_named(text)
    missing = [name for name in ("declare_action", *_HOOKS) if not hasattr(player, name)]
    if not isinstance(player, type) or missing:
        why = f"it has no method {missing[0]}" if missing else "it is not a class"
        raise OptionError(
            f"{text} is not a player: {why}; name a class that extends BasePokerPlayer"
        )
    return player


def _engine_cards(cards: Sequence[int]) -> list[Any]:
    return [Card.from_str(their_card(card)) for card in cards]
