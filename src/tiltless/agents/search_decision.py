"""Decisions of search: the action to play from a solved subgame, and its values.

A solved tree has effective stacks, and the bets of its menu; `policies_at` maps its actions to the
ones that are legal at the table.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Decision, Policies, nearest_raise
from tiltless.agents.blueprint import draw_action
from tiltless.agents.postprocess import PostProcess
from tiltless.cards.card import COMBO_COUNT, COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.view import View
from tiltless.search.cache import Found

__all__ = ["Explanation", "at_table", "decide", "explain", "policies_at"]

_Pairs = tuple[tuple[Action, float], ...]


class Explanation(NamedTuple):
    """What search computed for a decision.

    policy, values: for the player's own hand; values are chips won by each action, relative to
    folding now. They are against the estimated range; the policy is also made against hands that
    the opponent chose to enter with (`entry`, `trust`), so its choices may not follow them.
    ranges: the player's own and the opponent's at this decision, float64 ``[2, 1326]``, as
    estimated.
    exploitability: how much more the opponent's best response wins against us than its strategy in
    the solution does, with the estimated ranges, in percent of the pot at the start of the street.
    What we could win in addition is not included: a gadget gives that up on purpose.
    entry: how the opponent entered the subgame, one of `ENTRIES`; ``fixed-range`` if there are no
    alternative values, as the street is not in the blueprint and the last one was not solved.
    trust: how often it had its believed range; only 0 is safe search.
    """

    policy: _Pairs
    values: _Pairs
    ranges: npt.NDArray[np.float64]
    exploitability: float
    iterations: int
    seconds: float
    entry: str
    trust: float

    def __str__(self) -> str:
        values = dict(self.values)
        parts = [
            f"{action} {100 * prob:.0f} % ({values[action]:+.1f})" for action, prob in self.policy
        ]
        return (
            f"{', '.join(parts)}; {self.iterations} iterations in {self.seconds:.2f} s, "
            f"exploitable for {self.exploitability:.2f} % of the pot"
        )


def policies_at(view: View, found: Found, post: PostProcess) -> Policies:
    """The policy of every hand at a solved node, in actions that are legal at the table."""
    node = found.node
    probs = post(found.subgame.strategy_at(node), node.actions)
    probs[HOLDING[list(node.board)].any(axis=0)] = 0
    return at_table(view, node.actions, probs)


def at_table(view: View, actions: Sequence[Action], chances: npt.NDArray[np.float64]) -> Policies:
    """A strategy of a solved tree in actions that are legal at the table.

    chances: float64 ``[1326, actions]``; two actions that become one are added up.
    """
    legal = [_at_table(action, view) for action in actions]
    merged = tuple(dict.fromkeys(legal))
    out = np.zeros((COMBO_COUNT, len(merged)))
    for column, action in enumerate(legal):
        out[:, merged.index(action)] += chances[:, column]
    return Policies(merged, out.astype(np.float32))


def decide(view: View, found: Found, post: PostProcess, rng: Random) -> Decision:
    """Sample an action from the policy of the player's own hand."""
    policy, values = _own_hand(view, found, post)
    return Decision(draw_action(policy, rng), policy, values, "search")


def explain(view: View, found: Found, post: PostProcess) -> Explanation:
    """The explanation of a decision from its solved subgame."""
    node, solver = found.node, found.subgame.solver
    player, reaches = node.actor, node.reaches
    lost = solver.best_values()[1 - player] - solver.values()[1 - player]
    return Explanation(
        *_own_hand(view, found, post),
        np.stack([reaches[player], reaches[1 - player]]),
        100 * lost / solver.spot.pot,
        solver.iterations,
        found.subgame.seconds,
        found.subgame.entry,
        found.subgame.trust,
    )


def _own_hand(view: View, found: Found, post: PostProcess) -> tuple[_Pairs, _Pairs]:
    """Policy (positive probabilities only) and values of the cards of the view."""
    first, second = view.cards
    combo = int(COMBO_OF[first, second])
    node = found.node
    actions, probs = policies_at(view, found, post)
    policy = tuple(pair for pair in zip(actions, probs[combo].tolist(), strict=True) if pair[1] > 0)
    values: dict[Action, float] = {}
    for action, chips in zip(node.actions, found.subgame.values_at(node, combo), strict=True):
        values.setdefault(_at_table(action, view), chips)
    return policy, tuple(values.items())


def _at_table(action: Action, view: View) -> Action:
    """The legal action at the table for an action of the solved tree."""
    if isinstance(action, RaiseTo):
        return nearest_raise(view.actions, action.chips)
    return action
