"""External sampling in plain Python, on the rules themselves.

This is the file to read first: the whole algorithm is `ReadableSolver._traverse`. All it asks of a
game is that chance can be sampled, so it also runs where histories are too many to list. The
compiled engines do the same a thousand times faster, on games that have been laid out.

In each iteration every player in turn traverses the game. At the traverser's decisions all actions
are tried; chance and the other players sample one action each. How much more an action would have
won than the traverser's current mixture is its *regret*, and regrets are accumulated. Each action
is then played in proportion to its positive regret (regret matching). The *average* of all
strategies played on the way approaches an equilibrium in two-player zero-sum games.

::

    solver = ReadableSolver(load("kuhn"), Random(1))
    solver.run(10_000)
    solver.average(state.infoset(state.actor))      probabilities of its actions

Papers: Zinkevich, Johanson, Bowling & Piccione (2007), "Regret minimization in games with
incomplete information"; Lanctot, Waugh, Zinkevich & Bowling (2009), "Monte Carlo sampling for
regret minimization in extensive games", section 3.2. Deviations: as in
`tiltless.cfr.sampling.External`.
"""

from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game, InfoSet, State

__all__ = ["ReadableSolver", "all_actions", "own_key", "regret_matching"]

Vector = npt.NDArray[np.float64]


def own_key(infoset: InfoSet) -> Hashable:
    """No abstraction: every infoset has its own row."""
    return infoset.key


def all_actions(infoset: InfoSet) -> Sequence[Any]:
    """No abstraction: every legal action is on the menu."""
    return infoset.actions


class ReadableSolver:
    """Tables that grow while the solver meets new infosets.

    rng: all randomness comes from here.
    key: infosets with equal keys share a row, for instance those whose hands are about as good.
    menu: which of the legal actions are considered, for instance a few sizes of raises; infosets
        with the same key need menus of the same length.
    linear: let iteration t count t times, so that early mistakes are forgotten sooner.
    rows: where in ``regrets`` and ``averages``, float64, the actions of an infoset are, by key;
        of these arrays only the first ``used`` numbers are.
    """

    def __init__(
        self,
        game: Game,
        rng: Random,
        *,
        key: Callable[[InfoSet], Hashable] = own_key,
        menu: Callable[[InfoSet], Sequence[Any]] = all_actions,
        linear: bool = False,
    ) -> None:
        self.game, self.rng, self.key, self.menu, self.linear = game, rng, key, menu, linear
        self.rows: dict[Hashable, slice] = {}
        self.regrets, self.averages = np.zeros(1024), np.zeros(1024)
        self.used = self.iterations = 0

    def run(self, iterations: int) -> None:
        """Run more iterations; in each, every player traverses the game once."""
        for _ in range(iterations):
            self.iterations += 1
            weight = float(self.iterations) if self.linear else 1.0
            for player in range(self.game.players):
                self._traverse(self.game.start(), player, weight)

    def _traverse(self, state: State, player: int, weight: float) -> float:
        """Value of ``state`` for ``player``; regrets and averages are updated on the way."""
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                assert state.chance is not None
                state = state.apply(state.chance.sample(self.rng))
                continue
            infoset = state.infoset(state.actor)
            actions = self.menu(infoset)
            row = self._row(self.key(infoset), len(actions))
            strategy = regret_matching(self.regrets[row])
            if state.actor == player:
                values = [self._traverse(state.apply(action), player, weight) for action in actions]
                value = float(strategy @ values)
                self.regrets[row] += weight * (np.array(values) - value)
                return value
            if state.actor == (player + 1) % self.game.players:
                self.averages[row] += weight * strategy
            state = state.apply(self.rng.choices(actions, strategy.tolist())[0])
        return float(state.payoffs[player])

    def current(self, infoset: InfoSet) -> Vector:
        """The strategy of the next iteration: a probability for each action on the menu."""
        row = self.rows.get(self.key(infoset))
        return _even(len(self.menu(infoset))) if row is None else regret_matching(self.regrets[row])

    def average(self, infoset: InfoSet) -> Vector:
        """The average strategy; where the solver has never been, all actions alike."""
        row = self.rows.get(self.key(infoset))
        total = 0.0 if row is None else self.averages[row].sum()
        return self.averages[row] / total if total > 0 else _even(len(self.menu(infoset)))

    def _row(self, key: Hashable, actions: int) -> slice:
        """The row of an infoset, made when it is met for the first time."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = slice(self.used, self.used + actions)
            self.used = row.stop
            while self.used > len(self.regrets):
                self.regrets = np.concatenate([self.regrets, np.zeros_like(self.regrets)])
                self.averages = np.concatenate([self.averages, np.zeros_like(self.averages)])
        elif row.stop - row.start != actions:
            raise OptionError(
                f"the key {key!r} stands for menus of {row.stop - row.start} and of {actions} "
                "actions; make the number of actions part of the key"
            )
        return row


def regret_matching(regrets: Vector) -> Vector:
    """Play in proportion to positive regrets; if there are none, all actions alike.

    Paper: Hart & Mas-Colell (2000), "A simple adaptive procedure leading to correlated
    equilibrium".
    """
    positive = np.maximum(regrets, 0.0)
    total = positive.sum()
    return positive / total if total > 0 else _even(len(regrets))


def _even(actions: int) -> Vector:
    return np.full(actions, 1.0 / actions)
