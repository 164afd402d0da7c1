"""Nodes of a blueprint's tree with their chips and actions, made when they are first asked for."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tiltless.abstraction.bets.size import BetContext, spot_of
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import BettingTree
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, FIRST, PARENT, STREET

__all__ = ["TreeSpot", "TreeSpots", "passive_index", "plain_index"]


class TreeSpot(NamedTuple):
    """A node of the tree with its chips.  actor: a player, or a code of `kernels.blueprint.nodes`.

    spot: bet context of the player to act.  actions: the menu.  Both are empty where nobody acts.
    """

    node: int
    actor: int
    street: int
    betting: Betting
    spot: BetContext | None
    actions: tuple[Action, ...]


class TreeSpots:
    """The nodes of a tree; each is made once."""

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        self._rules = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
        self._spots: dict[int, TreeSpot] = {}
        self.root = self._enter(0, self._rules.first, 0)

    def spot(self, node: int) -> TreeSpot:
        """A node of the tree, with its chips."""
        found = self._spots.get(node)
        if found is None:
            record = self.tree.nodes.node
            if record[node, PARENT] < 0:  # the first decision of a street that repeats
                found = self.spot(self._entry(node))._replace(node=node)
                self._spots[node] = found
                return found
            parent = self.spot(int(record[node, PARENT]))
            found = self.after(parent, node - int(record[parent.node, FIRST]))
        return found

    def _entry(self, node: int) -> int:
        """The first node that represents a street that repeats: a copy of its first decision.

        It is before that decision and everything below it, see `tiltless.blueprint.tree`.
        """
        record = self.tree.nodes.node
        same = (record[:node, FIRST] == record[node, FIRST]) & (record[:node, ACTOR] >= 0)
        return int(np.flatnonzero(same)[0])

    def after(self, tree_spot: TreeSpot, index: int) -> TreeSpot:
        """A child of a node: after an action, or after chance where another street follows."""
        node = int(self.tree.nodes.node[tree_spot.node, FIRST]) + index
        found = self._spots.get(node)
        if found is None:
            betting, street = tree_spot.betting, tree_spot.street
            if tree_spot.actor == CHANCE:
                street = self._rules.next_street(street)
            else:
                betting = betting.after(tree_spot.actions[index])
            found = self._enter(node, betting, street)
        return found

    def _enter(self, node: int, betting: Betting, street: int) -> TreeSpot:
        """The node after some betting; opens the next round if necessary."""
        _, betting, _, _ = self._rules.settle(betting, street, NOBODY)
        record = self.tree.nodes.node[node]
        actor, street = int(record[ACTOR]), int(record[STREET])
        spot: BetContext | None = None
        actions: tuple[Action, ...] = ()
        if actor >= 0:
            assert betting.actor == actor
            menu = (self.tree.action(child) for child in self.tree.children(node))
            actions = tuple(action for action in menu if action is not None)
            spot = spot_of(betting, self._rules.chips - sum(betting.stacks))
        entered = self._spots[node] = TreeSpot(node, actor, street, betting, spot, actions)
        return entered


def passive_index(actions: Sequence[Action]) -> int:
    """The index of check or call."""
    return next(index for index, action in enumerate(actions) if action in (CALL, CHECK))


def plain_index(action: Action, actions: Sequence[Action]) -> int:
    """The index that a fold, check or call is read as."""
    return actions.index(FOLD) if action == FOLD and FOLD in actions else passive_index(actions)
