"""Programs of the last street: the betting below each root as steps in depth-first order.

A step works on all hands of a node; vectors live in *slots*, which are reused as soon as a subtree
is done. The opponent's decision writes the reach of its children into slots (``SHARE``), terminals
turn a slot of reach into a slot of values (``FOLDED``, ``SHOWN``), the traverser's decision takes
the values of its children (``MEAN``). Below the opponent's decision values are added up in one
slot. Children are visited in the order of their actions or in the reverse order, whichever needs
fewer slots: a child's reach is not needed after its subtree, nor a slot for its values before.

`tiltless.kernels.cuda.structs` has the codes, ``river.cu`` the fields of each step.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.cuda.structs import ENTER, FOLDED, LEAVE, MEAN, SHARE, SHOWN
from tiltless.kernels.postflop.street import ACTOR, FOLD, SHOWDOWN
from tiltless.postflop.betting_forest import StreetForest

__all__ = ["RootSteps", "fold_payoffs", "root_steps", "share_work"]

_FIELDS, _PAYS = 8, 4


class RootSteps(NamedTuple):
    """The steps of all roots, one after the other.

    step: int32 ``[steps, 8]``.  pay: float32 ``[steps, 4]``.  begin: int64 ``[roots + 1]``.
    reach_slots, cfv_slots: how many slots are used at once.
    """

    step: npt.NDArray[np.int32]
    pay: npt.NDArray[np.float32]
    begin: npt.NDArray[np.int64]
    reach_slots: int
    cfv_slots: int


def fold_payoffs(forest: StreetForest, traverser: int) -> dict[int, float]:
    """What the traverser wins at each node where somebody has folded."""
    ends = forest.ends
    payoffs: dict[int, float] = {}
    for nodes, pays in (
        (ends.sibling_fold[traverser], ends.sibling_payoff[traverser]),
        (ends.fold[traverser], ends.fold_payoff[traverser]),
    ):
        payoffs |= {n: pay for n, pay in zip(nodes.tolist(), pays.tolist(), strict=True) if n >= 0}
    return payoffs


def root_steps(forest: StreetForest, traverser: int) -> RootSteps:
    """The program of the last street for one traverser."""
    writer = _Writer(forest, traverser)
    begin = [0]
    for root in forest.forest.root.tolist():
        writer.root(root)
        begin.append(len(writer.steps))
    return RootSteps(
        np.array(writer.steps, np.int32),
        np.array(writer.pays, np.float32),
        np.array(begin, np.int64),
        writer.reach_slots,
        writer.cfv_slots,
    )


class _Writer:
    def __init__(self, forest: StreetForest, traverser: int) -> None:
        self.forest, self.traverser = forest, traverser
        self.node = forest.forest.node.tolist()
        self.fold_pay = fold_payoffs(forest, traverser)
        shown = zip(forest.ends.showdown.tolist(), forest.ends.showdown_factor.T, strict=True)
        self.factors = {n: factors.tolist() for n, factors in shown if n >= 0}
        self.steps: list[list[int]] = []
        self.pays: list[list[float]] = []
        self.reach_slots = self.cfv_slots = 1
        self._needs = cache(self._count)

    def root(self, n: int) -> None:
        """All steps of a root, whose reach and values are in the slots 0."""
        self._add(ENTER, n, 0)
        self._visit(n, 0, 0, 0, 1, 1)
        self._add(LEAVE, n, 0)

    def _count(self, n: int) -> tuple[int, int]:
        """How many slots for reach and for values a node needs beyond its own."""
        actor = self.node[n][ACTOR]
        if actor < 0:
            return 0, 0
        below = [self._needs(child) for child in self.forest.children(n)]
        reaches, values = [each[0] for each in below], [each[1] for each in below]
        if actor == self.traverser:
            return max(reaches), min(_most(values), _most(values[::-1]))
        return min(_most(reaches), _most(reaches[::-1])), max(values)

    def _visit(self, n: int, reach: int, out: int, add: int, free: int, free_cfv: int) -> None:
        """The steps of a subtree.

        reach, out: slots of the node.  add: 1 if its value is added.  free, free_cfv: the first
        slots that nobody needs.
        """
        actor, _, actions, row = self.node[n]
        if actor == FOLD:
            self._add(FOLDED, n, reach, out, add, pays=[self.fold_pay[n]])
            return
        if actor == SHOWDOWN:
            self._add(SHOWN, n, reach, out, add, -1, pays=self.factors[n])
            return
        children = list(self.forest.children(n))
        own = actor == self.traverser
        needs = [self._needs(child)[own] for child in children]
        forward = _most(needs) <= _most(needs[::-1])  # the value or reach of child a in slot a
        order = range(actions) if forward == own else range(actions)[::-1]
        if own:
            first, way = (free_cfv, 1) if forward else (free_cfv + actions - 1, -1)
            self.cfv_slots = max(self.cfv_slots, free_cfv + actions)
            for a in order:
                held = a if forward else actions - 1 - a
                self._own_child(children, a, reach, first, way, free, free_cfv + held + 1)
            self._add(MEAN, n, row, actions, first, way, out, add)
            return
        first, way = (free, 1) if forward else (free + actions - 1, -1)
        self.reach_slots = max(self.reach_slots, free + actions)
        self._add(SHARE, n, row, actions, reach, first, way)
        for a in order:
            slot = first + way * a
            self._visit(children[a], slot, out, add, slot + 1, free_cfv)
            add = 1

    def _own_child(
        self,
        children: Sequence[int],
        a: int,
        reach: int,
        first: int,
        way: int,
        free: int,
        free_cfv: int,
    ) -> None:
        """A child of the traverser's node; a showdown computes the fold beside it as well."""
        shown = [self.node[child][ACTOR] == SHOWDOWN for child in children]
        folds = self.node[children[0]][ACTOR] == FOLD and any(shown)
        child, out = children[a], first + way * a
        if folds and shown[a] and shown.index(True) == a:
            pays = [*self.factors[child], self.fold_pay[children[0]]]
            self._add(SHOWN, child, reach, out, 0, first, pays=pays)
        elif not (folds and a == 0):
            self._visit(child, reach, out, 0, free, free_cfv)

    def _add(self, *fields: int, pays: Sequence[float] = ()) -> None:
        self.steps.append([*fields, *[0] * (_FIELDS - len(fields))])
        self.pays.append([*pays, *[0.0] * (_PAYS - len(pays))])


def _most(needs: Sequence[int]) -> int:
    """The slots of children where the one at index a is visited when a others are held."""
    return max(a + 1 + need for a, need in enumerate(needs))


def share_work(steps: RootSteps, boards: int, blocks: int) -> npt.NDArray[np.int32]:
    """`RiverProgram.work`: all roots of all boards, in about this many blocks, the longest first.

    A block has neighbouring roots of one board, so that it loads the hands of the board once.
    """
    roots, begin = len(steps.begin) - 1, steps.begin
    parts = min(max(-(-blocks // boards), 1), roots)
    goal = begin[-1] / parts
    cuts = np.unique(np.searchsorted(begin, goal * np.arange(1, parts)))
    edges = begin[np.unique([0, *cuts.tolist(), roots])]
    sizes = np.diff(edges)
    work = [
        (board, edges[part], edges[part + 1])
        for part in np.argsort(-sizes, kind="stable").tolist()
        for board in range(boards)
    ]
    return np.array(work, np.int32)
