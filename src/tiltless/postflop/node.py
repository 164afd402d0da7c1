"""Nodes of a solved spot: ranges, strategy and values of every hand.

A node is reached by moves: actions, and cards where a street ends. One board represents all
boards that differ only by interchangeable suits (`tiltless.postflop.boards`), so a node records
how suits were exchanged along the line. All vectors here are indexed by the 1,326 real combos.
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
"""An action, or the index of a dealt card."""
Vector = npt.NDArray[np.float64]
Combos = npt.NDArray[np.int64]

_SAME_SUITS = (0, 1, 2, 3)


@dataclass(frozen=True)
class Node:
    """A node on a board; `find_node` finds it.

    moves: how it is reached.  street_index: its street, 0 for the street of the spot.
    board_index: its board in ``solver.boards[street_index]``.
    index: its node in ``solver.forests[street_index]``.
    board: the real cards.  suits: for each real suit, the suit that the solver uses instead.
    """

    solver: PostflopSolver
    moves: tuple[Move, ...]
    street_index: int
    board_index: int
    index: int
    board: tuple[int, ...]
    suits: tuple[int, int, int, int]

    @property
    def line(self) -> str:
        """The line that leads here: ``x b32 c Ah``; see `tiltless.games.holdem.notation`."""
        return line_text(self.moves)

    @property
    def forest(self) -> StreetForest:
        """The betting forest of its street."""
        return self.solver.forests[self.street_index]

    @property
    def actor(self) -> int:
        """Who acts here, or `STREET_END`, `SHOWDOWN`, `FOLD`."""
        return int(self.forest.forest.node[self.index, ACTOR])

    @property
    def betting(self) -> Betting:
        """The state of the betting here."""
        return self.forest.betting[self.index]

    @property
    def pot(self) -> int:
        """All chips in the middle and in front of the players."""
        spot = self.solver.spot
        return spot.pot + sum(spot.stack - behind for behind in self.betting.stacks)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the actor; empty where nobody acts."""
        offers = (self.forest.action[child] for child in self.forest.children(self.index))
        return tuple(offer for offer in offers if offer is not None)

    def after(self, move: Move) -> "Node":
        """The node after a move; `OptionError` lists the possible moves instead."""
        if not isinstance(move, Action):
            return self._deal(move)
        for child in self.forest.children(self.index):
            if self.forest.action[child] == move:
                return replace(self, moves=(*self.moves, move), index=child)
        instead = ", ".join(map(str, self.actions))
        if not instead:
            instead = "a card" if self.actor == STREET_END else "nothing, as the hand is over"
        raise OptionError(f"{move} is not in the tree here; there is {instead}")

    def _deal(self, card: int) -> "Node":
        if self.actor != STREET_END:
            raise OptionError(f"{card_text(card)} cannot be dealt here; the street is not over")
        if card in self.board:
            raise OptionError(f"{card_text(card)} is on {cards_text(self.board)}; deal another")
        boards = self.solver.boards[self.street_index + 1]
        first, last = self.solver.boards[self.street_index].arrays.below[
            self.board_index : self.board_index + 2
        ]
        solver_card = card & ~3 | self.suits[card & 3]
        board_index = next(
            n for n in range(int(first), int(last)) if solver_card in boards.images[n]
        )
        swap = {
            solver_card & 3: boards.boards[board_index][-1] & 3,
            boards.boards[board_index][-1] & 3: solver_card & 3,
        }
        one, two, three, four = (swap.get(suit, suit) for suit in self.suits)
        root = self.forest.forest.next.tolist().index(self.index)
        return replace(
            self,
            moves=(*self.moves, card),
            street_index=self.street_index + 1,
            board_index=board_index,
            index=int(self.solver.forests[self.street_index + 1].forest.root[root]),
            board=(*self.board, card),
            suits=(one, two, three, four),
        )

    def cards_to_come(self) -> list[int]:
        """The cards that may be dealt here; none within a street."""
        if self.actor != STREET_END:
            return []
        return [card for card in range(52) if card not in self.board]

    def combos(self, player: int) -> Combos:
        """The real combos of a player's hands, in the solver's order, int64 ``[hands]``."""
        real = np.zeros(4, np.int64)
        real[list(self.suits)] = np.arange(4)  # the inverse of suits
        cards = COMBO_CARDS[self.solver.boards[self.street_index].combos[self.board_index][player]]
        cards = cards & 0xFC | real[cards & 3]
        combos: Combos = COMBO_OF[cards[:, 0], cards[:, 1]].astype(np.int64)
        return combos

    def _all(self, player: int, numbers: npt.NDArray[np.floating]) -> Vector:
        """Values of a player's hands, spread over all combos; 0 for combos not in the range."""
        spread = np.zeros((COMBO_COUNT, *numbers.shape[1:]))
        combos = self.combos(player)
        spread[combos] = numbers[: len(combos)]
        return spread

    @cached_property
    def strategy(self) -> Vector:
        """How often the actor takes each action with each combo, float64 ``[1326, actions]``.

        0 for combos that are not in the actor's range.
        """
        weights = self.solver.average(self.street_index, self.board_index, self.index).astype(
            np.float64
        )
        total = weights.sum(axis=1, keepdims=True)
        even = 1 / weights.shape[1]
        probs = np.where(total > 0, weights / np.where(total > 0, total, 1), even)
        return self._all(self.actor, probs)

    @cached_property
    def reaches(self) -> tuple[Vector, Vector]:
        """The reach of IP and OOP with each combo, float64 ``[1326]`` each.

        The combo's weight in the range times the probabilities of the player's own actions on the
        line; 0 for combos that the board blocks.
        """
        reaches = [np.array(weights) for weights in self.solver.spot.weights]
        node = find_node(self.solver)
        for move in self.moves:
            if isinstance(move, Action):
                taken = node.actions.index(move)
                reaches[node.actor] *= node.strategy[:, taken]
            node = node.after(move)
        for player in (0, 1):
            held = np.zeros(COMBO_COUNT)
            held[self.combos(player)] = 1
            reaches[player] *= held
        return reaches[0], reaches[1]

    def cfv(self, player: int, mode: int = AVERAGE) -> Vector:
        """Counterfactual values of a player's combos, ``[1326]``: chips won times opponent reach.

        In chips, net of half the pot of the spot and of what was paid since. ``cfv / others``
        is the expected value, see `others`.
        """
        return self._all(
            player, self.solver.cfv(self.street_index, self.board_index, player, mode)[self.index]
        )

    def others(self, player: int) -> Vector:
        """The opponent's reach summed over hands that share no card with each combo, ``[1326]``."""
        held = np.zeros(COMBO_COUNT)
        held[self.combos(player)] = 1
        return unblocked(self.reaches[1 - player]) * held


def find_node(solver: PostflopSolver, moves: Iterable[Move] | str = ()) -> Node:
    """The node that moves lead to from the root of the spot.

    moves: a sequence, or its text such as ``x b32 c Ah``, see `tiltless.games.holdem.notation`.
    """
    node = Node(solver, (), 0, 0, 0, parse_cards(solver.spot.board), _SAME_SUITS)
    if isinstance(moves, str):
        return follow_line(node, moves)
    for move in moves:
        node = node.after(move)
    return node
