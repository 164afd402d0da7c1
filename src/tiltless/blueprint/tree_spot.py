"""Nodes of a blueprint's tree with their chips and actions, made when they are first asked for.

**Roles.** With the blinds of training, players are counted from the button. With two players and
the other order of blinds (`tiltless.games.holdem.rules.HEADS_UP`), the small blind plays the tree's
small blind before the flop, as it acts first in both. After the flop roles follow position: the
player who acts last, which is the button in both orders, plays the tree's last to act. So before
the flop ranges and prices are right but position is not; after it position is right, but the ranges
are those of the other player. (The alternative keeps blinds on all streets and attributes the first
check of a street to the other player: ranges are right and position is wrong. It lost to this by
112 ± 101 mbb/h in 24,000 mirrored hands of the thesis' game.)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.table_fit import misfit
from tiltless.blueprint.tree import BettingTree
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.history import StreetDeal
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
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
        self.tree, self.players = tree, tree.game.players
        self._rules = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
        self._spots: dict[int, TreeSpot] = {}
        self.root = self._enter(0, self._rules.first, 0)

    def check_table(self, game: str, rules: Rules) -> None:
        """Raise `OptionError` unless cards and seats of a table are those of the tree's game."""
        ours, name = self.tree.game.rules, self.tree.game.name
        other = misfit(ours, rules)
        if other:
            raise OptionError(
                f"the blueprint is for {name} with {ours.seats} seats and cannot play {game} with "
                f"{rules.seats}: it has other {other}; choose another agent, such as rules"
            )

    def first(self, view: View) -> TreeSpot:
        """The first decision."""
        return self.root

    def player(self, view: View, seat: int, street: int) -> int:
        """The player of the tree that a seat plays on a street; see **Roles** above."""
        player = (seat - view.button) % len(view.starting_stacks)
        theirs, ours = view.rules, self.tree.game.rules
        swaps = not street and theirs.seats == 2 and theirs.heads_up != ours.heads_up
        return 1 - player if swaps else player

    def street(self, street: int) -> int:
        """The tree's index of a street of the table."""
        return min(street, self.tree.repeat_from)

    def dealt(self, tree_spot: TreeSpot, view: View, step: StreetDeal, own: int) -> TreeSpot:
        """Begin the next street, in the tree as well unless it has ended."""
        again = step.street > self.tree.repeat_from
        while tree_spot.actor >= 0 and (again or tree_spot.street < self.street(step.street)):
            tree_spot = self.after(tree_spot, passive_index(tree_spot.actions))
        return self.after(tree_spot, 1) if tree_spot.actor == CHANCE else tree_spot

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
