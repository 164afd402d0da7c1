"""``tiltless train``: train a blueprint from a configuration; save and resume."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tiltless.blueprint.training.front_end import train as run_training
from tiltless.blueprint.training.presets import PRESETS
from tiltless.blueprint.training.run import MATCH_DEALS, METRICS, Trainer
from tiltless.blueprint.training.setup import Trained
from tiltless.cli import ui
from tiltless.cli.table_bar import shown_tables
from tiltless.cli.training.opening_text import openings_table, show_opening
from tiltless.distributed.connect import copies_on
from tiltless.files.csv_log import read_log
from tiltless.viz.training import strategy_png, training_png

__all__ = ["train"]


def train(
    configuration: Annotated[
        str, typer.Argument(help=f"A preset ({', '.join(PRESETS)}) or a TOML file.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; runs/NAME by default.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Continue from the newest checkpoint.")] = False,
    threads: Annotated[int, typer.Option(help="Number of threads; 0 means all cores.", min=0)] = 0,
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Limit on training time in minutes, including earlier processes. Replaces every "
            "limit of the configuration."
        ),
    ] = None,
    walks: Annotated[
        int | None,
        typer.Option(
            help="Limit on the number of traversals, including earlier processes. Replaces every "
            "limit of the configuration."
        ),
    ] = None,
    match_deals: Annotated[
        int,
        typer.Option(
            help="Number of deals, each played twice, in a checkpoint's match against the "
            "previous one; fewer if they take more than a tenth of the time; 0 for no "
            "matches.",
            min=0,
        ),
    ] = MATCH_DEALS,
    compact: Annotated[
        bool,
        typer.Option(
            "--compact",
            help="Also write a compact checkpoint, rounded by row (three to six seats): a tenth of "
            "the size, and --resume continues from it where there is no full one.",
        ),
    ] = False,
    copies: Annotated[
        int,
        typer.Option(
            help="Number of copies of the tables, which train separately and are merged after "
            "each round; the result depends on it, but not on the number of machines. "
            "With --cluster, 0 means its number of cores.",
            min=0,
        ),
    ] = 0,
    round_walks: Annotated[
        int,
        typer.Option(
            help="Number of traversals of each copy per round; 0 means about half a minute.", min=0
        ),
    ] = 0,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Ray cluster to train on: auto for this machine's, or HOST:PORT. See "
            "docs/scaling.md.",
            metavar="ADDRESS",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option(help="Dry run: only print the memory and disk it would need.")
    ] = False,
) -> None:
    """Train a blueprint; Ctrl-C saves and stops, --resume continues.

    A TOML file names the game, the bets, the cards and, as a product of features, what a player
    remembers: information = "street * seat * pot(20) * cards". docs/training.md has an example,
    and the module tiltless.blueprint.training.config documents every key.
    """
    console = ui.console(markup=False)

    def say(text: str) -> None:
        console.print(text, soft_wrap=True)

    where = copies_on(cluster, copies, round_walks, processes=threads, note=say)
    with where as (rounds, executor):
        code = run_training(
            "tiltless train",
            configuration,
            out,
            say,
            walks=walks,
            minutes=minutes,
            threads=threads,
            resume=resume,
            match_deals=match_deals,
            compact=compact,
            dry_run=dry_run,
            rounds=rounds,
            executor=executor,
            show_tables=lambda cards: shown_tables(console, cards),
            live=(lambda: _live(console)) if console.is_terminal else None,
            pictures=lambda trainer, made: _pictures(console, trainer, made),
        )
    if code:
        raise typer.Exit(code)


@contextmanager
def _live(console: Console) -> Iterator[Callable[[str], None]]:
    """A line that changes."""
    with Live(Text(""), console=console, refresh_per_second=4) as live:
        yield lambda line: live.update(Text(line))


def _pictures(console: Console, trainer: Trainer, _: Trained) -> list[str]:
    """The curves, first-in decisions as pictures, and a sentence for each; names of the files."""
    config, engine, folder = trainer.config, trainer.engine, trainer.folder
    names = []
    metrics = read_log(folder / "metrics.csv", METRICS)
    if len(metrics) > 1:
        title = f"Training {config.name}: {engine.walks:,} walks"
        training_png(metrics, trainer.matches, folder / "training.png", title=title)
        names.append("training.png")
    openings = trainer.setup.openings(engine) if trainer.averaged else []
    for opening in openings:
        name = "first-in.png" if len(openings) == 1 else f"first-in-{opening.short}.png"
        strategy_png(
            folder / name,
            opening.choices,
            opening.chances,
            title=f"{opening.player[0].upper()}{opening.player[1:]}, first in",
            subtitle=f"{config.name}, {engine.walks:,} walks",
        )
        names.append(name)
    if len(openings) == 1:
        show_opening(console, openings[0])
    elif openings:
        console.print()
        console.print(openings_table(openings))
    return names
