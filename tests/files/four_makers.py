"""Four processes that make one thing on an empty cache, for test_four_makers.py.

python four_makers.py FOLDER WHAT ROUNDS: in every second round the maker is killed half-way. They
are forked from here, so that four times the imports do not hide what they do at once.
"""

import os
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np

from tiltless import lock
from tiltless.abstraction.cards import tables
from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import Lossless, Suitless
from tiltless.cards.isomorphism import canonical_boards
from tiltless.files import cached_arrays as kept

PROCESSES = 4
_PART = 200  # boards: nine parts


class _Sums:
    """A rule that is quick."""

    count, text, wants_table, newest_counts = 251, "sums", True, False
    definition = "sums of a test"

    def buckets(self, board):
        return np.full(1326, sum(map(int, board)) % self.count, np.uint16)


def _abstraction():
    return CardAbstraction("test", (Lossless(0), _Sums(), Suitless(4), Lossless(5)))


def make_table(folder):
    """Build the table of a street; one line in ``made`` for each part that is computed."""
    tables._PART = _PART * 1326
    write = tables.write_arrays

    def noted(path, *arguments, **more):
        write(path, *arguments, **more)
        if path.parent.suffix == ".parts":
            _note(folder)

    tables.write_arrays = noted
    tables.build_tables(_abstraction(), folder=folder / "cache", threads=1)


def make_kept(folder):
    """Make a kept array; one line in ``made`` for each time."""
    os.environ["TILTLESS_CACHE"] = str(folder / "cache")

    def build():
        time.sleep(0.02)
        _note(folder)
        return {"squares": np.arange(1000) ** 2}

    found = kept.kept_arrays("squares", [kept], build)["squares"]
    assert found[999] == 998001


def _note(folder):
    """Something was made; where the maker is to be killed, wait for that."""
    with open(folder / "made", "ab", buffering=0) as file:
        file.write(b"x")
    while (folder / "kill").exists():
        time.sleep(0.001)


def _start(make, folder):
    child = os.fork()
    if child:
        return child
    try:
        make(folder)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _kill_maker(folder):
    """When something was made, kill who makes; returns the process."""
    while not (folder / "made").stat().st_size:
        time.sleep(0.001)
    (taken,) = (folder / "cache").rglob("*.lock")
    maker = int(taken.read_text())
    os.kill(maker, signal.SIGKILL)
    (folder / "kill").unlink()
    return maker


def main(folder, what, rounds):
    make = {"table": make_table, "kept": make_kept, "table without locks": make_table}[what]
    kills = what != "table without locks"
    if not kills:
        lock.fcntl = lock.msvcrt = None
    canonical_boards(3)  # once, for all of them
    for number in range(rounds):
        place = folder / str(number)
        place.mkdir()
        (place / "made").touch()
        if kills and number % 2:
            (place / "kill").touch()
        children = [_start(make, place) for _ in range(PROCESSES)]
        killed = _kill_maker(place) if kills and number % 2 else 0
        for child in children:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert status == (-signal.SIGKILL if child == killed else 0), (number, status)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
