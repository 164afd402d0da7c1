"""Slow, obvious twin of compiled playouts: the same generator, and the readable game."""

from tiltless.games import CHANCE, TERMINAL
from tiltless.games.holdem.actions import RaiseTo
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST, ROW, STREET

WORD = (1 << 64) - 1


class SplitMix:
    """splitmix64 with Python's integers."""

    def __init__(self, state):
        self.state = int(state)

    def word(self):
        self.state = word = (self.state + 0x9E3779B97F4A7C15) & WORD
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
        return word ^ word >> 31

    def below(self, n):
        return (self.word() >> 32) * n >> 32

    def double(self):
        return (self.word() >> 11) / 2**53


def deal(rng, deck, always, runs):
    """Cards of one hand; ``deck`` is left in another order.  runs: suits that call for more."""
    count = 0
    while count < always or "cdhs"[deck[count - 1] & 3] in runs:
        other = count + rng.below(len(deck) - count)
        deck[count], deck[other] = deck[other], deck[count]
        count += 1
    return deck[:count]


def choose(rng, weights):
    """A number in proportion to the weights that are positive; any, where there are none."""
    weights = [max(weight, 0.0) for weight in weights]
    total = 0.0
    for weight in weights:
        total += weight
    if total == 0.0:
        return rng.below(len(weights))
    ticket, passed = rng.double() * total, 0.0
    for number, weight in enumerate(weights):
        passed += weight
        if ticket < passed:
            return number
    raise AssertionError("the ticket is below the total")


def walk(rng, tree, policy, rows, board, bucket):
    """The nodes of one hand.  bucket: (player, street) -> bucket."""
    path, newest = [0], tree.board - 1
    while True:
        node = tree.nodes.node[path[-1]].tolist()
        actor, street = node[ACTOR], node[STREET]
        if actor == CHANCE:
            runs = "cdhs"[board[newest] & 3] in tree.game.rules.run_suits
            newest += runs
            path.append(node[FIRST] + runs)
        elif actor < CHANCE:
            return path
        else:
            count = int(rows.buckets[street])
            begin = (
                int(rows.start[street]) + node[ROW] * count + bucket(actor, street) * node[ACTIONS]
            )
            weights = policy[begin : begin + node[ACTIONS]].astype(float).tolist()
            path.append(node[FIRST] + choose(rng, weights))


def replay(tree, cards, path):
    """The readable game with the same cards and actions, to its end."""
    game = tree.game
    size = game.rules.hole_cards
    board = list(cards[size * game.players :])
    state = game.start()
    actions = [tree.action(node) for node in path if tree.action(node) is not None]
    while state.actor != TERMINAL:
        if state.actor != CHANCE:
            action = actions.pop(0)
            assert action in state.actions
            assert isinstance(action, RaiseTo) or action in list(state.actions)[:2]
            state = state.apply(action)
        elif len(state.hole) < game.players:
            player = (len(state.hole) - game.button) % game.players
            state = state.apply(cards[size * player : size * (player + 1)])
        else:
            count = state.chance.size
            state = state.apply(board[:count])
            del board[:count]
    assert not actions
    return state
