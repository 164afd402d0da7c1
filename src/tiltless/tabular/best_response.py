"""Best responses, NashConv and exploitability of a profile, exactly.

    BRV_i(s)     = max over s'_i of u_i(s'_i, s_-i)             value of a best response
    NashConv(s)  = sum over i of (BRV_i(s) - u_i(s))            zero exactly in an equilibrium
    exploitability(s) = NashConv(s) / 2                         two players, zero-sum only

as OpenSpiel defines them. An `Evaluator` is built once for a flat game, and can then
measure any number of tables of probabilities: Leduc takes tens of microseconds. The functions of
this module do the same for a `tiltless.tabular.strategy.Strategy`.

All of this needs perfect recall: players remember what they knew and did. Games without it are
refused, since even a best response is hard to compute there. The algorithm is described in
`tiltless.kernels.tabular.best_response`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import ArrayError, OptionError
from tiltless.games.game import Game
from tiltless.kernels.tabular.best_response import (
    ResponseWorkspace,
    Sequences,
    follow_sequences,
    gather_gains,
    respond,
)
from tiltless.tabular.flat import FlatGame
from tiltless.tabular.strategy import Strategy, not_a_distribution
from tiltless.validate import an_instance

__all__ = [
    "BestResponse",
    "Evaluator",
    "ProfileEvaluation",
    "best_response",
    "evaluate_profile",
    "exploitability",
    "nash_conv",
]

Table = npt.NDArray[np.float64]
Values = tuple[float, ...]


class ProfileEvaluation(NamedTuple):
    """Values of a profile and of best responses to it, for each player."""

    values: Values
    best: Values

    @property
    def gains(self) -> Values:
        """What each player gains by a best response; never negative but for rounding."""
        return tuple(best - value for best, value in zip(self.best, self.values, strict=True))

    @property
    def nash_conv(self) -> float:
        """The sum of these gains."""
        return sum(self.gains)


class BestResponse(NamedTuple):
    """Best responses of every player to the others, in one table.

    values: the value of each of them.
    table: like the table that was given; all probabilities are 0 or 1. Ties go to the first
        action, so that is the choice where the others never let a player come.
    """

    values: Values
    table: Table


class Evaluator:
    """Measures profiles of one game; not for use by several threads at once.

    flat: the game, any number of players and any payoffs. A profile is a table float64 `[entries]`.
    """

    def __init__(self, flat: FlatGame) -> None:
        self.flat, self.game = flat, flat.game
        self.sequences = _sequences(flat)
        entries, players = flat.entries, flat.game.players
        self.workspace = ResponseWorkspace(
            reach=np.zeros(entries + players),
            gain=np.zeros(entries + players),
            response=np.zeros(entries),
            values=np.zeros(players),
            best=np.zeros(players),
        )
        self._table = np.zeros(entries)

    def evaluate(self, table: npt.ArrayLike) -> ProfileEvaluation:
        """The values of a profile and of best responses to it."""
        self.gather(table)
        self.respond()
        return ProfileEvaluation(_floats(self.workspace.values), _floats(self.workspace.best))

    def values(self, table: npt.ArrayLike) -> Values:
        """What each player wins on average when all follow ``table``."""
        self.gather(table)
        return _floats(self.workspace.values)

    def best_response(self, table: npt.ArrayLike) -> BestResponse:
        """A pure best response of each player to the others."""
        self.gather(table)
        self.respond()
        return BestResponse(_floats(self.workspace.best), self.workspace.response.copy())

    def nash_conv(self, table: npt.ArrayLike) -> float:
        """How much the players together gain by best responses. Any number of players.

        Zero means equilibrium; with more than two players, small does not mean near to one.
        """
        return self.evaluate(table).nash_conv

    def exploitability(self, table: npt.ArrayLike) -> float:
        """Half of `nash_conv`: what a best response wins on average of both seats."""
        check_zero_sum(self.game)
        return self.evaluate(table).nash_conv / 2

    def cce_gap(self, average: npt.ArrayLike, mean_values: Sequence[float]) -> float:
        """How far the play of many iterations is from a coarse correlated equilibrium.

            max over i of (BRV_i(average of the other) - mean over t of u_i(s^t))

        the most that a player gains who decides to deviate before the recommendation is drawn.
        Two players: there the average strategy of the other is all that matters.
        average: the average strategy (weighted by own reach, as solvers do); mean_values: `[2]`,
        the mean value of the profiles s^t, iterations weighted as in the average.
        For more players, and without an average at hand: `tiltless.tabular.cce`.
        """
        if self.game.players != 2:
            raise OptionError(
                f"{self.game.name} has {self.game.players} players, whose averages do not tell "
                "how they play together; use CoarseCorrelatedPlay"
            )
        best = self.evaluate(average).best
        return max(best - mean for best, mean in zip(best, mean_values, strict=True))

    def gather(self, table: npt.ArrayLike) -> None:
        """Write reach and gain of every sequence, and values, to ``workspace``."""
        given = np.asarray(table)
        if given.shape != self._table.shape:
            raise ArrayError(
                f"the table has the shape {given.shape}; {self.game.name} needs {self._table.shape}"
            )
        self._table[...] = given  # writable and contiguous, so that one compiled kernel will do
        bad = gather_gains(self.sequences, self._table, self.workspace)
        if bad >= 0:
            raise self._refusal(bad)

    def respond(self) -> None:
        """Best responses to the gains in ``workspace``, which are overwritten."""
        respond(self.sequences, self.workspace)

    def _refusal(self, infoset: int) -> ArrayError:
        """Name the infoset whose probabilities are not a distribution."""
        start = self.flat.tree.start
        row = self._table[start[infoset] : start[infoset + 1]].tolist()
        return not_a_distribution(self.game, self.flat.keys[infoset], row)


def evaluate_profile(strategy: Strategy) -> ProfileEvaluation:
    """The values of a strategy and of best responses to it."""
    _checked(strategy)
    return Evaluator(strategy.flat).evaluate(strategy.table)


def best_response(strategy: Strategy) -> Strategy:
    """A pure best response of each player to the others; its values are in `evaluate_profile`."""
    _checked(strategy)
    response = Evaluator(strategy.flat).best_response(strategy.table)
    return Strategy.from_table(strategy.flat, response.table)


def nash_conv(strategy: Strategy) -> float:
    """The sum over players of what a best response gains."""
    return evaluate_profile(strategy).nash_conv


def exploitability(strategy: Strategy) -> float:
    """Half of `nash_conv`, for two players and zero-sum games."""
    check_zero_sum(_checked(strategy).game)
    return evaluate_profile(strategy).nash_conv / 2


def _checked(strategy: Any) -> Strategy:
    remedy = "a Solver's strategy() is one, and Strategy.load reads one"
    return an_instance("strategy", strategy, Strategy, remedy)


def check_zero_sum(game: Game) -> None:
    """Refuse to speak of exploitability where it means nothing."""
    if game.players != 2 or not game.zero_sum:
        raise OptionError(
            f"{game.name} is not a zero-sum game of two, so exploitability is not defined; "
            "use nash_conv"
        )


def _floats(values: Table) -> Values:
    return tuple(values.tolist())


def _sequences(flat: FlatGame) -> Sequences:
    tree, players = flat.tree, flat.game.players
    sequences = Sequences(
        start=tree.start,
        player=tree.player,
        parent=np.empty(flat.infosets, dtype=np.uint32),
        terminals=np.empty((flat.terminals, players), dtype=np.uint32),
        cfv=np.empty((flat.terminals, players)),
    )
    last = np.empty((flat.nodes, players), dtype=np.uint32)
    forgetful = follow_sequences(tree, last, np.empty(flat.nodes), sequences)
    if forgetful >= 0:
        raise _forgetful(flat.game, flat.infoset_text(forgetful))
    return sequences


def _forgetful(game: Game, infoset: str) -> OptionError:
    return OptionError(
        f"{game.name} is a game of imperfect recall: histories of one infoset ({infoset}) differ "
        "in what its player did; best responses need perfect recall, so let the key tell them apart"
    )
