"""Vector sampling for several players: all hands of the traverser, one of each opponent.

A traversal samples the board, the opponents' hands and the opponents' actions; the traverser holds
all hands at once and tries all actions. Values are vectors over hand groups
(`tiltless.kernels.multiway.hand_groups`). It is a depth-first search with a stack of the
traverser's decisions alone; of each street begun, the true pot, the stack behind and the players by
position are kept, so nothing has to be restored on the way back.

The traverser's fold ends its part of the hand: the value is what it has paid.

Paper: Johanson, Bard, Lanctot, Gibson & Bowling (2012), "Efficient Nash equilibrium approximation
through Monte Carlo counterfactual regret minimization", section 4.3 (opponent-public chance
sampling), joined with the external sampling of Lanctot et al. (2009).

Twin: tests/naive/blueprint/multiway.py; tested by tests/blueprint/multiway/test_traversal.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel, part
from tiltless.kernels.base.prefetch import prefetch_read
from tiltless.kernels.base.rng import next_double, next_word
from tiltless.kernels.multiway.hand_groups import (
    HandGroups,
    MultiwayDeals,
    count_hands,
    group_hands,
    make_hand_groups,
)
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

__all__ = [
    "MultiwayRules",
    "Stage",
    "StreetChips",
    "enter_street",
    "make_streets",
    "settle_bets",
    "traverse_multiway",
]

U = np.uint64
F = np.float32
_STREAM = U(0x632BE59BD9B4E019)  # apart from one traverser's random words to the next


class MultiwayRules(NamedTuple):
    """How traversals add regrets; all numbers are float64, so that kernels are compiled once.

    weight: factor of what is added; caller_weight: another one for deals that have callers.
    floor: the lowest regret.
    explore: opponents take each action with at least this probability.
    stack, pot: chips of each player, and in the pot, where traversals begin.  paid: what each
    player has paid by then; a result is what a hand wins less what it has paid.
    """

    weight: Any
    caller_weight: Any
    floor: Any
    explore: Any
    stack: Any
    pot: Any
    paid: Any


class Stage(NamedTuple):
    """Where traversals begin: the root of a block, its street and the players by position.

    seats: int64 ``[positions]``.  All others have folded, and their hands are not dealt.
    """

    root: Any
    street: Any
    seats: Any


class StreetChips(NamedTuple):
    """Of each street that is begun: chips, and who sits at which position."""

    pot: Any
    behind: Any
    unit: Any
    seats: Any
    positions: Any


@part
def make_streets(nodes: MultiwayNodes, stage: Stage, rules: MultiwayRules, streets: Any) -> Any:
    """The chips and positions of all streets, of which the first is begun."""
    now = StreetChips(
        np.zeros(streets, np.float64),
        np.zeros(streets, np.float64),
        np.zeros(streets, np.float64),
        np.zeros((streets, MOST_SEATS), np.int64),
        np.zeros(streets, np.int64),
    )
    first = U(stage.street)
    now.pot[first], now.behind[first] = rules.pot, rules.stack
    now.unit[first] = rules.pot if nodes.scaled[first] else 1.0
    now.positions[first] = len(stage.seats)
    for r in range(U(len(stage.seats))):
        now.seats[first, r] = stage.seats[r]
    return now


@inline
def _sample(played: Any, row: Any, actions: Any, explore: Any, state: Any) -> Any:
    """An action by the strategy of a row, each with at least probability ``explore``."""
    total = F(0)
    for a in range(actions):
        total += max(played[row + a], F(0))
    share = 1.0 - explore * np.float64(actions)
    drawn, below = next_double(state), 0.0
    for a in range(actions - U(1)):
        if total > F(0):
            below += explore + share * np.float64(max(played[row + a], F(0)) / total)
        else:
            below += 1.0 / np.float64(actions)
        if drawn < below:
            return a
    return actions - U(1)


@part
def settle_bets(
    nodes: MultiwayNodes, end: Any, s: Any, player: Any, now: StreetChips, out: Any
) -> None:
    """The chips at an end: pot, what the traverser bets on this street, the highest live bet."""
    total, mine, high = now.pot[s], 0.0, 0.0
    for r in range(U(now.positions[s])):
        chips = np.float64(nodes.contribution[end, r]) * now.unit[s]
        bit = np.uint8(1) << np.uint8(r)
        if nodes.all_in[end] & bit or chips > now.behind[s]:
            chips = now.behind[s]
        total += chips
        if nodes.live[end] & bit and chips > high:
            high = chips
        if U(now.seats[s, r]) == player:
            mine = chips
    out[0], out[1], out[2] = total, mine, high


@part
def enter_street(nodes: MultiwayNodes, end: Any, s: Any, chips: Any, now: StreetChips) -> None:
    """Begin the next street after a link; chips: from `settle_bets`."""
    below, count = s + U(1), U(0)
    positions = U(now.positions[s])
    for k in range(positions):
        # before the flop positions are players, and the button acts last after it
        r = (k + U(1)) % positions if s == U(0) else k
        if nodes.live[end] & (np.uint8(1) << np.uint8(r)):
            now.seats[below, count] = now.seats[s, r]
            count += U(1)
    now.positions[below] = count
    now.pot[below], now.behind[below] = chips[0], now.behind[s] - chips[2]
    now.unit[below] = chips[0] if nodes.scaled[below] else 1.0


@part
def _showdown(
    deals: MultiwayDeals,
    deal: Any,
    player: Any,
    live: Any,
    s: Any,
    now: StreetChips,
    pot: Any,
    paid: Any,
    groups: HandGroups,
    level: Any,
    out: Any,
) -> None:
    """The traverser's values where hands are shown, over the groups of street ``level``."""
    best, shares = F(-1), 1.0
    for r in range(U(now.positions[s])):
        seat = U(now.seats[s, r])
        if seat != player and live & (np.uint8(1) << np.uint8(r)):
            x = F(deals.strength[deal, U(deals.held[deal, seat])])
            if x > best:
                best, shares = x, 1.0
            elif x == best:
                shares += 1.0
    win, tie, lose = F(pot - paid), F(pot / (shares + 1.0) - paid), F(-paid)
    strength = groups.strength[level]
    for g in range(U(groups.sizes[level, 0])):
        x = strength[g]
        out[g] = win if x > best else (tie if x == best else lose)


@part
def _to_street(groups: HandGroups, s: Any, level: Any, spare: Any, values: Any, out: Any) -> None:
    """Values over the groups of street ``s`` as values over those of an earlier one, ``level``."""
    source = values
    while s > level:
        s -= U(1)
        to, follow = out if s == level else spare[s], groups.next[s]
        for g in range(U(groups.sizes[s, 0])):
            to[g] = source[U(follow[g])]
        source = to


@part
def _match_regrets(
    regret: Any, start: Any, actions: Any, groups: HandGroups, s: Any, sigma: Any
) -> None:
    """The strategy of each bucket that has hands, to ``sigma``, float32 ``[buckets * actions]``."""
    even = F(1) / F(actions)
    for j in range(U(groups.sizes[s, 1])):
        row, here = start + U(groups.bucket[s, j]) * actions, j * actions
        total = F(0)
        for a in range(actions):
            x = max(regret[row + a], F(0))
            sigma[here + a] = x
            total += x
        if total > F(0):
            scale = F(1) / total
            for a in range(actions):
                sigma[here + a] *= scale
        else:
            for a in range(actions):
                sigma[here + a] = even


@part
def _add_regrets(
    regret: Any,
    start: Any,
    actions: Any,
    groups: HandGroups,
    s: Any,
    sigma: Any,
    values: Any,
    weight: Any,
    floor: Any,
    sums: Any,
    mean: Any,
) -> None:
    """Update the rows of a decision and write its value to ``mean``.

        R(I, a) <- max(R(I, a) + weight * (v(a) - sum over b of sigma(b) v(b)), floor)

    with v(a) the sum over the hands of the bucket.  values: float32 ``[actions, groups]``, of one
    hand of each group.
    """
    begin, count = groups.begin[s], groups.count[s]
    for j in range(U(groups.sizes[s, 1])):
        low, high = U(begin[j]), U(begin[j + U(1)])
        total, here = F(0), j * actions
        for a in range(actions):
            p, summed = sigma[here + a], F(0)
            for g in range(low, high):
                x = values[a, g]
                summed += count[g] * x
                mean[g] = p * x if a == U(0) else mean[g] + p * x
            sums[a] = summed
            total += p * summed
        row = start + U(groups.bucket[s, j]) * actions
        for a in range(actions):
            regret[row + a] = max(regret[row + a] + weight * (sums[a] - total), floor)


@kernel
def traverse_multiway(
    nodes: MultiwayNodes,
    start: Any,
    regret: Any,
    played: Any,
    deals: MultiwayDeals,
    stage: Stage,
    rules: MultiwayRules,
    width: Any,
    height: Any,
    buckets: Any,
    won: Any,
) -> Any:
    """One traversal for each deal and each player of the stage; returns the nodes visited.

    start: int64 ``[nodes]``, where the numbers of a decision begin in ``regret``, float32; those of
    an action and a bucket are at ``start + bucket * ACTIONS + action``.
    played: float32, laid out in the same way: opponents choose in proportion to its positive
    numbers. Where all players learn it is ``regret``; otherwise the opponents stay as they are.
    width: the most actions.  height: the most decisions of one player in a hand.  buckets: the most
    of a street.
    won: float64 ``[players]``; what the hand that each player was dealt wins with the current
    strategy, against these hands and actions of the others, is added for each deal.
    """
    node = nodes.node
    streets, hands = deals.bucket.shape[2], len(deals.cards)
    floor, explore = F(rules.floor), rules.explore
    groups = make_hand_groups(streets, hands, deals.held.shape[1], buckets)
    now = make_streets(nodes, stage, rules, streets)
    values = np.zeros((height, width, hands), np.float32)
    sigma = np.zeros((height, hands * width), np.float32)
    mean, sums = np.zeros(hands, np.float32), np.zeros(width, np.float32)
    spare, chips = np.zeros((streets, hands), np.float32), np.zeros(3, np.float64)
    at_node, at_action = np.zeros(height, np.int64), np.zeros(height, np.int64)
    state = np.zeros(1, np.uint64)
    begun = rules.stack + rules.paid  # so that what a player has paid is this less what is left
    visited = np.int64(0)
    for deal in range(U(len(deals.words))):
        total = group_hands(deals, deal, stage.street, groups)
        weight = F(rules.weight)
        if deals.callers[deal]:
            weight = F(rules.weight * rules.caller_weight)
        for turn in range(U(len(stage.seats))):
            player = U(stage.seats[turn])
            state[0] = deals.words[deal] + player * _STREAM
            next_word(state)
            count_hands(deals, groups, total, player)
            at, depth = U(stage.root), U(0)
            while True:
                visited += 1
                kind, s = node[at, ACTOR], U(node[at, STREET])
                if kind >= 0:
                    actions, child = U(node[at, ACTIONS]), U(node[at, FIRST])
                    seat = U(now.seats[s, U(kind)])
                    if seat != player:
                        if (deals.callers[deal] >> np.uint8(seat)) & np.uint8(1):
                            at = child + U(node[at, FOLDS])
                        else:
                            held = U(deals.bucket[deal, U(deals.held[deal, seat]), s])
                            row = U(start[at]) + held * actions
                            at = child + _sample(played, row, actions, explore, state)
                        continue
                    for a in range(actions):  # ask for the rows of whoever acts next
                        after = child + a
                        if node[after, ACTOR] >= 0:
                            seat = U(now.seats[s, U(node[after, ACTOR])])
                            held = U(deals.bucket[deal, U(deals.held[deal, seat]), s])
                            row = U(start[after]) + held * U(node[after, ACTIONS])
                            prefetch_read(played, row)
                    _match_regrets(regret, U(start[at]), actions, groups, s, sigma[depth])
                    at_node[depth], action = at, U(node[at, FOLDS])
                    if action:
                        gone = begun - now.behind[s] + np.float64(nodes.paid[at]) * now.unit[s]
                        values[depth, 0, : groups.sizes[s, 0]] = F(-gone)
                    at_action[depth] = action
                    depth += U(1)
                    at = child + action
                    continue
                end = U(node[at, END])
                settle_bets(nodes, end, s, player, now, chips)
                if kind == LINK:
                    enter_street(nodes, end, s, chips, now)
                    at = U(nodes.target[end])
                    continue
                level, to = s, mean
                if depth > U(0):
                    level = U(node[U(at_node[depth - U(1)]), STREET])
                    to = values[depth - U(1), U(at_action[depth - U(1)])]
                paid = begun - now.behind[s] + chips[1]
                if kind == SHOWDOWN:
                    _showdown(
                        deals,
                        deal,
                        player,
                        nodes.live[end],
                        s,
                        now,
                        chips[0],
                        paid,
                        groups,
                        level,
                        to,
                    )
                else:
                    to[: groups.sizes[level, 0]] = F(chips[0] - paid)

                # Back up: the next action of the last decision, or its value and regrets.
                while depth > U(0):
                    top = depth - U(1)
                    at = U(at_node[top])
                    actions = U(node[at, ACTIONS])
                    at_action[top] += 1
                    if U(at_action[top]) < actions:
                        at = U(node[at, FIRST]) + U(at_action[top])
                        break
                    s = U(node[at, STREET])
                    _add_regrets(
                        regret,
                        U(start[at]),
                        actions,
                        groups,
                        s,
                        sigma[top],
                        values[top],
                        weight,
                        floor,
                        sums,
                        mean,
                    )
                    depth = top
                    if depth:
                        above = depth - U(1)
                        level = U(node[U(at_node[above]), STREET])
                        to = values[above, U(at_action[above])]
                        if level == s:
                            to[: groups.sizes[s, 0]] = mean[: groups.sizes[s, 0]]
                        else:
                            _to_street(groups, s, level, spare, mean, to)
                if depth == U(0):
                    won[player] += np.float64(mean[U(groups.of_hand[s, U(groups.held[player])])])
                    break
    return visited
