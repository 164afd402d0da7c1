"""Search with three players or more left: vector sampling in the subgame of a street.

The subgame begins with the street: its betting in true chips with every hand for itself, later
streets shared and bucketed as in the blueprint (`tiltless.blueprint.multiway.graph`). So it reaches
the end of the hand, and needs no values at a depth limit. Hands are drawn from the players' ranges.

As in Pluribus, the strategy of the *last* iteration is played, and the *average* is what the others
will believe: it updates the range for the rest of the hand. (In the study the last iteration lost
half as much as the average to a long solution.)

The opponents of a traverser are drawn together with a hand of its own range, which it then
forgets; where ranges are narrow this counts pairs of opponents' hands that leave it more room a
little more often. Side pots do not exist here: all stacks are the same.

Paper: Brown & Sandholm (2019), "Superhuman AI for multiplayer poker", supplement, section 4.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import ONE_BUCKET, Buckets, ComboBuckets
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.engine import MultiwayEngine, VectorRules
from tiltless.blueprint.multiway.graph_layout import subgame_graph
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.cards.card import COMBO_COUNT
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.blueprint.nodes import CALL_LABEL, CHECK_LABEL, FOLD_LABEL
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, FIRST
from tiltless.validate import positive

__all__ = ["MultiwaySearch"]

_EVERY_HAND = ComboBuckets(COMBO_COUNT, np.arange(COMBO_COUNT))
_PERIOD = 1536  # traversals with one weight
_AVERAGE = 768  # between two additions to the average
_PLAIN: dict[int, Action] = {FOLD_LABEL: FOLD, CHECK_LABEL: CHECK, CALL_LABEL: CALL}

Probabilities = npt.NDArray[np.float64]


class MultiwaySearch:
    """The subgame of one street among several players.

    board: three to five cards.  pot, stack: chips at the start of the street, the stack of each
    player (of unequal ones, the second largest).
    ranges: float ``[players, 1326]``, in the order of action of this street.
    line: the actions of this street so far; search goes on from there.
    buckets: of all four streets, as in the blueprint; this street has every hand for itself.
    """

    def __init__(
        self,
        game: Holdem,
        board: Sequence[int],
        pot: int,
        stack: int,
        ranges: npt.ArrayLike,
        buckets: Sequence[Buckets],
        *,
        line: Sequence[Action] = (),
        menu: MultiwayMenu | str = "six",
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        street = {3: 1, 4: 2, 5: 3}.get(len(board))
        if street is None:
            raise OptionError(f"{len(board)} board cards have no subgame; give three to five")
        groups: list[Buckets] = [ONE_BUCKET] * street  # streets that are over
        groups += [_EVERY_HAND, *buckets[street + 1 :]]
        dealer = HoldemDealer(game, groups, board=board, ranges=ranges)
        self.graph = subgame_graph(game, street, pot, stack, dealer.players, menu, line=line)
        rules = VectorRules(
            _PERIOD, average_every=_AVERAGE, snapshot_every=1 << 62, explore=0.0, callers=0.0
        )
        self.engine = MultiwayEngine(self.graph, dealer, rules, seed=seed, threads=threads)
        self.node = 0
        for action in line:
            self.node = self.child(self.node, action)

    @property
    def actor(self) -> int:
        """The position to act, or a negative number if the line has ended the street."""
        return int(self.graph.nodes.node[self.node, ACTOR])

    @property
    def actions(self) -> tuple[Action, ...]:
        """What may be done at the present decision; raises are totals of this street."""
        return self.actions_at(self.node)

    def run(
        self,
        seconds: float,
        walks: int = 1 << 62,
        *,
        now: Callable[[], float] = time.perf_counter,
    ) -> int:
        """Search for some time, or this many traversals if that is less; returns how many.

        It stops before a step that could take longer than is left, as long as the longest so far.
        now: the clock.
        """
        positive("seconds", seconds, 1e6)
        begin, before = now(), self.engine.walks
        step, longest = self.engine.block_walks * self.engine.threads, 0.0
        last = begin
        while self.engine.walks - before < walks:
            self.engine.run(step)
            done = now()
            longest, last = max(longest, done - last), done
            if done + longest - begin >= seconds:
                break
        return self.engine.walks - before

    def strategy(self, node: int | None = None) -> Probabilities:
        """The last iteration at a decision of this street, float64 ``[1326, actions]``.

        node: the present decision, unless another is given.
        """
        return _matched(self.engine.at(self.engine.regret, self.node if node is None else node))

    def believed(self, node: int | None = None) -> Probabilities:
        """The average at a decision, for the ranges of those who saw an action there."""
        return _matched(self.engine.at(self.engine.average, self.node if node is None else node))

    def child(self, node: int, action: Action) -> int:
        """The node after an action."""
        for child in self._children(node):
            if self._action(child) == action:
                return child
        offered = ", ".join(str(self._action(child)) for child in self._children(node))
        raise OptionError(f"{action} is not in the subgame, which offers {offered}")

    def node_at(self, line: Sequence[Action], position: int) -> int | None:
        """Where a player is to act after a line of this street; None if not in the subgame."""
        node = 0
        try:
            for action in line:
                node = self.child(node, action)
        except OptionError:
            return None
        return node if self.graph.nodes.node[node, ACTOR] == position else None

    def actions_at(self, node: int) -> tuple[Action, ...]:
        """What may be done at a decision; raises are totals of this street."""
        return tuple(self._action(child) for child in self._children(node))

    def _children(self, node: int) -> range:
        record = self.graph.nodes.node[node]
        return range(int(record[FIRST]), int(record[FIRST]) + int(record[ACTIONS]))

    def _action(self, node: int) -> Action:
        label = round(float(self.graph.label[node]))
        return _PLAIN.get(label) or RaiseTo(label)


def _matched(row: npt.NDArray[np.float32]) -> Probabilities:
    """Positive numbers divided by their sum; equal probabilities where there are none."""
    above = np.maximum(row.astype(np.float64), 0)
    total = above.sum(axis=1, keepdims=True)
    return np.where(total > 0, above / np.where(total > 0, total, 1), 1 / row.shape[1])
