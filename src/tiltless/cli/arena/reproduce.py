"""``tiltless reproduce``: published experiments, our results beside theirs, and our strength."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.arena.store import Store
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training.config import TrainingConfig, read_config
from tiltless.blueprint.training.run import Trainer
from tiltless.cli import ui
from tiltless.cli.arena.match import noted, shown_match, stoppable_bar
from tiltless.cli.arena.options import Cluster, ProcessesOrAll, Seed, output_folder
from tiltless.cli.arena.permutation import permutation
from tiltless.cli.arena.permutation_play import permutation_play
from tiltless.cli.arena.river_of_blood import river_of_blood
from tiltless.cli.arena.six_player import six_player
from tiltless.cli.arena.strength import strength
from tiltless.cli.table_bar import shown_tables
from tiltless.distributed.connect import on_cluster
from tiltless.errors import DamagedFileError, FingerprintError, TiltlessError
from tiltless.experiments.thesis.agents import default_file
from tiltless.experiments.thesis.published import THESIS
from tiltless.experiments.thesis.reproduction import (
    ORDERS,
    Reproduction,
    beats_all,
    markdown,
    play_thesis,
)
from tiltless.files.atomic import make_folder, write_bytes, write_text
from tiltless.interrupts import INTERRUPTED
from tiltless.intervals import Interval
from tiltless.lock import locked, waiting_for
from tiltless.system import usable_cores
from tiltless.viz.cross_table import heat_map_png
from tiltless.viz.report import html_report

__all__ = ["app"]

app = typer.Typer(
    help="Reproduce experiments: a thesis, three reports, our own strength tables.",
    no_args_is_help=True,
    add_completion=False,
)
app.command()(strength)
app.command()(permutation)
app.command("permutation-play")(permutation_play)
app.command("river-of-blood")(river_of_blood)
app.command("six-player")(six_player)

_QUICK_HANDS = 4_000
_QUICK_WALKS = 2_000_000


@app.callback()
def _reproduce() -> None:
    """Reproduce experiments: a thesis, three reports, our own strength tables."""


@app.command()
def thesis(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help=f"Quick run: {_QUICK_HANDS:,} hands per pair, in minutes; wide intervals.",
        ),
    ] = False,
    hands: Annotated[
        int | None, typer.Option(help="Number of hands per pair of agents.", min=2)
    ] = None,
    seed: Seed = 0,
    processes: ProcessesOrAll = 0,
    cluster: Cluster = None,
    out: Annotated[Path | None, output_folder("thesis")] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Discard the hands of earlier runs in this folder; the toy blueprint is kept.",
        ),
    ] = False,
) -> None:
    """Play all pairs of the thesis' seven bots, and our blueprint against each of them.

    Trains the toy blueprint first if it is missing (ten million iterations, about a minute on two
    cores; fewer with --quick, which has its own toy and results). An existing toy is
    kept, even with --fresh; a line says where it is. Ctrl-C keeps the hands played so far; the same
    command continues.
    """
    console = ui.console(markup=False)
    start = time.perf_counter()
    many = hands or (_QUICK_HANDS if quick else THESIS.hands)
    out = make_folder(out or ("thesis-quick" if quick else "thesis"))
    toy = _train_toy(console, quick)
    abstraction = card_abstraction("standard")
    with shown_tables(console, abstraction) as progress:
        build_tables(abstraction, progress=progress)
    results = out / ("quick.sqlite" if quick else "full.sqlite")
    if fresh:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{results}{suffix}").unlink(missing_ok=True)
    workers = processes or usable_cores()
    errors = ui.console(stderr=True)
    given = on_cluster(cluster, workers, noted(errors))
    bars = stoppable_bar(errors, "the same command without --fresh")
    with given as where, Store(results) as store, bars as bar:
        run = play_thesis(
            store,
            hands=many,
            seed=seed,
            processes=where,
            toy=toy,
            begin=lambda plan: shown_match(bar, plan, THESIS.unit, plan.title),
            note=noted(errors),
        )
    picture = heat_map_png(run.table, "The thesis' bots, played again (sb/h)")
    write_bytes(out / "cross-table.png", picture)
    title = "The thesis' experiment, repeated"
    write_text(out / "cross-table.html", html_report(run.table, title=title, picture=picture))
    write_text(out / "tables.md", markdown(run))
    _show(console, run)
    spent = time.perf_counter() - start
    console.print(
        f"{out}: tables.md, cross-table.png, cross-table.html, {results.name}; {many:,} hands a "
        f"pair, seed {seed}, {spent / 60:.1f} minutes with "
        f"{f'{workers} processes' if cluster is None else f'the cluster {cluster}'}",
        soft_wrap=True,
    )
    if run.earlier:
        console.print(
            f"taken from an earlier run: {sum(run.earlier):,} hands in {len(run.earlier)} of "
            f"{run.matches} matches; --fresh plays them again",
            soft_wrap=True,
        )


def _train_toy(console: Console, quick: bool) -> str:
    """Train the blueprint of CFRv1 and CFRv2 unless it is there; its file, "" for the usual one.

    The usual one is where the agents look by default. It is trained further if it has
    fewer traversals than the thesis; a quick run has its own.
    """
    path, config = default_file(), read_config("thesis")
    if quick:
        path = path.parent.with_name("thesis-quick") / path.name
        config = config.with_stop(_QUICK_WALKS, None)
    make_folder(path.parent)
    with locked(path.with_suffix(".lock"), waiting_for("the toy blueprint")):
        _train_to(console, config, path)
    return str(path) if quick else ""


def _train_to(console: Console, config: TrainingConfig, path: Path) -> None:
    """Continue training up to the traversals of a configuration, if they are not done yet."""
    wanted, there = config.stop_walks or 0, _walks(path)
    if there >= wanted:
        console.print(
            f"the toy blueprint of CFRv1 and CFRv2 exists, {there:,} walks; to train it again, "
            f"delete {path.parent}",
            soft_wrap=True,
        )
        return
    console.print(f"training the toy blueprint of CFRv1 and CFRv2 ({wanted:,} walks)")
    with console.status("training"):
        trainer = _trainer(config, path.parent)
        trainer.run()
    if trainer.engine.walks < wanted:
        console.print("stopped; the same command continues")
        raise typer.Exit(INTERRUPTED)
    trainer.blueprint(f"tiltless train thesis --walks {trainer.engine.walks}").save(path)


def _walks(path: Path) -> int:
    """Traversals of a toy blueprint, from its card; 0 if there is no readable one."""
    if not path.exists():
        return 0
    try:
        card = Blueprint.load(path, verify=False).about.card
        return int(card.get("walks") or card.get("iterations") or 0)
    except (TiltlessError, ValueError):
        return 0


def _trainer(config: TrainingConfig, folder: Path) -> Trainer:
    """Continue an earlier training of the same kind, if there is one."""
    kept = list(folder.glob("checkpoint-*.safetensors"))
    if kept:
        try:
            return Trainer(config, folder, match_deals=0, resume=True)
        except (DamagedFileError, FingerprintError):
            for each in kept:
                each.unlink()
    return Trainer(config, folder, match_deals=0)


def _show(console: Console, run: Reproduction) -> None:
    """The table, in parts side by side where the terminal is too narrow for the whole."""
    bots, rows = run.published.agents, run.published.names
    titles = {order: "standard order" if order == "standard" else "their order" for order in ORDERS}
    ours = {order: run.row(order) for order in ORDERS}
    columns = []
    for column in bots:
        told = ["" if row == column else _cell_text(run, row, column) for row in bots]
        told += [_won_text(ours[order][column]) for order in ORDERS]
        columns.append(told)
    first = [*rows, *(f"{run.agent}\n{title}" for title in titles.values())]
    names = run.published.names
    widths = [_width([name, *told]) + 3 for name, told in zip(names, columns, strict=True)]
    for part in _parts(widths, console.width - _width(first) - 4):
        table = Table(title=f"ours, {run.published.unit} ± 95 %; below it what was published")
        table.add_column("")
        for number in part:
            table.add_column(names[number], justify="right", no_wrap=True)
        for row, title in enumerate(first):
            table.add_row(title, *(columns[number][row] for number in part))
            if row == len(rows) - 1:
                table.add_section()
        console.print(table)
    verdict = "wins against every bot" if beats_all(run) else "does NOT win against every bot"
    console.print(f"{run.agent} {verdict} (standard order, 95 % intervals above zero)")


def _cell_text(run: Reproduction, row: str, column: str) -> str:
    return f"{_won_text(run.cell(row, column))}\n({run.published.values[row, column]:+.2f})"


def _won_text(cell: Interval) -> str:
    return f"{cell.mean:+.2f} ± {cell.half_width:.2f}"


def _width(texts: Sequence[str]) -> int:
    return max(len(line) for text in texts for line in text.split("\n"))


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Column indices in groups that fit into a width; at least one in each."""
    parts: list[list[int]] = [[]]
    for number, width in enumerate(widths):
        if parts[-1] and sum(widths[each] for each in parts[-1]) + width > room:
            parts.append([])
        parts[-1].append(number)
    return parts
