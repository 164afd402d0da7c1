"""The River of Blood experiment: our bot against others, each row a match of mirrored deals.

The game is that of MIT Pokerbots 2023: 400 chips, blinds 1 and 2, stacks reset after every hand.
Rows, of which the last three are the questions that the reports leave open:

* opponents: the report's bot with its own preset, if a blueprint of it is there; Monte-Carlo and
  rule bots; a bot that is always all-in; the bot that teams begin with;
* the same blueprint cut at the river, with equity play on the run (and on red rivers), which is how
  the report plays;
* search against no search, with the clock of a match.

Both players of a mirrored deal have the same random numbers in the same seats, so two agents that
differ only on the run win nothing from each other in other hands: intervals of such rows are
narrow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tiltless.arena.match import Progress, play_stored
from tiltless.arena.plan import MatchPlan, deals_for
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.errors import OptionError
from tiltless.executor import Executor
from tiltless.experiments.preset_file import preset_file
from tiltless.intervals import Interval

__all__ = [
    "FULL",
    "QUICK",
    "UNIT",
    "HandCounts",
    "Pairing",
    "PairingResult",
    "facts",
    "markdown",
    "play_rows",
    "row_plan",
    "rows",
    "scaled",
]

UNIT = "mbb/h"
"""Thousandths of a big blind per hand."""
_CHUNK, _SLOW_CHUNK = 250, 50  # deals


@dataclass(frozen=True)
class HandCounts:
    """Hands of each kind of row: against bots, against the cut blueprint, and with search."""

    bots: int
    cut: int
    search: int


FULL = HandCounts(100_000, 400_000, 40_000)
QUICK = HandCounts(1_000, 2_000, 200)


class Pairing(NamedTuple):
    """A row: what ``ours`` wins against ``other``.  kind: a field of `HandCounts`."""

    name: str
    ours: str
    other: str
    kind: str


class PairingResult(NamedTuple):
    """A row that was played.  record: the match, whose first agent is ours."""

    row: Pairing
    record: MatchRecord

    @property
    def interval(self) -> Interval:
        """What ours won, in mbb/h."""
        factor = unit_factor(UNIT, self.record.plan.table.rules)
        return self.record.scores[0].interval(factor)

    @property
    def score(self) -> Score:
        """Of our bot."""
        return self.record.scores[0]


def rows(file: str = "", report: str = "", only: Sequence[str] = ()) -> list[Pairing]:
    """The rows of the table.

    file: our blueprint; empty for the one that ships.  report: the blueprint of the report's
    preset; empty for `preset_file`, and without one there is no such row.  only: words; a row is
    kept if its name contains one.
    """
    given = f"file={file}" if file else ""
    plain, cut = (_text("river-of-blood", given, "search=no", more) for more in ("", "cut=run"))
    manual = _text("river-of-blood", given, "search=no", "cut=red-river")
    searching = _text("river-of-blood", given)
    made = [
        Pairing("all-in", plain, "all-in", "bots"),
        Pairing("skeleton", plain, "mit-skeleton", "bots"),
        Pairing("rules", plain, "rules", "bots"),
        Pairing("Monte-Carlo", plain, "monte-carlo:rollouts=1000", "bots"),
        Pairing("Monte-Carlo, pot odds", plain, "monte-carlo:rollouts=1000,pot-odds", "bots"),
        Pairing("cut at the river", plain, cut, "cut"),
        Pairing("cut at red rivers", plain, manual, "cut"),
        Pairing("without search", searching, plain, "search"),
        Pairing("without search, cut at the river", searching, cut, "search"),
    ]
    if report or preset_file("calling-station").exists():
        station = _text("calling-station", f"file={report}" if report else "")
        made.insert(0, Pairing("Calling Station", plain, station, "bots"))
    kept = [row for row in made if not only or any(word in row.name for word in only)]
    if not kept:
        raise OptionError(
            f"no row of the table contains {' or '.join(map(repr, only))}; "
            f"there are {', '.join(row.name for row in made)}"
        )
    return kept


def _text(name: str, *options: str) -> str:
    """An agent with options, as `make_agent` reads it."""
    given = ",".join(filter(None, options))
    return f"{name}:{given}" if given else name


def row_plan(row: Pairing, hands: HandCounts, seed: int) -> MatchPlan:
    """The match of a row."""
    deals = deals_for(getattr(hands, row.kind), 2)
    chunk = _SLOW_CHUNK if row.kind == "search" else _CHUNK
    return MatchPlan((row.ours, row.other), deals, "river-of-blood", seed=seed, chunk=chunk)


def play_rows(
    store: Store,
    wanted: Sequence[Pairing],
    hands: HandCounts = FULL,
    *,
    seed: int = 0,
    processes: int | Executor = 1,
    begin: Callable[[Pairing, MatchPlan], Progress | None] | None = None,
    note: Callable[[str], None] | None = None,
) -> list[PairingResult]:
    """Play everything that is not yet in the store.

    begin: called before each match; returns its progress callback.  note: see `play_stored`.
    """
    found = []
    for row in wanted:
        plan = row_plan(row, hands, seed)
        record = play_stored(
            plan,
            store,
            processes=processes,
            resume=True,
            keep_hands=False,
            progress=begin(row, plan) if begin else None,
            note=note,
        )
        found.append(PairingResult(row, record))
    return found


def scaled(hands: HandCounts, factor: float) -> HandCounts:
    """So many times the hands, in even numbers."""
    return replace(
        hands,
        **{name: max(2, 2 * round(number * factor / 2)) for name, number in vars(hands).items()},
    )


def facts(results: Sequence[PairingResult], seed: int) -> dict[str, Any]:
    """The table as JSON."""
    told = []
    for result in results:
        row, cell, score = result.row, result.interval, result.score
        told.append(
            {
                "row": row.name,
                "agents": [row.ours, row.other],
                "hands": score.hands,
                "mean": cell.mean,
                "low": cell.low,
                "high": cell.high,
                "rulings": [each.faults.rulings for each in result.record.scores],
                "seconds_per_hand": score.times.total / max(score.hands, 1),
                "sources": dict(score.sources.counts),
            }
        )
    return {"unit": UNIT, "seed": seed, "rows": told}


def markdown(results: Sequence[PairingResult], seed: int) -> str:
    """The table as Markdown."""
    lines = [
        f"What ours wins, {UNIT} with 95 %; seed {seed}.\n",
        "| against | ours | hands | wins | thinking, ms a hand |",
        "|---|---|---|---|---|",
    ]
    for result in results:
        row, cell, score = result.row, result.interval, result.score
        spent = 1e3 * score.times.total / max(score.hands, 1)
        lines.append(
            f"| {row.name}: `{row.other}` | `{row.ours}` | {score.hands:,} | "
            f"{cell.mean:+,.0f} ± {cell.half_width:,.0f} | {spent:.1f} |"
        )
    return "\n".join(lines) + "\n"
