"""Matches of the experiment: three methods see the same showdowns; a line of JSON for each match.

A finished match is kept in a file, so that a run that was stopped continues, and is played again if
the code of a method has changed since.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import code_fingerprint
from tiltless.executor import Executor, executor_for
from tiltless.experiments.permutation.report_methods import ReportChain, ReportFilter
from tiltless.experiments.permutation.showdowns import hidden_order, shown_cards, with_results
from tiltless.files.fingerprint import fingerprint
from tiltless.files.json_log import JsonLog
from tiltless.permutation.contradiction import Resolution
from tiltless.permutation.evidence import EvidenceRows
from tiltless.permutation.orders import Orders

__all__ = [
    "STAGES",
    "FindingsLog",
    "InferenceMatch",
    "MatchFindings",
    "StageFinding",
    "infer_matches",
]

STAGES = (20, 40, 60, 80, 100, 150, 200, 232, 300)
"""After how many showdowns the methods are compared; a match of 1,000 hands has about 232."""


class InferenceMatch(NamedTuple):
    """source: of `showdowns.SOURCES`.  seed: of the order, the showdowns and all methods."""

    source: str
    seed: int
    showdowns: int


class StageFinding(NamedTuple):
    """After so many showdowns.

    entropy: of our posterior, in bits.  right: whether its most likely order is the truth.  chain:
    whether the report's chain guesses it.  filter_right: whether the truth is all that its particle
    filter has left.  filter_lost: whether that has nothing left.
    """

    showdowns: int
    entropy: float
    right: bool
    chain: bool
    filter_right: bool
    filter_lost: bool


class MatchFindings(NamedTuple):
    """What a match showed.

    listed: the showdown from which our posterior is exact; 0 for never.  kept: whether the truth
    was in the list from then on.  seconds, slowest: processor time of our inference, in all and in
    its slowest update.  chain_seconds, filter_seconds: of the report's methods.
    """

    stages: tuple[StageFinding, ...]
    listed: int
    kept: bool
    seconds: float
    slowest: float
    chain_seconds: float
    filter_seconds: float

    @classmethod
    def from_facts(cls, facts: Sequence[Any]) -> "MatchFindings":
        """From JSON."""
        return cls(tuple(StageFinding(*stage) for stage in facts[0]), *facts[1:])


class _Job(NamedTuple):
    match: InferenceMatch
    cards: npt.NDArray[np.uint8]


def _infer(job: _Job) -> MatchFindings:
    """Let all three methods watch a match."""
    seed = job.match.seed
    order = hidden_order(seed)
    truth = np.array(order.true_ranks, np.int8)
    ours, chain, particles = Orders(seed), ReportChain(seed), ReportFilter(seed)
    spent, slowest, listed, kept = [0.0, 0.0, 0.0], 0.0, 0, True
    stages = []
    for number, showdown in enumerate(with_results(job.cards, order), 1):
        times = [time.process_time()]
        ours.observe(*showdown)
        times.append(time.process_time())
        chain.observe(showdown)
        times.append(time.process_time())
        particles.observe(showdown)
        times.append(time.process_time())
        spent = [spent[i] + times[i + 1] - times[i] for i in range(3)]
        slowest = max(slowest, times[1] - times[0])
        if ours.exact:
            listed = listed or number
            kept = kept and ours.probability(truth) > 0
        if number in STAGES:
            left = particles.orders
            stages.append(
                StageFinding(
                    number,
                    round(ours.entropy(), 3),
                    np.array_equal(ours.most_likely(), truth),
                    np.array_equal(chain.guess, truth),
                    len(left) > 0 and bool((left == truth).all()),
                    len(left) == 0,
                )
            )
    times = [round(each, 4) for each in (spent[0], slowest, spent[1], spent[2])]
    return MatchFindings(tuple(stages), listed, kept, *times)


class FindingsLog:
    """Finished matches, a record each in a file (`tiltless.files.json_log`)."""

    def __init__(self, path: Path) -> None:
        self._log = JsonLog(path)
        self._version = fingerprint(
            *map(code_fingerprint, (Orders, EvidenceRows, Resolution, ReportChain, FindingsLog))
        )
        self._found: dict[InferenceMatch, MatchFindings] = {}
        for record in self._log.records():
            try:
                if record["version"] == self._version:
                    match = InferenceMatch(*record["match"])
                    self._found[match] = MatchFindings.from_facts(record["findings"])
            except (ValueError, TypeError, KeyError):
                continue

    def find(self, match: InferenceMatch) -> MatchFindings | None:
        """A finished match of the same code, if there is one."""
        return self._found.get(match)

    def add(self, match: InferenceMatch, findings: MatchFindings) -> None:
        """Keep a match; it is on disk when this returns."""
        self._log.append({"version": self._version, "match": match, "findings": findings})


def infer_matches(
    matches: Iterable[InferenceMatch],
    log: FindingsLog,
    *,
    processes: int | Executor = 1,
) -> Iterator[tuple[InferenceMatch, MatchFindings]]:
    """Each match with what it showed; those in the log first."""
    missing = []
    for match in matches:
        found = log.find(match)
        if found is None:
            missing.append(match)
        else:
            yield match, found
    jobs = (_Job(each, shown_cards(*each)) for each in missing)
    results = executor_for(processes, len(missing)).map(_infer_job, jobs)
    for match, found in results:
        log.add(match, found)
        yield match, found


def _infer_job(job: _Job) -> tuple[InferenceMatch, MatchFindings]:
    return job.match, _infer(job)
