"""Exploration: deviations from the blueprint towards showdowns while the order is unknown.

Showdowns are all that teaches the order of ranks, so a player may pay a little to see one: call
where the blueprint folds, if the price is small, or check where it bets, if the pot is small. The
weight of the fold moves to the call, or that of all bets to the check. Both are actions of the same
decision, so what is played stays legal.

The table of such a player has two halves of buckets on each street: the blueprint's own, and the
same with deviations. A hand is in the second half while showdowns are wanted, so one kernel plays
both. What it costs and wins: docs/permutation-play.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.permutation.beliefs import Belief, Beliefs, Posterior
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import Cards
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CALL_LABEL,
    CHECK_LABEL,
    FIRST,
    FOLD_LABEL,
    ROW,
    STREET,
    Rows,
)
from tiltless.permutation.orders import Orders

__all__ = ["Seeking", "SeekingPosterior", "Shift", "seeking_table", "shifts", "wants_showdowns"]

Table = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Seeking:
    """When to deviate.

    call: a fold becomes a call if it costs at most this part of the pot with the bet in it.
    check: whether a bet becomes a check, after the flop.  pot: the largest pot, in big blinds, in
    which either happens, with the bet in it.  street: the first street, 0 for preflop.  until: the
    entropy of the posterior, in bits, from which showdowns are no longer wanted.
    """

    call: float = 0.0
    check: bool = False
    pot: float = 8.0
    street: int = 0
    until: float = 1.0


class Shift(NamedTuple):
    """At a decision, all weight of the actions ``away`` moves to the action ``to``."""

    node: int
    to: int
    away: tuple[int, ...]


class SeekingPosterior:
    """The posterior, played by its median order, that wants showdowns while it is wide."""

    def __init__(self, until: float = 1.0) -> None:
        self.until, self._orders = until, Orders()
        self._posterior = Posterior(orders=lambda: self._orders)
        self.wanted = self._wanted()

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Add the showdown to the evidence."""
        self._posterior.observe(cards_a, cards_b, board, result)
        self.wanted = self._wanted()

    def belief(self) -> Belief:
        """That of the posterior."""
        return self._posterior.belief()

    def _wanted(self) -> bool:
        return not self.belief().known and self._orders.entropy() > self.until


def wants_showdowns(beliefs: Beliefs) -> bool:
    """Whether a player of these beliefs deviates now."""
    return isinstance(beliefs, SeekingPosterior) and beliefs.wanted


def shifts(tree: BettingTree, seeking: Seeking) -> list[Shift]:
    """The decisions of two players at which a rule deviates."""
    node = tree.nodes.node
    found = (_shift(tree, at, seeking) for at in np.flatnonzero(node[:, ACTOR] >= 0).tolist())
    return [shift for shift in found if shift is not None]


def _shift(tree: BettingTree, at: int, seeking: Seeking) -> Shift | None:
    node, label, paid, _ = tree.nodes
    street, first = int(node[at, STREET]), int(node[at, FIRST])
    labels = label[first : first + int(node[at, ACTIONS])].tolist()
    most = seeking.pot * tree.game.rules.big_blind
    if street < seeking.street:
        return None
    if FOLD_LABEL in labels:
        fold = labels.index(FOLD_LABEL)
        chips = paid[node[first + fold, ROW]]
        price, pot = int(np.ptp(chips)), int(chips.sum())
        if pot <= most and 0 < price <= seeking.call * pot:
            return Shift(at, labels.index(CALL_LABEL), (fold,))
        return None
    bets = tuple(number for number, each in enumerate(labels) if each >= 0)
    if not (seeking.check and street and bets):
        return None
    answer = int(node[first + bets[0], FIRST])  # the opponent's first answer to a bet is to fold
    assert label[answer] == FOLD_LABEL
    pot = 2 * int(paid[node[answer, ROW], node[first + bets[0], ACTOR]])
    return Shift(at, labels.index(CHECK_LABEL), bets) if pot <= most else None


def seeking_table(
    tree: BettingTree, table: Table, buckets: Sequence[int], seeking: Seeking
) -> tuple[Table, Rows]:
    """The table with twice as many buckets, uint8, and its layout.

    table: uint8, laid out by ``tree.rows(buckets)``.  Bucket ``b + buckets[street]`` is bucket
    ``b`` with the deviations; where it has no weights, all actions had been equally likely.
    """
    node, old, new = tree.nodes.node, tree.rows(buckets), tree.rows([2 * each for each in buckets])
    out = np.empty(int(new.start[-1]), np.uint8)
    changes = {shift.node: shift for shift in shifts(tree, seeking)}
    for at in np.flatnonzero(node[:, ACTOR] >= 0).tolist():
        street, row = int(node[at, STREET]), int(node[at, ROW])
        count, actions = buckets[street], int(node[at, ACTIONS])
        size = count * actions
        begin = int(old.start[street]) + row * count
        half = int(new.start[street]) + 2 * row * count
        out[half : half + size] = out[half + size : half + 2 * size] = table[begin : begin + size]
        if at in changes:
            _, to, away = changes[at]
            weights = out[half + size : half + 2 * size].reshape(count, actions)
            weights[~weights.any(axis=1)] = 1
            weights[:, to] += weights[:, list(away)].sum(axis=1, dtype=np.uint8)
            weights[:, list(away)] = 0
    out.flags.writeable = False
    return out, new
