"""Showdown seeking, measured: what it costs, how much sooner the order is known, chips a match.

Two parts. A price list: both players know the order, one deviates in every hand, so what it loses
is the price of the showdowns that it adds. And whole matches in mirrored pairs, the same as those
of `tiltless.experiments.permutation.play_reproduction`: with a rule, until the order is known, and
without, so that differences are taken pair by pair.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.permutation.beliefs import IDENTITY, Beliefs, Known
from tiltless.executor import Executor, executor_for
from tiltless.experiments.permutation.play import (
    MatchesResult,
    PermutationTable,
    play_matches,
)
from tiltless.experiments.permutation.play_reproduction import BLOCK, BOTS, SEED
from tiltless.experiments.permutation.seeking import Seeking, SeekingPosterior
from tiltless.intervals import Interval, tally
from tiltless.seeding import mixed

__all__ = [
    "PRICED",
    "PRICE_DEALS",
    "RULES",
    "SEEKING_PAIRS",
    "PriceRow",
    "SeekingRow",
    "SeekingRun",
    "reproduce_seeking",
    "seeking_tables",
]

PRICED: dict[str, Seeking] = {
    "river calls to 1/4 of the pot, pots to 8 bb": Seeking(call=0.26, pot=8, street=3),
    "river calls to 1/2, pots to 8 bb": Seeking(call=0.5, pot=8, street=3),
    "calls to 1/3 after the flop, pots to 8 bb": Seeking(call=0.34, pot=8, street=1),
    "calls to 1/3 of the pot, pots to 8 bb": Seeking(call=0.34, pot=8),
    "river checks, pots to 4 bb": Seeking(check=True, pot=4, street=3),
    "river checks, pots to 8 bb": Seeking(check=True, pot=8, street=3),
    "checks from the turn on, pots to 4 bb": Seeking(check=True, pot=4, street=2),
    "checks, pots to 4 bb": Seeking(check=True, pot=4),
    "checks, and calls to 1/3, pots to 4 bb": Seeking(call=0.34, check=True, pot=4, street=1),
    "checks, and calls to 1/3, pots to 8 bb": Seeking(call=0.34, check=True, pot=8, street=1),
}
"""Rules of the price list."""
RULES: dict[str, Seeking] = {
    "pots to 4 bb": Seeking(call=0.34, check=True, pot=4, street=1),
    "pots to 8 bb": Seeking(call=0.34, check=True, pot=8, street=1),
    "pots to 8 bb, until 13 bits": Seeking(call=0.34, check=True, pot=8, street=1, until=13),
}
"""Rules that play whole matches."""
_MEDIAN, _, _, _AT_ONCE, _LATER, _, _KNOWN = BOTS
OPPONENTS = (_MEDIAN, _AT_ONCE, _LATER, _KNOWN)
SEEKING_PAIRS, PRICE_DEALS = 50, 1 << 19
"""Sizes of the whole measurement; see `reproduce_seeking`."""
_FURTHER = 8


class PriceRow(NamedTuple):
    """What a rule costs where both know the order, in 1,000 hands.

    showdowns: more than without.  chips: won, against one without.
    """

    rule: str
    deals: int
    showdowns: Interval
    chips: Interval


class SeekingRow(NamedTuple):
    """Matches of the median order with a rule, or without (an empty text).

    certain, needed: hands and showdowns until the order counts as known, at most all of the match.
    expected: chips a match, over further deals of each hand.  more, sooner: expected chips and
    hands that the rule gains, pair by pair.
    """

    rule: str
    opponent: str
    matches: int
    chips: Interval
    won: Interval
    expected: Interval
    showdowns: Interval
    certain: Interval
    needed: Interval
    more: Interval | None = None
    sooner: Interval | None = None


class SeekingRun(NamedTuple):
    """Everything that was measured."""

    prices: list[PriceRow]
    matches: list[SeekingRow]


class _SeekingJob(NamedTuple):
    """A block of mirrored pairs with a rule, or without; see `RULES`."""

    rule: str
    opponent: str
    pairs: int
    seed: int


@lru_cache(maxsize=1)
def _table() -> PermutationTable:
    return PermutationTable()


@lru_cache(maxsize=1)
def _seeking_table(rule: Seeking) -> PermutationTable:
    return _table().seeking(rule)


def _play_block(job: _SeekingJob) -> MatchesResult:
    table, first = _table(), BOTS[_MEDIAN]
    if job.rule:
        table, first = _seeking_table(RULES[job.rule]), partial(_seeking, job.rule)
    second, pairs = BOTS[job.opponent], job.pairs
    return play_matches(table, first, second, pairs, seed=job.seed, further=_FURTHER)


def _seeking(rule: str, truth: str) -> Beliefs:
    return SeekingPosterior(RULES[rule].until)


def _price(job: tuple[str, int, int]) -> PriceRow:
    rule, deals, seed = job
    seeking = PRICED[rule]
    chips, shown = _play_known(_seeking_table(seeking), deals, seed)
    _, usual = _play_known(_table(), deals, seed)
    columns = (shown.mean(axis=0) - usual.mean(axis=0), chips.mean(axis=0))
    return PriceRow(rule, deals, *(_interval(each).scaled(1000) for each in columns))


def _play_known(
    table: PermutationTable, deals: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Chips of the first bot, which deviates if the table has where to, and what was shown."""
    cards, words = table.deal(deals, seed, 3)
    bucket = np.stack([table.believed(cards, [Known().belief()] * deals)] * 2)
    bucket[0] += table.second_half
    return table.play(cards, words, np.repeat(IDENTITY[None], deals, axis=0), bucket)


def reproduce_seeking(
    *,
    pairs: int = SEEKING_PAIRS,
    deals: int = PRICE_DEALS,
    seed: int = SEED,
    processes: int | Executor = 1,
    say: Callable[[str], None] = lambda _: None,
) -> SeekingRun:
    """Measure.

    pairs: of mirrored matches, for each rule and opponent; 0 for none.  deals: for each row of the
    price list; 0 for none.  say: called with each result.
    """
    sizes = [min(BLOCK, pairs - done) for done in range(0, pairs, BLOCK)]
    executor = executor_for(processes, max(len(sizes), 1))
    run = SeekingRun([], [])
    for row in executor.map(_price, [(rule, deals, seed) for rule in PRICED if deals]):
        run.prices.append(row)
        say(_price_line(row))
    for opponent in OPPONENTS if pairs else ():
        usual: MatchesResult | None = None
        for rule in ("", *RULES):
            jobs = [
                _SeekingJob(rule, opponent, size, mixed(seed, number) >> 1)
                for number, size in enumerate(sizes)
            ]
            played = MatchesResult.joined(executor.map(_play_block, jobs))
            usual = usual or played
            run.matches.append(_row(rule, opponent, played, usual))
            say(_match_line(run.matches[-1]))
    return run


def _row(rule: str, opponent: str, played: MatchesResult, usual: MatchesResult) -> SeekingRow:
    parts = (played.expected, played.showdowns, played.certain, played.needed)
    means = [_interval(part.mean(axis=1)) for part in parts]
    row = SeekingRow(rule, opponent, played.chips.size, played.mean, played.won, *means)
    if not rule:
        return row
    more, sooner = played.expected - usual.expected, usual.certain - played.certain
    return row._replace(more=_interval(more.mean(axis=1)), sooner=_interval(sooner.mean(axis=1)))


def _interval(values: npt.NDArray[np.float64]) -> Interval:
    return tally(values.tolist()).interval


def seeking_tables(run: SeekingRun) -> str:
    """The tables as Markdown."""
    lines = []
    if run.prices:
        lines += [
            "| rule, order known to both | deals | more showdowns in 1,000 hands | chips | "
            "chips for one more |",
            "|---|---|---|---|---|",
            *map(_price_line, run.prices),
            "",
        ]
    if run.matches:
        lines += [
            "| rule | against | matches | chips a match | matches won | expected chips | "
            "more than without | showdowns | known after hand | hands sooner | after showdown |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
            *map(_match_line, run.matches),
        ]
    return "\n".join(lines) + "\n"


def _price_line(row: PriceRow) -> str:
    each = row.chips.mean / row.showdowns.mean if row.showdowns.mean else float("nan")
    values = f"{_signed(row.showdowns)} | {_signed(row.chips)} | {each:+.2f}"
    return f"| {row.rule} | {row.deals:,} | {values} |"


def _match_line(row: SeekingRow) -> str:
    cells = [
        row.rule or "none",
        row.opponent,
        f"{row.matches:,}",
        _signed(row.chips),
        f"{100 * row.won.mean:.1f} ± {100 * row.won.half_width:.1f} %",
        _signed(row.expected),
        "" if row.more is None else _signed(row.more),
        _plain(row.showdowns),
        _plain(row.certain),
        "" if row.sooner is None else _signed(row.sooner),
        _plain(row.needed),
    ]
    return f"| {' | '.join(cells)} |"


def _signed(value: Interval) -> str:
    return f"{value.mean:+.0f} ± {value.half_width:.0f}"


def _plain(value: Interval) -> str:
    return f"{value.mean:.0f} ± {value.half_width:.0f}"
