"""``tiltless train``: a blueprint from a configuration, watched, saved, resumed."""

import shlex
import time
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

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.training.config import PRESETS, TrainingConfig, check_limit, read_config
from tiltless.blueprint.training.cost import check_room, needs
from tiltless.blueprint.training.litmus import first_in
from tiltless.blueprint.training.run import MATCH_DEALS, METRICS, Tick, Trainer
from tiltless.blueprint.training.text import (
    estimate_text,
    match_text,
    needs_text,
    nothing_averaged_text,
    now_and_then,
    tick_text,
)
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
            help="Stop after so many minutes of training in all, earlier processes included. "
            "Replaces every limit of the configuration."
        ),
    ] = None,
    walks: Annotated[
        int | None,
        typer.Option(
            help="Stop after so many walks in all, earlier processes included. Replaces every "
            "limit of the configuration."
        ),
    ] = None,
    match_deals: Annotated[
        int,
        typer.Option(
            help="Deals, each played twice, of a checkpoint against the one before; fewer where "
            "that takes more than a tenth of the time. 0: no matches.",
            min=0,
        ),
    ] = MATCH_DEALS,
    dry_run: Annotated[
        bool, typer.Option(help="Dry run: only print the memory and disk it would need.")
    ] = False,
) -> None:
    """Train a blueprint; Ctrl-C saves and stops, --resume goes on."""
    config = _with_stop(read_config(configuration), minutes, walks)
    console = ui.console(markup=False)
    folder = out or Path("runs") / config.name

    def say(text: str) -> None:
        console.print(text, soft_wrap=True)

    told = needs(config)
    say(needs_text(config, told))
    check_room(config, told, folder)
    if dry_run:
        return
    with shown_tables(console, card_abstraction(config.cards)) as progress:
        trainer = Trainer(
            config,
            folder,
            threads=threads,
            resume=resume,
            progress=progress,
            match_deals=match_deals,
        )
    for line in trainer.said:
        say(line)
    start = time.perf_counter()
    with _shown(console, trainer) as show:
        reason = trainer.run(
            show,
            on_estimate=lambda estimate: say(estimate_text(estimate)),
            on_match=lambda match: say(match_text(match)),
            on_note=say,
        )
    spent = time.perf_counter() - start
    say(f"{reason}; {trainer.engine.walks:,} walks, {spent:.0f} s in this run")
    if trainer.averaged:
        for check in trainer.checks():
            say(f"  {'yes' if check.holds else 'NO '}  {check.text}")
    command = f"tiltless train {shlex.quote(configuration)} --walks {trainer.engine.walks}"
    _write(console, trainer, folder, command)


def _with_stop(config: TrainingConfig, minutes: float | None, walks: int | None) -> TrainingConfig:
    if minutes is not None:
        check_limit("--minutes", minutes)
    if walks is not None:
        check_limit("--walks", walks)
    if minutes is None and walks is None:
        return config
    return config.with_stop(walks, minutes)


@contextmanager
def _shown(console: Console, trainer: Trainer) -> Iterator[Callable[[Tick], None]]:
    """A line that changes, where there is a terminal; a new one now and then elsewhere."""

    def text(tick: Tick) -> str:
        return tick_text(trainer.config, tick, trainer.infosets)

    if console.is_terminal:
        with Live(Text(""), console=console, refresh_per_second=4) as live:
            yield lambda tick: live.update(Text(text(tick)))
    else:
        yield now_and_then(lambda tick: console.print(text(tick), soft_wrap=True))


def _write(console: Console, trainer: Trainer, folder: Path, command: str) -> None:
    """The blueprint, the curves, the first decision as a picture, and a sentence."""
    config, engine, tree = trainer.config, trainer.engine, trainer.tree
    made = trainer.blueprint(command)
    made.save(folder / "blueprint.safetensors")
    names = ["blueprint.safetensors", "metrics.csv", "matches.csv"]
    metrics = read_log(folder / "metrics.csv", METRICS)
    if len(metrics) > 1:
        title = f"Training {config.name}: {engine.walks:,} walks"
        training_png(metrics, trainer.matches, folder / "training.png", title=title)
        names.append("training.png")
    shares = first_in(tree, engine.average_at(0))
    if not trainer.averaged:
        console.print(nothing_averaged_text(config, engine.walks), soft_wrap=True)
    elif shares is not None:
        strategy_png(
            folder / "first-in.png",
            made.decision_after("").choices(tree),
            shares,
            title="The button, first in",
            subtitle=f"{config.name}, {engine.walks:,} walks",
        )
        names.append("first-in.png")
        _learned(console, [tree.action(child) for child in tree.children(0)], shares)
    console.print(f"{folder}: {', '.join(names)}", soft_wrap=True)


def _learned(
    console: Console, actions: Sequence[Action | None], shares: npt.NDArray[np.float64]
) -> None:
    """The opening range as grids, and in a sentence."""
    size = np.bincount(CLASS_OF_COMBO) / 1326
    raises = shares[:, [isinstance(action, RaiseTo) for action in actions]].sum(axis=1)
    limps = shares[:, [action in (CALL, CHECK) for action in actions]].sum(axis=1)
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
