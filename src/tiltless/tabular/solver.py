"""Solver of any finite game: a game, an algorithm of the CFR family, and its tables.

::

    solver = Solver(load("leduc"), "dcfr")
    solver.run(100)
    solver.distance()        how far from equilibrium: exploitability, or NashConv
    solver.strategy()        the average strategy, to look up, save, play
"""

import json
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.cfr.presets import PRESETS, Preset, find_preset
from tiltless.cfr.sampling import Full
from tiltless.errors import FingerprintError, OptionError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.files.header import damaged
from tiltless.games.game import Game
from tiltless.tabular.best_response import Evaluator, ProfileEvaluation, check_zero_sum
from tiltless.tabular.flat import flatten
from tiltless.tabular.full_traversal import FlatEngine, StackedEngine
from tiltless.tabular.public import public_form
from tiltless.tabular.strategy import Strategy
from tiltless.validate import one_of, whole_number

__all__ = ["Engine", "Solver"]

Table = npt.NDArray[np.float64]
_KIND = "solver-state"
_STACKED_LIMIT = 3_000_000
"""Games with more histories than this are not laid out a second time as stacks."""


class Engine(Protocol):
    """The interface of engines: `FlatEngine`, `StackedEngine` and the sampled ones."""

    def run(self, first: int, count: int) -> None:
        """Iterations ``first`` … ``first + count - 1``, counted from 1."""
        ...

    def average(self) -> Table:
        """The average strategy, float64 ``[entries]`` of the flat form."""
        ...

    def current(self) -> Table:
        """The strategy of the next iteration."""
        ...

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """The arrays that `restore` needs."""
        ...

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from a `state`."""
        ...


class Solver:
    """Runs one algorithm on one game.

    game: any finite game of `tiltless.games`.
    algorithm: the name of a preset (`tiltless.cfr.presets`), or a `Preset`.
    layout: ``"flat"`` takes every game; ``"stacked"`` is ten times faster where it applies (two
        players, zero sum, a public form, full traversals); ``"auto"`` chooses.
    seed, threads: for sampled algorithms; one thread and one seed give the same bits every time.
    memory_limit, progress: see `tiltless.tabular.flat.flatten`.
    """

    def __init__(
        self,
        game: Game,
        algorithm: str | Preset = "dcfr",
        *,
        layout: str = "auto",
        seed: int = 0,
        threads: int = 1,
        memory_limit: int = 4 << 30,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        one_of("layout", layout, ("auto", "flat", "stacked"))
        self.game, self.seed = game, whole_number("seed", seed, 0)
        self.threads = whole_number("threads", threads, 1, 1024)
        self.preset = find_preset(algorithm)
        self.algorithm = _name(self.preset)
        self.flat = flatten(game, memory_limit=memory_limit, progress=progress)
        self.engine, self.layout = self._engine(layout, memory_limit)
        self.engine.run(1, 0)  # compiles, or loads what was compiled, before anybody's clock runs
        self.iterations = 0
        self._evaluator: Evaluator | None = None

    def _engine(self, layout: str, memory_limit: int) -> tuple[Engine, str]:
        preset, flat = self.preset, self.flat
        if not isinstance(preset.sampling, Full):
            from tiltless.tabular.sampled import sampled_engine

            if layout == "stacked":
                raise OptionError(f"{self.algorithm} samples; use layout auto or flat")
            rules = (preset.sampling, preset.regret, preset.averaging, preset.pruning)
            return sampled_engine(flat, *rules, seed=self.seed, threads=self.threads), "sampled"
        stackable = self.game.players == 2 and self.game.zero_sum and preset.alternating
        if layout == "stacked" or (layout == "auto" and stackable and flat.nodes < _STACKED_LIMIT):
            try:
                form = public_form(self.game, lane=8, memory_limit=memory_limit)
                return StackedEngine(flat, form, preset.regret, preset.averaging), "stacked"
            except OptionError:
                if layout == "stacked":
                    raise
        return FlatEngine(flat, preset.regret, preset.averaging, preset.alternating), "flat"

    def __repr__(self) -> str:
        return f"<Solver of {self.game}: {self.algorithm}, {self.iterations:,} iterations>"

    def run(self, iterations: int) -> None:
        """Run more iterations, all in one call of compiled code."""
        if iterations := whole_number("iterations", iterations, 0, 1 << 40):
            self.engine.run(self.iterations + 1, iterations)
            self.iterations += iterations

    def evaluate(self) -> ProfileEvaluation:
        """Values of the average strategy, and of best responses to it."""
        if self._evaluator is None:
            self._evaluator = Evaluator(self.flat)
        return self._evaluator.evaluate(self.engine.average())

    def distance(self) -> float:
        """Exploitability of the average strategy, or NashConv where that is not defined."""
        return self.evaluate().nash_conv / (2 if self.has_exploitability else 1)

    def exploitability(self) -> float:
        """Half of NashConv of the average strategy: what a best response gains, on average.

        Games of two players with zero sum only; `evaluate` measures all others.
        """
        check_zero_sum(self.game)
        return self.distance()

    @property
    def has_exploitability(self) -> bool:
        """Whether the game is a zero-sum game of two."""
        return self.game.players == 2 and self.game.zero_sum

    def strategy(self, *, current: bool = False) -> Strategy:
        """The average strategy, or the current one."""
        table = self.engine.current() if current else self.engine.average()
        about = {"algorithm": self.algorithm, "iterations": self.iterations}
        return Strategy.from_table(self.flat, table, **about)

    def _fingerprint(self) -> str:
        game = self.game
        parts = [game.name, game.version, json.dumps(dict(game.parameters), default=list)]
        return fingerprint(_KIND, *parts, repr(self.preset), self.layout, self.flat.entries)

    def save(self, path: str | PathLike[str], **about: str) -> None:
        """Write everything that `resume` needs, atomically."""
        metadata = {
            "game": self.game.name,
            "parameters": json.dumps(dict(self.game.parameters), default=list),
            "algorithm": self.algorithm,
            "iterations": str(self.iterations),
            **about,
        }
        arrays = dict(self.engine.state())
        write_arrays(path, arrays, kind=_KIND, fingerprint=self._fingerprint(), metadata=metadata)

    def resume(self, path: str | PathLike[str]) -> Mapping[str, str]:
        """Continue from a file of `save` with the same game and algorithm; returns its metadata.

        The results are the same to the bit as without the interruption.
        """
        file = read_arrays(path, kind=_KIND)
        if file.fingerprint != self._fingerprint():
            made = f"{file.metadata.get('game')} by {file.metadata.get('algorithm')}"
            raise FingerprintError(
                f"{path} was made for {made}, not for {self.game.name} by {self.algorithm} with "
                "these parameters; name another file, or start from scratch without --resume"
            )
        try:
            iterations = whole_number("iterations", int(file.metadata["iterations"]), 0)
            self.engine.restore({name: file.load(name) for name in file.arrays})
        except (KeyError, ValueError) as problem:
            raise damaged(path, f"its tables do not fit ({problem})") from None
        self.iterations = iterations
        return file.metadata


def _name(preset: Preset) -> str:
    """The name of a preset of the table, or its own description."""
    return next((name for name, known in PRESETS.items() if known == preset), repr(preset))
