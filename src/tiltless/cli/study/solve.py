"""``tiltless solve``: find an equilibrium, plot its convergence, save it."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tiltless.amounts import count_text
from tiltless.cfr.presets import PRESETS, find_preset
from tiltless.cfr.sampling import Full
from tiltless.cli import ui
from tiltless.errors import FileError, OptionError
from tiltless.files.writable import check_picture, check_writable
from tiltless.games import Game, load
from tiltless.games.parameter_text import read_parameters
from tiltless.interrupts import INTERRUPTED, deferred_signals
from tiltless.tabular.estimate import estimate
from tiltless.tabular.solve_until import Point, solve
from tiltless.tabular.solver import Solver
from tiltless.validate import positive, whole_number
from tiltless.viz.training import convergence_png

__all__ = ["solve_command"]


def solve_command(
    name: Annotated[str, typer.Argument(help="Game; `tiltless games` lists them.")],
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Game parameters as name=value, such as players=3.")
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            help=f"Algorithm: one of {', '.join(PRESETS)}; several, separated by commas, are "
            "compared."
        ),
    ] = "dcfr",
    until: Annotated[
        float | None, typer.Option(help="Target exploitability (NashConv where it is undefined).")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Maximum number of iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Time limit, in seconds.")] = None,
    plot: Annotated[Path | None, typer.Option(help="PNG file for the convergence curve.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="File for the solver state, to continue with --resume.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Continue from the file given with --save.")] = False,
    strategy: Annotated[Path | None, typer.Option(help="File for the average strategy.")] = None,
    threads: Annotated[int, typer.Option(help="Number of threads (sampled algorithms only).")] = 1,
    seed: Annotated[int, typer.Option(help="Random seed (sampled algorithms only).")] = 0,
    memory: Annotated[float, typer.Option(help="Memory limit in MB for the game tree.")] = 4295,
    quiet: Annotated[bool, typer.Option(help="Print the result only.")] = False,
) -> None:
    """Solve a game with an algorithm of the CFR family.

    Exploitability is measured after fixed numbers of iterations, so the same command always ends
    after the same number of them. Ctrl-C shows and saves the result so far, and the exit code is
    130.
    """
    console = ui.console()
    limit = int(1e6 * positive("--memory", memory))
    whole_number("--threads", threads, 1, 1024)
    game = load(name, **read_parameters(parameters or []))
    chosen = [each.strip() for each in algorithm.split(",") if each.strip()]
    for each in chosen:
        find_preset(each)
    if not chosen:
        raise OptionError(f"no algorithm in {algorithm!r}; known: {', '.join(PRESETS)}")
    if resume and save is None:
        raise OptionError("--resume needs --save FILE, the file to continue from")
    if resume and save is not None and not save.exists():
        raise FileError(f"{save} does not exist; run without --resume first")
    if len(chosen) > 1 and (save or strategy):
        raise OptionError("--save and --strategy take one algorithm; leave them out to compare")
    if plot is not None:
        check_picture(plot)
    for path in filter(None, (save, strategy)):
        check_writable(path)
    if until is None and iterations is None and seconds is None:
        iterations = 1000
    if not quiet:
        _announce(console, game)
    curves: dict[str, list[Point]] = {}
    stopped = False
    for each in chosen:
        solver = Solver(game, each, threads=threads, seed=seed, memory_limit=limit)
        history = _read_history(solver, save) if resume else []
        stopped = _run(console, solver, history, until, iterations, seconds, quiet)
        curves[each] = history
        if save is not None:
            solver.save(save, history=json.dumps(history))
            ui.say(console, f"solver saved to {save}")
        if strategy is not None:
            solver.strategy().save(strategy)
            ui.say(console, f"strategy written to {strategy}")
        if not quiet and len(chosen) == 1:
            _show(console, solver)
        if stopped:
            break
    if len(chosen) > 1:
        _compare(console, curves, by_time=until is not None)
    if plot is not None:
        measure = "exploitability" if game.players == 2 and game.zero_sum else "NashConv"
        convergence_png(curves, plot, title=_title(game), measure=measure)
        ui.say(console, f"picture: {plot}")
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _title(game: Game) -> str:
    return f"{game.name}, {game.players} players"


def _announce(console: Console, game: Game) -> None:
    size = estimate(game)
    about = "" if size.exact else "about "
    console.print(
        f"{_title(game)}: {about}{count_text(size.nodes)} histories, "
        f"{about}{count_text(size.infosets)} information sets, "
        f"{about}{count_text(size.bytes / 1e6)} MB as arrays"
    )


def _read_history(solver: Solver, save: Path | None) -> list[Point]:
    assert save is not None
    metadata = solver.resume(save)
    return [Point(int(i), float(s), float(d)) for i, s, d in json.loads(metadata["history"])]


def _run(
    console: Console,
    solver: Solver,
    history: list[Point],
    until: float | None,
    iterations: int | None,
    seconds: float | None,
    quiet: bool,
) -> bool:
    """Iterate with a live progress line; return whether Ctrl-C ended it."""
    full = isinstance(solver.preset.sampling, Full)
    unit = "iterations" if full else "sampled iterations"
    with deferred_signals() as asked, ui.live_line(ui.console(stderr=True), quiet=quiet) as show:

        def shown(point: Point) -> None:
            show(
                f"{solver.algorithm}: {point.iteration:,} {unit}, {_measure(solver)} "
                f"{point.distance:.3g}, {point.seconds:.2f} s"
            )

        solve(
            solver,
            until=until,
            iterations=iterations,
            seconds=seconds,
            on_point=shown,
            history=history,
            stop=asked.is_set,
        )
    if history:
        last = history[-1]
        rate = last.iteration / max(last.seconds, 1e-9)
        console.print(
            f"[bold]{solver.algorithm}[/]: {_measure(solver)} {last.distance:.4g} after "
            f"{last.iteration:,} {unit} in {last.seconds:.3g} s, {rate:,.0f} a second"
            f"{' (stopped; the result is kept)' if asked.is_set() else ''}"
        )
    return asked.is_set()


def _measure(solver: Solver) -> str:
    return "exploitability" if solver.has_exploitability else "NashConv"


def _show(console: Console, solver: Solver) -> None:
    """Print the game values, and the strategy if it is short enough to read."""
    values = ", ".join(f"{value:+.6f}" for value in solver.evaluate().values)
    console.print(f"value for each player: {values}")
    if len(solver.flat.keys) > 30:
        return
    table = Table("information set", "strategy")
    for row in solver.strategy().items():
        shares = zip(row.actions, row.probabilities, strict=True)
        table.add_row(row.infoset, ", ".join(f"{action} {share:.3f}" for action, share in shares))
    console.print(table)


def _compare(console: Console, curves: dict[str, list[Point]], by_time: bool) -> None:
    """The last point of each curve, the fastest first if there was a target distance."""

    def place(item: tuple[str, list[Point]]) -> float:
        return item[1][-1].seconds if by_time else item[1][-1].distance

    table = Table("algorithm", "iterations", "seconds", "distance")
    for name, points in sorted(curves.items(), key=place):
        last = points[-1]
        table.add_row(name, f"{last.iteration:,}", f"{last.seconds:.3g}", f"{last.distance:.4g}")
    console.print(table)
