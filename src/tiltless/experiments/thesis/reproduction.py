"""Reproduction of the thesis' experiment: a cross table of seven bots and our blueprint.

The game is the thesis': 1,000 chips, blinds 5 and 10, stacks reset after every hand,
PyPokerEngine's order of blinds (the small blind is first on every street), folds allowed when
checking is free. Unlike the thesis, we use our own evaluator, since PyPokerEngine's is wrong in one
showdown in twenty-five, and mirrored deals.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tiltless.arena.cross_table import CrossTable, play_cross_table
from tiltless.arena.match import Progress, play_stored
from tiltless.arena.plan import MatchPlan, deals_for
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.executor import Executor
from tiltless.experiments.thesis.published import THESIS, Published
from tiltless.intervals import Interval

__all__ = ["ORDERS", "Reproduction", "beats_all", "markdown", "play_thesis", "thesis_plan"]

ORDERS = ("standard", "pypokerengine")
"""Orders of blinds in which our blueprint plays: the standard one, and the thesis'."""
_CHUNK = 250


def thesis_plan(agents: Sequence[str], hands: int, seed: int, order: str) -> MatchPlan:
    """A match in the thesis' game; order: order of blinds, one of `ORDERS`."""
    game = {"stack": 1000, "blinds": (5, 10), "free_fold": True, "heads_up": order}
    deals = deals_for(hands, 2)
    return MatchPlan(tuple(agents), deals, "nlhe", tuple(game.items()), seed, chunk=_CHUNK)


class Reproduction(NamedTuple):
    """The results of the experiment.

    published: the thesis' table, with the texts of the agents that played.  table: the seven bots.
    ours: our agent's matches, by order of blinds and opponent.  matches: number of matches.
    earlier: hands that were already in the store, for each match that had some.
    """

    published: Published
    table: CrossTable
    agent: str
    ours: dict[tuple[str, str], MatchRecord]
    matches: int
    earlier: tuple[int, ...]

    def cell(self, row: str, column: str) -> Interval:
        """Our result for a cell, in the unit of the published table."""
        agents = self.table.agents
        cell = self.table.cell(agents.index(row), agents.index(column))
        assert cell is not None
        return cell

    def row(self, order: str) -> dict[str, Interval]:
        """What our agent won against each bot."""
        cells = {}
        for (played, opponent), record in self.ours.items():
            if played == order:
                factor = unit_factor(self.published.unit, record.plan.table.rules)
                cells[opponent] = record.scores[0].interval(factor)
        return cells


def beats_all(run: Reproduction, order: str = "standard") -> bool:
    """Whether our agent beats every bot, with every interval above zero."""
    return all(cell.low > 0 for cell in run.row(order).values())


def play_thesis(
    store: Store,
    *,
    agent: str = "blueprint",
    hands: int = THESIS.hands,
    seed: int = 0,
    processes: int | Executor = 1,
    toy: str = "",
    begin: Callable[[MatchPlan], Progress | None] | None = None,
    note: Callable[[str], None] | None = None,
) -> Reproduction:
    """Play everything that is not yet in the store.

    toy: the file of CFRv1's and CFRv2's blueprint; empty for the default.
    begin: called before each match; returns the match's progress callback.  note: see
    `play_stored`.
    """
    published = _with_toy(THESIS, toy)
    bots = published.agents
    earlier: dict[MatchPlan, int] = {}

    def counted(match: MatchPlan) -> Progress:
        progress = begin(match) if begin else None

        def count(deals: int, scores: Sequence[Score]) -> None:
            earlier.setdefault(match, deals * match.seatings)  # called before the first deal, too
            if progress:
                progress(deals, scores)

        return count

    plan = thesis_plan(bots[:2], hands, seed, "pypokerengine")
    table = play_cross_table(
        plan,
        bots,
        store,
        unit=THESIS.unit,
        processes=processes,
        resume=True,
        keep_hands=False,
        begin=counted,
        note=note,
    )
    ours = {}
    for order in ORDERS:
        for bot in bots:
            match = thesis_plan((agent, bot), hands, seed, order)
            ours[order, bot] = play_stored(
                match,
                store,
                processes=processes,
                resume=True,
                keep_hands=False,
                progress=counted(match),
                note=note,
            )
    some = tuple(filter(None, earlier.values()))
    return Reproduction(published, table, agent, ours, len(earlier), some)


def _with_toy(published: Published, toy: str) -> Published:
    """The same table with CFRv1 and CFRv2 from a file."""
    if not toy:
        return published
    texts = {
        text: f"{text}:file={toy}" if text.startswith("cfr-") else text for text in published.agents
    }
    values = {(texts[row], texts[column]): won for (row, column), won in published.values.items()}
    return published._replace(agents=tuple(texts.values()), values=values)


def markdown(run: Reproduction) -> str:
    """The tables as Markdown: our result with the half-width of its 95 % interval, and theirs."""
    published, bots = run.published, run.published.agents
    names = dict(zip(bots, published.names, strict=True))
    head = "| " + " | ".join(["", *published.names]) + " |\n" + "|---" * (len(bots) + 1) + "|\n"
    lines = [f"What the row won against the column, {published.unit}; in brackets as published.\n"]
    body = head
    for row in bots:
        cells = []
        for column in bots:
            if row == column:
                cells.append("")
                continue
            theirs = f"({published.values[row, column]:+.2f})"
            cells.append(f"{_cell(run.cell(row, column))} {theirs}")
        body += f"| {names[row]} | " + " | ".join(cells) + " |\n"
    lines.append(body)
    lines.append(f"{run.agent}, ours, against the same bots, {published.unit}:\n")
    body = head
    for order in ORDERS:
        row_cells = run.row(order)
        title = "standard order of blinds" if order == "standard" else "the thesis' order"
        body += f"| {title} | " + " | ".join(_cell(row_cells[bot]) for bot in bots) + " |\n"
    lines.append(body)
    return "\n".join(lines)


def _cell(cell: Interval) -> str:
    return f"{cell.mean:+.2f} ± {cell.half_width:.2f}"
