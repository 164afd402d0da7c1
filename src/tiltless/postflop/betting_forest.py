"""Betting forests: the bets of a post-flop spot as arrays, one forest per street.

Bets do not depend on cards, so a street has one forest for all its boards. Each root is a way in
which the previous street can end; see `tiltless.kernels.postflop.street.Forest`. The rules are
those of the reference implementation (`tiltless.games.holdem.betting`), the sizes those of a menu
(`tiltless.abstraction.bets.menu`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import TableMenu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting, open_round
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit
from tiltless.kernels.postflop.street import (
    ACTIONS,
    ACTOR,
    FIRST,
    FOLD,
    SHOWDOWN,
    STREET_END,
    Forest,
)
from tiltless.kernels.postflop.terminals import TERMINALS_AT_ONCE, Terminals
from tiltless.postflop.spot import IP, OOP, Spot

__all__ = [
    "MOST_LINES",
    "RIVER",
    "StreetForest",
    "TooManyLinesError",
    "nodes_dealt",
    "street_forests",
]

RIVER = 3
"""The index of the last street, where the flop is 1."""
MOST_LINES = 2_000_000
"""The most nodes that a street may have."""
_BOTH = 0b11

Nodes = npt.NDArray[np.int32]


class TooManyLinesError(OptionError):
    """A menu makes more lines of play than a forest may have."""


@dataclass(frozen=True)
class StreetForest:
    """The forest of a street, with the betting at its nodes.

    street: 1 flop, 2 turn, 3 river.  forest, ends: nodes and terminals, for the kernels.
    action: the action that led to each node; None at roots.  parent: of each node, -1 at roots.
    betting: the state of the betting at each node.
    lead: the player whom a first bet leads, or led, into at each node; -1 for nobody.
    rows: the number of action rows of each player.
    slots: the number of reach vectors when the traverser is player 0 or 1.
    """

    street: int
    forest: Forest
    ends: Terminals
    action: list[Action | None]
    parent: list[int]
    betting: list[Betting]
    lead: list[int]
    rows: tuple[int, int]
    slots: tuple[int, int]

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.action)

    @property
    def decisions(self) -> int:
        """The number of decision nodes."""
        return int(np.count_nonzero(self.forest.node[:, ACTOR] >= 0))

    def has_same_lines(self, other: "StreetForest") -> bool:
        """Whether the forest of the same street of the same spot has the same lines of play."""
        return self.action == other.action and self.parent == other.parent

    def children(self, node: int) -> range:
        """The children of a node, in the order of its actions; empty where the street is over."""
        first, actions = self.forest.node[node, [FIRST, ACTIONS]].tolist()
        return range(first, first + actions)


class _SpotBetting:
    """The betting rules of a spot: legal actions of the menu and the states after them."""

    def __init__(self, spot: Spot) -> None:
        self.spot, blind = spot, spot.big_blind
        total = (spot.pot + spot.stack,) * 2
        self.rules = Rules(total, (blind, blind), no_limit((blind,) * (RIVER + 1)))
        self.table = TableMenu(find_menu(spot.bets), self.rules)

    def first(self) -> tuple[Betting, int]:
        """The betting at the root, and the player whom a first bet leads into."""
        spot = self.spot
        rules = self.rules.round(spot.street)
        betting = open_round(rules, (spot.stack, spot.stack), (0, 0), _BOTH, IP)
        return betting, self.table.lead(betting, spot.street, spot.leads_into)

    def next(self, betting: Betting, street: int, lead: int) -> tuple[Betting, int]:
        """The same at the start of the next street, after a street has ended."""
        opened = betting.next_round(self.rules.round(street + 1), IP)
        return opened, self.table.lead(opened, street + 1, lead) if betting.raises else NOBODY

    def offers(self, betting: Betting, street: int, lead: int) -> tuple[Action, ...]:
        """The actions that the menu offers the player to act."""
        pot = self.spot.pot + sum(self.paid(betting))
        return self.table.actions(betting, street, pot, lead)

    def paid(self, betting: Betting) -> tuple[int, int]:
        """Chips that the players have paid since the spot began."""
        one, two = betting.stacks
        return self.spot.stack - one, self.spot.stack - two

    def matched(self, betting: Betting) -> float:
        """What each player has in the pot, including half of the pot of the spot."""
        return self.spot.pot / 2 + min(self.paid(betting))


def street_forests(
    spot: Spot,
    played: Sequence[Action] = (),
    most: int = MOST_LINES,
    most_dealt: int | None = None,
) -> list[StreetForest]:
    """The forests of a spot, from its street to the river.

    played: actions from the root that must be in the forest of the first street, on the menu or
    not, such as the bets that were actually made.  most: the limit of nodes of a street; more raise
    `TooManyLinesError`.  most_dealt: a limit of `nodes_dealt` instead.
    """
    rules = _SpotBetting(spot)
    roots: list[tuple[Betting, int]] = [rules.first()]
    forests: list[StreetForest] = []
    for street in range(spot.street, RIVER + 1):
        if most_dealt is not None:
            most = (most_dealt - nodes_dealt(forests)) // _boards(spot.street, street)
        grown = _grow(rules, street, roots, played if street == spot.street else (), most)
        over = grown.forest.next.tolist()
        roots = [(grown.betting[n], grown.lead[n]) for n in over]  # over: hands are shown
        if spot.bets_later:
            roots = [rules.next(betting, street, lead) for betting, lead in roots]
        forests.append(grown)
    return forests


def nodes_dealt(forests: Sequence[StreetForest]) -> int:
    """Nodes times the boards of their street; boards that are the same up to suits all count."""
    return sum(grown.nodes * _boards(forests[0].street, grown.street) for grown in forests)


def _boards(first: int, street: int) -> int:
    """The number of boards of a street that follow from one board of the first street."""
    return prod(52 - dealt - 2 for dealt in range(first, street))


def _grow(
    rules: _SpotBetting,
    street: int,
    roots: list[tuple[Betting, int]],
    played: Sequence[Action],
    most: int,
) -> StreetForest:
    betting, lead = [root[0] for root in roots], [root[1] for root in roots]
    action: list[Action | None] = [None] * len(roots)
    parent = [-1] * len(roots)
    record: list[tuple[int, int, int, int]] = []
    rows, on_line = [0, 0], 0  # on_line: the node that the played actions lead to so far
    for at, here in enumerate(betting):  # which grows in the loop
        if here.actor < 0:
            record.append((_kind(here, street), 0, 0, 0))
            continue
        offers = rules.offers(here, street, lead[at])
        if played and at == on_line:
            offers = _with(offers, played[0])
            on_line, played = len(betting) + offers.index(played[0]), played[1:]
        record.append((here.actor, len(betting), len(offers), rows[here.actor]))
        rows[here.actor] += len(offers)
        betting += [here.after(offer) for offer in offers]
        lead += [here.actor if isinstance(offer, RaiseTo) else lead[at] for offer in offers]
        action += offers
        parent += [at] * len(offers)
        if len(betting) > most:
            raise TooManyLinesError(
                f"the bets {rules.spot.bets} make more than {most:,} lines of play; give "
                "fewer sizes, or a cap"
            )
    if played:
        raise OptionError(f"{played[0]} cannot be played, as the hand is over; shorten the line")
    node = np.array(record, np.int32).reshape(-1, 4)
    slots = [_slots(node, parent, len(roots), player) for player in (IP, OOP)]
    forest = Forest(
        node,
        np.array([slot for slot, _ in slots], np.int32),
        np.arange(len(roots), dtype=np.int32),
        np.flatnonzero(node[:, ACTOR] == STREET_END).astype(np.int32),
    )
    ends = _ends(rules, node, parent, betting)
    return StreetForest(
        street,
        forest,
        ends,
        action,
        parent,
        betting,
        lead,
        (rows[0], rows[1]),
        (slots[0][1], slots[1][1]),
    )


def _with(offers: tuple[Action, ...], more: Action) -> tuple[Action, ...]:
    """Actions with one more, raises in ascending order."""
    if more in offers:
        return offers
    raises = sorted(
        (each for each in (*offers, more) if isinstance(each, RaiseTo)), key=lambda each: each.chips
    )
    return (*(each for each in offers if not isinstance(each, RaiseTo)), *raises)


def _kind(betting: Betting, street: int) -> int:
    """The code in the actor column of a node where nobody acts."""
    if not betting.live & betting.live - 1:
        return FOLD
    return SHOWDOWN if street == RIVER else STREET_END


def _slots(node: Nodes, parent: Sequence[int], roots: int, traverser: int) -> tuple[list[int], int]:
    """The slot of each node's reach vector, and the number of slots; see `Forest`."""
    actor = node[:, ACTOR].tolist()
    slots, count = list(range(roots)), roots
    for n in range(roots, len(node)):
        shared = actor[parent[n]] == traverser
        slots.append(slots[parent[n]] if shared else count)
        count += not shared
    return slots, count


def _ends(
    rules: _SpotBetting, node: Nodes, parent: Sequence[int], betting: Sequence[Betting]
) -> Terminals:
    """The terminals, padded to whole SIMD vectors, and their payoffs."""
    spot = rules.spot
    pays = np.zeros((2, len(node) + 1), np.float32)
    folded = np.flatnonzero(node[:, ACTOR] == FOLD).tolist()
    for n in folded:
        mine, winner = rules.matched(betting[n]), betting[n].live.bit_length() - 1
        pays[winner, n], pays[1 - winner, n] = mine - spot.raked(2 * mine), -mine
    # A call that leads to a showdown and the fold beside it belong to one decision. Calls of player
    # 0 come first and those of player 1 last, so that their folds share as few vectors as possible.
    shown, beside, caller = np.flatnonzero(node[:, ACTOR] == SHOWDOWN).tolist(), {}, {}
    for n in shown:
        first = int(node[parent[n], FIRST]) if parent[n] >= 0 else n
        beside[n] = first if node[first, ACTOR] == FOLD else -1
        caller[n] = betting[parent[n]].actor if beside[n] >= 0 else 0.5
    shown.sort(key=lambda n: (caller[n], n))
    cfv = np.zeros((3, len(_padded(shown))), np.float32)
    for i, n in enumerate(shown):
        mine = rules.matched(betting[n])
        rake = spot.raked(2 * mine)
        cfv[:, i] = mine - rake / 2, -mine, -rake / 2
    instead = [[beside[n] if caller[n] == player else -1 for n in shown] for player in (IP, OOP)]
    others = [sorted({*folded}.difference(some)) for some in instead]
    size = max(map(len, others))
    aside, rest = (
        np.array([_padded(some, least) for some in each])
        for each, least in ((instead, 0), (others, size))
    )
    return Terminals(
        _padded(shown),
        cfv,
        aside,
        np.take_along_axis(pays, aside, axis=1),
        rest,
        np.take_along_axis(pays, rest, axis=1),
    )


def _padded(nodes: Sequence[int], least: int = 0) -> Nodes:
    """Indices of nodes, padded with -1 to a multiple of `TERMINALS_AT_ONCE`."""
    size = -(-max(len(nodes), least) // TERMINALS_AT_ONCE) * TERMINALS_AT_ONCE
    out = np.full(size, -1, np.int32)
    out[: len(nodes)] = nodes
    return out
