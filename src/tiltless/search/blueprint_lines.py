"""Lines of play in a solver's tree, and the blueprint's nodes that follow them.

The solver's tree and the blueprint's are followed together from a common root: checks, calls and
folds match exactly, bets are translated by their fraction of the pot. If both trees have the same
sizes this is exact.

* The blueprint's own bets become the nearest of the solver's (the deterministic rule of
  `tiltless.abstraction.bets.translation`).
* A bet that it faces and does not have is read as both its neighbours, by the pseudo-harmonic
  mapping, as the agent does (`tiltless.blueprint.locate`): a node of the solver is followed by
  several nodes of the blueprint, at most `MOST_FOLLOWED`, with weights: the share of the reading
  times the actor's own reach in it. Earlier streets give several roots in the same way.

Approximations: a weight is kept for each bucket and not for each hand, so that weights at the root
are averages over a bucket's hands on the board; and from the turn to the river it is an average
over all hands. With one root and no off-tree bet all weights are 1.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.translation import Shares, Translation
from tiltless.blueprint.fallback import strong_raise
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree_spot import TreeSpots, passive_index, plain_index
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import Betting
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, FIRST, STREET
from tiltless.kernels.blueprint.quantise import WHOLE
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.solver import PostflopSolver

__all__ = [
    "MOST_FOLLOWED",
    "Answered",
    "BlueprintLines",
    "Buckets",
    "FollowedLine",
    "RootReading",
    "Roots",
    "UnvisitedAnswer",
    "has_root",
    "unvisited_answer",
]

Buckets = Callable[[tuple[int, ...]], npt.NDArray[np.integer]]
"""The bucket of every hand on a board, ``[1326]``."""
Vector = npt.NDArray[np.float64]

MOST_FOLLOWED = 4
"""Nodes of the blueprint that follow a node of the solver, at most."""

_NOWHERE = -1
_ONE = np.ones(1)
_NEAREST, _MIXED = Translation("deterministic"), Translation("pseudo-harmonic")


class RootReading(NamedTuple):
    """A decision of the blueprint that may correspond to the root of a solver's tree.

    node: -1 where its tree has ended.  weight: with every hand, ``[1326]``, relative to others.
    """

    node: int
    weight: Vector


Roots = tuple[Sequence[RootReading], Sequence[RootReading]]
"""The roots of each player's own readings, by player of the solver."""


class _Followed(NamedTuple):
    """A node of the blueprint, or -1, with its weight by bucket; ``[1]``: the same for all."""

    node: int
    weight: Vector


_Several = list[_Followed]


class UnvisitedAnswer(NamedTuple):
    """What hands do at a decision that training never visited with them.

    choices: the index of folding, of checking or calling, and of the raise with a strong hand, by
    the numbers of `choose_by_strength`.  price: the pot odds; 0 if checking is free.
    """

    choices: tuple[int, int, int]
    price: float


class _Shadow(NamedTuple):
    """The blueprint's counterpart of a decision of the solver.

    followed: the blueprint's decisions.  to: for each of them, and each of its actions, the index
    of the solver's action that represents it; empty for -1.  actions: the number of the solver's
    actions.  passive: the index of check or call.
    """

    followed: tuple[_Followed, ...]
    to: tuple[tuple[int, ...], ...]
    actions: int
    passive: int


class FollowedLine(NamedTuple):
    """A line of play in the solver's tree.

    number: equal for the same line in all trees of a spot, as far as they offer the same actions
    along it.  followed: by player, what follows it in the blueprint.
    """

    number: int
    followed: tuple[_Several, _Several]


class Answered(NamedTuple):
    """A decision of the solver.

    rows: the blueprint's strategy in the solver's actions, float32 ``[actions, buckets]``; zeros
    where training never was.  unvisited: what hands do there.  after: the line of each action; None
    where the hand is over.
    """

    rows: npt.NDArray[np.float32]
    unvisited: UnvisitedAnswer
    after: tuple[FollowedLine | None, ...]


class _KnownLines:
    """Lines of play from a root, and the blueprint's answers along them, in all trees of a spot.

    Trees of the same street differ by a bet or two, and most of their lines are the same.

    about: the root and the spot.  answered: by the number of a line and the actions offered after
    it.  after: lines with one more action, by number, action, and the blueprint's actions that it
    stands for.  next: the line that begins the next street, by the number of the one before it.
    """

    def __init__(self, about: tuple[Any, ...], root: FollowedLine) -> None:
        self.about, self.root = about, root
        self.answered: dict[tuple[int, tuple[Action | None, ...]], Answered] = {}
        self.after: dict[tuple[Any, ...], FollowedLine] = {}
        self.next: dict[int, FollowedLine] = {}
        self._numbers = count(1)

    def number(self) -> int:
        """A number that no line has yet."""
        return next(self._numbers)


def has_root(root: int | Roots) -> bool:
    """Whether both players have a decision at the root."""
    if isinstance(root, int):
        return root >= 0
    return all(any(each.node >= 0 for each in roots) for roots in root)


class BlueprintLines:
    """The lines of solvers' trees, followed in the tree of a blueprint.

    spots: of its tree.  buckets: the bucket of every hand on a board.
    """

    def __init__(self, blueprint: Blueprint, spots: TreeSpots, buckets: Buckets) -> None:
        self.blueprint, self.buckets, self._spots = blueprint, buckets, spots
        self._known: _KnownLines | None = None

    def streets(self, solver: PostflopSolver, root: int | Roots) -> Iterator[list[Answered | None]]:
        """The blueprint's answers at all nodes of each street, None where nobody decides.

        root: the blueprint's decision that corresponds to the root of the solver's tree, or several
        of them.  Ends where a street is checked down.
        """
        board = solver.boards[0].boards[0]
        known = self._known_lines(solver, root)
        roots = [known.root]
        for street_index, forest in enumerate(solver.forests):
            if not forest.decisions:
                break  # checked down
            lines, answered = self._follow(solver, street_index, roots, known)
            yield answered
            roots = [self._next(lines[n], board, known) for n in forest.forest.next.tolist()]

    def _known_lines(self, solver: PostflopSolver, root: int | Roots) -> _KnownLines:
        """What is known of the lines from a root; of the last root that was asked for."""
        spot, board = solver.spot, solver.boards[0].boards[0]
        nodes: tuple[Any, ...] = (root,)
        if not isinstance(root, int):
            nodes = tuple((each.node, each.weight.tobytes()) for side in root for each in side)
        about = (nodes, board, spot.pot, spot.stack, spot.big_blind)
        if self._known is None or self._known.about != about:
            one, two = (self._start(root, player, board) for player in (0, 1))
            self._known = _KnownLines(about, FollowedLine(0, (one, two)))
        return self._known

    def _start(self, root: int | Roots, player: int, board: tuple[int, ...]) -> _Several:
        """The roots of a player, with weights by bucket."""
        if isinstance(root, int) or len(root[player]) == 1:
            return [_Followed(root if isinstance(root, int) else root[player][0].node, _ONE)]
        free = ~HOLDING[list(board)].any(axis=0)
        buckets = self.buckets(board)[free]
        sizes = [len(self.blueprint.table(each.node)) for each in root[player] if each.node >= 0]
        size = max(sizes, default=1 + int(buckets.max()))
        count = np.maximum(np.bincount(buckets, minlength=size), 1)
        return _heaviest(
            [
                _Followed(node, np.bincount(buckets, weight[free], minlength=size) / count)
                for node, weight in root[player]
            ]
        )

    def _next(
        self, line: FollowedLine | None, board: tuple[int, ...], known: _KnownLines
    ) -> FollowedLine:
        """What is followed on the next street, with weights that are the same for all buckets."""
        assert line is not None
        found = known.next.get(line.number)
        if found is None:
            one, two = (self._averaged(followed, board) for followed in line.followed)
            found = known.next[line.number] = FollowedLine(known.number(), (one, two))
        return found

    def _averaged(self, followed: _Several, board: tuple[int, ...]) -> _Several:
        if len(followed) == 1:
            return followed
        free = self.buckets(board)[~HOLDING[list(board)].any(axis=0)]
        return [
            _Followed(node, weight if len(weight) == 1 else weight[free].mean(keepdims=True))
            for node, weight in followed
        ]

    def _follow(
        self,
        solver: PostflopSolver,
        street_index: int,
        roots: list[FollowedLine],
        known: _KnownLines,
    ) -> tuple[list[FollowedLine | None], list[Answered | None]]:
        """The lines of all nodes of a street; and the blueprint's answers at decisions."""
        forest: StreetForest = solver.forests[street_index]
        street = self._street(solver.boards[street_index].boards[0])
        lines: list[FollowedLine | None] = [*roots, *([None] * (forest.nodes - len(roots)))]
        answered: list[Answered | None] = []
        last = forest is solver.forests[-1]
        going_on: set[int] = set() if last else set(forest.forest.next.tolist())
        for node, (actor, first, many, _) in enumerate(forest.forest.node.tolist()):
            if actor < 0:
                answered.append(None)
                continue
            line, children = lines[node], range(first, first + many)
            assert line is not None
            actions = tuple(forest.action[first : first + many])
            found = known.answered.get((line.number, actions))
            if found is None:
                ends = [
                    forest.betting[child].actor < 0 and child not in going_on for child in children
                ]
                betting = forest.betting[node]
                offers = tuple(action for action in actions if action is not None)
                spot = spot_of(betting, _pot(solver, betting), legal=betting.actions)
                found = self._answer(line, street, betting, spot, offers, ends, known)
                known.answered[line.number, actions] = found
            answered.append(found)
            lines[first : first + many] = found.after
        return lines, answered

    def _answer(
        self,
        line: FollowedLine,
        street: int,
        betting: Betting,
        spot: BetContext,
        actions: tuple[Action, ...],
        ends: list[bool],
        known: _KnownLines,
    ) -> Answered:
        """The blueprint's answer at a decision, and what follows each action.

        ends: whether the hand is over after it.
        """
        actor = betting.actor
        followed = [self._here(each, actor, street) for each in line.followed]
        shadow = self._shadow(followed[actor], actions, spot)
        after: list[FollowedLine | None] = []
        for index, (action, over) in enumerate(zip(actions, ends, strict=True)):
            if over:
                after.append(None)
                continue
            read = tuple(
                (number, each)
                for number, to in enumerate(shadow.to)
                for each, target in enumerate(to)
                if target == index
            )
            key = line.number, action, read, index == shadow.passive
            found = known.after.get(key)
            if found is None:
                own = _heaviest(self._taken(shadow, index))
                one, two = (
                    own if player == actor and own else _heaviest(self._faced(each, action, spot))
                    for player, each in enumerate(followed)
                )
                found = known.after[key] = FollowedLine(known.number(), (one, two))
            after.append(found)
        unvisited = unvisited_answer(actions, spot, betting)
        return Answered(self._in_sizes(shadow), unvisited, tuple(after))

    def _here(self, followed: _Several, actor: int, street: int) -> _Several:
        """The same with -1 for nodes that are on another street or player, or ends."""
        here: _Several = []
        lost: _Several = []
        record = self.blueprint.tree.nodes.node
        for each in followed:
            node = each.node
            if node >= 0 and record[node, ACTOR] == CHANCE:  # another street follows
                node = int(record[node, FIRST]) + 1
                each = each._replace(node=node)
            found = node >= 0 and (record[node, ACTOR], record[node, STREET]) == (actor, street)
            (here if found else lost).append(each)
        if lost:
            here.append(_Followed(_NOWHERE, sum((each.weight for each in lost), np.zeros(1))))
        return here

    def _taken(self, shadow: _Shadow, index: int) -> _Several:
        """What follows an action of the actor, in the actor's own readings; may be empty."""
        after = []
        for (node, weight), to in zip(shadow.followed, shadow.to, strict=True):
            if node < 0:
                if index == shadow.passive:
                    after.append(_Followed(node, weight))
                continue
            first = int(self.blueprint.tree.nodes.node[node, FIRST])
            table = self.blueprint.table(node)
            for action, target in enumerate(to):
                if target == index:
                    after.append(_Followed(first + action, weight * table[:, action]))
        return [each for each in after if each.weight.any()]

    def _faced(self, followed: _Several, action: Action, spot: BetContext) -> _Several:
        """What follows an action in the readings of the other player."""
        after = []
        for node, weight in followed:
            if node < 0:
                after.append(_Followed(node, weight))
                continue
            first, tree = int(self.blueprint.tree.nodes.node[node, FIRST]), self._spots.spot(node)
            for index, share in _read(action, spot, tree.actions, tree.spot, _MIXED):
                after.append(_Followed(first + index, share * weight))
        return after

    def _shadow(self, followed: _Several, actions: tuple[Action, ...], spot: BetContext) -> _Shadow:
        to: list[tuple[int, ...]] = []
        for node, _ in followed:
            tree = self._spots.spot(node) if node >= 0 else None
            found = (
                [_read(action, tree.spot, actions, spot, _NEAREST)[0][0] for action in tree.actions]
                if tree is not None
                else []
            )
            to.append(tuple(found))
        return _Shadow(tuple(followed), tuple(to), len(actions), passive_index(actions))

    def _in_sizes(self, shadow: _Shadow) -> npt.NDArray[np.float32]:
        """The blueprint's decision in the solver's actions, float32 ``[actions, buckets]``.

        A single column if its tree has ended; then all hands check and call.
        """
        if all(each.node < 0 for each in shadow.followed):
            return np.eye(shadow.actions, dtype=np.float32)[:, [shadow.passive]]
        parts = []
        for (node, _), to in zip(shadow.followed, shadow.to, strict=True):
            if node < 0:
                rows = np.zeros((shadow.actions, 1), np.float32)
                rows[shadow.passive] = 1
            else:
                table = self.blueprint.table(node)
                rows = np.zeros((shadow.actions, len(table)), np.float32)
                for action, target in enumerate(to):
                    rows[target] += table[:, action]
                rows /= np.float32(WHOLE)
            parts.append(rows)
        if len(parts) == 1:
            return parts[0]
        weights = _shares([each.weight for each in shadow.followed])
        mixed = sum(weight * rows for weight, rows in zip(weights, parts, strict=True))
        total = np.sum(mixed, axis=0)
        return np.asarray(mixed / np.where(total > 0, total, 1), np.float32)

    def _street(self, board: tuple[int, ...]) -> int:
        """The street of a board in the blueprint's tree, where a run is one that repeats."""
        return min(len(board) - 2, self.blueprint.tree.repeat_from)


def unvisited_answer(
    actions: tuple[Action, ...], spot: BetContext, betting: Betting
) -> UnvisitedAnswer:
    """What hands do at a decision of the solver that training never visited with them."""
    passive = strong = passive_index(actions)
    call = betting.actions.call
    price = call / spot.pot if call else 0.0  # the pot includes the call
    if any(isinstance(action, RaiseTo) for action in actions):
        chips = spot.legal(strong_raise(spot, price))
        strong = _read(RaiseTo(chips), spot, actions, spot, _NEAREST)[0][0]
    return UnvisitedAnswer((0, passive, strong), price)


def _read(
    action: Action,
    spot: BetContext | None,
    others: tuple[Action, ...],
    other: BetContext | None,
    translation: Translation,
) -> Shares:
    """The indices of the actions of another tree that an action is read as.

    spot, other: of the player to act, in both trees.
    """
    if not isinstance(action, RaiseTo):
        return ((plain_index(action, others), 1.0),)
    assert spot is not None
    assert other is not None
    return translation.readings(action.chips, spot, others, other)


def _shares(weights: list[Vector]) -> list[Vector]:
    """Weights that sum to 1 for each bucket; averages where all are 0."""
    total = np.sum(np.broadcast_arrays(*weights), axis=0)
    some = total > 0
    if some.all():
        return [weight / total for weight in weights]
    means = [float(weight.mean()) for weight in weights]
    return [
        np.where(some, weight / np.where(some, total, 1), mean / max(sum(means), 1e-300))
        for weight, mean in zip(weights, means, strict=True)
    ]


def _heaviest(followed: _Several) -> _Several:
    """At most `MOST_FOLLOWED` of some nodes; a single one has weight 1."""
    if len(followed) > MOST_FOLLOWED:
        followed = sorted(followed, key=lambda each: -float(each.weight.mean()))[:MOST_FOLLOWED]
    return followed if len(followed) != 1 else [_Followed(followed[0].node, _ONE)]


def _pot(solver: PostflopSolver, betting: Betting) -> int:
    spot = solver.spot
    return spot.pot + sum(spot.stack - behind for behind in betting.stacks)
