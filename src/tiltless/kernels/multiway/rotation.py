"""Compiled hands of several players: one side against all others, in every seat of a deal.

As in `tiltless.kernels.blueprint.match` random numbers belong to the seat: a deal has one state of
random numbers for each player, from which the player's decisions draw one after the other. So two
equal sides play the same hand in every rotation, and the first wins exactly nothing over all seats.

Tested by tests/blueprint/multiway/test_simulate.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_double_at
from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    FOLDS,
    LINK,
    MOST_SEATS,
    SHOWDOWN,
    STREET,
    MultiwayNodes,
)

__all__ = ["RotationDeals", "play_rotations"]

U = np.uint64


class RotationDeals(NamedTuple):
    """A block of deals.

    bucket: uint32 ``[deals, players, streets]``.  strength: uint16 ``[deals, players]``, at a
    showdown.  words: uint64 ``[deals, players]``, states of random numbers; left alone.
    """

    bucket: Any
    strength: Any
    words: Any


@kernel
def play_rotations(
    nodes: MultiwayNodes,
    start: Any,
    first: Any,
    second: Any,
    deals: RotationDeals,
    stack: Any,
    ante: Any,
    out: Any,
) -> None:
    """Play every deal once for each player; there the first side sits, the second everywhere else.

    At a decision each action is chosen in proportion to its weight in the table of the player's
    side; where no weight is positive, all are equally likely.
    start: int64 ``[nodes]``.  first, second: float32 ``[entries]``, read-only.
    stack, ante: chips of each player at the start, and what each antes; float64.
    out: float64 ``[deals, players, players]``, overwritten: the net chips, of a deal and a player
    who is the first side, of each player.
    """
    node, players = nodes.node, U(deals.bucket.shape[1])
    streets = U(deals.bucket.shape[2])
    pot, behind, unit = np.zeros(streets), np.zeros(streets), np.zeros(streets)
    seats, positions = np.zeros((streets, U(MOST_SEATS)), U), np.zeros(streets, U)
    word, chips = np.zeros(players, U), np.zeros(U(MOST_SEATS))
    pot[0], behind[0], unit[0] = ante * np.float64(players), stack - ante, 1.0
    positions[0] = players
    for p in range(players):
        seats[0, p] = p
    for deal in range(U(len(deals.words))):
        for own in range(players):
            for p in range(players):
                word[p] = deals.words[deal, p]
            won = out[deal, own]
            at = U(0)
            while True:
                kind, s = node[at, ACTOR], U(node[at, STREET])
                if kind >= 0:
                    # 1. The player to act chooses; a fold pays what it has cost.
                    player, actions = seats[s, U(kind)], U(node[at, ACTIONS])
                    row = U(start[at]) + U(deals.bucket[deal, player, s]) * actions
                    total = 0.0
                    for a in range(actions):
                        x = first[row + a] if player == own else second[row + a]
                        total += max(np.float64(x), 0.0)
                    drawn, chosen = next_double_at(word, player), actions - U(1)
                    if total > 0.0:
                        ticket, passed = drawn * total, 0.0
                        for a in range(actions - U(1)):
                            x = first[row + a] if player == own else second[row + a]
                            passed += max(np.float64(x), 0.0)
                            if ticket < passed:
                                chosen = U(a)
                                break
                    else:
                        chosen = U(drawn * np.float64(actions))
                    if chosen < U(node[at, FOLDS]):
                        won[player] = behind[s] - stack - np.float64(nodes.paid[at]) * unit[s]
                    at = U(node[at, FIRST]) + chosen
                    continue

                # 2. The street is over: what everybody has bet.
                end, total, high = U(node[at, END]), pot[s], 0.0
                live, full = nodes.live[end], nodes.all_in[end]
                for r in range(positions[s]):
                    bit = np.uint8(1) << np.uint8(r)
                    chips[r] = np.float64(nodes.contribution[end, r]) * unit[s]
                    if full & bit or chips[r] > behind[s]:
                        chips[r] = behind[s]
                    total += chips[r]
                    if live & bit and chips[r] > high:
                        high = chips[r]
                if kind == LINK:
                    below, count = s + U(1), U(0)
                    for k in range(positions[s]):
                        r = (k + U(1)) % positions[s] if s == U(0) else k
                        if live & (np.uint8(1) << np.uint8(r)):
                            seats[below, count] = seats[s, r]
                            count += U(1)
                    positions[below], pot[below] = count, total
                    behind[below] = behind[s] - high
                    unit[below] = total if nodes.scaled[below] else 1.0
                    at = U(nodes.target[end])
                    continue

                # 3. The hand is over: the best hands share the pot.
                best, winners = np.int64(-1), 0.0
                for r in range(positions[s]):
                    if live & (np.uint8(1) << np.uint8(r)):
                        shown = np.int64(0)
                        if kind == SHOWDOWN:
                            shown = np.int64(deals.strength[deal, seats[s, r]])
                        if shown > best:
                            best, winners = shown, 0.0
                        if shown == best:
                            winners += 1.0
                for r in range(positions[s]):
                    if live & (np.uint8(1) << np.uint8(r)):
                        player = seats[s, r]
                        won[player] = behind[s] - stack - chips[r]
                        if kind != SHOWDOWN or np.int64(deals.strength[deal, player]) == best:
                            won[player] += total / winners
                break
