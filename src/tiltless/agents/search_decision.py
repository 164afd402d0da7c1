"""Decisions of search: the action to play from a solved subgame, and its values.

A solved tree has chips as far as they can be called, and bets of its menu; `policies_at` puts its
actions into those that are legal at the table.
"""

from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Decision, Policies, nearest_raise
from tiltless.agents.blueprint import draw_action
from tiltless.agents.postprocess import PostProcess
from tiltless.cards.card import COMBO_COUNT, COMBO_OF
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.view import View
from tiltless.postflop.node import Node
from tiltless.search.cache import Found
from tiltless.search.subgame import strategy_at

__all__ = ["Explanation", "decide", "explain", "policies_at", "values_at"]

_Pairs = tuple[tuple[Action, float], ...]


class Explanation(NamedTuple):
    """What search thought of a decision.

    policy, values: of the own hand; chips that each action wins, folding now being 0. Values are
    against the range that is believed; a safe policy minds others too, and may not follow them.
    ranges: own and opponent's at this decision, float64 ``[2, 1326]``, as search believes them.
    exploitability: what a best response of the opponent wins against us more than the strategy that
    we believe in, both ranges as believed; percent of the pot at the start of the street. What we
    could win more is not in it: a safe search gives that up on purpose.
    safe: one of `SAFETY`, as it was done: ``none`` where the blueprint does not know the street.
    """

    policy: _Pairs
    values: _Pairs
    ranges: npt.NDArray[np.float64]
    exploitability: float
    iterations: int
    seconds: float
    safe: str

    def __str__(self) -> str:
        known = dict(self.values)
        parts = [
            f"{action} {100 * chance:.0f} % ({known[action]:+.1f})"
            for action, chance in self.policy
        ]
        return (
            f"{', '.join(parts)}; {self.iterations} iterations in {self.seconds:.2f} s, "
            f"exploitable for {self.exploitability:.2f} % of the pot"
        )


def policies_at(view: View, place: Node, post: PostProcess) -> Policies:
    """What every hand does, in actions of the table."""
    chances = post(strategy_at(place), place.actions)
    if post.choice == "argmax":
        held = np.zeros(COMBO_COUNT, np.bool_)
        held[place.combos(place.actor)] = True
        chances[~held] = 0
    at_table = [_at_table(action, view) for action in place.actions]
    actions = tuple(dict.fromkeys(at_table))
    out = np.zeros((COMBO_COUNT, len(actions)))
    for column, action in enumerate(at_table):
        out[:, actions.index(action)] += chances[:, column]
    return Policies(actions, out.astype(np.float32))


def values_at(place: Node, combo: int) -> list[float]:
    """Chips that a hand of the actor wins with each action of a place, folding now being 0."""
    player, solver = place.actor, place.solver
    hand = int(np.flatnonzero(place.combos(player) == combo)[0])
    cfv = solver.cfv(place.level, place.number, player)[:, hand]
    others = float(place.others(player)[combo])
    if others <= 0:
        return [0.0] * len(place.actions)
    lost = solver.spot.pot / 2 + solver.spot.stack - place.betting.stacks[player]
    return [float(cfv[child]) / others + lost for child in place.street.children(place.node)]


def decide(view: View, place: Node, post: PostProcess, rng: Random) -> Decision:
    """Draw from the row of the own hand."""
    policy, values = _own_hand(view, place, post)
    return Decision(draw_action(policy, rng), policy, values, "search")


def explain(view: View, found: Found, post: PostProcess) -> Explanation:
    """All that is known of a decision."""
    place, solver = found.place, found.subgame.solver
    player, reaches = place.actor, place.reaches
    lost = solver.best_values()[1 - player] - solver.values()[1 - player]
    return Explanation(
        *_own_hand(view, place, post),
        np.stack([reaches[player], reaches[1 - player]]),
        100 * lost / solver.spot.pot,
        solver.iterations,
        found.subgame.seconds,
        found.subgame.safe,
    )


def _own_hand(view: View, place: Node, post: PostProcess) -> tuple[_Pairs, _Pairs]:
    """How likely each action is with the cards of the view, if at all; and what each is worth."""
    first, second = view.cards
    combo = int(COMBO_OF[first, second])
    actions, chances = policies_at(view, place, post)
    weights = chances[combo].tolist()
    policy = tuple(pair for pair in zip(actions, weights, strict=True) if pair[1] > 0)
    values: dict[Action, float] = {}
    for action, chips in zip(place.actions, values_at(place, combo), strict=True):
        values.setdefault(_at_table(action, view), chips)
    return policy, tuple(values.items())


def _at_table(action: Action, view: View) -> Action:
    """An action of the solved tree, as it is legal at the table."""
    if isinstance(action, RaiseTo):
        return nearest_raise(view.actions, action.chips)
    return action
