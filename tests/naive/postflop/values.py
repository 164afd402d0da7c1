"""What a hand wins in a solved spot: every pair of hands, every line, every card, one by one."""

from functools import cached_property, lru_cache

from tiltless.cards.card import COMBO_CARDS, DECK_SIZE
from tiltless.cards.evaluate import evaluate
from tiltless.games.holdem.actions import Action
from tiltless.kernels.postflop.street import FOLD, STREET_END
from tiltless.postflop.node import find_node


def reaches(solver, moves):
    """Both players' weights at a node, as dicts by combo: range times own strategy on the way."""
    both = [{c: w for c, w in enumerate(weights) if w > 0} for weights in solver.spot.weights]
    node = find_node(solver)
    for move in moves:
        if isinstance(move, Action):
            taken = node.actions.index(move)
            mine = both[node.actor]
            for combo in mine:
                mine[combo] *= node.strategy[combo, taken]
        node = node.after(move)
    return [{c: w for c, w in m.items() if not _cards(c) & set(node.board)} for m in both]


class _Place:
    """A node that remembers what is asked of it for every pair of hands."""

    def __init__(self, node):
        self.node, self.board = node, node.board
        self.actor, self.betting = node.actor, node.betting
        self._after = {}

    @cached_property
    def moves(self):
        return self.node.actions

    @cached_property
    def strategy(self):
        return self.node.strategy.tolist()

    def after(self, move):
        if move not in self._after:
            self._after[move] = _Place(self.node.after(move))
        return self._after[move]


def values(solver, moves, player):
    """By combo: chips that a player wins from a node on, and the equity there."""
    node = find_node(solver, moves)
    place = _Place(node)
    mine, theirs = reaches(solver, moves)[player], reaches(solver, moves)[1 - player]
    found = {}
    for hand in mine:
        met = {other: w for other, w in theirs.items() if not _cards(hand) & _cards(other) and w}
        if not sum(met.values()):
            continue
        evs, equities = 0.0, 0.0
        for other, weight in met.items():
            hands = (hand, other) if player == 0 else (other, hand)
            evs += weight * (_stack(place, hands)[player] - node.betting.stacks[player])
            share = _equity(node.board, hands, solver.spot.shown_at)
            equities += weight * (share if player == 0 else 1 - share)
        found[hand] = evs / sum(met.values()), equities / sum(met.values())
    return found


def _stack(place, hands):
    """What both players end with, on average."""
    spot, stacks = place.node.solver.spot, place.betting.stacks
    if place.actor >= 0:
        chances = place.strategy[hands[place.actor]]
        ends = [_stack(place.after(action), hands) for action in place.moves]
        return [sum(c * end[p] for c, end in zip(chances, ends, strict=True)) for p in (0, 1)]
    if place.actor == STREET_END:
        gone = _cards(hands[0]) | _cards(hands[1]) | set(place.board)
        ends = [_stack(place.after(c), hands) for c in range(DECK_SIZE) if c not in gone]
        return [sum(end[p] for end in ends) / len(ends) for p in (0, 1)]
    paid = [spot.stack - stack for stack in stacks]
    rake = min(spot.rake * (spot.pot + 2 * min(paid)), spot.rake_cap)
    pot = spot.pot + sum(paid) - rake
    if place.actor == FOLD:
        share = float(place.betting.live == 0b01)
    else:
        share = _showdown(place.board, hands)
    return [stacks[0] + share * pot, stacks[1] + (1 - share) * pot]


def _equity(board, hands, shown_at):
    """Player 0's part of the pot if all cards are dealt."""
    if len(board) == shown_at:
        return _showdown(board, hands)
    gone = _cards(hands[0]) | _cards(hands[1]) | set(board)
    left = [card for card in range(DECK_SIZE) if card not in gone]
    return sum(_equity((*board, card), hands, shown_at) for card in left) / len(left)


@lru_cache(100_000)
def _showdown(board, hands):
    one, two = (
        evaluate((*COMBO_CARDS[hand].tolist(), *board), eval7_flushes=True) for hand in hands
    )
    return (one > two) + (one == two) / 2


@lru_cache(1326)
def _cards(combo):
    return frozenset(COMBO_CARDS[combo].tolist())
