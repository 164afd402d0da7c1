"""Cross tables: every agent against every other.

Two seats: one match for each pair. More seats: two for each pair, one agent of the row against
copies of the column's and the other way round, since one is not the opposite of the other.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import combinations, permutations
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from tiltless.arena.match import Progress, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.matches_won import longer_side, matches_won
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.errors import OptionError
from tiltless.executor import Executor
from tiltless.intervals import Interval
from tiltless.validate import an_instance, brief

__all__ = [
    "CrossTable",
    "Standing",
    "cross_table",
    "pair_plans",
    "play_cross_table",
    "short_name",
]

T = TypeVar("T")


class Standing(NamedTuple):
    """A row of the ranking: the mean of an agent's matches, with equal weights.

    mean: its interval assumes independent matches, since each pair has its own deals.
    beaten, lost: number of opponents against whom the whole interval is above, or below, zero; see
    `CrossTable.sign`.  sign: likewise for the mean.
    """

    agent: str
    mean: Interval
    beaten: int
    lost: int
    sign: int


class CrossTable(NamedTuple):
    """The matches of all pairs.

    agents: in the order of the rows.  matches: by pair (row, column), of two seats row < column
    only.
    seed: the seed of the table, from which those of its matches are derived.
    """

    agents: tuple[str, ...]
    matches: dict[tuple[int, int], MatchRecord]
    unit: str
    seed: int = 0

    def __repr__(self) -> str:
        return f"<CrossTable of {', '.join(self.agents)}: {self.hands:,} hands, {self.unit}>"

    @property
    def cell_unit(self) -> str:
        """The unit of cells: `unit`, or percent of matches above one half if they are counted."""
        counted = next(iter(self.matches.values())).plan.match_hands
        return "% of matches above 50" if counted else self.unit

    @property
    def seats(self) -> int:
        """Seats at the tables."""
        return len(next(iter(self.matches.values())).plan.agents)

    @property
    def what(self) -> str:
        """Whose winnings are in a cell."""
        if self.seats == 2:
            return "the row from the column"
        return f"one of the row against {self.seats - 1} of the column"

    def _match(self, row: int, column: int) -> tuple[MatchRecord, Score]:
        """The match of the row's agent against the column's, and its score."""
        if (row, column) in self.matches:
            record = self.matches[row, column]
            return record, record.scores[0]
        record = self.matches[column, row]
        return record, record.scores[1]

    def cell(self, row: int, column: int) -> Interval | None:
        """What the row's agent wins against the column's, in `cell_unit`; None on the diagonal."""
        if row == column:
            return None
        record, score = self._match(row, column)
        if record.plan.match_hands:
            share = matches_won(record.plan, score)
            return Interval.around(100 * (share.mean - 0.5), 100 * longer_side(share))
        return score.interval(unit_factor(self.unit, record.plan.table.rules))

    def sign(self, row: int, column: int) -> int:
        """1 if the row's agent is ahead, -1 if it is behind, 0 if that is undecided.

        An agent is ahead if zero is outside the interval, unless there are too few units or the
        dealer had to play for an agent; see `Score`.
        """
        cell = self.cell(row, column)
        return 0 if cell is None or not self._is_valid(row, column) else _sign(cell)

    def _is_valid(self, row: int, column: int) -> bool:
        scores = self._match(row, column)[0].scores
        return scores[0].is_enough and not any(score.is_broken for score in scores)

    @property
    def broken(self) -> tuple[int, ...]:
        """Rows of the agents for which the dealer made most decisions in some match."""
        rows = {row for row, score in self._scores() if score.is_broken}
        return tuple(sorted(rows))

    def _scores(self) -> Iterator[tuple[int, Score]]:
        """Every score of every match, with its row."""
        for (first, second), record in self.matches.items():
            yield first, record.scores[0]
            for score in record.scores[1:]:
                yield second, score

    def score(self, row: int) -> Score:
        """The merged score of all matches of an agent, for its statistics and times."""
        whole = Score()
        for each, score in self._scores():
            if each == row:
                whole = whole.merge(score)
        return whole

    def alone(self, row: int) -> Score:
        """The merged score of an agent against copies of each other, whose deals are its own."""
        whole = Score()
        for (first, _), record in self.matches.items():
            if first == row:
                whole = whole.merge(record.scores[0])
        return whole

    def standing(self, row: int) -> Standing:
        """An agent's result against all others."""
        others = [column for column in range(len(self.agents)) if column != row]
        cells = [self.cell(row, column) for column in others]
        signs = [self.sign(row, column) for column in others]
        played = [cell for cell in cells if cell is not None]
        mean = math.fsum(cell.mean for cell in played) / len(played)
        half = math.sqrt(math.fsum(cell.half_width**2 for cell in played)) / len(played)
        whole = Interval.around(mean, half)
        valid = all(self._is_valid(row, column) for column in others)
        return Standing(
            self.agents[row], whole, signs.count(1), signs.count(-1), _sign(whole) if valid else 0
        )

    @property
    def ranking(self) -> list[int]:
        """Rows, best mean first."""
        means = [self.standing(row).mean.mean for row in range(len(self.agents))]
        return sorted(range(len(self.agents)), key=lambda row: -means[row])

    def sorted(self) -> "CrossTable":
        """The same table, sorted with the best agent on top."""
        order = self.ranking
        rank = {old: new for new, old in enumerate(order)}
        matches = {}
        for (row, column), record in self.matches.items():
            first, second = rank[row], rank[column]
            if self.seats > 2:
                matches[first, second] = record
                continue
            match = record if first < second else _swapped(record)
            matches[min(first, second), max(first, second)] = match
        return self._replace(agents=tuple(self.agents[row] for row in order), matches=matches)

    @property
    def names(self) -> tuple[str, ...]:
        """Short names of the agents, or their full texts if short names would coincide."""
        short = tuple(map(short_name, self.agents))
        return short if len(set(short)) == len(short) else self.agents

    @property
    def hands(self) -> int:
        """Hands of all matches."""
        return sum(record.hands for record in self.matches.values())


def _sign(result: Interval) -> int:
    return int(result.low > 0) - int(result.high < 0)


def short_name(text: str) -> str:
    """``"blueprint (minute)"`` for ``blueprint:file=runs/minute/blueprint.safetensors``."""
    name, _, options = text.partition(":")
    path = PurePath(options.removeprefix("file="))
    if not options.startswith("file=") or "," in options or len(path.parts) < 2:
        return text
    return f"{name} ({path.parent.name if path.stem == 'blueprint' else path.stem})"


def _swapped(record: MatchRecord) -> MatchRecord:
    """The same match from the other agent's side."""
    return record._replace(scores=record.scores[::-1])


def cross_table(
    agents: Sequence[str], records: Sequence[MatchRecord], unit: str = "mbb/h", seed: int = 0
) -> CrossTable:
    """A table of finished matches, in the order of `pair_plans`."""
    pairs = _pairs(range(len(agents)), len(records[0].plan.agents))
    return CrossTable(tuple(agents), dict(zip(pairs, records, strict=True)), unit, seed)


def play_cross_table(
    plan: MatchPlan,
    agents: Sequence[str],
    store: Store,
    *,
    unit: str = "mbb/h",
    processes: int | Executor = 1,
    resume: bool = False,
    keep_hands: bool = True,
    begin: Callable[[MatchPlan], Progress | None] | None = None,
    note: Callable[[str], None] | None = None,
) -> CrossTable:
    """Play a match for each pair of agents.

    plan: the model for all matches, which differ in agents and seed only; shared deals would
    correlate the results of an agent's matches, and make the interval of its mean wrong.
    begin: called before each match; returns the match's progress callback.  note: see
    `play_stored`.
    """
    an_instance("plan", plan, MatchPlan, "make one as docs/api.md shows")
    an_instance("store", store, Store, "open one: with Store('results.sqlite') as store")
    plans = pair_plans(plan, agents)
    texts = tuple(text.strip() for text in agents)
    for each in plans:
        each.make_agents()  # errors come before any match is played
    records = []
    for each in plans:
        progress = begin(each) if begin else None
        records.append(
            play_stored(
                each,
                store,
                processes=processes,
                resume=resume,
                keep_hands=keep_hands,
                progress=progress,
                note=note,
            )
        )
    return cross_table(texts, records, unit, plan.seed)


def pair_plans(plan: MatchPlan, agents: Sequence[str]) -> list[MatchPlan]:
    """The matches of a cross table: pairs in order, of more than two seats also the other way."""
    if isinstance(agents, str):
        raise OptionError(f"agents={brief(agents)} is one text; give a list, one text for each")
    if not all(isinstance(agent, str) for agent in agents):
        raise OptionError("a cross table takes agents as texts, not objects; write module:Class")
    texts = tuple(text.strip() for text in agents)
    if len(set(texts)) < len(texts) or len(texts) < 2:
        raise OptionError(
            f"agents {', '.join(texts)} do not make a cross table; name two or more, once each"
        )
    return [_between(plan, pair) for pair in _pairs(texts, len(plan.agents))]


def _pairs(agents: Sequence[T], seats: int) -> list[tuple[T, T]]:
    return list(combinations(agents, 2) if seats == 2 else permutations(agents, 2))


def _pair_seed(seed: int, pair: tuple[str, str]) -> int:
    """A seed for two agents, independent of the other agents in the table."""
    text = json.dumps([seed, *pair]).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest()) >> 1


def _between(plan: MatchPlan, pair: tuple[str, str]) -> MatchPlan:
    one, other = pair
    return MatchPlan(
        (one, *[other] * (len(plan.agents) - 1)),
        plan.deals,
        plan.game,
        plan.parameters,
        _pair_seed(plan.seed, pair),
        plan.mirrored,
        plan.carry,
        plan.clock,
        plan.chunk,
        match_hands=plan.match_hands,
        game_hands=plan.game_hands,
        trusted=plan.trusted,
    )
