"""``tiltless solve-spot``: a spot after the flop with two ranges, solved exactly."""

import json
import math
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tiltless.cards.card import card_text
from tiltless.errors import FileError, OptionError, WriteError
from tiltless.games.common import brief, whole_number
from tiltless.kernels.ranges import ACTIONS, NEXT
from tiltless.solvers.presets import PRESETS
from tiltless.solvers.range_file import load_solver, rules_name, save_solver
from tiltless.solvers.range_line import action_label, follow_line
from tiltless.solvers.range_places import Place, find_place
from tiltless.solvers.range_report import HandReport, check_decision, hand_report, nobody_left
from tiltless.solvers.range_tables import card_report
from tiltless.solvers.ranges import DEFAULT_RULES, Check, RangeSolver
from tiltless.solvers.sampling import Full
from tiltless.solvers.training_cost import usable_cores
from tiltless.tree.range_spot import IP, MOST_RAKE, OOP, PLAYERS, RangeSpot, parse_spot

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["solve_spot"]

_BETS = "50%, 100%, a"
_RULES = [name for name, preset in PRESETS.items() if isinstance(preset.sampling, Full)]
_HARDLY = 5e-4  # less often, and the EV of an action is that of a few odd hands
_FORMATS = (".json", ".csv", ".parquet")  # of `tiltless.solvers.range_export`
_NEEDED = ("board", "oop", "ip", "pot", "stack")


def solve_spot(
    file: Annotated[
        Path | None, typer.Argument(help="A spot in TOML; options say what is different.")
    ] = None,
    board: Annotated[str | None, typer.Option(help="3 to 5 cards, such as QsJh2h8d.")] = None,
    oop: Annotated[str | None, typer.Option(help="The range of who acts first.")] = None,
    ip: Annotated[str | None, typer.Option(help="The range of who acts last.")] = None,
    pot: Annotated[int | None, typer.Option(help="Chips in the middle.")] = None,
    stack: Annotated[int | None, typer.Option(help="Chips behind, of who has less.")] = None,
    bets: Annotated[
        str | None, typer.Option(help=f"Sizes of first bets; {_BETS} if there is no menu.")
    ] = None,
    raises: Annotated[str | None, typer.Option(help="Sizes of raises; else as bets.")] = None,
    menu: Annotated[
        str | None, typer.Option(help="All sizes in one text; see `tiltless menus`.")
    ] = None,
    rake: Annotated[str | None, typer.Option(help="Share of the pot, such as 5%.")] = None,
    rake_cap: Annotated[float | None, typer.Option(help="The most chips that rake takes.")] = None,
    big_blind: Annotated[int | None, typer.Option(help="The smallest bet.")] = None,
    aggressor: Annotated[
        str | None, typer.Option(help="oop or ip: who bet last before, for donk sizes.")
    ] = None,
    until: Annotated[str, typer.Option(help="Exploitability to stop at, of the pot.")] = "0.3%",
    seconds: Annotated[float | None, typer.Option(help="Stop after this time.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    threads: Annotated[int, typer.Option(help="For turns and flops; 0 for all cores.", min=0)] = 0,
    rules: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(_RULES)}; {DEFAULT_RULES} is fastest.")
    ] = None,
    compressed: Annotated[bool, typer.Option(help="16 bits for each number, not 32.")] = False,
    memory: Annotated[float | None, typer.Option(help="The most MB; else what is free.")] = None,
    save: Annotated[Path | None, typer.Option(help="Keep everything here.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on from a file of --save.")] = None,
    at: Annotated[str, typer.Option(help="Show another place: 'x b50%', 'x x Ah', 'x x'.")] = "",
    grid: Annotated[bool, typer.Option(help="Draw the 13 x 13 hands there.")] = False,
    png: Annotated[Path | None, typer.Option(help="The same as a picture.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write all hands there to .json, .csv or .parquet.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Solve a spot after the flop: two ranges on a board, exactly."""
    given = {
        "board": board,
        "oop": oop,
        "ip": ip,
        "pot": pot,
        "stack": stack,
        "bets": _menu(bets, raises, menu),
        "rake": None if rake is None else _share("--rake", rake) / 100,
        "rake_cap": rake_cap,
        "big_blind": big_blind,
        "aggressor": aggressor,
    }
    if iterations is not None:
        whole_number("iterations", iterations, 1, 1 << 40)
    target = _Target(_share("--until", until), _positive("--seconds", seconds), iterations)
    _check_files(save, png, export)
    limit = None if memory is None else int(1e6 * (_positive("--memory", memory) or 0))
    given = {name: value for name, value in given.items() if value is not None}
    console, aside = Console(highlight=False), Console(stderr=True, highlight=False)
    if resume is not None:
        if given or file is not None or rules is not None or compressed:
            more = next(iter([*(["a spot"] if file else []), *given, "rules"]))
            raise OptionError(
                f"{resume} has a spot and rules of its own; leave out {more}, or --resume"
            )
        solver = load_solver(resume, threads=threads or usable_cores(), memory=limit)
    else:
        solver = RangeSolver(
            _spot(file, given),
            rules=DEFAULT_RULES if rules is None else rules,
            threads=threads or usable_cores(),
            compressed=compressed,
            memory=limit,
        )
    if all(made.forest.node[:, ACTIONS].max() < 2 for made in solver.forests):
        raise OptionError(f"the bets {solver.spot.bets} leave nothing to decide; give a size")
    there = follow_line(find_place(solver), at)  # what cannot be shown is found out before
    if grid or png is not None or export is not None:
        check_decision(there)
    if not as_json:
        _announce(console, solver)
    check, stopped = _solve(aside, solver, target)
    place = follow_line(find_place(solver), at)
    report = hand_report(place, place.actor, equity=False) if place.actor >= 0 else None
    if as_json:
        typer.echo(json.dumps(_as_json(solver, check, report)))
    else:
        _show(console, solver, check, stopped, place, report)
    if save is not None:  # after the result, which a full disk does not take away
        save_solver(solver, save)
        if not as_json:
            console.print(f"kept in {save}", markup=False, soft_wrap=True)
    _pictures(aside if as_json else console, place, grid, png, export)


def _menu(bets: str | None, raises: str | None, menu: str | None) -> str | None:
    """The text of a menu from the options, or None."""
    if menu is not None:
        if bets is not None or raises is not None:
            raise OptionError("--menu has all sizes; leave out --bets and --raises, or --menu")
        return menu
    if raises is None:
        return bets
    return f"{_BETS if bets is None else bets} / {raises}"


def _share(name: str, text: str) -> float:
    """Percent, from ``0.3%`` or ``0.3``; of rake, 0.05 is a share already."""
    words = text.strip()
    try:
        number = float(words.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not 0 <= number <= 100:
        raise OptionError(f"{name} {brief(text)} is no percentage; write {name} 0.3%")
    if name != "--rake" or words.endswith("%"):
        return number
    if number > MOST_RAKE:
        raise OptionError(f"--rake {brief(text)} is more than half of the pot; write 0.05 or 5%")
    return 100 * number


def _check_files(save: Path | None, png: Path | None, export: Path | None) -> None:
    """Refuse names that nothing could be written to, before the work."""
    if png is not None and png.suffix.lower() != ".png":
        raise OptionError(f"--png {png} is no name of a picture; write .png at its end")
    if export is not None and export.suffix.lower() not in _FORMATS:
        raise OptionError(f"--export {export} ends in no format; write {' or '.join(_FORMATS)}")
    if export is not None and export.suffix.lower() == ".parquet" and not find_spec("pyarrow"):
        raise OptionError(
            "Parquet needs pyarrow, which is not installed; pip install 'tiltless[analysis]', or "
            "--export to .csv or .json"
        )
    for path in filter(None, (save, png, export)):
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise WriteError(f"cannot write {path}: there is no folder {folder}; create it first")
        if path.exists() and not path.is_file():
            raise WriteError(f"cannot write {path}: it is not a file; choose the name of a file")
        if not os.access(folder, os.W_OK):
            raise WriteError(f"cannot write {path}: {folder} is closed to you; choose another")


def _positive(name: str, number: float | None) -> float | None:
    if number is not None and not 0 < number < math.inf:
        raise OptionError(f"{name} {number:g} is not possible; choose a number above 0")
    return number


def _spot(file: Path | None, given: dict[str, Any]) -> RangeSpot:
    """From a file, from options, or from a file with some things changed."""
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is no text"
            raise FileError(f"cannot read {file}: {reason}; check the name") from None
        return parse_spot(text, **given)
    for name in _NEEDED:
        if name not in given:
            raise OptionError(f"--{name} is missing; give it, or a spot in a TOML file")
    return RangeSpot(**{"bets": _BETS, **given})


def _announce(console: Console, solver: RangeSolver) -> None:
    """The spot, and what it takes, before anything is solved."""
    spot, cost = solver.spot, solver.cost
    hands = " against ".join(
        f"{np.count_nonzero(spot.weights[player])} hands {PLAYERS[player].upper()}"
        for player in (OOP, IP)
    )
    console.print(
        f"[bold]{spot.board_text}[/], pot {spot.pot:,}, {spot.stack:,} behind; {hands}",
        soft_wrap=True,
    )
    console.print(f"bets: {spot.bets}", markup=False, soft_wrap=True)
    size = solver.table_bytes + cost.rest
    threads = solver.threads if len(solver.forests) > 1 else 1  # a river takes one
    console.print(
        f"{cost.boards:,} board{'s' * (cost.boards > 1)}, {cost.nodes:,} nodes, "
        f"{cost.decisions:,} decisions; {size / 1e6:,.1f} MB; {rules_name(solver.rules)}, "
        f"{threads} thread{'s' * (threads > 1)}",
        soft_wrap=True,
    )


@dataclass(frozen=True)
class _Target:
    """When to stop."""

    until: float
    seconds: float | None
    iterations: int | None


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Set by the first Ctrl-C; the second one ends the program as usual."""
    asked = threading.Event()

    def note(_: int, __: "FrameType | None") -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _solve(aside: Console, solver: RangeSolver, target: _Target) -> tuple[Check, bool]:
    """Iterate with a live line; whether Ctrl-C ended it."""
    line = Text("starting")

    def show(check: Check) -> None:
        line.plain = (
            f"{check.iterations:,} iterations, exploitability {check.exploitability:.3f} % of the "
            f"pot, {check.seconds:.1f} s"
        )

    with _interrupts() as asked, Live(line, console=aside, transient=True):
        check = solver.solve(
            target.until,
            seconds=target.seconds,
            iterations=target.iterations,
            on_check=show,
            stop=asked.is_set,
        )
    return check, asked.is_set()


def _show(
    console: Console,
    solver: RangeSolver,
    check: Check,
    stopped: bool,
    place: Place,
    report: HandReport | None,
) -> None:
    """How well it is solved, what both win, and a decision, or what the next card does."""
    pot = solver.spot.pot
    console.print(
        f"exploitability [bold]{check.exploitability:.3f} %[/] of the pot after "
        f"{check.iterations:,} iterations in {check.seconds:.2f} s"
        f"{' (stopped; the result is what there was)' if stopped else ''}",
        soft_wrap=True,
    )
    values = solver.values()
    for player in (OOP, IP):
        name, value = PLAYERS[player].upper(), values[player]
        console.print(f"{name} wins {value + pot / 2:.3f} chips, {value:+.3f} over half the pot")
    if report is None:
        _show_cards(console, place)
        return
    if not report.known.any():
        console.print(nobody_left(place) or f"play never comes to {place.line}", markup=False)
        return
    line = f" after {place.line}" if place.moves else ""
    who = PLAYERS[report.player].upper()
    table = Table(f"{who}{line}", "how often", "EV, chips", title=f"pot {place.pot:,}")
    for label, share, value in _by_action(report):
        told = "" if math.isnan(value) or share < _HARDLY else f"{value:.2f}"
        table.add_row(label, f"{100 * share:.1f} %", told)
    console.print(table)


def _show_cards(console: Console, place: Place) -> None:
    """What each card does where one is dealt, from the best for OOP to the worst.

    Dashes where a card leaves a player without a hand.
    """
    if place.actor != NEXT:
        console.print("the hand is over there")
        return
    rows = card_report(place)
    words = list(dict.fromkeys(word for row in rows.values() for word in row.frequencies))
    table = Table("card", title=f"the next card after {place.line}, pot {place.pot:,}")
    for name in ("OOP EV", "OOP equity", "IP EV", *words):
        table.add_column(name, justify="right")
    for card, row in sorted(
        rows.items(), key=lambda each: -np.nan_to_num(each[1].oop.ev, nan=-math.inf)
    ):
        often = [_or_dash(100 * row.frequencies.get(word, 0), "{:.0f} %") for word in words]
        equity = _or_dash(100 * row.oop.equity, "{:.1f} %")
        table.add_row(card_text(card), _or_dash(row.oop.ev), equity, _or_dash(row.ip.ev), *often)
    console.print(table)


def _or_dash(number: float, form: str = "{:.2f}") -> str:
    return "-" if math.isnan(number) else form.format(number)


def _by_action(report: HandReport) -> list[tuple[str, float, float]]:
    """Each action of a decision: its name, how often it is taken, and its EV when it is."""
    place, known = report.place, report.known
    pairs = report.pairs[known]
    rows = []
    for a, action in enumerate(place.actions):
        taken = pairs * report.strategy[known, a]
        total = float(taken.sum())
        often = total / float(pairs.sum()) if len(pairs) else math.nan
        value = float(taken @ report.action_ev[known, a]) / total if total > 0 else math.nan
        rows.append((action_label(place, action), often, value))
    return rows


def _as_json(solver: RangeSolver, check: Check, report: HandReport | None) -> dict[str, Any]:
    values, cost = solver.values(), solver.cost
    found: dict[str, Any] = {
        "spot": solver.spot.toml(),
        "rules": rules_name(solver.rules),
        "boards": cost.boards,
        "nodes": cost.nodes,
        "decisions": cost.decisions,
        "table_bytes": solver.table_bytes,
        "iterations": check.iterations,
        "seconds": check.seconds,
        "exploitability_percent": check.exploitability,
        "oop": values[OOP],
        "ip": values[IP],
    }
    if report is not None:
        found["line"], found["player"] = report.place.line, PLAYERS[report.player]
        found["actions"] = [
            {
                "action": str(action),
                "label": label,
                "frequency": None if math.isnan(share) else share,
                "ev": None if math.isnan(value) else value,
            }
            for action, (label, share, value) in zip(
                report.place.actions, _by_action(report), strict=True
            )
        ]
    return found


def _pictures(
    console: Console, place: Place, grid: bool, png: Path | None, export: Path | None
) -> None:
    """The grid, the picture and the table of a decision, as far as they are wanted."""
    if grid:
        from tiltless.cli.range_grid import range_grid

        console.print(range_grid(place))
    if png is not None:
        from tiltless.solvers.range_picture import place_png

        place_png(place, png)
    if export is not None:
        from tiltless.solvers.range_export import export as export_place

        export_place(export, place)
