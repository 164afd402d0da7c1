"""Table files: CSV, JSON lines, and Parquet where pyarrow is installed.

Rows are written as they come, so that a table may be larger than memory, and the file appears
whole or not at all.
"""

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from tiltless.errors import OptionError
from tiltless.files.atomic import atomic_write

__all__ = ["TABLES", "check_format", "write_columns", "write_table"]

TABLES = (".csv", ".jsonl", ".parquet")
"""The endings of files that `write_table` writes."""
_BATCH = 50_000

PathName = str | os.PathLike[str]


def check_format(path: PathName, formats: Sequence[str] = TABLES) -> str:
    """The ending of a file, one of ``formats``; `OptionError` where nothing can write it."""
    ending = Path(path).suffix.lower()
    if ending not in formats:
        known = f"{', '.join(formats[:-1])} or {formats[-1]}"
        raise OptionError(f"{os.fspath(path)} ends in no format that is known; write {known}")
    if ending == ".parquet":
        _arrow()
    return ending


def write_table(
    path: PathName,
    columns: Mapping[str, str],
    rows: Iterable[Sequence[Any]],
    *,
    about: Mapping[str, str] | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Write rows to a file with an ending of `TABLES`, atomically; how many there were.

    columns: a kind for each name: a type of Arrow (``"string"``, ``"int64"``, ``"float64"``,
    ``"bool"``) or ``"list "`` and one. CSV and JSON lines take cells as they are; None is nothing.
    about: texts beside the rows, which only Parquet has room for.
    progress: told the rows so far, now and then.
    """
    stream = iter(rows)
    batches = iter(lambda: list(islice(stream, _BATCH)), [])
    if (ending := check_format(path)) == ".parquet":
        blocks = (list(zip(*batch, strict=True)) for batch in batches)
        return write_columns(path, columns, blocks, about=about, progress=progress)
    count = 0
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        if ending == ".csv":
            writer.writerow(columns)
        for batch in batches:
            if ending == ".csv":
                writer.writerows(batch)
            else:
                cells = (dict(zip(columns, row, strict=True)) for row in batch)
                text.writelines(json.dumps(row, allow_nan=False) + "\n" for row in cells)
            count += len(batch)
            progress(count)
        text.flush()
        text.detach()
    return count


def write_columns(
    path: PathName,
    columns: Mapping[str, str],
    blocks: Iterable[Sequence[Sequence[Any]]],
    *,
    about: Mapping[str, str] | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Write a Parquet file from blocks of columns, which is faster than from rows.

    blocks: for each column, the cells of some rows.  Others, and what returns: as of `write_table`.
    """
    arrow, parquet = _arrow()

    def kind(name: str) -> Any:
        one = arrow.type_for_alias(name.removeprefix("list "))
        return arrow.list_(one) if name.startswith("list ") else one

    schema = arrow.schema([(name, kind(each)) for name, each in columns.items()], about)
    held: list[list[Any]] = [[] for _ in columns]
    count = 0

    def flush() -> None:
        writer.write_table(arrow.table(held, schema=schema))
        for column in held:
            column.clear()
        progress(count)

    with atomic_write(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for block in blocks:
            for column, cells in zip(held, block, strict=True):
                column.extend(cells)
            count += len(block[0])
            if len(held[0]) >= _BATCH:
                flush()
        if held[0]:
            flush()
    return count


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise OptionError(
            "Parquet needs pyarrow, which is not installed; pip install 'tiltless[analysis]', or "
            "export to a file that ends in .csv"
        ) from None
