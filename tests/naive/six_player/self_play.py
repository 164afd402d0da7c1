"""Self-play of the six-player report with nested dictionaries, at the ordinary hold'em engine.

The same random numbers as the kernel, so that every chip, every node and every regret must agree.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from tiltless.cards.card import RANKS, cards_text
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

MASK = 2**64 - 1
SIZES = {
    0: (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0),
    1: (0.75, 1.0, 1.25, 1.5, 1.75, 2.0),
    2: (0.5, 1.0, 1.5, 2.0),
    3: (0.5, 1.0, 1.5, 2.0),
}


class SplitMix:
    """As `tiltless.kernels.base.rng`."""

    def __init__(self, state):
        self.state = state

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        word = self.state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        word ^= word >> 31
        return ((word >> 32) * n) >> 32


@dataclass
class Node:
    """A level of the nested dictionaries."""

    visits: int = 0
    regret: np.float32 = field(default_factory=lambda: np.float32(0))
    below: dict = field(default_factory=dict)

    def next(self, key):
        child = self.below.setdefault(key, Node())
        child.visits += 1
        return child


@dataclass
class Choice:
    """A decision: chair, state, menu of (name, stake), the name taken, chips paid before."""

    chair: int
    state: Node
    menu: list
    taken: str
    paid: int


def ranks_of(cards):
    """``"AK"``: the ranks, suits ignored."""
    return "".join(sorted(cards_text(tuple(cards))[::2], key=RANKS.index, reverse=True))


def menu_of(view, options):
    """(name, action, chips it adds) of every action: fold, call, raises by shares, all-in."""
    actions = view.actions
    out = [("FOLD", FOLD, 0), ("CALL", CHECK if actions.check else CALL, actions.call)]
    if not actions.max_raise:
        return out
    pot = view.pot + (actions.call if options.pot == "after" else 0)
    bet = view.bets[view.seat]
    names = set()
    for share in SIZES[view.street]:
        to = max(view.bets) + math.floor(share * pot)
        if options.small_raises == "minimum":
            to = max(to, actions.min_raise)
        if actions.min_raise <= to < actions.max_raise and to not in names:
            names.add(to)
            out.append((f"RAISE {to}", RaiseTo(to), to - bet))
    return [*out, ("ALL-IN", RaiseTo(actions.max_raise), actions.max_raise - bet)]


def pick(state, visits, names, c, rng):
    """UCT; an action that was never tried first, ties at random."""

    def value(name):
        child = state.below.get(name)
        if child is None or child.visits == 0:
            return math.inf
        return float(child.regret) + c * math.sqrt(math.log(max(visits, 1)) / child.visits)

    values = [value(("p1", name)) for name in names]
    ties = [i for i, each in enumerate(values) if each == max(values)]
    return names[ties[rng.below(len(ties)) if len(ties) > 1 else 0]]


def update(choice, net, options):
    """Regrets at one decision, from the net result of the hand."""
    children = choice.state.below
    if options.own_regret == "net":
        mine = children["p1", choice.taken]
        mine.regret = np.float32(float(mine.regret) + net)
    if choice.taken == "FOLD" and options.after_fold == "nothing":
        return
    stakes = dict(choice.menu)
    for name, stake in choice.menu:
        child = children.get(("p1", name))
        if name == choice.taken or child is None:
            continue
        value = float(net)
        if name == "FOLD":
            value = -float(choice.paid) if options.fold_value == "paid" else 0.0
        elif stakes[choice.taken]:
            value = net * stake / stakes[choice.taken]
        child.regret = np.float32(float(child.regret) + (value - net))


class NaiveSelfPlay:
    """bucket: (cards, board) -> step, 0 to 189.  look: called with each view and its state."""

    look = None

    def __init__(self, options, state, bucket):
        self.options, self.rng, self.bucket = options, SplitMix(state), bucket
        self.policies, self.payoffs = {}, []

    def play(self, games):
        for game in range(games):
            stacks, button = [self.options.stack] * 6, game % 6
            self.deck = list(range(52))
            for _ in range(self.options.hands):
                seated = [chair for chair in range(6) if stacks[chair]]
                if len(seated) < 2:
                    break
                while not stacks[button]:
                    button = (button + 1) % 6
                net = self._hand(seated, button, stacks)
                self.payoffs.append(net)
                stacks = [stack + each for stack, each in zip(stacks, net, strict=True)]
                button = next(c % 6 for c in range(button + 1, button + 7) if c % 6 in seated)

    def _hand(self, seated, button, stacks):
        for i in range(17):
            k = i + self.rng.below(52 - i)
            self.deck[i], self.deck[k] = self.deck[k], self.deck[i]
        dealt, board = self.deck[:12], self.deck[12:17]
        game = load("nlhe", seats=len(seated), **self.options.game)
        state = game.start(seated.index(button), [stacks[chair] for chair in seated])
        for chair in seated:
            state = state.apply((dealt[2 * chair], dealt[2 * chair + 1]))
        posts = {post.kind: seated[post.seat] for post in state.table.posts}
        past, cursors, told, choices = [(posts["big blind"], "BIGBLIND")], {}, {}, []
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                size = state.chance.size
                state = state.apply(tuple(board[len(state.board) : len(state.board) + size]))
                continue
            own = seated[state.actor]
            view = state.view(state.actor)

            def label(chair, own=own):
                away = (chair - own) % 6
                if self.options.empty_seats == "closed":
                    away = sum((own + step) % 6 in seated for step in range(1, away + 1))
                return f"p{away + 1}"

            if own not in cursors:
                key = ranks_of(view.cards), label(posts["small blind"])
                policy = self.policies.setdefault(key, Node())
                policy.visits += 1
                cursors[own] = policy, 0
            node, seen = cursors[own]
            for chair, name in past[seen:]:
                node = node.next((label(chair), name))
            if view.street > told.get(own, 0):
                told[own] = view.street
                step = self.bucket(view.cards, view.board)
                node = node.next(("bucket", int(self.options.steps[view.street - 1, step])))
            if self.look:
                self.look(view, node)
            menu = menu_of(view, self.options)
            names = [name for name, _, _ in menu]
            name = pick(node, node.visits - 1, names, self.options.exploration, self.rng)
            paid, bet = view.paid[view.seat], view.bets[view.seat]
            base = bet if self.options.stake == "street" else paid
            stakes = [(each, base + chips) for each, _, chips in menu]
            choices.append(Choice(own, node, stakes, name, paid))
            past.append((own, name))
            cursors[own] = node.next(("p1", name)), len(past)
            state = state.apply(menu[names.index(name)][1])
        net = [0] * 6
        for chair, won in zip(seated, state.payoffs, strict=True):
            net[chair] = won
        for choice in choices:
            update(choice, net[choice.chair], self.options)
        return net


def pair_classes():
    """The number of each pair of ranks in the tables, by its name."""
    tables = hand_tables(STANDARD)
    return {
        ranks_of(cards): int(tables.pair_of_combo[combo])
        for combo, cards in enumerate(tables.combo_cards.tolist())
    }
