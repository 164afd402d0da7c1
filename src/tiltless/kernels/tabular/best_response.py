"""Best response and exact evaluation of a profile over a flat tree, in sequence form.

A *sequence* of a player is all that this player did on the way to a node. With perfect recall its
last action names it: sequence e is the entry e of tables of actions, and sequence ``entries + p``
is that of player p who has not acted yet. Every terminal has one sequence for each player, so a
profile is evaluated without going through the tree::

    reach    of each sequence: the product of the player's probabilities on the way
    gain     of each sequence: the sum, over the terminals that it leads to without further actions
             of its player, of payoff * chance * reach of everybody else
    value    of a player: the sum of reach * gain
    best     response: infosets from last to first, each adds the gain of its best action to the
             sequence that leads to it

The best action is chosen for an infoset as a whole, since a gain belongs to a sequence, never to a
history. Infosets may be on different levels of the tree.

Papers: Koller, Megiddo & von Stengel (1994), "Fast algorithms for finding randomized strategies in
game trees"; von Stengel (1996), "Efficient computation of behavior strategies".

Twin: tests/naive/tabular/best_response.py; tested by tests/tabular/test_best_response.py
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.base.jit import inline, kernel

__all__ = ["ResponseWorkspace", "Sequences", "follow_sequences", "gather_gains", "respond"]

U = np.uint64
SUM_TOLERANCE = 1e-9
_TERMINAL = -2
_CHANCE = -1
_UNKNOWN = np.uint32(0xFFFFFFFF)


class Sequences(NamedTuple):
    """A flat tree as its sequences see it; made by `follow_sequences`.

    start, player: as in `tiltless.tabular.flat.FlatTree`.
    parent: uint32 `[infosets]`, the sequence by which the owner of an infoset gets there.
    terminals: uint32 `[terminals, players]`, everybody's sequence at each terminal.
    cfv: float64 `[terminals, players]`, payoffs times the probability of chance.
    """

    start: npt.NDArray[np.int64]
    player: npt.NDArray[np.int64]
    parent: npt.NDArray[np.uint32]
    terminals: npt.NDArray[np.uint32]
    cfv: npt.NDArray[np.float64]


class ResponseWorkspace(NamedTuple):
    """What the kernels write; allocated once by the caller.

    reach, gain: float64 `[entries + players]`, by sequence.
    response: float64 `[entries]`, for each player the pure best response to all others.
    values, best: float64 `[players]`, the values of the profile and of a best response to it.
    """

    reach: npt.NDArray[np.float64]
    gain: npt.NDArray[np.float64]
    response: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    best: npt.NDArray[np.float64]


@kernel
def follow_sequences(tree: Any, last: Any, chance: Any, sequences: Any) -> Any:
    """Fill in ``sequences`` in one pass over the nodes.

    tree: a `tiltless.tabular.flat.FlatTree`.
    last: uint32 `[nodes, players]`; chance: float64 `[nodes]`; scratch, overwritten.
    Returns -1, or an infoset whose owner has forgotten something: its histories differ in what
    that player did before, so there is no sequence to speak of.
    """
    players, entries = U(last.shape[1]), U(tree.start[-1])
    parent, terminals, cfv = sequences.parent, sequences.terminals, sequences.cfv
    parent[:] = _UNKNOWN
    chance[0] = 1.0
    for p in range(players):
        last[0, p] = entries + p
    end = U(0)
    for node in range(U(len(tree.actor))):
        actor, row = tree.actor[node], tree.row[node]
        if actor == _TERMINAL:
            for p in range(players):
                terminals[end, p] = last[node, p]
                cfv[end, p] = chance[node] * tree.payoffs[row, p]
            end += U(1)
            continue
        first = U(tree.first[node])
        children = U(tree.first[node + U(1)]) - first
        for i in range(children):
            chance[first + i] = chance[node]
            for p in range(players):
                last[first + i, p] = last[node, p]
        if actor == _CHANCE:
            for i in range(children):
                chance[first + i] *= tree.chance_probs[U(row) + i]
            continue
        start = U(tree.start[row])
        for i in range(children):
            last[first + i, actor] = start + i
        before = last[node, actor]
        if parent[row] == _UNKNOWN:
            parent[row] = before
        if parent[row] != before or start <= before < entries:
            return np.int64(row)
    return np.int64(-1)


@inline
def _spread_reach(sequences: Any, table: Any, reach: Any) -> Any:
    """Reach of every sequence; -1, or the first infoset whose row is not a distribution."""
    start, parent = sequences.start, sequences.parent
    reach[len(table) :] = 1.0
    for i in range(U(len(parent))):
        before = reach[parent[i]]
        total = 0.0
        for e in range(U(start[i]), U(start[i + U(1)])):
            if not table[e] >= 0.0:  # NaN included
                return np.int64(i)
            total += table[e]
            reach[e] = before * table[e]
        if not abs(total - 1.0) <= SUM_TOLERANCE:
            return np.int64(i)
    return np.int64(-1)


@inline
def _gather_two(terminals: Any, cfv: Any, reach: Any, gain: Any) -> None:
    for z in range(U(len(terminals))):
        a, b = terminals[z, 0], terminals[z, 1]
        gain[a] += cfv[z, 0] * reach[b]
        gain[b] += cfv[z, 1] * reach[a]


@inline
def _gather_many(terminals: Any, cfv: Any, reach: Any, gain: Any) -> None:
    players = U(terminals.shape[1])
    for z in range(U(len(terminals))):
        for p in range(players):
            product = cfv[z, p]
            for q in range(players):
                if q != p:
                    product *= reach[terminals[z, q]]
            gain[terminals[z, p]] += product


@kernel
def gather_gains(sequences: Any, table: Any, work: Any) -> Any:
    """Write the reach and gain of every sequence and the value of the profile for each player.

    table: float64 `[entries]`, the probability of each action of each infoset.
    Returns -1, or the number of an infoset whose probabilities are not a distribution.
    """
    bad = _spread_reach(sequences, table, work.reach)
    if bad >= 0:
        return bad
    reach, gain, values = work.reach, work.gain, work.values
    gain[:] = 0.0
    if len(values) == 2:
        _gather_two(sequences.terminals, sequences.cfv, reach, gain)
    else:
        _gather_many(sequences.terminals, sequences.cfv, reach, gain)
    start, player = sequences.start, sequences.player
    for p in range(U(len(values))):
        value = gain[U(len(table)) + p]
        for e in range(U(start[player[p]]), U(start[player[p + U(1)]])):
            value += reach[e] * gain[e]
        values[p] = value
    return np.int64(-1)


@kernel
def respond(sequences: Any, work: Any) -> None:
    """Turn the gains in ``work`` into best responses and their values.

    Gains are linear in the play of the others, so a weighted sum of the gains against many
    profiles gives the best response to a draw from all of them. Ties go to the first action.
    ``work.gain`` is overwritten.
    """
    start, parent = sequences.start, sequences.parent
    gain, response = work.gain, work.response
    for back in range(U(len(parent))):
        i = U(len(parent)) - U(1) - back
        first = U(start[i])
        choice: Any = first
        for e in range(first, U(start[i + U(1)])):
            response[e] = 0.0
            if gain[e] > gain[choice]:
                choice = e
        response[choice] = 1.0
        gain[parent[i]] += gain[choice]
    for p in range(U(len(work.best))):
        work.best[p] = gain[U(len(response)) + p]
