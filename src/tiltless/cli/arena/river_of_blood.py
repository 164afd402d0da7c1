"""``tiltless reproduce river-of-blood``: our bot against others in River of Blood."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tiltless.arena.store import Store
from tiltless.cli import ui
from tiltless.cli.arena.match import noted, shown_match, stoppable_bar
from tiltless.cli.arena.options import Cluster, ProcessesOrAll, Seed, output_folder
from tiltless.distributed.connect import on_cluster
from tiltless.experiments.river_of_blood.reproduction import (
    FULL,
    QUICK,
    UNIT,
    PairingResult,
    facts,
    markdown,
    play_rows,
    rows,
    scaled,
)
from tiltless.files.atomic import make_folder, write_text
from tiltless.system import usable_cores

__all__ = ["river_of_blood"]


def river_of_blood(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Quick run: a hundredth of the hands, in minutes; wide intervals."
        ),
    ] = False,
    scale: Annotated[
        float, typer.Option(help="Factor for the numbers of hands.", min=0.0001, max=1000)
    ] = 1.0,
    file: Annotated[
        str, typer.Option(help="Our blueprint: a file, or the name of a shipped one.")
    ] = "",
    report: Annotated[
        str, typer.Option(help="Blueprint of the report's preset; its row is left out without one.")
    ] = "",
    only: Annotated[
        str,
        typer.Option(help="Play only rows whose name contains one of these words (w1,w2,...)."),
    ] = "",
    seed: Seed = 0,
    processes: ProcessesOrAll = 0,
    cluster: Cluster = None,
    out: Annotated[Path | None, output_folder("river-of-blood")] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Play our bot for River of Blood against other bots, and against itself without search.

    Opponents are the report's bot if its blueprint is there, Monte-Carlo and rule bots, an all-in
    bot, the bot that teams begin with, and our own blueprint cut at the river. Ctrl-C keeps the
    hands played so far; the same command continues.
    """
    console, errors = ui.console(markup=False), ui.console(stderr=True)
    words = [word.strip() for word in only.split(",") if word.strip()]
    wanted = rows(file, report, words)
    folder = Path(make_folder(out or ("river-of-blood-quick" if quick else "river-of-blood")))
    hands = scaled(QUICK if quick else FULL, scale)
    results = folder / "results.sqlite"
    workers = on_cluster(cluster, processes or usable_cores(), noted(errors))
    with workers as where, Store(results) as store, stoppable_bar(errors) as bar:
        found = play_rows(
            store,
            wanted,
            hands,
            seed=seed,
            processes=where,
            begin=lambda row, plan: shown_match(bar, plan, UNIT, row.name),
            note=noted(errors),
        )
    write_text(folder / "table.md", markdown(found, seed))
    if as_json:
        ui.print_json(facts(found, seed))
        return
    console.print(_table(found))
    console.print(f"{folder}: table.md, results.sqlite; seed {seed}", soft_wrap=True)


def _table(found: list[PairingResult]) -> Table:
    table = Table(title=f"River of Blood: what ours wins, {UNIT} ± 95 %")
    table.add_column("against")
    for title in ("hands", "wins", "rulings", "ms a hand"):
        table.add_column(title, justify="right")
    for result in found:
        score, cell = result.score, result.interval
        table.add_row(
            result.row.name,
            f"{score.hands:,}",
            f"{cell.mean:+,.0f} ± {cell.half_width:,.0f}",
            str(score.faults.rulings),
            f"{1e3 * score.times.total / max(score.hands, 1):.1f}",
        )
    return table
