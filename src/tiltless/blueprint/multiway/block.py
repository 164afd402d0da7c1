"""The betting of one street among positions, built with the reference rules.

A block begins with equal stacks, so everybody who is all-in is so for the same number of chips:
there is one pot, and the block depends only on the pot, the stack, the number of players and the
sizes on offer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tiltless.blueprint.tree import label_of
from tiltless.games.holdem.actions import Action, Fold, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.kernels.multiway.nodes import LINK, SHOWDOWN, UNCONTESTED

__all__ = ["BettingBlock", "Ending", "street_block"]

Offers = Callable[[Betting], tuple[Action, ...]]


class Ending(NamedTuple):
    """How the betting of a street ends.

    kind: UNCONTESTED, SHOWDOWN or LINK.  node: its node.  bets: chips of each position.
    all_in: positions without chips behind, a bit mask.  live: positions that have not folded.
    aggressor: the position that made the last bet or raise, or `NOBODY`.
    """

    kind: int
    node: int
    bets: tuple[int, ...]
    all_in: int
    live: int
    aggressor: int


@dataclass(eq=False)
class BettingBlock:
    """The nodes of one street, numbered from 0; see `tiltless.kernels.multiway.nodes`.

    actor, actions, first, folds, parent, paid, label: one entry for each node.
    turns: the most decisions of one position in a hand.
    """

    actor: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    folds: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    paid: list[float] = field(default_factory=list)
    label: list[float] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    turns: int = 0

    @property
    def decisions(self) -> int:
        """The number of decisions."""
        return len(self.actor) - len(self.endings)

    def add(self, parent: int, label: float) -> int:
        """One more node, to be filled in later; returns its number."""
        for column in (self.actor, self.actions, self.first, self.folds):
            column.append(0)
        self.parent.append(parent)
        self.paid.append(0.0)
        self.label.append(label)
        return len(self.actor) - 1


def street_block(start: Betting, offers: Offers, no_label: float, last: bool) -> BettingBlock:
    """All betting of a street from ``start`` on.

    offers: the actions at a decision.  last: whether no street follows.
    """
    block = BettingBlock()
    players = len(start.bets)
    stack = [(block.add(-1, no_label), start, NOBODY, (0,) * players)]
    while stack:
        node, betting, aggressor, turns = stack.pop()
        actor = betting.actor
        if actor < 0:
            live, able = betting.live, betting.able
            full = sum(1 << p for p in range(players) if not betting.stacks[p])
            kind = UNCONTESTED if not live & live - 1 else LINK
            if kind == LINK and (last or not able & able - 1):
                kind = SHOWDOWN
            block.actor[node] = kind
            block.endings.append(Ending(kind, node, betting.bets, full, live, aggressor))
            block.turns = max(block.turns, *turns)
            continue
        actions = offers(betting)
        turns = tuple(n + (p == actor) for p, n in enumerate(turns))
        children = [block.add(node, float(label_of(action))) for action in actions]
        block.actor[node], block.actions[node] = actor, len(actions)
        block.first[node], block.paid[node] = children[0], float(betting.bets[actor])
        block.folds[node] = int(actions[0].__class__ is Fold)
        for child, action in zip(children, actions, strict=True):
            who = actor if action.__class__ is RaiseTo else aggressor
            stack.append((child, betting.after(action), who, turns))
    return block
