"""What a profile is worth, and what best responses to it are worth, over a public tree.

The twin of `tiltless.kernels.tabular.best_response` for two players, where a number becomes a
vector over
the hands of the player: a sequence is a row of tables of actions, or ``rows + p`` for player p who
has not acted yet. At an end of the game the gains of one player are a matrix times the reach of
the other.

Nodes that a player cannot tell apart share a block of rows and so their gains: the best action is
chosen for all of them together.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.tabular.best_response import SUM_TOLERANCE

__all__ = [
    "PublicSequences",
    "PublicWorkspace",
    "follow_public_sequences",
    "gather_public_gains",
    "respond_public",
]

U = np.uint64
_TERMINAL = -2
_UNKNOWN = np.uint32(0xFFFFFFFF)


class PublicSequences(NamedTuple):
    """A public tree as its sequences see it; made by `follow_public_sequences`.

    start: int64 `[blocks + 1]`, the rows of block b are ``start[b]`` … ``start[b + 1] - 1``.
    owner: uint8 `[blocks]`, the player who acts.
    real: bool `[blocks, width]`, hands that the player may hold there.
    parent: uint32 `[blocks]`, the sequence by which the owner of a block comes to it.
    ends: uint32 `[terminals, 2]`, both players' sequences at each end of the game.
    matrix: uint32 `[terminals, 2]`; scale: float64 `[terminals, 2]`.
    matrices: float64 `[different, width, width]`; what player p wins is ``scale[t, p] *
        matrices[matrix[t, p]]``, by the *other's* hand first, then by the own.
    """

    start: npt.NDArray[np.int64]
    owner: npt.NDArray[np.uint8]
    real: npt.NDArray[np.bool_]
    parent: npt.NDArray[np.uint32]
    ends: npt.NDArray[np.uint32]
    matrix: npt.NDArray[np.uint32]
    scale: npt.NDArray[np.float64]
    matrices: npt.NDArray[np.float64]


class PublicWorkspace(NamedTuple):
    """What the kernels write; allocated once by the caller.

    reach, gain: float64 `[rows + 2, width]`, by sequence and hand.
    response: float64 `[rows, width]`, for each player the pure best response to the other.
    values, best: float64 `[2]`, what the profile and a best response to it are worth.
    cfv: float64 `[2, width]`; total: float64 `[width]`; scratch.
    """

    reach: npt.NDArray[np.float64]
    gain: npt.NDArray[np.float64]
    response: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    best: npt.NDArray[np.float64]
    cfv: npt.NDArray[np.float64]
    total: npt.NDArray[np.float64]


@kernel
def follow_public_sequences(tree: Any, block_of_row: Any, last: Any, sequences: Any) -> Any:
    """Fill in ``parent`` and ``ends`` of ``sequences`` by one walk over the nodes.

    tree: a `tiltless.tabular.public.PublicTree` of two players.
    block_of_row: uint32 `[rows]`.  last: uint32 `[nodes, 2]`, scratch, overwritten.
    Returns -1, or a block whose owner has forgotten something.
    """
    rows = U(len(block_of_row))
    parent, ends = sequences.parent, sequences.ends
    parent[:] = _UNKNOWN
    last[0, 0], last[0, 1] = rows, rows + U(1)
    for node in range(U(len(tree.actor))):
        actor, row = tree.actor[node], U(tree.row[node])
        if actor == _TERMINAL:
            ends[row, 0], ends[row, 1] = last[node, 0], last[node, 1]
            continue
        first = U(tree.first[node])
        children = U(tree.first[node + U(1)]) - first
        for i in range(children):
            last[first + i, 0], last[first + i, 1] = last[node, 0], last[node, 1]
        if actor < 0:
            continue
        for i in range(children):
            last[first + i, actor] = row + i
        block = block_of_row[row]
        before = last[node, actor]
        if parent[block] == _UNKNOWN:
            parent[block] = before
        if parent[block] != before or row <= before < rows:
            return np.int64(block)
    return np.int64(-1)


@inline
def _spread_reach(sequences: Any, table: Any, reach: Any, total: Any) -> Any:
    """Reach of every sequence; -1, or the first block with a row that is no distribution."""
    start, parent = sequences.start, sequences.parent
    reach[len(table) :] = 1.0
    for b in range(U(len(parent))):
        before, real = reach[parent[b]], sequences.real[b]
        total[:] = 0.0
        sound = True
        for r in range(U(start[b]), U(start[b + U(1)])):
            chance_probs, after = table[r], reach[r]
            for h in range(U(len(total))):
                share = chance_probs[h] if real[h] else 0.0
                sound &= share >= 0.0
                total[h] += share
                after[h] = share * before[h]
        for h in range(U(len(total))):
            sound &= abs(total[h] - real[h]) <= SUM_TOLERANCE
        if not sound:
            return np.int64(b)
    return np.int64(-1)


@kernel
def gather_public_gains(sequences: Any, table: Any, work: Any) -> Any:
    """Write the reach and gain of every sequence and the value of the profile for each player.

    table: float64 `[rows, width]`; what is in columns of hands that cannot be does not matter.
    Returns -1, or the number of a block with a hand whose probabilities are not a distribution.
    """
    bad = _spread_reach(sequences, table, work.reach, work.total)
    if bad >= 0:
        return bad
    ends, reach, gain, cfv = sequences.ends, work.reach, work.gain, work.cfv
    width = U(reach.shape[1])
    gain[:] = 0.0
    for z in range(U(len(ends))):
        for p in range(U(2)):
            other, mine = reach[ends[z, U(1) - p]], gain[ends[z, p]]
            matrix, scale = sequences.matrices[sequences.matrix[z, p]], sequences.scale[z, p]
            for k in range(width):
                weight = scale * other[k]
                for h in range(width):
                    mine[h] += weight * matrix[k, h]
    for p in range(U(2)):
        cfv[p] = gain[U(len(table)) + p]  # reached without an action of the own, so reach is 1
    for b in range(U(len(sequences.parent))):
        mine = cfv[sequences.owner[b]]
        for r in range(U(sequences.start[b]), U(sequences.start[b + U(1)])):
            for h in range(width):
                mine[h] += reach[r, h] * gain[r, h]
    for p in range(U(2)):
        work.values[p] = cfv[p].sum()
    return np.int64(-1)


@kernel
def respond_public(sequences: Any, work: Any) -> None:
    """Turn the gains in ``work`` into best responses, as `best_response.respond` does."""
    start, parent = sequences.start, sequences.parent
    gain, response = work.gain, work.response
    width = U(gain.shape[1])
    for back in range(U(len(parent))):
        b = U(len(parent)) - U(1) - back
        first, stop = U(start[b]), U(start[b + U(1)])
        for h in range(width):
            choice: Any = first
            for r in range(first, stop):
                response[r, h] = 0.0
                if gain[r, h] > gain[choice, h]:
                    choice = r
            response[choice, h] = 1.0
            gain[parent[b], h] += gain[choice, h]
    for p in range(U(2)):
        work.best[p] = gain[U(len(response)) + p].sum()
