"""Playouts from a decision: what each action wins if both players go on like a blueprint.

A decision before the turn is too early for solving, so its actions are valued by playing on. The
player's own cards and the board are known; the opponent's hand is drawn from a believed range, the
rest of the board from the cards that are left. Then both follow the blueprint's table to the end of
the hand, in the compiled simulator (`tiltless.blueprint.simulate`). All actions get the same deals.

**Costs are not biased upwards.** The largest of several noisy means is too large, so the best
alternative is chosen by one half of the playouts and valued by the other (`estimate_cost`).

Rows that training never visited are played by strength, as the agent does
(`tiltless.blueprint.fallback`), in the mean of their bucket (`played_table`).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.blueprint.simulate.playout import DealtCards
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import COMBO_CARDS, DECK_SIZE
from tiltless.errors import OptionError
from tiltless.intervals import Interval
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, FIRST, STREET, BettingNodes
from tiltless.kernels.blueprint.playout import play_hands, settle_hands
from tiltless.search.beliefs import Vector, without_cards
from tiltless.validate import whole_number

__all__ = ["Continuation", "CostEstimate", "estimate_cost"]

_BOARD = 5
_MOST = 10_000_000


class CostEstimate(NamedTuple):
    """What an action cost, estimated.

    best: the index of the action that the first half of the playouts prefers.
    cost: its mean over that of the action taken, by the second half; 0 if they are the same, and
    below 0 where the second half disagrees.  means: of each action, by all playouts, with the
    standard error of each.
    """

    best: int
    cost: Interval
    means: tuple[tuple[float, float], ...]


def estimate_cost(payoffs: npt.NDArray[np.floating], taken: int) -> CostEstimate:
    """The cost of an action from payoffs of all actions in the same playouts.

    payoffs: ``[actions, playouts]``; the playouts are independent.  taken: the action's index.
    """
    playouts = payoffs.shape[1]
    half = playouts // 2
    best = int(payoffs[:, :half].mean(axis=1).argmax())
    lost = payoffs[best, half:] - payoffs[taken, half:]
    error = float(lost.std()) / sqrt(max(len(lost) - 1, 1))
    errors = payoffs.std(axis=1) / sqrt(max(playouts - 1, 1))
    means = zip(payoffs.mean(axis=1).tolist(), errors.tolist(), strict=True)
    return CostEstimate(best, Interval.of_error(float(lost.mean()), error), tuple(means))


@dataclass(frozen=True, eq=False)
class Continuation:
    """Both players' play from any node of a tree of two players.

    table: uint8, float32 or float64, weights of the actions, laid out by ``tree.rows``; read-only.
    buckets: one set for each street.
    """

    tree: BettingTree
    table: npt.NDArray[np.generic]
    buckets: Sequence[Buckets]
    threads: int = 1

    @cached_property
    def _game(self) -> DealtCards:
        game = self.tree.game
        if game.players != 2 or game.rules.hole_cards != 2 or self.tree.run_suits:
            raise OptionError(f"{game.name} cannot be played on; playouts are of two hands")
        return DealtCards(self.tree)

    def payoffs(
        self,
        nodes: Sequence[int],
        player: int,
        cards: Sequence[int],
        board: Sequence[int],
        others: Vector,
        playouts: int,
        seed: int,
    ) -> npt.NDArray[np.int64]:
        """Net chips of a player from some nodes on, in the same deals, ``[nodes, playouts]``.

        player: 0 is the button.  cards: the player's.  others: the opponent's range, ``[1326]``.
        """
        whole_number("playouts", playouts, 1, _MOST)
        game, rows = self._game, self.tree.rows([group.count for group in self.buckets])
        dealt = self._deal(player, cards, board, others, playouts, seed)
        bucket = np.zeros((playouts, 2, len(self.buckets)), np.uint32)
        for street, group in enumerate(self.buckets):
            group.fill(dealt, street, bucket)
        states = seed_words(seed, 1).reshape(1)

        def play_on(node: int) -> npt.NDArray[np.int64]:
            nodes, end = self._from(node), np.empty(playouts, np.int32)
            no_path, choices = np.empty((playouts, 0), np.int32), states.copy()
            won, sums, squares = (
                np.empty((playouts, 2), np.int64),
                np.zeros(2, np.int64),
                np.zeros(2),
            )
            play_hands(nodes, self.table, rows, game.layout, dealt, bucket, choices, end, no_path)
            settle_hands(nodes, end, game.layout, dealt, game.tables, won, sums, squares)
            return won[:, player]

        return np.stack(_each(play_on, nodes, self.threads))

    def _from(self, node: int) -> BettingNodes:
        """The tree with a root that leads to a node at once: kernels begin at the root."""
        nodes = self.tree.nodes
        record = nodes.node.copy()
        record[0, ACTOR], record[0, FIRST] = CHANCE, node  # no board runs on: the first child
        record[0, STREET] = nodes.node[node, STREET]
        return nodes._replace(node=record)

    def _deal(
        self,
        player: int,
        cards: Sequence[int],
        board: Sequence[int],
        others: Vector,
        playouts: int,
        seed: int,
    ) -> npt.NDArray[np.uint8]:
        """Deals in the order of the simulator: hole cards of both, then the board."""
        weights = without_cards(others, [*cards, *board])
        if weights.sum() <= 0:
            raise OptionError("the opponent can have no hand beside these cards; give a range")
        rng = np.random.default_rng(seed)
        out = np.empty((playouts, 4 + _BOARD), np.uint8)
        out[:, 2 * player : 2 * player + 2] = list(cards)
        theirs = 2 - 2 * player
        hands = rng.choice(len(weights), playouts, p=weights / weights.sum())
        out[:, theirs : theirs + 2] = COMBO_CARDS[hands]
        out[:, 4 : 4 + len(board)] = list(board)
        free = np.ones((playouts, DECK_SIZE), np.bool_)
        every = np.arange(playouts)
        for column in range(4 + len(board)):
            free[every, out[:, column]] = False
        for column in range(4 + len(board), 4 + _BOARD):
            todo = every
            while len(todo):  # draw again where the card is gone
                drawn = rng.integers(0, DECK_SIZE, len(todo), np.uint8)
                some = free[todo, drawn]
                out[todo[some], column] = drawn[some]
                free[todo[some], drawn[some]] = False
                todo = todo[~some]
        return out


def _each(
    task: Callable[[int], npt.NDArray[np.int64]], jobs: Sequence[int], threads: int
) -> list[npt.NDArray[np.int64]]:
    """The results of a task, in order; kernels release the interpreter's lock."""
    if threads == 1:
        return [task(job) for job in jobs]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(task, jobs))
