"""Training runs: an engine, its checkpoints, and progress reports.

Each checkpoint (`tiltless.blueprint.training.checkpoints`) plays against the one before, whose
average is mapped from its file; where the sampling has its own order of tables, both are put in
order in temporary files of the run folder and not in memory. Signals only set a mark that is looked
at between blocks, so a stop never finds a walk half done. A disk that is full for a while costs a
checkpoint or a line of history and not the run. A folder has one run at a time.

Only walks count as training time: compiling, saving and matches do not.
"""

import os
import platform
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.training import convergence
from tiltless.blueprint.training.checkpoints import Checkpoints
from tiltless.blueprint.training.compact_checkpoint import read_compact, write_compact
from tiltless.blueprint.training.config import TrainingConfig, read_config
from tiltless.blueprint.training.convergence import Match, is_flat
from tiltless.blueprint.training.cost import SpeedEstimate
from tiltless.blueprint.training.litmus import LitmusCheck
from tiltless.blueprint.training.presets import PRESETS
from tiltless.blueprint.training.rounds import Rounds, RoundSetting
from tiltless.blueprint.training.setup import Setup, Trained, TrainingEngine
from tiltless.blueprint.training.speed import Scan, Speed
from tiltless.blueprint.training.status import RunStatus
from tiltless.errors import ArrayError, FileError, FingerprintError, OptionError, WriteError
from tiltless.executor import Executor, Here
from tiltless.files.csv_log import Log
from tiltless.files.folder_lock import FolderLock
from tiltless.interrupts import deferred_signals
from tiltless.system import usable_cores
from tiltless.validate import whole_number

__all__ = ["MATCH_DEALS", "METRICS", "STOPPED", "Tick", "Trainer"]

MATCH_DEALS = 500_000
"""Deals of a match between checkpoints: a million hands."""
STOPPED = "stopped"
"""Why a run ended, if Ctrl-C ended it."""
METRICS = (
    *("walks", "seconds", "walks_per_second", "nodes_per_second", "mean_regret", "touched"),
    "checks",
)
"""Columns of metrics.csv: ``touched`` is a share of all information sets, ``checks`` how many
litmus checks hold."""

_ROUNDS = "rounds"  # key of metadata
_TICK_SECONDS = 1.0
_MEASURED_SECONDS = 0.3
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
    checks: tuple[LitmusCheck, ...]
    match: Match | None


class Trainer:
    """One training run in a folder.

    folder: of the checkpoints, created if necessary, and locked against other runs until `run`
    ends or `close` is called.  resume: continue from the newest undamaged checkpoint; otherwise a
    folder that has checkpoints is refused.  threads: 0 for all usable cores.
    notes: lines for the user, such as a damaged checkpoint or a full disk.
    match_deals: of a match between two checkpoints, each deal played twice; fewer where they would
    take more than a tenth of the time since the last one, none where that leaves less than 10,000;
    0 for no matches.
    rounds: train by copies of the tables, which are merged and saved after each round
    (`tiltless.blueprint.training.rounds`).  executor: where copies learn; this process by default.
    matches: those of the run so far, once it has begun.  infosets: how many there are.
    """

    def __init__(
        self,
        run: TrainingConfig | Setup,
        folder: str | os.PathLike[str],
        *,
        threads: int = 0,
        resume: bool = False,
        tables: str | os.PathLike[str] | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        match_deals: int = MATCH_DEALS,
        rounds: RoundSetting | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.setup = Setup.of(run)
        self.config, self.folder = self.setup.config, Path(folder)
        self.checkpoints = Checkpoints(self.folder, self.setup.fingerprint)
        self._setting = rounds and rounds.filled(self.config)
        self._executor = executor or Here()
        if rounds and self.config.stop_flat is not None:
            raise OptionError(
                "[stop] flat compares checkpoints, and with copies every round writes one; leave "
                "it out, or --copies"
            )
        self.match_deals = whole_number("match_deals", match_deals, 0, 10**9)
        self.seconds = 0.0
        self.notes: list[str] = []
        self.matches: list[Match] = []
        self._on_note: Callable[[str], Any] | None = None
        self._lock = FolderLock(self.folder)
        self.checkpoints.check(resume)
        self._lock.take()
        try:
            self.checkpoints.check(resume)  # again: somebody may have been at work until now
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

    def _prepare(
        self,
        threads: int,
        tables: str | os.PathLike[str] | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        """The buckets and an engine that has not walked yet."""
        self.infosets = self.setup.infosets
        built = build_tables(self.setup.cards, folder=tables, progress=progress)
        self.engine: TrainingEngine = self.setup.engine(built, threads or usable_cores())
        self.rounds: Rounds | None = None
        if self._setting is not None:
            self.rounds = Rounds(self.setup, self.engine, self._setting, self._executor, tables)
        self._deals_per_second = 0.0

    def _note(self, line: str) -> None:
        self.notes.append(line)
        if self._on_note is not None:
            self._on_note(line)

    def _resume(self) -> None:
        """Restore the newest checkpoint that is sound; a compact one if there is no other."""
        if self.checkpoints.any_kept:
            newest = self.checkpoints.read(self._note)
            arrays, about, name = newest.arrays, newest.metadata, newest.path.name
        else:
            mark = self.setup.fingerprint
            arrays, about = read_compact(self.folder, self.setup.table_blocks, mark)
            name = "a compact checkpoint, whose numbers are rounded"
        self._check_rounds(about.get(_ROUNDS, ""))
        self.engine.restore(arrays)
        self.seconds = float(about["seconds"])
        self._note(f"continuing from {name}, {self.engine.walks:,} walks")

    @property
    def _rounds_text(self) -> str:
        return self._setting.text() if self._setting else ""

    def _check_rounds(self, text: str) -> None:
        """Regrets of copies are a mean, so other copies cannot continue them."""
        if text != self._rounds_text:
            was, now = (each or "one copy" for each in (text, self._rounds_text))
            raise FingerprintError(
                f"{self.folder} was trained with {was}, not with {now}; continue with the same "
                "--copies and --round-walks"
            )

    def _about(self) -> dict[str, str]:
        """Metadata of a checkpoint."""
        about = {"name": self.config.name, "seconds": repr(self.seconds)}
        return {**about, _ROUNDS: self._rounds_text} if self._setting else about

    def save_compact(self) -> list[Path]:
        """Write a compact checkpoint beside the full ones; returns its files."""
        about = {**self._about(), "walks": str(self.engine.walks)}
        setup = self.setup
        state = self.engine.state()
        return write_compact(self.folder, state, setup.table_blocks, setup.fingerprint, about)

    def save(self) -> Path:
        """Write a checkpoint, unless the newest is of these walks; tables are not copied.

        Tables that are not finite are refused (`ArrayError`), and the checkpoints stay as they are.
        """
        engine = self.engine
        if engine.walks == self.checkpoints.walks:
            return self.checkpoints.newest
        engine.check_finite()
        held = self._lock.held
        self._lock.take()
        try:
            return self.checkpoints.write(engine.state(), engine.walks, self._about())
        finally:
            if not held:
                self.close()

    def play_before(self, deals: int) -> Match | None:
        """The average as it is against that of the checkpoint before the one that was just saved.

        The older average stays on disk and is mapped; a file that cannot be read plays no match.
        The deals are others at every checkpoint, and follow from the seed of the run.
        """
        engine = self.engine
        if self.checkpoints.walks != engine.walks:
            return None
        try:
            file = self.checkpoints.read_before()
            if file is None:
                return None
            seed = (self.config.seed + engine.walks) % 2**64
            played = self.setup.play(engine, file.arrays, deals, seed, self.folder)
        except (FileError, ArrayError) as problem:
            self._note(f"no match at {engine.walks:,} walks: {problem}")
            return None
        before, big_blind = int(file.metadata["walks"]), self.setup.game.rules.big_blind
        return Match(engine.walks, before, *played, big_blind)

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

    def blueprint(self, command: str = "") -> Trained:
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
            "rules": ", ".join(filter(None, [self.setup.rules_text, self._rounds_text])),
        }
        if not command and config.name in PRESETS and not self._setting:
            if read_config(config.name).without_limits() == config.without_limits():
                command = f"tiltless train {config.name} --walks {engine.walks}"
        if command:
            card["command"] = command
        checks = self.checks() if self.averaged else ()
        if checks:
            failing = [check.text for check in checks if not check.holds]
            good = f"{len(checks) - len(failing)} of {len(checks)} hold"
            card["litmus"] = f"{good}; not: {', '.join(failing)}" if failing else good
        if self.matches:
            last = self.matches[-1]
            card["value"] = f"{last.value_mbb:.1f} ± {last.value_mbb_95:.1f} mbb/h for the button"
        return self.setup.blueprint(engine, card, self.folder)

    def checks(self) -> tuple[LitmusCheck, ...]:
        """Litmus checks of the average as it is."""
        return tuple(self.setup.checks(self.engine))

    @property
    def averaged(self) -> bool:
        """Whether any walk has added to the average."""
        return self.engine.walks > self.config.first_average

    def run(
        self,
        on_tick: Callable[[Tick], Any] | None = None,
        *,
        on_estimate: Callable[[SpeedEstimate], Any] | None = None,
        on_match: Callable[[Match], Any] | None = None,
        on_note: Callable[[str], Any] | None = None,
    ) -> str:
        """Train until a limit of the configuration, Ctrl-C or SIGTERM; returns the reason.

        Signals stop training between two blocks. A checkpoint is written at intervals and at the
        end, and plays against the previous one. Speed is measured on the first walks of the run,
        and on_estimate is called before the first tick. The folder gets metrics.csv, matches.csv
        and the files of `status`. on_note gets every line that is added to `notes`. If a checkpoint
        cannot be written, a note says so and the next interval tries again; only at the end is it
        an error. Tables with numbers that are not finite are an `ArrayError`.
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
        on_estimate: Callable[[SpeedEstimate], Any] | None,
        on_match: Callable[[Match], Any] | None,
    ) -> str:
        self._compile()
        walks, engine = self.engine.walks, self.engine
        played = Log(self.folder / "matches.csv", convergence.COLUMNS, walks, self._note)
        metrics = Log(self.folder / "metrics.csv", METRICS, walks, self._note)
        big_blind = self.setup.game.rules.big_blind
        self.matches = [Match.from_row(row, big_blind) for row in played.rows]
        scan = Scan(engine)
        status = RunStatus(self.folder, self.config, self.infosets, walks)

        def tell(speed: Speed) -> None:
            scan.look(self.seconds)
            rates = speed.walks_per_second, speed.nodes_per_second
            checks, match = self.checks(), self.matches[-1] if self.matches else None
            counts = scan.mean_regret, scan.touched
            tick = Tick(engine.walks, self.seconds, *rates, *counts, checks, match)
            share, good = tick.touched / self.infosets, sum(check.holds for check in checks)
            status.look(checks)
            metrics.add([tick.walks, tick.seconds, *rates, tick.mean_regret, share, good])
            if on_tick is not None:
                on_tick(tick)

        def checkpoint() -> None:
            self.save()
            if self.averaged:
                status.checkpoint(engine.walks, self.seconds, self.setup.openings(engine))
            match = self._match()
            if match is not None:
                self.matches.append(match)
                played.add(match.row())
                if on_match is not None:
                    on_match(match)

        with deferred_signals((signal.SIGINT, signal.SIGTERM), patient=True) as stopped:
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
                    self._save_if_possible(checkpoint)
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
        status.end(reason)
        return reason

    def _reason(self, stopped: threading.Event) -> str:
        """Why to stop here; empty to continue."""
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
        return STOPPED if stopped.is_set() else ""

    def _train(self, walks: int) -> Speed:
        """More walks of the run, in whole blocks, and how fast they were."""
        engine, stop = self.engine, self.config.stop_walks
        before, visited = engine.walks, engine.visited
        start = time.perf_counter()
        wanted = walks if stop is None else min(walks, stop - before)
        if self.rounds is None:
            engine.run(wanted)
        else:
            self.rounds.run_round()
        spent = max(time.perf_counter() - start, 1e-9)
        self.seconds += spent
        if self.rounds is not None:
            self._save_if_possible(self.save)
        return Speed(engine.walks - before, engine.visited - visited, spent)

    def _save_if_possible(self, save: Callable[[], object]) -> None:
        """Save; a full disk is a note."""
        try:
            save()
        except WriteError as problem:
            self._note(f"no checkpoint at {self.engine.walks:,} walks: {problem}")

    def _step(self, speed: Speed) -> int:
        """Walks until the next tick."""
        block = self.engine.block_walks
        walks = int(speed.walks_per_second * _TICK_SECONDS)
        return max(walks - walks % block, block * self.engine.threads)

    def _measure(self, stopped: threading.Event) -> Speed:
        """The first walks of the run; how fast they are, but for the very first, which are slow."""
        step = self.engine.block_walks * self.engine.threads
        speed, first = self._train(step), True
        while not self._reason(stopped) and (first or speed.seconds < _MEASURED_SECONDS):
            more = self._train(step)
            speed = more if first else speed + more
            step, first = min(2 * step, self._step(speed)), False
        return speed

    def _estimate(self, speed: Speed) -> SpeedEstimate:
        """What the measured speed means."""
        rates = speed.walks_per_second, speed.nodes_per_second
        done = self.engine.walks, self.seconds
        meetings = self.setup.meetings(speed.nodes / speed.walks)
        return SpeedEstimate.of(self.config, done, *rates, meetings)

    def _compile(self) -> None:
        """Have every kernel that the run needs ready."""
        self.setup.compile(self.engine, bool(self.match_deals))
