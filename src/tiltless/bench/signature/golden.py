"""Signature: hashes of the results of fixed work, which show whether behaviour has changed.

``tiltless bench signature`` compares every entry with the golden file of a checkout, like the bench
of Stockfish. The work has fixed seeds, fixed iterations and one thread; no times are in it.

An entry has an exact part (integers, trees, fingerprints, texts), which is the same everywhere, and
where it has tables of floating point numbers, a hash and sums of them. Such hashes hold for one
kind of processor, since sums may be reordered to fit its registers; they are kept by kind. On a
kind that the golden file does not know, sums are compared to a relative 1e-5.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt
from numba.core import config as numba_config

from tiltless.errors import FileError
from tiltless.files.atomic import write_text
from tiltless.files.fingerprint import fingerprint

__all__ = [
    "TOLERANCE",
    "Change",
    "Fact",
    "Golden",
    "Item",
    "compare",
    "golden_path",
    "measure",
    "processor",
    "short",
    "signed",
]

TOLERANCE = 1e-5
"""Of sums on a kind of processor that is not known, relative to the sum of absolute values."""
_GOLDEN_RATIO = (5**0.5 - 1) / 2  # its multiples modulo 1 are weights: no two of them are equal
_FEATURES = ("avx2", "avx512f", "fma", "neon", "sve")  # those that shape sums


class Fact(NamedTuple):
    """What an item gave.

    exact: a hash of what is equal everywhere.  floats: a hash of numbers, empty if there are none.
    sums: of these numbers, of their absolute values, and weighted by where they stand; float64.
    """

    exact: str
    floats: str = ""
    sums: tuple[float, ...] = ()


Item = tuple[str, Callable[[], Fact]]
"""A dotted name, and the work that gives its fact."""


class Change(NamedTuple):
    """An entry that is not as in the golden file.

    what: "exact", "floats" or "sums" for the part that differs, "new" or "gone" for the whole.
    """

    name: str
    what: str


def signed(*exact: Any, floats: Iterable[float | npt.NDArray[Any]] = ()) -> Fact:
    """The fact of plain data (as `fingerprint` takes it) and of tables of floating point numbers.

    The number and shapes of the tables are part of the exact data.
    """
    tables = [np.ascontiguousarray(each) for each in floats]
    if not tables:
        return Fact(fingerprint(*exact))
    digest = hashlib.sha256()
    sums = np.zeros(3)
    for table in tables:
        digest.update(table.astype(table.dtype.newbyteorder("<"), copy=False).tobytes())
        numbers = table.astype(np.float64).ravel()
        weights = np.arange(1, numbers.size + 1) * _GOLDEN_RATIO % 1
        sums += numbers.sum(), np.abs(numbers).sum(), (weights * numbers).sum()
    shapes = [[table.dtype.kind, table.dtype.itemsize, *table.shape] for table in tables]
    return Fact(fingerprint(*exact, shapes), digest.hexdigest()[:32], tuple(sums.tolist()))


def processor() -> str:
    """The kind of processor that kernels are compiled for, with the compiler's version."""
    config: Any = numba_config
    if config.CPU_NAME:
        name, features = str(config.CPU_NAME), str(config.CPU_FEATURES or "").split(",")
    else:
        found = llvm.get_host_cpu_features()
        name, features = llvm.get_host_cpu_name(), [f"+{key}" for key, has in found.items() if has]
    kept = [each for each in _FEATURES if f"+{each}" in features]
    return " ".join([name, *kept, f"llvm{llvm.llvm_version_info[0]}"])


def measure(items: Iterable[Item], only: str = "") -> Iterator[tuple[str, Fact]]:
    """Do the work of all items whose names begin with a prefix."""
    for name, work in items:
        if name.startswith(only):
            yield name, work()


def short(facts: Mapping[str, Fact]) -> int:
    """One number for all exact parts, the same on every machine."""
    return int(fingerprint({name: fact.exact for name, fact in facts.items()})[:7], 16)


def golden_path() -> Path:
    """The golden file of the checkout that contains this package."""
    return Path(str(files("tiltless"))).parents[1] / "tests" / "golden" / "signature.json"


class Golden:
    """The golden file: entries by name, one per line, float hashes by kind of processor."""

    def __init__(self, entries: Mapping[str, Mapping[str, Any]]) -> None:
        self.entries: dict[str, Mapping[str, Any]] = dict(entries)

    @classmethod
    def read(cls, path: Path) -> "Golden":
        """From a file; `FileError` where there is none."""
        try:
            return cls(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise FileError(
                f"cannot read {path}: {error.strerror}; run this in a checkout, or write the file "
                "with --update"
            ) from None
        except ValueError as error:
            raise FileError(
                f"{path} is not a golden file: {error}; restore it, or write it with --update"
            ) from None

    def write(self, path: Path) -> None:
        """To a file, atomically."""
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(self.entries[name])}"
            for name in sorted(self.entries)
        )
        write_text(path, f"{{\n{lines}\n}}\n")

    def updated(
        self,
        facts: Mapping[str, Fact],
        kind: str,
        only: str = "",
        skipped: Iterable[str] = (),
    ) -> "Golden":
        """With new facts; hashes of other kinds stay where the numbers are still the same.

        Entries whose names begin with ``only`` and that are neither among the facts nor skipped
        are dropped.
        """
        kept = set(skipped)
        entries = {
            name: entry
            for name, entry in self.entries.items()
            if name in kept or not name.startswith(only)
        }
        for name, fact in facts.items():
            entry: dict[str, Any] = {"exact": fact.exact}
            if fact.floats:
                before = self.entries.get(name, {})
                same = _floats_changed(before, fact, kind) == ""
                entry["sums"] = before["sums"] if same else list(fact.sums)
                entry["floats"] = {**(before["floats"] if same else {}), kind: fact.floats}
            entries[name] = entry
        return Golden(entries)


def compare(
    golden: Golden,
    facts: Mapping[str, Fact],
    kind: str,
    only: str = "",
    skipped: Iterable[str] = (),
) -> list[Change]:
    """What differs from the golden file, among the names that begin with ``only``.

    skipped: names that cannot be measured here, since an optional package is not installed.
    """
    changes = []
    expected = {name for name in golden.entries if name.startswith(only)} - set(skipped)
    for name in sorted({*expected, *facts}):
        if name not in facts:
            changes.append(Change(name, "gone"))
        elif name not in golden.entries:
            changes.append(Change(name, "new"))
        elif facts[name].exact != golden.entries[name]["exact"]:
            changes.append(Change(name, "exact"))
        elif what := _floats_changed(golden.entries[name], facts[name], kind):
            changes.append(Change(name, what))
    return changes


def _floats_changed(entry: Mapping[str, Any], fact: Fact, kind: str) -> str:
    """Whether numbers differ, and by what; empty if they do not."""
    known = entry.get("floats", {})
    if kind in known or not (known and fact.floats):
        return "" if known.get(kind, "") == fact.floats else "floats"
    size = entry["sums"][1]
    near = np.isclose(fact.sums, entry["sums"], rtol=0, atol=TOLERANCE * size, equal_nan=True)
    return "" if near.all() else "sums"
