"""Tables of the experiment, beside published figures."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tiltless.experiments.permutation.matches import STAGES, InferenceMatch, MatchFindings
from tiltless.experiments.permutation.showdowns import SOURCES
from tiltless.intervals import Interval, share_interval, tally

__all__ = ["PUBLISHED", "InferenceRun", "InferenceTable", "facts", "inference_tables", "markdown"]

PUBLISHED: Mapping[str, Mapping[str, Mapping[int, float]]] = {
    "random": {
        "right": {40: 2, 60: 10, 80: 24, 100: 38, 150: 67, 200: 83, 232: 89, 300: 96},
        "chain": {40: 0, 60: 5, 80: 19, 100: 35, 150: 66, 200: 79},
        "filter_right": {100: 5, 150: 30, 200: 48, 300: 73},
    },
    "play": {
        "right": {40: 2, 60: 8, 80: 17, 100: 30, 150: 69, 200: 80, 232: 88},
        "chain": {80: 15, 100: 26, 150: 69, 200: 80},
        "filter_right": {150: 32, 200: 49},
    },
}
"""Percent of an earlier study: 210 matches of the exact posterior, 80 of the other methods, whose
chain saw no more than 200 showdowns. The report itself says that its filter worked "maybe 40 % of
the time" and that its chain determined the permutation "consistently"."""
_METHODS = {
    "right": "exact posterior right",
    "chain": "report's chain right",
    "filter_right": "report's filter right",
    "filter_lost": "filter empty",
}


class InferenceRun(NamedTuple):
    """The results.  stopped: whether Ctrl-C ended it.  taken: matches from earlier runs."""

    found: dict[InferenceMatch, MatchFindings]
    seed: int
    out: Path
    stopped: bool
    taken: int
    minutes: float

    @property
    def summary(self) -> str:
        """One line about the files and the time."""
        earlier = f", {self.taken} matches from earlier runs" if self.taken else ""
        end = "; stopped, the same command continues" if self.stopped else ""
        return f"{self.out}: tables.md, matches.jsonl; {self.minutes:.1f} minutes{earlier}{end}"

    def of(self, source: str) -> list[MatchFindings]:
        """Matches with showdowns of one source."""
        return [each for match, each in self.found.items() if match.source == source]


class InferenceTable(NamedTuple):
    """A table of texts.  about: what stands below it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: str


def _shares(found: Sequence[MatchFindings]) -> Iterator[tuple[int, dict[str, Interval], float]]:
    """For each stage its number of showdowns, the percentage of each method, and median entropy."""
    by_stage = defaultdict(list)
    for findings in found:
        for stage in findings.stages:
            by_stage[stage.showdowns].append(stage)
    for number, stages in sorted(by_stage.items()):
        cells = {
            name: share_interval(
                sum(getattr(stage, name) for stage in stages) / len(stages), len(stages)
            ).scaled(100.0)
            for name in _METHODS
        }
        yield number, cells, median(stage.entropy for stage in stages)


def facts(run: InferenceRun) -> dict[str, Any]:
    """The tables as JSON."""
    sources = {}
    for source in SOURCES:
        found = run.of(source)
        if not found:
            continue
        rows = [
            {"showdowns": number, "entropy_median": bits}
            | {
                name: {"percent": cell.mean, "interval": [cell.low, cell.high]}
                for name, cell in cells.items()
            }
            for number, cells, bits in _shares(found)
        ]
        sources[source] = {"matches": len(found), "rows": rows, "inference": _costs(found)}
    return {"seed": run.seed, "sources": sources, "published": PUBLISHED}


def _costs(found: Sequence[MatchFindings]) -> dict[str, float]:
    """Of our inference over matches of 300 showdowns, in seconds of processor time."""
    listed = [each.listed or math.inf for each in found]
    return {
        "seconds_mean": tally(each.seconds for each in found).mean,
        "seconds_most": max(each.seconds for each in found),
        "slowest_update": max(each.slowest for each in found),
        "listed_median": median(listed),
        "listed_last": max(listed),
        "truth_kept": float(sum(each.kept for each in found)),
        "chain_seconds_mean": tally(each.chain_seconds for each in found).mean,
        "filter_seconds_mean": tally(each.filter_seconds for each in found).mean,
    }


def inference_tables(run: InferenceRun) -> Iterator[InferenceTable]:
    """A table for each source of showdowns; in brackets the earlier study's percentages."""
    for source in SOURCES:
        found = run.of(source)
        if not found:
            continue
        title = (
            f"showdowns: {source}, {len(found)} matches from seed {run.seed}; percent ± 95 %, in "
            "brackets the study's"
        )
        rows = []
        for number, cells, bits in _shares(found):
            study = PUBLISHED[source]
            texts = [_text(cells[name], study.get(name, {}).get(number)) for name in _METHODS]
            rows.append((str(number), f"{bits:.1f}", *texts))
        cost = _costs(found)
        about = (
            f"Ours: truth in the list in {cost['truth_kept']:.0f} of {len(found)} matches; exact "
            f"from showdown {cost['listed_median']:g} (median; latest {cost['listed_last']:g}); "
            f"{cost['seconds_mean']:.2f} s of processor time for {max(STAGES)} showdowns (most "
            f"{cost['seconds_most']:.2f}), slowest update {cost['slowest_update']:.2f} s. The "
            f"report's chain takes {cost['chain_seconds_mean']:.2f} s, its filter "
            f"{cost['filter_seconds_mean']:.2f} s."
        )
        yield InferenceTable(title, ("showdowns", "bits", *_METHODS.values()), tuple(rows), about)


def markdown(run: InferenceRun, heading: str = "") -> str:
    """The tables as Markdown.  heading: a line above them."""
    lines = [heading, ""] if heading else []
    for table in inference_tables(run):
        lines += [f"{table.title}:", "", "| " + " | ".join(table.head) + " |"]
        lines.append("|---" * len(table.head) + "|")
        lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        lines += ["", table.about, ""]
    return "\n".join(lines)


def _text(cell: Interval, published: float | None) -> str:
    theirs = "" if published is None else f" ({published:g})"
    return f"{cell.mean:.0f} ± {cell.half_width:.0f}{theirs}"
