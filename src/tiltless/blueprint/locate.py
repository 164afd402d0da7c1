"""Locating a hand in a blueprint's tree, and mapping the tree's actions back to the table.

The public history is followed along the tree: checks and calls exactly, bets and raises by
`tiltless.abstraction.bets.translation`. All sizes are fractions of the pot, so blinds and stacks of
any size can be translated; if they are those of training, everything is exact.

**Readings.** A bet between two sizes of the tree is read as both, so that a hand may be at several
nodes at once, with weights (`tiltless.blueprint.readings`), at most `MOST_READINGS`, of which the
lightest are dropped. Several actions of the tree may be the same at the table; our own readings
then split by their probabilities.

**Spots.** Where a hand begins, which of its players a seat is and where the next street begins is
for `Spots`: a tree (`tiltless.blueprint.tree_spot`) is followed through all streets, a graph
(`tiltless.blueprint.multiway.locate`) is entered anew on each.

**Sizes**, in this order:

1. A raise equal to what a raise of the tree becomes at the table is read as that raise.
2. An all-in of less than half of the tree's all-in, in pots, is not read as all-in but as a bet
   like any other.
3. Otherwise the rules of `Translation` apply.

Chips that nobody can call are not counted. If a raise is far below the tree's all-in but read as
that, the tree's response, which folds nine hands of ten, does not fit: `Located.priced` is set, and
the player should decide by pot odds. Before the flop it is set for all such all-ins. At the depth
of training, raises that are not all-in are left to the tree.

**Back to the table.** A raise keeps its fraction of the pot, within the legal limits. All-in stays
all-in, unless that is more than twice the tree's all-in, in pots: then the tree's fraction is bet.
Where the tree calls all-in but the table has more chips behind, and a third of the chips would be
in, we go all-in, as the tree has decided to.

**Past the tree.** If the tree is already on a later street, or has ended, `Located.node` is the
node of our last decision on this street, as we fold as often as there; without one it is -1. If
that is because a small raise was read as a call, `Located.called` is set, and no hand folds.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from tiltless.abstraction.bets.translation import Shares, Translation
from tiltless.blueprint.readings import Located, OwnReach, Vector
from tiltless.blueprint.tree import BettingTree
from tiltless.blueprint.tree_spot import TreeSpot, TreeSpots, passive_index, plain_index
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.history import MoveMemory, PastDecision, Step, StreetDeal, steps
from tiltless.games.holdem.history import view_before as seen_before
from tiltless.games.holdem.rules import MOST_CHIPS, Rules
from tiltless.games.holdem.view import View

__all__ = ["MOST_READINGS", "Locator", "Spots"]

MOST_READINGS = 8

_SHORT = 0.5  # of the tree's all-in, in pots
_DEEP = 2.0
_COMMITTED = 3  # one in this many chips


class Spots(Protocol):
    """Nodes of a tree or a graph, and which of them a table's hand is at.

    players: one more than the largest number of a player or position.
    """

    players: int

    def check_table(self, game: str, rules: Rules) -> None:
        """Raise `OptionError` unless hands of this table can be located."""
        ...

    def first(self, view: View) -> TreeSpot:
        """Where a hand begins."""
        ...

    def after(self, tree_spot: TreeSpot, index: int) -> TreeSpot:
        """The node after an action."""
        ...

    def dealt(self, tree_spot: TreeSpot, view: View, step: StreetDeal, own: int) -> TreeSpot:
        """Where the next street begins.  own: the seat whose readings are located."""
        ...

    def player(self, view: View, seat: int, street: int) -> int:
        """The player or position that a seat plays on a street."""
        ...

    def street(self, street: int) -> int:
        """The index, in the tree, of a street of the table."""
        ...


class _Reading(NamedTuple):
    """A reading after some moves.

    tree_spot: in the tree.  last: by player, the last decision on this street.  priced, called: of
    the last raise.  These and share and reach are as in `Located`.
    """

    tree_spot: TreeSpot
    last: tuple[TreeSpot | None, ...]
    priced: bool = False
    called: bool = False
    share: float = 1.0
    reach: Vector | None = None

    @property
    def weight(self) -> float:
        return self.share * (1.0 if self.reach is None else float(self.reach.mean()))


class _Trail(NamedTuple):
    """The state after some moves of a hand.  street: at the table."""

    street: int
    readings: tuple[_Reading, ...]


class Locator:
    """Follows hands along a tree; the same view always leads to the same readings.

    tree: or the spots of a graph.
    reach: the strategy of the player whose decisions are located, for ``Located.reach``; without it
    readings have shares alone.
    """

    def __init__(
        self,
        tree: BettingTree | Spots,
        translation: Translation | None = None,
        reach: OwnReach | None = None,
    ) -> None:
        self.tree, self.translation = tree, translation or Translation()
        self._reach = reach
        self._spots: Spots = TreeSpots(tree) if isinstance(tree, BettingTree) else tree
        self._memories: dict[int, MoveMemory[_Trail]] = {}
        self._fits: Rules | None = None

    def check(self, view: View) -> None:
        """Raise `OptionError` unless the cards and seats of a hand are those of the tree's game."""
        if view.rules is not self._fits:
            self.check_table(view.game, view.rules)
            self._fits = view.rules

    def check_table(self, game: str, rules: Rules) -> None:
        """The same for a table."""
        self._spots.check_table(game, rules)

    def locate(self, view: View, own: int | None = None) -> tuple[Located, ...]:
        """The readings of a view, whose player is to act.

        own: the seat whose readings they are, by default that player.
        """
        own = view.seat if own is None else own
        street, readings = self._follow(view, own)
        return tuple([self._located(view, street, each) for each in readings])

    def _located(self, view: View, street: int, reading: _Reading) -> Located:
        """A reading at a decision of the view's player."""
        tree_spot, last, priced, called, share, reach = reading
        player = self._spots.player(view, view.seat, street)
        if tree_spot.actor == player and tree_spot.street == self._spots.street(street):
            actions = self.at_the_table(view, tree_spot)
            return Located(True, tree_spot, actions, priced, called, share, reach)
        return Located(False, last[player], (), priced, called, share, reach)

    def at_the_table(self, view: View, tree_spot: TreeSpot) -> tuple[Action, ...]:
        """The tree's actions at a node, mapped to legal actions of the view's player."""
        assert tree_spot.spot is not None
        legal = view.actions
        real = spot_of(view.betting, view.pot, legal=legal)
        if real == tree_spot.spot and legal.check == (CHECK in tree_spot.actions):
            return tree_spot.actions  # the chips of training
        actions = tuple(_back(action, tree_spot.spot, real, legal) for action in tree_spot.actions)
        if legal.max_raise and not any(isinstance(each, RaiseTo) for each in tree_spot.actions):
            return tuple(
                RaiseTo(real.top) if each == CALL and self._commits(view, tree_spot) else each
                for each in actions
            )
        return actions

    def _commits(self, view: View, tree_spot: TreeSpot) -> bool:
        """Whether a call, which is all-in in the tree, commits a third of the effective stack."""
        after = self._spots.after(tree_spot, passive_index(tree_spot.actions))
        if after.actor >= 0 or after.betting.stacks[tree_spot.actor]:
            return False
        paid, stacks, seat = view.paid, view.stacks, view.seat
        most = max(stacks[each] + paid[each] for each in view.opponents)
        chips = min(stacks[seat] + paid[seat], most)
        return _COMMITTED * (paid[seat] + view.to_call) >= chips

    def _follow(self, view: View, own: int) -> _Trail:
        """Follow all moves of a view.  own: the seat whose reach counts."""
        past = steps(view)
        memory = self._memories.get(own)
        if memory is None:
            memory = self._memories[own] = MoveMemory()
        found = memory.follow(
            (view.rules, view.button, view.opening, view.starting_stacks),
            view.moves,
            _Trail(0, (_Reading(self._spots.first(view), (None,) * self._spots.players),)),
            lambda trail, index: self._step(view, own, trail, past[index]),
        )
        return found[len(past)]

    def _step(self, view: View, own: int, trail: _Trail, step: Step) -> _Trail:
        street, readings = trail
        if isinstance(step, StreetDeal):
            return _Trail(step.street, self._dealt(view, readings, step, own))
        if not isinstance(step, PastDecision):
            return trail
        after: list[_Reading] = []
        if step.seat == own and self._reach is not None:
            after = self._own(view, readings, step)
        if not after:
            after = [found for each in readings for found in self._read(view, each, step)]
        return _Trail(street, _heaviest(after))

    def _dealt(
        self, view: View, readings: tuple[_Reading, ...], step: StreetDeal, own: int
    ) -> tuple[_Reading, ...]:
        """Begin the next street; readings that a graph brings together become one."""
        last = (None,) * self._spots.players
        spots = [self._spots.dealt(each.tree_spot, view, step, own) for each in readings]
        if len(spots) > 1 and len({spot.node for spot in spots}) == 1:
            return (_Reading(spots[0], last),)
        return tuple(
            [
                _Reading(spot, last, share=each.share, reach=each.reach)
                for spot, each in zip(spots, readings, strict=True)
            ]
        )

    def _own(
        self, view: View, readings: tuple[_Reading, ...], step: PastDecision
    ) -> list[_Reading]:
        """The readings after our own decision; none if we act so with no hand in any of them."""
        assert self._reach is not None
        move, alone = step.action, len(readings) == 1
        if alone and not isinstance(move, RaiseTo):
            return []  # a factor of all weights, and read as anybody's
        before, after = seen_before(view, step), []
        for reading in readings:
            located = self._located(before, step.street, reading)
            same = [i for i, action in enumerate(located.actions) if action == move]
            if located.inside and not isinstance(move, RaiseTo):
                assert located.tree_spot is not None
                same = [plain_index(move, located.tree_spot.actions)]
            if alone and (len(same) == 1 or not located.inside):
                return self._read(view, reading, step, [(index, 1.0) for index in same])
            for part, reach in enumerate(self._reach(before, located, move, same)):
                if reach.any():
                    reach = reach if reading.reach is None else reading.reach * reach
                    shares = [(same[part], 1.0)] if same else []
                    after += self._read(view, reading._replace(reach=reach), step, shares)
        return after

    def _read(
        self,
        view: View,
        reading: _Reading,
        step: PastDecision,
        shares: Sequence[tuple[int, float]] = (),
    ) -> list[_Reading]:
        """What a decision makes of a reading.  shares: how it is read, if that is known."""
        tree_spot, last, priced, called, share, reach = reading
        player, move = self._spots.player(view, step.seat, step.street), step.action
        spot: BetContext | None = None
        if isinstance(move, RaiseTo):
            pot = sum(view.starting_stacks) - sum(step.betting.stacks)
            spot = spot_of(step.betting, pot, legal=step.betting.actions)
            priced = called = False
        if tree_spot.actor != player or tree_spot.street != self._spots.street(step.street):
            return [_Reading(tree_spot, last, priced, called, share, reach)]
        last = (*last[:player], tree_spot, *last[player + 1 :])
        after = []
        for index, part in shares or self._shares(step, tree_spot, spot):
            if spot is not None:
                called = _is_called(tree_spot.actions, index)
                priced = self._priced(view, step, tree_spot, spot, index)
            then = self._spots.after(tree_spot, index)
            after.append(_Reading(then, last, priced, called, share * part, reach))
        return after

    def _shares(self, past: PastDecision, tree_spot: TreeSpot, spot: BetContext | None) -> Shares:
        """The indices in the tree's menu of an action at the table.  spot: of the raiser."""
        move = past.action
        if not isinstance(move, RaiseTo):
            return ((plain_index(move, tree_spot.actions), 1.0),)
        assert spot is not None
        assert tree_spot.spot is not None
        abstract, legal = tree_spot.spot, past.betting.actions
        chips = min(move.chips, spot.most)
        if spot == abstract and move in tree_spot.actions:
            return ((tree_spot.actions.index(move), 1.0),)
        fraction, short = spot.share(chips), _is_short(chips, spot, abstract)
        same = []
        for index, action in enumerate(tree_spot.actions):
            if not isinstance(action, RaiseTo) or (short and action.chips >= abstract.most):
                continue
            back = _back(action, abstract, spot, legal)
            if isinstance(back, RaiseTo) and min(back.chips, spot.most) == chips:
                far = abs(abstract.share(min(action.chips, abstract.most)) - fraction)
                same.append((far, index))
        if same:
            return ((min(same)[1], 1.0),)
        if short:
            spot = spot._replace(most=MOST_CHIPS)
        return self.translation.readings(chips, spot, tree_spot.actions, abstract)

    def _priced(
        self, view: View, past: PastDecision, tree_spot: TreeSpot, spot: BetContext, index: int
    ) -> bool:
        """Whether the tree has no response to a raise."""
        assert tree_spot.spot is not None
        assert isinstance(past.action, RaiseTo)
        abstract, read = tree_spot.spot, tree_spot.actions[index]
        chips = min(past.action.chips, spot.most)
        if spot == abstract or not _is_short(chips, spot, abstract):
            return False
        all_in = chips >= spot.most
        if all_in and not past.street:
            return True
        if _is_called(tree_spot.actions, index):
            return False
        if isinstance(read, RaiseTo) and read.chips < abstract.most:
            return False
        return all_in or self._is_shallow(view)

    def _is_shallow(self, view: View) -> bool:
        """Whether the table is less than half as deep as the tree, in pots."""
        root = self._spots.first(view).spot
        assert root is not None
        opening = view.opening
        pot = sum(view.starting_stacks) - sum(opening.stacks)
        theirs = spot_of(opening, pot)
        return theirs.pot > 0 and theirs.share(theirs.most) < _SHORT * root.share(root.most)


def _heaviest(readings: list[_Reading]) -> tuple[_Reading, ...]:
    """At most `MOST_READINGS` of some readings, in their order, with shares that sum to 1."""
    if len(readings) == 1:
        one = readings[0]
        return (one if one.reach is None else one._replace(share=1.0, reach=None),)
    if len(readings) > MOST_READINGS:
        order = sorted(range(len(readings)), key=lambda i: readings[i].weight, reverse=True)
        readings = [readings[index] for index in sorted(order[:MOST_READINGS])]
    total = sum(each.share for each in readings)
    return tuple([each._replace(share=each.share / total) for each in readings])


def _is_called(actions: Sequence[Action], index: int) -> bool:
    """Whether a raise that is read as an action is read as a call, where raises are possible."""
    return not isinstance(actions[index], RaiseTo) and any(
        isinstance(action, RaiseTo) for action in actions
    )


def _is_short(chips: int, spot: BetContext, abstract: BetContext) -> bool:
    """Whether a raise is less than half of the tree's all-in, in pots."""
    if abstract.most <= abstract.bet:
        return False
    return spot.share(chips) < _SHORT * abstract.share(abstract.most)


def _back(action: Action, abstract: BetContext, real: BetContext, legal: LegalActions) -> Action:
    """An action of the tree mapped to the table; see **Back to the table** above."""
    if action == FOLD:
        return CHECK if legal.check else FOLD
    if not isinstance(action, RaiseTo) or not legal.max_raise:
        return CHECK if legal.check else CALL
    fraction = abstract.share(min(action.chips, abstract.most))
    if action.chips >= abstract.most and real.share(real.most) <= _DEEP * fraction:
        return RaiseTo(real.top)
    return RaiseTo(real.legal(real.bet + int(fraction * real.pot + 0.5)))
