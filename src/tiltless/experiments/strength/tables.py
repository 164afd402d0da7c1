"""The strength tables as data, Markdown and JSON, beside the published ones."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tiltless.arena.estimators.evaluation import RANGES
from tiltless.arena.estimators.lbr import SETTINGS
from tiltless.arena.plan import MatchPlan
from tiltless.experiments.strength.cells import Cell
from tiltless.experiments.strength.play import LEAST_DEALS, Figure
from tiltless.experiments.strength.published import PUBLISHED
from tiltless.games.parameter_text import read_parameters
from tiltless.intervals import Interval

__all__ = ["ResultTable", "TableText", "details", "facts", "markdown", "result_tables", "verdicts"]

Figures = Mapping[Cell, Figure]


class TableText(NamedTuple):
    """A cell of a table.  good: whether the whole interval is on the side that was hoped for."""

    text: str
    good: bool = False


class ResultTable(NamedTuple):
    """A table.  about: a sentence or two below the title.  rows: with a name in front of each."""

    title: str
    about: str
    head: tuple[str, ...]
    rows: tuple[tuple[TableText, ...], ...]


def result_tables(figures: Figures, seed: int) -> list[ResultTable]:
    """All tables that have at least one figure."""
    tables = [
        _lbr(figures, seed),
        _match(figures, seed),
        *(_bots(figures, seed, *names) for names in _BOT_TABLES),
        *_proofs(figures),
    ]
    return [table for table in tables if table is not None]


_BOT_TABLES = (
    ("probes", "Probes", "one simple idea each"),
    ("bots", "Bots of the thesis", "with our stacks and blinds, not the thesis'"),
)


def _lbr(figures: Figures, seed: int) -> ResultTable | None:
    some = {cell: figure for cell, figure in figures.items() if cell.table == "lbr"}
    if not some:
        return None
    rows = []
    for agent, game in dict.fromkeys((cell.second, cell.game) for cell in some):
        found = {cell.first: each for cell, each in some.items() if _is_of(cell, agent, game)}
        texts = [_won(found.get(name), below=True) for name in SETTINGS]
        rows.append((TableText(f"`{agent}`"), TableText(stack_text(game)), *texts))
    for bot in PUBLISHED:
        won = (TableText(f"{mean:,} ± {half:,}") for mean, half in bot.won)
        rows.append((TableText(f"{bot.bot}, published"), TableText(f"{bot.stack} bb"), *won))
    about = (
        "What a local best response wins, mbb/h: (1) fold and call everywhere; (2) call to the "
        "turn, then pot and all-in bets too; (3) the same with 56 sizes; (4) 56 sizes on the flop, "
        f"then fold and call. {_how(some, seed)}"
    )
    head = ("agent", "stacks", *(f"({name})" for name in SETTINGS))
    return ResultTable("Local best response", about, head, tuple(rows))


def _is_of(cell: Cell, agent: str, game: str) -> bool:
    return (cell.second, cell.game) == (agent, game)


def _match(figures: Figures, seed: int) -> ResultTable | None:
    some = {cell: figure for cell, figure in figures.items() if cell.table == "match"}
    if not some:
        return None
    rows = tuple(
        (
            TableText(f"`{cell.first}` against `{cell.second}`"),
            TableText(stack_text(cell.game)),
            TableText(f"{figure.hands:,}"),
            _won(figure),
        )
        for cell, figure in some.items()
    )
    head = ("match", "stacks", "hands", "the first wins")
    about = f"Mirrored, mbb/h. {_how(some, seed)}"
    return ResultTable("Search against its blueprint", about, head, rows)


def _bots(figures: Figures, seed: int, table: str, title: str, what: str) -> ResultTable | None:
    some = {cell: figure for cell, figure in figures.items() if cell.table == table}
    if not some:
        return None
    columns = list(dict.fromkeys((cell.second, cell.game) for cell in some))
    rows = []
    for bot in dict.fromkeys(cell.first for cell in some):
        found = {(cell.second, cell.game): each for cell, each in some.items() if cell.first == bot}
        rows.append((TableText(f"`{bot}`"), *(_won(found.get(key), below=True) for key in columns)))
    head = ("", *(f"`{agent}`, {stack_text(game)}" for agent, game in columns))
    about = f"What each wins ({what}), mirrored, mbb/h. {_how(some, seed)}"
    return ResultTable(title, about, head, tuple(rows))


def _proofs(figures: Figures) -> Iterator[ResultTable]:
    for cell, figure in figures.items():
        if cell.table != "proof" or not figure.proof:
            continue
        street, found = cell.first, figure.proof
        rows = []
        for key in found:
            match = re.fullmatch(rf"{street}_(.+)_gain_mbb", key)
            if match:
                name = f"{street}_{match[1]}"
                rows.append(
                    (
                        TableText(match[1].replace("_", ", ")),
                        _span(found, f"{name}_gain_mbb", above=True),
                        _span(found, f"{name}_loss_mbb", above=False),
                        _span(found, f"{name}_gift_percent", above=False),
                    )
                )
        loss = found.get(f"{street}_blueprint_loss_mbb")
        against = f"A best response wins {loss:,.0f} mbb against the blueprint. " if loss else ""
        about = (
            f"Roots of the blueprint's self-play: {cell.hands:,}, both seats, 95 % over roots. "
            "(a) how much more search wins against the blueprint than the blueprint would, mbb; "
            "(b) how much more a best response wins against search than against the blueprint, "
            f"mbb; (c) the largest gain of any opponent hand, % of the pot. {against}All of it is "
            "judged inside search's own tree and at the ranges that search believes, where its "
            "solver makes (b) small by construction; other sizes and other ranges are for local "
            f"best response. `{next(cell.blocks(0)).command}`."
        )
        title = f"Search on the {street}, computed exactly"
        yield ResultTable(title, about, ("search", "(a)", "(b)", "(c)"), tuple(rows))


def _span(found: Mapping[str, Any], key: str, *, above: bool) -> TableText:
    mean, low, high = (found.get(f"{key}{end}") for end in ("", "_low", "_high"))
    if mean is None or low is None or high is None:
        return TableText("?")
    good = low > 0 if above else high < 0
    if not (math.isfinite(low) and math.isfinite(high)):
        return TableText(f"{mean:+,.0f}")
    return TableText(f"{mean:+,.0f} ({low:,.0f} to {high:,.0f})", good)


def _won(figure: Figure | None, *, below: bool = False) -> TableText:
    """A result; below: whether it is good if the whole interval is at or below 0."""
    if figure is None:
        return TableText("")
    interval = figure.interval
    good = interval.high <= 0 if below else interval.low > 0
    return TableText(_number(interval), good and math.isfinite(interval.half_width))


def _number(interval: Interval) -> str:
    half = f"{interval.half_width:,.0f}" if math.isfinite(interval.half_width) else "?"
    return f"{interval.mean:,.0f} ± {half}"


def stack_text(game: str) -> str:
    """The stacks of a game: ``100 bb``."""
    rules = MatchPlan(("fish", "fish"), 1, "nlhe", read_parameters(game.split())).table.rules
    return f"{min(rules.stacks) / rules.big_blind:g} bb"


def _how(some: Figures, seed: int) -> str:
    """The sentence with hands and seeds."""
    hands: dict[str, list[int]] = {}
    for cell, figure in some.items():
        hands.setdefault(cell.second, []).append(figure.hands)
    ranges = {agent: _range(numbers) for agent, numbers in hands.items()}
    if len(set(ranges.values())) == 1:
        many = f"{next(iter(ranges.values()))} hands for each figure"
    else:
        each = (f"{numbers} against `{agent}`" for agent, numbers in ranges.items())
        many = f"hands for each figure: {', '.join(each)}"
    blocks = max(len(list(cell.blocks(seed))) for cell in some)
    seeds = f"seeds {seed} to {seed + blocks - 1}" if blocks > 1 else f"seed {seed}"
    methods = dict.fromkeys(_METHODS[_estimator(*each)] for each in some.items())
    few = any(figure.interval.half_width == math.inf for figure in some.values())
    none = f"; ± ? for fewer than {LEAST_DEALS} deals" if few else ""
    return f"95 % intervals by {' and '.join(methods)}{none}; {many}; {seeds}."


_METHODS = {"ranges": "whole ranges on each board", "aivat": "AIVAT", "raw": "raw winnings"}


def _estimator(cell: Cell, figure: Figure) -> str:
    """What the interval of a figure is computed by."""
    if figure.aivat is not None:
        return "aivat"
    return RANGES if cell.estimator == RANGES else "raw"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def verdicts(figures: Figures) -> Iterator[str]:
    """What the tables show, in sentences: no claim where an interval contains 0."""
    for agent, game in dict.fromkeys((c.second, c.game) for c in figures if c.table == "lbr"):
        won = {
            cell.first: figure.interval
            for cell, figure in figures.items()
            if cell.table == "lbr" and _is_of(cell, agent, game)
        }
        held = [name for name, interval in won.items() if interval.high <= 0]
        worst = max(won, key=lambda name: won[name].mean)
        names = f" ({', '.join(held)})" if held else ""
        yield (
            f"{agent}, {stack_text(game)}: LBR is at or below 0, interval included, in "
            f"{len(held)} of {len(won)} settings{names}; it wins "
            f"most in ({worst}), {_number(won[worst])} mbb/h"
        )
    for table in ("probes", "bots"):
        for agent, game in dict.fromkeys((c.second, c.game) for c in figures if c.table == table):
            others = {
                cell.first: figure.interval
                for cell, figure in figures.items()
                if cell.table == table and _is_of(cell, agent, game)
            }
            open_ = [name for name, interval in others.items() if interval.high > 0]
            rest = f"; not shown for {', '.join(open_)}" if open_ else ""
            yield (
                f"{agent}, {stack_text(game)}: {len(others) - len(open_)} of {len(others)} {table} "
                f"lose, interval included{rest}"
            )


def markdown(figures: Figures, seed: int, heading: str = "") -> str:
    """The tables, and how each figure was made.  heading: a line above them."""
    parts = [heading]
    for table in result_tables(figures, seed):
        parts.append(f"### {table.title}\n\n{table.about}\n\n{_lines(table)}")
    parts.append("\n".join(f"- {line}" for line in verdicts(figures)))
    parts.append(f"### How each figure was made\n\n{_lines(details(figures, seed))}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _lines(table: ResultTable) -> str:
    lines = ["| " + " | ".join(table.head) + " |", "|---" * len(table.head) + "|"]
    for row in table.rows:
        texts = (f"**{each.text}**" if each.good else each.text for each in row)
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join(lines)


def details(figures: Figures, seed: int) -> ResultTable:
    """Hands, seeds, the uncorrected result and the command of the first block of each cell."""
    rows = []
    for cell, figure in figures.items():
        blocks = list(cell.blocks(seed))
        part = "" if figure.hands >= cell.hands else f" of {cell.hands:,}"
        seeds = f"{seed} to {blocks[-1].seed}" if len(blocks) > 1 else f"{seed}"
        raw = _number(figure.raw_interval) if figure.raw.count else ""
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        ruled = f"; {figure.rulings} rulings" if figure.rulings else ""
        texts = (
            f"{cell.title}{ruled}",
            f"{figure.hands:,}{part}",
            "" if cell.table == "proof" else seeds,
            raw,
            ratio,
            f"{figure.seconds:,.0f}",
            f"`{blocks[0].command}`",
        )
        rows.append(tuple(map(TableText, texts)))
    head = ("figure", "hands", "seeds", "raw", "variance", "seconds", "command of the first block")
    return ResultTable("How each figure was made", "", head, tuple(rows))


def facts(figures: Figures, seed: int) -> dict[str, Any]:
    """As JSON."""
    found = []
    for cell, figure in figures.items():
        blocks = list(cell.blocks(seed))
        row: dict[str, Any] = {
            "table": cell.table,
            "first": cell.first,
            "second": cell.second,
            "game": cell.game,
            "hands": figure.hands,
            "planned": cell.hands,
            "seeds": [blocks[0].seed, blocks[-1].seed],
            "seconds": figure.seconds,
            "commands": [block.command for block in blocks],
        }
        if cell.table == "proof":
            row["proof"] = {name: _finite(value) for name, value in figure.proof.items()}
        else:
            row |= {
                "estimator": _estimator(cell, figure),
                **_figures(figure.interval),
                "raw": _figures(figure.raw_interval),
                "variance_ratio": figure.ratio,
                "rulings": figure.rulings,
            }
        found.append(row)
    published = [each._asdict() for each in PUBLISHED]
    return {"seed": seed, "cells": found, "published_lbr": published}


def _figures(interval: Interval) -> dict[str, Any]:
    ends = [_finite(interval.low), _finite(interval.high)]
    return {"mbb_per_hand": interval.mean, "interval": ends}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
