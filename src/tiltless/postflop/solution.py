"""A solved spot in one object: strategies, reports, locks, files.

::

    solution = solve_spot(Spot("QsJh2h8d", oop="…", ip="…", pot=64, stack=320, bets="50%, 100%, a"))
    solution.exploitability                     0.28, in percent of the pot
    solution.at("x b64").strategy("AhKh")       {'f': 0.0, 'c': 0.83, 'r320': 0.17}
    solution.at("x").report().totals.ev         29.16, in chips
    solution.save("turn.spot")

It wraps `tiltless.postflop.solver`, which has the tables; lines are those of `find_node`.
"""

import math
from collections.abc import Callable
from functools import cached_property
from os import PathLike
from typing import Any, overload

import numpy as np

from tiltless.cards.card import Cards, cards_text, check_disjoint, combo_index, combo_text
from tiltless.cards.card import parse_cards as cards_of
from tiltless.errors import OptionError, RangeError
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.line import read_lock
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.report import HandReport, actor_report, hand_report
from tiltless.postflop.solver import PostflopSolver, SolverStatus
from tiltless.postflop.spot import IP, OOP, PLAYERS, Spot
from tiltless.system import usable_cores
from tiltless.validate import an_instance, brief, true_or_false

__all__ = ["Solution", "SolvedNode", "load_solution", "solve_spot"]

_LINE = "write one such as 'x b64 c Ah'"

Progress = Callable[[SolverStatus], Any]
"""Called with the state of the solver whenever the exploitability has been computed."""


class Solution:
    """A solved spot; `solve_spot` makes one, `Solution.load` reads one from a file.

    solver: has the tables, from which everything else is computed.
    """

    def __init__(self, solver: PostflopSolver) -> None:
        self.solver = solver
        self._cached: tuple[object, float] = None, math.nan

    @property
    def spot(self) -> Spot:
        """The spot that was solved."""
        return self.solver.spot

    @property
    def iterations(self) -> int:
        """Iterations of CFR so far."""
        return self.solver.iterations

    @property
    def exploitability(self) -> float:
        """The gain of a best response, averaged over both players, in percent of the pot."""
        state = self.iterations, tuple(self.solver.locks)
        if self._cached[0] != state:
            self._cached = state, self.solver.exploitability()
        return self._cached[1]

    @property
    def ev(self) -> dict[str, float]:
        """Chips of the pot that each player wins on average: ``{"oop": 34.8, "ip": 29.2}``."""
        values = self.solver.values()
        return {PLAYERS[player]: values[player] + self.spot.pot / 2 for player in (OOP, IP)}

    @property
    def gains(self) -> dict[str, float]:
        """Chips that a best response of each player would win beyond `ev`."""
        best, values = self.solver.best_values(), self.solver.values()
        return {PLAYERS[player]: best[player] - values[player] for player in (OOP, IP)}

    def at(self, line: str = "") -> "SolvedNode":
        """The node that a line leads to: ``x b64 c Ah``; by default the first decision."""
        return SolvedNode(find_node(self.solver, an_instance("line", line, str, _LINE)))

    def lock(self, text: str) -> None:
        """Fix a strategy, as in ``x b64: f 80%, c 20%``; `solve` then finds the best replies."""
        for node, strategy in read_lock(find_node(self.solver), text):
            self.solver.lock(node, strategy)
        self._cached = None, math.nan

    def solve(
        self,
        until: str | float = "0.3%",
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        progress: Progress | None = None,
    ) -> SolverStatus:
        """Continue solving: to a lower exploitability, or after a lock. See `solve_spot`."""
        status = self.solver.solve(
            _percent(until), seconds=seconds, iterations=iterations, on_check=progress
        )
        self._cached = (self.iterations, tuple(self.solver.locks)), status.exploitability
        return status

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file that `load`, and ``tiltless solve-spot --resume``, read."""
        self.solver.save(path)

    @classmethod
    def load(
        cls, path: str | PathLike[str], *, threads: int | None = None, device: str = "cpu"
    ) -> "Solution":
        """Read a file of `save`, or of ``tiltless solve-spot --save``.

        threads: all cores by default.  device: see `solve_spot`.
        """
        return cls(PostflopSolver.load(path, threads=threads or usable_cores(), device=device))

    def __repr__(self) -> str:
        spot = self.spot
        return (
            f"<Solution of {spot.board_text}: pot {spot.pot}, stack {spot.stack}, exploitability "
            f"{self.exploitability:.3g} % of the pot after {self.iterations:,} iterations>"
        )


class SolvedNode:
    """One node of a solved spot; `Solution.at` finds it.

    Its numbers are computed when first asked for and then kept: after more iterations, call
    `Solution.at` again. In a notebook a decision shows itself as a picture.
    """

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def line(self) -> str:
        """How it is reached, in chips: ``x b64 c Ah``."""
        return self.node.line

    @property
    def board(self) -> str:
        """``QsJh2h8dAh``."""
        return cards_text(self.node.board)

    @property
    def pot(self) -> int:
        """All chips in the middle and in front of the players."""
        return self.node.pot

    @property
    def player(self) -> str:
        """The player to act, ``oop`` or ``ip``; empty where nobody acts."""
        return PLAYERS[self.node.actor] if self.node.actor >= 0 else ""

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the player to act as words of a line: ``("x", "b32", "b64")``."""
        return self._without_equity.actions

    @property
    def frequencies(self) -> dict[str, float]:
        """How often the player to act takes each action, over the whole range."""
        report = self._without_equity
        return dict(zip(report.actions, report.totals.frequencies, strict=True))

    def at(self, line: str) -> "SolvedNode":
        """The node that a line leads to from here."""
        return SolvedNode(find_node(self.node.solver, f"{self.line} {line}"))

    @overload
    def strategy(self, hand: Cards) -> dict[str, float]: ...
    @overload
    def strategy(self, hand: None = None) -> dict[str, dict[str, float]]: ...
    def strategy(self, hand: Cards | None = None) -> dict[str, float] | dict[str, dict[str, float]]:
        """Probabilities of the actions with one hand, or with every hand of the range.

        ``strategy("AhKh")`` is ``{"f": 0.0, "c": 1.0}``; ``strategy()`` has such a row for each
        hand with which the player reaches this node, by its text.
        """
        actions, rows = self.actions, self.node.strategy
        if hand is None:
            combos = np.flatnonzero(self._without_equity.weight > 0).tolist()
            return {
                combo_text(n): dict(zip(actions, rows[n].tolist(), strict=True)) for n in combos
            }
        combo = combo_index(hand)
        check_disjoint(board=self.node.board, hand=cards_of(hand))
        if combo not in self.node.combos(self.node.actor):
            raise RangeError(
                f"{combo_text(combo)} is not in the range of {self.player.upper()}; strategy() "
                "lists the hands that are"
            )
        return dict(zip(actions, rows[combo].tolist(), strict=True))

    def report(self, player: str = "") -> HandReport:
        """EV, equity, EQR and strategy of every hand of a player, and their totals.

        player: ``oop`` or ``ip``; by default the player to act.
        """
        if not player:
            return actor_report(self.node)
        if player not in PLAYERS:
            raise OptionError(f"player={brief(player)} is not a player; write oop or ip")
        return hand_report(self.node, PLAYERS.index(player))

    @cached_property
    def _without_equity(self) -> HandReport:
        return actor_report(self.node, equity=False)

    def __repr__(self) -> str:
        where = f"{self.line!r} on {self.board}" if self.line else self.board
        if not self.player:
            return f"<SolvedNode {where}: pot {self.pot}, nobody acts>"
        often = ", ".join(f"{word} {frequency:.0%}" for word, frequency in self.frequencies.items())
        return f"<SolvedNode {where}: pot {self.pot}, {self.player.upper()} to act: {often}>"


def solve_spot(
    spot: Spot,
    until: str | float = "0.3%",
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    threads: int | None = None,
    compressed: bool = False,
    device: str | Machine = "cpu",
    progress: Progress | None = None,
) -> Solution:
    """Solve a spot after the flop for two ranges, exactly.

    until: the exploitability to stop at, in percent of the pot: ``"0.3%"`` or ``0.3``.
    seconds, iterations: stop after this time or this many iterations at the latest.
    threads: for turns and flops; all cores by default. The result does not depend on them.
    compressed: 16 bits for each number instead of 32.
    device: ``"cpu"``, or ``"gpu"`` for an NVIDIA card with CuPy (``pip install tiltless[gpu]``).
    """
    an_instance("spot", spot, Spot, "make one as docs/api.md shows")
    true_or_false("compressed", compressed)
    percent = _percent(until)
    solver = PostflopSolver(
        spot, threads=threads or usable_cores(), compressed=compressed, device=device
    )
    solution = Solution(solver)
    solution.solve(percent, seconds=seconds, iterations=iterations, progress=progress)
    return solution


def load_solution(
    path: str | PathLike[str], *, threads: int | None = None, device: str = "cpu"
) -> Solution:
    """Load a solved spot from a file; the same as `Solution.load`."""
    return Solution.load(path, threads=threads, device=device)


def _percent(until: str | float) -> float:
    """``0.3`` for ``"0.3%"`` and for 0.3."""
    try:
        number = float(until.strip().removesuffix("%") if isinstance(until, str) else until)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(until, bool) or not 0 <= number <= 100:
        raise OptionError(f"until={brief(until)} is not a percentage of the pot; write '0.3%'")
    return number
