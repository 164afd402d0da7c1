"""What one hand wins with best play against a solved strategy: line by line, card by card."""

from naive.postflop.values import _cards, _showdown, reaches
from tiltless.cards.card import DECK_SIZE
from tiltless.kernels.postflop.street import FOLD, STREET_END
from tiltless.postflop.node import find_node


def best_play(solver, moves, hand):
    """Chips that each action of the actor wins with a hand, where folding is 0."""
    node = find_node(solver, moves)
    player = node.actor
    met = {c: w for c, w in reaches(solver, moves)[1 - player].items() if _apart(hand, c)}
    total = sum(met.values())
    return [
        _won(node.after(action), player, hand, met) / total - node.betting.stacks[player]
        for action in node.actions
    ]


def _won(node, player, hand, met):
    """What the player ends with, times the weights of the opponent's hands."""
    if node.actor == player:
        return max(_won(node.after(action), player, hand, met) for action in node.actions)
    if node.actor >= 0:
        return sum(
            _won(node.after(action), player, hand, _likely(node, met, column))
            for column, action in enumerate(node.actions)
        )
    if node.actor == STREET_END:
        total = 0.0
        for card in range(DECK_SIZE):
            if card not in node.board and card not in _cards(hand):
                left = {c: w for c, w in met.items() if card not in _cards(c)}
                total += _won(node.after(card), player, hand, left)
        return total / (DECK_SIZE - len(node.board) - 4)
    spot, stacks = node.solver.spot, node.betting.stacks
    pot = spot.pot + 2 * spot.stack - sum(stacks)
    won = 0.0
    for other, weight in met.items():
        hands = (hand, other) if player == 0 else (other, hand)
        share = float(node.betting.live == 0b01) if node.actor == FOLD else None
        share = _showdown(node.board, hands) if share is None else share
        won += weight * (stacks[player] + pot * (share if player == 0 else 1 - share))
    return won


def _likely(node, met, column):
    return {c: w * node.strategy[c, column] for c, w in met.items() if node.strategy[c, column] > 0}


def _apart(hand, other):
    return not _cards(hand) & _cards(other)
