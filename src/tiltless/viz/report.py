"""HTML report of a cross table: one page without scripts, fonts or other files."""

from base64 import b64encode
from collections.abc import Iterable
from html import escape

from tiltless._version import __version__
from tiltless.arena.cross_table import CrossTable
from tiltless.arena.score_text import (
    POSITION_STATS,
    STATS,
    fault_lines,
    position_rows,
    source_lines,
    stats_row,
    times_row,
)
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.intervals import Interval
from tiltless.viz.colours import result_colour
from tiltless.viz.cross_table import cell_text, largest

__all__ = ["html_page", "html_report"]


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 72rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; }
h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: separate; border-spacing: 3px; }
th { font-weight: 600; text-align: left; padding: .2rem .6rem; }
td { text-align: right; padding: .3rem .6rem; font-variant-numeric: tabular-nums;
  background: #f6f6f6; border-radius: 3px; white-space: nowrap; }
td small { color: #444; display: block; font-size: .75rem; }
td.unsure { color: #555; }
td.sure { font-weight: 600; }
td.none { background: #eee; }
.scroll { overflow-x: auto; }
.quiet { color: #555; }
dt { font-weight: 600; }
dd { margin: 0 0 .3rem 1.2rem; }
img { max-width: 100%; }
"""


def html_report(table: CrossTable, *, title: str, picture: bytes = b"") -> str:
    """The HTML page, with the best agent on top.  picture: a PNG, embedded in the page."""
    table = table.sorted()
    first = next(iter(table.matches.values()))
    plan = first.plan
    times = "twice with seats swapped" if table.seats == 2 else "in every rotation of the seats"
    mirrored = (
        f"Each deal was played {times}, so {'both' if table.seats == 2 else 'all'} had the same "
        "cards."
        if plan.mirrored
        else "Each deal was played once; seats were not swapped."
    )
    stacks = (
        f"Stacks were carried from hand to hand in {plan.unit}s of {plan.deals_per_unit} deals."
        if plan.carry
        else "Stacks were the same at the start of every hand."
    )
    cell = "pair" if table.seats == 2 else "cell"
    unfinished = sum(not record.is_over for record in table.matches.values())
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(plan.game_text)}, {first.hands:,} hands a {cell}, '
        f"{table.hands:,} in total, seed {table.seed}. {mirrored} {stacks}</p>",
        "<p><strong>Some matches are not finished; the numbers are provisional.</strong></p>"
        if unfinished
        else "",
        *(f"<p>{escape(line)}</p>" for line in fault_lines(table.names, _scores(table))),
        f"<p>{_verdict(table)}</p>",
        "<h2>Who beats whom</h2>",
        f"<p>What is won by {table.what}, in "
        f"{_unit_words(table.cell_unit)}. "
        "Below it the 95 % interval: it contains the true value for about 19 of 20 such cells. "
        "Bold: zero is outside of it, so somebody is ahead. The last column is the mean against "
        "everybody; each match has deals of its own, so they are independent.</p>",
        _grid(table),
        "<h2>How they play</h2>",
        _stats(table),
        "<dl>" + "".join(f"<dt>{n}</dt><dd>{escape(t)}</dd>" for n, t in STATS) + "</dl>",
        *_positions(table),
        "<h2>Response times</h2>",
        "<p>Time of a decision that half, 95 % and 99 % of all decisions stayed below, and the "
        "longest one.</p>",
        _times(table),
        *_sources(table),
    ]
    if picture:
        data = b64encode(picture).decode()
        parts.append(
            f'<h2>Picture</h2><img alt="{escape(title)}" src="data:image/png;base64,{data}">'
        )
    parts.append(
        f'<p class="quiet">tiltless {__version__}. Begun {escape(first.begun)}. The unit of the '
        f"statistics is the {plan.unit}.</p>"
    )
    return html_page(title, _STYLE, parts)


def html_page(title: str, style: str, parts: Iterable[str]) -> str:
    """A page of some parts; empty ones are left out."""
    body = "\n".join(filter(None, parts))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n<body>\n{body}\n"
        "</body></html>\n"
    )


def _verdict(table: CrossTable) -> str:
    """One sentence: which agent won, and how certain that is."""
    if table.broken:
        names = ", ".join(table.names[row] for row in table.broken)
        return f"<strong>No verdict</strong>: most decisions of {escape(names)} were rulings."
    best = table.standing(0)
    others = len(table.agents) - 1
    big, small = cell_text(best.mean)
    beaten = "everybody" if best.beaten == others else f"{best.beaten} of {others} opponents"
    return (
        f"<strong>{escape(table.names[0])}</strong> did best: {big} {small} {table.cell_unit} on "
        f"average. It beats {beaten}, with zero outside the interval."
    )


def _unit_words(unit: str) -> str:
    return {
        "mbb/h": "thousandths of a big blind a hand (mbb/h)",
        "bb/100": "big blinds per hundred hands (bb/100)",
        "sb/h": "small blinds a hand (sb/h)",
        "% of matches above 50": "percent of matches above one half",
    }.get(unit, "chips a hand")


def _table(head: Iterable[str], names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """An HTML table.  head, names: headings of columns and rows.  rows: cells with their tags."""
    heads = "".join(f"<th>{escape(text)}</th>" for text in ("", *head))
    lines = (
        f"<tr><th>{escape(name)}</th>{''.join(row)}</tr>"
        for name, row in zip(names, rows, strict=True)
    )
    return f'<div class="scroll"><table><tr>{heads}</tr>{"".join(lines)}</table></div>'


def _plain(cells: Iterable[str]) -> list[str]:
    return [f"<td>{cell}</td>" for cell in cells]


def _grid(table: CrossTable) -> str:
    scale, rows = largest(table), []
    columns = range(len(table.agents))
    for row in columns:
        cells = [_cell(table.cell(row, each), table.sign(row, each), scale) for each in columns]
        standing = table.standing(row)
        rows.append([*cells, _cell(standing.mean, standing.sign, scale)])
    return _table([*table.names, "mean"], table.names, rows)


def _cell(cell: Interval | None, sign: int, scale: float) -> str:
    if cell is None:
        return '<td class="none"></td>'
    colour = result_colour(cell.mean, scale)
    big, small = cell_text(cell)
    sure = "sure" if sign else "unsure"
    return f'<td class="{sure}" style="background:{colour}">{big}<small>{small}</small></td>'


def _scores(table: CrossTable) -> list[Score]:
    return [table.score(row) for row in range(len(table.agents))]


def _stats(table: CrossTable) -> str:
    rows = (_plain(stats_row(score)) for score in _scores(table))
    return _table([name for name, _ in STATS], table.names, rows)


def _positions(table: CrossTable) -> list[str]:
    """What each agent won in each position; nothing for two seats."""
    factor = unit_factor(table.unit, next(iter(table.matches.values())).plan.table.rules)
    names, rows = [], []
    for row, name in enumerate(table.names):
        score = table.alone(row)
        for position, cells in position_rows(score, factor):
            names.append(f"{name}, {position}")
            rows.append(_plain(cells))
    if not rows:
        return []
    about = f"<p>What one agent won against copies of others, in {_unit_words(table.unit)}.</p>"
    return ["<h2>By position</h2>", about, _table(POSITION_STATS, names, rows)]


def _times(table: CrossTable) -> str:
    scores = _scores(table)
    head = ["50 %", "95 %", "99 %", "longest"]
    if not any(any(score.faults) for score in scores):
        return _table(head, table.names, (_plain(times_row(score)) for score in scores))
    rows = (_plain([*times_row(score), str(score.faults) or "none"]) for score in scores)
    return _table([*head, "rulings"], table.names, rows) + (
        '<p class="quiet">Rulings: decisions that crashed, were illegal or late, and counted as '
        "check or fold.</p>"
    )


def _sources(table: CrossTable) -> list[str]:
    lines = source_lines(table.names, _scores(table))
    if not lines:
        return []
    about = "<p>Sources of decisions, if agents report them; rulings are not counted.</p>"
    return ["<h2>What decided</h2>", about, *(f"<p>{escape(line)}</p>" for line in lines)]
