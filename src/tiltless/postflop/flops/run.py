"""Runs of a report over flops: solved flops are kept in a folder, and the rest is solved later.

::

    with FlopFolder.open("flops", settings) as folder:
        for result in solve_flops(folder, flops):
            print(result.flop, result.exploitability)

The folder has the settings (``report.json``) and a record for each solved flop (``flops.jsonl``).
A flop's result does not depend on which others are solved, so a folder of 25 flops may be continued
with all 1,755; other settings are refused.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from tiltless.cards.card import cards_text
from tiltless.cards.flops import WeightedFlop
from tiltless.errors import DamagedFileError, FileError, FingerprintError, InputError, OptionError
from tiltless.executor import Executor, WorkerError, executor_for
from tiltless.files.atomic import write_text
from tiltless.files.folder_lock import FolderLock
from tiltless.files.json_log import JsonLog
from tiltless.interrupts import deferred_signals
from tiltless.postflop.device.card import check_device
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.flops.solve import FlopJob, FlopResult, solve_flop
from tiltless.validate import brief, shortened

__all__ = ["FlopFolder", "in_spread_order", "solve_flops"]

_SETTINGS, _RESULTS = "report.json", "flops.jsonl"
_FORMAT = 1
_GOLDEN = 0.6180339887498949
_NAMED = 5  # flops in a message


class FlopFolder:
    """A folder with settings and solved flops, ours until the block ends.

    results: of solved flops, by their text.  asked: the flops of the last run, as an option.
    """

    def __init__(self, folder: Path, settings: FlopSettings, asked: str) -> None:
        self.folder, self.settings, self.asked = folder, settings, asked
        self._lock, self._log = FolderLock(folder), JsonLog(folder / _RESULTS)
        self.results: dict[str, FlopResult] = {}

    @classmethod
    def open(
        cls, path: str | PathLike[str], settings: FlopSettings | None = None, asked: str = ""
    ) -> "FlopFolder":
        """The folder, which is created if necessary.

        settings: None for those of the folder.  asked: kept for who continues it; empty for what
        was kept. `FingerprintError` names a setting that the folder has another of.
        """
        folder = Path(path)
        known = _read(folder / _SETTINGS)
        if known is None:
            if settings is None:
                raise OptionError(
                    f"{folder} has no report to continue; give --oop, --ip, --pot and --stack"
                )
            return cls(folder, settings, asked)
        if settings is not None:
            _compare(folder, known["settings"], settings)
        else:
            try:
                settings = FlopSettings.from_plain(known["settings"])
            except InputError as problem:
                raise DamagedFileError(f"{folder / _SETTINGS}: {problem}") from None
        return cls(folder, settings, asked or str(known.get("flops", "")))

    def __enter__(self) -> "FlopFolder":
        self._lock.take()
        try:
            plain = {"format": _FORMAT, "settings": self.settings.plain(), "flops": self.asked}
            write_text(self.folder / _SETTINGS, json.dumps(plain, indent=2) + "\n")
            self.read()
        except BaseException:
            self._lock.give_back()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.give_back()

    def read(self) -> None:
        """Read the solved flops; what is not a record of ours is solved again."""
        for record in self._log.records():
            try:
                result = FlopResult.from_facts(record)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            if set(result.reports) == set(self.settings.lines):
                self.results[result.flop] = result

    def add(self, result: FlopResult) -> None:
        """Keep a solved flop; it is on disk when this returns."""
        self._log.append(result.facts())
        self.results[result.flop] = result


def _read(path: Path) -> dict[str, Any] | None:
    """The settings file of a folder; None if there is none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not JSON"
        raise FileError(f"cannot read {path}: {reason}; choose another folder") from None
    if not isinstance(found, dict) or not isinstance(found.get("settings"), dict):
        raise DamagedFileError(f"{path} has no settings of a report; choose another folder")
    if found.get("format") != _FORMAT:
        raise FileError(
            f"{path} has format {brief(found.get('format'))}, and this version reads {_FORMAT}; "
            "choose another folder"
        )
    return found


def _compare(folder: Path, known: dict[str, Any], settings: FlopSettings) -> None:
    plain = settings.plain()
    for name, value in plain.items():
        if known.get(name) != value:
            there, now = (shortened(str(each), 40) for each in (known.get(name), value))
            raise FingerprintError(
                f"{folder} has a report with {name} {there}, not {now}; choose another folder, or "
                "continue it without options for the spot"
            )


def in_spread_order(flops: Sequence[WeightedFlop]) -> list[WeightedFlop]:
    """Flops in an order in which each beginning is spread over all of them.

    By multiples of the golden ratio modulo 1, so that a stopped run has flops of every kind.
    """
    order = sorted(range(len(flops)), key=lambda number: number * _GOLDEN % 1)
    return [flops[number] for number in order]


def solve_flops(
    folder: FlopFolder,
    flops: Sequence[WeightedFlop],
    *,
    processes: int | Executor = 1,
    threads: int = 1,
    device: str = "cpu",
) -> Iterator[FlopResult]:
    """Solve the flops that the folder does not have; each result as it comes, kept before.

    threads: for each flop.  device: ``cpu``, or ``gpu`` for an NVIDIA card, which a number of
    processes share; its results are those of the processor up to rounding.
    A flop that fails has a result that says why, and is not kept. An interrupt loses the flops that
    are being solved, and no others; so does a `WorkerError`, which names them.
    """
    settings = folder.settings
    todo = [each for each in flops if each.text not in folder.results and settings.is_dealt(each)]
    sharing = 1
    if isinstance(processes, int):
        sharing = max(min(processes, len(todo)), 1)
        check_device(device)
    jobs = [
        FlopJob(settings, each.cards, threads, device, sharing) for each in in_spread_order(todo)
    ]
    executor = executor_for(processes, len(jobs), remedy="use fewer processes, or --compressed")
    if executor.is_here:
        with deferred_signals() as asked:
            yield from _kept(folder, executor, partial(solve_flop, stop=asked.is_set), jobs)
        return
    waiting = [cards_text(job.cards) for job in jobs]
    try:
        for result in _kept(folder, executor, solve_flop, jobs):
            waiting.remove(result.flop)
            yield result
    except WorkerError as problem:
        more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
        names = ", ".join(waiting[:_NAMED])
        raise WorkerError(f"{problem}; not solved: {names}{more}") from None


def _kept(
    folder: FlopFolder,
    executor: Executor,
    task: Callable[[FlopJob], FlopResult],
    jobs: Sequence[FlopJob],
) -> Iterator[FlopResult]:
    for result in executor.map(task, jobs):
        if not result.failed:
            folder.add(result)
        yield result
