"""Blocks of a betting graph: the betting of one street by what it depends on, each built once.

A block of a later street depends on its key: a `BlockKey` if lines share it, where chips are in
units of a millionth of the pot at its start, or an `ExactKey` in chips. `GraphBlocks.following`
says to which blocks the endings of a block lead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from tiltless.abstraction.bets.menu import TableMenu
from tiltless.blueprint.multiway.block import BettingBlock, street_block
from tiltless.blueprint.multiway.graph import RATIO_STEP, BlockKey, ratio_bin
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.blueprint.tree import label_of
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.betting import NOBODY, Betting, Round, open_round
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.blueprint.nodes import NO_LABEL
from tiltless.kernels.multiway.nodes import LINK, MOST_SEATS

__all__ = ["POT", "ExactKey", "GraphBlocks", "Key"]

POT = 1_000_000
"""Units of the pot at the start of a shared block, where sizes are whole numbers."""


class ExactKey(NamedTuple):
    """What a block of exact histories depends on, besides its history."""

    street: int
    pot: int
    stack: int
    players: int


Key = BlockKey | ExactKey


@dataclass(eq=False)
class GraphBlocks:
    """The blocks of a graph.

    shared, pairs: see `tiltless.blueprint.multiway.graph_layout.betting_graph`.  root, line: where
    the graph of a subgame begins, and what was really done there so far.
    """

    game: Holdem
    menu: MultiwayMenu
    shared: bool
    pairs: bool
    root: ExactKey | None = None
    line: tuple[Action, ...] = ()
    made: dict[tuple[int, ...], BettingBlock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rules = self.game.rules
        if not 2 <= rules.seats <= MOST_SEATS:
            raise OptionError(
                f"{rules.seats} seats have no betting graph; choose 2 to {MOST_SEATS}"
            )
        if len(set(rules.stacks)) > 1:
            raise OptionError(f"stacks {rules.stacks} differ; a betting graph needs equal ones")
        if rules.run_suits or rules.big_blind_ante or self.game.hidden is not None:
            raise OptionError(
                f"{self.game.name} has no betting graph; take a game without growing boards, big "
                "blind antes and hidden ranks"
            )
        if self.shared and not self.menu.any_pot:
            raise OptionError(
                "shared blocks serve all pots, so sizes after the flop are in %, x, e or a; write "
                "those, or ask for exact histories (shared=False)"
            )
        self.last = len(rules.streets) - 1
        self.ante = min(rules.ante, rules.stacks[0])
        self.stack = rules.stacks[0]

    def first(self) -> BettingBlock:
        """The block that the graph begins with."""
        if () not in self.made:
            root = self.root
            if root is None:
                self.made[()] = self._preflop()
            else:
                rules = self.game.round(root.street)
                self.made[()] = self._postflop(*root, rules, self.line)
        return self.made[()]

    def _preflop(self) -> BettingBlock:
        """The betting before the flop, in chips."""
        rules, start = self.game.rules, self.game.start(button=0).betting
        big_blind, dead = max(start.bets), self.ante * rules.seats
        tables = [self.menu.after_limpers(n).at(rules) for n in range(rules.seats)]

        def offers(betting: Betting) -> tuple[Action, ...]:
            limpers = 0
            if big_blind and not betting.raises:
                limpers = sum(bet == big_blind for bet in betting.bets) - 1
            return tables[limpers].actions(betting, 0, dead + sum(betting.bets))

        return street_block(start, offers, NO_LABEL, self.last == 0)

    def block(self, key: Key) -> BettingBlock:
        """The betting of a later street."""
        if isinstance(key, BlockKey):
            shape: tuple[int, ...] = (key.street, key.ratio, key.players)
            pot, stack = POT, max(round(POT * RATIO_STEP**key.ratio), 1)
            rules = replace(self.game.round(key.street), bet=1)
        else:
            shape, rules = key, self.game.round(key.street)
            pot, stack = key.pot, key.stack
        if shape not in self.made:
            self.made[shape] = self._postflop(key.street, pot, stack, key.players, rules)
        return self.made[shape]

    def _postflop(
        self,
        street: int,
        pot: int,
        stack: int,
        players: int,
        rules: Round,
        line: tuple[Action, ...] = (),
    ) -> BettingBlock:
        """One street among positions, the last of which is where the button is or was.

        line: actions that were really taken, which are offered beside those of the menu.
        """
        stacks = (stack,) * players
        table = self.menu.left(players).at(replace(self.game.rules, stacks=stacks), players - 1)
        start = open_round(rules, stacks, (0,) * players, (1 << players) - 1, players - 1)
        taken: dict[Betting, Action] = {}
        betting = start
        for action in line:
            taken[betting] = action
            betting = betting.after(action)
        offers = partial(_offers, table, street, pot, taken)
        return street_block(start, offers, NO_LABEL, street == self.last)

    def following(self, block: BettingBlock, key: Key | None) -> list[tuple[int, Key]]:
        """The links of a block: the number of each ending, and the key of the next block."""
        found: list[tuple[int, Key]] = []
        players = self.game.players if key is None else key.players
        order = (*range(1, players), 0) if key is None else tuple(range(players))
        for number, ending in enumerate(block.endings):
            if ending.kind != LINK:
                continue
            left = [p for p in order if ending.live >> p & 1]
            bet = max(ending.bets)
            if key is None:
                pot = self.ante * players + sum(ending.bets)
                stack = self.stack - self.ante - bet
            elif isinstance(key, BlockKey):
                pot = POT + sum(ending.bets)
                stack = max(round(POT * RATIO_STEP**key.ratio), 1) - bet
            else:
                pot, stack = key.pot + sum(ending.bets), key.stack - bet
            street = 1 if key is None else key.street + 1
            if not self.shared:
                found.append((number, ExactKey(street, pot, stack, len(left))))
                continue
            aggressor = left.index(ending.aggressor) if ending.aggressor in left else NOBODY
            pair: tuple[int, int] | None = None
            if len(left) == 2 and self.pairs:
                before = key.pair if isinstance(key, BlockKey) else None
                pair = (left[0], left[1]) if key is None else before
            ratio = ratio_bin(stack, pot)
            found.append((number, BlockKey(street, ratio, len(left), aggressor, pair)))
        return found


def _offers(
    table: TableMenu, street: int, pot: int, taken: Mapping[Betting, Action], betting: Betting
) -> tuple[Action, ...]:
    """The actions of the menu, and the one that was really taken here."""
    offered = table.actions(betting, street, pot + sum(betting.bets))
    more = taken.get(betting)
    if more is None or more in offered:
        return offered
    return tuple(sorted((*offered, more), key=label_of))
