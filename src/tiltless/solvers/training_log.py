"""The history of a run: a CSV file to which rows are added, and that survives whatever happens.

A process that is killed may leave half a line, and one that goes on from an older checkpoint has
rows of walks that it will do again. Both are dropped when a file is opened; nothing in it can stop
a run.
"""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

from tiltless.errors import WriteError
from tiltless.files.atomic import write_text

__all__ = ["Log", "read_log"]

Row = dict[str, float]


def read_log(path: Path, columns: Sequence[str]) -> list[Row]:
    """The rows of a file that have a finite number in every column; none if there is no file."""
    rows: list[Row] = []
    try:
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            for line in csv.DictReader(file):
                try:
                    row = {name: float(line[name]) for name in columns}
                except (KeyError, TypeError, ValueError):
                    continue
                if all(map(math.isfinite, row.values())):
                    rows.append(row)
    except (OSError, csv.Error):
        pass
    return rows


class Log:
    """Rows of numbers by column, the first of which is ``walks`` and grows.

    until: walks of the checkpoint from which the run goes on; later rows are dropped.
    """

    def __init__(self, path: Path, columns: Sequence[str], until: int) -> None:
        self.path, self.columns = path, tuple(columns)
        self.rows: list[Row] = []
        for row in read_log(path, columns):
            if row["walks"] <= until and (not self.rows or row["walks"] > self.rows[-1]["walks"]):
                self.rows.append(row)
        text = _line(self.columns) + "".join(_line(self._cells(row)) for row in self.rows)
        write_text(path, text)

    def add(self, values: Sequence[float]) -> None:
        """One more row, on disk before this returns as far as this process is concerned."""
        row = dict(zip(self.columns, values, strict=True))
        self.rows.append(row)
        try:
            with open(self.path, "a", newline="", encoding="utf-8") as file:
                file.write(_line(self._cells(row)))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise WriteError(
                f"cannot write {self.path}: {reason}; checkpoints stand, go on with --resume"
            ) from error

    def _cells(self, row: Row) -> list[str]:
        values = (row[name] for name in self.columns)
        return [f"{x:.0f}" if float(x).is_integer() else f"{x:.6g}" for x in values]


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
