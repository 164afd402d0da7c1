"""Append-only CSV log of a run, robust against kills and full disks.

A killed process may leave half a line, and a run that resumes from an older checkpoint has rows of
traversals that it will repeat. Both are dropped when a file is opened; no content of the file can
stop a run. Nor can a full disk: a row that cannot be written is reported, kept, and written with
the next one.
"""

import csv
import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from tiltless.errors import WriteError
from tiltless.files.atomic import write_text

__all__ = ["Log", "read_log"]

Row = dict[str, float]


def read_log(path: Path, columns: Sequence[str]) -> list[Row]:
    """The rows of a file with a finite number in every column; empty if there is no file."""
    rows: list[Row] = []
    try:
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            for line in csv.DictReader(file):
                try:
                    row = {name: float(line[name]) for name in columns}
                    if None in line:  # extra cells: two lines in one
                        continue
                except (KeyError, TypeError, ValueError):
                    continue
                if all(map(math.isfinite, row.values())):
                    rows.append(row)
    except (OSError, csv.Error):
        pass
    return rows


class Log:
    """Rows of numbers by column; ``walks``, the number of traversals, increases from row to row.

    until: ``walks`` of the checkpoint from which the run resumes; later rows are dropped.
    note: called with a message if the file cannot be written; once, until it can be again.
    """

    def __init__(
        self,
        path: Path,
        columns: Sequence[str],
        until: int,
        note: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.path, self.columns, self.note = path, tuple(columns), note
        self._whole = True  # whether, as far as we know, the file has all rows
        self.rows: list[Row] = []
        for row in read_log(path, columns):
            if row["walks"] <= until and (not self.rows or row["walks"] > self.rows[-1]["walks"]):
                self.rows.append(row)
        self._write(self._write_all)

    def add(self, values: Sequence[float]) -> None:
        """Append a row, handed to the operating system before this returns."""
        self.rows.append(dict(zip(self.columns, values, strict=True)))
        self._write(self._write_last if self._whole else self._write_all)

    def _write(self, how: Callable[[], None]) -> None:
        try:
            how()
        except OSError as error:  # may leave half a line, so next time all rows are written
            if self._whole:
                reason = error.strerror or type(error).__name__
                problem = str(error) if isinstance(error, WriteError) else f"{self.path}: {reason}"
                self.note(f"no history for now: {problem}")
            self._whole = False
        else:
            self._whole = True

    def _write_last(self) -> None:
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            file.write(_line(self._cells(self.rows[-1])))

    def _write_all(self) -> None:
        rows = "".join(_line(self._cells(row)) for row in self.rows)
        write_text(self.path, _line(self.columns) + rows)

    def _cells(self, row: Row) -> list[str]:
        values = (row[name] for name in self.columns)
        return [f"{x:.0f}" if float(x).is_integer() else f"{x:.6g}" for x in values]


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
