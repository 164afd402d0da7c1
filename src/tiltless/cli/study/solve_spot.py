"""``tiltless solve-spot``: a spot after the flop with two ranges, solved exactly."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tiltless.cfr.presets import PRESETS
from tiltless.cfr.sampling import Full
from tiltless.cli import ui
from tiltless.cli.study import spot_options
from tiltless.cli.study.spot_options import BETS, SolveTarget, given_spot, percentage
from tiltless.cli.study.spot_text import (
    NO_LOWER,
    STOPPED,
    announce,
    exploitability_text,
    show_result,
    show_there,
)
from tiltless.errors import FileError, OptionError, TiltlessError
from tiltless.files.writable import check_picture, check_writable
from tiltless.interrupts import INTERRUPTED, deferred_signals
from tiltless.kernels.base.compiling import compile_seconds
from tiltless.kernels.postflop.street import ACTIONS
from tiltless.postflop.export import FORMATS, check_format, export, export_nodes
from tiltless.postflop.file import load_solver, rules_name, save_solver
from tiltless.postflop.line import read_lock
from tiltless.postflop.node import find_node
from tiltless.postflop.query import NodeQuery, query_nodes
from tiltless.postflop.rules import DEFAULT_RULES
from tiltless.postflop.solver import PostflopSolver, SolverStatus
from tiltless.postflop.spot import IP, OOP, Spot, parse_spot
from tiltless.system import usable_cores
from tiltless.validate import positive

__all__ = ["solve_spot"]

_RULES = [name for name, preset in PRESETS.items() if isinstance(preset.sampling, Full)]
_NEEDED = ("board", "oop", "ip", "pot", "stack")


def solve_spot(
    file: Annotated[
        Path | None, typer.Argument(help="Spot file (TOML); options override it.")
    ] = None,
    board: Annotated[
        str | None, typer.Option(help="Board of 3 to 5 cards, such as QsJh2h8d.")
    ] = None,
    oop: spot_options.Oop = None,
    ip: spot_options.Ip = None,
    pot: spot_options.Pot = None,
    stack: spot_options.Stack = None,
    bets: spot_options.Bets = None,
    raises: spot_options.Raises = None,
    menu: spot_options.Menu = None,
    rake: spot_options.Rake = None,
    rake_cap: spot_options.RakeCap = None,
    big_blind: spot_options.BigBlind = None,
    aggressor: Annotated[
        str | None,
        typer.Option(help="Aggressor of the previous street, oop or ip (for donk sizes)."),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            help="Node lock: fix the strategy at a node, 'x b64: f 80%, c 20%'; may be repeated."
        ),
    ] = None,
    until: Annotated[
        str, typer.Option(help="Target exploitability, as a percentage of the pot.")
    ] = "0.3%",
    seconds: Annotated[float | None, typer.Option(help="Time limit, in seconds.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Maximum number of iterations.")] = None,
    threads: Annotated[
        int, typer.Option(help="Number of threads for turns and flops; 0 means all cores.", min=0)
    ] = 0,
    device: spot_options.Device = "cpu",
    rules: Annotated[
        str | None,
        typer.Option(help=f"CFR variant: one of {', '.join(_RULES)}; {DEFAULT_RULES} is fastest."),
    ] = None,
    compressed: spot_options.Compressed = False,
    memory: Annotated[
        float | None, typer.Option(help="Memory limit in MB; by default, the free memory.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Save the solver to this file.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Continue from a file written with --save.")
    ] = None,
    at: Annotated[
        str,
        typer.Option(
            help="Show another node: 'x b50%', 'x x Ah'; 'x x *' for every card, "
            "'x, b32' for several lines."
        ),
    ] = "",
    grid: Annotated[bool, typer.Option(help="Draw the 13 x 13 grid of the node.")] = False,
    png: Annotated[Path | None, typer.Option(help="PNG file for the picture.")] = None,
    export_to: Annotated[
        Path | None,
        typer.Option(
            "--export",
            help=f"Export file for all hands or cards of what is shown: {', '.join(FORMATS)}.",
        ),
    ] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Solve a postflop spot exactly: two ranges on a board.

    tiltless solve-spot --board QsJh2h8d3c --oop "QQ+,AKs" --ip "88+,AQs+" --pot 64 --stack 320

    tiltless solve-spot turn.toml --save turn.spot --grid

    tiltless solve-spot --resume turn.spot --at "x x *"

    Ctrl-C shows the result so far, and the exit code is 130. If --until is below the precision of
    32-bit tables, solving stops when exploitability no longer falls.
    """
    given = given_spot(locals())
    target = SolveTarget(percentage("--until", until), seconds, iterations)
    target.check()
    if png is not None:
        check_picture(png)
    if export_to is not None:
        check_format(export_to)
    for path in filter(None, (save, export_to)):
        check_writable(path)
    limit = None if memory is None else int(1e6 * positive("--memory", memory))
    console, aside = ui.console(), ui.console(stderr=True)
    threads = threads or usable_cores()
    if resume is not None:
        more = ["the file of a spot"] * (file is not None)
        sizes = {"bets": bets, "raises": raises, "menu": menu}
        more += [f"--{name}" for name, value in sizes.items() if value is not None]
        more += [f"--{name.replace('_', '-')}" for name in given if name != "bets"]
        more += ["--rules"] * (rules is not None) + ["--compressed"] * compressed
        if more:
            raise OptionError(
                f"{resume} already contains the spot and the rules; leave out {', '.join(more)}, "
                "or --resume"
            )
        solver = load_solver(resume, threads=threads, memory=limit, device=device)
    else:
        solver = PostflopSolver(
            _spot(file, given),
            rules=DEFAULT_RULES if rules is None else rules,
            threads=threads,
            compressed=compressed,
            memory=limit,
            device=device,
        )
    if all(made.forest.node[:, ACTIONS].max() < 2 for made in solver.forests):
        raise OptionError(f"the bets {solver.spot.bets} leave no decision; give a size")
    shown = query_nodes(solver, at)  # refuses what cannot be shown before solving
    if grid or png is not None:
        shown.check_drawn()
    if export_to is not None:
        shown.check_exported()
    for text in lock or ():
        for node, probs in read_lock(find_node(solver), text):
            solver.lock(node, probs)
    if not as_json:
        announce(console, solver)
    before, compiled = solver.iterations, compile_seconds()
    check, ended = _solve(aside, solver, target)
    shown = query_nodes(solver, at)
    if as_json:
        typer.echo(json.dumps(_as_json(solver, check, shown)))
    else:
        show_result(console, solver, check, before, ended, compile_seconds() - compiled)
        show_there(console, shown)
    if save is not None:  # after the result, which a full disk does not take away
        save_solver(solver, save)
        if not as_json:
            ui.say(console, f"saved to {save}")
    _pictures(aside if as_json else console, shown, grid, png, export_to)
    if ended == STOPPED:
        raise typer.Exit(INTERRUPTED)


def _spot(file: Path | None, given: dict[str, Any]) -> Spot:
    """The spot from a file, from options, or from a file with options that override it."""
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not text"
            raise FileError(f"cannot read {file}: {reason}; check the name") from None
        try:
            return parse_spot(text, **given)
        except TiltlessError as problem:
            if given:  # which may be what is wrong
                raise
            raise type(problem)(f"{file}: {problem}") from None
    for name in _NEEDED:
        if name not in given:
            raise OptionError(f"--{name} is missing; give it, or a spot in a TOML file")
    return Spot(**{"bets": BETS, **given})


def _solve(aside: Console, solver: PostflopSolver, target: SolveTarget) -> tuple[SolverStatus, str]:
    """Solve with a live progress line; the last check, and what ended it if not the target."""
    with deferred_signals() as asked, ui.live_line(aside) as show:

        def shown(check: SolverStatus) -> None:
            show(
                f"{check.iterations:,} iterations, exploitability "
                f"{exploitability_text(check.exploitability)} of the pot, {check.seconds:.1f} s"
            )

        check = solver.solve(
            target.until,
            seconds=target.seconds,
            iterations=target.iterations,
            on_check=shown,
            stop=asked.is_set,
        )
    if asked.is_set():
        return check, STOPPED
    stuck = check.exploitability > target.until and not target.bounded
    return check, NO_LOWER if stuck else ""


def _as_json(solver: PostflopSolver, check: SolverStatus, shown: NodeQuery) -> dict[str, Any]:
    values, cost = solver.values(), solver.cost
    return {
        "spot": solver.spot.toml(),
        "rules": rules_name(solver.rules),
        "boards": cost.boards,
        "nodes": cost.nodes,
        "decisions": cost.decisions,
        "locked": len(solver.locks),
        "table_bytes": solver.table_bytes,
        "iterations": check.iterations,
        "seconds": check.seconds,
        "exploitability_percent": check.exploitability,
        "oop": values[OOP],
        "ip": values[IP],
        **shown.as_json(),
    }


def _pictures(
    console: Console, shown: NodeQuery, grid: bool, png: Path | None, export_to: Path | None
) -> None:
    """Show the grid, write the picture and the export, as the options ask."""
    if grid:
        from tiltless.viz.node_grid import node_grid

        console.print(node_grid(shown.node))
    if png is not None:
        from tiltless.viz.strategy import node_png

        node_png(shown.node, png)
        ui.say(console, f"drawn in {png}")
    if export_to is not None:
        if shown.is_one:
            export(export_to, shown.node)
        else:
            export_nodes(export_to, shown.reports)
        ui.say(console, f"written to {export_to}")
