"""Solved spots as text and tables, for ``tiltless solve-spot``."""

import math

from rich.console import Console
from rich.table import Table

from tiltless.cli import ui
from tiltless.cli.compiling import besides
from tiltless.games.holdem.notation import action_label, action_words
from tiltless.postflop.file import rules_name
from tiltless.postflop.node import Node
from tiltless.postflop.query import NodeQuery
from tiltless.postflop.report import HandReport, nobody_left, number_text
from tiltless.postflop.solver import PostflopSolver, SolverStatus
from tiltless.postflop.spot import IP, OOP, PLAYERS
from tiltless.postflop.tables import NodeReport, action_report, how_often

__all__ = [
    "NO_LOWER",
    "STOPPED",
    "announce",
    "exploitability_text",
    "percent_text",
    "show_result",
    "show_there",
]

STOPPED = "stopped; this is the result so far"
NO_LOWER = "it no longer falls: the tables are not more precise"

_HARDLY = 5e-4  # less often, and the EV of an action is that of a few odd hands
_SELDOM = 1e-3  # less often, and a solver has hardly looked at a place
_WHOLE = "together"
_WIDEST = 1000
_WHAT_IF = "use --lock on the way there to ask what if"
_KINDS = {"f": "Fold", "x": "Check", "c": "Call"}
_BET = "Bet, raise"
_BETS = ("Bet", "Raise", "All-in")


def announce(console: Console, solver: PostflopSolver) -> None:
    """The spot and its size, before anything is solved."""
    spot, cost = solver.spot, solver.cost
    hands = " against ".join(
        f"{_count(int((spot.weights[player] > 0).sum()), 'hand')} {PLAYERS[player].upper()}"
        for player in (OOP, IP)
    )
    console.print(
        f"[bold]{spot.board_text}[/], pot {spot.pot:,}, {spot.stack:,} behind; {hands}",
        soft_wrap=True,
    )
    ui.say(console, f"bets: {spot.bets}")
    size = solver.memory + solver.device_bytes
    threads = solver.threads if len(solver.forests) > 1 else 1  # a river takes one
    console.print(
        f"{_count(cost.boards, 'board')}, {_count(cost.nodes, 'node')}, "
        f"{_count(cost.decisions, 'decision')}; {_size(size)}; {rules_name(solver.rules)}, "
        f"{_count(threads, 'thread')}",
        soft_wrap=True,
    )
    if solver.locks:
        console.print(f"{_count(len(solver.locks), 'decision')} locked")


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'s' * (number != 1)}"


def _size(number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if number >= 1e5 else f"{number / 1e3:,.0f} kB"


def exploitability_text(percent: float) -> str:
    """``0.280 %``; below a thousandth with the digits that matter."""
    return f"{percent:.3f} %" if not 0 < abs(percent) < 1e-3 else f"{percent:.2g} %"


def show_result(
    console: Console,
    solver: PostflopSolver,
    check: SolverStatus,
    before: int,
    ended: str,
    compiling: float = 0.0,
) -> None:
    """The exploitability of a solution, and what both players win.

    before: iterations of earlier runs.  ended: why it ended before its target, or empty.
    compiling: seconds spent on compiling, which are not counted as solving.
    """
    pot = solver.spot.pot
    now = f" ({check.iterations - before:,} of them now)" if before else ""
    console.print(
        f"exploitability [bold]{exploitability_text(check.exploitability)}[/] of the pot after "
        f"{_count(check.iterations, 'iteration')}{now} in {check.seconds:.2f} s{besides(compiling)}"
        f"{f' ({ended})' if ended else ''}",
        soft_wrap=True,
    )
    values = solver.values()
    for player in (OOP, IP):
        name, value = PLAYERS[player].upper(), values[player]
        won = number_text(value + pot / 2, "{:.3f}")
        console.print(f"{name} wins {won} chips, {value:+.3f} over half the pot")


def show_there(console: Console, shown: NodeQuery) -> None:
    """A decision, a report by card, or several lines."""
    if not shown.is_one:
        _show_rows(console, shown)
        return
    if shown.report is None:
        console.print("the hand is over there")
        return
    _show_decision(console, shown.report)


def _show_decision(console: Console, report: HandReport) -> None:
    node = report.node
    if not report.known.any():
        console.print(nobody_left(node) or f"play never reaches {node.line}; {_WHAT_IF}")
        return
    line = f" after {node.line}" if node.moves else ""
    who = PLAYERS[report.player].upper()
    table = Table(f"{who}{line}", title=_title(node, how_often(node)))
    for name in ("how often", "EV, chips"):
        table.add_column(name, justify="right")
    for label, prob, value in action_report(report):
        ev = "" if math.isnan(value) or prob < _HARDLY else number_text(value)
        table.add_row(label, f"{100 * prob:.1f} %", ev)
    console.print(table)
    _warn(console, how_often(node, cards=False))


def _title(node: Node, often: float) -> str:
    return f"pot {node.pot:,}{_comes_up(often) if node.moves else ''}"


def _comes_up(often: float) -> str:
    return f", comes up in {percent_text(often, 1 if often >= 0.01 else 2)} of deals"


def _warn(console: Console, often: float) -> None:
    """A warning at nodes that are hardly ever reached: CFR does not converge there."""
    if often < _SELDOM:
        console.print(
            f"this is hardly ever reached, so its numbers have not converged; {_WHAT_IF}",
            soft_wrap=True,
        )


def _show_rows(console: Console, shown: NodeQuery) -> None:
    """A row for each card or line, and the mean of all; never narrowed, which would cut numbers."""
    table = _cards_table(shown) if shown.card_at >= 0 else _lines_table(shown)
    table.width = console.measure(table, options=console.options.update(width=_WIDEST)).maximum
    console.print(table, crop=False)
    _warn(console, sum(row.often for row in shown.reports))


def _cards_table(shown: NodeQuery) -> Table:
    """Cards from best to worst for OOP; dashes where a card leaves a player without a hand."""
    names = _action_names(shown.node)
    bets = [word for word, name in names.items() if name.startswith(_BETS)]
    table = Table("card", title=_cards_title(shown))
    for name in ("OOP EV", "OOP equity", "IP EV", *names.values()):
        table.add_column(_head(name), justify="right")
    if len(bets) > 1:
        table.add_column(_head("all bets"), justify="right")

    def add(name: str, row: NodeReport) -> None:
        often = [row.frequencies[word] for word in names]
        if len(bets) > 1:
            often.append(sum(row.frequencies[word] for word in bets))
        table.add_row(name, *_means(row), *(percent_text(share, 0) for share in often))

    def rank(card: str) -> float:
        ev = shown.rows[card].oop.ev
        return math.inf if math.isnan(ev) else -ev

    for card in sorted(shown.rows, key=rank):
        add(card, shown.rows[card])
    if shown.together is not None:
        table.add_section()
        add(_WHOLE, shown.together)
    return table


def _lines_table(shown: NodeQuery) -> Table:
    """Lines in the order given; all bets and raises of a node are one number."""
    known = {word for row in shown.reports for word in row.frequencies}
    plain = [name for word, name in _KINDS.items() if word in known]
    kinds = [*plain, _BET] if known - _KINDS.keys() else plain
    table = Table("line")
    for name in ("who acts", "of deals", "pot", "OOP EV", "OOP equity", "IP EV", *kinds):
        table.add_column(_head(name), justify="right")

    def add(name: str, row: NodeReport) -> None:
        often: dict[str, float] = {}
        for word, share in row.frequencies.items():
            kind = _KINDS.get(word, _BET)
            often[kind] = often.get(kind, 0.0) + share
        where = row.player.upper(), percent_text(row.often, 1), f"{row.pot:,.0f}"
        cells = (percent_text(often[kind], 0) if kind in often else "" for kind in kinds)
        table.add_row(name, *where, *_means(row), *cells)

    for line, row in shown.rows.items():
        add(line, row)
    if shown.together is not None:
        table.add_section()
        add(_WHOLE, shown.together)
    return table


def _head(name: str) -> str:
    """A heading in two lines, which saves columns."""
    return "\n".join(name.rsplit(" ", 1))


def _means(row: NodeReport) -> tuple[str, str, str]:
    return number_text(row.oop.ev), percent_text(row.oop.equity, 1), number_text(row.ip.ev)


def percent_text(share: float, digits: int) -> str:
    """``12.5 %``, with so many digits after the point."""
    return number_text(100 * share, f"{{:.{digits}f}} %")


def _action_names(node: Node) -> dict[str, str]:
    """The actions in notation, and their labels without the percentage."""
    betting, pot = node.betting, node.pot
    labels = (action_label(action, betting, pot).partition(" (")[0] for action in node.actions)
    return dict(zip(action_words(node.actions, betting), labels, strict=True))


def _cards_title(shown: NodeQuery) -> str:
    node, whole = shown.node, shown.together
    who = PLAYERS[node.actor].upper() if node.actor >= 0 else ""
    what = f"what {who} does after" if who else "after"
    often = 0.0 if whole is None else whole.often
    return f"{what} {next(iter(shown.lines))}, pot {node.pot:,}{_comes_up(often)}"
