"""Slow, obvious twin of compiled matches: the same generators, one hand after the other."""

import numpy as np

from naive.blueprint.playout import SplitMix, deal, replay
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_OF
from tiltless.games import CHANCE
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST, FOLD_LABEL, ROW, STREET


def class_of(cards, player):
    return int(CLASS_OF_COMBO[COMBO_OF[cards[2 * player], cards[2 * player + 1]]])


def parity_of(cards, player):
    return int(COMBO_OF[cards[2 * player], cards[2 * player + 1]]) & 1


def nothing_of(cards, player):
    return 0


def some_weights(tree, rows, seed, dtype=np.float32, call=120):
    """Mixed weights, many of them zero; checks and calls weigh most, so that hands become long."""
    rng = np.random.default_rng(seed)
    least = 0 if dtype == np.uint8 else -20
    table = rng.integers(least, 60, rows.start[-1]).astype(dtype)
    table[rng.random(len(table)) < 0.3] = 0
    for node in tree.nodes.node.tolist():
        actions, count = node[ACTIONS], int(rows.buckets[node[STREET]])
        if node[ACTOR] >= 0:
            begin = int(rows.start[node[STREET]]) + node[ROW] * count
            passive = 1 if tree.nodes.label[node[FIRST]] == FOLD_LABEL else 0
            mine = table[begin + passive : begin + actions * count : actions]
            mine[rng.random(count) < 0.8] = call
    return table


def choose(luck, weights):
    """The action on which the ticket falls; every action has the same share if none has one."""
    weights = [max(float(weight), 0.0) for weight in weights]
    if not any(weights):
        weights = [1.0] * len(weights)
    total = 0.0
    for weight in weights:
        total += weight
    ticket, passed = luck * total, 0.0
    for number, weight in enumerate(weights):
        passed += weight
        if ticket < passed:
            return number
    raise AssertionError("the ticket is below the total")


def play_hand(tree, cards, words, players):
    """The nodes of one hand.

    words: the state of each seat.  players: for each seat (policy, rows, features), with a function
    ``feature(cards, player)`` for each street.
    """
    luck = [SplitMix(word) for word in words]
    board = cards[2 * tree.game.rules.hole_cards :]
    path, newest = [0], tree.board - 1
    while True:
        node = tree.nodes.node[path[-1]].tolist()
        actor, street = node[ACTOR], node[STREET]
        if actor < CHANCE:
            return path
        if actor == CHANCE:
            runs = "cdhs"[board[newest] & 3] in tree.game.rules.run_suits
            newest += runs
            path.append(node[FIRST] + runs)
        else:
            policy, rows, features = players[actor]
            begin = int(rows.start[street]) + node[ROW] * int(rows.buckets[street])
            begin += features[street](cards, actor) * node[ACTIONS]
            weights = policy[begin : begin + node[ACTIONS]].tolist()
            path.append(node[FIRST] + choose(luck[actor].double(), weights))


def play_match(tree, deals, first, second, seed, block=8192):
    """What players 0 and 1 win: int `[deals, 2 seatings, 2 players]`; replayed in the real game."""
    game = tree.game
    always = 2 * game.rules.hole_cards + tree.board
    payoffs = np.zeros((deals, 2, 2), dtype=np.int64)
    for number in range(deals):
        if number % block == 0:
            sequence = np.random.SeedSequence(seed, spawn_key=(number // block,))
            dealer, choices = map(SplitMix, sequence.generate_state(2, np.uint64))
            deck = [card for card in range(52) if game.deck >> card & 1]
        cards = list(deal(dealer, deck, always, game.rules.run_suits))
        words = [choices.word(), choices.word()]
        for seating, players in enumerate(((first, second), (second, first))):
            state = replay(tree, cards, play_hand(tree, cards, words, players))
            for player in range(2):
                payoffs[number, seating, player] = state.payoffs[(game.button + player) % 2]
    return payoffs
