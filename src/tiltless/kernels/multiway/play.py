"""Play of strategies over a betting graph, for quick figures of strength.

All players act by tables of the graph, or always call; nothing is translated, so results hold
inside the graph. Real tables with their side pots and off-menu bets are the arena's.

Tested by tests/blueprint/multiway/test_match.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.rng import next_double, next_word
from tiltless.kernels.multiway.hand_groups import MultiwayDeals
from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    FOLDS,
    LINK,
    SHOWDOWN,
    STREET,
    MultiwayNodes,
)
from tiltless.kernels.multiway.traversal import (
    MultiwayRules,
    Stage,
    enter_street,
    make_streets,
    settle_bets,
)

__all__ = ["play_multiway"]

U = np.uint64
F = np.float32


@inline
def _choose(table: Any, row: Any, actions: Any, drawn: Any) -> Any:
    """An action by the positive numbers of a row; any action if there are none."""
    total = F(0)
    for a in range(actions):
        total += max(table[row + a], F(0))
    below = 0.0
    for a in range(actions - U(1)):
        if total > F(0):
            below += np.float64(max(table[row + a], F(0)) / total)
        else:
            below += 1.0 / np.float64(actions)
        if drawn < below:
            return a
    return actions - U(1)


@kernel
def play_multiway(
    nodes: MultiwayNodes,
    start: Any,
    first: Any,
    second: Any,
    who: Any,
    deals: MultiwayDeals,
    stage: Stage,
    rules: MultiwayRules,
    out: Any,
) -> None:
    """Play every deal once; writes what each player wins to ``out``, float64 ``[deals, players]``.

    first, second: float32 ``[entries]``, averages or regrets; negative numbers count as 0.
    who: int64 ``[players]``, which of them a player follows: 0, 1, or -1 to check and call.
    stage, rules: where hands begin and with how many chips; see `traverse_multiway`.
    """
    node, positions = nodes.node, U(len(stage.seats))
    now = make_streets(nodes, stage, rules, deals.bucket.shape[2])
    chips, state = np.zeros(3, np.float64), np.zeros(1, np.uint64)
    for deal in range(U(len(deals.words))):
        state[0] = deals.words[deal]
        next_word(state)
        for r in range(positions):
            out[deal, U(stage.seats[r])] = -rules.paid
        at = U(stage.root)
        while True:
            kind, s = node[at, ACTOR], U(node[at, STREET])
            if kind >= 0:
                actions, child = U(node[at, ACTIONS]), U(node[at, FIRST])
                seat = U(now.seats[s, U(kind)])
                if who[seat] < 0:
                    at = child + U(node[at, FOLDS])
                    continue
                held = U(deals.bucket[deal, U(deals.held[deal, seat]), s])
                row, drawn = U(start[at]) + held * actions, next_double(state)
                if who[seat] == 0:
                    at = child + _choose(first, row, actions, drawn)
                else:
                    at = child + _choose(second, row, actions, drawn)
                continue
            end, best, shares = U(node[at, END]), np.int64(-1), 0.0
            for r in range(U(now.positions[s])):
                seat = U(now.seats[s, r])
                settle_bets(nodes, end, s, seat, now, chips)
                out[deal, seat] -= chips[1]
            if kind == LINK:
                enter_street(nodes, end, s, chips, now)
                at = U(nodes.target[end])
                continue
            for turn in range(U(2)):  # who wins, then what
                for r in range(U(now.positions[s])):
                    if not nodes.live[end] & (np.uint8(1) << np.uint8(r)):
                        continue
                    seat = U(now.seats[s, r])
                    shown: Any = 0
                    if kind == SHOWDOWN:
                        shown = np.int64(deals.strength[deal, U(deals.held[deal, seat])])
                    if turn == U(1):
                        if shown == best:
                            out[deal, seat] += chips[0] / shares
                    elif shown > best:
                        best, shares = shown, 1.0
                    elif shown == best:
                        shares += 1.0
            break
