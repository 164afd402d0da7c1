"""Locating a hand in a blueprint's tree, and mapping the tree's actions back to the table.

The public history is followed along the tree: checks and calls exactly, bets and raises by
`tiltless.abstraction.bets.translation`. All sizes are fractions of the pot, so blinds and stacks of
any size can be translated; if they are those of training, everything is exact.

**Roles.** With the blinds of training, players are counted from the button. With two players and
the other order of blinds (`tiltless.games.holdem.rules.HEADS_UP`), the small blind plays the tree's
small blind before the flop, as it acts first in both. After the flop roles follow position: the
player who acts last, which is the button in both orders, plays the tree's last to act. So before
the flop ranges and prices are right but position is not; after it position is right, but the ranges
are those of the other player. (The alternative keeps blinds on all streets and attributes the first
check of a street to the other player: ranges are right and position is wrong. It lost to this by
112 ± 101 mbb/h in 24,000 mirrored hands of the thesis' game.)

**Sizes**, in this order:

1. A raise equal to what a raise of the tree becomes at the table is read as that raise.
2. An all-in of less than half of the tree's all-in, in pots, is not read as all-in but as a bet
   like any other.
3. Otherwise the rules of `Translation` apply.

Chips that nobody can call are not counted. If a raise is far below the tree's all-in but still
nearest to it, the tree's response, which folds nine hands of ten, does not fit: `Located.priced`
is set, and the player should decide by pot odds. Before the flop it is set for all such all-ins. At
the depth of training, raises that are not all-in are left to the tree.

Randomised translation is seeded by the public history: a hand is read in the same way at every
decision and for any private cards. Before the flop the same history has the same draw in every
hand.

**Back to the table.** A raise keeps its fraction of the pot, within the legal limits. All-in stays
all-in, unless that is more than twice the tree's all-in, in pots: then the tree's fraction is bet.
Where the tree calls all-in but the table has more chips behind, and a third of the chips would be
in, we go all-in, as the tree has decided to.

**Past the tree.** If the tree is already on a later street, or has ended, `Located.node` is the
node of our last decision on this street, as we fold as often as there; without one it is -1.

`translated` and `Locator.spot` are for a solver's tree that is followed along the blueprint's
(`tiltless.search.blueprint_policy`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from tiltless.abstraction.bets.size import BetContext, spot_of
from tiltless.abstraction.bets.translation import Translation
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import BettingTree, label_of
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.history import MoveMemory, PastDecision, Step, StreetDeal, steps
from tiltless.games.holdem.rules import MOST_CHIPS, Rules
from tiltless.games.holdem.view import View
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, FIRST, PARENT, STREET
from tiltless.seeding import mixed

__all__ = ["Located", "Locator", "TreeSpot", "passive_index", "translated"]

_SHORT = 0.5  # of the tree's all-in, in pots
_DEEP = 2.0
_COMMITTED = 3  # one in this many chips
_WORD = 2**64 - 1


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


class Located(NamedTuple):
    """The position in the tree of a decision at the table.

    inside: whether the tree has this decision; if not, see **Past the tree** above.
    tree_spot: its node, or that of our last decision; None if there is neither.
    actions: what each of the tree's actions is at the table; empty past the tree.
    priced: whether we face a raise that the tree has no response to; see **Sizes** above.
    """

    inside: bool
    tree_spot: TreeSpot | None
    actions: tuple[Action, ...]
    priced: bool = False

    @property
    def node(self) -> int:
        """The index of the node, or -1."""
        return -1 if self.tree_spot is None else self.tree_spot.node


class _Trail(NamedTuple):
    """The state after some moves of a hand.

    street: at the table.  tree_spot: in the tree.  last: by player, the last decision on this
    street.  priced: of the last raise, as in `Located`.  word: a hash of the public history, which
    seeds randomised translation.
    """

    street: int
    tree_spot: TreeSpot
    last: tuple[TreeSpot | None, ...]
    priced: bool
    word: int


class Locator:
    """Follows hands along a tree; the same view always leads to the same node."""

    def __init__(self, tree: BettingTree, translation: Translation | None = None) -> None:
        self.tree = tree
        self.translation = translation or Translation()
        self._rules = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
        self._spots: dict[int, TreeSpot] = {}
        self._root = self._enter(0, self._rules.first, 0)
        self._memory: MoveMemory[_Trail] = MoveMemory()
        self._fits: Rules | None = None

    def check(self, view: View) -> None:
        """Raise `OptionError` unless the cards and seats of a hand are those of the tree's game."""
        if view.rules is not self._fits:
            self.check_table(view.game, view.rules)
            self._fits = view.rules

    def check_table(self, game: str, rules: Rules) -> None:
        """The same for a table."""
        ours, theirs, name = self.tree.game.rules, rules, self.tree.game.name
        for what, mine, other in (
            ("seats", ours.seats, theirs.seats),
            ("hole cards", ours.hole_cards, theirs.hole_cards),
            ("board cards", [s.cards for s in ours.streets], [s.cards for s in theirs.streets]),
            ("suits that run on", ours.run_suits, theirs.run_suits),
            ("order of hands", ours.hand_order, theirs.hand_order),
        ):
            if mine != other:
                raise OptionError(
                    f"the blueprint is for {name} with {ours.seats} seats and cannot play {game} "
                    f"with {theirs.seats}: it has other {what}; choose another agent, such as rules"
                )

    def player(self, view: View, seat: int, street: int) -> int:
        """The player of the tree that a seat plays on a street."""
        player = (seat - view.button) % len(view.starting_stacks)
        return 1 - player if not street and self._swaps(view) else player

    def _swaps(self, view: View) -> bool:
        theirs, ours = view.rules, self.tree.game.rules
        return theirs.seats == 2 and theirs.heads_up != ours.heads_up

    def locate(self, view: View) -> Located:
        """Locate the decision of a view, whose player is to act."""
        trail = self._follow(view)
        player = self.player(view, view.seat, view.street)
        tree_spot = trail.tree_spot
        if tree_spot.actor == player and tree_spot.street == self._street(trail.street):
            return Located(True, tree_spot, self.at_the_table(view, tree_spot), trail.priced)
        return Located(False, trail.last[player], (), trail.priced)

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
        if self._after(tree_spot, passive_index(tree_spot.actions)).actor >= 0:
            return False
        paid, stacks, seat = view.paid, view.stacks, view.seat
        most = max(stacks[each] + paid[each] for each in view.opponents)
        chips = min(stacks[seat] + paid[seat], most)
        return _COMMITTED * (paid[seat] + view.to_call) >= chips

    def _street(self, street: int) -> int:
        """The tree's index of a street of the table."""
        return min(street, self.tree.repeat_from)

    def _follow(self, view: View) -> _Trail:
        """Follow all moves of a view."""
        past, stacks = steps(view), view.starting_stacks
        word = mixed(*stacks, *view.rules.blinds)
        found = self._memory.follow(
            (view.rules, view.button, view.opening, stacks),
            view.moves,
            _Trail(0, self._root, (None,) * len(stacks), False, word),
            lambda trail, index: self._step(view, trail, past[index]),
        )
        return found[len(past)]

    def _step(self, view: View, trail: _Trail, step: Step) -> _Trail:
        if isinstance(step, StreetDeal):
            return self._board(trail, step)
        if not isinstance(step, PastDecision):
            return trail
        street, tree_spot, last, priced, word = trail
        player, move = self.player(view, step.seat, street), step.action
        spot: BetContext | None = None
        label = label_of(move)
        if isinstance(move, RaiseTo):
            pot = sum(view.starting_stacks) - sum(step.betting.stacks)
            spot, priced = spot_of(step.betting, pot, legal=step.betting.actions), False
            label = label_of(RaiseTo(min(move.chips, spot.most)))
        word = mixed(word, label & _WORD)
        if tree_spot.actor == player and tree_spot.street == self._street(street):
            last = (*last[:player], tree_spot, *last[player + 1 :])
            index = self._read(step, tree_spot, spot, (word >> 11) * 2.0**-53)
            if spot is not None:
                priced = self._priced(view, step, tree_spot, spot, index)
            tree_spot = self._after(tree_spot, index)
        return _Trail(street, tree_spot, last, priced, word)

    def _board(self, trail: _Trail, dealt: StreetDeal) -> _Trail:
        """Begin the next street, in the tree as well unless it has ended."""
        tree_spot = trail.tree_spot
        while tree_spot.actor >= 0 and tree_spot.street < self._street(dealt.street):
            tree_spot = self._after(tree_spot, passive_index(tree_spot.actions))
        if tree_spot.actor == CHANCE:
            tree_spot = self._after(tree_spot, 1)
        word = mixed(trail.word, *sorted(dealt.cards))
        return _Trail(dealt.street, tree_spot, (None,) * len(trail.last), False, word)

    def _read(
        self, past: PastDecision, tree_spot: TreeSpot, spot: BetContext | None, draw: float
    ) -> int:
        """The index in the tree's menu of an action at the table.  spot: of the raiser."""
        move = past.action
        if not isinstance(move, RaiseTo):
            return _plain_index(move, tree_spot.actions)
        assert spot is not None
        assert tree_spot.spot is not None
        abstract, legal = tree_spot.spot, past.betting.actions
        chips = min(move.chips, spot.most)
        if spot == abstract and move in tree_spot.actions:
            return tree_spot.actions.index(move)
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
            return min(same)[1]
        if short:
            spot = spot._replace(most=MOST_CHIPS)
        return self.translation.action(chips, spot, tree_spot.actions, abstract, draw)

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
        if isinstance(read, RaiseTo) and read.chips < abstract.most:
            return False
        return all_in or self._is_shallow(view)

    def _is_shallow(self, view: View) -> bool:
        """Whether the table is less than half as deep as the tree, in pots."""
        assert self._root.spot is not None
        opening = view.opening
        pot = sum(view.starting_stacks) - sum(opening.stacks)
        ours, theirs = self._root.spot, spot_of(opening, pot)
        return theirs.pot > 0 and theirs.share(theirs.most) < _SHORT * ours.share(ours.most)

    def spot(self, node: int) -> TreeSpot:
        """A node of the tree, with its chips."""
        found = self._spots.get(node)
        if found is None:
            parent = self.spot(int(self.tree.nodes.node[node, PARENT]))
            found = self._after(parent, node - int(self.tree.nodes.node[parent.node, FIRST]))
        return found

    def _after(self, tree_spot: TreeSpot, index: int) -> TreeSpot:
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


def _is_short(chips: int, spot: BetContext, abstract: BetContext) -> bool:
    """Whether a raise is less than half of the tree's all-in, in pots."""
    if abstract.most <= abstract.bet:
        return False
    return spot.share(chips) < _SHORT * abstract.share(abstract.most)


def passive_index(actions: Sequence[Action]) -> int:
    """The index of check or call."""
    return next(index for index, action in enumerate(actions) if action in (CALL, CHECK))


def _plain_index(action: Action, actions: Sequence[Action]) -> int:
    """The index that a fold, check or call is read as."""
    return actions.index(FOLD) if action == FOLD and FOLD in actions else passive_index(actions)


def translated(
    action: Action,
    spot: BetContext,
    others: Sequence[Action],
    other: BetContext,
    translation: Translation,
) -> int:
    """The index of the action of another tree that an action is translated to.

    spot, other: of the player to act, in both trees.
    """
    if isinstance(action, RaiseTo):
        return translation.action(action.chips, spot, others, other)
    return _plain_index(action, others)


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
