"""History of a hand: its public moves as typed values, with the chips before each of them.

`View.moves` and `HoldemState.moves` are what everybody has seen happen, as bare moves. Here each of
them has its meaning, and whoever wants to know the past of a hand asks here::

    decisions(view)    who has done what, and the betting before it
    streets(view)      the same street by street, with how each of them began
    steps(view)        every move, cards too

A hand is replayed once: what was found of the last one is remembered, so that a hand that has grown
by a move costs a move, and an earlier moment of it nothing. All of it is public.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from tiltless.games.holdem.actions import Action, Call, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.rules import Rules

if TYPE_CHECKING:
    from tiltless.games.holdem.state import HoldemState
    from tiltless.games.holdem.view import View

__all__ = [
    "HIDDEN",
    "HIDDEN_RANKS",
    "HiddenDeal",
    "MoveMemory",
    "PastDecision",
    "PastStreet",
    "Step",
    "StreetDeal",
    "decisions",
    "steps",
    "streets",
    "view_before",
]

HIDDEN: tuple[int, ...] = ()
"""Stands in the public history for cards that one player has seen."""
HIDDEN_RANKS = "ranks"
"""Stands in the public history for an order of ranks that nobody has seen."""


class HiddenDeal(NamedTuple):
    """Hole cards of a seat, or where that is `NOBODY` an order of ranks, which stay hidden."""

    seat: int
    betting: Betting
    street: int = 0
    board: tuple[int, ...] = ()


class StreetDeal(NamedTuple):
    """Board cards, and the betting as it begins after them; board: with those dealt before."""

    street: int
    board: tuple[int, ...]
    cards: tuple[int, ...]
    betting: Betting


class PastDecision(NamedTuple):
    """A decision that has been made.

    street, board, betting: when ``seat`` was to act.  before: how many moves were before.
    """

    street: int
    board: tuple[int, ...]
    betting: Betting
    seat: int
    action: Action
    before: int

    @property
    def chips(self) -> int:
        """What the action adds to the pot."""
        if isinstance(self.action, RaiseTo):
            return self.action.chips - self.betting.bets[self.seat]
        if isinstance(self.action, Call):
            return min(self.betting.to_call, self.betting.stacks[self.seat])
        return 0


Step: TypeAlias = HiddenDeal | StreetDeal | PastDecision
"""A move of a hand."""


class PastStreet(NamedTuple):
    """A street that has begun.

    board: its cards.  betting: as it began.  before: how many moves were before.
    """

    street: int
    board: tuple[int, ...]
    betting: Betting
    before: int
    decisions: tuple[PastDecision, ...]

    @property
    def line(self) -> tuple[Action, ...]:
        """What was done on it."""
        return tuple([past.action for past in self.decisions])

    @property
    def aggressor(self) -> int:
        """The seat that made the last bet or raise, or `NOBODY`."""
        for past in reversed(self.decisions):
            if isinstance(past.action, RaiseTo):
                return past.seat
        return NOBODY


Value = TypeVar("Value")


class MoveMemory(Generic[Value]):
    """What is known after each move of the last hand that was followed.

    A hand continues from the moves that it shares with the previous one.
    """

    def __init__(self) -> None:
        self._last: tuple[Any, tuple[Any, ...], list[Value]] = None, (), []

    def follow(
        self,
        key: Any,
        moves: tuple[Any, ...],
        start: Value,
        step: Callable[[Value, int], Value],
    ) -> list[Value]:
        """The values before the first move and after each; maybe more, of moves that followed.

        key: what the values depend on besides the moves.  step: the value after a move, from the
        one before it and the number of the move.
        """
        known, before, values = self._last
        same = _shared(before, moves) if known == key else 0
        if known == key and same == len(moves):
            return values
        values = values[: same + 1] if known == key else [start]
        for index in range(same, len(moves)):
            values.append(step(values[-1], index))
        self._last = key, moves, values
        return values


def _shared(one: tuple[Any, ...], two: tuple[Any, ...]) -> int:
    """How many moves two hands have in common."""
    if one is two or two[: len(one)] == one:
        return len(one)
    pairs = enumerate(zip(one, two, strict=False))
    return next((number for number, (a, b) in pairs if a != b), len(two))


_memory: MoveMemory[Step] = MoveMemory()


def steps(hand: "View | HoldemState") -> tuple[Step, ...]:
    """Every move of a hand so far."""
    rules, button, opening, moves = hand.rules, hand.button, hand.opening, hand.moves
    found = _memory.follow(
        (rules, button, opening),
        moves,
        HiddenDeal(NOBODY, opening),  # before the first move
        lambda last, index: _step(rules, button, last, moves[index], index),
    )
    return tuple(found[1 : len(moves) + 1])


def _step(rules: Rules, button: int, last: Step, move: Any, index: int) -> Step:
    """What a move is, from the one before it."""
    betting, street = last.betting, last.street
    if isinstance(last, PastDecision):
        betting = betting.after(last.action)
    if isinstance(move, tuple):
        if move == HIDDEN:
            return HiddenDeal(last.seat + 1 if isinstance(last, HiddenDeal) else 0, betting)
        opened = betting.next_round(rules.round(street + 1), button)
        return StreetDeal(street + 1, last.board + move, move, opened)
    if isinstance(move, str):
        return HiddenDeal(NOBODY, betting)
    return PastDecision(street, last.board, betting, betting.actor, move, index)


def decisions(hand: "View | HoldemState") -> tuple[PastDecision, ...]:
    """All decisions of a hand so far."""
    return tuple([step for step in steps(hand) if isinstance(step, PastDecision)])


def streets(hand: "View | HoldemState") -> tuple[PastStreet, ...]:
    """All streets of a hand that have begun."""
    found = [PastStreet(0, (), hand.opening, 0, ())]
    for number, step in enumerate(steps(hand)):
        if isinstance(step, PastDecision):
            found[-1] = found[-1]._replace(decisions=(*found[-1].decisions, step))
        elif isinstance(step, StreetDeal):
            found.append(PastStreet(step.street, step.board, step.betting, number + 1, ()))
    return tuple(found)


def view_before(view: "View", past: PastDecision) -> "View":
    """What the player saw who made a decision; the cards stay unknown."""
    return view._replace(
        seat=past.seat,
        cards=(),
        street=past.street,
        board=past.board,
        actor=past.seat,
        actions=past.betting.actions,
        betting=past.betting,
        moves=view.moves[: past.before],
        shown=(),
        payoffs=None,
    )
