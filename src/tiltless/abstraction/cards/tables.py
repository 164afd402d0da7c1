"""Bucket tables: one row of 1,326 hands per canonical board, built once, memory-mapped.

There are 1,755 flops, 16,432 boards of four cards and 134,459 of five, so a byte for each hand
makes 202 MB in total, and two bytes (more than 256 buckets) 405 MB. A table contains exactly what
``buckets(board)`` computes on the fly, byte for byte.

A street is built in parts. Each finished part is a checksummed file, so that an interrupted build
continues where it stopped; at the end the parts are joined into the table and removed. If several
processes need a table, one builds it; the others wait, and take over if it dies.
"""

import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import (
    BOARD_CARDS,
    STREETS,
    VERSION,
    CardAbstraction,
    street_of,
)
from tiltless.abstraction.cards.bucketing import Bucketing
from tiltless.abstraction.cards.buckets import Buckets
from tiltless.abstraction.cards.fill import BoardTable, TrueCards, filled, table_suits
from tiltless.abstraction.cards.relabelled import Relabelled
from tiltless.abstraction.cards.river_run import is_red
from tiltless.cache import cache_folder, other_cache
from tiltless.cards.card import COMBO_COUNT, Cards, parse_cards
from tiltless.cards.isomorphism import SuitClasses, canonical_boards, isomorphism
from tiltless.errors import FileError, WriteError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.files.atomic import make_folder
from tiltless.files.fingerprint import fingerprint
from tiltless.lock import locked, waiting_for
from tiltless.system import usable_cores

__all__ = [
    "BuildEstimate",
    "MissingTableError",
    "Tables",
    "build_tables",
    "estimate_build",
    "missing_tables",
    "open_tables",
]

KIND = "bucket-table"
Progress = Callable[[str, int, int], None]

_PART = 1 << 20  # hands per part, at least one board: a few seconds of work
_CHUNK = 1 << 14  # hands per task of a thread
_VERSION = 1
_TRIAL_SECONDS = 0.3


def _folder(folder: str | os.PathLike[str] | None) -> Path:
    return cache_folder() / "buckets" if folder is None else Path(folder)


@dataclass(frozen=True)
class _Plan:
    """The table of one street: its content and its path."""

    abstraction: CardAbstraction
    street: int
    folder: Path

    @property
    def name(self) -> str:
        return STREETS[self.street]

    @property
    def rule(self) -> Bucketing:
        """The rule that the table stores: with relabelled ranks, that of the true cards."""
        rule = self.abstraction.streets[self.street]
        return rule.standard if isinstance(rule, Relabelled) else rule

    @property
    def suits(self) -> SuitClasses:
        """The suits that are alike."""
        return table_suits(self.abstraction, self.street)

    @property
    def colours(self) -> int:
        """Rows per set of cards: 2 if the colour of the newest card matters."""
        return 2 if self.rule.newest_counts else 1

    def boards(self) -> npt.NDArray[np.uint8]:
        """The board of each row, uint8 ``[rows, cards]``, the newest card last.

        With two colours, the newest card is black in the first row of a set and red in the second;
        if the set has no card of that colour, the row is all 255 and unused.
        """
        sets = canonical_boards(BOARD_CARDS[self.street], self.suits)[0]
        if self.colours == 1:
            return sets
        red = is_red(sets)
        out = np.full((len(sets), 2, sets.shape[1]), 255, np.uint8)
        for colour, wanted in enumerate((~red, red)):
            some = wanted.any(axis=1)
            last = np.argsort(wanted[some], axis=1, kind="stable")
            out[some, colour] = np.take_along_axis(sets[some], last, axis=1)
        return out.reshape(-1, sets.shape[1])

    @property
    def rows(self) -> int:
        sets = isomorphism((BOARD_CARDS[self.street],), self.suits).size
        return sets * self.colours

    @property
    def dtype(self) -> npt.DTypeLike:
        return np.uint8 if self.rule.count <= 256 else np.uint16

    @property
    def nbytes(self) -> int:
        return self.rows * COMBO_COUNT * np.dtype(self.dtype).itemsize

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the street alone, so that abstractions can share its table."""
        about = self.suits, BOARD_CARDS[self.street], self.rule.definition
        return fingerprint(KIND, _VERSION, VERSION, *about)

    @property
    def path(self) -> Path:
        return self.folder / f"{self.name}-{self.fingerprint[:16]}.safetensors"

    @property
    def parts_folder(self) -> Path:
        return self.path.with_suffix(".parts")

    @property
    def lock(self) -> Path:
        """The lock of the process that builds it."""
        return self.path.with_suffix(".lock")

    def parts(self) -> Iterator[tuple[Path, slice]]:
        """The file and the rows of each part."""
        step = max(_PART // COMBO_COUNT, 1)
        for low in range(0, self.rows, step):
            part = slice(low, min(low + step, self.rows))
            yield self.parts_folder / f"{low:08d}.safetensors", part

    def open(self, verify: bool = True) -> npt.NDArray[Any]:
        """The table, memory-mapped; `FileError` if it is missing or damaged."""
        file = read_arrays(self.path, kind=KIND, fingerprint=self.fingerprint, verify=verify)
        table = file.arrays.get("buckets")
        if table is None or table.shape != (self.rows, COMBO_COUNT) or table.dtype != self.dtype:
            raise FileError(f"{self.path} has no table of this shape; delete it and build it again")
        return table

    def is_built(self) -> bool:
        """Whether an intact table exists."""
        try:
            self.open()
        except FileError:
            return False
        return True

    def is_finished(self) -> bool:
        """Whether an intact table exists, and no leftovers of a killed process."""
        return not self.parts_folder.exists() and not self.lock.exists() and self.is_built()

    def disk(self) -> int:
        """The most bytes that building will add: the table and the missing parts."""
        done = 0
        for path, _ in self.parts():
            with suppress(OSError):  # missing, or just removed
                done += path.stat().st_size
        return max(2 * self.nbytes - done, self.nbytes)


def _plans(
    abstraction: CardAbstraction,
    folder: str | os.PathLike[str] | None,
    streets: Collection[str] = STREETS,
) -> list[_Plan]:
    where = _folder(folder)
    plans = [
        _Plan(abstraction, street, where)
        for street, bucketing in enumerate(abstraction.streets)
        if street and bucketing.wants_table
    ]
    return [plan for plan in plans if plan.name in streets]


def missing_tables(
    abstraction: CardAbstraction, *, folder: str | os.PathLike[str] | None = None
) -> dict[str, int]:
    """The size in bytes of each table that does not exist, by street; files are not opened."""
    plans = _plans(abstraction, folder)
    return {plan.name: plan.nbytes for plan in plans if not plan.path.exists()}


class MissingTableError(FileError):
    """A table that was never built."""


@dataclass(frozen=True)
class BuildEstimate:
    """The cost of a build: seconds, bytes of memory and disk, and seconds by street."""

    seconds: float
    memory: int
    disk: int
    by_street: dict[str, float] = field(default_factory=dict)


def estimate_build(
    abstraction: CardAbstraction,
    *,
    threads: int = 0,
    folder: str | os.PathLike[str] | None = None,
) -> BuildEstimate:
    """Estimate the cost of the missing tables by timing a few boards of each street.

    Compilation, needed once on each machine, is not included.
    """
    workers = threads or usable_cores()
    todo = [plan for plan in _plans(abstraction, folder) if not plan.is_built()]
    seconds = {}
    for plan in todo:
        boards = plan.boards()
        boards = boards[boards[:, 0] < 255]
        left = sum(part.stop - part.start for path, part in plan.parts() if not path.exists())
        plan.rule.buckets(boards[0])
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < _TRIAL_SECONDS or not done:
            plan.rule.buckets(boards[done * 997 % len(boards)])
            done += 1
        seconds[plan.name] = (time.perf_counter() - start) / done * left / workers
    memory = max((plan.nbytes for plan in todo), default=0) + (200 << 20)
    return BuildEstimate(sum(seconds.values()), memory, _disk_needed(todo), seconds)


def _disk_needed(plans: list[_Plan]) -> int:
    """A table and its parts exist together for a moment; then the parts are removed."""
    spare = max((plan.disk() - plan.nbytes for plan in plans), default=0)
    return sum(plan.nbytes for plan in plans) + spare


def build_tables(
    abstraction: CardAbstraction,
    *,
    threads: int = 0,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    streets: Collection[str] = STREETS,
) -> "Tables":
    """Build the missing tables of an abstraction, and open them all.

    streets: names of those to build; the others are opened if they exist.

    If interrupted, it keeps the finished parts, and the next call continues from there. The bytes
    do not depend on the number of threads. If another process is building a table, it waits.
    progress: called with the name of the street, boards done and total boards.
    """
    plans = [plan for plan in _plans(abstraction, folder, streets) if not plan.is_finished()]
    for number, plan in enumerate(plans):
        make_folder(plan.folder)
        with locked(plan.lock, waiting_for(f"the {plan.name} table of {abstraction.name}")):
            if not plan.is_built():
                _check_disk(plans[number:])
                try:
                    _build_street(plan, threads or usable_cores(), progress)
                except WriteError:  # without locks another may have been faster, and removed parts
                    if not plan.is_built():
                        raise
            shutil.rmtree(plan.parts_folder, ignore_errors=True)
    some = set(streets) != set(STREETS)
    return open_tables(abstraction, folder=folder, verify=False, partial=some)  # just read, written


def _check_disk(plans: list[_Plan]) -> None:
    folder = plans[0].folder
    needed, free = _disk_needed(plans), shutil.disk_usage(folder).free
    if needed > free:
        raise WriteError(
            f"the tables need {needed / 1e6:,.0f} MB and {folder} has {free / 1e6:,.0f} MB left; "
            f"free some, or choose another folder{other_cache(folder)}"
        )


def _build_street(plan: _Plan, threads: int, progress: Progress | None) -> None:
    boards, bucketing = plan.boards(), plan.rule
    first = int(np.argmax(boards[:, 0] < 255))
    bucketing.buckets(boards[first])  # fills caches before threads need them
    table = np.zeros((len(boards), COMBO_COUNT), plan.dtype)
    step = max(_CHUNK // COMBO_COUNT, 1)

    def work(low: int, high: int) -> None:
        for board in range(low, high):
            if boards[board, 0] < 255:
                table[board] = bucketing.buckets(boards[board])

    make_folder(plan.parts_folder)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for path, part in plan.parts():
                if not _read_part(plan, path, table[part]):
                    lows = range(part.start, part.stop, step)
                    highs = [min(low + step, part.stop) for low in lows]
                    list(pool.map(work, lows, highs))
                    arrays = {"buckets": table[part]}
                    write_arrays(path, arrays, kind=KIND, fingerprint=plan.fingerprint)
                if progress:
                    progress(plan.name, part.stop, len(boards))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    metadata = {"street": plan.name, "buckets": str(bucketing.count), "text": bucketing.text}
    arrays = {"buckets": table}
    write_arrays(plan.path, arrays, kind=KIND, fingerprint=plan.fingerprint, metadata=metadata)


def _read_part(plan: _Plan, path: Path, out: npt.NDArray[Any]) -> bool:
    """Whether an intact part exists; if so, it is copied to ``out``."""
    try:
        part = read_arrays(path, kind=KIND, fingerprint=plan.fingerprint).arrays["buckets"]
    except (FileError, KeyError):
        return False
    if part.shape != out.shape or part.dtype != out.dtype:
        return False
    out[...] = part
    return True


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of an abstraction, memory-mapped.

    groups: one set of buckets for each street, for playouts and solvers; streets without a table
    compute theirs.  paths: the files.
    """

    abstraction: CardAbstraction
    groups: tuple[Buckets, ...]
    paths: tuple[Path, ...]

    def buckets(self, board: Cards = ()) -> npt.NDArray[np.integer]:
        """The bucket of every hand on a board, as ``abstraction.cards.buckets(board)``."""
        cards = np.array(parse_cards(board), np.uint8)
        street = street_of(len(cards), len(self.groups))
        group, rule = self.groups[street], self.abstraction.streets[street]
        if isinstance(group, TrueCards) and isinstance(group.standard, BoardTable):
            return group.standard.buckets(group.rule.cards[cards])[group.rule.combos]
        return group.buckets(cards) if isinstance(group, BoardTable) else rule.buckets(cards)

    @property
    def nbytes(self) -> int:
        """Bytes of all tables."""
        groups = (
            group.standard if isinstance(group, TrueCards) else group for group in self.groups
        )
        return sum(group.table.nbytes for group in groups if isinstance(group, BoardTable))


@dataclass(frozen=True)
class _Missing:
    """The street of a missing table."""

    count: int
    name: str

    def fill(self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[Any]) -> None:
        raise MissingTableError(
            f"the {self.name} table is missing; build it with `tiltless abstraction build`"
        )


def open_tables(
    abstraction: CardAbstraction,
    *,
    folder: str | os.PathLike[str] | None = None,
    verify: bool = True,
    partial: bool = False,
) -> Tables:
    """Open existing tables.

    verify: read and check every byte first, which takes half a second.  partial: where a table is
    missing, compute the buckets of a board; playouts and solvers cannot use that street then.
    """
    tables: dict[int, npt.NDArray[Any] | None] = {}
    paths = []
    for plan in _plans(abstraction, folder):
        if not plan.path.exists():
            if partial:
                tables[plan.street] = None
                continue
            raise MissingTableError(
                f"the {plan.name} table of {abstraction.name} is not in {plan.folder}; build it "
                "with `tiltless abstraction build`, and the name or file of the abstraction"
            )
        tables[plan.street] = plan.open(verify)
        paths.append(plan.path)
    groups = tuple(
        _Missing(rule.count, STREETS[street])
        if tables.get(street, 0) is None
        else filled(abstraction, street, tables.get(street))
        for street, rule in enumerate(abstraction.streets)
    )
    return Tables(abstraction, groups, tuple(paths))
