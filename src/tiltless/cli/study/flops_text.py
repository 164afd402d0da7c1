"""Reports over flops as text and tables, for ``tiltless report flops``."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tiltless.amounts import time_text
from tiltless.cli import ui
from tiltless.cli.study.spot_text import percent_text
from tiltless.postflop.flops.estimate import FlopEstimate
from tiltless.postflop.flops.settings import FlopDecision, FlopSettings
from tiltless.postflop.flops.summary import FlopRow, FlopSummary
from tiltless.postflop.report import number_text

__all__ = ["FlopPlan", "announce_flops", "show_flops"]

_WIDEST = 1000


class FlopPlan(NamedTuple):
    """How flops are solved.

    threads: for each flop.  cluster: its address, if there is one.  device: ``cpu`` or ``gpu``.
    """

    estimate: FlopEstimate
    processes: int
    threads: int
    cluster: str | None
    device: str = "cpu"


def announce_flops(
    console: Console, settings: FlopSettings, plan: FlopPlan, known: int = 0
) -> None:
    """The spot, and what solving it on these flops takes; known: flops solved before."""
    estimate = plan.estimate
    ip, oop = settings.ranges
    ui.say(
        console,
        f"{estimate.flops:,} flops{f', {known:,} solved before' if known else ''}; pot "
        f"{settings.pot:,}, {settings.stack:,} behind; {len(oop):,} hands OOP against "
        f"{len(ip):,} hands IP",
    )
    ui.say(console, f"bets: {settings.bets}")
    size = f"{estimate.bytes_each / 1e6:,.0f} MB for each flop"
    if plan.cluster is not None:
        where, cores = f"on the cluster {plan.cluster}", 1
        time = f"about {time_text(estimate.seconds)} of one core"
    else:
        cores = plan.processes * plan.threads
        where = (
            f"{plan.processes} process{'es' * (plan.processes != 1)}, "
            f"{plan.threads} thread{'s' * (plan.threads != 1)} each"
        )
        if plan.device != "cpu":
            where = f"{plan.processes} processes that share the GPU"
        time = f"about {time_text(estimate.wall_seconds(cores))}"
    ui.say(console, f"{size}, {where}; {time} to {settings.until:g} % of the pot")


def show_flops(
    console: Console, summary: FlopSummary, kinds: Sequence[str], sort: str, most: int | None
) -> None:
    """A table for each decision: all flops, then a section for each kind."""
    worst = max(each.result.exploitability for each in summary.solved)
    never = f", {summary.never:,} never dealt" if summary.never else ""
    left = f", {len(summary.missing):,} not solved" if summary.missing else ""
    ui.say(
        console,
        f"{len(summary.solved):,} flops{never}{left}; exploitability {worst:.3g} % of the pot or "
        "less",
    )
    for decision in summary.settings.decisions:
        table = _table(summary, decision, kinds, sort, most)
        table.width = console.measure(table, options=console.options.update(width=_WIDEST)).maximum
        console.print(table, crop=False)


def _table(
    summary: FlopSummary,
    decision: FlopDecision,
    kinds: Sequence[str],
    sort: str,
    most: int | None,
) -> Table:
    total = summary.total(decision)
    often = "never reached" if total.report is None else f"comes up {total.report.often:.0%}"
    where = f"{often} of the time" if decision.line and total.report is not None else ""
    title = ", ".join(filter(None, (decision.title, f"pot {decision.pot:,}", where)))
    table = Table("flops", title=title, box=SIMPLE, padding=0)  # as narrow as it can be
    heads = ["of deals"]
    heads += [f"{who} {what}" for who in ("OOP", "IP") for what in ("EV", "equity", "EQR")]
    heads += [label.partition(" (")[0] for label in decision.actions.values()]
    many = len(decision.bets) > 1
    for head in [*heads, *(["all bets"] if many else [])]:
        table.add_column("\n".join(head.rsplit(" ", 1)), justify="right")

    def add(row: FlopRow) -> None:
        cells = [percent_text(row.share, 1)]
        for who in ("oop", "ip"):
            cells.append(number_text(row.number(who, "ev")))
            cells.append(percent_text(row.number(who, "equity"), 1))
            cells.append(number_text(row.number(who, "eqr")))
        cells += [percent_text(row.often([word]), 0) for word in decision.actions]
        if many:
            cells.append(percent_text(row.often(decision.bets), 0))
        table.add_row(row.name, *cells)

    add(total)
    for kind in kinds:
        table.add_section()
        for row in summary.rows(decision, kind, sort=sort, most=most):
            add(row)
    return table
