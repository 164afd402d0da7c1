"""Abstract betting: the betting of a hold'em game without its cards, by the readable rules.

Cards change nothing in the betting, except where the rules look at the board before they deal one
more street (River of Blood). So a walk needs `tiltless.games.holdem.betting.Betting` and the
streets, and the subtree below the first decision of a street depends on nothing but the street, the
stacks, who is still in and, for menus with donk sizes, whom there is to lead into. Counting a tree
therefore looks at each such start once, however often it occurs.
"""

from itertools import takewhile
from random import Random
from typing import NamedTuple

from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.cards.card import DECK_SIZE
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.blueprint.nodes import CHANCE, SHOWDOWN, UNCONTESTED
from tiltless.validate import whole_number

__all__ = ["AbstractBetting", "TreeSize", "count", "probe", "start_key"]

_MOST_STREETS = 60  # more than the deck can give
_MOST_STARTS = 1_000_000  # that may be held at a time: less than a gigabyte
_MOST_LOOKS = 2_000_000  # positions to look at before giving up: a minute
_PATIENCE = 25_000  # positions to look at before the first estimate: half a second
_CLEARLY = 4  # times the limit: an estimate that is as good as certain


class TreeSize(NamedTuple):
    """The size of a betting tree.

    decisions, actions: how many there are on each street.  ends: how many ways a hand can end.
    depth: no hand passes through more nodes than this.
    """

    nodes: int
    ends: int
    decisions: tuple[int, ...]
    actions: tuple[int, ...]
    depth: int


class AbstractBetting:
    """The rules of one betting tree: what comes next.

    Players are counted clockwise from the button, which is player 0.

    first: the betting after the blinds.  stacks, dead: chips of each player at the start, and what
    of it is paid as a big blind ante.  run_suits: suits of the newest board card with which one
    more street follows the last one, a bit mask; repeats: how many cards of them there are.
    board: board cards of a hand that is shown, without those streets.
    repeat_from: streets from this number on are the same street again.  streets: how many
    different ones there are.
    """

    def __init__(self, game: Holdem, menu: Menu | str, repeat_from: int | None) -> None:
        seats = game.players
        self.stacks = tuple(game.rules.stacks[(game.button + p) % seats] for p in range(seats))
        start = game.start(button=0, stacks=self.stacks)
        self.game, self.menu = game, find_menu(menu)
        self.table = self.menu.at(game.rules)
        self.donks = self.menu.donks
        self.first = start.betting
        self.dead = start.table.dead
        self.chips = sum(self.stacks)
        dealt = len(game.rules.streets)
        self.run_suits = sum(1 << suit for suit in range(4) if game.deal_size(dealt - 1, (suit,)))
        self.repeat_from = dealt if repeat_from is None else repeat_from
        whole_number("repeat_from", self.repeat_from, dealt, _MOST_STREETS)
        self.last = dealt - 1
        deck = [card for card in range(DECK_SIZE) if game.deck >> card & 1]
        self.repeats = sum(self.run_suits >> (card & 3) & 1 for card in deck)
        dealt_cards = (game.deal_size(street, ()) for street in range(self.last))
        self.board = sum(takewhile(bool, dealt_cards))
        gone = seats * game.rules.hole_cards + self.board - 1
        if self.run_suits and len(deck) - self.repeats <= gone:
            raise OptionError(
                f"{game.name} may run out of cards: {gone} others can hold all that end the run "
                f"of {game.rules.run_suits!r}; take fewer suits or seats"
            )
        self.streets = self.repeat_from + 1 if self.run_suits else dealt

    def settle(
        self, betting: Betting, street: int, aggressor: int
    ) -> tuple[int, Betting, int, int]:
        """The actor of the node after a move, and its betting, street and aggressor.

        Where the round is over this opens the next, unless the board decides whether there is one:
        then the betting and the aggressor are those of the next street, should it come.

        aggressor: who made the last bet or raise of this street; while there is none, whom the
            first bet would lead into. `NOBODY` wherever the menu does not ask.
        """
        while betting.actor < 0:
            live = betting.live
            if not live & live - 1:
                return UNCONTESTED, betting, street, NOBODY
            ask_board = street >= self.last
            if not (self.run_suits if ask_board else self.game.deal_size(street, ())):
                return SHOWDOWN, betting, street, NOBODY
            raises = betting.raises
            betting = betting.next_round(self.game.round(street + 1), 0)
            if aggressor >= 0:
                following = self.next_street(street)
                aggressor = self.table.lead(betting, following, aggressor) if raises else NOBODY
            if ask_board:
                return (SHOWDOWN if betting.actor < 0 else CHANCE), betting, street, aggressor
            street += 1
        return betting.actor, betting, street, aggressor

    def next_street(self, street: int) -> int:
        """The number of the next street; from ``repeat_from`` on it stays the same."""
        return min(street + 1, self.repeat_from)

    def actions(self, betting: Betting, street: int, aggressor: int) -> tuple[Action, ...]:
        """What the menu offers to the player to act; aggressor: as `settle` says."""
        pot = self.chips - sum(betting.stacks)
        return self.table.actions(betting, street, pot, aggressor)

    def aggressor(self, betting: Betting, action: Action, before: int) -> int:
        """The aggressor after an action; ``before``: the one before it."""
        return betting.actor if self.donks and action.__class__ is RaiseTo else before


StartKey = tuple[int, tuple[int, ...], int, int]


def start_key(betting: Betting, street: int, aggressor: int) -> StartKey:
    """All that the tree below the first decision of a street depends on."""
    return street, betting.stacks, betting.live, aggressor


class _Start:
    """The first decision of a street, how often it occurs, and at most how far from the root."""

    __slots__ = ("aggressor", "betting", "depth", "times")

    def __init__(self, betting: Betting, aggressor: int) -> None:
        self.betting, self.aggressor = betting, aggressor
        self.times = self.depth = 0


class _Counter:
    """Nodes counted so far, and the starts of streets that are still to be looked at."""

    def __init__(self, walk: AbstractBetting, limit: int, bound: str) -> None:
        self.walk, self.limit, self.bound = walk, limit, bound
        self.nodes = self.ends = self.depth = 0
        self.looked_at = self.held = 0
        self.patience = _PATIENCE
        self.decisions = [0] * walk.streets
        self.actions = [0] * walk.streets
        self.starts: list[dict[StartKey, _Start]] = [{} for _ in range(walk.streets)]

    def add(self, betting: Betting, street: int, aggressor: int, times: int, depth: int) -> None:
        """Count a node between two streets; note it where it is the first decision of one."""
        walk = self.walk
        kind, betting, street, aggressor = walk.settle(betting, street, aggressor)
        if kind >= 0:
            self.note(betting, street, aggressor, times, depth)
            return
        self.nodes += times
        self.ends += times
        if kind == CHANCE:
            depth += 1
            self.nodes += times  # beside the showdown, which is its first child
            street = walk.next_street(street)
            if street < walk.repeat_from:
                self.note(betting, street, aggressor, times, depth)
            else:
                self.nodes += times  # a copy of a decision that is counted once
                self.note(betting, street, aggressor, 1, 1)
        self.depth = max(self.depth, depth)

    def note(self, betting: Betting, street: int, aggressor: int, times: int, depth: int) -> None:
        """Note the first decision of a street."""
        starts, key = self.starts[street], start_key(betting, street, aggressor)
        start = starts.get(key)
        if start is None:
            start = starts[key] = _Start(betting, aggressor)
            self.held += 1
        start.times = start.times + times if street < self.walk.repeat_from else 1
        start.depth = max(start.depth, depth)

    def look(self, start: _Start, street: int) -> None:
        """Count the nodes of a street, from its first decision to those of the next."""
        walk, donks, times = self.walk, self.walk.donks, start.times
        stack = [(start.betting, start.aggressor, start.depth)]
        while stack:
            betting, aggressor, depth = stack.pop()
            menu = walk.actions(betting, street, aggressor)
            self.nodes += times
            self.decisions[street] += times
            self.actions[street] += times * len(menu)
            self.check()
            depth += 1
            for action in menu:
                after = betting.after(action)
                last = walk.aggressor(betting, action, aggressor) if donks else NOBODY
                if after.actor >= 0:
                    stack.append((after, last, depth))
                else:
                    self.add(after, street, last, times, depth)

    def check(self) -> None:
        """Stop when it is clear, or after a while very likely, that there are too many nodes."""
        self.looked_at += 1
        if self.nodes > self.limit:
            raise self.too_many("more than")
        if self.held > _MOST_STARTS or self.looked_at > _MOST_LOOKS:
            raise OptionError(
                f"the betting tree of {self.walk.game.name} has more than {self.nodes:,} nodes, in "
                "too many different positions to count; offer fewer sizes, set caps or take "
                "shallower stacks"
            )
        if self.looked_at == self.patience:
            self.patience *= 4  # so that probing takes a small part of the time
            if probe(self.walk, self.looked_at // 6, self.looked_at) > _CLEARLY * self.limit:
                raise self.too_many("far more than")

    def too_many(self, nodes: str) -> OptionError:
        """The error for a tree that is too large."""
        return OptionError(
            f"the betting tree of {self.walk.game.name} has {nodes} {self.limit:,} nodes, "
            f"{self.bound} offer fewer sizes, set caps or take shallower stacks"
        )


def count(walk: AbstractBetting, limit: int, bound: str = "the limit here; raise it,") -> TreeSize:
    """The size of a tree; `OptionError` as soon as it is clear that there are more than ``limit``.

    Memory and time are bounded as well: so is the number of starts that may wait at a time, and
    that of different positions.

    bound: what the limit is and how to raise it, in the words of the caller's options.
    """
    counter = _Counter(walk, limit, bound)
    counter.add(walk.first, 0, NOBODY, 1, 1)
    depth = 0
    for street, starts in enumerate(counter.starts):
        if street == walk.repeat_from:
            depth, counter.depth = counter.depth, 0
        done = 0
        while done < len(starts):  # a street that repeats adds starts to its own list
            for start in list(starts.values())[done:]:
                counter.look(start, street)
                done += 1
        if street < walk.repeat_from:
            counter.held -= len(starts)
            starts.clear()
    depth += counter.depth * (walk.repeats if depth else 1)
    decisions, actions = tuple(counter.decisions), tuple(counter.actions)
    return TreeSize(counter.nodes, counter.ends, decisions, actions, depth)


def probe(walk: AbstractBetting, probes: int = 4000, seed: int = 0) -> float:
    """An estimate of the number of nodes, from random hands; streets that repeat are left out.

    It is unbiased, so it exceeds k times the truth with a probability below 1 / k; most of the time
    it is too low, since the few long hands weigh most.

    Paper: Knuth (1975), "Estimating the efficiency of backtrack programs", theorem 1.
    """
    rng = Random(seed)
    total = 0.0
    for _ in range(probes):
        kind, betting, street, aggressor = walk.settle(walk.first, 0, NOBODY)
        weight = 1.0
        total += 1.0
        while kind >= 0:
            menu = walk.actions(betting, street, aggressor)
            weight *= len(menu)
            total += weight
            action = rng.choice(menu)
            aggressor = walk.aggressor(betting, action, aggressor)
            kind, betting, street, aggressor = walk.settle(betting.after(action), street, aggressor)
            if kind == CHANCE:
                total += 2 * weight
                street = walk.next_street(street)
                kind = betting.actor if street < walk.repeat_from else SHOWDOWN
    return total / probes
