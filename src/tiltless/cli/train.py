"""``tiltless train``: a blueprint from a configuration, watched, saved, resumed."""

import csv
import os
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tiltless.cards.card import CLASS_OF_COMBO
from tiltless.cli.plots import strategy_png, training_png
from tiltless.errors import OptionError
from tiltless.games.actions import FOLD, RaiseTo
from tiltless.solvers.litmus import Check, first_in, litmus
from tiltless.solvers.training import Needs, Tick, Trainer, needs
from tiltless.solvers.training_config import PRESETS, TrainingConfig, read_config

__all__ = ["train"]

_SHARE_OF_MEMORY = 0.9
_METRICS = ("walks", "seconds", "walks_per_second", "nodes_per_second", "mean_regret", "checks")


def train(
    configuration: Annotated[
        str, typer.Argument(help=f"A preset ({', '.join(PRESETS)}) or a TOML file.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; runs/NAME if not given.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on from the newest checkpoint.")] = False,
    threads: Annotated[int, typer.Option(help="Threads; 0 takes all cores.", min=0)] = 0,
    minutes: Annotated[float | None, typer.Option(help="Stop after this time instead.")] = None,
    walks: Annotated[int | None, typer.Option(help="Stop after so many walks instead.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Only say what it would take.")] = False,
) -> None:
    """Train a blueprint; Ctrl-C saves and stops, --resume goes on."""
    config = _with_stop(read_config(configuration), minutes, walks)
    console = Console(highlight=False, markup=False)
    told = needs(config)
    _announce(console, config, told)
    if dry_run:
        return
    folder = out or Path("runs") / config.name
    with console.status("building bucket tables, once for each abstraction"):
        trainer = Trainer(config, folder, threads=threads, resume=resume)
    for line in trainer.said:
        console.print(line, soft_wrap=True)
    ticks: list[Tick] = []
    start = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    with (
        open(folder / "metrics.csv", "a", newline="", encoding="utf-8") as file,
        Live(Text(""), console=console, refresh_per_second=4) as live,
    ):
        metrics = csv.writer(file)
        if not file.tell():
            metrics.writerow(_METRICS)

        def on_tick(tick: Tick) -> None:
            ticks.append(tick)
            checks = _checks(trainer)
            good = sum(check.holds for check in checks)
            live.update(Text(_line(trainer, tick, told, good, len(checks))))
            row = tick.walks, tick.seconds, tick.walks_per_second, tick.nodes_per_second
            metrics.writerow([*(f"{value:.6g}" for value in row), f"{tick.mean_regret:.6g}", good])
            file.flush()

        reason = trainer.run(on_tick)
    if not console.is_terminal:
        console.print()  # ends the live line
    spent = time.perf_counter() - start
    console.print(f"{reason}; {trainer.engine.walks:,} walks, {spent:.0f} s in this run")
    for check in _checks(trainer):
        console.print(f"  {'yes' if check.holds else 'NO '}  {check.text}")
    _write(console, trainer, folder, ticks)


def _with_stop(config: TrainingConfig, minutes: float | None, walks: int | None) -> TrainingConfig:
    if minutes is not None and not minutes > 0:
        raise OptionError(f"--minutes {minutes} is too little; take more than 0")
    if walks is not None and not walks > 0:
        raise OptionError(f"--walks {walks} is too little; take more than 0")
    if minutes is None and walks is None:
        return config
    return config.with_stop(walks, minutes)


def _announce(console: Console, config: TrainingConfig, told: Needs) -> None:
    console.print(
        f"{config.name}: {told.infosets:,} information sets, {told.rows:,} actions; "
        f"{told.memory / 1e6:,.1f} MB of memory, {told.disk / 1e6:,.1f} MB of checkpoints",
        soft_wrap=True,
    )
    memory = _memory()
    if told.memory > _SHARE_OF_MEMORY * memory:
        raise OptionError(
            f"{config.name} needs {told.memory / 1e9:.1f} GB and this machine has "
            f"{memory / 1e9:.1f} GB; take fewer sizes or buckets (tiltless tree says how large)"
        )


def _memory() -> float:
    """Bytes of memory of this machine; without limit where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):
        return float("inf")


def _checks(trainer: Trainer) -> list[Check]:
    return litmus(trainer.tree, trainer.engine.buckets[0].count, trainer.engine.average)


def _line(trainer: Trainer, tick: Tick, told: Needs, good: int, checks: int) -> str:
    touched = trainer.engine.touched() / told.rows
    text = (
        f"{tick.walks:,} walks, {tick.walks_per_second:,.0f}/s, "
        f"{tick.nodes_per_second / 1e6:.1f} M nodes/s, {touched:.0%} of actions met, "
        f"regret {tick.mean_regret:.3g} chips"
    )
    if checks:
        text += f", litmus {good}/{checks}"
    left = _seconds_left(trainer.config, tick)
    return text if left is None else f"{text}, {_time(left)} left"


def _seconds_left(config: TrainingConfig, tick: Tick) -> float | None:
    left = []
    if config.stop_minutes is not None:
        left.append(60 * config.stop_minutes - tick.seconds)
    if config.stop_walks is not None:
        left.append((config.stop_walks - tick.walks) / tick.walks_per_second)
    return max(min(left), 0.0) if left else None


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _write(console: Console, trainer: Trainer, folder: Path, ticks: list[Tick]) -> None:
    """The blueprint, the curves, the first decision as a picture, and a sentence."""
    config, engine = trainer.config, trainer.engine
    made = trainer.blueprint()
    made.save(folder / "blueprint.safetensors")
    if len(ticks) > 1:
        training_png(ticks, folder / "training.png", title=f"Training {config.name}")
    shares = first_in(trainer.tree, engine.buckets[0].count, engine.average)
    if shares is not None:
        strategy_png(
            folder / "first-in.png",
            made.decision_after("").choices(trainer.tree),
            shares,
            title="The button, first in",
            subtitle=f"{config.name}, {engine.walks:,} walks",
        )
        size = np.bincount(CLASS_OF_COMBO) / 1326
        words = [trainer.tree.action(child) for child in trainer.tree.children(0)]
        raised = size @ shares[:, [isinstance(word, RaiseTo) for word in words]].sum(axis=1)
        folded = size @ shares[:, [word == FOLD for word in words]].sum(axis=1)
        console.print(
            f"what was learned: the button plays {1 - folded:.0%} of its hands first in and raises "
            f"{raised:.0%} of them all"
        )
    console.print(f"{folder}: blueprint.safetensors, metrics.csv, pictures", soft_wrap=True)
