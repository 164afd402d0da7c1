"""A training run: an engine, its checkpoints, and what is told while it goes on.

Checkpoints are two files that take turns, each written to a temporary name, synced, renamed and
checksummed (`tiltless.files`): whatever happens, the older one is whole. Each plays against the one
before, whose average is mapped from its file; where the sampling has its own order of tables, both
are put in order in temporary files of the run folder and not in memory. Signals only set a mark
that is looked at between blocks, so a stop never finds a walk half done. A disk that is full for a
while costs a checkpoint or a line of history and not the run. A folder has one run at a time.

Only walks count as training time: compiling, saving and matches do not.
"""

import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.buckets import Buckets
from tiltless.abstraction.card_presets import card_abstraction
from tiltless.abstraction.tables import build_tables
from tiltless.errors import (
    ArrayError,
    DamagedFileError,
    FileError,
    FingerprintError,
    ForeignFileError,
    OptionError,
    WriteError,
)
from tiltless.files.arrays import ArrayFile, read_arrays, write_arrays
from tiltless.games.common import whole_number
from tiltless.solvers import convergence
from tiltless.solvers.blueprint import BlueprintEngine
from tiltless.solvers.convergence import Match, is_flat
from tiltless.solvers.litmus import Check, litmus
from tiltless.solvers.scratch import scratch_table
from tiltless.solvers.training_config import PRESETS, TrainingConfig, read_config
from tiltless.solvers.training_cost import Estimate, game_of, usable_cores
from tiltless.solvers.training_lock import FolderLock
from tiltless.solvers.training_log import Log
from tiltless.strategy.blueprint import Blueprint
from tiltless.tree.betting import BettingTree, betting_tree
from tiltless.tree.match import Side, play_match

__all__ = ["MATCH_DEALS", "METRICS", "Tick", "Trainer"]

KIND = "blueprint-checkpoint"
MATCH_DEALS = 500_000
"""Deals of a match between checkpoints: a million hands."""
METRICS = (
    *("walks", "seconds", "walks_per_second", "nodes_per_second", "mean_regret", "touched"),
    "checks",
)
"""Columns of metrics.csv: ``touched`` is a share of all information sets, ``checks`` how many
litmus checks hold."""

_GENERATIONS = (1, 2)
_TICK_SECONDS = 1.0
_MEASURED_SECONDS = 0.3
_SCAN_SHARE = 0.01  # of the time, for looking through whole tables
_MATCH_SHARE = 0.1  # of the time, for matches
_FEWEST_DEALS = 10_000
_TRIAL_DEALS = 4096


@dataclass(frozen=True)
class Tick:
    """How far a run has come; seconds count training only, in this process and before.

    mean_regret, touched: chips, and information sets met so far, as last counted: whole tables are
    looked through for at most 1 % of the time.
    checks: see `litmus`.  match: the last one between checkpoints.
    """

    walks: int
    seconds: float
    walks_per_second: float
    nodes_per_second: float
    mean_regret: float
    touched: int
    checks: tuple[Check, ...]
    match: Match | None


class Trainer:
    """One training run in a folder.

    folder: where checkpoints go, made if it is not there, and locked against other runs until
    `run` ends or `close` is called.  resume: go on from the newest checkpoint that is not damaged;
    a folder that has some is refused otherwise.  threads: 0 for all cores that we may use.
    said: what a person should know, such as a damaged checkpoint or a disk that is full.
    match_deals: of a match between two checkpoints, each deal played twice; fewer where they would
    take more than a tenth of the time since the last one, none where that leaves less than 10,000;
    0 for no matches.
    matches: those of the run so far, once it has begun.  infosets: how many there are.
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
        match_deals: int = MATCH_DEALS,
    ) -> None:
        self.config, self.folder = config, Path(folder)
        self.fingerprint = config.fingerprint()
        self.match_deals = whole_number("match_deals", match_deals, 0, 10**9)
        self.seconds = 0.0
        self.said: list[str] = []
        self.matches: list[Match] = []
        self._on_note: Callable[[str], Any] | None = None
        self._lock = FolderLock(self.folder)
        self._check_folder(resume)
        self._lock.take()
        try:
            self._check_folder(resume)  # again: somebody may have been at work until now
            self._prepare(threads, tables, progress)
            if resume:
                self._resume()
        except BaseException:
            self.close()
            raise
        self._matched_at = self.seconds

    def close(self) -> None:
        """Let other runs have the folder."""
        self._lock.give_back()

    def _check_folder(self, resume: bool) -> None:
        kept = any(self.path(each).exists() for each in _GENERATIONS)
        if kept and not resume:
            raise OptionError(
                f"{self.folder} holds a run already; go on with --resume, or choose another folder"
            )
        if resume and not kept:
            raise FileError(f"{self.folder} has no checkpoint; start without --resume")

    def _prepare(
        self,
        threads: int,
        tables: str | os.PathLike[str] | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        """The tree, the buckets and an engine that has not walked yet."""
        config = self.config
        self.tree: BettingTree = betting_tree(game_of(config), config.bets)
        built = build_tables(card_abstraction(config.cards), folder=tables, progress=progress)
        groups: tuple[Buckets, ...] = built.groups[: self.tree.streets]
        counts = [group.count for group in groups]
        pairs = zip(counts, self.tree.size.decisions, strict=True)
        self.infosets = sum(count * decisions for count, decisions in pairs)
        self.engine = BlueprintEngine(
            self.tree,
            groups,
            config.rules,
            seed=config.seed,
            threads=threads or usable_cores(),
        )
        self.saved_walks = -1
        self._saved = dict.fromkeys(_GENERATIONS, -1)  # walks of each generation that is sound
        self._before: Path | None = None
        self._deals_per_second = 0.0

    def path(self, generation: int) -> Path:
        """The file of a generation of checkpoints, 1 or 2."""
        return self.folder / f"checkpoint-{generation}.safetensors"

    def _note(self, line: str) -> None:
        self.said.append(line)
        if self._on_note is not None:
            self._on_note(line)

    def _resume(self) -> None:
        """Restore the newest checkpoint that is sound.

        Only damaged ones are passed over, and will be written over; what cannot be read, or is of a
        newer version, may be worth keeping and stops us.
        """
        sound: list[ArrayFile] = []
        for generation in _GENERATIONS:
            path = self.path(generation)
            if not path.exists():
                continue
            try:
                file = read_arrays(path, kind=KIND, fingerprint=self.fingerprint)
            except FingerprintError:
                raise FingerprintError(
                    f"{path} belongs to another configuration; resume with the one it was made for"
                ) from None
            except (DamagedFileError, ForeignFileError) as problem:  # foreign: its head is damaged
                self._note(f"skipped a checkpoint: {problem}")
            else:
                self._saved[generation] = int(file.metadata["walks"])
                sound.append(file)
        if not sound:
            raise DamagedFileError(
                f"no checkpoint in {self.folder} is sound; delete them and start again"
            )
        newest = max(sound, key=lambda file: int(file.metadata["walks"]))
        self.engine.restore(newest.arrays)
        self.seconds = float(newest.metadata["seconds"])
        self.saved_walks = self.engine.walks
        self._note(f"going on from {newest.path.name}, {self.engine.walks:,} walks")

    def save(self) -> Path:
        """Write a checkpoint over a damaged one or the older one; tables are not copied.

        Tables that are not finite are refused (`ArrayError`), and the checkpoints stay as they are.
        """
        for generation in _GENERATIONS:
            if not self.path(generation).exists():
                self._saved[generation] = -1
        worst, best = sorted(_GENERATIONS, key=lambda generation: self._saved[generation])
        target, newest = self.path(worst), self.path(best)
        if self.engine.walks == self.saved_walks:
            return newest
        self.engine.check_finite()
        held = self._lock.held
        self._lock.take()
        try:
            write_arrays(
                target,
                dict(self.engine.state()),
                kind=KIND,
                fingerprint=self.fingerprint,
                metadata={
                    "name": self.config.name,
                    "walks": str(self.engine.walks),
                    "seconds": repr(self.seconds),
                },
            )
        finally:
            if not held:
                self.close()
        self._before = newest if self._saved[best] >= 0 else None
        self.saved_walks = self._saved[worst] = self.engine.walks
        return target

    def play_before(self, deals: int) -> Match | None:
        """The average as it is against that of the checkpoint before the one that was just saved.

        The older average stays on disk and is mapped; a file that cannot be read plays no match.
        The deals are others at every checkpoint, and follow from the seed of the run.
        """
        if self._before is None or self.saved_walks != self.engine.walks:
            return None
        engine = self.engine
        try:
            # unverified, for a check of every byte takes memory; weights are looked at as they come
            file = read_arrays(self._before, kind=KIND, fingerprint=self.fingerprint, verify=False)
            older = file.arrays["average"]
            with self._policy() as now, self._policy(older) as before:
                result = play_match(
                    self.tree,
                    deals,
                    Side(now, engine.buckets),
                    Side(before, engine.buckets),
                    seed=(self.config.seed + engine.walks) % 2**64,
                    threads=engine.threads,
                )
        except (FileError, ArrayError) as problem:
            self._note(f"no match at {engine.walks:,} walks: {problem}")
            return None
        return Match(
            engine.walks,
            int(file.metadata["walks"]),
            2 * deals,
            result.mean,
            result.standard_error,
            result.button,
            result.button_error,
            self.tree.game.rules.big_blind,
        )

    @contextmanager
    def _policy(
        self, average: npt.NDArray[np.float32] | None = None
    ) -> Iterator[npt.NDArray[np.float32]]:
        """`BlueprintEngine.policy` without memory of its own; see `scratch_table`."""
        engine = self.engine
        if not engine.scheme.own_order:
            yield engine.policy(average)
            return
        with scratch_table(self.folder, engine.average.size) as out:
            yield engine.policy(average, out=out)

    def _match(self) -> Match | None:
        """A match of as many deals as there is time for; see the class."""
        if not self.match_deals:
            return None
        budget = _MATCH_SHARE * (self.seconds - self._matched_at)
        if not self._deals_per_second:
            start = time.perf_counter()
            if self.play_before(min(_TRIAL_DEALS, self.match_deals)) is None:
                return None
            self._deals_per_second = _TRIAL_DEALS / (time.perf_counter() - start)
        deals = min(self.match_deals, int(budget * self._deals_per_second))
        if deals < min(_FEWEST_DEALS, self.match_deals):
            return None
        start = time.perf_counter()
        match = self.play_before(deals)
        if match is not None:
            self._deals_per_second = deals / (time.perf_counter() - start)
            self._matched_at = self.seconds
        return match

    def blueprint(self, command: str = "") -> Blueprint:
        """The average strategy as it is now, with its model card.

        command: what makes it again; not needed for a preset.
        """
        config, engine = self.config, self.engine
        card: dict[str, object] = {
            "walks": engine.walks,
            "seconds": round(self.seconds, 1),
            "date": date.today().isoformat(),
            "machine": f"{platform.machine()}, {engine.threads} threads",
            "seed": config.seed,
            "rules": config.rules.text(),
        }
        if not command and config.name in PRESETS:
            preset = read_config(config.name)
            if preset.fingerprint() == self.fingerprint:
                command = f"tiltless train {config.name} --walks {engine.walks}"
        if command:
            card["command"] = command
        if self.matches:
            last = self.matches[-1]
            card["value"] = f"{last.value_mbb:.1f} ± {last.value_mbb_95:.1f} mbb/h for the button"
        cards = card_abstraction(config.cards)
        about = config.game_name, config.parameters, config.bets, cards
        with self._policy() as average:
            return Blueprint.from_average(self.tree, *about, average, card)

    def checks(self) -> tuple[Check, ...]:
        """Litmus checks of the average as it is."""
        return tuple(litmus(self.tree, self.engine.average_at(0)))

    @property
    def averaged(self) -> bool:
        """Whether any walk has added to the average."""
        return self.engine.walks > self.config.rules.first_average

    def run(
        self,
        on_tick: Callable[[Tick], Any] | None = None,
        *,
        on_estimate: Callable[[Estimate], Any] | None = None,
        on_match: Callable[[Match], Any] | None = None,
        on_note: Callable[[str], Any] | None = None,
    ) -> str:
        """Train until the configuration says stop, or somebody does; returns the reason.

        Ctrl-C and SIGTERM stop between two blocks. A checkpoint is written at intervals and at the
        end, and plays against the one before. Speed is measured on the first walks of the run, and
        on_estimate told, before the first tick. The folder gets metrics.csv and matches.csv.
        on_note gets every line that is added to ``said``. A checkpoint that cannot be written is
        such a line, and is tried again after the next interval; only at the end is it an error. So
        are tables that are not finite any more (`ArrayError`).
        """
        self._lock.take()
        self._on_note = on_note
        try:
            return self._run(on_tick, on_estimate, on_match)
        finally:
            self._on_note = None
            self.close()

    def _run(
        self,
        on_tick: Callable[[Tick], Any] | None,
        on_estimate: Callable[[Estimate], Any] | None,
        on_match: Callable[[Match], Any] | None,
    ) -> str:
        self._compile()
        walks, engine = self.engine.walks, self.engine
        played = Log(self.folder / "matches.csv", convergence.COLUMNS, walks, self._note)
        metrics = Log(self.folder / "metrics.csv", METRICS, walks, self._note)
        big_blind = self.tree.game.rules.big_blind
        self.matches = [Match.from_row(row, big_blind) for row in played.rows]
        scan = _Scan(engine)

        def tell(speed: _Speed) -> None:
            scan.look(self.seconds)
            rates = speed.walks_per_second, speed.nodes_per_second
            checks, match = self.checks(), self.matches[-1] if self.matches else None
            counts = scan.mean_regret, scan.touched
            tick = Tick(engine.walks, self.seconds, *rates, *counts, checks, match)
            share, good = tick.touched / self.infosets, sum(check.holds for check in checks)
            metrics.add([tick.walks, tick.seconds, *rates, tick.mean_regret, share, good])
            if on_tick is not None:
                on_tick(tick)

        def checkpoint() -> None:
            self.save()
            match = self._match()
            if match is not None:
                self.matches.append(match)
                played.add(match.row())
                if on_match is not None:
                    on_match(match)

        with _marked_signals() as stopped:
            reason, saved = self._reason(stopped), time.perf_counter()
            if not reason:
                speed = self._measure(stopped)
                if on_estimate is not None:
                    on_estimate(self._estimate(speed))
                tell(speed)
                step = self._step(speed)
                reason = self._reason(stopped)
            while not reason:
                if time.perf_counter() - saved >= 60 * self.config.checkpoint_minutes:
                    try:
                        checkpoint()
                    except WriteError as problem:
                        self._note(f"no checkpoint at {engine.walks:,} walks: {problem}")
                    saved = time.perf_counter()
                else:
                    speed = self._train(step)
                    step = self._step(speed)
                    tell(speed)
                reason = self._reason(stopped)
            if stopped.is_set():
                self.save()
            else:
                checkpoint()
        return reason

    def _reason(self, stopped: threading.Event) -> str:
        """Why to stop here; empty to go on."""
        config = self.config
        if config.stop_walks is not None and self.engine.walks >= config.stop_walks:
            return f"{config.stop_walks:,} walks are done"
        if config.stop_minutes is not None and self.seconds >= 60 * config.stop_minutes:
            one = config.stop_minutes == 1
            return "1 minute is over" if one else f"{config.stop_minutes:g} minutes are over"
        if config.stop_flat is not None and is_flat(self.matches, config.stop_flat):
            return (
                f"flat: the last {config.stop_flat} checkpoints gained nothing that hands can see"
            )
        return "stopped" if stopped.is_set() else ""

    def _train(self, walks: int) -> "_Speed":
        """More walks of the run, in whole blocks, and how fast they were."""
        engine, stop = self.engine, self.config.stop_walks
        before, visited = engine.walks, engine.visited
        start = time.perf_counter()
        engine.run(walks if stop is None else min(walks, stop - before))
        spent = max(time.perf_counter() - start, 1e-9)
        self.seconds += spent
        return _Speed(engine.walks - before, engine.visited - visited, spent)

    def _step(self, speed: "_Speed") -> int:
        """Walks until the next tick."""
        block = self.engine.block_walks
        walks = int(speed.walks_per_second * _TICK_SECONDS)
        return max(walks - walks % block, block * self.engine.threads)

    def _measure(self, stopped: threading.Event) -> "_Speed":
        """The first walks of the run; how fast they are, but for the very first, which are slow."""
        step = self.engine.block_walks * self.engine.threads
        speed, first = self._train(step), True
        while not self._reason(stopped) and (first or speed.seconds < _MEASURED_SECONDS):
            more = self._train(step)
            speed = more if first else speed + more
            step, first = min(2 * step, self._step(speed)), False
        return speed

    def _estimate(self, speed: "_Speed") -> Estimate:
        """What the measured speed means; a node is taken to be a decision as often as in the tree.

        Public chance sampling brings all hands to each node; as they share a board, an eighth of
        them count as visits (by the ``minute`` preset with that sampling).
        """
        size = self.tree.size
        visits = speed.nodes / speed.walks * sum(size.decisions) / size.nodes
        if self.config.rules.sampling == "public-chance":
            left = self.tree.game.deck.bit_count() - self.tree.board
            visits *= left * (left - 1) / 2 / 8
        rates = speed.walks_per_second, speed.nodes_per_second
        done = self.engine.walks, self.seconds
        return Estimate.of(self.config, done, *rates, visits / self.infosets)

    def _compile(self) -> None:
        """Have every kernel that the run needs ready, by a run of a tree without bets."""
        tree, real = betting_tree(self.tree.game, "none"), self.engine
        every = real.block_walks if real.rules.every else 0
        rules = replace(real.rules, discount_every=every)
        engine = BlueprintEngine(tree, real.buckets, rules)
        engine.run(1)
        engine.mean_positive_regret()
        engine.infosets_touched()
        if self.match_deals:
            older = engine.average.view()
            older.flags.writeable = False  # as one from a file is
            sides = [Side(engine.policy(each), engine.buckets) for each in (None, older)]
            play_match(tree, 1, *sides)


@dataclass(frozen=True)
class _Speed:
    """Walks, nodes that they visited, and the seconds that they took."""

    walks: int
    nodes: int
    seconds: float

    @property
    def walks_per_second(self) -> float:
        return self.walks / self.seconds

    @property
    def nodes_per_second(self) -> float:
        return self.nodes / self.seconds

    def __add__(self, other: "_Speed") -> "_Speed":
        return _Speed(
            self.walks + other.walks, self.nodes + other.nodes, self.seconds + other.seconds
        )


class _Scan:
    """Numbers that take a look through a whole table, and are only had when there is time."""

    def __init__(self, engine: BlueprintEngine) -> None:
        self.engine = engine
        self.mean_regret, self.touched = 0.0, 0
        self._next = -1.0

    def look(self, seconds: float) -> None:
        """Look again if that is at most 1 % of the training since the last time."""
        if seconds < self._next:
            return
        start = time.perf_counter()
        self.engine.check_finite()
        self.mean_regret = self.engine.mean_positive_regret()
        self.touched = self.engine.infosets_touched()
        self._next = seconds + (time.perf_counter() - start) / _SCAN_SHARE


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
