"""A training run: an engine, its checkpoints, and what is told while it goes on.

Checkpoints are two files that take turns, each written to a temporary name, synced, renamed and
checksummed (`tiltless.files`): whatever happens, the older one is whole. Signals only set a mark
that is looked at between blocks, so a stop never finds a walk half done.
"""

import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from tiltless.abstraction.buckets import Buckets
from tiltless.abstraction.card_presets import card_abstraction
from tiltless.abstraction.tables import build_tables
from tiltless.errors import DamagedFileError, FileError, FingerprintError, OptionError
from tiltless.files.arrays import ArrayFile, read_arrays, write_arrays
from tiltless.games.holdem import Holdem
from tiltless.games.registry import load
from tiltless.solvers.blueprint import BLOCK, BlueprintEngine
from tiltless.solvers.training_config import TrainingConfig
from tiltless.strategy.blueprint import Blueprint
from tiltless.tree.betting import BettingTree, betting_tree, tree_bytes, tree_size

__all__ = ["Needs", "Tick", "Trainer", "needs"]

KIND = "blueprint-checkpoint"
_GENERATIONS = (1, 2)
_TICK_SECONDS = 1.0


@dataclass(frozen=True)
class Needs:
    """What a run will take: information sets, numbers in each table, bytes of memory and disk."""

    infosets: int
    rows: int
    memory: int
    disk: int


def needs(config: TrainingConfig) -> Needs:
    """Counted before anything is laid out or allocated; bucket tables are not part of it."""
    size = tree_size(_game(config), config.bets)
    counts = card_abstraction(config.cards).counts
    if len(counts) != len(size.decisions):
        raise OptionError(
            f"{config.cards} has buckets for {len(counts)} streets and the game has "
            f"{len(size.decisions)}; choose cards that fit"
        )
    pairs = zip(counts, size.decisions, size.actions, strict=True)
    infosets, rows = np.sum([(n * decisions, n * actions) for n, decisions, actions in pairs], 0)
    tables = 2 * 4 * int(rows)
    memory = tables + tree_bytes(size, 2)
    return Needs(int(infosets), int(rows), memory, len(_GENERATIONS) * tables)


def _game(config: TrainingConfig) -> Holdem:
    game = load(config.game_name, **config.parameters)
    if not isinstance(game, Holdem):
        raise OptionError(f"{config.game_name} is not a hold'em game; train nlhe or the like")
    return game


@dataclass(frozen=True)
class Tick:
    """How far a run has come; seconds count training only, in this process and before."""

    walks: int
    seconds: float
    walks_per_second: float
    nodes_per_second: float
    mean_regret: float


class Trainer:
    """One training run in a folder.

    folder: where checkpoints go, made if it is not there.  resume: go on from the newest sound
    checkpoint; a folder that has some is refused otherwise.  said: what a person should know about
    how the run began, such as a damaged checkpoint.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: str | os.PathLike[str],
        *,
        threads: int = 0,
        resume: bool = False,
        tables: str | os.PathLike[str] | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.config, self.folder = config, Path(folder)
        self.fingerprint = config.fingerprint()
        self.seconds = 0.0
        self.said: list[str] = []
        kept = self._checkpoints()
        if kept and not resume:
            raise OptionError(
                f"{self.folder} holds a run already; go on with --resume, or choose another folder"
            )
        self.tree: BettingTree = betting_tree(_game(config), config.bets)
        built = build_tables(card_abstraction(config.cards), folder=tables, progress=progress)
        groups: tuple[Buckets, ...] = built.groups
        self.engine = BlueprintEngine(
            self.tree,
            groups,
            config.rules,
            seed=config.seed,
            threads=threads or os.cpu_count() or 1,
        )
        self.saved_walks = -1
        if resume:
            self._resume(kept)

    def path(self, generation: int) -> Path:
        """The file of a generation of checkpoints, 1 or 2."""
        return self.folder / f"checkpoint-{generation}.safetensors"

    def _checkpoints(self) -> list[Path]:
        return [self.path(each) for each in _GENERATIONS if self.path(each).exists()]

    def _resume(self, kept: list[Path]) -> None:
        """Restore the newest checkpoint that is sound."""
        if not kept:
            raise FileError(f"{self.folder} has no checkpoint; start without --resume")
        sound: list[ArrayFile] = []
        for path in kept:
            try:
                sound.append(read_arrays(path, kind=KIND, fingerprint=self.fingerprint))
            except FingerprintError:
                raise FingerprintError(
                    f"{path} belongs to another configuration; resume with the one it was made for"
                ) from None
            except FileError as problem:
                self.said.append(f"skipped a checkpoint: {problem}")
        if not sound:
            raise DamagedFileError(
                f"no checkpoint in {self.folder} is sound; delete them and start again"
            )
        newest = max(sound, key=lambda file: int(file.metadata["walks"]))
        self.engine.restore(newest.arrays)
        self.seconds = float(newest.metadata["seconds"])
        self.saved_walks = self.engine.walks
        self.said.append(f"going on from {newest.path.name}, {self.engine.walks:,} walks")

    def save(self) -> Path:
        """Write a checkpoint over the older one; the tables are streamed and not copied."""
        if self.engine.walks == self.saved_walks:
            return self._newest()
        ages = {}
        for generation in _GENERATIONS:
            try:
                file = read_arrays(self.path(generation), kind=KIND, verify=False)
                ages[generation] = int(file.metadata["walks"])
            except FileError:
                ages[generation] = -1
        oldest = min(ages, key=lambda generation: ages[generation])
        self.folder.mkdir(parents=True, exist_ok=True)
        write_arrays(
            self.path(oldest),
            dict(self.engine.state()),
            kind=KIND,
            fingerprint=self.fingerprint,
            metadata={
                "name": self.config.name,
                "walks": str(self.engine.walks),
                "seconds": repr(self.seconds),
            },
        )
        self.saved_walks = self.engine.walks
        return self.path(oldest)

    def _newest(self) -> Path:
        files = [read_arrays(path, kind=KIND, verify=False) for path in self._checkpoints()]
        return max(files, key=lambda file: int(file.metadata["walks"])).path

    def blueprint(self, command: str = "") -> Blueprint:
        """The average strategy as it is now, with its model card; command: what made it."""
        config, engine = self.config, self.engine
        card = {
            "iterations": engine.walks,
            "seconds": round(self.seconds, 1),
            "date": date.today().isoformat(),
            "machine": f"{platform.machine()}, {engine.threads} threads",
            "command": command or f"tiltless train {config.name}",
        }
        cards = card_abstraction(config.cards)
        about = config.game_name, config.parameters, config.bets, cards
        return Blueprint.from_average(self.tree, *about, engine.average, card)

    def run(self, on_tick: Callable[[Tick], Any] | None = None) -> str:
        """Train until the configuration says stop, or somebody does; returns the reason.

        Ctrl-C and SIGTERM stop between two blocks. A checkpoint is written at intervals and at the
        end.
        """
        stop, config = self.config.stop_walks, self.config
        step = BLOCK * self.engine.threads
        saved = time.perf_counter()
        with _marked_signals() as stopped:
            while True:
                if stop is not None and self.engine.walks >= stop:
                    reason = f"{stop:,} walks are done"
                    break
                if config.stop_minutes is not None and self.seconds >= 60 * config.stop_minutes:
                    reason = f"{config.stop_minutes:g} minutes are over"
                    break
                if stopped.is_set():
                    reason = "stopped"
                    break
                walks, visited = self.engine.walks, self.engine.visited
                left = step if stop is None else min(step, stop - walks)
                start = time.perf_counter()
                self.engine.run(left)
                spent = max(time.perf_counter() - start, 1e-9)
                self.seconds += spent
                done = self.engine.walks - walks
                step = max(BLOCK * self.engine.threads, int(step * _TICK_SECONDS / spent))
                step -= step % BLOCK
                if on_tick is not None:
                    nodes = (self.engine.visited - visited) / spent
                    regret = self.engine.mean_positive_regret()
                    on_tick(Tick(self.engine.walks, self.seconds, done / spent, nodes, regret))
                if time.perf_counter() - saved >= 60 * config.checkpoint_minutes:
                    self.save()
                    saved = time.perf_counter()
        self.save()
        return reason


@contextmanager
def _marked_signals() -> Iterator[threading.Event]:
    """Ctrl-C and SIGTERM set an event; outside of the main thread nothing changes."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: stopped.set()) for each in signals]
    try:
        yield stopped
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
