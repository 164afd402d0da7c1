"""Replicas: threads that divide the iterations, each with its own copy of the tables.

Two threads that write to one table keep invalidating each other's cache lines, and in a game with
few hands they are slower than one thread. So each has a copy, and the copies are merged from time
to time: averages are summed, regrets are averaged. (Summing regrets would be wrong: what all
threads learn independently would be corrected several times over. With two threads on Leduc it left
an exploitability three times as large.) Rounds are short compared to all iterations before them, so
little is lost by not seeing the other threads' latest regrets; their lengths are fixed, so a run
with a given number of threads repeats to the bit. If copies would take too much memory, all threads
share one table without locks, and runs with several threads do not repeat.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.tabular.sampled import (
    SampledRules,
    SampledTables,
    Span,
    merge_copies,
    regret_weight,
)

__all__ = ["Replicas"]

_CACHE_LINE = 8
_MEMORY = 2 << 30  # bytes for copies; beyond, all threads share one table
_ROUND = 2048  # iterations between two merges, at least
_ENTRIES, _PAST = 16, 64  # plus one per 16 entries of a table, or per 64 iterations done

Job = Callable[[int, SampledTables, Span, Any], int]


class Replicas:
    """Some threads, and the tables that they fill.

    entries: the length of a table.  copies: whether each thread has its own; by default, if there
    are several and memory allows.
    tables: what is known to all.  words: uint64 ``[threads, 8]``, the generator of each thread.
    """

    def __init__(
        self, entries: int, rules: SampledRules, seed: int, threads: int, copies: bool | None = None
    ) -> None:
        if threads < 1:
            raise OptionError(f"threads={threads} cannot work; choose 1 or more")
        self.rules, self.threads = rules, threads
        self.tables = SampledTables(np.zeros(entries), np.zeros(entries))
        self.words = np.zeros((threads, _CACHE_LINE), np.uint64)
        self.words[:, :1] = seed_words(seed, threads)
        if copies is None:
            copies = 16 * entries * threads <= _MEMORY
        self.copies = None
        if copies and threads > 1:
            self.copies = SampledTables(np.zeros((threads, entries)), np.zeros((threads, entries)))

    def run(self, job: Job, first: int, count: int) -> int:
        """Iterations ``first`` … ``first + count - 1``; thread k takes every n-th, from the k-th.

        job: called with the number of a thread, its tables, its iterations and its generator;
        compiled code that releases the GIL. Returns the sum of what the jobs return.
        """
        if self.threads == 1:
            return job(0, self._tables_of(0), Span(first, 1, count), self.words[0])
        done, after = 0, first + count
        with ThreadPoolExecutor(self.threads) as pool:
            while True:
                size = min(self._round(first), after - first)
                spans = [self._span(thread, first, size) for thread in range(self.threads)]
                tables = map(self._tables_of, range(self.threads))
                done += sum(pool.map(job, range(self.threads), tables, spans, self.words))
                first += size
                self._merge(pool, first - 1)
                if first >= after:
                    return done

    def restore(self, state: Any) -> bool:
        """Continue from the ``regret``, ``average`` and ``words`` of other replicas.

        Returns whether the random numbers continue as they would have there: true if the number of
        threads is the same.
        """
        self.tables.regret[:], self.tables.average[:] = state["regret"], state["average"]
        if self.copies is not None:
            self.copies.regret[:], self.copies.average[:] = self.tables
        words = state["words"]
        same = bool(words.shape == self.words.shape)
        if same:
            self.words[:] = words
        else:
            self.words[:, :1] = seed_words(int(words[0, 0]), self.threads)
        return same

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return {**self.tables._asdict(), "words": self.words}

    def _round(self, first: int) -> int:
        if self.copies is None:
            return 2**62
        return max(_ROUND, len(self.tables.regret) // _ENTRIES, first // _PAST)

    def _span(self, thread: int, first: int, count: int) -> Span:
        each = (count - thread + self.threads - 1) // self.threads
        return Span(first + thread, self.threads, each)

    def _tables_of(self, thread: int) -> SampledTables:
        if self.copies is None:
            return self.tables
        return SampledTables(self.copies.regret[thread], self.copies.average[thread])

    def _merge(self, pool: ThreadPoolExecutor, t: int) -> None:
        """Merge the copies after iteration ``t``."""
        if self.copies is None:
            return
        floor = self.rules.floor * float(regret_weight(t, self.rules.linear))
        edges = np.linspace(0, len(self.tables.regret), self.threads + 1).astype(np.int64).tolist()
        parts = [slice(*pair) for pair in pairwise(edges)]
        regret, average = self.tables
        regrets, averages = self.copies
        jobs = [(regret[part], regrets[:, part], 1 / self.threads, floor) for part in parts]
        jobs += [(average[part], averages[:, part], 1.0, 0.0) for part in parts]
        list(pool.map(lambda job: merge_copies(*job), jobs))
