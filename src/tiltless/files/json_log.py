"""Append-only log of JSON records, a line each, robust against kills.

A killed process may leave half a line: it is dropped when the file is read, and the next record
starts a new line. A record is on disk when `append` returns.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiltless.errors import WriteError

__all__ = ["JsonLog"]


class JsonLog:
    """A file of records.

    ::

        log = JsonLog(folder / "blocks.jsonl")
        known = {record["name"]: record["result"] for record in log.records()}
        log.append({"name": "third", "result": 3})
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def records(self) -> Iterator[dict[str, Any]]:
        """Every whole record, in the order of the file; nothing if there is none."""
        if not self.path.exists():
            return
        for line in self.path.read_text("utf-8", errors="replace").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record

    def append(self, record: dict[str, Any]) -> None:
        """Write a record; `WriteError` if that fails."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" * self._torn() + json.dumps(record) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(
                f"{self.path} cannot be written: {error.strerror}; free some space or choose "
                "another folder, and run the same command again"
            ) from None

    def _torn(self) -> bool:
        """Whether the file ends within a line."""
        try:
            with self.path.open("rb") as file:
                file.seek(-1, os.SEEK_END)
                return file.read(1) != b"\n"
        except OSError:  # no file, or nothing in it
            return False
