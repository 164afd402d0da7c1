"""What is told while bucket tables are built, and while they are read."""

from io import StringIO

import numpy as np
from rich.console import Console

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import Lossless, Suitless
from tiltless.abstraction.cards.tables import build_tables
from tiltless.cli.table_bar import shown_tables


class Sums:
    count, text, wants_table, newest_counts = 251, "sums", True, False
    definition = "sums of a test"

    def buckets(self, board):
        return np.full(1326, sum(map(int, board)) % self.count, np.uint16)


def test_an_estimate_the_first_time_and_other_words_for_reading(tmp_path, monkeypatch):
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path))
    abstraction = CardAbstraction("mine", (Lossless(0), Sums(), Suitless(4), Lossless(5)))
    told = []
    for _ in range(2):
        out = StringIO()
        with shown_tables(Console(file=out, force_terminal=True), abstraction) as progress:
            build_tables(abstraction, progress=progress)
        told.append(out.getvalue())
    assert "building bucket tables of mine" in told[0]
    assert "building" not in told[1]
    assert "reading" in told[1]
