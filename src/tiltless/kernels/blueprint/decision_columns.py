"""Columns of decisions: pot, price, last action, raises and history of every decision of a tree.

A depth-first traversal without a stack: the children of a node are neighbours, so the next sibling
is the next number, and after the last one the traversal goes up. Only the chips along the path are
kept.

Twin: tests/naive/blueprint/decision_columns.py; tested by tests/blueprint/test_information.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.blueprint.history_hash import HAND, REPEAT, word_after
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CALL_LABEL,
    CHANCE,
    FIRST,
    FOLD_LABEL,
    LIVE,
    PARENT,
    STREET,
    BettingNodes,
)

__all__ = [
    "ALL_IN",
    "CALL",
    "CHECK",
    "FOLD",
    "NONE",
    "RAISE",
    "STATE",
    "MenuSlots",
    "PathBuffers",
    "decision_columns",
]

U = np.uint64
NONE, FOLD, CHECK, CALL, ALL_IN, RAISE = range(6)
"""Slots of actions. The legal raises are RAISE, RAISE + 1 … from the smallest to the largest;
but the largest is ALL_IN if it puts the raiser, or everybody who could call it, all-in."""

_POT, _HIGH, _RAISES, _LAST, _AGGRESSOR, _PASSIVE, _ALL_IN, STATE = range(8)


class MenuSlots(NamedTuple):
    """The columns, all ``[decisions]``.

    pot: int64, all chips paid so far.  call: int64, what a call costs.  last: int32, the slot of
    the last action on this street.  raises: int32, bets and raises on this street.
    slots: int64, what is legal: 1 if folding is + 2 if calling is (otherwise checking) + 4 if
    ALL_IN is + 8 for each raise.
    history: uint64, a hash of all actions; street_history: the same for those of this street.
    """

    pot: Any
    call: Any
    last: Any
    raises: Any
    slots: Any
    history: Any
    street_history: Any


class PathBuffers(NamedTuple):
    """Scratch for the nodes on the path to the present one.

    behind, bets: int64 ``[depth, players]``.  state: int64 ``[depth, STATE]``.
    words: uint64 ``[depth, 2]``.
    """

    behind: Any
    bets: Any
    state: Any
    words: Any


@kernel
def decision_columns(
    nodes: BettingNodes,
    decision_of: Any,
    roots: Any,
    starts: Any,
    first_bets: Any,
    leads: Any,
    path: PathBuffers,
    out: MenuSlots,
) -> None:
    """Follow the betting to every decision.

    decision_of: int64 ``[nodes]``, the index of a decision in ``out``; -1 elsewhere; -2 - r at a
        copy of the first decision below root r.
    roots: int64 ``[roots]``, nodes without a parent: that of the tree, then those of streets that
        repeat, each after a node that is a copy of it.
    starts: int64 ``[roots, players + 2]``, chips behind at each root, the pot, and 1 + the player
        to lead into; the first row is set by the caller, the others are overwritten
        before they are needed.
    first_bets: int64 ``[players]``, chips in front of the players at the first root.
    leads: whether it matters in a street that repeats who made the last raise of the one before.
    """
    node, label = nodes.node, nodes.label
    behind, bets, state, words = path.behind, path.bets, path.state, path.words
    players = len(first_bets)
    for r in range(len(roots)):
        at, d = roots[r], 0
        high = np.int64(0)
        word = HAND if r == 0 else REPEAT
        for p in range(players):
            behind[0, p] = starts[r, p]
            bets[0, p] = first_bets[p] if r == 0 else 0
            high = max(high, bets[0, p])
            if r > 0:
                word = word_after(word, U(behind[0, p]))
        if r > 0:
            word = word_after(word, U(node[at, LIVE]))
            word = word_after(word, U(starts[r, players + 1]))
        state[0, _POT], state[0, _HIGH] = starts[r, players], high
        state[0, _RAISES] = 0
        state[0, _LAST] = NONE
        state[0, _AGGRESSOR] = -1
        words[0, 0], words[0, 1] = word, HAND
        while True:
            # 1. Write the columns of a decision, or the start of a repeating street.
            decision = decision_of[at]
            if decision >= 0:
                actor = node[at, ACTOR]
                first, actions = node[at, FIRST], node[at, ACTIONS]
                slots, passive = np.int64(0), np.int64(0)
                for child in range(first, first + actions):
                    if label[child] >= 0:
                        break
                    passive += 1
                    slots |= np.int64(label[child] == -3) | np.int64(label[child] == -1) << 1
                own = bets[d, actor]
                owed = min(state[d, _HIGH] - own, behind[d, actor])
                all_in = False
                if actions > passive:
                    most = np.int64(0)
                    for p in range(players):
                        if p != actor and (node[at, LIVE] >> p) & 1 and behind[d, p] > 0:
                            most = max(most, bets[d, p] + behind[d, p])
                    largest = label[first + actions - 1]
                    all_in = largest >= most or largest >= own + behind[d, actor]
                    slots |= np.int64(all_in) << 2 | (actions - passive) << 3
                state[d, _PASSIVE], state[d, _ALL_IN] = passive, all_in
                out.pot[decision] = state[d, _POT]
                out.call[decision] = owed
                out.last[decision] = state[d, _LAST]
                out.raises[decision] = state[d, _RAISES]
                out.slots[decision] = slots
                out.history[decision] = words[d, 0]
                out.street_history[decision] = words[d, 1]
            elif decision < -1:
                for p in range(players):
                    starts[-2 - decision, p] = behind[d, p]
                starts[-2 - decision, players] = state[d, _POT]
                lead = state[d, _AGGRESSOR]
                if not leads or lead < 0 or lead == node[at, ACTOR] or behind[d, lead] == 0:
                    lead = np.int64(-1)
                starts[-2 - decision, players + 1] = lead + 1
            # 2. Go to the first child, or back up to the next sibling.
            if decision >= 0 or node[at, ACTOR] == CHANCE:
                at = node[at, FIRST]
                d += 1
            else:
                while d > 0:
                    parent = node[at, PARENT]
                    if at + 1 < node[parent, FIRST] + node[parent, ACTIONS]:
                        break
                    at = parent
                    d -= 1
                if d == 0:
                    break
                at += 1
            # 3. The betting at a node is that of its parent after one action.
            parent = node[at, PARENT]
            actor, action = node[parent, ACTOR], label[at]
            for p in range(players):
                behind[d, p], bets[d, p] = behind[d - 1, p], bets[d - 1, p]
            for k in range(_AGGRESSOR + 1):
                state[d, k] = state[d - 1, k]
            words[d, 0], words[d, 1] = words[d - 1, 0], words[d - 1, 1]
            if actor >= 0:
                pays = np.int64(0)
                if action == CALL_LABEL:
                    pays = min(state[d, _HIGH] - bets[d, actor], behind[d, actor])
                    slot = CALL
                elif action >= 0:
                    pays = action - bets[d, actor]
                    state[d, _HIGH] = action
                    state[d, _RAISES] += 1
                    state[d, _AGGRESSOR] = actor
                    rank = at - node[parent, FIRST] - state[d - 1, _PASSIVE]
                    count = node[parent, ACTIONS] - state[d - 1, _PASSIVE]
                    slot = RAISE + rank
                    if state[d - 1, _ALL_IN] and rank == count - 1:
                        slot = ALL_IN
                else:
                    slot = FOLD if action == FOLD_LABEL else CHECK
                behind[d, actor] -= pays
                bets[d, actor] += pays
                state[d, _POT] += pays
                state[d, _LAST] = slot
                words[d, 0] = word_after(words[d, 0], U(slot))
                words[d, 1] = word_after(words[d, 1], U(slot))
            if actor == CHANCE or node[at, STREET] != node[parent, STREET]:
                for p in range(players):
                    bets[d, p] = 0
                if state[d, _RAISES] == 0:
                    state[d, _AGGRESSOR] = -1
                state[d, _HIGH], state[d, _RAISES], state[d, _LAST] = 0, 0, NONE
                words[d, 1] = HAND
