"""Texts of ``tiltless review``: tables for the terminal, and JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiltless.cli import ui
from tiltless.search.review_rows import DecisionRow, HandReview
from tiltless.search.review_totals import ReviewTotals, TotalLine
from tiltless.viz.terminal import cards_markup

__all__ = ["print_review", "review_json"]

_STYLES = {"blunder": "bold red", "mistake": "red", "inaccuracy": "yellow"}


def print_review(console: Console, totals: ReviewTotals, worst: Sequence[DecisionRow]) -> None:
    """The worst decisions, the totals, the leaks, and what the play is worth."""
    if worst:
        console.print(_decisions(worst))
    if totals.judged:
        for name, lines in (
            ("street", totals.streets),
            ("position", totals.positions),
            ("mistake", totals.kinds),
        ):
            console.print(_lines(name, lines))
    for each in totals.tendencies:
        if each.is_leak:
            ui.say(console, f"leak: {each}")
    for reason, count in totals.unjudged:
        ui.say(console, f"not judged: {count:,} hand{'s' * (count != 1)} ({reason})")
    if totals.skipped:
        ui.say(console, f"not judged: {totals.skipped:,} single decisions; --json says why")
    if totals.accuracy_words:
        ui.say(console, totals.accuracy_words)
    ui.say(console, totals.sentence)


def _decisions(rows: Sequence[DecisionRow]) -> Table:
    table = Table(
        title="the worst decisions",
        title_justify="left",
        box=None,
        pad_edge=False,
        collapse_padding=True,
    )
    for name in ("hand", "", "cards", "board", "before", "you chose", "better", "cost, bb"):
        table.add_column(name, justify="right" if name in ("hand", "cost, bb") else "left")
    table.add_column("", no_wrap=True)  # narrow terminals wrap the others first
    for row in rows:
        assert row.cost is not None
        half = f" ± {row.cost.half_width:.2f}" if row.cost.half_width > 0 else ""
        style = _STYLES.get(row.grade or "", "dim")
        table.add_row(
            str(row.hand),
            f"{row.street} {row.position}",
            cards_markup(row.cards),
            cards_markup(row.board) if row.board else "",
            escape(row.line),
            escape(row.taken),
            escape(row.best),
            f"{row.cost.mean:.2f}{half}",
            f"[{style}]{row.verdict.replace(', ', chr(10))}[/]",
        )
    return table


def _lines(name: str, lines: Sequence[TotalLine]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(name, min_width=12)
    for column in ("decisions", "mistakes", "cost, bb", "bb/100"):
        table.add_column(column, justify="right")
    for each in lines:
        table.add_row(
            each.name, f"{each.decisions:,}", f"{each.mistakes:,}", f"{each.cost:.2f}",
            f"{each.rate:.1f}",
        )  # fmt: skip
    return table


def review_json(totals: ReviewTotals, reviews: Sequence[HandReview]) -> dict[str, Any]:
    """Everything but the grids, in big blinds; numbers that are not known are NaN."""
    found = totals._asdict()
    return {
        **found,
        "value": totals.value._asdict(),
        "won": totals.won._asdict(),
        "unjudged": [{"reason": reason, "hands": count} for reason, count in totals.unjudged],
        "streets": [each._asdict() for each in totals.streets],
        "positions": [each._asdict() for each in totals.positions],
        "kinds": [each._asdict() for each in totals.kinds],
        "tendencies": [
            {**each._asdict(), "sigmas": each.sigmas, "leak": each.is_leak}
            for each in totals.tendencies
        ],
        "accuracy": dict(totals.accuracy),
        "sentence": totals.sentence,
        "reviews": [
            {
                "hand": each.number,
                "won": each.won,
                "note": each.note,
                "decisions": [_decision(row) for row in each.rows],
            }
            for each in reviews
        ],
    }


def _decision(row: DecisionRow) -> dict[str, Any]:
    words = ("street", "position", "cards", "board", "line", "pot", "taken", "best", "kind")
    more = ("grade", "solved", "exploitability", "equity", "note")
    return {
        **{name: getattr(row, name) for name in (*words, *more)},
        "cost": None if row.cost is None else row.cost._asdict(),
        "actions": [
            {
                "action": each.label,
                "taken": each.action == row.action,
                "ev": each.ev,
                "margin": each.error,
                "probability": each.chance,
            }
            for each in row.options
        ],
    }
