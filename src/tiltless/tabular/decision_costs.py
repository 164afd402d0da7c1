"""Decision costs in small games, exactly: what every action of every infoset gives up.

At an infoset I of player i, with the others' reach r_-i (chance and what their strategy makes
likely: their ranges by Bayes' rule),

    Q(I, a) = sum_h r_-i(h) v(h a) / sum_h r_-i(h),        cost(I, a) = max_b Q(I, b) - Q(I, a)

where v is what i wins if the others go on as they do, and i either plays best from there on or goes
on with its own strategy too. The review of hold'em hands does the first after the flop, in solved
streets (`tiltless.search.review`), and estimates the second before it
(`tiltless.search.playouts`).

With best play, the costs of a strategy, weighted by its reach, sum to what a best response gains:
sum_I r_i(I) r_-i(I) sum_a s(I, a) cost(I, a) = BRV_i(s) - u_i(s).
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.games.game import CHANCE, TERMINAL, Game, State
from tiltless.tabular.strategy import Strategy

__all__ = ["action_values"]

Vector = npt.NDArray[np.float64]


def action_values(
    game: Game, strategy: Strategy, player: int, *, best: bool = True
) -> Mapping[Hashable, tuple[float, Vector]]:
    """Q of every action of a player's infosets that the others let it reach.

    By `InfoSet.key`: (r_-i of the infoset, float64 ``[actions]``).
    best: whether the player plays best from there on; otherwise as the strategy does.
    """
    members: dict[Hashable, list[tuple[State, float]]] = defaultdict(list)
    found: dict[Hashable, tuple[float, Vector]] = {}

    def collect(state: State, reach: float) -> None:
        if state.actor == TERMINAL:
            return
        if state.actor == player:
            members[state.infoset(player).key].append((state, reach))
        for move, chance in _moves(state, strategy):
            others = reach * (1.0 if state.actor == player else chance)
            if others > 0:
                collect(state.apply(move), others)

    def value(state: State) -> float:
        if state.actor == TERMINAL:
            return float(state.payoffs[player])
        if state.actor != player:
            moves = _moves(state, strategy)
            return sum(chance * value(state.apply(move)) for move, chance in moves if chance > 0)
        infoset = state.infoset(player)
        values = _values(infoset.key)
        if best:
            return value(state.apply(infoset.actions[int(values.argmax())]))
        moves = _moves(state, strategy)
        return sum(chance * value(state.apply(move)) for move, chance in moves if chance > 0)

    def _values(key: Hashable) -> Vector:
        if key not in found:
            states = members[key]
            actions = states[0][0].infoset(player).actions
            total = sum(reach for _, reach in states)
            sums = [sum(reach * value(s.apply(a)) for s, reach in states) for a in actions]
            found[key] = total, np.array(sums) / total
        return found[key][1]

    collect(game.start(), 1.0)
    for key in list(members):
        _values(key)
    return found


def _moves(state: State, strategy: Strategy) -> list[tuple[Any, float]]:
    """The moves of a state with their probabilities."""
    if state.actor == CHANCE:
        assert state.chance is not None
        return list(state.chance.outcomes())
    return list(strategy[state.infoset(state.actor)].items())
