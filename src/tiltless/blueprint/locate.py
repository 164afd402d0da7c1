"""Locating a hand in a blueprint's tree, and the way back from its actions to the table.

The public history is followed along the tree: checks and calls as they are, bets and raises by
`tiltless.abstraction.bets.translation`. All sizes are shares of the pot, so blinds of any height
and stacks of any depth can be read; where they are those of training, everything is exact.

**Roles.** With the blinds of training, a player is counted from the button. With two players and
the other order of blinds (`tiltless.games.holdem.rules.HEADS_UP`), the small blind plays the tree's
small blind before the flop, when it is first to act in both. After the flop roles go by position:
who is last to act, in both orders the button, plays the tree's player who is last to act. So before
the flop ranges and prices are right and position is not, and after it position is right, and the
ranges are those of the other player. (To keep blinds on all streets, and take the first check of a
street for the other player's, has the ranges right and position wrong; it lost to this by 112 ± 101
mbb/h in 24,000 mirrored hands of the thesis' game.)

**Sizes**, in this order:

1. A raise that is just what a raise of the tree becomes at the table: that one.
2. An all-in for less than half of the tree's, in pots, is not the tree's: a bet like any other.
3. The rules of `Translation`.

Chips that nobody can call are not counted. Where a raise far below the tree's all-in is still
nearest to it, the tree's answer, which folds nine hands of ten, would be to another question:
`Located.priced` says so, and who plays should go by the price. Before the flop that is said of all
such all-ins. At the depth of training, raises that are not all-in are left to the tree.

Random readings come from the public history: one hand is read in the same way at every decision
and for any own cards. Before the flop the same history has the same draw in every hand.

**Back.** A raise keeps its share of the pot, within what is legal. All-in is all-in, unless that
is more than twice the tree's, in pots: then the tree's share is bet. Where the tree calls an all-in
that is none at the table, and a third of the chips will be in, we go all-in, for that is what
the tree has decided on.

**Past the tree.** Where the tree is on a later street, or over, `Located.node` is that of our last
decision on this street, since we fold as often as there; without one, it is -1.

`translated` and `Locator.spot` are for other trees than the table's: a solver's, which follows the
blueprint's (`tiltless.search.blueprint_policy`).
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
_COMMITTED = 3  # a third of the chips
_WORD = 2**64 - 1


class TreeSpot(NamedTuple):
    """A node of the tree with its chips; actor: a player, or as in `kernels.blueprint.nodes`.

    spot: of the player to act, and actions: the menu; both are empty where nobody acts.
    """

    node: int
    actor: int
    street: int
    betting: Betting
    spot: BetContext | None
    actions: tuple[Action, ...]


class Located(NamedTuple):
    """Where a decision at the table stands in the tree.

    inside: whether the tree has this decision; if not, see the head of this file.
    place: the node, or that of our last decision; None where there is neither.
    actions: what each of the tree's actions is at the table; empty past the tree.
    priced: whether we face a raise that the tree has no answer to; see the head of this file.
    """

    inside: bool
    place: TreeSpot | None
    actions: tuple[Action, ...]
    priced: bool = False

    @property
    def node(self) -> int:
        """The number of the node, or -1."""
        return -1 if self.place is None else self.place.node


class _Trail(NamedTuple):
    """What is known after some moves of a hand.

    street: of the table.  place: in the tree.  last: by player, the last decision on this street.
    priced: of the last raise, as in `Located`.  word: `mixed` from what is public, for readings
    that are random.
    """

    street: int
    place: TreeSpot
    last: tuple[TreeSpot | None, ...]
    priced: bool
    word: int


class Locator:
    """Follows hands along a tree; the same view always leads to the same node."""

    def __init__(self, tree: BettingTree, translation: Translation | None = None) -> None:
        self.tree = tree
        self.translation = translation or Translation()
        self._walk = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
        self._spots: dict[int, TreeSpot] = {}
        self._root = self._enter(0, self._walk.first, 0)
        self._memory: MoveMemory[_Trail] = MoveMemory()
        self._fits: Rules | None = None

    def check(self, view: View) -> None:
        """`OptionError` unless the cards and seats of a hand are those of the tree's game."""
        if view.rules is not self._fits:
            self.check_table(view.game, view.rules)
            self._fits = view.rules

    def check_table(self, game: str, rules: Rules) -> None:
        """The same of a table."""
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
        place = (seat - view.button) % len(view.starting_stacks)
        return 1 - place if not street and self._swaps(view) else place

    def _swaps(self, view: View) -> bool:
        theirs, ours = view.rules, self.tree.game.rules
        return theirs.seats == 2 and theirs.heads_up != ours.heads_up

    def locate(self, view: View) -> Located:
        """The decision of the view's player, who is to act."""
        trail = self._follow(view)
        player = self.player(view, view.seat, view.street)
        place = trail.place
        if place.actor == player and place.street == self._street(trail.street):
            return Located(True, place, self.at_the_table(view, place), trail.priced)
        return Located(False, trail.last[player], (), trail.priced)

    def at_the_table(self, view: View, place: TreeSpot) -> tuple[Action, ...]:
        """What each action of a node is for the player of the view."""
        assert place.spot is not None
        legal = view.actions
        real = spot_of(view.betting, view.pot, legal=legal)
        if real == place.spot and legal.check == (CHECK in place.actions):
            return place.actions  # the chips of training
        actions = tuple(_back(action, place.spot, real, legal) for action in place.actions)
        if legal.max_raise and not any(isinstance(each, RaiseTo) for each in place.actions):
            return tuple(
                RaiseTo(real.top) if each == CALL and self._commits(view, place) else each
                for each in actions
            )
        return actions

    def _commits(self, view: View, place: TreeSpot) -> bool:
        """Whether a call, which is all-in in the tree, takes a third of what can be lost."""
        if self._after(place, passive_index(place.actions)).actor >= 0:
            return False
        paid, stacks, seat = view.paid, view.stacks, view.seat
        most = max(stacks[each] + paid[each] for each in view.opponents)
        chips = min(stacks[seat] + paid[seat], most)
        return _COMMITTED * (paid[seat] + view.to_call) >= chips

    def _street(self, street: int) -> int:
        """The tree's number of a street."""
        return min(street, self.tree.repeat_from)

    def _follow(self, view: View) -> _Trail:
        """All moves of a view."""
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
        street, place, last, priced, word = trail
        player, move = self.player(view, step.seat, street), step.action
        spot: BetContext | None = None
        label = label_of(move)
        if isinstance(move, RaiseTo):
            pot = sum(view.starting_stacks) - sum(step.betting.stacks)
            spot, priced = spot_of(step.betting, pot, legal=step.betting.actions), False
            label = label_of(RaiseTo(min(move.chips, spot.most)))
        word = mixed(word, label & _WORD)
        if place.actor == player and place.street == self._street(street):
            last = (*last[:player], place, *last[player + 1 :])
            number = self._read(step, place, spot, (word >> 11) * 2.0**-53)
            if spot is not None:
                priced = self._priced(view, step, place, spot, number)
            place = self._after(place, number)
        return _Trail(street, place, last, priced, word)

    def _board(self, trail: _Trail, dealt: StreetDeal) -> _Trail:
        """The next street begins: both stand at its start, or the tree is over."""
        place = trail.place
        while place.actor >= 0 and place.street < self._street(dealt.street):
            place = self._after(place, passive_index(place.actions))
        if place.actor == CHANCE:
            place = self._after(place, 1)
        word = mixed(trail.word, *sorted(dealt.cards))
        return _Trail(dealt.street, place, (None,) * len(trail.last), False, word)

    def _read(
        self, past: PastDecision, place: TreeSpot, spot: BetContext | None, draw: float
    ) -> int:
        """The index in the tree's menu of what was done at the table; spot: of who raises."""
        move = past.action
        if not isinstance(move, RaiseTo):
            return _plain_index(move, place.actions)
        assert spot is not None
        assert place.spot is not None
        abstract, legal = place.spot, past.betting.actions
        chips = min(move.chips, spot.most)
        if spot == abstract and move in place.actions:
            return place.actions.index(move)
        share, short = spot.share(chips), _is_short(chips, spot, abstract)
        same = []
        for number, action in enumerate(place.actions):
            if not isinstance(action, RaiseTo) or (short and action.chips >= abstract.most):
                continue
            back = _back(action, abstract, spot, legal)
            if isinstance(back, RaiseTo) and min(back.chips, spot.most) == chips:
                far = abs(abstract.share(min(action.chips, abstract.most)) - share)
                same.append((far, number))
        if same:
            return min(same)[1]
        if short:
            spot = spot._replace(most=MOST_CHIPS)
        return self.translation.action(chips, spot, place.actions, abstract, draw)

    def _priced(
        self, view: View, past: PastDecision, place: TreeSpot, spot: BetContext, number: int
    ) -> bool:
        """Whether a raise is one that the tree has no answer to."""
        assert place.spot is not None
        assert isinstance(past.action, RaiseTo)
        abstract, read = place.spot, place.actions[number]
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

    def _after(self, place: TreeSpot, number: int) -> TreeSpot:
        """A child of a node: after an action, or where cards call for another street."""
        node = int(self.tree.nodes.node[place.node, FIRST]) + number
        found = self._spots.get(node)
        if found is None:
            betting, street = place.betting, place.street
            if place.actor == CHANCE:
                street = self._walk.next_street(street)
            else:
                betting = betting.after(place.actions[number])
            found = self._enter(node, betting, street)
        return found

    def _enter(self, node: int, betting: Betting, street: int) -> TreeSpot:
        """A node, from the betting that leads there; the next round is opened if need be."""
        _, betting, _, _ = self._walk.settle(betting, street, NOBODY)
        record = self.tree.nodes.node[node]
        actor, street = int(record[ACTOR]), int(record[STREET])
        spot: BetContext | None = None
        actions: tuple[Action, ...] = ()
        if actor >= 0:
            assert betting.actor == actor
            menu = (self.tree.action(child) for child in self.tree.children(node))
            actions = tuple(action for action in menu if action is not None)
            spot = spot_of(betting, self._walk.chips - sum(betting.stacks))
        made = self._spots[node] = TreeSpot(node, actor, street, betting, spot, actions)
        return made


def _is_short(chips: int, spot: BetContext, abstract: BetContext) -> bool:
    """Whether a raise is less than half of the tree's all-in, in pots."""
    if abstract.most <= abstract.bet:
        return False
    return spot.share(chips) < _SHORT * abstract.share(abstract.most)


def passive_index(actions: Sequence[Action]) -> int:
    """The index of check or call."""
    return next(index for index, action in enumerate(actions) if action in (CALL, CHECK))


def _plain_index(action: Action, actions: Sequence[Action]) -> int:
    """The index of what stands for a fold, check or call."""
    return actions.index(FOLD) if action == FOLD and FOLD in actions else passive_index(actions)


def translated(
    action: Action,
    spot: BetContext,
    others: Sequence[Action],
    other: BetContext,
    translation: Translation,
) -> int:
    """The index among the actions of another tree of what stands for an action there.

    spot, other: of the player to act, in both trees.
    """
    if isinstance(action, RaiseTo):
        return translation.action(action.chips, spot, others, other)
    return _plain_index(action, others)


def _back(action: Action, abstract: BetContext, real: BetContext, legal: LegalActions) -> Action:
    """An action of the tree at the table; see the head of this file."""
    if action == FOLD:
        return CHECK if legal.check else FOLD
    if not isinstance(action, RaiseTo) or not legal.max_raise:
        return CHECK if legal.check else CALL
    share = abstract.share(min(action.chips, abstract.most))
    if action.chips >= abstract.most and real.share(real.most) <= _DEEP * share:
        return RaiseTo(real.top)
    return RaiseTo(real.legal(real.bet + int(share * real.pot + 0.5)))
