"""``tiltless train``: train a blueprint from a configuration; save and resume."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training.config import PRESETS
from tiltless.blueprint.training.front_end import train as run_training
from tiltless.blueprint.training.litmus import first_in
from tiltless.blueprint.training.run import MATCH_DEALS, METRICS, Trainer
from tiltless.cards.card import CLASS_OF_COMBO
from tiltless.cli import ui
from tiltless.cli.table_bar import shown_tables
from tiltless.files.csv_log import read_log
from tiltless.games.holdem.actions import CALL, CHECK, Action, RaiseTo
from tiltless.viz.terminal import grid_text
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
            help="Deals, each played twice, of a checkpoint against the previous one; fewer if "
            "they take more than a tenth of the time; 0 for no matches.",
            min=0,
        ),
    ] = MATCH_DEALS,
    dry_run: Annotated[
        bool, typer.Option(help="Dry run: only print the memory and disk it would need.")
    ] = False,
) -> None:
    """Train a blueprint; Ctrl-C saves and stops, --resume continues.

    A TOML file names the game, the bets, the cards and, as a product of features, what a player
    remembers: information = "street * seat * pot(20) * cards". docs/training.md lists every key.
    """
    console = ui.console(markup=False)

    def say(text: str) -> None:
        console.print(text, soft_wrap=True)

    run_training(
        "tiltless train",
        configuration,
        out,
        say,
        walks=walks,
        minutes=minutes,
        threads=threads,
        resume=resume,
        match_deals=match_deals,
        dry_run=dry_run,
        show_tables=lambda cards: shown_tables(console, cards),
        live=(lambda: _live(console)) if console.is_terminal else None,
        pictures=lambda trainer, made: _pictures(console, trainer, made),
    )


@contextmanager
def _live(console: Console) -> Iterator[Callable[[str], None]]:
    """A line that changes."""
    with Live(Text(""), console=console, refresh_per_second=4) as live:
        yield lambda line: live.update(Text(line))


def _pictures(console: Console, trainer: Trainer, blueprint: Blueprint) -> list[str]:
    """The curves, the first decision as a picture, and a sentence; names of the files."""
    config, engine, tree, folder = trainer.config, trainer.engine, trainer.tree, trainer.folder
    names = []
    metrics = read_log(folder / "metrics.csv", METRICS)
    if len(metrics) > 1:
        title = f"Training {config.name}: {engine.walks:,} walks"
        training_png(metrics, trainer.matches, folder / "training.png", title=title)
        names.append("training.png")
    probs = first_in(tree, engine.average_at(0))
    if trainer.averaged and probs is not None:
        strategy_png(
            folder / "first-in.png",
            blueprint.decision_after("").choices(tree),
            probs,
            title="The button, first in",
            subtitle=f"{config.name}, {engine.walks:,} walks",
        )
        names.append("first-in.png")
        _learned(console, [tree.action(child) for child in tree.children(0)], probs)
    return names


def _learned(
    console: Console, actions: Sequence[Action | None], probs: npt.NDArray[np.float64]
) -> None:
    """The opening range as grids and in a sentence."""
    size = np.bincount(CLASS_OF_COMBO) / 1326
    raises = probs[:, [isinstance(action, RaiseTo) for action in actions]].sum(axis=1)
    limps = probs[:, [action in (CALL, CHECK) for action in actions]].sum(axis=1)
    raised, limped = float(size @ raises), float(size @ limps)
    for heading, weights, share in (("raises", raises, raised), ("limps", limps, limped)):
        if share >= 0.01:
            shown = np.where(weights < 0.05, 0, np.where(weights > 0.95, 1, weights))
            header = f" the button {heading} {share:.0%} of its hands first in (a digit: tenths)"
            console.print()
            console.print(grid_text(shown, header))
    console.print()
    console.print(
        f"what was learned: the button plays {raised + limped:.0%} of its hands first in, raises "
        f"{raised:.0%} and limps {limped:.0%} of them all",
        soft_wrap=True,
    )
