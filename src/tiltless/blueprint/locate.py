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

**Past the tree.** Where the tree is on a later street, or over, `Located.node` is the row of our
last decision on this street, for `answer_past_the_tree`; without one, it is -1.
"""

from typing import Any, NamedTuple

from tiltless.abstraction.bets.size import BetContext, spot_of
from tiltless.abstraction.bets.translation import Translation
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import BettingTree, label_of
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.events import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.rules import MOST_CHIPS, Rules
from tiltless.games.holdem.view import View
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, FIRST, STREET
from tiltless.seeding import mixed

__all__ = ["Located", "Locator", "TreeSpot"]

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

    moves: how many.  real: the betting at the table.  place: in the tree.  last: by player, the
    last decision on this street.  priced: of the last raise, as in `Located`.  word: `mixed` from
    what is public, for readings that are random.
    """

    moves: int
    real: Betting
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
        self._memory: tuple[Any, ...] | None = None
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
        if self._after(place, _passive(place.actions)).actor >= 0:
            return False
        paid, stacks, seat = view.paid, view.stacks, view.seat
        most = max(stacks[each] + paid[each] for each in view.opponents)
        chips = min(stacks[seat] + paid[seat], most)
        return _COMMITTED * (paid[seat] + view.to_call) >= chips

    def _street(self, street: int) -> int:
        """The tree's number of a street."""
        return min(street, self.tree.repeat_from)

    def _follow(self, view: View) -> _Trail:
        """All moves of a view; goes on from the last view where that is one of the same hand."""
        key = (view.rules, view.button, view.starting_stacks)
        trail = None
        if self._memory is not None:
            known, moves, trail = self._memory
            if known != key or view.moves[: len(moves)] != moves:
                trail = None
        if trail is None:
            seats = len(view.starting_stacks)
            word = mixed(*view.starting_stacks, *view.rules.blinds)
            trail = _Trail(0, view.opening, 0, self._root, (None,) * seats, False, word)
        for move in view.moves[trail.moves :]:
            trail = self._step(view, trail, move)
        self._memory = key, view.moves, trail
        return trail

    def _step(self, view: View, trail: _Trail, move: Any) -> _Trail:
        if move in (HIDDEN, HIDDEN_RANKS):
            return trail._replace(moves=trail.moves + 1)
        if isinstance(move, tuple):
            return self._board(view, trail, move)
        real, place, last, priced = trail.real, trail.place, trail.last, trail.priced
        player = self.player(view, real.actor, trail.street)
        spot: BetContext | None = None
        label = label_of(move)
        if isinstance(move, RaiseTo):
            priced = False
            spot = spot_of(real, sum(view.starting_stacks) - sum(real.stacks), legal=real.actions)
            label = label_of(RaiseTo(min(move.chips, spot.most)))
        trail = trail._replace(word=mixed(trail.word, label & _WORD))
        if place.actor == player and place.street == self._street(trail.street):
            last = (*last[:player], place, *last[player + 1 :])
            number = self._read(trail, move, place, spot)
            if spot is not None:
                priced = self._priced(view, trail, move, place, spot, number)
            place = self._after(place, number)
        return _Trail(
            trail.moves + 1, real.after(move), trail.street, place, last, priced, trail.word
        )

    def _board(self, view: View, trail: _Trail, cards: tuple[int, ...]) -> _Trail:
        """The next street begins: both stand at its start, or the tree is over."""
        street, place = trail.street + 1, trail.place
        while place.actor >= 0 and place.street < self._street(street):
            place = self._after(place, _passive(place.actions))
        if place.actor == CHANCE:
            first = int(self.tree.nodes.node[place.node, FIRST])
            place = self._enter(first + 1, place.betting, self._walk.next_street(place.street))
        real = trail.real.next_round(view.rules.round(street), view.button)
        seats = len(view.starting_stacks)
        word = mixed(trail.word, *sorted(cards))
        return _Trail(trail.moves + 1, real, street, place, (None,) * seats, False, word)

    def _read(self, trail: _Trail, move: Action, place: TreeSpot, spot: BetContext | None) -> int:
        """The place in the tree's menu of what was done at the table; spot: of who raises."""
        if move == FOLD and FOLD in place.actions:
            return place.actions.index(FOLD)
        if not isinstance(move, RaiseTo):
            return _passive(place.actions)
        assert spot is not None
        assert place.spot is not None
        abstract, legal = place.spot, trail.real.actions
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
        draw = (trail.word >> 11) * 2.0**-53
        return self.translation.action(chips, spot, place.actions, abstract, draw)

    def _priced(
        self,
        view: View,
        trail: _Trail,
        move: RaiseTo,
        place: TreeSpot,
        spot: BetContext,
        number: int,
    ) -> bool:
        """Whether a raise is one that the tree has no answer to."""
        assert place.spot is not None
        abstract, read = place.spot, place.actions[number]
        chips = min(move.chips, spot.most)
        if spot == abstract or not _is_short(chips, spot, abstract):
            return False
        all_in = chips >= spot.most
        if all_in and not trail.street:
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

    def _after(self, place: TreeSpot, number: int) -> TreeSpot:
        """The node after an action of a node."""
        node = int(self.tree.nodes.node[place.node, FIRST]) + number
        found = self._spots.get(node)
        if found is None:
            found = self._enter(node, place.betting.after(place.actions[number]), place.street)
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


def _passive(actions: tuple[Action, ...]) -> int:
    """The place of check or call."""
    return next(place for place, action in enumerate(actions) if action in (CALL, CHECK))


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
