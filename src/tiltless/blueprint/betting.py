"""Abstract betting: the betting of a hold'em game without its cards, by the reference rules.

Cards do not affect the betting, except where the board decides whether one more street is dealt
(River of Blood). So a traversal needs only `tiltless.games.holdem.betting.Betting` and the streets,
and the subtree below the first decision of a street depends only on the street, the stacks, the
players still in and, for menus with donk sizes, the player whom a bet leads into. Counting a tree
therefore visits each such start once, however often it occurs.
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

_MOST_STREETS = 60  # more than a deck has cards for
_MOST_STARTS = 1_000_000  # held at a time: less than a gigabyte
_MOST_POSITIONS = 2_000_000  # positions visited before giving up: a minute
_FIRST_ESTIMATE = 25_000  # positions visited before the first estimate: half a second
_CLEARLY = 4  # times the limit: an estimate above that is as good as certain


class TreeSize(NamedTuple):
    """The size of a betting tree.

    ends: the number of terminals.  decisions, actions: their number on each street.
    depth: the most nodes that a hand passes through.
    """

    nodes: int
    ends: int
    decisions: tuple[int, ...]
    actions: tuple[int, ...]
    depth: int


class AbstractBetting:
    """The rules of one betting tree: which actions are offered, and what follows them.

    Players are counted clockwise from the button, which is player 0.

    first: the betting after the blinds.  stacks: chips of each player at the start.  dead: the part
    of them paid as a big blind ante.  run_suits: suits of the newest board card after which one
    more street follows the last one, a bit mask.  repeats: the number of cards of these suits.
    board: board cards at a showdown, without those streets.
    repeat_from: streets from this index on are the same street again.  streets: the number of
    different ones.
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

        If the round is over this opens the next, unless the board decides whether there is one:
        then the betting and the aggressor are those of the next street, should it follow.

        aggressor: the player who made the last bet or raise of this street; before there is one,
            the player whom a first bet would lead into. `NOBODY` if the menu has no donk sizes.
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
        """The index of the next street; from ``repeat_from`` on it stays the same."""
        return min(street + 1, self.repeat_from)

    def actions(self, betting: Betting, street: int, aggressor: int) -> tuple[Action, ...]:
        """The actions that the menu offers the player to act.  aggressor: as in `settle`."""
        pot = self.chips - sum(betting.stacks)
        return self.table.actions(betting, street, pot, aggressor)

    def aggressor(self, betting: Betting, action: Action, before: int) -> int:
        """The aggressor after an action.  before: the one before it."""
        return betting.actor if self.donks and action.__class__ is RaiseTo else before


StartKey = tuple[int, tuple[int, ...], int, int]


def start_key(betting: Betting, street: int, aggressor: int) -> StartKey:
    """Everything that the tree below the first decision of a street depends on."""
    return street, betting.stacks, betting.live, aggressor


class _Start:
    """The first decision of a street, how often it occurs, and its largest depth."""

    __slots__ = ("aggressor", "betting", "depth", "times")

    def __init__(self, betting: Betting, aggressor: int) -> None:
        self.betting, self.aggressor = betting, aggressor
        self.times = self.depth = 0


class _Counter:
    """Nodes counted so far, and the starts of streets still to be visited."""

    def __init__(self, rules: AbstractBetting, limit: int, bound: str) -> None:
        self.rules, self.limit, self.bound = rules, limit, bound
        self.nodes = self.ends = self.depth = 0
        self.seen = self.held = 0
        self.next_estimate = _FIRST_ESTIMATE
        self.decisions = [0] * rules.streets
        self.actions = [0] * rules.streets
        self.starts: list[dict[StartKey, _Start]] = [{} for _ in range(rules.streets)]

    def add(self, betting: Betting, street: int, aggressor: int, times: int, depth: int) -> None:
        """Count a node after a round has ended; note it if it begins a street."""
        rules = self.rules
        kind, betting, street, aggressor = rules.settle(betting, street, aggressor)
        if kind >= 0:
            self.note(betting, street, aggressor, times, depth)
            return
        self.nodes += times
        self.ends += times
        if kind == CHANCE:
            depth += 1
            self.nodes += times  # besides the showdown, which is its first child
            street = rules.next_street(street)
            if street < rules.repeat_from:
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
        start.times = start.times + times if street < self.rules.repeat_from else 1
        start.depth = max(start.depth, depth)

    def visit(self, start: _Start, street: int) -> None:
        """Count the nodes of a street, from its first decision to those of the next."""
        rules, donks, times = self.rules, self.rules.donks, start.times
        stack = [(start.betting, start.aggressor, start.depth)]
        while stack:
            betting, aggressor, depth = stack.pop()
            menu = rules.actions(betting, street, aggressor)
            self.nodes += times
            self.decisions[street] += times
            self.actions[street] += times * len(menu)
            self.check()
            depth += 1
            for action in menu:
                after = betting.after(action)
                last = rules.aggressor(betting, action, aggressor) if donks else NOBODY
                if after.actor >= 0:
                    stack.append((after, last, depth))
                else:
                    self.add(after, street, last, times, depth)

    def check(self) -> None:
        """Raise when it is certain, or after a while very likely, that the tree is too large."""
        self.seen += 1
        if self.nodes > self.limit:
            raise self.too_many("more than")
        if self.held > _MOST_STARTS or self.seen > _MOST_POSITIONS:
            raise OptionError(
                f"the betting tree of {self.rules.game.name} has more than {self.nodes:,} nodes, "
                "in too many different positions to count; offer fewer sizes, set caps or take "
                "shallower stacks"
            )
        if self.seen == self.next_estimate:
            self.next_estimate *= 4  # so that estimates take a small part of the time
            if probe(self.rules, self.seen // 6, self.seen) > _CLEARLY * self.limit:
                raise self.too_many("far more than")

    def too_many(self, nodes: str) -> OptionError:
        """The error for a tree that is too large."""
        return OptionError(
            f"the betting tree of {self.rules.game.name} has {nodes} {self.limit:,} nodes, "
            f"{self.bound} offer fewer sizes, set caps or take shallower stacks"
        )


def count(rules: AbstractBetting, limit: int, bound: str = "the limit here; raise it,") -> TreeSize:
    """The size of a tree; `OptionError` as soon as it is clear that it exceeds ``limit`` nodes.

    Memory and time are bounded as well, by limits of waiting starts and of different positions.

    bound: what the limit is and how to raise it, in terms of the caller's options.
    """
    counter = _Counter(rules, limit, bound)
    counter.add(rules.first, 0, NOBODY, 1, 1)
    depth = 0
    for street, starts in enumerate(counter.starts):
        if street == rules.repeat_from:
            depth, counter.depth = counter.depth, 0
        done = 0
        while done < len(starts):  # a street that repeats adds to its own starts
            for start in list(starts.values())[done:]:
                counter.visit(start, street)
                done += 1
        if street < rules.repeat_from:
            counter.held -= len(starts)
            starts.clear()
    depth += counter.depth * (rules.repeats if depth else 1)
    decisions, actions = tuple(counter.decisions), tuple(counter.actions)
    return TreeSize(counter.nodes, counter.ends, decisions, actions, depth)


def probe(rules: AbstractBetting, probes: int = 4000, seed: int = 0) -> float:
    """An estimate of the number of nodes, from random hands, without streets that repeat.

    It is unbiased, so it exceeds k times the truth with a probability below 1 / k; usually it is
    too low, as the few long hands have the largest weights.

    Paper: Knuth (1975), "Estimating the efficiency of backtrack programs", theorem 1.
    """
    rng = Random(seed)
    total = 0.0
    for _ in range(probes):
        kind, betting, street, aggressor = rules.settle(rules.first, 0, NOBODY)
        weight = 1.0
        total += 1.0
        while kind >= 0:
            menu = rules.actions(betting, street, aggressor)
            weight *= len(menu)
            total += weight
            action = rng.choice(menu)
            aggressor = rules.aggressor(betting, action, aggressor)
            kind, betting, street, aggressor = rules.settle(
                betting.after(action), street, aggressor
            )
            if kind == CHANCE:
                total += 2 * weight
                street = rules.next_street(street)
                kind = betting.actor if street < rules.repeat_from else SHOWDOWN
    return total / probes
