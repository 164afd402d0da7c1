"""A training run from its command to its files; both commands, rich and plain, are this function.

``tiltless train`` adds bars, a live line and pictures, ``python -m tiltless.train`` nothing.
"""

import shlex
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.blueprint.training.compact_checkpoint import has_compact
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.cost import check_room, needs
from tiltless.blueprint.training.rounds import RoundSetting
from tiltless.blueprint.training.run import MATCH_DEALS, STOPPED, Tick, Trainer
from tiltless.blueprint.training.setup import Setup, Trained
from tiltless.blueprint.training.text import (
    estimate_text,
    match_text,
    needs_text,
    nothing_averaged_text,
    now_and_then,
    tick_text,
)
from tiltless.executor import Executor
from tiltless.interrupts import INTERRUPTED
from tiltless.validate import positive

__all__ = ["train"]

Say = Callable[[str], None]
ShowTables = Callable[
    [CardAbstraction], AbstractContextManager[Callable[[str, int, int], None] | None]
]
Pictures = Callable[[Trainer, Trained], Iterable[str]]


def train(
    command: str,
    configuration: str,
    folder: Path | None,
    say: Say,
    *,
    walks: int | None = None,
    minutes: float | None = None,
    threads: int = 0,
    resume: bool | None = None,
    match_deals: int = MATCH_DEALS,
    compact: bool = False,
    dry_run: bool = False,
    rounds: RoundSetting | None = None,
    executor: Executor | None = None,
    show_tables: ShowTables = lambda _: nullcontext(),
    live: Callable[[], AbstractContextManager[Say]] | None = None,
    pictures: Pictures = lambda *_: (),
) -> int:
    """Train a configuration, a preset or a file, and write its blueprint; returns the exit code.

    command: the command line before the configuration, for the model card.
    folder: of the run; None means runs/NAME.  say: shows a line.
    walks, minutes: replace every limit of the configuration.
    resume: None continues if the folder has checkpoints.
    rounds, executor: see `Trainer`.
    compact: also write a compact checkpoint at the end (three to six seats).
    show_tables: shows how bucket tables are built.  live: shows ticks in a line that changes; None
    for a new line now and then.  pictures: writes more files to the folder, and names them.
    """
    config = read_config(configuration)
    for name, limit in (("--minutes", minutes), ("--walks", walks)):
        if limit is not None:
            positive(name, limit)
    if walks is not None or minutes is not None:
        config = config.with_stop(walks, minutes)
    setup, where = Setup.of(config), folder or Path("runs") / config.name
    if setup.takes_long:
        say(setup.takes_long)
    cost = needs(setup)
    say(needs_text(config, cost))
    check_room(config, cost, where)
    if compact:
        _ = setup.table_blocks  # refused before the run if there is no such checkpoint
    if dry_run:
        return 0
    if resume is None:
        resume = any(where.glob("checkpoint-*.safetensors")) or has_compact(where)
    with show_tables(setup.cards) as progress:
        trainer = Trainer(
            setup,
            where,
            threads=threads,
            resume=resume,
            progress=progress,
            match_deals=match_deals,
            rounds=rounds,
            executor=executor,
        )
    for line in trainer.notes:
        say(line)
    start = time.perf_counter()
    with nullcontext(say) if live is None else live() as show:

        def tell(tick: Tick) -> None:
            show(tick_text(config, tick, setup.infosets))

        reason = trainer.run(
            now_and_then(tell) if live is None else tell,
            on_estimate=lambda estimate: say(estimate_text(estimate)),
            on_match=lambda match: say(match_text(match)),
            on_note=say,
        )
    spent, walked = time.perf_counter() - start, trainer.engine.walks
    say(f"{reason}; {walked:,} walks, {spent:.0f} s in this run")
    if trainer.averaged:
        for check in trainer.checks():
            say(f"  {'yes' if check.holds else 'NO '}  {check.text}")
    else:
        say(nothing_averaged_text(config, walked))
    told = f"{command} {shlex.quote(configuration)} --walks {walked}"
    if trainer.rounds is not None:
        copies, size = trainer.rounds.setting.copies, trainer.rounds.setting.walks
        told += f" --copies {copies} --round-walks {size}"
    blueprint = trainer.blueprint(told)
    blueprint.save(where / "blueprint.safetensors")
    names = ["blueprint.safetensors", "metrics.csv", "matches.csv", *pictures(trainer, blueprint)]
    if compact:
        names += [path.name for path in trainer.save_compact()]
    say(f"{where}: {', '.join(names)}")
    return INTERRUPTED if reason == STOPPED else 0
