"""Slow, obvious twins of what is done with games, flat trees and public trees.

A strategy is a dictionary from the key of an infoset to the probabilities of its actions.
"""

from collections import defaultdict

import numpy as np

from tiltless.games import CHANCE, TERMINAL


def random_strategy(flat, seed):
    """Probabilities for each infoset, and the same as a table of the flat form."""
    rng = np.random.default_rng(seed)
    start = flat.tree.start
    table = np.empty(flat.entries)
    for number in range(flat.infosets):
        part = rng.random(start[number + 1] - start[number])
        table[start[number] : start[number + 1]] = part / part.sum()
    strategy = {key: table[start[i] : start[i + 1]] for i, key in enumerate(flat.keys)}
    return strategy, table


def expected_payoffs(state, strategy):
    """By recursion over the readable game."""
    if state.actor == TERMINAL:
        return np.array(state.payoffs, dtype=float)
    if state.actor == CHANCE:
        branches = list(state.chance.outcomes())
    else:
        infoset = state.infoset(state.actor)
        branches = list(zip(infoset.actions, strategy[infoset.key], strict=True))
    return sum(p * expected_payoffs(state.apply(move), strategy) for move, p in branches)


def flat_payoffs(flat, table):
    """By one sweep backwards over the nodes of the flat form."""
    tree = flat.tree
    values = np.zeros((flat.nodes, flat.game.players))
    for node in reversed(range(flat.nodes)):
        actor, row = tree.actor[node], int(tree.row[node])
        if actor == TERMINAL:
            values[node] = tree.payoffs[row]
            continue
        children = range(int(tree.first[node]), int(tree.first[node + 1]))
        chance_probs, place = (
            (tree.chance_probs, row) if actor == CHANCE else (table, int(tree.start[row]))
        )
        for number, child in enumerate(children):
            values[node] += chance_probs[place + number] * values[child]
    return values[0]


def public_payoffs(form, table):
    """By one sweep forwards over the nodes of the public form; table: `[rows, width]`."""
    tree, players = form.tree, form.game.players
    reach = np.ones((len(tree.actor), players, form.width))
    total = np.zeros(players)
    for node in range(len(tree.actor)):
        actor, row = tree.actor[node], int(tree.row[node])
        if actor == TERMINAL:
            for payee in range(tree.matrix.shape[1]):
                value = tree.matrices[tree.matrix[row, payee]]
                for player in reversed(range(players)):
                    value = value @ reach[node, player]
                total[payee] += tree.scale[row, payee] * value
            continue
        for number, child in enumerate(range(int(tree.first[node]), int(tree.first[node + 1]))):
            reach[child] = reach[node]
            if actor >= 0:
                reach[child, actor] *= table[row + number]
    if tree.matrix.shape[1] == 1:
        total[1] = -total[0]
    return total


def best_response_value(flat, table, player):
    """What ``player`` can get against ``table``, level by level from the end."""
    assert flat.same_level
    tree = flat.tree
    reach = np.ones(flat.nodes)  # of chance and of the other players
    for node in range(flat.nodes):
        actor, row = tree.actor[node], int(tree.row[node])
        chance_probs, place = (
            (tree.chance_probs, row)
            if actor == CHANCE
            else (table, int(tree.start[row % flat.infosets]))
        )
        for number, child in enumerate(range(int(tree.first[node]), int(tree.first[node + 1]))):
            reach[child] = reach[node] * (1 if actor == player else chance_probs[place + number])
    values = np.zeros(flat.nodes)  # weighted by reach
    for level in reversed(range(len(tree.level) - 1)):
        gains = defaultdict(float)
        mine = []
        for node in range(tree.level[level], tree.level[level + 1]):
            actor, row = tree.actor[node], int(tree.row[node])
            children = values[int(tree.first[node]) : int(tree.first[node + 1])]
            if actor == TERMINAL:
                values[node] = reach[node] * tree.payoffs[row, player]
            elif actor == player:
                mine.append((node, row, children))
                gains[row] = gains[row] + children
            else:
                values[node] = children.sum()
        for node, row, children in mine:
            values[node] = children[np.argmax(gains[row])]
    return values[0]


def nash_conv(flat, table):
    """The sum over players of what a best response gains."""
    now = flat_payoffs(flat, table)
    return sum(best_response_value(flat, table, p) - now[p] for p in range(flat.game.players))
