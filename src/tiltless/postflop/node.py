"""Nodes of a solved spot: ranges, strategy and values of every hand.

A place is reached by moves: actions, and cards where a street is over. One board stands for all
that are the same up to suits that may be exchanged (`tiltless.postflop.boards`), so a place
knows how suits were exchanged on the way, and all vectors here are of the 1,326 real combos.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import (
    COMBO_CARDS,
    COMBO_COUNT,
    COMBO_OF,
    card_text,
    cards_text,
    parse_cards,
)
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.notation import line_text
from tiltless.kernels.postflop.street import ACTOR, AVERAGE, STREET_END
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.line import follow_line
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import unblocked

__all__ = ["Move", "Node", "find_node"]

Move = Action | int
"""An action, or the number of a card that is dealt."""
Vector = npt.NDArray[np.float64]
Combos = npt.NDArray[np.int64]

_SAME_SUITS = (0, 1, 2, 3)


@dataclass(frozen=True)
class Node:
    """A node on a board; `find_node` finds it.

    moves: how it is reached.  level: its street, counted from the first of the spot.  number: of
    its board in ``solver.boards[level]``.  node: of ``solver.forests[level]``.
    board: the real cards.  suits: for each real suit, the one that the solver has in its place.
    """

    solver: PostflopSolver
    moves: tuple[Move, ...]
    level: int
    number: int
    node: int
    board: tuple[int, ...]
    suits: tuple[int, int, int, int]

    @property
    def line(self) -> str:
        """How it is reached, in one text: ``x b32 c Ah``; see `tiltless.games.holdem.notation`."""
        return line_text(self.moves)

    @property
    def street(self) -> StreetForest:
        """The forest that the node belongs to."""
        return self.solver.forests[self.level]

    @property
    def actor(self) -> int:
        """Who acts here, or `STREET_END`, `SHOWDOWN`, `FOLD`."""
        return int(self.street.forest.node[self.node, ACTOR])

    @property
    def betting(self) -> Betting:
        """The chips here."""
        return self.street.betting[self.node]

    @property
    def pot(self) -> int:
        """All chips in the middle and in front."""
        spot = self.solver.spot
        return spot.pot + sum(spot.stack - behind for behind in self.betting.stacks)

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the actor may do; nothing where nobody acts."""
        offers = (self.street.action[child] for child in self.street.children(self.node))
        return tuple(offer for offer in offers if offer is not None)

    def after(self, move: Move) -> "Node":
        """Where a move leads; `OptionError` says what is possible instead."""
        if not isinstance(move, Action):
            return self._deal(move)
        for child in self.street.children(self.node):
            if self.street.action[child] == move:
                return replace(self, moves=(*self.moves, move), node=child)
        instead = ", ".join(map(str, self.actions))
        if not instead:
            instead = "a card" if self.actor == STREET_END else "nothing, for the hand is over"
        raise OptionError(f"{move} is not in the tree here; there is {instead}")

    def _deal(self, card: int) -> "Node":
        if self.actor != STREET_END:
            raise OptionError(f"{card_text(card)} cannot be dealt here; the street is not over")
        if card in self.board:
            raise OptionError(f"{card_text(card)} is on {cards_text(self.board)}; deal another")
        boards = self.solver.boards[self.level + 1]
        first, last = self.solver.boards[self.level].arrays.below[self.number : self.number + 2]
        known = card & ~3 | self.suits[card & 3]
        number = next(n for n in range(int(first), int(last)) if known in boards.images[n])
        swap = {known & 3: boards.boards[number][-1] & 3, boards.boards[number][-1] & 3: known & 3}
        one, two, three, four = (swap.get(suit, suit) for suit in self.suits)
        root = self.street.forest.next.tolist().index(self.node)
        return replace(
            self,
            moves=(*self.moves, card),
            level=self.level + 1,
            number=number,
            node=int(self.solver.forests[self.level + 1].forest.root[root]),
            board=(*self.board, card),
            suits=(one, two, three, four),
        )

    def cards_to_come(self) -> list[int]:
        """The cards that may be dealt here."""
        return (
            [card for card in range(52) if card not in self.board]
            if self.actor == STREET_END
            else []
        )

    def combos(self, player: int) -> Combos:
        """The real combos of a player's hands, in the solver's order, int64 ``[hands]``."""
        real = np.zeros(4, np.int64)
        real[list(self.suits)] = np.arange(4)  # the other way round
        cards = COMBO_CARDS[self.solver.boards[self.level].combos[self.number][player]]
        cards = cards & 0xFC | real[cards & 3]
        found: Combos = COMBO_OF[cards[:, 0], cards[:, 1]].astype(np.int64)
        return found

    def _all(self, player: int, numbers: npt.NDArray[np.floating]) -> Vector:
        """Numbers of a player's hands, as those of all combos; 0 for all others."""
        found = np.zeros((COMBO_COUNT, *numbers.shape[1:]))
        combos = self.combos(player)
        found[combos] = numbers[: len(combos)]
        return found

    @cached_property
    def strategy(self) -> Vector:
        """How often the actor takes each action with each combo, float64 ``[1326, actions]``.

        0 for combos that the actor does not have.
        """
        weights = self.solver.average(self.level, self.number, self.node).astype(np.float64)
        total = weights.sum(axis=1, keepdims=True)
        even = 1 / weights.shape[1]
        shares = np.where(total > 0, weights / np.where(total > 0, total, 1), even)
        return self._all(self.actor, shares)

    @cached_property
    def reaches(self) -> tuple[Vector, Vector]:
        """How often IP and OOP come here with each combo, float64 ``[1326]`` each.

        The weight in the range times the own strategy on the way; combos that the board blocks
        have 0.
        """
        reaches = [np.array(weights) for weights in self.solver.spot.weights]
        place = find_node(self.solver)
        for move in self.moves:
            if isinstance(move, Action):
                taken = place.actions.index(move)
                reaches[place.actor] *= place.strategy[:, taken]
            place = place.after(move)
        for player in (0, 1):
            there = np.zeros(COMBO_COUNT)
            there[self.combos(player)] = 1
            reaches[player] *= there
        return reaches[0], reaches[1]

    def cfv(self, player: int, mode: int = AVERAGE) -> Vector:
        """What each combo of a player wins from here on, times the opponent's reach: ``[1326]``.

        In chips, net of half the pot of the spot and of what was paid since. ``worth / others``
        is the expected value, see `others`.
        """
        return self._all(player, self.solver.cfv(self.level, self.number, player, mode)[self.node])

    def others(self, player: int) -> Vector:
        """The opponent's reach of hands that leave each combo of a player possible, ``[1326]``."""
        there = np.zeros(COMBO_COUNT)
        there[self.combos(player)] = 1
        return unblocked(self.reaches[1 - player]) * there


def find_node(solver: PostflopSolver, moves: Iterable[Move] | str = ()) -> Node:
    """The place that moves lead to from the start of the spot.

    moves: or their text, ``x b32 c Ah``, see `tiltless.games.holdem.notation`.
    """
    place = Node(solver, (), 0, 0, 0, parse_cards(solver.spot.board), _SAME_SUITS)
    if isinstance(moves, str):
        return follow_line(place, moves)
    for move in moves:
        place = place.after(move)
    return place
